/* SPDX-License-Identifier: MIT
 *
 * Mean-field variational inference: closed forms on linear-Gaussian problems, where the bound and its failure are known
 * exactly, then the model. A quadratic log-likelihood has its exact mean over q at eps of all signs +-1, so nothing
 * here is up to chance.
 */
#include "infer/vi.h"
#include "models/quick.h"
#include "train/sampled.h"
#include "ranks.h"

static void softplus_and_back(void **state)
{
    (void)state;
    for (double s = 1e-12; s < 1e4; s *= 3) assert_near(una_softplus(una_softplus_inverse(s)), s, 1e-12, 0);
    assert_near(una_softplus(0), log(2), 1e-15, 0);
    assert_true(una_softplus(800) == 800 && una_softplus(-800) >= 0);
}

/* KL = E_q [log q - log p], by 200,000 draws; and 0 where q is the prior. */
static void kl_agrees_with_draws(void **state)
{
    (void)state;
    skip_if_sanitized();
    enum { N = 3, DRAWS = 200000 };
    double mu[N] = { 0.5, -1, 2 }, rho[N] = { -2, 0.3, 1 }, var = 1.7, dmu[N], drho[N], sum = 0, square = 0;
    una_vi q = { N, var, mu, rho, dmu, drho }, value = { N, var, mu, rho, NULL, NULL };
    double kl = una_vi_kl(&q);
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);

    for (int k = 0; k < DRAWS; k++) {
        double term = 0;
        for (size_t i = 0; i < N; i++) {
            double s = una_softplus(rho[i]), e = una_rng_normal(&rng), theta = mu[i] + s * e;
            term += -log(s) - 0.5 * e * e + 0.5 * log(var) + theta * theta / (2 * var);
        }
        sum += term;
        square += term * term;
    }

    double mean = sum / DRAWS, error = sqrt((square / DRAWS - mean * mean) / DRAWS);
    assert_near(kl, mean, 0, 5 * error);

    for (size_t i = 0; i < N; i++) {
        const double h = 1e-5;
        double *at[] = { &mu[i], &rho[i] }, grad[] = { dmu[i], drho[i] };
        for (int k = 0; k < 2; k++) {
            double kept = *at[k];
            *at[k] = kept + h;
            double up = una_vi_kl(&value);
            *at[k] = kept - h;
            double down = una_vi_kl(&value);
            *at[k] = kept;
            assert_near(grad[k], (up - down) / (2 * h), 1e-7, 1e-8);
        }
        mu[i] = 0;
        rho[i] = una_softplus_inverse(sqrt(var));
    }

    assert_near(una_vi_kl(&q), 0, 0, 1e-12);
}

/* ---- y = w1 x1 + w2 x2 + e: everything is known ------------------------------------------------------------------ */

enum { POINTS = 12 };
typedef struct line { size_t weights; double x[POINTS][2], y[POINTS], noise_var; } line;

static una_status line_likelihood(void *context, const double *w, double *log_lik, double *gradient, una_run *run)
{
    const line *p = context;
    (void)run;
    *log_lik = -0.5 * POINTS * log(2 * 3.14159265358979323846 * p->noise_var);
    for (size_t d = 0; d < p->weights; d++) gradient[d] = 0;
    for (size_t i = 0; i < POINTS; i++) {
        double r = p->y[i];
        for (size_t d = 0; d < p->weights; d++) r -= w[d] * p->x[i][d];
        *log_lik -= r * r / (2 * p->noise_var);
        for (size_t d = 0; d < p->weights; d++) gradient[d] += r * p->x[i][d] / p->noise_var;
    }
    return UNA_OK;
}

static una_status failing_likelihood(void *context, const double *w, double *log_lik, double *gradient, una_run *run)
{
    (void)context, (void)w, (void)log_lik, (void)gradient, (void)run;
    return UNA_E_NUMERIC;
}

static const double signs[] = { 1, 1, 1, -1, -1, 1, -1, -1 };
static const double sign[] = { 1, -1 };

/* x2 leans on x1 by `lean`; weights from the prior N(0, 1). */
static line make_line(size_t weights, double lean, uint64_t index, double truth[2])
{
    line p = { .weights = weights, .noise_var = 0.25 };
    una_rng rng = una_rng_at(2, UNA_FOR_TEST, index);
    truth[0] = una_rng_normal(&rng);
    truth[1] = weights > 1 ? una_rng_normal(&rng) : 0;
    for (size_t i = 0; i < POINTS; i++) {
        p.x[i][0] = una_rng_normal(&rng);
        p.x[i][1] = weights > 1 ? lean * p.x[i][0] + sqrt(1 - lean * lean) * una_rng_normal(&rng) : 0;
        p.y[i] = truth[0] * p.x[i][0] + truth[1] * p.x[i][1] + 0.5 * una_rng_normal(&rng);
    }
    return p;
}

/* With prior variance 1: precision L of the posterior and its mean. */
static void exact_posterior(const line *p, double l[3], double mean[2])
{
    double b[2] = { 0, 0 };
    l[0] = l[2] = 1;
    l[1] = 0;

    for (size_t i = 0; i < POINTS; i++) {
        const double *x = p->x[i];
        l[0] += x[0] * x[0] / p->noise_var;
        l[1] += x[0] * x[1] / p->noise_var;
        l[2] += x[1] * x[1] / p->noise_var;
        for (int d = 0; d < 2; d++) b[d] += x[d] * p->y[i] / p->noise_var;
    }

    double det = l[0] * l[2] - l[1] * l[1];
    mean[0] = (l[2] * b[0] - l[1] * b[1]) / det;
    mean[1] = (l[0] * b[1] - l[1] * b[0]) / det;
}

static double loss_at(line *p, const double *mu, const double *rho, double *dmu, double *drho)
{
    double work[6];
    una_vi_terms terms;
    una_vi q = { p->weights, 1, mu, rho, dmu, drho };
    assert_int_equal(una_vi_loss(&q, p->weights == 1 ? sign : signs, p->weights == 1 ? 2 : 4,
                                 &(una_vi_target){ line_likelihood, p }, &terms, work, NULL), UNA_OK);
    assert_near(terms.loss, terms.kl - terms.log_lik, 1e-14, 0);
    return terms.loss;
}

/* The bound never passes the evidence, and with one weight it reaches it: q may be the posterior itself. */
static void bound_is_below_the_evidence(void **state)
{
    (void)state;
    double truth[2], l[3], mean[2], dmu[2], drho[2];
    line p = make_line(1, 0, 7, truth);
    exact_posterior(&p, l, mean);

    double xx = (l[0] - 1) * p.noise_var, xy = mean[0] * l[0] * p.noise_var, yy = 0;
    for (size_t i = 0; i < POINTS; i++) yy += p.y[i] * p.y[i];
    /* log N(y; 0, s2 I + x x'), by the determinant and inverse of a matrix of rank one plus a
     * multiple of the identity */
    double evidence = -0.5 * (POINTS * log(2 * 3.14159265358979323846 * p.noise_var) + log(1 + xx / p.noise_var)
                              + (yy - xy * xy / (p.noise_var + xx)) / p.noise_var);

    for (double mu = -2; mu <= 2; mu += 0.25)
        for (double s = 0.01; s < 3; s *= 1.7) {
            double rho = una_softplus_inverse(s);
            assert_true(-loss_at(&p, &mu, &rho, dmu, drho) < evidence);
        }

    double best = una_softplus_inverse(1 / sqrt(l[0]));
    assert_near(-loss_at(&p, mean, &best, dmu, drho), evidence, 1e-12, 0);
    assert_near(dmu[0], 0, 0, 1e-10);
    assert_near(drho[0], 0, 0, 1e-10);

    una_vi_terms terms;
    double work[3];
    assert_int_equal(una_vi_loss(&(una_vi){ 1, 1, mean, &best, dmu, drho }, sign, 2,
                                 &(una_vi_target){ failing_likelihood, NULL }, &terms, work, NULL),
                     UNA_E_NUMERIC);
}

static void bound_gradient_agrees_with_differences(void **state)
{
    (void)state;
    double truth[2], dmu[2], drho[2], unused[2], also[2], mu[2] = { 0.3, -0.4 }, rho[2] = { -1, 0.2 };
    line p = make_line(2, 0.9, 3, truth);
    loss_at(&p, mu, rho, dmu, drho);

    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            double *at = k ? &rho[i] : &mu[i], kept = *at, h = 1e-5;
            *at = kept + h;
            double up = loss_at(&p, mu, rho, unused, also);
            *at = kept - h;
            double down = loss_at(&p, mu, rho, unused, also);
            *at = kept;
            assert_near(k ? drho[i] : dmu[i], (up - down) / (2 * h), 1e-7, 1e-6);
        }
}

/* Descends on the exact bound. */
static void fit_line(line *p, double mu[2], double s[2])
{
    double rho[2] = { una_softplus_inverse(0.1), una_softplus_inverse(0.1) }, dmu[2], drho[2], l[3], unused[2];
    exact_posterior(p, l, unused);
    mu[0] = mu[1] = 0;
    for (int step = 0; step < 3000; step++) {
        loss_at(p, mu, rho, dmu, drho);
        for (int d = 0; d < 2; d++) {
            mu[d] -= dmu[d] / (l[0] + l[2]);
            rho[d] -= 0.5 * drho[d];
        }
    }
    for (int d = 0; d < 2; d++) s[d] = una_softplus(rho[d]);
}

/* The known failure: mean-field variances are 1/L_ii, the posterior's (L^-1)_ii: here 1 - c^2 times
 * it, c the correlation. */
static void variances_are_too_small(void **state)
{
    (void)state;
    double truth[2], l[3], mean[2], mu[2], s[2];
    line p = make_line(2, 0.95, 5, truth);
    exact_posterior(&p, l, mean);
    fit_line(&p, mu, s);
    double shrink = 1 - l[1] * l[1] / (l[0] * l[2]);
    for (int d = 0; d < 2; d++) {
        assert_near(mu[d], mean[d], 1e-6, 1e-8);         /* the mean is right ... */
        assert_near(s[d] * s[d], 1 / l[2 * d], 1e-6, 0);
    }
    print_message("mean-field variances are %.3f of the posterior's\n", shrink);
    assert_true(shrink < 0.3);                           /* ... and the variance far too small */
}

/* How far the ranks of the truth among draws are from uniform. */
static double rank_distance(size_t problems, bool exact)
{
    enum { DRAWS = 63 };
    size_t count[DRAWS + 1] = {0};

    for (size_t k = 0; k < problems; k++) {
        double truth[2], l[3], mean[2], mu[2], s[2];
        line p = make_line(2, 0.95, 1000 + k, truth);
        exact_posterior(&p, l, mean);
        fit_line(&p, mu, s);
        if (exact) s[0] = sqrt(l[2] / (l[0] * l[2] - l[1] * l[1]));

        una_rng rng = una_rng_at(3, UNA_FOR_TEST, k);
        size_t rank = 0;
        for (size_t i = 0; i < DRAWS; i++) rank += mu[0] + s[0] * una_rng_normal(&rng) < truth[0];
        count[rank]++;
    }
    return ranks_off(count, DRAWS + 1);
}

static void ranks_are_not_uniform(void **state)
{
    (void)state;
    skip_if_sanitized();
    bool whole = getenv("UNA_TEST_LONG") != NULL;
    size_t problems = whole ? 4000 : 200;
    double right = rank_distance(problems, true), field = rank_distance(problems, false);
    double band = ranks_band(problems, 0.01);
    print_message("%zu replicates: the ranks are off by %.3f for the exact posterior, by %.3f for mean field; "
                  "the 99 %% band is %.3f\n", problems, right, field, band);
    assert_true(right < band);
    assert_true(field > band);
    if (whole) assert_true(field > 2 * band);
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
    una_model *model = fitted("bbvi(width=20, activation=tanh, steps=1500, samples=4, draws=50)", data, NULL, run);

    const una_fit_info *info = una_model_info(model);
    print_message("rmse %.3f, noise %.3f, bound %.1f, %zu steps\n", info->valid_rmse, info->noise_std,
                  info->log_evidence, info->steps);
    assert_true(info->valid_rmse < 0.25);
    assert_true(info->noise_std > 0.05 && info->noise_std < 0.25);
    assert_int_equal(info->valid_rows, 120);
    assert_true(info->curve.count > 10 && info->curve.loss[info->curve.count - 1] < info->curve.loss[0]);

    double outside = std_between(model, 2, 3, run), inside = std_between(model, -0.5, 0.5, run);
    assert_true(inside > 0 && outside > inside);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Mean and epistemic std are those of the parts; each part is one of the functions. */
static void prediction_is_the_mixture_of_parts(void **state)
{
    (void)state;
    enum { ROWS = 7, PARTS = 12 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *few = wave_data(ROWS, 500, run);
    una_model *model = fitted("bbvi(width=6, steps=30, samples=2, draws=12, start_std=0.3)", data, NULL, run);
    double f[PARTS * ROWS], *p = predicted(model, few, run);
    size_t count;
    assert_ok(una_model_functions(model, few, &count, f, run), run);
    assert_int_equal(count, PARTS);

    for (size_t r = 0; r < ROWS; r++) {
        double mean = 0, square = 0;
        for (size_t s = 0; s < PARTS; s++) mean += f[s * ROWS + r] / PARTS;
        for (size_t s = 0; s < PARTS; s++) square += pow(f[s * ROWS + r] - mean, 2) / PARTS;
        assert_near(p[r], mean, 1e-12, 0);
        assert_near(p[2 * ROWS + r], sqrt(square), 1e-9, 0);
    }

    free(p);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(few);
    una_run_free(run);
}

/* A wide prior on the noise of training drowns the data: a warning says so. */
static void says_when_the_prior_wins(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = curve_data(wave, -1, 1, 0.1, 60, run);
    una_model *model = fitted("bbvi(width=10, steps=600, samples=2, draws=20, train_noise_std=100, validate=no)", data,
                              NULL, run);
    assert_true(warned(model, "explains almost nothing"));
    assert_int_equal(una_model_info(model)->valid_rows, 0);
    assert_near(una_model_info(model)->noise_std, 100, 1e-12, 0);        /* nothing held out: as in training */
    una_model_free(model);

    model = fitted("bbvi(width=10, steps=30, samples=2, draws=20, noise_std=0.0001)", data, NULL, run);
    assert_true(warned(model, "too narrow"));
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* A batch stands for all rows: with weights that neither move nor spread, the losses of the batches of an epoch have
 * the mean that the whole table has as its loss. */
static void batches_stand_for_all_rows(void **state)
{
    (void)state;
    const char *form = "bbvi(width=5, steps=120, batch=%d, rate=1e-9, start_std=1e-6, samples=1, draws=2, "
                       "train_noise_std=0.5, validate=no)";
    una_run *run = quiet_run();
    una_dataset *data = wave_data(100, 0, run);
    double loss[2] = {0};

    for (int k = 0; k < 2; k++) {
        char spec[256];
        snprintf(spec, sizeof spec, form, k ? 25 : 100);         /* 40 validations: one after every four steps */
        una_model *model = fitted(spec, data, NULL, run);
        const una_curve *curve = &una_model_info(model)->curve;
        assert_int_equal(curve->step[0], 4);
        loss[k] = curve->loss[0];
        una_model_free(model);
    }

    assert_near(loss[1], loss[0], 1e-4, 0);
    una_dataset_free(data);
    una_run_free(run);
}

/* Rows for validation only are not trained on, so one training is enough. */
static void validation_rows_stay_out(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(80, 0, run), *valid = wave_data(40, 900, run), *large = wave_data(5000, 0, run);
    const char *spec = "bbvi(width=6, steps=30, samples=2, draws=10, noise_std=0.5, units=own)";
    una_model *model = fitted(spec, data, &SIZED(una_fit_settings, .valid = valid), run);
    assert_int_equal(una_model_info(model)->valid_rows, 40);
    assert_int_equal(una_model_info(model)->steps, 30);
    una_model_free(model);

    model = fitted("bbvi(width=4, steps=4, samples=1, draws=3, batch=50)", large,
                   &SIZED(una_fit_settings, .valid_fraction = 0.9), run);
    assert_int_equal(una_model_info(model)->valid_rows, 4096);           /* the noise is chosen on no more */
    una_model_free(model);

    una_dataset_free(data);
    una_dataset_free(valid);
    una_dataset_free(large);
    una_run_free(run);
}

static void impossible_numbers_are_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = quick_fit(una_kind_find("bbvi"), data, run);
    una_sampled *m = member_state(model);
    double *wrong[] = { &m->noise_var, &m->prior_var, &m->numbers[m->count - 1] };

    for (int i = 0; i < 3; i++) {
        double kept = *wrong[i];
        void *bytes = NULL;
        size_t size;
        *wrong[i] = -1;
        assert_int_not_equal(una_model_save_memory(model, &bytes, &size, run), UNA_OK);
        assert_null(bytes);
        *wrong[i] = kept;
    }

    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(softplus_and_back),
        cmocka_unit_test(kl_agrees_with_draws),
        cmocka_unit_test(bound_is_below_the_evidence),
        cmocka_unit_test(bound_gradient_agrees_with_differences),
        cmocka_unit_test(variances_are_too_small),
        cmocka_unit_test(ranks_are_not_uniform),
        cmocka_unit_test(fits_a_curve),
        cmocka_unit_test(prediction_is_the_mixture_of_parts),
        cmocka_unit_test(says_when_the_prior_wins),
        cmocka_unit_test(validation_rows_stay_out),
        cmocka_unit_test(batches_stand_for_all_rows),
        cmocka_unit_test(impossible_numbers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
