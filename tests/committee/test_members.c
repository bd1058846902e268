/* SPDX-License-Identifier: MIT
 *
 * Mixtures of members, with kinds so simple that the mixture can be computed by hand: weights, scales of the inputs,
 * mixtures inside, common and own noise, draws, slopes, updates that reach all or none, files.
 */
#include "test_support.h"

#include "committee/members.h"

#include <string.h>

/* ---- invented kinds --------------------------------------------------------------------------------------- */

/* mean = a x1 + b x2 + c,  ignorance = v (1 + x1^2),  noise s. It counts the rows that it took in. */
typedef struct line { double a, b, c, v, s, seen, most; } line;

static double line_mean(const line *l, const double *x) { return l->a * x[0] + l->b * x[1] + l->c; }
static double line_var(const line *l, const double *x) { return l->v * (1 + x[0] * x[0]); }

static una_status line_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const line *l = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        const double *row = x.at + r * x.stride;
        out->mean[r] = line_mean(l, row);
        out->var_model[r] = line_var(l, row);
        out->var_noise[r] = l->s;
    }
    return UNA_OK;
}

static una_status line_exchange(void *state, una_archive *ar)
{
    line *l = state;
    double *at = &l->a;
    for (size_t i = 0; i < 7; i++) UNA_TRY(una_archive_f64(ar, "line", at + i));
    return UNA_OK;
}

/* A function of its own for every draw: the mean and a multiple of the standard deviation. */
static una_status line_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const line *l = state;
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, how->prior);
    for (size_t k = 0; k < how->draws; k++) {
        double z = una_rng_normal(&rng);
        for (size_t r = 0; r < x.rows; r++) {
            const double *row = x.at + r * x.stride;
            f[k * x.rows + r] = (how->prior ? 0 : line_mean(l, row)) + z * sqrt(line_var(l, row));
        }
    }
    return UNA_OK;
}

/* Adds weight times x1 y to the slope; a line that has seen too much fails. */
static una_status line_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    line *l = state, next = *l;
    double *taken = UNA_GET(keep, double, 5000);                 /* as a kind that grows with its rows does */
    UNA_TRY(una_arena_check(keep));
    taken[0] = 1;
    for (size_t r = 0; r < more->x.rows; r++) {
        next.a += (more->weight ? more->weight[r] : 1) * more->x.at[r * more->x.stride] * more->y[r];
        next.seen++;
    }
    if (next.seen > next.most) UNA_FAIL(run, UNA_E_NUMERIC, "the line has seen more than %g rows", next.most);
    *l = next;
    result->log_evidence = -next.seen * next.s;
    return UNA_OK;
}

static una_status line_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    (void)run;
    *count = 3;
    for (size_t i = 0; f && i < 3 * x.rows; i++)
        f[i] = (double)(i / x.rows) + line_mean(state, x.at + i % x.rows * x.stride);
    return UNA_OK;
}

static const una_kind line_kind = { .name = "line", .state_size = sizeof(line), .predict = line_predict,
                                    .exchange = line_exchange, .draw = line_draw, .observe = line_observe,
                                    .functions = line_functions };
static const una_kind mute_kind = { .name = "mute", .state_size = sizeof(line), .predict = line_predict,
                                    .exchange = line_exchange };

/* Two parts around a line, c above and 3 c below it, of weights 3/4 and 1/4; their noise is s and t. */
typedef struct pair { line middle; double t; } pair;

static una_status pair_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const pair *k = state;
    double c = k->middle.c;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        const double *row = x.at + r * x.stride;
        double mean = line_mean(&k->middle, row) - c, var = line_var(&k->middle, row);
        out->mean[r] = mean;
        out->var_model[r] = var + 0.75 * c * c + 0.25 * 9 * c * c;
        out->var_noise[r] = 0.75 * k->middle.s + 0.25 * k->t;
        if (!out->part_mean) continue;
        assert_int_equal(out->parts, 2);
        out->part_mean[2 * r] = mean + c;
        out->part_mean[2 * r + 1] = mean - 3 * c;
        out->part_var[2 * r] = var + k->middle.s;
        out->part_var[2 * r + 1] = var + k->t;
    }
    if (!out->part_weight) return UNA_OK;
    assert_true(out->part_weight[0] == 0.5 && out->part_weight[1] == 0.5);     /* equal at first */
    out->part_weight[0] = 0.75;
    out->part_weight[1] = 0.25;
    return UNA_OK;
}

static size_t pair_mixture(const void *state)
{
    (void)state;
    return 2;
}

static una_status pair_exchange(void *state, una_archive *ar)
{
    pair *k = state;
    UNA_TRY(line_exchange(&k->middle, ar));
    return una_archive_f64(ar, "twin", &k->t);
}

static const una_kind pair_kind = { .name = "twin", .state_size = sizeof(pair), .predict = pair_predict,
                                    .exchange = pair_exchange, .mixture = pair_mixture };

/* A mixture of whatever is registered, that may stand in another one. */
static const una_kind nest_kind = { .name = "nest", .state_size = sizeof(una_members), .predict = una_members_predict,
                                    .exchange = una_members_exchange, .mixture = una_members_mixture,
                                    .observe = una_members_observe, .draw = una_members_draw,
                                    .functions = una_members_functions, .slope = una_members_slope };

const una_kind *const una_kinds[] = { &line_kind, &line_kind, &mute_kind, &pair_kind, &nest_kind, NULL };

/* ---- what the tests share --------------------------------------------------------------------------------- */

enum { ROWS = 1500, PARTS = 8 };         /* more rows than members are asked at a time */

typedef struct two_lines { line one, two; double scale[2]; una_member at[2]; una_members all; } two_lines;

/* Weights 0.2 and 0.8; the second member has a scale of its own. */
static two_lines *mixed_lines(two_lines *t)
{
    *t = (two_lines){ .one = { 1, -2, 0.5, 0.3, 0.11, 0, 1e9 }, .two = { -0.7, 0.4, 1, 0.05, 0.2, 0, 1e9 },
                      .scale = { 2, 0.5 } };
    t->at[0] = (una_member){ &line_kind, &line_kind, &t->one, NULL, 0.2 };
    t->at[1] = (una_member){ &line_kind, &line_kind, &t->two, t->scale, 0.8 };
    t->all = (una_members){ .count = 2, .inputs = 2, .at = t->at };
    return t;
}

typedef struct predicted { double mean[ROWS], var[ROWS], noise[ROWS], part[2][ROWS * PARTS], weight[PARTS]; } predicted;

static una_predictive predict(predicted *p, const una_members *all, una_view x, una_run *run)
{
    size_t parts = una_members_mixture(all);
    assert_true(parts <= PARTS);
    una_predictive out = { .mean = p->mean, .var_model = p->var, .var_noise = p->noise, .parts = parts,
                           .part_mean = parts ? p->part[0] : NULL, .part_var = parts ? p->part[1] : NULL,
                           .part_weight = parts ? p->weight : NULL };
    for (size_t i = 0; i < parts; i++) p->weight[i] = 1 / (double)parts;
    assert_ok(una_members_predict(all, x, &out, run), run);
    return out;
}

/* Rows of three numbers, of which two are used. */
static una_view some_rows(size_t rows)
{
    static double x[3 * ROWS];
    for (size_t i = 0; i < 3 * ROWS; i++) x[i] = i % 3 == 2 ? NAN : 2 * sin(0.7 * (double)i);
    return (una_view){ x, rows, 2, 3 };
}

/* ---- prediction ------------------------------------------------------------------------------------------- */

static void two_lines_by_hand(void **state)
{
    (void)state;
    static predicted p;
    una_run *run = quiet_run();
    una_view x = some_rows(ROWS);
    two_lines t;

    for (int common = 0; common <= 1; common++) {
        mixed_lines(&t)->all.noise_var = common ? 0.4 : 0;
        assert_int_equal(una_members_mixture(&t.all), 2);
        predict(&p, &t.all, x, run);
        assert_true(p.weight[0] == 0.2 && p.weight[1] == 0.8);
        for (size_t r = 0; r < ROWS; r++) {
            double a = x.at[3 * r], b = x.at[3 * r + 1];
            double m1 = a - 2 * b + 0.5, m2 = -0.7 * (2 * a) + 0.4 * (0.5 * b) + 1;
            double v1 = 0.3 * (1 + a * a), v2 = 0.05 * (1 + 4 * a * a), mean = 0.2 * m1 + 0.8 * m2;
            assert_near(p.mean[r], mean, 1e-13, 1e-14);
            assert_near(p.var[r], 0.2 * (v1 + pow(m1 - mean, 2)) + 0.8 * (v2 + pow(m2 - mean, 2)), 1e-13, 0);
            assert_near(p.noise[r], common ? 0.4 : 0.2 * 0.11 + 0.8 * 0.2, 1e-14, 0);
            assert_near(p.part[0][2 * r], m1, 1e-13, 1e-14);
            assert_near(p.part[0][2 * r + 1], m2, 1e-13, 1e-14);
            assert_near(p.part[1][2 * r], v1 + (common ? 0.4 : 0.11), 1e-14, 0);
            assert_near(p.part[1][2 * r + 1], v2 + (common ? 0.4 : 0.2), 1e-14, 0);
        }
    }
    una_run_free(run);
}

/* mean, ignorance and noise are those of the parts, and a row alone has the bits that it has among others. */
static void moments_are_those_of_the_parts(const una_members *all, una_run *run)
{
    static predicted p, alone;
    una_view x = some_rows(ROWS);
    una_predictive out = predict(&p, all, x, run);
    double sum = 0;
    for (size_t m = 0; m < out.parts; m++) sum += p.weight[m];
    assert_near(sum, 1, 1e-14, 0);

    for (size_t r = 0; r < ROWS; r += 7) {
        double mean = 0, square = 0;
        for (size_t m = 0; m < out.parts; m++) mean += p.weight[m] * p.part[0][r * out.parts + m];
        for (size_t m = 0; m < out.parts; m++)
            square += p.weight[m] * (pow(p.part[0][r * out.parts + m] - mean, 2) + p.part[1][r * out.parts + m]);
        assert_near(p.mean[r], mean, 1e-12, 1e-13);
        assert_near(p.var[r] + p.noise[r], square, 1e-12, 0);

        predict(&alone, all, (una_view){ x.at + 3 * r, 1, 2, 3 }, run);
        assert_true(alone.mean[0] == p.mean[r] && alone.var[0] == p.var[r] && alone.noise[0] == p.noise[r]);
        assert_memory_equal(alone.part[0], p.part[0] + r * out.parts, out.parts * sizeof(double));
        assert_memory_equal(alone.part[1], p.part[1] + r * out.parts, out.parts * sizeof(double));
    }
}

/* Parts of parts, as deep as one likes: weights are products, a common noise takes the place of all others. */
static void mixtures_within_mixtures(void **state)
{
    (void)state;
    static predicted p;
    una_run *run = quiet_run();
    una_view x = some_rows(20);
    two_lines t;
    pair prongs = { { 0.5, 0.25, 0.6, 0.02, 0.3, 0, 0 }, 0.3 }, uneven = prongs;
    uneven.t = 0.1;                                              /* parts that differ in noise, as those of hmc */
    double scale[2] = { 3, 1 };
    una_member inner_at[2] = { { &nest_kind, &nest_kind, &mixed_lines(&t)->all, scale, 0.4 },
                               { &pair_kind, &pair_kind, &prongs, NULL, 0.6 } };
    una_members inner = { .count = 2, .inputs = 2, .at = inner_at };
    una_member at[2] = { { &nest_kind, &nest_kind, &inner, NULL, 0.5 }, { &mute_kind, &mute_kind, &t.one, NULL, 0.5 } };
    una_members whole = { .count = 2, .inputs = 2, .at = at };

    assert_int_equal(una_members_mixture(&whole), 5);
    predict(&p, &whole, x, run);
    const double weight[5] = { 0.5 * 0.4 * 0.2, 0.5 * 0.4 * 0.8, 0.5 * 0.6 * 0.75, 0.5 * 0.6 * 0.25, 0.5 };
    assert_arrays_near(p.weight, weight, 5, 1e-15, 0);
    for (size_t r = 0; r < 20; r++) {
        double a = x.at[3 * r], b = x.at[3 * r + 1], middle = 0.5 * a + 0.25 * b;
        const double mean[5] = { 3 * a - 2 * b + 0.5, -0.7 * 6 * a + 0.4 * 0.5 * b + 1, middle + 0.6, middle - 1.8,
                                 a - 2 * b + 0.5 };
        assert_arrays_near(p.part[0] + 5 * r, mean, 5, 1e-13, 1e-13);
        assert_near(p.part[1][5 * r + 2], 0.02 * (1 + a * a) + 0.3, 1e-13, 0);
    }
    moments_are_those_of_the_parts(&whole, run);

    inner.noise_var = 0.05;
    moments_are_those_of_the_parts(&whole, run);
    whole.noise_var = 0.7;
    inner_at[1].state = &uneven;
    moments_are_those_of_the_parts(&whole, run);
    t.all.noise_var = 0.09;
    predict(&p, &whole, x, run);
    double a = x.at[0];
    assert_near(p.part[1][0], 0.3 * (1 + 9 * a * a) + 0.7, 1e-12, 0);    /* what the member does not know, and that */
    assert_near(p.part[1][2], 0.02 * (1 + a * a) + 0.7, 1e-12, 0);
    assert_near(p.part[1][3], 0.02 * (1 + a * a) + 0.7, 1e-12, 0);
    inner.noise_var = t.all.noise_var = 0;
    moments_are_those_of_the_parts(&whole, run);
    una_run_free(run);
}

/* Alone, a member keeps its bits, parts, weights, draws and functions. */
static void one_member_is_that_member(void **state)
{
    (void)state;
    enum { FEW = 30, DRAWS = 9 };
    static predicted p, q;
    una_run *run = quiet_run();
    una_view x = some_rows(FEW);
    line l = { 1, -2, 0.5, 0.3, 0.11, 0, 1e9 };
    pair prongs = { l, 0.2 };
    una_member at = { &line_kind, &line_kind, &l, NULL, 1 };
    una_members all = { .count = 1, .inputs = 2, .at = &at };
    double f[DRAWS * FEW], g[DRAWS * FEW];
    size_t count = 0;

    assert_int_equal(una_members_mixture(&all), 0);
    predict(&p, &all, x, run);
    una_predictive out = { .mean = q.mean, .var_model = q.var, .var_noise = q.noise };
    assert_ok(line_predict(&l, x, &out, run), run);
    assert_memory_equal(p.mean, q.mean, FEW * sizeof(double));
    assert_memory_equal(p.var, q.var, FEW * sizeof(double));
    assert_memory_equal(p.noise, q.noise, FEW * sizeof(double));

    for (int prior = 0; prior <= 1; prior++) {
        assert_ok(una_members_draw(&all, x, &(una_drawing){ .draws = DRAWS, .prior = prior }, f, run), run);
        assert_ok(line_draw(&l, x, &(una_drawing){ .draws = DRAWS, .prior = prior }, g, run), run);
        assert_memory_equal(f, g, sizeof f);
    }
    assert_ok(una_members_functions(&all, x, &count, NULL, run), run);
    assert_int_equal(count, 3);
    assert_ok(una_members_functions(&all, x, &count, f, run), run);
    assert_ok(line_functions(&l, x, &count, g, run), run);
    assert_memory_equal(f, g, 3 * FEW * sizeof *f);

    at = (una_member){ &pair_kind, &pair_kind, &prongs, NULL, 1 };
    assert_int_equal(una_members_mixture(&all), 2);
    predict(&p, &all, x, run);
    out = (una_predictive){ q.mean, q.var, q.noise, false, 2, q.part[0], q.part[1], q.weight };
    q.weight[0] = q.weight[1] = 0.5;
    assert_ok(pair_predict(&prongs, x, &out, run), run);
    assert_memory_equal(p.part[0], q.part[0], 2 * FEW * sizeof(double));
    assert_memory_equal(p.part[1], q.part[1], 2 * FEW * sizeof(double));
    assert_memory_equal(p.weight, q.weight, 2 * sizeof(double));
    assert_memory_equal(p.var, q.var, FEW * sizeof(double));
    una_run_free(run);
}

/* ---- functions, draws, slopes ----------------------------------------------------------------------------- */

static void functions_are_the_means(void **state)
{
    (void)state;
    enum { FEW = 12 };
    una_run *run = quiet_run();
    una_view x = some_rows(FEW);
    two_lines t;
    double f[2 * FEW];
    size_t count = 0;
    assert_ok(una_members_functions(&mixed_lines(&t)->all, x, &count, NULL, run), run);
    assert_int_equal(count, 2);
    assert_ok(una_members_functions(&t.all, x, &count, f, run), run);
    for (size_t r = 0; r < FEW; r++) {
        assert_near(f[r], line_mean(&t.one, x.at + 3 * r), 1e-15, 0);
        assert_near(f[FEW + r], -1.4 * x.at[3 * r] + 0.2 * x.at[3 * r + 1] + 1, 1e-13, 1e-14);
    }
    una_run_free(run);
}

/* Moments of many draws: those of the mixture. Random numbers of members are their own. */
static void draws_follow_the_mixture(void **state)
{
    (void)state;
    enum { FEW = 3, DRAWS = 40000 };
    static predicted p;
    static double f[DRAWS * FEW], again[DRAWS * FEW];
    una_run *run = quiet_run();
    una_view x = some_rows(FEW);
    two_lines t;
    predict(&p, &mixed_lines(&t)->all, x, run);
    assert_ok(una_members_draw(&t.all, x, &(una_drawing){ .draws = DRAWS, .prior = false }, f, run), run);
    assert_int_equal(run->settings.seed, 0);

    for (size_t r = 0; r < FEW; r++) {
        double mean = 0, var = 0;
        for (size_t k = 0; k < DRAWS; k++) mean += f[k * FEW + r] / DRAWS;
        for (size_t k = 0; k < DRAWS; k++) var += pow(f[k * FEW + r] - mean, 2) / DRAWS;
        assert_near(mean, p.mean[r], 0, 5 * sqrt(p.var[r] / DRAWS));
        assert_near(var, p.var[r], 0.06, 0);
    }
    /* fewer are the first of many */
    assert_ok(una_members_draw(&t.all, x, &(una_drawing){ .draws = 50 }, again, run), run);
    assert_memory_equal(again, f, 50 * FEW * sizeof *f);

    t.at[0].kind = t.at[0].calls = &mute_kind;              /* it cannot draw: its mean, with its weight */
    assert_ok(una_members_draw(&t.all, x, &(una_drawing){ .draws = DRAWS, .prior = false }, f, run), run);
    size_t times = 0;
    for (size_t k = 0; k < DRAWS; k++) times += f[k * FEW] == line_mean(&t.one, x.at);
    assert_near((double)times / DRAWS, 0.2, 0, 5 * sqrt(0.16 / DRAWS));
    assert_status(una_members_draw(&t.all, x, &(una_drawing){ .draws = 1, .prior = true }, f, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "mute has no prior to draw functions from");
    una_run_free(run);
}

static void slopes_agree_with_differences(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    two_lines t;
    pair prongs = { { 0.5, 0.25, 0.6, 0.02, 0.3, 0, 0 }, 0.3 };
    double scale[2] = { 0.3, 4 };
    una_member at[2] = { { &nest_kind, &nest_kind, &mixed_lines(&t)->all, scale, 0.35 },
                         { &pair_kind, &pair_kind, &prongs, NULL, 0.65 } };
    una_members all = { .count = 2, .inputs = 2, .at = at };
    const double x[2] = { 0.8, -0.6 }, step = 1e-5;
    double dmean[2], dvar[2];
    assert_ok(una_members_slope(&all, x, &(una_slope){ .dmean = dmean, .dvar = dvar }, run), run);

    for (size_t d = 0; d < 2; d++) {
        double mean[2], var[2], noise[2], near[4] = { x[0], x[1], x[0], x[1] };
        near[d] -= step;
        near[2 + d] += step;
        una_predictive out = { .mean = mean, .var_model = var, .var_noise = noise };
        assert_ok(una_members_predict(&all, (una_view){ near, 2, 2, 2 }, &out, run), run);
        assert_near(dmean[d], (mean[1] - mean[0]) / (2 * step), 1e-8, 1e-9);
        assert_near(dvar[d], (var[1] - var[0]) / (2 * step), 1e-8, 1e-9);
    }
    una_run_free(run);
}

/* ---- updates ---------------------------------------------------------------------------------------------- */

static void updates_reach_all_members(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena keep;
    una_arena_init(&keep, run);
    two_lines t;
    mixed_lines(&t);
    const double y[3] = { 1, -2, 0.5 };
    una_problem more = { .x = some_rows(3), .y = y, .outputs = 1 };
    una_fit_result result = {0};
    double sum = 0;
    for (size_t r = 0; r < 3; r++) sum += more.x.at[3 * r] * y[r];

    assert_ok(una_members_observe(&t.all, &more, &result, &keep, run), run);
    assert_near(t.one.a, 1 + sum, 1e-14, 0);
    assert_near(t.two.a, -0.7 + 2 * sum, 1e-14, 0);              /* at inputs of its own scale */
    assert_near(result.log_evidence, -3 * (0.2 * 0.11 + 0.8 * 0.2), 1e-14, 0);

    t.at[1].kind = &mute_kind;
    assert_status(una_members_observe(&t.all, &more, &result, &keep, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "mute has no exact update: fit it again");
    assert_near(t.one.seen, 3, 0, 0);
    una_arena_free(&keep);
    una_run_free(run);
}

/* Whichever member fails, nothing has changed; the states then are copies that outlive the call. */
static void updates_reach_all_or_none(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const double y[2] = { 3, 4 };
    for (size_t failing = 0; failing < 3; failing++) {
        una_arena keep;
        una_arena_init(&keep, run);
        line lines[3];
        una_member at[3];
        for (size_t m = 0; m < 3; m++) {
            lines[m] = (line){ 1 + (double)m, 2, 3, 4, 5, 0, m == failing ? 1 : 1e9 };
            at[m] = (una_member){ &line_kind, &line_kind, &lines[m], NULL, 1.0 / 3 };
        }
        una_members all = { .count = 3, .inputs = 2, .at = at };
        una_problem more = { .x = some_rows(2), .y = y, .outputs = 1 };
        una_fit_result result = { .log_evidence = 7 };

        assert_status(una_members_observe(&all, &more, &result, &keep, run), UNA_E_NUMERIC, run);
        assert_near(result.log_evidence, 7, 0, 0);
        for (size_t m = 0; m < 3; m++) {
            const line *l = all.at[m].state;
            assert_true(l->a == 1 + (double)m && l->seen == 0);
        }

        more.x.rows = 1;                                         /* one row is not too many */
        assert_ok(una_members_observe(&all, &more, &result, &keep, run), run);
        for (size_t m = 0; m < 3; m++) assert_true(((const line *)all.at[m].state)->seen == 1);
        una_arena_free(&keep);
    }
    una_run_free(run);
}

/* ---- noise that varies ------------------------------------------------------------------------------------ */

/* A shape that was learnt from residuals which grow with the first input. */
static una_noise *some_noise(una_arena *keep, una_run *run)
{
    enum { TAUGHT = 400 };
    static double x[2 * TAUGHT], y[TAUGHT], zero[TAUGHT], var[TAUGHT];
    static unsigned char part[TAUGHT];
    una_noise *noise = NULL;
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < TAUGHT; i++) {
        x[2 * i] = una_rng_normal(&rng);
        x[2 * i + 1] = una_rng_normal(&rng);
        y[i] = exp(x[2 * i]) * una_rng_normal(&rng);
        zero[i] = 0;
        var[i] = 1e-6;
        part[i] = (unsigned char)(i % 5);
    }
    una_noise_rows noise_rows = { { x, TAUGHT, 2, 2 }, y, zero, var, part, 5, NULL, false };
    assert_ok(una_noise_learn(&noise, &noise_rows, true, keep, run), run);
    assert_non_null(noise);
    return noise;
}

static void noise_has_a_shape(void **state)
{
    (void)state;
    static predicted p, constant;
    static double g[ROWS];
    una_run *run = quiet_run();
    una_arena keep;
    una_arena_init(&keep, run);
    two_lines t;
    una_view x = some_rows(ROWS);
    mixed_lines(&t)->all.noise_var = 0.4;
    predict(&constant, &t.all, x, run);
    t.all.noise = some_noise(&keep, run);
    predict(&p, &t.all, x, run);
    una_noise_shape(t.all.noise, x, g);                          /* at the inputs as they are */

    double least = HUGE_VAL, most = 0;
    for (size_t r = 0; r < ROWS; r++) {
        least = fmin(least, g[r]);
        most = fmax(most, g[r]);
        assert_near(p.noise[r], 0.4 * g[r], 1e-14, 0);
        assert_true(p.mean[r] == constant.mean[r] && p.var[r] == constant.var[r]);
        assert_near(p.part[1][2 * r + 1], constant.part[1][2 * r + 1] - 0.4 + 0.4 * g[r], 1e-13, 0);
    }
    assert_true(most > 3 * least);

    const double y[3] = { 1, -2, 0.5 }, given[3] = { 1, 2, 3 };
    una_problem more = { .x = some_rows(3), .y = y, .outputs = 1, .weight = given };
    una_fit_result result = {0};
    double sum = 0;
    for (size_t r = 0; r < 3; r++) sum += given[r] / g[r] * more.x.at[3 * r] * y[r];
    assert_ok(una_members_observe(&t.all, &more, &result, &keep, run), run);
    assert_near(t.one.a, 1 + sum, 1e-13, 0);
    assert_near(t.two.a, -0.7 + 2 * sum, 1e-13, 0);
    una_arena_free(&keep);
    una_run_free(run);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

/* Saves and loads; what comes back is in `arena`. */
static una_status through_a_file(una_members *back, una_members *all, const una_kind *of, una_arena *arena,
                                 una_run *run)
{
    una_archive out = {0}, in = {0};
    UNA_TRY(una_archive_save_begin(&out, "{}", arena, run));
    out.inputs = 2;
    out.kind = of;
    UNA_TRY(una_members_exchange(all, &out));
    UNA_TRY(una_archive_save_end(&out));
    UNA_TRY(una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, arena, run));
    in.inputs = 2;
    memset(back, 0, sizeof *back);
    in.kind = of;
    UNA_TRY(una_members_exchange(back, &in));
    return una_archive_load_end(&in);
}

/* Every part becomes as many as the tails have; new rows count by their errors before they are taken in. */
static void noise_has_tails(void **state)
{
    (void)state;
    static predicted p, plain;
    una_run *run = quiet_run();
    una_arena keep;
    una_arena_init(&keep, run);
    two_lines t;
    una_view x = some_rows(ROWS);
    mixed_lines(&t)->all.noise_var = 0.4;
    predict(&plain, &t.all, x, run);
    assert_ok(una_tails_new(&t.all.tails, 0.03, &keep), run);    /* four parts */
    const una_tails *tails = t.all.tails;
    assert_int_equal(una_members_mixture(&t.all), 8);
    moments_are_those_of_the_parts(&t.all, run);
    predict(&p, &t.all, x, run);
    for (size_t r = 0; r < ROWS; r++) {
        assert_true(p.mean[r] == plain.mean[r] && p.var[r] == plain.var[r] && p.noise[r] == 0.4);
        for (size_t k = 0; k < 4; k++) {
            assert_near(p.part[1][8 * r + 4 + k], plain.part[1][2 * r + 1] - 0.4 + 0.4 * tails->var[k], 1e-12, 0);
            assert_true(p.part[0][8 * r + 4 + k] == plain.part[0][2 * r + 1]);
        }
    }
    assert_near(p.weight[5], 0.8 * tails->weight[1], 1e-15, 0);

    const double y[3] = { 1, -50, 0.5 };
    una_problem more = { .x = some_rows(3), .y = y, .outputs = 1 };
    una_fit_result result = {0};
    double sum = 0, least = 1;
    for (size_t r = 0; r < 3; r++) {
        double weight = una_tails_row_weight(tails, pow(y[r] - p.mean[r], 2), p.var[r], 0.4);
        least = fmin(least, weight);
        sum += weight * more.x.at[3 * r] * y[r];
    }
    assert_true(least < 0.1);
    assert_ok(una_members_observe(&t.all, &more, &result, &keep, run), run);
    assert_near(t.one.a, 1 + sum, 1e-12, 0);

    una_members one = { .count = 1, .inputs = 2, .at = t.at, .noise_var = 0.4, .tails = tails }, back;
    t.at[0].weight = 1;
    assert_int_equal(una_members_mixture(&one), 4);
    moments_are_those_of_the_parts(&one, run);
    assert_ok(through_a_file(&back, &one, NULL, &keep, run), run);
    assert_memory_equal(back.tails, tails, sizeof *tails);
    one.noise_var = 0;
    assert_status(through_a_file(&back, &one, NULL, &keep, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "though the noise has heavy tails");
    una_tails wrong = { .freedom = 1.5, .parts = 1 };
    one = (una_members){ .count = 1, .inputs = 2, .at = t.at, .noise_var = 0.4, .tails = &wrong };
    assert_status(through_a_file(&back, &one, NULL, &keep, run), UNA_E_NUMERIC, run);
    una_arena_free(&keep);
    una_run_free(run);
}

static void files_keep_everything(void **state)
{
    (void)state;
    static predicted p, q;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_view x = some_rows(50);
    two_lines t;
    pair prongs = { { 0.5, 0.25, 0.6, 0.02, 0.3, 0, 0 }, 0.3 };
    una_member at[3] = { { &nest_kind, &nest_kind, &mixed_lines(&t)->all, NULL, 0.5 },
                         { &pair_kind, &pair_kind, &prongs, t.scale, 0.3 },
                         { &mute_kind, &mute_kind, &t.one, NULL, 0.2 } };
    una_members all = { .count = 3, .inputs = 2, .at = at, .noise_var = 0.25 }, back;

    for (int shaped = 0; shaped <= 1; shaped++) {
        all.noise = shaped ? some_noise(&arena, run) : NULL;
        assert_ok(through_a_file(&back, &all, NULL, &arena, run), run);
        assert_true(back.count == 3 && back.inputs == 2 && back.noise_var == 0.25 && !back.noise == !shaped);
        assert_true(back.at[0].kind == &nest_kind && back.at[1].weight == 0.3 && !back.at[2].scale);
        una_predictive a = predict(&p, &all, x, run), b = predict(&q, &back, x, run);
        assert_int_equal(a.parts, b.parts);
        assert_memory_equal(&p, &q, sizeof p);
    }

    assert_ok(through_a_file(&back, &t.all, &line_kind, &arena, run), run);      /* of one kind, which is known */
    assert_true(back.noise_var == 0 && back.at[1].weight == 0.8 && back.at[1].scale[0] == 2);
    predict(&p, &t.all, x, run);
    predict(&q, &back, x, run);
    assert_memory_equal(&p, &q, sizeof p);
    una_arena_free(&arena);
    una_run_free(run);
}

/* A state alone, as files of before members hold it. */
static void old_files_hold_one_member(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    line l = { 1, -2, 0.5, 0.3, 0.11, 4, 1e9 };
    una_archive out = {0}, in = {0};
    una_members back = {0};
    assert_ok(una_archive_save_begin(&out, "{}", &arena, run), run);
    out.inputs = 2;
    assert_ok(line_exchange(&l, &out), run);
    assert_ok(una_archive_save_end(&out), run);

    assert_ok(una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, &arena, run), run);
    in.inputs = 2;
    in.kind = &line_kind;
    assert_ok(una_members_exchange(&back, &in), run);
    assert_ok(una_archive_load_end(&in), run);
    assert_true(back.count == 1 && back.inputs == 2 && back.noise_var == 0 && !back.noise);
    assert_true(back.at[0].kind == &line_kind && back.at[0].weight == 1 && !back.at[0].scale);
    assert_memory_equal(back.at[0].state, &l, sizeof l);

    assert_ok(una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, &arena, run), run);
    in.inputs = 2;
    assert_status(una_members_exchange(&back, &in), UNA_E_INPUT, run);     /* of what kind it is, nobody says */
    una_arena_free(&arena);
    una_run_free(run);
}

static void refused(una_members *all, una_status wanted, const char *says, una_run *run)
{
    una_arena arena;
    una_members back;
    una_arena_init(&arena, run);
    una_clear_message(run);
    assert_status(through_a_file(&back, all, NULL, &arena, run), wanted, run);
    if (says) assert_says(una_run_message(run), says);
    una_arena_free(&arena);
}

/* Saving and loading check alike; what is only seen on loading is UNA_E_INPUT. */
static void damaged_members_are_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    two_lines t;
    refused(&mixed_lines(&t)->all, UNA_OK, NULL, run);
    t.all.count = 0;
    refused(&t.all, UNA_E_NUMERIC, "members", run);
    mixed_lines(&t)->at[0].weight = 0.2 + 2e-9;
    refused(&t.all, UNA_E_NUMERIC, "member.weight does not add up to 1", run);
    mixed_lines(&t)->at[0].weight = 0;
    refused(&t.all, UNA_E_NUMERIC, "member.weight is not positive", run);
    mixed_lines(&t)->at[0].weight = NAN;
    refused(&t.all, UNA_E_NUMERIC, "member.weight", run);
    mixed_lines(&t)->scale[1] = 0;
    refused(&t.all, UNA_E_NUMERIC, "member.scale holds one that is not positive", run);
    mixed_lines(&t)->scale[1] = INFINITY;
    refused(&t.all, UNA_E_NUMERIC, "member.scale", run);
    mixed_lines(&t)->all.noise_var = -1;
    refused(&t.all, UNA_E_NUMERIC, "members.noise_var is negative", run);

    una_kind stranger = line_kind;
    stranger.name = "stranger";
    mixed_lines(&t)->at[1].kind = &stranger;
    refused(&t.all, UNA_E_INPUT, "names a model that this una does not have", run);

    una_arena arena;
    una_arena_init(&arena, run);
    mixed_lines(&t)->all.noise = some_noise(&arena, run);
    refused(&t.all, UNA_E_NUMERIC, "is 0, though the noise has a shape", run);
    una_arena_free(&arena);
    una_run_free(run);
}

static void mixtures_may_be_three_deep(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    two_lines t;
    una_members level[3];
    una_member at[3];
    mixed_lines(&t);
    for (size_t i = 0; i < 3; i++) {
        at[i] = (una_member){ &nest_kind, &nest_kind, i ? &level[i - 1] : &t.all, NULL, 1 };
        level[i] = (una_members){ .count = 1, .inputs = 2, .at = &at[i] };
    }
    refused(&level[1], UNA_OK, NULL, run);
    refused(&level[2], UNA_E_NUMERIC, "a mixture more than three deep", run);
    una_run_free(run);
}

/* Every allocation may fail: prediction, draws, updates and files then give back all they took. */
static una_status everything(void *context, una_run *run)
{
    enum { FEW = 5 };
    static predicted p;
    two_lines *t = context;
    una_arena keep;
    una_members back;
    double f[4 * FEW], dmean[2], dvar[2];
    const double y[FEW] = { 1, 2, 3, 4, 5 };
    una_view x = some_rows(FEW);
    una_predictive out = { .mean = p.mean, .var_model = p.var, .var_noise = p.noise, .parts = 2,
                           .part_mean = p.part[0], .part_var = p.part[1], .part_weight = p.weight };
    una_problem more = { .x = x, .y = y, .outputs = 1 };
    una_fit_result result = {0};
    una_arena_init(&keep, run);

    una_status status = una_members_predict(&t->all, x, &out, run);
    if (status == UNA_OK) status = una_members_draw(&t->all, x, &(una_drawing){ .draws = 4 }, f, run);
    if (status == UNA_OK) status = una_members_slope(&t->all, x.at, &(una_slope){ .dmean = dmean, .dvar = dvar }, run);
    if (status == UNA_OK) status = through_a_file(&back, &t->all, NULL, &keep, run);
    if (status == UNA_OK) {
        status = una_members_observe(&back, &more, &result, &keep, run);
        const line *one = back.at[0].state, *two = back.at[1].state;
        assert_true(one->seen == (status == UNA_OK ? FEW : 0) && two->seen == one->seen);
    }
    una_arena_free(&keep);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    two_lines t;
    assert_true(sweep_allocations(everything, mixed_lines(&t)) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_lines_by_hand),
        cmocka_unit_test(mixtures_within_mixtures),
        cmocka_unit_test(one_member_is_that_member),
        cmocka_unit_test(functions_are_the_means),
        cmocka_unit_test(draws_follow_the_mixture),
        cmocka_unit_test(slopes_agree_with_differences),
        cmocka_unit_test(updates_reach_all_members),
        cmocka_unit_test(updates_reach_all_or_none),
        cmocka_unit_test(noise_has_a_shape), cmocka_unit_test(noise_has_tails),
        cmocka_unit_test(files_keep_everything),
        cmocka_unit_test(old_files_hold_one_member),
        cmocka_unit_test(damaged_members_are_refused),
        cmocka_unit_test(mixtures_may_be_three_deep),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
