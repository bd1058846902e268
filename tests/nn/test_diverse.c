/* SPDX-License-Identifier: MIT
 *
 * LUNA's objective on features: its value written down once more, plainly, and its gradient against differences.
 */
#include "test_support.h"

#include "nn/diverse.h"

enum { FEATURES = 5, HEADS = 3, PLAIN = 6, PROBES = 4, DIRECTIONS = 2, WIDE = UNA_PADDED(FEATURES),
       HEADS_WIDE = UNA_PADDED(HEADS), MOST_ROWS = PLAIN + PROBES + PROBES * DIRECTIONS };
static const double FIT = 0.7, DIVERSITY = 1.3;

typedef struct scene {
    una_diverse_shape shape;
    double phi[MOST_ROWS * WIDE], target[PLAIN], delta[PROBES * DIRECTIONS], head[(FEATURES + 1) * HEADS_WIDE];
    double dphi[MOST_ROWS * WIDE], gradient[(FEATURES + 1) * HEADS_WIDE];
    una_diverse_work_f64 *work;
} scene;

static void make(scene *s, bool own_probes, size_t probes, una_run *run)
{
    una_rng rng = una_rng_at(5, UNA_FOR_TEST, own_probes);
    memset(s, 0, sizeof *s);
    s->shape = (una_diverse_shape){ FEATURES, HEADS, PLAIN, probes, DIRECTIONS, own_probes };
    for (size_t r = 0; r < una_diverse_rows(&s->shape); r++)
        for (size_t k = 0; k < FEATURES; k++) s->phi[r * WIDE + k] = una_rng_normal(&rng);
    for (size_t k = 0; k <= FEATURES; k++)
        for (size_t m = 0; m < HEADS; m++) s->head[k * HEADS_WIDE + m] = una_rng_normal(&rng);
    for (size_t i = 0; i < PLAIN; i++) s->target[i] = una_rng_normal(&rng);
    for (size_t i = 0; i < PROBES * DIRECTIONS; i++) s->delta[i] = 0.5 + una_rng_uniform(&rng);
    assert_ok(una_diverse_work_new_f64(&s->work, &s->shape, una_kernels_named_f64(NULL), &run->scratch), run);
}

static double f_of(const scene *s, size_t row, size_t m, bool bias)
{
    double f = bias ? s->head[FEATURES * HEADS_WIDE + m] : 0;
    for (size_t k = 0; k < FEATURES; k++) f += s->phi[row * WIDE + k] * s->head[k * HEADS_WIDE + m];
    return f;
}

/* Slope of head m by move d of probe i. */
static double slope_of(const scene *s, size_t i, size_t d, size_t m)
{
    const una_diverse_shape *at = &s->shape;
    size_t first = at->plain + (at->own_probes ? at->probes : 0), base = at->own_probes ? at->plain + i : i;
    return (f_of(s, first + i * at->directions + d, m, true) - f_of(s, base, m, true)) / s->delta[i * at->directions + d];
}

static double dot(const scene *s, size_t a, size_t b)
{
    double sum = 0;
    for (size_t i = 0; i < s->shape.probes; i++)
        for (size_t d = 0; d < DIRECTIONS; d++) sum += slope_of(s, i, d, a) * slope_of(s, i, d, b);
    return sum;
}

static double similarity_of(const scene *s)
{
    double p = 0;
    for (size_t a = 0; a < HEADS; a++)
        for (size_t b = 0; b < a; b++) p += pow(dot(s, a, b), 2) / (dot(s, a, a) * dot(s, b, b));
    return p;
}

static double loss_of(const scene *s)
{
    double fit = 0;
    for (size_t i = 0; i < PLAIN; i++)
        for (size_t m = 0; m < HEADS; m++) fit += FIT / HEADS * pow(s->target[i] - f_of(s, i, m, true), 2);
    return fit + (s->shape.probes ? DIVERSITY * similarity_of(s) : 0);
}

static double slope_at(scene *s, double *at)
{
    double step = 1e-6, kept = *at;
    *at = kept + step;
    double above = loss_of(s);
    *at = kept - step;
    double below = loss_of(s);
    *at = kept;
    return (above - below) / (2 * step);
}

static void check(bool own_probes, size_t probes)
{
    una_run *run = quiet_run();
    static scene s;
    una_losses losses;
    make(&s, own_probes, probes, run);
    const una_diverse_rows_f64 rows = { s.phi, s.target, s.delta, s.head, FIT, DIVERSITY };
    una_diverse_gradient_f64(&s.shape, &rows, s.dphi, s.gradient, &losses, s.work);

    assert_near(losses.total, loss_of(&s), 1e-12, 0);
    if (probes) assert_near(losses.mean_cos2, similarity_of(&s) / (HEADS * (HEADS - 1) / 2.0), 1e-12, 0);
    else assert_true(isnan(losses.mean_cos2));
    for (size_t i = 0; i < una_diverse_rows(&s.shape) * WIDE; i++)
        if (i % WIDE < FEATURES) assert_near(s.dphi[i], slope_at(&s, &s.phi[i]), 1e-7, 1e-8);
    for (size_t i = 0; i < (FEATURES + 1) * HEADS_WIDE; i++)
        if (i % HEADS_WIDE < HEADS) assert_near(s.gradient[i], slope_at(&s, &s.head[i]), 1e-7, 1e-8);
        else assert_true(s.gradient[i] == 0);
    una_run_free(run);
}

static void value_and_gradient(void **state)
{
    (void)state;
    check(false, PROBES);
    check(true, PROBES);
    check(false, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(value_and_gradient) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
