/* SPDX-License-Identifier: MIT
 *
 * Ignorance beyond the rows. A model is checked where rows lie, or between them; outside of their range it goes on in
 * a way of its own (a straight line, a constant, back to the mean), of which it may be quite sure. But a function may
 * bend there. So its variance gains
 *   (sum_d rate_d (scale_d o_d)^2)^2,   o_d how far the input lies outside of the range of the rows,
 * which is what an unknown curvature adds. How large it is, is learnt from the rows at both ends of the input that
 * matters most, as fits predict them that were made without: a rate for either side, and the mean square of both for all
 * other inputs. All of the error there counts, whatever ignorance the model had: a process knows a large one near its
 * rows, which then stays the same.
 */
#pragma once

#include "model/kind.h"

typedef struct una_ends {                /* rows at the ends of an input, as predicted without them         */
    const unsigned char *rows;           /* [rows that train] 1: at an end                                  */
    size_t        input;
    const double *mean, *noise;          /* [rows that train] of the function; variance of the noise; NAN: not
                                            predicted */
} una_ends;

/* The rates of both sides, 0 where the rows show none. relevance [inputs]: how much each input counts; NULL: all alike. */
void       una_beyond_rates(double *below, double *above, const una_ends *ends, const una_problem *problem,
                            const double *relevance);
/* Scales as in `relevance`, which go to keep, where beyond (its rates and its input) has any rate; words do not count. */
una_status una_beyond_set(una_beyond *beyond, const una_problem *problem, const double *relevance, una_arena *keep);
static inline bool una_beyond_any(const una_beyond *beyond)
{
    return beyond->below > 0 || beyond->above > 0;
}
/* The range of rows x: the first, or more of them (an update). */
una_status una_beyond_take_range(una_beyond *beyond, una_view x, una_arena *keep);
void       una_beyond_extend(una_beyond *beyond, una_view x);
/* The variance at x [inputs]; slope [inputs] (NULL: not asked for) gets what it adds to that of the variance. */
double     una_beyond_var(const una_beyond *beyond, const double *x, size_t inputs, double *slope);
/* Absent in older files, and where ignorance does not grow. */
una_status una_beyond_exchange(una_beyond *beyond, una_archive *ar);
