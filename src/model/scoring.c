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
    const double      *y;
    double            *below;
} scoring;

typedef struct in_units {                /* one block in the user's units                                   */
    double *mean, *std_epistemic, *std_noise;
    double *part_mean, *part_var, *part_weight;
    size_t  parts;
} in_units;

/* In place: the task may overwrite the block. */
static in_units block_in_users_units(const una_columns *c, const una_predictive *p, size_t rows)
{
    in_units u = { p->mean, p->var_model, p->var_noise, p->part_mean, p->part_var, p->part_weight, p->parts };
    double scale = c->target_scale;

    for (size_t r = 0; r < rows; r++) {
        u.mean[r] = c->target_centre + scale * p->mean[r];
        u.std_epistemic[r] = scale * sqrt(p->var_model[r]);
        u.std_noise[r] = scale * sqrt(p->var_noise[r]);
    }

    for (size_t m = 0; m < rows * u.parts; m++) {
        u.part_mean[m] = c->target_centre + scale * p->part_mean[m];
        u.part_var[m] *= scale * scale;
    }
    return u;
}

/* The same for a target learnt by its logarithm: mean and standard deviations are those of y, parts those of log y, and
 * a single Gaussian is one part. */
static una_status log_target_in_units(in_units *u, const una_columns *c, const una_predictive *p, size_t rows,
                                      size_t from, una_run *run)
{
    double scale = c->target_scale;
    double *var = p->parts ? p->part_var : UNA_GET(&run->scratch, double, 2 * rows);
    UNA_TRY(una_arena_check(&run->scratch));
    *u = (in_units){ p->mean, p->var_model, p->var_noise, p->parts ? p->part_mean : var + rows, var, p->part_weight,
                     p->parts ? p->parts : 1 };
    for (size_t r = 0; !p->parts && r < rows; r++) {
        u->part_mean[r] = p->mean[r];
        u->part_var[r] = p->var_model[r] + p->var_noise[r];
    }
    for (size_t r = 0; r < rows; r++) {
        una_log_target_answer y;
        UNA_TRY(una_log_target_row(&y, c, p, r, from, run));
        u->mean[r] = y.mean;
        u->std_epistemic[r] = y.std_epistemic;
        u->std_noise[r] = y.std_noise;
    }
    for (size_t m = 0; m < rows * u->parts; m++) {
        u->part_mean[m] = c->target_centre + scale * u->part_mean[m];
        u->part_var[m] *= scale * scale;
    }
    return UNA_OK;
}

static una_scored_rows scored_rows(const in_units *u, const double *y, size_t rows, bool log_target)
{
    return (una_scored_rows){ y, u->std_epistemic, u->std_noise, rows, u->mean,
                              { u->part_mean, u->part_var, u->part_weight, u->parts, log_target } };
}

static una_status score_log_target(const scoring *s, const una_predictive *p, size_t from, size_t rows, una_run *run)
{
    const double *y = s->y + from;
    in_units u;
    UNA_TRY(log_target_in_units(&u, s->columns, p, rows, from, run));
    for (size_t r = 0; s->below && r < rows; r++)
        s->below[from + r] = una_mixture_cdf(log(y[r]), u.part_mean + r * u.parts, u.part_var + r * u.parts,
                                             u.part_weight, u.parts);
    const una_scored_rows all = scored_rows(&u, y, rows, true);
    return una_score_add_mixture(s->sums, &all, run);
}

static double unit_probability_below(const in_units *u, size_t r, double y)
{
    if (u->parts)
        return una_mixture_cdf(y, u->part_mean + r * u->parts, u->part_var + r * u->parts, u->part_weight, u->parts);
    return una_normal_cdf((y - u->mean[r]) / hypot(u->std_epistemic[r], u->std_noise[r]));
}

static una_status score_block(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    const scoring *s = context;
    const double *y = s->y + from;
    if (s->columns->log_target) {
        UNA_SCOPED(run, score_log_target(s, p, from, rows, run));
        return UNA_OK;
    }
    in_units u = block_in_users_units(s->columns, p, rows);

    for (size_t r = 0; s->below && r < rows; r++) s->below[from + r] = unit_probability_below(&u, r, y[r]);
    const una_scored_rows all = scored_rows(&u, y, rows, false);
    return u.parts ? una_score_add_mixture(s->sums, &all, run) : una_score_add(s->sums, &all, run);
}

una_status una_score_encoded(una_score_sums *sums, double *below, const una_model *model, const double *x,
                             const double *y, size_t rows, una_run *run)
{
    scoring s = { &model->columns, sums, y, below };
    sums->begun = sums->rows;
    return una_model_each_block(model, x, rows, UNA_PARTS, score_block, &s, run);
}

una_status una_score_table(una_score *score, double *below, const una_model *model, const una_dataset *data,
                           una_run *run)
{
    const una_columns *c = &model->columns;
    una_mark mark = una_arena_mark(&run->scratch);
    una_score_sums sums = {0};
    una_table_row_namer asked;
    double *x, *y;
    size_t rows, *kept;
    una_status status = una_columns_encode(c, data, &(una_encoding){ &x, &y, &kept, &rows }, &run->scratch);
    for (size_t r = 0; status == UNA_OK && r < rows; r++) y[r] = una_target_value(c, y[r]);
    if (status == UNA_OK) {
        una_table_name_rows(&asked, data, kept, run);
        status = una_score_encoded(&sums, below, model, x, y, rows, run);
        una_table_name_rows_end(&asked, run);
    }
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);
    if (rows == 0 && c->one_of_several)
        UNA_FAIL(run, UNA_E_INPUT, "%s has no row with the target '%.60s' to score", data->origin, c->target);
    return una_score_finish(score, &sums, run);
}

una_status una_model_score_rows(una_score *score, double *below, const una_model *model, const una_dataset *data,
                                una_run *run)
{
    una_clear_message(run);
    UNA_TRY(UNA_CHECK_SIZE(score, una_score, run));
    UNA_TRY(una_model_need_one(model, run));
    return una_score_table(score, below, model, data, run);
}

una_status una_model_score(una_score *score, const una_model *model, const una_dataset *data, una_run *run)
{
    return una_model_score_rows(score, NULL, model, data, run);
}
