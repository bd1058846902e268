/* SPDX-License-Identifier: MIT
 *
 * The next point: a pure function of what was told, the highest place of what it climbs, never one that is known,
 * always one that is allowed; out of any history, however poor; and Branin's minimum within a few dozen steps.
 */
#include "test_support.h"

#include "known_functions.h"
#include "bo/search.h"
#include "bo/surrogate.h"

enum { MOST = 120, INPUTS = 4 };

#define REAL(low, high) "{\"type\": \"real\", \"low\": " #low ", \"high\": " #high "}"
static const char line_space[] = "{\"x\": " REAL(0, 1) "}";
static const char branin_space[] = "{\"a\": " REAL(-5, 10) ", \"b\": " REAL(0, 15) "}";
static const char mixed_space[] =
    "{\"a\": " REAL(0, 1) ", \"rate\": {\"type\": \"real\", \"low\": 0.001, \"high\": 1, \"log\": true}, "
    "\"n\": {\"type\": \"integer\", \"low\": 1, \"high\": 30}, "
    "\"kind\": {\"type\": \"category\", \"levels\": [\"p\", \"q\", \"r\"]}, "
    "\"constraints\": [\"a + n/30 <= 1.2\", \"rate < a + 0.1\"]}";

typedef struct trials {                  /* of a search, all that it needs to go on */
    const una_space *space;
    size_t           count;
    double           point[MOST * INPUTS], value[MOST];
    una_trial_state  state[MOST];
} trials;

static una_history history_of(const trials *t)
{
    return (una_history){ t->count, t->point, t->value, t->state };
}

static const una_space *space_of(const char *json, una_run *run)
{
    una_space *space;
    assert_ok(una_space_parse(&space, json, NULL, &run->scratch, run), run);
    return space;
}

static una_search *search_of(const una_space *space, const char *model, const char *acquisition, uint64_t seed,
                             una_run *run)
{
    una_search *search;
    const char *spec;
    assert_ok(una_search_model(&spec, model, &run->scratch, run), run);
    una_search_settings settings = { .space = space, .model = spec, .acquisition = acquisition, .seed = seed,
                                     .initial = 4 };
    assert_ok(una_search_new(&search, &settings, run), run);
    return search;
}

static double *last_point(trials *t)
{
    return t->point + (t->count - 1) * t->space->count;
}

/* As open, valid and new. */
static double *ask(trials *t, una_search *search, una_proposal *proposal, una_run *run)
{
    una_history history = history_of(t);
    size_t size = t->space->count;
    double *point = t->point + t->count * size, u[16], other[16];
    assert_true(t->count < MOST && t->space->columns <= 16);
    assert_ok(una_search_next(search, &history, point, proposal, run), run);
    assert_ok(una_space_check(t->space, point, run), run);
    una_space_encode(t->space, point, u);
    for (size_t i = 0; i < t->count; i++) {
        bool same = true;
        una_space_encode(t->space, t->point + i * size, other);
        for (size_t c = 0; c < t->space->columns; c++) same = same && fabs(u[c] - other[c]) < 1e-8;
        if (same) fail_msg("trial %zu is trial %zu again", t->count, i);
    }
    t->value[t->count] = NAN;
    t->state[t->count++] = UNA_TRIAL_OPEN;
    return point;
}

static void tell(trials *t, size_t index, double value)
{
    t->value[index] = value;
    t->state[index] = isnan(value) ? UNA_TRIAL_FAILED : UNA_TRIAL_TOLD;
}

static void put(trials *t, const double *point, double value)
{
    memcpy(t->point + t->count * t->space->count, point, t->space->count * sizeof *point);
    tell(t, t->count++, value);
}

static void put_line(trials *t, size_t count, double (*value)(double))
{
    for (size_t i = 0; i < count; i++) {
        double x = ((double)i + 0.37) / (double)count;
        put(t, &x, value(x));
    }
}

static double bowl(double x) { return (x - 0.3) * (x - 0.3); }
static double waves(double x) { return sin(9 * x) + 2 * bowl(x); }

/* ---- the schedule and the scale of values ---------------------------------------------------------------------- */

static void the_schedule_grows(void **state)
{
    (void)state;
    size_t trainings = 0;
    for (size_t told = 1; told <= 2000; told++) {
        size_t rows = una_surrogate_rows(told, true), before = una_surrogate_rows(told - 1, true);
        assert_int_equal(una_surrogate_rows(told, false), told);
        assert_true(rows >= 1 && rows <= told);
        if (told > 1) assert_true(rows == before || rows == told);       /* the newest row, or as it was */
        assert_int_equal(una_surrogate_rows(rows, true), rows);
        trainings += rows == told;
    }
    assert_true(trainings < 500);
}

static void values_are_compressed_and_come_back(void **state)
{
    (void)state;
    static const double sets[][6] = { { 3, 1, 4, 1, 5, 900 }, { -2, -2, -2, -2, -2, 7 },
                                      { 1e-9, 2e-9, 3e-9, 5e-9, 8e-9, 1 }, { 6, 6, 6, 6, 6, 6 },
                                      { -1e6, 0, 1, 2, 3, 4 } };
    una_run *run = quiet_run();
    for (size_t s = 0; s < 5; s++) {
        una_warp warp = una_warp_of(sets[s], 6, &run->scratch);
        double scale = warp.spread, last = -HUGE_VAL;
        assert_true(isfinite(warp.middle) && isfinite(scale) && scale > 0);
        for (double z = -6; z <= 60; z += 0.01) {
            double y = warp.middle + z * scale, value = una_warp_value(&warp, y);
            assert_true(value > last);
            assert_near(una_warp_back(&warp, value), y, 1e-12, 1e-12 * scale);
            last = value;
        }
        for (double z = -1; z < 1; z += 0.001) {                         /* slopes left and right of a place */
            double y = warp.middle + z * scale, h = 1e-5 * scale, at = una_warp_value(&warp, y);
            double right = (una_warp_value(&warp, y + h) - at) * 1e5, left = (at - una_warp_value(&warp, y - h)) * 1e5;
            assert_near(right, left, 1e-3, 1e-3);
        }
    }
    una_run_free(run);
}

static void names_stand_for_options(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const char *spec, *again;
    assert_ok(una_search_model(&spec, NULL, &run->scratch, run), run);
    assert_ok(una_search_model(&again, "gp", &run->scratch, run), run);
    assert_string_equal(spec, again);
    assert_ok(una_search_model(&again, spec, &run->scratch, run), run);          /* once and for all */
    assert_string_equal(spec, again);
    assert_ok(una_search_model(&spec, "luna(steps=7, members=3)", &run->scratch, run), run);
    assert_says(spec, "luna(steps=7, members=3, ");
    assert_null(strstr(spec, "members=1"));
    assert_ok(una_search_model(&spec, "linear", &run->scratch, run), run);       /* no opinion on this one */
    assert_string_equal(spec, "linear");
    assert_status(una_search_model(&spec, "lunar", &run->scratch, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "luna");
    assert_status(una_search_model(&spec, "gp(kernal=rbf)", &run->scratch, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "kernel");
    una_search *search;
    una_search_settings settings = { .space = space_of(line_space, run), .model = "gp", .acquisition = "eii",
                                     .initial = 4 };
    assert_status(una_search_new(&search, &settings, run), UNA_E_USAGE, run);
    assert_null(search);
    una_search_free(NULL);
    una_run_free(run);
}

/* ---- purity ---------------------------------------------------------------------------------------------------- */

static void same_proposal(const una_proposal *a, const una_proposal *b)
{
    double one[3] = { a->expected, a->doubt, a->gain }, two[3] = { b->expected, b->doubt, b->gain };
    for (size_t i = 0; i < 3; i++) assert_true(one[i] == two[i] || (isnan(one[i]) && isnan(two[i])));
}

/* One search that lives through it all, told late and out of order, with failures; and at every step a new one, on two
 * threads, that is given everything at once. */
static void pure(const char *json, const char *model, const char *acquisition, size_t steps)
{
    una_run *run = quiet_run(), *other = quiet_run_threads(2);
    trials t = { .space = space_of(json, run) };
    una_search *search = search_of(t.space, model, acquisition, 11, run);
    for (size_t step = 0; step < steps; step++) {
        double point[INPUTS];
        una_proposal one, two;
        una_history history = history_of(&t);
        una_search *fresh = search_of(t.space, model, acquisition, 11, other);
        assert_ok(una_search_next(fresh, &history, point, &two, other), other);
        una_search_free(fresh);
        ask(&t, search, &one, run);
        assert_memory_equal(point, last_point(&t), t.space->count * sizeof *point);
        same_proposal(&one, &two);

        if (step == 0) continue;
        size_t index = step % 2 ? step : step - 2;                       /* 1, 0, 3, 2, 5, 4 ...: one or two are open */
        const double *x = t.point + index * t.space->count;
        tell(&t, index, index % 6 == 4 ? NAN : waves(x[0]) + 0.1 * x[t.space->count - 1]);
    }
    una_search_free(search);
    una_run_free(other);
    una_run_free(run);
}

static void the_next_point_is_a_function_of_the_history(void **state)
{
    (void)state;
    size_t few = sanitized ? 8 : 13;
    pure(mixed_space, "gp", "log_ei", sanitized ? 15 : 26);
    pure(line_space, "gp", "thompson", few);
    pure(line_space, "gp", "noisy_ei(draws=3)", few);
    pure(branin_space, "gp", "ucb(beta=1)", few);
    pure(branin_space, "nlm(steps=15)", "log_ei", few);
    pure(branin_space, "nlm(steps=15)", "thompson", few);
    pure(mixed_space, "luna(steps=15)", "log_ei", few);
    pure(line_space, "luna(steps=15, members=2)", "ei", few);
    pure(mixed_space, "gp", "random", few);
}

/* A trial that is told late comes before rows that were taken in by updates: none of them may be kept. */
static void late_trials_take_their_place(void **state)
{
    (void)state;
    static const char *const models[] = { "gp", "nlm(steps=15)" };
    size_t trained = 1;
    while (una_surrogate_rows(trained, true) != trained || una_surrogate_rows(trained + 2, true) != trained) trained++;
    assert_true(trained + 4 < MOST);
    for (size_t k = 0; k < 2; k++) {
        una_run *run = quiet_run();
        trials t = { .space = space_of(line_space, run) };
        put_line(&t, trained + 2, waves);
        double late = t.value[trained];
        t.state[trained] = UNA_TRIAL_OPEN;
        una_search *search = search_of(t.space, models[k], "log_ei", 2, run);
        una_search *fresh = search_of(t.space, models[k], "log_ei", 2, run);
        ask(&t, search, NULL, run);
        t.count--;
        tell(&t, trained, late);
        una_proposal one, two;
        double x = *ask(&t, search, &one, run);
        t.count--;
        assert_true(x == *ask(&t, fresh, &two, run));
        same_proposal(&one, &two);
        assert_true(!one.trained && two.trained);
        una_search_free(search);
        una_search_free(fresh);
        una_run_free(run);
    }
}

/* ---- the highest place ----------------------------------------------------------------------------------------- */

static void no_place_of_a_fine_grid_is_higher(void **state)
{
    (void)state;
    const size_t side = sanitized ? 40 : 200;
    static const char *const acquisitions[] = { "log_ei", "ei", "ucb(beta=2)" };
    una_run *run = quiet_run();
    double *grid = malloc(2 * side * side * sizeof *grid), *gain = malloc(side * side * sizeof *gain);
    assert_true(grid && gain);
    for (size_t i = 0; i < side * side; i++) {
        grid[2 * i] = -5 + 15 * (double)(i % side) / (double)(side - 1);
        grid[2 * i + 1] = 15 * (double)(i / side) / (double)(side - 1);
    }
    for (size_t a = 0; a < 3; a++) {
        trials t = { .space = space_of(branin_space, run) };
        una_search *search = search_of(t.space, "gp", acquisitions[a], 2, run);
        while (t.count < (sanitized ? 9u : 16u)) {
            una_proposal proposal;
            una_history history = history_of(&t);
            double *point = ask(&t, search, &proposal, run), here, most = -HUGE_VAL;
            if (t.count == 9 || t.count == 16) {
                assert_ok(una_search_gain(search, &history, grid, side * side, gain, run), run);
                assert_ok(una_search_gain(search, &history, point, 1, &here, run), run);
                for (size_t i = 0; i < side * side; i++) most = fmax(most, gain[i]);
                assert_near(here, proposal.gain, 1e-9, 1e-9);
                if (!(here >= most - 1e-4 * (1 + fabs(most)))) fail_msg("%s: %g, but %g", acquisitions[a], here, most);
            }
            tell(&t, t.count - 1, una_branin(point));
        }
        una_search_free(search);
    }
    free(grid);
    free(gain);
    una_run_free(run);
}

enum { STEPPED = 12, EIGHT = 8, FIRST = 12 };

static const una_space *steps_space(una_run *run)
{
    una_text json = una_text_in(&run->scratch);
    for (size_t i = 0; i < STEPPED; i++) {
        una_text_add(&json, "%s\"i%zu\": ", i ? ", " : "{", i);
        if (i % 2) una_text_add(&json, "{\"type\": \"category\", \"levels\": [\"a\", \"b\", \"c\", \"d\", \"e\", "
                                "\"f\", \"g\", \"h\"]}");
        else una_text_add(&json, "{\"type\": \"integer\", \"low\": 0, \"high\": 7}");
    }
    una_text_add(&json, "}");
    return space_of(json.at, run);
}

static bool was_tried(const double *point, const double *tried, size_t count)
{
    for (size_t t = 0; t < count; t++)
        if (memcmp(point, tried + t * STEPPED, STEPPED * sizeof *point) == 0) return true;
    return false;
}

/* Whole numbers and levels: 8^12 points, of which candidates are few. No single one that is changed leads higher, but
 * to a point that was tried. */
static void no_step_leads_higher(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const una_space *space = steps_space(run);
    for (uint64_t seed = 0; seed < (sanitized ? 2 : 6); seed++) {
        double point[FIRST * STEPPED], value[FIRST] = {0}, unit[STEPPED], next[STEPPED], gain[EIGHT], here;
        una_trial_state states[FIRST];
        for (size_t t = 0; t < FIRST; t++) {
            una_quasi(unit, STEPPED, t, seed);
            una_space_place(space, unit, point + t * STEPPED);
            for (size_t i = 0; i < STEPPED; i++) value[t] += fabs(point[t * STEPPED + i] - (double)i);
            states[t] = UNA_TRIAL_TOLD;
        }
        una_history history = { FIRST, point, value, states };
        una_search *search = search_of(space, "gp", "ucb(beta=3)", seed, run);
        assert_ok(una_search_next(search, &history, next, NULL, run), run);
        assert_ok(una_search_gain(search, &history, next, 1, &here, run), run);
        for (size_t i = 0; i < STEPPED; i++) {
            double near[EIGHT * STEPPED];
            size_t count = i % 2 ? EIGHT : 2;
            for (size_t k = 0; k < count; k++) {
                memcpy(near + k * STEPPED, next, sizeof next);
                near[k * STEPPED + i] = i % 2 ? (double)k : fmin(7, fmax(0, next[i] + (k ? 1 : -1)));
            }
            assert_ok(una_search_gain(search, &history, near, count, gain, run), run);
            for (size_t k = 0; k < count; k++)
                assert_true(gain[k] <= here + 1e-9 || was_tried(near + k * STEPPED, point, FIRST));
        }
        una_search_free(search);
    }
    una_run_free(run);
}

/* ucb(beta=0) has no reason but the mean to go anywhere: the best place that is known again and again. */
static void known_points_are_not_tried_again(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    trials t = { .space = space_of(line_space, run) };
    una_search *search = search_of(t.space, "gp", "ucb(beta=0)", 1, run);
    while (t.count < (sanitized ? 12u : 30u)) {
        double x = *ask(&t, search, NULL, run);
        tell(&t, t.count - 1, bowl(x));
    }
    una_search_free(search);
    una_run_free(run);
}

static void a_finite_space_is_tried_out(void **state)
{
    (void)state;
    static const struct { const char *acquisition, *more; size_t points; } cases[] = {
        { "log_ei", "", 15 }, { "thompson", "", 15 }, { "random", "", 15 },
        { "log_ei", ", \"constraints\": [\"n*n <= 5\"]", 9 }, { "quasi", ", \"constraints\": [\"n*n <= 5\"]", 9 },
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        una_run *run = quiet_run();
        una_text json = una_text_in(&run->scratch);
        double point[2];
        una_text_add(&json, "{\"n\": {\"type\": \"integer\", \"low\": 0, \"high\": 4}, \"kind\": {\"type\": "
                     "\"category\", \"levels\": [\"p\", \"q\", \"r\"]}%s}", cases[c].more);
        trials t = { .space = space_of(json.at, run) };
        una_search *search = search_of(t.space, "gp", cases[c].acquisition, c, run);
        while (t.count < cases[c].points) {                              /* ask sees to it that each is new */
            const double *at = ask(&t, search, NULL, run);
            tell(&t, t.count - 1, at[0] - at[1] + at[0] * at[1]);
        }
        una_history history = history_of(&t);
        assert_status(una_search_next(search, &history, point, NULL, run), UNA_E_INPUT, run);
        assert_string_equal(una_run_message(run), "every point of the space has been tried");
        una_search_free(search);
        una_run_free(run);
    }
}

static void constraints_that_nothing_keeps(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    trials t = { .space = space_of("{\"x\": " REAL(0, 1) ", \"constraints\": [\"x > 2\"]}", run) };
    una_search *search = search_of(t.space, "gp", "log_ei", 0, run);
    una_history history = history_of(&t);
    double point;
    assert_status(una_search_next(search, &history, &point, NULL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no point of the space was found that keeps its constraints");
    una_search_free(search);
    una_run_free(run);
}

/* What `ask` checks, a hundred times: ranges, whole numbers, levels, constraints. */
static void proposals_are_valid(void **state)
{
    (void)state;
    static const struct { const char *model, *acquisition; size_t count; } of[] = {
        { "gp", "log_ei", 35 }, { "gp", "thompson", 15 }, { "nlm(steps=20)", "log_ei", 15 }, { "gp", "quasi", 50 },
        { "gp", "random", 50 }
    };
    for (size_t k = 0; k < sizeof of / sizeof *of; k++) {
        una_run *run = quiet_run();
        trials t = { .space = space_of(mixed_space, run) };
        una_search *search = search_of(t.space, of[k].model, of[k].acquisition, 4, run);
        size_t seen[3] = {0};
        while (t.count < (sanitized && k < 3 ? 9 : of[k].count)) {
            const double *x = ask(&t, search, NULL, run);
            seen[(size_t)x[3]]++;
            tell(&t, t.count - 1, waves(x[0]) + log10(x[1]) - fabs(x[2] - 7) / 10 + (x[3] == 1));
        }
        if (k >= 3) assert_true(seen[0] > 5 && seen[1] > 5 && seen[2] > 5);
        una_search_free(search);
        una_run_free(run);
    }
}

static void points_without_a_model(void **state)
{
    (void)state;
    static const char *const names[] = { "quasi", "random" };
    double first[2] = {0};
    for (size_t k = 0; k < 2; k++) {
        una_run *run = quiet_run();
        trials t = { .space = space_of(line_space, run) };
        una_search *search = search_of(t.space, "gp", names[k], 9, run);
        size_t bins[8] = {0}, least = 64;
        while (t.count < 64) {
            una_proposal proposal;
            double x = *ask(&t, search, &proposal, run);
            assert_true(isnan(proposal.expected) && isnan(proposal.gain) && !proposal.trained);
            bins[(size_t)(8 * x)]++;
            if (t.count == 1) first[k] = x;
            tell(&t, t.count - 1, bowl(x));
        }
        for (size_t b = 0; b < 8; b++) least = bins[b] < least ? bins[b] : least;
        assert_true(k == 0 ? least >= 7 : least < 7);                    /* even, and not */
        una_search_free(search);
        una_run_free(run);
    }
    assert_true(first[0] != first[1]);
}

/* ---- draws and noise ------------------------------------------------------------------------------------------- */

/* The proposal is at the bottom of the function that the model gives away for this trial. */
static void thompson_goes_to_the_bottom_of_a_draw(void **state)
{
    (void)state;
    enum { TOLD = 9, GRID = 301 };
    double found[4];
    for (uint64_t seed = 0; seed < 4; seed++) {
        una_run *run = quiet_run();
        trials t = { .space = space_of(line_space, run) };
        put_line(&t, TOLD, waves);
        una_search *search = search_of(t.space, "nlm(steps=60)", "thompson", seed, run);
        found[seed] = *ask(&t, search, NULL, run);
        una_search_free(search);

        una_surrogate_data known = { .columns = 1, .u = t.point, .y = t.value, .told = TOLD };
        const una_model *model;
        una_model *function;
        const char *spec;
        double u[GRID + 1], mean[GRID + 1], least = HUGE_VAL;
        for (size_t i = 0; i < GRID; i++) u[i] = (double)i / (GRID - 1);
        u[GRID] = found[seed];
        assert_ok(una_search_model(&spec, "nlm(steps=60)", &run->scratch, run), run);
        una_surrogate surrogate = una_surrogate_of(spec, seed, run);
        assert_ok(una_surrogate_learn(&model, &surrogate, &known, run), run);
        run->settings.seed = seed;
        assert_ok(una_model_sample(&function, model, TOLD, run), run);
        una_prediction out = { .size = sizeof out, .mean = mean };
        assert_ok(una_model_predict_rows(function, u, GRID + 1, 0.9, &out, run), run);
        for (size_t i = 0; i < GRID; i++) least = fmin(least, mean[i]);
        assert_true(mean[GRID] <= least + 1e-3);
        una_model_free(function);
        una_surrogate_free(&surrogate);
        una_run_free(run);
    }
    assert_true(found[0] != found[1] && found[1] != found[2] && found[2] != found[3]);
}

static void draws_of_a_process_gather_at_the_bottom(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double sum = 0, first = 0;
    bool differ = false;
    for (uint64_t seed = 0; seed < 6; seed++) {
        trials t = { .space = space_of(line_space, run) };
        put_line(&t, 12, bowl);
        una_search *search = search_of(t.space, "gp", "thompson", seed, run);
        double x = *ask(&t, search, NULL, run);
        assert_true(fabs(x - 0.3) < 0.15);
        differ = differ || (seed > 0 && x != first);
        if (seed == 0) first = x;
        sum += x;
        una_search_free(search);
    }
    assert_true(differ);
    assert_near(sum / 6, 0.3, 0, 0.05);
    una_run_free(run);
}

/* Without noise all functions drawn at the told points are the one that was told. */
static void noisy_improvement_without_noise_is_the_plain_one(void **state)
{
    (void)state;
    enum { ASKED = 30 };
    static const char spec[] = "gp(kernel=matern52(length=0.3), optimise=no, amplitude=1, noise_std=0.0001, ard=no)";
    una_run *run = quiet_run();
    trials t = { .space = space_of(line_space, run) };
    put_line(&t, 5, waves);
    una_search *plain = search_of(t.space, spec, "log_ei", 1, run);
    una_search *noisy = search_of(t.space, spec, "noisy_ei(draws=5)", 1, run);
    una_history history = history_of(&t);
    double x[ASKED], one[ASKED], two[ASKED];
    for (size_t i = 0; i < ASKED; i++) x[i] = (double)i / (ASKED - 1);
    assert_ok(una_search_gain(plain, &history, x, ASKED, one, run), run);
    assert_ok(una_search_gain(noisy, &history, x, ASKED, two, run), run);
    assert_arrays_near(two, one, ASKED, 0.003, 0.01);
    una_search_free(plain);
    una_search_free(noisy);
    una_run_free(run);
}

static void noisy_values_do_not_lead_astray(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 3);
    trials t = { .space = space_of(line_space, run) };
    una_search *search = search_of(t.space, "gp", "noisy_ei(draws=4)", 3, run);
    while (t.count < (sanitized ? 8u : 24u)) {
        una_proposal proposal;
        double x = *ask(&t, search, &proposal, run);
        tell(&t, t.count - 1, 4 * bowl(x) + 0.1 * una_rng_normal(&rng));
        if (t.count > 5) assert_true(isfinite(proposal.gain) && proposal.doubt > 0);
    }
    una_search_free(search);
    double near = 0;
    for (size_t i = 12; i < t.count; i++) near += fabs(t.point[i] - 0.3) < 0.2;
    if (!sanitized) assert_true(near >= 7);
    una_run_free(run);
}

/* ---- several at once, both goals, predictions ------------------------------------------------------------------ */

/* An open point has its own mean for a value: nothing is learnt but that it will be known, so that less is gained there
 * than before. */
static void open_points_push_each_other_away(void **state)
{
    skip_if_sanitized();
    (void)state;
    static const char *const models[] = { "gp", "nlm(steps=60)", "ensemble(members=2, of=nn(steps=40))" };
    for (size_t k = 0; k < 3; k++) {
        una_run *run = quiet_run();
        trials t = { .space = space_of(branin_space, run) };
        una_search *search = search_of(t.space, models[k], "log_ei", 6, run);
        while (t.count < 10) {
            const double *x = ask(&t, search, NULL, run);
            tell(&t, t.count - 1, una_branin(x));
        }
        for (size_t q = 0; q < 4; q++) {
            una_proposal proposal;
            double *x = ask(&t, search, &proposal, run), after;
            una_history history = history_of(&t);
            if (k == 2) continue;
            assert_ok(una_search_gain(search, &history, x, 1, &after, run), run);
            assert_true(after < proposal.gain - 1e-3);
            for (size_t i = 10; k == 0 && i < t.count - 1; i++)
                assert_true(hypot(x[0] - t.point[2 * i], x[1] - t.point[2 * i + 1]) > 0.01);
        }
        una_search_free(search);
        una_run_free(run);
    }
}

static void the_largest_is_the_least_of_the_negated(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const una_space *space = space_of(branin_space, run);
    const char *spec;
    assert_ok(una_search_model(&spec, "gp", &run->scratch, run), run);
    una_search *search[2];
    trials t[2] = { { .space = space }, { .space = space } };
    for (int k = 0; k < 2; k++) {
        una_search_settings settings = { .space = space, .model = spec, .acquisition = "log_ei", .maximize = k == 1,
                                         .seed = 8, .initial = 4 };
        assert_ok(una_search_new(&search[k], &settings, run), run);
    }
    for (size_t step = 0; step < 9; step++) {
        una_proposal proposal[2];
        for (int k = 0; k < 2; k++) {
            const double *x = ask(&t[k], search[k], &proposal[k], run);
            tell(&t[k], step, step == 5 ? NAN : k == 1 ? -una_branin(x) : una_branin(x));
        }
        assert_memory_equal(last_point(&t[0]), last_point(&t[1]), 2 * sizeof(double));
        proposal[1].expected = -proposal[1].expected;
        same_proposal(&proposal[0], &proposal[1]);
    }
    una_history history = history_of(&t[0]), negated = history_of(&t[1]);
    const double at[2] = { 1, 2 };
    double mean[2], std[2];
    assert_ok(una_search_predict(search[0], &history, at, 1, &mean[0], &std[0], run), run);
    assert_ok(una_search_predict(search[1], &negated, at, 1, &mean[1], &std[1], run), run);
    assert_true(mean[0] == -mean[1] && std[0] == std[1] && std[0] > 0);
    for (int k = 0; k < 2; k++) una_search_free(search[k]);
    una_run_free(run);
}

/* To the bit: where nothing came out, the worst of what did is believed. */
static void failed_trials_count_as_the_worst(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const una_space *space = space_of(line_space, run);
    trials failed = { .space = space }, told = { .space = space };
    put_line(&failed, 13, waves);
    put_line(&told, 13, waves);
    double worst = -HUGE_VAL;
    for (size_t i = 0; i < 13; i++)
        if (i % 4 != 1) worst = fmax(worst, told.value[i]);
    for (size_t i = 1; i < 13; i += 4) tell(&failed, i, NAN), tell(&told, i, worst);
    una_search *one = search_of(space, "gp", "log_ei", 0, run), *two = search_of(space, "gp", "log_ei", 0, run);
    for (size_t k = 0; k < 3; k++) assert_true(*ask(&failed, one, NULL, run) == *ask(&told, two, NULL, run));
    una_search_free(one);
    una_search_free(two);
    una_run_free(run);
}

/* Beside a model of one's own, of values on the search's scale and inputs in [0, 1]; its hyperparameters are given, so
 * that no seed counts. The improvement is on the least mean at a told point, not on the least value. */
static void predictions_are_in_the_units_of_the_user(void **state)
{
    (void)state;
    enum { MOST_TOLD = 9, ASKED = 20 };
    const size_t rows = una_surrogate_rows(MOST_TOLD, true);             /* all of them train */
    static const char spec[] = "gp(kernel=matern52(length=0.3), optimise=no, amplitude=1, noise_std=0.1, ard=no)";
    static const char *const names[] = { "x1", "y" };
    una_run *run = quiet_run();
    trials t = { .space = space_of("{\"x\": " REAL(10, 50) "}", run) };
    for (size_t i = 0; i < rows; i++)
        put(&t, (double[]){ 12 + 4 * (double)i }, exp(0.1 * (double)i) * waves((double)i / 9));
    una_search *search = search_of(t.space, spec, "log_ei", 1, run);
    una_history history = history_of(&t);
    double x[ASKED], u[ASKED], mean[ASKED], std[ASKED], middle[ASKED], ignorance[ASKED], gain[ASKED], told[MOST_TOLD];
    double y[MOST_TOLD];
    for (size_t i = 0; i < ASKED; i++) x[i] = 10 + 2 * (double)i, u[i] = (x[i] - 10) / 40;
    assert_ok(una_search_predict(search, &history, x, ASKED, mean, std, run), run);

    una_warp warp = una_warp_of(t.value, rows, &run->scratch);
    for (size_t i = 0; i < rows; i++) told[i] = (t.point[i] - 10) / 40, y[i] = una_warp_value(&warp, t.value[i]);
    una_dataset *data;
    una_model *model;
    const char *full;
    assert_ok(una_search_model(&full, spec, &run->scratch, run), run);
    assert_ok(una_dataset_from_arrays(&data, told, y, rows, 1, names, run), run);
    assert_ok(una_fit(&model, full, data, NULL, run), run);
    una_prediction out = { .size = sizeof out, .mean = middle, .std_epistemic = ignorance };
    assert_ok(una_model_predict_rows(model, u, ASKED, 0.9, &out, run), run);
    double best = HUGE_VAL, at_told[MOST_TOLD];
    una_prediction there_too = { .size = sizeof out, .mean = at_told };
    assert_ok(una_model_predict_rows(model, told, rows, 0.9, &there_too, run), run);
    for (size_t i = 0; i < rows; i++) best = fmin(best, at_told[i]);
    assert_ok(una_search_gain(search, &history, x, ASKED, gain, run), run);
    for (size_t i = 0; i < ASKED; i++) {
        una_belief at = { middle[i], ignorance[i], best, NULL, 0, 0 };       /* of log_ei */
        assert_near(gain[i], una_acquisitions[0].value(&at), 1e-6, 1e-6);
        double high = una_warp_back(&warp, middle[i] + ignorance[i]);
        double low = una_warp_back(&warp, middle[i] - ignorance[i]);
        assert_near(mean[i], una_warp_back(&warp, middle[i]), 1e-9, 1e-9);
        assert_near(std[i], (high - low) / 2, 1e-7, 1e-9);
    }
    for (size_t i = 0; i < rows; i++) {                                  /* near what was told, where it was told */
        double there, doubt;
        assert_ok(una_search_predict(search, &history, &t.point[i], 1, &there, &doubt, run), run);
        assert_near(there, t.value[i], 0, 0.3);
    }
    t.count = 1;
    history = history_of(&t);
    assert_status(una_search_predict(search, &history, x, 1, mean, std, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "at least two trials");
    una_model_free(model);
    una_dataset_free(data);
    una_search_free(search);
    una_run_free(run);
}

/* ---- poor histories -------------------------------------------------------------------------------------------- */

static double nothing(double x) { return (void)x, NAN; }
static double flat(double x) { return (void)x, 3; }
static double cliff(double x) { return x < 0.5 ? 1e300 : -1e300; }
static double steep(double x) { return x < 0.9 ? x : 1.7e308; }
static double pit(double x) { return x < 0.1 ? -1.7e308 : x > 0.9 ? 1.7e308 : 1.6e308; }
static double tiny(double x) { return 1e-310 * x; }
static double lone(double x) { return x < 0.1 ? 1 : NAN; }

static void a_point_comes_out_of_any_history(void **state)
{
    (void)state;
    static double (*const values[])(double) = { nothing, flat, cliff, steep, pit, tiny, lone, bowl };
    static const char *const models[] = { "gp", "nlm(steps=10)", "linear" };
    static const char *const acquisitions[] = { "log_ei", "thompson", "noisy_ei(draws=2)", "ucb", "ei" };
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (size_t m = 0; m < 3; m++)
            for (size_t a = 0; a < 5; a++)
                for (size_t count = a ? 7 : 2; count <= 7; count += 5) {
                    una_run *run = quiet_run();
                    trials t = { .space = space_of(line_space, run) };
                    put_line(&t, count, values[v]);
                    una_search_settings settings = { .space = t.space, .acquisition = acquisitions[a], .initial = 1 };
                    una_search *search;
                    assert_ok(una_search_model(&settings.model, models[m], &run->scratch, run), run);
                    assert_ok(una_search_new(&search, &settings, run), run);
                    ask(&t, search, NULL, run);
                    ask(&t, search, NULL, run);
                    una_search_free(search);
                    una_run_free(run);
                }
}

/* ---- how well, and memory -------------------------------------------------------------------------------------- */

static void branin_is_found(void **state)
{
    (void)state;
    enum { STEPS = 40, SEEDS = 5 };
    skip_if_sanitized();
    const known_function *f = known_function_find("branin");
    size_t found = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        una_run *run = quiet_run();
        trials t = { .space = space_of(branin_space, run) };
        una_search *search = search_of(t.space, "gp", "log_ei", seed, run);
        double best = HUGE_VAL;
        while (t.count < STEPS) {
            const double *x = ask(&t, search, NULL, run);
            tell(&t, t.count - 1, f->value(x));
            best = fmin(best, t.value[t.count - 1]);
        }
        found += best - f->least < 0.05;
        una_search_free(search);
        una_run_free(run);
    }
    assert_true(found >= 4);
}

typedef struct wanted { const char *model, *acquisition; } wanted;

static una_status search_once(void *context, una_run *run)
{
    const wanted *want = context;
    una_arena keep;
    una_space *space;
    una_search *search = NULL;
    const double point[5] = { 0.1, 0.3, 0.5, 0.8, 0.95 }, value[5] = { 1, 0.2, 0.5, NAN, NAN };
    const una_trial_state states[5] = { UNA_TRIAL_TOLD, UNA_TRIAL_TOLD, UNA_TRIAL_TOLD, UNA_TRIAL_FAILED,
                                        UNA_TRIAL_OPEN };
    una_history history = { 5, point, value, states };
    double next;
    una_arena_init(&keep, run);
    una_status status = una_space_parse(&space, line_space, NULL, &keep, run);
    una_search_settings settings = { .acquisition = want->acquisition, .initial = 2, .model = want->model };
    if (status == UNA_OK) settings.space = space;
    if (status == UNA_OK) status = una_search_new(&search, &settings, run);
    if (status == UNA_OK) status = una_search_next(search, &history, &next, NULL, run);
    una_search_free(search);
    una_arena_free(&keep);
    return status;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    wanted of[] = { { "linear", "log_ei" }, { "linear", "thompson" }, { "linear", "noisy_ei(draws=2)" },
                    { "linear", "quasi" }, { "gp(optimise=no)", "log_ei" }, { "gp(optimise=no)", "thompson" } };
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        if (!sanitized || i < 4) assert_true(sweep_allocations(search_once, &of[i]) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_schedule_grows),
        cmocka_unit_test(values_are_compressed_and_come_back),
        cmocka_unit_test(names_stand_for_options),
        cmocka_unit_test(the_next_point_is_a_function_of_the_history),
        cmocka_unit_test(late_trials_take_their_place),
        cmocka_unit_test(no_place_of_a_fine_grid_is_higher),
        cmocka_unit_test(no_step_leads_higher),
        cmocka_unit_test(known_points_are_not_tried_again),
        cmocka_unit_test(a_finite_space_is_tried_out),
        cmocka_unit_test(constraints_that_nothing_keeps),
        cmocka_unit_test(proposals_are_valid),
        cmocka_unit_test(points_without_a_model),
        cmocka_unit_test(thompson_goes_to_the_bottom_of_a_draw),
        cmocka_unit_test(draws_of_a_process_gather_at_the_bottom),
        cmocka_unit_test(noisy_improvement_without_noise_is_the_plain_one),
        cmocka_unit_test(noisy_values_do_not_lead_astray),
        cmocka_unit_test(open_points_push_each_other_away),
        cmocka_unit_test(the_largest_is_the_least_of_the_negated),
        cmocka_unit_test(failed_trials_count_as_the_worst),
        cmocka_unit_test(predictions_are_in_the_units_of_the_user),
        cmocka_unit_test(a_point_comes_out_of_any_history),
        cmocka_unit_test(branin_is_found),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
