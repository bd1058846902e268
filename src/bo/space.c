/* SPDX-License-Identifier: MIT
 *
 * Spaces: read from JSON with every mistake named, points between the user's units and [0, 1], and quasi-random points:
 * u_i = frac(shift + i a), a_d = 1/g^d, g the root of g^(D+1) = g + 1 (Roberts 2018), which fill any number of
 * dimensions evenly however many are taken.
 */
#include "bo/space.h"

#include "gp/formula.h"
#include "read/json.h"

enum { MOST_INPUTS = 1000, MOST_LEVELS = 1000, MOST_CONSTRAINTS = 100 };

/* ---- reading --------------------------------------------------------------------------------------------------- */

typedef struct reading { una_space *space; const char *origin; una_arena *keep; una_run *run; } reading;

/* "ORIGIN: SENTENCE". */
#define REFUSE(r, sentence, ...) UNA_FAIL((r)->run, UNA_E_INPUT, "%s: " sentence, (r)->origin, __VA_ARGS__)

static const char *const type_names[] = { "real", "integer", "category", "fixed" };
static const char *const type_keys[] = { "type low high log", "type low high log", "type levels", "type value" };

static bool is_key(const char *keys, const char *word)
{
    size_t length = strlen(word);
    if (length == 0 || strchr(word, ' ')) return false;
    for (const char *at = keys; (at = strstr(at, word)); at += length)
        if ((at == keys || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static una_status check_keys(const reading *r, const una_dimension *d, const json_t *given)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)given, key, value)
        if (!is_key(type_keys[d->type], key))
            REFUSE(r, "input \"%s\" has a \"%.100s\", which an input of type %s does not have; it has: %s", d->name,
                   key, type_names[d->type], type_keys[d->type]);
    return UNA_OK;
}

static una_status read_bound(double *bound, const reading *r, const una_dimension *d, const json_t *given,
                             const char *key)
{
    const json_t *value = json_object_get(given, key);
    if (!value) REFUSE(r, "input \"%s\" has no \"%s\"; give its range as \"low\": 0, \"high\": 1", d->name, key);
    if (!json_is_number(value) || !isfinite(json_number_value(value)))
        REFUSE(r, "\"%s\" of input \"%s\" must be a number", key, d->name);
    *bound = json_number_value(value) + 0.0;     /* -0 is 0: JSON keeps no sign of it */
    return UNA_OK;
}

static una_status read_range(const reading *r, una_dimension *d, const json_t *given)
{
    const json_t *log = json_object_get(given, "log");
    UNA_TRY(read_bound(&d->low, r, d, given, "low"));
    UNA_TRY(read_bound(&d->high, r, d, given, "high"));
    if (log && !json_is_boolean(log))
        REFUSE(r, "\"log\" of input \"%s\" must be true or false", d->name);
    d->log = json_is_true(log);
    return UNA_OK;
}

static una_status read_levels(const reading *r, una_dimension *d, const json_t *given)
{
    const json_t *list = json_object_get(given, "levels");
    size_t count = json_array_size(list);
    if (count < 2 || count > MOST_LEVELS)
        REFUSE(r, "category \"%s\" needs 2 to %d \"levels\", as in [\"red\", \"blue\"]", d->name, (int)MOST_LEVELS);
    UNA_NEW(r->keep, const char *, levels, count);

    for (size_t i = 0; i < count; i++) {
        const char *word = json_string_value(json_array_get(list, i));
        if (!word || !*word)
            REFUSE(r, "level %zu of category \"%s\" must be a word in quotes", i + 1, d->name);
        if (una_find_text(word, levels, i) < i)
            REFUSE(r, "category \"%s\" has the level \"%.100s\" twice; name each once", d->name, word);
        levels[i] = una_arena_text(r->keep, word);
        UNA_TRY(una_arena_check(r->keep));
    }

    d->levels = levels;
    d->level_count = count;
    return UNA_OK;
}

static una_status read_fixed(const reading *r, una_dimension *d, const json_t *given)
{
    const json_t *value = json_object_get(given, "value");
    if (json_is_number(value) && isfinite(json_number_value(value))) {
        d->low = d->high = json_number_value(value) + 0.0;
        return UNA_OK;
    }
    if (!json_is_string(value))
        REFUSE(r, "fixed input \"%s\" needs a \"value\": a number, or a word in quotes", d->name);
    UNA_NEW(r->keep, const char *, levels, 1);
    levels[0] = una_arena_text(r->keep, json_string_value(value));
    d->levels = levels;
    d->level_count = 1;
    return una_arena_check(r->keep);
}

static una_status read_type(const reading *r, una_dimension *d, const json_t *given)
{
    enum { TYPES = sizeof type_names / sizeof *type_names };
    const char *word = json_string_value(json_object_get(given, "type"));
    if (!word)
        REFUSE(r, "input \"%s\" has no \"type\"; it is one of real, integer, category, fixed", d->name);
    size_t type = una_find_text(word, type_names, TYPES);
    d->type = (una_dimension_type)type;
    if (type < TYPES) return UNA_OK;
    const char *near = una_nearest(word, type_names, TYPES);
    REFUSE(r, "input \"%s\" has the type \"%.60s\", which there is not; %s%s%s", d->name, word,
           near ? "did you mean \"" : "it is one of real, integer, category, fixed", near ? near : "",
           near ? "\"?" : "");
}

static una_status check_range(const una_dimension *d, const reading *r)
{
    bool whole = d->type == UNA_DIMENSION_INTEGER;
    if (!(d->low < d->high))
        REFUSE(r, "input \"%s\" has low %g, which is not below its high %g; exchange them, or make it {\"type\": "
               "\"fixed\", \"value\": %g}", d->name, d->low, d->high, d->low);
    if (d->log && !(d->low > 0))
        REFUSE(r, "input \"%s\" is on a logarithmic scale and begins at %g; \"low\" must be above 0", d->name, d->low);
    if (whole && (d->low != floor(d->low) || d->high != floor(d->high) || fmax(-d->low, d->high) > 9e15))
        REFUSE(r, "input \"%s\" is an integer, and its range %g to %g does not begin and end with whole numbers below "
               "9e15", d->name, d->low, d->high);
    if (!isfinite(d->log ? d->high / d->low : d->high - d->low))
        REFUSE(r, "the range of input \"%s\" is too wide; use other units", d->name);
    return UNA_OK;
}

una_status una_space_add(una_space *s, una_dimension d, const char *origin, una_run *run)
{
    if (d.type <= UNA_DIMENSION_INTEGER) UNA_TRY(check_range(&d, &(reading){ s, origin, NULL, run }));
    if (d.type == UNA_DIMENSION_CATEGORY) d.high = (double)(d.level_count - 1);
    d.first = s->columns;
    d.columns = d.type == UNA_DIMENSION_CATEGORY ? d.level_count : d.type != UNA_DIMENSION_FIXED;
    s->columns += d.columns;
    s->dimension[s->count++] = d;
    return UNA_OK;
}

static una_status read_dimension(const reading *r, const char *name, const json_t *given)
{
    una_dimension d = { .name = una_arena_text(r->keep, name) };
    UNA_TRY(una_arena_check(r->keep));
    if (!*name || strlen(name) > 200)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s: an input has no name, or one of more than 200 letters", r->origin);
    if (!json_is_object(given))
        REFUSE(r, "input \"%s\" must be an object, as in {\"type\": \"real\", \"low\": 0, \"high\": 1}", d.name);

    UNA_TRY(read_type(r, &d, given));
    UNA_TRY(check_keys(r, &d, given));
    if (d.type == UNA_DIMENSION_CATEGORY) UNA_TRY(read_levels(r, &d, given));
    else if (d.type == UNA_DIMENSION_FIXED) UNA_TRY(read_fixed(r, &d, given));
    else UNA_TRY(read_range(r, &d, given));
    return una_space_add(r->space, d, r->origin, r->run);
}

/* ---- constraints ----------------------------------------------------------------------------------------------- */

/* At the one sign of comparison; quotes hold names. Sets c->strict. */
static una_status split_at_comparison(const char **left, const char **right, una_constraint *c, const reading *r)
{
    const char *sign = NULL;
    bool quoted = false;
    for (const char *at = c->text; *at; at++) {
        if (*at == '"') quoted = !quoted;
        if (quoted || (*at != '<' && *at != '>')) continue;
        if (sign) REFUSE(r, "the constraint \"%.200s\" compares twice; write two constraints", c->text);
        sign = at;
    }
    if (!sign)
        REFUSE(r, "the constraint \"%.200s\" compares nothing; write it with <= or >=, as in \"x1 + x2 <= 1\"",
               c->text);

    size_t before = (size_t)(sign - c->text);
    char *first = una_arena_text(r->keep, c->text), *second = una_arena_text(r->keep, c->text);
    UNA_TRY(una_arena_check(r->keep));
    c->strict = sign[1] != '=';
    first[before] = 0;
    memset(second, ' ', before + (c->strict ? 1 : 2));   /* so that mistakes are found where the user sees them */
    *left = *sign == '<' ? first : second;
    *right = *sign == '<' ? second : first;
    return UNA_OK;
}

static una_status parse_side(una_constraint *c, const char *side, const una_kernel_inputs *inputs, const reading *r)
{
    una_status status = una_formula_parse(&c->slack, side, inputs, r->keep, r->run);
    if (status != UNA_E_USAGE) return status;
    REFUSE(r, "the constraint \"%.200s\" cannot be read: %.500s", c->text, r->run->message);
}

/* Each side must be a formula by itself: of "a) + (b <= 1" only the difference is one. Categories are no numbers. */
static una_status read_constraint(const reading *r, una_constraint *c, const char *text)
{
    const una_space *space = r->space;
    const char *left = NULL, *right = NULL;
    una_text slack = una_text_in(r->keep);
    UNA_NEW(r->keep, const char *, name, space->count);
    for (size_t i = 0; i < space->count; i++) name[i] = space->dimension[i].name;
    const una_kernel_inputs inputs = { .count = space->count, .name = name };
    c->text = una_arena_text(r->keep, text);
    UNA_TRY(una_arena_check(r->keep));
    UNA_TRY(split_at_comparison(&left, &right, c, r));
    UNA_TRY(parse_side(c, left, &inputs, r));
    UNA_TRY(parse_side(c, right, &inputs, r));
    una_text_add(&slack, "(%s) - (%s)", right, left);
    UNA_TRY(una_arena_check(r->keep));
    UNA_TRY(parse_side(c, slack.at, &inputs, r));
    for (size_t i = 0; i < c->slack->input_count; i++)
        if (space->dimension[c->slack->input[i].column].levels)
            REFUSE(r, "the constraint \"%.200s\" counts with \"%s\", which holds words", c->text,
                   c->slack->input[i].name);
    return UNA_OK;
}

static bool constraint_holds(const una_constraint *c, const double *point)
{
    const una_formula *f = c->slack;
    double parameter[UNA_FORMULA_PARAMETERS], slack;
    for (size_t i = 0; i < f->parameter_count; i++) parameter[i] = f->parameter[i].first;
    una_formula_run(f, (una_formula_part){ f->op, f->op_count }, parameter, (una_view){ .at = point, .rows = 1 },
                    &slack);
    return c->strict ? slack > 0 : slack >= 0;
}

static una_status read_constraints(const reading *r, const json_t *list)
{
    una_space *s = r->space;
    size_t count = json_array_size(list);
    if (!json_is_array(list) || count > MOST_CONSTRAINTS)
        REFUSE(r, "\"constraints\" must be a list of at most %d texts, as in [\"x1 + x2 <= 1\"]",
               (int)MOST_CONSTRAINTS);
    UNA_NEW_AT(r->keep, s->constraint, count);
    for (; s->constraint_count < count; s->constraint_count++) {
        const char *text = json_string_value(json_array_get(list, s->constraint_count));
        if (!text)
            REFUSE(r, "constraint %zu must be a text, as in \"x1 + x2 <= 1\"", s->constraint_count + 1);
        UNA_TRY(read_constraint(r, &s->constraint[s->constraint_count], text));
    }
    return UNA_OK;
}

static una_status read_space(const reading *r, const json_t *root)
{
    una_space *s = r->space;
    const char *name;
    json_t *given;
    if (!json_is_object(root) || json_object_size(root) == 0 || json_object_size(root) > MOST_INPUTS)
        REFUSE(r, "a space is an object with 1 to %d inputs, as in {\"x1\": {\"type\": \"real\", \"low\": 0, \"high\": "
               "1}}", (int)MOST_INPUTS);
    UNA_NEW_AT(r->keep, s->dimension, json_object_size(root));

    json_object_foreach((json_t *)root, name, given)
        if (strcmp(name, "constraints") != 0) UNA_TRY(read_dimension(r, name, given));
    if (s->columns == 0)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s: there is nothing to choose: no input is real, integer or a category",
                 r->origin);
    const json_t *constraints = json_object_get(root, "constraints");
    return constraints ? read_constraints(r, constraints) : UNA_OK;
}

/* In a form of its own, so that two ways of writing the same space are the same text; no point has more bytes. */
static una_status write_space(const reading *r)
{
    una_space *s = r->space;
    una_text text = una_text_in(r->keep);
    una_text_add(&text, "{");
    for (size_t i = 0; i < s->count; i++) {
        const una_dimension *d = &s->dimension[i];
        una_text_add(&text, "%s", i ? ", " : "");
        una_text_json(&text, d->name);
        una_text_add(&text, ": {\"type\": \"%s\"", type_names[d->type]);
        if (d->type <= UNA_DIMENSION_INTEGER) {
            una_text_add(&text, ", \"low\": ");
            una_text_number(&text, d->low);
            una_text_add(&text, ", \"high\": ");
            una_text_number(&text, d->high);
            if (d->log) una_text_add(&text, ", \"log\": true");
        } else if (d->type == UNA_DIMENSION_FIXED) {
            una_text_add(&text, ", \"value\": ");
            if (d->levels) una_text_json(&text, d->levels[0]);
            else una_text_number(&text, d->low);
        }
        for (size_t l = 0; d->type == UNA_DIMENSION_CATEGORY && l < d->level_count; l++) {
            una_text_add(&text, l ? ", " : ", \"levels\": [");
            una_text_json(&text, d->levels[l]);
        }
        una_text_add(&text, d->type == UNA_DIMENSION_CATEGORY ? "]}" : "}");
    }
    for (size_t c = 0; c < s->constraint_count; c++) {
        una_text_add(&text, c ? ", " : ", \"constraints\": [");
        una_text_json(&text, s->constraint[c].text);
    }
    una_text_add(&text, s->constraint_count ? "]}" : "}");
    s->json = text.at;
    UNA_TRY(una_arena_check(r->keep));
    if (text.length <= UNA_JSON_SHORT) return UNA_OK;
    REFUSE(r, "written down, this space has %zu bytes, and at most %d are read again; use fewer levels, or shorter "
           "words", text.length, UNA_JSON_SHORT);
}

/* The JSON ends here: `keep` may be the scratch memory. */
una_status una_space_parse(una_space **space, const char *json, const char *origin, una_arena *keep, una_run *run)
{
    una_arena text;
    json_t *given;
    reading r = { UNA_GET(keep, una_space, 1), origin ? origin : "the space", keep, run };
    *space = r.space;
    UNA_TRY(una_arena_check(keep));
    una_arena_init(&text, run);
    una_status status = una_json_read(&given, &(una_json_text){ json, strlen(json), UNA_JSON_SHORT, r.origin }, &text);
    if (status == UNA_OK) status = read_space(&r, given);
    una_arena_free(&text);
    return status == UNA_OK ? write_space(&r) : status;
}

/* ---- between units and [0, 1] ---------------------------------------------------------------------------------- */

static double to_unit(const una_dimension *d, double value)
{
    double u = d->log ? log(value / d->low) / log(d->high / d->low) : (value - d->low) / (d->high - d->low);
    return fmin(1, fmax(0, u));
}

static double from_unit(const una_dimension *d, double u)
{
    if (!(u > 0)) return d->low;
    if (u >= 1) return d->high;
    double value = d->log ? d->low * pow(d->high / d->low, u) : d->low + u * (d->high - d->low);
    if (d->type == UNA_DIMENSION_INTEGER) value = nearbyint(value) + 0.0;
    return fmin(d->high, fmax(d->low, value));
}

void una_space_encode(const una_space *space, const double *point, double *u)
{
    for (size_t i = 0; i < space->count; i++) {
        const una_dimension *d = &space->dimension[i];
        if (d->type <= UNA_DIMENSION_INTEGER) u[d->first] = to_unit(d, point[i]);
        else for (size_t l = 0; l < d->columns; l++) u[d->first + l] = (double)l == point[i];
    }
}

void una_space_decode(const una_space *space, const double *u, double *point)
{
    for (size_t i = 0; i < space->count; i++) {
        const una_dimension *d = &space->dimension[i];
        size_t best = 0;
        for (size_t l = 1; d->type == UNA_DIMENSION_CATEGORY && l < d->columns; l++)
            if (u[d->first + l] > u[d->first + best]) best = l;
        if (d->type == UNA_DIMENSION_CATEGORY) point[i] = (double)best;
        else point[i] = d->type == UNA_DIMENSION_FIXED ? d->low : from_unit(d, u[d->first]);
    }
}

/* Whole numbers on a linear scale have equal parts of it each, the first and the last too. */
void una_space_place(const una_space *space, const double *unit, double *point)
{
    for (size_t i = 0; i < space->count; i++) {
        const una_dimension *d = &space->dimension[i];
        bool parts = d->type == UNA_DIMENSION_CATEGORY || (d->type == UNA_DIMENSION_INTEGER && !d->log);
        if (d->type == UNA_DIMENSION_FIXED) point[i] = d->low;
        else if (parts) point[i] = fmin(d->high, d->low + floor(unit[i] * (d->high - d->low + 1)));
        else point[i] = from_unit(d, unit[i]);
    }
}

bool una_space_allows(const una_space *space, const double *point)
{
    for (size_t c = 0; c < space->constraint_count; c++)
        if (!constraint_holds(&space->constraint[c], point)) return false;
    return true;
}

una_status una_space_check(const una_space *space, const double *point, una_run *run)
{
    for (size_t i = 0; i < space->count; i++) {
        const una_dimension *d = &space->dimension[i];
        if (!(point[i] >= d->low && point[i] <= d->high))
            UNA_FAIL(run, UNA_E_INPUT, "%g is not a value of \"%s\", which goes from %g to %g", point[i], d->name,
                     d->low, d->high);
        if (d->type != UNA_DIMENSION_REAL && d->type != UNA_DIMENSION_FIXED && point[i] != floor(point[i]))
            UNA_FAIL(run, UNA_E_INPUT, "%g is not a value of \"%s\": it must be a whole number", point[i], d->name);
    }
    for (size_t c = 0; c < space->constraint_count; c++)
        if (!constraint_holds(&space->constraint[c], point))
            UNA_FAIL(run, UNA_E_INPUT, "the point does not keep the constraint \"%.200s\"",
                     space->constraint[c].text);
    return UNA_OK;
}

/* ---- points as text -------------------------------------------------------------------------------------------- */

void una_dimension_write(una_text *text, const una_dimension *dimension, double value)
{
    if (!dimension->levels) una_text_number(text, value);
    else una_text_add(text, "%s", dimension->levels[(size_t)fmin(fmax(value, 0), (double)dimension->level_count - 1)]);
}

una_status una_dimension_read(double *value, const una_dimension *d, const char *text, una_run *run)
{
    if (!d->levels) {
        if (una_parse_number(text, strlen(text), value) && isfinite(*value)) return UNA_OK;
        UNA_FAIL(run, UNA_E_INPUT, "'%.60s' is not a value of \"%s\", which is a number", text, d->name);
    }
    size_t level = una_find_text(text, d->levels, d->level_count);
    *value = (double)level;
    if (level < d->level_count) return UNA_OK;
    const char *near = una_nearest(text, d->levels, d->level_count);
    UNA_FAIL(run, UNA_E_INPUT, "'%.60s' is not a level of \"%s\"%s%s%s", text, d->name, near ? "; did you mean '" : "",
             near ? near : "", near ? "'?" : "");
}

void una_space_write(una_text *text, const una_space *space, const double *point)
{
    una_text_add(text, "{");
    for (size_t i = 0; i < space->count; i++) {
        const una_dimension *d = &space->dimension[i];
        una_text_add(text, "%s", i ? ", " : "");
        una_text_json(text, d->name);
        una_text_add(text, ": ");
        if (d->levels) una_text_json(text, d->levels[(size_t)point[i]]);
        else una_text_number(text, point[i]);
    }
    una_text_add(text, "}");
}

static una_status space_read_value(double *value, const una_dimension *d, const json_t *given, una_run *run)
{
    if (!given) UNA_FAIL(run, UNA_E_INPUT, "the point has no value of \"%s\"", d->name);
    if (json_is_string(given)) return una_dimension_read(value, d, json_string_value(given), run);
    if (d->levels || !json_is_number(given))
        UNA_FAIL(run, UNA_E_INPUT, "the value of \"%s\" must be a %s", d->name, d->levels ? "word" : "number");
    *value = json_number_value(given);
    return UNA_OK;
}

static una_status read_point(double *point, const una_space *space, const char *json, una_run *run)
{
    json_t *given;
    UNA_TRY(una_json_read(&given, &(una_json_text){ json, strlen(json), UNA_JSON_SHORT, "the point" }, &run->scratch));
    if (!json_is_object(given)) UNA_FAIL(run, UNA_E_INPUT, "a point must be an object, as in {\"x1\": 0.5}");
    for (size_t i = 0; i < space->count; i++) {
        const una_dimension *d = &space->dimension[i];
        UNA_TRY(space_read_value(&point[i], d, json_object_get(given, d->name), run));
    }
    return una_space_check(space, point, run);
}

una_status una_space_read(double *point, const una_space *space, const char *json, una_run *run)
{
    UNA_SCOPED(run, read_point(point, space, json, run));
    return UNA_OK;
}

/* ---- quasi-random points --------------------------------------------------------------------------------------- */

void una_quasi(double *unit, size_t dimensions, uint64_t index, uint64_t seed)
{
    double g = 2, power = 1;
    for (int turn = 0; turn < 64; turn++) g = pow(1 + g, 1 / ((double)dimensions + 1));
    una_rng rng = una_rng_at(seed, UNA_FOR_SPACE, 0);
    for (size_t d = 0; d < dimensions; d++) {
        power /= g;
        double at = una_rng_uniform(&rng) + fmod((double)(index + 1) * power, 1);
        unit[d] = at - floor(at);
    }
}
