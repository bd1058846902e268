/* SPDX-License-Identifier: MIT
 *
 * The grammar of covariance functions, compiled into the flat program of program.h:
 *   sum     := product { "+" product }
 *   product := atom { "*" atom }
 *   atom    := number | "(" sum ")" | name [ "(" [ key "=" value { "," key "=" value } ] ")" ]
 *   value   := [-]number | "[" [-]number { "," [-]number } "]" | column | "[" column { "," column } "]"
 * Differences, quotients and signs are refused: they need not be covariances.
 *
 * Units. What the user writes is in the user's units: lengths and periods are divided by the input's scale; the
 * length of `periodic` has no unit; `var` of `linear` is per squared unit, around `centre` (the input's own centre
 * if not given). What the user does not write is in the input's own scale: a length is 1 standard deviation, and
 * `linear` without var has slope variance 1 per squared standard deviation. So a kernel with everything written
 * has the same values on standardised inputs as on the original ones.
 */
#include "base/lexer.h"
#include "gp/program.h"

enum { KEY_VAR, KEY_LENGTH, KEY_PERIOD, KEY_CENTRE, KEY_ON, KEYS };
static const char *const key_names[KEYS] = { "var", "length", "period", "centre", "on" };

typedef struct leaf_kind {
    const char *name;
    unsigned    keys;            /* bit per KEY_ */
    const char *keys_text;
} leaf_kind;

#define STATIONARY (1u << KEY_VAR | 1u << KEY_LENGTH | 1u << KEY_ON)
static const leaf_kind kinds[] = {               /* by una_kernel_code */
    { "rbf", STATIONARY, "var, length and on" },
    { "matern12", STATIONARY, "var, length and on" },
    { "matern32", STATIONARY, "var, length and on" },
    { "matern52", STATIONARY, "var, length and on" },
    { "periodic", STATIONARY | 1u << KEY_PERIOD, "var, length, period and on" },
    { "linear", 1u << KEY_VAR | 1u << KEY_CENTRE | 1u << KEY_ON, "var, centre and on" },
    { "constant", 1u << KEY_VAR, "var" }
};
enum { KINDS = sizeof kinds / sizeof *kinds };

const char *una_kernel_name(una_kernel_code leaf)
{
    return kinds[leaf].name;
}

typedef struct numbers {         /* a scalar or a list */
    double *value;
    size_t  count, at;
    bool    is_list;
} numbers;

typedef struct leaf_text {       /* one kernel as written */
    const leaf_kind *kind;
    una_kernel_code code;
    unsigned given;              /* bit per KEY_ */
    numbers  number[KEYS];
    size_t  *input, *group;      /* columns chosen by `on`, and which of its names chose them */
    size_t   input_count, group_count;
} leaf_text;

/* The text of a fitted kernel on many inputs is long, and is read again to repeat the fit: the limit is that of a
 * file. */
static const una_grammar grammar = {
    .most = UNA_LONGEST_TEXT, .what = "kernel", .signs = "+-*/^()[],;=~",
    .nothing = "there is no name between the quotes", .quoting = "is quoted"
};

typedef struct parser {
    una_lexer   lexer;
    una_kernel *kernel;
    const una_kernel_inputs *inputs;
    una_arena  *arena;
    size_t      height;          /* values on the program's stack at this point */
    size_t      nesting;
} parser;

/* ---- the program grows in the arena --------------------------------------------------------------- */

static una_status emit_kernel_op(parser *p, una_kernel_op op)
{
    una_kernel *k = p->kernel;
    bool joins = op.code == UNA_KERNEL_ADD || op.code == UNA_KERNEL_MULTIPLY;
    p->height = joins ? p->height - 1 : p->height + 1;
    if (p->height > UNA_KERNEL_DEPTH)
        return una_lexer_fail(&p->lexer, p->lexer.token.at,
                              "more than %d sums and products wait for their second part; "
                              "write the longest part first",
                              (int)UNA_KERNEL_DEPTH);

    k->op = una_arena_grow(p->arena, k->op, k->op_count, &k->op_room, sizeof *k->op);
    UNA_TRY(una_arena_check(p->arena));
    k->op[k->op_count++] = op;
    return UNA_OK;
}

/* More inputs and parameters behind those that are there. */
static una_status add_numbers(parser *p, size_t inputs, size_t parameters)
{
    una_kernel *k = p->kernel;
    for (size_t end = k->input_count + inputs; k->input_count < end; k->input_count++)
        k->input = una_arena_grow(p->arena, k->input, k->input_count, &k->input_room, sizeof *k->input);
    for (size_t end = k->parameter_count + parameters; k->parameter_count < end; k->parameter_count++)
        k->parameter = una_arena_grow(p->arena, k->parameter, k->parameter_count, &k->parameter_room, sizeof(double));
    return una_arena_check(p->arena);
}

static una_status emit_number(parser *p, double value)
{
    size_t at = p->kernel->parameter_count;
    UNA_TRY(add_numbers(p, 0, 1));
    p->kernel->parameter[at] = value;
    return emit_kernel_op(p, (una_kernel_op){ .code = UNA_KERNEL_CONSTANT, .parameter = at });
}

/* ---- columns --------------------------------------------------------------------------------------- */

/* "colour" is the column of "colour=red". */
static bool is_level_of(const char *input, const char *column)
{
    size_t length = strlen(column);
    return strncmp(input, column, length) == 0 && input[length] == '=';
}

static una_status unknown_column(parser *p, const una_token *token)
{
    const una_kernel_inputs *in = p->inputs;
    char near[128];
    const char **known = UNA_GET(p->arena, const char *, 2 * in->count);
    size_t count = 0;

    for (size_t i = 0; known && i < in->count; i++) {
        known[count++] = in->name[i];
        char *column = strchr(in->name[i], '=') ? una_arena_text(p->arena, in->name[i]) : NULL;
        if (!column) continue;
        *strchr(column, '=') = 0;
        known[count++] = column;
    }

    UNA_TRY(una_arena_check(p->arena));
    return una_lexer_fail(&p->lexer, token->at, "there is no input \"%.200s\"%s", token->name,
                          una_did_you_mean(near, token->name, known, count));
}

static una_status choose_column(parser *p, leaf_text *leaf, size_t i, const una_token *token)
{
    for (size_t j = 0; j < leaf->input_count; j++)
        if (leaf->input[j] == i)
            return una_lexer_fail(&p->lexer, token->at, "\"%.200s\" names the input \"%.200s\" a second time",
                                  token->name, p->inputs->name[i]);
    leaf->input[leaf->input_count] = i;
    leaf->group[leaf->input_count++] = leaf->group_count;
    return UNA_OK;
}

static una_status parse_leaf_column(parser *p, leaf_text *leaf)
{
    una_token token = p->lexer.token;
    const una_kernel_inputs *in = p->inputs;
    char words[64];
    if (token.kind != UNA_TOKEN_NAME && token.kind != UNA_TOKEN_QUOTED)
        return una_lexer_fail(&p->lexer, token.at,
                              "expected the name of an input after \"on\" but found %s; a name that is "
                              "not a plain word is quoted",
                              una_token_words(&token, words));

    size_t exact = una_find_text(token.name, in->name, in->count), before = leaf->input_count;
    if (exact < in->count) UNA_TRY(choose_column(p, leaf, exact, &token));
    for (size_t i = 0; exact == in->count && i < in->count; i++)
        if (is_level_of(in->name[i], token.name)) UNA_TRY(choose_column(p, leaf, i, &token));
    if (leaf->input_count == before) return unknown_column(p, &token);

    leaf->group_count++;
    return una_lexer_next(&p->lexer);
}

static una_status parse_columns(parser *p, leaf_text *leaf)
{
    if (!una_lexer_sees(&p->lexer, '[')) return parse_leaf_column(p, leaf);
    do {
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(parse_leaf_column(p, leaf));
    } while (una_lexer_sees(&p->lexer, ','));
    return una_lexer_expect(&p->lexer, ']', "after the names");
}

/* Without `on`: every input, the levels of one text column forming one group. */
static void choose_all_inputs(parser *p, leaf_text *leaf)
{
    for (size_t i = 0; i < p->inputs->count; i++) {
        const char *name = p->inputs->name[i], *before = i ? p->inputs->name[i - 1] : "";
        size_t length = strcspn(name, "=");
        bool same = i && name[length] == '=' && strncmp(before, name, length + 1) == 0;
        if (!same) leaf->group_count++;
        leaf->input[i] = i;
        leaf->group[i] = leaf->group_count - 1;
    }
    leaf->input_count = p->inputs->count;
}

/* ---- numbers ----------------------------------------------------------------------------------------- */

static una_status parse_one_number(parser *p, int key, numbers *to)
{
    char what_for[32], shown[32];
    double value = 0;
    size_t at = p->lexer.token.at;
    snprintf(what_for, sizeof what_for, "for \"%s\"", key_names[key]);
    UNA_TRY(una_lexer_number(&p->lexer, &value, what_for));

    if ((key == KEY_LENGTH || key == KEY_PERIOD) && value <= 0)
        return una_lexer_fail(&p->lexer, at, "%s=%s is not allowed: a %s is greater than 0", key_names[key],
                              una_number_text(shown, value), key_names[key]);
    if (key == KEY_VAR && value < 0)
        return una_lexer_fail(&p->lexer, at, "var=%s is not allowed: a variance is at least 0",
                              una_number_text(shown, value));

    /* A list beyond every possible number of inputs is counted only; its length is refused later. */
    if (to->count <= p->inputs->count) to->value[to->count] = value;
    to->count++;
    return UNA_OK;
}

static una_status parse_numbers(parser *p, int key, numbers *to)
{
    to->at = p->lexer.token.at;
    to->is_list = una_lexer_sees(&p->lexer, '[');
    to->value = UNA_GET(p->arena, double, p->inputs->count + 1);
    if (!to->value) return UNA_E_MEMORY;
    if (!to->is_list) return parse_one_number(p, key, to);
    if (key == KEY_VAR) return una_lexer_fail(&p->lexer, to->at, "\"var\" takes one number, not a list");
    do {
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(parse_one_number(p, key, to));
    } while (una_lexer_sees(&p->lexer, ','));
    return una_lexer_expect(&p->lexer, ']', "after the numbers");
}

static una_status check_number_list(parser *p, const leaf_text *leaf, int key)
{
    const numbers *n = &leaf->number[key];
    if (!n->is_list || n->count == leaf->group_count || n->count == leaf->input_count) return UNA_OK;
    return una_lexer_fail(&p->lexer, n->at,
                          "\"%s\" has %zu number%s and this %s works on %zu input%s; give one number, or a "
                          "list with one for each",
                          key_names[key], n->count, n->count == 1 ? "" : "s", leaf->kind->name, leaf->group_count,
                          leaf->group_count == 1 ? "" : "s");
}

static double leaf_number(const leaf_text *leaf, int key, size_t i)
{
    const numbers *n = &leaf->number[key];
    if (!n->is_list) return n->value[0];
    return n->count == leaf->input_count ? n->value[i] : n->value[leaf->group[i]];
}

/* ---- one kernel ---------------------------------------------------------------------------------------- */

static una_status find_key(parser *p, const leaf_text *leaf, int *key)
{
    const una_token *token = &p->lexer.token;
    char words[64], near[128];
    if (token->kind != UNA_TOKEN_NAME)
        return una_lexer_fail(&p->lexer, token->at, "expected a setting of %s such as %s=1 but found %s; settings are "
                              "written as key=value", leaf->kind->name, leaf->code == UNA_KERNEL_CONSTANT ||
                              leaf->code == UNA_KERNEL_LINEAR ? "var" : "length", una_token_words(token, words));

    *key = (int)una_find_text(token->name, key_names, KEYS);
    if (*key == KEYS || !(leaf->kind->keys >> *key & 1u))
        return una_lexer_fail(&p->lexer, token->at, "%s has no setting \"%.100s\"%s (it takes %s)", leaf->kind->name,
                              token->name, *key == KEYS ? una_did_you_mean(near, token->name, key_names, KEYS) : "",
                              leaf->kind->keys_text);

    if (leaf->given >> *key & 1u) return una_lexer_fail(&p->lexer, token->at, "\"%s\" is set twice", token->name);
    return una_lexer_next(&p->lexer);
}

static una_status parse_settings(parser *p, leaf_text *leaf)
{
    do {
        int key = KEYS;
        UNA_TRY(una_lexer_next(&p->lexer));
        if (leaf->given == 0 && una_lexer_sees(&p->lexer, ')')) break;
        UNA_TRY(find_key(p, leaf, &key));
        UNA_TRY(una_lexer_expect(&p->lexer, '=', "after the setting's name"));
        leaf->given |= 1u << key;
        UNA_TRY(key == KEY_ON ? parse_columns(p, leaf) : parse_numbers(p, key, &leaf->number[key]));
    } while (una_lexer_sees(&p->lexer, ','));
    return una_lexer_expect(&p->lexer, ')', "after the settings");
}

/* In standard deviations, where none is written. The length of `periodic` has no unit, and stays. */
static double unwritten_length(const parser *p, const leaf_text *leaf, bool has_unit)
{
    bool grows = p->inputs->lengths_grow && has_unit && leaf->group_count > 1;
    return grows ? 2 * sqrt((double)leaf->group_count) : 1;
}

/* A length or period in standardised units. */
static una_status convert_length(parser *p, const leaf_text *leaf, int key, bool has_unit, double *to)
{
    for (size_t i = 0; i < leaf->input_count; i++) {
        to[i] = unwritten_length(p, leaf, has_unit);
        if (!(leaf->given >> key & 1u)) continue;
        double scale = has_unit && p->inputs->scale ? p->inputs->scale[leaf->input[i]] : 1;
        to[i] = leaf_number(leaf, key, i) / scale;
        if (!(to[i] >= 1e-150 && to[i] <= 1e150))
            return una_lexer_fail(&p->lexer, leaf->number[key].at,
                                  "this %s is too far from the spread of \"%.200s\", which is %g",
                                  key_names[key], p->inputs->name[leaf->input[i]], scale);
    }
    return UNA_OK;
}

static void convert_linear(parser *p, const leaf_text *leaf, double *slope, double *centre)
{
    for (size_t i = 0; i < leaf->input_count; i++) {
        size_t column = leaf->input[i];
        double scale = p->inputs->scale ? p->inputs->scale[column] : 1,
               zero = p->inputs->centre ? p->inputs->centre[column] : 0;
        slope[i] = leaf->given >> KEY_VAR & 1u ? scale : 1;
        centre[i] = leaf->given >> KEY_CENTRE & 1u ? (leaf_number(leaf, KEY_CENTRE, i) - zero) / scale : 0;
    }
}

static una_status emit_leaf(parser *p, const leaf_text *leaf)
{
    una_kernel *k = p->kernel;
    una_kernel_code code = leaf->code;
    size_t n = code == UNA_KERNEL_CONSTANT ? 0 : leaf->input_count;
    const una_kernel_op op = { code, k->input_count, n, k->parameter_count };
    UNA_TRY(add_numbers(p, n, una_kernel_owns(&op)));

    double *parameter = k->parameter + op.parameter;
    if (n) memcpy(k->input + op.input, leaf->input, n * sizeof *k->input);
    parameter[0] = leaf->given >> KEY_VAR & 1u ? leaf->number[KEY_VAR].value[0] : 1;
    if (code == UNA_KERNEL_LINEAR) convert_linear(p, leaf, parameter + 1, parameter + 1 + n);
    else if (n) UNA_TRY(convert_length(p, leaf, KEY_LENGTH, code != UNA_KERNEL_PERIODIC, parameter + 1));
    if (code == UNA_KERNEL_PERIODIC) UNA_TRY(convert_length(p, leaf, KEY_PERIOD, true, parameter + 1 + n));
    return emit_kernel_op(p, op);
}

static una_status parse_leaf(parser *p)
{
    una_token token = p->lexer.token;
    leaf_text leaf = { .kind = NULL };
    const char *names[KINDS];
    char near[128];
    for (size_t i = 0; i < KINDS; i++) {
        names[i] = kinds[i].name;
        if (strcmp(token.name, kinds[i].name) != 0) continue;
        leaf.kind = &kinds[i];
        leaf.code = (una_kernel_code)i;
    }
    if (!leaf.kind)
        return una_lexer_fail(&p->lexer, token.at,
                              "there is no kernel \"%.100s\"%s (known are rbf, matern12, matern32, "
                              "matern52, periodic, linear and constant)",
                              token.name, una_did_you_mean(near, token.name, names, KINDS));

    UNA_NEW_AT(p->arena, leaf.input, p->inputs->count);
    UNA_NEW_AT(p->arena, leaf.group, p->inputs->count);
    UNA_TRY(una_lexer_next(&p->lexer));
    if (una_lexer_sees(&p->lexer, '(')) UNA_TRY(parse_settings(p, &leaf));

    if (leaf.code == UNA_KERNEL_PERIODIC && !(leaf.given >> KEY_PERIOD & 1u))
        return una_lexer_fail(&p->lexer, token.at, "periodic needs its period, as in periodic(period=2)");
    if (!(leaf.given >> KEY_ON & 1u)) choose_all_inputs(p, &leaf);
    for (int key = KEY_LENGTH; key <= KEY_CENTRE; key++) UNA_TRY(check_number_list(p, &leaf, key));
    return emit_leaf(p, &leaf);
}

/* ---- sums and products ------------------------------------------------------------------------------------ */

static una_status parse_kernel_sum(parser *p);

static una_status parse_atom(parser *p)
{
    una_token token = p->lexer.token;
    char words[64];

    if (token.kind == UNA_TOKEN_NAME) return parse_leaf(p);
    if (token.kind == UNA_TOKEN_NUMBER) {
        UNA_TRY(emit_number(p, token.number));
        return una_lexer_next(&p->lexer);
    }
    if (una_lexer_sees(&p->lexer, '(')) {
        if (++p->nesting > UNA_KERNEL_DEPTH)
            return una_lexer_fail(&p->lexer, token.at, "brackets are nested more than %d deep", (int)UNA_KERNEL_DEPTH);
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(parse_kernel_sum(p));
        p->nesting--;
        return una_lexer_expect(&p->lexer, ')', "to close the bracket");
    }

    if (una_lexer_sees(&p->lexer, '-') || una_lexer_sees(&p->lexer, '+'))
        return una_lexer_fail(&p->lexer, token.at,
                              "a sign has no place here: covariances are only added and multiplied, and "
                              "factors are not negative");
    return una_lexer_fail(&p->lexer, token.at, "expected a kernel such as rbf(length=1) or a number but found %s",
                          una_token_words(&token, words));
}

/* Parts with a sign between them, each of which is an atom, or for a sum a product of atoms. */
static una_status parse_kernel_parts(parser *p, char sign)
{
    una_kernel_code code = sign == '+' ? UNA_KERNEL_ADD : UNA_KERNEL_MULTIPLY;
    for (bool first = true; first || una_lexer_sees(&p->lexer, sign); first = false) {
        if (!first) UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(sign == '+' ? parse_kernel_parts(p, '*') : parse_atom(p));
        if (!first) UNA_TRY(emit_kernel_op(p, (una_kernel_op){ .code = code }));
    }
    return UNA_OK;
}

static una_status parse_kernel_sum(parser *p)
{
    UNA_TRY(parse_kernel_parts(p, '+'));
    if (una_lexer_sees(&p->lexer, '-') || una_lexer_sees(&p->lexer, '/') || una_lexer_sees(&p->lexer, '^'))
        return una_lexer_fail(&p->lexer, p->lexer.token.at,
                              "\"%c\" cannot join kernels: only sums and products of covariances "
                              "are always covariances; a factor is written as 0.5*",
                              p->lexer.token.sign);
    return UNA_OK;
}

una_status una_kernel_parse(una_kernel **kernel, const char *text, const una_kernel_inputs *inputs, una_arena *arena,
                            una_run *run)
{
    char words[64];
    *kernel = NULL;
    parser p = { .kernel = UNA_GET(arena, una_kernel, 1), .inputs = inputs, .arena = arena };
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_lexer_begin(&p.lexer, text, &grammar, arena, run));
    UNA_TRY(parse_kernel_sum(&p));
    if (p.lexer.token.kind != UNA_TOKEN_END)
        return una_lexer_fail(&p.lexer, p.lexer.token.at, "expected \"+\", \"*\" or the end but found %s",
                              una_token_words(&p.lexer.token, words));
    *kernel = p.kernel;
    return UNA_OK;
}
