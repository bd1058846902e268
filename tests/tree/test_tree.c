/* SPDX-License-Identifier: MIT
 *
 * Boosted trees against brute force: codes, the best split of numbers and of sets of words, missing cells, the value of
 * leaves, early stopping, and files.
 */
#include "test_support.h"

#include "tree/tree.h"

enum { MOST = 400, COLUMNS = 3 };

typedef struct table {
    double x[MOST * 8], y[MOST];
    una_source source[COLUMNS];
    una_input input[8];
    una_columns columns;
    una_view view;
} table;

/* Numbers a (few values, or many) and b, and optionally a text column of six words behind them. */
static void set_table(table *t, size_t rows, size_t values, bool words, uint64_t stream)
{
    una_rng rng = una_rng_at(11, UNA_FOR_TEST, stream);
    size_t cols = words ? 8 : 2;
    memset(t, 0, sizeof *t);
    t->source[2] = (una_source){ .name = "c", .is_text = true, .level_count = 6 };
    for (size_t d = 0; d < cols; d++)
        t->input[d] = (una_input){ .source = d < 2 ? d : 2, .level = d < 2 ? SIZE_MAX : d - 2, .scale = 1 };
    t->columns = (una_columns){ .sources = t->source, .source_count = words ? 3 : 2, .inputs = t->input,
                                .input_count = cols };
    for (size_t i = 0; i < rows; i++) {
        double *x = t->x + i * cols;
        size_t word = una_rng_below(&rng, 6);
        x[0] = (double)una_rng_below(&rng, values) / (double)values;
        x[1] = una_rng_normal(&rng);
        if (words) x[2 + word] = 1;
        t->y[i] = (x[0] > 0.4) + 0.3 * x[1] + (words ? 2.0 * (double)(word % 3 == 1) : 0) + 0.3 * una_rng_normal(&rng);
    }
    t->view = (una_view){ t->x, rows, cols, cols };
}

static una_tree_settings one_tree(size_t depth)
{
    return (una_tree_settings){ .most = 1, .depth = depth, .least_rows = 1, .rate = 1, .penalty = 0.5, .row_share = 1,
                                .column_share = 1, .seed = 1, .stage = "growing" };
}

typedef struct grown { una_trees trees; una_tree_rows rows; una_arena keep; double error; } grown;

static una_status try_grow(grown *g, const table *t, const una_tree_settings *how, size_t judges, una_run *run)
{
    una_tree_rows judge;
    una_view last = { t->view.at + (t->view.rows - judges) * t->view.stride, judges, t->view.cols, t->view.stride };
    una_view first = t->view;
    first.rows -= judges;
    *g = (grown){0};
    una_arena_init(&g->keep, run);
    UNA_TRY(una_tree_coding_learn(&g->trees.coding, &t->columns, first, &g->keep, run));
    UNA_TRY(una_tree_rows_take(&g->rows, &g->trees.coding, first, t->y, &g->keep, run));
    UNA_TRY(una_tree_rows_take(&judge, &g->trees.coding, last, t->y + first.rows, &g->keep, run));
    UNA_SCOPED(run, una_trees_grow(&g->trees, &g->rows, &judge, how, &g->error, &g->keep, run));
    return UNA_OK;
}

static double value_at(const una_trees *trees, const double *x)
{
    unsigned char code[COLUMNS];
    una_tree_code(&trees->coding, x, code);
    return una_trees_value(trees, code);
}

/* ---- codes ---------------------------------------------------------------------------------------------------- */

static void codes_are_ranges_or_words(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena keep;
    table t;
    una_tree_coding coding;
    una_arena_init(&keep, run);
    set_table(&t, MOST, 7, true, 0);
    assert_ok(una_tree_coding_learn(&coding, &t.columns, t.view, &keep, run), run);
    assert_int_equal(coding.columns, 3);
    assert_int_equal(coding.column[0].edges, 6);                         /* between seven values */
    assert_int_equal(coding.column[1].edges, UNA_TREE_CODES - 3);
    assert_int_equal(coding.column[2].words, 6);
    size_t often[UNA_TREE_CODES] = {0};
    for (size_t i = 0; i < MOST; i++) {
        unsigned char code[COLUMNS];
        const double *x = t.x + 8 * i;
        una_tree_code(&coding, x, code);
        assert_int_equal(code[0], 1 + (int)floor(7 * x[0] + 0.5));
        assert_true(x[2 + code[2] - 1] == 1);
        often[code[1]]++;
        if (code[1] > 1) assert_true(x[1] > coding.column[1].edge[code[1] - 2]);
        if (code[1] - 1u < coding.column[1].edges) assert_true(x[1] <= coding.column[1].edge[code[1] - 1]);
    }
    for (size_t c = 1; c < UNA_TREE_CODES - 1; c++) assert_true(often[c] >= 1 && often[c] <= 3);
    double unknown[8] = { 0.5, 0 };
    unsigned char code[COLUMNS];
    una_tree_code(&coding, unknown, code);
    assert_int_equal(code[2], 0);                                        /* none of the words */
    una_arena_free(&keep);
    una_run_free(run);
}

/* ---- one split ------------------------------------------------------------------------------------------------- */

/* What is gained by a side, given by the flags of the rows. */
static double gain_of(const table *t, const bool *left, double penalty)
{
    double sum[2] = {0}, rows[2] = {0}, mean = 0;
    for (size_t i = 0; i < t->view.rows; i++) mean += t->y[i] / (double)t->view.rows;
    for (size_t i = 0; i < t->view.rows; i++) sum[left[i]] += t->y[i] - mean, rows[left[i]]++;
    if (rows[0] == 0 || rows[1] == 0) return 0;
    return sum[0] * sum[0] / (rows[0] + penalty) + sum[1] * sum[1] / (rows[1] + penalty);
}

static double gain_of_tree(const table *t, const grown *g, double penalty)
{
    bool left[MOST];
    const una_tree *tree = &g->trees.tree[0];
    assert_int_equal(tree->nodes, 3);
    for (size_t i = 0; i < t->view.rows; i++)
        left[i] = value_at(&g->trees, t->x + i * t->view.stride) == g->trees.base + tree->node[1].value;
    return gain_of(t, left, penalty);
}

static void the_best_number_is_found(void **state)
{
    (void)state;
    for (uint64_t stream = 0; stream < 5; stream++) {
        una_run *run = quiet_run();
        table t;
        grown g;
        bool left[MOST];
        double best = 0, penalty = 0.5;
        set_table(&t, 200, 50, false, stream);
        for (size_t k = 0; k < 200; k++)
            for (size_t d = 0; d < 2; d++) {
                for (size_t i = 0; i < 200; i++) left[i] = t.x[2 * i + d] <= t.x[2 * k + d];
                best = fmax(best, gain_of(&t, left, penalty));
            }
        una_tree_settings how = one_tree(1);
        assert_ok(try_grow(&g, &t, &how, 0, run), run);
        assert_near(gain_of_tree(&t, &g, penalty), best, 1e-9, 0);
        una_arena_free(&g.keep);
        una_run_free(run);
    }
}

/* Of 63 ways to part six words none is better. */
static void the_best_set_of_words_is_found(void **state)
{
    (void)state;
    for (uint64_t stream = 0; stream < 5; stream++) {
        una_run *run = quiet_run();
        table t;
        grown g;
        bool left[MOST];
        double best = 0;
        set_table(&t, 300, 2, true, stream);
        for (unsigned set = 1; set < 63; set++) {
            for (size_t i = 0; i < 300; i++) {
                size_t word = 0;
                while (t.x[8 * i + 2 + word] == 0) word++;
                left[i] = set >> word & 1;
            }
            best = fmax(best, gain_of(&t, left, 0.5));
        }
        una_tree_settings how = one_tree(1);
        assert_ok(try_grow(&g, &t, &how, 0, run), run);
        assert_non_null(g.trees.tree[0].node[0].words);
        assert_near(gain_of_tree(&t, &g, 0.5), best, 0.02, 0);           /* the penalty may change the order of means */
        una_arena_free(&g.keep);
        una_run_free(run);
    }
}

/* A leaf's value is the sum of what was left in it over its rows and the penalty. */
static void leaves_are_shrunk_means(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t;
    grown g;
    set_table(&t, 300, 50, true, 9);
    una_tree_settings how = one_tree(3);
    how.rate = 0.25;
    how.least_rows = 10;
    assert_ok(try_grow(&g, &t, &how, 0, run), run);
    const una_tree *tree = &g.trees.tree[0];
    for (size_t n = 0; n < tree->nodes; n++) {
        double sum = 0, rows = 0;
        if (tree->node[n].left) continue;
        for (size_t i = 0; i < 300; i++) {
            if (value_at(&g.trees, t.x + 8 * i) != g.trees.base + tree->node[n].value) continue;
            sum += t.y[i] - g.trees.base;
            rows++;
        }
        assert_true(rows >= 10);
        assert_near(tree->node[n].value, 0.25 * sum / (rows + 0.5), 1e-12, 1e-12);
    }
    una_arena_free(&g.keep);
    una_run_free(run);
}

/* The rows without a number are like those with large ones. */
static void missing_cells_go_where_they_fit(void **state)
{
    (void)state;
    for (int like_large = 0; like_large <= 1; like_large++) {
        una_run *run = quiet_run();
        table t;
        grown g;
        set_table(&t, 200, 50, false, 3);
        t.source[1].has_missing_indicator = true;
        t.input[0].source = t.input[1].source = 1;       /* number, then its indicator */
        t.columns.source_count = 2;
        for (size_t i = 0; i < 200; i++) {
            bool missing = i % 4 == 0;
            t.x[2 * i + 1] = missing;
            t.y[i] = missing ? like_large : t.x[2 * i] > 0.4;
        }
        una_tree_settings how = one_tree(1);
        assert_ok(try_grow(&g, &t, &how, 0, run), run);
        assert_int_equal(g.trees.coding.columns, 1);
        const double gone[2] = { 0.9, 1 }, small[2] = { 0.1, 0 }, large[2] = { 0.9, 0 };
        assert_true(value_at(&g.trees, gone) == value_at(&g.trees, like_large ? large : small));
        assert_true(value_at(&g.trees, small) < value_at(&g.trees, large));
        una_arena_free(&g.keep);
        una_run_free(run);
    }
}

/* ---- boosting -------------------------------------------------------------------------------------------------- */

static void more_trees_fit_better_until_they_stop(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t;
    grown one, same, other;
    set_table(&t, MOST, 100, true, 5);
    una_tree_settings how = one_tree(3);
    how.most = 500;
    how.rate = 0.3;
    how.patience = 10;
    how.row_share = 0.7;
    assert_ok(try_grow(&one, &t, &how, 100, run), run);
    assert_true(one.trees.count > 2 && one.trees.count < 400);
    double square = 0;
    for (size_t i = MOST - 100; i < MOST; i++) square += pow(t.y[i] - value_at(&one.trees, t.x + 8 * i), 2) / 100;
    assert_near(square, one.error, 1e-12, 1e-12);
    assert_true(square > 0.09 && square < 0.2);                          /* the noise is 0.09 */

    assert_ok(try_grow(&same, &t, &how, 100, run), run);
    how.seed = 2;
    assert_ok(try_grow(&other, &t, &how, 100, run), run);
    assert_true(same.error == one.error && other.error != one.error);
    una_arena_free(&one.keep);
    una_arena_free(&same.keep);
    una_arena_free(&other.keep);
    una_run_free(run);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static void save(una_archive *ar, una_trees *trees, una_arena *arena, una_run *run)
{
    *ar = (una_archive){0};
    assert_ok(una_archive_save_begin(ar, "{}", arena, run), run);
    ar->inputs = 8;
    assert_ok(una_trees_exchange(trees, ar), run);
    assert_ok(una_archive_save_end(ar), run);
}

static una_status load(una_trees *trees, const una_archive *from, una_arena *arena, una_run *run)
{
    una_archive ar = {0};
    UNA_TRY(una_archive_load_begin(&ar, from->bytes, from->size, "a file", NULL, arena, run));
    ar.inputs = 8;
    UNA_TRY(una_trees_exchange(trees, &ar));
    return una_archive_load_end(&ar);
}

static void files_hold_trees_and_are_checked(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    table t;
    grown g;
    una_archive file;
    una_trees loaded = {0};
    set_table(&t, MOST, 100, true, 6);
    una_tree_settings how = one_tree(4);
    how.most = 20;
    assert_ok(try_grow(&g, &t, &how, 0, run), run);
    save(&file, &g.trees, &g.keep, run);
    assert_ok(load(&loaded, &file, &g.keep, run), run);
    for (size_t i = 0; i < MOST; i++)
        assert_true(value_at(&loaded, t.x + 8 * i) == value_at(&g.trees, t.x + 8 * i));

    una_tree_node *root = &g.trees.tree[3].node[0], kept = *root;
    for (int what = 0; what < 4; what++) {
        if (what == 0) root->left = (uint32_t)g.trees.tree[3].nodes - 1;         /* no room for its sibling */
        if (what == 1) root->column = 7;
        if (what == 2) root->column = kept.words ? 0 : 2;                /* words asked of a number, or the other way */
        if (what == 3) g.trees.tree[3].node[1].left = 1;                 /* itself: an endless walk */
        save(&file, &g.trees, &g.keep, run);
        assert_status(load(&loaded, &file, &g.keep, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "trees.node");
        *root = kept;
    }
    una_arena_free(&g.keep);
    una_run_free(run);
}

static una_status grow_job(void *context, una_run *run)
{
    grown g;
    una_tree_settings how = one_tree(3);
    how.most = 3;
    una_status status = try_grow(&g, context, &how, 20, run);
    una_arena_free(&g.keep);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    static table t;
    set_table(&t, 200, 50, true, 7);
    assert_true(sweep_allocations(grow_job, &t) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_are_ranges_or_words), cmocka_unit_test(the_best_number_is_found),
        cmocka_unit_test(the_best_set_of_words_is_found), cmocka_unit_test(leaves_are_shrunk_means),
        cmocka_unit_test(missing_cells_go_where_they_fit), cmocka_unit_test(more_trees_fit_better_until_they_stop),
        cmocka_unit_test(files_hold_trees_and_are_checked), cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
