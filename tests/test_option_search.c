/* SPDX-License-Identifier: MIT
 *
 * Searches over several models, data sets, splits and seeds: their text, their numbers against sums made here, the
 * choice by every rule; and posteriors that are swept without training, against una_model_relearn and whole fits.
 */
#include "test_support.h"

#include "select/tune.h"
#include "select/option_search.h"

/* ---- the text of several models ---------------------------------------------------------------------------- */

static const char *const three[] = { "luna", "nlm(width=7)", "gp" };

static void axes_find_their_models(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_option_space over[3];
    una_arena_init(&arena, run);
    assert_ok(una_option_space_parse(over, "width=4|8, penalty=0.1; luna: diversity=1:100:log3, width=16;",
                                            three, 3, &arena, run), run);
    assert_int_equal(over[0].count, 3);
    assert_int_equal(una_option_space_combinations(&over[0]), 3); /* its own width goes before that of all */
    assert_int_equal(over[1].count, 2);
    assert_int_equal(una_option_space_combinations(&over[1]), 2);
    assert_int_equal(over[2].count, 0);
    assert_int_equal(una_option_space_combinations(&over[2]), 1); /* as it is */

    assert_ok(una_option_space_parse(over, "luna : width=16; width=4|8, noise_std=0.1:1:log", three, 3, &arena,
                                            run), run);
    assert_int_equal(over[0].axis[0].count, 1);
    assert_int_equal(over[1].axis[0].count, 2);
    assert_false(over[1].axis[0].posterior);
    for (size_t m = 0; m < 2; m++) assert_true(over[m].axis[1].posterior);
    assert_true(over[2].count == 1 && over[2].axis[0].posterior);
    una_arena_free(&arena);
    una_run_free(run);
}

static void what_cannot_be_read(void **state)
{
    (void)state;
    static const struct { const char *over, *says; } wrong[] = {
        { "widht=4|8", "none of the models luna, nlm, gp has an option widht; did you mean 'width'?" },
        { "nlm: diversity=1|2", "diversity" }, { "nml: width=4|8", "no model of this name among luna, nlm, gp" },
        { "luna: width=4; luna: width=8", "already" }, { "width=4|8; width=3", "already" }, { "luna:", "nothing" },
        { " : width=4", "name is missing" }, { "penalty=1:2:99999999999", "99999999999 values are too many" },
        { ";", "nothing to search over" }, { "", "nothing to search over" }, { "gp: optimise=yes|maybe", "optimise=" },
        { "width=8:4:3", "smaller number" }, { "width=4:4:3", "empty" }, { "penalty=0:1:log3", "above 0" },
    };
    una_run *run = quiet_run();
    una_arena arena;
    una_option_space over[3];
    una_arena_init(&arena, run);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        una_status status = una_option_space_parse(over, wrong[i].over, three, 3, &arena, run);
        if (status != UNA_E_USAGE) print_error("%s\n", wrong[i].over);
        assert_status(status, UNA_E_USAGE, run);
        assert_says(una_run_message(run), wrong[i].says);
    }
    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- made-up rows ------------------------------------------------------------------------------------------- */

static una_dataset *rows_of(const char *target, double scale, una_run *run)
{
    double x[40], y[40];
    const char *names[] = { "x", target };
    una_dataset *data = NULL;
    for (size_t i = 0; i < 40; i++) {
        x[i] = (double)(i * 7 % 40) / 10;
        y[i] = scale * (sin(x[i]) + 0.1 * cos(31 * x[i]));
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, 40, 1, names, run), run);
    return data;
}

static double option_in(const char *spec, const char *key)
{
    const char *at = strstr(spec, key);
    return at ? atof(at + strlen(key) + 1) : 1;
}

/* A hill over log10 of the penalty, in another place and a hundred times as high on "far", moved by split and seed. */
static void invent(double value[3], const char *spec, bool far, uint64_t split, uint64_t seed)
{
    double at = log10(option_in(spec, "penalty")), off = at - (far ? -1.05 : -2.95), height = far ? 100 : 1;
    value[0] = -height * off * off + 0.1 * (double)split + 0.01 * (double)seed;
    value[1] = height * (1 + fabs(at + 2));
    value[2] = strncmp(spec, "luna", 4) == 0 ? 0.5 + 0.1 * at : NAN;
    if (at > 1) value[0] = value[1] = value[2] = NAN;
}

static una_status made_up(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    (*(_Atomic size_t *)context)++;
    assert_int_equal(run->settings.seed, key->seed);
    invent(outcome->value, key->spec, strstr(key->data, "far") != NULL, key->split, key->seed);
    outcome->seconds = 2;
    return UNA_OK;
}

typedef struct scene { una_run *run; una_dataset *near, *far; _Atomic size_t calls; } scene;

static scene begin(int threads)
{
    scene s = { .run = quiet_run_threads(threads) };
    s.near = rows_of("near", 1, s.run);
    s.far = rows_of("far", 100, s.run);
    return s;
}

static void end(scene *s)
{
    una_dataset_free(s->far);
    una_dataset_free(s->near);
    una_run_free(s->run);
}

static una_tuned *search(scene *s, una_tune_settings settings)
{
    una_tuned *tuned = NULL;
    const una_dataset *more[] = { s->far };
    settings.size = sizeof settings;
    settings.more = more;
    s->calls = 0;
    assert_ok(una_tune_by(&tuned, s->near, &settings, made_up, &s->calls, s->run), s->run);
    return tuned;
}

/* Every spec's numbers are the sums over its own rows, and its place that on each table. */
static void sums_over_all(void **state)
{
    (void)state;
    enum { TABLES = 2, SPLITS = 3, SEEDS = 2, ROWS = TABLES * SPLITS * SEEDS };
    static const char *const models[] = { "luna", "nlm" };
    scene s = begin(2);
    una_tuned *t = search(&s, (una_tune_settings){ .models = models, .model_count = 2, .more_count = 1,
        .splits = SPLITS, .seeds = SEEDS, .over = "penalty=1e-4:100:log7; nlm: depth=1|2" });
    assert_int_equal(t->count, 7 + 14);
    assert_int_equal(t->rows, ROWS);
    assert_int_equal(t->made, 21 * ROWS);
    assert_int_equal(s.calls, 21 * ROWS);
    for (size_t i = 0; i < t->count; i++) {
        double value[3], sum[2] = {0}, square = 0, each[TABLES] = {0};
        for (size_t r = 0; r < ROWS; r++) {
            invent(value, t->spec[i], r >= ROWS / 2, 1 + r / SEEDS % SPLITS, r % SEEDS);
            for (size_t k = 0; k < 2; k++) sum[k] += value[k] / ROWS;
            square += value[0] * value[0];
            each[r >= ROWS / 2] += value[0] / (ROWS / 2);
        }
        assert_int_equal(t->model[i], i >= 7);
        assert_near(t->seconds[i], 2, 0, 0);
        if (isnan(sum[0])) {
            assert_true(isnan(t->log_lik[i]) && isnan(t->rank[i]) && isnan(t->rmse[i]));
            continue;
        }
        assert_near(t->log_lik[i], sum[0], 1e-12, 1e-12);
        assert_near(t->rmse[i], sum[1], 1e-12, 0);
        assert_near(t->log_lik_sd[i], sqrt((square - ROWS * sum[0] * sum[0]) / (ROWS - 1)), 1e-9, 1e-9);
        for (size_t d = 0; d < TABLES; d++) assert_near(t->table_log_lik[i * TABLES + d], each[d], 1e-12, 1e-12);
        assert_true(isnan(t->mean_cos2[i]) == (i >= 7));
    }

    /* On "near" 1e-3 is best, on "far" 0.1: over both it is 0.01, second on each. */
    assert_int_equal(t->best[0], 0);
    assert_string_equal(t->spec[0], "luna(penalty=0.01)");
    assert_near(t->rank[0], 2, 0, 0);
    assert_string_equal(t->spec[t->best_in[0]], "luna(penalty=0.001)");
    assert_string_equal(t->spec[t->best_in[1]], "luna(penalty=0.1)");
    assert_int_equal(t->best[1], 7);
    assert_string_equal(t->spec[7], "nlm(depth=1, penalty=0.01)");
    assert_string_equal(t->spec[8], "nlm(depth=2, penalty=0.01)");
    assert_near(t->rank[8], t->rank[7], 0, 0);           /* equal in all */
    assert_string_equal(t->table[1], "array far");
    una_tuned_free(t);
    end(&s);
}

static void every_rule(void **state)
{
    (void)state;
    scene s = begin(1);
    una_tune_settings settings = { .model = "luna", .over = "penalty=1e-6:1:log31" };
    una_tuned *t = search(&s, settings);
    assert_string_equal(t->spec[0], "luna(penalty=0.001)");
    assert_true(isnan(t->log_lik_sd[0]) && t->rows == 1 && t->splits == 0);
    una_tuned_free(t);
    settings.select = "rmse";
    t = search(&s, settings);
    assert_string_equal(t->spec[0], "luna(penalty=0.01)");
    una_tuned_free(t);

    /* Of the four around 10^-2.95 that with the smallest penalty has the lowest cos^2. */
    settings.select = "two_stage";
    t = search(&s, settings);
    assert_near(option_in(t->spec[0], "penalty"), pow(10, -3.2), 1e-5, 0);
    for (size_t i = 1; i < 4; i++) assert_true(t->mean_cos2[i] > t->mean_cos2[i - 1]);
    assert_near(option_in(t->spec[4], "penalty"), pow(10, -3.4), 1e-5, 0);
    una_tuned_free(t);
    settings.model = "nlm";                                      /* without heads by likelihood */
    t = search(&s, settings);
    assert_string_equal(t->spec[0], "nlm(penalty=0.001)");
    una_tuned_free(t);
    end(&s);
}

static void bayes_over_all(void **state)
{
    (void)state;
    static const char *const models[] = { "nlm", "luna(depth=1)", "linear" };
    scene s = begin(2);
    una_tune_settings settings = { .models = models, .model_count = 3, .search = "bayes", .trials = 12, .more_count = 1,
                                   .over = "penalty=1e-6:1:log", .seeds = 2, .select = "rmse" };
    una_tuned *t = search(&s, settings);
    assert_int_equal(t->count, 25);                              /* linear has no penalty: as it is */
    assert_int_equal(s.calls, 25 * 4);
    for (size_t m = 0; m < 2; m++) assert_near(log10(option_in(t->spec[t->best[m]], "penalty")), -2, 0, 0.15);
    una_tuned_free(t);
    end(&s);
}

/* ---- posteriors without training ----------------------------------------------------------------------------- */

static size_t find(const una_tuned *t, const char *part)
{
    size_t i = 0;
    while (i < t->count && !strstr(t->spec[i], part)) i++;
    assert_true(i < t->count);
    return i;
}

/* What `spec`, with its posterior anew by `set` (NULL: not), says of the rows that split `split` leaves out. */
static una_score scored(const char *spec, const char *set, const una_dataset *data, uint64_t split, una_run *run)
{
    una_split cut = UNA_INIT(una_split);
    una_dataset *train, *test;
    una_model *model, *anew = NULL;
    una_score score = UNA_INIT(una_score);
    assert_ok(una_split_random(&cut, una_dataset_row_count(data), 0.2, split, run), run);
    assert_ok(una_dataset_rows(&train, data, cut.train, cut.train_count, run), run);
    assert_ok(una_dataset_rows(&test, data, cut.test, cut.test_count, run), run);
    assert_ok(una_fit(&model, spec, train, NULL, run), run);
    if (set) assert_ok(una_model_relearn(&anew, model, train, &set, 1, run), run);
    assert_ok(una_model_score(&score, anew ? anew : model, test, run), run);
    una_model_free(anew);
    una_model_free(model);
    una_dataset_free(test);
    una_dataset_free(train);
    una_split_free(&cut, run);
    return score;
}

static una_tuned *tuned(const una_dataset *data, una_tune_settings settings, una_run *run)
{
    una_tuned *t = NULL;
    settings.size = sizeof settings;
    assert_ok(una_tune(&t, data, &settings, run), run);
    return t;
}

static void one_training_for_all_posteriors(void **state)
{
    (void)state;
    scene s = begin(2);
    una_run *alone = quiet_run();
    una_tune_settings settings = { .model = "nlm(epochs=5, members=1, prior_var=2)", .splits = 2,
                                   .over = "width=4|8, prior_var=0.01:100:log5, noise_std=auto|0.5" };
    una_tuned *t = tuned(s.near, settings, s.run);
    assert_int_equal(t->count, 20);
    assert_int_equal(t->made, 40);
    assert_int_equal(t->trained, 4);                             /* two widths, two splits */

    /* The same as learnt anew by hand; noise_std=auto stays as the fit found it. */
    size_t i = find(t, "width=8, epochs=5, noise_std=0.5, prior_var=10,");
    size_t k = find(t, "width=4, epochs=5, noise_std=auto, prior_var=0.1,");
    const char *base = "nlm(epochs=5, members=1, prior_var=2, width=8)";
    una_score a = scored(base, "prior_var=10, noise_std=0.5", s.near, 1, alone);
    una_score b = scored(base, "prior_var=10, noise_std=0.5", s.near, 2, alone);
    assert_near(t->log_lik[i], (a.log_lik + b.log_lik) / 2, 1e-14, 0);
    assert_near(t->rmse[i], (a.rmse + b.rmse) / 2, 1e-14, 0);
    base = "nlm(epochs=5, members=1, prior_var=2, width=4)";
    a = scored(base, "prior_var=0.1", s.near, 1, alone);
    b = scored(base, "prior_var=0.1", s.near, 2, alone);
    assert_near(t->log_lik[k], (a.log_lik + b.log_lik) / 2, 1e-14, 0);

    /* One value alone gives the same bits; so do other threads and another order. */
    settings.over = "noise_std=0.5, width=8, prior_var=10";
    una_tuned *one = tuned(s.near, settings, alone);
    assert_int_equal(one->trained, 2);
    assert_true(one->log_lik[0] == t->log_lik[i] && one->rmse[0] == t->rmse[i]);
    una_tuned_free(one);

    /* Trained anew where that is wished, and that is something else. */
    settings.refit = 1;
    one = tuned(s.near, settings, alone);
    a = scored("nlm(epochs=5, members=1, prior_var=10, noise_std=0.5, width=8)", NULL, s.near, 1, alone);
    b = scored("nlm(epochs=5, members=1, prior_var=10, noise_std=0.5, width=8)", NULL, s.near, 2, alone);
    assert_near(one->log_lik[0], (a.log_lik + b.log_lik) / 2, 1e-14, 0);
    una_tuned_free(one);
    una_tuned_free(t);
    una_run_free(alone);
    end(&s);
}

/* A search that goes on from what it found trains once, too. */
static void bayes_trains_once(void **state)
{
    (void)state;
    scene s = begin(2);
    una_tune_settings settings = { .model = "nlm(epochs=5, members=1)", .search = "bayes", .trials = 7, .splits = 2,
                                   .over = "prior_var=0.01:100:log" };
    una_tuned *t = tuned(s.near, settings, s.run);
    assert_int_equal(t->count, 7);
    assert_int_equal(t->trained, 2);
    char set[64];
    snprintf(set, sizeof set, "prior_var=%.17g", option_in(t->spec[0], "prior_var"));
    una_score a = scored("nlm(epochs=5, members=1)", set, s.near, 1, s.run);
    una_score b = scored("nlm(epochs=5, members=1)", set, s.near, 2, s.run);
    assert_near(t->log_lik[0], (a.log_lik + b.log_lik) / 2, 1e-14, 0);
    una_tuned_free(t);
    end(&s);
}

/* Features that are never trained: learning anew and fitting anew is one and the same. */
static void linear_is_the_same_either_way(void **state)
{
    (void)state;
    scene s = begin(1);
    una_tune_settings settings = { .model = "linear(degree=3)", .over = "prior_var=0.1|1|10, noise_std=0.1|0.3" };
    una_tuned *swept = tuned(s.near, settings, s.run);
    settings.refit = 1;
    settings.splits = 1;
    una_tuned *fitted = tuned(s.near, settings, s.run);
    assert_int_equal(swept->trained, 1);
    assert_int_equal(swept->splits, 1);                          /* rows that judge must be apart */
    assert_int_equal(fitted->trained, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(swept->spec[i], fitted->spec[i]);
        assert_near(swept->log_lik[i], fitted->log_lik[i], 1e-9, 1e-9);
        assert_near(swept->rmse[i], fitted->rmse[i], 1e-9, 1e-9);
    }
    una_tuned_free(fitted);
    una_tuned_free(swept);

    settings = (una_tune_settings){ .model = "gp(optimise=no)", .over = "noise_std=0.05:0.5:log4" };
    swept = tuned(s.near, settings, s.run);
    assert_int_equal(swept->trained, 1);
    una_score a = scored("gp(optimise=no)", "noise_std=0.05", s.near, 1, s.run);
    assert_near(swept->log_lik[find(swept, "noise_std=0.05")], a.log_lik, 1e-14, 0);
    una_tuned_free(swept);
    end(&s);
}

/* Rows given apart judge, and stop no training. */
static void evaluated_on_rows_of_a_file(void **state)
{
    (void)state;
    scene s = begin(1);
    double x[15], y[15];
    const char *names[] = { "x", "near" }, *set = "prior_var=10";
    una_dataset *others;
    for (size_t i = 0; i < 15; i++) x[i] = 0.13 + 0.25 * (double)i, y[i] = sin(x[i]);
    assert_ok(una_dataset_from_arrays(&others, x, y, 15, 1, names, s.run), s.run);
    una_tuned *t = tuned(s.near, (una_tune_settings){ .model = "nlm(epochs=5, members=1)", .over = "prior_var=1|10",
                         .fit = SIZED(una_fit_settings, .valid = others) }, s.run);
    assert_int_equal(t->trained, 1);
    assert_int_equal(t->splits, 0);
    una_model *model, *anew;
    una_score score = UNA_INIT(una_score);
    assert_ok(una_fit(&model, "nlm(epochs=5, members=1)", s.near, NULL, s.run), s.run);
    assert_ok(una_model_relearn(&anew, model, s.near, &set, 1, s.run), s.run);
    assert_ok(una_model_score(&score, anew, others, s.run), s.run);
    assert_near(t->log_lik[find(t, "prior_var=10")], score.log_lik, 1e-14, 0);
    una_model_free(anew);
    una_model_free(model);
    una_tuned_free(t);
    una_dataset_free(others);
    end(&s);
}

static void evaluations_stay(void **state)
{
    (void)state;
    scene s = begin(2);
    una_tune_settings settings = { .model = "nlm(epochs=5, members=1, width=4)", .over = "prior_var=1|10", .splits = 2,
                                   .out = temp_path("option_search") };
    una_tuned *t = tuned(s.near, settings, s.run);
    assert_int_equal(t->made, 4);
    una_tuned_free(t);
    settings.over = "prior_var=0.1|1|10|100";
    settings.splits = 3;
    t = tuned(s.near, settings, s.run);
    assert_int_equal(t->made, 8);
    assert_int_equal(t->trained, 3);
    una_tuned_free(t);
    t = tuned(s.near, settings, s.run);
    assert_true(t->made == 0 && t->trained == 0);
    una_tuned_free(t);

    /* Another table has no search there, unless beside one that has. */
    una_tuned *none;
    settings.size = sizeof settings;
    assert_status(una_tune(&none, s.far, &settings, s.run), UNA_E_INPUT, s.run);
    assert_says(una_run_message(s.run), "holds a search over array near, and none over array far");
    const una_dataset *more[] = { s.near };
    settings.more = more;
    settings.more_count = 1;
    settings.fit = SIZED(una_fit_settings, .target = NULL);
    t = tuned(s.far, settings, s.run);
    assert_int_equal(t->made, 12);
    una_tuned_free(t);
    end(&s);
}

/* ---- refusals ------------------------------------------------------------------------------------------------ */

static void refused(scene *s, una_tune_settings settings, una_status wanted, const char *says)
{
    una_tuned *none;
    settings.size = sizeof settings;
    if (!settings.model && !settings.models) settings.model = "nlm";
    assert_status(una_tune(&none, s->near, &settings, s->run), wanted, s->run);
    assert_says(una_run_message(s->run), says);
    assert_null(none);
}

static void refusals(void **state)
{
    (void)state;
    scene s = begin(1);
    static const char *const twice[] = { "nlm", "nlm" }, *const targets[] = { "x", "near" };
    const una_dataset *same[] = { s.near }, *other[] = { s.far };
    const una_fit_settings with_rows = SIZED(una_fit_settings, .valid = s.far);
    refused(&s, (una_tune_settings){ .over = "width=4", .select = "luck" }, UNA_E_USAGE, "two_stage");
    refused(&s, (una_tune_settings){ .over = "width=4", .models = twice, .model_count = 2 }, UNA_E_USAGE, "twice");
    refused(&s, (una_tune_settings){ .over = "width=4", .model = "nlm", .models = twice, .model_count = 2 },
            UNA_E_USAGE, "the one or the other");
    refused(&s, (una_tune_settings){ .over = "width=4", .more = same, .more_count = 1 }, UNA_E_USAGE,
            "array near was given twice");
    refused(&s, (una_tune_settings){ .over = "width=4", .more = other, .more_count = 1, .fit = with_rows }, UNA_E_USAGE,
            "one data set only");
    refused(&s, (una_tune_settings){ .over = "width=4", .splits = 2, .fit = with_rows }, UNA_E_USAGE, "one of the two");
    refused(&s, (una_tune_settings){ .over = "width=4", .fit = SIZED(una_fit_settings, .targets = targets,
            .target_count = 2) }, UNA_E_USAGE, "one target");
    refused(&s, (una_tune_settings){ .over = "penalty=1:2:1000", .splits = 7, .seeds = 143 }, UNA_E_USAGE,
            "1001000 fits (1000 specs, each for 1 data sets, 7 splits and 143 seeds)");
    refused(&s, (una_tune_settings){ .over = "penalty=1:2:100000, rate=0.1:0.2:100000" }, UNA_E_USAGE,
            "10000000000 combinations");
    refused(&s, (una_tune_settings){ .over = "penalty=1:2", .search = "random", .trials = 1000001 }, UNA_E_USAGE,
            "1000001 trials");
    refused(&s, (una_tune_settings){ .over = "penalty=1:2", .search = "bayes", .trials = 1000, .seeds = 1001 },
            UNA_E_USAGE, "1001000 fits");
    end(&s);
}

/* A folder of an experiment, and a store of one under our name. */
static void stores_of_other_studies(void **state)
{
    (void)state;
    scene s = begin(1);
    char folder[512], path[600];
    double value[2] = { 1, 2 };
    static const char *const names[] = { "a", "b" };
    una_store *store;
    una_row row = { .key = { "cubic(noise=9)", "cubic", 0, "nlm", 0, 1 }, .measure = names, .value = value, .count = 2,
                    .options = "nlm", .kernels = "k", .commit = "c" };
    snprintf(folder, sizeof folder, "%s", temp_path("others"));
    assert_int_equal(mkdir(folder, 0777), 0);
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, i ? "bench.sqlite" : "tune.sqlite");
        assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, s.run), s.run);
        assert_ok(una_store_put(store, &row, 1, false, NULL, s.run), s.run);
        una_store_close(store);
        refused(&s, (una_tune_settings){ .over = "width=4", .out = folder }, UNA_E_INPUT,
                i ? "results of experiments" : "results of the experiment cubic");
        if (i == 0) assert_int_equal(remove(path), 0);
    }
    end(&s);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    scene s = begin(1);
    static const char *const models[] = { "linear", "gp(optimise=no)" };
    const una_dataset *more[] = { s.far };
    struct fail_after memory = { .left = 0 };
    una_run_settings settings = failing_settings(&memory);
    for (size_t k = 0; k < 2; k++) {
        una_status status = UNA_E_MEMORY;
        for (long after = 2; status != UNA_OK; after += 1 + after / 12) {
            una_run *run = NULL;
            una_tuned *t = NULL;
            memory.left = -1;
            assert_int_equal(una_run_new(&run, &settings), UNA_OK);
            memory.left = after;
            status = una_tune(&t, s.near, &SIZED(una_tune_settings, .models = models, .model_count = 2, .seeds = 2,
                              .over = k ? "noise_std=0.1:0.2" : "noise_std=0.1|0.2; linear: degree=1|2", .more = more,
                              .more_count = 1, .search = k ? "bayes" : "grid", .trials = 4), run);
            if (status != UNA_OK) assert_int_equal(status, UNA_E_MEMORY);
            una_tuned_free(t);
            una_run_free(run);
            assert_int_equal(memory.live, 0);
        }
    }
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(axes_find_their_models), cmocka_unit_test(what_cannot_be_read),
            cmocka_unit_test(sums_over_all), cmocka_unit_test(every_rule), cmocka_unit_test(bayes_over_all),
            cmocka_unit_test(one_training_for_all_posteriors), cmocka_unit_test(bayes_trains_once),
            cmocka_unit_test(linear_is_the_same_either_way), cmocka_unit_test(evaluated_on_rows_of_a_file),
            cmocka_unit_test(evaluations_stay), cmocka_unit_test(refusals), cmocka_unit_test(stores_of_other_studies),
            cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
