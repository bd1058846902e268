/* SPDX-License-Identifier: MIT
 *
 * Prediction, scoring and update of whole files, chunk by chunk: memory does not grow with the file.
 */
#include "model/scoring.h"

#include <string.h>

enum { CHUNK = 4096 };

/* ---- one loop over the chunks of a file ------------------------------------------------------------------ */

typedef struct chunk {
    const una_reader *reader;
    double *x, *y;                       /* encoded; y only where it was asked for                          */
    size_t  rows;
} chunk;

typedef una_status chunk_task(void *context, const chunk *rows, una_run *run);

static una_status encode_chunk(chunk *c, const una_model *model, const una_dataset *table, bool with_target,
                               una_run *run)
{
    return una_columns_encode(&model->columns, table, &c->x, with_target ? &c->y : NULL, NULL, &c->rows, &run->scratch,
                              run);
}

static una_status walk(const una_model *model, una_reader *reader, bool with_target, chunk_task *task, void *context,
                       size_t *rows, una_run *run)
{
    for (;;) {
        una_dataset *table;
        UNA_TRY(una_reader_next(&table, reader, CHUNK));
        if (!table) return UNA_OK;
        una_mark mark = una_arena_mark(&run->scratch);
        chunk c = { .reader = reader };
        una_status status = encode_chunk(&c, model, table, with_target, run);
        if (status == UNA_OK) status = task(context, &c, run);
        una_arena_release(&run->scratch, mark);
        una_dataset_free(table);
        UNA_TRY(status);
        *rows += c.rows;
        if (una_cancelled(run)) UNA_FAIL(run, UNA_CANCELLED, "interrupted after %zu rows", *rows);
    }
}

static una_status for_each_chunk(const una_model *model, const char *path, bool with_target, bool keep,
                                 chunk_task *task, void *context, size_t *rows, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    size_t sources = model->columns.source_count;
    una_wanted *wanted = una_columns_wanted(&model->columns, &run->scratch);
    una_reader *reader = NULL;
    *rows = 0;
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK)
        status = una_reader_open(&reader, path, wanted, sources + with_target, sources + with_target, run);
    if (status == UNA_OK && keep) una_reader_keep(reader);
    if (status == UNA_OK) status = walk(model, reader, with_target, task, context, rows, run);
    una_reader_close(reader);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- predict ------------------------------------------------------------------------------------------------ */

typedef struct predicting {
    const una_model *model;
    una_predict_settings settings;
    FILE *out;
    const char *path;
    bool  begun;
} predicting;

static void add_cell(una_text *line, const char *cell)
{
    if (!strpbrk(cell, ",\"\r\n")) {
        una_text_bytes(line, cell, strlen(cell));
        return;
    }
    una_text_bytes(line, "\"", 1);
    for (const char *c = cell; *c; c++) una_text_bytes(line, *c == '"' ? "\"\"" : c, *c == '"' ? 2 : 1);
    una_text_bytes(line, "\"", 1);
}

static void add_header(una_text *text, const predicting *p, const una_reader *reader)
{
    for (size_t j = 0; p->settings.keep && j < una_reader_columns(reader); j++) {
        add_cell(text, una_reader_name(reader, j));
        una_text_bytes(text, ",", 1);
    }
    una_text_add(text, "mean,std,std_epistemic,std_noise,lower,upper");
    for (size_t k = 1; k <= p->settings.draws; k++) una_text_add(text, ",draw_%zu", k);
    una_text_bytes(text, "\n", 1);
}

static void add_value(una_text *text, double value, const char *end)
{
    char number[32];
    una_number_text(number, value);
    una_text_bytes(text, number, strlen(number));
    una_text_bytes(text, end, 1);
}

static void add_rows(una_text *text, const predicting *p, const chunk *c, const una_prediction *out,
                     const double *draws)
{
    for (size_t r = 0; r < c->rows; r++) {
        for (size_t j = 0; p->settings.keep && j < una_reader_columns(c->reader); j++) {
            add_cell(text, una_reader_cell(c->reader, r, j));
            una_text_bytes(text, ",", 1);
        }
        const double value[] = { out->mean[r], out->std[r], out->std_epistemic[r], out->std_noise[r], out->lower[r],
                                 out->upper[r] };
        for (size_t i = 0; i < 6; i++) add_value(text, value[i], i < 5 || p->settings.draws ? "," : "\n");
        for (size_t k = 0; k < p->settings.draws; k++)
            add_value(text, draws[k * c->rows + r], k + 1 < p->settings.draws ? "," : "\n");
    }
}

static una_status predict_chunk(void *context, const chunk *c, una_run *run)
{
    predicting *p = context;
    una_arena *scratch = &run->scratch;
    una_prediction out = { UNA_GET(scratch, double, c->rows), UNA_GET(scratch, double, c->rows),
                           UNA_GET(scratch, double, c->rows), UNA_GET(scratch, double, c->rows),
                           UNA_GET(scratch, double, c->rows), UNA_GET(scratch, double, c->rows) };
    double *draws = UNA_GET(scratch, double, c->rows * p->settings.draws);
    UNA_TRY(una_arena_check(scratch));
    UNA_TRY(una_model_predict_encoded(p->model, c->x, c->rows, p->settings.level, &out, run));
    if (p->settings.draws)
        UNA_TRY(una_model_draw_encoded(p->model, c->x, c->rows, p->settings.draws, false, draws, run));
    una_text text = una_text_in(scratch);
    if (!p->begun) add_header(&text, p, c->reader);
    p->begun = true;
    add_rows(&text, p, c, &out, draws);
    UNA_TRY(una_arena_check(scratch));
    if (fwrite(text.at, 1, text.length, p->out) != text.length)
        UNA_FAIL(run, UNA_E_IO, "%s: cannot be written to; is the disk full?", p->path);
    return UNA_OK;
}

una_status una_predict_file(const una_model *model, const char *data_path, const una_predict_settings *settings,
                            const char *out_path, FILE *stream, size_t *rows, una_run *run)
{
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_file file = {0};
    size_t count = 0;
    predicting p = { .model = model, .settings = settings ? *settings : (una_predict_settings){0}, .out = stream,
                     .path = out_path ? out_path : "standard output" };
    if (p.settings.level == 0) p.settings.level = 0.95;
    una_status status = out_path ? una_file_begin(&file, out_path, &run->scratch, run) : UNA_OK;
    if (status == UNA_OK && out_path) p.out = file.stream;
    if (status == UNA_OK)
        status = for_each_chunk(model, data_path, false, p.settings.keep, predict_chunk, &p, &count, run);
    if (status == UNA_OK) {
        if (out_path) status = una_file_commit(&file, run);
        else if (fflush(stream) != 0) status = una_fail(run, UNA_E_IO, "standard output cannot be written to");
    }
    una_file_abandon(&file);
    if (rows) *rows = count;
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- score ---------------------------------------------------------------------------------------------------- */

typedef struct scoring { const una_model *model; una_score_sums sums; } scoring;

static una_status score_chunk(void *context, const chunk *c, una_run *run)
{
    scoring *s = context;
    const una_columns *columns = &s->model->columns;
    for (size_t r = 0; r < c->rows; r++) c->y[r] = columns->target_centre + columns->target_scale * c->y[r];
    return una_score_encoded(&s->sums, NULL, s->model, c->x, c->y, c->rows, run);
}

una_status una_score_file(una_score *score, const una_model *model, const char *data_path, una_run *run)
{
    una_clear_message(run);
    scoring s = { .model = model };
    size_t rows;
    UNA_TRY(for_each_chunk(model, data_path, true, false, score_chunk, &s, &rows, run));
    return una_score_finish(score, &s.sums, run);
}

/* ---- update ---------------------------------------------------------------------------------------------------- */

static una_status update_chunk(void *context, const chunk *c, una_run *run)
{
    return una_model_observe_encoded(context, c->x, c->y, c->rows, run);
}

una_status una_update_file(una_model *model, const char *data_path, size_t *rows, una_run *run)
{
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_archive before = {0};
    size_t count = 0, rows_before = model->info.rows;
    double evidence_before = model->info.log_evidence;
    una_status status = una_model_snapshot(&before, model, &run->scratch, run);
    if (status == UNA_OK) status = for_each_chunk(model, data_path, true, false, update_chunk, model, &count, run);
    if (status != UNA_OK && count > 0 && una_model_restore(model, &before, run) == UNA_OK) {   /* all rows or none */
        model->info.rows = rows_before;
        model->info.log_evidence = evidence_before;
    }
    una_arena_release(&run->scratch, mark);
    if (rows) *rows = status == UNA_OK ? count : 0;
    return status;
}
