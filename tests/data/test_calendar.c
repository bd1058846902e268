/* SPDX-License-Identifier: MIT
 *
 * Days of the calendar against known ones, every day of 800 years against its neighbour, and calendar parts that are
 * chosen where they help and nowhere else.
 */
#include "test_support.h"

#include "data/calendar_parts.h"
#include "data/cell_format.h"

static double day(int year, int month, int day_of_month)
{
    double days = NAN;
    return una_calendar_day(&days, year, month, day_of_month) ? days : NAN;
}

static void known_days(void **state)
{
    (void)state;
    assert_true(day(1970, 1, 1) == 0 && day(1969, 12, 31) == -1 && day(1970, 12, 31) == 364);
    assert_true(day(2000, 1, 1) == 10957 && day(2000, 3, 1) == 11017 && day(2024, 3, 1) == 19783);
    assert_true(day(1900, 3, 1) - day(1900, 2, 28) == 1 && day(2000, 3, 1) - day(2000, 2, 28) == 2);
    assert_true(day(1582, 10, 15) == -141427 && day(2038, 1, 19) == 24855 && day(9999, 12, 31) == 2932896);
    assert_true(isnan(day(2023, 2, 29)) && isnan(day(1900, 2, 29)) && day(2024, 2, 29) == 19782);
    assert_true(isnan(day(2024, 0, 1)) && isnan(day(2024, 13, 1)) && isnan(day(2024, 4, 31)) && isnan(day(0, 1, 1)));
    assert_int_equal(una_calendar_weekday(0), 3);                /* a Thursday */
    assert_int_equal(una_calendar_weekday(19783.9), 4);          /* 1 March 2024, a Friday */
    assert_int_equal(una_calendar_weekday(-4), 6);
    assert_int_equal(una_calendar_weekday(-3), 0);
}

static void there_and_back(void **state)
{
    (void)state;
    int year, month, of_month, last = 0;
    for (double d = day(1600, 1, 1); d <= day(2400, 12, 31); d++) {
        una_calendar_date(d + 0.5, &year, &month, &of_month);
        if (day(year, month, of_month) != d) fail_msg("day %g", d);
        assert_true(of_month == 1 || of_month == last + 1);
        last = of_month;
    }
    una_calendar_date(1e300, &year, &month, &of_month);          /* nothing to say, but no harm */
    una_calendar_date(-3e6, &year, &month, &of_month);
}

/* As text it is what files have, and reading it gives the moment back. */
static void as_text(void **state)
{
    (void)state;
    const struct { double days; bool time_only; const char *text; } known[] = {
        { 19735, false, "2024-01-13" }, { 0, false, "1970-01-01" }, { -1, false, "1969-12-31" },
        { 19723.010416666668, false, "2024-01-01 00:15" }, { -0.5, false, "1969-12-31 12:00" },
        { 19735.1, false, "2024-01-13 02:24" }, { 19735.01, false, "2024-01-13 00:14:24" },
        { 19735.0001, false, "2024-01-13 00:00:08.640" }, { 19735.9999999999, false, "2024-01-14" },
        { 0.5, true, "12:00" }, { 0.3697, true, "08:52:22.080" }, { 0, true, "00:00" },
        { 1 - 1e-12, true, "23:59:59.999" },
        { 1, true, NULL }, { -0.1, true, NULL }, { NAN, true, NULL }, { NAN, false, NULL }, { HUGE_VAL, false, NULL },
        { 2932896.5, false, "9999-12-31 12:00" }, { 2932897, false, NULL }, { -719162, false, "0001-01-01" },
        { -719162.1, false, NULL }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        char text[UNA_CALENDAR_ROOM];
        const char *got = una_calendar_text(text, known[i].days, known[i].time_only);
        double back = NAN;
        const una_cell_format form = { .kind = known[i].time_only ? UNA_CELLS_TIME : UNA_CELLS_DATE, .decimal = '.',
                                       .order = 'd' };
        if (!known[i].text) {
            assert_null(got);
            continue;
        }
        assert_string_equal(got, known[i].text);
        assert_int_equal(una_cell_format_value(&back, &form, got, strlen(got)), UNA_CELL_NUMBER);
        assert_true(fabs(back - known[i].days) < 1.2e-3 / 86400);      /* a millisecond */
    }
}

static void phases(void **state)
{
    (void)state;
    assert_near(una_calendar_phase(UNA_PART_HOUR, 19783.25), 0.25, 1e-15, 0);
    assert_near(una_calendar_phase(UNA_PART_HOUR, -0.25), 0.75, 1e-15, 0);
    assert_near(una_calendar_phase(UNA_PART_WEEKDAY, 19783.9), 4 / 7.0, 1e-15, 0);
    assert_near(una_calendar_phase(UNA_PART_MONTH, day(2024, 1, 1)), 0, 0, 0);
    assert_near(una_calendar_phase(UNA_PART_MONTH, day(2024, 7, 1)), 0.5, 1e-15, 0);
    assert_true(isnan(una_calendar_phase(UNA_PART_MONTH, NAN)));
    for (double d = -800; d < 800; d += 0.37)
        for (int p = 0; p < UNA_PARTS; p++) {
            double phase = una_calendar_phase((una_calendar_part)p, d);
            assert_true(phase >= 0 && phase < 1);
        }

    static const double far[] = { 66666666666666664, -66666666666666664, 1e300, -1e300, -5e-31, -1e-17 };
    for (size_t i = 0; i < sizeof far / sizeof *far; i++)        /* a model may be asked about any number */
        for (int p = 0; p < UNA_PARTS; p++) {
            double phase = una_calendar_phase((una_calendar_part)p, far[i]);
            assert_true(phase >= 0 && phase < 1);
        }
}

/* ---- parts --------------------------------------------------------------------------------------------------- */

enum { ROWS = 600 };
static double days[ROWS], y[ROWS], x[ROWS];
static size_t rows[ROWS];

static unsigned chosen(uint64_t seed, double weekly, double yearly, double daily, size_t count, una_run *run)
{
    uint64_t s = 88172645463325252u + seed;
    for (size_t i = 0; i < count; i++) {
        double noise = 0;
        for (int k = 0; k < 12; k++) {
            s ^= s << 13; s ^= s >> 7; s ^= s << 17;
            noise += (double)(s >> 11) / 9007199254740992.0 - 0.5;
        }
        days[i] = 19723 + 1.3 * (double)i;
        x[i] = (double)(s % 1000);
        y[i] = noise + 0.001 * x[i] + 0.002 * (double)i + weekly * (una_calendar_weekday(days[i]) >= 5)
               + yearly * cos(6.283185307179586 * una_calendar_phase(UNA_PART_MONTH, days[i]))
               + daily * sin(6.283185307179586 * una_calendar_phase(UNA_PART_HOUR, days[i]));
        rows[i] = i;
    }
    unsigned parts;
    double gain;
    una_calendar_parts_question q = { .days = days, .y = y, .x = (const double *[]){ x }, .columns = 1, .row = rows,
                                      .rows = count };
    assert_ok(una_calendar_parts_choose(&parts, &gain, &q, run), run);
    assert_true((parts != 0) == (gain > 0) && gain < 1);
    return parts;
}

static void parts_where_they_help(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    size_t wrong = 0;
    for (uint64_t seed = 0; seed < 20; seed++) {
        wrong += chosen(seed, 0, 0, 0, ROWS, run) != 0;
        wrong += chosen(seed, 0, 0, 0, 60, run) != 0;
    }
    assert_true(wrong <= 1);
    assert_int_equal(chosen(1, 3, 0, 0, ROWS, run), 1 << UNA_PART_WEEKDAY);
    assert_int_equal(chosen(1, 0, 2, 0, ROWS, run), 1 << UNA_PART_MONTH);
    assert_int_equal(chosen(1, 0, 0, 2, ROWS, run), 1 << UNA_PART_HOUR);
    assert_int_equal(chosen(1, 4, 3, 3, ROWS, run), 7);
    assert_int_equal(chosen(1, 4, 3, 3, 30, run), 0);            /* too few rows to tell */
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_days), cmocka_unit_test(there_and_back), cmocka_unit_test(as_text),
        cmocka_unit_test(phases),
        cmocka_unit_test(parts_where_they_help),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
