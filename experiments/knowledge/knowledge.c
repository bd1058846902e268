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

#include "bench/paired.h"
#include "draw/number.h"

enum { SEEDS = 10, QUICK_SEEDS = 5 };
static const double most_ratio = 0.1, twice = 2, half = 0.5;

typedef struct knowledge_options { double seeds; const char *parts; } knowledge_options;

static const una_option table[] = {
    { "seeds", UNA_COUNT, offsetof(knowledge_options, seeds), "auto", 1, 1000, true, NULL,
      UNA_SEEDS_HELP },
    { "parts", UNA_TEXT, offsetof(knowledge_options, parts), "sine,strip,prior,tune", 0, 0, false, NULL,
      "which parts, with commas between: sine, strip, prior, tune" },
    { .name = NULL }
};

static const una_entry entries[] = {
    { "nlm", "nlm", "nlm(steps=500)" },
    { "luna", "luna", "luna(steps=500)" },
    { "gp", "gp(kernel=rbf)", "gp(kernel=rbf)" },
    { "gp", "gp(kernel=periodic(period=5))", "gp(kernel=periodic(period=5))" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = {
    [UNA_KNOW_LOG_LIK] = { "log_lik", "log-lik", "nats", "sine: of fresh rows up to two periods beyond the rows; "
                           "tune: of fresh rows of the whole range", 1 },
    [UNA_KNOW_ERROR] = { "error", NULL, "y", "of the mean from the true function, at those rows", -1 },
    [UNA_KNOW_BEYOND_STD] = { "beyond_std", NULL, "y", "sine: mean epistemic std beyond the rows", 0 },
    [UNA_KNOW_NEAR_STD] = { "near_std", NULL, "y", "sine: mean epistemic std within their range", 0 },
    [UNA_KNOW_INSIDE] = { "inside", NULL, "share", "of these rows whose true function is in the 95 % band of ignorance",
                          0 },
    [UNA_KNOW_PULL] = { "pull", NULL, "share", "sine: root mean square of the mean beyond the rows, around that of the "
                        "rows, over the true function's: 0 where it reverts", 0 },
    [UNA_KNOW_ALONG_X1] = { "along_x1", NULL, "y", "strip: largest less smallest epistemic std on a line along x1 of "
                            "the square, mean over the lines", 0 },
    [UNA_KNOW_ALONG_X2] = { "along_x2", NULL, "y", "strip: the same along x2", 0 },
    [UNA_KNOW_ALONG_RATIO] = { "along_ratio", "x2 / x1", "share", "strip: along_x2 over along_x1", 0 },
    [UNA_KNOW_DISC_STD] = { "disc_std", NULL, "y", "strip: mean epistemic std within the disc of the rows", 0 },
    [UNA_KNOW_OUTSIDE_STD] = { "outside_std", NULL, "y", "strip: mean epistemic std farther than 3 from its centre",
                                                         0 },
    [UNA_KNOW_ENERGY] = { "energy", "energy", "std", "prior: energy distance of functions drawn from the model's "
                          "prior and from its target process, per point", -1 },
    [UNA_KNOW_KL] = { "kl", "KL", "nats", "prior: KL of the target process from the model's prior at 31 points, noise "
                      "variance 0.01 added to both, per point", -1 },
    [UNA_KNOW_LENGTH] = { "length", NULL, "x", "tune: length of the kernel that the references were drawn with", 0 },
    { .name = NULL }
};

/* ---- plan ---------------------------------------------------------------------------------------------------- */

static bool is_listed(const char *list, const char *name)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        at += strspn(at, " ");
        size_t length = strcspn(at, ", ");
        if (length == strlen(name) && strncmp(at, name, length) == 0) return true;
    }
    return false;
}

static una_status check_parts(const char *list, una_run *run)
{
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        at += strspn(at, " ");
        int length = (int)strcspn(at, ", ");
        char name[32] = "";
        if (length < (int)sizeof name) memcpy(name, at, (size_t)length);
        if (!*name || !is_listed("sine,strip,prior,tune", name))
            UNA_FAIL(run, UNA_E_USAGE, "there is no part '%.*s' of this experiment; its parts are sine, strip, prior "
                     "and tune", length < 60 ? length : 60, at);
    }
    return UNA_OK;
}

static una_status plan_role(una_plan *plan, const una_role *role, uint64_t seed, const una_asked *asked, una_run *run)
{
    const char *text;
    una_bench_model model;
    UNA_TRY(una_role_spec(&text, role, asked->quick, asked->keep));
    if (!text) return UNA_OK;
    UNA_TRY(una_row_key_spec(&model.spec, &model.kind, &model.results, text, asked->keep, run));
    model.results += asked->experiment->results;
    una_plan_add(plan, una_model_row_key(&model, "knowledge", role->part, 0, seed));
    return UNA_OK;
}

static una_status knowledge_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const knowledge_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked);
    UNA_TRY(check_parts(o->parts, run));
    for (size_t s = 0; s < seeds; s++) {
        for (const una_role *role = una_knowledge_cast; role->part; role++)
            if (is_listed(o->parts, role->part)) UNA_TRY(plan_role(plan, role, asked->first + s, asked, run));
        for (size_t m = 0; is_listed(o->parts, "sine") && m < asked->model_count; m++)
            una_plan_add(plan, una_model_row_key(&asked->models[m], "knowledge", "sine", 0, asked->first + s));
    }
    return UNA_OK;
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

static const char sine_known[] = "TUNA, sine references", sine_rbf[] = "TUNA, RBF draws",
                  on_x1[] = "TUNA, kernel on x1", isotropic[] = "TUNA, isotropic kernel";

static void put_labelled_number(una_text *text, const char *before, double value, const char *after)
{
    char number[UNA_NUMBER_ROOM];
    una_text_add(text, "%s%s%s", before, una_number_plain(number, value, 2), after);
}

static void put_missing_fits(una_text *text, const una_claim *claim)
{
    una_text_add(text, "needs the part %s%s", claim->data, strcmp(claim->data, "prior") == 0 ? ", all of it" : "");
}

/* In every seed: the claim is about each of them. */
static una_status claim_sine(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *known, *rbf;
    una_paired paired;
    *holds = UNA_CANNOT_TELL;
    UNA_TRY(una_role_group(&known, claim->data, sine_known, f, run));
    UNA_TRY(una_role_group(&rbf, claim->data, sine_rbf, f, run));
    if (!known || !rbf) {
        put_missing_fits(text, claim);
        return UNA_OK;
    }

    UNA_TRY(una_paired_groups(&paired, f, known, rbf, UNA_KNOW_LOG_LIK, run));
    una_share share = una_share_of(paired.above, paired.count);
    *holds = una_share_least(&share, 1);
    una_text_add(text, "in ");
    una_share_put(text, &share);
    put_labelled_number(text, "; log-likelihood ", una_findings_mean(f, known, UNA_KNOW_LOG_LIK), "");
    put_labelled_number(text, " against ", una_findings_mean(f, rbf, UNA_KNOW_LOG_LIK), ", more by ");
    una_paired_put(text, &paired);
    return UNA_OK;
}

/* Decides whether a margin is above 0 over the fits of one role; *group NULL: it was not run, and the text says so. */
static una_status claim_role(int *holds, una_paired *paired, const una_group **group, una_text *text,
                             const una_claim *claim, const char *role, una_margin *of, const una_findings *f,
                             una_run *run)
{
    *holds = UNA_CANNOT_TELL;
    UNA_TRY(una_role_group(group, claim->data, role, f, run));
    if (!*group) {
        put_missing_fits(text, claim);
        return UNA_OK;
    }
    UNA_TRY(una_paired_each(paired, f, *group, of, NULL, run));
    *holds = una_paired_least(paired, 0);
    return UNA_OK;
}

static double widening(const una_findings *f, size_t fit, const void *context)
{
    (void)context;
    return una_findings_value(f, fit, UNA_KNOW_BEYOND_STD) - twice * una_findings_value(f, fit, UNA_KNOW_NEAR_STD);
}

static una_status knowledge_claim_widens(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                         una_run *run)
{
    const una_group *rbf;
    una_paired paired;
    UNA_TRY(claim_role(holds, &paired, &rbf, text, claim, sine_rbf, widening, f, run));
    if (!rbf) return UNA_OK;
    put_labelled_number(text, "epistemic std ", una_findings_mean(f, rbf, UNA_KNOW_BEYOND_STD), " beyond the rows");
    put_labelled_number(text, ", ", una_findings_mean(f, rbf, UNA_KNOW_NEAR_STD),
                        " within; beyond less twice within: ");
    una_paired_put(text, &paired);
    return UNA_OK;
}

static double reversion(const una_findings *f, size_t fit, const void *context)
{
    (void)context;
    return half - una_findings_value(f, fit, UNA_KNOW_PULL);
}

/* The mean goes at most half as far from the rows' mean as the truth does. */
static una_status claim_reverts(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *rbf;
    una_paired paired;
    UNA_TRY(claim_role(holds, &paired, &rbf, text, claim, sine_rbf, reversion, f, run));
    if (!rbf) return UNA_OK;
    put_labelled_number(text, "the mean goes ", una_findings_mean(f, rbf, UNA_KNOW_PULL),
                        " times as far as the truth (at most ");
    put_labelled_number(text, "", half, " asked); below that by ");
    una_paired_put(text, &paired);
    return UNA_OK;
}

static una_status claim_strip(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    const una_group *g;
    double worst = 0;
    size_t hits = 0;
    char number[UNA_NUMBER_ROOM];
    *holds = UNA_CANNOT_TELL;
    UNA_TRY(una_role_group(&g, claim->data, on_x1, f, run));
    if (!g) {
        put_missing_fits(text, claim);
        return UNA_OK;
    }

    for (size_t i = g->from; i < g->from + g->count; i++) {
        double ratio = una_findings_value(f, i, UNA_KNOW_ALONG_RATIO);
        hits += ratio < most_ratio;
        worst = fmax(worst, ratio);
    }
    una_share share = una_share_of(hits, g->count);
    *holds = una_share_least(&share, 1);
    una_text_add(text, "below a tenth in ");
    una_share_put(text, &share);
    una_text_add(text, "; variation along x2 over that along x1: mean %s",
                 una_number_plain(number, una_findings_mean(f, g, UNA_KNOW_ALONG_RATIO), 4));
    una_text_add(text, ", largest %s", una_number_plain(number, worst, 4));
    return UNA_OK;
}

static double outside(const una_findings *f, size_t fit, const void *context)
{
    (void)context;
    return una_findings_value(f, fit, UNA_KNOW_OUTSIDE_STD) - twice * una_findings_value(f, fit, UNA_KNOW_DISC_STD);
}

static una_status claim_isotropic(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                  una_run *run)
{
    const una_group *g;
    una_paired paired;
    UNA_TRY(claim_role(holds, &paired, &g, text, claim, isotropic, outside, f, run));
    if (!g) return UNA_OK;
    put_labelled_number(text, "epistemic std ", una_findings_mean(f, g, UNA_KNOW_DISC_STD), " in the disc");
    put_labelled_number(text, ", ", una_findings_mean(f, g, UNA_KNOW_OUTSIDE_STD),
                        " outside it; outside less twice inside: ");
    una_paired_put(text, &paired);
    return UNA_OK;
}

/* One role's measure less another's, which must be above 0. claim->model: "FIRST|SECOND". */
static una_status claim_pair(int *holds, una_text *text, const una_claim *claim, size_t measure, const char *what,
                             const una_findings *f, una_run *run)
{
    const una_group *group[2];
    una_paired paired;
    char name[2][64] = { "", "" };
    const char *bar = strchr(claim->model, '|');
    *holds = UNA_CANNOT_TELL;
    memcpy(name[0], claim->model, (size_t)(bar - claim->model));
    memcpy(name[1], bar + 1, strlen(bar + 1));
    for (size_t i = 0; i < 2; i++) UNA_TRY(una_role_group(&group[i], claim->data, name[i], f, run));
    if (!group[0] || !group[1]) {
        put_missing_fits(text, claim);
        return UNA_OK;
    }

    UNA_TRY(una_paired_groups(&paired, f, group[0], group[1], measure, run));
    *holds = una_paired_least(&paired, 0);
    una_text_add(text, "%s of %s: ", what, name[0]);
    put_labelled_number(text, "", una_findings_mean(f, group[0], measure), "");
    una_text_add(text, "; of %s: ", name[1]);
    put_labelled_number(text, "", una_findings_mean(f, group[1], measure), "; more by ");
    una_paired_put(text, &paired);
    return UNA_OK;
}

static una_status claim_kl(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    return claim_pair(holds, text, claim, UNA_KNOW_KL, "KL per point", f, run);
}

static una_status claim_energy(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    return claim_pair(holds, text, claim, UNA_KNOW_ENERGY, "energy distance", f, run);
}

static una_status claim_gain(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    return claim_pair(holds, text, claim, UNA_KNOW_LOG_LIK, "log-likelihood", f, run);
}

static const una_claim claims[] = {
    { "Sine references are more likely than RBF draws two periods beyond the rows", claim_sine, NULL, "sine" },
    { "With RBF draws doubt widens beyond the rows", knowledge_claim_widens, NULL, "sine" },
    { "With RBF draws the mean reverts beyond the rows", claim_reverts, NULL, "sine" },
    { "A kernel on x1 alone: the std varies along x2 by less than a tenth of its variation along x1", claim_strip, NULL,
      "strip" },
    { "An isotropic kernel: the std is low on the rows and high off them", claim_isotropic, NULL, "strip" },
    { "More heads bring TUNA's prior nearer to its target", claim_kl,
      "5 heads, 50 features, matched|160 heads, 50 features, matched", "prior" },
    { "More features bring TUNA's prior nearer to its target", claim_kl,
      "40 heads, 5 features, matched|40 heads, 50 features, matched", "prior" },
    { "Matching the prior's scale brings it nearer to its target, by the energy distance", claim_energy,
      "40 heads, 50 features|40 heads, 50 features, matched", "prior" },
    { "Matching the prior's scale brings it nearer to its target, by the KL", claim_kl,
      "40 heads, 50 features|40 heads, 50 features, matched", "prior" },
    { "Tuning the prior by evidence repairs a length that is too short", claim_gain, "length 0.1, tuned|length 0.1",
      "tune" },
    { "Tuning the prior by evidence repairs a length that is too long", claim_gain, "length 10, tuned|length 10",
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
    .claims_lead = "Claims of the thesis, and ours.",
    .claims_caption = "The thesis's are the first five, made of its pictures; ours are those about distances from the "
                      "target prior and about tuning, its future work. Differences are paired over the seeds; the "
                      "first and the fourth ask for every seed.",
    .page = una_knowledge_page,
};
