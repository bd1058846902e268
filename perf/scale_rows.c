/* SPDX-License-Identifier: MIT
 *
 * The C side of scale_peer.py: the rows of 'una bench scale', so that a peer learns and answers the same ones.
 *   scale_rows DATA SET GROUP SEED SIZES OUT
 * OUT gets doubles: rows that train, rows that are predicted, inputs; then all inputs row by row; then all targets. A size's
 * rows are the first of those that train; SIZES is written to the standard output, size by size.
 */
#include "scale/scale.h"

static void must(una_status status, const una_run *run)
{
    if (status == UNA_OK) return;
    fprintf(stderr, "scale_rows: %s\n", una_run_message(run));
    exit((int)status);
}

static void put_rows(FILE *out, const una_dataset *all, const size_t *rows, size_t count, size_t from, size_t columns)
{
    for (size_t i = 0; i < count; i++)
        for (size_t c = from; c < from + columns; c++) fwrite(una_dataset_numbers(all, c) + rows[i], sizeof(double), 1, out);
}

int main(int argc, char **argv)
{
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings };
    una_scale_tables *tables;
    una_scale_sizes sizes;
    size_t *order;
    FILE *out = argc == 7 ? fopen(argv[6], "wb") : NULL;
    if (!out) {
        fprintf(stderr, "usage: scale_rows DATA SET standard|valid SEED SIZES OUT\n");
        return UNA_E_USAGE;
    }
    must(una_run_new(&run, &settings), run);
    una_scale_options o = { .data = argv[1], .sets = argv[2], .target = "", .test = 0.2, .rows = 16000,
                            .valid = strcmp(argv[3], "valid") == 0 };
    must(una_scale_tables_new(&tables, &(una_asked){ .options = &o }, run), run);
    const una_scale_table *t = tables->table;
    must(una_scale_sizes_of(&sizes, argv[5], t->train_count, run), run);
    must(una_scale_subset(&order, t, t->train_count, strtoul(argv[4], NULL, 10), run), run);

    size_t inputs = una_dataset_column_count(t->all) - 1;
    double head[] = { (double)t->train_count, (double)t->test_count, (double)inputs };
    fwrite(head, sizeof head, 1, out);
    put_rows(out, t->all, order, t->train_count, 0, inputs);
    put_rows(out, t->all, t->test, t->test_count, 0, inputs);
    put_rows(out, t->all, order, t->train_count, inputs, 1);
    put_rows(out, t->all, t->test, t->test_count, inputs, 1);
    bool written = !ferror(out) && fclose(out) == 0;
    for (size_t i = 0; i < sizes.count; i++) printf("%zu\n", sizes.rows[i]);
    una_result_free(tables);
    una_run_free(run);
    return written ? UNA_OK : UNA_E_INPUT;
}
