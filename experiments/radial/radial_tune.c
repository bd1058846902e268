/* SPDX-License-Identifier: MIT
 *
 * The search of the Radial Uncertainty Benchmark: what it chooses, and its page. It never uses a distance
 * from the GP: its rows have none, and it reads log-likelihoods and centres alone.
 */
#include "radial/radial.h"

#include "draw/number.h"
#include "select/select.h"

static const double most_loss = 0.2;            /* nats a row: smaller differences are not significant with few rows */

/* The standard's value at the centre, for the same rows; NAN: it was not run. */
static double standard_centre(const una_findings *f, const una_radial_set *set, const una_row_key *key)
{
    const una_group *gp = una_findings_group(f, "gp", set->name);
    size_t fit = gp ? una_group_fit(gp, key) : SIZE_MAX;
    return fit == SIZE_MAX ? NAN : una_findings_value(f, fit, UNA_RADIAL_CENTRE);
}

/* Seed by seed: a mean of centres could hide one far above and one far below. */
static double mean_off(const una_findings *f, const una_group *group, size_t centre, const una_radial_set *set,
                       una_radial_aim aim)
{
    double sum = 0;
    for (size_t i = group->from; i < group->from + group->count; i++) {
        double goal = aim == UNA_RADIAL_IDEAL ? set->ideal : standard_centre(f, set, &f->fits[i].key);
        sum += fabs(una_findings_value(f, i, centre) - goal);
    }
    return sum / (double)group->count;
}

/* list [groups * UNA_RADIAL_PRIORS] */
static size_t list_candidates(una_radial_choice *list, const una_findings *f, const char *name,
                              const una_radial_set *set, una_radial_aim aim)
{
    const una_radial_entry *entry = una_radial_entry_find(name);
    size_t count = 0, priors = entry && entry->prior ? UNA_RADIAL_PRIORS : 1;
    for (const una_group *group = f->groups; group < f->groups + f->group_count; group++) {
        if (strcmp(group->model, name) != 0 || strcmp(una_group_key(group)->data, set->name) != 0) continue;
        for (size_t p = 0; p < priors; p++) {
            size_t log_lik = priors == 1 ? UNA_RADIAL_LOG_LIK : UNA_RADIAL_PRIOR_LOG_LIK + p;
            size_t centre = priors == 1 ? UNA_RADIAL_CENTRE : UNA_RADIAL_PRIOR_CENTRE + p;
            list[count++] = (una_radial_choice){ .group = group, .prior = priors == 1 ? NULL : una_radial_prior[p],
                .log_lik = una_group_mean(group, log_lik), .centre = una_group_mean(group, centre),
                .off = mean_off(f, group, centre, set, aim) };
        }
    }
    return count;
}

una_status una_radial_choose(una_radial_choice *choice, const una_findings *f, const char *name,
                             const una_radial_set *set, una_radial_aim aim, una_run *run)
{
    size_t best, room = f->group_count * UNA_RADIAL_PRIORS;
    UNA_NEW(&run->scratch, una_radial_choice, list, room);
    UNA_NEW(&run->scratch, double, first, room);
    UNA_NEW(&run->scratch, double, then, room);
    size_t count = list_candidates(list, f, name, set, aim);
    for (size_t i = 0; i < count; i++) {
        first[i] = list[i].log_lik;
        then[i] = isnan(list[i].off) ? -list[i].log_lik : list[i].off;
    }
    UNA_TRY(una_select_near(&best, first, then, count, most_loss, run));
    *choice = best != SIZE_MAX ? list[best] : (una_radial_choice){ .group = NULL };
    choice->tried = count;
    return UNA_OK;
}

/* ---- the page --------------------------------------------------------------------------------------------------- */

/* The options that the search has added to the base, as in radial_entries.c: a list without brackets. */
static una_status searched_options(const char **text, const una_findings *f, const una_radial_choice *choice,
                                   const una_asked *asked, una_arena *arena, una_run *run)
{
    una_spec whole, base;
    una_text words = una_text_in(arena);
    const char *without;
    UNA_TRY(una_radial_spec(&without, una_radial_entry_find(choice->group->model), NULL, asked->quick, arena, run));
    UNA_TRY(una_spec_parse(&whole, f->fits[choice->group->from].key.spec, arena, run));
    UNA_TRY(una_spec_parse(&base, without, arena, run));
    for (size_t i = 0; i < whole.count; i++)
        if (!una_spec_find(&base, whole.items[i].key)) una_spec_add(&words, whole.items[i].key, whole.items[i].value);
    if (choice->prior) una_spec_add(&words, "prior_var", choice->prior);
    UNA_TRY(una_arena_check(arena));
    *text = words.length ? words.at + 1 : "";
    return UNA_OK;
}

static una_status add_choice(una_sheet *sheet, const una_findings *f, const una_radial_entry *entry,
                             const una_radial_set *set, una_radial_aim aim, const una_asked *asked, una_run *run)
{
    una_radial_choice choice;
    const char *options;
    UNA_SCOPED(run, una_radial_choose(&choice, f, entry->name, set, aim, run));
    if (!choice.group) return UNA_OK;
    UNA_TRY(searched_options(&options, f, &choice, asked, sheet->arena, run));
    una_sheet_begin(sheet, entry->name);
    una_sheet_words(sheet, options);
    una_sheet_number(sheet, choice.log_lik, 2);
    una_sheet_number(sheet, choice.centre, 3);
    una_sheet_number(sheet, choice.off, 3);
    una_sheet_number(sheet, (double)choice.tried, 0);
    return UNA_OK;
}

static una_status radial_put_choices(una_page *page, una_radial_aim aim)
{
    const una_findings *f = page->findings;
    static const una_column columns[] = {
        { "Model", UNA_SHEET_WORDS, 0, 0 }, { "Options", UNA_SHEET_WORDS, 0, 0 }, { "Log-lik", UNA_SHEET_NUMBER, 0, 0 },
        { "Centre", UNA_SHEET_NUMBER, 0, 0 }, { "Off", UNA_SHEET_NUMBER, 0, 0 }, { "Tried", UNA_SHEET_NUMBER, 0, 0 },
        { .title = NULL } };
    static const struct { const char *name, *lead, *caption; } words[UNA_RADIAL_AIMS] = {
        { "chosen", "Chosen by the ideal.", "Of those within 0.2 of the highest log-likelihood of fresh rows, the one "
          "whose 3 std at the centre are nearest to 1/2^D. These stand in the experiment. Log-likelihood, centre and "
          "its distance from the aim: means over the seeds of the search; tried: drawn specs times prior variances." },
        { "chosen-by-centre", "Chosen by the standard's centre, for comparison.", "The same, but nearest to 3 std of "
          "the GP at the centre of the same rows." },
    };
    una_sheet sheet = una_page_table(page, words[aim].name, words[aim].lead, words[aim].caption, columns);
    for (size_t g = 0; g < f->group_count; g++) {
        una_radial_set set;
        const char *data = una_group_key(&f->groups[g])->data;
        if (una_findings_on(f, NULL, data) != &f->groups[g]) continue;
        UNA_TRY(una_radial_set_find(&set, data, page->run));
        una_sheet_group(&sheet, set.name);
        for (const una_radial_entry *e = una_radial_entries; e->name; e++)
            if (e->over || aim == UNA_RADIAL_IDEAL)
                UNA_TRY(add_choice(&sheet, f, e, &set, aim, page->asked, page->run));
    }
    return una_page_sheet(page, &sheet);
}

una_status una_radial_tune_page(una_page *page)
{
    una_page_heading(page, 2, "What the search chose");
    una_page_paragraph(page, "Every model had the same chance: specs drawn from its ranges, each fitted on seeds 1000 "
        "and 1001, and where its head is linear 15 prior variances from 10\xE2\x81\xBB\xE2\x81\xB5 to "
        "100 each, without training again. In disc and ball, where there is no ideal, the highest "
        "log-likelihood decides alone. The distance of a curve from the Gaussian process's is never looked at.");
    for (una_radial_aim aim = 0; aim < UNA_RADIAL_AIMS; aim++) UNA_TRY(radial_put_choices(page, aim));
    return UNA_OK;
}
