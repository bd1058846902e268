/* SPDX-License-Identifier: MIT
 *
 * Knowledge as reference functions, with made-up kinds in place of the registry, whose answers are known: distances
 * against closed forms, the rows, the measures, the claims, the parts that may be asked for.
 */
#include "bench/bench_support.h"
#include "draws.h"

#include "knowledge/knowledge.h"
#include "la/la.h"
#include "model/kind.h"

/* ---- made-up kinds ------------------------------------------------------------------------------------------- */

/* What the kinds answer, for the tests to change: the std of a model with its kernel on x1 along x2; the noise with
 * which a model of sines and one of tuned priors are judged; how much larger than its target a prior is that is not
 * matched. */
static double slope_along_x2 = 0, best_std = 1, prior_scale = 3;

typedef struct made_options {
    const char *prior, *tune_prior, *formula, *grid, *heads, *match_prior, *features, *activation, *steps, *penalty,
               *kernel, *ard;
} made_options;
typedef struct made { double x2, std, scale; } made;

#define TEXT(field) { #field, UNA_TEXT, offsetof(made_options, field), "", 0, 0, false, NULL, "made up" }
static const una_option table[] = {
    TEXT(prior), TEXT(tune_prior), TEXT(formula), TEXT(grid), TEXT(heads), TEXT(match_prior), TEXT(features),
    TEXT(activation), TEXT(steps), TEXT(penalty), TEXT(kernel), TEXT(ard), { .name = NULL }
};

static una_status made_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    const made_options *o = f->target->options;
    made *m = f->target->state;
    bool strip = strstr(o->prior, "on=x1") || strstr(o->kernel, "on=x1");
    bool knows = *o->formula || *o->tune_prior;
    m->x2 = p->x.cols < 2 ? 0 : strip ? slope_along_x2 : 1;
    m->std = knows ? best_std : 20;
    m->scale = *o->match_prior ? 1 : prior_scale;
    result->noise_var = 0.01;
    result->log_evidence = -1;
    return UNA_OK;
}

/* Standardised std 0.1 + x1^2 + x2^2 with two inputs; with one, what the kind is told. */
static una_status made_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const made *m = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        const double *at = x.at + r * x.stride;
        double std = x.cols > 1 ? 0.1 + at[0] * at[0] + m->x2 * at[1] * at[1] : m->std * (1 + at[0] * at[0]);
        out->mean[r] = 0;
        out->var_model[r] = std * std;
        out->var_noise[r] = 0.01;
    }
    return UNA_OK;
}

/* Straight lines through 0 with slopes of that scale. */
static una_status made_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const made *m = state;
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_TEST, 0);
    assert_true(how->prior);
    for (size_t d = 0; d < how->draws; d++) {
        double slope = m->scale * una_rng_normal(&rng);
        for (size_t r = 0; r < x.rows; r++) f[d * x.rows + r] = slope * x.at[r * x.stride];
    }
    return UNA_OK;
}

static una_status made_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    (void)state;
    (void)run;
    *count = 40;
    for (size_t i = 0; f && i < 40 * x.rows; i++) f[i] = (double)(i / x.rows) / 10 - 2;
    return UNA_OK;
}

static una_status made_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "std", &((made *)state)->std);
}

#define MADE(its_name) { .name = its_name, .summary = "made up", .source = "nobody", .options = table, \
    .options_size = sizeof(made_options), .state_size = sizeof(made), .thesis = "", .least_rows = 4, .fit = made_fit, \
    .predict = made_predict, .exchange = made_exchange, .draw = made_draw, .functions = made_functions }
static const una_kind tuna_kind = MADE("tuna"), gp_kind = MADE("gp"), nlm_kind = MADE("nlm"), luna_kind = MADE("luna");
const una_kind *const una_kinds[] = { &tuna_kind, &gp_kind, &nlm_kind, &luna_kind, NULL };

/* ---- distances ----------------------------------------------------------------------------------------------- */

static void energy_by_hand(void **state)
{
    (void)state;
    const double a[] = { 0, 2 }, b[] = { 1, 5 };
    assert_near(una_energy_distance(a, 2, b, 2, 1), 2 * 2.5 - 2 - 4, 1e-15, 0);
    const double p[] = { 0, 0, 3, 4 }, q[] = { 0, 0, 3, 4 };     /* of length 5/sqrt 2, twice */
    assert_near(una_energy_distance(p, 2, q, 2, 2), 2 * (5 / sqrt(2)) / 2 - 2 * (5 / sqrt(2)), 1e-14, 0);
}

/* E|Z| for Z ~ N(m, s^2), the folded normal distribution. */
static double folded(double m, double s)
{
    return s * sqrt(2 / 3.14159265358979323846) * exp(-m * m / (2 * s * s)) + m * (1 - 2 * una_normal_cdf(-m / s));
}

static void energy_of_two_gaussians(void **state)
{
    (void)state;
    enum { N = 2000, D = 5 };
    static double a[N * D], b[N * D];
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < N; i++) a[i] = una_rng_normal(&rng), b[i] = 1 + 2 * una_rng_normal(&rng);
    double exact = 2 * folded(1, sqrt(5)) - folded(0, sqrt(2)) - folded(0, sqrt(8));
    assert_near(una_energy_distance(a, N, b, N, 1), exact, 0, 0.04);

    /* N(0, I) and N(0, 9 I) in D dimensions: E|N(0, s^2 I)| = s sqrt 2 G((D + 1)/2) / G(D/2), here over sqrt D. */
    double unit = sqrt(2.0 / D) * exp(lgamma((D + 1) / 2.0) - lgamma(D / 2.0));
    for (size_t i = 0; i < N * D; i++) a[i] = una_rng_normal(&rng), b[i] = 3 * una_rng_normal(&rng);
    exact = unit * (2 * sqrt(10) - sqrt(2) - sqrt(18));
    assert_near(una_energy_distance(a, N, b, N, D), exact, 0, 0.05);
    for (size_t i = 0; i < N * D; i++) b[i] = una_rng_normal(&rng);
    assert_near(una_energy_distance(a, N, b, N, D), 0, 0, 0.005);        /* without a difference */
}

static void kl_in_closed_form(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double p[] = { 4, 0, 0, 1 }, q[] = { 1, 0, 0, 9 }, r[] = { 2, 0.6, 0.6, 1 };
    double kl;
    assert_ok(una_gaussian_kl(&kl, p, q, 2, run), run);
    assert_near(kl, (4.0 - 1 - log(4) + 1.0 / 9 - 1 - log(1.0 / 9)) / 2, 1e-14, 0);
    assert_ok(una_gaussian_kl(&kl, r, r, 2, run), run);
    assert_near(kl, 0, 0, 1e-14);
    double det = 2 * 1 - 0.36, trace = (4 * 1 + 1 * 2) / det;            /* tr r^-1 p */
    assert_ok(una_gaussian_kl(&kl, p, r, 2, run), run);
    assert_near(kl, (trace - 2 + log(det) - log(4)) / 2, 1e-14, 0);

    const double none[] = { 1, 2, 2, 1 };
    assert_status(una_gaussian_kl(&kl, none, q, 2, run), UNA_E_NUMERIC, run);
    assert_status(una_gaussian_kl(&kl, q, none, 2, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "second covariance");
    const double f[] = { 1, 2, 3, -4 };
    double moment[4];
    una_second_moment(moment, f, 2, 2);
    assert_arrays_near(moment, ((const double[]){ 5, -5, -5, 10 }), 4, 1e-15, 0);
    una_run_free(run);
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

static void rows_have_the_stated_values(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_know_rows r, again;
    una_arena_init(&arena, run);

    assert_ok(una_know_rows_make(&r, "sine", 3, &arena, run), run);
    for (size_t i = 0; i < r.train.rows; i++) assert_true(r.train.x[i] >= 0 && r.train.x[i] <= 10);
    for (size_t i = 0; i < r.beyond.rows; i++)
        assert_true((r.beyond.x[i] > -10 && r.beyond.x[i] < 0) || (r.beyond.x[i] > 10 && r.beyond.x[i] < 20));
    assert_ok(una_know_rows_make(&again, "sine", 3, &arena, run), run);
    assert_memory_equal(r.train.y, again.train.y, r.train.rows * sizeof(double));
    assert_ok(una_know_rows_make(&again, "sine", 4, &arena, run), run);
    assert_true(r.train.y[0] != again.train.y[0]);

    assert_ok(una_know_rows_make(&r, "strip", 3, &arena, run), run);
    for (size_t i = 0; i < r.train.rows; i++) {
        assert_true(hypot(r.train.x[2 * i], r.train.x[2 * i + 1]) <= 2);
        assert_near(r.train.f[i], pow(r.train.x[2 * i], 3), 1e-12, 1e-12);
    }
    assert_ok(una_know_rows_make(&r, "tune", 3, &arena, run), run);
    for (size_t i = 0; i < r.train.rows; i++) assert_true(fabs(r.train.x[i]) >= 1 && fabs(r.train.x[i]) <= 4);
    assert_status(una_know_rows_make(&r, "sinus", 3, &arena, run), UNA_E_USAGE, run);
    una_arena_free(&arena);
    una_run_free(run);
}

/* Variance 1 and correlation exp(-d^2/2). */
static void the_target_process_has_its_kernel(void **state)
{
    (void)state;
    enum { N = 4000, P = UNA_PRIOR_POINTS };
    static double f[N * P], moment[P * P];
    una_run *run = quiet_run();
    assert_ok(una_prior_of_process(f, N, 7, run), run);
    una_second_moment(moment, f, N, P);
    for (size_t j = 0; j < P; j++) {
        double away = una_prior_place(j) - una_prior_place(4);
        assert_near(moment[4 * P + j], exp(-away * away / 2), 0, 0.08);
    }
    una_run_free(run);
}

/* ---- the experiment ------------------------------------------------------------------------------------------ */

static const una_bench_claim *claim_about(const una_bench_result *result, const char *word)
{
    for (size_t i = 0; i < result->claim_count; i++)
        if (strstr(result->claims[i].sentence, word)) return &result->claims[i];
    fail_msg("no claim about %s", word);
    return NULL;
}

static una_bench_result *knowledge_in(const char *folder, const char *parts, una_run *run)
{
    una_bench_result *result = NULL;
    char text[64];
    const char *set[] = { "seeds=4", text }, *models[] = { "nlm" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path(folder), .set = set, .set_count = 2,
                                    .models = models, .model_count = 1 };
    snprintf(text, sizeof text, "parts=\"%s\"", parts);
    assert_ok(una_bench_run(&result, "knowledge", &settings, run), run);
    return result;
}

static double value_of(const una_bench_result *result, const char *spec_part, const char *measure)
{
    for (size_t i = 0; i < result->row_count; i++)
        if (strstr(result->rows[i].key->spec, spec_part) && strcmp(result->rows[i].measure, measure) == 0)
            return result->rows[i].value;
    fail_msg("no %s of %s", measure, spec_part);
    return NAN;
}

static void claims_that_hold(void **state)
{
    (void)state;
    una_run *run = quiet_run_threads(2);
    una_bench_result *result = knowledge_in("holds", "sine, strip,prior,tune", run);
    assert_int_equal(claim_about(result, "Sine references")->holds, UNA_HOLDS);
    assert_says(claim_about(result, "Sine references")->numbers, "4 of 4");
    assert_int_equal(claim_about(result, "doubt widens")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "reverts")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "kernel on x1 alone")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "isotropic kernel")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "energy distance")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "too short")->holds, UNA_HOLDS);
    assert_int_equal(claim_about(result, "too long")->holds, UNA_HOLDS);

    assert_near(value_of(result, "on=x1", "along_ratio"), 0, 0, 1e-12);
    assert_true(value_of(result, "on=x1", "along_x1") > 1);
    assert_true(value_of(result, "on=x1", "outside_std") > value_of(result, "on=x1", "disc_std"));
    assert_near(value_of(result, "tuna(prior=rbf(length=0.1)", "length"), 0.1, 0, 0);
    assert_true(isnan(value_of(result, "on=x1", "kl")));
    assert_int_equal(access(temp_path("holds/knowledge-sine.svg"), R_OK), 0);
    assert_int_equal(access(temp_path("holds/knowledge-prior.tex"), R_OK), 0);
    una_bench_free(result);
    una_run_free(run);
}

static void claims_that_do_not_hold(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_run *run = quiet_run_threads(2);
    slope_along_x2 = 0.3, best_std = 400, prior_scale = 0.9;
    una_bench_result *result = knowledge_in("fails", "sine,strip,tune", run);
    slope_along_x2 = 0, best_std = 1, prior_scale = 3;
    assert_int_equal(claim_about(result, "Sine references")->holds, UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_about(result, "kernel on x1 alone")->holds, UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_about(result, "too short")->holds, UNA_DOES_NOT_HOLD);
    una_bench_free(result);

    result = knowledge_in("strip only", "strip", run);
    assert_int_equal(claim_about(result, "Sine references")->holds, UNA_CANNOT_TELL);
    assert_says(claim_about(result, "Sine references")->numbers, "needs the part sine");
    assert_int_equal(result->fits, 4 * 4);                               /* nlm stands beside sines alone */
    una_bench_free(result);
    una_run_free(run);
}

/* Every spec of the cast is one that keys take, and no two roles of a part are the same. */
static void quick_has_fewer_roles(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    size_t full = 0, quick = 0;
    una_arena_init(&arena, run);
    for (const una_role *role = una_knowledge_cast; role->part; role++) {
        const char *spec;
        assert_ok(una_role_spec(&spec, role, false, &arena), run);
        assert_string_equal(spec, role->spec);
        full++;
        assert_ok(una_role_spec(&spec, role, true, &arena), run);
        if (!spec) continue;
        quick++;
        assert_true(strlen(spec) == strlen(role->spec) + strlen(role->quick));
        assert_true(spec[strlen(spec) - 1] == ')');
        for (const una_role *other = una_knowledge_cast; other < role; other++)
            assert_false(strcmp(other->part, role->part) == 0 && strcmp(other->spec, role->spec) == 0);
    }
    assert_true(quick < full);
    una_arena_free(&arena);
    una_run_free(run);
}

static void parts_that_are_refused(void **state)
{
    static const char *const bad[] = { "parts=sinus", "parts=\"sine,\"", "parts=\"\"", "parts=\"sine;tune\"" };
    (void)state;
    assert_sets_refused("knowledge", bad, sizeof bad / sizeof *bad, "its parts are sine, strip, prior and tune");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_by_hand),
        cmocka_unit_test(energy_of_two_gaussians),
        cmocka_unit_test(kl_in_closed_form),
        cmocka_unit_test(rows_have_the_stated_values),
        cmocka_unit_test(the_target_process_has_its_kernel),
        cmocka_unit_test(claims_that_hold),
        cmocka_unit_test(claims_that_do_not_hold),
        cmocka_unit_test(quick_has_fewer_roles),
        cmocka_unit_test(parts_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
