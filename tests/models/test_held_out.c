/* SPDX-License-Identifier: MIT
 *
 * What fits predict of held-out rows: of every kind, sensible and the same for any number of threads,
 * and the model is the same without it; of linear and gp, what refits without the fold say.
 */
#include "model/validation_split.h"
#include "models/quick.h"

#include "la/la.h"

static const una_fit_settings asking = { .size = sizeof asking, .hold_out = 1 };

static void check_sensible(const una_held_out *h, const una_dataset *data, size_t target, double least)
{
    const double *y = una_dataset_numbers(data, target);
    size_t inside = 0;
    assert_non_null(h);
    assert_true(h->rows > 0 && h->rows <= una_dataset_row_count(data));
    for (size_t i = 0; i < h->rows; i++) {
        assert_true(h->row[i] < una_dataset_row_count(data) && (i == 0 || h->row[i] > h->row[i - 1]));
        assert_true(h->y[i] == y[h->row[i]]);
        assert_true(isfinite(h->mean[i]) && h->std_epistemic[i] >= 0 && h->std_noise[i] > 0);
        assert_true(h->below[i] >= 0 && h->below[i] <= 1);
        inside += h->below[i] > 0.025 && h->below[i] < 0.975;
    }
    assert_true((double)inside >= least * (double)h->rows);
}

static una_run *run_with(int threads)
{
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = threads, .seed = 5)), UNA_OK);
    return run;
}

static void every_kind_predicts_held_out_rows(void **state)
{
    (void)state;
    una_run *one = run_with(1), *two = run_with(2);
    una_dataset *data = wave_data(80, 0, one);
    for (size_t k = 0; k < una_kind_count(); k++)
        for (quick_choice = 0; quick_choice < quick_choices(una_kind_name(k)); quick_choice++) {
            const char *spec = quick_spec(una_kind_name(k), NULL);
            una_model *without = fitted(spec, data, NULL, one), *model = fitted(spec, data, &asking, one);
            una_model *again = fitted(spec, data, &asking, two);
            const una_held_out *h = una_model_held_out(model), *g = una_model_held_out(again);
            assert_null(una_model_held_out(without));
            assert_same_bytes(without, model, one);
            check_sensible(h, data, 2, 0.5);
            assert_int_equal(h->rows, g->rows);
            for (size_t i = 0; i < h->rows; i++)
                assert_true(h->mean[i] == g->mean[i] && h->below[i] == g->below[i] &&
                            h->std_noise[i] == g->std_noise[i]);
            una_model_free(without);
            una_model_free(model);
            una_model_free(again);
        }
    quick_choice = 0;
    una_dataset_free(data);
    una_run_free(one);
    una_run_free(two);
}

/* Which fold each row of the table is in, as fits part them. */
static const unsigned char *folds_of(const una_model *model, const una_dataset *data, double **x, double **y,
                                     una_run *run)
{
    size_t rows, folds = UNA_FOLDS, inputs = model->columns.input_count;
    una_copies copies;
    unsigned char *fold;
    assert_ok(una_columns_encode(&model->columns, data, &(una_encoding){ x, y, NULL, &rows }, &run->scratch), run);
    assert_ok(una_split_copies(&copies, &(una_problem){ .x = { *x, rows, inputs, inputs } }, run), run);
    assert_ok(una_fold_rows(&fold, &folds, &copies, rows, una_rng_at(run->settings.seed, UNA_FOR_FOLDS, 0), run), run);
    return fold;
}

/* A prior so wide that standardising again changes nothing. */
static void linear_is_a_fit_without_the_fold(void **state)
{
    (void)state;
    enum { ROWS = 60 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    const char *spec = "linear(prior_var=1e8, noise_std=0.5)";
    una_model *model = fitted(spec, data, &asking, run);
    const una_held_out *h = una_model_held_out(model);
    double *x, *y;
    const unsigned char *fold = folds_of(model, data, &x, &y, run);
    assert_int_equal(h->rows, ROWS);
    assert_int_equal(h->folds, UNA_FOLDS);
    for (unsigned char f = 0; f < UNA_FOLDS; f++) {
        size_t in[ROWS], out[ROWS], ins = 0, outs = 0;
        for (size_t i = 0; i < ROWS; i++) fold[i] == f ? (out[outs++] = i) : (in[ins++] = i);
        una_dataset *train = NULL, *test = NULL;
        assert_ok(una_dataset_rows(&train, data, in, ins, run), run);
        assert_ok(una_dataset_rows(&test, data, out, outs, run), run);
        una_model *less = fitted(spec, train, NULL, run);
        double mean[ROWS], lower[ROWS];
        una_prediction answer = SIZED(una_prediction, .mean = mean, .std_noise = lower);
        assert_ok(una_model_predict(less, test, 0.95, &answer, run), run);
        for (size_t i = 0; i < outs; i++) {
            assert_near(h->mean[out[i]], mean[i], 1e-6, 1e-6);
            assert_near(h->std_noise[out[i]], 0.5, 1e-9, 0);
        }
        una_model_free(less);
        una_dataset_free(train);
        una_dataset_free(test);
    }
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* By hand, for a kernel and noise that are given: the mean is k' (K + s2 I)^-1 y, all without the fold. */
static void gp_is_a_posterior_without_the_fold(void **state)
{
    (void)state;
    enum { ROWS = 40 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    char spec[200];
    double s2 = exp(-2), *x, *y;                         /* which predicting does not round */
    snprintf(spec, sizeof spec, "gp(kernel=rbf(length=1), amplitude=1, optimise=no, units=standardised, "
             "noise=constant, jitter=0, noise_std=%.17g)", exp(-1));
    una_model *model = fitted(spec, data, &asking, run);
    const una_held_out *h = una_model_held_out(model);
    const una_columns *c = &model->columns;
    const unsigned char *fold = folds_of(model, data, &x, &y, run);
    for (unsigned char f = 0; f < UNA_FOLDS; f++) {
        double a[ROWS * ROWS], b[ROWS];
        size_t in[ROWS], n = 0;
        for (size_t i = 0; i < ROWS; i++)
            if (fold[i] != f) in[n++] = i;
#define KERNEL(i, j) exp(-0.5 * (pow(x[2 * (i)] - x[2 * (j)], 2) + pow(x[2 * (i) + 1] - x[2 * (j) + 1], 2)))
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) a[i * n + j] = KERNEL(in[i], in[j]) + (i == j ? s2 : 0);
            b[i] = y[in[i]];
        }
        assert_ok(una_chol(a, n, "test", run), run);
        una_chol_solve(a, n, b, 1);
        for (size_t r = 0; r < ROWS; r++) {
            double mean = 0;
            for (size_t i = 0; fold[r] == f && i < n; i++) mean += KERNEL(r, in[i]) * b[i];
            if (fold[r] == f) assert_near(h->mean[r], c->target_centre + c->target_scale * mean, 1e-8, 1e-8);
        }
    }
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Rows are those of the table, whatever was dropped, held out, or moved; each of several targets has its own. */
static void rows_are_the_tables(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *mixed = mixed_data(90, run), *pairs = pair_data(90, 0, true, run), *many = wave_data(1200, 0, run);
    una_fit_settings drop = SIZED(una_fit_settings, .missing = UNA_MISSING_DROP, .other = 2, .hold_out = 1);
    una_model *model = fitted("linear", mixed, &drop, run);
    check_sensible(una_model_held_out(model), mixed, 4, 0.5);
    assert_true(una_model_held_out(model)->rows < 90);
    una_model_free(model);

    static const char *const specs[] = { "luna(width=6, heads=3, steps=30, members=5, relevance=off)", "linear",
                                         "nlm(width=6, steps=30, members=1)", "luna(width=6, heads=3, steps=30, "
                                         "members=2, relevance=off)" };
    for (size_t s = 0; s < 4; s++) {
        una_fit_settings two = SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2, .hold_out = 1,
                                     .valid_fraction = s == 3 ? 0.3 : 0);
        model = fitted(specs[s], pairs, &two, run);
        assert_null(una_model_held_out(model));
        for (size_t t = 0; t < 2; t++)
            check_sensible(una_model_held_out(una_model_target(model, t)), pairs, 2 + t, 0.5);
        una_model_free(model);
    }

    model = fitted("nlm(width=6, steps=30, members=2)", many, &SIZED(una_fit_settings, .valid_fraction = 0.1,
                                                                    .hold_out = 1), run);
    check_sensible(una_model_held_out(model), many, 2, 0.5);
    assert_int_equal(una_model_held_out(model)->rows, 120);
    assert_int_equal(una_model_held_out(model)->folds, 0);
    una_model_free(model);

    model = fitted("nn(width=6, steps=30, members=1)", many, &SIZED(una_fit_settings, .valid = many, .hold_out = 1),
                   run);
    check_sensible(una_model_held_out(model), many, 2, 0.5);
    assert_int_equal(una_model_held_out(model)->rows, 240);              /* fitted again without a fifth */
    una_model_free(model);
    una_dataset_free(mixed);
    una_dataset_free(pairs);
    una_dataset_free(many);
    una_run_free(run);
}

/* Too few rows without a fold: the model is there all the same. */
static void few_rows_go_without(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(10, 0, run);
    una_model *model = fitted("ensemble(style=plain, members=2, of=linear)", data, &asking, run);
    assert_null(una_model_held_out(model));
    assert_string_equal(una_run_message(run), "");
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Two of forty inputs matter. */
static una_dataset *many_inputs(size_t rows, una_run *run)
{
    enum { INPUTS = 40, MOST = 150 };
    static double x[MOST * INPUTS], y[MOST];
    una_dataset *data = NULL;
    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(5, UNA_FOR_TEST, i);
        for (size_t d = 0; d < INPUTS; d++) x[i * INPUTS + d] = una_rng_normal(&rng);
        y[i] = una_rng_normal(&rng) + 3 * sin(1.5 * x[i * INPUTS + 4]) + 2 * x[i * INPUTS + 11];
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, rows, INPUTS, NULL, run), run);
    return data;
}

static double explained(const una_held_out *h)
{
    double mean = 0, error = 0, spread = 0;
    for (size_t i = 0; i < h->rows; i++) mean += h->y[i] / (double)h->rows;
    for (size_t i = 0; i < h->rows; i++) {
        error += pow(h->y[i] - h->mean[i], 2);
        spread += pow(h->y[i] - mean, 2);
    }
    return 1 - error / spread;
}

/* From lengths of one all rows are far apart, and evidence would lead to noise alone. */
static void gp_of_many_inputs_learns(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = many_inputs(150, run);
    una_model *model = fitted("gp", data, &asking, run);
    assert_true(explained(una_model_held_out(model)) > 0.5);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Repeats with scaled inputs, which have all the weight here, are predicted by refits; the model is the same. */
static void scaled_repeats_are_refitted(void **state)
{
    skip_if_sanitized();
    static const char spec[] = "nlm(members=20, width=10, steps=200)";
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = many_inputs(150, run);
    una_model *model = fitted(spec, data, &asking, run), *plain = fitted(spec, data, NULL, run);
    assert_same_bytes(model, plain, run);
    assert_true(explained(una_model_held_out(model)) > 0.4);
    una_model_free(model);
    una_model_free(plain);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_predicts_held_out_rows), cmocka_unit_test(linear_is_a_fit_without_the_fold),
        cmocka_unit_test(gp_is_a_posterior_without_the_fold), cmocka_unit_test(rows_are_the_tables),
        cmocka_unit_test(few_rows_go_without), cmocka_unit_test(gp_of_many_inputs_learns),
        cmocka_unit_test(scaled_repeats_are_refitted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
