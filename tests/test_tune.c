/* SPDX-License-Identifier: MIT
 *
 * Options of a model: search spaces as text, read and enumerated; searches over them with made-up scores, whose best is
 * known; real fits, kept and not made twice.
 */
#include "test_support.h"

#include "select/tune.h"
#include "select/option_space.h"

typedef struct scene { una_run *run; una_arena arena; una_option_space over; } scene;

static void begin(scene *s)
{
    s->run = quiet_run();
    una_arena_init(&s->arena, s->run);
}

static void end(scene *s)
{
    una_arena_free(&s->arena);
    una_run_free(s->run);
}

static const una_option_axis *axis_of(scene *s, const char *text)
{
    assert_ok(una_option_space_parse(&s->over, text, (const char *[]){ "nlm" }, 1, &s->arena, s->run), s->run);
    return &s->over.axis[0];
}

/* ---- the text -------------------------------------------------------------------------------------------- */

static void spacings_by_closed_form(void **state)
{
    (void)state;
    scene s;
    begin(&s);
    const una_option_axis *a = axis_of(&s, "penalty=1e-5:1e-1:log5");
    assert_int_equal(a->count, 5);
    for (size_t i = 0; i < 5; i++) assert_near(atof(a->value[i]), pow(10, (double)i - 5), 1e-12, 0);
    assert_string_equal(a->value[1], "0.0001");
    a = axis_of(&s, "penalty=0.002:3:log7");
    for (size_t i = 0; i < 7; i++) assert_near(atof(a->value[i]), 0.002 * pow(1500, (double)i / 6), 1e-5, 0);
    assert_string_equal(a->value[6], "3");
    a = axis_of(&s, "penalty = 0 : 1 : 5");
    for (size_t i = 0; i < 5; i++) assert_near(atof(a->value[i]), 0.25 * (double)i, 0, 0);
    assert_true(a->rising);

    /* Whole numbers, each once. */
    a = axis_of(&s, "width=10:100:log3");
    assert_int_equal(a->count, 3);
    assert_string_equal(a->value[1], "32");
    a = axis_of(&s, "depth=1:3:9");
    assert_int_equal(a->count, 3);
    assert_string_equal(a->value[2], "3");
    end(&s);
}

static void a_grid_in_order(void **state)
{
    (void)state;
    static const char *const wanted[] = {
        "nlm(width=25, activation=relu, rate=0.01)", "nlm(width=25, activation=tanh, rate=0.01)",
        "nlm(width=50, activation=relu, rate=0.01)", "nlm(width=50, activation=tanh, rate=0.01)",
    };
    scene s;
    begin(&s);
    const char *value[2], *spec;
    /* What the model says of an option that is varied goes. */
    assert_ok(una_option_space_parse(&s.over, "width=25|50, activation=relu | \"tanh\"",
                                     (const char *[]){ "nlm(width=7, rate=0.01)" }, 1,
                                     &s.arena, s.run), s.run);
    assert_int_equal(una_option_space_combinations(&s.over), 4);
    assert_ok(una_option_space_check_grid(&s.over, s.run), s.run);
    for (uint64_t i = 0; i < 4; i++) {
        una_option_space_at(value, &s.over, i);
        assert_ok(una_option_space_spec(&spec, NULL, &s.over, value, &s.arena, s.run), s.run);
        assert_string_equal(spec, wanted[i]);
    }
    assert_true(s.over.axis[0].rising);
    assert_false(s.over.axis[1].rising);

    /* Specs inside of specs are values, too. */
    assert_ok(una_option_space_parse(&s.over, "of=nlm(width=5, depth=1)|luna(width=5)", (const char *[]){ "ensemble" }, 1, &s.arena, s.run),
              s.run);
    assert_int_equal(s.over.axis[0].count, 2);
    assert_string_equal(s.over.axis[0].value[0], "nlm(width=5, depth=1)");
    end(&s);
}

static void draws_stay_inside(void **state)
{
    (void)state;
    scene s;
    begin(&s);
    size_t below = 0, seen[4] = {0};
    const char *value[3];
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    assert_ok(una_option_space_parse(&s.over, "penalty=1e-4:1:log, depth=1:3, activation=relu|tanh", (const char *[]){ "nlm" }, 1, &s.arena,
                                     s.run), s.run);
    assert_int_equal(una_option_space_combinations(&s.over), 0);
    for (size_t i = 0; i < 3000; i++) {
        una_option_space_draw(value, &s.over, &rng, &s.arena);
        double penalty = atof(value[0]), depth = atof(value[1]);
        assert_true(penalty >= 1e-4 && penalty <= 1 && strlen(value[0]) <= 10);
        assert_true(depth == 1 || depth == 2 || depth == 3);
        below += penalty < 1e-2;
        seen[(size_t)depth]++;
    }
    assert_near((double)below / 3000, 0.5, 0, 0.05);             /* evenly in the logarithm */
    for (size_t d = 1; d <= 3; d++) assert_near((double)seen[d] / 3000, 1.0 / 3, 0, 0.05);
    end(&s);
}

static void what_cannot_be_read(void **state)
{
    (void)state;
    static const struct { const char *over, *says; } wrong[] = {
        { "", "nothing to search over" }, { "penalty", "'='" }, { "penalty=1:0:5", "begin with the smaller number" },
        { "penalty=0:1:log5", "above 0" }, { "penalty=1e-5:1e-1:logs", "low:high:log5" },
        { "penalty=1e-5:x:5", "low:high:5" }, { "penalty=1:2:3:4", "low:high:5" }, { "penalty=1:2:1", "two values" },
        { "width=2.5:9:3", "whole number" }, { "width=5||7", "missing beside a '|'" }, { "width=5|5", "twice" },
        { "width=5|many", "width=5|many" }, { "widht=5|6", "did you mean" }, { "penalty=-1|1", "penalty=-1|1" },
        { "penalty=-5:1", "penalty=-5:1" }, { "activation=relu|tahn", "tanh" }, { "width=5, width=6", "second time" },
        { "width=a:b", "low:high" }, { "penalty=1:2:1000001", "too many" }, { "penalty=1:1:5", "empty" },
        { "penalty=2:2", "empty" },
        { "penalty=-1:1:log5", "above 0" },
    };
    scene s;
    begin(&s);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        una_status status = una_option_space_parse(&s.over, wrong[i].over, (const char *[]){ "nlm" }, 1, &s.arena, s.run);
        if (status != UNA_E_USAGE) print_error("%s\n", wrong[i].over);
        assert_status(status, UNA_E_USAGE, s.run);
        assert_says(una_run_message(s.run), wrong[i].says);
    }
    assert_status(una_option_space_parse(&s.over, "width=5", (const char *[]){ "nml" }, 1, &s.arena, s.run), UNA_E_USAGE, s.run);

    assert_ok(una_option_space_parse(&s.over, "penalty=1e-5:1:log", (const char *[]){ "nlm" }, 1, &s.arena, s.run), s.run);
    assert_status(una_option_space_check_grid(&s.over, s.run), UNA_E_USAGE, s.run);
    assert_says(una_run_message(s.run), "penalty=1e-5:1:log5");
    assert_ok(una_option_space_parse(&s.over, "penalty=0:1:1001, rate=0.1:0.5:1000", (const char *[]){ "nlm" }, 1, &s.arena, s.run), s.run);
    assert_status(una_option_space_check_grid(&s.over, s.run), UNA_E_USAGE, s.run);
    assert_says(una_run_message(s.run), "1001000 combinations");
    end(&s);
}

/* ---- searches -------------------------------------------------------------------------------------------- */

typedef struct stage { _Atomic size_t calls; double best; } stage;

static double option_in(const char *spec, const char *key)
{
    const char *at = strstr(spec, key);
    assert_non_null(at);
    return atof(at + strlen(key) + 1);
}

/* One hill over log10 of the penalty; nothing comes out above 10. */
static una_status hill(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    stage *s = context;
    double at = log10(option_in(key->spec, "penalty"));
    (void)run;
    s->calls++;
    outcome->value[0] = at > 1 ? NAN : -(at - s->best) * (at - s->best);
    outcome->value[1] = 1;
    return UNA_OK;
}

static una_dataset *some_rows(una_run *run)
{
    double x[30], y[30];
    una_dataset *data = NULL;
    for (size_t i = 0; i < 30; i++) x[i] = (double)(i * 7 % 30) / 10, y[i] = sin(x[i]) + 0.1 * cos(31 * x[i]);
    assert_ok(una_dataset_from_arrays(&data, x, y, 30, 1, NULL, run), run);
    return data;
}

static una_tuned *search(const char *over, const char *how, size_t trials, stage *s, una_run *run)
{
    una_tuned *tuned;
    una_dataset *data = some_rows(run);
    s->calls = 0;
    assert_ok(una_tune_by(&tuned, data, &SIZED(una_tune_settings, .model = "nlm", .over = over, .search = how,
                                               .trials = trials), hill, s, run), run);
    una_dataset_free(data);
    return tuned;
}

static void the_best_comes_first(void **state)
{
    (void)state;
    una_run *run = quiet_run_threads(2);
    stage s = { .best = -2.2 };
    una_tuned *tuned = search("penalty=1e-5:100:log8, depth=1|2", NULL, 0, &s, run);
    assert_int_equal(tuned->count, 16);
    assert_int_equal(tuned->made, 16);
    assert_int_equal(s.calls, 16);
    assert_string_equal(tuned->spec[0], "nlm(depth=1, penalty=0.01)");
    assert_string_equal(tuned->spec[1], "nlm(depth=2, penalty=0.01)");
    for (size_t i = 1; i < 14; i++) assert_true(tuned->log_lik[i] <= tuned->log_lik[i - 1]);
    for (size_t i = 14; i < 16; i++) assert_true(isnan(tuned->log_lik[i]));
    una_tuned_free(tuned);
    una_run_free(run);
}

/* Draws differ from each other, from seed to seed, and not from run to run. */
static void draws_are_seeded(void **state)
{
    (void)state;
    una_run *run = quiet_run(), *two = quiet_run_threads(2), *other = NULL;
    stage s = { .best = -2 };
    assert_ok(una_run_new(&other, &SIZED(una_run_settings, .seed = 1, .threads = 1)), NULL);
    una_tuned *a = search("penalty=1e-5:1:log", "random", 12, &s, run);
    assert_int_equal(a->count, 12);
    una_tuned *b = search("penalty=1e-5:1:log", "random", 12, &s, two);
    una_tuned *c = search("penalty=1e-5:1:log", "random", 12, &s, other);
    size_t shared = 0;
    for (size_t i = 0; i < 12; i++) {
        assert_string_equal(a->spec[i], b->spec[i]);
        for (size_t k = 0; k < 12; k++) {
            assert_true(i == k || strcmp(a->spec[i], a->spec[k]) != 0);
            shared += strcmp(a->spec[i], c->spec[k]) == 0;
        }
    }
    assert_true(shared < 3);
    una_tuned_free(a);
    una_tuned_free(b);
    una_tuned_free(c);

    a = search("penalty=0.1|0.2, depth=1|2", "random", 12, &s, run);     /* there are four */
    assert_int_equal(a->count, 4);
    una_tuned_free(a);
    una_run_free(other);
    una_run_free(two);
    una_run_free(run);
}

static void bayes_finds_the_hill(void **state)
{
    (void)state;
    una_run *run = quiet_run(), *two = quiet_run_threads(2);
    stage s = { .best = -2.345 };
    una_tuned *tuned = search("penalty=1e-6:1:log", "bayes", 14, &s, run);
    assert_int_equal(tuned->count, 14);
    assert_int_equal(s.calls, 14);
    assert_true(tuned->log_lik[0] > -0.01);              /* within a tenth of a decade, of six */
    una_tuned *same = search("penalty=1e-6:1:log", "bayes", 14, &s, two);
    for (size_t i = 0; i < 14; i++) assert_string_equal(tuned->spec[i], same->spec[i]);
    una_tuned_free(same);
    una_tuned_free(tuned);

    /* Values in order, words, and fits that fail. */
    tuned = search("penalty=1e-5:100:log15, depth=1|2|3, activation=relu|tanh", "bayes", 20, &s, run);
    assert_int_equal(tuned->count, 20);
    assert_true(tuned->log_lik[0] > -0.1);
    una_tuned_free(tuned);
    una_run_free(two);
    una_run_free(run);
}

/* ---- fits ------------------------------------------------------------------------------------------------ */

static void no_fit_is_made_twice(void **state)
{
    (void)state;
    const char *folder = temp_path("tuning");
    una_run *run = quiet_run_threads(2);
    una_dataset *data = some_rows(run);
    una_tuned *tuned;
    una_tune_settings settings = SIZED(una_tune_settings, .model = "nlm(epochs=5, members=1)", .out = folder,
                                       .over = "width=4|8");
    assert_ok(una_tune(&tuned, data, &settings, run), run);
    assert_int_equal(tuned->made, 2);
    una_model *model;
    una_run *alone = quiet_run();
    assert_ok(una_fit(&model, tuned->spec[0], data, NULL, alone), alone);
    assert_near(una_model_info(model)->valid_log_lik, tuned->log_lik[0], 0, 0);
    assert_near(una_model_info(model)->valid_rmse, tuned->rmse[0], 0, 0);
    una_model_free(model);
    una_tuned_free(tuned);
    una_run_free(alone);

    settings.over = "width=4|8|12";
    assert_ok(una_tune(&tuned, data, &settings, run), run);
    assert_int_equal(tuned->count, 3);
    assert_int_equal(tuned->made, 1);
    una_tuned_free(tuned);

    /* Another way of fitting, or other rows, is another thing. */
    settings.fit = SIZED(una_fit_settings, .valid_fraction = 0.3);
    settings.over = "width=4|8";
    assert_ok(una_tune(&tuned, data, &settings, run), run);
    assert_int_equal(tuned->made, 2);
    una_tuned_free(tuned);
    settings.fit.valid = data;
    assert_ok(una_tune(&tuned, data, &settings, run), run);
    assert_int_equal(tuned->made, 2);
    una_tuned_free(tuned);

    una_dataset_free(data);
    una_run_free(run);
}

/* Some kinds hold no rows out: they are judged by rows that were taken away before. */
static void kinds_that_hold_nothing_out(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = some_rows(run);
    una_tuned *tuned;
    una_tune_settings settings = SIZED(una_tune_settings, .model = "hmc(samples=20, warmup=20, width=4)",
                                       .over = "depth=1|2", .fit = SIZED(una_fit_settings, .target = "x1"));
    assert_ok(una_tune(&tuned, data, &settings, run), run);
    assert_int_equal(tuned->count, 2);
    for (size_t i = 0; i < 2; i++) assert_true(isfinite(tuned->log_lik[i]) && tuned->rmse[i] > 0);
    una_tuned_free(tuned);
    una_dataset_free(data);
    una_run_free(run);
}

static void refusals(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = some_rows(run);
    una_tuned *tuned;
    una_tune_settings settings = SIZED(una_tune_settings, .model = "nlm", .over = "width=4|8", .search = "luck");
    assert_status(una_tune(&tuned, data, &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "grid, random and bayes");
    assert_null(tuned);
    settings.search = NULL;
    settings.over = NULL;
    assert_status(una_tune(&tuned, data, &settings, run), UNA_E_USAGE, run);
    settings.over = "width=4|8";
    settings.fit = SIZED(una_fit_settings, .target = "z");
    assert_status(una_tune(&tuned, data, &settings, run), UNA_E_INPUT, run);
    settings.fit.target = NULL;
    settings.model = "nlm(width=4";
    assert_status(una_tune(&tuned, data, &settings, run), UNA_E_USAGE, run);
    settings.model = NULL;
    assert_status(una_tune(&tuned, data, &settings, run), UNA_E_USAGE, run);     /* auto has no width */
    assert_says(una_run_message(run), "luna");
    una_tuned_free(NULL);
    una_dataset_free(data);
    una_run_free(run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    una_run *sound = quiet_run();
    una_dataset *data = some_rows(sound);
    stage s = { .best = -1 };
    struct fail_after memory = { .left = 0 };
    una_run_settings settings = failing_settings(&memory);
    static const char *const searches[] = { "grid", "random", "bayes" };
    for (size_t k = 0; k < 3; k++) {
        una_status status = UNA_E_MEMORY;
        for (long after = 2; status != UNA_OK; after += 1 + after / 12) {
            una_run *run = NULL;
            una_tuned *tuned = NULL;
            memory.left = -1;
            assert_int_equal(una_run_new(&run, &settings), UNA_OK);
            memory.left = after;
            status = una_tune_by(&tuned, data, &SIZED(una_tune_settings, .model = "nlm", .search = searches[k],
                                 .trials = 6, .over = k ? "penalty=1e-3:1:log" : "penalty=1e-3:1:log6"), hill, &s, run);
            if (status != UNA_OK) assert_int_equal(status, UNA_E_MEMORY);
            una_tuned_free(tuned);
            una_run_free(run);
            assert_int_equal(memory.live, 0);
        }
    }
    una_dataset_free(data);
    una_run_free(sound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spacings_by_closed_form), cmocka_unit_test(a_grid_in_order),
        cmocka_unit_test(draws_stay_inside), cmocka_unit_test(what_cannot_be_read),
        cmocka_unit_test(the_best_comes_first), cmocka_unit_test(draws_are_seeded),
        cmocka_unit_test(bayes_finds_the_hill), cmocka_unit_test(no_fit_is_made_twice),
        cmocka_unit_test(kinds_that_hold_nothing_out), cmocka_unit_test(refusals),
        cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
