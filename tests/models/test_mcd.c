/* SPDX-License-Identifier: MIT
 *
 * Monte-Carlo dropout: masks, the gradient for fixed masks, passes as networks, then the model.
 */
#include "models/quick.h"
#include "train/sampled.h"
#include "nn/dropout.h"

static void masks_keep_the_mean(void **state)
{
    (void)state;
    enum { N = 100000 };
    static float mask[N];
    static const double rates[] = { 0, 0.01, 0.05, 0.5, 0.9 };

    for (size_t k = 0; k < 5; k++) {
        double p = rates[k], sum = 0, dropped = 0;
        una_rng rng = una_rng_at(4, UNA_FOR_TEST, k);
        una_dropout_mask(&rng, p, N, mask);
        for (size_t i = 0; i < N; i++) {
            assert_true(mask[i] == 0 || mask[i] == (float)(1 / (1 - p)));
            sum += (double)mask[i];
            dropped += mask[i] == 0;
        }
        assert_near(dropped / N, p, 0, 5 * sqrt(p * (1 - p) / N));
        assert_near(sum / N, 1, 0, 1e-6 + 5 * sqrt(p / (1 - p) / N));
    }
}

static una_net small_net(una_activation activation)
{
    una_net net = { .depth = 2, .size = { 3, 5, 4, 1 }, .activation = activation };
    una_net_shape(&net);
    return net;
}

/* Over many passes the mean of a weight is the weight; biases are never dropped, and inputs only if asked. */
static void passes_keep_the_mean(void **state)
{
    (void)state;
    enum { PASSES = 4000 };
    una_net net = small_net(UNA_RELU);
    size_t count = una_matrices_packed(una_net_matrix, &net);
    float weight[64], packed[64];
    double sum[64] = {0};
    assert_true(count < 64);
    for (size_t i = 0; i < count; i++) weight[i] = 1 + (float)i / 64;

    for (int inputs = 0; inputs <= 1; inputs++) {
        memset(sum, 0, sizeof sum);
        for (size_t k = 0; k < PASSES; k++) {
            una_rng rng = una_rng_at(5, UNA_FOR_TEST, k);
            memcpy(packed, weight, sizeof packed);
            una_dropout_pass(&net, &rng, 0.2, inputs, packed);
            for (size_t i = 0; i < count; i++) sum[i] += (double)packed[i] / PASSES;
            for (size_t i = 15; i < 20; i++) assert_true(packed[i] == weight[i]);        /* first biases */
            assert_true(packed[count - 1] == weight[count - 1]);
            if (!inputs) assert_memory_equal(packed, weight, 15 * sizeof *packed);
        }
        for (size_t i = 0; i < count; i++) assert_near(sum[i], (double)weight[i], 5 * sqrt(0.25 / PASSES), 0);
    }
}

/* ---- the gradient ------------------------------------------------------------------------------------------------ */

enum { ROWS = 6 };
typedef struct dropped {
    una_net net;
    double parameters[256], gradient[256], x[ROWS * 3], y[ROWS], mask[2][ROWS * 8], *masks[2];
    una_arena arena;
    una_work_f64 *work;
} dropped;

static double loss_of(dropped *d, double *gradient)
{
    una_batch_f64 batch = { .rows = ROWS, .x = d->x, .target = d->y, .target_heads = 1, .mask = d->masks };
    una_objective_f64 objective = { .fit_weight = 1.0 / ROWS, .penalty = 0.03, .head_relief = 0.25,
                                    .free_biases = true };
    una_losses losses;
    double penalty = 0;
    una_net_gradient_f64(d->work, d->parameters, &batch, &objective, gradient, &losses);
    for (size_t l = 0; l <= d->net.depth; l++)           /* padding is zero */
        for (size_t i = d->net.weights[l]; i < d->net.biases[l]; i++)
            penalty += (l < d->net.depth ? 0.03 : 0.75 * 0.03) * pow(d->parameters[i], 2);
    assert_near(losses.penalty, penalty, 1e-13, 0);
    assert_near(losses.total, losses.fit + losses.penalty, 1e-14, 0);
    return losses.total;
}

static void gradient_agrees_with_differences(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    dropped d = { .net = small_net(UNA_TANH) };
    double unused[256];
    una_rng rng = una_rng_at(6, UNA_FOR_TEST, 0);
    assert_true(d.net.parameters <= 256);

    una_net_initialise_f64(&d.net, 0, 1, &rng, d.parameters, NULL);
    for (size_t i = 0; i < ROWS * 3; i++) d.x[i] = una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) d.y[i] = una_rng_normal(&rng);
    for (int l = 0; l < 2; l++) {
        d.masks[l] = d.mask[l];
        for (size_t i = 0; i < ROWS * 8; i++) d.mask[l][i] = una_rng_uniform(&rng) < 0.4 ? 0 : 1 / 0.6;
    }

    una_arena_init(&d.arena, run);
    assert_ok(una_work_new_f64(&d.work, &d.net, &(una_work_size){ .rows = ROWS }, una_kernels_named_f64("generic"),
                               &d.arena), run);
    for (size_t l = 0; l <= d.net.depth; l++)            /* biases too, so that the penalty must leave them alone */
        for (size_t j = 0; j < d.net.size[l + 1]; j++) d.parameters[d.net.biases[l] + j] = 0.1 * una_rng_normal(&rng);

    loss_of(&d, d.gradient);
    for (size_t l = 0; l <= d.net.depth; l++)
        for (size_t i = 0; i <= d.net.size[l]; i++)
            for (size_t j = 0; j < d.net.size[l + 1]; j++) {
                size_t at = d.net.weights[l] + i * UNA_PADDED(d.net.size[l + 1]) + j;
                double kept = d.parameters[at], h = 1e-5;
                d.parameters[at] = kept + h;
                double up = loss_of(&d, unused);
                d.parameters[at] = kept - h;
                double down = loss_of(&d, unused);
                d.parameters[at] = kept;
                assert_near(d.gradient[at], (up - down) / (2 * h), 1e-7, 1e-8);
            }

    una_arena_free(&d.arena);
    una_run_free(run);
}

/* The same units dropped for every row: the masked pass is the network that una_dropout_pass leaves. */
static void a_pass_is_a_network(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_work_f32 *work;
    una_net net = small_net(UNA_RELU);
    float parameters[256], packed[64], x[ROWS * 3], y[ROWS], gradient[256], mask[2][ROWS * 8];
    float *masks[2] = { mask[0], mask[1] };
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, 0);

    una_net_initialise_f32(&net, 0, 1, &rng, parameters, NULL);
    for (size_t i = 0; i < ROWS * 3; i++) x[i] = (float)una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) y[i] = (float)una_rng_normal(&rng);
    una_rng units = una_rng_at(8, UNA_FOR_TEST, 0), again = units;
    for (size_t l = 0; l < 2; l++) {
        memset(mask[l], 0, sizeof mask[l]);
        una_dropout_mask(&units, 0.4, net.size[l + 1], mask[l]);
        for (size_t r = 1; r < ROWS; r++) memcpy(mask[l] + 8 * r, mask[l], 8 * sizeof(float));
    }

    una_arena_init(&arena, run);
    assert_ok(una_work_new_f32(&work, &net, &(una_work_size){ .rows = ROWS }, una_kernels_named_f32(NULL),
                               &arena), run);
    una_batch_f32 batch = { .rows = ROWS, .x = x, .target = y, .target_heads = 1, .mask = masks };
    una_objective_f32 objective = { .fit_weight = 1 };
    una_losses masked, plain;
    una_net_gradient_f32(work, parameters, &batch, &objective, gradient, &masked);

    batch.mask = NULL;
    una_matrices_pack(una_net_matrix, &net, parameters, packed);
    una_dropout_pass(&net, &again, 0.4, false, packed);
    una_matrices_unpack(una_net_matrix, &net, packed, parameters);
    una_net_gradient_f32(work, parameters, &batch, &objective, gradient, &plain);
    assert_near(masked.fit, plain.fit, 1e-5, 0);
    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static double wave(double x)
{
    return 5 + 2 * sin(3 * x);
}

static void fits_a_curve(void **state)
{
    (void)state;
    skip_if_sanitized();
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -1, 1, 0.1, 120, run);
    double spread[2];

    for (int more = 0; more <= 1; more++) {
        const char *spec = more ? "mcd(width=30, steps=1500, rate=0.01, dropout=0.3, input_dropout=no)"
                                : "mcd(width=30, steps=1500, rate=0.01, dropout=0.02, input_dropout=no)";
        una_model *model = fitted(spec, data, NULL, run);
        const una_fit_info *info = una_model_info(model);
        spread[more] = std_between(model, -1, 1, run);
        print_message("rmse %.3f, noise %.3f, spread %.3f\n", info->valid_rmse, info->noise_std, spread[more]);
        if (!more) assert_true(info->valid_rmse < 0.35 && info->noise_std < 0.3);
        una_model_free(model);
    }

    assert_true(spread[1] > 1.5 * spread[0]);            /* more is dropped, more is doubted */
    una_dataset_free(data);
    una_run_free(run);
}

static double cube(double x)
{
    return x * x * x;
}

/* The cubic with a gap: with its only input dropped now and then the model doubts the data most of all. */
static void a_single_input_is_not_dropped(void **state)
{
    (void)state;
    skip_if_sanitized();
    una_run *run = quiet_run();
    una_dataset *left = curve_data(cube, -4, -2, 3, 50, run), *right = curve_data(cube, 2, 4, 3, 51, run), *data = NULL;
    double x[101], y[101];

    for (size_t i = 0; i < 101; i++) {
        const una_dataset *side = i < 50 ? left : right;
        x[i] = una_dataset_numbers(side, 0)[i < 50 ? i : i - 50];
        y[i] = una_dataset_numbers(side, 1)[i < 50 ? i : i - 50];
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, 101, 1, NULL, run), run);

    const char *text = "mcd(width=50, steps=1500, rate=0.005, validate=no, noise_std=3, input_dropout=%s)";
    double at_data[2], in_gap[2];
    for (int drop = 0; drop <= 1; drop++) {
        char spec[160];
        snprintf(spec, sizeof spec, text, drop ? "yes" : "auto");
        una_model *model = fitted(spec, data, NULL, run);
        at_data[drop] = (std_between(model, -4, -2, run) + std_between(model, 2, 4, run)) / 2;
        in_gap[drop] = std_between(model, -1, 1, run);
        print_message("inputs %s: at the data %.2f, in the gap %.2f\n", drop ? "dropped" : "kept", at_data[drop],
                      in_gap[drop]);
        assert_non_null(strstr(una_model_info(model)->spec, drop ? "input_dropout=yes" : "input_dropout=no"));
        una_model_free(model);
    }

    assert_true(at_data[0] < 0.6 * at_data[1]);
    assert_true(at_data[0] / in_gap[0] < 0.6 * at_data[1] / in_gap[1]);
    una_dataset_free(left);
    una_dataset_free(right);
    una_dataset_free(data);
    una_run_free(run);
}

/* Columns of the table count, not levels; three are enough to drop. */
static void few_columns_are_kept(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *two = wave_data(40, 0, run), *three = mixed_data(40, run), *words = NULL;

    char text[2048] = "colour,y\n";
    for (size_t i = 0; i < 40; i++) {
        static const char *const colour[] = { "red", "green", "blue", "white" };
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s,%zu\n", colour[i % 4], i % 4 * 3 + i % 3);
    }
    assert_ok(una_dataset_read(&words, temp_text_file("words.csv", text), run), run);

    const una_dataset *data[] = { two, words, three };
    for (size_t i = 0; i < 3; i++) {
        una_model *model = fitted("mcd(width=4, steps=5, passes=5)", data[i], i == 2 ? &mixed_settings : NULL, run);
        assert_non_null(strstr(una_model_info(model)->spec, i == 2 ? "input_dropout=yes" : "input_dropout=no"));
        una_model_free(model);
    }

    una_dataset_free(two);
    una_dataset_free(three);
    una_dataset_free(words);
    una_run_free(run);
}

static void nothing_dropped_nothing_doubted(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("mcd(width=6, steps=40, passes=5, dropout=0)", data, NULL, run);
    assert_true(warned(model, "no ignorance"));
    double *p = predicted(model, data, run);
    for (size_t i = 0; i < 60; i++) assert_true(p[120 + i] == 0);
    free(p);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void everything_dropped_is_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = NULL;
    assert_status(una_fit(&model, "mcd(dropout=1)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "every unit would be dropped");
    assert_status(una_fit(&model, "mcd(dropout=-0.1)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "dropout");
    una_dataset_free(data);
    una_run_free(run);
}

/* The decay is l^2 (1 - p) sigma^2/(2 N): a huge length-scale leaves a constant. */
static void decay_flattens(void **state)
{
    (void)state;
    skip_if_sanitized();
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -1, 1, 0.1, 60, run);
    una_model *model = fitted("mcd(width=10, depth=1, steps=1500, rate=0.01, length_scale=1000, validate=no)", data,
                              NULL, run);

    assert_true(warned(model, "explains almost nothing"));
    double x[2] = { -0.5, 0.5 }, mean[2];
    una_prediction out = { .size = sizeof out, .mean = mean };
    assert_ok(una_model_predict_rows(model, x, 2, 0.95, &out, run), run);
    assert_near(mean[0], mean[1], 0, 0.05);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Gal's objective: the losses of two length-scales differ by l^2 (1 - p) sigma^2/(2 N) |W|^2 while the weights stand
 * still; biases take no part. The bound that is reported is -N/(2 sigma^2) times that. */
static void decay_is_gals(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    const double scale[2] = { 0.5, 4 }, p = 0.3, sigma = 0.8;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(COUNT, 0, run);
    double loss[2] = {0}, bound[2] = {0}, square = 0;

    for (int k = 0; k < 2; k++) {
        char spec[256];
        snprintf(spec, sizeof spec, "mcd(width=5, steps=40, batch=50, rate=1e-9, dropout=%g, length_scale=%g, "
                 "train_noise_std=%g, passes=2, validate=no, units=standardised)", p, scale[k], sigma);
        una_model *model = fitted(spec, data, NULL, run);
        const una_sampled *m = member_state(model);
        const double *at = m->numbers;
        loss[k] = una_model_info(model)->curve.loss[0];
        bound[k] = una_model_info(model)->log_evidence;
        assert_near(una_model_info(model)->prior_var, 2 / (scale[k] * scale[k]), 1e-12, 0);
        square = 0;
        const una_net *net = m->net.shape;
        for (size_t l = 0; l <= net->depth; l++) {
            size_t weights = net->size[l] * net->size[l + 1];
            for (size_t i = 0; i < weights; i++) square += at[i] * at[i];
            at += weights + net->size[l + 1];
        }
        una_model_free(model);
    }

    double factor = scale[1] * scale[1] - scale[0] * scale[0];
    assert_near(loss[1] - loss[0], factor * (1 - p) * sigma * sigma / (2 * COUNT) * square, 1e-4, 0);
    assert_near(bound[0] - bound[1], COUNT / (2 * sigma * sigma) * (loss[1] - loss[0]), 1e-4, 0);
    una_dataset_free(data);
    una_run_free(run);
}

/* With nothing dropped, and weights that stand still, what training minimised is the reported bound but for the
 * constant of the Gaussian. */
static void bound_is_what_training_minimised(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    const double sigma = 0.8;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(COUNT, 0, run);
    una_model *model = fitted("mcd(width=5, steps=40, batch=100, rate=1e-9, dropout=0, length_scale=4, "
                              "train_noise_std=0.8, passes=2, validate=no, units=standardised)", data, NULL, run);

    const una_fit_info *info = una_model_info(model);
    double constant = -0.5 * COUNT * log(2 * 3.14159265358979 * sigma * sigma);
    assert_near(info->log_evidence, constant - COUNT / (2 * sigma * sigma) * info->curve.loss[0], 1e-5, 0);

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    typedef struct mcd { una_sampled base; double dropout; bool inputs; } mcd;   /* as in mcd.c */
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = quick_fit(una_kind_find("mcd"), data, run);
    void *bytes = NULL;
    size_t size;
    mcd *m = member_state(model);

    assert_near(m->dropout, 0.05, 0, 0);
    m->dropout = 1;
    assert_int_not_equal(una_model_save_memory(model, &bytes, &size, run), UNA_OK);
    assert_null(bytes);

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_keep_the_mean),
        cmocka_unit_test(passes_keep_the_mean),
        cmocka_unit_test(gradient_agrees_with_differences),
        cmocka_unit_test(a_pass_is_a_network),
        cmocka_unit_test(fits_a_curve),
        cmocka_unit_test(a_single_input_is_not_dropped),
        cmocka_unit_test(few_columns_are_kept),
        cmocka_unit_test(nothing_dropped_nothing_doubted),
        cmocka_unit_test(everything_dropped_is_refused),
        cmocka_unit_test(decay_flattens),
        cmocka_unit_test(decay_is_gals),
        cmocka_unit_test(bound_is_what_training_minimised),
        cmocka_unit_test(impossible_numbers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
