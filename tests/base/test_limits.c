/* SPDX-License-Identifier: MIT
 *
 * What a run may take: control groups as made-up folders tell of them, and scratch files with a limit of their own.
 */
#include "base_support.h"

#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

/* Folders and a file below the test's own folder, as /proc and /sys would have it. */
static void put(const char *path, const char *text)
{
    char whole[8192];
    snprintf(whole, sizeof whole, "%s/%s", temp_folder(), path);
    for (char *at = whole + strlen(temp_folder()) + 1; (at = strchr(at, '/')); at++) {
        *at = 0;
        mkdir(whole, 0700);
        *at = '/';
    }
    FILE *file = fopen(whole, "w");
    if (!file || fputs(text, file) < 0 || fclose(file) != 0) fail_msg("cannot write %s", whole);
}

static uint64_t memory_with(const char *group)
{
    put("proc/self/cgroup", group);
    return una_cgroup_memory(temp_folder());
}

static void groups(void **state)
{
    (void)state;
    assert_true(una_cgroup_memory("/nowhere") == UINT64_MAX);
    assert_true(memory_with("0::/a/b/c\n") == UINT64_MAX);

    put("sys/fs/cgroup/a/b/c/memory.max", "max\n");
    assert_true(memory_with("0::/a/b/c\n") == UINT64_MAX);
    put("sys/fs/cgroup/a/memory.max", "3000000000\n");           /* one around it counts, too */
    assert_true(memory_with("0::/a/b/c\n") == 3000000000);
    put("sys/fs/cgroup/a/b/memory.high", "2000000000\n");
    assert_true(memory_with("0::/a/b/c\n") == 2000000000);
    put("sys/fs/cgroup/a/b/c/memory.max", "1000000000");
    assert_true(memory_with("0::/a/b/c\n") == 1000000000);
    assert_true(memory_with("0::/a\n") == 3000000000);
    assert_true(memory_with("0::/elsewhere/entirely\n") == UINT64_MAX);
    put("sys/fs/cgroup/memory.max", "5000000000\n");             /* of a container: its own at the top */
    assert_true(memory_with("0::/../only/outside\n") == 5000000000);
    assert_true(memory_with("0::/\n") == 5000000000);

    const char *old = "12:pids:/x\n9:cpu,memory:/docker/abc\n1:name=systemd:/y\n";
    assert_true(memory_with(old) == UINT64_MAX);
    put("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    assert_true(memory_with(old) == 9223372036854771712u);
    put("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "700000000\n");
    assert_true(memory_with(old) == 700000000);
    assert_true(memory_with("9:cpu:/docker/abc\n") == UINT64_MAX);
    assert_true(memory_with("9:memoryless:/docker/abc\n") == UINT64_MAX);

    put("sys/fs/cgroup/memory/docker/memory.limit_in_bytes", "nonsense\n");
    assert_true(memory_with(old) == 9223372036854771712u);
    assert_true(memory_with("nonsense\n\n:\n0:") == UINT64_MAX);
}

/* What is taken where nothing is said: the least of the groups of this process and 80 % of the machine's memory. */
static void usual_memory(void **state)
{
    (void)state;
    double machine = 0.8 * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double group = (double)una_cgroup_memory("");
    double wanted = group < machine ? group : machine;
    assert_true(machine > 0);
    assert_true(fabs((double)una_default_memory() - wanted) <= 1e-6 * wanted);

    una_run *own = NULL;
    uint64_t memory, scratch;
    assert_ok(una_run_new(&own, &SIZED(una_run_settings, .seed = 0)), NULL);
    una_run_limits(own, &memory, &scratch);
    assert_true(memory == una_default_memory() && scratch / 4 == memory);
    una_run_free(own);
}

/* Four times the memory where nothing is said; what is said counts. */
static void limits_of_a_run(void **state)
{
    (void)state;
    una_run *own = NULL;
    uint64_t memory, scratch;
    assert_ok(una_run_new(&own, &SIZED(una_run_settings, .memory_limit = 1000)), NULL);
    una_run_limits(own, &memory, &scratch);
    assert_true(memory == 1000 && scratch == 4000);
    una_run_free(own);

    assert_ok(una_run_new(&own, &SIZED(una_run_settings, .memory_limit = UINT64_MAX, .scratch_limit = 7)), NULL);
    una_run_limits(own, &memory, &scratch);
    assert_true(memory == UINT64_MAX && scratch == 7);
    assert_true(una_scratch_take(own, 5) && !una_scratch_take(own, 3) && una_scratch_take(own, 2));
    una_scratch_give(own, 7);
    assert_true(!una_scratch_take(own, 8) && !una_scratch_take(own, UINT64_MAX) && una_scratch_take(own, 7));
    una_run_free(own);
}

/* Rows beyond both limits: all four numbers are in the sentence, and nothing stays counted. */
static void rows_beyond_both(void **state)
{
    (void)state;
    enum { ROWS = 20 << 20 };
    una_run *own = NULL;
    una_arena rows;
    assert_ok(una_run_new(&own, &SIZED(una_run_settings, .memory_limit = 24 << 20, .scratch_limit = 30 << 20)), NULL);
    una_arena_init(&rows, own);
    bool mapped = una_arena_get_rows(&rows, ROWS, 1) && own->scratched > 0;
    assert_non_null(mapped ? una_arena_get_rows(&rows, ROWS, 1) : rows.top);     /* the second is plain memory */
    assert_null(una_arena_get_rows(&rows, ROWS, 1));
    assert_status(una_arena_check(&rows), UNA_E_MEMORY, own);
    assert_says(una_run_message(own), "21 MB of rows have no room");
    assert_says(una_run_message(own), "25.2 MB are allowed (--memory)");
    assert_says(una_run_message(own), "31.5 MB are allowed (--scratch)");
    una_arena_free(&rows);
    assert_true(own->scratched == 0 && own->used == 0);
    una_run_free(own);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups),
        cmocka_unit_test(usual_memory),
        cmocka_unit_test(limits_of_a_run),
        cmocka_unit_test(rows_beyond_both),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
