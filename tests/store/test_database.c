/* SPDX-License-Identifier: MIT
 *
 * One suite for both drivers: what goes in comes out, all or nothing, one at a time, and whatever happens to processes,
 * connections, servers and disks, nobody hears of it, or a sentence says what it was.
 */
#include "database_support.h"
#include "libpq_numbers.h"
#include "sweep_support.h"

#include "base/base.h"
#include "store/database.h"
#include "store/owner.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

static const char counter_schema[] =
    "CREATE TABLE counter (id INTEGER PRIMARY KEY, number INTEGER NOT NULL);"
    "CREATE TABLE note (id INTEGER NOT NULL, word TEXT NOT NULL, value REAL, PRIMARY KEY (id, word)) WITHOUT ROWID;"
    "INSERT INTO counter (id, number) VALUES (1, 0);";

static una_status open_counter(una_database **db, const char *where, una_run *run)
{
    una_status status = una_database_open(db, where, UNA_DATABASE_LOG, run);
    if (status == UNA_OK) status = una_database_expect(*db, "counter", 1, counter_schema, run);
    if (status != UNA_OK) {
        una_database_close(*db);
        *db = NULL;
    }
    return status;
}

static int64_t number_of(una_database *db, const char *sql, una_run *run)
{
    una_sql_value cell;
    una_mark mark = una_arena_mark(&run->scratch);
    assert_ok(una_database_ask(&cell, db, una_sql_plain(sql), NULL, run), run);
    una_arena_release(&run->scratch, mark);
    return cell.type == UNA_SQL_INTEGER ? cell.whole : -1;
}

static void copy_place(char path[4096], const char *place)
{
    snprintf(path, 4096, "%s", place ? place : "");
}

/* Reads first, so that a second writer in between would be noticed. */
static una_status count_up(una_database *db, void *context, una_run *run)
{
    una_sql_value cell;
    (void)context;
    UNA_TRY(una_database_ask(&cell, db, una_sql_plain("SELECT number FROM counter WHERE id = 1"), NULL, run));
    cell = una_sql_integer(cell.whole + 1);
    return una_database_do(NULL, db, (una_sql){ "UPDATE counter SET number = $1 WHERE id = 1", &cell, 1 }, run);
}

/* A child that ends with 0 if the job did not fail; its sentence goes to the standard error. */
static pid_t in_child(una_status (*job)(const char *where, una_run *run), const char *where)
{
    pid_t child = fork();
    if (child != 0) return child;
    una_run *run = quiet_run();
    una_status status = job(where, run);
    if (status != UNA_OK) fprintf(stderr, "child: %d, %s\n", (int)status, una_run_message(run));
    _exit(status == UNA_OK ? 0 : 1);
}

static void child_went_well(pid_t child)
{
    int status = 1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- values ---------------------------------------------------------------------------------------------------- */

static una_status same_cell(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    const una_sql_value *wanted = context;
    (void)run;
    assert_int_equal(count, 1);
    if (wanted->type == UNA_SQL_REAL) {
        assert_true(cells[0].type == UNA_SQL_REAL || cells[0].type == UNA_SQL_INTEGER);
        assert_true(cells[0].real == wanted->real);
    } else {
        assert_int_equal(cells[0].type, wanted->type);
    }
    if (wanted->type == UNA_SQL_INTEGER) {
        assert_true(cells[0].whole == wanted->whole);
        assert_true(cells[0].real == (double)wanted->whole);
    }
    if (wanted->type == UNA_SQL_TEXT) assert_string_equal(cells[0].text, wanted->text);
    return UNA_OK;
}

static void values_come_back(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    static const double reals[] = { 0.1, -1.0 / 3, 5e-324, 2.2250738585072014e-308, 1.7e308, 1.7976931348623157e308,
        -0.0, 0, 1, 9007199254740993.0, 1e22, 123456789.123456789, HUGE_VAL, -HUGE_VAL, NAN };
    static const int64_t wholes[] = { 0, 1, -1, 9007199254740993, INT64_MAX, INT64_MIN };
    static const char *const texts[] = { "", "it's \"quoted\"", "two\nlines\tand a \\ slash", "Grüße, 世界 🙂", "$1",
        "NULL", "NaN" };
    assert_ok(una_database_open(&db, place_of(state, "values.db"), UNA_DATABASE_LOG, run), run);
    assert_ok(una_database_script(db, "CREATE TABLE r (v REAL); CREATE TABLE w (v INTEGER); CREATE TABLE t (v TEXT)",
                                  run), run);

    for (size_t i = 0; i < sizeof reals / sizeof *reals; i++) {
        una_sql_value given = una_sql_real(reals[i]);
        assert_int_equal(given.type, isnan(reals[i]) ? UNA_SQL_NULL : UNA_SQL_REAL);
        assert_ok(una_database_do(NULL, db, (una_sql){ "INSERT INTO r (v) VALUES ($1)", &given, 1 }, run), run);
        assert_ok(una_database_each(db, una_sql_plain("SELECT v FROM r"), NULL, same_cell, &given, run), run);
        assert_ok(una_database_do(NULL, db, una_sql_plain("DELETE FROM r"), run), run);
    }
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        una_sql_value given = una_sql_integer(wholes[i]);
        assert_ok(una_database_do(NULL, db, (una_sql){ "INSERT INTO w (v) VALUES ($1)", &given, 1 }, run), run);
        assert_ok(una_database_each(db, (una_sql){ "SELECT v FROM w WHERE v = $1", &given, 1 }, NULL, same_cell, &given,
                                    run),
                  run);
        assert_ok(una_database_do(NULL, db, una_sql_plain("DELETE FROM w"), run), run);
    }
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        una_sql_value given = una_sql_text(texts[i]);
        assert_ok(una_database_do(NULL, db, (una_sql){ "INSERT INTO t (v) VALUES ($1)", &given, 1 }, run), run);
        assert_ok(una_database_each(db, (una_sql){ "SELECT v FROM t WHERE v = $1", &given, 1 }, NULL, same_cell, &given,
                                    run),
                  run);
        assert_ok(una_database_do(NULL, db, una_sql_plain("DELETE FROM t"), run), run);
    }
    una_database_close(db);
    una_run_free(run);
}

static una_status join_words(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    (void)count;
    (void)run;
    strcat(strcat(context, cells[0].text), ";");
    return UNA_OK;
}

static una_status stop_at_once(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    (void)cells;
    (void)count;
    ++*(int *)context;
    UNA_FAIL(run, UNA_E_INPUT, "enough");
}

/* Texts in the order of their bytes, numbers of changed rows, a task that stops, many statements in turn. */
static void statements(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    static const char *const words[] = { "b", "A", "a", "ä", "B", "_", "10", "9" };
    char joined[256] = "";
    size_t changed = 77;
    int calls = 0;
    assert_ok(open_counter(&db, place_of(state, "statements.db"), run), run);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        una_sql_value given[] = { una_sql_integer((int64_t)i), una_sql_text(words[i]), una_sql_real(0.5) };
        assert_ok(una_database_do(&changed, db,
                                  (una_sql){ "INSERT INTO note (word, value, id) VALUES ($2, $3, $1) "
                                             "ON CONFLICT (id, word) DO NOTHING",
                                             given, 3 },
                                  run),
                  run);
        assert_int_equal(changed, 1);
        assert_ok(una_database_do(&changed, db,
                                  (una_sql){ "INSERT INTO note (word, value, id) VALUES ($2, $3, $1) "
                                             "ON CONFLICT (id, word) DO NOTHING",
                                             given, 3 },
                                  run),
                  run);
        assert_int_equal(changed, 0);
    }
    assert_ok(una_database_each(db, una_sql_plain("SELECT word FROM note ORDER BY word"), NULL, join_words, joined,
                                run),
              run);
    assert_string_equal(joined, "10;9;A;B;_;a;b;ä;");
    assert_ok(una_database_do(&changed, db,
                              (una_sql){ "UPDATE note SET value = NULL WHERE id > $1",
                                         &(una_sql_value){ .type = UNA_SQL_INTEGER, .whole = 4 }, 1 },
                              run),
              run);
    assert_int_equal(changed, 3);
    assert_int_equal(number_of(db, "SELECT count(*) FROM note WHERE value IS NULL", run), 3);
    assert_int_equal(number_of(db, "SELECT sum(id) FROM note", run), 28);
    assert_int_equal(number_of(db, "SELECT id FROM note WHERE id = 99", run), -1);

    assert_status(una_database_each(db, una_sql_plain("SELECT word FROM note"), NULL, stop_at_once, &calls, run),
                  UNA_E_INPUT, run);
    assert_int_equal(calls, 1);
    assert_string_equal(una_run_message(run), "enough");
    assert_status(una_database_do(NULL, db, una_sql_plain("SELEKT 1"), run), UNA_E_IO, run);
    for (int i = 0; i < 100; i++) {                          /* more than are kept */
        char sql[64];
        snprintf(sql, sizeof sql, "SELECT %d + count(*) FROM note", i);
        assert_int_equal(number_of(db, sql, run), i + 8);
    }
    una_database_close(db);
    una_run_free(run);
}

/* ---- transactions ---------------------------------------------------------------------------------------------- */

static una_status half_a_body(una_database *db, void *context, una_run *run)
{
    UNA_TRY(count_up(db, NULL, run));
    una_sql_value twice[] = { una_sql_integer(1) };
    if (context) UNA_FAIL(run, UNA_E_INPUT, "the body says no");
    return una_database_do(NULL, db, (una_sql){ "INSERT INTO counter (id, number) VALUES ($1, 5)", twice, 1 }, run);
}

static una_status inner(una_database *db, void *context, una_run *run)
{
    UNA_TRY(una_database_transact(db, count_up, NULL, run));
    return context ? una_fail(run, UNA_E_INPUT, "no after all") : UNA_OK;
}

static void all_or_nothing(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    int yes;
    assert_ok(open_counter(&db, place_of(state, "all.db"), run), run);
    assert_status(una_database_transact(db, half_a_body, &yes, run), UNA_E_INPUT, run);
    assert_string_equal(una_run_message(run), "the body says no");
    assert_status(una_database_transact(db, half_a_body, NULL, run), UNA_E_IO, run);         /* there is a line 1 */
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 0);

    assert_status(una_database_transact(db, inner, &yes, run), UNA_E_INPUT, run);            /* one inside the other */
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 0);
    assert_ok(una_database_transact(db, inner, NULL, run), run);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 1);
    una_database_close(db);
    una_run_free(run);
}

static una_status count_to_200(const char *where, una_run *run)
{
    una_database *db;
    UNA_TRY(open_counter(&db, where, run));
    una_status status = UNA_OK;
    for (int i = 0; i < 200 && status == UNA_OK; i++) status = una_database_transact(db, count_up, NULL, run);
    una_database_close(db);
    return status;
}

/* Both begin with nothing: one of them makes the tables. */
static void two_processes_take_turns(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    char where[4096];
    copy_place(where, place_of(state, "turns.db"));
    pid_t one = in_child(count_to_200, where), two = in_child(count_to_200, where);
    child_went_well(one);
    child_went_well(two);
    assert_ok(open_counter(&db, where, run), run);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 400);
    una_database_close(db);
    una_run_free(run);
}

static void *count_to_50(void *context)
{
    una_run *run = quiet_run();
    bool good = true;
    for (int i = 0; i < 50; i++) good = una_database_transact(context, count_up, NULL, run) == UNA_OK && good;
    una_run_free(run);
    return good ? context : NULL;
}

static void threads_take_turns(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    pthread_t threads[4];
    assert_ok(open_counter(&db, place_of(state, "threads.db"), run), run);
    for (size_t i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, count_to_50, db), 0);
    for (size_t i = 0; i < 4; i++) {
        void *good = NULL;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 200);
    una_database_close(db);
    una_run_free(run);
}

typedef struct waiting { int told; } waiting;

static una_status count_and_wait(una_database *db, void *context, una_run *run)
{
    UNA_TRY(count_up(db, NULL, run));
    (void)!write(((waiting *)context)->told, "y", 1);
    for (;;) pause();
}

/* A child in the middle of a transaction, which it never ends. */
static pid_t child_inside(const char *where)
{
    int pipes[2];
    char byte;
    assert_int_equal(pipe(pipes), 0);
    pid_t child = fork();
    if (child == 0) {
        una_run *run = quiet_run();
        una_database *db;
        waiting w = { pipes[1] };
        if (open_counter(&db, where, run) == UNA_OK) (void)una_database_transact(db, count_and_wait, &w, run);
        _exit(1);
    }
    close(pipes[1]);
    assert_int_equal(read(pipes[0], &byte, 1), 1);
    close(pipes[0]);
    return child;
}

static void killed_in_the_middle(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    char where[4096];
    copy_place(where, place_of(state, "killed.db"));
    assert_ok(open_counter(&db, where, run), run);
    for (int i = 1; i <= 5; i++) {
        pid_t child = child_inside(where);
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, NULL, 0), child);
        time_t begun = time(NULL);
        assert_ok(una_database_transact(db, count_up, NULL, run), run);
        assert_true(time(NULL) - begun < 10);
        assert_int_equal(number_of(db, "SELECT number FROM counter", run), i);   /* nothing of the child's */
    }
    una_database_close(db);
    una_run_free(run);
}

/* Another is in a transaction and does not come out. */
static void waiting_can_be_cancelled(void **state)
{
    volatile int cancel = 0;
    una_run *run = NULL;
    una_run_settings about = { .size = sizeof about, .cancel = &cancel };
    una_database *db;
    char where[4096];
    copy_place(where, place_of(state, "cancel.db"));
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    assert_ok(open_counter(&db, where, run), run);
    pid_t child = child_inside(where);

    time_t begun = time(NULL);
    cancel = 1;
    assert_status(una_database_transact(db, count_up, NULL, run), UNA_CANCELLED, run);
    assert_says(una_run_message(run), "interrupted while waiting");
    assert_true(time(NULL) - begun < 10);
    cancel = 0;
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 0);       /* reading needs no turn */
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    assert_ok(una_database_transact(db, count_up, NULL, run), run);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 1);
    una_database_close(db);
    una_run_free(run);
}

/* ---- kinds ----------------------------------------------------------------------------------------------------- */

static void kinds_are_distinguished(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    bool server = strcmp(*state, "server") == 0;
    char where[4096];
    copy_place(where, place_of(state, "kinds.db"));
    assert_ok(open_counter(&db, where, run), run);
    assert_ok(una_database_expect(db, "counter", 1, counter_schema, run), run);
    assert_status(una_database_expect(db, "counter", 2, counter_schema, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "format 1, and it knows 2");
    una_database_close(db);

    assert_ok(una_database_open(&db, where, UNA_DATABASE_PRESENT, run), run);
    static const char other[] = "CREATE TABLE other (a INTEGER);";
    assert_status(una_database_expect(db, "thing", 1, other, run), UNA_E_INPUT, run);
    if (!server) assert_says(una_run_message(run), "is a counter, not a thing");
    una_database_close(db);

    assert_ok(una_database_open(&db, where, UNA_DATABASE_LOG, run), run);        /* a server has room for several */
    assert_status(una_database_expect(db, "thing", 1, other, run), server ? UNA_OK : UNA_E_INPUT, run);
    assert_ok(una_database_expect(db, "counter", 1, counter_schema, run), run);
    una_database_close(db);
    una_run_free(run);
}

static void tables_of_another_program(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    bool server = strcmp(*state, "server") == 0;
    char where[4096];
    copy_place(where, place_of(state, "foreign.db"));
    assert_ok(una_database_open(&db, where, UNA_DATABASE_LOG, run), run);
    assert_ok(una_database_script(db, "CREATE TABLE counter (a INTEGER)", run), run);
    una_database_close(db);
    assert_status(open_counter(&db, where, run), UNA_E_INPUT, run);
    assert_null(db);
    assert_ok(una_database_open(&db, where, UNA_DATABASE_LOG, run), run);
    assert_int_equal(number_of(db, server ? "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"
                                          : "SELECT count(*) FROM sqlite_master", run), 1);          /* left alone */
    una_database_close(db);
    una_run_free(run);
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static una_status all_calls(void *context, una_run *run)
{
    una_database *db;
    una_sql_value cell;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = open_counter(&db, context, run);
    if (status == UNA_OK) status = una_database_transact(db, count_up, NULL, run);
    if (status == UNA_OK) status = una_database_ask(&cell, db, una_sql_plain("SELECT 'a text'"), NULL, run);
    if (status == UNA_OK) status = una_database_script(db, "UPDATE counter SET number = 0", run);
    una_database_close(db);
    una_arena_release(&run->scratch, mark);
    return status;
}

static void no_memory_is_no_crash(void **state)
{
    char where[4096];
    copy_place(where, place_of(state, "memory.db"));
    assert_true(sweep_allocations(all_calls, where) > 3);
}

/* ---- files ----------------------------------------------------------------------------------------------------- */

static void what_is_no_database(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    (void)state;
    const char *words = "this is not a data base, and it is rather more than one hundred bytes long, so that SQLite "
                        "will look at the first of them";
    for (int mode = 0; mode <= UNA_DATABASE_COPY; mode++) {
        const char *path = temp_text_file("no.db", words);
        assert_status(una_database_open(&db, path, (una_database_mode)mode, run), UNA_E_INPUT, run);
        assert_null(db);
        assert_says(una_run_message(run), "not a database that una can read");
    }
    assert_status(una_database_open(&db, temp_path("no/folder.db"), UNA_DATABASE_LOG, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "folder.db");
    assert_status(una_database_open(&db, temp_folder(), UNA_DATABASE_LOG, run), UNA_E_IO, run);
    assert_status(una_database_open(&db, "", UNA_DATABASE_LOG, run), UNA_E_IO, run);
    assert_status(una_database_open(&db, temp_path("absent.db"), UNA_DATABASE_PRESENT, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "absent.db");
    assert_int_not_equal(access(temp_path("absent.db"), F_OK), 0);
    assert_ok(una_database_open(&db, temp_text_file("empty.db", ""), UNA_DATABASE_PRESENT, run), run);
    assert_status(una_database_expect(db, "counter", 1, counter_schema, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "there is no counter in");
    una_database_close(db);
    una_run_free(run);
}

/* ---- files of strangers ---------------------------------------------------------------------------------------- */

/* By a handle of SQLite's own, which allows everything. */
static void by_hand(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
    sqlite3_close(db);
}

static void new_counter(char path[4096], const char *name, una_run *run)
{
    una_database *db;
    copy_place(path, temp_path(name));
    remove(path);
    assert_ok(open_counter(&db, path, run), run);
    una_database_close(db);
}

/* What computes in a schema is refused when the file is opened, before a statement touches it; and in every mode. */
static void schemas_that_compute_are_refused(void **state)
{
    static const struct { const char *sql, *says; } cases[] = {
        { "DROP TABLE note; CREATE VIEW note AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
          "SELECT i AS id, 'a' AS word, 1 AS value FROM n", "the view 'note'" },
        { "CREATE VIEW beside AS SELECT 1", "the view 'beside'" },
        { "DROP TABLE una_kind; CREATE VIEW una_kind AS SELECT 'counter' AS kind, 1 AS format", "the view 'una_kind'" },
        { "CREATE TRIGGER pull AFTER UPDATE ON counter BEGIN DELETE FROM note; END", "the trigger 'pull'" },
        { "CREATE INDEX slow ON note (length(hex(zeroblob(id))))", "the index 'slow'" },
        { "ALTER TABLE note ADD COLUMN x AS (hex(zeroblob(300000000)))", "the table 'note' with AS" },
        { "ALTER TABLE note ADD COLUMN x TEXT\tgenerated always\nas (1) VIRTUAL", "the table 'note' with AS" },
        { "ALTER TABLE note ADD COLUMN x CHECK(length(hex(zeroblob(9))) > 1)", "the table 'note' with CHECK" },
        { "CREATE TABLE more (a TEXT default(hex(zeroblob(9))))", "the table 'more' with DEFAULT" },
        { "CREATE VIRTUAL TABLE words USING fts5(a)", "which is no ordinary table" },
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[4096];
        new_counter(path, "schema.db", run);
        by_hand(path, cases[i].sql);
        for (int mode = 0; mode <= UNA_DATABASE_COPY; mode++) {
            una_database *db;
            assert_status(una_database_open(&db, path, (una_database_mode)mode, run), UNA_E_INPUT, run);
            assert_null(db);
            assert_says(una_run_message(run), "was not written by una, or was changed since");
            assert_says(una_run_message(run), cases[i].says);
        }
    }
    una_run_free(run);
}

/* Names in which such words are parts, and statistics, are nothing of the kind. */
static void plain_schemas_are_taken(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    char path[4096];
    (void)state;
    new_counter(path, "plain.db", run);
    by_hand(path, "CREATE TABLE lease (measure TEXT, checked REAL, as_told REAL, default_of TEXT UNIQUE); ANALYZE");
    assert_ok(open_counter(&db, path, run), run);
    una_database_close(db);
    una_run_free(run);
}

/* What comes into the schema while the file is open does not run. */
static void later_triggers_and_views_do_not_run(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    char path[4096];
    (void)state;
    new_counter(path, "later.db", run);
    assert_ok(open_counter(&db, path, run), run);
    by_hand(path, "CREATE TRIGGER pull AFTER UPDATE ON counter BEGIN INSERT INTO note VALUES (1, 'ran', 1); END;"
            "CREATE VIEW seen AS SELECT number FROM counter");
    assert_ok(una_database_transact(db, count_up, NULL, run), run);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 1);
    assert_int_equal(number_of(db, "SELECT count(*) FROM note", run), 0);
    assert_status(una_database_do(NULL, db, una_sql_plain("SELECT number FROM seen"), run), UNA_E_IO, run);
    assert_says(una_run_message(run), "view");
    assert_status(una_database_script(db, "ATTACH ':memory:' AS other", run), UNA_E_IO, run);
    una_database_close(db);
    una_run_free(run);
}

static void *cancel_soon(void *context)
{
    nanosleep(&(struct timespec){ .tv_nsec = 200000000 }, NULL);
    *(volatile int *)context = 1;
    return NULL;
}

#define ENDLESS "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "

static void endless_statements_can_be_cancelled(void **state)
{
    static const char *const endless[] = { ENDLESS "SELECT max(i) FROM n", ENDLESS "SELECT i FROM n ORDER BY -i LIMIT 1",
                                           ENDLESS "UPDATE counter SET number = (SELECT count(*) FROM n)" };
    volatile int cancel = 0;
    una_run *run = NULL;
    una_run_settings about = { .size = sizeof about, .cancel = &cancel };
    una_database *db;
    char path[4096];
    (void)state;
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    new_counter(path, "endless.db", run);
    assert_ok(open_counter(&db, path, run), run);
    for (size_t i = 0; i < sizeof endless / sizeof *endless; i++) {
        pthread_t other;
        time_t begun = time(NULL);
        cancel = 0;
        assert_int_equal(pthread_create(&other, NULL, cancel_soon, (void *)&cancel), 0);
        assert_status(una_database_do(NULL, db, una_sql_plain(endless[i]), run), UNA_CANCELLED, run);
        assert_says(una_run_message(run), "interrupted while working with");
        assert_true(time(NULL) - begun < 10);
        pthread_join(other, NULL);
    }
    /* What is soon done is still done: results are written down by runs that were cancelled. */
    for (int i = 0; i < 1000; i++) assert_ok(una_database_transact(db, count_up, NULL, run), run);
    cancel = 0;
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 1000);
    una_database_close(db);
    una_run_free(run);
}

/* One text may take a part of the memory that is allowed, and no more, whoever wrote it. */
static void long_texts_are_refused(void **state)
{
    una_run *run = NULL;
    una_run_settings about = { .size = sizeof about, .memory_limit = 50000000 };
    una_database *db;
    una_sql_value cell;
    char path[4096];
    (void)state;
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    new_counter(path, "long.db", run);
    by_hand(path, "INSERT INTO note VALUES (1, hex(zeroblob(1000000)), 1), (2, hex(zeroblob(5000000)), 1)");
    assert_ok(open_counter(&db, path, run), run);
    assert_ok(una_database_ask(&cell, db, una_sql_plain("SELECT word FROM note WHERE id = 1"), NULL, run), run);
    assert_int_equal(strlen(cell.text), 2000000);
    assert_status(una_database_ask(&cell, db, una_sql_plain("SELECT word FROM note WHERE id = 2"), NULL, run),
                  UNA_E_MEMORY, run);
    assert_says(una_run_message(run), "more than 5 MB");
    assert_status(una_database_do(NULL, db, una_sql_plain("SELECT hex(zeroblob(300000000))"), run), UNA_E_MEMORY, run);
    una_database_close(db);
    una_run_free(run);
}

/* A copy has all of the file in memory. */
static void copies_need_room(void **state)
{
    una_run *run = quiet_run(), *small = NULL;
    una_run_settings about = { .size = sizeof about, .memory_limit = 2000000 };
    una_database *db;
    char path[4096];
    (void)state;
    assert_int_equal(una_run_new(&small, &about), UNA_OK);
    new_counter(path, "room.db", run);
    assert_ok(una_database_open(&db, path, UNA_DATABASE_COPY, small), small);
    una_database_close(db);
    by_hand(path, "INSERT INTO note VALUES (1, hex(zeroblob(2000000)), 1)");
    assert_status(una_database_open(&db, path, UNA_DATABASE_COPY, small), UNA_E_MEMORY, small);
    assert_says(una_run_message(small), "is read into memory");
    assert_ok(una_database_open(&db, path, UNA_DATABASE_COPY, run), run);        /* of several parts */
    assert_int_equal(number_of(db, "SELECT length(word) FROM note", run), 4000000);
    una_database_close(db);
    una_run_free(small);
    una_run_free(run);
}

/* A file may ask for a cache as large as it likes; what it gets is seen from outside. */
static void caches_are_ours(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    char path[4096];
    (void)state;
    new_counter(path, "cache.db", run);
    by_hand(path, "PRAGMA default_cache_size = 1000000");
    assert_ok(open_counter(&db, path, run), run);
    assert_int_equal(number_of(db, "PRAGMA cache_size", run), -2000);
    assert_int_equal(number_of(db, "PRAGMA temp_store", run), 2);
    una_database_close(db);
    una_run_free(run);
}

static void in_memory(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    (void)state;
    assert_ok(open_counter(&db, NULL, run), run);
    assert_ok(una_database_transact(db, count_up, NULL, run), run);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 1);
    una_database_close(db);
    una_database_close(NULL);
    una_run_free(run);
}

static size_t files_like(const char *name)
{
    size_t count = 0;
    DIR *folder = opendir(temp_folder());
    for (struct dirent *entry; folder && (entry = readdir(folder));)
        count += strncmp(entry->d_name, name, strlen(name)) == 0;
    closedir(folder);
    return count;
}

/* With the log too, and after a process was killed that had it open; a copy reads what is in the log. */
static void a_file_at_rest_is_one_file(void **state)
{
    una_run *run = quiet_run();
    una_database *db, *copy;
    char where[4096];
    (void)state;
    copy_place(where, temp_path("rest.db"));
    assert_ok(open_counter(&db, where, run), run);
    assert_ok(una_database_transact(db, count_up, NULL, run), run);
    assert_true(files_like("rest.db") > 1);
    pid_t child = child_inside(where);
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);

    assert_ok(una_database_open(&copy, where, UNA_DATABASE_COPY, run), run);
    assert_int_equal(number_of(copy, "SELECT number FROM counter", run), 1);
    assert_ok(una_database_transact(copy, count_up, NULL, run), run);
    una_database_close(copy);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 1);
    una_database_close(db);
    assert_int_equal(files_like("rest.db"), 1);
    una_run_free(run);
}

static una_status come_and_go(const char *where, una_run *run)
{
    for (int i = 0; i < 25; i++) {
        una_database *db;
        UNA_TRY(open_counter(&db, where, run));
        una_status status = una_database_transact(db, count_up, NULL, run);
        una_database_close(db);
        UNA_TRY(status);
    }
    return UNA_OK;
}

/* The log is made and removed all the time. */
static void many_come_and_go(void **state)
{
    enum { CHILDREN = 8 };
    una_run *run = quiet_run();
    una_database *db;
    pid_t children[CHILDREN];
    char where[4096];
    copy_place(where, place_of(state, "go.db"));
    for (size_t i = 0; i < CHILDREN; i++) children[i] = in_child(come_and_go, where);
    for (size_t i = 0; i < CHILDREN; i++) child_went_well(children[i]);
    assert_ok(open_counter(&db, where, run), run);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 25 * CHILDREN);
    una_database_close(db);
    una_run_free(run);
}

/* As somebody who may not write there: root may everywhere. */
static una_status check_from_outside(const char *where, una_run *run)
{
    una_database *db;
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return UNA_E_IO;
    if (una_database_open(&db, where, UNA_DATABASE_LOG, run) == UNA_OK) {
        una_status status = una_database_transact(db, count_up, NULL, run);
        una_database_close(db);
        if (status == UNA_OK) UNA_FAIL(run, UNA_E_INPUT, "it could be written");
    }
    if (!strstr(una_run_message(run), "outside.db")) UNA_FAIL(run, UNA_E_INPUT, "the sentence has no name in it");

    una_sql_value cell;
    UNA_TRY(una_database_open(&db, where, UNA_DATABASE_COPY, run));
    UNA_TRY(una_database_expect(db, "counter", 1, counter_schema, run));
    UNA_TRY(una_database_ask(&cell, db, una_sql_plain("SELECT number FROM counter"), NULL, run));
    una_database_close(db);
    return cell.whole == 1 ? UNA_OK : una_fail(run, UNA_E_INPUT, "the copy has another number");
}

static void a_read_only_folder(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    char folder[] = "/tmp/una-test-XXXXXX", where[4096];
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(where, sizeof where, "%s/out?side#%%20outside.db", folder);
    assert_ok(open_counter(&db, where, run), run);
    assert_ok(una_database_transact(db, count_up, NULL, run), run);
    una_database_close(db);
    chmod(where, 0444);
    chmod(folder, 0555);
    child_went_well(in_child(check_from_outside, where));
    chmod(folder, 0700);
    unlink(where);
    assert_int_equal(rmdir(folder), 0);                      /* nothing else was left there */
    una_run_free(run);
}

/* Files of this process may have so many bytes: writes beyond that fail as on a full disk. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(3);
}

static una_status fill(const char *where, una_run *run)
{
    static char kilobytes[20001];
    una_database *db;
    int64_t written = 0;
    una_status status = UNA_OK;
    bool pages = strstr(where, "pages") != NULL;             /* what SQLite says on a disk that is full */
    signal(SIGXFSZ, SIG_IGN);
    memset(kilobytes, 'x', sizeof kilobytes - 1);
    UNA_TRY(open_counter(&db, where, run));
    if (pages) UNA_TRY(una_database_do(NULL, db, una_sql_plain("PRAGMA max_page_count = 60"), run));
    else limit_files(400000);
    for (; written < 1000 && status == UNA_OK; written++) {
        una_sql_value given[] = { una_sql_integer(written), una_sql_text(kilobytes) };
        status = una_database_do(NULL, db, (una_sql){ "INSERT INTO note (id, word) VALUES ($1, $2)", given, 2 }, run);
    }
    const char *why = una_run_message(run);
    if (status != UNA_E_IO || !strstr(why, "no space left") || !strstr(why, "full.db"))
        return una_fail(run, UNA_E_INPUT, "%d is not the sentence of a full disk: %.500s", (int)status, run->message);

    if (pages) UNA_TRY(una_database_do(NULL, db, una_sql_plain("PRAGMA max_page_count = 6000"), run));
    else limit_files(RLIM_INFINITY);
    una_sql_value cell;
    UNA_TRY(una_database_transact(db, count_up, NULL, run));
    UNA_TRY(una_database_ask(&cell, db, una_sql_plain("SELECT count(*) FROM note"), NULL, run));
    una_database_close(db);
    if (cell.whole != written - 1)
        UNA_FAIL(run, UNA_E_INPUT, "%lld of %lld", (long long)cell.whole, (long long)written);
    return UNA_OK;
}

static void a_full_disk_is_named(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    (void)state;
    for (int i = 0; i < 2; i++) {
        char where[4096];
        copy_place(where, temp_path(i == 0 ? "pages-full.db" : "full.db"));
        child_went_well(in_child(fill, where));
        assert_ok(open_counter(&db, where, run), run);       /* sound, and with the last change */
        assert_int_equal(number_of(db, "SELECT number FROM counter", run), 1);
        una_database_close(db);
    }
    una_run_free(run);
}

/* ---- servers --------------------------------------------------------------------------------------------------- */

typedef struct ending { const char *where; int times, calls; bool at_end; } ending;

static void end_connections(const char *where)
{
    server_do(where, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = current_database() "
              "AND pid <> pg_backend_pid()");
}

/* Its connection is ended in the middle, as an administrator would, or a server that goes down. */
static una_status count_with_ends(una_database *db, void *context, una_run *run)
{
    ending *e = context;
    e->calls++;
    if (!e->at_end) UNA_TRY(count_up(db, NULL, run));
    if (e->times-- > 0) end_connections(e->where);
    return e->at_end ? count_up(db, NULL, run) : UNA_OK;
}

static void lost_connections_are_reopened(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    char where[4096];
    (void)state;
    copy_place(where, server_database());
    assert_ok(open_counter(&db, where, run), run);
    for (int at_end = 0; at_end <= 1; at_end++) {
        ending e = { .where = where, .times = 2, .at_end = at_end };
        assert_ok(una_database_transact(db, count_with_ends, &e, run), run);
        assert_int_equal(e.calls, 3);
        assert_int_equal(number_of(db, "SELECT number FROM counter", run), at_end + 1);
    }

    end_connections(where);                                  /* between statements */
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 2);
    end_connections(where);
    assert_ok(una_database_transact(db, count_up, NULL, run), run);
    end_connections(where);
    assert_ok(una_database_script(db, "UPDATE counter SET number = number + 1", run), run);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 4);

    ending never = { .where = where, .times = 1000 };        /* one that is lost each time is given up */
    assert_status(una_database_transact(db, count_with_ends, &never, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "was lost");
    assert_true(never.calls < 30);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 4);
    una_database_close(db);
    una_run_free(run);
}

static void tool(char *answer, size_t room, const char *what, const char *folder)
{
    char command[512];
    snprintf(command, sizeof command, "tools/postgres.sh %s '%s'", what, folder);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    if (answer && !fgets(answer, (int)room, pipe)) answer[0] = 0;
    assert_int_equal(pclose(pipe), 0);
    if (answer) answer[strcspn(answer, "\n")] = 0;
}

/* A server of its own, which crashes and is started again while somebody waits for it. */
static void a_server_that_was_down_for_a_while(void **state)
{
    volatile int cancel = 0;
    una_run *run = NULL;
    una_run_settings about = { .size = sizeof about, .cancel = &cancel };
    una_database *db;
    char folder[] = "/tmp/una-test-XXXXXX", where[256], command[300];
    (void)state;
    if (!server_address()) return;
    if (access("tools/postgres.sh", X_OK) != 0) skip();
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    assert_non_null(mkdtemp(folder));
    tool(where, sizeof where, "start", folder);
    assert_ok(open_counter(&db, where, run), run);
    assert_ok(una_database_transact(db, count_up, NULL, run), run);

    tool(NULL, 0, "kill", folder);
    cancel = 1;                                              /* nobody has to wait for it */
    time_t begun = time(NULL);
    assert_status(una_database_transact(db, count_up, NULL, run), UNA_CANCELLED, run);
    assert_true(time(NULL) - begun < 10);
    cancel = 0;
    pid_t child = fork();
    if (child == 0) {
        sleep(1);
        snprintf(command, sizeof command, "tools/postgres.sh start '%s' >/dev/null", folder);
        _exit(system(command) == 0 ? 0 : 1);
    }
    una_status status = una_database_transact(db, count_up, NULL, run);
    child_went_well(child);
    assert_ok(status, run);
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 2);
    una_database_close(db);
    tool(NULL, 0, "stop", folder);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    una_run_free(run);
}

static void nobody_there(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    (void)state;
    time_t begun = time(NULL);
    static const char where[] = "postgresql://me:secret@127.0.0.1:1/there?password=secret#study";
    assert_status(una_database_open(&db, where, UNA_DATABASE_LOG, run), UNA_E_IO, run);
    assert_null(db);
    assert_true(time(NULL) - begun <= 11);
    assert_says(una_run_message(run), "postgresql://me@127.0.0.1:1/there");
    assert_says(una_run_message(run), "refused");
    assert_says(una_run_message(run), "check that the server runs");
    assert_null(strstr(una_run_message(run), "secret"));

    static const char *const wrong[] = { "postgres://me:sec@ret@127.0.0.1:1/a", "postgres://me:sec/ret@127.0.0.1:1/a",
        "postgres://me:sec?ret@127.0.0.1:1/a", "postgres://me:sec#ret@127.0.0.1:1/a",
        "postgresql://me:sec%zzret@127.0.0.1/a",
        "postgresql://me:secret@127.0.0.1:1/a?nonsense=1" };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_status(una_database_open(&db, wrong[i], UNA_DATABASE_LOG, run), UNA_E_USAGE, run);
        assert_null(strstr(una_run_message(run), "sec"));
        assert_null(strstr(una_run_message(run), "ret"));
    }
    assert_status(una_database_open(&db, "postgresql://127.0.0.1:1/a", UNA_DATABASE_COPY, run), UNA_E_USAGE, run);
    una_run_free(run);
}

static void passwords_are_not_shown(void **state)
{
    static const char *const cases[][2] = {
        { "postgresql://me:secret@host:5432/db", "postgresql://me@host:5432/db" },
        { "postgres://host/db#name", "postgres://host/db" },
        { "postgresql://host:5432/db?password=secret&sslmode=require", "postgresql://host:5432/db?sslmode=require" },
        { "postgresql://me@/db?host=/tmp&password=secret#x", "postgresql://me@/db?host=/tmp" },
        { "postgresql://me:a@b:c@host/db?sslpassword=s&password=s", "postgresql://me@host/db" },
        { "postgresql:///db", "postgresql:///db" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s", cases[i][0]);
        assert_string_equal(una_database_address(text), cases[i][1]);
        assert_true(una_database_is_server(cases[i][0]));
    }
    assert_false(una_database_is_server("postgresql"));
    assert_false(una_database_is_server("./postgresql://a"));
    assert_false(una_database_is_server(NULL));
}

/* ---- what stands between -------------------------------------------------------------------------------------- */

/* A table that is not as una defines it is refused when it is opened, with its name. */
static void tables_of_another_form(void **state)
{
    static const char *const changes[] = {
        "ALTER TABLE counter RENAME COLUMN number TO numbers",
        "ALTER TABLE note ADD COLUMN more TEXT",
        "DROP TABLE note; CREATE TABLE note (id INTEGER NOT NULL, word TEXT NOT NULL, value TEXT, PRIMARY KEY (id, "
        "word)) WITHOUT ROWID",
        "DROP TABLE note",
        "DROP TABLE note; CREATE TABLE note (id INTEGER NOT NULL, word TEXT NOT NULL, value REAL UNIQUE ON CONFLICT "
        "IGNORE, PRIMARY KEY (id, word)) WITHOUT ROWID",
    };
    size_t count = sizeof changes / sizeof *changes - (strcmp(*state, "server") == 0);   /* the last is SQLite's */
    una_run *run = quiet_run();
    for (size_t i = 0; i < count; i++) {
        una_database *db;
        char where[4096], name[32];
        snprintf(name, sizeof name, "form%zu.db", i);
        copy_place(where, place_of(state, name));
        assert_ok(open_counter(&db, where, run), run);
        una_database_close(db);
        assert_ok(open_counter(&db, where, run), run);                   /* as it was made */
        assert_ok(una_database_script(db, changes[i], run), run);
        una_database_close(db);
        assert_status(open_counter(&db, where, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), i == 0 ? "its table 'counter'" : "its table 'note'");
        assert_says(una_run_message(run), "not defined as una defines it");
    }
    una_run_free(run);
}

static una_status write_one(una_database *db, void *context, una_run *run)
{
    (void)context;
    UNA_TRY(una_database_write(db, una_sql_plain("UPDATE counter SET number = 5 WHERE id = 1"), run));
    const una_sql_value nobody = una_sql_integer(77);
    return una_database_write(db, (una_sql){ "UPDATE counter SET number = 6 WHERE id = $1", &nobody, 1 }, run);
}

static void writes_change_what_they_mean(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    assert_ok(open_counter(&db, place_of(state, "write.db"), run), run);
    assert_status(una_database_transact(db, write_one, NULL, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "0 rows were changed instead of 1");
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 0);       /* nor was the first kept */
    una_database_close(db);
    una_run_free(run);
}

static una_status note_checked(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    (void)cells;
    (void)run;
    assert_int_equal(count, 4);
    ++*(int *)context;
    return UNA_OK;
}

static void cells_are_checked(void **state)
{
    static const struct { const char *select, *says; } cases[] = {
        { "SELECT 3, 'a', 0.5, 4", NULL }, { "SELECT 3, 'a', NULL, NULL", NULL }, { "SELECT 3, 'a', 2, NULL", NULL },
        { "SELECT 3, 'a', 'half', 4", "the column 'value' of note 3 holds a text, and a number belongs there" },
        { "SELECT 3, NULL, 0.5, 4", "the column 'word' of note 3 holds nothing, and a text belongs there" },
        { "SELECT 3, 4, 0.5, 4", "the column 'word' of note 3 holds a whole number, and a text" },
        { "SELECT 'three', 'a', 0.5, 4", "the column 'id' of note holds a text, and a whole number belongs there" },
        { "SELECT 3, 'a', 0.5, 0.25::float8", "the column 'other' of note 3 holds a number, and a whole number" },
    };
    static const una_sql_row_form note = { "n.id, n.word, n.value, other", "wtNW", "note" };
    bool server = strcmp(*state, "server") == 0;
    una_run *run = quiet_run();
    una_database *db;
    int given = 0;
    assert_ok(open_counter(&db, place_of(state, "cells.db"), run), run);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char sql[128];
        size_t length = server ? strlen(cases[i].select) : strcspn(cases[i].select, ":");
        snprintf(sql, sizeof sql, "%.*s", (int)length, cases[i].select);
        una_status status = una_database_each(db, una_sql_plain(sql), &note, note_checked, &given, run);
        assert_status(status, cases[i].says ? UNA_E_INPUT : UNA_OK, run);
        if (cases[i].says) assert_says(una_run_message(run), cases[i].says);
    }
    if (!server) {
        una_status status =
            una_database_each(db, una_sql_plain("SELECT 3, 'a', x'0102', 4"), &note, note_checked, &given, run);
        assert_status(status, UNA_E_INPUT, run);
        assert_says(una_run_message(run), "the column 'value' of note 3 holds bytes");
    }
    assert_int_equal(given, 3);
    una_database_close(db);
    una_run_free(run);
}

/* ---- forks ----------------------------------------------------------------------------------------------------- */

/* The child's copy of a handle says whose it is, and may be closed; the parent's goes on. */
static void a_handle_knows_its_process(void **state)
{
    una_run *run = quiet_run();
    una_database *db;
    char where[4096];
    copy_place(where, place_of(state, "fork.db"));
    assert_ok(open_counter(&db, where, run), run);
    assert_ok(una_database_transact(db, count_up, NULL, run), run);
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();
        if (child == 0) {
            una_sql_value cell;
            bool good = una_database_transact(db, count_up, NULL, run) == UNA_E_USAGE &&
                        una_database_ask(&cell, db, una_sql_plain("SELECT 1"), NULL, run) == UNA_E_USAGE &&
                        una_database_script(db, "DELETE FROM counter", run) == UNA_E_USAGE &&
                        strstr(una_run_message(run), "after a fork each process has to open it for itself");
            una_database_close(db);
            una_run_free(run);
            _exit(good ? 0 : 1);
        }
        child_went_well(child);
        assert_ok(una_database_transact(db, count_up, NULL, run), run);
    }
    assert_int_equal(number_of(db, "SELECT number FROM counter", run), 5);
    una_database_close(db);
    una_run_free(run);
}

/* ---- owners ---------------------------------------------------------------------------------------------------- */

static void owners(void **state)
{
    una_owner_name me, other, him;
    int a = 0, b = 0;
    const int64_t since = 1000000;                           /* whatever the clock of this machine says */
    const double now = 1000000;
    (void)state;
    una_owner_here(&me, &a);
    una_owner_here(&other, &b);
    assert_true(una_owner_same(&me, &me));
    assert_false(una_owner_same(&me, &other));
    other.since = since - 100000;
    assert_true(una_owner_alive(&other, now, &me));
    assert_true(una_owner_alive(&me, now, &me));

    him = me;
    him.since = since;
    snprintf(him.start, sizeof him.start, "1");              /* an older process of the same number */
    assert_false(una_owner_alive(&him, now, &me));

    him = me;
    him.since = since;
    pid_t child = fork();
    if (child == 0) _exit(0);
    him.process = (long)child;
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_false(una_owner_alive(&him, now, &me));
}

/* A process number means something on one host, since one boot, in one namespace of processes. */
static void places(void **state)
{
    una_owner_name me, him;
    char name[UNA_OWNER_HOST], here[UNA_OWNER_HOST];
    (void)state;
    una_owner_here(&me, state);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(me.host, "/"), me.host);
    assert_int_equal(gethostname(here, sizeof here), 0);
    assert_string_equal(name, here);
    const char *boot = strchr(me.host, '/'), *namespace = strrchr(me.host, '/');
    assert_true(boot && namespace > boot + 1 && strtoull(namespace + 1, NULL, 10) > 0);

    char containers[256], localhosts[256];
    snprintf(containers, sizeof containers, "%.*s/4026539999", (int)(namespace - me.host), me.host);
    snprintf(localhosts, sizeof localhosts, "%s/11111111-2222-3333-4444-555555555555%s", name, namespace);
    const char *const elsewhere[] = { "elsewhere", name /* of an older una */, containers, localhosts };
    for (size_t i = 0; i < 4; i++) {
        him = me;
        him.since = 5000;
        him.process = 1L << 40;                              /* which is no process here, and may be one there */
        snprintf(him.host, sizeof him.host, "%s", elsewhere[i]);
        assert_true(una_owner_alive(&him, 5000 + UNA_OWNER_LEASE - 10, &me));
        assert_false(una_owner_alive(&him, 5000 + UNA_OWNER_LEASE + 10, &me));
        assert_false(una_owner_alive(&him, 5000 - UNA_OWNER_LEASE - 10, &me));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_BOTH(values_come_back),
        ON_BOTH(statements),
        ON_BOTH(all_or_nothing),
        ON_BOTH(two_processes_take_turns),
        ON_BOTH(threads_take_turns),
        ON_BOTH(killed_in_the_middle),
        ON_BOTH(waiting_can_be_cancelled),
        ON_BOTH(many_come_and_go),
        ON_BOTH(kinds_are_distinguished),
        ON_BOTH(tables_of_another_program),
        ON_BOTH(no_memory_is_no_crash),
        cmocka_unit_test(what_is_no_database),
        cmocka_unit_test(schemas_that_compute_are_refused),
        cmocka_unit_test(plain_schemas_are_taken),
        cmocka_unit_test(later_triggers_and_views_do_not_run),
        cmocka_unit_test(endless_statements_can_be_cancelled),
        cmocka_unit_test(long_texts_are_refused),
        cmocka_unit_test(copies_need_room),
        cmocka_unit_test(caches_are_ours),
        cmocka_unit_test(in_memory),
        cmocka_unit_test(a_file_at_rest_is_one_file),
        cmocka_unit_test(a_read_only_folder),
        cmocka_unit_test(a_full_disk_is_named),
        cmocka_unit_test(lost_connections_are_reopened),
        cmocka_unit_test(a_server_that_was_down_for_a_while),
        cmocka_unit_test(nobody_there),
        cmocka_unit_test(passwords_are_not_shown),
        ON_BOTH(tables_of_another_form),
        ON_BOTH(writes_change_what_they_mean),
        ON_BOTH(cells_are_checked),
        ON_BOTH(a_handle_knows_its_process),
        cmocka_unit_test(owners),
        cmocka_unit_test(places),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
