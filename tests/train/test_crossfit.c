/* SPDX-License-Identifier: MIT
 *
 * Cross-fitting with invented trainings, so that what it has to find is known beforehand: who leaves out which rows,
 * how long the last training lasts, the noise one standard error up, the prior variance.
 */
#include "test_support.h"

#include "train/crossfit.h"

const una_kind *const una_kinds[] = { NULL };    /* the room below asks for a registry */

enum { ROWS = 25, FOLDS = 5 };

/* A training that fits nothing: it tells which rows it got, and was best after a step that is given. */
typedef struct invented { una_trained_job base; size_t fold; } invented;

typedef struct script {
    const size_t *best;                  /* [FOLDS] step after which each fold was best                     */
    size_t steps[2], calls;             /* of each call of train                                          */
    double square;                       /* of the errors, per held-out row                                 */
    double top;                          /* log10 of the prior variance that the rows like best             */
    bool   seen[FOLDS];                  /* folds left out by the first call                                */
    bool   kept_all;                     /* what was kept has seen all rows                                 */
} script;

static una_status train(void *context, const una_training_plan *plan, void *trials, una_run *run)
{
    script *s = context;
    s->steps[s->calls++] = plan->steps;
    for (size_t i = 0; i < plan->count; i++) {
        invented *t = (invented *)trials + i;
        una_training_rows rows;
        una_arena_init(&t->base.arena, run);
        t->fold = una_training_plan_fold(plan, i);
        UNA_TRY(una_training_rows_split(&rows, plan->problem, t->fold, &t->base.arena));

        /* Target r is the number of row r, and rows with r % FOLDS == k are fold k. */
        if (plan->folds) s->seen[t->fold] = true;
        assert_int_equal(rows.valid_rows, plan->folds ? ROWS / FOLDS : 0);
        assert_int_equal(rows.rows + rows.valid_rows, ROWS);
        for (size_t r = 0; r < rows.valid_rows; r++) assert_int_equal((size_t)rows.valid_y[r] % FOLDS, t->fold);
        for (size_t r = 0; r < rows.rows; r++) assert_true((size_t)rows.y[r] % FOLDS != t->fold);

        t->base.valid_rows = rows.valid_rows;
        t->base.trained.steps = 1000;
        t->base.trained.best_step = plan->folds ? s->best[t->fold] : 0;
    }
    return UNA_OK;
}

/* Gaussian errors, and a likelihood that falls by 0.01 a row for every tenfold of the prior variance off the top. */
static una_status evaluate(void *context, const void *const *training, size_t count, const una_variances *variances,
                           una_valid_loss *sums, una_run *run)
{
    const script *s = context;
    const invented *t = training[0];
    double rows = (double)t->base.valid_rows, v = variances->noise_var;
    (void)run;
    assert_int_equal(count, 1);
    sums->loss += rows * (0.5 * (log(2 * 3.14159265358979323846 * v) + s->square / v)
                          + 0.01 * fabs(log10(variances->prior_var) - s->top));
    sums->square += rows * s->square;
    sums->rows += t->base.valid_rows;
    return UNA_OK;
}

static una_status keep_it(void *context, const void *const *training, size_t count, una_fit_result *result,
                          una_arena *keep, una_run *run)
{
    script *s = context;
    (void)result, (void)keep, (void)run;
    s->kept_all = count == 1 && ((const invented *)training[0])->fold == SIZE_MAX;
    return UNA_OK;
}

static una_fit_result cross_fit(script *s, una_target_choice *chosen, una_run *run)
{
    double x[ROWS], y[ROWS];
    unsigned char fold[ROWS];
    for (size_t i = 0; i < ROWS; i++) {
        x[i] = y[i] = (double)i;
        fold[i] = (unsigned char)(i % FOLDS);
    }
    una_problem p = { .x = { x, ROWS, 1, 1 }, .y = y, .folds = FOLDS, .fold = fold };
    una_arena keep;

    una_fit_result result = { .valid_rmse = NAN };
    una_crossfit fit = { .context = s, .job_size = sizeof(invented), .train = train, .evaluate = evaluate,
                         .keep = keep_it, .restarts = 1, .targets = 1, .chosen = chosen };
    chosen->result = &result;
    una_arena_init(&keep, run);
    una_mark mark = una_arena_mark(&run->scratch);
    assert_ok(una_crossfit_run(&fit, &p, &keep, run), run);
    una_arena_release(&run->scratch, mark);
    una_arena_free(&keep);
    return result;
}

/* Every fold is left out once; the last training sees all rows and takes the median of the folds' best steps. */
static void folds_and_their_steps(void **state)
{
    (void)state;
    const size_t best[][FOLDS] = { { 900, 100, 300, 200, 800 }, { 50, 50, 700, 50, 60 }, { 1, 2, 3, 4, 5 } };
    const size_t median[] = { 300, 50, 3 };
    una_run *run = quiet_run();
    for (size_t k = 0; k < 3; k++) {
        script s = { .best = best[k], .square = 0.04 };
        una_target_choice fit = { .noise_var = 0.1, .prior_var = 1 };
        una_fit_result result = cross_fit(&s, &fit, run);
        for (size_t f = 0; f < FOLDS; f++) assert_true(s.seen[f]);
        assert_int_equal(s.calls, 2);
        assert_int_equal(s.steps[0], 0);
        assert_int_equal(s.steps[1], median[k]);
        assert_true(s.kept_all);
        assert_int_equal(result.steps, (FOLDS + 1) * 1000);
        assert_int_equal(result.valid_rows, ROWS);
    }
    una_run_free(run);
}

/* The likelihood of Gaussian errors is largest at their mean square; its logarithm has the standard error sqrt(2/n). */
static void noise_of_gaussian_errors(void **state)
{
    (void)state;
    const size_t best[FOLDS] = { 1, 1, 1, 1, 1 };
    const double squares[] = { 1e-5, 0.04, 1.5 };
    una_run *run = quiet_run();
    for (size_t k = 0; k < 3; k++) {
        script s = { .best = best, .square = squares[k] };
        una_target_choice fit = { .noise_var = UNA_AUTO, .prior_var = 1 };
        una_fit_result result = cross_fit(&s, &fit, run);
        assert_near(fit.noise_var, squares[k] * exp(sqrt(2.0 / ROWS)), 1e-4, 0);
        assert_near(result.valid_rmse, sqrt(squares[k]), 1e-12, 0);
        double ratio = squares[k] / fit.noise_var;
        assert_near(result.valid_log_lik, -0.5 * (log(2 * 3.14159265358979323846 * fit.noise_var) + ratio), 1e-9, 0);
    }
    una_run_free(run);
}

/* A loss of 0.02 a row may be paid for a larger prior variance: two steps of ten at 0.01 each, on a grid of half ones
 * up to 100. */
static void largest_prior_that_costs_little(void **state)
{
    (void)state;
    const size_t best[FOLDS] = { 1, 1, 1, 1, 1 };
    const double top[] = { -2, -1.5, -0.5, 2 }, wanted[] = { 0, 0.5, 1.5, 2 };
    una_run *run = quiet_run();
    for (size_t k = 0; k < 4; k++) {
        script s = { .best = best, .square = 0.04 };
        una_target_choice fit = { .noise_var = 0.1, .prior_var = UNA_AUTO };
        s.top = top[k] + 1e-6;                           /* so that a cost of just 0.02 is one that may be paid */
        cross_fit(&s, &fit, run);
        assert_near(log10(fit.prior_var), wanted[k], 0, 1e-9);
    }
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folds_and_their_steps),
        cmocka_unit_test(noise_of_gaussian_errors),
        cmocka_unit_test(largest_prior_that_costs_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
