/* SPDX-License-Identifier: MIT
 *
 * Out-of-fold predictions in the user's units. See held_out.h.
 */
#include "model/held_out.h"

#include "la/la.h"
#include "la/mixture.h"
#include "model/log_target.h"
#include "model/teams.h"
#include "model/validation_split.h"

enum { REFITS = 3, ONCE_FROM = 1000, ONE_IN = 5 };       /* few rows: folds; many: one fit without a fifth of them */

const una_held_out *una_model_held_out(const una_model *model)
{
    return model->held_out;
}

/* ---- the kind's own out-of-fold predictions --------------------------------------------------------------------- */

static una_status new_oof_predictions(una_oof_predictions *u, size_t rows, una_run *run)
{
    *u = (una_oof_predictions){0};
    return una_oof_predictions_new(u, rows, &run->scratch);
}

una_status una_oof_predictions_new(una_oof_predictions *u, size_t rows, una_arena *arena)
{
    enum { ARRAYS = 5 };
    UNA_NEW_ROWS(arena, double, at, ARRAYS * rows);
    for (size_t i = 0; i < ARRAYS * rows; i++) at[i] = NAN;
    u->mean = at, u->var_model = at + rows, u->var_noise = at + 2 * rows;
    u->below = at + 3 * rows, u->reach = at + 4 * rows;
    return UNA_OK;
}

una_status una_oof_ask(una_oof_predictions *u, una_fit_result *result, const una_problem *p, una_run *run)
{
    bool others = p->valid_x.rows && !p->valid_joins;    /* held-out rows of another table */
    *u = (una_oof_predictions){0};
    if (!p->origin || others) return UNA_OK;
    UNA_TRY(new_oof_predictions(u, p->valid_x.rows ? p->valid_x.rows : p->x.rows, run));
    result->oof = u;
    return UNA_OK;
}

/* ---- as a una_held_out ------------------------------------------------------------------------------------------ */

static una_status keep_oof_rows(una_model *model, const una_oof_predictions *u, const una_problem *p, una_run *run)
{
    const una_columns *c = &model->columns;
    const una_dataset *data = p->data;
    size_t rows = p->valid_x.rows ? p->valid_x.rows : p->x.rows;
    const size_t *at = p->origin + (p->valid_x.rows ? p->x.rows : 0);
    const double *target = data->column[una_table_find(data, c->target)].number;
    una_predictive answer = { .mean = u->mean, .var_model = u->var_model, .var_noise = u->var_noise };
    una_held_out *out = UNA_GET(&model->keep, una_held_out, 1);
    size_t *row = UNA_GET_ROWS(&model->keep, size_t, u->rows), *slot = UNA_GET_ROWS(&run->scratch, size_t, data->rows);
    double *numbers = UNA_GET_ROWS(&model->keep, double, 7 * u->rows), *to[7], half = una_normal_quantile(0.975);
    UNA_TRY(una_arena_check(&model->keep));
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t k = 0; k < 7; k++) to[k] = numbers + k * u->rows;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(u->mean[i])) slot[at[i]] = i + 1;

    size_t count = 0;
    for (size_t r = 0; r < data->rows; r++) {
        if (!slot[r]) continue;
        size_t i = slot[r] - 1;
        row[count] = r;
        una_row_answer y;
        UNA_TRY(una_answer_row(&y, c, &answer, i, 0, run));
        to[0][count] = target[r];
        to[1][count] = y.mean;
        to[2][count] = y.std_epistemic;
        to[3][count] = y.std_noise;
        to[4][count] = u->below[i];
        double reach = isnan(u->reach[i]) ? half * sqrt(u->var_model[i] + u->var_noise[i]) : u->reach[i];
        to[5][count] = una_target_value(c, u->mean[i] - reach);
        to[6][count++] = una_target_value(c, u->mean[i] + reach);
    }
    *out = (una_held_out){ .rows = count, .row = row, .y = to[0], .mean = to[1], .std_epistemic = to[2],
                           .std_noise = to[3], .below = to[4], .folds = u->folds, .lower = to[5],
                           .upper = to[6] };
    model->held_out = out;
    return UNA_OK;
}

/* ---- refits without some of the rows ---------------------------------------------------------------------------- */

typedef struct refit {
    una_model *model;                    /* that was fitted                                                 */
    const una_fit_settings *settings;
    una_problem all;                     /* all rows, encoded; fold: below `folds`, left out in that refit  */
    size_t folds, fold, next;            /* fold: left out now; next: of its rows, from where on            */
    una_oof_predictions oof;
} refit;

/* Folds; with many rows, fold 0 has a fifth of them and fold 1 all others: fold 1 is never left out. */
static una_status deal_into_folds(refit *f, una_run *run)
{
    size_t rows = f->all.x.rows, parts = rows >= ONCE_FROM ? ONE_IN : REFITS;
    una_copies copies;
    unsigned char *fold;
    UNA_TRY(una_split_copies(&copies, &f->all, run));
    UNA_TRY(una_fold_rows(&fold, &parts, &copies, rows, una_rng_at(run->settings.seed, UNA_FOR_FOLDS, 1), run));
    f->all.fold = fold;
    f->folds = rows >= ONCE_FROM ? 1 : parts;
    return UNA_OK;
}

static una_status take_oof_block(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    refit *f = context;
    una_oof_predictions *u = &f->oof;
    (void)from, (void)run;
    for (size_t r = 0; r < rows; r++) {
        while (f->all.fold[f->next] != f->fold) f->next++;
        size_t i = f->next++, parts = p->parts;
        double y = f->all.y[i];
        u->mean[i] = p->mean[r];
        u->var_model[i] = p->var_model[r];
        u->var_noise[i] = p->var_noise[r];
        u->below[i] = una_normal_cdf((y - p->mean[r]) / sqrt(p->var_model[r] + p->var_noise[r]));
        if (parts)
            u->below[i] = una_mixture_cdf(y, p->part_mean + r * parts, p->part_var + r * parts, p->part_weight, parts);
        u->rows++;
    }
    return UNA_OK;
}

una_status una_problem_encode(una_problem *p, const una_model *model, const una_dataset *data, una_run *run)
{
    const una_columns *c = &model->columns;
    double *x, *y;
    size_t rows, *kept;
    UNA_TRY(una_columns_encode(c, data, &(una_encoding){ &x, &y, &kept, &rows }, &run->scratch));
    *p = (una_problem){ .x = { x, rows, c->input_count, c->input_count }, .y = y, .outputs = 1, .columns = c,
                        .data = data, .seed = run->settings.seed, .table_rows = rows, .origin = kept };
    return UNA_OK;
}

una_status una_model_begin_again(una_model *again, const una_model *model, const char *spec, una_arena *arena,
                                 una_run *run)
{
    *again = (una_model){ .run = run, .kind = model->kind, .columns = model->columns };
    UNA_NEW_BYTES_AT(arena, again->state, una_calls(model->kind)->state_size);
    return una_kind_options(&again->options, model->kind, spec, arena, run);
}

una_status una_model_refit(una_model *again, const una_problem *others, const una_fit_settings *settings,
                           una_arena *keep, una_run *run)
{
    una_problem p = *others;
    una_fit_result result = una_fit_result_in(keep);
    p.valid_x.rows = 0;
    p.valid_y = NULL;
    p.table_rows = p.x.rows;
    if (p.x.rows < again->kind->least_rows)
        UNA_FAIL(run, UNA_E_INPUT, "%s: too few rows are left without a fold", p.data->origin);
    UNA_TRY(una_problem_split(&p, again->kind, again->options, settings, &result, run));
    return una_model_learn(una_calls(again->kind)->fit, again, &p, &result, keep, run);
}

static una_status refit_without_part(refit *f, una_arena *arena, una_run *run)
{
    una_model again;
    una_problem p = f->all;
    f->next = 0;
    UNA_TRY(una_model_begin_again(&again, f->model, f->model->info.spec, arena, run));
    UNA_TRY(una_problem_without_fold(&p, f->fold, &run->scratch));
    UNA_TRY(una_model_refit(&again, &p, f->settings, arena, run));
    return una_model_each_block(&again, p.valid_x.at, p.valid_x.rows, UNA_PARTS, take_oof_block, f, run);
}

static una_status refit_part(refit *f, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    una_status status = refit_without_part(f, &arena, run);
    una_arena_free(&arena);
    return status;
}

static una_status refit_parts(una_model *model, const una_dataset *data, const una_fit_settings *settings, una_run *run)
{
    refit f = { .model = model, .settings = settings };
    UNA_TRY(una_problem_encode(&f.all, model, data, run));
    UNA_TRY(una_teams_find(&f.all, NULL, run));
    UNA_TRY(deal_into_folds(&f, run));
    UNA_TRY(new_oof_predictions(&f.oof, f.all.x.rows, run));
    for (; f.fold < f.folds; f.fold++) UNA_SCOPED(run, refit_part(&f, run));
    f.oof.folds = f.folds > 1 ? f.folds : 0;
    return keep_oof_rows(model, &f.oof, &f.all, run);
}

una_status una_oof_keep(una_model *model, const una_oof_predictions *oof, const una_problem *p,
                        const una_fit_settings *settings, una_run *run)
{
    una_status status;
    una_span before = una_progress_part(run, 1, 1);
    UNA_SCOPED_CALL(status, run, oof->rows ? keep_oof_rows(model, oof, p, run)
                                           : refit_parts(model, p->data, settings, run));
    una_progress_back(run, before);
    if (status == UNA_OK || status == UNA_CANCELLED || status == UNA_E_IO) return status;
    una_clear_message(run);                              /* the model stands; it has no out-of-fold predictions */
    return UNA_OK;
}
