/* SPDX-License-Identifier: MIT
 *
 * Out-of-fold linear regression, to which a model is compared: y = x'w + b + e with the prior and noise of largest
 * evidence. Sums over the rows without a fold are those over all rows minus the fold's.
 */
#include "diagnose/answer.h"
#include "infer/head.h"

enum { BLOCK = 256, MOST_FEATURES = 400 };

typedef struct block { double *phi, *y; size_t rows, features; } block;

static void fill_phi_row(double *phi, const una_case *c, size_t row, size_t features)
{
    memcpy(phi, c->x + row * (features - 1), (features - 1) * sizeof *phi);
    phi[features - 1] = 1;
}

static una_status flush_block(una_stats *stats, block *b, una_run *run)
{
    UNA_TRY(una_stats_add(stats, b->phi, b->y, b->rows, run));
    b->rows = 0;
    return UNA_OK;
}

/* stats [folds + 1]: of each fold; the last of the rows that are in none. */
static una_status sum_rows(una_stats *stats, const una_case *c, const double *y, block *b, una_run *run)
{
    for (size_t f = 0; f <= c->folds; f++) {
        for (size_t i = 0; i < c->rows; i++) {
            if (c->fold[i] != f) continue;
            fill_phi_row(b->phi + b->rows * b->features, c, i, b->features);
            b->y[b->rows++] = y[i];
            if (b->rows == BLOCK) UNA_TRY(flush_block(&stats[f], b, run));
        }
        UNA_TRY(flush_block(&stats[f], b, run));
    }
    return UNA_OK;
}

/* The rows outside a fold. */
static void stats_without_fold(una_stats *to, const una_stats *all, size_t folds, size_t fold)
{
    una_stats_clear(to);
    for (size_t f = 0; f <= folds; f++)
        if (f != fold) una_stats_merge(to, &all[f]);
}

static una_status predict_fold(double *mean, const una_head *head, const una_case *c, size_t fold, block *b,
                               una_run *run)
{
    size_t count = 0, index[BLOCK];
    double predicted[BLOCK];
    for (size_t h = 0; h <= c->held->rows; h++) {
        if (count == BLOCK || (h == c->held->rows && count)) {
            UNA_TRY(una_head_predict(head, b->phi, count, predicted, NULL, run));
            for (size_t k = 0; k < count; k++) mean[index[k]] = predicted[k];
            count = 0;
        }
        if (h == c->held->rows || c->fold[c->at[h]] != fold) continue;
        fill_phi_row(b->phi + count * b->features, c, c->at[h], b->features);
        index[count++] = h;
    }
    return UNA_OK;
}

static una_status regress_without_folds(double *mean, const una_case *c, const double *y, una_run *run)
{
    size_t features = c->columns->input_count + 1;
    una_stats train;
    una_head head;
    block b = { .features = features };
    double noise_var = UNA_AUTO, prior_var = UNA_AUTO;
    UNA_NEW(&run->scratch, una_stats, stats, c->folds + 1);
    UNA_NEW_AT(&run->scratch, b.phi, BLOCK * features);
    UNA_NEW_AT(&run->scratch, b.y, BLOCK);
    for (size_t f = 0; f <= c->folds; f++) una_stats_init(&stats[f], features, &run->scratch);
    una_stats_init(&train, features, &run->scratch);
    UNA_TRY(una_head_init(&head, features, &run->scratch));

    UNA_TRY(sum_rows(stats, c, y, &b, run));
    stats_without_fold(&train, stats, c->folds, SIZE_MAX);
    UNA_TRY(una_choose_by_evidence(&noise_var, &prior_var, &train, run));
    for (size_t f = 0; f < c->folds; f++) {
        stats_without_fold(&head.stats, stats, c->folds, f);
        head.noise_var = noise_var;
        head.prior_var = prior_var;
        UNA_TRY(una_head_solve(&head, run));
        UNA_TRY(predict_fold(mean, &head, c, f, &b, run));
    }
    return UNA_OK;
}

una_status una_reference(double *mean, bool *known, const una_case *c, const double *y, una_run *run)
{
    *known = false;
    if (c->images || c->columns->input_count >= MOST_FEATURES) return UNA_OK;
    una_status status = regress_without_folds(mean, c, y, run);
    *known = status == UNA_OK;
    if (status != UNA_E_NUMERIC) return status;
    una_clear_message(run);                              /* a column overflows: no predictions */
    return UNA_OK;
}
