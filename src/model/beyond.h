/* SPDX-License-Identifier: MIT
 *
 * Ignorance beyond the rows. A model is checked where rows lie, or between them; outside of their range it goes on in
 * a way of its own (a straight line, a constant, back to the mean), of which it may be quite sure. But a function may
 * bend there. So its variance gains
 *   (rate d^2)^2,   d^2 = sum_d (scale_d o_d)^2,   o_d how far the input lies outside of the range of the rows,
 * which is what an unknown curvature adds. How large it is, is learnt from the rows at both ends of the input that
 * matters most, as fits predict them that were made without: the larger of both sides counts. All of the error there
 * does, whatever ignorance the model had: a process knows a large one near its rows, which then stays the same.
 */
#pragma once

#include "model/kind.h"

typedef struct una_ends {                /* rows at the ends of an input, as predicted without them         */
    const unsigned char *rows;           /* [rows that train] 1: at an end                                  */
    size_t        input;
    const double *mean, *noise;          /* [rows that train] of the function; variance of the noise; NAN: not
                                            predicted */
} una_ends;

/* The rate; 0: the rows at the ends show none. relevance [inputs]: how much each counts; NULL: all alike. */
double     una_beyond_rate(const una_ends *ends, const una_problem *problem, const double *relevance);
/* That rate (0: none), and scales as in `relevance`, which go to keep; words do not count. */
una_status una_beyond_set(una_beyond *beyond, double rate, const una_problem *problem, const double *relevance,
                          una_arena *keep);
/* The range of rows x: the first, or more of them (an update). */
una_status una_beyond_take_range(una_beyond *beyond, una_view x, una_arena *keep);
void       una_beyond_extend(una_beyond *beyond, una_view x);
/* The variance at x [inputs]; slope [inputs] (NULL: not asked for) gets what it adds to that of the variance. */
double     una_beyond_var(const una_beyond *beyond, const double *x, size_t inputs, double *slope);
/* Absent in older files, and where ignorance does not grow. */
una_status una_beyond_exchange(una_beyond *beyond, una_archive *ar);
