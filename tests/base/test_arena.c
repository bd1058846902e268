/* SPDX-License-Identifier: MIT
 *
 * Arenas: zeroed, aligned, marked and released, counted against the limit; failure is sticky.
 */
#include "base/base.h"
#include "test_support.h"

static void memory_is_zeroed_and_aligned(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    unsigned char *last = NULL;
    for (size_t size = 0; size < 3000; size += 37) {
        unsigned char *at = una_arena_get(&arena, size, 1);
        assert_non_null(at);
        assert_int_equal((uintptr_t)at % 64, 0);
        assert_true(at != last);
        for (size_t i = 0; i < size; i++) assert_int_equal(at[i], 0);
        memset(at, 0xAA, size);
        last = at;
    }

    una_mark mark = una_arena_mark(&arena);
    for (int round = 0; round < 3; round++) {            /* released memory comes back zeroed */
        unsigned char *at = una_arena_get(&arena, 100, 1);
        assert_non_null(at);
        assert_int_equal(at[0], 0);
        memset(at, 0xBB, 100);
        una_arena_release(&arena, mark);
    }

    una_arena_free(&arena);
    assert_true(run->used == 0);
    assert_non_null(una_arena_get(&arena, 8, 8));        /* may be used again */
    una_arena_free(&arena);
    una_run_free(run);
}

/* A large block comes from the system as zeros, and is filled with them by hand only where it was used. */
static void large_blocks_are_zeroed_again(void **state)
{
    (void)state;
    enum { LARGE = 48 << 20 };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    assert_non_null(una_arena_get(&arena, LARGE, 1));
    una_mark empty = una_arena_mark(&arena);
    unsigned char *first = una_arena_get(&arena, LARGE, 1);
    assert_non_null(first);
    memset(first, 0xAA, LARGE);
    una_arena_release(&arena, empty);
    una_arena_reuse(&arena);                             /* one block for both, next time */

    unsigned char *whole = una_arena_get(&arena, LARGE, 1);
    empty = una_arena_mark(&arena);
    for (size_t part = 1; part <= 4; part++) {           /* the same bytes, and each time some that are new */
        unsigned char *at = una_arena_get(&arena, part << 20, 1);
        assert_non_null(at);
        for (size_t i = 0; i < part << 20; i += 997) assert_int_equal(at[i], 0);
        memset(at, 0xBB, part << 20);
        una_arena_release(&arena, empty);
    }
    for (size_t i = 0; i < LARGE; i += 997) assert_int_equal(whole[i], 0);
    una_arena_free(&arena);
    una_run_free(run);
}

static void release_gives_back(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    una_mark nothing = una_arena_mark(&arena);
    int *kept = UNA_GET(&arena, int, 4);
    assert_non_null(kept);
    kept[3] = 42;

    una_mark mark = una_arena_mark(&arena);
    uint64_t before = run->used;
    for (int i = 0; i < 20; i++) assert_non_null(una_arena_get(&arena, 1 << 20, 1));
    assert_true(run->used > before + (20 << 20));
    una_arena_release(&arena, mark);
    assert_true(run->used == before);
    assert_int_equal(kept[3], 42);

    una_arena_release(&arena, nothing);
    assert_true(run->used == 0);
    una_run_free(run);
}

static void what_is_reused_fits_into_one_block(void **state)
{
    (void)state;
    struct fail_after memory = { .left = -1 };
    una_run_settings settings = failing_settings(&memory);
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    una_arena arena;
    una_arena_init(&arena, run);
    una_arena_reuse(&arena);                             /* of nothing */

    long first = memory.taken;
    for (int round = 0; round < 4; round++) {
        for (size_t size = 1000; size <= 64000; size *= 2) {
            unsigned char *at = una_arena_get(&arena, size, 1);
            assert_non_null(at);
            for (size_t i = 0; i < size; i++) assert_int_equal(at[i], 0);
            memset(at, 0xCC, size);
        }
        una_arena_reuse(&arena);
        if (round == 0) assert_true(memory.taken > first + 1);
        if (round == 0) first = memory.taken;
    }

    assert_int_equal(memory.taken, first + 1);
    una_arena_free(&arena);
    una_run_free(run);
    assert_int_equal(memory.live, 0);
}

/* One call's worth of nested work, which comes and goes in order; more: asks for more at its deepest place. */
static void work_in(una_arena *arena, size_t more)
{
    una_mark outer = una_arena_mark(arena);
    for (size_t depth = 0; depth < 3; depth++) {
        una_mark inner = una_arena_mark(arena);
        for (size_t size = 1000; size <= 64000; size *= 2) {
            unsigned char *at = una_arena_get(arena, size, 1);
            assert_non_null(at);
            for (size_t i = 0; i < size; i++) assert_int_equal(at[i], 0);
            memset(at, 0xDD, size);
        }

        if (more) assert_non_null(una_arena_get(arena, more, 1));
        una_arena_release(arena, inner);
        assert_non_null(una_arena_get(arena, 100, 1));
    }
    una_arena_release(arena, outer);
}

static void what_is_kept_is_not_taken_again(void **state)
{
    (void)state;
    struct fail_after memory = { .left = -1 };
    una_run_settings settings = failing_settings(&memory);
    una_run *run = NULL;
    settings.keep_memory = 1;
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);

    work_in(&run->scratch, 0);
    long taken = memory.taken, live = memory.live;
    for (int round = 0; round < 5; round++) work_in(&run->scratch, 0);
    assert_int_equal(memory.taken, taken);

    work_in(&run->scratch, 1 << 20);                     /* a larger call: taken once, then kept */
    assert_true(memory.taken > taken);
    taken = memory.taken;
    for (int round = 0; round < 5; round++) work_in(&run->scratch, round % 2 ? 0 : 1 << 20);
    assert_int_equal(memory.taken, taken);
    assert_int_equal(memory.live, live);                 /* in one piece, like before */

    assert_null(una_arena_get(&run->scratch, SIZE_MAX, 1));
    una_arena_reuse(&run->scratch);
    assert_ok(una_arena_check(&run->scratch), run);
    work_in(&run->scratch, 0);
    assert_int_equal(memory.taken, taken);
    una_run_free(run);
    assert_int_equal(memory.live, 0);
}

/* No memory to keep is no failure of the call before: it only costs the next one. */
static void what_cannot_be_kept_is_taken_again(void **state)
{
    (void)state;
    struct fail_after memory = { .left = -1 };
    una_run_settings settings = failing_settings(&memory);
    una_run *run = NULL;
    settings.keep_memory = 1;
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    long start = memory.taken;
    work_in(&run->scratch, 0);
    long blocks = memory.taken - start - 1;              /* all but the one that is kept */
    una_arena_free(&run->scratch);

    memory.left = blocks;
    work_in(&run->scratch, 0);
    assert_ok(una_arena_check(&run->scratch), run);
    assert_string_equal(una_run_message(run), "");
    memory.left = -1;
    work_in(&run->scratch, 0);
    una_run_free(run);
    assert_int_equal(memory.live, 0);
}

static char ended[8];
static void note_end(void *what)
{
    strcat(ended, what);
}

/* What hangs on memory ends with it: latest first, and only what came after the mark. */
static void ends_come_before_memory_goes(void **state)
{
    static char a[] = "a", b[] = "b", c[] = "c", d[] = "d";
    una_run *run = quiet_run();
    una_arena arena, other;
    (void)state;
    una_arena_init(&arena, run);
    una_arena_init(&other, run);
    ended[0] = 0;

    assert_ok(una_arena_at_end(&arena, note_end, a), run);
    una_mark mark = una_arena_mark(&arena);
    assert_ok(una_arena_at_end(&arena, note_end, b), run);
    assert_ok(una_arena_at_end(&arena, note_end, c), run);
    assert_string_equal(ended, "");
    una_arena_release(&arena, mark);
    assert_string_equal(ended, "cb");

    assert_ok(una_arena_at_end(&other, note_end, d), run);
    una_arena_join(&arena, &other);
    una_arena_free(&other);
    assert_string_equal(ended, "cb");
    una_arena_free(&arena);
    assert_string_equal(ended, "cbad");

    arena.failed = true;                         /* no memory to remember it: at once */
    assert_int_equal(una_arena_at_end(&arena, note_end, b), UNA_E_MEMORY);
    assert_string_equal(ended, "cbadb");
    una_run_free(run);
}

static void copies_of_texts(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    assert_null(una_arena_text(&arena, NULL));
    assert_ok(una_arena_check(&arena), run);
    assert_string_equal(una_arena_text(&arena, "word"), "word");
    una_arena_free(&arena);
    una_run_free(run);
}

static void the_limit_names_both_numbers(void **state)
{
    (void)state;
    una_run *run;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .memory_limit = 10000000 };
    assert_ok(una_run_new(&run, &settings), NULL);
    una_arena arena;
    una_arena_init(&arena, run);
    una_mark mark = una_arena_mark(&arena);

    assert_null(una_arena_get(&arena, 25000000, 1));
    assert_says(run->message, "this needs 25 MB of memory, and only 10 MB are allowed");
    assert_status(una_arena_check(&arena), UNA_E_MEMORY, run);
    assert_null(una_arena_get(&arena, 1, 1));            /* sticky */
    assert_null(una_arena_text(&arena, "x"));

    una_mark failed = una_arena_mark(&arena);
    una_arena_release(&arena, failed);                   /* what failed before the mark stays failed */
    assert_status(una_arena_check(&arena), UNA_E_MEMORY, run);
    una_arena_release(&arena, mark);
    assert_ok(una_arena_check(&arena), run);
    assert_non_null(una_arena_get(&arena, 1, 1));

    una_arena_free(&arena);
    assert_true(run->used == 0);
    una_run_free(run);
}

static void sizes_beyond_any_memory(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_mark mark = una_arena_mark(&arena);

    const size_t count[] = { SIZE_MAX, SIZE_MAX / 8 + 1, SIZE_MAX / 16, SIZE_MAX / 2 };
    for (size_t i = 0; i < 4; i++) {
        assert_null(una_arena_get(&arena, count[i], 8));
        assert_says(run->message, "beyond any memory");
        una_arena_release(&arena, mark);
    }

    assert_null(una_allocate(run, SIZE_MAX));
    assert_says(run->message, "beyond any memory");
    una_run_free(run);
}

static una_status take(void *context, una_run *run)
{
    (void)context;
    una_arena arena;
    una_arena_init(&arena, run);
    for (size_t i = 0; i < 12; i++) UNA_GET(&arena, double, (size_t)1 << i);
    UNA_GET(&run->scratch, char, 100000);
    UNA_GET_ROWS(&run->scratch, char, 17 << 20);
    una_status status = una_arena_check(&arena);
    if (status == UNA_OK) status = una_arena_check(&run->scratch);
    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(take, NULL) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zeroed_and_aligned), cmocka_unit_test(large_blocks_are_zeroed_again),
        cmocka_unit_test(release_gives_back),
        cmocka_unit_test(what_is_reused_fits_into_one_block),
        cmocka_unit_test(what_is_kept_is_not_taken_again),
        cmocka_unit_test(what_cannot_be_kept_is_taken_again),
        cmocka_unit_test(ends_come_before_memory_goes), cmocka_unit_test(copies_of_texts), cmocka_unit_test(the_limit_names_both_numbers),
        cmocka_unit_test(sizes_beyond_any_memory), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
