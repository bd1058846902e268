/* SPDX-License-Identifier: MIT
 *
 * Ranks that read and learn columns together: the parts are the rows of the file, one after the other in turn, and what
 * is learnt is what one rank learns from all of them.
 */
#include "ranks_here.h"

#include "data/columns.h"
#include "base/ranks.h"

enum { RANKS = 3 };

typedef struct learning {
    const char *path[2];                 /* of the others, of rank 1; NULL: as the others                       */
    una_missing missing;
    size_t      other, rows;
    una_dataset *data;
    una_columns columns;
    una_notes   notes;
    una_arena   arena;
    una_run    *run;
} learning;

static una_status learn_part(learning *l, una_run *run)
{
    l->notes = (una_notes){ .arena = &l->arena };
    UNA_TRY(una_dataset_read_part(&l->data, l->path[l->path[1] && una_rank(run) == 1], run));
    l->rows = una_dataset_row_count(l->data);
    una_rank_group rank_group;
    una_rank_group_enter(&rank_group, run);
    const char *target = "y";
    una_learning from = { l->data, &target, 1, NULL, l->missing, l->other, &l->notes };
    una_status status = una_columns_learn((una_columns *[]){ &l->columns }, &from, &l->arena, run);
    return una_rank_group_leave(&rank_group, status, run);
}

/* Results outlive the run of a rank: its allocator is the plain one. */
static una_status learn_here(void *context, una_run *run)
{
    learning *l = context;
    una_run_settings settings = UNA_INIT(una_run_settings);
    UNA_TRY(una_run_new(&l->run, &settings));
    una_arena_init(&l->arena, l->run);
    una_status status = learn_part(l, run);
    una_dataset_free(l->data);
    l->data = NULL;
    return status;
}

static void end(learning *l, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        una_arena_free(&l[i].arena);
        una_run_free(l[i].run);
    }
}

static void assert_same_columns(const una_columns *a, const una_columns *b)
{
    assert_int_equal(a->source_count, b->source_count);
    assert_int_equal(a->input_count, b->input_count);
    assert_near(a->target_centre, b->target_centre, 1e-13, 1e-13);
    assert_near(a->target_scale, b->target_scale, 1e-13, 0);
    for (size_t s = 0; s < a->source_count; s++) {
        assert_string_equal(a->sources[s].name, b->sources[s].name);
        assert_int_equal(a->sources[s].level_count, b->sources[s].level_count);
        assert_near(a->sources[s].mean, b->sources[s].mean, 1e-13, 1e-13);
        for (size_t k = 0; k < a->sources[s].level_count; k++)
            assert_string_equal(a->sources[s].levels[k], b->sources[s].levels[k]);
    }
    for (size_t i = 0; i < a->input_count; i++) {
        assert_int_equal(a->inputs[i].source, b->inputs[i].source);
        assert_true(a->inputs[i].level == b->inputs[i].level);
        assert_near(a->inputs[i].centre, b->inputs[i].centre, 1e-13, 1e-13);
        assert_near(a->inputs[i].scale, b->inputs[i].scale, 1e-13, 0);
    }
}

/* Columns of all sorts: a large offset, the same twice, one that is constant, words (one of them rare, one that only
 * rank 2 has), a word far down in a column of numbers, missing cells. */
static const char *mixed_table(void)
{
    static char text[20000];
    size_t at = (size_t)snprintf(text, sizeof text, "a,b,twin,same,word,late,y\n");
    for (size_t i = 0; i < 200; i++) {
        double a = 1e6 + sin((double)i), b = cos(3.0 * (double)i);
        const char *word = i == 47 ? "rare" : i % 3 == 2 && i % 5 == 0 ? "third" : i % 2 ? "odd" : "even";
        at += (size_t)snprintf(text + at, sizeof text - at, "%.9f,%.9f,%.9f,5,%s,%s,%s%.9f\n", a, b, b, word,
                               i == 170 ? "n/k" : i % 4 ? "1" : "2", i == 33 ? "NA" : "", i == 33 ? 0 : a * b);
    }
    char *hole = strstr(text, "NA0.000000000");          /* a missing target */
    memmove(hole + 2, hole + 13, strlen(hole + 13) + 1);
    return temp_text_file("mixed.csv", text);
}

static void test_columns_of_parts_are_those_of_the_whole(void **state)
{
    (void)state;
    const char *path = mixed_table();
    for (size_t other = 0; other <= 5; other += 5) {
        learning whole = { .path = { path, NULL }, .missing = UNA_MISSING_DROP, .other = other };
        learning part[RANKS] = { whole, whole, whole };
        una_run *run = quiet_run();
        rank_here me[RANKS] = { { .threads = 0 } };
        assert_ok(learn_here(&whole, run), run);
        with_ranks_here(me, RANKS, learn_here, part, sizeof *part);
        assert_int_equal(whole.rows, 200);
        for (size_t r = 0; r < RANKS; r++) {
            assert_int_equal(me[r].status, UNA_OK);
            assert_int_equal(part[r].rows, r == 2 ? 66 : 67);
            assert_same_columns(&part[r].columns, &whole.columns);
            assert_int_equal(part[r].notes.count, whole.notes.count);
            for (size_t i = 0; i + 1 < whole.notes.count; i++)   /* where the odd word stands, one rank knows */
                if (!strstr(whole.notes.text[i], "n/k"))
                    assert_string_equal(part[r].notes.text[i], whole.notes.text[i]);
        }
        end(part, RANKS);
        end(&whole, 1);
        una_run_free(run);
    }
}

/* The levels of one column, merged, leave room for those of the next, which may be as many as rows. */
static void test_many_levels_after_few(void **state)
{
    (void)state;
    char text[8000];
    size_t at = (size_t)snprintf(text, sizeof text, "few,many,y\n");
    for (size_t i = 0; i < 300; i++)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s,w%zu,%zu\n", i % 4 > 1 ? "a" : "b", i * 7 % 90, i % 11);
    learning whole = { .path = { temp_text_file("levels.csv", text), NULL } };
    learning part[RANKS] = { whole, whole, whole };
    una_run *run = quiet_run();
    rank_here me[RANKS] = { { .threads = 0 } };
    assert_ok(learn_here(&whole, run), run);
    with_ranks_here(me, RANKS, learn_here, part, sizeof *part);
    for (size_t r = 0; r < RANKS; r++) {
        assert_int_equal(me[r].status, UNA_OK);
        assert_same_columns(&part[r].columns, &whole.columns);
    }
    end(part, RANKS);
    end(&whole, 1);
    una_run_free(run);
}

static void refused(const char *path, const char *of_rank_1, una_missing missing, una_status status, const char *says)
{
    learning part[RANKS];
    rank_here me[RANKS] = { { .threads = 0 } };
    for (size_t r = 0; r < RANKS; r++) part[r] = (learning){ .path = { path, of_rank_1 }, .missing = missing };
    with_ranks_here(me, RANKS, learn_here, part, sizeof *part);
    for (size_t r = 0; r < RANKS; r++) {
        assert_int_equal(me[r].status, status);
        assert_says(me[r].message, says);
    }
    end(part, RANKS);
}

static void test_refusals_reach_all(void **state)
{
    (void)state;
    const char *good = temp_text_file("good.csv", "a,b,y\n1,2,3\n2,1,4\n3,5,5\n4,4,4\n5,1,9\n6,2,7\n");
    const char *fewer = temp_text_file("fewer.csv",      /* as long */
                                       "a,y\n1,30000\n2,400\n3,500\n4,400\n5,900\n6,700\n");
    const char *words = temp_text_file("words.csv", "a,b,y\n1,x,3\n2,y,4\n3,x,5\n4,x,4\n5,y,9\n6,x,7\n");
    refused(good, "/nowhere/part.csv", UNA_MISSING_ERROR, UNA_E_IO, "rank 1");
    refused(good, temp_text_file("older.csv", "a,b,y\n1,2,3\n2,1,4\n3,5,5\n4,4,4\n5,1,9\n"), UNA_MISSING_ERROR,
            UNA_E_INPUT, "older.csv has 36 bytes, and 42 on rank 0; every rank needs the same file");
    refused(good, fewer, UNA_MISSING_ERROR, UNA_E_INPUT, "in the table of rank 0 it is 'b'");
    refused(good, words, UNA_MISSING_ERROR, UNA_E_INPUT, "holds words");
    refused(temp_text_file("hole.csv", "a,b,y\n1,2,3\n2,1,4\n3,5,5\n4,4,4\n5,,9\n6,2,7\n"), NULL, UNA_MISSING_ERROR,
            UNA_E_INPUT, "line 6, column 'b' is missing");
    refused(temp_text_file("target.csv", "a,b,y\n1,2,3\n2,1,4\n3,5,5\n4,4,4\n5,1,bad\n6,2,7\n"), NULL,
            UNA_MISSING_ERROR, UNA_E_INPUT, "line 6, column 'y' holds 'bad'");
    refused(temp_text_file("infinite.csv", "a,b,y\n1,2,3\n2,1,4\n3,5,5\n4,4,1e999\n5,1,3\n6,2,7\n"), NULL,
            UNA_MISSING_ERROR, UNA_E_INPUT, "line 5");
    refused(temp_text_file("few.csv", "a,b,y\n1,2,3\n2,1,4\n"), NULL, UNA_MISSING_ERROR, UNA_E_INPUT, "too few rows");
}

/* Which rows a rank gets, and with %r the file of its own. */
typedef struct reading { const char *path; double first[4]; size_t rows, line; } reading;

static una_status read_here(void *context, una_run *run)
{
    reading *r = context;
    una_dataset *data;
    UNA_TRY(una_dataset_read_part(&data, r->path, run));
    r->rows = una_dataset_row_count(data);
    for (size_t i = 0; i < r->rows && i < 4; i++) r->first[i] = una_dataset_numbers(data, 0)[i];
    r->line = data->line ? data->line[0] : 0;
    una_dataset_free(data);
    return UNA_OK;
}

static void test_who_reads_what(void **state)
{
    (void)state;
    static const char header[] = "a,y\n";
    reading r[RANKS];
    rank_here me[RANKS] = { { .threads = 0 } };
    const char *path = temp_text_file("turns.csv", "a,y\n0,1\n1,1\n2,1\n3,1\n4,1\n5,1\n6,1\n");
    for (size_t i = 0; i < RANKS; i++) r[i] = (reading){ .path = path };
    with_ranks_here(me, RANKS, read_here, r, sizeof *r);
    for (size_t i = 0; i < RANKS; i++) {
        assert_int_equal(me[i].status, UNA_OK);
        assert_int_equal(r[i].rows, i == 0 ? 3 : 2);
        assert_true(r[i].first[0] == (double)i && r[i].first[1] == (double)(i + RANKS));
        assert_int_equal(r[i].line, 2 + i);
    }

    char own[600];
    for (size_t i = 0; i < RANKS; i++) {
        char name[32], text[64];
        snprintf(name, sizeof name, "own-%zu.csv", i);
        snprintf(text, sizeof text, "%s%zu,2\n%zu,3\n", header, 10 * i, 10 * i + 1);
        snprintf(own, sizeof own, "%s", temp_text_file(name, text));
    }
    memcpy(strstr(own, "own-2.csv"), "own-%r.csv", sizeof "own-%r.csv");
    for (size_t i = 0; i < RANKS; i++) r[i] = (reading){ .path = own };
    with_ranks_here(me, RANKS, read_here, r, sizeof *r);
    for (size_t i = 0; i < RANKS; i++) {
        assert_int_equal(me[i].status, UNA_OK);
        assert_true(r[i].rows == 2 && r[i].first[0] == 10 * (double)i);
    }
}

/* Of an array, which has no header and is not read through. */
static void test_arrays_too(void **state)
{
    (void)state;
    enum { ROWS = 7, COLUMNS = 2 };
    char file[128 + ROWS * COLUMNS * sizeof(double)];
    double value[ROWS * COLUMNS];
    memset(file, ' ', sizeof file);
    memcpy(file, "\x93NUMPY\x01\x00\x76\x00", 10);
    static const char about[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (7, 2), }";
    memcpy(file + 10, about, sizeof about - 1);
    file[127] = '\n';
    for (size_t i = 0; i < ROWS * COLUMNS; i++) value[i] = (double)(i / COLUMNS);
    memcpy(file + 128, value, sizeof value);
    char path[600];
    snprintf(path, sizeof path, "%s", temp_text_file("turns.npy", ""));
    FILE *to = fopen(path, "wb");
    assert_non_null(to);
    assert_int_equal(fwrite(file, 1, sizeof file, to), sizeof file);
    fclose(to);

    reading r[RANKS];
    rank_here me[RANKS] = { { .threads = 0 } };
    for (size_t i = 0; i < RANKS; i++) r[i] = (reading){ .path = path };
    with_ranks_here(me, RANKS, read_here, r, sizeof *r);
    for (size_t i = 0; i < RANKS; i++) {
        assert_int_equal(me[i].status, UNA_OK);
        assert_int_equal(r[i].rows, i == 0 ? 3 : 2);
        assert_true(r[i].first[0] == (double)i && r[i].first[1] == (double)(i + RANKS) && r[i].line == i + 1);
    }
}

int main(void)
{
    const struct CMUnitTest all[] = {
        cmocka_unit_test(test_columns_of_parts_are_those_of_the_whole), cmocka_unit_test(test_many_levels_after_few), cmocka_unit_test(test_refusals_reach_all),
        cmocka_unit_test(test_who_reads_what), cmocka_unit_test(test_arrays_too),
    };
    return cmocka_run_group_tests(all, NULL, NULL);
}
