/* SPDX-License-Identifier: MIT
 *
 * The scale of the noise and the weights of a stack, by new rows. See adapt.h.
 */
#include "committee/adapt.h"

#include "committee/oof.h"
#include "la/la.h"

enum { PIECES = 8, LEAST_PIECE = 20 };
static const double NOISE_OFF = 1.15 * 1.15, ERRORS = 3, EQUAL_ROWS = 10, LEAST_WEIGHT = 1e-3;

typedef struct unit { const una_kind *calls; void *state; const double *scale; } unit;

typedef struct forecasts {               /* of one unit, of the rows that count                             */
    size_t  rows;
    double *square, *var, *noise;        /* [rows] e^2, v, s                                                */
    bool    noise_rules;                 /* look only where v < s                                           */
} forecasts;

typedef struct adaptation {
    una_members *all;
    size_t       units, pieces;
    unit        *unit;                   /* [units]                                                         */
    forecasts   *seen;                   /* [units]                                                         */
    double      *factor;                 /* [units]                                                         */
    bool         contradicts;
} adaptation;

/* ---- pieces ----------------------------------------------------------------------------------------------------- */

static size_t piece_count(size_t rows)
{
    size_t pieces = rows / LEAST_PIECE;
    if (pieces < 1) pieces = 1;
    return pieces < PIECES ? pieces : PIECES;
}

/* Every so many rows, so that a table in some order makes no difference. */
static una_status pick_piece(una_problem *piece, const una_problem *more, size_t index, size_t pieces, una_run *run)
{
    size_t rows = (more->x.rows - index + pieces - 1) / pieces, cols = more->x.cols;
    UNA_NEW_ROWS(&run->scratch, double, x, rows * cols);
    UNA_NEW_ROWS(&run->scratch, double, y, rows);
    for (size_t i = 0, from = index; i < rows; i++, from += pieces) {
        memcpy(x + i * cols, more->x.at + from * more->x.stride, cols * sizeof *x);
        y[i] = more->y[from];
    }
    *piece = *more;
    piece->x = (una_view){ x, rows, cols, cols };
    piece->y = y;
    return UNA_OK;
}

static una_status foresee(forecasts *seen, const unit *u, const una_problem *piece, double var_scale,
                          una_run *run)
{
    una_view x;
    una_predictive p = {0};
    UNA_TRY(una_scaled(&x, piece->x, u->scale, run));
    UNA_TRY(una_predictive_new(&p, x.rows, &run->scratch));
    UNA_TRY(una_kind_predict(u->calls, u->state, x, &p, run));
    for (size_t i = 0; i < x.rows; i++, seen->rows++) {
        double error = piece->y[i] - p.mean[i];
        if (!isfinite(error) || !(p.var_noise[i] > 0) || !isfinite(p.var_model[i] + p.var_noise[i]))
            UNA_FAIL(run, UNA_E_NUMERIC, "the prediction of a new row is not finite, so that the noise cannot be "
                     "adapted; its inputs may be far beyond the rows of the fit");
        seen->square[seen->rows] = error * error;
        seen->var[seen->rows] = var_scale * p.var_model[i];
        seen->noise[seen->rows] = p.var_noise[i];
    }
    return UNA_OK;
}

static una_status next_piece(adaptation *a, const una_adapting *how, size_t index, una_fit_result *result,
                             una_arena *keep, una_run *run)
{
    una_problem piece;
    UNA_TRY(pick_piece(&piece, how->more, index, a->pieces, run));
    for (size_t u = 0; index >= a->pieces / 2 && u < a->units; u++)
        UNA_SCOPED(run, foresee(&a->seen[u], &a->unit[u], &piece, how->var_scale, run));
    return una_members_observe(a->all, &piece, result, keep, run);
}

static una_status begin(adaptation *a, size_t rows, una_run *run)
{
    UNA_NEW_AT(&run->scratch, a->unit, a->units);
    UNA_NEW_AT(&run->scratch, a->seen, a->units);
    UNA_NEW_AT(&run->scratch, a->factor, a->units);
    a->pieces = piece_count(rows);
    for (size_t u = 0; u < a->units; u++) {
        UNA_NEW_AT(&run->scratch, a->seen[u].square, rows);
        UNA_NEW_AT(&run->scratch, a->seen[u].var, rows);
        UNA_NEW_AT(&run->scratch, a->seen[u].noise, rows);
    }
    return UNA_OK;
}

/* ---- the noise -------------------------------------------------------------------------------------------------- */

static double factor_loss(double log_factor, void *context)
{
    const forecasts *seen = context;
    double factor = exp(log_factor), loss = 0;
    for (size_t i = 0; i < seen->rows; i++) {
        double total = seen->var[i] + factor * seen->noise[i];
        if (seen->noise_rules && seen->var[i] >= seen->noise[i]) continue;
        loss += 0.5 * (log(total) + seen->square[i] / total);
    }
    return loss;
}

/* The factor that makes new rows likeliest, of *rows rows. Noise becomes smaller only by rows where it is larger than
 * ignorance: where ignorance is larger, and wider than it should be, errors would leave no room for noise. */
static double likeliest_factor(forecasts *seen, size_t *rows)
{
    enum { GRID = 24 };
    *rows = seen->rows;
    double factor = exp(una_search(factor_loss, seen, log(1e-6), log(1e6), GRID, 1e-6));
    if (factor >= 1) return factor;
    *rows = 0;
    for (size_t i = 0; i < seen->rows; i++) *rows += seen->var[i] < seen->noise[i];
    if (*rows < LEAST_PIECE) return 1;
    seen->noise_rules = true;
    return fmin(1, exp(una_search(factor_loss, seen, log(1e-6), log(1e6), GRID, 1e-6)));
}

/* The factor by the new rows, and with the old ones. */
static void choose_factor(adaptation *a, size_t u, const una_adapting *how)
{
    size_t rows;
    double factor = likeliest_factor(&a->seen[u], &rows), old = (double)how->old_rows;
    double more = (double)how->more->x.rows * (double)rows / (double)a->seen[u].rows;
    bool apart = rows && fabs(log(factor)) > log(NOISE_OFF) + ERRORS * sqrt(2 / (double)rows);
    a->contradicts = a->contradicts || apart;
    a->factor[u] = apart ? factor : (old + more * factor) / (old + more);
}

una_status una_members_rescale(void *members, double factor, una_fit_result *result, una_arena *keep, una_run *run)
{
    una_members *all = members;
    double noise = 0, evidence = 0;
    for (size_t m = 0; m < all->count; m++) {
        const una_member *member = &all->at[m];
        una_fit_result own = { .noise_var = NAN, .log_evidence = NAN };
        if (!member->kind->rescale)
            UNA_FAIL(run, UNA_E_USAGE, "%s cannot give its noise another scale: fit it again on all rows (una update "
                     "--with OLD.csv --adapt does that)", member->kind->name);
        UNA_SCOPED(run, member->calls->rescale(member->state, factor, &own, keep, run));
        noise += member->weight * own.noise_var;
        evidence += member->weight * own.log_evidence;
    }
    all->noise_var *= factor;
    result->noise_var = all->noise_var > 0 ? all->noise_var : noise;
    result->log_evidence = evidence;
    return UNA_OK;
}

una_status una_members_adapt(void *members, const una_adapting *how, una_fit_result *result, una_arena *keep,
                             una_run *run)
{
    adaptation a = { .all = members, .units = 1 };
    UNA_TRY(begin(&a, how->more->x.rows, run));
    static const una_kind whole = { .name = "members", .predict = una_members_predict };
    a.unit[0] = (unit){ &whole, members, NULL };
    for (size_t k = 0; k < a.pieces; k++) UNA_SCOPED(run, next_piece(&a, how, k, result, keep, run));
    choose_factor(&a, 0, how);
    return una_members_rescale(members, a.factor[0], result, keep, run);
}

/* ---- a stack ---------------------------------------------------------------------------------------------------- */

static una_status weigh_again(const adaptation *a, const una_adapting *how, una_run *run)
{
    size_t rows = a->seen[0].rows;
    double old = (double)how->old_rows, more = (double)how->more->x.rows, sum = 0;
    UNA_NEW(&run->scratch, double, log_lik, a->units * rows);
    UNA_NEW(&run->scratch, double, weight, a->units);
    for (size_t i = 0; i < a->units * rows; i++) {
        const forecasts *seen = &a->seen[i / rows];
        double total = seen->var[i % rows] + a->factor[i / rows] * seen->noise[i % rows];
        log_lik[i] = -0.5 * (UNA_LOG_TWO_PI + log(total) + seen->square[i % rows] / total);
    }
    una_stack(weight, a->units, &(una_stack_rows){ log_lik, NULL, rows }, EQUAL_ROWS);

    for (size_t u = 0; u < a->units; u++) {
        if (!a->contradicts) weight[u] = (old * a->all->at[u].weight + more * weight[u]) / (old + more);
        sum += weight[u] = fmax(weight[u], LEAST_WEIGHT);
    }
    for (size_t u = 0; u < a->units; u++) a->all->at[u].weight = weight[u] / sum;
    return UNA_OK;
}

static una_status rescale_units(const adaptation *a, una_fit_result *result, una_arena *keep, una_run *run)
{
    double noise = 0, evidence = 0;
    for (size_t u = 0; u < a->units; u++) {
        una_fit_result own = { .noise_var = NAN, .log_evidence = NAN };
        UNA_SCOPED(run, a->unit[u].calls->rescale(a->unit[u].state, a->factor[u], &own, keep, run));
        noise += a->all->at[u].weight * own.noise_var;
        evidence += a->all->at[u].weight * own.log_evidence;
    }
    result->noise_var = noise;
    result->log_evidence = evidence;
    return UNA_OK;
}

una_status una_stack_adapt(void *members, const una_adapting *how, una_fit_result *result, una_arena *keep,
                           una_run *run)
{
    una_members *all = members;
    adaptation a = { .all = all, .units = all->count };
    UNA_TRY(begin(&a, how->more->x.rows, run));
    for (size_t u = 0; u < a.units; u++) a.unit[u] = (unit){ all->at[u].calls, all->at[u].state, all->at[u].scale };
    for (size_t k = 0; k < a.pieces; k++) UNA_SCOPED(run, next_piece(&a, how, k, result, keep, run));
    for (size_t u = 0; u < a.units; u++) {
        a.unit[u].state = all->at[u].state;
        choose_factor(&a, u, how);
    }
    UNA_SCOPED(run, weigh_again(&a, how, run));
    return rescale_units(&a, result, keep, run);
}
