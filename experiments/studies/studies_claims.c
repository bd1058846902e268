/* SPDX-License-Identifier: MIT
 *
 * The claims of the studies. A fit captures the gap where its gap std is at least half of the GP's on the same rows;
 * a model does so always where the share of its fits that do is at least 0.7, never where it is at most 0.3, each with
 * the whole 95 % interval of the share, and otherwise wavers. Changes are log10 of the ratio between two
 * values of a study, fit by fit.
 *
 * In a claim, `data` names the study and, after a comma, the curve; `model` has the values.
 */
#include "studies/studies.h"

#include "bench/claims.h"

static const double always = 0.7, never = 0.3, twice = 2, most_error = 1.1, blind = 0.5;

const char una_studies_claims_caption[] =
    "The gap is captured where the gap std is at least half of the Gaussian process's on the same rows; consistently: "
    "by at least 70 % of the fits, never: by at most 30 %, with the whole 95 % interval of the share (restarts on the "
    "same rows count as fits). Changes are log10 of ratios, paired by rows and restart, with the 95 % interval of "
    "their mean. The thresholds are ours: the thesis speaks of pictures.";

/* ---- which groups -------------------------------------------------------------------------------------------- */

static const una_studies_curve *curve_of(const una_study_line *study, const char *label)
{
    for (size_t c = 0; c < UNA_STUDIES_CURVES && study->curve[c].label; c++)
        if (strcmp(study->curve[c].label, label) == 0) return &study->curve[c];
    return NULL;
}

/* Names are values of the study; and "gp", which all are measured by. */
una_status una_studies_find_group(const una_group **group, una_judging *j, const char *name)
{
    const char *comma = strchr(j->claim->data, ',');
    const una_study_line *study = una_studies_find(j->claim->data);
    *group = strcmp(name, "gp") == 0 ? una_findings_on(j->findings, NULL, "cubic")
        : una_studies_group(j->findings, study, name, comma ? curve_of(study, comma + 2) : NULL);
    return UNA_OK;
}

static void put_brief(una_judging *j, double value, int digits, const char *after)
{
    una_text_add(j->numbers, "%s%s", UNA_BRIEF(value, digits), after);
}

/* ---- is the gap captured? ------------------------------------------------------------------------------------ */

typedef struct capture_rule {
    una_rule rule;                       /* first                                                           */
    int    (*test)(const una_share *share);
    bool     any;                        /* of one value; else of all                                       */
} capture_rule;

static int is_always(const una_share *s) { return una_holding_least(s->low, s->high, always); }
static int is_not_always(const una_share *s) { return una_holding_not(is_always(s)); }

static int is_never(const una_share *s)
{
    if (s->high <= never) return UNA_HOLDS;
    return s->low > never ? UNA_DOES_NOT_HOLD : UNA_CANNOT_TELL;
}

static int share_is_undecided(const una_share *s)
{
    return una_holding_both(is_not_always(s), una_holding_not(is_never(s)));
}

/* For each of the claim's values, or for one of them. */
static una_status judge_captures(una_judging *j)
{
    const una_findings *f = j->findings;
    const capture_rule *rule = (const capture_rule *)j->claim->rule;
    int holds = UNA_HOLDS;
    const char *name;
    for (size_t n = 1; (name = una_judging_name(j, n)); n++) {
        const una_group *g;
        size_t hits = 0;
        UNA_TRY(una_judging_group(&g, j, name));
        if (!g) return una_judging_needs(j, NULL);
        for (size_t i = g->from; i < g->from + g->count; i++) hits += una_studies_captures(f, i);
        una_share share = una_share_of(hits, g->count);
        int its = rule->test(&share);
        holds = una_holding_both(holds, rule->any ? una_holding_not(its) : its);
        una_text_add(j->numbers, "%s%s: %zu of %zu%s (", n == 1 ? "captured at " : ", ", name, share.hits, share.count,
                     n == 1 ? " fits" : "");
        put_brief(j, 100 * share.low, 2, " to ");
        put_brief(j, 100 * share.high, 2, " %)");
    }
    j->holds = rule->any ? una_holding_not(holds) : holds;
    return UNA_OK;
}
#define CAPTURES(of, one) { { judge_captures, .needs = "{data}" }, of, one }
static const capture_rule captures_always = CAPTURES(is_always, false), captures_once = CAPTURES(is_always, true),
                          captures_not_always = CAPTURES(is_not_always, false),
                          captures_never = CAPTURES(is_never, false), wavers = CAPTURES(share_is_undecided, false);

/* ---- changes ------------------------------------------------------------------------------------------------- */

/* A measure grows from the claim's first value to its last by at least this many log10. */
#define GROWS(measure, what, least, asked)                                                                           \
    { .needs = "{data}",                                                                                             \
      .says = what " {1:" measure ", brief 3} at {name 1}, {2:" measure ", brief 3} at {name 2}: log10 of the "      \
              "ratio {margin}" asked,                                                                                \
      .ask = { { "2:" measure, "1:" measure, UNA_BY_LOGS, .than = least } } }
static const una_rule gap_grows = GROWS("gap_std", "gap std", 0, ""),
                      variance_tenfold = GROWS("gap_std", "gap std", 0.5, " (at least 0.5 asked)"),
                      rmse_grows = GROWS("rmse", "error at the rows", 0, ""),
                      test_rmse_grows = GROWS("test_rmse", "error at fresh rows", 0, "");

/* Of the blow-up: a difference, not a ratio. */
#define EVIDENCE(measure, relation)                                                                                  \
    { .needs = "{data}",                                                                                             \
      .says = "{1:" measure ", brief 4} at scale {name 1}, {2:" measure ", brief 4} at {name 2}: difference {margin}", \
      .ask = { { "2:" measure, "1:" measure, .is = relation } } }
static const una_rule printed_grows = EVIDENCE("evidence_printed", UNA_AT_LEAST),
                      right_falls = EVIDENCE("evidence", UNA_AT_MOST);

typedef struct ratio { const una_group *from; size_t measure; } ratio;

/* log10 of the fit's measure over that of the same rows and restart in another group. */
static double log_over(const una_findings *f, size_t fit, const void *context)
{
    const ratio *r = context;
    size_t other = una_group_fit(r->from, &f->fits[fit].key);
    if (other == SIZE_MAX) return NAN;
    return log10(una_findings_value(f, fit, r->measure) / una_findings_value(f, other, r->measure));
}

/* "1.2 (0.9 to 1.7)" of log10 of a ratio. */
static void put_ratio(una_judging *j, double mean, double low, double high)
{
    put_brief(j, pow(10, mean), 3, " (");
    put_brief(j, pow(10, low), 3, " to ");
    put_brief(j, pow(10, high), 3, ")");
}

/* Every other value is within a factor of two of the claim's first. */
static una_status judge_alike(una_judging *j)
{
    const una_group *first, *g;
    const char *name = una_judging_name(j, 1);
    una_paired paired;
    int holds = UNA_HOLDS;
    UNA_TRY(una_judging_group(&first, j, name));
    if (!first) return una_judging_needs(j, NULL);
    una_text_add(j->numbers, "gap std ");
    put_brief(j, una_group_mean(first, UNA_CUBIC_GAP_STD), 3, " at ");
    una_text_add(j->numbers, "%s; over it, with 95 %% interval, ", name);
    for (size_t n = 2; (name = una_judging_name(j, n)); n++) {
        UNA_TRY(una_judging_group(&g, j, name));
        if (!g) return una_judging_needs(j, NULL);
        const ratio over_first = { first, UNA_CUBIC_GAP_STD };
        UNA_TRY(una_paired_each(&paired, g, log_over, &over_first, j->run));
        una_text_add(j->numbers, "%s%s: ", n == 2 ? "" : ", ", name);
        put_ratio(j, paired.mean, paired.low, paired.high);
        holds = una_holding_both(holds, una_paired_within(&paired, log10(twice)));
    }
    j->holds = holds;
    return UNA_OK;
}
static const una_rule alike = { judge_alike, .needs = "{data}" };

/* Of each of the claim's values: less than a tenth above the GP's error at the rows. */
static una_status judge_error(una_judging *j)
{
    const una_group *gp, *g;
    const char *name;
    una_paired paired;
    int holds = UNA_HOLDS;
    UNA_TRY(una_judging_group(&gp, j, "gp"));
    for (size_t n = 1; (name = una_judging_name(j, n)); n++) {
        UNA_TRY(una_judging_group(&g, j, name));
        if (!g || !gp) return una_judging_needs(j, NULL);
        const ratio over_it = { g, UNA_CUBIC_RMSE };
        UNA_TRY(una_paired_each(&paired, gp, log_over, &over_it, j->run));
        holds = una_holding_both(holds, una_paired_least(&paired, -log10(most_error)));
        una_text_add(j->numbers, "%s%s ", n == 1 ? "error over the GP's: " : ", ", name);
        put_ratio(j, -paired.mean, -paired.high, -paired.low);
    }
    j->holds = holds;
    return UNA_OK;
}
static const una_rule errs_alike = { judge_error, .needs = "{data}" };

/* ---- TUNA's capacity ----------------------------------------------------------------------------------------- */

static una_status judge_misfit(una_judging *j)
{
    UNA_TRY(una_judge_inequalities(j));
    if (j->numbers->length) return UNA_OK;               /* what it needs */
    una_text_add(j->numbers, "misfit ");
    put_brief(j, j->margin->mean, 3, " with ");
    una_text_add(j->numbers, "%s features (95 %% interval ", j->claim->model);
    put_brief(j, j->margin->low, 3, " to ");
    put_brief(j, j->margin->high, 3, "; at most 0.1 asked)");
    return UNA_OK;
}
static const una_rule captures_functions = { judge_misfit, .needs = "{data}", .says = "",
                                             .ask = { { "misfit", .is = UNA_AT_MOST, .than = 0.1 } } };

/* log10 of the misfit of one fit; NAN where there is none. */
static double log_misfit(const una_findings *f, const char *name, const char *label, const una_row_key *key)
{
    const una_study_line *study = una_studies_find("tuna_capacity");
    const una_group *g = una_studies_group(f, study, name, curve_of(study, label));
    size_t i = g ? una_group_fit(g, key) : SIZE_MAX;
    return i == SIZE_MAX ? NAN : log10(una_findings_value(f, i, UNA_STUDIES_MISFIT));
}

/* What an eighth of the length adds to log10 of the misfit, and what sixteen times the number does; means over the
 * claim's numbers of features. */
static void take_effects(double *length, double *number, const una_judging *j, const una_row_key *key)
{
    const una_findings *f = j->findings;
    const char *name;
    size_t count = 0;
    *length = *number = 0;
    for (; (name = una_judging_name(j, count + 1)); count++) {
        *length += log_misfit(f, name, "40 of length 0.75", key) - log_misfit(f, name, "40 of length 6", key);
        *number += log_misfit(f, name, "160 of length 1.5", key) - log_misfit(f, name, "10 of length 1.5", key);
    }
    *length /= (double)count;
    *number /= (double)count;
}

static una_status judge_complexity(una_judging *j)
{
    const una_group *gp;
    una_paired length, number, more;
    UNA_TRY(una_judging_group(&gp, j, "gp"));
    if (!gp) return una_judging_needs(j, NULL);
    UNA_NEW(&j->run->scratch, double, d, 3 * gp->count);
    double *e = d + gp->count, *less = e + gp->count;
    for (size_t i = 0; i < gp->count; i++) {
        take_effects(&d[i], &e[i], j, &j->findings->fits[gp->from + i].key);
        less[i] = d[i] - e[i];
    }
    UNA_TRY(una_paired_of(&length, d, gp->count, j->run));
    UNA_TRY(una_paired_of(&number, e, gp->count, j->run));
    UNA_TRY(una_paired_of(&more, less, gp->count, j->run));
    if (more.count == 0) return una_judging_needs(j, NULL);
    una_text_add(j->numbers, "log10 of the misfit: ");
    put_brief(j, length.mean, 2, " from length 6 to 0.75, ");
    put_brief(j, number.mean, 2, " from 10 to 160 functions; difference ");
    j->holds = UNA_HOLDS;
    una_judging_join(j, &more, UNA_AT_LEAST, 0);
    return UNA_OK;
}
static const una_rule grows_with_complexity = { judge_complexity, .needs = "{data}" };

/* ---- likelihood and gap -------------------------------------------------------------------------------------- */

static int compare_rank_value(const void *a, const void *b)
{
    double x = **(const double *const *)a, y = **(const double *const *)b;
    return (x > y) - (x < y);
}

/* rank [count] of value [count], from 1; ties share the mean of theirs. */
static void rank_values(double *rank, const double *value, const double **order, size_t count)
{
    for (size_t i = 0; i < count; i++) order[i] = &value[i];
    qsort(order, count, sizeof *order, compare_rank_value);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && *order[to] == *order[from];) to++;
        for (size_t i = from; i < to; i++) rank[order[i] - value] = ((double)from + 1 + (double)to) / 2;
    }
}

static double pearson_correlation(const double *a, const double *b, size_t count)
{
    double mean = ((double)count + 1) / 2, ab = 0, aa = 0, bb = 0;       /* of ranks, also where they are shared */
    for (size_t i = 0; i < count; i++) {
        ab += (a[i] - mean) * (b[i] - mean);
        aa += (a[i] - mean) * (a[i] - mean);
        bb += (b[i] - mean) * (b[i] - mean);
    }
    return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : NAN;
}

una_status una_studies_rank_correlation(double *r, const double *a, const double *b, size_t count, una_run *run)
{
    UNA_NEW(&run->scratch, double, x, 4 * count + 1);
    UNA_NEW(&run->scratch, const double *, order, count);
    double *y = x + count, *x_rank = y + count, *y_rank = x_rank + count;
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        if (isfinite(a[i]) && isfinite(b[i])) x[used] = a[i], y[used++] = b[i];
    rank_values(x_rank, x, order, used);
    rank_values(y_rank, y, order, used);
    *r = used >= 3 ? pearson_correlation(x_rank, y_rank, used) : NAN;
    return UNA_OK;
}

/* Of the models that have a fit with that seed. */
static una_status blindness_of(double *r, const una_findings *f, uint64_t seed, una_run *run)
{
    size_t count = 0;
    UNA_NEW(&run->scratch, double, a, f->count);
    UNA_NEW(&run->scratch, double, b, f->count);
    for (size_t i = 0; i < f->count; i++) {
        if (f->fits[i].key.seed != seed || strcmp(f->fits[i].key.data, "likelihood_blind") != 0) continue;
        a[count] = una_findings_value(f, i, UNA_STUDIES_TEST_LOG_LIK);
        b[count++] = una_findings_value(f, i, UNA_CUBIC_GAP_STD);
    }
    return una_studies_rank_correlation(r, a, b, count, run);
}

static una_status judge_blindness(una_judging *j)
{
    const una_findings *f = j->findings;
    const una_group *first = una_findings_on(f, NULL, "likelihood_blind");
    una_paired paired;
    if (!first) return una_judging_needs(j, NULL);
    UNA_NEW(&j->run->scratch, double, r, first->count);
    for (size_t i = 0; i < first->count; i++)
        UNA_SCOPED(j->run, blindness_of(&r[i], f, f->fits[first->from + i].key.seed, j->run));
    UNA_TRY(una_paired_of(&paired, r, first->count, j->run));
    if (paired.count == 0) return una_judging_needs(j, NULL);
    una_text_add(j->numbers, "rank correlation of the two over the models, a mean over seeds: ");
    j->holds = UNA_HOLDS;
    una_judging_join(j, &paired, UNA_WITHIN, blind);
    una_text_add(j->numbers, " (between \xE2\x88\x92" "0.5 and 0.5 asked)");
    return UNA_OK;
}
static const una_rule is_blind = { judge_blindness, .needs = "{data}" };

/* ---- the table ----------------------------------------------------------------------------------------------- */

const una_claim una_studies_claims[] = {
    { "Without a penalty NLM captures the gap in some restarts and not in others", &wavers.rule, "0", "nlm_penalty" },
    { "With a penalty NLM never captures the gap", &captures_never.rule, "0.001|0.1|1|10", "nlm_penalty" },
    { "NLM's gap std falls as the penalty grows", &gap_grows, "10|0", "nlm_penalty" },
    { "More features fit the rows better", &rmse_grows, "200|10", "nlm_features" },
    { "No number of features makes NLM capture the gap consistently", &captures_not_always.rule, "10|20|50|100|200",
      "nlm_features" },
    { "No depth makes NLM capture the gap consistently", &captures_not_always.rule, "1|2|3|4", "nlm_depth" },
    { "Deeper NLMs overfit: their error at fresh rows grows", &test_rmse_grows, "1|4", "nlm_depth" },
    { "Marginal likelihood, penalty 0.1: the gap std grows with the prior variance", &gap_grows, "0.1|100",
      "nlm_marginal, penalty 0.1" },
    { "Marginal likelihood, penalty 0.1: the gap is not captured consistently, even with a high prior variance",
      &captures_not_always.rule, "10|100", "nlm_marginal, penalty 0.1" },
    { "Marginal likelihood, penalty 1: the gap is never captured, even with a high prior variance", &captures_never.rule,
      "0.1|1|10|100", "nlm_marginal, penalty 1" },
    { "LUNA captures the gap consistently, with 2 heads and with many", &captures_always.rule, "2|5|10|25|50|100",
      "luna_heads" },
    { "LUNA's gap variance grows tenfold from 25 to 200 units (replications)", &variance_tenfold, "25|200", "luna_width" },
    { "LUNA's gap variance grows tenfold from one to three layers (replications)", &variance_tenfold, "1|3", "luna_depth" },
    { "The step of the differences changes LUNA's gap std by less than a factor of two (ours)", &alike,
      "0.1|0.001|0.01|0.5|exact", "luna_step" },
    { "LUNA captures the gap consistently with every activation", &captures_always.rule,
      "relu|tanh|leaky|elu|softplus|silu|sin", "activations" },
    { "LUNA's error at the rows is within a tenth of the GP's with every activation", &errs_alike,
      "relu|tanh|leaky|elu|softplus|silu|sin", "activations" },
    { "TUNA captures the gap consistently with an appropriate length scale", &captures_once.rule,
      "0.15|0.3|0.75|1.5|3|6|15", "tuna_length" },
    { "TUNA never captures the gap with a length scale of five standard deviations", &captures_never.rule, "15",
      "tuna_length" },
    { "A modest network captures more than a hundred references", &captures_functions, "50",
      "tuna_capacity, 160 of length 1.5" },
    { "TUNA's misfit grows more with the complexity of the references than with their number", &grows_with_complexity,
      "10|20|50", "tuna_capacity" },
    { "As printed, the marginal likelihood grows with the scale of the features", &printed_grows, "1|1000", "blow_up" },
    { "By the right formula it falls", &right_falls, "1|1000", "blow_up" },
    { "Over models, log-likelihood outside the gap does not tell the uncertainty in it", &is_blind, NULL,
      "likelihood_blind" },
    { .sentence = NULL }
};
