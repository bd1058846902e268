/* SPDX-License-Identifier: MIT
 *
 * The grids of the thesis, as its appendix has them (logarithms to the base of 10 there), in our options: alpha =
 * prior_var, gamma = penalty, lambda = diversity, delta = perturbation_std, l = length, c = bound. Where the appendix
 * is silent: 25 heads; the schedules have a diversity of 1; BBVI's "prior variance" is the first variance of its
 * weights.
 */
#include "published/protocol.h"

#include "select/option_space.h"

const char una_protocol_reduced[] =
    "The thesis's protocol, with less in these places. A training ends at the thesis's epochs or after 60,000 steps, "
    "whichever comes first. The networks of ensembles, and in uci LUNA and NLM, stop after 10 of 40 looks at the "
    "validation rows without a better one; these and SNGP keep the best look. In gap LUNA and NLM keep the end, as "
    "MC dropout and BBVI do everywhere. Grids of ensembles are searched with 5 members (anchored: 2), and the chosen "
    "one has all 20 (anchored: 5). BBVI takes one draw of the weights a step, and 200 for its answers. In uci some "
    "axes have fewer values: LUNA's constant diversity is 1e-7 alone (thesis: 1e-8, 1e-7, 1e-6) and its perturbation "
    "0.01 (0.01, 0.1), BBVI's prior variance 1 or 50 (1, 10, 50), SNGP's bound 1 or 5 (1, 5, 10). On the five splits "
    "of boston and of concrete all were trained: what is left out raised the best validation log-likelihood by "
    "0.0014 at most.";

#define PENALTIES "penalty=1e-5|1e-4|1e-3|1e-2|1e-1"
#define PRIORS_3 { "0.1", "1", "10" }
#define PRIORS_5 { "0.01", "0.1", "1", "10", "100" }
#define STOPS "kept=best, patience=10"
#define LUNA_BASE "heads=25, head_share=1, diversity_rows=0, batch=128, "
#define NN(gamma) "nn(width=50, depth=2, rate=0.001, rate_schedule=constant, batch=32, train_noise_std=1, " \
                  "units=standardised, patience=10, penalty=" gamma ")"
#define NETWORKS "of=" NN("1e-5") "|" NN("1e-4") "|" NN("1e-3") "|" NN("1e-2") "|" NN("1e-1")
#define ENSEMBLE(its_style) { .base = "style=" its_style ", members=20", .grid = { NETWORKS }, .rule = "rmse", \
                              .search = "members=5", .epochs = 20000, .batch = 32 }
#define ANCHORED { .base = "style=anchored, members=5, of=" NN("0"), .rule = "rmse", .search = "members=2", \
    .grid = { "anchor_noise_var=0.01|0.1|1, anchor_prior_var=0.01|0.1|1, anchor_init_var=0.01|0.1|1" }, \
    .epochs = 20000, .batch = 32 }
#define MCD(rates) { .base = "batch=32, validate=no", .grid = { "dropout=" rates }, .rule = "log_lik", \
                     .epochs = 20000, .batch = 32, .train_noise = true }
#define BBVI(its_epochs, weight_vars) { .base = "depth=2, rate=0.001, samples=1, draws=200, validate=no", \
    .grid = { "weight_var=" weight_vars ", start_std=0.316228|1|3.16228" }, .rule = "log_lik", .epochs = its_epochs, \
    .batch = 32, .train_noise = true }
#define LENGTH(l) "rbf(length=" l ")"

static const una_protocol uci[UNA_METHODS] = {
    [UNA_METHOD_BOOTSTRAP] = ENSEMBLE("bootstrap"),
    [UNA_METHOD_ENSEMBLE] = ENSEMBLE("plain"),
    [UNA_METHOD_ANCHORED] = ANCHORED,
    [UNA_METHOD_NLM] = { .base = STOPS, .grid = { PENALTIES }, .prior = PRIORS_5, .rule = "log_lik", .epochs = 20000,
                         .batch = 32, .train_noise = true },
    [UNA_METHOD_GP] = { .base = "optimise=no", .rule = "log_lik",
                        .grid = { "kernel=" LENGTH("0.01") "|" LENGTH("0.1") "|" LENGTH("1") "|" LENGTH("10") } },
    [UNA_METHOD_MCD] = MCD("0.01|0.05|0.1|0.2"),
    [UNA_METHOD_SNGP] = { .base = "depth=2", .grid = { "bound=1|5, penalty=1e-5|1e-4|1e-3" }, .prior = PRIORS_5,
                          .rule = "log_lik", .epochs = 20000, .batch = 32, .train_noise = true },
    [UNA_METHOD_BBVI] = BBVI(20000, "1|50"),
    [UNA_METHOD_LUNA] = { .base = LUNA_BASE STOPS ", perturbation_std=0.01",
        .grid = { PENALTIES ", diversity=1e-7, schedule=constant",
                  PENALTIES ", diversity=1, schedule=sigmoid" },
        .prior = PRIORS_3, .rule = "log_lik", .epochs = 20000, .batch = 128, .train_noise = true },
};

static const una_protocol gap[UNA_METHODS] = {
    [UNA_METHOD_BOOTSTRAP] = ENSEMBLE("bootstrap"),
    [UNA_METHOD_ENSEMBLE] = ENSEMBLE("plain"),
    [UNA_METHOD_ANCHORED] = ANCHORED,
    [UNA_METHOD_NLM] = { .base = "kept=last", .grid = { PENALTIES }, .prior = PRIORS_3, .rule = "log_lik",
                         .epochs = 20000, .batch = 32, .train_noise = true },
    [UNA_METHOD_GP] = { .base = "optimise=no", .rule = "log_lik",
        .grid = { "kernel=" LENGTH("0.01") "|" LENGTH("0.05") "|" LENGTH("0.1") "|" LENGTH("0.5") "|" LENGTH("1") "|"
                  LENGTH("5") "|" LENGTH("10") "|" LENGTH("50") "|" LENGTH("500") } },
    [UNA_METHOD_MCD] = MCD("0.005|0.01|0.05|0.1"),
    [UNA_METHOD_SNGP] = { .base = "depth=2", .grid = { "bound=1|5, " PENALTIES }, .prior = PRIORS_3, .rule = "log_lik",
                          .epochs = 20000, .batch = 32, .train_noise = true },
    [UNA_METHOD_BBVI] = BBVI(50000, "1|10|50"),
    [UNA_METHOD_LUNA] = { .base = LUNA_BASE "kept=last, perturbation_std=0.01",
        .grid = { PENALTIES ", diversity=0.01|0.1, schedule=constant",
                  PENALTIES ", diversity=1, schedule=sigmoid|tanh" },
        .prior = PRIORS_3, .rule = "two_stage", .epochs = 20000, .batch = 128, .train_noise = true },
};

const una_protocol *una_protocol_of(const char *spec, una_rows_group group)
{
    size_t method = una_method_of(spec);
    if (method == UNA_METHODS) return NULL;
    return group == UNA_GROUP_GAP ? &gap[method] : &uci[method];
}

double una_protocol_hand_noise(const char *data)
{
    static const struct { const char *name; double noise; } hand[] = {
        { "boston", 15.3 }, { "concrete", 82 }, { "yacht", 4.0 }, { "kin8nm", 0.11 }, { "energy", 6.4 },
        { "wine-quality-red", 0.89 },
    };
    size_t length = una_row_key_data(data);
    for (size_t i = 0; i < sizeof hand / sizeof *hand; i++)
        if (strlen(hand[i].name) == length && strncmp(hand[i].name, data, length) == 0) return hand[i].noise;
    return NAN;
}

/* ---- the trainings of a grid ------------------------------------------------------------------------------------- */

/* Options that all methods share are axes with one value. */
static una_status protocol_read_grid(una_option_space *space, const una_protocol *p, size_t grid, const char *model,
                                     una_arena *arena, una_run *run)
{
    una_text text = una_text_in(arena);
    una_text_add(&text, "%s, %s", p->base, p->grid[grid]);
    UNA_TRY(una_arena_check(arena));
    return una_option_space_parse(space, text.at, model, arena, run);
}

una_status una_protocol_count(size_t *count, const una_protocol *p, const char *model, una_arena *arena, una_run *run)
{
    *count = 0;
    for (size_t g = 0; g < UNA_PROTOCOL_GRIDS && p->grid[g]; g++) {
        una_option_space space;
        UNA_TRY(protocol_read_grid(&space, p, g, model, arena, run));
        *count += (size_t)una_option_space_combinations(&space);
    }
    return UNA_OK;
}

una_status una_protocol_spec(const char **spec, unsigned *results, const una_protocol *p, const char *model,
                             size_t index, una_arena *arena, una_run *run)
{
    for (size_t g = 0; g < UNA_PROTOCOL_GRIDS && p->grid[g]; g++) {
        una_option_space space;
        UNA_TRY(protocol_read_grid(&space, p, g, model, arena, run));
        size_t count = (size_t)una_option_space_combinations(&space);
        if (index >= count) {
            index -= count;
            continue;
        }
        UNA_NEW(arena, const char *, value, space.count);
        una_option_space_at(value, &space, index);
        return una_option_space_spec(spec, results, &space, value, arena, run);
    }
    UNA_FAIL(run, UNA_E_USAGE, "the grid of %s has no training %zu", model, index);
}
