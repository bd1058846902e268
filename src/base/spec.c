/* SPDX-License-Identifier: MIT
 *
 * Specs: "name(key=value, ...)". One call reads one level; a value that is itself a spec or an expression stays
 * text, and only its brackets and quotes are checked. So a value can be handed on as it stands.
 */
#include "base/option.h"

enum { DEEPEST_SPEC = 4, DEEPEST_BRACKET = 32 };

typedef struct reader {
    const char *text, *at;
    una_arena  *arena;
    una_run    *run;             /* NULL: no messages wanted */
    bool        bare;            /* a list without a name    */
} reader;

static una_status refuse_spec(const reader *r, const char *where, const char *what)
{
    if (!r->run) return UNA_E_USAGE;
    UNA_FAIL(r->run, UNA_E_USAGE, "'%.200s' cannot be read: %s at character %zu; the form is %skey=value, key=value%s",
             r->text, what, (size_t)(where - r->text) + 1, r->bare ? "" : "name(", r->bare ? "" : ")");
}

static bool is_spec_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void skip_spec_blanks(reader *r)
{
    while (is_spec_blank(*r->at)) r->at++;
}

static una_status copy_slice(const char **copy, const reader *r, const char *from, const char *end)
{
    size_t length = (size_t)(end - from);
    UNA_NEW(r->arena, char, text, length + 1);
    *copy = memcpy(text, from, length);
    return UNA_OK;
}

static una_status read_name(const char **name, reader *r, const char *missing)
{
    const char *from = r->at;
    if (!UNA_IS_LETTER(*from) && *from != '_') return refuse_spec(r, from, missing);
    while (UNA_IS_LETTER(*r->at) || (*r->at && strchr("_0123456789-.", *r->at))) r->at++;
    return copy_slice(name, r, from, r->at);
}

/* r->at stands on a quote; moves behind the closing one. */
static una_status skip_quoted(reader *r)
{
    const char *from = r->at++;
    for (; *r->at && *r->at != '"'; r->at++) {
        if (*r->at != '\\') continue;
        if (r->at[1] != '"' && r->at[1] != '\\')
            return refuse_spec(r, r->at, "in quotes a backslash may only come before a quote or a backslash, unlike");
        r->at++;
    }
    if (!*r->at) return refuse_spec(r, from, "no closing quote follows the one");
    r->at++;
    return UNA_OK;
}

/* Brackets around the place being read. A level with an '=' in it is a spec, and specs count towards DEEPEST_SPEC. */
typedef struct nest {
    const char *open[DEEPEST_BRACKET];
    bool        spec[DEEPEST_BRACKET];
    size_t      depth, specs;
} nest;

/* A number, word, spec or expression: up to a comma or closing bracket of the level it began on. */
static una_status skip_plain(reader *r)
{
    nest n = { .depth = 0 };
    for (; *r->at; r->at++) {
        char c = *r->at, open = n.depth ? *n.open[n.depth - 1] : 0;
        if (n.depth == 0 && (c == ',' || c == ')')) break;
        if (c == '(' || c == '[') {
            if (n.depth == DEEPEST_BRACKET) return refuse_spec(r, r->at, "there are too many brackets in brackets");
            n.open[n.depth] = r->at;
            n.spec[n.depth++] = false;
        } else if (c == ')' || c == ']') {
            if (open != (c == ')' ? '(' : '['))
                return refuse_spec(r, r->at, "there is a closing bracket without its opening one");
            n.specs -= n.spec[--n.depth];
        } else if (c == '=' && !open) {
            return refuse_spec(r, r->at, "a comma is missing before, or quotes around the value with, the '='");
        } else if (c == '=' && !n.spec[n.depth - 1]) {
            n.spec[n.depth - 1] = true;
            /* The value's own key is one level up. */
            if (++n.specs + 1 > DEEPEST_SPEC) return refuse_spec(r, r->at, "specs are nested more than four deep");
        } else if (c == '"') {
            UNA_TRY(skip_quoted(r));
            r->at--;
        }
    }

    if (n.depth) return refuse_spec(r, n.open[n.depth - 1], "no closing bracket follows the one");
    return UNA_OK;
}

static una_status copy_quoted(const char **value, const reader *r, const char *from, const char *end)
{
    UNA_NEW(r->arena, char, text, (size_t)(end - from) + 1);
    *value = text;
    for (from++; from < end - 1; from++) {
        if (*from == '\\') from++;
        *text++ = *from;
    }
    return UNA_OK;
}

static una_status read_spec_value(const char **value, reader *r)
{
    const char *from = r->at;
    if (*from == '"') {
        UNA_TRY(skip_quoted(r));
        const char *end = r->at;
        skip_spec_blanks(r);
        /* "a b" alone is a text; "a b"*2 is an expression with a quoted name in it. */
        if (!*r->at || *r->at == ',' || *r->at == ')') return copy_quoted(value, r, from, end);
        r->at = from;
    }

    UNA_TRY(skip_plain(r));
    const char *end = r->at;
    while (end > from && is_spec_blank(end[-1])) end--;
    if (end == from) return refuse_spec(r, from, "a value is missing (write \"\" for an empty text)");
    return copy_slice(value, r, from, end);
}

static una_status read_item(una_spec *spec, reader *r)
{
    una_spec_item item;
    skip_spec_blanks(r);
    const char *from = r->at;
    UNA_TRY(read_name(&item.key, r, "the name of an option is missing"));
    for (size_t i = 0; i < spec->count; i++)
        if (strcmp(spec->items[i].key, item.key) == 0)
            return refuse_spec(r, from, "an option is given for the second time");

    skip_spec_blanks(r);
    if (*r->at != '=') return refuse_spec(r, r->at, "a '=' is missing");
    r->at++;
    skip_spec_blanks(r);
    UNA_TRY(read_spec_value(&item.value, r));
    skip_spec_blanks(r);

    spec->items[spec->count++] = item;
    return UNA_OK;
}

/* key=value, key=value; stops before whatever is no comma. */
static una_status read_spec_items(una_spec *spec, reader *r)
{
    size_t most = 0;                         /* every item has a '=' of its own */
    for (const char *at = r->at; *at; at++) most += *at == '=';
    UNA_NEW_AT(r->arena, spec->items, most);
    UNA_TRY(read_item(spec, r));
    while (*r->at == ',') {
        r->at++;
        UNA_TRY(read_item(spec, r));
    }
    return UNA_OK;
}

una_status una_spec_parse(una_spec *spec, const char *text, una_arena *arena, una_run *run)
{
    reader r = { .text = text, .at = text, .arena = arena, .run = run };
    *spec = (una_spec){ .name = "" };
    skip_spec_blanks(&r);
    UNA_TRY(read_name(&spec->name, &r, "a name is missing"));
    skip_spec_blanks(&r);

    if (*r.at == '(') {
        const char *from = r.at++;
        skip_spec_blanks(&r);
        if (*r.at != ')') UNA_TRY(read_spec_items(spec, &r));
        if (*r.at != ')') return refuse_spec(&r, from, "no closing bracket follows the one");
        r.at++;
        skip_spec_blanks(&r);
    }

    return *r.at ? refuse_spec(&r, r.at, "nothing more is expected") : UNA_OK;
}

una_status una_spec_parse_items(una_spec *spec, const char *text, una_arena *arena, una_run *run)
{
    reader r = { .text = text, .at = text, .arena = arena, .run = run, .bare = true };
    *spec = (una_spec){ .name = "" };
    skip_spec_blanks(&r);
    if (*r.at) UNA_TRY(read_spec_items(spec, &r));
    return *r.at ? refuse_spec(&r, r.at, "there is a closing bracket without its opening one") : UNA_OK;
}

bool una_spec_is_plain(const char *value)
{
    reader r = { .text = value, .at = value };
    size_t length = strlen(value);
    if (length == 0 || is_spec_blank(value[0]) || is_spec_blank(value[length - 1]) || value[0] == '"') return false;
    return skip_plain(&r) == UNA_OK && !*r.at;
}

static bool is_open(const una_text *text)
{
    return text->at && strchr(text->at, '(');
}

void una_spec_add(una_text *text, const char *key, const char *value)
{
    una_text_add(text, "%s%s=", is_open(text) ? ", " : "(", key);
    una_spec_value(text, value);
}

void una_spec_close(una_text *text)
{
    if (is_open(text)) una_text_add(text, ")");
}

const char *una_spec_find(const una_spec *spec, const char *key)
{
    for (size_t i = 0; i < spec->count; i++)
        if (strcmp(spec->items[i].key, key) == 0) return spec->items[i].value;
    return NULL;
}
