/* SPDX-License-Identifier: MIT
 *
 * The network kinds, by the library's own forward and backward passes. Included by golden.c once with `real` float and
 * once with double: no guard on purpose.
 */
typedef struct REAL(evaluation) {
    golden *file;
    const problem *p;
    const REAL(una_kernels) *kernels;
    real *parameters, *x, *gradient;
    REAL(una_work) *work;
    answer *results;
} REAL(evaluation);

static real *REAL(converted)(una_arena *arena, const double *from, size_t rows, size_t cols, size_t stride)
{
    real *to = UNA_GET(arena, real, rows * stride);
    if (!to) return NULL;
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++) to[r * stride + c] = (real)from[r * cols + c];
    return to;
}

static bool REAL(begin)(REAL(evaluation) *e, golden *file, const problem *p, const REAL(una_kernels) *kernels,
    answer *results)
{
    const una_net *net = &p->net;
    size_t probes = p->delta ? p->rows : 0;
    *e = (REAL(evaluation)){ .file = file, .p = p, .kernels = kernels, .results = results };
    results->count = 0;
    e->parameters = REAL(converted)(file->arena, p->parameters, 1, net->parameters, net->parameters);
    e->x = REAL(converted)(file->arena, p->x, p->rows, net->size[0], net->size[0]);
    e->gradient = UNA_GET(file->arena, real, net->parameters);
    una_work_size size = { .rows = p->rows, .probes = probes, .directions = net->size[0] };
    una_status status = REAL(una_work_new)(&e->work, net, &size, kernels, file->arena);
    if (status != UNA_OK || una_arena_check(file->arena) != UNA_OK)
        return refuse(file, "%s", una_run_message(file->run));
    return true;
}

static bool REAL(put_gradient)(REAL(evaluation) *e, size_t layers)
{
    const una_net *net = &e->p->net;
    for (size_t l = 0; l < layers; l++) {
        size_t in = net->size[l], out = net->size[l + 1], wide = UNA_PADDED(out);
        char name[32];
        snprintf(name, sizeof name, "grad[%zu].W", l);
        double *weights = put(e->file, e->results, name, in, out);
        snprintf(name, sizeof name, "grad[%zu].b", l);
        double *bias = put(e->file, e->results, name, out, 0);
        if (!weights || !bias) return refuse(e->file, "%s", "out of memory");

        for (size_t i = 0; i < in; i++)
            for (size_t j = 0; j < out; j++) weights[i * out + j] = (double)e->gradient[net->weights[l] + i * wide + j];
        for (size_t j = 0; j < out; j++) bias[j] = (double)e->gradient[net->biases[l] + j];
    }
    return true;
}

/* nlm_map, luna, tuna_loss: one call of the training step's gradient. */
static bool REAL(evaluate_step)(REAL(evaluation) *e)
{
    const problem *p = e->p;
    una_arena *arena = e->file->arena;
    size_t inputs = p->net.size[0], heads = p->net.heads, wide = heads == 1 ? 1 : UNA_PADDED(heads);
    REAL(una_batch) batch = { .rows = p->rows, .probes = p->delta ? p->rows : 0, .directions = p->delta ? inputs
        : 0, .x = e->x };
    REAL(una_objective) objective = { .penalty = p->gamma, .diversity = p->lambda };
    objective.fit_weight = p->g ? 1 / (double)heads : 1 / (2 * p->noise_var * (double)heads);
    batch.target_heads = p->g ? heads : 1;
    batch.target = p->g ? REAL(converted)(arena, p->g, p->rows, heads, wide)
        : REAL(converted)(arena, p->y, p->rows, 1, 1);
    batch.delta = p->delta ? REAL(converted)(arena, p->delta, p->rows, inputs, inputs) : NULL;
    double *f = put(e->file, e->results, "f", p->rows, strcmp(e->file->kind, "nlm_map") == 0 ? 0 : heads);
    if (una_arena_check(arena) != UNA_OK) return refuse(e->file, "%s", una_run_message(e->file->run));

    una_losses losses;
    REAL(una_net_gradient)(e->work, e->parameters, &batch, &objective, e->gradient, &losses);
    REAL(una_net_forward)(e->work, e->parameters, e->x, p->rows, (una_outputs){ .f = f });
    double constant = p->g ? 0 : noise_constant(p), size = losses.total + fabs(constant);
    if (!put_scalar(e->file, e->results, "loss", losses.total + constant, size)) return false;
    if (p->delta && !(put_scalar(e->file, e->results, "fit", losses.fit + constant, losses.fit + fabs(constant))
                      && put_scalar(e->file, e->results, "diverse", losses.diverse, 0)
                      && put_scalar(e->file, e->results, "mean_cos2", losses.mean_cos2, 0))) return false;
    return REAL(put_gradient)(e, p->net.depth + 1);
}

/* phi [rows, features + 1] with the ones, and the posterior of its linear head. */
static double *REAL(features)(REAL(evaluation) *e, const real *x, size_t rows)
{
    size_t features = e->p->net.features, k = features + 1;
    double *phi = UNA_GET(e->file->arena, double, rows * k);
    if (!phi || !x) return NULL;
    REAL(una_net_forward)(e->work, e->parameters, x, rows, (una_outputs){ .phi = phi, .stride = k });
    for (size_t r = 0; r < rows; r++) phi[r * k + features] = 1;
    return phi;
}

static bool REAL(solve)(REAL(evaluation) *e, const double *phi, una_head *head)
{
    una_head_init(head, e->p->net.features + 1, e->file->arena);
    if (!phi || una_arena_check(e->file->arena) != UNA_OK) return refuse(e->file, "%s", una_run_message(e->file->run));
    una_stats_add(&head->stats, phi, e->p->y, e->p->rows, NULL);
    head->noise_var = e->p->noise_var;
    head->prior_var = e->p->prior_var;
    if (una_head_solve(head, e->file->run) != UNA_OK) return refuse(e->file, "%s", una_run_message(e->file->run));
    return true;
}

/* -log evidence + gamma |theta|^2: the penalty by a step without fit, the evidence through dphi. */
static bool REAL(evaluate_marginal)(REAL(evaluation) *e)
{
    const problem *p = e->p;
    size_t features = p->net.features, k = features + 1;
    una_head head;
    double *phi = REAL(features)(e, e->x, p->rows);
    if (!REAL(solve)(e, phi, &head)) return false;
    double *dphi = UNA_GET(e->file->arena, double, p->rows * k);
    real *y = REAL(converted)(e->file->arena, p->y, p->rows, 1, 1);
    if (!dphi || !y) return refuse(e->file, "%s", una_run_message(e->file->run));

    REAL(una_batch) batch = { .rows = p->rows, .x = e->x, .target = y, .target_heads = 1 };
    REAL(una_objective) objective = { .penalty = p->gamma, .head_relief = 1 };
    una_losses losses;
    REAL(una_net_gradient)(e->work, e->parameters, &batch, &objective, e->gradient, &losses);
    una_head_phi_gradient(&head, phi, p->y, p->rows, dphi);
    for (size_t r = 0; r < p->rows; r++) memmove(dphi + r * features, dphi + r * k, features * sizeof *dphi);
    REAL(una_net_backward)(e->work, e->parameters, e->x, p->rows, dphi, e->gradient);
    double size = losses.penalty + fabs(noise_constant(p)) + fabs(head.log_evidence);
    return put_scalar(e->file, e->results, "loss", losses.penalty - head.log_evidence, size)
        && put_scalar(e->file, e->results, "log_evidence", head.log_evidence, size)
            && REAL(put_gradient)(e, p->net.depth);
}

static bool REAL(evaluate_posterior)(REAL(evaluation) *e)
{
    const problem *p = e->p;
    golden *file = e->file;
    size_t k = p->net.features + 1;
    una_head head;

    double *phi = REAL(features)(e, e->x, p->rows);
    double *out = put(file, e->results, "phi", p->rows, k);
    if (!out || !phi) return refuse(file, "%s", una_run_message(file->run));
    memcpy(out, phi, p->rows * k * sizeof *out);
    if (sizeof(real) == sizeof(float)) return true;              /* posteriors are double in any case */

    if (!REAL(solve)(e, phi, &head) || !put_head(file, &head, e->results)) return false;
    if (!put_scalar(file, e->results, "log_evidence", head.log_evidence, 0)) return false;

    const double *phi_star = REAL(features)(e, REAL(converted)(file->arena, p->x_star, p->stars, p->net.size[0],
        p->net.size[0]), p->stars);
    double *mean = put(file, e->results, "mean", p->stars, 0), *var = put(file, e->results, "var_model", p->stars, 0);
    if (!phi_star || !mean || !var || una_head_predict(&head, phi_star, p->stars, mean, var, file->run) != UNA_OK)
        return refuse(file, "%s", una_run_message(file->run));
    return true;
}

static bool REAL(evaluate)(golden *file, const problem *p, const REAL(una_kernels) *kernels, answer *results)
{
    REAL(evaluation) e;
    if (!REAL(begin)(&e, file, p, kernels, results)) return false;
    if (strcmp(file->kind, "nlm_marginal") == 0) return REAL(evaluate_marginal)(&e);
    if (strcmp(file->kind, "blr_posterior") == 0) return REAL(evaluate_posterior)(&e);
    return REAL(evaluate_step)(&e);
}
