/* SPDX-License-Identifier: MIT
 *
 * The model file: what is saved comes back bit for bit; whatever was cut, flipped or forged is refused.
 */
#include "base/archive.h"
#include "base_support.h"

typedef struct thing {
    uint64_t count;
    double   scale;
    const char *name, *none, *empty;
    double  *weights;
    float   *floats;
} thing;

static const char header[] = "{\"kind\":\"thing\"}";

static una_status exchange(thing *t, una_archive *ar)
{
    una_archive_u64(ar, "count", &t->count, 1, 100);
    if (ar->status != UNA_OK) return ar->status;
    una_archive_f64(ar, "scale", &t->scale);
    una_archive_text(ar, "name", &t->name);
    una_archive_text(ar, "none", &t->none);
    una_archive_text(ar, "empty", &t->empty);
    una_archive_f64s(ar, "weights", &t->weights, (size_t)t->count);
    return una_archive_f32s(ar, "floats", &t->floats, 2);
}

static double some_weights[3] = { 1.0 / 3, -0.0, 5e-324 };
static float some_floats[2] = { 0.1f, -3e38f };

static thing sample(void)
{
    return (thing){ 3, -1e300, "caf\xc3\xa9", NULL, "", some_weights, some_floats };
}

static una_archive saved(una_arena *keep, una_run *with)
{
    thing t = sample();
    una_archive ar;
    assert_ok(una_archive_save_begin(&ar, header, keep, with), with);
    assert_ok(exchange(&t, &ar), with);
    assert_ok(una_archive_save_end(&ar), with);
    return ar;
}

static una_status load(thing *t, const void *bytes, size_t size, una_arena *keep, una_run *with)
{
    una_archive ar;
    const char *text;
    *t = (thing){0};
    UNA_TRY(una_archive_load_begin(&ar, bytes, size, "m.una", &text, keep, with));
    UNA_TRY(exchange(t, &ar));
    return una_archive_load_end(&ar);
}

static void there_and_back(void **state)
{
    (void)state;
    una_archive file = saved(&arena, run);
    thing t;
    assert_ok(load(&t, file.bytes, file.size, &arena, run), run);

    assert_int_equal(t.count, 3);
    assert_true(t.scale == -1e300);
    assert_string_equal(t.name, "caf\xc3\xa9");
    assert_null(t.none);
    assert_string_equal(t.empty, "");
    assert_memory_equal(t.weights, some_weights, sizeof some_weights);
    assert_memory_equal(t.floats, some_floats, sizeof some_floats);

    una_archive again = saved(&arena, run);
    assert_int_equal(again.size, file.size);
    assert_memory_equal(again.bytes, file.bytes, file.size);
}

/* Written out by hand from the description in archive.h. */
static void the_bytes_are_pinned(void **state)
{
    (void)state;
    una_archive ar;
    uint64_t number = 0x0102030405060708;
    double one = 1;
    assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
    una_archive_u64(&ar, "n", &number, 0, UINT64_MAX);
    una_archive_f64(&ar, "x", &one);
    assert_ok(una_archive_save_end(&ar), run);

    const unsigned char front[] = "UNAMODEL\1\0\0\0\2\0\0\0{}";
    const unsigned char n[] = "BLK1\1nu\1\0\0\0\0\0\0\0\x08\x07\x06\x05\x04\x03\x02\x01";
    const unsigned char x[] = "BLK1\1xd\1\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x3f";
    const unsigned char last[] = "END.\2\0\0\0\0\0\0\0";
    const unsigned char *part[] = { front, n, x, last };
    const size_t size[] = { sizeof front - 1, sizeof n - 1, sizeof x - 1, sizeof last - 1 };

    size_t at = 0;
    for (size_t i = 0; i < 4; i++) {
        assert_memory_equal(ar.bytes + at, part[i], size[i]);
        uint32_t crc = una_crc32(0, part[i], size[i]);
        at += size[i];
        for (int k = 0; k < 4; k++) assert_int_equal(ar.bytes[at++], crc >> 8 * k & 0xff);
    }
    assert_int_equal(at, ar.size);
}

static void every_cut_is_refused(void **state)
{
    (void)state;
    una_archive file = saved(&arena, run);
    for (size_t size = 0; size < file.size; size++) {
        unsigned char *cut = malloc(size + !size);       /* of its own, so that reading beyond it is noticed */
        assert_non_null(cut);
        memcpy(cut, file.bytes, size);
        thing t;
        una_status status = load(&t, cut, size, &arena, run);
        free(cut);

        assert_status(status, UNA_E_INPUT, run);
        assert_says(run->message, "m.una");
        assert_says(run->message, ";");
    }
}

static void every_flipped_bit_is_refused(void **state)
{
    (void)state;
    una_archive file = saved(&arena, run);
    for (size_t bit = 0; bit < 8 * file.size; bit++) {
        una_mark mark = una_arena_mark(&arena);
        file.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        thing t;
        una_status status = load(&t, file.bytes, file.size, &arena, run);
        file.bytes[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (status != UNA_E_INPUT) fail_msg("bit %zu was not noticed", bit);
        una_arena_release(&arena, mark);
    }
}

static void refused(const unsigned char *bytes, size_t size, const char *says)
{
    thing t;
    assert_status(load(&t, bytes, size, &arena, run), UNA_E_INPUT, run);
    assert_says(run->message, "m.una");
    assert_says(run->message, says);
}

static void each_fault_has_its_sentence(void **state)
{
    (void)state;
    una_archive file = saved(&arena, run);
    unsigned char *bytes = UNA_GET(&arena, unsigned char, file.size + 1);
    assert_non_null(bytes);
    memcpy(bytes, file.bytes, file.size);

    refused((const unsigned char *)"a,b\n1,2\n", 8, "is not a una model file; make one with `una fit`");
    refused(bytes, 0, "is not a una model file");
    refused(bytes, 12, "ends too early");
    refused(bytes, file.size - 1, "ends too early");
    refused(bytes, file.size + 1, "something follows the end");

    bytes[8] = 2;
    refused(bytes, file.size, "made by a newer una (file version 2, this una reads up to 1); install a newer una");
    bytes[8] = 0;
    refused(bytes, file.size, "version 0");
    bytes[8] = 1;
    bytes[15] = 0xff;
    refused(bytes, file.size, "longer than 16 MiB");

    bytes[15] = 0;
    bytes[17] ^= 1;
    refused(bytes, file.size, "header is damaged");
    bytes[17] ^= 1;
    bytes[16 + sizeof header - 1 + 4 + 20] ^= 1;
    refused(bytes, file.size, "the block count is damaged (its checksum differs)");
}

/* A small archive of one block, for the caller to read as something else. */
static una_archive with_number(double value)
{
    una_archive ar;
    assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
    assert_ok(una_archive_f64(&ar, "x", &value), run);
    assert_ok(una_archive_save_end(&ar), run);
    una_archive in;
    assert_ok(una_archive_load_begin(&in, ar.bytes, ar.size, NULL, NULL, &arena, run), run);
    return in;
}

static void blocks_must_match(void **state)
{
    (void)state;
    uint64_t number;
    double x, *many;
    float *floats;
    const char *text;

    una_archive in = with_number(1);
    assert_status(una_archive_f64(&in, "y", &x), UNA_E_INPUT, run);
    assert_says(run->message, "the model in memory: the block y is missing, another one");
    una_clear_message(run);
    assert_status(una_archive_f64(&in, "x", &x), UNA_E_INPUT, run);          /* sticky, and silent */
    assert_string_equal(run->message, "");
    assert_status(una_archive_load_end(&in), UNA_E_INPUT, run);
    assert_status(una_archive_refuse(&in, "x", "is odd"), UNA_E_INPUT, run);
    assert_string_equal(run->message, "");

    in = with_number(1);
    assert_status(una_archive_u64(&in, "x", &number, 0, 9), UNA_E_INPUT, run);
    assert_says(run->message, "another type");
    in = with_number(1);
    assert_status(una_archive_text(&in, "x", &text), UNA_E_INPUT, run);
    in = with_number(1);
    assert_status(una_archive_f64s(&in, "x", &many, 1), UNA_E_INPUT, run);
    in = with_number(1);
    assert_status(una_archive_f32s(&in, "x", &floats, 1), UNA_E_INPUT, run);
    in = with_number(1);
    assert_status(una_archive_load_end(&in), UNA_E_INPUT, run);
    assert_says(run->message, "more blocks");

    in = with_number(1);
    assert_ok(una_archive_f64(&in, "x", &x), run);
    assert_status(una_archive_f64(&in, "z", &x), UNA_E_INPUT, run);
    assert_says(run->message, "the block z is missing;");
    in = with_number(1);
    assert_ok(una_archive_f64(&in, "x", &x), run);
    assert_status(una_archive_refuse(&in, "x", "is too small"), UNA_E_INPUT, run);
    assert_says(run->message, "the block x is too small; copy it again");
}

static void counts_and_ranges(void **state)
{
    (void)state;
    una_archive ar, in;
    uint64_t seven = 7;
    double *doubles = some_weights;
    float *floats = some_floats;
    assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
    una_archive_u64(&ar, "n", &seven, 0, 9);
    una_archive_f64s(&ar, "w", &doubles, 3);
    una_archive_f32s(&ar, "f", &floats, 2);
    assert_ok(una_archive_save_end(&ar), run);

    uint64_t n = 5;
    assert_ok(una_archive_load_begin(&in, ar.bytes, ar.size, "m", NULL, &arena, run), run);
    assert_status(una_archive_u64(&in, "n", &n, 0, 6), UNA_E_INPUT, run);
    assert_says(run->message, "out of range");
    assert_int_equal(n, 5);

    assert_ok(una_archive_load_begin(&in, ar.bytes, ar.size, "m", NULL, &arena, run), run);
    assert_ok(una_archive_u64(&in, "n", &n, 7, 7), run);
    assert_status(una_archive_f64s(&in, "w", &doubles, 4), UNA_E_INPUT, run);
    assert_says(run->message, "wrong number of items");
    assert_null(doubles);

    assert_ok(una_archive_load_begin(&in, ar.bytes, ar.size, "m", NULL, &arena, run), run);
    una_archive_u64(&in, "n", &n, 7, 7);
    assert_ok(una_archive_f64s(&in, "w", &doubles, 3), run);
    assert_status(una_archive_f32s(&in, "f", &floats, SIZE_MAX), UNA_E_INPUT, run);
}

static void put_crc_again(unsigned char *bytes, size_t from, size_t end)
{
    uint32_t crc = una_crc32(0, bytes + from, end - from);
    for (int k = 0; k < 4; k++) bytes[end + (size_t)k] = (unsigned char)(crc >> 8 * k);
}

/* Forged blocks with a right checksum: name "x" of length 1, so the payload begins 15 bytes into the block. */
static void forged(char type, uint64_t count, const void *payload, size_t size, una_archive *in)
{
    size_t from = 16 + 2 + 4, at = from;
    unsigned char *bytes = UNA_GET(&arena, unsigned char, 256);
    assert_non_null(bytes);
    memcpy(bytes, "UNAMODEL\1\0\0\0\2\0\0\0{}", 18);
    put_crc_again(bytes, 0, 18);
    memcpy(bytes + at, "BLK1\1x", 6);
    bytes[at + 6] = (unsigned char)type;
    for (int k = 0; k < 8; k++) bytes[at + 7 + (size_t)k] = (unsigned char)(count >> 8 * k);
    memcpy(bytes + at + 15, payload, size);
    put_crc_again(bytes, from, at + 15 + size);
    assert_ok(una_archive_load_begin(in, bytes, at + 15 + size + 4, "m", NULL, &arena, run), run);
}

static void forgeries(void **state)
{
    (void)state;
    una_archive in;
    double x, *many;
    float *floats;
    const char *text;
    const unsigned char nan64[] = { 0, 0, 0, 0, 0, 0, 0xf8, 0x7f }, inf32[] = { 0, 0, 0x80, 0x7f };

    forged('d', 1, nan64, 8, &in);
    assert_status(una_archive_f64(&in, "x", &x), UNA_E_INPUT, run);
    assert_says(run->message, "not finite");
    forged('D', 1, nan64, 8, &in);
    assert_status(una_archive_f64s(&in, "x", &many, 1), UNA_E_INPUT, run);
    assert_null(many);
    forged('F', 1, inf32, 4, &in);
    assert_status(una_archive_f32s(&in, "x", &floats, 1), UNA_E_INPUT, run);

    forged('t', 3, "a\0b", 3, &in);
    assert_status(una_archive_text(&in, "x", &text), UNA_E_INPUT, run);
    assert_says(run->message, "zero byte");
    forged('n', 1, "a", 1, &in);
    assert_status(una_archive_text(&in, "x", &text), UNA_E_INPUT, run);
    assert_says(run->message, "should be empty");
    forged(0, 1, "a", 1, &in);
    assert_status(una_archive_text(&in, "x", &text), UNA_E_INPUT, run);
    forged('d', 2, nan64, 8, &in);
    assert_status(una_archive_f64(&in, "x", &x), UNA_E_INPUT, run);

    /* Counts beyond the bytes take no memory, not even for the caller who believes in them. */
    const uint64_t huge[] = { UINT64_MAX, UINT64_C(1) << 61, (UINT64_C(1) << 61) + 1, 1 << 30 };
    for (size_t i = 0; i < 4; i++) {
        uint64_t before = run->used;
        forged('D', huge[i], nan64, 8, &in);
        assert_status(una_archive_f64s(&in, "x", &many, (size_t)huge[i]), UNA_E_INPUT, run);
        assert_says(run->message, "ends too early");
        assert_true(run->used <= before + (1 << 20));
    }

    /* A zero byte in the header, rightly signed. */
    unsigned char bytes[64] = "UNAMODEL\1\0\0\0\2\0\0\0{";
    put_crc_again(bytes, 0, 18);
    assert_status(una_archive_load_begin(&in, bytes, 22, "m", NULL, &arena, run), UNA_E_INPUT, run);
    assert_says(run->message, "zero byte");
}

static void saving_refuses_what_loading_would(void **state)
{
    (void)state;
    una_archive ar;
    double bad = NAN, *bads = &bad;
    float worse = HUGE_VALF, *worses = &worse;
    uint64_t ten = 10;
    const char *much;
    char *text = UNA_GET(&arena, char, (1 << 20) + 2);
    assert_non_null(text);
    memset(text, 'x', (1 << 20) + 1);
    much = text;

    for (int i = 0; i < 7; i++) {
        assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
        una_status status = i == 0 ? una_archive_f64(&ar, "x", &bad) : i == 1 ? una_archive_f64s(&ar, "x", &bads, 1)
                          : i == 2 ? una_archive_f32s(&ar, "x", &worses, 1)
                          : i == 3 ? una_archive_u64(&ar, "x", &ten, 0, 9)
                          : i == 4 ? una_archive_text(&ar, "x", &much) : i == 5 ? una_archive_u64(&ar, "", &ten, 0, 10)
                                   : una_archive_u64(&ar, much, &ten, 0, 10);
        assert_status(status, i == 4 ? UNA_E_INPUT : UNA_E_NUMERIC, run);
        assert_says(run->message, "the model cannot be saved: the block ");
        assert_status(una_archive_save_end(&ar), status, run);
    }

    text[1 << 20] = 0;
    assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
    assert_ok(una_archive_text(&ar, "x", &much), run);
    assert_ok(una_archive_save_end(&ar), run);
    una_archive in;
    const char *back;
    assert_ok(una_archive_load_begin(&in, ar.bytes, ar.size, "m", NULL, &arena, run), run);
    assert_ok(una_archive_text(&in, "x", &back), run);
    assert_string_equal(back, much);

    char *long_header = calloc(1, (16 << 20) + 2);
    assert_non_null(long_header);
    memset(long_header, ' ', (16 << 20) + 1);
    una_status status = una_archive_save_begin(&ar, long_header, &arena, run);
    free(long_header);
    assert_status(status, UNA_E_USAGE, run);
    assert_says(run->message, "16 MiB");
}

static void the_header_of_a_file(void **state)
{
    (void)state;
    una_archive file = saved(&arena, run);
    const char *json;
    assert_ok(una_archive_header(&json, temp_file("m.una", file.bytes, file.size), &arena, run), run);
    assert_string_equal(json, header);

    size_t front = 16 + sizeof header - 1 + 4;
    assert_ok(una_archive_header(&json, temp_file("m.una", file.bytes, front), &arena, run), run);
    for (size_t size = 0; size < front; size++) {
        assert_status(una_archive_header(&json, temp_file("m.una", file.bytes, size), &arena, run), UNA_E_INPUT, run);
        assert_null(json);
        assert_says(run->message, "m.una");
    }
    assert_status(una_archive_header(&json, temp_path("absent"), &arena, run), UNA_E_IO, run);

    /* Sixteen megabytes promised, none there: memory stays small. */
    uint64_t before = run->used;
    unsigned char lie[16];
    memcpy(lie, file.bytes, 16);
    memcpy(lie + 12, "\0\0\0\1", 4);
    assert_status(una_archive_header(&json, temp_file("lie", lie, 16), &arena, run), UNA_E_INPUT, run);
    assert_says(run->message, "ends too early");
    assert_true(run->used < before + (1 << 20));
}

/* The rest of the file may be larger than the memory allowed. */
static void the_header_of_a_huge_file(void **state)
{
    (void)state;
    una_archive file = saved(&arena, run);
    const char *path = temp_file("huge.una", file.bytes, file.size);
    assert_int_equal(truncate(path, (off_t)1 << 33), 0);             /* a hole: takes no space */

    una_run *small;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .memory_limit = 1 << 20 };
    assert_ok(una_run_new(&small, &settings), NULL);
    una_arena keep;
    una_arena_init(&keep, small);

    const char *json;
    assert_ok(una_archive_header(&json, path, &keep, small), small);
    assert_string_equal(json, header);

    una_arena_free(&keep);
    una_run_free(small);
    remove(path);
}

typedef struct pieces { const char *text; double *weights; float *floats; } pieces;

enum { PIECE = 60000 };

static una_status exchange_pieces(pieces *p, una_archive *ar)
{
    una_archive_text(ar, "t", &p->text);
    una_archive_f64s(ar, "w", &p->weights, PIECE);
    return una_archive_f32s(ar, "f", &p->floats, 2 * PIECE);
}

/* An arena for each stage, and pieces that do not fit into a block together: each request is an allocation. */
static una_status save_and_load(void *context, una_run *failing)
{
    una_arena keep[4];
    for (size_t i = 0; i < 4; i++) una_arena_init(&keep[i], failing);
    char *text = UNA_GET(&keep[0], char, PIECE);
    pieces out = { text, UNA_GET(&keep[0], double, PIECE), UNA_GET(&keep[0], float, 2 * PIECE) }, back;
    una_status status = una_arena_check(&keep[0]);
    una_archive ar, in;
    const char *json;

    if (status == UNA_OK) memset(text, 'x', PIECE - 1);
    if (status == UNA_OK) status = una_archive_save_begin(&ar, header, &keep[1], failing);
    if (status == UNA_OK) status = exchange_pieces(&out, &ar);
    if (status == UNA_OK) status = una_archive_save_end(&ar);
    if (status == UNA_OK) status = una_archive_load_begin(&in, ar.bytes, ar.size, "m", &json, &keep[2], failing);
    if (status == UNA_OK) status = exchange_pieces(&back, &in);
    if (status == UNA_OK) status = una_archive_load_end(&in);
    if (status == UNA_OK) status = una_archive_header(&json, context, &keep[3], failing);

    for (size_t i = 0; i < 4; i++) una_arena_free(&keep[i]);
    return status;
}

/* Many small blocks: the file grows while it is written. */
static una_status save_small(void *context, una_run *failing)
{
    (void)context;
    una_arena keep;
    una_arena_init(&keep, failing);
    thing t = sample();
    una_archive ar;

    una_status status = una_archive_save_begin(&ar, header, &keep, failing);
    for (int i = 0; i < 200 && status == UNA_OK; i++) {
        status = exchange(&t, &ar);
        if (i == 0) status = una_archive_f64(&ar, "x", &t.scale);
    }
    if (status == UNA_OK) status = una_archive_save_end(&ar);

    una_arena_free(&keep);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    una_archive file = saved(&arena, run);
    char path[8192];
    snprintf(path, sizeof path, "%s", temp_file("swept.una", file.bytes, file.size));
    assert_true(sweep_allocations(save_and_load, path) >= 12);
    assert_true(sweep_allocations(save_small, NULL) > 3);
    una_archive ar;
    double *w = some_weights;
    assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
    ar.status = UNA_E_MEMORY;
    assert_status(una_archive_f64s(&ar, "w", &w, 3), UNA_E_MEMORY, run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_and_back), cmocka_unit_test(the_bytes_are_pinned),
        cmocka_unit_test(every_cut_is_refused),
        cmocka_unit_test(every_flipped_bit_is_refused), cmocka_unit_test(each_fault_has_its_sentence),
        cmocka_unit_test(blocks_must_match), cmocka_unit_test(counts_and_ranges), cmocka_unit_test(forgeries),
        cmocka_unit_test(saving_refuses_what_loading_would), cmocka_unit_test(the_header_of_a_file),
        cmocka_unit_test(the_header_of_a_huge_file), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
