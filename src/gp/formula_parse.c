/* SPDX-License-Identifier: MIT
 *
 * The grammar of formulas with random parameters, compiled into the flat program of formula.h:
 *   formula    := sum { separator definition }          separator: ";" or "," or a line's end outside brackets
 *   definition := name "=" sum | name "~" law "(" sum "," sum ")"       with constants only in these sums
 *   sum        := product { ("+" | "-") product }
 *   product    := signed { ("*" | "/") signed }
 *   signed     := "-" signed | power
 *   power      := primary [ "^" signed ]                (so -x^2 is -(x^2), and 2^3^2 is 2^9)
 *   primary    := number | name | "quoted input" | function "(" sum { "," sum } ")" | "(" sum ")"
 * Functions: sin cos tan exp log sqrt abs tanh, step(x) (1 from x = 0 on, else 0), min and max of two or more.
 * Laws: normal(mean, std), uniform(low, high), lognormal(mu, sigma). Constants: pi, e; an input of that name wins.
 */
#include "base/lexer.h"
#include "gp/formula.h"

static double unit_step(double x)
{
    return isnan(x) ? x : x >= 0;
}

typedef struct function {
    const char *name;
    double    (*call)(double);   /* NULL: min and max */
    char        sign;            /* which of them     */
} function;
static const function functions[] = {
    { "sin", sin, 0 },   { "cos", cos, 0 },   { "tan", tan, 0 },        { "exp", exp, 0 },    { "log", log, 0 },
    { "sqrt", sqrt, 0 }, { "abs", fabs, 0 },  { "tanh", tanh, 0 },      { "step", unit_step, 0 },
    { "min", NULL, '<' }, { "max", NULL, '>' }
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

static const char *const constant_names[] = { "pi", "e" };
static const double constants[] = { 3.14159265358979323846, 2.71828182845904523536 };
enum { CONSTANTS = 2 };

static const char *const law_names[] = { "normal", "uniform", "lognormal" };
static const una_formula_law laws[] = { UNA_LAW_NORMAL, UNA_LAW_UNIFORM, UNA_LAW_LOGNORMAL };
enum { LAWS = 3 };

static const una_grammar grammar = {
    .what = "formula", .signs = "+-*/^()[],;=~", .lines = true,
    .nothing = "there is no name between the quotes", .quoting = "is quoted"
};

typedef struct parser {
    una_lexer    lexer;
    una_formula *formula;
    const una_kernel_inputs *inputs;
    una_arena   *arena;
    size_t       depth;          /* of the recursion                             */
    size_t       height;         /* values on the program's stack at this point  */
    bool         constant;       /* within a definition: neither inputs nor parameters */
} parser;

static una_status emit_formula_op(parser *p, una_formula_op op)
{
    una_formula *f = p->formula;
    if (op.code == UNA_FORMULA_JOIN) p->height--;
    else if (op.code != UNA_FORMULA_CALL && op.code != UNA_FORMULA_NEGATE) p->height++;
    if (p->height > UNA_FORMULA_DEPTH)
        return una_lexer_fail(&p->lexer, p->lexer.token.at,
                              "more than %d operations wait for their second part; write the "
                              "longest part first",
                              (int)UNA_FORMULA_DEPTH);

    f->op = una_arena_grow(p->arena, f->op, f->op_count, &f->op_room, sizeof *f->op);
    UNA_TRY(una_arena_check(p->arena));
    f->op[f->op_count++] = op;
    return UNA_OK;
}

/* ---- names -------------------------------------------------------------------------------------------- */

/* Every name that may stand alone in a function, for "did you mean". */
static const char *const *known_names(parser *p, size_t *count)
{
    const una_formula *f = p->formula;
    const char **names = UNA_GET(p->arena, const char *, p->inputs->count + CONSTANTS + f->parameter_count);
    *count = 0;
    if (!names) return NULL;
    for (size_t i = 0; i < p->inputs->count; i++) names[(*count)++] = p->inputs->name[i];
    for (size_t i = 0; i < CONSTANTS; i++) names[(*count)++] = constant_names[i];
    for (size_t i = 0; i < f->parameter_count; i++)
        if (f->parameter[i].law != UNA_LAW_NONE) names[(*count)++] = f->parameter[i].name;
    return names;
}

static una_status emit_input(parser *p, size_t column)
{
    una_formula *f = p->formula;
    size_t i = 0;
    while (i < f->input_count && f->input[i].column != column) i++;
    if (i == f->input_count) {
        f->input[f->input_count++] = (una_formula_input){
            .name = una_arena_text(p->arena, p->inputs->name[column]), .column = column,
            .centre = p->inputs->centre ? p->inputs->centre[column] : 0,
            .scale = p->inputs->scale ? p->inputs->scale[column] : 1 };
        UNA_TRY(una_arena_check(p->arena));
    }
    return emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_INPUT, .index = i });
}

static una_status emit_parameter(parser *p, const una_token *token)
{
    una_formula *f = p->formula;
    size_t i = 0;
    while (i < f->parameter_count && strcmp(f->parameter[i].name, token->name) != 0) i++;
    if (i == UNA_FORMULA_PARAMETERS)
        return una_lexer_fail(&p->lexer, token->at, "\"%.100s\" is one parameter too many; at most %d are allowed",
                              token->name, (int)UNA_FORMULA_PARAMETERS);
    if (i == f->parameter_count)
        f->parameter[f->parameter_count++] = (una_formula_parameter){ .name = token->name, .at = token->at };
    return emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_PARAMETER, .index = i });
}

static una_status emit_name(parser *p, const una_token *token)
{
    char near[128];
    size_t column = una_find_text(token->name, p->inputs->name, p->inputs->count);
    size_t constant = token->kind == UNA_TOKEN_NAME ? una_find_text(token->name, constant_names, CONSTANTS) : CONSTANTS;
    if (column < p->inputs->count && !p->constant) return emit_input(p, column);
    if (constant < CONSTANTS)
        return emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_NUMBER, .number = constants[constant] });
    if (p->constant)
        return una_lexer_fail(&p->lexer, token->at,
                              "\"%.100s\" has no place in a definition: only numbers, pi and e have", token->name);
    if (token->kind == UNA_TOKEN_NAME) return emit_parameter(p, token);
    return una_lexer_fail(&p->lexer, token->at, "there is no input \"%.200s\"%s", token->name,
                          una_did_you_mean(near, token->name, p->inputs->name, p->inputs->count));
}

/* ---- expressions ---------------------------------------------------------------------------------------- */

static una_status parse_formula_parts(parser *p, bool sum);

static una_status parse_arguments(parser *p, const una_token *name, const function *called)
{
    size_t count = 0;
    do {
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(parse_formula_parts(p, true));
        if (++count > 1 && !called->call)
            UNA_TRY(emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_JOIN, .sign = called->sign }));
    } while (una_lexer_sees(&p->lexer, ','));
    UNA_TRY(una_lexer_expect(&p->lexer, ')', "after the function's arguments"));
    if (called->call && count != 1)
        return una_lexer_fail(&p->lexer, name->at, "%s takes one argument, not %zu", called->name, count);
    if (!called->call && count < 2)
        return una_lexer_fail(&p->lexer, name->at, "%s takes two arguments or more, not one", called->name);
    return called->call ? emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_CALL, .call = called->call })
           : UNA_OK;
}

static una_status parse_call(parser *p, const una_token *name)
{
    const char *names[FUNCTIONS];
    char near[128];
    for (size_t i = 0; i < FUNCTIONS; i++) names[i] = functions[i].name;
    size_t i = una_find_text(name->name, names, FUNCTIONS);
    if (i < FUNCTIONS) return parse_arguments(p, name, &functions[i]);
    return una_lexer_fail(&p->lexer, name->at,
                          "there is no function \"%.100s\"%s (known are sin, cos, tan, exp, log, sqrt, "
                          "abs, tanh, step, min and max; a product is written with *)",
                          name->name, una_did_you_mean(near, name->name, names, FUNCTIONS));
}

static una_status parse_formula_primary(parser *p)
{
    una_token token = p->lexer.token;
    char words[64];

    if (token.kind == UNA_TOKEN_NUMBER) {
        UNA_TRY(emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_NUMBER, .number = token.number }));
        return una_lexer_next(&p->lexer);
    }
    if (token.kind == UNA_TOKEN_NAME || token.kind == UNA_TOKEN_QUOTED) {
        UNA_TRY(una_lexer_next(&p->lexer));
        if (token.kind == UNA_TOKEN_NAME && una_lexer_sees(&p->lexer, '(')) return parse_call(p, &token);
        return emit_name(p, &token);
    }
    if (una_lexer_sees(&p->lexer, '(')) {
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(parse_formula_parts(p, true));
        return una_lexer_expect(&p->lexer, ')', "to close the bracket");
    }

    return una_lexer_fail(&p->lexer, token.at, "expected a number, an input, a parameter or a function but found %s",
                          una_token_words(&token, words));
}

/* Every recursion of the grammar passes here, so the depth is bounded here. */
static una_status parse_formula_signed(parser *p)
{
    bool negative = una_lexer_sees(&p->lexer, '-');
    if (++p->depth > UNA_FORMULA_DEPTH)
        return una_lexer_fail(&p->lexer, p->lexer.token.at, "the formula is nested more than %d deep",
                              (int)UNA_FORMULA_DEPTH);

    if (negative) {
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(parse_formula_signed(p));
        UNA_TRY(emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_NEGATE }));
    } else {
        UNA_TRY(parse_formula_primary(p));
        if (una_lexer_sees(&p->lexer, '^')) {
            UNA_TRY(una_lexer_next(&p->lexer));
            UNA_TRY(parse_formula_signed(p));
            UNA_TRY(emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_JOIN, .sign = '^' }));
        }
    }

    p->depth--;
    return UNA_OK;
}

/* Parts with one of two signs between them: of a product, or of a sum, whose parts are products. */
static una_status parse_formula_parts(parser *p, bool sum)
{
    const char *signs = sum ? "+-" : "*/";
    UNA_TRY(sum ? parse_formula_parts(p, false) : parse_formula_signed(p));
    for (;;) {
        char sign = signs[una_lexer_sees(&p->lexer, signs[0]) ? 0 : 1];
        if (!una_lexer_sees(&p->lexer, sign)) return UNA_OK;
        UNA_TRY(una_lexer_next(&p->lexer));
        UNA_TRY(sum ? parse_formula_parts(p, false) : parse_formula_signed(p));
        UNA_TRY(emit_formula_op(p, (una_formula_op){ .code = UNA_FORMULA_JOIN, .sign = sign }));
    }
}

/* ---- definitions ------------------------------------------------------------------------------------------ */

/* A sum of constants, worked out now: its operations are taken back from the program's end. */
static una_status parse_constant(parser *p, double *value)
{
    una_formula *f = p->formula;
    size_t from = f->op_count, at = p->lexer.token.at;
    p->constant = true;
    UNA_TRY(parse_formula_parts(p, true));
    p->constant = false;
    una_formula_run(f, (una_formula_part){ f->op + from, f->op_count - from }, NULL, (una_view){ .rows = 1 }, value);
    f->op_count = from;
    p->height = 0;
    if (isfinite(*value)) return UNA_OK;
    return una_lexer_fail(&p->lexer, at, "the number worked out here is not finite");
}

static una_status check_law(parser *p, const una_formula_parameter *q, size_t at)
{
    char first[32], second[32];
    if (q->law == UNA_LAW_UNIFORM && q->first > q->second)
        return una_lexer_fail(&p->lexer, at, "uniform(%s, %s) is empty: the lower end comes first",
                              una_number_text(first, q->first), una_number_text(second, q->second));
    if (q->law != UNA_LAW_UNIFORM && q->second < 0)
        return una_lexer_fail(&p->lexer, at, "%s(%s, %s) is not allowed: a standard deviation is at least 0",
                              q->law == UNA_LAW_NORMAL ? "normal" : "lognormal", una_number_text(first, q->first),
                              una_number_text(second, q->second));
    return UNA_OK;
}

static una_status parse_law(parser *p, una_formula_parameter *q)
{
    una_token token = p->lexer.token;
    char words[64], near[128];
    size_t i = token.kind == UNA_TOKEN_NAME ? una_find_text(token.name, law_names, LAWS) : LAWS;
    if (i == LAWS)
        return una_lexer_fail(&p->lexer, token.at,
                              "expected normal(mean, std), uniform(low, high) or lognormal(mu, sigma) after "
                              "\"~\" but found %s%s",
                              una_token_words(&token, words),
                              token.kind == UNA_TOKEN_NAME ? una_did_you_mean(near, token.name, law_names, LAWS) : "");

    q->law = laws[i];
    UNA_TRY(una_lexer_next(&p->lexer));
    UNA_TRY(una_lexer_expect(&p->lexer, '(', "after the law's name"));
    UNA_TRY(parse_constant(p, &q->first));
    UNA_TRY(una_lexer_expect(&p->lexer, ',', "and a second number, since every law takes two,"));
    UNA_TRY(parse_constant(p, &q->second));
    UNA_TRY(una_lexer_expect(&p->lexer, ')', "after the law's two numbers"));
    return check_law(p, q, token.at);
}

/* The parameter that a definition is about. */
static una_status find_parameter(parser *p, size_t *index)
{
    una_formula *f = p->formula;
    una_token token = p->lexer.token;
    const char *used[UNA_FORMULA_PARAMETERS];
    char words[64], near[128];
    if (token.kind != UNA_TOKEN_NAME)
        return una_lexer_fail(&p->lexer, token.at, "expected a definition such as a~normal(0, 1) or a=2 but found %s",
                              una_token_words(&token, words));

    for (size_t i = 0; i < f->parameter_count; i++) used[i] = f->parameter[i].name;
    *index = una_find_text(token.name, used, f->parameter_count);
    if (*index < f->parameter_count) {
        if (f->parameter[*index].law == UNA_LAW_NONE) return UNA_OK;
        return una_lexer_fail(&p->lexer, token.at, "\"%.100s\" is defined twice", token.name);
    }

    if (una_find_text(token.name, p->inputs->name, p->inputs->count) < p->inputs->count)
        return una_lexer_fail(&p->lexer, token.at,
                              "\"%.100s\" is an input and cannot be defined; give the parameter another name",
                              token.name);
    if (una_find_text(token.name, constant_names, CONSTANTS) < CONSTANTS)
        return una_lexer_fail(&p->lexer, token.at,
                              "\"%s\" is a constant and cannot be defined; give the parameter another name",
                              token.name);
    return una_lexer_fail(&p->lexer, token.at, "\"%.100s\" is defined but the function does not use it%s", token.name,
                          una_did_you_mean(near, token.name, used, f->parameter_count));
}

static una_status parse_definition(parser *p)
{
    una_formula *f = p->formula;
    size_t index = 0;
    UNA_TRY(find_parameter(p, &index));
    UNA_TRY(una_lexer_next(&p->lexer));
    f->order[f->defined++] = index;
    if (una_lexer_sees(&p->lexer, '=')) {
        f->parameter[index].law = UNA_LAW_FIXED;
        UNA_TRY(una_lexer_next(&p->lexer));
        return parse_constant(p, &f->parameter[index].first);
    }
    UNA_TRY(una_lexer_expect(&p->lexer, '~', "or \"=\" after the parameter's name"));
    return parse_law(p, &f->parameter[index]);
}

static bool at_separator(const parser *p)
{
    return una_lexer_sees(&p->lexer, ';') || una_lexer_sees(&p->lexer, ',') || una_lexer_sees(&p->lexer, '\n');
}

static una_status parse_clauses(parser *p)
{
    char words[64];
    while (una_lexer_sees(&p->lexer, '\n')) UNA_TRY(una_lexer_next(&p->lexer));
    UNA_TRY(parse_formula_parts(p, true));
    p->height = 0;

    while (p->lexer.token.kind != UNA_TOKEN_END) {
        if (una_lexer_sees(&p->lexer, '=') || una_lexer_sees(&p->lexer, '~'))
            return una_lexer_fail(&p->lexer, p->lexer.token.at,
                                  "the function comes first and the definitions after it, as in "
                                  "a*x1; a~normal(0, 1)");
        if (!at_separator(p))
            return una_lexer_fail(&p->lexer, p->lexer.token.at, "expected an operator, \";\" or the end but found %s",
                                  una_token_words(&p->lexer.token, words));
        while (at_separator(p)) UNA_TRY(una_lexer_next(&p->lexer));
        if (p->lexer.token.kind != UNA_TOKEN_END) UNA_TRY(parse_definition(p));
    }
    return UNA_OK;
}

static una_status fail_undefined(parser *p, const una_formula_parameter *q)
{
    char near[128];
    size_t count = 0, length = strlen(q->name);
    for (size_t i = 0; i < p->inputs->count; i++)
        if (strncmp(p->inputs->name[i], q->name, length) == 0 && p->inputs->name[i][length] == '=')
            return una_lexer_fail(&p->lexer, q->at,
                                  "\"%.100s\" holds categories; name one of them, such as \"%.150s\" with "
                                  "its quotes, which is 1 or 0",
                                  q->name, p->inputs->name[i]);

    const char *const *names = known_names(p, &count);
    if (!names) return UNA_E_MEMORY;
    return una_lexer_fail(&p->lexer, q->at,
                          "\"%.100s\" is neither an input nor a defined parameter%s (a parameter is defined "
                          "after the function, as in %.100s~normal(0, 1) or %.100s=1)",
                          q->name, una_did_you_mean(near, q->name, names, count), q->name, q->name);
}

una_status una_formula_parse(una_formula **formula, const char *text, const una_kernel_inputs *inputs, una_arena *arena,
                             una_run *run)
{
    *formula = NULL;
    parser p = { .formula = UNA_GET(arena, una_formula, 1), .inputs = inputs, .arena = arena };
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_lexer_begin(&p.lexer, text, &grammar, arena, run));
    p.formula->text = una_arena_text(arena, text);
    UNA_NEW_AT(arena, p.formula->input, inputs->count);
    UNA_TRY(parse_clauses(&p));
    for (size_t i = 0; i < p.formula->parameter_count; i++)
        if (p.formula->parameter[i].law == UNA_LAW_NONE) return fail_undefined(&p, &p.formula->parameter[i]);
    *formula = p.formula;
    return UNA_OK;
}
