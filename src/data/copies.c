/* SPDX-License-Identifier: MIT
 *
 * Rows with equal inputs: sorted by a hash, then compared value by value. See copies.h.
 */
#include "data/copies.h"

#include <stdlib.h>
#include <string.h>

#define LINKED UINT32_MAX                /* a row's number is below it (una_order_new)                      */

typedef struct print { uint64_t hash; uint32_t row; } print;     /* row LINKED: it stands in a ring already  */

typedef struct rows { const double *at; size_t count, cols, stride; } rows;

static uint64_t hash_of(const rows *x, size_t row)
{
    const double *at = x->at + row * x->stride;
    uint64_t hash = 1469598103934665603u;
    for (size_t d = 0; d < x->cols; d++) {
        double value = at[d] + 0.0;              /* -0 becomes 0 */
        uint64_t word;
        memcpy(&word, &value, sizeof word);
        hash = (hash ^ word ^ word >> 32) * 1099511628211u;
    }
    return hash;
}

/* By the row too, so that rings run in the order of the rows whatever sorts them. */
static int by_hash(const void *a, const void *b)
{
    const print *p = a, *q = b;
    if (p->hash != q->hash) return p->hash < q->hash ? -1 : 1;
    return (p->row > q->row) - (p->row < q->row);
}

static bool same(const rows *x, size_t a, size_t b)
{
    const double *left = x->at + a * x->stride, *right = x->at + b * x->stride;
    for (size_t d = 0; d < x->cols; d++)
        if (left[d] != right[d]) return false;
    return true;
}

/* The ring of the first print, of those of the same hash that are in none; returns its size. */
static size_t link_ring(una_copies *c, print *prints, size_t count, const rows *x)
{
    uint32_t first = prints[0].row, last = first;
    size_t size = 1;
    for (size_t i = 1; i < count; i++) {
        if (prints[i].row == LINKED || !same(x, first, prints[i].row)) continue;
        c->next[last] = prints[i].row;
        last = prints[i].row;
        prints[i].row = LINKED;
        size++;
    }
    c->next[last] = first;
    return size;
}

static void link_all(una_copies *c, print *prints, const rows *x)
{
    for (size_t from = 0, to; from < x->count; from = to) {
        for (to = from; to < x->count && prints[to].hash == prints[from].hash;) to++;
        for (size_t i = from; i < to; i++) {
            if (prints[i].row == LINKED) continue;
            size_t size = link_ring(c, prints + i, to - i, x);
            c->groups++;
            if (size > 1) c->copied += size;
            if (size > c->largest) c->largest = size;
        }
    }
}

una_status una_copies_find(una_copies *copies, const double *at, size_t count, size_t cols, size_t stride,
                           una_arena *arena, una_run *run)
{
    rows x = { at, count, cols, stride };
    *copies = (una_copies){ .next = NULL };
    UNA_TRY(una_order_new(&copies->next, count, arena));

    una_mark mark = una_arena_mark(&run->scratch);
    print *prints = UNA_GET_ROWS(&run->scratch, print, count);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) {
        for (size_t i = 0; i < count; i++) prints[i] = (print){ hash_of(&x, i), (uint32_t)i };
        qsort(prints, count, sizeof *prints, by_hash);
        link_all(copies, prints, &x);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}
