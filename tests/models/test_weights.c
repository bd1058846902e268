/* SPDX-License-Identifier: MIT
 *
 * Rows that count more or less than once (una_problem.weight), in every kind with an exact posterior: a row that counts
 * twice is the row twice, rows that count once are as ever, updates and files keep the weights.
 */
#include "train/process.h"
#include "models/quick.h"

enum { ROWS = 60, HALF = 25, PROBES = 9 };

static const struct { const char *spec; bool relearns; } kinds[] = {
    { "linear(degree=2, noise=constant)", true },
    { "gp(kernel=matern52, noise=constant)", true },
    { "gp(optimise=grid, grid=[0.5, 2], grid_rule=validation, noise=constant)", true },
    { "nlm(width=6, steps=40, members=1, noise=constant)", true },
    { "luna(width=6, heads=3, steps=40, members=1, noise=constant)", true },
    { "tuna(width=6, heads=3, steps=40, reference_rows=30, noise=constant)", true },
    { "sngp(width=5, features=12, steps=30)", true },
    { "sngp(width=5, features=12, steps=30, head=gp)", false },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

typedef struct rows { double x[2 * ROWS * 2], y[2 * ROWS], weight[2 * ROWS]; } rows;

/* Weights are whole: `copies` gets each row as often as it counts, and none says so. Its number of rows. */
static size_t make_rows(rows *r, rows *copies)
{
    size_t count = 0;
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 3);
    for (size_t i = 0; i < ROWS; i++) {
        r->x[2 * i] = una_rng_normal(&rng);
        r->x[2 * i + 1] = una_rng_normal(&rng);
        r->y[i] = r->x[2 * i] + 0.5 * una_rng_normal(&rng);
        r->weight[i] = 1 + (double)(i % 2);
        for (int again = 0; again < (int)r->weight[i]; again++, count++) {
            memcpy(copies->x + 2 * count, r->x + 2 * i, 2 * sizeof(double));
            copies->y[count] = r->y[i];
        }
    }
    return count;
}

static una_problem problem(const una_model *model, const rows *r, const double *weight, size_t from, size_t to)
{
    return (una_problem){ .x = { r->x + 2 * from, to - from, 2, 2 }, .y = r->y + from, .outputs = 1,
                          .weight = weight ? weight + from : NULL, .columns = &model->columns, .seed = 1 };
}

/* mean and variance at some places [2, PROBES]. */
static void says(const una_model *model, double *out, una_run *run)
{
    double x[2 * PROBES], noise[PROBES];
    for (size_t i = 0; i < PROBES; i++) x[2 * i] = (double)i / 2 - 2, x[2 * i + 1] = sin((double)i);
    una_predictive p = { .mean = out, .var_model = out + PROBES, .var_noise = noise };
    assert_ok(una_calls(model->kind)->predict(model->state, (una_view){ x, PROBES, 2, 2 }, &p, run), run);
}

static double learns(una_model *model, const una_problem *p, bool again, una_run *run)
{
    una_fit_result result = una_fit_result_in(&model->keep);
    una_mark mark = una_arena_mark(&run->scratch);
    const una_kind *calls = una_calls(model->kind);
    assert_ok(una_model_learn(again ? calls->relearn : calls->fit, model, p, &result, &model->keep, run), run);
    una_arena_release(&run->scratch, mark);
    return result.log_evidence;
}

static double observes(una_model *model, const una_problem *p, una_run *run)
{
    una_fit_result result = una_fit_result_in(&model->keep);
    assert_ok(una_calls(model->kind)->observe(model->state, p, &result, &model->keep, run), run);
    return result.log_evidence;
}

static void twice_is_the_row_twice(void **state)
{
    (void)state;
    static rows r, copies;
    size_t count = make_rows(&r, &copies);
    for (size_t k = 0; k < KINDS; k++) {
        una_run *run = quiet_run();
        una_dataset *data = wave_data(40, 0, run);
        una_model *model = fitted(kinds[k].spec, data, NULL, run), *other = fitted(kinds[k].spec, data, NULL, run);
        double weighted[2 * PROBES], copied[2 * PROBES], plain[2 * PROBES];
        una_problem once = problem(model, &r, NULL, 0, ROWS), twice = problem(model, &r, r.weight, 0, ROWS),
                    all = problem(model, &copies, NULL, 0, count);
        if (kinds[k].relearns) {
            learns(model, &once, true, run);
            says(model, plain, run);
            learns(model, &twice, true, run);
            says(model, weighted, run);
            learns(other, &all, true, run);
            says(other, copied, run);
            assert_arrays_near(weighted, copied, 2 * PROBES, 1e-6, 1e-8);
            assert_true(fabs(weighted[PROBES] / plain[PROBES] - 1) > 1e-4);
        }
        observes(model, &twice, run);
        observes(other, &all, run);
        says(model, weighted, run);
        says(other, copied, run);
        assert_arrays_near(weighted, copied, 2 * PROBES, 1e-6, 1e-8);
        una_model_free(model);
        una_model_free(other);
        una_dataset_free(data);
        una_run_free(run);
    }
}

/* What a fit makes of weights is what relearning makes of them; weights of one leave every bit. */
static void fits(void **state)
{
    (void)state;
    static rows r, copies;
    static double ones[ROWS];
    make_rows(&r, &copies);
    for (size_t i = 0; i < ROWS; i++) ones[i] = 1;
    for (size_t k = 0; k < KINDS; k++) {
        una_run *run = quiet_run();
        una_dataset *data = wave_data(40, 0, run);
        una_model *model = fitted(kinds[k].spec, data, NULL, run);
        double plain[2 * PROBES], same[2 * PROBES], weighted[2 * PROBES], again[2 * PROBES];
        una_problem without = problem(model, &r, NULL, 0, ROWS), once = problem(model, &r, ones, 0, ROWS),
                    twice = problem(model, &r, r.weight, 0, ROWS);
        double evidence = learns(model, &without, false, run);
        says(model, plain, run);
        assert_true(learns(model, &once, false, run) == evidence);
        says(model, same, run);
        assert_memory_equal(same, plain, sizeof plain);
        evidence = learns(model, &twice, false, run);
        says(model, weighted, run);
        assert_true(fabs(weighted[PROBES] / plain[PROBES] - 1) > 1e-4);
        if (kinds[k].relearns) {
            assert_near(learns(model, &twice, true, run), evidence, 1e-9, 0);
            says(model, again, run);
            assert_arrays_near(again, weighted, 2 * PROBES, 1e-7, 1e-9);
        }
        una_model_free(model);
        una_dataset_free(data);
        una_run_free(run);
    }
}

/* In two batches, by way of a file, as all at once. */
static void updates_and_files(void **state)
{
    (void)state;
    static rows r, copies;
    make_rows(&r, &copies);
    for (size_t i = 0; i < ROWS; i++) r.weight[i] = pow(7, cos((double)i));
    for (size_t k = 0; k < KINDS; k++) {
        if (!kinds[k].relearns) continue;
        una_run *run = quiet_run();
        una_dataset *data = wave_data(40, 0, run);
        una_model *model = fitted(kinds[k].spec, data, NULL, run);
        double all[2 * PROBES], parts[2 * PROBES];
        una_problem whole = problem(model, &r, r.weight, 0, ROWS), first = problem(model, &r, r.weight, 0, HALF),
                    second = problem(model, &r, r.weight, HALF, ROWS);
        double evidence = learns(model, &whole, true, run);
        says(model, all, run);
        learns(model, &first, true, run);
        una_model *loaded = copied_model(model, run);
        assert_near(observes(loaded, &second, run), evidence, 1e-9, 0);
        says(loaded, parts, run);
        assert_arrays_near(parts, all, 2 * PROBES, 1e-9, 1e-9);
        una_model_free(loaded);
        una_model_free(model);
        una_dataset_free(data);
        una_run_free(run);
    }
}

/* A file without weights is as ever; one with weights that cannot be is refused. */
static void weights_of_files(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = fitted("gp", data, NULL, run);
    una_gp *gp = member_state(model), back;
    for (int c = 0; c < 3; c++) {
        double weight[40];
        una_archive out, in;
        for (size_t i = 0; i < 40; i++) weight[i] = i == 7 && c == 2 ? 0 : 2;
        gp->weight = c ? weight : NULL;
        assert_ok(una_archive_save_begin(&out, "{}", &run->scratch, run), run);
        out.inputs = 2;
        assert_ok(una_gp_exchange(gp, &out), run);
        assert_ok(una_archive_save_end(&out), run);
        assert_ok(una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, &run->scratch, run), run);
        in.inputs = 2;
        back = (una_gp){0};
        assert_status(una_gp_exchange(&back, &in), c == 2 ? UNA_E_INPUT : UNA_OK, run);
        if (c < 2) assert_ok(una_archive_load_end(&in), run);
        if (c < 2) assert_true(c ? back.weight[39] == 2 : !back.weight);
    }
    assert_says(una_run_message(run), "gp.weight is not greater than 0");
    gp->weight = NULL;
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twice_is_the_row_twice),
        cmocka_unit_test(fits),
        cmocka_unit_test(updates_and_files),
        cmocka_unit_test(weights_of_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
