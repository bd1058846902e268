/* SPDX-License-Identifier: MIT
 *
 * The claims of the studies. A fit captures the gap where its gap std is at least half of the GP's on the same rows;
 * a model does so always where the share of its fits that do is at least 0.7, never where it is at most 0.3, each with
 * the whole 95 % interval of the share, and otherwise wavers. Changes are log10 of the ratio between two
 * values of a study, fit by fit.
 *
 * In a claim, `data` names the study and, after a comma, the curve; `model` has the values, separated by commas.
 */
#include "studies/studies.h"

#include "bench/paired.h"
#include "draw/number.h"

static const double always = 0.7, never = 0.3, twice = 2, most_error = 1.1, near_fit = 0.1, blind = 0.5;

const char una_studies_claims_caption[] =
    "The gap is captured where the gap std is at least half of the Gaussian process's on the same rows; consistently: "
    "by at least 70 % of the fits, never: by at most 30 %, with the whole 95 % interval of the share (restarts on the "
    "same rows count as fits). Changes are log10 of ratios, paired by rows and restart, with the 95 % interval of "
    "their mean. The thresholds are ours: the thesis speaks of pictures.";

/* ---- which groups -------------------------------------------------------------------------------------------- */

static const una_study_line *studies_line_of(const una_claim *claim)
{
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(claim->data, ","), claim->data);
    return una_studies_find(name);
}

static const una_studies_curve *curve_of(const una_study_line *study, const char *label)
{
    for (size_t c = 0; c < UNA_STUDIES_CURVES && study->curve[c].label; c++)
        if (strcmp(study->curve[c].label, label) == 0) return &study->curve[c];
    return NULL;
}

static const una_studies_curve *claim_curve(const una_claim *claim)
{
    const char *comma = strchr(claim->data, ',');
    return comma ? curve_of(studies_line_of(claim), comma + 2) : NULL;
}

/* The next of the words, which commas separate; NULL after the last. */
static const char *next_word(char word[64], const char *list)
{
    if (!list || !*list) return NULL;
    size_t length = strcspn(list, ",");
    snprintf(word, 64, "%.*s", (int)length, list);
    return list[length] ? list + length + 1 : list + length;
}

static const una_group *studies_claim_group(const una_findings *f, const una_claim *claim, const char *word)
{
    return una_studies_group(f, studies_line_of(claim), word, claim_curve(claim));
}

static una_status studies_not_run(int *holds, una_text *text, const una_claim *claim)
{
    *holds = UNA_CANNOT_TELL;
    una_text_add(text, "needs %.*s", (int)strcspn(claim->data, ","), claim->data);
    return UNA_OK;
}

static void studies_put_number(una_text *text, double value, int digits)
{
    char buffer[UNA_NUMBER_ROOM];
    una_text_add(text, "%s", una_number_brief(buffer, value, digits));
}

/* ---- is the gap captured? ------------------------------------------------------------------------------------ */

static una_share captured(const una_findings *f, const una_group *g)
{
    size_t hits = 0;
    for (size_t i = g->from; i < g->from + g->count; i++) hits += una_studies_captures(f, i);
    return una_share_of(hits, g->count);
}

static int is_always(const una_share *s)
{
    return una_holding_least(s->low, s->high, always);
}

static int is_not_always(const una_share *s)
{
    return una_holding_not(is_always(s));
}

static int is_never(const una_share *s)
{
    if (s->high <= never) return UNA_HOLDS;
    return s->low > never ? UNA_DOES_NOT_HOLD : UNA_CANNOT_TELL;
}

static int share_is_undecided(const una_share *s)
{
    return una_holding_both(is_not_always(s), una_holding_not(is_never(s)));
}

/* The result of several conditions, one of which is enough. */
static int holding_any(int one, int other)
{
    return una_holding_not(una_holding_both(una_holding_not(one), una_holding_not(other)));
}

/* For each of the claim's values, or for one of them. */
static una_status claim_captures(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                 int (*test)(const una_share *share), int (*join)(int, int))
{
    char word[64];
    *holds = join == una_holding_both ? UNA_HOLDS : UNA_DOES_NOT_HOLD;
    for (const char *at = claim->model, *next; (next = next_word(word, at)); at = next) {
        const una_group *g = studies_claim_group(f, claim, word);
        if (!g) return studies_not_run(holds, text, claim);
        una_share share = captured(f, g);
        *holds = join(*holds, test(&share));
        una_text_add(text, "%s%s: %zu of %zu%s (", at == claim->model ? "captured at " : ", ", word, share.hits,
                     share.count, at == claim->model ? " fits" : "");
        studies_put_number(text, 100 * share.low, 2);
        una_text_add(text, " to ");
        studies_put_number(text, 100 * share.high, 2);
        una_text_add(text, " %%)");
    }
    return UNA_OK;
}

#define CAPTURES(name, test, join)                                                                                   \
    static una_status name(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)  \
    {                                                                                                                \
        (void)run;                                                                                                   \
        return claim_captures(holds, text, claim, f, test, join);                                                    \
    }
CAPTURES(claim_always, is_always, una_holding_both)
CAPTURES(claim_once_always, is_always, holding_any)
CAPTURES(claim_not_always, is_not_always, una_holding_both)
CAPTURES(claim_never, is_never, una_holding_both)
CAPTURES(claim_wavers, share_is_undecided, una_holding_both)

/* ---- changes ------------------------------------------------------------------------------------------------- */

typedef struct ratio { const una_group *from; size_t measure; } ratio;

/* log10 of the fit's measure over that of the same rows and restart in another group. */
static double log_over(const una_findings *f, size_t fit, const void *context)
{
    const ratio *r = context;
    size_t other = una_findings_fit(f, r->from, &f->fits[fit].key);
    if (other == SIZE_MAX) return NAN;
    return log10(una_findings_value(f, fit, r->measure) / una_findings_value(f, other, r->measure));
}

/* log10 of to / from, fit by fit. */
static una_status log_ratio(una_paired *paired, const una_findings *f, const una_group *from, const una_group *to,
                            size_t measure, una_run *run)
{
    const ratio r = { from, measure };
    return una_paired_each(paired, f, to, log_over, &r, run);
}

typedef struct change { size_t measure; const char *what; double factor; } change;

/* The measure grows from the claim's first value to its last by at least this many log10, times the factor. */
static una_status claim_change(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                               const change *c, double least, una_run *run)
{
    char first[64], last[64];
    una_paired paired;
    next_word(last, next_word(first, claim->model));
    const una_group *from = studies_claim_group(f, claim, first), *to = studies_claim_group(f, claim, last);
    if (!from || !to) return studies_not_run(holds, text, claim);
    UNA_TRY(log_ratio(&paired, f, from, to, c->measure, run));

    una_text_add(text, "%s ", c->what);
    studies_put_number(text, una_findings_mean(f, from, c->measure), 3);
    una_text_add(text, " at %s, ", first);
    studies_put_number(text, una_findings_mean(f, to, c->measure), 3);
    una_text_add(text, " at %s: log10 of the ratio ", last);
    una_paired_put(text, &paired);
    if (least > 0) {
        una_text_add(text, " (at least ");
        studies_put_number(text, least / c->factor, 2);
        una_text_add(text, " asked)");
    }
    paired.low *= c->factor, paired.high *= c->factor;
    *holds = una_paired_least(&paired, least);
    return UNA_OK;
}

/* The claim's two values in the order in which the measure grows. */
#define GROWS(name, measure, what, factor, least)                                                                    \
    static una_status name(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)  \
    {                                                                                                                \
        const change c = { measure, what, factor };                                                                  \
        return claim_change(holds, text, claim, f, &c, least, run);                                                  \
    }
GROWS(studies_claim_gap, UNA_CUBIC_GAP_STD, "gap std", 1, 0)
GROWS(claim_tenfold, UNA_CUBIC_GAP_STD, "gap std", 2, 1)         /* the variance, tenfold */
GROWS(claim_rmse, UNA_CUBIC_RMSE, "error at the rows", 1, 0)
GROWS(claim_test_rmse, UNA_STUDIES_TEST_RMSE, "error at fresh rows", 1, 0)

/* "1.2 (0.9 to 1.7)" of log10 of a ratio. */
static void put_ratio(una_text *text, double mean, double low, double high)
{
    studies_put_number(text, pow(10, mean), 3);
    una_text_add(text, " (");
    studies_put_number(text, pow(10, low), 3);
    una_text_add(text, " to ");
    studies_put_number(text, pow(10, high), 3);
    una_text_add(text, ")");
}

/* Every other value is within a factor of two of the claim's first. */
static una_status claim_alike(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    char word[64] = "";
    una_paired paired;
    const char *rest = next_word(word, claim->model);
    const una_group *first = studies_claim_group(f, claim, word);
    if (!first) return studies_not_run(holds, text, claim);
    *holds = UNA_HOLDS;
    una_text_add(text, "gap std ");
    studies_put_number(text, una_findings_mean(f, first, UNA_CUBIC_GAP_STD), 3);
    una_text_add(text, " at %s; over it, with 95 %% interval, ", word);
    for (const char *at = rest, *next; (next = next_word(word, at)); at = next) {
        const una_group *g = studies_claim_group(f, claim, word);
        if (!g) return studies_not_run(holds, text, claim);
        UNA_TRY(log_ratio(&paired, f, first, g, UNA_CUBIC_GAP_STD, run));
        una_text_add(text, "%s%s: ", at == rest ? "" : ", ", word);
        put_ratio(text, paired.mean, paired.low, paired.high);
        *holds = una_holding_both(*holds, una_paired_within(&paired, log10(twice)));
    }
    return UNA_OK;
}

/* Of each of the claim's values: less than a tenth above the GP's error at the rows. */
static una_status studies_claim_error(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                      una_run *run)
{
    char word[64];
    const una_group *gp = una_findings_on(f, NULL, "cubic");
    una_paired paired;
    *holds = UNA_HOLDS;
    for (const char *at = claim->model, *next; (next = next_word(word, at)); at = next) {
        const una_group *g = studies_claim_group(f, claim, word);
        if (!g || !gp) return studies_not_run(holds, text, claim);
        UNA_TRY(log_ratio(&paired, f, g, gp, UNA_CUBIC_RMSE, run));
        *holds = una_holding_both(*holds, una_paired_least(&paired, -log10(most_error)));
        una_text_add(text, "%s%s ", at == claim->model ? "error over the GP's: " : ", ", word);
        put_ratio(text, -paired.mean, -paired.high, -paired.low);
    }
    return UNA_OK;
}

/* ---- the blow-up --------------------------------------------------------------------------------------------- */

static una_status claim_evidence(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                 size_t measure, double sign, una_run *run)
{
    char first[64], last[64];
    una_paired paired;
    next_word(last, next_word(first, claim->model));
    const una_group *from = studies_claim_group(f, claim, first), *to = studies_claim_group(f, claim, last);
    if (!from || !to) return studies_not_run(holds, text, claim);
    UNA_TRY(una_paired_groups(&paired, f, to, from, measure, run));
    studies_put_number(text, una_findings_mean(f, from, measure), 4);
    una_text_add(text, " at scale %s, ", first);
    studies_put_number(text, una_findings_mean(f, to, measure), 4);
    una_text_add(text, " at %s: difference ", last);
    una_paired_put(text, &paired);
    *holds = sign > 0 ? una_paired_least(&paired, 0) : una_paired_most(&paired, 0);
    return UNA_OK;
}

static una_status claim_printed(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    return claim_evidence(holds, text, claim, f, UNA_STUDIES_PRINTED, 1, run);
}

static una_status claim_right(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    return claim_evidence(holds, text, claim, f, UNA_STUDIES_EVIDENCE, -1, run);
}

/* ---- TUNA's capacity ----------------------------------------------------------------------------------------- */

static double misfit(const una_findings *f, size_t fit, const void *context)
{
    (void)context;
    return una_findings_value(f, fit, UNA_STUDIES_MISFIT);
}

static una_status claim_captured_functions(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                           una_run *run)
{
    const una_group *g = studies_claim_group(f, claim, claim->model);
    una_paired paired;
    if (!g) return studies_not_run(holds, text, claim);
    UNA_TRY(una_paired_each(&paired, f, g, misfit, NULL, run));
    una_text_add(text, "misfit ");
    studies_put_number(text, paired.mean, 3);
    una_text_add(text, " with %s features (95 %% interval ", claim->model);
    studies_put_number(text, paired.low, 3);
    una_text_add(text, " to ");
    studies_put_number(text, paired.high, 3);
    una_text_add(text, "; at most 0.1 asked)");
    *holds = una_paired_most(&paired, near_fit);
    return UNA_OK;
}

/* log10 of the misfit of one fit; NAN where there is none. */
static double log_misfit(const una_findings *f, const char *word, const char *label, const una_row_key *key)
{
    const una_study_line *study = una_studies_find("tuna_capacity");
    const una_group *g = una_studies_group(f, study, word, curve_of(study, label));
    size_t i = g ? una_findings_fit(f, g, key) : SIZE_MAX;
    return i == SIZE_MAX ? NAN : log10(una_findings_value(f, i, UNA_STUDIES_MISFIT));
}

/* What an eighth of the length adds to log10 of the misfit, less what sixteen times the number does; means over the
 * claim's numbers of features. */
static void take_effects(double *length, double *number, const una_findings *f, const una_claim *claim,
                         const una_row_key *key)
{
    char word[64];
    size_t count = 0;
    *length = *number = 0;
    for (const char *at = claim->model, *next; (next = next_word(word, at)); at = next, count++) {
        *length += log_misfit(f, word, "40 of length 0.75", key) - log_misfit(f, word, "40 of length 6", key);
        *number += log_misfit(f, word, "160 of length 1.5", key) - log_misfit(f, word, "10 of length 1.5", key);
    }
    *length /= (double)count;
    *number /= (double)count;
}

static una_status claim_complexity(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                   una_run *run)
{
    const una_group *gp = una_findings_on(f, NULL, "cubic");
    una_paired length, number, more;
    if (!gp) return studies_not_run(holds, text, claim);
    una_mark mark = una_arena_mark(&run->scratch);
    double *d = UNA_GET(&run->scratch, double, 3 * gp->count), *e = d + gp->count, *both_d = e + gp->count;
    una_status status = una_arena_check(&run->scratch);
    for (size_t i = 0; status == UNA_OK && i < gp->count; i++) {
        take_effects(&d[i], &e[i], f, claim, &f->fits[gp->from + i].key);
        both_d[i] = d[i] - e[i];
    }
    if (status == UNA_OK) status = una_paired_of(&length, d, gp->count, run);
    if (status == UNA_OK) status = una_paired_of(&number, e, gp->count, run);
    if (status == UNA_OK) status = una_paired_of(&more, both_d, gp->count, run);
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);

    if (more.count == 0) return studies_not_run(holds, text, claim);
    una_text_add(text, "log10 of the misfit: ");
    studies_put_number(text, length.mean, 2);
    una_text_add(text, " from length 6 to 0.75, ");
    studies_put_number(text, number.mean, 2);
    una_text_add(text, " from 10 to 160 functions; difference ");
    una_paired_put(text, &more);
    *holds = una_paired_least(&more, 0);
    return UNA_OK;
}

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
    una_mark mark = una_arena_mark(&run->scratch);
    double *room = UNA_GET(&run->scratch, double, 4 * count + 1);
    const double **order = UNA_GET(&run->scratch, const double *, count);
    una_status status = una_arena_check(&run->scratch);
    *r = NAN;
    if (status == UNA_OK) {
        double *x = room, *y = x + count, *x_rank = y + count, *y_rank = x_rank + count;
        size_t used = 0;
        for (size_t i = 0; i < count; i++)
            if (isfinite(a[i]) && isfinite(b[i])) x[used] = a[i], y[used++] = b[i];
        rank_values(x_rank, x, order, used);
        rank_values(y_rank, y, order, used);
        if (used >= 3) *r = pearson_correlation(x_rank, y_rank, used);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Of the models that have a fit with that seed. */
static una_status blindness_of(double *r, const una_findings *f, uint64_t seed, double *a, double *b, una_run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++) {
        if (f->fits[i].key.seed != seed || strcmp(f->fits[i].key.data, "likelihood_blind") != 0) continue;
        a[count] = una_findings_value(f, i, UNA_STUDIES_TEST_LOG_LIK);
        b[count++] = una_findings_value(f, i, UNA_CUBIC_GAP_STD);
    }
    return una_studies_rank_correlation(r, a, b, count, run);
}

/* For each seed of likelihood_blind: r [*seeds], in scratch. */
static una_status blindness(double **r, size_t *seeds, const una_findings *f, una_run *run)
{
    const una_group *first = una_findings_on(f, NULL, "likelihood_blind");
    *seeds = first ? first->count : 0;
    *r = UNA_GET(&run->scratch, double, *seeds + 2 * f->count);
    UNA_TRY(una_arena_check(&run->scratch));
    double *a = *r + *seeds, *b = a + f->count;
    for (size_t i = 0; i < *seeds; i++)
        UNA_TRY(blindness_of(*r + i, f, f->fits[first->from + i].key.seed, a, b, run));
    return UNA_OK;
}

static una_status claim_blind(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_paired paired = { .count = 0 };
    double *r;
    size_t seeds;
    una_status status = blindness(&r, &seeds, f, run);
    if (status == UNA_OK) status = una_paired_of(&paired, r, seeds, run);
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);
    if (paired.count == 0) return studies_not_run(holds, text, claim);

    una_text_add(text, "rank correlation of the two over the models, a mean over seeds: ");
    una_paired_put(text, &paired);
    *holds = una_paired_within(&paired, blind);
    una_text_add(text, " (between \xE2\x88\x92" "0.5 and 0.5 asked)");
    return UNA_OK;
}

/* ---- the table ----------------------------------------------------------------------------------------------- */

const una_claim una_studies_claims[] = {
    { "Without a penalty NLM captures the gap in some restarts and not in others", claim_wavers, "0", "nlm_penalty" },
    { "With a penalty NLM never captures the gap", claim_never, "0.001,0.1,1,10", "nlm_penalty" },
    { "NLM's gap std falls as the penalty grows", studies_claim_gap, "10,0", "nlm_penalty" },
    { "More features fit the rows better", claim_rmse, "200,10", "nlm_features" },
    { "No number of features makes NLM capture the gap consistently", claim_not_always, "10,20,50,100,200",
      "nlm_features" },
    { "No depth makes NLM capture the gap consistently", claim_not_always, "1,2,3,4", "nlm_depth" },
    { "Deeper NLMs overfit: their error at fresh rows grows", claim_test_rmse, "1,4", "nlm_depth" },
    { "Marginal likelihood, penalty 0.1: the gap std grows with the prior variance", studies_claim_gap, "0.1,100",
      "nlm_marginal, penalty 0.1" },
    { "Marginal likelihood, penalty 0.1: the gap is not captured consistently, even with a high prior variance",
      claim_not_always, "10,100", "nlm_marginal, penalty 0.1" },
    { "Marginal likelihood, penalty 1: the gap is never captured, even with a high prior variance", claim_never,
      "0.1,1,10,100", "nlm_marginal, penalty 1" },
    { "LUNA captures the gap consistently, with 2 heads and with many", claim_always, "2,5,10,25,50,100",
      "luna_heads" },
    { "LUNA's gap variance grows tenfold from 25 to 200 units (replications)", claim_tenfold, "25,200", "luna_width" },
    { "LUNA's gap variance grows tenfold from one to three layers (replications)", claim_tenfold, "1,3", "luna_depth" },
    { "The step of the differences changes LUNA's gap std by less than a factor of two (ours)", claim_alike,
      "0.1,0.001,0.01,0.5,exact", "luna_step" },
    { "LUNA captures the gap consistently with every activation", claim_always,
      "relu,tanh,leaky,elu,softplus,silu,sin", "activations" },
    { "LUNA's error at the rows is within a tenth of the GP's with every activation", studies_claim_error,
      "relu,tanh,leaky,elu,softplus,silu,sin", "activations" },
    { "TUNA captures the gap consistently with an appropriate length scale", claim_once_always,
      "0.15,0.3,0.75,1.5,3,6,15", "tuna_length" },
    { "TUNA never captures the gap with a length scale of five standard deviations", claim_never, "15",
      "tuna_length" },
    { "A modest network captures more than a hundred references", claim_captured_functions, "50",
      "tuna_capacity, 160 of length 1.5" },
    { "TUNA's misfit grows more with the complexity of the references than with their number", claim_complexity,
      "10,20,50", "tuna_capacity" },
    { "As printed, the marginal likelihood grows with the scale of the features", claim_printed, "1,1000", "blow_up" },
    { "By the right formula it falls", claim_right, "1,1000", "blow_up" },
    { "Over models, log-likelihood outside the gap does not tell the uncertainty in it", claim_blind, NULL,
      "likelihood_blind" },
    { .sentence = NULL }
};
