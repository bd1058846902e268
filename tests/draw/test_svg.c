/* SPDX-License-Identifier: MIT
 *
 * Drawings as SVG: the very elements of a small one, numbers with few digits, dots, clips, texts of strangers, widths
 * of texts, memory that is refused.
 */
#include "test_support.h"

#include "base/base.h"
#include "draw/svg.h"
#include "draw/svg_checks.h"

typedef struct world { una_run *run; una_arena arena; una_text out; una_svg svg; } world;

static world *open_world(void)
{
    world *w = test_calloc(1, sizeof *w);
    w->run = quiet_run();
    una_arena_init(&w->arena, w->run);
    w->out = una_text_in(&w->arena);
    w->svg = una_svg_on(&w->out, "c1-");
    return w;
}

static void close_world(world *w)
{
    una_arena_free(&w->arena);
    una_run_free(w->run);
    test_free(w);
}

/* What was drawn, inside of an element, is XML. */
static const char *drawn(world *w)
{
    una_svg_end(&w->svg);
    una_text whole = una_text_in(&w->arena);
    una_text_add(&whole, "<svg>%s</svg>", w->out.at);
    assert_int_equal(una_arena_check(&w->arena), UNA_OK);
    assert_xml(whole.at);
    return w->out.at;
}

static const una_pen black = { .opacity = 1, .width = 1 };

static void draw_small(una_canvas *p)
{
    const una_pen fine = { .rgb = { 1, 0.5, 0 }, .opacity = 0.25, .width = 0.75, .dashed = true };
    una_letters letters = una_letters_of(10.5, false, 0.5);
    p->move(p, 1, 2);
    p->line(p, 3.5, 2);
    p->line(p, 3.5, -1.25);
    p->line(p, 2.5, -1);
    p->line(p, 2, 0);
    p->move(p, 10, 10);
    p->line(p, 0.004, 10);
    p->stroke(p, &fine);
    una_canvas_rectangle(p, 0, 0, 20, 10);
    p->fill(p, &black);

    p->text(p, &letters, 5, 6.123, "a < b");
    p->text(p, &letters, 7, 8, "c");
    letters.turn = -1.57079632679489661923;
    p->text(p, &letters, 9, 10, "upright");
    letters.bold = true, letters.share = 1, letters.turn = 0;
    p->text(p, &letters, 1, 1, "bold");

    p->clip(p, 1, 2, 3, 4);
    p->move(p, 0, 0);
    p->line(p, 9, 9);
    p->stroke(p, &black);
    p->unclip(p);
}

static void small_drawing(void **state)
{
    (void)state;
    world *w = open_world();
    draw_small(&w->svg.canvas);
    assert_string_equal(drawn(w),
        "<path d=\"M1 2h2.5v-3.25l-1 .25-.5 1m8 10h-10\" stroke=\"#ff8000\" stroke-width=\"0.75\" "
        "stroke-opacity=\"0.25\" stroke-dasharray=\"4 3\"/>\n"
        "<path d=\"M0 0h20v10h-20z\" fill=\"#000000\"/>\n"
        "<g fill=\"#29292e\" font-size=\"10.5\" text-anchor=\"middle\">\n"
        "<text x=\"5\" y=\"6.12\">a &lt; b</text>\n<text x=\"7\" y=\"8\">c</text>\n"
        "<text transform=\"translate(9 10)rotate(-90)\">upright</text>\n</g>\n"
        "<g fill=\"#29292e\" font-size=\"10.5\" font-weight=\"bold\" text-anchor=\"end\">\n"
        "<text x=\"1\" y=\"1\">bold</text>\n</g>\n"
        "<clipPath id=\"c1-p1\"><path d=\"M1 2h3v4h-3z\"/></clipPath>\n<g clip-path=\"url(#c1-p1)\">\n"
        "<path d=\"M0 0l9 9\" stroke=\"#000000\"/>\n</g>\n");
    close_world(w);
}

static void same_drawing_same_bytes(void **state)
{
    (void)state;
    world *w = open_world(), *again = open_world();
    draw_small(&w->svg.canvas);
    draw_small(&again->svg.canvas);
    assert_string_equal(drawn(w), drawn(again));
    close_world(w);
    close_world(again);
}

/* A line without length is a dot if it is alone; a move without a line is nothing, and so is a path of such. */
static void dots_and_nothing(void **state)
{
    (void)state;
    world *w = open_world();
    una_canvas *p = &w->svg.canvas;
    p->move(p, 1, 1);
    p->move(p, 2, 2);
    p->stroke(p, &black);
    p->stroke(p, &black);
    p->fill(p, &black);
    p->close(p);
    assert_string_equal(drawn(w), "");

    const una_pen dots = { .opacity = 1, .width = 3, .round = true };
    for (int i = 0; i < 3; i++) {
        p->move(p, 5 - i, 4);
        p->line(p, 5 - i, 4);
    }
    p->line(p, 3, 9);
    p->line(p, 3.001, 9);
    p->move(p, 7, 7);
    p->stroke(p, &dots);
    assert_string_equal(drawn(w), "<path d=\"M5 4h0m-1 0h0m-1 0v5\" stroke=\"#000000\" stroke-width=\"3\" "
                        "stroke-linecap=\"round\"/>\n");
    close_world(w);
}

/* Rounded places do not drift away, however many there are. */
static void no_drift(void **state)
{
    (void)state;
    world *w = open_world();
    una_canvas *p = &w->svg.canvas;
    enum { MANY = 3000 };
    static double corner[MANY][2];
    p->move(p, 0, 0.003);
    for (int i = 1; i < MANY; i++) p->line(p, i * 0.1047, 0.003 + (i % 7) * 0.333);
    p->stroke(p, &black);
    path_walk walk = corners_of(drawn(w), "#000000", corner, MANY);
    assert_int_equal(walk.count, MANY);
    assert_int_equal(walk.pieces, 1);
    for (int i = 0; i < MANY; i++) {
        assert_near(corner[i][0], i * 0.1047, 0, 0.0051);
        assert_near(corner[i][1], 0.003 + (i % 7) * 0.333, 0, 0.0051);
    }
    close_world(w);
}

static void far_places_are_numbers(void **state)
{
    (void)state;
    world *w = open_world();
    una_canvas *p = &w->svg.canvas;
    p->move(p, NAN, 1e300);
    p->line(p, -INFINITY, INFINITY);
    p->line(p, 1e9, -1e9);
    p->stroke(p, &black);
    const char *svg = drawn(w);
    assert_null(strstr(svg, "nan"));
    assert_null(strstr(svg, "inf"));
    double corner[3][2];
    path_walk walk = corners_of(svg, "#000000", corner, 3);
    assert_int_equal(walk.count, 3);
    assert_near(corner[0][1], 1e7, 0, 0);
    assert_near(corner[2][0], 1e7, 0, 0);
    assert_near(corner[2][1], -1e7, 0, 0);
    close_world(w);
}

/* Clips of one drawing have names of their own, which begin with the prefix. */
static void clips_have_names(void **state)
{
    (void)state;
    world *w = open_world();
    una_canvas *p = &w->svg.canvas;
    for (int i = 0; i < 3; i++) {
        p->clip(p, i, 0, 1, 1);
        una_text_write(p, &(una_letters){ .size = 9 }, 0, 0, "inside", 1e3);
        p->unclip(p);
    }
    const char *svg = drawn(w);
    for (int i = 1; i <= 3; i++) {
        char id[32], use[32];
        snprintf(id, sizeof id, "id=\"c1-p%d\"", i);
        snprintf(use, sizeof use, "url(#c1-p%d)", i);
        assert_non_null(strstr(svg, id));
        assert_non_null(strstr(strstr(svg, id), use));
    }
    close_world(w);
}

static void texts_of_strangers(void **state)
{
    (void)state;
    static const char *const texts[] = { "</text></svg><script>alert(1)</script>", "\"x\" & 'y' ]]>", "\xFF\xC3",
        "\x01\x02 tab\tnew\nline\x7F", "\xEF\xBF\xBE\xEF\xBF\xBF", "\xE2\x80\xAE" "turned\xE2\x81\xA6",
        "\xD7\xA9\xD7\x9C", "&lt;&#0;", "\xED\xA0\x80", "\xF0\x9F\x8C\xB2\xE6\xB0\xB4", "" };
    world *w = open_world();
    const una_letters letters = una_letters_of(11, false, 0);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (double width = 4; width < 4000; width *= 4)
            una_text_write(&w->svg.canvas, &letters, 0, 0, texts[i], width);
    const char *svg = drawn(w);
    assert_null(strstr(svg, "<script"));
    assert_null(strstr(svg, "\xE2\x80\xAE"));
    assert_null(strstr(svg, "\xE2\x81\xA6"));
    assert_non_null(strstr(svg, ">&lt;/text&gt;&lt;/svg&gt;&lt;script&gt;alert(1)&lt;/script&gt;</text>"));
    assert_non_null(strstr(svg, ">&quot;x&quot; &amp; &#39;y&#39; ]]&gt;</text>"));
    assert_non_null(strstr(svg, ">&amp;lt;&amp;#0;</text>"));
    assert_non_null(strstr(svg, ">   tab new line </text>"));
    assert_null(strstr(svg, "></text>"));
    close_world(w);
}

/* Advance widths from the font files, in thousandths: Liberation Sans (as Helvetica and Arial), DejaVu Sans Condensed,
 * Noto Sans. */
static void widths_are_those_of_usual_fonts(void **state)
{
    (void)state;
    static const struct { const char *text; double width[3], bold[3]; } texts[] = {
        { "Hamburgefonstiv 0123456789", { 13396, 13786, 14215 }, { 14061, 15364, 14767 } },
        { "epistemic std of strength", { 10838, 11299, 11727 }, { 11891, 12851, 12559 } },
        { "Superplasticizer", { 7113, 7221, 7476 }, { 7725, 8238, 8016 } },
        { "Compressive strength (MPa)", { 12725, 12776, 13274 }, { 13558, 14476, 14105 } },
        { "temperature in \xC2\xB0" "C", { 7847, 8146, 8425 }, { 8346, 9093, 8972 } },
        { "log-likelihood", { 5835, 6012, 6373 }, { 6501, 6905, 6838 } } };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (int bold = 0; bold < 2; bold++) {
            const una_letters letters = una_letters_of(1000, bold, 0);
            double width = una_text_width(&letters, texts[i].text);
            for (int font = 0; font < 3; font++)
                assert_near(width, bold ? texts[i].bold[font] : texts[i].width[font], 0.055, 0);
        }

    const una_letters ten = una_letters_of(10, false, 0), twenty = una_letters_of(20, false, 0);
    assert_near(una_text_width(&twenty, "0.25"), 2 * una_text_width(&ten, "0.25"), 1e-12, 0);
    assert_near(una_text_width(&ten, "\xC3\xA4\xC3\x89"), una_text_width(&ten, "aE"), 1e-12, 0);
    assert_near(una_text_width(&ten, "\xE6\xB0\xB4\xF0\x9F\x8C\xB2"), 20, 1e-12, 0);    /* full width */
    assert_near(una_text_width(&ten, "e\xCC\x81"), una_text_width(&ten, "e"), 1e-12, 0); /* a combining accent */
    assert_near(una_text_width(&ten, ""), 0, 0, 0);
    assert_near(una_text_width(&ten, "\x01\x7F"), 0, 0, 0);
}

static void long_texts_are_cut(void **state)
{
    (void)state;
    char a[UNA_TEXT_ROOM];
    const una_letters letters = una_letters_of(10, false, 0);
    assert_string_equal(una_text_fitted(&letters, a, "short", 1e3), "short");
    double room = una_text_width(&letters, "abc\xE2\x80\xA6");
    assert_string_equal(una_text_fitted(&letters, a, "abcdefghij", room), "abc\xE2\x80\xA6");
    assert_string_equal(una_text_fitted(&letters, a, "\xE6\xB0\xB4\xE6\xB0\xB4\xE6\xB0\xB4", 21),
                        "\xE6\xB0\xB4\xE2\x80\xA6");
    assert_string_equal(una_text_fitted(&letters, a, "abc", 0), "\xE2\x80\xA6");         /* the least there is */
    for (double width = 11; width < 300; width += 7)
        assert_true(una_text_needs(&letters, "a name that is much longer than what there is room for", width) <= width);
}

/* Each request refused in turn: no crash, and the arena knows. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool whole = false;
    for (long limit = 0; !whole; limit++) {
        struct fail_after memory = { .left = -1 };
        una_run_settings settings = failing_settings(&memory);
        una_run *run;
        assert_int_equal(una_run_new(&run, &settings), UNA_OK);
        una_arena arena;
        una_arena_init(&arena, run);
        memory.left = limit;
        una_text out = una_text_in(&arena);
        una_svg svg = una_svg_on(&out, "");
        for (int i = 0; i < 400; i++) draw_small(&svg.canvas);
        una_svg_end(&svg);
        whole = una_arena_check(&arena) == UNA_OK;
        memory.left = -1;
        una_arena_free(&arena);
        una_run_free(run);
        assert_int_equal(memory.live, 0);
        assert_true(limit < 100);
        if (whole) assert_true(limit > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_drawing), cmocka_unit_test(same_drawing_same_bytes), cmocka_unit_test(dots_and_nothing),
        cmocka_unit_test(no_drift), cmocka_unit_test(far_places_are_numbers), cmocka_unit_test(clips_have_names),
        cmocka_unit_test(texts_of_strangers), cmocka_unit_test(widths_are_those_of_usual_fonts),
        cmocka_unit_test(long_texts_are_cut), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
