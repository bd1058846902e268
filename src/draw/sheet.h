/* SPDX-License-Identifier: MIT
 *
 * A table that is filled once and written in several forms: HTML for a page, CSV with every digit, Markdown, LaTeX. It
 * grows in an arena, whose sticky failure the caller checks after writing.
 */
#pragma once

#include "draw/html.h"

/* Of columns alone: words that want room, and words that name what stands beside them, as those of a first column do. */
typedef enum una_sheet_kind { UNA_SHEET_EMPTY, UNA_SHEET_WORDS, UNA_SHEET_NUMBER, UNA_SHEET_SPREAD, UNA_SHEET_SENTENCE,
                              UNA_SHEET_NAME } una_sheet_kind;

typedef struct una_sheet_cell {
    una_sheet_kind kind;
    const char    *words;
    double         value, sd;            /* a spread: mean and standard deviation                          */
    int            decimals;             /* shown; CSV has them all. Negative: so many digits that count   */
    bool           strong;               /* set off: the best of its column, say                           */
} una_sheet_cell;

typedef struct una_sheet_head { const char *title; una_sheet_kind kind; } una_sheet_head;
typedef struct una_sheet_row {           /* a group is a line across, without cells                        */
    const char     *group;
    una_sheet_cell *cell;
} una_sheet_row;

typedef struct una_sheet {
    una_arena      *arena;
    const char     *name;                /* of its files: "distance"                                       */
    const char     *lead, *caption;
    bool            named;               /* titles are names, and stay as they are                         */
    una_sheet_head *column;
    una_sheet_row  *line;
    size_t          columns, lines, at, column_room, line_room;
} una_sheet;

una_sheet una_sheet_in(una_arena *arena, const char *name, const char *lead, const char *caption);
/* Columns first. Then lines, each filled from the left; texts are copied. */
void una_sheet_column(una_sheet *sheet, const char *title, una_sheet_kind kind);
void una_sheet_columns(una_sheet *sheet, const una_sheet_head *columns);         /* which end with title NULL */
void una_sheet_group(una_sheet *sheet, const char *words);
void una_sheet_line(una_sheet *sheet);
void una_sheet_words(una_sheet *sheet, const char *words);
void una_sheet_begin(una_sheet *sheet, const char *words);               /* a line and its first cell      */
void una_sheet_number(una_sheet *sheet, double value, int decimals);     /* NAN is a dash                  */
void una_sheet_spread(una_sheet *sheet, double mean, double sd, int decimals);
void una_sheet_strong(una_sheet *sheet);                                 /* sets the last cell off         */

/* Each adds the whole table. In CSV a spread is two columns, the second titled "TITLE sd", groups are a first column,
 * and what is not a number is empty; LaTeX is a tabular with \toprule ... of booktabs, in which columns of sentences
 * are broken into lines; Markdown begins with the caption as a paragraph. */
void una_sheet_html(una_html *html, const una_sheet *sheet);
void una_sheet_csv(una_text *text, const una_sheet *sheet);
void una_sheet_markdown(una_text *text, const una_sheet *sheet);
void una_sheet_latex(una_text *text, const una_sheet *sheet);

/* Words as Markdown shows them, on one line; a caption with its beginning in bold, as a paragraph. */
void una_markdown_escape(una_text *text, const char *words);
void una_markdown_caption(una_text *text, const char *lead, const char *caption);
