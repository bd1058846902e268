/* SPDX-License-Identifier: MIT
 *
 * A host program whose locale writes numbers with a comma: models, predictions, pages and sentences are the same to the
 * last byte as under a locale that does not.
 */
#include "models/quick.h"

#include "una_report.h"
#include "una_study.h"

#include <locale.h>

/* A locale with a decimal comma: one that is installed, or one made for this test. */
static bool speak_german(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE" };
    char command[9000], here[4096], folder[8192];
    for (int made = 0; made < 2; made++) {
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            if (setlocale(LC_ALL, names[i]) && strcmp(localeconv()->decimal_point, ",") == 0) return true;
        if (!getcwd(here, sizeof here)) return false;
        snprintf(folder, sizeof folder, "%s%s%s", *temp_folder() == '/' ? "" : here, *temp_folder() == '/' ? "" : "/",
                 temp_folder());
        snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 '%s/de_DE.UTF-8' >/dev/null 2>&1", folder);
        if (made || system(command) == -1 || setenv("LOCPATH", folder, 1) != 0) return false;
    }
    return false;
}

typedef struct outcome { char *at; size_t size; } outcome;

static outcome taken(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("%s was not written", path);
    outcome o = { malloc(4 << 20), 0 };
    assert_non_null(o.at);
    o.size = fread(o.at, 1, 4 << 20, file);
    fclose(file);
    assert_true(o.size > 0 && o.size < 4 << 20);
    return o;
}

enum { MODEL, ANSWERS, PAGE, CHART, ADVICE, SENTENCE, OUTCOMES };

/* All that is written of one fit, by its sort. */
static void write_all(outcome *all)
{
    una_run *run = quiet_run();
    una_dataset *data = NULL;
    const char *text = "x1;x2;y\n0,5;1,25;3,5\n1,5;2;4,25\n2,5;0,125;7,5\n3,5;4;8\n4,5;2,5;9,75\n5,5;1;12,5\n6;7;3,5\n";
    const char *table = temp_text_file("t.csv", text);
    assert_ok(una_dataset_read(&data, table, run), run);
    una_model *model = fitted("gp(kernel=rbf(length=1.5) + 0.25*linear, noise_std=0.125)", data,
                              &SIZED(una_fit_settings, .hold_out = 1, .drop = NULL), run);
    const una_model *models[] = { model };
    static const char *const titles[] = { "model" };
    una_advice *advice = NULL;

    const char *path = temp_path("m.una");
    assert_ok(una_model_save(model, path, run), run);
    all[MODEL] = taken(path);
    path = temp_path("answers.csv");
    assert_ok(una_predict_file(model, table, &SIZED(una_predict_settings, .draws = 2), path, NULL, run), run);
    all[ANSWERS] = taken(path);
    path = temp_path("page.html");
    assert_ok(una_report_write(path, models, titles, 1, data, NULL, NULL, run), run);
    all[PAGE] = taken(path);
    path = temp_path("chart.svg");
    assert_ok(una_chart_write(path, models, titles, 1, data, run), run);
    all[CHART] = taken(path);
    path = temp_path("advice.csv");
    assert_ok(una_suggest(&advice, model, data, NULL, 2, run), run);
    assert_ok(una_advice_write(advice, path, run), run);
    all[ADVICE] = taken(path);
    una_advice_free(advice);

    una_model *none = NULL;
    assert_status(una_fit(&none, "gp(noise_std=0.5x)", data, NULL, run), UNA_E_USAGE, run);
    assert_status(una_fit(&none, NULL, data, &SIZED(una_fit_settings, .valid_fraction = 1.5), run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "is 1.5;");
    all[SENTENCE] = (outcome){ strdup(una_run_message(run)), strlen(una_run_message(run)) };
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void the_same_in_german(void **state)
{
    (void)state;
    outcome plain[OUTCOMES], german[OUTCOMES];
    write_all(plain);
    if (!speak_german()) {
        print_message("skipped: there is no locale with a decimal comma, and none can be made\n");
        skip();
    }
    char probe[16];
    snprintf(probe, sizeof probe, "%.1f", 0.5);
    assert_string_equal(probe, "0,5");
    write_all(german);
    snprintf(probe, sizeof probe, "%.1f", 0.5);
    assert_string_equal(probe, "0,5");                   /* the host's is as it was */
    setlocale(LC_ALL, "C");
    for (int i = 0; i < OUTCOMES; i++) {
        if (plain[i].size != german[i].size || memcmp(plain[i].at, german[i].at, plain[i].size) != 0)
            fail_msg("outcome %d differs", i);
        free(plain[i].at);
        free(german[i].at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(the_same_in_german) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
