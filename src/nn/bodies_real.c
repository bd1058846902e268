/* SPDX-License-Identifier: MIT
 *
 * The bodies there are, a line each, and what is the same for all of them.
 */
#include "nn/body.h"

#include "kern/real.h"

const REAL(una_body) *const REAL(una_bodies)[] = {
    &REAL(una_body_mlp),
    &REAL(una_body_residual),
    &REAL(una_body_residual_last),
    &REAL(una_body_conv),
    &REAL(una_body_conv_fourier),
    NULL
};

una_status REAL(una_network_work)(void **work, const REAL(una_network) *net, size_t rows, una_run *run)
{
    una_crew *crew = NULL;
    UNA_TRY(net->body->work(work, net, rows, false, REAL(una_kernels_named)(run->settings.kernels), &run->scratch));
    if (net->body->share) UNA_TRY(una_scratch_crew(&crew, SIZE_MAX, run));
    if (crew) net->body->share(*work, crew);
    return UNA_OK;
}

una_status REAL(una_network_slope_work)(void **work, const REAL(una_network) *net, una_run *run)
{
    return net->body->work(work, net, 1, true, REAL(una_kernels_named)(run->settings.kernels), &run->scratch);
}

double REAL(una_network_sum_of_squares)(const REAL(una_network) *net, const real *parameters, const real *x,
                                        const double *y, size_t rows, double *f, void *work)
{
    double sum = 0;
    net->body->forward(work, parameters, x, rows, (una_outputs){ .f = f });
    for (size_t r = 0; r < rows; r++) sum += (y[r] - f[r]) * (y[r] - f[r]);
    return sum;
}

void REAL(una_heads_forward)(const REAL(una_heads) *at, size_t rows, const real *phi, real *f)
{
    size_t wide = UNA_PADDED(at->heads);
    for (size_t r = 0; r < rows; r++) memcpy(f + r * wide, at->w + at->features * wide, wide * sizeof(real));
    at->kern->product(rows, wide, at->features, UNA_ROWS(phi, UNA_PADDED(at->features)), UNA_ROWS(at->w, wide),
                      UNA_ONTO(f, wide));
}

void REAL(una_heads_back)(const REAL(una_heads) *at, size_t rows, const real *phi, const real *df, real *turned,
                          real *gradient, real *dphi)
{
    size_t wide = UNA_PADDED(at->heads), features = UNA_PADDED(at->features);
    at->kern->product(at->features, wide, rows, UNA_COLUMNS(phi, features), UNA_ROWS(df, wide),
                      UNA_ONTO(gradient, wide));
    at->kern->add_rows(rows, wide, df, gradient + at->features * wide);
    at->kern->transpose(at->features, at->heads, at->w, wide, turned, features);
    at->kern->product(rows, features, at->heads, UNA_ROWS(df, wide), UNA_ROWS(turned, features),
                      UNA_INTO(dphi, features));
}

void REAL(una_copy_out)(const real *block, size_t rows, size_t columns, double *out, size_t stride)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) out[r * stride + j] = (double)block[r * UNA_PADDED(columns) + j];
}
