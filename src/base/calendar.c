/* SPDX-License-Identifier: MIT
 *
 * Calendar arithmetic. Years are taken to begin in March, so that a leap day is the last one: then the days before a
 * month are floor((153 m + 2) / 5) with m = 0 for March, and 400 years have 146,097 days.
 */
#include "base/calendar.h"

static int days_of(int year, int month)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

bool una_calendar_day(double *days, int year, int month, int day)
{
    if (year < 1 || year > 9999 || month < 1 || month > 12 || day < 1 || day > days_of(year, month)) return false;
    int y = month <= 2 ? year - 1 : year, m = (month + 9) % 12;
    int era = y / 400, of_era = y % 400, of_year = (153 * m + 2) / 5 + day - 1;
    *days = (double)(era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468);
    return true;
}

void una_calendar_date(double days, int *year, int *month, int *day)
{
    double shifted = floor(days) + 719468;
    if (!(fabs(shifted) < 4e6)) shifted = 719468;                /* a model may be asked about any number */
    int z = (int)shifted, era = (z >= 0 ? z : z - 146096) / 146097, of_era = z - era * 146097;
    int y = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int of_year = of_era - (365 * y + y / 4 - y / 100), m = (5 * of_year + 2) / 153;
    *day = of_year - (153 * m + 2) / 5 + 1;
    *month = m < 10 ? m + 3 : m - 9;
    *year = y + era * 400 + (*month <= 2);
}

/* "12:30", "12:30:15", "12:30:15.250" */
static void write_clock(char *text, size_t room, int64_t of_day)         /* milliseconds */
{
    int minutes = (int)(of_day / 60000), rest = (int)(of_day % 60000);
    int used = snprintf(text, room, "%02d:%02d", minutes / 60, minutes % 60);
    if (rest) used += snprintf(text + used, room - (size_t)used, ":%02d", rest / 1000);
    if (rest % 1000) snprintf(text + used, room - (size_t)used, ".%03d", rest % 1000);
}

const char *una_calendar_text(char text[UNA_CALENDAR_ROOM], double days, bool time_only)
{
    enum { DAY = 86400000 };
    double first, last;
    if (!una_calendar_day(&first, 1, 1, 1) || !una_calendar_day(&last, 9999, 12, 31)) return NULL;
    if (!isfinite(days) || days < (time_only ? 0 : first) || days >= (time_only ? 1 : last + 1)) return NULL;

    double day = floor(days);
    int64_t of_day = (int64_t)round((days - day) * DAY);
    if (of_day == DAY && (time_only || day == last)) of_day--;
    if (of_day == DAY) day++, of_day = 0;
    if (time_only) {
        write_clock(text, UNA_CALENDAR_ROOM, of_day);
        return text;
    }
    int year, month, of_month;
    una_calendar_date(day, &year, &month, &of_month);
    int used = snprintf(text, UNA_CALENDAR_ROOM, "%04d-%02d-%02d", year, month, of_month);
    if (of_day) {
        text[used] = ' ';
        write_clock(text + used + 1, (size_t)(UNA_CALENDAR_ROOM - used - 1), of_day);
    }
    return text;
}

const char *una_date_text(char text[UNA_CALENDAR_ROOM], double number)
{
    return una_calendar_text(text, number, false);
}

const char *una_time_text(char text[UNA_CALENDAR_ROOM], double number)
{
    return una_calendar_text(text, number, true);
}

int una_calendar_weekday(double days)
{
    double of_week = fmod(floor(days) + 3, 7);               /* day 0 is a Thursday; exact for any number */
    return (int)(of_week < 0 ? of_week + 7 : of_week);
}

const char *una_calendar_part_name(una_calendar_part part)
{
    static const char *const names[] = { "hour", "weekday", "month" };
    return names[part];
}

double una_calendar_phase(una_calendar_part part, double days)
{
    if (!isfinite(days)) return NAN;
    if (part == UNA_PART_HOUR) return fmod(days - floor(days), 1);       /* a moment before midnight may round to it */
    if (part == UNA_PART_WEEKDAY) return una_calendar_weekday(days) / 7.0;
    int year, month, day;
    una_calendar_date(days, &year, &month, &day);
    return (month - 1 + (day - 1.0) / days_of(year, month)) / 12;
}
