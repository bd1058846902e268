/* SPDX-License-Identifier: MIT
 *
 * One posterior of all rows, and what it says of each fold without its rows. See whole.h.
 */
#include "fit/whole.h"

#include "fit/afresh.h"
#include "la/la.h"
#include "model/split.h"

#include <string.h>

/* Folds that the problem has, or of its own: rows with equal inputs share one. */
static una_status need_folds(una_problem *p, una_run *run)
{
    una_copies copies;
    unsigned char *fold;
    if (p->folds || p->valid_x.rows) return UNA_OK;
    p->folds = UNA_FOLDS;
    UNA_TRY(una_split_copies(&copies, p->x, run));
    UNA_TRY(una_fold_rows(&fold, &p->folds, &copies, p->x.rows, una_rng_at(p->seed, UNA_FOR_FOLDS, 0), run));
    p->fold = fold;
    return UNA_OK;
}

/* Foretelling goes by a rounded noise: a spec passed back finds it again to some digits only, and must foretell the
 * same to the bit. */
static double rounded(double noise_var)
{
    const double digits = 8;
    return exp(floor(digits * log(noise_var) + 0.5) / digits);
}

/* What the posterior says of each fold without its rows, or of the rows held out. */
static una_status foretell_whole(una_said *said, una_committee *c, void *state, const una_fit_result *result,
                                 una_run *run)
{
    const una_problem *p = &c->twins->plain;
    for (size_t i = 0; i < c->count; i++)
        c->seat[i] = (una_seat){ .state = state, .options = (void *)c->options, .part = p->folds ? p->fold : NULL,
                                 .leaves = (unsigned char)i };
    c->noise_var = rounded(result->noise_var);
    c->prior_var = result->prior_var;
    UNA_TRY(una_said_init(said, 1, una_judged_x(p).rows, una_judged_y(p), &run->scratch));
    una_status status = una_jobs_run(run, c->seat, sizeof *c->seat, c->count, una_seat_foretell_again, c);
    if (status == UNA_OK) una_committee_gather(said, c);
    una_jobs_free(c->seat, sizeof *c->seat, c->count);
    return status;
}

static una_status take_in(una_members *m, const una_twins *t, void *options, bool free_noise, una_fit_result *result,
                          una_arena *keep, una_run *run)
{
    const una_kind *one = m->at[0].kind;
    una_problem p;
    una_all_rows(&p, &t->plain);
    UNA_TRY(una_row_weights(&p.weight, m->noise, t, run));
    if (free_noise) una_kind_set_number(one, options, "noise_std", UNA_AUTO);
    UNA_TRY(one->relearn(m->at[0].state, options, &p, result, keep, run));
    m->noise_var = m->noise ? result->noise_var : 0;
    return UNA_OK;
}

/* The shape of the noise, and what the posterior says of rows that it leaves out. */
static una_status look_at_noise(una_members *m, una_twins *t, void *options, bool shape, una_said *said,
                                const una_fit_result *result, una_arena *keep, una_run *run)
{
    const una_kind *one = m->at[0].kind;
    una_committee_options *o = una_committee_options_of(one, options);
    UNA_TRY(need_folds(&t->plain, run));
    una_committee c = { .one = one, .options = options, .twins = t, .count = t->plain.folds ? t->plain.folds : 1 };
    c.seat = UNA_GET(&run->scratch, una_seat, c.count);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(foretell_whole(said, &c, m->at[0].state, result, run));
    if (shape) UNA_TRY(una_said_shape(&m->noise, said, &t->plain, o->noise == UNA_NOISE_VARYING, keep, run));
    o->noise = m->noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    return UNA_OK;
}

/* ---- rows that were not seen at all ----------------------------------------------------------------------------- */

typedef struct honest { una_committee c; double **noise; } honest;       /* noise [seats]: [held] of each */

static una_status fit_without(void *context, size_t index, una_run *run)
{
    honest *h = context;
    const una_kind *one = h->c.one;
    una_seat *s = &h->c.seat[index];
    una_problem p;
    s->options = una_arena_get(&s->arena, 1, one->options_size);
    s->state = una_arena_get(&s->arena, 1, one->state_size);
    UNA_TRY(una_arena_check(&s->arena));
    memcpy(s->options, h->c.options, one->options_size);
    s->result = una_fit_result_in(&s->arena);
    UNA_TRY(una_seat_rows(&p, &h->c, s, &run->scratch));
    UNA_TRY(one->fit(s->state, s->options, &p, &s->result, &s->arena, run));

    s->held = p.valid_x.rows;
    s->mean = UNA_GET(&s->arena, double, 3 * s->held);
    UNA_TRY(una_arena_check(&s->arena));
    s->var = s->mean + s->held;
    h->noise[index] = s->var + s->held;
    una_predictive out = { .mean = s->mean, .var_model = s->var, .var_noise = h->noise[index] };
    return one->predict(s->state, p.valid_x, &out, run);
}

static void hear(una_unseen *u, const honest *h, const double *shape, double noise_var)
{
    const una_problem *p = &h->c.twins->plain;
    const double *y = una_judged_y(p);
    u->folds = p->folds ? h->c.count : 0;
    for (size_t i = 0; i < h->c.count; i++) {
        const una_seat *s = &h->c.seat[i];
        for (size_t row = 0, next = 0; next < s->held; row++) {
            if (s->part && s->part[row] != s->leaves) continue;
            double noise = shape ? noise_var * shape[row] : h->noise[i][next];
            u->mean[row] = s->mean[next];
            u->var_model[row] = s->var[next];
            u->var_noise[row] = noise;
            u->below[row] = una_normal_cdf((y[row] - s->mean[next]) / sqrt(s->var[next] + noise));
            u->rows++;
            next++;
        }
    }
}

/* Fits without each fold, with the options as they were given: all that is chosen by rows is chosen without it. */
static una_status foretell_unseen(una_unseen *u, const una_kind *one, const void *given, una_twins *t,
                                  const una_members *m, double noise_var, una_run *run)
{
    UNA_TRY(need_folds(&t->plain, run));
    una_view x = una_judged_x(&t->plain);
    size_t count = una_afresh_folds(&t->plain);
    double *shape = m->noise ? UNA_GET_ROWS(&run->scratch, double, x.rows) : NULL;
    honest h = { { .one = one, .options = given, .twins = t, .count = count,
                   .seat = UNA_GET(&run->scratch, una_seat, count) }, UNA_GET(&run->scratch, double *, count) };
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < count; i++)
        h.c.seat[i] = (una_seat){ .number = i, .part = t->plain.folds ? t->plain.fold : NULL,
                                  .leaves = (unsigned char)i };
    una_status status = una_jobs_run(run, h.c.seat, sizeof *h.c.seat, count, fit_without, &h);
    if (status == UNA_OK && shape) una_noise_shape(m->noise, x, shape);
    if (status == UNA_OK) hear(u, &h, shape, noise_var);
    una_jobs_free(h.c.seat, sizeof *h.c.seat, count);
    return status;
}

una_status una_fit_whole(una_members *m, const una_kind *one, void *options, const una_problem *p,
                         una_fit_result *result, una_arena *keep, una_run *run)
{
    una_committee_options *o = una_committee_options_of(one, options);
    bool noise_given = una_kind_is_given(one, options, "noise_std"), varying = o->noise == UNA_NOISE_VARYING;
    bool shape = varying || (o->noise == UNA_NOISE_AUTO && !noise_given);
    double noise_std = *una_kind_number(one, options, "noise_std");
    una_twins t = { .plain = *p };
    void *given = una_arena_get(&run->scratch, 1, one->options_size);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(given, options, one->options_size);
    if (varying) una_kind_set_number(one, options, "noise_std", UNA_AUTO);
    UNA_TRY(una_fit_alone(m, one, options, NULL, &t, false, result, keep, run));

    bool again = p->valid_x.rows && p->valid_joins;
    una_said said;
    una_status status = UNA_OK;
    una_progress_part(run, 1, 1);                        /* una_committee_fit takes it back */
    bool scored = shape || result->foretold, told = scored || (result->unseen && !one->searches);
    if (told) status = look_at_noise(m, &t, options, shape, &said, result, keep, run);
    else o->noise = UNA_NOISE_CONSTANT;
    if (varying && noise_given) una_kind_set_number(one, options, "noise_std", noise_std);
    again = again || m->noise || (varying && noise_given);
    if (status == UNA_OK && again) status = take_in(m, &t, options, m->noise && !noise_given, result, keep, run);
    if (status == UNA_OK && scored) una_said_score(&said, result->noise_var, result);
    if (status == UNA_OK && result->unseen) {
        if (one->searches)
            status = foretell_unseen(result->unseen, one, given, &t, m, result->noise_var, run);
        else una_said_tell(&said, result->noise_var, t.plain.folds, result);
    }
    return status;
}
