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
/* The same for a name or the words of a cell: what is written from right to left keeps to itself. */
void una_html_words(una_text *text, const char *words);
/* "Table 3 | Lead caption", `lead` in bold. Tables are written by sheet.h. */
void una_html_caption(una_html *html, const char *what, size_t number, const char *lead, const char *caption);

void una_html_heading(una_html *html, int level, const char *words);
/* kind: NULL, or a class of the style sheet: "lead", "note", "code". */
void una_html_paragraph(una_html *html, const char *kind, const char *words);
void una_html_list(una_html *html, const char *const *sentences, size_t count);
/* A visible box; nothing if count is 0. */
void una_html_box(una_html *html, const char *title, const char *const *sentences, size_t count);

/* Two figures side by side where there is room. */
void una_html_pair(una_html *html);
void una_html_pair_end(una_html *html);
/* Keys, panels side by side where there is room, numbered caption. */
void una_html_figure(una_html *html, const una_figure *figure, const char *lead, const char *caption);
/* Below a heading, unless it is NULL; nothing at all where the figure has no panel. */
void una_html_section(una_html *html, const char *heading, const una_figure *figure, const char *lead,
                      const char *caption);
/* The caption of a <figure> that another file of this room began, and its end. */
void una_html_figure_end(una_html *html, const char *lead, const char *caption);
