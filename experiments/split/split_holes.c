/* SPDX-License-Identifier: MIT
 *
 * Where there are no rows: beyond the range of the rows, and in closed holes of a smooth function.
 *   beyond   a square, an exponential, a straight line or a sine; 60 to 100 rows on [-2, 2] of one input, or 300 on
 *            [-2, 2]^5; noise 0.1 of the function's std; asked at up to twice the range
 *   holes    a draw from a GP with the RBF kernel, lengths 1 to 2, on [-2, 2]^D, noise 0.1; the hole is the ball of
 *            radius 1, or the shell between the radii 0.8 and 1.4
 */
#include "split/split.h"

enum { SIDE_POINTS = 101, BEYOND_POINTS = 500, HOLE_POINTS = 500, LEAST_ROWS = 60, MORE_ROWS = 40, SINGLE_FRESH = 201,
       SCALE_POINTS = 2000 };
static const double reach = 2, noise_std = 0.1, ball_radius = 1, shell_from = 0.8, shell_to = 1.4;

static double length_of(const double *x, size_t inputs)
{
    double square = 0;
    for (size_t d = 0; d < inputs; d++) square += x[d] * x[d];
    return sqrt(square);
}

static void draw_in_cube(double *x, size_t inputs, una_rng *rng)
{
    for (size_t d = 0; d < inputs; d++) x[d] = una_split_between(rng, -reach, reach);
}

/* ---- beyond the range -------------------------------------------------------------------------------------------- */

typedef struct trend { int form; double slope[UNA_SPLIT_MOST_INPUTS], place, centre, scale; } trend;

static double trend_value(const trend *c, const double *x, size_t inputs)
{
    double along = -c->place;
    for (size_t d = 0; d < inputs; d++) along += c->slope[d] * x[d];
    double value = along;
    if (c->form == UNA_SPLIT_SQUARE) value = along * along;
    if (c->form == UNA_SPLIT_EXP) value = exp(along);
    if (c->form == UNA_SPLIT_SINE) value = sin(along);
    return (value - c->centre) / c->scale;
}

/* The direction is any; along it the slope is 0.7 to 1.3, a sine's frequency 1 to 2. */
static una_status draw_trend(trend *c, int form, size_t inputs, una_rng *rng, una_arena *arena)
{
    double x[UNA_SPLIT_MOST_INPUTS], centre, scale;
    UNA_NEW(arena, double, value, SCALE_POINTS);
    *c = (trend){ .form = form, .scale = 1 };
    for (size_t d = 0; d < inputs; d++) c->slope[d] = una_rng_normal(rng);
    double size = length_of(c->slope, inputs);
    double steep = form == UNA_SPLIT_SINE ? una_split_between(rng, 1, 2) : una_split_between(rng, 0.7, 1.3);
    for (size_t d = 0; d < inputs; d++) c->slope[d] *= steep / size;
    c->place = form == UNA_SPLIT_SINE ? una_split_between(rng, 0, 2 * acos(-1)) : una_split_between(rng, -0.5, 0.5);
    for (size_t i = 0; i < SCALE_POINTS; i++) {
        draw_in_cube(x, inputs, rng);
        value[i] = trend_value(c, x, inputs);
    }
    una_moments(&centre, &scale, value, SCALE_POINTS);
    c->centre = centre;
    c->scale = scale;
    return UNA_OK;
}

static void fill_trend(una_truth *t, const trend *c, una_rng *noise)
{
    for (size_t i = 0; i < t->rows; i++) {
        t->f[i] = trend_value(c, t->x + i * t->inputs, t->inputs);
        t->noise[i] = noise_std;
    }
    una_truth_add_noise(t, noise);
}

/* From once to twice the range: of one input both sides evenly, of more anywhere between the two cubes. */
static void place_beyond(una_truth *t, una_rng *rng)
{
    for (size_t i = 0; i < t->rows; i++) {
        double *x = t->x + i * t->inputs, most = 0, out = reach * (1 + una_rng_uniform(rng));
        draw_in_cube(x, t->inputs, rng);
        if (t->inputs == 1) out = reach * (1 + (double)(i / 2) / (SIDE_POINTS - 1)), x[0] = i % 2 ? 1 : -1;
        for (size_t d = 0; d < t->inputs; d++) most = fmax(most, fabs(x[d]));
        for (size_t d = 0; d < t->inputs; d++) x[d] *= out / most;
    }
}

una_status una_split_make_beyond(una_split_rows *r, const una_split_making *m)
{
    trend c;
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_HOLE + 10 * (uint64_t)m->set->form);
    una_rng noise = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_HOLE + 1);
    size_t inputs = m->set->inputs;
    size_t rows = m->set->rows ? m->set->rows : LEAST_ROWS + una_rng_below(&rng, MORE_ROWS + 1);
    UNA_TRY(draw_trend(&c, m->set->form, inputs, &rng, m->arena));
    UNA_TRY(una_truth_new(&r->train, rows, inputs, m->arena));
    UNA_TRY(una_truth_new(&r->fresh, UNA_SPLIT_FRESH, inputs, m->arena));
    UNA_TRY(una_truth_new(&r->beyond, inputs == 1 ? 2 * SIDE_POINTS : BEYOND_POINTS, inputs, m->arena));
    for (size_t i = 0; i < rows; i++) draw_in_cube(r->train.x + i * inputs, inputs, &rng);
    for (size_t i = 0; i < r->fresh.rows; i++) draw_in_cube(r->fresh.x + i * inputs, inputs, &rng);
    place_beyond(&r->beyond, &rng);
    fill_trend(&r->train, &c, &noise);
    fill_trend(&r->fresh, &c, &noise);
    fill_trend(&r->beyond, &c, &noise);
    return UNA_OK;
}

/* ---- holes ------------------------------------------------------------------------------------------------------- */

static bool in_hole(const double *x, const una_split_set *set)
{
    double radius = length_of(x, set->inputs);
    return set->form == UNA_SPLIT_SHELL ? radius >= shell_from && radius < shell_to : radius < ball_radius;
}

static una_status place_rows(una_truth *t, size_t rows, bool hole, const una_split_making *m, una_rng *rng)
{
    UNA_TRY(una_truth_new(t, rows, m->set->inputs, m->arena));
    for (size_t i = 0; i < rows; i++)
        do draw_in_cube(t->x + i * t->inputs, t->inputs, rng);
        while (in_hole(t->x + i * t->inputs, m->set) != hole);
    return UNA_OK;
}

una_status una_split_make_hole(una_split_rows *r, const una_split_making *m)
{
    una_split_law law = { .f = { .inputs = m->set->inputs, .scale = 1 }, .reach = reach / sqrt(3), .noise = noise_std };
    double length[UNA_SPLIT_MOST_INPUTS];
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_HOLE);
    una_rng noise = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_HOLE + 1);
    for (size_t d = 0; d < m->set->inputs; d++) length[d] = una_split_between(&rng, 1, 2);
    una_split_draw_waves(&law.f, length, 0, &rng);
    UNA_TRY(una_split_law_scale(&law, &rng, m->arena));
    UNA_TRY(place_rows(&r->train, m->set->rows, false, m, &rng));
    UNA_TRY(place_rows(&r->fresh, UNA_SPLIT_FRESH, false, m, &rng));
    UNA_TRY(place_rows(&r->gap, HOLE_POINTS, true, m, &rng));
    una_truth *all[] = { &r->train, &r->fresh, &r->gap };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        for (size_t i = 0; i < all[k]->rows; i++) {
            all[k]->f[i] = una_split_value(&law.f, all[k]->x + i * all[k]->inputs);
            all[k]->noise[i] = law.noise;
        }
        una_truth_add_noise(all[k], &noise);
    }
    return UNA_OK;
}
