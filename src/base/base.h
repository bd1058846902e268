/* SPDX-License-Identifier: MIT
 *
 * The ground floor: what every room uses. Status macros, the run, arenas, random numbers, the task
 * pool, growing text and atomic files. Nothing here knows about models or data.
 */
#pragma once

#include "una.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__GNUC__)
#define UNA_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define UNA_PRINTF(text, first)
#endif

#define UNA_MIN(a, b) ((a) < (b) ? (a) : (b))
#define UNA_MAX(a, b) ((a) > (b) ? (a) : (b))

/* In ASCII, whatever the locale. */
#define UNA_IS_DIGIT(c) ((c) >= '0' && (c) <= '9')
#define UNA_IS_LETTER(c) (((c) >= 'a' && (c) <= 'z') || ((c) >= 'A' && (c) <= 'Z'))

/* Forwards a failure. */
#define UNA_TRY(call)                                   \
    do {                                                \
        una_status una_try_status = (call);             \
        if (una_try_status != UNA_OK) return una_try_status; \
    } while (0)

/* Forwards a failure; the scratch memory that the call took is given back either way. So who calls in a loop, or through
 * a table of functions, bounds the memory, and what is called need not. */
#define UNA_SCOPED(run, call)                                    \
    do {                                                         \
        una_mark una_scope = una_arena_mark(&(run)->scratch);    \
        una_status una_scope_status = (call);                    \
        una_arena_release(&(run)->scratch, una_scope);           \
        if (una_scope_status != UNA_OK) return una_scope_status; \
    } while (0)

/* The same, but gives the status instead of forwarding a failure, for callers that have something to put back. */
#define UNA_SCOPED_CALL(status, run, call)                       \
    do {                                                         \
        una_mark una_scope = una_arena_mark(&(run)->scratch);    \
        (status) = (call);                                       \
        una_arena_release(&(run)->scratch, una_scope);           \
    } while (0)

/* Forwards a failure; the stages of the call fill only the part from .. to (0 to 1) of the progress. */
#define UNA_STAGE(run, from, to, call)                           \
    do {                                                         \
        una_span una_stage = una_progress_part(run, from, to);   \
        una_status una_stage_status = (call);                    \
        una_progress_back(run, una_stage);                       \
        if (una_stage_status != UNA_OK) return una_stage_status; \
    } while (0)

/* Writes the sentence into the run and returns the code. */
#define UNA_FAIL(run, code, ...) return una_fail((run), (code), __VA_ARGS__)
una_status una_fail(una_run *run, una_status code, const char *format, ...) UNA_PRINTF(3, 4);

/* ---- arena: memory with one owner and one end; no free in algorithms ------------------------- */

typedef struct una_arena_block una_arena_block;
typedef struct una_arena_end una_arena_end;
typedef struct una_arena {
    una_run         *run;        /* allocator and limit                                           */
    una_arena_block *top;
    una_arena_end   *at_end;     /* what is done before memory goes, latest first (una_arena_at_end) */
    bool             failed;     /* sticky: check once after a batch of requests                  */
    bool             keeps;      /* once empty, it holds one block for all that it ever held at once (keep_memory) */
    size_t           least;      /* bytes of the next block, at least (una_arena_reuse)           */
    size_t           live, peak; /* bytes given out now, and at most so far                       */
} una_arena;
typedef struct una_mark { una_arena_block *block; una_arena_end *at_end; size_t used, live; bool failed; } una_mark;

void     una_arena_init(una_arena *arena, una_run *run);
void     una_arena_free(una_arena *arena);                      /* all of it; may be used again     */
/* Empties it for the next piece of work, which finds all its memory in one block that is kept. */
void     una_arena_reuse(una_arena *arena);
/* Zeroed, aligned to 64 bytes, overflow-checked; NULL and sticky failure when there is no memory or
 * the run's limit forbids it (the message then names both numbers). count 0 gives a valid pointer. */
void    *una_arena_get(una_arena *arena, size_t count, size_t size);
char    *una_arena_text(una_arena *arena, const char *text);     /* a copy; NULL text gives NULL     */
/* The array `old` of `count` items of `size` bytes, if it has room for one more; else a copy with twice the room. */
void    *una_arena_grow(una_arena *arena, void *old, size_t count, size_t *room, size_t size);
una_mark una_arena_mark(const una_arena *arena);
void     una_arena_release(una_arena *arena, una_mark mark);     /* gives back what came after mark  */
una_status una_arena_check(const una_arena *arena);              /* UNA_E_MEMORY after any failure   */
/* Moves all that `other`, an arena of the same run, holds into `arena`, as if it had been taken there first. */
void     una_arena_join(una_arena *arena, una_arena *other);
/* Calls end(what) when the memory that is taken from now on is given back: so handles of other libraries live as long
 * as the memory does. Without memory to remember it, calls it at once and gives UNA_E_MEMORY. */
una_status una_arena_at_end(una_arena *arena, void (*end)(void *what), void *what);
#define UNA_GET(arena, type, count) ((type *)una_arena_get((arena), (count), sizeof(type)))
/* The same for rows of data and copies of them, which may be larger than memory: from 16 MiB on these are pages that
 * the system may write to the disk and take back (una_scratch_map), counted against a limit of their own. Plain memory
 * where there are no such pages, where the caller has an allocator, and with no_scratch. */
void    *una_arena_get_rows(una_arena *arena, size_t count, size_t size);
#define UNA_GET_ROWS(arena, type, count) ((type *)una_arena_get_rows((arena), (count), sizeof(type)))

/* A new array and its check in one: declares `type *name`, or fills a pointer that is there; returns UNA_E_MEMORY. */
#define UNA_NEW(arena, type, name, count) type *name = UNA_GET(arena, type, count); UNA_TRY(una_arena_check(arena))
#define UNA_NEW_ROWS(arena, type, name, count) \
    type *name = UNA_GET_ROWS(arena, type, count); UNA_TRY(una_arena_check(arena))
#define UNA_NEW_AT(arena, place, count)                                  \
    do {                                                                 \
        (place) = una_arena_get((arena), (count), sizeof *(place));      \
        UNA_TRY(una_arena_check(arena));                                 \
    } while (0)
#define UNA_NEW_ROWS_AT(arena, place, count)                             \
    do {                                                                 \
        (place) = una_arena_get_rows((arena), (count), sizeof *(place)); \
        UNA_TRY(una_arena_check(arena));                                 \
    } while (0)
/* The same for one thing of so many bytes, whose type only its owner knows (the state of a kind); and a copy of one. */
#define UNA_NEW_BYTES(arena, type, name, size) \
    type *name = una_arena_get((arena), 1, (size)); UNA_TRY(una_arena_check(arena))
#define UNA_NEW_BYTES_AT(arena, place, size)                             \
    do {                                                                 \
        (place) = una_arena_get((arena), 1, (size));                     \
        UNA_TRY(una_arena_check(arena));                                 \
    } while (0)
#define UNA_COPY_BYTES(arena, type, name, from, size) \
    UNA_NEW_BYTES(arena, type, name, size); memcpy(name, (from), (size))
#define UNA_COPY_BYTES_AT(arena, place, from, size)                      \
    do {                                                                 \
        UNA_NEW_BYTES_AT(arena, place, size);                            \
        memcpy((place), (from), (size));                                 \
    } while (0)

/* A struct that a public call gives away, with an arena of its own: zeroed; what it points to lies in *keep. NULL: there
 * is no memory. una_result_free ends both; NULL is harmless. */
void *una_result_new(una_arena **keep, size_t size, una_run *run);
void  una_result_free(void *result);
/* The result of a call that went well; else NULL, and it is freed. */
void *una_result_if(una_status status, void *result);

typedef struct una_view {                /* rows that somebody else owns                                   */
    const double *at;                    /* [rows, stride], `cols` of them used                            */
    size_t        rows, cols, stride;
} una_view;

/* Seconds on a clock that only goes forward: for how long something took or waited, and never for results. */
static inline double una_clock(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- run --------------------------------------------------------------------------------------- */

typedef struct una_tally {       /* pieces of work that are counted as they are done, in any thread         */
    const char      *what;       /* "fits"                                                                  */
    size_t           all, before;        /* before: done when the counting began                            */
    _Atomic size_t   done;
    double           begun;
} una_tally;

typedef struct una_hash_key { uint64_t word[2]; } una_hash_key;  /* random per run (hash.h)         */

typedef struct una_row_namer {          /* what sentences call the rows of the arrays that a call works on */
    void      (*name)(char *text, size_t room, const struct una_row_namer *rows, size_t row);
} una_row_namer;

enum { UNA_MESSAGE_SIZE = 1024 };

struct una_run {
    una_run_settings settings;   /* kernels, seed, threads resolved                                */
    una_hash_key hash_key;       /* of the root: so nobody can craft colliding keys                */
    una_arena   scratch;         /* one call's working memory (UNA_SCOPED)                          */
    una_arena   texts;           /* what a caller was given for as long as the run lives, or the task   */
    una_run    *parent;          /* of a task's child run, else NULL                               */
    una_run    *child;           /* with keep_memory: for the tasks that this thread does itself, or NULL */
    void       *lock;            /* pthread_mutex_t of the root: callbacks are never concurrent    */
    _Atomic uint64_t used;       /* bytes held now by all arenas (root)                            */
    _Atomic uint64_t scratched;  /* bytes of scratch files now (root)                              */
    _Atomic uint64_t unearned;   /* bytes that no file's own justify, now (root; gp/deferred.h)    */
    bool        memory_chosen;   /* the caller has set a limit of memory (root)                    */
    double      progress_from, progress_to;   /* the part of the whole that this stage covers      */
    struct una_lane *lane;       /* of a task of una_pool_together, else NULL                      */
    const una_tally *tally;      /* what stages are part of, also those of tasks; NULL: nothing    */
    struct una_rank_group *rank_group; /* ranks that make this call together (UNA_SHARED_CALL); NULL: none */
    una_ranks   ranks;           /* the caller's, if given: settings.ranks points here. Tasks do not see them */
    una_read_settings reading;   /* the caller's, or all 0: settings.reading points here            */
    bool        no_files;        /* options that name files are refused, in its tasks too          */
    const una_row_namer *rows;  /* NULL: "row 17"                                                 */
    size_t      first_row;       /* of the block that is worked on, among them                     */
    char        message[UNA_MESSAGE_SIZE];
};

void       una_log(una_run *run, una_log_level level, const char *format, ...) UNA_PRINTF(3, 4);
/* Reports the fraction of the current stage and asks whether to continue: UNA_CANCELLED if not. */
una_status una_tick(una_run *run, const char *stage, double fraction, double value);
/* The same without a report, which costs next to nothing: for loops over many rows, every few thousand rows. */
una_status una_check_cancelled(una_run *run, const char *stage);
/* A tally that begins now. With it in run->tally every stage is reported as "3 of 10 fits, 12 a minute: STAGE". */
una_tally  una_tally_of(const char *what, size_t done, size_t all);
/* Until una_progress_back the stages of the run fill only the part from .. to (0 to 1) of what they fill now. */
typedef struct una_span { double from, to; } una_span;
una_span   una_progress_part(una_run *run, double from, double to);
void       una_progress_back(una_run *run, una_span before);
/* What is shown where the run's progress has reached so far: the same, but in tasks of una_pool_together. */
double     una_progress_shown(const una_run *run, double reached);
bool       una_cancelled(const una_run *run);
void      *una_allocate(una_run *run, size_t size);              /* raw; counted against the limit   */
/* The same against the limit of `owner`, with which it is released; `run`, of another thread, gets the sentence of a
 * failure. */
void      *una_allocate_for(una_run *owner, size_t size, una_run *run);
uint64_t   una_memory_used(una_run *run);                        /* bytes held by all, now               */
bool       una_is_zeroed(const void *block);                       /* of una_allocate, untouched: all zeros */
una_run   *una_run_root(una_run *run);                           /* of a task's: that of the caller  */
void       una_release(una_run *run, void *block);
/* Counts memory that another library takes for us against the limit of the run, as if it were ours; false: that would
 * exceed the limit, and nothing is counted. held: bytes now held, this included. */
bool       una_memory_take(una_run *run, uint64_t size, uint64_t *held);
void       una_memory_give(una_run *run, uint64_t size);
void       una_clear_message(una_run *run);
/* The name of row `row`, from 0, of the current block, for sentences: "row 17", or the caller's own name such as
 * "new.csv, line 18". Returns `text`. */
enum { UNA_ROW_NAME_ROOM = 320 };
const char *una_row_name(char text[UNA_ROW_NAME_ROOM], size_t row, const una_run *run);
/* The memory limit of a run whose settings give none (limits.c). The limit of the control group is read below `root`,
 * which is "" except in tests; UINT64_MAX: no group, or no limit. */
uint64_t   una_default_memory(void);
uint64_t   una_cgroup_memory(const char *root);

/* ---- sums over all rows, of which this process may have a part (rank_group.c) ----------------------- */

/* Who sums over the rows of a call asks its run for the sum, in place: in a rank group that of all ranks, which have
 * the same bits everywhere (ranks.h); alone the value itself. After a failure the values are of no use, and the failure
 * is the status of all further sums; una_run_sums_check gives it for the others here, which have none to return. run
 * NULL: alone. */
una_status una_run_sum_f64(double *values, size_t count, una_run *run);
una_status una_run_sum_f32(float *values, size_t count, una_run *run);
size_t     una_run_sum_size(size_t value, una_run *run);
bool       una_run_any(bool value, una_run *run);
double     una_run_max(double value, una_run *run);
una_status una_run_sums_check(una_run *run);
/* Whether this process adds to a sum what all have alike, so that it is in there once. */
bool       una_run_counts(const una_run *run);
/* The bytes of all, one behind the other. */
una_status una_run_gather_bytes(unsigned char **all, size_t *size, const void *mine, size_t mine_size,
                                una_arena *arena, una_run *run);

/* A call that asks for such sums: ranks make it together, and all end with the failure of the first that fails. A call
 * inside of such a call is part of it. status: an una_status that is there. */
#define UNA_SHARED_CALL(status, run, call)                                   \
    do {                                                                     \
        una_rank_group una_shared;                                           \
        una_rank_group_enter(&una_shared, (run));                            \
        (status) = una_rank_group_leave(&una_shared, (call), (run));         \
    } while (0)
/* Between una_rank_group_enter and una_rank_group_leave every rank asks for the same sums, in the same order. A rank
 * that fails goes on to una_rank_group_leave, wherever the others are, and sends its sentence there: the next sum of
 * the others fails with that sentence, and so does every sum after it. So no rank waits for one that has given up, and
 * a failure may be checked late (una_run_sums_check). */
typedef struct una_rank_group {
    una_status status;           /* sticky: of the first failure, and its sentence                  */
    char       message[UNA_MESSAGE_SIZE];
} una_rank_group;
void       una_rank_group_enter(una_rank_group *rank_group, una_run *run);
una_status una_rank_group_leave(una_rank_group *rank_group, una_status status, una_run *run);
/* For the few that must know how many ranks there are: ranks that make this call (1: alone), which one this is, and
 * all [count of ranks], the value of each. */
size_t     una_rank_group_count(const una_run *run);
size_t     una_rank_group_rank(const una_run *run);
una_status una_rank_group_gather_sizes(size_t *all, size_t mine, una_run *run);

/* ---- structs of a caller's, which begin with their size (sized.c) ---------------------------------- */

/* Refuses a size that was not set. run NULL: without a sentence. */
una_status una_struct_check(const void *given, size_t size, const char *name, una_run *run);
/* What the caller gave, as a whole struct of ours: fields that the caller does not know are 0, those that we do not
 * know must be 0. given NULL: all 0. */
una_status una_struct_take(void *to, const void *given, size_t size, const char *name, una_run *run);
/* The other way, into a struct that was checked: fields that the caller does not know are not written, those that
 * we do not know become 0. */
void       una_struct_give(void *to, const void *from, size_t size);
/* Checks what no header can: the words of enums, and lists that hold no texts. */
una_status una_fit_settings_check(const una_fit_settings *settings, una_run *run);
una_status una_texts_check(const char *const *list, size_t count, const char *what, una_run *run);
#define UNA_CHECK_SIZE(given, type, run) una_struct_check((given), sizeof(type), #type, (run))
#define UNA_TAKE(to, given, type, run) una_struct_take((to), (given), sizeof(type), #type, (run))

/* ---- task pool: whole models in parallel -------------------------------------------------------- */

/* task(context, index, child): child has its own scratch, message and share of the threads (one, or more
 * where there are fewer tasks than threads). Tasks must not share mutable state. Runs all (or stops early on
 * cancel); the failure with the lowest index is reported. */
typedef una_status una_task(void *context, size_t index, una_run *child);
una_status una_pool(una_run *run, size_t tasks, una_task *task, void *context);
/* The same for tasks that may ask the rank group for sums: in a group they run one after the other, each
 * with all threads. */
una_status una_pool_in_group(una_run *run, size_t tasks, una_task *task, void *context);
/* The same for tasks that ask for things best done in one batch (together.c): all are begun, and what they ask for is
 * done at once for all of them, when each has asked or ended. */
una_status una_pool_together(una_run *run, size_t tasks, una_task *task, void *context);
/* Asks for `count` things, done by `how`, which is the same for all; also outside of such tasks, where it is called at
 * once. A failure concerns all who have asked. */
typedef una_status una_answer(void *const *asked, size_t count, una_run *run);
una_status una_ask_together(una_answer *how, void *const *asked, size_t count, una_run *run);
/* A zeroed run becomes that of a task of `parent`, with so many threads. */
void       una_run_of_task(una_run *child, una_run *parent, int threads);
/* una_pool_in_group for tasks with results of their own: `at` has `count` items of `size` bytes, zeroed, each beginning
 * with an arena that its task fills and that belongs to `run` afterwards. una_jobs_free ends them, also after a
 * failure. */
una_status una_jobs_run(una_run *run, void *at, size_t size, size_t count, una_task *task, void *context);
/* The same by una_pool_together, or in a rank group one after the other. */
una_status una_jobs_together(una_run *run, void *at, size_t size, size_t count, una_task *task, void *context);
/* Runs other tasks on the same items, which keep their arenas and add to them. */
una_status una_jobs_again(una_run *run, void *at, size_t size, size_t count, una_task *task, void *context);
void       una_jobs_free(void *at, size_t size, size_t count);
int        una_threads(const una_run *run);

/* ---- crew: one model on several threads ---------------------------------------------------------- */

/* For many short rounds of work, one after the other: its threads stay, and spin for a little while between rounds. The
 * leader, who made it, is a member and the only one to call una_crew_do. */
typedef struct una_crew una_crew;
typedef void una_piece(void *context, size_t index);
/* members: with the leader. If the system gives fewer threads, the crew is smaller: no error. Lives in the
 * arena, but must be freed before that memory goes. */
una_status una_crew_new(una_crew **crew, int members, una_arena *arena);
/* piece(context, 0 ... pieces - 1), each once, in any order and at the same time, in the leader's
 * floating-point modes; returns when all are done. Allocates nothing. A crew that is NULL does them in turn. */
void       una_crew_do(una_crew *crew, size_t pieces, una_piece *piece, void *context);
/* Claims the cache lines that the leader is about to write and the others have read, all at once instead of line by
 * line while it writes. Does nothing for a crew that is NULL or whose leader is alone. */
void       una_crew_claim(const una_crew *crew, void *at, size_t size);
int        una_crew_members(const una_crew *crew);
/* Of `count` numbers those that piece `index` of `pieces` works on: whole lines of the cache. */
typedef struct una_range { size_t first, count; } una_range;
una_range  una_piece_range(size_t count, size_t index, size_t pieces);
void       una_crew_free(una_crew *crew);                        /* waits for its threads; NULL is harmless  */

/* ---- random numbers: counter-based, keyed by (seed, purpose, index) ----------------------------- */

typedef enum una_purpose {       /* numbers are pinned: a change would change every result          */
    UNA_FOR_SPLIT = 1, UNA_FOR_FOLDS = 2, UNA_FOR_INIT = 3, UNA_FOR_BATCHES = 4, UNA_FOR_PROBES = 5,
    UNA_FOR_PERTURBATION = 6, UNA_FOR_DIRECTIONS = 7, UNA_FOR_DRAWS = 8, UNA_FOR_REFERENCES = 9,
    UNA_FOR_DATA = 10, UNA_FOR_TEST = 11, UNA_FOR_REPORT = 12, UNA_FOR_SPACE = 13, UNA_FOR_SEARCH = 14,
    UNA_FOR_AUGMENT = 15
} una_purpose;

typedef struct una_rng {
    uint32_t key[2], counter[4], buffer[4];
    int      left;               /* words left in buffer */
    int      has_spare;
    double   spare;              /* second normal of a Box-Muller pair */
} una_rng;

una_rng  una_rng_at(uint64_t seed, una_purpose purpose, uint64_t index);
uint32_t una_rng_u32(una_rng *rng);
double   una_rng_uniform(una_rng *rng);                          /* [0, 1), 53 bits */
double   una_rng_normal(una_rng *rng);
size_t   una_rng_below(una_rng *rng, size_t n);                  /* unbiased, n >= 1 */
/* An order of rows, 0..n-1, in four bytes each (beyond 2^32 rows a sentence); and the same shuffled. */
una_status una_order_new(uint32_t **order, size_t n, una_arena *arena);
void     una_rng_permute(una_rng *rng, uint32_t *order, size_t n);
int      una_by_number(const void *a, const void *b);            /* ascending doubles, for qsort and bsearch */
/* Rows in ascending order of `value`; ties by row, NANs last. NULL without memory. */
size_t  *una_order_of(const double *value, size_t rows, una_arena *arena);

/* ---- growing text, JSON writing ------------------------------------------------------------------ */

typedef struct una_text {
    una_arena *arena;
    char      *at;               /* always terminated once something was added; "" before */
    size_t     length, room;
} una_text;

una_text una_text_in(una_arena *arena);
/* snprintf and vsnprintf with a decimal point, whatever the locale of the host program. Nothing else in src may format
 * a double (tools/check_arrows.sh). */
int una_write_text(char *to, size_t room, const char *format, ...) UNA_PRINTF(3, 4);
int una_write_textv(char *to, size_t room, const char *format, va_list arguments) UNA_PRINTF(3, 0);
/* A double that is to be read back goes through una_text_number. */
void una_text_add(una_text *text, const char *format, ...) UNA_PRINTF(2, 3);
void una_text_bytes(una_text *text, const char *bytes, size_t length);
void una_text_json(una_text *text, const char *string);          /* quoted and escaped; bad UTF-8 becomes U+FFFD */
/* What stands before item `index` of a list of `count` in a sentence: "", ", " or " and ". */
const char *una_list_separator(size_t index, size_t count);
/* Whether a text is one JSON object in UTF-8, nested 64 deep at most (json.c). */
bool una_json_is_object(const char *text);
/* Length of the valid UTF-8 sequence at `at`, 0 if it is not one. */
size_t una_utf8_length(const char *at);
/* Shortest that reads back the same; null if not finite. */
void una_text_number(una_text *text, double value);
/* The same number formatting into a buffer of at least 32 bytes; "nan"/"inf" words for non-finite. */
const char *una_number_text(char buffer[32], double value);
/* What writes days as dates, or parts of a day as times (una_calendar_text); NULL: no file can hold such a moment. */
typedef const char *una_date_writer(char text[32], double number);
una_date_writer una_date_text, una_time_text;
/* The same rounded to so many significant digits, 1 to 17 (17: as it is), which is of those shortest digits, not of the
 * number itself. */
const char *una_number_digits(char buffer[32], double value, int digits);
/* Locale-free strict parse of the whole of [from, from + length): decimal or exponent form, leading and trailing
 * blanks allowed. Correctly rounded. false if it is not a number (inf, nan and hexadecimal are not numbers here).
 * A number too large for a double, such as 1e999, gives true and HUGE_VAL, so that the caller can say so; one too
 * small gives 0. */
bool una_parse_number(const char *from, size_t length, double *value);
/* Internals of both, for numbers of ordinary size (decimal.c); false: use the slow way. word 10^exponent, correctly
 * rounded; the shortest digits 10^exponent that read back as a positive `value`, which may end in zeros. */
bool una_decimal_value(double *value, uint64_t word, int exponent);
bool una_decimal_shortest(double value, uint64_t *digits, int *exponent);
/* Where a word stands in a list; `count`: it does not. */
size_t una_find_text(const char *word, const char *const *list, size_t count);
/* The nearest of `count` names to `wrong` (for "did you mean"), NULL if none is near: another case first, then a
 * name that `wrong` begins, then the smallest number of letters changed. */
const char *una_nearest(const char *wrong, const char *const *names, size_t count);

/* ---- files, whole or not at all -------------------------------------------------------------------- */

typedef struct una_file {        /* written beside the destination, renamed over it on commit */
    FILE *stream;
    char *destination, *temporary; /* temporary NULL: pipes, devices and open descriptors are written straight away */
} una_file;
/* Where `path` leads: links followed, also to a file that is not there yet; the name of a stream stays as it is. */
una_status una_file_destination(const char **destination, const char *path, una_arena *arena, una_run *run);
/* Links are followed, also to a file that is not there yet: it is replaced or made, and the links stay. /dev/stdout,
 * /dev/fd/N and their like are the descriptor itself, whatever it leads to; all other plain files are replaced.
 * destination and temporary live in the arena. After a failure there is nothing to commit, and abandon is harmless. */
una_status una_file_begin(una_file *file, const char *path, una_arena *arena, una_run *run);
/* On failure it has written the sentence and abandoned the file. Callers that write to the stream themselves get a
 * failure from commit. */
una_status una_file_write(una_file *file, const void *bytes, size_t size, una_run *run);
una_status una_file_commit(una_file *file, una_run *run);        /* flush, fsync, rename; on failure removes */
void       una_file_abandon(una_file *file);                     /* removes the temporary; safe after commit */
/* Syncs the folder of `path`, a new name, so that the name survives a loss of power too. Not every file system can. */
void       una_name_sync(const char *path);
/* Like open, for files that exist, with CLOEXEC and NOCTTY; a signal ends it only if the run is cancelled. */
int        una_open(const char *path, int flags, const una_run *run);
typedef struct una_stamp {       /* what a file was like                                            */
    bool     plain;              /* else nothing can be told of it                                  */
    uint64_t size;
    int64_t  seconds, nanoseconds;       /* of its last change                                      */
} una_stamp;

una_stamp  una_stamp_of(int handle);
/* Refuses a plain file that was written to since then: the bytes read may be part of one version and part of
 * another. */
una_status una_stamp_check(const una_stamp *stamp, int handle, const char *path, una_run *run);
/* Zeroed pages of a file without a name, aligned to pages; NULL: there are none to be had (scratch_file.c). */
void      *una_scratch_map(size_t size);
/* Counts bytes of scratch files against the limit of the run; false: too many, and not counted. */
bool       una_scratch_take(una_run *run, uint64_t size);
void       una_scratch_give(una_run *run, uint64_t size);
/* Handle of an empty file without a name, for input that comes once and is read twice; -1: there is none. */
int        una_scratch_open(void);
void       una_scratch_unmap(void *at, size_t size);
/* The CRC of gzip, PNG and zlib; start with 0 and continue with the last result. */
uint32_t   una_crc32(uint32_t crc, const void *bytes, size_t size);

/* The shape of an image: channels last. */
typedef struct una_image_shape { size_t height, width, channels; } una_image_shape;
