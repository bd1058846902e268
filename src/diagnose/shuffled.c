/* SPDX-License-Identifier: MIT
 *
 * What each column is worth, quickly: permutation importance without a refit. For some held-out rows, with r = y - g
 * the error of the out-of-fold prediction and f the model as it was fitted to all rows,
 *   d = (f(x) - f(x'))^2 + 2 r (f(x) - f(x')),   x': the row with the column's cell of another row,
 * which is (y' - f(x'))^2 - (y' - f(x))^2 of y' = f(x) + r: how much the squared error would grow if f were wrong by as
 * much as out-of-fold predictions are. Against columns of which the model has learnt chance alone, r tells. Its mean as
 * a share of the variance of the target is what una_importance_of measures with refits.
 */
#include "diagnose/answer.h"

enum { MOST_ROWS = 300, LEAST_ROWS = 50, BUDGET = 3000, MOST_SOURCES = 500, MOST_REPEATS = 4 };

typedef struct shuffling {
    const una_case *c;
    size_t  rows, inputs, repeats;
    const size_t *held;                  /* [rows] which held-out rows these are                            */
    double *x, *changed;                 /* [rows, inputs]                                                  */
    double *mean, *other;                /* [rows] answers to both                                          */
} shuffling;

static una_status choose_rows(shuffling *s, una_run *run)
{
    const una_case *c = s->c;
    size_t sources = c->columns->source_count, most = BUDGET / sources, *held;
    uint32_t *order;
    if (most > MOST_ROWS) most = MOST_ROWS;
    if (most < LEAST_ROWS) most = LEAST_ROWS;
    UNA_TRY(una_order_new(&order, c->held->rows, &run->scratch));
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_REPORT, UINT64_MAX);
    una_rng_permute(&rng, order, c->held->rows);
    UNA_NEW_AT(&run->scratch, held, most);
    for (size_t k = 0; k < c->held->rows && s->rows < most; k++)
        if (!c->aside || !c->aside[c->at[order[k]]]) held[s->rows++] = order[k];
    s->held = held;
    s->repeats = BUDGET / (most * sources);
    if (s->repeats > MOST_REPEATS) s->repeats = MOST_REPEATS;
    if (s->repeats < 1) s->repeats = 1;
    UNA_NEW_AT(&run->scratch, s->x, s->rows * s->inputs);
    UNA_NEW_AT(&run->scratch, s->changed, s->rows * s->inputs);
    UNA_NEW_AT(&run->scratch, s->mean, s->rows);
    UNA_NEW_AT(&run->scratch, s->other, s->rows);
    for (size_t k = 0; k < s->rows; k++)
        memcpy(s->x + k * s->inputs, c->x + c->at[held[k]] * s->inputs, s->inputs * sizeof *s->x);
    return UNA_OK;
}

static una_status ask_means(const shuffling *s, const double *x, double *mean, una_run *run)
{
    const una_bands asked = { .level = 0.95, .out = { .mean = mean } };
    UNA_SCOPED(run, una_model_answer_encoded(s->c->model, x, s->rows, &asked, run));
    return UNA_OK;
}

/* Adds the mean of d, the column's cells moved on by `by` rows, so that each row gets another one's. */
static una_status shuffle_column(double *sum, shuffling *s, size_t source, size_t by, una_run *run)
{
    const una_held_out *h = s->c->held;
    memcpy(s->changed, s->x, s->rows * s->inputs * sizeof *s->x);
    for (size_t d = 0; d < s->inputs; d++) {
        if (s->c->columns->inputs[d].source != source) continue;
        for (size_t i = 0; i < s->rows; i++)
            s->changed[i * s->inputs + d] = s->x[(i + by) % s->rows * s->inputs + d];
    }
    UNA_TRY(ask_means(s, s->changed, s->other, run));
    for (size_t i = 0; i < s->rows; i++) {
        double off = s->mean[i] - s->other[i], error = h->y[s->held[i]] - h->mean[s->held[i]];
        *sum += (off * off + 2 * error * off) / (double)s->rows;
    }
    return UNA_OK;
}

static una_status shuffle_all(double *importance, const una_case *c, una_run *run)
{
    double var = c->verdict->rmse_mean * c->verdict->rmse_mean;
    shuffling s = { .c = c, .inputs = c->columns->input_count };
    UNA_TRY(choose_rows(&s, run));
    UNA_TRY(ask_means(&s, s.x, s.mean, run));
    for (size_t k = 0; k < c->columns->source_count; k++) {
        double sum = 0;
        for (size_t r = 1; r <= s.repeats && r < s.rows; r++) UNA_TRY(shuffle_column(&sum, &s, k, r, run));
        importance[k] = fmax(0, sum / (double)s.repeats / var);
    }
    return UNA_OK;
}

una_status una_case_importance(una_case *c, una_run *run)
{
    const una_columns *columns = c->columns;
    size_t sources = columns->source_count;
    if (c->images || sources > MOST_SOURCES || c->held->rows < 2) return UNA_OK;
    UNA_NEW(c->keep, double, importance, sources);
    UNA_NEW(c->keep, const char *, names, sources);
    una_status status;
    UNA_SCOPED_CALL(status, run, shuffle_all(importance, c, run));
    if (status == UNA_E_NUMERIC) una_clear_message(run);         /* a prediction overflows: nothing is told */
    if (status != UNA_OK) return status == UNA_E_NUMERIC ? UNA_OK : status;
    for (size_t s = 0; s < sources; s++) names[s] = una_arena_text(c->keep, columns->sources[s].name);
    UNA_TRY(una_arena_check(c->keep));
    c->verdict->inputs = sources;
    c->verdict->input_names = names;
    c->verdict->importance = importance;
    return UNA_OK;
}
