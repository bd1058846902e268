/* SPDX-License-Identifier: MIT
 *
 * Fits over ranks, each with some of the rows: the posterior is that of all rows, all ranks have the same model, to the
 * bit and every time, and what cannot be done so is refused on all of them.
 */
#include "ranks_here.h"

#include "base/ranks.h"

enum { RANKS = 3, ROWS = 240, INPUTS = 2, POINTS = 30 };

typedef struct fit {
    const char *spec, *set, *target;
    const void *bytes;                   /* of a model whose posterior is learnt anew; NULL: a fit               */
    size_t      size;
    bool        two_targets, hole;       /* hole: rank 1 has a missing cell                                      */
    volatile int cancel;
    void       *model;                   /* what came of it, saved                                               */
    size_t      model_size, rows;
    double      mean[POINTS], std[POINTS], epistemic[POINTS], noise_std, log_evidence;
    char        notes[512];
} fit;

static double truth(double a, double b)
{
    return 40 + 5 * (sin(2 * a) + 0.5 * b * b + a * b);
}

/* Rows r, r + ranks, ... of the table. */
static una_status part_of(una_dataset **data, const fit *f, int rank, int ranks, una_run *run)
{
    double x[ROWS * INPUTS], y[ROWS];
    size_t rows = 0;
    for (size_t i = (size_t)rank; i < ROWS; i += (size_t)ranks, rows++) {
        double a = sin(12.9 * (double)i) * 2, b = cos(78.2 * (double)i) * 2 + 100;
        x[rows * INPUTS] = f->hole && rank == 1 && rows == 4 ? NAN : a;
        x[rows * INPUTS + 1] = b;
        y[rows] = truth(a, b - 100) + 0.3 * sin(1000.7 * (double)i);
    }
    return una_dataset_from_arrays(data, x, y, rows, INPUTS, NULL, run);
}

static una_status look_at(fit *f, const una_model *model, una_run *run)
{
    double x[POINTS * INPUTS];
    for (size_t i = 0; i < POINTS; i++) {
        x[i * INPUTS] = -4 + 8 * (double)i / POINTS;
        x[i * INPUTS + 1] = 100 + 3 * sin((double)i);
    }
    una_prediction out = { .size = sizeof out, .mean = f->mean, .std = f->std, .std_epistemic = f->epistemic };
    const una_fit_info *info = una_model_info(model);
    f->rows = info->rows;
    f->noise_std = info->noise_std;
    f->log_evidence = info->log_evidence;
    for (size_t i = 0; i < info->note_count; i++) strncat(f->notes, info->notes[i], 200);
    UNA_TRY(una_model_predict_rows(model, x, POINTS, 0.95, &out, run));
    void *bytes;
    UNA_TRY(una_model_save_memory(model, &bytes, &f->model_size, run));
    f->model = malloc(f->model_size);
    if (f->model) memcpy(f->model, bytes, f->model_size);
    una_memory_free(bytes, run);
    return f->model ? UNA_OK : UNA_E_MEMORY;
}

static una_status fit_data(una_model **model, const fit *f, const una_dataset *data, una_run *run)
{
    const char *sets[] = { f->set }, *targets[] = { "x1", "y" };
    una_fit_settings settings = { .size = sizeof settings, .target = f->target, .target_count = f->two_targets ? 2 : 0,
                                  .targets = f->two_targets ? targets : NULL };
    if (!f->bytes) return una_fit(model, f->spec, data, &settings, run);
    una_model *old;
    UNA_TRY(una_model_load_memory(&old, f->bytes, f->size, run));
    una_status status = una_model_relearn(model, old, data, sets, f->set ? 1 : 0, run);
    una_model_free(old);
    return status;
}

static una_status fit_part(void *context, una_run *run)
{
    fit *f = context;
    una_dataset *data;
    una_model *model = NULL;
    const una_ranks *ranks = run->settings.ranks;
    UNA_TRY(part_of(&data, f, ranks ? ranks->rank : 0, ranks ? ranks->count : 1, run));
    una_status status = fit_data(&model, f, data, run);
    if (status == UNA_OK) status = look_at(f, model, run);
    una_model_free(model);
    una_dataset_free(data);
    return status;
}

static fit alone(fit f)
{
    una_run *run = quiet_run();
    assert_ok(fit_part(&f, run), run);
    una_run_free(run);
    return f;
}

static void over_ranks(fit *part, int ranks, fit f)
{
    rank_here me[MOST_RANKS_HERE] = { { .threads = 0 } };
    for (int r = 0; r < ranks; r++) {
        part[r] = f;
        me[r].threads = 1 + r % 2;
    }
    with_ranks_here(me, ranks, fit_part, part, sizeof *part);
    for (int r = 0; r < ranks; r++) {
        if (me[r].status != UNA_OK) print_error("rank %d: %s\n", r, me[r].message);
        assert_int_equal(me[r].status, UNA_OK);
    }
}

static void forget(fit *f, size_t count)
{
    for (size_t i = 0; i < count; i++) free(f[i].model);
}

static void assert_same_posterior(const fit *a, const fit *b)
{
    assert_arrays_near(a->mean, b->mean, POINTS, 1e-9, 1e-9);
    assert_arrays_near(a->std, b->std, POINTS, 1e-9, 0);
    assert_arrays_near(a->epistemic, b->epistemic, POINTS, 1e-9, 0);
    assert_near(a->noise_std, b->noise_std, 1e-9, 0);
    assert_near(a->log_evidence, b->log_evidence, 1e-9, 0);
    assert_int_equal(a->rows, b->rows);
}

static void assert_same_bits(const fit *a, const fit *b)
{
    assert_int_equal(a->model_size, b->model_size);
    assert_memory_equal(a->model, b->model, a->model_size);
}

static void test_linear_is_that_of_all_rows(void **state)
{
    (void)state;
    fit one = alone((fit){ .spec = "linear(degree=3, noise=constant)" }), part[RANKS];
    over_ranks(part, RANKS, (fit){ .spec = "linear(degree=3)" });
    for (size_t r = 0; r < RANKS; r++) {
        assert_same_posterior(&part[r], &one);
        assert_same_bits(&part[r], &part[0]);
        assert_says(part[r].notes, "Fitted by 3 ranks");
    }
    assert_int_equal(one.rows, ROWS);
    forget(part, RANKS);
    forget(&one, 1);
}

/* Features as they are: the posterior of three ranks is that of one. */
static void test_posteriors_of_given_features(void **state)
{
    static const char *const spec[] = { "nlm(steps=30, width=12, members=1)", "luna(steps=20, width=12, heads=4)" };
    static const char *const set[] = { NULL, "noise_std=2", "prior_var=3" };
    (void)state;
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        fit taught[RANKS];
        over_ranks(taught, RANKS, (fit){ .spec = spec[i] });
        for (size_t k = 0; k < sizeof set / sizeof *set; k++) {
            fit part[RANKS], like = { .bytes = taught[1].model, .size = taught[1].model_size, .set = set[k] };
            fit one = alone(like);
            over_ranks(part, RANKS, like);
            for (size_t r = 0; r < RANKS; r++) assert_same_posterior(&part[r], &one);
            forget(part, RANKS);
            forget(&one, 1);
        }
        forget(taught, RANKS);
    }
}

/* The fit's own posterior, too: its noise and prior given back with its features to one rank that has all rows. */
static void test_fits_have_the_posterior_of_all_rows(void **state)
{
    (void)state;
    char set[128];
    fit part[RANKS];
    over_ranks(part, RANKS, (fit){ .spec = "luna(steps=30, width=12, heads=4, prior_var=2)" });
    snprintf(set, sizeof set, "noise_std=%.17g", part[0].noise_std);
    fit one = alone((fit){ .bytes = part[0].model, .size = part[0].model_size, .set = set });
    for (size_t r = 0; r < RANKS; r++) {
        assert_same_posterior(&part[r], &one);
        assert_same_bits(&part[r], &part[0]);
    }
    forget(part, RANKS);
    forget(&one, 1);
}

static void test_the_same_every_time(void **state)
{
    (void)state;
    static const char *const spec[] = {
        "luna(steps=60, width=12, heads=4, batch=16, diversity=auto)",
        "luna(steps=20, width=12, heads=4, directions=1, restarts=2, noise_rule=evidence)",
        "nlm(steps=40, width=12, optimiser=sgd, rate=1e-4, patience=3)"
    };
    for (size_t i = 0; i < sizeof spec / sizeof *spec; i++) {
        fit part[RANKS], again[RANKS], two[2];
        over_ranks(part, RANKS, (fit){ .spec = spec[i] });
        over_ranks(again, RANKS, (fit){ .spec = spec[i] });
        over_ranks(two, 2, (fit){ .spec = spec[i] });
        for (size_t r = 0; r < RANKS; r++) {
            assert_same_bits(&part[r], &part[0]);
            assert_same_bits(&again[r], &part[0]);
        }
        assert_same_bits(&two[0], &two[1]);
        assert_true(two[0].mean[3] != part[0].mean[3]);
        forget(part, RANKS);
        forget(again, RANKS);
        forget(two, 2);
    }
}

/* It does learn what one rank with all rows does. */
static void test_it_learns(void **state)
{
    (void)state;
    skip_if_sanitized();
    double square = 0, inside = 0;
    fit part[RANKS];
    over_ranks(part, RANKS, (fit){ .spec = "nlm(steps=400, width=16)" });
    for (size_t i = 8; i < 23; i++) {
        double a = -4 + 8 * (double)i / POINTS, b = 3 * sin((double)i);
        if (fabs(b) > 1.9) continue;                     /* beyond the data */
        square += pow(part[0].mean[i] - truth(a, b), 2);
        inside++;
    }
    assert_true(sqrt(square / inside) < 2.5);            /* of values from 25 to 65; one rank: 1.2 */
    forget(part, RANKS);
}

/* `other` is what rank 1 asks for. */
static void refused_apart(fit f, fit other, int cancelled, una_status status, const char *says)
{
    fit part[RANKS] = { f, other, f };
    rank_here me[RANKS] = { { .threads = 0 } };
    volatile int cancel = 1;
    if (cancelled >= 0) me[cancelled].cancel = &cancel;
    with_ranks_here(me, RANKS, fit_part, part, sizeof *part);
    for (size_t r = 0; r < RANKS; r++) {
        if (me[r].status != status) print_error("rank %zu: %s\n", r, me[r].message);
        assert_int_equal(me[r].status, status);
        assert_says(me[r].message, says);
    }
}

static void refused(fit f, int cancelled, una_status status, const char *says)
{
    refused_apart(f, f, cancelled, status, says);
}

/* Before anything is added up: sums of two targets would make a model of neither. */
static void test_one_command(void **state)
{
    const fit linear = { .spec = "linear", .target = "y" };
    (void)state;
    refused_apart(linear, (fit){ .spec = "linear", .target = "x1" }, -1, UNA_E_USAGE, "asked for linear, target x1");
    refused_apart(linear, (fit){ .spec = "linear(degree=2)", .target = "y" }, -1, UNA_E_USAGE,
                  "asked for linear(degree=2), target y");
    refused_apart(linear, (fit){ .target = "y" }, -1, UNA_E_USAGE, "and rank 0 for linear, target y");
}

static void test_refusals(void **state)
{
    (void)state;
    refused((fit){ .spec = "gp" }, -1, UNA_E_USAGE, "these can: luna, nlm, linear");
    refused((fit){ .spec = "auto" }, -1, UNA_E_USAGE, "auto cannot be fitted over 3 ranks");
    refused((fit){ .spec = "luna(members=4)" }, -1, UNA_E_USAGE, "members=4 is not possible over ranks");
    refused((fit){ .spec = "nlm(noise=varying)" }, -1, UNA_E_USAGE, "noise=varying");
    refused((fit){ .spec = "nlm(relevance=on)" }, -1, UNA_E_USAGE, "relevance=on");
    refused((fit){ .spec = "nlm(training=marginal)" }, -1, UNA_E_USAGE, "training=marginal");
    refused((fit){ .spec = "luna(cosine=per_point)" }, -1, UNA_E_USAGE, "cosine=per_point");
    refused((fit){ .spec = "nlm(batch=2, steps=10)" }, -1, UNA_E_USAGE, "too small to be shared");
    refused((fit){ .spec = "luna", .two_targets = true }, -1, UNA_E_USAGE, "several targets");
    refused((fit){ .spec = "linear", .hole = true }, -1, UNA_E_INPUT, "row 5, column 'x1' is missing");
    refused((fit){ .spec = "nlm(rate=10, steps=50, optimiser=sgd, momentum=0.99)" }, -1, UNA_E_NUMERIC, "finite");
    refused((fit){ .spec = "nlm(steps=50)" }, 1, UNA_CANCELLED, "interrupted");  /* on rank 1 alone */
}

/* One rank is short of memory, ever less so: it fails here and there, and all fail with it. */
static una_status fit_with_little(void *context, una_run *run)
{
    const fit *f = context;
    if (una_rank(run) == 1) run->settings.memory_limit = f->size;
    return fit_part(context, run);
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    size_t failures = 0, limit = 5000;
    for (bool done = false; !done; limit += limit / 4) {
        fit part[RANKS];
        rank_here me[RANKS] = { { .threads = 0 } };
        for (size_t r = 0; r < RANKS; r++)
            part[r] = (fit){ .spec = "luna(steps=3, width=8, heads=3)", .size = limit };
        with_ranks_here(me, RANKS, fit_with_little, part, sizeof *part);
        done = me[0].status == UNA_OK;
        for (size_t r = 0; r < RANKS; r++) {
            bool early = r != 1 && me[1].status == UNA_E_MEMORY && me[r].status == UNA_E_IO;  /* before it joined */
            if (!early) assert_int_equal(me[r].status, done ? UNA_OK : UNA_E_MEMORY);
        }
        failures += !done;
        forget(part, RANKS);
    }
    assert_true(failures > 5);
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_linear_is_that_of_all_rows), cmocka_unit_test(test_posteriors_of_given_features),
        cmocka_unit_test(test_fits_have_the_posterior_of_all_rows), cmocka_unit_test(test_the_same_every_time),
        cmocka_unit_test(test_it_learns), cmocka_unit_test(test_one_command),
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_memory_runs_out),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
