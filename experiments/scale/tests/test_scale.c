/* SPDX-License-Identifier: MIT
 *
 * The experiment scale with a kind that gives the mean of its training rows and a std that is told by their number: so
 * all numbers of a row, the steps from size to size and the claims follow in closed form. And errors of crossed samples
 * against their expectation, nested rows, sizes, known functions, published splits, files, and what is refused.
 */
#include "bench/bench_support.h"
#include "draws.h"

#include "bench/sum.h"
#include "model/kind.h"
#include "scale/scale.h"

#include <sys/stat.h>

/* ---- a kind that says what it is told ---------------------------------------------------------------------------- */

typedef struct told { double noise, scale; } told;
typedef struct told_options { double noise, least, worse, fails; } told_options;

static const una_option table[] = {
    { "noise", UNA_REAL, offsetof(told_options, noise), "1", 0, 1e9, false, NULL, "its std" },
    { "least", UNA_REAL, offsetof(told_options, least), "1e9", 0, 1e9, false, NULL, "from so many rows on" },
    { "worse", UNA_REAL, offsetof(told_options, worse), "1", 0, 1e9, false, NULL, "it is so many times as large" },
    { "fails", UNA_REAL, offsetof(told_options, fails), "0", 0, 2, false, NULL, "and the fit fails: 1 or 2" },
    { .name = NULL }
};

static una_status told_fit(una_fitting *f)
{
    const told_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    bool many = (double)una_training_row_count(f->problem) >= o->least;
    *(told *)f->target->state = (told){ many ? o->noise * o->worse : o->noise, f->problem->columns->target_scale };
    result->noise_var = 1;
    result->log_evidence = -1;
    if (many && o->fails == 1) UNA_FAIL(f->run, UNA_E_NUMERIC, "it was told to fail");
    if (many && o->fails == 2) UNA_FAIL(f->run, UNA_E_MEMORY, "it was told to want memory");
    return UNA_OK;
}

static una_status told_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const told *t = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        out->mean[r] = 0;
        out->var_model[r] = 0;
        out->var_noise[r] = t->noise * t->noise / t->scale / t->scale;
    }
    return UNA_OK;
}

static una_status told_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "noise", &((told *)state)->noise);
}

#define TOLD(its_name) { .name = its_name, .summary = "", .source = "", .options = table, \
    .options_size = sizeof(told_options), .state_size = sizeof(told), .thesis = "", .least_rows = 4, .fit = told_fit, \
    .predict = told_predict, .exchange = told_exchange }
static const una_kind told_kind = TOLD("told"), other_kind = TOLD("other");
const una_kind *const una_kinds[] = { &told_kind, &other_kind, NULL };

/* ---- running it -------------------------------------------------------------------------------------------------- */

static una_bench_result *run_it(const char *const *models, size_t count, const char *options, const char *folder,
                                una_run *run)
{
    una_bench_result *result = NULL;
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path(folder), .models = models,
                                    .model_count = count, .set = &options, .set_count = 1 };
    assert_ok(una_bench_run(&result, "scale", &settings, run), run);
    return result;
}

static double value_of(const una_bench_result *result, const char *model, const char *data, uint64_t seed,
                       const char *measure)
{
    for (size_t i = 0; i < result->row_count; i++) {
        const una_bench_row *row = &result->rows[i];
        if (strcmp(row->key->model, model) == 0 && strcmp(row->key->data, data) == 0 && row->key->seed == seed &&
            strcmp(row->measure, measure) == 0)
            return row->value;
    }
    fail_msg("no %s of %s on %s", measure, model, data);
    return NAN;
}

static const una_bench_claim *claim_of(const una_bench_result *result, const char *words)
{
    for (size_t i = 0; i < result->claim_count; i++)
        if (strstr(result->claims[i].sentence, words)) return &result->claims[i];
    fail_msg("no claim %s", words);
    return NULL;
}

static double gaussian(double y, double mean, double std)
{
    return -0.5 * log(2 * acos(-1)) - log(std) - (y - mean) * (y - mean) / (2 * std * std);
}

/* rows of a and y, with blanks in its name; y = row^2 / 100, out of order. */
static const char *write_table(const char *name, size_t rows)
{
    static char path[4200];
    snprintf(path, sizeof path, "%s", temp_path(name));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "a,y,b\n");
    for (size_t i = 0; i < rows; i++) {
        size_t row = i * 7 % rows;
        fprintf(file, "%zu,%zu.%02zu,%d\n", row, row * row / 100, row * row % 100, (int)(i % 3));
    }
    fclose(file);
    return path;
}

/* ---- what a row holds -------------------------------------------------------------------------------------------- */

/* All numbers of a fit on a file, from the rows that must have trained and tested. */
static void numbers_follow_from_the_rows(void **state)
{
    enum { ALL = 301, SIZE = 64, SEED = 9 };
    const char *model = "told(noise=7)";
    char options[4400];
    una_run *run = quiet_run();
    una_dataset *data;
    una_split split = UNA_INIT(una_split);
    uint32_t *order;
    (void)state;
    const char *path = write_table("my table.csv", ALL);
    snprintf(options, sizeof options, "sets=\"%s\", target=y, sizes=\"64, 32, all\", seeds=2, split=3", path);
    run->settings.seed = SEED;
    una_bench_result *result = run_it(&model, 1, options, "numbers", run);
    assert_int_equal(result->fits, 3 * 2);

    assert_ok(una_dataset_read(&data, path, run), run);
    assert_ok(una_split_random(&split, ALL, 0.2, 2000 + 3, run), run);
    const double *y = una_dataset_numbers(data, 1);
    una_rng rng = una_rng_at(SEED, UNA_FOR_DATA, 0);
    assert_ok(una_order_new(&order, split.train_count, &run->scratch), run);
    una_rng_permute(&rng, order, split.train_count);
    double mean = 0, log_lik = 0, square = 0, inside = 0, part = 0, part_square = 0, parts = 0;
    for (size_t i = 0; i < SIZE; i++) mean += y[split.train[order[i]]] / SIZE;
    for (size_t i = 0; i < split.test_count; i++) {
        double its = y[split.test[i]], n = (double)split.test_count, off = (its - mean) * (its - mean);
        log_lik += gaussian(its, mean, 7) / n;
        square += off / n;
        inside += (fabs(its - mean) <= 1.959963984540054 * 7) / n;
        if (i % UNA_SCALE_PARTS == 3) part += gaussian(its, mean, 7), part_square += off, parts++;
    }
    const char *key = "my table.csv y 64";
    assert_near(value_of(result, "told", key, SEED, "rows"), SIZE, 0, 0);
    assert_near(value_of(result, "told", key, SEED, "test_rows"), (double)split.test_count, 0, 0);
    assert_near(value_of(result, "told", key, SEED, "log_lik"), log_lik, 1e-12, 0);
    assert_near(value_of(result, "told", key, SEED, "rmse"), sqrt(square), 1e-12, 0);
    assert_near(value_of(result, "told", key, SEED, "coverage_95"), inside, 1e-12, 0);
    assert_near(value_of(result, "told", key, SEED, "mean_std_noise"), 7, 1e-12, 0);
    assert_near(value_of(result, "told", key, SEED, "mean_std_epistemic"), 0, 0, 0);
    assert_near(value_of(result, "told", key, SEED, "log_lik_03"), part / parts, 1e-12, 0);
    assert_near(value_of(result, "told", key, SEED, "rmse_03"), sqrt(part_square / parts), 1e-12, 0);
    assert_true(isnan(value_of(result, "told", key, SEED, "error")));
    assert_near(value_of(result, "told", "my table.csv y 241", SEED, "rows"), (double)split.train_count, 0, 0);
    assert_int_equal(result->rows[0].key->split, 3);

    una_bench_free(result);
    una_split_free(&split, run);
    una_dataset_free(data);
    una_run_free(run);
}

/* A row of a larger size is fitted now, all others are there; another share of test rows is another table. */
static void rows_are_made_once(void **state)
{
    const char *model = "told";
    char options[4400];
    una_run *run = quiet_run();
    (void)state;
    const char *path = write_table("once.csv", 200);
    snprintf(options, sizeof options, "sets=\"%s\", target=y, sizes=\"25-50\", seeds=2", path);
    una_bench_result *result = run_it(&model, 1, options, "once", run);
    assert_int_equal(result->fitted, 4);
    una_bench_free(result);
    snprintf(options, sizeof options, "sets=\"%s, %s\", target=y, sizes=\"25-100,160\", seeds=2", path, path);
    result = run_it(&model, 1, options, "once", run);
    assert_int_equal(result->fits, 8);
    assert_int_equal(result->fitted, 4);
    una_bench_free(result);
    snprintf(options, sizeof options, "sets=\"%s\", target=y, sizes=\"25-100,160\", seeds=2, test=0.25", path);
    result = run_it(&model, 1, options, "once", run);
    assert_int_equal(result->fits, 6);                                       /* 150 rows train */
    assert_int_equal(result->fitted, 6);
    una_bench_free(result);
    una_run_free(run);
}

/* ---- rows of tables ---------------------------------------------------------------------------------------------- */

static una_scale_tables *tables_of(const char *sets, double rows, int valid, una_run *run)
{
    una_scale_options o = { .data = "", .sets = sets, .target = "", .sizes = "auto", .test = 0.2, .rows = rows,
                            .valid = valid };
    una_asked asked = { .options = &o };
    una_scale_tables *tables;
    assert_ok(una_scale_tables_new(&tables, &asked, run), run);
    return tables;
}

static void sizes_are_nested(void **state)
{
    una_run *run = quiet_run();
    una_scale_tables *tables = tables_of("d2", 500, 0, run);
    const una_scale_table *t = &tables->table[0];
    size_t *small, *large, *other, seen[2500] = {0}, same = 0;
    (void)state;
    assert_ok(una_scale_subset(&small, t, 100, 4, run), run);
    assert_ok(una_scale_subset(&large, t, 500, 4, run), run);
    assert_ok(una_scale_subset(&other, t, 100, 5, run), run);
    assert_memory_equal(small, large, 100 * sizeof *small);
    for (size_t i = 0; i < 500; i++) seen[large[i]]++;
    for (size_t i = 0; i < t->train_count; i++) assert_int_equal(seen[t->train[i]], 1);
    for (size_t i = 0; i < t->test_count; i++) assert_int_equal(seen[t->test[i]], 0);
    for (size_t i = 0; i < 100; i++)
        for (size_t k = 0; k < 100; k++) same += small[i] == other[k];
    assert_true(same > 5 && same < 45);                                      /* 20 by chance */
    una_result_free(tables);
    una_run_free(run);
}

static void functions_are_as_written(void **state)
{
    una_run *run = quiet_run();
    una_scale_tables *tables = tables_of("d1, d5,d20", 4000, 0, run), *more = tables_of("d5", 5000, 0, run);
    (void)state;
    assert_int_equal(tables->count, 3);
    for (size_t k = 0; k < 3; k++) {
        const una_scale_table *t = &tables->table[k];
        const size_t inputs = (size_t[]){ 1, 5, 20 }[k];
        double square = 0;
        assert_int_equal(t->known.inputs, inputs);
        assert_int_equal(t->train_count, 4000);
        assert_int_equal(t->test_count, 2000);
        for (size_t r = 0; r < t->known.rows; r++) {
            const double *x = t->known.x + r * inputs;
            double f = k ? 0.5 * x[0] * x[1] : 0;
            for (size_t i = 0; i < inputs; i++) f += sin(2 * x[i] + (double)i + 1) / ((double)i + 1);
            assert_near(t->known.f[r], f, 0, 1e-12);
            for (size_t i = 0; i < inputs; i++) assert_true(fabs(x[i]) <= 2);
            square += (t->known.y[r] - f) * (t->known.y[r] - f) / (double)t->known.rows;
        }
        assert_near(square, 0.09, 0.06, 0);
    }
    const una_scale_table *a = &tables->table[1], *b = &more->table[0];
    assert_memory_equal(a->known.x, b->known.x, 6000 * 5 * sizeof(double));
    assert_memory_equal(a->known.y, b->known.y, 6000 * sizeof(double));
    assert_memory_equal(a->test, b->test, 2000 * sizeof *a->test);
    assert_string_not_equal(a->sum, b->sum);
    una_result_free(more);
    una_result_free(tables);
    una_run_free(run);
}

/* The scores of a mean of 0 against the function, at test rows only. */
static void known_functions_have_their_own_scores(void **state)
{
    const char *model = "told(noise=0.8)";
    una_run *run = quiet_run();
    una_bench_result *result = run_it(&model, 1, "sets=d2, rows=150, sizes=all, seeds=1", "known", run);
    una_scale_tables *tables = tables_of("d2", 150, 0, run);
    const una_scale_table *t = &tables->table[0];
    double mean = 0, square = 0;
    (void)state;
    for (size_t i = 0; i < 150; i++) mean += t->known.y[t->train[i]] / 150;
    for (size_t i = 0; i < 2000; i++) square += (t->known.f[t->test[i]] - mean) * (t->known.f[t->test[i]] - mean) / 2000;
    uint64_t seed = result->rows[0].key->seed;
    assert_near(value_of(result, "told", "d2 150", seed, "error"), sqrt(square), 1e-9, 0);
    assert_near(value_of(result, "told", "d2 150", seed, "inside"), 0, 0, 0);
    una_result_free(tables);
    una_bench_free(result);
    una_run_free(run);
}

static void keys_name_table_and_size(void **state)
{
    una_run *run = quiet_run();
    una_scale_tables *tables = tables_of("d1,d2", 300, 0, run);
    size_t rows;
    (void)state;
    for (size_t k = 0; k < 2; k++) {
        const char *data = una_scale_data(&tables->table[k], 120, &run->scratch);
        assert_ptr_equal(una_scale_table_of(&rows, tables, data), &tables->table[k]);
        assert_int_equal(rows, 120);
        assert_int_equal(una_scale_name(data), 2);
        assert_null(una_scale_table_of(&rows, tables, una_phrase(&run->scratch, "%s0", data)));
        assert_null(una_scale_table_of(&rows, tables, una_scale_data(&tables->table[k], 301, &run->scratch)));
    }
    assert_null(una_scale_table_of(&rows, tables, "d3 100#00000000"));
    assert_null(una_scale_table_of(&rows, tables, "d1"));
    una_result_free(tables);
    una_run_free(run);
}

static void sizes_of_a_table(void **state)
{
    static const struct { const char *text; size_t most, count, rows[8]; } cases[] = {
        { "250-,all", 2000, 4, { 250, 500, 1000, 2000 } }, { "250-,all", 2100, 5, { 250, 500, 1000, 2000, 2100 } },
        { "250-1000", 16000, 3, { 250, 500, 1000 } },      { "1000, 50 ,50,200", 900, 2, { 50, 200 } },
        { "all", 77, 1, { 77 } },                          { "100-399,all", 120, 2, { 100, 120 } },
        { "500", 100, 0, { 0 } },                          { "10-", 10, 1, { 10 } },
    };
    static const char *const bad[] = { "", ",", "a", "9", "-100", "100-x", "100-200-300", "1e3", "100 200", "every",
                                       "99999999999", "250-,al" };
    una_run *run = quiet_run();
    una_scale_sizes sizes;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_ok(una_scale_sizes_of(&sizes, cases[i].text, cases[i].most, run), run);
        assert_int_equal(sizes.count, cases[i].count);
        for (size_t k = 0; k < sizes.count; k++) assert_int_equal(sizes.rows[k], cases[i].rows[k]);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_status(una_scale_sizes_of(&sizes, bad[i], 1000, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), "cannot be read");
    }
    una_text many = una_text_in(&run->scratch);
    for (int i = 0; i < 65; i++) una_text_add(&many, "%d,", 100 + i);
    assert_status(una_scale_sizes_of(&sizes, many.at, 1000, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "at most 64");
    una_run_free(run);
}

/* ---- published splits -------------------------------------------------------------------------------------------- */

/* kin8nm with 320 rows that train and 80 that test. */
static const char *data_folder(void)
{
    static char folder[4096];
    char path[4200];
    static const char *const parts[] = { "", "/uci", "/uci/splits" };
    if (*folder) return folder;
    snprintf(folder, sizeof folder, "%s", temp_path("data"));
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s%s", folder, parts[i]);
        mkdir(path, 0777);
    }
    snprintf(path, sizeof path, "%s/uci/kin8nm.csv", folder);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "x,y\n");
    for (int i = 0; i < 400; i++) fprintf(file, "%d,%d\n", i, i < 320 ? 1 + i % 2 : 4);
    fclose(file);
    snprintf(path, sizeof path, "%s/uci/splits/kin8nm.json", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "{\"rows\": 400, \"standard\": [{");
    for (int part = 0; part < 2; part++) {
        fprintf(file, "%s\"%s\": [", part ? ", " : "", part ? "test" : "train");
        for (int i = part ? 320 : 0; i < (part ? 400 : 320); i++) fprintf(file, "%s%d", i % 320 ? ", " : "", i);
        fprintf(file, "]");
    }
    fprintf(file, "}], \"gap\": []}");
    fclose(file);
    return folder;
}

static void published_test_rows_rest(void **state)
{
    const char *model = "told";
    char options[4400];
    una_run *run = quiet_run();
    (void)state;
    snprintf(options, sizeof options, "data=\"%s\", sets=kin8nm, sizes=\"50-,all\", seeds=1", data_folder());
    una_bench_result *result = run_it(&model, 1, options, "published", run);
    uint64_t seed = result->rows[0].key->seed;
    assert_int_equal(result->fits, 4);                                       /* 50, 100, 200, 320 */
    assert_near(value_of(result, "told", "kin8nm 320", seed, "test_rows"), 80, 0, 0);
    assert_near(value_of(result, "told", "kin8nm 320", seed, "rmse"), 2.5, 1e-12, 0);
    assert_near(value_of(result, "told", "kin8nm 320", seed, "log_lik"), gaussian(4, 1.5, 1), 1e-12, 0);
    assert_string_equal(result->rows[0].key->study, "scale");
    una_bench_free(result);

    snprintf(options, sizeof options, "data=\"%s\", sets=kin8nm, sizes=all, seeds=1, group=valid", data_folder());
    result = run_it(&model, 1, options, "published", run);
    assert_int_equal(result->fitted, 1);
    assert_near(value_of(result, "told", "kin8nm 288", seed, "test_rows"), 32, 0, 0);
    assert_near(value_of(result, "told", "kin8nm 288", seed, "rmse"), 0.5, 0.02, 0);
    assert_string_equal(result->rows[0].key->study, "scale(group=valid)");
    una_bench_free(result);

    snprintf(options, sizeof options, "data=\"%s\", sets=\"\", rows=100, sizes=50, seeds=1", data_folder());
    result = run_it(&model, 1, options, "usual", run);
    assert_int_equal(result->fits, 4);                                       /* three functions, and what is there */
    una_bench_free(result);
    una_run_free(run);
}

/* ---- errors of crossed samples ----------------------------------------------------------------------------------- */

static void errors_in_closed_form(void **state)
{
    double cell[4 * 20], mean, error, a[4] = { 1, 2, 4, 9 }, sum = 0, square = 0;
    (void)state;
    for (size_t k = 0; k < 20; k++) cell[k] = (double)(k * k), sum += cell[k] / 20;
    for (size_t k = 0; k < 20; k++) square += (cell[k] - sum) * (cell[k] - sum) / 19;
    una_scale_crossed(&mean, &error, cell, 1, 20);                           /* one seed: that of a mean */
    assert_near(mean, sum, 1e-12, 0);
    assert_near(error, sqrt(square / 20), 1e-12, 0);

    for (size_t s = 4; s-- > 0;)                                             /* seed + part: two sources, added up */
        for (size_t k = 0; k < 20; k++) cell[s * 20 + k] = a[s] + (double)(k * k);
    una_scale_crossed(&mean, &error, cell, 4, 20);
    assert_near(mean, 4 + sum, 1e-12, 0);
    assert_near(error, sqrt(38.0 / 3 / 4 + square / 20), 1e-12, 0);          /* 9 + 4 + 0 + 25 = 38 */

    for (size_t i = 0; i < 40; i++) cell[i] = 3;
    una_scale_crossed(&mean, &error, cell, 2, 20);
    assert_near(error, 0, 0, 1e-12);

    double rest[6] = { 1, -1, 0, -1, 1, 0 };                                 /* no main effects: the rest alone */
    una_scale_crossed(&mean, &error, rest, 2, 3);
    assert_near(error, sqrt(4.0 / 2 / 6), 1e-12, 0);
}

/* The expectation of error^2 is the variance of the mean. */
static void errors_are_right_on_average(void **state)
{
    enum { TIMES = 4000, SEEDS = 3 };
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, 0);
    double sum = 0, square = 0, claimed = 0;
    (void)state;
    for (size_t t = 0; t < TIMES; t++) {
        double cell[SEEDS * UNA_SCALE_PARTS], part[UNA_SCALE_PARTS], mean, error;
        for (size_t k = 0; k < UNA_SCALE_PARTS; k++) part[k] = una_rng_normal(&rng);
        for (size_t s = 0; s < SEEDS; s++) {
            double seed = 0.5 * una_rng_normal(&rng);
            for (size_t k = 0; k < UNA_SCALE_PARTS; k++)
                cell[s * UNA_SCALE_PARTS + k] = seed + part[k] + 0.7 * una_rng_normal(&rng);
        }
        una_scale_crossed(&mean, &error, cell, SEEDS, UNA_SCALE_PARTS);
        sum += mean / TIMES;
        square += mean * mean / TIMES;
        claimed += error * error / TIMES;
    }
    double truth = 0.25 / SEEDS + 1.0 / UNA_SCALE_PARTS + 0.49 / SEEDS / UNA_SCALE_PARTS;
    assert_near(square - sum * sum, truth, 0.08, 0);
    assert_near(claimed, truth, 0.06, 0);
}

/* ---- changes of made-up rows ------------------------------------------------------------------------------------- */

enum { MADE_SEEDS = 2, MADE_GROUPS = 3, COLUMNS = UNA_SCALE_MEASURES + 1 };

/* Two sizes of a model and one of another, two seeds each; with numbers of their own in every part. */
typedef struct made {
    una_row      fits[MADE_GROUPS * MADE_SEEDS];
    double       value[MADE_GROUPS * MADE_SEEDS][COLUMNS], mean[MADE_GROUPS * COLUMNS], sd[MADE_GROUPS * COLUMNS];
    una_group    groups[MADE_GROUPS];
    una_findings f;
} made;

static void make_findings(made *m)
{
    static const char *const data[] = { "a b 500#01234567", "a b 1000#01234567", "a b 1000#01234567" };
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 0);
    memset(m, 0, sizeof *m);
    m->f = (una_findings){ .fits = m->fits, .value = &m->value[0][0], .count = MADE_GROUPS * MADE_SEEDS,
                           .measures = COLUMNS, .groups = m->groups, .group_count = MADE_GROUPS, .mean = m->mean,
                           .sd = m->sd };
    for (size_t g = 0; g < MADE_GROUPS; g++) {
        m->groups[g] = (una_group){ g < 2 ? "told" : "other", g * MADE_SEEDS, MADE_SEEDS, &m->f };
        for (size_t s = 0; s < MADE_SEEDS; s++) {
            double *value = m->value[g * MADE_SEEDS + s], square = 0;
            m->fits[g * MADE_SEEDS + s].key = (una_row_key){ "scale", data[g], 0, g < 2 ? "told" : "other", s, 1 };
            for (size_t p = 0; p < UNA_SCALE_PARTS; p++) {
                value[UNA_SCALE_LOG_LIK_PART + p] = una_rng_normal(&rng);
                value[UNA_SCALE_LOG_LIK] += value[UNA_SCALE_LOG_LIK_PART + p] / UNA_SCALE_PARTS;
                double root = value[UNA_SCALE_RMSE_PART + p] = exp(0.3 * una_rng_normal(&rng));
                square += root * root / UNA_SCALE_PARTS;
            }
            value[UNA_SCALE_RMSE] = sqrt(square);
        }
    }
}

/* One seed: the error of the change of a root mean square is that of leaving out each part in turn, to first order. */
static void changes_are_paired(void **state)
{
    static made m;
    una_run *run = quiet_run();
    una_scale_change change;
    enum { N = UNA_SCALE_PARTS };
    double cell[MADE_SEEDS * N], mean, error, without[N], middle = 0, spread = 0;
    (void)state;
    make_findings(&m);
    assert_ptr_equal(una_scale_larger(&m.groups[0]), &m.groups[1]);
    assert_ptr_equal(una_scale_smaller(&m.groups[1]), &m.groups[0]);
    assert_null(una_scale_smaller(&m.groups[2]));
    assert_null(una_scale_larger(&m.groups[1]));
    assert_ptr_equal(una_scale_other(&m.groups[1], "other"), &m.groups[2]);
    assert_null(una_scale_other(&m.groups[0], "other"));

    for (size_t i = 0; i < MADE_SEEDS * N; i++)
        cell[i] = m.value[2 + i / N][UNA_SCALE_LOG_LIK_PART + i % N] - m.value[i / N][UNA_SCALE_LOG_LIK_PART + i % N];
    una_scale_crossed(&mean, &error, cell, MADE_SEEDS, N);
    assert_ok(una_scale_compare(&change, &m.groups[1], &m.groups[0], UNA_SCALE_LOG_LIK, run), run);
    assert_near(change.mean, mean, 1e-12, 0);
    assert_near(change.error, error, 1e-12, 0);

    m.groups[0].count = m.groups[1].count = 1;
    assert_ok(una_scale_compare(&change, &m.groups[1], &m.groups[0], UNA_SCALE_RMSE, run), run);
    assert_near(change.mean, m.value[2][UNA_SCALE_RMSE] - m.value[0][UNA_SCALE_RMSE], 1e-12, 0);
    for (size_t out = 0; out < N; out++) {
        double square[2] = {0};
        for (size_t k = 0; k < 2; k++)
            for (size_t p = 0; p < N; p++)
                square[k] += p == out ? 0 : pow(m.value[2 * k][UNA_SCALE_RMSE_PART + p], 2) / (N - 1);
        without[out] = sqrt(square[1]) - sqrt(square[0]);
        middle += without[out] / N;
    }
    for (size_t out = 0; out < N; out++) spread += (without[out] - middle) * (without[out] - middle);
    assert_near(change.error, sqrt(spread * (N - 1) / N), 0.03, 0);

    m.value[0][UNA_SCALE_LOG_LIK_PART + 4] = NAN;
    m.value[0][UNA_SCALE_LOG_LIK] = NAN;
    assert_ok(una_scale_compare(&change, &m.groups[1], &m.groups[0], UNA_SCALE_LOG_LIK, run), run);
    assert_true(isnan(change.mean));
    m.fits[0].key.seed = 7;                                                  /* no seed that both have */
    assert_ok(una_scale_compare(&change, &m.groups[1], &m.groups[0], UNA_SCALE_RMSE, run), run);
    assert_true(isnan(change.mean) && isnan(change.error));
    una_run_free(run);
}

/* A loss that is the same everywhere has no error, so that the slack alone decides. */
static void a_hundredth_may_be_lost(void **state)
{
    static made m;
    una_run *run = quiet_run();
    una_bench_model models[] = { { "told", "told", 1 }, { "other", "other", 1 } };
    una_asked asked = { .models = models, .model_count = 2, .keep = &run->scratch };
    static const int expected[2][3] = { { UNA_HOLDS, UNA_CANNOT_TELL, UNA_HOLDS },
                                        { UNA_DOES_NOT_HOLD, UNA_CANNOT_TELL, UNA_DOES_NOT_HOLD } };
    const una_claim *claims;
    (void)state;
    assert_ok(una_scale_claims(&claims, &asked, run), run);
    for (int i = 0; i < 2; i++) {
        double loss = i ? 0.011 : 0.009;
        make_findings(&m);
        for (size_t s = 0; s < MADE_SEEDS; s++)
            for (size_t p = 0; p < UNA_SCALE_PARTS; p++) {
                size_t at = UNA_SCALE_LOG_LIK_PART + p;
                m.value[2 + s][at] = m.value[s][at] - loss;
                m.value[2 + s][UNA_SCALE_LOG_LIK] = m.value[s][UNA_SCALE_LOG_LIK] - loss;
                m.value[4 + s][at] = m.value[2 + s][at] + loss;
                m.value[4 + s][UNA_SCALE_LOG_LIK] = m.value[2 + s][UNA_SCALE_LOG_LIK] + loss;
            }
        for (size_t c = 0; c < 3; c++) {
            una_text numbers = una_text_in(&run->scratch);
            int holds;
            assert_ok(una_claim_judge(&holds, &numbers, &claims[c], &m.f, run), run);
            assert_int_equal(holds, expected[i][c]);
        }
    }
    assert_null(claims[3].sentence);
    una_run_free(run);
}

/* ---- steps and claims -------------------------------------------------------------------------------------------- */

/* The std of y is 0.8. One eight times as large from 200 rows on costs, and a hair more does not. */
static void falls_are_found_and_named(void **state)
{
    static const struct { const char *spec; int holds; const char *says; } cases[] = {
        { "told(noise=1)", 1, "step" },
        { "told(noise=0.8, least=200, worse=8)", 0, "loses in 1 of 2 steps: " },
        { "told(noise=0.8, least=200, worse=1.09)", 1, "the largest loss is " },
        { "told(noise=30, least=200, worse=0.1)", 1, "step" },
        { "told(least=200, fails=1)", -1, "1 cannot be told" },
    };
    una_run *run = quiet_run();
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char folder[20];
        snprintf(folder, sizeof folder, "falls%zu", i);
        const char *models[] = { cases[i].spec, "other(noise=0.8)" };
        una_bench_result *result = run_it(models, 2, "sets=d1, rows=400, sizes=\"50,100,200\", seeds=2", folder, run);
        const una_bench_claim *claim = claim_of(result, "told does not get worse");
        assert_int_equal(claim->holds, cases[i].holds);
        assert_says(claim->numbers, cases[i].says);
        if (i == 1) assert_says(claim->numbers, "from 100 to 200 rows of d1");
        assert_int_equal(result->claim_count, 3);
        assert_int_equal(claim_of(result, "other does not")->holds, 1);
        if (i == 4) assert_true(isnan(value_of(result, "told", "d1 200", result->rows[0].key->seed, "log_lik")));
        una_bench_free(result);
    }
    una_run_free(run);
}

/* told less other is the same in closed form for each row, so what is compared is known. */
static void models_are_compared_on_the_same_rows(void **state)
{
    const char *models[] = { "told(noise=2)", "other(noise=1)" };
    una_run *run = quiet_run();
    una_bench_result *result = run_it(models, 2, "sets=d1, rows=400, sizes=\"100,200\", seeds=2", "against", run);
    const una_bench_claim *claim = claim_of(result, "told is at least as likely as other");
    (void)state;
    assert_int_equal(claim->holds, 0);
    assert_says(claim->numbers, "loses in 2 of 2 comparisons: ");
    assert_says(claim->numbers, "at 100 rows of d1");
    una_bench_free(result);

    const char *turned[] = { "other(noise=1)", "told(noise=2)" };
    result = run_it(turned, 2, "sets=d1, rows=400, sizes=\"100,200\", seeds=2", "against", run);
    assert_int_equal(result->fitted, 0);
    claim = claim_of(result, "other is at least as likely as told");
    assert_int_equal(claim->holds, 1);
    assert_says(claim->numbers, "gains in each of 2 comparisons");
    una_bench_free(result);

    result = run_it(turned, 1, "sets=d1, rows=400, sizes=100, seeds=1", "against", run);
    assert_int_equal(result->claim_count, 1);
    assert_int_equal(result->claims[0].holds, -1);
    assert_says(result->claims[0].numbers, "needs two sizes");
    una_bench_free(result);
    una_run_free(run);
}

static void the_page_has_all_of_it(void **state)
{
    static const char *const files[] = { "scale.html", "scale.md", "scale-rows.svg", "scale-steps.csv",
                                         "scale-truth.csv", "scale-claims.csv" };
    const char *models[] = { "told(noise=0.8, least=200, worse=8)", "other" };
    char path[4200], options[4400];
    una_run *run = quiet_run();
    (void)state;
    snprintf(options, sizeof options, "sets=\"d2, %s\", rows=400, sizes=\"50-200\", seeds=2, target=y",
             write_table("page.csv", 300));
    una_bench_result *result = run_it(models, 2, options, "page", run);
    assert_int_equal(result->fits, 2 * 3 * 2 * 2);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s", temp_path("page"), files[i]);
        assert_int_equal(access(path, R_OK), 0);
    }
    una_bench_free(result);
    una_run_free(run);
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static una_status refused(const char *options, una_run *run)
{
    const char *model = "told(fails=2, least=100)";
    una_bench_result *result = NULL;
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("refused"), .models = &model,
                                    .model_count = 1, .set = &options, .set_count = 1 };
    una_status status = una_bench_run(&result, "scale", &settings, run);
    una_bench_free(result);
    return status;
}

static void what_cannot_be_is_refused(void **state)
{
    char path[4200];
    una_run *run = quiet_run();
    snprintf(path, sizeof path, "%s", write_table("short.csv", 60));
    const struct { const char *options; una_status status; const char *says; } cases[] = {
        { "sets=d0", UNA_E_USAGE, "no data set and no file 'd0'" },
        { "sets=d101", UNA_E_USAGE, "no data set and no file" },
        { "sets=kin8nm, data=nowhere", UNA_E_INPUT, "una data get kin8nm" },
        { "sets=d1, sizes=\"20000\"", UNA_E_USAGE, "d1 has 16000 rows to train on" },
        { "sets=d1, sizes=\"5\"", UNA_E_USAGE, "sizes=5 cannot be read" },
        { una_phrase(&run->scratch, "sets=\"%s\", target=y", path), UNA_E_INPUT, "12 to test on" },
        { una_phrase(&run->scratch, "sets=\"%s\", target=z", path), UNA_E_INPUT, "no column 'z'" },
        { una_phrase(&run->scratch, "data=\"%s\", sets=kin8nm, split=7", data_folder()), UNA_E_USAGE, "7" },
        { "sets=d1, rows=200, sizes=\"50,100\", seeds=1", UNA_E_MEMORY, "rows made so far are kept" },
        { "sets=\"d1,d2,d3,d4,d5,d6,d7,d8,d9,d10,d11,d12,d13,d14,d15,d16,d17,d18,d19,d20,d21,d22,d23,d24,d25,d26,d27,"
          "d28,d29,d30,d31,d32,d33\", rows=100", UNA_E_USAGE, "at most 32" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_status(refused(cases[i].options, run), cases[i].status, run);
        assert_says(una_run_message(run), cases[i].says);
    }

    FILE *file = fopen(path, "w");
    fprintf(file, "a,y,w\n");
    for (int i = 0; i < 200; i++) fprintf(file, "%d,%s,%s\n", i, i == 150 ? "" : "1", i % 2 ? "red" : "blue");
    fclose(file);
    assert_status(refused(una_phrase(&run->scratch, "sets=\"%s\"", path), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "holds words");
    assert_status(refused(una_phrase(&run->scratch, "sets=\"%s\", target=y", path), run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "row 151 has no y");
    una_run_free(run);
}

static una_status make_tables(void *context, una_run *run)
{
    una_scale_options o = { .data = "", .sets = context, .target = "y", .sizes = "auto", .test = 0.2, .rows = 300,
                            .valid = 1 };
    una_asked asked = { .options = &o };
    una_scale_tables *tables = NULL;
    una_status status = una_scale_tables_new(&tables, &asked, run);
    una_result_free(tables);
    return status;
}

static void memory_may_end(void **state)
{
    const char *model = "told";
    char options[4400], sets[4300];
    (void)state;
    snprintf(sets, sizeof sets, "d1,%s", write_table("memory.csv", 300));
    assert_true(sweep_allocations(make_tables, sets) > 5);
    snprintf(options, sizeof options, "sets=\"%s\", target=y, sizes=\"20,40\", seeds=1", sets + 3);
    const char *set = options;
    assert_survives_no_memory("scale", SIZED(una_bench_settings, .models = &model, .model_count = 1, .set = &set,
                                             .set_count = 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_follow_from_the_rows),
        cmocka_unit_test(rows_are_made_once),
        cmocka_unit_test(sizes_are_nested),
        cmocka_unit_test(functions_are_as_written),
        cmocka_unit_test(known_functions_have_their_own_scores),
        cmocka_unit_test(keys_name_table_and_size),
        cmocka_unit_test(sizes_of_a_table),
        cmocka_unit_test(published_test_rows_rest),
        cmocka_unit_test(errors_in_closed_form),
        cmocka_unit_test(errors_are_right_on_average),
        cmocka_unit_test(changes_are_paired),
        cmocka_unit_test(a_hundredth_may_be_lost),
        cmocka_unit_test(falls_are_found_and_named),
        cmocka_unit_test(models_are_compared_on_the_same_rows),
        cmocka_unit_test(the_page_has_all_of_it),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
