/* SPDX-License-Identifier: MIT
 *
 * Tables of uci and gap: models and data sets in the thesis's order, and the thesis's numbers in the cells.
 */
#include "published/published_page.h"

#include "published/protocol.h"
#include "draw/number.h"

const char *const una_preset_titles[2] = { [UNA_PRESET_AUTOMATIC] = "automatic",
                                           [UNA_PRESET_THESIS] = "the thesis\xE2\x80\x99s protocol" };

static una_preset preset_of(const una_row_key *key)
{
    return una_published_is_thesis(key) ? UNA_PRESET_THESIS : UNA_PRESET_AUTOMATIC;
}

const una_group *una_method_group(const una_findings *f, size_t method, const char *data, una_preset preset)
{
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        const una_row_key *key = una_group_key(g);
        bool here = una_is_item(key->data, una_row_key_data(key->data), data);
        if (here && preset_of(key) == preset && una_method_of(key->spec) == method) return g;
    }
    return NULL;
}

/* ---- who and where -------------------------------------------------------------------------------------------- */

/* Its method, or its kind, where no other spec of that method or kind was run by the same protocol; else the spec. */
static const char *published_title(const una_findings *f, size_t group)
{
    const una_row_key *key = una_group_key(&f->groups[group]);
    size_t method = una_method_of(key->spec);
    for (size_t g = 0; g < f->group_count; g++) {
        const una_row_key *other = una_group_key(&f->groups[g]);
        bool same_kind = method < UNA_METHODS ? una_method_of(other->spec) == method :
                     una_method_of(other->spec) == UNA_METHODS &&
                     strcmp(f->groups[g].model, f->groups[group].model) == 0;
        if (same_kind && preset_of(other) == preset_of(key) && strcmp(other->spec, key->spec) != 0)
            return key->spec;
    }
    return method < UNA_METHODS ? una_methods[method].title : f->groups[group].model;
}

/* The place of a text in a list, at whose end it is added if it is new. */
static size_t place_in(const char **list, size_t *count, const char *text)
{
    size_t at = 0;
    while (at < *count && strcmp(list[at], text) != 0) at++;
    if (at == *count) list[(*count)++] = text;
    return at;
}

static void position_groups(una_show *show)
{
    const una_findings *f = show->findings;
    for (size_t method = 0; method <= UNA_METHODS; method++)
        for (size_t g = 0; g < f->group_count; g++) {
            if (una_method_of(una_group_key(&f->groups[g])->spec) != method) continue;
            show->positions[g].who = place_in(show->who, &show->who_count, published_title(f, g));
            show->methods[show->positions[g].who] = method;
            show->positions[g].preset = preset_of(una_group_key(&f->groups[g]));
            show->has[show->positions[g].preset] = true;
        }
}

static void position_data(una_show *show)
{
    const una_findings *f = show->findings;
    for (size_t column = 0; column <= UNA_THESIS_COLUMNS; column++) {
        for (size_t g = 0; g < f->group_count; g++) {
            const char *data = una_group_key(&f->groups[g])->data;
            if (una_thesis_find(show->columns, data) != column) continue;
            const char *name = una_phrase(show->arena, "%.*s", (int)una_row_key_data(data), data);
            if (show->arena->failed) return;
            show->positions[g].where = place_in(show->where, &show->where_count, name);
        }
        if (column < UNA_THESIS_COLUMNS) show->known = show->where_count;
    }
}

una_status una_show_of(una_show *show, una_page *page, const una_thesis_column *columns)
{
    una_arena *arena = page->arena;
    size_t groups = page->findings->group_count;
    *show = (una_show){ .findings = page->findings, .arena = arena, .columns = columns, .page = page };
    UNA_NEW_AT(arena, show->positions, groups);
    UNA_NEW_AT(arena, show->who, groups);
    UNA_NEW_AT(arena, show->where, groups);
    UNA_NEW_AT(arena, show->methods, groups);
    position_groups(show);
    position_data(show);
    show->shown = columns == una_thesis_gaps ? show->known : show->where_count;
    return una_arena_check(arena);
}

const una_group *una_show_group(const una_show *show, size_t who, size_t where, una_preset preset)
{
    for (size_t g = 0; g < show->findings->group_count; g++) {
        const una_show_position *position = &show->positions[g];
        if (position->who == who && position->where == where && position->preset == preset)
            return &show->findings->groups[g];
    }
    return NULL;
}

bool una_show_ran(const una_show *show, size_t who, una_preset preset)
{
    for (size_t w = 0; w < show->shown; w++)
        if (una_show_group(show, who, w, preset)) return true;
    return false;
}

size_t una_show_who(const una_show *show, size_t method)
{
    size_t at = 0;
    while (at < show->who_count && show->methods[at] != method) at++;
    return at;
}

const char *una_show_column(const una_show *show, size_t where)
{
    size_t column = una_thesis_find(show->columns, show->where[where]);
    return column < UNA_THESIS_COLUMNS ? show->columns[column].title : show->where[where];
}

una_printed una_show_mean(const una_group *group, size_t measure)
{
    if (!group || measure == UNA_ALONE) return (una_printed){ NAN, NAN };
    return (una_printed){ una_group_mean(group, measure), group->count > 1 ? una_group_sd(group, measure) : NAN };
}

/* ---- captions --------------------------------------------------------------------------------------------------- */

/* "5", or "1 to 5" */
static void put_counts(una_text *text, const una_show *show, una_preset preset)
{
    size_t least = SIZE_MAX, most = 0;
    for (size_t g = 0; g < show->findings->group_count; g++) {
        size_t count = show->findings->groups[g].count;
        if (show->positions[g].preset != preset || show->positions[g].where >= show->shown) continue;
        least = count < least ? count : least;
        most = count > most ? count : most;
    }
    if (least < most) una_text_add(text, "%zu to ", least);
    una_text_add(text, "%zu", most);
}

const char *una_show_caption(const una_show *show, const char *words, una_preset preset)
{
    bool automatic = preset != UNA_PRESET_THESIS && show->has[UNA_PRESET_AUTOMATIC];
    bool thesis = preset != UNA_PRESET_AUTOMATIC && show->has[UNA_PRESET_THESIS];
    una_text text = una_text_in(show->arena);
    una_text_add(&text, "%s Splits: ", words);
    if (thesis) put_counts(&text, show, UNA_PRESET_THESIS);
    if (thesis && automatic) una_text_add(&text, " under the thesis\xE2\x80\x99s protocol, ");
    if (automatic) put_counts(&text, show, UNA_PRESET_AUTOMATIC);
    if (thesis && automatic) una_text_add(&text, " automatic");
    una_text_add(&text, ".");
    return text.at ? text.at : words;
}

/* ---- what was done with less ------------------------------------------------------------------------------------- */

/* "gap(preset=thesis, steps=200)": 200; 0: as in the protocol. */
static unsigned long steps_of(const una_show *show)
{
    for (size_t g = 0; g < show->findings->group_count; g++) {
        const char *steps = strstr(una_group_key(&show->findings->groups[g])->study, "steps=");
        if (show->positions[g].preset == UNA_PRESET_THESIS && steps) return strtoul(steps + strlen("steps="), NULL, 10);
    }
    return 0;
}

static const char *reduced_caption(const una_show *show)
{
    una_text text = una_text_in(show->arena);
    una_text_add(&text, "%s", una_protocol_reduced);
    if (steps_of(show)) una_text_add(&text, " And less than that here: no training has more than %lu steps.",
                                     steps_of(show));
    return text.at;
}

void una_show_reduced(const una_show *show)
{
    const char *words = reduced_caption(show);
    if (show->has[UNA_PRESET_THESIS] && words) una_page_box(show->page, "Less than in the thesis", words);
}

una_status una_show_put(const una_show *show, const una_sheet *sheet, una_preset preset)
{
    if (preset == UNA_PRESET_AUTOMATIC || !show->has[UNA_PRESET_THESIS]) return una_page_sheet(show->page, sheet);
    return una_page_sheet_noted(show->page, sheet, reduced_caption(show),
                                "What was done with less than in the thesis stands at the top.");
}

/* ---- cells ------------------------------------------------------------------------------------------------------ */

/* "1.16 ± 0.42 / 0.57 ± 0.1"; b NULL: one number. */
static void say_numbers(una_text *text, una_printed a, const una_printed *b, int decimals)
{
    una_text_add(text, "%s", UNA_IN_PLACES(a.mean, decimals));
    if (isfinite(a.mean) && isfinite(a.sd))
        una_text_add(text, "\xC2\xB1%s", UNA_IN_PLACES(a.sd, decimals < -1 ? decimals + 1 : decimals));
    if (!b) return;
    una_text_add(text, UNA_THIN_SPACE "/ ");           /* cells break behind it */
    say_numbers(text, *b, NULL, decimals);
}

/* inside NULL: one number. */
static void add_cell(una_sheet *sheet, una_printed outside, const una_printed *inside, int decimals)
{
    una_text words = una_text_in(sheet->arena);
    if (!inside) {
        una_sheet_spread(sheet, outside.mean, outside.sd, decimals);
        return;
    }
    if (isnan(outside.mean) && isnan(inside->mean)) una_text_add(&words, "\xE2\x80\x93");
    else say_numbers(&words, outside, inside, decimals);
    una_sheet_words(sheet, words.at);
}

void una_show_interval(una_text *text, const char *low, const char *high)
{
    una_text_add(text, " (%s to %s)", low, high);
}

void una_show_difference(una_sheet *sheet, const una_paired *paired)
{
    una_text words = una_text_in(sheet->arena);
    if (paired->count == 0) {
        una_sheet_words(sheet, "\xE2\x80\x93");
        return;
    }
    una_text_add(&words, "%s", UNA_BRIEF(paired->mean, 2));
    if (paired->count > 1)
        una_show_interval(&words, UNA_BRIEF(paired->low, 2), UNA_BRIEF(paired->high, 2));
    if (isfinite(paired->p)) una_text_add(&words, ", p" UNA_THIN_SPACE "%s", UNA_BRIEF(paired->p, 2));
    una_sheet_words(sheet, words.at);
    if (paired->count > 1 && (paired->low > 0 || paired->high < 0)) una_sheet_strong(sheet);
}

/* ---- sheets ----------------------------------------------------------------------------------------------------- */

const char *una_show_name(const una_show *show, const char *what, una_preset preset)
{
    return una_phrase(show->arena, "%s-%s", what, preset == UNA_PRESET_THESIS ? "thesis" : "automatic");
}

una_sheet una_show_sheet(const una_show *show, const char *name, const char *lead, const char *caption,
                         const char *first, una_sheet_kind kind)
{
    una_sheet sheet = una_sheet_in(show->arena, name, lead, caption);
    una_sheet_column(&sheet, first, UNA_SHEET_WORDS);
    for (size_t w = 0; w < show->shown; w++) una_sheet_column(&sheet, una_show_column(show, w), kind);
    return sheet;
}

static void printed_line(una_sheet *sheet, const una_show *show, const una_thesis_comparison *t, size_t method)
{
    enum { DECIMALS = 2 };               /* of the thesis */
    bool any = false, parts = t->sources[0].inside != UNA_ALONE;
    for (size_t pass = 0; pass < 2; pass++) {
        if (pass == 1 && !any) return;
        if (pass == 1) una_sheet_begin(sheet, "published");
        for (size_t w = 0; w < show->shown; w++) {
            size_t column = una_thesis_find(show->columns, show->where[w]);
            una_printed outside = una_thesis_printed(t->printed, method, column, 0);
            una_printed inside = una_thesis_printed(t->printed, method, column, 1);
            any = any || isfinite(outside.mean);
            if (pass == 0) continue;
            add_cell(sheet, outside, parts ? &inside : NULL, DECIMALS);
            if (t->detection && una_thesis_detects(outside) == UNA_HOLDS) una_sheet_strong(sheet);
        }
    }
}

/* A method of the thesis has its line though all its numbers may be missing; of any other a measure may not exist. */
static bool method_has_line(const una_show *show, size_t who, const una_result_line *voice)
{
    bool any = show->methods[who] < UNA_METHODS;
    for (size_t w = 0; w < show->shown; w++)
        any |= isfinite(una_show_mean(una_show_group(show, who, w, voice->preset), voice->measure).mean);
    return any && una_show_ran(show, who, voice->preset);
}

static void source_line(una_sheet *sheet, const una_show *show, const una_thesis_comparison *t,
                        const una_result_line *source, size_t who)
{
    if (!method_has_line(show, who, source)) return;
    una_sheet_begin(sheet, source->label);
    for (size_t w = 0; w < show->shown; w++) {
        const una_group *group = una_show_group(show, who, w, source->preset);
        una_printed outside = una_show_mean(group, source->measure);
        una_printed inside = una_show_mean(group, source->inside);
        add_cell(sheet, outside, source->inside == UNA_ALONE ? NULL : &inside, t->decimals);
        if (t->detection && una_thesis_detects(outside) == UNA_HOLDS) una_sheet_strong(sheet);
    }
}

una_sheet una_show_comparison(const una_show *show, const una_thesis_comparison *t)
{
    una_sheet sheet = una_show_sheet(show, t->name, t->lead,
                                     una_show_caption(show, t->caption, UNA_PRESET_BOTH),
                                     "whose", t->sources[0].inside == UNA_ALONE ? UNA_SHEET_SPREAD : UNA_SHEET_WORDS);
    for (size_t who = 0; who < show->who_count; who++) {
        bool ran = false;
        for (const una_result_line *s = t->sources; s->label; s++) ran |= method_has_line(show, who, s);
        if (!ran) continue;
        una_sheet_group(&sheet, show->who[who]);
        if (t->printed < UNA_THESIS_TABLES) printed_line(&sheet, show, t, show->methods[who]);
        for (const una_result_line *s = t->sources; s->label; s++) source_line(&sheet, show, t, s, who);
    }
    return sheet;
}

una_status una_show_blocks(const una_show *show, const una_blocks *table, una_preset preset)
{
    const una_block *blocks = table->blocks;
    una_sheet sheet = una_show_sheet(show, una_show_name(show, table->name, preset), table->lead,
                                     una_show_caption(show, table->caption, preset), "model",
                                     blocks->inside == UNA_ALONE ? UNA_SHEET_SPREAD : UNA_SHEET_WORDS);
    for (const una_block *b = blocks; b->title; b++) {
        una_sheet_group(&sheet, b->title);
        for (size_t who = 0; who < show->who_count; who++) {
            if (!una_show_ran(show, who, preset)) continue;
            una_sheet_begin(&sheet, show->who[who]);
            for (size_t w = 0; w < show->shown; w++) {
                const una_group *group = una_show_group(show, who, w, preset);
                una_printed inside = una_show_mean(group, b->inside);
                add_cell(&sheet, una_show_mean(group, b->measure), b->inside == UNA_ALONE ? NULL : &inside,
                         b->decimals);
            }
        }
    }
    return una_show_put(show, &sheet, preset);
}

/* ---- paired tests ----------------------------------------------------------------------------------------------- */

/* Whether two were run on the same data. */
static bool have_met(const una_show *show, size_t one, size_t other, una_preset preset)
{
    for (size_t w = 0; w < show->shown; w++)
        if (una_show_group(show, one, w, preset) && una_show_group(show, other, w, preset)) return true;
    return false;
}

static una_status paired_line(una_sheet *sheet, const una_show *show, size_t luna, size_t other, size_t measure,
                              una_preset preset)
{
    una_sheet_begin(sheet, show->who[other]);
    for (size_t w = 0; w < show->shown; w++) {
        const una_group *a = una_show_group(show, luna, w, preset), *b = una_show_group(show, other, w, preset);
        una_paired paired = { .count = 0 };
        if (a && b) UNA_TRY(una_paired_groups(&paired, a, b, measure, show->page->run));
        una_show_difference(sheet, &paired);
    }
    return UNA_OK;
}

una_status una_show_paired(const una_show *show, const una_block *blocks, una_preset preset)
{
    size_t luna = una_show_who(show, UNA_METHOD_LUNA), others = 0;
    if (luna == show->who_count) return UNA_OK;
    const char *lead = una_phrase(show->arena, "LUNA less each other, split by split, %s.", una_preset_titles[preset]);
    una_sheet sheet = una_show_sheet(
        show, una_show_name(show, "paired", preset), lead,
        una_show_caption(
            show,
            "Mean of the paired differences with "
            "its 95 % interval, and p of Wilcoxon\u2019s signed ranks (two-sided; from five splits it cannot be below "
            "0.06). Bold: the interval leaves 0 out.",
            preset),
        "less", UNA_SHEET_WORDS);
    for (const una_block *b = blocks; b->title; b++) {
        una_sheet_group(&sheet, b->title);
        for (size_t who = 0; who < show->who_count; who++) {
            if (who == luna || !have_met(show, luna, who, preset)) continue;
            UNA_TRY(paired_line(&sheet, show, luna, who, b->measure, preset));
            others++;
        }
    }
    return others ? una_show_put(show, &sheet, preset) : UNA_OK;
}
