/* SPDX-License-Identifier: MIT
 *
 * Models of images, from the file to the answer: small pictures with a spot, whose brightness is the target. IDX and
 * NPY, kinds that see images and those that do not, saving, threads, and what is wrong with files and tables.
 */
#include "models/quick.h"

#include "train/sampled.h"
#include "la/la.h"
#include "models/sngp.h"
#include "nn/conv.h"
#include "nn/dropout.h"

#include <string.h>

enum { COUNT = 120, SIDE = 8, EACH = SIDE * SIDE };
static unsigned char pixels[COUNT * EACH];
static double label[COUNT];
static const char body[] = "body=resnet(width=8, blocks=1, stem=small), epochs=12, batch=32, rate=0.01";

/* A spot somewhere on grey; its brightness is the label. */
static int make_pixels(void **state)
{
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 0);
    (void)state;
    for (size_t i = 0; i < COUNT; i++) {
        size_t top = una_rng_below(&rng, SIDE - 3), left = una_rng_below(&rng, SIDE - 3);
        label[i] = una_rng_uniform(&rng);
        for (size_t p = 0; p < EACH; p++) pixels[i * EACH + p] = (unsigned char)(90 + una_rng_below(&rng, 10));
        for (size_t p = 0; p < 9; p++)
            pixels[i * EACH + (top + p / 3) * SIDE + left + p % 3] = (unsigned char)(100 + 150 * label[i]);
    }
    return 0;
}

static void write_bytes(const char *path, const void *head, size_t head_size, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, head_size, file), head_size);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static const char *write_idx(const char *name, unsigned char count, unsigned char side, size_t size)
{
    const unsigned char head[16] = { 0, 0, 8, 3, [7] = count, [11] = side, [15] = side };
    const char *path = temp_path(name);
    write_bytes(path, head, sizeof head, pixels, size);
    return path;
}

/* With one target, or two that are the same. */
static una_dataset *make_table_of(size_t targets, const char *images, una_run *run)
{
    static double index[COUNT];
    const char *names[] = { "index", "brightness", "again" };
    const double *numbers[] = { index, label, label };
    una_dataset *data;
    for (size_t i = 0; i < COUNT; i++) index[i] = (double)i;
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 1 + targets, COUNT, run), run);
    if (images) assert_ok(una_dataset_add_images(data, images, "index", run), run);
    return data;
}

static una_dataset *make_table(const char *images, una_run *run)
{
    return make_table_of(1, images, run);
}

static void answers(const una_model *model, const una_dataset *data, double *mean, double *std, una_run *run)
{
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    assert_ok(una_model_predict(model, data, 0.95, &out, run), run);
}

static una_model *seen_by(const char *kind, const una_dataset *data, una_run *run)
{
    char spec[256];
    snprintf(spec, sizeof spec, "%s(%s)", kind, body);
    if (strcmp(kind, "mcd") == 0) snprintf(spec, sizeof spec, "mcd(%s, dropout=0.3)", body);
    if (strcmp(kind, "ensemble") == 0) snprintf(spec, sizeof spec, "ensemble(members=2, of=nn(%s))", body);
    return fitted(spec, data, NULL, run);
}

/* ---- what kinds learn ------------------------------------------------------------------------------------------- */

static void kinds_that_see_images(void **state)
{
    static const char *const kinds[] = { "nn", "nlm", "luna", "mcd", "sngp", "ensemble" };
    (void)state;
    for (size_t k = 0; k < 6; k++) {
        una_run *run = quiet_run();
        una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
        una_model *model = seen_by(kinds[k], data, run), *again;
        double mean[COUNT], std[COUNT], same[COUNT], same_std[COUNT], off = 0, spread = 0;
        answers(model, data, mean, std, run);
        for (size_t i = 0; i < COUNT; i++) {
            off += pow(mean[i] - label[i], 2);
            spread += pow(label[i] - 0.5, 2);
        }
        assert_true(off < 0.3 * spread);
        for (size_t i = 0; i < COUNT; i++) assert_true(k == 0 ? std[i] == 0 : std[i] > 0);

        const char *path = temp_path("spots.una");
        assert_ok(una_model_save(model, path, run), run);
        assert_ok(una_model_load(&again, path, run), run);
        answers(again, data, same, same_std, run);
        assert_memory_equal(mean, same, sizeof mean);
        assert_memory_equal(std, same_std, sizeof std);
        una_model_free(again);
        una_model_free(model);
        una_dataset_free(data);
        una_run_free(run);
    }
}

static void same_with_two_threads(const char *kind)
{
    double mean[2][COUNT], std[2][COUNT];
    for (int t = 0; t < 2; t++) {
        una_run *run;
        una_run_settings settings = { .size = sizeof settings, .threads = t + 1, .seed = 5 };
        assert_int_equal(una_run_new(&run, &settings), UNA_OK);
        una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
        una_model *model = seen_by(kind, data, run);
        answers(model, data, mean[t], std[t], run);
        una_model_free(model);
        una_dataset_free(data);
        una_run_free(run);
    }
    assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
    assert_memory_equal(std[0], std[1], sizeof std[0]);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    same_with_two_threads("luna");
    same_with_two_threads("mcd");
    same_with_two_threads("sngp");
}

/* ---- dropout: passes differ in their heads ---------------------------------------------------------------------- */

/* A pass by hand: features of the network, of which some are dropped, under the trained head. */
static void a_pass_drops_features(void **state)
{
    enum { PASS = 7 };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
    una_model *model = seen_by("mcd", data, run);
    const una_sampled *m = member_state(model);
    una_body_size size = m->net.body->size(m->net.shape);
    float *packed = UNA_GET(&run->scratch, float, m->count), *all = UNA_GET(&run->scratch, float, size.parameters);
    double *phi = UNA_GET(&run->scratch, double, COUNT * size.features), *x;
    double *f = UNA_GET(&run->scratch, double, COUNT * m->parts);
    size_t rows, parts, dropped = 0;
    assert_ok(una_columns_encode(&model->columns, data, &(una_encoding){ &x, NULL, NULL, &rows }, &run->scratch), run);
    una_view view = { x, COUNT, EACH, EACH };
    assert_ok(member_kind(model)->functions(m, view, &parts, f, run), run);
    assert_int_equal(parts, 100);

    for (size_t i = 0; i < m->count; i++) packed[i] = (float)m->numbers[i];
    una_matrices_unpack(m->net.body->matrix, m->net.shape, packed, all);
    una_feature_map map = una_map_of(m->net, all, false);
    assert_ok(una_map_phi(&map, view, phi, run), run);
    for (size_t r = 0; r < COUNT; r++) {
        una_rng rng = una_rng_at(m->seed, UNA_FOR_DRAWS, (uint64_t)2 << 40 | PASS);
        double sum = (double)all[size.head + size.features * UNA_PAD];
        for (size_t k = 0; k < size.features; k++) {
            float mask;
            una_dropout_mask(&rng, 0.3, 1, &mask);
            dropped += mask == 0;
            sum += (double)mask * (double)all[size.head + k * UNA_PAD] * phi[r * size.features + k];
        }
        assert_near(f[PASS * COUNT + r], sum, 1e-5, 1e-6);
    }
    assert_true(dropped > 0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- SNGP: kernels of bounded norm ------------------------------------------------------------------------------ */

/* Of the convolution's kernel as a matrix [kernel^2 channels in, channels out]: by the eigenvalues of W'W. */
static double norm_of(const una_convolution *c, const float *w, una_run *run)
{
    enum { MOST = 8 };
    size_t rows = c->at.kernel * c->at.kernel * c->at.in_channels, n = c->channels;
    double gram[MOST * MOST] = {0}, value[MOST];
    assert_true(n <= MOST);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < rows; k++) gram[i * n + j] += (double)w[k * n + i] * (double)w[k * n + j];
    assert_ok(una_eigen(gram, n, value, run), run);
    return sqrt(value[n - 1]);
}

static double largest_norm(const char *options, const una_dataset *data, una_run *run)
{
    char spec[256];
    double most = 0;
    snprintf(spec, sizeof spec, "sngp(%s, %s)", body, options);
    una_model *model = fitted(spec, data, NULL, run);
    const una_basis *m = member_state(model);
    const una_conv *net = m->net.shape;
    assert_ptr_equal(m->net.body, &una_body_conv_fourier_f32);
    assert_int_equal(net->features, 40);
    for (size_t c = 0; c < net->count; c++)
        most = fmax(most, norm_of(&net->convolution[c], m->parameters + net->convolution[c].weights, run));
    una_model_free(model);
    return most;
}

static void kernels_keep_the_bound(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
    double most = largest_norm("features=40, bound=0.7", data, run);
    assert_true(most <= 0.7 * (1 + 1e-5) && most > 0.69);
    assert_true(largest_norm("features=40, bound=100", data, run) > 1);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- what does not go together, and memory that is not there --------------------------------------------------- */

static una_status fit_once(void *spec, una_run *run)
{
    una_dataset *data = NULL;
    una_model *model = NULL;
    double index[20];
    const char *names[] = { "index", "brightness" };
    const double *numbers[] = { index, label };
    for (size_t i = 0; i < 20; i++) index[i] = (double)i;
    una_status status = una_dataset_from_columns(&data, names, numbers, NULL, 2, 20, run);
    if (status == UNA_OK) status = una_dataset_add_images(data, temp_path("spots.idx"), "index", run);
    if (status == UNA_OK) status = una_fit(&model, spec, data, NULL, run);
    una_model_free(model);
    una_dataset_free(data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static char specs[][96] = { "mcd(body=resnet(width=8, blocks=1, stem=small), steps=2, passes=3)",
                                "sngp(body=resnet(width=8, blocks=1, stem=small), steps=2, features=5)" };
    (void)state;
    write_idx("spots.idx", COUNT, SIDE, sizeof pixels);
    for (size_t k = 0; k < 2; k++) assert_true(sweep_allocations(fit_once, specs[k]) > 10);
}

static void others_say_no(void **state)
{
    static const char *const kinds[] = { "gp", "linear", "tuna", "bbvi", "hmc", "auto" };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
    una_dataset *plain = make_table(NULL, run);
    una_model *model;
    for (size_t k = 0; k < 6; k++) {
        assert_status(una_fit(&model, kinds[k], data, NULL, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), "images");
    }
    assert_status(una_fit(&model, "nn(body=resnet18)", plain, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "--images");
    assert_status(una_fit(&model, "nn(body=lenet)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "no body 'lenet'");
    assert_status(una_fit(&model, "nn(body=resnet(blocks=2-x))", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "2-2-2-2");
    assert_status(una_fit(&model, "nlm(body=resnet18, training=marginal)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "training=map");
    assert_status(una_fit(&model, "mcd(body=resnet18, input_dropout=yes)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "input_dropout=no");
    assert_status(una_fit(&model, "sngp(body=resnet18, head=gp)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "head=exact");
    assert_status(una_fit(&model, "sngp(body=mlp)", plain, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "there are residual");
    una_dataset_free(plain);
    una_dataset_free(data);
    una_run_free(run);
}

static void one_target_at_a_time(void **state)
{
    static const char *const targets[] = { "brightness", "again" };
    const una_fit_settings settings = { .size = sizeof settings, .targets = targets, .target_count = 2 };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table_of(2, write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
    una_model *model;
    assert_status(una_fit(&model, "nlm(body=resnet18)", data, &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "several targets");
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* The same pictures as NPY, in bytes and with a channel of their own: the same answers. */
static void npy_is_as_good(void **state)
{
    static const char shapes[][64] = { "(120, 8, 8)", "(120, 8, 8, 1)" };
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
    una_model *model = seen_by("nn", data, run);
    double mean[COUNT], std[COUNT], same[COUNT];
    answers(model, data, mean, std, run);
    for (size_t k = 0; k < 2; k++) {
        char head[128] = "\x93NUMPY\x01\x00\x76\x00";
        memset(head + 10, ' ', 118);
        head[10 + snprintf(head + 10, 118, "{'descr': '|u1', 'fortran_order': False, 'shape': %s, }", shapes[k])] = ' ';
        head[127] = '\n';
        const char *path = temp_path("spots.npy");
        write_bytes(path, head, sizeof head, pixels, sizeof pixels);
        una_dataset *other = make_table(path, run);
        answers(model, other, same, std, run);
        for (size_t i = 0; i < COUNT; i++) assert_near(same[i], mean[i], 1e-6, 1e-7);
        una_dataset_free(other);
    }
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void refused(const char *path, const char *part, una_run *run)
{
    una_dataset *data = make_table(NULL, run);
    una_status status = una_dataset_add_images(data, path, "index", run);
    assert_true(status == UNA_E_INPUT || status == UNA_E_IO);
    assert_says(una_run_message(run), part);
    una_dataset_free(data);
}

static void what_is_wrong_has_a_sentence(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run), *small;
    una_model *model = seen_by("nn", data, run);
    double mean[COUNT];
    una_prediction out = { .size = sizeof out, .mean = mean };

    refused(write_idx("few.idx", 50, SIDE, 50 * EACH), "names image 50", run);
    refused(write_idx("short.idx", COUNT, SIDE, sizeof pixels - 1), "there are fewer", run);
    refused(write_idx("long.idx", COUNT - 1, SIDE, sizeof pixels), "there are more", run);
    refused("/nowhere/spots.idx", "cannot open", run);
    assert_status(una_dataset_add_images(data, temp_path("spots.idx"), "item", run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "no column 'item'");

    small = make_table(NULL, run);
    assert_status(una_model_predict(model, small, 0.95, &out, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "--images");
    assert_ok(una_dataset_add_images(small, write_idx("small.idx", COUNT, 4, COUNT * 16), "index", run), run);
    assert_status(una_model_predict(model, small, 0.95, &out, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "4 x 4 x 1");
    assert_says(una_run_message(run), "8 x 8 x 1");
    una_dataset_free(small);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds_that_see_images), cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_pass_drops_features), cmocka_unit_test(kernels_keep_the_bound),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(others_say_no), cmocka_unit_test(one_target_at_a_time),
        cmocka_unit_test(npy_is_as_good),
        cmocka_unit_test(what_is_wrong_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, make_pixels, NULL);
}
