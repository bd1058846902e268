/* SPDX-License-Identifier: MIT
 *
 * Every spec of the studies is one that its model takes: found here, and not after the first hour of a full run. And
 * TUNA's misfit, which is taken from its loss, is that of its heads.
 */
#include "test_support.h"

#include "studies/studies.h"

extern const una_experiment una_experiment_studies;

static void check_spec(const una_study_line *s, const char *value, const una_studies_curve *curve, bool quick,
                       una_run *run)
{
    const char *spec = NULL, *kind = NULL, *text = una_studies_spec(s, value, curve, quick, &run->scratch);
    unsigned results;
    assert_null(strpbrk(text, "*&@"));
    assert_ok(una_row_key_spec(&spec, &kind, &results, text, &run->scratch, run), run);
    assert_memory_equal(text, kind, strlen(kind));
}

static void models_take_every_spec(void **state)
{
    una_run *run = quiet_run();
    size_t studies = 0, specs = 0;
    (void)state;
    for (const una_study_line *s = una_studies_lines; s->name; s++, studies++) {
        assert_true(s->title && s->varied && s->how && s->thesis && s->restarts > 0 && s->quick_restarts > 0);
        for (size_t v = 0; s->spec && v < UNA_STUDIES_VALUES && s->value[v]; v++)
            for (size_t c = 0; c == 0 || (c < UNA_STUDIES_CURVES && s->curve[c].label); c++)
                for (int quick = 0; quick < 2; quick++, specs++)
                    check_spec(s, s->value[v], s->curve[c].label ? &s->curve[c] : NULL, quick, run);
    }
    assert_int_equal(studies, 13);
    assert_int_equal(specs, 2 * (5 + 5 + 4 + 8 + 6 + 4 + 3 + 5 + 7 + 7 + 20 + 7));
    una_run_free(run);
}

/* What a claim speaks of is in the table. */
static void claims_name_values_of_their_studies(void **state)
{
    (void)state;
    for (const una_claim *c = una_studies_claims; c->sentence; c++) {
        char name[64];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(c->data, ","), c->data);
        const una_study_line *s = una_studies_find(name);
        assert_non_null(s);
        for (const char *at = c->model; at && *at;) {
            size_t length = strcspn(at, "|"), v = 0;
            while (v < UNA_STUDIES_VALUES && s->value[v] &&
                   (strlen(una_studies_word(s->value[v])) != length ||
                    strncmp(una_studies_word(s->value[v]), at, length) != 0))
                v++;
            if (v == UNA_STUDIES_VALUES || !s->value[v]) fail_msg("%s: no value %s", c->sentence, at);
            at += length + (at[length] == '|');
        }
        const char *label = strchr(c->data, ',');
        size_t curve = 0;
        while (label && curve < UNA_STUDIES_CURVES && s->curve[curve].label &&
               strcmp(s->curve[curve].label, label + 2) != 0)
            curve++;
        assert_true(!label || (curve < UNA_STUDIES_CURVES && s->curve[curve].label));
    }
}

/* The references are one function that is known, and the copies of the rows are these rows once more: then the misfit
 * can be computed from the fitted heads alone. */
static void misfit_is_that_of_the_heads(void **state)
{
    enum { HEADS = 4 };
    static const char capacity[] = "tuna(features=6, formula=\"20*sin(2*x)\", heads=4, copy_std=0, width=20, "
                                   "batch=1000000, prior_var=1, noise_std=3, penalty=0, steps=600, rate=0.003)";
    const una_row_key key = { .study = "studies", .data = "tuna_capacity 6", .spec = capacity, .seed = 5 };
    const una_asked asked = { .experiment = &una_experiment_studies, .first = 0 };
    una_run *run = quiet_run();
    double value[UNA_STUDIES_MEASURES], f[HEADS * UNA_CUBIC_ROWS], mean = 0, var = 0, square = 0;
    una_outcome outcome = { .arena = &run->scratch, .value = value };
    una_model *model = NULL;
    una_dataset *data = NULL;
    size_t heads;
    (void)state;
    run->settings.seed = key.seed;
    assert_ok(una_experiment_studies.measure(&(una_measuring){ &outcome, &key, &asked, run }), run);
    assert_ok(una_cubic_fit(&model, &data, &key, run), run);
    assert_ok(una_model_functions(model, data, &heads, f, run), run);
    assert_int_equal(heads, HEADS);

    const double *x = una_dataset_numbers(data, 0), *y = una_dataset_numbers(data, 1);
    for (size_t i = 0; i < UNA_CUBIC_ROWS; i++) mean += y[i] / UNA_CUBIC_ROWS;
    for (size_t i = 0; i < UNA_CUBIC_ROWS; i++) var += (y[i] - mean) * (y[i] - mean) / UNA_CUBIC_ROWS;
    for (size_t m = 0; m < HEADS; m++)
        for (size_t i = 0; i < UNA_CUBIC_ROWS; i++) {
            double off = f[m * UNA_CUBIC_ROWS + i] - 20 * sin(2 * x[i]);
            square += off * off / (HEADS * UNA_CUBIC_ROWS);
        }
    print_message("misfit %g, of the heads %g\n", value[UNA_STUDIES_MISFIT], sqrt(square / var));
    assert_near(value[UNA_STUDIES_MISFIT], sqrt(square / var), 1e-3, 0);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_take_every_spec),
        cmocka_unit_test(claims_name_values_of_their_studies),
        cmocka_unit_test(misfit_is_that_of_the_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
