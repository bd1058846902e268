/* SPDX-License-Identifier: MIT
 *
 * Rounds that knew something of the rows they left out are heard by trainings that did not. See afresh.h.
 */
#include "fit/afresh.h"

#include "fit/relevance.h"

#include <string.h>

enum { FOLDS_ALL_BELOW = 500, SOME_BELOW = 1000, SOME = 3, FEW = 2 };
static const double hardly = 0.02;       /* of the answer: not worth a training */

size_t una_afresh_folds(const una_problem *p)
{
    size_t most = p->x.rows < FOLDS_ALL_BELOW ? p->folds : p->x.rows < SOME_BELOW ? SOME : FEW;
    return p->folds == 0 ? 1 : most < p->folds ? most : p->folds;
}

/* ---- trainings -------------------------------------------------------------------------------------------------- */

/* The scale of the inputs by the rows that the seat does not leave out. */
static una_status learn_scale(una_twins *t, const una_committee *c, una_seat *s, una_run *run)
{
    una_problem rest;
    s->scaled = false;
    double *scale = UNA_GET(&run->scratch, double, t->plain.x.cols);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_seat_rows(&rest, c, s, &run->scratch));
    UNA_TRY(una_relevance_learn(scale, &rest, run));
    UNA_TRY(una_twins_scale(t, scale, run));
    s->scaled = t->scale != NULL;
    return UNA_OK;
}

static una_status train(void *context, size_t index, una_run *run)
{
    const una_committee *all = context;
    una_twins t = { .plain = all->twins->plain, .scaled = all->twins->plain };
    una_committee own = *all;
    own.twins = &t;
    UNA_TRY(learn_scale(&t, &own, &own.seat[index], run));
    UNA_TRY(una_seat_train(&own, index, run));
    return own.one->relearn ? una_seat_foretell_again(&own, index, run) : UNA_OK;
}

/* ---- who is heard ----------------------------------------------------------------------------------------------- */

/* The rounds with scaled inputs give their weight to one more, the last, of which the seats are. */
static una_status hear(una_said *out, const una_said *said, const una_committee *c, const bool *knew, una_run *run)
{
    size_t rows = said->rows, rounds = said->rounds;
    UNA_TRY(una_said_init(out, rounds + 1, rows, said->y, &run->scratch));
    memcpy(out->mean, said->mean, rounds * rows * sizeof *out->mean);
    memcpy(out->var, said->var, rounds * rows * sizeof *out->var);
    out->shape = said->shape;
    out->weight[rounds] = 0;
    for (size_t r = 0; r < rounds; r++) {
        out->weight[r] = knew[r] ? 0 : said->weight[r];
        out->weight[rounds] += knew[r] ? said->weight[r] : 0;
    }
    for (size_t i = 0; i < c->count; i++) c->seat[i].round = rounds;
    una_committee_gather(out, c);
    for (size_t i = 0; i < rows; i++)                    /* of folds that no seat left out nothing is told */
        for (size_t r = 0; r < rounds && isnan(out->mean[rounds * rows + i]); r++) out->mean[r * rows + i] = NAN;
    return UNA_OK;
}

static una_status tell_afresh(const una_committee *c, const una_said *said, const una_chosen *by, const bool *knew,
                              size_t round, una_fit_result *result, una_run *run)
{
    const una_problem *p = &c->twins->plain;
    una_committee own = *c;
    una_said heard;
    own.count = una_afresh_folds(p);
    own.seat = UNA_GET(&run->scratch, una_seat, own.count);
    own.noise_var = by->noise_var;
    own.prior_var = by->prior_var;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < own.count; i++)
        own.seat[i] = (una_seat){ .round = round, .number = c->count + i, .part = p->fold, .leaves = (unsigned char)i };

    una_status status = una_jobs_run(run, own.seat, sizeof *own.seat, own.count, train, &own);
    if (status == UNA_OK) status = hear(&heard, said, &own, knew, run);
    if (status == UNA_OK) una_said_tell(&heard, by->noise_var, own.count, result);
    una_jobs_free(own.seat, sizeof *own.seat, own.count);
    return status;
}

una_status una_afresh_tell(const una_committee *c, const una_said *said, const una_chosen *by, una_fit_result *result,
                           una_run *run)
{
    size_t folds = c->twins->plain.folds, first = SIZE_MAX;
    double share = 0;
    if (!result->unseen) return UNA_OK;
    bool *knew = UNA_GET(&run->scratch, bool, said->rounds);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; folds && i < c->count; i++) {
        size_t round = c->seat[i].round;
        if (!c->seat[i].scaled || knew[round]) continue;
        knew[round] = true;
        share += said->weight[round];
        if (first == SIZE_MAX) first = round;
    }
    if (share > hardly) return tell_afresh(c, said, by, knew, first, result, run);

    una_said heard = *said;
    heard.weight = UNA_GET(&run->scratch, double, said->rounds);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t r = 0; r < said->rounds; r++) heard.weight[r] = knew[r] ? 0 : said->weight[r];
    una_said_tell(&heard, by->noise_var, folds, result);
    return UNA_OK;
}
