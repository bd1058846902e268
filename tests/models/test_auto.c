/* SPDX-License-Identifier: MIT
 *
 * The stack of kinds: its weights against a search over all of them with what each kind predicted by itself; a process
 * only up to gp_rows; what carries nothing is not kept; specs, files, memory.
 */
#include "committee/committee.h"
#include "model/validation_split.h"
#include "models/quick.h"

#define LUNA "luna(width=6, heads=3, steps=30, members=5, relevance=off)"

static const una_members *members_of(const una_model *model)
{
    return model->state;
}

/* ---- weights --------------------------------------------------------------------------------------------------- */

/* Encoded rows with folds, as una_fit makes them. */
static una_problem problem_of(const una_model *like, const una_dataset *data, una_run *run)
{
    double *x, *y;
    size_t rows;
    una_copies copies;
    unsigned char *fold;
    assert_ok(una_columns_encode(&like->columns, data, &(una_encoding){ &x, &y, NULL, &rows }, &run->scratch), run);
    una_problem p = { .x = { x, rows, 2, 2 }, .y = y, .outputs = 1, .columns = &like->columns, .seed = 5,
                      .folds = UNA_FOLDS };
    assert_ok(una_split_copies(&copies, &p, run), run);
    assert_ok(una_fold_rows(&fold, &p.folds, &copies, rows, una_rng_at(5, UNA_FOR_FOLDS, 0), run), run);
    p.fold = fold;
    return p;
}

/* What a kind predicts by itself: of rows out of fold, and of regions. Both may be NULL. */
typedef struct predicted { double *log_lik; una_region_predictions *regions; } by_itself;

static una_members *fit_kind(const char *name, const char *set, const una_problem *p, by_itself by, una_arena *keep,
                             una_run *run)
{
    const una_kind *kind = una_kind_find(name);
    una_spec spec;
    void *options = una_arena_get(keep, 1, kind->options_size);
    void *state = una_arena_get(keep, 1, una_calls(kind)->state_size);
    una_fit_result result = una_fit_result_in(keep);
    una_oof_predictions oof = { .log_lik = by.log_lik };
    if (by.log_lik) result.oof = &oof;
    result.regions = by.regions;
    assert_ok(una_options_default(options, kind->options, run), run);
    assert_ok(una_spec_parse(&spec, set, keep, run), run);
    assert_ok(una_options_apply(options, kind->options, name, &spec, keep, run), run);
    una_fit_target target = { state, options, &result };
    assert_ok(una_calls(kind)->fit(&(una_fitting){ .kind = kind, .problem = p, .target = &target, .keep = keep,
                                                   .run = run }), run);
    return state;
}

/* Efforts are the specs of kinds that are left to auto; those that are given stay. */
static void efforts_are_specs(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *fast = fitted("auto(effort=fast, luna=" LUNA ")", data, NULL, run);
    una_model *same = fitted("auto(luna=" LUNA ", gp=gp(kernel=matern52, search_rows=300), trees=trees(members=5))", data,
                             NULL, run);
    assert_same_predictions(fast, same, data, 0, run);
    assert_says(una_model_info(fast)->spec, "effort=fast");
    una_model_free(fast);
    una_model_free(same);
    una_dataset_free(data);
    una_run_free(run);
}

static void weights_are_the_best(void **state)
{
    (void)state;
    enum { ROWS = 80, DOUBT = 4 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *like = fitted("linear", data, NULL, run);
    una_problem p = problem_of(like, data, run);
    una_arena keep;
    una_arena_init(&keep, run);
    double luna[ROWS], gp[ROWS], best = -HUGE_VAL, at = 0;
    for (size_t i = 0; i < ROWS; i++) luna[i] = gp[i] = NAN;
    fit_kind("nlm", "nlm(width=12, steps=400, members=5)", &p, (by_itself){ luna, NULL }, &keep, run);
    fit_kind("gp", "gp(kernel=rbf(length=0.2), optimise=no, noise_std=0.5)", &p, (by_itself){ gp, NULL }, &keep, run);
    for (double w = 0.0005; w < 1; w += 0.0005) {                        /* four rows more speak for equal weights */
        double sum = DOUBT / 2. * (log(w) + log(1 - w));
        for (size_t i = 0; i < ROWS; i++) sum += log(w * exp(luna[i]) + (1 - w) * exp(gp[i]));
        if (sum > best) best = sum, at = w;
    }
    print_message("nlm carries %.3f\n", at);
    assert_true(at > 0.03 && at < 0.97);

    const una_members *stack = fit_kind("auto", "auto(luna=nlm(width=12, steps=400, members=5), "
                                        "gp=gp(kernel=rbf(length=0.2), optimise=no, noise_std=0.5), trees=none, "
                                        "least_weight=0)", &p, (by_itself){0}, &keep, run);
    assert_int_equal(stack->count, 2);
    assert_near(stack->at[0].weight, at, 0, 2e-3);
    assert_near(stack->at[0].weight + stack->at[1].weight, 1, 1e-12, 0);
    una_arena_free(&keep);
    una_model_free(like);
    una_dataset_free(data);
    una_run_free(run);
}

#define STILL_GP "gp(kernel=rbf(length=0.15), optimise=no, noise_std=0.3, noise=constant)"

/* Rows of regions count a tenth of the others in all, in weights that a search over all of them finds too. */
static void regions_weigh_too(void **state)
{
    (void)state;
    enum { ROWS = 80, DOUBT = 4, MOST = 3 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *like = fitted("linear", data, NULL, run);
    una_problem p = problem_of(like, data, run);
    una_arena keep;
    una_arena_init(&keep, run);
    double luna[ROWS], gp[ROWS], inside[2][MOST * ROWS], best = -HUGE_VAL, at = 0;
    una_region_predictions regions = {0};
    size_t count = 0;
    for (size_t i = 0; i < ROWS; i++) luna[i] = gp[i] = NAN;
    fit_kind("luna", LUNA, &p, (by_itself){ luna, &regions }, &keep, run);
    assert_true(regions.at.count > 0 && regions.at.count <= MOST);
    const double *by_luna = regions.log_lik;
    regions.log_lik = NULL;
    fit_kind("gp", STILL_GP, &p, (by_itself){ gp, &regions }, &keep, run);
    for (size_t i = 0; i < regions.at.count * ROWS; i++) {
        assert_int_equal(isfinite(by_luna[i]), regions.at.inside[i]);
        assert_int_equal(isfinite(regions.log_lik[i]), regions.at.inside[i]);
        if (!regions.at.inside[i]) continue;
        inside[0][count] = by_luna[i];
        inside[1][count++] = regions.log_lik[i];
    }

    double without = -HUGE_VAL, at_without = 0;
    for (double w = 0.0005; w < 1; w += 0.0005) {
        double sum = DOUBT / 2. * (log(w) + log(1 - w));
        for (size_t i = 0; i < ROWS; i++) sum += log(w * exp(luna[i]) + (1 - w) * exp(gp[i]));
        if (sum > without) without = sum, at_without = w;
        for (size_t i = 0; i < count; i++)
            sum += 0.1 * ROWS / (double)count * log(w * exp(inside[0][i]) + (1 - w) * exp(inside[1][i]));
        if (sum > best) best = sum, at = w;
    }
    print_message("luna carries %.3f, without regions %.3f\n", at, at_without);
    assert_true(at > 0.02 && at < 0.98 && fabs(at - at_without) > 4e-3);
    const una_members *stack = fit_kind("auto", "auto(luna=" LUNA ", gp=" STILL_GP ", trees=none, least_weight=0)", &p,
                                        (by_itself){0}, &keep, run);
    assert_near(stack->at[0].weight, at, 0, 2e-3);
    una_arena_free(&keep);
    una_model_free(like);
    una_dataset_free(data);
    una_run_free(run);
}

/* A process is asked about a region as if it had been fitted to the other rows alone. */
static void regions_are_predicted_without_their_rows(void **state)
{
    (void)state;
    enum { ROWS = 80 };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *like = fitted("linear", data, NULL, run);
    una_problem p = problem_of(like, data, run), others = p;
    una_arena keep;
    una_arena_init(&keep, run);
    una_region_predictions regions = {0};
    fit_kind("gp", STILL_GP, &p, (by_itself){ NULL, &regions }, &keep, run);
    assert_true(regions.at.count > 0);
    for (size_t k = 0; k < regions.at.count; k++) {
        double x[2 * ROWS], y[ROWS], mean[ROWS], var[ROWS], noise[ROWS];
        size_t rows = 0;
        for (size_t i = 0; i < ROWS; i++) {
            if (regions.at.inside[k * ROWS + i]) continue;
            memcpy(x + 2 * rows, p.x.at + 2 * i, 2 * sizeof *x);
            y[rows++] = p.y[i];
        }
        others.x = (una_view){ x, rows, 2, 2 };
        others.y = y;
        others.folds = 0;
        const una_members *alone = fit_kind("gp", STILL_GP, &others, (by_itself){0}, &keep, run);
        una_predictive out = { .mean = mean, .var_model = var, .var_noise = noise };
        assert_ok(una_members_predict(alone, p.x, &out, run), run);
        for (size_t i = 0; i < ROWS; i++) {
            double total = var[i] + noise[i], off = p.y[i] - mean[i];
            if (regions.at.inside[k * ROWS + i])
                assert_near(regions.log_lik[k * ROWS + i], -0.5 * (log(2 * 3.14159265358979323846 * total) +
                                                                   off * off / total), 1e-9, 1e-9);
        }
    }
    una_arena_free(&keep);
    una_model_free(like);
    una_dataset_free(data);
    una_run_free(run);
}

/* Luna predicts three of five folds: only their rows are scored, under the weights that were found. */
static void rows_that_all_spoke_of_are_scored(void **state)
{
    (void)state;
    enum { ROWS = 80 };
    static const char *const luna = "luna(width=6, heads=3, steps=30, members=3, relevance=off)";
    una_run *run = quiet_run();
    una_dataset *data = wave_data(ROWS, 0, run);
    una_model *like = fitted("linear", data, NULL, run);
    una_problem p = problem_of(like, data, run);
    una_arena keep;
    una_arena_init(&keep, run);
    double log_lik[2][ROWS], sum = 0;
    size_t complete = 0;
    for (size_t i = 0; i < ROWS; i++) log_lik[0][i] = log_lik[1][i] = NAN;
    fit_kind("luna", luna, &p, (by_itself){ log_lik[0], NULL }, &keep, run);
    fit_kind("gp", "gp(kernel=matern52)", &p, (by_itself){ log_lik[1], NULL }, &keep, run);

    const una_kind *kind = una_kind_find("auto");
    void *options = una_arena_get(&keep, 1, kind->options_size);
    una_members stack = {0};
    una_spec spec;
    una_fit_result result = una_fit_result_in(&keep);
    char text[200];
    snprintf(text, sizeof text, "auto(luna=%s, gp=gp(kernel=matern52), trees=none, least_weight=0)", luna);
    assert_ok(una_options_default(options, kind->options, run), run);
    assert_ok(una_spec_parse(&spec, text, &keep, run), run);
    assert_ok(una_options_apply(options, kind->options, "auto", &spec, &keep, run), run);
    una_fit_target target = { &stack, options, &result };
    assert_ok(kind->fit(&(una_fitting){ .kind = kind, .problem = &p, .target = &target, .keep = &keep, .run = run }),
              run);

    for (size_t i = 0; i < ROWS; i++) {
        if (isnan(log_lik[0][i])) continue;
        assert_true(p.fold[i] < 3);
        sum += log(stack.at[0].weight * exp(log_lik[0][i]) + stack.at[1].weight * exp(log_lik[1][i]));
        complete++;
    }
    assert_true(complete > 0 && complete < ROWS);
    assert_int_equal(result.valid_rows, complete);
    assert_near(result.valid_log_lik, sum / (double)complete, 1e-9, 0);
    una_arena_free(&keep);
    una_model_free(like);
    una_dataset_free(data);
    una_run_free(run);
}

/* The answer is the mixture of its kinds' answers. */
static void answers_are_mixed(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("auto(luna=" LUNA ", trees=none, least_weight=0)", data, NULL, run);
    const una_members *all = members_of(model);
    assert_int_equal(all->count, 2);
    double x[] = { 0.3, -0.4 }, mean[3], var[3], noise[3];
    for (size_t k = 0; k < 3; k++) {
        una_predictive out = { .mean = mean + k, .var_model = var + k, .var_noise = noise + k };
        const una_kind *kind = k < 2 ? all->at[k].calls : model->kind;
        assert_ok(kind->predict(k < 2 ? all->at[k].state : model->state, (una_view){ x, 1, 2, 2 }, &out, run), run);
    }
    double w = all->at[0].weight, middle = w * mean[0] + (1 - w) * mean[1];
    assert_near(mean[2], middle, 1e-12, 0);
    assert_near(noise[2], w * noise[0] + (1 - w) * noise[1], 1e-12, 0);
    assert_near(var[2], w * (var[0] + pow(mean[0] - middle, 2)) + (1 - w) * (var[1] + pow(mean[1] - middle, 2)), 1e-12,
                0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- who is in it ---------------------------------------------------------------------------------------------- */

static void no_process_for_many_rows(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *few = fitted("auto(luna=" LUNA ", gp_rows=60, trees=none, least_weight=0)", data, NULL, run);
    una_model *many = fitted("auto(luna=" LUNA ", gp_rows=59, trees=none, least_weight=0)", data, NULL, run);
    assert_int_equal(members_of(few)->count, 2);
    assert_int_equal(members_of(many)->count, 1);
    assert_string_equal(members_of(many)->at[0].kind->name, "luna");
    assert_says(una_model_info(many)->spec, "gp=none");
    una_model_free(few);
    una_model_free(many);
    una_dataset_free(data);
    una_run_free(run);
}

/* A luna of one step says nothing that the process does not say better. */
static void what_carries_nothing_is_left_out(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(120, 0, run);
    una_model *model = fitted("auto(luna=luna(width=4, heads=2, steps=1, members=5), trees=none, least_weight=0.3)", data, NULL,
                              run);
    assert_int_equal(members_of(model)->count, 1);
    assert_string_equal(members_of(model)->at[0].kind->name, "gp");
    assert_near(members_of(model)->at[0].weight, 1, 1e-12, 0);
    assert_says(una_model_info(model)->spec, "luna=none");
    assert_says(una_model_info(model)->spec, "weights=auto[1]");

    una_model *gp = fitted("auto(luna=none, trees=none)", data, NULL, run);          /* and is not trained again */
    una_model *again = fitted(una_model_info(model)->spec, data, NULL, run);
    assert_same_predictions(again, gp, data, 1e-9, run);
    assert_same_predictions(again, model, data, 1e-9, run);
    una_model_free(again);
    una_model_free(gp);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Steps are what trees can do, and the process cannot; with fewer rows than they need there are none. */
static void trees_take_part(void **state)
{
    (void)state;
    enum { ROWS = 300 };
    una_run *run = quiet_run();
    double x[2 * ROWS], y[ROWS];
    una_rng rng = una_rng_at(8, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t d = 0; d < 2; d++) x[2 * i + d] = 2 * una_rng_uniform(&rng) - 1;
        y[i] = (x[2 * i] > 0) + 2 * (x[2 * i + 1] > 0.3) + 0.1 * una_rng_normal(&rng);
    }
    una_dataset *data = NULL, *few = wave_data(9, 0, run);
    assert_ok(una_dataset_from_arrays(&data, x, y, ROWS, 2, NULL, run), run);
    una_model *model = fitted("auto(luna=" LUNA ", gp=gp(noise=constant), least_weight=0)", data, NULL, run);
    const una_members *all = members_of(model);
    assert_int_equal(all->count, 3);
    assert_string_equal(all->at[2].kind->name, "trees");
    assert_true(all->at[2].weight > 0.8);
    una_model_free(model);
    model = fitted("auto(luna=" LUNA ", least_weight=0)", few, NULL, run);
    assert_int_equal(members_of(model)->count, 2);
    assert_says(una_model_info(model)->spec, "trees=none");
    una_model_free(model);
    una_dataset_free(few);
    una_dataset_free(data);
    una_run_free(run);
}

static void it_says_what_carries_how_much(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    una_model *model = fitted("auto(luna=" LUNA ", trees=none)", data, NULL, run);
    const una_fit_info *info = una_model_info(model);
    size_t complete = 0;
    for (size_t i = 0; i < info->note_count; i++) complete += strstr(info->notes[i], "of the answer") != NULL;
    assert_int_equal(complete, 2);
    assert_int_equal(info->valid_rows, 60);
    assert_true(isfinite(info->valid_log_lik) && info->valid_rmse > 0 && info->noise_std > 0);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

/* Without a model: auto; with a preset, which is of a paper's model, luna. */
static void no_model_means_auto(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run);
    static const char *const no_luna[] = { "luna=none" }, *const small[] = { "epochs=1, width=3, heads=2" };
    una_model *plain = fitted(NULL, data, &SIZED(una_fit_settings, .set = no_luna, .set_count = 1), run);
    assert_string_equal(una_model_info(plain)->kind, "auto");
    assert_string_equal(members_of(plain)->at[0].kind->name, "gp");
    una_model *preset = fitted(NULL, data, &SIZED(una_fit_settings, .preset = "thesis", .set = small, .set_count = 1),
                               run);
    assert_string_equal(una_model_info(preset)->kind, "luna");
    assert_says(una_model_info(preset)->spec, "members=1");
    una_model_free(plain);
    una_model_free(preset);
    una_dataset_free(data);
    una_run_free(run);
}

/* An option that a kind of the stack has is named with its remedy, nearly right ones too; nobody's is not. */
static void options_of_its_kinds_are_pointed_at(void **state)
{
    (void)state;
    static const struct { const char *set, *says, *remedy; } wrong[] = {
        { "width=10", "but luna has it", "give the model as 'luna(width=10)'" },
        { "epoch=3", "but luna has epochs", "or as 'auto(luna=luna(epochs=3))'" },
        { "kernel=rbf + linear", "but gp has it", "give the model as 'gp(kernel=rbf + linear)'" },
        { "gp_row=3", "did you mean 'gp_rows'", "una models auto" },
        { "xyzzyplugh=3", "xyzzyplugh", "una models auto" },
    };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const una_fit_settings settings = SIZED(una_fit_settings, .set = &wrong[i].set, .set_count = 1);
        assert_status(una_fit(&model, NULL, data, &settings, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), wrong[i].says);
        assert_says(una_run_message(run), wrong[i].remedy);
    }
    assert_status(una_fit(&model, "luna(widht=3)", data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "did you mean 'width'");
    una_dataset_free(data);
    una_run_free(run);
}

static void wrong_specs_are_refused(void **state)
{
    (void)state;
    static const struct { const char *spec, *says; } wrong[] = {
        { "auto(luna=nn)", "cannot be in a stack" }, { "auto(luna=mcd(steps=5))", "cannot be in a stack" },
        { "auto(luna=none, gp=none, trees=none)", "nothing is left of the stack" },
        { "auto(luna=none, trees=none, gp_rows=5)", "nothing is left" },
        { "auto(luna=none, gp=none, weights=[0.5, 0.5])", "each of the 1 kinds" },
        { "auto(luna=none, weights=[1, -1])", "above 0" },
        { "auto(luna=none, trees=none, weights=auto)[1]", "weights" }, { "auto(luna=none, weights=auto[1])", "weights=auto[1]" },
        { "auto(luna=none, weights=automatic)", "above 0" }, { "auto(luna=none, weights=[1, 1)", "weights=[1, 1" },
        { "auto(luna=lunatic)", "lunatic" }, { "auto(luna=luna(widht=3))", "widht" },
        { "auto(gp=auto(gp=none))", "cannot be in a stack" }, { "auto(gp_rows=-1)", "gp_rows" },
    };
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = NULL;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_status(una_fit(&model, wrong[i].spec, data, NULL, run), UNA_E_USAGE, run);
        assert_null(model);
        assert_says(una_run_message(run), wrong[i].says);
    }
    const char *path = temp_text_file("pseudo.csv", "x1,x2,a\n-3,0,1\n3,0,-1\n");
    char spec[512];
    snprintf(spec, sizeof spec, "auto(luna=tuna(steps=5, pseudo=\"%s\"))", path);
    assert_status(una_fit(&model, spec, data, NULL, run), UNA_E_USAGE, run);
    assert_says(una_run_message(run), "have seen");
    una_dataset_free(data);
    una_run_free(run);
}

/* ---- updates, files, memory ------------------------------------------------------------------------------------ */

static void updates_reach_all_kinds(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(60, 0, run), *more = wave_data(20, 700, run);
    una_model *model = fitted("auto(luna=" LUNA ", least_weight=0)", data, NULL, run), *step = copied_model(model, run);
    const una_members *all = members_of(model);
    void *alone[2];
    una_problem p = { .outputs = 1, .columns = &model->columns };
    double *x, *y;
    size_t rows;
    assert_ok(una_columns_encode(&model->columns, more, &(una_encoding){ &x, &y, NULL, &rows }, &run->scratch), run);
    p.x = (una_view){ x, rows, 2, 2 };
    p.y = y;

    for (size_t k = 0; k < 2; k++) {                                     /* each kind by itself takes them in as well */
        una_fit_result result = una_fit_result_in(&model->keep);
        assert_ok(una_state_copy(&alone[k], &(una_learnt){ all->at[k].kind, all->at[k].calls, all->at[k].state, 2 },
                                 &model->keep, run), run);
        assert_ok(all->at[k].calls->observe(alone[k], &p, &result, &model->keep, run), run);
    }
    assert_ok(una_model_update(model, more, run), run);
    for (size_t k = 0; k < 2; k++) {
        double mean[2][20], var[2][20], noise[20];
        for (int i = 0; i < 2; i++) {
            una_predictive out = { .mean = mean[i], .var_model = var[i], .var_noise = noise };
            assert_ok(all->at[k].calls->predict(i ? alone[k] : all->at[k].state, p.x, &out, run), run);
        }
        assert_arrays_near(mean[0], mean[1], 20, 1e-9, 1e-12);
        assert_arrays_near(var[0], var[1], 20, 1e-9, 1e-12);
    }

    size_t index[20];
    for (size_t i = 0; i < 20; i++) index[i] = i;
    for (size_t from = 0; from < 20; from += 5) {
        una_dataset *part = NULL;
        assert_ok(una_dataset_rows(&part, more, index + from, 5, run), run);
        assert_ok(una_model_update(step, part, run), run);
        una_dataset_free(part);
    }
    assert_same_predictions(step, model, data, 1e-9, run);
    una_model_free(step);
    una_model_free(model);
    una_dataset_free(data);
    una_dataset_free(more);
    una_run_free(run);
}

/* Cut short, or with a bit turned: refused with a sentence, never a crash. */
static void damaged_files_are_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(40, 0, run);
    una_model *model = fitted("auto(luna=luna(width=4, heads=2, steps=10, members=2), least_weight=0)", data, NULL,
                              run);
    una_model *back = NULL;
    unsigned char *bytes = NULL;
    size_t size;
    assert_ok(una_model_save_memory(model, (void **)&bytes, &size, run), run);
    for (size_t cut = 0; cut < size; cut += 1 + size / 200) {
        assert_status(una_model_load_memory(&back, bytes, cut, run), UNA_E_INPUT, run);
        assert_null(back);
    }
    for (size_t at = 0; at < size; at += 1 + size / 300) {
        bytes[at] ^= (unsigned char)(1 << at % 8);
        assert_true(una_model_load_memory(&back, bytes, size, run) != UNA_OK);
        assert_null(back);
        bytes[at] ^= (unsigned char)(1 << at % 8);
    }
    assert_ok(una_model_load_memory(&back, bytes, size, run), run);
    assert_same_predictions(back, model, data, 0, run);
    una_memory_free(bytes, run);
    una_model_free(back);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
}

static una_status fit_spec(const char *spec, const una_dataset *data, una_run *run)
{
    una_model *model = NULL;
    una_status status = una_fit(&model, spec, data, NULL, run);
    una_model_free(model);
    return status;
}

static una_status fit_job(void *context, una_run *run)
{
    return fit_spec("auto(luna=luna(width=3, heads=2, steps=2, members=2, relevance=off, prior_var=1), "
                    "gp=gp(optimise=no))", context, run);
}

/* A process and trees, which are asked about regions. */
static una_status region_job(void *context, una_run *run)
{
    return fit_spec("auto(luna=none, gp=gp(noise=constant), trees=trees(trees=2, members=2, noise=constant))", context,
                    run);
}

static void allocations_may_fail(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = wave_data(20, 0, run), *more = wave_data(40, 0, run);
    assert_true(sweep_allocations(fit_job, data) > 10);
    assert_true(sweep_allocations(region_job, more) > 10);
    una_dataset_free(more);
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(efforts_are_specs),
        cmocka_unit_test(weights_are_the_best),
        cmocka_unit_test(regions_weigh_too),
        cmocka_unit_test(regions_are_predicted_without_their_rows),
        cmocka_unit_test(rows_that_all_spoke_of_are_scored),
        cmocka_unit_test(answers_are_mixed),
        cmocka_unit_test(no_process_for_many_rows),
        cmocka_unit_test(what_carries_nothing_is_left_out),
        cmocka_unit_test(it_says_what_carries_how_much),
        cmocka_unit_test(trees_take_part), cmocka_unit_test(no_model_means_auto),
        cmocka_unit_test(options_of_its_kinds_are_pointed_at),
        cmocka_unit_test(wrong_specs_are_refused),
        cmocka_unit_test(updates_reach_all_kinds),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
