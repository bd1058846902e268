/* SPDX-License-Identifier: MIT
 *
 * The gap test on a user's table. There are two sorts of fits, all of the same spec and, as far as possible, with the
 * same number of rows:
 *   - for each hole a fit without its rows, and without some ordinary rows elsewhere, which it predicts as well;
 *   - three fits that know all regions: each leaves out a random third of all rows and predicts that third.
 * So every row has an out-of-fold prediction by a model that has seen rows like it, and every row of a hole and every
 * ordinary row also one by a model that has seen nothing in the hole. The two are compared row by row: what makes a
 * region easy or hard for the model cancels, and what remains is the effect of the hole. The fits are in fits.c.
 */
#include "gap/gap.h"

#include "data/columns.h"

/* With fewer than LEAST_ROWS rows the parts are too small for any conclusion. */
enum { LEAST_ROWS = 60, PAIRS = 3, MOST_PAIRS = 1000, MOST_REPEATS = 1000 };
/* Errors that are a smaller part of the target's range come of rounding: a target that the model knows exactly. */
static const double ROUNDING = 1e-9;

const char *una_gap_model(void)
{
    return "auto(effort=fast)";
}

/* ---- what was asked for -------------------------------------------------------------------------------------- */

static una_status gap_take_request(una_gap_work *t, const una_gap_settings *given, una_run *run)
{
    UNA_TRY(UNA_TAKE(&t->asked, given, una_gap_settings, run));
    UNA_TRY(UNA_TAKE(&t->fit, t->asked.fit.size ? &t->asked.fit : NULL, una_fit_settings, run));
    t->fit.size = sizeof t->fit;
    UNA_TRY(una_fit_settings_check(&t->fit, run));
    UNA_TRY(una_texts_check(t->asked.columns, t->asked.column_count, "columns", run));
    UNA_TRY(una_texts_check(t->fit.targets, t->fit.target_count, "targets", run));
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

/* What the run would keep for as long as it lives goes at once. */
static una_status take_spec(una_gap_work *t, una_run *run)
{
    const char *spec;
    una_mark texts = una_arena_mark(&run->texts);
    una_status status = una_spec_text(&spec, t->asked.model, run);
    t->result->gap.spec = una_arena_text(t->result->keep, spec);
    una_arena_release(&run->texts, texts);
    return status == UNA_OK ? una_arena_check(t->result->keep) : status;
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
static una_status take_table(una_gap_work *t, const una_dataset *data, una_run *run)
{
    una_gap_result *r = t->result;
    una_columns columns;
    una_notes warnings = { .arena = r->keep };
    double *x, *y;
    size_t *kept, rows;
    una_selection selection = { t->fit.drop, t->fit.drop_count, t->fit.only, t->fit.only_count, t->fit.group };
    una_columns *learnt = &columns;
    una_learning from = { data, &t->fit.target, 1, &selection, t->fit.missing, t->fit.other, NULL };
    UNA_TRY(una_columns_learn(&learnt, &from, &run->scratch, run));
    UNA_TRY(una_columns_encode(&columns, data, &(una_encoding){ &x, &y, &kept, &rows }, &run->scratch));
    if (rows < LEAST_ROWS)
        UNA_FAIL(run, UNA_E_INPUT, "%s has %zu rows that can be used, and a hole needs %d at least: a third for the "
                 "hole, some to compare with, and enough to learn from", una_dataset_origin(data), rows, LEAST_ROWS);
    UNA_TRY(una_columns_warn_outliers(&columns, data, &(una_encoded){ x, y, kept, rows }, &warnings, run));
    r->gap.warnings = warnings.text;
    r->gap.warning_count = warnings.count;
    UNA_TRY(una_dataset_rows(&r->table, data, kept, rows, run));
    UNA_TRY(una_keep_dataset(r->keep, r->table));
    t->table = r->table;

    UNA_NEW_AT(r->keep, t->is_input, r->table->columns);
    for (size_t i = 0; i < columns.source_count; i++) {
        t->is_input[una_table_find(r->table, columns.sources[i].name)] = true;
        /* A word may be in no row that trains: then it is one of the others. */
        if (columns.sources[i].is_text && t->fit.other == 0) t->fit.other = 1;
    }
    t->target = una_table_find(r->table, columns.target);
    t->y = r->table->column[t->target].number;
    UNA_NEW_AT(r->keep, t->left_out, r->table->columns);
    UNA_TRY(una_selection_apply(t->left_out, &selection, r->table, &t->target, 1, run));
    t->least = least_error(t->y, rows);
    r->gap.target = una_arena_text(r->keep, columns.target);
    r->gap.rows = rows;
    t->fit.target = r->gap.target;
    return una_arena_check(r->keep);
}

/* ---- holes --------------------------------------------------------------------------------------------------- */

una_status una_gap_cut(una_gap_work *t, size_t at, size_t a, size_t b, una_run *run)
{
    una_gap_result *r = t->result;
    una_gap_view *view = &r->view[at];
    una_gap_hole *hole = &r->hole[at];
    if (b != SIZE_MAX || t->is_input[a]) UNA_SCOPED(run, una_hole_cut(&view->hole, t->table, a, b, r->keep, run));
    else view->hole = (una_hole){ .column = { a }, .columns = 1, .why_not = "all of its cells are the same" };

    const una_hole *cut = &view->hole;
    una_text name = una_text_in(r->keep), where = una_text_in(r->keep);
    *hole = (una_gap_hole){ .rows = cut->count, .why_not = cut->why_not, .noticed = -1, .matters = -1 };
    for (size_t c = 0; c < cut->columns; c++) {
        hole->columns[c] = una_dataset_column_name(t->table, cut->column[c]);
        una_text_add(&name, "%s%s", c ? " and " : "", hole->columns[c]);
    }
    if (!cut->why_not) una_hole_where(&where, cut);
    hole->name = name.at;
    hole->where = cut->why_not ? NULL : where.at;
    return una_arena_check(r->keep);
}

static una_status need_column(size_t *column, const una_gap_work *t, const char *name, una_run *run)
{
    UNA_TRY(una_dataset_find(column, t->table, name, run));
    if (*column == t->target)
        UNA_FAIL(run, UNA_E_USAGE, "'%.100s' is the target: holes are cut along inputs", name);
    if (t->left_out[*column])
        UNA_FAIL(run, UNA_E_USAGE, "'%.100s' is left out by request: holes are cut along inputs", name);
    return UNA_OK;
}

/* All columns but the target, as they stand in the table; or those that were asked for. */
static una_status cut_columns(una_gap_work *t, una_run *run)
{
    una_gap_result *r = t->result;
    size_t all = t->table->columns, wanted = t->asked.column_count;
    size_t count = wanted ? wanted : all - 1, room = count + (t->asked.pairs > 0 ? (size_t)t->asked.pairs : 0);
    UNA_NEW_AT(r->keep, r->view, room);
    UNA_NEW_AT(r->keep, r->hole, room);
    for (size_t i = 0; i < wanted; i++) {
        size_t column;
        UNA_TRY(need_column(&column, t, t->asked.columns[i], run));
        for (size_t k = 0; k < i; k++)
            if (r->view[k].hole.column[0] == column)
                UNA_FAIL(run, UNA_E_USAGE, "the column '%.100s' was given twice; name each once", t->asked.columns[i]);
        UNA_TRY(una_gap_cut(t, t->columns++, column, SIZE_MAX, run));
    }
    for (size_t c = 0; !wanted && c < all; c++)
        if (c != t->target && !t->left_out[c]) UNA_TRY(una_gap_cut(t, t->columns++, c, SIZE_MAX, run));

    for (size_t i = 0; i < t->columns; i++)
        if (!r->hole[i].why_not) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "no hole can be cut into %s: %s: %s%s", una_dataset_origin(t->table), r->hole[0].name,
             r->hole[0].why_not, t->columns > 1 ? "; the other columns have their reasons, too" : "");
}

/* ---- what came out ------------------------------------------------------------------------------------------- */

/* The predictions of the fits that know all regions, for the same rows. */
static una_status add_known(una_gap_rows *rows, const una_gap_work *t, una_gap_job *j)
{
    const una_gap_known *k = &t->known[j->repeat];
    UNA_NEW(&j->keep, double, std, rows->count);
    UNA_NEW(&j->keep, double, error, rows->count);
    for (size_t i = 0; i < rows->count; i++) {
        std[i] = k->std[rows->row[i]];
        error[i] = k->mean[rows->row[i]] - t->y[rows->row[i]];
    }
    rows->known = std;
    rows->error_known = error;
    return UNA_OK;
}

static una_status measure_job(una_gap_hole *hole, una_gap_job *j, const una_gap_work *t, una_run *run)
{
    una_gap_rows *in = &j->inside, *out = &j->outside;
    UNA_TRY(add_known(in, t, j));
    UNA_TRY(add_known(out, t, j));
    const una_gap_pairs pairs = { .rows = in->count, .others = out->count, .with = in->with, .known = in->known,
                                  .error = in->error, .error_known = in->error_known, .with_outside = out->with,
                                  .known_outside = out->known, .least = t->least };
    UNA_TRY(una_gap_measure(hole, &pairs, run));
    hole->rmse_outside = out->score.rmse;
    hole->log_lik_inside = in->score.log_lik;
    hole->log_lik_outside = out->score.log_lik;
    hole->coverage_inside = in->score.coverage_95;
    hole->coverage_outside = out->score.coverage_95;
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

static double *hole_field(una_gap_hole *hole, size_t at)
{
    return (double *)(void *)((char *)hole + averaged[at]);
}

enum { AVERAGED = sizeof averaged / sizeof *averaged };

static una_status measure_hole(una_gap_work *t, size_t at, una_run *run)
{
    una_gap_hole *hole = &t->result->hole[at];
    for (size_t i = 0; i < AVERAGED; i++) *hole_field(hole, i) = hole->why_not ? NAN : 0;
    hole->wider_low = hole->why_not ? NAN : INFINITY;
    hole->wider_high = hole->why_not ? NAN : -INFINITY;
    for (size_t k = 0; k < t->job_count; k++) {
        una_gap_job *j = &t->jobs[k];
        una_gap_hole one = {0};
        if (j->hole != at) continue;
        UNA_SCOPED(run, measure_job(&one, j, t, run));
        for (size_t i = 0; i < AVERAGED; i++) *hole_field(hole, i) += *hole_field(&one, i) / (double)t->asked.repeats;
        hole->wider_low = fmin(hole->wider_low, one.wider);
        hole->wider_high = fmax(hole->wider_high, one.wider);
        if (j->repeat > 0) continue;
        t->result->view[at].inside = j->inside;
        t->result->view[at].outside = j->outside;
    }
    return UNA_OK;
}

static una_status gap_conclude(una_gap_work *t, una_run *run)
{
    una_gap_result *r = t->result;
    size_t count = t->columns + t->pairs;
    for (size_t i = 0; i < count; i++) {
        una_text sentence = una_text_in(r->keep);
        UNA_TRY(measure_hole(t, i, run));
        una_gap_classify(&r->hole[i]);
        una_gap_sentence(&sentence, &r->hole[i]);
        r->hole[i].verdict = sentence.at;
    }
    una_text answer = una_text_in(r->keep);
    una_gap_answer(&answer, r->hole, t->columns, t->pairs);
    r->gap.answer = answer.at;
    r->gap.hole = r->hole;
    r->gap.column_count = t->columns;
    r->gap.pair_count = t->pairs;
    r->gap.fits = t->job_count;
    r->gap.repeats = t->asked.repeats;
    for (size_t k = 0; k < t->job_count; k++) una_arena_join(r->keep, &t->jobs[k].keep);
    return una_arena_check(r->keep);
}

/* ---- the public calls ---------------------------------------------------------------------------------------- */

static una_status gap_run(una_gap_work *t, const una_dataset *data, const una_gap_settings *settings, una_run *run)
{
    UNA_TRY(gap_take_request(t, settings, run));
    UNA_TRY(take_table(t, data, run));
    UNA_TRY(take_spec(t, run));
    UNA_TRY(cut_columns(t, run));

    const una_tally *outer = run->tally;
    run->tally = &t->tally;
    una_status status = una_gap_fit_all(t, run);
    run->tally = outer;
    return status == UNA_OK ? gap_conclude(t, run) : status;
}

una_status una_gap_test(una_gap **gap, const una_dataset *data, const una_gap_settings *settings, una_run *run)
{
    *gap = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    una_arena *keep;
    una_gap_result *r = una_result_new(&keep, sizeof *r, run);
    if (!r) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for a gap test");
    r->keep = keep;
    una_gap_work t = { .result = r };
    una_status status;
    UNA_SCOPED_CALL(status, run, gap_run(&t, data, settings, run));
    if (status != UNA_OK) una_jobs_free(t.jobs, sizeof *t.jobs, t.job_count);
    *gap = una_result_if(status, r);
    return status;
}

void una_gap_free(una_gap *gap)
{
    una_result_free(gap);
}
