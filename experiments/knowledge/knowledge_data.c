/* SPDX-License-Identifier: MIT
 *
 * The rows of each part, by its name and a seed, and what is measured of a fit to them:
 *   sine   60 rows of a sin(w x + p) + N(0, 0.3^2) on [0, 10]; a ~ N(2, 0.2^2), a period near 5, w ~ N(1.2566,
 *          0.0251^2), p uniform: what a person knows of the curve is that law, and so are the references. Judged on
 *          two periods beyond the rows on either side, [-10, 0] and [10, 20]
 *   strip  200 rows of x1^3 + N(0, 0.5^2) in a disc of radius 2; the epistemic std on 33 x 33 points of [-4, 4]^2
 *   prior  40 rows on [-3, 3] of a draw from a process with the kernel rbf(length=1), noise 0.1: the features never see
 *          them. The model's prior against that process at 31 points
 *   tune   60 rows of such a draw with noise 0.2 on [-4, -1] and [1, 4]; judged by 200 fresh rows of [-4, 4]
 */
#include "knowledge/knowledge.h"

#include "gp/kernel.h"
#include "la/la.h"

enum { SINE_ROWS = 60, SINE_NEAR = 100, SINE_BEYOND = 160, STRIP_ROWS = 200, PRIOR_ROWS = 40, TUNE_ROWS = 60,
       TUNE_TEST = 200, ENERGY_DRAWS = 600, KL_DRAWS = 6000 };
static const double pi = 3.14159265358979323846, sine_noise = 0.3, strip_noise = 0.5, prior_noise = 0.1,
                    tune_noise = 0.2, disc = 2, outside = 3, side = 4, kl_noise_var = 0.01;

static double uniform(una_rng *rng, double low, double high)
{
    return low + (high - low) * una_rng_uniform(rng);
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

typedef struct wave { double height, speed, phase; } wave;

static void put_wave(una_truth *t, const wave *w, una_rng *noise)
{
    for (size_t i = 0; i < t->rows; i++) {
        t->f[i] = w->height * sin(w->speed * t->x[i] + w->phase);
        t->noise[i] = sine_noise;
    }
    una_truth_add_noise(t, noise);
}

static una_status make_sine(una_know_rows *r, una_rng *rng, una_rng *noise, una_arena *arena)
{
    UNA_TRY(una_truth_new(&r->train, SINE_ROWS, 1, arena));
    UNA_TRY(una_truth_new(&r->near, SINE_NEAR, 1, arena));
    UNA_TRY(una_truth_new(&r->beyond, SINE_BEYOND, 1, arena));
    wave w = { .height = 2 + 0.2 * una_rng_normal(rng) };
    w.speed = 1.2566 + 0.0251 * una_rng_normal(rng);
    w.phase = uniform(rng, 0, 2 * pi);

    for (size_t i = 0; i < SINE_ROWS; i++) r->train.x[i] = uniform(rng, 0, 10);
    for (size_t i = 0; i < SINE_NEAR; i++) r->near.x[i] = 10 * ((double)i + 0.5) / SINE_NEAR;
    for (size_t i = 0; i < SINE_BEYOND / 2; i++) {
        double away = 10 * ((double)i + 0.5) / (SINE_BEYOND / 2);
        r->beyond.x[i] = -away;
        r->beyond.x[SINE_BEYOND / 2 + i] = 10 + away;
    }
    put_wave(&r->train, &w, noise);
    put_wave(&r->near, &w, noise);
    put_wave(&r->beyond, &w, noise);
    return UNA_OK;
}

static una_status make_strip(una_know_rows *r, una_rng *rng, una_rng *noise, una_arena *arena)
{
    UNA_TRY(una_truth_new(&r->train, STRIP_ROWS, 2, arena));
    for (size_t i = 0; i < STRIP_ROWS; i++) {
        double radius = disc * sqrt(una_rng_uniform(rng)), angle = uniform(rng, 0, 2 * pi);
        double x1 = radius * cos(angle);
        r->train.x[2 * i] = x1;
        r->train.x[2 * i + 1] = radius * sin(angle);
        r->train.f[i] = x1 * x1 * x1;
        r->train.noise[i] = strip_noise;
    }
    una_truth_add_noise(&r->train, noise);
    return UNA_OK;
}

/* f [draws, n]: functions of the process with kernel rbf(length=1). */
static una_status draw_process(double *f, size_t draws, const double *x, size_t n, una_rng *rng, una_run *run)
{
    static const char *const name = "x";
    una_kernel_inputs inputs = { .name = &name, .count = 1 };
    una_kernel *kernel;
    UNA_NEW(&run->scratch, double, drawn, n * draws);
    UNA_TRY(una_kernel_parse(&kernel, "rbf(length=1)", &inputs, &run->scratch, run));
    UNA_TRY(una_gp_prior_draws(kernel, (una_view){ x, n, 1, 1 }, draws, rng, drawn, NULL, run));
    for (size_t d = 0; d < draws; d++)
        for (size_t i = 0; i < n; i++) f[d * n + i] = drawn[i * draws + d];
    return UNA_OK;
}

static una_status make_prior(una_know_rows *r, una_rng *rng, una_rng *noise, una_arena *arena, una_run *run)
{
    UNA_TRY(una_truth_new(&r->train, PRIOR_ROWS, 1, arena));
    for (size_t i = 0; i < PRIOR_ROWS; i++) {
        r->train.x[i] = uniform(rng, -3, 3);
        r->train.noise[i] = prior_noise;
    }
    UNA_TRY(draw_process(r->train.f, 1, r->train.x, PRIOR_ROWS, rng, run));
    una_truth_add_noise(&r->train, noise);
    return UNA_OK;
}

static una_status make_tune(una_know_rows *r, una_rng *rng, una_rng *noise, una_arena *arena, una_run *run)
{
    double x[TUNE_ROWS + TUNE_TEST], f[TUNE_ROWS + TUNE_TEST];
    UNA_TRY(una_truth_new(&r->train, TUNE_ROWS, 1, arena));
    UNA_TRY(una_truth_new(&r->beyond, TUNE_TEST, 1, arena));
    for (size_t i = 0; i < TUNE_ROWS; i++) x[i] = i % 2 ? uniform(rng, 1, 4) : uniform(rng, -4, -1);
    for (size_t i = 0; i < TUNE_TEST; i++) x[TUNE_ROWS + i] = uniform(rng, -4, 4);
    UNA_TRY(draw_process(f, 1, x, TUNE_ROWS + TUNE_TEST, rng, run));

    una_truth *part[] = { &r->train, &r->beyond };
    for (size_t p = 0, from = 0; p < 2; from += part[p++]->rows) {
        for (size_t i = 0; i < part[p]->rows; i++) {
            part[p]->x[i] = x[from + i];
            part[p]->f[i] = f[from + i];
            part[p]->noise[i] = tune_noise;
        }
        una_truth_add_noise(part[p], noise);
    }
    return UNA_OK;
}

una_status una_know_rows_make(una_know_rows *rows, const char *part, uint64_t seed, una_arena *arena, una_run *run)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, 0), noise = una_rng_at(seed, UNA_FOR_DATA, 1);
    *rows = (una_know_rows){ .train = { .rows = 0 } };
    if (strcmp(part, "sine") == 0) return make_sine(rows, &rng, &noise, arena);
    if (strcmp(part, "strip") == 0) return make_strip(rows, &rng, &noise, arena);
    if (strcmp(part, "prior") == 0) return make_prior(rows, &rng, &noise, arena, run);
    if (strcmp(part, "tune") == 0) return make_tune(rows, &rng, &noise, arena, run);
    UNA_FAIL(run, UNA_E_USAGE, "knowledge has no part '%.60s'; its parts are sine, strip, prior and tune", part);
}

una_status una_know_fit(una_model **model, una_know_rows *rows, const una_row_key *key, una_run *run)
{
    UNA_TRY(una_know_rows_make(rows, key->data, key->seed, &run->scratch, run));
    return una_truth_fit(model, key->spec, &rows->train, run);
}

/* ---- distances between distributions of functions ------------------------------------------------------------ */

static double gap(const double *a, const double *b, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < size; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (double)size);
}

static double mean_within(const double *a, size_t count, size_t size)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++) sum += gap(a + i * size, a + j * size, size);
    return 2 * sum / ((double)count * (double)(count - 1));
}

double una_energy_distance(const double *a, size_t na, const double *b, size_t nb, size_t size)
{
    double across = 0;
    for (size_t i = 0; i < na; i++)
        for (size_t j = 0; j < nb; j++) across += gap(a + i * size, b + j * size, size);
    return 2 * across / ((double)na * (double)nb) - mean_within(a, na, size) - mean_within(b, nb, size);
}

una_status una_gaussian_kl(double *kl, const double *p, const double *q, size_t size, una_run *run)
{
    size_t bytes = size * size * sizeof(double);
    UNA_NEW(&run->scratch, double, lp, size * size);
    UNA_NEW(&run->scratch, double, lq, size * size);
    memcpy(lp, p, bytes);
    memcpy(lq, q, bytes);
    UNA_TRY(una_chol(lp, size, "the first covariance", run));
    UNA_TRY(una_chol(lq, size, "the second covariance", run));
    double log_ratio = una_chol_logdet(lq, size) - una_chol_logdet(lp, size), trace = 0;
    una_chol_lower_solve(lq, size, lp, size);            /* tr(Q^-1 P) = |Lq^-1 Lp|^2 */
    for (size_t i = 0; i < size * size; i++) trace += lp[i] * lp[i];
    *kl = (trace - (double)size + log_ratio) / 2;
    return UNA_OK;
}

void una_second_moment(double *cov, const double *f, size_t count, size_t size)
{
    memset(cov, 0, size * size * sizeof *cov);
    una_gram_add(cov, f, count, size, NULL);
    for (size_t i = 0; i < size * size; i++) cov[i] /= (double)count;
}

/* ---- measures ------------------------------------------------------------------------------------------------ */

/* How far the mean still goes beyond the rows: its root mean square around the rows' mean, over that of the truth. */
static una_status measure_pull(double *pull, const una_model *model, const una_know_rows *r, una_run *run)
{
    double mean[SINE_BEYOND], predicted_wave = 0, true_wave = 0, centre, scale;
    una_prediction out = { .size = sizeof out, .mean = mean };
    una_moments(&centre, &scale, r->train.y, r->train.rows);
    UNA_TRY(una_model_predict_rows(model, r->beyond.x, SINE_BEYOND, 0.95, &out, run));
    for (size_t i = 0; i < SINE_BEYOND; i++) {
        predicted_wave += (mean[i] - centre) * (mean[i] - centre);
        true_wave += (r->beyond.f[i] - centre) * (r->beyond.f[i] - centre);
    }
    *pull = sqrt(predicted_wave / true_wave);
    return UNA_OK;
}

static una_status measure_sine(double *value, const una_model *model, const una_know_rows *r, una_run *run)
{
    una_truth_scores near, beyond;
    UNA_TRY(una_truth_score(&near, model, &r->near, run));
    UNA_TRY(una_truth_score(&beyond, model, &r->beyond, run));
    value[UNA_KNOW_LOG_LIK] = beyond.log_lik;
    value[UNA_KNOW_ERROR] = beyond.error;
    value[UNA_KNOW_BEYOND_STD] = beyond.std_epistemic;
    value[UNA_KNOW_NEAR_STD] = near.std_epistemic;
    value[UNA_KNOW_INSIDE] = beyond.inside;
    return measure_pull(&value[UNA_KNOW_PULL], model, r, run);
}

double una_strip_place(size_t i)
{
    return -side + 2 * side * (double)i / (UNA_STRIP_SIDE - 1);
}

una_status una_strip_square(double *std, const una_model *model, una_run *run)
{
    double x[2 * UNA_STRIP_SIDE * UNA_STRIP_SIDE];
    una_prediction out = { .size = sizeof out, .std_epistemic = std };
    for (size_t i = 0; i < UNA_STRIP_SIDE; i++)
        for (size_t j = 0; j < UNA_STRIP_SIDE; j++) {
            x[2 * (i * UNA_STRIP_SIDE + j)] = una_strip_place(i);
            x[2 * (i * UNA_STRIP_SIDE + j) + 1] = una_strip_place(j);
        }
    return una_model_predict_rows(model, x, UNA_STRIP_SIDE * UNA_STRIP_SIDE, 0.95, &out, run);
}

/* Largest less smallest std on a line along one input, mean over the lines. */
static double std_variation_on_lines(const double *std, size_t line, size_t step)
{
    double sum = 0;
    for (size_t k = 0; k < UNA_STRIP_SIDE; k++) {
        double low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t i = 0; i < UNA_STRIP_SIDE; i++) {
            low = fmin(low, std[k * line + i * step]);
            high = fmax(high, std[k * line + i * step]);
        }
        sum += high - low;
    }
    return sum / UNA_STRIP_SIDE;
}

static una_status measure_strip(double *value, const una_model *model, una_run *run)
{
    double std[UNA_STRIP_SIDE * UNA_STRIP_SIDE], on = 0, off = 0, on_count = 0, off_count = 0;
    UNA_TRY(una_strip_square(std, model, run));
    for (size_t i = 0; i < UNA_STRIP_SIDE; i++)
        for (size_t j = 0; j < UNA_STRIP_SIDE; j++) {
            double radius = hypot(una_strip_place(i), una_strip_place(j)), here = std[i * UNA_STRIP_SIDE + j];
            if (radius < disc) on += here, on_count++;
            if (radius > outside) off += here, off_count++;
        }
    value[UNA_KNOW_ALONG_X1] = std_variation_on_lines(std, 1, UNA_STRIP_SIDE);
    value[UNA_KNOW_ALONG_X2] = std_variation_on_lines(std, UNA_STRIP_SIDE, 1);
    value[UNA_KNOW_ALONG_RATIO] = value[UNA_KNOW_ALONG_X2] / value[UNA_KNOW_ALONG_X1];
    value[UNA_KNOW_DISC_STD] = on / on_count;
    value[UNA_KNOW_OUTSIDE_STD] = off / off_count;
    return UNA_OK;
}

double una_prior_place(size_t i)
{
    return -3 + 6 * (double)i / (UNA_PRIOR_POINTS - 1);
}

una_status una_prior_of_model(double *f, size_t draws, const una_model *model, const una_truth *train, una_run *run)
{
    static const char *const name = "x";
    double x[UNA_PRIOR_POINTS], centre, scale;
    una_dataset *data;
    una_moments(&centre, &scale, train->y, train->rows);
    for (size_t i = 0; i < UNA_PRIOR_POINTS; i++) x[i] = una_prior_place(i);
    UNA_TRY(una_dataset_from_arrays(&data, x, NULL, UNA_PRIOR_POINTS, 1, &name, run));
    UNA_TRY(una_keep_dataset(&run->scratch, data));
    UNA_TRY(una_model_draw(model, data, draws, 1, f, run));
    for (size_t i = 0; i < draws * UNA_PRIOR_POINTS; i++) f[i] = (f[i] - centre) / scale;
    return UNA_OK;
}

una_status una_prior_of_process(double *f, size_t draws, uint64_t seed, una_run *run)
{
    double x[UNA_PRIOR_POINTS];
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, 2);
    for (size_t i = 0; i < UNA_PRIOR_POINTS; i++) x[i] = una_prior_place(i);
    return draw_process(f, draws, x, UNA_PRIOR_POINTS, &rng, run);
}

/* Of noisy functions, so that both covariances have factors: kl_noise_var on both diagonals. */
static una_status measure_kl(double *kl, const double *f, una_run *run)
{
    enum { N = UNA_PRIOR_POINTS };
    double target[N * N], own[N * N];
    una_second_moment(own, f, KL_DRAWS, N);
    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++) {
            double away = una_prior_place(i) - una_prior_place(j);
            target[i * N + j] = exp(-away * away / 2);
        }
    for (size_t i = 0; i < N; i++) target[i * N + i] += kl_noise_var, own[i * N + i] += kl_noise_var;
    UNA_TRY(una_gaussian_kl(kl, target, own, N, run));
    *kl /= N;
    return UNA_OK;
}

static una_status measure_prior(double *value, const una_model *model, const una_know_rows *r, uint64_t seed,
                                una_run *run)
{
    UNA_NEW(&run->scratch, double, own, (size_t)KL_DRAWS * UNA_PRIOR_POINTS);
    UNA_NEW(&run->scratch, double, aim, (size_t)ENERGY_DRAWS * UNA_PRIOR_POINTS);
    UNA_TRY(una_prior_of_model(own, KL_DRAWS, model, &r->train, run));
    UNA_TRY(una_prior_of_process(aim, ENERGY_DRAWS, seed, run));
    value[UNA_KNOW_ENERGY] = una_energy_distance(own, ENERGY_DRAWS, aim, ENERGY_DRAWS, UNA_PRIOR_POINTS);
    return measure_kl(&value[UNA_KNOW_KL], own, run);
}

/* The length of the references, as the fitted model's spec has it. */
static double length_in(const char *spec)
{
    double length = NAN;
    const char *at = strstr(spec, "length=");
    if (at) una_parse_number(at + 7, strspn(at + 7, "0123456789.e-+"), &length);
    return length;
}

static una_status measure_tune(double *value, const una_model *model, const una_know_rows *r, una_run *run)
{
    una_truth_scores test;
    UNA_TRY(una_truth_score(&test, model, &r->beyond, run));
    value[UNA_KNOW_LOG_LIK] = test.log_lik;
    value[UNA_KNOW_ERROR] = test.error;
    value[UNA_KNOW_INSIDE] = test.inside;
    value[UNA_KNOW_LENGTH] = length_in(una_model_info(model)->spec);
    return UNA_OK;
}

una_status una_know_measure(const una_measuring *m)
{
    una_know_rows rows;
    una_model *model;
    double *value = m->outcome->value;
    const char *part = m->key->data;
    UNA_TRY(una_know_fit(&model, &rows, m->key, m->run));
    if (strcmp(part, "sine") == 0) UNA_TRY(measure_sine(value, model, &rows, m->run));
    if (strcmp(part, "strip") == 0) UNA_TRY(measure_strip(value, model, m->run));
    if (strcmp(part, "prior") == 0) UNA_TRY(measure_prior(value, model, &rows, m->key->seed, m->run));
    if (strcmp(part, "tune") == 0) UNA_TRY(measure_tune(value, model, &rows, m->run));
    return una_outcome_take(m->outcome, model);
}
