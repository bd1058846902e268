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

/* ---- exact updates ------------------------------------------------------------------------------------------- */

static una_status mean_variance(double *variance, const una_model *model, const una_dataset *region, una_run *run)
{
    size_t rows = una_dataset_row_count(region);
    double sum = 0;
    UNA_NEW(&run->scratch, double, std, rows);
    una_prediction out = { .size = sizeof out, .std_epistemic = std };
    UNA_TRY(una_model_predict(model, region, 0.95, &out, run));
    for (size_t i = 0; i < rows; i++) sum += std[i] * std[i];
    *variance = sum / (double)rows;
    return UNA_OK;
}

/* Row `at` of a table of the model's inputs as if it were measured with that value. */
static una_status take_in(una_model *model, const una_dataset *table, size_t at, double value, una_run *run)
{
    const una_columns *columns = &model->columns;
    size_t inputs = columns->source_count;
    una_dataset *row;
    UNA_NEW(&run->scratch, const char *, names, inputs + 1);
    UNA_NEW(&run->scratch, const double *, numbers, inputs + 1);
    UNA_NEW(&run->scratch, const char *const *, words, inputs + 1);
    for (size_t c = 0; c < inputs; c++) {
        const double *number = una_dataset_numbers(table, c);
        names[c] = columns->sources[c].name;
        if (number) numbers[c] = number + at;
        else words[c] = una_dataset_words(table, c) + at;
    }
    names[inputs] = columns->target;
    numbers[inputs] = &value;
    UNA_TRY(una_dataset_from_columns(&row, names, numbers, words, inputs + 1, 1, run));
    UNA_TRY(una_keep_dataset(&run->scratch, row));
    return una_model_update(model, row, run);
}

/* *copy lasts as long as the scratch memory. */
static una_status copy_now(una_model **copy, const una_survey *s, una_run *run)
{
    UNA_TRY(una_model_load_memory(copy, s->bytes, s->size, run));
    return una_keep_model(&run->scratch, *copy);
}

static una_status evaluate_candidate(void *context, size_t index, una_run *run)
{
    una_survey *s = context;
    size_t at = s->order[index];
    una_model *copy;
    UNA_TRY(una_tick(run, "weighing where to measure", 0, NAN));
    UNA_TRY(copy_now(&copy, s, run));
    UNA_TRY(take_in(copy, s->listed, at, s->mean[at], run));
    UNA_TRY(mean_variance(&s->after[at], copy, s->region, run));
    s->gain[at] = s->before - s->after[at];
    return UNA_OK;
}

/* ---- one row after the other --------------------------------------------------------------------------------- */

/* Most gain first; of equals the one that stands first in the pool. */
static void put_in_order(una_survey *s)
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
static una_status next_row(size_t *best, una_survey *s, size_t evaluated, una_run *run)
{
    una_prediction out = { .size = sizeof out, .mean = s->mean, .std_epistemic = s->std };
    UNA_TRY(una_model_predict(s->now, s->listed, 0.95, &out, run));
    una_memory_free(s->bytes, run);
    s->bytes = NULL;
    UNA_TRY(una_model_save_memory(s->now, &s->bytes, &s->size, run));
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
    UNA_SCOPED(run, take_in(s->now, s->listed, *best, s->mean[*best], run));
    return UNA_OK;
}

static una_status suggest_choose_rows(una_advice *advice, una_arena *keep, una_survey *s, size_t count)
{
    una_dataset *table;
    UNA_NEW(keep, double, std, count);
    UNA_NEW(keep, double, before, count);
    UNA_NEW(keep, double, after, count);
    UNA_NEW(keep, size_t, row, count);
    UNA_TRY(mean_variance(&s->before, s->model, s->region, s->run));

    size_t all = s->count + (count - 1) * JUDGED_AGAIN, done = 0;
    for (size_t i = 0; i < count; i++) {
        size_t best, evaluated = i > 0 && s->left > JUDGED_AGAIN ? JUDGED_AGAIN : s->left;
        double from = (double)done / (double)all;
        done += evaluated;
        UNA_STAGE(s->run, from, (double)done / (double)all, next_row(&best, s, evaluated, s->run));
        row[i] = s->row[best];
        std[i] = s->std[best];
        before[i] = sqrt(s->before);
        after[i] = sqrt(s->after[best]);
        s->before = s->after[best];
    }

    UNA_TRY(una_dataset_rows(&table, s->pool, row, count, s->run));
    UNA_TRY(una_keep_dataset(keep, table));
    *advice = (una_advice){ .count = count, .table = table, .row = s->points ? NULL : row, .std = std,
                            .before = before, .after = after, .region = una_dataset_row_count(s->region) };
    return UNA_OK;
}

/* ---- what may be measured, and where it counts --------------------------------------------------------------- */

/* What can be predicted has the model's columns, and no cell that it does not understand. */
static una_status check_table(const una_model *model, const una_dataset *table, una_run *run)
{
    una_prediction out = { .size = sizeof out };
    UNA_NEW_ROWS_AT(&run->scratch, out.mean, una_dataset_row_count(table));
    return una_model_predict(model, table, 0.95, &out, run);
}

/* The most promising rows; where they are too few, the first of the others as well. */
static una_status suggest_list_rows(una_survey *s, size_t least, una_run *run)
{
    una_arena *arena = &run->scratch;
    size_t rows = una_dataset_row_count(s->pool), most = 2 * least > JUDGED ? 2 * least : JUDGED;
    s->count = s->left = most < rows ? most : rows;
    UNA_NEW_AT(arena, s->row, s->count);
    UNA_NEW_AT(arena, s->order, s->count);
    UNA_NEW_AT(arena, s->gain, s->count);
    UNA_NEW_AT(arena, s->mean, s->count);
    UNA_NEW_AT(arena, s->std, s->count);
    UNA_NEW_AT(arena, s->after, s->count);
    UNA_NEW(arena, bool, listed, rows);

    size_t found = most < rows ? s->count : 0;
    if (found) UNA_SCOPED(run, una_suggest_screen(s, &found));
    for (size_t i = 0; i < found; i++) listed[s->row[i]] = true;
    for (size_t i = 0; i < rows && found < s->count; i++)
        if (!listed[i]) s->row[found++] = i;
    for (size_t i = 0; i < s->count; i++) s->order[i] = i;
    return una_suggest_inputs(&s->listed, s, s->pool, s->row, s->count);
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
static una_status try_copy(const una_survey *s, una_run *run)
{
    una_dataset *first;
    una_model *copy;
    double mean = 0;
    una_prediction out = { .size = sizeof out, .mean = &mean };
    UNA_TRY(una_suggest_inputs(&first, s, s->pool, NULL, 1));
    UNA_TRY(una_model_predict(s->model, first, 0.95, &out, run));
    UNA_TRY(copy_now(&copy, s, run));
    una_status status = take_in(copy, first, 0, mean, run);
    return status == UNA_E_USAGE ? refuse_model(s->model, run) : status;
}

/* Without a pool the rows of `data` give the ranges only: between them is where ignorance is. */
static una_status set_out(una_survey *s, const una_dataset *pool, const una_dataset *data, size_t count, una_run *run)
{
    if (pool) UNA_SCOPED(run, check_table(s->model, pool, run));
    if (data) UNA_SCOPED(run, check_table(s->model, data, run));
    if (!pool) UNA_TRY(una_suggest_points(s, data, MOST_POINTS));
    s->pool = pool ? pool : s->points;
    UNA_TRY(una_model_save_memory(s->model, &s->bytes, &s->size, run));
    UNA_TRY(copy_now(&s->now, s, run));
    UNA_SCOPED(run, try_copy(s, run));
    UNA_TRY(una_suggest_region(s, pool && data ? data : s->pool, MOST_REGION));
    return suggest_list_rows(s, count, run);
}

/* ---- the public calls ---------------------------------------------------------------------------------------- */

static una_status suggest_check_request(const una_model *model, const una_dataset *pool, size_t count, una_run *run)
{
    if (count == 0) UNA_FAIL(run, UNA_E_USAGE, "no row was asked for: the least count is 1");
    if (pool && count > una_dataset_row_count(pool))
        UNA_FAIL(run, UNA_E_USAGE, "%s has %zu rows, and %zu are to be chosen from it: ask for fewer, or give more",
                 una_dataset_origin(pool), una_dataset_row_count(pool), count);
    if (count > MOST_POINTS)
        UNA_FAIL(run, UNA_E_USAGE, "%zu rows at once are too many: ask for at most %d, and again when these are "
                 "measured", count, MOST_POINTS);
    if (una_model_target_count(model) > 1)
        UNA_FAIL(run, UNA_E_USAGE, "rows are suggested for one target, and this model predicts %zu (%s): fit a model "
                 "of one of them", una_model_target_count(model), una_model_info(model)->target);
    if (una_model_info(model)->log_target)
        UNA_FAIL(run, UNA_E_USAGE, "rows are suggested by how sure a model will be of '%.60s', which for a model of "
                 "its logarithm depends on what is measured: fit one without --log", una_model_info(model)->target);
    return UNA_OK;
}

una_status una_suggest(una_advice **advice, const una_model *model, const una_dataset *pool, const una_dataset *data,
                       size_t count, una_run *run)
{
    una_survey s = { .model = model, .run = run };
    *advice = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    UNA_TRY(suggest_check_request(model, pool, count, run));
    una_arena *keep;
    una_advice *given = una_result_new(&keep, sizeof *given, run);
    if (!given) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for advice");

    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = set_out(&s, pool, data, count, run);
    if (status == UNA_OK) status = suggest_choose_rows(given, keep, &s, count);
    una_arena_release(&run->scratch, mark);
    una_memory_free(s.bytes, run);
    if (status == UNA_OK) *advice = given;
    else una_advice_free(given);
    return status;
}

void una_advice_free(una_advice *advice)
{
    una_result_free(advice);
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

static una_status write_advice(const una_advice *advice, const char *path, una_run *run)
{
    una_file file;
    una_text text = una_text_in(&run->scratch);
    suggest_put_header(&text, advice);
    for (size_t i = 0; i < advice->count; i++) suggest_put_row(&text, advice, i);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_file_begin(&file, path, &run->scratch, run));
    UNA_TRY(una_file_write(&file, text.at, text.length, run));
    return una_file_commit(&file, run);
}

una_status una_advice_write(const una_advice *advice, const char *path, una_run *run)
{
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    UNA_SCOPED(run, write_advice(advice, path, run));
    return UNA_OK;
}
