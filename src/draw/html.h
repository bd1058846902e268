/* SPDX-License-Identifier: MIT
 *
 * One self-contained page: no script, nothing fetched, readable on a phone and on paper. Every text given to these
 * calls is escaped here, so column names and messages can hold anything. The page grows in an arena; its sticky
 * failure is checked by una_html_end.
 */
#pragma once

#include "draw/figure.h"

typedef struct una_html {
    una_text text;
    size_t   figures, tables, charts;            /* so far: numbers and ids                        */
} una_html;

una_html   una_html_begin(una_arena *arena, const char *title);
una_status una_html_end(una_html *html, const char *foot);      /* NULL: what most pages say                */

/* & < > " ' as entities; bad UTF-8 as U+FFFD; control characters other than newline and tab as blanks. */
void una_html_escape(una_text *text, const char *words);

void una_html_heading(una_html *html, int level, const char *words);
/* kind: NULL, or a class of the style sheet: "lead", "note", "code". */
void una_html_paragraph(una_html *html, const char *kind, const char *words);
void una_html_list(una_html *html, const char *const *sentences, size_t count);
/* A visible box; nothing if count is 0. */
void una_html_box(una_html *html, const char *title, const char *const *sentences, size_t count);

/* Tables are written cell by cell. Numbers align right. The caption stands above, lead is its bold beginning. */
void una_html_table(una_html *html, const char *lead, const char *caption);
void una_html_table_end(una_html *html);
void una_html_head(una_html *html);
void una_html_head_end(una_html *html);
void una_html_row(una_html *html);
void una_html_row_end(una_html *html);
typedef enum una_html_cell_kind {
    UNA_HTML_TEXT, UNA_HTML_NUMBER, UNA_HTML_STRONG, UNA_HTML_STRONG_NUMBER, UNA_HTML_WIDE, UNA_HTML_HEAD,
    UNA_HTML_NUMBER_HEAD, UNA_HTML_SIDE
} una_html_cell_kind;
void una_html_cell(una_html *html, una_html_cell_kind kind, const char *words);
/* A line across the table that names the rows below it. */
void una_html_group(una_html *html, size_t columns, const char *words);

/* Two figures side by side where there is room. */
void una_html_pair(una_html *html);
void una_html_pair_end(una_html *html);
/* Keys, panels side by side where there is room, numbered caption. */
una_status una_html_figure(una_html *html, const una_figure *figure, const char *lead, const char *caption,
                           una_run *run);
/* The caption of a <figure> that another file of this room began, and its end. */
void una_html_figure_end(una_html *html, const char *lead, const char *caption);
