/* SPDX-License-Identifier: MIT
 *
 * How claims are judged. See claims.h.
 */
#include "bench/claims.h"

#include <float.h>

/* ---- names and quantities ------------------------------------------------------------------------------------ */

const char *una_judging_name(const una_judging *j, size_t n)
{
    const char *at = j->claim->model;
    for (; at && n > 1; n--) at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL;
    return at ? una_phrase(&j->run->scratch, "%.*s", (int)strcspn(at, "|"), at) : NULL;
}

una_status una_judging_group(const una_group **group, una_judging *j, const char *name)
{
    const una_experiment *e = j->findings->experiment;
    if (e && e->find) return e->find(group, j, name);
    *group = una_findings_group(j->findings, name, j->claim->data);
    return UNA_OK;
}

typedef enum statistic { MEAN, SD, MEDIAN, MOST, FIRST, STATISTICS } statistic;

typedef struct quantity {
    double           factor;             /* the number itself, unless a measure is named                    */
    bool             named, spared;      /* spared: it does not matter that the group is absent             */
    statistic        of;
    const una_group *group;
    size_t           from, to;           /* measures                                                        */
} quantity;

static una_status find_measure(size_t *measure, const una_judging *j, const char *name, size_t length)
{
    const una_bench_measure *m = j->findings->experiment->measures;
    for (*measure = 0; m[*measure].name; ++*measure)
        if (una_is_item(name, length, m[*measure].name)) return UNA_OK;
    UNA_FAIL(j->run, UNA_E_USAGE, "the claim '%.200s' speaks of a measure '%.*s', which its experiment has not",
             j->claim->sentence, (int)length, name);
}

static una_status read_quantity(quantity *q, una_judging *j, const char *text, size_t length)
{
    static const char *const words[STATISTICS] = { "", "sd ", "median ", "most ", "first " };
    const char *end = text + length, *blank = memchr(text, ' ', length);
    double number = 1;
    bool alone = una_parse_number(text, length, &number);
    *q = (quantity){ .factor = number, .named = !alone };
    if (alone) return UNA_OK;
    if (blank && una_parse_number(text, (size_t)(blank - text), &q->factor)) text = blank + 1;
    for (statistic s = SD; s < STATISTICS; s++)
        if (strncmp(text, words[s], strlen(words[s])) == 0) q->of = s, text += strlen(words[s]);

    const char *colon = memchr(text, ':', (size_t)(end - text)), *name = una_judging_name(j, 1);
    if (colon) {
        bool counted = *text >= '1' && *text <= '9' && colon == text + 1;
        name = counted ? una_judging_name(j, (size_t)(*text - '0'))
                       : una_phrase(&j->run->scratch, "%.*s", (int)(colon - text), text);
        text = colon + 1;
    }
    UNA_TRY(una_arena_check(&j->run->scratch));
    q->spared = j->claim->rule->spared && name && strcmp(j->claim->rule->spared, name) == 0;
    if (name) UNA_TRY(una_judging_group(&q->group, j, name));

    const char *dots = strstr(text, "..");
    size_t first = (size_t)((dots && dots < end ? dots : end) - text);
    UNA_TRY(find_measure(&q->from, j, text, first));
    q->to = q->from;
    return dots && dots < end ? find_measure(&q->to, j, dots + 2, (size_t)(end - dots - 2)) : UNA_OK;
}

/* Of one fit, which has the seed and split of a key. */
static double quantity_of_fit(const quantity *q, const una_findings *f, const una_row_key *key)
{
    size_t fit = q->group ? una_group_fit(q->group, key) : SIZE_MAX;
    double sum = 0;
    if (!q->named) return q->factor;
    if (fit == SIZE_MAX) return NAN;
    for (size_t m = q->from; m <= q->to; m++) sum += una_findings_value(f, fit, m);
    return q->factor * (sum / (double)(q->to - q->from + 1));
}

/* Of all fits. */
static double quantity_of_group(const quantity *q, const una_judging *j)
{
    const una_findings *f = j->findings;
    if (!q->named) return q->factor;
    if (!q->group) return NAN;
    switch (q->of) {
    case SD:     return q->factor * una_group_sd(q->group, q->from);
    case MEDIAN: return q->factor * una_group_quantile(q->group, q->from, 0.5, &j->run->scratch);
    case MOST:   return q->factor * una_group_quantile(q->group, q->from, 1, &j->run->scratch);
    case FIRST:  return q->factor * una_findings_value(f, q->group->from, q->from);
    default:     return q->factor * una_group_mean(q->group, q->from);
    }
}

/* ---- words --------------------------------------------------------------------------------------------------- */

void una_judging_put(una_judging *j, double value, int decimals, const char *after)
{
    una_text_add(j->numbers, "%s%s", UNA_PLAIN(value, decimals), after);
}

/* "0.62 (95 % interval 0.6 to 0.65)" of a measure that is followed by the ends of its interval. */
static void say_interval(una_judging *j, const quantity *q, int decimals, const char *unit)
{
    const una_findings *f = j->findings;
    una_judging_put(j, una_findings_value(f, q->group->from, q->from), decimals, unit);
    una_text_add(j->numbers, " (95 %% interval ");
    una_judging_put(j, una_findings_value(f, q->group->from, q->from + 1), decimals, " to ");
    una_judging_put(j, una_findings_value(f, q->group->from, q->from + 2), decimals, ")");
}

static una_status say_quantity(una_judging *j, const char *text, size_t length)
{
    quantity q, under;
    const char *end = text + length, *comma = memchr(text, ',', length), *form = comma ? comma + 2 : "plain 2";
    const char *digits = strchr(form, ' ') + 1, *slash = memchr(text, '/', length);
    int count = *digits - '0';
    if (comma) length = (size_t)(comma - text);
    UNA_TRY(read_quantity(&q, j, text, slash ? (size_t)(slash - text) : length));
    double value = quantity_of_group(&q, j);
    if (slash) {
        UNA_TRY(read_quantity(&under, j, slash + 1, (size_t)(text + length - slash - 1)));
        value /= quantity_of_group(&under, j);
    }
    if (*form == 'i')
        say_interval(j, &q, count, una_phrase(&j->run->scratch, "%.*s", (int)(end - digits - 1), digits + 1));
    else if (*form == 'b') una_text_add(j->numbers, "%s", UNA_BRIEF(value, count));
    else if (*form == 's') una_text_add(j->numbers, "%s", UNA_FEW_DIGITS(value, count));
    else una_judging_put(j, value, count, "");
    return UNA_OK;
}

static una_status say_place(una_judging *j, const char *place, size_t length)
{
    const una_claim *claim = j->claim;
    if (una_is_item(place, length, "margin")) {
        una_paired_put(j->numbers, &j->margin[j->margins_given++]);
        return UNA_OK;
    }
    if (una_is_item(place, length, "share")) {
        una_share share = una_share_of(j->margin[0].above, j->margin[0].count);
        una_share_put(j->numbers, &share);
        return UNA_OK;
    }
    bool name = strncmp(place, "name", 4) == 0, data = una_is_item(place, length, "data");
    if (!name && !data) return say_quantity(j, place, length);
    const char *text = name ? una_judging_name(j, length > 5 ? (size_t)(place[5] - '0') : 1) : claim->data;
    una_text_add(j->numbers, "%.*s", (int)(data ? strcspn(text, ",") : strlen(text)), text);
    return UNA_OK;
}

una_status una_judging_say(una_judging *j, const char *words)
{
    for (const char *at = words; *at;) {
        size_t plain = strcspn(at, "{"), place = strcspn(at + plain, "}");
        una_text_add(j->numbers, "%.*s", (int)plain, at);
        at += plain;
        if (!*at) break;
        UNA_TRY(say_place(j, at + 1, place - 1));
        at += place + 1;
    }
    return una_arena_check(&j->run->scratch);
}

una_status una_judging_needs(una_judging *j, const char *words)
{
    const char *usual = j->claim->rule->needs ? j->claim->rule->needs : "{name}";
    j->holds = UNA_CANNOT_TELL;
    una_text_add(j->numbers, "needs ");
    return una_judging_say(j, words ? words : usual);
}

/* ---- inequalities -------------------------------------------------------------------------------------------- */

typedef struct sides { quantity large, small; bool logs; } sides;

static double side_margin(const una_findings *f, size_t fit, const void *context)
{
    const sides *s = context;
    double large = quantity_of_fit(&s->large, f, &f->fits[fit].key);
    double small = quantity_of_fit(&s->small, f, &f->fits[fit].key);
    return s->logs ? log10(large / small) : large - small;
}

static int relate(const una_paired *p, una_relation is, double than)
{
    una_share share = una_share_of(p->above, p->count);
    switch (is) {
    case UNA_ABOVE:         return una_paired_least(p, DBL_MIN);
    case UNA_AT_MOST:       return una_paired_most(p, than);
    case UNA_WITHIN:        return una_paired_within(p, than);
    case UNA_NOT_AT_LEAST:  return una_holding_not(una_paired_least(p, than));
    case UNA_IN_EVERY_SEED: return una_share_least(&share, 1);
    default:                return una_paired_least(p, than);
    }
}

void una_judging_join(una_judging *j, const una_paired *paired, una_relation is, double than)
{
    j->holds = una_holding_both(j->holds, relate(paired, is, than));
    una_paired_put(j->numbers, paired);
}

/* Whether the numbers of an inequality are there. */
static bool is_there(const quantity *q, const una_inequality *ask, const una_judging *j)
{
    if (q->named && !q->group) return q->spared;
    bool fits = ask->by == UNA_BY_FITS || ask->by == UNA_BY_LOGS;
    return fits || (ask->by == UNA_BY_ENDS ? !isnan(quantity_of_group(q, j)) : isfinite(quantity_of_group(q, j)));
}

static una_status judge_inequality(int *holds, size_t i, const sides *s, una_judging *j)
{
    const una_findings *f = j->findings;
    const una_inequality *ask = &j->claim->rule->ask[i];
    const una_group *seeds = s->large.group ? s->large.group : s->small.group;
    if (ask->by == UNA_BY_ENDS) {
        *holds = una_holding_least(una_findings_value(f, seeds->from, s->large.from + 1),
                                   una_findings_value(f, seeds->from, s->large.from + 2), ask->than);
    } else if (ask->by == UNA_BY_STATISTICS) {
        double margin = quantity_of_group(&s->large, j) - quantity_of_group(&s->small, j);
        *holds = ask->is == UNA_ABOVE ? margin > 0 : margin >= ask->than;
    } else {
        UNA_TRY(una_paired_each(&j->margin[i], seeds, side_margin, s, j->run));
        *holds = relate(&j->margin[i], ask->is, ask->than);
    }
    return UNA_OK;
}

una_status una_judge_inequalities(una_judging *j)
{
    const una_rule *rule = j->claim->rule;
    sides all[2];
    size_t count = 0;
    for (const una_inequality *ask = rule->ask; count < 2 && ask->large; ask++, count++) {
        sides *s = &all[count];
        const char *small = ask->small ? ask->small : "0";
        UNA_TRY(read_quantity(&s->large, j, ask->large, strlen(ask->large)));
        UNA_TRY(read_quantity(&s->small, j, small, strlen(small)));
        s->logs = ask->by == UNA_BY_LOGS;
        if (!is_there(&s->large, ask, j) || !is_there(&s->small, ask, j)) return una_judging_needs(j, NULL);
    }
    j->holds = UNA_HOLDS;
    for (size_t i = 0; i < count; i++) {
        int holds;
        UNA_TRY(judge_inequality(&holds, i, &all[i], j));
        j->holds = una_holding_both(j->holds, holds);
    }
    return una_judging_say(j, rule->says);
}

una_status una_claim_judge(int *holds, una_text *numbers, const una_claim *claim, const una_findings *findings,
                           una_run *run)
{
    una_judging j = { .claim = claim, .findings = findings, .numbers = numbers, .run = run, .holds = UNA_CANNOT_TELL };
    UNA_TRY((claim->rule->judge ? claim->rule->judge : una_judge_inequalities)(&j));
    *holds = j.holds;
    return UNA_OK;
}
