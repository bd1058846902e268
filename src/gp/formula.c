/* SPDX-License-Identifier: MIT
 *
 * Functions drawn from a formula: parameters come from their laws in the order of their definitions, then the
 * program runs on blocks of 64 rows, in the user's units.
 */
#include "gp/formula.h"

/* Of min and max a NAN on either side must come out: it is the sign of a value outside a function's domain. */
static void join_blocks(char sign, double *a, const double *b, size_t n)
{
    for (size_t j = 0; j < n; j++) {
        switch (sign) {
        case '+': a[j] += b[j]; break;
        case '-': a[j] -= b[j]; break;
        case '*': a[j] *= b[j]; break;
        case '/': a[j] /= b[j]; break;
        case '^': a[j] = pow(a[j], b[j]); break;
        case '<': a[j] = a[j] < b[j] || isnan(a[j]) ? a[j] : b[j]; break;
        default: a[j] = a[j] > b[j] || isnan(a[j]) ? a[j] : b[j]; break;
        }
    }
}

static void fill_block(double *to, double value, size_t n)
{
    for (size_t j = 0; j < n; j++) to[j] = value;
}

void una_formula_run(const una_formula *formula, una_formula_part part, const double *parameter, una_view x, double *out)
{
    double stack[UNA_FORMULA_DEPTH][UNA_FORMULA_BLOCK];
    size_t top = 0;

    for (size_t i = 0; i < part.count; i++) {
        const una_formula_op *op = &part.op[i];
        switch (op->code) {
        case UNA_FORMULA_NUMBER: fill_block(stack[top++], op->number, x.rows); break;
        case UNA_FORMULA_PARAMETER: fill_block(stack[top++], parameter[op->index], x.rows); break;
        case UNA_FORMULA_INPUT: {
            const una_formula_input *in = &formula->input[op->index];
            for (size_t j = 0; j < x.rows; j++) stack[top][j] = x.at[j * x.stride + in->column] * in->scale + in->centre;
            top++;
            break;
        }
        case UNA_FORMULA_CALL:
            for (size_t j = 0; j < x.rows; j++) stack[top - 1][j] = op->call(stack[top - 1][j]);
            break;
        case UNA_FORMULA_NEGATE:
            for (size_t j = 0; j < x.rows; j++) stack[top - 1][j] = -stack[top - 1][j];
            break;
        default:
            top--;
            join_blocks(op->sign, stack[top - 1], stack[top], x.rows);
            break;
        }
    }

    memcpy(out, stack[0], x.rows * sizeof *out);
}

static double draw_parameter(const una_formula_parameter *p, una_rng *rng)
{
    switch (p->law) {
    case UNA_LAW_NORMAL: return p->first + p->second * una_rng_normal(rng);
    case UNA_LAW_LOGNORMAL: return exp(p->first + p->second * una_rng_normal(rng));
    case UNA_LAW_UNIFORM: {
        /* A mean of the ends, as high - low may overflow. */
        double u = una_rng_uniform(rng);
        return p->first * (1 - u) + p->second * u;
    }
    default: return p->first;
    }
}

/* Names the values of the row and the parameters, so that a person can follow the failure by hand. The number of the
 * row would mean nothing: a fit asks at some of its rows, and beside them. */
static una_status not_finite(const una_formula *formula, const double *parameter, const double *row, double value,
                             una_run *run)
{
    una_text words = una_text_in(&run->scratch);
    for (size_t i = 0; i < formula->input_count && i < 8; i++) {
        const una_formula_input *in = &formula->input[i];
        una_text_add(&words, "%s%.60s = %g", i ? ", " : "", in->name, row[in->column] * in->scale + in->centre);
    }
    for (size_t i = 0; i < formula->parameter_count && i < 8; i++)
        una_text_add(&words, "%s%.60s = %g", words.length ? ", " : "", formula->parameter[i].name, parameter[i]);
    UNA_FAIL(run, UNA_E_NUMERIC, "the formula \"%.200s\" gives %s%s%s; choose parameters that keep it finite over the "
             "whole range of the inputs", formula->text, isnan(value) ? "no number" : "an infinite value",
             words.length ? ", where " : "", words.at);
}

una_status una_formula_draw(const una_formula *formula, una_rng *rng, una_view x, double *f, size_t f_stride,
                            una_run *run)
{
    double parameter[UNA_FORMULA_PARAMETERS] = { 0 }, value[UNA_FORMULA_BLOCK];
    for (size_t i = 0; i < formula->defined; i++) {
        size_t p = formula->order[i];
        parameter[p] = draw_parameter(&formula->parameter[p], rng);
    }

    for (size_t from = 0; from < x.rows; from += UNA_FORMULA_BLOCK) {
        size_t left = x.rows - from, rows = left < UNA_FORMULA_BLOCK ? left : UNA_FORMULA_BLOCK;
        const una_view block = { x.at + from * x.stride, rows, x.cols, x.stride };
        una_formula_run(formula, (una_formula_part){ formula->op, formula->op_count }, parameter, block, value);
        for (size_t j = 0; j < rows; j++) {
            if (!isfinite(value[j]))
                UNA_SCOPED(run, not_finite(formula, parameter, block.at + j * x.stride, value[j], run));
            f[(from + j) * f_stride] = value[j];
        }
    }
    return UNA_OK;
}
