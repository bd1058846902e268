/* SPDX-License-Identifier: MIT
 *
 * Hamiltonian Monte Carlo for any differentiable density, in double. H(q, p) = U(q) + p'M^-1 p/2
 * with U = -log density, M diagonal.
 *   static   a trajectory of L leapfrog steps (L jittered), then accept or reject (Neal, MCMC using Hamiltonian
 *            dynamics, 2011)
 *   nuts     a trajectory doubled until it turns back, a state drawn from it by weight (Hoffman and Gelman 2014;
 *            multinomial with the generalised criterion, Betancourt 2017)
 * Warm-up adapts the step size by dual averaging and the mass in doubling windows, as Stan does.
 * Nothing is allocated per step.
 */
#pragma once

#include "base/base.h"
#include "base/option.h"

#define UNA_TRAJECTORIES "nuts|static"
#define UNA_MASSES "unit|scalar|diagonal"
enum { UNA_NUTS, UNA_STATIC };
enum { UNA_MASS_UNIT, UNA_MASS_SCALAR, UNA_MASS_DIAGONAL };
enum { UNA_MOST_DEPTH = 20 };
#define UNA_DIVERGENT 1000.0             /* an energy error beyond this is a divergence */

typedef struct una_target {
    size_t dimension;
    void  *context;
    /* U(q) = -log density + constant, gradient [dimension] = dU/dq. Where the density is zero U is infinite or NAN. */
    double (*potential)(void *context, const double *q, double *gradient);
} una_target;

typedef struct una_hmc {                 /* how to sample                                                   */
    int    trajectory, mass;
    size_t warmup, samples, thin;        /* iterations; samples counts those after warm-up; every thin-th is a draw */
    double step_size;                    /* UNA_AUTO: dual averaging towards `accept`                       */
    double accept;                       /* 0.8                                                             */
    size_t leapfrog;                     /* steps of a static trajectory                                    */
    double jitter;                       /* ... times a number in 1 +- jitter                               */
    size_t max_depth;                    /* of nuts: at most 2^max_depth - 1 steps                          */
    const char *stage;                   /* for progress                                                    */
} una_hmc;

typedef struct una_chain {               /* what came of it; arrays in the arena of the call                */
    size_t  count;                       /* draws                                                           */
    double *draws;                       /* [count, dimension]                                              */
    double *potential;                   /* [count]                                                         */
    double *inverse_mass;                /* [dimension] diagonal of M^-1                                    */
    double  step_size, acceptance;       /* acceptance: mean over the samples                               */
    size_t  gradients, sample_gradients; /* evaluations in all, and after warm-up                           */
    size_t  divergent, deepest;          /* samples that diverged; nuts samples stopped by max_depth        */
    size_t  warmup_divergent, moved;     /* moved: iterations that ended elsewhere than they began          */
} una_chain;

/* From `start` [dimension]. UNA_E_NUMERIC if no step size works there, or if the given one never does. */
una_status una_hmc_sample(una_chain *chain, const una_target *target, const una_hmc *how, const double *start,
                          una_rng *rng, una_arena *arena, una_run *run);

/* ---- the parts, for nuts.c and tests ---- */

typedef struct una_phase { double *q, *p, *g, u; } una_phase;    /* position, momentum, dU/dq, U */

typedef struct una_sampler {
    const una_target *target;
    const una_hmc *how;
    double *inverse_mass, step;
    una_phase at;                        /* where the chain is                                              */
    una_phase moving, proposal;          /* work                                                            */
    una_rng *rng;
    size_t gradients;
    bool   divergent, too_deep, moved;   /* of the last transition                                          */
    double acceptance;                   /* of the last transition, for dual averaging                      */
    struct una_tree *tree;               /* work of nuts                                                    */
    const una_run *run;                  /* NULL: nobody interrupts it                                      */
    bool   stopped;                      /* somebody did, and where it is now is of no use                  */
} una_sampler;

void   una_phase_alloc(una_phase *phase, size_t dimension, una_arena *arena);
void   una_phase_copy(una_phase *to, const una_phase *from, size_t dimension);
/* `steps` leapfrog steps of `step` (negative: back in time):
 *   p -= step/2 U'(q);  then steps times { q += step M^-1 p;  p -= step U'(q), but not the last time };
 *   p -= step/2 U'(q). */
void   una_leapfrog(una_sampler *s, una_phase *z, double step, size_t steps);
double una_energy(const una_sampler *s, const una_phase *z);     /* H; HUGE_VAL where it is not a number */
void   una_momentum_draw(una_sampler *s, double *p);             /* p ~ N(0, M) */
una_status una_nuts_alloc(una_sampler *s, una_arena *arena);      /* buffers of all depths */
void   una_nuts_step(una_sampler *s);                            /* one transition of s->at */
