/* SPDX-License-Identifier: MIT
 *
 * The page of sampling bias: a table for each study beside what the thesis prints, and what is gained if the least sure
 * are left to an expert; where the faces are at hand, the surest and the least sure of them.
 */
#include "bias/bias.h"
#include "draw/picture.h"

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

static una_status bias_add_table(una_page *page, const una_bias_thesis *t)
{
    const una_findings *f = page->findings;
    una_sheet sheet = una_page_table(page, t->data, strcmp(t->data, "sex") == 0 ? "Sex." : "Age.",
                                     caption_of(t->data), columns);
    add_published(&sheet, t);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, t->data));) {
        una_sheet_begin(&sheet, una_page_title(g));
        for (const una_column *c = columns + 1; c->title; c++) {
            if (g->count == 1) una_page_cell(&sheet, g, c);
            else una_page_spread(&sheet, g, c->measure, c->decimals);
        }
    }
    return una_page_sheet(page, &sheet);
}

/* ---- risk ------------------------------------------------------------------------------------------------------- */

static una_ink ink_of(const char *kind)
{
    static const una_ink inks[] = { UNA_INK_MODEL, UNA_INK_IGNORANCE, UNA_INK_SECOND, UNA_INK_THIRD, UNA_INK_FOURTH };
    int at = una_choice("luna|nlm|ensemble|mcd|sngp", kind);
    return at < 0 ? UNA_INK_NOISE : inks[at];
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
            x[COUNT + i] = una_group_mean(g, UNA_BIAS_RISK + i);
        }
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, ink_of(g->model), 1.8, 0 }, x, x + COUNT, COUNT);
        una_panel_label(panel, g->model);
    }
    return UNA_OK;
}

/* ---- pictures of the surest and the least sure: only the HTML page has them, for people who have the data set --- */

typedef struct people {
    const una_dataset *faces;
    const double *sex, *age, *index;
} people;

static una_status find_people(people *p, const una_dataset *faces, una_run *run)
{
    static const char *const names[] = { "sex", "age_thesis", "index" };
    const double **column[] = { &p->sex, &p->age, &p->index };
    p->faces = faces;
    for (size_t i = 0; i < 3; i++) {
        size_t at;
        UNA_TRY(una_dataset_find(&at, faces, names[i], run));
        *column[i] = una_dataset_numbers(faces, at);
    }
    return UNA_OK;
}

/* SIZE_MAX: no face. */
static size_t person_of(const people *p, double item)
{
    for (size_t i = 0; p->index && i < una_dataset_row_count(p->faces); i++)
        if (p->index[i] == item) return i;
    return SIZE_MAX;
}

static una_status add_pictures(una_page *page, const people *p, const double *first, const char *lead,
                               const char *caption)
{
    una_picture picture[UNA_BIAS_FACES];
    size_t count = 0, sizes[3];
    UNA_TRY(una_dataset_image(sizes, NULL, p->faces, 0, page->run));
    for (size_t i = 0; i < UNA_BIAS_FACES; i++) {
        size_t row = person_of(p, first[i]);
        if (row == SIZE_MAX || sizes[0] == 0) continue;
        const char *known = p->sex[row] == 1 ? "man" : "woman";
        UNA_NEW(page->arena, double, numbers, sizes[0] * sizes[1] * sizes[2]);
        const char *words =
            una_phrase(page->arena, "%s, %.0f", p->sex[row] == 1 || p->sex[row] == 0 ? known : "unknown", p->age[row]);
        UNA_TRY(una_dataset_image(sizes, numbers, p->faces, row, page->run));
        picture[count++] = (una_picture){ sizes[0], sizes[1], sizes[2], numbers, words };
    }
    UNA_TRY(una_arena_check(page->arena));
    return count ? una_html_pictures(&page->html, picture, count, lead, caption, page->run) : UNA_OK;
}

/* Of the first model of a study that has ignorance. */
static const una_group *subject_of(const una_findings *f, const char *data)
{
    const una_group *g = NULL;
    while ((g = una_findings_next(f, g, data)) && !isfinite(una_findings_value(f, g->from, UNA_BIAS_EXCESS))) {}
    return g;
}

una_status una_bias_faces(una_page *page, const char *data)
{
    const una_findings *f = page->findings;
    const una_bias_data *shared = page->asked->shared;
    const una_group *group = subject_of(f, data);
    people p;
    if (!shared || !shared->faces || !group) return UNA_OK;
    UNA_TRY(find_people(&p, shared->faces, page->run));
    if (!p.sex || !p.age) return UNA_OK;
    const double *value = f->value + group->from * f->measures;
    const char *caption = una_phrase(page->arena, "%s, of all who were asked (first seed); age by the label.",
                                     group->model);
    bool sex = strcmp(data, "sex") == 0;
    UNA_TRY(add_pictures(page, &p, value + UNA_BIAS_UNSURE,
                         sex ? "Trained on men: those the model is least sure of." :
                         "Trained below 30 and above 40: those the model is least sure of.", caption));
    return add_pictures(page, &p, value + UNA_BIAS_SURE, "And those it is surest of.", caption);
}

una_status una_bias_page(una_page *page)
{
    const una_findings *f = page->findings;
    una_figure figure = una_figure_in(page->arena, 2, panel_width, panel_height);
    for (size_t d = 0; d < 2; d++) {
        const char *data = una_bias_published[d].data;
        if (!una_findings_next(f, NULL, data)) continue;
        UNA_TRY(bias_add_table(page, &una_bias_published[d]));
        UNA_TRY(add_curves(&figure, f, data, page->arena));
        UNA_TRY(una_bias_faces(page, data));
    }
    return una_page_figure(page, "risk", &figure, "The least sure left to an expert.", "Mean absolute error of those "
            "who are kept, when of all who are asked (like the trained, and left out) only the surest are.");
}
