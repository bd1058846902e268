/* SPDX-License-Identifier: MIT
 *
 * Originals into the files of the catalogue. What is made of rows and lists in other forms must have the published
 * sums, which come from elsewhere; NumPy's permutation is known.
 */
#include "sets/sets_support.h"

#include "sets/original.h"

#include <jansson.h>

/* ---- small sets of our own --------------------------------------------------------------------------------- */

static una_known_set small(size_t rows, size_t inputs, size_t width, una_line_form form, const char *head)
{
    static const una_data_file file = { "uci/small.csv", 1, "" };
    return (una_known_set){ { "small", "Small", rows, inputs, "y", "", 1, &file, 1, "", "", "", NULL },
                        { width, form, head, NULL } };
}

static void assert_rows(const una_known_set *known, const char *text, const char *wanted)
{
    una_run *run = quiet_run();
    una_arena arena;
    double *values;
    una_arena_init(&arena, run);
    una_text csv = una_text_in(&arena);
    assert_ok(una_original_read(&values, known, text, strlen(text), "here", &arena, run), run);
    assert_ok(una_original_rows(&csv, known, values), run);
    assert_string_equal(csv.at, wanted);
    una_arena_free(&arena);
    una_run_free(run);
}

static void forms_of_lines(void **state)
{
    (void)state;
    una_known_set plain = small(2, 1, 3, UNA_LINE_PLAIN, "x,y");
    assert_rows(&plain, "a;b;c\n1.500 ;18.00; 7\n\n-2.0e+01\t3.0e-1\t7\r\n\t\t\n", "x,y\n1.5,18\n-20,0.3\n");
    una_known_set first = small(1, 2, 3, UNA_LINE_TARGET_FIRST, "a,b,y");
    assert_rows(&first, "17.284,13558.30,4305.35", "a,b,y\n13558.3,4305.35,17.284\n");
    una_known_set sex = small(3, 4, 3, UNA_LINE_SEX_FIRST, "M,F,I,x,y");
    assert_rows(&sex, "M,0.5,1\nF,0.25,2\nI,0.1,3\n", "M,F,I,x,y\n1,0,0,0.5,1\n0,1,0,0.25,2\n0,0,1,0.1,3\n");
}

static void numbers_have_no_exponents(void **state)
{
    (void)state;
    una_known_set one = small(1, 3, 4, UNA_LINE_PLAIN, "a,b,c,y");
    assert_rows(&one, "1.25e-7 -6.1e-5 1e22 1.5e+25", "a,b,c,y\n0.000000125,-0.000061,10000000000000000000000,"
                "15000000000000000000000000\n");
    assert_rows(&one, "0 -0.5 100000 1872790.507", "a,b,c,y\n0,-0.5,100000,1872790.507\n");
    assert_rows(&one, "1e-20 3e-11 5e-5 123456789e-10",
                "a,b,c,y\n0.00000000000000000001,0.00000000003,0.00005,0.0123456789\n");
}

static void assert_refused(const una_known_set *known, const char *text, const char *part)
{
    una_run *run = quiet_run();
    una_arena arena;
    double *values;
    una_arena_init(&arena, run);
    assert_status(una_original_read(&values, known, text, strlen(text), "place", &arena, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), part);
    una_arena_free(&arena);
    una_run_free(run);
}

static void other_files_are_refused(void **state)
{
    (void)state;
    una_known_set two = small(2, 1, 2, UNA_LINE_PLAIN, "x,y"), sex = small(1, 4, 3, UNA_LINE_SEX_FIRST, "M,F,I,x,y");
    assert_refused(&two, "", "place has 0 rows, and small has 2");
    assert_refused(&two, "1 2\n", "has 1 rows");
    assert_refused(&two, "1 2\n3", "place, line 2 has 1 cells");
    assert_refused(&two, "1 2\n3 4\n5 6\n", "more than the 2 rows");
    assert_refused(&two, "1 2 3\n", "line 1 has 3 cells");
    assert_refused(&two, "1 2\n<html> x\n", "line 2: '<html>' is not a number");
    assert_refused(&two, "1 1e999\n", "'1e999' is not a number");
    assert_refused(&sex, "X,0.5,1\n", "'X' is not a number");
}

/* numpy.random.seed(1); numpy.random.permutation(10) */
static void standard_splits_are_numpys(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_text json = una_text_in(&arena);
    una_known_set ten = small(10, 1, 2, UNA_LINE_PLAIN, "x,y");
    assert_ok(una_original_splits_begin(&json, &ten, run), run);
    una_original_splits_end(&json);
    assert_string_equal(json.at, "{\"dataset\":\"small\",\"rows\":10,\"standard\":[{\"train\":[2,9,6,4,0,3,1,7,8],"
                        "\"test\":[5]}],\"gap\":[]}");
    una_arena_free(&arena);
    una_run_free(run);
}

static void lists_are_checked(void **state)
{
    (void)state;
    static const double values[] = { 1, 0, 2, 0, 2, 0, 3, 0 };           /* x of four rows, and y */
    static const struct { const char *text, *part; } wrong[] = {
        { "0\n4\n", "names row '4', and rows go from 0 to 3" }, { "1\nx\n", "'x'" }, { "1.5\n", "'1.5'" },
        { "-1\n", "'-1'" }, { "\n", "names no row" }, { "0\n1\n2\n3\n0\n", "more rows than there are, 4" }
    };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_text json = una_text_in(&arena);
    una_known_set four = small(4, 1, 2, UNA_LINE_PLAIN, "x,y");
    una_gap_texts texts = { { "3\n0\n1\n", "2.000e+00\n" }, { "train", "test" }, { 6, 10 } };
    assert_ok(una_original_gap(&json, &four, values, 0, &texts, run), run);
    assert_string_equal(json.at, "{\"column\":0,\"name\":\"x\",\"train_rows_tied_inside\":1,\"train\":[3,0,1],"
                        "\"test\":[2]}");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        texts.text[1] = wrong[i].text;
        texts.size[1] = strlen(wrong[i].text);
        assert_status(una_original_gap(&json, &four, values, 0, &texts, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), wrong[i].part);
    }
    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- the published ones ------------------------------------------------------------------------------------ */

/* Our own rows in the form of an original: blanks, long numbers, what we leave out, move, or write as a letter. */
static void as_original(una_text *text, const una_known_set *known, const double *values)
{
    size_t columns = known->set.inputs + 1, first = known->recipe.form == UNA_LINE_SEX_FIRST ? 3 : 0;
    for (size_t i = 0; i < known->set.rows; i++) {
        const double *row = values + i * columns;
        size_t cells = 0;
        char word[64];
        if (first) una_text_add(text, "%c", row[0] == 1 ? 'M' : row[1] == 1 ? 'F' : 'I');
        if (known->recipe.form == UNA_LINE_TARGET_FIRST) {
            snprintf(word, sizeof word, "%.17e", row[columns - 1]);
            una_text_add(text, "%s ", word);
            columns--;
        }
        for (size_t c = first; c < columns; c++) {
            snprintf(word, sizeof word, c % 2 ? "%.17g" : "%.16e", row[c]);
            una_text_add(text, "%s%s", first || c ? " ,\t" : "", word);
        }
        cells = columns - (first ? 2 : 0) + (known->recipe.form == UNA_LINE_TARGET_FIRST);
        columns = known->set.inputs + 1;
        for (; cells < known->recipe.width; cells++) una_text_add(text, "; 0.5");
        una_text_add(text, "\n");
    }
}

static void list_text(una_text *text, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        una_text_add(text, "%lld\n", (long long)json_integer_value(json_array_get(list, i)));
}

static void assert_splits(const una_known_set *known, const char *folder, const double *values, una_arena *arena,
                          una_run *run)
{
    const char *path = una_set_path(folder, known->set.files[1].path, arena);
    json_t *file = json_load_file(path, 0, NULL), *gaps = json_object_get(file, "gap");
    una_text json = una_text_in(arena);
    assert_int_equal(json_array_size(gaps), known->set.inputs);
    assert_ok(una_original_splits_begin(&json, known, run), run);
    for (size_t i = 0; i < known->set.inputs; i++) {
        una_text train = una_text_in(arena), test = una_text_in(arena);
        list_text(&train, json_object_get(json_array_get(gaps, i), "train"));
        list_text(&test, json_object_get(json_array_get(gaps, i), "test"));
        una_gap_texts texts = { { train.at, test.at }, { "train", "test" }, { train.length, test.length } };
        assert_ok(una_original_gap(&json, known, values, i, &texts, run), run);
    }
    una_original_splits_end(&json);
    json_decref(file);
    assert_true(una_set_is(&known->set.files[1], json.at, json.length));
}

static void assert_made(const char *name, const char *folder)
{
    const una_known_set *known = una_known_set_at(set_number(name));
    una_run *run = quiet_run();
    una_arena arena;
    unsigned char *bytes;
    size_t size;
    double *values, *again;
    una_arena_init(&arena, run);
    assert_ok(una_set_read(&bytes, &size, folder, &known->set.files[0], &arena, run), run);
    assert_non_null(bytes);
    assert_ok(una_original_reread(&values, known, (char *)bytes, size, &arena, run), run);

    una_text original = una_text_in(&arena), csv = una_text_in(&arena);
    as_original(&original, known, values);
    assert_ok(una_original_read(&again, known, original.at, original.length, "here", &arena, run), run);
    assert_ok(una_original_rows(&csv, known, again), run);
    assert_true(una_set_is(&known->set.files[0], csv.at, csv.length));
    if (known->set.splits) assert_splits(known, folder, values, &arena, run);
    una_arena_free(&arena);
    una_run_free(run);
}

static void published_files_are_made(void **state)
{
    (void)state;
    static const char *const small_sets[] = { "boston", "concrete", "energy", "yacht", "abalone" };
    static const char *const large[] = { "kin8nm", "naval-propulsion", "power-plant", "protein-structure",
                                         "wine-quality-red" };
    const char *folder = shared_path("data");
    if (!folder) skip();
    char place[4096];
    snprintf(place, sizeof place, "%s", folder);
    for (size_t i = 0; i < sizeof small_sets / sizeof *small_sets; i++) assert_made(small_sets[i], place);
    if (!getenv("UNA_TEST_LONG")) return;
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) assert_made(large[i], place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_lines), cmocka_unit_test(numbers_have_no_exponents),
        cmocka_unit_test(other_files_are_refused), cmocka_unit_test(standard_splits_are_numpys),
        cmocka_unit_test(lists_are_checked), cmocka_unit_test(published_files_are_made)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
