/* SPDX-License-Identifier: MIT
 *
 * Covariance expressions. The first byte bounds memory and chooses inputs, the rest is the text. What was parsed prints
 * and parses again to the same program (but that `linear` without var comes back with a factor), and so to the same
 * covariances; saved it loads with the same bits. Covariances are symmetric, and on the diagonal not negative.
 */
#include "fuzz.h"
#include "gp/program.h"

enum { INPUTS = 4, POINTS = 3 };

static const char *const names[INPUTS] = { "x1", "colour=red", "colour=blue", "Froude's \"number\"" };
static const double centre[INPUTS] = { 0, 0.5, 0.25, -3 }, scale[INPUTS] = { 1, 0.5, 0.4, 1e-3 };
static const double x[POINTS * INPUTS] = { 0, 0, 0, 0, 0.3, -1.2, 2, 1, -40, 1e3, -1e-9, 1.5 };

static void values(const una_kernel *kernel, double k[POINTS * POINTS])
{
    una_kernel_matrix(kernel, x, POINTS, x, POINTS, INPUTS, k);
    for (size_t i = 0; i < POINTS; i++) {
        double near = k[i * POINTS + i], alone = una_kernel_prior_var(kernel, x + i * INPUTS);
        FUZZ_CHECK(isnan(near) == isnan(alone) &&
                   (near == alone || isnan(near) || fabs(near - alone) <= 1e-9 * fabs(near)),
                   "the diagonal is %g and %g", near, alone);
        FUZZ_CHECK(!(near < 0), "a variance of %g", near);
        for (size_t j = 0; j < i; j++)
            fuzz_same(&k[i * POINTS + j], &k[j * POINTS + i], 1, "k(a, b) and k(b, a)");
    }
}

static void check_saved(una_kernel *kernel, fuzz_world *w)
{
    una_arena *arena = &w->run->scratch;
    una_archive out, in;
    una_kernel *loaded = NULL;
    if (FUZZ_EXPLAIN(una_archive_save_begin(&out, "{}", arena, w->run), w)) return;
    out.inputs = INPUTS;
    if (FUZZ_EXPLAIN(una_kernel_exchange(&kernel, &out), w) || FUZZ_EXPLAIN(una_archive_save_end(&out), w)) return;

    una_status status = FUZZ_EXPLAIN(una_archive_load_begin(&in, out.bytes, out.size, "k", NULL, arena, w->run), w);
    in.inputs = INPUTS;
    if (status == UNA_OK) status = FUZZ_EXPLAIN(una_kernel_exchange(&loaded, &in), w);
    if (status == UNA_OK) status = FUZZ_EXPLAIN(una_archive_load_end(&in), w);
    FUZZ_CHECK(status == UNA_OK || w->starved, "a kernel is saved, and not loaded: %s", una_run_message(w->run));
    if (status != UNA_OK) return;
    FUZZ_CHECK(loaded->op_count == kernel->op_count && loaded->parameter_count == kernel->parameter_count,
               "another one is loaded");
    fuzz_same(loaded->parameter, kernel->parameter, kernel->parameter_count, "parameters");
}

static bool has_linear(const una_kernel *kernel)
{
    for (size_t i = 0; i < kernel->op_count; i++)
        if (kernel->op[i].code == UNA_KERNEL_LINEAR) return true;
    return false;
}

static bool near(double a, double b)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b)) + 1e-300;
}

static void check_program(const una_kernel *kernel, const una_kernel *again, const char *text)
{
    FUZZ_CHECK(again->parameter_count == kernel->parameter_count && again->input_count == kernel->input_count,
               "'%s' is another program", text);
    for (size_t i = 0; i < kernel->op_count; i++)
        FUZZ_CHECK(again->op[i].code == kernel->op[i].code && again->op[i].count == kernel->op[i].count,
                   "'%s': operation %zu is another", text, i);
    for (size_t i = 0; i < kernel->parameter_count; i++)
        FUZZ_CHECK(near(kernel->parameter[i], again->parameter[i]), "'%s': parameter %zu is %.17g and was %.17g", text,
                   i, again->parameter[i], kernel->parameter[i]);
}

/* Far from all data a last bit of a period or a centre counts much, so only the first rows are compared. */
static void check_values(const una_kernel *kernel, const una_kernel *again, const char *text)
{
    double a[POINTS * POINTS], b[POINTS * POINTS];
    values(kernel, a);
    values(again, b);
    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++)
            FUZZ_CHECK(near(a[i * POINTS + j], b[i * POINTS + j]), "'%s': %g and was %g", text, b[i * POINTS + j],
                       a[i * POINTS + j]);
}

static void check_printed(const una_kernel *kernel, const una_kernel_inputs *inputs, fuzz_world *w)
{
    una_arena *arena = &w->run->scratch;
    una_text first = una_text_in(arena);
    una_kernel *again = NULL;
    una_kernel_text(&first, kernel, inputs);
    if (una_arena_check(arena) != UNA_OK || first.length > 65536) return;        /* the longest that is read */
    una_status status = FUZZ_EXPLAIN(una_kernel_parse(&again, first.at, inputs, arena, w->run), w);
    const char *message = una_run_message(w->run);
    bool deeper = has_linear(kernel) && (strstr(message, "deep") || strstr(message, "wait for their second part"));
    FUZZ_CHECK(status == UNA_OK || w->starved || deeper, "'%s' is printed, and refused: %s", first.at, message);
    if (status != UNA_OK) return;

    if (again->op_count == kernel->op_count) check_program(kernel, again, first.at);
    else FUZZ_CHECK(has_linear(kernel), "'%s' has %zu operations, and had %zu", first.at, again->op_count,
                    kernel->op_count);
    check_values(kernel, again, first.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t how = fuzz_first(&bytes);
    if (!fuzz_begin(&world, (fuzz_limits){ .allocations = fuzz_allocations(how) })) return 0;
    una_kernel_inputs inputs = { names, how & 1 ? centre : NULL, how & 1 ? scale : NULL, INPUTS, how & 2 };
    char *text = fuzz_text(&bytes);
    FUZZ_CHECK(text, "no memory");

    una_kernel *kernel = NULL;
    if (FUZZ_EXPLAIN(una_kernel_parse(&kernel, text, &inputs, &world.run->scratch, world.run), &world) == UNA_OK) {
        fuzz_finite(kernel->parameter, kernel->parameter_count, text);
        check_printed(kernel, &inputs, &world);
        check_saved(kernel, &world);
    }
    free(text);
    fuzz_end(&world);
    return 0;
}
