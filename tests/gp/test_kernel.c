/* SPDX-License-Identifier: MIT
 *
 * Kernel expressions: values against numbers from SciPy (Matern through Bessel functions), units, columns, every
 * refusal, positive semidefiniteness, texts at random, failing memory.
 */
#include "gp_support.h"

#include "gp/program.h"
#include "la/la.h"

static const char *const names3[] = { "x1", "x2", "x3" };
static const una_kernel_inputs plain = { names3, NULL, NULL, 3, false };
static const double points[2][3] = { { 0.3, -1.2, 2.0 }, { 1.1, 0.4, -0.7 } };

static una_kernel *parsed(room *r, const char *text, const una_kernel_inputs *inputs)
{
    una_kernel *kernel = NULL;
    assert_ok(una_kernel_parse(&kernel, text, inputs, &r->arena, r->run), r->run);
    return kernel;
}

static double value(room *r, const char *text, const una_kernel_inputs *inputs, const double *a, const double *b)
{
    double k = NAN;
    una_kernel_matrix(parsed(r, text, inputs), a, 1, b, 1, inputs->count, &k);
    return k;
}

static void values_are_those_of_scipy(void **state)
{
    static const struct { const char *text; double k; } cases[] = {
        { "rbf(length=0.8)", 0.00027594403073589893 },
        { "matern12(length=0.8)", 0.017447940064607221 },
        { "matern32(length=0.8)", 0.007217169661529411 },
        { "matern52(length=0.8)", 0.0043747111858805478 },
        { "matern52(length=[0.5, 1, 2])", 0.050997108953015104 },
        { "rbf(length=[0.5, 1, 2], var=2)", 0.062156317345577312 },
        { "2*rbf(length=[2, 0.5, 1], on=[x3, x1, 'x2'])", 0.062156317345577312 },
        { "rbf(on=x2, length=0.7)", 0.073369651368382846 },
        { "rbf(on=\"x2\", length=[0.7])", 0.073369651368382846 },
        { "periodic(period=2, length=1.5, on=x1)", 0.447531857858672 },
        { "periodic(period=[2, 3, 4], length=.9)", 0.0015483555519099732 },
        { "linear(var=0.5)", -0.775 },
        { "linear(var=0.5, centre=[1, 0, -1])", 0.175 },
        { "linear(var=2, centre=-1, on=x1)", 2 * 1.3 * 2.1 },
        { "constant(var=3)", 3 },
        { "constant", 1 },
        { "constant()", 1 },
        { "2", 2 },
        { "0*rbf", 0 },
        { "2*3+4*5", 26 },
        { "(2+3)*4", 20 },
        { "2*(3+4)*(1+1)", 28 },
        { "\n 1.5e1 +\t.5 ", 15.5 },
        { "(0.5*periodic(period=2, length=1.5, on=x1) + matern32(length=0.7, on=x2))*(0.3 + linear(var=0.1, on=x3)) + "
          "0.25",
          0.30094344208114393 },
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_near(value(*state, cases[i].text, &plain, points[0], points[1]), cases[i].k, 1e-12, 1e-15);
}

static void defaults_are_one_standard_deviation(void **state)
{
    double centre[] = { 5, 6, 7 }, scale[] = { 10, 0.1, 3 };
    una_kernel_inputs scaled = { names3, centre, scale, 3, false };
    double r2 = 0.64 + 2.56 + 7.29;
    assert_near(value(*state, "rbf", &scaled, points[0], points[1]), exp(-r2 / 2), 1e-14, 0);
    assert_near(value(*state, "matern12()", &scaled, points[0], points[1]), exp(-sqrt(r2)), 1e-14, 0);
    assert_near(value(*state, "linear", &scaled, points[0], points[1]), 0.33 - 0.48 - 1.4, 1e-14, 0);
}

/* 2 sqrt(n) standard deviations on n columns, the levels of a text column being one; what is written stays. */
static void lengths_may_grow_with_the_columns(void **state)
{
    una_kernel_inputs in = plain;
    in.lengths_grow = true;
    double r2 = 0.64 + 2.56 + 7.29;
    assert_near(value(*state, "rbf", &in, points[0], points[1]), exp(-r2 / (2 * 4 * 3)), 1e-14, 0);
    assert_near(value(*state, "rbf(on=[x1, x2])", &in, points[0], points[1]), exp(-3.2 / (2 * 4 * 2)), 1e-14, 0);
    assert_near(value(*state, "rbf(on=x1)", &in, points[0], points[1]), exp(-0.64 / 2), 1e-14, 0);
    assert_near(value(*state, "rbf(length=1)", &in, points[0], points[1]), exp(-r2 / 2), 1e-14, 0);
    assert_near(value(*state, "periodic(period=2)", &in, points[0], points[1]),
                value(*state, "periodic(period=2)", &plain, points[0], points[1]), 1e-14, 0);

    static const char *const names[] = { "b", "colour=red", "colour=blue" };
    in.name = names;
    assert_near(value(*state, "rbf", &in, points[0], points[1]), exp(-r2 / (2 * 4 * 2)), 1e-14, 0);
}

/* With everything written, standardised inputs give what the original ones give. */
static void units_are_the_users(void **state)
{
    static const char *const texts[] = {
        "rbf(length=[3, 0.2, 9])",
        "matern52(length=4) + matern32(length=2, on=x3)",
        "periodic(period=[7, 0.3, 11], length=0.8)",
        "linear(var=0.3, centre=[1, 2, 3])",
        "linear(var=2, centre=4, on=[x1, x3])*rbf(length=5)",
    };

    double centre[] = { 5, 6, 7 }, scale[] = { 10, 0.1, 3 }, raw[2][3];
    una_kernel_inputs scaled = { names3, centre, scale, 3, false };
    for (size_t i = 0; i < 2; i++)
        for (size_t d = 0; d < 3; d++) raw[i][d] = points[i][d] * scale[d] + centre[d];

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        assert_near(value(*state, texts[i], &scaled, points[0], points[1]),
                    value(*state, texts[i], &plain, raw[0], raw[1]), 1e-11, 1e-15);

    /* No centre written: around the input's own. */
    assert_near(value(*state, "linear(var=1, on=x1)", &scaled, points[0], points[1]), 3.0 * 11.0, 1e-13, 0);
}

static void categories_are_chosen_by_level_or_column(void **state)
{
    static const char *const names[] = { "Froude number", "colour=red", "colour=blue", "b" };
    una_kernel_inputs in = { names, NULL, NULL, 4, false };
    double a[] = { 0.5, 1, 0, 0 }, b[] = { 1.5, 0, 1, 2 };
    assert_near(value(*state, "rbf(on=\"colour=red\")", &in, a, b), exp(-0.5), 1e-14, 0);
    assert_near(value(*state, "rbf(on=colour)", &in, a, b), exp(-1), 1e-14, 0);
    assert_near(value(*state, "rbf(on=colour, length=[2])", &in, a, b), exp(-0.25), 1e-14, 0);
    assert_near(value(*state, "rbf(on=colour, length=[2, 1])", &in, a, b), exp(-0.5 * 1.25), 1e-14, 0);
    assert_near(value(*state, "rbf(length=[1, 2], on=['Froude number', colour])", &in, a, b), exp(-0.5 * 1.5), 1e-14,
                0);
    assert_near(value(*state, "rbf(length=[1, 2, 4])", &in, a, b), exp(-0.5 * (1 + 0.5 + 0.25)), 1e-14, 0);
    assert_near(value(*state, "rbf(length=[1, 2, 1, 4])", &in, a, b), exp(-0.5 * (1 + 0.25 + 1 + 0.25)), 1e-14, 0);
}

static void no_inputs_is_a_constant(void **state)
{
    una_kernel_inputs none = { NULL, NULL, NULL, 0, false };
    double k = 0, x = 0;
    una_kernel_matrix(parsed(*state, "rbf(var=2) + linear*3", &none), &x, 1, &x, 1, 0, &k);
    assert_near(k, 2, 0, 0);
}

static void far_points_give_zero_not_nan(void **state)
{
    double a[] = { 1e200, 0, 0 }, b[] = { -1e200, 0, 0 };
    static const char *const texts[] = { "rbf", "matern12", "matern32", "matern52" };
    for (size_t i = 0; i < 4; i++) assert_true(value(*state, texts[i], &plain, a, b) == 0);
    double nan[] = { NAN, 0, 0 };
    assert_true(isnan(value(*state, "matern32", &plain, nan, b)));
}

static void matrix_is_symmetric_and_agrees_with_diagonal(void **state)
{
    enum { N = 131, D = 3 };
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    double *x = calloc(N * D, sizeof *x), *k = calloc(N * N, sizeof *k), one;
    assert_true(x && k);
    for (size_t i = 0; i < N * D; i++) x[i] = una_rng_normal(&rng);

    una_kernel *kernel =
        parsed(*state, "rbf*linear + periodic(period=2)*matern52 + 0.1*matern32(on=x2) + matern12", &plain);
    una_kernel_matrix(kernel, x, N, x, N, D, k);

    for (size_t i = 0; i < N; i++) {
        assert_true(k[i * N + i] == una_kernel_prior_var(kernel, x + i * D));
        for (size_t j = 0; j < N; j++) {
            assert_true(k[i * N + j] == k[j * N + i]);
            una_kernel_matrix(kernel, x + i * D, 1, x + j * D, 1, D, &one);
            assert_true(k[i * N + j] == one);
        }
    }
    free(x);
    free(k);
}

static void composites_are_positive_semidefinite(void **state)
{
    static const char *const texts[] = {
        "rbf(length=0.5)*periodic(period=1.3, on=x1) + linear", "(matern12 + rbf(on=x2))*(linear(centre=2) + 0.5)",
        "periodic(period=2, length=0.3)*matern32 + constant(var=4)", "matern52(length=[0.2, 3, 1])*linear*linear",
    };
    enum { N = 40, D = 3 };
    room *r = *state;
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, 0);
    double x[N * D], k[N * N], w[N];

    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        for (size_t i = 0; i < N * D; i++) x[i] = 2 * una_rng_normal(&rng);
        una_kernel_matrix(parsed(r, texts[t], &plain), x, N, x, N, D, k);
        assert_ok(una_eigen(k, N, w, r->run), r->run);
        assert_true(w[0] >= -1e-12 * w[N - 1]);
        assert_true(w[N - 1] > 0);
    }
}

static void on_means_blind_to_the_rest(void **state)
{
    una_kernel *kernel =
        parsed(*state, "rbf(on=x2)*periodic(period=3, on=x2) + matern32(on=[x2])*linear(on=x2)", &plain);
    double a[] = { 0, 0.4, 0 }, b[] = { 0, -0.9, 0 }, moved[] = { 17, -0.9, -4 }, first, second,
           further[] = { 0, -0.8, 0 }, third;
    una_kernel_matrix(kernel, a, 1, b, 1, 3, &first);
    una_kernel_matrix(kernel, a, 1, moved, 1, 3, &second);
    una_kernel_matrix(kernel, a, 1, further, 1, 3, &third);
    assert_true(first == second);
    assert_true(first != third);
}

static void refusals_say_what_and_where(void **state)
{
    static const struct { const char *text, *says; } cases[] = {
        { "", "the kernel is empty" },
        { " \n ", "the kernel is empty" },
        { "rbff", "kernel, character 1: there is no kernel \"rbff\"; did you mean \"rbf\"?" },
        { "zzzzzzzz(", "there is no kernel \"zzzzzzzz\" (known are" },
        { "rbf(lenght=1)",
          "character 5: rbf has no setting \"lenght\"; did you mean \"length\"? (it takes var, length and on)" },
        { "linear(length=1)", "linear has no setting \"length\" (it takes var, centre and on)" },
        { "constant(on=x1)", "constant has no setting \"on\" (it takes var)" },
        { "rbf(on=x4)", "character 8: there is no input \"x4\"; did you mean \"x1\"?" },
        { "rbf(on=temperature)", "there is no input \"temperature\"" },
        { "rbf(on=[x1, x1])", "character 13: \"x1\" names the input \"x1\" a second time" },
        { "rbf(on=3)", "expected the name of an input after \"on\" but found 3" },
        { "rbf(on=[x1, x2)", "expected \"]\" after the names but found \")\"" },
        { "rbf(length=[1, 2])", "character 12: \"length\" has 2 numbers and this rbf works on 3 inputs" },
        { "rbf(length=[1, 2, 3, 4, 5, 6], on=x1)", "\"length\" has 6 numbers and this rbf works on 1 input;" },
        { "rbf(length=[1])", "\"length\" has 1 number and" },
        { "rbf(length=[1, 2, 3)", "expected \"]\" after the numbers" },
        { "rbf(length=0)", "length=0 is not allowed: a length is greater than 0" },
        { "rbf(length=-2)", "character 12: length=-2 is not allowed" },
        { "periodic(period=0)", "period=0 is not allowed: a period is greater than 0" },
        { "rbf(var=-1)", "var=-1 is not allowed: a variance is at least 0" },
        { "rbf(var=[1, 2, 3])", "\"var\" takes one number, not a list" },
        { "rbf(length=x1)", "expected a number for \"length\" but found \"x1\"" },
        { "rbf(length=)", "expected a number for \"length\" but found \")\"" },
        { "rbf(length)", "expected \"=\" after the setting's name but found \")\"" },
        { "rbf(0.5)", "expected a setting of rbf such as length=1 but found 0.5" },
        { "linear(0.5)", "expected a setting of linear such as var=1" },
        { "rbf(var=1,)", "expected a setting of rbf" },
        { "rbf(var=1, var=2)", "character 12: \"var\" is set twice" },
        { "rbf(var=1", "expected \")\" after the settings but found the end of the text" },
        { "periodic", "periodic needs its period" },
        { "-rbf", "a sign has no place here" },
        { "rbf + +rbf", "character 7: a sign has no place here" },
        { "rbf - rbf", "character 5: \"-\" cannot join kernels" },
        { "rbf/2", "\"/\" cannot join kernels" },
        { "rbf^2", "\"^\" cannot join kernels" },
        { "(rbf", "expected \")\" to close the bracket but found the end of the text" },
        { "rbf)", "expected \"+\", \"*\" or the end but found \")\"" },
        { "rbf rbf", "but found \"rbf\"" },
        { "rbf 2", "but found 2" },
        { "rbf *", "expected a kernel such as rbf(length=1) or a number but found the end of the text" },
        { "\"rbf\"", "expected a kernel" },
        { "rbf(on=\"x1)", "character 8: this quote is never closed" },
        { "rbf(on='')", "there is no name between the quotes" },
        { "rbf(length=1.2.3)", "\"1.2.3\" is not a number" },
        { "2rbf", "\"2rbf\" is not a number; a product is written with *" },
        { "1e999*rbf", "\"1e999\" is beyond the range of numbers" },
        { "rbf & rbf", "character 5: \"&\" has no meaning here" },
        { "rbf \x01", "a control character (code 1) has no meaning here" },
        { "rbf(on=\"\xc3\xa9\xc3\xa9\") + rbff", "character 8: there is no input" },
        { "rbf(length=1e-200)", "this length is too far from the spread of \"x1\", which is 1" },
        { "periodic(period=1e200)", "this period is too far from the spread" },
    };

    room *r = *state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_kernel *kernel = (una_kernel *)r;
        assert_status(una_kernel_parse(&kernel, cases[i].text, &plain, &r->arena, r->run), UNA_E_USAGE, r->run);
        assert_null(kernel);
        assert_says(una_run_message(r->run), cases[i].says);
    }
}

static void characters_are_counted_not_bytes(void **state)
{
    static const char *const names[] = { "\xc3\xa9t\xc3\xa9", "colour=red" };
    una_kernel_inputs in = { names, NULL, NULL, 2, false };
    room *r = *state;
    una_kernel *kernel;
    assert_status(una_kernel_parse(&kernel, "rbf(on=\xc3\xa9t\xc3\xa9) + rbff", &in, &r->arena, r->run), UNA_E_USAGE,
                  r->run);
    assert_says(una_run_message(r->run), "character 15: there is no kernel");
    assert_status(una_kernel_parse(&kernel, "rbf(on=color)", &in, &r->arena, r->run), UNA_E_USAGE, r->run);
    assert_says(una_run_message(r->run), "did you mean \"colour\"?");
}

/* Of many inputs: what a file can hold is written and read again, and what it cannot is known beforehand. */
static void many_inputs(void **state)
{
    enum { MANY = 35000, TOO_MANY = 100000 };
    room *r = *state;
    una_kernel *kernel, *again;
    const char **name = UNA_GET(&r->arena, const char *, TOO_MANY);
    assert_non_null(name);
    for (size_t i = 0; i < TOO_MANY; i++) name[i] = "x";
    una_kernel_inputs inputs = { name, NULL, NULL, MANY, false };
    assert_ok(una_kernel_parse(&kernel, "rbf", &inputs, &r->arena, r->run), r->run);
    for (size_t p = 0; p < kernel->parameter_count; p++) kernel->parameter[p] = 1e-9 / (3.0 + (double)p);
    assert_ok(una_kernel_text_fits(kernel, &inputs, "gp", r->run), r->run);
    una_text text = una_text_in(&r->arena);
    una_kernel_text(&text, kernel, &inputs);
    assert_true(text.length > 700000 && text.length < UNA_LONGEST_TEXT);
    assert_ok(una_kernel_parse(&again, text.at, &inputs, &r->arena, r->run), r->run);
    assert_memory_equal(again->parameter, kernel->parameter, kernel->parameter_count * sizeof(double));

    inputs.count = TOO_MANY;
    assert_ok(una_kernel_parse(&kernel, "rbf", &inputs, &r->arena, r->run), r->run);
    assert_status(una_kernel_text_fits(kernel, &inputs, "gp", r->run), UNA_E_USAGE, r->run);
    assert_says(una_run_message(r->run), "gp: the lengths of 100000 inputs may take 2.6 MB as text");
    assert_says(una_run_message(r->run), "1.05 MB at most");
}

static void nesting_is_bounded(void **state)
{
    char text[70 << 10];
    room *r = *state;
    una_kernel *kernel;
    size_t at = 0;

    for (int i = 0; i < 33; i++) text[at++] = '(';
    snprintf(text + at, 8, "rbf");
    assert_status(una_kernel_parse(&kernel, text, &plain, &r->arena, r->run), UNA_E_USAGE, r->run);
    assert_says(una_run_message(r->run), "brackets are nested more than 32 deep");

    at = 0;
    for (int i = 0; i < 20; i++) at += (size_t)snprintf(text + at, 16, "1+1*(");
    snprintf(text + at, 8, "rbf");
    assert_status(una_kernel_parse(&kernel, text, &plain, &r->arena, r->run), UNA_E_USAGE, r->run);
    assert_says(una_run_message(r->run), "more than 32 sums and products wait");

    char *much = UNA_GET(&r->arena, char, UNA_LONGEST_TEXT + 2);
    assert_non_null(much);
    memset(much, '1', UNA_LONGEST_TEXT + 1);
    assert_status(una_kernel_parse(&kernel, much, &plain, &r->arena, r->run), UNA_E_USAGE, r->run);
    assert_says(una_run_message(r->run), "at most 1048576 are read");

    /* A long flat sum is fine. */
    at = 0;
    for (int i = 0; i < 3000; i++) at += (size_t)snprintf(text + at, 16, "rbf+");
    snprintf(text + at, 8, "1");
    assert_near(value(r, text, &plain, points[0], points[0]), 3001, 0, 0);

    /* So is the deepest one allowed. */
    at = 0;
    for (int i = 0; i < 31; i++) at += (size_t)snprintf(text + at, 16, "1+(");
    at += (size_t)snprintf(text + at, 8, "rbf");
    for (int i = 0; i < 31; i++) text[at++] = ')';
    text[at] = 0;
    assert_near(value(r, text, &plain, points[0], points[0]), 32, 0, 0);
}

static una_status evaluate_text(room *r, const char *text, una_rng *rng)
{
    una_kernel *kernel;
    double k[4];
    (void)rng;
    una_status status = una_kernel_parse(&kernel, text, &plain, &r->arena, r->run);
    if (status != UNA_OK) return status;
    una_kernel_matrix(kernel, points[0], 2, points[0], 2, 3, k);
    assert_true(k[1] == k[2]);
    return UNA_OK;
}

static void texts_at_random_never_crash(void **state)
{
    static const char *const seeds[] = {
        "rbf(length=[0.5, 1, 2], var=2)*periodic(period=2, length=1, on=x1) + 0.5*linear(centre=-1, on=[x1, 'x2'])",
        "(matern12 + matern32(on=\"x3\"))*(constant(var=0.1) + matern52(length=3))",
    };
    try_texts(*state, 3, 60, "rbf(matern52)[]=,*+-/^.0123e \"'\nonvarxlength\x01\xc3\xa9~;", seeds, evaluate_text);
}

static una_status parse(const char *text, una_arena *arena, una_run *run)
{
    una_kernel *kernel;
    return una_kernel_parse(&kernel, text, &plain, arena, run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { TERMS = 2000 };
    static char text[TERMS * 24];
    size_t at = 0;
    for (int i = 0; i < TERMS; i++) at += (size_t)snprintf(text + at, 24, "rbf(on=x1)+2+linear*");
    snprintf(text + at, 4, "1");
    assert_true(sweep_allocations(parse_job, &(parsing){ parse, text }) > 3);
    static char wrong[] = "rbf(on=nothing)";
    assert_true(sweep_allocations(parse_job, &(parsing){ parse, wrong }) > 2);
}

static void every_request_may_fail(void **state)
{
    (void)state;
    static const char *const texts[] = { "rbf(length=[1, 2, 3], on=[x1, x2, x3])*2 + linear", "rbf(on=nothing)" };
    for (size_t t = 0; t < 2; t++)
        assert_int_equal(parse_starved(&(parsing){ parse, texts[t] }), t ? UNA_E_USAGE : UNA_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_are_those_of_scipy, set_up, tear_down),
        cmocka_unit_test_setup_teardown(defaults_are_one_standard_deviation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lengths_may_grow_with_the_columns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(units_are_the_users, set_up, tear_down),
        cmocka_unit_test_setup_teardown(categories_are_chosen_by_level_or_column, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_inputs_is_a_constant, set_up, tear_down),
        cmocka_unit_test_setup_teardown(far_points_give_zero_not_nan, set_up, tear_down),
        cmocka_unit_test_setup_teardown(matrix_is_symmetric_and_agrees_with_diagonal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(composites_are_positive_semidefinite, set_up, tear_down),
        cmocka_unit_test_setup_teardown(on_means_blind_to_the_rest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(refusals_say_what_and_where, set_up, tear_down),
        cmocka_unit_test_setup_teardown(characters_are_counted_not_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_inputs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nesting_is_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(texts_at_random_never_crash, set_up, tear_down),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(every_request_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
