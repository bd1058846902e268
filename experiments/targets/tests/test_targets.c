/* SPDX-License-Identifier: MIT
 *
 * Two targets: the law of their rows, which fits are wanted, measures against closed forms for a made-up kind in place
 * of the registry, and claims on made-up findings.
 */
#include "bench/bench_support.h"
#include "draws.h"

#include "targets/targets.h"
#include "data/columns.h"
#include "model/kind.h"

/* ---- a made-up kind: the mean of its rows everywhere, as unsure of it as it is told ---------------------------- */

typedef struct flat { double var; } flat;
typedef struct flat_options { double var; int target_cosine; } flat_options;
static _Atomic size_t fits, rows_seen;
static const double flat_noise = 0.5;                            /* variance, standardised */

static const una_option table[] = {
    { "var", UNA_REAL, offsetof(flat_options, var), "1", 0, 1e9, false, NULL, "of the function" },
    { "target_cosine", UNA_WORD, offsetof(flat_options, target_cosine), "summed", 0, 0, false, "summed|jacobian",
      "not used" },
    { .name = NULL }
};

static una_status flat_fit(una_fitting *f)
{
    void *state = f->target->state;
    void *options = f->target->options;
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    fits++;
    rows_seen += p->x.rows;
    ((flat *)state)->var = ((flat_options *)options)->var;
    result->noise_var = flat_noise;
    result->log_evidence = -1;
    return UNA_OK;
}

static una_status flat_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        out->mean[r] = 0;
        out->var_model[r] = ((const flat *)state)->var;
        out->var_noise[r] = flat_noise;
    }
    return UNA_OK;
}

static una_status flat_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "var", &((flat *)state)->var);
}

#define FLAT(its_name)                                                                                                \
    { .name = its_name, .summary = "flat", .source = "nobody", .options = table, .options_size = sizeof(flat_options), \
      .state_size = sizeof(flat), .thesis = "", .least_rows = 4, .fit = flat_fit, .predict = flat_predict,             \
      .exchange = flat_exchange }
static const una_kind luna_kind = FLAT("luna"), gp_kind = FLAT("gp");
const una_kind *const una_kinds[] = { &luna_kind, &gp_kind, NULL };

extern const una_experiment una_experiment_targets;

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* Correlation of what was added to the functions, over the rows that have both; the std of a's to *std. */
static double added(double *std, const una_dataset *data, una_targets_law law)
{
    const double *x = una_dataset_numbers(data, 0), *a = una_dataset_numbers(data, 1);
    const double *b = una_dataset_numbers(data, 2);
    double aa = 0, bb = 0, ab = 0, count = 0;
    for (size_t i = 0; i < una_dataset_row_count(data); i++) {
        double fa, fb;
        una_targets_functions(&fa, &fb, law, x[i]);
        assert_true(!isnan(b[i]));
        if (isnan(a[i])) continue;
        aa += (a[i] - fa) * (a[i] - fa);
        bb += (b[i] - fb) * (b[i] - fb);
        ab += (a[i] - fa) * (b[i] - fb);
        count++;
    }
    *std = sqrt(aa / count);
    return ab / sqrt(aa * bb);
}

static void rows_by_their_law(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    for (una_targets_law law = UNA_RELATED; law < UNA_TARGETS_LAWS; law++) {
        una_targets_rows rows;
        double std, correlation = law == UNA_CORRELATED ? 0.8 : 0;
        assert_ok(una_targets_rows_make(&rows, law, 3, run), run);
        const double *x = una_dataset_numbers(rows.train, 0), *a = una_dataset_numbers(rows.train, 1);
        for (size_t i = 0; i < UNA_TARGETS_TRAIN; i++) {
            assert_true(fabs(x[i]) <= 4);
            assert_true(isnan(a[i]) == (law == UNA_RELATED && fabs(x[i]) < 1.5));
        }
        for (size_t i = 0; i < UNA_TARGETS_TEST; i++) {
            assert_true(fabs(una_dataset_numbers(rows.gap, 0)[i]) <= 1.5);
            if (law == UNA_RELATED) assert_true(fabs(una_dataset_numbers(rows.outside, 0)[i]) >= 1.5);
        }
        assert_near(added(&std, rows.gap, law), correlation, 0, 0.1);
        assert_near(std, 0.5, 0.1, 0);
        assert_near(added(&std, rows.outside, law), correlation, 0, 0.1);
        assert_true(isfinite(added(&std, rows.train, law)));
    }
    una_run_free(run);
}

static void functions_are_related(void **state)
{
    (void)state;
    for (double x = -4; x <= 4; x += 0.5) {
        double a, b;
        una_targets_functions(&a, &b, UNA_RELATED, x);
        assert_near(a, 2 * b + x * x / 4 - x, 0, 1e-12);
    }
    assert_int_equal(una_targets_law_of("related, apart"), UNA_RELATED);
    assert_int_equal(una_targets_law_of("noise, together"), UNA_CORRELATED);
    assert_int_equal(una_targets_law_of("else"), UNA_TARGETS_LAWS);
    assert_true(una_targets_is_joint("noise, together") && !una_targets_is_joint("noise, apart"));
    assert_near(una_targets_point(0), -4, 0, 0);
    assert_near(una_targets_point(UNA_TARGETS_POINTS - 1), 4, 0, 0);
}

/* ---- a run ----------------------------------------------------------------------------------------------------- */

static double value_of(const una_bench_result *result, const char *spec, const char *data, const char *measure)
{
    for (size_t i = 0; i < result->row_count; i++) {
        const una_bench_key *key = result->rows[i].key;
        if (strcmp(key->data, data) == 0 && strcmp(key->spec, spec) == 0 && key->seed == 1 &&
            strcmp(result->rows[i].measure, measure) == 0)
            return result->rows[i].value;
    }
    fail_msg("no %s of %s on %s", measure, spec, data);
    return NAN;
}

/* The mean and the variance of the cells of a target that are there. */
static double mean_of(double *var, const una_dataset *data, size_t target)
{
    const double *y = una_dataset_numbers(data, 1 + target);
    double sum = 0, square = 0, n = 0;
    for (size_t i = 0; i < una_dataset_row_count(data); i++)
        if (!isnan(y[i])) sum += y[i], n++;
    for (size_t i = 0; i < una_dataset_row_count(data); i++)
        if (!isnan(y[i])) square += (y[i] - sum / n) * (y[i] - sum / n);
    *var = square / n;
    return sum / n;
}

static double flat_log_lik(const una_dataset *from, const una_dataset *at, size_t target, double function_var)
{
    double var, mean = mean_of(&var, from, target), all = (function_var + flat_noise) * var, sum = 0;
    const double *y = una_dataset_numbers(at, 1 + target);
    for (size_t i = 0; i < UNA_TARGETS_TEST; i++)
        sum += -0.5 * log(2 * acos(-1) * all) - (y[i] - mean) * (y[i] - mean) / (2 * all);
    return sum / UNA_TARGETS_TEST;
}

static void measures_are_closed_forms(void **state)
{
    static const char *const ways[] = { "related, together", "related, apart" };
    una_run *run = quiet_run_threads(2);
    una_bench_result *result = NULL;
    const char *models[] = { "luna(var=2)", "luna(var=2, target_cosine=jacobian)", "gp(var=3)" }, *set = "seeds=2";
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("run"), .models = models,
                                    .model_count = 3, .set = &set, .set_count = 1 };
    una_targets_rows rows;
    double var;
    (void)state;
    assert_ok(una_bench_run(&result, "targets", &settings, run), run);
    assert_int_equal(result->fits, 2 * 3 * (2 + 1 + 2));         /* whole Jacobians only together */
    assert_ok(una_targets_rows_make(&rows, UNA_RELATED, 1, run), run);
    mean_of(&var, rows.train, 0);

    for (size_t w = 0; w < 2; w++) {
        double a = flat_log_lik(rows.train, rows.outside, 0, 2), b = flat_log_lik(rows.train, rows.outside, 1, 2);
        assert_near(value_of(result, "luna(var=2)", ways[w], "log_lik_a"), a, 1e-9, 0);
        assert_near(value_of(result, "luna(var=2)", ways[w], "log_lik_b"), b, 1e-9, 0);
        assert_near(value_of(result, "luna(var=2)", ways[w], "joint_log_lik"), a + b, 1e-9, 0);
        assert_near(value_of(result, "luna(var=2)", ways[w], "gap_log_lik_a"),
                    flat_log_lik(rows.train, rows.gap, 0, 2), 1e-9, 0);
        assert_near(value_of(result, "luna(var=2)", ways[w], "gap_std_a"), sqrt(2 * var), 1e-9, 0);
        assert_near(value_of(result, "luna(var=2)", ways[w], "std_40"), sqrt(2 * var), 1e-9, 0);
        assert_near(value_of(result, "luna(var=2)", ways[w], "gap_inside_a"), 1, 0, 0);
        assert_near(value_of(result, "luna(var=2)", ways[w], "correlation"), 0, 0, 1e-12);
    }
    assert_true(isnan(value_of(result, "gp(var=3)", "independent, apart", "mean_00")));
    una_bench_free(result);
    assert_int_equal(access(temp_path("run/targets-gap.svg"), R_OK), 0);
    assert_int_equal(access(temp_path("run/targets-independent.tex"), R_OK), 0);
    una_run_free(run);
}

static void sets_are_chosen(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    const char *model = "gp", *set[] = { "seeds=1", "sets=\"noise, related\"" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("sets"), .models = &model,
                                    .model_count = 1, .set = set, .set_count = 2 };
    (void)state;
    assert_ok(una_bench_run(&result, "targets", &settings, run), run);
    assert_int_equal(result->fits, 4);
    una_bench_free(result);
    set[1] = "sets=\"noise,relate\"";
    assert_status(una_bench_run(&result, "targets", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "no data set 'relate'; there are related, independent and noise");
    una_run_free(run);
}

/* Apart, a model of a sees the rows of a alone, and no other column. */
static void a_target_uses_the_rows_it_has(void **state)
{
    una_run *run = quiet_run();
    una_targets_rows rows;
    una_targets_fit fit;
    size_t there = 0;
    una_row_key key = { "targets", "related, apart", 0, "gp", 5, 1 };
    (void)state;
    assert_ok(una_targets_rows_make(&rows, UNA_RELATED, 5, run), run);
    for (size_t i = 0; i < UNA_TARGETS_TRAIN; i++) there += isnan(una_dataset_numbers(rows.train, 1)[i]) ? 0 : 1;
    assert_true(there > 40 && there < 85);
    for (size_t w = 0; w < 2; w++) {
        key.data = w ? "related, together" : "related, apart";
        fits = rows_seen = 0;
        assert_ok(una_targets_fit_make(&fit, &key, &rows, run), run);
        assert_int_equal(fits, 2);
        assert_int_equal(rows_seen, there + UNA_TARGETS_TRAIN);
        assert_int_equal(una_model_info(fit.part[0])->rows, there);
        assert_int_equal(una_model_input_count(fit.part[0]), 1);
        assert_string_equal(una_model_info(fit.part[1])->target, "b");
    }
    una_run_free(run);
}

static void no_memory_is_no_crash(void **state)
{
    const char *models[] = { "luna(var=2)" }, *set[] = { "seeds=1" };
    (void)state;
    assert_survives_no_memory("targets", SIZED(una_bench_settings, .models = models, .model_count = 1, .set = set,
                                               .set_count = 1));
}

/* ---- claims ---------------------------------------------------------------------------------------------------- */

#define EXPERIMENT una_experiment_targets
enum { MEASURES = UNA_TARGETS_MEASURES + 1 };
#include "bench/made_up.h"

static void claims_follow_the_numbers(void **state)
{
    static const struct { double base, wobble; int holds; } same[] = {
        { -1.03, 0.005, UNA_HOLDS }, { -0.97, 0.005, UNA_HOLDS }, { -1.1, 0.005, UNA_DOES_NOT_HOLD },
        { -0.9, 0.005, UNA_DOES_NOT_HOLD }, { -1.03, 0.1, UNA_CANNOT_TELL } };
    static const char jacobian[] = "luna(target_cosine=jacobian)";
    una_run *run = quiet_run();
    static made_up m;
    char expected_text[512];
    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        m = (made_up){ .findings.count = 0 };
        assert_int_equal(claim_result(&m, "NLM\xE2\x80\x99s joint", expected_text, run), UNA_CANNOT_TELL);
        assert_says(expected_text, "needs nlm");
        add_group(&m, "nlm", "nlm", "independent, together", UNA_TARGETS_JOINT, same[i].base, same[i].wobble);
        assert_int_equal(claim_result(&m, "NLM\xE2\x80\x99s joint", expected_text, run), UNA_CANNOT_TELL);
        add_group(&m, "nlm", "nlm", "independent, apart", UNA_TARGETS_JOINT, -1, 0);
        assert_int_equal(claim_result(&m, "NLM\xE2\x80\x99s joint", expected_text, run), same[i].holds);
        assert_says(expected_text, "within 0.05 asked");
    }

    m = (made_up){ .findings.count = 0 };
    add_group(&m, "luna", jacobian, "related, together", UNA_TARGETS_GAP_STD_A, 3, 0.01);
    add_group(&m, "luna", "luna", "related, together", UNA_TARGETS_GAP_STD_A, 1, 0.01);
    add_group(&m, "luna", "luna", "related, apart", UNA_TARGETS_GAP_STD_A, 2, 0.01);
    add_group(&m, "luna", "luna", "noise, together", UNA_TARGETS_JOINT, -1, 0.01);
    add_group(&m, "luna", "luna", "noise, apart", UNA_TARGETS_JOINT, -1.5, 0);
    assert_int_equal(claim_result(&m, "LUNA is surer", expected_text, run), UNA_HOLDS);
    assert_says(expected_text, "1.015 together, 2.015 apart");
    assert_int_equal(claim_result(&m, "whole Jacobians is surer", expected_text, run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&m, "LUNA together is likelier", expected_text, run), UNA_HOLDS);
    assert_int_equal(claim_result(&m, "with whole Jacobians it is likelier", expected_text, run), UNA_CANNOT_TELL);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_by_their_law),
        cmocka_unit_test(functions_are_related),
        cmocka_unit_test(measures_are_closed_forms),
        cmocka_unit_test(sets_are_chosen),
        cmocka_unit_test(a_target_uses_the_rows_it_has),
        cmocka_unit_test(no_memory_is_no_crash),
        cmocka_unit_test(claims_follow_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
