/* SPDX-License-Identifier: MIT
 *
 * Rows that belong together, in whole models: near copies count once, and the noise of groups that are named is that of
 * new ones, in files and of several targets too; a column that looks like subjects is named; what cannot be done has a
 * sentence.
 */
#include "models/quick.h"

enum { ROWS = 300, INPUTS = 2, EACH = 10 };

static const char *const names[] = { "subject", "a", "b", "y", "z" };

typedef struct table { double cell[INPUTS + 3][ROWS]; const char *word[ROWS]; char text[ROWS][8]; } table;

/* y = a - b + effect of the subject + noise e; the inputs are the subject's own, or differ by row; z the other way. */
static void fill(table *t, double effect, double noise, uint64_t seed)
{
    for (size_t i = 0; i < ROWS; i++) {
        size_t subject = i % (ROWS / EACH);
        una_rng of = una_rng_at(seed, UNA_FOR_TEST, 1000 + subject), own = una_rng_at(seed, UNA_FOR_TEST, i);
        double e = effect * una_rng_normal(&of);
        t->cell[0][i] = (double)(100 + subject * 37 % 101);
        for (size_t d = 1; d <= INPUTS; d++) t->cell[d][i] = una_rng_normal(&own);
        t->cell[INPUTS + 1][i] = t->cell[1][i] - t->cell[2][i] + e + noise * una_rng_normal(&own);
        t->cell[INPUTS + 2][i] = t->cell[2][i] - e + noise * una_rng_normal(&own);
        snprintf(t->text[i], sizeof t->text[i], "s%zu", subject);
        t->word[i] = t->text[i];
    }
}

static una_dataset *data_of(const table *t, bool words, size_t columns, una_run *run)
{
    const double *numbers[INPUTS + 3];
    const char *const *texts[INPUTS + 3] = { t->word };
    una_dataset *data = NULL;
    for (size_t c = 0; c < columns; c++) numbers[c] = words && c == 0 ? NULL : t->cell[c];
    assert_ok(una_dataset_from_columns(&data, names, numbers, texts, columns, ROWS, run), run);
    return data;
}

static const una_finding *grouped(const una_model *model, const una_dataset *data, una_verdict **v, una_run *run)
{
    assert_ok(una_judge(v, model, data, run), run);
    for (size_t i = 0; i < (*v)->finding_count; i++)
        if ((*v)->findings[i].kind == UNA_FOUND_GROUPED_ROWS) return &(*v)->findings[i];
    return NULL;
}

static double noise_of(const char *spec, const una_dataset *data, const una_fit_settings *settings, una_run *run)
{
    una_model *model = fitted(spec, data, settings, run);
    double noise = una_model_info(model)->noise_std;
    una_model_free(model);
    return noise;
}

/* The noise without groups is that of rows, whose subject is known by the other inputs where these are its own. */
static void noise_is_that_of_new_groups(void **state)
{
    static const char *const specs[] = { "linear(tails=inf)", "gp(restarts=1, tails=inf)",
                                         "trees(trees=30, members=5, tails=inf)", "linear(noise=varying)" };
    una_run *run = quiet_run();
    static table t;
    (void)state;
    fill(&t, 1, 0.5, 3);
    for (size_t i = 0; i < ROWS; i++)                    /* inputs that nearly tell the subject */
        for (size_t d = 1; d <= INPUTS; d++) {
            double change = 0.9 * (t.cell[d][i % (ROWS / EACH)] - t.cell[d][i]);
            t.cell[d][i] += change;
            t.cell[INPUTS + 1][i] += d == 1 ? change : -change;
        }
    una_dataset *data = data_of(&t, true, 4, run);
    for (size_t k = 0; k < sizeof specs / sizeof *specs; k++) {
        const char *drop[] = { "subject" };
        double alone = noise_of(specs[k], data, &SIZED(una_fit_settings, .drop = drop, .drop_count = 1), run);
        double noise = noise_of(specs[k], data, &SIZED(una_fit_settings, .group = "subject"), run);
        if (!(noise > 1.2 * alone && noise < 1.8))
            fail_msg("%s: noise %g of groups, %g without", specs[k], noise, alone);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static void groups_are_remembered(void **state)
{
    una_run *run = quiet_run();
    static table t;
    (void)state;
    fill(&t, 1, 0.5, 4);
    una_dataset *data = data_of(&t, true, 4, run);
    const una_fit_settings settings = SIZED(una_fit_settings, .group = "subject", .hold_out = 1);
    una_model *model = fitted("linear", data, &settings, run), *loaded = NULL;
    void *bytes = NULL;
    size_t size;
    assert_string_equal(una_model_info(model)->group, "subject");
    assert_int_equal(una_model_input_count(model), INPUTS);
    assert_ok(una_model_save_memory(model, &bytes, &size, run), run);
    assert_ok(una_model_load_memory(&loaded, bytes, size, run), run);
    assert_string_equal(una_model_info(loaded)->group, "subject");
    una_memory_free(bytes, run);
    una_model_free(loaded);

    una_verdict *v;
    assert_null(grouped(model, data, &v, run));          /* it is known already */
    una_verdict_free(v);
    una_model_free(model);
    model = fitted("linear", data, NULL, run);
    assert_null(una_model_info(model)->group);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static void several_targets_share_the_groups(void **state)
{
    const char *targets[] = { "y", "z" };
    una_run *run = quiet_run();
    static table t;
    (void)state;
    fill(&t, 1, 0.5, 5);
    una_dataset *data = data_of(&t, true, 5, run);
    const una_fit_settings settings = SIZED(una_fit_settings, .group = "subject", .targets = targets, .target_count = 2,
                                            .hold_out = 1);
    for (int k = 0; k < 2; k++) {
        una_model *model = fitted(k ? "luna(width=6, heads=3, steps=20, members=6)" : "linear", data, &settings, run);
        assert_string_equal(una_model_info(model)->group, "subject");
        for (size_t target = 0; target < 2; target++) {
            const una_model *part = una_model_target(model, target);
            assert_true(una_model_info(part)->noise_std > 0.9);
            assert_int_equal(una_model_held_out(part)->rows, ROWS);
        }
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* Words and whole numbers, as an input and left out; not without an effect, nor where each row is its own. */
static void subjects_are_named(void **state)
{
    una_run *run = quiet_run();
    static table t;
    const char *drop[] = { "subject" };
    (void)state;
    for (int words = 0; words < 2; words++)
        for (int dropped = 0; dropped < 2; dropped++)
            for (int effect = 0; effect < 2; effect++) {
                fill(&t, effect ? 0.7 : 0, 0.5, 6);
                una_dataset *data = data_of(&t, words, 4, run);
                una_model *model = fitted("linear", data, &SIZED(una_fit_settings, .hold_out = 1, .drop = drop,
                                                                 .drop_count = (size_t)dropped), run);
                una_verdict *v;
                const una_finding *found = grouped(model, data, &v, run);
                assert_int_equal(found != NULL, effect);
                if (found) assert_says(found->sentence, "--group 'subject'");
                if (found) assert_string_equal(found->name, "grouped_rows");
                if (found) assert_string_equal(found->column, "subject");
                una_verdict_free(v);
                una_model_free(model);
                una_dataset_free(data);
            }
    una_run_free(run);
}

/* A curve that a straight line misses makes neighbouring whole numbers alike, which subjects are not. */
static void a_bad_fit_makes_no_subjects(void **state)
{
    una_run *run = quiet_run();
    static table t;
    (void)state;
    fill(&t, 0, 0.5, 7);
    for (size_t i = 0; i < ROWS; i++) {
        t.cell[0][i] = (double)(i % 30);
        t.cell[INPUTS + 1][i] += 0.01 * pow((double)(i % 30) - 15, 2);
    }
    una_dataset *data = data_of(&t, false, 4, run);
    una_model *model = fitted("linear", data, &SIZED(una_fit_settings, .hold_out = 1), run);
    una_verdict *v;
    assert_null(grouped(model, data, &v, run));
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* An input that is the subject's own tells its effect to rows of known subjects, and nothing of new ones. */
static void importance_is_that_for_new_groups(void **state)
{
    una_run *run = quiet_run();
    static table t;
    double rise[2];
    const char *drop[] = { "subject" };
    (void)state;
    fill(&t, 1, 0.3, 13);
    for (size_t i = 0; i < ROWS; i++) {
        double change = 0.99 * (t.cell[1][i % (ROWS / EACH)] - t.cell[1][i]);
        t.cell[1][i] += change;
        t.cell[INPUTS + 1][i] -= t.cell[1][i] - change;  /* no more of the first input itself */
    }
    una_dataset *data = data_of(&t, true, 4, run);
    for (int grouped = 0; grouped < 2; grouped++) {
        una_model *model = fitted("trees(trees=40, members=1)", data,
                                  &SIZED(una_fit_settings, .group = grouped ? "subject" : NULL, .drop = drop,
                                         .drop_count = grouped ? 0 : 1), run);
        una_importance *got;
        assert_ok(una_importance_of(&got, model, data, run), run);
        assert_string_equal(got->names[0], "a");
        rise[grouped] = got->rise[0];
        una_importance_free(got);
        una_model_free(model);
    }
    if (!(rise[0] > 0.3 && rise[1] < 0.3 * rise[0])) fail_msg("%g without groups, %g with", rise[0], rise[1]);
    una_dataset_free(data);
    una_run_free(run);
}

static void near_copies_count_once(void **state)
{
    una_run *run = quiet_run();
    static table t;
    (void)state;
    fill(&t, 0, 0.5, 8);
    for (size_t i = 60; i < ROWS; i++)
        for (size_t c = 1; c <= INPUTS + 1; c++) {
            una_rng own = una_rng_at(9, UNA_FOR_TEST, 10 * i + c);
            t.cell[c][i] = t.cell[c][i % 60] + 1e-3 * una_rng_normal(&own);
        }
    const char *drop[] = { "subject" };
    una_dataset *data = data_of(&t, false, 4, run);
    static const char *const specs[] = { "linear", "gp(restarts=1)" };
    for (size_t k = 0; k < 2; k++) {
        una_model *model = fitted(specs[k], data, &SIZED(una_fit_settings, .hold_out = 1, .drop = drop,
                                                         .drop_count = 1), run);
        const una_fit_info *info = una_model_info(model);
        assert_true(info->rows >= 58 && info->rows <= 60);
        if (!(info->noise_std > 0.35 && info->noise_std < 0.7)) fail_msg("%s: noise %g", specs[k], info->noise_std);
        assert_int_equal(info->warning_count, 1);
        assert_says(info->warnings[0], "300 of the 300 rows nearly agree with another row");
        assert_int_equal(una_model_held_out(model)->rows, info->rows);
        una_verdict *v;
        assert_ok(una_judge(&v, model, data, run), run);
        assert_true(v->explained < 0.97);
        una_verdict_free(v);
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

static void what_cannot_be_done_has_a_sentence(void **state)
{
    una_run *run = quiet_run();
    static table t;
    una_model *model = NULL;
    (void)state;
    fill(&t, 1, 0.5, 10);
    una_dataset *data = data_of(&t, true, 4, run);
    assert_int_equal(una_fit(&model, "linear", data, &SIZED(una_fit_settings, .group = "patient"), run), UNA_E_INPUT);
    assert_says(una_run_message(run), "no column 'patient'");
    assert_int_equal(una_fit(&model, "linear", data, &SIZED(una_fit_settings, .group = "y"), run), UNA_E_USAGE);
    assert_says(una_run_message(run), "'y' is the target");
    una_dataset_free(data);

    static const struct { size_t groups, most; const char *says; } cases[] = {
        { 1, ROWS, "all rows have the same 'subject'" }, { 4, 75, "makes 4 groups, and at least 5 are needed" },
        { 30, 160, "one group of 'subject' has 160 of the 300 rows" },
    };
    for (size_t k = 0; k < 3; k++) {
        for (size_t i = 0; i < ROWS; i++)
            t.cell[0][i] = i < cases[k].most ? 0 : (double)(1 + i % (cases[k].groups > 1 ? cases[k].groups - 1 : 1));
        data = data_of(&t, false, 4, run);
        assert_int_equal(una_fit(&model, "linear", data, &SIZED(una_fit_settings, .group = "subject"), run),
                         UNA_E_INPUT);
        assert_says(una_run_message(run), cases[k].says);
        una_dataset_free(data);
    }
    una_run_free(run);
}

/* Rows without a group are refused, or left out where such rows are. */
static void a_missing_group(void **state)
{
    una_run *run = quiet_run();
    static table t;
    una_model *model = NULL;
    (void)state;
    fill(&t, 1, 0.5, 11);
    t.word[7] = NULL;
    una_dataset *data = data_of(&t, true, 4, run);
    assert_int_equal(una_fit(&model, "linear", data, &SIZED(una_fit_settings, .group = "subject"), run), UNA_E_INPUT);
    assert_says(una_run_message(run), "the cell is missing, and every row needs its group");
    model = fitted("linear", data, &SIZED(una_fit_settings, .group = "subject", .missing = UNA_MISSING_DROP,
                                          .hold_out = 1), run);
    assert_int_equal(una_model_info(model)->rows, ROWS - 1);
    una_verdict *v;
    assert_ok(una_judge(&v, model, data, run), run);
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

typedef struct swept { const una_dataset *data; const char *group; } swept;

static una_status fit_and_judge(void *context, una_run *run)
{
    const swept *s = context;
    una_model *model = NULL;
    una_verdict *v = NULL;
    una_status status = una_fit(&model, "linear", s->data, &SIZED(una_fit_settings, .group = s->group, .hold_out = 1),
                                run);
    if (status == UNA_OK && una_model_held_out(model)) status = una_judge(&v, model, s->data, run);
    una_verdict_free(v);
    una_model_free(model);
    return status;
}

static void memory_may_end(void **state)
{
    una_run *run = quiet_run();
    static table t;
    (void)state;
    fill(&t, 1, 0.5, 12);
    una_dataset *data = data_of(&t, true, 4, run);
    assert_true(sweep_allocations(fit_and_judge, &(swept){ data, "subject" }) > 0);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(noise_is_that_of_new_groups),
        cmocka_unit_test(groups_are_remembered),
        cmocka_unit_test(several_targets_share_the_groups),
        cmocka_unit_test(subjects_are_named),
        cmocka_unit_test(a_bad_fit_makes_no_subjects),
        cmocka_unit_test(importance_is_that_for_new_groups),
        cmocka_unit_test(near_copies_count_once),
        cmocka_unit_test(what_cannot_be_done_has_a_sentence),
        cmocka_unit_test(a_missing_group),
        cmocka_unit_test(memory_may_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
