/* SPDX-License-Identifier: MIT
 *
 * The data sets of the split of doubt, and the first of them; split_cells.c, split_holes.c and split_updates.c make the
 * others. All functions have mean square 1 around their mean where the rows lie.
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

enum { LINE_ROWS = 100, GAP_POINTS = 201, SIDE_POINTS = 101, SCALE_POINTS = 401, COSINES = 500, KINKS = 3, TERMS = 4 };
static const double reach = 2, noise_std = 0.3, least_noise = 0.1, noise_growth = 10, line_noise = 0.1;
static const double line_from = 2, line_to = 4, beyond_to = 8;

typedef enum family { SMOOTH, MATERN, CUBIC, SINE, FOLDED, FAMILIES } family;
enum { EVEN, VARYING };                  /* noise                                                           */
static una_split_make make_additive, make_line;

#define BOTH (UNA_SPLIT_USUAL | UNA_SPLIT_QUICK)
#define LINE(name, family) { name, make_line, 1, LINE_ROWS, 1, family, BOTH, 4 }
#define CELL(rows, inputs) { "cell n" #rows " d" #inputs, una_split_make_cell, inputs, rows, 20, UNA_SPLIT_ANY, 0, 0 }
#define CELLS(inputs) CELL(60, inputs), CELL(300, inputs), CELL(1000, inputs), CELL(3000, inputs)
#define UPDATE(name, rows, seeds, form) { "update " name, una_split_make_update, 5, rows, seeds, form, 0, 0 }
const una_split_set una_split_sets[] = {
    { "d5 n200", make_additive, 5, 200, 1, EVEN, UNA_SPLIT_QUICK, 0 },
    { "d5 n600", make_additive, 5, 600, 3, EVEN, UNA_SPLIT_USUAL, 0 },
    { "d5 n2000", make_additive, 5, 2000, 3, EVEN, UNA_SPLIT_USUAL, 0 },
    { "d20 n200", make_additive, 20, 200, 1, EVEN, 0, 0 },
    { "d20 n600", make_additive, 20, 600, 3, EVEN, UNA_SPLIT_USUAL, 0 },
    { "d20 n2000", make_additive, 20, 2000, 3, EVEN, UNA_SPLIT_USUAL, 0 },
    LINE("line smooth", SMOOTH), LINE("line matern", MATERN), LINE("line cubic", CUBIC), LINE("line sine", SINE),
    LINE("line kinks", FOLDED),
    { "varying", make_additive, 5, 2000, 20, VARYING, BOTH, 0 },
    { "constant", make_additive, 5, 2000, 20, EVEN, BOTH, 0 },
    CELLS(1), CELLS(5), CELLS(20),
    { "outliers n300 d5", una_split_make_cell, 5, 300, 20, UNA_SPLIT_OUTLIERS, 0, 0 },
    { "clean n300 d5", una_split_make_cell, 5, 300, 20, UNA_SPLIT_FIXED, 0, 0 },
    { "outliers n1000 d1", una_split_make_cell, 1, 1000, 20, UNA_SPLIT_OUTLIERS, 0, 0 },
    { "clean n1000 d1", una_split_make_cell, 1, 1000, 20, UNA_SPLIT_FIXED, 0, 0 },
    { "heavy t3", una_split_make_heavy, 5, 300, 20, 3, 0, 0 },
    { "heavy t4", una_split_make_heavy, 5, 300, 20, 4, 0, 0 },
    { "expab", una_split_make_product_noise, 5, 1000, 20, 0, 0, 0 },
    { "copies", una_split_make_copies, 5, 300, 20, UNA_SPLIT_DISTANT, 0, 0 },
    { "near copies", una_split_make_copies, 5, 300, 20, UNA_SPLIT_NEAR, 0, 0 },
    { "groups", una_split_make_groups, 6, 300, 20, 0, 0, 0 },
    { UNA_SPLIT_KNOWN_GROUPS, una_split_make_groups, 6, 300, 20, 0, 0, 0 },
    { "beyond x2", una_split_make_beyond, 1, 0, 20, UNA_SPLIT_SQUARE, 0, 0 },
    { "beyond exp", una_split_make_beyond, 1, 0, 20, UNA_SPLIT_EXP, 0, 0 },
    { "beyond linear", una_split_make_beyond, 1, 0, 20, UNA_SPLIT_LINEAR, 0, 0 },
    { "beyond sine", una_split_make_beyond, 1, 0, 20, UNA_SPLIT_SINE, 0, 0 },
    { "beyond d5 exp", una_split_make_beyond, 5, 300, 20, UNA_SPLIT_EXP, 0, 0 },
    { "disc", una_split_make_hole, 2, 400, 20, UNA_SPLIT_DENSE, 0, 0 },
    { "ball", una_split_make_hole, 3, 1000, 20, UNA_SPLIT_DENSE, 0, 0 },
    { "shell2", una_split_make_hole, 2, 400, 20, UNA_SPLIT_SHELL, 0, 0 },
    { "shell3", una_split_make_hole, 3, 1000, 20, UNA_SPLIT_SHELL, 0, 0 },
    { "wide n30 d20", una_split_make_cell, 20, 30, 20, UNA_SPLIT_ANY, 0, 0 },
    { "pure noise d20", una_split_make_cell, 20, 60, 20, UNA_SPLIT_PURE, 0, 0 },
    { "small", una_split_make_small, 0, 0, 50, UNA_SPLIT_ANY, 0, 0 },
    { "half zeros", una_split_make_zeros, 5, 300, 20, 0, 0, 0 },
    { "shares", una_split_make_shares, 5, 300, 20, 0, 0, 0 },
    UPDATE("same", 2000, 5, UNA_SPLIT_SAME),
    UPDATE("wider", 2000, 5, UNA_SPLIT_WIDER),
    UPDATE("other", 2000, 5, UNA_SPLIT_UNLIKE),
    UPDATE("reversed", 2000, 5, UNA_SPLIT_REVERSED),
    UPDATE("noise4", 2000, 5, UNA_SPLIT_NOISE4),
    UPDATE("false n20", 20, 100, UNA_SPLIT_SAME),
    UPDATE("false n200", 200, 100, UNA_SPLIT_SAME),
    UPDATE("false n2000", 2000, 100, UNA_SPLIT_SAME),
    { .name = NULL }
};

bool una_split_is_of(const char *name, size_t length, const char *begins, size_t begins_length)
{
    return length >= begins_length && memcmp(name, begins, begins_length) == 0 &&
           (length == begins_length || name[begins_length] == ' ');
}

bool una_split_is_listed(const char *list, const char *name, size_t length)
{
    size_t item_length;
    for (const char *item = list; (item = una_next_item(item, &item_length)); item += item_length)
        if (una_split_is_of(name, length, item, item_length)) return true;
    return false;
}

/* ---- of five inputs -------------------------------------------------------------------------------------------- */

static double additive(const double *x)
{
    double square = 0.5 - sin(8) / 16 + 4 / 9.0 + 2 / 3.0;
    return (sin(2 * x[0]) + x[1] * x[2] / 2 + fabs(x[3]) - x[4] / 2) / sqrt(square);
}

static una_status additive_rows(una_truth *t, const una_split_making *m, size_t rows, uint64_t stream)
{
    const una_split_set *set = m->set;
    una_rng inputs = una_rng_at(m->seed, UNA_FOR_DATA, 2 * stream);
    una_rng noise = una_rng_at(m->seed, UNA_FOR_DATA, 2 * stream + 1);
    UNA_TRY(una_truth_new(t, rows, set->inputs, m->arena));
    for (size_t i = 0; i < rows; i++) {
        double *x = t->x + i * set->inputs;
        for (size_t d = 0; d < set->inputs; d++) x[d] = reach * (2 * una_rng_uniform(&inputs) - 1);
        t->f[i] = additive(x);
        t->noise[i] = set->form == VARYING ? least_noise * pow(noise_growth, (x[0] + reach) / (2 * reach)) : noise_std;
    }
    una_truth_add_noise(t, &noise);
    return UNA_OK;
}

static una_status make_additive(una_split_rows *r, const una_split_making *m)
{
    UNA_TRY(additive_rows(&r->train, m, m->set->rows, 0));
    return additive_rows(&r->fresh, m, UNA_SPLIT_FRESH, 1);
}

/* ---- of one input ---------------------------------------------------------------------------------------------- */

typedef struct line {                    /* one function                                                    */
    family family;
    double frequency[COSINES], phase[COSINES];
    double term[TERMS], kink[KINKS];
    double centre, scale;
} line;

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
    double value[2 * SCALE_POINTS], length = una_split_between(rng, 1, 3), turn = 2 * acos(-1);
    l->family = of;
    for (size_t i = 0; i < COSINES; i++) {
        l->frequency[i] = (of == MATERN ? una_split_student(rng, 3) : una_rng_normal(rng)) / length;
        l->phase[i] = turn * una_rng_uniform(rng);
    }
    if (of == SINE) l->frequency[0] = una_split_between(rng, 0.5, 2);
    for (size_t i = 0; i < TERMS; i++) l->term[i] = una_rng_normal(rng);
    for (size_t i = 0; i < KINKS; i++) l->kink[i] = una_split_between(rng, -5, 5);
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

static una_status make_line(una_split_rows *r, const una_split_making *m)
{
    line l;
    family of = (family)m->set->form;
    uint64_t stream = 100 * (1 + (uint64_t)of) + 2 * m->number;
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, stream), noise = una_rng_at(m->seed, UNA_FOR_DATA, stream + 1);
    UNA_TRY(una_truth_new(&r->train, LINE_ROWS, 1, m->arena));
    UNA_TRY(una_truth_new(&r->fresh, 2 * SIDE_POINTS, 1, m->arena));
    UNA_TRY(una_truth_new(&r->gap, GAP_POINTS, 1, m->arena));
    UNA_TRY(una_truth_new(&r->beyond, 2 * SIDE_POINTS, 1, m->arena));

    draw_line(&l, of, &rng);
    for (size_t i = 0; i < LINE_ROWS; i++)
        r->train.x[i] = una_split_between(&rng, line_from, line_to) * (i % 2 ? 1 : -1);
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

/* A name with a number, where there are several: "line cubic 2"; else the name alone. */
static const una_split_set *find_set(const char *data, size_t length)
{
    for (const una_split_set *set = una_split_sets; set->name; set++) {
        size_t own = strlen(set->name), full = set->count > 0 ? own + 2 : own;
        if (length == full && una_split_is_of(data, length, set->name, own)) return set;
    }
    return NULL;
}

una_status una_split_rows_make(una_split_rows *rows, const char *data, uint64_t seed, una_arena *arena, una_run *run)
{
    size_t length = una_row_key_data(data);
    una_split_making m = { .set = find_set(data, length), .seed = seed, .arena = arena };
    *rows = (una_split_rows){ .train = { .rows = 0 } };
    if (!m.set) UNA_FAIL(run, UNA_E_INPUT, "there is no data set '%.60s' in this experiment", data);
    if (m.set->count > 0) m.number = (size_t)(data[length - 1] - '0');
    return m.set->make(rows, &m);
}
