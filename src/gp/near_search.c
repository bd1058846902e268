/* SPDX-License-Identifier: MIT
 *
 * Numbers of a process of nearest rows. See near_search.h. Which rows are near follows from the lengths: they are found
 * anew in each round, and stay the same while L-BFGS runs.
 */
#include "gp/near_search.h"

#include "opt/lbfgs.h"

enum { STARTS = 2, ROUNDS = 4, STEPS = 10, SAMPLE = 1000, NEAR = 50, AT_ONCE = 20 };
/* Then fewer rows with more neighbours: with 50, smooth functions of many inputs seem rougher than they are. */
enum { LAST_ROUNDS = 3, LAST_SAMPLE = 400, MOST_NEAR = 128 };

/* Lengths of a start, times the shortest: at much longer ones no slope shows a way back. */
static const double longest[STARTS] = { 3, 10 };

typedef struct sample_rows {
    una_near_search *search;
    una_gp     gp;                       /* with one neighbour more than `most`                               */
    una_hyper  hyper;
    size_t     rows, most, numbers;      /* rows of the sample, and neighbours of each                        */
    uint32_t  *row;                      /* [rows] of the sample                                              */
    uint32_t  *near;                     /* [rows, most] rows nearest to each, itself not among them          */
    uint32_t  *count;                    /* [rows] how many                                                   */
    double    *part;                     /* [tasks, 1 + numbers] sums of a task: log p, then its gradient     */
    double    *first, *low, *high;       /* [numbers] the numbers at the start; bounds                        */
    bool       slopes;                   /* the gradient is wanted                                            */
} sample_rows;

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

typedef struct finding { sample_rows *s; const una_row_tree *tree; } finding;

static una_status find_some(void *context, size_t index, una_run *child)
{
    const finding *f = context;
    sample_rows *s = f->s;
    size_t from = index * AT_ONCE, to = UNA_MIN(from + AT_ONCE, s->rows);
    una_near_local local;
    UNA_TRY(una_near_local_new(&local, &s->gp, f->tree, 1, child));
    for (size_t i = from; i < to; i++) {
        una_near_local_find(&local, s->gp.x + s->row[i] * s->gp.inputs);
        s->count[i] = 0;
        for (size_t n = 0; n < local.heap.count && s->count[i] < s->most; n++)
            if (local.heap.at[n].row != s->row[i]) s->near[i * s->most + s->count[i]++] = (uint32_t)local.heap.at[n].row;
    }
    return UNA_OK;
}

static una_status find_neighbours(sample_rows *s, una_run *run)
{
    finding f = { .s = s };
    una_deferred_drop(&s->gp.near->made);
    UNA_TRY(una_near_tree(&f.tree, &s->gp, run));
    return una_pool(run, (s->rows + AT_ONCE - 1) / AT_ONCE, find_some, &f);
}

/* ---- log p of a row, and its gradient ---------------------------------------------------------------------------- */

typedef struct row_term {                /* what the derivatives of one row are made of                       */
    una_near_local *local;
    size_t  n;
    double *a;                           /* [most] A^-1 y                                                     */
    double  pull, push;                  /* r/s and c                                                         */
    double *sum;                         /* [parameters, UNA_PAD]                                             */
} row_term;

/* Weights of dk and dK, tile by tile. */
static void add_kernel_gradient(const row_term *t)
{
    una_near_local *local = t->local;
    const double *w = local->weight, *a = t->a;
    double weight[UNA_TILE];
    for (size_t first = 0; first < t->n; first += UNA_TILE) {
        size_t count = UNA_MIN(UNA_TILE, t->n - first), width = UNA_PADDED(count);
        memset(weight, 0, sizeof weight);
        for (size_t j = 0; j < count; j++) weight[j] = t->pull * a[first + j] - 2 * t->push * w[first + j];
        una_pairs_gradient(&local->pairs, (una_pair_tile){ &local->star, 0, &local->side, first, width }, weight,
                           t->sum);
        for (size_t i = 0; i < t->n; i++) {
            for (size_t j = 0; j < count; j++)
                weight[j] = (t->push * w[i] - t->pull * a[i]) * w[first + j];
            una_pairs_gradient(&local->pairs, (una_pair_tile){ &local->side, i, &local->side, first, width }, weight,
                               t->sum);
        }
    }
    memset(weight, 0, sizeof weight);
    weight[0] = t->push;
    una_pairs_gradient(&local->pairs, (una_pair_tile){ &local->star, 0, &local->star, 0, UNA_PAD }, weight, t->sum);
}

static una_status add_row_term(const sample_rows *s, size_t i, row_term *t, double *part, una_run *run)
{
    const una_gp *gp = &s->gp;
    una_near_local *local = t->local;
    const double *x = gp->x + s->row[i] * gp->inputs;
    double noise = una_gp_row_noise(gp, s->row[i]), by_noise;
    t->n = s->count[i];
    for (size_t n = 0; n < t->n; n++) {
        size_t row = s->near[i * s->most + n];
        una_near_local_add(local, gp->x + row * gp->inputs, gp->y[row], una_gp_row_noise(gp, row));
    }
    UNA_TRY(una_near_local_solve(local, x, run));
    double away = gp->y[s->row[i]] - una_dot(local->weight, local->y, t->n), all = local->var + noise;
    part[0] -= 0.5 * (UNA_LOG_TWO_PI + log(all) + away * away / all);
    if (!s->slopes) return UNA_OK;

    memcpy(t->a, local->y, t->n * sizeof *t->a);
    una_large_forward(local->l, t->n, local->stride, t->a);
    una_large_backward(local->l, t->n, local->stride, t->a);
    t->pull = away / all;
    t->push = 0.5 * (away * away / all - 1) / all;
    by_noise = t->push * noise;
    for (size_t n = 0; n < t->n; n++)
        by_noise += (t->push * local->weight[n] - t->pull * t->a[n]) * local->weight[n] * local->noise[n];
    part[1 + s->hyper.count] += by_noise;
    if (s->hyper.count) add_kernel_gradient(t);
    return UNA_OK;
}

static una_status add_some(void *context, size_t index, una_run *child)
{
    const sample_rows *s = context;
    size_t from = index * AT_ONCE, to = UNA_MIN(from + AT_ONCE, s->rows);
    double *part = s->part + index * (2 + s->hyper.count);
    una_near_local local;
    UNA_TRY(una_near_local_new(&local, &s->gp, &s->gp.near->tree, s->most, child));
    local.pairs.common = s->hyper.common;
    UNA_NEW(&child->scratch, double, a, s->most);
    UNA_NEW(&child->scratch, double, sum, s->gp.kernel->parameter_count * UNA_PAD);
    row_term t = { .local = &local, .a = a, .sum = sum };
    memset(part, 0, (2 + s->hyper.count) * sizeof *part);
    for (size_t i = from; i < to; i++) UNA_TRY(add_row_term(s, i, &t, part, child));
    if (s->slopes) una_hyper_fold(&s->hyper, s->gp.kernel, sum, part + 1);
    return UNA_OK;
}

static void put_numbers(sample_rows *s, const double *theta)
{
    una_hyper_put(&s->hyper, theta, s->gp.kernel);
    if (s->search->free_noise) s->gp.noise_var = exp(theta[s->hyper.count]);
}

static una_status minus_log_lik(void *context, const double *theta, double *value, double *gradient, una_run *run)
{
    sample_rows *s = context;
    size_t tasks = (s->rows + AT_ONCE - 1) / AT_ONCE, each = 2 + s->hyper.count;
    put_numbers(s, theta);
    s->slopes = gradient != NULL;
    UNA_TRY(una_check_cancelled(run, "fitting gp"));
    UNA_TRY(una_pool(run, tasks, add_some, s));
    *value = 0;
    for (size_t h = 0; gradient && h < s->numbers; h++) gradient[h] = 0;
    for (size_t t = 0; t < tasks; t++) {
        *value -= s->part[t * each];
        for (size_t h = 0; gradient && h < s->numbers; h++) gradient[h] -= s->part[t * each + 1 + h];
    }
    s->search->calls++;
    return UNA_OK;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static void set_bounds(sample_rows *s, const double *theta)
{
    double range = log(s->search->range);
    for (size_t h = 0; h < s->numbers; h++) {
        s->low[h] = fmin(-range, theta[h]);
        s->high[h] = fmax(range, theta[h]);
    }
}

/* An input that a thin sample shows as of no matter has a length at which nothing shows that it matters. */
static void shorten(const sample_rows *s, double most, double *theta)
{
    double shortest = HUGE_VAL;
    for (size_t h = 0; h < s->hyper.count; h++)
        if (s->hyper.is_length[h]) shortest = fmin(shortest, theta[h]);
    for (size_t h = 0; h < s->hyper.count; h++)
        if (s->hyper.is_length[h]) theta[h] = fmin(theta[h], shortest + log(most));
}

static void set_sample(sample_rows *s, size_t rows, size_t most)
{
    s->rows = UNA_MIN(rows, s->gp.rows);
    s->most = most;
    s->gp.neighbours = most + 1;         /* one of them is the row itself */
}

static una_status begin_sample(sample_rows *s, una_near_search *search, una_run *run)
{
    una_arena *scratch = &run->scratch;
    *s = (sample_rows){ .search = search, .gp = *search->gp };
    set_sample(s, SAMPLE, NEAR);
    UNA_TRY(una_near_defer(&s->gp, scratch));
    UNA_TRY(una_hyper_init(&s->hyper, s->gp.kernel, search->plan, scratch));
    s->numbers = s->hyper.count + search->free_noise;
    UNA_TRY(una_order_new(&s->row, s->gp.rows, scratch));
    UNA_NEW_AT(scratch, s->near, UNA_MAX(SAMPLE * NEAR, LAST_SAMPLE * MOST_NEAR));
    UNA_NEW_AT(scratch, s->count, s->rows);
    UNA_NEW_AT(scratch, s->part, (s->rows + AT_ONCE - 1) / AT_ONCE * (2 + s->hyper.count));
    UNA_NEW_AT(scratch, s->low, s->numbers);
    UNA_NEW_AT(scratch, s->high, s->numbers);
    una_rng rng = una_rng_at(search->seed, UNA_FOR_SPLIT, 6);
    una_rng_permute(&rng, s->row, s->gp.rows);
    return UNA_OK;
}

/* One round: neighbours by the present lengths, then a few steps, none farther than `far` from here. */
static una_status search_round(sample_rows *s, double far, double *theta, una_run *run)
{
    una_lbfgs_report report;
    UNA_NEW(&run->scratch, double, low, s->numbers);
    UNA_NEW(&run->scratch, double, high, s->numbers);
    for (size_t h = 0; h < s->numbers; h++) {
        low[h] = fmax(s->low[h], theta[h] - far);
        high[h] = fmin(s->high[h], theta[h] + far);
    }
    const una_lbfgs_settings settings = { .low = low, .high = high, .most_steps = STEPS,
                                          .gradient_tolerance = 1e-4, .value_tolerance = 1e-6 };
    UNA_TRY(find_neighbours(s, run));
    UNA_TRY(una_lbfgs(theta, s->numbers, minus_log_lik, s, &settings, &report, run));
    put_numbers(s, theta);
    return UNA_OK;
}

/* Minus the sum of log p, with the neighbours that belong to theta. */
static una_status loss_at(sample_rows *s, const double *theta, double *value, una_run *run)
{
    put_numbers(s, theta);
    UNA_TRY(find_neighbours(s, run));
    return minus_log_lik(s, theta, value, NULL, run);
}

/* Into theta if that is better than *best, with the neighbours that its lengths say. */
static una_status keep_better(sample_rows *s, const double *next, double *theta, double *best, una_run *run)
{
    double value;
    UNA_TRY(loss_at(s, next, &value, run));
    if (!(value < *best)) return UNA_OK;
    *best = value;
    memcpy(theta, next, s->numbers * sizeof *next);
    return UNA_OK;
}

/* From theta with such lengths at most, into theta if that is better than *best. */
static una_status search_from(sample_rows *s, double most, double *theta, double *best, una_run *run)
{
    UNA_NEW(&run->scratch, double, next, s->numbers);
    memcpy(next, s->first, s->numbers * sizeof *next);
    shorten(s, most, next);
    put_numbers(s, next);
    for (size_t round = 0; round < (s->hyper.count ? ROUNDS : 1); round++)
        UNA_SCOPED(run, search_round(s, HUGE_VAL, next, run));
    return keep_better(s, next, theta, best, run);
}

/* From theta, in small steps: lengths that leave the neighbours behind are only seemingly better. */
static una_status search_more(sample_rows *s, double *theta, una_run *run)
{
    const double far = 0.25;             /* on the log scale */
    double best;
    UNA_NEW(&run->scratch, double, next, s->numbers);
    set_sample(s, LAST_SAMPLE, MOST_NEAR);
    UNA_TRY(loss_at(s, theta, &best, run));
    memcpy(next, theta, s->numbers * sizeof *next);
    for (size_t round = 0; round < (s->hyper.count ? LAST_ROUNDS : 1); round++) {
        UNA_SCOPED(run, search_round(s, far, next, run));
        UNA_SCOPED(run, keep_better(s, next, theta, &best, run));
    }
    return UNA_OK;
}

static una_status search_starts(sample_rows *s, double *theta, una_run *run)
{
    double best;
    UNA_NEW_AT(&run->scratch, s->first, s->numbers);
    memcpy(s->first, theta, s->numbers * sizeof *theta);
    UNA_TRY(loss_at(s, theta, &best, run));
    for (size_t start = 0; start < (s->hyper.count ? STARTS : 1); start++)
        UNA_SCOPED(run, search_from(s, longest[start], theta, &best, run));
    UNA_SCOPED(run, search_more(s, theta, run));
    return UNA_OK;
}

/* Where a covariance has no factor, the numbers stay as they were. */
static una_status search_sample(una_near_search *search, una_run *run)
{
    sample_rows s;
    UNA_TRY(begin_sample(&s, search, run));
    if (s.numbers == 0) return UNA_OK;
    UNA_NEW(&run->scratch, double, theta, s.numbers);
    for (size_t h = 0; h < s.hyper.count; h++) theta[h] = s.hyper.origin[h];
    if (search->free_noise) theta[s.hyper.count] = log(s.gp.noise_var);
    set_bounds(&s, theta);
    una_status status = search_starts(&s, theta, run);
    if (status == UNA_E_NUMERIC) una_clear_message(run);
    else UNA_TRY(status);
    put_numbers(&s, theta);
    search->gp->noise_var = s.gp.noise_var;
    una_deferred_drop(&search->gp->near->made);          /* which belongs to the old lengths */
    return UNA_OK;
}

una_status una_near_search_run(una_near_search *search, una_run *run)
{
    search->calls = 0;
    UNA_SCOPED(run, search_sample(search, run));
    return UNA_OK;
}
