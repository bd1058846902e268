/* SPDX-License-Identifier: MIT
 *
 * The gradient of the evidence with respect to the features, for training by marginal likelihood:
 *   -log p(y) = N/2 log(2 pi s2) + |y - Phi m|^2/(2 s2) + K/2 log alpha + |m|^2/(2 alpha) - 1/2 log|V|
 * (thesis and Ober & Rasmussen print + 1/2 log|V| here, which is wrong). m maximises the posterior, so only the
 * explicit dependence on Phi counts:  d/dPhi = (Phi V - (y - Phi m) m') / s2.
 */
#include "infer/head.h"

void una_head_phi_gradient(const una_head *head, const double *phi, const double *y, size_t rows, double *dphi)
{
    size_t k = head->stats.features;
    for (size_t r = 0; r < rows; r++) {
        const double *row = phi + r * k;
        double *out = dphi + r * k;
        double residual = y[r] - una_dot(row, head->mean, k);
        memcpy(out, row, k * sizeof *out);
        una_chol_solve(head->chol, k, out, 1);
        for (size_t j = 0; j < k; j++) out[j] = (out[j] - residual * head->mean[j]) / head->noise_var;
    }
}
