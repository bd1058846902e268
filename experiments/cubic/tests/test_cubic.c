/* SPDX-License-Identifier: MIT
 *
 * The cubic gap with made-up kinds in place of the registry, whose epistemic std is a bump of chosen height in the
 * middle; the claims on made-up rows; what the engine does for every experiment.
 */
#include "bench/bench_support.h"
#include "draws.h"

#include "bench/claims.h"
#include "cubic/cubic.h"
#include "model/kind.h"

/* ---- made-up kinds ------------------------------------------------------------------------------------- */

#define BUMP_FLOOR 0.01
#include "bench/bump.h"

typedef struct bump_options { double height, penalty, prior_var, steps; const char *kernel; int ard; } bump_options;

static _Atomic int fits;

static const una_option table[] = {
    { "height", UNA_REAL, offsetof(bump_options, height), "1", -1e9, 1e9, false, NULL, "of the std in the middle" },
    { "penalty", UNA_REAL, offsetof(bump_options, penalty), "1", 0, 1e9, false, NULL, "divides the height" },
    { "prior_var", UNA_REAL, offsetof(bump_options, prior_var), "1", 0, 1e9, false, NULL, "not used" },
    { "steps", UNA_COUNT, offsetof(bump_options, steps), "1", 0, 1e9, false, NULL, "not used" },
    { "kernel", UNA_TEXT, offsetof(bump_options, kernel), "", 0, 0, false, NULL, "not used" },
    { "ard", UNA_FLAG, offsetof(bump_options, ard), "no", 0, 0, false, NULL, "not used" },
    { .name = NULL }
};

static una_status bump_fit(una_fitting *f)
{
    void *state = f->target->state;
    una_fit_result *result = f->target->result;
    una_run *run = f->run;
    const bump_options *o = f->target->options;
    if (o->height < 0) UNA_FAIL(run, UNA_E_NUMERIC, "the bump fell down");
    fits++;
    ((bump *)state)->height = o->height / o->penalty;
    result->noise_var = 1;
    result->log_evidence = -1;
    return UNA_OK;
}

static const una_kind gp_kind = BUMP("gp"), nlm_kind = BUMP("nlm"), other_kind = BUMP("other");
const una_kind *const una_kinds[] = { &nlm_kind, &other_kind, &gp_kind, NULL };


extern const una_experiment una_experiment_cubic;

/* ---- the experiment ------------------------------------------------------------------------------------ */

static const una_bench_claim *claim_about(const una_bench_result *result, const char *word)
{
    for (size_t i = 0; i < result->claim_count; i++)
        if (strstr(result->claims[i].sentence, word)) return &result->claims[i];
    fail_msg("no claim about %s", word);
    return NULL;
}

static double value_of(const una_bench_result *result, size_t fit, const char *measure)
{
    for (size_t i = 0, fits_seen = 0; i < result->row_count; i++) {
        if (i > 0 && result->rows[i].key != result->rows[i - 1].key) fits_seen++;
        if (fits_seen == fit && strcmp(result->rows[i].measure, measure) == 0) return result->rows[i].value;
    }
    fail_msg("no %s of fit %zu", measure, fit);
    return NAN;
}

static size_t lines_of(const char *path)
{
    FILE *file = fopen(path, "r");
    size_t lines = 0;
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;) lines += c == '\n';
    fclose(file);
    return lines;
}

static void every_kind_once_and_never_again(void **state)
{
    una_run *run = quiet_run_threads(2);
    una_bench_result *result = NULL;
    const char *set[] = { "seeds=3" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("all"), .set = set, .set_count = 1 };
    (void)state;

    fits = 0;
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(fits, 15);
    assert_int_equal(result->fitted, 15);
    assert_int_equal(result->fits, 15);
    assert_int_equal(result->row_count, 15 * (UNA_CUBIC_MEASURES + 1));
    assert_int_equal(result->mean_count, 5 * (UNA_CUBIC_MEASURES + 1));

    assert_string_equal(result->means[0].key->spec, "gp(kernel=matern32, ard=no)");
    assert_string_equal(result->means[result->mean_count - 1].key->spec, "other");
    assert_string_equal(result->means[result->mean_count - 1].measure, "seconds");
    assert_int_equal(result->means[0].count, 3);
    assert_string_equal(result->rows[0].key->study, "cubic");
    assert_int_equal(result->rows[0].key->results, 2);
    assert_says(result->rows[0].key->options, "height=1");
    assert_int_equal(result->rows[0].key->seed, 0);
    assert_int_equal(result->rows[UNA_CUBIC_MEASURES + 1].key->seed, 1);

    assert_true(value_of(result, 0, "gap_std") > 2 * value_of(result, 0, "data_std"));
    assert_true(value_of(result, 0, "centre_std") > value_of(result, 0, "gap_std"));
    assert_int_equal(claim_about(result, "The GP")->holds, 1);
    assert_int_equal(claim_about(result, "NLM")->holds, 1);
    assert_int_equal(claim_about(result, "LUNA")->holds, -1);
    double gap = value_of(result, 0, "gap_std");
    una_bench_free(result);

    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(fits, 15);
    assert_int_equal(result->fitted, 0);
    assert_true(value_of(result, 0, "gap_std") == gap);              /* the store gives back the same bits */
    una_bench_free(result);

    set[0] = "seeds=4";
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(fits, 20);
    una_bench_free(result);
    una_run_free(run);
}

static void remove_files(const char *folder, const char *ending)
{
    DIR *open = opendir(folder);
    for (struct dirent *file; (file = readdir(open));)
        if (strstr(file->d_name, ending)) assert_int_equal(unlinkat(dirfd(open), file->d_name, 0), 0);
    closedir(open);
}

static void a_lost_model_is_fitted_again_but_not_recorded_twice(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    const char *models[] = { "other(height=2)" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("lost"), .models = models,
                                    .model_count = 1, .quick = 1 };
    (void)state;
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(result->fits, 3);
    una_bench_free(result);

    fits = 0;
    remove_files(settings.out, ".una");
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(result->fitted, 0);
    assert_int_equal(fits, 1);                                       /* for the page */
    una_bench_free(result);
    assert_int_equal(lines_of(temp_path("lost/cubic.csv")), 4);
    una_run_free(run);
}

static const char *file_in(const char *folder, const char *ending)
{
    static char path[8192];
    DIR *open = opendir(folder);
    for (struct dirent *file; (file = readdir(open));)
        if (strstr(file->d_name, ending)) snprintf(path, sizeof path, "%s/%s", folder, file->d_name);
    closedir(open);
    return path;
}

/* A kept model that is damaged, or is another one, is as good as none. */
static void a_wrong_model_is_fitted_again(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    char folder[4096], other[4096], model[8192], foreign[8192];
    const char *spec = "other(height=2)", *elsewhere = "other(height=5)", *set = "seeds=1";
    una_bench_settings settings = { .size = sizeof settings, .models = &elsewhere, .model_count = 1, .set = &set,
                                    .set_count = 1 };
    (void)state;
    snprintf(folder, sizeof folder, "%s", temp_path("wrong"));
    snprintf(other, sizeof other, "%s", temp_path("foreign"));
    settings.out = other;
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    una_bench_free(result);
    settings.out = folder;
    settings.models = &spec;
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    una_bench_free(result);
    snprintf(foreign, sizeof foreign, "%s", file_in(other, ".una"));
    snprintf(model, sizeof model, "%s", file_in(folder, ".una"));

    fits = 0;
    assert_int_equal(truncate(model, 40), 0);
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(fits, 1);
    una_bench_free(result);
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(fits, 1);                                       /* that one is the right one again */
    una_bench_free(result);

    assert_int_equal(unlink(model), 0);
    assert_int_equal(link(foreign, model), 0);
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(fits, 2);
    assert_int_equal(result->fitted, 0);
    una_bench_free(result);
    una_run_free(run);
}

/* What a repository keeps is the CSV file. */
static void the_csv_file_alone_is_enough(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    const char *models[] = { "other(height=3)" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("csv"), .models = models,
                                    .model_count = 1, .quick = 1 };
    (void)state;
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    double gap = value_of(result, 1, "gap_std");
    una_bench_free(result);

    remove_files(settings.out, ".sqlite");
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(result->fitted, 0);
    assert_true(value_of(result, 1, "gap_std") == gap);
    una_bench_free(result);

    size_t rows, added;
    assert_ok(una_bench_export(&rows, "cubic", settings.out, temp_path("rows.csv"), run), run);
    assert_int_equal(rows, 3);
    assert_ok(una_bench_import(&rows, &added, "cubic", temp_path("csv2"), temp_path("rows.csv"), run), run);
    assert_int_equal(added, 3);
    assert_ok(una_bench_import(&rows, &added, "cubic", temp_path("csv2"), temp_path("rows.csv"), run), run);
    assert_int_equal(rows, 3);
    assert_int_equal(added, 0);
    assert_status(una_bench_import(&rows, &added, "gap", temp_path("csv2"), temp_path("rows.csv"), run), UNA_E_INPUT,
                  run);
    assert_says(una_run_message(run), "another study");
    una_run_free(run);
}

/* The same fit with the number of results raised is another key: made anew, and the old row is not in its mean. */
static void rows_of_another_version_are_kept_apart(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    una_experiment raised = una_experiment_cubic;
    const char *models[] = { "other" }, *set[] = { "seeds=1" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("raised"), .models = models,
                                    .model_count = 1, .set = set, .set_count = 1 };
    (void)state;
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    una_bench_free(result);

    fits = 0;
    raised.results++;
    assert_ok(una_experiment_run(&result, &raised, &settings, run), run);
    assert_int_equal(result->fitted, 1);
    assert_int_equal(result->rows[0].key->results, 3);
    assert_int_equal(result->means[0].count, 1);
    una_bench_free(result);
    assert_int_equal(lines_of(temp_path("raised/cubic.csv")), 3);    /* both are kept */
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(result->fitted, 0);
    una_bench_free(result);
    una_run_free(run);
}

static void failures_say_where(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    const char *models[] = { "other", "other(height=-1)" }, *set[] = { "seeds=1" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("fails"), .models = models,
                                    .model_count = 2, .set = set, .set_count = 1 };
    (void)state;

    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_NUMERIC, run);
    assert_null(result);
    assert_says(una_run_message(run), "other on cubic, split 0, seed 0: the bump fell down");
    assert_int_equal(lines_of(temp_path("fails/cubic.csv")), 2);     /* what was finished is there */

    models[1] = "othre";
    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "did you mean 'other'");
    models[1] = "somethingelse";
    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "The models are");
    models[1] = "other(hight=1)";
    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "height");

    settings.model_count = 1;
    set[0] = "group=valid";
    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "cubic has no option 'group'");
    set[0] = "seeds=0";
    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "1 to 1000");

    settings.set_count = 0;
    settings.out = temp_path("no/such/folder");
    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_IO, run);
    assert_status(una_bench_run(&result, "cubik", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "did you mean 'cubic'");
    una_run_free(run);
}

static void settings_have_a_size(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    const char *models[] = { "other" };
    una_bench_settings settings = { .out = temp_path("sized"), .models = models, .model_count = 1, .quick = 1 };
    (void)state;

    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "size");
    settings.size = 1 << 20;                                         /* no size of such a struct */
    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_E_USAGE, run);

    settings.set_count = 99;                                         /* beyond the size: not looked at */
    settings.size = offsetof(una_bench_settings, set);
    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_int_equal(result->fits, 3);
    una_bench_free(result);
    una_run_free(run);
}

static void an_interrupted_run_says_so(void **state)
{
    volatile int stop = 1;
    una_run *run = NULL;
    una_bench_result *result = NULL;
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("stopped"), .quick = 1 };
    una_run_settings about = { .size = sizeof about, .threads = 1, .cancel = &stop };
    (void)state;
    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    assert_status(una_bench_run(&result, "cubic", &settings, run), UNA_CANCELLED, run);
    assert_says(una_run_message(run), "goes on from there");
    assert_int_equal(lines_of(temp_path("stopped/cubic.csv")), 1);
    una_run_free(run);
}

static void no_memory_is_no_crash(void **state)
{
    const char *models[] = { "other", "gp" }, *set[] = { "seeds=1" };
    (void)state;
    assert_survives_no_memory("cubic", SIZED(una_bench_settings, .models = models, .model_count = 2, .set = set,
                                             .set_count = 1));
}

/* ---- claims ------------------------------------------------------------------------------------------------ */

static void ripple_is_what_it_says(void **state)
{
    const double hill[] = { 1, 2, 5, 4, 1 }, dent[] = { 1, 5, 3, 10, 2, 3 }, late[] = { 1, 10, 2, 6 };
    const double flat[] = { 0, 0 };
    (void)state;
    assert_near(una_cubic_ripple(hill, 5), 0, 0, 0);
    assert_near(una_cubic_ripple(dent, 6), 0.2, 1e-15, 0);
    assert_near(una_cubic_ripple(late, 4), 0.4, 1e-15, 0);
    assert_near(una_cubic_ripple(flat, 2), 0, 0, 0);
    assert_near(una_cubic_ripple(flat, 0), 0, 0, 0);
}

/* Rows as a run would have stored them, judged by the experiment's own claims. */
typedef struct made_up {
    una_arena            arena;
    una_plan             plan;
    una_store           *store;
    una_bench_model      models[16];
    size_t               model_count;
    una_findings         findings;
} made_up;

typedef struct made_row { double gap, centre, ripple, rmse, beyond, inside; } made_row;

static void store_values(made_up *m, const char *kind, const char *spec, uint64_t seed, made_row r, una_run *run)
{
    static const char *const names[] = { "gap_std", "data_std", "rmse", "centre_std", "ripple", "beyond_std",
                                         "beyond_inside" };
    double value[] = { r.gap, 1, r.rmse, r.centre, r.ripple, r.beyond, r.inside };
    una_row row = { .key = { "cubic", "cubic", 0, spec, seed, 1 }, .measure = names, .value = value, .count = 7,
                    .options = "", .kernels = "", .commit = "", .seconds = 1 };
    size_t known = 0;
    while (known < m->model_count && strcmp(m->models[known].spec, spec) != 0) known++;
    if (known == m->model_count) m->models[m->model_count++] = (una_bench_model){ kind, spec, 1 };
    una_plan_add(&m->plan, row.key);
    assert_ok(una_store_put(m->store, &row, 1, true, NULL, run), run);
}

static void store_row(made_up *m, const char *kind, const char *spec, uint64_t seed, double gap, double centre,
                      double ripple, una_run *run)
{
    store_values(m, kind, spec, seed, (made_row){ gap, centre, ripple, 3, 5, 0.4 }, run);
}

static int claim_result(made_up *m, const char *word, const char **numbers, una_run *run)
{
    una_asked asked = { .experiment = &una_experiment_cubic, .models = m->models, .model_count = m->model_count };
    assert_ok(una_findings_gather(&m->findings, &m->plan, &asked, m->store, &m->arena, run), run);
    for (const una_claim *claim = una_experiment_cubic.claims; claim->sentence; claim++) {
        una_text text = una_text_in(&m->arena);
        int holds = -2;
        if (!strstr(claim->sentence, word)) continue;
        assert_ok(una_claim_judge(&holds, &text, claim, &m->findings, run), run);
        *numbers = text.at;
        return holds;
    }
    fail_msg("no claim about %s", word);
    return -2;
}

/* Three seeds, the GP's gap std being 10, 14 and 12: `share` of it. */
static void store_share(made_up *m, const char *kind, double share, double ripple, una_run *run)
{
    static const double gap[] = { 10, 14, 12 };
    for (uint64_t seed = 0; seed < 3; seed++)
        store_row(m, kind, kind, seed, share * gap[seed], share * gap[seed], ripple, run);
}

static void store_penalty(made_up *m, const char *spec, double a, double b, double c, una_run *run)
{
    const double gap[] = { a, b, c };
    for (uint64_t seed = 0; seed < 3; seed++) store_row(m, "nlm", spec, seed, gap[seed], gap[seed], 0.05, run);
}

static void claims_follow_the_numbers(void **state)
{
    una_run *run = quiet_run();
    made_up m = {0};
    const char *numbers;
    (void)state;
    una_arena_init(&m.arena, run);
    m.plan.arena = &m.arena;
    assert_ok(una_store_open(&m.store, temp_path("claims.sqlite"), UNA_DATABASE_JOURNAL, run), run);
    assert_int_equal(claim_result(&m, "The GP's epi", &numbers, run), UNA_CANNOT_TELL);
    assert_says(numbers, "needs gp");

    store_share(&m, "gp", 1, 0.05, run);
    store_share(&m, "hmc", 0.9, 0.11, run);
    store_share(&m, "luna", 0.5, 0.05, run);
    store_share(&m, "tuna", 0.49, 0.05, run);
    store_share(&m, "mcd", 0.49, 0.05, run);
    store_share(&m, "bbvi", 0.5, 0.05, run);
    store_penalty(&m, "nlm(penalty=10)", 2, 2, 2, run);
    store_penalty(&m, "nlm(penalty=0.1)", 4, 4, 4, run);
    store_penalty(&m, "nlm", 99, 99, 99, run);
    store_penalty(&m, "nlm(penalty=1)", 3, 3, 3, run);

    assert_int_equal(claim_result(&m, "The GP's epi", &numbers, run), UNA_HOLDS);
    assert_says(numbers, "to spare of the std 10 (95 % interval 5.03 to 15, above 0 in 3 of 3)");
    assert_near(m.findings.mean[UNA_CUBIC_GAP_STD], 12, 0, 0);
    assert_near(m.findings.sd[UNA_CUBIC_GAP_STD], 2, 1e-15, 0);
    assert_int_equal(claim_result(&m, "HMC", &numbers, run), UNA_DOES_NOT_HOLD);   /* rises, but not smoothly */
    assert_int_equal(claim_result(&m, "LUNA", &numbers, run), UNA_HOLDS);          /* exactly half is enough */
    assert_int_equal(claim_result(&m, "TUNA", &numbers, run), UNA_DOES_NOT_HOLD);
    assert_says(numbers, "above 0 in 0 of 3");
    assert_int_equal(claim_result(&m, "MC dropout", &numbers, run), UNA_HOLDS);
    assert_int_equal(claim_result(&m, "BBVI", &numbers, run), UNA_DOES_NOT_HOLD);  /* half is not less than half */
    assert_int_equal(claim_result(&m, "NLM", &numbers, run), UNA_HOLDS);
    assert_says(numbers, "4.00 at penalty 0.1, 3.00 at penalty 1, 2.00 at penalty 10");

    store_penalty(&m, "nlm(penalty=1)", 1, 3, 5, run);                       /* falls in the mean, and who knows */
    assert_int_equal(claim_result(&m, "NLM", &numbers, run), UNA_CANNOT_TELL);
    assert_says(numbers, "above 0 in 2 of 3");
    store_penalty(&m, "nlm(penalty=1)", 4, 4, 4, run);
    for (uint64_t seed = 0; seed < 3; seed++) store_row(&m, "gp", "gp", seed, 10, 2, 0.05, run);
    assert_int_equal(claim_result(&m, "NLM", &numbers, run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&m, "The GP's epi", &numbers, run), UNA_DOES_NOT_HOLD);  /* twice is not more than twice */

    una_store_close(m.store);
    una_arena_free(&m.arena);
    una_run_free(run);
}

static void claims_look_both_ways_and_outside(void **state)
{
    static const struct { made_row luna; int gap, error, rises, holds; } cases[] = {
        { { 5, 5, 0, 3.2, 2.1, 0.4 }, 1, 1, 1, 1 },      /* of the GP: gap 10, error 3, beyond 5, inside 0.4 */
        { { 4.9, 5, 0, 3.4, 2, 0.39 }, 0, 0, 0, 0 },
        { { 19.9, 5, 0, 1, 99, 1 }, 1, 1, 1, 1 },
        { { 20.1, 5, 0, 3.3001, 99, 0 }, 0, 0, 1, 0 },   /* too much is untrue as well */
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        made_up m = {0};
        const char *numbers;
        char name[20];
        snprintf(name, sizeof name, "ways%zu.sqlite", i);
        una_arena_init(&m.arena, run);
        m.plan.arena = &m.arena;
        assert_ok(una_store_open(&m.store, temp_path(name), UNA_DATABASE_JOURNAL, run), run);
        for (uint64_t seed = 0; seed < 3; seed++) store_row(&m, "gp", "gp", seed, 10, 10, 0.05, run);
        assert_int_equal(claim_result(&m, "LUNA's epistemic std rises beyond", &numbers, run), -1);
        for (uint64_t seed = 0; seed < 3; seed++) store_values(&m, "luna", "luna", seed, cases[i].luna, run);
        assert_int_equal(claim_result(&m, "between half and twice", &numbers, run), cases[i].gap);
        assert_says(numbers, "0.50 to 2.00 asked");
        assert_int_equal(claim_result(&m, "within a tenth", &numbers, run), cases[i].error);
        assert_int_equal(claim_result(&m, "The GP's epistemic std rises beyond", &numbers, run), 1);
        assert_int_equal(claim_result(&m, "LUNA's epistemic std rises beyond", &numbers, run), cases[i].rises);
        assert_int_equal(claim_result(&m, "as often as the GP's", &numbers, run), cases[i].holds);
        una_store_close(m.store);
        una_arena_free(&m.arena);
    }
    una_run_free(run);
}

/* The measures outside, against the model's own answers on points written down here. */
static void the_outside_is_measured(void **state)
{
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    una_model *model = NULL;
    una_dataset *data = NULL;
    const char *spec = "other(height=2)", *set = "seeds=1";
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("outside"), .models = &spec,
                                    .model_count = 1, .set = &set, .set_count = 1 };
    una_row_key key = { .spec = spec, .seed = 0 };
    double x[183], mean[183], std[183], both[183], inside[2] = {0}, log_lik[2] = {0}, beyond = 0;
    una_prediction p = { .size = sizeof p, .mean = mean, .std_epistemic = std, .std = both };
    (void)state;
    for (int i = 0; i < 61; i++) {
        x[i] = -1.5 + i / 20.0;
        x[61 + i] = -4 - i / 30.0;
        x[122 + i] = 4 + i / 30.0;
    }

    assert_ok(una_bench_run(&result, "cubic", &settings, run), run);
    assert_ok(una_cubic_fit(&model, &data, &key, run), run);
    assert_ok(una_model_predict_rows(model, x, 183, 0.95, &p, run), run);
    for (int i = 0; i < 183; i++) {
        double off = mean[i] - x[i] * x[i] * x[i], var = both[i] * both[i], n = i < 61 ? 61 : 122;
        inside[i >= 61] += (fabs(off) < 1.96 * std[i]) / n;
        log_lik[i >= 61] -= (0.5 * log(2 * acos(-1) * var) + (off * off + 9) / var / 2) / n;     /* y has noise 3 */
        if (i >= 61) beyond += std[i] / n;
    }
    assert_near(value_of(result, 0, "gap_inside"), inside[0], 0, 1e-9);
    assert_near(value_of(result, 0, "beyond_inside"), inside[1], 0, 1e-9);
    assert_near(value_of(result, 0, "beyond_std"), beyond, 1e-9, 0);
    assert_near(value_of(result, 0, "gap_log_lik"), log_lik[0], 0, 0.02);
    assert_near(value_of(result, 0, "beyond_log_lik"), log_lik[1], 0, 0.1);
    assert_true(inside[0] > 0.5);
    una_bench_free(result);
    una_run_free(run);
}

/* ---- an experiment of one's own ------------------------------------------------------------------------------ */

static una_status toy_plan(una_plan *plan, const una_asked *asked, una_run *run)
{
    (void)run;
    for (uint64_t split = 0; split < 3; split++)
        una_plan_add(plan, una_model_row_key(&asked->models[0], "toy", "nothing", split, asked->first));
    return UNA_OK;
}

static una_status toy_measure(const una_measuring *m)
{
    m->outcome->value[0] = (double)m->key->split + (double)m->run->settings.seed;
    m->outcome->options = m->key->spec;
    return UNA_OK;
}

static const una_bench_measure toy_measures[] = { { "sum", "sum", "", "split plus seed", 0 }, { .name = NULL } };
static const una_entry toy_entries[] = { { "other", "other", "other" }, { NULL, NULL, NULL } };
static const una_experiment toy = { .name = "toy", .summary = "adds", .title = "Toy", .lead = "Adds.",
    .caption = "Sums", .over = "splits", .measures = toy_measures, .entries = toy_entries,
    .plan = toy_plan, .measure = toy_measure };

static void a_struct_is_an_experiment(void **state)
{
    una_run *run = NULL;
    una_run_settings about = { .size = sizeof about, .threads = 1, .seed = 40 };
    una_bench_result *result = NULL;
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("toy") };
    (void)state;

    assert_int_equal(una_run_new(&run, &about), UNA_OK);
    assert_ok(una_experiment_run(&result, &toy, &settings, run), run);
    assert_int_equal(result->fits, 3);
    assert_int_equal(result->claim_count, 0);
    assert_near(result->means[0].mean, 41, 0, 0);
    assert_near(result->means[0].sd, 1, 0, 0);
    assert_string_equal(result->out, settings.out);
    una_bench_free(result);

    assert_int_equal(access(temp_path("toy/toy.html"), R_OK), 0);
    assert_int_equal(lines_of(temp_path("toy/toy.csv")), 4);
    una_run_free(run);
}

/* The sum's distance from the largest one of all. */
static void toy_compare(double *value, const una_findings *f)
{
    double most = -INFINITY;
    for (size_t i = 0; i < f->count; i++) most = fmax(most, value[i * f->measures]);
    for (size_t i = 0; i < f->count; i++) value[i * f->measures + 1] = most - value[i * f->measures];
}

static una_status toy_pair(const una_measuring *m)
{
    m->outcome->value[1] = NAN;
    return toy_measure(m);
}

static una_status toy_judge(una_judging *j)
{
    j->holds = j->claim->data[0] - '1';
    return una_judging_say(j, "number {data}");
}
static const una_rule toy_rule = { .judge = toy_judge };

static una_status toy_page(una_page *page)
{
    static const double x[] = { 0, 1 }, y[] = { 2, 3 };
    una_figure figure = una_figure_in(page->arena, 2, 200, 150);
    for (int i = 0; i < 2; i++)
        una_panel_add(una_figure_panel(&figure, i ? "right" : "left", "x", "y"),
                      (una_series){ .shape = UNA_SHAPE_LINE, .x = x, .y = y, .count = 2 });
    una_page_heading(page, 2, "Lines");
    una_page_paragraph(page, "Two < three.");
    UNA_TRY(una_page_figure(page, "lines", &figure, "Lines.", "Both go up."));
    return una_page_means(page);
}

static const una_bench_measure pair_measures[] = { { "sum", "sum", "", "split plus seed", 0 },
                                                   { "off", "off", "", "from the largest", 0 }, { .name = NULL } };
static const una_claim pair_claims[] = { { "It is so", &toy_rule, NULL, "2" }, { "It is not", &toy_rule, NULL, "1" },
                                         { "Who knows", &toy_rule, NULL, "0" }, { .sentence = NULL } };
static const una_experiment pair = { .name = "pair", .summary = "adds", .title = "Pair", .lead = "Adds.",
    .caption = "Sums", .over = "splits", .measures = pair_measures, .entries = toy_entries, .plan = toy_plan,
    .measure = toy_pair, .compare = toy_compare, .claims = pair_claims, .page = toy_page };

static const char *text_of(const char *path)
{
    static char text[65536];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    return text;
}

static void a_page_is_written_every_way(void **state)
{
    static const char *const files[] = { "pair.html", "pair-lines.svg", "pair-means.csv", "pair-means.md",
                                         "pair-means.tex", "pair-claims.csv", "pair-lines.png" };
    una_run *run = quiet_run();
    una_bench_result *result = NULL;
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("pair") };
    (void)state;
    assert_ok(una_experiment_run(&result, &pair, &settings, run), run);
    assert_near(value_of(result, 0, "off"), 2, 0, 0);                /* what compare said, in rows and means */
    assert_near(result->means[1].mean, 1, 0, 0);
    una_bench_free(result);

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[64];
        snprintf(name, sizeof name, "pair/%s", files[i]);
        assert_int_equal(access(temp_path(name), R_OK), i < 6 || has_cairo() ? 0 : -1);
    }
    const char *page = text_of(temp_path("pair/pair.md"));
    assert_says(page, "# Pair\n\nAdds.\n\n## Lines\n\nTwo \\< three.\n\n![Lines.](pair-lines.svg)\n\n"
                "**Lines.** Both go up.\n\n");
    assert_says(page, "| Model | Data | Splits | Sum | Off | Seconds a fit |\n");
    assert_says(page, "| other | nothing | 3 | 1.00 \xC2\xB1 1.0 | 1.00 \xC2\xB1 1.0 |");
    assert_says(page, "| It is so | holds | number 2 |\n| It is not | does not hold | number 1 |\n"
                "| Who knows | cannot tell | number 0 |\n");
    assert_says(text_of(temp_path("pair/pair-means.csv")), "model,data,splits,sum,sum sd,off,off sd,seconds a fit\n"
                "other,nothing,3,1,1,1,1,");
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_once_and_never_again),
        cmocka_unit_test(a_lost_model_is_fitted_again_but_not_recorded_twice),
        cmocka_unit_test(a_wrong_model_is_fitted_again),
        cmocka_unit_test(the_csv_file_alone_is_enough),
        cmocka_unit_test(rows_of_another_version_are_kept_apart),
        cmocka_unit_test(failures_say_where),
        cmocka_unit_test(settings_have_a_size),
        cmocka_unit_test(an_interrupted_run_says_so),
        cmocka_unit_test(no_memory_is_no_crash),
        cmocka_unit_test(ripple_is_what_it_says),
        cmocka_unit_test(claims_follow_the_numbers),
        cmocka_unit_test(claims_look_both_ways_and_outside),
        cmocka_unit_test(the_outside_is_measured),
        cmocka_unit_test(a_struct_is_an_experiment),
        cmocka_unit_test(a_page_is_written_every_way),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
