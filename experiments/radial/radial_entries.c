/* SPDX-License-Identifier: MIT
 *
 * The models of the Radial Uncertainty Benchmark and their options: those that a name always has, the ranges
 * that the search draws from, and what it chose on each data set (`una bench radial --tune`, whose page writes this
 * table). The network is the thesis's, two layers of 50 ReLU units; noise is found by each model itself, from rows that
 * did not train it, for all alike: otherwise errors of the features would dominate the likelihood.
 *
 * The thesis's ranges in our options: C = diversity, gamma = penalty, alpha = prior_var (searched on a grid for every
 * draw, without training again), delta = perturbation_std or copy_std, l = prior. The lower ends of the ranges, where
 * nothing changes, are cut off. Disc and ball were not searched: options that were not chosen have the model's
 * defaults.
 */
#include "radial/radial.h"

#include "select/option_space.h"
#include "select/tune.h"

const una_radial_entry una_radial_entries[] = {
    { .name = "gp", .title = "GP", .base = "gp(kernel=matern32, ard=no, amplitude=1, noise=constant)",
      .steps = "restarts=10",
      .quick = "restarts=2" },
    { .name = "luna_data", .title = "LUNA, probes at the data", .network = true, .prior = true, .draws = 12,
      .base = "luna(probes=data, members=1, relevance=off, noise=constant)", .steps = "steps=8000",
      .over = "diversity=1:1e4:log, penalty=0.01:10:log, perturbation_std=0.01:1:log",
      .chosen = { "diversity=556.4, perturbation_std=0.1922, penalty=0.509, prior_var=0.03",
                  "diversity=10.93, perturbation_std=0.01085, penalty=0.03423, prior_var=0.3",
                  "diversity=2.536, perturbation_std=0.03721, penalty=8.446, prior_var=100" }, .quick = "steps=3000" },
    { .name = "luna_between", .title = "LUNA, probes between", .network = true, .prior = true, .draws = 12,
      .base = "luna(probes=between, members=1, relevance=off, noise=constant)", .steps = "steps=8000",
      .over = "diversity=0.1:100:log, penalty=0.01:10:log, perturbation_std=0.01:1:log",
      .chosen = { "diversity=0.3612, perturbation_std=0.03875, penalty=0.03617, prior_var=0.03",
                  "diversity=63.76, perturbation_std=0.1375, penalty=0.01263, prior_var=0.003",
                  "diversity=3.538, perturbation_std=0.02168, penalty=1.658, prior_var=0.003" }, .quick = "steps=3000" },
    { .name = "luna_beyond", .title = "LUNA, probes beyond", .network = true, .prior = true, .draws = 12,
      .base = "luna(probes=beyond, members=1, relevance=off, noise=constant)", .steps = "steps=8000",
      .over = "diversity=0.1:1000:log, penalty=0.01:10:log, perturbation_std=0.01:1:log",
      .chosen = { "diversity=0.6239, perturbation_std=0.03265, penalty=2.863, prior_var=10",
                  "diversity=0.2137, perturbation_std=0.05313, penalty=0.04251, prior_var=3",
                  "diversity=212.9, perturbation_std=0.01998, penalty=5.877, prior_var=0.001" }, .quick = "steps=3000" },
    { .name = "luna", .title = "LUNA, automatic", .network = true, .base = "luna" },
    { .name = "auto", .title = "auto", .base = "auto" },
    { .name = "trees", .title = "Boosted trees", .base = "trees" },
    { .name = "nlm", .title = "NLM", .network = true, .prior = true, .draws = 10,
      .base = "nlm(members=1, relevance=off, noise=constant)", .steps = "steps=8000", .over = "penalty=1e-6:100:log",
      .chosen = { "penalty=18.15, prior_var=3",
                  "penalty=4.638, prior_var=3",
                  "penalty=10.64, prior_var=1" }, .quick = "steps=3000" },
    { .name = "tuna", .title = "TUNA", .network = true, .prior = true, .draws = 16,
      .base = "tuna(noise=constant)", .steps = "steps=5000",
      .over = "prior=rbf(length=0.1)|rbf(length=0.3)|rbf(length=1)|rbf(length=3), copy_std=0.001:1:log, "
              "penalty=1e-6:100:log",
      .chosen = { "prior=rbf(length=3), copy_std=0.00798, penalty=0.004174, prior_var=3",
                  "prior=rbf(length=0.1), copy_std=0.2595, penalty=0.03625, prior_var=100",
                  "prior=rbf(length=1), copy_std=0.02413, penalty=0.4759, prior_var=100" },
      .quick = "steps=2000" },
    { .name = "sngp", .title = "SNGP", .network = true, .prior = true, .draws = 10,
      .base = "sngp(noise=constant)", .steps = "steps=2000", .over = "penalty=1e-6:100:log, bound=0.01:2",
      .chosen = { "bound=1.389, penalty=7.196e-06, prior_var=10",
                  "bound=1.01, penalty=2.457e-05, prior_var=30",
                  "bound=0.4919, penalty=0.00411, prior_var=100" }, .quick = "steps=500" },
    { .name = "ensemble", .title = "Ensemble", .network = true, .draws = 5, .base = "ensemble(style=plain, members=20)",
      .over = "of=nn(steps=2000, penalty=1e-5)|nn(steps=2000, penalty=1e-3)|nn(steps=2000, penalty=0.1)|"
              "nn(steps=2000, penalty=1)|nn(steps=2000, penalty=10)",
      .chosen = { "of=nn(steps=2000, penalty=0.1)",
                  "of=nn(steps=2000, penalty=1e-05)",
                  "of=nn(steps=2000, penalty=10)",
                  "of=nn(steps=2000)", "of=nn(steps=2000)" } },
    { .name = "bootstrap", .title = "Bootstrap ensemble", .network = true, .draws = 5,
      .base = "ensemble(style=bootstrap, members=20)",
      .over = "of=nn(steps=2000, penalty=1e-5)|nn(steps=2000, penalty=1e-3)|nn(steps=2000, penalty=0.1)|"
              "nn(steps=2000, penalty=1)|nn(steps=2000, penalty=10)",
      .chosen = { "of=nn(steps=2000, penalty=0.1)",
                  "of=nn(steps=2000, penalty=1)",
                  "of=nn(steps=2000, penalty=10)",
                  "of=nn(steps=2000)", "of=nn(steps=2000)" } },
    { .name = "anchored", .title = "Anchored ensemble", .network = true, .draws = 12,
      .base = "ensemble(style=anchored, members=5, of=nn(steps=3000))",
      .over = "anchor_noise_var=1e-6:1:log, anchor_prior_var=1e-3:10:log, anchor_init_var=1e-3:10:log",
      .chosen = { "anchor_noise_var=9.209e-06, anchor_prior_var=5.107, anchor_init_var=0.001161",
                  "anchor_noise_var=2.773e-05, anchor_prior_var=0.03659, anchor_init_var=0.006756",
                  "anchor_noise_var=2.028e-06, anchor_prior_var=1.066, anchor_init_var=0.01989" }, .quick = "epochs=1000" },
    { .name = "mcd", .title = "MC dropout", .network = true, .draws = 10, .base = "mcd(noise=constant)",
      .steps = "steps=3000", .over = "dropout=0.001:0.5:log, length_scale=1e-4:10:log",
      .chosen = { "dropout=0.001728, length_scale=0.004939",
                  "dropout=0.006583, length_scale=0.01421",
                  "dropout=0.00266, length_scale=3.449" },
      .quick = "steps=1000" },
    { .name = "bbvi", .title = "BBVI", .network = true, .draws = 8, .base = "bbvi(depth=2, noise=constant)",
      .steps = "steps=3000", .over = "weight_var=1e-3:10:log",
      .chosen = { "weight_var=0.3373",
                  "weight_var=2.103",
                  "weight_var=9.216" } },
    { .name = "hmc", .title = "HMC",
      .base = "hmc(chains=2, warmup=150, samples=100, max_depth=7)" },
    { .name = "nn", .title = "Plain network", .base = "nn(noise=constant)", .steps = "steps=3000" },
    { .name = "linear", .title = "Linear", .base = "linear(noise=constant)" },
    { .name = NULL }
};

const una_radial_entry *una_radial_entry_find(const char *name)
{
    for (const una_radial_entry *e = una_radial_entries; e->name; e++)
        if (strcmp(e->name, name) == 0) return e;
    return NULL;
}

size_t una_radial_tuned(const una_radial_set *set)
{
    if (!set->shell) return set->inputs == 2 ? 3 : 4;
    return set->inputs < 3 ? set->inputs - 1 : 2;
}

una_status una_radial_spec(const char **spec, const una_radial_entry *entry, const char *options, bool quick,
                           una_arena *arena, una_run *run)
{
    const char *steps = quick && entry->quick ? entry->quick : entry->steps;
    const char *const more[] = { options ? options : "", steps ? steps : "" };
    return una_tune_model(spec, entry->base, more, 2, arena, run);
}

una_status una_radial_draw(una_bench_model *model, const char *base, const char *over, uint64_t index,
                           una_arena *arena, una_run *run)
{
    enum { SEARCH_SEED = 1000 };
    una_option_space space;
    una_rng rng = una_rng_at(SEARCH_SEED, UNA_FOR_SEARCH, index);
    UNA_TRY(una_option_space_parse(&space, over, (const char *[]){ base }, 1, arena, run));
    UNA_NEW(arena, const char *, value, space.count);
    uint64_t combinations = una_option_space_combinations(&space); /* 0: infinitely many */
    if (combinations) una_option_space_at(value, &space, index % combinations);
    else una_option_space_draw(value, &space, &rng, arena);
    UNA_TRY(una_arena_check(arena));
    return una_option_space_spec(&model->spec, &model->results, &space, value, arena, run);
}
