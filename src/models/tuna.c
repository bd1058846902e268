/* SPDX-License-Identifier: MIT
 *
 * TUNA: targeted uncertainty-aware bases. M auxiliary heads are trained on M reference functions, which express what
 * the user believes before seeing y, on reference inputs X~ = training inputs, perturbed copies, and points of the
 * user's:
 *   minimise (1/M) sum_m |g_m(X~) - Phi(X~) w_m|^2 + gamma |Psi|^2
 * The functions are drawn once from a GP prior (a kernel expression) or from a formula with random parameters, or are
 * read from a file. y is not used, so the features have not seen the rows and the evidence chooses noise and prior
 * variance; tune_prior lets the evidence of y choose the GP prior's own parameters first. With pseudo-data, each head
 * fits the training rows and pseudo points with targets of its own (uncertainty by hand). The loss fixes the span of
 * the features, not the scale of the prior: match_prior sets alpha to the heads' mean square.
 * Source: Lorsung, Understanding uncertainty in Bayesian deep learning, 2021.
 */
#include "train/basis.h"
#include "committee/committee.h"
#include "train/process.h"
#include "train/inline_rows.h"
#include "kern/kern.h"
#include "model/validation_split.h"

typedef struct tuna_options {
    una_basis_options basis;             /* first; of the committee's, only the noise                       */
    const char *prior, *formula, *values, *pseudo, *pseudo_rows, *points, *grid;
    double heads, copies, copy_std, reference_rows;
    int    tune_prior, match_prior;
} tuna_options;

static const una_option tuna_table[] = {
    { "prior", UNA_TEXT, offsetof(tuna_options, prior), "rbf", 0, 0, false, NULL,
      "kernel expression of the GP prior that reference functions are drawn from, e.g. rbf(length=0.5, on=x1) * "
      "periodic(period=2, on=x1); a length that is not given is 1 standard deviation, on n > 1 columns 2 sqrt(n)" },
    { "tune_prior", UNA_WORD, offsetof(tuna_options, tune_prior), "no", 0, 0, false, "no|evidence",
      "evidence: first fit lengths, periods and variances of the prior to the training rows (at most reference_rows "
      "of them), by the evidence of a Gaussian process" },
    { "formula", UNA_TEXT, offsetof(tuna_options, formula), "", 0, 0, false, NULL,
      "instead: a formula with random parameters, e.g. \"a*sin(b*x1+c); a~normal(1,0.2); b~normal(2,0.1); "
      "c~uniform(0,1)\"" },
    { "values", UNA_FILE, offsetof(tuna_options, values), "", 0, 0, false, NULL,
      "instead: a file with the input columns and one column per reference function" },
    { "pseudo", UNA_FILE, offsetof(tuna_options, pseudo), "", 0, 0, false, NULL,
      "instead: a file of pseudo-data, the input columns and one target column per head; heads fit the training rows "
      "too" },
    { "pseudo_rows", UNA_TEXT, offsetof(tuna_options, pseudo_rows), "", 0, 0, false, NULL,
      "the same pseudo-data inline, names first: \"x,low,high; -1,-20,20; 1,-20,20\"" },
    { "points", UNA_FILE, offsetof(tuna_options, points), "", 0, 0, false, NULL,
      "a file with further reference inputs" },
    { "grid", UNA_TEXT, offsetof(tuna_options, grid), "", 0, 0, false, NULL,
      "further reference inputs, low:high:count of each input: \"x1=-4:4:17, x2=0:10:3\"; inputs not named stay at "
      "their mean" },
    { "heads", UNA_COUNT, offsetof(tuna_options, heads), "40", 1, 1000, false, NULL,
      "M: reference functions (a file brings its own number)" },
    { "copies", UNA_COUNT, offsetof(tuna_options, copies), "1", 0, 100, false, NULL,
      "perturbed copies of each training input" },
    { "copy_std", UNA_REAL, offsetof(tuna_options, copy_std), "0.5", 0, 100, false, NULL,
      "std of the copies' perturbation, on standardised inputs" },
    { "reference_rows", UNA_COUNT, offsetof(tuna_options, reference_rows), "500", 1, 20000, false, NULL,
      "at most this many training inputs become reference inputs (chosen at random)" },
    { "match_prior", UNA_FLAG, offsetof(tuna_options, match_prior), "no", 0, 0, false, NULL,
      "prior_var = mean square of the fitted heads' weights" },
    UNA_NET_TABLE(tuna_options, "0.003", false, "learning rate", "0.01", "auto"),
    UNA_ROW_NOISE_SHAPE,
    UNA_ROW_TAILS,
    { .name = NULL }
};

typedef struct references {
    double *x;                           /* [rows, inputs] standardised                                     */
    double *g;                           /* [rows, heads] standardised                                      */
    size_t  rows, inputs, heads;
} references;

static bool is_given(const char *text)
{
    return text && *text;
}

static bool has_pseudo(const tuna_options *o)
{
    return is_given(o->pseudo) || is_given(o->pseudo_rows);
}

static bool own_units(const tuna_options *o)
{
    return o->basis.common.units == 0;
}

/* ---- reference inputs ------------------------------------------------------------------------------------ */

static void copy_inputs(references *r, const double *x, una_rng *perturb, const una_problem *p, double std)
{
    double *to = r->x + r->rows++ * r->inputs;
    memcpy(to, x, r->inputs * sizeof *to);
    for (size_t d = 0; perturb && d < r->inputs; d++)
        if (p->columns->inputs[d].level == SIZE_MAX) to[d] += std * una_rng_normal(perturb);
}

/* Chooses the training rows that become reference inputs: the first of order [*used]. */
static una_status tuna_choose_rows(uint32_t **order, size_t *used, const tuna_options *o, const una_problem *p,
                                   una_run *run)
{
    size_t rows = p->x.rows;
    una_rng rng = una_rng_at(p->seed, UNA_FOR_REFERENCES, 0);
    *used = rows < (size_t)o->reference_rows ? rows : (size_t)o->reference_rows;
    UNA_TRY(una_order_new(order, rows, &run->scratch));
    una_rng_permute(&rng, *order, rows);
    return UNA_OK;
}

static una_status reference_inputs(references *r, const tuna_options *o, const una_problem *p, una_run *run)
{
    size_t copies = (size_t)o->copies, used, extra = 0, on_grid = 0;
    uint32_t *order;
    double *points = NULL, *grid = NULL;
    UNA_TRY(tuna_choose_rows(&order, &used, o, p, run));
    if (is_given(o->grid)) UNA_TRY(una_inline_grid(&grid, &on_grid, o->grid, p->columns, "tuna: grid", run));

    if (is_given(o->points)) {
        una_dataset *table;
        UNA_TRY(una_dataset_read(&table, o->points, run));
        una_encoding to = { &points, NULL, NULL, &extra };
        una_status status = una_columns_encode(p->columns, table, &to, &run->scratch);
        una_dataset_free(table);
        UNA_TRY(status);
    }

    r->inputs = p->x.cols;
    UNA_NEW_AT(&run->scratch, r->x, (used * (1 + copies) + extra + on_grid) * r->inputs);

    una_rng perturb = una_rng_at(p->seed, UNA_FOR_REFERENCES, 1);
    for (size_t i = 0; i < used; i++) {
        const double *x = p->x.at + order[i] * p->x.stride;
        copy_inputs(r, x, NULL, p, 0);
        for (size_t c = 0; c < copies; c++) copy_inputs(r, x, &perturb, p, o->copy_std);
    }
    for (size_t i = 0; i < extra; i++) copy_inputs(r, points + i * r->inputs, NULL, p, 0);
    for (size_t i = 0; i < on_grid; i++) copy_inputs(r, grid + i * r->inputs, NULL, p, 0);
    return UNA_OK;
}

/* ---- tuning the prior -------------------------------------------------------------------------------------- */

/* The process of the prior, on the rows that become reference inputs. */
static una_status prior_process(una_gp *gp, const tuna_options *o, const una_kernel_inputs *inputs,
                                const una_problem *p, una_run *run)
{
    size_t used;
    una_gp_rows rows;
    uint32_t *order;
    una_kernel *kernel;
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(tuna_choose_rows(&order, &used, o, p, run));
    UNA_TRY(una_gp_memory(used, 2, run));
    UNA_TRY(una_gp_rows_pick(&rows, p, order, used, run));
    UNA_TRY(una_kernel_parse(&kernel, o->prior, inputs, &run->scratch, run));
    UNA_TRY(una_kernel_text_fits(kernel, inputs, "tuna", run));
    return una_gp_init(gp, kernel, rows, &run->scratch);
}

/* The kernel's parameters with the largest evidence of that process, by its exact gradient, from the given values and
 * some random points. The evidence does not depend on the network, so alternating with training would end at the same
 * values: they are found before it, and the references are drawn once, with the same random numbers as without tuning.
 * Written back as text and read again, so that the spec of the fitted model gives the same references. */
static una_status tune_prior(tuna_options *o, const una_problem *p, una_fit_result *result, una_arena *keep,
                             una_run *run)
{
    enum { STARTS = 4 };
    una_gp gp = {0};
    una_kernel_inputs inputs;
    una_hyper_plan plan = {0};
    bool chosen = UNA_IS_AUTO(o->basis.common.noise_std);
    una_gp_search search = { .gp = &gp, .stage = "tuning the prior", .free_noise = chosen, .range = 1e5,
                             .jitter = UNA_AUTO, .starts = STARTS };
    UNA_TRY(una_gp_inputs(&inputs, own_units(o), p->columns, run));
    inputs.lengths_grow = true;
    UNA_TRY(prior_process(&gp, o, &inputs, p, run));
    gp.noise_var = chosen ? 0.1 : una_noise_var(o->basis.common.noise_std, una_unit(o->basis.common.units, p));
    UNA_TRY(una_gp_search_run(&search, &plan, STARTS, p->seed, run));

    una_text text = una_text_in(keep);
    una_kernel_text(&text, gp.kernel, &inputs);
    UNA_TRY(una_arena_check(keep));
    o->prior = text.at;
    o->tune_prior = 0;
    una_notes_add(&result->notes, "The prior was moved to %s by the evidence of %zu rows.", o->prior, gp.rows);
    return UNA_OK;
}

/* ---- reference functions ----------------------------------------------------------------------------------- */

static una_status draw_from_prior(references *r, const tuna_options *o, const una_problem *p, una_fit_result *result,
                                  una_run *run)
{
    una_kernel_inputs inputs;
    una_kernel *kernel;
    double jitter;
    UNA_TRY(una_gp_inputs(&inputs, own_units(o), p->columns, run));
    inputs.lengths_grow = true;
    UNA_TRY(una_kernel_parse(&kernel, o->prior, &inputs, &run->scratch, run));
    una_rng rng = una_rng_at(p->seed, UNA_FOR_REFERENCES, 2);
    UNA_TRY(una_gp_prior_draws(kernel, (una_view){ r->x, r->rows, r->inputs, r->inputs }, r->heads, &rng, r->g, &jitter, run));
    if (jitter > 1e-8)
        una_notes_add(&result->notes, "The kernel matrix of the references needed a relative jitter of %g.", jitter);
    return UNA_OK;
}

static una_status draw_from_formula(references *r, const tuna_options *o, const una_problem *p, una_run *run)
{
    una_kernel_inputs inputs;
    una_formula *formula;
    UNA_TRY(una_gp_inputs(&inputs, own_units(o), p->columns, run));
    UNA_TRY(una_formula_parse(&formula, o->formula, &inputs, &run->scratch, run));
    for (size_t m = 0; m < r->heads; m++) {
        una_rng rng = una_rng_at(p->seed, UNA_FOR_REFERENCES, 16 + m);
        UNA_TRY(una_formula_draw(formula, &rng, (una_view){ r->x, r->rows, r->inputs, r->inputs }, r->g + m, r->heads,
                                 run));
    }
    for (size_t i = 0; own_units(o) && i < r->rows * r->heads; i++)
        r->g[i] = (r->g[i] - p->columns->target_centre) / p->columns->target_scale;
    return UNA_OK;
}

static bool is_source(const una_columns *c, const char *name)
{
    for (size_t i = 0; i < c->source_count; i++)
        if (strcmp(c->sources[i].name, name) == 0) return true;
    return false;
}

/* Columns of the table that are not inputs, standardised like the target: g [rows, heads]. */
static una_status value_columns(references *r, const una_dataset *table, bool own, const una_problem *p, una_run *run)
{
    const una_columns *c = p->columns;
    size_t column[1000];
    r->heads = 0;
    for (size_t j = 0; j < table->columns && r->heads < 1000; j++)
        if (!is_source(c, table->column[j].name)) column[r->heads++] = j;
    if (r->heads == 0)
        UNA_FAIL(run, UNA_E_INPUT, "%s: every column is an input; add one column of values per function",
                 table->origin);

    UNA_NEW_AT(&run->scratch, r->g, r->rows * r->heads);

    for (size_t m = 0; m < r->heads; m++) {
        const una_table_column *values = &table->column[column[m]];
        for (size_t i = 0; i < r->rows; i++) {
            double value = values->is_text ? NAN : values->number[i];
            if (!isfinite(value)) {
                una_text place = una_text_in(&run->scratch);
                una_table_place(&place, table, i, column[m]);
                UNA_FAIL(run, UNA_E_INPUT, "%s: a value of a reference function must be a number", place.at);
            }
            r->g[i * r->heads + m] = own ? (value - c->target_centre) / c->target_scale : value;
        }
    }
    return UNA_OK;
}

/* From a file, or inline rows of the options. */
static una_status read_values(references *r, const tuna_options *o, const una_problem *p, una_run *run)
{
    una_dataset *table;
    if (is_given(o->pseudo_rows)) UNA_TRY(una_inline_table(&table, o->pseudo_rows, "tuna: pseudo_rows", run));
    else UNA_TRY(una_dataset_read(&table, is_given(o->values) ? o->values : o->pseudo, run));
    r->inputs = p->x.cols;
    una_encoding to = { &r->x, NULL, NULL, &r->rows };
    una_status status = una_columns_encode(p->columns, table, &to, &run->scratch);
    if (status == UNA_OK) status = value_columns(r, table, own_units(o), p, run);
    una_dataset_free(table);
    return status;
}

static una_status check_sources(const tuna_options *o, una_run *run)
{
    int sources = is_given(o->formula) + is_given(o->values) + is_given(o->pseudo) + is_given(o->pseudo_rows);
    if (sources > 1)
        UNA_FAIL(run, UNA_E_USAGE, "tuna: give one of formula, values and pseudo (or pseudo_rows), not %d of them",
                 sources);
    if (sources > 0 && o->tune_prior)
        UNA_FAIL(run, UNA_E_USAGE, "tuna: tune_prior moves the kernel of prior, and the references come from "
                 "elsewhere; leave tune_prior out");
    return UNA_OK;
}

static una_status take_references(references *r, tuna_options *o, const una_problem *p, una_fit_result *result,
                                  una_run *run)
{
    if (is_given(o->values) || has_pseudo(o)) return read_values(r, o, p, run);
    UNA_TRY(reference_inputs(r, o, p, run));
    r->heads = (size_t)o->heads;
    UNA_NEW_AT(&run->scratch, r->g, r->rows * r->heads);
    return is_given(o->formula) ? draw_from_formula(r, o, p, run) : draw_from_prior(r, o, p, result, run);
}

/* ---- training ------------------------------------------------------------------------------------------------ */

/* Reference rows and, with pseudo-data, the training rows with y for every head (but each fifth,
 * kept for the noise). */
static una_status tuna_rows(una_training_rows *data, const references *r, const una_problem *p, const bool *held,
                            una_run *run)
{
    size_t rows = r->rows + (held ? p->x.rows : 0), inputs = r->inputs, wide = UNA_PADDED(r->heads);
    *data = (una_training_rows){ .inputs = inputs, .outputs = 1 };
    UNA_NEW_ROWS_AT(&run->scratch, data->x, rows * inputs);
    UNA_NEW_ROWS_AT(&run->scratch, data->target, rows * (r->heads == 1 ? 1 : wide));
    if (r->heads == 1) wide = 1;

    for (size_t i = 0; i < r->rows; i++, data->rows++) {
        for (size_t d = 0; d < inputs; d++) data->x[data->rows * inputs + d] = (float)r->x[i * inputs + d];
        for (size_t m = 0; m < r->heads; m++) data->target[data->rows * wide + m] = (float)r->g[i * r->heads + m];
    }

    for (size_t i = 0; held && i < p->x.rows; i++) {
        if (held[i]) continue;
        for (size_t d = 0; d < inputs; d++) data->x[data->rows * inputs + d] = (float)p->x.at[i * p->x.stride + d];
        for (size_t m = 0; m < r->heads; m++) data->target[data->rows * wide + m] = (float)p->y[i];
        data->rows++;
    }
    return UNA_OK;
}

static una_status hold_fifth(bool **held, const una_problem *p, una_run *run)
{
    size_t rows = p->x.rows, fifth = rows / 5;
    uint32_t *order;
    una_copies copies;
    UNA_NEW_AT(&run->scratch, *held, rows);
    UNA_TRY(una_split_copies(&copies, p, run));
    UNA_TRY(una_hold_rows(&order, &fifth, &copies, rows, una_rng_at(p->seed, UNA_FOR_SPLIT, 1), run));
    for (size_t i = 0; i < fifth; i++) (*held)[order[i]] = true;
    return UNA_OK;
}

static double mean_square_of_heads(const una_basis *basis)
{
    una_body_size size = basis->net.body->size(basis->net.shape);
    size_t heads = size.heads, features = size.features, wide = UNA_PADDED(heads);
    const float *w = basis->parameters + size.head, *b = w + features * wide;
    double sum = 0;
    for (size_t m = 0; m < heads; m++) {
        sum += (double)b[m] * (double)b[m];
        for (size_t j = 0; j < features; j++) sum += (double)w[j * wide + m] * (double)w[j * wide + m];
    }
    return sum / (double)(heads * (features + 1));
}

/* Noise on rows that did not train the features, which pseudo-data made depend on y: evaluated by the posterior of the
 * others. */
static una_status noise_from_held(una_basis *basis, const una_problem *p, const bool *held, una_fit_result *result,
                                  una_run *run)
{
    size_t k = basis->net.body->size(basis->net.shape).features + 1, out = 0, in = 0;
    una_stats stats;
    una_view phi;
    una_stats_init(&stats, k, &run->scratch);
    UNA_NEW_ROWS(&run->scratch, double, valid_phi, p->x.rows * k);
    UNA_NEW_ROWS(&run->scratch, double, valid_y, p->x.rows);
    UNA_TRY(una_basis_phi(basis, p->x, &phi, run));

    for (size_t i = 0; i < p->x.rows; i++) {
        if (held[i]) {
            memcpy(valid_phi + out * k, phi.at + i * k, k * sizeof *valid_phi);
            valid_y[out++] = p->y[i];
        } else {
            UNA_TRY(una_stats_add(&stats, phi.at + i * k, p->y + i, 1, run));
            in++;
        }
    }

    if (out == 0 || in == 0) UNA_FAIL(run, UNA_E_INPUT, "tuna: too few rows to choose the noise; give noise_std");
    una_held_rows rows = { .phi = valid_phi, .y = valid_y, .rows = out };
    UNA_TRY(una_choose_by_validation(&basis->head.noise_var, basis->head.prior_var, &stats, &rows, run));
    result->valid_rows = out;
    result->valid_log_lik = rows.log_lik;
    result->valid_rmse = rows.rmse;
    return UNA_OK;
}

static una_status tuna_choose_variances(una_basis *basis, const tuna_options *o, const una_problem *p, const bool *held,
                                        una_fit_result *result, una_run *run)
{
    una_head *head = &basis->head;
    head->prior_var = o->match_prior ? mean_square_of_heads(basis) : o->basis.common.prior_var;
    head->noise_var = una_noise_var(o->basis.common.noise_std, una_unit(o->basis.common.units, p));
    if (held && UNA_IS_AUTO(head->noise_var)) {
        if (UNA_IS_AUTO(head->prior_var)) head->prior_var = 1;
        UNA_TRY(noise_from_held(basis, p, held, result, run));
    }
    return UNA_OK;
}

static una_status tuna_train(const una_fitting *f, const una_training_rows *data)
{
    const una_basis *basis = f->target->state;
    const una_basis_options *o = f->target->options;
    size_t *group;
    UNA_NEW(&f->run->scratch, una_trained_job, t, 1);
    UNA_TRY(una_basis_groups(&group, f->problem->columns, &f->run->scratch));
    t->job = una_basis_job(o, basis->net, &(una_training_settings){0}, 0.5);    /* weight 1/(2 0.5) = 1 */
    t->job.how.descent.stage = "training tuna";
    t->job.how.seed = f->problem->seed;
    t->job.rows = data;
    t->job.target_heads = basis->net.body->size(basis->net.shape).heads;
    t->job.group = group;

    una_status status = una_train_many(t, sizeof *t, 1, f->run);
    if (status == UNA_OK) status = una_basis_keep(f->target->state, t, f->target->result, f->keep);
    f->target->result->steps = t->trained.steps;
    una_jobs_free(t, sizeof *t, 1);
    return status;
}

static una_status learn_from_references(una_fitting *f)
{
    const una_problem *p = f->problem;
    una_basis *basis = f->target->state;
    tuna_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    references r = {0};
    bool *held = NULL;
    una_training_rows data;
    UNA_TRY(take_references(&r, o, p, result, f->run));
    if (has_pseudo(o)) UNA_TRY(hold_fifth(&held, p, f->run));
    UNA_TRY(tuna_rows(&data, &r, p, held, f->run));
    o->heads = (double)r.heads;
    una_basis_resolve(&o->basis, data.rows, data.rows, false);
    UNA_TRY(una_network_make(&basis->net, &o->basis, r.heads, false, f));
    UNA_TRY(tuna_train(f, &data));
    UNA_TRY(tuna_choose_variances(basis, o, p, held, result, f->run));
    UNA_TRY(una_basis_posterior(basis, p, false, f->keep, f->run));
    una_basis_report(basis, &o->basis.common, p, result);
    return UNA_OK;
}

static una_status tuna_fit(una_fitting *f)
{
    tuna_options *o = f->target->options;
    const double share = o->tune_prior ? 0.2 : 0;        /* of the fit, roughly */
    UNA_TRY(check_sources(o, f->run));
    if (o->tune_prior) UNA_STAGE(f->run, 0, share, tune_prior(o, f->problem, f->target->result, f->keep, f->run));
    UNA_STAGE(f->run, share, 1, learn_from_references(f));
    return UNA_OK;
}

/* With pseudo-data the features depend on every row: there are no out-of-fold predictions. */
static una_status tuna_prepare(una_fitting *f)
{
    tuna_options *o = f->target->options;
    una_common_options *common = &o->basis.common;
    una_fit_result *result = f->target->result;
    if (!has_pseudo(o)) return UNA_OK;
    if (result->oof && result->oof->log_lik)
        UNA_FAIL(f->run, UNA_E_USAGE, "auto: tuna with pseudo-data cannot stand in a stack: its features have seen "
                 "the target of every row; leave pseudo out");
    result->oof = NULL;
    if (common->noise == UNA_NOISE_VARYING)
        UNA_FAIL(f->run, UNA_E_USAGE, "tuna: noise=varying is not possible with pseudo-data, whose features have seen "
                 "the target of every row; use noise=constant");
    if (una_is_given(common->tails) && !isinf(common->tails))
        UNA_FAIL(f->run, UNA_E_USAGE, "tuna: tails=%g is not possible with pseudo-data, whose features have seen the "
                 "target of every row; use tails=inf", common->tails);
    if (common->noise == UNA_NOISE_AUTO && UNA_IS_AUTO(common->noise_std))
        una_notes_add(&result->notes, "The noise is constant: with pseudo-data no row is left by which to learn "
                      "whether it varies.");
    common->noise = UNA_NOISE_CONSTANT;
    return UNA_OK;
}

const una_kind una_kind_tuna = {
    .name = "tuna",
    .summary = "targeted uncertainty-aware basis: features learnt from prior knowledge of the function",
    .source = "Lorsung 2021",
    .options = tuna_table,
    .options_size = sizeof(tuna_options),
    .thesis = "prior=rbf(length=1), heads=40, copies=1, copy_std=0.1, width=50, depth=2, features=20, activation=relu, "
              "rate=0.001, rate_schedule=constant, epochs=20000, batch=1000000, penalty=0.0001, prior_var=1, "
              "units=standardised, noise=constant",
    .results = 4,
    .least_rows = 3,
    .committee = &una_committee_calls,
    .prepare = tuna_prepare,
    .fit = tuna_fit,
    .functions = una_basis_functions,
    UNA_BASIS_CALLS,
};
