/* SPDX-License-Identifier: MIT
 *
 * The Radial Uncertainty Benchmark: what its files share. Data sets are named in keys as people read them:
 *   "radial 2"     rows in the shell 1 <= |x| <= 2 of so many inputs
 *   "disc"         dense rows of a square, but none in the disc of radius 1 around its middle; "ball": of a cube
 */
#pragma once

#include "bench/experiment.h"
#include "bench/truth.h"

/* ---- data (radial_data.c) --------------------------------------------------------------------------------------- */

enum { UNA_RADIAL_MOST_INPUTS = 100 };

typedef struct una_radial_set {
    const char *name;
    size_t      inputs, rows;
    bool        shell;                   /* else a hole in dense data                                       */
    double      ideal;                   /* of 3 std at the centre: 1 / 2^inputs; NAN where there is none   */
} una_radial_set;

/* Of the name of a data set; name is borrowed. UNA_E_USAGE says which there are. */
una_status una_radial_set_find(una_radial_set *set, const char *name, una_run *run);

/* Rows to fit, fresh ones of the same law, and of a hole the points in it (rows 0 elsewhere). By name and seed. */
typedef struct una_radial_rows { una_truth train, fresh, hole; } una_radial_rows;
una_status una_radial_rows_make(una_radial_rows *rows, const una_radial_set *set, uint64_t seed, una_arena *arena,
                                una_run *run);

/* ---- measures (radial_measure.c) -------------------------------------------------------------------------------- */

/* Radii 0, 0.1 ... 3. The data begins at radius 1; a shell ends at 2. */
enum { UNA_RADIAL_RADII = 31, UNA_RADIAL_EDGE = 20, UNA_RADIAL_RAYS = 1000, UNA_RADIAL_PRIORS = 15 };
enum { UNA_RADIAL_CENTRE, UNA_RADIAL_OFF_IDEAL, UNA_RADIAL_SYMMETRY, UNA_RADIAL_ROUGHNESS, UNA_RADIAL_LOG_LIK,
       UNA_RADIAL_RMSE, UNA_RADIAL_DISTANCE, UNA_RADIAL_DISTANCE_OUT, UNA_RADIAL_HOLE_AUROC, UNA_RADIAL_HOLE_INSIDE,
       UNA_RADIAL_HOLE_LOG_LIK, UNA_RADIAL_MEAN,
       UNA_RADIAL_SD = UNA_RADIAL_MEAN + UNA_RADIAL_RADII,
       UNA_RADIAL_PRIOR_LOG_LIK = UNA_RADIAL_SD + UNA_RADIAL_RADII,
       UNA_RADIAL_PRIOR_CENTRE = UNA_RADIAL_PRIOR_LOG_LIK + UNA_RADIAL_PRIORS,
       UNA_RADIAL_MEASURES = UNA_RADIAL_PRIOR_CENTRE + UNA_RADIAL_PRIORS };      /* seconds come behind         */

double una_radial_radius(size_t at);
/* Epistemic std at points x [rows, inputs]: a model's, or in tests a function that is known. */
typedef una_status una_radial_std(const void *context, const double *x, size_t rows, double *std, una_run *run);
/* Mean and sd over the rays of 3 std by radius, [UNA_RADIAL_RADII] each. */
una_status una_radial_curve(double *mean, double *sd, una_radial_std *std, const void *context, size_t inputs,
                            uint64_t seed, una_run *run);
/* Mean over the radii up to 2 of the sd over rays, over that of the mean: 0 where all directions are alike. NAN where
 * the curve is 0. */
double una_radial_symmetry(const double *mean, const double *sd);
/* Sum of the absolute second differences of the curve up to radius 2, over its range there: 0 for a straight line, more
 * the more it bends. NAN for a curve without range. */
double una_radial_roughness(const double *mean);
/* Root mean square of the difference of two curves over radii from .. to, both included. */
double una_radial_distance(const double *a, const double *b, size_t from, size_t to);

/* All measures of a model but those that need another's (NAN). */
una_status una_radial_measure(double *value, const una_model *model, const una_radial_set *set,
                              const una_radial_rows *rows, uint64_t seed, una_run *run);
/* For the search: log-likelihood of fresh rows and centre with each of the prior variances, the features kept. NAN
 * where a model has no such option. */
una_status una_radial_priors(double *value, const una_model *model, const una_radial_rows *rows, una_run *run);
extern const char *const una_radial_prior[UNA_RADIAL_PRIORS];

/* ---- who takes part (radial_entries.c) -------------------------------------------------------------------------- */

enum { UNA_RADIAL_TUNED = 5 };           /* "radial 1", "radial 2", "radial 3", "disc", "ball"              */

typedef struct una_radial_entry {
    const char *name, *title;            /* as --models names it; on the page                               */
    const char *base;                    /* spec without what is searched                                   */
    const char *steps, *quick;           /* more options, and those of quick runs instead; quick NULL: the same */
    const char *over;                    /* the search (select/option_space.h); NULL: none                   */
    const char *chosen[UNA_RADIAL_TUNED];        /* by the search                                           */
    size_t      draws;                   /* specs that it tries on each data set                            */
    bool        network, prior;          /* one of those that are compared; its prior variance is searched too */
} una_radial_entry;
extern const una_radial_entry una_radial_entries[];              /* ends with name == NULL                  */

const una_radial_entry *una_radial_entry_find(const char *name);         /* NULL: no such name              */
/* The column of `chosen` for a data set; shells with more inputs use that of three. */
size_t      una_radial_tuned(const una_radial_set *set);
/* The whole spec; options: those chosen, or NULL. */
una_status  una_radial_spec(const char **spec, const una_radial_entry *entry, const char *options, bool quick,
                            una_arena *arena, una_run *run);
/* Number `index` of the random specs around `base` from the option space `over` (select/option_space.h): always the
 * same. */
una_status una_radial_draw(una_bench_model *model, const char *base, const char *over, uint64_t index,
                           una_arena *arena, una_run *run);

/* ---- fits (radial.c) -------------------------------------------------------------------------------------------- */

typedef struct una_radial_options { const char *dimensions; double seeds, draws; int tune; } una_radial_options;

/* The fits of a name on a data set; NULL: it was not run, or this is the search. */
const una_group *una_radial_group(const una_findings *findings, const char *name, const char *data);
/* Means over a group's seeds of the curve, or of the sd over rays: measure is UNA_RADIAL_MEAN or _SD. */
const double *una_radial_means(const una_group *group, size_t measure);
extern const una_claim una_radial_claims[];                      /* radial_claims.c                          */
una_status una_radial_find(const una_group **group, una_judging *j, const char *name);
/* The network nearest to the GP on a data set: any, a LUNA, or one that is none; NULL: none was run. */
typedef enum una_radial_whose { UNA_RADIAL_ANY, UNA_RADIAL_LUNA, UNA_RADIAL_RIVAL } una_radial_whose;
const una_group *una_radial_nearest(const una_findings *findings, const char *data, una_radial_whose whose);

/* ---- the search (radial_tune.c) --------------------------------------------------------------------------------- */

enum { UNA_RADIAL_TUNE_FIRST = 1000, UNA_RADIAL_TUNE_SEEDS = 2 };

/* What 3 std at the centre should be: the ideal 1 / 2^inputs, or what the standard (the GP) says of the same rows, its
 * centre alone. */
typedef enum una_radial_aim { UNA_RADIAL_IDEAL, UNA_RADIAL_STANDARD, UNA_RADIAL_AIMS } una_radial_aim;

typedef struct una_radial_choice {       /* one of the specs that were tried, with one of the prior variances */
    const una_group *group;
    const char      *prior;              /* NULL: the model has none                                        */
    double           log_lik, centre, off;       /* means over the seeds; off: |centre - aim|, NAN without an aim */
    size_t           tried;              /* how many were tried                                             */
} una_radial_choice;

/* What the search chooses for a name on a data set: of those whose log-likelihood of fresh rows is at most 0.2
 * below the highest the one whose centre is nearest to the aim; without one the highest log-likelihood. group NULL:
 * none was tried. */
una_status una_radial_choose(una_radial_choice *choice, const una_findings *findings, const char *name,
                             const una_radial_set *set, una_radial_aim aim, una_run *run);

/* ---- the page (radial_page.c) ----------------------------------------------------------------------------------- */

una_status una_radial_page(una_page *page);
una_status una_radial_tune_page(una_page *page);
