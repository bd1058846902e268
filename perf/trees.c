/* SPDX-License-Identifier: MIT
 *
 * The C side of trees_xgboost.py: boosted trees on a table, timed.
 *   trees TRAIN.bin TREES DEPTH RATE
 * TRAIN.bin holds doubles: rows that train, rows that are predicted, inputs; then all inputs row by row; then all targets.
 * Prints seconds of coding, seconds of growing, and the root mean squared error of the predicted rows.
 */
#include "tree/tree.h"

static double *read_numbers(FILE *file, size_t count)
{
    double *at = malloc((count + 1) * sizeof *at);
    if (at && fread(at, sizeof *at, count, file) == count) return at;
    fprintf(stderr, "trees: the file is too short\n");
    exit(UNA_E_INPUT);
}

static void must(una_status status, const una_run *run)
{
    if (status == UNA_OK) return;
    fprintf(stderr, "trees: %s\n", una_run_message(run));
    exit((int)status);
}

static void set_columns(una_columns *columns, size_t inputs, una_arena *arena)
{
    una_source *source = UNA_GET(arena, una_source, inputs);
    una_input *input = UNA_GET(arena, una_input, inputs);
    for (size_t d = 0; source && input && d < inputs; d++)
        input[d] = (una_input){ .source = d, .level = SIZE_MAX, .scale = 1 };
    *columns = (una_columns){ .sources = source, .source_count = inputs, .inputs = input, .input_count = inputs };
}

static double error_of(const una_trees *trees, una_view x, const double *y)
{
    unsigned char code[UINT16_MAX];
    double square = 0;
    for (size_t i = 0; i < x.rows; i++) {
        una_tree_code(&trees->coding, x.at + i * x.stride, code);
        square += pow(y[i] - una_trees_value(trees, code), 2);
    }
    return sqrt(square / (double)x.rows);
}

int main(int argc, char **argv)
{
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1 };
    una_arena keep;
    una_columns columns;
    una_trees trees = {0};
    una_tree_rows rows;
    double none;
    FILE *file = argc == 5 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: trees TRAIN.bin TREES DEPTH RATE\n");
        return UNA_E_USAGE;
    }
    must(una_run_new(&run, &settings), run);
    una_arena_init(&keep, run);
    double *head = read_numbers(file, 3);
    size_t train = (size_t)head[0], test = (size_t)head[1], inputs = (size_t)head[2];
    double *x = read_numbers(file, (train + test) * inputs), *y = read_numbers(file, train + test);
    fclose(file);

    set_columns(&columns, inputs, &keep);
    una_view known = { x, train, inputs, inputs }, asked = { x + train * inputs, test, inputs, inputs };
    double start = una_clock();
    must(una_tree_coding_learn(&trees.coding, &columns, known, &keep, run), run);
    must(una_tree_rows_take(&rows, &trees.coding, known, y, &keep, run), run);
    double coded = una_clock();
    const una_tree_settings how = { .most = (size_t)atoi(argv[2]), .depth = (size_t)atoi(argv[3]), .least_rows = 1,
                                    .rate = atof(argv[4]), .penalty = 1, .row_share = 1, .column_share = 1,
                                    .stage = "growing trees" };
    must(una_trees_grow(&trees, &rows, NULL, &how, &none, &keep, run), run);
    double grown = una_clock();
    printf("%.4f %.4f %.6f\n", coded - start, grown - coded, error_of(&trees, asked, y + train));

    una_arena_free(&keep);
    una_run_free(run);
    free(head);
    free(x);
    free(y);
    return 0;
}
