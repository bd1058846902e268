/* SPDX-License-Identifier: MIT
 *
 * Whole files through a model: predict, score and update chunk by chunk give what the same calls give in memory, on
 * files of several chunks, compressed or not, with quoted cells kept as they were.
 */
#include "models/quick.h"

#include <zlib.h>

#define WHERE(condition) (&(una_file_settings){ .size = sizeof(una_file_settings), .where = (condition) })

static const char wave_header[] = "x1,x2,y\n";

/* The text lives on: temp_path's buffers rotate. */
static const char *write_wave(const char *name, size_t rows, size_t from, bool target, una_run *run)
{
    static char paths[8][4096];
    static unsigned next;
    char *path = paths[next++ % 8];
    snprintf(path, sizeof paths[0], "%s", temp_path(name));

    una_dataset *data = wave_data(rows, from, run);
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    fputs(target ? wave_header : "x1,x2\n", out);
    for (size_t i = 0; i < rows; i++) {
        fprintf(out, "%.17g,%.17g", una_dataset_numbers(data, 0)[i], una_dataset_numbers(data, 1)[i]);
        if (target) fprintf(out, ",%.17g", una_dataset_numbers(data, 2)[i]);
        fputc('\n', out);
    }
    assert_int_equal(fclose(out), 0);

    una_dataset_free(data);
    return path;
}

static una_model *wave_model(una_run *run)
{
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted(quick_spec("nlm", NULL), data, NULL, run);
    una_dataset_free(data);
    return model;
}

/* 20,000 rows are five chunks; every number reads back as the one that memory gives. */
static void large_file_is_memory(void **state)
{
    (void)state;
    enum { ROWS = 20000, DRAWS = 3 };
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    const char *path = write_wave("large.csv", ROWS, 5000, false, run), *answer = temp_path("answer.csv");
    una_dataset *data = NULL, *back = NULL;
    size_t rows = 0;
    una_predict_settings settings = { .size = sizeof settings, .level = 0.9, .draws = DRAWS, .digits = 17 };

    assert_ok(una_predict_file(model, path, &settings, answer, &rows, run), run);
    assert_int_equal(rows, ROWS);
    assert_ok(una_dataset_read(&data, path, run), run);
    assert_ok(una_dataset_read(&back, answer, run), run);
    assert_int_equal(una_dataset_row_count(back), ROWS);
    assert_int_equal(una_dataset_column_count(back), 6 + DRAWS);

    double *p = malloc(6 * ROWS * sizeof *p), *f = malloc(DRAWS * ROWS * sizeof *f);
    assert_non_null(p);
    assert_non_null(f);
    una_prediction out = { sizeof out, p, p + ROWS, p + 2 * ROWS, p + 3 * ROWS, p + 4 * ROWS, p + 5 * ROWS };
    assert_ok(una_model_predict(model, data, 0.9, &out, run), run);
    assert_ok(una_model_draw(model, data, DRAWS, 0, f, run), run);

    static const char *const names[] = { "mean", "std", "std_epistemic", "std_noise", "lower", "upper", "draw_1",
                                         "draw_2", "draw_3" };
    for (size_t j = 0; j < 9; j++) assert_string_equal(una_dataset_column_name(back, j), names[j]);
    for (size_t j = 0; j < 6; j++) assert_memory_equal(una_dataset_numbers(back, j), p + j * ROWS, ROWS * sizeof *p);
    /* A draw is one function over the whole file, also across the edge of a chunk. */
    for (size_t k = 0; k < DRAWS; k++)
        assert_memory_equal(una_dataset_numbers(back, 6 + k), f + k * ROWS, ROWS * sizeof *f);

    free(p);
    free(f);
    una_dataset_free(data);
    una_dataset_free(back);
    una_model_free(model);
    una_run_free(run);
}

static char *slurped(const char *path)
{
    static char text[1 << 16];
    FILE *in = fopen(path, "r");
    assert_non_null(in);
    size_t size = fread(text, 1, sizeof text - 1, in);
    text[size] = 0;
    fclose(in);
    return text;
}

static void kept_cells_stay_as_they_were(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    const char *path = temp_text_file("keep.csv", "name,x2,\"a \"\"b\"\", c\",x1\n"
                                                  "\"one, two\",0.50,\"\",1e-1\n"
                                                  "\"say \"\"hi\"\"\",0.25,q,-1.0\n");
    const char *answer = temp_path("kept.csv");
    size_t rows = 0;

    assert_ok(una_predict_file(model, path, &SIZED(una_predict_settings, .keep = 1, .digits = 17), answer,
                               &rows, run), run);
    assert_int_equal(rows, 2);
    const char *text = slurped(answer);
    assert_says(text, "name,x2,\"a \"\"b\"\", c\",x1,mean,std,std_epistemic,std_noise,lower,upper\n");
    assert_says(text, "\n\"one, two\",0.50,,1e-1,");
    assert_says(text, "\n\"say \"\"hi\"\"\",0.25,q,-1.0,");

    una_dataset *back = NULL;
    assert_ok(una_dataset_read(&back, answer, run), run);
    double x[] = { 0.1, 0.5, -1, 0.25 }, mean[2], upper[2];
    una_prediction out = { .size = sizeof out, .mean = mean, .upper = upper };
    assert_ok(una_model_predict_rows(model, x, 2, 0.95, &out, run), run);   /* level 0 meant 0.95 */
    assert_memory_equal(una_dataset_numbers(back, 4), mean, sizeof mean);
    assert_memory_equal(una_dataset_numbers(back, 9), upper, sizeof upper);

    una_dataset_free(back);
    una_model_free(model);
    una_run_free(run);
}

static una_status to_stream(void *stream, const char *bytes, size_t count)
{
    return fwrite(bytes, 1, count, stream) == count ? UNA_OK : UNA_E_IO;
}

static void compressed_and_stream(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    const char *plain = write_wave("plain.csv", 30, 700, true, run), *packed = temp_path("packed.csv.gz");
    const char *text = slurped(plain);
    gzFile gz = gzopen(packed, "wb");
    assert_non_null(gz);
    assert_int_equal(gzwrite(gz, text, (unsigned)strlen(text)), (int)strlen(text));
    assert_int_equal(gzclose(gz), Z_OK);

    const char *one = temp_path("one.csv"), *two = temp_path("two.csv");
    char first[1 << 16];
    assert_ok(una_predict_file(model, plain, NULL, one, NULL, run), run);
    snprintf(first, sizeof first, "%s", slurped(one));

    FILE *stream = fopen(two, "w");
    assert_non_null(stream);
    una_predict_settings through = { .size = sizeof through, .write = to_stream, .writer = stream };
    assert_ok(una_predict_file(model, packed, &through, NULL, NULL, run), run);
    assert_int_equal(fclose(stream), 0);
    assert_string_equal(first, slurped(two));

    una_model_free(model);
    una_run_free(run);
}

static void score_is_that_of_memory(void **state)
{
    (void)state;
    enum { ROWS = 6000 };
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    const char *path = write_wave("score.csv", ROWS, 9000, true, run);
    una_dataset *data = NULL;
    una_score by_file = UNA_INIT(una_score), by_memory = UNA_INIT(una_score);

    assert_ok(una_score_file(&by_file, model, path, run), run);
    assert_ok(una_dataset_read(&data, path, run), run);
    double *p = predicted(model, data, run);
    assert_ok(una_score_gaussian(&by_memory, una_dataset_numbers(data, 2), p, p + 2 * ROWS, p + 3 * ROWS, ROWS, run),
              run);

    assert_int_equal(by_file.rows, ROWS);
    assert_near(by_file.rmse, by_memory.rmse, 1e-12, 0);
    assert_near(by_file.log_lik, by_memory.log_lik, 1e-12, 0);
    assert_near(by_file.crps, by_memory.crps, 1e-12, 0);
    assert_near(by_file.coverage_90, by_memory.coverage_90, 1e-12, 0);
    assert_near(by_file.calibration_error, by_memory.calibration_error, 1e-12, 1e-12);

    free(p);
    una_dataset_free(data);
    una_model_free(model);
    una_run_free(run);
}

static void update_is_that_of_memory(void **state)
{
    (void)state;
    enum { ROWS = 5000 };
    una_run *run = quiet_run();
    una_model *by_file = wave_model(run), *by_memory = wave_model(run);
    const char *path = write_wave("update.csv", ROWS, 30000, true, run);
    una_dataset *more = NULL, *test = wave_data(40, 800, run);
    size_t rows = 0;

    assert_ok(una_update_file(by_file, path, &rows, run), run);
    assert_int_equal(rows, ROWS);
    assert_ok(una_dataset_read(&more, path, run), run);
    assert_ok(una_model_update(by_memory, more, run), run);
    assert_same_predictions(by_file, by_memory, test, 1e-9, run);
    assert_int_equal(una_model_info(by_file)->rows, 60 + ROWS);
    assert_near(una_model_info(by_file)->log_evidence, una_model_info(by_memory)->log_evidence, 1e-9, 0);
    assert_ok(una_update_file(by_file, path, NULL, run), run);

    una_dataset_free(more);
    una_dataset_free(test);
    una_model_free(by_file);
    una_model_free(by_memory);
    una_run_free(run);
}

/* An update whose file turns bad in a later chunk leaves the model as it was. */
static void half_an_update_is_none(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_model *model = wave_model(run), *before = copied_model(model, run);
    const char *path = write_wave("bad.csv", 5000, 30000, true, run);
    una_dataset *test = wave_data(40, 800, run);
    FILE *end = fopen(path, "a");
    assert_non_null(end);
    fputs("1,two,3\n", end);
    assert_int_equal(fclose(end), 0);

    size_t rows = 99;
    assert_status(una_update_file(model, path, &rows, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "line 5002");
    assert_same_predictions(model, before, test, 0, run);
    assert_int_equal(una_model_info(model)->rows, 60);

    una_dataset_free(test);
    una_model_free(model);
    una_model_free(before);
    una_run_free(run);
}

/* ---- rows that match a condition ------------------------------------------------------------------------------- */

/* A file with columns that the model does not know, and one with its rows that match `matching_rows` alone: they stand
 * in the second of three chunks, every other row, and in the third, all of them. */
static void write_pair(const char *all_path, const char *some_path, size_t *matching, una_run *run)
{
    enum { ROWS = 9000 };
    una_dataset *data = wave_data(ROWS, 30000, run);
    FILE *all = fopen(all_path, "w"), *some = fopen(some_path, "w");
    assert_non_null(all);
    assert_non_null(some);
    static const char header[] = "kind,x2,seen on,x1,y\n";
    fputs(header, all);
    fputs(header, some);
    *matching = 0;
    for (size_t i = 0; i < ROWS; i++) {
        bool holds = (i > 4200 && i < 8192 && i % 2 == 0) || i >= 8192;
        char line[200];
        snprintf(line, sizeof line, "%s,%.17g,%s,%.17g,%.17g\n", holds ? "b" : i % 3 ? "a" : "b",
                 una_dataset_numbers(data, 1)[i], holds ? "\"7\"" : i % 3 ? "7" : "NA", una_dataset_numbers(data, 0)[i],
                 una_dataset_numbers(data, 2)[i]);
        fputs(line, all);
        if (holds) fputs(line, some);
        *matching += holds;
    }
    assert_int_equal(fclose(all), 0);
    assert_int_equal(fclose(some), 0);
    una_dataset_free(data);
}

static const char matching_rows[] = "kind == 'b' and not missing(`seen on`)";

static void keep_note(void *context, una_log_level level, const char *sentence)
{
    (void)level;
    snprintf(context, 300, "%s", sentence);
}

static void rows_that_match(void **state)
{
    (void)state;
    char note[300] = "", all[8192], some[8192], first[1 << 16];
    una_run *run = NULL;
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .log = keep_note, .callbacks = note };
    assert_ok(una_run_new(&run, &settings), run);
    snprintf(all, sizeof all, "%s", temp_path("all.csv"));
    snprintf(some, sizeof some, "%s", temp_path("some.csv"));
    size_t matching, rows = 0;
    write_pair(all, some, &matching, run);

    una_model *one = wave_model(run), *two = wave_model(run);
    una_predict_settings where = { .size = sizeof where, .keep = 1, .where = matching_rows, .digits = 17 };
    assert_ok(una_predict_file(one, all, &where, temp_path("one.csv"), &rows, run), run);
    assert_int_equal(rows, matching);
    snprintf(first, sizeof first, "%zu of 9000 rows of ", matching);
    assert_says(note, first);
    assert_ok(una_predict_file(one, some, &SIZED(una_predict_settings, .keep = 1, .digits = 17),
                               temp_path("two.csv"), NULL, run),
              run);
    una_dataset *answers[2];
    assert_ok(una_dataset_read(&answers[0], temp_path("one.csv"), run), run);
    assert_ok(una_dataset_read(&answers[1], temp_path("two.csv"), run), run);
    assert_int_equal(una_dataset_row_count(answers[0]), matching);
    for (size_t c = 1; c < 11; c++)
        assert_memory_equal(una_dataset_numbers(answers[0], c), una_dataset_numbers(answers[1], c),
                            matching * sizeof(double));

    una_score by_where = UNA_INIT(una_score), by_file = UNA_INIT(una_score);
    assert_ok(una_score_file_with(&by_where, one, all, WHERE(matching_rows), run), run);
    assert_ok(una_score_file(&by_file, one, some, run), run);
    assert_int_equal(by_where.rows, matching);
    assert_near(by_where.log_lik, by_file.log_lik, 1e-12, 0);

    una_dataset *test = wave_data(40, 800, run);
    assert_ok(una_update_file_with(one, all, WHERE(matching_rows), &rows, run), run);
    assert_int_equal(rows, matching);
    assert_ok(una_update_file(two, some, NULL, run), run);
    assert_same_predictions(one, two, test, 1e-9, run);
    assert_int_equal(una_model_info(one)->rows, 60 + matching);

    una_dataset_free(test);
    una_dataset_free(answers[0]);
    una_dataset_free(answers[1]);
    una_model_free(one);
    una_model_free(two);
    una_run_free(run);
}

static void conditions_that_fail(void **state)
{
    (void)state;
    static const struct { const char *where; una_status status; const char *says; } all[] = {
        { "x1 > 1e6", UNA_E_INPUT, "the condition x1 > 1e6 holds for none of the 3 rows of " },
        { "knd == 'b'", UNA_E_INPUT, "few.csv has no column 'knd' (did you mean 'kind'?); its columns are: kind, " },
        { "x1 == 'b'", UNA_E_INPUT, "few.csv, line 2, column 'x1' holds the number 0.1, and the column is compared" },
        { "kind > 1", UNA_E_INPUT, "few.csv, line 2, column 'kind': 'a' is not a number" },
        { "x1 >", UNA_E_USAGE, "character 5: expected a column" },
    };
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    char path[8192], out[8192];
    snprintf(path, sizeof path, "%s", temp_text_file("few.csv", "kind,x2,x1,y\na,0.5,0.1,1\nb,0.2,0.3,2\n,1,0.4,3\n"));
    snprintf(out, sizeof out, "%s", temp_path("no-answers.csv"));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        una_predict_settings settings = { .size = sizeof settings, .where = all[i].where };
        assert_status(una_predict_file(model, path, &settings, out, NULL, run), all[i].status, run);
        assert_says(una_run_message(run), all[i].says);
        assert_int_equal(access(out, F_OK), -1);
        assert_status(una_update_file_with(model, path, WHERE(all[i].where), NULL, run), all[i].status, run);
    }
    assert_int_equal(una_model_info(model)->rows, 60);
    una_model_free(model);
    una_run_free(run);
}

/* An array has numbers only; columns that are asked for missing cells are no exception. */
static void rows_of_an_array(void **state)
{
    (void)state;
    static const char begin[] = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }";
    const double items[9] = { 0.1, 0.2, 7, 0.3, 0.4, NAN, 0.5, 0.6, 8 };
    unsigned char file[10 + 118 + sizeof items] = "\x93NUMPY\1\0\x76";
    memset(file + 10, ' ', 118);
    memcpy(file + 10, begin, sizeof begin - 1);
    file[127] = '\n';
    memcpy(file + 128, items, sizeof items);
    char path[8192];
    snprintf(path, sizeof path, "%s", temp_file("three.npy", file, sizeof file));

    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    size_t rows = 0;
    una_predict_settings settings = { .size = sizeof settings, .keep = 1, .where = "not missing(x3) and x1 > 0.2" };
    assert_ok(una_predict_file(model, path, &settings, temp_path("array.csv"), &rows, run), run);
    assert_int_equal(rows, 1);
    assert_says(slurped(temp_path("array.csv")), "\n0.5,0.6,8,");
    settings.where = "missing(x3)";
    assert_ok(una_predict_file(model, path, &settings, temp_path("array.csv"), &rows, run), run);
    assert_int_equal(rows, 1);
    settings.where = "x3 == '7'";
    assert_status(una_predict_file(model, path, &settings, temp_path("array.csv"), &rows, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "column 'x3' holds the number 7, and the column is compared with a word");
    una_model_free(model);
    una_run_free(run);
}

static void failures_have_sentences(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    una_score score = UNA_INIT(una_score);
    const char *bare = write_wave("bare.csv", 10, 0, false, run), *full = write_wave("full.csv", 10, 0, true, run);

    assert_status(una_score_file(&score, model, bare, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "'y'");
    assert_status(una_update_file(model, bare, NULL, run), UNA_E_INPUT, run);
    assert_status(una_predict_file(model, temp_path("none.csv"), NULL, temp_path("out.csv"), NULL, run),
                  UNA_E_IO, run);
    assert_says(una_run_message(run), "none.csv");
    assert_int_equal(access(temp_path("out.csv"), F_OK), -1);               /* whole or not at all */

    char nowhere[8192];
    snprintf(nowhere, sizeof nowhere, "%s/no/such/folder.csv", temp_folder());
    assert_status(una_predict_file(model, full, NULL, nowhere, NULL, run), UNA_E_IO, run);
    assert_status(una_predict_file(model, full, &SIZED(una_predict_settings, .level = 1.5), temp_path("out.csv"), NULL,
                                   run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "1.5");
    assert_status(una_predict_file(model, temp_text_file("other.csv", "x1,z\n1,2\n"), NULL, temp_path("out.csv"), NULL,
                                   run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "x2");
    assert_int_equal(access(temp_path("out.csv"), F_OK), -1);

    una_model_free(model);
    una_run_free(run);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0) {
        print_message("skipped: there is no /dev/full here\n");
        skip();
    }

    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    const char *large = write_wave("more.csv", 5000, 0, true, run), *few = write_wave("few.csv", 5, 0, true, run);
    const char *const paths[] = { large, few };

    for (size_t i = 0; i < 2; i++) {                                        /* while writing, and only at the end */
        assert_status(una_predict_file(model, paths[i], NULL, "/dev/full", NULL, run), UNA_E_IO, run);
    }
    assert_status(una_model_save(model, "/dev/full", run), UNA_E_IO, run);
    una_model_free(model);
    una_run_free(run);
}

/* Writes that the caller makes himself: the third of them fails, with a sentence or without. */
typedef struct tired { una_run *run; int writes; una_status status; bool speaks; } tired;

static una_status write_twice(void *context, const char *bytes, size_t count)
{
    tired *t = context;
    if (t->writes == 0) assert_memory_equal(bytes, "mean,std,", 9);
    assert_true(count > 0);
    if (++t->writes < 3) return UNA_OK;
    return t->speaks ? una_run_fail(t->run, t->status, "the drum is empty") : t->status;
}

static void writes_of_the_callers_own(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    const char *path = write_wave("chunks.csv", 20000, 0, true, run);
    tired t = { .run = run, .status = UNA_E_IO };
    una_predict_settings settings = { .size = sizeof settings, .write = write_twice, .writer = &t };
    size_t rows = 0;
    assert_status(una_predict_file(model, path, &settings, NULL, &rows, run), UNA_E_IO, run);
    assert_says(una_run_message(run), "cannot be handed on");
    assert_int_equal(t.writes, 3);
    assert_true(rows > 0 && rows < 20000);
    t = (tired){ .run = run, .status = UNA_CANCELLED, .speaks = true };
    assert_status(una_predict_file(model, path, &settings, NULL, NULL, run), UNA_CANCELLED, run);
    assert_string_equal(una_run_message(run), "the drum is empty");

    t = (tired){ .run = run };                                              /* a path goes before it */
    assert_ok(una_predict_file(model, path, &settings, temp_path("by-path.csv"), NULL, run), run);
    assert_int_equal(t.writes, 0);
    assert_status(una_predict_file(model, path, NULL, NULL, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "out_path");
    una_model_free(model);
    una_run_free(run);
}

static void cancelled_between_chunks(void **state)
{
    (void)state;
    volatile int cancel = 0;
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .cancel = &cancel)), UNA_OK);
    una_model *model = wave_model(run);
    const char *path = write_wave("cancel.csv", 5000, 0, true, run);
    size_t rows = 0;

    cancel = 1;
    assert_status(una_predict_file(model, path, NULL, temp_path("cancelled.csv"), &rows, run), UNA_CANCELLED,
                  run);
    assert_int_equal(access(temp_path("cancelled.csv"), F_OK), -1);

    una_model_free(model);
    una_run_free(run);
}

static una_status job_files(void *context, una_run *run)
{
    void *const *parts = context;
    una_model *model = NULL;
    una_score score = UNA_INIT(una_score);
    size_t size;
    memcpy(&size, parts[1], sizeof size);

    una_status status = una_model_load_memory(&model, parts[0], size, run);
    if (status == UNA_OK)
        status = una_predict_file(model, parts[2], &SIZED(una_predict_settings, .draws = 1, .keep = 1),
                                  temp_path("swept.csv"), NULL, run);
    if (status == UNA_OK) status = una_score_file_with(&score, model, parts[2], WHERE("x1 > 0 or x2 > 0.5"), run);
    if (status == UNA_OK) status = una_update_file(model, parts[2], NULL, run);
    una_model_free(model);
    return status;
}

/* Whatever was missing, and in whichever chunk: the model is as it was. */
static una_status job_update(void *context, una_run *run)
{
    void *const *parts = context;
    una_model *model = NULL;
    size_t size;
    memcpy(&size, parts[1], sizeof size);
    una_status status = una_model_load_memory(&model, parts[0], size, run);

    if (status == UNA_OK) {
        una_run *calm = quiet_run();
        una_dataset *test = wave_data(20, 800, calm);
        double *before = predicted(model, test, calm);
        status = una_update_file(model, parts[2], NULL, run);
        double *after = predicted(model, test, calm);
        if (status != UNA_OK) assert_memory_equal(before, after, 6 * 20 * sizeof *before);
        assert_int_equal(una_model_info(model)->rows, status == UNA_OK ? 5060 : 60);

        free(before);
        free(after);
        una_dataset_free(test);
        una_run_free(calm);
    }
    una_model_free(model);
    return status;
}

/* The job gets the bytes of a model, their number, and a file of that many rows. */
static void sweep_a_file(una_status (*job)(void *context, una_run *run), const char *name, size_t rows)
{
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    void *bytes;
    size_t size;
    char path[8192];

    assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
    snprintf(path, sizeof path, "%s", write_wave(name, rows, 0, true, run));
    void *parts[] = { bytes, &size, path };
    assert_true(sweep_allocations(job, parts) > 10);

    una_memory_free(bytes, run);
    una_model_free(model);
    una_run_free(run);
}

static void no_memory_is_no_half_update(void **state)
{
    (void)state;
    sweep_a_file(job_update, "two-chunks.csv", 5000);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    sweep_a_file(job_files, "sweep.csv", 12);
}

static void headers_and_build(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_model *model = wave_model(run);
    const char *path = temp_path("info.una");
    char *json = NULL;

    assert_ok(una_model_save(model, path, run), run);
    assert_ok(una_file_info(&json, path, run), run);
    assert_says(json, "\"kind\": \"nlm\"");
    assert_says(json, "\"target\": \"y\"");
    assert_says(json, "\"columns\": [\"x1\", \"x2\"]");
    assert_says(json, "\"rows\": 60");
    una_memory_free(json, run);

    assert_status(una_file_info(&json, temp_text_file("no.una", "x1,x2\n1,2\n"), run), UNA_E_INPUT, run);
    assert_null(json);
    assert_status(una_file_info(&json, temp_path("missing.una"), run), UNA_E_IO, run);

    assert_says(una_build_info(), "kernels");
    assert_says(una_build_info(), "zlib");
    assert_string_equal(una_version(), UNA_VERSION);
    una_model_free(model);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(large_file_is_memory),
        cmocka_unit_test(kept_cells_stay_as_they_were),
        cmocka_unit_test(compressed_and_stream),
        cmocka_unit_test(score_is_that_of_memory),
        cmocka_unit_test(update_is_that_of_memory),
        cmocka_unit_test(half_an_update_is_none),
        cmocka_unit_test(rows_that_match),
        cmocka_unit_test(conditions_that_fail),
        cmocka_unit_test(rows_of_an_array),
        cmocka_unit_test(failures_have_sentences),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(writes_of_the_callers_own),
        cmocka_unit_test(cancelled_between_chunks),
        cmocka_unit_test(no_memory_is_no_half_update),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(headers_and_build),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
