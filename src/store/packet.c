/* SPDX-License-Identifier: MIT
 *
 * A row is its length, then numbers, then texts that each end with a zero byte, then measure names and values.
 */
#include "store/packet.h"

#include "base/library.h"

typedef struct head { uint64_t size, split, seed, results, count; double seconds; } head;

static const size_t texts[] = {
    offsetof(una_row, key.study), offsetof(una_row, key.data), offsetof(una_row, key.spec), offsetof(una_row, options),
    offsetof(una_row, kernels), offsetof(una_row, commit)
};

static const char **text_at(una_row *row, size_t i)
{
    return (const char **)((char *)row + texts[i]);
}

static void pack_text(una_text *bytes, const char *text)
{
    una_text_bytes(bytes, text, strlen(text) + 1);
}

void una_packet_pack(una_text *bytes, const una_row *row)
{
    head h = { .split = row->key.split, .seed = row->key.seed, .results = row->key.results, .count = row->count,
               .seconds = row->seconds };
    size_t from = bytes->length;
    una_text_bytes(bytes, (const char *)&h, sizeof h);
    for (size_t i = 0; i < UNA_COUNT_OF(texts); i++) pack_text(bytes, *text_at((una_row *)row, i));
    for (size_t i = 0; i < row->count; i++) pack_text(bytes, row->measure[i]);
    una_text_bytes(bytes, (const char *)row->value, row->count * sizeof *row->value);
    h.size = bytes->length - from;
    if (bytes->at && bytes->length >= from + sizeof h) memcpy(bytes->at + from, &h, sizeof h);
}

typedef struct reader { const char *at, *end; bool good; } reader;

static const char *next_text(reader *r)
{
    const char *text = r->at, *zero = r->good ? memchr(text, 0, (size_t)(r->end - text)) : NULL;
    r->good = zero != NULL;
    if (zero) r->at = zero + 1;
    return zero ? text : "";
}

static void open_row(una_row *row, const head *h, reader *r, una_arena *arena)
{
    const char **measure = UNA_GET(arena, const char *, h->count);
    double *value = UNA_GET(arena, double, h->count);
    *row = (una_row){ .measure = measure, .value = value, .count = (size_t)h->count, .seconds = h->seconds };
    row->key = (una_row_key){ .split = h->split, .seed = h->seed, .results = (unsigned)h->results };
    for (size_t i = 0; i < UNA_COUNT_OF(texts); i++) *text_at(row, i) = next_text(r);
    for (size_t i = 0; measure && i < h->count; i++) measure[i] = next_text(r);
    r->good = r->good && (size_t)(r->end - r->at) == h->count * sizeof *value;
    if (r->good && value && h->count) memcpy(value, r->at, h->count * sizeof *value);
}

/* Reads the head of the row at `at`; false: the row is not complete. */
static bool read_row_head(head *h, const char *at, size_t left)
{
    if (left < sizeof *h) return false;
    memcpy(h, at, sizeof *h);
    return h->size >= sizeof *h && h->size <= left && h->count <= UNA_MOST_MEASURES;
}

una_status una_packet_unpack(una_row **rows, size_t *count, const void *bytes, size_t size, una_arena *arena,
                             una_run *run)
{
    const char *from = bytes;
    bool good = true;
    size_t room = 0;
    head h;
    *rows = NULL;
    *count = 0;
    for (size_t at = 0; good && at < size; at += (size_t)h.size) {
        good = read_row_head(&h, from + at, size - at);
        if (!good) break;
        *rows = una_arena_grow(arena, *rows, *count, &room, sizeof **rows);
        UNA_TRY(una_arena_check(arena));
        reader r = { from + at + sizeof h, from + at + h.size, true };
        open_row(&(*rows)[(*count)++], &h, &r, arena);
        good = r.good;
    }
    UNA_TRY(una_arena_check(arena));
    if (!good) UNA_FAIL(run, UNA_E_IO, "rows of another rank arrived damaged; rows stored before are kept");
    return UNA_OK;
}
