/* SPDX-License-Identifier: MIT
 *
 * una: regression that knows what it does not know.
 *
 * The whole public face of libuna; una_report.h (pages and charts), una_study.h (studies) and una_bench.h (experiments)
 * are those of the libraries above it. Handles (una_run, una_dataset, una_model) are opaque; settings, fit infos,
 * predictions and scores are plain structs. Conventions:
 *   - every call that can fail returns a una_status; the sentence is in una_run_message(run);
 *   - outputs come first in calls that create something, `run` comes last always;
 *   - whatever a create call gave is released by the matching _free, which accepts NULL;
 *   - structs that a caller makes begin with their `size`, which he sets: UNA_INIT(type), or .size = sizeof. So they
 *     can grow at their end: a program compiled with an older una.h goes on working, and one compiled with a newer one
 *     works as long as it leaves what is new at 0. Structs that the library makes (una_fit_info ...) grow there, too;
 *   - the library never prints, exits, reads the clock for seeds or keeps globals;
 *   - a una_run is used by one thread at a time (it starts its own workers) and outlives what was made with it.
 */
#ifndef UNA_H
#define UNA_H

#include <stddef.h>
#include <stdint.h>

/* Around what headers declare: C names in C++ too, and shared libraries give them out. */
#if defined(__GNUC__)
#define UNA_SHOW_BEGIN _Pragma("GCC visibility push(default)")
#define UNA_SHOW_END _Pragma("GCC visibility pop")
#else
#define UNA_SHOW_BEGIN
#define UNA_SHOW_END
#endif
#ifdef __cplusplus
#define UNA_BEGIN_DECLS extern "C" { UNA_SHOW_BEGIN
#define UNA_END_DECLS UNA_SHOW_END }
#else
#define UNA_BEGIN_DECLS UNA_SHOW_BEGIN
#define UNA_END_DECLS UNA_SHOW_END
#endif

UNA_BEGIN_DECLS

/* The one place where the version stands: the build, the packages and the program take it from here. */
#define UNA_VERSION_MAJOR 0
#define UNA_VERSION_MINOR 1
#define UNA_VERSION_PATCH 0
#define UNA_VERSION_AS_TEXT(major, minor, patch) #major "." #minor "." #patch
#define UNA_VERSION_TEXT(major, minor, patch) UNA_VERSION_AS_TEXT(major, minor, patch)
#define UNA_VERSION UNA_VERSION_TEXT(UNA_VERSION_MAJOR, UNA_VERSION_MINOR, UNA_VERSION_PATCH)

/* ---- status -------------------------------------------------------------------------------- */

/* One list makes the codes and their texts. Numbers are pinned and are the program's exit codes. */
#define UNA_STATUS_LIST(X)                                                  \
    X(UNA_OK, 0, "done")                                                    \
    X(UNA_E_USAGE, 1, "wrong usage: unknown name or value out of range")    \
    X(UNA_E_INPUT, 2, "bad input: the contents of a file or array")         \
    X(UNA_E_NUMERIC, 3, "numerical failure")                                \
    X(UNA_E_MEMORY, 4, "out of memory, or refused for size")                \
    X(UNA_E_IO, 5, "cannot read or write")                                  \
    X(UNA_CANCELLED, 130, "interrupted")

typedef enum una_status {
#define UNA_STATUS_ENUM(code, number, text) code = number,
    UNA_STATUS_LIST(UNA_STATUS_ENUM)
#undef UNA_STATUS_ENUM
} una_status;

const char *una_status_text(una_status status);
const char *una_version(void);                 /* UNA_VERSION of the libuna that was met */
const char *una_build_info(void);              /* lines: kernel sets, dependencies, which are there */

#ifdef __cplusplus
#define UNA_INIT(type) ([] { type made = type(); made.size = sizeof(type); return made; }())
#else
#define UNA_INIT(type) { .size = sizeof(type) }
#endif

/* ---- run: seed, threads, allocator, messages ------------------------------------------------ */

typedef struct una_run una_run;

typedef struct una_progress {
    const char *stage;                         /* "training luna", "reading" ...; in a sweep "3 of 10 fits, 12 a
                                                  minute: training luna"                            */
    double      fraction;                      /* 0..1 of the whole call                            */
    double      value;                         /* what the stage watches (loss), NAN if nothing     */
} una_progress;

typedef enum una_log_level { UNA_LOG_NOTE = 0, UNA_LOG_WARNING = 1 } una_log_level;

/* Processes that work on one thing together, "ranks" as MPI calls them: how they send bytes to each other. libuna_mpi
 * makes this of MPI; whoever has another way fills it in. Calls come from one thread at a time; 0: done, else the call
 * of una that needed it fails with UNA_E_IO. Messages between two ranks keep their order, and are 1 byte to 1 GiB. A
 * send may wait until the other one receives. All ranks are machines of one kind: bytes mean the same to all. */
typedef struct una_ranks {
    size_t size;
    int    rank, count;                        /* which one this is, 0 ... count - 1                */
    void  *context;
    int  (*send)(void *context, int to, const void *bytes, size_t count);
    int  (*receive)(void *context, int from, void *bytes, size_t count);       /* waits for that rank's next message */
    int  (*arrived)(void *context, int *from, size_t *count);      /* whose is the next, how long; *from -1: none yet */
} una_ranks;

/* How text files are written, where that is not to be found from the file itself (docs/use/FILES.md). */
typedef struct una_read_settings {
    size_t      size;
    char        delimiter;                     /* ',' ';' '\t' or '|'; 0: found from the file       */
    char        decimal;                       /* '.' or ','; 0: found                              */
    const char *dates;                         /* "dmy" or "mdy", for dates such as 3/1/2024; NULL: found */
    const char *const *words;                  /* columns that stay words, whatever they look like  */
    size_t      word_count;
} una_read_settings;

typedef struct una_run_settings {
    size_t      size;
    uint64_t    seed;                          /* 0 by default                                      */
    int         threads;                       /* 0 = one per core                                  */
    uint64_t    memory_limit;                  /* bytes, without scratch files; 0 = four fifths of the machine's memory,
                                                  or what a control group (cgroup) allows if that is less */
    const char *kernels;                       /* NULL or "auto", "generic", "avx2", "avx512"       */
    void *(*allocate)(void *context, size_t size);       /* NULL = malloc                           */
    void  (*release)(void *context, void *block);        /* NULL = free                             */
    void       *allocator;                     /* context of both                                   */
    void  (*log)(void *context, una_log_level level, const char *sentence);   /* NULL = silent      */
    int   (*progress)(void *context, const una_progress *progress);  /* nonzero asks to cancel      */
    void       *callbacks;                     /* context of both; calls are never concurrent       */
    const volatile int *cancel;                /* may be set by a signal handler; NULL = never      */
    int         no_cache;        /* 1: unpacked images are not kept in $XDG_CACHE_HOME/una (or ~/.cache/una). For
                                    tables it does nothing: they are not kept                       */
    int         verify_cache;    /* 1: images are unpacked all the same, and replace what is kept there. For tables it
                                    does nothing                                                    */
    int         no_scratch;      /* 1: many rows are held in memory too, not in scratch files that have no name in
                                    $TMPDIR or /var/tmp. An allocator of your own has the same effect. */
    int         keep_memory;     /* 1: a workspace. Working memory is kept between calls, in one piece as large as the
                                    largest call needed so far, so that a call like an earlier one allocates nothing.
                                    For prediction again and again: one such run per thread, with threads = 1 (helping
                                    threads keep nothing). A model may be asked through several runs at once. */
    const char *path;            /* NULL or "auto": the fastest way through a training step for its shape; "plain": the
                                    one way that serves every shape, for comparison. Numbers agree but for rounding;
                                    models do not remember it */
    const una_ranks *ranks;      /* NULL: alone. Else every rank makes the same calls: sweeps share their fits, training
                                    its rows (docs/use/RANKS.md); lasts as long as the run */
    const una_read_settings *reading;    /* for every file that is read; NULL: all is found. Its texts last as long as
                                    the run */
    uint64_t    scratch_limit;   /* bytes of scratch files (see no_scratch), which are not counted as memory; 0 = four
                                    times memory_limit. A disk that is nearly full allows less */
} una_run_settings;

/* NULL = all defaults. UNA_E_USAGE: the settings' size was not set, or they ask for what this version does not know. */
una_status  una_run_new(una_run **run, const una_run_settings *settings);
void        una_run_free(una_run *run);
const char *una_run_message(const una_run *run);         /* of the last failed call, "" if none; NULL: why no run */
const char *una_run_kernels(const una_run *run);         /* the kernel set in use                   */
/* Bytes of memory and of scratch files that the run may take at a time. Either may be NULL. */
void        una_run_limits(const una_run *run, uint64_t *memory, uint64_t *scratch);
/* Makes `sentence` the message and returns `status`: for callbacks that fail and for libraries above this one. */
una_status  una_run_fail(una_run *run, una_status status, const char *sentence);

/* ---- data ------------------------------------------------------------------------------------ */

typedef struct una_dataset una_dataset;        /* a table in memory: named columns of numbers or text */

/* Reads CSV, TSV (also .gz) or NPY, by the file's name; "-" is the standard input, as text. Text columns keep their
 * levels, missing cells are remembered: what they mean is decided when a model is fitted. Where a whole column is
 * written so, percent signs, currency and thousands marks and units are taken off, and dates become days since
 * 1970-01-01; the run's reading settings say otherwise (docs/use/FILES.md). A file that is written to
 * while it is read is refused. */
una_status una_dataset_read(una_dataset **data, const char *path, una_run *run);

/* The rows of this rank, where the run has ranks: row i of the file (from 0) goes to rank i % count. Every rank reads
 * through the whole file, keeps its part, and knows the types of all columns. With %r in the path it stands for the
 * number of the rank, and each has a file of its own. What fails on one rank fails on all, with that rank's sentence.
 * Without ranks it is una_dataset_read. */
una_status una_dataset_read_part(una_dataset **data, const char *path, una_run *run);

/* Copies arrays: x [rows, inputs] row-major, y [rows] or NULL; names [inputs + (y ? 1 : 0)] or NULL
 * for x1..xD and y. */
una_status una_dataset_from_arrays(una_dataset **data, const double *x, const double *y, size_t rows,
                                   size_t inputs, const char *const *names, una_run *run);

/* Copies columns, of numbers or of words, with names [columns] (NULL for x1..xD): numbers[c] [rows] (NAN = missing), or
 * where that is NULL words[c] [rows] (NULL or "" = missing). numbers or words may be NULL if it is never needed. */
una_status una_dataset_from_columns(una_dataset **data, const char *const *names, const double *const *numbers,
                                    const char *const *const *words, size_t columns, size_t rows, una_run *run);

/* "cubic" (gap in [-2, 2]), "squiggle" (the same gap), "cubic_full", "squiggle_full" (no gap) with one
 * input x; "radial" with `inputs` inputs on the shell 1 <= |x| <= 2. Target y. Seeded by `seed`. */
una_status una_dataset_synthetic(una_dataset **data, const char *name, size_t rows, size_t inputs,
                                 uint64_t seed, una_run *run);

/* A new table with the rows `index`[count], in that order. */
una_status una_dataset_rows(una_dataset **subset, const una_dataset *data, const size_t *index,
                            size_t count, una_run *run);
/* A new table with the rows for which a condition holds: "sex == 1 and age_valid == 1", with or, and, not, brackets,
 * == != < <= > >= and + - * / of numbers and columns; ==, != and in ('a', 'b') of words in quotes; missing(column). A
 * name with blanks stands between backquotes. A comparison with a missing cell is false (so `not` of it is true). How
 * many rows are left is logged as a note. UNA_E_USAGE: it is no condition; UNA_E_INPUT: the table has no such column,
 * or a column of words where numbers are compared, or no row is left (docs/use/FILES.md). */
una_status una_dataset_where(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run);
/* The same where the run has ranks and each of them has some of the rows, as by una_dataset_read_part: all call it, the
 * note counts the rows of all, and what fails on one rank fails on all. Every rank must have rows left. */
una_status una_dataset_where_part(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run);
/* Positions of the rows for which a condition holds, in their order: index [rows of data], of which *count are filled.
 * There may be none. */
una_status una_dataset_match(size_t *index, size_t *count, const una_dataset *data, const char *condition,
                             una_run *run);
/* The rows of `a`, then those of `b`, with the columns of `a`, found in `b` by name. A column that `b` lacks, or that
 * holds words in one table and numbers in the other, is an error. */
una_status una_dataset_join(una_dataset **joined, const una_dataset *a, const una_dataset *b, una_run *run);
/* Rows of the table name images: the column `column` has their numbers in the file at `path`, counted from 0. The file
 * is IDX, as MNIST's, or NPY, with sizes count, height, width and perhaps channels; either may be compressed with gzip,
 * and is, from 1 MB on, then unpacked once and kept in a cache of the user's (see no_cache), which is good until the
 * file's size or times change. Models see the image and nothing else of a row. What a table has, tables made of its
 * rows have, too. */
una_status una_dataset_add_images(una_dataset *data, const char *path, const char *column, una_run *run);
/* The image that a row names, for pictures: sizes are its height, width and channels (all 0: the table has no images),
 * numbers [their product] what stands in the file, row by row of the image, channels last; NULL: the sizes alone. */
una_status una_dataset_image(size_t sizes[3], double *numbers, const una_dataset *data, size_t row, una_run *run);
void        una_dataset_free(una_dataset *data);
size_t      una_dataset_row_count(const una_dataset *data);
size_t      una_dataset_column_count(const una_dataset *data);
const char *una_dataset_column_name(const una_dataset *data, size_t column);
const char *una_dataset_origin(const una_dataset *data);         /* the path that was read, or "array" */
/* Which row of its file or array a row is, counted from 1 without the header: also of a table from which others were
 * left out (una_dataset_rows, una_dataset_where), or that was joined. 0: there is no such row. */
size_t      una_dataset_row_number(const una_dataset *data, size_t row);
/* Position of a column by name; UNA_E_INPUT says where it was looked for and which name is near. */
una_status  una_dataset_find(size_t *column, const una_dataset *data, const char *name, una_run *run);
const double *una_dataset_numbers(const una_dataset *data, size_t column);  /* NULL for a text column; NAN = missing */
/* A cell of a column of dates or times of day as text that una reads: "2024-01-13", "2024-01-13 12:30:15", "12:30".
 * NULL: the column holds something else, or the cell is missing. */
const char *una_dataset_date(char text[32], const una_dataset *data, size_t column, size_t row);
const char *const *una_dataset_words(const una_dataset *data, size_t column);  /* NULL for numbers; NULL = missing */

/* Index lists. The arrays belong to the una_split and go with una_split_free. */
typedef struct una_split {
    size_t  size;
    size_t *train, train_count;
    size_t *test, test_count;
    size_t  tied;                              /* gap splits: training rows whose value lies inside the gap */
} una_split;
una_status una_split_random(una_split *split, size_t rows, double test_fraction, uint64_t seed, una_run *run);
/* The middle third of the column, sorted (stable), becomes `test`. */
una_status una_split_gap(una_split *split, const una_dataset *data, const char *column, una_run *run);
/* Published split files: group "standard" or "gap", index within the group. JSON of at most 64 MB. */
una_status una_split_read(una_split *split, const char *path, const char *group, size_t index, size_t rows,
                          una_run *run);
void       una_split_free(una_split *split, una_run *run);

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct una_option_info {
    size_t      size;
    const char *name, *type, *initial, *range, *help;    /* all text, as `una models NAME` prints them */
} una_option_info;

size_t      una_kind_count(void);
const char *una_kind_name(size_t kind);
const char *una_kind_summary(size_t kind);
const char *una_kind_source(size_t kind);      /* citation */
const char *una_kind_preset(size_t kind);      /* the options of --preset thesis as text, "" if none */
int         una_kind_updates(size_t kind);     /* 1 if more rows can be added exactly */
int         una_kind_relearns(size_t kind);    /* 1 if una_model_relearn can give it another posterior */
size_t      una_kind_option_count(size_t kind);
/* texts live as long as run */
una_status  una_kind_option(una_option_info *info, size_t kind, size_t option, una_run *run);

/* Whether `spec` (see una_fit) names a model and fitting options: UNA_E_USAGE and a sentence if not. results (may be
 * NULL): its results version, raised whenever the numbers of the same spec and seed change. */
una_status  una_spec_check(const char *spec, unsigned *results, una_run *run);
/* The one way of writing a spec, checked as above: "name(key=value, ...)" with the options given, as the model
 * orders them, numbers in one form and texts as they are; so inside of it. It lives as long as run. */
una_status  una_spec_text(const char **text, const char *spec, una_run *run);

/* _MEAN: missing numbers become their column's mean, and a 0/1 input of its own tells the model of it where training
 * rows had such cells; missing words become the most frequent one. */
typedef enum una_missing { UNA_MISSING_ERROR = 0, UNA_MISSING_DROP = 1, UNA_MISSING_MEAN = 2 } una_missing;

typedef struct una_fit_settings {
    size_t             size;
    const char        *target;                 /* column name; NULL = the last column               */
    const char        *preset;                 /* NULL or "thesis"                                  */
    const char *const *set;                    /* "key=value" texts that win over the spec          */
    size_t             set_count;
    double             valid_fraction;         /* 0 = automatic: five folds below 1,000 rows (100,000 where
                                                  several members are kept), else 15 %, at least 20 */
    const una_dataset *valid;                  /* or rows of the caller's; not used for the posterior */
    una_missing        missing;
    size_t             other;                  /* > 0: levels with fewer rows share an "other" level. Words never seen
                                                  have a level of which no row can tell: that one, or where some row
                                                  has it, another; ignorance is at least what it would be with any
                                                  word that was seen (docs/use/FILES.md)                */
    const char *const *targets;                /* several columns to predict at once, instead of `target`; cells may be
                                                  missing: a target then goes without those rows    */
    size_t             target_count;           /* 0: one, `target`                                  */
    const char *const *drop;                   /* columns that are left out, whatever they hold     */
    size_t             drop_count;
    const char *const *only;                   /* or all that may be inputs; targets need not be named */
    size_t             only_count;             /* 0: all                                            */
    int                log_target;             /* 1: the logarithm of the target is learnt, of all of them, and answers
                                                  are in its own units all the same (docs/use/LOG.md); every
                                                  value must be above 0                             */
    int                hold_out;               /* 1: keep what was foretold of rows not seen (una_model_held_out); the
                                                  model is the same without it                      */
    int                no_files;               /* 1: the spec is somebody else's, as that of a model that was loaded:
                                                  options that name files, which would be opened, are refused */
} una_fit_settings;

typedef struct una_curve {                     /* what training did, for the report                 */
    size_t  count;
    double *step, *loss, *valid_log_lik, *mean_cos2;     /* NAN where not measured                  */
} una_curve;

typedef struct una_fit_info {                  /* all in the user's own units                       */
    const char *kind;
    const char *spec;                          /* kind with every option filled in: pass it back to repeat
                                                  (not after una_model_relearn: a note says so)     */
    const char *target;
    una_missing missing;                       /* as in the settings of the fit: pass them back too */
    size_t      other;
    size_t      rows, inputs;                  /* rows in the posterior; inputs the model sees      */
    double      noise_std, prior_var, log_evidence;
    double      mean_cos2;                     /* NAN where there are no heads                      */
    size_t      valid_rows;                    /* 0 if none were held out                           */
    double      valid_rmse, valid_log_lik;     /* from before the posterior took the held-out rows in */
    double      seconds;                       /* of this call; 0 after loading                     */
    size_t      steps;                         /* optimiser steps in all                            */
    size_t      warning_count;
    const char *const *warnings;               /* plain sentences                                   */
    size_t      note_count;
    const char *const *notes;                  /* constant columns left out, rows dropped ...       */
    una_curve   curve;                         /* empty after loading                               */
    const double *relevance;                   /* [una_model_input_count] how fast the target moves with each input,
                                                  of mean square 1 over the inputs that the model sees; NULL: it was
                                                  not looked for                                    */
    const char *const *drop;                   /* columns that were left out by request, or all that were allowed: pass
                                                  them back too                                     */
    size_t      drop_count;
    const char *const *only;
    size_t      only_count;
    int         log_target;                    /* 1: the logarithm was learnt. noise_std and valid_rmse are those of
                                                  log y; valid_log_lik is the density of y itself   */
} una_fit_info;

typedef struct una_model una_model;

/* `spec` is a name with options, e.g. "luna", "nlm(training=map, penalty=1)"; NULL = "auto" ("luna" with a preset,
 * over ranks and for images). Where the run has ranks, each of them calls this with its own part of the rows (and of
 * settings->valid), and all get the same model of all rows; luna, nlm and linear can do so (docs/use/RANKS.md). */
una_status una_fit(una_model **model, const char *spec, const una_dataset *data,
                   const una_fit_settings *settings, una_run *run);
void       una_model_free(una_model *model);
const una_fit_info *una_model_info(const una_model *model);
size_t      una_model_input_count(const una_model *model);      /* columns it needs, before one-hot coding */
const char *una_model_input_name(const una_model *model, size_t input);
const char *una_model_options_json(const una_model *model);     /* {"width":50,...}: all of them      */

/* What a fit foretold of rows that had not been seen: out of folds, or held out. */
typedef struct una_held_out {
    size_t        rows;
    const size_t *row;                         /* [rows] of the table of the fit, from 0, ascending          */
    const double *y, *mean, *std_epistemic, *std_noise;        /* [rows] in the target's units               */
    const double *below;                       /* [rows] probability that was given to less than y           */
    size_t        folds;                       /* 0: one part of the rows was held out                       */
    const double *lower, *upper;               /* [rows] 95 % band, by mean and variance (of log y, where that was
                                                  learnt)                                                    */
} una_held_out;
/* With una_fit_settings.hold_out. Kinds that leave out rows by themselves tell what they said of them; gp is fitted
 * again without each fold (of five; from 500 rows on without three, from 1,000 on without two of them); others, with
 * the options that were chosen, without each of three folds, or from 1,000 rows on once without a fifth of the rows.
 * NULL: it was not asked for, the model was loaded, ranks fitted it, or rows or memory do not suffice for fits without a
 * fold. Of several targets each part has its own. */
const una_held_out *una_model_held_out(const una_model *model);

/* A model of several targets holds one of each, to be asked by itself: predictions, scores, slopes. It is saved,
 * loaded, updated and relearnt as a whole, and functions are drawn of the whole (una_predict_file writes columns for
 * each target); other calls with the whole are UNA_E_USAGE. Its info has what is common: kind, rows, notes, and the
 * spec that repeats the fit (what each target chose for itself is auto there; the spec of a part would repeat a fit to
 * that target alone); target is "a, b". Of one target: 1, and the model itself. The parts live as long as the whole. */
size_t           una_model_target_count(const una_model *model);
const una_model *una_model_target(const una_model *model, size_t target);      /* NULL behind the last */
/* cov [rows, targets, targets]: of what is predicted for a row, in the targets' own units: of the functions (noise 0)
 * or with the noise. Targets that were fitted apart have a covariance of 0. After an update in which some rows lack a
 * target, each target rests on the rows that it has, and that they go together as their noise does is an estimate. */
una_status       una_model_covariance(const una_model *model, const una_dataset *data, int noise, double *cov,
                                      una_run *run);
/* Mean log density of all targets of a row at once, over the rows that have them all; rows (may be NULL): how many
 * these are (0: log_lik is NAN). Targets that were fitted apart: the sum of their log-likelihoods. */
una_status       una_model_joint_log_lik(double *log_lik, size_t *rows, const una_model *model, const una_dataset *data,
                                         una_run *run);

una_status una_model_save(const una_model *model, const char *path, una_run *run);
una_status una_model_load(una_model **model, const char *path, una_run *run);
una_status una_model_save_memory(const una_model *model, void **bytes, size_t *size, una_run *run);
una_status una_model_load_memory(una_model **model, const void *bytes, size_t size, una_run *run);
void       una_memory_free(void *bytes, una_run *run);
/* The JSON header of a model file, without loading the model. Free with una_memory_free. */
una_status una_file_info(char **json, const char *path, una_run *run);

/* Arrays of the caller's [rows]; any may be NULL. In y's own units. */
typedef struct una_prediction {
    size_t  size;
    double *mean, *std, *std_epistemic, *std_noise, *lower, *upper;
} una_prediction;

/* Columns of `data` are matched by name, others ignored. level: 0.95 puts 2.5 % below lower. */
una_status una_model_predict(const una_model *model, const una_dataset *data, double level,
                             const una_prediction *out, una_run *run);
/* q [rows, count] row-major: quantiles of what a new observation will be, exact also for mixtures. levels [count] lie
 * between 0 and 1, in ascending order: 0.5 is the median. */
una_status una_model_quantiles(const una_model *model, const una_dataset *data, const double *levels, size_t count,
                               double *q, una_run *run);
/* x [rows, una_model_input_count] row-major: numbers, for models without text columns or images (others are asked with
 * a table, una_dataset_from_columns). */
una_status una_model_predict_rows(const una_model *model, const double *x, size_t rows, double level,
                                  const una_prediction *out, una_run *run);
/* f [draws, rows]: functions drawn jointly over the rows from posterior or prior. Of several targets
 * [targets, draws, rows], the k-th functions of all targets drawn jointly; those of a part alone know no other part.
 * Where the logarithm was learnt, a function is the mean of y that it stands for, so that draws vary about `mean` by
 * std_epistemic; so in una_model_functions. */
una_status una_model_draw(const una_model *model, const una_dataset *data, size_t draws, int prior,
                          double *f, una_run *run);
/* f [count, rows]: auxiliary heads, members ...; f NULL asks for the count only. */
una_status una_model_functions(const una_model *model, const una_dataset *data, size_t *count, double *f, una_run *run);
/* Slopes at one point x [una_model_input_count] of numbers: dmean, dstd [the same] of the mean and
 * of the epistemic std. */
una_status una_model_slope(const una_model *model, const double *x, double *dmean, double *dstd, una_run *run);
/* The function, without noise, as the mixture of Gaussians that the model takes it for: committees have a part for each
 * member (and of members that are committees, for each of theirs), all others one. Where no member has ignorance of its
 * own (nn), their disagreement is one part. Arrays of the caller's; in y's own units; any may be NULL. UNA_E_USAGE
 * where the logarithm of y was learnt: y is no mixture of Gaussians then. */
typedef struct una_parts {
    size_t  size;
    double *weight;                            /* [parts], adding up to 1                           */
    double *mean, *std;                        /* [rows, parts]                                     */
    double *dmean, *dstd;                      /* [rows, parts, una_model_input_count] slopes       */
} una_parts;
size_t     una_model_part_count(const una_model *model);                /* 0 for several targets */
/* x [rows, una_model_input_count] row-major: numbers, as in una_model_predict_rows. */
una_status una_model_parts(const una_model *model, const double *x, size_t rows, const una_parts *out, una_run *run);
/* One function drawn from the posterior, the index-th of the run's seed, as a model that is sure of it: its mean is
 * that function everywhere, its ignorance 0. It can be saved like any model, but not updated. Exact and cheap for
 * linear heads and committees of them; of sampled networks it is one of the samples. UNA_E_USAGE where it falls to a
 * Gaussian process (una_model_draw gives its functions at rows that are named beforehand). */
una_status una_model_sample(una_model **function, const una_model *model, uint64_t index, una_run *run);
/* A new model with the features of `model` and a posterior of its own, of the rows of `data` alone: transfer to another
 * target (under the same name; its centre and scale are those of the rows), or other values of noise_std and prior_var,
 * `set` as "key=value". What is not set stays as it was, auto means by evidence. Linear heads and gp can do it; ranks
 * that have some of the rows each, those kinds that una_fit can share. */
una_status una_model_relearn(una_model **relearnt, const una_model *model, const una_dataset *data,
                             const char *const *set, size_t set_count, una_run *run);
/* More rows into the posterior, features kept: exact. After a failure the model is as it was. */
una_status una_model_update(una_model *model, const una_dataset *data, una_run *run);
/* The same from arrays, for models without text columns: x [rows, una_model_input_count] row-major, y [rows], or of
 * several targets [rows, targets] with NAN for missing cells. */
una_status una_model_update_rows(una_model *model, const double *x, const double *y, size_t rows, una_run *run);

/* ---- scores ---------------------------------------------------------------------------------- */

typedef struct una_score {
    size_t size;
    size_t rows;
    double rmse, log_lik, crps, coverage_50, coverage_90, coverage_95, calibration_error;
    double mean_std_epistemic, mean_std_noise;
} una_score;

una_status una_score_gaussian(una_score *score, const double *y, const double *mean, const double *std_epistemic,
                              const double *std_noise, size_t rows, una_run *run);

/* On all rows of a table with the model's inputs and its target; right also for models that predict a mixture. */
una_status una_model_score(una_score *score, const una_model *model, const una_dataset *data, una_run *run);
/* The same, and below [rows of data] (may be NULL): the probability that the model gave to less than each row's target.
 * Over many rows these are spread evenly if the model is right. */
una_status una_model_score_rows(una_score *score, double *below, const una_model *model, const una_dataset *data,
                                una_run *run);

/* ---- is the model any good: the verdict (docs/methods/VERDICT.md) ------------------------------------- */

typedef enum una_finding_kind {
    UNA_FOUND_NOTHING_LEARNT = 0,              /* "nothing_learnt": no better than the mean         */
    UNA_FOUND_TOO_GOOD = 1,                    /* "too_good": a column that all but is the target   */
    UNA_FOUND_SUSPECT_ROWS = 2,                /* "suspect_rows": cells unlike all others           */
    UNA_FOUND_BINARY_TARGET = 3,               /* "binary_target"                                   */
    UNA_FOUND_COUNT_TARGET = 4,                /* "count_target"                                    */
    UNA_FOUND_POSITIVE_TARGET = 5,             /* "positive_target": bands reach below 0, or skewed */
    UNA_FOUND_FEW_ROWS = 6,                    /* "few_rows": fewer than inputs, or too few to judge */
    UNA_FOUND_WORSE_THAN_LINEAR = 7,           /* "worse_than_linear": linear regression is better  */
    UNA_FOUND_COPIED_ROWS = 8                  /* "copied_rows": inputs and target stand in other rows too */
} una_finding_kind;

typedef struct una_finding {
    una_finding_kind kind;
    const char *name;                          /* as above, for programs                            */
    const char *sentence;                      /* with rows, columns and what to do                 */
    const char *column;                        /* that it is about; NULL: none                      */
} una_finding;

typedef struct una_suspect {                   /* a cell that may be wrong                          */
    size_t      row;                           /* of the table, from 0                              */
    size_t      line;                          /* of the file; 0: it came from no file              */
    const char *column;
    double      value;
    const char *why;                           /* "lies 41 robust standard deviations ..."          */
    size_t      number;                        /* of the row, as una_dataset_row_number             */
    const char *origin;                        /* of a table that was joined: the file; else NULL   */
} una_suspect;

typedef struct una_verdict {
    const char *sentence;                      /* one that a person can repeat                      */
    size_t      rows;                          /* that had not been seen, by which it is judged     */
    double      explained, explained_low, explained_high;      /* share of the variance, and its 95 % interval */
    double      explained_linear;              /* by linear regression, of the same rows; NAN: not tried */
    double      rmse, rmse_mean, rmse_linear;  /* of the model, of always saying the mean, of linear regression */
    double      band;                          /* median width of the 95 % band, in the target's units */
    double      coverage_95;                   /* share of those rows inside of theirs              */
    size_t      finding_count;
    const una_finding *findings;
    size_t      suspect_count;
    const una_suspect *suspects;               /* by row                                            */
    double      band_factor;                   /* where the logarithm was learnt: 95 % of new values lie within so many
                                                  times the median and that part of it; else 0      */
} una_verdict;

/* What a fit to `data` with una_fit_settings.hold_out is worth, by rows that it had not seen. Of several targets: of a
 * part. UNA_E_USAGE: the model kept none, or the table is another one. */
una_status una_judge(una_verdict **verdict, const una_model *model, const una_dataset *data, una_run *run);
void       una_verdict_free(una_verdict *verdict);

/* ---- which inputs matter (docs/use/REPORT.md) ------------------------------------------------------ */

/* How much the squared error of rows that the judging model has not seen rises when a column is shuffled among them, as
 * a share of the target's variance; with 95 % intervals over the rows. gp and linear judge with their posterior anew
 * without those rows; others are fitted again to 70 % of the rows (small tables: twice), with at most two members. */
typedef struct una_importance {
    const char   *target;
    size_t        inputs, rows, repeats;       /* columns that the model uses; rows that judged; shuffles of each */
    const char *const *names;                  /* [inputs] as una_model_input_name                  */
    const double *rise, *low, *high;           /* [inputs]                                          */
    const size_t *order;                       /* [inputs] that which matters most first            */
    double        error;                       /* without shuffling, the same share                 */
} una_importance;

/* data: rows with the model's inputs and its target, as of the fit. Not for images, nor several targets at once (ask
 * their parts). Same seed, same numbers. */
una_status una_importance_of(una_importance **importance, const una_model *model, const una_dataset *data,
                             una_run *run);
void       una_importance_free(una_importance *importance);

/* ---- why is a row unsure: ignorance by concepts (docs/use/EXPLAIN.md) ----------------------------- */

typedef struct una_concept {                   /* what some rows have in common, under a name       */
    size_t        size;
    const char   *name;
    const char   *where;                       /* a condition as in una_dataset_where; NULL: the rows of the list */
    const size_t *rows;                        /* [row_count] of the table that shows the concepts, from 0 */
    size_t        row_count;
    int           numbered;                    /* 1: these are una_dataset_row_number - 1: rows of the file, of which
                                                  the table may have left some out                  */
} una_concept;

typedef struct una_concepts { size_t count; const una_concept *at; } una_concepts;
/* From a file with lines "name: condition" or "name: rows 3, 17, 20-25" (counted from 1 in the file that the
 * table comes from), or a JSON object of at most 64 MB. */
una_status una_concepts_read(una_concepts **concepts, const char *path, una_run *run);
void       una_concepts_free(una_concepts *concepts);

enum { UNA_WHITE_POSTERIOR = 0, UNA_WHITE_ROWS = 1 };
enum { UNA_DISAGREEMENT_APART = 0, UNA_DISAGREEMENT_SPLIT = 1 };

typedef struct una_explain_settings {
    size_t             size;
    const una_concept *concepts;
    size_t             concept_count;
    const una_dataset *shown;                  /* rows that show what the concepts are, with the model's inputs; NULL:
                                                  those that are explained                          */
    size_t             axes;                   /* of the features for each concept, at most; 0 = 4  */
    int                whitening;              /* UNA_WHITE_POSTERIOR: features in which the posterior is white; _ROWS:
                                                  in which the training rows are                    */
    int                disagreement;           /* of a mixture's members: UNA_DISAGREEMENT_APART: a part of its own;
                                                  _SPLIT: by the same axes                          */
} una_explain_settings;

/* Of every row: ignorance as una_model_predict has it, and the parts of its square, which add up to it. */
typedef struct una_explanation {
    const char   *target;
    size_t        rows, concepts, parts;
    const char *const *names;                  /* [parts] of the concepts; then "other"; "disagreement", where the model
                                                  is a mixture and this stays apart; "not split", where some of its
                                                  members have no linear head                       */
    const double *mean, *std_epistemic;        /* [rows] in the target's units; of a model of its logarithm, those of
                                                  the logarithm, as a warning says                  */
    const double *part;                        /* [rows, parts] in the square of these; may be negative: by rounding,
                                                  with UNA_WHITE_ROWS, and where disagreement is split */
    const double *share;                       /* [parts] of the sum over all rows                  */
    const size_t *order;                       /* [rows] the most unsure first                      */
    const size_t *shown;                       /* [concepts] rows that show each                    */
    size_t        axes, features;              /* axes of each concept, and coordinates there are, in the member with
                                                  the fewest                                        */
    size_t        members;                     /* with a linear head                                */
    size_t        warning_count;
    const char *const *warnings;
    const size_t *number;                      /* [rows] as una_dataset_row_number: by these rows are named */
} una_explanation;

/* The ignorance of each row of `data`, split by concepts: models with linear heads (luna, nlm, tuna, linear, sngp) and
 * mixtures in which some member has one; UNA_E_USAGE for others. */
una_status una_explain(una_explanation **explanation, const una_model *model, const una_dataset *data,
                       const una_explain_settings *settings, una_run *run);
void       una_explanation_free(una_explanation *explanation);
/* The largest part of a row, SIZE_MAX where it has no ignorance at all. */
size_t     una_explanation_largest(const una_explanation *explanation, size_t row);
/* "Row 17 is unsure mostly because of 'old' (63 % of its ignorance)." into text [room], cut where there is no room. */
void       una_explanation_sentence(const una_explanation *explanation, size_t row, char *text, size_t room);
/* CSV with header row,mean,std_epistemic,part_NAME..., rows counted from 1 as in their file; whole or not at all. */
una_status una_explanation_write(const una_explanation *explanation, const char *path, una_run *run);

/* ---- files, row by row (any size) ------------------------------------------------------------- */

typedef struct una_predict_settings {
    size_t size;
    double level;                              /* 0 = 0.95                                          */
    int    keep;                               /* copy the input columns before the answer          */
    size_t draws;                              /* columns draw_1..draw_K                            */
    una_status (*write)(void *context, const char *bytes, size_t count); /* takes the answers where there is no path;
                                                  a failure ends the call (una_run_fail says why)   */
    void  *writer;                             /* its context                                       */
    const char *where;                         /* NULL, or a condition as in una_dataset_where: other rows get no
                                                  answer. How many match is logged; UNA_E_INPUT if none does */
    const char *images;                        /* NULL, or the file of the images that rows name, for a model of images
                                                  (una_dataset_add_images)                          */
    const double *quantiles;                   /* [quantile_count] levels as in una_model_quantiles: columns q0.05 ...
                                                  behind the others                                 */
    size_t quantile_count;
    int    digits;                             /* significant digits of what is written, 1 to 17: with 17 numbers read
                                                  back as they were; 0 = 9                          */
} una_predict_settings;

typedef struct una_file_settings {             /* which rows of a file, and what they name          */
    size_t size;                               /* sizeof(una_file_settings)                         */
    const char *where, *images;                /* as in una_predict_settings                        */
} una_file_settings;

/* CSV with header mean,std,std_epistemic,std_noise,lower,upper (of several targets mean_a, ... upper_a, mean_b, ...),
 * whole or not at all; out_path NULL: piece by piece to settings->write. rows (may be NULL): how many were
 * predicted. */
una_status una_predict_file(const una_model *model, const char *data_path, const una_predict_settings *settings,
                            const char *out_path, size_t *rows, una_run *run);
una_status una_score_file(una_score *score, const una_model *model, const char *data_path, una_run *run);
/* All rows of the file or none: after a failure the model is as it was. Rows that stand twice in the file, or that the
 * model rests on already where its kind keeps rows (gp), are taken in, and a warning is logged. */
una_status una_update_file(una_model *model, const char *data_path, size_t *rows, una_run *run);
/* The same of some rows, or of rows that name images; settings NULL: all rows, no images. */
una_status una_score_file_with(una_score *score, const una_model *model, const char *data_path,
                               const una_file_settings *settings, una_run *run);
una_status una_update_file_with(una_model *model, const char *data_path, const una_file_settings *settings,
                                size_t *rows, una_run *run);

UNA_END_DECLS

#endif
