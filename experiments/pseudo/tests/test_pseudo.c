/* SPDX-License-Identifier: MIT
 *
 * Uncertainty by hand with made-up kinds in place of the registry: which fits are asked for, what the model is told of
 * the pseudo points, the claims, the spreads that are refused.
 */
#include "bench/bench_support.h"
#include "draws.h"

#include "bench/experiment.h"
#include "model/kind.h"

/* ---- made-up kinds: the std is that of the pseudo targets, but one spread may be turned round ---------------- */

static double against = -1;              /* this spread answers with less than all others                    */

typedef struct made { double std; } made;
typedef struct made_options { const char *pseudo_rows, *rest[8]; } made_options;

#define TEXT(name, field) { name, UNA_TEXT, offsetof(made_options, field), "", 0, 0, false, NULL, "made up" }
static const una_option table[] = {
    TEXT("pseudo_rows", pseudo_rows), TEXT("penalty", rest[0]), TEXT("rate", rest[1]), TEXT("steps", rest[2]),
    TEXT("noise_std", rest[3]), TEXT("prior_var", rest[4]), TEXT("members", rest[5]), TEXT("kernel", rest[6]),
    TEXT("ard", rest[7]), { .name = NULL }
};

static una_status made_fit(una_fitting *f)
{
    void *state = f->target->state;
    una_fit_result *result = f->target->result;
    const made_options *o = f->target->options;
    double x, high, low;
    char names[16];
    ((made *)state)->std = 5;            /* without pseudo-data */
    if (*o->pseudo_rows) {
        assert_int_equal(sscanf(o->pseudo_rows, "%15[^;]; %lf,%lf,%lf", names, &x, &high, &low), 4);
        assert_string_equal(names, "x,high,low");
        assert_near(x, -1.5, 0, 0);
        assert_near(high, -low, 0, 0);
        assert_says(o->pseudo_rows, "; 1.5,");
        ((made *)state)->std = high - low == against ? 0.01 : 1 + (high - low) / 4;
    }
    result->noise_var = 1;
    result->log_evidence = -1;
    return UNA_OK;
}

static una_status made_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        out->mean[r] = 0;
        out->var_model[r] = ((const made *)state)->std * ((const made *)state)->std;
        out->var_noise[r] = 1;
    }
    return UNA_OK;
}

static una_status made_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "std", &((made *)state)->std);
}

#define MADE(its_name) { .name = its_name, .summary = "made up", .source = "nobody", .options = table, \
    .options_size = sizeof(made_options), .state_size = sizeof(made), .thesis = "", .least_rows = 4, .fit = made_fit, \
    .predict = made_predict, .exchange = made_exchange }
static const una_kind tuna_kind = MADE("tuna"), gp_kind = MADE("gp"), nlm_kind = MADE("nlm");
const una_kind *const una_kinds[] = { &tuna_kind, &gp_kind, &nlm_kind, NULL };

/* ---- the experiment ------------------------------------------------------------------------------------------ */

static una_bench_result *pseudo_in(const char *folder, const char *spreads, const char *models, una_run *run)
{
    una_bench_result *result = NULL;
    const char *set[] = { "seeds=4", spreads };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path(folder), .set = set,
                                    .set_count = spreads ? 2 : 1, .models = &models, .model_count = models ? 1 : 0 };
    assert_ok(una_bench_run(&result, "pseudo", &settings, run), run);
    assert_int_equal(result->claim_count, 3);
    return result;
}

static void doubt_that_rises(void **state)
{
    (void)state;
    una_run *run = quiet_run_threads(2);
    una_bench_result *result = pseudo_in("rises", NULL, NULL, run);
    assert_int_equal(result->fits, 4 * (6 + 2));
    for (size_t i = 0; i < 3; i++) assert_int_equal(result->claims[i].holds, UNA_HOLDS);
    assert_says(result->claims[0].numbers, "4 of 4");
    assert_string_equal(result->rows[0].key->data, "cubic spread 0");
    assert_int_equal(access(temp_path("rises/pseudo-functions.png"), R_OK), has_cairo() ? 0 : -1);
    assert_int_equal(access(temp_path("rises/pseudo-rise.svg"), R_OK), 0);
    assert_int_equal(access(temp_path("rises/pseudo-means.csv"), R_OK), 0);
    una_bench_free(result);

    result = pseudo_in("rises", NULL, NULL, run);
    assert_int_equal(result->fitted, 0);
    una_bench_free(result);
    una_run_free(run);
}

static void doubt_that_does_not(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    against = 10;
    una_bench_result *result = pseudo_in("falls", NULL, NULL, run);
    assert_int_equal(result->claims[0].holds, UNA_DOES_NOT_HOLD);
    assert_says(result->claims[0].numbers, "0 of 4");
    una_bench_free(result);

    against = 80;
    result = pseudo_in("narrow", NULL, NULL, run);
    assert_int_equal(result->claims[1].holds, UNA_HOLDS);
    assert_int_equal(result->claims[2].holds, UNA_DOES_NOT_HOLD);
    una_bench_free(result);

    against = -1;
    result = pseudo_in("alone", "spreads=\"7\"", "tuna", run);
    for (size_t i = 0; i < 3; i++) assert_int_equal(result->claims[i].holds, UNA_CANNOT_TELL);
    assert_says(result->claims[0].numbers, "two spreads");
    assert_says(result->claims[1].numbers, "needs nlm");
    una_bench_free(result);
    una_run_free(run);
}

static void spreads_in_any_order(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_bench_result *result = pseudo_in("order", "spreads=\"40, 2.5,0\"", "tuna", run);
    assert_int_equal(result->claims[0].holds, UNA_HOLDS);
    const char *none = strstr(result->claims[0].numbers, " at 0,"), *some = strstr(none, " at 2.5,");
    assert_non_null(strstr(some, " at 40"));
    una_bench_free(result);
    una_run_free(run);
}

static void spreads_that_are_refused(void **state)
{
    static const char *const bad[] = { "spreads=\"\"", "spreads=\"1,,2\"", "spreads=\"-1\"", "spreads=wide",
        "spreads=\"nan\"", "spreads=\"1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17\"", "spreads=\"5,1,5\"" };
    (void)state;
    assert_sets_refused("pseudo", bad, sizeof bad / sizeof *bad, "spreads=");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubt_that_rises),
        cmocka_unit_test(doubt_that_does_not),
        cmocka_unit_test(spreads_in_any_order),
        cmocka_unit_test(spreads_that_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
