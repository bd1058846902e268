/* SPDX-License-Identifier: MIT
 *
 * Prior knowledge as reference functions: what TUNA learns from it. Four parts:
 *   sine   references that are sines, against draws from an RBF process, two periods beyond the rows
 *   strip  a kernel on x1 alone, against an isotropic one, for x1^3
 *   prior  TUNA's prior against the process whose draws it was taught, by heads, by features, with match_prior or not
 *   tune   the process's length by evidence (tune_prior), from starts that are right, too short and too long
 * Rows and measures are in knowledge_data.c, the models in knowledge_cast.c, charts and tables in knowledge_page.c.
 * Other models (--models) stand beside TUNA in the first part.
 */
#include "knowledge/knowledge.h"

#include "bench/claims.h"

enum { SEEDS = 10, QUICK_SEEDS = 5 };

typedef struct knowledge_options { double seeds; const char *parts; } knowledge_options;

static const una_option table[] = {
    UNA_SEEDS_OPTION(knowledge_options),
    { "parts", UNA_TEXT, offsetof(knowledge_options, parts), "sine,strip,prior,tune", 0, 0, false, NULL,
      "which parts, with commas between: sine, strip, prior, tune" },
    { .name = NULL }
};

static const una_entry entries[] = {
    { "nlm", "nlm", "nlm(steps=500)" },
    { "luna", "luna", "luna(steps=500)" },
    { "gp", "gp(kernel=rbf)", "" },
    { "gp", "gp(kernel=periodic(period=5))", "" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = { UNA_KNOW_LIST(UNA_FIELDS) { .name = NULL } };

/* ---- plan ---------------------------------------------------------------------------------------------------- */

/* Every part between two commas must be one: an empty one is none. */
static una_status check_parts(const char *list, una_run *run)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ",");
        while (length > 0 && at[length - 1] == ' ') length--;
        const char *part = una_phrase(&run->scratch, "%.*s", (int)length, at);
        if (!part || !una_list_has("sine,strip,prior,tune", part))
            UNA_FAIL(run, UNA_E_USAGE, "there is no part '%.60s' of this experiment; its parts are sine, strip, prior "
                     "and tune", part ? part : "");
    }
    return UNA_OK;
}

static una_status plan_role(una_plan *plan, const una_role *role, uint64_t seed, const una_asked *asked, una_run *run)
{
    const char *text;
    UNA_TRY(una_role_spec(&text, role, asked->quick, asked->keep));
    const una_row_key like = { .study = "knowledge", .data = role->part, .seed = seed };
    return text ? una_plan_spec(plan, asked, text, like, 1, run) : UNA_OK;
}

static una_status knowledge_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const knowledge_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked);
    UNA_TRY(check_parts(o->parts, run));
    for (size_t s = 0; s < seeds; s++) {
        for (const una_role *role = una_knowledge_cast; role->part; role++)
            if (una_list_has(o->parts, role->part)) UNA_TRY(plan_role(plan, role, asked->first + s, asked, run));
        if (una_list_has(o->parts, "sine")) una_plan_models(plan, asked, "knowledge", "sine", asked->first + s);
    }
    return UNA_OK;
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

/* Names are roles of the part that the claim's data names. */
static una_status knowledge_find(const una_group **group, una_judging *j, const char *name)
{
    return una_role_group(group, j->claim->data, name, j->findings, j->run);
}

#define PART .needs = "the part {data}"
static const una_rule likelier_in_every_seed = { PART,
    .says = "in {share}; log-likelihood {1:log_lik} against {2:log_lik}, more by {margin}",
    .ask = { { "1:log_lik", "2:log_lik", .is = UNA_IN_EVERY_SEED } } };
static const una_rule widens = { PART,
    .says = "epistemic std {beyond_std} beyond the rows, {near_std} within; beyond less twice within: {margin}",
    .ask = { { "beyond_std", "2 near_std" } } };
/* The mean goes at most half as far from the rows' mean as the truth does. */
static const una_rule reverts = { PART,
    .says = "the mean goes {pull} times as far as the truth (at most {0.5} asked); below that by {margin}",
    .ask = { { "0.5", "pull" } } };
static const una_rule rises_off_the_rows = { PART,
    .says = "epistemic std {disc_std} in the disc, {outside_std} outside it; outside less twice inside: {margin}",
    .ask = { { "outside_std", "2 disc_std" } } };
/* A measure of one role less that of another. */
#define MORE(what, measure)                                                                                          \
    .says = what " of {name 1}: {1:" measure "}; of {name 2}: {2:" measure "}; more by {margin}",                    \
    .ask = { { "1:" measure, "2:" measure } }
static const una_rule more_kl = { MORE("KL per point", "kl"), .needs = "the part {data}, all of it" },
                      more_energy = { MORE("energy distance", "energy"), .needs = "the part {data}, all of it" },
                      more_likely = { MORE("log-likelihood", "log_lik"), PART };

static const una_rule strip = {
    PART,
    .says =
        "below a tenth in {share}; variation along x2 over that along x1: mean {along_ratio, plain 4}, largest {most "
        "along_ratio, plain 4}",
    .ask = { { "0.1", "along_ratio", .is = UNA_IN_EVERY_SEED } }
};

static const una_claim claims[] = {
    { "Sine references are more likely than RBF draws two periods beyond the rows", &likelier_in_every_seed,
      "TUNA, sine references|TUNA, RBF draws", "sine" },
    { "With RBF draws doubt widens beyond the rows", &widens, "TUNA, RBF draws", "sine" },
    { "With RBF draws the mean reverts beyond the rows", &reverts, "TUNA, RBF draws", "sine" },
    { "A kernel on x1 alone: the std varies along x2 by less than a tenth of its variation along x1", &strip,
      "TUNA, kernel on x1", "strip" },
    { "An isotropic kernel: the std is low on the rows and high off them", &rises_off_the_rows, "TUNA, isotropic kernel", "strip" },
    { "More heads bring TUNA's prior nearer to its target", &more_kl,
      "5 heads, 50 features, matched|160 heads, 50 features, matched", "prior" },
    { "More features bring TUNA's prior nearer to its target", &more_kl,
      "40 heads, 5 features, matched|40 heads, 50 features, matched", "prior" },
    { "Matching the prior's scale brings it nearer to its target, by the energy distance", &more_energy,
      "40 heads, 50 features|40 heads, 50 features, matched", "prior" },
    { "Matching the prior's scale brings it nearer to its target, by the KL", &more_kl,
      "40 heads, 50 features|40 heads, 50 features, matched", "prior" },
    { "Tuning the prior by evidence repairs a length that is too short", &more_likely, "length 0.1, tuned|length 0.1",
      "tune" },
    { "Tuning the prior by evidence repairs a length that is too long", &more_likely, "length 10, tuned|length 10",
      "tune" },
    { .sentence = NULL }
};

const una_experiment una_experiment_knowledge = {
    .name = "knowledge",
    .summary = "TUNA taught what a person knows: sines that go on, inputs that do not matter, priors of one's own",
    .title = "Knowledge as reference functions",
    .lead = "TUNA's features are trained on functions that say what a person believes before seeing the data. Here is "
            "what comes of it where the data ends: a wave that goes on, an input that does not matter, a prior that "
            "is met more or less well, and a prior whose own numbers are tuned.",
    .caption = "Log-likelihood of fresh rows (sine: beyond the rows), variation of the epistemic std along x2 over "
               "that along x1, distances of TUNA's prior from its target: mean and sd over the seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(knowledge_options),
    .measures = measures,
    .entries = entries,
    .plan = knowledge_plan_fits,
    .measure = una_know_measure,
    .claims = claims,
    .find = knowledge_find,
    .claims_lead = "Claims of the thesis, and ours.",
    .claims_caption = "The thesis's are the first five, made of its pictures; ours are those about distances from the "
                      "target prior and about tuning, its future work. Differences are paired over the seeds; the "
                      "first and the fourth ask for every seed.",
    .page = una_knowledge_page,
};
