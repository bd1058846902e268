/* SPDX-License-Identifier: MIT
 *
 * Claims about the squiggle's transfer: the first spec of each model represents it, paired over the seeds.
 */
#include "transfer/transfer.h"

#include "bench/claims.h"

static bool group_has_spec(const una_group *group, const char *spec)
{
    return strcmp(una_group_key(group)->spec, spec) == 0;
}

const una_group *una_transfer_group(const una_findings *f, const char *spec, size_t features)
{
    const una_group *found = NULL;
    size_t most = 0;
    for (size_t g = 0; g < f->group_count; g++) {
        size_t its = una_transfer_features(una_group_key(&f->groups[g])->data);
        if (its <= most || (features > 0 && its != features) || !group_has_spec(&f->groups[g], spec)) continue;
        found = &f->groups[g];
        most = its;
    }
    return found;
}

double una_transfer_slope(const una_findings *f, const char *spec, uint64_t seed, size_t measure)
{
    double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
    for (size_t g = 0; g < f->group_count; g++) {
        const una_group *group = &f->groups[g];
        size_t features = una_transfer_features(una_group_key(group)->data);
        if (features == 0 || !group_has_spec(group, spec)) continue;
        for (size_t i = group->from; i < group->from + group->count; i++) {
            if (f->fits[i].key.seed != seed) continue;
            double x = log2((double)features), y = una_findings_value(f, i, measure);
            n++, sx += x, sy += y, sxx += x * x, sxy += x * y;
        }
    }
    return n < 2 ? NAN : (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

/* The first spec of a kind; NULL: it was not run with features. */
static const char *spec_of(const una_findings *f, const char *kind)
{
    for (size_t g = 0; g < f->group_count; g++)
        if (strcmp(f->groups[g].model, kind) == 0 && una_transfer_features(una_group_key(&f->groups[g])->data) > 0)
            return una_group_key(&f->groups[g])->spec;
    return NULL;
}

/* A band of the picture; or a model with the most features that LUNA has. */
una_status una_transfer_find(const una_group **group, una_judging *j, const char *name)
{
    const una_findings *f = j->findings;
    const char *spec = spec_of(f, name), *luna = spec_of(f, "luna");
    const una_group *most = luna ? una_transfer_group(f, luna, 0) : NULL;
    *group = NULL;
    for (size_t b = 0; b < UNA_TRANSFER_BANDS; b++)
        if (strcmp(una_transfer_bands[b].name, name) == 0) *group = una_findings_on(f, NULL, una_transfer_bands[b].data);
    if (most && spec) *group = una_transfer_group(f, spec, una_transfer_features(una_group_key(most)->data));
    return UNA_OK;
}

/* Slopes of LUNA and of its rival, seed by seed. */
static una_status judge_slopes(una_judging *j)
{
    const una_findings *f = j->findings;
    const char *luna = spec_of(f, "luna"), *rival = spec_of(f, j->claim->model);
    una_paired paired;
    double ours = 0, its = 0;
    if (!luna || !rival) return una_judging_needs(j, NULL);
    const una_group *group = una_transfer_group(f, luna, 0);
    UNA_NEW(&j->run->scratch, double, difference, group->count);
    for (size_t i = 0; i < group->count; i++) {
        uint64_t seed = f->fits[group->from + i].key.seed;
        double a = una_transfer_slope(f, luna, seed, j->claim->rule->measure);
        double b = una_transfer_slope(f, rival, seed, j->claim->rule->measure);
        difference[i] = a - b;
        ours += a / (double)group->count;
        its += b / (double)group->count;
    }
    UNA_TRY(una_paired_of(&paired, difference, group->count, j->run));

    una_text_add(j->numbers, "gain by twice the features ");
    una_judging_put(j, ours, 2, " against ");
    una_judging_put(j, its, 2, ": difference ");
    j->holds = UNA_HOLDS;
    una_judging_join(j, &paired, UNA_AT_LEAST, 0);
    return UNA_OK;
}

static una_status judge_most(una_judging *j)
{
    const una_group *luna, *rival;
    UNA_TRY(una_transfer_find(&luna, j, "luna"));
    UNA_TRY(una_transfer_find(&rival, j, j->claim->model));
    if (luna && rival)
        una_text_add(j->numbers, "with %zu features ",
                     una_transfer_features(j->findings->fits[luna->from].key.data));
    return una_judge_inequalities(j);
}

#define SLOPES(of) { judge_slopes, .needs = "luna and {name}", .measure = of }
#define MOST(of) { judge_most, .needs = "luna and {name}", .says = "{luna:" of "} against {" of "}: difference {margin}", \
                   .ask = { { "luna:" of, of } } }
static const una_rule rises = SLOPES(UNA_TRANSFER_KNOWN), exceeds = MOST("log_lik"),
                      rises_by_evidence = SLOPES(UNA_TRANSFER_EVIDENCE), exceeds_by_evidence = MOST("log_lik_evidence"),
                      exceeds_at_one = MOST("log_lik_1");  /* whichever prior variance the validation rows chose */
#define LOST(band)                                                                                                   \
    { .says = "std {" band ":before_std}: {" band ":before_log_lik}; std {about right:before_std}: "                 \
              "{about right:before_log_lik}; lost by {margin}",                                                      \
      .ask = { { "about right:before_log_lik", band ":before_log_lik" } } }
static const una_rule too_little = LOST("too little"), too_much = LOST("too much");

const una_claim una_transfer_claims[] = {
    { "With more features LUNA's log-likelihood rises faster than NLM's", &rises, "nlm", NULL },
    { "With more features LUNA's log-likelihood rises faster than SNGP's", &rises, "sngp", NULL },
    { "With the most features LUNA's log-likelihood exceeds NLM's", &exceeds, "nlm", NULL },
    { "With the most features LUNA's log-likelihood exceeds SNGP's", &exceeds, "sngp", NULL },
    { "By evidence: LUNA's rises faster than NLM's", &rises_by_evidence, "nlm", NULL },
    { "By evidence: LUNA's rises faster than SNGP's", &rises_by_evidence, "sngp", NULL },
    { "By evidence: LUNA's exceeds NLM's with the most features", &exceeds_by_evidence, "nlm", NULL },
    { "By evidence: LUNA's exceeds SNGP's with the most features", &exceeds_by_evidence, "sngp", NULL },
    { "Noise known, prior variance 1: LUNA's exceeds NLM's with the most features", &exceeds_at_one, "nlm", NULL },
    { "Too little uncertainty in the gap lowers the log-likelihood there", &too_little, "gp", NULL },
    { "Too much uncertainty in the gap lowers the log-likelihood there", &too_much, "gp", NULL },
    { .sentence = NULL }
};
