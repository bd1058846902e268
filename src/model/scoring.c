/* SPDX-License-Identifier: MIT
 *
 * Scoring in the user's units, block by block, so that the parts of a mixture are never in memory for all rows at once.
 */
#include "model/scoring.h"

#include "la/la.h"
#include "la/mixture.h"
#include "model/log_target.h"
#include "model/several.h"

typedef struct scoring {
    const una_columns *columns;
    una_score_sums    *sums;
    const double      *y;                /* in their own units                                              */
    double            *below;
} scoring;

/* A block in the user's units, in place: the task may overwrite it. Of a target learnt by its logarithm, mean and
 * standard deviations are those of y, parts those of log y, and a single Gaussian is one part. */
static una_status score_in_units(const scoring *s, una_predictive p, size_t from, size_t rows, una_run *run)
{
    const una_columns *c = s->columns;
    const double *y = s->y + from;
    double scale = c->target_scale, *one = c->log_target && !p.parts ? UNA_GET(&run->scratch, double, 2 * rows) : NULL;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t r = 0; r < rows; r++) {
        una_row_answer own;
        if (one) one[r] = p.mean[r], one[rows + r] = p.var_model[r] + p.var_noise[r];
        UNA_TRY(una_answer_row(&own, c, &p, r, from, run));
        p.mean[r] = own.mean;
        p.var_model[r] = own.std_epistemic;
        p.var_noise[r] = own.std_noise;
    }
    if (one) p.parts = 1, p.part_mean = one, p.part_var = one + rows;
    for (size_t m = 0; m < rows * p.parts; m++) {
        p.part_mean[m] = c->target_centre + scale * p.part_mean[m];
        p.part_var[m] *= scale * scale;
    }

    for (size_t r = 0; s->below && r < rows; r++)
        s->below[from + r] = p.parts ? una_mixture_cdf(c->log_target ? log(y[r]) : y[r], p.part_mean + r * p.parts,
                                                       p.part_var + r * p.parts, p.part_weight, p.parts)
                                     : una_normal_cdf((y[r] - p.mean[r]) / hypot(p.var_model[r], p.var_noise[r]));
    const una_scored_rows all = { y, p.var_model, p.var_noise, rows, p.mean,
                                  { p.part_mean, p.part_var, p.part_weight, p.parts, c->log_target } };
    return p.parts ? una_score_add_mixture(s->sums, &all, run) : una_score_add(s->sums, &all, run);
}

static una_status score_block(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    UNA_SCOPED(run, score_in_units(context, *p, from, rows, run));
    return UNA_OK;
}

una_status una_score_encoded(una_score_sums *sums, double *below, const una_model *model, una_view x, double *y,
                             una_run *run)
{
    scoring s = { &model->columns, sums, y, below };
    for (size_t r = 0; r < x.rows; r++) y[r] = una_target_value(&model->columns, y[r]);
    sums->begun = sums->rows;
    return una_model_each_block(model, x.at, x.rows, UNA_PARTS, score_block, &s, run);
}

typedef struct scored { una_score_sums sums; double *below; size_t rows; } scored;

static una_status ask_score(const una_model *model, una_view x, double *y, void *asked, una_run *run)
{
    scored *s = asked;
    s->rows = x.rows;
    return una_score_encoded(&s->sums, s->below, model, x, y, run);
}

una_status una_model_score_rows(una_score *score, double *below, const una_model *model, const una_dataset *data,
                                una_run *run)
{
    scored s = { .below = below };
    una_clear_message(run);
    UNA_TRY(UNA_CHECK_SIZE(score, una_score, run));
    UNA_TRY(una_model_need_one(model, run));
    UNA_SCOPED(run, una_model_ask_rows(model, data, true, ask_score, &s, run));
    if (s.rows == 0 && model->columns.one_of_several)
        UNA_FAIL(run, UNA_E_INPUT, "%s has no row with the target '%.60s' to score", data->origin,
                 model->columns.target);
    return una_score_finish(score, &s.sums, run);
}

una_status una_model_score(una_score *score, const una_model *model, const una_dataset *data, una_run *run)
{
    return una_model_score_rows(score, NULL, model, data, run);
}
