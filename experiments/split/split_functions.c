/* SPDX-License-Identifier: MIT
 *
 * Functions of one to many inputs, drawn by a seed, and the rows of a law: inputs, function, noise. Of 20 inputs three
 * to eight matter. There are five families, and to each a straight line may be added:
 *   a draw from a GP with the RBF kernel, or Matern 5/2, of lengths that differ by input
 *   additive      a piece of one input for each: sine, square, bump, cube
 *   interactions  the same, and products or waves of two inputs
 *   edges         the same as additive, and a soft step and a kink
 */
#include "split/split.h"

enum { SCALE_ROWS = 2000 };
typedef enum family { RBF, MATERN, ADDITIVE, INTERACTIONS, EDGES, FAMILIES } family;
enum { LINEAR, SINE, SQUARE, BUMP, CUBE, STEP, KINK, PRODUCT, WAVE };

double una_split_between(una_rng *rng, double from, double to)
{
    return from + (to - from) * una_rng_uniform(rng);
}

double una_split_student(una_rng *rng, size_t freedom)
{
    double square = 0;
    for (size_t i = 0; i < freedom; i++) {
        double z = una_rng_normal(rng);
        square += z * z;
    }
    return una_rng_normal(rng) / sqrt(square / (double)freedom);
}

/* ---- one function ------------------------------------------------------------------------------------------------ */

static double piece_value(const una_split_piece *p, const double *x)
{
    double a = x[p->a] - p->place;
    switch (p->shape) {
    case SINE:    return sqrt(2) * sin(p->rate * a);
    case SQUARE:  return a * a - 1;
    case BUMP:    return 2 * exp(-a * a / 2);
    case CUBE:    return a * a * a / 3;
    case STEP:    return tanh(4 * a);
    case KINK:    return 1.5 * fabs(a);
    case PRODUCT: return x[p->a] * x[p->b];
    case WAVE:    return sqrt(2) * sin(p->rate * x[p->a]) * x[p->b];
    default:      return a;
    }
}

static double raw_value(const una_split_function *f, const double *x)
{
    double sum = 0, waves = 0;
    for (size_t i = 0; i < f->pieces; i++) sum += f->piece[i].weight * piece_value(&f->piece[i], x);
    if (!f->smooth) return sum;
    for (size_t i = 0; i < UNA_SPLIT_COSINES; i++) {
        double angle = f->phase[i];
        for (size_t d = 0; d < f->inputs; d++) angle += f->frequency[i][d] * x[d];
        waves += cos(angle);
    }
    return sum + waves * sqrt(2.0 / UNA_SPLIT_COSINES);
}

double una_split_value(const una_split_function *f, const double *x)
{
    return (raw_value(f, x) - f->centre) / f->scale;
}

static void add_piece(una_split_function *f, int shape, size_t a, size_t b, una_rng *rng)
{
    double weight = shape == LINEAR ? una_split_between(rng, 0, 0.7) : una_split_between(rng, 0.4, 1.2);
    f->piece[f->pieces++] = (una_split_piece){ .shape = shape, .a = a, .b = b,
                                               .weight = una_rng_below(rng, 2) ? weight : -weight,
                                               .rate = una_split_between(rng, 0.8, 2.2),
                                               .place = una_split_between(rng, -0.8, 0.8) };
}

void una_split_draw_waves(una_split_function *f, const double *length, size_t freedom, una_rng *rng)
{
    f->smooth = true;
    for (size_t i = 0; i < UNA_SPLIT_COSINES; i++) {
        double square = 0;
        for (size_t k = 0; k < freedom; k++) {
            double z = una_rng_normal(rng);
            square += z * z / (double)freedom;
        }
        for (size_t d = 0; d < f->inputs; d++) {
            double z = una_rng_normal(rng) / (freedom ? sqrt(square) : 1);
            f->frequency[i][d] = length[d] > 0 ? z / length[d] : 0;
        }
        f->phase[i] = 2 * acos(-1) * una_rng_uniform(rng);
    }
}

static void draw_smooth(una_split_function *f, const uint32_t *which, size_t relevant, size_t freedom, una_rng *rng)
{
    double length[UNA_SPLIT_MOST_INPUTS] = { 0 };
    for (size_t i = 0; i < relevant; i++)
        length[which[i]] = una_split_between(rng, 0.8, 2.5) * sqrt((double)relevant);
    una_split_draw_waves(f, length, freedom, rng);
}

static void draw_pieces(una_split_function *f, family of, const uint32_t *which, size_t relevant, una_rng *rng)
{
    for (size_t i = 0; i < relevant; i++) add_piece(f, SINE + (int)una_rng_below(rng, 4), which[i], 0, rng);
    if (of == INTERACTIONS)
        for (size_t i = 0; i + 1 < relevant; i += 2)
            add_piece(f, una_rng_below(rng, 2) ? PRODUCT : WAVE, which[i], which[i + 1], rng);
    if (of != EDGES) return;
    add_piece(f, STEP, which[una_rng_below(rng, relevant)], 0, rng);
    add_piece(f, KINK, which[una_rng_below(rng, relevant)], 0, rng);
}

static void draw_function(una_split_function *f, size_t inputs, una_rng *rng)
{
    uint32_t which[UNA_SPLIT_MOST_INPUTS];
    size_t least = inputs > 5 ? 3 : UNA_MIN(inputs, 2), most = UNA_MIN(inputs, 8);
    size_t relevant = least + una_rng_below(rng, most - least + 1);
    family of = (family)una_rng_below(rng, FAMILIES);
    *f = (una_split_function){ .inputs = inputs, .scale = 1 };
    una_rng_permute(rng, which, inputs);
    if (of <= MATERN) draw_smooth(f, which, relevant, of == MATERN ? 5 : 0, rng);
    else draw_pieces(f, of, which, relevant, rng);
    for (size_t i = 0; i < relevant; i++) add_piece(f, LINEAR, which[i], 0, rng);
}

/* ---- rows of a law ----------------------------------------------------------------------------------------------- */

static void draw_inputs(double *x, const una_split_law *law, una_rng *rng)
{
    for (size_t d = 0; d < law->f.inputs; d++)
        x[d] = law->reach * (law->normal ? una_rng_normal(rng) : sqrt(3) * (2 * una_rng_uniform(rng) - 1));
}

una_status una_split_law_scale(una_split_law *law, una_rng *rng, una_arena *arena)
{
    double x[UNA_SPLIT_MOST_INPUTS];
    UNA_NEW(arena, double, value, SCALE_ROWS);
    law->f.centre = 0, law->f.scale = 1;
    for (size_t i = 0; i < SCALE_ROWS; i++) {
        draw_inputs(x, law, rng);
        value[i] = raw_value(&law->f, x);
    }
    una_moments(&law->f.centre, &law->f.scale, value, SCALE_ROWS);
    return UNA_OK;
}

una_status una_split_law_draw(una_split_law *law, size_t inputs, uint64_t seed, uint64_t stream, una_arena *arena)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, stream);
    draw_function(&law->f, inputs, &rng);
    law->normal = una_rng_below(&rng, 2) == 1;
    law->noise = una_split_between(&rng, 0.1, 0.5);
    law->reach = 1;
    return una_split_law_scale(law, &rng, arena);
}

una_status una_split_law_rows(una_truth *t, const una_split_law *law, size_t rows, una_split_place place,
                              una_arena *arena)
{
    una_rng inputs = una_rng_at(place.seed, UNA_FOR_DATA, place.stream);
    una_rng noise = una_rng_at(place.seed, UNA_FOR_DATA, place.stream + 1);
    UNA_TRY(una_truth_new(t, rows, law->f.inputs, arena));
    for (size_t i = 0; i < rows; i++) {
        double *x = t->x + i * t->inputs;
        draw_inputs(x, law, &inputs);
        t->f[i] = una_split_value(&law->f, x);
        t->noise[i] = law->noise;
    }
    una_truth_add_noise(t, &noise);
    return UNA_OK;
}
