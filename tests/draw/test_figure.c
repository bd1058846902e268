/* SPDX-License-Identifier: MIT
 *
 * Axes by logarithm, axes of words, axes side by side, panels over several columns: where things are drawn is read back
 * from the SVG.
 */
#include "test_support.h"

#include "base/calendar.h"
#include "draw/html.h"
#include "draw/number.h"
#include "draw/page_checks.h"
#include "draw/canvas.h"
#include "draw/svg_checks.h"

#define RAISED_MINUS "\xE2\x81\xBB"

typedef struct world { una_run *run; una_arena arena; } world;

static world open_world(void)
{
    world w = { .run = quiet_run() };
    return w;
}

static void close_world(world *w)
{
    una_arena_free(&w->arena);
    una_run_free(w->run);
}

static const char *svg_of(world *w, const una_figure *figure)
{
    una_text out = una_text_in(&w->arena);
    assert_ok(una_figure_draw(&out, figure, UNA_FORMAT_SVG, w->run), w->run);
    assert_null(strstr(out.at, "nan"));
    assert_xml(out.at);
    return out.at;
}

#define GREEN "#008a73"

/* The corners of what was drawn in green, in order; a line that begins anew counts in *pieces. */
static size_t green_corners(const char *svg, double (*corner)[2], size_t room, size_t *pieces)
{
    path_walk walk = corners_of(svg, GREEN, corner, room);
    *pieces = walk.pieces;
    return walk.count;
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static void brief_numbers(void **state)
{
    (void)state;
    char a[UNA_NUMBER_ROOM];
    assert_string_equal(una_number_brief(a, 0.5, 4), "0.5");
    assert_string_equal(una_number_brief(a, 20, 4), "20");
    assert_string_equal(una_number_brief(a, 100, 2), "100");
    assert_string_equal(una_number_brief(a, 0, 4), "0");
    assert_string_equal(una_number_brief(a, 1.25, 6), "1.25");
    assert_string_equal(una_number_brief(a, 2e7, 4), "2\xC3\x97" "10\xE2\x81\xB7");
    assert_string_equal(una_number_brief(a, 1e-5, 4), "10" RAISED_MINUS "\xE2\x81\xB5");
    assert_string_equal(una_number_brief(a, NAN, 4), "\xE2\x80\x93");
}

static void ticks_by_logarithm(void **state)
{
    (void)state;
    char a[UNA_NUMBER_ROOM];
    assert_int_equal(una_ticks_choose(5, 5, 6).count, 0);                                /* a count beyond all else */
    assert_int_equal(una_ticks_choose(-1.7e308, 1.7e308, 6).count, 0);
    una_ticks t = una_ticks_choose_log(1e-5, 0.1, 6);
    assert_int_equal(t.count, 5);
    assert_near(una_tick_value(&t, 0), 1e-5, 1e-12, 0);
    assert_near(una_tick_value(&t, 4), 0.1, 1e-12, 0);
    assert_string_equal(una_tick_text(a, &t, 0), "10" RAISED_MINUS "\xE2\x81\xB5");

    t = una_ticks_choose_log(1, 50, 10);
    assert_int_equal(t.count, 6);                        /* 1, 2, 5, 10, 20, 50 */
    assert_near(una_tick_value(&t, 2), 5, 1e-12, 0);
    assert_string_equal(una_tick_text(a, &t, 5), "50");
    t = una_ticks_choose_log(0.03, 2, 12);
    assert_string_equal(una_tick_text(a, &t, 0), "0.05");

    t = una_ticks_choose_log(1e-6, 1e6, 4);              /* every third decade */
    assert_int_equal(t.count, 5);
    assert_string_equal(una_tick_text(a, &t, 2), "10\xE2\x81\xB0");
    t = una_ticks_choose_log(100, 150, 5);               /* less than a decade: plain ones */
    assert_int_equal(t.in_decade, 0);
    assert_true(t.count >= 3);
    t = una_ticks_choose_log(2e-5, 7e-4, 6);
    assert_string_equal(una_tick_text(a, &t, 0), "2\xC3\x97" "10" RAISED_MINUS "\xE2\x81\xB5");
}

/* Whatever the range: inside of it, rising, and no more than asked for but one. */
static void ticks_by_logarithm_stay_inside(void **state)
{
    (void)state;
    for (double low = 1.7e-300; low < 1e290; low *= 3.7e9)
        for (double factor = 1.3; factor < 1e10; factor *= 4.1)
            for (size_t most = 1; most < 12; most += 2) {
                una_ticks t = una_ticks_choose_log(low, low * factor, most);
                assert_true(t.count <= most + 1);
                for (size_t i = 0; i < t.count; i++) {
                    double value = una_tick_value(&t, i);
                    assert_true(value >= low * (1 - 1e-6) && value <= low * factor * (1 + 1e-6));
                    if (i) assert_true(value > una_tick_value(&t, i - 1));
                }
            }
}

static void places(void **state)
{
    (void)state;
    una_axis plain = { .low = -2, .high = 6 }, by_log = { .low = 1e-3, .high = 10, .log = true };
    assert_near(una_axis_place(&plain, 0), 0.25, 1e-15, 0);
    assert_near(una_axis_place(&by_log, 0.1), 0.5, 1e-12, 0);
    assert_true(una_axis_place(&by_log, 0) < 0 && una_axis_place(&by_log, -1) < 0);
    assert_true(isnan(una_axis_place(&by_log, NAN)) && isnan(una_axis_place(&plain, NAN)));
}

static void lowered(const char *from, const char *to)
{
    char a[UNA_TEXT_ROOM];
    snprintf(a, sizeof a, "%s", from);
    una_powers_lower(a);
    assert_string_equal(a, to);
}

/* A font without raised digits says e. */
static void powers_without_raised_digits(void **state)
{
    (void)state;
    lowered("10" RAISED_MINUS "\xE2\x81\xB5", "1e-5");
    lowered("2.5\xC3\x97" "10\xC2\xB2\xC2\xB3", "2.5e23");
    lowered("x (\xC3\x97" "10\xE2\x81\xB6)", "x (\xC3\x97" "1e6)");
    lowered("area in m\xC2\xB2, 10", "area in m\xC2\xB2, 10");
}

/* ---- drawings ---------------------------------------------------------------------------------------------------- */

static void decades_are_equally_wide(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    const double x[] = { 0.01, 0.1, 1, -5, 10 }, y[] = { 1, 3, 2, NAN, 4 };
    una_figure figure = una_figure_in(&w.arena, 1, 300, 200);
    una_panel *panel = una_figure_panel(&figure, NULL, "x", NULL);
    panel->x = (una_axis){ .low = 0.001, .high = 100, .log = true };
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_SECOND, .x = x, .y = y, .count = 5 });

    double at[16][2];
    size_t pieces, count = green_corners(svg_of(&w, &figure), at, 16, &pieces);
    assert_int_equal(count, 4);
    for (size_t i = 1; i < 3; i++)
        assert_near(at[i + 1][0] - at[i][0], at[1][0] - at[0][0], 0, 0.01);

    panel->x = (una_axis){ .log = true };                /* from the series; nothing below 0 has a place */
    una_panel *none = una_figure_panel(&figure, NULL, NULL, NULL), *same = una_figure_panel(&figure, NULL, NULL, NULL);
    none->x.log = none->y.log = same->y.log = true;
    const double five[] = { 5, 5 };
    una_panel_add(same, (una_series){ .shape = UNA_SHAPE_POINTS, .ink = UNA_INK_DATA, .x = five, .y = five,
                  .count = 2 });
    svg_of(&w, &figure);
    close_world(&w);
}

static void axes_side_by_side(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    static const char *const words[] = { "steel", "copper", "brass" };
    const una_axis axes[] = { { .label = "a", .high = 10 }, { .label = "b", .low = 1, .high = 100, .log = true },
        { .label = "c", .low = 0.5, .high = 3.5, .names = words, .name_count = 3 }, { .label = "value", .high = 1 } };
    const double rows[] = { 0, 10, 2, 99,   10, 1, NAN, -99 };           /* 99 and -99 are beyond their axis */
    una_figure figure = una_figure_in(&w.arena, 1, 400, 240);
    una_panel *panel = una_figure_axes(&figure, "a title", axes, 4);
    una_panel_bundle(panel, (una_bundle){ .ink = UNA_INK_SECOND, .at = rows, .count = 2 });

    double at[16][2];
    size_t pieces, count = green_corners(svg_of(&w, &figure), at, 16, &pieces);
    assert_int_equal(pieces, 3);                         /* the second is broken */
    assert_int_equal(count, 4 + 2 + 2);                  /* a dot has a beginning and an end */

    double foot = at[0][1], head = at[3][1], middle = (foot + head) / 2;
    assert_true(foot > head + 100);                      /* 0 stands below 99, which is at the end */
    assert_near(at[1][1], middle, 0, 0.01);              /* 10 halfway between 1 and 100 */
    assert_near(at[2][1], middle, 0, 0.01);              /* the second of three words */
    assert_near(at[4][1], head, 0, 0.01);
    assert_near(at[5][1], foot, 0, 0.01);
    assert_near(at[6][1], foot, 0, 0.01);                /* -99 at the other end, alone */
    for (size_t i = 2; i < 4; i++) assert_near(at[i][0] - at[i - 1][0], at[1][0] - at[0][0], 0, 0.01);
    close_world(&w);
}

/* Long names, many axes, one axis, no axis, many bundles, all of which stay, hostile words. */
static void axes_of_any_number(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    una_axis axes[40];
    static const char *const words[] = { "<b>&", "\xFF", "", "a very long word that does not fit anywhere at all" };
    double row[40];
    for (size_t i = 0; i < 40; i++) {
        axes[i] = (una_axis){ .label = i % 2 ? "a very long name of an axis\xC3" : NULL, .low = -1e300, .high = 1e300 };
        if (i % 3 == 0) axes[i] = (una_axis){ .low = 0.5, .high = 4.5, .names = words, .name_count = 4 };
        row[i] = i % 5 ? 2 : NAN;
    }
    una_figure figure = una_figure_in(&w.arena, 2, 400, 240);
    for (size_t count = 0; count <= 40; count += count < 2 ? 1 : 19) {
        una_panel *panel = una_figure_axes(&figure, NULL, axes, count);
        for (size_t i = 0; i < 40; i++)
            una_panel_bundle(panel, (una_bundle){ .ink = UNA_INK_MODEL, .at = row, .count = 1, .size = (double)i });
        assert_int_equal(panel->bundle_count, 40);
        for (size_t i = 0; i < 40; i++) assert_near(panel->bundles[i].size, (double)i, 0, 0);
    }
    una_panel_bundle(NULL, (una_bundle){0});
    svg_of(&w, &figure);
    close_world(&w);
}

/* Days are written as dates, at whole days, hours or minutes; what has no date stays a number. */
static void days_are_dates(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    double day;
    assert_true(una_calendar_day(&day, 2024, 3, 1));
    una_figure figure = una_figure_in(&w.arena, 1, 400, 240);
    una_panel *panel = una_figure_panel(&figure, NULL, "day", NULL);
    panel->x = (una_axis){ .low = day - 60, .high = day + 60, .date = una_date_text };
    const char *svg = svg_of(&w, &figure);
    assert_non_null(strstr(svg, ">2024-0"));
    assert_null(strstr(svg, ">19 7"));
    panel->x.low = day, panel->x.high = day + 1;
    assert_non_null(strstr(svg_of(&w, &figure), ">2024-03-01 12:00<"));
    panel->x.high = day + 0.1;
    assert_non_null(strstr(svg_of(&w, &figure), ">2024-03-01 02:00<"));
    panel->x.low = 1e9, panel->x.high = 2e9;
    assert_non_null(strstr(svg_of(&w, &figure), "\xC3\x97"));
    for (double from = -1e6; from < 1e6; from += 77777)
        for (double range = 1e-3; range < 1e6; range *= 3)
            for (size_t most = 0; most < 9; most += 4) {
                una_ticks t = una_ticks_choose_date(una_date_text, from, from + range, most);
                for (size_t i = 0; i < t.count; i++) {
                    assert_true(una_tick_value(&t, i) >= from - 1e-6 && una_tick_value(&t, i) <= from + range + 1e-6);
                    assert_null(strstr(UNA_TICK_TEXT(&t, i), ":00:"));
                }
            }
    close_world(&w);
}

/* Every key is drawn, however many there are. */
static void all_keys_are_drawn(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    una_figure figure = una_figure_in(&w.arena, 2, 400, 240);
    char name[40][16];
    una_figure_panel(&figure, NULL, NULL, NULL);
    for (size_t i = 0; i < 40; i++) {
        snprintf(name[i], sizeof name[i], "key %zu.", i);
        una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, name[i]);
    }
    const char *svg = svg_of(&w, &figure);
    una_html html = una_html_begin(&w.arena, "t");
    una_html_figure(&html, &figure, "Lead.", "Caption.");
    assert_ok(una_html_end(&html, NULL), w.run);
    for (size_t i = 0; i < 40; i++) {
        assert_non_null(strstr(svg, name[i]));
        assert_non_null(strstr(html.text.at, name[i]));
    }
    close_world(&w);
}

static void bundles_are_thinned(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    enum { MANY = 5000 };
    double *rows = UNA_GET(&w.arena, double, 2 * MANY);
    for (size_t i = 0; i < 2 * MANY; i++) rows[i] = (double)i;
    const una_axis axes[] = { { .high = 2 * MANY }, { .high = 2 * MANY } };
    una_figure figure = una_figure_in(&w.arena, 1, 400, 240);
    una_panel *panel = una_figure_axes(&figure, NULL, axes, 2);
    una_panel_bundle(panel, (una_bundle){ .ink = UNA_INK_PART, .at = rows, .count = MANY });
    const una_bundle *bundle = &panel->bundles[0];
    assert_int_equal(bundle->count, UNA_MOST_LINES);
    assert_near(bundle->at[0], 0, 0, 0);
    assert_near(bundle->at[2 * UNA_MOST_LINES - 1], 2 * MANY - 1, 0, 0);
    for (size_t i = 0; i < UNA_MOST_LINES; i++) assert_near(bundle->at[2 * i + 1], bundle->at[2 * i] + 1, 0, 0);
    close_world(&w);
}

/* Words along x: each above its place, whether side by side or slanted. */
static void words_along_x(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    static const char *const words[] = { "one", "two", "a much longer word", "four", "five", "six", "\xFF<", "eight" };
    const double x[] = { 1, 2, 3 }, y[] = { 0, 1, 0 };
    for (size_t count = 3; count <= 8; count += 5) {
        una_figure figure = una_figure_in(&w.arena, 1, 232, 172);
        una_panel *panel = una_figure_panel(&figure, "words", NULL, NULL);
        panel->x = (una_axis){ .low = 0.5, .high = (double)count + 0.5, .names = words, .name_count = count };
        una_series line = { .shape = UNA_SHAPE_LINE, .ink = UNA_INK_SECOND, .x = x, .y = y, .count = 3 };
        una_panel_add(panel, line);
        double at[8][2];
        size_t pieces;
        assert_int_equal(green_corners(svg_of(&w, &figure), at, 8, &pieces), 3);
        assert_near(at[2][0] - at[1][0], at[1][0] - at[0][0], 0, 0.01);
        assert_true(at[0][0] > 0 && at[2][0] < 232);
    }
    close_world(&w);
}

static void panels_over_columns(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    una_figure figure = una_figure_in(&w.arena, 3, 100, 80);
    una_figure_panel(&figure, NULL, NULL, NULL)->span = 3;
    figure.panels[0]->height = 150;
    for (size_t i = 0; i < 4; i++) una_figure_panel(&figure, NULL, NULL, NULL);
    una_figure_panel(&figure, NULL, NULL, NULL)->span = 7;       /* more than there are: all of them */
    double width = 0, height = 0;
    const char *svg = strstr(svg_of(&w, &figure), "<svg");
    assert_int_equal(sscanf(strstr(svg, "width=\""), "width=\"%lf", &width), 1);
    assert_int_equal(sscanf(strstr(svg, "height=\""), "height=\"%lf", &height), 1);
    assert_near(width, 3 * 100 + 2 * 16, 0, 0.01);
    assert_near(height, 150 + 3 * 80 + 3 * 16, 0, 0.01);         /* one, three, one, one over all */

    una_text inside = una_text_in(&w.arena);
    una_figure_inline(&inside, &figure, 0, "z", "t", "d");
    assert_non_null(strstr(inside.at, "viewBox=\"0 0 332 150\""));
    close_world(&w);
}

/* How far down the first letter in an ink is; numbers of an ink as SVG has them. */
static double letter_in(const char *svg, const char *ink)
{
    double y = NAN;
    const char *at = strstr(svg, ink);
    at = at ? strstr(at, " y=\"") : NULL;
    assert_non_null(at);
    assert_int_equal(sscanf(at, " y=\"%lf", &y), 1);
    return y;
}

static void names_keep_the_order_of_lines(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    const double x[] = { 0, 1 }, low[] = { 0, 0.01 }, high[] = { 0, 0.02 }, far[] = { 0, 1 };
    una_figure figure = una_figure_in(&w.arena, 1, 300, 200);
    una_panel *panel = una_figure_panel(&figure, NULL, NULL, NULL);
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_SECOND, .x = x, .y = low, .count = 2,
                                       .label = "low" });
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_IGNORANCE, .x = x, .y = high, .count = 2,
                                       .label = "high" });
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_DATA, .x = x, .y = far, .count = 2 });
    const char *svg = svg_of(&w, &figure);
    double below = letter_in(svg, "<g fill=\"" GREEN), above = letter_in(svg, "<g fill=\"#d55e00");
    assert_true(below - above >= 11);
    close_world(&w);
}

static void decimals_are_few(void **state)
{
    (void)state;
    world w = open_world();
    una_arena_init(&w.arena, w.run);
    const double x[] = { 0.123456789, 1, 1.9999999 };
    una_figure figure = una_figure_in(&w.arena, 1, 300, 200);
    una_panel *panel = una_figure_panel(&figure, "title", "x", "y");
    una_panel_add(panel, (una_series){ .shape = UNA_SHAPE_LINE, .ink = UNA_INK_MODEL, .x = x, .y = x, .count = 3 });
    for (const char *at = svg_of(&w, &figure); (at = strchr(at, '.')); at++)
        assert_true(strspn(at + 1, "0123456789") <= 2);
    close_world(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brief_numbers), cmocka_unit_test(ticks_by_logarithm),
        cmocka_unit_test(ticks_by_logarithm_stay_inside), cmocka_unit_test(places),
        cmocka_unit_test(powers_without_raised_digits), cmocka_unit_test(decades_are_equally_wide),
        cmocka_unit_test(axes_side_by_side), cmocka_unit_test(axes_of_any_number),
        cmocka_unit_test(all_keys_are_drawn),
        cmocka_unit_test(days_are_dates),
        cmocka_unit_test(bundles_are_thinned), cmocka_unit_test(words_along_x),
        cmocka_unit_test(panels_over_columns), cmocka_unit_test(names_keep_the_order_of_lines),
        cmocka_unit_test(decimals_are_few),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
