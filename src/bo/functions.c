/* SPDX-License-Identifier: MIT
 *
 *   branin(x)    = (x2 - 5.1/(4 pi^2) x1^2 + 5/pi x1 - 6)^2 + 10 (1 - 1/(8 pi)) cos x1 + 10
 *   hartmann6(x) = -sum_i alpha_i exp(-sum_j A_ij (x_j - P_ij)^2)
 * Source: Dixon and Szegoe, Towards global optimisation 2, 1978.
 */
#include "bo/functions.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

double una_branin(const double x[2])
{
    double curve = x[1] - 5.1 / (4 * PI * PI) * x[0] * x[0] + 5 / PI * x[0] - 6;
    return curve * curve + 10 * (1 - 1 / (8 * PI)) * cos(x[0]) + 10;
}

double una_hartmann6(const double x[6])
{
    static const double alpha[4] = { 1, 1.2, 3, 3.2 };
    static const double a[4][6] = { { 10, 3, 17, 3.5, 1.7, 8 }, { 0.05, 10, 17, 0.1, 8, 14 },
                                    { 3, 3.5, 1.7, 10, 17, 8 }, { 17, 8, 0.05, 10, 0.1, 14 } };
    static const double p[4][6] = { { 1312, 1696, 5569, 124, 8283, 5886 }, { 2329, 4135, 8307, 3736, 1004, 9991 },
                                    { 2348, 1451, 3522, 2883, 3047, 6650 }, { 4047, 8828, 8732, 5743, 1091, 381 } };

    double sum = 0;
    for (int i = 0; i < 4; i++) {
        double distance = 0;
        for (int j = 0; j < 6; j++) {
            double off = x[j] - 1e-4 * p[i][j];
            distance += a[i][j] * off * off;
        }
        sum -= alpha[i] * exp(-distance);
    }
    return sum;
}
