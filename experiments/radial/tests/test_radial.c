/* SPDX-License-Identifier: MIT
 *
 * The Radial Uncertainty Benchmark: its data, its measures on doubt that is known, the choice of the search, and whole
 * runs with made-up kinds whose std is a cone, a + b |x|.
 */
#include "draws.h"
#include "test_support.h"

#include "bench/claims.h"
#include "radial/radial.h"
#include "model/kind.h"

/* ---- made-up kinds ---------------------------------------------------------------------------------------------- */

enum { INPUTS = 3 };
typedef struct cone { double a, b, centre[INPUTS], scale[INPUTS], y_scale; } cone;
typedef struct cone_options { double a, b, amplitude, restarts; const char *kernel; int ard, noise; } cone_options;

static const una_option table[] = {
    { "a", UNA_REAL, offsetof(cone_options, a), "0.1", 0, 99, false, NULL, "std at the centre" },
    { "b", UNA_REAL, offsetof(cone_options, b), "0.1", 0, 99, false, NULL, "its slope" },
    { "amplitude", UNA_REAL, offsetof(cone_options, amplitude), "1", 0, 99, false, NULL, "not used" },
    { "restarts", UNA_COUNT, offsetof(cone_options, restarts), "1", 0, 99, false, NULL, "not used" },
    { "kernel", UNA_TEXT, offsetof(cone_options, kernel), "", 0, 0, false, NULL, "not used" },
    { "ard", UNA_FLAG, offsetof(cone_options, ard), "no", 0, 0, false, NULL, "not used" },
    { "noise", UNA_WORD, offsetof(cone_options, noise), "constant", 0, 0, false, "constant|varying", "not used" },
    { .name = NULL }
};

static una_status cone_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    const cone_options *o = f->target->options;
    cone *c = f->target->state;
    *c = (cone){ .a = o->a, .b = o->b, .y_scale = p->columns->target_scale };
    for (size_t d = 0; d < p->x.cols; d++) {
        c->centre[d] = p->columns->inputs[d].centre;
        c->scale[d] = p->columns->inputs[d].scale;
    }
    result->noise_var = 1;
    result->log_evidence = -1;
    return UNA_OK;
}

static una_status cone_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const cone *c = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        double square = 0;
        for (size_t d = 0; d < x.cols; d++) {
            double own = c->centre[d] + c->scale[d] * x.at[r * x.stride + d];
            square += own * own;
        }
        double std = (c->a + c->b * sqrt(square)) / c->y_scale;
        out->mean[r] = 0;
        out->var_model[r] = std * std;
        out->var_noise[r] = 1;
    }
    return UNA_OK;
}

static una_status cone_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "a", &((cone *)state)->a);
}

#define CONE(kind) { .name = kind, .summary = "", .source = "", .options = table,                                     \
    .options_size = sizeof(cone_options), .state_size = sizeof(cone), .thesis = "", .least_rows = 4,                  \
    .fit = cone_fit, .predict = cone_predict, .exchange = cone_exchange }
static const una_kind gp_kind = CONE("gp"), cone_kind = CONE("cone");
extern const una_experiment una_experiment_radial;
const una_kind *const una_kinds[] = { &gp_kind, &cone_kind, NULL };

/* ---- data ------------------------------------------------------------------------------------------------------- */

static double norm(const double *x, size_t inputs)
{
    double square = 0;
    for (size_t d = 0; d < inputs; d++) square += x[d] * x[d];
    return sqrt(square);
}

static void shells_have_their_rows(void **state)
{
    static const struct { const char *name; size_t inputs, rows; } cases[] = {
        { "radial 1", 1, 50 }, { "radial 2", 2, 200 }, { "radial 3", 3, 500 }, { "radial 5", 5, 1000 } };
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_radial_set set;
        una_radial_rows rows;
        double radius = 0, noise = 0;
        assert_ok(una_radial_set_find(&set, cases[i].name, run), run);
        assert_int_equal(set.inputs, cases[i].inputs);
        assert_int_equal(set.rows, cases[i].rows);
        assert_near(set.ideal, pow(0.5, (double)cases[i].inputs), 1e-15, 0);
        assert_ok(una_radial_rows_make(&rows, &set, 7, &arena, run), run);
        assert_int_equal(rows.hole.rows, 0);
        for (size_t r = 0; r < set.rows; r++) {
            double at = norm(rows.train.x + r * set.inputs, set.inputs);
            assert_true(at > 1 - 1e-9 && at < 2 + 1e-9);
            radius += at / (double)set.rows;
            noise += (rows.train.y[r] - at) * (rows.train.y[r] - at) / (double)set.rows;
        }
        assert_near(radius, 1.5, 0, 4 * sqrt(1.0 / 12 / (double)set.rows));
        assert_near(noise, 1e-5, 0, 4 * 1e-5 * sqrt(2.0 / (double)set.rows));
        assert_true(rows.fresh.y[0] != rows.train.y[0]);
    }
    una_arena_free(&arena);
    una_run_free(run);
}

static void holes_are_empty(void **state)
{
    static const struct { const char *name; size_t rows; } cases[] = { { "disc", 400 }, { "ball", 1000 } };
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t i = 0; i < 2; i++) {
        una_radial_set set;
        una_radial_rows rows;
        double noise = 0;
        assert_ok(una_radial_set_find(&set, cases[i].name, run), run);
        assert_ok(una_radial_rows_make(&rows, &set, 7, &arena, run), run);
        assert_int_equal(rows.train.rows, cases[i].rows);
        assert_true(isnan(set.ideal));
        for (size_t r = 0; r < set.rows; r++) {
            const double *x = rows.train.x + r * set.inputs;
            double f = cos(1.5 * norm(x, set.inputs)) + x[0] / 2;
            assert_true(norm(x, set.inputs) >= 1 && norm(rows.fresh.x + r * set.inputs, set.inputs) >= 1);
            for (size_t d = 0; d < set.inputs; d++) assert_true(fabs(x[d]) <= 2);
            assert_near(rows.train.f[r], f, 1e-12, 1e-12);
            noise += (rows.train.y[r] - f) * (rows.train.y[r] - f) / (double)set.rows;
        }
        assert_near(noise, 0.01, 0, 4 * 0.01 * sqrt(2.0 / (double)set.rows));
        for (size_t r = 0; r < rows.hole.rows; r++) assert_true(norm(rows.hole.x + r * set.inputs, set.inputs) < 1);
    }
    una_arena_free(&arena);
    una_run_free(run);
}

static void other_names_are_no_data(void **state)
{
    static const char *const names[] = { "", "radial", "radial ", "radial 0", "radial 101", "radial 2x", "disk" };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        una_radial_set set;
        assert_int_equal(una_radial_set_find(&set, names[i], run), UNA_E_USAGE);
        assert_non_null(strstr(una_run_message(run), "disc and ball"));
    }
    una_run_free(run);
}

/* ---- measures --------------------------------------------------------------------------------------------------- */

typedef struct doubt { size_t inputs; double a, b, lean; } doubt;

static una_status std_of(const void *context, const double *x, size_t rows, double *std, una_run *run)
{
    const doubt *d = context;
    (void)run;
    for (size_t i = 0; i < rows; i++) {
        const double *at = x + i * d->inputs;
        std[i] = d->a + d->b * norm(at, d->inputs) + (at[0] > 0 ? d->lean : -d->lean);
    }
    return UNA_OK;
}

static void a_cone_is_even_and_straight(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    for (size_t inputs = 1; inputs <= 4; inputs++) {
        double mean[UNA_RADIAL_RADII], sd[UNA_RADIAL_RADII];
        doubt d = { inputs, 0.4, 0.2, 0 };
        assert_ok(una_radial_curve(mean, sd, std_of, &d, inputs, 3, run), run);
        for (size_t r = 0; r < UNA_RADIAL_RADII; r++) {
            assert_near(mean[r], 3 * (0.4 + 0.2 * 0.1 * (double)r), 1e-12, 0);
            assert_near(sd[r], 0, 0, 1e-12);
        }
        assert_near(una_radial_symmetry(mean, sd), 0, 0, 1e-12);
        assert_near(una_radial_roughness(mean), 0, 0, 1e-9);
    }
    una_run_free(run);
}

/* 3 std are 0.6 on one half of the rays and 1.8 on the other: mean 1.2, sd 0.6, at every radius but the first. */
static void a_lean_is_uneven(void **state)
{
    una_run *run = quiet_run();
    double mean[UNA_RADIAL_RADII], sd[UNA_RADIAL_RADII];
    doubt one = { 1, 0.4, 0, 0.2 }, two = { 2, 0.4, 0, 0.2 };
    (void)state;
    assert_ok(una_radial_curve(mean, sd, std_of, &one, 1, 3, run), run);
    assert_near(una_radial_symmetry(mean, sd), 20 * 0.6 / (0.6 + 20 * 1.2), 1e-12, 0);
    assert_ok(una_radial_curve(mean, sd, std_of, &two, 2, 3, run), run);
    assert_near(una_radial_symmetry(mean, sd), 20 * 0.6 / (0.6 + 20 * 1.2), 0, 0.05);
    una_run_free(run);
}

static void numbers_of_curves(void **state)
{
    double a[UNA_RADIAL_RADII] = {0}, b[UNA_RADIAL_RADII] = {0};
    (void)state;
    assert_true(isnan(una_radial_roughness(a)));
    assert_true(isnan(una_radial_symmetry(a, a)));
    for (size_t r = 0; r < UNA_RADIAL_RADII; r++) a[r] = fabs((double)r - 10);    /* one bend by 2, range 10 */
    assert_near(una_radial_roughness(a), 0.2, 1e-12, 0);
    b[0] = 14, b[20] = 10, b[25] = 15;                                           /* off by 4, and equal there */
    for (size_t r = 1; r < UNA_RADIAL_RADII; r++) b[r] = a[r];
    assert_near(una_radial_distance(a, b, 0, 20), sqrt(16.0 / 21), 1e-12, 0);
    assert_near(una_radial_distance(a, b, 20, 30), 0, 0, 0);
}

static una_status rows_and_curve(void *context, una_run *run)
{
    una_radial_set set;
    una_radial_rows rows;
    double mean[UNA_RADIAL_RADII], sd[UNA_RADIAL_RADII];
    doubt d = { 2, 0.4, 0.2, 0 };
    una_arena arena;
    una_arena_init(&arena, run);
    una_status status = una_radial_set_find(&set, context, run);
    if (status == UNA_OK) status = una_radial_rows_make(&rows, &set, 1, &arena, run);
    if (status == UNA_OK) status = una_radial_curve(mean, sd, std_of, &d, 2, 1, run);
    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(rows_and_curve, (void *)"radial 2") > 0);
    assert_true(sweep_allocations(rows_and_curve, (void *)"disc") > 0);
}

/* ---- the search ------------------------------------------------------------------------------------------------- */

enum { DRAWS = 20, TUNE_MEASURES = UNA_RADIAL_MEASURES + 1 };
typedef struct searched {
    una_row      fits[DRAWS];
    una_group    groups[DRAWS];
    double       value[DRAWS * TUNE_MEASURES], sd[DRAWS * TUNE_MEASURES];
    una_findings findings;
} searched;

/* mcd, whose prior is not searched, on the shell of two inputs: draw i has log-likelihood i and centre i / 20. */
static void fill_search(searched *s)
{
    *s = (searched){ .findings = { .count = 0 } };
    for (size_t i = 0; i < DRAWS; i++) {
        s->fits[i].key = (una_row_key){ "radial(tune=yes)", "radial 2", 0, "mcd", UNA_RADIAL_TUNE_FIRST, 1 };
        s->groups[i] = (una_group){ "mcd", i, 1, &s->findings };
        for (size_t m = 0; m < TUNE_MEASURES; m++) s->value[i * TUNE_MEASURES + m] = NAN;
        s->value[i * TUNE_MEASURES + UNA_RADIAL_LOG_LIK] = 0.15 * (double)i;
        s->value[i * TUNE_MEASURES + UNA_RADIAL_CENTRE] = (double)i / DRAWS;
    }
    s->findings = (una_findings){ .fits = s->fits, .value = s->value, .count = DRAWS, .measures = TUNE_MEASURES,
        .groups = s->groups, .group_count = DRAWS, .mean = s->value, .sd = s->sd };
}

static size_t chosen(const searched *s, const char *data, una_run *run)
{
    una_radial_set set;
    una_radial_choice choice;
    assert_ok(una_radial_set_find(&set, data, run), run);
    assert_ok(una_radial_choose(&choice, &s->findings, "mcd", &set, UNA_RADIAL_IDEAL, run), run);
    return choice.group ? choice.group->from : SIZE_MAX;
}

static void likelihood_first_then_the_centre(void **state)
{
    static searched s;
    una_run *run = quiet_run();
    (void)state;
    fill_search(&s);
    assert_int_equal(chosen(&s, "radial 2", run), 18);           /* of 18 and 19 the nearer to 1/4 */
    s.value[3 * TUNE_MEASURES + UNA_RADIAL_LOG_LIK] = 2.95;      /* 19 has 2.85; now of 3 and 19 */
    assert_int_equal(chosen(&s, "radial 2", run), 3);
    assert_int_equal(chosen(&s, "radial 3", run), SIZE_MAX);
    una_run_free(run);
}

static void the_distance_is_ignored(void **state)
{
    static searched s;
    una_run *run = quiet_run();
    (void)state;
    fill_search(&s);
    size_t without = chosen(&s, "radial 2", run);
    for (size_t i = 0; i < DRAWS; i++) {
        s.value[i * TUNE_MEASURES + UNA_RADIAL_DISTANCE] = i == 5 ? 0 : 1e6;
        s.value[i * TUNE_MEASURES + UNA_RADIAL_DISTANCE_OUT] = i == 6 ? 0 : 1e6;
        for (size_t r = 1; r < UNA_RADIAL_RADII; r++)
            s.value[i * TUNE_MEASURES + UNA_RADIAL_MEAN + r] = (double)(i * r);
    }
    assert_int_equal(chosen(&s, "radial 2", run), without);
    una_run_free(run);
}

/* ---- claims ----------------------------------------------------------------------------------------------------- */

enum { SEEDS = 4, NAMES = 4 };
typedef struct reported {
    una_row      fits[NAMES * SEEDS];
    una_group    groups[NAMES];
    double       value[NAMES * SEEDS * TUNE_MEASURES], mean[NAMES * TUNE_MEASURES], sd[NAMES * TUNE_MEASURES];
    una_findings findings;
} reported;

/* Four names on the shell of two inputs. The GP's curve is 0.2 everywhere, so that 0.1 is close. */
static void fill_report(reported *s, const double distance[NAMES], const char *study)
{
    static const char *const names[NAMES] = { "gp", "luna_data", "nlm", "hmc" };
    *s = (reported){ .findings = { .count = 0 } };
    for (size_t n = 0; n < NAMES; n++) {
        s->groups[n] = (una_group){ names[n], n * SEEDS, SEEDS, &s->findings };
        for (size_t i = n * SEEDS; i < (n + 1) * SEEDS; i++) {
            double *value = s->value + i * TUNE_MEASURES, wobble = 0.001 * (double)(i % 2);
            s->fits[i].key = (una_row_key){ study, "radial 2", 0, names[n], i % SEEDS, 1 };
            for (size_t r = 0; r < UNA_RADIAL_RADII; r++) value[UNA_RADIAL_MEAN + r] = 0.2;
            value[UNA_RADIAL_DISTANCE] = distance[n] + (n == 1 ? wobble : 0);
            value[UNA_RADIAL_CENTRE] = distance[n];
        }
        for (size_t m = 0; m < TUNE_MEASURES; m++)
            for (size_t i = 0; i < SEEDS; i++)
                s->mean[n * TUNE_MEASURES + m] += s->value[(n * SEEDS + i) * TUNE_MEASURES + m] / SEEDS;
    }
    s->findings = (una_findings){ .fits = s->fits, .value = s->value, .count = NAMES * SEEDS,
        .measures = TUNE_MEASURES, .groups = s->groups, .group_count = NAMES, .mean = s->mean, .sd = s->sd,
        .experiment = &una_experiment_radial };
}

static int claim_result(const reported *s, const char *sentence, const char *numbers, una_run *run)
{
    int holds = 99;
    una_arena arena;
    una_arena_init(&arena, run);
    una_text text = una_text_in(&arena);
    for (const una_claim *c = una_radial_claims; c->sentence; c++)
        if (strcmp(c->sentence, sentence) == 0) assert_ok(una_claim_judge(&holds, &text, c, &s->findings, run), run);
    if (holds == 99) fail_msg("there is no claim '%s'", sentence);
    if (numbers && !strstr(text.at, numbers)) fail_msg("'%s' is not in '%s'", numbers, text.at);
    una_arena_free(&arena);
    return holds;
}

static void claims_are_differences_within_seeds(void **state)
{
    static const char nearest[] = "2-D: LUNA with probes at the data is the network nearest to the GP";
    static const char close[] = "2-D: LUNA with probes at the data is close to the GP";
    static const char alone[] = "2-D: no other network is close to the GP";
    static const char collapse[] = "2-D: NLM's doubt collapses: below half of the ideal";
    static const double near[NAMES] = { 0, 0.05, 0.15, 0.01 }, far[NAMES] = { 0, 0.15, 0.05, 0.01 };
    static reported s;
    una_run *run = quiet_run();
    (void)state;
    fill_report(&s, near, "radial");                             /* HMC is nearer, but a standard */
    assert_int_equal(claim_result(&s, nearest, "NLM", run), UNA_HOLDS);
    assert_int_equal(claim_result(&s, close, NULL, run), UNA_HOLDS);
    assert_int_equal(claim_result(&s, alone, "not close: NLM; close: none", run), UNA_HOLDS);
    assert_int_equal(claim_result(&s, collapse, NULL, run), UNA_DOES_NOT_HOLD);
    fill_report(&s, far, "radial");
    assert_int_equal(claim_result(&s, nearest, "NLM", run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&s, close, NULL, run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&s, alone, "close: NLM", run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&s, collapse, NULL, run), UNA_HOLDS);
    assert_int_equal(claim_result(&s, "1-D: NLM is close to the GP", "needs nlm on radial 1", run), UNA_CANNOT_TELL);
    fill_report(&s, near, "radial(tune=yes)");                   /* nothing is claimed of rows of the search */
    assert_int_equal(claim_result(&s, nearest, "needs", run), UNA_CANNOT_TELL);
    assert_int_equal(claim_result(&s, alone, "needs gp and another network", run), UNA_CANNOT_TELL);
    una_run_free(run);
}

/* ---- whole runs ------------------------------------------------------------------------------------------------- */

static una_status run_in(una_bench_result **result, const char *folder, const char *const *models, size_t count,
                         const char *dimensions, const char *seeds, una_run *run)
{
    const char *set[] = { dimensions, seeds };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path(folder), .models = models,
                                    .model_count = count, .set = set, .set_count = 2 };
    return una_bench_run(result, "radial", &settings, run);
}

static char *whole_file(const char *path)
{
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(stream);
    char *bytes = calloc(size + 1, 1);
    rewind(stream);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, size, stream), size);
    fclose(stream);
    return bytes;
}

static double mean_of(const una_bench_result *result, const char *model, const char *data, const char *measure)
{
    for (size_t i = 0; i < result->mean_count; i++) {
        const una_bench_mean *m = &result->means[i];
        if (strcmp(m->key->model, model) == 0 && strcmp(m->key->data, data) == 0 && strcmp(m->measure, measure) == 0)
            return m->mean;
    }
    fail_msg("no %s of %s on %s", measure, model, data);
    return NAN;
}

/* 3 (0.3 + 0.1 r) is 0.6 above 3 (0.1 + 0.1 r) everywhere. */
static void distances_are_from_the_standard(void **state)
{
    static const char *const models[] = { "gp", "cone(a=0.3)" }, *const sets[] = { "radial 1", "radial 2", "disc" };
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    (void)state;
    assert_ok(run_in(&result, "radial-distance", models, 2, "dimensions=\"1, 2,disc\"", "seeds=3", run), run);
    assert_int_equal(result->fits, 18);
    for (size_t i = 0; i < 3; i++) {
        assert_near(mean_of(result, "gp", sets[i], "distance"), 0, 0, 0);
        assert_near(mean_of(result, "cone", sets[i], "distance"), 0.6, 1e-9, 0);
        assert_near(mean_of(result, "cone", sets[i], "distance_out"), 0.6, 1e-9, 0);
        assert_near(mean_of(result, "cone", sets[i], "centre"), 0.9, 1e-9, 0);
        assert_near(mean_of(result, "cone", sets[i], "symmetry"), 0, 0, 1e-9);
    }
    assert_near(mean_of(result, "cone", "radial 2", "off_ideal"), 0.65, 1e-9, 0);
    assert_true(isnan(mean_of(result, "cone", "disc", "off_ideal")));
    assert_near(mean_of(result, "cone", "disc", "hole_auroc"), 0, 0, 1e-9);      /* surest in the middle */
    una_bench_free(result);
    una_run_free(run);
}

static void kept_rows_make_the_page_again(void **state)
{
    static const char *const models[] = { "gp", "cone(a=0.3)" };
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    char again[600], first[600], page[700];
    (void)state;
    assert_ok(run_in(&result, "radial-kept", models, 2, "dimensions=2", "seeds=3", run), run);
    assert_int_equal(result->fitted, 6);
    snprintf(page, sizeof page, "%s", result->page);
    snprintf(first, sizeof first, "%s", result->table);
    una_bench_free(result);
    char *bytes = whole_file(page);

    size_t rows, added;
    snprintf(again, sizeof again, "%s", temp_path("radial-again"));
    assert_ok(una_bench_import(&rows, &added, "radial", again, first, run), run);
    assert_int_equal(added, 6);
    assert_ok(run_in(&result, "radial-again", models, 2, "dimensions=2", "seeds=3", run), run);
    assert_int_equal(result->fitted, 0);
    char *same = whole_file(result->page);
    assert_string_equal(bytes, same);
    free(bytes);
    free(same);
    una_bench_free(result);
    una_run_free(run);
}

static void seeds_of_the_search_are_not_reported(void **state)
{
    static const char *const models[] = { "gp" };
    una_run_settings settings = SIZED(una_run_settings, .threads = 1, .seed = UNA_RADIAL_TUNE_FIRST - 1);
    una_bench_result *result = NULL;
    una_run *run = NULL;
    (void)state;
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    assert_int_equal(run_in(&result, "radial-seeds", models, 1, "dimensions=1", "seeds=2", run), UNA_E_USAGE);
    assert_non_null(strstr(una_run_message(run), "not reported"));
    assert_ok(run_in(&result, "radial-seeds", models, 1, "dimensions=1", "seeds=1", run), run);
    una_bench_free(result);
    una_run_free(run);
}

static void lists_that_make_no_sense(void **state)
{
    static const char *const lists[] = { "dimensions=\"1,\"", "dimensions=\",2\"", "dimensions=\"2,,3\"",
                                         "dimensions=0", "dimensions=101", "dimensions=cube" };
    static const char *const models[] = { "gp" };
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    (void)state;
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        assert_int_equal(run_in(&result, "radial-lists", models, 1, lists[i], "seeds=1", run), UNA_E_USAGE);
        assert_non_null(strstr(una_run_message(run), "no data set"));
    }
    assert_int_equal(run_in(&result, "radial-lists", models, 1, "draws=5", "seeds=1", run), UNA_E_USAGE);
    assert_non_null(strstr(una_run_message(run), "--tune"));
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shells_have_their_rows),
        cmocka_unit_test(holes_are_empty),
        cmocka_unit_test(other_names_are_no_data),
        cmocka_unit_test(a_cone_is_even_and_straight),
        cmocka_unit_test(a_lean_is_uneven),
        cmocka_unit_test(numbers_of_curves),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(likelihood_first_then_the_centre),
        cmocka_unit_test(the_distance_is_ignored),
        cmocka_unit_test(claims_are_differences_within_seeds),
        cmocka_unit_test(distances_are_from_the_standard),
        cmocka_unit_test(kept_rows_make_the_page_again),
        cmocka_unit_test(seeds_of_the_search_are_not_reported),
        cmocka_unit_test(lists_that_make_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
