/* SPDX-License-Identifier: MIT
 *
 * Rows with equal inputs: a table of hashes holds the last row of each ring. Rows of a label, and trees of rows. See
 * copies.h.
 */
#include "data/copies.h"

#include "base/hash.h"

typedef struct rings {
    uint64_t *slot;                      /* upper half of the hash, and 1 + the ring's last row; 0: free     */
    size_t    slots;                     /* a power of two                                                  */
    una_hash_key key;
} rings;

/* Rows are added in their order, so a ring is in order too. */
static void link_row(una_copies *c, rings *r, const una_view *x, uint32_t row)
{
    const double *own = x->at + row * x->stride;
    una_hash h = una_hash_begin(r->key);
    for (size_t d = 0; d < x->cols; d++) una_hash_add_number(&h, own[d]);
    uint64_t hash = una_hash_end(h), mark = hash >> 32 << 32;
    size_t i = (size_t)hash & (r->slots - 1);
    c->next[row] = row;
    for (; r->slot[i]; i = (i + 1) & (r->slots - 1)) {
        uint32_t last = (uint32_t)r->slot[i] - 1;
        const double *other = x->at + last * x->stride;
        size_t equal = 0;
        if (mark == r->slot[i] >> 32 << 32)
            while (equal < x->cols && own[equal] == other[equal]) equal++;
        if (mark != r->slot[i] >> 32 << 32 || equal < x->cols) continue;
        c->next[row] = c->next[last];
        c->next[last] = row;
        break;
    }
    r->slot[i] = mark | (row + 1);
}

/* The last of a ring is the row whose next does not stand behind it. */
static void count_rings(una_copies *c, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (c->next[i] > i) continue;
        size_t size = 1;
        for (size_t row = c->next[i]; row != i; row = c->next[row]) size++;
        c->groups++;
        if (size > 1) c->copied += size;
        if (size > c->largest) c->largest = size;
    }
}

static una_status link_all(una_copies *c, const una_view *x, una_run *run)
{
    enum { AT_ONCE = 1 << 14 };
    rings r = { .slots = 16, .key = una_hash_key_of(run) };
    while (r.slots < x->rows + x->rows / 2) r.slots *= 2;
    UNA_NEW_ROWS_AT(&run->scratch, r.slot, r.slots);
    for (size_t i = 0; i < x->rows; i++) {
        if (i % AT_ONCE == 0) UNA_TRY(una_check_cancelled(run, "looking for rows with equal inputs"));
        link_row(c, &r, x, (uint32_t)i);
    }
    count_rings(c, x->rows);
    return UNA_OK;
}

una_status una_copies_find(una_copies *copies, una_view x, una_arena *arena, una_run *run)
{
    *copies = (una_copies){ .next = NULL };
    UNA_TRY(una_order_new(&copies->next, x.rows, arena));
    UNA_SCOPED(run, link_all(copies, &x, run));
    return UNA_OK;
}

/* ---- rows that belong together for other reasons --------------------------------------------------------------- */

static una_status link_labels(una_copies *c, const uint32_t *label, size_t rows, una_run *run)
{
    uint32_t most = 0;
    for (size_t i = 0; i < rows; i++) most = label[i] > most ? label[i] : most;
    UNA_NEW_ROWS(&run->scratch, uint32_t, last, (size_t)most + 1);       /* 1 + the last row of each label; 0: none */
    for (size_t i = 0; i < rows; i++) {
        uint32_t row = (uint32_t)i, before = last[label[i]];
        c->next[row] = row;
        if (before) {
            c->next[row] = c->next[before - 1];
            c->next[before - 1] = row;
        }
        last[label[i]] = row + 1;
    }
    count_rings(c, rows);
    return UNA_OK;
}

una_status una_copies_of_labels(una_copies *copies, const uint32_t *label, size_t rows, una_arena *arena, una_run *run)
{
    *copies = (una_copies){ .next = NULL };
    UNA_TRY(una_order_new(&copies->next, rows, arena));
    UNA_SCOPED(run, link_labels(copies, label, rows, run));
    return UNA_OK;
}

uint32_t una_root_of(uint32_t *parent, uint32_t row)
{
    while (parent[row] != row) row = parent[row] = parent[parent[row]];
    return row;
}

void una_unite_roots(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t x = una_root_of(parent, a), y = una_root_of(parent, b);
    if (x < y) parent[y] = x;
    else parent[x] = y;
}
