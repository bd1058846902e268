/* SPDX-License-Identifier: MIT
 *
 * Models from strangers take no more than their bytes justify: loading one of s bytes takes 64 s + 1 MB of memory at
 * most, whatever counts stand in it; what costs more comes with the first question, within the limit, and can be
 * interrupted. Files of every kind, and those that once took gigabytes.
 */
#include "models/quick.h"
#include "model_blocks.h"

#include <glob.h>

/* ---- memory, counted in bytes ------------------------------------------------------------------------------------ */

typedef struct counted { _Atomic size_t live, peak; } counted;
typedef union counted_head { size_t size; max_align_t align; } counted_head;

static void *counted_allocate(void *context, size_t size)
{
    counted *memory = context;
    counted_head *head = malloc(sizeof *head + size);
    if (!head) return NULL;
    head->size = size;
    memory->live += size;
    if (memory->live > memory->peak) memory->peak = memory->live;
    return head + 1;
}

static void counted_release(void *context, void *what)
{
    counted *memory = context;
    counted_head *head = (counted_head *)what - 1;
    memory->live -= head->size;
    free(head);
}

static una_run *counting_run(counted *memory, uint64_t limit, const volatile int *cancel)
{
    una_run *run = NULL;
    *memory = (counted){ 0 };
    una_run_settings settings = { .size = sizeof settings, .threads = 1, .allocate = counted_allocate,
                                  .release = counted_release, .allocator = memory, .memory_limit = limit,
                                  .cancel = cancel };
    assert_ok(una_run_new(&run, &settings), NULL);
    return run;
}

/* Loads it, or is told why not: either way within 64 times its size and 1 MB. */
static una_status load_within(const void *at, size_t size, const char *what)
{
    counted memory;
    una_run *run = counting_run(&memory, (uint64_t)8 << 30, NULL);
    una_model *model = NULL;
    una_status status = una_model_load_memory(&model, at, size, run);
    if (status != UNA_OK && strlen(una_run_message(run)) < 20) fail_msg("%s: refused without a sentence", what);
    if (memory.peak > 64 * size + 1000000)
        fail_msg("%s: %zu bytes of memory for a file of %zu (status %d)", what, (size_t)memory.peak, size, (int)status);
    una_model_free(model);
    una_run_free(run);
    return status;
}

/* ---- files that are written by hand ------------------------------------------------------------------------------ */

static bytes file_of(const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) fail_msg("cannot read %s", path);
    bytes b = { malloc(1 << 20), 0, 1 << 20 };
    assert_non_null(b.at);
    b.size = fread(b.at, 1, b.room, stream);
    fclose(stream);
    return b;
}

/* The blocks before the first one called `stop`, with room for more behind them. */
static bytes beginning(const char *path, const char *stop, size_t room)
{
    static block list[MOST_BLOCKS];
    bytes b = file_of(path), front = { malloc(b.size + room), 0, b.size + room };
    assert_non_null(front.at);
    size_t count = read_blocks(&b, list), i = 0;
    while (i < count && !named(&b, &list[i], stop)) i++;
    assert_true(i < count);
    memcpy(front.at, b.at, front.size = list[i].from);
    free(b.at);
    return front;
}

static unsigned char *add_block(bytes *b, const char *name, char type, size_t count)
{
    size_t length = strlen(name), size = type == 't' || type == 'n' ? 1 : type == 'F' ? 4 : 8, at = b->size;
    assert_true(b->room - at >= 18 + length + count * size);
    memcpy(b->at + at, "BLK1", 4);
    b->at[at + 4] = (unsigned char)length;
    memcpy(b->at + at + 5, name, length);
    b->at[at + 5 + length] = (unsigned char)type;
    set_number(b, at + 6 + length, 8, count);
    b->size += 18 + length + count * size;
    memset(b->at + at + 14 + length, 0, count * size);
    return b->at + at + 14 + length;
}

static void add_u64(bytes *b, const char *name, uint64_t value)
{
    unsigned char *at = add_block(b, name, 'u', 1);
    for (size_t i = 0; i < 8; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static void add_f64s(bytes *b, const char *name, char type, const double *values, size_t count)
{
    memcpy(add_block(b, name, type, count), values, count * sizeof *values);
}

static void add_f64(bytes *b, const char *name, double value)
{
    add_f64s(b, name, 'd', &value, 1);
}

static void add_text(bytes *b, const char *name, const char *text)
{
    memcpy(add_block(b, name, 't', strlen(text)), text, strlen(text));
}

static void add_end(bytes *b)
{
    assert_true(b->room - b->size >= 16);
    memcpy(b->at + b->size, "END.", 4);
    b->size += 16;
    mend(b);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

static void every_fixture(void **state)
{
    (void)state;
    glob_t found;
    assert_int_equal(glob("tests/fixtures/*.una", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        bytes b = file_of(found.gl_pathv[i]);
        assert_ok(load_within(b.at, b.size, found.gl_pathv[i]), NULL);
        free(b.at);
    }
    assert_true(found.gl_pathc >= 15);
    globfree(&found);
}

/* Numbers that every kind counts by, made large where nothing stands behind them. */
static void counts_without_payload(void **state)
{
    (void)state;
    static const uint64_t large[] = { 12, 100, 999, 1000, 4096, 65536, 1 << 18, 1 << 20, 1 << 24, UINT64_C(1) << 40 };
    static block list[MOST_BLOCKS];
    glob_t found;
    size_t loaded = 0;
    assert_int_equal(glob("tests/fixtures/*.una", 0, NULL, &found), 0);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        bytes b = file_of(found.gl_pathv[i]);
        size_t count = read_blocks(&b, list);
        for (size_t k = 0; k < count; k++) {
            if (b.at[list[k].type] != 'u') continue;
            uint64_t kept = number_at(&b, list[k].payload, 8);
            for (size_t v = 0; v < COUNT_OF(large); v++) {
                set_number(&b, list[k].payload, 8, large[v]);
                close_part(&b, list[k].from, list[k].end);
                loaded += load_within(b.at, b.size, found.gl_pathv[i]) == UNA_OK;
            }
            set_number(&b, list[k].payload, 8, kept);
            close_part(&b, list[k].from, list[k].end);
        }
        free(b.at);
    }
    assert_true(loaded > 0);
    globfree(&found);
}

/* Width, depth and features of the largest sngp there is, and nothing behind them. */
static void a_large_sngp_without_numbers(void **state)
{
    (void)state;
    bytes b = beginning("tests/fixtures/sngp_0_1.una", "inputs", 4096);
    add_u64(&b, "inputs", 2);
    add_u64(&b, "width", 4096);
    add_u64(&b, "depth", 16);
    add_u64(&b, "fourier", 4096);
    add_u64(&b, "activation", 0);
    add_u64(&b, "laplace", 0);
    add_end(&b);
    assert_true(b.size < 4096);
    assert_status(load_within(b.at, b.size, "sngp"), UNA_E_INPUT, NULL);
    free(b.at);
}

/* A column with a name of 500 KB and a hundred levels: the name is there once. */
static void a_long_name_of_many_levels(void **state)
{
    (void)state;
    enum { LONG = 500000, LEVELS = 100 };
    bytes b = beginning("tests/fixtures/linear_0_1.una", "columns.sources", 2 << 20);
    char *name = malloc(LONG + 1), level[8];
    assert_non_null(name);
    memset(name, 'n', LONG);
    name[LONG] = 0;
    add_u64(&b, "columns.sources", 1);
    add_text(&b, "columns.name", name);
    add_u64(&b, "columns.is_text", 1);
    add_u64(&b, "columns.levels", LEVELS);
    add_u64(&b, "columns.has_other", 0);
    for (int k = 0; k < LEVELS; k++) {
        snprintf(level, sizeof level, "%03d", k);
        add_text(&b, "columns.level", level);
    }
    add_f64(&b, "columns.most_frequent", 0);
    add_end(&b);

    counted memory;
    una_run *run = counting_run(&memory, (uint64_t)8 << 30, NULL);
    una_model *model = NULL;
    assert_status(una_model_load_memory(&model, b.at, b.size, run), UNA_E_INPUT, run);   /* the rest is missing */
    assert_says(una_run_message(run), "spec");
    assert_true(memory.peak < 4 * b.size);
    una_run_free(run);
    free(name);
    free(b.at);
}

/* Columns of an image as large as they may be: its numbers are not counted one by one. */
static void a_large_image(void **state)
{
    (void)state;
    bytes b = beginning("tests/fixtures/nn_0_1.una", "columns.sources", 4096);
    add_u64(&b, "columns.sources", 1);
    add_text(&b, "columns.name", "picture");
    add_u64(&b, "columns.is_text", 2);
    add_u64(&b, "columns.height", 512);
    add_u64(&b, "columns.width", 512);
    add_u64(&b, "columns.channels", 1);
    add_f64(&b, "columns.mean", 0);
    add_f64(&b, "columns.centre", 0);
    add_f64(&b, "columns.scale", 1);
    add_end(&b);
    assert_status(load_within(b.at, b.size, "image"), UNA_E_INPUT, NULL);
    free(b.at);
}

/* The header and the options are passed on as JSON, so they must be JSON. */
static void headers_are_json(void **state)
{
    (void)state;
    static const char *const bad[] = { "", "no", "[1]", "{\"a\": 1} x", "{\"a\": \x1b[2J}", "{\"a\": \"\x1b\"}",
                                       "{\"a\": \"\xff\"}", "{\"a\": 01}", "{\"a\" 1}", "{\"a\": \"\\x\"}", "{'a': 1}",
                                       "{\"a\": [1,]}", "{\"a\": nul}", "{\"a\": 1.}", "{\"a\": \"\\u12g4\"}" };
    static const char *const good[] = { "{}", " {\"a\": [1, -2.5e-3, {\"b\": null}], \"\\u00e9\": \"\xc3\xa9\\n\"}\n",
                                        "{\"t\": true, \"f\": false, \"e\": [], \"o\": {}}" };
    una_run *run = quiet_run();
    for (size_t i = 0; i < COUNT_OF(bad) + COUNT_OF(good); i++) {
        bool well = i >= COUNT_OF(bad);
        const char *header = well ? good[i - COUNT_OF(bad)] : bad[i];
        char *json = NULL;
        assert_true(una_json_is_object(header) == well);
        una_archive ar;
        una_mark mark = una_arena_mark(&run->scratch);
        assert_ok(una_archive_save_begin(&ar, header, &run->scratch, run), run);
        assert_ok(una_archive_save_end(&ar), run);
        una_status status = una_file_info(&json, temp_file("h.una", ar.bytes, ar.size), run);
        assert_status(status, well ? UNA_OK : UNA_E_INPUT, run);
        if (!well) assert_says(una_run_message(run), "header is no JSON");
        if (well) assert_string_equal(json, header);
        una_memory_free(json, run);
        una_arena_release(&run->scratch, mark);
    }
    char deep[200];
    memset(deep, '[', sizeof deep);
    memcpy(deep, "{\"a\":", 5);
    deep[sizeof deep - 1] = 0;
    assert_false(una_json_is_object(deep));

    static block list[MOST_BLOCKS];
    bytes b = file_of("tests/fixtures/linear_0_1.una");
    una_model *model = NULL;
    size_t count = read_blocks(&b, list), k = 0;
    while (k < count && !named(&b, &list[k], "options")) k++;
    assert_true(k < count);
    b.at[list[k].payload] = '[';
    mend(&b);
    assert_status(una_model_load_memory(&model, b.at, b.size, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "the block options is no JSON");
    free(b.at);
    una_run_free(run);
}

/* ---- many draws -------------------------------------------------------------------------------------------------- */

static una_status forget(void *context, const char *text, size_t count)
{
    (void)text;
    *(size_t *)context += count;
    return UNA_OK;
}

/* What is drawn is held once, and its text, which is larger, not at all. */
static void draws_are_held_once(void **state)
{
    (void)state;
    enum { ROWS = 1000, DRAWS = 1500 };
    counted memory;
    una_run *run = counting_run(&memory, (uint64_t)8 << 30, NULL);
    una_dataset *data = wave_data(50, 0, run);
    una_model *model = fitted("linear", data, NULL, run);
    size_t written = 0, rows;
    char *text = malloc(ROWS * 32), *at = text;
    assert_non_null(text);
    at += sprintf(at, "x1,x2\n");
    for (int i = 0; i < ROWS; i++) at += sprintf(at, "%d,%d\n", i % 7, i % 5);
    const char *path = temp_text_file("rows.csv", text);
    memory.peak = memory.live;
    assert_ok(una_predict_file(model, path, &SIZED(una_predict_settings, .draws = DRAWS, .write = forget,
                                                   .writer = &written), NULL, &rows, run), run);
    assert_int_equal(rows, ROWS);
    assert_true(written > ROWS * DRAWS * 6);
    if (memory.peak > 8 * ROWS * DRAWS + 8000000) fail_msg("%zu bytes", (size_t)memory.peak);
    free(text);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);

    run = counting_run(&memory, 6000000, NULL);
    data = wave_data(50, 0, run);
    model = fitted("linear", data, NULL, run);
    assert_status(una_predict_file(model, path, &SIZED(una_predict_settings, .draws = DRAWS, .write = forget,
                                                       .writer = &written), NULL, &rows, run), UNA_E_MEMORY, run);
    assert_says(una_run_message(run), "MB of memory, and only 6 MB are allowed");
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- a gp of many rows ------------------------------------------------------------------------------------------- */

enum { MANY = 6000, TOO_MANY = 9000 };

/* As the fixture, with so many rows: 6000 have 100 KB, and their factor 290 MB. */
static bytes many_rows(size_t rows)
{
    static block list[MOST_BLOCKS];
    bytes old = file_of("tests/fixtures/gp_0_1.una"), b = beginning("tests/fixtures/gp_0_1.una", "rows", 1 << 20);
    size_t count = read_blocks(&old, list), inputs = 0, state = count;
    for (size_t k = 0; k < count; k++)
        if (named(&old, &list[k], "inputs")) inputs = (size_t)number_at(&old, list[k].payload, 8), state = k;
    assert_true(state < count);
    memcpy(b.at, old.at, b.size = list[state + 1].from);        /* "rows" of the info stands before */

    double *x = calloc(rows * inputs, sizeof *x), *y = calloc(rows, sizeof *y);
    assert_true(x && y && inputs > 0);
    for (size_t i = 0; i < rows; i++) x[i * inputs] = (double)i, y[i] = sin((double)i);
    for (size_t k = state + 1; k < count; k++) {
        const block *one = &list[k];
        if (named(&old, one, "rows")) add_u64(&b, "rows", rows);
        else if (named(&old, one, "x")) add_f64s(&b, "x", 'D', x, rows * inputs);
        else if (named(&old, one, "y")) add_f64s(&b, "y", 'D', y, rows);
        else {
            memcpy(b.at + b.size, old.at + one->from, one->end - one->from);
            b.size += one->end - one->from;
        }
    }
    add_end(&b);
    free(x);
    free(y);
    free(old.at);
    return b;
}

static una_dataset *rows_for(const una_model *model, una_run *run)
{
    const char *names[8];
    static const double zero[2];
    const double *numbers[8];
    una_dataset *data = NULL;
    size_t inputs = una_model_input_count(model);
    assert_true(inputs < 8);
    for (size_t i = 0; i < inputs; i++) names[i] = una_model_input_name(model, i), numbers[i] = zero;
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, inputs, 2, run), run);
    return data;
}

/* Loading is cheap; the factor needs more than is allowed, and says so; who asks can be interrupted. */
static void the_factor_comes_with_the_first_question(void **state)
{
    (void)state;
    bytes b = many_rows(MANY);
    volatile int cancel = 0;
    counted memory;
    una_run *run = counting_run(&memory, 100000000, &cancel);
    una_model *model = NULL;
    double mean[2];
    una_prediction out = { .size = sizeof out, .mean = mean };

    assert_ok(load_within(b.at, b.size, "gp"), NULL);
    assert_ok(una_model_load_memory(&model, b.at, b.size, run), run);
    una_dataset *data = rows_for(model, run);
    assert_status(una_model_predict(model, data, 0.95, &out, run), UNA_E_MEMORY, run);
    assert_says(una_run_message(run), "gp: the covariances of 6000 rows need 2");
    assert_says(una_run_message(run), "only 100 MB are allowed");
    assert_true(memory.peak < 10000000);
    una_dataset_free(data);
    una_model_free(model);
    una_run_free(run);

    run = counting_run(&memory, 1000000000, &cancel);
    assert_ok(una_model_load_memory(&model, b.at, b.size, run), run);
    data = rows_for(model, run);
    cancel = 1;
    assert_status(una_model_predict(model, data, 0.95, &out, run), UNA_CANCELLED, run);
    cancel = 0;
    size_t before = memory.live;
    una_model_free(model);
    model = NULL;
    cancel = 1;
    assert_status(una_model_load_memory(&model, b.at, b.size, run), UNA_CANCELLED, run);
    assert_null(model);
    cancel = 0;
    assert_true(memory.live < before);
    una_dataset_free(data);
    una_run_free(run);
    assert_int_equal(memory.live, 0);
    free(b.at);
}

/* Where no limit of memory was chosen, no verb takes much more than 64 times the bytes of a file: what is beyond that is
 * counted for all files of a run together, and refused with what to say if the file is trusted. */
static void a_factor_that_its_bytes_do_not_justify(void **state)
{
    (void)state;
    bytes big = many_rows(TOO_MANY), small = file_of("tests/fixtures/gp_0_1.una");
    counted memory;
    una_run *run = counting_run(&memory, 0, NULL);
    una_model *model = NULL, *other = NULL;
    double mean[2];
    una_prediction out = { .size = sizeof out, .mean = mean };
    assert_ok(una_model_load_memory(&model, big.at, big.size, run), run);
    una_dataset *data = rows_for(model, run);
    for (size_t again = 0; again < 2; again++) {
        assert_status(una_model_predict(model, data, 0.95, &out, run), UNA_E_MEMORY, run);
        assert_says(una_run_message(run), "the covariances of the 9000 rows in the model file need 648 MB");
        assert_says(una_run_message(run), "--memory 778M");
    }
    assert_true(memory.peak < 64 * big.size + 1000000);
    assert_ok(una_model_load_memory(&other, small.at, small.size, run), run);
    assert_ok(una_model_predict(other, data, 0.95, &out, run), run);
    una_model_free(other);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
    assert_int_equal(memory.live, 0);
    free(big.at);
    free(small.at);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fixture),
        cmocka_unit_test(counts_without_payload),
        cmocka_unit_test(a_large_sngp_without_numbers),
        cmocka_unit_test(a_factor_that_its_bytes_do_not_justify),
        cmocka_unit_test(a_long_name_of_many_levels),
        cmocka_unit_test(a_large_image),
        cmocka_unit_test(headers_are_json),
        cmocka_unit_test(draws_are_held_once),
        cmocka_unit_test(the_factor_comes_with_the_first_question),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
