/* SPDX-License-Identifier: MIT
 *
 * Reports and charts of whole models: what libuna_report puts together from models and a table.
 */
#include "draws.h"
#include "models/quick.h"

#include "una_report.h"

static char *text_of(const char *path)
{
    FILE *in = fopen(path, "rb");
    assert_non_null(in);
    char *text = calloc(1 << 22, 1);
    assert_non_null(text);
    assert_true(fread(text, 1, (1 << 22) - 1, in) > 0);
    fclose(in);
    return text;
}

static void a_report_on_a_mixture(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *test = wave_data(80, 1000, run);
    una_model *model = fitted(quick_spec("mcd", NULL), data, NULL, run);
    const una_model *models[] = { model };
    const char *path = temp_path("mixture.html");

    assert_ok(una_report_write(path, models, NULL, 1, test, NULL, NULL, run), run);

    char *page = text_of(path);
    assert_says(page, "mcd");
    free(page);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(test);
    una_run_free(run);
}

/* Text columns, missing cells that the model fills in, and rows without a target, which are left out. */
static void a_report_on_mixed_columns(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = mixed_data(60, run), *test = NULL;
    una_model *model = fitted("linear", data, &mixed_settings, run);
    const una_model *models[] = { model, model };
    const char *const titles[] = { "first", "second" };
    const char *page_path = temp_path("mixed.html"), *chart_path = temp_path("mixed.svg");
    const char *table = temp_text_file("holes.csv", "y,weight,colour,size\n1,0.5,red,0.1\nNA,0.5,red,0.2\n"
                                       "2,-0.5,blue,NA\n1.5,0.1,green,0.7\n");
    assert_ok(una_dataset_read(&test, table, run), run);

    assert_ok(una_report_write(page_path, models, titles, 2, test, "A heading", NULL, run), run);
    assert_ok(una_chart_write(chart_path, models, titles, 2, test, run), run);

    char *page = text_of(page_path), *chart = text_of(chart_path);
    assert_says(page, "A heading");
    assert_says(page, "second");
    assert_says(page, "colour");
    assert_says(chart, "<svg");
    free(page);
    free(chart);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(test);
    una_run_free(run);
}

/* A section on each target, of the rows that it has; a chart is of one. */
static void a_report_on_two_targets(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = pair_data(60, 0, true, run);
    una_model *model = pair_fit("linear", data, run);
    const una_model *models[] = { model, model };
    const char *path = temp_path("two.html"), *chart = temp_path("two.svg");

    assert_ok(una_report_write(path, models, NULL, 1, data, NULL, "A story.", run), run);
    char *page = text_of(path), *b = strstr(page, "<h1>What is known about b");
    assert_says(page, "<title>What is known about a and b");
    assert_says(page, "<h1>What is known about a<");
    assert_non_null(b);
    assert_says(page, "12 of the rows given have no value where one is needed");
    assert_says(b, "20 of the rows given have no value where one is needed");
    assert_null(strstr(b, "A story."));                  /* told once */
    free(page);

    assert_status(una_chart_write(chart, models, NULL, 1, data, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "is about one target");
    assert_status(una_report_write(chart, models, NULL, 2, data, NULL, NULL, run), UNA_E_USAGE, run);
    assert_int_equal(access(chart, F_OK), -1);
    const una_model *part = una_model_target(model, 1);
    assert_ok(una_chart_write(chart, &part, NULL, 1, data, run), run);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Rows that were not seen judge, if they are of this table; else the page says whose rows it shows. */
static void held_out_rows_judge(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *other = wave_data(60, 1000, run);
    const una_fit_settings settings = SIZED(una_fit_settings, .hold_out = 1);
    una_model *model = fitted("gp(restarts=1)", data, &settings, run);
    una_model *plain = fitted("gp(restarts=1)", data, NULL, run);
    const una_model *models[] = { model, plain };
    const char *path = temp_path("held.html");

    assert_ok(una_report_write(path, models, NULL, 1, data, NULL, NULL, run), run);
    char *page = text_of(path);
    assert_says(page, "class=\"verdict\"");
    assert_says(page, "On 60 held-out rows");
    assert_says(page, "Calibration on held-out rows.");
    assert_says(page, "Residuals of held-out rows.");
    assert_says(page, "Which inputs matter");
    assert_says(page, "Effects at real rows.");
    assert_says(page, "A map of ignorance.");
    assert_null(strstr(page, "rows given"));
    free(page);

    const una_dataset *tables[] = { other, data };
    for (size_t i = 0; i < 2; i++) {                     /* of another table; of a model that kept nothing */
        assert_ok(una_report_write(path, models + i, NULL, 1, tables[i], NULL, NULL, run), run);
        page = text_of(path);
        assert_null(strstr(page, "Calibration on"));
        assert_null(strstr(page, "within the 95 % band"));
        assert_says(page, "On the 60 rows given");
        assert_says(page, "If they are the rows the model was fitted to");
        free(page);
    }

    assert_ok(una_report_write(path, models, NULL, 2, data, NULL, NULL, run), run);      /* side by side */
    page = text_of(path);
    assert_says(page, "where there are none: on the rows given");
    free(page);
    una_model_free(model);
    una_model_free(plain);
    una_dataset_free(data);
    una_dataset_free(other);
    una_run_free(run);
}

static double cubic(double x, void *context)
{
    *(size_t *)context += 1;
    return x * x * x;
}

/* Where `words` stand behind `from`; they must. */
static const char *behind(const char *from, const char *words)
{
    const char *at = strstr(from, words);
    if (!at) fail_msg("'%s' does not stand where it should", words);
    return at;
}

/* The picture comes behind the first paragraph, a table where the story has it; the true function is drawn. */
static void a_story_with_its_picture(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    assert_ok(una_dataset_synthetic(&data, "cubic", 40, 1, 3, run), run);
    una_model *first = fitted("gp", data, NULL, run), *second = fitted("linear", data, NULL, run);
    const una_model *models[] = { first, second };
    const char *const titles[] = { "process", "line" };
    const char *path = temp_path("story.html"), *plain = temp_path("plain.html"), *chart = temp_path("story.svg");
    size_t asked = 0;
    una_report_settings settings = { .size = sizeof settings, .models = models, .titles = titles, .count = 2,
        .data = data, .heading = "Who?", .truth = cubic, .context = &asked, .story = "An answer.\n\n"
        "In numbers. Of <both>.\n| model | error |\n| process | 1.5 |\n| line | 2.5\n\nA remark." };

    assert_ok(una_report_write_with(path, &settings, run), run);
    assert_int_equal(asked, 241);                        /* points of the line */
    char *page = text_of(path);
    const char *at = behind(behind(behind(page, "<h1>Who?"), "An answer."), "true function</");
    at = behind(behind(at, "<strong>Table 1 | In numbers.</strong> Of &lt;both&gt;."), "<th scope=\"col\">model");
    at = behind(behind(behind(at, "error"), "process"), "2.5</td>");
    at = behind(behind(at, "A remark."), "In short");
    assert_null(strstr(at, "true function</"));          /* not twice */
    assert_null(strstr(at, "What the input does"));
    assert_null(strstr(page, "| line"));
    assert_non_null(strstr(at, "process predicts"));            /* the subject alone: the story compares them */
    assert_null(strstr(at, "line predicts"));
    free(page);

    settings.story = NULL, settings.truth = NULL;
    assert_ok(una_report_write_with(path, &settings, run), run);
    assert_ok(una_report_write(plain, models, titles, 2, data, "Who?", NULL, run), run);
    char *other = text_of(path);
    page = text_of(plain);
    assert_string_equal(page, other);
    free(other);
    assert_non_null(strstr(behind(page, "In short"), "What the input does"));
    assert_null(strstr(page, "true function"));
    free(page);

    settings.truth = cubic;
    assert_ok(una_chart_write_with(chart, &settings, run), run);
    settings.data = NULL;
    assert_status(una_chart_write_with(chart, &settings, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "needs a table");
    settings.size = 0;
    assert_status(una_report_write_with(path, &settings, run), UNA_E_USAGE, run);
    una_model_free(first);
    una_model_free(second);
    una_dataset_free(data);
    una_run_free(run);
}

static void refusals(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *bare = NULL;
    una_model *model = fitted("linear", data, NULL, run);
    const una_model *models[] = { model };
    double x[] = { 1, 2 };
    const char *path = temp_path("none.html");

    assert_status(una_report_write(path, models, NULL, 0, data, NULL, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "at least one model");
    assert_ok(una_dataset_from_arrays(&bare, x, NULL, 1, 2, NULL, run), run);
    assert_status(una_report_write(path, models, NULL, 1, bare, NULL, NULL, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "'y'");
    assert_status(una_chart_write(temp_path("chart.bmp"), models, NULL, 1, data, run), UNA_E_USAGE, run);
    assert_int_equal(access(path, F_OK), -1);

    assert_says(una_report_build_info(), "charts   SVG; PDF and PNG by libcairo.so.2");
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(bare);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_report_on_a_mixture),
        cmocka_unit_test(a_report_on_mixed_columns),
        cmocka_unit_test(a_report_on_two_targets),
        cmocka_unit_test(held_out_rows_judge),
        cmocka_unit_test(a_story_with_its_picture),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
