/* SPDX-License-Identifier: MIT
 *
 * The data folder: files looked at and imported; what is damaged is refused and named, and nothing else is touched.
 * With the shared data where they are; refusals need none.
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "sets/sets_support.h"

#include "data/table.h"

#include <fcntl.h>

static const char *own_copy(const char *path)            /* temp_path's own text is soon another's */
{
    static char copies[8][4096];
    static int next;
    char *copy = copies[next++ % 8];
    snprintf(copy, sizeof copies[0], "%s", path);
    return copy;
}

static const char *folder_with(const char *name)
{
    const char *folder = own_copy(temp_path(name));
    char path[5000];
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/uci", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/uci/splits", folder);
    mkdir(path, 0777);
    return folder;
}

static void put(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[5000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static bool is_there(const char *folder, const char *name)
{
    char path[5000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

/* ---- without the data -------------------------------------------------------------------------------------- */

static void assert_refused(const char *from, const char *to, const char *a, const char *b)
{
    una_run *run = quiet_run();
    size_t found, written;
    assert_status(una_data_import(&found, &written, set_number("yacht"), to, from, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), a);
    assert_says(una_run_message(run), b);
    assert_says(una_run_message(run), "una data get yacht");
    assert_int_equal(written, 0);
    assert_false(is_there(to, "uci"));
    una_run_free(run);
}

static void wrong_files_are_refused(void **state)
{
    (void)state;
    const char *from = folder_with("wrong"), *to = own_copy(temp_path("nowhere"));
    put(from, "uci/yacht.csv", "a,b\n1,2\n", 8);
    assert_refused(from, to, "uci/yacht.csv has 1 rows of 2 columns, and the published file has 308 of 7",
                   "its sha256 is 492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470");
}

static void splits_that_do_not_fit_are_named(void **state)
{
    (void)state;
    static const struct { const char *text, *part; } wrong[] = {
        { "{\"rows\": 308, \"standard\": [{\"train\": [0, 1", "uci/splits/yacht.json, line 1, column" },
        { "{\"rows\": 307, \"standard\": [], \"gap\": []}", "splits 307 rows, and the data has 308" },
        { "{\"rows\": 308, \"standard\": [{\"train\": [0], \"test\": [1]}, {\"train\": [5], \"test\": [2, 999999]}]}",
          "split 1 of 'standard' names row 999999, which does not exist: the data has rows 0 to 307" },
        { "{\"rows\": 308, \"standard\": [{\"train\": [0, 0], \"test\": [1]}]}", "names row 0 twice" },
        { "{\"rows\": 308, \"standard\": [{\"train\": [0, 7], \"test\": [7]}]}", "names row 7 twice" },
        { "{\"rows\": 308, \"standard\": [{\"train\": [0], \"test\": [-1]}]}", "names row -1" },
        { "{\"rows\": 308, \"standard\": [{\"train\": [0.5], \"test\": [1]}]}", "not the number of a row" },
        { "{\"rows\": 308, \"standard\": [{\"train\": [0]}]}", "no rows in 'train' or in 'test'" },
        { "{\"rows\": 308, \"standard\": []}", "no group 'gap'" },
        { "{\"rows\": 308, \"standard\": [], \"gap\": [{\"train\": [0], \"test\": [1]}]}",
          "has 1 gaps, and the data has 6 inputs" },
    };
    const char *from = folder_with("splits"), *to = own_copy(temp_path("nowhere"));
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        put(from, "uci/splits/yacht.json", wrong[i].text, strlen(wrong[i].text));
        assert_refused(from, to, wrong[i].part, "its sha256 is");
    }
}

/* A pipe is not waited for, a file far too long is not read, and a folder is none. */
static void odd_files_are_refused(void **state)
{
    (void)state;
    const char *from = folder_with("odd"), *to = own_copy(temp_path("nowhere"));
    char path[5000];
    una_run *run = quiet_run();
    size_t found, written, yacht = set_number("yacht");
    una_data_state is;
    snprintf(path, sizeof path, "%s/uci/yacht.csv", from);
    for (int way = 0; way < 3; way++) {
        static const char *const says[] = { "not a plain file", "has 1099511627776 bytes", "not a plain file" };
        if (way == 0) assert_int_equal(mkfifo(path, 0666), 0);
        if (way == 1) put(from, "uci/yacht.csv", "", 0);
        if (way == 1 && truncate(path, (off_t)1 << 40) != 0) continue;   /* not every file system has so long ones */
        if (way == 2) assert_int_equal(mkdir(path, 0777), 0);
        assert_status(una_data_import(&found, &written, yacht, to, from, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), says[way]);
        assert_ok(una_data_check(&is, yacht, 0, from, run), run);
        assert_int_equal(is, UNA_DATA_DAMAGED);
        assert_int_equal(remove(path), 0);
    }
    una_run_free(run);
}

static void absent_and_damaged(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    size_t yacht = set_number("yacht"), found, written;
    una_data_state is;
    const char *folder = folder_with("damaged");
    assert_ok(una_data_check(&is, yacht, 0, folder, run), run);
    assert_int_equal(is, UNA_DATA_ABSENT);
    assert_ok(una_data_check(&is, yacht, 0, temp_path("there/is/none"), run), run);
    assert_int_equal(is, UNA_DATA_ABSENT);
    put(folder, "uci/yacht.csv", "x", 1);
    assert_ok(una_data_check(&is, yacht, 0, folder, run), run);
    assert_int_equal(is, UNA_DATA_DAMAGED);

    /* One that cannot be read does not hold up the list. */
    char loop[5000];
    snprintf(loop, sizeof loop, "%s/uci/abalone.csv", folder);
    assert_int_equal(symlink("abalone.csv", loop), 0);
    assert_ok(una_data_check(&is, set_number("abalone"), 0, folder, run), run);
    assert_int_equal(is, UNA_DATA_DAMAGED);
    assert_ok(una_data_import(&found, &written, set_number("boston"), folder, folder, run), run);
    assert_int_equal(found, 0);

    assert_status(una_data_check(&is, una_data_count(), 0, folder, run), UNA_E_USAGE, run);
    assert_status(una_data_check(&is, yacht, 2, folder, run), UNA_E_USAGE, run);
    assert_status(una_data_import(&found, &written, 999, folder, folder, run), UNA_E_USAGE, run);
    una_run_free(run);
}

static void addresses_are_checked(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    size_t written, yacht = set_number("yacht");
    assert_status(una_data_get(&written, yacht, "x", &SIZED(una_data_settings, .from = "ftp://x"), run), UNA_E_USAGE,
                  run);
    assert_says(una_run_message(run), "https://");
    assert_status(una_data_get(&written, yacht, "x", &SIZED(una_data_settings, .from = "http://"), run), UNA_E_USAGE,
                  run);
    assert_says(una_run_message(run), "names no server");
    assert_status(una_data_get(&written, yacht, "x", &SIZED(una_data_settings, .patience = -1), run), UNA_E_USAGE, run);
    assert_status(una_data_get(&written, set_number("faces"), "x", NULL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "knows no public address of faces");
    assert_status(una_data_get(&written, 999, "x", NULL, run), UNA_E_USAGE, run);
    assert_status(una_data_get(&written, yacht, "x", &(una_data_settings){ .size = 0 }, run), UNA_E_USAGE, run);
    una_run_free(run);
}

/* ---- with the data ----------------------------------------------------------------------------------------- */

static void copy_file(const char *from, const char *to, const char *name, una_run *run)
{
    char path[5000];
    unsigned char *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/%s", from, name);
    una_mark mark = una_arena_mark(&run->scratch);
    assert_ok(una_slurp(&bytes, &size, path, &run->scratch, run), run);
    put(to, name, bytes, size);
    una_arena_release(&run->scratch, mark);
}

static void whole_sets_are_taken(void **state)
{
    (void)state;
    const char *shared = shared_path("data");
    if (!shared) skip();
    shared = own_copy(shared);
    una_run *run = quiet_run();
    const char *to = own_copy(temp_path("new/data"));
    size_t found, written, yacht = set_number("yacht");
    una_data_state is;
    assert_status(una_data_import(&found, &written, yacht, to, shared, run), UNA_OK, run);
    assert_true(found == 2 && written == 2);
    assert_ok(una_data_check(&is, yacht, 1, to, run), run);
    assert_int_equal(is, UNA_DATA_INTACT);
    assert_ok(una_data_import(&found, &written, yacht, to, shared, run), run);
    assert_true(found == 2 && written == 0);

    /* A bad file beside a good one: neither is taken, and what was there stays. */
    const char *half = folder_with("half");
    copy_file(shared, half, "uci/yacht.csv", run);
    put(half, "uci/splits/yacht.json", "{", 1);
    assert_status(una_data_import(&found, &written, yacht, to, half, run), UNA_E_INPUT, run);
    assert_ok(una_data_check(&is, yacht, 1, to, run), run);
    assert_int_equal(is, UNA_DATA_INTACT);

    /* One alone is taken, and a damaged one in the folder is mended. */
    const char *alone = folder_with("alone");
    copy_file(shared, alone, "uci/yacht.csv", run);
    put(to, "uci/yacht.csv", "x", 1);
    assert_ok(una_data_import(&found, &written, yacht, to, alone, run), run);
    assert_true(found == 1 && written == 1);
    assert_ok(una_data_check(&is, yacht, 0, to, run), run);
    assert_int_equal(is, UNA_DATA_INTACT);
    una_run_free(run);
}

static void cut_off_rows_are_named(void **state)
{
    (void)state;
    const char *shared = shared_path("data");
    if (!shared) skip();
    una_run *run = quiet_run();
    const char *from = folder_with("cut"), *to = own_copy(temp_path("cut_to"));
    char path[5000];
    copy_file(own_copy(shared), from, "uci/yacht.csv", run);
    snprintf(path, sizeof path, "%s/uci/yacht.csv", from);
    assert_int_equal(truncate(path, 5003), 0);
    assert_refused(from, to, "uci/yacht.csv", "(5003 bytes), and the published file has 5182ea66");
    una_run_free(run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    const char *shared = shared_path("data");
    if (!shared) skip();
    char from[5000], address[5100];
    assert_non_null(realpath(shared, from));
    snprintf(address, sizeof address, "file://%s", from);
    const char *to = own_copy(temp_path("failing"));
    size_t found, written, yacht = set_number("yacht");
    for (int way = 0; way < 2; way++) {
        una_status status = UNA_E_MEMORY;
        for (long left = 0; status != UNA_OK; left++) {
            struct fail_after memory = { .left = -1 };
            una_run_settings settings = failing_settings(&memory);
            una_run *run = NULL;
            assert_int_equal(una_run_new(&run, &settings), UNA_OK);
            memory.left = left;
            if (way == 0) status = una_data_import(&found, &written, yacht, to, from, run);
            else
                status = una_data_get(&written, yacht, to, &SIZED(una_data_settings, .from = address, .force = 1), run);
            if (way == 1 && status == UNA_E_USAGE) status = UNA_OK;      /* built without libcurl */
            assert_true(status == UNA_OK || status == UNA_E_MEMORY);
            una_run_free(run);
            assert_int_equal(memory.live, 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_files_are_refused), cmocka_unit_test(splits_that_do_not_fit_are_named),
        cmocka_unit_test(odd_files_are_refused), cmocka_unit_test(absent_and_damaged),
        cmocka_unit_test(addresses_are_checked),
        cmocka_unit_test(whole_sets_are_taken), cmocka_unit_test(cut_off_rows_are_named),
        cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
