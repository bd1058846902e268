/* SPDX-License-Identifier: MIT
 *
 * "left <= right" becomes the formula right - left, which must not be negative ("<": positive).
 */
#include "bo/constraint.h"

#include "gp/formula.h"

struct una_constraint {
    const char  *text;
    una_formula *slack;                  /* >= 0 where it holds                                                   */
    bool         strict;
};

una_constraint *una_constraints_in(una_arena *keep, size_t count)
{
    return UNA_GET(keep, una_constraint, count);
}

const char *una_constraint_text(const una_constraint *constraints, size_t index)
{
    return constraints[index].text;
}

typedef struct sides { const char *left, *right; bool strict; } sides;

/* At the one sign of comparison; quotes hold names. */
static una_status split_at_comparison(sides *s, const char *text, const char *origin, una_arena *arena, una_run *run)
{
    const char *sign = NULL;
    bool quoted = false;
    for (const char *at = text; *at; at++) {
        if (*at == '"') quoted = !quoted;
        if (quoted || (*at != '<' && *at != '>')) continue;
        if (sign) UNA_FAIL(run, UNA_E_INPUT, "%s: the constraint \"%.200s\" compares twice; write two constraints",
                           origin, text);
        sign = at;
    }
    if (!sign)
        UNA_FAIL(run, UNA_E_INPUT, "%s: the constraint \"%.200s\" compares nothing; write it with <= or >=, as in "
                 "\"x1 + x2 <= 1\"", origin, text);

    size_t before = (size_t)(sign - text);
    char *first = una_arena_text(arena, text), *second = una_arena_text(arena, text);
    UNA_TRY(una_arena_check(arena));
    s->strict = sign[1] != '=';
    first[before] = 0;
    memset(second, ' ', before + (s->strict ? 1 : 2));   /* so that mistakes are found where the user sees them */
    s->left = *sign == '<' ? first : second;
    s->right = *sign == '<' ? second : first;
    return UNA_OK;
}

/* Numbers in the user's own units; categories have none. */
static una_status inputs_of(una_kernel_inputs *inputs, const una_space *space, una_arena *arena)
{
    UNA_NEW(arena, const char *, name, space->count);
    for (size_t i = 0; i < space->count; i++) name[i] = space->dimension[i].name;
    *inputs = (una_kernel_inputs){ .count = space->count, .name = name };
    return UNA_OK;
}

static una_status check_inputs(const una_formula *formula, const una_space *space, const char *text,
                               const char *origin, una_run *run)
{
    for (size_t i = 0; i < formula->input_count; i++)
        if (space->dimension[formula->input[i].column].levels)
            UNA_FAIL(run, UNA_E_INPUT, "%s: the constraint \"%.200s\" counts with \"%s\", which holds words", origin,
                     text, formula->input[i].name);
    return UNA_OK;
}

static una_status parse_side(una_formula **formula, const char *side, const char *text, const una_kernel_inputs *inputs,
                             const char *origin, una_arena *keep, una_run *run)
{
    una_status status = una_formula_parse(formula, side, inputs, keep, run);
    if (status != UNA_E_USAGE) return status;
    char why[sizeof run->message];
    snprintf(why, sizeof why, "%s", run->message);
    UNA_FAIL(run, UNA_E_INPUT, "%s: the constraint \"%.200s\" cannot be read: %.500s", origin, text, why);
}

/* Each side must be a formula by itself: of "a) + (b <= 1" only the difference is one. */
una_status una_constraint_parse(una_constraint *constraints, size_t index, const char *text, const una_space *space,
                                const char *origin, una_arena *keep, una_run *run)
{
    una_constraint *c = &constraints[index];
    una_kernel_inputs inputs;
    sides s = {0};
    una_text slack = una_text_in(keep);
    c->text = una_arena_text(keep, text);
    UNA_TRY(una_arena_check(keep));
    UNA_TRY(split_at_comparison(&s, text, origin, keep, run));
    UNA_TRY(inputs_of(&inputs, space, keep));
    UNA_TRY(parse_side(&c->slack, s.left, text, &inputs, origin, keep, run));
    UNA_TRY(parse_side(&c->slack, s.right, text, &inputs, origin, keep, run));
    una_text_add(&slack, "(%s) - (%s)", s.right, s.left);
    UNA_TRY(una_arena_check(keep));

    c->strict = s.strict;
    UNA_TRY(parse_side(&c->slack, slack.at, text, &inputs, origin, keep, run));
    return check_inputs(c->slack, space, text, origin, run);
}

bool una_constraint_holds(const una_constraint *constraints, size_t index, const double *point)
{
    const una_formula *f = constraints[index].slack;
    double parameter[UNA_FORMULA_PARAMETERS], slack;
    for (size_t i = 0; i < f->parameter_count; i++) parameter[i] = f->parameter[i].first;
    una_formula_run(f, f->op, f->op_count, parameter, point, 1, f->input_count, &slack);
    return constraints[index].strict ? slack > 0 : slack >= 0;
}
