/* SPDX-License-Identifier: MIT
 *
 * "penalty=1e-5:1e-1:log5, width=25|50|100": read, counted, drawn from, and made into specs.
 */
#include "sweep/over.h"

#include "sweep/key.h"

#include <inttypes.h>
#include <string.h>

/* ---- reading ------------------------------------------------------------------------------------------------- */

typedef struct piece { const char *at; size_t length; } piece;

/* Cuts at `mark` outside of brackets and quotes; blanks around the pieces go. piece [most]; returns how many there are,
 * which may be more. */
static size_t cut(piece *pieces, size_t most, const char *text, char mark)
{
    size_t count = 0, depth = 0;
    bool quoted = false;
    const char *from = text;
    for (const char *at = text;; at++) {
        if (quoted && *at == '\\' && at[1]) at++;
        else if (*at == '"') quoted = !quoted;
        else if (!quoted && (*at == '(' || *at == '[')) depth++;
        else if (!quoted && (*at == ')' || *at == ']') && depth > 0) depth--;
        if (*at && (*at != mark || quoted || depth > 0)) continue;

        const char *end = at;
        while (from < end && *from == ' ') from++;
        while (end > from && end[-1] == ' ') end--;
        if (count < most) pieces[count] = (piece){ from, (size_t)(end - from) };
        count++;
        if (!*at) return count;
        from = at + 1;
    }
}

static double rounded(double value, int digits)
{
    if (value == 0 || !isfinite(value)) return value;
    double unit = pow(10, digits - 1 - floor(log10(fabs(value))));
    return isfinite(unit) && unit > 0 ? round(value * unit) / unit : value;
}

static const char *number_text(double value, una_arena *arena)
{
    char text[32];
    return una_arena_text(arena, una_number_text(text, value));
}

/* "log5", "5", "log": whether it is one of these. */
static bool read_spacing(const piece *p, bool *log, size_t *count)
{
    const char *at = p->at, *end = p->at + p->length;
    *log = p->length >= 3 && strncmp(at, "log", 3) == 0;
    if (*log) at += 3;
    *count = 0;
    if (at == end) return *log;
    if (end - at > 6) return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return false;
        *count = 10 * *count + (size_t)(*at - '0');
    }
    return *count >= 1;
}

/* Values evenly spaced over the range; whole ones each once. */
static una_status space_out(una_axis *axis, size_t count, una_arena *arena, una_run *run)
{
    const char **value = UNA_GET(arena, const char *, count);
    double last = -HUGE_VAL;
    if (count < 2)
        UNA_FAIL(run, UNA_E_USAGE, "%s: a range is spaced by two values or more; write one value alone as %s=...",
                 axis->text, axis->key);
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < count; i++) {
        double share = (double)i / (double)(count - 1);
        double number = axis->log ? exp((1 - share) * log(axis->low) + share * log(axis->high))
                                  : (1 - share) * axis->low + share * axis->high;
        number = i == 0 ? axis->low : i + 1 == count ? axis->high : axis->whole ? round(number) : rounded(number, 6);
        if (!(number > last)) continue;
        last = number;
        value[axis->count++] = number_text(number, arena);
    }
    axis->value = value;
    axis->rising = true;
    return una_arena_check(arena);
}

static una_status read_range(una_axis *axis, const piece *part, size_t count, una_arena *arena, una_run *run)
{
    size_t values = 0;
    if (count > 3 || !una_parse_number(part[1].at, part[1].length, &axis->high) ||
        (count == 3 && !read_spacing(&part[2], &axis->log, &values)))
        UNA_FAIL(run, UNA_E_USAGE, "%s: a range is written low:high:5 for five values, low:high:log5 for five by their "
                 "logarithm, low:high or low:high:log for any number between", axis->text);
    if (!isfinite(axis->low) || !isfinite(axis->high) || !(axis->low < axis->high))
        UNA_FAIL(run, UNA_E_USAGE, "%s: the range must begin with the smaller number, and have an end", axis->text);
    if (axis->log && !(axis->low > 0))
        UNA_FAIL(run, UNA_E_USAGE, "%s: a logarithm is there for numbers above 0; begin the range with a small one, or "
                 "leave 'log' out", axis->text);
    if (axis->whole && (axis->low != floor(axis->low) || axis->high != floor(axis->high)))
        UNA_FAIL(run, UNA_E_USAGE, "%s: %s is a whole number, so both ends must be", axis->text, axis->key);
    bool spaced = count == 3 && (values > 0 || !axis->log);
    if (spaced && values > UNA_MOST_FITS)
        UNA_FAIL(run, UNA_E_USAGE, "%s: %zu values are too many; the most is %d", axis->text, values, UNA_MOST_FITS);
    return spaced ? space_out(axis, values, arena, run) : UNA_OK;
}

/* A value as the grammar of specs reads it: quotes go. */
static una_status read_value(const char **value, const una_axis *axis, const piece *p, una_arena *arena, una_run *run)
{
    una_spec one;
    una_text item = una_text_in(arena);
    if (p->length == 0)
        UNA_FAIL(run, UNA_E_USAGE, "%s: a value is missing beside a '|' (write \"\" for an empty text)", axis->text);
    una_text_add(&item, "%s=", axis->key);
    una_text_bytes(&item, p->at, p->length);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_spec_parse_items(&one, item.at, arena, run));
    *value = one.items[0].value;
    return UNA_OK;
}

static una_status read_list(una_axis *axis, const char *text, size_t count, una_arena *arena, una_run *run)
{
    const char **value = UNA_GET(arena, const char *, count);
    piece *part = UNA_GET(arena, piece, count);
    double last = -HUGE_VAL;
    UNA_TRY(una_arena_check(arena));
    cut(part, count, text, '|');
    axis->rising = true;
    for (size_t i = 0; i < count; i++) {
        double number;
        UNA_TRY(read_value(&value[i], axis, &part[i], arena, run));
        for (size_t k = 0; k < i; k++)
            if (strcmp(value[i], value[k]) == 0)
                UNA_FAIL(run, UNA_E_USAGE, "%s: the value %.80s stands there twice", axis->text, value[i]);
        axis->rising = axis->rising && una_parse_number(value[i], strlen(value[i]), &number) && number > last;
        if (axis->rising) last = number;
    }
    axis->value = value;
    axis->count = count;
    return UNA_OK;
}

/* Whether the option holds numbers, and whether whole ones. Unknown options are found by the check of a spec. */
static una_status look_up(bool *is_number, bool *whole, const char *kind, const char *key, una_run *run)
{
    size_t k = 0;
    *is_number = *whole = false;
    while (k < una_kind_count() && strcmp(una_kind_name(k), kind) != 0) k++;
    for (size_t o = 0; k < una_kind_count() && o < una_kind_option_count(k); o++) {
        una_option_info info = UNA_INIT(una_option_info);
        UNA_TRY(una_kind_option(&info, k, o, run));
        if (strcmp(info.name, key) != 0) continue;
        *whole = strcmp(info.type, "whole number") == 0;
        *is_number = *whole || strcmp(info.type, "number") == 0;
    }
    return UNA_OK;
}

static una_status read_axis(una_axis *axis, const una_spec_item *item, const char *kind, una_arena *arena, una_run *run)
{
    enum { PARTS = 4 };
    piece part[PARTS];
    bool is_number;
    una_text text = una_text_in(arena);
    una_text_add(&text, "%s=%.200s", item->key, item->value);
    UNA_TRY(una_arena_check(arena));
    *axis = (una_axis){ .key = item->key, .text = text.at };
    UNA_TRY(look_up(&is_number, &axis->whole, kind, item->key, run));

    size_t values = cut(part, 0, item->value, '|'), parts = cut(part, PARTS, item->value, ':');
    bool range = values == 1 && parts > 1 && (is_number || una_parse_number(part[0].at, part[0].length, &axis->low));
    if (!range) return read_list(axis, item->value, values, arena, run);
    if (!una_parse_number(part[0].at, part[0].length, &axis->low)) axis->low = NAN;      /* told with the range */
    return read_range(axis, part, parts, arena, run);
}

/* ---- checks -------------------------------------------------------------------------------------------------- */

static una_status check_value(const una_over *over, size_t axis, const char *value, una_arena *arena, una_run *run)
{
    const char *spec, **values = UNA_GET(arena, const char *, over->count);
    char why[sizeof run->message];
    UNA_TRY(una_arena_check(arena));
    values[axis] = value;                        /* the others stay as the model has them */
    una_status status = una_over_spec(&spec, NULL, over, values, arena, run);
    if (status != UNA_E_USAGE) return status;
    memcpy(why, run->message, sizeof why);
    UNA_FAIL(run, status, "%.250s: %.700s", over->axis[axis].text, why);
}

static una_status check_axis(const una_over *over, size_t axis, una_run *run)
{
    const una_axis *a = &over->axis[axis];
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = UNA_OK;
    for (size_t i = 0; status == UNA_OK && i < a->count; i++)
        status = check_value(over, axis, a->value[i], &run->scratch, run);
    for (int end = 0; status == UNA_OK && !a->value && end < 2; end++)
        status = check_value(over, axis, number_text(end ? a->high : a->low, &run->scratch), &run->scratch, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_over_parse(una_over *over, const char *text, const char *model, una_arena *arena, una_run *run)
{
    una_spec items;
    *over = (una_over){ .count = 0 };
    UNA_TRY(una_spec_check(model, NULL, run));
    UNA_TRY(una_spec_parse(&over->model, model, arena, run));
    UNA_TRY(una_spec_parse_items(&items, text, arena, run));
    if (items.count == 0)
        UNA_FAIL(run, UNA_E_USAGE, "there is nothing to search over; name options and their values, for instance "
                 "width=25|50|100, penalty=1e-5:1e-1:log5");

    over->axis = UNA_GET(arena, una_axis, items.count);
    UNA_TRY(una_arena_check(arena));
    for (; over->count < items.count; over->count++)
        UNA_TRY(read_axis(&over->axis[over->count], &items.items[over->count], over->model.name, arena, run));
    for (size_t a = 0; a < over->count; a++) UNA_TRY(check_axis(over, a, run));
    return UNA_OK;
}

/* ---- combinations -------------------------------------------------------------------------------------------- */

uint64_t una_over_combinations(const una_over *over)
{
    const uint64_t most = (uint64_t)1 << 63;
    uint64_t count = 1;
    for (size_t a = 0; a < over->count; a++) {
        if (!over->axis[a].value) return 0;
        count = count > most / over->axis[a].count ? most : count * over->axis[a].count;
    }
    return count;
}

una_status una_over_check_grid(const una_over *over, una_run *run)
{
    for (size_t a = 0; a < over->count; a++)
        if (!over->axis[a].value)
            UNA_FAIL(run, UNA_E_USAGE, "%s: a grid needs to know how many values; write %s%s5, or search by random or "
                     "bayes", over->axis[a].text, over->axis[a].text, over->axis[a].log ? "" : ":");
    uint64_t count = una_over_combinations(over);
    if (count <= UNA_MOST_FITS) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "the grid has %" PRIu64 "%s combinations, and the most is %d; name fewer values, or "
             "search by random or bayes", count, count >> 63 ? " or more" : "", UNA_MOST_FITS);
}

void una_over_at(const char **value, const una_over *over, uint64_t combination)
{
    for (size_t a = over->count; a-- > 0;) {
        value[a] = over->axis[a].value[combination % over->axis[a].count];
        combination /= over->axis[a].count;
    }
}

const char *una_axis_text(const una_axis *axis, double number, una_arena *arena)
{
    number = axis->whole ? round(number) : rounded(number, 4);
    return number_text(fmin(fmax(number, axis->low), axis->high), arena);
}

void una_over_draw(const char **value, const una_over *over, una_rng *rng, una_arena *arena)
{
    for (size_t a = 0; a < over->count; a++) {
        const una_axis *axis = &over->axis[a];
        if (axis->value) {
            value[a] = axis->value[una_rng_below(rng, axis->count)];
            continue;
        }
        double u = una_rng_uniform(rng), slack = axis->whole ? 0.5 : 0;      /* whole ones equally often */
        double low = axis->low - (axis->log ? 0 : slack), high = axis->high + (axis->log ? 0 : slack);
        double number = axis->log ? exp((1 - u) * log(low) + u * log(high)) : (1 - u) * low + u * high;
        value[a] = una_axis_text(axis, number, arena);
    }
}

/* ---- specs --------------------------------------------------------------------------------------------------- */

static const char *value_of(const una_over *over, const char *const *value, const char *key)
{
    for (size_t a = 0; a < over->count; a++)
        if (strcmp(over->axis[a].key, key) == 0) return value[a];
    return NULL;
}

static void add_item(una_text *text, const char *key, const char *value, bool *first)
{
    una_text_add(text, "%s%s=", *first ? "(" : ", ", key);
    una_spec_value(text, value);
    *first = false;
}

una_status una_over_spec(const char **spec, unsigned *results, const una_over *over, const char *const *value,
                         una_arena *arena, una_run *run)
{
    una_text text = una_text_in(arena);
    unsigned ignored;
    bool first = true;
    una_text_add(&text, "%s", over->model.name);
    for (size_t i = 0; i < over->model.count; i++) {
        const una_spec_item *item = &over->model.items[i];
        if (!value_of(over, value, item->key)) add_item(&text, item->key, item->value, &first);
    }
    for (size_t a = 0; a < over->count; a++)
        if (value[a]) add_item(&text, over->axis[a].key, value[a], &first);
    if (!first) una_text_add(&text, ")");
    UNA_TRY(una_arena_check(arena));
    return una_row_key_spec(spec, NULL, results ? results : &ignored, text.at, arena, run);
}
