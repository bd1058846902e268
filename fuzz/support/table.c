/* SPDX-License-Identifier: MIT
 *
 * See table.h.
 */
#include "table.h"

static double number_of(uint8_t byte, size_t turn)
{
    if (byte == 255) return NAN;
    if (byte == 254) return 1e6;
    return (byte - 100) / 16.0 + 0.01 * (double)turn;
}

una_status fuzz_table(una_dataset **data, fuzz_bytes *bytes, const char *const *names, una_run *run)
{
    static const char *const words[] = { "a", "b", "c", "red", "2", "d <e>", "f", NULL };
    static const char *const usual[FUZZ_MOST_COLUMNS] = { "x1", "x2", "x3", "x4", "y" };
    double cells[FUZZ_MOST_COLUMNS][FUZZ_MOST_ROWS];
    const char *texts[FUZZ_MOST_COLUMNS][FUZZ_MOST_ROWS];
    const double *numbers[FUZZ_MOST_COLUMNS] = {0};
    const char *const *levels[FUZZ_MOST_COLUMNS] = {0};
    size_t rows = 1 + fuzz_first(bytes) % FUZZ_MOST_ROWS;
    uint8_t shape = fuzz_first(bytes);
    size_t columns = 2 + shape % (FUZZ_MOST_COLUMNS - 1);

    for (size_t c = 0; c < columns; c++) {
        bool is_text = c + 1 < columns && shape >> (4 + c) & 1;
        if (is_text) levels[c] = texts[c];
        else numbers[c] = cells[c];
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < columns; c++) {
            size_t at = r * columns + c;
            uint8_t byte = bytes->left ? bytes->at[at % bytes->left] : (uint8_t)(at * 37);
            cells[c][r] = number_of(byte, bytes->left ? at / bytes->left : 0);
            texts[c][r] = words[byte % 8];
        }
    const char *const *given = names ? names : usual + FUZZ_MOST_COLUMNS - columns;
    return una_dataset_from_columns(data, given, numbers, levels, columns, rows, run);
}

double *fuzz_predictions(const una_model *model, const una_dataset *data, fuzz_world *w)
{
    size_t rows = una_dataset_row_count(data);
    double *n = calloc(6 * rows, sizeof *n);
    FUZZ_CHECK(n, "no memory");
    una_prediction p = { .size = sizeof p, .mean = n, .std = n + rows, .std_epistemic = n + 2 * rows,
                         .std_noise = n + 3 * rows, .lower = n + 4 * rows, .upper = n + 5 * rows };
    if (FUZZ_EXPLAIN(una_model_predict(model, data, 0.9, &p, w->run), w) != UNA_OK) {
        free(n);
        return NULL;
    }
    fuzz_finite(n, 6 * rows, "predictions");
    for (size_t i = 0; i < rows; i++)
        FUZZ_CHECK(p.std[i] >= 0 && p.std_epistemic[i] >= 0 && p.std_noise[i] >= 0 && p.lower[i] <= p.upper[i],
                   "row %zu: std %g, %g, %g, from %g to %g", i, p.std[i], p.std_epistemic[i], p.std_noise[i],
                   p.lower[i], p.upper[i]);
    return n;
}

void fuzz_saved(const una_model *model, const una_dataset *data, fuzz_world *w)
{
    void *bytes = NULL, *again = NULL;
    size_t size, second;
    una_model *loaded = NULL;
    if (FUZZ_EXPLAIN(una_model_save_memory(model, &bytes, &size, w->run), w) != UNA_OK) return;
    una_status status = FUZZ_EXPLAIN(una_model_load_memory(&loaded, bytes, size, w->run), w);
    FUZZ_CHECK(status == UNA_OK || w->starved, "a model is saved, and not loaded: %s", una_run_message(w->run));
    if (status == UNA_OK && FUZZ_EXPLAIN(una_model_save_memory(loaded, &again, &second, w->run), w) == UNA_OK)
        FUZZ_CHECK(size == second && memcmp(bytes, again, size) == 0, "saved again it is other bytes");
    if (status == UNA_OK && una_model_target_count(model) == 1) {
        double *here = fuzz_predictions(model, data, w), *there = fuzz_predictions(loaded, data, w);
        FUZZ_CHECK(!here == !there || w->starved, "only one of a model and its copy predicts");
        if (here && there) fuzz_same(here, there, 6 * una_dataset_row_count(data), "predictions of a saved model");
        free(here);
        free(there);
    }
    una_model_free(loaded);
    una_memory_free(again, w->run);
    una_memory_free(bytes, w->run);
}
