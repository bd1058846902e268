/* SPDX-License-Identifier: MIT
 *
 * What kinds are asked to learn of several targets, seen by made-up ones: one that is given each target by itself, one
 * that takes all at once. The split is one for all targets, whatever cells are missing.
 */
#include "models/quick.h"

enum { MOST = 2000 };

typedef struct seen {                    /* of one fit: by row of the table                                 */
    size_t rows, valid, folds, table_rows;
    int    side[MOST];                   /* -1 not there, 0.. its fold, 100 trains, 101 held out            */
    double y[MOST];
} seen;

static seen fits[2];
static size_t fit_count;
static const una_dataset *watched;

/* Which row of the table this is: inputs are all different. */
static size_t row_of(const una_columns *c, const double *x)
{
    const double *x1 = una_dataset_numbers(watched, 0);
    double value = c->inputs[0].centre + c->inputs[0].scale * x[0];
    for (size_t i = 0; i < una_dataset_row_count(watched); i++)
        if (fabs(x1[i] - value) < 1e-9) return i;
    fail_msg("%s", "a row that is not in the table");
    return 0;
}

/* Target t of the problem, into fits[fit_count]. */
static void look(const una_problem *p, const una_columns *c, size_t t)
{
    seen *s = &fits[fit_count++];
    *s = (seen){ .rows = p->x.rows, .valid = p->valid_x.rows, .folds = p->folds, .table_rows = p->table_rows };
    for (size_t i = 0; i < MOST; i++) s->side[i] = -1;
    if (p->valid_joins) {                                /* who takes all rows at once counts on it */
        assert_true(p->valid_x.at == p->x.at + p->x.rows * p->x.stride);
        assert_true(p->valid_y == p->y + p->x.rows * p->outputs);
    }
    for (size_t i = 0; i < p->x.rows + p->valid_x.rows; i++) {
        bool held = i >= p->x.rows;
        size_t at = held ? i - p->x.rows : i;
        const una_view *x = held ? &p->valid_x : &p->x;
        double y = (held ? p->valid_y : p->y)[at * p->outputs + t];
        if (isnan(y)) continue;
        size_t row = row_of(c, x->at + at * x->stride);
        assert_int_equal(s->side[row], -1);
        s->side[row] = held ? 101 : p->folds ? p->fold[i] : 100;
        s->y[row] = c->target_centre + c->target_scale * y;
    }
}

typedef struct nothing { double value; } nothing;
static const una_option no_options[] = {
    { "value", UNA_REAL, offsetof(nothing, value), "0", -1, 1, false, NULL, "nothing" }, { .name = NULL }
};

static una_status watch_fit(una_fitting *f)
{
    void *state = f->target->state;
    const una_problem *p = f->problem;
    una_fit_result *result = f->target->result;
    assert_int_equal(p->outputs, 1);
    ((nothing *)state)->value = (double)fit_count;
    look(p, p->columns, 0);
    result->noise_var = 1;
    result->log_evidence = -1;
    return UNA_OK;
}

static bool says_joint;

static una_status joint_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    assert_int_equal(p->outputs, 2);
    assert_int_equal(f->coupling->outputs, 2);
    for (size_t t = 0; t < 2; t++) {
        ((nothing *)f->target[t].state)->value = (double)t;
        look(p, &p->columns[t], t);
        f->target[t].result->noise_var = 1;
        f->target[t].result->log_evidence = -1;
        for (size_t s = 0; s < 2; s++) f->coupling->noise[2 * t + s] = t == s ? 1 : says_joint ? 7 : NAN;
    }
    f->coupling->joint = says_joint;
    return UNA_OK;
}

static una_status one_or_joint_fit(una_fitting *f)
{
    return f->coupling ? joint_fit(f) : watch_fit(f);
}

static una_status watch_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        out->mean[r] = ((const nothing *)state)->value;
        out->var_model[r] = out->var_noise[r] = 1;
    }
    return UNA_OK;
}

static una_status watch_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "value", &((nothing *)state)->value);
}

static const una_kind watch_kind = {
    .name = "watch", .summary = "looks on", .source = "nobody", .options = no_options, .options_size = sizeof(nothing),
    .state_size = sizeof(nothing), .thesis = "", .least_rows = 4, .validation = &una_validates, .fit = watch_fit,
    .predict = watch_predict, .exchange = watch_exchange,
};
static const una_kind pair_kind = {
    .name = "pair", .summary = "looks on", .source = "nobody", .options = no_options, .options_size = sizeof(nothing),
    .state_size = sizeof(nothing), .thesis = "", .least_rows = 4, .validation = &una_validates,
    .fit = one_or_joint_fit, .fit_to.targets = joint_fit, .predict = watch_predict, .exchange = watch_exchange,
};
const una_kind *const una_kinds[] = { &watch_kind, &pair_kind, NULL };

static una_model *watch(const char *spec, const una_dataset *data, una_run *run)
{
    watched = data;
    fit_count = 0;
    una_model *model = pair_fit(spec, data, run);
    assert_int_equal(fit_count, 2);
    return model;
}

/* Every cell that is there is learnt from, in its own units; a row that has both stands on the same side for both. */
static void one_split_for_all(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    for (int kind = 0; kind <= 1; kind++) {
        for (size_t rows = 60; rows <= 1200; rows += 1140) {             /* folds, and rows held out */
            una_dataset *data = pair_data(rows, 0, true, run);
            una_model *model = watch(kind ? "pair" : "watch", data, run);
            size_t shared = 0;
            for (size_t t = 0; t < 2; t++) {
                const double *cells = una_dataset_numbers(data, 2 + t);
                size_t count = 0;
                for (size_t i = 0; i < rows; i++) {
                    assert_int_equal(fits[t].side[i] < 0, isnan(cells[i]) != 0);
                    if (fits[t].side[i] >= 0) assert_near(fits[t].y[i], cells[i], 1e-12, 1e-12);
                    count += fits[t].side[i] >= 0;
                }
                assert_int_equal(una_model_info(una_model_target(model, t))->rows, count);
                if (!kind) assert_int_equal(fits[t].table_rows, count);
                assert_int_equal(fits[t].folds, rows < 1000 ? 5 : 0);
                assert_true(rows < 1000 || fits[t].valid > 0);
            }
            for (size_t i = 0; i < rows; i++) {
                if (fits[0].side[i] < 0 || fits[1].side[i] < 0) continue;
                assert_int_equal(fits[0].side[i], fits[1].side[i]);
                shared++;
            }
            assert_true(2 * shared > rows);
            una_model_free(model);
            una_dataset_free(data);
        }
    }
    una_run_free(run);
}

/* Of a kind that takes them all: the states are the parts', and a covariance is kept within what variances allow. */
static void all_at_once(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = pair_data(60, 0, false, run);
    for (int joint = 0; joint <= 1; joint++) {
        says_joint = joint == 1;
        una_model *model = watch("pair", data, run), *copy = copied_model(model, run);
        double mean[60], cov[240];
        assert_true(model->coupling.joint == says_joint && copy->coupling.joint == says_joint);
        if (joint) assert_near(copy->coupling.noise[1], 1 - 1e-6, 1e-12, 0);
        assert_ok(una_model_predict(una_model_target(copy, 1), data, 0.9, &SIZED(una_prediction, .mean = mean), run),
                  run);
        assert_near(mean[0], copy->target[1]->columns.target_centre + copy->target[1]->columns.target_scale, 1e-12, 0);
        assert_ok(una_model_covariance(copy, data, 0, cov, run), run);
        double both = copy->target[0]->columns.target_scale * copy->target[1]->columns.target_scale;
        assert_near(cov[1], joint ? (1 - 1e-6) * both : 0, 1e-12, 0);
        una_model_free(model);
        una_model_free(copy);
    }
    una_dataset_free(data);
    una_run_free(run);
}

/* A target with so few cells that a fold is without: not at once, and with folds of its own. */
static void few_cells(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    static const char *const names[] = { "x1", "x2", "a", "b" };
    una_dataset *full = pair_data(60, 0, false, run), *data = NULL;
    double b[60];
    for (size_t i = 0; i < 60; i++) b[i] = i % 10 == 0 ? una_dataset_numbers(full, 3)[i] : NAN;
    const double *const columns[] = { una_dataset_numbers(full, 0), una_dataset_numbers(full, 1),
                                      una_dataset_numbers(full, 2), b };
    assert_ok(una_dataset_from_columns(&data, names, columns, NULL, 4, 60, run), run);
    una_model *model = watch("pair", data, run);
    assert_int_equal(fits[0].rows, 60);
    assert_int_equal(fits[1].rows, 6);                   /* by watch_fit: each alone */
    bool full_fold[5] = {0};
    for (size_t i = 0; i < 60; i++)
        if (fits[1].side[i] >= 0) full_fold[fits[1].side[i]] = true;
    for (size_t k = 0; k < fits[1].folds; k++) assert_true(full_fold[k]);
    una_model_free(model);
    una_dataset_free(full);
    una_dataset_free(data);
    una_run_free(run);
}

/* So large a share held out that fewer rows train than the kind wants: each target by itself, with its own answers. */
static void few_rows_train(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_dataset *data = pair_data(20, 0, false, run);
    for (int kind = 0; kind <= 1; kind++) {
        una_model *model = NULL;
        watched = data;
        fit_count = 0;
        assert_ok(una_fit(&model, kind ? "pair" : "watch", data, &SIZED(una_fit_settings, .targets = pair_targets,
                          .target_count = 2, .valid_fraction = 0.85), run), run);
        for (size_t t = 0; t < 2; t++) {
            assert_int_equal(fits[t].rows, 3);
            for (size_t i = 0; i < 20; i++) {
                assert_near(fits[t].y[i], una_dataset_numbers(data, 2 + t)[i], 1e-12, 1e-12);
                assert_int_equal(fits[t].side[i], fits[0].side[i]);
            }
        }
        una_model_free(model);
    }
    una_dataset_free(data);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_split_for_all),
        cmocka_unit_test(all_at_once),
        cmocka_unit_test(few_cells),
        cmocka_unit_test(few_rows_train),
    };
    return cmocka_run_group_tests_name("split of several targets", tests, NULL, NULL);
}
