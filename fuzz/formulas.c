/* SPDX-License-Identifier: MIT
 *
 * Formulas with random parameters, and conditions on rows. The first byte bounds memory and says which (even: formula),
 * the rest is the text. The flat program that comes out is written down as an expression here, with no more brackets
 * than it needs; read again that must be the same program. A formula's values are finite or refused; a condition's
 * matches are those of the expression, of its negation the others.
 */
#include "read/where.h"
#include "fuzz.h"
#include "gp/formula.h"

enum { MOST_OPS = 300 };         /* of programs that are written down */

/* ---- expressions from postfix programs ------------------------------------------------------------------- */

typedef struct node { const char *text; int strength; int code; } node;  /* strength: 6 a primary, 1 the loosest */

static const char *joined(una_arena *arena, const char *format, const char *a, const char *b)
{
    una_text text = una_text_in(arena);
    for (const char *c = format; *c; c++) {
        const char *piece = *c == '@' ? a : *c == '#' ? b : NULL;
        una_text_bytes(&text, piece ? piece : c, piece ? strlen(piece) : 1);
    }
    return text.at;
}

static const char *held(una_arena *arena, node n, int least)
{
    return n.strength >= least ? n.text : joined(arena, "(@)", n.text, "");
}

/* a and b become one: `form` has @ and # for them. */
static void join(una_arena *arena, node *a, const node *b, const char *form, int left, int right, int strength)
{
    *a = (node){ joined(arena, form, held(arena, *a, left), b ? held(arena, *b, right) : ""), strength, 0 };
}

static const char *number(una_arena *arena, double value)
{
    una_text text = una_text_in(arena);
    una_text_number(&text, value);
    return text.at;
}

/* The name between quotes; one within stands twice. */
static const char *quoted(una_arena *arena, const char *name, char quote)
{
    una_text text = una_text_in(arena);
    una_text_bytes(&text, &quote, 1);
    for (; *name; name++) {
        if (*name == quote) una_text_bytes(&text, &quote, 1);
        una_text_bytes(&text, name, 1);
    }
    una_text_bytes(&text, &quote, 1);
    return text.at;
}

/* ---- formulas -------------------------------------------------------------------------------------------- */

enum { INPUTS = 3, POINTS = 3 };
static const char *const names[INPUTS] = { "x1", "colour=red", "Froude number" };
static const double centre[INPUTS] = { 0, 0.5, -3 }, scale[INPUTS] = { 1, 0.5, 1e-3 };
static const double x[POINTS * INPUTS] = { 0, 0, 0, 0.3, -1.2, 2, -40, 1e3, 1.5 };

static const char *call_name(double (*call)(double))
{
    static const struct { double (*call)(double); const char *name; } known[] = {
        { sin, "sin" }, { cos, "cos" }, { tan, "tan" }, { exp, "exp" }, { log, "log" }, { sqrt, "sqrt" },
        { fabs, "abs" }, { tanh, "tanh" }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].call == call) return known[i].name;
    return "step";
}

static void join_extremes(una_arena *arena, node *a, const node *b, char sign)
{
    const char *name = sign == '<' ? "min" : "max";
    if (a->code == sign) {              /* min(a, b, c): as flat as it may have been */
        char *open = una_arena_text(arena, a->text);
        if (!open) return;
        open[strlen(open) - 1] = 0;
        *a = (node){ joined(arena, "@, #)", open, b->text), 6, sign };
    } else {
        const char *both = joined(arena, "@, #", a->text, b->text);
        *a = (node){ joined(arena, "@(#)", name, both), 6, sign };
    }
}

static void join_signed(una_arena *arena, node *a, const node *b, char sign)
{
    switch (sign) {
    case '+': join(arena, a, b, "@ + #", 1, 2, 1); break;
    case '-': join(arena, a, b, "@ - #", 1, 2, 1); break;
    case '*': join(arena, a, b, "@*#", 2, 3, 2); break;
    case '/': join(arena, a, b, "@/#", 2, 3, 2); break;
    case '^': join(arena, a, b, "@^#", 6, 3, 4); break;
    default: join_extremes(arena, a, b, sign);
    }
}

static const char *formula_expression(const una_formula *f, una_arena *arena)
{
    node stack[UNA_FORMULA_DEPTH + 1];
    size_t top = 0;
    for (size_t i = 0; i < f->op_count; i++) {
        const una_formula_op *op = &f->op[i];
        node *a = top >= 2 ? &stack[top - 2] : stack, *b = top >= 2 ? &stack[top - 1] : NULL;
        if (una_arena_check(arena) != UNA_OK) return NULL;
        if (op->code == UNA_FORMULA_JOIN) top--;
        switch (op->code) {
        case UNA_FORMULA_NUMBER: stack[top++] = (node){ number(arena, op->number), 6, 0 }; break;
        case UNA_FORMULA_INPUT: stack[top++] = (node){ quoted(arena, f->input[op->index].name, '"'), 6, 0 }; break;
        case UNA_FORMULA_PARAMETER: stack[top++] = (node){ f->parameter[op->index].name, 6, 0 }; break;
        case UNA_FORMULA_CALL:
            stack[top - 1] = (node){ joined(arena, "@(#)", call_name(op->call), stack[top - 1].text), 6, 0 };
            break;
        case UNA_FORMULA_NEGATE: join(arena, &stack[top - 1], NULL, "-@", 3, 0, 3); break;
        default: join_signed(arena, a, b, op->sign);
        }
    }
    FUZZ_CHECK(top == 1, "%zu values are left of '%s'", top, f->text);
    return stack[0].text;
}

static const char *formula_text(const una_formula *f, una_arena *arena)
{
    static const char *const laws[] = { "", "=", "~normal", "~uniform", "~lognormal" };
    const char *expression = formula_expression(f, arena);
    una_text text = una_text_in(arena);
    una_text_add(&text, "%s", expression ? expression : "");
    for (size_t i = 0; i < f->defined; i++) {
        const una_formula_parameter *p = &f->parameter[f->order[i]];
        una_text_add(&text, "; %s%s%s%s", p->name, laws[p->law], p->law == UNA_LAW_FIXED ? "" : "(",
                     number(arena, p->first));
        if (p->law != UNA_LAW_FIXED) una_text_add(&text, ", %s)", number(arena, p->second));
    }
    return una_arena_check(arena) == UNA_OK ? text.at : NULL;
}

static void check_formula(const char *source, uint8_t how, fuzz_world *w)
{
    una_arena *arena = &w->run->scratch;
    una_kernel_inputs inputs = { names, how & 2 ? centre : NULL, how & 2 ? scale : NULL, INPUTS, false };
    una_formula *formula = NULL, *again = NULL;
    if (FUZZ_EXPLAIN(una_formula_parse(&formula, source, &inputs, arena, w->run), w)) return;
    double value[POINTS] = {0}, second[POINTS] = {0};
    una_rng rng = una_rng_at(how, UNA_FOR_REFERENCES, 0), same = rng;
    una_status drawn = FUZZ_EXPLAIN(una_formula_draw(formula, &rng, (una_view){ x, POINTS, INPUTS, INPUTS }, value, 1,
                                                     w->run), w);
    if (drawn == UNA_OK) fuzz_finite(value, POINTS, source);

    const char *text = formula->op_count < MOST_OPS ? formula_text(formula, arena) : NULL;
    if (!text) return;
    una_status status = FUZZ_EXPLAIN(una_formula_parse(&again, text, &inputs, arena, w->run), w);
    FUZZ_CHECK(status == UNA_OK || w->starved, "'%s' is '%s', and that is refused: %s", source, text,
               una_run_message(w->run));
    if (status != UNA_OK) return;
    FUZZ_CHECK(again->op_count == formula->op_count, "'%s' is '%s', which has other operations", source, text);
    for (size_t i = 0; i < formula->op_count; i++)
        FUZZ_CHECK(again->op[i].code == formula->op[i].code && again->op[i].index == formula->op[i].index &&
                   again->op[i].number == formula->op[i].number && again->op[i].call == formula->op[i].call &&
                   again->op[i].sign == formula->op[i].sign,
                   "'%s' is '%s', where operation %zu is another", source, text, i);
    status = FUZZ_EXPLAIN(una_formula_draw(again, &same, (una_view){ x, POINTS, INPUTS, INPUTS }, second, 1,
                                           w->run), w);
    FUZZ_CHECK(status == drawn || w->starved, "'%s' and '%s': %d and %d", source, text, (int)drawn, (int)status);
    if (status == UNA_OK && drawn == UNA_OK) fuzz_same(value, second, POINTS, text);
}

/* ---- conditions ---------------------------------------------------------------------------------------------- */

static const char *list_of(const una_where *w, const una_where_op *op, bool words, una_arena *arena)
{
    una_text text = una_text_in(arena);
    for (size_t i = op->first; i < op->first + op->count; i++)
        una_text_add(&text, "%s%s", i > op->first ? ", " : "",
                     words ? quoted(arena, w->word[i], '\'') : number(arena, w->number[i]));
    return text.at;
}

static void join_condition(una_arena *arena, node *a, const node *b, una_where_code code)
{
    static const char *const signs[] = { "@ == #", "@ != #", "@ < #", "@ <= #", "@ > #", "@ >= #" };
    switch (code) {
    case UNA_WHERE_ADD: join(arena, a, b, "@ + #", 4, 5, 4); break;
    case UNA_WHERE_SUBTRACT: join(arena, a, b, "@ - #", 4, 5, 4); break;
    case UNA_WHERE_MULTIPLY: join(arena, a, b, "@*#", 5, 6, 5); break;
    case UNA_WHERE_DIVIDE: join(arena, a, b, "@/#", 5, 6, 5); break;
    case UNA_WHERE_AND: join(arena, a, b, "@ and #", 2, 3, 2); break;
    case UNA_WHERE_OR: join(arena, a, b, "@ or #", 1, 2, 1); break;
    default: join(arena, a, b, signs[code - UNA_WHERE_EQUAL], 4, 4, 3);
    }
}

static const char *where_expression(const una_where *w, una_arena *arena)
{
    node stack[UNA_WHERE_STACK + 1];
    size_t top = 0;
    for (size_t i = 0; i < w->op_count; i++) {
        const una_where_op *op = &w->op[i];
        const char *column = w->columns ? quoted(arena, w->column[op->column].name, '`') : "";
        node *a = top >= 2 ? &stack[top - 2] : stack, *b = top >= 2 ? &stack[top - 1] : NULL;
        if (una_arena_check(arena) != UNA_OK) return NULL;
        if (op->code >= UNA_WHERE_ADD) top--;
        switch (op->code) {
        case UNA_WHERE_NUMBER:
            if (op->number < 0) return NULL;             /* days before 1970: only a date says that */
            stack[top++] = (node){ number(arena, op->number), 7, 0 };
            break;
        case UNA_WHERE_COLUMN: stack[top++] = (node){ column, 7, 0 }; break;
        case UNA_WHERE_MISSING: stack[top++] = (node){ joined(arena, "missing(@)", column, ""), 7, 0 }; break;
        case UNA_WHERE_WORDS:
            stack[top++] = (node){ joined(arena, "@ in (#)", column, list_of(w, op, true, arena)), 3, 0 };
            break;
        case UNA_WHERE_OTHER_WORD:
            stack[top++] = (node){ joined(arena, "@ != #", column, list_of(w, op, true, arena)), 3, 0 };
            break;
        case UNA_WHERE_NEGATE: join(arena, &stack[top - 1], NULL, "-@", 6, 0, 6); break;
        case UNA_WHERE_NOT: join(arena, &stack[top - 1], NULL, "not @", 3, 0, 3); break;
        case UNA_WHERE_NUMBERS: {
            node list = { list_of(w, op, false, arena), 7, 0 };
            join(arena, &stack[top - 1], &list, "@ in (#)", 4, 0, 3);
            break;
        }
        default: join_condition(arena, a, b, op->code);
        }
    }
    FUZZ_CHECK(top == 1, "%zu values are left of '%s'", top, w->text);
    return una_arena_check(arena) == UNA_OK ? stack[0].text : NULL;
}

enum { ROWS = 5 };

static una_status made_table(una_dataset **data, una_run *run)
{
    static const char *const columns[] = { "x", "sex", "y z", "colour" };
    static const double one[ROWS] = { 0, 1, -2.5, NAN, 1e300 }, two[ROWS] = { 0, 1, 1, 2, NAN };
    static const char *const first[ROWS] = { "a", "b", NULL, "it's", "c" };
    static const char *const second[ROWS] = { "red", "red", "", "blue", "a" };
    const double *numbers[] = { one, two, NULL, NULL };
    const char *const *words[] = { NULL, NULL, first, second };
    return una_dataset_from_columns(data, columns, numbers, words, 4, ROWS, run);
}

static void check_match(const una_where *where, const una_where *again, const char *text, fuzz_world *w)
{
    una_dataset *data = NULL;
    bool match[ROWS] = {0}, same[ROWS] = {0};
    if (FUZZ_EXPLAIN(made_table(&data, w->run), w)) return;
    una_status status = FUZZ_EXPLAIN(una_where_match(match, where, data, w->run), w);
    una_status other = again ? FUZZ_EXPLAIN(una_where_match(same, again, data, w->run), w) : status;
    FUZZ_CHECK(status == other || w->starved, "'%s': %d and %d", text, (int)status, (int)other);
    if (again && status == UNA_OK && other == UNA_OK)
        FUZZ_CHECK(memcmp(match, same, sizeof match) == 0, "'%s' and '%s' match other rows", where->text, text);

    una_dataset *subset = NULL;
    size_t index[ROWS], count = 0, held = 0;
    for (size_t i = 0; i < ROWS; i++) held += match[i];
    if (status == UNA_OK && FUZZ_EXPLAIN(una_dataset_match(index, &count, data, where->text, w->run), w) == UNA_OK)
        FUZZ_CHECK(count == held, "'%s': %zu rows and %zu", where->text, count, held);
    if (FUZZ_EXPLAIN(una_dataset_where(&subset, data, where->text, w->run), w) == UNA_OK)
        FUZZ_CHECK(held > 0 && una_dataset_row_count(subset) == held, "'%s': %zu rows are left", where->text, held);
    una_dataset_free(subset);
    una_dataset_free(data);
}

static void check_condition(const char *source, fuzz_world *w)
{
    una_arena *arena = &w->run->scratch;
    una_where *where = NULL, *again = NULL;
    if (FUZZ_EXPLAIN(una_where_parse(&where, source, arena, w->run), w)) return;
    const char *text = where->op_count < MOST_OPS ? where_expression(where, arena) : NULL;
    if (text && strlen(text) < 65536) {
        una_status status = FUZZ_EXPLAIN(una_where_parse(&again, text, arena, w->run), w);
        FUZZ_CHECK(status == UNA_OK || w->starved, "'%s' is '%s', and that is refused: %s", source, text,
                   una_run_message(w->run));
    }
    if (again) {
        FUZZ_CHECK(again->op_count == where->op_count && again->columns == where->columns, "'%s' is '%s'", source,
                   text);
        for (size_t i = 0; i < where->op_count; i++)
            FUZZ_CHECK(again->op[i].code == where->op[i].code && again->op[i].column == where->op[i].column &&
                       again->op[i].number == where->op[i].number && again->op[i].count == where->op[i].count,
                       "'%s' is '%s', where operation %zu is another", source, text, i);
    }
    check_match(where, again, text ? text : source, w);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t how = fuzz_first(&bytes);
    if (!fuzz_begin(&world, (fuzz_limits){ .allocations = fuzz_allocations(how) })) return 0;
    char *text = fuzz_text(&bytes);
    FUZZ_CHECK(text, "no memory");
    if (how & 1) check_condition(text, &world);
    else check_formula(text, how, &world);
    free(text);
    fuzz_end(&world);
    return 0;
}
