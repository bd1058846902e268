/* SPDX-License-Identifier: MIT
 *
 * Ignorance split by concepts: parts add up to what una_model_predict says, the concept that is to blame is found, and
 * what cannot be explained gets a sentence.
 */
#include "bias/bias.h"
#include "test_support.h"

enum { ROWS = 80, ASKED = 240 };

static double spread(size_t i, size_t by)                /* evenly over [0, 1) */
{
    double at = (double)(i + 1) * (by ? 0.7548776662466927 : 0.5698402909980532);
    return at - floor(at);
}

/* x1 up to 1 in training, up to 3 when asked; x2 everywhere; a third column that is no input. */
static una_dataset *table(size_t rows, double highest, bool target, una_run *run)
{
    static double x1[ASKED], x2[ASKED], note[ASKED], y[ASKED];
    const char *const names[] = { "x1", "x2", target ? "y" : "note", "note" };
    const double *const numbers[] = { x1, x2, target ? y : note, note };
    una_dataset *data;
    for (size_t i = 0; i < rows; i++) {
        x1[i] = -3 + (highest + 3) * spread(i, 0);
        x2[i] = -3 + 6 * spread(i, 1);
        note[i] = (double)(i % 7);
        y[i] = sin(x1[i]) + 0.3 * x2[i] + 0.1 * cos(37 * x1[i] + 11 * x2[i]);
    }
    assert_ok(una_dataset_from_columns(&data, names, numbers, NULL, 3, rows, run), run);
    return data;
}

static una_model *fitted(const char *spec, una_run *run)
{
    una_dataset *data = table(ROWS, 1, true, run);
    una_model *model;
    assert_ok(una_fit(&model, spec, data, NULL, run), run);
    una_dataset_free(data);
    return model;
}

static const una_concept concepts[] = {
    { .size = sizeof(una_concept), .name = "far", .where = "x1 > 1" },
    { .size = sizeof(una_concept), .name = "right", .where = "x2 > 0" },
    { .size = sizeof(una_concept), .name = "noted", .where = "note == 3" },
};

static una_explanation *explained(const una_model *model, const una_dataset *data, una_explain_settings settings,
                                  una_run *run)
{
    una_explanation *e;
    settings.size = sizeof settings;
    if (!settings.concepts) settings.concepts = concepts, settings.concept_count = 3;
    assert_ok(una_explain(&e, model, data, &settings, run), run);
    return e;
}

/* Against the model's own answers, from outside. */
static void check_sums(const una_explanation *e, const una_model *model, const una_dataset *data, una_run *run)
{
    static double mean[ASKED], std[ASKED];
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    double shares = 0;
    assert_ok(una_model_predict(model, data, 0.95, &out, run), run);
    assert_int_equal(e->rows, una_dataset_row_count(data));
    for (size_t r = 0; r < e->rows; r++) {
        double sum = 0;
        for (size_t p = 0; p < e->parts; p++) sum += e->part[r * e->parts + p];
        assert_near(sum, std[r] * std[r], 1e-9, 0);
        assert_near(e->mean[r], mean[r], 1e-12, 1e-12);
        assert_near(e->std_epistemic[r], std[r], 1e-12, 0);
        if (r) assert_true(e->std_epistemic[e->order[r]] <= e->std_epistemic[e->order[r - 1]]);
    }
    for (size_t p = 0; p < e->parts; p++) shares += e->share[p];
    assert_near(shares, 1, 1e-9, 0);
}

/* Share of part p in rows with x1 > 1, or in the others. */
static double share_in(const una_explanation *e, const una_dataset *data, size_t p, bool far)
{
    const double *x1 = una_dataset_numbers(data, 0);
    double part = 0, all = 0;
    for (size_t r = 0; r < e->rows; r++) {
        if ((x1[r] > 1) != far) continue;
        part += e->part[r * e->parts + p];
        all += pow(e->std_epistemic[r], 2);
    }
    return part / all;
}

/* Ignorance lies where x1 is larger than in any training row, and along x1; of a straight line some of it lies in the
 * slope along x2 and in the height. */
static void the_right_concept_is_found(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run);
    const char *const specs[] = { "linear", "linear(degree=3)", "nlm(members=1, width=20, epochs=300)" };
    const double least[] = { 0.7, 0.8, 0.8 };
    for (size_t s = 0; s < 3; s++) {
        una_model *model = fitted(specs[s], run);
        size_t named = s == 0 ? 2 : 3;                   /* two features have no room for a third concept */
        una_explanation *e = explained(model, asked, (una_explain_settings){ .concepts = concepts,
                                       .concept_count = named }, run);
        check_sums(e, model, asked, run);
        assert_int_equal(e->parts, named + 1);
        assert_string_equal(e->names[0], "far");
        assert_string_equal(e->names[named], "other");
        double far = share_in(e, asked, 0, true), near = share_in(e, asked, 0, false);
        if (!(far >= least[s] && far > near + 0.2))
            fail_msg("%s: %.3f of the far rows' and %.3f of the others'", specs[s], far, near);
        for (size_t i = 0; i < e->rows * e->parts; i++) assert_true(e->part[i] > -1e-12);
        una_explanation_free(e);
        una_model_free(model);
    }
    una_dataset_free(asked);
    una_run_free(run);
}

/* What is known well carries nothing of what is not known elsewhere. */
static void the_opposite_is_not_to_blame(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run);
    una_model *model = fitted("linear(degree=3)", run);
    const una_concept near = SIZED(una_concept, .name = "near", .where = "x1 <= 1");
    una_explanation *e = explained(model, asked, (una_explain_settings){ .concepts = &near, .concept_count = 1,
                                   .axes = 1 }, run);
    check_sums(e, model, asked, run);
    if (!(share_in(e, asked, 0, true) < 0.1)) fail_msg("%.3f of the far rows'", share_in(e, asked, 0, true));
    una_explanation_free(e);
    una_model_free(model);
    una_dataset_free(asked);
    una_run_free(run);
}

static void rows_can_be_white_instead(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run);
    una_model *model = fitted("linear(degree=3)", run);
    una_explanation *e = explained(model, asked, (una_explain_settings){ .whitening = UNA_WHITE_ROWS, .axes = 1 }, run);
    check_sums(e, model, asked, run);
    assert_int_equal(e->axes, 1);
    assert_int_equal(e->features, 6);
    assert_true(share_in(e, asked, 0, true) >= 0.8);
    una_explanation_free(e);
    una_model_free(model);
    una_dataset_free(asked);
    una_run_free(run);
}

/* Members disagree, and a process has no features: parts of their own. */
static void mixtures(void **state)
{
    (void)state;
    const struct { const char *spec, *last; size_t parts; } cases[] = {
        { "nlm(members=3, width=8, epochs=20)", "disagreement", 5 },
        { "luna(members=2, width=8, epochs=20, relevance=on)", "disagreement", 5 },
        { "ensemble(of=nlm(width=8, epochs=20), members=2)", "disagreement", 5 },
        { "auto(luna=luna(members=2, width=8, epochs=20))", "not split", 6 },
        { "sngp(features=20, width=8, epochs=20)", "other", 4 },
        { "tuna(width=8, epochs=20)", "other", 4 },
    };
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run);
    for (size_t s = 0; s < sizeof cases / sizeof *cases; s++) {
        una_model *model = fitted(cases[s].spec, run);
        una_explanation *e = explained(model, asked, (una_explain_settings){0}, run);
        if (e->parts == cases[s].parts) assert_string_equal(e->names[e->parts - 1], cases[s].last);
        else if (s != 3) fail_msg("%s has %zu parts", cases[s].spec, e->parts);      /* a stack may keep one only */
        check_sums(e, model, asked, run);
        una_explanation *split = explained(model, asked,
                                           (una_explain_settings){ .disagreement = UNA_DISAGREEMENT_SPLIT }, run);
        assert_int_equal(split->parts, e->parts - (e->members > 1));
        check_sums(split, model, asked, run);
        una_explanation_free(split);
        una_explanation_free(e);
        una_model_free(model);
    }
    una_dataset_free(asked);
    una_run_free(run);
}

/* One row can be explained by what other rows show. */
static void other_rows_show_the_concepts(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run), *some, *bare;
    una_model *model = fitted("linear(degree=3)", run);
    const size_t rows[] = { 7, 3 };
    const double x[] = { 2.9, 0.1 };
    assert_ok(una_dataset_rows(&some, asked, rows, 2, run), run);
    una_explanation *all = explained(model, asked, (una_explain_settings){0}, run);
    una_explanation *e = explained(model, some, (una_explain_settings){ .shown = asked }, run);
    check_sums(e, model, some, run);
    for (size_t i = 0; i < 2; i++)
        for (size_t p = 0; p < e->parts; p++)
            assert_near(e->part[i * e->parts + p], all->part[rows[i] * e->parts + p], 1e-9, 1e-15);
    assert_int_equal(e->shown[2], 34);
    assert_int_equal(e->warning_count, 0);
    una_explanation_free(e);

    /* A row without the columns of the conditions, which it need not have. */
    assert_ok(una_dataset_from_arrays(&bare, x, NULL, 1, 2, NULL, run), run);
    e = explained(model, bare, (una_explain_settings){ .shown = asked }, run);
    char sentence[200];
    una_explanation_sentence(e, 0, sentence, sizeof sentence);
    assert_says(sentence, "Row 1 is unsure mostly because of 'far' (100 %");
    una_explanation_sentence(e, 0, sentence, 10);
    assert_string_equal(sentence, "Row 1 is ");
    una_explanation_free(e);

    una_explanation_free(all);
    una_dataset_free(bare);
    una_dataset_free(some);
    una_dataset_free(asked);
    una_model_free(model);
    una_run_free(run);
}

/* Lists of rows; concepts that cover all rows, and each other's opposite; few rows are warned of. */
static void odd_concepts(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run);
    una_model *model = fitted("linear(degree=3)", run);
    const size_t listed[] = { 5, 5, 9 };
    const una_concept odd[] = { SIZED(una_concept, .name = "all", .where = "x1 > -9"),
                                SIZED(una_concept, .name = "right", .where = "x2 > 0"),
                                SIZED(una_concept, .name = "left", .where = "x2 <= 0"),
                                SIZED(una_concept, .name = "listed", .rows = listed, .row_count = 3) };
    una_explanation *e = explained(model, asked, (una_explain_settings){ .concepts = odd, .concept_count = 4 }, run);
    check_sums(e, model, asked, run);
    assert_int_equal(e->shown[0], ASKED);
    assert_int_equal(e->shown[3], 2);
    assert_int_equal(e->warning_count, 1);
    assert_says(e->warnings[0], "'listed' is shown by 2 rows only");
    una_explanation_free(e);

    assert_ok(una_explanation_write((e = explained(model, asked, (una_explain_settings){0}, run)),
                                    temp_path("parts.csv"), run), run);
    una_dataset *parts;
    assert_ok(una_dataset_read(&parts, temp_path("parts.csv"), run), run);
    assert_int_equal(una_dataset_row_count(parts), ASKED);
    assert_int_equal(una_dataset_column_count(parts), 7);
    assert_string_equal(una_dataset_column_name(parts, 3), "part_far");
    assert_true(una_dataset_numbers(parts, 3)[17] == e->part[17 * e->parts]);
    una_dataset_free(parts);
    una_explanation_free(e);
    una_model_free(model);
    una_dataset_free(asked);
    una_run_free(run);
}

/* People who were left out, if x1 > 1 makes one: found on half of the rows, checked on the others. */
static void who_was_left_out(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run), *in, *out;
    una_model *model = fitted("linear(degree=3)", run), *nn = fitted("nn(epochs=5, width=4)", run);
    double found[UNA_BIAS_MEASURES];
    assert_ok(una_dataset_where(&in, asked, "x1 <= 1", run), run);
    assert_ok(una_dataset_where(&out, asked, "x1 > 1", run), run);
    for (size_t i = 0; i < UNA_BIAS_MEASURES; i++) found[i] = NAN;
    assert_ok(una_bias_concept(found, nn, in, out, run), run);
    for (size_t i = 0; i < UNA_BIAS_MEASURES; i++) assert_true(isnan(found[i]));
    assert_ok(una_bias_concept(found, model, in, out, run), run);
    double share_in = found[UNA_BIAS_CONCEPT_IN], share_out = found[UNA_BIAS_CONCEPT_OUT];
    if (!(share_out > 0.8 && share_in < share_out - 0.2 && found[UNA_BIAS_CONCEPT_AUROC] > 0.9))
        fail_msg("%.3f of those left out, %.3f of others, AUROC %.3f", share_out, share_in,
                 found[UNA_BIAS_CONCEPT_AUROC]);
    una_dataset_free(in);
    una_dataset_free(out);
    una_dataset_free(asked);
    una_model_free(model);
    una_model_free(nn);
    una_run_free(run);
}

/* Programs compiled with another una.h: concepts that are longer, settings that are shorter. */
static void callers_with_another_header(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run);
    una_model *model = fitted("linear(degree=3)", run);
    struct longer { una_concept now; void *later; } longer[2] = { { concepts[0], NULL }, { concepts[1], NULL } };
    longer[0].now.size = longer[1].now.size = sizeof *longer;
    una_explain_settings s = { .size = offsetof(una_explain_settings, disagreement), .concepts = &longer[0].now,
                               .concept_count = 2, .disagreement = 99 };
    una_explanation *e, *same = explained(model, asked, (una_explain_settings){ .concepts = concepts,
                                          .concept_count = 2 }, run);
    assert_ok(una_explain(&e, model, asked, &s, run), run);
    assert_memory_equal(e->part, same->part, e->rows * e->parts * sizeof *e->part);
    una_explanation_free(e);
    una_explanation_free(same);
    longer[1].now.size = 0;
    assert_status(una_explain(&e, model, asked, &s, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "una_concept");
    una_model_free(model);
    una_dataset_free(asked);
    una_run_free(run);
}

static void refusals(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *asked = table(ASKED, 3, false, run);
    una_model *gp = fitted("gp", run), *nn = fitted("nn(epochs=5, width=4)", run), *linear = fitted("linear", run);
    una_model *sure;
    una_explanation *e;
    una_explain_settings s = { .size = sizeof s, .concepts = concepts, .concept_count = 2 };
    assert_status(una_explain(&e, gp, asked, &s, run), UNA_E_USAGE, run);
    assert_null(e);
    assert_says(una_run_message(run), "gp has no features under a linear head");
    assert_says(una_run_message(run), "luna, nlm, tuna, linear and sngp");
    assert_status(una_explain(&e, nn, asked, &s, run), UNA_E_USAGE, run);

    s.concept_count = 3;
    assert_status(una_explain(&e, linear, asked, &s, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "name fewer concepts");
    s.concept_count = 0;
    assert_status(una_explain(&e, linear, asked, &s, run), UNA_E_USAGE, run);
    s.concept_count = 65;
    s.concepts = NULL;
    assert_status(una_explain(&e, linear, asked, &s, run), UNA_E_USAGE, run);
    assert_status(una_explain(&e, linear, asked, NULL, run), UNA_E_USAGE, run);
    s.concepts = concepts;
    s.concept_count = 2;
    s.whitening = 2;
    assert_status(una_explain(&e, linear, asked, &s, run), UNA_E_USAGE, run);
    s.whitening = 0;
    s.disagreement = 2;
    assert_status(una_explain(&e, linear, asked, &s, run), UNA_E_USAGE, run);
    s.size = 0;
    assert_status(una_explain(&e, linear, asked, &s, run), UNA_E_USAGE, run);

    /* A function that is sure of itself has no ignorance to split. */
    s = (una_explain_settings){ .size = sizeof s, .concepts = concepts, .concept_count = 2 };
    assert_ok(una_model_sample(&sure, linear, 0, run), run);
    assert_ok(una_explain(&e, sure, asked, &s, run), run);
    char sentence[100];
    una_explanation_sentence(e, 0, sentence, sizeof sentence);
    assert_says(sentence, "no ignorance");
    assert_true(una_explanation_largest(e, 0) == SIZE_MAX);
    una_explanation_free(e);
    una_explanation_free(NULL);

    una_model_free(sure);
    una_model_free(linear);
    una_model_free(nn);
    una_model_free(gp);
    una_dataset_free(asked);
    una_run_free(run);
}

/* Also after saving, which keeps no row: what is needed of them is in the head. */
static void the_same_after_loading_and_on_two_threads(void **state)
{
    (void)state;
    una_run *run[] = { quiet_run(), quiet_run_threads(2) };
    una_dataset *asked = table(ASKED, 3, false, run[0]);
    una_model *model = fitted("nlm(members=2, width=8, epochs=20)", run[0]), *loaded;
    void *bytes;
    size_t size;
    assert_ok(una_model_save_memory(model, &bytes, &size, run[0]), run[0]);
    assert_ok(una_model_load_memory(&loaded, bytes, size, run[1]), run[1]);
    una_explanation *a = explained(model, asked, (una_explain_settings){0}, run[0]);
    una_explanation *b = explained(loaded, asked, (una_explain_settings){0}, run[1]);
    assert_memory_equal(a->part, b->part, a->rows * a->parts * sizeof *a->part);
    una_explanation_free(a);
    una_explanation_free(b);
    una_memory_free(bytes, run[0]);
    una_model_free(model);
    una_model_free(loaded);
    una_dataset_free(asked);
    una_run_free(run[0]);
    una_run_free(run[1]);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    una_run *sound = quiet_run();
    una_dataset *asked = table(40, 3, false, sound);
    una_model *model = fitted("linear(degree=3)", sound);
    una_explain_settings s = { .size = sizeof s, .concepts = concepts, .concept_count = 2 };
    struct fail_after memory = { .left = 0 };
    una_run_settings settings = failing_settings(&memory);
    una_status status = UNA_E_MEMORY;
    for (long after = 0; status != UNA_OK; after++) {
        una_run *run = NULL;
        una_explanation *e = NULL;
        memory.left = -1;
        assert_int_equal(una_run_new(&run, &settings), UNA_OK);
        memory.left = after;
        status = una_explain(&e, model, asked, &s, run);
        if (status != UNA_OK) {
            assert_int_equal(status, UNA_E_MEMORY);
            assert_null(e);
        }
        una_explanation_free(e);
        una_run_free(run);
        assert_int_equal(memory.live, 0);
    }
    una_model_free(model);
    una_dataset_free(asked);
    una_run_free(sound);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_right_concept_is_found), cmocka_unit_test(the_opposite_is_not_to_blame),
        cmocka_unit_test(rows_can_be_white_instead),
        cmocka_unit_test(mixtures), cmocka_unit_test(other_rows_show_the_concepts), cmocka_unit_test(odd_concepts),
        cmocka_unit_test(who_was_left_out), cmocka_unit_test(callers_with_another_header), cmocka_unit_test(refusals),
        cmocka_unit_test(the_same_after_loading_and_on_two_threads),
        cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
