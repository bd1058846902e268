/* SPDX-License-Identifier: MIT
 *
 * Each trial is in one pair of hands, and what is told is kept or refused, where hosts share a name, clocks differ,
 * processes fork and a server has rules of its own.
 */
#define _DEFAULT_SOURCE                  /* syscall */
#include "store/database_support.h"
#include "test_support.h"

#include "study/trial_store.h"
#include "study/study.h"
#include "store/store.h"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- a clock of our own ---------------------------------------------------------------------------------------- */

static long clock_ahead;                 /* seconds                                                              */

/* These stand in for those of the C library. */
int clock_gettime(clockid_t which, struct timespec *now)
{
    int code = (int)syscall(SYS_clock_gettime, which, now);
    if (which == CLOCK_REALTIME) now->tv_sec += clock_ahead;
    return code;
}

time_t time(time_t *to)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (to) *to = now.tv_sec;
    return now.tv_sec;
}

/* ---- studies --------------------------------------------------------------------------------------------------- */

static una_study *made(const char *where, una_run *run)
{
    una_study *study = NULL;
    const una_study_settings settings = SIZED(una_study_settings, .acquisition = "quasi", .seed = 3,
        .space = "{\"a\": {\"type\": \"real\", \"low\": -1, \"high\": 1}}");
    assert_ok(una_study_new(&study, where, &settings, run), run);
    return study;
}

static una_study *opened(const char *where, una_run *run)
{
    una_study *study = NULL;
    assert_ok(una_study_open(&study, where, run), run);
    return study;
}

static uint64_t hold_one(una_study *study, una_run *run)
{
    una_trials *trials;
    assert_ok(una_study_hold(&trials, study, 1, run), run);
    uint64_t id = trials->at[0].id;
    una_trials_free(trials);
    return id;
}

static una_trial_state state_of(una_study *study, uint64_t id, una_run *run)
{
    una_trials *all;
    assert_ok(una_study_trials(&all, study, run), run);
    una_trial_state state = all->at[id - 1].state;
    una_trials_free(all);
    return state;
}

static void go_elsewhere(una_study *study, const char *place)
{
    snprintf(study->store->me.host, sizeof study->store->me.host, "%s", place);
}

/* ---- hands ----------------------------------------------------------------------------------------------------- */

/* Two hosts hold a trial each; the clock of one is far ahead, or far behind. The server's clock counts. */
static void clocks_may_differ(void **state)
{
    una_run *run = quiet_run();
    const char *where = server_database();
    (void)state;
    una_study *there = made(where, run), *here = opened(where, run);
    go_elsewhere(there, "elsewhere/boot/1");
    assert_int_equal(hold_one(there, run), 1);
    clock_ahead = 1000;
    assert_int_equal(hold_one(here, run), 2);
    assert_ok(una_trial_store_heartbeat(here->store, run), run);
    clock_ahead = -1000;
    assert_int_equal(hold_one(there, run), 3);
    clock_ahead = 0;
    assert_int_equal(hold_one(here, run), 4);

    long since = server_do(where, "SELECT max(abs(since - extract(epoch FROM now())))::bigint FROM study_trial");
    assert_true(since < 60);
    assert_ok(una_study_tell(here, 2, 1, run), run);
    una_study_close(there);
    una_study_close(here);
    una_run_free(run);
}

/* As pods and machines called localhost do: a process number there says nothing about one here. */
static void places_may_share_a_name(void **state)
{
    una_run *run = quiet_run();
    una_owner_name me = {0};
    char path[4096], place[256];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("pods.study"));
    una_study *there = made(path, run), *here = opened(path, run);
    una_owner_here(&me, here);
    snprintf(place, sizeof place, "%.*s/1", (int)(strrchr(me.host, '/') - me.host), me.host);
    go_elsewhere(there, place);
    there->store->me.process = 1L << 40;                     /* which is no process here */
    assert_int_equal(hold_one(there, run), 1);
    assert_int_equal(hold_one(here, run), 2);
    una_study_close(there);
    una_study_close(here);
    una_run_free(run);
}

static bool refuses_a_child(una_study *study, una_run *run)
{
    una_trials *trials;
    const uint64_t one = 1;
    return una_study_ask(&trials, study, 1, run) == UNA_E_USAGE && una_study_tell(study, 1, 5, run) == UNA_E_USAGE &&
           una_study_fail(study, 1, "", run) == UNA_E_USAGE && una_study_drop(study, 1, run) == UNA_E_USAGE &&
           una_study_renew(study, &one, 1, run) == UNA_E_USAGE &&
           una_study_trials(&trials, study, run) == UNA_E_USAGE &&
           strstr(una_run_message(run), "after a fork each process has to open it for itself");
}

/* Children use the handle of their parent, and then one of their own. */
static void a_study_knows_its_process(void **state)
{
    una_run *run = quiet_run();
    const char *place = place_of(state, "forked.study");
    char where[4096];
    snprintf(where, sizeof where, "%s", place);
    una_study *study = made(where, run);
    assert_int_equal(hold_one(study, run), 1);
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            bool good = refuses_a_child(study, run);
            una_study_close(study);                          /* gives nothing of the parent's back */
            una_study *own = NULL;
            good = good && una_study_open(&own, where, run) == UNA_OK && hold_one(own, run) == (uint64_t)i + 2 &&
                   una_study_tell(own, (uint64_t)i + 2, i, run) == UNA_OK;
            una_study_close(own);
            una_run_free(run);
            _exit(good ? 0 : 1);
        }
        int status = 1;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        assert_int_equal(state_of(study, (uint64_t)i + 2, run), UNA_TRIAL_TOLD);
    }
    assert_int_equal(hold_one(study, run), 6);
    assert_ok(una_study_tell(study, 1, 1, run), run);
    una_study_close(study);
    una_run_free(run);
}

/* ---- what is told ---------------------------------------------------------------------------------------------- */

#define BEFORE(what, does) \
    "CREATE FUNCTION hinder() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN " does " END $$; " \
    "CREATE TRIGGER hinder BEFORE " what " FOR EACH ROW EXECUTE FUNCTION hinder()"

/* What keeps una from writing is said, and no value is acknowledged that is not there. */
static void rules_of_a_server_are_noticed(void **state)
{
    static const struct { const char *sql, *says; } cases[] = {
        { BEFORE("UPDATE ON study_trial", "RETURN NULL;"), "0 rows were changed instead of 1" },
        { BEFORE("UPDATE ON study_trial", "NEW.value := 0; RETURN NEW;"), "changed what trial 1 was told" },
        { BEFORE("UPDATE ON study_trial", "NEW.state := 'open'; RETURN NEW;"), "changed what trial 1 was told" },
        { "CREATE RULE hinder AS ON UPDATE TO study_trial DO INSTEAD NOTHING", "0 rows were changed instead of 1" },
        { "ALTER TABLE study_trial ALTER COLUMN value TYPE text", NULL },
        { "ALTER TABLE study_trial ALTER COLUMN value TYPE numeric(3, 1)", NULL },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_run *run = quiet_run();
        const char *where = server_database();
        una_study *study = made(where, run), *other = NULL;
        assert_int_equal(hold_one(study, run), 1);
        server_do(where, cases[i].sql);
        if (cases[i].says) {
            assert_status(una_study_tell(study, 1, 7, run), UNA_E_IO, run);
            assert_says(una_run_message(run), cases[i].says);
            assert_int_equal(state_of(study, 1, run), UNA_TRIAL_OPEN);
        } else {
            assert_status(una_study_open(&other, where, run), UNA_E_INPUT, run);
            assert_says(una_run_message(run), "its table 'study_trial' is not defined as una defines it");
        }
        una_study_close(study);
        una_run_free(run);
    }
}

/* No attacker: an administrator's policy under which open trials may be seen and added, and not changed. */
static void policies_of_a_server_are_noticed(void **state)
{
    una_run *run = quiet_run();
    const char *where = server_database();
    char role[64], sql[1024], theirs[1024];
    (void)state;
    una_study_close(made(where, run));
    snprintf(role, sizeof role, "una_guest_%ld", (long)getpid());
    snprintf(sql, sizeof sql, "CREATE ROLE %s LOGIN; GRANT ALL ON ALL TABLES IN SCHEMA public TO %s; "
             "ALTER TABLE study_trial ENABLE ROW LEVEL SECURITY; "
             "CREATE POLICY look ON study_trial FOR SELECT USING (true); "
             "CREATE POLICY fill ON study_trial FOR INSERT WITH CHECK (true); "
             "CREATE POLICY change ON study_trial FOR UPDATE USING (state <> 'open')", role, role);
    server_do(where, sql);
    snprintf(theirs, sizeof theirs, "postgresql://%s@%s", role, strchr(where, '@') + 1);

    una_study *study = opened(theirs, run);
    assert_int_equal(hold_one(study, run), 1);
    assert_status(una_study_tell(study, 1, 7, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "0 rows were changed instead of 1");
    assert_says(una_run_message(run), "policy");
    assert_status(una_study_drop(study, 1, run), UNA_E_IO, run);
    assert_int_equal(state_of(study, 1, run), UNA_TRIAL_OPEN);
    una_study_close(study);
    una_run_free(run);
}

/* The same where nothing may be asked for, and where rows of experiments are put. */
static void rules_for_new_rows_are_noticed(void **state)
{
    una_run *run = quiet_run();
    const char *where = server_database();
    const double value = 0.5;
    const char *const measure = "error";
    const una_row row = { .key = { .study = "s", .data = "d", .spec = "gp", .results = 1 }, .measure = &measure,
                          .value = &value, .count = 1, .options = "o", .kernels = "k", .commit = "c", .seconds = 1 };
    una_trials *trials;
    una_store *store;
    una_put_result put;
    (void)state;
    una_study *study = made(where, run);
    server_do(where, BEFORE("INSERT ON study_trial", "RETURN NULL;"));
    assert_status(una_study_ask(&trials, study, 1, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "0 rows were changed instead of 1");
    una_study_close(study);

    for (int i = 0; i < 2; i++) {
        bool replace = i == 1;
        where = server_database();
        assert_ok(una_store_open(&store, where, UNA_DATABASE_JOURNAL, run), run);
        server_do(where, i == 0 ? BEFORE("INSERT ON fit", "RETURN NULL;") : BEFORE("INSERT ON value", "RETURN NULL;"));
        assert_status(una_store_put(store, &row, 1, replace, &put, run), UNA_E_IO, run);
        assert_says(una_run_message(run), "0 rows were changed instead of 1");
        assert_int_equal(put.added, 0);
        assert_int_equal(server_do(where, "SELECT count(*) FROM fit"), 0);
        una_store_close(store);
    }
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_may_differ),
        cmocka_unit_test(places_may_share_a_name),
        ON_BOTH(a_study_knows_its_process),
        cmocka_unit_test(rules_of_a_server_are_noticed),
        cmocka_unit_test(policies_of_a_server_are_noticed),
        cmocka_unit_test(rules_for_new_rows_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
