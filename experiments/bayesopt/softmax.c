/* SPDX-License-Identifier: MIT
 *
 * Softmax regression on rows that are mostly zero: only nonzero numbers are used, by kernels of sixteen columns.
 */
#include "bayesopt/softmax.h"

static const float bytes_to_one = 1.0f / 256, masked = -1e4f;

una_status una_sparse_rows_of(una_sparse_rows *sparse, const unsigned char *bytes, const unsigned char *label,
                              size_t rows, size_t columns, una_arena *arena)
{
    size_t total = 0, at = 0, longest = 0;
    for (size_t i = 0; i < rows * columns; i++) total += bytes[i] != 0;
    UNA_NEW(arena, size_t, first, rows + 1);
    UNA_NEW(arena, uint16_t, index, total);
    UNA_NEW(arena, unsigned char, value, total);

    for (size_t r = 0; r < rows; r++) {
        const unsigned char *row = bytes + r * columns;
        first[r] = at;
        for (size_t c = 0; c < columns; c++) {
            if (row[c] == 0) continue;
            index[at] = (uint16_t)c;
            value[at++] = row[c];
        }
        if (at - first[r] > longest) longest = at - first[r];
    }
    first[rows] = at;
    *sparse = (una_sparse_rows){ rows, columns, longest, first, index, value, label };
    return UNA_OK;
}

una_status una_softmax_new(una_softmax *model, size_t columns, uint64_t seed, una_arena *arena)
{
    size_t count = columns * UNA_SOFTMAX_WIDTH;
    una_rng rng = una_rng_at(seed, UNA_FOR_INIT, 0);
    double std = sqrt(1 / (double)columns);
    *model = (una_softmax){ UNA_GET(arena, float, count), UNA_GET(arena, float, UNA_SOFTMAX_WIDTH),
                            UNA_GET(arena, float, count), UNA_GET(arena, float, UNA_SOFTMAX_WIDTH) };
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < columns; i++)
        for (size_t c = 0; c < UNA_SOFTMAX_CLASSES; c++)
            model->w[i * UNA_SOFTMAX_WIDTH + c] = (float)(std * una_rng_normal(&rng));
    return UNA_OK;
}

/* ---- one row ------------------------------------------------------------------------------------------------- */

const una_sparse_kernels *una_sparse_kernels_of(const una_kernels_f32 *set)
{
#ifdef UNA_HAS_avx512
    if (strcmp(set->name, "avx512") == 0) return &una_sparse_kernels_avx512_f32;
#endif
#ifdef UNA_HAS_avx2
    if (strcmp(set->name, "avx2") == 0) return &una_sparse_kernels_avx2_f32;
#endif
    return &una_sparse_kernels_generic_f32;
}

/* 64 well mixed bits of a counter: the finaliser of SplitMix64 (Steele, Lea and Flood 2014). */
static inline uint64_t splitmix_bits(uint64_t z)
{
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static void softmax_take_row(una_sparse_row *t, const una_sparse_rows *rows, size_t row)
{
    size_t from = rows->first[row];
    t->count = rows->first[row + 1] - from;
    memcpy(t->index, rows->index + from, t->count * sizeof *t->index);
    for (size_t i = 0; i < t->count; i++) t->value[i] = bytes_to_one * rows->value[from + i];
}

/* Each number stays with probability 1 - dropout, to 1/65536, and then counts for 1/(1 - dropout). The masks of a row
 * follow from `key` and its number alone. */
static void take_some(una_sparse_row *t, const una_sparse_rows *rows, size_t row, double dropout, uint64_t key)
{
    const uint64_t golden = 0x9e3779b97f4a7c15u;
    const uint32_t threshold = (uint32_t)(dropout * 65536);
    const float scale = bytes_to_one / (float)(1 - dropout);
    uint64_t counter = key + golden * ((uint64_t)row << 16), bits = 0;
    size_t from = rows->first[row], count = rows->first[row + 1] - from, kept = 0;

    for (size_t i = 0; i < count; i++, bits >>= 16) {
        if (i % 4 == 0) bits = splitmix_bits(counter += golden);
        t->index[kept] = rows->index[from + i];
        t->value[kept] = scale * rows->value[from + i];
        kept += (bits & 0xffff) >= threshold;
    }
    t->count = kept;
}

static void softmax_logits(float *z, const una_softmax *model, const una_softmax_work *t)
{
    memcpy(z, model->b, UNA_SOFTMAX_WIDTH * sizeof *z);
    t->sparse->combine(&t->row, model->w, z);
}

/* z becomes the probabilities less the label; returns its loss. */
static double softmax_residual(float *z, size_t label, const una_kernels_f32 *kern)
{
    float top = z[0], sum = 0, at_label = z[label];
    for (size_t c = 1; c < UNA_SOFTMAX_CLASSES; c++) top = z[c] > top ? z[c] : top;
    for (size_t c = 0; c < UNA_SOFTMAX_WIDTH; c++) z[c] = c < UNA_SOFTMAX_CLASSES ? z[c] - top : masked;
    kern->pairs->exp(UNA_SOFTMAX_WIDTH, 1, z, 1, z);
    for (size_t c = 0; c < UNA_SOFTMAX_CLASSES; c++) sum += z[c];
    for (size_t c = 0; c < UNA_SOFTMAX_WIDTH; c++) z[c] /= sum;
    z[label] -= 1;
    return log((double)sum) + (double)top - (double)at_label;
}

/* ---- batches ------------------------------------------------------------------------------------------------- */

una_status una_softmax_begin(una_softmax_work *t, const una_sparse_rows *rows, una_run *run)
{
    t->kern = una_kernels_named_f32(run->settings.kernels);
    t->sparse = una_sparse_kernels_of(t->kern);
    UNA_NEW_AT(&run->scratch, t->row.index, rows->longest + 1);
    UNA_NEW_AT(&run->scratch, t->row.value, rows->longest + 1);
    return UNA_OK;
}

static uint64_t epoch_key(uint64_t seed, uint64_t epoch)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_PERTURBATION, epoch);
    uint64_t high = una_rng_u32(&rng);
    return high << 32 | una_rng_u32(&rng);
}

double una_softmax_slopes(una_softmax *model, const una_sparse_rows *rows, const uint32_t *order,
                          const una_softmax_settings *s, uint64_t epoch, una_softmax_work *t)
{
    uint64_t key = epoch_key(s->seed, epoch);
    float z[UNA_SOFTMAX_WIDTH];
    double loss = 0, share = 1 / (double)s->batch;
    for (size_t i = 0; i < s->batch; i++) {
        if (s->dropout > 0) take_some(&t->row, rows, order[i], s->dropout, key);
        else softmax_take_row(&t->row, rows, order[i]);
        softmax_logits(z, model, t);
        loss += softmax_residual(z, rows->label[order[i]], t->kern);
        for (size_t c = 0; c < UNA_SOFTMAX_WIDTH; c++) {
            z[c] *= (float)share;
            model->b_slope[c] += z[c];
        }
        t->sparse->spread(&t->row, z, model->w_slope);
    }
    return loss * share;
}

static void softmax_step(una_softmax *model, size_t columns, const una_softmax_settings *s,
                         const una_sparse_kernels *sparse)
{
    float shrink = (float)(1 - 2 * s->rate * s->l2), rate = (float)s->rate;
    sparse->step(columns * UNA_SOFTMAX_WIDTH, shrink, rate, model->w, model->w_slope);
    sparse->step(UNA_SOFTMAX_WIDTH, 1, rate, model->b, model->b_slope);
}

static double percent_wrong(const una_softmax *model, const una_sparse_rows *rows, size_t from, size_t count,
                            una_softmax_work *t)
{
    size_t wrong = 0;
    float z[UNA_SOFTMAX_WIDTH];
    for (size_t row = from; row < from + count; row++) {
        size_t best = 0;
        softmax_take_row(&t->row, rows, row);
        softmax_logits(z, model, t);
        for (size_t c = 1; c < UNA_SOFTMAX_CLASSES; c++) best = z[c] > z[best] ? c : best;
        wrong += best != rows->label[row];
    }
    return 100 * (double)wrong / (double)count;
}

static una_status softmax_train(una_softmax *model, const una_sparse_rows *rows, size_t count,
                                const una_softmax_settings *s, una_softmax_work *t, una_run *run)
{
    uint32_t *order;
    UNA_TRY(una_order_new(&order, count, &run->scratch));
    for (size_t epoch = 0; epoch < s->epochs; epoch++) {
        una_rng rng = una_rng_at(s->seed, UNA_FOR_BATCHES, epoch);
        if (una_cancelled(run)) UNA_FAIL(run, UNA_CANCELLED, "interrupted in softmax regression");
        una_rng_permute(&rng, order, count);
        for (size_t at = 0; at + s->batch <= count; at += s->batch) {
            una_softmax_slopes(model, rows, order + at, s, epoch, t);
            softmax_step(model, rows->columns, s, t->sparse);
        }
    }
    return UNA_OK;
}

una_status una_softmax_error(double *percent, const una_sparse_rows *rows, size_t train, size_t asked,
                             const una_softmax_settings *settings, una_run *run)
{
    una_softmax model;
    una_softmax_work t;
    UNA_TRY(una_softmax_new(&model, rows->columns, settings->seed, &run->scratch));
    UNA_TRY(una_softmax_begin(&t, rows, run));
    UNA_TRY(softmax_train(&model, rows, train, settings, &t, run));
    *percent = percent_wrong(&model, rows, train, asked / settings->batch * settings->batch, &t);
    return UNA_OK;
}
