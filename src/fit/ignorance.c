/* SPDX-License-Identifier: MIT
 *
 * A prior variance by trainings that leave whole regions out. See ignorance.h.
 */
#include "fit/ignorance.h"

#include "fit/regions.h"

#include <string.h>

enum { PRIORS = 13, REGIONS = 3, REGIONS_OF_LINE = 6, SCOUTS = 2, MOST_REGION_ROWS = 20000, LEAST_REGION_ROWS = 30 };
static const double SCOUT_STEPS = 0.5;   /* of a member's                                                   */
static const double LEAST_GAIN = 0.01;   /* of log-likelihood per row in the regions: more ignorance must pay   */
static const double MOST_LOSS = 0.03;    /* of log-likelihood per row where there is data                   */

static double prior_at(size_t index)
{
    return pow(10, -2 + 0.25 * (double)index);
}

/* Seats without each region, two of each, one with scaled inputs and one without where the members have both. */
static una_status seat_scouts(una_committee *scouts, const una_committee *members, const unsigned char *inside,
                              size_t regions, una_run *run)
{
    size_t rows = members->twins->plain.x.rows;
    *scouts = *members;
    scouts->of = NULL;
    if (members->seat[0].options) scouts->options = members->seat[0].options;    /* with its steps filled in */
    scouts->count = 0;
    scouts->seat = UNA_GET(&run->scratch, una_seat, SCOUTS * regions);
    scouts->steps_share = SCOUT_STEPS;
    UNA_TRY(una_arena_check(&run->scratch));
    scouts->count = SCOUTS * regions;

    for (size_t k = 0; k < scouts->count; k++) {
        size_t region = k / SCOUTS, round = k % SCOUTS;
        const una_seat *like = &members->seat[round ? members->count - 1 : 0];
        scouts->seat[k] = (una_seat){ .round = round, .number = members->count + k, .part = inside + region * rows,
                                      .leaves = 1, .block = region, .scaled = like->scaled };
    }
    return UNA_OK;
}

/* What of the regions lies at the rows that have a target. */
static una_status inside_of(unsigned char **own, const unsigned char *inside, size_t regions, const una_problem *whole,
                            size_t target, una_run *run)
{
    size_t rows = whole->x.rows, outputs = whole->outputs, next = 0;
    *own = UNA_GET_ROWS(&run->scratch, unsigned char, regions * rows);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t k = 0; k < regions; k++)
        for (size_t i = 0; i < rows; i++)
            if (!isnan(whole->y[i * outputs + target])) (*own)[next++] = inside[k * rows + i];
    return UNA_OK;
}

/* Of several targets each has seats of its own beside those of the whole, which train. */
static una_status take_scouts(una_committee *scouts, una_committee *members, const unsigned char *inside,
                              size_t regions, una_run *run)
{
    UNA_TRY(seat_scouts(scouts, members, inside, regions, run));
    if (!members->of) return UNA_OK;
    una_committee *of = UNA_GET(&run->scratch, una_committee, members->targets);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t t = 0; t < members->targets; t++) {
        unsigned char *own;
        UNA_TRY(inside_of(&own, inside, regions, &members->twins->plain, t, run));
        UNA_TRY(seat_scouts(&of[t], &members->of[t], own, regions, run));
    }
    scouts->of = of;
    return UNA_OK;
}

/* The prior variance under which rows of left-out regions are most likely, of those that cost little where there is
 * data. */
static una_status weigh_priors(double *prior_var, una_committee *scouts, una_said *beside, una_committee *members,
                               una_said *within, una_fit_result *result, una_run *run)
{
    double there[PRIORS], z2[PRIORS], here[PRIORS], most = -HUGE_VAL;
    size_t best = SIZE_MAX;
    if (una_said_rows(beside) == 0) return UNA_OK;       /* no region has that target */
    for (size_t g = 0; g < PRIORS; g++) {
        UNA_TRY(una_committee_say_again(beside, scouts, prior_at(g), run));
        UNA_TRY(una_committee_say_again(within, members, prior_at(g), run));
        there[g] = una_said_fit(beside, members->noise_var, &z2[g]);
        here[g] = una_said_fit(within, members->noise_var, NULL);
        most = fmax(most, here[g]);
    }
    for (size_t g = 0; g < PRIORS; g++)
        if (here[g] > most - MOST_LOSS && (best == SIZE_MAX || there[g] > there[best] + LEAST_GAIN)) best = g;
    *prior_var = prior_at(best);
    una_notes_add(&result->notes, "Ignorance was checked on %zu left-out regions: mean z^2 %.2f there (1 is right).",
                  scouts->count / SCOUTS, z2[best]);
    return UNA_OK;
}

/* What scouts will say of the rows of one target, region by region. */
static una_status listen(una_said *beside, const una_committee *members, size_t regions, una_run *run)
{
    const una_problem *p = &members->twins->plain;
    size_t rows = p->x.rows;
    double *y = UNA_GET_ROWS(&run->scratch, double, regions * rows);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t k = 0; k < regions; k++) memcpy(y + k * rows, p->y, rows * sizeof *y);
    UNA_TRY(una_said_init(beside, SCOUTS, regions * rows, y, &run->scratch));
    beside->samples = true;
    beside->sorts = 1;
    for (size_t r = 0; r < SCOUTS; r++) beside->sort[r] = 0;
    return UNA_OK;
}

/* Of one target, by the scouts that were sent. */
static una_status choose_target(double *prior_var, una_committee *scouts, una_committee *members, una_said *within,
                                size_t regions, una_fit_result *result, una_run *run)
{
    una_said beside;
    UNA_TRY(listen(&beside, members, regions, run));
    una_committee_gather(&beside, scouts);
    UNA_TRY(weigh_priors(prior_var, scouts, &beside, members, within, result, run));
    for (size_t k = 0; k < scouts->count; k++) result->steps += scouts->seat[k].result.steps;
    return UNA_OK;
}

una_status una_ignorance_choose(double *prior_var, una_committee *members, una_said *within,
                                una_fit_result *const *result, una_run *run)
{
    const una_problem *p = &members->twins->plain;
    size_t regions, targets = una_committee_targets(members);
    unsigned char *inside;
    una_committee scouts = {0};
    for (size_t t = 0; t < targets; t++) prior_var[t] = 1;
    UNA_TRY(una_regions_cut(&inside, &regions, p->x.cols == 1 ? REGIONS_OF_LINE : REGIONS, p->x, p->columns,
                            members->twins->scale, p->seed, &run->scratch, run));
    if (regions == 0) return UNA_OK;

    una_status status = take_scouts(&scouts, members, inside, regions, run);
    if (status == UNA_OK)
        status = una_jobs_run(run, scouts.seat, sizeof *scouts.seat, scouts.count, una_seat_train, &scouts);
    una_progress_part(run, 1, 1);                        /* of what follows nothing takes long */
    for (size_t t = 0; status == UNA_OK && t < targets; t++)
        status = choose_target(&prior_var[t], una_committee_of(&scouts, t), una_committee_of(members, t), &within[t],
                               regions, result[t], run);
    una_jobs_free(scouts.seat, sizeof *scouts.seat, scouts.count);
    return status;
}

bool una_ignorance_is_sought(const una_kind *one, void *options, const una_problem *p)
{
    return una_kind_number(one, options, "prior_var") && !una_kind_is_given(one, options, "prior_var") &&
           one->relearn && p->x.rows <= MOST_REGION_ROWS && p->x.rows >= LEAST_REGION_ROWS;
}
