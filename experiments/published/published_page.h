/* SPDX-License-Identifier: MIT
 *
 * What the pages of uci and gap share: which models and data have a place in their tables, the thesis's numbers beside
 * ours, paired tests, and figures. They work for either protocol or both, and for any models and data; fits that were
 * not run are left out.
 */
#pragma once

#include "bench/claims.h"
#include "published/thesis_tables.h"

extern const char *const una_preset_titles[2];           /* "thesis's protocol", by una_preset                      */
/* The first group of a method on a data set (without its sum) under a protocol; NULL: it was not run. */
const una_group *una_method_group(const una_findings *findings, size_t method, const char *data, una_preset preset);

/* ---- who and where -------------------------------------------------------------------------------------------- */

typedef struct una_show_position { size_t who, where; una_preset preset; } una_show_position;

typedef struct una_show {                /* the findings as tables see them                                 */
    const una_findings *findings;
    una_arena          *arena;
    const una_thesis_column *columns;    /* of the thesis                                                   */
    una_show_position  *positions;       /* [groups]                                                        */
    const char        **who;             /* titles: the thesis's methods in its order, then the others      */
    size_t             *methods;         /* [who_count] UNA_METHODS: none of the thesis's                   */
    const char        **where;           /* data without sums: those of the thesis in its order, then the others */
    size_t              who_count, where_count;
    size_t              known;           /* how many of `where` are the thesis's                            */
    size_t              shown;           /* tables and figures have so many of them                         */
    una_page           *page;            /* that they go to                                                 */
    bool                has[2];          /* by una_preset: anything was run                                 */
} una_show;

una_status una_show_of(una_show *show, una_page *page, const una_thesis_column *columns);
/* NULL: not run. */
const una_group *una_show_group(const una_show *show, size_t who, size_t where, una_preset preset);
const char      *una_show_column(const una_show *show, size_t where);    /* its title in tables                    */
/* Whether it was run on any of the data that are shown. */
bool             una_show_ran(const una_show *show, size_t who, una_preset preset);
size_t           una_show_who(const una_show *show, size_t method);      /* the first of a method; who_count: none */
/* Mean and sd of a group's measure; NAN where the group is NULL or the measure UNA_ALONE, the sd also of one fit. */
una_printed      una_show_mean(const una_group *group, size_t measure);

/* ---- tables --------------------------------------------------------------------------------------------------- */

#define UNA_ALONE SIZE_MAX               /* in place of a measure inside the gap: a cell has one number          */

typedef struct una_result_line {         /* a line of a method in a table: where its numbers are from       */
    const char *label;                   /* NULL ends the list                                              */
    una_preset  preset;
    size_t      measure, inside;         /* inside: of the gap, or UNA_ALONE                                */
} una_result_line;

typedef struct una_thesis_comparison {   /* a table of the thesis with our numbers beside it                */
    const char *name, *lead, *caption;
    una_thesis_table  printed;           /* UNA_THESIS_TABLES: it has none such                             */
    const una_result_line *sources;
    int         decimals;                /* of ours; as una_sheet_number has them                           */
    bool        detection;               /* mark numbers larger than their standard deviation               */
} una_thesis_comparison;

/* Of files: "bands-thesis", "bands-automatic". */
const char *una_show_name(const una_show *show, const char *what, una_preset preset);
/* An empty sheet: a first column of that title, then one for each of the data that are shown. */
una_sheet  una_show_sheet(const una_show *show, const char *name, const char *lead, const char *caption,
                          const char *first, una_sheet_kind kind);
/* Says once, before all tables, where the thesis's protocol was reduced; nothing where it was not run. Tables with
 * numbers of that protocol refer to it, and their files repeat it. */
void       una_show_reduced(const una_show *show);
una_status una_show_put(const una_show *show, const una_sheet *sheet, una_preset preset);
/* The lines of all methods, the thesis's first; the sheet is not written to the page yet. */
una_sheet  una_show_comparison(const una_show *show, const una_thesis_comparison *table);

typedef struct una_block { const char *title; size_t measure, inside; int decimals; } una_block; /* title NULL: end */
typedef struct una_blocks { const char *name, *lead, *caption; const una_block *blocks; } una_blocks;
/* All blocks under one protocol, each with a line for every method. */
una_status una_show_blocks(const una_show *show, const una_blocks *table, una_preset preset);
/* LUNA minus every other method, split by split. */
una_status una_show_paired(const una_show *show, const una_block *blocks, una_preset preset);
/* "-0.12 (-0.2 to -0.04), p 0.06"; a dash without pairs. Set off where the interval leaves 0 out. */
void       una_show_difference(una_sheet *sheet, const una_paired *paired);
/* " (0.44 to 0.51)" */
void       una_show_interval(una_text *text, const char *low, const char *high);
/* A caption that ends with the number of splits of the data that are shown, for one protocol or for both, as far
 * as they were run. */
const char *una_show_caption(const una_show *show, const char *words, una_preset preset);

/* ---- figures (published_figures.c) ------------------------------------------------------------------------------ */

/* Error at the most certain share of the rows, for each of the data that are shown. */
una_status una_show_risk(const una_show *show, una_preset preset);
/* Epistemic std along the column of the gap, and along another one: those that the thesis shows; and all. */
una_status una_show_seen(const una_show *show);
una_status una_show_along(const una_show *show, una_preset preset);

/* Where LUNA is not within one standard deviation of NLM's, and by how much (published_claims.c). */
una_status una_show_near(const una_show *show, const una_block *blocks);

/* ---- claims (published_claims.c) -------------------------------------------------------------------------------- */

typedef struct una_published_rule {
    una_rule         rule;               /* first                                                           */
    una_preset       preset;
    una_thesis_table printed;
} una_published_rule;

/* Whether anything was run by a protocol; where not, the claim is UNA_NOT_ASKED. */
bool       una_preset_asked(una_judging *j, una_preset preset);
/* Whether LUNA's mean of the rule's measure is within one standard deviation of NLM's: the interval of the paired
 * difference decides. */
una_status una_judge_near(una_judging *j);

/* ---- the pages ------------------------------------------------------------------------------------------------- */

una_status una_uci_page(una_page *page);
una_status una_gaps_page(una_page *page);
/* For the page of gap: which methods notice which gaps, in three ways; and every column of every set
 * (gap_detection.c). */
una_status una_gaps_detection(const una_show *show);
una_status una_gaps_extended(const una_show *show);
extern const una_claim una_uci_claims[], una_gaps_claims[];
