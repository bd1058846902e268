/* SPDX-License-Identifier: MIT
 *
 * Pages about models of images: those of a fit and of an explanation show the images themselves.
 */
#include "draws.h"
#include "models/quick.h"

#include "draw/page_checks.h"
#include "una_report.h"

enum { COUNT = 60, SIDE = 8, EACH = SIDE * SIDE };

/* Image i is i everywhere but in its corner, which is white; its label follows i. */
static una_dataset *make_table(una_run *run)
{
    static double index[COUNT], label[COUNT];
    unsigned char bytes[16 + COUNT * EACH] = { 0, 0, 8, 3, [7] = COUNT, [11] = SIDE, [15] = SIDE };
    const char *names[] = { "index", "label" }, *path = temp_path("flat.idx");
    const double *numbers[] = { index, label };
    una_dataset *data;
    for (size_t i = 0; i < COUNT; i++) {
        index[i] = (double)i;
        label[i] = 0.1 * (double)i + (i % 2 ? 0.3 : -0.3);
        memset(bytes + 16 + i * EACH, (int)i, EACH);
        bytes[16 + i * EACH] = 255;
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    assert_int_equal(fclose(file), 0);
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 2, COUNT, run), run);
    assert_ok(una_dataset_add_images(data, path, "index", run), run);
    return data;
}

static char *text_of(const char *path)
{
    FILE *in = fopen(path, "rb");
    char *text = calloc(1 << 21, 1);
    assert_true(in && text && fread(text, 1, (1 << 21) - 1, in) > 0);
    fclose(in);
    return text;
}

static void numbers_of_an_image(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(run), *some, *bare;
    const size_t rows[] = { 7, 3 };
    size_t sizes[3];
    double numbers[EACH];
    assert_ok(una_dataset_rows(&some, data, rows, 2, run), run);
    assert_ok(una_dataset_image(sizes, numbers, some, 1, run), run);
    assert_true(sizes[0] == SIDE && sizes[1] == SIDE && sizes[2] == 1);
    assert_true(numbers[0] == 255 && numbers[1] == 3 && numbers[EACH - 1] == 3);
    assert_status(una_dataset_image(sizes, numbers, some, 2, run), UNA_E_USAGE, run);

    bare = wave_data(10, 0, run);
    assert_ok(una_dataset_image(sizes, numbers, bare, 0, run), run);
    assert_true(sizes[0] == 0 && sizes[1] == 0 && sizes[2] == 0);
    una_dataset_free(bare);
    una_dataset_free(some);
    una_dataset_free(data);
    una_run_free(run);
}

/* Tables that read the same file can be joined, as update --with does; those of two files cannot. */
static void tables_of_one_file_join(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *a = make_table(run), *b = make_table(run), *plain = NULL, *joined = NULL;
    const double index[] = { 1, 2 }, *numbers[] = { index, index };
    const char *names[] = { "index", "label" };
    size_t sizes[3];
    double pixels[EACH];
    assert_ok(una_dataset_join(&joined, a, b, run), run);
    assert_ok(una_dataset_image(sizes, pixels, joined, COUNT + 4, run), run);
    assert_true(pixels[1] == 4);
    una_dataset_free(joined);
    assert_ok(una_dataset_from_columns(&plain, names, numbers, NULL, 2, 2, run), run);
    assert_status(una_dataset_join(&joined, a, plain, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "images of one file");
    una_dataset_free(plain);
    una_dataset_free(a);
    una_dataset_free(b);
    una_run_free(run);
}

/* What is fitted where no kind is named: auto sees no images. */
static void luna_is_the_usual_kind(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(run);
    const char *const set[] = { "body=resnet(width=8, blocks=1, stem=small)", "epochs=1", "batch=32" };
    const una_fit_settings settings = { .size = sizeof settings, .set = set, .set_count = 3 };
    una_model *model = fitted(NULL, data, &settings, run);
    assert_string_equal(una_model_info(model)->kind, "luna");
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void pages_show_images(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = make_table(run);
    una_model *model = fitted("nlm(body=resnet(width=8, blocks=1, stem=small), epochs=2, batch=32)", data, NULL, run);
    const una_model *models[] = { model };
    const char *path = temp_path("images.html"), *why = temp_path("why.html");
    assert_ok(una_report_write(path, models, NULL, 1, data, NULL, NULL, run), run);
    char *page = text_of(path);
    assert_well_formed(page);
    assert_self_contained(page);
    assert_says(page, "images of 8 \xC3\x97 8 places, which the column index names");
    assert_int_equal(occurrences(page, "<img "), 36);
    assert_null(strstr(page, "one input moves"));
    free(page);
    assert_ok(una_chart_write(temp_path("images.svg"), models, NULL, 1, data, run), run);

    const una_concept concepts[] = { { .size = sizeof(una_concept), .name = "late", .where = "index > 40" } };
    const una_explain_settings settings = { .size = sizeof settings, .concepts = concepts, .concept_count = 1 };
    una_explanation *e;
    assert_ok(una_explain(&e, model, data, &settings, run), run);
    assert_ok(una_report_explanation(why, e, data, NULL, 5, run), run);
    page = text_of(why);
    assert_well_formed(page);
    assert_self_contained(page);
    assert_int_equal(occurrences(page, "<img "), 5);
    free(page);
    assert_ok(una_report_explanation(why, e, NULL, NULL, 5, run), run);
    page = text_of(why);
    assert_int_equal(occurrences(page, "<img "), 0);
    free(page);
    una_explanation_free(e);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_of_an_image), cmocka_unit_test(tables_of_one_file_join), cmocka_unit_test(luna_is_the_usual_kind),
        cmocka_unit_test(pages_show_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
