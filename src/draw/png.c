/* SPDX-License-Identifier: MIT
 *
 * See png.h. Before packing each row is filtered in the way that leaves the smallest numbers (ISO/IEC 15948, 12.8).
 */
#include "draw/png.h"

#include <zlib.h>

enum { FILTERS = 5, CHUNK = 1 << 14 };

typedef struct packer {
    z_stream       stream;
    una_text      *out;
    unsigned char  bytes[CHUNK];
} packer;

static void put_word(unsigned char to[4], uint32_t word)
{
    for (int i = 0; i < 4; i++) to[i] = (unsigned char)(word >> (24 - 8 * i));
}

static void add_chunk(una_text *out, const char *name, const unsigned char *bytes, size_t count)
{
    unsigned char word[4];
    put_word(word, (uint32_t)count);
    una_text_bytes(out, (const char *)word, 4);
    una_text_bytes(out, name, 4);
    if (count > 0) una_text_bytes(out, (const char *)bytes, count);
    uLong sum = crc32(0, (const Bytef *)name, 4);        /* which zlib begins anew where there are no bytes */
    put_word(word, (uint32_t)(count > 0 ? crc32(sum, bytes, (uInt)count) : sum));
    una_text_bytes(out, (const char *)word, 4);
}

/* ---- rows ------------------------------------------------------------------------------------------ */

/* Of left, above and the one between, that which is next to left + above - between. */
static unsigned paeth(unsigned left, unsigned above, unsigned between)
{
    int goal = (int)left + (int)above - (int)between;
    int a = abs(goal - (int)left), b = abs(goal - (int)above), c = abs(goal - (int)between);
    if (a <= b && a <= c) return left;
    return b <= c ? above : between;
}

static unsigned predicted(int filter, unsigned left, unsigned above, unsigned between)
{
    switch (filter) {
    case 1:  return left;
    case 2:  return above;
    case 3:  return (left + above) / 2;
    case 4:  return paeth(left, above, between);
    default: return 0;
    }
}

/* `to`: the filter and what it leaves of the row. Returns how large that is. */
static uint64_t filtered(unsigned char *to, int filter, const unsigned char *row, const unsigned char *above,
                         size_t count, size_t step)
{
    uint64_t size = 0;
    to[0] = (unsigned char)filter;
    for (size_t i = 0; i < count; i++) {
        unsigned left = i < step ? 0 : row[i - step], between = i < step ? 0 : above[i - step];
        unsigned rest = (row[i] - predicted(filter, left, above[i], between)) & 255;
        to[1 + i] = (unsigned char)rest;
        size += rest < 128 ? rest : 256 - rest;
    }
    return size;
}

/* ---- packing --------------------------------------------------------------------------------------- */

static void *zlib_take(void *run, uInt count, uInt size)
{
    return una_allocate(run, (size_t)count * size);
}

static void zlib_give(void *run, void *block)
{
    una_release(run, block);
}

static void pack(packer *p, unsigned char *bytes, size_t count, int flush)
{
    p->stream.next_in = bytes;
    p->stream.avail_in = (uInt)count;
    do {
        p->stream.next_out = p->bytes;
        p->stream.avail_out = CHUNK;
        deflate(&p->stream, flush);
        if (p->stream.avail_out < CHUNK) add_chunk(p->out, "IDAT", p->bytes, CHUNK - p->stream.avail_out);
    } while (p->stream.avail_out == 0);
}

static una_status add_rows(packer *p, const una_png *png)
{
    size_t count = png->width * png->channels;
    una_arena *arena = p->out->arena;
    unsigned char *row = UNA_GET(arena, unsigned char, count), *above = UNA_GET(arena, unsigned char, count);
    unsigned char *least = UNA_GET(arena, unsigned char, count + 1), *other = UNA_GET(arena, unsigned char, count + 1);
    UNA_TRY(una_arena_check(arena));

    for (size_t y = 0; y < png->height; y++) {
        png->row(row, png->from, y);
        uint64_t size = filtered(least, 0, row, above, count, png->channels);
        for (int filter = 1; filter < FILTERS; filter++) {
            uint64_t its = filtered(other, filter, row, above, count, png->channels);
            if (its >= size) continue;
            unsigned char *swapped = least;
            least = other, other = swapped, size = its;
        }
        pack(p, least, count + 1, Z_NO_FLUSH);
        unsigned char *done = above;
        above = row, row = done;
    }
    pack(p, least, 0, Z_FINISH);
    return una_arena_check(arena);
}

una_status una_png_add(una_text *out, const una_png *png, una_run *run)
{
    unsigned char head[13] = { [8] = 8, [9] = png->channels == 3 ? 2 : 0 };
    UNA_NEW(out->arena, packer, p, 1);
    p->out = out;
    p->stream = (z_stream){ .zalloc = zlib_take, .zfree = zlib_give, .opaque = run };
    if (deflateInit(&p->stream, Z_DEFAULT_COMPRESSION) != Z_OK)
        UNA_FAIL(run, UNA_E_MEMORY, "no memory to pack a picture of %zu x %zu", png->height, png->width);

    put_word(head, (uint32_t)png->width);
    put_word(head + 4, (uint32_t)png->height);
    una_text_bytes(out, "\x89PNG\r\n\x1A\n", 8);
    add_chunk(out, "IHDR", head, sizeof head);
    una_status status = add_rows(p, png);
    deflateEnd(&p->stream);
    UNA_TRY(status);
    add_chunk(out, "IEND", NULL, 0);
    return una_arena_check(out->arena);
}
