/* SPDX-License-Identifier: MIT
 *
 * The report from invented arrays: contents, hostile names, degenerate sizes, determinism, files, memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "draws.h"
#include "draw/html.h"
#include "draw/invented.h"
#include "draw/number.h"
#include "draw/page_checks.h"
#include "draw/picture.h"
#include "draw/png_checks.h"
#include "draw/svg_checks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const plain_names[] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l", "m", "n", "o" };

typedef struct world { una_run *run; una_arena arena; invented all; } world;

static world *open_world(void)
{
    world *w = test_calloc(1, sizeof *w);
    assert_int_equal(una_run_new(&w->run, NULL), UNA_OK);
    una_arena_init(&w->arena, w->run);
    return w;
}

static void close_world(world *w)
{
    una_arena_free(&w->arena);
    una_run_free(w->run);
    test_free(w);
}

static una_fit_info *info_of(world *w, size_t model)
{
    return (una_fit_info *)(uintptr_t)w->all.model[model].info;
}

static void fill(world *w, size_t rows, size_t columns, size_t texts, const char *const *names, size_t models,
                 size_t parts)
{
    static const char *const titles[] = { "LUNA", "NLM", "GP" };
    assert_true(invented_table(&w->all, rows, columns, texts, names, &w->arena));
    for (size_t m = 0; m < models; m++)
        invented_model(&w->all.model[m], &w->all.report, titles[m], m == 0 ? 1 : 0.2, parts, &w->arena);
    w->all.report.model_count = models;
    assert_int_equal(una_arena_check(&w->arena), UNA_OK);
}

static una_text page_of(world *w)
{
    una_text page = una_text_in(&w->arena);
    una_status status = una_report_html(&page, &w->all.report, 1, w->run);
    if (status != UNA_OK) fail_msg("%s", una_run_message(w->run));
    return page;
}

/* ---- numbers ---------------------------------------------------------------------------------------- */

static void test_numbers(void **state)
{
    (void)state;
    char a[UNA_NUMBER_ROOM];
    assert_string_equal(una_number_plain(a, -1234567.25, 1),
                        "\xE2\x88\x92" "1" UNA_THIN_SPACE "234" UNA_THIN_SPACE "567.2");
    assert_string_equal(una_number_plain(a, 1234, 0), "1234");
    assert_string_equal(una_number_plain(a, 12345, 0), "12" UNA_THIN_SPACE "345");
    assert_string_equal(una_number_plain(a, -0.04, 1), "0.0");
    assert_string_equal(una_number_plain(a, NAN, 1), "\xE2\x80\x93");
    assert_string_equal(una_number_plain(a, -INFINITY, 1), "\xE2\x80\x93");
    assert_string_equal(una_number_plain(a, 1e200, 1), "large");

    assert_string_equal(una_number_short(a, 0, 4), "0");
    assert_string_equal(una_number_short(a, 3.14159, 4), "3.142");
    assert_string_equal(una_number_short(a, 123456, 4), "123" UNA_THIN_SPACE "456");
    assert_string_equal(una_number_short(a, 9.9996, 4), "10.00");
    assert_string_equal(una_number_short(a, -1.5e-7, 2), "\xE2\x88\x92" "1.5\xC3\x97" "10\xE2\x81\xBB\xE2\x81\xB7");
    assert_string_equal(una_number_short(a, 6.02e23, 3), "6.02\xC3\x97" "10\xC2\xB2\xC2\xB3");
}

static void test_ticks(void **state)
{
    (void)state;
    char a[UNA_NUMBER_ROOM];
    una_ticks t = una_ticks_choose(-4.8, 4.8, 6);
    assert_int_equal(t.count, 5);
    assert_float_equal(t.step, 2, 1e-12);
    assert_string_equal(una_tick_text(a, &t, 0), "\xE2\x88\x92" "4");
    assert_string_equal(una_tick_text(a, &t, 2), "0");
    assert_string_equal(una_ticks_factor(a, &t), "");

    t = una_ticks_choose(0, 1, 5);
    assert_int_equal(t.count, 6);
    assert_string_equal(una_tick_text(a, &t, 1), "0.2");
    t = una_ticks_choose(0, 5e6, 5);
    assert_int_equal(t.exponent, 6);
    assert_string_equal(una_tick_text(a, &t, 3), "3");
    assert_string_equal(una_ticks_factor(a, &t), " (\xC3\x97" "10\xE2\x81\xB6)");
    t = una_ticks_choose(0, 2e-5, 4);
    assert_int_equal(t.exponent, -6);
    assert_string_equal(una_tick_text(a, &t, 2), "10");

    t = una_ticks_choose(-1e300, 1e300, 4);
    assert_true(t.count >= 2 && t.count <= 6);
    t = una_ticks_choose(0.31, 0.34, 0);
    assert_true(isfinite(t.step) && t.step > 0);
    for (size_t most = 1; most < 12; most++) {           /* never more than asked for, and one at the seams */
        t = una_ticks_choose(-17.3, 923.1, most);
        assert_true(t.count <= most + 1);
    }
}

static void test_words(void **state)
{
    (void)state;
    char a[12];
    assert_string_equal(una_utf8_clean(a, sizeof a, "a\nb\x01" "c"), "a b c");
    assert_string_equal(una_utf8_clean(a, sizeof a, "\xFFz"), "\xEF\xBF\xBDz");
    assert_string_equal(una_utf8_clean(a, 4, "aa\xC3\xA4"), "aa");             /* no half characters */
    assert_int_equal(una_utf8_length("\xF0\x9F\x8C\xB2"), 4);
    assert_int_equal(una_utf8_length("\xE2\x82"), 0);
    assert_int_equal(una_utf8_length("\xED\xA0\x80"), 0);                      /* a surrogate */
    assert_int_equal(una_utf8_length("\xF4\x90\x80\x80"), 0);                  /* beyond Unicode */
    assert_int_equal(una_utf8_length("\xC0\x80"), 0);                          /* overlong */
}

/* ---- figures ---------------------------------------------------------------------------------------- */

static void test_quantile_and_range(void **state)
{
    (void)state;
    double values[] = { 3, NAN, 1, 2, INFINITY, 4, 5 }, low = INFINITY, high = -INFINITY, none[] = { NAN };
    una_range_add(&low, &high, values, 7);
    assert_float_equal(low, 1, 0);
    assert_float_equal(high, 5, 0);
    assert_float_equal(una_quantile(values, 7, 0.5), 3, 1e-12);
    assert_float_equal(una_quantile(values, 5, 0.125), 1.5, 1e-12);
    assert_float_equal(una_quantile(values, 5, 1), 5, 1e-12);
    assert_true(isnan(una_quantile(none, 1, 0.5)));
}

static void test_strip_shows_gaps(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 400, 1, 0, plain_names, 1, 0);
    una_figure figure = una_figure_in(&w->arena, 1, 300, 200);
    una_panel *panel = una_figure_panel(&figure, NULL, NULL, NULL);
    una_panel_strip(panel, w->all.column[0].number, 400);
    assert_true(panel->strip_count > 0);

    double in_gap = 0, top = 0;
    for (size_t i = 0; i < panel->strip_count; i++) {
        if (fabs(panel->strip_x[i]) < 1) in_gap = fmax(in_gap, panel->strip_y[i]);
        top = fmax(top, panel->strip_y[i]);
    }
    assert_float_equal(top, 1, 1e-12);
    assert_true(in_gap < 0.01);

    const double same[] = { 2, 2, 2 };
    una_panel *empty = una_figure_panel(&figure, NULL, NULL, NULL);
    una_panel_strip(empty, same, 3);
    assert_int_equal(empty->strip_count, 0);
    close_world(w);
}

/* Every shape, strange values, no values, no panel, too many panels. */
static void test_shapes(void **state)
{
    (void)state;
    world *w = open_world();
    const double x[] = { 0, 1, NAN, 3, 4 }, y[] = { 1e308, -1e308, 2, NAN, 1e-300 }, z[] = { 0, 1, 2, 3, INFINITY };
    una_figure figure = una_figure_in(&w->arena, 2, 240, 160);
    una_text none = una_text_in(&w->arena);
    assert_int_equal(una_figure_draw(&none, &figure, UNA_FORMAT_SVG, w->run), UNA_E_USAGE);

    for (int shape = UNA_SHAPE_BAND; shape <= UNA_SHAPE_DIAGONAL; shape++) {
        una_panel *panel = una_figure_panel(&figure, "a title", "x", "y");
        una_panel_add(panel, (una_series){ .shape = (una_shape)shape, .ink = UNA_INK_MODEL, .x = x, .y = y, .y2 = z,
            .count = 5 });
        una_figure_key(&figure, (una_shape)shape, UNA_INK_SECOND, "key");
    }
    una_figure_panel(&figure, NULL, NULL, NULL);
    una_panel *tiny = una_figure_panel(&figure, NULL, "apart", "same");
    tiny->x.low = 5, tiny->x.high = 6, tiny->y.low = 7, tiny->y.high = 8;
    una_panel_add(tiny, (una_series){ .shape = UNA_SHAPE_DIAGONAL });
    una_panel *named = una_figure_panel(&figure, NULL, NULL, NULL);
    for (int i = 0; i < 10; i++)
        una_panel_add(named, (una_series){ .shape = UNA_SHAPE_LINE, .x = z, .y = z, .count = 5,
            .label = "the same end" });

    const int last = has_cairo() ? UNA_FORMAT_PNG : UNA_FORMAT_SVG;
    for (int format = UNA_FORMAT_SVG; format <= last; format++) {
        una_text out = una_text_in(&w->arena);
        assert_int_equal(una_figure_draw(&out, &figure, (una_format)format, w->run), UNA_OK);
        assert_true(out.length > 1000);
        assert_null(strstr(out.at, "nan"));
    }
    una_html html = una_html_begin(&w->arena, "all keys");
    una_html_figure(&html, &figure, "Lead.", "Caption.");
    assert_int_equal(una_html_end(&html, "foot"), UNA_OK);
    assert_well_formed(html.text.at);

    una_text inside = una_text_in(&w->arena);
    una_figure_inline(&inside, &figure, 99, "z", "t", "d");
    assert_int_equal(inside.length, 0);
    for (int i = 0; i < UNA_MOST_PANELS + 2; i++) una_figure_panel(&figure, NULL, NULL, NULL);
    una_panel *beyond = una_figure_panel(&figure, NULL, NULL, NULL);
    assert_null(beyond);
    una_panel_add(beyond, (una_series){0});
    una_panel_strip(beyond, x, 5);
    close_world(w);
}

static void test_thinning_keeps_ends(void **state)
{
    (void)state;
    world *w = open_world();
    enum { MANY = 50000 };
    double *x = UNA_GET(&w->arena, double, MANY);
    for (size_t i = 0; i < MANY; i++) x[i] = (double)i;
    una_figure figure = una_figure_in(&w->arena, 1, 240, 160);
    una_panel *panel = una_figure_panel(&figure, NULL, NULL, NULL);
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .x = x, .y = x, .count = MANY });
    assert_int_equal(panel->series[0].count, UNA_MOST_POINTS);
    assert_float_equal(panel->series[0].x[0], 0, 0);
    assert_float_equal(panel->series[0].x[UNA_MOST_POINTS - 1], MANY - 1, 0);
    close_world(w);
}

/* ---- the page --------------------------------------------------------------------------------------- */

static void test_one_input(void **state)
{
    (void)state;
    world *w = open_world();
    const char *warnings[] = { "The heads have collapsed." }, *notes[] = { "Column 'q' is constant." };
    fill(w, 100, 1, 0, plain_names, 2, 20);
    w->all.report.heading = "A heading";
    w->all.report.story = "First part.\n\nSecond part.";
    w->all.report.left_out = 3;
    invented_held_out(&w->all, 0);
    invented_held_out(&w->all, 1);
    info_of(w, 0)->warnings = warnings, info_of(w, 0)->warning_count = 1;
    info_of(w, 0)->notes = notes, info_of(w, 0)->note_count = 1;

    una_text page = page_of(w);
    assert_well_formed(page.at);
    assert_ids(&w->arena, page.at);
    assert_self_contained(page.at);

    const char *const expected[] = { "<h1>A heading</h1>", "<p class=\"lead\">First part.</p>",
        "<p class=\"lead\">Second part.</p>",
        "The function and its bands.", "The heads have collapsed.", "Column &#39;q&#39; is constant.",
        "members or heads", "On 100 held-out rows", "Share of the spread explained", "Rows within the 95 % band",
        "each predicted by what had not seen it (5 folds)", "Residuals of held-out rows.",
        "Calibration on held-out rows.", "Training curves.", "3 of the rows given have no value",
        "LUNA predicts y from 1 input (a).",
        "NLM (luna) predicts", "viewport", "role=\"img\"", "luna(width=50" };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
        if (!strstr(page.at, expected[i])) fail_msg("the page lacks: %s", expected[i]);

    /* panels: 2 predictions, 2 calibration, 2 functions, 2 residuals, ignorance, 3 training */
    assert_int_equal(occurrences(page.at, "role=\"img\""), 12);
    close_world(w);
}

static const char *place_of(const char *page, const char *word)
{
    const char *at = strstr(page, word);
    if (!at) fail_msg("the page does not say %s", word);
    return at;
}

/* What a reader asks first comes first, options come last; nothing that the model was fitted to judges its bands. */
static void test_order(void **state)
{
    (void)state;
    world *w = open_world();
    const double rise[] = { 0.1, 0.5, 0, 0.02 }, low[] = { 0.05, 0.3, -0.01, 0.01 }, high[] = { 0.2, 0.7, 0.01, 0.03 };
    const size_t order[] = { 1, 0, 3, 2 };
    const una_importance importance = { .target = "y", .inputs = 4, .rows = 40, .repeats = 5, .names = plain_names,
        .rise = rise, .low = low, .high = high, .order = order };
    const una_finding finding = { UNA_FOUND_TOO_GOOD, "too_good", "Column <b> is the target itself.", "b" };
    const una_suspect suspect = { 16, 18, "a", 4100, "lies <far> from all others", 17, NULL };
    const una_verdict verdict = { .sentence = "It explains 83 % of <y>.", .rows = 40, .rmse_linear = 0.7654,
        .rmse_mean = NAN, .finding_count = 1, .findings = &finding, .suspect_count = 1, .suspects = &suspect };
    const una_report_cause causes[] = { { 7, 1, 0.6, "b is 3 where the data end" }, { 9, SIZE_MAX, 0, NULL } };
    fill(w, 40, 4, 1, plain_names, 1, 0);
    const char *page = page_of(w).at;
    assert_null(strstr(page, "Calibration on"));         /* nothing was held out */
    assert_null(strstr(page, "within the 95 % band"));
    assert_null(strstr(page, "Residuals"));
    place_of(page, "Calibration is left out");
    place_of(page, "On the 40 rows given");
    place_of(page, "If they are the rows the model was fitted to");

    invented_held_out(&w->all, 0);
    w->all.model[0].importance = &importance;
    w->all.model[0].verdict = &verdict;
    w->all.report.causes = causes, w->all.report.cause_count = 2;
    page = page_of(w).at;
    assert_well_formed(page);
    assert_ids(&w->arena, page);
    assert_self_contained(page);
    static const char *const expected[] = { "<p class=\"verdict\">It explains 83 % of &lt;y&gt;.</p>",
        "Column &lt;b&gt; is the target itself.", "Suspicious rows.", ">18</td>", "lies &lt;far&gt; from all others",
        "How good it is",
        "0.7654", "Predicted against observed, on held-out rows.", "Calibration on held-out rows.",
        "Which inputs matter", "it is b, a and d that matter. Of the other input these rows cannot tell",
        "What each input does", "Effects at real rows.", "What is left over", "Residuals of held-out rows.",
        "Where it does not know", "Ignorance along the inputs.", "A map of ignorance.",
        "Which input makes rows unsure.", "The rows it knows least about",
        "How training went", "What was fitted", "luna(width=50" };
    for (size_t i = 1; i < sizeof expected / sizeof *expected; i++)
        if (place_of(page, expected[i - 1]) >= place_of(page, expected[i]))
            fail_msg("'%s' should come after '%s'", expected[i], expected[i - 1]);
    assert_null(strstr(page, "On the 40 rows given"));
    place_of(page, "<title>row 8\n");                    /* under the pointer */
    assert_true(occurrences(page, "<title>row ") > 100);
    close_world(w);
}

static void test_same_bytes(void **state)
{
    (void)state;
    world *w = open_world(), *again = open_world();
    fill(w, 60, 1, 0, plain_names, 2, 5);
    fill(again, 60, 1, 0, plain_names, 2, 5);
    assert_string_equal(page_of(w).at, page_of(again).at);

    const int last = has_cairo() ? UNA_FORMAT_PNG : UNA_FORMAT_SVG;
    for (int format = UNA_FORMAT_SVG; format <= last; format++) {
        una_text one = una_text_in(&w->arena), two = una_text_in(&again->arena);
        assert_int_equal(una_report_chart(&one, &w->all.report, (una_format)format, w->run), UNA_OK);
        assert_int_equal(una_report_chart(&two, &again->all.report, (una_format)format, again->run), UNA_OK);
        assert_int_equal(one.length, two.length);
        assert_memory_equal(one.at, two.at, one.length);
    }

    close_world(w);
    close_world(again);
}

static void test_formats(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 40, 3, 1, plain_names, 2, 0);
    una_text svg = una_text_in(&w->arena);
    assert_int_equal(una_report_chart(&svg, &w->all.report, UNA_FORMAT_SVG, w->run), UNA_OK);
    assert_memory_equal(svg.at, "<?xml", 5);
    assert_xml(svg.at);

    una_format format;
    assert_int_equal(una_format_of(&format, "chart.svg", w->run), UNA_OK);
    assert_int_equal(format, UNA_FORMAT_SVG);
    assert_int_equal(una_format_of(&format, "chart", w->run), UNA_E_USAGE);
    assert_int_equal(una_format_of(&format, "chart.jpg", w->run), UNA_E_USAGE);
    assert_non_null(strstr(una_run_message(w->run), ".svg, .pdf or .png"));
    close_world(w);
}

static void test_formats_of_cairo(void **state)
{
    (void)state;
    if (!has_cairo()) skip();
    world *w = open_world();
    fill(w, 40, 3, 1, plain_names, 2, 0);
    una_text svg = una_text_in(&w->arena), pdf = una_text_in(&w->arena), png = una_text_in(&w->arena);
    assert_int_equal(una_report_chart(&svg, &w->all.report, UNA_FORMAT_SVG, w->run), UNA_OK);
    assert_int_equal(una_report_chart(&pdf, &w->all.report, UNA_FORMAT_PDF, w->run), UNA_OK);
    assert_int_equal(una_report_chart(&png, &w->all.report, UNA_FORMAT_PNG, w->run), UNA_OK);
    assert_memory_equal(pdf.at, "%PDF-", 5);
    assert_memory_equal(pdf.at + pdf.length - 6, "%%EOF\n", 6);

    read_png read = png_read((const unsigned char *)png.at, png.length);
    double width = 0;
    assert_int_equal(sscanf(strstr(svg.at, "width=\""), "width=\"%lf", &width), 1);
    assert_int_equal(read.width, (size_t)(2.5 * width));
    assert_memory_equal(read.at, "\xFF\xFF\xFF", 3);    /* a white ground */
    size_t dark = 0;
    for (size_t i = 0; i < read.width * read.height; i++) dark += read.at[3 * i] < 100;
    assert_true(dark > 1000);
    free(read.at);

    una_format format;
    assert_int_equal(una_format_of(&format, "a.b/chart.PDF", w->run), UNA_OK);
    assert_int_equal(format, UNA_FORMAT_PDF);
    assert_int_equal(una_format_of(&format, "x.png", w->run), UNA_OK);
    assert_int_equal(format, UNA_FORMAT_PNG);
    close_world(w);
}

static void test_hostile_names(void **state)
{
    (void)state;
    world *w = open_world();
    static char endless[10001];
    memset(endless, 'W', sizeof endless - 1);
    const char *names[] = { "<script>alert(1)</script>", "\"quoted\" & 'so'", endless,
        "\xC3\xA4\xCE\xA9\xE6\xB0\xB4\xF0\x9F\x8C\xB2",
                            "bad \xFF\xC3 bytes\n\x02", "", "\xD7\xA9\xD7\x9C\xD7\x95\xD7\x9D \xE2\x80\xAE" "turned" };
    const char *warnings[] = { "<img onerror=x>" };
    fill(w, 50, 7, 1, names, 1, 0);
    invented_held_out(&w->all, 0);
    w->all.report.target = "</title><b>y";
    w->all.model[0].title = "<i>m</i>";
    info_of(w, 0)->warnings = warnings, info_of(w, 0)->warning_count = 1;
    info_of(w, 0)->relevance = (const double[]){ 1, 2, 3, 4, 5, 6, 7 };

    una_text page = page_of(w);
    assert_well_formed(page.at);
    assert_ids(&w->arena, page.at);
    assert_self_contained(page.at);
    assert_null(strstr(page.at, "<img"));
    assert_null(strstr(page.at, "<b>"));
    assert_non_null(strstr(page.at, "&lt;script&gt;alert(1)"));
    assert_non_null(strstr(page.at, "&lt;b&gt;birch&lt;/b&gt;"));
    assert_non_null(strstr(page.at, "\xEF\xBF\xBD"));
    assert_null(strstr(page.at, "\xE2\x80\xAE"));        /* nothing is turned round, names that are stay apart */
    assert_non_null(strstr(page.at, "<bdi>\xE2\x81\xA8\xD7\xA9"));
    for (const char *at = page.at; (at = strstr(at, "WWWW")); at += strspn(at, "W"))
        assert_true(strspn(at, "W") < 300);              /* cut */
    assert_non_null(strstr(page.at, "WW\xE2\x80\xA6"));
    for (const char *s = page.at; *s; s += una_utf8_length(s)) assert_true(una_utf8_length(s) > 0);

    una_text chart = una_text_in(&w->arena);
    assert_int_equal(una_report_chart(&chart, &w->all.report, UNA_FORMAT_SVG, w->run), UNA_OK);
    assert_xml(chart.at);
    assert_null(strstr(chart.at, "<script"));
    assert_null(strstr(chart.at, "\xE2\x80\xAE"));
    una_text png = una_text_in(&w->arena);
    if (has_cairo()) assert_int_equal(una_report_chart(&png, &w->all.report, UNA_FORMAT_PNG, w->run), UNA_OK);
    close_world(w);
}

static void test_one_row(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 1, 1, 0, plain_names, 1, 0);
    w->all.report.grid = 0;                              /* a single value has no range */
    w->all.model[0].line_mean = NULL;
    una_text page = page_of(w);
    assert_well_formed(page.at);
    assert_non_null(strstr(page.at, "On the 1 row given"));
    assert_null(strstr(page.at, "The function and its bands."));
    una_text chart = una_text_in(&w->arena);
    assert_int_equal(una_report_chart(&chart, &w->all.report, UNA_FORMAT_SVG, w->run), UNA_OK);
    close_world(w);
}

static void test_nothing_measured(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 30, 2, 0, plain_names, 1, 0);

    una_fit_info *info = info_of(w, 0);
    for (size_t i = 0; i < info->curve.count;
         i++) info->curve.loss[i] = info->curve.valid_log_lik[i] = info->curve.mean_cos2[i] = NAN;
    info->valid_rows = 0;
    info->noise_std = info->prior_var = info->log_evidence = info->mean_cos2 = NAN;
    info->spec = NULL;
    info->inputs = 5;
    info->rows = 1;
    info->steps = 0;

    una_text page = page_of(w);
    assert_null(strstr(page.at, "How training went"));
    assert_null(strstr(page.at, "held-out rows, before"));
    assert_null(strstr(page.at, "prior variance"));
    assert_non_null(strstr(page.at, "which it sees as 5 numbers"));
    close_world(w);
}

/* Shares are those of the squares, the largest first; of many inputs some. */
static void test_relevance(void **state)
{
    (void)state;
    world *w = open_world();
    double relevance[15] = { 1, 3, 2, 0.01 };
    size_t shown;
    fill(w, 30, 4, 1, plain_names, 2, 0);
    assert_null(strstr(page_of(w).at, "Which inputs matter"));
    info_of(w, 0)->relevance = relevance;
    una_text page = page_of(w);
    assert_well_formed(page.at);
    assert_true(place_of(page.at, "How good it is") < place_of(page.at, "Which inputs matter"));
    assert_true(place_of(page.at, "Which inputs matter") < place_of(page.at, "Where it does not know"));
    assert_null(strstr(page.at, "more inputs have smaller shares"));

    una_figure figure = una_chart_importance(&w->all.report, &shown, &w->arena);
    const una_panel *panel = figure.panels[0];
    const una_series *bars = &panel->series[0];
    double sum = 1 + 9 + 4 + 0.0001;
    assert_int_equal(figure.panel_count, 1);
    assert_int_equal(shown, 4);
    assert_true(fabs(bars->x[0] - 900 / sum) < 1e-9 && fabs(bars->x[1] - 400 / sum) < 1e-9);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(panel->y.names[(size_t)bars->y[i] - 1], i == 0 ? "b" : i == 1 ? "c" : i == 2 ? "a" : "d");

    for (size_t c = 4; c < 15; c++) relevance[c] = 0.1;
    fill(w, 30, 15, 1, plain_names, 1, 0);
    info_of(w, 0)->relevance = relevance;
    place_of(page_of(w).at, "3 more inputs have smaller shares");
    close_world(w);
}

static void test_constant_curve_and_three_models(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 30, 1, 0, plain_names, 3, 70);
    for (size_t i = 0; i < info_of(w, 0)->curve.count; i++) info_of(w, 0)->curve.loss[i] = 2;
    info_of(w, 1)->curve = (una_curve){0};
    info_of(w, 2)->valid_rows = info_of(w, 2)->rows;
    una_text page = page_of(w);
    assert_well_formed(page.at);
    assert_non_null(strstr(page.at, "Each of them was held out once"));
    close_world(w);
}

static void test_thirteen_inputs(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 1000, 15, 1, plain_names, 1, 0);
    una_text page = page_of(w);
    assert_non_null(strstr(page.at, "3 more inputs are not shown"));
    assert_non_null(strstr(page.at, "3 of 15 inputs are shown, those that matter most first."));
    assert_non_null(strstr(page.at, "and 3 more"));

    una_figure figure = una_chart_effects(&w->all.report, &w->arena);
    assert_int_equal(figure.panel_count, 12);
    assert_string_equal(figure.panels[0]->title, "a");
    close_world(w);
}

/* Levels have names and error bars, numbers a line with a band. */
static void test_effects(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 60, 2, 1, plain_names, 1, 0);
    una_figure figure = una_chart_effects(&w->all.report, &w->arena);
    assert_int_equal(figure.panel_count, 2);
    assert_int_equal(figure.panels[0]->series[0].shape, UNA_SHAPE_BAND);
    assert_true(figure.panels[0]->strip_count > 0);
    const una_panel *levels = figure.panels[1];
    assert_int_equal(levels->series[0].shape, UNA_SHAPE_RANGES);
    assert_int_equal(levels->x.name_count, 3);
    assert_string_equal(levels->x.names[0], "oak");
    assert_true(levels->y.low == figure.panels[0]->y.low && levels->y.high == figure.panels[0]->y.high);
    close_world(w);
}

static void test_least_known(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 50, 2, 0, plain_names, 1, 0);
    double *std = (double *)(uintptr_t)w->all.model[0].given.std_epistemic;
    std[17] = 9, std[3] = 8, std[40] = 8, std[5] = NAN;

    size_t *order = una_report_least_known(&w->all.report, &w->arena);
    assert_int_equal(order[0], 17);
    assert_int_equal(order[1], 3);
    assert_int_equal(order[2], 40);

    size_t *number = (size_t *)(uintptr_t)w->all.report.row_number;
    number[17] = 777777;
    assert_non_null(strstr(page_of(w).at, "<td class=\"n\">777" UNA_THIN_SPACE "777</td>"));
    close_world(w);
}

/* Of standard normal quantiles, a share p lies below the quantile of p. */
static double blocks[50][2 * 3 * 4];
static const double *block_at[50];
static const una_report_images as_images = { 2, 3, 1, block_at };

/* Rows that name pictures of 2 x 3: all have their number everywhere but in the last place, which has 255. */
static void fill_images(world *w)
{
    fill(w, 50, 1, 0, plain_names, 1, 0);
    w->all.report.grid = 0;
    w->all.report.images = &as_images;
    for (size_t i = 0; i < 50; i++) {
        for (size_t k = 0; k < 6; k++) blocks[i][k] = k < 5 ? (double)i : 255;
        block_at[i] = blocks[i];
    }
}

/* Of rows with errors 1, 2 ... in the order of ignorance; surprises first, by multiples of the std. */
static void test_risk(void **state)
{
    (void)state;
    world *w = open_world();
    fill_images(w);
    una_report_predictions *model = &w->all.model[0].given;
    double *y = (double *)(uintptr_t)w->all.report.y, *std = (double *)(uintptr_t)model->std_epistemic;
    for (size_t i = 0; i < 50; i++) {
        y[i] = model->mean[i] + (double)(50 - i);
        std[i] = (double)(50 - i);
    }
    assert_true(una_report_has_ignorance(&w->all.report));

    una_figure figure = una_chart_risk(&w->all.report, &w->arena);
    const una_series *line = &figure.panels[0]->series[0];
    assert_int_equal(line->count, 31);                   /* 20 rows, 21 ... 50 */
    for (size_t i = 0; i < line->count; i++) {
        double n = 20 + (double)i;
        assert_true(fabs(line->x[i] - 2 * n) < 1e-12);
        assert_true(fabs(line->y[i] - sqrt((n + 1) * (2 * n + 1) / 6)) < 1e-9);
    }

    y[30] = model->mean[30] - 1000 * model->std[30], y[31] = model->mean[31] + 900 * model->std[31];
    const size_t *order = una_report_surprises(&w->all.report, &w->arena);
    assert_true(order[0] == 30 && order[1] == 31);
    close_world(w);
}

/* What comes after src= as bytes. */
typedef struct packed { unsigned char at[4096]; size_t count; } packed;

static packed unpack(const char *page)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    packed b = {0};
    const char *at = strstr(page, "base64,");
    assert_non_null(at);
    at += 7;
    for (uint32_t word = 0, bits = 0; *at != '"' && *at != '='; at++) {
        const char *letter = strchr(letters, *at);
        assert_non_null(letter);
        word = word << 6 | (uint32_t)(letter - letters);
        bits += 6;
        if (bits < 8) continue;
        assert_true(b.count < sizeof b.at);
        b.at[b.count++] = (unsigned char)(word >> (bits -= 8));
    }
    return b;
}

static uint32_t pixel(const char *page, size_t y, size_t x)
{
    packed b = unpack(page);
    read_png png = png_read(b.at, b.count);
    assert_int_equal(png.width, 3);
    assert_int_equal(png.height, 2);
    uint32_t colour = 0;
    for (size_t k = 0; k < 3; k++)
        colour = colour << 8 | png.at[(y * 3 + x) * png.channels + (png.channels == 3 ? k : 0)];
    free(png.at);
    return colour;
}

/* Images instead of sweeps and of a table of rows; pixels as they are. */
static void test_images(void **state)
{
    (void)state;
    world *w = open_world();
    fill_images(w);
    double *std = (double *)(uintptr_t)w->all.model[0].given.std_epistemic;
    std[17] = 9;
    const char *page = page_of(w).at;
    assert_well_formed(page);
    assert_self_contained(page);
    assert_non_null(strstr(page, "images of 2 \xC3\x97 3 places, which the column a names"));
    assert_null(strstr(page, "moves one input"));
    assert_int_equal(occurrences(page, "<img "), 3 * UNA_MOST_PICTURES);
    assert_int_equal(pixel(page, 0, 0), 0x111111);
    assert_int_equal(pixel(page, 1, 2), 0xffffff);

    for (size_t i = 0; i < 50; i++) std[i] = 0;
    page = page_of(w).at;
    assert_non_null(strstr(page, "the same ignorance about every image"));
    assert_int_equal(occurrences(page, "<img "), UNA_MOST_PICTURES);
    una_text one = una_text_in(&w->arena), both = una_text_in(&w->arena);        /* no order, no curve */
    assert_int_equal(una_report_chart(&one, &w->all.report, UNA_FORMAT_SVG, w->run), UNA_OK);
    std[17] = 9;
    assert_int_equal(una_report_chart(&both, &w->all.report, UNA_FORMAT_SVG, w->run), UNA_OK);
    double narrow = 0, wide = 0;
    assert_int_equal(sscanf(strstr(one.at, "width=\""), "width=\"%lf", &narrow), 1);
    assert_int_equal(sscanf(strstr(both.at, "width=\""), "width=\"%lf", &wide), 1);
    assert_true(wide > 1.5 * narrow);
    close_world(w);
}

/* Colours, and tones of numbers that are no bytes: 0 to 1, or from the least to the largest. */
static void test_tones(void **state)
{
    (void)state;
    static const struct { double low, high; uint32_t first, last; } cases[] = {
        { 0, 1, 0x000000, 0xffffff }, { 0, 0.2, 0x000000, 0x333333 }, { 0, 51, 0x000000, 0x333333 },
        { -100, 400, 0x000000, 0xffffff } };
    for (size_t i = 0; i < 4; i++) {
        world *w = open_world();
        double numbers[2 * 3 * 4] = {0};
        for (size_t k = 0; k < 6; k++) numbers[k] = k < 3 ? cases[i].low : cases[i].high;
        una_picture grey = { 2, 3, 1, numbers, "<words>" };
        una_html html = una_html_begin(&w->arena, "t");
        assert_int_equal(una_html_pictures(&html, &grey, 1, "", "", w->run), UNA_OK);
        assert_non_null(strstr(html.text.at, "&lt;words&gt;</div>"));
        assert_int_equal(pixel(html.text.at, 0, 1), cases[i].first);
        assert_int_equal(pixel(html.text.at, 1, 1), cases[i].last);

        for (size_t k = 0; k < 24; k++) numbers[k] = (double)(k % 4 + 1) * 16;           /* the fourth is not shown */
        una_picture colours = { 2, 3, 4, numbers, "" };
        html = una_html_begin(&w->arena, "t");
        assert_int_equal(una_html_pictures(&html, &colours, 1, "", "", w->run), UNA_OK);
        assert_int_equal(pixel(html.text.at, 1, 2), 0x102030);
        close_world(w);
    }
}

static void test_calibration(void **state)
{
    (void)state;
    world *w = open_world();
    enum { ROWS = 1000 };
    fill(w, ROWS, 1, 0, plain_names, 1, 0);
    double *y = (double *)(uintptr_t)w->all.report.y;
    una_report_predictions *model = &w->all.model[0].given;
    for (size_t i = 0; i < ROWS; i++) y[i] = model->mean[i] + (i < ROWS / 4 ? -0.7 : i < ROWS / 2 ? -0.1
                                                               : 2) * model->std[i];

    una_figure figure = una_chart_calibration(&w->all.report, &w->arena);
    assert_int_equal(figure.panel_count, 0);             /* never of rows that may have taught the model */
    invented_held_out(&w->all, 0);
    figure = una_chart_calibration(&w->all.report, &w->arena);
    assert_int_equal(figure.panel_count, 2);
    const una_series *curve = &figure.panels[0]->series[2], *tenths = &figure.panels[1]->series[1];
    /* Phi(-0.7) = 0.242, Phi(-0.1) = 0.460, Phi(2) = 0.977: inside bands from 0.516, 0.080, 0.954 on */
    assert_float_equal(curve->y[7], 0, 1e-12);
    assert_float_equal(curve->y[8], 0.25, 1e-12);
    assert_float_equal(curve->y[51], 0.25, 1e-12);
    assert_float_equal(curve->y[52], 0.5, 1e-12);
    assert_float_equal(curve->y[95], 0.5, 1e-12);
    assert_float_equal(curve->y[96], 1, 1e-12);
    assert_float_equal(tenths->y2[2], 25, 1e-9);
    assert_float_equal(tenths->y2[4], 25, 1e-9);
    assert_float_equal(tenths->y2[9], 50, 1e-9);
    close_world(w);
}

static void test_many_rows(void **state)
{
    (void)state;
    world *w = open_world();
    fill(w, 50000, 13, 1, plain_names, 1, 0);
    invented_held_out(&w->all, 0);
    una_text page = page_of(w);
    assert_true(page.length < 3000000);
    assert_non_null(strstr(page.at, "sixty rows"));
    close_world(w);
}

static void test_empty_is_refused(void **state)
{
    (void)state;
    world *w = open_world();
    una_text page = una_text_in(&w->arena);
    una_report report = { .target = "y" };
    assert_int_equal(una_report_html(&page, &report, 1, w->run), UNA_E_USAGE);
    assert_int_equal(una_report_chart(&page, &report, UNA_FORMAT_SVG, w->run), UNA_E_USAGE);
    close_world(w);
}

static void test_saving(void **state)
{
    (void)state;
    world *w = open_world();
    una_text page = una_text_in(&w->arena);
    una_text_add(&page, "hello");
    char path[] = "una-report-XXXXXX", got[16] = "";
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    close(handle);

    assert_int_equal(una_report_save(path, &page, w->run), UNA_OK);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(got, 1, sizeof got - 1, file), 5);
    fclose(file);
    unlink(path);
    assert_string_equal(got, "hello");

    assert_int_equal(una_report_save("no/such/folder/at/all.html", &page, w->run), UNA_E_IO);
    assert_non_null(strstr(una_run_message(w->run), "no/such/folder"));
    for (size_t i = 0; i < 2 && access("/dev/full", W_OK) == 0; i++) {
        assert_int_equal(una_report_save("/dev/full", &page, w->run), UNA_E_IO);
        assert_non_null(strstr(una_run_message(w->run), "/dev/full: No space left"));
        while (page.length < 100000) una_text_add(&page, "more than a stream keeps in its buffer");
    }
    close_world(w);
}

/* ---- memory ----------------------------------------------------------------------------------------- */

typedef struct budget { long left, held; } budget;

static void *take(void *context, size_t size)
{
    budget *b = context;
    if (b->left-- <= 0) return NULL;
    b->held++;
    return malloc(size);
}

static void give(void *context, void *block)
{
    ((budget *)context)->held--;
    free(block);
}

typedef una_status attempt(world *w);

static una_status attempt_page(world *w)
{
    una_text page = una_text_in(&w->arena);
    return una_report_html(&page, &w->all.report, 1, w->run);
}

static una_status attempt_chart(world *w)
{
    una_text bytes = una_text_in(&w->arena);
    return una_report_chart(&bytes, &w->all.report, UNA_FORMAT_SVG, w->run);
}

static una_status attempt_picture(world *w)
{
    una_text bytes = una_text_in(&w->arena);
    return una_report_chart(&bytes, &w->all.report, UNA_FORMAT_PNG, w->run);
}

/* Arrays come from a world of their own; only the report's allocations fail. */
static una_status attempt_images(world *w)
{
    w->all.report.grid = 0;
    w->all.report.images = &as_images;
    return attempt_page(w);
}

static void sweep_memory(attempt *act, size_t columns)
{
    world *source = open_world();
    const double relevance[] = { 1, 2, 3 };
    fill(source, 20, columns, 0, plain_names, 2, 2);
    invented_held_out(&source->all, 0);
    info_of(source, 0)->relevance = relevance;
    bool done = false;
    long failures = 0;

    for (long n = 0; !done; n++) {
        assert_true(n < 500);
        budget b = { .left = 1000 };
        world w = { .all = source->all };
        una_run_settings settings = { .size = sizeof settings, .allocate = take, .release = give, .allocator = &b };
        assert_int_equal(una_run_new(&w.run, &settings), UNA_OK);
        una_arena_init(&w.arena, w.run);
        b.left = n;

        una_status status = act(&w);
        done = status == UNA_OK;
        if (!done) assert_int_equal(status, UNA_E_MEMORY);
        failures += !done;

        una_arena_free(&w.arena);
        una_run_free(w.run);
        assert_int_equal(b.held, 0);
    }
    assert_true(failures > 2);
    close_world(source);
}

static void test_memory(void **state)
{
    (void)state;
    sweep_memory(attempt_page, 1);
    sweep_memory(attempt_page, 3);
    sweep_memory(attempt_chart, 1);
    sweep_memory(attempt_chart, 3);
    if (has_cairo()) sweep_memory(attempt_picture, 1);
    sweep_memory(attempt_images, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers), cmocka_unit_test(test_ticks), cmocka_unit_test(test_words),
        cmocka_unit_test(test_quantile_and_range), cmocka_unit_test(test_strip_shows_gaps),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_thinning_keeps_ends), cmocka_unit_test(test_one_input), cmocka_unit_test(test_same_bytes),
        cmocka_unit_test(test_formats), cmocka_unit_test(test_formats_of_cairo),
        cmocka_unit_test(test_hostile_names), cmocka_unit_test(test_one_row),
        cmocka_unit_test(test_nothing_measured), cmocka_unit_test(test_relevance),
        cmocka_unit_test(test_constant_curve_and_three_models),
        cmocka_unit_test(test_thirteen_inputs), cmocka_unit_test(test_effects),
        cmocka_unit_test(test_order), cmocka_unit_test(test_least_known), cmocka_unit_test(test_calibration),
        cmocka_unit_test(test_risk), cmocka_unit_test(test_images), cmocka_unit_test(test_tones),
        cmocka_unit_test(test_many_rows), cmocka_unit_test(test_empty_is_refused), cmocka_unit_test(test_saving),
        cmocka_unit_test(test_memory),
    };

    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    forget_cairo();
    return failed;
}
