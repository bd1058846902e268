/* SPDX-License-Identifier: MIT
 *
 * TUNA: knowledge goes in as reference functions and shows in the bands. A kernel on one input leaves the other without
 * doubt, a formula extrapolates, values and points come from files, pseudo-data opens the bands where a person puts
 * them.
 */
#include "train/basis.h"
#include "models/quick.h"

static double wave(double x)
{
    return 3 * sin(2 * x);
}

/* Epistemic std at (x1, x2). */
static double doubt(const una_model *model, double x1, double x2, una_run *run)
{
    double x[2] = { x1, x2 }, std;
    una_prediction out = { .size = sizeof out, .std_epistemic = &std };
    assert_ok(una_model_predict_rows(model, x, 1, 0.95, &out, run), run);
    return std;
}

/* Data on a narrow strip of x2, references over the whole square. */
static una_dataset *narrow_data(una_run *run)
{
    double x[120], y[60];
    una_dataset *data = NULL;
    una_rng rng = una_rng_at(12, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < 60; i++) {
        x[2 * i] = 4 * una_rng_uniform(&rng) - 2;
        x[2 * i + 1] = 2 * una_rng_uniform(&rng) - 1;
        y[i] = sin(2 * x[2 * i]) + 0.1 * una_rng_normal(&rng);
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, 60, 2, NULL, run), run);
    return data;
}

static const char *square_file(void)
{
    char text[8192] = "x2,x1\n";
    for (int i = 0; i <= 12; i++)
        for (int j = 0; j <= 12; j++)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%g,%g\n", -3 + i / 2.0, -3 + j / 2.0);
    return temp_text_file("square.csv", text);
}

/* A kernel on x1 alone says that x2 has no effect: along x2 doubt does not grow; an isotropic one doubts
 * where x2 is new. */
static void kernel_on_one_input_is_a_strip(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = narrow_data(run);
    double ratio[2];
    static const char *const on[] = { ", on=x1", "" };

    for (size_t i = 0; i < 2; i++) {
        char spec[512];
        snprintf(spec, sizeof spec, "tuna(width=30, heads=20, steps=2500, rate=0.01, penalty=3, prior=rbf(length=1%s), "
                 "points=\"%s\", noise_std=0.3, prior_var=1)", on[i], square_file());
        una_model *model = fitted(spec, data, NULL, run);
        double near = 0, far = 0;
        for (int k = -3; k <= 3; k++) {
            near += doubt(model, k / 2.0, 0, run);
            far += (doubt(model, k / 2.0, 2.5, run) + doubt(model, k / 2.0, -2.5, run)) / 2;
        }
        ratio[i] = far / near;
        una_model_free(model);
    }

    print_message("doubt at x2 = 2.5 over that at the data: on=x1 %.2f, isotropic %.2f\n", ratio[0], ratio[1]);
    assert_true(ratio[0] < 1.5);
    assert_true(ratio[1] > 2 * ratio[0]);
    una_dataset_free(data);
    una_run_free(run);
}

/* Mean error beyond the data, on [2, 4.5]. */
static double error_beyond(const una_model *model, una_run *run)
{
    double error = 0;
    for (int i = 0; i <= 20; i++) {
        double x = 2 + 2.5 * i / 20.0, mean;
        una_prediction out = { .size = sizeof out, .mean = &mean };
        assert_ok(una_model_predict_rows(model, &x, 1, 0.95, &out, run), run);
        error += fabs(mean - wave(x)) / 21;
    }
    return error;
}

/* Data on [-2, 2] of 3 sin 2x; references a sin(2x + c) on [-5, 5] through points: the wave goes on where
 * there is no data. */
static void formula_extrapolates(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -2, 2, 0.1, 60, run);

    char text[4096] = "x\n", spec[1024];
    for (int i = 0; i <= 80; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "%g\n", -5 + i / 8.0);
    snprintf(spec, sizeof spec, "tuna(width=30, features=3, heads=20, steps=1500, activation=sin, points=\"%s\", "
             "formula=\"a*sin(2*x+c); a~normal(0,3); c~uniform(0,6.3)\")", temp_text_file("points.csv", text));

    una_model *model = fitted(spec, data, NULL, run);
    una_model *plain = fitted("nlm(width=30, steps=1500)", data, NULL, run);
    print_message("mean error beyond the data: formula %.2f, plain network %.2f\n", error_beyond(model, run),
                  error_beyond(plain, run));
    assert_true(error_beyond(model, run) < 0.7);                         /* of a wave of height 3 */
    assert_true(error_beyond(plain, run) > 1.5);

    una_model_free(plain);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* A formula is in the units of the target: with 50 added to both, all answers are 50 more. */
static void formula_in_own_units(void **state)
{
    (void)state;
    enum { COUNT = 40 };
    una_run *run = quiet_run();
    const char *const names[] = { "x", "y" };
    double mean[2][COUNT], std[2][COUNT];

    for (int k = 0; k < 2; k++) {
        double x[COUNT], y[COUNT], shift = k ? 50 : 0;
        char spec[160];
        una_rng rng = una_rng_at(31, UNA_FOR_TEST, 0);
        for (size_t i = 0; i < COUNT; i++) {
            x[i] = (double)i / 10 - 2;
            y[i] = shift + 3 * sin(2 * x[i]) + 0.2 * una_rng_normal(&rng);
        }
        una_dataset *data = NULL;
        assert_ok(una_dataset_from_arrays(&data, x, y, COUNT, 1, names, run), run);
        snprintf(spec, sizeof spec, "tuna(width=8, heads=5, steps=100, formula=\"%g+a*sin(2*x+c); a~normal(0,3); "
                 "c~uniform(0,6.3)\")", shift);
        una_model *model = fitted(spec, data, NULL, run);
        una_prediction out = { .size = sizeof out, .mean = mean[k], .std_epistemic = std[k] };
        assert_ok(una_model_predict(model, data, 0.95, &out, run), run);
        una_model_free(model);
        una_dataset_free(data);
    }

    for (size_t i = 0; i < COUNT; i++) {
        assert_near(mean[1][i] - 50, mean[0][i], 0, 1e-4);
        assert_near(std[1][i], std[0][i], 1e-3, 0);
    }
    una_run_free(run);
}

/* ---- pseudo-data ------------------------------------------------------------------------------------------------- */

static const char *pseudo_file(double spread)
{
    static char text[8192];
    una_rng rng = una_rng_at(9, UNA_FOR_TEST, 0);
    double head[10];
    for (size_t m = 0; m < 10; m++) head[m] = una_rng_normal(&rng);
    snprintf(text, sizeof text, "x,h1,h2,h3,h4,h5,h6,h7,h8,h9,h10\n");
    for (int i = 0; i <= 8; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), "%g", -1 + i / 4.0);
        for (size_t m = 0; m < 10; m++)
            snprintf(text + strlen(text), sizeof text - strlen(text), ",%.6f", spread * head[m]);
        strcat(text, "\n");
    }
    return temp_text_file("pseudo.csv", text);
}

/* Rows three times each: of the fifth, 19 rows, whole groups are held out. */
static void copies_are_held_out_together(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL, *copied = NULL;
    size_t index[99];
    char spec[512];
    for (size_t i = 0; i < 99; i++) index[i] = i % 33;
    assert_ok(una_dataset_synthetic(&data, "cubic", 100, 1, 0, run), run);
    assert_ok(una_dataset_rows(&copied, data, index, 99, run), run);
    snprintf(spec, sizeof spec, "tuna(width=10, steps=50, pseudo=\"%s\")", pseudo_file(1));
    una_model *model = fitted(spec, copied, NULL, run);
    assert_int_equal(una_model_info(model)->valid_rows, 18);
    una_model_free(model);
    una_dataset_free(copied);
    una_dataset_free(data);
    una_run_free(run);
}

static void pseudo_spread_opens_the_gap(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    assert_ok(una_dataset_synthetic(&data, "cubic", 100, 1, 0, run), run);

    double last = 0;
    static const double spread[] = { 1, 20, 100 };

    for (size_t i = 0; i < 3; i++) {
        char spec[512];
        snprintf(spec, sizeof spec, "tuna(width=30, steps=2000, pseudo=\"%s\", match_prior=yes)",
                 pseudo_file(spread[i]));
        una_model *model = fitted(spec, data, NULL, run);
        double gap = std_between(model, -1, 1, run);
        print_message("pseudo targets with spread %g: doubt %.2f in the gap\n", spread[i], gap);
        assert_true(gap > last);
        assert_int_equal(una_model_info(model)->valid_rows, 20);         /* each fifth row, for the noise */
        size_t heads;
        assert_ok(una_model_functions(model, data, &heads, NULL, run), run);
        assert_int_equal(heads, 10);
        last = gap;
        una_model_free(model);
    }

    una_dataset_free(data);
    una_run_free(run);
}

/* ---- references from files --------------------------------------------------------------------------------------- */

static void values_are_learnt(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -2, 2, 0.1, 40, run);

    char text[8192] = "f1,x,f2,f3\n", spec[512];
    for (int i = 0; i <= 40; i++) {
        double x = -2 + i / 10.0;
        snprintf(text + strlen(text), sizeof text - strlen(text), "%.6f,%.6f,%.6f,%.6f\n", sin(2 * x), x, cos(2 * x),
                 x);
    }
    snprintf(spec, sizeof spec, "tuna(width=30, steps=3000, activation=tanh, values=\"%s\")",
             temp_text_file("values.csv", text));

    una_model *model = fitted(spec, data, NULL, run);
    assert_says(una_model_info(model)->spec, "heads=3");                 /* a file brings its own number */
    size_t count;
    double f[3 * 40];
    assert_ok(una_model_functions(model, data, &count, f, run), run);
    const double *x = una_dataset_numbers(data, 0);
    for (size_t i = 0; i < 40; i++) {                                    /* in the target's own units */
        assert_near(f[i], sin(2 * x[i]), 0, 0.15);
        assert_near(f[80 + i], x[i], 0, 0.15);
    }

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void match_prior_is_the_mean_square(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = fitted("tuna(width=8, heads=4, steps=100, match_prior=yes)", data, NULL, run);

    const una_basis *basis = member_state(model);
    const una_net *net = basis->net.shape;
    double sum = 0;
    for (size_t m = 0; m < 4; m++) {
        for (size_t j = 0; j <= 8; j++) {
            size_t at = j < 8 ? net->weights[net->depth] + j * UNA_PADDED(4) + m : net->biases[net->depth] + m;
            sum += (double)basis->parameters[at] * (double)basis->parameters[at];
        }
    }
    assert_near(una_model_info(model)->prior_var, sum / (4 * 9), 1e-12, 0);

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static size_t numbers_of(const una_basis *basis)
{
    return basis->net.body->size(basis->net.shape).parameters;
}

/* y is not used for the features: another target, the same network. */
static void features_do_not_see_y(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *one = curve_data(wave, -2, 2, 0, 40, run), *two = curve_data(cos, -2, 2, 0.5, 40, run);
    una_model *a = fitted("tuna(width=8, heads=4, steps=50)", one, NULL, run);
    una_model *b = fitted("tuna(width=8, heads=4, steps=50)", two, NULL, run);
    const una_basis *first = member_state(a), *second = member_state(b);
    assert_memory_equal(first->parameters, second->parameters, numbers_of(first) * sizeof(float));
    una_model_free(a);
    una_model_free(b);
    una_dataset_free(one);
    una_dataset_free(two);
    una_run_free(run);
}

/* Of the default prior: 2 sqrt(2) standard deviations for two inputs, 1 for a single one. */
static void default_length_grows_with_the_inputs(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data[] = { curve_data(wave, -2, 2, 0, 40, run), wave_data(40, 0, run) };
    const char *const written[] = { "tuna(width=8, heads=4, steps=50, units=standardised, prior=rbf(length=1))",
                                    "tuna(width=8, heads=4, steps=50, units=standardised, "
                                    "prior=rbf(length=2.8284271247461903))" };
    for (size_t i = 0; i < 2; i++) {
        una_model *a = fitted("tuna(width=8, heads=4, steps=50)", data[i], NULL, run);
        una_model *b = fitted(written[i], data[i], NULL, run);
        const una_basis *first = member_state(a), *second = member_state(b);
        assert_memory_equal(first->parameters, second->parameters, numbers_of(first) * sizeof(float));
        una_model_free(a);
        una_model_free(b);
        una_dataset_free(data[i]);
    }
    una_run_free(run);
}

static void few_reference_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = mixed_data(100, run);
    una_model *model = fitted("tuna(width=8, heads=4, steps=50, reference_rows=10, copies=0)", data, &mixed_settings,
                              run);
    una_model_free(model);
    model = fitted("tuna(width=8, heads=1, steps=50, copies=2)", data, &mixed_settings, run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- written in the spec ----------------------------------------------------------------------------------------- */

static void same_network(const char *spec, const char *other, const una_dataset *data, una_run *run)
{
    una_model *a = fitted(spec, data, NULL, run), *b = fitted(other, data, NULL, run);
    const una_basis *first = member_state(a), *second = member_state(b);
    assert_int_equal(numbers_of(first), numbers_of(second));
    assert_memory_equal(first->parameters, second->parameters, numbers_of(first) * sizeof(float));
    una_model_free(a);
    una_model_free(b);
}

/* Word for word what the files say. */
static void grids_and_pseudo_rows_are_files_written_out(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = narrow_data(run), *line = curve_data(wave, -2, 2, 0.1, 40, run);
    char spec[512];
    snprintf(spec, sizeof spec, "tuna(width=8, heads=4, steps=30, points=\"%s\")",
             temp_text_file("corners.csv", "x1,x2\n-3,-1\n-3,1\n0,-1\n0,1\n3,-1\n3,1\n"));
    same_network(spec, "tuna(width=8, heads=4, steps=30, grid=\"x1=-3:3:3, x2=-1:1:2\")", data, run);
    snprintf(spec, sizeof spec, "tuna(width=8, steps=30, pseudo=\"%s\")",
             temp_text_file("two.csv", "x,low,high\n-0.5,-2,2\n0.5,-3,3\n"));
    same_network(spec, "tuna(width=8, steps=30, pseudo_rows=\"x,low,high; -0.5,-2,2; 0.5,-3,3\")", line, run);
    una_dataset_free(line);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- a prior that is tuned --------------------------------------------------------------------------------------- */

static double evidence_at(double length, double var, double noise_std, const una_dataset *data, una_run *run)
{
    char spec[256];
    snprintf(spec, sizeof spec, "gp(kernel=rbf(length=%.17g, var=%.17g), optimise=no, noise_std=%.17g)", length, var,
             noise_std);
    una_model *model = fitted(spec, data, NULL, run);
    double evidence = una_model_info(model)->log_evidence;
    una_model_free(model);
    return evidence;
}

/* The kernel that was found, from the spec: rbf(length=L, var=V), in whatever order. */
static double number_in(const char *spec, const char *key)
{
    const char *at = strstr(strstr(spec, "prior="), key);
    assert_non_null(at);
    return strtod(at + strlen(key), NULL);
}

/* Where the evidence of a process is level in length and variance, by differences of evidences that `gp` computes. */
static void tuned_prior_is_a_maximum(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -2, 2, 0.3, 40, run);
    const double noise = 0.3, step = 0.01;
    static const char *const starts[] = { "0.2", "5" };
    for (size_t i = 0; i < 2; i++) {
        char spec[256];
        snprintf(spec, sizeof spec, "tuna(width=8, heads=4, steps=20, noise_std=%g, prior=rbf(length=%s), "
                 "tune_prior=evidence)", noise, starts[i]);
        una_model *model = fitted(spec, data, NULL, run);
        const char *found = una_model_info(model)->spec;
        double length = number_in(found, "length="), var = number_in(found, "var=");
        double top = evidence_at(length, var, noise, data, run);
        print_message("from %s: length %.3f, variance %.3f, log evidence %.3f\n", starts[i], length, var, top);
        assert_true(length > 0.5 && length < 2);                         /* of a wave with period pi */
        for (int sign = -1; sign <= 1; sign += 2) {
            assert_true(evidence_at(length * exp(sign * step), var, noise, data, run) < top);
            assert_true(evidence_at(length, var * exp(sign * 4 * step), noise, data, run) < top);
        }
        double rise = evidence_at(length * exp(step), var, noise, data, run)
                    - evidence_at(length * exp(-step), var, noise, data, run);
        assert_near(rise / (2 * step), 0, 0, 0.05);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* The spec of the fitted model has the kernel that was found, and gives the same model without looking for it again. */
static void tuned_prior_is_repeated_by_its_spec(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = fitted("tuna(width=8, heads=4, steps=50, prior=matern52 + 0.1*linear, tune_prior=evidence)",
                              data,
                              NULL, run);
    assert_says(una_model_info(model)->spec, "tune_prior=no");
    same_network("tuna(width=8, heads=4, steps=50, prior=matern52 + 0.1*linear, tune_prior=evidence)",
                 una_model_info(model)->spec, data, run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- refusals ---------------------------------------------------------------------------------------------------- */

static void refused(const char *spec, una_status status, const char *says, const una_dataset *data, una_run *run)
{
    una_model *model = NULL;
    assert_status(una_fit(&model, spec, data, NULL, run), status, run);
    assert_says(una_run_message(run), says);
}

static const char *with_file(const char *option, const char *path)
{
    static char spec[512];
    snprintf(spec, sizeof spec, "tuna(steps=5, %s=\"%s\")", option, path);
    return spec;
}

static void refusals_have_sentences(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -2, 2, 0.1, 40, run);

    refused("tuna(formula=\"a*x; a~normal(0,1)\", values=\"f.csv\")", UNA_E_USAGE, "give one of formula, values and "
            "pseudo", data, run);
    refused("tuna(pseudo_rows=\"x,f;1,2\", values=\"f.csv\")", UNA_E_USAGE, "give one of", data, run);
    refused("tuna(pseudo_rows=\"x;1\")", UNA_E_INPUT, "every column is an input", data, run);
    refused("tuna(pseudo_rows=\"z,f;1,2\")", UNA_E_INPUT, "x", data, run);
    refused("tuna(pseudo_rows=\"x,f\")", UNA_E_USAGE, "tuna: pseudo_rows", data, run);
    refused("tuna(grid=\"z=1:2:3\")", UNA_E_USAGE, "tuna: grid: there is no numeric input 'z'", data, run);
    refused("tuna(formula=\"a*x; a~normal(0,1)\", tune_prior=evidence)", UNA_E_USAGE, "leave tune_prior out", data,
            run);
    refused("tuna(tune_prior=perhaps)", UNA_E_USAGE, "evidence", data, run);
    refused("tuna(prior=rbff)", UNA_E_USAGE, "rbf", data, run);
    refused("tuna(prior=rbf(on=z))", UNA_E_USAGE, "z", data, run);
    refused("tuna(prior=periodic)", UNA_E_USAGE, "period", data, run);
    refused("tuna(formula=\"a*x\")", UNA_E_USAGE, "a", data, run);

    refused(with_file("values", temp_path("none.csv")), UNA_E_IO, "none.csv", data, run);
    refused(with_file("values", temp_text_file("bare.csv", "x\n1\n2\n")), UNA_E_INPUT, "every column is an input",
            data, run);
    refused(with_file("values", temp_text_file("word.csv", "x,f\n1,2\n2,hello\n")), UNA_E_INPUT, "must be a number",
            data, run);
    refused(with_file("values", temp_text_file("hole.csv", "x,f\n1,2\n2,\n")), UNA_E_INPUT, "line 3", data, run);
    refused(with_file("pseudo", temp_text_file("other.csv", "z,f\n1,2\n")), UNA_E_INPUT, "x", data, run);
    refused(with_file("points", temp_text_file("empty.csv", "z\n1\n")), UNA_E_INPUT, "x", data, run);
    refused("tuna(steps=5, formula=\"log(a*x); a~normal(0,1)\")", UNA_E_NUMERIC, "finite", data, run);

    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernel_on_one_input_is_a_strip),
        cmocka_unit_test(formula_extrapolates),
        cmocka_unit_test(formula_in_own_units),
        cmocka_unit_test(copies_are_held_out_together),
        cmocka_unit_test(pseudo_spread_opens_the_gap),
        cmocka_unit_test(values_are_learnt),
        cmocka_unit_test(match_prior_is_the_mean_square),
        cmocka_unit_test(features_do_not_see_y),
        cmocka_unit_test(default_length_grows_with_the_inputs),
        cmocka_unit_test(few_reference_rows),
        cmocka_unit_test(grids_and_pseudo_rows_are_files_written_out),
        cmocka_unit_test(tuned_prior_is_a_maximum),
        cmocka_unit_test(tuned_prior_is_repeated_by_its_spec),
        cmocka_unit_test(refusals_have_sentences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
