/* SPDX-License-Identifier: MIT
 *
 * una: regression that knows what it does not know.
 *
 * The public interface of libuna. The libraries above it have their own headers: una_report.h (pages and charts),
 * una_study.h (studies) and una_bench.h (experiments). Handles (una_run, una_dataset, una_model) are opaque; settings,
 * fit infos, predictions and scores are plain structs. Conventions:
 *   - every call that can fail returns a una_status; una_run_message(run) has the error as a sentence;
 *   - calls that create something have their outputs first; `run` is always the last argument;
 *   - the matching _free releases what a create call returned, and accepts NULL;
 *   - structs that the caller makes begin with `size`, which the caller sets: UNA_INIT(type), or .size = sizeof. This
 *     lets them grow at their end: a program compiled with an older una.h keeps working, and one compiled with a newer
 *     una.h works as long as it leaves the new fields at 0. Structs that the library makes (una_fit_info ...) also grow
 *     at their end;
 *   - the library never prints, never exits, never takes a seed from the clock, and keeps no globals;
 *   - one thread at a time uses a una_run (which starts its own worker threads); the run must outlive all that was made
 *     with it.
 */
#ifndef UNA_H
#define UNA_H

#include <stddef.h>
#include <stdint.h>

/* Around all declarations: C names in C++ too, exported by the shared libraries. */
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

/* The version is defined here only: the build, the packages and the program read it from these lines. */
#define UNA_VERSION_MAJOR 0
#define UNA_VERSION_MINOR 1
#define UNA_VERSION_PATCH 0
#define UNA_VERSION_AS_TEXT(major, minor, patch) #major "." #minor "." #patch
#define UNA_VERSION_TEXT(major, minor, patch) UNA_VERSION_AS_TEXT(major, minor, patch)
#define UNA_VERSION UNA_VERSION_TEXT(UNA_VERSION_MAJOR, UNA_VERSION_MINOR, UNA_VERSION_PATCH)

/* ---- status -------------------------------------------------------------------------------- */

/* The codes and their texts. The numbers never change; they are the exit codes of the program. */
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
const char *una_version(void);                 /* UNA_VERSION of the libuna in use, at run time */
const char *una_build_info(void);              /* lines: kernel sets, dependencies, and which of them are present */

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
    double      value;                         /* what the stage reports (loss), NAN if nothing     */
} una_progress;

typedef enum una_log_level { UNA_LOG_NOTE = 0, UNA_LOG_WARNING = 1 } una_log_level;

/* How processes that work on one job ("ranks", as in MPI) send bytes to each other. libuna_mpi fills this in from MPI;
 * for another transport, fill it in yourself. una calls the functions from one thread at a time. They return 0 on
 * success; otherwise the una call that needed them fails with UNA_E_IO. Messages between two ranks stay in order and
 * have 1 byte to 1 GiB. `send` may block until the other rank receives. All ranks run on machines of the same kind:
 * numbers have the same bytes everywhere. */
typedef struct una_ranks {
    size_t size;
    int    rank, count;                        /* number of this rank, 0 ... count - 1              */
    void  *context;
    int  (*send)(void *context, int to, const void *bytes, size_t count);
    int  (*receive)(void *context, int from, void *bytes, size_t count);       /* waits for its next message */
    int  (*arrived)(void *context, int *from, size_t *count);      /* sender and size of the next one; *from -1: none */
} una_ranks;

/* The format of text files, where it cannot be detected from the file itself (docs/use/FILES.md). */
typedef struct una_read_settings {
    size_t      size;
    char        delimiter;                     /* ',' ';' '\t' or '|'; 0: detected from the file    */
    char        decimal;                       /* '.' or ','; 0: detected                           */
    const char *dates;                         /* "dmy" or "mdy", for dates like 3/1/2024; NULL: detected */
    const char *const *words;                  /* columns to read as words, whatever they look like */
    size_t      word_count;
} una_read_settings;

typedef struct una_run_settings {
    size_t      size;
    uint64_t    seed;                          /* 0 by default                                      */
    int         threads;                       /* 0 = one per core                                  */
    uint64_t    memory_limit;                  /* bytes, not counting scratch files; 0 = four fifths of the machine's
                                                  memory, or the limit of a control group (cgroup) if that is less */
    const char *kernels;                       /* NULL or "auto", "generic", "avx2", "avx512"       */
    void *(*allocate)(void *context, size_t size);       /* NULL = malloc                           */
    void  (*release)(void *context, void *block);        /* NULL = free                             */
    void       *allocator;                     /* context of both                                   */
    void  (*log)(void *context, una_log_level level, const char *sentence);   /* NULL = silent      */
    int   (*progress)(void *context, const una_progress *progress);  /* nonzero asks to cancel      */
    void       *callbacks;                     /* context of both; calls are never concurrent       */
    const volatile int *cancel;                /* may be set by a signal handler; NULL = never      */
    int         no_cache;        /* 1: do not cache unpacked images in $XDG_CACHE_HOME/una (or ~/.cache/una). No effect
                                    on tables, which are never cached                               */
    int         verify_cache;    /* 1: unpack images even if they are cached, and replace the cached copy. No effect on
                                    tables                                                          */
    int         no_scratch;      /* 1: hold all rows in memory. By default many rows go to unnamed scratch files in
                                    $TMPDIR or /var/tmp. An allocator of your own has the same effect. */
    int         keep_memory;     /* 1: keep working memory between calls, as one block as large as the largest call so
                                    far needed, so that a call like an earlier one allocates nothing. For repeated
                                    prediction: one such run per thread, with threads = 1 (worker threads keep nothing).
                                    Several runs may use one model at the same time. */
    const char *path;            /* NULL or "auto": the fastest code path of a training step for its shape; "plain": the
                                    one code path that works for every shape, for comparison. Results differ by rounding
                                    only; models do not save it */
    const una_ranks *ranks;      /* NULL: a single process. Otherwise every rank makes the same calls: sweeps share
                                    their fits, training its rows (docs/use/RANKS.md). Must live as long as the run */
    const una_read_settings *reading;    /* for every file that is read; NULL: detect everything. Its texts must live as
                                    long as the run */
    uint64_t    scratch_limit;   /* bytes of scratch files (see no_scratch), which do not count as memory; 0 = four
                                    times memory_limit. A disk that is nearly full allows less */
} una_run_settings;

/* settings NULL: all defaults. UNA_E_USAGE: `size` is not set, or a field is set that this version does not have. */
una_status  una_run_new(una_run **run, const una_run_settings *settings);
void        una_run_free(una_run *run);
const char *una_run_message(const una_run *run);         /* of the last failed call, or ""; NULL: why there is no run */
const char *una_run_kernels(const una_run *run);         /* the kernel set in use                   */
/* Bytes of memory and of scratch files that the run may use at one time. Either may be NULL. */
void        una_run_limits(const una_run *run, uint64_t *memory, uint64_t *scratch);
/* Sets the message to `sentence` and returns `status`: for callbacks that fail and libraries built on this one. */
una_status  una_run_fail(una_run *run, una_status status, const char *sentence);

/* ---- data ------------------------------------------------------------------------------------ */

typedef struct una_dataset una_dataset;        /* a table in memory: named columns of numbers or text */

/* Reads CSV, TSV (also .gz) or NPY, by the file's name; "-" reads text from standard input. Text columns keep their
 * words, and missing cells stay missing: una_fit_settings.missing decides what to do with them. If a whole column has
 * them, percent signs, currency signs, thousands marks and units are removed, and dates become days since 1970-01-01;
 * the run's reading settings can change this (docs/use/FILES.md). A file that changes while it is read is refused. */
una_status una_dataset_read(una_dataset **data, const char *path, una_run *run);

/* If the run has ranks, reads the rows of this rank: row i of the file (from 0) goes to rank i % count. Every rank
 * reads the whole file, keeps its own rows, and knows the types of all columns. %r in the path stands for the number of
 * the rank, and then each rank has a file of its own. A failure on one rank is a failure on all, with that rank's
 * sentence. Without ranks this is una_dataset_read. */
una_status una_dataset_read_part(una_dataset **data, const char *path, una_run *run);

/* Copies arrays: x [rows, inputs] row-major, y [rows] or NULL; names [inputs + (y ? 1 : 0)], or NULL
 * for the names x1..xD and y. */
una_status una_dataset_from_arrays(una_dataset **data, const double *x, const double *y, size_t rows,
                                   size_t inputs, const char *const *names, una_run *run);

/* Copies columns of numbers or words, with names [columns] (NULL for x1..xD). Column c is numbers[c] [rows] (NAN =
 * missing), or, if numbers[c] is NULL, words[c] [rows] (NULL or "" = missing). `numbers` may be NULL if all columns are
 * words, and `words` if all are numbers. */
una_status una_dataset_from_columns(una_dataset **data, const char *const *names, const double *const *numbers,
                                    const char *const *const *words, size_t columns, size_t rows, una_run *run);

/* "cubic" (gap in [-2, 2]), "squiggle" (the same gap), "cubic_full", "squiggle_full" (no gap) with one
 * input x; "radial" with `inputs` inputs on the shell 1 <= |x| <= 2. The target is y. */
una_status una_dataset_synthetic(una_dataset **data, const char *name, size_t rows, size_t inputs,
                                 uint64_t seed, una_run *run);

/* A new table with the rows index [count], in that order. */
una_status una_dataset_rows(una_dataset **subset, const una_dataset *data, const size_t *index,
                            size_t count, una_run *run);
/* A new table with the rows that meet a condition, as in "sex == 1 and age_valid == 1". A condition may use or, and,
 * not, brackets; == != < <= > >= and + - * / with numbers and columns; ==, != and in ('a', 'b') with words in quotes;
 * missing(column). Names with blanks are written between backquotes. A comparison with a missing cell is false (so its
 * `not` is true). A note logs how many rows are left. UNA_E_USAGE: not a valid condition; UNA_E_INPUT: the table has no
 * such column, the condition compares a column of words as numbers, or no row is left (docs/use/FILES.md). */
una_status una_dataset_where(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run);
/* The same if the run has ranks and each rank has some of the rows, as from una_dataset_read_part: all ranks call it,
 * the note counts the rows of all ranks, and a failure on one rank is a failure on all. Every rank must have rows
 * left. */
una_status una_dataset_where_part(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run);
/* Positions of the rows that meet a condition, in ascending order: index has room for all rows of data, and the first
 * *count entries are filled. *count may be 0. */
una_status una_dataset_match(size_t *index, size_t *count, const una_dataset *data, const char *condition,
                             una_run *run);
/* The rows of `a`, then the rows of `b`, with the columns of `a`, which `b` must have under the same names. It is an
 * error if `b` lacks one, or if a column has words in one table and numbers in the other. */
una_status una_dataset_join(una_dataset **joined, const una_dataset *a, const una_dataset *b, una_run *run);
/* Gives the rows of the table images: the column `column` has the number of each row's image in the file at `path`,
 * counted from 0. The file is IDX (as MNIST's) or NPY, with dimensions count, height, width and optionally channels.
 * Either may be compressed with gzip; from 1 MB on a compressed file is unpacked once into the user's cache (see
 * no_cache), which is valid until the size or the times of the file change. Models see the image and no other column
 * of the row. Tables made from rows of this table have the images too. */
una_status una_dataset_add_images(una_dataset *data, const char *path, const char *column, una_run *run);
/* The image of a row: sizes gets its height, width and channels (all 0: the table has no images), numbers [height *
 * width * channels] its values as in the file, row by row, channels last. numbers NULL: the sizes only. */
una_status una_dataset_image(size_t sizes[3], double *numbers, const una_dataset *data, size_t row, una_run *run);
void        una_dataset_free(una_dataset *data);
size_t      una_dataset_row_count(const una_dataset *data);
size_t      una_dataset_column_count(const una_dataset *data);
const char *una_dataset_column_name(const una_dataset *data, size_t column);
const char *una_dataset_origin(const una_dataset *data);         /* the path of the file, or "array" */
/* The number of a row in its file or array, counted from 1 without the header; also in tables made by
 * una_dataset_rows, una_dataset_where or una_dataset_join. 0: there is no such row. */
size_t      una_dataset_row_number(const una_dataset *data, size_t row);
/* Position of a column by name. UNA_E_INPUT: no such column; the sentence names the file and a similar name. */
una_status  una_dataset_find(size_t *column, const una_dataset *data, const char *name, una_run *run);
const double *una_dataset_numbers(const una_dataset *data, size_t column);  /* NULL for a text column; NAN = missing */
/* A cell of a column of dates or times of day as text that una reads: "2024-01-13", "2024-01-13 12:30:15", "12:30".
 * NULL: the column holds something else, or the cell is missing. */
const char *una_dataset_date(char text[32], const una_dataset *data, size_t column, size_t row);
const char *const *una_dataset_words(const una_dataset *data, size_t column);  /* NULL for numbers; NULL = missing */

/* Index lists. The arrays belong to the una_split; una_split_free frees them. */
typedef struct una_split {
    size_t  size;
    size_t *train, train_count;
    size_t *test, test_count;
    size_t  tied;                              /* gap splits: training rows whose value lies inside the gap */
} una_split;
una_status una_split_random(una_split *split, size_t rows, double test_fraction, uint64_t seed, una_run *run);
/* Sorts the rows by the column (stable sort); the middle third becomes `test`. */
una_status una_split_gap(una_split *split, const una_dataset *data, const char *column, una_run *run);
/* Reads a published split file (JSON, at most 64 MB): group "standard" or "gap", index within the group. */
una_status una_split_read(una_split *split, const char *path, const char *group, size_t index, size_t rows,
                          una_run *run);
void       una_split_free(una_split *split, una_run *run);

/* ---- models ---------------------------------------------------------------------------------- */

typedef struct una_option_info {
    size_t      size;
    const char *name, *type, *initial, *range, *help;    /* all as text, as `una models NAME` prints it */
} una_option_info;

size_t      una_kind_count(void);
const char *una_kind_name(size_t kind);
const char *una_kind_summary(size_t kind);
const char *una_kind_source(size_t kind);      /* citation */
const char *una_kind_preset(size_t kind);      /* the options of --preset thesis as text, "" if none */
int         una_kind_updates(size_t kind);     /* 1 if more rows can be added exactly */
int         una_kind_relearns(size_t kind);    /* 1 if una_model_relearn can compute a new posterior */
size_t      una_kind_option_count(size_t kind);
/* The texts live as long as the run. */
una_status  una_kind_option(una_option_info *info, size_t kind, size_t option, una_run *run);

/* Checks that `spec` (see una_fit) names a model and options that fit it: UNA_E_USAGE and a sentence if not. results
 * (may be NULL): the results version of the model, which is raised whenever the numbers of the same spec and seed
 * change. */
una_status  una_spec_check(const char *spec, unsigned *results, una_run *run);
/* The canonical form of a spec, checked as above: "name(key=value, ...)" with the options that were given, in the
 * model's order, numbers in one form and texts unchanged; the same for specs inside it. Lives as long as the run. */
una_status  una_spec_text(const char **text, const char *spec, una_run *run);

/* What a fit does with missing cells: refuse the table, drop the row, or (_MEAN) fill the cell in. _MEAN replaces
 * missing numbers by the mean of their column, and adds a 0/1 input that marks them if training rows had missing cells
 * there; it replaces missing words by the most frequent word. */
typedef enum una_missing { UNA_MISSING_ERROR = 0, UNA_MISSING_DROP = 1, UNA_MISSING_MEAN = 2 } una_missing;

typedef struct una_fit_settings {
    size_t             size;
    const char        *target;                 /* column name; NULL = the last column               */
    const char        *preset;                 /* NULL or "thesis"                                  */
    const char *const *set;                    /* "key=value" texts that override the spec          */
    size_t             set_count;
    double             valid_fraction;         /* share of the rows to hold out; 0 = automatic: five folds below 1,000
                                                  rows (100,000 if several members are kept), else 15 % of the rows, at
                                                  least 20                                          */
    const una_dataset *valid;                  /* or your own validation rows; not used for the posterior */
    una_missing        missing;
    size_t             other;                  /* > 0: levels with fewer rows share the level "other". New words also
                                                  get a level, one without training rows: "other" if no row has it,
                                                  else "never seen". Ignorance there is at least that of any known
                                                  word (docs/use/FILES.md)                          */
    const char *const *targets;                /* several columns to predict at once, instead of `target`; a target does
                                                  not use the rows in which its cell is missing     */
    size_t             target_count;           /* 0: one, `target`                                  */
    const char *const *drop;                   /* columns to leave out, whatever they hold          */
    size_t             drop_count;
    const char *const *only;                   /* or the only columns to use as inputs; need not name targets */
    size_t             only_count;             /* 0: all                                            */
    int                log_target;             /* 1: learn the logarithm of the target (of all targets). Answers are
                                                  still in its own units (docs/use/LOG.md). Every value must be above
                                                  0                                                 */
    int                hold_out;               /* 1: keep the out-of-fold or held-out predictions
                                                  (una_model_held_out); does not change the model   */
    int                no_files;               /* 1: refuse options that name files, which a fit would open: for specs
                                                  from somebody else, such as that of a loaded model */
    const char        *group;                  /* a column whose equal cells say which rows belong together, as those of
                                                  one patient. It is no input; noise, weights and scores are those of
                                                  new groups (docs/use/START.md). NULL: none        */
} una_fit_settings;

typedef struct una_curve {                     /* the course of training, for the report            */
    size_t  count;
    double *step, *loss, *valid_log_lik, *mean_cos2;     /* NAN where not measured                  */
} una_curve;

typedef struct una_fit_info {                  /* all in the units of the data                      */
    const char *kind;
    const char *spec;                          /* kind with every option filled in: fit with it to repeat the fit
                                                  (not after una_model_relearn: a note says so)     */
    const char *target;
    una_missing missing;                       /* as in the settings of the fit; to repeat it, pass these too */
    size_t      other;
    size_t      rows, inputs;                  /* rows in the posterior; inputs the model sees      */
    double      noise_std, prior_var, log_evidence;
    double      mean_cos2;                     /* of the heads; NAN if there are none               */
    size_t      valid_rows;                    /* 0 if none were held out                           */
    double      valid_rmse, valid_log_lik;     /* from before the held-out rows joined the posterior */
    double      seconds;                       /* of this call; 0 after loading                     */
    size_t      steps;                         /* optimiser steps in total                          */
    size_t      warning_count;
    const char *const *warnings;               /* plain sentences                                   */
    size_t      note_count;
    const char *const *notes;                  /* constant columns left out, rows dropped ...       */
    una_curve   curve;                         /* empty after loading                               */
    const double *relevance;                   /* [una_model_input_count] how fast the target changes with each input;
                                                  mean square 1 over the inputs that the model sees; NULL: not
                                                  computed                                          */
    const char *const *drop;                   /* drop and only as in the settings of the fit; to repeat it, pass these
                                                  too                                               */
    size_t      drop_count;
    const char *const *only;
    size_t      only_count;
    int         log_target;                    /* 1: the model has learnt log y. noise_std and valid_rmse refer to
                                                  log y; valid_log_lik is of the density of y itself */
    size_t      updates, rows_added;           /* since the fit: updates, and rows that they added  */
    size_t      added_scored;                  /* how many of these were predicted before the model took them in: all,
                                                  but for very many                                 */
    double      added_z2, added_log_lik;       /* then: mean squared error over predicted variance, 1 expected, and
                                                  log-likelihood per row; 0 where none were predicted, and for the
                                                  whole of several targets                          */
    const char *group;                         /* as in the settings of the fit; NULL: none         */
    double      noise_scale, noise_freedom;    /* of the noise, Student's t: its scale, and its degrees of freedom, or
                                                  below 1 the share of outliers in Gaussian noise of that scale; of a
                                                  stack the t with the mean variance and squared scale; Gaussian:
                                                  noise_std, and infinite                           */
} una_fit_info;

typedef struct una_model una_model;

/* Fits a model. `spec` is a name with options, e.g. "luna", "nlm(training=map, penalty=1)"; NULL = "auto" ("luna" with
 * a preset, over ranks and for images). settings NULL: all defaults. If the run has ranks, each rank calls this with
 * its own part of the rows (and of settings->valid), and all get the same model, fitted to all rows; luna, nlm and
 * linear support this (docs/use/RANKS.md). */
una_status una_fit(una_model **model, const char *spec, const una_dataset *data,
                   const una_fit_settings *settings, una_run *run);
void       una_model_free(una_model *model);
const una_fit_info *una_model_info(const una_model *model);
size_t      una_model_input_count(const una_model *model);      /* columns that it needs, before one-hot encoding */
const char *una_model_input_name(const una_model *model, size_t input);
const char *una_model_options_json(const una_model *model);     /* {"width":50,...}: all of them      */

/* Predictions for rows that did not train the model that predicted them: out-of-fold, or of held-out rows. */
typedef struct una_held_out {
    size_t        rows;
    const size_t *row;                         /* [rows] positions in the table of the fit, from 0, ascending */
    const double *y, *mean, *std_epistemic, *std_noise;        /* [rows] in the target's units               */
    const double *below;                       /* [rows] predicted probability of a value below y            */
    size_t        folds;                       /* 0: one part of the rows was held out                       */
    const double *lower, *upper;               /* [rows] 95 % band, by mean and variance (of log y, if the model has
                                                  learnt that)                                               */
} una_held_out;
/* Needs una_fit_settings.hold_out. Kinds that leave out rows while they fit give those predictions. gp is fitted again
 * without each of five folds (from 500 rows on without three of them, from 1,000 on without two). Other kinds are
 * fitted again with the options that were chosen: without each of three folds, or from 1,000 rows on once without a
 * fifth of the rows. NULL: not asked for, the model was loaded or fitted over ranks, or there are too few rows or too
 * little memory for these fits. In a model of several targets each target has its own. */
const una_held_out *una_model_held_out(const una_model *model);

/* A model of several targets contains one model per target, for predictions, scores and slopes. Saving, loading,
 * updates, relearning and draws of functions take the whole model, and so does una_predict_file, which writes columns
 * for each target; other calls with the whole model are UNA_E_USAGE. Its info has what the targets share: kind, rows,
 * notes, and the spec that repeats the fit (options that each target chose for itself are auto there; the spec of one
 * target's model would repeat a fit to that target alone); info->target is "a, b". A model of one target has count 1
 * and is its own target 0. The models of the targets live as long as the whole model. */
size_t           una_model_target_count(const una_model *model);
const una_model *una_model_target(const una_model *model, size_t target);      /* NULL behind the last */
/* cov [rows, targets, targets]: the predictive covariance of the targets in each row, in their own units: of the
 * functions (noise = 0), or of new observations (noise = 1). Targets that were fitted separately have covariance 0.
 * After an update in which some rows lack a target, each target uses the rows that it has, and their covariance is an
 * estimate: it assumes that the functions are correlated as the noise is. */
una_status       una_model_covariance(const una_model *model, const una_dataset *data, int noise, double *cov,
                                      una_run *run);
/* Mean joint log density of all targets of a row, over the rows that have all targets; rows (may be NULL): how many
 * these are (0: log_lik is NAN). For targets that were fitted separately: the sum of their log-likelihoods. */
una_status       una_model_joint_log_lik(double *log_lik, size_t *rows, const una_model *model, const una_dataset *data,
                                         una_run *run);

una_status una_model_save(const una_model *model, const char *path, una_run *run);
una_status una_model_load(una_model **model, const char *path, una_run *run);
/* *bytes belongs to the caller: free it with una_memory_free. */
una_status una_model_save_memory(const una_model *model, void **bytes, size_t *size, una_run *run);
una_status una_model_load_memory(una_model **model, const void *bytes, size_t size, una_run *run);
void       una_memory_free(void *bytes, una_run *run);
/* The JSON header of a model file, without loading the model. Free *json with una_memory_free. */
una_status una_file_info(char **json, const char *path, una_run *run);

/* Arrays [rows] that the caller provides; any may be NULL. In the units of y. */
typedef struct una_prediction {
    size_t  size;
    double *mean, *std, *std_epistemic, *std_noise, *lower, *upper;
} una_prediction;

/* Matches the columns of `data` by name and ignores others. level: of the band; 0.95 puts 2.5 % below lower. */
una_status una_model_predict(const una_model *model, const una_dataset *data, double level,
                             const una_prediction *out, una_run *run);
/* q [rows, count] row-major: quantiles of a new observation, exact for mixtures too. levels [count]: between 0 and 1,
 * in ascending order; 0.5 is the median. */
una_status una_model_quantiles(const una_model *model, const una_dataset *data, const double *levels, size_t count,
                               double *q, una_run *run);
/* x [rows, una_model_input_count] row-major: numbers, for models without text columns or images (for others make a
 * table with una_dataset_from_columns). */
una_status una_model_predict_rows(const una_model *model, const double *x, size_t rows, double level,
                                  const una_prediction *out, una_run *run);
/* f [draws, rows]: functions drawn jointly over the rows, from the posterior (prior = 0) or the prior (1). For several
 * targets f is [targets, draws, rows], and the k-th functions of all targets are drawn jointly; draws from the model of
 * one target are not related to those of another. If the model has learnt log y, each function is given as the mean of
 * y that it implies, so that draws vary around `mean` by std_epistemic; also in una_model_functions. */
una_status una_model_draw(const una_model *model, const una_dataset *data, size_t draws, int prior,
                          double *f, una_run *run);
/* f [count, rows]: the functions of auxiliary heads, members ...; f NULL: the count only. */
una_status una_model_functions(const una_model *model, const una_dataset *data, size_t *count, double *f, una_run *run);
/* Slopes at one point x [una_model_input_count]: dmean, dstd [una_model_input_count] are the derivatives of the mean
 * and of the epistemic std by each input. */
una_status una_model_slope(const una_model *model, const double *x, double *dmean, double *dstd, una_run *run);
/* The predictive distribution of the function, without noise, as a mixture of Gaussians: committees have one part per
 * member (members that are committees: one per member of theirs), all others have one part. If members have no
 * ignorance of their own (nn), the spread between them is one part. The caller provides the arrays; any may be NULL. In
 * the units of y. UNA_E_USAGE if the model has learnt log y: then y is not a mixture of Gaussians. */
typedef struct una_parts {
    size_t  size;
    double *weight;                            /* [parts], sum 1                                    */
    double *mean, *std;                        /* [rows, parts]                                     */
    double *dmean, *dstd;                      /* [rows, parts, una_model_input_count] slopes       */
} una_parts;
size_t     una_model_part_count(const una_model *model);                /* 0 for several targets */
/* x [rows, una_model_input_count] row-major: numbers, as in una_model_predict_rows. */
una_status una_model_parts(const una_model *model, const double *x, size_t rows, const una_parts *out, una_run *run);
/* One function drawn from the posterior (draw `index` of the run's seed) as a model of its own: its mean is that
 * function everywhere, and its ignorance is 0. It can be saved like any model, but not updated. Exact and cheap for
 * linear heads and committees of them; for sampled networks it is one of the samples. UNA_E_USAGE if the draw is from a
 * Gaussian process (for that use una_model_draw, which draws functions at given rows). */
una_status una_model_sample(una_model **function, const una_model *model, uint64_t index, una_run *run);
/* A new model with the features of `model` and a new posterior from the rows of `data` alone: to transfer features to
 * another target (under the same name; centre and scale are computed from these rows), or to change noise_std and
 * prior_var with `set` ("key=value"). Options that are not set stay as they are; auto chooses by evidence. For kinds
 * with linear heads and gp. Over ranks, each with some of the rows: for the kinds that una_fit supports there. */
una_status una_model_relearn(una_model **relearnt, const una_model *model, const una_dataset *data,
                             const char *const *set, size_t set_count, una_run *run);
/* Adds rows to the posterior exactly; the features stay. After a failure the model is unchanged. */
una_status una_model_update(una_model *model, const una_dataset *data, una_run *run);
typedef struct una_update_settings {
    size_t size;                               /* sizeof(una_update_settings)                       */
    int    adapt;                              /* 1: the scale of the noise, and the weights of auto, are set by what the
                                                  model predicts of the rows before it takes them in; the features and
                                                  the shape of the noise stay. UNA_E_USAGE: the kind cannot */
} una_update_settings;
/* The same with settings; NULL: all defaults. Where the rows contradict the model, a warning says so: in the information
 * of the model, and logged. */
una_status una_model_update_with(una_model *model, const una_dataset *data, const una_update_settings *settings,
                                 una_run *run);
/* The same from arrays, for models without text columns: x [rows, una_model_input_count] row-major, y [rows], or for
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

/* Scores all rows of a table with the model's inputs and target; exact for models that predict a mixture too. */
una_status una_model_score(una_score *score, const una_model *model, const una_dataset *data, una_run *run);
/* The same, and below [rows of data] (may be NULL): the predicted probability of a value below the target of each row.
 * If the model is right, these are uniform between 0 and 1. */
una_status una_model_score_rows(una_score *score, double *below, const una_model *model, const una_dataset *data,
                                una_run *run);

/* ---- how good is the model: the verdict (docs/methods/VERDICT.md) ------------------------------------- */

typedef enum una_finding_kind {
    UNA_FOUND_NOTHING_LEARNT = 0,              /* "nothing_learnt": no better than the mean         */
    UNA_FOUND_TOO_GOOD = 1,                    /* "too_good": a column almost equals the target     */
    UNA_FOUND_SUSPECT_ROWS = 2,                /* "suspect_rows": cells far from all others         */
    UNA_FOUND_BINARY_TARGET = 3,               /* "binary_target"                                   */
    UNA_FOUND_COUNT_TARGET = 4,                /* "count_target"                                    */
    UNA_FOUND_POSITIVE_TARGET = 5,             /* "positive_target": bands reach below 0, or skewed */
    UNA_FOUND_FEW_ROWS = 6,                    /* "few_rows": fewer than inputs, or too few to tell */
    UNA_FOUND_WORSE_THAN_LINEAR = 7,           /* "worse_than_linear": linear regression is better  */
    UNA_FOUND_COPIED_ROWS = 8,                 /* "copied_rows": rows with the same inputs and target */
    UNA_FOUND_PILED_TARGET = 9,                /* "piled_target": many rows have its smallest or largest value */
    UNA_FOUND_SHARE_TARGET = 10,               /* "share_target": from 0 to 1, and bands reach beyond */
    UNA_FOUND_GROUPED_ROWS = 11                /* "grouped_rows": a column whose equal cells have alike errors */
} una_finding_kind;

typedef struct una_finding {
    una_finding_kind kind;
    const char *name;                          /* as in the comments above, for programs            */
    const char *sentence;                      /* with rows, columns and what to do                 */
    const char *column;                        /* the column concerned; NULL: none                  */
} una_finding;

typedef struct una_suspect {                   /* a cell that may be wrong                          */
    size_t      row;                           /* position in the table, from 0                     */
    size_t      line;                          /* line in the file; 0: not from a file              */
    const char *column;
    double      value;
    const char *why;                           /* "lies 41 robust standard deviations ..."          */
    size_t      number;                        /* of the row, as from una_dataset_row_number        */
    const char *origin;                        /* the file, if the table was joined; else NULL      */
} una_suspect;

typedef struct una_verdict {
    const char *sentence;                      /* a short summary                                   */
    size_t      rows;                          /* held-out or out-of-fold rows, used for the verdict */
    double      explained, explained_low, explained_high;      /* share of the variance, and its 95 % interval */
    double      explained_linear;              /* by linear regression, on the same rows; NAN: not tried */
    double      rmse, rmse_mean, rmse_linear;  /* of the model, of predicting the mean, of linear regression */
    double      band;                          /* median width of the 95 % band, in the units of the target */
    double      coverage_95;                   /* share of these rows inside their 95 % band        */
    size_t      finding_count;
    const una_finding *findings;
    size_t      suspect_count;
    const una_suspect *suspects;               /* by row                                            */
    double      band_factor;                   /* f, if the model has learnt log y: 95 % of new values lie between the
                                                  median / f and the median * f; else 0             */
    double      error_95;                      /* 19 of 20 new values should lie within +- this of the answer: the .95
                                                  quantile of the absolute errors of these rows     */
    double      error_factor_95;               /* the same as a factor of the median, if the model has learnt log y;
                                                  else 0                                            */
    size_t      rows_aside;                    /* suspicious rows that hold most of the spread or of the squared errors;
                                                  0: none, and the next four are NAN                */
    double      explained_aside, linear_aside; /* share explained without these rows, by the model and by linear
                                                  regression that has not seen them                 */
    double      error_95_aside, error_factor_95_aside;
    size_t      inputs;                        /* columns that the model uses; 0: nothing was learnt, or there are
                                                  images or very many columns, and the next two are NULL */
    const char *const *input_names;            /* [inputs]                                          */
    const double *importance;                  /* [inputs] what shuffling the column's cells among these rows costs, as
                                                  a share of the variance of the target: an estimate without refits,
                                                  from a few hundred rows (una_importance_of refits) */
} una_verdict;

/* The verdict on a fit to `data` with una_fit_settings.hold_out, from its held-out or out-of-fold predictions. For
 * several targets, pass the model of one target. UNA_E_USAGE: the model has no such predictions, or `data` is not the
 * table of the fit. */
una_status una_judge(una_verdict **verdict, const una_model *model, const una_dataset *data, una_run *run);
void       una_verdict_free(una_verdict *verdict);

/* ---- which inputs matter (docs/use/REPORT.md) ------------------------------------------------------ */

/* Permutation importance: how much the squared error on held-out rows grows when a column is shuffled among them, as a
 * share of the variance of the target, with 95 % intervals over the rows. gp and linear predict these rows with a
 * posterior computed without them; other kinds are fitted again to 70 % of the rows (small tables: twice), with at most
 * two members. */
typedef struct una_importance {
    const char   *target;
    size_t        inputs, rows, repeats;       /* columns that the model uses; held-out rows; shuffles of each column */
    const char *const *names;                  /* [inputs] as from una_model_input_name             */
    const double *rise, *low, *high;           /* [inputs]                                          */
    const size_t *order;                       /* [inputs] positions, the most important first      */
    double        error;                       /* without shuffling, the same share                 */
} una_importance;

/* data: rows with the model's inputs and target, usually the table of the fit. Not for images, and not for several
 * targets at once (pass the model of one target). The same seed gives the same numbers. */
una_status una_importance_of(una_importance **importance, const una_model *model, const una_dataset *data,
                             una_run *run);
void       una_importance_free(una_importance *importance);

/* ---- why is a prediction unsure: ignorance by concepts (docs/use/EXPLAIN.md) ----------------------------- */

typedef struct una_concept {                   /* a named group of rows                             */
    size_t        size;
    const char   *name;
    const char   *where;                       /* a condition as in una_dataset_where; NULL: the rows in the list */
    const size_t *rows;                        /* [row_count] positions in the table `shown`, from 0 */
    size_t        row_count;
    int           numbered;                    /* 1: `rows` has una_dataset_row_number - 1 instead: rows of the file,
                                                  some of which the table may not have              */
} una_concept;

typedef struct una_concepts { size_t count; const una_concept *at; } una_concepts;
/* Reads a file with lines "name: condition" or "name: rows 3, 17, 20-25" (counted from 1 in the file of the table),
 * or a JSON object of at most 64 MB. */
una_status una_concepts_read(una_concepts **concepts, const char *path, una_run *run);
void       una_concepts_free(una_concepts *concepts);

enum { UNA_WHITE_POSTERIOR = 0, UNA_WHITE_ROWS = 1 };
enum { UNA_DISAGREEMENT_APART = 0, UNA_DISAGREEMENT_SPLIT = 1 };

typedef struct una_explain_settings {
    size_t             size;
    const una_concept *concepts;
    size_t             concept_count;
    const una_dataset *shown;                  /* rows in which the concepts are looked up, with the model's inputs;
                                                  NULL: the rows to explain                         */
    size_t             axes;                   /* axes in feature space per concept, at most; 0 = 4 */
    int                whitening;              /* which covariance is the identity in the coordinates used:
                                                  UNA_WHITE_POSTERIOR: of the posterior; _ROWS: of the training rows */
    int                disagreement;           /* between members of a mixture: UNA_DISAGREEMENT_APART: a part of its
                                                  own; _SPLIT: split along the same axes            */
} una_explain_settings;

/* For every row its ignorance, as in una_model_predict, and the parts of its square (which sum to the square). */
typedef struct una_explanation {
    const char   *target;
    size_t        rows, concepts, parts;
    const char *const *names;                  /* [parts] the concepts; then "other"; "disagreement" if the model is a
                                                  mixture and this is a part of its own; "not split" if some of its
                                                  members have no linear head                       */
    const double *mean, *std_epistemic;        /* [rows] in the units of the target; for a model of log y, of log y
                                                  (a warning says so)                               */
    const double *part;                        /* [rows, parts] in these units squared; may be negative: by rounding,
                                                  with UNA_WHITE_ROWS, and with UNA_DISAGREEMENT_SPLIT */
    const double *share;                       /* [parts] share of the sum over all rows            */
    const size_t *order;                       /* [rows] positions, the most unsure row first       */
    const size_t *shown;                       /* [concepts] how many rows of `shown` have each     */
    size_t        axes, features;              /* axes per concept, and number of coordinates, in the member with
                                                  the fewest                                        */
    size_t        members;                     /* members with a linear head                        */
    size_t        warning_count;
    const char *const *warnings;
    const size_t *number;                      /* [rows] as from una_dataset_row_number; outputs name rows by these */
} una_explanation;

/* Splits the ignorance of each row of `data` by concepts. For models with linear heads (luna, nlm, tuna, linear, sngp)
 * and mixtures in which at least one member has one; UNA_E_USAGE for others. */
una_status una_explain(una_explanation **explanation, const una_model *model, const una_dataset *data,
                       const una_explain_settings *settings, una_run *run);
void       una_explanation_free(una_explanation *explanation);
/* The largest part of a row, as an index of names; SIZE_MAX: the row has no ignorance at all. */
size_t     una_explanation_largest(const una_explanation *explanation, size_t row);
/* "Row 17 is unsure mostly because of 'old' (63 % of its ignorance)." into text [room], cut if it is longer. */
void       una_explanation_sentence(const una_explanation *explanation, size_t row, char *text, size_t room);
/* CSV with header row,mean,std_epistemic,part_NAME..., rows counted from 1 as in their file. After a failure there is
 * no partial file. */
una_status una_explanation_write(const una_explanation *explanation, const char *path, una_run *run);

/* ---- files, row by row (any size) ------------------------------------------------------------- */

typedef struct una_predict_settings {
    size_t size;
    double level;                              /* of the bands; 0 = 0.95                            */
    int    keep;                               /* 1: copy the input columns before the answers      */
    size_t draws;                              /* K: add columns draw_1..draw_K                     */
    una_status (*write)(void *context, const char *bytes, size_t count); /* receives the answers if there is no path;
                                                  its failure ends the call (una_run_fail says why) */
    void  *writer;                             /* context of write                                  */
    const char *where;                         /* NULL, or a condition as in una_dataset_where: only these rows get
                                                  answers. A note logs how many; UNA_E_INPUT if there are none */
    const char *images;                        /* NULL, or the file with the images of the rows, for a model of images
                                                  (una_dataset_add_images)                          */
    const double *quantiles;                   /* [quantile_count] levels as in una_model_quantiles: adds columns
                                                  q0.05 ... after the others                        */
    size_t quantile_count;
    int    digits;                             /* significant digits of the answers, 1 to 17; with 17, numbers are
                                                  exact when read back; 0 = 9                       */
} una_predict_settings;

typedef struct una_file_settings {             /* which rows of a file, and their images            */
    size_t size;                               /* sizeof(una_file_settings)                         */
    const char *where, *images;                /* as in una_predict_settings                        */
    int adapt;                                 /* as in una_update_settings; for updates alone      */
} una_file_settings;

/* Predicts a file of any size and writes CSV with header mean,std,std_epistemic,std_noise,lower,upper (for several
 * targets mean_a, ... upper_a, mean_b, ...). After a failure there is no partial file. out_path NULL: the text goes to
 * settings->write piece by piece. rows (may be NULL): how many rows were predicted. */
una_status una_predict_file(const una_model *model, const char *data_path, const una_predict_settings *settings,
                            const char *out_path, size_t *rows, una_run *run);
una_status una_score_file(una_score *score, const una_model *model, const char *data_path, una_run *run);
/* Adds all rows of the file or none: after a failure the model is unchanged. Rows that are twice in the file, or that
 * the model already has (for kinds that keep rows: gp), are added too, with a warning. rows (may be NULL): how many. */
una_status una_update_file(una_model *model, const char *data_path, size_t *rows, una_run *run);
/* The same for some of the rows, or for rows with images; settings NULL: all rows, no images. */
una_status una_score_file_with(una_score *score, const una_model *model, const char *data_path,
                               const una_file_settings *settings, una_run *run);
una_status una_update_file_with(una_model *model, const char *data_path, const una_file_settings *settings,
                                size_t *rows, una_run *run);

UNA_END_DECLS

#endif
