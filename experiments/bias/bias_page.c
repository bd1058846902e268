/* SPDX-License-Identifier: MIT
 *
 * The page of sampling bias: a table for each study beside what the thesis prints, and what is gained if the least sure
 * are left to an expert; where the faces are at hand, the surest and the least sure of them.
 */
#include "bias/bias.h"

static const double panel_width = 330, panel_height = 250;

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static const char *caption_of(const char *data)
{
    return strcmp(data, "sex") == 0
        ? "Trained on men. Mean absolute error in years; epistemic std of those asked, in percent above that of the "
                "rows that trained; women's over other men's; how often a woman's is larger than a man's (AUROC); both "
                "again among pictures in which a face was found."
        : "Trained on people below 30 and above 40. Mean absolute error in years; epistemic std of those asked, in "
                "percent above that of the rows that trained; that of people from 30 to 40 over others like the "
                "trained; how often one of the former has the larger (AUROC); both again among pictures in which a "
                "face was found.";
}

static const una_column columns[] = {
    { "Model", UNA_SHEET_WORDS, 0, 0 }, { "Error, trained", UNA_SHEET_NUMBER, UNA_BIAS_MAE + UNA_BIAS_TRAIN, 2 },
    { "like them", UNA_SHEET_NUMBER, UNA_BIAS_MAE + UNA_BIAS_IN, 2 },
    { "left out", UNA_SHEET_NUMBER, UNA_BIAS_MAE + UNA_BIAS_OUT, 2 },
    { "Increase, like", UNA_SHEET_NUMBER, UNA_BIAS_INCREASE_IN, 1 },
    { "left out", UNA_SHEET_NUMBER, UNA_BIAS_INCREASE_OUT, 1 }, { "Excess", UNA_SHEET_NUMBER, UNA_BIAS_EXCESS, 1 },
    { "AUROC", UNA_SHEET_NUMBER, UNA_BIAS_AUROC, 3 },
    { "Excess, face found", UNA_SHEET_NUMBER, UNA_BIAS_FOUND_EXCESS, 1 },
    { "AUROC", UNA_SHEET_NUMBER, UNA_BIAS_FOUND_AUROC, 3 },
    { "In 95 % band, like", UNA_SHEET_NUMBER, UNA_BIAS_COVERAGE_IN, 3 },
    { "left out", UNA_SHEET_NUMBER, UNA_BIAS_COVERAGE_OUT, 3 }, { .title = NULL } };

static void add_published(una_sheet *sheet, const una_bias_thesis *t)
{
    una_sheet_begin(sheet, "thesis: LUNA");
    for (size_t g = 0; g < UNA_BIAS_GROUPS; g++) una_sheet_number(sheet, t->mae[g], 2);
    una_sheet_number(sheet, t->increase_in, 1);
    una_sheet_number(sheet, t->increase_out, 1);
    una_sheet_number(sheet, 100 * ((100 + t->increase_out) / (100 + t->increase_in) - 1), 1);
    for (size_t i = 0; i < 5; i++) una_sheet_number(sheet, NAN, 3);      /* AUROC and what comes after it */
}

static una_status bias_add_table(una_page *page, const una_findings *f, const una_bias_thesis *t, una_run *run)
{
    una_sheet sheet = una_page_table(page, t->data, strcmp(t->data, "sex") == 0 ? "Sex." : "Age.",
                                     caption_of(t->data), columns);
    add_published(&sheet, t);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, t->data));) {
        una_sheet_begin(&sheet, una_page_title(f, g));
        for (const una_column *c = columns + 1; c->title; c++) {
            if (g->count == 1) una_page_cell(&sheet, f, g, c);
            else una_page_spread(&sheet, f, g, c->measure, c->decimals);
        }
    }
    return una_page_sheet(page, &sheet, run);
}

/* ---- risk ------------------------------------------------------------------------------------------------------- */

static una_ink ink_of(const char *kind)
{
    static const struct { const char *kind; una_ink ink; } inks[] = {
        { "luna", UNA_INK_MODEL }, { "nlm", UNA_INK_IGNORANCE }, { "ensemble", UNA_INK_SECOND },
        { "mcd", UNA_INK_THIRD }, { "sngp", UNA_INK_FOURTH } };
    for (size_t i = 0; i < sizeof inks / sizeof *inks; i++)
        if (strcmp(inks[i].kind, kind) == 0) return inks[i].ink;
    return UNA_INK_NOISE;
}

static una_status add_curves(una_figure *figure, const una_findings *f, const char *data, una_arena *arena)
{
    enum { COUNT = UNA_BIAS_RISKS + 1 };
    una_panel *panel = una_figure_panel(figure, strcmp(data, "sex") == 0 ? "Trained on men" :
                                        "Trained below 30 and above 40", "rows kept, %", "mean absolute error, years");
    for (const una_group *g = NULL; (g = una_findings_next(f, g, data));) {
        UNA_NEW(arena, double, x, 2 * COUNT);
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = 10 * (double)(i + 1);
            x[COUNT + i] = una_findings_mean(f, g, UNA_BIAS_RISK + i);
        }
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, ink_of(g->model), 1.8, 0 }, x, x + COUNT, COUNT);
        una_panel_label(panel, g->model);
    }
    return UNA_OK;
}

una_status una_bias_page(una_page *page, const una_findings *f, const una_asked *asked, una_run *run)
{
    una_arena *arena = page->html.text.arena;
    una_figure figure = una_figure_in(arena, 2, panel_width, panel_height);
    for (size_t d = 0; d < 2; d++) {
        const char *data = una_bias_published[d].data;
        if (!una_findings_next(f, NULL, data)) continue;
        UNA_TRY(bias_add_table(page, f, &una_bias_published[d], run));
        UNA_TRY(add_curves(&figure, f, data, arena));
        UNA_TRY(una_bias_faces(page, f, data, asked, run));
    }
    return una_page_figure(page, "risk", &figure, "The least sure left to an expert.", "Mean absolute error of those "
            "who are kept, when of all who are asked (like the trained, and left out) only the surest are.", run);
}
