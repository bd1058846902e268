/* SPDX-License-Identifier: MIT
 *
 * What tests of whole models share: small tables, options that make a fit quick, copies of saved models.
 */
#ifndef UNA_TEST_QUICK_H
#define UNA_TEST_QUICK_H

#include "test_support.h"

#include "committee/members.h"

/* Options that make a model small and quick; a kind that is not here is fitted with its defaults. A kind with two ways
 * of working has two rows: quick_choice says which. Of committees the first row is a single training. */
static size_t quick_choice;
/* Set: kinds are asked about small images (image_data), with a network of convolutions. */
static bool quick_images;

#define QUICK_BODY "body=resnet(width=8, blocks=1, stem=small), batch=32"

typedef struct quick_entry { const char *kind, *options; } quick_entry;

static inline const char *quick_row(const char *kind, size_t choice)
{
    static const quick_entry images[] = {
        { "luna", QUICK_BODY ", heads=3, steps=6, members=1" },
        { "nlm", QUICK_BODY ", steps=6, members=1" },
        { "nn", QUICK_BODY ", steps=6" },
        { "ensemble", "style=plain, members=2, of=nlm(" QUICK_BODY ", steps=4, members=1)" },
        { "sngp", QUICK_BODY ", features=12, steps=6" },
        { "mcd", QUICK_BODY ", steps=6, passes=10, dropout=0.3" },
    };
    static const quick_entry table[] = {
        { "auto", "luna=luna(width=6, heads=3, steps=15, activation=tanh, members=2, relevance=off), "
                  "trees=trees(trees=10, members=2)" },
        { "luna", "width=6, heads=3, steps=40, members=1" },
        { "luna", "width=6, heads=3, steps=20, members=6" },
        { "tuna", "width=6, heads=3, steps=40, reference_rows=30" },
        { "tuna", "width=6, heads=3, steps=20, reference_rows=30, tune_prior=evidence" },
        { "nlm", "width=6, steps=40, members=1" },
        { "nlm", "width=6, steps=20, members=5, relevance=on, noise=varying" },
        { "linear", "degree=2" },
        { "linear", "degree=2, noise=varying" },
        { "gp", "restarts=1" },
        { "gp", "noise=varying" },
        { "gp", "neighbours=56" },
        { "nn", "width=6, steps=40" },
        { "nn", "width=6, steps=20, members=3, weights=equal" },
        { "ensemble", "style=bootstrap, members=3, of=linear(degree=2)" },
        { "sngp", "width=5, features=12, steps=30" },
        { "sngp", "width=5, features=12, steps=20, head=gp, members=2" },
        { "trees", "trees=40, members=1" },
        { "trees", "trees=20, depth=3, members=3, noise=varying" },
        { "hmc", "width=3, warmup=30, samples=40, thin=1, max_depth=4, start_steps=50" },
        { "hmc", "width=3, warmup=20, samples=20, thin=1, max_depth=4, start_steps=50, relevance=on" },
        { "bbvi", "width=6, steps=40, samples=2, draws=30" },
        { "bbvi", "width=6, steps=20, samples=2, draws=5, members=3" },
        { "mcd", "width=6, steps=40, passes=30, input_dropout=yes" },
        { "mcd", "width=6, steps=20, passes=5, members=3, relevance=on" },
    };

    const quick_entry *list = quick_images ? images : table;
    size_t count = quick_images ? sizeof images / sizeof *images : sizeof table / sizeof *table;
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].kind, kind) == 0 && choice-- == 0) return list[i].options;
    return NULL;
}

static inline const char *quick_options(const char *kind)
{
    const char *options = quick_row(kind, quick_choice);
    return options ? options : "";
}

static inline size_t quick_choices(const char *kind)
{
    size_t count = 0;
    while (quick_row(kind, count)) count++;
    return count ? count : 1;
}

/* "luna(width=8, ..., more)"; more may be NULL. Overwritten by the next call but three. */
static inline const char *quick_spec(const char *kind, const char *more)
{
    static char spec[4][1024];
    static unsigned next;
    char *text = spec[next++ % 4];
    const char *options = quick_options(kind), *comma = *options && more && *more ? ", " : "";
    int length = snprintf(text, sizeof spec[0], "%s(%s%s%s)", kind, options, comma, more ? more : "");
    if (length < 0 || (size_t)length >= sizeof spec[0]) fail_msg("%s", "the spec is too long");
    return text;
}

static inline bool has_option(const una_kind *kind, const char *name)
{
    for (const una_option *o = kind->options; o->name; o++)
        if (strcmp(o->name, name) == 0) return true;
    return false;
}

/* Inputs x1, x2 on [-2, 2] and y = sin(2 x1) + x2/2 + 0.1 e, from the row with number `from` on. */
static inline una_dataset *wave_data(size_t rows, size_t from, una_run *run)
{
    double *x = malloc(rows * 2 * sizeof *x), *y = malloc(rows * sizeof *y);
    una_dataset *data = NULL;
    if (!x || !y) fail_msg("%s", "no memory for the test's own data");

    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(77, UNA_FOR_TEST, from + i);
        x[2 * i] = 4 * una_rng_uniform(&rng) - 2;
        x[2 * i + 1] = 4 * una_rng_uniform(&rng) - 2;
        y[i] = 3 + sin(2 * x[2 * i]) + x[2 * i + 1] / 2 + 0.1 * una_rng_normal(&rng);
    }

    assert_ok(una_dataset_from_arrays(&data, x, y, rows, 2, NULL, run), run);
    free(x);
    free(y);
    return data;
}

enum { IMAGES = 1400, IMAGE_SIDE = 6, IMAGE_SIZE = IMAGE_SIDE * IMAGE_SIDE };

/* Grey, with a spot somewhere; its brightness. */
static inline double make_image(size_t number, unsigned char pixels[IMAGE_SIZE])
{
    una_rng rng = una_rng_at(79, UNA_FOR_TEST, number);
    double bright = una_rng_uniform(&rng);
    for (size_t p = 0; p < IMAGE_SIZE; p++) pixels[p] = (unsigned char)(90 + una_rng_below(&rng, 20));
    size_t top = una_rng_below(&rng, IMAGE_SIDE - 2), left = una_rng_below(&rng, IMAGE_SIDE - 2);
    for (size_t p = 0; p < 9; p++)
        pixels[(top + p / 3) * IMAGE_SIDE + left + p % 3] = (unsigned char)(100 + 150 * bright);
    return bright;
}

static inline const char *image_file(void)
{
    static unsigned char file[16 + IMAGES * IMAGE_SIZE] = { 0, 0, 8, 3, 0, 0, IMAGES >> 8, IMAGES & 255,
                                                            [11] = IMAGE_SIDE, [15] = IMAGE_SIDE };
    const char *path = temp_path("quick.idx");
    if (access(path, F_OK) == 0) return path;
    for (size_t i = 0; i < IMAGES; i++) make_image(i, file + 16 + i * IMAGE_SIZE);
    return temp_file("quick.idx", file, sizeof file);
}

/* Rows that name images from number `from` on, and y = 3 + 2 (brightness of the spot) + 0.1 e. */
static inline una_dataset *image_data(size_t rows, size_t from, una_run *run)
{
    static const char *const names[] = { "index", "y" };
    double *index = malloc(rows * sizeof *index), *y = malloc(rows * sizeof *y);
    unsigned char pixels[IMAGE_SIZE];
    una_dataset *data = NULL;
    if (!index || !y || from + rows > IMAGES) fail_msg("%s", "no memory for the test's own data, or too few images");

    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(80, UNA_FOR_TEST, from + i);
        index[i] = (double)(from + i);
        y[i] = 3 + 2 * make_image(from + i, pixels) + 0.1 * una_rng_normal(&rng);
    }

    const double *const columns[] = { index, y };
    assert_ok(una_dataset_from_columns(&data, names, columns, NULL, 2, rows, run), run);
    assert_ok(una_dataset_add_images(data, image_file(), "index", run), run);
    free(index);
    free(y);
    return data;
}

/* What the subject is asked about. */
static inline una_dataset *quick_data(size_t rows, size_t from, una_run *run)
{
    return quick_images ? image_data(rows, from, run) : wave_data(rows, from, run);
}

/* Inputs as above and two targets, a as y there and b = 20 + 4 cos(x1 + x2), whose noise goes along with that of a;
 * with gaps, one cell in five of a and every third of b is missing. */
static inline una_dataset *pair_data(size_t rows, size_t from, bool gaps, una_run *run)
{
    static const char *const names[] = { "x1", "x2", "a", "b" };
    double *cells = malloc(4 * rows * sizeof *cells);
    una_dataset *data = NULL;
    if (!cells) fail_msg("%s", "no memory for the test's own data");
    double *x1 = cells, *x2 = cells + rows, *a = x2 + rows, *b = a + rows;

    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(77, UNA_FOR_TEST, from + i);
        x1[i] = 4 * una_rng_uniform(&rng) - 2;
        x2[i] = 4 * una_rng_uniform(&rng) - 2;
        double common = una_rng_normal(&rng), own = una_rng_normal(&rng);
        a[i] = gaps && i % 5 == 1 ? NAN : 3 + sin(2 * x1[i]) + x2[i] / 2 + 0.1 * common;
        b[i] = gaps && i % 3 == 0 ? NAN : 20 + 4 * cos(x1[i] + x2[i]) + 0.3 * (0.8 * common + 0.6 * own);
    }

    const double *const columns[] = { x1, x2, a, b };
    assert_ok(una_dataset_from_columns(&data, names, columns, NULL, 4, rows, run), run);
    free(cells);
    return data;
}

static const char *const pair_targets[] = { "a", "b" };

static inline una_model *pair_fit(const char *spec, const una_dataset *data, una_run *run)
{
    una_model *model = NULL;
    const una_fit_settings settings = SIZED(una_fit_settings, .targets = pair_targets, .target_count = 2);
    assert_status(una_fit(&model, spec, data, &settings, run), UNA_OK, run);
    return model;
}

/* One input x and the target y = f(x) + noise_std e, x evenly spaced in [low, high]. */
static inline una_dataset *curve_data(double (*f)(double), double low, double high, double noise_std, size_t rows,
                                      una_run *run)
{
    static const char *const names[] = { "x", "y" };
    double *x = malloc(rows * sizeof *x), *y = malloc(rows * sizeof *y);
    una_dataset *data = NULL;
    if (!x || !y) fail_msg("%s", "no memory for the test's own data");

    una_rng rng = una_rng_at(5, UNA_FOR_TEST, rows);
    for (size_t i = 0; i < rows; i++) {
        x[i] = low + (high - low) * (double)i / (double)(rows - 1);
        y[i] = f(x[i]) + noise_std * una_rng_normal(&rng);
    }

    assert_ok(una_dataset_from_arrays(&data, x, y, rows, 1, names, run), run);
    free(x);
    free(y);
    return data;
}

/* A table with a text column, rare levels, missing cells of both sorts and a constant column, as CSV text. */
static inline const char *mixed_csv(size_t rows)
{
    static const char *const colour[] = { "red", "green", "blue" };
    static char text[1 << 16];
    size_t length = (size_t)snprintf(text, sizeof text, "size,colour,weight,same,y\n");

    for (size_t i = 0; i < rows; i++) {
        una_rng rng = una_rng_at(78, UNA_FOR_TEST, i);
        double size = una_rng_uniform(&rng), weight = una_rng_normal(&rng);
        size_t level = una_rng_below(&rng, 3);
        char cell[2][32];
        snprintf(cell[0], sizeof cell[0], "%.6f", size);
        snprintf(cell[1], sizeof cell[1], "%.6f", weight);
        length += (size_t)snprintf(text + length, sizeof text - length, "%s,%s,%s,7,%.6f\n",
                                   i % 11 == 3 ? "NA" : cell[0], i == 4 ? "violet" : i == 9 ? "" : colour[level],
                                   cell[1], size + (double)level - 0.3 * weight + 0.05 * una_rng_normal(&rng));
    }
    return text;
}

static const una_fit_settings mixed_settings = { .size = sizeof mixed_settings, .missing = UNA_MISSING_MEAN,
                                                 .other = 2 };

static inline una_dataset *mixed_data(size_t rows, una_run *run)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_text_file("mixed.csv", mixed_csv(rows)), run), run);
    return data;
}

static inline una_model *fitted(const char *spec, const una_dataset *data, const una_fit_settings *settings,
                                una_run *run)
{
    una_model *model = NULL;
    assert_status(una_fit(&model, spec, data, settings, run), UNA_OK, run);
    return model;
}

static inline una_model *quick_fit(const una_kind *kind, const una_dataset *data, una_run *run)
{
    return fitted(quick_spec(kind->name, NULL), data, NULL, run);
}

/* What a model of one kind is made of: the state of its first training. */
static inline void *member_state(const una_model *model)
{
    return ((const una_members *)model->state)->at[0].state;
}

static inline const una_kind *member_kind(const una_model *model)
{
    return ((const una_members *)model->state)->at[0].kind;
}

/* The same model through memory. */
static inline una_model *copied_model(const una_model *model, una_run *run)
{
    void *bytes = NULL;
    size_t size = 0;
    una_model *copy = NULL;
    assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
    assert_ok(una_model_load_memory(&copy, bytes, size, run), run);
    una_memory_free(bytes, run);
    return copy;
}

/* Saved, both are the same bytes. */
static inline void assert_same_bytes(const una_model *a, const una_model *b, una_run *run)
{
    void *bytes[2];
    size_t size[2];
    assert_ok(una_model_save_memory(a, &bytes[0], &size[0], run), run);
    assert_ok(una_model_save_memory(b, &bytes[1], &size[1], run), run);
    assert_int_equal(size[0], size[1]);
    assert_memory_equal(bytes[0], bytes[1], size[0]);
    una_memory_free(bytes[0], run);
    una_memory_free(bytes[1], run);
}

/* mean, std, std_epistemic, std_noise, lower, upper of every row, one array after the other: [6, rows]; free it. */
static inline double *predicted(const una_model *model, const una_dataset *data, una_run *run)
{
    size_t rows = una_dataset_row_count(data);
    double *p = calloc(6 * rows, sizeof *p);
    if (!p) fail_msg("%s", "no memory for the predictions");
    una_prediction out = { sizeof out, p, p + rows, p + 2 * rows, p + 3 * rows, p + 4 * rows, p + 5 * rows };
    assert_ok(una_model_predict(model, data, 0.95, &out, run), run);
    return p;
}

static inline void assert_same_predictions(const una_model *a, const una_model *b, const una_dataset *data,
                                           double rtol, una_run *run)
{
    size_t count = 6 * una_dataset_row_count(data);
    double *pa = predicted(a, data, run), *pb = predicted(b, data, run);
    assert_arrays_near(pa, pb, count, rtol, rtol * 1e-3);
    free(pa);
    free(pb);
}

static inline bool warned(const una_model *model, const char *part)
{
    const una_fit_info *info = una_model_info(model);
    for (size_t i = 0; i < info->warning_count; i++)
        if (strstr(info->warnings[i], part)) return true;
    return false;
}

/* Mean of a prediction's array over rows of one input that lie in [low, high]. */
static inline double std_between(const una_model *model, double low, double high, una_run *run)
{
    enum { POINTS = 41 };
    double x[POINTS], std[POINTS], sum = 0;
    for (size_t i = 0; i < POINTS; i++) x[i] = low + (high - low) * (double)i / (POINTS - 1);
    una_prediction out = { .size = sizeof out, .std_epistemic = std };
    assert_ok(una_model_predict_rows(model, x, POINTS, 0.95, &out, run), run);
    for (size_t i = 0; i < POINTS; i++) sum += std[i];
    return sum / POINTS;
}

#endif
