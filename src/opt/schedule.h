/* SPDX-License-Identifier: MIT
 *
 * How a weight or a rate changes over training, u = step/steps in [0, 1].
 */
#pragma once

#define UNA_SCHEDULES "constant|sqrt|sigmoid|tanh"
/* 1; sqrt u; 1/(1 + exp(3 - 6u)); (tanh(6u - 3) + 1)/2. */
double una_schedule(int schedule, double u);

#define UNA_RATE_SCHEDULES "constant|cosine|linear"
/* Factor on the learning rate: 1; cosine or straight line from 1 down to 0.01, after a short warm-up. */
double una_rate_schedule(int schedule, double u);
