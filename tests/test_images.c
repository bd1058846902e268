/* SPDX-License-Identifier: MIT
 *
 * Models of images, from the file to the answer: small pictures with a spot, whose brightness is the target. IDX and
 * NPY, kinds that see images and those that do not, saving, threads, and what is wrong with files and tables.
 */
#include "test_support.h"

#include "base/base.h"

#include <string.h>

enum { COUNT = 120, SIDE = 8, EACH = SIDE * SIDE };
static unsigned char pixels[COUNT * EACH];
static double label[COUNT];
static const char body[] = "body=resnet(width=8, blocks=1, stem=small), epochs=12, batch=32";

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

static una_dataset *make_table(const char *images, una_run *run)
{
    static double index[COUNT];
    const char *names[] = { "index", "brightness" };
    const double *numbers[] = { index, label };
    una_dataset *data;
    for (size_t i = 0; i < COUNT; i++) index[i] = (double)i;
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 2, COUNT, run), run);
    if (images) assert_ok(una_dataset_add_images(data, images, "index", run), run);
    return data;
}

static void answers(const una_model *model, const una_dataset *data, double *mean, double *std, una_run *run)
{
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    assert_ok(una_model_predict(model, data, 0.95, &out, run), run);
}

static una_model *fitted(const char *kind, const una_dataset *data, una_run *run)
{
    char spec[256];
    una_model *model;
    snprintf(spec, sizeof spec, "%s(%s)", kind, body);
    if (strcmp(kind, "ensemble") == 0) snprintf(spec, sizeof spec, "ensemble(members=2, of=nn(%s))", body);
    assert_ok(una_fit(&model, spec, data, NULL, run), run);
    return model;
}

/* ---- what kinds learn ------------------------------------------------------------------------------------------- */

static void kinds_that_see_images(void **state)
{
    static const char *const kinds[] = { "nn", "nlm", "luna", "ensemble" };
    (void)state;
    for (size_t k = 0; k < 4; k++) {
        una_run *run = quiet_run();
        una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
        una_model *model = fitted(kinds[k], data, run), *again;
        double mean[COUNT], std[COUNT], same[COUNT], same_std[COUNT], off = 0, spread = 0;
        answers(model, data, mean, std, run);
        for (size_t i = 0; i < COUNT; i++) {
            off += pow(mean[i] - label[i], 2);
            spread += pow(label[i] - 0.5, 2);
        }
        assert_true(off < 0.3 * spread);

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

static void threads_change_no_bit(void **state)
{
    double mean[2][COUNT], std[2][COUNT];
    (void)state;
    for (int t = 0; t < 2; t++) {
        una_run *run;
        una_run_settings settings = { .size = sizeof settings, .threads = t + 1, .seed = 5 };
        assert_int_equal(una_run_new(&run, &settings), UNA_OK);
        una_dataset *data = make_table(write_idx("spots.idx", COUNT, SIDE, sizeof pixels), run);
        una_model *model = fitted("luna", data, run);
        answers(model, data, mean[t], std[t], run);
        una_model_free(model);
        una_dataset_free(data);
        una_run_free(run);
    }
    assert_memory_equal(mean[0], mean[1], sizeof mean[0]);
    assert_memory_equal(std[0], std[1], sizeof std[0]);
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
    una_dataset_free(plain);
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
    una_model *model = fitted("nn", data, run);
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
    una_model *model = fitted("nn", data, run);
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
        cmocka_unit_test(others_say_no), cmocka_unit_test(npy_is_as_good),
        cmocka_unit_test(what_is_wrong_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, make_pixels, NULL);
}
