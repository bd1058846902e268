/* SPDX-License-Identifier: MIT
 *
 * una_bench: experiments. An experiment is a plan of fits, measures of each, claims about them that are computed, and a
 * page. What was fitted is kept row by row in a folder, each row once, so that a run that was stopped, however it was
 * stopped, goes on where it was; several processes may work in one folder. Conventions are those of una.h. Structs that
 * a caller fills begin with their size: fields behind it have their defaults.
 */
#ifndef UNA_BENCH_FACE_H
#define UNA_BENCH_FACE_H

#include "una.h"

UNA_BEGIN_DECLS

/* ---- which experiments there are ------------------------------------------------------------------ */

const char *una_bench_build_info(void);                /* one line per dependency built in                  */
size_t      una_bench_count(void);
const char *una_bench_name(size_t experiment);         /* NULL behind the last, as with the others          */
const char *una_bench_summary(size_t experiment);
const char *una_bench_caption(size_t experiment);      /* of its table of means: one sentence               */
const char *una_bench_over(size_t experiment);         /* what means go over: "seeds", "splits"             */
size_t      una_bench_option_count(size_t experiment);
/* texts live as long as run */
una_status  una_bench_option(una_option_info *info, size_t experiment, size_t option, una_run *run);

typedef struct una_bench_measure {
    const char *name;                          /* as in rows and in the CSV file                            */
    const char *title;                         /* head of its column in short tables; NULL: not shown there */
    const char *unit, *help;
    int         better;                        /* 1: higher is better, -1: lower, 0: neither                */
} una_bench_measure;

/* The last measure of every experiment is "seconds", of the fit. NULL behind the last. */
size_t                   una_bench_measure_count(size_t experiment);
const una_bench_measure *una_bench_measure_at(size_t experiment, size_t measure);

/* ---- running one ---------------------------------------------------------------------------------- */

typedef struct una_bench_settings {
    size_t             size;                   /* sizeof(una_bench_settings)                                */
    const char        *out;                    /* folder, made if it is not there; NULL = "una-bench"       */
    const char *const *models; /* names or specs; a bare name stands for the experiment's own specs of it   */
    size_t             model_count;            /* 0 = the experiment's own choice                           */
    int                quick;                  /* few seeds and small budgets: minutes                      */
    const char *const *set;                    /* "key=value" texts: options of the experiment              */
    size_t             set_count;
    const char        *store;                  /* "postgresql://...": rows are kept there, where several machines work
                                                  on them; NULL: in the folder                              */
    int                kept;                   /* nothing is fitted: the page of those rows that are there already  */
} una_bench_settings;

typedef struct una_bench_key {                 /* one fit                                                   */
    const char *study, *data;                  /* experiment with its options; data set, without the sum of its files */
    uint64_t    split;
    const char *model, *spec;                  /* kind, and the spec as it was asked for                    */
    uint64_t    seed;
    unsigned    results;                       /* results version: rows of another one are other rows       */
    const char *options;                       /* the spec with every option filled in                      */
    const char *kernels, *commit;              /* the kernel set it ran on, and what the program was built from */
} una_bench_key;

typedef struct una_bench_row {                 /* one measure of one fit; rows of a fit stand together      */
    const una_bench_key *key;
    const char          *measure;
    double               value;
} una_bench_row;

typedef struct una_bench_mean {                /* of one spec on one data set; those of a spec stand together */
    const una_bench_key *key;                  /* its first fit                                             */
    const char          *measure;
    size_t               count;                /* of fits                                                   */
    double               mean, sd;             /* sd: 0 for one fit                                         */
} una_bench_mean;

typedef struct una_bench_claim {
    const char *sentence, *numbers;
    int         holds;                         /* 1, 0, or -1: cannot tell, for what it speaks of was not run, or the
                                                  uncertainty leaves both open                              */
} una_bench_claim;

const char *una_bench_verdict(int holds);      /* "holds", "does not hold", "cannot tell"                   */

typedef struct una_bench_result {
    const una_bench_row   *rows;   size_t row_count;
    const una_bench_mean  *means;  size_t mean_count;
    const una_bench_claim *claims; size_t claim_count;
    size_t      fits, fitted;                  /* asked for (kept: of these, those that are there); made by this call:
                                                  the others were there, or came from another process       */
    const char *table, *page;                  /* paths of what was written                                 */
    const char *out;                           /* the folder                                                */
} una_bench_result;

/* Seeds count from the run's on. Rows go into OUT/bench.sqlite as they are made; at the end, and when it is interrupted
 * or fails, all rows of the experiment that are there are written to OUT/NAME.csv, and rows found in that file at the
 * beginning count as made. At the end the page is written, OUT/NAME.html and the same in Markdown, OUT/NAME.md, with
 * its figures (OUT/NAME-FIGURE.svg, .png) and tables (OUT/NAME-TABLE.csv, .md, .tex). settings NULL: all defaults. With
 * the run's ranks every rank makes this call, rank 0 alone has the folder, and the others' results have no rows. */
una_status una_bench_run(una_bench_result **result, const char *name, const una_bench_settings *settings, una_run *run);
void       una_bench_free(una_bench_result *result);

/* All rows of the experiment in folder `out` (NULL = "una-bench") as CSV; and rows of such a file into the folder:
 * those that are there stay as they are, a line that is not a whole row is refused with all others. An export
 * leaves the folder as it is and is UNA_E_INPUT where there are no rows; it does not go over the store, a page, a kept
 * model or another experiment's table of the folder (UNA_E_USAGE). */
una_status una_bench_export(size_t *rows, const char *name, const char *out, const char *path, una_run *run);
una_status una_bench_import(size_t *rows, size_t *added, const char *name, const char *out, const char *path,
                            una_run *run);

/* ---- known data sets ------------------------------------------------------------------------------ */

/* Published sets that experiments use. None comes with una: their files lie in a folder of the caller's, uci/NAME.csv
 * (target last), uci/splits/NAME.json, mnist/ and faces/, and are known by their sums (SHA-256). */
typedef struct una_data_file {
    const char *path;                          /* below the folder                                          */
    uint64_t    bytes;
    const char *sha256;                        /* in small hexadecimal letters                              */
} una_data_file;

typedef struct una_data_set {
    const char *name, *title;
    size_t      rows, inputs;
    const char *target, *unit;                 /* unit: "" for a plain number                               */
    size_t      splits;                        /* published standard splits; 0: none                        */
    const una_data_file *files;
    size_t      file_count;
    const char *licence, *citation;
    const char *remark;                        /* on licence or content; "" for none                        */
    const char *source;                        /* what una_data_get takes it from; NULL: it knows no address */
} una_data_set;

size_t              una_data_count(void);
const una_data_set *una_data_at(size_t set);   /* NULL behind the last                                      */

typedef enum una_data_state { UNA_DATA_ABSENT, UNA_DATA_INTACT, UNA_DATA_DAMAGED } una_data_state;
/* One file of a set in a folder: whether its bytes are the published ones. One that cannot be read is damaged. */
una_status una_data_check(una_data_state *state, size_t set, size_t file, const char *folder, una_run *run);

/* Copies what the folder `from` has of a set. Every file is looked at first: where one is not as published the
 * sentence says why (UNA_E_INPUT), and nothing of the set is copied. found: files that `from` has; written: those of
 * them that `folder`, which is made if need be, did not have intact. */
una_status una_data_import(size_t *found, size_t *written, size_t set, const char *folder, const char *from,
                           una_run *run);

typedef struct una_data_settings {
    size_t      size;                          /* sizeof(una_data_settings)                                 */
    const char *from;                          /* address of a folder laid out like ours: https, http or file; NULL: the
                                                  public originals, which are brought into una's form       */
    int         force;                         /* 1: intact files are fetched again                         */
    double      patience;                      /* seconds without an answer, or with next to nothing coming, after
                                                  which a server is given up; 0 = 30                        */
} una_data_settings;

/* Fetches the files of a set that the folder has not intact, through libcurl, where una was built with it. Bytes that
 * are not the published ones are not written (UNA_E_INPUT); a server that fails, or sends too little, is UNA_E_IO; in
 * every case what is in the folder stays as it is. settings may be NULL. */
una_status una_data_get(size_t *written, size_t set, const char *folder, const una_data_settings *settings,
                        una_run *run);

/* ---- would a hole in the data be noticed? ----------------------------------------------------------- */

typedef struct una_gap_settings {
    size_t             size;
    const char        *model;                  /* a spec; NULL = una_gap_model()                                    */
    una_fit_settings   fit;                    /* target, missing cells, options ...; size 0: defaults. Rows of the
                                                  caller's to validate on, and several targets, are UNA_E_USAGE     */
    const char *const *columns;                /* [column_count] along which holes are cut; 0: all inputs           */
    size_t             column_count;
    int                pairs;                  /* holes along two columns at once, of the most relevant: at most so
                                                  many; 0 = 3, -1: none                                             */
    size_t             repeats;                /* with other rows left out and another seed; 0 = 1                  */
} una_gap_settings;

typedef enum una_gap_kind {
    UNA_GAP_NO_HOLE = 0,                       /* none could be cut; `why_not` says why                             */
    UNA_GAP_RIGHTLY = 1,                       /* noticed, and the error is larger there                            */
    UNA_GAP_TOO_LITTLE = 2,                    /* noticed, but the error has outgrown the bands                     */
    UNA_GAP_TOO_CAREFUL = 3,                   /* noticed, although the error hardly grows                          */
    UNA_GAP_UNNOTICED = 4,                     /* not noticed, and the error is larger there: danger                */
    UNA_GAP_HARMLESS = 5,                      /* not noticed, and the error is not larger either                   */
    UNA_GAP_UNCLEAR = 6                        /* cannot be told                                                    */
} una_gap_kind;

typedef struct una_gap_hole {                  /* means over the repeats; NAN where there is no hole                */
    const char *name;                          /* "Age", or of a pair "Age and Water"                               */
    const char *columns[2];                    /* the second is NULL but for pairs                                  */
    const char *where;                         /* "from 3 to 7", or the word that was left out; NULL: no hole       */
    const char *why_not;                       /* why there is no hole; NULL: there is one                          */
    size_t      rows;                          /* in the hole                                                       */
    una_gap_kind kind;
    int         noticed;                       /* 1, 0, or -1: cannot be told                                       */
    int         matters;                       /* is the error larger in the hole? The same                         */
    const char *verdict;                       /* a sentence                                                        */
    double      wider, wider_low, wider_high;  /* share of its rows with clearly more ignorance than if there were rows;
                                                  least and most of the repeats                                     */
    double      spread;                        /* median over its rows of ignorance over what it would be with rows */
    double      error, error_low, error_high;  /* mean absolute error in the hole over what it would be with rows there;
                                                  95 % interval                                                     */
    double      worse;                         /* share of its rows with a larger error than it would be with rows  */
    double      auroc;                         /* of ignorance as a detector of rows in the hole, against others    */
    double      increase;                      /* of mean ignorance in the hole over that of other rows, in percent */
    double      rmse_inside, rmse_outside, rmse_known;   /* known: of the rows in the hole, had there been rows     */
    double      log_lik_inside, log_lik_outside;
    double      coverage_inside, coverage_outside;       /* share of rows inside their 95 % band                    */
} una_gap_hole;

typedef struct una_gap {
    const char         *answer;                /* for the whole table: one or two sentences                         */
    const una_gap_hole *hole;                  /* [column_count + pair_count]: columns as in the table, then pairs  */
    size_t              column_count, pair_count;
    const char         *target, *spec;
    size_t              rows, fits, repeats;   /* rows that could be used                                           */
    const char *const  *warnings;              /* [warning_count] cells of the table that drown all others          */
    size_t              warning_count;
} una_gap;

/* For each hole a model is fitted without its rows; three more, each without a random third of all rows, say how sure
 * and how wrong the model would be in the hole if there were rows around (docs/use/GAP.md). settings NULL: all
 * defaults. */
una_status  una_gap_test(una_gap **gap, const una_dataset *data, const una_gap_settings *settings, una_run *run);
const char *una_gap_model(void);               /* the spec that is used where none is given                         */
const char *una_gap_word(una_gap_kind kind);   /* "rightly", "too_little" ...; NULL: no such kind                   */
/* One page with all verdicts and pictures; the pictures alone (SVG, PDF, PNG by name). Whole or not at all. */
una_status  una_gap_page(const una_gap *gap, const char *path, una_run *run);
una_status  una_gap_chart(const una_gap *gap, const char *path, una_run *run);
void        una_gap_free(una_gap *gap);

UNA_END_DECLS

#endif
