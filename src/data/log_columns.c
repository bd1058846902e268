/* SPDX-License-Identifier: MIT
 *
 * Targets that are known by their logarithm: centre and scale are those of log y,
 *   centre = 1/n sum log y,   scale^2 = 1/n sum (log y - centre)^2       (over the training cells that are there).
 */
#include "data/columns.h"

/* The sum over all rows of (cell - centre)^power, and how many cells there are. */
static una_status sum_of_powers(double out[2], const double *y, size_t rows, size_t stride, double centre, int power,
                                una_run *run)
{
    out[0] = out[1] = 0;
    for (size_t i = 0; i < rows; i++) {
        double off = y[i * stride] - centre;
        if (isnan(off)) continue;
        out[0] += power == 1 ? off : off * off;
        out[1] += 1;
    }
    return una_run_sum_f64(out, 2, run);
}

una_status una_columns_log_targets(una_columns *const *columns, size_t targets, const una_dataset *data, una_run *run)
{
    UNA_NEW(&run->scratch, const una_columns *, known, targets);
    double *y, sum[2];
    size_t rows;
    for (size_t t = 0; t < targets; t++) {
        columns[t]->log_target = true;
        columns[t]->target_centre = 0;
        columns[t]->target_scale = 1;
        known[t] = columns[t];
    }
    UNA_TRY(una_columns_encode_several(known, targets, data, &(una_encoding){ NULL, &y, NULL, &rows }, &run->scratch));
    for (size_t t = 0; t < targets; t++) {
        double centre = 0;
        for (int pass = 0; pass < 2; pass++) {                   /* the second adds what rounding left */
            UNA_TRY(sum_of_powers(sum, y + t, rows, targets, centre, 1, run));
            centre += sum[0] / sum[1];
        }
        UNA_TRY(sum_of_powers(sum, y + t, rows, targets, centre, 2, run));
        double std = sqrt(sum[0] / sum[1]);
        if (!(std > UNA_ROUNDING * fabs(centre)))
            UNA_FAIL(run, UNA_E_INPUT, "the logarithm of the target '%.60s' has the same value in every row of %s, so "
                     "there is nothing to learn; fit without --log", columns[t]->target, data->origin);
        columns[t]->target_centre = centre;
        columns[t]->target_scale = std;
    }
    return UNA_OK;
}
