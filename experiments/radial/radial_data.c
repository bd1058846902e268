/* SPDX-License-Identifier: MIT
 *
 * The data of the Radial Uncertainty Benchmark.
 *   shell       y = |x| + N(0, 1e-5), |x| uniform on [1, 2], direction uniform; 50, 200 and 500 rows of 1, 2 and 3
 *               inputs, 250 (inputs - 1) of more
 *   disc, ball  x uniform on [-2, 2]^2 (400 rows) or [-2, 2]^3 (1000), without the ball of radius 1 around 0;
 *               y = cos(1.5 |x|) + x1 / 2 + N(0, 0.01): the function bends most in the hole, where a straight line
 *               from the rim would be off by a half
 * Fresh rows follow the same law, as many; the 500 points of a hole are uniform in it.
 */
#include "radial/radial.h"

#include "data/table.h"

enum { DISC_ROWS = 400, BALL_ROWS = 1000, HOLE_POINTS = 500, ROWS_AN_INPUT = 250 };
static const double shell_variance = 1e-5, hole_noise = 0.1, reach = 2, hole_radius = 1, bend = 1.5;

enum { STREAM_FRESH = 1, STREAM_HOLE, STREAM_NOISE };

/* ---- names ------------------------------------------------------------------------------------------------------ */

una_status una_radial_set_find(una_radial_set *set, const char *name, una_run *run)
{
    static const char shell[] = "radial ";
    static const size_t shell_rows[] = { 50, 200, 500 };         /* of one, two and three inputs */
    *set = (una_radial_set){ .name = name, .ideal = NAN };
    if (strcmp(name, "disc") == 0) set->inputs = 2, set->rows = DISC_ROWS;
    if (strcmp(name, "ball") == 0) set->inputs = 3, set->rows = BALL_ROWS;
    if (set->inputs) return UNA_OK;

    const char *digits = strncmp(name, shell, sizeof shell - 1) == 0 ? name + sizeof shell - 1 : "";
    size_t length = strspn(digits, "0123456789");
    long inputs = length > 0 && length <= 3 && !digits[length] ? strtol(digits, NULL, 10) : 0;
    if (inputs < 1 || inputs > UNA_RADIAL_MOST_INPUTS)
        UNA_FAIL(run, UNA_E_USAGE, "there is no data set '%.60s' in this experiment; its sets are shells, given by "
                 "their number of inputs from 1 to %d, disc and ball", name, UNA_RADIAL_MOST_INPUTS);
    set->shell = true;
    set->inputs = (size_t)inputs;
    set->rows = inputs <= 3 ? shell_rows[inputs - 1] : ROWS_AN_INPUT * (set->inputs - 1);
    set->ideal = exp2(-(double)inputs);
    return UNA_OK;
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

static double norm(const double *x, size_t inputs)
{
    double square = 0;
    for (size_t d = 0; d < inputs; d++) square += x[d] * x[d];
    return sqrt(square);
}

/* The same rows as una_dataset_synthetic makes from this seed. */
static una_status make_shell(una_truth *t, const una_radial_set *set, uint64_t seed, una_arena *arena, una_run *run)
{
    una_dataset *data = NULL;
    UNA_TRY(una_truth_new(t, set->rows, set->inputs, arena));
    UNA_TRY(una_dataset_synthetic(&data, "radial", set->rows, set->inputs, seed, run));
    for (size_t d = 0; d < set->inputs; d++) {
        const double *column = una_dataset_numbers(data, d);
        for (size_t i = 0; i < set->rows; i++) t->x[i * set->inputs + d] = column[i];
    }
    memcpy(t->y, una_dataset_numbers(data, set->inputs), set->rows * sizeof *t->y);
    una_dataset_free(data);

    for (size_t i = 0; i < set->rows; i++) {
        t->f[i] = norm(t->x + i * set->inputs, set->inputs);
        t->noise[i] = sqrt(shell_variance);
    }
    return UNA_OK;
}

/* Uniform in a cube; those on the wrong side of the hole's rim are drawn again. */
static void make_dense(una_truth *t, uint64_t seed, uint64_t stream)
{
    bool in_hole = stream == STREAM_HOLE;
    double half = in_hole ? hole_radius : reach;
    una_rng place = una_rng_at(seed, UNA_FOR_DATA, stream), noise = una_rng_at(seed, UNA_FOR_DATA,
                                                                              STREAM_NOISE + stream);
    for (size_t i = 0; i < t->rows; i++) {
        double *x = t->x + i * t->inputs;
        do
            for (size_t d = 0; d < t->inputs; d++) x[d] = half * (2 * una_rng_uniform(&place) - 1);
        while ((norm(x, t->inputs) < hole_radius) != in_hole);
        t->f[i] = cos(bend * norm(x, t->inputs)) + x[0] / 2;
        t->noise[i] = hole_noise;
    }
    una_truth_add_noise(t, &noise);
}

una_status una_radial_rows_make(una_radial_rows *rows, const una_radial_set *set, uint64_t seed, una_arena *arena,
                                una_run *run)
{
    *rows = (una_radial_rows){ .hole = { .rows = 0 } };
    if (set->shell) {
        UNA_TRY(make_shell(&rows->train, set, seed, arena, run));
        return make_shell(&rows->fresh, set, ~seed, arena, run);     /* a seed that no data set of the experiment has */
    }
    una_truth *part[] = { &rows->train, &rows->fresh, &rows->hole };
    for (uint64_t stream = 0; stream <= STREAM_HOLE; stream++) {
        UNA_TRY(una_truth_new(part[stream], stream == STREAM_HOLE ? HOLE_POINTS : set->rows, set->inputs, arena));
        make_dense(part[stream], seed, stream);
    }
    return UNA_OK;
}
