/* SPDX-License-Identifier: MIT
 *
 * The experiments on published splits, with a data folder made here and a kind whose epistemic std is a given function
 * of the input: which rows train and test, the increase, the AUROC and the claims follow.
 */
#include "test_support.h"

#include "published/published.h"
#include "model/kind.h"

/* Fontconfig keeps what it once read, and nobody but its own FcFini may give it back. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

/* ---- a kind that knows less inside |x| < edge than outside, or more ------------------------------------------ */

enum { ROWS = 90 };

typedef struct step { double inside; } step;
typedef struct step_options { double inside; } step_options;

static const una_option table[] = {
    { "inside", UNA_REAL, offsetof(step_options, inside), "3", 0, 1e9, false, NULL, "std inside; outside it is 1" },
    { .name = NULL }
};

static una_status step_fit(una_fitting *f)
{
    void *options = f->target->options;
    una_fit_result *result = f->target->result;
    step *s = f->target->state;
    s->inside = ((const step_options *)options)->inside;
    result->noise_var = 0.25;
    result->log_evidence = -1;
    return UNA_OK;
}

/* x is standardised: about 2.5 units to one. */
static una_status step_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const step *s = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        double std = fabs(x.at[r * x.stride]) < 0.5 ? s->inside : 1;
        out->mean[r] = 0;
        out->var_model[r] = std * std;
        out->var_noise[r] = 0.25;
    }
    return UNA_OK;
}

static una_status step_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "inside", &((step *)state)->inside);
}

#define STEP(its_name) { .name = its_name, .summary = "", .source = "", .options = table, \
    .options_size = sizeof(step_options), .state_size = sizeof(step), .thesis = "", .least_rows = 4, .fit = step_fit, \
    .predict = step_predict, .exchange = step_exchange }
static const una_kind luna_kind = STEP("luna"), nlm_kind = STEP("nlm");
const una_kind *const una_kinds[] = { &luna_kind, &nlm_kind, NULL };

/* ---- the folder: x = -1 ... 1 in the column "Froude number", y = x --------------------------------------------- */

static void write_list(FILE *file, const char *name, int from, int to, int step_by)
{
    fprintf(file, "\"%s\": [", name);
    for (int i = from; i < to; i += step_by) fprintf(file, "%s%d", i > from ? ", " : "", i);
    fprintf(file, "]");
}

static const char *data_folder(void)
{
    static char folder[4096];
    char path[4200];
    if (*folder) return folder;
    snprintf(folder, sizeof folder, "%s", temp_path("data"));
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/uci", folder);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "%s/uci/splits", folder);
    mkdir(path, 0777);

    snprintf(path, sizeof path, "%s/uci/yacht.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "Froude number,y\n");
    for (int i = 0; i < ROWS; i++) {
        double middle = 0.02 * (i - 44.5), off = i < 30 ? -2 : i >= 60 ? 2 : 0;
        fprintf(file, "%.17g,%d\n", middle + off, i);
    }
    fclose(file);

    snprintf(path, sizeof path, "%s/uci/splits/yacht.json", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"rows\": %d, \"standard\": [{", ROWS);
    write_list(file, "train", 0, 80, 1);
    fprintf(file, ", ");
    write_list(file, "test", 80, 90, 1);
    fprintf(file, "}], \"gap\": [{\"train\": [");
    for (int i = 0; i < ROWS; i++)
        if (i < 30 || i >= 60) fprintf(file, "%s%d", i ? ", " : "", i);
    fprintf(file, "], ");
    write_list(file, "test", 30, 60, 1);
    fprintf(file, "}]}");
    fclose(file);
    return folder;
}

static double mean_of(const una_bench_result *result, const char *model, const char *measure)
{
    for (size_t i = 0; i < result->mean_count; i++)
        if (strcmp(result->means[i].key->model, model) == 0 && strcmp(result->means[i].measure, measure) == 0)
            return result->means[i].mean;
    fail_msg("no %s of %s", measure, model);
    return NAN;
}

static una_bench_result *run_it(const char *name, const char *models, const char *more, const char *out, una_run *run)
{
    char data[4200];
    const char *set[] = { data, more };
    una_bench_result *result = NULL;
    una_bench_settings settings = { .size = sizeof settings, .out = out, .models = &models, .model_count = 1,
                                    .set = set, .set_count = 2 };
    snprintf(data, sizeof data, "data=\"%s\"", data_folder());
    assert_ok(una_bench_run(&result, name, &settings, run), run);
    return result;
}

/* ---- tests ---------------------------------------------------------------------------------------------------- */

static void a_gap_shows_in_every_number(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = run_it("gap", "luna", "splits=0-2", temp_path("gap"), run);
    (void)state;
    assert_int_equal(result->fits, 3);
    assert_string_equal(result->rows[0].key->data, "yacht Froude number");
    assert_near(mean_of(result, "luna", "rows"), 6, 0, 0);                   /* a tenth of the 60 outside the gap */
    assert_near(mean_of(result, "luna", "gap_auroc"), 1, 0, 0);
    assert_near(mean_of(result, "luna", "gap_increase"), 200, 1e-12, 0);
    assert_near(mean_of(result, "luna", "gap_std_epistemic") / mean_of(result, "luna", "mean_std_epistemic"), 3, 1e-12,
                0);
    assert_near(mean_of(result, "luna", "noise_std") / mean_of(result, "luna", "mean_std_epistemic"), 0.5, 1e-12, 0);
    assert_int_equal(result->claims[0].holds, 1);
    assert_says(result->claims[0].numbers, "increase 200");
    assert_says(result->claims[0].numbers, "3 splits");
    assert_int_equal(result->claims[1].holds, -1);
    una_bench_free(result);

    result = run_it("gap", "luna(inside=0.5)", "splits=0-2", temp_path("sure"), run);
    assert_near(mean_of(result, "luna", "gap_auroc"), 0, 0, 0);
    assert_near(mean_of(result, "luna", "gap_increase"), -50, 1e-12, 0);
    assert_int_equal(result->claims[0].holds, 0);
    una_bench_free(result);

    result = run_it("gap", "luna(inside=1)", "splits=0-2", temp_path("flat"), run);
    assert_near(mean_of(result, "luna", "gap_auroc"), 0.5, 0, 0);            /* ties count half */
    una_bench_free(result);
    una_run_free(run);
}

static void groups_take_their_rows(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = run_it("uci", "nlm", "splits=0", temp_path("uci"), run);
    (void)state;
    assert_near(mean_of(result, "nlm", "rows"), 10, 0, 0);
    assert_string_equal(result->rows[0].key->study, "uci");
    una_bench_free(result);

    result = run_it("uci", "nlm", "splits=0, group=valid", temp_path("uci"), run);
    assert_near(mean_of(result, "nlm", "rows"), 8, 0, 0);                    /* a tenth of the 80 that train */
    assert_string_equal(result->rows[0].key->study, "uci(group=valid)");
    assert_int_equal(result->fitted, 1);
    una_bench_free(result);

    result = run_it("uci", "nlm", "splits=0, held=0.25", temp_path("uci"), run);
    assert_string_equal(result->rows[0].key->study, "uci(held=0.25)");
    una_bench_free(result);
    una_run_free(run);
}

/* 20 rows that train, x = 0 ... 19; test rows at 3 and 4, which are copies, and at 30, 30 and 31, which are new. */
static void write_copies(void)
{
    static const double x[] = { 3, 4, 30, 30, 31 };
    char path[4200];
    snprintf(path, sizeof path, "%s/uci/energy.csv", data_folder());
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "x,y\n");
    for (int i = 0; i < 20; i++) fprintf(file, "%d,%d\n", i, i % 2);
    for (int i = 0; i < 5; i++) fprintf(file, "%g,%d\n", x[i], i);
    fclose(file);

    snprintf(path, sizeof path, "%s/uci/splits/energy.json", data_folder());
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"rows\": 25, \"standard\": [{");
    write_list(file, "train", 0, 20, 1);
    fprintf(file, ", ");
    write_list(file, "test", 20, 25, 1);
    fprintf(file, "}, {");
    write_list(file, "train", 0, 20, 1);
    fprintf(file, ", ");
    write_list(file, "test", 20, 22, 1);
    fprintf(file, "}], \"gap\": []}");
    fclose(file);
}

/* The mean of the training targets is 0.5 and their std 0.5: predicted is N(0.5, (1 + 0.25) 0.25). */
static void rows_without_a_copy_have_their_own_scores(void **state)
{
    una_run *run = quiet_run();
    double var = 1.25 * 0.25, square = 1.5 * 1.5 + 2.5 * 2.5 + 3.5 * 3.5;       /* y = 2, 3, 4 */
    (void)state;
    write_copies();
    una_bench_result *result = run_it("uci", "nlm(inside=1)", "sets=energy, splits=0", temp_path("copies"), run);
    assert_near(mean_of(result, "nlm", "rows"), 5, 0, 0);
    assert_near(mean_of(result, "nlm", "rows_new"), 3, 0, 0);
    assert_near(mean_of(result, "nlm", "rmse_new"), sqrt(square / 3), 1e-12, 0);
    assert_near(mean_of(result, "nlm", "log_lik_new"), -0.5 * log(2 * acos(-1) * var) - square / 6 / var, 1e-12, 0);
    assert_near(mean_of(result, "nlm", "rmse"), sqrt((square + 0.5) / 5), 1e-12, 0);
    una_bench_free(result);

    result = run_it("uci", "nlm(inside=1)", "sets=energy, splits=1", temp_path("copies"), run);
    assert_near(mean_of(result, "nlm", "rows_new"), 0, 0, 0);                    /* copies only */
    assert_true(isnan(mean_of(result, "nlm", "log_lik_new")));
    una_bench_free(result);

    result = run_it("uci", "nlm", "sets=yacht, splits=0", temp_path("uci"), run);
    assert_near(mean_of(result, "nlm", "rows_new"), 10, 0, 0);
    assert_true(mean_of(result, "nlm", "log_lik_new") == mean_of(result, "nlm", "log_lik"));
    una_bench_free(result);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gap_shows_in_every_number),
        cmocka_unit_test(groups_take_their_rows),
        cmocka_unit_test(rows_without_a_copy_have_their_own_scores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
