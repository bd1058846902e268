/* SPDX-License-Identifier: MIT
 *
 * A sweep on several ranks: the same rows as alone, each made once, all of them on every rank; what was there is not
 * made again; failures, interruptions and ranks that planned something else. Ranks are threads here.
 */
#include "ranks_here.h"

#include "store/sweep_support.h"

#include "base/ranks.h"
#include "store/packet.h"
#include "store/store_csv.h"

#include <time.h>

enum { KEYS = 30, RANKS = 3 };

typedef struct part {                    /* what one rank does                                               */
    const char  *path;
    size_t       keys, fail_at;          /* fail_at: the split that cannot be made, SIZE_MAX: none            */
    uint64_t     other;                  /* added to seeds: another plan                                     */
    long         pause_us;
    bool         extra, ends;            /* rows beside; ends before it sweeps                               */
    volatile int *cancel_all;            /* set by the third fit                                             */
    atomic_size_t *begun;                /* the first fit waits until `wanted` ranks have begun; NULL: it does not */
    size_t       wanted;
    atomic_size_t calls;
    size_t       made, extra_made, found;
    double       worked, waited, sum;    /* sum: of all values, in the order of the plan                     */
} part;

static una_status make(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    part *p = context;
    size_t call = p->calls++;
    struct timespec pause = { .tv_nsec = p->pause_us * 1000 };
    if (p->pause_us) nanosleep(&pause, NULL);
    if (p->begun && call == 0) ++*p->begun;
    for (int i = 0; i < 30000 && p->begun && *p->begun < p->wanted; i++) nanosleep(&pause, NULL);
    if (una_rank_count(run) != 1) UNA_FAIL(run, UNA_E_USAGE, "a fit inside of a sweep sees the ranks");
    if (key->split == p->fail_at) UNA_FAIL(run, UNA_E_NUMERIC, "it fell down");
    if (p->cancel_all && call == 2) *p->cancel_all = 1;
    UNA_TRY(una_tick(run, "making", 0, NAN));

    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_TEST, key->split);
    outcome->value[0] = una_rng_normal(&rng);
    outcome->value[1] = (double)key->seed;
    if (!p->extra) return UNA_OK;
    una_row *row = UNA_GET(outcome->arena, una_row, 1);
    UNA_TRY(una_arena_check(outcome->arena));
    *row = row_of("aside", "new", key->seed, outcome->value);
    outcome->extra = row;
    outcome->extra_count = 1;
    return UNA_OK;
}

static void plan_keys(una_plan *plan, const part *p, una_arena *arena)
{
    *plan = (una_plan){ .arena = arena };
    for (uint64_t i = 0; i < p->keys; i++)
        una_plan_add(plan, (una_row_key){ "work", "data", i, "new", 100 + i + p->other, 1 });
}

static una_status read_all(part *p, una_store *store, const una_plan *plan, una_run *run)
{
    for (size_t i = 0; i < plan->count; i++) {
        una_row row;
        bool found;
        UNA_TRY(una_store_find(&found, &row, store, &plan->keys[i], &run->scratch, run));
        p->found += found;
        if (found) p->sum = 3 * p->sum + row.value[0] + row.value[1];
    }
    return UNA_OK;
}

static una_status work(void *context, una_run *run)
{
    part *p = context;
    una_arena arena;
    una_plan plan;
    una_store *store = NULL;
    if (p->ends) UNA_FAIL(run, UNA_E_USAGE, "gone");
    const una_ranks *ranks = una_ranks_hide(run);
    una_arena_init(&arena, run);
    plan_keys(&plan, p, &arena);
    una_status status = una_sweep_agree(una_sweep_store(&store, p->path, ranks, run), ranks, run);
    una_sweep sweep = { .store = store, .plan = &plan, .measures = two_names, .measure_count = 2, .make = make,
                        .context = p, .ranks = ranks };
    if (status == UNA_OK) status = una_sweep_run(&sweep, run);
    if (status == UNA_OK) status = read_all(p, store, &plan, run);
    p->made = sweep.made;
    p->extra_made = sweep.extra;
    p->worked = sweep.worked;
    p->waited = sweep.waited;
    una_ranks_show(run, ranks);
    una_store_close(store);
    una_arena_free(&arena);
    return status;
}

static void parts_of(part *p, size_t count, const char *path)
{
    for (size_t r = 0; r < count; r++) p[r] = (part){ .path = path, .keys = KEYS, .fail_at = SIZE_MAX };
}

/* The rows of the file as text, and how many. */
static size_t rows_of(char *text, size_t room, const char *path)
{
    una_run *run = quiet_run();
    una_store *store;
    char table[4200];
    size_t count;
    snprintf(table, sizeof table, "%s.csv", path);
    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_export(store, &(una_row_table){ "work", two_names, 2, table }, &count, run), run);
    una_store_close(store);
    una_run_free(run);
    FILE *file = fopen(table, "r");
    assert_non_null(file);
    text[fread(text, 1, room - 1, file)] = 0;
    fclose(file);
    return count;
}

static void same_rows_as_alone(void **state)
{
    static char alone[32768], shared[32768];
    char path[4096];
    double sum = 0;
    (void)state;
    for (int count = 1; count <= 4; count++) {
        part p[4];
        rank_here me[4] = { { .threads = 1 }, { .threads = 2 }, { .threads = 1 }, { .threads = 3 } };
        char name[32];
        snprintf(name, sizeof name, "ranks%d.sqlite", count);
        snprintf(path, sizeof path, "%s", temp_path(name));
        for (int again = 0; again < 2; again++) {
            atomic_size_t begun = 0;
            parts_of(p, 4, path);
            for (int r = 0; r < 4; r++) p[r].pause_us = 300, p[r].begun = &begun, p[r].wanted = (size_t)count;
            with_ranks_here(me, count, work, p, sizeof *p);
            size_t calls = 0;
            for (int r = 0; r < count; r++) {
                assert_int_equal(me[r].status, UNA_OK);
                assert_int_equal(p[r].made, again ? 0 : KEYS);
                assert_int_equal(p[r].found, KEYS);
                if (count == 1) sum = p[0].sum;
                assert_true(p[r].sum == sum);
                assert_true(again || p[r].worked >= KEYS * 300e-6);
                calls += p[r].calls;
            }
            assert_int_equal(calls, again ? 0 : KEYS);
            if (!again) for (int r = 0; r < count; r++) assert_true(p[r].calls > 0);
        }
        assert_int_equal(rows_of(count == 1 ? alone : shared, sizeof alone, path), KEYS);
        if (count > 1) assert_string_equal(shared, alone);
    }
}

static void extra_rows_come_along(void **state)
{
    part p[RANKS];
    rank_here me[RANKS] = { { .threads = 0 } };
    char path[4096], text[16384];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("beside.sqlite"));
    parts_of(p, RANKS, path);
    for (int r = 0; r < RANKS; r++) p[r].extra = true;
    with_ranks_here(me, RANKS, work, p, sizeof *p);
    for (int r = 0; r < RANKS; r++) assert_int_equal(me[r].status, UNA_OK);
    for (int r = 0; r < RANKS; r++) assert_int_equal(p[r].extra_made, KEYS);
    assert_int_equal(rows_of(text, sizeof text, path), KEYS);
    una_run *run = quiet_run();
    una_store *store;
    size_t count;
    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_export(store, &(una_row_table){ "aside", two_names, 2, temp_path("aside.csv") }, &count, run),
              run);
    assert_int_equal(count, KEYS);
    una_store_close(store);
    una_run_free(run);
}

/* The failure is told on all ranks, with the name of the one; what was finished is kept, and the rest is made later. */
static void a_fit_that_fails_stops_all(void **state)
{
    char path[4096], text[16384];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("fails.sqlite"));
    part p[RANKS];
    rank_here me[RANKS] = { { .threads = 0 } };
    parts_of(p, RANKS, path);
    for (int r = 0; r < RANKS; r++) p[r].fail_at = 7, p[r].pause_us = 2000;
    with_ranks_here(me, RANKS, work, p, sizeof *p);
    for (int r = 0; r < RANKS; r++) {
        assert_int_equal(me[r].status, UNA_E_NUMERIC);
        assert_says(me[r].message, "new on data, split 7, seed 107: it fell down");
        assert_says(me[r].message, "rank ");
        assert_string_equal(me[r].message, me[0].message);
    }
    size_t kept = rows_of(text, sizeof text, path);
    assert_in_range(kept, 5, KEYS - 1);

    parts_of(p, RANKS, path);
    with_ranks_here(me, RANKS, work, p, sizeof *p);
    for (int r = 0; r < RANKS; r++) assert_int_equal(me[r].status, UNA_OK);
    assert_int_equal(p[0].made, KEYS - kept);
    assert_int_equal(rows_of(text, sizeof text, path), KEYS);
}

/* One rank is interrupted: all are, and what was finished is kept. */
static void an_interruption_reaches_all(void **state)
{
    char path[4096], text[16384];
    volatile int cancel = 0;
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("stopped.sqlite"));
    part p[RANKS];
    rank_here me[RANKS] = { { .threads = 0 }, { .cancel = &cancel } };
    parts_of(p, RANKS, path);
    for (int r = 0; r < RANKS; r++) p[r].pause_us = 10000;
    p[1].cancel_all = &cancel;
    with_ranks_here(me, RANKS, work, p, sizeof *p);
    for (int r = 0; r < RANKS; r++) assert_int_equal(me[r].status, UNA_CANCELLED);
    assert_in_range(rows_of(text, sizeof text, path), 2, KEYS - 1);
}

static void plans_that_differ_are_refused(void **state)
{
    char path[4096], host[64];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("differ.sqlite"));
    for (int what = 0; what < 2; what++) {
        part p[RANKS];
        rank_here me[RANKS] = { { .threads = 0 } };
        parts_of(p, RANKS, path);
        if (what == 0) p[2].other = 1;
        else p[2].keys = KEYS - 1;
        with_ranks_here(me, RANKS, work, p, sizeof *p);
        for (int r = 0; r < RANKS; r++) {
            assert_int_equal(me[r].status, UNA_E_INPUT);
            assert_says(me[r].message, "rank 2 on host ");
            assert_says(me[r].message, una_ranks_host(host));
            assert_says(me[r].message, what == 0 ? "30 fits that are not the 30" : "29 fits that are not the 30");
            assert_int_equal(p[r].calls, 0);
        }
    }
}

static void a_store_that_cannot_be_opened_fails_on_all_ranks(void **state)
{
    part p[RANKS];
    rank_here me[RANKS] = { { .threads = 0 } };
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("no/such/folder.sqlite"));
    parts_of(p, RANKS, path);
    with_ranks_here(me, RANKS, work, p, sizeof *p);
    for (int r = 0; r < RANKS; r++) assert_int_equal(me[r].status, UNA_E_IO);
    for (int r = 0; r < RANKS; r++) assert_says(me[r].message, "rank 0 on host ");
}

static void a_rank_that_ends_is_not_waited_for(void **state)
{
    part p[RANKS];
    rank_here me[RANKS] = { { .threads = 0 } };
    (void)state;
    parts_of(p, RANKS, temp_path("ends.sqlite"));
    p[1].ends = true;
    with_ranks_here(me, RANKS, work, p, sizeof *p);
    assert_int_equal(me[1].status, UNA_E_USAGE);
    assert_int_equal(me[0].status, UNA_E_IO);
    assert_int_equal(me[2].status, UNA_E_IO);
}

/* ---- rows as bytes ------------------------------------------------------------------------------------------- */

static void packets_arrive_unchanged(void **state)
{
    una_run *run = quiet_run();
    una_text bytes = una_text_in(&run->scratch);
    const double value[2][2] = { { NAN, -0.0 }, { 1e300, 5e-324 } };
    una_row in[3] = { row_of("a study", "new(height=2)", UINT64_MAX, value[0]), row_of("", "", 0, value[1]),
                      row_of("none", "new", 1, value[1]) }, *out;
    size_t count;
    (void)state;
    in[2].count = 0;
    for (int i = 0; i < 3; i++) una_packet_pack(&bytes, &in[i]);
    assert_ok(una_packet_unpack(&out, &count, bytes.at, bytes.length, &run->scratch, run), run);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < count; i++) {
        assert_true(una_row_key_same(&in[i].key, &out[i].key));
        assert_int_equal(out[i].count, in[i].count);
        for (size_t m = 0; m < in[i].count; m++) assert_string_equal(out[i].measure[m], two_names[m]);
        assert_memory_equal(out[i].value, in[i].value, in[i].count * sizeof(double));
        assert_string_equal(out[i].options, in[i].options);
        assert_string_equal(out[i].commit, "abc");
        assert_true(out[i].seconds == 0.5);
    }

    /* Cut or changed anywhere: refused or rows, never a crash. */
    for (size_t cut = 1; cut < bytes.length; cut++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_status status = una_packet_unpack(&out, &count, bytes.at, cut, &run->scratch, run);
        assert_true(status == UNA_E_IO || count < 3);
        char *copy = UNA_GET(&run->scratch, char, bytes.length);
        memcpy(copy, bytes.at, bytes.length);
        copy[cut] = (char)(copy[cut] + 77);
        (void)una_packet_unpack(&out, &count, copy, bytes.length, &run->scratch, run);
        una_arena_release(&run->scratch, mark);
    }
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_rows_as_alone),
        cmocka_unit_test(extra_rows_come_along),
        cmocka_unit_test(a_fit_that_fails_stops_all),
        cmocka_unit_test(an_interruption_reaches_all),
        cmocka_unit_test(plans_that_differ_are_refused),
        cmocka_unit_test(a_store_that_cannot_be_opened_fails_on_all_ranks),
        cmocka_unit_test(a_rank_that_ends_is_not_waited_for),
        cmocka_unit_test(packets_arrive_unchanged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
