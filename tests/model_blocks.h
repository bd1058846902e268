/* SPDX-License-Identifier: MIT
 *
 * Model files as whoever attacks them sees them: blocks that are found, changed, dropped, put elsewhere, and checksums
 * that are made to agree again. For tests and for fuzz/model.c.
 */
#ifndef UNA_TEST_MODEL_BLOCKS_H
#define UNA_TEST_MODEL_BLOCKS_H

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

/* ---- the block structure, as base/archive.h describes it ------------------------------------------------------ */

enum { FRONT = 16, CRC = 4, MOST_BLOCKS = 4096 };

typedef struct bytes { unsigned char *at; size_t size, room; } bytes;

typedef struct block { size_t from, type, count, payload, end; } block;     /* offsets; end: behind the crc */

static inline uint64_t number_at(const bytes *b, size_t at, size_t size)
{
    uint64_t value = 0;
    for (size_t i = 0; i < size; i++) value |= (uint64_t)b->at[at + i] << 8 * i;
    return value;
}

static inline void set_number(bytes *b, size_t at, size_t size, uint64_t value)
{
    for (size_t i = 0; i < size; i++) b->at[at + i] = (unsigned char)(value >> 8 * i);
}

/* Where the blocks begin; 0 if the front is broken. */
static inline size_t first_block(const bytes *b)
{
    if (b->size < FRONT + CRC) return 0;
    uint64_t length = number_at(b, 12, 4);
    return length <= b->size - FRONT - CRC ? FRONT + (size_t)length + CRC : 0;
}

static inline bool read_block(const bytes *b, size_t at, block *out)
{
    if (b->size < at || b->size - at < 18 + CRC || memcmp(b->at + at, "BLK1", 4) != 0) return false;
    size_t name = b->at[at + 4];
    if (b->size - at < 14 + name + CRC) return false;
    *out = (block){ .from = at, .type = at + 5 + name, .count = at + 6 + name, .payload = at + 14 + name };
    unsigned char type = b->at[out->type];
    uint64_t count = number_at(b, out->count, 8), size = type == 't' || type == 'n' ? 1 : type == 'F' ? 4 : 8;
    if (count > (b->size - out->payload - CRC) / size) return false;
    out->end = out->payload + (size_t)(count * size) + CRC;
    return true;
}

static inline size_t read_blocks(const bytes *b, block *list)
{
    size_t count = 0, at = first_block(b);
    while (at && count < MOST_BLOCKS && read_block(b, at, &list[count])) at = list[count++].end;
    return count;
}

static inline void close_part(bytes *b, size_t from, size_t end)                   /* end: behind the crc */
{
    set_number(b, end - CRC, CRC, una_crc32(0, b->at + from, end - CRC - from));
}

/* Makes every checksum that can be found agree, and the number of blocks in the end record. */
static inline void mend(bytes *b)
{
    static block list[MOST_BLOCKS];
    size_t first = first_block(b), count = read_blocks(b, list), at;
    if (!first) return;
    close_part(b, 0, first);
    for (size_t i = 0; i < count; i++) close_part(b, list[i].from, list[i].end);
    at = count ? list[count - 1].end : first;
    if (b->size - at < 12 + CRC || memcmp(b->at + at, "END.", 4) != 0) return;
    set_number(b, at + 4, 8, count);
    close_part(b, at, at + 12 + CRC);
}

static inline bool named(const bytes *b, const block *k, const char *name)
{
    return b->at[k->from + 4] == strlen(name) && memcmp(b->at + k->from + 5, name, strlen(name)) == 0;
}

/* ---- changes ----------------------------------------------------------------------------------------------------- */

static const double odd_numbers[] = { 0, -0.0, 1, -1, 1e-320, 1e-300, 1e300, -1e308, NAN, INFINITY, 0.5, 1e16, 3, 100 };
static const uint64_t odd_counts[] = { 0, 1, 2, 3, 7, 16, 17, 255, 65536, 1u << 20, 0xffffffffu, 1ull << 32, 1ull << 60,
                                       1ull << 61, 1ull << 63, UINT64_MAX };
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static inline void cut(bytes *b, size_t from, size_t count)
{
    memmove(b->at + from, b->at + from + count, b->size - from - count);
    b->size -= count;
}

static inline void open_up(bytes *b, size_t at, size_t count)
{
    if (b->room - b->size < count) return;
    memmove(b->at + at + count, b->at + at, b->size - at);
    b->size += count;
}

static inline void swap_blocks(bytes *b, const block *one, const block *two)
{
    if (one->from > two->from) {
        const block *kept = one;
        one = two;
        two = kept;
    }
    if (one->end > two->from) return;

    size_t first = one->end - one->from, middle = two->from - one->end, second = two->end - two->from;
    unsigned char *copy = malloc(first + middle + second);
    if (!copy) return;

    memcpy(copy, b->at + two->from, second);
    memcpy(copy + second, b->at + one->end, middle);
    memcpy(copy + second + middle, b->at + one->from, first);
    memcpy(b->at + one->from, copy, first + middle + second);
    free(copy);
}

/* Puts an odd value where a block holds a number, a byte where it holds text. */
static inline void change_value(bytes *b, const block *k, una_rng *rng)
{
    unsigned char type = b->at[k->type];
    size_t items = (size_t)number_at(b, k->count, 8);
    if (items == 0) return;

    size_t pick = una_rng_below(rng, items);
    uint64_t bits;
    double odd = odd_numbers[una_rng_below(rng, COUNT_OF(odd_numbers))];
    float small = (float)odd;
    uint32_t small_bits;
    memcpy(&bits, &odd, sizeof bits);
    memcpy(&small_bits, &small, sizeof small_bits);

    if (type == 'u') set_number(b, k->payload, 8, odd_counts[una_rng_below(rng, COUNT_OF(odd_counts))]);
    else if (type == 'd' || type == 'D') set_number(b, k->payload + 8 * pick, 8, bits);
    else if (type == 'F') set_number(b, k->payload + 4 * pick, 4, small_bits);
    else b->at[k->payload + pick] = (unsigned char)una_rng_u32(rng);
}

/* A block becomes longer or shorter by some items, payload and count alike. */
static inline void resize_block(bytes *b, const block *k, una_rng *rng)
{
    unsigned char type = b->at[k->type];
    size_t size = type == 't' || type == 'n' ? 1 : type == 'F' ? 4 : 8, items = (size_t)number_at(b, k->count, 8);
    size_t change = 1 + una_rng_below(rng, 3);
    if (una_rng_u32(rng) & 1) {
        if (change > items) return;
        cut(b, k->payload, change * size);
        set_number(b, k->count, 8, items - change);
    } else if (b->room - b->size >= change * size) {
        open_up(b, k->payload, change * size);
        set_number(b, k->count, 8, items + change);
    }
}

static inline void change_once(bytes *b, una_rng *rng)
{
    static block list[MOST_BLOCKS];
    static const char types[] = "udDFtnxX";
    size_t blocks = read_blocks(b, list), at = una_rng_below(rng, b->size), count;
    const block *one = blocks ? &list[una_rng_below(rng, blocks)] : NULL,
        *two = blocks ? &list[una_rng_below(rng, blocks)] : NULL;

    switch (una_rng_below(rng, one ? 13 : 5)) {
    case 0: b->at[at] = (unsigned char)(b->at[at] ^ 1u << una_rng_below(rng, 8)); break;
    case 1: b->at[at] = (unsigned char)una_rng_u32(rng); break;
    case 2:
        count = 1 + una_rng_below(rng, 16);
        open_up(b, at, count);
        break;
    case 3:
        count = 1 + una_rng_below(rng, 64);
        if (count < b->size - at) cut(b, at, count);
        break;
    case 4: b->size = at > FRONT ? at : FRONT; break;
    case 5: swap_blocks(b, one, two); break;
    case 6: set_number(b, one->count, 8, odd_counts[una_rng_below(rng, COUNT_OF(odd_counts))]); break;
    case 7: b->at[one->type] = (unsigned char)types[una_rng_below(rng, 8)]; break;
    case 8: resize_block(b, one, rng); break;
    case 9: cut(b, one->from, one->end - one->from); break;
    default: change_value(b, one, rng); break;                              /* the most telling: most often */
    }
}

#endif
