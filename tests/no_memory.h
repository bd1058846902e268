/* SPDX-License-Identifier: MIT
 *
 * One call, struck by an allocation that fails inside of it. A scene makes what the call needs, with all the memory
 * there is; then DONE or MADE makes the call with its n-th request refused, alone or with all that follow. The call
 * may end as it would with all memory, and then with the same result; or with UNA_E_MEMORY, a sentence, nothing held,
 * nothing left in the run and no file touched, and then the very same call, made again on the same things, must come to
 * the same result.
 */
#ifndef UNA_TEST_NO_MEMORY_H
#define UNA_TEST_NO_MEMORY_H

#include "test_support.h"

/* Each piece of memory is a request of its own: arenas take no blocks. */
#define UNA_FIRST_BLOCK 0
#define UNA_LARGEST_STEP 0
#include "base/arena.c"

static struct blow {
    const char       *call;              /* whose turn it is                                                    */
    struct fail_after memory;
    long              number;            /* of the request that is refused, from 0; below: none                 */
    bool              once;              /* it alone                                                            */
    long              held, taken;       /* blocks before the call                                              */
    size_t            scratch;           /* bytes of the run's scratch before it                                */
    long              asked;             /* by the call, with all memory                                        */
    bool              calm, made;        /* all memory: what comes out is what is wanted; the call was made     */
    una_status        status, wanted;
    uint64_t          sum;               /* over all that came out                                              */
    const char       *file;              /* that the call writes; NULL: none                                    */
    bool              keeps;             /* what it works on may have grown where it failed                     */
} blow;

#define FAIL_BLOW(format, ...)                                                                              \
    fail_msg("%s, request %ld refused%s: " format, blow.call, blow.number, blow.once ? " once" : "", __VA_ARGS__)

/* ---- what came out ----------------------------------------------------------------------------------------------- */

static inline void sum_bytes(const void *bytes, size_t size)             /* Fowler, Noll and Vo */
{
    for (size_t i = 0; i < size; i++) blow.sum = (blow.sum ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
}

static inline void sum_numbers(const double *numbers, size_t count) { sum_bytes(numbers, count * sizeof *numbers); }
static inline void sum_count(size_t count) { sum_bytes(&count, sizeof count); }
static inline void sum_text(const char *text) { sum_bytes(text, strlen(text)); }

/* ---- a file that is written, whole or not at all ----------------------------------------------------------------- */

#define OLD_BYTES "what was there before"

static inline size_t file_bytes(char **bytes, const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) fail_msg("%s: %s is not there", blow.call, path);
    assert_int_equal(fseek(stream, 0, SEEK_END), 0);
    size_t size = (size_t)ftell(stream);
    rewind(stream);
    *bytes = malloc(size + 1);
    if (!*bytes || fread(*bytes, 1, size, stream) != size) fail_msg("cannot read %s", path);
    (*bytes)[size] = 0;
    fclose(stream);
    return size;
}

/* A file of that name, which has a folder to itself, with old bytes in it; the call is to write it anew. */
static inline const char *writes(const char *name)
{
    static char path[4096];
    snprintf(path, sizeof path, "%s", temp_path("written"));
    temp_folder_empty(path);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/%s", temp_path("written"), name);
    FILE *stream = fopen(path, "wb");
    if (!stream || fputs(OLD_BYTES, stream) < 0 || fclose(stream) != 0) fail_msg("cannot write %s", path);
    return blow.file = path;
}

static inline void check_file(bool written)
{
    char *bytes;
    if (!blow.file) return;
    file_bytes(&bytes, blow.file);
    if ((strcmp(bytes, OLD_BYTES) != 0) != written)
        FAIL_BLOW("%s is %s", blow.file, written ? "not written" : "written all the same");
    if (entries_of(temp_path("written")) != 1) FAIL_BLOW("something lies beside %s", blow.file);
    free(bytes);
}

/* Where the same call writes the same bytes. */
static inline void sum_file(void)
{
    char *bytes;
    size_t size = file_bytes(&bytes, blow.file);
    sum_bytes(bytes, size);
    free(bytes);
}

/* ---- the call ---------------------------------------------------------------------------------------------------- */

static inline void strike(const una_run *run)
{
    blow.made = true;
    blow.held = blow.memory.live;
    blow.taken = blow.memory.taken;
    blow.scratch = run->scratch.live;
    blow.memory.once = blow.once;
    blow.memory.left = blow.number;
}

/* False: it failed, as it should. */
static inline bool endured(una_status status, const una_run *run)
{
    blow.memory.left = -1;
    blow.asked = blow.memory.taken - blow.taken;
    if (blow.calm) blow.wanted = status;
    blow.status = status;
    if (run->scratch.failed || run->texts.failed) FAIL_BLOW("%s", "the run goes on as one without memory");
    if (run->scratch.live != blow.scratch) FAIL_BLOW("%s", "something is left in the run's scratch");
    if (status == blow.wanted) {
        if (status != UNA_OK && !*una_run_message(run)) FAIL_BLOW("refused with status %d, silently", (int)status);
        check_file(status == UNA_OK);
        return true;
    }
    if (status != UNA_E_MEMORY) FAIL_BLOW("status %d, %s", (int)status, una_run_message(run));
    if (!*una_run_message(run)) FAIL_BLOW("%s", "it fails silently");
    if (blow.memory.live != blow.held && !blow.keeps)
        FAIL_BLOW("%ld blocks more are held", (long)blow.memory.live - blow.held);
    check_file(false);
    return false;
}

static inline void finished(una_status status, const una_run *run)
{
    if (status != blow.wanted)
        FAIL_BLOW("made again, with all memory, it gives status %d, %s", (int)status, una_run_message(run));
    blow.status = status;
    check_file(status == UNA_OK);
}

static inline void check_empty(const void *out)
{
    if (out) FAIL_BLOW("%s", "it fails and gives something all the same");
}

/* The call; and one that makes `out`, which must be NULL where it failed. Afterwards blow.status is its status with all
 * memory. */
#define DONE(call, run) MADE(NULL, call, run)
#define MADE(out, call, run)                     \
    do {                                         \
        strike(run);                             \
        if (endured((call), (run))) break;       \
        check_empty(out);                        \
        finished((call), (run));                 \
    } while (0)

/* ---- each request in turn ---------------------------------------------------------------------------------------- */

typedef void scene_play(void *world, una_run *run);

static inline uint64_t play(scene_play *scene, void *world, long number, bool once)
{
    blow.memory = (struct fail_after){ .left = -1 };
    blow.number = number;
    blow.once = once;
    blow.calm = number < 0;
    blow.made = false;
    blow.sum = 14695981039346656037u;
    blow.file = NULL;
    blow.keeps = false;
    una_run_settings settings = failing_settings(&blow.memory);
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &settings), UNA_OK);
    scene(world, run);
    una_run_free(run);
    if (!blow.made) fail_msg("%s is never called", blow.call);
    if (blow.memory.live != 0) FAIL_BLOW("%ld blocks leaked", (long)blow.memory.live);
    return blow.sum;
}

/* Each request, refused alone and with all behind it. Of more than `most` (in the long tier 20 times as many) so many,
 * evenly over all, in the one way or in the other. Returns how many requests there are. */
static inline long strike_each(const char *call, scene_play *scene, void *world, long most)
{
    blow.call = call;
    uint64_t wanted = play(scene, world, -1, false);
    if (long_tier()) most *= 20;
    long asked = blow.asked, count = asked > most ? most : asked;
    for (long i = 0; i < count; i++) {
        for (int once = 0; once < 2; once++) {
            if (count < asked && once != i % 2) continue;
            if (play(scene, world, i * asked / count, once) != wanted)
                FAIL_BLOW("%s", "another result than with all memory");
        }
    }
    return asked;
}

#endif
