/* SPDX-License-Identifier: MIT
 *
 * Pictures as PNG: what is read back as the standard says is what was written, whatever it is and however large; smooth
 * pictures become small.
 */
#include "test_support.h"

#include "base/base.h"
#include "draw/png.h"
#include "draw/png_checks.h"

typedef struct picture { size_t height, width, channels; int kind; } picture;

/* Noise, slopes, one colour, rows that repeat. */
static unsigned char sample(const picture *p, size_t y, size_t i)
{
    switch (p->kind) {
    case 0:  return (unsigned char)((y * 7919 + i * 104729 + y * i * 31) * 2654435761u >> 13);
    case 1:  return (unsigned char)(3 * y + 2 * i);
    case 2:  return 200;
    default: return (unsigned char)(i * i * 37);
    }
}

static void row_of(unsigned char *to, const void *from, size_t y)
{
    const picture *p = from;
    for (size_t i = 0; i < p->width * p->channels; i++) to[i] = sample(p, y, i);
}

static una_status add(una_text *out, const picture *p, una_run *run)
{
    const una_png png = { .height = p->height, .width = p->width, .channels = p->channels, .row = row_of, .from = p };
    return una_png_add(out, &png, run);
}

static size_t check(const picture *p)
{
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_text out = una_text_in(&arena), again = una_text_in(&arena);
    assert_ok(add(&out, p, run), run);
    assert_ok(add(&again, p, run), run);
    assert_int_equal(out.length, again.length);
    assert_memory_equal(out.at, again.at, out.length);

    read_png png = png_read((const unsigned char *)out.at, out.length);
    assert_int_equal(png.height, p->height);
    assert_int_equal(png.width, p->width);
    assert_int_equal(png.channels, p->channels);
    for (size_t y = 0; y < p->height; y++)
        for (size_t i = 0; i < p->width * p->channels; i++)
            assert_int_equal(png.at[y * p->width * p->channels + i], sample(p, y, i));
    size_t size = out.length;
    free(png.at);
    una_arena_free(&arena);
    una_run_free(run);
    return size;
}

static void all_kinds_come_back(void **state)
{
    (void)state;
    static const size_t sizes[][2] = { { 1, 1 }, { 1, 9 }, { 9, 1 }, { 28, 28 }, { 120, 301 } };
    for (size_t i = 0; i < 5; i++)
        for (int kind = 0; kind < 4; kind++)
            for (size_t channels = 1; channels <= 3; channels += 2)
                check(&(picture){ sizes[i][0], sizes[i][1], channels, kind });
}

static void plain_ones_become_small(void **state)
{
    (void)state;
    assert_true(check(&(picture){ 200, 300, 3, 1 }) < 2000);     /* of 180 000 bytes: slopes, which filters make even */
    assert_true(check(&(picture){ 200, 300, 3, 2 }) < 1000);
    assert_true(check(&(picture){ 200, 300, 3, 3 }) < 3000);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const picture p = { 40, 40, 3, 0 };
    una_status status = UNA_E_MEMORY;
    long limit = 0;
    for (; status != UNA_OK; limit++) {
        struct fail_after memory = { .left = -1 };
        una_run_settings settings = failing_settings(&memory);
        una_run *run;
        una_arena arena;
        assert_int_equal(una_run_new(&run, &settings), UNA_OK);
        una_arena_init(&arena, run);
        una_text out = una_text_in(&arena);
        memory.left = limit;
        status = add(&out, &p, run);
        memory.left = -1;
        if (status != UNA_OK) assert_int_equal(status, UNA_E_MEMORY);
        una_arena_free(&arena);
        una_run_free(run);
        assert_int_equal(memory.live, 0);
    }
    assert_true(limit > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_come_back), cmocka_unit_test(plain_ones_become_small),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
