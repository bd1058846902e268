/* SPDX-License-Identifier: MIT
 *
 * Pages and charts about a small model whose names, words, title and story are the input: bytes that say what is
 * written and which names stand where, then texts up to a NUL. Whatever they hold, the page is valid UTF-8, its tags
 * are the ones that una writes, properly nested, its attributes quoted and none of them runs anything; and so is every
 * SVG.
 */
#include "table.h"

#include "una_report.h"
#include "una_study.h"

enum { TEXTS = FUZZ_MOST_COLUMNS + 3, DEEPEST = 64 };

/* ---- pages ------------------------------------------------------------------------------------------------ */

typedef struct page { const char *at, *end, *what; size_t depth; char open[DEEPEST][16]; } page;

static bool is_one_of(const char *name, const char *words)
{
    size_t length = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at++)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
    return false;
}

/* Elements that una writes; one that is not among them came in with a name. */
static const char known[] = "html head meta title style script body header main footer section nav article aside "
    "details summary div span p h1 h2 h3 h4 ul ol li dl dt dd table thead tbody tfoot tr th td caption colgroup col "
    "figure figcaption img a b i em strong small code pre sub sup br hr button input label select option noscript link "
    "svg g path rect circle ellipse line polyline polygon text tspan defs clippath clipPath use symbol image title "
    "desc pattern linearGradient radialGradient stop filter feFlood feComposite feColorMatrix feImage mask xml";
static const char alone[] = "meta br hr img input link col";

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == ':' ||
           c == '_';
}

static void take_name(page *p, char name[16])
{
    size_t length = 0;
    for (; p->at < p->end && name_char(*p->at); p->at++)
        if (length < 15) name[length++] = *p->at;
    name[length] = 0;
}

/* name="value" ... up to the > ; true: it ends itself. */
static bool take_attributes(page *p, const char *element)
{
    for (;;) {
        while (p->at < p->end && strchr(" \t\r\n", *p->at)) p->at++;
        FUZZ_CHECK(p->at < p->end, "%s: <%s has no end", p->what, element);
        if (*p->at == '>') return p->at++, false;
        if (*p->at == '/' && p->at + 1 < p->end && p->at[1] == '>') return p->at += 2, true;
        char name[16];
        take_name(p, name);
        FUZZ_CHECK(*name, "%s: <%s has an attribute that begins with '%c'", p->what, element, *p->at);
        FUZZ_CHECK(strncmp(name, "on", 2) != 0, "%s: <%s has %s=", p->what, element, name);
        if (*p->at != '=') continue;
        char quote = *++p->at;
        FUZZ_CHECK(quote == '"' || quote == '\'', "%s: %s of <%s is not quoted", p->what, name, element);
        const char *close = memchr(p->at + 1, quote, (size_t)(p->end - p->at - 1));
        FUZZ_CHECK(close, "%s: %s of <%s has no closing quote", p->what, name, element);
        FUZZ_CHECK(!memchr(p->at, '<', (size_t)(close - p->at)), "%s: %s of <%s holds a <", p->what, name, element);
        p->at = close + 1;
    }
}

/* Of script and style: up to their end. */
static void skip_raw(page *p, const char *element)
{
    char closing[20];
    int length = snprintf(closing, sizeof closing, "</%s>", element);
    while (p->end - p->at >= length && memcmp(p->at, closing, (size_t)length) != 0) p->at++;
    FUZZ_CHECK(p->end - p->at >= length, "%s: <%s> is never closed", p->what, element);
}

static void take_tag(page *p)
{
    char name[16];
    if (p->at < p->end && (*p->at == '!' || *p->at == '?')) {
        const char *close = memchr(p->at, '>', (size_t)(p->end - p->at));
        FUZZ_CHECK(close, "%s: <%c has no end", p->what, *p->at);
        p->at = close + 1;
        return;
    }
    bool closing = p->at < p->end && *p->at == '/';
    p->at += closing;
    take_name(p, name);
    FUZZ_CHECK(*name && is_one_of(name, known), "%s: <%s%.20s is no element of ours", p->what, closing ? "/" : "",
               p->at);
    if (closing) {
        FUZZ_CHECK(p->at < p->end && *p->at++ == '>', "%s: </%s", p->what, name);
        FUZZ_CHECK(p->depth > 0 && strcmp(p->open[p->depth - 1], name) == 0, "%s: </%s> closes <%s>", p->what, name,
                   p->depth ? p->open[p->depth - 1] : "");
        p->depth--;
        return;
    }
    bool ended = take_attributes(p, name);
    if (ended || is_one_of(name, alone)) return;
    FUZZ_CHECK(p->depth < DEEPEST, "%s is nested too deep", p->what);
    memcpy(p->open[p->depth++], name, sizeof name);
    if (strcmp(name, "script") == 0 || strcmp(name, "style") == 0) skip_raw(p, name);
}

static void check_page(const char *path, const char *what)
{
    size_t size;
    unsigned char *bytes = fuzz_slurp(path, &size);
    FUZZ_CHECK(bytes && size > 0, "%s: nothing is written", what);
    fuzz_utf8((const char *)bytes, size, what);
    page p = { .at = (const char *)bytes, .end = (const char *)bytes + size, .what = what };
    while (p.at < p.end && (p.at = memchr(p.at, '<', (size_t)(p.end - p.at)))) {
        p.at++;
        take_tag(&p);
    }
    FUZZ_CHECK(p.depth == 0, "%s: <%s> is never closed", what, p.depth ? p.open[p.depth - 1] : "");
    free(bytes);
    remove(path);
}

/* ---- what is written --------------------------------------------------------------------------------------- */

static void write_pages(const una_model *model, const una_dataset *data, char *const *text, uint8_t how, fuzz_world *w)
{
    static const char *const what[] = { "bands", "effect", "observed", "calibration", "residuals", "ignorance",
                                        "importance", "nix" };
    const char *title = text[FUZZ_MOST_COLUMNS], *html = fuzz_path("page.html"), *svg = fuzz_path("chart.svg");
    una_plot_settings plot = { .size = sizeof plot, .what = what[how >> 3 & 7], .input = how & 64 ? text[0] : NULL };
    if ((how & 7) == 0 && FUZZ_SAID(una_report_write(html, &model, &title, 1, data, text[FUZZ_MOST_COLUMNS + 1],
                                                     text[FUZZ_MOST_COLUMNS + 2], w->run), w) == UNA_OK)
        check_page(html, "the report");
    if ((how & 7) == 1 && FUZZ_SAID(una_chart_write(svg, &model, &title, 1, data, w->run), w) == UNA_OK)
        check_page(svg, "the chart");
    if ((how & 7) > 1 && (how & 7) < 5 && FUZZ_SAID(una_plot_write(svg, model, data, &plot, w->run), w) == UNA_OK)
        check_page(svg, "the plot");
}

static void write_explanation(const una_model *model, const una_dataset *data, char *const *text, fuzz_world *w)
{
    size_t rows[] = { 0 };
    una_concept concepts[] = { { .size = sizeof *concepts, .name = text[0], .rows = rows, .row_count = 1 },
                               { .size = sizeof *concepts, .name = text[1], .where = text[2] } };
    una_explain_settings settings = { .size = sizeof settings, .concepts = concepts, .concept_count = 2 };
    una_explanation *explanation = NULL;
    const char *html = fuzz_path("why.html"), *svg = fuzz_path("why.svg");
    if (FUZZ_SAID(una_explain(&explanation, model, data, &settings, w->run), w) == UNA_OK) {
        if (FUZZ_SAID(una_report_explanation(html, explanation, data, text[FUZZ_MOST_COLUMNS], 5, w->run), w) == UNA_OK)
            check_page(html, "the explanation");
        if (FUZZ_SAID(una_chart_explanation(svg, explanation, 5, w->run), w) == UNA_OK) check_page(svg, "its chart");
    }
    una_explanation_free(explanation);
}

/* The names stand in a space, and in notes of trials. */
static void write_study(char *const *text, fuzz_world *w)
{
    una_study *study = NULL;
    una_text space = una_text_in(&w->run->scratch);
    una_text_add(&space, "{");
    una_text_json(&space, text[0]);
    una_text_add(&space, ": {\"type\": \"real\", \"low\": 0, \"high\": 1}, ");
    una_text_json(&space, text[1]);
    una_text_add(&space, ": {\"type\": \"category\", \"levels\": [");
    una_text_json(&space, text[2]);
    una_text_add(&space, ", ");
    una_text_json(&space, text[3]);
    una_text_add(&space, "]}}");
    una_study_settings settings = { .size = sizeof settings, .space = space.at, .acquisition = "random",
                                    .initial = 100 };
    const char *html = fuzz_path("study.html"), *svg = fuzz_path("study.svg");
    if (una_arena_check(&w->run->scratch) == UNA_OK &&
        FUZZ_SAID(una_study_new(&study, NULL, &settings, w->run), w) == UNA_OK) {
        for (int i = 0; i < 3; i++)
            FUZZ_SAID(una_study_add(study, (double[]){ 0.3 * i, i % 2 }, i == 2 ? (double)NAN : i, text[4], w->run), w);
        if (FUZZ_SAID(una_study_page(study, html, w->run), w) == UNA_OK) check_page(html, "the study");
        if (FUZZ_SAID(una_study_chart(study, svg, w->run), w) == UNA_OK) check_page(svg, "its charts");
    }
    una_study_close(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t how = fuzz_first(&bytes), memory = fuzz_first(&bytes), shape = fuzz_first(&bytes);
    fuzz_limits limits = { .allocations = fuzz_allocations(memory), .ticks = 2000 };
    if (!fuzz_begin(&world, limits)) return 0;
    char *text[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) text[i] = fuzz_text(&bytes);
    una_dataset *table = NULL;
    una_model *model = NULL, *loaded = NULL;
    una_fit_settings settings = { .size = sizeof settings, .missing = UNA_MISSING_MEAN, .hold_out = shape & 1 };
    uint8_t cells[] = { 11, shape, 3, 77, 150, 201, 18, 99, 240, 120, 60, 33, 5 };

    if ((how & 7) == 7) {
        write_study(text, &world);
    } else if (FUZZ_SAID(fuzz_table(&table, &(fuzz_bytes){ cells, sizeof cells }, (const char *const *)text, world.run),
                         &world) == UNA_OK &&
               FUZZ_SAID(una_fit(&model, "linear", table, &settings, world.run), &world) == UNA_OK) {
        void *saved = NULL;
        size_t length;
        if (how & 128 && FUZZ_SAID(una_model_save_memory(model, &saved, &length, world.run), &world) == UNA_OK)
            FUZZ_SAID(una_model_load_memory(&loaded, saved, length, world.run), &world);
        una_memory_free(saved, world.run);
        if ((how & 7) < 5) write_pages(loaded ? loaded : model, table, text, how, &world);
        else write_explanation(loaded ? loaded : model, table, text, &world);
    }
    una_model_free(loaded);
    una_model_free(model);
    una_dataset_free(table);
    for (size_t i = 0; i < TEXTS; i++) free(text[i]);
    fuzz_end(&world);
    return 0;
}
