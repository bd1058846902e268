/* SPDX-License-Identifier: MIT
 *
 * Option spaces such as "penalty=1e-5:1e-1:log5, width=25|50|100": parsing, counting, drawing, and making specs.
 */
#include "select/option_space.h"

#include "select/evaluation.h"

#include <inttypes.h>

/* ---- reading ------------------------------------------------------------------------------------------------- */

typedef struct piece { const char *at; size_t length; } piece;

typedef struct reading {
    una_option_space *spaces;            /* [count]                                                               */
    bool            **named;             /* [count, axes] the values were given by the model's name                */
    size_t            count;
    una_arena        *arena;
    una_run          *run;
} reading;

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
static una_status space_out(una_option_axis *axis, size_t count, const reading *r)
{
    double last = -HUGE_VAL;
    if (count < 2)
        UNA_FAIL(r->run, UNA_E_USAGE, "%s: a range is spaced by two values or more; write one value alone as %s=...",
                 axis->text, axis->key);
    UNA_NEW(r->arena, const char *, value, count);
    for (size_t i = 0; i < count; i++) {
        double share = (double)i / (double)(count - 1);
        double number = axis->log ? exp((1 - share) * log(axis->low) + share * log(axis->high))
                                  : (1 - share) * axis->low + share * axis->high;
        number = axis->whole ? round(number) : round_to_digits(number, 6);
        if (i == 0) number = axis->low;
        else if (i + 1 == count) number = axis->high;
        if (!(number > last)) continue;
        last = number;
        value[axis->count++] = number_text(number, r->arena);
    }
    axis->value = value;
    axis->rising = true;
    return una_arena_check(r->arena);
}

static una_status read_range(una_option_axis *axis, const piece *part, size_t count, const reading *r)
{
    una_run *run = r->run;
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
    if (count < 3 || (values == 0 && axis->log)) return UNA_OK;
    if (values > UNA_MOST_FITS)
        UNA_FAIL(run, UNA_E_USAGE, "%s: %zu values are too many; the most is %d", axis->text, values, UNA_MOST_FITS);
    return space_out(axis, values, r);
}

/* A value as the grammar of specs reads it, without its quotes. */
static una_status axis_read_value(const char **value, const una_option_axis *axis, const piece *p, const reading *r)
{
    una_spec one;
    una_text item = una_text_in(r->arena);
    if (p->length == 0)
        UNA_FAIL(r->run, UNA_E_USAGE, "%s: a value is missing beside a '|' (write \"\" for an empty text)", axis->text);
    una_text_add(&item, "%s=", axis->key);
    una_text_bytes(&item, p->at, p->length);
    UNA_TRY(una_arena_check(r->arena));
    UNA_TRY(una_spec_parse_items(&one, item.at, r->arena, r->run));
    *value = one.items[0].value;
    return UNA_OK;
}

static una_status read_list(una_option_axis *axis, const char *text, size_t count, const reading *r)
{
    double last = -HUGE_VAL;
    UNA_NEW(r->arena, const char *, value, count);
    UNA_NEW(r->arena, piece, part, count);
    cut_pieces(part, count, text, '|');
    axis->rising = true;
    for (size_t i = 0; i < count; i++) {
        double number;
        UNA_TRY(axis_read_value(&value[i], axis, &part[i], r));
        for (size_t k = 0; k < i; k++)
            if (strcmp(value[i], value[k]) == 0)
                UNA_FAIL(r->run, UNA_E_USAGE, "%s: the value %.80s stands there twice", axis->text, value[i]);
        axis->rising = axis->rising && una_parse_number(value[i], strlen(value[i]), &number) && number > last;
        if (axis->rising) last = number;
    }
    axis->value = value;
    axis->count = count;
    return UNA_OK;
}

/* The check of the spec reports an option that the model does not have. */
static una_status read_axis(una_option_axis *axis, const una_spec_item *item, const char *kind, const reading *r)
{
    enum { PARTS = 4 };
    piece part[PARTS];
    una_option_info option;
    una_text text = una_text_in(r->arena);
    una_text_add(&text, "%s=%.200s", item->key, item->value);
    UNA_TRY(una_arena_check(r->arena));
    UNA_TRY(una_option_named(&option, kind, item->key, r->run));
    bool of_posterior = strcmp(item->key, "prior_var") == 0 || strcmp(item->key, "noise_std") == 0;
    *axis = (una_option_axis){ .key = item->key, .text = text.at,
                               .whole = option.name && strcmp(option.type, "whole number") == 0,
                               .posterior = option.name && of_posterior && una_kind_has_posteriors(kind) };

    bool is_number = axis->whole || (option.name && strcmp(option.type, "number") == 0);
    size_t values = cut_pieces(part, 0, item->value, '|'), parts = cut_pieces(part, PARTS, item->value, ':');
    bool range = values == 1 && parts > 1 && (is_number || una_parse_number(part[0].at, part[0].length, &axis->low));
    if (!range) return read_list(axis, item->value, values, r);
    if (!una_parse_number(part[0].at, part[0].length, &axis->low)) axis->low = NAN;      /* reported with the range */
    return read_range(axis, part, parts, r);
}

/* ---- checks -------------------------------------------------------------------------------------------------- */

static una_status check_value(const una_option_space *space, size_t axis, const char *value, una_run *run)
{
    const char *spec;
    UNA_NEW(&run->scratch, const char *, values, space->count);
    values[axis] = value;                        /* the others stay as the model has them */
    una_status status = una_option_space_spec(&spec, NULL, space, values, &run->scratch, run);
    if (status != UNA_E_USAGE) return status;
    UNA_FAIL(run, status, "%.250s: %.700s", space->axis[axis].text, run->message);
}

static una_status check_axis(const una_option_space *space, size_t axis, una_run *run)
{
    const una_option_axis *a = &space->axis[axis];
    char number[32];
    for (size_t i = 0; i < a->count; i++) UNA_SCOPED(run, check_value(space, axis, a->value[i], run));
    for (int end = 0; !a->value && end < 2; end++)
        UNA_SCOPED(run, check_value(space, axis, una_number_text(number, end ? a->high : a->low), run));
    return UNA_OK;
}

/* ---- several models ------------------------------------------------------------------------------------------ */

/* "luna, nlm": for messages. */
static const char *model_names(const reading *r)
{
    una_text names = una_text_in(r->arena);
    for (size_t m = 0; m < r->count; m++) una_text_add(&names, "%s%s", m ? ", " : "", r->spaces[m].model.name);
    return names.at ? names.at : "";
}

/* A later part may have the same option: the part that names the model wins, and two of the same kind are an error. */
static una_status give_axis(const reading *r, size_t model, const una_spec_item *item, bool by_name)
{
    una_option_space *space = &r->spaces[model];
    bool *named = r->named[model];
    size_t a = 0;
    while (a < space->count && strcmp(space->axis[a].key, item->key) != 0) a++;
    if (a < space->count && named[a] == by_name)
        UNA_FAIL(r->run, UNA_E_USAGE, "%s=%.80s: %s has values of %s already; name an option once for a model",
                 item->key, item->value, space->model.name, item->key);
    if (a < space->count && named[a]) return UNA_OK;
    named[a] = by_name;
    if (a == space->count) space->count++;
    return read_axis(&space->axis[a], item, space->model.name, r);
}

/* The names of the options of all models, name [*count]. */
static una_status list_options(const char ***name, size_t *count, const reading *r)
{
    size_t most = 0;
    for (size_t k = 0; k < una_kind_count(); k++) most += una_kind_option_count(k);
    UNA_NEW_AT(r->arena, *name, r->count * most);
    *count = 0;
    for (size_t m = 0; m < r->count; m++) {
        size_t kind = una_kind_at(r->spaces[m].model.name);
        for (size_t o = 0; o < una_kind_option_count(kind); o++) {
            una_option_info info = UNA_INIT(una_option_info);
            UNA_TRY(una_kind_option(&info, kind, o, r->run));
            (*name)[(*count)++] = info.name;
        }
    }
    return UNA_OK;
}

/* Gives the axis to every model that has the option. For a single model the check of the spec reports an unknown
 * option. */
static una_status give_to_all(const reading *r, const una_spec_item *item)
{
    const char **names;
    size_t takers = 0, count;
    for (size_t m = 0; m < r->count; m++) {
        una_option_info option;
        UNA_TRY(una_option_named(&option, r->spaces[m].model.name, item->key, r->run));
        if (r->count > 1 && !option.name) continue;
        UNA_TRY(give_axis(r, m, item, false));
        takers++;
    }
    if (takers > 0) return UNA_OK;
    una_mark texts = una_arena_mark(&r->run->texts);
    una_status status = list_options(&names, &count, r);
    una_arena_release(&r->run->texts, texts);    /* texts of ranges, which are not needed */
    UNA_TRY(status);
    const char *near = una_nearest(item->key, names, count);
    UNA_FAIL(r->run, UNA_E_USAGE, "%s=%.80s: none of the models %.200s has an option %s%s%s%s", item->key, item->value,
             model_names(r), item->key, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

/* "luna: a=1|2" or "a=1|2": a colon before the first '=' ends a name. */
static una_status take_space_part(const reading *r, const piece *p)
{
    una_run *run = r->run;
    una_spec items;
    una_text whole = una_text_in(r->arena);
    una_text_add(&whole, "%.*s", (int)p->length, p->at);
    UNA_TRY(una_arena_check(r->arena));
    char *text = whole.at, *equals = strchr(text, '='), *colon = strchr(text, ':'), *name = NULL;
    if (colon && (!equals || colon < equals)) {
        name = text;
        text = colon + 1;
        for (*colon = 0; colon > name && colon[-1] == ' ';) *--colon = 0;
        if (!*name) UNA_FAIL(run, UNA_E_USAGE, "%.80s: a model's name is missing before ':'", p->at);
    }
    UNA_TRY(una_spec_parse_items(&items, text, r->arena, run));
    if (items.count == 0)
        UNA_FAIL(run, UNA_E_USAGE, "there is nothing to search over%s%.80s; name options and their values, for "
                 "instance width=25|50|100, penalty=1e-5:1e-1:log5", name ? " for " : "", name ? name : "");

    size_t of_name = 0;
    for (size_t m = 0; name && m < r->count; m++) {
        if (strcmp(r->spaces[m].model.name, name) != 0) continue;
        for (size_t i = 0; i < items.count; i++) UNA_TRY(give_axis(r, m, &items.items[i], true));
        of_name++;
    }
    if (name && of_name == 0)
        UNA_FAIL(run, UNA_E_USAGE, "%.80s: there is no model of this name among %.200s; write 'model: option=values'",
                 name, model_names(r));
    for (size_t i = 0; !name && i < items.count; i++) UNA_TRY(give_to_all(r, &items.items[i]));
    return UNA_OK;
}

una_status una_option_space_parse(una_option_space *spaces, const char *text, const char *const *models, size_t count,
                                  una_arena *arena, una_run *run)
{
    size_t most = 1, parts = cut_pieces(NULL, 0, text, ';'), axes = 0;
    reading r = { .spaces = spaces, .count = count, .arena = arena, .run = run };
    for (const char *at = text; *at; at++) most += *at == '=';
    UNA_NEW(arena, piece, part, parts);
    UNA_NEW_AT(arena, r.named, count);
    for (size_t m = 0; m < count; m++) {
        spaces[m] = (una_option_space){ .count = 0 };
        UNA_NEW_AT(arena, spaces[m].axis, most);
        UNA_NEW_AT(arena, r.named[m], most);
        UNA_TRY(una_spec_check(models[m], NULL, run));
        UNA_TRY(una_spec_parse(&spaces[m].model, models[m], arena, run));
    }

    cut_pieces(part, parts, text, ';');
    for (size_t i = 0; i < parts; i++)
        if (part[i].length > 0 || parts == 1) UNA_TRY(take_space_part(&r, &part[i]));
    for (size_t m = 0; m < count; m++)
        for (size_t a = 0; a < spaces[m].count; a++, axes++) UNA_TRY(check_axis(&spaces[m], a, run));
    if (axes == 0) UNA_FAIL(run, UNA_E_USAGE, "%.80s: there is nothing to search over between these ';'", text);
    return UNA_OK;
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

una_status una_option_space_keys(una_plan *plan, const una_option_space *space, una_row_key like, una_run *run)
{
    UNA_NEW(plan->arena, const char *, value, space->count);
    for (uint64_t i = 0; i < una_option_space_combinations(space); i++) {
        una_option_space_at(value, space, i);
        UNA_TRY(una_option_space_spec(&like.spec, &like.results, space, value, plan->arena, run));
        una_plan_add(plan, like);
    }
    return una_arena_check(plan->arena);
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

una_status una_option_space_spec(const char **spec, unsigned *results, const una_option_space *space,
                                 const char *const *value, una_arena *arena, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    unsigned ignored;
    una_text_add(&text, "%s", space->model.name);
    for (size_t i = 0; i < space->model.count; i++) {
        const una_spec_item *item = &space->model.items[i];
        if (!axis_value(space, value, item->key)) una_spec_add(&text, item->key, item->value);
    }
    for (size_t a = 0; a < space->count; a++)
        if (value[a]) una_spec_add(&text, space->axis[a].key, value[a]);
    una_spec_close(&text);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_row_key_spec(spec, NULL, results ? results : &ignored, text.at, arena, run);
}
