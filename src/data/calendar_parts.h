/* SPDX-License-Identifier: MIT
 *
 * Decides which parts of the calendar (hour, weekday, month) of a column of dates become inputs.
 */
#pragma once

#include "base/calendar.h"

enum { UNA_CALENDAR_PARTS_COLUMNS = 24 };         /* other columns that are looked at, at most: the first            */

typedef struct una_calendar_parts_question {
    const double *days, *y;      /* of the table; NAN: missing                                      */
    const double *const *x;      /* [columns] other columns of numbers                              */
    size_t        columns;
    const size_t *row;           /* [rows] rows in use                                              */
    size_t        rows;
    bool          time_only;     /* times of day: there is no weekday and no month                  */
} una_calendar_parts_question;

/* *parts: a bit (1 << part) for each part with which ridge regression predicts held-out rows clearly better: on y, by
 * the days, the other numbers and the parts, each of five folds held out in turn. *gain: the share of the mean squared
 * error that disappears. Ranks that learn together get the same answer. */
una_status una_calendar_parts_choose(unsigned *parts, double *gain, const una_calendar_parts_question *question,
                                     una_run *run);
