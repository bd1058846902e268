/* SPDX-License-Identifier: MIT
 *
 * Studies through the library: asking and telling, leases and who holds what, the same history and the same next point,
 * CSV and back, commands, files that are none, a full disk, and memory that ends anywhere.
 */
#include "test_support.h"

#include "study/study.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static const char plane[] = "{\"a\": {\"type\": \"real\", \"low\": -1, \"high\": 1}, "
                            "\"b\": {\"type\": \"real\", \"low\": 0.001, \"high\": 1, \"log\": true}}";
static const char mixed[] = "{\"x\": {\"type\": \"real\", \"low\": 0, \"high\": 1}, \"n\": {\"type\": \"integer\", "
                            "\"low\": 1, \"high\": 9}, \"kind\": {\"type\": \"category\", \"levels\": [\"a, b\", \"say "
                            "\\\"c\\\"\", \"7\"]}, \"fix\": {\"type\": \"fixed\", \"value\": 32}}";

static una_study_settings quick(const char *space)
{
    return SIZED(una_study_settings, .space = space, .acquisition = "quasi", .seed = 3);
}

static una_study *made(const char *where, const una_study_settings *settings, una_run *run)
{
    una_study *study = NULL;
    assert_ok(una_study_new(&study, where, settings, run), run);
    return study;
}

static una_study *in_memory(const char *space, una_run *run)
{
    una_study_settings settings = quick(space);
    return made(NULL, &settings, run);
}

static una_study *opened(const char *where, una_run *run)
{
    una_study *study = NULL;
    assert_ok(una_study_open(&study, where, run), run);
    return study;
}

static uint64_t ask_one(una_study *study, double *x, una_run *run)
{
    una_trials *trials;
    assert_ok(una_study_ask(&trials, study, 1, run), run);
    assert_int_equal(trials->count, 1);
    assert_int_equal(trials->at[0].state, UNA_TRIAL_OPEN);
    uint64_t id = trials->at[0].id;
    if (x) memcpy(x, trials->at[0].x, una_study_input_count(study) * sizeof *x);
    una_trials_free(trials);
    return id;
}

/* ---- asking and telling ---------------------------------------------------------------------------------- */

static void values_are_kept_and_the_best_is_found(void **state)
{
    una_run *run = quiet_run();
    una_trials *all, *best;
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("kept.study"));
    for (int maximize = 0; maximize < 2; maximize++) {
        una_study_settings settings = quick(plane);
        settings.maximize = maximize;
        remove(path);
        una_study *study = made(path, &settings, run);
        assert_ok(una_study_best(&best, study, run), run);
        assert_int_equal(best->count, 0);
        una_trials_free(best);
        const double value[] = { 0.1 + 0.2, -2, 5, -2, 5 };
        for (uint64_t i = 1; i <= 5; i++) {
            assert_int_equal(ask_one(study, NULL, run), i);
            assert_ok(una_study_tell(study, i, value[i - 1], run), run);
        }
        assert_int_equal(ask_one(study, NULL, run), 6);
        assert_ok(una_study_fail(study, 6, "out of water", run), run);
        assert_int_equal(ask_one(study, NULL, run), 7);
        una_study_close(study);

        study = opened(path, run);
        assert_string_equal(una_study_text(study, "goal"), maximize ? "maximize" : "minimize");
        assert_string_equal(una_study_text(study, "seed"), "3");
        assert_null(una_study_text(study, "weather"));
        assert_ok(una_study_best(&best, study, run), run);
        assert_int_equal(best->at[0].id, maximize ? 3 : 2);          /* the first of two */
        una_trials_free(best);
        assert_ok(una_study_trials(&all, study, run), run);
        assert_int_equal(all->count, 7);
        assert_true(all->at[0].value == 0.1 + 0.2 && all->at[0].told >= all->at[0].asked && all->at[0].asked > 0);
        assert_true(all->at[5].state == UNA_TRIAL_FAILED && isnan(all->at[5].value));
        assert_string_equal(all->at[5].note, "out of water");
        assert_true(all->at[6].state == UNA_TRIAL_OPEN && all->at[6].told == 0 && all->at[6].attempts == 1);
        una_trials_free(all);
        una_study_close(study);
    }
    una_run_free(run);
}

static void wrong_tells_are_refused(void **state)
{
    una_run *run = quiet_run();
    una_study *study = in_memory(plane, run);
    (void)state;
    assert_status(una_study_tell(study, 1, 1, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "there is no trial 1");
    for (int i = 0; i < 3; i++) ask_one(study, NULL, run);
    assert_ok(una_study_tell(study, 2, 0.25, run), run);
    assert_ok(una_study_tell(study, 2, 0.25, run), run);                 /* the same again */
    assert_status(una_study_tell(study, 2, 0.5, run), UNA_E_INPUT, run);
    assert_string_equal(una_run_message(run), "trial 2 was told before (0.25)");
    assert_status(una_study_fail(study, 2, "", run), UNA_E_INPUT, run);
    assert_status(una_study_drop(study, 2, run), UNA_E_INPUT, run);
    assert_ok(una_study_fail(study, 3, "why", run), run);
    assert_ok(una_study_fail(study, 3, "why", run), run);
    assert_status(una_study_tell(study, 3, 1, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "told to have failed");
    assert_status(una_study_tell(study, 1, NAN, run), UNA_E_INPUT, run);
    assert_status(una_study_tell(study, 1, HUGE_VAL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "not a finite number");
    assert_status(una_study_tell(study, 4, 1, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "from 1 to 3");
    assert_status(una_study_tell(study, UINT64_MAX, 1, run), UNA_E_INPUT, run);
    assert_ok(una_study_tell(study, 1, -1, run), run);
    una_study_close(study);
    una_run_free(run);
}

static void settings_are_checked_before_anything_is_made(void **state)
{
    una_run *run = quiet_run();
    una_study *study;
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("never.study"));
    static const char reversed[] = "{\"a\": {\"type\": \"real\", \"low\": 1, \"high\": 0}}";
    una_study_settings wrong[] = { quick(NULL), quick("{"), quick(reversed), quick(plane), quick(plane), quick(plane) };
    wrong[3].model = "nonesuch";
    wrong[4].acquisition = "nonesuch";
    wrong[5].lease = -1;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        una_status status = una_study_new(&study, path, &wrong[i], run);
        assert_true(status == UNA_E_USAGE || status == UNA_E_INPUT);
        assert_true(*una_run_message(run) && !study);
        assert_int_not_equal(access(path, F_OK), 0);
    }
    una_study_settings good = quick(plane);
    study = made(path, &good, run);
    una_study_close(study);
    assert_status(una_study_new(&study, path, &good, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "already");
    una_run_free(run);
}

/* ---- leases ---------------------------------------------------------------------------------------------- */

static void pause_seconds(double time)
{
    struct timespec pause = { .tv_sec = (time_t)time, .tv_nsec = (long)(fmod(time, 1) * 1e9) };
    nanosleep(&pause, NULL);
}

static void a_trial_comes_again_when_its_lease_has_ended(void **state)
{
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    char path[4096];
    double first[2], again[2];
    una_trials *all;
    (void)state;
    settings.lease = 1.5;
    snprintf(path, sizeof path, "%s", temp_path("lease.study"));
    una_study *a = made(path, &settings, run), *b = opened(path, run);
    assert_int_equal(ask_one(a, first, run), 1);
    assert_int_equal(ask_one(a, NULL, run), 2);
    assert_int_equal(ask_one(b, NULL, run), 3);
    pause_seconds(0.9);
    assert_ok(una_study_renew(a, (const uint64_t[]){ 2 }, 1, run), run);
    assert_status(una_study_renew(b, (const uint64_t[]){ 2 }, 1, run), UNA_E_INPUT, run);       /* it is not his */
    assert_says(una_run_message(run), "not held by this process");
    pause_seconds(0.9);
    assert_int_equal(ask_one(b, again, run), 1);         /* 2 was renewed; lowest number first */
    assert_memory_equal(first, again, sizeof first);
    assert_int_equal(ask_one(b, NULL, run), 3);
    assert_int_equal(ask_one(b, NULL, run), 4);
    assert_status(una_study_renew(a, (const uint64_t[]){ 1 }, 1, run), UNA_E_INPUT, run);
    assert_ok(una_study_tell(a, 1, 5, run), run);        /* late, and welcome */
    assert_status(una_study_tell(b, 1, 6, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "trial 1 was told before (5)");

    assert_ok(una_study_drop(a, 4, run), run);
    assert_int_equal(ask_one(a, NULL, run), 4);
    assert_ok(una_study_trials(&all, a, run), run);
    assert_true(all->at[0].attempts == 2 && all->at[1].attempts == 1 && all->at[3].attempts == 2);
    una_trials_free(all);
    una_study_close(a);
    una_study_close(b);
    una_run_free(run);
}

/* A child that holds trials by process, until it is killed; its pipe says when it has them. */
static pid_t holding_child(const char *path, int count)
{
    int ends[2];
    char word = 0;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        una_run *run = quiet_run();
        una_study *study = NULL;
        una_trials *trials = NULL;
        if (una_study_open(&study, path, run) == UNA_OK &&
            una_study_hold(&trials, study, (size_t)count, run) == UNA_OK && write(ends[1], "x", 1) == 1)
            for (;;) pause();
        _exit(1);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &word, 1), 1);
    close(ends[0]);
    return child;
}

static void what_a_process_holds_is_free_when_it_dies(void **state)
{
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    una_trials *trials;
    char path[4096];
    (void)state;
    settings.lease = 0.01;                               /* of no concern to those who hold by process */
    snprintf(path, sizeof path, "%s", temp_path("process.study"));
    una_study_close(made(path, &settings, run));
    pid_t child = holding_child(path, 2);
    pause_seconds(0.1);

    una_study *study = opened(path, run);
    assert_ok(una_study_hold(&trials, study, 1, run), run);
    assert_int_equal(trials->at[0].id, 3);
    una_trials_free(trials);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_ok(una_study_hold(&trials, study, 3, run), run);
    assert_true(trials->at[0].id == 1 && trials->at[1].id == 2 && trials->at[2].id == 4);
    una_trials_free(trials);
    una_study_close(study);                              /* gives back what it holds */
    study = opened(path, run);
    assert_int_equal(ask_one(study, NULL, run), 1);
    una_study_close(study);
    una_run_free(run);
}

/* Whoever had the turn and died in the middle of his search. */
static void the_turn_of_the_dead_is_free(void **state)
{
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    char path[4096];
    una_database *db;
    una_owner_name me;
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("turn.study"));
    una_study *study = made(path, &settings, run);
    una_owner_here(&me, study);
    pid_t child = fork();
    if (child == 0) _exit(0);
    assert_int_equal(waitpid(child, NULL, 0), child);

    assert_ok(una_database_open(&db, path, UNA_DATABASE_PRESENT, run), run);
    una_sql_value cells[] = { una_sql_text(me.host), una_sql_integer(child), una_sql_text("1"),
        una_sql_integer((int64_t)time(NULL)) };
    assert_ok(una_database_do(NULL, db,
                              (una_sql){ "UPDATE study_turn SET host = $1, process = $2, start = $3, handle = 'x', "
                                         "since = $4, token = 'x'",
                                         cells, 4 },
                              run),
              run);
    assert_int_equal(ask_one(study, NULL, run), 1);      /* at once */

    /* On another host: after two minutes without a sign. One who lives here but gives none has forgotten it. */
    const char *host[] = { "elsewhere", me.host };
    for (int i = 0; i < 2; i++) {
        una_sql_value old[] = { una_sql_text(host[i]), una_sql_integer(me.process), una_sql_text(me.start),
                           una_sql_integer((int64_t)time(NULL) - 125) };
        assert_ok(una_database_do(NULL, db,
                                  (una_sql){ "UPDATE study_turn SET host = $1, process = $2, start = $3, handle = 'x', "
                                             "since = $4, token = 'x'",
                                             old, 4 },
                                  run),
                  run);
        assert_int_equal(ask_one(study, NULL, run), 2 + i);
    }
    una_database_close(db);
    una_study_close(study);
    una_run_free(run);
}

/* ---- the store itself ----------------------------------------------------------------------------------- */

static una_sql_value look(una_database *db, const char *sql, una_run *run)
{
    una_sql_value cell;
    assert_ok(una_database_ask(&cell, db, una_sql_plain(sql), NULL, run), run);
    return cell;
}

typedef struct thief { una_database *db; int calls, seconds; } thief;

/* Chooses a point; the first time somebody else takes the turn meanwhile, and gives it back. */
static una_status choose_robbed(void *context, const una_stored_trials *all, una_stored_trial *found, size_t count,
                                size_t *chosen, una_run *run)
{
    thief *t = context;
    (void)all;
    const char *x = ++t->calls == 1 ? "{\"a\": 0, \"b\": 1}" : "{\"a\": 1, \"b\": 1}";
    found[0] = (una_stored_trial){ .x = x, .expected = NAN, .doubt = NAN };
    *chosen = count;
    if (t->calls > 1) return UNA_OK;
    return una_database_do(NULL, t->db, una_sql_plain("UPDATE study_turn SET host = '', process = 0, token = 'other'"),
                           run);
}

static void who_lost_the_turn_begins_again(void **state)
{
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    una_stored_trials given;
    thief t = {0};
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("robbed.study"));
    una_study *study = made(path, &settings, run);
    assert_ok(una_database_open(&t.db, path, UNA_DATABASE_PRESENT, run), run);
    assert_ok(una_trial_store_ask(&given, study->store, &(una_trial_request){ 1, false, choose_robbed, &t }, run), run);
    assert_true(t.calls == 2 && given.count == 1 && given.at[0].id == 1);
    assert_string_equal(given.at[0].x, "{\"a\": 1, \"b\": 1}");
    assert_int_equal(look(t.db, "SELECT count(*) FROM study_trial", run).whole, 1);
    assert_int_equal(look(t.db, "SELECT process FROM study_turn", run).whole, 0);        /* given back */
    una_database_close(t.db);
    una_study_close(study);
    una_run_free(run);
}

static una_status choose_slowly(void *context, const una_stored_trials *all, una_stored_trial *found, size_t count,
                                size_t *chosen, una_run *run)
{
    thief *t = context;
    (void)all;
    found[0] = (una_stored_trial){ .x = "{\"a\": 0, \"b\": 1}", .expected = NAN, .doubt = NAN };
    *chosen = count;
    assert_ok(una_database_do(NULL, t->db, una_sql_plain("UPDATE study_turn SET since = 0"), run), run);
    assert_ok(una_database_do(NULL, t->db, una_sql_plain("UPDATE study_trial SET since = 0"), run), run);
    pause_seconds(t->seconds);
    if (t->seconds > 0) assert_true(look(t->db, "SELECT since FROM study_turn", run).whole > 0);
    return UNA_OK;
}

/* Trials that a process holds, and the turn while it searches, show signs of life; what is held by lease does not. */
static void signs_of_life_are_given(void **state)
{
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    una_trials *held, *leased;
    una_stored_trials given;
    thief t = { .seconds = getenv("UNA_TEST_LONG") ? UNA_TRIAL_STORE_HEARTBEAT + 5 : 0 };
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("pulse.study"));
    una_study *study = made(path, &settings, run);
    assert_ok(una_database_open(&t.db, path, UNA_DATABASE_PRESENT, run), run);
    assert_ok(una_study_hold(&held, study, 1, run), run);
    assert_ok(una_study_ask(&leased, study, 1, run), run);
    assert_ok(una_trial_store_ask(&given, study->store, &(una_trial_request){ 1, false, choose_slowly, &t }, run), run);
    if (t.seconds == 0) assert_ok(una_trial_store_heartbeat(study->store, run), run);
    assert_true(look(t.db, "SELECT since FROM study_trial WHERE id = 1", run).whole > 0);
    assert_int_equal(look(t.db, "SELECT since FROM study_trial WHERE id = 2", run).whole, 0);
    una_trials_free(held);
    una_trials_free(leased);
    una_database_close(t.db);
    una_study_close(study);
    una_run_free(run);
}

/* A lease that ends after longer than a lease and two minutes is a clock that was wrong. */
static void a_lease_without_end_has_ended(void **state)
{
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    una_database *db;
    char path[4096];
    (void)state;
    settings.lease = 100;
    snprintf(path, sizeof path, "%s", temp_path("clock.study"));
    una_study *study = made(path, &settings, run);
    ask_one(study, NULL, run);
    assert_ok(una_database_open(&db, path, UNA_DATABASE_PRESENT, run), run);
    assert_ok(una_database_do(NULL, db, una_sql_plain("UPDATE study_trial SET lease_until = lease_until + 100"), run),
              run);
    assert_int_equal(ask_one(study, NULL, run), 2);
    assert_ok(una_database_do(NULL, db,
                              una_sql_plain("UPDATE study_trial SET lease_until = lease_until + 200 WHERE id = 1"),
                              run),
              run);
    assert_int_equal(ask_one(study, NULL, run), 1);
    una_database_close(db);
    una_study_close(study);
    una_run_free(run);
}

static volatile int cancel_now;

static void who_waits_for_the_turn_can_be_interrupted(void **state)
{
    una_run *run = quiet_run(), *waiting;
    una_study_settings settings = quick(plane);
    una_database *db;
    una_trials *trials;
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("wait.study"));
    una_study *study = made(path, &settings, run);
    assert_ok(una_database_open(&db, path, UNA_DATABASE_PRESENT, run), run);
    una_sql_value cells[] = { una_sql_integer((int64_t)time(NULL)) };
    assert_ok(una_database_do(NULL, db,
                              (una_sql){ "UPDATE study_turn SET host = 'elsewhere', process = 1, handle = 'x', since = "
                                         "$1, token = 'x'",
                                         cells, 1 },
                              run),
              run);
    assert_ok(una_run_new(&waiting, &SIZED(una_run_settings, .threads = 1, .cancel = &cancel_now)), NULL);
    cancel_now = 1;
    assert_status(una_study_ask(&trials, study, 1, waiting), UNA_CANCELLED, waiting);
    una_run_free(waiting);
    una_database_close(db);
    una_study_close(study);
    una_run_free(run);
}

/* ---- the same history, the same point -------------------------------------------------------------------- */

static double bowl(const double *x)
{
    return (x[0] - 0.2) * (x[0] - 0.2) + pow(log10(x[1]) + 1, 2);
}

static void a_resumed_study_asks_the_same(void **state)
{
    una_run *run = quiet_run(), *other = quiet_run_threads(2);
    una_study_settings settings = SIZED(una_study_settings, .space = plane, .seed = 11, .initial = 4);
    char path[4096];
    double x[2], y[2];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("same.study"));
    una_study *straight = made(NULL, &settings, run);
    una_study_close(made(path, &settings, run));
    for (uint64_t i = 1; i <= 12; i++) {
        una_study *resumed = opened(path, other);
        assert_int_equal(ask_one(straight, x, run), i);
        assert_int_equal(ask_one(resumed, y, other), i);
        assert_memory_equal(x, y, sizeof x);
        if (i != 5) {                                    /* 5 stays open */
            assert_ok(una_study_tell(straight, i, bowl(x), run), run);
            assert_ok(una_study_tell(resumed, i, bowl(y), other), other);
        }
        una_study_close(resumed);
    }

    una_trials *best, *several;
    double at[5], mean[5], std[5];
    assert_ok(una_study_best(&best, straight, run), run);
    assert_true(best->at[0].value < 0.1);
    una_trials_free(best);
    assert_ok(una_study_slice(straight, 1, 5, at, mean, std, run), run);
    assert_near(at[0], 0.001, 1e-9, 0);
    assert_near(at[2], sqrt(0.001), 1e-9, 0);
    assert_near(at[4], 1, 1e-9, 0);
    for (int i = 0; i < 5; i++) assert_true(isfinite(mean[i]) && std[i] >= 0);
    assert_true(mean[0] > mean[3]);                      /* 0.178 is nearer to the bottom of the bowl, 0.1 */

    assert_ok(una_study_ask(&several, straight, 3, run), run);
    assert_int_equal(several->count, 3);
    for (int i = 0; i < 3; i++) {
        assert_true(isfinite(several->at[i].expected) && several->at[i].doubt > 0);
        for (int k = 0; k < i; k++) assert_true(memcmp(several->at[i].x, several->at[k].x, sizeof x) != 0);
    }
    una_trials_free(several);
    una_study_close(straight);
    una_run_free(run);
    una_run_free(other);
}

static void a_finite_space_ends(void **state)
{
    una_run *run = quiet_run();
    una_study *study = in_memory("{\"k\": {\"type\": \"category\", \"levels\": [\"a\", \"b\", \"c\"]}}", run);
    una_trials *trials;
    (void)state;
    assert_ok(una_study_ask(&trials, study, 5, run), run);
    assert_int_equal(trials->count, 3);                  /* those that there are */
    una_trials_free(trials);
    assert_status(una_study_ask(&trials, study, 1, run), UNA_E_INPUT, run);
    assert_true(*una_run_message(run) && !trials);
    assert_ok(una_study_drop(study, 2, run), run);
    assert_int_equal(ask_one(study, NULL, run), 2);
    una_study_close(study);

    study = in_memory("{\"k\": {\"type\": \"category\", \"levels\": [\"a\", \"b\", \"c\"]}}", run);
    const char *const words[] = { "echo", "{k}", "1" };
    una_study_command command = SIZED(una_study_command, .words = words, .count = 3, .workers = 2);
    size_t done;
    assert_ok(una_study_run(&done, study, &command, run), run);
    assert_int_equal(done, 3);                           /* no more to do */
    assert_status(una_study_run(&done, study, &command, run), UNA_E_INPUT, run);
    una_study_close(study);
    una_run_free(run);
}

/* ---- CSV ------------------------------------------------------------------------------------------------- */

static void trials_go_through_csv_and_back(void **state)
{
    una_run *run = quiet_run();
    una_study *from = in_memory(mixed, run), *to = in_memory(mixed, run);
    una_trials *a, *b;
    char path[4096];
    size_t rows, added;
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("trials.csv"));
    const double point[] = { 0.1 + 0.2, 3, 1, 32 }, seventh[] = { 1, 9, 2, 32 };
    assert_ok(una_study_add(from, point, 0.5, "by hand, \"quoted\"", run), run);
    assert_ok(una_study_add(from, point, 0.5, "twice", run), run);
    assert_ok(una_study_add(from, seventh, NAN, "it broke", run), run);
    ask_one(from, NULL, run);                            /* an open one, which is not taken */
    assert_status(una_study_add(from, (const double[]){ 2, 3, 1, 32 }, 0.5, "", run), UNA_E_INPUT, run);

    assert_ok(una_study_export_csv(&rows, from, path, run), run);
    assert_int_equal(rows, 4);
    una_study *half = in_memory(mixed, run);
    assert_ok(una_study_add(half, point, 0.5, "once", run), run);
    assert_ok(una_study_import_csv(&rows, &added, half, path, NULL, run), run);
    assert_int_equal(added, 2);                          /* of the two that are equal one is there */
    una_study_close(half);
    assert_ok(una_study_import_csv(&rows, &added, to, path, NULL, run), run);
    assert_true(rows == 4 && added == 3);
    assert_ok(una_study_import_csv(&rows, &added, to, path, NULL, run), run);
    assert_int_equal(added, 0);
    assert_ok(una_study_trials(&a, from, run), run);
    assert_ok(una_study_trials(&b, to, run), run);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(a->at[i].state, b->at[i].state);
        assert_memory_equal(a->at[i].x, b->at[i].x, sizeof point);
        assert_true(a->at[i].value == b->at[i].value || (isnan(a->at[i].value) && isnan(b->at[i].value)));
        assert_string_equal(a->at[i].note, b->at[i].note);
        assert_int_equal(b->at[i].attempts, 0);
    }
    una_trials_free(a);
    una_trials_free(b);
    assert_ok(una_study_export_json(&rows, from, temp_path("trials.json"), run), run);
    assert_status(una_study_export_csv(&rows, from, "/nonexistent/x.csv", run), UNA_E_IO, run);
    una_study_close(from);
    una_study_close(to);
    una_run_free(run);
}

/* Levels are words, whatever they look like: percentages, dates, one number in two ways. */
static void levels_stay_words(void **state)
{
    una_run *run = quiet_run();
    una_study *study = in_memory("{\"p\": {\"type\": \"category\", \"levels\": [\"5%\", \"7%\"]}, "
                                 "\"d\": {\"type\": \"category\", \"levels\": [\"2024-01-01\", \"2024-02-01\"]}, "
                                 "\"n\": {\"type\": \"category\", \"levels\": [\"1\", \"1.0\"]}}", run);
    una_trials *trials;
    size_t rows, added;
    (void)state;
    const char *path = temp_text_file("levels.csv", "p,d,n,value\n7%,2024-01-01,1.0,3\n5%,2024-02-01,1,4\n"
                                      "5%,2024-02-01,1.00,5\n");
    assert_ok(una_study_import_csv(&rows, &added, study, path, NULL, run), run);
    assert_ok(una_study_trials(&trials, study, run), run);
    assert_int_equal(trials->count, 3);
    const double *first = trials->at[0].x, *second = trials->at[1].x, *third = trials->at[2].x;
    assert_true(first[0] == 1 && first[1] == 0 && first[2] == 1);
    assert_true(second[0] == 0 && second[1] == 1 && second[2] == 0 && third[2] == 0);
    una_trials_free(trials);
    una_study_close(study);
    una_run_free(run);
}

static void wrong_rows_are_named(void **state)
{
    static const struct { const char *csv, *says; una_status status; } cases[] = {
        { "x,n,value\n0.5,3,1\n", "kind", UNA_E_INPUT },
        { "x,n,kind,value\n0.5,3,7,1\n0.5,3,zebra,1\n", "line 3, column kind", UNA_E_INPUT },
        { "x,n,kind,value\n0.5,3,7,1\n1.5,3,7,1\n", "line 3", UNA_E_INPUT },
        { "x,n,kind,value\n0.5,3.5,7,1\n", "line 2", UNA_E_INPUT },
        { "x,n,kind,value\n,3,7,1\n", "line 2, column x", UNA_E_INPUT },
        { "x,n,kind,value\n0.5,3,7,\n", "line 2, column value", UNA_E_INPUT },
        { "x,n,kind,value\n0.5,3,7,abc\n", "line 2, column value", UNA_E_INPUT },
        { "x,n,kind,value,state\n0.5,3,7,1,odd\n", "told, failed or open", UNA_E_INPUT },
        { "x,n,kind,score\n0.5,3,7,1\n", "value", UNA_E_INPUT }
    };
    una_run *run = quiet_run();
    una_study *study = in_memory(mixed, run);
    una_trials *all;
    size_t rows, added;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *path = temp_text_file("wrong.csv", cases[i].csv);
        assert_status(una_study_import_csv(&rows, &added, study, path, NULL, run), cases[i].status, run);
        assert_says(una_run_message(run), cases[i].says);
        assert_says(una_run_message(run), "wrong.csv");
    }
    assert_status(una_study_import_csv(&rows, &added, study, "nowhere.csv", NULL, run), UNA_E_IO, run);
    assert_ok(una_study_trials(&all, study, run), run);
    assert_int_equal(all->count, 0);                     /* all or nothing */
    una_trials_free(all);
    const char *good = temp_text_file("good.csv", "score,kind,x,n\n2,7,0.5,3\n");
    assert_ok(una_study_import_csv(&rows, &added, study, good, "score", run), run);
    assert_int_equal(added, 1);
    una_study_close(study);
    una_run_free(run);
}

/* ---- commands -------------------------------------------------------------------------------------------- */

typedef struct heard { size_t count; char last[512]; } heard;

static void hear(void *context, const una_trial *trial, const char *sentence)
{
    heard *h = context;
    (void)trial;
    h->count++;
    snprintf(h->last, sizeof h->last, "%s", sentence);
}

static una_study_command shell(const char *const *words, heard *h)
{
    size_t count = 0;
    while (words[count]) count++;
    return SIZED(una_study_command, .words = words, .count = count, .trials = 1, .report = hear, .context = h);
}

static void commands_end_in_many_ways(void **state)
{
    static const struct { const char *script, *says; double value; } cases[] = {
        { "echo noise; echo '  value = -2.5e-1  '; echo", NULL, -0.25 },
        { "echo {n} {fix} {id}", NULL, 1 },
        { "yes 0123456789 | head -c 300000; echo; echo 4", NULL, 4 },
        { "echo 1; exit 3", "ended with status 3", NAN },
        { "echo 1; kill -9 $$", "was killed by signal 9", NAN },
        { "echo abc", "printed no number: 'abc'", NAN },
        { "echo nan", "printed no number: 'nan'", NAN },
        { "echo 1e999", "printed no number: '1e999'", NAN },
        { "true", "printed nothing", NAN },
        { "sleep 30; echo 1", "took longer than 0.3 s", NAN },
        { "trap '' TERM; sleep 30 & wait; sleep 30; echo 1", "took longer than 0.3 s", NAN }
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_study *study = in_memory(mixed, run);
        una_trials *all;
        heard h = {0};
        size_t done = 0;
        una_study_command command = shell((const char *const[]){ "sh", "-c", cases[i].script, NULL }, &h);
        command.timeout = cases[i].says && strstr(cases[i].says, "longer") ? 0.3 : 20;
        assert_ok(una_study_run(&done, study, &command, run), run);
        assert_true(done == 1 && h.count == 1);
        assert_ok(una_study_trials(&all, study, run), run);
        assert_int_equal(all->at[0].state, cases[i].says ? UNA_TRIAL_FAILED : UNA_TRIAL_TOLD);
        assert_string_equal(all->at[0].note, cases[i].says ? cases[i].says : "");
        if (!cases[i].says) assert_near(all->at[0].value, cases[i].value, 0, 0);
        if (cases[i].says) assert_says(h.last, cases[i].says);
        una_trials_free(all);
        una_study_close(study);
    }
    una_run_free(run);
}

static void commands_run_side_by_side_and_again(void **state)
{
    una_run *run = quiet_run();
    una_study *study = in_memory(plane, run);
    una_trials *all;
    heard h = {0};
    size_t done;
    struct timespec from, to;
    (void)state;
    una_study_command command = shell((const char *const[]){ "sh", "-c", "sleep 0.3; echo {a}", NULL }, &h);
    command.trials = 8;
    command.workers = 8;
    clock_gettime(CLOCK_MONOTONIC, &from);
    assert_ok(una_study_run(&done, study, &command, run), run);
    clock_gettime(CLOCK_MONOTONIC, &to);
    assert_int_equal(done, 8);
    assert_true((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec) < 1.8);

    /* Two tries, then it is a failure. */
    char script[4200];
    snprintf(script, sizeof script, "echo x >> '%s'; exit 1", temp_path("tries"));
    command = shell((const char *const[]){ "sh", "-c", script, NULL }, &h);
    command.retries = 1;
    assert_ok(una_study_run(&done, study, &command, run), run);
    assert_ok(una_study_trials(&all, study, run), run);
    assert_int_equal(all->count, 9);
    assert_string_equal(all->at[8].note, "ended with status 1 (the last of 2 tries)");
    una_trials_free(all);
    struct stat about;
    assert_int_equal(stat(temp_path("tries"), &about), 0);
    assert_int_equal(about.st_size, 4);
    una_study_close(study);
    una_run_free(run);
}

static const char strange[] = "{\"k\": {\"type\": \"category\", \"levels\": [\"a; touch pwned; echo 1\", \"`b`\"]},"
    "\"fix\": {\"type\": \"fixed\", \"value\": \"$(touch pwned)\"},"
    "\"print 6;\": {\"type\": \"fixed\", \"value\": \"7\"},"
    "\"empty\": {\"type\": \"fixed\", \"value\": \"\"}, \"x\": {\"type\": \"real\", \"low\": -1e-9, \"high\": 1e9},"
    "\"safe\": {\"type\": \"category\", \"levels\": [\"aZ_1.+-2\", \"-1_2\"]},"
    "\"dots\": {\"type\": \"category\", \"levels\": [\"a\", \"..\"]}}";

/* Words of a study may be a stranger's: whole arguments or harmless parts of one, and never a command. */
static void words_of_a_study_are_no_commands(void **state)
{
    static const struct { const char *words[6], *says; double value; } cases[] = {
        { { "sh", "-c", "echo {k}" }, "its level 'a; touch pwned; echo 1'", 0 },
        { { "sh", "-c", "true {safe}; echo 1{fix}" }, "its level '$(touch pwned)'", 0 },
        { { "echo", "--k={k}" }, "sh -c '... \"$1\"' _ {k}", 0 },
        { { "cat", "data/{dots}" }, "its level '..'", 0 },
        { { "cat", "data/{empty}" }, "its level ''", 0 },
        { { "{k}" }, "{k} is the first word", 0 },
        { { "sh", "-c", "test \"$1\" = 'a; touch pwned; echo 1' -o \"$1\" = '`b`' && echo 3", "_", "{k}" }, NULL, 3 },
        { { "sh", "-c", "test -e pwned || echo '{safe}' | tr -d a-zA-Z_.+-" }, NULL, 12 },
        { { "sh", "-c", "k=4; echo ${k}" }, NULL, 4 },
        { { "sh", "-c", "{ echo 5; }" }, NULL, 5 },
        { { "sh", "-c", "echo x | awk \"$1\"", "_", "{print 6;}" }, NULL, 6 },
        { { "sh", "-c", "echo {x}{id} | tr -d 0-9.e+- | wc -c" }, NULL, 1 },
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_study *study = in_memory(strange, run);
        una_trials *all;
        heard h = {0};
        size_t done = 0;
        una_study_command command = shell(cases[i].words, &h);
        una_status status = una_study_run(&done, study, &command, run);
        assert_int_equal(status, cases[i].says ? UNA_E_USAGE : UNA_OK);
        if (cases[i].says) assert_says(una_run_message(run), cases[i].says);
        assert_ok(una_study_trials(&all, study, run), run);
        assert_int_equal(all->count, cases[i].says ? 0 : 1);         /* refused before anything is asked for */
        if (!cases[i].says) assert_near(all->at[0].value, cases[i].value, 0, 0);
        assert_int_not_equal(access("pwned", F_OK), 0);
        una_trials_free(all);
        una_study_close(study);
    }
    una_run_free(run);
}

static void wrong_commands_are_refused(void **state)
{
    una_run *run = quiet_run();
    una_study *study = in_memory("{\"width\": {\"type\": \"real\", \"low\": 0, \"high\": 1}}", run);
    una_trials *all;
    heard h = {0};
    size_t done;
    (void)state;
    una_study_command command = shell((const char *const[]){ "./nonesuch", "{width}", NULL }, &h);
    assert_status(una_study_run(&done, study, &command, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "cannot run './nonesuch'");
    command = shell((const char *const[]){ "echo", "{wdith}", NULL }, &h);
    assert_status(una_study_run(&done, study, &command, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "did you mean {width}?");
    command.count = 0;
    assert_status(una_study_run(&done, study, &command, run), UNA_E_USAGE, run);
    command = shell((const char *const[]){ "sh", "-c", "width=5; echo ${width} {id} >/dev/null; echo {width} | "
                                           "awk '{print}'", NULL }, &h);
    assert_ok(una_study_run(&done, study, &command, run), run);
    assert_ok(una_study_trials(&all, study, run), run);
    assert_true(all->count == 1 && all->at[0].state == UNA_TRIAL_TOLD && all->at[0].value == all->at[0].x[0]);
    una_trials_free(all);
    una_study_close(study);
    una_run_free(run);
}

static void on_alarm(int number)
{
    (void)number;
    cancel_now = 1;
}

static void an_interrupted_run_gives_trials_back(void **state)
{
    una_run *run;
    una_trials *all;
    heard h = {0};
    size_t done;
    (void)state;
    cancel_now = 0;
    assert_ok(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .cancel = &cancel_now)), NULL);
    una_study *study = in_memory(plane, run);
    una_study_command command = shell((const char *const[]){ "sleep", "30", NULL }, &h);
    command.workers = 2;
    command.trials = 0;
    signal(SIGALRM, on_alarm);
    alarm(1);
    assert_status(una_study_run(&done, study, &command, run), UNA_CANCELLED, run);
    assert_says(una_run_message(run), "given back");
    cancel_now = 0;
    assert_int_equal(h.count, 0);
    assert_ok(una_study_trials(&all, study, run), run);
    assert_int_equal(all->count, 2);
    assert_int_equal(all->at[0].state, UNA_TRIAL_OPEN);
    una_trials_free(all);
    assert_int_equal(ask_one(study, NULL, run), 1);
    una_study_close(study);
    una_run_free(run);
}

/* ---- what can go wrong with a file ----------------------------------------------------------------------- */

static uint32_t sum_of(const char *path)
{
    char bytes[65536];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return una_crc32(0, bytes, size);
}

static void what_is_no_study_is_left_alone(void **state)
{
    una_run *run = quiet_run();
    una_study *study;
    una_database *db;
    una_study_settings settings = quick(plane);
    char other[4096], bench[4096];
    (void)state;
    const char *text = temp_text_file("text.study", "grind,taste\n1,2\n");
    assert_status(una_study_open(&study, text, run), UNA_E_INPUT, run);
    assert_status(una_study_new(&study, text, &settings, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "text.study");
    assert_status(una_study_open(&study, temp_path("nowhere.study"), run), UNA_E_IO, run);
    assert_int_not_equal(access(temp_path("nowhere.study"), F_OK), 0);
    assert_status(una_study_open(&study, "", run), UNA_E_USAGE, run);
    assert_status(una_study_open(&study, temp_file("empty.study", "", 0), run), UNA_E_INPUT, run);

    snprintf(other, sizeof other, "%s", temp_path("other.sqlite"));
    assert_ok(una_database_open(&db, other, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_database_script(db, "CREATE TABLE music (name TEXT)", run), run);
    una_database_close(db);
    uint32_t before = sum_of(other);
    assert_status(una_study_open(&study, other, run), UNA_E_INPUT, run);
    assert_status(una_study_new(&study, other, &settings, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "another program");
    assert_int_equal(sum_of(other), before);

    snprintf(bench, sizeof bench, "%s", temp_path("kind.sqlite"));
    assert_ok(una_database_open(&db, bench, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_database_expect(db, "sweep", 1, "CREATE TABLE fit (id INTEGER)", run), run);
    una_database_close(db);
    assert_status(una_study_open(&study, bench, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "not a study");
    una_run_free(run);
}

/* What a stranger, or a slip with another program, may leave in a study: it is said, and nothing hangs. */
static void damaged_studies_are_refused(void **state)
{
    static const struct { const char *sql, *says; } cases[] = {
        { "UPDATE study_trial SET value = 9e999", "trial 1 was told a value that is not finite" },
        { "UPDATE study_trial SET value = NULL", "trial 1 was told a value that is not finite" },
        { "UPDATE study SET initial = -5", "initial points makes no sense" },
        { "UPDATE study SET lease = 9e999", "lease" },
        { "DELETE FROM study_turn", "whose turn it is" },
        { "UPDATE study_trial SET id = 9223372036854775807", "numbers of trials begin with 1" },
        { "ALTER TABLE study_trial RENAME TO old; CREATE TABLE study_trial AS SELECT * FROM old; "
          "UPDATE study_trial SET note = NULL", "its table 'study_trial' is not defined as una defines it" },
        { "UPDATE study_trial SET value = 'seven'", "the column 'value' of trial 1 holds a text, and a number" },
        { "UPDATE study_trial SET value = x'37'", "the column 'value' of trial 1 holds bytes, and a number" },
        { "UPDATE study_trial SET x = x'37'", "the column 'x' of trial 1 holds bytes, and a text belongs there" },
        { "UPDATE study_trial SET attempts = 'two'", "the column 'attempts' of trial 1 holds a text, and a whole" },
        { "UPDATE study_trial SET id = 'first'", "the column 'id' of trial holds a text" },
        { "UPDATE study_turn SET since = x'00'", "the column 'since' of the turn holds bytes" },
        { "UPDATE study SET seed = 'lucky'", "the column 'seed' of the study holds a text" },
    };
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char name[32], path[4096];
        una_database *db;
        una_trials *trials = NULL;
        snprintf(name, sizeof name, "damaged%zu.study", i);
        snprintf(path, sizeof path, "%s", temp_path(name));
        una_study *study = made(path, &settings, run);
        assert_ok(una_study_tell(study, ask_one(study, NULL, run), 1, run), run);
        una_study_close(study);
        assert_ok(una_database_open(&db, path, UNA_DATABASE_LOG, run), run);
        assert_ok(una_database_script(db, cases[i].sql, run), run);
        una_database_close(db);

        una_status status = una_study_open(&study, path, run);
        if (status == UNA_OK) status = una_study_trials(&trials, study, run);
        una_trials_free(trials);
        if (status == UNA_OK) status = una_study_ask(&trials, study, 1, run);
        assert_status(status, UNA_E_INPUT, run);
        assert_says(una_run_message(run), cases[i].says);
        una_study_close(study);
    }
    una_run_free(run);
}

/* No file may grow beyond what the study has: as on a full disk. Nothing is lost, nothing is damaged, and when there is
 * room again it goes on. */
static void a_full_disk_loses_nothing(void **state)
{
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    una_trials *all;
    char path[4096], log[4200];
    heard h = {0};
    size_t done, told = 0;
    struct rlimit before, small;
    struct stat about;
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("full.study"));
    snprintf(log, sizeof log, "%s-wal", path);
    una_study *study = made(path, &settings, run);
    for (int i = 0; i < 20; i++) assert_ok(una_study_tell(study, ask_one(study, NULL, run), i, run), run);
    assert_int_equal(stat(log, &about), 0);

    signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before);
    small = before;
    small.rlim_cur = (rlim_t)about.st_size + 20000;
    setrlimit(RLIMIT_FSIZE, &small);
    una_status status = UNA_OK;
    una_trials *trials = NULL;
    while (status == UNA_OK && told < 1000) {
        status = una_study_ask(&trials, study, 1, run);
        if (status == UNA_OK) status = una_study_tell(study, trials->at[0].id, 7, run);
        if (status == UNA_OK) told++;
        una_trials_free(trials);
    }
    assert_int_equal(status, UNA_E_IO);
    assert_says(una_run_message(run), "full.study");
    setrlimit(RLIMIT_FSIZE, &before);

    assert_ok(una_study_trials(&all, study, run), run);
    size_t there = 0;
    for (size_t i = 20; i < all->count; i++) there += all->at[i].state == UNA_TRIAL_TOLD;
    assert_int_equal(there, told);
    una_trials_free(all);
    una_study_command command = shell((const char *const[]){ "echo", "{a}", NULL }, &h);
    assert_ok(una_study_run(&done, study, &command, run), run);
    una_study_close(study);
    una_study_close(opened(path, run));
    una_run_free(run);
}

/* The value of a command that ended while nothing could be written is in the message. */
static void a_value_that_cannot_be_written_is_reported(void **state)
{
    una_run *run = quiet_run();
    una_study_settings settings = quick(plane);
    una_database *db;
    una_trials *all;
    heard h = {0};
    size_t done;
    char path[4096], script[9000];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("unsaid.study"));
    una_study *study = made(path, &settings, run);
    assert_ok(una_database_open(&db, path, UNA_DATABASE_PRESENT, run), run);
    assert_ok(una_database_script(db, "CREATE INDEX stuck ON study_trial (abs(CASE told WHEN 0 THEN 0 ELSE "
                                  "-9223372036854775807 - 1 END))", run), run);
    snprintf(script, sizeof script, "echo 0.125");
    una_study_command command = shell((const char *const[]){ "sh", "-c", script, NULL }, &h);
    command.trials = 5;
    assert_status(una_study_run(&done, study, &command, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "the value 0.125 of trial 1 could not be written");
    assert_says(una_run_message(run), "integer overflow");
    assert_says(una_run_message(run), "1 0.125'");
    assert_int_equal(done, 0);
    assert_says(h.last, "could not be written");
    assert_ok(una_database_script(db, "DROP INDEX stuck", run), run);
    una_database_close(db);
    assert_ok(una_study_tell(study, 1, 0.125, run), run);
    assert_ok(una_study_trials(&all, study, run), run);
    assert_int_equal(all->count, 1);
    una_trials_free(all);
    una_study_close(study);
    una_run_free(run);
}

/* ---- memory ---------------------------------------------------------------------------------------------- */

static una_status a_life(void *context, una_run *run)
{
    una_study *study = NULL;
    una_trials *trials = NULL;
    una_study_settings settings = quick(mixed);
    size_t done = 0, rows = 0, added = 0;
    una_study_command command = { .size = sizeof command, .words = (const char *const[]){ "echo", "{x}" }, .count = 2,
                                  .trials = 2 };
    una_status status = una_study_new(&study, NULL, &settings, run);
    if (status == UNA_OK) status = una_study_ask(&trials, study, 2, run);
    if (status == UNA_OK) status = una_study_tell(study, 1, 1, run);
    una_trials_free(trials);
    trials = NULL;
    if (status == UNA_OK) status = una_study_run(&done, study, &command, run);
    if (status == UNA_OK) status = una_study_export_csv(&rows, study, context, run);
    if (status == UNA_OK) status = una_study_import_csv(&rows, &added, study, context, NULL, run);
    if (status == UNA_OK) status = una_study_best(&trials, study, run);
    una_trials_free(trials);
    una_study_close(study);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("memory.csv"));
    assert_true(sweep_allocations(a_life, path) > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_kept_and_the_best_is_found), cmocka_unit_test(wrong_tells_are_refused),
        cmocka_unit_test(settings_are_checked_before_anything_is_made),
        cmocka_unit_test(a_trial_comes_again_when_its_lease_has_ended),
        cmocka_unit_test(what_a_process_holds_is_free_when_it_dies), cmocka_unit_test(the_turn_of_the_dead_is_free),
        cmocka_unit_test(who_lost_the_turn_begins_again), cmocka_unit_test(signs_of_life_are_given),
        cmocka_unit_test(a_lease_without_end_has_ended),
        cmocka_unit_test(who_waits_for_the_turn_can_be_interrupted), cmocka_unit_test(a_resumed_study_asks_the_same),
        cmocka_unit_test(a_finite_space_ends), cmocka_unit_test(trials_go_through_csv_and_back),
        cmocka_unit_test(levels_stay_words), cmocka_unit_test(damaged_studies_are_refused),
        cmocka_unit_test(wrong_rows_are_named), cmocka_unit_test(commands_end_in_many_ways),
        cmocka_unit_test(commands_run_side_by_side_and_again), cmocka_unit_test(wrong_commands_are_refused),
        cmocka_unit_test(words_of_a_study_are_no_commands),
        cmocka_unit_test(an_interrupted_run_gives_trials_back), cmocka_unit_test(what_is_no_study_is_left_alone),
        cmocka_unit_test(a_full_disk_loses_nothing), cmocka_unit_test(a_value_that_cannot_be_written_is_reported),
        cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
