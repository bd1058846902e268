/* SPDX-License-Identifier: MIT
 *
 * The thesis's own surrogates for optimisation: three hidden layers of 50 tanh units (BBVI: one), Adam at 1e-3 (1e-2),
 * 1000 epochs over all rows at once, and a small grid of hyper-parameters that is searched once, at the start. How the
 * grid was scored is not reported; here it is the likelihood of held-out rows (una_tune). Of MC dropout's grid the
 * penalties are left out: ours follow from its prior.
 */
#include "bayesopt/bayesopt.h"

#include "una_study.h"

#define TRAINED "width=50, depth=3, activation=tanh, rate=0.001, rate_schedule=constant, epochs=1000, batch=1000, "
#define PLAIN "units=standardised, members=1, relevance=off, noise=constant"
#define NET(penalty) "nn(" TRAINED "penalty=" penalty ", train_noise_std=1, " PLAIN ")"
#define NETS "of=" NET("1e-5") "|" NET("1e-4") "|" NET("1e-3") "|" NET("1e-2") "|" NET("1e-1")

typedef struct surrogate { const char *own, *spec, *over; } surrogate;   /* own: the entry whose place it takes */

static const surrogate surrogates[] = {
    { "luna", "luna(heads=50, head_share=1, diversity=0.1, diversity_rows=0, schedule=constant, probes=data, "
      "cosine=stacked, slopes=differences, " TRAINED "restarts=1, " PLAIN ")",
      "prior_var=0.1|1|10, penalty=1e-5|1e-4|1e-3, perturbation_std=0.1|0.01" },
    { "gp", "gp(kernel=rbf, ard=no, optimise=grid, grid=[0.001, 0.01, 0.1, 1, 5, 10], amplitude=1, "
      "units=standardised, noise=constant)", NULL },
    { "nlm", "nlm(training=map, " TRAINED "restarts=1, train_noise_std=1, " PLAIN ")",
      "prior_var=0.1|1|10, penalty=1e-5|1e-4|1e-3" },
    { "mcd", "mcd(" TRAINED "passes=5, " PLAIN ")", "dropout=0.01|0.05|0.1" },
    { "ensemble(style=anchored)", "ensemble(style=anchored, members=25, of=" NET("0") ", units=standardised)",
      "anchor_noise_var=0.1|1|10, anchor_prior_var=0.1|1|10, anchor_init_var=0.1|1|10" },
    { "ensemble(style=bootstrap)", "ensemble(style=bootstrap, members=25, units=standardised)", NETS },
    { "ensemble", "ensemble(members=25, units=standardised)", NETS },
    { "sngp", "sngp(features=200, lengthscale=1, head=exact, " TRAINED "train_noise_std=1, " PLAIN ")",
      "prior_var=0.1|1|10, bound=1|5" },
    { "bbvi", "bbvi(width=50, depth=1, activation=tanh, rate=0.01, rate_schedule=constant, epochs=1000, batch=1000, "
      "draws=1000, " PLAIN ")", "weight_var=1|10|50" },
};
enum { SURROGATES = sizeof surrogates / sizeof *surrogates };

const char *una_bayesopt_thesis(const char *own)
{
    for (size_t i = 0; i < SURROGATES; i++)
        if (strcmp(surrogates[i].own, own) == 0) return surrogates[i].spec;
    return NULL;
}

static una_status grid_of(const char **over, const char *spec, una_run *run)
{
    const char *kind, *written;
    unsigned results;
    *over = NULL;
    for (size_t i = 0; i < SURROGATES; i++) {
        UNA_TRY(una_row_key_spec(&written, &kind, &results, surrogates[i].spec, &run->scratch, run));
        if (strcmp(written, spec) == 0) *over = surrogates[i].over;
    }
    return UNA_OK;
}

una_status una_bayesopt_choose(const char **best, const char *spec, const una_space *space,
                               const una_history *history, una_arena *arena, una_run *run)
{
    const char *names[UNA_MOST_TASK_INPUTS + 1];
    una_tune_settings settings = { .size = sizeof settings, .model = spec, .search = "grid" };
    una_dataset *data = NULL;
    una_tuned *tuned = NULL;
    *best = spec;
    UNA_TRY(grid_of(&settings.over, spec, run));
    if (!settings.over) return UNA_OK;
    for (size_t i = 0; i < space->count; i++) names[i] = space->dimension[i].name;
    names[space->count] = "value";
    UNA_TRY(una_dataset_from_arrays(&data, history->point, history->value, history->count, space->count, names, run));
    una_status status = una_tune(&tuned, data, &settings, run);
    una_dataset_free(data);
    UNA_TRY(status);
    *best = una_arena_text(arena, tuned->spec[0]);
    una_tuned_free(tuned);
    return una_arena_check(arena);
}
