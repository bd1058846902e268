/* SPDX-License-Identifier: MIT
 *
 * Folds of a table: every row tested once, groups and copies in one fold, the past before the future, sizes, seeds.
 */
#include "store/sweep_support.h"

#include "select/folds.h"

enum { MOST = 400 };

typedef struct table {                   /* columns x, g (a group, words), t (a time) and y                        */
    double      x[MOST], t[MOST], y[MOST];
    const char *g[MOST];
} table;

static una_dataset *dataset_of(const table *from, size_t rows, una_run *run)
{
    static const char *const names[] = { "x", "g", "t", "y" };
    const double *const numbers[] = { from->x, NULL, from->t, from->y };
    const char *const *const words[] = { NULL, from->g, NULL, NULL };
    una_dataset *data;
    assert_ok(una_dataset_from_columns(&data, names, numbers, words, 4, rows, run), run);
    return data;
}

static void fill(table *t, size_t rows, size_t groups, uint64_t seed)
{
    static char name[MOST][8];
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < rows; i++) {
        size_t of = una_rng_below(&rng, groups);
        snprintf(name[of], sizeof name[of], "g%zu", of);
        t->x[i] = una_rng_normal(&rng);
        t->y[i] = una_rng_normal(&rng);
        t->t[i] = (double)una_rng_below(&rng, 60);
        t->g[i] = name[of];
    }
}

typedef struct parts { size_t train[MOST], test[MOST], learnt, tested; } parts;

static parts split_of(const una_folds *f, size_t index, una_run *run)
{
    parts p;
    una_fold fold = { .train = p.train, .test = p.test };
    assert_ok(una_folds_split(&fold, f, index, run), run);
    p.learnt = fold.train_count, p.tested = fold.test_count;
    return p;
}

/* Every row is once in each fold, on one side; over the folds it is tested once. Returns the difference of the largest
 * and the smallest fold. */
static size_t check_once(const una_folds *f, size_t repeat, una_run *run)
{
    size_t times[MOST] = {0}, least = SIZE_MAX, most = 0;
    for (size_t k = 0; k < f->folds; k++) {
        size_t seen[MOST] = {0};
        parts p = split_of(f, repeat * f->folds + k, run);
        assert_int_equal(p.learnt + p.tested, f->rows);
        for (size_t i = 0; i < p.learnt; i++) seen[p.train[i]]++;
        for (size_t i = 0; i < p.tested; i++) seen[p.test[i]]++, times[p.test[i]]++;
        for (size_t i = 0; i < f->rows; i++) assert_int_equal(seen[i], 1);
        least = p.tested < least ? p.tested : least;
        most = p.tested > most ? p.tested : most;
    }
    for (size_t i = 0; i < f->rows; i++) assert_int_equal(times[i], 1);
    assert_true(least > 0);
    return most - least;
}

static void each_row_once(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    static table t;
    fill(&t, 103, 7, 1);
    una_dataset *data = dataset_of(&t, 103, run);
    for (size_t folds = 2; folds <= 103; folds += 17) {
        una_folds f;
        una_arena_init(&arena, run);
        una_fold_settings s = { .target = "y", .folds = folds, .repeats = 3, .seed = 5 };
        assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
        assert_int_equal(f.folds, folds);
        assert_int_equal(una_folds_count(&f), 3 * folds);
        for (size_t r = 0; r < 3; r++) assert_true(check_once(&f, r, run) <= 1);
        assert_memory_not_equal(f.part, f.part + f.rows, f.rows * sizeof *f.part);       /* other folds each time */
        una_arena_free(&arena);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static void seeds(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_folds f[3];
    static table t;
    fill(&t, 90, 7, 2);
    una_dataset *data = dataset_of(&t, 90, run);
    una_arena_init(&arena, run);
    for (size_t i = 0; i < 3; i++) {
        una_fold_settings s = { .seed = i / 2 };
        assert_ok(una_folds_make(&f[i], data, &s, &arena, run), run);
        assert_int_equal(f[i].folds, 5);
    }
    assert_memory_equal(f[0].part, f[1].part, 90 * sizeof(uint32_t));
    assert_memory_not_equal(f[0].part, f[2].part, 90 * sizeof(uint32_t));
    una_arena_free(&arena);
    una_dataset_free(data);
    una_run_free(run);
}

static void check_groups(const una_folds *f, const table *t, una_run *run)
{
    for (size_t k = 0; k < una_folds_count(f); k++) {
        parts p = split_of(f, k, run);
        for (size_t i = 0; i < p.tested; i++)
            for (size_t n = 0; n < p.learnt; n++) assert_string_not_equal(t->g[p.test[i]], t->g[p.train[n]]);
    }
}

static void groups_never_straddle(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    static table t;
    for (uint64_t seed = 0; seed < 12; seed++) {
        size_t rows = 60 + 25 * (size_t)seed, groups = 6 + (size_t)seed;
        una_arena arena;
        una_folds f;
        fill(&t, rows, groups, seed);
        if (seed % 2)                                    /* rows with equal inputs, in other groups, too */
            for (size_t i = 1; i < rows; i += 9) t.x[i] = t.x[i - 1], t.t[i] = t.t[i - 1];
        una_dataset *data = dataset_of(&t, rows, run);
        una_arena_init(&arena, run);
        una_fold_settings s = { .target = "y", .group = "g", .folds = 2 + seed % 4, .repeats = 2, .seed = seed };
        assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
        assert_int_equal(f.folds, 2 + seed % 4);
        for (size_t r = 0; r < 2; r++) check_once(&f, r, run);
        check_groups(&f, &t, run);
        una_arena_free(&arena);
        una_dataset_free(data);
    }
    una_run_free(run);
}

/* Sizes 40, 30, 20, 10, 10, 10 in three folds of 40. */
static void groups_are_balanced(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_folds f;
    static table t;
    static const size_t ends[] = { 40, 70, 90, 100, 110, 120 };
    static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
    fill(&t, 120, 3, 3);
    for (size_t i = 0, g = 0; i < 120; i++) {
        g += i == ends[g];
        t.g[i] = names[g];
    }
    una_dataset *data = dataset_of(&t, 120, run);
    una_arena_init(&arena, run);
    una_fold_settings s = { .target = "y", .group = "g", .folds = 3 };
    assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
    assert_int_equal(f.groups, 6);
    assert_int_equal(check_once(&f, 0, run), 0);
    s.folds = 50;                                        /* no more folds than groups */
    assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
    assert_int_equal(f.folds, 6);

    una_dataset *train, *test;
    size_t column;
    assert_ok(una_folds_tables(&train, &test, &f, 1, data, run), run);
    assert_int_equal(una_dataset_column_count(train), 3);
    assert_int_equal(una_dataset_row_count(train) + una_dataset_row_count(test), 120);
    assert_status(una_dataset_find(&column, test, "g", run), UNA_E_INPUT, run);
    assert_ok(una_dataset_find(&column, test, "y", run), run);
    una_arena_free(&arena);
    una_dataset_free(data);
    una_run_free(run);
}

static void copies_stay_together(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_folds f;
    static table t;
    fill(&t, 100, 3, 4);
    for (size_t i = 50; i < 100; i++) t.x[i] = t.x[i - 50], t.t[i] = t.t[i - 50], t.g[i] = t.g[i - 50];
    una_dataset *data = dataset_of(&t, 100, run);
    una_arena_init(&arena, run);
    una_fold_settings s = { .target = "y" };
    assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
    assert_int_equal(f.tied_rows, 100);
    for (size_t i = 0; i < 50; i++) assert_int_equal(f.part[i], f.part[i + 50]);
    check_once(&f, 0, run);
    una_dataset_free(data);

    for (size_t i = 0; i < 100; i++) t.x[i] = (double)(i % 3), t.t[i] = 0, t.g[i] = "one";   /* three inputs: too few */
    data = dataset_of(&t, 100, run);
    assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
    assert_int_equal(f.tied_rows, 0);
    assert_true(check_once(&f, 0, run) <= 1);
    una_arena_free(&arena);
    una_dataset_free(data);
    una_run_free(run);
}

/* Three rows each of which nearly agrees with the two others, target and all. */
static void near_copies_stay_together(void **state)
{
    enum { ROWS = 240, DIFFERENT = 80 };
    una_run *run = quiet_run();
    static table t;
    una_folds f;
    (void)state;
    fill(&t, ROWS, 3, 9);
    for (size_t i = DIFFERENT; i < ROWS; i++) {
        t.x[i] = t.x[i % DIFFERENT] + 1e-4 * (double)(i / DIFFERENT);
        t.t[i] = t.t[i % DIFFERENT];
        t.g[i] = t.g[i % DIFFERENT];
        t.y[i] = t.y[i % DIFFERENT] - 1e-4 * (double)(i / DIFFERENT);
    }
    una_dataset *data = dataset_of(&t, ROWS, run);
    assert_ok(una_folds_make(&f, data, &(una_fold_settings){ .target = "y", .seed = 2 }, &run->scratch, run), run);
    assert_int_equal(f.tied_rows, ROWS);
    for (size_t i = DIFFERENT; i < ROWS; i++) assert_int_equal(f.part[i], f.part[i % DIFFERENT]);
    check_once(&f, 0, run);
    una_dataset_free(data);
    una_run_free(run);
}

static void past_before_future(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    static table t;
    for (size_t folds = 1; folds <= 9; folds++) {
        una_arena arena;
        una_folds f;
        bool tested[MOST] = {0};
        fill(&t, 240, 40, folds);
        una_dataset *data = dataset_of(&t, 240, run);
        una_arena_init(&arena, run);
        una_fold_settings s = { .target = "y", .time = "t", .folds = folds };
        assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
        assert_int_equal(f.folds, folds);
        for (size_t k = 0; k < folds; k++) {
            parts p = split_of(&f, k, run);
            assert_in_range(p.tested, 240 / (folds + 1) - 12, 240 / (folds + 1) + 12);
            for (size_t i = 0; i < p.tested; i++) {
                assert_false(tested[p.test[i]]);
                tested[p.test[i]] = true;
                for (size_t n = 0; n < p.learnt; n++) assert_true(t.t[p.train[n]] < t.t[p.test[i]]);
            }
            if (k > 0) assert_true(p.learnt > split_of(&f, k - 1, run).learnt);          /* the window expands */
        }
        for (size_t i = 0; i < 240; i++)                 /* all but the first block */
            assert_int_equal(tested[i], f.part[i] > 0);

        s.group = "g";
        assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
        check_groups(&f, &t, run);
        una_arena_free(&arena);
        una_dataset_free(data);
    }
    una_run_free(run);
}

static void what_cannot_be(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_folds f;
    static table t;
    fill(&t, 30, 5, 6);
    una_dataset *data = dataset_of(&t, 30, run);
    una_arena_init(&arena, run);
    const struct { una_fold_settings asked; una_status status; const char *says; } cases[] = {
        { { .target = "z" }, UNA_E_INPUT, "z" },
        { { .target = "y", .group = "patient" }, UNA_E_INPUT, "patient" },
        { { .target = "y", .group = "y" }, UNA_E_USAGE, "is the target" },
        { { .target = "y", .time = "y" }, UNA_E_USAGE, "is the target" },
        { { .target = "y", .folds = 1 }, UNA_E_USAGE, "two folds" },
        { { .target = "y", .time = "t", .repeats = 2 }, UNA_E_USAGE, "one order" },
        { { .target = "y", .time = "g" }, UNA_E_INPUT, "neither a number nor a date" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_status(una_folds_make(&f, data, &cases[i].asked, &arena, run), cases[i].status, run);
        assert_says(una_run_message(run), cases[i].says);
    }
    una_dataset_free(data);

    t.g[17] = NULL;
    t.t[4] = NAN;
    data = dataset_of(&t, 30, run);
    una_fold_settings s = { .target = "y", .group = "g" };
    assert_status(una_folds_make(&f, data, &s, &arena, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 18, column 'g'");
    s = (una_fold_settings){ .target = "y", .time = "t" };
    assert_status(una_folds_make(&f, data, &s, &arena, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 5, column 't'");
    una_dataset_free(data);
    for (size_t i = 0; i < 30; i++) t.g[i] = "one", t.t[i] = 3;
    data = dataset_of(&t, 30, run);
    assert_status(una_folds_make(&f, data, &s, &arena, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no past");
    s = (una_fold_settings){ .target = "y", .group = "g" };
    assert_status(una_folds_make(&f, data, &s, &arena, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "one group");
    una_arena_free(&arena);
    una_dataset_free(data);
    una_run_free(run);
}

/* A word of one row is tested once, and nobody has trained on it then. */
static void new_words(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_folds f;
    size_t column;
    static table t;
    fill(&t, 60, 1, 7);
    una_dataset *data = dataset_of(&t, 60, run);
    una_arena_init(&arena, run);
    una_fold_settings s = { .target = "y" };
    assert_ok(una_folds_make(&f, data, &s, &arena, run), run);
    assert_ok(una_folds_new_word(&column, &f, data, run), run);
    assert_int_equal(column, SIZE_MAX);
    una_dataset_free(data);
    t.g[33] = "only here";
    data = dataset_of(&t, 60, run);
    assert_ok(una_folds_new_word(&column, &f, data, run), run);
    assert_int_equal(column, 1);
    una_arena_free(&arena);
    una_dataset_free(data);
    una_run_free(run);
}

static una_status with_little_memory(void *context, una_run *run)
{
    una_arena arena;
    una_folds f;
    una_dataset *data, *train, *test;
    size_t column;
    static const char *const names[] = { "x", "g", "t", "y" };
    const table *t = context;
    const double *const numbers[] = { t->x, NULL, t->t, t->y };
    const char *const *const words[] = { NULL, t->g, NULL, NULL };
    una_status status = una_dataset_from_columns(&data, names, numbers, words, 4, 40, run);
    if (status != UNA_OK) return status;
    una_arena_init(&arena, run);
    una_fold_settings s = { .target = "y", .group = "g" };
    status = una_folds_make(&f, data, &s, &arena, run);
    if (status == UNA_OK) status = una_folds_tables(&train, &test, &f, 2, data, run);
    if (status == UNA_OK) status = una_folds_new_word(&column, &f, data, run);
    s.time = "t";
    if (status == UNA_OK) status = una_folds_make(&f, data, &s, &arena, run);
    una_arena_free(&arena);
    una_dataset_free(data);
    return status;
}

static void little_memory(void **state)
{
    (void)state;
    static table t;
    fill(&t, 40, 8, 9);
    t.x[3] = t.x[4], t.t[3] = t.t[4];
    assert_true(sweep_allocations(with_little_memory, &t) > 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_row_once), cmocka_unit_test(seeds), cmocka_unit_test(groups_never_straddle),
        cmocka_unit_test(groups_are_balanced), cmocka_unit_test(copies_stay_together),
        cmocka_unit_test(near_copies_stay_together),
        cmocka_unit_test(past_before_future), cmocka_unit_test(what_cannot_be), cmocka_unit_test(new_words),
        cmocka_unit_test(little_memory)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
