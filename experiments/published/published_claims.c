/* SPDX-License-Identifier: MIT
 *
 * Is LUNA within one standard deviation of NLM? Decides this for the claims of uci and gap, and makes a
 * table of where it is not, and by how much.
 */
#include "published/published_page.h"

bool una_preset_asked(una_judging *j, una_preset preset)
{
    const una_findings *f = j->findings;
    for (size_t i = 0; i < f->count; i++)
        if (una_published_is_thesis(&f->fits[i].key) == (preset == UNA_PRESET_THESIS)) return true;
    j->holds = UNA_NOT_ASKED;
    return false;
}

/* " (published: 3.18 against 3.11 ± 0.93)" */
static void put_printed(una_text *text, una_thesis_table table, const char *data)
{
    const una_thesis_column *columns = table <= UNA_THESIS_LOG_LIK ? una_thesis_sets : una_thesis_gaps;
    size_t column = una_thesis_find(columns, data);
    if (table == UNA_THESIS_TABLES || column == UNA_THESIS_COLUMNS) return;
    una_printed luna = una_thesis_printed(table, UNA_METHOD_LUNA, column, 0);
    una_printed nlm = una_thesis_printed(table, UNA_METHOD_NLM, column, 0);
    una_text_add(text, " (published: %s against %s \xC2\xB1 %s)", UNA_PLAIN(luna.mean, 2),
                 UNA_PLAIN(nlm.mean, 2), UNA_PLAIN(nlm.sd, 2));
}

/* The difference, what it must be within, and whether it is. */
typedef struct nearness { una_paired paired; double bar; int holds; } nearness;

static una_status take_nearness(nearness *n, const una_group *luna, const una_group *nlm,
                                size_t measure, una_run *run)
{
    n->bar = nlm->count > 1 ? una_group_sd(nlm, measure) : NAN;
    UNA_TRY(una_paired_groups(&n->paired, luna, nlm, measure, run));
    n->holds = isfinite(n->bar) ? una_paired_within(&n->paired, n->bar) : UNA_CANNOT_TELL;
    return UNA_OK;
}

una_status una_judge_near(una_judging *j)
{
    const una_published_rule *rule = (const una_published_rule *)j->claim->rule;
    const char *data = j->claim->data;
    const una_group *luna = una_method_group(j->findings, UNA_METHOD_LUNA, data, rule->preset);
    const una_group *nlm = una_method_group(j->findings, UNA_METHOD_NLM, data, rule->preset);
    nearness n;
    if (!una_preset_asked(j, rule->preset)) return UNA_OK;
    if (!luna || !nlm) {
        una_text_add(j->numbers, "needs luna and nlm on %s, %s", data, una_preset_titles[rule->preset]);
        return UNA_OK;
    }

    UNA_TRY(take_nearness(&n, luna, nlm, rule->rule.measure, j->run));
    una_text_add(j->numbers, "LUNA less NLM: ");
    una_paired_put(j->numbers, &n.paired);
    una_text_add(j->numbers, "; sd of NLM %s", UNA_BRIEF(n.bar, 2));
    if (n.paired.count && n.bar > 0)
        una_text_add(j->numbers, ", %s of it", UNA_BRIEF(n.paired.mean / n.bar, 2));
    put_printed(j->numbers, rule->printed, data);
    j->holds = n.holds;
    return UNA_OK;
}

/* ---- the table -------------------------------------------------------------------------------------------------- */

/* "0.1, 0.13 sd: within" */
static una_status near_cell(una_sheet *sheet, const una_show *show, size_t where, una_preset preset, size_t measure)
{
    const una_findings *f = show->findings;
    const una_group *luna = una_method_group(f, UNA_METHOD_LUNA, show->where[where], preset);
    const una_group *nlm = una_method_group(f, UNA_METHOD_NLM, show->where[where], preset);
    nearness n = { .bar = NAN };
    const char *place = "open";
    una_text words = una_text_in(sheet->arena);
    if (luna && nlm) UNA_TRY(take_nearness(&n, luna, nlm, measure, show->page->run));
    if (n.holds == UNA_HOLDS) place = "within";
    if (n.holds == UNA_DOES_NOT_HOLD) place = "beyond";
    if (n.paired.count == 0) una_text_add(&words, "\xE2\x80\x93");
    else una_text_add(&words, "%s, %s sd: %s", UNA_BRIEF(n.paired.mean, 2),
                      UNA_BRIEF(n.paired.mean / n.bar, 2), place);
    una_sheet_words(sheet, words.at);
    if (n.paired.count && n.holds == UNA_DOES_NOT_HOLD) una_sheet_strong(sheet);
    return UNA_OK;
}

una_status una_show_near(const una_show *show, const una_block *blocks)
{
    size_t luna = una_show_who(show, UNA_METHOD_LUNA), nlm = una_show_who(show, UNA_METHOD_NLM);
    if (luna == show->who_count || nlm == show->who_count) return UNA_OK;
    una_sheet sheet = una_show_sheet(show, "near", "LUNA against NLM: where not within one sd, and by how much.",
                                     una_show_caption(show, "LUNA less NLM, mean over the splits, and the same in "
                                     "standard deviations of NLM\xE2\x80\x99s over the splits. Within, beyond "
                                     "(bold): all of the 95 % interval of the mean paired difference is; open: "
                                     "neither.", UNA_PRESET_BOTH), "score", UNA_SHEET_WORDS);
    for (int p = UNA_PRESET_THESIS; p >= UNA_PRESET_AUTOMATIC; p--) {
        if (!una_show_ran(show, luna, (una_preset)p)) continue;
        una_sheet_group(&sheet, una_preset_titles[p]);
        for (const una_block *b = blocks; b->title; b++) {
            una_sheet_begin(&sheet, b->title);
            for (size_t w = 0; w < show->shown; w++)
                UNA_TRY(near_cell(&sheet, show, w, (una_preset)p, b->measure));
        }
    }
    return una_show_put(show, &sheet, UNA_PRESET_BOTH);
}
