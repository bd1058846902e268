/* SPDX-License-Identifier: MIT
 *
 * Annealing of the diversity (thesis, section on LUNA) and of the learning rate.
 */
#include "opt/schedule.h"

#include <math.h>

double una_schedule(int schedule, double u)
{
    switch (schedule) {
    case 1: return sqrt(u);
    case 2: return 1 / (1 + exp(3 - 6 * u));
    case 3: return (tanh(6 * u - 3) + 1) / 2;
    default: return 1;
    }
}

double una_rate_schedule(int schedule, double u)
{
    const double least = 0.01, warm = 0.02, pi = 3.14159265358979323846;
    if (schedule == 0) return 1;
    if (u < warm) return fmax(least, u / warm);
    double v = (u - warm) / (1 - warm);
    double falling = schedule == 1 ? (1 + cos(pi * v)) / 2 : 1 - v;
    return least + (1 - least) * falling;
}
