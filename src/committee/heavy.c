/* SPDX-License-Identifier: MIT
 *
 * The tails of the noise by out-of-fold rows. See heavy.h. All distributions that are compared are judged by the same
 * expected squares (oof.h), each with the noise variance that suits it best.
 */
#include "committee/heavy.h"

#include "la/la.h"

/* The others only where one of the first two gains. */
static const double FREEDOM[] = { UNA_FIRST_FREEDOM, 10, 3, 6, 30, 0.01, 0.03, 0.1 };
enum { FREEDOMS = sizeof FREEDOM / sizeof *FREEDOM, MOST_ROWS = 4000, GRID = 6 };
static const double LEAST_GAIN = 2;      /* nats of all rows looked at: by chance alone hardly ever         */
static const double MOST_VARIANCE = 2;   /* of outliers, over that of the errors: fewer, or nearer ones are left to t */
static const double LEAST_OF_OUTLIERS = 6;       /* they widen the noise's standard deviation most: one row of five
                                                    scales is not enough */

typedef struct errors {                  /* of out-of-fold rows                                             */
    const una_oof *oof;
    const una_tails *tails;
    size_t every;                        /* so-many-th row counts                                           */
    double noise;                        /* the Gaussian's, around which others are searched                */
} errors;

static double shape_of(const una_oof *oof, size_t row)
{
    return oof->shape ? oof->shape[row] : 1;
}

/* Negative sum of log densities. */
static double cost_of_noise(double log_noise, void *context)
{
    const errors *e = context;
    double noise_var = exp(log_noise), sum = 0, square, var;
    for (size_t i = 0; i < e->oof->rows; i += e->every)
        if (una_oof_square(e->oof, i, &square, &var))
            sum -= una_tails_log_pdf(e->tails, fmax(square, 0), var, noise_var * shape_of(e->oof, i));
    return sum;
}

/* Log-likelihood of these rows with the best noise, which goes to *noise. */
static double best_log_lik(errors *e, const una_tails *tails, double low, double high, double *noise)
{
    e->tails = tails;
    double log_noise = una_search(cost_of_noise, e, low, high, GRID, 1e-3);
    *noise = exp(log_noise);
    return -cost_of_noise(log_noise, e);
}

una_heavy_choice una_heavy_choose(una_oof *oof)
{
    una_heavy_choice best = { .freedom = HUGE_VAL, .spread = 1 };
    size_t rows = una_oof_predicted_rows(oof);
    if (rows == 0) return best;
    errors e = { .oof = oof, .every = (oof->rows + MOST_ROWS - 1) / MOST_ROWS };
    una_tails t;
    una_tails_make(&t, HUGE_VAL);
    double noise, gaussian = best_log_lik(&e, &t, log(1e-8), log(16), &e.noise), most = -HUGE_VAL, kept = 0;
    for (size_t k = 0; k < FREEDOMS && (k < 2 || most > 0); k++) {
        una_tails_make(&t, FREEDOM[k]);
        double gain = best_log_lik(&e, &t, log(e.noise) - 9, log(e.noise) + 4, &noise) - gaussian;
        most = fmax(most, gain);
        if (k == 0) best.spread = e.noise / (noise * una_tails_square_scale(&t));
        if (FREEDOM[k] < 1 && noise > MOST_VARIANCE * e.noise) continue;
        if (gain <= (FREEDOM[k] < 1 ? LEAST_OF_OUTLIERS : LEAST_GAIN) || gain <= kept) continue;
        best.freedom = FREEDOM[k];
        kept = gain;
    }
    best.log_lik = gaussian + kept;
    return best;
}

una_heavy_choice una_heavy_choose_beside(una_noise **noise, una_oof *oof, bool must)
{
    una_heavy_choice with = una_heavy_choose(oof);
    double *shape = oof->shape;
    if (!shape || must) return with;
    oof->shape = NULL;
    una_heavy_choice without = una_heavy_choose(oof);
    if (!isinf(without.freedom) && without.log_lik > with.log_lik - LEAST_GAIN) {
        *noise = NULL;
        return without;
    }
    oof->shape = shape;
    return with;
}

/* A row without a prediction counts as one whose noise has the variance. */
una_status una_heavy_weights(const double **weight, const una_oof *oof, double noise_var, const una_problem *p,
                             una_run *run)
{
    size_t rows = p->x.rows, held = p->valid_x.rows, from = p->folds ? 0 : rows;
    double mean, var;
    UNA_NEW_ROWS(&run->scratch, double, own, rows + held);
    for (size_t i = 0; i < rows + held; i++) own[i] = una_tails_square_scale(oof->tails);
    for (size_t i = 0; i < oof->rows; i++)
        if (una_oof_moments(oof, i, &mean, &var))
            own[from + i] = una_tails_row_weight(oof->tails, pow(oof->y[i] - mean, 2), var, noise_var * shape_of(oof, i));
    *weight = own;
    return UNA_OK;
}
