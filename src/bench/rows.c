/* SPDX-License-Identifier: MIT
 *
 * The table of results as a CSV file. A row is known by its spec and its seed; rows that this run did not ask for
 * stay in the file.
 */
#include "bench/bench.h"

#include "data/table.h"

#include <string.h>
#include <unistd.h>

enum { WORDS = 2, COLUMNS = 9 };
static const char *const names[COLUMNS] = { "model", "spec", "seed", "gap_std", "data_std", "rmse", "seconds",
                                            "centre_std", "ripple" };

void una_bench_rows_add(una_bench_rows *rows, una_bench_row row)
{
    if (rows->count == rows->room) {
        size_t room = rows->room ? 2 * rows->room : 64;
        una_bench_row *at = UNA_GET(rows->arena, una_bench_row, room);
        if (!at) return;
        if (rows->count > 0) memcpy(at, rows->at, rows->count * sizeof *at);
        rows->at = at;
        rows->room = room;
    }
    rows->at[rows->count++] = row;
}

const una_bench_row *una_bench_rows_find(const una_bench_rows *rows, const char *spec, uint64_t seed)
{
    for (size_t i = 0; i < rows->count; i++)
        if (rows->at[i].seed == seed && strcmp(rows->at[i].spec, spec) == 0) return &rows->at[i];
    return NULL;
}

/* ---- in ------------------------------------------------------------------------------------------------ */

static una_status not_ours(const una_dataset *data, size_t row, size_t column, una_run *run)
{
    una_text place = una_text_in(&run->scratch);
    una_table_place(&place, data, row, column);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_FAIL(run, UNA_E_INPUT, "%s: this is not a result of an earlier run; correct or remove the line, or choose "
             "another folder for the results", place.at);
}

static una_status take(una_bench_rows *rows, const una_dataset *data, const size_t *place, size_t row, una_run *run)
{
    const char *word[WORDS];
    double number[COLUMNS] = {0};
    for (size_t c = 0; c < COLUMNS; c++) {
        const una_table_column *column = &data->column[place[c]];
        bool good = column->is_text == (c < WORDS);
        if (good && c < WORDS) good = (word[c] = column->word[row]) != NULL;
        else if (good) good = isfinite(number[c] = column->number[row]) && number[c] >= 0;
        if (good && c == WORDS) good = number[c] == floor(number[c]) && number[c] < 9e15;
        if (!good) return not_ours(data, row, place[c], run);
    }
    una_bench_rows_add(rows, (una_bench_row){ una_arena_text(rows->arena, word[0]),
                                              una_arena_text(rows->arena, word[1]),
        (uint64_t)number[2], number[3], number[4], number[5], number[6], number[7], number[8] });
    return una_arena_check(rows->arena);
}

static una_status take_all(una_bench_rows *rows, const una_dataset *data, una_run *run)
{
    size_t place[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++) UNA_TRY(una_table_need(&place[c], data, names[c], run));
    for (size_t row = 0; row < data->rows; row++) UNA_TRY(take(rows, data, place, row, run));
    return UNA_OK;
}

una_status una_bench_rows_read(una_bench_rows *rows, const char *path, una_run *run)
{
    una_dataset *data = NULL;
    if (access(path, F_OK) != 0) return UNA_OK;
    UNA_TRY(una_dataset_read(&data, path, run));
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = take_all(rows, data, run);
    una_arena_release(&run->scratch, mark);
    una_dataset_free(data);
    return status;
}

/* ---- out ----------------------------------------------------------------------------------------------- */

static void put_quoted(FILE *to, const char *word)
{
    fputc('"', to);
    for (; *word; word++) {
        if (*word == '"') fputc('"', to);
        fputc(*word, to);
    }
    fputc('"', to);
}

static void put_row(FILE *to, const una_bench_row *row)
{
    char text[32];
    const double number[] = { row->gap_std, row->data_std, row->rmse, row->seconds, row->centre_std, row->ripple };
    fprintf(to, "%s,", row->model);
    put_quoted(to, row->spec);
    fprintf(to, ",%llu", (unsigned long long)row->seed);
    for (size_t i = 0; i < sizeof number / sizeof *number; i++) fprintf(to, ",%s", una_number_text(text, number[i]));
    fputc('\n', to);
}

una_status una_bench_rows_write(const una_bench_rows *rows, const char *path, una_run *run)
{
    una_file file;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_file_begin(&file, path, &run->scratch, run);
    if (status == UNA_OK) {
        for (size_t c = 0; c < COLUMNS; c++) fprintf(file.stream, "%s%s", c ? "," : "", names[c]);
        fputc('\n', file.stream);
        for (size_t i = 0; i < rows->count; i++) put_row(file.stream, &rows->at[i]);
        status = una_file_commit(&file, run);                    /* which sees a failure of the stream */
    }
    una_arena_release(&run->scratch, mark);
    return status;
}
