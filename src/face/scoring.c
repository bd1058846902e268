/* SPDX-License-Identifier: MIT
 *
 * Scoring in the user's units, block by block: a mixture's parts never stand in memory for all rows at once.
 */
#include "face/scoring.h"

#include "la/la.h"
#include "la/mixture.h"

typedef struct scoring {
    const una_columns *columns;
    una_score_sums    *sums;
    const double      *y;
    double            *below;
} scoring;

static void in_users_units(const una_columns *c, una_predictive *p, size_t rows)
{
    double scale = c->target_scale;
    for (size_t r = 0; r < rows; r++) {
        p->mean[r] = c->target_centre + scale * p->mean[r];
        p->var_model[r] = scale * sqrt(p->var_model[r]);         /* a standard deviation from here on */
        p->var_noise[r] = scale * sqrt(p->var_noise[r]);
    }
    for (size_t m = 0; m < rows * p->parts; m++) {
        p->part_mean[m] = c->target_centre + scale * p->part_mean[m];
        p->part_var[m] *= scale * scale;
    }
}

static una_status score_block(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    const scoring *s = context;
    const double *y = s->y + from;
    in_users_units(s->columns, p, rows);
    for (size_t r = 0; s->below && r < rows; r++)
        s->below[from + r] = p->parts ? una_mixture_cdf(y[r], p->part_mean + r * p->parts, p->part_var + r * p->parts,
                                                        p->parts)
                                      : una_normal_cdf((y[r] - p->mean[r]) / hypot(p->var_model[r], p->var_noise[r]));
    if (p->parts)
        return una_score_add_mixture(s->sums, y, p->part_mean, p->part_var, p->parts, p->var_model, p->var_noise, rows,
                                     run);
    return una_score_add(s->sums, y, p->mean, p->var_model, p->var_noise, rows, run);
}

una_status una_score_encoded(una_score_sums *sums, double *below, const una_model *model, const double *x,
                             const double *y, size_t rows, una_run *run)
{
    scoring s = { &model->columns, sums, y, below };
    return una_model_each_block(model, x, rows, UNA_PARTS, score_block, &s, run);
}

una_status una_score_table(una_score *score, double *below, const una_model *model, const una_dataset *data,
                           una_run *run)
{
    const una_columns *c = &model->columns;
    una_mark mark = una_arena_mark(&run->scratch);
    una_score_sums sums = {0};
    double *x, *y;
    size_t rows;
    una_status status = una_columns_encode(c, data, &x, &y, NULL, &rows, &run->scratch, run);
    for (size_t r = 0; status == UNA_OK && r < rows; r++) y[r] = c->target_centre + c->target_scale * y[r];
    if (status == UNA_OK) status = una_score_encoded(&sums, below, model, x, y, rows, run);
    una_arena_release(&run->scratch, mark);
    return status == UNA_OK ? una_score_finish(score, &sums, run) : status;
}

una_status una_model_score_rows(una_score *score, double *below, const una_model *model, const una_dataset *data,
                                una_run *run)
{
    una_clear_message(run);
    UNA_TRY(UNA_CHECK_SIZE(score, una_score, run));
    return una_score_table(score, below, model, data, run);
}

una_status una_model_score(una_score *score, const una_model *model, const una_dataset *data, una_run *run)
{
    return una_model_score_rows(score, NULL, model, data, run);
}
