/* SPDX-License-Identifier: MIT
 *
 * A machine without Cairo, which this test plays: its dlopen finds no libcairo.so.2. Pages and SVG are drawn as ever; a
 * PDF or a PNG is refused with a sentence that says what to install.
 */
#include "test_support.h"

#include "base/base.h"
#include "draw/cairo_canvas.h"
#include "draw/fit_report.h"
#include "draw/html.h"
#include "draw/svg_checks.h"

#include <dlfcn.h>

static size_t asked;             /* for libcairo.so.2, by that name */

/* The program's own comes before that of the system. */
__attribute__((visibility("default"))) void *dlopen(const char *name, int flags)
{
    (void)flags;
    if (name && strcmp(name, "libcairo.so.2") == 0) asked++;
    return NULL;
}

static una_figure small_figure(una_arena *arena)
{
    static const double x[] = { 0, 1, 2 }, y[] = { 1, 0, 3 };
    una_figure figure = una_figure_in(arena, 1, 240, 160);
    una_panel *panel = una_figure_panel(&figure, "a title", "x", "y");
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_MODEL, .x = x, .y = y, .count = 3 });
    return figure;
}

static void pages_need_no_cairo(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_figure figure = small_figure(&arena);
    una_text svg = una_text_in(&arena);
    assert_ok(una_figure_draw(&svg, &figure, UNA_FORMAT_SVG, run), run);
    assert_xml(svg.at);
    una_html html = una_html_begin(&arena, "a page");
    una_html_figure(&html, &figure, "Lead.", "Caption.");
    una_format format;
    assert_ok(una_format_of(&format, "chart.svg", run), run);
    assert_int_equal(asked, 0);
    una_arena_free(&arena);
    una_run_free(run);
}

static void others_say_what_to_install(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_figure figure = small_figure(&arena);
    static const char sentence[] = "charts as .pdf and .png, unlike those as .svg, need the library libcairo.so.2, "
        "which cannot be loaded: install it (Debian: libcairo2) and try again";
    for (int i = UNA_FORMAT_PDF; i <= UNA_FORMAT_PNG; i++) {
        una_text out = una_text_in(&arena);
        size_t before = asked;
        una_clear_message(run);
        assert_status(una_figure_draw(&out, &figure, (una_format)i, run), UNA_E_IO, run);
        assert_string_equal(una_run_message(run), sentence);
        assert_int_equal(out.length, 0);
        assert_int_equal(asked, before + 1);
    }

    una_format format;
    una_clear_message(run);
    assert_status(una_format_of(&format, "chart.pdf", run), UNA_E_IO, run);
    assert_string_equal(una_run_message(run), sentence);
    assert_status(una_format_of(&format, "chart.PNG", run), UNA_E_IO, run);
    assert_status(una_cairo_check(run), UNA_E_IO, run);
    una_arena_free(&arena);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_need_no_cairo), cmocka_unit_test(others_say_what_to_install),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
