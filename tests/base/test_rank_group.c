/* SPDX-License-Identifier: MIT
 *
 * Ranks that make one call together: sums of all, and failures that all of them meet wherever they are.
 */
#include "ranks_here.h"

#include "base/ranks.h"

enum { MOST = 4 };

typedef struct work { double sum, most; size_t each[MOST], all; char text[64]; size_t size; int fails, turn; } work;

static una_status talk(work *w, una_run *run)
{
    unsigned char *bytes;
    char mine[16];
    double mine_sum[2] = { una_rank(run) + 1, 0.5 };
    UNA_TRY(una_run_sum_f64(mine_sum, 2, run));
    w->sum = mine_sum[0] + mine_sum[1];
    w->most = una_run_max(10.0 - una_rank(run), run);
    UNA_TRY(una_rank_group_gather_sizes(w->each, 100 + (size_t)una_rank(run), run));
    w->all = una_run_sum_size(7, run);
    int length = snprintf(mine, sizeof mine, "%.*s|", una_rank(run), "abcdef");
    UNA_TRY(una_run_gather_bytes(&bytes, &w->size, mine, (size_t)length, &run->scratch, run));
    memcpy(w->text, bytes, w->size);
    return UNA_OK;
}

static una_status talk_by_itself(void *context, una_run *run)
{
    return talk(context, run);
}

static una_status talk_together(void *context, una_run *run)
{
    una_rank_group rank_group;
    una_rank_group_enter(&rank_group, run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = talk(context, run);
    una_arena_release(&run->scratch, mark);
    return una_rank_group_leave(&rank_group, status, run);
}

static void test_all_get_the_same(void **state)
{
    (void)state;
    work w[MOST] = { { .fails = 0 } };
    rank_here me[MOST] = { { .threads = 0 } };
    with_ranks_here(me, MOST, talk_together, w, sizeof *w);
    for (int r = 0; r < MOST; r++) {
        assert_int_equal(me[r].status, UNA_OK);
        assert_true(w[r].sum == 1 + 2 + 3 + 4 + 4 * 0.5 && w[r].most == 10 && w[r].all == 28);
        for (size_t i = 0; i < MOST; i++) assert_int_equal(w[r].each[i], 100 + i);
        assert_int_equal(w[r].size, 10);
        assert_memory_equal(w[r].text, "|a|ab|abc|", 10);
    }
}

static void test_alone_nothing_is_sent(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    work w = { .fails = 0 };
    assert_ok(talk_together(&w, run), run);
    assert_true(w.sum == 1.5 && w.most == 10 && w.all == 7 && w.each[0] == 100 && w.size == 1);
    una_run_free(run);

    work two[2] = { { .fails = 0 } };                    /* and outside of a call that all make */
    rank_here me[2] = { { .threads = 0 } };
    assert_int_equal(with_ranks_here(me, 2, talk_by_itself, two, sizeof *two), 0);
    assert_true(two[1].sum == 2.5 && two[1].all == 7);
}

/* One rank gives up in turn `turn`; the others go on asking. */
static una_status some_fail(void *context, una_run *run)
{
    work *w = context;
    una_rank_group rank_group;
    una_status status = UNA_OK;
    una_rank_group_enter(&rank_group, run);
    for (int i = 0; i < 5 && status == UNA_OK; i++) {
        float f32[3] = { 1, 2, 3 };
        if (w->fails && i == w->turn) status = una_fail(run, UNA_E_INPUT, "cell %d is bad", una_rank(run));
        else status = una_run_sum_f32(f32, 3, run);
    }
    status = una_rank_group_leave(&rank_group, status, run);
    return una_rank_group_count(run) == 1 ? status : UNA_E_USAGE;
}

static void test_a_failure_is_that_of_all(void **state)
{
    (void)state;
    for (int bad = 0; bad < MOST; bad++)
        for (int turn = 0; turn < 6; turn += 2) {
            char sentence[64], where[32];
            work w[MOST] = { { .fails = 0 } };
            rank_here me[MOST] = { { .threads = 0 } };
            for (int r = 0; r < MOST; r++) w[r].turn = turn;
            w[bad].fails = 1;
            with_ranks_here(me, MOST, some_fail, w, sizeof *w);
            snprintf(sentence, sizeof sentence, "cell %d is bad", bad);
            snprintf(where, sizeof where, "rank %d", bad);
            for (int r = 0; r < MOST; r++) {
                assert_int_equal(me[r].status, turn < 5 ? UNA_E_INPUT : UNA_OK);
                if (turn < 5) assert_says(me[r].message, sentence);
                if (turn < 5) assert_says(me[r].message, where);
            }
        }
}

static una_status ask_differently(void *context, una_run *run)
{
    una_rank_group rank_group;
    double values[4] = { 0 };
    (void)context;
    una_rank_group_enter(&rank_group, run);
    una_status status = una_run_sum_f64(values, una_rank(run) == 1 ? 3 : 4, run);
    return una_rank_group_leave(&rank_group, status, run);
}

static void test_ranks_that_part_get_a_sentence(void **state)
{
    (void)state;
    char none[3];
    rank_here me[3] = { { .threads = 0 } };
    with_ranks_here(me, 3, ask_differently, none, 1);
    for (int r = 0; r < 3; r++) {
        assert_int_equal(me[r].status, UNA_E_USAGE);
        assert_says(me[r].message, "do not do the same");
    }
}

/* Tasks that may ask for sums are done in one order, whatever the threads. */
typedef struct item { una_arena arena; double sum; } item;

static una_status one_item(void *context, size_t index, una_run *child)
{
    item *all = context;
    all[index].sum = (double)index;
    return una_run_sum_f64(&all[index].sum, 1, child);
}

static una_status tasks(void *context, una_run *run)
{
    una_rank_group rank_group;
    item all[6] = { { .sum = 0 } };
    double *sum = context;
    una_rank_group_enter(&rank_group, run);
    una_status status = una_jobs_run(run, all, sizeof *all, 6, one_item, all);
    una_jobs_free(all, sizeof *all, 6);
    for (size_t i = 0; i < 6; i++) sum[i] = all[i].sum;
    return una_rank_group_leave(&rank_group, status, run);
}

static void test_tasks_in_one_order(void **state)
{
    (void)state;
    double sum[3][6];
    rank_here me[3] = { { .threads = 3 }, { .threads = 1 }, { .threads = 2 } };
    with_ranks_here(me, 3, tasks, sum, sizeof *sum);
    for (size_t r = 0; r < 3; r++) {
        assert_int_equal(me[r].status, UNA_OK);
        for (size_t i = 0; i < 6; i++) assert_true(sum[r][i] == 3 * (double)i);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_all_get_the_same), cmocka_unit_test(test_alone_nothing_is_sent),
        cmocka_unit_test(test_a_failure_is_that_of_all), cmocka_unit_test(test_ranks_that_part_get_a_sentence),
        cmocka_unit_test(test_tasks_in_one_order),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
