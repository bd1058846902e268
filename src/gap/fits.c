/* SPDX-License-Identifier: MIT
 *
 * The fits of a gap test: without a hole's rows, and, to compare with, without a random third of all.
 */
#include "gap/gap.h"

#include <stdatomic.h>

enum { FOLDS = 3 };
/* Ordinary rows: a tenth of those outside the hole, at least LEAST_ORDINARY but no more than a third of them. Of more
 * than MOST_ASKED rows a part is asked: numbers to two digits need no more. */
enum { LEAST_ORDINARY = 20, MOST_ASKED = 5000 };
/* The training rows of a fit without a third of the rows and without the ordinary ones: the other fits get as many. */
static const double TRAINED = 0.6;
/* Streams of UNA_FOR_SPLIT that no other part of a fit uses. */
static const uint64_t ORDERS = 7ull << 40;

typedef struct row_list { size_t *row, count; } row_list;

/* ---- one fit ------------------------------------------------------------------------------------------------- */

static void add_row(row_list *list, size_t row, size_t most)
{
    if (list->count < most) list->row[list->count++] = row;
}

/* A model and predicted rows that end with the scratch memory of the fit. */
static una_status fit_rows(una_model **model, const una_gap_work *t, const row_list *rows, una_run *run)
{
    una_dataset *part;
    UNA_TRY(una_dataset_rows(&part, t->table, rows->row, rows->count, run));
    una_status status = una_fit(model, t->asked.model, part, &t->fit, run);
    una_dataset_free(part);
    return status == UNA_OK ? una_keep_model(&run->scratch, *model) : status;
}


static una_status take_part(una_dataset **part, const una_gap_work *t, const row_list *rows, una_run *run)
{
    UNA_TRY(una_dataset_rows(part, t->table, rows->row, rows->count, run));
    return una_keep_dataset(&run->scratch, *part);
}

/* The relevance of columns by their place in the table. */
static una_status take_relevance(una_gap_job *j, const una_model *model, const una_gap_work *t)
{
    const una_fit_info *info = una_model_info(model);
    if (!info->relevance) return UNA_OK;
    UNA_NEW_AT(&j->keep, j->relevance, t->table->columns);
    for (size_t i = 0; i < una_model_input_count(model); i++) {
        size_t column = una_table_find(t->table, una_model_input_name(model, i));
        if (column != SIZE_MAX && isfinite(info->relevance[i])) j->relevance[column] = info->relevance[i];
    }
    return UNA_OK;
}

/* A fit that knows all regions: every third row, in the order of the repeat, is left out and predicted. */
static una_status fit_known(una_gap_job *j, const una_gap_work *t, una_run *run)
{
    size_t rows = t->table->rows, most = (size_t)(TRAINED * (double)rows);
    una_gap_known *k = &t->known[j->repeat];
    row_list train = { .count = 0 }, left = { .count = 0 };
    una_dataset *part;
    una_model *model;
    UNA_NEW_AT(&run->scratch, train.row, rows);
    UNA_NEW_AT(&run->scratch, left.row, rows);
    UNA_NEW(&run->scratch, double, mean, rows);
    UNA_NEW(&run->scratch, double, std, rows);
    for (size_t i = 0; i < rows; i++)
        if (i % FOLDS == j->fold) add_row(&left, k->order[i], rows);
        else add_row(&train, k->order[i], most);

    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    UNA_TRY(fit_rows(&model, t, &train, run));
    UNA_TRY(take_part(&part, t, &left, run));
    UNA_TRY(una_model_predict(model, part, 0.95, &out, run));
    UNA_TRY(take_relevance(j, model, t));
    for (size_t i = 0; i < left.count; i++) {
        k->mean[left.row[i]] = mean[i];
        k->std[left.row[i]] = std[i];
    }
    return UNA_OK;
}

typedef struct lists { row_list train, inside, outside; } lists;

/* In the order of the repeat: ordinary rows first, so that they are nearly the same ones for every hole. */
static una_status gap_list_rows(lists *l, const una_gap_job *j, const una_gap_work *t, una_arena *arena)
{
    const una_hole *hole = &t->result->view[j->hole].hole;
    const uint32_t *order = t->known[j->repeat].order;
    size_t rows = t->table->rows, others = rows - hole->count, ordinary = others / 10;
    if (ordinary < LEAST_ORDINARY) ordinary = LEAST_ORDINARY;
    if (ordinary > others / 3) ordinary = others / 3;
    if (ordinary > MOST_ASKED) ordinary = MOST_ASKED;
    *l = (lists){ .train.count = 0 };
    UNA_NEW_AT(arena, l->train.row, rows);
    UNA_NEW_AT(arena, l->inside.row, rows);
    UNA_NEW_AT(arena, l->outside.row, rows);
    for (size_t i = 0; i < rows; i++) {
        if (hole->inside[order[i]]) add_row(&l->inside, order[i], MOST_ASKED);
        else if (l->outside.count < ordinary) add_row(&l->outside, order[i], ordinary);
        else add_row(&l->train, order[i], (size_t)(TRAINED * (double)rows));
    }
    return UNA_OK;
}

/* Predicts rows into the job, with their score. */
static una_status ask_rows(una_gap_rows *to, const row_list *asked, una_gap_job *j, const una_model *model,
                           const una_gap_work *t, una_run *run)
{
    una_dataset *part;
    UNA_NEW(&j->keep, size_t, row, asked->count);
    UNA_NEW(&j->keep, double, std, asked->count);
    UNA_NEW(&j->keep, double, error, asked->count);
    memcpy(row, asked->row, asked->count * sizeof *row);
    *to = (una_gap_rows){ .count = asked->count, .row = row, .with = std, .error = error,
                          .score = UNA_INIT(una_score) };
    una_prediction out = { .size = sizeof out, .mean = error, .std_epistemic = std };
    UNA_TRY(take_part(&part, t, asked, run));
    UNA_TRY(una_model_predict(model, part, 0.95, &out, run));
    UNA_TRY(una_model_score(&to->score, model, part, run));
    for (size_t i = 0; i < asked->count; i++) error[i] -= t->y[row[i]];
    return UNA_OK;
}

static una_status fit_hole(una_gap_job *j, const una_gap_work *t, una_run *run)
{
    lists l;
    una_model *model;
    UNA_TRY(gap_list_rows(&l, j, t, &run->scratch));
    UNA_TRY(fit_rows(&model, t, &l.train, run));
    UNA_TRY(ask_rows(&j->inside, &l.inside, j, model, t, run));
    return ask_rows(&j->outside, &l.outside, j, model, t, run);
}

/* Adds which fit failed to the message. */
static una_status gap_explain_failure(const una_gap_job *j, const una_gap_work *t, una_status status, una_run *run)
{
    char why[sizeof run->message];
    if (status == UNA_OK || status == UNA_CANCELLED) return status;
    memcpy(why, run->message, sizeof why);
    if (j->hole == SIZE_MAX) return una_fail(run, status, "without a third of the rows: %.950s", why);
    return una_fail(run, status, "without the hole in %.100s: %.850s", t->result->hole[j->hole].name, why);
}

typedef struct batch { una_gap_work *work; size_t first; } batch;

static una_status one_fit(void *context, size_t index, una_run *run)
{
    const batch *b = context;
    una_gap_work *t = b->work;
    una_gap_job *j = &t->jobs[b->first + index];
    una_mark mark = una_arena_mark(&run->scratch);
    run->settings.seed += j->repeat;
    una_status status = j->hole == SIZE_MAX ? fit_known(j, t, run) : fit_hole(j, t, run);
    run->settings.seed -= j->repeat;
    una_arena_release(&run->scratch, mark);
    if (status == UNA_OK) atomic_fetch_add(&t->tally.done, 1);
    return gap_explain_failure(j, t, status, run);
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

static una_status new_known(una_gap_work *t, una_run *run)
{
    una_arena *keep = t->result->keep;
    size_t rows = t->table->rows;
    UNA_NEW_AT(keep, t->known, t->asked.repeats);
    for (size_t r = 0; r < t->asked.repeats; r++) {
        una_gap_known *k = &t->known[r];
        una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_SPLIT, ORDERS + r);
        UNA_TRY(una_order_new(&k->order, rows, keep));
        una_rng_permute(&rng, k->order, rows);
        UNA_NEW_AT(keep, k->mean, rows);
        UNA_NEW_AT(keep, k->std, rows);
    }
    return UNA_OK;
}

static void add_jobs(una_gap_work *t, size_t first, size_t count, bool folds)
{
    for (size_t r = 0; r < t->asked.repeats; r++) {
        for (size_t f = 0; folds && f < FOLDS; f++)
            t->jobs[t->job_count++] = (una_gap_job){ .repeat = r, .fold = f, .hole = SIZE_MAX };
        for (size_t i = first; i < first + count; i++)
            if (!t->result->hole[i].why_not) t->jobs[t->job_count++] = (una_gap_job){ .repeat = r, .hole = i };
    }
}

/* Jobs from `first` on; `all`: how many there will be in the end, as far as is known. */
static una_status run_jobs(una_gap_work *t, size_t first, size_t all, una_run *run)
{
    batch b = { t, first };
    size_t count = t->job_count - first;
    UNA_STAGE(run, (double)first / (double)all, (double)t->job_count / (double)all,
              una_jobs_run(run, t->jobs + first, sizeof *t->jobs, count, one_fit, &b));
    return UNA_OK;
}

/* Along columns first: which pairs matter most is known from these fits. */
una_status una_gap_fit_all(una_gap_work *t, una_run *run)
{
    size_t repeats = t->asked.repeats, pairs = t->asked.pairs > 0 ? (size_t)t->asked.pairs : 0;
    UNA_NEW_AT(t->result->keep, t->jobs, repeats * (FOLDS + t->columns + pairs));
    UNA_TRY(new_known(t, run));
    add_jobs(t, 0, t->columns, true);
    size_t could = t->columns * (t->columns - 1) / 2, first = t->job_count;
    if (pairs > could) pairs = could;
    t->tally = una_tally_of("fits", 0, first + repeats * pairs);
    UNA_TRY(run_jobs(t, 0, first + repeats * pairs, run));

    UNA_SCOPED(run, una_gap_cut_pairs(t, run));
    if (t->pairs == 0) return UNA_OK;
    add_jobs(t, t->columns, t->pairs, false);
    t->tally.all = t->job_count;
    return run_jobs(t, first, t->job_count, run);
}
