/* SPDX-License-Identifier: MIT
 *
 * Every activation against itself: the first and second derivative that the kernels give must be what central
 * differences of the kernels' own values say, in the reference set and in every fast one. No closed form is written
 * down here, so an activation that is new is judged like the others.
 */
#include "test_support.h"

#include "kern/kern.h"

enum { POINTS = 1024, WIDTH = 16 };

/* z over the middle finely, then the tails to +-40; never at zero, where some have a kink, and not within a step of
 * it. */
static void take_grid(double *z)
{
    for (size_t i = 0; i < POINTS; i++) {
        double side = i % 2 ? -1 : 1, at = (double)(i / 2);
        z[i] = side * (at < 400 ? 0.0105 + 0.02 * at : 8 + 0.29 * (at - 400));
    }
}

/* ---- in double: differences of h, by the same set ------------------------------------------------------- */

typedef struct values { double z[POINTS], h[POINTS], d[POINTS], dd[POINTS]; } values;

static void activate_at(const una_kernels_f64 *set, int act, const double *z, double moved, values *at)
{
    const double bias[WIDTH] = { 0 };
    for (size_t i = 0; i < POINTS; i++) at->z[i] = z[i] + moved;
    set->activate((una_activation)act, POINTS / WIDTH, WIDTH, bias, (una_activated_f64){ at->z, at->h, at->d, at->dd });
}

/* Fourth-order central differences: (8 (f(z+h) - f(z-h)) - (f(z+2h) - f(z-2h)))/(12 h). */
static double slope_of(double far_below, double below, double above, double far_above, double step)
{
    return (8 * (above - below) - (far_above - far_below)) / (12 * step);
}

static void check_double(const una_kernels_f64 *set, int act)
{
    static values at, side[4];
    static double grid[POINTS];
    const double step = 1.0 / 1024, moved[4] = { -2 * step, -step, step, 2 * step };

    take_grid(grid);
    activate_at(set, act, grid, 0, &at);
    for (size_t k = 0; k < 4; k++) activate_at(set, act, grid, moved[k], &side[k]);

    for (size_t i = 0; i < POINTS; i++) {
        double size = 1 + fabs(grid[i]);
        double first = slope_of(side[0].h[i], side[1].h[i], side[2].h[i], side[3].h[i], step);
        double second = slope_of(side[0].d[i], side[1].d[i], side[2].d[i], side[3].d[i], step);

        /* By the values alone: rounding of h over step^2 is what is lost. */
        double bend = (side[2].h[i] - 2 * at.h[i] + side[1].h[i]) / (step * step);
        if (!(fabs(at.d[i] - first) <= 4e-12 * size))
            fail_msg("%s: activation %d has the slope %.12g at %g, and its values say %.12g", set->name, act, at.d[i],
                     grid[i], first);
        if (!(fabs(at.dd[i] - second) <= 4e-12 * size) || !(fabs(at.dd[i] - bend) <= 1e-6 + 1e-9 * size))
            fail_msg("%s: activation %d has the second derivative %.12g at %g; its slopes say %.12g, its values %.9g",
                     set->name, act, at.dd[i], grid[i], second, bend);
    }
}

/* ---- in float: differences are too rough, so the same set in double judges ------------------------------- */

static void check_float(const una_kernels_f32 *set, const una_kernels_f64 *judge, int act)
{
    static values truth;
    static double grid[POINTS];
    static float z[POINTS], h[POINTS], d[POINTS], dd[POINTS];
    const float bias[WIDTH] = { 0 };

    take_grid(grid);
    for (size_t i = 0; i < POINTS; i++) grid[i] = (double)(z[i] = (float)grid[i]);
    set->activate((una_activation)act, POINTS / WIDTH, WIDTH, bias, (una_activated_f32){ z, h, d, dd });
    activate_at(judge, act, grid, 0, &truth);

    for (size_t i = 0; i < POINTS; i++) {
        double allowed = 2e-6 * (1 + fabs(grid[i]));
        if (!(fabs((double)h[i] - truth.h[i]) <= allowed && fabs((double)d[i] - truth.d[i]) <= allowed &&
              fabs((double)dd[i] - truth.dd[i]) <= allowed))
            fail_msg("%s: activation %d at %g is %.8g, %.8g, %.8g in float, and %.8g, %.8g, %.8g in double", set->name,
                     act, grid[i], (double)h[i], (double)d[i], (double)dd[i], truth.h[i], truth.d[i], truth.dd[i]);
    }
}

/* ---- the other places where a derivative stands ---------------------------------------------------------- */

/* e of the secants is act' at the far end of the step, by the differences of the values there. */
static void check_far_ends(const una_kernels_f64 *set, int act)
{
    static values at, side[4];
    static double grid[POINTS], u[POINTS], delta[POINTS / WIDTH], s[POINTS], e[POINTS], far[POINTS];
    const double step = 1.0 / 1024, moved[4] = { -2 * step, -step, step, 2 * step };

    take_grid(grid);
    activate_at(set, act, grid, 0, &at);
    for (size_t i = 0; i < POINTS; i++) u[i] = i % 3 ? 0.7 : -0.4;
    for (size_t p = 0; p < POINTS / WIDTH; p++) delta[p] = p % 2 ? 0.31 : -1.3;
    for (size_t i = 0; i < POINTS; i++) far[i] = grid[i] + delta[i / WIDTH] * u[i];
    const una_slope_rows_f64 rows = { { POINTS / WIDTH, 1, WIDTH }, at.z, at.h, at.d, NULL, u, WIDTH, delta, s, e, NULL };
    set->slopes->secant((una_activation)act, &rows);
    for (size_t k = 0; k < 4; k++) activate_at(set, act, far, moved[k], &side[k]);

    for (size_t i = 0; i < POINTS; i++) {
        if (fabs(far[i]) < 3 * step) continue;                   /* a kink within the differences */
        double slope = slope_of(side[0].h[i], side[1].h[i], side[2].h[i], side[3].h[i], step);
        if (!(fabs(e[i] - slope) <= 4e-12 * (1 + fabs(far[i]))))
            fail_msg("%s: activation %d ends a step at %g with the slope %.12g, and its values there say %.12g",
                     set->name, act, far[i], e[i], slope);
    }
}

/* The one-pass network of one unit, weight and row: its loss moves with the bias as its gradient says. */
static double shallow_loss(const una_kernels_f64 *set, int act, double bias, double *gradient)
{
    double work[2 * UNA_SHALLOW_ROWS * UNA_PAD], x = 1, y = 0.3, c = 0;
    double w[UNA_PAD] = { 0 }, b[UNA_PAD] = { bias }, v[UNA_PAD] = { 1 };
    double dw[UNA_PAD] = { 0 }, db[UNA_PAD] = { 0 }, dv[UNA_PAD] = { 0 };
    double loss = set->density->shallow(&(una_shallow_f64){ (una_activation)act, 1, UNA_PAD, w, b, v, 0 }, 1, &x, &y, 0.5,
                                        &(una_shallow_gradient_f64){ dw, db, dv, &c }, work);
    *gradient = db[0];
    return loss;
}

static void check_shallow(const una_kernels_f64 *set, int act)
{
    const double step = 1.0 / 1024;
    for (int i = -160; i < 160; i++) {
        double at = 0.05 * i + 0.0251, gradient, unused, loss[4];
        for (int k = 0; k < 4; k++) loss[k] = shallow_loss(set, act, at + (k < 2 ? k - 2 : k - 1) * step, &unused);
        shallow_loss(set, act, at, &gradient);
        double slope = slope_of(loss[0], loss[1], loss[2], loss[3], step);
        if (!(fabs(gradient - slope) <= 1e-10 * (1 + at * at)))
            fail_msg("%s: the one-pass network with activation %d has the gradient %.12g at %g, and its loss says "
                     "%.12g", set->name, act, gradient, at, slope);
    }
}

/* ---- every set of this machine ----------------------------------------------------------------------------- */

static void each_set(void (*check)(const una_kernels_f64 *set, int act))
{
    const char *const names[] = { "generic", "avx2", "avx512" };
    for (size_t k = 0; k < 3; k++) {
        const una_kernels_f64 *set = una_kernels_named_f64(names[k]);
        for (int act = 0; set && act < UNA_ACTIVATION_COUNT; act++) check(set, act);
    }
}

static void slopes_in_double(void **state)
{
    (void)state;
    each_set(check_double);
}

static void slopes_in_float(void **state)
{
    (void)state;
    const char *const names[] = { "generic", "avx2", "avx512" };
    for (size_t k = 0; k < 3; k++) {
        const una_kernels_f32 *set = una_kernels_named_f32(names[k]);
        for (int act = 0; set && act < UNA_ACTIVATION_COUNT; act++)
            check_float(set, una_kernels_named_f64("generic"), act);
    }
}

static void slopes_at_far_ends(void **state)
{
    (void)state;
    each_set(check_far_ends);
}

static void slopes_of_one_pass(void **state)
{
    (void)state;
    each_set(check_shallow);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slopes_in_double),
        cmocka_unit_test(slopes_in_float),
        cmocka_unit_test(slopes_at_far_ends),
        cmocka_unit_test(slopes_of_one_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
