/* SPDX-License-Identifier: MIT
 *
 * What may be tried: spaces read from JSON with every mistake named, points to [0, 1] and back, constraints against
 * values computed by hand, points as text, and quasi-random points against random ones.
 */
#include "test_support.h"

#include "bo/space.h"

#define REAL(low, high) "{\"type\": \"real\", \"low\": " #low ", \"high\": " #high "}"

static const char every_type[] =
    "{\"x\": {\"type\": \"real\", \"low\": -2, \"high\": 6}, "
    "\"rate\": {\"type\": \"real\", \"low\": 0.0001, \"high\": 1, \"log\": true}, "
    "\"n\": {\"type\": \"integer\", \"low\": -3, \"high\": 5}, "
    "\"width\": {\"type\": \"integer\", \"low\": 1, \"high\": 1024, \"log\": true}, "
    "\"kind\": {\"type\": \"category\", \"levels\": [\"a\", \"b\", \"c\"]}, "
    "\"batch\": {\"type\": \"fixed\", \"value\": 32}, \"tool\": {\"type\": \"fixed\", \"value\": \"saw\"}}";

static const una_space *space_of(const char *json, una_run *run)
{
    una_space *space;
    assert_ok(una_space_parse(&space, json, NULL, &run->scratch, run), run);
    return space;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

static void every_mistake_is_named(void **state)
{
    (void)state;
    static const struct { const char *json, *says; } wrong[] = {
        { "", "line 1, column 0: this is not JSON" },
        { "{\"x\": \n  {\"type\": }}", "test.json, line 2, column 12: this is not JSON" },
        { "{\"x\": " REAL(0, 1) ", \"x\": " REAL(0, 2) "}", "every name stands once" },
        { "[1]", "a space is an object with 1 to 1000 inputs" },
        { "{}", "a space is an object with 1 to 1000 inputs" },
        { "{\"x\": 3}", "input \"x\" must be an object" },
        { "{\"\": " REAL(0, 1) "}", "an input has no name" },
        { "{\"x\": {\"low\": 0, \"high\": 1}}", "input \"x\" has no \"type\"; it is one of real, integer, category" },
        { "{\"x\": {\"type\": 4}}", "input \"x\" has no \"type\"" },
        { "{\"x\": {\"type\": \"integr\"}}", "\"integr\", which there is not; did you mean \"integer\"?" },
        { "{\"x\": {\"type\": \"Real\"}}", "did you mean \"real\"?" },
        { "{\"x\": {\"type\": \"zzzzzzzzzz\"}}", "which there is not; it is one of real, integer, category, fixed" },
        { "{\"x\": " REAL(1, 0) "}", "input \"x\" has low 1, which is not below its high 0; exchange them" },
        { "{\"x\": " REAL(2, 2) "}", "make it {\"type\": \"fixed\", \"value\": 2}" },
        { "{\"x\": {\"type\": \"real\", \"high\": 1}}", "input \"x\" has no \"low\"" },
        { "{\"x\": {\"type\": \"real\", \"low\": 1}}", "input \"x\" has no \"high\"" },
        { "{\"x\": {\"type\": \"real\", \"low\": \"0\", \"high\": 1}}", "\"low\" of input \"x\" must be a number" },
        { "{\"x\": " REAL(-1e308, 1e308) "}", "the range of input \"x\" is too wide; use other units" },
        { "{\"x\": {\"type\": \"real\", \"low\": 1e-300, \"high\": 1e300, \"log\": true}}", "is too wide" },
        { "{\"x\": {\"type\": \"real\", \"low\": 0, \"high\": 1, \"log\": true}}", "scale and begins at 0" },
        { "{\"x\": {\"type\": \"real\", \"low\": -1, \"high\": 1, \"log\": true}}", "\"low\" must be above 0" },
        { "{\"x\": {\"type\": \"real\", \"low\": 1, \"high\": 2, \"log\": 1}}", "\"log\" of input \"x\" must be" },
        { "{\"x\": {\"type\": \"real\", \"low\": 1, \"high\": 2, \"levels\": [\"a\"]}}",
          "has a \"levels\", which an input of type real does not have; it has: type low high log" },
        { "{\"x\": {\"type\": \"real\", \"low\": 1, \"high\": 2, \"lo\": 1}}", "has a \"lo\", which" },
        { "{\"x\": {\"type\": \"real\", \"low\": 1, \"high\": 2, \"\": 1}}", "has a \"\", which" },
        { "{\"x\": {\"type\": \"real\", \"low\": 1, \"high\": 2, \"low high\": 1}}", "has a \"low high\", which" },
        { "{\"x\": {\"type\": \"fixed\", \"value\": 1, \"low\": 0}}", "has a \"low\", which an input of type fixed" },
        { "{\"n\": {\"type\": \"integer\", \"low\": 0.5, \"high\": 3}}", "does not begin and end with whole numbers" },
        { "{\"n\": {\"type\": \"integer\", \"low\": 0, \"high\": 3.25}}", "range 0 to 3.25 does not begin" },
        { "{\"n\": {\"type\": \"integer\", \"low\": 0, \"high\": 1e17}}", "whole numbers below 9e15" },
        { "{\"k\": {\"type\": \"category\"}}", "category \"k\" needs 2 to 1000 \"levels\"" },
        { "{\"k\": {\"type\": \"category\", \"levels\": [\"a\"]}}", "category \"k\" needs 2 to 1000 \"levels\"" },
        { "{\"k\": {\"type\": \"category\", \"levels\": [\"a\", 2]}}", "level 2 of category \"k\" must be a word" },
        { "{\"k\": {\"type\": \"category\", \"levels\": [\"\", \"b\"]}}", "level 1 of category \"k\" must be a word" },
        { "{\"k\": {\"type\": \"category\", \"levels\": [\"a\", \"b\", \"a\"]}}", "has the level \"a\" twice" },
        { "{\"f\": {\"type\": \"fixed\"}, \"x\": " REAL(0, 1) "}", "fixed input \"f\" needs a \"value\"" },
        { "{\"f\": {\"type\": \"fixed\", \"value\": [1]}, \"x\": " REAL(0, 1) "}", "fixed input \"f\" needs" },
        { "{\"f\": {\"type\": \"fixed\", \"value\": 1}}", "there is nothing to choose" },
        { "{\"constraints\": []}", "there is nothing to choose" },
    };

    una_run *run = quiet_run();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        una_space *space;
        assert_status(una_space_parse(&space, wrong[i].json, "test.json", &run->scratch, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "test.json");
        assert_says(una_run_message(run), wrong[i].says);
    }
    una_run_free(run);
}

static void mistakes_in_constraints_are_named(void **state)
{
    (void)state;
    static const struct { const char *constraints, *says; } wrong[] = {
        { "\"a <= 1\"", "must be a list of at most 100 texts" },
        { "[3]", "constraint 1 must be a text" },
        { "[\"a <= 1\", null]", "constraint 2 must be a text" },
        { "[\"a + b\"]", "the constraint \"a + b\" compares nothing" },
        { "[\"a = b\"]", "compares nothing; write it with <= or >=" },
        { "[\"0 <= a <= 1\"]", "compares twice; write two constraints" },
        { "[\"a <> b\"]", "compares twice" },
        { "[\"a <= \"]", "cannot be read" },
        { "[\"<= 1\"]", "cannot be read" },
        { "[\"a => 1\"]", "cannot be read" },
        { "[\"a + <= 1\"]", "cannot be read" },
        { "[\"a <= 1 +* b\"]", "character 9" },
        { "[\"a <= 1; b ~ normal(0, 1)\"]", "cannot be read" },
        { "[\"(a <= 1\"]", "cannot be read" },
        { "[\"a) + (b <= 1\"]", "cannot be read" },
        { "[\"a + alpha <= 1\"]", "alpha" },
        { "[\"a + kind <= 1\"]", "counts with \"kind\", which holds words" },
        { "[\"tool <= 1\"]", "counts with \"tool\", which holds words" },
    };

    una_run *run = quiet_run();
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        una_space *space;
        char json[1000];
        snprintf(json, sizeof json, "{\"a\": " REAL(0, 1) ", \"b\": " REAL(0, 1) ", \"kind\": {\"type\": \"category\", "
                 "\"levels\": [\"p\", \"q\"]}, \"tool\": {\"type\": \"fixed\", \"value\": \"saw\"}, "
                 "\"constraints\": %s}", wrong[i].constraints);
        assert_status(una_space_parse(&space, json, "test.json", &run->scratch, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "test.json");
        assert_says(una_run_message(run), wrong[i].says);
    }
    una_run_free(run);
}

/* A category of a thousand levels, each of `length` letters. Release with free. */
static char *large_space(size_t length)
{
    char *json = malloc(1000 * (length + 3) + 100), *at = json;
    at += sprintf(at, "{\"k\":{\"type\":\"category\",\"levels\":[");
    for (int i = 0; i < 1000; i++) at += sprintf(at, "%s\"%0*d\"", i ? "," : "", (int)length, i);
    sprintf(at, "]}}");
    return json;
}

/* What is taken can be read again, also where una writes it with more blanks. */
static void large_spaces_are_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_space *space;
    char *fits = large_space(990), *grows = large_space(996), *large = large_space(998);
    assert_ok(una_space_parse(&space, fits, "it", &run->scratch, run), run);
    assert_ok(una_space_parse(&space, space->json, "it", &run->scratch, run), run);
    assert_status(una_space_parse(&space, grows, "it", &run->scratch, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "it: written down, this space has 1000");
    assert_status(una_space_parse(&space, large, "it", &run->scratch, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "it has 1001");
    assert_says(una_run_message(run), "bytes of JSON, and at most 1000000 are read");

    double point;
    assert_status(una_space_read(&point, space_of("{\"x\": " REAL(0, 1) "}", run), large, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "the point has 1001");
    free(large);
    free(grows);
    free(fits);
    una_run_free(run);
}

static void two_ways_of_writing_are_one_space(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const una_space *one = space_of("{\"x\":{\"high\":1.0,\"log\":false,\"low\":0,\"type\":\"real\"},\"constraints\":"
                                    "[\"x <= n\"],\"n\":{\"type\":\"integer\",\"low\":1e0,\"high\":90E-1}}", run);
    const una_space *two = space_of("{ \"x\" : {\"type\": \"\\u0072eal\", \"low\": 0.0, \"high\": 1},\n"
                                    "  \"n\": {\"high\": 9, \"low\": 1, \"type\": \"integer\", \"log\": false},"
                                    "  \"constraints\": [\"x <= n\"] }", run);
    assert_string_equal(one->json, two->json);
    assert_string_equal(one->json, "{\"x\": {\"type\": \"real\", \"low\": 0, \"high\": 1}, "
                                   "\"n\": {\"type\": \"integer\", \"low\": 1, \"high\": 9}, "
                                   "\"constraints\": [\"x <= n\"]}");

    const una_space *all = space_of(every_type, run);
    assert_string_equal(all->json, every_type);
    assert_string_equal(space_of(all->json, run)->json, all->json);      /* and it reads itself */
    una_run_free(run);
}

/* ---- between units and [0, 1] ---------------------------------------------------------------------------------- */

static void points_are_encoded(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const una_space *s = space_of(every_type, run);
    assert_int_equal(s->count, 7);
    assert_int_equal(s->columns, 7);                                     /* 1 + 1 + 1 + 1 + 3 + 0 + 0 */

    const double point[7] = { 0, 0.01, 1, 32, 1, 32, 0 }, truth[7] = { 0.25, 0.5, 0.5, 0.5, 0, 1, 0 };
    double u[7], back[7];
    una_space_encode(s, point, u);
    assert_arrays_near(u, truth, 7, 1e-14, 0);
    una_space_decode(s, u, back);
    assert_arrays_near(back, point, 7, 1e-14, 0);

    const double outside[7] = { 1.5, -0.2, 7, -1, 0.2, 0.2, 0.1 }, ends[7] = { 6, 1e-4, 5, 1, 0, 32, 0 };
    una_space_decode(s, outside, back);                                  /* of two equal levels the first */
    assert_arrays_near(back, ends, 7, 0, 0);
    una_run_free(run);
}

static void every_valid_point_comes_back(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const una_space *s = space_of(every_type, run);
    double unit[7], point[7], u[7], back[7], again[7];
    for (uint64_t i = 0; i < 2000; i++) {
        una_quasi(unit, 7, i, 5);
        una_space_place(s, unit, point);
        assert_ok(una_space_check(s, point, run), run);
        una_space_encode(s, point, u);
        for (size_t d = 0; d < 7; d++) assert_true(u[d] >= 0 && u[d] <= 1);
        una_space_decode(s, u, back);
        assert_ok(una_space_check(s, back, run), run);
        assert_arrays_near(back, point, 2, 1e-12, 1e-14);
        assert_arrays_near(back + 2, point + 2, 5, 0, 0);                /* whole numbers and levels exactly */
        una_space_encode(s, back, again);
        assert_arrays_near(again, u, 7, 0, 1e-13);
    }
    for (double n = 1; n <= 1024; n++) {
        const double width[7] = { 0, 0.01, 1, n, 1, 32, 0 };
        una_space_encode(s, width, u);
        una_space_decode(s, u, back);
        assert_true(back[3] == n);
    }
    una_run_free(run);
}

/* Pearson's X^2 of equal shares. Of evenly spread points it is far below that of random ones, whose mean is k - 1. */
static double unevenness(const size_t *count, size_t k, size_t total)
{
    double expected = (double)total / (double)k, sum = 0;
    for (size_t i = 0; i < k; i++) sum += ((double)count[i] - expected) * ((double)count[i] - expected) / expected;
    return sum;
}

static void whole_numbers_and_levels_have_equal_shares(void **state)
{
    (void)state;
    enum { POINTS = 3000 };
    una_run *run = quiet_run();
    const una_space *s = space_of(every_type, run);
    size_t whole[9] = {0}, level[3] = {0};
    for (uint64_t i = 0; i < POINTS; i++) {
        double unit[7], point[7];
        una_quasi(unit, 7, i, 1);
        una_space_place(s, unit, point);
        whole[(size_t)(point[2] + 3)]++;
        level[(size_t)point[4]]++;
    }
    assert_true(unevenness(whole, 9, POINTS) < 1);
    assert_true(unevenness(level, 3, POINTS) < 0.5);

    const double high[7] = { 1, 1, 1, 1, 1, 1, 1 }, low[7] = {0};        /* the ends are points too */
    double point[7];
    const double highest[7] = { 6, 1, 5, 1024, 2, 32, 0 }, lowest[7] = { -2, 1e-4, -3, 1, 0, 32, 0 };
    una_space_place(s, high, point);
    assert_arrays_near(point, highest, 7, 0, 0);
    una_space_place(s, low, point);
    assert_arrays_near(point, lowest, 7, 0, 0);
    una_run_free(run);
}

static void points_are_checked(void **state)
{
    (void)state;
    static const struct { size_t input; double value; const char *says; } wrong[] = {
        { 0, 6.5, "6.5 is not a value of \"x\", which goes from -2 to 6" }, { 0, NAN, "is not a value of \"x\"" },
        { 0, HUGE_VAL, "inf is not a value of \"x\"" }, { 1, 0, "0 is not a value of \"rate\"" },
        { 2, 1.5, "1.5 is not a value of \"n\": it must be a whole number" },
        { 2, -4, "-4 is not a value of \"n\", which goes from -3 to 5" }, { 4, 3, "3 is not a value of \"kind\"" },
        { 4, 0.5, "it must be a whole number" }, { 5, 33, "33 is not a value of \"batch\"" },
        { 6, 1, "1 is not a value of \"tool\"" },
    };
    una_run *run = quiet_run();
    const una_space *s = space_of(every_type, run);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        double point[7] = { 6, 1e-4, -3, 1024, 2, 32, 0 };
        assert_ok(una_space_check(s, point, run), run);
        point[wrong[i].input] = wrong[i].value;
        assert_status(una_space_check(s, point, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), wrong[i].says);
    }
    una_run_free(run);
}

/* ---- constraints ----------------------------------------------------------------------------------------------- */

static void constraints_hold_where_they_should(void **state)
{
    (void)state;
    static const struct { const char *text; double a, b, n; bool holds; } cases[] = {
        { "a + b <= 1", 0.25, 0.75, 1, true },       { "a + b <= 1", 0.25, 0.8, 1, false },
        { "a + b < 1", 0.25, 0.75, 1, false },       { "a + b < 1", 0.25, 0.5, 1, true },
        { "a >= b", 0.5, 0.5, 1, true },             { "a > b", 0.5, 0.5, 1, false },
        { "1 >= a + b", 0.5, 0.75, 1, false },       { "n*b<4", 0, 0.5, 7, true },
        { "n*b<4", 0, 0.5, 8, false },               { "n <= 3", 1, 1, 3, true },
        { "n <= 3", 0, 0, 4, false },                { "a - b - b <= 0", 0.75, 0.25, 1, false },
        { "0.25 <= a - b", 0.75, 0.5, 1, true },     { "a^2 + b^2 <= 1", 0.6, 0.8, 1, true },
        { "a^2 + b^2 <= 1", 0.7, 0.8, 1, false },    { "log(a - b) <= 5", 0.2, 0.5, 1, false },  /* it has no value */
        { "log(a - b) >= -5", 0.2, 0.5, 1, false },  { "1/b >= 2", 0, 0.5, 1, true },
        { "max(a, b) <= fix/64", 0.25, 0.5, 1, true }, { "max(a, b) <= fix/64", 0.75, 0.5, 1, false },
        { "\"odd < name\" + a <= 1", 0.25, 0.5, 1, true }, { "\"odd < name\" + a <= 1", 0.75, 0.5, 1, false },
    };
    una_run *run = quiet_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_text json = una_text_in(&run->scratch);
        una_text_add(&json, "{\"kind\": {\"type\": \"category\", \"levels\": [\"p\", \"q\"]}, \"a\": " REAL(0, 1) ", "
                     "\"b\": " REAL(0, 1) ", \"n\": {\"type\": \"integer\", \"low\": 1, \"high\": 9}, "
                     "\"fix\": {\"type\": \"fixed\", \"value\": 32}, \"odd < name\": " REAL(0, 1) ", "
                     "\"constraints\": [\"n < 100\", ");
        una_text_json(&json, cases[i].text);
        una_text_add(&json, "]}");
        const una_space *s = space_of(json.at, run);
        const double point[6] = { 1, cases[i].a, cases[i].b, cases[i].n, 32, 0.5 };
        if (una_space_allows(s, point) != cases[i].holds) fail_msg("case %zu: %s", i, cases[i].text);
        assert_status(una_space_check(s, point, run), cases[i].holds ? UNA_OK : UNA_E_INPUT, run);
        if (cases[i].holds) continue;
        assert_says(una_run_message(run), "does not keep the constraint");
        assert_says(una_run_message(run), cases[i].text);
    }
    una_run_free(run);
}

/* ---- points as text -------------------------------------------------------------------------------------------- */

static void points_are_written_and_read(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    const una_space *s = space_of("{\"größe \\\"q\\\"\": " REAL(0, 1) ", \"n\": {\"type\": \"integer\", \"low\": 0, "
                                  "\"high\": 99}, \"art\": {\"type\": \"category\", \"levels\": [\"α β\", \"say "
                                  "\\\"c\\\"\\n\", \"7\"]}, \"fix\": {\"type\": \"fixed\", \"value\": \"süß\"}}", run);
    for (size_t level = 0; level < 3; level++) {
        const double point[4] = { 0.1 + 0.2, 42, (double)level, 0 };
        double back[4];
        una_text text = una_text_in(&run->scratch);
        una_space_write(&text, s, point);
        assert_ok(una_space_read(back, s, text.at, run), run);
        assert_memory_equal(back, point, sizeof point);
        if (level == 1)
            assert_string_equal(text.at, "{\"größe \\\"q\\\"\": 0.30000000000000004, \"n\": 42, \"art\": \"say "
                                         "\\\"c\\\"\\u000a\", \"fix\": \"süß\"}");
        for (size_t i = 0; i < 4; i++) {
            una_text one = una_text_in(&run->scratch);
            double value;
            una_dimension_write(&one, &s->dimension[i], point[i]);
            assert_ok(una_dimension_read(&value, &s->dimension[i], one.at, run), run);
            assert_true(value == point[i]);
        }
    }
    una_run_free(run);
}

static void points_that_cannot_be_read(void **state)
{
    (void)state;
    static const struct { const char *json, *says; } wrong[] = {
        { "", "the point, line 1, column 0: this is not JSON" }, { "[1]", "a point must be an object" },
        { "{\"x\": 0.5}", "the point has no value of \"kind\"" },
        { "{\"kind\": \"steel\"}", "the point has no value of \"x\"" },
        { "{\"x\": true, \"kind\": \"steel\"}", "the value of \"x\" must be a number" },
        { "{\"x\": \"much\", \"kind\": \"steel\"}", "'much' is not a value of \"x\", which is a number" },
        { "{\"x\": 0.5, \"kind\": 1}", "the value of \"kind\" must be a word" },
        { "{\"x\": 0.5, \"kind\": \"steal\"}", "'steal' is not a level of \"kind\"; did you mean 'steel'?" },
        { "{\"x\": 0.5, \"kind\": \"zzzzzzzz\"}", "'zzzzzzzz' is not a level of \"kind\"" },
        { "{\"x\": 1.5, \"kind\": \"steel\"}", "1.5 is not a value of \"x\"" },
        { "{\"x\": 0.9, \"kind\": \"steel\"}", "does not keep the constraint \"x <= 0.8\"" },
    };
    una_run *run = quiet_run();
    const una_space *s = space_of("{\"x\": " REAL(0, 1) ", \"kind\": {\"type\": \"category\", \"levels\": [\"wood\", "
                                  "\"steel\"]}, \"constraints\": [\"x <= 0.8\"]}", run);
    double point[2];
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_status(una_space_read(point, s, wrong[i].json, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), wrong[i].says);
    }
    assert_ok(una_space_read(point, s, "{\"kind\": \"steel\", \"x\": \"0.5\"}", run), run);
    assert_true(point[0] == 0.5 && point[1] == 1);
    una_run_free(run);
}

/* ---- quasi-random points --------------------------------------------------------------------------------------- */

enum { SPREAD_POINTS = 256, CORNERS = 4000, MOST_DIMENSIONS = 6 };

/* The largest difference between the share of points in a box at the origin and its size, over random boxes. */
static double discrepancy(size_t dimensions, uint64_t seed, bool quasi)
{
    static double at[SPREAD_POINTS][MOST_DIMENSIONS];
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 1), corners = una_rng_at(0, UNA_FOR_TEST, 2);
    double most = 0;
    for (size_t i = 0; i < SPREAD_POINTS; i++) {
        for (size_t d = 0; d < dimensions; d++) at[i][d] = una_rng_uniform(&rng);
        if (quasi) una_quasi(at[i], dimensions, i, seed);
        for (size_t d = 0; d < dimensions; d++) assert_true(at[i][d] >= 0 && at[i][d] < 1);
    }
    for (size_t k = 0; k < CORNERS; k++) {
        double corner[MOST_DIMENSIONS], size = 1, inside = 0;
        for (size_t d = 0; d < dimensions; d++)
            size *= corner[d] = pow(una_rng_uniform(&corners), 1 / (double)dimensions);
        for (size_t i = 0; i < SPREAD_POINTS; i++) {
            bool in = true;
            for (size_t d = 0; d < dimensions; d++) in = in && at[i][d] < corner[d];
            inside += in;
        }
        most = fmax(most, fabs(inside / SPREAD_POINTS - size));
    }
    return most;
}

static void quasi_points_fill_evenly(void **state)
{
    (void)state;
    static const struct { size_t dimensions; double share; } of[] = { { 1, 0.3 }, { 2, 0.4 }, { 3, 0.5 }, { 6, 0.75 } };
    for (size_t i = 0; i < 4; i++) {
        double even = 0, chance = 0;
        for (uint64_t seed = 0; seed < 5; seed++) {
            even += discrepancy(of[i].dimensions, seed, true);
            chance += discrepancy(of[i].dimensions, seed, false);
        }
        if (!(even < of[i].share * chance))
            fail_msg("%zu dimensions: %g against %g at random", of[i].dimensions, even / 5, chance / 5);
    }
}

/* One dimension is known: steps of the golden ratio, moved as a whole by the seed. */
static void quasi_points_are_those_of_the_seed(void **state)
{
    (void)state;
    double one[3], two[3], first, next;
    una_quasi(one, 3, 12345678901, 7);
    una_quasi(two, 3, 12345678901, 7);
    assert_memory_equal(one, two, sizeof one);
    una_quasi(two, 3, 12345678901, 8);
    assert_true(one[0] != two[0] && one[1] != two[1] && one[2] != two[2]);
    for (uint64_t i = 0; i < 50; i++) {
        una_quasi(&first, 1, i, 3);
        una_quasi(&next, 1, i + 1, 3);
        double step = next - first - (sqrt(5) - 1) / 2;
        assert_near(step - nearbyint(step), 0, 0, 1e-13);
    }
}

/* ---- memory ---------------------------------------------------------------------------------------------------- */

static una_status read_all(void *context, una_run *run)
{
    (void)context;
    una_space *space;
    una_arena keep;
    double point[8], u[8];
    una_arena_init(&keep, run);
    static const char json[] = "{\"x\": " REAL(0, 1) ", \"n\": {\"type\": \"integer\", \"low\": 1, \"high\": 9}, "
                               "\"kind\": {\"type\": \"category\", \"levels\": [\"a\", \"b\"]}, \"fix\": {\"type\": \"fixed\", "
                               "\"value\": \"w\"}, \"constraints\": [\"x + n/10 <= 1\", \"x < n\"]}";
    static const char written[] = "{\"x\": 0.5, \"n\": 3, \"kind\": \"b\", \"fix\": \"w\"}";
    una_status status = una_space_parse(&space, json, NULL, &keep, run);
    if (status == UNA_OK) status = una_space_read(point, space, written, run);
    if (status == UNA_OK) una_space_encode(space, point, u);
    if (status == UNA_OK) assert_true(u[0] == 0.5 && u[1] == 0.25 && u[2] == 0 && u[3] == 1);
    una_arena_free(&keep);
    return status;
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    assert_true(sweep_allocations(read_all, NULL) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mistake_is_named),
        cmocka_unit_test(mistakes_in_constraints_are_named),
        cmocka_unit_test(large_spaces_are_refused),
        cmocka_unit_test(two_ways_of_writing_are_one_space),
        cmocka_unit_test(points_are_encoded),
        cmocka_unit_test(every_valid_point_comes_back),
        cmocka_unit_test(whole_numbers_and_levels_have_equal_shares),
        cmocka_unit_test(points_are_checked),
        cmocka_unit_test(constraints_hold_where_they_should),
        cmocka_unit_test(points_are_written_and_read),
        cmocka_unit_test(points_that_cannot_be_read),
        cmocka_unit_test(quasi_points_fill_evenly),
        cmocka_unit_test(quasi_points_are_those_of_the_seed),
        cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
