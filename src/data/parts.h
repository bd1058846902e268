/* SPDX-License-Identifier: MIT
 *
 * Which parts of the calendar (hour, weekday, month) of a column of dates are worth being inputs.
 */
#ifndef UNA_PARTS_H
#define UNA_PARTS_H

#include "data/calendar.h"

enum { UNA_PARTS_COLUMNS = 24 };         /* other columns that are looked at, at most: the first            */

typedef struct una_parts_question {
    const double *days, *y;      /* of the table; NAN: missing                                      */
    const double *const *x;      /* [columns] other columns of numbers                              */
    size_t        columns;
    const size_t *row;           /* [rows] rows in use                                              */
    size_t        rows;
    bool          time_only;     /* times of day: there is no weekday and no month                  */
} una_parts_question;

/* *parts: a bit (1 << part) for each that makes ridge regression foretell held-out rows clearly better: on y, by the
 * days, the other numbers and the parts, each fold of five in turn. *gain: the share of the mean squared error that
 * goes. Ranks that learn together get the same answer. */
una_status una_parts_choose(unsigned *parts, double *gain, const una_parts_question *question, una_run *run);

#endif
