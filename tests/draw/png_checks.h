/* SPDX-License-Identifier: MIT
 *
 * A PNG read back as the standard says (ISO/IEC 15948), to compare with what was to be in it. Include after cmocka.
 */
#ifndef UNA_PNG_CHECKS_H
#define UNA_PNG_CHECKS_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct read_png { size_t height, width, channels; unsigned char *at; } read_png;     /* at: to be freed */

static inline uint32_t png_word(const unsigned char *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* In place, from [1 + stride] per row to [stride]. */
static inline void png_unfilter(unsigned char *rows, size_t height, size_t stride, size_t step)
{
    for (size_t y = 0; y < height; y++) {
        const unsigned char *from = rows + y * (stride + 1);
        unsigned char *to = rows + y * stride, *above = y ? to - stride : NULL;
        int filter = *from++;
        assert_true(filter <= 4);
        for (size_t i = 0; i < stride; i++) {
            int a = i >= step ? to[i - step] : 0, b = above ? above[i] : 0;
            int c = above && i >= step ? above[i - step] : 0, p = a + b - c, near = a;
            if (abs(p - b) < abs(p - near)) near = b;
            if (abs(p - c) < abs(p - near)) near = c;
            int guess[] = { 0, a, b, (a + b) / 2, near };
            to[i] = (unsigned char)(from[i] + guess[filter]);
        }
    }
}

static inline read_png png_read(const unsigned char *bytes, size_t count)
{
    read_png png = {0};
    size_t packed_count = 0, at = 8;
    unsigned char *packed = malloc(count);
    bool ended = false;
    assert_memory_equal(bytes, "\x89PNG\r\n\x1A\n", 8);
    while (!ended) {
        assert_true(at + 12 <= count);
        size_t length = png_word(bytes + at);
        const unsigned char *name = bytes + at + 4, *data = name + 4;
        assert_true(at + 12 + length <= count);
        assert_int_equal(png_word(data + length), crc32(0, name, (uInt)length + 4));
        if (!memcmp(name, "IHDR", 4)) {
            assert_int_equal(length, 13);
            png.width = png_word(data), png.height = png_word(data + 4), png.channels = data[9] == 2 ? 3 : 1;
            assert_memory_equal(data + 8, data[9] == 2 ? "\x08\x02\0\0\0" : "\x08\0\0\0\0", 5);
        } else if (!memcmp(name, "IDAT", 4)) {
            memcpy(packed + packed_count, data, length);
            packed_count += length;
        } else {
            assert_memory_equal(name, "IEND", 4);
            ended = true;
        }
        at += 12 + length;
    }
    assert_int_equal(at, count);

    size_t stride = png.width * png.channels;
    uLongf size = (uLongf)(png.height * (stride + 1)), wanted = size;
    png.at = malloc(size + 1);
    assert_int_equal(uncompress(png.at, &size, packed, (uLong)packed_count), Z_OK);
    assert_int_equal(size, wanted);
    png_unfilter(png.at, png.height, stride, png.channels);
    free(packed);
    return png;
}

#endif
