/* SPDX-License-Identifier: MIT
 *
 * Fitting, updating and relearning models of several targets. All parts see the same inputs, scaled alike, and the same
 * held-out rows; rows that lack a target are left out for that target.
 */
#include "model/several.h"

#include "model/beyond.h"
#include "model/held_out.h"
#include "model/log_target.h"
#include "model/teams.h"

typedef struct fitting {
    una_model         *whole;
    const una_dataset *data;
    const una_fit_settings *settings;
    const una_columns **columns;         /* [targets]                                                       */
    const size_t      *kept;             /* [rows] of the table                                             */
    una_problem        all;              /* y [rows, targets]                                               */
    una_fit_result     common, *result;  /* notes and warnings for all targets; [targets] of each           */
    una_run           *run;
} fitting;

/* ---- one of several -------------------------------------------------------------------------------------------- */

una_status una_model_need_one(const una_model *model, una_run *run)
{
    if (!model->targets) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "this model predicts %zu targets (%s), and the call is for one: ask a part of it, which "
             "una_model_target gives", model->targets, model->info.target);
}

size_t una_model_target_count(const una_model *model)
{
    return model->targets ? model->targets : 1;
}

const una_model *una_model_target(const una_model *model, size_t target)
{
    if (target >= una_model_target_count(model)) return NULL;
    return model->targets ? model->target[target] : model;
}

const una_columns **una_several_columns(const una_model *model, una_arena *arena)
{
    size_t targets = una_model_target_count(model);
    const una_columns **columns = UNA_GET(arena, const una_columns *, targets);
    for (size_t t = 0; columns && t < targets; t++) columns[t] = &una_model_target(model, t)->columns;
    return columns;
}

/* ---- one problem of several ------------------------------------------------------------------------------------- */

size_t una_target_cells(const double *y, size_t rows, size_t outputs, size_t target)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) count += isnan(y[i * outputs + target]) ? 0 : 1;
    return count;
}

typedef struct picked { double *x, *y, *weight; unsigned char *fold; uint32_t *team; size_t *origin, rows; } picked;

static void pick_rows(picked *to, const una_problem *p, una_view x, const double *y, bool train, size_t target)
{
    size_t outputs = una_problem_outputs(p);
    for (size_t i = 0; i < x.rows; i++) {
        double cell = y[i * outputs + target];
        if (isnan(cell)) continue;
        if (to->x) memcpy(to->x + to->rows * x.cols, x.at + i * x.stride, x.cols * sizeof *to->x);
        if (train && to->fold) to->fold[to->rows] = p->fold[i];
        if (train && to->weight) to->weight[to->rows] = p->weight[i];
        if (to->team && (train || p->valid_joins)) to->team[to->rows] = p->team[train ? i : p->x.rows + i];
        if (to->origin && (train || p->valid_joins)) to->origin[to->rows] = p->origin[train ? i : p->x.rows + i];
        to->y[to->rows++] = cell;
    }
}

una_status una_problem_target(una_problem *own, const una_problem *p, size_t target, una_arena *arena)
{
    size_t outputs = una_problem_outputs(p), cols = p->x.cols;
    *own = *p;
    if (outputs == 1) return UNA_OK;
    size_t train = una_target_cells(p->y, p->x.rows, outputs, target);
    size_t held = una_target_cells(p->valid_y, p->valid_x.rows, outputs, target), rows = train + held;
    bool all = train == p->x.rows && held == p->valid_x.rows;
    picked to = { .x = all ? NULL : UNA_GET_ROWS(arena, double, rows * cols), .y = UNA_GET_ROWS(arena, double, rows),
                  .weight = !all && p->weight ? UNA_GET_ROWS(arena, double, rows) : NULL,
                  .fold = !all && p->fold ? UNA_GET_ROWS(arena, unsigned char, rows) : NULL,
                  .team = !all && p->team ? UNA_GET_ROWS(arena, uint32_t, rows) : NULL,
                  .origin = !all && p->origin ? UNA_GET_ROWS(arena, size_t, rows) : NULL };
    UNA_TRY(una_arena_check(arena));
    pick_rows(&to, p, p->x, p->y, true, target);
    pick_rows(&to, p, p->valid_x, p->valid_y, false, target);

    own->y = to.y;
    own->valid_y = to.y + train;
    own->outputs = 1;
    own->columns = p->columns ? p->columns + target : NULL;
    own->shared = NULL;
    if (all) return UNA_OK;                              /* the same rows: only y differs */
    own->x = (una_view){ to.x, train, cols, cols };
    own->valid_x = (una_view){ to.x + train * cols, held, cols, cols };
    own->fold = to.fold;
    own->origin = to.origin;
    own->team = to.team;
    own->weight = to.weight;
    return UNA_OK;
}

/* ---- the parts -------------------------------------------------------------------------------------------------- */

una_status una_several_blank(una_model *whole, size_t targets, una_run *run)
{
    UNA_NEW_AT(&whole->keep, whole->target, targets);
    whole->targets = targets;
    for (size_t t = 0; t < targets; t++) UNA_TRY(una_model_blank(&whole->target[t], run));
    return UNA_OK;
}

una_status una_several_describe(una_model *whole)
{
    una_text names = una_text_in(&whole->keep);
    for (size_t t = 0; t < whole->targets; t++)
        una_text_add(&names, "%s%s", t ? ", " : "", whole->target[t]->columns.target);
    whole->info.kind = whole->kind->name;
    una_info_of_columns(&whole->info, &whole->target[0]->columns);
    whole->info.target = names.at;
    return una_arena_check(&whole->keep);
}

una_status una_several_shared_title(const char **title, size_t *one, size_t *other, const una_model *whole,
                                    una_run *run)
{
    static const char *const before[] = { "std_", "std_epistemic_", "std_noise_" };      /* others differ */
    enum { TITLES = 3 };
    size_t count = TITLES * whole->targets;
    UNA_NEW(&run->scratch, const char *, titles, count);
    for (size_t i = 0; i < count; i++) {
        una_text text = una_text_in(&run->scratch);
        una_text_add(&text, "%s%s", before[i % TITLES], whole->target[i / TITLES]->columns.target);
        titles[i] = text.at;
    }
    UNA_TRY(una_arena_check(&run->scratch));

    UNA_TRY(una_names_repeated(one, other, titles, count, run));
    bool shared = *other > 0;
    *title = shared ? titles[*one] : NULL;
    *one = shared ? *one / TITLES : 0;
    *other = shared ? *other / TITLES : 0;
    return UNA_OK;
}

/* ---- rows ----------------------------------------------------------------------------------------------------- */

static una_status learn_columns(fitting *f)
{
    una_model *whole = f->whole;
    size_t targets = whole->targets;
    una_columns **columns = UNA_GET(&f->run->scratch, una_columns *, targets);
    f->columns = una_several_columns(whole, &f->run->scratch);
    UNA_TRY(una_arena_check(&f->run->scratch));
    for (size_t t = 0; t < targets; t++) columns[t] = &whole->target[t]->columns;
    const una_fit_settings *s = f->settings;
    una_selection selection = { s->drop, s->drop_count, s->only, s->only_count, s->group };
    una_learning from = { f->data, s->targets, targets, &selection, s->missing, s->other, &f->common.notes };
    UNA_TRY(una_columns_learn(columns, &from, &whole->keep, f->run));
    whole->columns.file_notes = columns[0]->file_notes;              /* the notes are those of the whole */
    for (size_t t = 0; t < targets; t++) columns[t]->file_notes = 0;
    una_columns_warn_misread(&whole->columns, &selection, f->data, &f->common.warnings, f->run);
    if (s->log_target) UNA_SCOPED(f->run, una_columns_log_targets(columns, targets, f->data, f->run));

    size_t one, other;
    const char *title;
    UNA_TRY(una_several_shared_title(&title, &one, &other, whole, f->run));
    if (title)
        UNA_FAIL(f->run, UNA_E_USAGE, "the answers of the targets '%.60s' and '%.60s' would both have a column "
                 "'%.80s'; rename one of the two", columns[one]->target, columns[other]->target, title);
    return UNA_OK;
}

static una_status encode_fitting(fitting *f)
{
    double *x, *y;
    size_t rows, *kept, inputs = f->columns[0]->input_count;
    UNA_NEW(&f->run->scratch, una_columns, columns, f->whole->targets);
    for (size_t t = 0; t < f->whole->targets; t++) columns[t] = *f->columns[t];
    UNA_TRY(una_columns_encode_several(f->columns, f->whole->targets, f->data, &(una_encoding){ &x, &y, &kept, &rows },
                                       &f->run->scratch));
    f->kept = kept;
    f->all = (una_problem){ .x = { x, rows, inputs, inputs }, .y = y, .outputs = f->whole->targets,
                            .columns = columns, .data = f->data, .seed = f->run->settings.seed, .table_rows = rows,
                            .origin = kept };
    return una_columns_warn_outliers(f->columns[0], f->data, &(una_encoded){ x, NULL, kept, rows },
                                     &f->common.warnings, f->run);
}

/* Refuses a target with too few rows; warns about those that it has. */
static una_status check_target_rows(fitting *f, size_t t)
{
    const una_kind *kind = f->whole->kind;
    size_t all = f->all.x.rows, rows = una_target_cells(f->all.y, all, f->all.outputs, t), to = 0;
    const char *name = f->columns[t]->target;
    if (rows < kind->least_rows)
        UNA_FAIL(f->run, UNA_E_INPUT, "%s: %s needs at least %zu rows, and there %s only %zu with the target '%.60s'",
                 f->data->origin, kind->name, kind->least_rows, rows == 1 ? "is" : "are", rows, name);
    if (rows < all)
        una_notes_add(&f->result[t].notes, all - rows == 1 ? "%zu row has no '%s' and was left out for it" :
                      "%zu rows have no '%s' and were left out for it", all - rows, name);

    UNA_NEW_ROWS(&f->run->scratch, size_t, kept, rows);
    UNA_NEW_ROWS(&f->run->scratch, double, y, rows);
    for (size_t i = 0; i < all; i++) {
        double cell = f->all.y[i * f->all.outputs + t];
        if (isnan(cell)) continue;
        kept[to] = f->kept[i];
        y[to++] = cell;
    }
    return una_columns_warn_outliers(f->columns[t], f->data, &(una_encoded){ NULL, y, kept, rows },
                                     &f->result[t].warnings, f->run);
}

/* Cells may be missing in all rows of a fold, or in all held-out rows. A target without missing cells is split as if it
 * were alone, even if few rows are left. */
static bool split_serves(const una_problem *p, const una_kind *kind, size_t t)
{
    size_t train = una_target_cells(p->y, p->x.rows, p->outputs, t);
    size_t held = una_target_cells(p->valid_y, p->valid_x.rows, p->outputs, t);
    size_t least = kind->least_rows > 2 ? kind->least_rows : 2;
    if (train == p->x.rows && held == p->valid_x.rows) return true;
    size_t in_fold[UINT8_MAX + 1] = {0};
    for (size_t i = 0; p->folds && i < p->x.rows; i++) in_fold[p->fold[i]] += isnan(p->y[i * p->outputs + t]) ? 0 : 1;
    for (size_t k = 0; k < p->folds; k++)
        if (in_fold[k] == 0) return false;
    return p->valid_x.rows == 0 || (train >= least && held >= 1);
}

/* ---- each target by itself -------------------------------------------------------------------------------------- */

/* The common split, without the rows that lack the target. */
static una_status share_split(una_problem *p, const fitting *f, size_t t)
{
    UNA_TRY(una_problem_target(p, &f->all, t, &f->run->scratch));
    p->table_rows = p->x.rows + (p->valid_joins ? p->valid_x.rows : 0);
    return UNA_OK;
}

/* Held-out rows lie behind the others, where una_problem_split left them. It moves rows again, but not those of all
 * targets: some lack this one (split_serves), so that x is a copy, or the held-out rows are another table's. */
static una_status own_split(una_problem *p, const fitting *f, size_t t)
{
    una_problem all = f->all;
    size_t held = una_target_cells(all.valid_y, all.valid_x.rows, all.outputs, t);
    if (f->settings->valid && held == 0)
        UNA_FAIL(f->run, UNA_E_INPUT, "%s: there are no rows to validate on with the target '%.60s'",
                 f->settings->valid->origin, f->columns[t]->target);
    una_problem whole = { .x = all.x, .y = all.y, .outputs = all.outputs, .columns = all.columns, .data = all.data,
                          .seed = all.seed, .team = all.team, .correlated = all.correlated };
    if (all.valid_joins) whole.x.rows += all.valid_x.rows;
    UNA_TRY(una_problem_target(p, &whole, t, &f->run->scratch));
    p->table_rows = p->x.rows;
    una_model *part = f->whole->target[t];
    return una_problem_split(p, part->kind, part->options, f->settings, &f->result[t], f->run);
}

static una_status fit_one(const fitting *f, size_t t)
{
    una_model *part = f->whole->target[t];
    una_problem p;
    UNA_TRY(split_serves(&f->all, part->kind, t) ? share_split(&p, f, t) : own_split(&p, f, t));
    return una_model_fit_problem(part, &f->result[t], &p, f->settings, f->settings->hold_out, f->run);
}

static una_status fit_next(const fitting *f, size_t t)
{
    UNA_SCOPED(f->run, fit_one(f, t));
    return UNA_OK;
}

static una_status fit_one_by_one(fitting *f)
{
    double targets = (double)f->whole->targets;
    for (size_t t = 0; t < f->whole->targets; t++)
        UNA_STAGE(f->run, (double)t / targets, ((double)t + 1) / targets, fit_next(f, t));
    return UNA_OK;
}

/* ---- all at once ------------------------------------------------------------------------------------------------ */

/* Targets without common rows get covariance 0; covariances are kept below what the variances allow, so that there is a
 * density. */
static una_status bound_noise_covariance(una_target_coupling *coupling, una_run *run)
{
    const double closest = 1 - 1e-6;
    size_t n = coupling->outputs;
    for (size_t i = 0; i < n * n; i++) {
        double own = sqrt(coupling->noise[i / n * (n + 1)] * coupling->noise[i % n * (n + 1)]);
        if (!(own > 0 && isfinite(own))) UNA_FAIL(run, UNA_E_NUMERIC, "the noise of the targets is not a number");
        if (i / n == i % n) continue;
        if (isnan(coupling->noise[i])) coupling->noise[i] = 0;
        coupling->noise[i] = fmax(-closest * own, fmin(closest * own, coupling->noise[i]));
    }
    return UNA_OK;
}

static void note_correlation(fitting *f)
{
    const una_target_coupling *g = &f->whole->coupling;
    size_t n = g->outputs, one = 0, other = 1;
    double most = 0;
    for (size_t i = 0; i < n * n; i++) {
        double r = una_correlation(g, i / n, i % n);
        if (i / n >= i % n || fabs(r) <= fabs(most)) continue;
        most = r;
        one = i / n;
        other = i % n;
    }
    una_notes_add(&f->common.notes, "the %scorrelation of the targets' noise is %.2f ('%s' and '%s')",
                  n > 2 ? "strongest " : "", most, f->columns[one]->target, f->columns[other]->target);
}

static una_status fit_all_at_once(fitting *f)
{
    una_model *whole = f->whole;
    size_t targets = whole->targets;
    una_fit_target *target = UNA_GET(&f->run->scratch, una_fit_target, targets);
    una_oof_predictions *oof = UNA_GET(&f->run->scratch, una_oof_predictions, targets);
    una_problem *own = UNA_GET(&f->run->scratch, una_problem, targets);
    whole->coupling = (una_target_coupling){ .outputs = targets,
                                             .noise = UNA_GET(&whole->keep, double, targets * targets) };
    UNA_TRY(una_arena_check(&f->run->scratch));
    UNA_TRY(una_arena_check(&whole->keep));
    for (size_t t = 0; t < targets; t++) {
        target[t] = (una_fit_target){ whole->target[t]->state, whole->target[t]->options, &f->result[t] };
        UNA_TRY(share_split(&own[t], f, t));
        if (f->settings->hold_out) UNA_TRY(una_oof_ask(&oof[t], &f->result[t], &own[t], f->run));
    }

    una_fitting joint = { .kind = whole->kind, .problem = &f->all, .target = target, .keep = &whole->keep,
                            .run = f->run, .coupling = &whole->coupling };
    UNA_TRY(una_calls(whole->kind)->fit(&joint));
    UNA_TRY(una_arena_check(&whole->keep));
    if (whole->coupling.joint) {
        UNA_TRY(bound_noise_covariance(&whole->coupling, f->run));
        note_correlation(f);
    }
    for (size_t t = 0; t < targets; t++) {
        UNA_TRY(una_model_take_result(whole->target[t], &f->result[t], &own[t], f->settings->other, f->run));
        if (f->settings->hold_out) UNA_TRY(una_oof_keep(whole->target[t], &oof[t], &own[t], f->settings, f->run));
    }
    return UNA_OK;
}

/* ---- fit -------------------------------------------------------------------------------------------------------- */

static una_status make_parts(fitting *f, const char *spec)
{
    una_model *whole = f->whole;
    UNA_TRY(una_model_read_options(whole, spec, f->settings, f->run));
    UNA_TRY(una_model_describe(whole));          /* before a fit fills in what follows from one target */
    UNA_TRY(una_several_blank(whole, f->settings->target_count, f->run));
    UNA_NEW_AT(&f->run->scratch, f->result, whole->targets);
    f->common = una_fit_result_in(&whole->keep);
    for (size_t t = 0; t < whole->targets; t++) {
        UNA_TRY(una_model_read_options(whole->target[t], spec, f->settings, f->run));
        f->result[t] = una_fit_result_in(&whole->target[t]->keep);
    }
    return UNA_OK;
}

static una_status fill_info_of_whole(const fitting *f)
{
    una_model *whole = f->whole;
    una_fit_info *info = &whole->info;
    const char *spec = info->spec;
    *info = (una_fit_info){ .spec = spec, .other = f->settings->other, .rows = f->all.table_rows,
                            .noise_std = NAN, .noise_scale = NAN, .noise_freedom = NAN, .prior_var = NAN,
                            .log_evidence = NAN, .mean_cos2 = NAN,
                            .valid_rmse = NAN, .valid_log_lik = NAN,
                            .warning_count = f->common.warnings.count, .warnings = f->common.warnings.text,
                            .note_count = f->common.notes.count, .notes = f->common.notes.text };
    bool shared = whole->coupling.outputs > 0;           /* all targets were trained by the same steps */
    for (size_t t = 0; t < (shared ? 1 : whole->targets); t++) info->steps += whole->target[t]->info.steps;
    return una_several_describe(whole);
}

una_status una_several_fit(una_model *whole, const char *spec, const una_dataset *data,
                           const una_fit_settings *settings, una_run *run)
{
    fitting f = { .whole = whole, .data = data, .settings = settings, .run = run };
    UNA_TRY(make_parts(&f, spec));
    UNA_TRY(learn_columns(&f));
    UNA_TRY(encode_fitting(&f));
    for (size_t t = 0; t < whole->targets; t++) UNA_SCOPED(run, check_target_rows(&f, t));
    UNA_TRY(una_teams_find(&f.all, &f.common.warnings, run));
    if (!settings->hold_out) f.all.origin = NULL;
    UNA_TRY(una_problem_split(&f.all, whole->kind, whole->target[0]->options, settings, &f.common, run));

    bool at_once = whole->kind->fit_to.targets != NULL;
    for (size_t t = 0; t < whole->targets; t++)
        at_once = at_once && split_serves(&f.all, whole->kind, t) &&
                   una_target_cells(f.all.y, f.all.x.rows, whole->targets, t) >= whole->kind->least_rows;
    UNA_TRY(at_once ? fit_all_at_once(&f) : fit_one_by_one(&f));
    UNA_TRY(una_arena_check(&whole->keep));
    return fill_info_of_whole(&f);
}

/* ---- more rows -------------------------------------------------------------------------------------------------- */

/* Ranges of the rows, which an update extends in place. */
static una_status keep_ranges(una_beyond *spare, const una_beyond *own, size_t inputs, una_arena *arena)
{
    if (!una_beyond_any(own)) return UNA_OK;
    UNA_NEW_AT(arena, spare->low, inputs);
    UNA_NEW_AT(arena, spare->high, inputs);
    memcpy(spare->low, own->low, inputs * sizeof *own->low);
    memcpy(spare->high, own->high, inputs * sizeof *own->high);
    return UNA_OK;
}

static void give_ranges_back(una_beyond *own, const una_beyond *spare, size_t inputs)
{
    if (!spare->low) return;
    memcpy(own->low, spare->low, inputs * sizeof *own->low);
    memcpy(own->high, spare->high, inputs * sizeof *own->high);
}

una_status una_spare_make(una_spare *spare, const una_model *model, una_run *run)
{
    size_t targets = una_model_target_count(model);
    una_arena_init(&spare->arena, model->run);
    UNA_NEW_AT(&spare->arena, spare->state, targets);
    UNA_NEW_AT(&spare->arena, spare->info, targets + 1);
    UNA_NEW_AT(&spare->arena, spare->beyond, targets);
    UNA_NEW_AT(&spare->arena, spare->before, targets);
    for (size_t t = 0; t < targets; t++)
        spare->before[t] = una_arena_mark(&((una_model *)una_model_target(model, t))->keep);

    for (size_t t = 0; t < targets; t++) {
        const una_learnt part = una_model_learnt(una_model_target(model, t));
        UNA_TRY(una_state_copy(&spare->state[t], &part, &spare->arena, run));
        UNA_TRY(keep_ranges(&spare->beyond[t], &una_model_target(model, t)->beyond, part.inputs, &spare->arena));
        spare->info[t] = una_model_target(model, t)->info;
    }
    spare->info[targets] = model->info;
    return UNA_OK;
}

void una_spare_back(una_model *model, una_spare *spare)
{
    size_t targets = una_model_target_count(model);
    for (size_t t = 0; t < targets; t++) {
        una_model *part = model->targets ? model->target[t] : model;
        una_arena_release(&part->keep, spare->before[t]);        /* also that it has failed */
        part->state = spare->state[t];
        part->info = spare->info[t];
        give_ranges_back(&part->beyond, &spare->beyond[t], part->columns.input_count);
    }
    model->info = spare->info[targets];
    una_arena_join(&model->keep, &spare->arena);
}

void una_spare_free(una_spare *spare)
{
    if (spare->arena.run) una_arena_free(&spare->arena);
}

static una_status observe_target(una_model *whole, const una_problem *more, size_t t, bool adapt, una_run *run)
{
    una_problem own;
    UNA_TRY(una_problem_target(&own, more, t, &run->scratch));
    return own.x.rows ? una_model_observe_encoded(whole->target[t], own.x, own.y, adapt, run) : UNA_OK;
}

static una_status observe_rows(una_model *model, const una_taking *taking, una_run *run)
{
    size_t inputs = una_model_target(model, 0)->columns.input_count;
    una_problem more = { .x = { taking->x, taking->rows, inputs, inputs }, .y = taking->y, .outputs = model->targets };
    if (!model->targets) return una_model_observe_encoded(model, more.x, more.y, taking->adapt, run);
    for (size_t t = 0; t < model->targets; t++) {
        UNA_SCOPED(run, observe_target(model, &more, t, taking->adapt, run));
    }
    model->info.rows += taking->rows;
    return UNA_OK;
}

static una_status encode_targets(const una_model *whole, const una_dataset *data, una_taking *to, una_run *run)
{
    const una_columns **columns = una_several_columns(whole, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    const una_encoding arrays = { &to->x, &to->y, NULL, &to->rows };
    return una_columns_encode_several(columns, una_model_target_count(whole), data, &arrays, &run->scratch);
}

una_status una_several_take(una_model *model, const una_taking *taking, una_run *run)
{
    UNA_TRY(una_new_rows_before(taking->news, model, taking->x, taking->y, taking->rows, run));
    UNA_TRY(observe_rows(model, taking, run));
    return una_new_rows_after(taking->news, model, run);
}

static una_status take_table(una_model *model, const una_taking *taking, una_run *run)
{
    UNA_TRY(una_several_take(model, taking, run));
    return una_new_rows_tell(taking->news, model, taking->rows, run);
}

/* A few rows of one target cannot fail once they are taken in. */
una_status una_several_update(una_model *model, const una_dataset *data, bool adapt, una_run *run)
{
    una_spare spare = {0};
    una_taking taking = { .adapt = adapt };
    UNA_TRY(encode_targets(model, data, &taking, run));
    UNA_TRY(una_new_rows_begin(&taking.news, model, adapt, &run->scratch));
    if (!model->targets && !adapt && !una_new_rows_say(taking.rows)) return take_table(model, &taking, run);
    una_status status = una_spare_make(&spare, model, run);
    if (status == UNA_OK) {
        status = take_table(model, &taking, run);
        if (status != UNA_OK) una_spare_back(model, &spare);
    }
    una_spare_free(&spare);
    return status;
}

una_status una_several_relearn(una_model *whole, const una_dataset *data, const char *const *set, size_t set_count,
                               una_run *run)
{
    una_taking taking = {0};
    UNA_TRY(encode_targets(whole, data, &taking, run));
    for (size_t t = 0; t < whole->targets; t++) {
        UNA_SCOPED(run, una_model_relearn_here(whole->target[t], data, set, set_count, run));
    }
    whole->info.rows = taking.rows;
    whole->info.updates = whole->info.rows_added = 0;    /* so are those of the targets */
    return una_model_add_note(&whole->info, "The features are those of another fit: these rows taught the posteriors "
                              "alone, so the spec would not repeat it.", &whole->keep);
}
