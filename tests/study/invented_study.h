/* SPDX-License-Identifier: MIT
 *
 * Studies that nobody made: trials of a known function by a searcher who closes in on its minimum, with a pretended
 * model whose slices are the function itself with a band. For tests of the page, and to look at it.
 */
#ifndef UNA_INVENTED_STUDY_H
#define UNA_INVENTED_STUDY_H

#include "bo/functions.h"
#include "study/study_view.h"

typedef struct invented_study {
    una_study_view view;
    una_dimension *input;
    una_trial     *trial;
    double        *x;                    /* [trials, inputs] */
    double       (*value)(const struct invented_study *study, const double *x);
} invented_study;

static inline double invented_bowl(const invented_study *study, const double *x)
{
    double sum = 0;
    for (size_t i = 0; i < study->view.input_count; i++) {
        const una_dimension *d = &study->input[i];
        if (d->type == UNA_DIMENSION_FIXED) continue;
        double place = d->high > d->low ? (d->log ? log(x[i] / d->low) / log(d->high / d->low)
                                                  : (x[i] - d->low) / (d->high - d->low)) : 0;
        sum += (place - 0.35) * (place - 0.35) / (double)(i + 1);
    }
    return sum;
}

static inline double invented_hartmann(const invented_study *study, const double *x)
{
    (void)study;
    return una_hartmann6(x);
}

static inline double invented_branin(const invented_study *study, const double *x)
{
    (void)study;
    return una_branin(x);
}

static inline double invented_point(const una_dimension *d, double place)
{
    place = place < 0 ? 0 : place > 1 ? 1 : place;
    double x = d->log ? d->low * pow(d->high / d->low, place) : d->low + place * (d->high - d->low);
    if (d->type == UNA_DIMENSION_FIXED) return d->low;
    return d->type == UNA_DIMENSION_REAL ? x : fmin(fmax(round(x), d->low), d->high);
}

static inline double invented_place(const una_dimension *d, double x)
{
    if (!(d->high > d->low)) return 0;
    return d->log ? log(x / d->low) / log(d->high / d->low) : (x - d->low) / (d->high - d->low);
}

/* One trial: anywhere at first, then ever nearer to the best so far. */
static inline void invented_try(invented_study *s, size_t at, una_rng *rng)
{
    size_t inputs = s->view.input_count;
    double *x = s->x + at * inputs, sign = s->view.maximize ? -1 : 1;
    double reach = at < 10 ? 1 : fmax(0.02, 3 / sqrt((double)at));
    for (size_t i = 0; i < inputs; i++) {
        double near = s->view.best ? invented_place(&s->input[i], s->view.best->x[i]) : 0.5;
        bool anywhere = !s->view.best || at < 10 || una_rng_uniform(rng) < 0.08;
        double place = anywhere ? una_rng_uniform(rng) : near + 0.25 * reach * una_rng_normal(rng);
        x[i] = invented_point(&s->input[i], place);
    }
    una_trial *trial = &s->trial[at];
    *trial = (una_trial){ .id = at + 1, .state = UNA_TRIAL_TOLD, .x = x, .attempts = 1, .note = "", .expected = NAN,
        .doubt = NAN };
    trial->value = s->value(s, x);
    if (at >= 10) {
        trial->doubt = 0.05 + 0.1 * fabs(trial->value);
        trial->expected = trial->value + trial->doubt * una_rng_normal(rng);
    }
    if (!s->view.best || sign * trial->value < sign * s->view.best->value) s->view.best = trial;
}

static inline void invented_fail(invented_study *s, size_t at, const char *why)
{
    s->trial[at].state = UNA_TRIAL_FAILED;
    s->trial[at].value = NAN;
    s->trial[at].note = why;
}

static inline void invented_slices(invented_study *s, una_arena *arena)
{
    size_t inputs = s->view.input_count;
    una_slice *slices = UNA_GET(arena, una_slice, inputs);
    double *x = UNA_GET(arena, double, inputs);
    if (arena->failed || !s->view.best) return;
    for (size_t i = 0; i < inputs; i++) {
        const una_dimension *d = &s->input[i];
        if (d->type == UNA_DIMENSION_FIXED) continue;
        bool few = d->type == UNA_DIMENSION_CATEGORY || (d->type == UNA_DIMENSION_INTEGER && d->high - d->low < 61);
        size_t count = few ? (size_t)(d->high - d->low) + 1 : 61;
        double *at = UNA_GET(arena, double, count), *mean = UNA_GET(arena, double, count);
        double *std = UNA_GET(arena, double, count);
        if (arena->failed) return;
        for (size_t k = 0; k < inputs; k++) x[k] = s->view.best->x[k];
        for (size_t k = 0; k < count; k++) {
            x[i] = at[k] = invented_point(d, count > 1 ? (double)k / (double)(count - 1) : 0);
            mean[k] = s->value(s, x);
            std[k] = 0.02 + 0.25 * fabs(invented_place(d, x[i]) - invented_place(d, s->view.best->x[i]));
        }
        slices[i] = (una_slice){ .count = count, .at = at, .mean = mean, .std = std };
    }
    s->view.slices = slices;
}

/* A study over `inputs` ([count], named and ranged by the caller) with so many trials. */
static inline void invented_make(invented_study *s, una_dimension *input, size_t inputs, size_t trials,
                                 double (*value)(const invented_study *, const double *), uint64_t seed,
                                 una_arena *arena)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    bool maximize = s->view.maximize;
    *s = (invented_study){ .input = input, .value = value };
    s->trial = UNA_GET(arena, una_trial, trials);
    s->x = UNA_GET(arena, double, trials * inputs);
    s->view = (una_study_view){ .title = "Study invented", .model = "gp", .acquisition = "log_ei", .seed = "0",
        .maximize = maximize, .inputs = input, .input_count = inputs, .trials = s->trial, .trial_count = trials };
    if (arena->failed) return;
    for (size_t i = 0; i < trials; i++) invented_try(s, i, &rng);
}

#endif
