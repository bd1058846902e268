/* SPDX-License-Identifier: MIT
 *
 * Pictures on the page of sampling bias, from made-up faces: those that a row names, and only where they are at hand.
 */
#include "test_support.h"

#include "bias/bias.h"
#include "draw/page_checks.h"

enum { COUNT = 40, SIDE = 4, EACH = SIDE * SIDE };

/* People stand in the table in another order than in the file of images. */
static una_dataset *make_faces(una_run *run)
{
    static double index[COUNT], sex[COUNT], age[COUNT];
    unsigned char bytes[16 + COUNT * EACH] = { 0, 0, 8, 3, [7] = COUNT, [11] = SIDE, [15] = SIDE };
    const char *names[] = { "index", "sex", "age_thesis" }, *path = temp_path("faces.idx");
    const double *numbers[] = { index, sex, age };
    una_dataset *faces;
    for (size_t i = 0; i < COUNT; i++) {
        index[i] = (double)(COUNT - 1 - i);
        sex[i] = i < 2 ? -1 : (double)(i % 2);
        age[i] = 20 + index[i];
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, sizeof bytes, file), sizeof bytes);
    assert_int_equal(fclose(file), 0);
    assert_ok(una_dataset_from_columns(&faces, names, numbers, NULL, 3, COUNT, run), run);
    assert_ok(una_dataset_add_images(faces, path, "index", run), run);
    return faces;
}

static void faces_of_the_first_that_doubts(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_bias_data data = { make_faces(run) };
    una_asked asked = { .shared = &data };
    static double value[2][UNA_BIAS_MEASURES];
    una_row fits[2] = { { .key = { .data = "sex" } }, { .key = { .data = "sex" } } };
    una_findings f;
    una_group groups[2] = { { "nn", 0, 1, &f }, { "luna", 1, 1, &f } };
    f = (una_findings) { .fits = fits, .value = value[0], .count = 2, .measures = UNA_BIAS_MEASURES, .groups = groups,
                       .group_count = 2 };
    value[0][UNA_BIAS_EXCESS] = NAN;
    value[1][UNA_BIAS_EXCESS] = 10;
    for (size_t i = 0; i < UNA_BIAS_FACES; i++) {
        value[1][UNA_BIAS_SURE + i] = (double)i;
        value[1][UNA_BIAS_UNSURE + i] = i == 3 ? NAN : (double)(COUNT - 1 - i);
    }

    una_page page = { .html = una_html_begin(&arena, "t"), .findings = &f, .asked = &asked, .arena = &arena,
                      .run = run };
    assert_ok(una_bias_faces(&page, "sex"), run);
    assert_int_equal(occurrences(page.html.text.at, "<img "), 2 * UNA_BIAS_FACES - 1);
    assert_non_null(strstr(page.html.text.at, "unknown, 59</div>"));     /* image 39, the first row */
    assert_non_null(strstr(page.html.text.at, "woman, 57</div>"));
    assert_non_null(strstr(page.html.text.at, "man, 20</div>"));
    assert_non_null(strstr(page.html.text.at, "luna, of all who were asked"));

    page.html = una_html_begin(&arena, "t");
    assert_ok(una_bias_faces(&page, "age"), run);       /* was not run */
    una_dataset *faces = data.faces;
    data.faces = NULL;
    assert_ok(una_bias_faces(&page, "sex"), run);       /* rows alone */
    assert_int_equal(occurrences(page.html.text.at, "<img "), 0);
    una_dataset_free(faces);
    una_arena_free(&arena);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(faces_of_the_first_that_doubts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
