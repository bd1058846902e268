/* SPDX-License-Identifier: MIT
 *
 * What lies beside a database may be a stranger's too. A journal that names another file, a link, a pipe: refused in
 * every mode, and what they point at is as it was. What a killed process left is rolled back or taken in all the same.
 */
#include "sweep_support.h"

#include "store/database.h"
#include "store/database_guard.h"

#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>

static const char kept[] = "nobody may touch this";

static void by_hand(sqlite3 *db, const char *sql)
{
    if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK) fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

static void change(const char *path, const char *sql)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    by_hand(db, sql);
    sqlite3_close(db);
}

static size_t slurp(const char *path, unsigned char *bytes, size_t room)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) return 0;
    size_t size = fread(bytes, 1, room, stream);
    fclose(stream);
    assert_true(size < room);
    return size;
}

static void copy_to(const char *from, const char *path)
{
    static unsigned char bytes[1 << 22];
    size_t size = slurp(temp_path(from), bytes, sizeof bytes);
    FILE *stream = fopen(path, "wb");
    assert_true(size > 0 && stream);
    assert_int_equal(fwrite(bytes, 1, size, stream), size);
    assert_int_equal(fclose(stream), 0);
}

static void copy(const char *from, const char *to)
{
    copy_to(from, temp_path(to));
}

static void assert_kept(const char *path)
{
    unsigned char bytes[64];
    assert_int_equal(slurp(path, bytes, sizeof bytes), sizeof kept - 1);
    assert_memory_equal(bytes, kept, sizeof kept - 1);
}

/* A table of numbers 1 to 400, and nothing beside it. */
static void new_numbers(const char *name)
{
    static const char *const ends[] = { "", "-journal", "-wal", "-shm" };
    char path[8192];
    for (size_t i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s%s", temp_path(name), ends[i]);
        unlink(path);
    }
    change(temp_path(name), "CREATE TABLE number (n INTEGER, word TEXT); WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL "
           "SELECT i + 1 FROM c WHERE i < 400) INSERT INTO number SELECT i, hex(zeroblob(100)) FROM c");
}

static una_status note_sum(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    (void)count;
    (void)run;
    *(int64_t *)context = cells[0].whole;
    return UNA_OK;
}

static int64_t sum_of(const char *name, una_database_mode mode, una_run *run)
{
    una_database *db;
    int64_t sum = -1;
    assert_ok(una_database_open(&db, temp_path(name), mode, run), run);
    assert_ok(una_database_each(db, una_sql_plain("SELECT sum(n) FROM number"), NULL, note_sum, &sum, run), run);
    una_database_close(db);
    return sum;
}

/* ---- journals ------------------------------------------------------------------------------------------------ */

static void add_number(unsigned char **at, uint32_t number)
{
    for (int shift = 24; shift >= 0; shift -= 8) *(*at)++ = (unsigned char)(number >> shift);
}

/* The journal of a transaction over several files, of which `named` is the first: SQLite removes that one at the end.
 * size: of the database. */
static void write_journal(const char *name, const char *named, size_t size)
{
    static const unsigned char magic[] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
    unsigned char bytes[16384] = { 0 }, *at = bytes;
    size_t length = strlen(named);
    uint32_t sum = 0;
    memcpy(at, magic, sizeof magic), at += sizeof magic;
    add_number(&at, 0);
    add_number(&at, 12345);
    add_number(&at, (uint32_t)(size / 4096));
    add_number(&at, 512);
    add_number(&at, 4096);
    at = bytes + 512;
    add_number(&at, 0x40000000 / 4096 + 1);
    memcpy(at, named, length), at += length;
    for (size_t i = 0; i < length; i++) sum += (unsigned char)named[i];
    add_number(&at, (uint32_t)length);
    add_number(&at, sum);
    memcpy(at, magic, sizeof magic), at += sizeof magic;
    temp_file(name, bytes, (size_t)(at - bytes));
}

static void full_path(char path[16384], const char *name)
{
    char here[4096] = "";
    if (*temp_folder() != '/') assert_non_null(getcwd(here, sizeof here));
    snprintf(path, 16384, "%s%s%s/%s", here, *here ? "/" : "", temp_folder(), name);
}

static void assert_refused(const char *name, int mode, const char *says, una_run *run)
{
    una_database *db;
    assert_status(una_database_open(&db, temp_path(name), (una_database_mode)mode, run), UNA_E_INPUT, run);
    assert_null(db);
    assert_says(una_run_message(run), says);
}

static void journals_name_no_other_file(void **state)
{
    static const char *const victims[] = { "precious.txt", "precious.txt-journal", "absent.txt", "named.db-shm" };
    static unsigned char before[1 << 20], after[1 << 20];
    una_run *run = quiet_run();
    (void)state;
    new_numbers("named.db");
    size_t size = slurp(temp_path("named.db"), before, sizeof before);
    for (size_t i = 0; i < sizeof victims / sizeof *victims; i++)
        for (int mode = 0; mode <= UNA_DATABASE_COPY; mode++) {
            char named[16384];
            full_path(named, victims[i]);
            if (i < 2) temp_text_file(victims[i], kept);
            write_journal("named.db-journal", named, size);
            assert_refused("named.db", mode, "named.db-journal names another file", run);
            assert_says(una_run_message(run), "remove that journal");
            if (i < 2) assert_kept(temp_path(victims[i]));
            assert_int_equal(access(temp_path("named.db-journal"), F_OK), 0);
            assert_int_equal(slurp(temp_path("named.db"), after, sizeof after), size);
            assert_memory_equal(before, after, size);
        }
    unlink(temp_path("named.db-journal"));
    for (int mode = 0; mode <= UNA_DATABASE_COPY; mode++)
        assert_int_equal(sum_of("named.db", (una_database_mode)mode, run), 400 * 401 / 2);
    una_run_free(run);
}

/* The file itself and what belongs to it cannot be made to go either. */
static void journals_do_not_name_their_own(void **state)
{
    static const char *const own[] = { "own.db", "own.db-journal", "own.db-wal" };
    static unsigned char bytes[1 << 20];
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
        una_database *db;
        char named[16384];
        new_numbers("own.db");
        full_path(named, own[i]);
        write_journal("own.db-journal", named, slurp(temp_path("own.db"), bytes, sizeof bytes));
        una_status status = una_database_open(&db, temp_path("own.db"), UNA_DATABASE_LOG, run);
        assert_true(status == UNA_OK || status == UNA_E_INPUT);
        una_database_close(db);
        unlink(temp_path("own.db-journal"));
        assert_int_equal(sum_of("own.db", UNA_DATABASE_LOG, run), 400 * 401 / 2);
    }
    una_run_free(run);
}

/* A transaction that has reached the file, and whose process is no more: the pair is copied in the middle of it. */
static void make_hot(const char *name)
{
    sqlite3 *db;
    char journal[256];
    new_numbers("writing.db");
    assert_int_equal(sqlite3_open(temp_path("writing.db"), &db), SQLITE_OK);
    by_hand(db, "PRAGMA cache_size = 2; BEGIN; UPDATE number SET n = -n, word = hex(zeroblob(90))");
    copy("writing.db", name);
    snprintf(journal, sizeof journal, "%s-journal", name);
    copy("writing.db-journal", journal);
    by_hand(db, "ROLLBACK");
    sqlite3_close(db);
}

static void ordinary_journals_are_rolled_back(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    for (int mode = 0; mode <= UNA_DATABASE_COPY; mode++) {
        make_hot("hot.db");
        assert_int_equal(sum_of("hot.db", (una_database_mode)mode, run), 400 * 401 / 2);
        assert_int_not_equal(access(temp_path("hot.db-journal"), F_OK), 0);
    }
    una_run_free(run);
}

/* 0: refused, with its name. */
static int check_copy(const char *path)
{
    una_run *run = quiet_run();
    una_database *db;
    if (getuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return 2;
    una_status status = una_database_open(&db, path, UNA_DATABASE_COPY, run);
    return status == UNA_E_IO && strstr(una_run_message(run), "half.db") ? 0 : 1;
}

/* Where nothing can be rolled back, half of a transaction is not read either. */
static void halves_are_not_read(void **state)
{
    char folder[] = "/tmp/una-test-XXXXXX", path[64], journal[72];
    int status = 1;
    (void)state;
    make_hot("hot.db");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/half.db", folder);
    snprintf(journal, sizeof journal, "%s-journal", path);
    copy_to("hot.db", path);
    copy_to("hot.db-journal", journal);
    chmod(path, 0444);
    chmod(journal, 0444);
    chmod(folder, 0555);
    pid_t child = fork();
    if (child == 0) _exit(check_copy(path));
    assert_int_equal(waitpid(child, &status, 0), child);
    chmod(folder, 0700);
    assert_true(unlink(path) == 0 && unlink(journal) == 0 && rmdir(folder) == 0);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* ---- logs ---------------------------------------------------------------------------------------------------- */

/* The file and its log, in which the last changes are. */
static void make_logged(const char *name, const char *sql)
{
    sqlite3 *db;
    char log[256];
    new_numbers("logging.db");
    new_numbers(name);
    assert_int_equal(sqlite3_open(temp_path("logging.db"), &db), SQLITE_OK);
    by_hand(db, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0");
    copy("logging.db", name);
    by_hand(db, sql);
    snprintf(log, sizeof log, "%s-wal", name);
    copy("logging.db-wal", log);
    sqlite3_close(db);
}

/* What is only in the log is looked at like all else. */
static void logs_are_checked(void **state)
{
    una_run *run = quiet_run();
    (void)state;
    for (int mode = 0; mode <= UNA_DATABASE_COPY; mode++) {
        make_logged("logged.db", "UPDATE number SET n = 1");
        assert_int_equal(sum_of("logged.db", (una_database_mode)mode, run), 400);
        make_logged("logged.db", "CREATE VIEW seen AS SELECT n FROM number");
        assert_refused("logged.db", mode, "the view 'seen'", run);
        make_logged("logged.db", "CREATE TRIGGER pull AFTER UPDATE ON number BEGIN DELETE FROM number; END");
        assert_refused("logged.db", mode, "the trigger 'pull'", run);
    }
    una_run_free(run);
}

/* ---- what is no file ----------------------------------------------------------------------------------------- */

static void links_and_pipes_are_refused(void **state)
{
    static const char *const beside[] = { "odd.db-journal", "odd.db-wal" };
    una_run *run = quiet_run();
    char target[16384];
    (void)state;
    full_path(target, "precious.txt");
    alarm(120);                                              /* a pipe would be waited for */
    for (size_t i = 0; i < 4; i++)
        for (int mode = 0; mode <= UNA_DATABASE_COPY; mode++) {
            const char *name = beside[i % 2];
            new_numbers("odd.db");
            change(temp_path("odd.db"), "PRAGMA journal_mode = WAL");
            temp_text_file("precious.txt", kept);
            assert_int_equal(i < 2 ? symlink(target, temp_path(name)) : mkfifo(temp_path(name), 0600), 0);
            assert_refused("odd.db", mode, name, run);
            assert_says(una_run_message(run), "is not an ordinary file");
            assert_kept(target);
        }
    alarm(0);
    una_run_free(run);
}

/* ---- the host ------------------------------------------------------------------------------------------------ */

static void *open_often(void *context)
{
    una_run *run = quiet_run();
    bool good = true;
    for (int i = 0; i < 50; i++) {
        una_database *db;
        good = una_database_open(&db, context, UNA_DATABASE_COPY, run) == UNA_OK && good;
        una_database_close(db);
    }
    una_run_free(run);
    return good ? context : NULL;
}

static void the_host_keeps_its_sqlite(void **state)
{
    una_run *run = quiet_run();
    sqlite3_vfs *usual = sqlite3_vfs_find(NULL);
    char path[16384];
    pthread_t threads[4];
    (void)state;
    new_numbers("host.db");
    full_path(path, "host.db");
    for (size_t i = 0; i < 4; i++) assert_int_equal(pthread_create(&threads[i], NULL, open_often, path), 0);
    for (size_t i = 0; i < 4; i++) {
        void *good = NULL;
        assert_int_equal(pthread_join(threads[i], &good), 0);
        assert_non_null(good);
    }
    assert_ptr_equal(sqlite3_vfs_find(NULL), usual);
    for (sqlite3_vfs *vfs = usual; vfs; vfs = vfs->pNext) assert_true(strncmp(vfs->zName, "una", 3) != 0);
    una_run_free(run);
}

static void handles_reach_nothing_else(void **state)
{
    una_guard guard = { .database = NULL };
    sqlite3 *db;
    char other[16384], *why = NULL;
    (void)state;
    new_numbers("reach.db");
    temp_text_file("precious.txt", kept);
    full_path(other, "precious.txt");
    assert_int_equal(una_guard_open(&db, &guard, temp_path("reach.db"), SQLITE_OPEN_READWRITE), SQLITE_OK);
    by_hand(db, "PRAGMA temp_store = FILE; CREATE TEMP TABLE spilled AS SELECT a.n FROM number a, number b; "
            "BEGIN; UPDATE number SET n = n + 1; COMMIT; PRAGMA journal_mode = WAL; DELETE FROM number WHERE n = 9");
    assert_int_equal(guard.refused, UNA_GUARD_NOTHING);
    int found = 1;
    assert_int_equal(guard.vfs.xDelete(&guard.vfs, other, 0), SQLITE_PERM);
    assert_int_equal(guard.vfs.xAccess(&guard.vfs, other, SQLITE_ACCESS_EXISTS, &found), SQLITE_PERM);
    assert_int_equal(guard.refused, UNA_GUARD_NAMED);
    sqlite3_db_config(db, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 1, NULL);
    assert_int_equal(sqlite3_load_extension(db, other, NULL, &why), SQLITE_ERROR);
    assert_says(why, "libraries are not loaded");
    sqlite3_free(why);
    una_guard_close(&guard, db);
    assert_kept(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(journals_name_no_other_file),
        cmocka_unit_test(journals_do_not_name_their_own),
        cmocka_unit_test(ordinary_journals_are_rolled_back),
        cmocka_unit_test(halves_are_not_read),
        cmocka_unit_test(logs_are_checked),
        cmocka_unit_test(links_and_pipes_are_refused),
        cmocka_unit_test(the_host_keeps_its_sqlite),
        cmocka_unit_test(handles_reach_nothing_else),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
