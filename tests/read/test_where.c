/* SPDX-License-Identifier: MIT
 *
 * Conditions on rows: grammar and precedence, missing cells, quotes, a sentence for everything that is wrong, random
 * conditions against an evaluator of the test's own, random texts, and ranks.
 */
#include "ranks_here.h"

#include "read/where.h"

/* Line 2 is row 0. Cells that are missing: a in row 3, kind in row 4, all of `none`. */
static const char table_text[] =
    "a,b,kind,Froude number,none,gr\xc3\xb6\xc3\x9f" "e.x,it's,say `x`\n"
    "1,10,red,0.5,,1,1,2\n"
    "2,20,blue,1.5,,2,0,2\n"
    "3,30,red,2.5,,3,1,3\n"
    ",40,it's,3.5,,4,0,3\n"
    "5,50,,4.5,,5,1,4\n"
    "-6,0,\"say \"\"x\"\"\",5.5,,6,0,4\n";

static una_dataset *table(una_run *run)
{
    una_dataset *data = NULL;
    assert_ok(una_dataset_read(&data, temp_text_file("t.csv", table_text), run), run);
    return data;
}

/* "101000": which of the rows match. */
static const char *matches(const char *condition, const una_dataset *data, una_run *run)
{
    static char text[64];
    size_t index[64], count = 0;
    assert_ok(una_dataset_match(index, &count, data, condition, run), run);
    memset(text, '0', data->rows);
    text[data->rows] = 0;
    for (size_t i = 0; i < count; i++) text[index[i]] = '1';
    return text;
}

typedef struct expected { const char *condition, *rows; } expected;

static void check_all(const expected *all, size_t count)
{
    una_run *run = quiet_run();
    una_dataset *data = table(run);
    for (size_t i = 0; i < count; i++) {
        const char *got = matches(all[i].condition, data, run);
        if (strcmp(got, all[i].rows) != 0) fail_msg("%s: rows %s, not %s", all[i].condition, got, all[i].rows);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static void comparisons_and_arithmetic(void **state)
{
    (void)state;
    static const expected all[] = {
        { "a == 2", "010000" },              { "a != 2", "101011" },             { "a < 2", "100001" },
        { "a <= 2", "110001" },              { "a > 2", "001010" },              { "a >= 2", "011010" },
        { "2 < a", "001010" },               { "a == -6", "000001" },            { "a == - 6", "000001" },
        { "b == 10 * a", "111010" },         { "b - a > 9 + 8", "011010" },      { "a * a + 1 == 10", "001000" },
        { "b / 10 / 2 == 1", "010000" },     { "b - 10 - 10 == 10", "001000" },  { "2 + 3 * 4 == 14", "111111" },
        { "(2 + 3) * 4 == 20", "111111" },   { "-a + 1 == -4", "000010" },       { "--a == 5", "000010" },
        { "a*-1 > 0", "000001" },            { "1e1 == b", "100000" },           { ".5 == 5E-1", "111111" },
        { "a<2", "100001" },                 { "\ta\n>=\r2 ", "011010" },        { "((a)) == ((2))", "010000" },
        { "1 == 1", "111111" },              { "1 == 2", "000000" },             { "a == 2.0000000000000", "010000" },
    };
    check_all(all, sizeof all / sizeof *all);
}

static void and_or_not(void **state)
{
    (void)state;
    static const expected all[] = {
        { "a == 1 or a == 2 and b == 99", "100000" },            /* and binds first */
        { "(a == 1 or a == 2) and b == 20", "010000" },
        { "a == 1 and b == 10 or a == 5", "100010" },
        { "not a == 1 and b == 20", "010000" },                  /* not before and */
        { "not (a == 1 and b == 20)", "111111" },
        { "not not a == 1", "100000" },
        { "not a == 1 or a == 1", "111111" },
        { "not a + 1 == 2", "011111" },                          /* not behind arithmetic */
        { "a == 1 or not b < 30", "101110" },
        { "(((a == 1)) or (a == 3))", "101000" },
        { "a == 1 or a == 2 or a == 3 or a == 5", "111010" },
    };
    check_all(all, sizeof all / sizeof *all);
}

static void words_and_lists(void **state)
{
    (void)state;
    static const expected all[] = {
        { "kind == 'red'", "101000" },               { "kind == \"red\"", "101000" },
        { "'red' == kind", "101000" },               { "kind != 'red'", "010101" },
        { "kind in ('red', 'blue')", "111000" },     { "kind in (\"blue\")", "010000" },
        { "(kind) in ( 'blue' , 'none' )", "010000" },
        { "kind == 'RED'", "000000" },               { "kind == 'red '", "000000" },
        { "a in (1, 5, 77)", "100010" },             { "a in (-6)", "000001" },
        { "a + 1 in (2, 3)", "110000" },             { "a in (1) or kind in ('blue')", "110000" },
        { "not kind in ('red', 'blue')", "000111" }, { "missing(kind) or kind == 'blue'", "010010" },
        { "kind == 'blue' or kind in ('red', 'x') and a == 3", "011000" },
    };
    check_all(all, sizeof all / sizeof *all);
}

static void missing_cells(void **state)
{
    (void)state;
    static const expected all[] = {
        { "missing(a)", "000100" },          { "not missing(a)", "111011" },     { "missing(kind)", "000010" },
        { "a < 100", "111011" },             { "a != 100", "111011" },           { "not a < 100", "000100" },
        { "not a != 100", "000100" },        { "a == a", "111011" },             { "a - a == 0", "111011" },
        { "kind != 'zzz'", "111101" },       { "not kind != 'zzz'", "000010" },  { "0 * a in (0)", "111011" },
        { "missing(none)", "111111" },       { "none == 1", "000000" },          { "none == 'a'", "000000" },
        { "not none in ('a')", "111111" },   { "not none > 1", "111111" },
        { "1 / b > 0", "111110" },           { "b / 0 > 0", "000000" },          { "0 / b == 0", "111110" },
        { "-1 / b < 0 or b == 0", "111111" },
    };
    check_all(all, sizeof all / sizeof *all);
}

static void quotes_and_names(void **state)
{
    (void)state;
    static const expected all[] = {
        { "`Froude number` > 3", "000111" },         { "missing(`Froude number`)", "000000" },
        { "`a` == 1", "100000" },                    { "gr\xc3\xb6\xc3\x9f" "e.x >= 5", "000011" },
        { "`it's` == 1", "101010" },                 { "kind == \"it's\"", "000100" },
        { "kind == 'it''s'", "000100" },             { "kind == 'say \"x\"'", "000001" },
        { "kind == \"say \"\"x\"\"\"", "000001" },   { "`say ``x``` == 3", "001100" },
        { "kind in ('it''s', 'say \"x\"')", "000101" },
    };
    check_all(all, sizeof all / sizeof *all);

    una_run *run = quiet_run();
    una_dataset *data = NULL;
    const double numbers[] = { 1, 2 }, *columns[] = { numbers, numbers, numbers, numbers };
    const char *names[] = { "and", "missing", "in", "2nd" };
    assert_ok(una_dataset_from_columns(&data, names, columns, NULL, 4, 2, run), run);
    assert_string_equal(matches("`and` == 1 and `in` in (1) and `2nd` < 2", data, run), "10");
    assert_string_equal(matches("missing == 2 and not missing(missing) and not missing(`in`)", data, run), "01");
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- what is wrong ------------------------------------------------------------------------------------------- */

typedef struct wrong { const char *condition; una_status status; const char *sentence; } wrong;

static void sentences(void **state)
{
    (void)state;
    static const wrong all[] = {
        { "", UNA_E_USAGE, "the condition is empty" },
        { " \t", UNA_E_USAGE, "the condition is empty" },
        { "a", UNA_E_USAGE, "condition \">>>a\", character 1: a condition is true or false; compare this column" },
        { "1", UNA_E_USAGE, "compare this number with something" },
        { "'a'", UNA_E_USAGE, "compare this word with something" },
        { "a ==", UNA_E_USAGE, "condition \"a ==>>>\", character 5: expected a column, a number, a word in quotes or a "
                               "bracket but found the end of the text" },
        { "a == and b", UNA_E_USAGE, "condition \"a == >>>and b\", character 6: expected a column" },
        { "a = 1", UNA_E_USAGE, "character 3: use == for equality" },
        { "a ! 1", UNA_E_USAGE, "\"!\" is only valid in !=; write not before a condition" },
        { "a == 1 && b == 2", UNA_E_USAGE, "character 8: \"&\" has no meaning here; a name that holds it stands "
                                           "between backquotes, and conditions are joined by and, or and not" },
        { "a == 1 b == 2", UNA_E_USAGE, "character 8: expected and, or or the end but found \"b\"" },
        { "a b", UNA_E_USAGE, "character 3: expected ==, !=, <, <=, >, >= or in but found \"b\"" },
        { "1 < a < 3", UNA_E_USAGE, "character 7: comparisons cannot be chained; write 1 < x and x < 3" },
        { "kind not in ('a')", UNA_E_USAGE, "character 6: put not before a whole comparison" },
        { "not a", UNA_E_USAGE, "character 5: not stands before a condition; compare this column" },
        { "a and b == 1", UNA_E_USAGE, "character 1: and joins conditions; compare this column" },
        { "a == 1 or 5", UNA_E_USAGE, "character 11: or joins conditions; compare this number" },
        { "(a == 1) + 1 == 2", UNA_E_USAGE, "character 1: this is a condition, and arithmetic takes numbers" },
        { "(a == 1) == (b == 1)", UNA_E_USAGE, "character 1: this is a condition, and a comparison takes numbers" },
        { "(a == 1", UNA_E_USAGE, "character 8: expected \")\" to close the bracket but found the end" },
        { "a == 1)", UNA_E_USAGE, "character 7: expected and, or or the end but found \")\"" },
        { "kind < 'a'", UNA_E_USAGE, "character 6: words have no order; compare them by ==, != or in" },
        { "kind + 'a' == 2", UNA_E_USAGE, "character 8: 'a' is a word, and arithmetic takes numbers" },
        { "'a' == 'b'", UNA_E_USAGE, "character 8: the word 'a' can only be compared with a column" },
        { "\"a\" == 1", UNA_E_USAGE, "character 8: the word 'a' can only be compared with a column; a column's name "
                                     "stands without quotes" },
        { "a + 1 == 'b'", UNA_E_USAGE, "character 1: the word 'b' can only be compared with a column" },
        { "'x' in ('x')", UNA_E_USAGE, "in looks for words in a column" },
        { "'x' in (1)", UNA_E_USAGE, "'x' is a word, and the list holds numbers" },
        { "a in 1", UNA_E_USAGE, "character 6: expected a list in brackets after in, such as ('a', 'b') but found 1" },
        { "a in ()", UNA_E_USAGE, "character 7: expected a number or a word in quotes but found \")\"" },
        { "a in (1, )", UNA_E_USAGE, "character 10: expected a number or a word in quotes" },
        { "a in (1 2)", UNA_E_USAGE, "character 9: expected \")\" or \",\" after an item of the list but found 2" },
        { "kind in ('a', 1)", UNA_E_USAGE, "character 15: the list holds words, and this is none" },
        { "a in (1, 'a')", UNA_E_USAGE, "character 10: the list holds numbers, and this is none" },
        { "kind == ''", UNA_E_USAGE, "character 9: there is nothing between the quotes; missing(column) is true" },
        { "kind == 'a", UNA_E_USAGE, "character 9: this quote is never closed" },
        { "`a == 1", UNA_E_USAGE, "character 1: this quote is never closed" },
        { "2a == 1", UNA_E_USAGE, "\"2a\" is not a number; a product is written with *, and a name that begins with a "
                                  "digit stands between backquotes" },
        { "a == 1e999", UNA_E_USAGE, "\"1e999\" is beyond the range of numbers" },
        { "a == +1", UNA_E_USAGE, "character 6: expected a column" },
        { "a ^ 2 == 4", UNA_E_USAGE, "\"^\" has no meaning here" },
        { "a == 1 \x01", UNA_E_USAGE, "a control character (code 1) has no meaning here" },
        { "sin(a) == 1", UNA_E_USAGE, "character 1: there is no function 'sin', only missing(column)" },
        { "missing()", UNA_E_USAGE, "character 9: expected the name of a column between the brackets of missing()" },
        { "missing(a + 1)", UNA_E_USAGE, "character 11: expected \")\" after the column of missing( but found \"+\"" },
        { "missing('a')", UNA_E_USAGE, "expected the name of a column between the brackets" },
        { "missing(a) == 1", UNA_E_USAGE, "this is a condition, and a comparison takes numbers" },
        { "kind == 'a' or kind > 1", UNA_E_USAGE, "character 16: the column 'kind' is taken for one of numbers here "
                                                  "and of words before" },
        { "a > 1 or a == 'x'", UNA_E_USAGE, "character 10: the column 'a' is taken for one of words here and of " },
        { "knid == 'a'", UNA_E_INPUT, "condition \">>>knid == 'a'\", character 1: " },
        { "a > 1 and knid == 'a'", UNA_E_INPUT, "t.csv has no column 'knid' (did you mean 'kind'?); its columns are: "
                                                "a, b, kind, Froude number, none" },
        { "a > 1 and missing(A)", UNA_E_INPUT, "character 19: " },
        { "b > 1 and kind == 1", UNA_E_INPUT, "condition \"b > 1 and >>>kind == 1\", character 11: " },
        { "kind == 1", UNA_E_INPUT, "t.csv, line 2, column 'kind' holds the word 'red', and the column is taken for "
                                    "numbers here; put the word that you look for into quotes, as in `kind` == 'red'" },
        { "missing(b) or b == '10'", UNA_E_INPUT, "character 15: " },
        { "b == '10'", UNA_E_INPUT, "t.csv, line 2, column 'b' holds the number 10, and the column is compared with a "
                                    "word here; write the number that you look for without quotes" },
        { "a in ('1')", UNA_E_INPUT, "holds the number 1" },
        { "a > 100", UNA_E_INPUT, "the condition a > 100 holds for none of the 6 rows of " },
        { "gr\xc3\xb6\xc3\x9f" "e.x == ", UNA_E_USAGE, "character 12: " },               /* characters, not bytes */
    };
    una_run *run = quiet_run();
    una_dataset *data = table(run), *subset = NULL;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_status(una_dataset_where(&subset, data, all[i].condition, run), all[i].status, run);
        assert_null(subset);
        assert_says(una_run_message(run), all[i].sentence);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static const char *repeated(const char *before, size_t count, const char *middle, const char *after)
{
    static char text[300000];
    size_t at = 0;
    for (size_t i = 0; i < count; i++) at += (size_t)sprintf(text + at, "%s", before);
    at += (size_t)sprintf(text + at, "%s", middle);
    for (size_t i = 0; i < count; i++) at += (size_t)sprintf(text + at, "%s", after);
    return text;
}

static void deep_and_long(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = table(run);
    size_t index[6], count;
    assert_string_equal(matches(repeated("(", 64, "a == 1", ")"), data, run), "100000");
    assert_string_equal(matches(repeated("", 5000, "a == 1", " or a == 2"), data, run), "110000");
    /* As many values wait as ever can: 32 levels of conditions around 32 of sums. */
    char sum[1000];
    snprintf(sum, sizeof sum, "b == 10 * %.900s", repeated("(0 + 1 * ", 32, "1", ")"));
    assert_string_equal(matches(repeated("a == 9 or b >= 0 and (", 32, sum, ")"), data, run), "100000");

    const char *const before[] = { "(", "not ", "-", "((a == 1) and (" };
    for (size_t i = 0; i < 4; i++) {
        const char *deep = repeated(before[i], 4000, "a", "");
        assert_status(una_dataset_match(index, &count, data, deep, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), "the condition is nested more than 64 deep; take brackets out");
    }
    assert_status(una_dataset_match(index, &count, data, repeated("(", 100000, "a", ")"), run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "the condition has 200001 bytes; at most 65536 are read");
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- tables ------------------------------------------------------------------------------------------------- */

static void keep_note(void *context, una_log_level level, const char *sentence)
{
    assert_int_equal(level, UNA_LOG_NOTE);
    snprintf(context, 300, "%s", sentence);
}

/* Rows keep their lines, also those of rows of rows; the table stands alone. */
static void the_new_table(void **state)
{
    (void)state;
    char note[300] = "";
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .log = keep_note, .callbacks = note };
    assert_ok(una_run_new(&run, &settings), run);
    una_dataset *data = table(run), *some = NULL, *fewer = NULL;
    assert_ok(una_dataset_where(&some, data, "b > 10 and not missing(kind)", run), run);
    assert_says(note, "3 of 6 rows of ");
    assert_says(note, "t.csv match the condition b > 10 and not missing(kind)");
    una_dataset_free(data);
    assert_int_equal(una_dataset_row_count(some), 3);
    assert_int_equal(una_dataset_column_count(some), 8);
    assert_ok(una_dataset_where(&fewer, some, "missing(a)", run), run);
    assert_int_equal(una_dataset_row_count(fewer), 1);
    assert_string_equal(una_dataset_words(fewer, 2)[0], "it's");
    una_text place = una_text_in(&run->scratch);
    una_table_place(&place, fewer, 0, 2);
    assert_says(place.at, "t.csv, line 5, column 'kind'");
    una_dataset_free(some);
    una_dataset_free(fewer);
    una_run_free(run);
}

static una_status job_where(void *context, una_run *run)
{
    una_dataset *data = NULL, *some = NULL;
    size_t index[6], count;
    una_status status = una_dataset_read(&data, context, run);
    if (status == UNA_OK) status = una_dataset_where(&some, data, "a > 1 or kind in ('red', \"b\") or `a` == 7", run);
    if (status != UNA_OK) assert_null(some);
    if (status == UNA_OK) status = una_dataset_match(index, &count, data, "`Froude number` > 1", run);
    if (status == UNA_OK && una_dataset_match(index, &count, data, "nobody == 1", run) == UNA_E_MEMORY)
        status = UNA_E_MEMORY;                                   /* sentences need memory too */
    if (status == UNA_OK && una_dataset_match(index, &count, data, "kind == 1", run) == UNA_E_MEMORY)
        status = UNA_E_MEMORY;
    una_dataset_free(some);
    una_dataset_free(data);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char path[8192];
    snprintf(path, sizeof path, "%s", temp_text_file("t.csv", table_text));
    assert_true(sweep_allocations(job_where, path) > 5);
}

/* The counts that the thesis prints, by the conditions that its text implies. */
static void published_counts(void **state)
{
    (void)state;
    static const struct { const char *condition; size_t rows; } all[] = {
        { "sex == 1", 37293 },
        { "sex == 0", 10918 },
        { "age_thesis > 0 and age_thesis < 100", 48071 },
        { "age_thesis >= 30 and age_thesis <= 40", 10376 },
        { "age_thesis > 0 and age_thesis < 100 and not (age_thesis >= 30 and age_thesis <= 40)", 37695 },
    };
    const char *path = shared_path("data/faces/wiki-faces32.csv");
    if (!path) {
        print_message("skipped: the table of faces is not there\n");
        skip();
    }
    una_run *run = NULL;
    una_dataset *data = NULL;
    assert_ok(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .no_cache = 1)), run);
    assert_ok(una_dataset_read(&data, path, run), run);
    size_t count = 0, *index = malloc(data->rows * sizeof *index);
    assert_non_null(index);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        assert_ok(una_dataset_match(index, &count, data, all[i].condition, run), run);
        assert_int_equal(count, all[i].rows);
    }
    free(index);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- random conditions ---------------------------------------------------------------------------------------- */

enum { ROWS = 30, NODES = 200 };

/* Precedence as the documentation has it, from the loosest to the tightest. */
typedef enum rung { OR_RUNG, AND_RUNG, NOT_RUNG, COMPARE_RUNG, SUM_RUNG, PRODUCT_RUNG, SIGN_RUNG, LEAF_RUNG } rung;

typedef struct node {
    char   what;                 /* | & !   = # < > l g   + - * /   m (minus)   n (number) c (column)
                                    w (word) W (other word) i (in words) I (in numbers) ? (missing)      */
    double number;
    int    column, word[3];
    struct node *left, *right;
} node;

static const char *const column_names[] = { "a", "b", "`c d`", "w" };
static const char *const words[] = { "red", "it's", "x y", "b" };

typedef struct world {
    una_rng rng;
    node    nodes[NODES];
    size_t  used;
    double  number[3][ROWS];
    int     word[ROWS];          /* -1: missing */
    char    text[60000];
    size_t  length;
} world;

static size_t roll(world *w, size_t sides)
{
    return una_rng_below(&w->rng, sides);
}

static node *new_node(world *w, char what)
{
    node *n = &w->nodes[w->used++];
    *n = (node){ .what = what, .column = (int)roll(w, 3), .number = (double)roll(w, 9) / 2 };
    for (size_t i = 0; i < 3; i++) n->word[i] = (int)roll(w, 4);
    return n;
}

static node *random_sum(world *w, size_t depth)
{
    size_t what = depth == 0 || w->used > NODES - 60 ? roll(w, 2) : roll(w, 9);
    if (what < 2) return new_node(w, "nc"[what]);
    if (what < 4) {
        node *n = new_node(w, 'm');
        n->left = random_sum(w, depth - 1);
        return n;
    }
    node *n = new_node(w, "+-*/+"[what - 4]);
    n->left = random_sum(w, depth - 1);
    n->right = random_sum(w, depth - 1);
    return n;
}

static node *random_truth(world *w, size_t depth)
{
    size_t what = depth == 0 || w->used > NODES - 60 ? roll(w, 7) : roll(w, 13);
    if (what < 4) {
        node *n = new_node(w, "wWi?"[what]);
        if (what == 3) n->column = (int)roll(w, 4);
        return n;
    }
    if (what < 7) {
        node *n = new_node(w, what == 6 ? 'I' : "=#<>lg"[roll(w, 6)]);
        n->left = random_sum(w, 3);
        if (what < 6) n->right = random_sum(w, 2);
        return n;
    }
    node *n = new_node(w, what < 9 ? '!' : what < 11 ? '&' : '|');
    n->left = random_truth(w, depth - 1);
    if (what >= 9) n->right = random_truth(w, depth - 1);
    return n;
}

static double sum_of(const world *w, const node *n, size_t row)
{
    switch (n->what) {
    case 'n': return n->number;
    case 'c': return w->number[n->column][row];
    case 'm': return -sum_of(w, n->left, row);
    case '+': return sum_of(w, n->left, row) + sum_of(w, n->right, row);
    case '-': return sum_of(w, n->left, row) - sum_of(w, n->right, row);
    case '*': return sum_of(w, n->left, row) * sum_of(w, n->right, row);
    default: return sum_of(w, n->left, row) / sum_of(w, n->right, row);
    }
}

static bool compare(char what, double a, double b)
{
    if (!isfinite(a) || !isfinite(b)) return false;
    switch (what) {
    case '=': return a == b;
    case '#': return a != b;
    case '<': return a < b;
    case '>': return a > b;
    case 'l': return a <= b;
    default: return a >= b;
    }
}

static bool truth_of(const world *w, const node *n, size_t row)
{
    int word = w->word[row];
    switch (n->what) {
    case '|': return truth_of(w, n->left, row) || truth_of(w, n->right, row);
    case '&': return truth_of(w, n->left, row) && truth_of(w, n->right, row);
    case '!': return !truth_of(w, n->left, row);
    case 'w': return word == n->word[0];
    case 'W': return word >= 0 && word != n->word[0];
    case 'i': return word >= 0 && (word == n->word[0] || word == n->word[1] || word == n->word[2]);
    case '?': return n->column == 3 ? word < 0 : isnan(w->number[n->column][row]);
    case 'I': {
        double value = sum_of(w, n->left, row);
        return value == n->number || value == -1 || value == 2;
    }
    default: return compare(n->what, sum_of(w, n->left, row), sum_of(w, n->right, row));
    }
}

static void say(world *w, const char *text)
{
    size_t length = strlen(text);
    assert_true(w->length + length + 2 < sizeof w->text);
    memcpy(w->text + w->length, text, length + 1);
    w->length += length;
    if (roll(w, 12) == 0) say(w, " ");
}

static void say_word(world *w, int word)
{
    char text[32];
    if (strchr(words[word], '\'')) snprintf(text, sizeof text, roll(w, 2) ? "\"it's\"" : "'it''s'");
    else snprintf(text, sizeof text, roll(w, 2) ? "\"%s\"" : "'%s'", words[word]);
    say(w, text);
}

static rung rung_of(char what)
{
    switch (what) {
    case '|': return OR_RUNG;
    case '&': return AND_RUNG;
    case '!': return NOT_RUNG;
    case '+':
    case '-': return SUM_RUNG;
    case '*':
    case '/': return PRODUCT_RUNG;
    case 'm': return SIGN_RUNG;
    case 'n':
    case 'c':
    case '?': return LEAF_RUNG;
    default: return COMPARE_RUNG;
    }
}

static void say_node(world *w, const node *n);

/* Brackets only where they are needed, and now and then where they are not. */
static void say_part(world *w, const node *n, rung least)
{
    bool brackets = rung_of(n->what) < least || roll(w, 10) == 0;
    if (brackets) say(w, "(");
    say_node(w, n);
    if (brackets) say(w, ")");
}

static void say_leaf(world *w, const node *n)
{
    char text[40];
    if (n->what == 'n') snprintf(text, sizeof text, roll(w, 2) ? "%.1f" : "%.2e", n->number);
    else snprintf(text, sizeof text, n->what == '?' ? "missing(%s)" : "%s", column_names[n->column]);
    say(w, text);
}

static void say_list(world *w, const node *n)
{
    char text[40];
    if (n->what == 'I') say_part(w, n->left, SUM_RUNG);
    else say(w, "w");
    if (n->what == 'w' || n->what == 'W') {
        say(w, n->what == 'w' ? " == " : "!=");
        say_word(w, n->word[0]);
        return;
    }
    say(w, " in (");
    snprintf(text, sizeof text, "%.1f, -1, 2", n->number);
    if (n->what == 'I') say(w, text);
    for (size_t i = 0; n->what == 'i' && i < 3; i++) {
        if (i) say(w, ",");
        say_word(w, n->word[i]);
    }
    say(w, ")");
}

static void say_node(world *w, const node *n)
{
    static const char signs[] = "|&=#<>lg+-*/";
    static const char *const noted[] = { " or ", " and ", "==", " != ", "<", ">", " <=", ">= ", "+", " - ", "*", "/" };
    rung own = rung_of(n->what);
    if (own == LEAF_RUNG) {
        say_leaf(w, n);
    } else if (strchr("wWiI", n->what)) {
        say_list(w, n);
    } else if (n->what == '!' || n->what == 'm') {
        say(w, n->what == '!' ? "not " : "-");
        say_part(w, n->left, own);
    } else {
        say_part(w, n->left, own == COMPARE_RUNG ? SUM_RUNG : own);
        say(w, noted[strchr(signs, n->what) - signs]);
        say_part(w, n->right, own == COMPARE_RUNG ? SUM_RUNG : own + 1);
    }
}

static una_dataset *random_table(world *w, una_run *run)
{
    const char *names[] = { "a", "b", "c d", "w" }, *word[ROWS];
    const double *number[] = { w->number[0], w->number[1], w->number[2], NULL };
    const char *const *texts[] = { NULL, NULL, NULL, word };
    una_dataset *data = NULL;
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t c = 0; c < 3; c++) w->number[c][i] = roll(w, 5) == 0 ? NAN : (double)roll(w, 9) / 2 - 2;
        w->word[i] = (int)roll(w, 5) - 1;
        word[i] = w->word[i] < 0 ? NULL : words[w->word[i]];
    }
    assert_ok(una_dataset_from_columns(&data, names, number, texts, 4, ROWS, run), run);
    return data;
}

static void random_conditions(void **state)
{
    (void)state;
    static world w;
    w.rng = una_rng_at(1, UNA_FOR_TEST, 0);
    una_run *run = quiet_run();
    una_dataset *data = random_table(&w, run);
    size_t some = 0, index[ROWS];
    for (size_t k = 0; k < 3000; k++) {
        w.used = w.length = 0;
        const node *n = random_truth(&w, 5);
        say_node(&w, n);
        size_t count = 0, wanted = 0;
        assert_ok(una_dataset_match(index, &count, data, w.text, run), run);
        for (size_t i = 0; i < ROWS; i++) {
            bool holds = truth_of(&w, n, i);
            if (holds && (wanted >= count || index[wanted] != i)) fail_msg("%s: row %zu should match", w.text, i);
            wanted += holds;
        }
        if (wanted != count) fail_msg("%s: %zu rows match, not %zu", w.text, count, wanted);
        some += count > 0 && count < ROWS;
    }
    assert_true(some > 1000);                                    /* most conditions tell rows apart */
    una_dataset_free(data);
    una_run_free(run);
}

/* Any text is a condition or gets a sentence with its place. */
static void random_texts(void **state)
{
    (void)state;
    static const char *const pieces[] = {
        "a", "b", "w", "`c d`", "1", "2.5", "-", "+", "*", "/", "==", "!=", "<", ">=", "(", ")", "(", ")", "and", "or",
        "not", "in", "in (1, 2)", "in ('red')", "'red'", "\"x\"", "missing(", "missing(a)", ",", "`", "'", "=", "!",
        "&", "\xc3", "\xff", "\n", "e", "1e", "1e5", ".", "nobody", "$", "a == 1", "w == 'red'", "and", "or"
    };
    enum { PIECES = sizeof pieces / sizeof *pieces };
    una_run *run = quiet_run();
    static world w;
    w.rng = una_rng_at(2, UNA_FOR_TEST, 0);
    una_dataset *data = random_table(&w, run);
    size_t index[ROWS], right = 0;
    for (size_t k = 0; k < 20000; k++) {
        char text[400];
        size_t count = 0, at = 0, parts = 1 + roll(&w, 12);
        for (size_t i = 0; i < parts; i++) {
            const char *piece = pieces[roll(&w, PIECES)];
            at += (size_t)snprintf(text + at, sizeof text - at, "%s%s", piece, roll(&w, 3) ? " " : "");
        }
        una_status status = una_dataset_match(index, &count, data, text, run);
        right += status == UNA_OK;
        if (status == UNA_OK) continue;
        if (status != UNA_E_USAGE && status != UNA_E_INPUT) fail_msg("%s: status %d", text, (int)status);
        if (!strstr(una_run_message(run), "condition")) fail_msg("%s: %s", text, una_run_message(run));
        if (!strstr(una_run_message(run), "character") && !strstr(una_run_message(run), "empty"))
            fail_msg("%s: %s", text, una_run_message(run));
    }
    assert_true(right > 50);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- ranks ------------------------------------------------------------------------------------------------------ */

typedef struct sharing { const char *path, *condition; size_t rows; } sharing;

static una_status share_rows(void *context, una_run *run)
{
    sharing *s = context;
    una_dataset *data = NULL, *some = NULL;
    una_status status = una_dataset_read_part(&data, s->path, run);
    if (status == UNA_OK) status = una_dataset_where_part(&some, data, s->condition, run);
    s->rows = some ? una_dataset_row_count(some) : 0;
    if (status != UNA_OK) assert_null(some);
    una_dataset_free(some);
    una_dataset_free(data);
    return status;
}

/* Row i is that of rank i % 3. */
static void parts_of_ranks(void **state)
{
    (void)state;
    enum { RANKS = 3 };
    static const struct { const char *condition; una_status status; size_t rows[RANKS]; const char *says; } all[] = {
        { "b >= 20 and b <= 50", UNA_OK, { 1, 2, 1 }, "" },
        { "b == 10", UNA_E_INPUT, { 0 }, "holds for 1 of the 6 rows of " },
        { "b == 10", UNA_E_INPUT, { 0 }, "but for none of the 2 that this rank has; use fewer ranks" },
        { "b > 999", UNA_E_INPUT, { 0 }, "the condition b > 999 holds for none of the 6 rows of " },
        { "b ==", UNA_E_USAGE, { 0 }, "character 5: expected" },
        { "b == 'x'", UNA_E_INPUT, { 0 }, "is compared with a word" },
    };
    char path[8192];
    snprintf(path, sizeof path, "%s", temp_text_file("t.csv", table_text));
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        rank_here me[RANKS] = { { .threads = 0 } };
        sharing s[RANKS];
        for (size_t r = 0; r < RANKS; r++) s[r] = (sharing){ path, all[k].condition, 0 };
        with_ranks_here(me, RANKS, share_rows, s, sizeof *s);
        for (size_t r = 0; r < RANKS; r++) {
            assert_int_equal(me[r].status, all[k].status);
            assert_int_equal(s[r].rows, all[k].rows[r]);
            assert_says(me[r].message, all[k].says);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comparisons_and_arithmetic),
        cmocka_unit_test(and_or_not),
        cmocka_unit_test(words_and_lists),
        cmocka_unit_test(missing_cells),
        cmocka_unit_test(quotes_and_names),
        cmocka_unit_test(sentences),
        cmocka_unit_test(deep_and_long),
        cmocka_unit_test(the_new_table),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(published_counts),
        cmocka_unit_test(random_conditions),
        cmocka_unit_test(random_texts),
        cmocka_unit_test(parts_of_ranks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
