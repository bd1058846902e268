/* SPDX-License-Identifier: MIT
 *
 * Cells of a target, and the covariance of several targets' errors. See joint_targets.h.
 */
#include "train/joint_targets.h"

#include "la/la.h"

/* ---- rows -------------------------------------------------------------------------------------------------------- */

bool una_problem_complete(const una_problem *p)
{
    size_t n = una_problem_outputs(p);
    return una_target_cells(p->y, p->x.rows * n, 1, 0) == p->x.rows * n &&
           una_target_cells(p->valid_y, p->valid_x.rows * n, 1, 0) == p->valid_x.rows * n;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

una_status una_cells_take(una_cells *c, size_t most, size_t features, size_t outputs, una_arena *arena)
{
    *c = (una_cells){ .features = features, .outputs = outputs };
    if (outputs == 1) return UNA_OK;
    c->own_phi = UNA_GET_ROWS(arena, double, most * features);
    c->own_y = UNA_GET_ROWS(arena, double, most);
    c->row = UNA_GET_ROWS(arena, size_t, most);
    return una_arena_check(arena);
}

void una_cells_pick(una_cells *c, const double *phi, const double *y, size_t rows, size_t target)
{
    c->phi = phi;
    c->y = y;
    c->rows = rows;
    if (c->outputs == 1) return;
    c->rows = 0;
    for (size_t i = 0; i < rows; i++) {
        double cell = y[i * c->outputs + target];
        if (isnan(cell)) continue;
        memcpy(c->own_phi + c->rows * c->features, phi + i * c->features, c->features * sizeof *phi);
        c->row[c->rows] = i;
        c->own_y[c->rows++] = cell;
    }
    c->phi = c->own_phi;
    c->y = c->own_y;
}

una_status una_cell_scores_add(una_cell_scores *s, const una_stats *stats, const una_cells *valid, una_run *run)
{
    una_held_rows held = { .phi = valid->phi, .y = valid->y, .rows = valid->rows };
    double noise_var;
    if (valid->rows == 0) return UNA_OK;
    UNA_TRY(una_choose_by_validation(&noise_var, 1, stats, &held, run));
    s->last = held.log_lik;
    s->sum += held.log_lik * (double)valid->rows;
    s->cells += (double)valid->rows;
    return UNA_OK;
}

double una_cell_scores_mean(const una_cell_scores *s)
{
    if (s->targets == 1) return s->last;
    return s->cells > 0 ? s->sum / s->cells : 0;
}

/* ---- errors ------------------------------------------------------------------------------------------------------ */

una_status una_errors_take(una_errors *e, size_t targets, una_arena *arena)
{
    *e = (una_errors){ targets, UNA_GET(arena, double, targets * targets), UNA_GET(arena, double, targets * targets),
                       UNA_GET(arena, double, targets * targets) };
    return una_arena_check(arena);
}

void una_errors_add(una_errors *e, const double *error)
{
    for (size_t t = 0; t < e->targets; t++)
        for (size_t s = 0; s < e->targets; s++) {
            if (isnan(error[t]) || isnan(error[s])) continue;
            e->product[t * e->targets + s] += error[t] * error[s];
            e->square[t * e->targets + s] += error[t] * error[t];
            e->rows[t * e->targets + s]++;
        }
}

static double error_correlation(const una_errors *e, size_t t, size_t s)
{
    size_t n = e->targets;
    double rows = e->rows[t * n + s], size = sqrt(e->square[t * n + s] * e->square[s * n + t]);
    return size > 0 ? e->product[t * n + s] / size * rows / (rows + 1) : 0;
}

/* Correlations from different rows may contradict one another: all are reduced until they do not. */
static una_status shrink_correlations(double *by, const double *cor, size_t n, una_run *run)
{
    UNA_NEW(&run->scratch, double, factor, n * n);
    for (*by = 1; *by > 1e-3; *by *= 0.9) {
        for (size_t i = 0; i < n * n; i++) factor[i] = i % (n + 1) == 0 ? 1 : *by * cor[i];
        una_status status = una_chol(factor, n, "the correlation of the errors", run);
        if (status != UNA_E_NUMERIC) return status;
        una_clear_message(run);
    }
    *by = 0;
    return UNA_OK;
}

una_status una_errors_noise(double *noise, const una_errors *e, const double *noise_var, una_run *run)
{
    size_t n = e->targets;
    double by;
    UNA_NEW(&run->scratch, double, cor, n * n);
    for (size_t i = 0; i < n * n; i++) cor[i] = i / n == i % n ? 1 : error_correlation(e, i / n, i % n);
    UNA_TRY(shrink_correlations(&by, cor, n, run));
    for (size_t i = 0; i < n * n; i++) {
        double size = sqrt(noise_var[i / n]) * sqrt(noise_var[i % n]);
        noise[i] = e->rows[i] > 0 ? by * cor[i] * size : NAN;
        if (i / n == i % n) noise[i] = noise_var[i / n];
    }
    return UNA_OK;
}

void una_note_heads(una_notes *notes, bool joint, bool complete, bool varies)
{
    const char *why = "their ratios of prior to noise variance are too different";
    if (varies) why = "noise varies with the inputs";
    if (!complete) why = "cells are missing";
    if (joint) una_notes_add(notes, "The targets share features and one linear head.");
    else una_notes_add(notes, "The targets share features; each has a linear head of its own, because %s.", why);
}

/* ---- one head ---------------------------------------------------------------------------------------------------- */

bool una_one_ratio(double *prior_var, const double *noise_var, size_t targets)
{
    double sum = 0, least = HUGE_VAL, most = -HUGE_VAL;
    for (size_t t = 0; t < targets; t++) {
        double own = log(prior_var[t] / noise_var[t]);
        sum += own / (double)targets;
        least = fmin(least, own);
        most = fmax(most, own);
    }
    if (!(most - least <= log(UNA_MOST_RATIO))) return false;
    for (size_t t = 0; t < targets; t++) prior_var[t] = exp(sum) * noise_var[t];
    return true;
}
