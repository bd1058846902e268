/* SPDX-License-Identifier: MIT
 *
 * The store: rows as they were put, each once, claims and whose they are, files that are none; rows through CSV and
 * back, and lines that were cut.
 */
#include "store/sweep_support.h"
#include "store/database_support.h"

#include "store/store_csv.h"

#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <time.h>

/* ---- rows ---------------------------------------------------------------------------------------------- */

typedef struct seen { size_t count; char specs[256]; double last[2]; } seen;

static una_status note_row(void *context, const una_row *row, una_run *run)
{
    seen *s = context;
    (void)run;
    s->count++;
    strncat(s->specs, row->key.spec, sizeof s->specs - strlen(s->specs) - 1);
    strncat(s->specs, ";", sizeof s->specs - strlen(s->specs) - 1);
    for (size_t i = 0; i < row->count && i < 2; i++) s->last[i] = row->value[i];
    return UNA_OK;
}

static void rows_come_back_as_they_went(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    una_arena arena;
    const double value[] = { 0.1 + 0.2, NAN }, odd[] = { -HUGE_VAL, 5e-324 };
    una_row in[] = { row_of("s", "new(kernel=\"a, \\\"b\\\"\")", UINT64_MAX, value), row_of("s", "new", 0, odd) }, out;
    bool found;
    size_t added;
    (void)state;
    una_arena_init(&arena, run);
    assert_ok(una_store_open(&store, temp_path("rows.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_ok(put_rows(store, in, 2, false, &added, NULL, run), run);
    assert_int_equal(added, 2);
    una_store_close(store);

    assert_ok(una_store_open(&store, temp_path("rows.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_find(&found, &out, store, &in[0].key, &arena, run), run);
    assert_true(found && una_row_key_same(&out.key, &in[0].key));
    assert_int_equal(out.count, 2);
    assert_string_equal(out.measure[1], "b");
    assert_true(out.value[0] == 0.1 + 0.2 && isnan(out.value[1]) && out.seconds == 0.5);
    assert_string_equal(out.options, "new(height=1)");
    assert_string_equal(out.commit, "abc");
    assert_string_equal(out.kernels, "k");
    assert_ok(una_store_find(&found, &out, store, &in[1].key, &arena, run), run);
    assert_true(found && out.value[0] == -HUGE_VAL && out.value[1] == 5e-324);
    in[0].key.results = 2;
    assert_ok(una_store_find(&found, &out, store, &in[0].key, &arena, run), run);
    assert_false(found);
    una_store_close(store);
    una_arena_free(&arena);
    una_run_free(run);
}

static void a_row_is_there_once(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    seen s = {0};
    const double first[] = { 1, 2 }, second[] = { 3, 4 };
    una_row row = row_of("once", "new", 0, first);
    una_put_result clash;
    size_t added;
    (void)state;

    assert_ok(una_store_open(&store, temp_path("once.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_ok(put_rows(store, &row, 1, false, &added, NULL, run), run);

    assert_ok(put_rows(store, &row, 1, false, &added, NULL, run), run); /* what is there stays */
    assert_int_equal(added, 0);

    row.value = second;
    assert_status(put_rows(store, &row, 1, false, &added, &clash, run), UNA_E_INPUT, run);
    assert_true(clash.clash == 0 && clash.here == 3 && clash.there == 1);
    assert_string_equal(clash.measure, "a");
    row.kernels = "other";                       /* between kernel sets the last digits differ */
    assert_ok(put_rows(store, &row, 1, false, &added, &clash, run), run);
    assert_true(added == 0 && clash.clash == SIZE_MAX);
    assert_ok(una_store_each(store, "once", note_row, &s, run), run);
    assert_int_equal(s.count, 1);
    assert_true(s.last[0] == 1 && s.last[1] == 2);

    assert_ok(put_rows(store, &row, 1, true, &added, NULL, run), run); /* or gives way, whole */
    s = (seen){0};
    assert_ok(una_store_each(store, "once", note_row, &s, run), run);
    assert_int_equal(s.count, 1);
    assert_true(s.last[0] == 3 && s.last[1] == 4);
    una_store_close(store);
    una_run_free(run);
}

/* A copy has what the file has, and what is put into it stays there. */
static void a_copy_leaves_the_file_alone(void **state)
{
    una_run *run = quiet_run();
    una_store *store, *copy;
    seen s = {0};
    const double value[] = { 1, 2 };
    una_row rows[] = { row_of("copy", "new", 0, value), row_of("copy", "old", 0, value) };
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("copied.sqlite"));
    assert_ok(una_store_open(&copy, path, UNA_DATABASE_COPY, run), run);
    assert_int_not_equal(access(path, F_OK), 0);             /* nothing was made */
    una_store_close(copy);

    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_put(store, &rows[0], 1, true, NULL, run), run);
    assert_ok(una_store_open(&copy, path, UNA_DATABASE_COPY, run), run);
    assert_ok(una_store_put(copy, &rows[1], 1, true, NULL, run), run);
    assert_ok(una_store_each(copy, "copy", note_row, &s, run), run);
    assert_string_equal(s.specs, "new;old;");
    una_store_close(copy);
    s = (seen){0};
    assert_ok(una_store_each(store, "copy", note_row, &s, run), run);
    assert_string_equal(s.specs, "new;");
    una_store_close(store);
    const char *words = "this is not a data base, and it is rather more than one hundred bytes long, so that SQLite "
                        "will look at the first of them";
    assert_status(una_store_open(&copy, temp_text_file("no.sqlite", words), UNA_DATABASE_COPY, run), UNA_E_INPUT, run);
    assert_null(copy);
    una_run_free(run);
}

static void studies_and_their_variants(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    seen s = {0};
    const double value[] = { 1, 2 };
    una_row rows[] = { row_of("uci", "new", 1, value), row_of("uci(group=valid)", "c", 0, value),
                       row_of("uci", "b", 0, value), row_of("ucis", "d", 0, value), row_of("uc", "e", 0, value) };
    (void)state;

    assert_ok(una_store_open(&store, temp_path("studies.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_put(store, rows, 5, false, NULL, run), run);
    assert_ok(una_store_each(store, "uci", note_row, &s, run), run);
    assert_string_equal(s.specs, "b;new;c;");                                /* by key, not by time */
    una_store_close(store);
    una_run_free(run);
}

static void all_rows_or_none(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    seen s = {0};
    const double value[] = { 1, 2 };
    una_row rows[] = { row_of("all", "new", 0, value), row_of("all", "new", 1, value) };
    (void)state;

    rows[1].seconds = NAN;                       /* cannot be stored */
    assert_ok(una_store_open(&store, temp_path("all.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_status(una_store_put(store, rows, 2, true, NULL, run), UNA_E_IO, run);
    assert_ok(una_store_each(store, "all", note_row, &s, run), run);
    assert_int_equal(s.count, 0);
    una_store_close(store);
    una_run_free(run);
}

/* Another holds the file; who waits for it can be cancelled. */
static void waiting_can_be_cancelled(void **state)
{
    volatile int cancel = 0;
    una_run *run = NULL;
    una_run_settings about = { .size = sizeof about, .cancel = &cancel };
    una_store *store;
    sqlite3 *db;
    const double value[] = { 1, 2 };
    una_row row = row_of("busy", "new", 0, value);
    (void)state;
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    assert_ok(una_store_open(&store, temp_path("busy.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_int_equal(sqlite3_open(temp_path("busy.sqlite"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);

    time_t begun = time(NULL);
    cancel = 1;
    assert_status(una_store_put(store, &row, 1, true, NULL, run), UNA_CANCELLED, run);
    assert_says(una_run_message(run), "interrupted while waiting");
    assert_true(time(NULL) - begun < 30);                    /* half of what a run waits that goes on */

    cancel = 0;
    assert_int_equal(sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    assert_ok(una_store_put(store, &row, 1, true, NULL, run), run);
    sqlite3_close(db);
    una_store_close(store);
    una_run_free(run);
}

static void what_is_no_store_is_refused(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    sqlite3 *db;
    (void)state;
    const char *text = temp_text_file("text.sqlite", "study,data\n1,2\n this is no data base at all, and long enough "
                                      "to be looked at as one: a hundred bytes are the least that SQLite wants to see "
                                      "before it says no");
    assert_status(una_store_open(&store, text, UNA_DATABASE_JOURNAL, run), UNA_E_INPUT, run);
    assert_null(store);
    assert_says(una_run_message(run), "not a store");
    assert_status(una_store_open(&store, temp_path("no/folder.sqlite"), UNA_DATABASE_JOURNAL, run), UNA_E_IO, run);

    const char *newer = temp_path("newer.sqlite");
    assert_int_equal(sqlite3_open(newer, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "CREATE TABLE t (a); PRAGMA user_version = 7", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    assert_status(una_store_open(&store, newer, UNA_DATABASE_JOURNAL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "format 7");
    una_run_free(run);
}

static una_status claim_one(bool *granted, una_store *store, const una_row_key *key, una_run *run)
{
    return una_store_claim_all(granted, store, &key, 1, run);
}

/* ---- claims ---------------------------------------------------------------------------------------------- */

static void a_claim_has_one_owner(void **state)
{
    una_run *run = quiet_run();
    una_store *mine, *other;
    const double value[] = { 1, 2 };
    una_row row = row_of("claims", "new", 0, value);
    bool granted;
    (void)state;

    assert_ok(una_store_open(&mine, temp_path("claims.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_open(&other, temp_path("claims.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_ok(claim_one(&granted, mine, &row.key, run), run);
    assert_true(granted);
    assert_ok(claim_one(&granted, mine, &row.key, run), run);
    assert_true(granted);                                    /* mine already */
    assert_ok(claim_one(&granted, other, &row.key, run), run);
    assert_false(granted);

    assert_ok(una_store_drop(mine, &row.key, run), run);
    assert_ok(claim_one(&granted, other, &row.key, run), run);
    assert_true(granted);

    assert_ok(una_store_put(other, &row, 1, true, NULL, run), run);
    assert_ok(claim_one(&granted, mine, &row.key, run), run);
    assert_true(granted);                                    /* the row has ended the claim */

    una_store_close(mine);
    assert_ok(claim_one(&granted, other, &row.key, run), run);
    assert_true(granted);                                    /* so does the end of a handle */
    una_store_close(other);
    una_run_free(run);
}

/* A child claims and is killed; before it is waited for it is a zombie, which counts as dead. */
static void the_claim_of_a_dead_process_is_free(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    char path[4096], byte;
    int told[2];
    una_row_key key = row_of("dead", "new", 0, NULL).key;
    bool granted;
    (void)state;

    snprintf(path, sizeof path, "%s", temp_path("dead.sqlite"));
    assert_int_equal(pipe(told), 0);
    pid_t child = fork();
    if (child == 0) {
        una_run *own = quiet_run();
        if (una_store_open(&store, path, UNA_DATABASE_JOURNAL, own) == UNA_OK &&
            claim_one(&granted, store, &key, own) == UNA_OK)
            (void)!write(told[1], "y", 1);
        for (;;) pause();
    }

    assert_int_equal(read(told[0], &byte, 1), 1);
    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(claim_one(&granted, store, &key, run), run);
    assert_false(granted);

    assert_int_equal(kill(child, SIGKILL), 0);
    siginfo_t info;
    assert_int_equal(waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT), 0);
    assert_ok(claim_one(&granted, store, &key, run), run);
    assert_true(granted);
    assert_int_equal(waitpid(child, NULL, 0), child);
    una_store_close(store);
    una_run_free(run);
}

static void change_claims(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void other_processes_and_machines(void **state)
{
    una_run *run = quiet_run();
    una_store *mine, *other;
    const char *path = temp_path("others.sqlite");
    una_row_key key = row_of("others", "new", 0, NULL).key;
    bool granted;
    (void)state;

    assert_ok(una_store_open(&mine, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_open(&other, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(claim_one(&granted, mine, &key, run), run);

    change_claims(path, "UPDATE claim SET start = '1'");     /* an older process that had the same number */
    assert_ok(claim_one(&granted, other, &key, run), run);
    assert_true(granted);

    change_claims(path, "UPDATE claim SET host = 'elsewhere'");
    assert_ok(claim_one(&granted, mine, &key, run), run);
    assert_false(granted);                                   /* cannot be asked, and has just been seen */
    una_store_close(mine);
    una_store_close(other);
    una_run_free(run);
}

static int64_t since_of(const char *path)
{
    sqlite3 *db;
    sqlite3_stmt *statement;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, "SELECT since - unixepoch() FROM claim", -1, &statement, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
    int64_t since = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    sqlite3_close(db);
    return since;
}

/* Claims that another host made by hand: how old its last sign of life is, and whether it counts. */
static void another_machine_must_give_signs_of_life(void **state)
{
    static const struct { int age; bool free; } cases[] = { { 0, false }, { 60, false }, { 200, true }, { 90000, true },
                                                            { -60, false }, { -200, true }, { -90000, true } };
    una_run *run = quiet_run();
    una_store *store;
    char path[4096], sql[512];
    una_row_key key = row_of("life", "new", 0, NULL).key;
    una_owner_name owner;
    bool held;
    bool granted;
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("life.sqlite"));
    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_owner(&held, &owner, store, &key, run), run);
    assert_false(held);

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(sql, sizeof sql, "DELETE FROM claim; INSERT INTO claim VALUES ('life', 'data', 3, 'new', 0, 1, "
                 "'elsewhere', 77, '5', 'h', unixepoch() - %d)", cases[i].age);
        change_claims(path, sql);
        assert_ok(una_store_owner(&held, &owner, store, &key, run), run);
        assert_string_equal(owner.host, "elsewhere");
        assert_int_equal(owner.process, 77);
        assert_ok(claim_one(&granted, store, &key, run), run);
        assert_int_equal(granted, cases[i].free);
    }

    /* Own claims, and no others, are renewed; a claim that another has taken over is not dropped. */
    change_claims(path, "UPDATE claim SET since = since - 100");
    una_store_renew(store);
    assert_true(since_of(path) > -50);
    change_claims(path, "UPDATE claim SET since = unixepoch() - 100, host = 'elsewhere'");
    una_store_renew(store);
    assert_true(since_of(path) < -50);
    assert_ok(una_store_drop(store, &key, run), run);
    assert_ok(una_store_owner(&held, &owner, store, &key, run), run);
    assert_string_equal(owner.host, "elsewhere");
    una_store_close(store);
    una_run_free(run);
}

/* ---- CSV ---------------------------------------------------------------------------------------------------- */

static char *text_of(const char *path)
{
    static char text[16384];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static una_store *csv_store(const char *name, una_run *run)
{
    una_store *store;
    const double value[] = { 0.1, NAN }, more[] = { -1e300, HUGE_VAL };
    una_row rows[] = { row_of("csv", "new(kernel=\"a, b\")", UINT64_MAX, value), row_of("csv(x=1)", "old", 2, more) };
    const char *only[] = { "c" };
    rows[1].measure = only;
    rows[1].count = 1;
    assert_ok(una_store_open(&store, temp_path(name), UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_put(store, rows, 2, true, NULL, run), run);
    return store;
}

static void rows_go_through_csv(void **state)
{
    una_run *run = quiet_run();
    una_store *store = csv_store("from.sqlite", run), *to;
    const char *first[] = { "b" };
    char path[4096], text[16384];
    size_t count, added;
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("through.csv"));
    assert_ok(una_store_export(store, &(una_row_table){ "csv", first, 1, path }, &count, run), run);
    assert_int_equal(count, 2);
    snprintf(text, sizeof text, "%s", text_of(path));
    assert_string_equal(text, "study,data,split,spec,seed,results,b,a,c,seconds,kernels,commit,options\n"
        "\"csv\",\"data\",3,\"new(kernel=\"\"a, b\"\")\",18446744073709551615,1,nan,0.1,,0.5,\"k\",\"abc\","
        "\"new(height=1)\"\n"
        "\"csv(x=1)\",\"data\",3,\"old\",2,1,,,-1e+300,0.5,\"k\",\"abc\",\"new(height=1)\"\n");

    assert_ok(una_store_open(&to, temp_path("to.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_import(to, &(una_row_table){ "csv", NULL, 0, path }, &count, &added, run), run);
    assert_int_equal(added, 2);
    assert_ok(una_store_import(to, &(una_row_table){ "csv", NULL, 0, path }, &count, &added, run), run);
    assert_int_equal(count, 2);
    assert_int_equal(added, 0);
    assert_ok(una_store_export(to, &(una_row_table){ "csv", first, 1, path }, NULL, run), run);
    assert_string_equal(text_of(path), text);
    una_store_close(to);
    una_store_close(store);
    una_run_free(run);
}

static void a_full_disk_is_named(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    const double value[] = { 1, 2 };
    (void)state;
    if (access("/dev/full", W_OK) != 0) skip();
    assert_ok(una_store_open(&store, temp_path("full.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    for (uint64_t i = 0; i < 200; i++) {                     /* more than a stream keeps in its buffer */
        una_row row = row_of("full", "new", i, value);
        assert_ok(una_store_put(store, &row, 1, true, NULL, run), run);
        if (i > 0 && i < 199) continue;
        assert_status(una_store_export(store, &(una_row_table){ "full", NULL, 0, "/dev/full" }, NULL, run), UNA_E_IO,
                      run);
        assert_says(una_run_message(run), "cannot write /dev/full: No space left");
    }
    una_store_close(store);
    una_run_free(run);
}

/* The file cut after each of its bytes: nothing of it comes in unless the cut is between two rows, or took the last
 * line end only. */
static void a_cut_file_never_gives_a_torn_row(void **state)
{
    una_run *run = quiet_run();
    una_store *store = csv_store("cut.sqlite", run);
    char path[4096], text[16384];
    size_t count, added, whole = 0;
    (void)state;

    snprintf(path, sizeof path, "%s", temp_path("cut.csv"));
    assert_ok(una_store_export(store, &(una_row_table){ "csv", NULL, 0, path }, NULL, run), run);
    una_store_close(store);
    snprintf(text, sizeof text, "%s", text_of(path));
    size_t length = strlen(text), header = strcspn(text, "\n") + 1;
    size_t first = header + strcspn(text + header, "\n") + 1;

    assert_ok(una_store_open(&store, temp_path("pieces.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    for (size_t cut = 0; cut <= length; cut++) {
        char part[4096];
        snprintf(part, sizeof part, "%s", temp_file("part.csv", text, cut));
        una_status status = una_store_import(store, &(una_row_table){ "csv", NULL, 0, part }, &count, &added, run);
        size_t wanted = cut >= length - 1 ? 2 : cut == first || cut == first - 1 ? 1 : 0;
        bool between = wanted > 0 || cut == header || cut == header - 1;
        assert_status(status, between ? UNA_OK : UNA_E_INPUT, run);
        assert_int_equal(added, wanted);
        if (!between) assert_true(*una_run_message(run));
        if (added == 0) continue;
        whole++;
        una_store_close(store);
        unlink(temp_path("pieces.sqlite"));
        assert_ok(una_store_open(&store, temp_path("pieces.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    }

    una_store_close(store);
    assert_int_equal(whole, 4);
    una_run_free(run);
}

static void bad_lines_are_named(void **state)
{
    static const char head[] = "study,data,split,spec,seed,results,a,seconds,kernels,commit,options\n";
    static const char good[] = "csv,d,0,s,0,1,1,1,k,c,o\n";
    static const char *const bad[] = {
        "csv,d,0.5,s,0,1,1,1,k,c,o\n", "csv,d,0,s,-1,1,1,1,k,c,o\n", "csv,d,0,s,18446744073709551616,1,1,1,k,c,o\n",
        "csv,d,0,,0,1,1,1,k,c,o\n", "csv,d,0,s,0,1,one,1,k,c,o\n", "csv,d,0,s,0,1,1,,k,c,o\n",
        "csv,d,0,s,0,1,1,1,k,c,\n", "vsc,d,0,s,0,1,1,1,k,c,o\n", "csv,d,0,s,0,5000000000,1,1,k,c,o\n",
        "csv,d,0,s,0,,1,1,k,c,o\n", "csv,d,0,s,0\n",
    };

    una_run *run = quiet_run();
    una_store *store;
    size_t count, added;
    (void)state;
    assert_ok(una_store_open(&store, temp_path("bad.sqlite"), UNA_DATABASE_JOURNAL, run), run);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[1024];
        seen s = {0};
        snprintf(text, sizeof text, "%s%s%s", head, good, bad[i]);
        assert_status(una_store_import(store, &(una_row_table){ "csv", NULL, 0, temp_text_file("bad.csv", text) },
                                       &count, &added, run),
                      UNA_E_INPUT, run);
        assert_says(una_run_message(run), "line 3");
        assert_ok(una_store_each(store, "csv", note_row, &s, run), run);
        assert_int_equal(s.count, 0);                        /* nor the good line before it */
    }

    const char *other = temp_text_file("other.csv", "model,spec,seed,gap_std\ngp,gp,0,1\n");
    assert_status(una_store_import(store, &(una_row_table){ "csv", NULL, 0, other }, &count, &added, run), UNA_E_INPUT,
                  run);
    assert_says(una_run_message(run), "no column 'study'");
    assert_status(una_store_import(store, &(una_row_table){ "csv", NULL, 0, temp_path("nowhere.csv") }, &count, &added,
                                   run),
                  UNA_E_IO, run);
    una_store_close(store);
    una_run_free(run);
}

static void hear(void *context, una_log_level level, const char *sentence)
{
    char *all = context;
    if (level == UNA_LOG_WARNING) strncat(all, sentence, 1000 - strlen(all));
}

static void columns_of_no_measure(void **state)
{
    enum { MANY = UNA_MOST_MEASURES + 1 };
    static char text[32 * MANY];
    char warnings[1024] = "";
    una_run *run = NULL;
    una_run_settings about = { .size = sizeof about, .log = hear, .callbacks = warnings };
    una_store *store;
    size_t count, added;
    (void)state;
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    assert_ok(una_store_open(&store, temp_path("columns.sqlite"), UNA_DATABASE_JOURNAL, run), run);

    const char *other = temp_text_file("other.csv", "study,data,split,spec,seed,results,a,rmsee,b,seconds,kernels,"
                                       "commit,options\ncsv,d,0,s,0,1,1,2,3,1,k,c,o\n");
    assert_ok(una_store_import(store, &(una_row_table){ "csv", two_names, 2, other }, &count, &added, run), run);
    assert_int_equal(added, 1);
    assert_says(warnings, "other.csv has a column 'rmsee'");
    assert_null(strstr(warnings, "'a'"));

    /* A row with as many measures as the store can hold comes in, and one more is refused. */
    for (size_t given = UNA_MOST_MEASURES; given <= MANY; given++) {
        size_t used = (size_t)snprintf(text, sizeof text, "study,data,split,spec,seed,results");
        for (size_t i = 0; i < MANY; i++) used += (size_t)snprintf(text + used, sizeof text - used, ",m%zu", i);
        used += (size_t)snprintf(text + used, sizeof text - used, ",seconds,kernels,commit,options\ncsv,d,%zu,s,0,1",
                                 given);
        for (size_t i = 0; i < MANY; i++)
            used += (size_t)snprintf(text + used, sizeof text - used, i < given ? ",%zu" : ",", i);
        snprintf(text + used, sizeof text - used, ",1,k,c,o\n");
        const char *many = temp_text_file("many.csv", text);
        una_status status = una_store_import(store, &(una_row_table){ "csv", NULL, 0, many }, &count, &added, run);
        assert_status(status, given == MANY ? UNA_E_INPUT : UNA_OK, run);
    }
    assert_says(una_run_message(run), "many.csv, line 2, column 'm256': there are too many measures");
    seen s = {0};
    assert_ok(una_store_each(store, "csv", note_row, &s, run), run);
    assert_int_equal(s.count, 2);
    una_store_close(store);
    una_run_free(run);
}

/* " -inf" as people write it is what "-inf" is. */
static void signs_behind_blanks_count(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    seen s = {0};
    size_t count, added;
    (void)state;
    assert_ok(una_store_open(&store, NULL, UNA_DATABASE_COPY, run), run);
    const char *path = temp_text_file("blank.csv", "study,data,split,spec,seed,results,a,b,seconds,kernels,commit,"
                                      "options\ncsv,d,0,s,0,1, -inf, inf,1,k,c,o\n");
    assert_ok(una_store_import(store, &(una_row_table){ "csv", NULL, 0, path }, &count, &added, run), run);
    assert_ok(una_store_each(store, "csv", note_row, &s, run), run);
    assert_true(s.last[0] == -HUGE_VAL && s.last[1] == HUGE_VAL);
    una_store_close(store);
    una_run_free(run);
}

static void contradictions_are_named(void **state)
{
    static const char head[] = "study,data,split,spec,seed,results,a,b,seconds,kernels,commit,options\n";
    una_run *run = quiet_run();
    una_store *store;
    seen s = {0};
    size_t count, added;
    char text[1024];
    (void)state;
    assert_ok(una_store_open(&store, temp_path("clash.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    snprintf(text, sizeof text, "%s%s%s", head, "csv,d,0,s,0,1,1,nan,1,k,c,o\n", "csv,d,1,s,0,1,1,,1,k,c,o\n");
    assert_ok(una_store_import(store, &(una_row_table){ "csv", NULL, 0, temp_text_file("clash.csv", text) }, &count,
                               &added, run),
              run);

    /* The same values with other seconds, or a measure that only one of them has, is none. */
    snprintf(text, sizeof text, "%s%s%s", head, "csv,d,0,s,0,1,1,nan,2,k,c2,o\n", "csv,d,1,s,0,1,1,5,1,k,c,o\n");
    assert_ok(una_store_import(store, &(una_row_table){ "csv", NULL, 0, temp_text_file("clash.csv", text) }, &count,
                               &added, run),
              run);
    assert_int_equal(added, 0);

    snprintf(text, sizeof text, "%s%s%s", head, "csv,d,9,s,0,1,1,nan,1,k,c,o\n", "csv,d,0,s,0,1,1,2.5,1,k,c,o\n");
    assert_status(una_store_import(store, &(una_row_table){ "csv", NULL, 0, temp_text_file("clash.csv", text) }, &count,
                                   &added, run),
                  UNA_E_INPUT, run);
    assert_says(una_run_message(run), "clash.csv, line 3: 'b' of s on d, split 0, seed 0 is 2.5");
    assert_says(una_run_message(run), "clash.sqlite it is nan; remove one");

    snprintf(text, sizeof text, "%s%s%s%s", head, "csv,d,8,s,0,1,1,nan,1,k,c,o\n", "csv,d,7,s,0,1,1,1,1,k,c,o\n",
             "csv,d,8,s,0,1,1.5,nan,1,k,c,o\n");
    assert_status(una_store_import(store, &(una_row_table){ "csv", NULL, 0, temp_text_file("clash.csv", text) }, &count,
                                   &added, run),
                  UNA_E_INPUT, run);
    assert_says(una_run_message(run), "lines 2 and 4: two rows of s on d, split 8, seed 0, in which 'a' is 1 and 1.5");
    assert_ok(una_store_each(store, "csv", note_row, &s, run), run);
    assert_int_equal(s.count, 2);                            /* nothing of either file came in */
    una_store_close(store);
    una_run_free(run);
}

/* Pages in the middle of the file overwritten: found when it is opened, not when a row is missed. */
static void a_damaged_store_is_refused(void **state)
{
    una_run *run = quiet_run();
    una_store *store;
    const double value[] = { 1, 2 };
    char path[4096], junk[2000];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("damaged.sqlite"));
    assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
    for (uint64_t i = 0; i < 400; i++) {
        una_row row = row_of("s", "new", i, value);
        assert_ok(una_store_put(store, &row, 1, true, NULL, run), run);
    }
    una_store_close(store);

    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    memset(junk, 0x5a, sizeof junk);
    assert_int_equal(fseek(file, 5 * 4096, SEEK_SET), 0);
    assert_int_equal(fwrite(junk, 1, sizeof junk, file), sizeof junk);
    fclose(file);
    assert_status(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "is damaged");
    una_run_free(run);
}

static una_status all_calls(void *context, una_run *run)
{
    const double value[] = { 1, 2 };
    una_row row = row_of("memory", "new", 0, value), out;
    una_store *store = NULL, *copy = NULL;
    una_arena arena;
    bool yes;
    size_t count, added;
    char path[4200];

    snprintf(path, sizeof path, "%s.csv", (const char *)context);
    una_arena_init(&arena, run);
    una_status status = una_store_open(&store, context, UNA_DATABASE_JOURNAL, run);
    if (status == UNA_OK) status = claim_one(&yes, store, &row.key, run);
    if (status == UNA_OK) status = una_store_put(store, &row, 1, true, NULL, run);
    if (status == UNA_OK) status = una_store_find(&yes, &out, store, &row.key, &arena, run);
    if (status == UNA_OK) status = una_store_export(store, &(una_row_table){ "memory", NULL, 0, path }, NULL, run);
    if (status == UNA_OK)
        status = una_store_import(store, &(una_row_table){ "memory", NULL, 0, path }, &count, &added, run);
    if (status == UNA_OK) status = una_store_open(&copy, context, UNA_DATABASE_COPY, run);

    una_store_close(copy);
    una_store_close(store);
    una_arena_free(&arena);
    return status;
}

static void no_memory_is_no_crash(void **state)
{
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("memory.sqlite"));
    assert_true(sweep_allocations(all_calls, path) > 5);
}

/* ---- other places ---------------------------------------------------------------------------------------- */

/* As una wrote it when a store could be nothing but a file: without a table of kinds. */
static void a_file_of_an_older_una(void **state)
{
    static const char old[] =
        "CREATE TABLE fit (id INTEGER PRIMARY KEY, study TEXT NOT NULL, data TEXT NOT NULL, split INTEGER NOT NULL,"
        "  spec TEXT NOT NULL, seed INTEGER NOT NULL, results INTEGER NOT NULL, options TEXT NOT NULL,"
        "  made_by TEXT NOT NULL, kernels TEXT NOT NULL, seconds REAL NOT NULL,"
        "  UNIQUE (study, data, split, spec, seed, results));"
        "CREATE TABLE value (fit INTEGER NOT NULL, place INTEGER NOT NULL, measure TEXT NOT NULL, value REAL,"
        "  PRIMARY KEY (fit, place)) WITHOUT ROWID;"
        "CREATE TABLE claim (study TEXT NOT NULL, data TEXT NOT NULL, split INTEGER NOT NULL, spec TEXT NOT NULL,"
        "  seed INTEGER NOT NULL, results INTEGER NOT NULL, host TEXT NOT NULL, process INTEGER NOT NULL,"
        "  start TEXT NOT NULL, handle TEXT NOT NULL, since INTEGER NOT NULL,"
        "  PRIMARY KEY (study, data, split, spec, seed, results)) WITHOUT ROWID;"
        "PRAGMA user_version = 1;"
        "INSERT INTO fit VALUES (7, 'old', 'data', 3, 'new', 0, 1, 'new(height=1)', 'abc', 'k', 0.5);"
        "INSERT INTO value VALUES (7, 0, 'a', 1), (7, 1, 'b', NULL);";
    una_run *run = quiet_run();
    una_store *store;
    seen s = {0};
    const double value[] = { 1, 2 };
    una_row row = row_of("old", "second", 0, value);
    char path[4096];
    (void)state;
    snprintf(path, sizeof path, "%s", temp_path("old.sqlite"));
    change_claims(path, old);

    for (size_t i = 0; i < 2; i++) {
        assert_ok(una_store_open(&store, path, UNA_DATABASE_JOURNAL, run), run);
        assert_ok(una_store_put(store, &row, 1, true, NULL, run), run);
        assert_ok(una_store_each(store, "old", note_row, &s, run), run);
        una_store_close(store);
    }
    assert_string_equal(s.specs, "new;second;new;second;");
    change_claims(path, "INSERT INTO claim SELECT 's', 'd', 1, 's', 1, 1, 'h', 1, '', '', unixepoch() + user_version "
                  "FROM pragma_user_version");
    assert_in_range(since_of(path), 0, 1);                   /* the number of the format is 1 still; time goes on */
    una_run_free(run);
}

/* What the tests above find of files, in short, for a server that two handles use. */
static void a_store_on_a_server(void **state)
{
    una_run *run = quiet_run();
    una_store *mine, *other;
    una_arena arena;
    una_put_result clash;
    una_owner_name owner;
    bool held;
    seen s = {0};
    const double value[] = { 0.1 + 0.2, NAN }, changed[] = { 0.1, NAN }, odd[] = { 1.7e308, 5e-324 };
    una_row rows[] = { row_of("s", "b", UINT64_MAX, value), row_of("s(x=1)", "C", 0, odd),
                       row_of("s", "B", 0, odd) }, out;
    char where[4096];
    bool granted, found;
    size_t added;
    (void)state;
    snprintf(where, sizeof where, "%s", server_database());
    una_arena_init(&arena, run);
    assert_ok(una_store_open(&mine, where, UNA_DATABASE_JOURNAL, run), run);
    assert_ok(una_store_open(&other, where, UNA_DATABASE_JOURNAL, run), run);
    assert_status(una_store_open(&(una_store *){ NULL }, where, UNA_DATABASE_COPY, run), UNA_E_USAGE, run);

    assert_ok(claim_one(&granted, mine, &rows[0].key, run), run);
    assert_true(granted);
    assert_ok(claim_one(&granted, other, &rows[0].key, run), run);
    assert_false(granted);
    una_store_renew(mine);
    assert_ok(una_store_owner(&held, &owner, other, &rows[0].key, run), run);
    assert_int_equal(owner.process, getpid());
    assert_ok(una_store_drop(mine, &rows[0].key, run), run);
    assert_ok(claim_one(&granted, other, &rows[0].key, run), run);
    assert_true(granted);

    assert_ok(put_rows(other, rows, 3, false, &added, &clash, run), run);
    assert_int_equal(added, 3);
    assert_ok(una_store_owner(&held, &owner, mine, &rows[0].key, run), run);
    assert_false(held);                      /* the row has ended the claim */
    assert_ok(una_store_find(&found, &out, mine, &rows[0].key, &arena, run), run);
    assert_true(found && una_row_key_same(&out.key, &rows[0].key));
    assert_true(out.value[0] == value[0] && isnan(out.value[1]));
    assert_ok(una_store_each(mine, "s", note_row, &s, run), run);
    assert_string_equal(s.specs, "B;b;C;");
    assert_true(s.last[0] == odd[0] && s.last[1] == odd[1]);

    rows[0].value = changed;
    assert_status(put_rows(mine, rows, 1, false, &added, &clash, run), UNA_E_INPUT, run);
    assert_int_equal(clash.clash, 0);
    assert_ok(put_rows(mine, rows, 1, true, &added, &clash, run), run);
    assert_ok(una_store_find(&found, &out, other, &rows[0].key, &arena, run), run);
    assert_true(out.value[0] == 0.1);
    una_store_close(mine);
    una_store_close(other);
    una_arena_free(&arena);
    una_run_free(run);
}

static una_status server_calls(void *context, una_run *run)
{
    const double value[] = { 1, 2 };
    una_row row = row_of("memory", "new", 0, value), out;
    una_store *store = NULL;
    una_arena arena;
    bool yes;
    una_arena_init(&arena, run);
    una_status status = una_store_open(&store, context, UNA_DATABASE_JOURNAL, run);
    if (status == UNA_OK) status = claim_one(&yes, store, &row.key, run);
    if (status == UNA_OK) status = una_store_put(store, &row, 1, true, NULL, run);
    if (status == UNA_OK) status = una_store_find(&yes, &out, store, &row.key, &arena, run);
    una_store_close(store);
    una_arena_free(&arena);
    return status;
}

static void no_memory_with_a_server(void **state)
{
    char where[4096];
    (void)state;
    snprintf(where, sizeof where, "%s", server_database());
    assert_true(sweep_allocations(server_calls, where) > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_come_back_as_they_went),
        cmocka_unit_test(a_row_is_there_once),
        cmocka_unit_test(a_copy_leaves_the_file_alone),
        cmocka_unit_test(studies_and_their_variants),
        cmocka_unit_test(all_rows_or_none),
        cmocka_unit_test(waiting_can_be_cancelled),
        cmocka_unit_test(what_is_no_store_is_refused),
        cmocka_unit_test(a_claim_has_one_owner),
        cmocka_unit_test(the_claim_of_a_dead_process_is_free),
        cmocka_unit_test(other_processes_and_machines),
        cmocka_unit_test(another_machine_must_give_signs_of_life),
        cmocka_unit_test(rows_go_through_csv),
        cmocka_unit_test(a_full_disk_is_named),
        cmocka_unit_test(a_cut_file_never_gives_a_torn_row),
        cmocka_unit_test(bad_lines_are_named),
        cmocka_unit_test(columns_of_no_measure),
        cmocka_unit_test(contradictions_are_named), cmocka_unit_test(signs_behind_blanks_count),
        cmocka_unit_test(a_damaged_store_is_refused),
        cmocka_unit_test(no_memory_is_no_crash),
        cmocka_unit_test(a_file_of_an_older_una),
        cmocka_unit_test(a_store_on_a_server),
        cmocka_unit_test(no_memory_with_a_server),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
