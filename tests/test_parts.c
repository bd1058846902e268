/* SPDX-License-Identifier: MIT
 *
 * The function as the mixture that a model takes it for (una_model_parts), and one function drawn of it
 * (una_model_sample), for every model of the registry: parts add up to the prediction, slopes are those of the parts,
 * draws have the mean and covariance of the posterior.
 */
#include "models/quick.h"

#include "train/basis.h"

enum { COLUMNS = 2, ROWS = 60, POINTS = 5, MOST_PARTS = 16, DRAWS = 2000 };

static const double points[POINTS * COLUMNS] = { 0.4, -0.3, 1.2, 1.1, -1.7, 0.2, 2.5, -2.5, 0, 0 };

typedef struct mixture {
    double weight[MOST_PARTS], mean[POINTS * MOST_PARTS], std[POINTS * MOST_PARTS];
    double dmean[POINTS * MOST_PARTS * COLUMNS], dstd[POINTS * MOST_PARTS * COLUMNS];
} mixture;

static size_t ask(mixture *m, const una_model *model, const double *x, size_t rows, bool slopes, una_run *run)
{
    size_t parts = una_model_part_count(model);
    assert_in_range(parts, 1, MOST_PARTS);
    una_parts out = { .size = sizeof out, .weight = m->weight, .mean = m->mean, .std = m->std,
                      .dmean = slopes ? m->dmean : NULL, .dstd = slopes ? m->dstd : NULL };
    assert_ok(una_model_parts(model, x, rows, &out, run), run);
    return parts;
}

/* ---- parts -------------------------------------------------------------------------------------------------- */

/* The mean of the parts, and the law of total variance. */
static void parts_add_up(const una_model *model, una_run *run)
{
    mixture m;
    double mean[POINTS], std[POINTS], sum = 0;
    size_t parts = ask(&m, model, points, POINTS, false, run);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    assert_ok(una_model_predict_rows(model, points, POINTS, 0.95, &out, run), run);
    for (size_t k = 0; k < parts; k++) sum += m.weight[k];
    assert_near(sum, 1, 1e-12, 0);

    for (size_t r = 0; r < POINTS; r++) {
        double mu = 0, var = 0;
        for (size_t k = 0; k < parts; k++) mu += m.weight[k] * m.mean[r * parts + k];
        for (size_t k = 0; k < parts; k++)
            var += m.weight[k] * (pow(m.std[r * parts + k], 2) + pow(m.mean[r * parts + k] - mu, 2));
        assert_near(mu, mean[r], 1e-12, 1e-12);
        assert_near(sqrt(var), std[r], 1e-9, 1e-9);
    }
}

/* With slopes or without, one by one or together: the same numbers, up to float in what a network's own head says. */
static void however_they_are_asked(const una_model *model, una_run *run)
{
    mixture all, one, with;
    size_t parts = ask(&all, model, points, POINTS, false, run);
    ask(&with, model, points, POINTS, true, run);
    assert_arrays_near(with.mean, all.mean, POINTS * parts, 1e-6, 1e-6);
    assert_arrays_near(with.std, all.std, POINTS * parts, 1e-6, 1e-6);
    for (size_t r = 0; r < POINTS; r++) {
        ask(&one, model, points + r * COLUMNS, 1, false, run);
        assert_memory_equal(one.mean, all.mean + r * parts, parts * sizeof(double));
        assert_memory_equal(one.std, all.std + r * parts, parts * sizeof(double));
    }
}

static void slopes_are_those_of_parts(const una_model *model, una_run *run)
{
    const double h = 0.01;
    mixture m, near;
    double x[COLUMNS];
    size_t parts = ask(&m, model, points, POINTS, true, run);
    for (size_t d = 0; d < COLUMNS; d++) {
        double mean[2][MOST_PARTS], std[2][MOST_PARTS];
        memcpy(x, points, sizeof x);
        for (int side = 0; side < 2; side++) {
            x[d] = points[d] + (side ? h : -h);
            ask(&near, model, x, 1, false, run);
            memcpy(mean[side], near.mean, sizeof mean[side]);
            memcpy(std[side], near.std, sizeof std[side]);
        }
        for (size_t k = 0; k < parts; k++) {
            assert_near(m.dmean[k * COLUMNS + d], (mean[1][k] - mean[0][k]) / (2 * h), 2e-3, 2e-3);
            assert_near(m.dstd[k * COLUMNS + d], (std[1][k] - std[0][k]) / (2 * h), 2e-3, 2e-3);
        }
    }
}

/* The same with a single array asked for, and more rows than are taken at once. */
static void many_rows(const una_model *model, una_run *run)
{
    enum { MANY = 14000 };
    size_t parts = una_model_part_count(model);
    double *x = malloc(MANY * COLUMNS * sizeof *x), *mean = malloc(MANY * parts * sizeof *mean), weight[MOST_PARTS];
    mixture m;
    ask(&m, model, points, POINTS, false, run);
    for (size_t i = 0; i < MANY * COLUMNS; i++) x[i] = points[i % (POINTS * COLUMNS)];
    una_parts out = { .size = sizeof out, .weight = weight, .mean = mean };
    assert_ok(una_model_parts(model, x, MANY, &out, run), run);
    for (size_t i = 0; i < MANY * parts; i++) assert_true(mean[i] == m.mean[i % (POINTS * parts)]);
    free(x);
    free(mean);
}

static void refusals(const una_model *model, una_run *run)
{
    mixture m;
    double x[2 * COLUMNS] = { 0, 0, 0, NAN };
    una_parts out = { .size = sizeof out, .weight = m.weight, .mean = m.mean };
    assert_status(una_model_parts(model, x, 2, &out, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 2, column 'x2'");
    assert_status(una_model_parts(model, x, 0, &out, run), UNA_E_USAGE, run);
    out.size = 0;
    assert_status(una_model_parts(model, x, 1, &out, run), UNA_E_USAGE, run);
}

static void every_kind(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run), *words = mixed_data(30, run);
    for (size_t k = 0; una_kinds[k]; k++)
        for (quick_choice = 0; quick_choice < quick_choices(una_kinds[k]->name); quick_choice++) {
            const char *smooth = has_option(una_kinds[k], "activation") ? "activation=tanh" : NULL;
            una_model *model = fitted(quick_spec(una_kinds[k]->name, smooth), data, NULL, run);
            parts_add_up(model, run);
            however_they_are_asked(model, run);
            slopes_are_those_of_parts(model, run);
            refusals(model, run);
            if (strcmp(una_kinds[k]->name, "linear") == 0 || strcmp(una_kinds[k]->name, "luna") == 0)
                many_rows(model, run);
            una_model_free(model);
        }

    quick_choice = 0;
    una_model *model = fitted("linear", words, &mixed_settings, run);
    mixture m;
    una_parts out = { .size = sizeof out, .weight = m.weight, .mean = m.mean };
    assert_status(una_model_parts(model, points, 1, &out, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "colour");
    una_model_free(model);
    una_dataset_free(words);
    una_dataset_free(data);
    una_run_free(run);
}

/* A part for each member that has ignorance of its own, members of members too; else one. */
static void who_has_parts(void **state)
{
    static const struct { const char *spec; size_t parts; bool sure; } what[] = {
        { "luna(width=6, heads=3, steps=20, members=6)", 6, false },
        { "nlm(width=6, steps=20, members=1)", 1, false },
        { "gp(noise=constant)", 1, false },
        { "ensemble(members=3, of=linear)", 3, false },
        { "ensemble(members=2, of=nlm(width=6, steps=20, members=2))", 4, false },
        { "ensemble(members=3, of=nn(width=6, steps=20, members=1))", 1, false },
        { "nn(width=6, steps=20, members=3)", 1, false },
        { "nn(width=6, steps=20, members=1)", 1, true },
        { "mcd(width=6, steps=20, passes=60, dropout=0.3, members=3)", 3, false },
        { "hmc(width=3, warmup=20, samples=20, thin=1, max_depth=4, start_steps=50)", 1, false },
    };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        una_model *model = fitted(what[i].spec, data, NULL, run);
        mixture m;
        assert_int_equal(ask(&m, model, points, POINTS, true, run), what[i].parts);
        for (size_t k = 0; k < POINTS * what[i].parts; k++)
            if ((m.std[k] == 0) != what[i].sure) fail_msg("%s, part %zu: %g", what[i].spec, k, m.std[k]);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- samples ------------------------------------------------------------------------------------------------ */

static una_model *drawn(const una_model *model, uint64_t index, una_run *run)
{
    una_model *function = NULL;
    assert_ok(una_model_sample(&function, model, index, run), run);
    return function;
}

/* f [DRAWS, POINTS] */
static double *many_functions(const una_model *model, una_run *run)
{
    double *f = malloc(DRAWS * POINTS * sizeof *f);
    for (size_t s = 0; s < DRAWS; s++) {
        una_model *function = drawn(model, s, run);
        una_prediction out = { .size = sizeof out, .mean = f + s * POINTS };
        assert_ok(una_model_predict_rows(function, points, POINTS, 0.95, &out, run), run);
        una_model_free(function);
    }
    return f;
}

/* Means within 4.5 standard errors, covariances within 4.5 of a Gaussian's (mixtures have larger ones: `heavy`). */
static void check_moments(const double *f, const double *mean, const double *cov, double heavy)
{
    double got[POINTS] = {0};
    for (size_t s = 0; s < DRAWS; s++)
        for (size_t r = 0; r < POINTS; r++) got[r] += f[s * POINTS + r] / DRAWS;
    for (size_t r = 0; r < POINTS; r++) {
        assert_near(got[r], mean[r], 0, 4.5 * sqrt(cov[r * POINTS + r] / DRAWS));
        for (size_t q = 0; q <= r; q++) {
            double sum = 0, own = cov[r * POINTS + r] * cov[q * POINTS + q], both = cov[r * POINTS + q];
            for (size_t s = 0; s < DRAWS; s++)
                sum += (f[s * POINTS + r] - got[r]) * (f[s * POINTS + q] - got[q]) / DRAWS;
            assert_near(sum, both, 0, heavy * 4.5 * sqrt((own + both * both) / DRAWS));
        }
    }
}

/* Under a prior that says nothing the posterior is that of least squares: mean b = (X'X)^-1 X'y, covariance
 * s2 (X'X)^-1, in whatever units. */
static void least_squares(void **state)
{
    (void)state;
    enum { K = 3 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("linear(noise_std=0.4, prior_var=1e9, noise=constant)", data, NULL, run);
    double gram[K * K] = {0}, b[K] = {0}, v[K * POINTS], mean[POINTS], cov[POINTS * POINTS], *f;
    double phi[POINTS * K];

    for (size_t i = 0; i < ROWS; i++) {
        double row[K] = { 1, una_dataset_numbers(data, 0)[i], una_dataset_numbers(data, 1)[i] };
        for (size_t j = 0; j < K; j++) {
            b[j] += row[j] * una_dataset_numbers(data, 2)[i];
            for (size_t l = 0; l < K; l++) gram[j * K + l] += row[j] * row[l];
        }
    }
    assert_ok(una_chol(gram, K, "X'X", run), run);
    una_chol_solve(gram, K, b, 1);
    for (size_t r = 0; r < POINTS; r++) {
        double row[K] = { 1, points[r * COLUMNS], points[r * COLUMNS + 1] };
        memcpy(phi + r * K, row, sizeof row);
        memcpy(v + r * K, row, sizeof row);
        una_chol_solve(gram, K, v + r * K, 1);
        mean[r] = una_dot(row, b, K);
    }
    for (size_t r = 0; r < POINTS; r++)
        for (size_t q = 0; q < POINTS; q++) cov[r * POINTS + q] = 0.16 * una_dot(phi + r * K, v + q * K, K);

    f = many_functions(model, run);
    check_moments(f, mean, cov, 1);
    free(f);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Of learnt features: phi'm and phi'V phi, by solving with the precision's factor. */
static void posterior_of_features(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("nlm(width=6, steps=40, members=1, activation=tanh, relevance=off)", data, NULL, run);
    const una_basis *basis = member_state(model);
    const una_columns *c = &model->columns;
    size_t k = basis->head.stats.features;
    double x[POINTS * 2], mean[POINTS], cov[POINTS * POINTS], v[64], *f = many_functions(model, run);
    una_view phi;
    assert_true(k <= 64 && c->input_count == 2);

    for (size_t r = 0; r < POINTS; r++)
        for (size_t d = 0; d < 2; d++)
            x[r * 2 + d] = (points[r * COLUMNS + c->inputs[d].source] - c->inputs[d].centre) / c->inputs[d].scale;
    assert_ok(una_basis_phi(basis, (una_view){ x, POINTS, 2, 2 }, &phi, run), run);
    for (size_t r = 0; r < POINTS; r++) {
        mean[r] = c->target_centre + c->target_scale * una_dot(phi.at + r * k, basis->head.mean, k);
        memcpy(v, phi.at + r * k, k * sizeof *v);
        una_chol_solve(basis->head.chol, k, v, 1);
        for (size_t q = 0; q < POINTS; q++)
            cov[r * POINTS + q] = c->target_scale * c->target_scale * una_dot(phi.at + q * k, v, k);
    }
    check_moments(f, mean, cov, 1);
    free(f);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Members by their weights: covariances of the mixture, from the members' own draws at these rows. */
static void functions_of_a_committee(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("luna(width=6, heads=3, steps=30, members=4, relevance=on, growth_below=0, "
                              "growth_above=0)", data, NULL, run);
    double mean[POINTS], std[POINTS], *f = many_functions(model, run);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    assert_ok(una_model_predict_rows(model, points, POINTS, 0.95, &out, run), run);
    for (size_t r = 0; r < POINTS; r++) {
        double sum = 0, square = 0, fourth = 0;
        for (size_t s = 0; s < DRAWS; s++) {
            double off = f[s * POINTS + r] - mean[r];
            sum += off / DRAWS;
            square += off * off / DRAWS;
            fourth += pow(off, 4) / DRAWS;
        }
        assert_near(sum, 0, 0, 4.5 * std[r] / sqrt(DRAWS));
        assert_near(square, std[r] * std[r], 0, 4.5 * sqrt((fourth - square * square) / DRAWS));
    }
    free(f);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void is_sure(const una_model *model, una_run *run)
{
    double std[POINTS];
    mixture m;
    una_prediction out = { .size = sizeof out, .std_epistemic = std };
    assert_ok(una_model_predict_rows(model, points, POINTS, 0.95, &out, run), run);
    assert_int_equal(ask(&m, model, points, POINTS, true, run), 1);
    for (size_t r = 0; r < POINTS; r++) {
        assert_true(std[r] == 0 && m.std[r] == 0);
        for (size_t d = 0; d < COLUMNS; d++) assert_true(m.dstd[r * COLUMNS + d] == 0);
    }
    slopes_are_those_of_parts(model, run);
    parts_add_up(model, run);
}

static void assert_same_function(const una_model *a, const una_model *b, bool same, una_run *run)
{
    double f[2][POINTS];
    for (int i = 0; i < 2; i++) {
        una_prediction out = { .size = sizeof out, .mean = f[i] };
        assert_ok(una_model_predict_rows(i ? b : a, points, POINTS, 0.95, &out, run), run);
    }
    assert_int_equal(memcmp(f[0], f[1], sizeof f[0]) == 0, same);
}

/* Same index, same bits, also through a file; drawing from it gives it; it takes no rows. */
static void like_any_model(const una_model *model, const una_dataset *data, una_run *run)
{
    una_model *one = drawn(model, 5, run), *again = drawn(model, 5, run), *copy = copied_model(one, run);
    una_model *once_more = drawn(one, 9, run);
    double f[2 * ROWS], *at = predicted(one, data, run), *before = predicted(model, data, run), *after;
    is_sure(one, run);
    is_sure(copy, run);
    assert_same_function(one, again, true, run);
    assert_same_function(one, copy, true, run);
    assert_same_function(one, once_more, true, run);
    if (model->kind->draw) {
        assert_ok(una_model_draw(one, data, 2, 0, f, run), run);
        assert_arrays_near(f, at, ROWS, 1e-9, 1e-9);
        assert_arrays_near(f + ROWS, at, ROWS, 1e-9, 1e-9);
    }
    if (model->kind->observe) assert_status(una_model_update(one, data, run), UNA_E_USAGE, run);
    const una_fit_info *info = una_model_info(one);
    assert_says(info->notes[info->note_count - 1], "one function drawn from the posterior");

    after = predicted(model, data, run);
    assert_memory_equal(before, after, 6 * ROWS * sizeof *before);
    free(before);
    free(after);
    free(at);
    una_model_free(once_more);
    una_model_free(copy);
    una_model_free(again);
    una_model_free(one);
}

/* Processes cannot; a stack can where another member is drawn. */
static void every_kind_samples(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    for (size_t k = 0; una_kinds[k]; k++)
        for (quick_choice = 0; quick_choice < quick_choices(una_kinds[k]->name); quick_choice++) {
            const char *smooth = has_option(una_kinds[k], "activation") ? "activation=tanh" : NULL, *name;
            una_model *model = fitted(quick_spec(una_kinds[k]->name, smooth), data, NULL, run), *function;
            name = una_kinds[k]->name;
            if (una_model_sample(&function, model, 5, run) != UNA_OK) {
                assert_says(una_run_message(run), "una_model_draw");
                assert_true(strcmp(name, "gp") == 0 || strcmp(name, "sngp") == 0 || strcmp(name, "auto") == 0);
                assert_null(function);
            } else {
                una_model_free(function);
                like_any_model(model, data, run);
            }
            una_model_free(model);
        }
    quick_choice = 0;

    /* Weights that training ended with are not those drawn. */
    una_model *laplace = fitted("sngp(width=5, features=12, steps=20, head=laplace, activation=tanh)", data, NULL, run);
    like_any_model(laplace, data, run);
    una_model_free(laplace);
    una_dataset_free(data);
    una_run_free(run);
}

/* A stack of linear, 30 %, and gp: one of them is drawn, and gp cannot. Its parts are theirs. */
static void a_stack(void **state)
{
    (void)state;
    enum { TIMES = 400 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *of[2] = { fitted("linear", data, NULL, run), fitted("gp(noise=constant)", data, NULL, run) };
    una_model *stack = fitted(quick_spec("auto", NULL), data, NULL, run), *function;
    una_member at[2] = { { of[0]->kind, una_calls(of[0]->kind), of[0]->state, NULL, 0.3 },
                         { of[1]->kind, una_calls(of[1]->kind), of[1]->state, NULL, 0.7 } };
    una_members all = { .count = 2, .inputs = 2, .at = at };
    size_t can = 0;
    mixture m, own;
    stack->state = &all;
    stack->spread = 1;
    stack->beyond.below = stack->beyond.above = 0;

    assert_int_equal(ask(&m, stack, points, POINTS, true, run), 2);
    for (size_t k = 0; k < 2; k++) {
        ask(&own, of[k], points, POINTS, true, run);
        assert_true(m.weight[k] == at[k].weight);
        for (size_t r = 0; r < POINTS; r++) {
            assert_true(m.mean[r * 2 + k] == own.mean[r] && m.std[r * 2 + k] == own.std[r]);
            assert_memory_equal(m.dstd + (r * 2 + k) * COLUMNS, own.dstd + r * COLUMNS, COLUMNS * sizeof(double));
        }
    }

    for (size_t i = 0; i < TIMES; i++) {
        una_status status = una_model_sample(&function, stack, i, run);
        if (status == UNA_OK) can++;
        else assert_true(status == UNA_E_USAGE && strstr(una_run_message(run), "gp cannot give a function"));
        una_model_free(function);
    }
    assert_near((double)can / TIMES, 0.3, 0, 4.5 * sqrt(0.21 / TIMES));
    for (size_t k = 0; k < 2; k++) una_model_free(of[k]);
    una_model_free(stack);
    una_dataset_free(data);
    una_run_free(run);
}

static void indices_and_seeds(void **state)
{
    (void)state;
    una_run_settings settings = UNA_INIT(una_run_settings);
    una_run *run = quiet_run(), *other = NULL;
    settings.seed = 99;
    assert_ok(una_run_new(&other, &settings), other);
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("linear", data, NULL, run);
    una_model *one = drawn(model, 0, run), *two = drawn(model, 1, run), *seed = drawn(model, 0, other);
    assert_same_function(one, two, false, run);
    assert_same_function(one, seed, false, run);
    assert_same_function(one, model, false, run);
    una_model_free(seed);
    una_model_free(two);
    una_model_free(one);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(other);
    una_run_free(run);
}

/* A relearnt posterior is one again. */
static void relearnt_knows_ignorance(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *model = fitted("nlm(width=6, steps=20, members=2, noise=constant)", data, NULL, run);
    una_model *one = drawn(model, 3, run), *relearnt = NULL;
    mixture m;
    assert_ok(una_model_relearn(&relearnt, one, data, NULL, 0, run), run);
    ask(&m, relearnt, points, POINTS, false, run);
    for (size_t r = 0; r < POINTS; r++) assert_true(m.std[r] > 0);
    una_model_free(relearnt);
    una_model_free(one);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- memory ------------------------------------------------------------------------------------------------- */

static una_status parts_and_sample(void *context, una_run *run)
{
    const una_model *model = context;
    mixture m;
    una_model *function = NULL;
    una_parts out = { .size = sizeof out, .weight = m.weight, .mean = m.mean, .std = m.std, .dmean = m.dmean,
                      .dstd = m.dstd };
    una_status status = una_model_parts(model, points, POINTS, &out, run);
    if (status == UNA_OK) status = una_model_sample(&function, model, 1, run);
    assert_true((status == UNA_OK) == (function != NULL));
    una_model_free(function);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    static const char *const specs[] = { "luna(width=6, heads=3, steps=20, members=2, relevance=on)",
                                         "linear(degree=2)", "mcd(width=6, steps=20, passes=5, members=2)",
                                         "nn(width=6, steps=20, members=2)" };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
        una_model *model = fitted(specs[i], data, NULL, run);
        assert_true(sweep_allocations(parts_and_sample, model) > 5);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind),
        cmocka_unit_test(who_has_parts),
        cmocka_unit_test(least_squares),
        cmocka_unit_test(posterior_of_features),
        cmocka_unit_test(functions_of_a_committee),
        cmocka_unit_test(every_kind_samples),
        cmocka_unit_test(a_stack),
        cmocka_unit_test(indices_and_seeds),
        cmocka_unit_test(relearnt_knows_ignorance),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
