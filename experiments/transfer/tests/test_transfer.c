/* SPDX-License-Identifier: MIT
 *
 * The squiggle's transfer: the law of its rows, which fits are wanted, measures against closed forms for a made-up kind
 * in place of the registry, and claims on made-up findings.
 */
#include "bench/bench_support.h"
#include "draws.h"

#include "transfer/transfer.h"
#include "data/table.h"
#include "model/kind.h"

/* ---- a made-up kind: the mean of its rows everywhere, with the variances of its options ------------------------- */

typedef struct flat { double noise_var, prior_var; } flat;
typedef struct flat_options {
    double noise_std, prior_var, features, penalty, restarts, members, amplitude;
    const char *kernel;
    int optimise, noise, units;
} flat_options;

static _Atomic size_t most_features;
static const double auto_noise = 0.5, auto_prior = 2;            /* standardised */

#define COMMON_OPTIONS                                                                                                \
    { "noise_std", UNA_REAL, offsetof(flat_options, noise_std), "auto", 0, 1e9, true, NULL, "its std" },               \
    { "units", UNA_WORD, offsetof(flat_options, units), "own", 0, 0, false, "own|standardised", "not used" },          \
    { "noise", UNA_WORD, offsetof(flat_options, noise), "constant", 0, 0, false, "constant|varying", "not used" }

static const una_option network_table[] = {
    COMMON_OPTIONS,
    { "prior_var", UNA_REAL, offsetof(flat_options, prior_var), "auto", 0, 1e9, true, NULL, "of the function" },
    { "features", UNA_COUNT, offsetof(flat_options, features), "1", 1, 1e6, false, NULL, "not used" },
    { "penalty", UNA_REAL, offsetof(flat_options, penalty), "1", 0, 1e9, false, NULL, "not used" },
    { "restarts", UNA_COUNT, offsetof(flat_options, restarts), "1", 0, 1e9, false, NULL, "not used" },
    { "members", UNA_COUNT, offsetof(flat_options, members), "1", 0, 1e9, false, NULL, "not used" },
    { .name = NULL }
};

static const una_option process_table[] = {
    COMMON_OPTIONS,
    { "kernel", UNA_TEXT, offsetof(flat_options, kernel), "rbf", 0, 0, false, NULL, "not used" },
    { "amplitude", UNA_REAL, offsetof(flat_options, amplitude), "1", 0, 1e9, false, NULL, "of the function" },
    { "optimise", UNA_FLAG, offsetof(flat_options, optimise), "yes", 0, 0, false, NULL, "not used" },
    { "restarts", UNA_COUNT, offsetof(flat_options, restarts), "1", 0, 1e9, false, NULL, "not used" },
    { .name = NULL }
};

static una_status network_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    flat *m = f->target->state;
    flat_options *o = f->target->options;
    if (o->features > (double)most_features) most_features = (size_t)o->features;
    m->noise_var = UNA_IS_AUTO(o->noise_std) ? auto_noise : pow(o->noise_std / p->columns->target_scale, 2);
    m->prior_var = UNA_IS_AUTO(o->prior_var) ? auto_prior : o->prior_var;
    o->noise_std = sqrt(m->noise_var) * p->columns->target_scale;
    o->prior_var = m->prior_var;
    result->noise_var = m->noise_var;
    result->prior_var = m->prior_var;
    result->log_evidence = -1;
    return UNA_OK;
}

static una_status process_fit(una_fitting *f)
{
    flat_options *o = f->target->options;
    o->prior_var = o->amplitude;
    return network_fit(f);
}

static una_status flat_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const flat *m = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        out->mean[r] = 0;
        out->var_model[r] = m->prior_var;
        out->var_noise[r] = m->noise_var;
    }
    return UNA_OK;
}

static una_status flat_exchange(void *state, una_archive *ar)
{
    UNA_TRY(una_archive_f64(ar, "noise_var", &((flat *)state)->noise_var));
    return una_archive_f64(ar, "prior_var", &((flat *)state)->prior_var);
}

static una_status flat_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    (void)state;
    (void)more;
    (void)result;
    (void)keep;
    UNA_FAIL(run, UNA_E_NUMERIC, "nobody should add rows here");
}

#define FLAT(its_name, its_table, its_fit, its_relearn, its_observe)                                                  \
    { .name = its_name, .summary = "flat", .source = "nobody", .options = its_table,                                  \
      .options_size = sizeof(flat_options), .state_size = sizeof(flat), .thesis = "", .least_rows = 4, .fit = its_fit, \
      .relearn = its_relearn, .observe = its_observe, .predict = flat_predict, .exchange = flat_exchange }
static const una_kind luna_kind = FLAT("luna", network_table, network_fit, network_fit, flat_observe);
static const una_kind gp_kind = FLAT("gp", process_table, process_fit, process_fit, flat_observe);
static const una_kind mcd_kind = FLAT("mcd", network_table, network_fit, NULL, NULL);
const una_kind *const una_kinds[] = { &luna_kind, &gp_kind, &mcd_kind, NULL };

extern const una_experiment una_experiment_transfer;

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static void check_rows(const una_dataset *data, size_t rows, bool inside)
{
    const double *x = una_dataset_numbers(data, 0), *y = una_dataset_numbers(data, 1);
    size_t left = 0;
    double square = 0;
    assert_int_equal(una_dataset_row_count(data), rows);
    for (size_t i = 0; i < rows; i++) {
        double off = y[i] - (pow(x[i], 3) + 20 * exp(-x[i] * x[i]) * sin(10 * x[i]));
        assert_true(inside ? fabs(x[i]) <= 2 : fabs(x[i]) >= 2 && fabs(x[i]) <= 4);
        assert_true(fabs(off) < 18);
        left += x[i] < 0;
        square += off * off;
    }
    if (!inside) assert_int_equal(left, rows / 2);
    if (rows > 100) assert_near(sqrt(square / (double)rows), 3, 0.12, 0);
}

static void rows_by_their_law(void **state)
{
    una_run *run = quiet_run();
    una_transfer_rows rows, same, other;
    (void)state;
    assert_near(una_squiggle(0), 0, 0, 0);
    assert_near(una_squiggle(-3), -27 + 20 * exp(-9) * sin(-30), 1e-15, 0);
    assert_ok(una_transfer_rows_make(&rows, 7, run), run);
    assert_ok(una_transfer_rows_make(&same, 7, run), run);
    assert_ok(una_transfer_rows_make(&other, 8, run), run);
    check_rows(rows.train, 80, false);
    check_rows(rows.valid, 10, false);
    check_rows(rows.test, 10, false);
    check_rows(rows.gap_train, 80, true);
    check_rows(rows.gap_test, 400, true);
    assert_memory_equal(una_dataset_numbers(rows.gap_test, 1), una_dataset_numbers(same.gap_test, 1), 400 * 8);
    assert_true(una_dataset_numbers(rows.train, 0)[0] != una_dataset_numbers(other.train, 0)[0]);
    una_run_free(run);
}

static void features_are_in_the_name(void **state)
{
    (void)state;
    assert_int_equal(una_transfer_features("squiggle, 40 features"), 40);
    assert_int_equal(una_transfer_features("squiggle"), 0);
    for (size_t b = 0; b < UNA_TRANSFER_BANDS; b++)
        assert_int_equal(una_transfer_features(una_transfer_bands[b].data), 0);
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */

static double value_of(const una_bench_result *result, const char *data, uint64_t seed, const char *measure)
{
    for (size_t i = 0; i < result->row_count; i++) {
        const una_bench_key *key = result->rows[i].key;
        if (strcmp(key->data, data) == 0 && key->seed == seed && strcmp(result->rows[i].measure, measure) == 0)
            return result->rows[i].value;
    }
    fail_msg("no %s on %s", measure, data);
    return NAN;
}

/* Mean log density of the target of `at`, normal around the mean of `from`; variances: prior standardised by `from`. */
static double flat_log_lik(const una_dataset *from, const una_dataset *at, double prior_var, double noise_std)
{
    const double *y = una_dataset_numbers(from, 1), *z = una_dataset_numbers(at, 1);
    double n = (double)una_dataset_row_count(from), rows = (double)una_dataset_row_count(at);
    double mean = 0, var = 0, sum = 0;
    for (size_t i = 0; i < (size_t)n; i++) mean += y[i] / n;
    for (size_t i = 0; i < (size_t)n; i++) var += (y[i] - mean) * (y[i] - mean) / n;
    double noise_var = noise_std > 0 ? noise_std * noise_std : auto_noise * var, all = prior_var * var + noise_var;
    for (size_t i = 0; i < (size_t)rows; i++)
        sum += -0.5 * log(2 * acos(-1) * all) - (z[i] - mean) * (z[i] - mean) / (2 * all);
    return sum / rows;
}

static void measures_are_closed_forms(void **state)
{
    static const double alphas[] = { 0.1, 1, 10 };
    static const char *const names[] = { "log_lik_0.1", "log_lik_1", "log_lik_10" };
    una_run *run = quiet_run_threads(2);
    una_bench_result *result = NULL;
    const char *models[] = { "luna(penalty=3)", "gp" }, *set[] = { "seeds=2", "features=\"2,5\"" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("run"), .models = models,
                                    .model_count = 2, .set = set, .set_count = 2 };
    una_transfer_rows r;
    (void)state;
    most_features = 0;
    assert_ok(una_bench_run(&result, "transfer", &settings, run), run);
    assert_int_equal(result->fits, 2 * (2 + 1 + 3));
    assert_int_equal(most_features, 5);
    assert_ok(una_transfer_rows_make(&r, 1, run), run);

    const char *data = "squiggle, 5 features";
    double best = -INFINITY, chosen = NAN, wanted = NAN;
    for (size_t a = 0; a < 3; a++) {
        double inside = flat_log_lik(r.gap_train, r.gap_test, alphas[a], 3);
        double outside = flat_log_lik(r.train, r.valid, alphas[a], 3);
        assert_near(value_of(result, data, 1, names[a]), inside, 1e-9, 0);
        if (outside > best) best = outside, chosen = alphas[a], wanted = inside;
    }
    assert_near(value_of(result, data, 1, "log_lik"), wanted, 1e-9, 0);
    assert_near(value_of(result, data, 1, "prior_var"), chosen, 0, 0);
    assert_near(value_of(result, data, 1, "valid_log_lik"), best, 1e-9, 0);
    assert_near(value_of(result, data, 1, "log_lik_evidence"), flat_log_lik(r.gap_train, r.gap_test, 2, 0), 1e-9, 0);
    assert_near(value_of(result, data, 1, "before_log_lik"), flat_log_lik(r.train, r.gap_test, 2, 0), 1e-9, 0);
    assert_near(value_of(result, data, 1, "outside_log_lik"), flat_log_lik(r.train, r.test, 2, 0), 1e-9, 0);
    assert_true(isnan(value_of(result, data, 1, "fresh_log_lik")));

    assert_near(value_of(result, "squiggle", 1, "fresh_log_lik"), flat_log_lik(r.gap_train, r.gap_test, 1, 0), 1e-9, 0);
    assert_near(value_of(result, "squiggle", 1, "log_lik"), flat_log_lik(r.gap_train, r.gap_test, 1, 3), 1e-9, 0);
    assert_near(value_of(result, "squiggle, too much", 1, "before_log_lik"), flat_log_lik(r.train, r.gap_test, 3, 3),
                1e-9, 0);
    assert_true(isnan(value_of(result, "squiggle, too much", 1, "log_lik")));
    una_bench_free(result);
    assert_int_equal(access(temp_path("run/transfer-features.svg"), R_OK), 0);
    assert_int_equal(access(temp_path("run/transfer-bands.png"), R_OK), has_cairo() ? 0 : -1);
    assert_int_equal(access(temp_path("run/transfer-known.tex"), R_OK), 0);
    una_run_free(run);
}

static void what_cannot_be_meant_is_refused(void **state)
{
    static const struct { const char *model, *set, *says; } cases[] = {
        { "mcd", "seeds=1", "keeps no features" },
        { "luna(features=3)", "seeds=1", "--features 3" },
        { "luna(units=standardised)", "seeds=1", "units of the data" },
        { "luna(penalty=2)", "features=\"\"", "whole numbers from 1" },
        { "luna(penalty=2)", "features=\"10,\"", "whole numbers from 1" },
        { "luna(penalty=2)", "features=\"10,-4\"", "whole numbers from 1" },
        { "luna(penalty=2)", "features=\"0\"", "whole numbers from 1" },
        { "luna(penalty=2)", "features=\"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\"", "at most 16" },
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_bench_result *result = NULL;
        una_bench_settings settings = { .size = sizeof settings, .out = temp_path("refused"), .models = &cases[i].model,
                                        .model_count = 1, .set = &cases[i].set, .set_count = 1 };
        assert_status(una_bench_run(&result, "transfer", &settings, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), cases[i].says);
        assert_null(result);
    }
    una_run_free(run);
}

static void no_memory_is_no_crash(void **state)
{
    const char *models[] = { "luna(penalty=2)", "gp" }, *set[] = { "seeds=1", "features=\"2,3\"" };
    (void)state;
    assert_survives_no_memory("transfer", SIZED(una_bench_settings, .models = models, .model_count = 2, .set = set,
                                                .set_count = 2));
}

/* ---- claims ---------------------------------------------------------------------------------------------------- */

#define EXPERIMENT una_experiment_transfer
enum { MEASURES = UNA_TRANSFER_MEASURES + 1 };
#include "bench/made_up.h"

static void claims_follow_the_numbers(void **state)
{
    static made_up m;
    una_run *run = quiet_run();
    char expected_text[512];
    size_t known = UNA_TRANSFER_KNOWN, evidence = UNA_TRANSFER_EVIDENCE;
    (void)state;
    assert_int_equal(claim_result(&m, "LUNA's log-likelihood rises faster than NLM's", expected_text, run), UNA_CANNOT_TELL);
    assert_says(expected_text, "needs luna and nlm");
    assert_int_equal(claim_result(&m, "Too much", expected_text, run), UNA_CANNOT_TELL);

    add_group(&m, "luna", "luna(penalty=1)", "squiggle, 40 features", known, -3, 0.01);
    add_group(&m, "luna", "luna(penalty=1)", "squiggle, 10 features", known, -6, 0.02);
    add_group(&m, "luna", "luna", "squiggle, 40 features", known, -99, 0);
    add_group(&m, "nlm", "nlm", "squiggle, 40 features", known, -5, 0);
    add_group(&m, "nlm", "nlm", "squiggle, 10 features", known, -6, 0);
    add_group(&m, "sngp", "sngp", "squiggle, 40 features", known, -2, 0);
    add_group(&m, "sngp", "sngp", "squiggle, 10 features", known, -5, 0.01);

    assert_near(una_transfer_slope(&m.findings, "luna(penalty=1)", 0, known), (-2.99 + 5.98) / 2, 1e-12, 0);
    assert_true(isnan(una_transfer_slope(&m.findings, "luna", 0, known)));
    assert_int_equal(claim_result(&m, "LUNA's log-likelihood rises faster than NLM's", expected_text, run), UNA_HOLDS);
    assert_says(expected_text, "1.50 against 0.50");
    assert_says(expected_text, "above 0 in 4 of 4");
    assert_int_equal(claim_result(&m, "LUNA's log-likelihood rises faster than SNGP's", expected_text, run), UNA_CANNOT_TELL);
    assert_int_equal(claim_result(&m, "LUNA's log-likelihood exceeds NLM's", expected_text, run), UNA_HOLDS);
    assert_says(expected_text, "with 40 features");
    assert_int_equal(claim_result(&m, "LUNA's log-likelihood exceeds SNGP's", expected_text, run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&m, "By evidence: LUNA's exceeds NLM's", expected_text, run), UNA_CANNOT_TELL);

    assert_int_equal(claim_result(&m, "prior variance 1: LUNA's exceeds NLM's", expected_text, run), UNA_CANNOT_TELL);
    add_group(&m, "luna", "luna(penalty=1)", "squiggle, 80 features", UNA_TRANSFER_FIRST_ALPHA + 1, -3, 0.01);
    add_group(&m, "nlm", "nlm", "squiggle, 80 features", UNA_TRANSFER_FIRST_ALPHA + 1, -4, 0.01);
    assert_int_equal(claim_result(&m, "prior variance 1: LUNA's exceeds NLM's", expected_text, run), UNA_HOLDS);

    m = (made_up){0};
    add_group(&m, "luna", "luna", "squiggle, 40 features", evidence, -3, 0.01);
    add_group(&m, "luna", "luna", "squiggle, 10 features", evidence, -6, 0.01);
    add_group(&m, "nlm", "nlm", "squiggle, 40 features", evidence, -2, 0);
    add_group(&m, "nlm", "nlm", "squiggle, 10 features", evidence, -6, 0);
    add_group(&m, "gp(a)", "gp(a)", una_transfer_bands[0].data, UNA_TRANSFER_BEFORE, -5, 0.1);
    add_group(&m, "gp(b)", "gp(b)", una_transfer_bands[1].data, UNA_TRANSFER_BEFORE, -3.5, 0);
    add_group(&m, "gp(c)", "gp(c)", una_transfer_bands[2].data, UNA_TRANSFER_BEFORE, -3.4, 0.01);
    assert_int_equal(claim_result(&m, "By evidence: LUNA's rises faster than NLM's", expected_text, run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&m, "By evidence: LUNA's exceeds NLM's", expected_text, run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&m, "Too little", expected_text, run), UNA_HOLDS);
    assert_int_equal(claim_result(&m, "Too much", expected_text, run), UNA_DOES_NOT_HOLD);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_their_law),
        cmocka_unit_test(features_are_in_the_name),
        cmocka_unit_test(measures_are_closed_forms),
        cmocka_unit_test(what_cannot_be_meant_is_refused),
        cmocka_unit_test(no_memory_is_no_crash),
        cmocka_unit_test(claims_follow_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
