/* SPDX-License-Identifier: MIT
 *
 * Where to measure next so that ignorance falls most. Greedily: of the rows that promise most, each is taken into a
 * copy of the model by its exact update, with the model's mean for the value that nobody knows yet, and the mean of
 * the epistemic variances over the region is computed anew; the row that leaves least is the next one.
 * Source: Cohn, Ghahramani and Jordan 1996, with the exact posterior in place of their approximations.
 */
#include "bo/suggest.h"

#include "base/record.h"
#include "model/above.h"
#include "una_study.h"

enum { MOST_REGION = 1000, MOST_POINTS = 1024 };
/* Rows that are evaluated exactly: at first these, and then for each further row those with the largest gain when last
 * evaluated. The gain of a row hardly ever grows when others are measured. */
enum { JUDGED = 64, JUDGED_AGAIN = 32 };

typedef struct result {
    una_advice   advice;                 /* first, so that a pointer to it is one to all                             */
    una_arena    keep;
    una_run     *run;
    una_dataset *table;
} result;

typedef struct survey {
    const una_model   *model;
    const una_dataset *pool;             /* the caller's, or `points`                                                */
    una_dataset       *points, *region, *listed;
    size_t            *row;              /* [count] the listed rows of the pool                                      */
    size_t            *order;            /* [left] of the listed rows, most promising first                          */
    double            *gain;             /* [count] variance that the row removed when last evaluated                */
    double            *mean, *std;       /* [count] the current prediction there                                     */
    double            *after;            /* [count] mean variance with it                                            */
    size_t             count, left;
    una_model         *now;              /* with all that was chosen so far                                          */
    void              *bytes;            /* the same, to make copies of                                              */
    size_t             size;
    double             before;           /* mean variance by now                                                     */
} survey;

/* ---- exact updates ------------------------------------------------------------------------------------------- */

static una_status mean_variance(double *variance, const una_model *model, const una_dataset *region, una_run *run)
{
    size_t rows = una_dataset_row_count(region);
    una_mark mark = una_arena_mark(&run->scratch);
    double *std = UNA_GET(&run->scratch, double, rows), sum = 0;
    una_prediction out = { .size = sizeof out, .std_epistemic = std };
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_model_predict(model, region, 0.95, &out, run);
    for (size_t i = 0; status == UNA_OK && i < rows; i++) sum += std[i] * std[i];
    *variance = sum / (double)rows;
    una_arena_release(&run->scratch, mark);
    return status;
}

/* The listed row `at` as if it were measured with that value. */
static una_status take_in(una_model *model, const survey *s, size_t at, double value, una_run *run)
{
    const una_columns *columns = &s->model->columns;
    size_t inputs = columns->source_count;
    una_dataset *row = NULL;
    una_mark mark = una_arena_mark(&run->scratch);
    const char **names = UNA_GET(&run->scratch, const char *, inputs + 1);
    const double **numbers = UNA_GET(&run->scratch, const double *, inputs + 1);
    const char *const **words = UNA_GET(&run->scratch, const char *const *, inputs + 1);
    una_status status = una_arena_check(&run->scratch);

    for (size_t c = 0; status == UNA_OK && c < inputs; c++) {
        const double *number = una_dataset_numbers(s->listed, c);
        names[c] = columns->sources[c].name;
        if (number) numbers[c] = number + at;
        else words[c] = una_dataset_words(s->listed, c) + at;
    }
    if (status == UNA_OK) {
        names[inputs] = columns->target;
        numbers[inputs] = &value;
        status = una_dataset_from_columns(&row, names, numbers, words, inputs + 1, 1, run);
    }
    if (status == UNA_OK) status = una_model_update(model, row, run);
    una_dataset_free(row);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status evaluate_candidate(void *context, size_t index, una_run *run)
{
    survey *s = context;
    size_t at = s->order[index];
    una_model *copy = NULL;
    UNA_TRY(una_tick(run, "weighing where to measure", 0, NAN));
    una_status status = una_model_load_memory(&copy, s->bytes, s->size, run);
    if (status == UNA_OK) status = take_in(copy, s, at, s->mean[at], run);
    if (status == UNA_OK) status = mean_variance(&s->after[at], copy, s->region, run);
    if (status == UNA_OK) s->gain[at] = s->before - s->after[at];
    una_model_free(copy);
    return status;
}

/* ---- one row after the other --------------------------------------------------------------------------------- */

static una_status renew_bytes(survey *s, una_run *run)
{
    una_memory_free(s->bytes, run);
    s->bytes = NULL;
    return una_model_save_memory(s->now, &s->bytes, &s->size, run);
}

/* Most gain first; of equals the one that stands first in the pool. */
static void put_in_order(survey *s)
{
    for (size_t i = 1; i < s->left; i++) {
        size_t at = s->order[i], to = i;
        for (; to > 0; to--) {
            size_t other = s->order[to - 1];
            if (s->gain[other] > s->gain[at] || (s->gain[other] == s->gain[at] && s->row[other] < s->row[at])) break;
            s->order[to] = other;
        }
        s->order[to] = at;
    }
}

/* Evaluates candidates, and moves the best one from the order into the model; *best: its place in the list. */
static una_status next_row(size_t *best, survey *s, size_t evaluated, una_run *run)
{
    una_prediction out = { .size = sizeof out, .mean = s->mean, .std_epistemic = s->std };
    UNA_TRY(una_model_predict(s->now, s->listed, 0.95, &out, run));
    UNA_TRY(renew_bytes(s, run));
    UNA_TRY(una_pool(run, evaluated, evaluate_candidate, s));

    size_t at = 0;
    for (size_t i = 1; i < evaluated; i++) {
        size_t a = s->order[i], b = s->order[at];
        if (s->after[a] < s->after[b] || (s->after[a] == s->after[b] && s->row[a] < s->row[b])) at = i;
    }
    *best = s->order[at];
    memmove(s->order + at, s->order + at + 1, (s->left - at - 1) * sizeof *s->order);
    s->left--;
    put_in_order(s);
    return take_in(s->now, s, *best, s->mean[*best], run);
}

static una_status suggest_choose_rows(result *r, survey *s, size_t count)
{
    double *std = UNA_GET(&r->keep, double, count), *before = UNA_GET(&r->keep, double, count);
    UNA_NEW(&r->keep, double, after, count);
    UNA_NEW(&r->keep, size_t, row, count);
    UNA_TRY(mean_variance(&s->before, s->model, s->region, r->run));

    size_t all = s->count + (count - 1) * JUDGED_AGAIN, done = 0;
    for (size_t i = 0; i < count; i++) {
        size_t best, evaluated = i > 0 && s->left > JUDGED_AGAIN ? JUDGED_AGAIN : s->left;
        double from = (double)done / (double)all;
        done += evaluated;
        una_span span = una_progress_part(r->run, from, (double)done / (double)all);
        una_status status = next_row(&best, s, evaluated, r->run);
        una_progress_back(r->run, span);
        UNA_TRY(status);

        row[i] = s->row[best];
        std[i] = s->std[best];
        before[i] = sqrt(s->before);
        after[i] = sqrt(s->after[best]);
        s->before = s->after[best];
    }

    UNA_TRY(una_dataset_rows(&r->table, s->pool, row, count, r->run));
    r->advice = (una_advice){ .count = count, .table = r->table, .row = s->points ? NULL : row, .std = std,
                              .before = before, .after = after, .region = una_dataset_row_count(s->region) };
    return UNA_OK;
}

/* ---- what may be measured, and where it counts --------------------------------------------------------------- */

/* What can be predicted has the model's columns, and no cell that it does not understand. */
static una_status check_table(const una_model *model, const una_dataset *table, una_run *run)
{
    size_t rows = una_dataset_row_count(table);
    una_mark mark = una_arena_mark(&run->scratch);
    double *mean = UNA_GET_ROWS(&run->scratch, double, rows);
    una_prediction out = { .size = sizeof out, .mean = mean };
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_model_predict(model, table, 0.95, &out, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status suggest_check_request(const una_dataset *pool, size_t count, una_run *run)
{
    if (count == 0) UNA_FAIL(run, UNA_E_USAGE, "no row was asked for: the least count is 1");
    if (pool && count > una_dataset_row_count(pool))
        UNA_FAIL(run, UNA_E_USAGE, "%s has %zu rows, and %zu are to be chosen from it: ask for fewer, or give more",
                 una_dataset_origin(pool), una_dataset_row_count(pool), count);
    if (count > MOST_POINTS)
        UNA_FAIL(run, UNA_E_USAGE, "%zu rows at once are too many: ask for at most %d, and again when these are "
                 "measured", count, MOST_POINTS);
    return UNA_OK;
}

/* The most promising rows; where they are too few, the first of the others as well. */
static una_status suggest_list_rows(survey *s, size_t least, una_arena *arena, una_run *run)
{
    size_t rows = una_dataset_row_count(s->pool), most = 2 * least > JUDGED ? 2 * least : JUDGED;
    s->count = most < rows ? most : rows;
    UNA_NEW_AT(arena, s->row, s->count);
    UNA_NEW(arena, bool, listed, rows);

    size_t found = most < rows ? s->count : 0;
    if (found) UNA_TRY(una_suggest_screen(s->row, &found, s->model, s->pool, s->region, run));
    for (size_t i = 0; i < found; i++) listed[s->row[i]] = true;
    for (size_t i = 0; i < rows && found < s->count; i++)
        if (!listed[i]) s->row[found++] = i;
    return una_suggest_inputs(&s->listed, s->model, s->pool, s->row, s->count, run);
}

static una_status new_lists(survey *s, una_arena *arena)
{
    UNA_NEW_AT(arena, s->order, s->count);
    UNA_NEW_AT(arena, s->gain, s->count);
    UNA_NEW_AT(arena, s->mean, s->count);
    UNA_NEW_AT(arena, s->std, s->count);
    UNA_NEW_AT(arena, s->after, s->count);
    s->left = s->count;
    for (size_t i = 0; i < s->count; i++) s->order[i] = i;
    return UNA_OK;
}

static una_status refuse_model(const una_model *model, una_run *run)
{
    una_text able = una_text_in(&run->scratch);
    for (size_t k = 0; k < una_kind_count(); k++)
        if (una_kind_updates(k)) una_text_add(&able, "%s%s", able.length ? ", " : "", una_kind_name(k));
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_FAIL(run, UNA_E_USAGE, "what a measurement would bring is computed by taking it into the model exactly, which "
             "this %s model cannot do; fit one that can: %s (sngp but for head=laplace, ensembles of these)",
             model->info.kind, able.at);
}

/* Updates a copy with one row, to see that the model can, before anything long begins. */
static una_status start_copy(survey *s, una_run *run)
{
    una_dataset *first = NULL;
    una_model *copy = NULL;
    double mean = 0;
    const size_t row = 0;
    una_prediction out = { .size = sizeof out, .mean = &mean };
    survey probe = *s;
    UNA_TRY(una_model_save_memory(s->model, &s->bytes, &s->size, run));
    UNA_TRY(una_model_load_memory(&s->now, s->bytes, s->size, run));

    una_status status = una_suggest_inputs(&first, s->model, s->pool, &row, 1, run);
    if (status == UNA_OK) status = una_model_predict(s->model, first, 0.95, &out, run);
    if (status == UNA_OK) status = una_model_load_memory(&copy, s->bytes, s->size, run);
    probe.listed = first;
    if (status == UNA_OK) {
        status = take_in(copy, &probe, 0, mean, run);
        if (status == UNA_E_USAGE) status = refuse_model(s->model, run);
    }
    una_model_free(copy);
    una_dataset_free(first);
    return status;
}

static una_status set_out(survey *s, const una_dataset *pool, const una_dataset *data, size_t count, una_arena *arena,
                          una_run *run)
{
    if (pool) UNA_TRY(check_table(s->model, pool, run));
    if (data) UNA_TRY(check_table(s->model, data, run));
    if (!pool) UNA_TRY(una_suggest_points(&s->points, s->model, data, MOST_POINTS, run));
    s->pool = pool ? pool : s->points;
    UNA_TRY(start_copy(s, run));
    /* Without a pool the rows of `data` give the ranges only: between them is where ignorance is. */
    UNA_TRY(una_suggest_region(&s->region, s->model, pool && data ? data : s->pool, MOST_REGION, run));
    UNA_TRY(suggest_list_rows(s, count, arena, run));
    return new_lists(s, arena);
}

/* ---- the public calls ---------------------------------------------------------------------------------------- */

static una_status new_result(result **out, una_run *run)
{
    result *r = una_allocate(run, sizeof *r);
    *out = r;
    if (!r) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for advice");
    memset(r, 0, sizeof *r);
    una_arena_init(&r->keep, run);
    r->run = run;
    return UNA_OK;
}

una_status una_suggest(una_advice **advice, const una_model *model, const una_dataset *pool, const una_dataset *data,
                       size_t count, una_run *run)
{
    result *r;
    survey s = { .model = model };
    *advice = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    UNA_TRY(suggest_check_request(pool, count, run));
    if (una_model_target_count(model) > 1)
        UNA_FAIL(run, UNA_E_USAGE, "rows are suggested for one target, and this model predicts %zu (%s): fit a model "
                 "of one of them", una_model_target_count(model), una_model_info(model)->target);
    if (una_model_info(model)->log_target)
        UNA_FAIL(run, UNA_E_USAGE, "rows are suggested by how sure a model will be of '%.60s', which for a model of "
                 "its logarithm depends on what is measured: fit one without --log", una_model_info(model)->target);
    UNA_TRY(new_result(&r, run));

    una_arena arena;
    una_arena_init(&arena, run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = set_out(&s, pool, data, count, &arena, run);
    if (status == UNA_OK) status = suggest_choose_rows(r, &s, count);
    una_arena_release(&run->scratch, mark);
    una_model_free(s.now);
    una_memory_free(s.bytes, run);
    una_dataset_free(s.listed);
    una_dataset_free(s.region);
    una_dataset_free(s.points);
    una_arena_free(&arena);

    if (status == UNA_OK) *advice = &r->advice;
    else una_advice_free(&r->advice);
    return status;
}

void una_advice_free(una_advice *advice)
{
    if (!advice) return;
    result *r = (result *)advice;
    una_run *run = r->run;
    una_dataset_free(r->table);
    una_arena_free(&r->keep);
    una_release(run, r);
}

/* ---- CSV ----------------------------------------------------------------------------------------------------- */

static void suggest_put_header(una_text *text, const una_advice *a)
{
    static const char *const last[] = { "std_epistemic", "before", "after" };
    una_record record = una_record_begin(text);
    una_record_words(&record, "rank");
    if (a->row) una_record_words(&record, "row");
    for (size_t c = 0; c < una_dataset_column_count(a->table); c++)
        una_record_words(&record, una_dataset_column_name(a->table, c));
    for (size_t k = 0; k < sizeof last / sizeof *last; k++) una_record_words(&record, last[k]);
    una_record_end(&record);
}

static void suggest_put_row(una_text *text, const una_advice *a, size_t row)
{
    una_record record = una_record_begin(text);
    una_record_count(&record, row + 1);
    if (a->row) una_record_count(&record, una_dataset_row_number(a->table, row));
    for (size_t c = 0; c < una_dataset_column_count(a->table); c++) {
        const double *number = una_dataset_numbers(a->table, c);
        char date[32];
        const char *word = number ? una_dataset_date(date, a->table, c, row) : una_dataset_words(a->table, c)[row];
        if (number && !word) una_record_number(&record, number[row]);
        else una_record_words(&record, word);
    }
    una_record_number(&record, a->std[row]);
    una_record_number(&record, a->before[row]);
    una_record_number(&record, a->after[row]);
    una_record_end(&record);
}

una_status una_advice_write(const una_advice *advice, const char *path, una_run *run)
{
    una_file file = {0};
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    suggest_put_header(&text, advice);
    for (size_t i = 0; i < advice->count; i++) suggest_put_row(&text, advice, i);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_file_begin(&file, path, &run->scratch, run);
    if (status == UNA_OK) status = una_file_write(&file, text.at, text.length, run);
    if (status == UNA_OK) status = una_file_commit(&file, run);
    una_file_abandon(&file);
    una_arena_release(&run->scratch, mark);
    return status;
}
