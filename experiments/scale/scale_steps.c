/* SPDX-License-Identifier: MIT
 *
 * What a step to more rows gains or loses, and by how much one model is better than another on the same rows: paired
 * differences over seeds and parts of the test rows, and the claims that rest on them.
 *
 * The errors of a mean over few seeds are too small if the test rows are taken as given, and those over the rows are if
 * the seeds are: both are samples, and crossed. The log-likelihood of all rows is the mean of that of the parts. The
 * root r of a mean square is not; to first order it is the mean of (r^2 + q^2) / (2 r), where q are the roots of the
 * parts.
 */
#include "scale/scale.h"

enum { MOST_SAID = 4 };
const double una_scale_slack = 0.01;

/* ---- cells ------------------------------------------------------------------------------------------------------- */

typedef struct squares { double seeds, parts, rest; } squares;   /* mean squares                             */

static squares squares_of(double all, const double *part, const double *cell, size_t seeds, size_t parts)
{
    squares sum = {0};
    double p = (double)parts, s = (double)seeds;
    for (size_t i = 0; i < seeds; i++) {
        double seed = 0;
        for (size_t k = 0; k < parts; k++) seed += cell[i * parts + k] / p;
        sum.seeds += p * (seed - all) * (seed - all);
        for (size_t k = 0; k < parts; k++) {
            double off = cell[i * parts + k] - seed - part[k] + all;
            sum.rest += off * off;
        }
    }
    for (size_t k = 0; k < parts; k++) sum.parts += s * (part[k] - all) * (part[k] - all);
    return (squares){ sum.seeds / fmax(s - 1, 1), sum.parts / (p - 1), sum.rest / (fmax(s - 1, 1) * (p - 1)) };
}

void una_scale_crossed(double *mean, double *error, const double *cell, size_t seeds, size_t parts)
{
    double part[UNA_SCALE_PARTS] = {0}, n = (double)(seeds * parts);
    *mean = 0;
    for (size_t i = 0; i < seeds * parts; i++) {
        part[i % parts] += cell[i] / (double)seeds;
        *mean += cell[i] / n;
    }
    squares of = squares_of(*mean, part, cell, seeds, parts);
    *error = sqrt((fmax(of.seeds, of.rest) + fmax(of.parts, of.rest) - of.rest) / n);
}

/* What a part adds to a measure of all test rows. */
static double cell_of(const una_findings *f, size_t fit, size_t measure, size_t part)
{
    double root = una_findings_value(f, fit, UNA_SCALE_RMSE);
    if (measure == UNA_SCALE_LOG_LIK) return una_findings_value(f, fit, UNA_SCALE_LOG_LIK_PART + part);
    double own = una_findings_value(f, fit, UNA_SCALE_RMSE_PART + part);
    return root > 0 ? (root * root + own * own) / (2 * root) : 0;
}

una_status una_scale_compare(una_scale_change *change, const una_group *more, const una_group *less, size_t measure,
                             una_run *run)
{
    const una_findings *f = more->findings;
    size_t seeds = 0, cells = 0;
    double sum = 0, mean;
    UNA_NEW(&run->scratch, double, cell, more->count * UNA_SCALE_PARTS);
    for (size_t i = more->from; i < more->from + more->count; i++) {
        size_t other = una_group_fit(less, &f->fits[i].key);
        if (other == SIZE_MAX) continue;
        for (size_t p = 0; p < UNA_SCALE_PARTS; p++)
            cell[cells++] = cell_of(f, i, measure, p) - cell_of(f, other, measure, p);
        sum += una_findings_value(f, i, measure) - una_findings_value(f, other, measure);
        seeds++;
    }
    *change = (una_scale_change){ NAN, NAN };
    if (seeds == 0) return UNA_OK;
    una_scale_crossed(&mean, &change->error, cell, seeds, UNA_SCALE_PARTS);
    change->mean = sum / (double)seeds;
    return UNA_OK;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

size_t una_scale_name(const char *data)
{
    size_t length = una_row_key_data(data);
    while (length > 0 && data[length - 1] != ' ') length--;
    return length > 0 ? length - 1 : 0;
}

size_t una_scale_rows(const una_group *group)
{
    const char *data = una_group_key(group)->data;
    return strtoul(data + una_scale_name(data), NULL, 10);
}

bool una_scale_same_table(const una_group *a, const una_group *b)
{
    const char *one = una_group_key(a)->data, *other = una_group_key(b)->data;
    size_t name = una_scale_name(one);
    return name == una_scale_name(other) && strncmp(one, other, name) == 0 &&
           strcmp(one + una_row_key_data(one), other + una_row_key_data(other)) == 0;
}

const una_group *una_scale_other(const una_group *group, const char *spec)
{
    return una_findings_on(group->findings, spec, una_group_key(group)->data);
}

/* The nearest size above (or below) that of a group. */
static const una_group *neighbour(const una_group *group, bool above)
{
    const una_group *nearest = NULL;
    size_t own = una_scale_rows(group);
    for (const una_group *g = NULL; (g = una_findings_next(group->findings, g, NULL));) {
        size_t rows = una_scale_rows(g);
        if (rows == own || (rows > own) != above || !una_scale_same_table(g, group)) continue;
        if (strcmp(una_group_key(g)->spec, una_group_key(group)->spec) != 0) continue;
        if (!nearest || (rows < una_scale_rows(nearest)) == above) nearest = g;
    }
    return nearest;
}

const una_group *una_scale_larger(const una_group *group) { return neighbour(group, true); }
const una_group *una_scale_smaller(const una_group *group) { return neighbour(group, false); }

/* ---- claims ------------------------------------------------------------------------------------------------------ */

/* Changes of the log-likelihood, each from one group to another. */
typedef struct changes {
    size_t           count, losses, unknown;
    una_scale_change least;              /* the largest loss, and where                                     */
    const una_group *more, *less;
    una_text         said;               /* of the losses that are too large                                */
} changes;

/* "0.74 (paired error 0.02) from 1000 to 4000 rows of kin8nm", or "... at 500 rows of kin8nm" */
static void say_change(una_text *text, const una_scale_change *c, const una_group *more, const una_group *less)
{
    const char *data = una_group_key(more)->data;
    size_t from = una_scale_rows(less), to = una_scale_rows(more);
    una_text_add(text, "%s (paired error %s) ", UNA_BRIEF(-c->mean, 3), UNA_BRIEF(c->error, 2));
    if (from == to) una_text_add(text, "at %zu", to);
    else una_text_add(text, "from %zu to %zu", from, to);
    una_text_add(text, " rows of %.*s", (int)una_scale_name(data), data);
}

static una_status add_change(changes *all, const una_group *more, const una_group *less, una_run *run)
{
    una_scale_change c;
    UNA_SCOPED(run, una_scale_compare(&c, more, less, UNA_SCALE_LOG_LIK, run));
    all->count++;
    if (!isfinite(c.mean) || !isfinite(c.error)) {
        all->unknown++;
        return UNA_OK;
    }
    if (!all->more || c.mean < all->least.mean) all->least = c, all->more = more, all->less = less;
    if (c.mean >= -una_scale_allowed(&c)) return UNA_OK;
    if (all->losses++ >= MOST_SAID) return UNA_OK;
    una_text_add(&all->said, "%s", all->losses > 1 ? "; " : "");
    say_change(&all->said, &c, more, less);
    return UNA_OK;
}

/* step: "step", or what else is compared. */
static una_status say_changes(una_judging *j, const changes *all, const char *step)
{
    size_t known = all->count - all->unknown;
    const char *many = all->count == 1 ? "" : "s";
    if (all->losses) j->holds = UNA_DOES_NOT_HOLD;
    else if (all->unknown == 0) j->holds = UNA_HOLDS;

    if (all->losses)
        una_text_add(j->numbers, "loses in %zu of %zu %s%s: %s", all->losses, all->count, step, many, all->said.at);
    else if (known > 0 && all->least.mean >= 0) una_text_add(j->numbers, "gains in each of %zu %s%s", known, step, many);
    else if (known > 0) una_text_add(j->numbers, "%zu %s%s; the largest loss is ", all->count, step, many);
    if (!all->losses && known > 0 && all->least.mean < 0) say_change(j->numbers, &all->least, all->more, all->less);
    if (all->losses > MOST_SAID) una_text_add(j->numbers, "; and %zu more", all->losses - MOST_SAID);
    if (all->unknown)
        una_text_add(j->numbers, "%s%zu cannot be told, for a fit there gave no number", known ? "; " : "",
                     all->unknown);
    return una_arena_check(all->said.arena);
}

/* The claim's model is a spec. Each of its groups is compared with the next size, or where the claim's data is the spec
 * of another model, with that one on the same rows. */
static una_status judge_changes(una_judging *j)
{
    const char *model = j->claim->model, *other = j->claim->data;
    changes all = { .said = una_text_in(&j->run->scratch) };
    for (const una_group *g = NULL; (g = una_findings_next(j->findings, g, NULL));) {
        if (strcmp(una_group_key(g)->spec, model) != 0) continue;
        const una_group *more = other ? g : una_scale_larger(g), *less = other ? una_scale_other(g, other) : g;
        if (more && less) UNA_TRY(add_change(&all, more, less, j->run));
    }
    if (all.count == 0) return una_judging_needs(j, other ? "both models" : "two sizes of a table");
    return say_changes(j, &all, other ? "comparison" : "step");
}

static const una_rule of_changes = { .judge = judge_changes };

/* The kind, where that tells a model apart. */
static const char *title_of(const una_bench_model *model, const una_asked *asked)
{
    size_t same = 0;
    for (size_t m = 0; m < asked->model_count; m++) same += strcmp(asked->models[m].kind, model->kind) == 0;
    return same == 1 ? model->kind : model->spec;
}

una_status una_scale_claims(const una_claim **claims, const una_asked *asked, una_run *run)
{
    size_t count = asked->model_count;
    const una_bench_model *first = asked->models;
    (void)run;
    UNA_NEW(asked->keep, una_claim, list, 2 * count + 1);
    *claims = list;
    for (size_t m = 0; m < count; m++)
        *list++ = (una_claim){ una_phrase(asked->keep, "%s does not get worse with more rows",
                                          title_of(&first[m], asked)), &of_changes, first[m].spec, NULL };
    for (size_t m = 1; m < count; m++)
        *list++ = (una_claim){ una_phrase(asked->keep, "%s is at least as likely as %s, on the same rows",
                                          title_of(first, asked), title_of(&first[m], asked)), &of_changes, first->spec,
                               first[m].spec };
    return una_arena_check(asked->keep);
}
