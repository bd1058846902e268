/* SPDX-License-Identifier: MIT
 *
 * What an experiment writes its results on: one page in HTML, the same in Markdown (OUT/NAME.md), and every figure and
 * table also as files of their own, OUT/NAME-figure.svg and .png, OUT/NAME-table.csv, .md and .tex.
 */
#pragma once

#include "draw/sheet.h"

typedef struct una_page {
    una_html    html;
    una_text    words;                   /* Markdown                                                        */
    const char *folder, *experiment;     /* begin the names of files                                        */
    const struct una_findings *findings; /* what it is about (experiment.h), and what was asked for         */
    const struct una_asked    *asked;
    una_arena  *arena;                   /* texts, tables and figures last as long as the page              */
    una_run    *run;
    bool        without_png;             /* and this was said                                               */
} una_page;

void una_page_heading(una_page *page, int level, const char *words);
void una_page_paragraph(una_page *page, const char *words);
/* What must not be read over. */
void una_page_box(una_page *page, const char *title, const char *words);
/* name: of its files, "curves". */
una_status una_page_figure(una_page *page, const char *name, const una_figure *figure, const char *lead,
                           const char *caption);
una_status una_page_sheet(una_page *page, const una_sheet *sheet);
/* note: goes behind the caption in the files of the table; the page, which says it once and elsewhere, has `hint` there
 * instead. Both NULL: as una_page_sheet. */
una_status una_page_sheet_noted(una_page *page, const una_sheet *sheet, const char *note, const char *hint);
