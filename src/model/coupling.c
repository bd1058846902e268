/* SPDX-License-Identifier: MIT
 *
 * How several targets vary together. Under one linear head with noise covariance S the weights of all targets have the
 * covariance S (x) V, so within a member of a committee
 *   cov(f_t, f_s) = S_ts v(x) = r_ts sqrt(var f_t var f_s),        r the correlation of the noise,
 * and over members of weight w_m
 *   cov(f_t, f_s) = sum_m w_m [r_ts sqrt(var_m f_t var_m f_s) + (mean_m f_t - mean f_t) (mean_m f_s - mean f_s)].
 * The noise adds r_ts sqrt(n_t n_s), with the noise n(x) that each target has at x. Targets fitted one by one have r =
 * 0: they are independent. Source: West and Harrison, Bayesian forecasting and dynamic models, 1997, section 16.4.
 *
 * Where logarithms were learnt, all that holds for the logarithms; with c_m the covariance above within a member and
 * a_m, b_m the means of both targets there (log_target.h)
 *   cov(y_t, y_s) = sum_m w_m [a_m b_m (exp(c_m) - 1) + (a_m - E y_t) (b_m - E y_s)].
 */
#include "model/several.h"
#include "model/widen.h"

#include "la/la.h"
#include "model/log_target.h"

enum { ROWS_AT_ONCE = 1024 };

typedef struct target_view {             /* one target at some rows; standardised                           */
    const una_columns *columns;
    una_predictive p;                    /* of the whole mixture                                            */
    una_gaussians function;              /* without noise: by the members of the joint view                 */
    double        all;                   /* 1: the weight of a single member                                */
} target_view;

typedef struct joint_view {              /* all targets at some rows                                        */
    target_view     *target;             /* [targets]                                                       */
    double          *r;                  /* [targets, targets] correlation of the noise                     */
    size_t           targets, rows, members;      /* that the targets share; 1: each is one Gaussian        */
    bool             joint, shared;      /* one head; its members are those of all targets                  */
} joint_view;

double una_correlation(const una_target_coupling *g, size_t one, size_t other)
{
    size_t n = g->outputs;
    if (one == other || !g->joint) return one == other ? 1 : 0;
    return g->noise[one * n + other] / sqrt(g->noise[one * (n + 1)] * g->noise[other * (n + 1)]);
}

void una_correlations(double *r, const una_target_coupling *coupling, size_t targets)
{
    for (size_t i = 0; i < targets * targets; i++) r[i] = una_correlation(coupling, i / targets, i % targets);
}

/* ---- predictions of each target --------------------------------------------------------------------------------- */

static una_status take_view(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    target_view *v = context;
    (void)run;
    memcpy(v->p.mean + from, p->mean, rows * sizeof *p->mean);
    memcpy(v->p.var_model + from, p->var_model, rows * sizeof *p->var_model);
    memcpy(v->p.var_noise + from, p->var_noise, rows * sizeof *p->var_noise);
    if (!p->parts) return UNA_OK;
    memcpy(v->p.part_mean + from * p->parts, p->part_mean, rows * p->parts * sizeof *p->part_mean);
    memcpy(v->p.part_var + from * p->parts, p->part_var, rows * p->parts * sizeof *p->part_var);
    memcpy(v->p.part_weight, p->part_weight, p->parts * sizeof *p->part_weight);
    return UNA_OK;
}

static una_status view_target(target_view *v, const una_model *part, const double *x, size_t rows, una_run *run)
{
    const una_kind *calls = una_calls(part->kind);
    size_t inputs = part->columns.input_count;
    v->columns = &part->columns;
    v->p.parts = calls->mixture ? calls->mixture(part->state) : 0;
    v->function.parts = una_kind_part_count(calls, part->state);
    UNA_TRY(una_predictive_new(&v->p, rows, &run->scratch));
    UNA_TRY(una_gaussians_new(&v->function, rows, 0, &run->scratch));
    UNA_TRY(una_model_each_block(part, x, rows, UNA_PARTS, take_view, v, run));
    return una_model_parts_encoded(part, (una_view){ x, rows, inputs, inputs }, &v->function, run);
}

/* Targets share members if they have as many, with the same weights. */
static bool share_members(const joint_view *s)
{
    const una_gaussians *first = &s->target[0].function;
    for (size_t t = 0; t < s->targets; t++) {
        const una_gaussians *g = &s->target[t].function;
        if (g->parts != first->parts || (s->target[t].p.parts && s->target[t].p.parts != g->parts)) return false;
        for (size_t m = 0; m < g->parts; m++)
            if (!(fabs(g->weight[m] - first->weight[m]) <= 1e-9)) return false;
    }
    return s->joint;
}

static una_status predict_targets(joint_view *s, const una_model *whole, const double *x, size_t rows, una_run *run)
{
    size_t n = una_model_target_count(whole);
    *s = (joint_view){ .targets = n, .rows = rows, .joint = whole->coupling.joint,
                       .target = UNA_GET(&run->scratch, target_view, n), .r = UNA_GET(&run->scratch, double, n * n) };
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < n; t++) UNA_TRY(view_target(&s->target[t], una_model_target(whole, t), x, rows, run));

    una_correlations(s->r, &whole->coupling, n);
    s->shared = share_members(s);
    for (size_t t = 0; t < n && !s->shared; t++) {
        target_view *v = &s->target[t];
        v->all = 1;
        v->function = (una_gaussians){ 1, &v->all, v->p.mean, v->p.var_model, NULL, NULL };
    }
    s->members = s->target[0].function.parts;
    return UNA_OK;
}

/* ---- covariance ------------------------------------------------------------------------------------------------- */

/* Of the functions of two targets at a row; standardised. */
static double function_covariance(const joint_view *s, size_t a, size_t b, size_t row)
{
    const target_view *one = &s->target[a], *two = &s->target[b];
    const una_gaussians *f = &one->function, *g = &two->function;
    double sum = 0;
    if (a == b) return one->p.var_model[row];
    for (size_t m = 0; s->joint && m < s->members; m++) {
        size_t at = row * s->members + m;
        sum += f->weight[m] * (s->r[a * s->targets + b] * sqrt(f->var[at] * g->var[at]) +
                               (f->mean[at] - one->p.mean[row]) * (g->mean[at] - two->p.mean[row]));
    }
    return sum;
}

/* Log of the mean of y in member m, and the variance of the function there; in units of log y. */
static double member_log_mean(const target_view *v, size_t row, size_t m, double *var)
{
    const una_columns *c = v->columns;
    size_t at = row * v->function.parts + m;
    double unit = c->target_scale * c->target_scale;
    *var = unit * v->function.var[at];
    return c->target_centre + c->target_scale * v->function.mean[at] + 0.5 * (*var + unit * v->p.var_noise[row]);
}

static double log_target_covariance(const joint_view *s, size_t a, size_t b, size_t row, bool noise)
{
    const target_view *one = &s->target[a], *two = &s->target[b];
    const double *weight = one->function.weight;
    double r = s->r[a * s->targets + b], mean[2] = { 0, 0 }, sum = 0, f, g;
    double apart = noise ? r * one->columns->target_scale * two->columns->target_scale *
                           sqrt(one->p.var_noise[row] * two->p.var_noise[row]) : 0;
    for (size_t m = 0; m < s->members; m++) {
        mean[0] += weight[m] * exp(member_log_mean(one, row, m, &f));
        mean[1] += weight[m] * exp(member_log_mean(two, row, m, &g));
    }
    for (size_t m = 0; m < s->members; m++) {
        double x = exp(member_log_mean(one, row, m, &f)), y = exp(member_log_mean(two, row, m, &g));
        sum += weight[m] * (x * y * expm1(r * sqrt(f * g) + apart) + (x - mean[0]) * (y - mean[1]));
    }
    return sum;
}

typedef struct joint_question {          /* what is asked of all targets, block by block                    */
    una_status (*block)(struct joint_question *q, const joint_view *s, size_t from, una_run *run);
    bool    noise;
    double *cov;                         /* [rows, targets, targets]                                        */
    const double *y;                     /* [rows, targets]                                                 */
    double  log_lik;                     /* summed over the rows that have all targets                      */
    size_t  complete;                    /* how many these are                                              */
} joint_question;

static una_status give_log_target_covariance(joint_question *q, const joint_view *s, size_t from, una_run *run)
{
    size_t n = s->targets;
    for (size_t i = 0; i < s->rows * n * n; i++) {
        size_t row = i / (n * n), a = i / n % n, b = i % n;
        char place[UNA_ROW_NAME_ROOM];
        const target_view *one = &s->target[a], *two = &s->target[b];
        double *to = &q->cov[from * n * n + i];
        una_row_answer y;
        UNA_TRY(una_answer_row(&y, one->columns, &one->p, row, from, run));
        if (a == b) *to = y.std_epistemic * y.std_epistemic + (q->noise ? y.std_noise * y.std_noise : 0);
        else *to = s->joint ? log_target_covariance(s, a, b, row, q->noise) : 0;
        if (!isfinite(*to))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s: the covariance of '%.60s' and '%.60s' is beyond all numbers; take other "
                     "units, or leave the row out", una_row_name(place, from + row, run), one->columns->target,
                     two->columns->target);
    }
    return UNA_OK;
}

static una_status give_covariance(joint_question *q, const joint_view *s, size_t from, una_run *run)
{
    size_t n = s->targets;
    if (s->target[0].columns->log_target) return give_log_target_covariance(q, s, from, run);
    for (size_t i = 0; i < s->rows * n * n; i++) {
        size_t row = i / (n * n), a = i / n % n, b = i % n;
        const una_columns *one = s->target[a].columns, *two = s->target[b].columns;
        double c = function_covariance(s, a, b, row), *to = &q->cov[from * n * n + i];
        if (q->noise) c += s->r[a * n + b] * sqrt(s->target[a].p.var_noise[row] * s->target[b].p.var_noise[row]);
        *to = c == 0 ? 0 : c * (one->target_scale * two->target_scale);
        if (!isfinite(*to) || (c != 0 && *to == 0))
            UNA_FAIL(run, UNA_E_NUMERIC, "the covariance of '%.60s' and '%.60s' is beyond all numbers: their standard "
                     "deviations are %g and %g; take other units", one->target, two->target, one->target_scale,
                     two->target_scale);
    }
    return UNA_OK;
}

static una_status ask_block(const una_model *whole, una_view x, size_t from, joint_question *q, una_run *run)
{
    joint_view s;
    run->first_row = from;
    una_status status = predict_targets(&s, whole, x.at + from * x.stride, x.rows, run);
    run->first_row = 0;
    return status == UNA_OK ? q->block(q, &s, from, run) : status;
}

static una_status ask_blocks(const una_model *whole, una_view x, double *y, void *asked, una_run *run)
{
    joint_question *q = asked;
    size_t rows = x.rows;
    q->y = y;
    for (size_t from = 0; from < rows; from += ROWS_AT_ONCE) {
        x.rows = rows - from < ROWS_AT_ONCE ? rows - from : ROWS_AT_ONCE;
        UNA_SCOPED(run, ask_block(whole, x, from, q, run));
    }
    return UNA_OK;
}

una_status una_model_covariance(const una_model *model, const una_dataset *data, int noise, double *cov, una_run *run)
{
    joint_question q = { .block = give_covariance, .noise = noise != 0, .cov = cov };
    una_clear_message(run);
    UNA_SCOPED(run, una_model_ask_rows(model, data, false, ask_blocks, &q, run));
    return UNA_OK;
}

/* ---- the density of all targets of a row ------------------------------------------------------------------------ */

/* room[m] = log N(y; mean, C) of member m; behind the members there is room for a matrix and a vector. */
static una_status log_normal(double *room, const joint_view *s, size_t row, size_t m, const double *y, una_run *run)
{
    size_t n = s->targets, at = row * s->members + m;
    double *c = room + s->members, *d = c + n * n;
    for (size_t i = 0; i < n * n; i++) {
        const target_view *one = &s->target[i / n], *two = &s->target[i % n];
        double f = one->function.var[at], g = two->function.var[at];
        double p = one->p.parts && s->shared ? one->p.part_var[at] - f : one->p.var_noise[row];
        double q = two->p.parts && s->shared ? two->p.part_var[at] - g : two->p.var_noise[row];
        c[i] = s->r[i] * (sqrt(f * g) + sqrt(fmax(p, 0) * fmax(q, 0)));
    }
    for (size_t t = 0; t < n; t++) d[t] = y[t] - s->target[t].function.mean[at];

    UNA_TRY(una_chol(c, n, "the covariance of the targets", run));
    una_chol_lower_solve(c, n, d, 1);
    room[m] = -0.5 * (una_dot(d, d, n) + una_chol_logdet(c, n) + (double)n * UNA_LOG_TWO_PI);
    return UNA_OK;
}

/* Log of the weighted mean of densities, given their logs. */
static double log_mean(const double *each, const double *weight, size_t count)
{
    double most = -INFINITY, sum = 0, whole = 0;
    for (size_t m = 0; m < count; m++) most = fmax(most, each[m]);
    for (size_t m = 0; m < count; m++) {
        sum += weight[m] * exp(each[m] - most);
        whole += weight[m];
    }
    return most + log(sum / whole);
}

/* Targets fitted one by one: the product of their densities, each a mixture of its own. */
static double log_product(const joint_view *s, size_t row, const double *y, double *room)
{
    double sum = 0;
    for (size_t t = 0; t < s->targets; t++) {
        const target_view *v = &s->target[t];
        size_t count = v->p.parts ? v->p.parts : 1;
        const double one = 1, *weight = v->p.parts ? v->p.part_weight : &one;
        for (size_t m = 0; m < count; m++) {
            double mean = v->p.parts ? v->p.part_mean[row * count + m] : v->p.mean[row];
            double var = v->p.parts ? v->p.part_var[row * count + m] : v->p.var_model[row] + v->p.var_noise[row];
            room[m] = -0.5 * ((y[t] - mean) * (y[t] - mean) / var + log(var) + UNA_LOG_TWO_PI);
        }
        sum += log_mean(room, weight, count);
    }
    return sum;
}

static una_status log_joint(double *value, const joint_view *s, size_t row, const double *y, double *room, una_run *run)
{
    for (size_t m = 0; m < s->members; m++) UNA_TRY(log_normal(room, s, row, m, y, run));
    *value = log_mean(room, s->target[0].function.weight, s->members);
    return UNA_OK;
}

static una_status add_density(joint_question *q, const joint_view *s, size_t from, una_run *run)
{
    char place[UNA_ROW_NAME_ROOM];
    size_t n = s->targets, most = s->members;
    for (size_t t = 0; t < n; t++) most = s->target[t].p.parts > most ? s->target[t].p.parts : most;
    UNA_NEW(&run->scratch, double, room, most + n * n + n);

    for (size_t r = 0; r < s->rows; r++) {
        const double *y = q->y + (from + r) * n;
        double value = 0;
        bool complete = true;
        for (size_t t = 0; t < n; t++) complete = complete && !isnan(y[t]);
        if (!complete) continue;
        if (s->joint) UNA_TRY(log_joint(&value, s, r, y, room, run));
        else value = log_product(s, r, y, room);
        for (size_t t = 0; t < n; t++) {                 /* p(y) = p(log y) / y */
            const una_columns *c = s->target[t].columns;
            if (c->log_target) value -= c->target_centre + c->target_scale * y[t];
        }
        if (!isfinite(value))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s: its targets have a density beyond all numbers; look at the row, or leave "
                     "it out", una_row_name(place, from + r, run));
        q->log_lik += value;
        q->complete++;
    }
    return UNA_OK;
}

una_status una_model_joint_log_lik(double *log_lik, size_t *rows, const una_model *model, const una_dataset *data,
                                   una_run *run)
{
    joint_question q = { .block = add_density };
    double units = 0;
    una_clear_message(run);
    UNA_SCOPED(run, una_model_ask_rows(model, data, true, ask_blocks, &q, run));
    for (size_t t = 0; t < una_model_target_count(model); t++)
        units += log(una_model_target(model, t)->columns.target_scale);
    *log_lik = q.complete ? q.log_lik / (double)q.complete - units : NAN;
    if (q.complete && !isfinite(*log_lik))
        UNA_FAIL(run, UNA_E_NUMERIC, "the densities of %zu rows add up beyond all numbers; look for rows that are far "
                 "from all that the model knows, and leave them out", q.complete);
    if (rows) *rows = q.complete;
    return UNA_OK;
}

/* ---- functions of all targets ----------------------------------------------------------------------------------- */

/* With the factor C C' = r and random numbers z_s, the same for all targets, w_t = mean_t + sum_s C_ts L_t'^-1 z_s has
 * cov(w_t, w_s) = r_ts L_t'^-1 L_s^-1: under one head S_ts V. */
static una_status draw_shared(const una_model *whole, size_t target, una_view x, const una_drawing *how, double *f,
                              una_run *run)
{
    const una_model *part = whole->target[target];
    size_t n = whole->targets;
    UNA_NEW(&run->scratch, double, r, n * n);
    una_correlations(r, &whole->coupling, n);
    UNA_TRY(una_chol(r, n, "the correlation of the targets", run));
    una_drawing own = { how->draws, how->prior, r + target * n, target + 1 };
    UNA_TRY(una_calls(part->kind)->draw(part->state, x, &own, f, run));
    if (!how->prior) UNA_TRY(una_widen_draws(f, how->draws, part, x, target, run));
    return una_functions_in_units(part, x.at, x.rows, how->draws, f, run);
}

/* Each target draws with a seed of its own; the first keeps the run's. */
static una_status draw_by_own_seed(const una_model *part, size_t target, una_view x, const una_drawing *how, double *f,
                                   una_run *run)
{
    uint64_t seed = run->settings.seed;
    una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, UINT64_MAX - target);
    if (target) run->settings.seed = (uint64_t)una_rng_u32(&rng) << 32 | una_rng_u32(&rng);
    una_status status = una_model_draw_encoded(part, x, how, f, run);
    run->settings.seed = seed;
    return status;
}

una_status una_several_draw(const una_model *whole, size_t target, una_view x, const una_drawing *how, double *f,
                            una_run *run)
{
    const una_model *part = una_model_target(whole, target);
    bool shared = target > 0 && whole->coupling.joint && part->kind->fit_to.targets;
    UNA_SCOPED(run, shared ? draw_shared(whole, target, x, how, f, run)
                           : draw_by_own_seed(part, target, x, how, f, run));
    return UNA_OK;
}
