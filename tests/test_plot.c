/* SPDX-License-Identifier: MIT
 *
 * Single charts: each is written in every format, the same bytes each time; numbers, few values and words as inputs;
 * names that are hostile; what is refused, and in which words; memory that runs out.
 */
#include "draws.h"
#include "test_support.h"

#include "draw/svg_checks.h"
#include "una_report.h"

enum { ROWS = 60 };

static const char hostile[] = "<b onload=\"x\">&amp;\xE2\x80\xAE\xFF";

/* Columns x (numbers), a hostile one (0 or 1), colour (words), y. */
static una_status made_up(una_dataset **data, una_run *run)
{
    static const char *const names[] = { "x", hostile, "colour", "y" };
    static const char *const colours[] = { "red", "green </svg>", "blue" };
    double x[ROWS], flag[ROWS], y[ROWS];
    const char *colour[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = sin((double)i * 1.3) * 3;
        flag[i] = (double)(i % 2);
        colour[i] = colours[i % 3];
        y[i] = x[i] + flag[i] - (double)(i % 3) + 0.1 * cos((double)(i * i));
    }
    const double *const numbers[] = { x, flag, NULL, y };
    const char *const *const words[] = { NULL, NULL, colour, NULL };
    return una_dataset_from_columns(data, names, numbers, words, 4, ROWS, run);
}

static char *contents(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}

static void each_chart(void **state)
{
    (void)state;
    static const char *const whats[] = { NULL, "effect", "observed", "calibration", "residuals", "ignorance" };
    static const char *const inputs[] = { NULL, "x", hostile, "colour" };
    static const char *const endings[] = { "svg", "pdf", "png" };
    const bool cairo = has_cairo();
    una_run *run = quiet_run();
    una_dataset *data;
    una_model *model;
    char folder[64] = "/tmp/una-plot-XXXXXX", path[2][128];
    assert_non_null(mkdtemp(folder));
    assert_ok(made_up(&data, run), run);
    assert_ok(una_fit(&model, "linear", data, NULL, run), run);
    for (size_t w = 0; w < 6; w++)
        for (size_t i = 0; i < 4; i++)
            for (size_t e = 0; e < 3; e++) {
                const una_plot_settings s = { .size = sizeof s, .what = whats[w], .input = inputs[i] };
                size_t size[2];
                char *bytes[2];
                if (e > 0 && (i > 0 || !cairo)) continue;
                for (size_t k = 0; k < 2; k++) {
                    snprintf(path[k], sizeof path[k], "%s/%zu.%s", folder, k, endings[e]);
                    assert_ok(una_plot_write(path[k], model, data, &s, run), run);
                    bytes[k] = contents(path[k], &size[k]);
                }
                assert_true(size[0] > 1000 && size[0] == size[1]);
                assert_memory_equal(bytes[0], bytes[1], size[0]);
                if (e == 0) assert_xml(bytes[0]);
                if (e == 0) assert_null(strstr(bytes[0], "<b onload"));
                for (size_t k = 0; k < 2; k++) free(bytes[k]), remove(path[k]);
            }
    rmdir(folder);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void what_is_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data, *bare;
    una_model *model;
    const double x[] = { 1, 2 }, flag[] = { 0, 1 };
    const char *const word[] = { "red", "blue" };
    static const char *const names[] = { "x", hostile, "colour" };
    const double *const numbers[] = { x, flag, NULL };
    const char *const *const words[] = { NULL, NULL, word };
    assert_ok(made_up(&data, run), run);
    assert_ok(una_dataset_from_columns(&bare, names, numbers, words, 3, 2, run), run);
    assert_ok(una_fit(&model, "linear", data, NULL, run), run);
    const struct { una_plot_settings asked; const una_dataset *rows; una_status status; const char *says; } cases[] = {
        { { .what = "band" }, data, UNA_E_USAGE, "did you mean bands?" },
        { { .what = "bands" }, NULL, UNA_E_USAGE, "a model keeps none" },
        { { .what = "calibration" }, NULL, UNA_E_USAGE, "and its target" },
        { { .what = "calibration" }, bare, UNA_E_INPUT, "'y'" },
        { { .what = "bands", .input = "z" }, data, UNA_E_INPUT, "'z'" },
        { { .what = "bands", .input = "y" }, data, UNA_E_USAGE, "the model does not use it" },
        { { .what = "bands", .row = ROWS + 1 }, data, UNA_E_USAGE, "row 61" },
        { { .what = "observed", .row = 1 }, data, UNA_E_USAGE, "shows all rows" },
        { { .what = "bands", .target = "z" }, data, UNA_E_USAGE, "predicts y, and not 'z'" },
        { { .what = "importance" }, NULL, UNA_E_USAGE, "linear" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        una_plot_settings s = cases[i].asked;
        s.size = sizeof s;
        assert_status(una_plot_write("/tmp/never.svg", model, cases[i].rows, &s, run), cases[i].status, run);
        assert_says(una_run_message(run), cases[i].says);
    }
    const una_plot_settings s = { .size = sizeof s, .row = 2 };
    assert_status(una_plot_write("/tmp/never.gif", model, data, &s, run), UNA_E_USAGE, run);
    assert_ok(una_plot_write("/tmp/una-plot-once.svg", model, bare, &s, run), run);      /* needs no target */
    remove("/tmp/una-plot-once.svg");
    assert_int_not_equal(access("/tmp/never.svg", F_OK), 0);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(bare);
    una_run_free(run);
}

static una_status little(void *context, una_run *run)
{
    static const char *const whats[] = { "bands", "effect", "calibration", "residuals", "ignorance" };
    una_dataset *data = NULL;
    una_model *model = NULL;
    una_status status = made_up(&data, run);
    const char *path = context;
    if (status == UNA_OK) status = una_fit(&model, "linear", data, NULL, run);
    for (size_t w = 0; w < 5 && status == UNA_OK; w++) {
        const una_plot_settings s = { .size = sizeof s, .what = whats[w], .input = w % 2 ? "x" : "colour" };
        status = una_plot_write(path, model, data, &s, run);
    }
    una_model_free(model);
    una_dataset_free(data);
    return status;
}

static void little_memory(void **state)
{
    (void)state;
    char folder[64] = "/tmp/una-plot-XXXXXX", path[128];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/c.svg", folder);
    assert_true(sweep_allocations(little, path) > 50);
    remove(path);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_chart), cmocka_unit_test(what_is_refused), cmocka_unit_test(little_memory)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
