/* SPDX-License-Identifier: MIT
 *
 * Mixtures of networks that follow from stored numbers and a seed: prediction, draws, parts, saving.
 */
#include "fit/sampled.h"

#include <string.h>

enum { MOST_PARTS = 100000 };

/* ---- one network after the other ------------------------------------------------------------------------ */

typedef struct pass {
    const una_kernels_f32 *kernels;
    una_network_f32 net;
    void  *work;
    float *packed, *parameters;
    double *f;                           /* [rows]                                                          */
} pass;

static una_status begin(pass *p, const una_sampled *m, size_t rows, una_run *run)
{
    UNA_TRY(una_kernels_need(run));
    p->kernels = una_kernels_named_f32(run->settings.kernels);
    p->packed = UNA_GET(&run->scratch, float, una_net_packed(&m->net));
    p->parameters = UNA_GET(&run->scratch, float, m->net.parameters);
    p->f = UNA_GET(&run->scratch, double, rows);
    UNA_TRY(una_arena_check(&run->scratch));
    p->net = (una_network_f32){ &una_body_mlp_f32, &m->net, NULL };
    return una_network_work_f32(&p->work, &p->net, 1, run);
}

static una_status narrowed(float **to, una_view x, una_run *run)
{
    *to = UNA_GET(&run->scratch, float, x.rows * x.cols);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t r = 0; r < x.rows; r++) una_held_row(*to + r * x.cols, x, r);
    return UNA_OK;
}

/* f [rows] of the network in p->packed. */
static void through(const pass *p, const una_sampled *m, const float *x, size_t rows, double *f)
{
    una_net_unpack(&m->net, p->packed, p->parameters);
    p->net.body->forward(&p->net, p->parameters, x, rows, NULL, 0, f, p->work);
}

una_status una_sampled_values(const una_sampled *m, const double *numbers, const float *x, size_t rows, double *f,
                                 size_t by_row, size_t by_part, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    pass p;
    una_status status = begin(&p, m, rows, run);
    for (size_t s = 0; status == UNA_OK && s < m->parts; s++) {
        m->part(m, numbers, m->first + s, p.kernels, p.packed);
        through(&p, m, x, rows, p.f);
        for (size_t r = 0; r < rows; r++) f[r * by_row + s * by_part] = p.f[r];
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- the model interface ---------------------------------------------------------------------------------- */

/* Running mean and sum of squared deviations (Welford), so that no row's parts need be kept. */
static void take_part(una_predictive *out, const double *f, size_t rows, size_t s, const una_sampled *m)
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
    una_mark mark = una_arena_mark(&run->scratch);
    pass p;
    float *rows = NULL;
    una_status status = begin(&p, m, x.rows, run);
    if (status == UNA_OK) status = narrowed(&rows, x, run);

    memset(out->mean, 0, x.rows * sizeof(double));
    memset(out->var_model, 0, x.rows * sizeof(double));
    for (size_t s = 0; status == UNA_OK && s < m->parts; s++) {
        m->part(m, m->numbers, m->first + s, p.kernels, p.packed);
        through(&p, m, rows, x.rows, p.f);
        take_part(out, p.f, x.rows, s, m);
    }

    for (size_t r = 0; r < x.rows; r++) {
        out->var_model[r] /= (double)m->parts;
        out->var_noise[r] = m->noise_var;
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

size_t una_sampled_mixture(const void *state)
{
    return ((const una_sampled *)state)->parts;
}

una_status una_sampled_functions(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_sampled *m = state;
    *count = m->parts;
    if (!f) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    float *rows = NULL;
    una_status status = narrowed(&rows, x, run);
    if (status == UNA_OK) status = una_sampled_values(m, m->numbers, rows, x.rows, f, 1, x.rows, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

void una_sampled_choose(una_sampled *m, una_rng *rng)
{
    m->first += una_rng_below(rng, m->parts);
    m->parts = 1;
}

static void draw_prior(const una_sampled *m, const pass *p, uint64_t seed, const float *x, size_t rows, size_t draws,
                       double *f)
{
    for (size_t k = 0; k < draws; k++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, (uint64_t)1 << 40 | k);
        p->kernels->normals(una_net_packed(&m->net), rng.key, rng.counter, (float)sqrt(m->prior_var), 0, p->packed);
        through(p, m, x, rows, f + k * rows);
    }
}

/* The predictive is the mixture of its parts, so a draw is one of them; each is computed once. */
static una_status draw_parts(const una_sampled *m, const pass *p, uint64_t seed, const float *x, size_t rows,
                             size_t draws, double *f, una_run *run)
{
    size_t *which = UNA_GET(&run->scratch, size_t, draws);
    UNA_TRY(una_arena_check(&run->scratch));
    una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, 0);
    for (size_t k = 0; k < draws; k++) which[k] = una_rng_below(&rng, m->parts);

    for (size_t s = 0; s < m->parts; s++) {
        bool known = false;
        for (size_t k = 0; k < draws; k++) {
            if (which[k] != s) continue;
            if (!known) {
                m->part(m, m->numbers, m->first + s, p->kernels, p->packed);
                through(p, m, x, rows, p->f);
                known = true;
            }
            memcpy(f + k * rows, p->f, rows * sizeof *f);
        }
    }
    return UNA_OK;
}

una_status una_sampled_draw(const void *state, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    const una_sampled *m = state;
    una_mark mark = una_arena_mark(&run->scratch);
    uint64_t seed = run->settings.seed;
    pass p;
    float *rows = NULL;
    una_status status = begin(&p, m, x.rows, run);
    if (status == UNA_OK) status = narrowed(&rows, x, run);
    if (status == UNA_OK && prior) draw_prior(m, &p, seed, rows, x.rows, draws, f);
    else if (status == UNA_OK) status = draw_parts(m, &p, seed, rows, x.rows, draws, f, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- saving -------------------------------------------------------------------------------------------------- */

una_status una_sampled_exchange(una_sampled *m, una_sampled_part *part, size_t numbers_each, una_archive *ar)
{
    uint64_t parts = m->parts;
    UNA_TRY(una_basis_exchange_net(&m->net, ar));
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
    m->count = numbers_each * una_net_packed(&m->net);
    UNA_TRY(una_archive_f64s(ar, "numbers", &m->numbers, m->count));

    if (!(m->noise_var > 0)) return una_archive_refuse(ar, "noise_var", "is not above zero");
    if (!(m->prior_var > 0)) return una_archive_refuse(ar, "prior_var", "is not above zero");
    return UNA_OK;
}
