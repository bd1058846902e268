/* SPDX-License-Identifier: MIT
 *
 * Columns: what is learnt, what is encoded, what is refused, and what a model file may say.
 */
#include "test_support.h"

#include "data/columns.h"

static una_run *run;
static una_arena arena;
static una_notes notes;
static una_columns columns;

static int set_up(void **state)
{
    (void)state;
    run = quiet_run();
    una_arena_init(&arena, run);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    una_arena_free(&arena);
    una_run_free(run);
    return 0;
}

static una_dataset *table(const char *text)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_text_file("t.csv", text), run), run);
    return data;
}

static una_status learn_from(una_dataset *data, const char *target, una_missing missing, size_t other)
{
    notes = (una_notes){ .arena = &arena };
    una_learning from = { data, &target, 1, NULL, missing, other, &notes };
    return una_columns_learn((una_columns *[]){ &columns }, &from, &arena, run);
}

static void learn(const char *text, const char *target, una_missing missing, size_t other)
{
    una_dataset *data = table(text);
    assert_ok(learn_from(data, target, missing, other), run);
    una_dataset_free(data);
}

static void refuses(const char *text, const char *target, una_missing missing, size_t other, const char *part)
{
    una_dataset *data = table(text);
    assert_status(learn_from(data, target, missing, other), UNA_E_INPUT, run);
    assert_says(una_run_message(run), part);
    assert_says(una_run_message(run), "t.csv");
    una_dataset_free(data);
}

static void assert_note(const char *part)
{
    for (size_t i = 0; i < notes.count; i++)
        if (strstr(notes.text[i], part)) return;
    for (size_t i = 0; i < notes.count; i++) print_error("note: %s\n", notes.text[i]);
    fail_msg("no note says '%s'", part);
}

typedef struct coded { double *x, *y; size_t *kept, rows; } coded;

static coded encode(const char *text)
{
    coded c = { 0 };
    una_dataset *data = table(text);
    assert_ok(una_columns_encode(&columns, data, &(una_encoding){ &c.x, &c.y, &c.kept, &c.rows }, &arena), run);
    una_dataset_free(data);
    return c;
}

static void encode_refuses(const char *text, bool with_target, const char *part)
{
    double *x, *y;
    size_t rows;
    una_dataset *data = table(text);
    assert_status(una_columns_encode(&columns, data, &(una_encoding){ &x, with_target ? &y : NULL, NULL, &rows },
                                     &arena),
                  UNA_E_INPUT, run);
    assert_says(una_run_message(run), part);
    assert_says(una_run_message(run), "t.csv");
    una_dataset_free(data);
}

/* ---- learning ------------------------------------------------------------------------------------------------ */

static void numbers(void **state)
{
    (void)state;
    learn("a,b,y\n1,10,2\n3,10.5,4\n5,11,6\n", NULL, UNA_MISSING_ERROR, 0);
    assert_int_equal(columns.source_count, 2);
    assert_int_equal(columns.input_count, 2);
    assert_string_equal(columns.target, "y");
    assert_near(columns.target_centre, 4, 1e-15, 0);
    assert_near(columns.target_scale, sqrt(8.0 / 3), 1e-15, 0);  /* population */
    assert_near(columns.inputs[0].centre, 3, 1e-15, 0);
    assert_near(columns.inputs[0].scale, sqrt(8.0 / 3), 1e-15, 0);
    assert_int_equal(columns.inputs[0].level, SIZE_MAX);
    assert_int_equal(notes.count, 0);

    coded c = encode("extra,y,b,a\nword,8,11,3\nx,4,10.5,-1\n");
    assert_int_equal(c.rows, 2);
    const double x[] = { 0, 0.5 / sqrt(0.5 / 3), -4 / sqrt(8.0 / 3), 0 }, y[] = { 4 / sqrt(8.0 / 3), 0 };
    assert_arrays_near(c.x, x, 4, 1e-14, 1e-15);
    assert_arrays_near(c.y, y, 2, 1e-14, 1e-15);
    assert_int_equal(c.kept[1], 1);

    una_wanted *wanted = una_columns_wanted((const una_columns *[]){ &columns }, 1, &arena);
    assert_string_equal(wanted[1].name, "b");
    assert_string_equal(wanted[2].name, "y");
    assert_false(wanted[0].is_text);

    learn("a,b,y\n1,10,2\n3,10.5,4\n5,11,7\n", "a", UNA_MISSING_ERROR, 0);
    assert_string_equal(columns.sources[1].name, "y");
}

/* Offsets and sizes that ruin a one-pass or unscaled computation. */
static void hard_numbers(void **state)
{
    (void)state;
    learn("a,b,c,y\n1000000001,1e308,3e-310,2\n1000000002,-1e308,5e-310,4\n1000000003,1.5e308,7e-310,5\n", NULL,
          UNA_MISSING_ERROR, 0);
    assert_near(columns.inputs[0].scale, sqrt(2.0 / 3), 1e-9, 0);
    assert_near(columns.inputs[1].centre, 0.5e308, 1e-12, 0);
    assert_near(columns.inputs[1].scale, sqrt((0.25 + 2.25 + 1) / 3) * 1e308, 1e-12, 0);
    assert_near(columns.inputs[2].scale, sqrt(8.0 / 3) * 1e-310, 1e-10, 0);
    encode_refuses("a,b,c,y\n1,-1.7e308,1,1\n1,1,1e308,1\n", false, "too far from those of the training rows");
}

/* A signal of a thousandth on a thousand million is there: its numbers have ten digits to vary in. */
static void small_signals_on_large_numbers(void **state)
{
    (void)state;
    learn("a,y\n1000000000.001,1000000000.002\n1000000000.002,1000000000.001\n1000000000.003,1000000000.006\n", NULL,
          UNA_MISSING_ERROR, 0);
    assert_int_equal(notes.count, 0);
    assert_near(columns.inputs[0].scale, 0.001 * sqrt(2.0 / 3), 1e-3, 0);        /* as exact as such numbers are */
    assert_near(columns.target_scale, 0.001 * sqrt(14.0 / 3), 1e-3, 0);

    /* 0.1 + 0.2 and 0.3 are no signal. */
    learn("a,k,y\n1,0.30000000000000004,2\n2,0.3,4\n3,0.29999999999999993,5\n", NULL, UNA_MISSING_ERROR, 0);
    assert_note("column 'k' is constant and was left out");
}

static void constants(void **state)
{
    (void)state;
    learn("k,a,near,z,w,y\n5,1,1000000,0,one,1\n5,2,1000000.0000000001,0,one,2\n5,3,1000000,0,one,4\n", NULL,
          UNA_MISSING_ERROR, 0);
    assert_int_equal(columns.source_count, 1);
    assert_string_equal(una_input_name(&columns, &columns.inputs[0], &run->scratch), "a");
    assert_int_equal(notes.count, 4);
    assert_note("column 'k' is constant and was left out");
    assert_note("column 'near' is constant");
    assert_note("column 'z' is constant");
    assert_note("column 'w' is constant");

    refuses("k,l,y\n5,0,1\n5,0,2\n", NULL, UNA_MISSING_ERROR, 0, "every input column of");
    refuses("a,y\n1,3\n2,3\n", NULL, UNA_MISSING_ERROR, 0, "the target 'y' has the same value in every row");

    learn("e,a,y\n,1,2\nNA,2,4\n?,3,5\n", NULL, UNA_MISSING_MEAN, 0);
    assert_note("column 'e' has no values and was left out");
}

static void refusals(void **state)
{
    (void)state;
    refuses("a,y\n1,2\n", NULL, UNA_MISSING_ERROR, 0, "has only one row; at least two are needed");
    refuses("y\n1\n2\n", NULL, UNA_MISSING_ERROR, 0, "has only one column, 'y'");
    refuses("length,strength\n1,2\n3,4\n", "strenght", UNA_MISSING_ERROR, 0,
            "no column 'strenght' (did you mean 'strength'?); its columns are: length, strength");
    refuses("a,y\n1,2\n2,3\n4,tall\n5,6\n", "y", UNA_MISSING_ERROR, 0,
            "the target must be a number, but");
    assert_says(una_run_message(run), "line 4, column 'y' holds 'tall'");
    refuses("a1,a2,a3,a4,a5,a6,a7,a8,a9,b1,b2,b3,b4,y\n1,2,3,4,5,6,7,8,9,1,2,3,4,5\n", "zzzzzzzz", UNA_MISSING_ERROR, 0,
            "and 2 more");

    una_dataset *data = table("a,y\n1,2\n2,3\n"), *none = NULL;
    assert_ok(una_dataset_rows(&none, data, NULL, 0, run), run);
    assert_status(learn_from(none, NULL, UNA_MISSING_ERROR, 0), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "has no rows");
    una_dataset_free(none);
    una_dataset_free(data);
}

static void equal_columns(void **state)
{
    (void)state;
    learn("a,b,c,d,e,y\n1,1,u,u,0,7\n2,2,v,v,-0.0,8\n3,3,u,u,7,9\n", NULL, UNA_MISSING_ERROR, 0);
    assert_int_equal(columns.source_count, 5);
    assert_int_equal(notes.count, 2);
    assert_note("columns 'a' and 'b' are identical; both were kept");
    assert_note("columns 'c' and 'd' are identical");
    learn("a,b,y\n1,1,1\n2,2.5,2\n", NULL, UNA_MISSING_ERROR, 0);
    assert_int_equal(notes.count, 1);
    assert_note("column 'a' equals the target in every row");
    learn("y,b,a\n1,1.5,1\n2,2.5,2\n", "y", UNA_MISSING_ERROR, 0);
    assert_note("column 'a' equals the target in every row");
}

/* ---- missing cells ------------------------------------------------------------------------------------------- */

#define HOLES "a,b,y\n1,red,2\n,red,3\n3,,4\n5,blue,6\n6,blue,7\n"

static void missing_refused(void **state)
{
    (void)state;
    refuses(HOLES, NULL, UNA_MISSING_ERROR, 0, "line 3, column 'a' is missing; fill the cell, or use --missing drop");
    assert_says(una_run_message(run), "--missing mean");
    refuses("a,y\n1,2\n2,NaN\n3,4\n", NULL, UNA_MISSING_ERROR, 0,
            "line 3, column 'y' is missing, and it is the target");
    refuses("a,y\n1,2\n2,NaN\n3,4\n", NULL, UNA_MISSING_MEAN, 0, "use --missing drop");
    learn("a,y\n1,2\n2,3\n", NULL, UNA_MISSING_ERROR, 0);
    encode_refuses("a,y\n1,2\n,3\n", false, "line 3, column 'a' is missing: fill the cell");
    encode_refuses("a,y\n1,2\n2,\n", true, "line 3, column 'y' is missing: it is the target");
    assert_int_equal(encode("a,y\n1,2\n2,7\n").rows, 2);
}

static void missing_dropped(void **state)
{
    (void)state;
    learn(HOLES, NULL, UNA_MISSING_DROP, 0);
    assert_note("2 rows with missing cells were left out");
    assert_near(columns.inputs[0].centre, 4, 1e-15, 0);
    coded c = encode(HOLES);
    assert_int_equal(c.rows, 3);
    assert_int_equal(c.kept[1], 3);
    encode_refuses(HOLES, false, "every row must get an answer");

    learn("a,y\n1,2\n2,\n3,5\n", NULL, UNA_MISSING_DROP, 0);
    assert_note("1 row with missing cells was left out");
    assert_int_equal(encode("a,y\n1,2\n2,\n3,5\n").rows, 2);
    refuses("a,b,y\n1,,2\n2,3,\n,4,5\n2,2,2\n", NULL, UNA_MISSING_DROP, 0, "only 1 of the 4 rows");

    /* b is constant in the rows that stay, so it goes, and the row it had cost comes back. */
    learn("a,b,c,y\n1,,1,2\n2,7,2,3\n3,7,5,9\n4,8,,1\n", NULL, UNA_MISSING_DROP, 0);
    assert_note("column 'b' is constant");
    assert_note("1 row with missing cells was left out");
    assert_near(columns.inputs[0].centre, 2, 1e-15, 0);
    assert_int_equal(encode("a,b,c,y\n1,,1,2\n2,7,2,3\n3,7,5,9\n4,8,,1\n").rows, 3);

    /* A column without values costs no rows. */
    learn("a,b,y\n1,,2\n2,,3\n", NULL, UNA_MISSING_DROP, 0);
    assert_int_equal(columns.source_count, 1);
}

static void missing_filled(void **state)
{
    (void)state;
    learn(HOLES, NULL, UNA_MISSING_MEAN, 0);
    assert_near(columns.sources[0].mean, 15.0 / 4, 1e-15, 0);
    assert_near(columns.sources[1].mean, 0, 0, 0);               /* blue and red are equally frequent: the first */
    assert_int_equal(columns.input_count, 4);
    assert_string_equal(una_input_name(&columns, &columns.inputs[1], &run->scratch), "a is missing");
    assert_true(columns.inputs[1].level == UNA_LEVEL_MISSING && columns.inputs[1].source == 0);
    coded c = encode(HOLES);
    assert_int_equal(c.rows, 5);
    assert_near(c.x[1 * 4], 0, 0, 1e-15);
    for (size_t i = 0; i < 5; i++) assert_true(c.x[i * 4 + 1] == (i == 1));
    assert_true(c.x[2 * 4 + 2] == 1 && c.x[2 * 4 + 3] == 0);

    /* Without missing cells in training there is no such input, and such a cell later is the mean. */
    learn("a,b,y\n1,1,2\n2,5,3\n3,7,9\n", NULL, UNA_MISSING_MEAN, 0);
    assert_int_equal(columns.input_count, 2);
    assert_near(encode("a,b,y\nNA,1,2\n").x[0], 0, 0, 1e-15);
    learn("a,b,y\n1,1,2\nNA,5,3\n3,7,9\n", NULL, UNA_MISSING_DROP, 0);
    assert_int_equal(columns.input_count, 2);
    learn("b,a,y\nred,1,2\nred,2,3\nblue,4,5\n,5,6\n", NULL, UNA_MISSING_MEAN, 0);
    assert_near(columns.sources[0].mean, 1, 0, 0);
}

/* ---- categories ------------------------------------------------------------------------------------------------ */

/* What a model file could not hold is refused before anybody trains, with the sentence of saving. */
static void texts_that_cannot_be_saved(void **state)
{
    (void)state;
    enum { LONG = (1 << 20) + 1 };
    char *text = UNA_GET(&arena, char, 3 * LONG);
    assert_non_null(text);
    char *word = UNA_GET(&arena, char, LONG + 1);
    memset(word, 'w', LONG);
    static const char *const block[] = { "columns.level", "columns.name", "columns.target" };
    for (size_t i = 0; i < 3; i++) {
        snprintf(text, 3 * LONG, i == 0 ? "a,c,y\n1,%s,2\n2,b,3\n3,b,4\n" : i == 1 ? "a,%s,y\n1,1,2\n2,3,3\n3,2,4\n"
                 : "a,c,%s\n1,1,2\n2,3,3\n3,2,4\n", word);
        una_dataset *data = table(text);
        assert_status(learn_from(data, NULL, UNA_MISSING_ERROR, 0), UNA_E_INPUT, run);
        assert_says(run->message, "the model cannot be saved: the block");
        assert_says(run->message, block[i]);
        assert_says(run->message, "longer than 1 MiB, which begins with 'wwww");
        una_dataset_free(data);
    }
}

static void categories(void **state)
{
    (void)state;
    learn("colour,y\nred,1\nblue,2\nred,3\nGreen,4\n", NULL, UNA_MISSING_ERROR, 0);
    assert_int_equal(columns.input_count, 3);
    assert_string_equal(una_input_name(&columns, &columns.inputs[0], &run->scratch), "colour=Green");
    assert_string_equal(una_input_name(&columns, &columns.inputs[2], &run->scratch), "colour=red");
    assert_true(columns.inputs[1].centre == 0 && columns.inputs[1].scale == 1);
    assert_int_equal(columns.inputs[1].level, 1);

    coded c = encode("y,colour\n1,blue\n2,red\n1,red\n");
    const double x[] = { 0, 1, 0, 0, 0, 1, 0, 0, 1 };
    assert_arrays_near(c.x, x, 9, 0, 0);
    assert_true(una_columns_wanted((const una_columns *[]){ &columns }, 1, &arena)[0].is_text);

    encode_refuses("y,colour\n1,blue\n2,violet\n", true,
                   "line 3, column 'colour': 'violet' was not seen in training; known are: Green, blue, red");
    encode_refuses("y,colour\n1,7\n", false, "'7' was not seen in training");
    encode_refuses("y,color\n1,red\n", false, "no column 'colour' (did you mean 'color'?)");

    learn("a,y\n1,1\n2,2.5\n", NULL, UNA_MISSING_ERROR, 0);
    encode_refuses("a,y\n1,1\n2,2\ntwo,3\n", true, "line 4, column 'a': 'two' is not a number");
    learn("two,y\nyes,1\nno,2\n", NULL, UNA_MISSING_ERROR, 0);
    assert_int_equal(columns.input_count, 2);                    /* both are kept */
}

static void numbers_as_categories(void **state)
{
    (void)state;
    learn("code,y\n1,1\n2.50,2\n1,3\nA,4\n3,5\n", NULL, UNA_MISSING_ERROR, 0);
    assert_int_equal(columns.input_count, 4);
    assert_note("column 'code' is mostly numbers but was taken as 4 categories, because");
    assert_note("line 5, column 'code' holds 'A'");
    coded c = encode("code,y\n2.5,1\n1,2\n");                     /* a table in which the column is all numbers */
    const double x[] = { 0, 1, 0, 0, 1, 0, 0, 0 };
    assert_arrays_near(c.x, x, 8, 0, 0);
    encode_refuses("code,y\n4,1\n", true, "'4' was not seen in training");
}

static void other_level(void **state)
{
    (void)state;
    learn("c,y\nb,1\nb,2\nz,3\na,4\na,5\nq,6\n", NULL, UNA_MISSING_ERROR, 2);
    assert_int_equal(columns.input_count, 4);
    assert_true(columns.sources[0].has_other && columns.sources[0].has_never_seen);
    assert_int_equal(columns.sources[0].rare_count, 2);
    assert_string_equal(una_input_name(&columns, &columns.inputs[2], &run->scratch), "c=other");
    assert_string_equal(una_input_name(&columns, &columns.inputs[3], &run->scratch), "c=never seen");
    coded c = encode("c,y\nnever,1\nq,2\na,3\nother,4\n");     /* rare words share a level, others were never seen */
    const double x[] = { 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0 };
    assert_arrays_near(c.x, x, 16, 0, 0);
    c = encode("c,y\n12,1\n");
    assert_true(c.x[3] == 1);

    /* A level of that name joins, rare words or none. */
    learn("c,y\nother,1\nother,2\nz,3\nzz,4\nzz,5\n", NULL, UNA_MISSING_ERROR, 2);
    assert_int_equal(columns.input_count, 3);
    assert_string_equal(columns.sources[0].levels[1], "other");
    learn("c,y\nother,1\nother,2\nnever seen,3\nnever seen,4\nzz,4\nzz,5\n", NULL, UNA_MISSING_ERROR, 2);
    assert_int_equal(columns.input_count, 3);
    assert_string_equal(columns.sources[0].levels[1], "other");
    assert_string_equal(columns.sources[0].levels[2], "never seen");

    /* All words rare: one level, which is said. */
    learn("c,a,y\nt1,1,1\nt2,2,2\nt3,4,3\n", NULL, UNA_MISSING_ERROR, 2);
    assert_int_equal(columns.input_count, 1);
    assert_note("column 'c' was left out: each of its 3 different words stands in fewer than 2 rows");
    assert_note("--drop 'c'");

    /* Without rare words the level is there for what comes later; a column with one word stays constant. */
    learn("c,k,y\na,w,1\na,w,2\nb,w,3\nb,w,4\na,w,5\n", NULL, UNA_MISSING_MEAN, 2);
    assert_note("column 'k' is constant and was left out");
    assert_int_equal(columns.source_count, 1);
    assert_int_equal(columns.input_count, 3);
    assert_true(columns.sources[0].has_other);
    c = encode("c,y\nnever,1\na,2\nNA,3\n");
    const double later[] = { 0, 0, 1, 1, 0, 0, 1, 0, 0 };
    assert_arrays_near(c.x, later, 9, 0, 0);
    refuses("c,y\na,1\nb,2\nc,3\nd,4\n", NULL, UNA_MISSING_ERROR, 3, "every input column");
}

/* ---- model files --------------------------------------------------------------------------------------------------
 */

static una_archive save(una_columns *from)
{
    una_archive ar = { 0 };
    assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
    assert_ok(una_columns_exchange(&(una_columns *){ from }, 1, &ar), run);
    assert_ok(una_archive_save_end(&ar), run);
    return ar;
}

static una_status load(una_columns *to, const void *bytes, size_t size, una_run *with, una_arena *where)
{
    una_archive ar = { 0 };
    UNA_TRY(una_archive_load_begin(&ar, bytes, size, "m.una", NULL, where, with));
    UNA_TRY(una_columns_exchange(&(una_columns *){ to }, 1, &ar));
    return una_archive_load_end(&ar);
}

static void saved_and_loaded(void **state)
{
    (void)state;
    learn("c,a,y\nb,1,1\nb,2,2\nz,4,3\na,8,4\na,,5\nq,16,6\n", NULL, UNA_MISSING_MEAN, 2);
    una_archive ar = save(&columns);
    una_columns back;
    assert_ok(load(&back, ar.bytes, ar.size, run, &arena), run);

    assert_int_equal(back.source_count, 2);
    assert_int_equal(back.input_count, 6);
    assert_int_equal(back.missing, UNA_MISSING_MEAN);
    assert_true(back.target_centre == columns.target_centre && back.target_scale == columns.target_scale);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(una_input_name(&back, &back.inputs[i], &run->scratch),
                            una_input_name(&columns, &columns.inputs[i], &run->scratch));
        assert_true(back.inputs[i].centre == columns.inputs[i].centre &&
                    back.inputs[i].scale == columns.inputs[i].scale);
        assert_int_equal(back.inputs[i].level, columns.inputs[i].level);
        assert_int_equal(back.inputs[i].source, columns.inputs[i].source);
    }
    assert_true(back.sources[0].mean == columns.sources[0].mean && back.sources[0].has_other);
    assert_true(back.sources[0].has_never_seen && back.sources[0].rare_count == 2 &&
                back.sources[1].has_missing_indicator);
    assert_memory_equal(back.sources[0].rare, columns.sources[0].rare, 2 * sizeof(double));

    una_archive again = save(&back);
    assert_int_equal(again.size, ar.size);
    assert_memory_equal(again.bytes, ar.bytes, ar.size);
}

/* Saves columns that no table could have taught, and expects loading to refuse them. */
static void load_refuses(una_columns *wrong, const char *part)
{
    una_archive ar = { 0 };
    una_columns back;
    assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
    una_status status = una_columns_exchange(&(una_columns *){ wrong }, 1, &ar);
    if (status == UNA_OK) {
        assert_ok(una_archive_save_end(&ar), run);
        status = load(&back, ar.bytes, ar.size, run, &arena);
    }
    assert_status(status, UNA_E_INPUT, run);
    assert_says(una_run_message(run), part);
}

static void lies_are_refused(void **state)
{
    (void)state;
    learn("c,a,y\nb,1,1\nb,2,2\nz,4,3\na,8,4\na,9,5\nq,16,6\n", NULL, UNA_MISSING_ERROR, 2);
    una_source *sources = columns.sources, kept = sources[0];
    una_input *inputs = columns.inputs;
    const char *target = columns.target, *levels[4];
    memcpy(levels, kept.levels, sizeof levels);

    columns.target = NULL;
    load_refuses(&columns, "columns.target");
    columns.target = "";
    load_refuses(&columns, "columns.target");
    columns.target = "a";
    load_refuses(&columns, "stands twice");
    columns.target = target;
    sources[1].name = "c";
    load_refuses(&columns, "stands twice");
    sources[1].name = "a";

    columns.target_scale = 0;
    load_refuses(&columns, "columns.target_scale");
    columns.target_scale = 1;
    inputs[4].scale = -1;
    load_refuses(&columns, "columns.scale");
    inputs[4].scale = 1;
    sources[0].mean = 4;
    load_refuses(&columns, "columns.most_frequent");
    sources[0].mean = 0.5;
    load_refuses(&columns, "columns.most_frequent");
    sources[0].mean = 0;

    sources[0].levels[0] = NULL;
    load_refuses(&columns, "columns.level");
    sources[0].levels[0] = "b";
    load_refuses(&columns, "is not in order");
    sources[0].levels[0] = levels[0];
    sources[0].levels[2] = "zz";
    load_refuses(&columns, "does not end with the one level 'other'");
    sources[0].levels[1] = "other";
    sources[0].levels[2] = "other";
    load_refuses(&columns, "does not end with the one level 'other'");
    sources[0].levels[1] = levels[1];
    sources[0].levels[3] = "zz";
    load_refuses(&columns, "does not end with the one level 'other'");
    sources[0].levels[3] = levels[3];
    double first = sources[0].rare[0];
    sources[0].rare[0] = sources[0].rare[1];
    load_refuses(&columns, "columns.rare is not in order");
    sources[0].rare[0] = first;
    sources[0].has_other = false;
    load_refuses(&columns, "columns.rare");
    sources[0].has_other = true;
    const char *const nobody[] = { "" };
    columns.selection = (una_selection){ .drop = nobody, .drop_count = 1 };
    load_refuses(&columns, "columns.left_name");
}

/* ---- columns left out by request -------------------------------------------------------------------------------- */

static una_status select_from(una_dataset *data, const una_selection *selection)
{
    una_columns *at = &columns;
    const char *target = "y";
    notes = (una_notes){ .arena = &arena };
    una_learning from = { data, &target, 1, selection, UNA_MISSING_ERROR, 0, &notes };
    return una_columns_learn(&at, &from, &arena, run);
}

static void selection_refuses(una_dataset *data, una_selection selection, una_status wanted, const char *part)
{
    assert_status(select_from(data, &selection), wanted, run);
    assert_says(una_run_message(run), part);
}

static void left_out(void **state)
{
    (void)state;
    static const char *const ids[] = { "id", "hole" }, *const a[] = { "a" }, *const y[] = { "y" },
                      *const none[] = { NULL }, *const odd[] = { "idd" }, *const all[] = { "id", "hole", "a", "b" };
    char text[4000] = "id,hole,a,b,y\n";        /* id has too many words, and hole a missing cell */
    for (int i = 0; i < 110; i++)
        snprintf(text + strlen(text), 40, "w%d,%s,%d,%d,%d\n", i, i == 3 ? "" : "1", i % 5, i % 3, i);
    una_dataset *data = table(text);
    assert_ok(select_from(data, &(una_selection){ .drop = ids, .drop_count = 2 }), run);
    assert_int_equal(columns.input_count, 2);
    assert_note("columns 'id' and 'hole' were left out, by request");
    assert_int_equal(columns.selection.drop_count, 2);
    assert_true(columns.selection.drop[0] != ids[0]);
    assert_ok(select_from(data, &(una_selection){ .only = a, .only_count = 1 }), run);
    assert_int_equal(columns.input_count, 1);
    assert_note("only column 'a' was used, by request");

    una_archive ar = save(&columns);
    una_columns back;
    assert_ok(load(&back, ar.bytes, ar.size, run, &arena), run);
    assert_int_equal(back.selection.only_count, 1);
    assert_string_equal(back.selection.only[0], "a");
    assert_int_equal(back.selection.drop_count, 0);

    selection_refuses(data, (una_selection){ .drop = odd, .drop_count = 1 }, UNA_E_INPUT, "did you mean 'id'?");
    selection_refuses(data, (una_selection){ .drop = y, .drop_count = 1 }, UNA_E_USAGE, "is the target");
    selection_refuses(data, (una_selection){ a, 1, a, 1, NULL }, UNA_E_USAGE, "by --drop and by --only");
    selection_refuses(data, (una_selection){ .drop = all, .drop_count = 4 }, UNA_E_USAGE, "no input");
    selection_refuses(data, (una_selection){ .only = y, .only_count = 1 }, UNA_E_USAGE, "no input");
    selection_refuses(data, (una_selection){ .drop = none, .drop_count = 1 }, UNA_E_USAGE, "name 1 of --drop");
    selection_refuses(data, (una_selection){ .drop_count = 1 }, UNA_E_USAGE, "there are none");
    una_dataset_free(data);
}

static void too_many_levels(void **state)
{
    (void)state;
    char text[8000] = "id,v,y\n";
    for (int i = 0; i < 101; i++) snprintf(text + strlen(text), 40, "w%d,%d,%d\n", i, i, i * i);
    refuses(text, NULL, UNA_MISSING_ERROR, 0, "column 'id' of");
    assert_says(una_run_message(run), "holds 101 different words, and a category may have 100 at most");
    assert_says(una_run_message(run), "--other N");

    strcpy(text, "v,y\n");
    for (int i = 0; i < 120; i++) snprintf(text + strlen(text), 40, i == 60 ? "6O,%d\n" : "%d,%d\n", i * i, i);
    refuses(text, NULL, UNA_MISSING_ERROR, 0, "column 'v' is mostly numbers, but");
    assert_says(una_run_message(run), "line 62, column 'v' holds '6O'");

    strcpy(text, "c,y\n");
    for (int i = 0; i < 100; i++) snprintf(text + strlen(text), 40, "w%d,%d\n", i, i);
    learn(text, NULL, UNA_MISSING_ERROR, 0);
    assert_int_equal(columns.input_count, 100);
    encode_refuses("c,y\nnever,1\n", true, "and 88 more");

    learn(text, NULL, UNA_MISSING_ERROR, 1);                      /* "other" comes on top */
    assert_int_equal(columns.input_count, 101);
    encode("c,y\nnever,1\n");
    una_archive ar = save(&columns);
    una_columns back;
    assert_ok(load(&back, ar.bytes, ar.size, run, &arena), run);
    assert_int_equal(back.input_count, 101);
    columns.sources[0].has_other = false;
    load_refuses(&columns, "is larger than a category may be");
}

static void torn_files_are_refused(void **state)
{
    (void)state;
    learn("c,a,y\nb,1,1\nb,2,2\nz,4,3\na,8,4\na,9,5\nq,16,6\n", NULL, UNA_MISSING_ERROR, 2);
    una_archive ar = save(&columns);
    unsigned char *bytes = malloc(ar.size);
    una_columns back;

    for (size_t i = 0; i < ar.size; i++) {
        una_mark mark = una_arena_mark(&arena);
        memcpy(bytes, ar.bytes, ar.size);
        assert_true(load(&back, bytes, i, run, &arena) != UNA_OK);
        bytes[i] ^= 0x41;
        assert_true(load(&back, bytes, ar.size, run, &arena) != UNA_OK);
        una_arena_release(&arena, mark);
    }
    free(bytes);
}

/* ---- memory
 * ----------------------------------------------------------------------------------------------------------- */

static una_status all_of_it(void *context, una_run *other)
{
    una_dataset *data = NULL;
    una_arena keep;
    una_arena_init(&keep, other);
    una_columns learnt, back;
    una_notes noted = { .arena = &keep };
    double *x, *y;
    size_t *kept, rows;
    una_archive ar = { 0 };

    una_status status = una_dataset_read(&data, context, other);
    static const char *const other_table[] = { "twin" };
    const una_selection selection = { .drop = other_table, .drop_count = 1 };
    const char *target = "y";
    una_columns *at = &learnt;
    una_learning from = { data, &target, 1, &selection, UNA_MISSING_MEAN, 2, &noted };
    if (status == UNA_OK) status = una_columns_learn(&at, &from, &keep, other);
    from.missing = UNA_MISSING_DROP;
    from.selection = NULL;
    if (status == UNA_OK) status = una_columns_learn(&at, &from, &keep, other);
    if (status == UNA_OK) status = una_columns_encode(&learnt, data, &(una_encoding){ &x, &y, &kept, &rows }, &keep);
    if (status == UNA_OK && !una_columns_wanted((const una_columns *[]){ &learnt }, 1, &keep)) status = UNA_E_MEMORY;
    if (status == UNA_OK) status = una_archive_save_begin(&ar, "{}", &keep, other);
    if (status == UNA_OK) status = una_columns_exchange(&(una_columns *){ &learnt }, 1, &ar);
    if (status == UNA_OK) status = una_archive_save_end(&ar);
    if (status == UNA_OK) status = load(&back, ar.bytes, ar.size, other, &keep);

    una_dataset_free(data);
    una_arena_free(&keep);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    static char text[60000];
    char path[4096];
    strcpy(text, "a,k,twin,colour,mixed,hole,y\n");
    for (int i = 0; i < 900; i++)
        snprintf(text + strlen(text), 64, "%d,5,%d,c%d,%s,%s,%d\n", i, i, i % 60, i == 7 ? "x" : "3",
                 i % 9   ? "1"
                 : i % 2 ? ""
                         : "2",
                 i % 17);
    snprintf(path, sizeof path, "%s", temp_text_file("m.csv", text));
    assert_true(sweep_allocations(all_of_it, path) > 15);
}

/* ---- several targets -------------------------------------------------------------------------------------------- */

static una_columns pair[2];
static una_columns *const pair_at[] = { &pair[0], &pair[1] };
static const una_columns *const pair_of[] = { &pair[0], &pair[1] };

static una_status learn_pair(const una_dataset *data, const char *one, const char *two, una_missing missing)
{
    const char *const targets[] = { one, two };
    notes = (una_notes){ .arena = &arena };
    una_learning from = { data, targets, 2, NULL, missing, 0, &notes };
    return una_columns_learn(pair_at, &from, &arena, run);
}

static void several_targets(void **state)
{
    (void)state;
    una_dataset *data = table("x,a,w,b\n1,10,u,\n2,,v,4\n3,30,u,8\n4,,v,NA\n9,20,v,6\n");
    assert_ok(learn_pair(data, "b", "a", UNA_MISSING_ERROR), run);
    assert_string_equal(pair[0].target, "b");
    assert_string_equal(pair[1].target, "a");
    assert_int_equal(pair[0].source_count, 2);           /* no target is an input */
    assert_ptr_equal(pair[0].inputs, pair[1].inputs);
    assert_near(pair[0].inputs[0].centre, (1 + 2 + 3 + 9) / 4.0, 1e-15, 0);      /* rows with a target */
    assert_near(pair[0].target_centre, 6, 1e-15, 0);
    assert_near(pair[0].target_scale, sqrt(8.0 / 3), 1e-15, 0);
    assert_near(pair[1].target_centre, 20, 1e-15, 0);
    assert_note("1 row without any target was left out");

    double *x, *y;
    size_t *kept, rows;
    assert_ok(una_columns_encode_several(pair_of, 2, data, &(una_encoding){ &x, &y, &kept, &rows }, &arena), run);
    assert_int_equal(rows, 4);
    assert_int_equal(kept[3], 4);
    assert_true(isnan(y[0]) && isnan(y[3]));
    assert_near(y[1], -10 / sqrt(200.0 / 3), 1e-14, 0);
    assert_near(y[2], -2 / sqrt(8.0 / 3), 1e-14, 0);
    assert_near(y[4], 2 / sqrt(8.0 / 3), 1e-14, 0);

    assert_ok(una_columns_encode(&pair[0], data, &(una_encoding){ &x, &y, &kept, &rows }, &arena), run);
    assert_int_equal(rows, 3);
    assert_int_equal(kept[0], 1);
    una_wanted *wanted = una_columns_wanted(pair_of, 2, &arena);
    assert_string_equal(wanted[2].name, "b");
    assert_string_equal(wanted[3].name, "a");
    una_dataset_free(data);

    data = table("x,a,b\n1,10,2\n,11,3\n3,30,\n5,30,4\n");
    assert_status(learn_pair(data, "a", "b", UNA_MISSING_ERROR), UNA_E_INPUT, run);
    assert_ok(learn_pair(data, "a", "b", UNA_MISSING_DROP), run);        /* an input: the row goes for both */
    assert_near(pair[0].target_centre, 70.0 / 3, 1e-14, 0);
    assert_near(pair[1].target_centre, 3, 1e-15, 0);
    assert_note("1 row with missing cells was left out");
    assert_ok(learn_pair(data, "a", "b", UNA_MISSING_MEAN), run);
    assert_near(pair[1].target_centre, 3, 1e-15, 0);
    una_dataset_free(data);

    data = table("x,a,b\n1,10,10\n2,11,11\n");
    assert_ok(learn_pair(data, "a", "b", UNA_MISSING_ERROR), run);
    assert_note("targets 'a' and 'b' are identical");
    una_dataset_free(data);
}

static void several_saved_and_loaded(void **state)
{
    (void)state;
    una_dataset *data = table("x,a,w,b\n1,10,u,2\n2,11,v,4\n3,30,u,8\n");
    assert_ok(learn_pair(data, "a", "b", UNA_MISSING_MEAN), run);
    for (int wrong = 0; wrong <= 2; wrong++) {
        una_archive ar = {0}, back = {0};
        una_columns loaded[2], *const to[] = { &loaded[0], &loaded[1] };
        if (wrong) pair[1].target = wrong == 1 ? "a" : "w";              /* a name twice */
        assert_ok(una_archive_save_begin(&ar, "{}", &arena, run), run);
        assert_ok(una_columns_exchange(pair_at, 2, &ar), run);
        assert_ok(una_archive_save_end(&ar), run);
        assert_ok(una_archive_load_begin(&back, ar.bytes, ar.size, "m.una", NULL, &arena, run), run);
        una_status status = una_columns_exchange(to, 2, &back);
        assert_status(status, wrong ? UNA_E_INPUT : UNA_OK, run);
        if (wrong) assert_says(una_run_message(run), "stands twice");
        if (wrong) continue;

        assert_ok(una_archive_load_end(&back), run);
        assert_string_equal(loaded[1].target, "b");
        assert_true(loaded[1].one_of_several && loaded[1].missing == UNA_MISSING_MEAN);
        assert_ptr_equal(loaded[0].sources, loaded[1].sources);
        assert_true(loaded[1].target_scale == pair[1].target_scale && loaded[1].input_count == 3);
    }
    una_dataset_free(data);
}

/* Results may live in the run's own scratch. */
static void results_in_scratch(void **state)
{
    (void)state;
    una_dataset *data = table("a,y\n1,2\n2,4\n");
    una_mark mark = una_arena_mark(&run->scratch);
    una_learning from = { .data = data };
    assert_ok(una_columns_learn((una_columns *[]){ &columns }, &from, &run->scratch, run), run);
    UNA_GET(&run->scratch, char, 4000);
    assert_string_equal(una_input_name(&columns, &columns.inputs[0], &run->scratch), "a");
    assert_near(columns.inputs[0].scale, 0.5, 1e-15, 0);
    una_arena_release(&run->scratch, mark);
    una_dataset_free(data);
}

static void naval_columns(void **state)
{
    (void)state;
    const char *path = shared_path("data/uci/naval-propulsion.csv");
    if (!path) {
        print_message("naval-propulsion.csv is not at hand (data/uci); skipped\n");
        skip();
    }

    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, path, run), run);
    assert_int_equal(data->rows, 11934);
    assert_ok(learn_from(data, NULL, UNA_MISSING_ERROR, 0), run);
    assert_int_equal(columns.input_count, 14);
    assert_note("column 'T1' is constant");
    assert_note("column 'P1' is constant");
    assert_note("columns 'Ts' and 'Tp' are identical");
    una_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(hard_numbers),
        cmocka_unit_test(small_signals_on_large_numbers),
        cmocka_unit_test(constants),
        cmocka_unit_test(refusals),
        cmocka_unit_test(equal_columns),
        cmocka_unit_test(missing_refused),
        cmocka_unit_test(missing_dropped),
        cmocka_unit_test(missing_filled),
        cmocka_unit_test(categories),
        cmocka_unit_test(numbers_as_categories),
        cmocka_unit_test(other_level),
        cmocka_unit_test(too_many_levels),
        cmocka_unit_test(saved_and_loaded),
        cmocka_unit_test(lies_are_refused),
        cmocka_unit_test(left_out),
        cmocka_unit_test(torn_files_are_refused),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(several_targets),
        cmocka_unit_test(texts_that_cannot_be_saved),
        cmocka_unit_test(several_saved_and_loaded),
        cmocka_unit_test(results_in_scratch),
        cmocka_unit_test(naval_columns),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
