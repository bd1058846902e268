/* SPDX-License-Identifier: MIT
 *
 * Claims about the squiggle's transfer: the first spec of each model represents it, paired over the seeds.
 */
#include "transfer/transfer.h"

#include "bench/paired.h"
#include "draw/number.h"

static bool group_has_spec(const una_findings *f, const una_group *group, const char *spec)
{
    return strcmp(f->fits[group->from].key.spec, spec) == 0;
}

const una_group *una_transfer_group(const una_findings *f, const char *spec, size_t features)
{
    const una_group *found = NULL;
    size_t most = 0;
    for (size_t g = 0; g < f->group_count; g++) {
        size_t its = una_transfer_features(f->fits[f->groups[g].from].key.data);
        if (its <= most || (features > 0 && its != features) || !group_has_spec(f, &f->groups[g], spec)) continue;
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
        size_t features = una_transfer_features(f->fits[group->from].key.data);
        if (features == 0 || !group_has_spec(f, group, spec)) continue;
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
        if (strcmp(f->groups[g].model, kind) == 0 && una_transfer_features(f->fits[f->groups[g].from].key.data) > 0)
            return f->fits[f->groups[g].from].key.spec;
    return NULL;
}

static void transfer_put_number(una_text *text, double value)
{
    char buffer[UNA_NUMBER_ROOM];
    una_text_add(text, "%s", una_number_plain(buffer, value, 2));
}

/* Slopes of LUNA and of its rival, seed by seed. */
static una_status claim_slopes(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                               size_t measure, una_run *run)
{
    const char *luna = spec_of(f, "luna"), *rival = spec_of(f, claim->model);
    *holds = UNA_CANNOT_TELL;
    if (!luna || !rival) {
        una_text_add(text, "needs luna and %s", claim->model);
        return UNA_OK;
    }

    una_paired paired;
    double ours = 0, its = 0;
    const una_group *group = una_transfer_group(f, luna, 0);
    una_mark mark = una_arena_mark(&run->scratch);
    UNA_NEW(&run->scratch, double, difference, group->count);
    for (size_t i = 0; i < group->count; i++) {
        uint64_t seed = f->fits[group->from + i].key.seed;
        double a = una_transfer_slope(f, luna, seed, measure), b = una_transfer_slope(f, rival, seed, measure);
        difference[i] = a - b;
        ours += a / (double)group->count;
        its += b / (double)group->count;
    }
    una_status status = una_paired_of(&paired, difference, group->count, run);
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);

    una_text_add(text, "gain by twice the features ");
    transfer_put_number(text, ours);
    una_text_add(text, " against ");
    transfer_put_number(text, its);
    una_text_add(text, ": difference ");
    una_paired_put(text, &paired);
    *holds = una_paired_least(&paired, 0);
    return UNA_OK;
}

static una_status transfer_claim_most(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                      size_t measure, una_run *run)
{
    const char *luna = spec_of(f, "luna"), *rival = spec_of(f, claim->model);
    const una_group *ours = luna ? una_transfer_group(f, luna, 0) : NULL;
    size_t most = ours ? una_transfer_features(f->fits[ours->from].key.data) : 0;
    const una_group *its = ours && rival ? una_transfer_group(f, rival, most) : NULL;
    una_paired paired;
    *holds = UNA_CANNOT_TELL;
    if (!its) {
        una_text_add(text, "needs luna and %s", claim->model);
        return UNA_OK;
    }

    UNA_TRY(una_paired_groups(&paired, f, ours, its, measure, run));
    una_text_add(text, "with %zu features ", most);
    transfer_put_number(text, una_findings_mean(f, ours, measure));
    una_text_add(text, " against ");
    transfer_put_number(text, una_findings_mean(f, its, measure));
    una_text_add(text, ": difference ");
    una_paired_put(text, &paired);
    *holds = una_paired_least(&paired, 0);
    return UNA_OK;
}

static una_status transfer_claim_rise(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                      una_run *run)
{
    return claim_slopes(holds, text, claim, f, UNA_TRANSFER_KNOWN, run);
}

static una_status claim_rise_evidence(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                      una_run *run)
{
    return claim_slopes(holds, text, claim, f, UNA_TRANSFER_EVIDENCE, run);
}

static una_status claim_top(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    return transfer_claim_most(holds, text, claim, f, UNA_TRANSFER_KNOWN, run);
}

static una_status claim_top_evidence(int *holds, una_text *text, const una_claim *claim, const una_findings *f,
                                     una_run *run)
{
    return transfer_claim_most(holds, text, claim, f, UNA_TRANSFER_EVIDENCE, run);
}

/* Whichever prior variance the validation rows chose. */
static una_status claim_top_one(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    return transfer_claim_most(holds, text, claim, f, UNA_TRANSFER_FIRST_ALPHA + 1, run);
}

/* The band in the middle against the first or the last. */
static una_status claim_band(int *holds, una_text *text, const una_findings *f, size_t band, una_run *run)
{
    const una_group *right = una_findings_on(f, NULL, una_transfer_bands[1].data);
    const una_group *other = una_findings_on(f, NULL, una_transfer_bands[band].data);
    una_paired paired;
    *holds = UNA_CANNOT_TELL;
    if (!right || !other) {
        una_text_add(text, "needs gp");
        return UNA_OK;
    }

    UNA_TRY(una_paired_groups(&paired, f, right, other, UNA_TRANSFER_BEFORE, run));
    una_text_add(text, "std ");
    transfer_put_number(text, una_findings_mean(f, other, UNA_TRANSFER_BEFORE_STD));
    una_text_add(text, ": ");
    transfer_put_number(text, una_findings_mean(f, other, UNA_TRANSFER_BEFORE));
    una_text_add(text, "; std ");
    transfer_put_number(text, una_findings_mean(f, right, UNA_TRANSFER_BEFORE_STD));
    una_text_add(text, ": ");
    transfer_put_number(text, una_findings_mean(f, right, UNA_TRANSFER_BEFORE));
    una_text_add(text, "; lost by ");
    una_paired_put(text, &paired);
    *holds = una_paired_least(&paired, 0);
    return UNA_OK;
}

static una_status claim_little(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    (void)claim;
    return claim_band(holds, text, f, 0, run);
}

static una_status claim_much(int *holds, una_text *text, const una_claim *claim, const una_findings *f, una_run *run)
{
    (void)claim;
    return claim_band(holds, text, f, UNA_TRANSFER_BANDS - 1, run);
}

const una_claim una_transfer_claims[] = {
    { "With more features LUNA's log-likelihood rises faster than NLM's", transfer_claim_rise, "nlm", NULL },
    { "With more features LUNA's log-likelihood rises faster than SNGP's", transfer_claim_rise, "sngp", NULL },
    { "With the most features LUNA's log-likelihood exceeds NLM's", claim_top, "nlm", NULL },
    { "With the most features LUNA's log-likelihood exceeds SNGP's", claim_top, "sngp", NULL },
    { "By evidence: LUNA's rises faster than NLM's", claim_rise_evidence, "nlm", NULL },
    { "By evidence: LUNA's rises faster than SNGP's", claim_rise_evidence, "sngp", NULL },
    { "By evidence: LUNA's exceeds NLM's with the most features", claim_top_evidence, "nlm", NULL },
    { "By evidence: LUNA's exceeds SNGP's with the most features", claim_top_evidence, "sngp", NULL },
    { "Noise known, prior variance 1: LUNA's exceeds NLM's with the most features", claim_top_one, "nlm", NULL },
    { "Too little uncertainty in the gap lowers the log-likelihood there", claim_little, "gp", NULL },
    { "Too much uncertainty in the gap lowers the log-likelihood there", claim_much, "gp", NULL },
    { .sentence = NULL }
};
