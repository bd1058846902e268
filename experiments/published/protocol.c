/* SPDX-License-Identifier: MIT
 *
 * The grids of the thesis, as its appendix has them (logarithms to the base of 10 there), in our options: alpha =
 * prior_var, gamma = penalty, lambda = diversity, delta = perturbation_std, l = length, c = bound. Where the appendix
 * is silent: 25 heads; the schedules have a diversity of 1; BBVI's "prior variance" is the first variance of its
 * weights. Then which rows a row of the protocol depends on, and what follows from them: the noise, and the training
 * that the rule chooses.
 */
#include "published/protocol.h"

#include "select/option_space.h"
#include "select/select.h"

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
#define LEARNS(its_epochs, its_batch) .epochs = its_epochs, .batch = its_batch, .train_noise = true
#define MCD(rates) { .base = "batch=32, validate=no", .grid = { "dropout=" rates }, .rule = "log_lik", \
                     LEARNS(20000, 32) }
#define BBVI(its_epochs, weight_vars) { .base = "depth=2, rate=0.001, samples=1, draws=200, validate=no", \
    .grid = { "weight_var=" weight_vars ", start_std=0.316228|1|3.16228" }, .rule = "log_lik", LEARNS(its_epochs, 32) }
#define LENGTH(l) "rbf(length=" l ")"

static const una_protocol uci[UNA_METHODS] = {
    [UNA_METHOD_BOOTSTRAP] = ENSEMBLE("bootstrap"),
    [UNA_METHOD_ENSEMBLE] = ENSEMBLE("plain"),
    [UNA_METHOD_ANCHORED] = ANCHORED,
    [UNA_METHOD_NLM] = { .base = STOPS, .grid = { PENALTIES }, .prior = PRIORS_5, .rule = "log_lik",
                         LEARNS(20000, 32) },
    [UNA_METHOD_GP] = { .base = "optimise=no", .rule = "log_lik",
                        .grid = { "kernel=" LENGTH("0.01") "|" LENGTH("0.1") "|" LENGTH("1") "|" LENGTH("10") } },
    [UNA_METHOD_MCD] = MCD("0.01|0.05|0.1|0.2"),
    [UNA_METHOD_SNGP] = { .base = "depth=2", .grid = { "bound=1|5, penalty=1e-5|1e-4|1e-3" }, .prior = PRIORS_5,
                          .rule = "log_lik", LEARNS(20000, 32) },
    [UNA_METHOD_BBVI] = BBVI(20000, "1|50"),
    [UNA_METHOD_LUNA] = { .base = LUNA_BASE STOPS ", perturbation_std=0.01",
        .grid = { PENALTIES ", diversity=1e-7, schedule=constant",
                  PENALTIES ", diversity=1, schedule=sigmoid" },
        .prior = PRIORS_3, .rule = "log_lik", LEARNS(20000, 128) },
};

static const una_protocol gap[UNA_METHODS] = {
    [UNA_METHOD_BOOTSTRAP] = ENSEMBLE("bootstrap"),
    [UNA_METHOD_ENSEMBLE] = ENSEMBLE("plain"),
    [UNA_METHOD_ANCHORED] = ANCHORED,
    [UNA_METHOD_NLM] = { .base = "kept=last", .grid = { PENALTIES }, .prior = PRIORS_3, .rule = "log_lik",
                         LEARNS(20000, 32) },
    [UNA_METHOD_GP] = { .base = "optimise=no", .rule = "log_lik",
        .grid = { "kernel=" LENGTH("0.01") "|" LENGTH("0.05") "|" LENGTH("0.1") "|" LENGTH("0.5") "|" LENGTH("1") "|"
                  LENGTH("5") "|" LENGTH("10") "|" LENGTH("50") "|" LENGTH("500") } },
    [UNA_METHOD_MCD] = MCD("0.005|0.01|0.05|0.1"),
    [UNA_METHOD_SNGP] = { .base = "depth=2", .grid = { "bound=1|5, " PENALTIES }, .prior = PRIORS_3, .rule = "log_lik",
                          LEARNS(20000, 32) },
    [UNA_METHOD_BBVI] = BBVI(50000, "1|10|50"),
    [UNA_METHOD_LUNA] = { .base = LUNA_BASE "kept=last, perturbation_std=0.01",
        .grid = { PENALTIES ", diversity=0.01|0.1, schedule=constant",
                  PENALTIES ", diversity=1, schedule=sigmoid|tanh" },
        .prior = PRIORS_3, .rule = "two_stage", LEARNS(20000, 128) },
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
        if (una_is_item(data, length, hand[i].name)) return hand[i].noise;
    return NAN;
}

/* ---- keys ------------------------------------------------------------------------------------------------------ */

const char *const una_protocol_prepared[] = {
    [UNA_SEARCH_RMSE] = "valid_rmse", [UNA_SEARCH_COS2] = "mean_cos2", [UNA_SEARCH_NOISE] = "noise_std",
    [UNA_SEARCH_STEPS] = "steps", [UNA_SEARCH_LOG_LIK] = "valid_log_lik_0", "valid_log_lik_1", "valid_log_lik_2",
    "valid_log_lik_3", "valid_log_lik_4", NULL
};

/* An NLM with alpha = 0.1 and gamma = 1e-5, at the end of its training. */
static const char noise_spec[] = "nlm(kept=last, penalty=1e-05, prior_var=0.1)";
static const char search_of[] = "search(of=";

bool una_protocol_is_search(const una_row_key *key)
{
    return strncmp(key->study, search_of, strlen(search_of)) == 0;
}

bool una_protocol_is_noise(const una_row_key *key)
{
    return una_protocol_is_search(key) && strstr(key->study, "for=noise");
}

/* "gap(preset=thesis)" becomes "search(of=gap, preset=thesis)", and a study of that form stays as it is. */
static const char *study_of_search(const una_row_key *key, const char *more, una_arena *arena)
{
    una_text text = una_text_in(arena);
    const char *name = una_protocol_is_search(key) ? key->study + strlen(search_of) : key->study;
    size_t length = strcspn(name, "(,"), rest = length + strspn(name + length, "(, ");
    una_text_add(&text, "%s%.*s%s, %s", search_of, (int)length, name, more, name + rest);
    return text.at;
}

una_status una_protocol_noise_key(una_row_key *noise, const una_row_key *key, una_arena *arena, una_run *run)
{
    *noise = *key;
    noise->study = study_of_search(key, ", for=noise", arena);
    UNA_TRY(una_arena_check(arena));
    return una_row_key_spec(&noise->spec, NULL, &noise->results, noise_spec, arena, run);
}

/* Options that all methods share are axes with one value. */
una_status una_protocol_searches(una_plan *searches, const una_row_key *key, const una_protocol *p, una_run *run)
{
    una_row_key like = *key;
    like.study = study_of_search(key, "", searches->arena);
    for (size_t g = 0; g < UNA_PROTOCOL_GRIDS && p->grid[g]; g++) {
        una_option_space space;
        una_text text = una_text_in(searches->arena);
        una_text_add(&text, "%s, %s", p->base, p->grid[g]);
        UNA_TRY(una_arena_check(searches->arena));
        UNA_TRY(una_option_space_parse(&space, text.at, (const char *[]){ key->spec }, 1, searches->arena, run));
        UNA_TRY(una_option_space_keys(searches, &space, like, run));
    }
    return UNA_OK;
}

/* ---- rounds ---------------------------------------------------------------------------------------------------- */

static bool needs_noise(const una_row_key *key, una_rows_group group)
{
    return group == UNA_GROUP_GAP || isnan(una_protocol_hand_noise(key->data));
}

/* First the noise, then the grids; grids of sets whose noise is known are made at once. */
una_status una_protocol_prepare(una_plan *more, size_t number, const una_plan *wanted, const una_asked *asked,
                                una_run *run)
{
    una_rows_group group = una_published_group(asked);
    for (size_t i = 0; number < 2 && i < wanted->count; i++) {
        const una_row_key *key = &wanted->keys[i];
        const una_protocol *p = una_protocol_of(key->spec, group);
        una_row_key noise;
        if (!una_published_is_thesis(key) || !p) continue;
        bool wait = needs_noise(key, group);
        if (wait && number == 0) {
            UNA_TRY(una_protocol_noise_key(&noise, key, more->arena, run));
            una_plan_add(more, noise);
        } else if (wait == (number == 1)) {
            UNA_TRY(una_protocol_searches(more, key, p, run));
        }
    }
    return una_arena_check(asked->keep);
}

/* ---- what follows ---------------------------------------------------------------------------------------------- */

/* value [UNA_SEARCH_MEASURES] of a row of the search, NAN where it has none such; in `arena`. */
static una_status read_search(double *value, una_store *store, const una_row_key *key, una_arena *arena, una_run *run)
{
    bool found;
    una_row row;
    UNA_TRY(una_store_find(&found, &row, store, key, arena, run));
    if (!found)
        UNA_FAIL(run, UNA_E_IO, "a row of the search (%.200s) has gone from the store while it was in use; run again",
                 key->spec);
    for (size_t m = 0; m < UNA_SEARCH_MEASURES; m++) {
        size_t at = una_row_find(&row, una_protocol_prepared[m]);
        value[m] = at == SIZE_MAX ? NAN : row.value[at];
    }
    return UNA_OK;
}

una_status una_protocol_noise(double *noise, const una_row_key *key, una_rows_group group, una_store *store,
                              una_run *run)
{
    double value[UNA_SEARCH_MEASURES];
    una_row_key wanted;
    *noise = una_protocol_hand_noise(key->data);
    if (!needs_noise(key, group)) return UNA_OK;
    UNA_TRY(una_protocol_noise_key(&wanted, key, &run->scratch, run));
    UNA_TRY(read_search(value, store, &wanted, &run->scratch, run));
    *noise = value[UNA_SEARCH_NOISE];
    return UNA_OK;
}

una_status una_protocol_choose(una_protocol_choice *choice, const una_row_key *key, const una_protocol *p,
                               una_store *store, una_arena *arena, una_run *run)
{
    size_t best, priors = 0;
    una_plan searches = { .arena = arena };
    *choice = (una_protocol_choice){ NULL, NULL };
    UNA_TRY(una_protocol_searches(&searches, key, p, run));
    while (priors < UNA_PROTOCOL_PRIORS && p->prior[priors]) priors++;
    size_t each = priors ? priors : 1, count = searches.count * each;
    UNA_NEW(arena, una_candidate, candidates, count);
    for (size_t i = 0; i < searches.count; i++) {
        double value[UNA_SEARCH_MEASURES];
        UNA_TRY(read_search(value, store, &searches.keys[i], arena, run));
        for (size_t k = 0; k < each; k++)
            candidates[i * each + k] = (una_candidate){ .log_lik = value[UNA_SEARCH_LOG_LIK + k],
                .rmse = value[UNA_SEARCH_RMSE], .mean_cos2 = value[UNA_SEARCH_COS2] };
    }
    UNA_TRY(una_select(&best, p->rule, candidates, count, run));
    if (best == SIZE_MAX) return UNA_OK;
    *choice = (una_protocol_choice){ searches.keys[best / each].spec, priors ? p->prior[best % each] : NULL };
    return UNA_OK;
}
