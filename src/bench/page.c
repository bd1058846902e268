/* SPDX-License-Identifier: MIT
 *
 * The frame of every experiment's page: heading, what the experiment shows, claims with their numbers, what was fitted;
 * and a table of means for experiments that have no page of their own.
 */
#include "bench/experiment.h"

#include "report/fit_report.h"
#include "report/number.h"

#include <ctype.h>
#include <string.h>

/* ---- parts --------------------------------------------------------------------------------------------------- */

const char *una_page_title(const una_findings *f, size_t g)
{
    size_t same = 0;
    const una_row_key *key = &f->fits[f->groups[g].from].key;
    for (size_t i = 0; i < f->group_count; i++)
        same += strcmp(f->groups[i].model, f->groups[g].model) == 0 &&
                strcmp(f->fits[f->groups[i].from].key.data, key->data) == 0;
    return same == 1 ? f->groups[g].model : key->spec;
}

static void head_cell(una_html *html, const char *title)
{
    char words[64];
    snprintf(words, sizeof words, "%s", title);
    words[0] = (char)toupper((unsigned char)words[0]);
    una_html_cell(html, UNA_HTML_NUMBER_HEAD, words);
}

static void mean_cell(una_html *html, double mean, double sd)
{
    char a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM];
    una_text words = una_text_in(html->text.arena);
    una_text_add(&words, "%s \xC2\xB1 %s", una_number_short(a, mean, 3), una_number_short(b, sd, 2));
    una_html_cell(html, UNA_HTML_NUMBER, words.at);
}

/* More titled measures than this, and a page of 1100 pixels has no room for other columns beside them. */
static bool is_wide(const una_experiment *experiment)
{
    enum { MOST_BESIDE = 4 };
    size_t titles = 0;
    for (const una_bench_measure *m = experiment->measures; m->name; m++) titles += m->title != NULL;
    return titles > MOST_BESIDE;
}

static bool counts_differ(const una_findings *f)
{
    for (size_t g = 1; g < f->group_count; g++)
        if (f->groups[g].count != f->groups[0].count) return true;
    return false;
}

typedef struct means_form { bool count, seconds; } means_form;   /* columns that a wide table goes without */

static void means_row(una_html *html, const una_findings *f, size_t g, const una_experiment *experiment,
                      means_form form)
{
    char number[UNA_NUMBER_ROOM];
    const double *mean = f->mean + g * f->measures, *sd = f->sd + g * f->measures;
    const char *data = f->fits[f->groups[g].from].key.data;
    una_text name = una_text_in(html->text.arena);
    una_text_add(&name, "%.*s", (int)una_row_key_data(data), data);

    una_html_row(html);
    una_html_cell(html, UNA_HTML_SIDE, una_page_title(f, g));
    una_html_cell(html, UNA_HTML_TEXT, name.at);
    if (form.count) una_html_cell(html, UNA_HTML_NUMBER, una_number_plain(number, (double)f->groups[g].count, 0));
    for (size_t m = 0; experiment->measures[m].name; m++)
        if (experiment->measures[m].title) mean_cell(html, mean[m], sd[m]);
    if (form.seconds) una_html_cell(html, UNA_HTML_NUMBER, una_number_plain(number, mean[f->measures - 1], 1));
    una_html_row_end(html);
}

void una_page_means(una_html *html, const una_findings *f, const una_experiment *experiment)
{
    bool wide = is_wide(experiment);
    means_form form = { .count = !wide || counts_differ(f), .seconds = !wide };
    una_text caption = una_text_in(html->text.arena);
    una_text_add(&caption, "%s", experiment->caption);
    if (!form.count && f->group_count > 0)
        una_text_add(&caption, " (%zu %s each)", f->groups[0].count, experiment->over);

    una_html_heading(html, 2, "What is known, in numbers");
    una_html_table(html, "Means.", caption.at);
    una_html_head(html);
    una_html_cell(html, UNA_HTML_HEAD, "Model");
    una_html_cell(html, UNA_HTML_HEAD, "Data");
    if (form.count) head_cell(html, experiment->over);
    for (const una_bench_measure *m = experiment->measures; m->name; m++)
        if (m->title) head_cell(html, m->title);
    if (form.seconds) head_cell(html, "seconds a fit");
    una_html_head_end(html);
    for (size_t g = 0; g < f->group_count; g++) means_row(html, f, g, experiment, form);
    una_html_table_end(html);
}

static void claims_table(una_html *html, const una_bench_claim *claims, size_t count, const una_experiment *experiment)
{
    static const char *const verdict[] = { "not tested", "does not hold", "holds" };
    if (count == 0) return;
    una_html_heading(html, 2, "What was claimed, and what holds here");
    una_html_table(html, experiment->claims_lead ? experiment->claims_lead : "Claims of the thesis.",
                   experiment->claims_caption);
    una_html_head(html);
    una_html_cell(html, UNA_HTML_HEAD, "Claim");
    una_html_cell(html, UNA_HTML_HEAD, "Here");
    una_html_cell(html, UNA_HTML_HEAD, "Numbers");
    una_html_head_end(html);

    for (size_t i = 0; i < count; i++) {
        una_html_row(html);
        una_html_cell(html, UNA_HTML_SIDE, claims[i].sentence);
        una_html_cell(html, UNA_HTML_TEXT, verdict[claims[i].holds + 1]);
        una_html_cell(html, UNA_HTML_TEXT, claims[i].numbers);
        una_html_row_end(html);
    }
    una_html_table_end(html);
}

/* ---- the page ------------------------------------------------------------------------------------------------ */

static una_status write_page(una_page *page, const una_findings *f, const una_bench_claim *claims, size_t claim_count,
                             const una_asked *asked, una_run *run)
{
    static const char *const warning[] = { "Budgets were cut short (quick): this page shows that everything works, not "
                                           "how good the models are." };
    const una_experiment *e = asked->experiment;
    una_html *html = &page->html;
    una_html_heading(html, 1, e->title);
    una_html_paragraph(html, "lead", e->lead);
    if (asked->quick) una_html_box(html, "Quick run", warning, 1);
    if (e->page) UNA_TRY(e->page(page, f, asked, run));
    else una_page_means(html, f, e);

    claims_table(html, claims, claim_count, e);
    una_html_heading(html, 2, "What was fitted");
    for (size_t i = 0; i < asked->model_count; i++) una_html_paragraph(html, "code", asked->models[i].spec);
    return una_html_end(html, "Made by una " UNA_VERSION ". This page is complete in itself: it fetches nothing and "
                        "sends nothing.");
}

una_status una_experiment_page(const char *path, const una_findings *findings, const una_bench_claim *claims,
                               size_t claim_count, const una_asked *asked, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    una_page page = { .html = una_html_begin(&arena, asked->experiment->title), .words = una_text_in(&arena),
                      .folder = asked->out, .experiment = asked->experiment->name };
    una_status status = write_page(&page, findings, claims, claim_count, asked, run);
    if (status == UNA_OK) status = una_arena_check(&arena);
    if (status == UNA_OK) status = una_report_save(path, &page.html.text, run);
    una_arena_free(&arena);
    return status;
}
