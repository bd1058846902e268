/* SPDX-License-Identifier: MIT
 *
 * Option spaces such as "penalty=1e-5:1e-1:log5, width=25|50|100": parsing, counting, drawing, and making specs.
 */
#include "select/option_space.h"

#include "store/key.h"

#include <inttypes.h>

/* ---- reading ------------------------------------------------------------------------------------------------- */

typedef struct piece { const char *at; size_t length; } piece;

/* Splits at `mark` outside brackets and quotes, and strips blanks. piece [most]; returns the number of pieces, which
 * may be larger. */
static size_t cut_pieces(piece *pieces, size_t most, const char *text, char mark)
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

static double round_to_digits(double value, int digits)
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

/* Reads "log5", "5" or "log"; false: it is something else. */
static bool read_spacing(const piece *p, bool *log, size_t *count)
{
    const char *at = p->at, *end = p->at + p->length;
    *log = p->length >= 3 && strncmp(at, "log", 3) == 0;
    if (*log) at += 3;
    *count = 0;
    if (at == end) return *log;
    if (end - at > 18) return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9') return false;
        *count = 10 * *count + (size_t)(*at - '0');
    }
    return *count >= 1;
}

/* Values evenly spaced over the range; each whole number once. */
static una_status space_out(una_option_axis *axis, size_t count, una_arena *arena, una_run *run)
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
        number = axis->whole ? round(number) : round_to_digits(number, 6);
        if (i == 0) number = axis->low;
        else if (i + 1 == count) number = axis->high;
        if (!(number > last)) continue;
        last = number;
        value[axis->count++] = number_text(number, arena);
    }
    axis->value = value;
    axis->rising = true;
    return una_arena_check(arena);
}

static una_status read_range(una_option_axis *axis, const piece *part, size_t count, una_arena *arena, una_run *run)
{
    size_t values = 0;
    if (count > 3 || !una_parse_number(part[1].at, part[1].length, &axis->high) ||
        (count == 3 && !read_spacing(&part[2], &axis->log, &values)))
        UNA_FAIL(run, UNA_E_USAGE, "%s: a range is written low:high:5 for five values, low:high:log5 for five by their "
                 "logarithm, low:high or low:high:log for any number between", axis->text);
    if (isfinite(axis->low) && axis->low == axis->high)
        UNA_FAIL(run, UNA_E_USAGE, "%s: the range is empty, for it ends where it begins; write one value alone as "
                 "%s=%.*s", axis->text, axis->key, (int)part[0].length, part[0].at);
    if (!isfinite(axis->low) || !isfinite(axis->high))
        UNA_FAIL(run, UNA_E_USAGE, "%s: a range goes from one finite number to another", axis->text);
    if (axis->low > axis->high)
        UNA_FAIL(run, UNA_E_USAGE, "%s: the range must begin with the smaller number; write %s=%.*s:%.*s%s%.*s",
                 axis->text, axis->key, (int)part[1].length, part[1].at, (int)part[0].length, part[0].at,
                 count == 3 ? ":" : "", count == 3 ? (int)part[2].length : 0, count == 3 ? part[2].at : "");
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

/* A value as the grammar of specs reads it, without its quotes. */
static una_status axis_read_value(const char **value, const una_option_axis *axis, const piece *p, una_arena *arena,
                                  una_run *run)
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

static una_status read_list(una_option_axis *axis, const char *text, size_t count, una_arena *arena, una_run *run)
{
    const char **value = UNA_GET(arena, const char *, count);
    piece *part = UNA_GET(arena, piece, count);
    double last = -HUGE_VAL;
    UNA_TRY(una_arena_check(arena));
    cut_pieces(part, count, text, '|');
    axis->rising = true;
    for (size_t i = 0; i < count; i++) {
        double number;
        UNA_TRY(axis_read_value(&value[i], axis, &part[i], arena, run));
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

/* The type of an option. *there false: unknown, which the check of the spec reports. */
static una_status find_option(bool *there, bool *is_number, una_option_axis *axis, const char *kind, const char *key,
                          una_run *run)
{
    size_t k = 0;
    una_option_info option;
    *there = *is_number = axis->whole = axis->posterior = false;
    UNA_TRY(una_option_named(&option, kind, key, run));
    *there = option.name != NULL;
    axis->whole = *there && strcmp(option.type, "whole number") == 0;
    *is_number = axis->whole || (*there && strcmp(option.type, "number") == 0);
    while (k < una_kind_count() && strcmp(una_kind_name(k), kind) != 0) k++;
    bool of_posterior = strcmp(key, "prior_var") == 0 || strcmp(key, "noise_std") == 0;
    axis->posterior = *there && of_posterior && una_kind_relearns(k);
    return UNA_OK;
}

static una_status has_option(bool *has, const char *kind, const char *key, una_run *run)
{
    una_option_axis unused;
    bool is_number;
    return find_option(has, &is_number, &unused, kind, key, run);
}

static una_status read_axis(una_option_axis *axis, const una_spec_item *item, const char *kind, una_arena *arena,
                            una_run *run)
{
    enum { PARTS = 4 };
    piece part[PARTS];
    bool there, is_number;
    una_text text = una_text_in(arena);
    una_text_add(&text, "%s=%.200s", item->key, item->value);
    UNA_TRY(una_arena_check(arena));
    *axis = (una_option_axis){ .key = item->key, .text = text.at };
    UNA_TRY(find_option(&there, &is_number, axis, kind, item->key, run));

    size_t values = cut_pieces(part, 0, item->value, '|'), parts = cut_pieces(part, PARTS, item->value, ':');
    bool range = values == 1 && parts > 1 && (is_number || una_parse_number(part[0].at, part[0].length, &axis->low));
    if (!range) return read_list(axis, item->value, values, arena, run);
    if (!una_parse_number(part[0].at, part[0].length, &axis->low)) axis->low = NAN;      /* reported with the range */
    return read_range(axis, part, parts, arena, run);
}

/* ---- checks -------------------------------------------------------------------------------------------------- */

static una_status check_value(const una_option_space *space, size_t axis, const char *value, una_arena *arena,
                              una_run *run)
{
    const char *spec, **values = UNA_GET(arena, const char *, space->count);
    char why[sizeof run->message];
    UNA_TRY(una_arena_check(arena));
    values[axis] = value;                        /* the others stay as the model has them */
    una_status status = una_option_space_spec(&spec, NULL, space, values, arena, run);
    if (status != UNA_E_USAGE) return status;
    memcpy(why, run->message, sizeof why);
    UNA_FAIL(run, status, "%.250s: %.700s", space->axis[axis].text, why);
}

static una_status check_axis(const una_option_space *space, size_t axis, una_run *run)
{
    const una_option_axis *a = &space->axis[axis];
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = UNA_OK;
    for (size_t i = 0; status == UNA_OK && i < a->count; i++)
        status = check_value(space, axis, a->value[i], &run->scratch, run);
    for (int end = 0; status == UNA_OK && !a->value && end < 2; end++)
        status = check_value(space, axis, number_text(end ? a->high : a->low, &run->scratch), &run->scratch, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- several models ------------------------------------------------------------------------------------------ */

/* "luna, nlm": for messages. */
static const char *model_names(const una_option_space *spaces, size_t count, una_arena *arena)
{
    una_text names = una_text_in(arena);
    for (size_t m = 0; m < count; m++) una_text_add(&names, "%s%s", m ? ", " : "", spaces[m].model.name);
    return names.at ? names.at : "";
}

/* A later part may have the same option: the part that names the model wins, and two of the same kind are an error. */
static una_status give_axis(una_option_space *space, bool *named, const una_spec_item *item, bool by_name,
                            una_arena *arena, una_run *run)
{
    size_t a = 0;
    while (a < space->count && strcmp(space->axis[a].key, item->key) != 0) a++;
    if (a < space->count && named[a] == by_name)
        UNA_FAIL(run, UNA_E_USAGE, "%s=%.80s: %s has values of %s already; name an option once for a model", item->key,
                 item->value, space->model.name, item->key);
    if (a < space->count && named[a]) return UNA_OK;
    named[a] = by_name;
    if (a == space->count) space->count++;
    return read_axis(&space->axis[a], item, space->model.name, arena, run);
}

/* The option with the most similar name; NULL: none is similar. */
static una_status nearest_option(const char **near, const una_option_space *spaces, size_t count, const char *key,
                                 una_arena *arena, una_run *run)
{
    size_t most = 0, names = 0;
    for (size_t k = 0; k < una_kind_count(); k++) most += una_kind_option_count(k);
    const char **name = UNA_GET(arena, const char *, count * most);
    una_status status = una_arena_check(arena);
    una_mark texts = una_arena_mark(&run->texts);
    for (size_t m = 0; m < count; m++)
        for (size_t k = 0; k < una_kind_count(); k++) {
            size_t options = strcmp(una_kind_name(k), spaces[m].model.name) == 0 ? una_kind_option_count(k) : 0;
            for (size_t o = 0; o < options && status == UNA_OK; o++) {
                una_option_info info = UNA_INIT(una_option_info);
                status = una_kind_option(&info, k, o, run);
                name[names++] = info.name;
            }
        }
    una_arena_release(&run->texts, texts);       /* texts of ranges, which are not needed */
    *near = status == UNA_OK ? una_nearest(key, name, names) : NULL;
    return status;
}

/* Gives the axis to every model that has the option. For a single model the check of the spec reports an unknown
 * option. */
static una_status give_to_all(una_option_space *spaces, bool **named, size_t count, const una_spec_item *item,
                              una_arena *arena, una_run *run)
{
    const char *near;
    size_t takers = 0;
    for (size_t m = 0; m < count; m++) {
        bool has = count == 1;
        if (!has) UNA_TRY(has_option(&has, spaces[m].model.name, item->key, run));
        if (!has) continue;
        UNA_TRY(give_axis(&spaces[m], named[m], item, false, arena, run));
        takers++;
    }
    if (takers > 0) return UNA_OK;
    UNA_TRY(nearest_option(&near, spaces, count, item->key, arena, run));
    UNA_FAIL(run, UNA_E_USAGE, "%s=%.80s: none of the models %.200s has an option %s%s%s%s", item->key, item->value,
             model_names(spaces, count, arena), item->key, near ? "; did you mean '" : "", near ? near : "",
             near ? "'?" : "");
}

/* "luna: a=1|2" or "a=1|2": a colon before the first '=' ends a name. */
static una_status take_space_part(una_option_space *spaces, bool **named, size_t count, const piece *p,
                                  una_arena *arena, una_run *run)
{
    una_spec items;
    una_text whole = una_text_in(arena);
    una_text_add(&whole, "%.*s", (int)p->length, p->at);
    UNA_TRY(una_arena_check(arena));
    char *text = whole.at, *equals = strchr(text, '='), *colon = strchr(text, ':'), *name = NULL;
    if (colon && (!equals || colon < equals)) {
        name = text;
        text = colon + 1;
        for (*colon = 0; colon > name && colon[-1] == ' ';) *--colon = 0;
        if (!*name) UNA_FAIL(run, UNA_E_USAGE, "%.80s: a model's name is missing before ':'", p->at);
    }
    UNA_TRY(una_spec_parse_items(&items, text, arena, run));
    if (items.count == 0)
        UNA_FAIL(run, UNA_E_USAGE, "there is nothing to search over%s%.80s; name options and their values, for "
                 "instance width=25|50|100, penalty=1e-5:1e-1:log5", name ? " for " : "", name ? name : "");

    size_t of_name = 0;
    for (size_t m = 0; name && m < count; m++) {
        if (strcmp(spaces[m].model.name, name) != 0) continue;
        for (size_t i = 0; i < items.count; i++)
            UNA_TRY(give_axis(&spaces[m], named[m], &items.items[i], true, arena, run));
        of_name++;
    }
    if (name && of_name == 0)
        UNA_FAIL(run, UNA_E_USAGE, "%.80s: there is no model of this name among %.200s; write 'model: option=values'",
                 name, model_names(spaces, count, arena));
    for (size_t i = 0; !name && i < items.count; i++)
        UNA_TRY(give_to_all(spaces, named, count, &items.items[i], arena, run));
    return UNA_OK;
}

static size_t count_of(const char *text, char mark)
{
    size_t count = 0;
    for (; *text; text++) count += *text == mark;
    return count;
}

una_status una_option_space_parse_models(una_option_space *spaces, const char *text, const char *const *models,
                                         size_t count, una_arena *arena, una_run *run)
{
    size_t most = count_of(text, '=') + 1, parts = cut_pieces(NULL, 0, text, ';');
    UNA_NEW(arena, piece, part, parts);
    UNA_NEW(arena, bool *, named, count);
    for (size_t m = 0; m < count; m++) {
        spaces[m] = (una_option_space){ .axis = UNA_GET(arena, una_option_axis, most) };
        UNA_NEW_AT(arena, named[m], most);
        UNA_TRY(una_spec_check(models[m], NULL, run));
        UNA_TRY(una_spec_parse(&spaces[m].model, models[m], arena, run));
    }

    cut_pieces(part, parts, text, ';');
    for (size_t i = 0; i < parts; i++)
        if (part[i].length > 0 || parts == 1) UNA_TRY(take_space_part(spaces, named, count, &part[i], arena, run));
    size_t axes = 0;
    for (size_t m = 0; m < count; m++)
        for (size_t a = 0; a < spaces[m].count; a++, axes++) UNA_TRY(check_axis(&spaces[m], a, run));
    if (axes == 0) UNA_FAIL(run, UNA_E_USAGE, "%.80s: there is nothing to search over between these ';'", text);
    return UNA_OK;
}

una_status una_option_space_parse(una_option_space *space, const char *text, const char *model, una_arena *arena,
                                  una_run *run)
{
    return una_option_space_parse_models(space, text, &model, 1, arena, run);
}

/* ---- combinations -------------------------------------------------------------------------------------------- */

uint64_t una_option_space_combinations(const una_option_space *space)
{
    const uint64_t most = (uint64_t)1 << 63;
    uint64_t count = 1;
    for (size_t a = 0; a < space->count; a++) {
        if (!space->axis[a].value) return 0;
        count = count > most / space->axis[a].count ? most : count * space->axis[a].count;
    }
    return count;
}

una_status una_option_space_check_grid(const una_option_space *space, una_run *run)
{
    for (size_t a = 0; a < space->count; a++)
        if (!space->axis[a].value)
            UNA_FAIL(run, UNA_E_USAGE, "%s: a grid needs to know how many values; write %s%s5, or search by random or "
                     "bayes", space->axis[a].text, space->axis[a].text, space->axis[a].log ? "" : ":");
    uint64_t count = una_option_space_combinations(space);
    if (count <= UNA_MOST_FITS) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "the grid has %" PRIu64 "%s combinations, and the most is %d; name fewer values, or "
             "search by random or bayes", count, count >> 63 ? " or more" : "", UNA_MOST_FITS);
}

void una_option_space_at(const char **value, const una_option_space *space, uint64_t combination)
{
    for (size_t a = space->count; a-- > 0;) {
        value[a] = space->axis[a].value[combination % space->axis[a].count];
        combination /= space->axis[a].count;
    }
}

const char *una_option_axis_text(const una_option_axis *axis, double number, una_arena *arena)
{
    number = axis->whole ? round(number) : round_to_digits(number, 4);
    return number_text(fmin(fmax(number, axis->low), axis->high), arena);
}

void una_option_space_draw(const char **value, const una_option_space *space, una_rng *rng, una_arena *arena)
{
    for (size_t a = 0; a < space->count; a++) {
        const una_option_axis *axis = &space->axis[a];
        if (axis->value) {
            value[a] = axis->value[una_rng_below(rng, axis->count)];
            continue;
        }
        double u = una_rng_uniform(rng), slack = axis->whole ? 0.5 : 0;      /* whole ones equally often */
        double low = axis->low - (axis->log ? 0 : slack), high = axis->high + (axis->log ? 0 : slack);
        double number = axis->log ? exp((1 - u) * log(low) + u * log(high)) : (1 - u) * low + u * high;
        value[a] = una_option_axis_text(axis, number, arena);
    }
}

/* ---- specs --------------------------------------------------------------------------------------------------- */

static const char *axis_value(const una_option_space *space, const char *const *value, const char *key)
{
    for (size_t a = 0; a < space->count; a++)
        if (strcmp(space->axis[a].key, key) == 0) return value[a];
    return NULL;
}

static void add_space_item(una_text *text, const char *key, const char *value, bool *first)
{
    una_text_add(text, "%s%s=", *first ? "(" : ", ", key);
    una_spec_value(text, value);
    *first = false;
}

una_status una_option_space_spec(const char **spec, unsigned *results, const una_option_space *space,
                                 const char *const *value, una_arena *arena, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_text text = una_text_in(&run->scratch);
    unsigned ignored;
    bool first = true;
    una_text_add(&text, "%s", space->model.name);
    for (size_t i = 0; i < space->model.count; i++) {
        const una_spec_item *item = &space->model.items[i];
        if (!axis_value(space, value, item->key)) add_space_item(&text, item->key, item->value, &first);
    }
    for (size_t a = 0; a < space->count; a++)
        if (value[a]) add_space_item(&text, space->axis[a].key, value[a], &first);
    if (!first) una_text_add(&text, ")");
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK)
        status = una_row_key_spec(spec, NULL, results ? results : &ignored, text.at, arena, run);
    if (arena != &run->scratch) una_arena_release(&run->scratch, mark);
    return status;
}
