/* SPDX-License-Identifier: MIT
 *
 * From a table to what a model sees: numbers standardised on training rows, text columns one-hot coded,
 * constant columns left out, missing cells filled or refused. Learnt once, saved with the model.
 */
#pragma once

#include "base/archive.h"
#include "data/selection.h"
#include "data/table.h"

#include <float.h>

#define UNA_MAX_LEVELS 100       /* words of a text column; "other" and "never seen" come on top    */

/* Levels of inputs without a word: SIZE_MAX for a number; UNA_LEVEL_MISSING for the missing indicator of a number, 1
 * where its cell is missing and else 0, which is treated like a category. */
#define UNA_LEVEL_MISSING (SIZE_MAX - 1)

typedef struct una_input {       /* one input as the model sees it                                  */
    size_t      source;          /* index into una_columns.sources                                  */
    size_t      level;           /* within the source's levels; SIZE_MAX for a number, UNA_LEVEL_MISSING    */
    double      centre, scale;   /* standardised = (value - centre) / scale; categories have 0, 1    */
    unsigned    turn;            /* of a date: 1 + 2 part is the sine, 2 + 2 part the cosine of a calendar part; 0: the
                                    value itself                                                    */
} una_input;

typedef struct una_source {      /* one column of the table                                         */
    const char  *name;
    bool         is_text;
    const char **levels;         /* sorted (byte order); then "other" and "never seen" where they are there */
    size_t       level_count;
    bool         has_other;      /* takes rare words, and words never seen where there is no level for these;
                                    maybe no training row has it                                    */
    double       mean;           /* fills missing cells under --missing mean: mean of the training cells, or
                                    position of the most frequent level of a text column            */
    una_image_shape image;       /* of the images that it names; height 0: it names none            */
    bool         has_missing_indicator;  /* of a number: its last input is 1 where the cell is missing      */
    bool         has_untrained_level;    /* the last level is that of no training row, and there for words never seen */
    bool         has_never_seen;     /* it is "never seen" then, behind "other", which rare words share */
    double      *rare;           /* [rare_count] sums of these words, ascending (una_word_fingerprint)      */
    size_t       rare_count;
    una_cell_format_kind form;          /* UNA_CELLS_DATE, UNA_CELLS_TIME: its numbers are days; else plain  */
    const char  *unit;           /* that its cells had in the file; NULL or "": none                */
    unsigned     parts;          /* of its dates, as inputs too: bits 1 << una_calendar_part        */
} una_source;

/* Number of levels that stand for one word each. */
static inline size_t una_source_words(const una_source *source)
{
    return source->level_count - source->has_other - source->has_never_seen;
}

/* Number of inputs of a source: the numbers of an image; the levels; or the number, the parts of its date, and its
 * missing indicator. */
static inline size_t una_source_inputs(const una_source *source)
{
    if (source->image.height) return source->image.height * source->image.width * source->image.channels;
    size_t parts = (source->parts & 1) + (source->parts >> 1 & 1) + (source->parts >> 2 & 1);
    return source->is_text ? source->level_count : 1 + 2 * parts + source->has_missing_indicator;
}

/* The value of an input before it is standardised, for a number of its column; and its derivative by that number. */
double una_input_value(const una_input *input, double number);
double una_input_slope(const una_input *input, double number);

/* A whole number below 2^52 as fingerprint of a word, so that rare words need not be saved. */
double una_word_fingerprint(const char *word);

typedef struct una_columns {
    una_source *sources;         /* columns the model needs, in training order                      */
    size_t      source_count;
    una_input  *inputs;          /* [input_count]; of an image the first stands for all (una_columns_input) */
    size_t      input_count;
    const char *target;
    double      target_centre, target_scale;    /* mean and population std of the training rows     */
    const char *target_unit;     /* that its cells had in the file; NULL or "": none                */
    una_missing missing;
    size_t      file_notes,
        file_warnings;    /* first notes and warnings of the fit that are about how the file was written: no
                                    matter of the model                                             */
    bool        one_of_several;  /* targets: a row without this one is left out, whatever `missing` says    */
    una_selection selection;     /* columns that were left out by request                           */
    bool        log_target;      /* the target is known by its logarithm: centre and scale are those of log y       */
} una_columns;

/* A standardised target in its own units; of a logarithm it may overflow. */
static inline double una_target_value(const una_columns *columns, double standard)
{
    double value = columns->target_centre + columns->target_scale * standard;
    return columns->log_target ? exp(value) : value;
}

/* The shape of the image that the inputs are; height 0: they are none. columns may be NULL. */
static inline una_image_shape una_columns_image(const una_columns *columns)
{
    return columns && columns->source_count == 1 ? columns->sources[0].image : (una_image_shape){ 0, 0, 0 };
}

static inline const una_input *una_columns_input(const una_columns *columns, size_t input)
{
    return &columns->inputs[una_columns_image(columns).height ? 0 : input];
}

/* "age", "colour=red", "age is missing": the name of the column, or a text in the arena. It is not kept with the
 * columns, because a long name would be repeated for each level. */
const char *una_input_name(const una_columns *columns, const una_input *input, una_arena *arena);

/* Inputs follow the sources: for a number itself and perhaps whether it was missing, one per level for text, all
 * numbers of an image, which is then the only source, whose numbers share their centre and scale.
 *
 * Learns columns from the table. Missing cells: ERROR refuses the first; DROP leaves the row out (also for the
 * target); MEAN fills numbers with the training mean and text with the most frequent level, adds an input to numbers
 * that were missing in some row, and refuses a missing target. Mean and population std are those of the cells that are
 * there. Constant columns (std <= UNA_ROUNDING of the mean's size; one level in all rows) are left out; columns that
 * equal each other stay. With `other`, words in fewer rows share the level "other", which every text column then has;
 * where some row has it, words never seen have one of their own, "never seen", of which no row can have told anything.
 * `notes` (may be NULL) gets a sentence for each column left out, rows dropped, columns that are equal. Every refusal
 * has its own sentence and remedy. */
#define UNA_ROUNDING (8 * DBL_EPSILON)         /* of numbers that are equal but for the way they were computed   */
typedef struct una_notes { una_arena *arena; const char **text; size_t count, room; } una_notes;
void una_notes_add(una_notes *notes, const char *format, ...) UNA_PRINTF(2, 3);


typedef struct una_learning {            /* what columns are learnt from, and how                   */
    const una_dataset   *data;
    const char *const   *target;         /* [targets] each once; NULL, or one that is NULL: the last column */
    size_t               targets;        /* 0: one                                                  */
    const una_selection *selection;      /* columns left out by request, which are not checked either; NULL: none */
    una_missing          missing;
    size_t               other;
    una_notes           *notes;
} una_learning;

/* columns [targets]: several targets share one set of sources and inputs, which contains no target, learnt from rows
 * that have at least one target; each target has centre and scale of its own cells. Missing ones of several targets are
 * never an error: rows without any target are left out, with a note. */
una_status una_columns_learn(una_columns *const *columns, const una_learning *from, una_arena *arena, una_run *run);
/* Switches columns [targets] that were learnt (together, where they are several) to the logarithm of their targets, by
 * the same rows. A value that is not above 0 is refused with its place, here and wherever targets are encoded. */
una_status una_columns_log_targets(una_columns *const *columns, size_t targets, const una_dataset *data, una_run *run);
/* Where encoded rows go: x [*rows, input_count] standardised (NULL: y alone); y [*rows, targets] standardised (NULL:
 * none); kept [*rows], may be NULL: the table row of each. *rows may be fewer than the table's under DROP. */
typedef struct una_encoding { double **x, **y; size_t **kept, *rows; } una_encoding;
typedef struct una_encoded { const double *x, *y; const size_t *kept; size_t rows; } una_encoded;        /* what went */
/* Unseen category, missing cell: an error with file, line, column and remedy. Under DROP at prediction time (y NULL), a
 * missing cell is an error too: every row must get an answer. x, y, kept are taken from the arena. */
una_status una_columns_encode(const una_columns *columns, const una_dataset *data, const una_encoding *to,
                              una_arena *arena);
/* The same for columns [targets] that were learnt together: NAN where the cell of a target is missing. */
una_status una_columns_encode_several(const una_columns *const *columns, size_t targets, const una_dataset *data,
                                      const una_encoding *to, una_arena *arena);
/* Adds, as the first warnings, what may have been misread in columns that may be inputs. Processes that fit
 * together add them once. */
void una_columns_warn_misread(una_columns *columns, const una_selection *selection, const una_dataset *data,
                              una_notes *warnings, const una_run *run);
/* Adds a warning for each column, the target first, in which a few cells of the encoded rows dominate the variance
 * (outliers.c): where, how far, what to do; at most four, then how many more there are. x or y NULL: without the
 * inputs, or without the target. */
una_status una_columns_warn_outliers(const una_columns *columns, const una_dataset *data, const una_encoded *rows,
                                     una_notes *warnings, una_run *run);
/* Robust centre and spread: the median, and 1.4826 times the median distance from it. Where more than half of the
 * numbers are equal, the spread is that of the others; 0: all are equal. numbers [count >= 1] become their distances
 * from the median, sorted. */
typedef struct una_robust { double median, std; } una_robust;
una_robust una_robust_of(double *numbers, size_t count);
/* Adds a warning for each column of numbers, targets too, that has a unit in this table and none in the model. */
void una_columns_warn_units(const una_columns *const *columns, size_t targets, const una_dataset *data,
                            una_notes *warnings);
/* Columns to read, for columns [targets] that were learnt together: sources first, then all targets. */
una_wanted *una_columns_wanted(const una_columns *const *columns, size_t targets, una_arena *arena);
/* Makes inputs from sources and input_count; a number gets its source's mean as centre, and scale 1. */
una_status una_columns_inputs(una_columns *columns, una_arena *arena);
/* Saves columns [targets] that were learnt together, whose sources are written once; or loads into ar->arena and checks
 * everything: a file may come from a stranger. */
una_status una_columns_exchange(una_columns *const *columns, size_t targets, una_archive *ar);
/* Refuses columns that a file could not hold, before anything is fitted: names or words that are too long. */
una_status una_columns_saveable(una_columns *const *columns, size_t targets, una_run *run);
