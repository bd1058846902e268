/* SPDX-License-Identifier: MIT
 *
 * What ranks do together: sums in the order of the tree, news of rank 0, what each has, and how it went.
 */
#include "ranks_here.h"

#include "base/ranks.h"

enum { MOST = 7, LENGTH = 20000 };       /* more than one piece of a sum */

static uint32_t noise(uint32_t at)
{
    at = (at ^ 61) ^ (at >> 16);
    at *= 9;
    at ^= at >> 4;
    at *= 0x27d4eb2d;
    return at ^ (at >> 15);
}

static double number_of(int rank, size_t i)
{
    return (double)noise((uint32_t)(rank * LENGTH) + (uint32_t)i) / 65536.0 - 30000;
}

typedef struct sums { double f64[LENGTH]; float f32[LENGTH]; } sums;

static una_status add_up(void *context, una_run *run)
{
    sums *s = context;
    for (size_t i = 0; i < LENGTH; i++) {
        s->f64[i] = number_of(una_rank(run), i) / 3;
        s->f32[i] = (float)number_of(una_rank(run), i) / 3;
    }
    UNA_TRY(una_ranks_sum(s->f64, LENGTH, sizeof *s->f64, run));
    return una_ranks_sum(s->f32, LENGTH, sizeof *s->f32, run);
}

/* The tree as a recursion: ranks from .. from + width - 1, half of them and the other half. */
static double tree_f64(int from, int width, int count, size_t i)
{
    if (width == 1) return number_of(from, i) / 3;
    double low = tree_f64(from, width / 2, count, i);
    return from + width / 2 < count ? low + tree_f64(from + width / 2, width / 2, count, i) : low;
}

static float tree_f32(int from, int width, int count, size_t i)
{
    if (width == 1) return (float)number_of(from, i) / 3;
    float low = tree_f32(from, width / 2, count, i);
    return from + width / 2 < count ? low + tree_f32(from + width / 2, width / 2, count, i) : low;
}

static void test_sums_follow_the_tree(void **state)
{
    (void)state;
    sums *s = calloc(MOST, sizeof *s);
    assert_non_null(s);
    for (int count = 1; count <= MOST; count++) {
        rank_here me[MOST] = { { .threads = 0 } };
        with_ranks_here(me, count, add_up, s, sizeof *s);
        for (int r = 0; r < count; r++) {
            assert_int_equal(me[r].status, UNA_OK);
            for (size_t i = 0; i < LENGTH; i++) {
                assert_true(s[r].f64[i] == tree_f64(0, 8, count, i));
                assert_true(s[r].f32[i] == tree_f32(0, 8, count, i));
            }
        }
    }
    free(s);
}

typedef struct news { char text[32]; size_t long_count; uint32_t sum; char got[MOST][32]; } news;

static una_status tell_each_other(void *context, una_run *run)
{
    news *n = context;
    int rank = una_rank(run);
    char mine[32];
    void *block = NULL;
    size_t count = 0;
    una_message all[MOST];
    if (rank == 0) snprintf(n->text, sizeof n->text, "from rank 0");
    UNA_TRY(una_ranks_broadcast(n->text, sizeof n->text, run));

    if (rank == 0) {
        count = 100001;
        block = una_arena_get(&run->scratch, count, 1);
        for (size_t i = 0; i < count; i++) ((unsigned char *)block)[i] = (unsigned char)noise((uint32_t)i);
    }
    UNA_TRY(una_ranks_broadcast_block(&block, &count, &run->scratch, run));
    n->long_count = count;
    n->sum = una_crc32(0, block, count);

    int length = snprintf(mine, sizeof mine, "%.*s", 3 * rank, "rank rank rank rank rank rank rank");
    UNA_TRY(una_ranks_gather(all, mine, (size_t)length, &run->scratch, run));
    for (int r = 0; rank == 0 && r < una_rank_count(run); r++)
        snprintf(n->got[r], sizeof n->got[r], "%.*s", (int)all[r].count, (const char *)all[r].bytes);
    return UNA_OK;
}

static void test_news_and_what_each_has(void **state)
{
    (void)state;
    for (int count = 1; count <= MOST; count++) {
        news n[MOST] = { { .long_count = 0 } };
        rank_here me[MOST] = { { .threads = 0 } };
        with_ranks_here(me, count, tell_each_other, n, sizeof *n);
        for (int r = 0; r < count; r++) {
            assert_int_equal(me[r].status, UNA_OK);
            assert_string_equal(n[r].text, "from rank 0");
            assert_int_equal(n[r].long_count, 100001);
            assert_int_equal(n[r].sum, n[0].sum);
            assert_int_equal(strlen(n[0].got[r]), 3 * (size_t)r);
        }
    }
}

typedef struct went { bool first, second, rank_0, task_saw; int fails[2]; una_status code; } went;

static una_status look_for_ranks(void *context, size_t index, una_run *child)
{
    went *w = context;
    (void)index;
    w->task_saw = w->task_saw || una_rank_count(child) > 1;
    return UNA_OK;
}

static una_status go_wrong(void *context, una_run *run)
{
    went *w = context;
    int rank = una_rank(run);
    bool fails = rank == w->fails[0] || rank == w->fails[1];
    w->first = una_ranks_agree(UNA_OK, run) == UNA_OK;
    UNA_TRY(una_pool(run, 3, look_for_ranks, w));
    if (w->rank_0) {
        una_status status = rank == 0 ? una_fail(run, UNA_E_INPUT, "plans differ") : UNA_OK;
        return una_ranks_broadcast_status(status, run);
    }
    una_status status = fails ? una_fail(run, w->code, "cannot open big.csv %d", rank) : UNA_OK;
    return una_ranks_agree(status, run);
}

static void test_all_get_the_lowest_failure(void **state)
{
    (void)state;
    for (int count = 1; count <= MOST; count++)
        for (int fails = 0; fails < count; fails++) {
            went w[MOST];
            rank_here me[MOST] = { { .threads = 0 } };
            char wanted[64], host[64];
            for (int r = 0; r < count; r++) w[r] = (went){ .fails = { fails, count - 1 }, .code = UNA_E_IO };
            with_ranks_here(me, count, go_wrong, w, sizeof *w);
            snprintf(wanted, sizeof wanted, "cannot open big.csv %d", fails);
            for (int r = 0; r < count; r++) {
                assert_true(w[r].first);
                assert_false(w[r].task_saw);
                assert_int_equal(me[r].status, UNA_E_IO);
                assert_says(me[r].message, wanted);
                if (count > 1) assert_says(me[r].message, una_ranks_host(host));
                if (count > 1) assert_int_equal(me[r].message[5], '0' + fails);
            }
        }
}

static void test_interruptions_and_the_first_have_no_name(void **state)
{
    (void)state;
    went w[3], v[3];
    rank_here me[3] = { { .threads = 0 } };
    for (int r = 0; r < 3; r++) w[r] = (went){ .fails = { 1, 1 }, .code = UNA_CANCELLED };
    with_ranks_here(me, 3, go_wrong, w, sizeof *w);
    for (int r = 0; r < 3; r++) assert_int_equal(me[r].status, UNA_CANCELLED);
    for (int r = 0; r < 3; r++) assert_string_equal(me[r].message, "cannot open big.csv 1");

    for (int r = 0; r < 3; r++) v[r] = (went){ .rank_0 = true };
    with_ranks_here(me, 3, go_wrong, v, sizeof *v);
    for (int r = 0; r < 3; r++) assert_int_equal(me[r].status, UNA_E_INPUT);
    for (int r = 0; r < 3; r++) assert_string_equal(me[r].message, "plans differ");
}

/* ---- what goes wrong ----------------------------------------------------------------------------------------- */

static una_status one_is_gone(void *context, una_run *run)
{
    double value = 1;
    if (una_rank(run) == *(int *)context) return UNA_OK;
    return una_ranks_sum(&value, 1, sizeof value, run);
}

static void test_a_rank_that_ended_is_missed(void **state)
{
    (void)state;
    int gone[3] = { 1, 1, 1 };
    rank_here me[3] = { { .threads = 0 } };
    with_ranks_here(me, 3, one_is_gone, gone, sizeof *gone);
    assert_int_equal(me[1].status, UNA_OK);
    assert_int_equal(me[0].status, UNA_E_IO);
    assert_says(me[0].message, "cannot reach rank 1");
    assert_int_equal(me[2].status, UNA_E_IO);            /* for rank 0 has ended by now */
}

static void test_ranks_that_cannot_be(void **state)
{
    (void)state;
    rank_here me = { .threads = 0 };
    una_ranks good = SIZED(una_ranks, .rank = 1, .count = 2, .context = &me, .send = here_send,
                           .receive = here_receive, .arrived = here_arrived);
    una_ranks bad[5] = { good, good, good, good, good };
    bad[0].rank = 2;
    bad[1].rank = -1;
    bad[2].send = NULL;
    bad[3].arrived = NULL;
    bad[4].size = 0;
    for (int i = 0; i < 6; i++) {
        una_run *run = NULL;
        una_run_settings settings = SIZED(una_run_settings, .ranks = i < 5 ? &bad[i] : &good);
        assert_status(una_run_new(&run, &settings), i < 5 ? UNA_E_USAGE : UNA_OK, NULL);
        if (run) assert_int_equal(una_rank(run), 1);
        una_run_free(run);
    }
}

static void test_hidden_ranks(void **state)
{
    (void)state;
    rank_here me = { .threads = 0 };
    una_ranks two = SIZED(una_ranks, .rank = 1, .count = 2, .context = &me, .send = here_send,
                          .receive = here_receive, .arrived = here_arrived);
    una_run *run = NULL;
    una_run_settings settings = SIZED(una_run_settings, .ranks = &two);
    double value = 7;
    assert_ok(una_run_new(&run, &settings), NULL);
    const una_ranks *hidden = una_ranks_hide(run);
    assert_int_equal(una_rank(run), 0);
    assert_ok(una_ranks_sum(&value, 1, sizeof value, run), run);       /* with nobody at the other end */
    assert_ok(una_ranks_agree(UNA_OK, run), run);
    assert_true(value == 7);
    una_ranks_show(run, hidden);
    assert_int_equal(una_rank_count(run), 2);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sums_follow_the_tree),
        cmocka_unit_test(test_news_and_what_each_has),
        cmocka_unit_test(test_all_get_the_lowest_failure),
        cmocka_unit_test(test_interruptions_and_the_first_have_no_name),
        cmocka_unit_test(test_a_rank_that_ended_is_missed),
        cmocka_unit_test(test_ranks_that_cannot_be),
        cmocka_unit_test(test_hidden_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
