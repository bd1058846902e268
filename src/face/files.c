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
    const char *path;                    /* NULL: through settings.write                                    */
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

static una_status to_stream(void *stream, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, stream) == count ? UNA_OK : UNA_E_IO;
}

/* A caller's own write may have said why it failed. */
static una_status hand_on(const predicting *p, const una_text *text, una_run *run)
{
    una_status status = p->settings.write(p->settings.writer, text->at, text->length);
    if (status == UNA_OK || *una_run_message(run)) return status;

    if (p->path) UNA_FAIL(run, status, "%s: cannot be written to; is the disk full?", p->path);
    UNA_FAIL(run, status, "the answers cannot be handed on: %s", una_status_text(status));
}

static una_status predict_chunk(void *context, const chunk *c, una_run *run)
{
    predicting *p = context;
    una_arena *scratch = &run->scratch;
    una_prediction out = { sizeof out, UNA_GET(scratch, double, c->rows), UNA_GET(scratch, double, c->rows),
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
    return hand_on(p, &text, run);
}

static una_status predict_to(predicting *p, const char *data_path, size_t *rows, una_run *run)
{
    una_file file = {0};
    if (p->path) {
        UNA_TRY(una_file_begin(&file, p->path, &run->scratch, run));
        p->settings.write = to_stream;
        p->settings.writer = file.stream;
    }
    una_status status = for_each_chunk(p->model, data_path, false, p->settings.keep, predict_chunk, p, rows, run);
    if (status == UNA_OK && p->path) status = una_file_commit(&file, run);
    una_file_abandon(&file);
    return status;
}

una_status una_predict_file(const una_model *model, const char *data_path, const una_predict_settings *settings,
                            const char *out_path, size_t *rows, una_run *run)
{
    una_clear_message(run);
    size_t count = 0;
    predicting p = { .model = model, .path = out_path };
    UNA_TRY(UNA_TAKE(&p.settings, settings, una_predict_settings, run));
    if (p.settings.level == 0) p.settings.level = 0.95;
    if (!out_path && !p.settings.write)
        UNA_FAIL(run, UNA_E_USAGE, "there is no place for the answers: give out_path, or write in the settings");

    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = predict_to(&p, data_path, &count, run);
    una_arena_release(&run->scratch, mark);
    if (rows) *rows = count;
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
    UNA_TRY(UNA_CHECK_SIZE(score, una_score, run));
    UNA_TRY(for_each_chunk(model, data_path, true, false, score_chunk, &s, &rows, run));
    return una_score_finish(score, &s.sums, run);
}

/* ---- update ---------------------------------------------------------------------------------------------------- */

static una_status update_chunk(void *context, const chunk *c, una_run *run)
{
    return una_model_observe_encoded(context, c->x, c->y, c->rows, run);
}

/* A second copy of the state stands by, so that going back needs no memory. */
una_status una_update_file(una_model *model, const char *data_path, size_t *rows, una_run *run)
{
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_arena spare;
    una_archive before = {0};
    void *state = NULL;
    size_t count = 0;
    una_fit_info info = model->info;
    una_arena_init(&spare, model->run);

    una_status status = una_model_snapshot(&before, model, &run->scratch, run);
    if (status == UNA_OK) status = una_model_revive(&state, model, &before, &spare, run);
    if (status == UNA_OK) status = for_each_chunk(model, data_path, true, false, update_chunk, model, &count, run);

    if (status != UNA_OK && count > 0) {
        model->state = state;
        model->info = info;
        una_arena_join(&model->keep, &spare);
    }
    una_arena_free(&spare);
    una_arena_release(&run->scratch, mark);
    if (rows) *rows = status == UNA_OK ? count : 0;
    return status;
}
