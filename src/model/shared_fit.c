/* SPDX-License-Identifier: MIT
 *
 * What is particular to fits over several ranks. See shared_fit.h.
 */
#include "model/shared_fit.h"

/* Ranks must be asked for the same: sums over different fits are meaningless. */
static una_status check_same_call(const char *spec, const una_fit_settings *s, una_run *run)
{
    una_text mine = una_text_in(&run->scratch);
    unsigned char *all;
    size_t size;
    una_text_add(&mine, "%s", spec ? spec : "the usual model");
    for (size_t i = 0; i < s->set_count; i++) una_text_add(&mine, ", %s", s->set[i]);
    if (s->preset) una_text_add(&mine, ", preset %s", s->preset);
    if (s->target) una_text_add(&mine, ", target %s", s->target);
    for (size_t i = 0; s->drop && i < s->drop_count; i++)
        una_text_add(&mine, ", without %s", s->drop[i] ? s->drop[i] : "");
    for (size_t i = 0; s->only && i < s->only_count; i++)
        una_text_add(&mine, ", only %s", s->only[i] ? s->only[i] : "");
    una_text_add(&mine, "%s, missing %d, other %zu, valid %g, seed %llu", s->log_target ? ", log" : "",
                 (int)s->missing, s->other, s->valid_fraction, (unsigned long long)run->settings.seed);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_run_gather_bytes(&all, &size, mine.at, mine.length + 1, &run->scratch, run));
    if (strcmp((const char *)all, mine.at) == 0) return UNA_OK;          /* rank 0's comes first */
    UNA_FAIL(run, UNA_E_USAGE, "asked for %.300s, and rank 0 for %.300s; give every rank the same command", mine.at,
             (const char *)all);
}

una_status una_shared_fit_agree(const char **spec, const una_fit_settings *settings, una_run *run)
{
    if (!run->rank_group) return UNA_OK;
    if (settings->target_count)
        UNA_FAIL(run, UNA_E_USAGE, "several targets cannot be fitted over ranks; fit one after the other");
    if (settings->group)
        UNA_FAIL(run, UNA_E_USAGE, "groups need all rows in one process, so --group is not possible over ranks");
    UNA_TRY(check_same_call(*spec, settings, run));
    if (!*spec) *spec = "luna";
    return UNA_OK;
}

static bool sums_rows(const una_kind *kind)
{
    return kind->fit_to.part != NULL;
}

una_status una_shared_fit_check(const una_kind *kind, una_run *run)
{
    if (!run->rank_group || sums_rows(kind)) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s cannot be fitted over %zu ranks, since it needs all rows in one place; these can: "
             "%s", kind->name, una_rank_group_count(run), una_kinds_that(sums_rows, run));
}

/* A choice of an option that cannot be had, and the other one, which is taken where it is automatic. Choosing among
 * members, noise shape and relevance need all rows in one process. */
static const struct restriction { const char *option, *refused, *why, *instead; } RESTRICTION[] = {
    { "noise", "varying", "is not possible over ranks", "constant" },
    { "relevance", "on", "is not possible over ranks", "off" },
    { "cosine", "per_point", "cannot be trained over ranks", "stacked" },
    { "training", "marginal", "needs all rows in one place every step, and cannot be done over ranks", "map" },
};
enum { RESTRICTIONS = sizeof RESTRICTION / sizeof *RESTRICTION };

static una_status restrict_option(void *options, const una_kind *kind, const una_option *option, una_run *run)
{
    int *word = una_option_word(options, kind->options, option->name);
    for (const struct restriction *r = RESTRICTION; word && r < RESTRICTION + RESTRICTIONS; r++) {
        if (strcmp(r->option, option->name) != 0) continue;
        if (*word == una_choice(option->choices, r->refused))
            UNA_FAIL(run, UNA_E_USAGE, "%s: %s=%s %s; use %s=%s", kind->name, r->option, r->refused, r->why, r->option,
                     r->instead);
        if (*word == una_choice(option->choices, "auto")) *word = una_choice(option->choices, r->instead);
    }
    return UNA_OK;
}

una_status una_shared_fit_restrict(void *options, const una_kind *kind, una_run *run)
{
    double *members = una_option_number(options, kind->options, "members");
    if (!run->rank_group) return UNA_OK;
    UNA_TRY(una_shared_fit_check(kind, run));
    if (members && *members > 1)                          /* auto is below */
        UNA_FAIL(run, UNA_E_USAGE, "%s: members=%g is not possible over ranks, which train one network together; leave "
                 "members out", kind->name, *members);
    if (members) *members = 1;
    for (const una_option *o = kind->options; o->name; o++) UNA_TRY(restrict_option(options, kind, o, run));
    return UNA_OK;
}

una_status una_shared_fit_warnings(una_notes *warnings, una_run *run)
{
    una_text mine = una_text_in(&run->scratch);
    unsigned char *all;
    size_t size;
    if (!run->rank_group) return UNA_OK;
    for (size_t i = 0; i < warnings->count; i++)
        una_text_bytes(&mine, warnings->text[i], strlen(warnings->text[i]) + 1);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_run_gather_bytes(&all, &size, mine.at, mine.length, &run->scratch, run));
    warnings->count = 0;
    for (size_t at = 0; at < size; at += strlen((const char *)all + at) + 1)
        una_notes_add(warnings, "%s", (const char *)all + at);
    return una_arena_check(warnings->arena);
}

void una_shared_fit_note(una_notes *notes, const una_kind *kind, una_run *run)
{
    if (!run->rank_group) return;
    size_t ranks = una_rank_group_count(run);
    if (!kind->validation) una_notes_add(notes, "Fitted by %zu ranks, each with some of the rows.", ranks);
    else una_notes_add(notes, "Fitted by %zu ranks, each with some of the rows: one training, with constant noise. "
                       "Another number of ranks gives other features.", ranks);
}
