/* SPDX-License-Identifier: MIT
 *
 * Days of the calendar (Gregorian, also before it was thought of), counted from 1970-01-01, which is 0 and a Thursday.
 */
#pragma once

#include "base/base.h"

/* False: there is no such day. Years are 1 to 9999. */
bool una_calendar_day(double *days, int year, int month, int day);
void una_calendar_date(double days, int *year, int *month, int *day);    /* of the day that holds the moment */
/* "2024-01-13", "2024-01-13 12:30", "2024-01-13 12:30:15", "... 12:30:15.250"; with time_only "12:30", where days is
 * the part of a day. Rounded to a millisecond. NULL: no file can hold such a moment. */
enum { UNA_CALENDAR_ROOM = 32 };
const char *una_calendar_text(char text[UNA_CALENDAR_ROOM], double days, bool time_only);
int  una_calendar_weekday(double days);                                  /* 0 Monday ... 6 Sunday            */

/* Parts that come round again, as cyclic pairs: where in its circle a moment stands, 0 <= phase < 1. */
typedef enum una_calendar_part { UNA_PART_HOUR, UNA_PART_WEEKDAY, UNA_PART_MONTH, UNA_PARTS } una_calendar_part;
const char *una_calendar_part_name(una_calendar_part part);              /* "hour", "weekday", "month"       */
/* hour: of the day; weekday: of the week, in whole days; month: of the year, in days. NAN stays NAN. */
double      una_calendar_phase(una_calendar_part part, double days);
