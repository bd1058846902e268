/* SPDX-License-Identifier: MIT
 *
 * What the verbs of the program share. Each verb is one file that ends in a const cli_verb; its flag table
 * is the only place where flags are written down: parsing, --help, the man page and the shell completions
 * are all made from it.
 */
#pragma once

#include "una.h"
#include "una_bench.h"
#include "una_study.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__GNUC__)
#define CLI_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_PRINTF(text, first)
#endif

/* Returns a failure to the caller. The sentence of one that nobody has told is told at the end. */
#define CLI_TRY(call) do { una_status status_ = (call); if (status_ != UNA_OK) return status_; } while (0)

/* ---- flags and verbs ------------------------------------------------------------------------------ */

typedef enum cli_type {
    CLI_SWITCH,                  /* no value                                                        */
    CLI_TEXT,                    /* anything                                                        */
    CLI_FILE,                    /* a file that is read: completed as a path, as are the next two   */
    CLI_FILE_OUT,                 /* a file that is written                                          */
    CLI_FILE_UPDATED,                 /* read, and what is written may take its place                    */
    CLI_FOLDER,                  /* a directory                                                     */
    CLI_OPTION,                  /* KEY=VALUE of a model                                            */
    CLI_MODEL,                   /* a model spec: completed with the names of the registry          */
    CLI_COLUMN,                  /* a column of the table, or several: completed from its header    */
    CLI_CHOICE,                  /* one of the words in `choices`                                   */
    CLI_COUNT,                   /* a whole number, low <= value <= high                            */
    CLI_SHARE,                   /* a number, 0 < value < 1                                         */
    CLI_NUMBER,                  /* any finite number; as an argument it may begin with a dash      */
    CLI_SIZE                     /* bytes, with an optional ending K, M, G or T                     */
} cli_type;

typedef struct cli_flag {
    const char *name;            /* without the dashes; NULL ends a table                           */
    cli_type    type;
    const char *metavar;         /* NULL for switches                                               */
    const char *help;            /* one or two lines' worth; wrapped when printed                   */
    const char *choices;         /* CLI_CHOICE: "drop|mean"                                         */
    uint64_t    low, high;       /* CLI_COUNT                                                       */
    bool        many;            /* may be repeated; otherwise the last one counts                  */
} cli_flag;

#define CLI_FLAG(name, type, metavar, help) { name, type, metavar, help, NULL, 0, 0, false }
#define CLI_FLAG_MANY(name, type, metavar, help) { name, type, metavar, help, NULL, 0, 0, true }
#define CLI_FLAG_SWITCH(name, help) { name, CLI_SWITCH, NULL, help, NULL, 0, 0, false }
#define CLI_FLAG_CHOICE(name, metavar, choices, help) { name, CLI_CHOICE, metavar, help, choices, 0, 0, false }
#define CLI_FLAG_COUNT(name, metavar, low, high, help) { name, CLI_COUNT, metavar, help, NULL, low, high, false }
#define CLI_FLAG_WHERE                                                                                               \
    CLI_FLAG("where", CLI_TEXT, "CONDITION", "only the rows for which this holds, of every table that is read: "     \
             "'sex == 1 and age < 30', \"kind in ('a', 'b') or missing(age)\"; with and, or, not, == != < <= > >= "  \
             "and + - * /; a comparison with a missing cell is false")
#define CLI_FLAG_IMAGES                                                                                              \
    CLI_FLAG("images", CLI_FILE, "FILE", "a file of images: IDX as MNIST's, or NPY with channels last; also .gz. "    \
             "Each row names one by its number, counted from 0, and the model sees this image and no other column")
#define CLI_FLAG_INDEX                                                                                               \
    CLI_FLAG("index", CLI_TEXT, "COLUMN", "with --images: the column that has the numbers of images (default index, "  \
             "or the model's own)")
#define CLI_FLAG_DROP                                                                                                \
    CLI_FLAG_MANY("drop", CLI_COLUMN, "A,B,...", "leave these columns out, whatever they hold; remembered with the "  \
                  "model")
#define CLI_FLAG_ONLY                                                                                                \
    CLI_FLAG_MANY("only", CLI_COLUMN, "A,B,...", "use these columns as inputs and no others; remembered with the "    \
                  "model")
#define CLI_FLAG_GROUP                                                                                               \
    CLI_FLAG("group", CLI_COLUMN, "COLUMN", "rows with the same cell here belong together, as those of one patient: " \
             "they are left out together, and what is reported holds for new ones; the column is no input; "          \
             "remembered with the model")
/* What every verb that fits several models asks about columns. */
#define CLI_FLAGS_COLUMNS                                                                                            \
    CLI_FLAG_DROP, CLI_FLAG_ONLY,                                                                                    \
    CLI_FLAG_CHOICE("missing", "HOW", "drop|mean", "what to do with missing cells: drop the row, or fill in the "    \
                    "column's mean (default: refuse)"),                                                              \
    CLI_FLAG_COUNT("other", "N", 1, 1000000000, "levels of text columns with fewer than N rows become one level "    \
                   "'other'")
#define CLI_FLAG_END { NULL, CLI_SWITCH, NULL, NULL, NULL, 0, 0, false }

enum {                           /* which of the common flags a verb has                            */
    CLI_WITH_SEED = 1, CLI_WITH_RUN = 2, CLI_WITH_JSON = 4, CLI_WITH_QUIET = 8,
    CLI_WITH_COMMAND = 16,       /* no flag: what stands behind -- is a command of its own          */
    CLI_WITH_RANKS = 32,         /* no flag: under mpirun all ranks work on it; else rank 0 alone   */
    CLI_WITH_READING = 64,       /* it reads tables: --delimiter, --decimal, --dates, --words       */
    CLI_BY_PIECES = 128,         /* no flag: a table is read piece by piece, so that flags about the cache and
                                    scratch files are left out                                      */
    CLI_IS_SUMMARY = 256         /* no flag: what it tells people is left out with --quiet           */
};

typedef struct cli cli;

/* Verbs of two words with the same first one stand together in the list and are shown as one. */
typedef struct cli_family { const char *name, *summary, *about, *examples; } cli_family;

typedef struct cli_operand { const char *name; cli_type type; const char *help; } cli_operand;

typedef struct cli_verb {
    const char     *name, *summary;  /* a name may be two words, "study ask": one verb of a family   */
    const char     *about;       /* a paragraph; wrapped when printed                               */
    cli_operand     operands[3]; /* name NULL ends; "[NAME]" may be left out; the last may be "NAME...": one or more */
    const cli_flag *flags;           /* of its own; NULL: none                                      */
    unsigned        common;
    const char     *examples;    /* one command per line, "# remark" lines allowed                  */
    una_status    (*run)(cli *c);
    void          (*json)(cli *c), (*text)(cli *c);      /* of c->found; NULL: run has told all     */
    const cli_family *family;    /* of a name of two words; NULL: it is one                         */
} cli_verb;

/* main.c */
extern const cli_verb *const cli_verbs[];        /* in the order of the help, ends with NULL         */
extern const cli_verb cli_demo, cli_fit, cli_predict, cli_update, cli_score, cli_bench, cli_models, cli_info;
extern const cli_verb cli_gap, cli_explain, cli_suggest, cli_tune, cli_compare, cli_plot;
extern const cli_verb cli_study_new, cli_study_ask, cli_study_tell, cli_study_drop, cli_study_run, cli_study_best,
                      cli_study_show, cli_study_export, cli_study_import;
extern const cli_verb cli_data_list, cli_data_import, cli_data_get;
extern const cli_family cli_study, cli_data;
const char *cli_second_word(const cli_verb *verb);                       /* "ask" of "study ask"      */
const char *cli_first_word(const cli_verb *verb);
/* The words that may follow `una`, each by its first verb: that behind `before`, the first behind NULL; NULL ends. */
const cli_verb *cli_next_word(const cli_verb *before);
/* The verb of a family behind that one, the first behind NULL; NULL ends. */
const cli_verb *cli_next_member(const cli_family *family, const cli_verb *before);
void cli_bench_flags(void);                      /* bench.c: its flags from the library's tables, before all else */
/* args.c: a verb has the flag if it has the bit; 0: every verb has it. Ends with a flag without a name. */
typedef struct cli_common_flag { cli_flag flag; unsigned with; } cli_common_flag;
extern const cli_common_flag cli_common[];
/* What the index-th argument of a verb is; NULL: it takes no more. */
const cli_operand *cli_operand_at(const cli_verb *verb, size_t index);
bool cli_repeats(const cli_operand *operand);                            /* "NAME..."                 */
/* The flag that the verb has (its own, then common ones) behind that one, the first behind NULL; NULL ends. */
const cli_flag *cli_next_flag(const cli_verb *verb, const cli_flag *before);

/* ---- one call of the program ----------------------------------------------------------------------- */

typedef struct cli_given { const cli_flag *flag; const char *value; } cli_given;

struct cli {
    const cli_verb *verb;
    cli_given      *given;       /* flags as they stand on the command line                         */
    size_t          given_count;
    const char    **operand;
    size_t          operand_count;
    char *const    *command;     /* what stands behind --, for verbs that have one                  */
    size_t          command_count;
    una_run        *run;
    const una_ranks *ranks;      /* the others, under mpirun; NULL: alone                           */
    bool            json, quiet, help;
    bool            stdout_taken;  /* a file goes to the standard output, so no summary may         */
    char          **logs;        /* "warning: ..." sentences the library sent while it worked        */
    size_t          log_count;
    void           *log_words;   /* the same without "warning: ", to be found (logs.c)              */
    una_read_settings reading;   /* how its files are written (reading.c)                            */
    bool            logs_at_once;  /* not kept for the end: the verb may work, or wait, for hours   */
    const una_fit_info *info;    /* its warnings and notes are told anyway                          */
    const void     *found;       /* what the verb has to tell                                       */
};

/* args.c. Both print the sentence and return UNA_E_USAGE where something is wrong. */
una_status  cli_parse(cli *c, int count, char *const *arguments);
bool        cli_has(const cli *c, const char *flag);
const char *cli_text(const cli *c, const char *flag);                    /* the last one given, or NULL */
uint64_t    cli_count(const cli *c, const char *flag, uint64_t initial);
double      cli_share(const cli *c, const char *flag, double initial);
size_t      cli_texts(const cli *c, const char *flag, const char **texts); /* all of them; texts may be NULL */
/* Names between commas, as --models has them; prints the sentence where the flag was given and holds none. */
una_status  cli_names(const cli *c, const char *flag, const char *const **names, size_t *count);
bool        cli_is_number(const char *text, double *value);
/* The nearest of the names to `wrong`, or NULL; and the sentence that there is no WHAT of that name, with it or with
 * the command that lists all of them. */
const char *cli_nearest(const char *wrong, const char *const *names, size_t count);
una_status  cli_unknown(const cli *c, const char *what, const char *wrong, const char *const *names, size_t count,
                        const char *lister);

/* help.c and dump.c */
void        cli_help(void);                                              /* una --help                */
void        cli_help_verb(const cli_verb *verb, FILE *to);
void        cli_help_family(const cli_family *family);
const char *cli_flag_title(const cli_flag *flag);                        /* "--out MODEL"             */
const char *cli_synopsis(const cli_verb *verb);
una_status  cli_dump_man(void);
una_status  cli_dump_completion(const char *shell);
una_status  cli_dump_files(void);                                        /* what each verb reads and writes */

/* ranks.c: several processes under mpirun or srun. */
void        cli_ranks_detect(void);                /* before all else: which one this is; all but rank 0 keep quiet */
int         cli_rank(void);
bool        cli_rank_started(void);              /* by mpirun: what looks like a terminal is none    */
int         cli_rank_threads(void);              /* this rank's share of the cores of its machine; 0: all of them */
void        cli_rank_keep_error(const cli *c, const char *sentence);           /* an error of a rank that keeps quiet */
una_status  cli_rank_status(una_status status);  /* what the process ends with                       */
const char *cli_rank_info(void);                 /* for una --version                                */
/* Calls body on the ranks that the verb wants, with c->ranks set. */
una_status  cli_with_ranks(cli *c, una_status (*body)(cli *c));

/* ---- speaking ---------------------------------------------------------------------------------------- */

/* term.c: everything a person reads. Errors go to stderr as "una VERB: sentence". */
typedef enum cli_style { CLI_PLAIN, CLI_BOLD, CLI_DIM, CLI_RED, CLI_YELLOW } cli_style;
const char *cli_style_on(FILE *to, cli_style style);                           /* "" unless a terminal      */
const char *cli_style_off(FILE *to);
size_t      cli_width(FILE *to);                                         /* columns, 60 to 120        */
/* Prints words with line breaks; continuation lines get `indent` blanks. `column` is where the text begins. */
void        cli_wrap(FILE *to, size_t column, size_t indent, const char *text);
char       *cli_formatted(const char *format, ...) CLI_PRINTF(1, 2);
/* A paragraph on stdout; one line or more in bold; and one behind a title in a column of its own. */
#define cli_say(indent, ...) cli_wrap(stdout, 0, indent, cli_formatted(__VA_ARGS__))
void        cli_say_bold(const char *text);
#define cli_say_row(style, title, ...) cli_say_titled(style, title, cli_formatted(__VA_ARGS__))
void        cli_say_titled(cli_style style, const char *title, const char *text);
una_status  cli_fail(const cli *c, una_status status, const char *format, ...) CLI_PRINTF(3, 4);
una_status  cli_failed(const cli *c, una_status status);                 /* with the library's sentence */
void        cli_tell_failure(const cli *c, una_status status);           /* the same, unless one was told */
#define cli_warn(c, ...) cli_warn_text(c, cli_formatted(__VA_ARGS__))            /* stderr, unless --quiet */
void        cli_warn_text(const cli *c, const char *text);
int         cli_progress(void *context, const una_progress *progress);
void        cli_progress_clear(void);
/* Demo: the part of the whole that the calls from now on cover. */
void        cli_progress_span(double from, double to);
double      cli_seconds(void);                                           /* a clock that only goes forward */
/* logs.c: what the library said. A sentence is kept once. */
void        cli_log(void *context, una_log_level level, const char *sentence);
void        cli_logs_forget(cli *c, const char *const *columns, size_t count);   /* warnings about these columns */
void        cli_logs_free(cli *c);
/* Sentences the library logged that are not among the warnings and notes of c->info. */
void        cli_show_logs(const cli *c);
/* Warnings about what was found, which JSON has itself, to be shown with those. */
void        cli_log_warnings(cli *c, const char *const *warnings, size_t count);
/* Bytes of the letter at `at`, in UTF-8; 0: that byte is none. code (may be NULL) gets its number. */
size_t cli_utf8_letter(const char *at, unsigned *code);
size_t cli_letters(const char *text);                                    /* how many: fewer than bytes */
/* Whether a terminal would do something else with this code than show it. None is beyond U+FFFF. */
bool cli_is_control(unsigned code);
/* A text for a terminal: what a terminal would obey, or hide, is written as \x1b or \u202e. A name from a file may hold
 * anything. Gives the text itself where it needs no escapes, else a copy. cli_escaped_lines
 * leaves line ends as they are. cli_wrap, cli_fail and cli_warn escape by themselves. */
const char *cli_escaped(const char *text);
const char *cli_escaped_lines(const char *text);
bool cli_shorten(char *text);                    /* long numbers in it to six digits; whether there were any */
/* A number for people, of 5 significant digits; and the shortest text that reads back the same. */
const char *cli_number_short(char buffer[32], double value);
const char *cli_number(char buffer[32], double value);

/* "a 61 %, b 30 %, c 9 %": the inputs that matter most, by squares of their relevance. */
typedef struct cli_named { const char *name; double value; } cli_named;
const char *cli_shares(cli_named *list, size_t count);                   /* puts the list in order     */

/* json.c: writing to stdout, and walking over JSON made by the library. In the format ' stands for ", and for values
 * %s a text, quoted, or null; %g a number, as short as it reads back, or null; %d a truth, or null below 0; %u, %zu,
 * %llu and %lld whole numbers. A comma at its beginning is left out behind the bracket that opens a list. */
void        cli_json_put(const char *format, ...) CLI_PRINTF(1, 2);
void        cli_json_to(FILE *to);                                       /* elsewhere; NULL: stdout again */
/* JSON as the library or a file has it, with what a terminal would obey as \uXXXX: the same content. */
void        cli_json_pass(const char *json);
void        cli_json_texts(const char *key, const char *const *texts, size_t count);     /* ', "key": [...]'  */
void        cli_json_path(const char *key, const char *path);            /* ', "key": "path"', or nothing  */
void        cli_json_end(const cli *c);          /* files of --out, --report and --chart; then the object ends */
/* Steps over a JSON object or array: for (cli_json item = cli_json_open(json); cli_json_next(&item);). Of each value
 * there is the key, NULL in arrays, and the value, until the next step. Texts are unescaped, all else stands as it is. */
typedef struct cli_json {
    const char *at;
    char       *key, *value;
    char        type;            /* { [ " or 0 (number, word)                                       */
    bool        in_object, begun;
} cli_json;
cli_json    cli_json_open(const char *json);
bool        cli_json_next(cli_json *walk);

/* verdict.c: what a fit is worth, for each of its targets (NULL where no rows were held out). */
bool        cli_wants_verdict(const cli *c);
una_status  cli_compute_verdicts(cli *c, una_verdict ***verdicts, const una_model *model, const una_dataset *data);
void        cli_verdict_print(const una_verdict *verdict, const una_dataset *data, bool wanted);    /* NULL: nothing      */
void        cli_verdict_json(const una_verdict *verdict);                /* ', "verdict": {...}'       */

/* study.c, study_show.c: what the verbs of studies share. Studies and trials belong to the verb. */
#define CLI_STUDY { "WHERE", CLI_FILE, "file of the study, or postgresql://HOST/DATABASE#NAME" }
una_status  cli_study_open(cli *c, una_study **study);
void        cli_own_trials(una_trials *trials);
void        cli_study_trial(const una_study *study, const una_trial *trial, una_run *run);  /* "3  a=1  b=x" */
void        cli_study_point_json(const una_study *study, const una_trial *trial, una_run *run);
void        cli_study_best_json(const una_study *study, const una_trials *best, una_run *run);
const char *cli_study_state(una_trial_state state);
una_status  cli_study_info(cli *c, char **json);                         /* for una info            */

/* data.c: --data, else $UNA_DATA, else where data of users is kept, which need not exist. NULL: there is no home.
 * *named: a person has named it. */
char       *cli_data_folder(const cli *c, bool *named);

/* ---- files and the run ----------------------------------------------------------------------------------- */

/* paths.c. What the verb's tables say is written must be writable, and must not be the same file as anything else
 * that is read or written. This is looked at before any verb begins; one that has chosen a place itself, `path` for the
 * file of `flag`, looks once more. */
una_status  cli_check_files(cli *c, const char *flag, const char *path);
/* The same for a file that a verb makes in the folder of `flag`, if that was given. */
una_status  cli_check_created(const cli *c, const char *flag, const char *name);
bool        cli_is_path(cli_type type);                                  /* one of the three types of files */
bool        cli_is_sqlite_file(const char *path);
/* reading.c: c->reading from the flags; prints the sentence where one is wrong. */
una_status  cli_reading_begin(cli *c);
/* files.c. Memory that is zeroed, or ends the program, and is given back when that ends if not before. */
void       *cli_alloc(size_t count, size_t size);
void        cli_free(void *block);
void       *cli_more(void *list, size_t count, size_t size);             /* with room for one more item */
/* Ends it when the verb is done, before the run ends, the latest first; `what` may be NULL. CLI_END makes such a
 * function of a type of the library. */
void        cli_own(void (*end)(void *what), void *what);
void        cli_end_owned(void);
void        cli_own_model(una_model *model);
void        cli_own_table(una_dataset *data);
#define CLI_END(type) static void end_##type(void *what) { type##_free(what); }
una_status  cli_check_chart(const cli *c, const char *flag, const char *path);
una_status  cli_check_report(const cli *c, const char *path);
una_status  cli_check_pictures(const cli *c);                            /* both, of the flags      */
void        cli_print_pictures(const cli *c);                            /* and where they are      */
/* What stands where a model will be written: its kind, "file" where it is no model, NULL where nothing is; and what is
 * said of it. */
const char *cli_replaced(const cli *c, const char *path);
const char *cli_replaced_words(const char *kind);
const char *cli_base_name(const char *path);
/* Pieces of a text between the commas outside of brackets, without blanks around them. */
const char **cli_split(const char *list, size_t *count);
/* Models and tables belong to the verb (cli_own). A table has the rows of --where, and --images: where this model (or
 * NULL) is asked about them and sees images, the column that names them is its own. */
una_status  cli_load(const cli *c, una_model **model, const char *path);
una_status  cli_read(const cli *c, una_dataset **data, const char *path, const una_model *model);
una_status  cli_read_part(const cli *c, una_dataset **data, const char *path);       /* of this rank           */
/* --valid, as fit and tune have it. */
una_status  cli_read_valid(const cli *c, una_fit_settings *settings);
una_missing cli_missing(const cli *c);
/* columns.c. What the flags say of a fit to this table: target, preset, options, columns. Warnings of the reading that
 * are about columns which are left out are forgotten. */
una_fit_settings cli_fit_settings(cli *c, const una_dataset *data);
/* Names of --target "a, b" as columns of the table. *count 0: the flag was not given. */
const char *const *cli_targets(const cli *c, const una_dataset *data, size_t *count);
/* Refuses several: "WHAT one target, and --target a,b names 2: REMEDY". */
una_status  cli_need_one_target(const cli *c, const una_dataset *data, const char *what, const char *remedy);
una_status  cli_dump_columns(const char *path);                          /* for completion: a name per line */
/* main.c: a run with the flags of the command line but another seed; UNA_CANCELLED after Ctrl-C. */
una_status  cli_run_new(cli *c, una_run **run, uint64_t seed);
bool        cli_interrupted(void);
una_status  cli_check_interrupt(const cli *c);
char       *cli_default_out(const char *data, const char *ending);       /* "dir/a.csv.gz" -> "a.una"  */
char       *cli_join(const char *folder, const char *name);
size_t      cli_kind_find(const char *name);                             /* SIZE_MAX if there is none  */
