/* SPDX-License-Identifier: MIT
 *
 * The gap test on a table of one's own. Two sorts of fits, all of the same spec, and of the same number of rows as far
 * as there are any:
 *   - for each hole one without its rows, and without some other rows, which are asked as well: the ordinary ones;
 *   - three that know all regions: each lacks a random third of all rows and foretells that third.
 * So every row has been foretold by a model that has not seen it but others like it, and every row of a hole, and every
 * ordinary one, also by a model that has seen nothing in the hole. Row by row the two are compared: what makes a region
 * easy or hard for the model falls out, and what is left is what the hole has done.
 */
#include "gap/gap.h"

#include "data/columns.h"
#include "model/above.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Below LEAST_ROWS a third, a tenth and what is left are too few to tell anything. */
enum { LEAST_ROWS = 60, FOLDS = 3, PAIRS = 3, MOST_PAIRS = 1000, MOST_REPEATS = 1000 };
/* Ordinary rows: a tenth of those outside the hole, at least LEAST_ORDINARY but no more than a third of them. Of more
 * than MOST_ASKED rows a part is asked: numbers to two digits need no more. */
enum { LEAST_ORDINARY = 20, MOST_ASKED = 5000 };
/* What a fit without a third of the rows and without the ordinary ones is left with: so many train the others, too. */
static const double TRAINED = 0.6;
/* Errors that are a smaller part of the target's range come of rounding: a target that the model knows exactly. */
static const double ROUNDING = 1e-9;
/* Streams of UNA_FOR_SPLIT that no other part of a fit uses. */
static const uint64_t ORDERS = 7ull << 40;

const char *una_gap_model(void)
{
    return "auto(luna=luna(members=4))";
}

typedef struct known {                   /* of one repeat: every row of the table, foretold without it             */
    uint32_t *order;                     /* [rows] in which rows are taken                                          */
    double   *mean, *std;                /* [rows]                                                                  */
} known;

typedef struct job {                     /* one fit                                                                 */
    una_arena     keep;                  /* first: of its results                                                   */
    size_t        repeat, fold, hole;    /* hole SIZE_MAX: a fold of those that know all regions                    */
    una_gap_rows  inside, outside;
    double       *error;                 /* [inside.count]                                                          */
    una_score     score_inside, score_outside;
    double       *relevance;             /* [columns of the table]; NULL: the model has none                        */
} job;

typedef struct test {
    una_gap_result   *result;
    una_gap_settings  asked;
    una_fit_settings  fit;
    const una_dataset *table;
    const double     *y;
    double            least;             /* errors below it are rounding                                            */
    size_t            target;            /* column                                                                  */
    size_t           *input;             /* [input_count] columns that a model sees                                 */
    size_t            input_count;
    size_t            columns, pairs;    /* holes along one column (or none, with a reason), and along two          */
    known            *known;             /* [repeats]                                                               */
    job              *jobs;
    size_t            job_count, job_room;
    una_tally         tally;
} test;

/* ---- what was asked for -------------------------------------------------------------------------------------- */

static una_status take_asked(test *t, const una_gap_settings *given, una_run *run)
{
    const una_fit_settings plain = UNA_INIT(una_fit_settings);
    const una_gap_settings none = UNA_INIT(una_gap_settings);
    UNA_TRY(UNA_TAKE(&t->asked, given ? given : &none, una_gap_settings, run));
    UNA_TRY(UNA_TAKE(&t->fit, t->asked.fit.size ? &t->asked.fit : &plain, una_fit_settings, run));
    t->fit.size = sizeof t->fit;
    if (t->fit.target_count > 1)
        UNA_FAIL(run, UNA_E_USAGE, "holes are cut for one target, and %zu were given: test each by itself",
                 t->fit.target_count);
    if (t->fit.target_count == 1) t->fit.target = t->fit.targets[0];
    t->fit.targets = NULL;
    t->fit.target_count = 0;
    if (t->fit.valid)
        UNA_FAIL(run, UNA_E_USAGE, "rows to validate on were given, and every hole leaves other rows: give a share");
    if (t->asked.pairs < -1 || t->asked.pairs > MOST_PAIRS || t->asked.repeats > MOST_REPEATS)
        UNA_FAIL(run, UNA_E_USAGE, "%d pairs and %zu repeats were asked for: at most %d of each", t->asked.pairs,
                 t->asked.repeats, MOST_PAIRS);
    if (t->asked.pairs == 0) t->asked.pairs = PAIRS;
    if (t->asked.repeats == 0) t->asked.repeats = 1;
    /* Without a word for a model, the presets of the thesis are LUNA's. */
    if (!t->asked.model) t->asked.model = t->fit.preset ? "luna" : una_gap_model();
    return una_spec_check(t->asked.model, NULL, run);
}

static double least_error(const double *y, size_t rows)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < rows; i++) {
        low = fmin(low, y[i]);
        high = fmax(high, y[i]);
    }
    return ROUNDING * (high / 2 - low / 2);      /* of halves: these have a difference */
}

/* Rows that can be learnt from, and the columns that a model would see. */
static una_status take_table(test *t, const una_dataset *data, una_run *run)
{
    una_gap_result *r = t->result;
    una_columns columns;
    una_notes warnings = { .arena = &r->keep };
    double *x, *y;
    size_t *kept, rows;
    UNA_TRY(una_columns_learn(&columns, data, t->fit.target, t->fit.missing, t->fit.other, NULL, &run->scratch, run));
    UNA_TRY(una_columns_encode(&columns, data, &x, &y, &kept, &rows, &run->scratch, run));
    if (rows < LEAST_ROWS)
        UNA_FAIL(run, UNA_E_INPUT, "%s has %zu rows that can be used, and a hole needs %d at least: a third for the "
                 "hole, some to compare with, and enough to learn from", una_dataset_origin(data), rows, LEAST_ROWS);
    UNA_TRY(una_columns_doubt(&columns, data, x, y, kept, rows, &warnings, run));
    r->gap.warnings = warnings.text;
    r->gap.warning_count = warnings.count;
    UNA_TRY(una_dataset_rows(&r->table, data, kept, rows, run));
    t->table = r->table;

    t->input = UNA_GET(&r->keep, size_t, columns.source_count);
    UNA_TRY(una_arena_check(&r->keep));
    for (size_t i = 0; i < columns.source_count; i++) {
        t->input[t->input_count++] = una_table_find(r->table, columns.sources[i].name);
        /* A word may be in no row that trains: then it is one of the others. */
        if (columns.sources[i].is_text && t->fit.other == 0) t->fit.other = 1;
    }
    t->target = una_table_find(r->table, columns.target);
    t->y = r->table->column[t->target].number;
    t->least = least_error(t->y, rows);
    r->gap.target = una_arena_text(&r->keep, columns.target);
    r->gap.rows = rows;
    t->fit.target = r->gap.target;
    return una_arena_check(&r->keep);
}

/* ---- holes --------------------------------------------------------------------------------------------------- */

static bool is_input(const test *t, size_t column)
{
    for (size_t i = 0; i < t->input_count; i++)
        if (t->input[i] == column) return true;
    return false;
}

static una_status new_hole(test *t, size_t at, size_t a, size_t b, una_run *run)
{
    una_gap_result *r = t->result;
    una_gap_view *view = &r->view[at];
    una_gap_hole *hole = &r->hole[at];
    if (b != SIZE_MAX) UNA_TRY(una_hole_cut_pair(&view->hole, t->table, a, b, &r->keep, run));
    else if (is_input(t, a)) UNA_TRY(una_hole_cut(&view->hole, t->table, a, &r->keep, run));
    else view->hole = (una_hole){ .column = { a }, .columns = 1, .why_not = "all of its cells are the same" };

    const una_hole *cut = &view->hole;
    una_text name = una_text_in(&r->keep), where = una_text_in(&r->keep);
    *hole = (una_gap_hole){ .rows = cut->count, .why_not = cut->why_not, .noticed = -1, .matters = -1 };
    for (size_t c = 0; c < cut->columns; c++) {
        hole->columns[c] = una_dataset_column_name(t->table, cut->column[c]);
        una_text_add(&name, "%s%s", c ? " and " : "", hole->columns[c]);
    }
    if (!cut->why_not) una_hole_where(&where, cut);
    hole->name = name.at;
    hole->where = cut->why_not ? NULL : where.at;
    return una_arena_check(&r->keep);
}

static una_status need_column(size_t *column, const test *t, const char *name, una_run *run)
{
    UNA_TRY(una_dataset_find(column, t->table, name, run));
    if (*column == t->target)
        UNA_FAIL(run, UNA_E_USAGE, "'%.100s' is the target: holes are cut along inputs", name);
    return UNA_OK;
}

/* All columns but the target, as they stand in the table; or those that were asked for. */
static una_status cut_columns(test *t, una_run *run)
{
    una_gap_result *r = t->result;
    size_t all = t->table->columns, wanted = t->asked.column_count;
    size_t count = wanted ? wanted : all - 1, room = count + (t->asked.pairs > 0 ? (size_t)t->asked.pairs : 0);
    r->view = UNA_GET(&r->keep, una_gap_view, room);
    r->hole = UNA_GET(&r->keep, una_gap_hole, room);
    UNA_TRY(una_arena_check(&r->keep));
    for (size_t i = 0; i < wanted; i++) {
        size_t column;
        UNA_TRY(need_column(&column, t, t->asked.columns[i], run));
        for (size_t k = 0; k < i; k++)
            if (r->view[k].hole.column[0] == column)
                UNA_FAIL(run, UNA_E_USAGE, "the column '%.100s' was given twice; name each once", t->asked.columns[i]);
        UNA_TRY(new_hole(t, t->columns++, column, SIZE_MAX, run));
    }
    for (size_t c = 0; !wanted && c < all; c++)
        if (c != t->target) UNA_TRY(new_hole(t, t->columns++, c, SIZE_MAX, run));

    for (size_t i = 0; i < t->columns; i++)
        if (!r->hole[i].why_not) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "no hole can be cut into %s: %s: %s%s", una_dataset_origin(t->table), r->hole[0].name,
             r->hole[0].why_not, t->columns > 1 ? "; the other columns have their reasons, too" : "");
}

typedef struct couple { size_t a, b; double weight; } couple;
typedef struct weighed { size_t column; double weight; } weighed;

static int by_weight(const void *a, const void *b)
{
    const couple *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

static int heavy_first(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    return (x->column > y->column) - (x->column < y->column);
}

/* How much an input has to do with the target, for models that do not say: the size of their correlation. */
static double correlation(const double *x, const double *y, size_t rows)
{
    double n = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(x[i])) n++, mx += x[i], my += y[i];
    mx /= n, my /= n;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(x[i])) continue;
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xx > 0 && yy > 0 ? fabs(xy) / sqrt(xx * yy) : 0;
}

/* list [*count], the heaviest first: numbers along which there is a hole, by their mean relevance in the fits that know
 * all regions. */
static void weigh_columns(weighed *list, size_t *count, const test *t)
{
    *count = 0;
    for (size_t i = 0; i < t->columns; i++) {
        size_t c = t->result->view[i].hole.column[0], fits = 0;
        double sum = 0;
        if (t->result->hole[i].why_not || t->table->column[c].is_text) continue;
        for (size_t k = 0; k < t->job_count; k++) {
            if (t->jobs[k].hole != SIZE_MAX || !t->jobs[k].relevance) continue;
            sum += t->jobs[k].relevance[c];
            fits++;
        }
        double weight = fits ? sum / (double)fits : correlation(t->table->column[c].number, t->y, t->table->rows);
        list[(*count)++] = (weighed){ c, weight };
    }
    qsort(list, *count, sizeof *list, heavy_first);
}

/* The pairs of greatest product; a pair without a place for a box is passed over. The `most` heaviest pairs are among
 * the most + 1 heaviest columns; twice as many leave room for those that are passed over. */
static una_status cut_pairs(test *t, una_run *run)
{
    size_t columns, count = 0, most = t->asked.pairs > 0 ? (size_t)t->asked.pairs : 0;
    una_mark mark = una_arena_mark(&run->scratch);
    weighed *column = UNA_GET(&run->scratch, weighed, t->columns);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) {
        weigh_columns(column, &columns, t);
        if (columns > 2 * (most + 1)) columns = 2 * (most + 1);
        couple *list = UNA_GET(&run->scratch, couple, columns * columns / 2 + 1);
        status = una_arena_check(&run->scratch);
        for (size_t a = 0; status == UNA_OK && a < columns; a++)
            for (size_t b = a + 1; b < columns; b++)
                list[count++] = (couple){ a, b, column[a].weight * column[b].weight };
        if (status == UNA_OK) qsort(list, count, sizeof *list, by_weight);
        for (size_t i = 0; status == UNA_OK && i < count && t->pairs < most; i++) {
            size_t at = t->columns + t->pairs;
            status = new_hole(t, at, column[list[i].a].column, column[list[i].b].column, run);
            if (status == UNA_OK && !t->result->hole[at].why_not) t->pairs++;
        }
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- one fit ------------------------------------------------------------------------------------------------- */

static una_status fit_rows(una_model **model, const test *t, const size_t *row, size_t count, una_run *run)
{
    una_dataset *part = NULL;
    UNA_TRY(una_dataset_rows(&part, t->table, row, count, run));
    una_status status = una_fit(model, t->asked.model, part, &t->fit, run);
    una_dataset_free(part);
    return status;
}

/* The relevance of columns by their place in the table. */
static una_status take_relevance(job *j, const una_model *model, const test *t)
{
    const una_fit_info *info = una_model_info(model);
    if (info->relevance) {
        j->relevance = UNA_GET(&j->keep, double, t->table->columns);
        for (size_t i = 0; j->relevance && i < una_model_input_count(model); i++) {
            size_t column = una_table_find(t->table, una_model_input_name(model, i));
            if (column != SIZE_MAX && isfinite(info->relevance[i])) j->relevance[column] = info->relevance[i];
        }
    }
    return una_arena_check(&j->keep);
}

/* A fit that knows all regions. Rows in the order of the repeat, every third of them left out and asked. */
static una_status fit_known(job *j, const test *t, una_run *run)
{
    size_t rows = t->table->rows, train = 0, asked = 0, most = (size_t)(TRAINED * (double)rows);
    known *k = &t->known[j->repeat];
    size_t *row = UNA_GET(&run->scratch, size_t, rows), *left = UNA_GET(&run->scratch, size_t, rows);
    double *mean = UNA_GET(&run->scratch, double, rows), *std = UNA_GET(&run->scratch, double, rows);
    una_dataset *part = NULL;
    una_model *model = NULL;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < rows; i++) {
        if (i % FOLDS == j->fold) left[asked++] = k->order[i];
        else if (train < most) row[train++] = k->order[i];
    }

    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    una_status status = fit_rows(&model, t, row, train, run);
    if (status == UNA_OK) status = una_dataset_rows(&part, t->table, left, asked, run);
    if (status == UNA_OK) status = una_model_predict(model, part, 0.95, &out, run);
    if (status == UNA_OK) status = take_relevance(j, model, t);
    for (size_t i = 0; status == UNA_OK && i < asked; i++) {
        k->mean[left[i]] = mean[i];
        k->std[left[i]] = std[i];
    }
    una_dataset_free(part);
    una_model_free(model);
    return status;
}

typedef struct lists { size_t *train, *inside, *outside, train_count, inside_count, outside_count; } lists;

/* In the order of the repeat: ordinary rows first, so that they are nearly the same ones for every hole. */
static una_status list_rows(lists *l, const job *j, const test *t, una_arena *arena)
{
    const una_hole *hole = &t->result->view[j->hole].hole;
    const uint32_t *order = t->known[j->repeat].order;
    size_t rows = t->table->rows, others = rows - hole->count, ordinary = others / 10;
    size_t most = (size_t)(TRAINED * (double)rows);
    if (ordinary < LEAST_ORDINARY) ordinary = LEAST_ORDINARY;
    if (ordinary > others / 3) ordinary = others / 3;
    if (ordinary > MOST_ASKED) ordinary = MOST_ASKED;
    *l = (lists){ .train = UNA_GET(arena, size_t, rows), .inside = UNA_GET(arena, size_t, rows),
                  .outside = UNA_GET(arena, size_t, rows) };
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < rows; i++) {
        size_t row = order[i];
        if (hole->inside[row]) {
            if (l->inside_count < MOST_ASKED) l->inside[l->inside_count++] = row;
        } else if (l->outside_count < ordinary) {
            l->outside[l->outside_count++] = row;
        } else if (l->train_count < most) {
            l->train[l->train_count++] = row;
        }
    }
    return UNA_OK;
}

/* What the model says of rows: into the job, with their score; error (may be NULL) [count]. */
static una_status ask_rows(una_gap_rows *to, una_score *score, double **error, job *j, const una_model *model,
                           const test *t, const size_t *row, size_t count, una_run *run)
{
    una_dataset *part = NULL;
    size_t *kept = UNA_GET(&j->keep, size_t, count);
    double *std = UNA_GET(&j->keep, double, count), *mean = UNA_GET(&j->keep, double, count);
    UNA_TRY(una_arena_check(&j->keep));
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    *score = (una_score){ .size = sizeof *score };
    UNA_TRY(una_dataset_rows(&part, t->table, row, count, run));
    una_status status = una_model_predict(model, part, 0.95, &out, run);
    if (status == UNA_OK) status = una_model_score(score, model, part, run);
    una_dataset_free(part);
    memcpy(kept, row, count * sizeof *kept);
    for (size_t i = 0; i < count; i++) mean[i] -= t->y[row[i]];
    *to = (una_gap_rows){ .count = count, .row = kept, .with = std };
    if (error) *error = mean;
    return status;
}

static una_status fit_hole(job *j, const test *t, una_run *run)
{
    lists l;
    una_model *model = NULL;
    UNA_TRY(list_rows(&l, j, t, &run->scratch));
    una_status status = fit_rows(&model, t, l.train, l.train_count, run);
    if (status == UNA_OK)
        status = ask_rows(&j->inside, &j->score_inside, &j->error, j, model, t, l.inside, l.inside_count, run);
    if (status == UNA_OK)
        status = ask_rows(&j->outside, &j->score_outside, NULL, j, model, t, l.outside, l.outside_count, run);
    una_model_free(model);
    return status;
}

/* Which fit it was that failed. */
static una_status explain(const job *j, const test *t, una_status status, una_run *run)
{
    char why[sizeof run->message];
    if (status == UNA_OK || status == UNA_CANCELLED) return status;
    memcpy(why, run->message, sizeof why);
    if (j->hole == SIZE_MAX) return una_fail(run, status, "without a third of the rows: %.950s", why);
    return una_fail(run, status, "without the hole in %.100s: %.850s", t->result->hole[j->hole].name, why);
}

typedef struct batch { test *test; size_t first; } batch;

static una_status one_fit(void *context, size_t index, una_run *run)
{
    const batch *b = context;
    test *t = b->test;
    job *j = &t->jobs[b->first + index];
    una_mark mark = una_arena_mark(&run->scratch);
    run->settings.seed += j->repeat;
    una_status status = j->hole == SIZE_MAX ? fit_known(j, t, run) : fit_hole(j, t, run);
    run->settings.seed -= j->repeat;
    una_arena_release(&run->scratch, mark);
    if (status == UNA_OK) atomic_fetch_add(&t->tally.done, 1);
    return explain(j, t, status, run);
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

static una_status new_known(test *t, una_run *run)
{
    una_arena *keep = &t->result->keep;
    size_t rows = t->table->rows;
    t->known = UNA_GET(keep, known, t->asked.repeats);
    UNA_TRY(una_arena_check(keep));
    for (size_t r = 0; r < t->asked.repeats; r++) {
        known *k = &t->known[r];
        una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_SPLIT, ORDERS + r);
        UNA_TRY(una_order_new(&k->order, rows, keep));
        una_rng_permute(&rng, k->order, rows);
        k->mean = UNA_GET(keep, double, rows);
        k->std = UNA_GET(keep, double, rows);
    }
    return una_arena_check(keep);
}

static void add_jobs(test *t, size_t first, size_t count, bool folds)
{
    for (size_t r = 0; r < t->asked.repeats; r++) {
        for (size_t f = 0; folds && f < FOLDS; f++)
            t->jobs[t->job_count++] = (job){ .repeat = r, .fold = f, .hole = SIZE_MAX };
        for (size_t i = first; i < first + count; i++)
            if (!t->result->hole[i].why_not) t->jobs[t->job_count++] = (job){ .repeat = r, .hole = i };
    }
}

/* Jobs from `first` on; `all`: how many there will be in the end, as far as is known. */
static una_status run_jobs(test *t, size_t first, size_t all, una_run *run)
{
    batch b = { t, first };
    size_t count = t->job_count - first;
    una_span span = una_progress_part(run, (double)first / (double)all, (double)t->job_count / (double)all);
    una_status status = una_jobs_run(run, t->jobs + first, sizeof *t->jobs, count, one_fit, &b);
    una_progress_back(run, span);
    return status;
}

/* Along columns first: which pairs matter most is known from these fits. */
static una_status run_fits(test *t, una_run *run)
{
    size_t repeats = t->asked.repeats, pairs = t->asked.pairs > 0 ? (size_t)t->asked.pairs : 0;
    t->job_room = repeats * (FOLDS + t->columns + pairs);
    t->jobs = UNA_GET(&t->result->keep, job, t->job_room);
    UNA_TRY(una_arena_check(&t->result->keep));
    add_jobs(t, 0, t->columns, true);
    size_t could = t->columns * (t->columns - 1) / 2, first = t->job_count;
    if (pairs > could) pairs = could;
    t->tally = una_tally_of("fits", 0, first + repeats * pairs);
    UNA_TRY(run_jobs(t, 0, first + repeats * pairs, run));

    UNA_TRY(cut_pairs(t, run));
    if (t->pairs == 0) return UNA_OK;
    add_jobs(t, t->columns, t->pairs, false);
    t->tally.all = t->job_count;
    return run_jobs(t, first, t->job_count, run);
}

/* ---- what came out ------------------------------------------------------------------------------------------- */

/* What the fits that know all regions said of the same rows. */
static una_status add_known(una_gap_rows *rows, double **error, const test *t, const job *j, una_arena *arena)
{
    const known *k = &t->known[j->repeat];
    double *std = UNA_GET(arena, double, rows->count), *off = UNA_GET(arena, double, rows->count);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < rows->count; i++) {
        std[i] = k->std[rows->row[i]];
        off[i] = k->mean[rows->row[i]] - t->y[rows->row[i]];
    }
    rows->known = std;
    if (error) *error = off;
    return UNA_OK;
}

static una_status measure_job(una_gap_hole *hole, job *j, const test *t, una_run *run)
{
    double *known_error;
    UNA_TRY(add_known(&j->inside, &known_error, t, j, &j->keep));
    UNA_TRY(add_known(&j->outside, NULL, t, j, &j->keep));
    const una_gap_pairs pairs = {
        .rows = j->inside.count, .others = j->outside.count, .with = j->inside.with, .known = j->inside.known,
        .error = j->error, .error_known = known_error, .with_outside = j->outside.with,
        .known_outside = j->outside.known, .least = t->least
    };
    UNA_TRY(una_gap_measure(hole, &pairs, run));
    hole->rmse_outside = j->score_outside.rmse;
    hole->log_lik_inside = j->score_inside.log_lik;
    hole->log_lik_outside = j->score_outside.log_lik;
    hole->coverage_inside = j->score_inside.coverage_95;
    hole->coverage_outside = j->score_outside.coverage_95;
    return UNA_OK;
}

static const size_t averaged[] = {
    offsetof(una_gap_hole, wider), offsetof(una_gap_hole, spread), offsetof(una_gap_hole, error),
    offsetof(una_gap_hole, error_low), offsetof(una_gap_hole, error_high), offsetof(una_gap_hole, worse),
    offsetof(una_gap_hole, auroc),
    offsetof(una_gap_hole, increase), offsetof(una_gap_hole, rmse_inside), offsetof(una_gap_hole, rmse_outside),
    offsetof(una_gap_hole, rmse_known), offsetof(una_gap_hole, log_lik_inside), offsetof(una_gap_hole, log_lik_outside),
    offsetof(una_gap_hole, coverage_inside), offsetof(una_gap_hole, coverage_outside)
};

static double *field(una_gap_hole *hole, size_t at)
{
    return (double *)(void *)((char *)hole + averaged[at]);
}

enum { AVERAGED = sizeof averaged / sizeof *averaged };

static una_status measure_hole(test *t, size_t at, una_run *run)
{
    una_gap_hole *hole = &t->result->hole[at];
    for (size_t i = 0; i < AVERAGED; i++) *field(hole, i) = hole->why_not ? NAN : 0;
    hole->wider_low = hole->why_not ? NAN : INFINITY;
    hole->wider_high = hole->why_not ? NAN : -INFINITY;
    for (size_t k = 0; k < t->job_count; k++) {
        job *j = &t->jobs[k];
        una_gap_hole one = {0};
        if (j->hole != at) continue;
        UNA_TRY(measure_job(&one, j, t, run));
        for (size_t i = 0; i < AVERAGED; i++) *field(hole, i) += *field(&one, i) / (double)t->asked.repeats;
        hole->wider_low = fmin(hole->wider_low, one.wider);
        hole->wider_high = fmax(hole->wider_high, one.wider);
        if (j->repeat > 0) continue;
        t->result->view[at].inside = j->inside;
        t->result->view[at].outside = j->outside;
    }
    return UNA_OK;
}

static una_status conclude(test *t, una_run *run)
{
    una_gap_result *r = t->result;
    size_t count = t->columns + t->pairs;
    for (size_t i = 0; i < count; i++) {
        una_text verdict = una_text_in(&r->keep);
        UNA_TRY(measure_hole(t, i, run));
        una_gap_judge(&r->hole[i]);
        una_gap_say(&verdict, &r->hole[i]);
        r->hole[i].verdict = verdict.at;
    }
    una_text answer = una_text_in(&r->keep);
    una_gap_answer(&answer, r->hole, t->columns, t->pairs);
    r->gap.answer = answer.at;
    r->gap.hole = r->hole;
    r->gap.column_count = t->columns;
    r->gap.pair_count = t->pairs;
    r->gap.fits = t->job_count;
    r->gap.repeats = t->asked.repeats;
    for (size_t k = 0; k < t->job_count; k++) una_arena_join(&r->keep, &t->jobs[k].keep);
    return una_arena_check(&r->keep);
}

/* ---- the public calls ---------------------------------------------------------------------------------------- */

static una_status work(test *t, const una_dataset *data, const una_gap_settings *settings, una_run *run)
{
    const char *spec;
    UNA_TRY(take_asked(t, settings, run));
    UNA_TRY(take_table(t, data, run));
    UNA_TRY(una_spec_text(&spec, t->asked.model, run));
    t->result->gap.spec = una_arena_text(&t->result->keep, spec);
    UNA_TRY(cut_columns(t, run));
    UNA_TRY(new_known(t, run));

    const una_tally *outer = run->tally;
    run->tally = &t->tally;
    una_status status = run_fits(t, run);
    run->tally = outer;
    return status == UNA_OK ? conclude(t, run) : status;
}

una_status una_gap_test(una_gap **gap, const una_dataset *data, const una_gap_settings *settings, una_run *run)
{
    *gap = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    una_gap_result *r = una_allocate(run, sizeof *r);
    if (!r) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for a gap test");
    memset(r, 0, sizeof *r);
    una_arena_init(&r->keep, run);
    r->run = run;

    test t = { .result = r };
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = work(&t, data, settings, run);
    una_arena_release(&run->scratch, mark);
    if (status == UNA_OK) {
        *gap = &r->gap;
        return UNA_OK;
    }
    una_jobs_free(t.jobs, sizeof *t.jobs, t.job_count);
    una_gap_free(&r->gap);
    return status;
}

void una_gap_free(una_gap *gap)
{
    if (!gap) return;
    una_gap_result *r = (una_gap_result *)gap;
    una_run *run = r->run;
    una_dataset_free(r->table);
    una_arena_free(&r->keep);
    una_release(run, r);
}
