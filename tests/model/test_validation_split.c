/* SPDX-License-Identifier: MIT
 *
 * Folds and held-out shares: copies of a row stand on one side; without copies they are a plain shuffle dealt out.
 */
#include "test_support.h"

#include "model/validation_split.h"

enum { MOST = 240 };
const una_kind *const una_kinds[] = { NULL };

static double x[MOST];

static una_problem problem;

static const una_problem *inputs(size_t rows, size_t different)
{
    for (size_t i = 0; i < rows; i++) x[i] = (double)(i * 7 % different);
    problem = (una_problem){ .x = { x, rows, 1, 1 } };
    return &problem;
}

static void plain_order(uint32_t *order, size_t rows, una_purpose purpose)
{
    una_rng rng = una_rng_at(5, purpose, 0);
    una_rng_permute(&rng, order, rows);
}

static void without_copies_rows_are_dealt_out(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    for (size_t rows = 2; rows <= 150; rows += 37) {
        una_copies copies;
        uint32_t shuffled[MOST], *order;
        unsigned char *fold;
        size_t folds = UNA_FOLDS, held = rows / 5;
        assert_ok(una_split_copies(&copies, inputs(rows, rows), run), run);
        assert_int_equal(copies.groups, rows);

        assert_ok(una_fold_rows(&fold, &folds, &copies, rows, una_rng_at(5, UNA_FOR_FOLDS, 0), run), run);
        plain_order(shuffled, rows, UNA_FOR_FOLDS);
        assert_int_equal(folds, rows < UNA_FOLDS ? rows : UNA_FOLDS);
        for (size_t i = 0; i < rows; i++) assert_int_equal(fold[shuffled[i]], i % folds);

        assert_ok(una_hold_rows(&order, &held, &copies, rows, una_rng_at(5, UNA_FOR_SPLIT, 0), run), run);
        plain_order(shuffled, rows, UNA_FOR_SPLIT);
        assert_int_equal(held, rows / 5);
        assert_memory_equal(order, shuffled, rows * sizeof *order);
    }
    una_run_free(run);
}

static void check_folds(size_t rows, size_t different, una_run *run)
{
    una_copies copies;
    unsigned char *fold;
    size_t folds = UNA_FOLDS, sizes[UNA_FOLDS] = {0}, least = rows, most = 0;
    assert_ok(una_split_copies(&copies, inputs(rows, different), run), run);
    assert_ok(una_fold_rows(&fold, &folds, &copies, rows, una_rng_at(5, UNA_FOR_FOLDS, 0), run), run);
    assert_int_equal(folds, UNA_FOLDS);
    for (size_t i = 0; i < rows; i++) {
        sizes[fold[i]]++;
        for (size_t j = 0; j < i; j++)
            if (x[i] == x[j]) assert_int_equal(fold[i], fold[j]);
    }

    for (size_t f = 0; f < folds; f++) {
        if (sizes[f] < least) least = sizes[f];
        if (sizes[f] > most) most = sizes[f];
    }
    assert_true(most - least <= copies.largest);         /* each group went to the smallest */
}

static void check_held(size_t rows, size_t different, size_t wanted, una_run *run)
{
    una_copies copies;
    uint32_t *order;
    size_t held = wanted;
    bool seen[MOST] = {0};
    assert_ok(una_split_copies(&copies, inputs(rows, different), run), run);
    assert_ok(una_hold_rows(&order, &held, &copies, rows, una_rng_at(5, UNA_FOR_SPLIT, 0), run), run);
    assert_true(held >= 1 && (held <= wanted || held <= copies.largest));
    assert_true(held + copies.largest > wanted);
    for (size_t i = 0; i < rows; i++) {
        assert_false(seen[order[i]]);
        seen[order[i]] = true;
        for (size_t j = 0; j < i; j++)
            if (x[order[i]] == x[order[j]]) assert_int_equal(i < held, j < held);
    }
}

static void copies_stand_on_one_side(void **state)
{
    una_run *run = quiet_run();
    static const struct { size_t rows, different; } cases[] = { { 60, 30 }, { 90, 60 }, { 180, 90 }, { 100, 11 },
                                                                { 240, 199 }, { 9, 8 } };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        check_folds(cases[i].rows, cases[i].different, run);
        for (size_t wanted = 1; wanted < cases[i].rows / 2; wanted += 7)
            check_held(cases[i].rows, cases[i].different, wanted, run);
    }
    una_run_free(run);
}

/* A group of more than half, or a handful of inputs with many copies each: rows are dealt out one by one. */
static void what_cannot_be_kept_together_is_dealt_out(void **state)
{
    una_run *run = quiet_run();
    una_copies copies;
    (void)state;
    assert_ok(una_split_copies(&copies, inputs(100, 4), run), run);
    assert_int_equal(copies.groups, 100);
    assert_int_equal(copies.copied, 100);                /* it still knows */

    const una_problem *view = inputs(100, 100);
    for (size_t i = 0; i < 51; i++) x[i] = -1;
    assert_ok(una_split_copies(&copies, view, run), run);
    assert_int_equal(copies.groups, 100);
    x[0] = -2;
    assert_ok(una_split_copies(&copies, view, run), run);
    assert_int_equal(copies.groups, 51);
    una_run_free(run);
}

static uint32_t *teams_of(size_t rows, size_t teams)
{
    static uint32_t team[MOST];
    for (size_t i = 0; i < rows; i++) team[i] = (uint32_t)(i * 7 % teams);
    return team;
}

/* Teams go before equal inputs, also where few are large; a problem without a fold knows the teams of its rows. */
static void teams_stand_on_one_side(void **state)
{
    enum { ROWS = 120, TEAMS = 6 };
    una_run *run = quiet_run();
    una_copies copies;
    una_problem p = *inputs(ROWS, ROWS);
    double y[ROWS] = {0};
    (void)state;
    p.y = y;
    p.outputs = 1;
    p.team = teams_of(ROWS, TEAMS);
    assert_ok(una_split_copies(&copies, &p, run), run);
    assert_int_equal(copies.groups, ROWS);               /* so few: as copies are dealt out one by one */
    p.correlated = true;
    assert_ok(una_split_copies(&copies, &p, run), run);
    assert_int_equal(copies.groups, TEAMS);
    assert_ok(una_problem_make_folds(&p, &copies, run), run);
    assert_int_equal(p.folds, UNA_FOLDS);
    for (size_t i = TEAMS; i < ROWS; i++) assert_int_equal(p.fold[i], p.fold[i - TEAMS]);

    una_problem rest = p;
    assert_ok(una_problem_without_fold(&rest, 1, &run->scratch), run);
    assert_true(rest.x.rows > 0 && rest.x.rows < ROWS);
    for (size_t i = 0; i < ROWS; i++) {
        size_t from = (size_t)rest.x.at[i];              /* each input stands in one row: 7 i mod 120 */
        size_t row = 0;
        while (x[row] != (double)from) row++;
        assert_int_equal(rest.team[i], p.team[row]);
        assert_int_equal(p.fold[row] == 1, i >= rest.x.rows);
    }
    una_run_free(run);
}

/* ---- who gets folds ---------------------------------------------------------------------------------------------- */

/* Folds, or rows held out, of so many; returns the folds. */
static size_t folds_of(const una_kind *kind, double members, size_t rows, double fraction)
{
    una_run *run = quiet_run();
    double *at = malloc(2 * rows * sizeof *at);
    una_common_options options = { .members = members };
    una_fit_result result = una_fit_result_in(&run->scratch);
    if (!at) fail_msg("%s", "no memory for the test's own data");
    for (size_t i = 0; i < 2 * rows; i++) at[i] = (double)i;
    una_problem p = { .x = { at, rows, 1, 1 }, .y = at + rows, .outputs = 1, .seed = 1, .table_rows = rows };
    const una_fit_settings settings = SIZED(una_fit_settings, .valid_fraction = fraction);
    assert_ok(una_problem_split(&p, kind, &options, &settings, &result, run), run);

    size_t folds = p.folds, held = (size_t)floor((fraction > 0 ? fraction : 0.15) * (double)rows + 0.5);
    assert_int_equal(p.valid_x.rows, kind->validation && folds == 0 ? held : 0);
    assert_int_equal(p.x.rows + p.valid_x.rows, rows);
    free(at);
    una_run_free(run);
    return folds;
}

/* Where what was trained without a fold is kept, folds cost nothing, and many more rows get them. */
static void folds_where_they_are_kept(void **state)
{
    const una_kind committee = { .name = "committee" };
    const una_kind again = { .validation = &una_validates };
    const una_kind keeps = { .validation = &una_validates, .committee = &committee };
    const una_kind stack = { .validation = &una_validates_folds };
    const una_kind none = { .committee = &committee };
    (void)state;
    assert_int_equal(folds_of(&again, UNA_AUTO, 999, 0), 5);
    assert_int_equal(folds_of(&again, UNA_AUTO, 1000, 0), 0);
    assert_int_equal(folds_of(&keeps, UNA_AUTO, 1000, 0), 5);
    assert_int_equal(folds_of(&keeps, 7, 99999, 0), 5);
    assert_int_equal(folds_of(&keeps, UNA_AUTO, 100000, 0), 0);
    assert_int_equal(folds_of(&keeps, 1, 999, 0), 5);                    /* one is trained once more, on all rows */
    assert_int_equal(folds_of(&keeps, 1, 1000, 0), 0);
    assert_int_equal(folds_of(&keeps, 0, 1000, 0), 0);                   /* it has no such option */
    assert_int_equal(folds_of(&stack, UNA_AUTO, 1000, 0), 5);            /* a mixture of its own */
    assert_int_equal(folds_of(&stack, UNA_AUTO, 100000, 0), 0);
    assert_int_equal(folds_of(&keeps, UNA_AUTO, 500, 0.3), 0);           /* asked for: as asked */
    assert_int_equal(folds_of(&none, UNA_AUTO, 500, 0), 0);
}

static una_status split_some(void *context, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_copies copies;
    uint32_t *order;
    unsigned char *fold;
    size_t folds = UNA_FOLDS, held = 20;
    const una_problem *p = context;
    una_status status = una_split_copies(&copies, p, run);
    if (status == UNA_OK)
        status = una_fold_rows(&fold, &folds, &copies, p->x.rows, una_rng_at(5, UNA_FOR_FOLDS, 0), run);
    if (status == UNA_OK)
        status = una_hold_rows(&order, &held, &copies, p->x.rows, una_rng_at(5, UNA_FOR_SPLIT, 0), run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static void memory_may_end(void **state)
{
    una_problem p = *inputs(MOST, 100);
    (void)state;
    assert_true(sweep_allocations(split_some, &p) > 0);
    p.team = teams_of(MOST, 30);
    assert_true(sweep_allocations(split_some, &p) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_copies_rows_are_dealt_out),
        cmocka_unit_test(copies_stand_on_one_side),
        cmocka_unit_test(what_cannot_be_kept_together_is_dealt_out),
        cmocka_unit_test(teams_stand_on_one_side),
        cmocka_unit_test(folds_where_they_are_kept),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
