/* SPDX-License-Identifier: MIT
 *
 * SNGP from the bottom up: gradients and slopes of the residual network against differences, singular values against an
 * eigenproblem, Fourier features against the kernel they stand for, the bound on trained weights, and the three heads.
 */
#include "models/quick.h"
#include "models/sngp.h"
#include "nn/residual.h"

#include "nn/spectral.h"

extern const una_kind una_kind_sngp;

static const una_fit_settings held_out = { .size = sizeof held_out, .valid_fraction = 0.2 };
static const char *const sets[] = { "generic", "avx2", "avx512" };

static double wave(double x) { return sin(2 * x); }

/* ---- the residual network --------------------------------------------------------------------------------- */

enum { ROWS = 7, INPUTS = 3 };

typedef struct bench {
    una_arena arena;
    una_residual net;
    double *frozen, *parameters, *gradient, x[ROWS * INPUTS], t[ROWS];
    void *work;
} bench;

static void set_up(bench *b, una_activation activation, const una_kernels_f64 *kernels, una_run *run)
{
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 4);
    una_arena_init(&b->arena, run);
    b->net = (una_residual){ .inputs = INPUTS, .width = 5, .depth = 2, .features = 9, .activation = activation };
    una_residual_shape(&b->net);

    b->frozen = UNA_GET(&b->arena, double, b->net.frozen);
    b->parameters = UNA_GET(&b->arena, double, b->net.parameters);
    b->gradient = UNA_GET(&b->arena, double, b->net.parameters);
    assert_ok(una_arena_check(&b->arena), run);

    una_body_residual_f64.initialise(&b->net, &(una_weight_init){ .lengthscale = 0.8 }, &rng, b->frozen, b->parameters);
    for (size_t k = 0; k <= b->net.features; k++) b->parameters[b->net.head + k * UNA_PAD] = una_rng_normal(&rng);
    for (size_t l = 0; l < 2; l++)
        for (size_t j = 0; j < 5; j++)
            b->parameters[l * b->net.layer + 5 * UNA_PADDED(5) + j] = 0.3 * una_rng_normal(&rng);

    for (size_t i = 0; i < ROWS * INPUTS; i++) b->x[i] = una_rng_normal(&rng);
    for (size_t i = 0; i < ROWS; i++) b->t[i] = una_rng_normal(&rng);
    assert_ok(una_body_residual_f64.work(&b->work, &(una_network_f64){ NULL, &b->net, b->frozen }, ROWS, false, kernels,
                                         &b->arena), run);
}

static double loss_of(bench *b)
{
    una_losses losses;
    una_body_residual_f64.gradient(b->work, b->parameters, &(una_squares_f64){ b->x, b->t, ROWS, 0.7, 0.3 },
                                   b->gradient, &losses);
    return losses.total;
}

static void gradient_against_differences(void **state)
{
    (void)state;
    static const una_activation activations[] = { UNA_RELU, UNA_TANH, UNA_SOFTPLUS };
    una_run *run = quiet_run();
    for (size_t s = 0; s < 3; s++) {
        const una_kernels_f64 *kernels = una_kernels_named_f64(sets[s]);
        for (size_t a = 0; kernels && a < 3; a++) {
            bench b;
            set_up(&b, activations[a], kernels, run);
            double *exact = UNA_GET(&b.arena, double, b.net.parameters);
            assert_non_null(exact);
            loss_of(&b);
            memcpy(exact, b.gradient, b.net.parameters * sizeof *exact);

            for (size_t i = 0; i < b.net.parameters; i++) {
                const double h = 1e-6;
                double kept = b.parameters[i];
                if (kept == 0 && exact[i] == 0) continue;                /* padding */
                b.parameters[i] = kept + h;
                double up = loss_of(&b);
                b.parameters[i] = kept - h;
                double down = loss_of(&b);
                b.parameters[i] = kept;
                assert_near(exact[i], (up - down) / (2 * h), 1e-6, 1e-7);
            }
            una_arena_free(&b.arena);
        }
    }

    una_run_free(run);
}

/* The gradient of the padding is zero, so that it stays zero. */
static void padding_stays_zero(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    bench b;
    set_up(&b, UNA_SOFTPLUS, una_kernels_named_f64("auto"), run);
    loss_of(&b);

    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i <= 5; i++)
            for (size_t j = 5; j < UNA_PADDED(5); j++)
                assert_true(b.gradient[l * b.net.layer + i * UNA_PADDED(5) + j] == 0);
    for (size_t k = 0; k <= b.net.features; k++)
        for (size_t j = 1; j < UNA_PAD; j++) assert_true(b.gradient[b.net.head + k * UNA_PAD + j] == 0);
    una_arena_free(&b.arena);
    una_run_free(run);
}

static void slopes_against_differences(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    bench b;
    set_up(&b, UNA_TANH, una_kernels_named_f64("auto"), run);

    double j[INPUTS * 9], up[9], down[9], x[INPUTS];
    una_body_residual_f64.slopes(b.work, b.parameters, b.x, NULL, j);
    for (size_t d = 0; d < INPUTS; d++) {
        const double h = 1e-6;
        memcpy(x, b.x, sizeof x);
        x[d] += h;
        una_body_residual_f64.forward(b.work, b.parameters, x, 1, (una_outputs){ .phi = up, .stride = 9 });
        x[d] -= 2 * h;
        una_body_residual_f64.forward(b.work, b.parameters, x, 1, (una_outputs){ .phi = down, .stride = 9 });
        for (size_t k = 0; k < 9; k++) assert_near(j[d * 9 + k], (up[k] - down[k]) / (2 * h), 1e-7, 1e-8);
    }

    una_body_residual_last_f64.slopes(b.work, b.parameters, b.x, NULL, j);
    for (size_t d = 0; d < INPUTS; d++) {
        const double h = 1e-6;
        memcpy(x, b.x, sizeof x);
        x[d] += h;
        una_body_residual_last_f64.forward(b.work, b.parameters, x, 1, (una_outputs){ .phi = up, .stride = 5 });
        x[d] -= 2 * h;
        una_body_residual_last_f64.forward(b.work, b.parameters, x, 1, (una_outputs){ .phi = down, .stride = 5 });
        for (size_t k = 0; k < 5; k++) assert_near(j[d * 5 + k], (up[k] - down[k]) / (2 * h), 1e-7, 1e-8);
    }

    una_arena_free(&b.arena);
    una_run_free(run);
}

/* By hand, from the definition: h + act(h W + b), cosines, head. */
static void forward_by_hand(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    bench b;
    set_up(&b, UNA_RELU, una_kernels_named_f64("auto"), run);
    double phi[ROWS * 9], last[ROWS * 6], f[ROWS], h[5], next[5];
    una_body_residual_f64.forward(b.work, b.parameters, b.x, ROWS, (una_outputs){ phi, 9, f });
    una_body_residual_last_f64.forward(b.work, b.parameters, b.x, ROWS, (una_outputs){ .phi = last, .stride = 6 });

    for (size_t r = 0; r < ROWS; r++) {
        for (size_t j = 0; j < 5; j++) {
            h[j] = 0;
            for (size_t d = 0; d < INPUTS; d++) h[j] += b.x[r * INPUTS + d] * b.frozen[d * UNA_PADDED(5) + j];
        }
        for (size_t l = 0; l < 2; l++) {
            const double *w = b.parameters + l * b.net.layer;
            for (size_t j = 0; j < 5; j++) {
                double z = w[5 * UNA_PADDED(5) + j];
                for (size_t i = 0; i < 5; i++) z += h[i] * w[i * UNA_PADDED(5) + j];
                next[j] = h[j] + (z > 0 ? z : 0);
            }
            memcpy(h, next, sizeof h);
        }
        for (size_t j = 0; j < 5; j++) assert_near(last[r * 6 + j], h[j], 1e-12, 1e-13);

        double sum = b.parameters[b.net.head + 9 * UNA_PAD];
        for (size_t k = 0; k < 9; k++) {
            double u = b.frozen[b.net.phase + k];
            for (size_t i = 0; i < 5; i++) u += h[i] * b.frozen[b.net.spread + i * UNA_PADDED(9) + k];
            assert_near(phi[r * 9 + k], sqrt(2.0 / 9) * sin(u), 1e-12, 1e-13);
            sum += phi[r * 9 + k] * b.parameters[b.net.head + k * UNA_PAD];
        }
        assert_near(f[r], sum, 1e-12, 1e-13);
    }

    una_arena_free(&b.arena);
    una_run_free(run);
}

/* Many features: phi(x)'phi(x') is the RBF kernel of the distance. */
static void features_are_a_kernel(void **state)
{
    (void)state;
    enum { FEATURES = 4096, POINTS = 6 };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_residual net = { .inputs = 1, .width = 2, .depth = 1, .features = FEATURES, .activation = UNA_RELU };
    una_residual_shape(&net);
    double *frozen = UNA_GET(&arena, double, net.frozen), *parameters = UNA_GET(&arena, double, net.parameters);
    double *h = UNA_GET(&arena, double, POINTS * UNA_PADDED(2)), *work = UNA_GET(&arena, double, 3 * POINTS * FEATURES);
    assert_ok(una_arena_check(&arena), run);

    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    una_body_residual_f64.initialise(&net, &(una_weight_init){ .lengthscale = 0.7 }, &rng, frozen, parameters);
    for (size_t i = 0; i < POINTS; i++) h[i * UNA_PADDED(2)] = 0.3 * (double)i;
    double *phi = work + POINTS * FEATURES;
    una_fourier_of_f64(&(una_fourier_f64){ 2, FEATURES, frozen + net.spread, frozen + net.phase, una_kernels_named_f64("auto") },
                       POINTS, h, work, phi, phi + POINTS * FEATURES);

    for (size_t i = 0; i < POINTS; i++)
        for (size_t j = 0; j < POINTS; j++) {
            double distance = 0.3 * ((double)i - (double)j);
            assert_near(una_dot(phi + i * FEATURES, phi + j * FEATURES, FEATURES),
                        exp(-distance * distance / (2 * 0.49)), 0, 0.06);
        }

    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- singular values -------------------------------------------------------------------------------------- */

static void norm_against_an_eigenproblem(void **state)
{
    (void)state;
    enum { MOST = 6, M = 5, STRIDE = 8 };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    for (uint64_t seed = 0; seed < 9; seed++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 9);
        size_t n = MOST - seed % 3;                      /* tall, square, wide */
        double w[MOST * STRIDE], gram[M * M] = {0}, value[M];
        una_spectral_f64 s;

        /* what stands in the padding does not count */
        for (size_t i = 0; i < n * STRIDE; i++) w[i] = una_rng_normal(&rng);
        for (size_t i = 0; i < M; i++)
            for (size_t j = 0; j < M; j++)
                for (size_t k = 0; k < n; k++) gram[i * M + j] += w[k * STRIDE + i] * w[k * STRIDE + j];
        assert_ok(una_eigen(gram, M, value, run), run);

        una_spectral_init_f64(&s, n, M, STRIDE, &rng, &arena);
        assert_ok(una_arena_check(&arena), run);
        double sigma = una_spectral_norm_f64(&s, w), kept = w[0], beyond = w[M];
        assert_near(sigma, sqrt(value[M - 1]), 1e-10, 0);

        una_spectral_bound_f64(&s, sigma, sigma * 1.01, w);              /* below the bound nothing changes */
        assert_true(w[0] == kept);
        una_spectral_bound_f64(&s, sigma, 0.5, w);
        assert_near(una_spectral_norm_f64(&s, w), 0.5, 1e-10, 0);
        assert_near(w[0], kept * 0.5 / sigma, 1e-14, 0);
        assert_true(w[M] == beyond);
    }
    una_arena_free(&arena);
    una_run_free(run);
}

/* One iteration a step follows a matrix that moves slowly, and a zero matrix does no harm. */
static void one_step_at_a_time(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_spectral_f32 s;
    una_rng rng = una_rng_at(0, UNA_FOR_TEST, 1);
    una_arena_init(&arena, run);
    una_spectral_init_f32(&s, 2, 2, 2, &rng, &arena);
    assert_ok(una_arena_check(&arena), run);

    const float zero[4] = { 0, 0, 0, 0 };
    assert_true(una_spectral_step_f32(&s, zero) == 0);
    assert_true(una_spectral_norm_f32(&s, zero) == 0);

    double sigma = 0;
    for (int i = 0; i < 200; i++) {                      /* a turning matrix with singular values 3 and 1 */
        double t = 0.002 * i;
        const float w[4] = { (float)(3 * cos(t)), (float)-sin(t), (float)(3 * sin(t)), (float)cos(t) };
        sigma = una_spectral_step_f32(&s, w);
        assert_true(sigma <= 3.000001);
    }
    assert_near(sigma, 3, 1e-4, 0);
    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- the model -------------------------------------------------------------------------------------------- */

static double largest_singular_value(const una_basis *m, size_t layer, una_run *run)
{
    una_arena arena;
    una_spectral_f32 s;
    una_rng rng = una_rng_at(7, UNA_FOR_TEST, layer);
    una_arena_init(&arena, run);
    const una_residual *net = m->net.shape;
    una_spectral_init_f32(&s, net->width, net->width, UNA_PADDED(net->width), &rng, &arena);
    assert_ok(una_arena_check(&arena), run);
    double sigma = una_spectral_norm_f32(&s, m->parameters + layer * net->layer);
    una_arena_free(&arena);
    return sigma;
}

static void trained_weights_keep_the_bound(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -2, 2, 0.05, 60, run);
    una_model *model = fitted("sngp(width=12, features=30, steps=300, rate=0.02, bound=0.4, penalty=0)", data,
                              &held_out, run);
    una_model *loose = fitted("sngp(width=12, features=30, steps=300, rate=0.02, bound=100, penalty=0)", data,
                              &held_out, run);

    double most = 0;
    for (size_t l = 0; l < 2; l++) {
        assert_true(largest_singular_value(member_state(model), l, run) <= 0.4 * (1 + 1e-5));
        most = fmax(most, largest_singular_value(member_state(loose), l, run));
    }
    assert_true(most > 0.4);                             /* it had something to do */

    una_model_free(model);
    una_model_free(loose);
    una_dataset_free(data);
    una_run_free(run);
}

static void it_learns_and_doubts_far_away(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -2, 2, 0.1, 250, run);
    una_model *model = fitted("sngp(width=20, features=100, steps=600)", data, NULL, run);
    const una_fit_info *info = una_model_info(model);
    assert_true(info->valid_rmse < 0.2);
    assert_true(info->noise_std > 0.06 && info->noise_std < 0.2);
    assert_true(std_between(model, 5, 6, run) > 5 * std_between(model, -1.5, 1.5, run));

    una_model *other = NULL;
    una_run *seeded = NULL;
    assert_ok(una_run_new(&seeded, &SIZED(una_run_settings, .threads = 1, .seed = 9)), NULL);
    other = fitted("sngp(width=20, features=100, steps=600)", data, NULL, seeded);
    assert_true(una_model_info(other)->noise_std != info->noise_std);    /* another seed is another network */
    una_model_free(other);
    una_run_free(seeded);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* With all rows in one batch and no momentum the followed sums are the exact ones; the mean is the trained head's. */
static void laplace_head(void **state)
{
    (void)state;
    enum { N = 60 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(N, 0, run);
    const char *common = "width=6, features=15, steps=60, noise_std=0.2";
    char spec[3][200];
    snprintf(spec[0], sizeof spec[0], "sngp(%s, head=exact)", common);
    snprintf(spec[1], sizeof spec[1], "sngp(%s, head=laplace, covariance_momentum=0)", common);
    snprintf(spec[2], sizeof spec[2], "sngp(%s, head=laplace, batch=10, covariance_momentum=0.5)", common);
    una_model *exact = fitted(spec[0], data, NULL, run), *laplace = fitted(spec[1], data, NULL, run);
    una_model *moved = fitted(spec[2], data, NULL, run);

    double *p = predicted(exact, data, run), *q = predicted(laplace, data, run);
    assert_arrays_near(q + 2 * N, p + 2 * N, N, 1e-9, 0);

    const una_basis *m = member_state(laplace);
    double x[2] = { 0.4, -0.2 }, f, mean, var, noise;
    float point[2] = { 0.4f, -0.2f };
    void *work;
    una_mark mark = una_arena_mark(&run->scratch);
    assert_ok(una_body_residual_f32.work(&work, &(una_network_f32){ NULL, m->net.shape, m->net.frozen }, 1, false,
                                         una_kernels_named_f32("auto"), &run->scratch),
              run);
    una_body_residual_f32.forward(work, m->parameters, point, 1, (una_outputs){ .f = &f });
    una_predictive out = { .mean = &mean, .var_model = &var, .var_noise = &noise };
    assert_ok(una_calls(laplace->kind)->predict(laplace->state, (una_view){ x, 1, 2, 2 }, &out, run), run);
    assert_near(mean, f, 1e-5, 1e-6);
    una_arena_release(&run->scratch, mark);

    una_model *copy = copied_model(moved, run);
    assert_same_predictions(moved, copy, data, 0, run);
    assert_status(una_model_update(moved, data, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "head=laplace has no exact update: fit it again");

    free(p);
    free(q);
    una_model_free(exact);
    una_model_free(laplace);
    una_model_free(moved);
    una_model_free(copy);
    una_dataset_free(data);
    una_run_free(run);
}

/* Where a batch holds all rows the momentum changes nothing: sums that were followed stand for all rows, and the head
 * is as sure as the exact one. */
static void laplace_sums_stand_for_all_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *valid = wave_data(20, 900, run);
    const una_fit_settings settings = { .size = sizeof settings, .valid = valid };

    const char *const heads[] = { "exact", "laplace, covariance_momentum=0.7", "laplace" };
    double *p[3] = {0};
    for (int k = 0; k < 3; k++) {
        char spec[200];
        snprintf(spec, sizeof spec, "sngp(width=5, features=12, steps=30, batch=60, noise_std=0.3, prior_var=1, "
                 "head=%s)", heads[k]);
        una_model *model = fitted(spec, data, &settings, run);
        p[k] = predicted(model, valid, run);
        una_model_free(model);
    }

    for (int k = 1; k < 3; k++) assert_arrays_near(p[k] + 40, p[0] + 40, 20, 1e-9, 0);   /* std_epistemic of 20 rows */
    for (int k = 0; k < 3; k++) free(p[k]);
    una_dataset_free(data);
    una_dataset_free(valid);
    una_run_free(run);
}

static const una_dataset *in_order(una_dataset **data, bool sorted, una_run *run)
{
    enum { COUNT = 400 };
    static const char *const names[] = { "x", "y" };
    double x[COUNT], y[COUNT];
    uint32_t order[COUNT];
    una_rng rng = una_rng_at(9, UNA_FOR_TEST, 0);
    for (uint32_t i = 0; i < COUNT; i++) order[i] = i;
    if (!sorted) una_rng_permute(&rng, order, COUNT);
    for (size_t i = 0; i < COUNT; i++) {
        una_rng noise = una_rng_at(10, UNA_FOR_TEST, order[i]);
        x[i] = 4 * (double)order[i] / (COUNT - 1) - 2;
        y[i] = wave(x[i]) + 0.1 * una_rng_normal(&noise);
    }
    assert_ok(una_dataset_from_arrays(data, x, y, COUNT, 1, names, run), run);
    return *data;
}

/* A sorted file is no reason to be surer of its first rows: with and without momentum both ends are doubted alike, and
 * as they are when the rows are shuffled. The features hardly differ: a few steps at a tiny rate. */
static void order_of_the_rows_does_not_matter(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *valid = curve_data(wave, -2, 2, 0.1, 21, run);
    const una_fit_settings settings = { .size = sizeof settings, .valid = valid };

    for (int momentum = 0; momentum < 2; momentum++) {
        char spec[200];
        double end[2][2];
        snprintf(spec, sizeof spec, "sngp(width=10, features=60, steps=20, rate=1e-6, batch=16, noise_std=0.2, "
                 "head=laplace%s)", momentum ? ", covariance_momentum=0.99" : "");
        for (int sorted = 0; sorted < 2; sorted++) {
            una_dataset *data;
            una_model *model = fitted(spec, in_order(&data, sorted, run), &settings, run);
            end[sorted][0] = std_between(model, -2, -1.5, run);
            end[sorted][1] = std_between(model, 1.5, 2, run);
            print_message("momentum %d, sorted %d: %.4f %.4f\n", momentum, sorted, end[sorted][0], end[sorted][1]);
            una_model_free(model);
            una_dataset_free(data);
        }

        for (int side = 0; side < 2; side++) assert_near(end[1][side], end[0][side], momentum ? 0.15 : 1e-4, 0);
        assert_near(end[1][0], end[1][1], 0.3, 0);
    }
    una_dataset_free(valid);
    una_run_free(run);
}

/* ---- the head that is a Gaussian process ------------------------------------------------------------------ */

enum { GP_ROWS = 60, MORE = 9 };

/* Standardised rows of the model's inputs, and their last layer. */
static void last_layer(const una_model *model, const una_dataset *data, size_t rows, double *x, double *h, una_run *run)
{
    const una_basis *m = member_state(model);
    for (size_t i = 0; i < rows; i++)
        for (size_t d = 0; d < 2; d++) {
            const una_input *input = &model->columns.inputs[d];
            x[i * 2 + d] = (una_dataset_numbers(data, d)[i] - input->centre) / input->scale;
        }

    float point[GP_ROWS * 2];
    for (size_t i = 0; i < rows * 2; i++) point[i] = (float)x[i];
    void *work;
    una_mark mark = una_arena_mark(&run->scratch);
    assert_ok(una_body_residual_f32.work(&work, &(una_network_f32){ NULL, m->net.shape, m->net.frozen }, 1, false,
                                         una_kernels_named_f32("auto"), &run->scratch),
              run);
    una_body_residual_last_f32.forward(work, m->parameters, point, rows,
                                       (una_outputs){ .phi = h, .stride = ((const una_residual *)m->net.shape)->width });
    una_arena_release(&run->scratch, mark);
}

/* The definition, on the network's own features: k*'(K + s2 I)^-1 y and k** - k*'(K + s2 I)^-1 k*. */
static void assert_is_the_process(const una_model *model, const una_dataset *data, double alpha, double length,
                                  double noise_var, una_run *run)
{
    const una_basis *m = member_state(model);
    enum { WIDTH = 6 };
    size_t n = una_dataset_row_count(data);
    static double x[GP_ROWS * 2], h[GP_ROWS * WIDTH], k[GP_ROWS * GP_ROWS], a[GP_ROWS], v[GP_ROWS];
    double probe[8] = { 0.3, -0.2, 1.5, 0.7, -2.5, 0.1, 6, -6 }, star[4 * WIDTH], mean[4], var[4], noise[4];

    last_layer(model, data, n, x, h, run);
    una_predictive out = { .mean = mean, .var_model = var, .var_noise = noise };
    assert_ok(una_calls(model->kind)->predict(model->state, (una_view){ probe, 4, 2, 2 }, &out, run), run);
    una_feature_map map = una_basis_map(m);
    assert_int_equal(una_map_columns(&map), WIDTH);
    assert_ok(una_map_phi(&map, (una_view){ probe, 4, 2, 2 }, star, run), run);

    for (size_t i = 0; i < n; i++) {
        a[i] = (una_dataset_numbers(data, 2)[i] - model->columns.target_centre) / model->columns.target_scale;
        for (size_t j = 0; j < n; j++) {
            double square = 0;
            for (size_t d = 0; d < WIDTH; d++) square += pow(h[i * WIDTH + d] - h[j * WIDTH + d], 2);
            k[i * n + j] = alpha * exp(-square / (2 * length * length)) + (i == j ? noise_var : 0);
        }
    }
    assert_ok(una_chol(k, n, "the test", run), run);
    una_chol_solve(k, n, a, 1);

    for (size_t p = 0; p < 4; p++) {
        double want = 0;
        for (size_t i = 0; i < n; i++) {
            double square = 0;
            for (size_t d = 0; d < WIDTH; d++) square += pow(star[p * WIDTH + d] - h[i * WIDTH + d], 2);
            v[i] = alpha * exp(-square / (2 * length * length));
            want += v[i] * a[i];
        }
        una_chol_lower_solve(k, n, v, 1);
        assert_near(mean[p], want, 1e-7, 1e-8);
        assert_near(var[p], alpha - una_dot(v, v, n), 1e-7, 1e-8);
        assert_near(noise[p], noise_var, 1e-12, 0);
    }
}

static void process_on_the_last_layer(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(GP_ROWS - MORE, 0, run), *more = wave_data(MORE, GP_ROWS - MORE, run);
    una_dataset *all = wave_data(GP_ROWS, 0, run);
    una_model *model = fitted("sngp(width=6, features=15, steps=60, head=gp, noise_std=0.2, units=standardised, "
                              "prior_var=0.7, lengthscale=0.9)", data, NULL, run);

    assert_is_the_process(model, data, 0.7, 0.9, 0.04, run);
    assert_ok(una_model_update(model, more, run), run);          /* the same network, the posterior of all rows */
    assert_is_the_process(model, all, 0.7, 0.9, 0.04, run);
    una_model *copy = copied_model(model, run);
    assert_is_the_process(copy, all, 0.7, 0.9, 0.04, run);
    una_model_free(copy);
    una_model_free(model);

    model = fitted("sngp(width=6, features=15, steps=60, head=gp, noise_std=0.3, units=standardised)", data, &held_out,
                   run);
    assert_int_equal(((const una_basis *)member_state(model))->gp.rows, GP_ROWS - MORE); /* the held-out rows join */
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(more);
    una_dataset_free(all);
    una_run_free(run);
}

static void process_learns_and_doubts_far_away(void **state)
{
    skip_if_sanitized();
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -2, 2, 0.1, 250, run);
    una_model *model = fitted("sngp(width=20, features=100, steps=600, head=gp)", data, NULL, run);

    const una_fit_info *info = una_model_info(model);
    assert_true(info->valid_rmse < 0.2);
    assert_true(info->noise_std > 0.06 && info->noise_std < 0.2);        /* from rows that the features did not see */
    assert_true(std_between(model, 5, 6, run) > 5 * std_between(model, -1.5, 1.5, run));
    double far = std_between(model, 40, 50, run);                        /* back to the prior */
    assert_near(far, model->columns.target_scale, 0.05, 0);

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Nothing is trained if the covariances would not fit; an update that would not fit changes nothing. */
static void process_asks_for_memory_first(void **state)
{
    (void)state;
    una_run *run = quiet_run(), *poor = NULL;
    una_dataset *data = wave_data(1200, 0, run), *some = wave_data(300, 0, run), *more = wave_data(700, 2000, run);
    una_model *model = NULL;
    assert_ok(una_run_new(&poor, &SIZED(una_run_settings, .threads = 1, .memory_limit = 8000000)), NULL);

    const char *spec = "sngp(width=6, features=15, steps=1000000, head=gp)";
    assert_status(una_fit(&model, spec, data, NULL, poor), UNA_E_MEMORY, poor);
    assert_says(una_run_message(poor), "sngp with head=gp: the covariances of 1200 rows need");
    assert_says(una_run_message(poor), "MB are allowed");
    assert_says(una_run_message(poor), "head=exact needs no such matrix");
    assert_null(model);

    model = fitted("sngp(width=6, features=15, steps=20, head=gp, noise_std=0.1)", some, &held_out, poor);
    una_model *before = copied_model(model, run);
    assert_status(una_model_update(model, more, poor), UNA_E_MEMORY, poor);
    assert_says(una_run_message(poor), "sngp with head=gp: the covariances of 1000 rows need");
    assert_same_predictions(model, before, some, 0, run);

    una_model_free(model);
    una_model_free(before);
    una_dataset_free(data);
    una_dataset_free(some);
    una_dataset_free(more);
    una_run_free(poor);
    una_run_free(run);
}

/* Rows that stand twice, and hardly any noise: the diagonal gets what the factor needs, and a note says so. */
static void process_with_a_jitter(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[40], y[40];
    una_dataset *data = NULL;

    for (size_t i = 0; i < 40; i++) {
        x[i] = (double)(i / 2) / 10;
        y[i] = sin(x[i]);
    }
    assert_ok(una_dataset_from_arrays(&data, x, y, 40, 1, NULL, run), run);

    una_model *model = fitted("sngp(width=6, features=15, steps=20, head=gp, noise_std=1e-12)", data, &held_out, run);
    const una_fit_info *info = una_model_info(model);
    bool noted = false;
    for (size_t i = 0; i < info->note_count; i++) noted = noted || strstr(info->notes[i], "jitter");
    assert_true(noted);

    una_model *copy = copied_model(model, run);
    assert_same_predictions(model, copy, data, 0, run);
    una_model_free(copy);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Straight to the model: without held-out rows, and with numbers beyond a float. */
static void bare_fits(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    double x[] = { -1, -0.5, 0, 0.5, 1, 1.5 }, y[] = { 1, 0.2, 0, 0.3, 1.1, 2 };
    una_input input = { .level = SIZE_MAX, .scale = 1 };
    una_columns columns = { .target_scale = 1, .inputs = &input, .input_count = 1 };
    una_problem p = { .x = { x, 6, 1, 1 }, .y = y, .columns = &columns };

    for (int i = 0; i < 4; i++) {
        bool huge = i % 2;
        una_arena keep;
        una_sngp_options options;
        una_arena_init(&keep, run);
        una_fit_result result = { .warnings = { .arena = &keep } };
        void *model = una_arena_get(&keep, 1, sizeof(una_members));

        assert_ok(una_options_default(&options, una_kind_sngp.options, run), run);
        options.basis.common.steps = 20;
        options.basis.features = 8;
        options.basis.common.prior_var = UNA_AUTO;
        options.head = i / 2 ? UNA_POSTERIOR_PROCESS : UNA_POSTERIOR_EXACT;
        y[3] = huge ? 1e39 : 0.3;

        una_mark mark = una_arena_mark(&run->scratch);
        una_fit_target target = { model, &options, &result };
        una_fitting f = { .kind = &una_kind_sngp, .problem = &p, .target = &target, .keep = &keep, .run = run };
        assert_status(una_calls(&una_kind_sngp)->fit(&f), huge ? UNA_E_NUMERIC : UNA_OK, run);
        if (huge) assert_says(una_run_message(run), "diverged");
        else assert_near(result.noise_var, 0.09, 1e-12, 0);
        una_arena_release(&run->scratch, mark);
        una_arena_free(&keep);
    }
    una_run_free(run);
}

/* A head that does not fit the network is refused. */
static void damaged_states_are_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = quick_fit(&una_kind_sngp, data, run);
    una_model *other = fitted("sngp(width=5, features=7, steps=3)", data, NULL, run);
    una_basis mixed = *(una_basis *)member_state(model);
    mixed.head = ((una_basis *)member_state(other))->head;

    una_arena arena;
    una_archive out = {0};
    una_arena_init(&arena, run);
    assert_ok(una_archive_save_begin(&out, "{}", &arena, run), run);
    out.inputs = 2;
    assert_status(member_kind(model)->exchange(&mixed, &out), UNA_E_NUMERIC, run);     /* already when saving */
    assert_says(una_run_message(run), "does not fit the network");
    una_arena_free(&arena);
    una_model_free(model);
    una_model_free(other);

    model = fitted("sngp(width=5, features=12, steps=3, head=gp)", data, NULL, run);
    other = fitted("sngp(width=4, features=12, steps=3, head=gp)", data, NULL, run);
    mixed = *(una_basis *)member_state(model);
    mixed.gp = ((una_basis *)member_state(other))->gp;
    una_arena_init(&arena, run);
    assert_ok(una_archive_save_begin(&out, "{}", &arena, run), run);
    out.inputs = 2;
    assert_true(member_kind(model)->exchange(&mixed, &out) != UNA_OK);         /* a process on another width */
    assert_int_equal(out.inputs, 2);
    una_arena_free(&arena);
    una_model_free(model);
    una_model_free(other);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradient_against_differences),
        cmocka_unit_test(padding_stays_zero),
        cmocka_unit_test(slopes_against_differences),
        cmocka_unit_test(forward_by_hand),
        cmocka_unit_test(features_are_a_kernel),
        cmocka_unit_test(norm_against_an_eigenproblem),
        cmocka_unit_test(one_step_at_a_time),
        cmocka_unit_test(trained_weights_keep_the_bound),
        cmocka_unit_test(it_learns_and_doubts_far_away),
        cmocka_unit_test(laplace_head),
        cmocka_unit_test(laplace_sums_stand_for_all_rows),
        cmocka_unit_test(order_of_the_rows_does_not_matter),
        cmocka_unit_test(process_on_the_last_layer),
        cmocka_unit_test(process_learns_and_doubts_far_away),
        cmocka_unit_test(process_asks_for_memory_first),
        cmocka_unit_test(process_with_a_jitter),
        cmocka_unit_test(bare_fits),
        cmocka_unit_test(damaged_states_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
