/* SPDX-License-Identifier: MIT
 *
 * Made-up data of the thesis's experiments.
 *   cubic     y = x^3 + e,                          e ~ N(0, 9)
 *   squiggle  y = x^3 + 20 exp(-x^2) sin(10 x) + e, e ~ N(0, 9)
 *             x uniform on [-4, -2] and [2, 4], half of the rows each; *_full: x uniform on [-4, 4]
 *   radial    y = |x| + e, e ~ N(0, 1e-5); |x| uniform on [1, 2], direction uniform
 */
#include "data/table.h"

double una_squiggle(double x)
{
    return x * x * x + 20 * exp(-x * x) * sin(10 * x);
}

static void fill_demo_curve(double *x, double *y, size_t rows, bool squiggle, bool full, una_rng *rng)
{
    for (size_t i = 0; i < rows; i++) {
        double u = una_rng_uniform(rng);
        double from = full || i < rows / 2 ? -4 : 2;
        x[i] = from + (full ? 8 : 2) * u;
        y[i] = (squiggle ? una_squiggle(x[i]) : x[i] * x[i] * x[i]) + 3 * una_rng_normal(rng);
    }
}

/* x [rows, inputs] */
static void fill_shell(double *x, double *y, size_t rows, size_t inputs, una_rng *rng)
{
    for (size_t i = 0; i < rows; i++) {
        double *point = x + i * inputs, square = 0;
        while (square == 0)
            for (size_t d = 0; d < inputs; d++) {
                point[d] = una_rng_normal(rng);
                square += point[d] * point[d];
            }
        double radius = 1 + una_rng_uniform(rng);
        for (size_t d = 0; d < inputs; d++) point[d] *= radius / sqrt(square);
        y[i] = radius + sqrt(1e-5) * una_rng_normal(rng);
    }
}

static una_status fill_and_copy(una_dataset **data, size_t kind, size_t rows, size_t inputs, uint64_t seed,
                                una_run *run)
{
    static const char *const names[] = { "x", "y" };
    UNA_NEW(&run->scratch, double, x, rows > SIZE_MAX / inputs ? SIZE_MAX : rows * inputs);
    UNA_NEW(&run->scratch, double, y, rows);
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, 0);
    if (kind == 4) fill_shell(x, y, rows, inputs, &rng);
    else fill_demo_curve(x, y, rows, kind == 1 || kind == 3, kind >= 2, &rng);
    return una_dataset_from_arrays(data, x, y, rows, inputs, kind == 4 ? NULL : names, run);
}

una_status una_dataset_synthetic(una_dataset **data, const char *name, size_t rows, size_t inputs, uint64_t seed,
                                 una_run *run)
{
    static const char *const known[] = { "cubic", "squiggle", "cubic_full", "squiggle_full", "radial" };
    *data = NULL;
    size_t kind = 0;
    while (kind < 5 && strcmp(known[kind], name) != 0) kind++;
    if (kind == 5) {
        const char *near = una_nearest(name, known, 5);
        UNA_FAIL(run, UNA_E_USAGE, "there is no made-up data set '%.60s'%s%s%s; there are cubic, squiggle, cubic_full, "
                 "squiggle_full and radial", name, near ? " (did you mean '" : "", near ? near : "", near ? "'?)" : "");
    }

    if (rows == 0) UNA_FAIL(run, UNA_E_USAGE, "a data set needs at least one row");
    if (kind < 4 && inputs > 1) UNA_FAIL(run, UNA_E_USAGE, "'%s' has one input, not %zu", name, inputs);
    if (inputs == 0) inputs = 1;

    UNA_SCOPED(run, fill_and_copy(data, kind, rows, inputs, seed, run));
    return UNA_OK;
}
