/* SPDX-License-Identifier: MIT
 *
 * Every public call without memory: within each of them the n-th request fails, n = 1, 2, 3 ..., alone and with all
 * behind it (no_memory.h says what must hold then). A line of the table below is a call and a scene in which it is
 * made; those about a model are played with every kind of the registry. What is tested elsewhere, and what never asks
 * for memory, is listed too: tools/check_face.sh wants each function of include/ in one of the three lists.
 */
#define _XOPEN_SOURCE 700                /* realpath */
#include "models/quick.h"
#include "no_memory.h"

#include "una_bench.h"
#include "una_report.h"
#include "una_study.h"

enum { ROWS = 24, MORE = 5, MANY = 66 };
enum { MOST = 100, SOME = 20, FEW = 6 };      /* requests of a call that are refused, where they are many */

typedef struct world {
    una_run     *calm;
    una_dataset *rows, *more, *many;     /* x1, x2 and y; the last for gaps                                     */
    una_dataset *mixed, *pairs, *index;  /* words and missing cells; two targets; rows that could name images   */
    una_dataset *pictures;               /* and rows that do                                                    */
    char         csv[4096], words_csv[4096], splits[4096], concepts[4096], images[4096], saved[4096], folder[4096];
    void        *bytes, *pair_bytes;     /* saved models: of the kind whose turn it is, of two targets          */
    size_t       size, pair_size;
    una_model   *model, *held;           /* linear; it kept its out-of-fold predictions                         */
    const char  *kind;                   /* whose turn it is                                                    */
    una_explanation *explanation;
    una_gap     *gap;
    una_compared *compared;
    una_advice  *advice;
} world;

#define SCENE(name) static void name(void *context, una_run *run)
#define WORLD const world *w = context

/* ---- what scenes share ------------------------------------------------------------------------------------------- */

static void keep_path(char to[4096], const char *path)
{
    assert_true(strlen(path) < 4096);
    memcpy(to, path, strlen(path) + 1);
}

static void sum_table(const una_dataset *data)
{
    size_t rows = una_dataset_row_count(data);
    for (size_t c = 0; c < una_dataset_column_count(data); c++) {
        sum_text(una_dataset_column_name(data, c));
        if (una_dataset_numbers(data, c)) sum_numbers(una_dataset_numbers(data, c), rows);
        for (size_t i = 0; !una_dataset_numbers(data, c) && i < rows; i++) {
            const char *word = una_dataset_words(data, c)[i];
            sum_text(word ? word : "missing");
        }
    }
}

static void end_table(una_dataset *data)
{
    sum_table(data);
    una_dataset_free(data);
}

/* It may keep what it has found out, as a process does, and where an update failed the state that it gave up. */
static una_model *loaded(const void *bytes, size_t size, una_run *run)
{
    una_model *model = NULL;
    assert_ok(una_model_load_memory(&model, bytes, size, run), run);
    blow.keeps = true;
    return model;
}

/* By the bytes of its file, which hold all of it. */
static void sum_model(const una_model *model, const world *w)
{
    void *bytes = NULL;
    size_t size = 0;
    assert_ok(una_model_save_memory(model, &bytes, &size, w->calm), w->calm);
    sum_bytes(bytes, size);
    una_memory_free(bytes, w->calm);
}

static void end_model(una_model *model, const world *w)
{
    if (model) sum_model(model, w);
    una_model_free(model);
}

static void sum_score(const una_score *score)
{
    const double numbers[] = { score->rmse, score->log_lik, score->crps, score->coverage_50, score->calibration_error,
                               score->mean_std_epistemic, score->mean_std_noise };
    sum_count(score->rows);
    sum_numbers(numbers, sizeof numbers / sizeof *numbers);
}

/* ---- data -------------------------------------------------------------------------------------------------------- */

SCENE(read_text)
{
    WORLD;
    una_dataset *data = NULL;
    MADE(data, una_dataset_read(&data, w->words_csv, run), run);
    end_table(data);
}

SCENE(read_array)
{
    static const char array[] = "\x93NUMPY\x01\0\x76\0{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }";
    unsigned char file[128 + 6 * sizeof(double)];
    const double numbers[6] = { 1, 2, 3, 4, 5, 6 };
    memset(file, ' ', sizeof file);
    memcpy(file, array, sizeof array - 1);
    file[127] = '\n';
    memcpy(file + 128, numbers, sizeof numbers);
    una_dataset *data = NULL;
    const char *path = temp_file("array.npy", file, sizeof file);
    (void)context;
    MADE(data, una_dataset_read(&data, path, run), run);
    end_table(data);
}

SCENE(read_part)
{
    WORLD;
    una_dataset *data = NULL;
    MADE(data, una_dataset_read_part(&data, w->words_csv, run), run);
    end_table(data);
}

SCENE(from_arrays)
{
    static const double x[] = { 1, 2, 3, 4, 5, 6 }, y[] = { 1, 2, 3 };
    una_dataset *data = NULL;
    (void)context;
    MADE(data, una_dataset_from_arrays(&data, x, y, 3, 2, NULL, run), run);
    end_table(data);
}

SCENE(from_columns)
{
    static const double numbers[] = { 1, NAN, 3 };
    static const char *const words[] = { "a", NULL, "b" }, *const names[] = { "n", "w" };
    const double *const number[] = { numbers, NULL };
    const char *const *const word[] = { NULL, words };
    una_dataset *data = NULL;
    (void)context;
    MADE(data, una_dataset_from_columns(&data, names, number, word, 2, 3, run), run);
    end_table(data);
}

SCENE(synthetic)
{
    una_dataset *data = NULL;
    (void)context;
    MADE(data, una_dataset_synthetic(&data, "radial", 8, 2, 3, run), run);
    end_table(data);
}

SCENE(some_rows)
{
    WORLD;
    una_dataset *data = NULL;
    MADE(data, una_dataset_rows(&data, w->mixed, (const size_t[]){ 3, 1, 3 }, 3, run), run);
    end_table(data);
}

static const char condition[] = "not missing(size) and (weight > 0 or colour in ('red', 'blue'))";

SCENE(where)
{
    WORLD;
    una_dataset *data = NULL;
    MADE(data, una_dataset_where(&data, w->mixed, condition, run), run);
    end_table(data);
}

SCENE(where_part)
{
    WORLD;
    una_dataset *data = NULL;
    MADE(data, una_dataset_where_part(&data, w->mixed, condition, run), run);
    end_table(data);
}

SCENE(match)
{
    WORLD;
    size_t index[ROWS] = {0}, count = 0;
    DONE(una_dataset_match(index, &count, w->mixed, condition, run), run);
    sum_bytes(index, count * sizeof *index);
}

SCENE(join)
{
    WORLD;
    una_dataset *data = NULL;
    MADE(data, una_dataset_join(&data, w->mixed, w->mixed, run), run);
    end_table(data);
}

SCENE(add_images)
{
    WORLD;
    una_dataset *data = NULL;
    size_t sizes[3];
    assert_ok(una_dataset_rows(&data, w->index, (const size_t[]){ 0, 2 }, 2, run), run);
    DONE(una_dataset_add_images(data, w->images, "index", run), run);
    assert_ok(una_dataset_image(sizes, NULL, data, 1, w->calm), w->calm);
    sum_bytes(sizes, sizeof sizes);
    end_table(data);
}

SCENE(image)
{
    WORLD;
    size_t sizes[3];
    double numbers[IMAGE_SIZE] = {0};
    DONE(una_dataset_image(sizes, numbers, w->pictures, 1, run), run);
    sum_numbers(numbers, IMAGE_SIZE);
}

SCENE(find)
{
    WORLD;
    size_t column = 0;
    DONE(una_dataset_find(&column, w->mixed, "colours", run), run);
}

static void end_split(una_split *split, una_run *run)
{
    sum_bytes(split->train, split->train_count * sizeof *split->train);
    sum_bytes(split->test, split->test_count * sizeof *split->test);
    una_split_free(split, run);
}

SCENE(split_random)
{
    una_split split = UNA_INIT(una_split);
    (void)context;
    DONE(una_split_random(&split, 30, 0.3, 1, run), run);
    end_split(&split, run);
}

SCENE(split_gap)
{
    WORLD;
    una_split split = UNA_INIT(una_split);
    DONE(una_split_gap(&split, w->rows, "x1", run), run);
    end_split(&split, run);
}

SCENE(split_read)
{
    WORLD;
    una_split split = UNA_INIT(una_split);
    DONE(una_split_read(&split, w->splits, "gap", 0, 4, run), run);
    end_split(&split, run);
}

/* ---- specs ------------------------------------------------------------------------------------------------------- */

static void sum_option(const una_option_info *info)
{
    const char *const texts[] = { info->name, info->type, info->initial, info->range, info->help };
    for (size_t i = 0; i < 5; i++) sum_text(texts[i] ? texts[i] : "none");
}

SCENE(kind_option)
{
    una_option_info info = UNA_INIT(una_option_info);
    (void)context;
    DONE(una_kind_option(&info, 1, 0, run), run);
    sum_option(&info);
}

SCENE(spec_check)
{
    unsigned results = 0;
    (void)context;
    DONE(una_spec_check("ensemble(of=\"nlm(width=4, noise_std=0.10)\", members=3)", &results, run), run);
    sum_count(results);
}

SCENE(spec_text)
{
    const char *text = NULL;
    (void)context;
    DONE(una_spec_text(&text, "ensemble(members=3, of=\"nlm(width=4, noise_std=0.10)\")", run), run);
    sum_text(text);
}

/* ---- models ------------------------------------------------------------------------------------------------------ */

SCENE(fit)
{
    WORLD;
    una_model *model = NULL;
    una_fit_settings settings = SIZED(una_fit_settings, .hold_out = 1, .missing = UNA_MISSING_MEAN, .other = 2);
    MADE(model, una_fit(&model, "linear", w->mixed, &settings, run), run);
    end_model(model, w);
}

SCENE(fit_two_targets)
{
    WORLD;
    una_model *model = NULL;
    una_fit_settings settings = SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2, .hold_out = 1,
                                      .log_target = 1);
    MADE(model, una_fit(&model, "linear", w->pairs, &settings, run), run);
    end_model(model, w);
}

SCENE(fit_kind)
{
    WORLD;
    una_model *model = NULL;
    const char *spec = quick_spec(w->kind, NULL);
    MADE(model, una_fit(&model, spec, w->rows, NULL, run), run);
    end_model(model, w);
}

SCENE(save)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    const char *path = writes("model.una");
    DONE(una_model_save(model, path, run), run);
    sum_file();
    una_model_free(model);
}

SCENE(load)
{
    WORLD;
    una_model *model = NULL;
    MADE(model, una_model_load(&model, w->saved, run), run);
    end_model(model, w);
}

SCENE(save_memory)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    void *bytes = NULL;
    size_t size = 0;
    MADE(bytes, una_model_save_memory(model, &bytes, &size, run), run);
    sum_bytes(bytes, size);
    una_memory_free(bytes, run);
    una_model_free(model);
}

SCENE(load_memory)
{
    WORLD;
    una_model *model = NULL;
    MADE(model, una_model_load_memory(&model, w->bytes, w->size, run), run);
    end_model(model, w);
}

SCENE(file_info)
{
    WORLD;
    char *json = NULL;
    MADE(json, una_file_info(&json, w->saved, run), run);
    sum_text(json);
    una_memory_free(json, run);
}

static double answers[6 * MANY];

static una_prediction all_answers(size_t rows)
{
    double *p = answers;
    memset(answers, 0, sizeof answers);
    return (una_prediction){ sizeof(una_prediction), p, p + rows, p + 2 * rows, p + 3 * rows, p + 4 * rows,
                             p + 5 * rows };
}

SCENE(predict)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    una_prediction out = all_answers(MORE);
    DONE(una_model_predict(model, w->more, 0.9, &out, run), run);
    sum_numbers(answers, 6 * MORE);
    end_model(model, w);
}

SCENE(quantiles)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    double q[2 * MORE] = {0};
    DONE(una_model_quantiles(model, w->more, (const double[]){ 0.1, 0.5 }, 2, q, run), run);
    sum_numbers(q, 2 * MORE);
    end_model(model, w);
}

static const double points[] = { 0.3, -0.4, 1.5, 0.2 };

SCENE(predict_rows)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    una_prediction out = all_answers(2);
    DONE(una_model_predict_rows(model, points, 2, 0.9, &out, run), run);
    sum_numbers(answers, 12);
    end_model(model, w);
}

SCENE(draw)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    double f[2 * MORE] = {0};
    DONE(una_model_draw(model, w->more, 2, 0, f, run), run);
    sum_numbers(f, 2 * MORE);
    end_model(model, w);
}

SCENE(functions)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    size_t count = 0;
    assert_ok(una_model_functions(model, w->more, &count, NULL, w->calm), w->calm);
    double *f = calloc((count + 1) * MORE, sizeof *f);
    assert_non_null(f);
    DONE(una_model_functions(model, w->more, &count, f, run), run);
    sum_numbers(f, count * MORE);
    free(f);
    end_model(model, w);
}

SCENE(slope)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    double dmean[2] = {0}, dstd[2] = {0};
    DONE(una_model_slope(model, points, dmean, dstd, run), run);
    sum_numbers(dmean, 2);
    sum_numbers(dstd, 2);
    end_model(model, w);
}

SCENE(parts)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    size_t count = una_model_part_count(model), size = count * (1 + 2 * 2 * 3);
    double *p = calloc(size + 1, sizeof *p);
    assert_non_null(p);
    una_parts out = { sizeof out, p, p + count, p + 3 * count, p + 5 * count, p + 9 * count };
    DONE(una_model_parts(model, points, 2, &out, run), run);
    sum_numbers(p, size);
    free(p);
    end_model(model, w);
}

SCENE(sample)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run), *function = NULL;
    MADE(function, una_model_sample(&function, model, 1, run), run);
    end_model(function, w);
    end_model(model, w);
}

SCENE(relearn)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run), *other = NULL;
    const char *const set[] = { "noise_std=0.2" };
    MADE(other, una_model_relearn(&other, model, w->rows, set, 1, run), run);
    end_model(other, w);
    end_model(model, w);
}

SCENE(update)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    DONE(una_model_update(model, w->more, run), run);
    end_model(model, w);
}

SCENE(update_with)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    DONE(una_model_update_with(model, w->more, &SIZED(una_update_settings, .adapt = 1), run), run);
    end_model(model, w);
}

SCENE(update_rows)
{
    WORLD;
    una_model *model = loaded(w->bytes, w->size, run);
    DONE(una_model_update_rows(model, points, (const double[]){ 1, 2 }, 2, run), run);
    end_model(model, w);
}

SCENE(covariance)
{
    WORLD;
    una_model *model = loaded(w->pair_bytes, w->pair_size, run);
    double cov[ROWS * 4] = {0};
    DONE(una_model_covariance(model, w->pairs, 1, cov, run), run);
    sum_numbers(cov, ROWS * 4);
    end_model(model, w);
}

SCENE(joint_log_lik)
{
    WORLD;
    una_model *model = loaded(w->pair_bytes, w->pair_size, run);
    double log_lik = 0;
    size_t rows = 0;
    DONE(una_model_joint_log_lik(&log_lik, &rows, model, w->pairs, run), run);
    sum_numbers(&log_lik, 1);
    end_model(model, w);
}

/* ---- scores, verdicts, reasons ----------------------------------------------------------------------------------- */

SCENE(score_gaussian)
{
    WORLD;
    una_score score = UNA_INIT(una_score);
    const double *x = una_dataset_numbers(w->rows, 0), *y = una_dataset_numbers(w->rows, 2);
    double std[ROWS];
    for (size_t i = 0; i < ROWS; i++) std[i] = 1 + 0.1 * (double)i;
    DONE(una_score_gaussian(&score, y, x, std, std, ROWS, run), run);
    sum_score(&score);
}

SCENE(score_model)
{
    WORLD;
    una_score score = UNA_INIT(una_score);
    una_model *model = loaded(w->bytes, w->size, run);
    DONE(una_model_score(&score, model, w->more, run), run);
    sum_score(&score);
    end_model(model, w);
}

SCENE(score_rows)
{
    WORLD;
    una_score score = UNA_INIT(una_score);
    una_model *model = loaded(w->bytes, w->size, run);
    double below[MORE] = {0};
    DONE(una_model_score_rows(&score, below, model, w->more, run), run);
    sum_score(&score);
    sum_numbers(below, MORE);
    end_model(model, w);
}

SCENE(judge)
{
    WORLD;
    una_verdict *verdict = NULL;
    MADE(verdict, una_judge(&verdict, w->held, w->rows, run), run);
    sum_text(verdict->sentence);
    for (size_t i = 0; i < verdict->finding_count; i++) sum_text(verdict->findings[i].sentence);
    una_verdict_free(verdict);
}

SCENE(importance)
{
    WORLD;
    una_importance *found = NULL;
    una_model *model = loaded(w->bytes, w->size, run);
    MADE(found, una_importance_of(&found, model, w->rows, run), run);
    if (found) sum_numbers(found->rise, found->inputs);
    if (found) sum_numbers(found->high, found->inputs);
    una_importance_free(found);
    end_model(model, w);
}

SCENE(concepts_read)
{
    WORLD;
    una_concepts *concepts = NULL;
    MADE(concepts, una_concepts_read(&concepts, w->concepts, run), run);
    for (size_t i = 0; i < concepts->count; i++) sum_text(concepts->at[i].name);
    una_concepts_free(concepts);
}

static const una_concept concepts[] = {
    { .size = sizeof(una_concept), .name = "right", .where = "x1 > 0" },
    { .size = sizeof(una_concept), .name = "high", .where = "x2 > 0" },
};

static const una_explain_settings explaining = { .size = sizeof explaining, .concepts = concepts, .concept_count = 2 };

SCENE(explain)
{
    WORLD;
    una_explanation *found = NULL;
    una_model *model = loaded(w->bytes, w->size, run);
    MADE(found, una_explain(&found, model, w->rows, &explaining, run), run);
    if (found) sum_numbers(found->part, found->rows * found->parts);
    una_explanation_free(found);
    end_model(model, w);
}

SCENE(explanation_write)
{
    WORLD;
    const char *path = writes("parts.csv");
    DONE(una_explanation_write(w->explanation, path, run), run);
    sum_file();
}

/* ---- files, row by row ------------------------------------------------------------------------------------------- */

SCENE(predict_file)
{
    WORLD;
    size_t rows = 0;
    una_model *model = loaded(w->bytes, w->size, run);
    const double levels[] = { 0.05, 0.5 };
    una_predict_settings settings = { .size = sizeof settings, .keep = 1, .where = "x1 > -9", .quantiles = levels,
                                      .quantile_count = 2 };
    const char *path = writes("answers.csv");
    DONE(una_predict_file(model, w->csv, &settings, path, &rows, run), run);
    sum_count(rows);
    sum_file();
    end_model(model, w);
}

SCENE(score_file)
{
    WORLD;
    una_score score = UNA_INIT(una_score);
    una_model *model = loaded(w->bytes, w->size, run);
    DONE(una_score_file(&score, model, w->csv, run), run);
    sum_score(&score);
    end_model(model, w);
}

SCENE(update_file)
{
    WORLD;
    size_t rows = 0;
    una_model *model = loaded(w->bytes, w->size, run);
    DONE(una_update_file(model, w->csv, &rows, run), run);
    sum_count(rows);
    end_model(model, w);
}

static const una_file_settings some = { .size = sizeof some, .where = "x1 > 0 or x2 > 0" };

SCENE(score_file_with)
{
    WORLD;
    una_score score = UNA_INIT(una_score);
    una_model *model = loaded(w->bytes, w->size, run);
    DONE(una_score_file_with(&score, model, w->csv, &some, run), run);
    sum_score(&score);
    end_model(model, w);
}

SCENE(update_file_with)
{
    WORLD;
    size_t rows = 0;
    una_model *model = loaded(w->bytes, w->size, run);
    DONE(una_update_file_with(model, w->csv, &some, &rows, run), run);
    sum_count(rows);
    end_model(model, w);
}

/* ---- pages and charts -------------------------------------------------------------------------------------------- */

SCENE(report_write)
{
    WORLD;
    const char *path = writes("report.html"), *const title[] = { "one" };
    const una_model *const model[] = { w->held };
    DONE(una_report_write(path, model, title, 1, w->rows, "heading", "story", run), run);
    sum_file();
}

SCENE(chart_write)
{
    WORLD;
    const char *path = writes("chart.svg"), *const title[] = { "one" };
    const una_model *const model[] = { w->model };
    DONE(una_chart_write(path, model, title, 1, w->rows, run), run);
    sum_file();
}

static double twice(double x, void *context)
{
    (void)context;
    return 2 * x;
}

/* One input, a story with a table, and what is true. */
static una_report_settings with_story(const una_model *const model[1], const una_dataset *rows)
{
    return (una_report_settings){ .size = sizeof(una_report_settings), .models = model, .count = 1, .data = rows,
                                  .story = "First.\n\nNumbers. Of one.\n| a | b\n| c | 1\n\nLast.", .truth = twice };
}

SCENE(report_write_with)
{
    WORLD;
    const char *path = writes("report.html");
    const una_model *const model[] = { w->held };
    const una_report_settings settings = with_story(model, w->rows);
    DONE(una_report_write_with(path, &settings, run), run);
    sum_file();
}

SCENE(chart_write_with)
{
    WORLD;
    const char *path = writes("chart.svg");
    const una_model *const model[] = { w->model };
    const una_report_settings settings = with_story(model, w->rows);
    DONE(una_chart_write_with(path, &settings, run), run);
    sum_file();
}

SCENE(plot_write)
{
    WORLD;
    const una_plot_settings settings = { .size = sizeof settings, .what = "effect", .input = "x1" };
    const char *path = writes("plot.svg");
    DONE(una_plot_write(path, w->model, w->rows, &settings, run), run);
    sum_file();
}

SCENE(report_explanation)
{
    WORLD;
    const char *path = writes("why.html");
    DONE(una_report_explanation(path, w->explanation, w->rows, NULL, 3, run), run);
    sum_file();
}

SCENE(chart_explanation)
{
    WORLD;
    const char *path = writes("why.svg");
    DONE(una_chart_explanation(path, w->explanation, 3, run), run);
    sum_file();
}

static const char *const line[] = { "linear" };

/* ---- experiments and published data ------------------------------------------------------------------------------ */

SCENE(bench_option)
{
    una_option_info info = UNA_INIT(una_option_info);
    (void)context;
    DONE(una_bench_option(&info, 0, 0, run), run);
    sum_option(&info);
}

SCENE(bench_run)
{
    WORLD;
    static const char *const set[] = { "seeds=1", "features=\"2\"" };
    una_bench_result *result = NULL;
    una_bench_settings settings = { .size = sizeof settings, .out = w->folder, .models = line, .model_count = 1,
                                    .set = set, .set_count = 2, .quick = 1, .kept = 1 };
    MADE(result, una_bench_run(&result, "transfer", &settings, run), run);
    sum_count(result->row_count);
    sum_numbers(&result->means[0].mean, 1);
    for (size_t i = 0; i < result->claim_count; i++) sum_text(result->claims[i].numbers);
    una_bench_free(result);
}

SCENE(bench_export)
{
    WORLD;
    size_t rows = 0;
    const char *path = writes("rows.csv");
    DONE(una_bench_export(&rows, "transfer", w->folder, path, run), run);
    sum_count(rows);
    sum_file();
}

SCENE(bench_import)
{
    WORLD;
    size_t rows = 0, added = 0;
    char folder[4096], path[5000];
    keep_path(folder, temp_path("imported"));
    temp_folder_empty(folder);
    snprintf(path, sizeof path, "%s/transfer.csv", w->folder);
    DONE(una_bench_import(&rows, &added, "transfer", folder, path, run), run);
    sum_count(added);
}

/* A folder with a file of the first set that is not as published. */
static const char *wrong_set(void)
{
    static char folder[4096];
    char path[8192];
    keep_path(folder, temp_path("sets"));
    snprintf(path, sizeof path, "%s/uci", folder);
    mkdir(folder, 0777);
    mkdir(path, 0777);
    snprintf(path, sizeof path, "sets/%s", una_data_at(0)->files[0].path);
    temp_text_file(path, "a,b\n1,2\n");
    return folder;
}

SCENE(data_check)
{
    una_data_state state = UNA_DATA_ABSENT;
    (void)context;
    DONE(una_data_check(&state, 0, 0, wrong_set(), run), run);
    sum_count((size_t)state);
}

SCENE(data_import)
{
    size_t found = 0, written = 0;
    (void)context;
    DONE(una_data_import(&found, &written, 0, temp_path("never"), wrong_set(), run), run);
    assert_int_equal(access(temp_path("never"), F_OK), -1);
}

SCENE(data_get)
{
    size_t written = 0;
    char address[8192], whole[4096];
    (void)context;
    assert_non_null(realpath(wrong_set(), whole));
    snprintf(address, sizeof address, "file://%s", whole);
    DONE(una_data_get(&written, 0, temp_path("never"), &SIZED(una_data_settings, .from = address), run), run);
    assert_int_equal(access(temp_path("never"), F_OK), -1);
}

static una_gap_settings along_x1(void)
{
    static const char *const column[] = { "x1" };
    return SIZED(una_gap_settings, .model = "linear", .columns = column, .column_count = 1);
}

SCENE(gap_test)
{
    WORLD;
    una_gap *gap = NULL;
    una_gap_settings settings = along_x1();
    MADE(gap, una_gap_test(&gap, w->many, &settings, run), run);
    sum_text(gap->answer);
    sum_numbers(&gap->hole[0].error, 3);
    una_gap_free(gap);
}

SCENE(gap_page)
{
    WORLD;
    const char *path = writes("gap.html");
    DONE(una_gap_page(w->gap, path, run), run);
    sum_file();
}

SCENE(gap_chart)
{
    WORLD;
    const char *path = writes("gap.svg");
    DONE(una_gap_chart(w->gap, path, run), run);
    sum_file();
}

/* ---- studies ----------------------------------------------------------------------------------------------------- */

static const char space[] = "{\"x\": {\"type\": \"real\", \"low\": 0, \"high\": 1}, \"kind\": {\"type\": \"category\", "
                            "\"levels\": [\"a, b\", \"c\"]}}";

static una_study_settings studying(void)
{
    return SIZED(una_study_settings, .space = space, .model = "linear", .acquisition = "log_ei", .initial = 2);
}

static void sum_trials(una_trials *trials)
{
    for (size_t i = 0; i < trials->count; i++) {
        const una_trial *t = &trials->at[i];
        sum_count((size_t)t->id);
        sum_count((size_t)t->state);
        sum_numbers(t->x, 2);
        sum_numbers(&t->value, 1);
        sum_text(t->note);
    }
    una_trials_free(trials);
}

static void end_study(una_study *study, const world *w)
{
    una_trials *trials = NULL;
    if (study) assert_ok(una_study_trials(&trials, study, w->calm), w->calm);
    if (study) sum_trials(trials);
    una_study_close(study);
}

/* Four told trials and one that is open, number 5. */
static una_study *studied_by(const char *acquisition, una_run *run)
{
    una_study *study = NULL;
    una_trials *trials = NULL;
    una_study_settings settings = studying();
    settings.acquisition = acquisition;
    assert_ok(una_study_new(&study, NULL, &settings, run), run);
    for (size_t i = 0; i < 4; i++) {
        const double x[] = { 0.2 * (double)i, (double)(i % 2) };
        assert_ok(una_study_add(study, x, cos((double)i), "by hand", run), run);
    }
    assert_ok(una_study_ask(&trials, study, 1, run), run);
    assert_int_equal(trials->at[0].id, 5);
    una_trials_free(trials);
    return study;
}

static una_study *studied(una_run *run) { return studied_by("quasi", run); }

SCENE(study_new)
{
    WORLD;
    char path[4096];
    una_study *study = NULL;
    una_study_settings settings = studying();
    keep_path(path, temp_path("new.study"));
    remove(path);
    MADE(study, una_study_new(&study, path, &settings, run), run);
    sum_text(una_study_text(study, "model"));
    sum_text(una_study_text(study, "lease"));
    end_study(study, w);
}

SCENE(study_open)
{
    WORLD;
    char path[4096];
    una_study *study = NULL;
    una_study_settings settings = studying();
    keep_path(path, temp_path("old.study"));
    if (access(path, F_OK) != 0) {
        assert_ok(una_study_new(&study, path, &settings, w->calm), w->calm);
        una_study_close(study);
        study = NULL;
    }
    MADE(study, una_study_open(&study, path, run), run);
    sum_text(una_study_text(study, "space"));
    end_study(study, w);
}

/* It has no status: without memory there is no text, and the run says why. */
static una_status text_of(const char **text, const una_study *study, una_run *run)
{
    *text = una_study_input_text(study, 1, 0, run);
    return *text ? UNA_OK : UNA_E_MEMORY;
}

SCENE(study_input_text)
{
    WORLD;
    const char *text = NULL;
    una_study *study = studied(run);
    MADE(text, text_of(&text, study, run), run);
    sum_text(text);
    end_study(study, w);
}

SCENE(study_ask)
{
    WORLD;
    una_trials *trials = NULL;
    una_study *study = studied_by("log_ei", run);
    blow.keeps = true;                   /* the search, for the next time */
    MADE(trials, una_study_ask(&trials, study, 2, run), run);
    for (size_t i = 0; i < trials->count; i++) sum_count(trials->at[i].attempts);
    sum_trials(trials);
    end_study(study, w);
}

SCENE(study_tell)
{
    WORLD;
    una_study *study = studied(run);
    DONE(una_study_tell(study, 5, 0.5, run), run);
    end_study(study, w);
}

SCENE(study_fail)
{
    WORLD;
    una_study *study = studied(run);
    DONE(una_study_fail(study, 5, "it burnt", run), run);
    end_study(study, w);
}

SCENE(study_drop)
{
    WORLD;
    una_study *study = studied(run);
    DONE(una_study_drop(study, 5, run), run);
    end_study(study, w);
}

SCENE(study_renew)
{
    WORLD;
    una_study *study = studied(run);
    DONE(una_study_renew(study, (const uint64_t[]){ 5 }, 1, run), run);
    end_study(study, w);
}

SCENE(study_add)
{
    WORLD;
    una_study *study = studied(run);
    DONE(una_study_add(study, (const double[]){ 0.9, 1 }, 2, "elsewhere", run), run);
    end_study(study, w);
}

SCENE(study_trials)
{
    WORLD;
    una_trials *trials = NULL;
    una_study *study = studied(run);
    MADE(trials, una_study_trials(&trials, study, run), run);
    sum_trials(trials);
    end_study(study, w);
}

SCENE(study_best)
{
    WORLD;
    una_trials *trials = NULL;
    una_study *study = studied(run);
    MADE(trials, una_study_best(&trials, study, run), run);
    sum_trials(trials);
    end_study(study, w);
}

SCENE(study_slice)
{
    WORLD;
    double at[3] = {0}, mean[3] = {0}, std[3] = {0};
    una_study *study = studied(run);
    blow.keeps = true;
    DONE(una_study_slice(study, 0, 3, at, mean, std, run), run);
    sum_numbers(mean, 3);
    sum_numbers(std, 3);
    end_study(study, w);
}

/* Times stand in exported trials: what is written is not the same every second. */
SCENE(study_export_csv)
{
    WORLD;
    size_t rows = 0;
    una_study *study = studied(run);
    const char *path = writes("trials.csv");
    DONE(una_study_export_csv(&rows, study, path, run), run);
    sum_count(rows);
    end_study(study, w);
}

SCENE(study_export_json)
{
    WORLD;
    size_t rows = 0;
    una_study *study = studied(run);
    const char *path = writes("trials.json");
    DONE(una_study_export_json(&rows, study, path, run), run);
    sum_count(rows);
    end_study(study, w);
}

SCENE(study_import_csv)
{
    WORLD;
    size_t rows = 0, added = 0;
    una_study *study = studied(run);
    const char *path = temp_text_file("trials.csv", "x,kind,value\n0.1,c,3\n0.3,\"a, b\",4\n");
    DONE(una_study_import_csv(&rows, &added, study, path, NULL, run), run);
    sum_count(added);
    end_study(study, w);
}

SCENE(study_page)
{
    WORLD;
    una_study *study = studied(run);
    const char *path = writes("study.html");
    blow.keeps = true;
    DONE(una_study_page(study, path, run), run);
    end_study(study, w);
}

SCENE(study_chart)
{
    WORLD;
    una_study *study = studied(run);
    const char *path = writes("study.svg");
    blow.keeps = true;
    DONE(una_study_chart(study, path, run), run);
    end_study(study, w);
}

SCENE(study_run)
{
    static const char *const words[] = { "echo", "{x}" };
    WORLD;
    size_t done = 0;
    una_study *study = studied(run);
    una_study_command command = { .size = sizeof command, .words = words, .count = 2, .trials = 1 };
    una_trials *trials = NULL;
    blow.keeps = true;
    DONE(una_study_run(&done, study, &command, run), run);
    assert_ok(una_study_trials(&trials, study, w->calm), w->calm);
    for (size_t i = 0; i < trials->count; i++)
        if ((trials->at[i].state == UNA_TRIAL_OPEN) != (trials->at[i].id == 5)) FAIL_BLOW("%s", "a trial is lost");
    sum_count(done);                     /* one that failed may have told a value: then there are two */
    una_trials_free(trials);
    una_study_close(study);
}

/* ---- what to measure, what to choose ----------------------------------------------------------------------------- */

SCENE(suggest)
{
    WORLD;
    una_advice *advice = NULL;
    una_model *model = loaded(w->bytes, w->size, run);
    MADE(advice, una_suggest(&advice, model, w->more, w->more, 1, run), run);
    if (advice) sum_numbers(advice->after, advice->count);
    una_advice_free(advice);
    end_model(model, w);
}

SCENE(advice_write)
{
    WORLD;
    const char *path = writes("advice.csv");
    DONE(una_advice_write(w->advice, path, run), run);
    sum_file();
}

SCENE(tune)
{
    WORLD;
    una_tuned *tuned = NULL;
    una_tune_settings settings = { .size = sizeof settings, .model = "linear", .over = "degree=1|2", .splits = 1 };
    MADE(tuned, una_tune(&tuned, w->rows, &settings, run), run);
    sum_numbers(tuned->log_lik, tuned->count);
    una_tuned_free(tuned);
}

SCENE(tune_in_folder)
{
    WORLD;
    una_tuned *tuned = NULL;
    char folder[4096];
    una_tune_settings settings = { .size = sizeof settings, .model = "linear", .over = "degree=1|2", .splits = 1,
                                   .out = folder };
    keep_path(folder, temp_path("tuned"));
    temp_folder_empty(folder);
    MADE(tuned, una_tune(&tuned, w->rows, &settings, run), run);
    sum_numbers(tuned->log_lik, tuned->count);
    una_tuned_free(tuned);
}

SCENE(compare)
{
    WORLD;
    una_compared *compared = NULL;
    una_compare_settings settings = { .size = sizeof settings, .models = line, .model_count = 1, .folds = 2 };
    MADE(compared, una_compare(&compared, w->rows, &settings, run), run);
    sum_text(compared->sentence);
    sum_numbers(compared->model[0].log_lik.fold, 2);
    una_compared_free(compared);
}

SCENE(compare_in_folder)
{
    WORLD;
    una_compared *compared = NULL;
    char folder[4096];
    una_compare_settings settings = { .size = sizeof settings, .models = line, .model_count = 1, .folds = 2,
                                      .out = folder };
    keep_path(folder, temp_path("compared"));
    temp_folder_empty(folder);
    MADE(compared, una_compare(&compared, w->rows, &settings, run), run);
    sum_numbers(compared->model[0].log_lik.fold, 2);
    una_compared_free(compared);
}

SCENE(compare_page)
{
    WORLD;
    const char *path = writes("compared.html");
    DONE(una_compare_page(w->compared, path, run), run);
    sum_file();
}

SCENE(compare_chart)
{
    WORLD;
    const char *path = writes("compared.svg");
    DONE(una_compare_chart(w->compared, path, run), run);
    sum_file();
}

/* ---- what is refused, with or without memory --------------------------------------------------------------------- */

SCENE(no_such_cell)
{
    una_dataset *data = NULL;
    const char *path = temp_text_file("torn.csv", "x1,x2\n1,2\n3\n");
    (void)context;
    MADE(data, una_dataset_read(&data, path, run), run);
}

SCENE(no_condition)
{
    WORLD;
    una_dataset *data = NULL;
    MADE(data, una_dataset_where(&data, w->mixed, "colours == 'red'", run), run);
}

SCENE(no_such_model)
{
    (void)context;
    DONE(una_spec_check("ensemble(of=linea)", NULL, run), run);
}

SCENE(no_such_option)
{
    WORLD;
    una_model *model = NULL;
    MADE(model, una_fit(&model, "linear(degre=2)", w->rows, NULL, run), run);
}

SCENE(no_such_concept)
{
    WORLD;
    static const una_concept wrong = { .size = sizeof wrong, .name = "left", .where = "x3 < 0" };
    una_explanation *found = NULL;
    MADE(found, una_explain(&found, w->model, w->rows, &SIZED(una_explain_settings, .concepts = &wrong,
                            .concept_count = 1), run), run);
}

SCENE(no_such_rows)
{
    WORLD;
    const char *path = writes("answers.csv");
    DONE(una_predict_file(w->model, w->csv, &SIZED(una_predict_settings, .where = "x1 > 99"), path, NULL, run), run);
}

SCENE(no_such_input)
{
    WORLD;
    const char *path = writes("plot.svg");
    DONE(una_plot_write(path, w->model, w->rows, &SIZED(una_plot_settings, .input = "x3"), run), run);
}

SCENE(no_such_column)
{
    WORLD;
    static const char *const column[] = { "x3" };
    una_gap *gap = NULL;
    una_gap_settings settings = along_x1();
    settings.columns = column;
    MADE(gap, una_gap_test(&gap, w->many, &settings, run), run);
}

SCENE(no_experiment_of_it)
{
    WORLD;
    static const char *const wrong[] = { "linear(degre=2)" };
    una_bench_result *result = NULL;
    una_bench_settings settings = { .size = sizeof settings, .out = w->folder, .models = wrong, .model_count = 1 };
    MADE(result, una_bench_run(&result, "transfer", &settings, run), run);
}

SCENE(no_such_acquisition)
{
    una_study *study = NULL;
    una_study_settings settings = studying();
    (void)context;
    settings.acquisition = "log_i";
    MADE(study, una_study_new(&study, NULL, &settings, run), run);
}

SCENE(nothing_to_search)
{
    WORLD;
    static const char *const models[] = { "linear", "gp" };
    una_tuned *tuned = NULL;
    una_tune_settings settings = { .size = sizeof settings, .models = models, .model_count = 2, .over = "degre=1|2" };
    MADE(tuned, una_tune(&tuned, w->rows, &settings, run), run);
}

SCENE(nothing_to_compare)
{
    WORLD;
    static const char *const models[] = { "linea" };
    una_compared *compared = NULL;
    una_compare_settings settings = { .size = sizeof settings, .models = models, .model_count = 1 };
    MADE(compared, una_compare(&compared, w->rows, &settings, run), run);
}

/* ---- the lists --------------------------------------------------------------------------------------------------- */

/* most: how many requests are refused at most, where each takes long; 0: as usual. */
typedef struct call { const char *name; scene_play *scene; long most; } call;

#define CALL(function, ...) { .name = #function, .scene = __VA_ARGS__ }

static const call calls[] = {
    CALL(una_dataset_read, read_text), CALL(una_dataset_read, read_array), CALL(una_dataset_read_part, read_part),
    CALL(una_dataset_from_arrays, from_arrays), CALL(una_dataset_from_columns, from_columns),
    CALL(una_dataset_synthetic, synthetic), CALL(una_dataset_rows, some_rows), CALL(una_dataset_where, where),
    CALL(una_dataset_where_part, where_part), CALL(una_dataset_match, match), CALL(una_dataset_join, join),
    CALL(una_dataset_add_images, add_images), CALL(una_dataset_image, image),
    CALL(una_split_random, split_random), CALL(una_split_gap, split_gap), CALL(una_split_read, split_read),
    CALL(una_kind_option, kind_option), CALL(una_spec_check, spec_check), CALL(una_spec_text, spec_text),
    CALL(una_fit, fit), CALL(una_fit, fit_two_targets),
    CALL(una_model_load, load), CALL(una_file_info, file_info),
    CALL(una_model_covariance, covariance), CALL(una_model_joint_log_lik, joint_log_lik),
    CALL(una_score_gaussian, score_gaussian), CALL(una_judge, judge), CALL(una_concepts_read, concepts_read),
    CALL(una_explanation_write, explanation_write),
    CALL(una_report_write, report_write, .most = FEW), CALL(una_chart_write, chart_write, .most = FEW),
    CALL(una_report_write_with, report_write_with, .most = FEW),
    CALL(una_chart_write_with, chart_write_with, .most = FEW),
    CALL(una_plot_write, plot_write, .most = SOME), CALL(una_report_explanation, report_explanation, .most = FEW),
    CALL(una_chart_explanation, chart_explanation, .most = SOME),
    CALL(una_bench_option, bench_option), CALL(una_bench_run, bench_run, .most = SOME),
    CALL(una_bench_export, bench_export, .most = SOME), CALL(una_bench_import, bench_import),
    CALL(una_data_check, data_check), CALL(una_gap_test, gap_test, .most = SOME),
    CALL(una_gap_page, gap_page, .most = SOME), CALL(una_gap_chart, gap_chart, .most = SOME),
    CALL(una_study_new, study_new), CALL(una_study_open, study_open), CALL(una_study_input_text, study_input_text),
    CALL(una_study_ask, study_ask, .most = FEW), CALL(una_study_tell, study_tell), CALL(una_study_fail, study_fail),
    CALL(una_study_drop, study_drop), CALL(una_study_renew, study_renew), CALL(una_study_add, study_add),
    CALL(una_study_trials, study_trials), CALL(una_study_best, study_best),
    CALL(una_study_slice, study_slice, .most = SOME), CALL(una_study_export_csv, study_export_csv),
    CALL(una_study_export_json, study_export_json), CALL(una_study_import_csv, study_import_csv),
    CALL(una_study_page, study_page, .most = FEW), CALL(una_study_chart, study_chart, .most = FEW),
    CALL(una_study_run, study_run), CALL(una_advice_write, advice_write), CALL(una_tune, tune, .most = SOME),
    CALL(una_tune, tune_in_folder, .most = SOME), CALL(una_compare, compare, .most = SOME),
    CALL(una_compare, compare_in_folder, .most = SOME), CALL(una_compare_page, compare_page, .most = FEW),
    CALL(una_compare_chart, compare_chart, .most = SOME),
};

/* What is wrong is said, or that there is no memory to find it. */
static const call refused[] = {
    CALL(una_dataset_find, find), CALL(una_data_import, data_import), CALL(una_data_get, data_get),
    CALL(una_dataset_read, no_such_cell), CALL(una_dataset_where, no_condition), CALL(una_spec_check, no_such_model),
    CALL(una_fit, no_such_option), CALL(una_explain, no_such_concept), CALL(una_predict_file, no_such_rows),
    CALL(una_plot_write, no_such_input), CALL(una_gap_test, no_such_column),
    CALL(una_bench_run, no_experiment_of_it), CALL(una_study_new, no_such_acquisition),
    CALL(una_tune, nothing_to_search), CALL(una_compare, nothing_to_compare),
};

/* Of a model: with every kind, of which some refuse. */
static const call of_models[] = {
    CALL(una_fit, fit_kind, .most = FEW),
    CALL(una_model_save, save), CALL(una_model_save_memory, save_memory), CALL(una_model_load_memory, load_memory),
    CALL(una_model_predict, predict), CALL(una_model_quantiles, quantiles), CALL(una_model_predict_rows, predict_rows),
    CALL(una_model_draw, draw), CALL(una_model_functions, functions), CALL(una_model_slope, slope),
    CALL(una_model_parts, parts), CALL(una_model_sample, sample), CALL(una_model_relearn, relearn),
    CALL(una_model_update, update), CALL(una_model_update_with, update_with),
    CALL(una_model_update_rows, update_rows),
    CALL(una_model_score, score_model), CALL(una_model_score_rows, score_rows), CALL(una_importance_of, importance),
    CALL(una_explain, explain), CALL(una_predict_file, predict_file), CALL(una_score_file, score_file),
    CALL(una_update_file, update_file), CALL(una_score_file_with, score_file_with),
    CALL(una_update_file_with, update_file_with), CALL(una_suggest, suggest),
};

/* Tests of other files, in which requests of the very call fail. */
#define ELSEWHERE(function, file) { #function, "tests/" file }
static const struct { const char *name, *file; } elsewhere[] = {
    ELSEWHERE(una_run_new, "base/test_run.c"),
    ELSEWHERE(una_mpi_join, "mpi/test_mpi_join.c"),
};

/* What asks for no memory, whatever it is asked:
 * NEVER(una_status_text) NEVER(una_version) NEVER(una_build_info) NEVER(una_run_free) NEVER(una_run_message)
 * NEVER(una_run_kernels) NEVER(una_run_limits) NEVER(una_run_fail) NEVER(una_dataset_free)
 * NEVER(una_dataset_row_count) NEVER(una_dataset_row_number) NEVER(una_dataset_date)
 * NEVER(una_dataset_column_count)
 * NEVER(una_dataset_column_name)
 * NEVER(una_dataset_origin) NEVER(una_dataset_numbers) NEVER(una_dataset_words) NEVER(una_split_free)
 * NEVER(una_kind_count) NEVER(una_kind_name) NEVER(una_kind_summary) NEVER(una_kind_source) NEVER(una_kind_preset)
 * NEVER(una_kind_updates) NEVER(una_kind_relearns) NEVER(una_kind_option_count) NEVER(una_model_free)
 * NEVER(una_model_info) NEVER(una_model_input_count) NEVER(una_model_input_name) NEVER(una_model_options_json)
 * NEVER(una_model_held_out) NEVER(una_model_target_count) NEVER(una_model_target) NEVER(una_memory_free)
 * NEVER(una_model_part_count) NEVER(una_verdict_free) NEVER(una_importance_free) NEVER(una_concepts_free)
 * NEVER(una_explanation_free) NEVER(una_explanation_largest) NEVER(una_explanation_sentence)
 * NEVER(una_report_build_info) NEVER(una_chart_check) NEVER(una_study_build_info) NEVER(una_bench_build_info)
 * NEVER(una_bench_count) NEVER(una_bench_name)
 * NEVER(una_bench_summary) NEVER(una_bench_caption) NEVER(una_bench_over) NEVER(una_bench_option_count)
 * NEVER(una_bench_measure_count) NEVER(una_bench_measure_at) NEVER(una_bench_verdict) NEVER(una_bench_free)
 * NEVER(una_data_count) NEVER(una_data_at) NEVER(una_gap_model) NEVER(una_gap_word) NEVER(una_gap_free)
 * NEVER(una_study_close) NEVER(una_study_input_count) NEVER(una_study_input_name) NEVER(una_study_text)
 * NEVER(una_trials_free) NEVER(una_advice_free) NEVER(una_tuned_free) NEVER(una_compared_free) NEVER(una_mpi_leave)
 * NEVER(una_mpi_build_info)
 */

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static world all;

static void play_call(const call *c, long usual)
{
    long most = c->most ? c->most : usual;
    strike_each(c->name, c->scene, &all, sanitized ? (most + 1) / 2 : most);
}

static void each_request_may_fail(void **state)
{
    play_call(*state, MOST);
    if (blow.wanted != UNA_OK) fail_msg("%s: status %d", blow.call, (int)blow.wanted);
}

static void each_of_what_is_refused(void **state)
{
    play_call(*state, MOST);
    if (blow.wanted == UNA_OK || blow.wanted == UNA_E_MEMORY) fail_msg("%s is not refused", blow.call);
}

static void take_model(world *w, const una_model *model)
{
    una_memory_free(w->bytes, w->calm);
    assert_ok(una_model_save_memory(model, &w->bytes, &w->size, w->calm), w->calm);
}

static void play_kind(const una_kind *kind)
{
    una_model *model = quick_fit(kind, all.rows, all.calm);
    all.kind = kind->name;
    take_model(&all, model);
    una_model_free(model);
    for (size_t i = 0; i < sizeof of_models / sizeof *of_models; i++) play_call(&of_models[i], FEW);
}

/* In each of its ways; and with images, if it sees them. */
static void of_every_kind(void **state)
{
    const una_kind *kind = *state;
    una_dataset *rows = all.rows, *more = all.more;
    quick_images = false;
    for (quick_choice = 0; quick_choice < quick_choices(kind->name); quick_choice++) play_kind(kind);
    quick_choice = 0;
    quick_images = true;
    if (kind->fit_to.images && quick_row(kind->name, 0)) {
        all.rows = image_data(ROWS, 0, all.calm);
        all.more = image_data(MORE, 600, all.calm);
        play_kind(kind);
        una_dataset_free(all.rows);
        una_dataset_free(all.more);
    }
    quick_images = false;
    all.rows = rows;
    all.more = more;
}

static void tests_elsewhere_are_there(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        char *text;
        blow.call = elsewhere[i].name;
        file_bytes(&text, elsewhere[i].file);
        assert_says(text, elsewhere[i].name);
        free(text);
    }
}

/* ---- the world --------------------------------------------------------------------------------------------------- */

static void write_table(char path[4096], const una_dataset *data, const char *name)
{
    keep_path(path, temp_path(name));
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs("x1,x2,y\n", out);
    for (size_t i = 0; i < una_dataset_row_count(data); i++)
        for (size_t c = 0; c < 3; c++) fprintf(out, "%.17g%c", una_dataset_numbers(data, c)[i], c < 2 ? ',' : '\n');
    assert_int_equal(fclose(out), 0);
}

static void make_bench_folder(world *w)
{
    static const char *const set[] = { "seeds=1", "features=\"2\"" };
    una_bench_result *result = NULL;
    keep_path(w->folder, temp_path("bench"));
    una_bench_settings settings = { .size = sizeof settings, .out = w->folder, .models = line, .model_count = 1,
                                    .set = set, .set_count = 2, .quick = 1 };
    assert_ok(una_bench_run(&result, "transfer", &settings, w->calm), w->calm);
    una_bench_free(result);
}

static void make_models(world *w)
{
    una_run *run = w->calm;
    w->model = fitted("linear(degree=2)", w->rows, NULL, run);
    w->held = fitted("linear(degree=2)", w->rows, &SIZED(una_fit_settings, .hold_out = 1), run);
    una_model *pair = pair_fit("nlm(width=2, steps=1, members=1)", w->pairs, run);
    assert_ok(una_model_save_memory(pair, &w->pair_bytes, &w->pair_size, run), run);
    una_model_free(pair);
    take_model(w, w->model);
    w->kind = "linear";
    keep_path(w->saved, temp_path("saved.una"));
    assert_ok(una_model_save(w->model, w->saved, run), run);
}

static void make_results(world *w)
{
    una_run *run = w->calm;
    una_gap_settings gap = along_x1();
    una_compare_settings folds = { .size = sizeof folds, .models = line, .model_count = 1, .folds = 2 };
    assert_ok(una_explain(&w->explanation, w->model, w->rows, &explaining, run), run);
    assert_ok(una_gap_test(&w->gap, w->many, &gap, run), run);
    assert_ok(una_compare(&w->compared, w->rows, &folds, run), run);
    assert_ok(una_suggest(&w->advice, w->model, NULL, w->rows, 1, run), run);
    make_bench_folder(w);
}

static int make_world(void **state)
{
    world *w = &all;
    (void)state;
    w->calm = quiet_run();
    w->rows = wave_data(ROWS, 0, w->calm);
    w->more = wave_data(MORE, 600, w->calm);
    w->many = wave_data(MANY, 0, w->calm);
    w->mixed = mixed_data(ROWS, w->calm);
    w->pairs = pair_data(ROWS, 0, false, w->calm);
    w->pictures = image_data(4, 0, w->calm);
    const double index[] = { 0, 1, 2, 3 }, *const column[] = { index };
    assert_ok(una_dataset_from_columns(&w->index, (const char *const[]){ "index" }, column, NULL, 1, 4, w->calm),
              w->calm);
    write_table(w->csv, w->more, "rows.csv");
    keep_path(w->words_csv, temp_path("mixed.csv"));
    keep_path(w->images, image_file());
    keep_path(w->splits, temp_text_file("s.json", "{\"rows\": 4, \"gap\": [{\"train\": [0, 3], \"test\": [2, 1]}]}"));
    keep_path(w->concepts, temp_text_file("concepts.txt", "right: x1 > 0\nfew: rows 1, 3-4\n"));
    make_models(w);
    make_results(w);
    return 0;
}

static int end_world(void **state)
{
    world *w = &all;
    (void)state;
    una_advice_free(w->advice);
    una_compared_free(w->compared);
    una_gap_free(w->gap);
    una_explanation_free(w->explanation);
    una_memory_free(w->bytes, w->calm);
    una_memory_free(w->pair_bytes, w->calm);
    una_model_free(w->model);
    una_model_free(w->held);
    una_dataset *const tables[] = { w->rows, w->more, w->many, w->mixed, w->pairs, w->index, w->pictures };
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) una_dataset_free(tables[i]);
    una_run_free(w->calm);
    return 0;
}

int main(int argc, char **argv)
{
    static const struct { const call *at; size_t count; CMUnitTestFunction test; } lists[] = {
        { calls, sizeof calls / sizeof *calls, each_request_may_fail },
        { of_models, sizeof of_models / sizeof *of_models, each_request_may_fail },
        { refused, sizeof refused / sizeof *refused, each_of_what_is_refused },
    };
    static struct CMUnitTest tests[256];
    size_t count = 0;
    if (access("/dev/shm", W_OK) == 0) setenv("TMPDIR", "/dev/shm", 0);          /* thousands of files are synced */
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++)
        for (size_t i = 0; i < lists[l].count; i++)
            tests[count++] = (struct CMUnitTest){ .name = lists[l].at[i].name, .test_func = lists[l].test,
                                                  .initial_state = (void *)(uintptr_t)&lists[l].at[i] };
    for (size_t k = 0; una_kinds[k]; k++)
        tests[count++] = (struct CMUnitTest){ .name = una_kinds[k]->name, .test_func = of_every_kind,
                                              .initial_state = (void *)(uintptr_t)una_kinds[k] };
    tests[count++] = (struct CMUnitTest)cmocka_unit_test(tests_elsewhere_are_there);
    if (argc == 2) cmocka_set_test_filter(argv[1]);
    return _cmocka_run_group_tests("no memory", tests, count, make_world, end_world);
}
