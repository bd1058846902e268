/* SPDX-License-Identifier: MIT
 *
 * Covariances of pairs, forwards and backwards over the kernel's program. With
 * u_d = (a_d - b_d)/length_d, r^2 = sum u_d^2:
 *   rbf       k = var exp(-r^2/2)                               c = k
 *   matern12  k = var exp(-r)                                   c = k/r          (0 at r = 0)
 *   matern32  k = var (1 + s) exp(-s),           s = sqrt(3) r   c = 3 var exp(-s)
 *   matern52  k = var (1 + s + s^2/3) exp(-s),   s = sqrt(5) r   c = 5/3 var (1 + s) exp(-s)
 *   dk/dlog length_d = c u_d^2,   dk/da_d = -c u_d/length_d,   dk/dlog var = k
 *   periodic  k = var exp(-2 sum (sin v_d/length_d)^2), v_d = pi (a_d - b_d)/period_d
 *   dk/dlog length_d = 4 k (sin v_d/length_d)^2,  dk/dlog period_d = 2 k v_d sin(2 v_d)/length_d^2,
 *   dk/da_d = -2 k sin(2 v_d)/length_d^2 pi/period_d
 * Sums and products pass derivatives back by the chain rule (reverse mode).
 * Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 4 and 5.
 */
#include "gp/pairs.h"

static const double pi = 3.14159265358979323846;
static const double far_away = 1e3;      /* every Matern value is exactly 0 there; without a limit, inf * 0 */

static bool is_join(una_kernel_code code)
{
    return code == UNA_KERNEL_ADD || code == UNA_KERNEL_MULTIPLY;
}

size_t una_kernel_begin(const una_kernel *kernel, size_t last)
{
    size_t begin = last + 1, open = 1;
    while (open > 0) {
        if (is_join(kernel->op[--begin].code)) open++;
        else open--;
    }
    return begin;
}

void una_side_fill(una_side *side, const una_kernel *kernel, una_view x)
{
    size_t before = side->rows;
    side->rows = x.rows;
    for (size_t o = 0; o < kernel->op_count; o++) {
        const una_kernel_op *op = &kernel->op[o];
        const double *first = kernel->parameter + op->parameter + 1, *second = first + op->count;
        for (size_t d = 0; d < op->count; d++) {
            double *to = side->at + (op->input + d) * side->stride;
            const double *from = x.at + kernel->input[op->input + d];
            double centre = op->code == UNA_KERNEL_LINEAR ? second[d] : 0, factor = 1, under = first[d];
            if (op->code == UNA_KERNEL_LINEAR) factor = first[d], under = 1;
            if (op->code == UNA_KERNEL_PERIODIC) factor = pi, under = second[d];
            for (size_t i = 0; i < side->rows; i++) to[i] = factor * (from[i * x.stride] - centre) / under;
            for (size_t i = side->rows; i < before; i++) to[i] = 0;
        }
    }
}

una_status una_side_room(una_side *side, const una_kernel *kernel, size_t rows, una_arena *arena)
{
    *side = (una_side){ .stride = (rows + UNA_TILE - 1) / UNA_TILE * UNA_TILE };
    UNA_NEW_AT(arena, side->at, kernel->input_count * side->stride);
    return UNA_OK;
}

una_status una_side_make(una_side *side, const una_kernel *kernel, una_view x, una_arena *arena)
{
    UNA_TRY(una_side_room(side, kernel, x.rows, arena));
    una_side_fill(side, kernel, x);
    return UNA_OK;
}

una_status una_pairs_init(una_pairs *pairs, const una_kernel *kernel, una_arena *arena, const una_run *run)
{
    size_t each = kernel->op_count * UNA_TILE;
    double *tape = UNA_GET(arena, double, 3 * each);
    *pairs = (una_pairs){ .kernel = kernel, .kernels = una_kernels_named_f64(run->settings.kernels), .value = tape,
                          .slope = tape ? tape + each : NULL, .back = tape ? tape + 2 * each : NULL };
    return una_arena_check(arena);
}

/* ---- forwards -------------------------------------------------------------------------------------------------- */

/* r^2 in value becomes k; c to slope. */
static void stationary_tile(const una_pairs *p, una_kernel_code code, double var, size_t width, double *value,
                            double *slope)
{
    double root = 2.23606797749979;
    if (code == UNA_KERNEL_MATERN12) root = 1;
    else if (code == UNA_KERNEL_MATERN32) root = 1.7320508075688772;
    if (code == UNA_KERNEL_RBF) {
        p->kernels->pairs->exp(width, -0.5, value, var, value);
        if (slope) memcpy(slope, value, width * sizeof *slope);
        return;
    }

    double e[UNA_TILE], unused[UNA_TILE];
    if (!slope) slope = unused;
    for (size_t j = 0; j < width; j++) {
        double r = sqrt(value[j]);
        value[j] = root * (r > far_away ? far_away : r);
    }
    p->kernels->pairs->exp(width, -1, value, var, e);

    for (size_t j = 0; j < width; j++) {
        double s = value[j], scaled = e[j];
        if (code == UNA_KERNEL_MATERN12) {
            value[j] = scaled;
            slope[j] = s > 0 ? scaled / s : 0;
        } else if (code == UNA_KERNEL_MATERN32) {
            value[j] = (1 + s) * scaled;
            slope[j] = 3 * scaled;
        } else {
            value[j] = (1 + s + s * s / 3) * scaled;
            slope[j] = 5.0 / 3.0 * (1 + s) * scaled;
        }
    }
}

static void leaf_tile(const una_pairs *p, const una_kernel_op *op, const una_pair_rows_f64 *of, double *value,
                      double *slope)
{
    const double var = p->kernel->parameter[op->parameter], *length = p->kernel->parameter + op->parameter + 1;
    const double *a = of->a, *b = of->b;
    size_t width = of->n;
    if (op->code < UNA_KERNEL_PERIODIC) {
        p->kernels->pairs->distances(of, value);
        stationary_tile(p, op->code, var, width, value, slope);
        return;
    }

    for (size_t j = 0; j < width; j++) value[j] = op->code == UNA_KERNEL_CONSTANT ? var : 0;
    if (op->code == UNA_KERNEL_LINEAR) {
        for (size_t d = 0; d < op->count; d++)
            for (size_t j = 0; j < width; j++) value[j] += a[d * of->a_step] * b[d * of->b_stride + j];
        for (size_t j = 0; j < width; j++) value[j] *= var;
    } else if (op->code == UNA_KERNEL_PERIODIC) {
        for (size_t d = 0; d < op->count; d++)
            for (size_t j = 0; j < width; j++) {
                double s = sin(a[d * of->a_step] - b[d * of->b_stride + j]) / length[d];
                value[j] -= 2 * s * s;
            }
        p->kernels->pairs->exp(width, 1, value, var, value);
    }
}

/* The coordinates of a leaf, which are scaled as it wants them. */
static una_pair_rows_f64 leaf_rows(const una_kernel_op *op, const una_pair_tile *t)
{
    return (una_pair_rows_f64){ t->width, op->count, t->a->at + op->input * t->a->stride + t->i,
                                t->b->at + op->input * t->b->stride + t->first, t->a->stride, t->b->stride };
}

void una_pairs_values(una_pairs *p, una_pair_tile tile, double *out)
{
    const una_pair_tile *t = &tile;
    size_t stack[UNA_KERNEL_DEPTH + 1], top = 0;
    for (size_t o = 0; o < p->kernel->op_count; o++) {
        const una_kernel_op *op = &p->kernel->op[o];
        double *to = out && o + 1 == p->kernel->op_count ? out : p->value + o * UNA_TILE;

        if (!is_join(op->code)) {
            const una_pair_rows_f64 rows = leaf_rows(op, t);
            leaf_tile(p, op, &rows, to, out ? NULL : p->slope + o * UNA_TILE);
        } else {
            const double *two = p->value + stack[--top] * UNA_TILE, *one = p->value + stack[--top] * UNA_TILE;
            if (op->code == UNA_KERNEL_ADD)
                for (size_t j = 0; j < t->width; j++) to[j] = one[j] + two[j];
            else
                for (size_t j = 0; j < t->width; j++) to[j] = one[j] * two[j];
        }

        stack[top++] = o;
    }
}

/* ---- backwards ------------------------------------------------------------------------------------------------- */

/* back[o] of every operation, from weight at the last. The second part of a join ends just before it, the first
 * where the second begins. */
static void backward_tape(una_pairs *p, size_t width, const double *weight)
{
    const una_kernel_op *op = p->kernel->op;
    size_t last = p->kernel->op_count - 1;
    memcpy(p->back + last * UNA_TILE, weight, width * sizeof *weight);

    for (size_t o = last; o > 0; o--) {
        if (!is_join(op[o].code)) continue;
        size_t two = o - 1;
        size_t one = una_kernel_begin(p->kernel, o - 1) - 1;
        const double *at = p->back + o * UNA_TILE, *value_one = p->value + one * UNA_TILE,
                     *value_two = p->value + two * UNA_TILE;
        bool product = op[o].code == UNA_KERNEL_MULTIPLY;
        double *to_one = p->back + one * UNA_TILE, *to_two = p->back + two * UNA_TILE;

        for (size_t j = 0; j < width; j++) {
            to_one[j] = product ? at[j] * value_two[j] : at[j];
            to_two[j] = product ? at[j] * value_one[j] : at[j];
        }
    }
}

static void add_lanes(size_t width, const double *x, double *sum)
{
    for (size_t j = 0; j < width; j += UNA_PAD)
        for (size_t k = 0; k < UNA_PAD; k++) sum[k] += x[j + k];
}

static void periodic_gradient(const una_kernel_op *op, const una_pair_rows_f64 *of, const double *length,
                              const double *by_value, double *sum)
{
    for (size_t d = 0; d < op->count; d++)
        for (size_t j = 0; j < of->n; j++) {
            double v = of->a[d * of->a_step] - of->b[d * of->b_stride + j], s = sin(v) / length[d],
                   under = length[d] * length[d];
            sum[(1 + d) * UNA_PAD + j % UNA_PAD] += by_value[j] * 4 * s * s;
            sum[(1 + op->count + d) * UNA_PAD + j % UNA_PAD] += by_value[j] * 2 * v * sin(2 * v) / under;
        }
}

void una_pairs_gradient(una_pairs *p, una_pair_tile tile, const double *weight, double *sum)
{
    const una_kernel *k = p->kernel;
    const size_t width = tile.width;
    double by[UNA_TILE];
    una_pairs_values(p, tile, NULL);
    backward_tape(p, width, weight);

    for (size_t o = 0; o < k->op_count; o++) {
        const una_kernel_op *op = &k->op[o];
        if (is_join(op->code)) continue;
        const double *back = p->back + o * UNA_TILE, *value = p->value + o * UNA_TILE, *slope = p->slope + o * UNA_TILE;
        const una_pair_rows_f64 rows = leaf_rows(op, &tile);
        double *leaf_sum = sum + op->parameter * UNA_PAD;

        for (size_t j = 0; j < width; j++) by[j] = back[j] * value[j];
        add_lanes(width, by, leaf_sum);
        if (op->code == UNA_KERNEL_CONSTANT || op->code == UNA_KERNEL_LINEAR) continue;
        if (op->code == UNA_KERNEL_PERIODIC) {
            periodic_gradient(op, &rows, k->parameter + op->parameter + 1, by, leaf_sum);
            continue;
        }

        for (size_t j = 0; j < width; j++) by[j] = back[j] * slope[j];
        if (p->common && p->common[o]) {                 /* r^2 = sum u^2: one sum instead of one per length */
            double r2[UNA_TILE];
            p->kernels->pairs->distances(&rows, r2);
            for (size_t j = 0; j < width; j++) by[j] *= r2[j];
            add_lanes(width, by, leaf_sum + UNA_PAD);
        } else p->kernels->pairs->weighted_distances(&rows, by, leaf_sum + UNA_PAD);
    }
}

/* dk/da_d of one leaf, times what comes back, over the pairs. */
static double leaf_slope(const una_pairs *p, size_t o, size_t d, double a, const double *b, size_t width)
{
    const una_kernel_op *op = &p->kernel->op[o];
    const double *parameter = p->kernel->parameter + op->parameter, *first = parameter + 1, *second = first + op->count;
    const double *back = p->back + o * UNA_TILE, *value = p->value + o * UNA_TILE, *slope = p->slope + o * UNA_TILE;
    double sum = 0;
    for (size_t j = 0; j < width; j++) {
        double step = a - b[j];
        if (op->code == UNA_KERNEL_LINEAR) sum += back[j] * parameter[0] * first[d] * b[j];
        else if (op->code == UNA_KERNEL_PERIODIC)
            sum -= back[j] * value[j] * 2 * sin(2 * step) / (first[d] * first[d]) * pi / second[d];
        else if (slope[j] != 0) sum -= back[j] * slope[j] * step / first[d];
    }
    return sum;
}

void una_pairs_slope(una_pairs *p, una_pair_tile tile, const double *weight, double *slope)
{
    const una_kernel *k = p->kernel;
    una_pairs_values(p, tile, NULL);
    backward_tape(p, tile.width, weight);
    for (size_t o = 0; o < k->op_count; o++) {
        const una_pair_rows_f64 rows = leaf_rows(&k->op[o], &tile);
        for (size_t d = 0; d < rows.count; d++)
            slope[k->input[k->op[o].input + d]] += leaf_slope(p, o, d, rows.a[d * rows.a_step],
                                                              rows.b + d * rows.b_stride, rows.n);
    }
}
