/* SPDX-License-Identifier: MIT
 *
 * The posterior of a network's weights w given rows (x, y), as minus its logarithm:
 *   U = sum (y - f)^2/(2 s2) + N/2 log(2 pi s2) + sum_i (w_i^2/(2 a_i) + log(2 pi a_i)/2)   [- log p(log s)]
 * The prior variances a_i are alpha, or (fan_in) alpha/n for the weights of a layer that sees n units.
 * With the noise sampled too, q ends in e = log s, and s2 = exp(2e). Its prior, with c the noise std that is expected:
 *   lognormal      e ~ N(log c, 1)
 *   inverse_gamma  s2 ~ IG(2, c^2), mean c^2:  log p(e) = 2 log c^2 - 4 e - c^2 exp(-2e) + log 2
 */
#include "train/bnn.h"

#include "la/la.h"

enum { FEW_INPUTS = 12 };   /* up to which one pass through a network of one hidden layer beats layer by layer */

una_status una_bnn_take(una_bnn *bnn, const una_kernels_f64 *kernels, una_arena *arena)
{
    const una_net *net = &bnn->net;
    bnn->kernels = kernels;
    bnn->weights = una_net_packed(net);

    bnn->place = UNA_GET(arena, size_t, bnn->weights);
    bnn->precision = UNA_GET(arena, double, bnn->weights);
    bnn->padded = UNA_GET(arena, double, net->parameters);
    bnn->gradient = UNA_GET(arena, double, net->parameters);
    if (net->depth == 1 && net->size[0] <= FEW_INPUTS) {
        bnn->head = UNA_GET(arena, double, 2 * UNA_PADDED(net->size[1]));
        bnn->block = UNA_GET(arena, double, 2 * UNA_SHALLOW_ROWS * UNA_PADDED(net->size[1]));
    }
    UNA_TRY(una_arena_check(arena));

    una_bnn_precision(net, bnn->prior_var, bnn->fan_in, bnn->precision);
    size_t *place = bnn->place;
    for (size_t l = 0; l <= net->depth; l++)
        for (size_t i = 0; i <= net->size[l]; i++)               /* the bias is the row after the weights */
            for (size_t j = 0; j < net->size[l + 1]; j++)
                *place++ = net->weights[l] + i * UNA_PADDED(net->size[l + 1]) + j;
    return una_work_new_f64(&bnn->work, net, &(una_work_size){ .rows = bnn->rows }, kernels, arena);
}

void una_bnn_precision(const una_net *net, double prior_var, bool fan_in, double *precision)
{
    for (size_t l = 0; l <= net->depth; l++)
        for (size_t i = 0; i <= net->size[l]; i++)               /* the bias is the row after the weights */
            for (size_t j = 0; j < net->size[l + 1]; j++)
                *precision++ = (fan_in && i < net->size[l] ? (double)net->size[l] : 1) / prior_var;
}

double una_bnn_prior(const una_bnn *bnn, const double *q, size_t count, double *gradient)
{
    double square = 0, logs = 0;
    for (size_t i = 0; i < count; i++) {
        double pull = q[i] * bnn->precision[i];
        gradient[i] += pull;
        square += q[i] * pull;
    }
    for (size_t i = 0; i < count;) {                     /* layer by layer: runs of equal ones */
        size_t from = i;
        while (i < count && bnn->precision[i] == bnn->precision[from]) i++;
        logs += (double)(i - from) * (UNA_LOG_TWO_PI - log(bnn->precision[from]));
    }
    return (square + logs) / 2;
}

size_t una_bnn_dimension(const una_bnn *bnn)
{
    return bnn->weights + (bnn->sample_noise ? 1 : 0);
}

void una_bnn_unpack(const una_bnn *bnn, const double *q, double *padded)
{
    for (size_t i = 0; i < bnn->weights; i++) padded[bnn->place[i]] = q[i];
}

double una_bnn_noise_prior(const una_bnn *bnn, double e, double *slope)
{
    double centre = bnn->noise_var, off = e - log(centre) / 2;
    if (bnn->noise_prior == UNA_NOISE_LOGNORMAL) {
        *slope = off;
        return off * off / 2 + UNA_LOG_TWO_PI / 2;
    }
    double ratio = centre * exp(-2 * e);
    *slope = 4 - 2 * ratio;
    return -2 * log(centre) + 4 * e + ratio - log(2);
}

/* Layer by layer: gives sum (y - f)^2/(2 s2) and puts its gradient. */
static double deep_fit(una_bnn *bnn, const double *q, double var, double *gradient)
{
    una_batch_f64 batch = { .rows = bnn->rows, .x = bnn->x, .target = bnn->y, .target_heads = 1 };
    una_objective_f64 objective = { .fit_weight = 1 / (2 * var) };
    una_losses losses;
    una_bnn_unpack(bnn, q, bnn->padded);
    una_net_gradient_f64(bnn->work, bnn->padded, &batch, &objective, bnn->gradient, &losses);
    for (size_t i = 0; i < bnn->weights; i++) gradient[i] = bnn->gradient[bnn->place[i]];
    return losses.fit;
}

/* The same in one pass. q holds the rows of the hidden weights, their biases, the head, its bias:
 * each of them `units` long. */
static double shallow_fit(una_bnn *bnn, const double *q, double var, double *gradient)
{
    size_t inputs = bnn->net.size[0], units = bnn->net.size[1], width = UNA_PADDED(units),
           bytes = units * sizeof(double);
    double *p = bnn->padded, *g = bnn->gradient, *dhead = bnn->head + width, bias = 0;

    for (size_t i = 0; i <= inputs; i++) memcpy(p + i * width, q + i * units, bytes);
    memcpy(bnn->head, q + (inputs + 1) * units, bytes);
    memset(g, 0, (inputs + 1) * width * sizeof(double));
    memset(dhead, 0, width * sizeof(double));

    const una_shallow_f64 at = { bnn->net.activation, inputs, width, p, p + inputs * width, bnn->head,
                                 q[bnn->weights - 1] };
    const una_shallow_gradient_f64 to = { g, g + inputs * width, dhead, &bias };
    double fit = bnn->kernels->density->shallow(&at, bnn->rows, bnn->x, bnn->y, 1 / (2 * var), &to, bnn->block);

    for (size_t i = 0; i <= inputs; i++) memcpy(gradient + i * units, g + i * width, bytes);
    memcpy(gradient + (inputs + 1) * units, dhead, bytes);
    gradient[bnn->weights - 1] = bias;
    return fit;
}

double una_bnn_potential(void *context, const double *q, double *gradient)
{
    una_bnn *bnn = context;
    double e = bnn->sample_noise ? q[bnn->weights] : 0, var = bnn->sample_noise ? exp(2 * e) : bnn->noise_var;
    double n = (double)bnn->rows, slope;
    double fit = bnn->head ? shallow_fit(bnn, q, var, gradient) : deep_fit(bnn, q, var, gradient);
    double u = fit + una_bnn_prior(bnn, q, bnn->weights, gradient) + n / 2 * (UNA_LOG_TWO_PI + log(var));
    if (!bnn->sample_noise) return u;
    u += una_bnn_noise_prior(bnn, e, &slope);
    gradient[bnn->weights] = n - 2 * fit + slope;
    return u;
}

/* The start of a chain need not be exact: one penalty for all weights, the mean of theirs. */
static double mean_penalty(const una_bnn *bnn)
{
    double sum = 0;
    for (size_t i = 0; i < bnn->weights; i++) sum += bnn->precision[i];
    return sum / (2 * (double)bnn->weights);
}

una_status una_bnn_start(una_bnn *bnn, size_t steps, uint64_t seed, size_t chain, double *q, una_run *run)
{
    const una_net *net = &bnn->net;
    una_mark mark = una_arena_mark(&run->scratch);
    una_rng rng = una_rng_at(seed, UNA_FOR_INIT, (uint64_t)1 << 32 | chain);
    una_net_initialise_f64(net, 1, 1, &rng, bnn->padded, run);

    una_training_settings how = { .descent = { .steps = steps, .rate = 0.01, .rate_schedule = 1,
                                               .validate_every = steps + 1, .stage = "looking for a start" },
                                  .batch = bnn->rows > 1000 ? 256 : 0, .fit_weight = 1 / (2 * bnn->noise_var),
                                  .penalty = mean_penalty(bnn), .seed = seed, .stream = (uint64_t)1 << 16 | chain };
    una_train_data_f64 data = { bnn->x, bnn->y, bnn->rows, 1, { net->size[0], NULL } };

    una_trained trained;
    una_status status = UNA_OK;
    if (steps) status = una_train_f64(net, bnn->padded, &data, &how, NULL, &trained, &run->scratch, run);

    for (size_t i = 0; i < bnn->weights; i++) q[i] = bnn->padded[bnn->place[i]];
    if (bnn->sample_noise) q[bnn->weights] = log(bnn->noise_var) / 2;
    una_arena_release(&run->scratch, mark);
    return status;
}
