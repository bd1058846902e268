/* SPDX-License-Identifier: MIT
 *
 * Claims on the split of doubt, about the first model of the run. The newer ones are asked of each set by itself: its
 * mean over the seeds must lie in an interval; of shares inside and coverage the mean give or take two standard errors
 * must meet it.
 */
#include "split/split.h"

double una_split_pool(size_t *count, const una_findings *f, const char *spec, const char *sets, size_t m)
{
    double sum = 0;
    size_t found = 0;
    for (size_t i = 0; i < f->count; i++) {
        const una_row_key *key = &f->fits[i].key;
        if (strcmp(key->spec, spec) != 0) continue;
        if (!una_split_is_listed(sets, key->data, una_row_key_data(key->data))) continue;
        sum += una_findings_value(f, i, m);
        found++;
    }
    if (count) *count = found;
    return found ? sum / (double)found : NAN;
}

static const char *first_spec(const una_findings *f)
{
    return f->group_count ? una_group_key(&f->groups[0])->spec : "";
}

/* Sets that are run only where they are asked for have no claim without them. */
static una_status judge_absent(una_judging *j)
{
    for (const una_split_set *set = una_split_sets; set->name; set++)
        if (set->when && una_split_is_listed(j->claim->data, set->name, strlen(set->name)))
            return una_judging_needs(j, "{data}");
    j->holds = UNA_NOT_ASKED;
    return UNA_OK;
}

/* ---- the mean over all fits -------------------------------------------------------------------------------------- */

static una_status judge_pool(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    bool most = rule->ask[0].is == UNA_AT_MOST;
    const char *spec = first_spec(j->findings);
    size_t count;
    double mean = una_split_pool(&count, j->findings, spec, j->claim->data, rule->measure);
    if (isnan(mean)) return judge_absent(j);

    una_text_add(j->numbers, "%s: ", spec);
    una_judging_put(j, mean, 2, "");
    una_text_add(j->numbers, " over %zu fit%s (at %s ", count, count == 1 ? "" : "s", most ? "most" : "least");
    una_judging_put(j, rule->number, 2, " asked)");
    j->holds = most ? mean <= rule->number : mean >= rule->number;
    return UNA_OK;
}

#define LEAST(of, bound) { judge_pool, .measure = of, .number = bound }
#define MOST(of, bound) { judge_pool, .measure = of, .number = bound, .ask = { { .is = UNA_AT_MOST } } }
static const una_rule inside_80 = LEAST(UNA_SPLIT_INSIDE, 0.8), inside_70 = LEAST(UNA_SPLIT_INSIDE, 0.7),
                      inside_gap = LEAST(UNA_SPLIT_GAP_INSIDE, 0.9),
                      inside_beyond = LEAST(UNA_SPLIT_BEYOND_INSIDE, 0.7),
                      likely_in_gap = LEAST(UNA_SPLIT_GAP_LOG_LIK, -1), noise_115 = MOST(UNA_SPLIT_NOISE_RATIO, 1.15),
                      noise_150 = MOST(UNA_SPLIT_NOISE_RATIO, 1.5), noise_found = MOST(UNA_SPLIT_NOISE_ERROR, 0.15),
                      never_warned = MOST(UNA_SPLIT_WARNED, 0.01), claimed_as_is = MOST(UNA_SPLIT_OVERCLAIM, 0.05);

/* In nine of ten fits the predicted noise varies if the true noise varies, and is constant if it is. */
static una_status judge_choice(una_judging *j)
{
    const una_findings *f = j->findings;
    size_t right = 0, count = 0;
    bool varies = strcmp(j->claim->data, "varying") == 0;
    for (size_t i = 0; i < f->count; i++) {
        const una_row_key *key = &f->fits[i].key;
        if (strcmp(key->spec, first_spec(f)) != 0 || strcmp(key->data, j->claim->data) != 0) continue;
        right += (una_findings_value(f, i, UNA_SPLIT_NOISE_RANGE) > 1 + 1e-6) == varies;
        count++;
    }
    if (count == 0) return una_judging_needs(j, "{data}");
    j->holds = 10 * right >= 9 * count;
    una_text_add(j->numbers, "%s: in %zu of %zu fits (nine of ten asked)", first_spec(f), right, count);
    return UNA_OK;
}
static const una_rule choice = { .judge = judge_choice };

/* ---- each set by itself ------------------------------------------------------------------------------------------ */

/* The next group of the first model on one of the sets of the claim; NULL: there is none. */
static const una_group *next_cell(const una_judging *j, const una_group *after)
{
    const char *spec = first_spec(j->findings);
    for (const una_group *g = after; (g = una_findings_next(j->findings, g, NULL));) {
        const una_row_key *key = una_group_key(g);
        if (strcmp(key->spec, spec) == 0 && una_split_is_listed(j->claim->data, key->data, una_row_key_data(key->data)))
            return g;
    }
    return NULL;
}

/* "12 of 13 sets; not cell n60 d1" */
typedef struct cells { size_t count, good; una_text misses; } cells;

static una_text *count_cell(cells *t, const una_group *g, bool good)
{
    const char *data = una_group_key(g)->data;
    t->count++;
    t->good += good;
    if (good) return NULL;
    una_text_add(&t->misses, "%s%.*s ", t->count - t->good > 1 ? ", " : "; not ", (int)una_row_key_data(data), data);
    return &t->misses;
}

static una_status put_cells(una_judging *j, const cells *t)
{
    UNA_TRY(una_arena_check(&j->run->scratch));
    if (t->count == 0) return next_cell(j, NULL) ? una_judging_needs(j, NULL) : judge_absent(j);
    una_text_add(j->numbers, "%s: %zu of %zu set%s (%s asked)", first_spec(j->findings), t->good, t->count,
                 t->count == 1 ? "" : "s", j->claim->rule->says);
    una_text_bytes(j->numbers, t->misses.at, t->misses.length);
    j->holds = t->good == t->count;
    return UNA_OK;
}

static double two_errors(const una_group *g, size_t measure)
{
    return 2 * una_group_sd(g, measure) / sqrt((double)g->count);
}

/* The mean of each set meets [number, ask[0].than], give or take two standard errors, or none (UNA_BY_STATISTICS). */
static una_status judge_cells(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    bool exact = rule->ask[0].by == UNA_BY_STATISTICS;
    double low = rule->number, high = rule->ask[0].than;
    cells t = { .misses = una_text_in(&j->run->scratch) };
    for (const una_group *g = NULL; (g = next_cell(j, g));) {
        double mean = una_group_mean(g, rule->measure), error = two_errors(g, rule->measure), room = exact ? 0 : error;
        una_text *miss = count_cell(&t, g, mean + room >= low && mean - room <= high);
        if (miss) una_text_add(miss, "%s \u00B1 %s", UNA_PLAIN(mean, 2), UNA_PLAIN(error, 2));
    }
    return put_cells(j, &t);
}

/* The mean of each set "outliers ..." is at most `number` times that of its twin "clean ...". */
static una_status judge_twins(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    cells t = { .misses = una_text_in(&j->run->scratch) };
    for (const una_group *g = NULL; (g = next_cell(j, g));) {
        const char *twin = una_phrase(&j->run->scratch, "clean%s", strchr(una_group_key(g)->data, ' '));
        const una_group *clean = twin ? una_findings_on(j->findings, first_spec(j->findings), twin) : NULL;
        if (!clean) continue;
        double ratio = una_group_mean(g, rule->measure) / una_group_mean(clean, rule->measure);
        una_text *miss = count_cell(&t, g, ratio <= rule->number);
        if (miss) una_text_add(miss, "%s", UNA_PLAIN(ratio, 2));
    }
    return put_cells(j, &t);
}

/* In each hole the log-likelihood is at most `number` below that of the better of the other models. */
static una_status judge_holes(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    cells t = { .misses = una_text_in(&j->run->scratch) };
    for (const una_group *g = NULL; (g = next_cell(j, g));) {
        double best = -HUGE_VAL, own = una_group_mean(g, UNA_SPLIT_GAP_LOG_LIK);
        for (const una_group *o = NULL; (o = una_findings_next(j->findings, o, una_group_key(g)->data));)
            if (o != g) best = fmax(best, una_group_mean(o, UNA_SPLIT_GAP_LOG_LIK));
        if (best == -HUGE_VAL) continue;
        una_text *miss = count_cell(&t, g, own >= best - rule->number);
        if (miss) una_text_add(miss, "%s against %s", UNA_PLAIN(own, 2), UNA_PLAIN(best, 2));
    }
    return put_cells(j, &t);
}

/* After each sort of update the mean of the coverage is high enough, or each fit gave a warning. */
static una_status judge_updates(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    cells t = { .misses = una_text_in(&j->run->scratch) };
    for (const una_group *g = NULL; (g = next_cell(j, g));) {
        double coverage = una_group_mean(g, UNA_SPLIT_COVERAGE), warned = una_group_mean(g, UNA_SPLIT_WARNED);
        una_text *miss = count_cell(&t, g, coverage >= rule->number || warned == 1);
        if (miss) una_text_add(miss, "%s, warned in %s", UNA_PLAIN(coverage, 2), UNA_PLAIN(warned, 2));
    }
    return put_cells(j, &t);
}

#define CELLS(of, low, high, words) \
    { judge_cells, .measure = of, .number = low, .ask = { { .than = high } }, .says = words }
#define MEANS(of, low, high, words) \
    { judge_cells, .measure = of, .number = low, .ask = { { .than = high, .by = UNA_BY_STATISTICS } }, .says = words }
static const una_rule cell_inside = CELLS(UNA_SPLIT_INSIDE, 0.9, 0.99, "0.90 to 0.99"),
                      cell_z2 = MEANS(UNA_SPLIT_Z2, 0.6, 1.4, "0.6 to 1.4"),
                      cell_coverage = CELLS(UNA_SPLIT_COVERAGE, 0.93, 0.97, "0.93 to 0.97"),
                      wide_coverage = CELLS(UNA_SPLIT_COVERAGE, 0.9, 1, "at least 0.90"),
                      clean_coverage = MEANS(UNA_SPLIT_CLEAN_COVERAGE, 0, 0.98, "at most 0.98"),
                      scale_130 = MEANS(UNA_SPLIT_SCALE_RATIO, 0, 1.3, "at most 1.3"),
                      loud_90 = MEANS(UNA_SPLIT_LOUD_COVERAGE, 0.9, 1, "at least 0.90"),
                      beyond_80 = MEANS(UNA_SPLIT_BEYOND_INSIDE, 0.8, 1, "at least 0.80"),
                      beyond_95 = MEANS(UNA_SPLIT_BEYOND_INSIDE, 0.95, 1, "at least 0.95"),
                      error_130 = { judge_twins, .measure = UNA_SPLIT_ERROR, .number = 1.3,
                                    .needs = "clean", .says = "at most 1.3" },
                      holes_010 = { judge_holes, .number = 0.1, .needs = "another model",
                                    .says = "at most 0.10 below the others" },
                      updates_90 = { judge_updates, .number = 0.9, .says = "0.90 or a warning in each fit" };

const una_claim una_split_claims[] = {
    { "5 inputs, 600 rows: the function is inside the band of ignorance", &inside_80, NULL, "d5 n600" },
    { "5 inputs, 2000 rows: the function is inside the band of ignorance", &inside_80, NULL, "d5 n2000" },
    { "20 inputs, 600 rows: the function is inside the band of ignorance", &inside_70, NULL, "d20 n600" },
    { "20 inputs, 2000 rows: the function is inside the band of ignorance", &inside_70, NULL, "d20 n2000" },
    { "5 inputs, 600 rows: ignorance is not called noise", &noise_115, NULL, "d5 n600" },
    { "5 inputs, 2000 rows: ignorance is not called noise", &noise_115, NULL, "d5 n2000" },
    { "20 inputs, 2000 rows: ignorance is not called noise", &noise_150, NULL, "d20 n2000" },
    { "Lines: the function is inside the band in the gap", &inside_gap, NULL, "line" },
    { "Lines: the log-likelihood in the gap", &likely_in_gap, NULL, "line" },
    { "Lines: the function is inside the band beyond the rows", &inside_beyond, NULL, "line" },
    { "Noise that varies tenfold is found", &noise_found, NULL, "varying" },
    { "Noise that varies is seen to vary", &choice, NULL, "varying" },
    { "Noise that is constant stays constant", &choice, NULL, "constant" },
    { "Cells: the function is inside the band of ignorance as often as it says", &cell_inside, NULL, "cell" },
    { "Cells: errors of the mean are as large as ignorance says", &cell_z2, NULL, "cell" },
    { "Coverage is what it says", &cell_coverage, NULL,
      "cell, clean, outliers, heavy, expab, beyond, disc, ball, shell2, shell3, pure noise, half zeros, shares" },
    { "30 rows of 20 inputs: coverage", &wide_coverage, NULL, "wide" },
    { "Copies and near copies: coverage of new subjects", &cell_coverage, NULL, "copies, near copies" },
    { "Groups that are not named: coverage of new subjects", &cell_coverage, NULL, "groups" },
    { "Groups that are named (--group): coverage of new subjects", &cell_coverage, NULL, UNA_SPLIT_KNOWN_GROUPS },
    { "Outliers: the scale of the noise over the true one", &scale_130, NULL, "outliers" },
    { "Outliers: coverage of the other rows", &clean_coverage, NULL, "outliers" },
    { "Outliers: the error of the function over that without them", &error_130, NULL, "outliers" },
    { "Noise exp(ab): coverage of the loudest third", &loud_90, NULL, "expab" },
    { "Beyond the range: squares and exponentials are inside the band", &beyond_80, NULL,
      "beyond x2, beyond exp, beyond d5" },
    { "Beyond the range: lines and sines are inside the band", &beyond_95, NULL, "beyond linear, beyond sine" },
    { "Holes: the log-likelihood against that of the other models", &holes_010, NULL, "disc, ball, shell2, shell3" },
    { "Updates: coverage afterwards, or a warning", &updates_90, NULL,
      "update same, update wider, update other, update reversed, update noise4" },
    { "Updates with 20 rows of the same law give no warning", &never_warned, NULL, "update false n20" },
    { "Updates with 200 rows of the same law give no warning", &never_warned, NULL, "update false n200" },
    { "Updates with 2000 rows of the same law give no warning", &never_warned, NULL, "update false n2000" },
    { "Small tables: the likelihood that the fit claims, less that of fresh rows", &claimed_as_is, NULL, "small" },
    { .sentence = NULL }
};
