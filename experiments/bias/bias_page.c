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
          "percent above that of the rows that trained; that of people from 30 to 40 over others like the trained; how "
          "often one of the former has the larger (AUROC); both again among pictures in which a face was found.";
}

static void add_published(una_sheet *sheet, const una_bias_thesis *t)
{
    una_sheet_line(sheet);
    una_sheet_words(sheet, "thesis: LUNA");
    for (size_t g = 0; g < UNA_BIAS_GROUPS; g++) una_sheet_number(sheet, t->mae[g], 2);
    una_sheet_number(sheet, t->increase_in, 1);
    una_sheet_number(sheet, t->increase_out, 1);
    una_sheet_number(sheet, 100 * ((100 + t->increase_out) / (100 + t->increase_in) - 1), 1);
    for (size_t i = 0; i < 5; i++) una_sheet_number(sheet, NAN, 3);      /* AUROC and what comes after it */
}

static void add_group(una_sheet *sheet, const una_findings *f, size_t g)
{
    static const struct { size_t measure; int decimals; } cells[] = {
        { UNA_BIAS_MAE + UNA_BIAS_TRAIN, 2 }, { UNA_BIAS_MAE + UNA_BIAS_IN, 2 }, { UNA_BIAS_MAE + UNA_BIAS_OUT, 2 },
        { UNA_BIAS_INCREASE_IN, 1 }, { UNA_BIAS_INCREASE_OUT, 1 }, { UNA_BIAS_EXCESS, 1 }, { UNA_BIAS_AUROC, 3 },
        { UNA_BIAS_FOUND_EXCESS, 1 }, { UNA_BIAS_FOUND_AUROC, 3 },
        { UNA_BIAS_COVERAGE_IN, 3 }, { UNA_BIAS_COVERAGE_OUT, 3 } };
    una_sheet_line(sheet);
    una_sheet_words(sheet, una_page_title(f, g));
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        const una_group *group = &f->groups[g];
        double mean = una_findings_mean(f, group, cells[i].measure);
        if (group->count == 1) una_sheet_number(sheet, mean, cells[i].decimals);
        else una_page_spread(sheet, f, group, cells[i].measure, cells[i].decimals);
    }
}

static una_status bias_add_table(una_page *page, const una_findings *f, const una_bias_thesis *t, una_run *run)
{
    static const char *const titles[] = { "Error, trained", "like them", "left out", "Increase, like", "left out",
                                          "Excess", "AUROC", "Excess, face found", "AUROC", "In 95 % band, like",
                                          "left out" };
    una_sheet sheet = una_sheet_in(page->html.text.arena, t->data, strcmp(t->data, "sex") == 0 ? "Sex." : "Age.",
                                   caption_of(t->data));
    una_sheet_column(&sheet, "Model", UNA_SHEET_WORDS);
    for (size_t i = 0; i < sizeof titles / sizeof *titles; i++) una_sheet_column(&sheet, titles[i], UNA_SHEET_NUMBER);
    add_published(&sheet, t);
    for (size_t g = 0; g < f->group_count; g++)
        if (strcmp(f->fits[f->groups[g].from].key.data, t->data) == 0) add_group(&sheet, f, g);
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
    una_panel *panel = una_figure_panel(figure, strcmp(data, "sex") == 0 ? "Trained on men" :
                                        "Trained below 30 and above 40", "rows kept, %", "mean absolute error, years");
    for (size_t g = 0; g < f->group_count; g++) {
        const una_group *group = &f->groups[g];
        double *x = UNA_GET(arena, double, UNA_BIAS_RISKS + 1), *y = UNA_GET(arena, double, UNA_BIAS_RISKS + 1);
        UNA_TRY(una_arena_check(arena));
        if (strcmp(f->fits[group->from].key.data, data) != 0) continue;
        for (size_t i = 0; i <= UNA_BIAS_RISKS; i++) {
            x[i] = 10 * (double)(i + 1);
            y[i] = una_findings_mean(f, group, UNA_BIAS_RISK + i);
        }
        una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = ink_of(group->model), .x = x, .y = y,
                                           .count = UNA_BIAS_RISKS + 1, .size = 1.8, .label = group->model });
    }
    return UNA_OK;
}

una_status una_bias_page(una_page *page, const una_findings *f, const una_asked *asked, una_run *run)
{
    una_arena *arena = page->html.text.arena;
    una_figure figure = una_figure_in(arena, 2, panel_width, panel_height);
    for (size_t d = 0; d < 2; d++) {
        bool there = false;
        for (size_t g = 0; g < f->group_count; g++)
            there = there || strcmp(f->fits[f->groups[g].from].key.data, una_bias_published[d].data) == 0;
        if (!there) continue;
        UNA_TRY(bias_add_table(page, f, &una_bias_published[d], run));
        UNA_TRY(add_curves(&figure, f, una_bias_published[d].data, arena));
        UNA_TRY(una_bias_faces(page, f, una_bias_published[d].data, asked, run));
    }
    return una_page_figure(page, "risk", &figure, "The least sure left to an expert.", "Mean absolute error of those "
                           "who are kept, when of all who are asked (like the trained, and left out) only the surest "
                           "are.", run);
}
