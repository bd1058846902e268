/* SPDX-License-Identifier: MIT
 *
 * The cubic gap with made-up kinds in place of the registry, whose epistemic std is a bump of chosen height in the
 * middle; the table of results; the claims on made-up rows.
 */
#include "test_support.h"

#include "bench/bench.h"
#include "model/kind.h"

/* Fontconfig keeps what it once read, and nobody but its own FcFini may give it back. */
__attribute__((visibility("default"))) const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfontconfig";
}

/* ---- made-up kinds ------------------------------------------------------------------------------------- */

typedef struct bump { double height; } bump;
typedef struct bump_options { double height, penalty, prior_var, steps; const char *kernel; int ard; } bump_options;

static int fits;

static const una_option table[] = {
    { "height", UNA_REAL, offsetof(bump_options, height), "1", -1e9, 1e9, false, NULL, "of the std in the middle" },
    { "penalty", UNA_REAL, offsetof(bump_options, penalty), "1", 0, 1e9, false, NULL, "divides the height" },
    { "prior_var", UNA_REAL, offsetof(bump_options, prior_var), "1", 0, 1e9, false, NULL, "not used" },
    { "steps", UNA_COUNT, offsetof(bump_options, steps), "1", 0, 1e9, false, NULL, "not used" },
    { "kernel", UNA_TEXT, offsetof(bump_options, kernel), "", 0, 0, false, NULL, "not used" },
    { "ard", UNA_FLAG, offsetof(bump_options, ard), "no", 0, 0, false, NULL, "not used" },
    { .name = NULL }
};

static una_status bump_fit(void *state, void *options, const una_problem *p, una_fit_result *result, una_arena *keep,
                           una_run *run)
{
    const bump_options *o = options;
    (void)p;
    (void)keep;
    if (o->height < 0) UNA_FAIL(run, UNA_E_NUMERIC, "the bump fell down");
    fits++;
    ((bump *)state)->height = o->height / o->penalty;
    result->noise_var = 1;
    result->log_evidence = -1;
    return UNA_OK;
}

static una_status bump_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const bump *m = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        double at = x.at[r * x.stride], std = 0.01 + m->height * exp(-4 * at * at);
        out->mean[r] = at;
        out->var_model[r] = std * std;
        out->var_noise[r] = 1;
    }
    return UNA_OK;
}

static una_status bump_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "height", &((bump *)state)->height);
}

#define BUMP(its_name) { .name = its_name, .summary = "a bump", .source = "nobody", .options = table, \
    .options_size = sizeof(bump_options), .state_size = sizeof(bump), .thesis = "", .least_rows = 4, .fit = bump_fit, \
    .predict = bump_predict, .exchange = bump_exchange }
static const una_kind gp_kind = BUMP("gp"), nlm_kind = BUMP("nlm"), other_kind = BUMP("other");
const una_kind *const una_kinds[] = { &nlm_kind, &other_kind, &gp_kind, NULL };

/* ---- the experiment ------------------------------------------------------------------------------------ */

static const una_bench_claim *claim_about(const una_bench_result *result, const char *word)
{
    for (size_t i = 0; i < result->claim_count; i++)
        if (strstr(result->claims[i].sentence, word)) return &result->claims[i];
    fail_msg("no claim about %s", word);
    return NULL;
}

static void every_kind_once_and_never_again(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    una_bench_settings settings = { .out = temp_path("all"), .seeds = 2 };
    (void)state;
    fits = 0;
    assert_ok(una_bench_cubic(&result, &settings, run), run);
    assert_int_equal(fits, 10);
    assert_int_equal(result->fitted, 10);
    assert_int_equal(result->row_count, 10);
    assert_int_equal(result->mean_count, 5);
    assert_string_equal(result->means[0].spec, "gp(kernel=matern32, ard=no)");
    assert_string_equal(result->means[4].spec, "other");
    assert_int_equal(result->means[0].seeds, 2);
    assert_true(result->rows[0].seed == 0 && result->rows[1].seed == 1);
    assert_true(result->rows[0].gap_std > 2 * result->rows[0].data_std);
    assert_true(result->rows[0].centre_std > result->rows[0].gap_std);
    assert_int_equal(claim_about(result, "The GP")->holds, 1);
    assert_int_equal(claim_about(result, "NLM")->holds, 1);
    assert_int_equal(claim_about(result, "LUNA")->holds, -1);
    double gap = result->rows[0].gap_std;
    una_bench_free(result);
    assert_ok(una_bench_cubic(&result, &settings, run), run);
    assert_int_equal(fits, 10);
    assert_int_equal(result->fitted, 0);
    assert_true(result->rows[0].gap_std == gap);             /* the table gives back the same bits */
    una_bench_free(result);
    settings.seeds = 3;
    assert_ok(una_bench_cubic(&result, &settings, run), run);
    assert_int_equal(fits, 15);
    una_bench_free(result);
    una_run_free(run);
}

static void a_lost_model_is_fitted_again_but_not_recorded_twice(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    const char *models[] = { "other(height=2)" };
    una_bench_settings settings = { .out = temp_path("lost"), .models = models, .model_count = 1, .quick = 1 };
    (void)state;
    assert_ok(una_bench_cubic(&result, &settings, run), run);
    assert_int_equal(result->row_count, 2);
    una_bench_free(result);
    DIR *folder = opendir(settings.out);
    for (struct dirent *file; (file = readdir(folder));)
        if (strstr(file->d_name, ".una")) assert_int_equal(unlinkat(dirfd(folder), file->d_name, 0), 0);
    closedir(folder);
    assert_ok(una_bench_cubic(&result, &settings, run), run);
    assert_int_equal(result->fitted, 1);
    una_bench_free(result);
    una_arena arena;
    una_arena_init(&arena, run);
    una_bench_rows rows = { .arena = &arena };
    assert_ok(una_bench_rows_read(&rows, temp_path("lost/cubic.csv"), run), run);
    assert_int_equal(rows.count, 2);
    una_arena_free(&arena);
    una_run_free(run);
}

static void failures_say_where(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    const char *models[] = { "other", "other(height=-1)" };
    una_bench_settings settings = { .out = temp_path("fails"), .models = models, .model_count = 2, .seeds = 1 };
    (void)state;
    assert_status(una_bench_cubic(&result, &settings, run), UNA_E_NUMERIC, run);
    assert_null(result);
    assert_says(una_run_message(run), "other, seed 0: the bump fell down");
    models[1] = "othre";
    assert_status(una_bench_cubic(&result, &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "did you mean 'other'");
    models[1] = "somethingelse";
    assert_status(una_bench_cubic(&result, &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "The models are nlm, other, gp");
    models[1] = "other(hight=1)";
    assert_status(una_bench_cubic(&result, &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "height");
    settings.model_count = 1;
    settings.out = temp_path("no/such/folder");
    assert_status(una_bench_cubic(&result, &settings, run), UNA_E_IO, run);
    una_run_free(run);
}

static void an_interrupted_run_says_so(void **state)
{
    volatile int stop = 1;
    una_run *run = NULL;
    una_bench_result *result = NULL;
    una_bench_settings settings = { .out = temp_path("stopped"), .seeds = 1 };
    una_run_settings about = { .size = sizeof about, .threads = 1, .cancel = &stop };
    (void)state;
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    assert_status(una_bench_cubic(&result, &settings, run), UNA_CANCELLED, run);
    assert_says(una_run_message(run), "goes on from there");
    una_run_free(run);
}

static una_status small_run(void *context, una_run *run)
{
    const char *models[] = { "other", "gp" };
    una_bench_settings settings = { .out = context, .models = models, .model_count = 2, .seeds = 1 };
    una_bench_result *result = NULL;
    una_status status = una_bench_cubic(&result, &settings, run);
    una_bench_free(result);
    return status;
}

static void no_memory_is_no_crash(void **state)
{
    char folder[4096];
    (void)state;
    snprintf(folder, sizeof folder, "%s", temp_path("memory"));
    assert_true(sweep_allocations(small_run, folder) > 10);
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static void bad_tables_are_refused(void **state)
{
    static const char head[] = "model,spec,seed,gap_std,data_std,rmse,seconds,centre_std,ripple\n";
    static const char *const bad[] = { "gp,gp,0.5,1,1,1,1,1,0\n", "gp,gp,0,,1,1,1,1,0\n", "gp,gp,0,-1,1,1,1,1,0\n",
                                       "gp,,0,1,1,1,1,1,0\n", "gp,gp,0,one,1,1,1,1,0\n", "1,gp,0,1,1,1,1,1,0\n" };
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const char *path = temp_path("bad.csv");
        FILE *file = fopen(path, "w");
        fprintf(file, "%s%s", head, bad[i]);
        fclose(file);
        una_bench_rows rows = { .arena = &arena };
        assert_status(una_bench_rows_read(&rows, path, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), "line 2");
    }
    una_arena_free(&arena);
    una_run_free(run);
}

static void rows_come_back_as_they_went(void **state)
{
    una_run *run = quiet_run();
    una_arena arena;
    const char *path = temp_path("rows.csv");
    (void)state;
    una_arena_init(&arena, run);
    una_bench_rows out = { .arena = &arena }, in = { .arena = &arena };
    for (uint64_t s = 0; s < 100; s++)
        una_bench_rows_add(&out, (una_bench_row){ "tuna", "tuna(prior=\"a, b\")", s, 0.1 * (double)s, 1, 2, 3, 4, 0 });
    assert_ok(una_bench_rows_write(&out, path, run), run);
    assert_ok(una_bench_rows_read(&in, path, run), run);
    assert_int_equal(in.count, 100);
    const una_bench_row *row = una_bench_rows_find(&in, "tuna(prior=\"a, b\")", 77);
    assert_non_null(row);
    assert_true(row->gap_std == 0.1 * 77);
    assert_null(una_bench_rows_find(&in, "tuna", 77));
    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- claims ------------------------------------------------------------------------------------------------ */

static void ripple_is_what_it_says(void **state)
{
    const double hill[] = { 1, 2, 5, 4, 1 }, dent[] = { 1, 5, 3, 10, 2, 3 }, late[] = { 1, 10, 2, 6 };
    const double flat[] = { 0, 0 };
    (void)state;
    assert_near(una_bench_ripple(hill, 5), 0, 0, 0);
    assert_near(una_bench_ripple(dent, 6), 0.2, 1e-15, 0);
    assert_near(una_bench_ripple(late, 4), 0.4, 1e-15, 0);
    assert_near(una_bench_ripple(flat, 2), 0, 0, 0);
    assert_near(una_bench_ripple(flat, 0), 0, 0, 0);
}

static una_bench_row made_up(const char *model, const char *spec, uint64_t seed, double gap)
{
    return (una_bench_row){ model, spec, seed, gap, 1, 3, 1, gap, 0.05 };
}

static void claims_follow_the_numbers(void **state)
{
    una_bench_row rows[] = {
        made_up("gp", "gp", 0, 10), made_up("gp", "gp", 1, 14), made_up("hmc", "hmc", 0, 9),
        made_up("luna", "luna", 0, 5), made_up("luna", "luna", 1, 7), made_up("tuna", "tuna", 0, 5.9),
        made_up("mcd", "mcd", 0, 5.9), made_up("bbvi", "bbvi", 0, 6), made_up("nlm", "nlm(penalty=10)", 0, 2),
        made_up("nlm", "nlm(penalty=0.1)", 0, 4), made_up("nlm", "nlm", 0, 99), made_up("nlm", "nlm(penalty=1)", 0, 3),
    };
    una_bench_result result = { .rows = rows, .row_count = sizeof rows / sizeof *rows };
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    rows[2].ripple = 0.11;
    assert_ok(una_bench_judge(&result, &arena, run), run);
    assert_near(result.means[0].gap_std, 12, 0, 0);
    assert_near(result.means[0].gap_std_sd, sqrt(8), 1e-15, 0);
    assert_near(result.means[1].gap_std_sd, 0, 0, 0);
    assert_int_equal(claim_about(&result, "The GP's epi")->holds, 1);
    assert_says(claim_about(&result, "The GP's epi")->numbers, "2 of 2 seeds");
    assert_int_equal(claim_about(&result, "HMC")->holds, 0);                 /* rises, but not smoothly */
    assert_int_equal(claim_about(&result, "LUNA")->holds, 1);                /* exactly half is enough */
    assert_int_equal(claim_about(&result, "TUNA")->holds, 0);
    assert_says(claim_about(&result, "TUNA")->numbers, "1 of 1 seeds");
    assert_int_equal(claim_about(&result, "MC dropout")->holds, 1);
    assert_int_equal(claim_about(&result, "BBVI")->holds, 0);
    assert_int_equal(claim_about(&result, "NLM")->holds, 1);
    assert_says(claim_about(&result, "NLM")->numbers, "4.00 at penalty 0.1, 3.00 at penalty 1, 2.00 at penalty 10");
    assert_says(claim_about(&result, "NLM")->numbers, "1 of 1 seeds");
    rows[11].gap_std = 4;
    rows[0].centre_std = rows[1].centre_std = 2; /* twice the data std is not more than twice */
    assert_ok(una_bench_judge(&result, &arena, run), run);
    assert_int_equal(claim_about(&result, "NLM")->holds, 0);
    assert_int_equal(claim_about(&result, "The GP's epi")->holds, 0);
    una_arena_free(&arena);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_once_and_never_again),
        cmocka_unit_test(a_lost_model_is_fitted_again_but_not_recorded_twice),
        cmocka_unit_test(failures_say_where),
        cmocka_unit_test(an_interrupted_run_says_so),
        cmocka_unit_test(no_memory_is_no_crash),
        cmocka_unit_test(bad_tables_are_refused),
        cmocka_unit_test(rows_come_back_as_they_went),
        cmocka_unit_test(ripple_is_what_it_says),
        cmocka_unit_test(claims_follow_the_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
