/* SPDX-License-Identifier: MIT
 *
 * A made-up kind whose std is a bump in the middle of the input. Whoever includes this has defined BUMP_FLOOR, the std
 * far away, and defines bump_options, their `table` and bump_fit, which sets the height.
 */
#ifndef UNA_TEST_BUMP_H
#define UNA_TEST_BUMP_H

#include "model/kind.h"

typedef struct bump { double height; } bump;

static una_status bump_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const bump *m = state;
    (void)run;
    for (size_t r = 0; r < x.rows; r++) {
        double at = x.at[r * x.stride], std = BUMP_FLOOR + m->height * exp(-4 * at * at);
        out->mean[r] = at;
        out->var_model[r] = std * std;
        out->var_noise[r] = 1;
    }
    return UNA_OK;
}

static una_status bump_exchange(void *state, una_archive *ar)
{
    return una_archive_f64(ar, "height", &((bump *)state)->height);
}

#define BUMP(its_name) { .name = its_name, .summary = "a bump", .source = "nobody", .options = table, \
    .options_size = sizeof(bump_options), .state_size = sizeof(bump), .thesis = "", .least_rows = 4, .fit = bump_fit, \
    .predict = bump_predict, .exchange = bump_exchange }

#endif
