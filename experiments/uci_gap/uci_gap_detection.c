/* SPDX-License-Identifier: MIT
 *
 * Which models notice which gap, decided in three ways:
 *   increase   the thesis's: over the splits, the mean increase of the epistemic std is above its standard deviation
 *   AUROC      how often a row of the gap has a larger epistemic std than a test row outside; for sure above 1/2
 *   GP        log-likelihood inside the gap less that of the exact GP (automatic) on the same split: a model that is
 *             unsure everywhere passes the first two and fails this one
 * and the same of every column of every set, one line each.
 */
#include "published/published_page.h"

static const double chance = 0.5, well_above = 0.6;

/* ---- the two that have an interval ------------------------------------------------------------------------------ */

static double above_chance(const una_findings *f, size_t fit, const void *context)
{
    (void)context;
    return una_findings_value(f, fit, UNA_PUBLISHED_GAP_AUROC) - chance;
}

static const una_group *gp_at(const una_show *show, size_t where)
{
    return una_method_group(show->findings, UNA_METHOD_GP, show->where[where], UNA_PRESET_AUTOMATIC);
}

/* Of a group's AUROC less 1/2, or (inside) of its log-likelihood inside less the GP's; no pairs where a group is NULL. */
static una_status take_way(una_paired *paired, const una_show *show, const una_group *group, size_t where, bool inside)
{
    const una_group *gp = gp_at(show, where);
    *paired = (una_paired){ .count = 0 };
    if (!group || (inside && (!gp || group == gp))) return UNA_OK;
    return inside ? una_paired_groups(paired, group, gp, UNA_PUBLISHED_GAP_LOG_LIK, show->page->run)
                  : una_paired_each(paired, group, above_chance, NULL, show->page->run);
}

static void add_way(una_sheet *sheet, const una_paired *p, bool inside)
{
    una_text words = una_text_in(sheet->arena);
    int holds = una_paired_least(p, 0);
    double mean = inside ? p->mean : p->mean + chance, low = inside ? p->low : fmax(p->low + chance, 0),
           high = inside ? p->high : fmin(p->high + chance, 1);
    una_text_add(&words, "%s", UNA_PLAIN(p->count ? mean : NAN, 2));
    if (p->count > 1) una_show_interval(&words, UNA_PLAIN(low, 2), UNA_PLAIN(high, 2));
    if (inside && holds == UNA_HOLDS) una_text_add(&words, " better");
    if (inside && holds == UNA_DOES_NOT_HOLD) una_text_add(&words, " worse");
    una_sheet_words(sheet, words.at);
    if (holds == UNA_HOLDS) una_sheet_strong(sheet);
}

static una_status detail(const una_show *show, bool inside)
{
    static const char *const captions[] = {
        "How often a row of the gap has a larger epistemic std than a test row outside; 1/2 is chance. Mean over the "
        "splits with its 95 % interval; bold where all of it is above 1/2.",
        "Mean log-likelihood of the rows of the gap less that of the exact GP (automatic) on the same split, nats per "
        "row, with the 95 % interval of the mean over the splits. Whoever doubts everything notices every gap, and "
        "pays for it here. Better, worse: the interval leaves 0 out." };
    una_sheet sheet = una_show_sheet(show, inside ? "inside" : "auroc", inside ? "Log-likelihood in the gap, less the "
                                     "GP\xE2\x80\x99s." : "AUROC of ignorance, gap against other rows.",
                                     una_show_caption(show, captions[inside], UNA_PRESET_BOTH), "model",
                                     UNA_SHEET_WORDS);
    for (int p = UNA_PRESET_THESIS; p >= UNA_PRESET_AUTOMATIC; p--) {
        if (!show->has[p]) continue;
        una_sheet_group(&sheet, una_preset_titles[p]);
        for (size_t who = 0; who < show->who_count; who++) {
            if (!una_show_ran(show, who, (una_preset)p)) continue;
            una_sheet_begin(&sheet, show->who[who]);
            for (size_t w = 0; w < show->known; w++) {
                const una_group *group = una_show_group(show, who, w, (una_preset)p);
                una_paired paired;
                UNA_TRY(take_way(&paired, show, group, w, inside));
                add_way(&sheet, &paired, inside);
            }
        }
    }
    return una_show_put(show, &sheet, UNA_PRESET_BOTH);
}

/* ---- the three together ----------------------------------------------------------------------------------------- */

enum { INCREASE, AUROC, INSIDE, WAYS };
typedef struct tally { size_t asked, found; una_text names; } tally;

static void add_to(tally *t, int noticed, const char *title)
{
    if (noticed == UNA_CANNOT_TELL) return;
    t->asked++;
    if (noticed == UNA_HOLDS) una_text_add(&t->names, "%s%s", t->found++ ? ", " : "", title);
}

static void add_tally(una_sheet *sheet, const tally *t)
{
    una_text words = una_text_in(sheet->arena);
    if (t->asked == 0) una_text_add(&words, "\xE2\x80\x93");
    else una_text_add(&words, "%zu of %zu%s%s", t->found, t->asked, t->found ? ": " : "", t->found ? t->names.at : "");
    una_sheet_words(sheet, words.at);
}

static void printed_line(una_sheet *sheet, const una_show *show, size_t method)
{
    tally t = { .names = una_text_in(sheet->arena) };
    una_sheet_begin(sheet, una_methods[method].title);
    for (size_t w = 0; w < show->known; w++) {
        size_t column = una_thesis_find(show->columns, show->where[w]);
        add_to(&t, una_thesis_detects(una_thesis_printed(UNA_THESIS_GAP_INCREASE, method, column, 0)),
               una_show_column(show, w));
    }
    add_tally(sheet, &t);
    una_sheet_words(sheet, "\xE2\x80\x93");
    una_sheet_words(sheet, "\xE2\x80\x93");
}

static una_status our_line(una_sheet *sheet, const una_show *show, size_t who, una_preset preset)
{
    tally tallies[WAYS];
    for (size_t i = 0; i < WAYS; i++) tallies[i] = (tally){ .names = una_text_in(sheet->arena) };
    for (size_t w = 0; w < show->known; w++) {
        const una_group *group = una_show_group(show, who, w, preset);
        una_paired auroc, inside;
        if (!group) continue;
        UNA_TRY(take_way(&auroc, show, group, w, false));
        UNA_TRY(take_way(&inside, show, group, w, true));
        const char *title = una_show_column(show, w);
        add_to(&tallies[INCREASE], una_thesis_detects(una_show_mean(group, UNA_PUBLISHED_GAP_INCREASE)), title);
        if (auroc.count > 2) add_to(&tallies[AUROC], una_paired_least(&auroc, 0) == UNA_HOLDS, title);
        if (inside.count > 2) add_to(&tallies[INSIDE], una_paired_least(&inside, 0) != UNA_DOES_NOT_HOLD, title);
    }
    una_sheet_begin(sheet, show->who[who]);
    for (size_t i = 0; i < WAYS; i++) add_tally(sheet, &tallies[i]);
    return UNA_OK;
}

una_status una_gaps_detection(const una_show *show)
{
    una_sheet sheet = una_sheet_in(show->arena, "detection", "Who notices which gap.", una_show_caption(show,
        "Increase: the thesis\xE2\x80\x99s rule, a mean increase above its standard deviation; its own line of "
        "verdicts is computed from what it prints. AUROC: for sure above 1/2. Inside: log-likelihood in the gap not "
        "for sure below that of the exact GP (automatic) on the same splits. The last two need three splits.",
        UNA_PRESET_BOTH));
    una_sheet_columns(&sheet, (const una_sheet_head[]){ { "model", UNA_SHEET_WORDS }, { "increase", UNA_SHEET_WORDS },
        { "AUROC", UNA_SHEET_WORDS }, { "inside, against the GP", UNA_SHEET_WORDS }, { NULL, UNA_SHEET_EMPTY } });

    una_sheet_group(&sheet, "the thesis, as published");
    for (size_t method = 0; method < UNA_METHODS; method++)
        if (una_show_who(show, method) < show->who_count) printed_line(&sheet, show, method);
    for (int p = UNA_PRESET_THESIS; p >= UNA_PRESET_AUTOMATIC; p--) {
        if (!show->has[p]) continue;
        una_sheet_group(&sheet, una_preset_titles[p]);
        for (size_t who = 0; who < show->who_count; who++)
            if (una_show_ran(show, who, (una_preset)p))
                UNA_TRY(our_line(&sheet, show, who, (una_preset)p));
    }
    UNA_TRY(una_show_put(show, &sheet, UNA_PRESET_BOTH));
    UNA_TRY(detail(show, false));
    for (size_t w = 0; w < show->known; w++)
        if (gp_at(show, w)) return detail(show, true);
    return UNA_OK;
}

/* ---- every column of every set ---------------------------------------------------------------------------------- */

enum { MOST_SHOWN = 4 };
typedef struct crowd { size_t who[MOST_SHOWN], count; } crowd;

/* The columns that were run besides the thesis's. */
static crowd crowd_of(const una_show *show)
{
    crowd c = { .count = 0 };
    for (size_t who = 0; who < show->who_count && c.count < MOST_SHOWN; who++)
        for (size_t w = show->known; w < show->where_count; w++)
            if (una_show_group(show, who, w, UNA_PRESET_AUTOMATIC)) {
                c.who[c.count++] = who;
                break;
            }
    return c;
}

/* The mean over the splits, where the GP was run too. */
static double inside_gp(const una_show *show, const una_group *group, size_t where)
{
    const una_group *gp = gp_at(show, where);
    return group && gp && group != gp ? una_show_mean(group, UNA_PUBLISHED_GAP_LOG_LIK).mean -
                                        una_show_mean(gp, UNA_PUBLISHED_GAP_LOG_LIK).mean : NAN;
}

static void column_line(una_sheet *sheet, const una_show *show, const crowd *c, size_t where)
{
    const char *space = strchr(show->where[where], ' ');
    una_sheet_begin(sheet, space ? space + 1 : show->where[where]);
    for (size_t way = 0; way < WAYS; way++)
        for (size_t i = 0; i < c->count; i++) {
            const una_group *group = una_show_group(show, c->who[i], where, UNA_PRESET_AUTOMATIC);
            if (way == INCREASE)
                una_sheet_number(sheet, una_show_mean(group, UNA_PUBLISHED_GAP_INCREASE).mean, 0);
            else if (way == AUROC)
                una_sheet_number(sheet, una_show_mean(group, UNA_PUBLISHED_GAP_AUROC).mean, 2);
            else if (show->methods[c->who[i]] != UNA_METHOD_GP)
                una_sheet_number(sheet, inside_gp(show, group, where), 2);
        }
}

static void columns_head(una_sheet *sheet, const una_show *show, const crowd *c)
{
    static const char *const words[WAYS] = { "%", "AUROC", "inside" };
    una_sheet_column(sheet, "column", UNA_SHEET_WORDS);
    for (size_t way = 0; way < WAYS; way++)
        for (size_t i = 0; i < c->count; i++) {
            if (way == INSIDE && show->methods[c->who[i]] == UNA_METHOD_GP) continue;        /* the baseline itself */
            una_sheet_column(sheet, una_phrase(sheet->arena, "%s %s", show->who[c->who[i]], words[way]),
                             UNA_SHEET_NUMBER);
        }
}

/* "boston" */
static const char *set_of(const una_show *show, size_t where)
{
    const char *name = una_phrase(show->arena, "%.*s", (int)strcspn(show->where[where], " "), show->where[where]);
    return name ? name : "";
}

static una_status every_column(const una_show *show, const crowd *c)
{
    una_sheet sheet = una_sheet_in(show->arena, "columns", "Every column of every set.", una_show_caption(show, "A gap "
        "in the middle third of each input, one after the other. %: increase of the mean epistemic std in the gap. "
        "AUROC: of the epistemic std, gap against test rows outside. Inside: log-likelihood in the gap less that of "
        "the GP, nats per row. Means over the splits.", UNA_PRESET_AUTOMATIC));
    UNA_NEW(show->arena, bool, done, show->where_count);
    columns_head(&sheet, show, c);
    for (size_t first = 0; first < show->where_count; first++) {
        if (done[first]) continue;
        const char *set = set_of(show, first);
        una_sheet_group(&sheet, set);
        for (size_t w = first; w < show->where_count; w++) {
            if (done[w] || strcmp(set_of(show, w), set) != 0) continue;
            column_line(&sheet, show, c, w);
            done[w] = true;
        }
    }
    return una_page_sheet(show->page, &sheet);
}

static una_status summary_line(una_sheet *sheet, const una_show *show, size_t who)
{
    size_t columns = 0, noticed = 0, wider = 0, pairs = 0, better = 0;
    una_paired paired;
    UNA_NEW(show->arena, double, inside, show->where_count);
    for (size_t w = 0; w < show->where_count; w++) {
        const una_group *group = una_show_group(show, who, w, UNA_PRESET_AUTOMATIC);
        if (!group) continue;
        columns++;
        noticed += una_show_mean(group, UNA_PUBLISHED_GAP_AUROC).mean > well_above;
        wider += una_show_mean(group, UNA_PUBLISHED_GAP_INCREASE).mean > 0;
        double less = inside_gp(show, group, w);
        if (!isfinite(less)) continue;
        better += less > 0;
        inside[pairs++] = less;
    }
    UNA_TRY(una_paired_of(&paired, inside, pairs, show->page->run));
    una_sheet_begin(sheet, show->who[who]);
    una_sheet_number(sheet, (double)columns, 0);
    una_sheet_number(sheet, (double)wider, 0);
    una_sheet_number(sheet, (double)noticed, 0);
    una_sheet_number(sheet, pairs ? (double)better : NAN, 0);
    una_show_difference(sheet, &paired);
    return UNA_OK;
}

una_status una_gaps_extended(const una_show *show)
{
    crowd c = crowd_of(show);
    if (c.count == 0) return UNA_OK;
    una_sheet sheet = una_sheet_in(show->arena, "columns-summary", "All columns together.", una_show_caption(show,
        "Of how many columns: the epistemic std is larger in the gap; its AUROC is above 0.6; the log-likelihood in "
        "the gap is above the GP\xE2\x80\x99s. Last: mean over the columns of that difference, with its 95 % interval "
        "and p of Wilcoxon\xE2\x80\x99s signed ranks over the columns.", UNA_PRESET_AUTOMATIC));
    una_sheet_columns(&sheet, (const una_sheet_head[]){ { "model", UNA_SHEET_WORDS }, { "columns", UNA_SHEET_NUMBER },
        { "wider", UNA_SHEET_NUMBER }, { "AUROC > 0.6", UNA_SHEET_NUMBER }, { "above the GP", UNA_SHEET_NUMBER },
        { "log-lik inside less the GP\xE2\x80\x99s", UNA_SHEET_WORDS }, { NULL, UNA_SHEET_EMPTY } });
    for (size_t i = 0; i < c.count; i++) UNA_TRY(summary_line(&sheet, show, c.who[i]));
    una_page_heading(show->page, 2, "All columns of all sets");
    UNA_TRY(una_page_sheet(show->page, &sheet));
    return every_column(show, &c);
}
