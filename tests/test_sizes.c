/* SPDX-License-Identifier: MIT
 *
 * Structs that begin with their size, as callers with another una.h see them: for each of them 0 is refused by name, an
 * older and shorter one is honoured, a newer and longer one is taken as long as what is new in it is 0.
 */
#include "test_support.h"

enum { ROWS = 40, LONGER = 64 };

typedef struct place {                   /* what the calls below work with                              */
    una_run     *run;
    una_dataset *data;
    una_model   *model;
    char         table[8192];
} place;

static int set_up(void **state)
{
    static place p;
    double x[ROWS], y[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = sin(3.0 * (double)i);
        y[i] = x[i] + 0.1 * cos(7.0 * (double)i);
    }
    p = (place){ .run = quiet_run() };
    assert_ok(una_dataset_from_arrays(&p.data, x, y, ROWS, 1, NULL, p.run), p.run);
    assert_ok(una_fit(&p.model, "linear", p.data, NULL, p.run), p.run);
    snprintf(p.table, sizeof p.table, "%s", temp_text_file("sizes.csv", "x1,y\n0.5,0.6\n-0.5,-0.4\n"));
    *state = &p;
    return 0;
}

static int tear_down(void **state)
{
    place *p = *state;
    una_model_free(p->model);
    una_dataset_free(p->data);
    una_run_free(p->run);
    return 0;
}

/* ---- one call for each struct ---------------------------------------------------------------------------- */

typedef una_status sized_call(void *given, place *p);

static una_status call_run(void *given, place *p)
{
    una_run *run = NULL;
    una_status status = una_run_new(&run, given);
    (void)p;
    una_run_free(run);
    return status;
}

static una_status call_fit(void *given, place *p)
{
    una_model *model = NULL;
    una_status status = una_fit(&model, "linear", p->data, given, p->run);
    una_model_free(model);
    return status;
}

static una_status call_predict_file(void *given, place *p)
{
    return una_predict_file(p->model, p->table, given, temp_path("sizes-out.csv"), NULL, p->run);
}

static una_status call_predict(void *given, place *p)
{
    return una_model_predict(p->model, p->data, 0.95, given, p->run);
}

static una_status call_predict_rows(void *given, place *p)
{
    double x = 0.5;
    return una_model_predict_rows(p->model, &x, 1, 0.95, given, p->run);
}

static una_status call_update(void *given, place *p)
{
    return una_model_update_with(p->model, p->data, given, p->run);
}

static una_status call_score_gaussian(void *given, place *p)
{
    double one = 1;
    return una_score_gaussian(given, &one, &one, &one, &one, 1, p->run);
}

static una_status call_score(void *given, place *p)
{
    return una_model_score(given, p->model, p->data, p->run);
}

static una_status call_score_file(void *given, place *p)
{
    return una_score_file(given, p->model, p->table, p->run);
}

static una_status call_split_random(void *given, place *p)
{
    una_status status = una_split_random(given, ROWS, 0.2, 1, p->run);
    if (status == UNA_OK) una_split_free(given, p->run);
    return status;
}

static una_status call_split_gap(void *given, place *p)
{
    una_status status = una_split_gap(given, p->data, "x1", p->run);
    if (status == UNA_OK) una_split_free(given, p->run);
    return status;
}

static una_status call_split_read(void *given, place *p)
{
    const char *text = "{\"rows\": 3, \"gap\": [{\"train\": [0, 2], \"test\": [1]}]}";
    una_status status = una_split_read(given, temp_text_file("sizes.json", text), "gap", 0, 3, p->run);
    if (status == UNA_OK) una_split_free(given, p->run);
    return status;
}

static una_status call_option(void *given, place *p)
{
    return una_kind_option(given, 0, 0, p->run);
}

/* ---- all of them ----------------------------------------------------------------------------------------- */

typedef struct sized {
    const char *name;
    size_t      size, shorter;           /* shorter: where its last field begins                        */
    bool        filled;                  /* by the library: what is new in a longer one becomes 0       */
    sized_call *call;
} sized;

#define ENTRY(type, last, filled, call) { #type, sizeof(type), offsetof(type, last), filled, call }
static const sized all[] = {
    ENTRY(una_run_settings, no_scratch, false, call_run),
    ENTRY(una_fit_settings, other, false, call_fit),
    ENTRY(una_predict_settings, writer, false, call_predict_file),
    ENTRY(una_prediction, upper, false, call_predict),
    ENTRY(una_prediction, upper, false, call_predict_rows),
    ENTRY(una_score, mean_std_noise, true, call_score_gaussian),
    ENTRY(una_score, mean_std_noise, true, call_score),
    ENTRY(una_score, mean_std_noise, true, call_score_file),
    ENTRY(una_split, tied, true, call_split_random),
    ENTRY(una_split, tied, true, call_split_gap),
    ENTRY(una_split, tied, true, call_split_read),
    ENTRY(una_update_settings, adapt, false, call_update),
    ENTRY(una_option_info, help, true, call_option),
};
enum { ALL = sizeof all / sizeof *all };

/* A block of exactly `size` bytes, so that a sanitizer sees a byte beyond; its first field says `size`, or `says`. */
static unsigned char *block(size_t size, size_t says, unsigned char rest)
{
    unsigned char *at = malloc(size);
    assert_non_null(at);
    memset(at, rest, size);
    memcpy(at, &says, sizeof says);
    return at;
}

static void assert_refused(const sized *one, void *given, const char *words, place *p)
{
    assert_status(one->call(given, p), UNA_E_USAGE, p->run);
    if (one->call == call_run) return;           /* there is no run that could hold a sentence */
    assert_says(una_run_message(p->run), one->name);
    assert_says(una_run_message(p->run), words);
}

static void a_size_that_was_not_set(void **state)
{
    place *p = *state;
    for (size_t i = 0; i < ALL; i++) {
        const size_t wrong[] = { 0, 1, sizeof(size_t) - 1, SIZE_MAX, (size_t)1 << 40 };
        for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
            unsigned char *given = block(all[i].size, wrong[k], 0);
            assert_refused(&all[i], given, "UNA_INIT", p);
            free(given);
        }
    }
    assert_says(una_run_message(NULL), "UNA_INIT(una_run_settings)");
}

static void the_same_size(void **state)
{
    place *p = *state;
    for (size_t i = 0; i < ALL; i++) {
        unsigned char *given = block(all[i].size, all[i].size, 0);
        assert_ok(all[i].call(given, p), p->run);
        free(given);
    }
}

/* The sanitizer watches the bytes behind; those of the plain build are watched in honoured below. */
static void an_older_caller(void **state)
{
    place *p = *state;
    for (size_t i = 0; i < ALL; i++) {
        unsigned char *given = block(all[i].shorter, all[i].shorter, 0);
        assert_ok(all[i].call(given, p), p->run);
        free(given);
        given = block(sizeof(size_t), sizeof(size_t), 0);        /* knows no field at all */
        if (all[i].call != call_split_random && all[i].call != call_split_gap && all[i].call != call_split_read)
            assert_ok(all[i].call(given, p), p->run);
        free(given);
    }
}

static void a_newer_caller(void **state)
{
    place *p = *state;
    for (size_t i = 0; i < ALL; i++) {
        size_t longer = all[i].size + LONGER;
        unsigned char *given = block(longer, longer, 0);
        assert_ok(all[i].call(given, p), p->run);

        given[longer - 1] = 1;
        if (all[i].filled) {
            assert_ok(all[i].call(given, p), p->run);
            assert_int_equal(given[longer - 1], 0);
        } else {
            assert_refused(&all[i], given, "newer", p);
        }
        free(given);
    }
}

/* What a short struct holds counts, and what lies behind it does not. */
static void fields_are_honoured(void **state)
{
    place *p = *state;
    double mean[ROWS], upper[ROWS] = {0}, whole_upper[ROWS];
    una_prediction whole = { .size = sizeof whole, .mean = mean, .upper = whole_upper }, cut = whole;
    cut.size = offsetof(una_prediction, upper);
    cut.upper = upper;
    assert_ok(una_model_predict(p->model, p->data, 0.95, &whole, p->run), p->run);
    memset(mean, 0, sizeof mean);
    assert_ok(una_model_predict(p->model, p->data, 0.95, &cut, p->run), p->run);
    assert_true(mean[0] != 0 && upper[0] == 0 && whole_upper[0] != 0);

    una_fit_settings settings = { .size = offsetof(una_fit_settings, set), .target = "x1", .preset = "thesis",
                                  .set_count = 99 };
    una_model *model = NULL;
    assert_ok(una_fit(&model, "linear", p->data, &settings, p->run), p->run);
    assert_string_equal(una_model_info(model)->target, "x1");
    una_model_free(model);

    una_score all_of_it = UNA_INIT(una_score), part = { .size = offsetof(una_score, crps), .crps = -7 };
    assert_ok(una_model_score(&all_of_it, p->model, p->data, p->run), p->run);
    assert_ok(una_model_score(&part, p->model, p->data, p->run), p->run);
    assert_true(part.rmse == all_of_it.rmse && part.log_lik == all_of_it.log_lik);
    assert_true(part.crps == -7 && part.coverage_50 == 0 && part.size == offsetof(una_score, crps));
}

static void nothing_means_defaults(void **state)
{
    place *p = *state;
    una_run *run = NULL;
    una_model *model = NULL;
    assert_ok(una_run_new(&run, NULL), NULL);
    assert_ok(una_fit(&model, "linear", p->data, NULL, run), run);
    assert_ok(una_predict_file(model, p->table, NULL, temp_path("defaults.csv"), NULL, run), run);
    una_model_free(model);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_size_that_was_not_set),
        cmocka_unit_test(the_same_size),
        cmocka_unit_test(an_older_caller),
        cmocka_unit_test(a_newer_caller),
        cmocka_unit_test(fields_are_honoured),
        cmocka_unit_test(nothing_means_defaults),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
