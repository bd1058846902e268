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
#include "model/new_words.h"

#include "la/la.h"
#include "model/log_target.h"

enum { ROWS_AT_ONCE = 1024 };

typedef struct target_view {             /* one target at some rows; standardised                           */
    una_predictive p;                    /* of the whole mixture                                            */
    una_gaussians function;              /* without noise                                                   */
} target_view;

typedef struct joint_view {              /* all targets at some rows                                        */
    const una_model *whole;
    target_view     *target;             /* [targets]                                                       */
    double          *r;                  /* [targets, targets] correlation of the noise                     */
    size_t           targets, rows, members;      /* members 0: the targets do not share members            */
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
    v->p.parts = calls->mixture ? calls->mixture(part->state) : 0;
    v->function.parts = una_kind_part_count(calls, part->state);
    UNA_TRY(una_predictive_new(&v->p, rows, &run->scratch));
    UNA_TRY(una_gaussians_new(&v->function, rows, 0, &run->scratch));
    UNA_TRY(una_model_each_block(part, x, rows, UNA_PARTS, take_view, v, run));
    return una_kind_parts(calls, part->state, (una_view){ x, rows, inputs, inputs }, &v->function, run);
}

/* Targets share members if they have as many, with the same weights. */
static size_t common_members(const joint_view *s)
{
    const una_gaussians *first = &s->target[0].function;
    for (size_t t = 0; t < s->targets; t++) {
        const una_gaussians *g = &s->target[t].function;
        if (g->parts != first->parts || (s->target[t].p.parts && s->target[t].p.parts != g->parts)) return 0;
        for (size_t m = 0; m < g->parts; m++)
            if (!(fabs(g->weight[m] - first->weight[m]) <= 1e-9)) return 0;
    }
    return first->parts;
}

static una_status predict_targets(joint_view *s, const una_model *whole, const double *x, size_t rows, una_run *run)
{
    size_t n = una_model_target_count(whole);
    *s = (joint_view){ .whole = whole, .targets = n, .rows = rows, .target = UNA_GET(&run->scratch, target_view, n),
                       .r = UNA_GET(&run->scratch, double, n * n) };
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < n; t++) UNA_TRY(view_target(&s->target[t], una_model_target(whole, t), x, rows, run));

    una_correlations(s->r, &whole->coupling, n);
    s->members = whole->coupling.joint ? common_members(s) : 0;
    return UNA_OK;
}

/* ---- covariance ------------------------------------------------------------------------------------------------- */

/* Of the functions of two targets at a row; standardised. */
static double function_covariance(const joint_view *s, size_t a, size_t b, size_t row)
{
    const target_view *one = &s->target[a], *two = &s->target[b];
    double r = s->r[a * s->targets + b], sum = 0;
    if (a == b) return one->p.var_model[row];
    if (!s->whole->coupling.joint) return 0;
    if (!s->members) return r * sqrt(one->p.var_model[row] * two->p.var_model[row]);

    const una_gaussians *f = &one->function, *g = &two->function;
    for (size_t m = 0; m < s->members; m++) {
        size_t at = row * s->members + m;
        sum += f->weight[m] * (r * sqrt(f->var[at] * g->var[at]) +
                               (f->mean[at] - one->p.mean[row]) * (g->mean[at] - two->p.mean[row]));
    }
    return sum;
}

/* Log of the mean of y in member m, and the variance of the function there; in units of log y. */
static double member_log_mean(const joint_view *s, size_t target, size_t row, size_t m, double *var)
{
    const una_columns *c = &una_model_target(s->whole, target)->columns;
    const target_view *v = &s->target[target];
    size_t at = row * s->members + m;
    double unit = c->target_scale * c->target_scale, mean = s->members ? v->function.mean[at] : v->p.mean[row];
    *var = unit * (s->members ? v->function.var[at] : v->p.var_model[row]);
    return c->target_centre + c->target_scale * mean + 0.5 * (*var + unit * v->p.var_noise[row]);
}

static double log_target_covariance(const joint_view *s, size_t a, size_t b, size_t row, bool noise)
{
    const una_columns *one = &una_model_target(s->whole, a)->columns, *two = &una_model_target(s->whole, b)->columns;
    double r = s->r[a * s->targets + b], mean[2] = { 0, 0 }, sum = 0, f, g;
    double apart = noise ? r * one->target_scale * two->target_scale *
                           sqrt(s->target[a].p.var_noise[row] * s->target[b].p.var_noise[row]) : 0;
    size_t count = s->members ? s->members : 1;
    const double single = 1, *weight = s->members ? s->target[a].function.weight : &single;
    for (size_t m = 0; m < count; m++) {
        mean[0] += weight[m] * exp(member_log_mean(s, a, row, m, &f));
        mean[1] += weight[m] * exp(member_log_mean(s, b, row, m, &g));
    }
    for (size_t m = 0; m < count; m++) {
        double x = exp(member_log_mean(s, a, row, m, &f)), y = exp(member_log_mean(s, b, row, m, &g));
        sum += weight[m] * (x * y * expm1(r * sqrt(f * g) + apart) + (x - mean[0]) * (y - mean[1]));
    }
    return sum;
}

static una_status give_log_target_covariance(const joint_view *s, bool noise, size_t from, double *cov, una_run *run)
{
    size_t n = s->targets;
    for (size_t i = 0; i < s->rows * n * n; i++) {
        size_t row = i / (n * n), a = i / n % n, b = i % n;
        char place[UNA_ROW_NAME_ROOM];
        const una_columns *one = &una_model_target(s->whole, a)->columns;
        double *to = &cov[from * n * n + i];
        una_log_target_answer y;
        UNA_TRY(una_log_target_row(&y, one, &s->target[a].p, row, from, run));
        if (a == b) *to = y.std_epistemic * y.std_epistemic + (noise ? y.std_noise * y.std_noise : 0);
        else *to = s->whole->coupling.joint ? log_target_covariance(s, a, b, row, noise) : 0;
        if (!isfinite(*to))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s: the covariance of '%.60s' and '%.60s' is beyond all numbers; take other "
                     "units, or leave the row out", una_row_name(place, from + row, run), one->target,
                     una_model_target(s->whole, b)->columns.target);
    }
    return UNA_OK;
}

static una_status give_covariance(const joint_view *s, bool noise, size_t from, double *cov, una_run *run)
{
    size_t n = s->targets;
    for (size_t i = 0; i < s->rows * n * n; i++) {
        size_t row = i / (n * n), a = i / n % n, b = i % n;
        const una_columns *one = &una_model_target(s->whole, a)->columns;
        const una_columns *two = &una_model_target(s->whole, b)->columns;
        double c = function_covariance(s, a, b, row);
        if (noise) c += s->r[a * n + b] * sqrt(s->target[a].p.var_noise[row] * s->target[b].p.var_noise[row]);
        double *to = &cov[from * n * n + i];
        *to = c == 0 ? 0 : c * (one->target_scale * two->target_scale);
        if (!isfinite(*to) || (c != 0 && *to == 0))
            UNA_FAIL(run, UNA_E_NUMERIC, "the covariance of '%.60s' and '%.60s' is beyond all numbers: their standard "
                     "deviations are %g and %g; take other units", one->target, two->target, one->target_scale,
                     two->target_scale);
    }
    return UNA_OK;
}

typedef una_status joint_task(void *context, const joint_view *s, size_t from, una_run *run);

/* Calls the task for blocks of rows. */
static una_status each_block_of_targets(const una_model *whole, const double *x, size_t rows, joint_task *task,
                                        void *context, una_run *run)
{
    size_t inputs = una_model_target(whole, 0)->columns.input_count;
    for (size_t from = 0; from < rows; from += ROWS_AT_ONCE) {
        una_mark mark = una_arena_mark(&run->scratch);
        joint_view s;
        size_t count = rows - from < ROWS_AT_ONCE ? rows - from : ROWS_AT_ONCE;
        run->first_row = from;
        una_status status = predict_targets(&s, whole, x + from * inputs, count, run);
        run->first_row = 0;
        if (status == UNA_OK) status = task(context, &s, from, run);
        una_arena_release(&run->scratch, mark);
        UNA_TRY(status);
    }
    return UNA_OK;
}

typedef struct covariance_task { bool noise; double *cov; } covariance_task;

static una_status covariance_block(void *context, const joint_view *s, size_t from, una_run *run)
{
    const covariance_task *w = context;
    bool logged = una_model_target(s->whole, 0)->columns.log_target;
    return (logged ? give_log_target_covariance : give_covariance)(s, w->noise, from, w->cov, run);
}

static una_status ask_covariance(const una_model *model, una_view x, void *asked, una_run *run)
{
    return each_block_of_targets(model, x.at, x.rows, covariance_block, asked, run);
}

una_status una_model_covariance(const una_model *model, const una_dataset *data, int noise, double *cov, una_run *run)
{
    una_clear_message(run);
    UNA_SCOPED(run, una_model_ask_rows(model, data, ask_covariance, &(covariance_task){ noise != 0, cov }, run));
    return UNA_OK;
}

/* ---- the density of all targets of a row ------------------------------------------------------------------------ */

typedef struct density { const double *y; double sum; size_t rows; double *room; } density;

/* room[m] = log N(y; mean, C) of member m, or of the targets as single Gaussians where members is 0; behind the members
 * there is room for a matrix and a vector. */
static una_status log_normal(double *room, const joint_view *s, size_t row, size_t m, const double *y, una_run *run)
{
    size_t n = s->targets, at = row * s->members + m;
    double *c = room + (s->members ? s->members : 1), *d = c + n * n;
    for (size_t i = 0; i < n * n; i++) {
        const target_view *one = &s->target[i / n], *two = &s->target[i % n];
        double f = s->members ? one->function.var[at] : one->p.var_model[row];
        double g = s->members ? two->function.var[at] : two->p.var_model[row];
        double p = one->p.parts && s->members ? one->p.part_var[at] - f : one->p.var_noise[row];
        double q = two->p.parts && s->members ? two->p.part_var[at] - g : two->p.var_noise[row];
        c[i] = s->r[i] * (sqrt(f * g) + sqrt(fmax(p, 0) * fmax(q, 0)));
    }
    for (size_t t = 0; t < n; t++)
        d[t] = y[t] - (s->members ? s->target[t].function.mean[at] : s->target[t].p.mean[row]);

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
    size_t count = s->members ? s->members : 1;
    const double one = 1, *weight = s->members ? s->target[0].function.weight : &one;
    for (size_t m = 0; m < count; m++) UNA_TRY(log_normal(room, s, row, m, y, run));
    *value = log_mean(room, weight, count);
    return UNA_OK;
}

static una_status density_block(void *context, const joint_view *s, size_t from, una_run *run)
{
    density *all = context;
    char place[UNA_ROW_NAME_ROOM];
    size_t n = s->targets, most = 1;
    for (size_t t = 0; t < n; t++) {
        most = s->target[t].p.parts > most ? s->target[t].p.parts : most;
        most = s->target[t].function.parts > most ? s->target[t].function.parts : most;
    }
    UNA_NEW(&run->scratch, double, room, most + n * n + n);

    for (size_t r = 0; r < s->rows; r++) {
        const double *y = all->y + (from + r) * n;
        double value = 0;
        bool complete = true;
        for (size_t t = 0; t < n; t++) complete = complete && !isnan(y[t]);
        if (!complete) continue;
        if (s->whole->coupling.joint) UNA_TRY(log_joint(&value, s, r, y, room, run));
        else value = log_product(s, r, y, room);
        for (size_t t = 0; t < n; t++) {                 /* p(y) = p(log y) / y */
            const una_columns *c = &una_model_target(s->whole, t)->columns;
            if (c->log_target) value -= c->target_centre + c->target_scale * y[t];
        }
        if (!isfinite(value))
            UNA_FAIL(run, UNA_E_NUMERIC, "%s: its targets have a density beyond all numbers; look at the row, or leave "
                     "it out", una_row_name(place, from + r, run));
        all->sum += value;
        all->rows++;
    }
    return UNA_OK;
}

static una_status joint_log_lik(double *log_lik, size_t *count, const una_model *model, const una_dataset *data,
                                una_run *run)
{
    const una_columns **columns = una_several_columns(model, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    una_table_row_namer asked;
    size_t targets = una_model_target_count(model), rows, *kept;
    double *x, *y, units = 0;
    UNA_TRY(una_columns_encode_several(columns, targets, data, &(una_encoding){ &x, &y, &kept, &rows }, &run->scratch));
    density d = { .y = y };
    una_table_name_rows(&asked, data, kept, run);
    una_status status = each_block_of_targets(model, x, rows, density_block, &d, run);
    una_table_name_rows_end(&asked, run);
    UNA_TRY(status);

    for (size_t t = 0; t < targets; t++) units += log(columns[t]->target_scale);
    *log_lik = d.rows ? d.sum / (double)d.rows - units : NAN;
    if (d.rows && !isfinite(*log_lik))
        UNA_FAIL(run, UNA_E_NUMERIC, "the densities of %zu rows add up beyond all numbers; look for rows that are far "
                 "from all that the model knows, and leave them out", d.rows);
    if (count) *count = d.rows;
    return UNA_OK;
}

una_status una_model_joint_log_lik(double *log_lik, size_t *rows, const una_model *model, const una_dataset *data,
                                   una_run *run)
{
    una_clear_message(run);
    UNA_SCOPED(run, joint_log_lik(log_lik, rows, model, data, run));
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
    if (!how->prior) UNA_TRY(una_new_words_draw(f, how->draws, part, x, target, run));
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
