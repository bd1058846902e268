/* SPDX-License-Identifier: MIT
 *
 * The worker: every key once, the same rows for any number of threads and however the sweep was cut up, work shared
 * between processes, failures and cancelling.
 */
#include "store/sweep_support.h"

#include "store/store_csv.h"

#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { KEYS = 12 };

typedef struct job {
    _Atomic size_t calls;
    size_t         fail_at, stop_at;     /* SIZE_MAX: never                                              */
    volatile int  *cancel;
    long           pause_ms, renew_ms;
    const int     *meets;                /* pipes, to tell and to hear: no call ends before another process has one */
    _Atomic int    met;
    const char    *aged;                 /* store whose claims the first call makes old; waits until they are not */
} job;

static int64_t ask_store(const char *path, const char *sql)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    int64_t number = 0;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
    int code = sqlite3_step(statement);
    assert_true(code == SQLITE_ROW || code == SQLITE_DONE);
    if (code == SQLITE_ROW) number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return number;
}

static una_status wait_for_a_sign(const char *path, una_run *run)
{
    struct timespec pause = { .tv_nsec = 20000000L };
    ask_store(path, "UPDATE claim SET since = since - 1000");
    for (int i = 0; i < 500; i++) {
        if (ask_store(path, "SELECT min(since) - unixepoch() FROM claim") > -500) return UNA_OK;
        nanosleep(&pause, NULL);
    }
    UNA_FAIL(run, UNA_E_NUMERIC, "no sign of life");
}

/* On a machine with other work one process may have made everything before the other has begun. */
static una_status wait_for_the_other(job *j, size_t call, una_run *run)
{
    struct timespec pause = { .tv_nsec = 1000000L };
    struct pollfd other = { .fd = j->meets[1], .events = POLLIN };
    if (call == 0) {
        if (write(j->meets[0], "", 1) != 1 || poll(&other, 1, 30000) != 1)
            UNA_FAIL(run, UNA_E_NUMERIC, "the other process has not begun");
        j->met = 1;
    }
    while (!j->met && !una_cancelled(run)) nanosleep(&pause, NULL);
    return UNA_OK;
}

static una_status make(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    job *j = context;
    size_t call = j->calls++;
    struct timespec pause = { .tv_nsec = j->pause_ms * 1000000L };

    if (j->meets) UNA_TRY(wait_for_the_other(j, call, run));
    if (j->pause_ms) nanosleep(&pause, NULL);
    if (call == 0 && j->aged) UNA_TRY(wait_for_a_sign(j->aged, run));
    if (call == j->fail_at) UNA_FAIL(run, UNA_E_NUMERIC, "it fell down");
    if (call == j->stop_at) {
        *j->cancel = 1;
        return una_tick(run, "making", 0, NAN);
    }

    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_TEST, key->split);
    outcome->value[0] = una_rng_normal(&rng);
    outcome->value[1] = (double)key->seed;
    outcome->options = una_arena_text(outcome->arena, "new(height=1)");
    return UNA_OK;
}

static void plan_keys(una_plan *plan, una_arena *arena)
{
    *plan = (una_plan){ .arena = arena };
    for (uint64_t i = 0; i < KEYS; i++) una_plan_add(plan, (una_row_key){ "work", "data", i, "new", 100 + i, 1 });
    una_plan_add(plan, plan->keys[0]);           /* once is enough */
    assert_int_equal(plan->count, KEYS);
}

static una_status work(const char *path, job *j, size_t *made, una_run *run)
{
    una_arena arena;
    una_plan plan;
    una_store *store = NULL;
    una_arena_init(&arena, run);
    plan_keys(&plan, &arena);

    una_status status = una_store_open(&store, path, UNA_DATABASE_JOURNAL, run);
    una_sweep sweep = { .store = store, .plan = &plan, .measures = two_names, .measure_count = 2, .make = make,
                        .context = j, .renew_ms = j->renew_ms };
    if (status == UNA_OK) status = una_sweep_run(&sweep, run);

    *made = sweep.made;
    una_store_close(store);
    una_arena_free(&arena);
    return status;
}

static job plain_job(void)
{
    return (job){ .fail_at = SIZE_MAX, .stop_at = SIZE_MAX };
}

/* The rows as text. */
static void rows_of(char *text, size_t room, const char *path, una_run *run)
{
    una_store *store;
    char table[4200];
    snprintf(table, sizeof table, "%s.csv", path);
    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_export(store, &(una_row_table){ "work", two_names, 2, table }, NULL, run), run);
    una_store_close(store);
    FILE *file = fopen(table, "r");
    assert_non_null(file);
    text[fread(text, 1, room - 1, file)] = 0;
    fclose(file);
}

/* What the progress says of the fits, first and last. */
typedef struct told { char first[160], last[160]; } told;

static int listen(void *context, const una_progress *progress)
{
    told *t = context;
    if (!*t->first) snprintf(t->first, sizeof t->first, "%s", progress->stage);
    snprintf(t->last, sizeof t->last, "%s", progress->stage);
    return 0;
}

static void progress_counts_the_fits(void **state)
{
    told t = { "", "" };
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .progress = listen, .callbacks = &t };
    job j = plain_job();
    size_t made;
    (void)state;
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    j.fail_at = 5;
    assert_status(work(temp_path("told.sqlite"), &j, &made, run), UNA_E_NUMERIC, run);
    assert_says(t.first, "0 of 12 fits: fitting");
    assert_says(t.last, "5 of 12 fits: fitting");

    t = (told){ "", "" };                        /* what was there counts as done */
    j = plain_job();
    assert_ok(work(temp_path("told.sqlite"), &j, &made, run), run);
    assert_says(t.first, "5 of 12 fits: fitting");
    assert_says(t.last, "11 of 12 fits: fitting");
    assert_null(run->tally);
    una_run_free(run);
}

static void every_key_once_whatever_the_threads(void **state)
{
    char one[16384], four[16384], path[4096];
    size_t made;
    (void)state;

    for (int threads = 1; threads <= 4; threads += 3) {
        una_run *run = quiet_run_threads(threads);
        job j = plain_job();
        snprintf(path, sizeof path, "%s", temp_path(threads == 1 ? "one.sqlite" : "four.sqlite"));
        assert_ok(work(path, &j, &made, run), run);
        assert_int_equal(made, KEYS);
        assert_int_equal(j.calls, KEYS);
        rows_of(threads == 1 ? one : four, sizeof one, path, run);

        assert_ok(work(path, &j, &made, run), run);
        assert_int_equal(made, 0);
        assert_int_equal(j.calls, KEYS);
        una_run_free(run);
    }
    assert_string_equal(one, four);
}

/* With one thread the counts are known; with two, the other may make all but the row that failed before it hears of
 * the failure, so that only the first call of the second part is certain to come. */
static void goes_on(int threads)
{
    char whole[16384], cut[16384], path[4096];
    volatile int cancel = 0;
    una_run *run = NULL;
    una_run_settings about = { .size = sizeof about, .threads = threads, .cancel = &cancel };
    size_t made, sum = 0;

    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    job j = plain_job();
    snprintf(path, sizeof path, "%s", temp_path(threads == 1 ? "whole1.sqlite" : "whole2.sqlite"));
    assert_ok(work(path, &j, &made, run), run);
    rows_of(whole, sizeof whole, path, run);

    snprintf(path, sizeof path, "%s", temp_path(threads == 1 ? "cut1.sqlite" : "cut2.sqlite"));
    j = plain_job();
    j.fail_at = 5;
    assert_status(work(path, &j, &made, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "new on data, split");
    assert_says(una_run_message(run), "it fell down");
    assert_true(threads == 1 ? made == 5 : made >= 4 && made < KEYS);
    sum += made;

    j = plain_job();
    j.stop_at = threads == 1 ? 4 : 0;
    j.cancel = &cancel;
    assert_status(work(path, &j, &made, run), UNA_CANCELLED, run);
    if (threads == 1) assert_int_equal(made, 4);
    sum += made;
    cancel = 0;

    j = plain_job();
    assert_ok(work(path, &j, &made, run), run);
    assert_int_equal(sum + made, KEYS);
    rows_of(cut, sizeof cut, path, run);
    assert_string_equal(whole, cut);
    una_run_free(run);
}

static void a_sweep_goes_on_where_it_was(void **state)
{
    (void)state;
    goes_on(1);
    goes_on(2);
}

static void a_row_without_a_measure_is_made_again(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    job j = plain_job();
    const double value[] = { 77.5, 77.5 };
    una_row row = { .key = { "work", "data", 2, "new", 102, 1 }, .measure = two_names, .value = value, .count = 1,
                    .options = "o", .kernels = "k", .commit = "c" };
    size_t made;
    char path[4096], text[16384];
    (void)state;

    snprintf(path, sizeof path, "%s", temp_path("less.sqlite"));
    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_put(store, &row, 1, true, NULL, run), run);
    una_store_close(store);

    assert_ok(work(path, &j, &made, run), run);
    assert_int_equal(made, KEYS);
    rows_of(text, sizeof text, path, run);
    assert_null(strstr(text, "77.5"));
    una_run_free(run);
}

static pid_t start_worker(const char *path, long pause_ms, const int *meets)
{
    pid_t child = fork();
    if (child != 0) return child;
    una_run *run = quiet_run();
    job j = plain_job();
    size_t made;
    j.pause_ms = pause_ms;
    j.meets = meets;
    una_status status = work(path, &j, &made, run);
    una_run_free(run);
    _exit(status == UNA_OK && made > 0 ? (int)made : 200);
}

/* Two processes: each makes some, none is made twice, both end with all. */
static void processes_share_the_work(void **state)
{
    char path[4096], text[16384], alone[16384];
    una_run *run = quiet_run();
    job j = plain_job();
    size_t made, sum = 0;
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("alone.sqlite"));
    assert_ok(work(path, &j, &made, run), run);
    rows_of(alone, sizeof alone, path, run);

    snprintf(path, sizeof path, "%s", temp_path("shared.sqlite"));
    pid_t child[2];
    int one[2], other[2];
    assert_true(pipe(one) == 0 && pipe(other) == 0);
    const int meets[2][2] = { { one[1], other[0] }, { other[1], one[0] } };
    for (size_t i = 0; i < 2; i++) child[i] = start_worker(path, 20, meets[i]);
    for (size_t i = 0; i < 2; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) <= KEYS);
        sum += (size_t)WEXITSTATUS(status);
    }
    assert_int_equal(sum, KEYS);
    for (size_t i = 0; i < 2; i++) assert_true(close(one[i]) == 0 && close(other[i]) == 0);
    rows_of(text, sizeof text, path, run);
    assert_string_equal(text, alone);
    una_run_free(run);
}

/* One is killed in the middle of a row while the other waits for it: the row is taken over. */
static void what_a_dead_process_left_is_taken_over(void **state)
{
    char path[4096], text[16384];
    una_run *run = quiet_run();
    job j = plain_job();
    size_t made;
    struct timespec moment = { .tv_nsec = 100000000L };
    (void)state;

    snprintf(path, sizeof path, "%s", temp_path("left.sqlite"));
    pid_t child = start_worker(path, 900, NULL);       /* is in its first row when it is killed */
    nanosleep(&moment, NULL);
    assert_int_equal(kill(child, SIGKILL), 0);

    assert_ok(work(path, &j, &made, run), run);
    assert_int_equal(made, KEYS);
    assert_int_equal(waitpid(child, NULL, 0), child);
    rows_of(text, sizeof text, path, run);
    size_t lines = 0;
    for (const char *at = text; *at; at++) lines += *at == '\n';
    assert_int_equal(lines, KEYS + 1);
    una_run_free(run);
}

/* While a row is being made, its claim is renewed. */
static void a_long_fit_keeps_its_claim(void **state)
{
    una_run *run = quiet_run();
    job j = plain_job();
    size_t made;
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("long.sqlite"));
    j.aged = path;
    j.renew_ms = 30;
    assert_ok(work(path, &j, &made, run), run);
    assert_int_equal(made, KEYS);
    una_run_free(run);
}

typedef struct heard { size_t count; char last[1024]; } heard;

static void hear(void *context, una_log_level level, const char *sentence)
{
    heard *h = context;
    (void)level;
    h->count++;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

/* Another machine died with a key; its claim has some seconds left, and who waits says for what. */
static void a_dead_machine_is_waited_for_and_named(void **state)
{
    una_run *run = NULL;
    una_store *store;
    heard h = {0};
    una_run_settings about = { .size = sizeof about, .threads = 2, .log = hear, .callbacks = &h };
    job j = plain_job();
    size_t made;
    char path[4096];
    (void)state;
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    snprintf(path, sizeof path, "%s", temp_path("machine.sqlite"));
    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    una_store_close(store);
    ask_store(path, "INSERT INTO claim VALUES ('work', 'data', 7, 'new', 107, 1, 'elsewhere', 77, '5', 'h', "
              "unixepoch() - 116)");

    assert_ok(work(path, &j, &made, run), run);
    assert_int_equal(made, KEYS);
    assert_int_equal(h.count, 1);
    assert_says(h.last, "waiting for new on data, split 7, seed 107, which process 77 on host elsewhere has claimed");
    una_run_free(run);
}

/* Each key once, found again; a hundred thousand of them in a moment, where every pair would take minutes. */
static void a_large_plan(void **state)
{
    enum { MANY = 200000 };
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_plan plan = { .arena = &arena };
    una_row_key key = { "work", "data", 0, "new", 0, 1 };
    assert_int_equal(una_plan_find(&plan, &key), SIZE_MAX);
    for (uint64_t round = 0; round < 2; round++)
        for (key.split = 0; key.split < MANY; key.split++) una_plan_add(&plan, key);
    assert_int_equal(plan.count, MANY);
    for (key.split = 0; key.split < MANY; key.split += 997) assert_int_equal(una_plan_find(&plan, &key), key.split);
    key.split = 5;
    key.spec = "old";
    assert_int_equal(una_plan_find(&plan, &key), SIZE_MAX);
    una_arena_free(&arena);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_large_plan),
        cmocka_unit_test(progress_counts_the_fits),
        cmocka_unit_test(every_key_once_whatever_the_threads),
        cmocka_unit_test(a_sweep_goes_on_where_it_was),
        cmocka_unit_test(a_row_without_a_measure_is_made_again),
        cmocka_unit_test(processes_share_the_work),
        cmocka_unit_test(what_a_dead_process_left_is_taken_over),
        cmocka_unit_test(a_long_fit_keeps_its_claim),
        cmocka_unit_test(a_dead_machine_is_waited_for_and_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
