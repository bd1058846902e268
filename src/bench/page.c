/* SPDX-License-Identifier: MIT
 *
 * Pages of experiments, in HTML and in Markdown at once: the frame of each (heading, what the experiment shows, claims
 * with their numbers, what was fitted), the parts that experiments add, each figure and table also as files, and a
 * table of means for experiments that have no page of their own.
 */
#include "bench/experiment.h"

#include "draw/cairo_canvas.h"
#include "draw/fit_report.h"
#include "store/store_csv.h"

/* ---- on both pages at once ----------------------------------------------------------------------------------- */

void una_page_heading(una_page *page, int level, const char *words)
{
    una_html_heading(&page->html, level, words);
    una_text_add(&page->words, "%.*s ", level, "######");
    una_markdown_escape(&page->words, words);
    una_text_add(&page->words, "\n\n");
}

static void paragraph(una_page *page, const char *kind, const char *words)
{
    una_html_paragraph(&page->html, kind, words);
    una_markdown_escape(&page->words, words);
    una_text_add(&page->words, "\n\n");
}

void una_page_paragraph(una_page *page, const char *words)
{
    paragraph(page, NULL, words);
}

void una_page_box(una_page *page, const char *title, const char *words)
{
    una_html_box(&page->html, title, &words, 1);
    una_markdown_caption(&page->words, una_phrase(page->arena, "%s.", title), words);
}

/* OUT/EXPERIMENT-NAME.ENDING; name NULL: OUT/EXPERIMENT.ENDING */
static una_status save_part(const una_page *page, const char *name, const char *ending, const una_text *bytes)
{
    const char *path = una_phrase(bytes->arena, "%s/%s%s%s.%s", page->folder, page->experiment, name ? "-" : "",
                                  name ? name : "", ending);
    UNA_TRY(una_arena_check(bytes->arena));
    UNA_TRY(una_store_check_csv(path, page->run));
    return una_report_save(path, bytes, page->run);
}

/* Pages show the .svg; the .png beside it is for those who have Cairo. */
static una_status save_png(una_page *page, const char *name, const una_figure *figure)
{
    una_text png = una_text_in(page->arena);
    if (una_cairo_check(page->run) == UNA_OK) {
        UNA_TRY(una_figure_draw(&png, figure, UNA_FORMAT_PNG, page->run));
        return save_part(page, name, "png", &png);
    }
    if (!page->without_png)
        una_log(page->run, UNA_LOG_NOTE, "figures are written as .svg alone: %s", una_run_message(page->run));
    page->without_png = true;
    una_clear_message(page->run);
    return UNA_OK;
}

una_status una_page_figure(una_page *page, const char *name, const una_figure *figure, const char *lead,
                           const char *caption)
{
    una_text svg = una_text_in(page->arena);
    UNA_TRY(una_arena_check(page->arena));
    una_html_figure(&page->html, figure, lead, caption);
    UNA_TRY(una_figure_draw(&svg, figure, UNA_FORMAT_SVG, page->run));
    UNA_TRY(save_part(page, name, "svg", &svg));
    UNA_TRY(save_png(page, name, figure));

    una_text_add(&page->words, "![");
    una_markdown_escape(&page->words, lead);
    una_text_add(&page->words, "](%s-%s.svg)\n\n", page->experiment, name);
    una_markdown_caption(&page->words, lead, caption);
    return una_arena_check(page->arena);
}

/* The same sheet with more words behind its caption. */
static una_sheet with_more(const una_sheet *sheet, const char *more, una_arena *arena)
{
    una_sheet other = *sheet;
    const char *caption = sheet->caption ? sheet->caption : "";
    if (more) other.caption = una_phrase(arena, "%s%s%s", caption, sheet->caption ? " " : "", more);
    return other;
}

una_status una_page_sheet_noted(una_page *page, const una_sheet *sheet, const char *note, const char *hint)
{
    static const struct { const char *ending; void (*write)(una_text *text, const una_sheet *sheet); } files[] = {
        { "csv", una_sheet_csv }, { "md", una_sheet_markdown }, { "tex", una_sheet_latex } };
    una_sheet here = with_more(sheet, hint, page->arena), alone = with_more(sheet, note, page->arena);
    UNA_TRY(una_arena_check(page->arena));
    UNA_TRY(una_arena_check(sheet->arena));
    una_sheet_html(&page->html, &here);
    una_sheet_markdown(&page->words, &here);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        una_text text = una_text_in(page->arena);
        files[i].write(&text, &alone);
        UNA_TRY(save_part(page, sheet->name, files[i].ending, &text));
    }
    return UNA_OK;
}

una_status una_page_sheet(una_page *page, const una_sheet *sheet)
{
    return una_page_sheet_noted(page, sheet, NULL, NULL);
}

/* ---- parts --------------------------------------------------------------------------------------------------- */

const char *una_page_title(const una_group *group)
{
    size_t same = 0;
    const una_row_key *key = una_group_key(group);
    for (const una_group *g = NULL; (g = una_findings_next(group->findings, g, key->data));)
        same += strcmp(g->model, group->model) == 0;
    return same == 1 ? group->model : key->spec;
}

una_sheet una_page_table(una_page *page, const char *name, const char *lead, const char *caption,
                         const una_column *columns)
{
    una_sheet sheet = una_sheet_in(page->arena, name, lead, caption);
    for (; columns->title; columns++) una_sheet_column(&sheet, columns->title, columns->kind);
    return sheet;
}

void una_page_spread(una_sheet *sheet, const una_group *group, size_t measure, int decimals)
{
    una_sheet_spread(sheet, group ? una_group_mean(group, measure) : NAN, group ? una_group_sd(group, measure) : NAN,
                     decimals);
}

void una_page_cell(una_sheet *sheet, const una_group *group, const una_column *c)
{
    if (c->measure == UNA_FITS) una_sheet_number(sheet, (double)group->count, 0);
    else if (c->kind == UNA_SHEET_SPREAD) una_page_spread(sheet, group, c->measure, c->decimals);
    else una_sheet_number(sheet, group ? una_group_mean(group, c->measure) : NAN, c->decimals);
}

void una_page_cells(una_sheet *sheet, const una_group *group, const una_column *columns)
{
    for (const una_column *c = columns + sheet->at; c->title; c++) {
        if (c->kind == UNA_SHEET_WORDS || c->measure == UNA_OWN) return;
        una_page_cell(sheet, group, c);
    }
}

void una_page_line(una_sheet *sheet, const una_group *group, const char *title,
                   const una_column *columns)
{
    una_sheet_line(sheet);
    una_sheet_words(sheet, title);
    una_page_cells(sheet, group, columns);
}

/* With more titled measures than this, a page of 1100 pixels has no room for the other columns. */
enum { MOST_BESIDE = 4 };

una_status una_page_means(una_page *page)
{
    const una_findings *f = page->findings;
    const una_experiment *experiment = page->asked->experiment;
    size_t titles = 0;
    for (const una_bench_measure *m = experiment->measures; m->name; m++) titles += m->title != NULL;
    bool wide = titles > MOST_BESIDE, fits = !wide;      /* a wide table leaves columns out */
    for (size_t g = 1; g < f->group_count; g++) fits = fits || f->groups[g].count != f->groups[0].count;
    una_text caption = una_text_in(page->arena);
    UNA_NEW(page->arena, una_column, columns, f->measures + 5);
    una_column *next = columns;
    *next++ = (una_column){ "model", UNA_SHEET_WORDS, 0, 0 };
    *next++ = (una_column){ "data", UNA_SHEET_WORDS, 0, 0 };
    if (fits) *next++ = (una_column){ experiment->over, UNA_SHEET_NUMBER, UNA_FITS, 0 };
    for (size_t m = 0; experiment->measures[m].name; m++)
        if (experiment->measures[m].title)
            *next++ = (una_column){ experiment->measures[m].title, UNA_SHEET_SPREAD, m, -3 };
    if (!wide) *next++ = (una_column){ "seconds a fit", UNA_SHEET_NUMBER, f->measures - 1, 1 };

    una_text_add(&caption, "%s", experiment->caption);
    if (!fits && f->group_count > 0) una_text_add(&caption, " (%zu %s each)", f->groups[0].count, experiment->over);
    una_sheet sheet = una_page_table(page, "means", "Means.", caption.at, columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        const char *data = una_group_key(g)->data;
        una_page_line(&sheet, g, una_page_title(g), columns);
        una_sheet_words(&sheet, una_phrase(sheet.arena, "%.*s", (int)una_row_key_data(data), data));
        una_page_cells(&sheet, g, columns);
    }
    una_page_heading(page, 2, "What is known, in numbers");
    return una_page_sheet(page, &sheet);
}

const char *una_bench_verdict(int holds)
{
    if (holds == UNA_HOLDS) return "holds";
    return holds == UNA_DOES_NOT_HOLD ? "does not hold" : "cannot tell";
}

static una_status claims_table(una_page *page, const una_bench_claim *claims, size_t count)
{
    const una_experiment *experiment = page->asked->experiment;
    static const una_column columns[] = { { "claim", UNA_SHEET_WORDS, 0, 0 }, { "verdict", UNA_SHEET_WORDS, 0, 0 },
                                          { "numbers", UNA_SHEET_WORDS, 0, 0 }, { .title = NULL } };
    if (count == 0) return UNA_OK;
    una_sheet sheet = una_page_table(page, "claims", experiment->claims_lead ? experiment->claims_lead :
                                     "Claims of the thesis.", experiment->claims_caption, columns);
    for (size_t i = 0; i < count; i++) {
        una_sheet_line(&sheet);
        una_sheet_words(&sheet, claims[i].sentence);
        una_sheet_words(&sheet, una_bench_verdict(claims[i].holds));
        una_sheet_words(&sheet, claims[i].numbers);
    }
    una_page_heading(page, 2, "What was claimed, and what holds here");
    return una_page_sheet(page, &sheet);
}

/* ---- the specs ----------------------------------------------------------------------------------------------- */

/* Each spec once. If there are too many, because options depend on the data, only those of --models: the experiment's
 * own tables have the others. */
static void page_put_fitted_specs(una_page *page)
{
    const una_findings *f = page->findings;
    enum { MOST = 48 };
    const char *specs[MOST];
    size_t count = 0;
    for (const una_group *g = NULL; count <= MOST && (g = una_findings_next(f, g, NULL));) {
        size_t earlier = 0;
        while (earlier < count && strcmp(specs[earlier], una_group_key(g)->spec) != 0) earlier++;
        if (earlier < count) continue;
        if (count < MOST) specs[count] = una_group_key(g)->spec;
        count++;
    }
    bool all = count <= MOST && !page->asked->experiment->owner;
    una_page_heading(page, 2, "What was fitted");
    for (size_t i = 0; i < (all ? count : page->asked->model_count); i++) {
        const char *spec = all ? specs[i] : page->asked->models[i].spec;
        una_html_paragraph(&page->html, "code", spec);
        una_text_add(&page->words, "    %s\n", spec);
    }
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

static una_status write_page(una_page *page, const una_bench_claim *claims, size_t claim_count)
{
    const una_asked *asked = page->asked;
    const una_experiment *e = asked->experiment;
    size_t fits = page->findings->count;
    una_page_heading(page, 1, e->title);
    paragraph(page, "lead", e->lead);
    if (asked->quick)
        una_page_box(page, "Quick run", "Seeds and budgets were cut short (quick): this page shows that everything "
                     "works, and which way things go; the numbers that count are those of a run in full.");
    if (asked->absent)
        una_page_box(page, "Not all rows are there", una_phrase(page->arena, "%zu of %zu fits are there, and this "
                     "page is made of them alone: where a table or a claim needs others, it is silent or cannot tell.",
                     fits, fits + asked->absent));
    UNA_TRY((e->page ? e->page : una_page_means)(page));
    UNA_TRY(claims_table(page, claims, claim_count));
    page_put_fitted_specs(page);
    UNA_TRY(una_html_end(&page->html, NULL));
    UNA_TRY(una_arena_check(page->arena));
    UNA_TRY(save_part(page, NULL, "md", &page->words));
    return save_part(page, NULL, "html", &page->html.text);
}

una_status una_experiment_page(const una_findings *findings, const una_bench_claim *claims, size_t claim_count,
                               const una_asked *asked, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    una_page page = { .html = una_html_begin(&arena, asked->experiment->title), .words = una_text_in(&arena),
                      .folder = asked->out, .experiment = asked->experiment->name, .findings = findings,
                      .asked = asked, .arena = &arena, .run = run };
    una_status status = write_page(&page, claims, claim_count);
    una_arena_free(&arena);
    return status;
}
