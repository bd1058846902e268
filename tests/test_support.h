/* SPDX-License-Identifier: MIT
 *
 * What all tests share: runs that keep quiet, an allocator that fails when told to, comparisons of numbers,
 * the folder of shared data, and a temporary folder that goes when the test ends.
 */
#ifndef UNA_TEST_SUPPORT_H
#define UNA_TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "una.h"

#include <dirent.h>
#include <math.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- numbers -------------------------------------------------------------------------------------- */

static inline void near_or_fail(double a, double b, double rtol, double atol, const char *a_text, const char *b_text,
                                const char *file, int line)
{
    if (a == b || fabs(a - b) <= atol + rtol * fabs(b)) return;      /* false for NAN, so NAN fails */
    print_error("%s = %.17g is not near %s = %.17g (difference %.3g, rtol %.3g, atol %.3g)\n",
                a_text, a, b_text, b, fabs(a - b), rtol, atol);
    _fail(file, line);
}

/* |a - b| <= atol + rtol |b|; fails for NAN. */
#define assert_near(a, b, rtol, atol) near_or_fail((a), (b), (rtol), (atol), #a, #b, __FILE__, __LINE__)

static inline void arrays_near_or_fail(const double *a, const double *b, size_t n, double rtol, double atol,
                                       const char *a_text, const char *b_text, const char *file, int line)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] == b[i] || fabs(a[i] - b[i]) <= atol + rtol * fabs(b[i])) continue;
        print_error("%s[%zu] = %.17g is not near %s[%zu] = %.17g\n", a_text, i, a[i], b_text, i, b[i]);
        _fail(file, line);
    }
}
#define assert_arrays_near(a, b, n, rtol, atol) \
    arrays_near_or_fail((a), (b), (n), (rtol), (atol), #a, #b, __FILE__, __LINE__)

/* ---- statuses and messages ------------------------------------------------------------------------- */

static inline void status_or_fail(una_status got, una_status wanted, const una_run *run, const char *call,
                                  const char *file, int line)
{
    if (got == wanted) return;
    print_error("%s gave %d (%s), not %d; message: %s\n", call, (int)got, una_status_text(got), (int)wanted,
                run ? una_run_message(run) : "none");
    _fail(file, line);
}

/* assert_status(call, UNA_OK, run): the message is shown when it fails; run may be NULL. */
#define assert_status(call, wanted, run) status_or_fail((call), (wanted), (run), #call, __FILE__, __LINE__)
#define assert_ok(call, run) assert_status(call, UNA_OK, run)

static inline void message_or_fail(const char *message, const char *part, const char *file, int line)
{
    if (strstr(message, part)) return;
    print_error("'%s' does not say '%s'\n", message, part);
    _fail(file, line);
}
#define assert_says(message, part) message_or_fail((message), (part), __FILE__, __LINE__)

/* ---- runs and the failing allocator ----------------------------------------------------------------- */

/* left: requests still granted, below zero for no limit; live: blocks held now; taken: all that ever were; once: one
 * request is refused, and all behind it are granted again. */
struct fail_after {
    _Atomic long left;
    _Atomic long live;
    _Atomic long taken;
    bool once;
};

static inline void *fail_after_allocate(void *context, size_t size)
{
    struct fail_after *memory = context;
    for (long left = memory->left; left >= 0;) {             /* several threads may ask at once */
        if (left == 0 && !memory->once) return NULL;
        if (!atomic_compare_exchange_weak(&memory->left, &left, left - 1)) continue;
        if (left == 0) return NULL;                          /* the one: nothing is counted any more */
        break;
    }
    void *block = malloc(size);
    if (!block) return NULL;
    memory->live++;
    memory->taken++;
    return block;
}

static inline void fail_after_release(void *context, void *block)
{
    struct fail_after *memory = context;
    if (block) memory->live--;
    free(block);
}

/* Tests of how well something works take too long under the address sanitizer, and tell nothing more there. */
#if defined(__SANITIZE_ADDRESS__)
#define UNA_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define UNA_SANITIZED 1
#endif
#endif
#ifdef UNA_SANITIZED
static const bool sanitized = true;
#else
static const bool sanitized = false;
#endif

static inline void skip_if_sanitized(void)
{
    if (!sanitized) return;
    print_message("skipped: too slow under the address sanitizer\n");
    skip();
}

/* A struct that begins with its size, as a value: SIZED(una_fit_settings, .preset = "thesis"). */
#define SIZED(type, ...) ((type){ .size = sizeof(type), __VA_ARGS__ })

/* Settings for a run on that memory: una_run_new(&run, &(una_run_settings){...}) or failing_settings(&memory). */
static inline una_run_settings failing_settings(struct fail_after *memory)
{
    return SIZED(una_run_settings, .threads = 1, .allocate = fail_after_allocate, .release = fail_after_release,
                               .allocator = memory);
}

/* A run without callbacks, on `threads` threads; seed 0. Free with una_run_free. */
static inline una_run *quiet_run_threads(int threads)
{
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = threads };
    if (una_run_new(&run, &settings) != UNA_OK) fail_msg("%s", "no run could be made");
    return run;
}

static inline una_run *quiet_run(void)
{
    return quiet_run_threads(1);
}

/* The two ends of a group of tests whose state is a run. */
static inline int begin_run(void **state)
{
    *state = quiet_run();
    return 0;
}

static inline int end_run(void **state)
{
    una_run_free(*state);
    return 0;
}

/* `make test-long`: what is sampled in `make test` is done in full. */
static inline bool long_tier(void) { return getenv("UNA_TEST_LONG") != NULL; }

/* The allocation that fails after the n-th: each of the first ones, then one in every so many, since each takes as
 * long as all before it; in the long tier each. */
static inline long next_allocation(long n, long each) { return long_tier() || n < each ? n + 1 : n + 1 + n / 12; }

/* Runs job with the n-th allocation failing, n = 0, 1, 2, ... and then in strides, until it succeeds. Each failure must
 * be UNA_E_MEMORY with a message, and nothing may be held after the run is freed. The job gives back all that it
 * took from the run (arenas, handles) whether it fails or not. Returns the number of the first that was not asked for. */
static inline long sweep_allocations_threads(una_status (*job)(void *context, una_run *run), void *context, int threads)
{
    for (long n = 0; n < 1000000; n = next_allocation(n, sanitized ? 60 : 120)) {
        struct fail_after memory = { .left = n };
        una_run_settings settings = failing_settings(&memory);
        settings.threads = threads;
        una_run *run = NULL;
        una_status status = una_run_new(&run, &settings);
        bool started = status == UNA_OK;
        if (started) status = job(context, run);

        if (status != UNA_OK && status != UNA_E_MEMORY)
            fail_msg("with allocation %ld failing: status %d, %s", n, (int)status, una_run_message(run));
        if (started && status != UNA_OK && !*una_run_message(run)) fail_msg("allocation %ld failed silently", n);

        una_run_free(run);
        if (memory.live != 0) fail_msg("allocation %ld failed: %ld blocks leaked", n, (long)memory.live);
        if (status == UNA_OK) return n;
    }
    fail_msg("%s", "never succeeded");
    return -1;
}

static inline long sweep_allocations(una_status (*job)(void *context, una_run *run), void *context)
{
    return sweep_allocations_threads(job, context, 1);
}

/* ---- shared data -------------------------------------------------------------------------------------- */

/* shared_path("golden/blr.json"): its path below $UNA_SHARED or ../shared, NULL when it is not there (the test
 * then says so and skips). The text is overwritten by the next call. */
static inline const char *shared_path(const char *name)
{
    static char path[4096];
    const char *folder = getenv("UNA_SHARED");
    int length = snprintf(path, sizeof path, "%s/%s", folder && *folder ? folder : "../shared", name);
    return length > 0 && (size_t)length < sizeof path && access(path, R_OK) == 0 ? path : NULL;
}

/* ---- temporary files ---------------------------------------------------------------------------------- */

static inline char *temp_folder_place(void)
{
    static char place[4096];
    return place;
}

static inline void temp_folder_empty(const char *folder)
{
    DIR *open = opendir(folder);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char path[8192];
        int length = snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof path) continue;
        struct stat about;
        if (lstat(path, &about) == 0 && S_ISDIR(about.st_mode)) temp_folder_empty(path);
        remove(path);
    }
    if (open) closedir(open);
}

/* Files and folders in it. */
static inline size_t entries_of(const char *folder)
{
    size_t count = 0;
    DIR *open = opendir(folder);
    assert_non_null(open);
    while (readdir(open)) count++;
    closedir(open);
    return count - 2;
}

static inline void temp_folder_remove(void)
{
    temp_folder_empty(temp_folder_place());
    rmdir(temp_folder_place());
}

/* A folder of this test's own, under $TMPDIR, build/ or here; removed with all it holds at exit. */
static inline const char *temp_folder(void)
{
    char *place = temp_folder_place();
    if (*place) return place;

    const char *under[] = { getenv("TMPDIR"), "build", "." };
    for (size_t i = 0; i < 3; i++) {
        if (!under[i] || !*under[i]) continue;
        snprintf(place, 4096, "%s/una-test-XXXXXX", under[i]);
        if (mkdtemp(place)) {
            atexit(temp_folder_remove);
            return place;
        }
    }

    *place = 0;
    fail_msg("%s", "no temporary folder could be made");
    return NULL;
}

/* FOLDER/name in one of four rotating buffers. */
static inline const char *temp_path(const char *name)
{
    static char paths[4][8192];
    static unsigned next;
    char *path = paths[next++ % 4];
    int length = snprintf(path, sizeof paths[0], "%s/%s", temp_folder(), name);
    if (length < 0 || (size_t)length >= sizeof paths[0]) fail_msg("the name %s is too long", name);
    return path;
}

/* Writes bytes to FOLDER/name and returns its path. */
static inline const char *temp_file(const char *name, const void *bytes, size_t size)
{
    const char *path = temp_path(name);
    FILE *stream = fopen(path, "wb");
    if (!stream || fwrite(bytes, 1, size, stream) != size || fclose(stream) != 0) fail_msg("cannot write %s", path);
    return path;
}

static inline const char *temp_text_file(const char *name, const char *text)
{
    return temp_file(name, text, strlen(text));
}

#endif
