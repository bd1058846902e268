/* SPDX-License-Identifier: MIT
 *
 * Bayesian linear regression, also on powers of the inputs:  phi(x) = (x_1, ..., x_D, x_1^2, ..., x_D^p, 1),
 *   V = (I/alpha + Phi'Phi/s2)^-1,  m = V Phi'y/s2.
 * The features are fixed, so the evidence of the training rows chooses noise and prior variance (MacKay 1992). This is
 * the smallest model: read it first.
 */
#include "committee/committee.h"
#include "train/basis.h"

typedef struct linear_options { una_common_options common; double degree; } linear_options;

static const una_option linear_table[] = {
    { "degree", UNA_COUNT, offsetof(linear_options, degree), "1", 1, 12, false, NULL,
      "highest power of each numeric input" },
    UNA_ROW_NOISE("noise std, in the target's units; auto = maximum evidence"),
    UNA_ROW_PRIOR("auto", "alpha: prior variance of the weights on standardised inputs and target; auto = maximum "
                          "evidence"),
    UNA_ROW_NOISE_SHAPE,
    UNA_ROW_TAILS,
    { .name = NULL }
};

typedef struct linear {
    size_t   inputs, degree;
    double  *is_number;                          /* [inputs] 1 or 0: categories have no powers */
    una_head head;
} linear;

static size_t feature_count(const linear *m)
{
    size_t count = m->inputs + 1;
    for (size_t d = 0; d < m->inputs; d++) count += m->is_number[d] > 0 ? m->degree - 1 : 0;
    return count;
}

static void features_of(const linear *m, const double *x, double *phi)
{
    for (size_t d = 0; d < m->inputs; d++) *phi++ = x[d];
    for (size_t d = 0; d < m->inputs; d++) {
        double power = x[d];
        for (size_t p = 2; m->is_number[d] > 0 && p <= m->degree; p++) *phi++ = power *= x[d];
    }
    *phi = 1;
}

static una_status linear_phi(const linear *m, una_view x, double **phi, una_run *run)
{
    size_t k = m->head.stats.features;
    UNA_NEW_ROWS_AT(&run->scratch, *phi, x.rows * k);
    for (size_t r = 0; r < x.rows; r++) features_of(m, x.at + r * x.stride, *phi + r * k);
    return UNA_OK;
}

static una_status linear_absorb(const linear *m, const una_problem *p, una_stats *stats, una_run *run)
{
    double *phi;
    UNA_TRY(linear_phi(m, p->x, &phi, run));
    return una_stats_add_counted(stats, phi, p->y, p->weight, p->x.rows, run);
}

static una_status linear_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    linear *m = f->target->state;
    linear_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    una_run *run = f->run;
    double unit = p->columns->target_scale;

    m->inputs = p->x.cols;
    m->degree = (size_t)o->degree;
    UNA_NEW_AT(f->keep, m->is_number, m->inputs);
    for (size_t d = 0; d < m->inputs; d++) m->is_number[d] = p->columns->inputs[d].level == SIZE_MAX;
    UNA_TRY(una_head_memory("linear", feature_count(m), run));
    UNA_TRY(una_head_init(&m->head, feature_count(m), f->keep));
    UNA_SCOPED(run, linear_absorb(m, p, &m->head.stats, run));
    UNA_TRY(una_stats_sum(&m->head.stats, run));

    m->head.noise_var = UNA_IS_AUTO(o->common.noise_std) ? UNA_AUTO : pow(o->common.noise_std / unit, 2);
    m->head.prior_var = o->common.prior_var;
    UNA_TRY(una_choose_by_evidence(&m->head.noise_var, &m->head.prior_var, &m->head.stats, run));
    UNA_TRY(una_head_solve(&m->head, run));

    result->noise_var = m->head.noise_var;
    result->prior_var = o->common.prior_var = m->head.prior_var;
    result->log_evidence = m->head.log_evidence;
    o->common.noise_std = sqrt(m->head.noise_var) * unit;
    return UNA_OK;
}

static una_status linear_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const linear *m = state;
    double *phi;
    UNA_TRY(linear_phi(m, x, &phi, run));
    for (size_t r = 0; r < x.rows; r++) out->var_noise[r] = m->head.noise_var;
    return una_head_predict(&m->head, phi, x.rows, out->mean, out->mean_only ? NULL : out->var_model, run);
}

static una_status linear_exchange(void *state, una_archive *ar)
{
    linear *m = state;
    UNA_TRY(una_archive_size(ar, "inputs", &m->inputs, ar->inputs, ar->inputs));
    UNA_TRY(una_archive_size(ar, "degree", &m->degree, 1, 12));
    UNA_TRY(una_archive_f64s(ar, "is_number", &m->is_number, m->inputs));
    UNA_TRY(una_head_exchange(&m->head, ar));
    if (m->head.stats.features != feature_count(m))
        return una_archive_refuse(ar, "features", "does not fit the inputs");
    return UNA_OK;
}

static una_status linear_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                                 una_run *run)
{
    linear *m = state;
    una_stats sums;
    (void)keep;
    una_stats_init(&sums, m->head.stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(linear_absorb(m, more, &sums, run));
    UNA_TRY(una_head_observe(&m->head, &sums, run));
    result->log_evidence = m->head.log_evidence;
    return UNA_OK;
}

static una_status linear_rescale(void *state, double factor, una_fit_result *result, una_arena *keep, una_run *run)
{
    linear *m = state;
    (void)keep;
    return una_rescale_head(&m->head, factor, result, run);
}

static una_status linear_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const linear *m = state;
    size_t k = m->head.stats.features;
    double *phi;
    UNA_TRY(linear_phi(m, x, &phi, run));
    return una_head_draws(&m->head, (una_view){ phi, x.rows, k, k }, how, f, run);
}

/* dmean = J m and dvar = 2 J V phi: an input moves only its own powers. */
static una_status linear_slope(const void *state, const double *x, una_slope *at, una_run *run)
{
    const linear *m = state;
    size_t k = m->head.stats.features;
    UNA_NEW(&run->scratch, double, phi, k);
    UNA_NEW(&run->scratch, double, u, k);
    features_of(m, x, phi);
    UNA_TRY(una_head_at(&m->head, phi, &at->mean, &at->var, u, run));

    for (size_t d = 0, next = m->inputs; d < m->inputs; d++) {
        at->dmean[d] = m->head.mean[d];
        at->dvar[d] = 2 * u[d];
        double power = 1;
        for (size_t p = 2; m->is_number[d] > 0 && p <= m->degree; p++, next++) {
            power *= x[d];
            at->dmean[d] += (double)p * power * m->head.mean[next];
            at->dvar[d] += (double)p * power * 2 * u[next];
        }
    }
    return UNA_OK;
}

static una_status linear_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    const linear *m = state;
    linear *drawn = function;
    *drawn = *m;
    return una_head_sample(&drawn->head, &m->head, rng, keep, run);
}

static una_status linear_leaves(const void *state, una_view x, double weight, una_leaf_task *task, void *context,
                                una_run *run)
{
    const linear *m = state;
    double *phi;
    UNA_TRY(linear_phi(m, x, &phi, run));
    return task(context, &(una_leaf){ .weight = weight, .head = &m->head, .phi = phi }, run);
}

const una_kind una_kind_linear = {
    .name = "linear",
    .summary = "Bayesian linear regression, also on powers of the inputs",
    .source = "MacKay, Bayesian interpolation, 1992; Bishop, Pattern recognition and machine learning, 2006, chapter 3",
    .options = linear_table,
    .options_size = sizeof(linear_options),
    .state_size = sizeof(linear),
    .thesis = "",
    .results = 2,
    .least_rows = 3,
    .committee = &una_committee_calls,
    .fit = linear_fit,
    .fit_to.part = linear_fit,
    .predict = linear_predict,
    .exchange = linear_exchange,
    .observe = linear_observe,
    .rescale = linear_rescale,
    .relearn = linear_fit,
    .draw = linear_draw,
    .slope = linear_slope,
    .sample = linear_sample,
    .leaves = linear_leaves,
};
