/* SPDX-License-Identifier: MIT
 *
 * Mixtures of networks made from stored numbers and a seed: prediction, draws, parts, saving.
 */
#include "train/sampled.h"

enum { MOST_PARTS = 100000 };

/* ---- one network after the other ------------------------------------------------------------------------ */

typedef struct pass {
    const una_sampled *m;
    const una_kernels_f32 *kernels;
    const float *x;                      /* [rows, inputs]                                                  */
    size_t rows;
    void  *work;
    float *packed, *parameters;          /* what varies; all                                                */
    double *phi;                         /* [rows, features], common to all parts; NULL: nothing is common */
    double *f;                           /* [rows]                                                          */
} pass;

bool una_sampled_heads_only(const una_sampled *m)
{
    return m->net.body != &una_body_mlp_f32;
}

/* The head alone varies, which is a matrix of its own, or everything. */
void una_sampled_count(una_sampled *m, size_t numbers_each)
{
    size_t head = m->net.body->size(m->net.shape).head, all = una_matrices_packed(m->net.body->matrix, m->net.shape);
    una_matrix at;
    m->count = numbers_each * all;
    m->from = 0;
    m->varied = all;
    for (size_t i = 0; una_sampled_heads_only(m) && m->net.body->matrix(m->net.shape, i, &at); i++) {
        m->varied = at.rows * at.cols;
        if (at.at == head) return;
        m->from += m->varied;
    }
}

/* The parameters that all parts share, and phi by them. */
static una_status share_features(pass *p, const double *numbers, una_run *run)
{
    const una_network_f32 *net = &p->m->net;
    size_t count = una_matrices_packed(net->body->matrix, net->shape), features = net->body->size(net->shape).features;
    UNA_NEW_ROWS_AT(&run->scratch, p->phi, p->rows * features);
    UNA_NEW(&run->scratch, float, packed, count);
    for (size_t i = 0; i < count; i++) packed[i] = (float)numbers[i];
    una_matrices_unpack(net->body->matrix, net->shape, packed, p->parameters);
    net->body->forward(p->work, p->parameters, p->x, p->rows, (una_outputs){ .phi = p->phi, .stride = features });
    return UNA_OK;
}

/* Begins a pass: parts of such numbers, at such rows. */
static una_status sampled_begin(pass *p, const una_sampled *m, const double *numbers, const float *x, size_t rows,
                                una_run *run)
{
    bool heads = una_sampled_heads_only(m);
    UNA_TRY(una_kernels_need(run));
    *p = (pass){ .m = m, .kernels = una_kernels_named_f32(run->settings.kernels), .x = x, .rows = rows };
    UNA_NEW_AT(&run->scratch, p->packed, m->varied);
    UNA_NEW_AT(&run->scratch, p->parameters, m->net.body->size(m->net.shape).parameters);
    UNA_NEW_AT(&run->scratch, p->f, rows);
    if (heads && rows == 1) UNA_TRY(una_network_slope_work_f32(&p->work, &m->net, run));
    else UNA_TRY(una_network_work_f32(&p->work, &m->net, 0, run));
    return heads ? share_features(p, numbers, run) : UNA_OK;
}

static una_status rows_in_float(float **to, una_view x, una_run *run)
{
    UNA_NEW_AT(&run->scratch, *to, x.rows * x.cols);
    for (size_t r = 0; r < x.rows; r++) una_row_to_floats(*to + r * x.cols, x, r);
    return UNA_OK;
}

/* The same of a model's own numbers, at rows in double. */
static una_status begin_at(pass *p, const una_sampled *m, una_view x, una_run *run)
{
    float *rows;
    UNA_TRY(rows_in_float(&rows, x, run));
    return sampled_begin(p, m, m->numbers, rows, x.rows, run);
}

/* f [rows] of the network, or of the head, in p->packed. */
static void evaluate_packed(const pass *p, double *f)
{
    const una_network_f32 *net = &p->m->net;
    size_t features = p->m->varied - 1;
    if (!p->phi) {
        una_matrices_unpack(net->body->matrix, net->shape, p->packed, p->parameters);
        net->body->forward(p->work, p->parameters, p->x, p->rows, (una_outputs){ .f = f });
        return;
    }
    for (size_t r = 0; r < p->rows; r++) {
        f[r] = (double)p->packed[features];
        for (size_t k = 0; k < features; k++) f[r] += (double)p->packed[k] * p->phi[r * features + k];
    }
}

/* f [rows] of part s. */
static una_status evaluate_part(const pass *p, const double *numbers, size_t s, double *f, una_run *run)
{
    UNA_TRY(una_check_cancelled(run, "predicting"));
    p->m->part(p->m, numbers + p->m->from, p->m->first + s, p->kernels, p->packed);
    evaluate_packed(p, f);
    return UNA_OK;
}

una_status una_sampled_values(const una_sampled *m, const double *numbers, const float *x, size_t rows, double *f,
                              size_t by_row, size_t by_part, una_run *run)
{
    pass p;
    UNA_TRY(sampled_begin(&p, m, numbers, x, rows, run));
    for (size_t s = 0; s < m->parts; s++) {
        UNA_TRY(evaluate_part(&p, numbers, s, p.f, run));
        for (size_t r = 0; r < rows; r++) f[r * by_row + s * by_part] = p.f[r];
    }
    return UNA_OK;
}

/* ---- the model interface ---------------------------------------------------------------------------------- */

/* Running mean and sum of squared deviations (Welford), so that no row's parts need be kept. */
static void add_part_moments(una_predictive *out, const double *f, size_t rows, size_t s, const una_sampled *m)
{
    for (size_t r = 0; r < rows; r++) {
        double step = f[r] - out->mean[r];
        out->mean[r] += step / (double)(s + 1);
        out->var_model[r] += step * (f[r] - out->mean[r]);
        if (out->part_mean) out->part_mean[r * m->parts + s] = f[r];
        if (out->part_var) out->part_var[r * m->parts + s] = m->noise_var;
    }
}

una_status una_sampled_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_sampled *m = state;
    pass p;
    UNA_TRY(begin_at(&p, m, x, run));
    memset(out->mean, 0, x.rows * sizeof(double));
    memset(out->var_model, 0, x.rows * sizeof(double));
    for (size_t s = 0; s < m->parts; s++) {
        UNA_TRY(evaluate_part(&p, m->numbers, s, p.f, run));
        add_part_moments(out, p.f, x.rows, s, m);
    }

    for (size_t r = 0; r < x.rows; r++) {
        out->var_model[r] /= (double)m->parts;
        out->var_noise[r] = m->noise_var;
    }
    return UNA_OK;
}

size_t una_sampled_mixture(const void *state)
{
    return ((const una_sampled *)state)->parts;
}

una_status una_sampled_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_sampled *m = state;
    float *rows;
    *count = m->parts;
    if (!f) return UNA_OK;
    UNA_TRY(rows_in_float(&rows, x, run));
    return una_sampled_values(m, m->numbers, rows, x.rows, f, 1, x.rows, run);
}

void una_sampled_choose(una_sampled *m, una_rng *rng)
{
    m->first += una_rng_below(rng, m->parts);
    m->parts = 1;
}

static una_status draw_prior_networks(const pass *p, uint64_t seed, size_t draws, double *f, una_run *run)
{
    if (p->phi)
        UNA_FAIL(run, UNA_E_USAGE, "convolutions, which are normalised by the images that they saw, have no prior to "
                 "draw functions from; draws from the posterior are possible");
    for (size_t k = 0; k < draws; k++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, (uint64_t)1 << 40 | k);
        p->kernels->normals(p->m->varied, rng.key, rng.counter, (float)sqrt(p->m->prior_var), 0, p->packed);
        evaluate_packed(p, f + k * p->rows);
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
    }
    return UNA_OK;
}

/* The predictive distribution is the mixture of its parts, so a draw is one of them; each is computed once. */
static una_status draw_parts(const pass *p, uint64_t seed, size_t draws, double *f, una_run *run)
{
    const una_sampled *m = p->m;
    size_t rows = p->rows;
    UNA_NEW(&run->scratch, size_t, last, m->parts);      /* 1 + the last draw of each part; 0: none */
    UNA_NEW(&run->scratch, size_t, before, draws);       /* 1 + the one before it of the same part  */
    una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, 0);
    for (size_t k = 0; k < draws; k++) {
        size_t s = una_rng_below(&rng, m->parts);
        before[k] = last[s];
        last[s] = k + 1;
    }

    for (size_t s = 0; s < m->parts; s++) {
        if (last[s]) UNA_TRY(evaluate_part(p, m->numbers, s, p->f, run));
        for (size_t k = last[s]; k > 0; k = before[k - 1]) memcpy(f + (k - 1) * rows, p->f, rows * sizeof *f);
    }
    return UNA_OK;
}

una_status una_sampled_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    pass p;
    UNA_TRY(begin_at(&p, state, x, run));
    return (how->prior ? draw_prior_networks : draw_parts)(&p, run->settings.seed, how->draws, f, run);
}

/* ---- saving -------------------------------------------------------------------------------------------------- */

/* Convolutions have many numbers, trained in float: they are stored in float. */
static una_status exchange_floats(una_sampled *m, una_archive *ar)
{
    UNA_NEW(ar->arena, float, narrow, ar->loading ? 0 : m->count);
    for (size_t i = 0; !ar->loading && i < m->count; i++) narrow[i] = (float)m->numbers[i];
    UNA_TRY(una_archive_f32s(ar, "numbers", &narrow, m->count));
    if (!ar->loading) return UNA_OK;
    UNA_NEW_AT(ar->arena, m->numbers, m->count);
    for (size_t i = 0; i < m->count; i++) m->numbers[i] = (double)narrow[i];
    return UNA_OK;
}

una_status una_sampled_exchange(una_sampled *m, una_sampled_part *part, size_t numbers_each, una_archive *ar)
{
    uint64_t parts = m->parts;
    UNA_TRY(una_network_exchange(&m->net, false, false, ar));
    UNA_TRY(una_archive_u64(ar, "parts", &parts, 1, MOST_PARTS));
    UNA_TRY(una_archive_u64(ar, "seed", &m->seed, 0, UINT64_MAX));
    UNA_TRY(una_archive_f64(ar, "noise_var", &m->noise_var));
    UNA_TRY(una_archive_f64(ar, "prior_var", &m->prior_var));

    uint64_t first = ar->loading ? 0 : m->first;         /* only where one part was drawn */
    if (ar->loading ? una_archive_next_is(ar, "first") : first != 0)
        UNA_TRY(una_archive_u64(ar, "first", &first, 0, MOST_PARTS));

    m->part = part;
    m->parts = (size_t)parts;
    m->first = (size_t)first;
    una_sampled_count(m, numbers_each);
    UNA_TRY(una_sampled_heads_only(m) ? exchange_floats(m, ar)
                                      : una_archive_f64s(ar, "numbers", &m->numbers, m->count));

    if (!(m->noise_var > 0)) return una_archive_refuse(ar, "noise_var", "is not above zero");
    if (!(m->prior_var > 0)) return una_archive_refuse(ar, "prior_var", "is not above zero");
    return UNA_OK;
}
