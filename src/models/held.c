/* SPDX-License-Identifier: MIT
 *
 * Rows that train, rows that do not, and batches. See held.h.
 */
#include "models/held.h"

#include <string.h>

static const double LOG_TWO_PI = 1.83787706640934548356;

static void copy_row(float *to, una_view x, size_t row)
{
    for (size_t d = 0; d < x.cols; d++) to[d] = (float)x.at[row * x.stride + d];
}

una_status una_held_split(una_held *h, const una_problem *p, size_t fold, una_arena *arena)
{
    bool by_fold = fold != SIZE_MAX;
    size_t inputs = p->x.cols, most = by_fold ? p->x.rows : p->valid_x.rows;
    *h = (una_held){ .inputs = inputs };
    h->x = UNA_GET(arena, float, p->x.rows * inputs);
    h->target = UNA_GET(arena, float, p->x.rows);
    h->y = UNA_GET(arena, double, p->x.rows);
    h->held_x = UNA_GET(arena, float, most * inputs);
    h->held_y = UNA_GET(arena, double, most);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < p->x.rows; i++) {
        bool out = by_fold && p->fold[i] == fold;
        copy_row(out ? h->held_x + h->held * inputs : h->x + h->rows * inputs, p->x, i);
        if (out) h->held_y[h->held++] = p->y[i];
        else h->y[h->rows++] = p->y[i];
    }
    for (size_t i = 0; !by_fold && i < p->valid_x.rows; i++) {
        copy_row(h->held_x + i * inputs, p->valid_x, i);
        h->held_y[h->held++] = p->valid_y[i];
    }
    for (size_t i = 0; i < h->rows; i++) h->target[i] = (float)h->y[i];
    return UNA_OK;
}

una_status una_batches_init(una_batches *b, const una_held *held, size_t batch, uint64_t seed, uint64_t stream,
                            una_arena *arena)
{
    bool whole = batch == 0 || batch >= held->rows;
    *b = (una_batches){ .held = held, .count = whole ? 1 : (held->rows + batch / 2) / batch, .seed = seed, .stream = stream };
    size_t most = una_batches_most(b);
    b->order = UNA_GET(arena, size_t, held->rows);
    b->x = UNA_GET(arena, float, most * held->inputs);
    b->target = UNA_GET(arena, float, most);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < held->rows; i++) b->order[i] = i;
    return UNA_OK;
}

size_t una_batches_most(const una_batches *b)
{
    return (b->held->rows + b->count - 1) / b->count;
}

void una_batches_next(una_batches *b, size_t step)
{
    size_t rows = b->held->rows, inputs = b->held->inputs, at = step % b->count;
    if (b->count == 1 && step > 0) return;               /* all rows every step: already there */
    if (at == 0 && b->count > 1) {
        una_rng rng = una_rng_at(b->seed, UNA_FOR_BATCHES, b->stream << 40 | step / b->count);
        una_rng_permute(&rng, b->order, rows);
    }
    size_t from = at * rows / b->count;
    b->rows = (at + 1) * rows / b->count - from;
    for (size_t i = 0; i < b->rows; i++) {
        size_t row = b->order[from + i];
        memcpy(b->x + i * inputs, b->held->x + row * inputs, inputs * sizeof(float));
        b->target[i] = b->held->target[row];
    }
}

double una_held_score(double square)
{
    return -0.5 * (LOG_TWO_PI + 1 + log(fmax(square, 1e-12)));
}

double una_held_noise(double square, size_t rows)
{
    return fmin(4, fmax(square, 1e-8) * exp(sqrt(2 / (double)rows)));
}

static double *copied(const double *values, size_t count, una_arena *arena)
{
    double *copy = UNA_GET(arena, double, count);
    if (copy) memcpy(copy, values, count * sizeof *copy);
    return copy;
}

una_status una_held_curve(una_fit_result *result, size_t looks, const double *step, const double *loss, const double *look,
                          una_arena *keep)
{
    double *none = UNA_GET(keep, double, looks);
    una_curve curve = { looks, copied(step, looks, keep), copied(loss, looks, keep), copied(look, looks, keep), none };
    UNA_TRY(una_arena_check(keep));
    for (size_t i = 0; i < looks; i++) none[i] = NAN;
    result->curve = curve;
    return UNA_OK;
}
