/* SPDX-License-Identifier: MIT
 *
 * Words and lists that a caller's structs cannot mean: each call refuses them before it begins, with a sentence.
 */
#include "models/quick.h"

#include "una_bench.h"
#include "una_study.h"

typedef struct bad { una_fit_settings settings; const char *says; } bad;

#define FIT(...) SIZED(una_fit_settings, __VA_ARGS__)

static const bad *bad_fits(size_t *count)
{
    static const char *const none[] = { NULL };
    static bad list[8];
    const bad made[] = {
        { FIT(.missing = (una_missing)77), "missing cells is 77" },
        { FIT(.missing = (una_missing)3), "missing cells is 3" },
        { FIT(.valid_fraction = NAN), "share of rows to hold out" },
        { FIT(.valid_fraction = -0.5), "share of rows to hold out" },
        { FIT(.set_count = 1), "1 texts of `set`" },
        { FIT(.set = none, .set_count = 1), "number 1 is not there" },
        { FIT(.drop_count = 2), "2 texts of `drop`" },
        { FIT(.only = none, .only_count = 1), "1 texts of `only`" },
    };
    memcpy(list, made, sizeof made);
    *count = sizeof made / sizeof *made;
    return list;
}

static void fits(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(30, 0, run);
    size_t count;
    const bad *list = bad_fits(&count);
    for (size_t i = 0; i < count; i++) {
        una_model *model = NULL;
        una_tuned *tuned = NULL;
        una_compared *compared = NULL;
        una_gap *gap = NULL;
        assert_status(una_fit(&model, "linear", data, &list[i].settings, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), list[i].says);
        assert_status(una_tune(&tuned, data, &SIZED(una_tune_settings, .model = "linear", .over = "degree=1|2",
                                                    .fit = list[i].settings), run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), list[i].says);
        assert_status(una_compare(&compared, data, &SIZED(una_compare_settings, .fit = list[i].settings), run),
                      UNA_E_USAGE, run);
        assert_says(una_run_message(run), list[i].says);
        const una_gap_settings holes = SIZED(una_gap_settings, .model = "linear", .fit = list[i].settings);
        assert_status(una_gap_test(&gap, data, &holes, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), list[i].says);
        assert_true(!model && !tuned && !compared && !gap);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static void others(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(30, 0, run);
    una_model *model = fitted("linear", data, NULL, run), *other = NULL;
    una_explanation *why = NULL;
    una_concept concept = SIZED(una_concept, .name = "left", .where = "x1 < 0");
    assert_status(una_explain(&why, model, data, &SIZED(una_explain_settings, .concepts = &concept, .concept_count = 1,
                                                        .whitening = 7), run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "the whitening is 7");
    assert_status(una_explain(&why, model, data, &SIZED(una_explain_settings, .concepts = &concept, .concept_count = 1,
                                                        .disagreement = -1), run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "disagreement is -1");
    assert_status(una_explain(&why, model, data, &SIZED(una_explain_settings, .concept_count = 1), run), UNA_E_USAGE,
                  run);
    assert_says(una_run_message(run), "1 concepts");
    assert_status(una_model_relearn(&other, model, data, NULL, 1, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "1 texts of `set`");
    assert_true(!why && !other);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(fits), cmocka_unit_test(others) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
