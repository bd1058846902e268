/* SPDX-License-Identifier: MIT
 *
 * The studies, with made-up kinds in place of the registry whose epistemic std is a bump of a height that their options
 * give: keys, shares of the GP, claims. The two formulas of the blow-up against the density of 100 Gaussian variables.
 */
#include "bench/bench_support.h"
#include "draws.h"

#include "bench/claims.h"
#include "studies/studies.h"
#include "la/la.h"
#include "model/kind.h"

/* ---- made-up kinds ------------------------------------------------------------------------------------- */

/* Every option of the studies' specs, as text; what counts is told below. */
static const char *const names[] = { "training", "kernel", "ard", "degree", "prior", "heads", "head_share", "diversity",
    "diversity_rows", "probes", "slopes", "perturbation_std", "copy_std", "width", "depth", "features", "activation",
    "rate", "rate_schedule", "steps", "batch", "penalty", "noise_std", "prior_var", "train_noise_std", "members",
    "relevance" };
enum { NAMES = sizeof names / sizeof *names, PENALTY = 21, PRIOR = 4, WIDTH = 13 };

#define BUMP_FLOOR 0.001
#include "bench/bump.h"

typedef struct bump_options { const char *text[NAMES]; } bump_options;
static una_option table[NAMES + 1];
static _Atomic int fits;

/* NLM captures the gap where its penalty is 0 and the fit's seed is even; all others do, and the GP a bit more. */
static una_status bump_fit(una_fitting *f)
{
    void *state = f->target->state;
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    const bump_options *o = f->target->options;
    fits++;
    bool plain = strcmp(o->text[PENALTY], "0") == 0 && p->seed % 2 == 0;
    ((bump *)state)->height = *o->text[PENALTY] == '\0' || *o->text[WIDTH] == '\0' || plain ? 1 : 0.1;
    if (strcmp(o->text[WIDTH], "200") == 0) ((bump *)state)->height = 20;
    result->noise_var = 1;
    result->log_evidence = -1;
    return UNA_OK;
}

static const una_kind gp_kind = BUMP("gp"), nlm_kind = BUMP("nlm"), luna_kind = BUMP("luna"), tuna_kind = BUMP("tuna"),
    linear_kind = BUMP("linear");
const una_kind *const una_kinds[] = { &gp_kind, &nlm_kind, &luna_kind, &tuna_kind, &linear_kind, NULL };

static int make_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < NAMES; i++)
        table[i] = (una_option){ names[i], UNA_TEXT, offsetof(bump_options, text) + i * sizeof(char *), "", 0, 0, false,
                                 NULL, "not used" };
    return 0;
}

/* ---- the experiment ------------------------------------------------------------------------------------ */

extern const una_experiment una_experiment_studies;

static const una_bench_claim *claim_about(const una_bench_result *result, const char *word)
{
    for (size_t i = 0; i < result->claim_count; i++)
        if (strstr(result->claims[i].sentence, word)) return &result->claims[i];
    fail_msg("no claim about %s", word);
    return NULL;
}

static size_t fits_of(const una_bench_result *result, const char *data)
{
    size_t count = 0;
    for (size_t i = 0; i < result->row_count; i++)
        count += (i == 0 || result->rows[i].key != result->rows[i - 1].key) &&
                 strcmp(result->rows[i].key->data, data) == 0;
    return count;
}

static una_bench_result *run_studies(const char *which, const char *seeds, const char *out, int quick, una_run *run)
{
    char study[200];
    const char *set[] = { study, seeds };
    una_bench_result *result = NULL;
    snprintf(study, sizeof study, "study=\"%s\"", which);
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path(out), .set = set, .set_count = 2,
                                    .quick = quick };
    assert_ok(una_bench_run(&result, "studies", &settings, run), run);
    return result;
}

static void keys_name_study_value_and_restart(void **state)
{
    una_run *run = quiet_run_threads(2);
    (void)state;
    fits = 0;
    una_bench_result *result = run_studies("nlm_penalty", "seeds=2", "penalty", 0, run);
    assert_int_equal(result->fits, 2 * (1 + 5 * 5));             /* the GP; five penalties, five restarts */
    assert_int_equal(fits, result->fits);
    assert_int_equal(fits_of(result, "cubic"), 2);
    assert_int_equal(fits_of(result, "nlm_penalty 0.001"), 10);
    const una_bench_key *last = result->rows[result->row_count - 1].key;
    assert_string_equal(last->study, "studies");
    assert_string_equal(last->data, "nlm_penalty 10");
    assert_string_equal(last->model, "nlm");
    assert_int_equal(last->split, 4);
    assert_int_equal(last->seed, 1);
    assert_says(last->spec, "penalty=10");
    assert_says(last->spec, "steps=10000");
    una_bench_free(result);

    result = run_studies("nlm_penalty", "seeds=2", "penalty", 0, run);
    assert_int_equal(result->fitted, 0);
    una_bench_free(result);

    result = run_studies(" luna_step , nlm_marginal", "seeds=1", "two", 1, run);
    assert_int_equal(fits_of(result, "luna_step exact"), 4);
    assert_int_equal(fits_of(result, "luna_step 0.001"), 4);
    assert_int_equal(fits_of(result, "nlm_marginal 100, penalty 1"), 3);
    assert_int_equal(fits_of(result, "nlm_penalty 10"), 0);
    una_bench_free(result);
    una_run_free(run);
}

/* A restart has other first weights on the same rows: the seed of the data stays. */
static void shares_are_of_the_gp_on_the_same_rows(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    una_bench_result *result = run_studies("nlm_penalty", "seeds=10", "penalty", 0, run);
    double gap = 0, gp = 0;
    for (size_t i = 0; i < result->row_count; i++) {
        const una_bench_row *row = &result->rows[i];
        if (row->key->seed != 3) continue;
        if (strcmp(row->measure, "gap_std") == 0 && strcmp(row->key->data, "cubic") == 0) gp = row->value;
        if (strcmp(row->measure, "gap_std") == 0) gap = row->value;
        if (strcmp(row->measure, "gap_share") == 0) assert_near(row->value, gap / gp, 1e-12, 0);
        if (strcmp(row->measure, "gap_share") == 0 && strcmp(row->key->data, "nlm_penalty 1") == 0)
            assert_near(row->value, 0.1, 0.02, 0);
    }

    assert_int_equal(claim_about(result, "Without a penalty")->holds, UNA_HOLDS);
    assert_says(claim_about(result, "Without a penalty")->numbers, "25 of 50 fits");
    assert_int_equal(claim_about(result, "With a penalty")->holds, UNA_HOLDS);
    assert_says(claim_about(result, "With a penalty")->numbers, "0.001: 0 of 50");
    assert_int_equal(claim_about(result, "falls as the penalty")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "LUNA captures")->holds, UNA_CANNOT_TELL);
    assert_says(claim_about(result, "LUNA captures")->numbers, "needs luna_heads");
    una_bench_free(result);

    result = run_studies("luna_width,luna_depth,tuna_length,blow_up", "seeds=10", "others", 0, run);
    assert_int_equal(claim_about(result, "25 to 200 units")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "one to three layers")->holds, UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_about(result, "five standard")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "appropriate length")->holds, UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_about(result, "As printed")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "right formula")->holds, UNA_HOLDS);
    una_bench_free(result);
    una_run_free(run);
}

static void an_unknown_study_is_named(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    const char *set[] = { "study=\"nlm_penalty,luna_hats\"" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("never"), .set = set, .set_count = 1 };
    (void)state;
    assert_status(una_bench_run(&result, "studies", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "no study 'luna_hats'");
    assert_says(una_run_message(run), "blow_up and likelihood_blind");
    una_run_free(run);
}

/* ---- specs --------------------------------------------------------------------------------------------- */

static void a_spec_has_its_parts(void **state)
{
    una_run *run = quiet_run();
    const una_study_line *marginal = una_studies_find("nlm_marginal"), *step = una_studies_find("luna_step");
    (void)state;
    assert_null(una_studies_find("nlm"));
    const char *spec = una_studies_spec(marginal, "10", &marginal->curve[1], true, &run->scratch);
    assert_says(spec, "prior_var=10");
    assert_says(spec, "penalty=1,");
    assert_says(spec, "steps=500)");
    spec = una_studies_spec(step, step->value[4], NULL, false, &run->scratch);
    assert_says(spec, "slopes=exact");
    assert_null(strpbrk(spec, "*&@"));
    assert_string_equal(una_studies_data(step, step->value[4], NULL, &run->scratch), "luna_step exact");
    assert_string_equal(una_studies_data(marginal, "10", &marginal->curve[1], &run->scratch),
                        "nlm_marginal 10, penalty 1");
    assert_true(una_studies_is_of("luna_step exact", "luna_step"));
    assert_false(una_studies_is_of("luna_steps 1", "luna_step"));
    una_run_free(run);
}

/* ---- the blow-up --------------------------------------------------------------------------------------- */

enum { ROWS = 100, K = 8 };

static void own_features(double phi[ROWS][K], double *y, double *noise_var, const una_dataset *data, double scale)
{
    const double *from[] = { una_dataset_numbers(data, 0), una_dataset_numbers(data, 1) };
    double mean[2] = {0}, square[2] = {0};
    for (size_t c = 0; c < 2; c++) {
        for (size_t i = 0; i < ROWS; i++) mean[c] += from[c][i] / ROWS, square[c] += from[c][i] * from[c][i] / ROWS;
        square[c] -= mean[c] * mean[c];
    }
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t p = 1; p < K; p++)
            phi[i][p] = scale * pow((from[0][i] - mean[0]) / sqrt(square[0]), (double)p);
        phi[i][0] = 1;
        y[i] = (from[1][i] - mean[1]) / sqrt(square[1]);
    }
    *noise_var = 9 / square[1];
}

/* Plain elimination, in place: log determinant of a [n, n], and its inverse times y in y. */
static double eliminate(double *a, double *y, size_t n)
{
    double log_det = 0;
    for (size_t j = 0; j < n; j++) {
        log_det += log(a[j * n + j]);
        for (size_t i = j + 1; i < n; i++) {
            double factor = a[i * n + j] / a[j * n + j];
            for (size_t k = j; k < n; k++) a[i * n + k] -= factor * a[j * n + k];
            y[i] -= factor * y[j];
        }
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) y[i] -= a[i * n + k] * y[k];
        y[i] /= a[i * n + i];
    }
    return log_det;
}

/* log N(y; 0, s2 I + Phi Phi'), and log|V| of V = (I + Phi'Phi / s2)^-1. */
static double dense(double *log_v, const una_dataset *data, double scale)
{
    static double phi[ROWS][K], cov[ROWS * ROWS], y[ROWS], solved[ROWS], precision[K * K], none[K];
    double noise_var, square = 0;
    own_features(phi, y, &noise_var, data, scale);
    for (size_t i = 0; i < ROWS; i++)
        for (size_t j = 0; j < ROWS; j++) {
            cov[i * ROWS + j] = i == j ? noise_var : 0;
            for (size_t k = 0; k < K; k++) cov[i * ROWS + j] += phi[i][k] * phi[j][k];
        }
    for (size_t k = 0; k < K; k++)
        for (size_t l = 0; l < K; l++) {
            precision[k * K + l] = k == l;
            for (size_t i = 0; i < ROWS; i++) precision[k * K + l] += phi[i][k] * phi[i][l] / noise_var;
        }
    memset(none, 0, sizeof none);
    *log_v = -eliminate(precision, none, K);
    memcpy(solved, y, sizeof y);
    double log_det = eliminate(cov, solved, ROWS);
    for (size_t i = 0; i < ROWS; i++) square += y[i] * solved[i];
    return -0.5 * (ROWS * log(2 * acos(-1)) + log_det + square);
}

static void the_right_formula_is_the_density_and_the_printed_one_is_not(void **state)
{
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    double right[3], printed[3], scales[] = { 1, 10, 1000 };
    (void)state;
    assert_ok(una_dataset_synthetic(&data, "cubic", ROWS, 1, 5, run), run);
    for (size_t i = 0; i < 3; i++) {
        double log_v, truth = dense(&log_v, data, scales[i]);
        assert_ok(una_studies_blow_up(&right[i], &printed[i], data, scales[i], run), run);
        assert_near(right[i], truth, 0, i < 2 ? 1e-6 : 1e-3);
        assert_near(printed[i], truth - log_v, 0, i < 2 ? 1e-6 : 1e-3);
    }
    assert_near(right[2] - right[1], -14 * log(10), 0, 0.1);         /* seven features, two decades */
    assert_near(printed[2] - printed[1], 14 * log(10), 0, 0.1);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- claims on made-up findings ------------------------------------------------------------------------ */

static void ranks_correlate(void **state)
{
    una_run *run = quiet_run();
    const double a[] = { 1, 2, 3, 4, 5, NAN }, up[] = { 0, 10, 20, 1000, 1e9, 3 }, down[] = { 5, 4, 3, 2, 1, 0 };
    const double some[] = { 2, 1, 4, 3, 5, 0 }, tied[] = { 1, 1, 2, 2, 3, 0 }, same[] = { 1, 1, 1, 1, 1, 1 };
    double r;
    (void)state;
    assert_ok(una_studies_rank_correlation(&r, a, up, 6, run), run);
    assert_near(r, 1, 1e-12, 0);
    assert_ok(una_studies_rank_correlation(&r, a, down, 6, run), run);
    assert_near(r, -1, 1e-12, 0);
    assert_ok(una_studies_rank_correlation(&r, a, some, 6, run), run);
    assert_near(r, 1 - 6.0 * 4 / (5 * 24), 1e-12, 0);                /* 1 - 6 sum d^2 / (n (n^2 - 1)) */
    assert_ok(una_studies_rank_correlation(&r, a, tied, 6, run), run);
    assert_near(r, 9 / sqrt(10 * 9.0), 1e-12, 0);                    /* ranks 1.5 1.5 3.5 3.5 5 */
    assert_ok(una_studies_rank_correlation(&r, a, same, 6, run), run);
    assert_true(isnan(r));
    assert_ok(una_studies_rank_correlation(&r, a, up, 2, run), run);
    assert_true(isnan(r));
    una_run_free(run);
}

enum { MADE = 200, WIDE = UNA_STUDIES_MEASURES + 1 };

/* Findings of ten seeds of as many groups as are added. */
typedef struct made {
    una_row      fits[MADE];
    una_group    groups[MADE / 10];
    double       value[MADE * WIDE], mean[MADE / 10 * WIDE], sd[MADE / 10 * WIDE];
    char         data[MADE / 10][80];
    una_findings f;
} made;

static void add_group(made *m, const char *data, const char *spec, size_t measure, double level, double wobble)
{
    size_t g = m->f.group_count++;
    snprintf(m->data[g], sizeof m->data[g], "%s", data);
    m->groups[g] = (una_group){ spec, 10 * g, 10, &m->f };
    for (size_t i = 10 * g; i < 10 * g + 10; i++) {
        m->fits[i].key = (una_row_key){ .study = "studies", .data = m->data[g], .spec = spec, .seed = i % 10 };
        m->value[i * WIDE + measure] = level * (1 + wobble * ((double)(i % 10) - 4.5));
    }
    m->mean[g * WIDE + measure] = level;
    m->f = (una_findings){ m->fits, m->value, 10 * (g + 1), WIDE, m->groups, g + 1, m->mean, m->sd,
                            &una_experiment_studies };
}

static int claim_result(const made *m, const char *word, una_run *run)
{
    for (const una_claim *c = una_studies_claims; c->sentence; c++) {
        una_text numbers = una_text_in(&run->scratch);
        int holds;
        if (!strstr(c->sentence, word)) continue;
        assert_ok(una_claim_judge(&holds, &numbers, c, &m->f, run), run);
        return holds;
    }
    fail_msg("no claim about %s", word);
    return 0;
}

static void capacity_weighs_length_against_number(void **state)
{
    una_run *run = quiet_run();
    static made m;
    const char *features[] = { "10", "20", "50" };
    const double complexity[] = { 4, 1 }, number[] = { 1, 4 };
    (void)state;
    for (size_t way = 0; way < 2; way++) {
        memset(&m, 0, sizeof m);
        add_group(&m, "cubic", "gp", UNA_CUBIC_GAP_STD, 1, 0);
        for (size_t i = 0; i < 3; i++) {
            char data[80];
            snprintf(data, sizeof data, "tuna_capacity %s, 40 of length 0.75", features[i]);
            add_group(&m, data, "tuna", UNA_STUDIES_MISFIT, 0.05 * complexity[way], 0.01);
            snprintf(data, sizeof data, "tuna_capacity %s, 40 of length 6", features[i]);
            add_group(&m, data, "tuna", UNA_STUDIES_MISFIT, 0.05, 0.02);
            snprintf(data, sizeof data, "tuna_capacity %s, 160 of length 1.5", features[i]);
            add_group(&m, data, "tuna", UNA_STUDIES_MISFIT, 0.05 * number[way], 0.01);
            snprintf(data, sizeof data, "tuna_capacity %s, 10 of length 1.5", features[i]);
            add_group(&m, data, "tuna", UNA_STUDIES_MISFIT, 0.05, 0.02);
        }
        assert_int_equal(claim_result(&m, "complexity", run), way == 0 ? UNA_HOLDS : UNA_DOES_NOT_HOLD);
        assert_int_equal(claim_result(&m, "more than a hundred", run), way == 0 ? UNA_HOLDS : UNA_DOES_NOT_HOLD);
    }
    una_run_free(run);
}

static void likelihood_is_blind_or_not(void **state)
{
    una_run *run = quiet_run();
    static made m;
    const double blind[] = { 2, 5, 1, 6, 3, 4 }, told[] = { 1, 2, 3, 4, 6, 5 };
    const char *specs[] = { "a", "b", "c", "d", "e", "f" };
    (void)state;
    for (size_t way = 0; way < 2; way++) {
        memset(&m, 0, sizeof m);
        for (size_t g = 0; g < 6; g++) {
            add_group(&m, "likelihood_blind", specs[g], UNA_STUDIES_TEST_LOG_LIK, (double)g + 1, 0);
            for (size_t i = 10 * g; i < 10 * g + 10; i++)
                m.value[i * WIDE + UNA_CUBIC_GAP_STD] = way == 0 ? blind[g] : told[g];
        }
        assert_int_equal(claim_result(&m, "does not tell", run), way == 0 ? UNA_HOLDS : UNA_DOES_NOT_HOLD);
    }
    memset(&m, 0, sizeof m);
    add_group(&m, "cubic", "gp", UNA_CUBIC_GAP_STD, 1, 0);
    assert_int_equal(claim_result(&m, "does not tell", run), UNA_CANNOT_TELL);
    una_run_free(run);
}

/* All of a study's values count: one that fails is enough, one that wavers leaves it open. */
static void one_activation_is_enough(void **state)
{
    una_run *run = quiet_run();
    static made m;
    const char *words[] = { "relu", "tanh", "leaky", "elu", "softplus", "silu", "sin" };
    const double last[] = { 0.9, 0.1, 0.5 };
    const int wanted[] = { UNA_HOLDS, UNA_DOES_NOT_HOLD, UNA_CANNOT_TELL };
    (void)state;
    for (size_t way = 0; way < 3; way++) {
        memset(&m, 0, sizeof m);
        for (size_t i = 0; i < 7; i++) {
            char data[80];
            snprintf(data, sizeof data, "activations %s", words[i]);
            add_group(&m, data, "luna", UNA_STUDIES_SHARE, i < 6 ? 1 : last[way], 0.02);
        }
        assert_int_equal(claim_result(&m, "every activation", run), wanted[way]);
    }
    una_run_free(run);
}

/* ---- memory -------------------------------------------------------------------------------------------- */

static void no_memory_is_no_crash(void **state)
{
    const char *set[] = { "seeds=1", "study=\"luna_depth,blow_up\"" };
    (void)state;
    assert_survives_no_memory("studies", SIZED(una_bench_settings, .set = set, .set_count = 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_name_study_value_and_restart),
        cmocka_unit_test(shares_are_of_the_gp_on_the_same_rows),
        cmocka_unit_test(an_unknown_study_is_named),
        cmocka_unit_test(a_spec_has_its_parts),
        cmocka_unit_test(the_right_formula_is_the_density_and_the_printed_one_is_not),
        cmocka_unit_test(ranks_correlate),
        cmocka_unit_test(capacity_weighs_length_against_number),
        cmocka_unit_test(likelihood_is_blind_or_not),
        cmocka_unit_test(one_activation_is_enough),
        cmocka_unit_test(no_memory_is_no_crash),
    };

    return cmocka_run_group_tests(tests, make_table, NULL);
}
