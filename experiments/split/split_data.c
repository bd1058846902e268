/* SPDX-License-Identifier: MIT
 *
 * The data of the split of doubt. All functions have mean square 1 around their mean where the rows lie.
 *
 * Of five inputs, uniform on [-2, 2] (more inputs change nothing):
 *   f = (sin 2 x1 + x2 x3 / 2 + |x4| - x5 / 2) / c,  c^2 = 1/2 - sin 8 / 16 + 4/9 + 1/3 + 1/3,  noise .3;
 *   varying: noise .1 10^((x1 + 2) / 4), from .1 to 1.
 *
 * Of one input, 50 rows in [-4, -2] and 50 in [2, 4], noise .1:
 *   smooth  draw from a GP with the RBF kernel, length 1 to 3   (sums of random cosines: their frequencies are normal
 *   matern  the same, Matern 3/2                                 for RBF, Student-t with 3 degrees for Matern 3/2)
 *   cubic   a cubic polynomial, coefficients normal
 *   sine    of frequency 0.5 to 2, any phase
 *   kinks   a straight line with three kinks in [-5, 5]
 */
#include "split/split.h"

enum { FRESH = 2000, LINE_ROWS = 100, GAP_POINTS = 201, SIDE_POINTS = 101, SCALE_POINTS = 401, COSINES = 500,
       KINKS = 3, TERMS = 4 };
static const double reach = 2, noise_std = 0.3, least_noise = 0.1, noise_growth = 10, line_noise = 0.1;
static const double line_from = 2, line_to = 4, beyond_to = 8;

typedef enum family { SMOOTH, MATERN, CUBIC, SINE, FOLDED, FAMILIES } family;

const una_split_set una_split_sets[] = {
    { "d5 n200", 0, 5, 200, 0, true, false },
    { "d5 n600", 0, 5, 600, 3, false, false },
    { "d5 n2000", 0, 5, 2000, 3, false, false },
    { "d20 n200", 0, 20, 200, 0, false, false },
    { "d20 n600", 0, 20, 600, 3, false, false },
    { "d20 n2000", 0, 20, 2000, 3, false, false },
    { "line smooth", 4, 1, LINE_ROWS, 1, true, false },
    { "line matern", 4, 1, LINE_ROWS, 1, true, false },
    { "line cubic", 4, 1, LINE_ROWS, 1, true, false },
    { "line sine", 4, 1, LINE_ROWS, 1, true, false },
    { "line kinks", 4, 1, LINE_ROWS, 1, true, false },
    { "varying", 0, 5, 2000, 20, true, true },
    { "constant", 0, 5, 2000, 20, true, false },
    { NULL, 0, 0, 0, 0, false, false }
};
enum { FIRST_LINE = 6 };

bool una_split_is_of(const char *name, size_t length, const char *begins, size_t begins_length)
{
    return length >= begins_length && memcmp(name, begins, begins_length) == 0 &&
           (length == begins_length || name[begins_length] == ' ');
}

/* ---- of five inputs -------------------------------------------------------------------------------------------- */

static double additive(const double *x)
{
    double square = 0.5 - sin(8) / 16 + 4 / 9.0 + 2 / 3.0;
    return (sin(2 * x[0]) + x[1] * x[2] / 2 + fabs(x[3]) - x[4] / 2) / sqrt(square);
}

static una_status make_additive(una_truth *t, const una_split_set *set, size_t rows, uint64_t seed, uint64_t stream,
                                una_arena *arena)
{
    una_rng inputs = una_rng_at(seed, UNA_FOR_DATA, 2 * stream), noise = una_rng_at(seed, UNA_FOR_DATA, 2 * stream + 1);
    UNA_TRY(una_truth_new(t, rows, set->inputs, arena));
    for (size_t i = 0; i < rows; i++) {
        double *x = t->x + i * set->inputs;
        for (size_t d = 0; d < set->inputs; d++) x[d] = reach * (2 * una_rng_uniform(&inputs) - 1);
        t->f[i] = additive(x);
        t->noise[i] = set->varies ? least_noise * pow(noise_growth, (x[0] + reach) / (2 * reach)) : noise_std;
    }
    una_truth_add_noise(t, &noise);
    return UNA_OK;
}

/* ---- of one input ---------------------------------------------------------------------------------------------- */

typedef struct line {                    /* one function                                                    */
    family family;
    double frequency[COSINES], phase[COSINES];
    double term[TERMS], kink[KINKS];
    double centre, scale;
} line;

static double uniform_between(una_rng *rng, double from, double to)
{
    return from + (to - from) * una_rng_uniform(rng);
}

/* Of Student's t with 3 degrees of freedom. */
static double heavy(una_rng *rng)
{
    double square = 0;
    for (size_t i = 0; i < 3; i++) {
        double z = una_rng_normal(rng);
        square += z * z;
    }
    return una_rng_normal(rng) / sqrt(square / 3);
}

static double raw(const line *l, double x)
{
    double sum = 0;
    if (l->family == CUBIC) return ((l->term[3] * x + l->term[2]) * x + l->term[1]) * x;
    if (l->family == SINE) return sin(l->frequency[0] * x + l->phase[0]);
    if (l->family == FOLDED) {
        for (size_t i = 0; i < KINKS; i++) sum += l->term[i] * fabs(x - l->kink[i]);
        return sum + l->term[KINKS] * x;
    }
    for (size_t i = 0; i < COSINES; i++) sum += cos(l->frequency[i] * x + l->phase[i]);
    return sum;
}

/* Point i of `count` in [-to, -from] for even i, in [from, to] for odd ones. */
static double either_side(size_t i, size_t count, double from, double to)
{
    double at_side = from + (to - from) * (double)(i / 2) / (double)((count - 1) / 2);
    return i % 2 ? at_side : -at_side;
}

static void draw_line(line *l, family of, una_rng *rng)
{
    double value[2 * SCALE_POINTS], length = uniform_between(rng, 1, 3), turn = 2 * acos(-1);
    l->family = of;
    for (size_t i = 0; i < COSINES; i++) {
        l->frequency[i] = (of == MATERN ? heavy(rng) : una_rng_normal(rng)) / length;
        l->phase[i] = turn * una_rng_uniform(rng);
    }
    if (of == SINE) l->frequency[0] = uniform_between(rng, 0.5, 2);
    for (size_t i = 0; i < TERMS; i++) l->term[i] = una_rng_normal(rng);
    for (size_t i = 0; i < KINKS; i++) l->kink[i] = uniform_between(rng, -5, 5);
    for (size_t i = 0; i < 2 * SCALE_POINTS; i++)
        value[i] = raw(l, either_side(i, 2 * SCALE_POINTS, line_from, line_to));
    una_moments(&l->centre, &l->scale, value, 2 * SCALE_POINTS);
}

static void fill_line(una_truth *t, const line *l, una_rng *noise)
{
    for (size_t i = 0; i < t->rows; i++) {
        t->f[i] = (raw(l, t->x[i]) - l->centre) / l->scale;
        t->noise[i] = line_noise;
    }
    una_truth_add_noise(t, noise);
}

static una_status make_line(una_split_rows *r, family of, size_t number, uint64_t seed, una_arena *arena)
{
    line l;
    uint64_t stream = 100 * (1 + (uint64_t)of) + 2 * number;
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, stream), noise = una_rng_at(seed, UNA_FOR_DATA, stream + 1);
    UNA_TRY(una_truth_new(&r->train, LINE_ROWS, 1, arena));
    UNA_TRY(una_truth_new(&r->fresh, 2 * SIDE_POINTS, 1, arena));
    UNA_TRY(una_truth_new(&r->gap, GAP_POINTS, 1, arena));
    UNA_TRY(una_truth_new(&r->beyond, 2 * SIDE_POINTS, 1, arena));

    draw_line(&l, of, &rng);
    for (size_t i = 0; i < LINE_ROWS; i++) r->train.x[i] = uniform_between(&rng, line_from, line_to) * (i % 2 ? 1 : -1);
    for (size_t i = 0; i < 2 * SIDE_POINTS; i++) {
        r->fresh.x[i] = either_side(i, 2 * SIDE_POINTS, line_from, line_to);
        r->beyond.x[i] = either_side(i, 2 * SIDE_POINTS, line_to, beyond_to);
    }
    for (size_t i = 0; i < GAP_POINTS; i++) r->gap.x[i] = line_from * (2 * (double)i / (GAP_POINTS - 1) - 1);

    una_truth *all[] = { &r->train, &r->fresh, &r->gap, &r->beyond };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) fill_line(all[i], &l, &noise);
    return UNA_OK;
}

/* ---- by name ----------------------------------------------------------------------------------------------------- */

una_status una_split_rows_make(una_split_rows *rows, const char *data, uint64_t seed, una_arena *arena, una_run *run)
{
    size_t s = 0, length = una_row_key_data(data);
    *rows = (una_split_rows){ .train = { .rows = 0 } };
    while (una_split_sets[s].name &&
           !una_split_is_of(data, length, una_split_sets[s].name, strlen(una_split_sets[s].name))) s++;

    const una_split_set *set = &una_split_sets[s];
    if (!set->name) UNA_FAIL(run, UNA_E_INPUT, "there is no data set '%.60s' in this experiment", data);
    if (set->count > 0)
        return make_line(rows, (family)(s - FIRST_LINE), (size_t)(data[length - 1] - '0'), seed, arena);
    UNA_TRY(make_additive(&rows->train, set, set->rows, seed, 0, arena));
    return make_additive(&rows->fresh, set, FRESH, seed, 1, arena);
}
