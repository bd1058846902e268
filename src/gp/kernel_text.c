/* SPDX-License-Identifier: MIT
 *
 * A kernel as text that reads back as the same kernel, and as blocks of a model file.
 */
#include "gp/program.h"

size_t una_kernel_owns(const una_kernel_op *op)
{
    switch (op->code) {
    case UNA_KERNEL_ADD:
    case UNA_KERNEL_MULTIPLY: return 0;
    case UNA_KERNEL_CONSTANT: return 1;
    case UNA_KERNEL_PERIODIC:
    case UNA_KERNEL_LINEAR: return 1 + 2 * op->count;
    default: return 1 + op->count;
    }
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

typedef struct writer { una_text *text; const una_kernel *k; const una_kernel_inputs *in; } writer;

static double scale_of_input(const writer *w, const una_kernel_op *op, size_t d, bool has_unit)
{
    return has_unit && w->in->scale ? w->in->scale[w->k->input[op->input + d]] : 1;
}

/* key=number, or a list where they differ; each times its input's scale if it has a unit. */
static void write_list(const writer *w, const una_kernel_op *op, const char *key, const double *value, bool has_unit)
{
    bool same = true;
    for (size_t d = 0; d < op->count; d++)
        same = same && value[d] * scale_of_input(w, op, d, has_unit) == value[0] * scale_of_input(w, op, 0, has_unit);
    una_text_add(w->text, ", %s=%s", key, same ? "" : "[");
    for (size_t d = 0; d < (same ? 1 : op->count); d++) {
        una_text_add(w->text, "%s", d ? ", " : "");
        una_text_number(w->text, value[d] * scale_of_input(w, op, d, has_unit));
    }
    una_text_add(w->text, "%s", same ? "" : "]");
}

static void write_centres(const writer *w, const una_kernel_op *op, const double *centre)
{
    bool own = true;
    for (size_t d = 0; d < op->count; d++) own = own && centre[d] == 0;
    if (own) return;
    una_text_add(w->text, "%s", ", centre=[");
    for (size_t d = 0; d < op->count; d++) {
        double zero = w->in->centre ? w->in->centre[w->k->input[op->input + d]] : 0;
        una_text_add(w->text, "%s", d ? ", " : "");
        una_text_number(w->text, centre[d] * scale_of_input(w, op, d, true) + zero);
    }
    una_text_add(w->text, "]");
}

static bool is_of_all(const writer *w, const una_kernel_op *op)
{
    bool all = op->count == w->in->count;
    for (size_t d = 0; all && d < op->count; d++) all = w->k->input[op->input + d] == d;
    return all;
}

static void write_inputs(const writer *w, const una_kernel_op *op)
{
    if (is_of_all(w, op)) return;
    una_text_add(w->text, "%s", ", on=[");
    for (size_t d = 0; d < op->count; d++) {
        const char *name = w->in->name[w->k->input[op->input + d]], quote = strchr(name, '"') ? '\'' : '"';
        una_text_add(w->text, "%s%c", d ? ", " : "", quote);
        for (; *name; name++) {
            if (*name == quote) una_text_bytes(w->text, name, 1);        /* one that stands twice is one of the name */
            una_text_bytes(w->text, name, 1);
        }
        una_text_add(w->text, "%c", quote);
    }
    una_text_add(w->text, "]");
}

static void write_leaf(const writer *w, const una_kernel_op *op)
{
    const double *parameter = w->k->parameter + op->parameter, *first = parameter + 1, *second = first + op->count;
    bool per_unit = true;                /* var of linear per squared unit; otherwise per squared standard deviation */
    if (op->code == UNA_KERNEL_LINEAR)
        for (size_t d = 0; d < op->count; d++) per_unit = per_unit && first[d] == scale_of_input(w, op, d, true);

    if (!per_unit) {                     /* a factor says it: linear without var has 1 per squared standard deviation */
        una_text_add(w->text, "(");
        una_text_number(w->text, parameter[0]);
        una_text_add(w->text, "*linear(");
    } else {
        una_text_add(w->text, "%s(var=", una_kernel_name(op->code));
        una_text_number(w->text, parameter[0]);
    }

    size_t before = w->text->length;
    if (op->code == UNA_KERNEL_LINEAR) write_centres(w, op, second);
    else if (op->count) write_list(w, op, "length", first, op->code != UNA_KERNEL_PERIODIC);
    if (op->code == UNA_KERNEL_PERIODIC) write_list(w, op, "period", second, true);
    if (op->count) write_inputs(w, op);

    if (!per_unit && w->text->length > before) {         /* "linear(, on=" has a comma too many */
        memmove(w->text->at + before, w->text->at + before + 2, w->text->length - before - 1);
        w->text->length -= 2;
    }
    una_text_add(w->text, per_unit ? ")" : "))");
}

/* The part that ends in `last`. A second part that is a join keeps its brackets,
 * so that the order of operations stays. */
static void write_part(const writer *w, size_t last)
{
    const una_kernel_op *op = &w->k->op[last];
    if (una_kernel_owns(op)) {
        write_leaf(w, op);
        return;
    }

    size_t two = last - 1, one = una_kernel_begin(w->k, two) - 1;
    bool product = op->code == UNA_KERNEL_MULTIPLY, left = product && w->k->op[one].code == UNA_KERNEL_ADD,
         right = una_kernel_owns(&w->k->op[two]) == 0;

    una_text_add(w->text, "%s", left ? "(" : "");
    write_part(w, one);
    una_text_add(w->text, "%s%s%s", left ? ")" : "", product ? "*" : " + ", right ? "(" : "");
    write_part(w, two);
    una_text_add(w->text, "%s", right ? ")" : "");
}

void una_kernel_text(una_text *text, const una_kernel *kernel, const una_kernel_inputs *inputs)
{
    writer w = { text, kernel, inputs };
    write_part(&w, kernel->op_count - 1);
}

/* Whatever its numbers become. */
static size_t longest_text(const una_kernel *kernel, const una_kernel_inputs *inputs)
{
    enum { OF_A_NUMBER = 26, OF_AN_OP = 64, AROUND_A_NAME = 4 };         /* with what stands between them */
    writer w = { NULL, kernel, inputs };
    size_t most = OF_A_NUMBER * kernel->parameter_count + OF_AN_OP * kernel->op_count;
    for (size_t o = 0; o < kernel->op_count; o++) {
        const una_kernel_op *op = &kernel->op[o];
        if (!una_kernel_owns(op) || is_of_all(&w, op)) continue;
        for (size_t d = 0; d < op->count; d++)
            most += strlen(inputs->name[kernel->input[op->input + d]]) + AROUND_A_NAME;
    }
    return most;
}

una_status una_kernel_text_fits(const una_kernel *kernel, const una_kernel_inputs *inputs, const char *owner,
                                una_run *run)
{
    const size_t others = 4096;          /* options beside it */
    size_t most = longest_text(kernel, inputs) + others;
    if (most <= UNA_LONGEST_TEXT) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "%s: the lengths of %zu inputs may take %.3g MB as text, and a model file holds a text "
             "of %.3g MB at most, so that the model could not be saved; use fewer columns (--only, --drop), or another "
             "model (luna, nlm)", owner, inputs->count, (double)most / 1e6, (double)UNA_LONGEST_TEXT / 1e6);
}

/* ---- blocks of a file -------------------------------------------------------------------------------------------- */

enum { FIELDS = 4, MOST_OPS = 1 << 16, MOST_NUMBERS = 1 << 24 };

static bool is_count_below(double value, size_t below)
{
    return value >= 0 && value < (double)below && value == floor(value);
}

static bool read_ops(una_kernel *k, const double *field)
{
    size_t height = 0;
    for (size_t o = 0; o < k->op_count; o++, field += FIELDS) {
        una_kernel_op *op = &k->op[o];
        if (!is_count_below(field[0], UNA_KERNEL_MULTIPLY + 1) || !is_count_below(field[1], k->input_count + 1)
            || !is_count_below(field[2], k->input_count + 1) ||
                !is_count_below(field[3], k->parameter_count + 1)) return false;
        *op = (una_kernel_op){ (una_kernel_code)(int)field[0], (size_t)field[1], (size_t)field[2], (size_t)field[3] };

        size_t owns = una_kernel_owns(op);
        if (owns ? ++height > UNA_KERNEL_DEPTH : height-- < 2) return false;
        if (!owns && op->count > 0) return false;
        if (op->code == UNA_KERNEL_CONSTANT && op->count > 0) return false;
        if (op->input + op->count > k->input_count || op->parameter + owns > k->parameter_count) return false;
    }
    return height == 1;
}

static bool read_kernel_numbers(const una_kernel *k)
{
    for (size_t o = 0; o < k->op_count; o++) {
        const una_kernel_op *op = &k->op[o];
        const double *parameter = k->parameter + op->parameter;
        size_t positive = 0;
        if (op->code == UNA_KERNEL_PERIODIC) positive = 2 * op->count;
        else if (op->code < UNA_KERNEL_PERIODIC) positive = op->count;
        if (una_kernel_owns(op) && !(parameter[0] >= 0)) return false;
        for (size_t d = 1; d <= positive; d++)
            if (!(parameter[d] > 0)) return false;
    }
    return true;
}

una_status una_kernel_exchange(una_kernel **kernel, una_archive *ar)
{
    una_kernel *k = ar->loading ? UNA_GET(ar->arena, una_kernel, 1) : *kernel;
    if (!k) return UNA_E_MEMORY;
    uint64_t ops = k->op_count, inputs = k->input_count, parameters = k->parameter_count;
    UNA_TRY(una_archive_u64(ar, "kernel_ops", &ops, 1, MOST_OPS));
    UNA_TRY(una_archive_u64(ar, "kernel_inputs", &inputs, 0, MOST_NUMBERS));
    UNA_TRY(una_archive_u64(ar, "kernel_parameters", &parameters, 1, MOST_NUMBERS));

    double *field = ar->loading ? NULL : UNA_GET(ar->arena, double, FIELDS * (size_t)ops);
    double *column = ar->loading ? NULL : UNA_GET(ar->arena, double, (size_t)inputs);
    UNA_TRY(una_arena_check(ar->arena));
    for (size_t o = 0; field && o < ops; o++) {
        const una_kernel_op *op = &k->op[o];
        double *to = field + FIELDS * o;
        to[0] = (double)op->code, to[1] = (double)op->input, to[2] = (double)op->count, to[3] = (double)op->parameter;
    }
    for (size_t i = 0; column && i < inputs; i++) column[i] = (double)k->input[i];

    UNA_TRY(una_archive_f64s(ar, "kernel_program", &field, FIELDS * (size_t)ops));
    UNA_TRY(una_archive_f64s(ar, "kernel_columns", &column, (size_t)inputs));
    UNA_TRY(una_archive_f64s(ar, "kernel_numbers", &k->parameter, (size_t)parameters));
    if (!ar->loading) return UNA_OK;

    k->op_count = k->op_room = (size_t)ops;
    k->input_count = k->input_room = (size_t)inputs;
    k->parameter_count = k->parameter_room = (size_t)parameters;
    UNA_NEW_AT(ar->arena, k->op, k->op_count);
    UNA_NEW_AT(ar->arena, k->input, k->input_count);

    for (size_t i = 0; i < k->input_count; i++) {
        if (!is_count_below(column[i], ar->inputs))
            return una_archive_refuse(ar, "kernel_columns", "names an input that does not exist");
        k->input[i] = (size_t)column[i];
    }
    if (!read_ops(k, field)) return una_archive_refuse(ar, "kernel_program", "is no covariance function");
    if (!read_kernel_numbers(k)) return una_archive_refuse(ar, "kernel_numbers", "holds a number out of its range");
    *kernel = k;
    return UNA_OK;
}
