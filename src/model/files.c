/* SPDX-License-Identifier: MIT
 *
 * Prediction, scoring and update of whole files, chunk by chunk: memory does not grow with the file.
 */
#include "base/record.h"
#include "model/repeated_rows.h"
#include "model/scoring.h"
#include "model/several.h"
#include "read/csv.h"
#include "read/image_files.h"
#include "read/reader.h"
#include "read/where.h"

enum { CHUNK = 4096, CHUNK_OF_IMAGES = 512, ANSWERS = 6, USUAL_DIGITS = 9, PIECE = 1 << 20 };

/* ---- one loop over the chunks of a file ------------------------------------------------------------------ */

typedef struct chunk {
    const una_reader *reader;
    double *x, *y;                       /* encoded; y [rows, targets] only if wanted                       */
    size_t  rows;
    const una_dataset *table;            /* the table of these rows                                         */
    const size_t *kept;                  /* [rows] their places in it                                       */
    const size_t *place;                 /* [rows] among the rows that were read; NULL: all of them */
} chunk;

typedef una_status chunk_task(void *context, const chunk *rows, una_run *run);

typedef struct walk {
    const una_columns **columns;         /* [targets]                                                       */
    size_t      targets;
    bool        with_targets, keep;
    const char *condition;               /* NULL: all rows                                                  */
    const char *images_path;             /* NULL: none                                                      */
    una_images *images;
    una_where  *where;                   /* the condition, parsed                                           */
    una_reader *reader;
    size_t      read, matched, rows;     /* rows: those that had all cells, and were given to the task      */
    chunk_task *task;
    void       *context;
} walk;

/* A message that names no row gets the place in the file where these rows begin. */
static una_status say_where(una_status status, const una_dataset *table, una_run *run)
{
    if (status != UNA_E_NUMERIC || table->rows == 0 || strstr(una_run_message(run), table->origin)) return status;
    una_text place = una_text_in(&run->scratch);
    una_table_row(&place, table, 0);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_fail(run, status, "%s, from %s on: %s", table->origin, place.at, una_run_message(run));
}

static una_status do_chunk(walk *w, const una_dataset *table, const size_t *place, una_run *run)
{
    chunk c = { .reader = w->reader, .table = table, .place = place };
    size_t *kept = NULL;
    una_encoding to = { &c.x, w->with_targets ? &c.y : NULL, &kept, &c.rows };
    una_table_row_namer asked;
    UNA_TRY(una_columns_encode_several(w->columns, w->targets, table, &to, &run->scratch));
    c.kept = kept;
    una_table_name_rows(&asked, table, kept, run);
    una_status status = w->task(w->context, &c, run);
    una_table_name_rows_end(&asked, run);
    UNA_TRY(say_where(status, table, run));

    w->rows += c.rows;
    if (una_cancelled(run)) UNA_FAIL(run, UNA_CANCELLED, "interrupted after %zu rows", w->rows);
    return UNA_OK;
}

/* The rows of the chunk that match the condition. */
static una_status do_matching(walk *w, const una_dataset *table, una_run *run)
{
    size_t place[CHUNK], count = 0;
    bool match[CHUNK];
    if (!w->where) return do_chunk(w, table, NULL, run);
    UNA_SCOPED(run, una_where_match(match, w->where, table, run));
    for (size_t i = 0; i < table->rows; i++)
        if (match[i]) place[count++] = i;
    w->read += table->rows;
    w->matched += count;
    if (count == 0) return UNA_OK;
    if (count == table->rows) return do_chunk(w, table, NULL, run);

    una_dataset *some;
    UNA_TRY(una_dataset_rows(&some, table, place, count, run));
    una_status status = do_chunk(w, some, place, run);
    una_dataset_free(some);
    return status;
}

/* Images are named by the model's only source. */
static void give_images(const walk *w, una_dataset *table)
{
    if (!w->images) return;
    table->images = una_images_hold(w->images);
    table->image_column = una_table_find(table, w->columns[0]->sources[0].name);
}

static una_status do_chunks(walk *w, una_run *run)
{
    for (;;) {
        una_dataset *table;
        una_status status;
        UNA_TRY(una_reader_next(&table, w->reader, w->images ? CHUNK_OF_IMAGES : CHUNK));
        if (!table) return UNA_OK;
        give_images(w, table);
        UNA_SCOPED_CALL(status, run, do_matching(w, table, run));
        una_dataset_free(table);
        UNA_TRY(status);
    }
}

/* The reader accepts that columns which only the condition names are absent: the sentence about them is the
 * condition's. */
static una_status open_for(walk *w, const char *path, una_run *run)
{
    const una_wanted *wanted = una_columns_wanted(w->columns, w->targets, &run->scratch);
    size_t needed = w->columns[0]->source_count + (w->with_targets ? w->targets : 0), count = needed;
    bool words = !una_path_ends(path, strlen(path), ".npy");
    UNA_TRY(una_arena_check(&run->scratch));
    if (w->condition) {
        UNA_TRY(una_where_parse(&w->where, w->condition, &run->scratch, run));
        wanted = una_where_wanted(w->where, wanted, &count, words, &run->scratch);
        UNA_TRY(una_arena_check(&run->scratch));
    }
    UNA_TRY(una_reader_open(&w->reader, path, wanted, count, needed, run));
    if (!w->condition) return UNA_OK;

    size_t columns = una_reader_columns(w->reader);
    UNA_NEW(&run->scratch, const char *, names, columns);
    for (size_t i = 0; i < columns; i++) names[i] = una_reader_name(w->reader, i);
    return una_where_need(w->where, names, columns, path, run);
}

static una_status log_matches(const walk *w, const char *path, una_run *run)
{
    if (!w->where || w->read == 0) return UNA_OK;
    if (w->matched == 0) return una_where_none(w->where, w->read, path, run);
    una_where_log(w->where, w->matched, w->read, path, run);
    return UNA_OK;
}

static una_status open_images(walk *w, una_run *run)
{
    if (!una_columns_image(w->columns[0]).height)
        UNA_FAIL(run, UNA_E_USAGE, "the model was not fitted to images; leave %.200s out", w->images_path);
    return una_images_read(&w->images, w->images_path, run);
}

static una_status walk_file(walk *w, const una_model *model, const char *path, una_run *run)
{
    w->targets = una_model_target_count(model);
    w->columns = una_several_columns(model, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    if (w->images_path) UNA_TRY(open_images(w, run));
    UNA_TRY(open_for(w, path, run));
    if (w->keep) una_reader_keep(w->reader);
    UNA_TRY(do_chunks(w, run));
    return log_matches(w, path, run);
}

static una_status for_each_chunk(walk w, const una_model *model, const char *path, size_t *rows, una_run *run)
{
    una_status status;
    UNA_SCOPED_CALL(status, run, walk_file(&w, model, path, run));
    *rows = w.rows;
    una_reader_close(w.reader);
    una_images_let_go(w.images);
    return status;
}

/* ---- predict ------------------------------------------------------------------------------------------------ */

typedef struct predicting {
    const una_model *model;
    una_predict_settings settings;
    const char *path;
    una_file *file;                      /* NULL: through settings.write                                    */
    bool  begun;
} predicting;

/* Of one target: answers, draws, quantiles. */
static size_t columns_of(const una_predict_settings *settings)
{
    return ANSWERS + settings->draws + settings->quantile_count;
}

/* Of column k: "mean", or of several targets "mean_NAME". */
static const char *column_title(const predicting *p, size_t k, una_run *run)
{
    static const char *const titles[ANSWERS] = { "mean", "std", "std_epistemic", "std_noise", "lower", "upper" };
    size_t draws = p->settings.draws, columns = columns_of(&p->settings), column = k % columns;
    una_text name = una_text_in(&run->scratch);
    char number[32];
    if (column < ANSWERS) una_text_add(&name, "%s", titles[column]);
    else if (column < ANSWERS + draws) una_text_add(&name, "draw_%zu", column - ANSWERS + 1);
    else una_text_add(&name, "q%s", una_number_text(number, p->settings.quantiles[column - ANSWERS - draws]));
    if (p->model->targets) una_text_add(&name, "_%s", una_model_target(p->model, k / columns)->columns.target);
    return name.at ? name.at : "";
}

/* A kept column may not have the name of an answer column, as in a file of predictions, or the result would have two of
 * that name. */
static una_status add_header(una_text *text, const predicting *p, const una_reader *reader, una_run *run)
{
    size_t all = una_model_target_count(p->model) * columns_of(&p->settings);
    size_t kept = p->settings.keep ? una_reader_columns(reader) : 0;
    una_names index;
    una_record record = una_record_begin(text);
    UNA_NEW(&run->scratch, const char *, names, kept);
    for (size_t j = 0; j < kept; j++) una_record_words(&record, names[j] = una_reader_name(reader, j));
    UNA_TRY(una_names_index(&index, names, kept, &run->scratch));
    for (size_t k = 0; k < all; k++) {
        const char *title = column_title(p, k, run);
        if (una_names_find(&index, title) != SIZE_MAX)
            UNA_FAIL(run, UNA_E_INPUT, "the table has a column '%.60s', and so have the answers: kept before them, it "
                     "would stand twice in their header; rename it, or do not keep its columns", title);
        una_record_words(&record, title);
    }
    una_record_end(&record);
    return UNA_OK;
}

/* The cells of a row as in the file: blanks inside quotes belong to the cell, others do not. */
static void record_kept(una_record *record, const una_reader *reader, size_t row)
{
    for (size_t j = 0; j < una_reader_columns(reader); j++) {
        const char *cell = una_reader_cell(reader, row, j);
        if (una_reader_quoted(reader, row, j)) una_record_words(record, cell);
        else una_record_loose(record, cell);
    }
}

static void record_value(una_record *record, double value, int digits)
{
    char number[32];
    una_number_digits(number, value, digits);
    una_record_bytes(record, number, strlen(number));
}

/* A caller's own write may have set the message. */
static una_status hand_on(const predicting *p, const una_text *text, una_run *run)
{
    if (p->file) return una_file_write(p->file, text->at, text->length, run);
    una_status status = p->settings.write(p->settings.writer, text->at, text->length);
    if (status == UNA_OK || *una_run_message(run)) return status;
    UNA_FAIL(run, status, "the answers cannot be handed on: %s", una_status_text(status));
}

/* answers [targets, columns, rows]. Written piece by piece: with many draws, the text of a chunk is large. */
static una_status record_rows(una_text *text, const predicting *p, const chunk *c, const double *answers, una_run *run)
{
    size_t columns = una_model_target_count(p->model) * columns_of(&p->settings);
    for (size_t r = 0; r < c->rows; r++) {
        una_record record = una_record_begin(text);
        if (p->settings.keep) record_kept(&record, c->reader, c->place ? c->place[r] : r);
        for (size_t k = 0; k < columns; k++) record_value(&record, answers[k * c->rows + r], p->settings.digits);
        una_record_end(&record);
        if (text->length < PIECE) continue;
        UNA_TRY(una_arena_check(&run->scratch));
        UNA_TRY(una_check_cancelled(run, "writing answers"));
        UNA_TRY(hand_on(p, text, run));
        text->length = 0;
    }
    UNA_TRY(una_arena_check(&run->scratch));
    return hand_on(p, text, run);
}

/* to [columns_of, rows]; q [rows, quantiles] is work. */
static una_status predict_target(const predicting *p, const chunk *c, size_t t, double *to, double *q, una_run *run)
{
    const una_predict_settings *s = &p->settings;
    size_t rows = c->rows, draws = s->draws;
    size_t count = s->quantile_count, inputs = una_model_target(p->model, t)->columns.input_count;
    const una_bands asked = { s->level, { sizeof asked.out, to, to + rows, to + 2 * rows, to + 3 * rows, to + 4 * rows,
                                          to + 5 * rows }, { count, s->quantiles, q } };
    UNA_TRY(una_model_answer_encoded(una_model_target(p->model, t), c->x, rows, &asked, run));
    const una_view x = { c->x, rows, inputs, inputs };
    if (draws) UNA_TRY(una_several_draw(p->model, t, x, &(una_drawing){ .draws = draws }, to + ANSWERS * rows, run));
    for (size_t i = 0; i < rows * count; i++) to[(ANSWERS + draws + i % count) * rows + i / count] = q[i];
    return UNA_OK;
}

static una_status predict_chunk(void *context, const chunk *c, una_run *run)
{
    predicting *p = context;
    una_arena *scratch = &run->scratch;
    size_t targets = una_model_target_count(p->model), step = columns_of(&p->settings) * c->rows;
    UNA_NEW(scratch, double, answers, targets * step);
    UNA_NEW(scratch, double, q, c->rows * p->settings.quantile_count);
    for (size_t t = 0; t < targets; t++) UNA_TRY(predict_target(p, c, t, answers + t * step, q, run));

    una_text text = una_text_in(scratch);
    if (!p->begun) UNA_TRY(add_header(&text, p, c->reader, run));
    p->begun = true;
    return record_rows(&text, p, c, answers, run);
}

static una_status predict_to(predicting *p, const char *data_path, size_t *rows, una_run *run)
{
    una_file file = {0};
    if (p->path) {
        UNA_TRY(una_file_begin(&file, p->path, &run->scratch, run));
        p->file = &file;
    }
    walk w = { .keep = p->settings.keep, .condition = p->settings.where, .images_path = p->settings.images,
               .task = predict_chunk, .context = p };
    una_status status = for_each_chunk(w, p->model, data_path, rows, run);
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
    if (p.settings.quantile_count)
        UNA_TRY(una_quantiles_check(p.settings.quantiles, p.settings.quantile_count, run));
    if (p.settings.digits < 0 || p.settings.digits > 17)
        UNA_FAIL(run, UNA_E_USAGE, "numbers cannot be written with %d digits: 1 to 17 can be asked for",
                 p.settings.digits);
    if (p.settings.digits == 0) p.settings.digits = USUAL_DIGITS;
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
    size_t inputs = s->model->columns.input_count;
    return una_score_encoded(&s->sums, NULL, s->model, (una_view){ c->x, c->rows, inputs, inputs }, c->y, run);
}

una_status una_score_file_with(una_score *score, const una_model *model, const char *data_path,
                               const una_file_settings *given, una_run *run)
{
    una_clear_message(run);
    scoring s = { .model = model };
    una_file_settings settings;
    size_t rows;
    UNA_TRY(UNA_CHECK_SIZE(score, una_score, run));
    UNA_TRY(UNA_TAKE(&settings, given, una_file_settings, run));
    UNA_TRY(una_model_need_one(model, run));
    walk w = { .with_targets = true, .condition = settings.where, .images_path = settings.images, .task = score_chunk,
               .context = &s };
    UNA_TRY(for_each_chunk(w, model, data_path, &rows, run));
    return una_score_finish(score, &s.sums, run);
}

una_status una_score_file(una_score *score, const una_model *model, const char *data_path, una_run *run)
{
    return una_score_file_with(score, model, data_path, NULL, run);
}

/* ---- update ---------------------------------------------------------------------------------------------------- */

typedef struct updating {
    una_model        *model;
    una_repeated_rows repeats;
    una_new_rows     *news;
    bool              adapt, changed;
} updating;

static una_status update_chunk(void *context, const chunk *c, una_run *run)
{
    updating *u = context;
    u->repeats.data = c->table;
    u->repeats.kept = c->kept;
    UNA_TRY(una_repeated_rows_find(&u->repeats, u->model, c->x, c->y, c->rows, run));
    u->changed = true;
    return una_several_take(u->model, &(una_taking){ u->news, c->x, c->y, c->rows, u->adapt }, run);
}

una_status una_update_file_with(una_model *model, const char *data_path, const una_file_settings *given, size_t *rows,
                                una_run *run)
{
    una_clear_message(run);
    una_spare spare = {0};
    una_file_settings settings;
    una_arena sums;
    updating u = { .model = model, .repeats = { .arena = &sums } };
    size_t count = 0;
    if (rows) *rows = 0;
    UNA_TRY(UNA_TAKE(&settings, given, una_file_settings, run));
    u.adapt = settings.adapt;
    una_arena_init(&sums, run);
    una_status status = una_new_rows_begin(&u.news, model, u.adapt, &sums);
    if (status == UNA_OK) status = una_spare_make(&spare, model, run);
    if (status == UNA_OK) {
        walk w = { .with_targets = true, .condition = settings.where, .images_path = settings.images,
                   .task = update_chunk, .context = &u };
        status = for_each_chunk(w, model, data_path, &count, run);
        if (status == UNA_OK) status = una_new_rows_tell(u.news, model, count, run);
        if (status == UNA_OK) una_repeated_rows_warn(&u.repeats, data_path, run);
        else if (u.changed) una_spare_back(model, &spare);       /* its old state stays in its memory           */
    }
    una_arena_free(&sums);
    una_spare_free(&spare);
    if (rows) *rows = status == UNA_OK ? count : 0;
    return status;
}

una_status una_update_file(una_model *model, const char *data_path, size_t *rows, una_run *run)
{
    return una_update_file_with(model, data_path, NULL, rows, run);
}
