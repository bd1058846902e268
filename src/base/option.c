/* SPDX-License-Identifier: MIT
 *
 * Options: one table of rows gives defaults, checks, help, JSON and the text that can be passed back.
 */
#include "base/option.h"

#include <float.h>

#define LARGEST_COUNT 0x1p53     /* above, a double no longer holds every whole number */

static void *option_field(const void *options, const una_option *option)
{
    return (char *)options + option->offset;
}

/* ---- words ------------------------------------------------------------------------------------------- */

/* The choice with that number; NULL behind the last. */
static const char *choice_at(const char *choices, int index, size_t *length)
{
    for (; choices; index--) {
        const char *bar = strchr(choices, '|');
        *length = bar ? (size_t)(bar - choices) : strlen(choices);
        if (index == 0) return choices;
        choices = bar ? bar + 1 : NULL;
    }
    return NULL;
}

int una_choice(const char *choices, const char *word)
{
    size_t length, wanted = strlen(word);
    const char *choice;
    for (int i = 0; (choice = choice_at(choices, i, &length)); i++)
        if (length == wanted && memcmp(choice, word, length) == 0) return i;
    return -1;
}

/* The choice nearest to a wrong word, in `buffer`; NULL if none is near. */
static const char *nearest_choice(const char *choices, const char *word, char *buffer, size_t room)
{
    enum { MOST = 32 };
    const char *names[MOST];
    size_t count = 0, used = 0, length;
    const char *choice;
    while (count < MOST && (choice = choice_at(choices, (int)count, &length)) && used + length + 1 <= room) {
        names[count++] = memcpy(buffer + used, choice, length);
        buffer[used + length] = 0;
        used += length + 1;
    }
    return una_nearest(word, names, count);
}

/* ---- what a value may be, in words --------------------------------------------------------------------- */

static void number_range(char *out, size_t room, const una_option *option)
{
    char low[32], high[32];
    bool count = option->type == UNA_COUNT;
    double least = count && option->low < 0 ? 0 : option->low;
    bool open_below = least <= -DBL_MAX, open_above = option->high >= (count ? LARGEST_COUNT : DBL_MAX);
    bool positive = least > 0 && least <= DBL_MIN;
    una_number_text(low, least);
    una_number_text(high, option->high);

    if (open_below && open_above) snprintf(out, room, "any");
    else if (open_below) snprintf(out, room, "at most %s", high);
    else if (positive && open_above) snprintf(out, room, "above 0");
    else if (positive) snprintf(out, room, "above 0, at most %s", high);
    else if (open_above) snprintf(out, room, "at least %s", low);
    else snprintf(out, room, "%s to %s", low, high);

    size_t used = strlen(out);
    if (option->choices) used += (size_t)snprintf(out + used, room - used, ", inf");
    if (option->may_auto) snprintf(out + used, room - used, ", or auto");
}

static void range_text(char *out, size_t room, const una_option *option)
{
    if (option->type == UNA_REAL || option->type == UNA_COUNT) number_range(out, room, option);
    else if (option->type == UNA_WORD) snprintf(out, room, "%s", option->choices);
    else snprintf(out, room, "%s", option->type == UNA_FLAG ? "yes|no" : "any");
}

void una_option_describe(una_option_info *info, const una_option *option, una_arena *arena)
{
    static const char *const types[] = { [UNA_REAL] = "number", [UNA_COUNT] = "whole number", [UNA_WORD] = "word",
                                         [UNA_TEXT] = "text", [UNA_FLAG] = "yes or no", [UNA_FILE] = "file" };
    char range[512];
    range_text(range, sizeof range, option);
    *info = (una_option_info){ .size = sizeof *info, .name = option->name, .type = types[option->type],
                               .initial = option->initial ? option->initial : "", .help = option->help };
    info->range = una_arena_text(arena, range);
    if (!info->range) info->range = "";      /* the arena remembers the failure */
}

/* ---- setting ------------------------------------------------------------------------------------------- */

static una_status refuse_value(const una_option *option, const char *owner, const char *value, una_run *run)
{
    char range[512], words[512];
    range_text(range, sizeof range, option);
    const char *what = "one of";
    if (option->type == UNA_REAL) what = "a number,";
    else if (option->type == UNA_COUNT) what = "a whole number,";
    const char *near = option->type == UNA_WORD ? nearest_choice(option->choices, value, words, sizeof words) : NULL;
    UNA_FAIL(run, UNA_E_USAGE, "%s does not take %s=%.80s: %s is %s %s%s%s%s", owner, option->name, value,
             option->name, what, range, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static bool take_number(double *place, const una_option *option, const char *value)
{
    double number;
    if (option->may_auto && strcmp(value, "auto") == 0) number = UNA_AUTO;
    else if (option->choices && strcmp(value, "inf") == 0) number = HUGE_VAL;
    else if (!una_parse_number(value, strlen(value), &number) || !isfinite(number)) return false;
    else if (number < option->low || number > option->high) return false;
    else if (option->type == UNA_COUNT && !(number == floor(number) && number >= 0 && number <= LARGEST_COUNT))
        return false;
    *place = number;
    return true;
}

static bool take_choice(int *place, const una_option *option, const char *value)
{
    bool flag = option->type == UNA_FLAG;
    int index = una_choice(flag ? "no|yes|false|true|0|1" : option->choices, value);
    if (index < 0) return false;
    *place = flag ? index % 2 : index;
    return true;
}

static una_status check_file_option(const una_option *option, const char *owner, const char *value, una_run *run)
{
    const una_run *strict = *value ? run : NULL;
    while (strict && !strict->no_files) strict = strict->parent;
    if (!strict) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s: the option %s names the file %.200s, which is not opened: options that a model "
             "or a study keeps may come from another person. Where the file is wanted, fit again and name it "
             "yourself: una fit --set %s=...", owner, option->name, value, option->name);
}

/* arena NULL: the text lives long enough as it is. */
static una_status set_field(void *place, const una_option *option, const char *owner, const char *value,
                            una_arena *arena, una_run *run)
{
    bool words = option->type == UNA_WORD || option->type == UNA_FLAG;
    if (option->type == UNA_FILE) UNA_TRY(check_file_option(option, owner, value, run));
    if (option->type != UNA_FILE && option->type != UNA_TEXT) {
        bool good = words ? take_choice(place, option, value) : take_number(place, option, value);
        return good ? UNA_OK : refuse_value(option, owner, value, run);
    }
    const char *text = arena ? una_arena_text(arena, value) : value;
    if (!text) return UNA_E_MEMORY;
    memcpy(place, &text, sizeof text);
    return UNA_OK;
}

una_status una_options_default(void *options, const una_option *table, una_run *run)
{
    for (const una_option *option = table; option->name; option++) {
        const char *initial = option->initial ? option->initial : "";
        UNA_TRY(set_field(option_field(options, option), option, "the table of defaults", initial, NULL, run));
    }
    return UNA_OK;
}

static const una_option *find_option(const una_option *table, const char *name)
{
    for (const una_option *o = table; o->name; o++)
        if (strcmp(o->name, name) == 0) return o;
    return NULL;
}

static una_status refuse_key(const una_option *table, const char *owner, const char *key, una_run *run)
{
    enum { MOST = 128 };
    const char *names[MOST];
    size_t count = 0;
    for (; count < MOST && table[count].name; count++) names[count] = table[count].name;
    const char *near = una_nearest(key, names, count);
    UNA_FAIL(run, UNA_E_USAGE, "%s has no option '%.80s'; %s%s%s`una models %s` lists them all", owner, key,
             near ? "did you mean '" : "", near ? near : "", near ? "'? " : "", owner);
}

una_status una_option_set(void *options, const una_option *table, const char *owner, const char *key,
                          const char *value, una_arena *arena, una_run *run)
{
    const una_option *option = find_option(table, key);
    if (!option) return refuse_key(table, owner, key, run);
    return set_field(option_field(options, option), option, owner, value, arena, run);
}

una_status una_options_apply(void *options, const una_option *table, const char *owner, const una_spec *spec,
                             una_arena *arena, una_run *run)
{
    for (size_t i = 0; i < spec->count; i++)
        UNA_TRY(una_option_set(options, table, owner, spec->items[i].key, spec->items[i].value, arena, run));
    return UNA_OK;
}

/* ---- printing ------------------------------------------------------------------------------------------ */

void una_spec_value(una_text *text, const char *value)
{
    bool plain = una_spec_is_plain(value);
    if (!plain) una_text_bytes(text, "\"", 1);
    for (; *value; value++) {
        if (!plain && (*value == '"' || *value == '\\')) una_text_bytes(text, "\\", 1);
        una_text_bytes(text, value, 1);
    }
    if (!plain) una_text_bytes(text, "\"", 1);
}

static void add_option_value(una_text *text, const void *options, const una_option *option, bool json)
{
    static const char *const flags[2][2] = { { "no", "yes" }, { "false", "true" } };
    const void *place = option_field(options, option);
    const char *words, *quote = json ? "\"" : "";
    size_t length = 0;

    switch (option->type) {
    case UNA_REAL:
    case UNA_COUNT:
        if (!isinf(*(const double *)place)) una_text_number(text, *(const double *)place);
        else una_text_add(text, "%s%s%s", quote, UNA_IS_AUTO(*(const double *)place) ? "auto" : "inf", quote);
        return;
    case UNA_TEXT:
    case UNA_FILE:
        words = *(const char *const *)place;
        if (json) una_text_json(text, words ? words : "");
        else una_spec_value(text, words ? words : "");
        return;
    case UNA_FLAG: una_text_add(text, "%s", flags[json][*(const int *)place != 0]); return;
    case UNA_WORD:
        words = choice_at(option->choices, *(const int *)place, &length);
        una_text_add(text, "%s%.*s%s", quote, words ? (int)length : 0, words ? words : "", quote);
    }
}

void una_options_text(una_text *text, const void *options, const una_option *table, const char *owner)
{
    bool bare = !owner || !*owner;
    if (!bare) una_text_add(text, "%s", owner);
    if (!table->name) return;
    if (!bare) una_text_add(text, "(");
    for (const una_option *option = table; option->name; option++) {
        una_text_add(text, "%s%s=", option == table ? "" : ", ", option->name);
        add_option_value(text, options, option, false);
    }
    if (!bare) una_text_add(text, ")");
}

void una_options_json(una_text *text, const void *options, const una_option *table)
{
    una_text_add(text, "{");
    for (const una_option *option = table; option->name; option++) {
        una_text_add(text, "%s\"%s\":", option == table ? "" : ",", option->name);
        add_option_value(text, options, option, true);
    }
    una_text_add(text, "}");
}

double *una_option_number(void *options, const una_option *table, const char *name)
{
    const una_option *o = find_option(table, name);
    return o && (o->type == UNA_REAL || o->type == UNA_COUNT) ? option_field(options, o) : NULL;
}

int *una_option_word(void *options, const una_option *table, const char *name)
{
    const una_option *o = find_option(table, name);
    return o && (o->type == UNA_WORD || o->type == UNA_FLAG) ? option_field(options, o) : NULL;
}
