/* SPDX-License-Identifier: MIT
 *
 * Arenas: memory with one owner and one end. A chain of blocks; a request takes from the top block or opens a
 * new one. Failure is sticky, so a batch of requests is checked once. Many rows of data get a block of their own that
 * is mapped (scratch_file.c); its head stays in memory. An arena that keeps never gives its last block back: what came
 * and went in order needs no more than its peak, and finds it there.
 */
#include "base/base.h"

/* Tests make these 0: then every request is a block of its own, and the n-th one can fail. */
#ifndef UNA_FIRST_BLOCK
#define UNA_FIRST_BLOCK (16 << 10)
#define UNA_LARGEST_STEP (4 << 20)
#endif

enum { ALIGN = 64, LEAST_MAPPED = 16 << 20 };

struct una_arena_block {
    una_arena_block *below;
    unsigned char   *base;       /* aligned */
    size_t           size, used;
    size_t           touched;    /* bytes before it were given out once, or may hold anything; zeros follow */
    bool             mapped;     /* base is no part of this allocation, and full                 */
};

struct una_arena_end {           /* lies in the arena itself */
    una_arena_end *before;
    void         (*end)(void *what);
    void          *what;
};

void una_arena_init(una_arena *arena, una_run *run)
{
    *arena = (una_arena){ .run = run };
}

static void close_top(una_arena *arena)
{
    una_arena_block *top = arena->top;
    arena->top = top->below;
    if (top->mapped) una_scratch_unmap(top->base, top->size);
    if (top->mapped) una_scratch_give(arena->run, top->size);
    una_release(arena->run, top);
}

/* All that came after `first`. */
static void call_ends(una_arena *arena, const una_arena_end *first)
{
    while (arena->at_end != first) {
        una_arena_end *last = arena->at_end;
        arena->at_end = last->before;
        last->end(last->what);
    }
}

una_status una_arena_at_end(una_arena *arena, void (*end)(void *what), void *what)
{
    una_arena_end *mine = UNA_GET(arena, una_arena_end, 1);
    if (!mine) {
        end(what);
        return UNA_E_MEMORY;
    }
    *mine = (una_arena_end){ arena->at_end, end, what };
    arena->at_end = mine;
    return UNA_OK;
}

void una_arena_free(una_arena *arena)
{
    call_ends(arena, NULL);
    while (arena->top) close_top(arena);
    arena->failed = false;
    arena->live = 0;
}

static una_arena_block *open_block(una_arena *arena, size_t need);

/* Gives back all memory but one block with room for the peak. Without memory for that block there is none, and no
 * sentence. */
static void empty_kept(una_arena *arena)
{
    arena->live = 0;
    if (arena->top && !arena->top->below && arena->top->size >= arena->peak) {
        arena->top->used = 0;
        return;
    }

    char message[sizeof arena->run->message];
    memcpy(message, arena->run->message, sizeof message);
    while (arena->top) close_top(arena);
    if (!open_block(arena, arena->peak)) memcpy(arena->run->message, message, sizeof message);
}

void una_arena_reuse(una_arena *arena)
{
    arena->failed = false;
    call_ends(arena, NULL);
    if (arena->keeps) {
        empty_kept(arena);
        return;
    }

    arena->live = 0;
    if (!arena->top) return;
    bool mapped = false;
    size_t all = 0;
    for (const una_arena_block *block = arena->top; block; block = block->below) {
        mapped = mapped || block->mapped;
        all += block->size;
    }

    arena->top->used = 0;
    if (!arena->top->below && !mapped) return;
    if (!mapped) arena->least = all;     /* a mapping parts what came before it from what comes after */
    una_arena_free(arena);
}

static una_arena_block *open_block(una_arena *arena, size_t need)
{
    bool grows = arena->top && !arena->top->mapped;
    size_t size = grows ? 2 * arena->top->size : UNA_FIRST_BLOCK;
    if (size > UNA_LARGEST_STEP) size = UNA_LARGEST_STEP;
    if (!arena->top && size < arena->least) size = arena->least;
    if (size < need) size = need;
    una_arena_block *block = una_allocate(arena->run, sizeof *block + ALIGN + size);
    if (!block) return NULL;
    uintptr_t start = (uintptr_t)(block + 1);
    *block = (una_arena_block){ .below = arena->top, .size = size, .touched = una_is_zeroed(block) ? 0 : size,
                                .base = (unsigned char *)((start + ALIGN - 1) / ALIGN * ALIGN) };
    return arena->top = block;
}

/* The head and the mapping, or neither. */
static void *open_mapped(una_arena *arena, size_t size)
{
    if (!una_scratch_take(arena->run, size)) return NULL;
    void *at = una_scratch_map(size);
    una_arena_block *block = at ? una_allocate(arena->run, sizeof *block) : NULL;
    if (block) {
        *block = (una_arena_block){ .below = arena->top, .base = at, .size = size, .used = size, .mapped = true };
        arena->top = block;
        return at;
    }
    if (at) una_scratch_unmap(at, size);
    una_scratch_give(arena->run, size);
    arena->failed = at != NULL;
    return NULL;
}

void *una_arena_get(una_arena *arena, size_t count, size_t size)
{
    if (arena->failed) return NULL;
    if (size && count > (SIZE_MAX / 2 - 2 * ALIGN) / size) {
        una_fail(arena->run, UNA_E_MEMORY, "a request for %zu items of %zu bytes is beyond any memory", count, size);
        arena->failed = true;
        return NULL;
    }

    size_t need = (count * size + ALIGN - 1) / ALIGN * ALIGN;
    if (need == 0) need = ALIGN;
    una_arena_block *block = arena->top;
    if (!block || block->size - block->used < need) block = open_block(arena, need);
    if (!block) {
        arena->failed = true;
        return NULL;
    }

    unsigned char *at = block->base + block->used;
    size_t before = block->touched > block->used ? block->touched - block->used : 0;
    block->used += need;
    if (block->touched < block->used) block->touched = block->used;
    arena->live += need;
    if (arena->live > arena->peak) arena->peak = arena->live;
    return memset(at, 0, before < need ? before : need);
}

void *una_arena_get_rows(una_arena *arena, size_t count, size_t size)
{
    const una_run *root = una_run_root(arena->run);
    const una_run_settings *s = &root->settings;
    bool many = size && count >= LEAST_MAPPED / size && count <= (SIZE_MAX / 2 - 2 * ALIGN) / size && !arena->keeps;
    void *at = NULL;
    if (many && !arena->failed && !arena->run->settings.no_scratch) at = open_mapped(arena, count * size);
    if (!at) at = una_arena_get(arena, count, size);
    if (!at && many && !s->no_scratch)
        una_fail(arena->run, UNA_E_MEMORY, "%.3g MB of rows have no room: %.3g MB of memory are taken and %.3g MB are "
                 "allowed (--memory), %.3g MB of scratch files are taken and %.3g MB are allowed (--scratch); use "
                 "fewer rows, or raise a limit", (double)(count * size) / 1e6, (double)root->used / 1e6,
                 (double)s->memory_limit / 1e6, (double)root->scratched / 1e6, (double)s->scratch_limit / 1e6);
    return at;
}

char *una_arena_text(una_arena *arena, const char *text)
{
    if (!text) return NULL;
    size_t size = strlen(text) + 1;
    char *copy = una_arena_get(arena, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

una_mark una_arena_mark(const una_arena *arena)
{
    return (una_mark){ arena->top, arena->at_end, arena->top ? arena->top->used : 0, arena->live, arena->failed };
}

void una_arena_release(una_arena *arena, una_mark mark)
{
    arena->failed = mark.failed;
    call_ends(arena, mark.at_end);
    if (arena->keeps && mark.live == 0) {                        /* its block may be another one by now */
        empty_kept(arena);
        return;
    }
    while (arena->top != mark.block) close_top(arena);
    if (arena->top) arena->top->used = mark.used;
    arena->live = mark.live;
}

/* Between the request and this check, other requests may have failed and been forgiven, which cleared our sentence
 * too. */
una_status una_arena_check(const una_arena *arena)
{
    if (!arena->failed) return UNA_OK;
    if (!*arena->run->message)
        una_fail(arena->run, UNA_E_MEMORY, "out of memory");
    return UNA_E_MEMORY;
}

void una_arena_join(una_arena *arena, una_arena *other)
{
    una_arena_block **bottom = &arena->top;
    while (*bottom) bottom = &(*bottom)->below;
    *bottom = other->top;
    una_arena_end **first = &arena->at_end;
    while (*first) first = &(*first)->before;
    *first = other->at_end;
    arena->live += other->live;
    if (arena->live > arena->peak) arena->peak = arena->live;
    *other = (una_arena){ .run = other->run };
}

void *una_arena_grow(una_arena *arena, void *old, size_t count, size_t *room, size_t size)
{
    enum { FIRST_ROOM = 16 };
    if (count < *room) return old;
    size_t wider = *room ? 2 * *room : FIRST_ROOM;
    void *copy = una_arena_get(arena, wider, size);
    if (copy && count > 0) memcpy(copy, old, count * size);
    if (copy) *room = wider;
    return copy;
}
