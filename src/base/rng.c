/* SPDX-License-Identifier: MIT
 *
 * Counter-based random numbers: Philox4x32-10 (Salmon et al., Parallel random numbers: as easy as 1, 2, 3, 2011).
 * A stream is named by (seed, purpose, index), so results do not depend on who draws first.
 */
#include "base/base.h"

#include <Random123/philox.h>

una_rng una_rng_at(uint64_t seed, una_purpose purpose, uint64_t index)
{
    una_rng rng = { .key = { (uint32_t)seed, (uint32_t)(seed >> 32) } };
    rng.counter[1] = (uint32_t)purpose;
    rng.counter[2] = (uint32_t)index;
    rng.counter[3] = (uint32_t)(index >> 32);
    return rng;
}

static void refill_random_words(una_rng *rng)
{
    philox4x32_ctr_t counter = {{ rng->counter[0], rng->counter[1], rng->counter[2], rng->counter[3] }};
    philox4x32_key_t key = {{ rng->key[0], rng->key[1] }};
    philox4x32_ctr_t words = philox4x32(counter, key);
    for (int i = 0; i < 4; i++) rng->buffer[i] = words.v[i];
    rng->left = 4;
    /* The 24 bits above the purpose take the carry: 2^56 blocks a stream. */
    if (++rng->counter[0] == 0) rng->counter[1] += 1u << 8;
}

uint32_t una_rng_u32(una_rng *rng)
{
    if (rng->left == 0) refill_random_words(rng);
    return rng->buffer[--rng->left];
}

double una_rng_uniform(una_rng *rng)
{
    uint64_t high = una_rng_u32(rng), low = una_rng_u32(rng);
    return (double)((high << 32 | low) >> 11) * 0x1p-53;
}

double una_rng_normal(una_rng *rng)
{
    if (rng->has_spare) {
        rng->has_spare = 0;
        return rng->spare;
    }
    double radius = sqrt(-2 * log(1 - una_rng_uniform(rng)));
    double angle = 6.283185307179586476925 * una_rng_uniform(rng);
    rng->spare = radius * sin(angle);
    rng->has_spare = 1;
    return radius * cos(angle);
}

size_t una_rng_below(una_rng *rng, size_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n, word;
    do {
        uint64_t high = una_rng_u32(rng);
        word = high << 32 | una_rng_u32(rng);
    } while (word >= limit);
    return (size_t)(word % n);
}

una_status una_order_new(uint32_t **order, size_t n, una_arena *arena)
{
    *order = NULL;
    if (n > UINT32_MAX)
        UNA_FAIL(arena->run, UNA_E_INPUT, "at most %u rows can be put in random order, and there are %zu; take fewer",
                 UINT32_MAX, n);
    *order = UNA_GET_ROWS(arena, uint32_t, n);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < n; i++) (*order)[i] = (uint32_t)i;
    return UNA_OK;
}

void una_rng_permute(una_rng *rng, uint32_t *order, size_t n)
{
    for (size_t i = 0; i < n; i++) order[i] = (uint32_t)i;
    for (size_t i = n; i > 1; i--) {
        size_t j = una_rng_below(rng, i);
        uint32_t kept = order[i - 1];
        order[i - 1] = order[j];
        order[j] = kept;
    }
}

int una_by_number(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct ranked { double value; size_t row; } ranked;

static int compare_ranked(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->value != q->value) return p->value < q->value ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

size_t *una_order_of(const double *value, size_t rows, una_arena *arena)
{
    ranked *list = UNA_GET(arena, ranked, rows);
    size_t *order = UNA_GET(arena, size_t, rows);
    if (arena->failed) return NULL;
    for (size_t i = 0; i < rows; i++) list[i] = (ranked){ isnan(value[i]) ? INFINITY : value[i], i };
    qsort(list, rows, sizeof *list, compare_ranked);
    for (size_t i = 0; i < rows; i++) order[i] = list[i].row;
    return order;
}
