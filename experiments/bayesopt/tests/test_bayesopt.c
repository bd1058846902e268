/* SPDX-License-Identifier: MIT
 *
 * The experiment bayesopt without a model: its tasks against known minima, differences and LIBSVM's own kernel;
 * evaluations that are made once; optimisations without a model, whose rows follow from the seed; claims from made-up
 * rows.
 */
#include "draws.h"
#include "test_support.h"

#include "bayesopt/bayesopt.h"
#include "bench/claims.h"
#include "bayesopt/softmax.h"
#include "bayesopt/svm.h"
#include "model/kind.h"

#ifdef UNA_HAS_libsvm
#include <libsvm/svm.h>
#endif

extern const una_experiment una_experiment_bayesopt;
const una_kind *const una_kinds[] = { NULL };

/* ---- formulas ------------------------------------------------------------------------------------------------ */

static void test_minima(void **state)
{
    (void)state;
    static const double pi = 3.14159265358979323846;
    const double branin[3][2] = { { -pi, 12.275 }, { pi, 2.275 }, { 3 * pi, 2.475 } };
    const double hartmann[6] = { 0.20168952, 0.15001069, 0.47687398, 0.27533243, 0.31165162, 0.65730053 };
    una_run *run = quiet_run();
    const una_task_kind *task = una_task_find("branin");
    double value;
    for (size_t i = 0; i < 3; i++) {
        assert_ok(una_task_value(&value, &(una_task_asked){ task, "branin", NULL }, branin[i], false, run), run);
        assert_near(value, task->least, 0, 1e-9);
    }
    task = una_task_find("hartmann6");
    assert_ok(una_task_value(&value, &(una_task_asked){ task, "hartmann6", NULL }, hartmann, false, run), run);
    assert_near(value, task->least, 0, 1e-9);
    assert_true(value >= task->least);
    assert_null(una_task_find("branin2"));
    assert_ptr_equal(una_task_find("svm#0123abcd"), una_task_find("svm"));
    una_run_free(run);
}

static void test_spaces(void **state)
{
    (void)state;
    static const char *const logistic[] = { "log10_rate", "l2", "batch", "dropout" };
    static const double low[] = { -6, 0, 20, 0 }, high[] = { 0, 1, 2000, 0.75 };
    una_run *run = quiet_run();
    una_space *space;
    for (const una_task_kind *t = una_task_kinds; t->name; t++) {
        assert_ok(una_space_parse(&space, t->space, t->name, &run->scratch, run), run);
        assert_true(space->count <= UNA_MOST_TASK_INPUTS);
    }
    assert_ok(una_space_parse(&space, una_task_find("logistic")->space, "it", &run->scratch, run), run);
    for (size_t i = 0; i < 4; i++) {
        assert_string_equal(space->dimension[i].name, logistic[i]);
        assert_true(space->dimension[i].low == low[i] && space->dimension[i].high == high[i]);
    }
    assert_int_equal(space->dimension[2].type, UNA_DIMENSION_INTEGER);
    una_run_free(run);
}

/* ---- softmax regression -------------------------------------------------------------------------------------- */

enum { ROWS = 30, COLUMNS = 24 };

typedef struct toy { unsigned char bytes[ROWS * COLUMNS], label[ROWS]; una_sparse_rows rows; } toy;

static void make_toy(toy *t, una_run *run)
{
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < ROWS * COLUMNS; i++)
        t->bytes[i] = una_rng_uniform(&rng) < 0.6 ? 0 : (unsigned char)(1 + una_rng_below(&rng, 255));
    for (size_t i = 0; i < ROWS; i++) t->label[i] = (unsigned char)una_rng_below(&rng, 10);
    assert_ok(una_sparse_rows_of(&t->rows, t->bytes, t->label, ROWS, COLUMNS, &run->scratch), run);
}

/* In double, from the bytes. */
static double true_loss(const toy *t, const una_softmax *model)
{
    double loss = 0;
    for (size_t r = 0; r < ROWS; r++) {
        double z[10], sum = 0;
        for (size_t c = 0; c < 10; c++) {
            z[c] = (double)model->b[c];
            for (size_t i = 0; i < COLUMNS; i++)
                z[c] += t->bytes[r * COLUMNS + i] / 256.0 * (double)model->w[i * UNA_SOFTMAX_WIDTH + c];
            sum += exp(z[c]);
        }
        loss += log(sum) - z[t->label[r]];
    }
    return loss / ROWS;
}

static void check_slope(const toy *t, const una_softmax *model, float *parameter, float slope)
{
    float kept = *parameter, step = 0.0078125f;
    *parameter = kept + step;
    double above = true_loss(t, model), up = (double)*parameter;
    *parameter = kept - step;
    double below = true_loss(t, model), down = (double)*parameter;
    *parameter = kept;
    assert_near((double)slope, (above - below) / (up - down), 1e-3, 1e-5);
}

static void test_softmax_slopes(void **state)
{
    (void)state;
    static toy t;
    una_run *run = quiet_run();
    una_softmax model;
    uint32_t order[ROWS];
    una_softmax_settings settings = { .batch = ROWS };
    make_toy(&t, run);
    assert_ok(una_softmax_new(&model, COLUMNS, 1, &run->scratch), run);
    for (size_t i = 0; i < ROWS; i++) order[i] = (uint32_t)i;
    for (size_t c = 0; c < 10; c++) model.b[c] = 0.1f * (float)c;
    una_softmax_work work;
    assert_ok(una_softmax_begin(&work, &t.rows, run), run);
    double loss = una_softmax_slopes(&model, &t.rows, order, &settings, 0, &work);
    assert_near(loss, true_loss(&t, &model), 1e-6, 0);
    for (size_t i = 0; i < COLUMNS; i++)
        for (size_t c = 0; c < 10; c++) {
            size_t at = i * UNA_SOFTMAX_WIDTH + c;
            check_slope(&t, &model, &model.w[at], model.w_slope[at]);
        }
    for (size_t c = 0; c < 10; c++) check_slope(&t, &model, &model.b[c], model.b_slope[c]);
    una_run_free(run);
}

/* With no weights every class is as likely as another, so a slope tells which inputs were dropped. */
static void test_dropout(void **state)
{
    (void)state;
    enum { WIDE = 4000 };
    static unsigned char bytes[WIDE];
    const unsigned char label = 3;
    const uint32_t row = 0;
    una_run *run = quiet_run();
    una_sparse_rows rows;
    una_softmax model;
    size_t kept[2] = { 0, 0 }, both = 0;
    una_softmax_settings settings = { .batch = 1, .dropout = 0.3, .seed = 5 };
    memset(bytes, 64, sizeof bytes);
    assert_ok(una_sparse_rows_of(&rows, bytes, &label, 1, WIDE, &run->scratch), run);
    assert_ok(una_softmax_new(&model, WIDE, 1, &run->scratch), run);
    memset(model.w, 0, WIDE * UNA_SOFTMAX_WIDTH * sizeof *model.w);
    bool first[WIDE];
    una_softmax_work work;
    assert_ok(una_softmax_begin(&work, &rows, run), run);
    for (uint64_t epoch = 0; epoch < 2; epoch++) {
        memset(model.w_slope, 0, WIDE * UNA_SOFTMAX_WIDTH * sizeof *model.w_slope);
        una_softmax_slopes(&model, &rows, &row, &settings, epoch, &work);
        for (size_t i = 0; i < WIDE; i++) {
            double slope = (double)model.w_slope[i * UNA_SOFTMAX_WIDTH];
            if (slope != 0) assert_near(slope, 0.1 * 0.25 / 0.7, 1e-5, 0);
            kept[epoch] += slope != 0;
            both += epoch == 1 && slope != 0 && first[i];
            if (epoch == 0) first[i] = slope != 0;
        }
    }
    for (size_t e = 0; e < 2; e++) assert_near((double)kept[e] / WIDE, 0.7, 0, 0.03);
    assert_near((double)both / WIDE, 0.49, 0, 0.03);             /* other masks in another epoch */
    una_run_free(run);
}

/* Each class has a pixel of its own: learnt in a few epochs. The last five rows, which fill no batch, do not count. */
static void test_softmax_error(void **state)
{
    (void)state;
    enum { TRAIN = 200, JUDGED = 25, ALL = TRAIN + JUDGED };
    static unsigned char bytes[ALL * 10], label[ALL];
    una_run *run = quiet_run();
    una_sparse_rows rows;
    double error, again, untrained, decayed;
    una_softmax_settings settings = { .rate = 1, .batch = 10, .epochs = 20, .dropout = 0.2, .seed = 1 };
    for (size_t i = 0; i < ALL; i++) {
        bytes[i * 10 + i % 10] = 200;
        label[i] = (unsigned char)(i % 10 + (i >= TRAIN + 20)) % 10;
    }
    assert_ok(una_sparse_rows_of(&rows, bytes, label, ALL, 10, &run->scratch), run);
    assert_ok(una_softmax_error(&error, &rows, TRAIN, JUDGED, &settings, run), run);
    assert_ok(una_softmax_error(&again, &rows, TRAIN, JUDGED, &settings, run), run);
    assert_true(error == 0 && again == 0);
    settings.epochs = 0;
    assert_ok(una_softmax_error(&untrained, &rows, TRAIN, JUDGED, &settings, run), run);
    assert_true(untrained > 20);
    settings.epochs = 20, settings.l2 = 0.5, settings.rate = 1;  /* each step forgets all but the last batch */
    assert_ok(una_softmax_error(&decayed, &rows, TRAIN, JUDGED, &settings, run), run);
    assert_true(decayed > 5);
    settings.batch = 5, settings.l2 = 0;
    assert_ok(una_softmax_error(&again, &rows, TRAIN, JUDGED, &settings, run), run);
    assert_true(again == 20);                                    /* now the five wrong labels count: 5 of 25 */
    una_run_free(run);
}

static una_status softmax_job(void *context, una_run *run)
{
    const toy *t = context;
    double error;
    una_softmax_settings settings = { .rate = 0.1, .batch = 5, .epochs = 2, .dropout = 0.1 };
    return una_softmax_error(&error, &t->rows, 20, 10, &settings, run);
}

static void test_softmax_memory(void **state)
{
    (void)state;
    static toy t;
    una_run *run = quiet_run();
    make_toy(&t, run);
    assert_true(sweep_allocations(softmax_job, &t) > 0);
    una_run_free(run);
}

/* ---- support vector machines --------------------------------------------------------------------------------- */

enum { SVM_ROWS = 150, SVM_TRAIN = 110, SVM_COLUMNS = 37 };
static const unsigned char svm_classes[3] = { 7, 2, 5 };

typedef struct clouds { unsigned char bytes[SVM_ROWS * SVM_COLUMNS], label[SVM_ROWS]; una_svm_rows rows; } clouds;

static void make_clouds(clouds *c, una_run *run)
{
    una_rng rng = una_rng_at(4, UNA_FOR_TEST, 0);
    for (size_t r = 0; r < SVM_ROWS; r++) {
        c->label[r] = svm_classes[r % 3];
        for (size_t i = 0; i < SVM_COLUMNS; i++)
            c->bytes[r * SVM_COLUMNS + i] = (unsigned char)(una_rng_below(&rng, 180) + (i % 3 == r % 3 ? 40 : 0));
    }
    c->rows = (una_svm_rows){ .rows = SVM_ROWS, .label = c->label, .classes = 3, .class_label = { 7, 2, 5 } };
    assert_ok(una_svm_measure(&c->rows, c->bytes, SVM_COLUMNS, &run->scratch, run), run);
}

static void test_distances(void **state)
{
    (void)state;
    static clouds c;
    una_run *run = quiet_run_threads(2);
    make_clouds(&c, run);
    for (size_t i = 0; i < SVM_ROWS; i++)
        for (size_t j = 0; j < SVM_ROWS; j++) {
            uint32_t sum = 0;
            for (size_t k = 0; k < SVM_COLUMNS; k++) {
                int off = c.bytes[i * SVM_COLUMNS + k] - c.bytes[j * SVM_COLUMNS + k];
                sum += (uint32_t)(off * off);
            }
            assert_int_equal(c.rows.distance[i * SVM_ROWS + j], sum);
        }
    una_run_free(run);
}

#ifdef UNA_HAS_libsvm

static void keep_quiet(const char *words) { (void)words; }

/* LIBSVM's own kernel and its own votes, on the pixels. */
static void libsvm_predicts(unsigned char *sentence, const clouds *c, double cost, double gamma)
{
    static struct svm_node node[SVM_ROWS][SVM_COLUMNS + 1];
    struct svm_node *row[SVM_ROWS];
    double y[SVM_ROWS];
    for (size_t r = 0; r < SVM_ROWS; r++) {
        row[r] = node[r];
        y[r] = c->label[r];
        for (size_t i = 0; i < SVM_COLUMNS; i++)
            node[r][i] = (struct svm_node){ (int)i + 1, c->bytes[r * SVM_COLUMNS + i] / 256.0 };
        node[r][SVM_COLUMNS] = (struct svm_node){ -1, 0 };
    }
    struct svm_problem problem = { .l = SVM_TRAIN, .y = y, .x = row };
    struct svm_parameter how = { .svm_type = C_SVC, .kernel_type = RBF, .gamma = gamma, .C = cost, .cache_size = 10,
                                 .eps = 1e-3, .shrinking = 1 };
    svm_set_print_string_function(keep_quiet);
    struct svm_model *model = svm_train(&problem, &how);
    for (size_t r = SVM_TRAIN; r < SVM_ROWS; r++) sentence[r - SVM_TRAIN] = (unsigned char)svm_predict(model, row[r]);
    svm_free_and_destroy_model(&model);
}

static void test_svm(void **state)
{
    (void)state;
    static clouds c;
    static const double cost[] = { 0.05, 1, 30, 3000 }, gamma[] = { 1e-3, 0.1, 0.5, 3 };
    unsigned char own[SVM_ROWS], theirs[SVM_ROWS];
    size_t different = 0, wrong_total = 0;
    una_run *run = quiet_run();
    make_clouds(&c, run);
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            const una_svm_settings how = { SVM_TRAIN, SVM_ROWS - SVM_TRAIN, cost[i], gamma[j] };
            double error;
            size_t wrong = 0;
            assert_ok(una_svm_predict(own, &c.rows, &how, run), run);
            libsvm_predicts(theirs, &c, cost[i], gamma[j]);
            for (size_t r = 0; r < SVM_ROWS - SVM_TRAIN; r++) {
                different += own[r] != theirs[r];
                wrong += own[r] != c.label[SVM_TRAIN + r];
            }
            assert_ok(una_svm_error(&error, &c.rows, &how, run), run);
            assert_near(error, 100.0 * (double)wrong / (SVM_ROWS - SVM_TRAIN), 1e-12, 0);
            wrong_total += wrong;
        }
    assert_int_equal(different, 0);
    assert_true(wrong_total > 0 && wrong_total < 8 * (SVM_ROWS - SVM_TRAIN));    /* neither trivial nor hopeless */
    una_run_free(run);
}

#else

static void test_svm(void **state)
{
    (void)state;
    static clouds c;
    double error;
    una_run *run = quiet_run();
    make_clouds(&c, run);
    assert_status(una_svm_error(&error, &c.rows, &(una_svm_settings){ SVM_TRAIN, 10, 1, 1 }, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "libsvm-dev");
    una_run_free(run);
}

#endif

/* ---- digits, made up ----------------------------------------------------------------------------------------- */

enum { FAKE_TRAIN = 15500, FAKE_TEST = 1000, SIDE = 4, PIXELS = SIDE * SIDE };

static void write_idx(const char *name, const unsigned char *head, size_t head_size, const unsigned char *items,
                      size_t size)
{
    char path[64];
    snprintf(path, sizeof path, "mnist/%s", name);
    FILE *file = fopen(temp_path(path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, head_size, file), head_size);
    assert_int_equal(fwrite(items, 1, size, file), size);
    fclose(file);
}

static void write_part(const char *images, const char *labels, size_t count, uint64_t seed)
{
    unsigned char image_head[16] = { 0, 0, 8, 3, 0, 0, (unsigned char)(count >> 8), (unsigned char)count, 0, 0, 0, SIDE,
                                     0, 0, 0, SIDE };
    unsigned char label_head[8] = { 0, 0, 8, 1, 0, 0, (unsigned char)(count >> 8), (unsigned char)count };
    unsigned char *pixel = calloc(count, PIXELS), *label = calloc(count, 1);
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    assert_true(pixel && label);
    for (size_t i = 0; i < count; i++) {
        label[i] = (unsigned char)(i % 10);
        for (size_t k = 0; k < PIXELS; k++)
            pixel[i * PIXELS + k] = (unsigned char)(una_rng_below(&rng, 120) + (k == i % 10 ? 100 : 0));
    }
    write_idx(images, image_head, 16, pixel, count * PIXELS);
    write_idx(labels, label_head, 8, label, count);
    free(pixel);
    free(label);
}

static void write_digits(void)
{
    mkdir(temp_path("mnist"), 0777);
    write_part("train-images-idx3-ubyte", "train-labels-idx1-ubyte", FAKE_TRAIN, 1);
    write_part("t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte", FAKE_TEST, 2);
}

/* What was evaluated is found again by another process's handle, even without the data; other points are not. */
static void check_once(const char *name, const double *x, const double *other)
{
    const una_task_kind *task = una_task_find(name);
    una_run *run = quiet_run();
    una_material *material = NULL;
    const char *data;
    double first, test, again, nothing;
    write_digits();
    const char *store = temp_path("tasks.sqlite");
    assert_ok(una_material_new(&material, temp_folder(), store, run), run);
    assert_ok(una_task_data(&data, task, material, &run->scratch, run), run);
    assert_ok(una_task_value(&first, &(una_task_asked){ task, data, material }, x, false, run), run);
    assert_ok(una_task_value(&test, &(una_task_asked){ task, data, material }, x, true, run), run);
    assert_true(first >= 0 && first < 60 && test >= 0 && test < 60);
    una_material_free(material);

    assert_int_equal(remove(temp_path("mnist/train-images-idx3-ubyte")), 0);
    assert_ok(una_material_new(&material, temp_folder(), store, run), run);
    assert_ok(una_task_value(&again, &(una_task_asked){ task, data, material }, x, false, run), run);
    assert_true(again == first);
    assert_ok(una_task_value(&again, &(una_task_asked){ task, data, material }, x, true, run), run);
    assert_true(again == test);
    assert_status(una_task_value(&nothing, &(una_task_asked){ task, data, material }, other, false, run), UNA_E_IO, run);
    assert_status(una_task_data(&data, task, material, &run->scratch, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "train-images-idx3-ubyte.gz");
    una_material_free(material);

    /* The same evaluation in a store of its own: the same bits. */
    write_digits();
    remove(temp_path("tasks.sqlite"));
    assert_ok(una_material_new(&material, temp_folder(), temp_path("other.sqlite"), run), run);
    assert_ok(una_task_data(&data, task, material, &run->scratch, run), run);
    assert_ok(una_task_value(&again, &(una_task_asked){ task, data, material }, x, false, run), run);
    assert_true(again == first);
    una_material_free(material);
    remove(temp_path("other.sqlite"));
    una_run_free(run);
}

static void test_logistic_once(void **state)
{
    (void)state;
    skip_if_sanitized();
    check_once("logistic", (double[]){ -0.5, 1e-4, 100, 0.1 }, (double[]){ -0.5, 1e-4, 101, 0.1 });
}

static void test_svm_once(void **state)
{
    (void)state;
    skip_if_sanitized();
    if (!una_svm_is_there) skip();
    check_once("svm", (double[]){ 0, 0 }, (double[]){ 0, 1 });
}

static void test_no_digits(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_material *material = NULL;
    const char *data;
    assert_ok(una_material_new(&material, "", "nowhere", run), run);
    assert_status(una_task_data(&data, una_task_find("logistic"), material, &run->scratch, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "--data FOLDER");
    assert_ok(una_task_data(&data, una_task_find("branin"), material, &run->scratch, run), run);
    assert_string_equal(data, "branin");
    una_material_free(material);
    una_run_free(run);
}

/* One byte of a file in mnist/ is another. */
static void change_byte(const char *name, long at, int byte)
{
    char path[64];
    snprintf(path, sizeof path, "mnist/%s", name);
    FILE *file = fopen(temp_path(path), "r+b");
    assert_true(file && fseek(file, at, SEEK_SET) == 0 && fputc(byte, file) == byte && fclose(file) == 0);
}

static void refuses_digits(const char *file, const char *why)
{
    una_run *run = quiet_run();
    una_material *material = NULL;
    const char *data;
    double value;
    const una_task_kind *task = una_task_find("logistic");
    remove(temp_path("bad.sqlite"));
    assert_ok(una_material_new(&material, temp_folder(), temp_path("bad.sqlite"), run), run);
    una_status status = una_task_data(&data, task, material, &run->scratch, run);
    if (status == UNA_OK)
        status = una_task_value(&value, &(una_task_asked){ task, data, material }, (double[]){ -0.5, 1e-4, 100, 0.1 }, false, run);
    assert_int_equal(status, UNA_E_INPUT);
    assert_says(una_run_message(run), file);
    assert_says(una_run_message(run), why);
    una_material_free(material);
    una_run_free(run);
}

/* Labels that are no digits, and files that do not belong together. */
static void test_bad_digits(void **state)
{
    (void)state;
    write_digits();
    change_byte("t10k-labels-idx1-ubyte", 8 + 999, 10);
    refuses_digits("t10k-labels-idx1-ubyte", "has a label 10: digits are 0 to 9");
    change_byte("t10k-labels-idx1-ubyte", 7, 0);                 /* 768 of them, and more bytes than that */
    refuses_digits("t10k-labels-idx1-ubyte", "there are more");
    write_part("t10k-images-idx3-ubyte", "other", FAKE_TEST, 2);
    write_part("another", "t10k-labels-idx1-ubyte", FAKE_TEST - 1, 2);
    refuses_digits("t10k-labels-idx1-ubyte", "has 999 labels");
}

/* ---- optimisations without a model --------------------------------------------------------------------------- */

static una_bench_result *run_floors(const char *folder, int threads, una_run **run)
{
    static const char *const models[] = { "random", "quasi" };
    static const char *const set[] = { "steps=10", "seeds=3", "tasks=\"hartmann6, branin\"" };
    una_bench_settings settings = { .size = sizeof settings, .out = folder, .models = models, .model_count = 2,
                                    .set = set, .set_count = 3 };
    una_bench_result *result = NULL;
    *run = quiet_run_threads(threads);
    assert_ok(una_experiment_run(&result, &una_experiment_bayesopt, &settings, *run), *run);
    return result;
}

static double value_of(const una_bench_result *r, const char *data, const char *model, uint64_t seed, const char *name)
{
    for (size_t i = 0; i < r->row_count; i++) {
        const una_bench_row *row = &r->rows[i];
        if (row->key->seed == seed && strcmp(row->key->data, data) == 0 && strcmp(row->key->model, model) == 0 &&
            strcmp(row->measure, name) == 0) return row->value;
    }
    fail_msg("no %s of %s on %s, seed %llu", name, model, data, (unsigned long long)seed);
    return NAN;
}

static void test_floors(void **state)
{
    (void)state;
    static const char *const stops[] = { "regret_0", "regret_1", "regret_2", "regret_3", "regret_5", "regret_10" };
    static const char *const tasks[] = { "branin", "hartmann6" }, *const models[] = { "random", "quasi" };
    una_run *run, *other_run;
    una_bench_result *r = run_floors(temp_path("one"), 1, &run), *other = run_floors(temp_path("two"), 2, &other_run);
    assert_int_equal(r->fits, 12);
    for (size_t t = 0; t < 2; t++)
        for (uint64_t seed = 0; seed < 3; seed++) {
            double begin = value_of(r, tasks[t], "random", seed, "regret_0");
            assert_true(begin > 0 && begin == value_of(r, tasks[t], "quasi", seed, "regret_0"));
            for (size_t m = 0; m < 2; m++) {
                double before = INFINITY;
                for (size_t k = 0; k < 6; k++) {
                    double now = value_of(r, tasks[t], models[m], seed, stops[k]);
                    assert_true(now >= 0 && now <= before);
                    assert_true(now == value_of(other, tasks[t], models[m], seed, stops[k]));
                    before = now;
                }
                assert_true(value_of(r, tasks[t], models[m], seed, "regret") == before);
                assert_true(isnan(value_of(r, tasks[t], models[m], seed, "regret_15")));
                assert_true(isnan(value_of(r, tasks[t], models[m], seed, "test_error")));
                assert_true(value_of(r, tasks[t], models[m], seed, "step_seconds") >= 0);
            }
        }
    assert_true(value_of(r, "branin", "random", 0, "regret_10") != value_of(r, "branin", "random", 1, "regret_10"));
    una_bench_free(r);
    una_bench_free(other);
    una_run_free(run);
    una_run_free(other_run);
}

static void refused(const char *set, una_status wanted, const char *words)
{
    static const char *const models[] = { "random" };
    una_bench_settings settings = { .size = sizeof settings, .out = temp_path("never"), .models = models,
                                    .model_count = 1, .set = &set, .set_count = 1 };
    una_bench_result *result = NULL;
    una_run *run = quiet_run();
    assert_status(una_experiment_run(&result, &una_experiment_bayesopt, &settings, run), wanted, run);
    assert_says(una_run_message(run), words);
    assert_true(access(temp_path("never"), F_OK) != 0);
    una_run_free(run);
}

static void test_refused(void **state)
{
    (void)state;
    refused("tasks=rosenbrock", UNA_E_USAGE, "branin, hartmann6, svm, logistic");
    refused("tasks=\", ,\"", UNA_E_USAGE, "task");
    refused("tasks=logistic", UNA_E_INPUT, "MNIST");
    refused("acquisition=best", UNA_E_USAGE, "log_ei");
    refused("steps=0", UNA_E_USAGE, "steps");
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

enum { SEEDS = 3 };

typedef struct made_up {
    una_findings findings;
    una_row      fits[4 * SEEDS];
    double       value[4 * SEEDS * (UNA_BAYESOPT_MEASURES + 1)];
    double       mean[4 * (UNA_BAYESOPT_MEASURES + 1)], sd[4 * (UNA_BAYESOPT_MEASURES + 1)];
    una_group    groups[4];
} made_up;

/* One group more on a task, the same numbers for one measure of all seeds that are given. */
static void add_group(made_up *m, const char *model, const char *data, size_t measure, const double numbers[SEEDS])
{
    size_t width = UNA_BAYESOPT_MEASURES + 1, g = m->findings.group_count++;
    double mean = 0, square = 0;
    m->groups[g] = (una_group){ model, g * SEEDS, SEEDS, &m->findings };
    for (size_t i = 0; i < width; i++) m->mean[g * width + i] = m->sd[g * width + i] = NAN;
    for (size_t s = 0; s < SEEDS; s++) {
        m->fits[g * SEEDS + s].key = (una_row_key){ .study = "bayesopt", .data = data, .spec = model, .seed = s };
        for (size_t i = 0; i < width; i++) m->value[(g * SEEDS + s) * width + i] = NAN;
        m->value[(g * SEEDS + s) * width + measure] = numbers[s];
        mean += numbers[s] / SEEDS;
    }
    for (size_t s = 0; s < SEEDS; s++) square += (numbers[s] - mean) * (numbers[s] - mean);
    m->mean[g * width + measure] = mean;
    m->sd[g * width + measure] = sqrt(square / (SEEDS - 1));
    m->findings.count += SEEDS;
    m->findings.fits = m->fits, m->findings.value = m->value, m->findings.measures = width;
    m->findings.groups = m->groups, m->findings.mean = m->mean, m->findings.sd = m->sd;
    m->findings.experiment = &una_experiment_bayesopt;
}

static int holds(const made_up *m, const char *sentence, const char *words)
{
    una_run *run = quiet_run();
    int holds = -2;
    for (const una_claim *c = una_bayesopt_claims; c->sentence; c++) {
        if (!strstr(c->sentence, sentence)) continue;
        una_text numbers = una_text_in(&run->scratch);
        assert_ok(una_claim_judge(&holds, &numbers, c, &m->findings, run), run);
        if (words) assert_says(numbers.at, words);
        break;
    }
    una_run_free(run);
    return holds;
}

static void test_claims(void **state)
{
    (void)state;
    static made_up m, with_floor, svm;
    add_group(&m, "gp", "hartmann6", UNA_BAYESOPT_AT_200, (double[]){ 0.001, 0.009, 3 });
    add_group(&m, "luna", "hartmann6", UNA_BAYESOPT_AT_200, (double[]){ 0.2, 0.1, 0.2 });
    add_group(&m, "nlm", "hartmann6", UNA_BAYESOPT_AT_200, (double[]){ 0.1, 0.6, 0.1 });
    assert_int_equal(holds(&m, "hartmann6 the GP's median", "in 2 of 3 seeds"), 1);
    assert_int_equal(holds(&m, "hartmann6 LUNA's median", "in 1 of 3 seeds"), 0);
    assert_int_equal(holds(&m, "hartmann6 LUNA is better", NULL), 1);
    assert_int_equal(holds(&m, "hartmann6 LUNA is steadier", NULL), 1);
    assert_int_equal(holds(&m, "the GP is best", "best luna"), 0);
    assert_int_equal(holds(&m, "random search", "needs"), -1);
    assert_int_equal(holds(&m, "branin the GP", "needs"), -1);
    assert_int_equal(holds(&m, "BoTorch", "needs"), -1);

    add_group(&with_floor, "random", "hartmann6", UNA_BAYESOPT_AT_200, (double[]){ 0.5, 0.4, 0.6 });
    add_group(&with_floor, "gp", "hartmann6", UNA_BAYESOPT_AT_200, (double[]){ 0.1, 0.2, 9 });
    assert_int_equal(holds(&with_floor, "random search", "1 of 1"), 1);
    add_group(&with_floor, "mcd", "hartmann6", UNA_BAYESOPT_AT_200, (double[]){ 0.7, 0.2, 0.6 });
    assert_int_equal(holds(&with_floor, "random search", "1 of 2"), 0);

    add_group(&svm, "gp", "svm#0123abcd", UNA_BAYESOPT_TEST, (double[]){ 1.1, 1.2, 1.3 });
    add_group(&svm, "luna", "svm#0123abcd", UNA_BAYESOPT_TEST, (double[]){ 1.3, 1.4, 1.7 });
    assert_int_equal(holds(&svm, "svm", "needs"), -1);         /* it did not take all its steps */
    for (size_t g = 0; g < 2; g++) svm.mean[g * (UNA_BAYESOPT_MEASURES + 1) + UNA_BAYESOPT_AT_30] = 1;
    assert_int_equal(holds(&svm, "svm", "best gp 1.2, worst luna 1.5"), 1);
    svm.mean[UNA_BAYESOPT_MEASURES + 1 + UNA_BAYESOPT_TEST] = 1.6;
    assert_int_equal(holds(&svm, "svm", NULL), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minima), cmocka_unit_test(test_spaces), cmocka_unit_test(test_softmax_slopes),
        cmocka_unit_test(test_dropout), cmocka_unit_test(test_softmax_error), cmocka_unit_test(test_softmax_memory),
        cmocka_unit_test(test_distances), cmocka_unit_test(test_svm), cmocka_unit_test(test_logistic_once),
        cmocka_unit_test(test_svm_once), cmocka_unit_test(test_no_digits), cmocka_unit_test(test_bad_digits),
        cmocka_unit_test(test_floors),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_claims),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
