/* SPDX-License-Identifier: MIT
 *
 * JSON of strangers: the estimate is never below what Jansson takes, the limit of memory holds, signals are heard. The
 * test is the whole program, so that it may give Jansson an allocator that counts.
 */
#include "test_support.h"

#include "read/json.h"

/* ---- what Jansson takes ---------------------------------------------------------------------------------------- */

static struct { size_t held, peak, taken; int *cancel; size_t cancel_at; } memory;

/* Of glibc: 8 bytes more, rounded up to 16, at least 32; whole pages from some size on. The size stands before. */
static size_t block_size(size_t size)
{
    size_t block = (size + 8 + 15) / 16 * 16;
    return block < 32 ? 32 : block >= 128 << 10 ? (block + 8 + 4095) / 4096 * 4096 : block;
}

static void *counted_take(size_t size)
{
    max_align_t *block = malloc(size + sizeof *block);
    if (!block) return NULL;
    *(size_t *)block = size;
    memory.held += block_size(size);
    if (memory.held > memory.peak) memory.peak = memory.held;
    if (++memory.taken == memory.cancel_at && memory.cancel) *memory.cancel = 1;
    return block + 1;
}

static void counted_give(void *at)
{
    if (!at) return;
    max_align_t *block = (max_align_t *)at - 1;
    memory.held -= block_size(*(size_t *)block);
    free(block);
}

static uint64_t memory_of(const char *text)
{
    uint64_t parts;
    return una_json_memory(text, strlen(text), &parts);
}

/* ---- texts ----------------------------------------------------------------------------------------------------- */

typedef struct shape { const char *begin, *item, *end; bool named; } shape;

/* `count` items with commas between them; with names each has one of its own. Release with free. */
static char *text_of(const shape *s, size_t count)
{
    char *text = malloc(strlen(s->begin) + count * (strlen(s->item) + 24) + strlen(s->end) + 1), *at = text;
    at += sprintf(at, "%s", s->begin);
    for (size_t i = 0; i < count; i++) {
        if (i) *at++ = ',';
        if (s->named) at += sprintf(at, "\"%zx\":", i);
        at += sprintf(at, "%s", s->item);
    }
    sprintf(at, "%s", s->end);
    return text;
}

static una_json_text all_of(const char *text)
{
    return (una_json_text){ text, strlen(text), UNA_JSON_LONG, "it" };
}

static size_t taken_for(const char *text, una_status wanted, una_run *run)
{
    json_t *json;
    una_json_text all = all_of(text);
    una_mark mark = una_arena_mark(&run->scratch);
    memory.peak = memory.held = 0;
    assert_status(una_json_read(&json, &all, &run->scratch), wanted, run);
    una_arena_release(&run->scratch, mark);
    assert_int_equal(memory.held, 0);
    return memory.peak;
}

static void the_estimate_is_from_above(void **state)
{
    (void)state;
    static const shape shapes[] = {
        { "[", "{}", "]", false }, { "[", "[]", "]", false }, { "[", "1", "]", false }, { "[", "1.5", "]", false },
        { "[", "\"\"", "]", false }, { "[", "true", "]", false }, { "[", "{\"\":1}", "]", false },
        { "[", "[[[[]]]]", "]", false }, { "[", "[1,2,3,4,5,6,7,8,9]", "]", false },
        { "[", "\"a word of some length, as there are many\"", "]", false }, { "[", "\"\\u0041\\\"\\\\\"", "]", false },
        { "[", "{\"a\":1,\"b\":2,\"c\":3,\"d\":4,\"e\":5,\"f\":6,\"g\":7,\"h\":8,\"i\":9}", "]", false },
        { "{", "1", "}", true }, { "{", "{}", "}", true }, { "{", "[]", "}", true }, { "{", "\"\"", "}", true },
        { "{", "null", "}", true }, { "{", "{\"\":{}}", "}", true }, { " {\n\"a\" : [", "  12345", " ] } ", false },
    };
    static const size_t counts[] = { 1, 2, 8, 9, 16, 17, 1000, 1024, 1025, 4097, 32769, 65537 };
    una_run *run = quiet_run();
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
            char *text = text_of(&shapes[i], counts[k]);
            size_t taken = taken_for(text, UNA_OK, run);
            uint64_t estimate = memory_of(text);
            if (taken > estimate || estimate > 8 * taken + 10000)
                fail_msg("%zu of %s: %zu bytes are taken, and %zu estimated", counts[k], shapes[i].item, taken,
                         (size_t)estimate);
            free(text);
        }
    una_run_free(run);
}

static void long_strings_and_names(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (size_t length = 1; length < 3000000; length = 3 * length + 1)
        for (int name = 0; name < 2; name++) {
            char *word = malloc(length + 1), *text = malloc(length + 100);
            memset(word, 'a', length);
            word[length] = 0;
            sprintf(text, name ? "{\"%s\": 1}" : "[\"%s\"]", word);
            assert_true(taken_for(text, UNA_OK, run) <= memory_of(text));
            free(text);
            free(word);
        }
    una_run_free(run);
}

/* What is read up to a mistake is counted as well. */
static void texts_that_are_none(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", "{", "[", "\"", "[\"", "[\"\\", "[\"\\\"", "[[[[[[[[", "[1,2,3,", "{\"a\":1,\"a\":2}", "[1 2]", "{\"a\" 1}",
        "[{},{},{},{},{},{},{},{},{},x]", "[\"a\nb\",{},{},{},{},{}]", "[\"\\q\",{},{}]", "{,,,,:::}", "\xff", "[1]]",
    };
    una_run *run = quiet_run();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        assert_true(taken_for(texts[i], UNA_E_INPUT, run) <= memory_of(texts[i]));
        assert_says(una_run_message(run), "it, line ");
    }
    una_run_free(run);
}

/* ---- limits ---------------------------------------------------------------------------------------------------- */

static void memory_is_counted(void **state)
{
    (void)state;
    una_run *run;
    assert_ok(una_run_new(&run, &SIZED(una_run_settings, .memory_limit = 30000000)), NULL);
    assert_non_null(una_arena_get(&run->scratch, 1, 1));         /* opens a block, which counts too */
    uint64_t before = run->used;
    una_mark mark = una_arena_mark(&run->scratch);
    const shape objects = { "[", "{}", "]", false };
    char *large = text_of(&objects, 131073), *fits = text_of(&objects, 60000);
    una_json_text all = all_of(large), some = all_of(fits);
    json_t *json, *second;

    memory.taken = 0;
    assert_status(una_json_read(&json, &all, &run->scratch), UNA_E_MEMORY, run);
    assert_says(una_run_message(run), "it: to read its 0.393 MB of JSON may take 45.6 MB of memory");
    assert_says(una_run_message(run), "and only 30 MB are allowed");
    assert_int_equal(memory.taken, 0);                           /* Jansson was not asked */
    assert_null(json);
    assert_int_equal(run->used, before);

    assert_ok(una_json_read(&json, &some, &run->scratch), run);   /* what is held counts: there is room for one */
    assert_true(run->used == before + memory_of(fits));
    assert_status(una_json_read(&second, &some, &run->scratch), UNA_E_MEMORY, run);
    assert_null(una_allocate(run, 20000000));
    una_arena_release(&run->scratch, mark);
    assert_int_equal(run->used, before);
    free(large);
    free(fits);
    una_run_free(run);
}

static void sizes_are_bounded(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    json_t *json;
    const shape names = { "{", "1", "}", true }, numbers = { "[", "1", "]", false };
    char *many = text_of(&names, UNA_JSON_PARTS), *list = text_of(&numbers, UNA_JSON_PARTS + 1);
    una_json_text all = all_of(many);
    memory.taken = 0;
    assert_status(una_json_read(&json, &all, &run->scratch), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "it has 1000001 objects, lists and names in its JSON, and at most 1000000 are");
    all = all_of(list);
    all.most = all.size - 1;
    assert_status(una_json_read(&json, &all, &run->scratch), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "it has 2000003 bytes of JSON, and at most 2000002 are read");
    assert_int_equal(memory.taken, 0);
    all.most = all.size;
    assert_ok(una_json_read(&json, &all, &run->scratch), run);             /* numbers are no parts */
    free(list);
    free(many);
    una_run_free(run);
}

/* A signal ends it, before and in the midst of it. */
static void it_can_be_interrupted(void **state)
{
    (void)state;
    una_run *run;
    int stop = 1;
    assert_ok(una_run_new(&run, &SIZED(una_run_settings, .cancel = &stop)), NULL);
    const shape objects = { "[", "{}", "]", false };
    char *text = text_of(&objects, 100000);
    memory.cancel = &stop;
    for (size_t at = 0; at <= 50000; at += 50000) {
        stop = at == 0;
        memory.taken = 0;
        memory.cancel_at = at;
        taken_for(text, UNA_CANCELLED, run);
        assert_says(una_run_message(run), "interrupted while reading it");
        assert_true(memory.taken <= at + 1000);                  /* a kilobyte more is read */
    }
    memory.cancel = NULL;
    taken_for("{\"x\": 1}", UNA_OK, run);                        /* what is short is read by the interrupted, too */
    free(text);
    una_run_free(run);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static void files_are_held_to_the_same(void **state)
{
    (void)state;
    una_run *run;
    assert_ok(una_run_new(&run, &SIZED(una_run_settings, .memory_limit = 30000000)), NULL);
    una_split split = UNA_INIT(una_split);
    const shape objects = { "{\"rows\": 4, \"gap\": [", "{}", "]}", false };
    char *text = text_of(&objects, 131073);
    assert_status(una_split_read(&split, temp_text_file("s.json", text), "gap", 0, 4, run), UNA_E_MEMORY, run);
    assert_says(una_run_message(run), "s.json: to read its 0.393 MB of JSON");
    free(text);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_estimate_is_from_above), cmocka_unit_test(long_strings_and_names),
        cmocka_unit_test(texts_that_are_none), cmocka_unit_test(memory_is_counted), cmocka_unit_test(sizes_are_bounded),
        cmocka_unit_test(it_can_be_interrupted), cmocka_unit_test(files_are_held_to_the_same),
    };
    json_set_alloc_funcs(counted_take, counted_give);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
