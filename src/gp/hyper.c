/* SPDX-License-Identifier: MIT
 *
 * Free numbers of a kernel: parameter_p = start_p exp(theta_h - origin_h) for every p that theta_h moves.
 */
#include "gp/hyper.h"

#include "kern/kern.h"

static bool is_stationary(una_kernel_code code)
{
    return code <= UNA_KERNEL_PERIODIC;
}

static size_t new_number(una_hyper *h, double start, bool is_length)
{
    h->origin[h->count] = log(start);
    h->is_length[h->count] = is_length;
    return h->count++;
}

/* A list of op->count parameters from `at` on: one number for all, or one for each group. first: [groups] 1 + the first
 * of each, all 0 before and after. */
static void free_list(una_hyper *h, const una_kernel *k, const una_kernel_op *op, size_t at, const una_hyper_plan *plan,
                      size_t *first)
{
    const size_t *input = k->input + op->input;
    for (size_t d = 0; d < op->count; d++) {
        size_t same = 0;
        if (!plan->ard && d > 0) same = 1;
        else if (plan->ard && plan->group) same = first[plan->group[input[d]]];
        h->of[at + d] = same ? h->of[at + same - 1] : new_number(h, k->parameter[at + d], true);
        if (plan->ard && plan->group && !same) first[plan->group[input[d]]] = d + 1;
    }
    for (size_t d = 0; plan->ard && plan->group && d < op->count; d++) first[plan->group[input[d]]] = 0;
}

/* The variance that scales the whole part of the program ending in `last`, or SIZE_MAX:
 * a leaf, or a product with one. */
static size_t whole_scale(const una_kernel *k, size_t last)
{
    const una_kernel_op *op = &k->op[last];
    if (op->code == UNA_KERNEL_ADD) return SIZE_MAX;
    if (op->code != UNA_KERNEL_MULTIPLY) return op->parameter;
    size_t one = whole_scale(k, una_kernel_begin(k, last - 1) - 1);
    return one != SIZE_MAX ? one : whole_scale(k, last - 1);
}

static bool can_scale(const una_hyper *h, const una_kernel *k, size_t last)
{
    const una_kernel_op *op = &k->op[last];
    if (op->code != UNA_KERNEL_ADD && op->code != UNA_KERNEL_MULTIPLY) return h->of[op->parameter] == 0;
    bool two = can_scale(h, k, last - 1), one = can_scale(h, k, una_kernel_begin(k, last - 1) - 1);
    return op->code == UNA_KERNEL_ADD ? one && two : one || two;
}

/* of[] is 0 for variances that are free so far and SIZE_MAX for others; one factor of each product loses its own. */
static void fix_factors(una_hyper *h, const una_kernel *k)
{
    for (size_t o = 0; o < k->op_count; o++) {
        if (k->op[o].code != UNA_KERNEL_MULTIPLY) continue;
        size_t one = una_kernel_begin(k, o - 1) - 1, two = o - 1;
        if (!can_scale(h, k, one) || !can_scale(h, k, two)) continue;
        size_t scale = whole_scale(k, two) != SIZE_MAX ? whole_scale(k, two) : whole_scale(k, one);
        if (scale != SIZE_MAX) h->of[scale] = SIZE_MAX;
    }
}

static void free_leaf(una_hyper *h, const una_kernel *k, size_t o, const una_hyper_plan *plan, size_t *first)
{
    const una_kernel_op *op = &k->op[o];
    size_t at = op->parameter;
    if (h->of[at] != SIZE_MAX) h->of[at] = new_number(h, k->parameter[at], false);
    h->common[o] = true;
    if (!is_stationary(op->code) || plan->fix_lengths) return;
    free_list(h, k, op, at + 1, plan, first);
    if (op->code == UNA_KERNEL_PERIODIC) free_list(h, k, op, at + 1 + op->count, plan, first);
    for (size_t d = 1; d < op->count; d++) h->common[o] = h->common[o] && h->of[at + 1 + d] == h->of[at + 1];
}

/* One more than the largest number of a group that a leaf names. */
static size_t count_groups(const una_kernel *k, const una_hyper_plan *plan)
{
    size_t count = 0;
    for (size_t o = 0; plan->group && o < k->op_count; o++)
        for (size_t d = 0; is_stationary(k->op[o].code) && d < k->op[o].count; d++) {
            size_t group = plan->group[k->input[k->op[o].input + d]];
            if (group >= count) count = group + 1;
        }
    return count;
}

una_status una_hyper_init(una_hyper *h, const una_kernel *k, const una_hyper_plan *plan, una_arena *arena)
{
    size_t count = k->parameter_count;
    *h = (una_hyper){ .of = UNA_GET(arena, size_t, count), .start = UNA_GET(arena, double, count),
                      .origin = UNA_GET(arena, double, count), .is_length = UNA_GET(arena, bool, count),
                      .common = UNA_GET(arena, bool, k->op_count) };
    UNA_NEW(arena, size_t, first, count_groups(k, plan));

    for (size_t p = 0; p < count; p++) {
        h->start[p] = k->parameter[p];
        h->of[p] = SIZE_MAX;
    }

    for (size_t o = 0; o < k->op_count; o++)             /* a variance of 0 has no logarithm: it stays */
        if (una_kernel_owns(&k->op[o]) && !plan->fix_variances && k->parameter[k->op[o].parameter] > 0)
            h->of[k->op[o].parameter] = 0;
    fix_factors(h, k);
    for (size_t o = 0; o < k->op_count; o++)
        if (una_kernel_owns(&k->op[o])) free_leaf(h, k, o, plan, first);
    return UNA_OK;
}

void una_hyper_put(const una_hyper *h, const double *theta, una_kernel *k)
{
    for (size_t p = 0; p < k->parameter_count; p++)
        if (h->of[p] != SIZE_MAX) k->parameter[p] = h->start[p] * exp(theta[h->of[p]] - h->origin[h->of[p]]);
}

void una_hyper_get(const una_hyper *h, const una_kernel *k, double *theta)
{
    for (size_t p = 0; p < k->parameter_count; p++)
        if (h->of[p] != SIZE_MAX) theta[h->of[p]] = h->origin[h->of[p]] + log(k->parameter[p] / h->start[p]);
}

void una_hyper_fold(const una_hyper *h, const una_kernel *k, const double *sum, double *gradient)
{
    for (size_t p = 0; p < k->parameter_count; p++, sum += UNA_PAD)
        if (h->of[p] != SIZE_MAX)
            gradient[h->of[p]] += ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));
}
