/* SPDX-License-Identifier: MIT
 *
 * libuna_bench: experiments. An experiment is a plan of fits, measures of each fit, claims that are decided from the
 * measures, and a page. A folder keeps the results row by row, each row once, so that an interrupted run continues
 * where it stopped, whatever stopped it; several processes may work in one folder. Also here: published data sets, and
 * the gap test. Conventions are those of una.h. Structs that the caller fills begin with their size; fields beyond that
 * size have their defaults.
 */
#ifndef UNA_BENCH_FACE_H
#define UNA_BENCH_FACE_H

#include "una.h"

UNA_BEGIN_DECLS

/* ---- list of experiments ------------------------------------------------------------------ */

const char *una_bench_build_info(void);                /* one line per dependency built in                  */
size_t      una_bench_count(void);
const char *una_bench_name(size_t experiment);         /* NULL after the last, also in the calls below      */
const char *una_bench_summary(size_t experiment);
const char *una_bench_caption(size_t experiment);      /* of its table of means, one sentence               */
const char *una_bench_over(size_t experiment);         /* what means are over: "seeds", "splits"            */
size_t      una_bench_option_count(size_t experiment);
/* The texts live as long as the run. */
una_status  una_bench_option(una_option_info *info, size_t experiment, size_t option, una_run *run);

typedef struct una_bench_measure {
    const char *name;                          /* as in rows and in the CSV file                            */
    const char *title;                         /* column header in short tables; NULL: not shown there     */
    const char *unit, *help;
    int         better;                        /* 1: higher is better, -1: lower, 0: neither                */
} una_bench_measure;

/* The last measure of every experiment is "seconds", the time of the fit. NULL after the last. */
size_t                   una_bench_measure_count(size_t experiment);
const una_bench_measure *una_bench_measure_at(size_t experiment, size_t measure);

/* ---- running one ---------------------------------------------------------------------------------- */

typedef struct una_bench_settings {
    size_t             size;                   /* sizeof(una_bench_settings)                                */
    const char        *out;                    /* folder, made if needed; NULL = "una-bench"                */
    const char *const *models; /* names or specs; a bare name means the experiment's own specs for it       */
    size_t             model_count;            /* 0 = the experiment's own choice                           */
    int                quick;                  /* few seeds and small budgets: minutes                      */
    const char *const *set;                    /* "key=value" texts: options of the experiment              */
    size_t             set_count;
    const char        *store;                  /* "postgresql://...": keep rows there, shared by several machines; NULL:
                                                  in the folder                                             */
    int                kept;                   /* 1: fit nothing; write the page from the rows that exist   */
} una_bench_settings;

typedef struct una_bench_key {                 /* one fit                                                   */
    const char *study, *data;                  /* experiment with its options; data set, without its checksums */
    uint64_t    split;
    const char *model, *spec;                  /* kind, and the spec as requested                           */
    uint64_t    seed;
    unsigned    results;                       /* results version; rows of different versions are different rows */
    const char *options;                       /* the spec with every option filled in                      */
    const char *kernels, *commit;              /* kernel set of the fit, and commit of the program          */
} una_bench_key;

typedef struct una_bench_row {                 /* one measure of one fit; the rows of a fit are adjacent    */
    const una_bench_key *key;
    const char          *measure;
    double               value;
} una_bench_row;

typedef struct una_bench_mean {                /* of one spec on one data set; those of a spec are adjacent */
    const una_bench_key *key;                  /* of its first fit                                          */
    const char          *measure;
    size_t               count;                /* number of fits                                            */
    double               mean, sd;             /* sd: 0 for one fit                                         */
} una_bench_mean;

typedef struct una_bench_claim {
    const char *sentence, *numbers;
    int         holds;                         /* 1: holds, 0: does not hold, -1: cannot tell, because fits that it
                                                  needs are missing, or the uncertainty allows both         */
} una_bench_claim;

const char *una_bench_verdict(int holds);      /* "holds", "does not hold", "cannot tell"                   */

typedef struct una_bench_result {
    const una_bench_row   *rows;   size_t row_count;
    const una_bench_mean  *means;  size_t mean_count;
    const una_bench_claim *claims; size_t claim_count;
    size_t      fits, fitted;                  /* fits of the plan (with kept: those that exist), and how many of them
                                                  this call made; the others existed or came from other processes */
    const char *table, *page;                  /* paths of the CSV file and the page                        */
    const char *out;                           /* the folder                                                */
} una_bench_result;

/* Runs an experiment. Seeds count up from the run's seed. Rows go into OUT/bench.sqlite as they are made. At the end,
 * also after an interruption or a failure, all existing rows of the experiment are written to OUT/NAME.csv; rows found
 * in that file at the beginning are not made again. At the end it writes the page, OUT/NAME.html and the same in
 * Markdown, OUT/NAME.md, with its figures (OUT/NAME-FIGURE.svg, .png) and tables (OUT/NAME-TABLE.csv, .md, .tex).
 * settings NULL: all defaults. If the run has ranks, every rank makes this call; only rank 0 uses the folder, and the
 * results of the other ranks have no rows. */
una_status una_bench_run(una_bench_result **result, const char *name, const una_bench_settings *settings, una_run *run);
void       una_bench_free(una_bench_result *result);

/* Export writes all rows of the experiment in folder `out` (NULL = "una-bench") as CSV; import reads such a file into
 * the folder. Import keeps existing rows unchanged, and refuses the whole file if a line is not a complete row. Export
 * does not change the folder. UNA_E_INPUT: there are no rows; UNA_E_USAGE: `path` is the store, a page, a kept model or
 * another experiment's table of the folder, which export does not overwrite. */
una_status una_bench_export(size_t *rows, const char *name, const char *out, const char *path, una_run *run);
una_status una_bench_import(size_t *rows, size_t *added, const char *name, const char *out, const char *path,
                            una_run *run);

/* ---- known data sets ------------------------------------------------------------------------------ */

/* Published data sets that experiments use. una does not contain them: their files are in a folder of the caller, as
 * uci/NAME.csv (target last), uci/splits/NAME.json, mnist/ and faces/, and are verified by checksum (SHA-256). */
typedef struct una_data_file {
    const char *path;                          /* relative to the folder                                    */
    uint64_t    bytes;
    const char *sha256;                        /* lower-case hexadecimal                                    */
} una_data_file;

typedef struct una_data_set {
    const char *name, *title;
    size_t      rows, inputs;
    const char *target, *unit;                 /* unit: "" for a number without unit                        */
    size_t      splits;                        /* published standard splits; 0: none                        */
    const una_data_file *files;
    size_t      file_count;
    const char *licence, *citation;
    const char *remark;                        /* about licence or content; "" for none                     */
    const char *source;                        /* where una_data_get fetches it; NULL: no known address     */
} una_data_set;

size_t              una_data_count(void);
const una_data_set *una_data_at(size_t set);   /* NULL after the last                                       */

typedef enum una_data_state { UNA_DATA_ABSENT, UNA_DATA_INTACT, UNA_DATA_DAMAGED } una_data_state;
/* Checks whether a file of a set in a folder has the published bytes. A file that cannot be read is damaged. */
una_status una_data_check(una_data_state *state, size_t set, size_t file, const char *folder, una_run *run);

/* Copies the files of a set that the folder `from` has into `folder`, which is made if needed. Checks all files first:
 * if one is not as published, nothing is copied (UNA_E_INPUT; the sentence says why). found: files that `from` has;
 * written: those of them that `folder` did not have intact. */
una_status una_data_import(size_t *found, size_t *written, size_t set, const char *folder, const char *from,
                           una_run *run);

typedef struct una_data_settings {
    size_t      size;                          /* sizeof(una_data_settings)                                 */
    const char *from;                          /* address (https, http or file) of a folder with the layout above; NULL:
                                                  the public originals, converted to this layout            */
    int         force;                         /* 1: fetch intact files again                               */
    double      patience;                      /* give up on a server after this many seconds without an answer or with
                                                  almost no data; 0 = 30                                    */
} una_data_settings;

/* Fetches the files of a set that the folder does not have intact; needs a build with libcurl. UNA_E_INPUT: the bytes
 * are not the published ones; UNA_E_IO: a server fails or sends too little. In both cases the folder stays unchanged.
 * settings NULL: all defaults. */
una_status una_data_get(size_t *written, size_t set, const char *folder, const una_data_settings *settings,
                        una_run *run);

/* ---- gap test: does a model notice a hole in the data? ----------------------------------------------------------- */

typedef struct una_gap_settings {
    size_t             size;
    const char        *model;                  /* a spec; NULL = una_gap_model()                                    */
    una_fit_settings   fit;                    /* target, missing cells, options ...; size 0: defaults. UNA_E_USAGE:
                                                  fit.valid, or several targets                                     */
    const char *const *columns;                /* [column_count] to cut holes along; count 0: all inputs            */
    size_t             column_count;
    int                pairs;                  /* at most this many holes along two columns at once, chosen among the
                                                  most relevant; 0 = 3, -1: none                                    */
    size_t             repeats;                /* each with other rows left out and another seed; 0 = 1             */
} una_gap_settings;

typedef enum una_gap_kind {
    UNA_GAP_NO_HOLE = 0,                       /* no hole could be cut; `why_not` says why                          */
    UNA_GAP_RIGHTLY = 1,                       /* noticed, and the error is larger there                            */
    UNA_GAP_TOO_LITTLE = 2,                    /* noticed, but the error grows more than the bands                  */
    UNA_GAP_TOO_CAREFUL = 3,                   /* noticed, although the error hardly grows                          */
    UNA_GAP_UNNOTICED = 4,                     /* not noticed, and the error is larger there: dangerous             */
    UNA_GAP_HARMLESS = 5,                      /* not noticed, but the error is not larger either                   */
    UNA_GAP_UNCLEAR = 6                        /* undecided                                                         */
} una_gap_kind;

typedef struct una_gap_hole {                  /* means over the repeats; NAN if there is no hole                   */
    const char *name;                          /* "Age", or for a pair "Age and Water"                              */
    const char *columns[2];                    /* the second is NULL unless it is a pair                            */
    const char *where;                         /* "from 3 to 7", or the level that was left out; NULL: no hole      */
    const char *why_not;                       /* why there is no hole; NULL: there is one                          */
    size_t      rows;                          /* in the hole                                                       */
    una_gap_kind kind;
    int         noticed;                       /* 1: yes, 0: no, -1: undecided                                      */
    int         matters;                       /* whether the error is larger in the hole, in the same way          */
    const char *verdict;                       /* the conclusion as a sentence                                      */
    double      wider, wider_low, wider_high;  /* "with rows" is a model fitted with rows in the hole. Share of the
                                                  hole's rows with clearly more ignorance than with rows; smallest and
                                                  largest over the repeats                                          */
    double      spread;                        /* median over the hole's rows of ignorance / ignorance with rows    */
    double      error, error_low, error_high;  /* mean absolute error in the hole / the same with rows; its 95 %
                                                  interval                                                          */
    double      worse;                         /* share of the hole's rows with a larger error than with rows       */
    double      auroc;                         /* of ignorance as a detector of rows in the hole among all rows     */
    double      increase;                      /* of mean ignorance in the hole above that of other rows, percent   */
    double      rmse_inside, rmse_outside, rmse_known;   /* known: of the hole's rows, with rows                    */
    double      log_lik_inside, log_lik_outside;
    double      coverage_inside, coverage_outside;       /* share of rows inside their 95 % band                    */
} una_gap_hole;

typedef struct una_gap {
    const char         *answer;                /* one or two sentences about the whole table                        */
    const una_gap_hole *hole;                  /* [column_count + pair_count] columns as in the table, then pairs   */
    size_t              column_count, pair_count;
    const char         *target, *spec;
    size_t              rows, fits, repeats;   /* rows: those that could be used                                    */
    const char *const  *warnings;              /* [warning_count] on cells that dominate all others                 */
    size_t              warning_count;
} una_gap;

/* Fits a model without the rows of each hole, and three more models, each without a random third of all rows, to know
 * the ignorance and the error in the hole if there are rows around (docs/use/GAP.md). settings NULL: all defaults. */
una_status  una_gap_test(una_gap **gap, const una_dataset *data, const una_gap_settings *settings, una_run *run);
const char *una_gap_model(void);               /* the spec used by default                                          */
const char *una_gap_word(una_gap_kind kind);   /* "rightly", "too_little" ...; NULL: unknown kind                   */
/* One page with all conclusions and charts; or the charts alone (.svg, .pdf or .png). After a failure there is no
 * partial file. */
una_status  una_gap_page(const una_gap *gap, const char *path, una_run *run);
una_status  una_gap_chart(const una_gap *gap, const char *path, una_run *run);
void        una_gap_free(una_gap *gap);

UNA_END_DECLS

#endif
