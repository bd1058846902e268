/* SPDX-License-Identifier: MIT
 *
 * The normal distribution against published values and its own inverse, Student's against tables; Brent's method on
 * known minima.
 */
#include "la/la.h"
#include "test_support.h"

static void published_quantiles(void **state)
{
    (void)state;
    /* From the Cephes library's ndtri. */
    const double known[][2] = {
        { 1e-300, -37.0470962993612 },      { 1e-100, -21.273453560965322 }, { 1e-20, -9.262340089798409 },
        { 1e-5, -4.264890793922825 },       { 0.01, -2.3263478740408408 },   { 0.1, -1.2815515655446004 },
        { 0.25, -0.6744897501960817 },      { 0.3, -0.5244005127080409 },    { 0.4999, -0.0002506628300880075 },
        { 0.5000001, 2.506628273311648e-07 }, { 0.6, 0.2533471031357997 },   { 0.75, 0.6744897501960817 },
        { 0.95, 1.6448536269514722 },       { 0.975, 1.959963984540054 },    { 0.999999, 4.753424308817087 },
    };

    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_near(una_normal_quantile(known[i][0]), known[i][1], 2e-15, 0);
    }
    assert_true(una_normal_quantile(0.5) == 0);
    assert_true(una_normal_quantile(0) == -HUGE_VAL && una_normal_quantile(1) == HUGE_VAL);
    assert_true(isnan(una_normal_quantile(-0.1)) && isnan(una_normal_quantile(1.1)) && isnan(una_normal_quantile(NAN)));
}

static void quantile_undoes_cdf(void **state)
{
    (void)state;
    for (double z = -37; z <= 0; z += 0.037) assert_near(una_normal_quantile(una_normal_cdf(z)), z, 1e-14, 1e-15);
    /* Above zero the cdf itself loses digits: what half a unit in its last place moves z by is allowed. */
    for (double z = 0; z < 6; z += 0.037) {
        assert_near(una_normal_quantile(una_normal_cdf(z)), z, 1e-14, 2e-16 / una_normal_pdf(z));
    }
    for (int i = 1; i < 1000; i++) assert_near(una_normal_cdf(una_normal_quantile(i / 1000.0)), i / 1000.0, 1e-14, 0);
}

static void density_is_the_slope_of_the_cdf(void **state)
{
    (void)state;
    assert_near(una_normal_pdf(0), 1 / sqrt(2 * acos(-1)), 1e-15, 0);
    for (double z = -5; z <= 5; z += 0.25) {
        double slope = (una_normal_cdf(z + 1e-4) - una_normal_cdf(z - 1e-4)) / 2e-4;
        assert_near(una_normal_pdf(z), slope, 1e-6, 1e-9);
    }
}

typedef struct watched { int which, calls; double low, high; } watched;

static double curve(double x, void *context)
{
    watched *w = context;
    w->calls++;
    assert_true(x >= w->low && x <= w->high);

    switch (w->which) {
    case 0: return (x - 2) * (x - 2) + 1;
    case 1: return -sin(x);
    case 2: return fabs(x - 0.3);
    case 3: return x;
    case 4: return pow(x - 1, 4);
    case 5: return 7;
    case 6: return x < 1 ? NAN : (x - 3) * (x - 3);
    default: return x - log(x);
    }
}

static void known_minima(void **state)
{
    (void)state;
    const struct { double low, high, at, room; } known[] = {
        { -10, 10, 2, 1e-7 }, { 0, 3, acos(-1) / 2, 1e-7 }, { -1, 4, 0.3, 1e-7 }, { -5, 5, -5, 1e-5 },
        { -3, 4, 1, 1e-2 }, { 0, 1, 0.5, 0.5 }, { -4, 9, 3, 1e-6 }, { 0.01, 50, 1, 1e-7 },
    };

    for (int i = 0; i < 8; i++) {
        watched w = { .which = i, .low = known[i].low, .high = known[i].high };
        double x = una_minimise(curve, &w, w.low, w.high, 1e-9);
        assert_near(x, known[i].at, 0, known[i].room);
        assert_true(w.calls <= 201);
        if (i < 2) assert_true(w.calls < 40);                  /* parabolas are used, not golden sections alone */
    }

    watched one = { .which = 0, .low = 3, .high = 3 };
    assert_true(una_minimise(curve, &one, 3, 3, 1e-9) == 3);
}

static void student(void **state)
{
    (void)state;
    const struct { size_t freedom; double share, t; } known[] = {        /* of printed tables */
        { 1, 0.95, 12.706204736 }, { 2, 0.95, 4.302652730 }, { 3, 0.95, 3.182446305 }, { 4, 0.95, 2.776445105 },
        { 9, 0.99, 3.249835542 }, { 24, 0.95, 2.063898562 }, { 120, 0.9, 1.657650899 },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_near(una_student_within(known[i].freedom, known[i].share), known[i].t, 1e-9, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_quantiles),
        cmocka_unit_test(quantile_undoes_cdf),
        cmocka_unit_test(density_is_the_slope_of_the_cdf),
        cmocka_unit_test(known_minima),
        cmocka_unit_test(student),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
