/* SPDX-License-Identifier: MIT
 *
 * The run: everything that other libraries keep in globals. It owns the seed, the number of threads, the
 * allocator with its limit, the callbacks, the last message and one scratch arena. Tasks of the pool get a
 * child run, which borrows all of it but message, scratch and texts.
 */
#include "base/base.h"
#include "base/hash.h"
#include "base/ranks.h"

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

enum { LEAST_CLEAN = 32 << 20 };

/* The system hands out large blocks as zeros; clearing gigabytes by hand takes seconds. */
static void *default_allocate(void *context, size_t size)
{
    (void)context;
    return size >= LEAST_CLEAN ? calloc(1, size) : malloc(size);
}

static void default_release(void *context, void *block)
{
    (void)context;
    free(block);
}

enum { SCRATCH_SHARE = 4 };              /* scratch files may take so many times the memory, if nothing else is said */

static una_run_settings resolved_settings(una_run_settings settings)
{
    if (!settings.allocate || !settings.release) {
        settings.allocate = default_allocate;
        settings.release = default_release;
    } else {
        settings.no_scratch = 1;         /* all memory is the caller's */
    }
    long cores = settings.threads <= 0 ? sysconf(_SC_NPROCESSORS_ONLN) : settings.threads;
    settings.threads = cores > 0 ? (int)cores : 1;
    if (settings.memory_limit == 0) settings.memory_limit = una_default_memory();
    if (settings.scratch_limit == 0)
        settings.scratch_limit = settings.memory_limit > UINT64_MAX / SCRATCH_SHARE ? UINT64_MAX
                                 : SCRATCH_SHARE * settings.memory_limit;
    return settings;
}

una_status una_run_new(una_run **out, const una_run_settings *given)
{
    *out = NULL;
    una_run_settings settings;
    una_ranks ranks;
    una_read_settings reading;
    UNA_TRY(UNA_TAKE(&settings, given, una_run_settings, NULL));
    UNA_TRY(UNA_TAKE(&ranks, settings.ranks, una_ranks, NULL));
    UNA_TRY(UNA_TAKE(&reading, settings.reading, una_read_settings, NULL));
    if (settings.ranks) UNA_TRY(una_ranks_check(&ranks));
    const char *dates = reading.dates ? reading.dates : "dmy";
    bool known = strchr(",;\t|", reading.delimiter) && strchr(".,", reading.decimal) &&
                 (strcmp(dates, "dmy") == 0 || strcmp(dates, "mdy") == 0) && (reading.word_count == 0 || reading.words);
    if (!known) return UNA_E_USAGE;                       /* 0, for "to be found", ends every text */
    bool memory_chosen = settings.memory_limit > 0;
    settings = resolved_settings(settings);

    una_run *run = settings.allocate(settings.allocator, sizeof *run);
    pthread_mutex_t *lock = settings.allocate(settings.allocator, sizeof *lock);
    if (!run || !lock) {
        if (run) settings.release(settings.allocator, run);
        if (lock) settings.release(settings.allocator, lock);
        return UNA_E_MEMORY;
    }

    memset(run, 0, sizeof *run);
    pthread_mutex_init(lock, NULL);
    run->settings = settings;
    run->memory_chosen = memory_chosen;
    run->hash_key = una_hash_key_new();
    run->ranks = ranks;
    if (settings.ranks) run->settings.ranks = &run->ranks;
    run->reading = reading;
    run->settings.reading = &run->reading;
    run->lock = lock;
    run->progress_to = 1;
    una_arena_init(&run->texts, run);
    una_arena_init(&run->scratch, run);
    run->scratch.keeps = settings.keep_memory != 0;

    *out = run;
    return UNA_OK;
}

static void free_child(una_run *run)
{
    if (!run->child) return;
    free_child(run->child);
    una_arena_free(&run->child->scratch);
    una_release(run, run->child);
}

void una_run_free(una_run *run)
{
    if (!run) return;
    free_child(run);
    una_arena_free(&run->scratch);
    una_arena_free(&run->texts);
    una_run_settings settings = run->settings;
    pthread_mutex_destroy(run->lock);
    settings.release(settings.allocator, run->lock);
    settings.release(settings.allocator, run);
}

const char *una_run_message(const una_run *run)
{
    return run ? run->message : "there is no run: no memory was left, or its una_run_settings were refused: begin with "
                                "una_run_settings s = UNA_INIT(una_run_settings), or set .size = sizeof, and leave 0 "
                                "what is newer than una " UNA_VERSION;
}

void una_clear_message(una_run *run)
{
    run->message[0] = 0;
}

const char *una_row_name(char text[UNA_ROW_NAME_ROOM], size_t row, const una_run *run)
{
    row += run->first_row;
    if (run->rows) run->rows->name(text, UNA_ROW_NAME_ROOM, run->rows, row);
    else una_write_text(text, UNA_ROW_NAME_ROOM, "row %zu", row + 1);
    return text;
}

una_status una_fail(una_run *run, una_status code, const char *format, ...)
{
    char sentence[sizeof run->message];      /* the old message may be among the arguments */
    va_list arguments;
    va_start(arguments, format);
    una_write_textv(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    memcpy(run->message, sentence, strlen(sentence) + 1);
    return code;
}

void una_log(una_run *run, una_log_level level, const char *format, ...)
{
    una_run *root = una_run_root(run);
    if (!root->settings.log) return;
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    una_write_textv(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    pthread_mutex_lock(root->lock);
    root->settings.log(root->settings.callbacks, level, sentence);
    pthread_mutex_unlock(root->lock);
}

una_span una_progress_part(una_run *run, double from, double to)
{
    una_span before = { run->progress_from, run->progress_to };
    double width = before.to - before.from;
    run->progress_from = before.from + width * from;
    run->progress_to = before.from + width * to;
    return before;
}

void una_progress_back(una_run *run, una_span before)
{
    run->progress_from = before.from;
    run->progress_to = before.to;
}

una_tally una_tally_of(const char *what, size_t done, size_t all)
{
    return (una_tally){ .what = what, .all = all, .before = done, .done = done, .begun = una_clock() };
}

/* Adds the rate once one piece is done and a second is over, with a decimal below ten a minute. */
static const char *stage_with_count(char words[160], const una_tally *tally, const char *stage)
{
    size_t done = tally->done;
    double spent = una_clock() - tally->begun, rate = 60 * (double)(done - tally->before) / fmax(spent, 1);
    int used = snprintf(words, 160, "%zu of %zu %s", done, tally->all, tally->what);
    if (done > tally->before && spent >= 1 && rate < 10)
        used += una_write_text(words + used, 160 - (size_t)used, ", %.1f a minute", floor(10 * rate) / 10);
    else if (done > tally->before && spent >= 1)
        used += una_write_text(words + used, 160 - (size_t)used, ", %.0f a minute", rate);
    snprintf(words + used, 160 - (size_t)used, ": %.60s", stage);
    return words;
}

bool una_cancelled(const una_run *run)
{
    return run->settings.cancel && *run->settings.cancel;
}

una_status una_check_cancelled(una_run *run, const char *stage)
{
    if (una_cancelled(run)) UNA_FAIL(run, UNA_CANCELLED, "interrupted while %s", stage);
    return UNA_OK;
}

una_status una_tick(una_run *run, const char *stage, double fraction, double value)
{
    una_run *root = una_run_root(run);
    int stop = 0;
    if (root->settings.progress) {
        double reached = run->progress_from + fraction * (run->progress_to - run->progress_from);
        double whole = una_progress_shown(run, reached);
        char words[160];
        una_progress progress = { run->tally ? stage_with_count(words, run->tally, stage) : stage, whole, value };
        pthread_mutex_lock(root->lock);
        stop = root->settings.progress(root->settings.callbacks, &progress);
        pthread_mutex_unlock(root->lock);
    }
    if (stop) UNA_FAIL(run, UNA_CANCELLED, "interrupted while %s", stage);
    return una_check_cancelled(run, stage);
}

/* ---- raw memory: each block carries its size, so that what is held can be counted ---------------- */

typedef union block_head {
    struct { size_t size; bool clean; };
    max_align_t align;
    char pad[64];
} block_head;

bool una_memory_take(una_run *run, uint64_t size, uint64_t *held)
{
    una_run *root = una_run_root(run);
    *held = atomic_fetch_add(&root->used, size) + size;
    if (*held <= root->settings.memory_limit) return true;
    una_memory_give(root, size);
    return false;
}

void una_memory_give(una_run *run, uint64_t size)
{
    atomic_fetch_sub(&una_run_root(run)->used, size);
}

uint64_t una_memory_used(una_run *run)
{
    return atomic_load(&una_run_root(run)->used);
}

void *una_allocate_for(una_run *owner, size_t size, una_run *run)
{
    una_run *root = una_run_root(owner);
    if (size > SIZE_MAX - sizeof(block_head)) {
        una_fail(run, UNA_E_MEMORY, "a request for %zu bytes is beyond any memory", size);
        return NULL;
    }

    size_t whole = size + sizeof(block_head);
    uint64_t held;
    if (!una_memory_take(root, whole, &held)) {
        una_fail(run, UNA_E_MEMORY, "this needs %.3g MB of memory, and only %.3g MB are allowed; "
                 "use fewer rows or a smaller model, or raise the limit",
                 (double)held / 1e6, (double)root->settings.memory_limit / 1e6);
        return NULL;
    }

    block_head *head = root->settings.allocate(root->settings.allocator, whole);
    if (!head) {
        una_memory_give(root, whole);
        una_fail(run, UNA_E_MEMORY, "out of memory: %.1f MB more are not available", (double)whole / 1e6);
        return NULL;
    }

    head->size = whole;
    head->clean = whole >= LEAST_CLEAN && root->settings.allocate == default_allocate;
    return head + 1;
}

void *una_allocate(una_run *run, size_t size)
{
    return una_allocate_for(run, size, run);
}

bool una_is_zeroed(const void *block)
{
    return ((const block_head *)block - 1)->clean;
}

una_run *una_run_root(una_run *run)
{
    while (run->parent) run = run->parent;
    return run;
}

void una_release(una_run *run, void *block)
{
    if (!block) return;
    una_run *root = una_run_root(run);
    block_head *head = (block_head *)block - 1;
    una_memory_give(root, head->size);
    root->settings.release(root->settings.allocator, head);
}

/* ---- scratch files, which are counted apart ------------------------------------------------------- */

bool una_scratch_take(una_run *run, uint64_t size)
{
    una_run *root = una_run_root(run);
    uint64_t limit = root->settings.scratch_limit, held = atomic_fetch_add(&root->scratched, size);
    if (size <= limit && held <= limit - size) return true;
    atomic_fetch_sub(&root->scratched, size);
    return false;
}

void una_scratch_give(una_run *run, uint64_t size)
{
    atomic_fetch_sub(&una_run_root(run)->scratched, size);
}

void una_run_limits(const una_run *run, uint64_t *memory, uint64_t *scratch)
{
    if (memory) *memory = run->settings.memory_limit;
    if (scratch) *scratch = run->settings.scratch_limit;
}

void una_memory_free(void *bytes, una_run *run)
{
    una_release(run, bytes);
}
