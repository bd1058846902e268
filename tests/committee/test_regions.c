/* SPDX-License-Identifier: MIT
 *
 * Regions to leave out: whole slabs of middling rank, with rows on both sides, of the inputs that matter; none where
 * there is none.
 */
#include "test_support.h"

#include "committee/regions.h"

const una_kind *const una_kinds[] = { NULL };    /* the room below asks for a registry */

enum { ROWS = 90, MOST = 4, MOST_INPUTS = 3 };

typedef struct table {
    double x[ROWS * MOST_INPUTS];
    una_input input[MOST_INPUTS];
    una_columns columns;
    una_view view;
    una_regions regions;
} table;

static table new_table(size_t inputs)
{
    table t = {0};
    una_rng rng = una_rng_at(9, UNA_FOR_TEST, inputs);
    for (size_t i = 0; i < ROWS * inputs; i++) t.x[i] = una_rng_normal(&rng);
    for (size_t d = 0; d < inputs; d++)
        t.input[d] = (una_input){ .source = d, .level = SIZE_MAX, .scale = 1 };
    t.columns.input_count = inputs;
    t.view = (una_view){ NULL, ROWS, inputs, inputs };
    return t;
}

static void cut(table *t, const double *scale, uint64_t seed, una_run *run)
{
    t->view.at = t->x;
    t->columns.inputs = t->input;
    double y[ROWS] = {0};
    const una_problem p = { .x = t->view, .y = y, .columns = &t->columns, .seed = seed };
    assert_ok(una_regions_cut(&t->regions, MOST, &p, scale, run), run);
    /* what comes next must not write on it */
    double *next = UNA_GET(&run->scratch, double, 5000);
    assert_non_null(next);
    for (size_t i = 0; i < 5000; i++) next[i] = NAN;
    for (size_t k = 0; k < t->regions.count; k++) {
        size_t out = 0;
        for (size_t i = 0; i < ROWS; i++) {
            assert_true(t->regions.inside[k * ROWS + i] <= 1);
            out += t->regions.inside[k * ROWS + i];
        }
        assert_true(out >= 5 && 2 * out <= ROWS);
    }
}

/* Rows of the region are those between its lowest and its highest along the input, and rows lie on both sides. */
static bool is_slab(const table *t, size_t region, size_t input)
{
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t below = 0, above = 0;
    const unsigned char *inside = t->regions.inside + region * ROWS;
    for (size_t i = 0; i < ROWS; i++) {
        double at = t->x[i * t->view.cols + input];
        if (inside[i]) low = fmin(low, at), high = fmax(high, at);
    }
    for (size_t i = 0; i < ROWS; i++) {
        double at = t->x[i * t->view.cols + input];
        below += at < low;
        above += at > high;
        if ((at >= low && at <= high) != inside[i]) return false;
    }
    return below > 0 && above > 0;
}

static void one_input_in_pieces(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = new_table(1);
    cut(&t, NULL, 1, run);
    assert_int_equal(t.regions.count, MOST);
    for (size_t k = 0; k < MOST; k++) {
        size_t out = 0;
        assert_true(is_slab(&t, k, 0));
        for (size_t i = 0; i < ROWS; i++) out += t.regions.inside[k * ROWS + i];
        assert_int_equal(out, ROWS / (MOST + 2));                        /* equal counts, an end piece on each side */
    }
    for (size_t i = 0; i < ROWS; i++) {                                  /* no row is in two of them */
        size_t times = 0;
        for (size_t k = 0; k < MOST; k++) times += t.regions.inside[k * ROWS + i];
        assert_true(times <= 1);
    }
    una_run_free(run);
}

static void what_matters_comes_first(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = new_table(3);
    const double scale[] = { 0.2, 1.5, 0.9 };
    cut(&t, scale, 1, run);
    assert_int_equal(t.regions.count, MOST);
    assert_true(is_slab(&t, 0, 1));                                      /* inputs in turn with directions */
    assert_true(is_slab(&t, 2, 2));
    assert_false(is_slab(&t, 1, 0) || is_slab(&t, 1, 1) || is_slab(&t, 1, 2));
    size_t out = 0;
    for (size_t i = 0; i < ROWS; i++) out += t.regions.inside[i];
    assert_int_equal(out, ROWS / 3);

    unsigned char first[MOST * ROWS];
    memcpy(first, t.regions.inside, sizeof first);
    cut(&t, scale, 1, run);
    assert_memory_equal(first, t.regions.inside, sizeof first);                  /* by the seed */
    cut(&t, scale, 2, run);
    assert_memory_not_equal(first, t.regions.inside, sizeof first);
    una_run_free(run);
}

/* Equal values go out together: never more than half of the rows, never those at an end. */
static void ties_stay_together(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = new_table(1);
    for (size_t i = 0; i < ROWS; i++) t.x[i] = (double)(i % 9);
    cut(&t, NULL, 1, run);
    assert_true(t.regions.count > 0);
    for (size_t k = 0; k < t.regions.count; k++) assert_true(is_slab(&t, k, 0));

    for (size_t i = 0; i < ROWS; i++) t.x[i] = i < 5 ? -1 : i < 85 ? 0 : 1;     /* most rows in the middle */
    cut(&t, NULL, 1, run);
    assert_int_equal(t.regions.count, 0);
    for (size_t i = 0; i < ROWS; i++) t.x[i] = (double)(i % 2);
    cut(&t, NULL, 1, run);
    assert_int_equal(t.regions.count, 0);
    una_run_free(run);
}

static void words_are_no_slabs(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = new_table(3);
    t.input[1].level = 0;                                                /* matters most, but is a category */
    cut(&t, (double[]){ 0.2, 1.5, 0.9 }, 1, run);
    assert_true(t.regions.count > 0);
    assert_true(is_slab(&t, 0, 2));
    una_run_free(run);
}

/* A sixth of the rows at each end of the input that matters most: by its scale, or by how the target rises along it. */
static void the_ends(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t = new_table(3);
    double low = HUGE_VAL, high = -HUGE_VAL;
    size_t below = 0, above = 0;
    cut(&t, (double[]){ 0.2, 1.5, 0.9 }, 1, run);
    assert_int_equal(t.regions.ends_input, 1);
    assert_int_equal(una_regions_left_out(&t.regions), t.regions.count + 1);
    assert_ptr_equal(una_regions_rows(&t.regions, t.regions.count, ROWS), t.regions.ends);
    for (size_t i = 0; i < ROWS; i++)
        if (!t.regions.ends[i]) low = fmin(low, t.x[i * 3 + 1]), high = fmax(high, t.x[i * 3 + 1]);
    for (size_t i = 0; i < ROWS; i++) {
        if (!t.regions.ends[i]) continue;
        assert_false(t.x[i * 3 + 1] >= low && t.x[i * 3 + 1] <= high);
        if (t.x[i * 3 + 1] < low) below++;
        else above++;
    }
    assert_int_equal(below, ROWS / 6);
    assert_int_equal(above, ROWS / 6);

    double y[ROWS];
    for (size_t i = 0; i < ROWS; i++) y[i] = t.x[i * 3] - 2 * t.x[i * 3 + 2];
    const una_problem p = { .x = t.view, .y = y, .outputs = 1, .columns = &t.columns };
    assert_ok(una_regions_cut(&t.regions, MOST, &p, NULL, run), run);
    assert_int_equal(t.regions.ends_input, 2);

    t = new_table(1);
    for (size_t i = 0; i < ROWS; i++) t.x[i] = (double)(i % 2);          /* two values: nothing lies beyond others */
    cut(&t, NULL, 1, run);
    assert_null(t.regions.ends);
    una_run_free(run);
}

static una_status cut_it(void *context, una_run *run)
{
    table *t = context;
    t->view.at = t->x;
    t->columns.inputs = t->input;
    double y[ROWS] = {0};
    const una_problem p = { .x = t->view, .y = y, .columns = &t->columns, .seed = 1 };
    return una_regions_cut(&t->regions, MOST, &p, NULL, run);
}

static void allocations_may_fail(void **state)
{
    (void)state;
    table t = new_table(2);
    assert_true(sweep_allocations(cut_it, &t) > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_input_in_pieces),
        cmocka_unit_test(what_matters_comes_first),
        cmocka_unit_test(ties_stay_together),
        cmocka_unit_test(words_are_no_slabs),
        cmocka_unit_test(the_ends),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
