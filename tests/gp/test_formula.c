/* SPDX-License-Identifier: MIT
 *
 * Formulas: values by hand, laws of the parameters by their moments, every refusal, texts at random, failing memory.
 */
#include "gp_support.h"

#include "gp/kernel.h"

static const char *const names[] = { "x1", "x2", "Froude number", "colour=red" };
static const una_kernel_inputs plain = { names, NULL, NULL, 4, false };
static const double point[] = { 0.7, -2.5, 3, 1 };

static una_formula *parsed(room *r, const char *text, const una_kernel_inputs *inputs)
{
    una_formula *formula = NULL;
    assert_ok(una_formula_parse(&formula, text, inputs, &r->arena, r->run), r->run);
    return formula;
}

static double value(room *r, const char *text)
{
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    double f = NAN;
    assert_ok(una_formula_draw(parsed(r, text, &plain), &rng, (una_view){ point, 1, 4, 4 }, &f, 1, r->run), r->run);
    return f;
}

static void values_by_hand(void **state)
{
    static const struct { const char *text; double f; } cases[] = {
        { "1+2*3", 7 },
        { "(1+2)*3", 9 },
        { "7-2-1", 4 },
        { "8/4/2", 1 },
        { "2^3^2", 512 },
        { "-3^2", -9 },
        { "2^-1", 0.5 },
        { "--2", 2 },
        { "2*-3", -6 },
        { "-(1-4)", 3 },
        { "1.5e2 + .5", 150.5 },
        { "3e0", 3 },
        { "pi", 3.141592653589793 },
        { "e^1", 2.718281828459045 },
        { "sin(pi/6)", 0.5 },
        { "cos(pi/3)", 0.5 },
        { "tan(pi/4)", 1 },
        { "exp(0)", 1 },
        { "log(e)", 1 },
        { "sqrt(16)", 4 },
        { "abs(-3)", 3 },
        { "tanh(log(3)/2)", 0.5 },
        { "step(0)", 1 },
        { "step(-0.1)", 0 },
        { "step(4)", 1 },
        { "min(3, 2)", 2 },
        { "min(2, 3)", 2 },
        { "max(3, 2)", 3 },
        { "max(1, 5, 2)", 5 },
        { "min(4, 3, 2, 1)", 1 },
        { "x1", 0.7 },
        { "x1*x2 + \"Froude number\"", 1.25 },
        { "'colour=red'*2", 2 },
        { "x1 + x1", 1.4 },
        { "a*x1 + b; a=2; b=-1", 0.4 },
        { "a*x1 + b, b=-1, a=2", 0.4 },
        { "a*x1 + b\na=2\r\nb=-1\n", 0.4 },
        { "\n\na*(x1\n + b);\n a=2;\n\n b=-1;", -0.6 },
        { "a; a = 2*pi/4 + min(1, 2)", 2.5707963267948966 },
        { "a; a~normal(3, 0)", 3 },
        { "a; a~uniform(-2, -2)", -2 },
        { "a; a~lognormal(log(5), 0)", 5 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(value(*state, cases[i].text), cases[i].f, 1e-14, 1e-15);
}

static void an_input_wins_over_a_constant(void **state)
{
    static const char *const called_e[] = { "e" };
    una_kernel_inputs in = { called_e, NULL, NULL, 1, false };
    room *r = *state;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    double x = 10, f = 0;
    assert_ok(una_formula_draw(parsed(r, "e + a; a=log(e)", &in), &rng, (una_view){ &x, 1, 1, 1 }, &f, 1,
                               r->run), r->run);
    assert_near(f, 11, 1e-15, 0);
}

static void inputs_are_in_the_users_units(void **state)
{
    double centre[] = { 5, 0, 0, 0 }, scale[] = { 10, 1, 2, 1 }, f[3] = { 0, -7, 0 };
    una_kernel_inputs in = { names, centre, scale, 4, false };
    room *r = *state;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    double x[2][4] = { { 0.1, 9, 0.5, 0 }, { -0.2, 9, 1, 0 } };
    una_formula *formula = parsed(r, "x1*x1 + 'Froude number'", &in);
    assert_ok(una_formula_draw(formula, &rng, (una_view){ x[0], 2, 4, 4 }, f, 2, r->run), r->run);
    assert_near(f[0], 37, 1e-14, 0);
    assert_near(f[2], 11, 1e-14, 0);
    assert_true(f[1] == -7);                         /* the step is kept */
}

static void blocks_of_rows_agree_with_single_rows(void **state)
{
    enum { N = 150 };
    room *r = *state;
    double x[N * 4], f[N];
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < N * 4; i++) x[i] = una_rng_normal(&rng);

    una_formula *formula =
        parsed(r, "a*sin(b*x1 + c) + max(x2, -x2)^2; a~normal(1, 0.2); b~uniform(0, 2); c=0.5", &plain);
    una_rng once = una_rng_at(5, UNA_FOR_TEST, 0), params = once;
    assert_ok(una_formula_draw(formula, &once, (una_view){ x, N, 4, 4 }, f, 1, r->run), r->run);
    double a = 1 + 0.2 * una_rng_normal(&params), b = 2 * una_rng_uniform(&params);

    for (size_t i = 0; i < N; i++) {
        una_rng again = una_rng_at(5, UNA_FOR_TEST, 0);
        double one = 0;
        assert_ok(una_formula_draw(formula, &again, (una_view){ x + 4 * i, 1, 4, 4 }, &one, 1, r->run), r->run);
        assert_true(one == f[i]);
        assert_near(one, a * sin(b * x[4 * i] + 0.5) + pow(fabs(x[4 * i + 1]), 2), 1e-13, 1e-14);
    }
}

/* The definitions' order, not the function's, fixes who takes which random numbers. */
static void parameters_draw_in_order_of_definition(void **state)
{
    room *r = *state;
    double f = 0;
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 0), same = rng;
    assert_ok(una_formula_draw(parsed(r, "1000*a + b; b~uniform(0, 1); a~uniform(0, 1)", &plain), &rng,
                               (una_view){ point, 1, 4, 4 }, &f, 1, r->run),
              r->run);
    double b = una_rng_uniform(&same), a = una_rng_uniform(&same);
    assert_near(f, 1000 * a + b, 1e-14, 0);
}

static void moments(room *r, const char *text, double mean, double variance)
{
    enum { DRAWS = 40000 };
    una_formula *formula = parsed(r, text, &plain);
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, 0);
    double sum = 0, squares = 0;
    for (int i = 0; i < DRAWS; i++) {
        double f = 0;
        assert_ok(una_formula_draw(formula, &rng, (una_view){ point, 1, 4, 4 }, &f, 1, r->run), r->run);
        sum += f - mean;
        squares += (f - mean) * (f - mean);
    }
    assert_near(sum / DRAWS, 0, 0, 5 * sqrt(variance / DRAWS));
    assert_near(squares / DRAWS, variance, 0.06, 0);
}

static void laws_have_their_moments(void **state)
{
    moments(*state, "a; a~normal(3, 0.5)", 3, 0.25);
    moments(*state, "a; a~uniform(-1, 2)", 0.5, 0.75);
    moments(*state, "a; a~lognormal(0.2, 0.3)", exp(0.2 + 0.045), (exp(0.09) - 1) * exp(0.4 + 0.09));
    moments(*state, "a + b*x1; a~normal(0, 1); b~normal(0, 2)", 0, 1 + 4 * 0.49);
}

static void values_that_are_not_finite_are_named(void **state)
{
    room *r = *state;
    double x[4 * 70] = { 0 }, f[70];
    for (size_t i = 0; i < 70; i++) x[4 * i] = 1;
    x[4 * 66] = -4;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);

    assert_status(una_formula_draw(parsed(r, "a*log(x1); a=2", &plain), &rng, (una_view){ x, 70, 4, 4 }, f, 1,
                                   r->run), UNA_E_NUMERIC,
                  r->run);
    assert_says(una_run_message(r->run),
                "the formula \"a*log(x1); a=2\" gives no number, where x1 = -4, a = 2;");
    assert_status(una_formula_draw(parsed(r, "1/'colour=red'", &plain), &rng, (una_view){ x, 1, 4, 4 }, f, 1,
                                   r->run), UNA_E_NUMERIC,
                  r->run);
    assert_says(una_run_message(r->run), "gives an infinite value, where colour=red = 0;");
    assert_status(una_formula_draw(parsed(r, "1/0", &plain), &rng, (una_view){ x, 1, 4, 4 }, f, 1,
                                   r->run), UNA_E_NUMERIC, r->run);
    assert_says(una_run_message(r->run), "gives an infinite value; choose");

    static const char *const hiding[] = { "min(sqrt(-1), 2)", "min(2, sqrt(-1))", "max(sqrt(-1), 2)",
                                          "max(2, sqrt(-1))", "step(sqrt(-1))" };
    for (size_t i = 0; i < 5; i++)
        assert_status(una_formula_draw(parsed(r, hiding[i], &plain), &rng, (una_view){ x, 1, 4, 4 }, f, 1,
                                       r->run), UNA_E_NUMERIC,
                      r->run);
}

static void refusals_say_what_and_where(void **state)
{
    static const struct { const char *text, *says; } cases[] = {
        { "", "the formula is empty" },
        { "a*x1", "formula, character 1: \"a\" is neither an input nor a defined parameter" },
        { "2*x3", "character 3: \"x3\" is neither an input nor a defined parameter; did you mean \"x1\"?" },
        { "amp*x1 + amq; amp=1", "did you mean \"amp\"?" },
        { "colour*2", "\"colour\" holds categories; name one of them, such as \"colour=red\"" },
        { "\"Froud number\"", "there is no input \"Froud number\"; did you mean \"Froude number\"?" },
        { "x1; a~normal(0, 1)", "character 5: \"a\" is defined but the function does not use it" },
        { "amp*x1; apm=1", "\"apm\" is defined but the function does not use it; did you mean \"amp\"?" },
        { "a*x1; a=1; a=2", "character 12: \"a\" is defined twice" },
        { "x1; x1=2", "\"x1\" is an input and cannot be defined" },
        { "e; e=2", "\"e\" is a constant and cannot be defined" },
        { "a; a~normal(0, -1)", "character 6: normal(0, -1) is not allowed: a standard deviation is at least 0" },
        { "a; a~lognormal(0, -1)", "lognormal(0, -1) is not allowed" },
        { "a; a~uniform(2, 1)", "uniform(2, 1) is empty: the lower end comes first" },
        { "a; a~norml(0, 1)", "but found \"norml\"; did you mean \"normal\"?" },
        { "a; a~3", "expected normal(mean, std), uniform(low, high) or lognormal(mu, sigma) after \"~\" but found 3" },
        { "a; a~normal", "expected \"(\" after the law's name but found the end of the text" },
        { "a; a~normal(1)", "expected \",\" and a second number, since every law takes two, but found \")\"" },
        { "a; a~normal(1, 2, 3)", "expected \")\" after the law's two numbers but found \",\"" },
        { "a; a~normal(x1, 2)", "\"x1\" has no place in a definition: only numbers, pi and e have" },
        { "a; a~uniform(0, 1/0)", "character 17: the number worked out here is not finite" },
        { "a; a", "expected \"~\" or \"=\" after the parameter's name but found the end of the text" },
        { "a; 3", "expected a definition such as a~normal(0, 1) or a=2 but found 3" },
        { "a; a=", "expected a number, an input, a parameter or a function but found the end of the text" },
        { "a = 2", "character 3: the function comes first" },
        { "a~normal(0, 1)", "the function comes first" },
        { "x1 x2", "expected an operator, \";\" or the end but found \"x2\"" },
        { "(x1", "expected \")\" to close the bracket" },
        { "x1 +\nx2", "but found the end of the line" },
        { "x1 + ]", "but found \"]\"" },
        { "x1)", "but found \")\"" },
        { "sn(x1)", "there is no function \"sn\"; did you mean \"sin\"?" },
        { "x1(3)", "there is no function \"x1\"" },
        { "sin(1, 2)", "sin takes one argument, not 2" },
        { "sin()", "but found \")\"" },
        { "min(1)", "character 1: min takes two arguments or more, not one" },
        { "sin(1", "expected \")\" after the function's arguments" },
        { "2x1", "\"2x1\" is not a number; a product is written with *" },
        { "x1 $ 2", "\"$\" has no meaning here" },
        { "'x1", "this quote is never closed" },
        { "1e400", "beyond the range of numbers" },
    };

    room *r = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_formula *formula = (una_formula *)r;
        assert_status(una_formula_parse(&formula, cases[i].text, &plain, &r->arena, r->run), UNA_E_USAGE, r->run);
        assert_null(formula);
        assert_says(una_run_message(r->run), cases[i].says);
    }
}

static void refuse(room *r, const char *text, const char *says)
{
    una_formula *formula;
    assert_status(una_formula_parse(&formula, text, &plain, &r->arena, r->run), UNA_E_USAGE, r->run);
    assert_says(una_run_message(r->run), says);
}

static void sizes_are_bounded(void **state)
{
    static char text[80 << 10];
    size_t at = 0;
    room *r = *state;

    memset(text, '-', 70);
    snprintf(text + 70, 4, "1");
    refuse(r, text, "the formula is nested more than 64 deep");
    memset(text, '(', 70);
    refuse(r, text, "the formula is nested more than 64 deep");
    for (at = 0; at < 400;) at += (size_t)snprintf(text + at, 8, "2^");
    refuse(r, text, "the formula is nested more than 64 deep");

    at = 0;
    for (int i = 0; i < 30; i++) at += (size_t)snprintf(text + at, 16, "1+1*1^(");
    snprintf(text + at, 4, "1");
    refuse(r, text, "more than 64 operations wait for their second part");
    at = 0;
    for (int i = 0; i < 65; i++) at += (size_t)snprintf(text + at, 16, "p%d+", i);
    snprintf(text + at, 4, "1");
    refuse(r, text, "\"p64\" is one parameter too many; at most 64 are allowed");
    memset(text, ' ', sizeof text - 1);
    refuse(r, text, "at most 65536 are read");

    at = 0;
    for (int i = 0; i < 5000; i++) at += (size_t)snprintf(text + at, 16, "x1+");
    snprintf(text + at, 4, "0");
    assert_near(value(r, text), 3500, 1e-10, 0);
    at = 0;
    for (int i = 0; i < 64; i++) at += (size_t)snprintf(text + at, 16, "p%d+", i);
    at += (size_t)snprintf(text + at, 4, "0");
    for (int i = 0; i < 64; i++) at += (size_t)snprintf(text + at, 16, ";p%d=%d", i, i);
    assert_near(value(r, text), 2016, 0, 0);
}

static una_status draw_text(room *r, const char *text, una_rng *rng)
{
    una_formula *formula;
    una_status status = una_formula_parse(&formula, text, &plain, &r->arena, r->run);
    if (status != UNA_OK) return status;
    double f = NAN;
    status = una_formula_draw(formula, rng, (una_view){ point, 1, 4, 4 }, &f, 1, r->run);
    assert_true(status == UNA_E_NUMERIC || (status == UNA_OK && isfinite(f)));
    return UNA_OK;
}

static void texts_at_random_never_crash(void **state)
{
    static const char *const seeds[] = {
        "a*sin(b*x1+c) + max(x2, 'Froude number'); a~normal(1,0.2); b~uniform(0,2*pi); c=0.5",
        "-a^2*exp(-x1/2) + (tanh(x2) - step(x1))*\"colour=red\"\na~lognormal(0, 1)",
    };
    try_texts(*state, 8, 40, "abcx12sin(cos)exp,;~=+-*/^. 0e\"'\nminmaxpi()uniform[]\x7f\xc3\xa9", seeds, draw_text);
}

static una_status parse(const char *text, una_arena *arena, una_run *run)
{
    una_formula *formula;
    return una_formula_parse(&formula, text, &plain, arena, run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static char text[16 << 10];
    size_t at = 0;
    for (int i = 0; i < 2000; i++) at += (size_t)snprintf(text + at, 16, "x1*2+");
    snprintf(text + at, 8, "a;a=1");
    assert_true(sweep_allocations(parse_job, &(parsing){ parse, text }) > 3);
}

static void every_request_may_fail(void **state)
{
    (void)state;
    static const char *const texts[] = { "a*'Froude number' + x2; a~normal(0, 1)", "a*x1", "(x1" };
    for (size_t t = 0; t < 3; t++)
        assert_int_equal(parse_starved(&(parsing){ parse, texts[t] }), t ? UNA_E_USAGE : UNA_OK);
}

/* The sentence about a value that is not finite does not need memory to be said. */
static void a_bad_value_is_named_without_memory(void **state)
{
    (void)state;
    struct fail_after memory = { .left = -1 };
    una_run_settings settings = failing_settings(&memory);
    una_run *run = NULL;
    una_arena arena;
    una_formula *formula;
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    double f = 0;
    assert_ok(una_run_new(&run, &settings), run);
    una_arena_init(&arena, run);
    assert_ok(una_formula_parse(&formula, "log(x2)", &plain, &arena, run), run);

    memory.left = 0;
    assert_status(una_formula_draw(formula, &rng, (una_view){ point, 1, 4, 4 }, &f, 1, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "\"log(x2)\" gives no number;");

    una_arena_free(&arena);
    una_run_free(run);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_by_hand, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_input_wins_over_a_constant, set_up, tear_down),
        cmocka_unit_test_setup_teardown(inputs_are_in_the_users_units, set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_of_rows_agree_with_single_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(parameters_draw_in_order_of_definition, set_up, tear_down),
        cmocka_unit_test_setup_teardown(laws_have_their_moments, set_up, tear_down),
        cmocka_unit_test_setup_teardown(values_that_are_not_finite_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refusals_say_what_and_where, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sizes_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_at_random_never_crash, set_up, tear_down),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_request_may_fail),
        cmocka_unit_test(a_bad_value_is_named_without_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
