/* SPDX-License-Identifier: MIT
 *
 * The minimum of a function of one variable without derivatives (R. P. Brent, Algorithms for Minimization without
 * Derivatives, 1973, chapter 5): a parabola through the three best points so far where it behaves, else a golden
 * section of the larger part. A value that is not a number counts as infinite.
 */
#include "la/la.h"

enum { MOST_STEPS = 200 };
static const double GOLDEN = 0.38196601125010515180;          /* (3 - sqrt 5) / 2 */

typedef struct bracket {
    double low, high;
    double x, fx;                /* best so far                                     */
    double second, f_second;     /* next best                                       */
    double third, f_third;       /* what `second` was before                        */
    double step, before;         /* the last step and the one before it             */
} bracket;

/* The parabola's step from x, if it stays inside and shrinks faster than halving every other step. */
static bool parabola_step(const bracket *b, double *step)
{
    double r = (b->x - b->second) * (b->fx - b->f_third);
    double q = (b->x - b->third) * (b->fx - b->f_second);
    double top = (b->x - b->third) * q - (b->x - b->second) * r, bottom = 2 * (q - r);
    double try = -top / bottom;
    *step = try;
    return fabs(try) < 0.5 * fabs(b->before) && b->x + try > b->low && b->x + try < b->high;
}

static void next_step(bracket *b, double tolerance)
{
    double step = 0, middle = 0.5 * (b->low + b->high);
    bool fits = fabs(b->before) > tolerance && parabola_step(b, &step);
    b->before = b->step;
    if (!fits) {
        b->before = (b->x < middle ? b->high : b->low) - b->x;
        step = GOLDEN * b->before;
    } else if (b->x + step - b->low < 2 * tolerance || b->high - b->x - step < 2 * tolerance) {
        step = copysign(tolerance, middle - b->x);
    }
    b->step = fabs(step) >= tolerance ? step : copysign(tolerance, step);
}

static void accept_point(bracket *b, double u, double fu)
{
    if (fu <= b->fx) {
        if (u < b->x) b->high = b->x; else b->low = b->x;
        b->third = b->second, b->f_third = b->f_second;
        b->second = b->x, b->f_second = b->fx;
        b->x = u, b->fx = fu;
        return;
    }

    if (u < b->x) b->low = u; else b->high = u;
    if (fu <= b->f_second || b->second == b->x) {
        b->third = b->second, b->f_third = b->f_second;
        b->second = u, b->f_second = fu;
    } else if (fu <= b->f_third || b->third == b->x || b->third == b->second) {
        b->third = u, b->f_third = fu;
    }
}

static double value_or_infinity(double (*f)(double, void *), double x, void *context)
{
    double value = f(x, context);
    return isnan(value) ? HUGE_VAL : value;
}

double una_minimise(double (*f)(double, void *), void *context, double low, double high, double tol)
{
    bracket b = { .low = low, .high = high, .x = low + GOLDEN * (high - low) };
    b.second = b.third = b.x;
    b.fx = b.f_second = b.f_third = value_or_infinity(f, b.x, context);
    double floor = 1e-10 * fabs(high - low);
    for (int step = 0; step < MOST_STEPS; step++) {
        double tolerance = tol * fabs(b.x) + floor;
        if (fabs(b.x - 0.5 * (b.low + b.high)) <= 2 * tolerance - 0.5 * (b.high - b.low)) break;
        next_step(&b, tolerance);
        double u = b.x + b.step;
        accept_point(&b, u, value_or_infinity(f, u, context));
    }
    return b.x;
}

double una_search(double (*f)(double, void *), void *context, double low, double high, int points, double tol)
{
    if (points <= 2) return una_minimise(f, context, low, high, tol);
    double step = (high - low) / (points - 1), best = low, least = HUGE_VAL;
    for (int i = 0; i < points; i++) {
        double t = i + 1 < points ? low + i * step : high, value = f(t, context);
        if (value < least) {
            least = value;
            best = t;
        }
    }

    double refined = una_minimise(f, context, fmax(best - step, low), fmin(best + step, high), tol);
    return f(refined, context) < least ? refined : best;
}
