/* SPDX-License-Identifier: MIT
 *
 * Rows of the squiggle outside and inside its gap, and the models fitted to them.
 */
#include "transfer/transfer.h"

#include "bench/truth.h"
#include "data/table.h"

const double una_transfer_noise = 3;
const char *const una_transfer_alphas[UNA_TRANSFER_ALPHAS] = { "0.1", "1", "10" };

/* By hand, on seeds above 1000: all three explain the rows outside about as well. */
#define BY_HAND "noise_std=3, optimise=no, noise=constant"
const una_transfer_band una_transfer_bands[UNA_TRANSFER_BANDS] = {
    { "too little", "squiggle, too little", "gp(kernel=rbf(length=4), amplitude=1, " BY_HAND ")" },
    { "about right", "squiggle, about right", "gp(kernel=matern32(length=4), amplitude=1, " BY_HAND ")" },
    { "too much", "squiggle, too much", "gp(kernel=matern32(length=1), amplitude=3, " BY_HAND ")" },
};
static const double gap = 2, end = 4;

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* Outside the gap every other row is on the other side of it. */
static una_status make_table(una_dataset **data, size_t rows, bool inside, una_rng *rng, una_run *run)
{
    una_truth truth;
    UNA_TRY(una_truth_new(&truth, rows, 1, &run->scratch));
    for (size_t i = 0; i < rows; i++) {
        double u = una_rng_uniform(rng), away = gap + (end - gap) * u;
        if (inside) truth.x[i] = gap * (2 * u - 1);
        else truth.x[i] = i % 2 ? away : -away;
        truth.f[i] = una_squiggle(truth.x[i]);
        truth.noise[i] = una_transfer_noise;
    }
    una_truth_add_noise(&truth, rng);
    return una_truth_table(data, &truth, run);
}

una_status una_transfer_rows_make(una_transfer_rows *rows, uint64_t seed, una_run *run)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, 0);
    UNA_TRY(make_table(&rows->train, UNA_TRANSFER_TRAIN, false, &rng, run));
    UNA_TRY(make_table(&rows->valid, UNA_TRANSFER_HELD, false, &rng, run));
    UNA_TRY(make_table(&rows->test, UNA_TRANSFER_HELD, false, &rng, run));
    UNA_TRY(make_table(&rows->gap_train, UNA_TRANSFER_GAP_TRAIN, true, &rng, run));
    return make_table(&rows->gap_test, UNA_TRANSFER_GAP_TEST, true, &rng, run);
}

/* ---- fits ---------------------------------------------------------------------------------------------------- */

size_t una_transfer_features(const char *data)
{
    const char *count = strchr(data, ' ');
    return count ? (size_t)strtoull(count, NULL, 10) : 0;        /* of words: 0 */
}

una_status una_transfer_fit(una_model **model, const una_row_key *key, const una_transfer_rows *rows, una_run *run)
{
    const char *set[] = { una_phrase(&run->scratch, "features=%zu", una_transfer_features(key->data)) };
    UNA_TRY(una_arena_check(&run->scratch));
    una_fit_settings settings = { .size = sizeof settings, .target = "y", .valid = rows->valid, .set = set,
                                  .set_count = una_transfer_features(key->data) > 0 };
    return una_held_fit(model, key->spec, rows->train, &settings, run);
}
