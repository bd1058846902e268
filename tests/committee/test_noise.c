/* SPDX-License-Identifier: MIT
 *
 * Noise that varies: shapes that are known are found again, constant noise stays constant, a few wrong rows do no
 * harm, and files hold what was learnt.
 */
#include "test_support.h"

#include "committee/noise_inside.h"

const una_kind *const una_kinds[] = { NULL };    /* the room below asks for a registry */

enum { MOST = 6000, WIDE = 13, SEEDS = 20 };

/* Rows with predictions, whose errors have a known size. */
typedef struct predicted {
    double x[MOST * WIDE], y[MOST], mean[MOST], var[MOST], std[MOST], g[MOST];
    unsigned char part[MOST];
    una_noise_rows noise_rows;
} predicted;

typedef enum shape { CONSTANT, TENFOLD, BUMP, PRODUCT } shape;

/* PRODUCT: exp(ab), a and b of variance 1. */
static double std_of(shape which, const double *x)
{
    if (which == TENFOLD) return 0.05 * pow(10, *x);
    if (which == PRODUCT) return 0.3 * exp(12 * (x[0] - 0.5) * (x[1] - 0.5));
    return which == BUMP ? 0.05 + 0.45 * exp(-0.5 * pow((*x - 0.4) / 0.12, 2)) : 0.3;
}

/* var: how much the model itself is in doubt, at most. */
static void invent_rows(predicted *t, shape which, size_t rows, size_t inputs, double var, uint64_t seed)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, rows * WIDE + inputs);
    for (size_t r = 0; r < rows; r++) {
        for (size_t d = 0; d < inputs; d++) t->x[r * inputs + d] = una_rng_uniform(&rng);
        t->std[r] = std_of(which, t->x + r * inputs);
        t->mean[r] = una_rng_normal(&rng);
        t->var[r] = var * una_rng_uniform(&rng);
        t->y[r] = t->mean[r] + sqrt(t->var[r]) * una_rng_normal(&rng) + t->std[r] * una_rng_normal(&rng);
        t->part[r] = (unsigned char)(r % 5);
    }
    t->noise_rows = (una_noise_rows){ { t->x, rows, inputs, inputs }, t->y, t->mean, t->var, t->part, 5, NULL, false };
}

/* Mean of |std/true - 1|, both of geometric mean 1. */
static double error_of(const una_noise *noise, predicted *t)
{
    size_t rows = t->noise_rows.x.rows;
    double centre = 0, error = 0;
    una_noise_shape(noise, t->noise_rows.x, t->g);
    for (size_t r = 0; r < rows; r++) centre += log(t->std[r]) / (double)rows;
    for (size_t r = 0; r < rows; r++) error += fabs(sqrt(t->g[r]) / (t->std[r] / exp(centre)) - 1) / (double)rows;
    return error;
}

static double mean_log(const predicted *t, size_t rows)
{
    double sum = 0;
    for (size_t r = 0; r < rows; r++) sum += log(t->g[r]) / (double)rows;
    return sum;
}

/* SEEDS of them in the long tier. */
static int seeds(void) { return long_tier() ? SEEDS : 8; }

/* How many of the seeds are found to vary; *worst: the largest error among those. */
static int found_of(predicted *t, shape which, size_t rows, size_t inputs, double var, double *worst)
{
    int found = 0;
    *worst = 0;
    for (uint64_t seed = 1; seed <= (uint64_t)seeds(); seed++) {
        una_run *run = quiet_run();
        una_arena keep;
        una_noise *noise;
        una_arena_init(&keep, run);
        invent_rows(t, which, rows, inputs, var, seed);
        assert_ok(una_noise_learn(&noise, &t->noise_rows, false, &keep, run), run);
        if (noise) *worst = fmax(*worst, error_of(noise, t));
        found += noise != NULL;
        una_arena_free(&keep);
        una_run_free(run);
    }
    return found;
}

static void constant_noise_stays_constant(void **state)
{
    (void)state;
    skip_if_sanitized();
    static predicted t;
    const struct { size_t rows, inputs; double var; } cases[] = {
        { 200, 1, 0 }, { 200, 5, 0.05 }, { 200, 13, 0 }, { 600, 5, 0 }, { 2000, 5, 0.05 }, { 1000, 13, 0 }
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double worst;
        int found = found_of(&t, CONSTANT, cases[c].rows, cases[c].inputs, cases[c].var, &worst);
        if (found > 1) fail_msg("%d of %d vary at %zu rows, %zu inputs", found, seeds(), cases[c].rows,
                                cases[c].inputs);
    }
}

static void noise_that_varies_is_found(void **state)
{
    (void)state;
    skip_if_sanitized();
    static predicted t;
    const struct { shape which; size_t rows, inputs; double var, most; } cases[] = {
        { TENFOLD, 500, 1, 0, 0.15 },     { TENFOLD, 500, 13, 0, 0.14 }, { TENFOLD, 2000, 5, 0, 0.08 },
        { TENFOLD, 2000, 5, 0.01, 0.12 }, { BUMP, 2000, 5, 0, 0.12 },    { BUMP, 500, 5, 0, 0.16 },
        { TENFOLD, 2000, 2, 0.1, 0.2 },   { PRODUCT, 200, 5, 0, 0.5 },  { PRODUCT, 500, 13, 0, 0.35 }
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        double worst;
        int found = found_of(&t, cases[c].which, cases[c].rows, cases[c].inputs, cases[c].var, &worst);
        if (found < seeds() - 1) fail_msg("case %zu: only %d of %d vary", c, found, seeds());
        if (!(worst < cases[c].most)) fail_msg("case %zu: the std is wrong by %.3f", c, worst);
    }
}

/* ---- how it is decided ------------------------------------------------------------------------------------------- */

/* The rows in another order, and with other folds. */
static void reverse_rows(predicted *t, size_t inputs)
{
    size_t rows = t->noise_rows.x.rows;
    static predicted was;
    was = *t;
    for (size_t r = 0; r < rows; r++) {
        size_t from = rows - 1 - r;
        memcpy(t->x + r * inputs, was.x + from * inputs, inputs * sizeof *t->x);
        t->y[r] = was.y[from], t->mean[r] = was.mean[from], t->var[r] = was.var[from], t->std[r] = was.std[from];
        t->part[r] = (unsigned char)(r / 7 % 5);
    }
}

/* The shape goes by the rows alone: their order and folds are those of one seed among many. */
static void order_and_folds_change_nothing(void **state)
{
    una_run *run = *state;
    static predicted t;
    una_arena keep;
    una_arena_init(&keep, run);
    const struct { shape which; size_t rows, inputs; } cases[] = { { TENFOLD, 100, 3 }, { PRODUCT, 200, 4 } };
    for (size_t c = 0; c < 2; c++) {
        size_t rows = cases[c].rows, inputs = cases[c].inputs;
        double other[200];
        una_noise *noise;
        invent_rows(&t, cases[c].which, rows, inputs, 0.01, 12);
        assert_ok(una_noise_learn(&noise, &t.noise_rows, false, &keep, run), run);
        assert_non_null(noise);
        una_noise_shape(noise, t.noise_rows.x, other);
        reverse_rows(&t, inputs);
        assert_ok(una_noise_learn(&noise, &t.noise_rows, false, &keep, run), run);
        assert_non_null(noise);
        una_noise_shape(noise, t.noise_rows.x, t.g);
        for (size_t r = 0; r < rows; r++) assert_near(log(t.g[r]), log(other[rows - 1 - r]), 0, 1e-6);
    }
    una_arena_free(&keep);
}

/* Standard deviation of log g over the rows; 0: constant. */
static double size_of_shape(predicted *t, una_run *run)
{
    una_arena keep;
    una_noise *noise;
    double mean = 0, square = 0, rows = (double)t->noise_rows.x.rows;
    una_arena_init(&keep, run);
    assert_ok(una_noise_learn(&noise, &t->noise_rows, false, &keep, run), run);
    if (noise) una_noise_shape(noise, t->noise_rows.x, t->g);
    for (size_t r = 0; noise && r < t->noise_rows.x.rows; r++)
        mean += log(t->g[r]) / rows, square += pow(log(t->g[r]), 2) / rows;
    una_arena_free(&keep);
    return sqrt(fmax(square - mean * mean, 0));
}

/* From a constant to a clear shape, the same errors ever more unlike: in between the shape counts in part. */
static void between_no_and_yes_it_counts_in_part(void **state)
{
    una_run *run = *state;
    enum { TABLES = 3, STRENGTHS = 40 };
    static predicted t;
    double jumps = 0;
    for (uint64_t seed = 1000; seed < 1000 + TABLES; seed++) {
        double before = 0, most = 0;
        for (int strength = 0; strength <= STRENGTHS; strength++) {
            invent_rows(&t, CONSTANT, 100, 2, 0, seed);
            for (size_t r = 0; r < 100; r++)
                t.y[r] = t.mean[r] + (t.y[r] - t.mean[r]) * pow(10, strength * t.x[2 * r] / STRENGTHS);
            double now = size_of_shape(&t, run);
            if (strength == 0) assert_true(now == 0);
            most = fmax(most, fabs(now - before));
            before = now;
        }
        assert_true(before > 0.8);
        jumps += most / TABLES;
    }
    assert_true(jumps < 0.25);
}

/* Rows that nearly agree are left out together, groups are of one size, and partitions differ. */
static void groups_go_by_the_inputs(void **state)
{
    una_run *run = *state;
    enum { ROWS = 300, GROUPS = 5 };
    static predicted t;
    unsigned char group[ROWS], other[ROWS];
    una_noise_data data = {0};
    una_noise noise = { .inputs = 2 };
    una_arena keep;
    bool known;
    una_arena_init(&keep, run);
    invent_rows(&t, TENFOLD, ROWS, 2, 0, 13);
    for (size_t r = ROWS / 2; r < ROWS; r++)                             /* the second half: copies of the first */
        for (size_t d = 0; d < 2; d++) t.x[2 * r + d] = t.x[2 * (r - ROWS / 2) + d];
    assert_ok(una_noise_gather(&data, &noise, &known, &t.noise_rows, &keep, run), run);
    assert_true(known);
    assert_ok(una_noise_deal(group, &data, &noise, 0, GROUPS, run), run);
    assert_ok(una_noise_deal(other, &data, &noise, 1, GROUPS, run), run);
    size_t count[GROUPS] = {0}, same = 0;
    for (size_t r = 0; r < ROWS; r++) {
        assert_true(group[r] < GROUPS);
        if (r < ROWS / 2) assert_true(group[r] == group[r + ROWS / 2]);
        count[group[r]]++;
        same += group[r] == other[r];
    }
    for (size_t g = 0; g < GROUPS; g++) assert_true(count[g] >= 54 && count[g] <= 66);
    assert_true(same > ROWS / 10 && same < ROWS / 3);
    una_arena_free(&keep);
}

/* Learns from t, which must do. */
static una_noise *learnt(const predicted *t, una_arena *keep, una_run *run)
{
    una_noise *noise;
    assert_ok(una_noise_learn(&noise, &t->noise_rows, true, keep, run), run);
    assert_non_null(noise);
    return noise;
}

/* Also where some rows lie at the bounds of g, and of which only some were used. */
static void the_geometric_mean_is_one(void **state)
{
    (void)state;
    static predicted t;
    una_run *run = quiet_run();
    una_arena keep;
    una_arena_init(&keep, run);
    for (int steep = 0; steep < 2; steep++) {
        invent_rows(&t, TENFOLD, 1000, 2, 0, 3);
        for (size_t r = 0; steep && r < 1000; r++) t.y[r] = t.mean[r] + (t.y[r] - t.mean[r]) * pow(1e4, t.x[2 * r]);
        una_noise *noise = learnt(&t, &keep, run);
        una_noise_shape(noise, t.noise_rows.x, t.g);
        assert_near(mean_log(&t, 1000), 0, 0, 1e-12);
        double least = 1, most = 1;
        for (size_t r = 0; r < 1000; r++) least = fmin(least, t.g[r]), most = fmax(most, t.g[r]);
        assert_true(least >= 0.01 * (1 - 1e-12) && most <= 100 * (1 + 1e-12));
        if (steep) assert_true(least < 0.05 && most > 99);
    }

    invent_rows(&t, TENFOLD, MOST, 2, 0, 4);             /* more than are used */
    assert_true(error_of(learnt(&t, &keep, run), &t) < 0.05);
    assert_near(mean_log(&t, MOST), 0, 0, 0.05);
    una_arena_free(&keep);
    una_run_free(run);
}

/* Ten times the range away g is what it was at the edge; a row alone has the bits it has among others. */
static void outside_it_stays_what_it_was(void **state)
{
    (void)state;
    static predicted t;
    una_run *run = quiet_run();
    una_arena keep;
    una_arena_init(&keep, run);
    invent_rows(&t, TENFOLD, 1000, 2, 0, 5);
    una_noise *noise = learnt(&t, &keep, run);
    double low = 1, high = 0;
    for (size_t r = 0; r < 1000; r++) low = fmin(low, t.x[2 * r]), high = fmax(high, t.x[2 * r]);

    double x[] = { low, 0.5, -10, 0.5, high, 0.5, 11, 0.5 }, g[4], one;
    una_noise_shape(noise, (una_view){ x, 4, 2, 2 }, g);
    assert_true(g[0] == g[1] && g[2] == g[3] && g[2] > 50 * g[0]);
    una_noise_shape(noise, (una_view){ x + 4, 1, 2, 2 }, &one);
    assert_true(one == g[2]);
    una_arena_free(&keep);
    una_run_free(run);
}

/* Two values and categories have a linear term, inputs of one value none; very many inputs are no trouble. */
static void inputs_of_every_sort(void **state)
{
    (void)state;
    enum { ROWS = 1200, MANY = 230 };
    static predicted t;
    static double wide[ROWS * MANY];
    una_run *run = quiet_run();
    una_arena keep;
    una_noise *noise;
    una_arena_init(&keep, run);
    invent_rows(&t, CONSTANT, ROWS, 3, 0, 6);
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    for (size_t r = 0; r < ROWS; r++) {
        t.x[3 * r] = t.x[3 * r] < 0.7;
        t.x[3 * r + 1] = 4;
        t.std[r] = t.x[3 * r] > 0 ? 0.2 : 0.6;
        t.y[r] = t.mean[r] + t.std[r] * una_rng_normal(&rng);
    }
    assert_ok(una_noise_learn(&noise, &t.noise_rows, false, &keep, run), run);
    assert_non_null(noise);
    assert_true(error_of(noise, &t) < 0.06);

    /* Only the first two of MANY go with the mean, and the noise with the second. */
    for (size_t r = 0; r < ROWS; r++) {
        double *row = wide + r * MANY;
        for (size_t d = 0; d < MANY; d++) row[d] = una_rng_normal(&rng);
        t.mean[r] = 3 * row[0] + 2 * row[1];
        t.y[r] = t.mean[r] + exp(row[1]) * una_rng_normal(&rng);
    }
    t.noise_rows.x = (una_view){ wide, ROWS, MANY, MANY };
    assert_ok(una_noise_learn(&noise, &t.noise_rows, false, &keep, run), run);
    assert_non_null(noise);
    double x[3 * MANY] = {0}, g[3];
    x[1] = -1, x[MANY + 1] = 1, x[2 * MANY] = 1;
    una_noise_shape(noise, (una_view){ x, 3, MANY, MANY }, g);
    assert_true(log(g[1] / g[0]) > 2 && log(g[1] / g[0]) < 5);           /* the truth is 4 */
    assert_true(fabs(log(g[2] / sqrt(g[0] * g[1]))) < 1);
    una_arena_free(&keep);
    una_run_free(run);
}

/* Errors of any size at a few rows: the shape of the others is found, or none is. */
static void a_few_wrong_rows_do_not_shape_the_noise(void **state)
{
    (void)state;
    static predicted t;
    una_run *run = quiet_run();
    una_arena keep;
    una_noise *noise;
    una_arena_init(&keep, run);
    for (double size = 10; size < 1e160; size *= 1e50) {
        invent_rows(&t, CONSTANT, 600, 3, 0, 7);
        for (size_t r = 0; r < 6; r++) t.y[100 * r] += size;
        assert_ok(una_noise_learn(&noise, &t.noise_rows, false, &keep, run), run);
        assert_null(noise);

        invent_rows(&t, TENFOLD, 2000, 3, 0, 8);
        for (size_t r = 0; r < 10; r++) t.y[200 * r] += size;
        double error = error_of(learnt(&t, &keep, run), &t);
        if (size < 1e150) assert_true(error < 0.15);     /* beyond, squares overflow: g is 1 */
        else assert_true(isfinite(error));
    }
    una_arena_free(&keep);
    una_run_free(run);
}

static void nothing_to_learn_from(void **state)
{
    (void)state;
    static predicted t;
    una_run *run = quiet_run();
    una_arena keep;
    una_noise *noise;
    una_arena_init(&keep, run);
    for (int c = 0; c < 4; c++) {
        invent_rows(&t, TENFOLD, c == 0 ? 10 : 200, 2, 0, 9);
        if (c == 1) memcpy(t.y, t.mean, sizeof t.y);                     /* no errors at all */
        if (c == 2) for (size_t i = 0; i < 400; i++) t.x[i] = 1;         /* inputs that do not move */
        if (c == 3) for (size_t r = 0; r < 200; r++) t.var[r] = 1e6;     /* the model itself explains all errors */
        assert_ok(una_noise_learn(&noise, &t.noise_rows, false, &keep, run), run);
        assert_null(noise);
        una_noise_shape(learnt(&t, &keep, run), t.noise_rows.x, t.g);
        for (size_t r = 0; r < t.noise_rows.x.rows; r++) assert_true(t.g[r] > 0.009 && t.g[r] < 101);
        if (c < 3) assert_true(t.g[0] == 1);
    }

    invent_rows(&t, TENFOLD, 1000, 2, 0, 9);
    t.noise_rows.part = NULL;                                            /* without parts: its own */
    t.noise_rows.parts = 0;
    assert_ok(una_noise_learn(&noise, &t.noise_rows, false, &keep, run), run);
    assert_non_null(noise);
    t.mean[17] = NAN;
    assert_status(una_noise_learn(&noise, &t.noise_rows, false, &keep, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "predictions of some rows are not finite");
    assert_null(noise);
    una_arena_free(&keep);
    una_run_free(run);
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static una_status save(una_noise *noise, una_archive *ar, una_arena *arena, una_run *run)
{
    UNA_TRY(una_archive_save_begin(ar, "{}", arena, run));
    ar->inputs = 3;
    UNA_TRY(una_noise_exchange(&noise, ar));
    return una_archive_save_end(ar);
}

static una_status load(una_noise **noise, const una_archive *from, una_arena *arena, una_run *run)
{
    una_archive ar;
    UNA_TRY(una_archive_load_begin(&ar, from->bytes, from->size, "test.una", NULL, arena, run));
    ar.inputs = 3;
    UNA_TRY(una_noise_exchange(noise, &ar));
    return una_archive_load_end(&ar);
}

static void a_file_gives_the_same_bits(void **state)
{
    (void)state;
    static predicted t;
    static double again[500];
    una_run *run = quiet_run();
    una_arena keep;
    una_archive ar;
    una_arena_init(&keep, run);
    una_noise *back = NULL;
    for (int pairs = 0; pairs < 2; pairs++) {
        invent_rows(&t, pairs ? PRODUCT : BUMP, 500, 3, 0, 10);
        una_noise *noise = learnt(&t, &keep, run);
        assert_true(pairs == (noise->pairs > 0));
        una_noise_shape(noise, t.noise_rows.x, t.g);
        assert_ok(save(noise, &ar, &keep, run), run);
        assert_ok(load(&back, &ar, &keep, run), run);
        una_noise_shape(back, t.noise_rows.x, again);
        assert_memory_equal(again, t.g, sizeof again);
    }

    assert_ok(save(NULL, &ar, &keep, run), run);
    assert_ok(load(&back, &ar, &keep, run), run);
    assert_null(back);
    una_arena_free(&keep);
    una_run_free(run);
}

typedef struct written {
    uint64_t varies, terms;
    double   offset, low[3], high[3], input[2], knot[2], slope[2];
    uint64_t pairs;                      /* 0: without their blocks, as older files */
    double   pair_input[2], pair_centre[2], pair_slope;
} written;

static una_status write_pairs(written *c, una_archive *ar)
{
    double *input = c->pair_input, *centre = c->pair_centre, *slope = &c->pair_slope;
    if (c->pairs == 0) return UNA_OK;
    UNA_TRY(una_archive_u64(ar, "noise.pairs", &c->pairs, 0, UINT64_MAX));
    UNA_TRY(una_archive_f64s(ar, "noise.pair_input", &input, 2));
    UNA_TRY(una_archive_f64s(ar, "noise.pair_centre", &centre, 2));
    return una_archive_f64s(ar, "noise.pair_slope", &slope, 1);
}

/* The blocks of a shape, whatever they hold. */
static una_status write_blocks(const written *w, una_archive *ar, una_arena *arena, una_run *run)
{
    written c = *w;
    double *low = c.low, *high = c.high, *input = c.input, *knot = c.knot, *slope = c.slope;
    UNA_TRY(una_archive_save_begin(ar, "{}", arena, run));
    UNA_TRY(una_archive_u64(ar, "noise.varies", &c.varies, 0, 9));
    UNA_TRY(una_archive_u64(ar, "noise.terms", &c.terms, 0, UINT64_MAX));
    UNA_TRY(una_archive_f64(ar, "noise.offset", &c.offset));
    UNA_TRY(una_archive_f64s(ar, "noise.low", &low, 3));
    UNA_TRY(una_archive_f64s(ar, "noise.high", &high, 3));
    UNA_TRY(una_archive_f64s(ar, "noise.input", &input, 2));
    UNA_TRY(una_archive_f64s(ar, "noise.knot", &knot, 2));
    UNA_TRY(una_archive_f64s(ar, "noise.slope", &slope, 2));
    UNA_TRY(write_pairs(&c, ar));
    return una_archive_save_end(ar);
}

static void an_impossible_file_is_refused(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena keep;
    una_archive ar;
    una_noise *noise;
    una_arena_init(&keep, run);
    const written good = { 1, 2, 0.5, { 0, 0, -1 }, { 1, 0, 1 }, { 0, 2 }, { 0.5, -1 }, { 2, 1 },
                           0, { 0, 2 }, { 0.5, -1 }, 2 };
    assert_ok(write_blocks(&good, &ar, &keep, run), run);
    assert_ok(load(&noise, &ar, &keep, run), run);
    double x[] = { 0.75, 9, 0.5 }, g;
    una_noise_shape(noise, (una_view){ x, 1, 3, 3 }, &g);
    assert_near(log(g), 0.5 + 2 * 0.25 + 1.5, 1e-14, 0);

    written more = good;
    more.pairs = 1;
    assert_ok(write_blocks(&more, &ar, &keep, run), run);
    assert_ok(load(&noise, &ar, &keep, run), run);
    x[0] = 7;                                            /* counts as 1, the edge */
    una_noise_shape(noise, (una_view){ x, 1, 3, 3 }, &g);
    assert_near(log(g), 0.5 + 2 * 0.5 + 1.5 + 2 * 0.5 * 1.5, 1e-14, 0);

    enum { BAD = 18 };
    written bad[BAD];
    for (size_t i = 0; i < BAD; i++) bad[i] = i < 10 ? good : more;
    bad[0].varies = 2, bad[1].terms = 3, bad[2].offset = 1e10, bad[3].low[0] = 2, bad[4].input[0] = 3;
    bad[5].input[1] = 0.5, bad[6].input[1] = -1, bad[7].knot[0] = 1.5, bad[8].slope[0] = 1e10, bad[9].terms = 1 << 20;
    bad[10].pair_input[1] = 3, bad[11].pair_input[0] = 0.5, bad[12].pair_input[0] = -1, bad[13].pair_centre[0] = 1.5;
    bad[14].pair_centre[1] = -2, bad[15].pair_slope = 1e10, bad[16].pair_slope = -1e10, bad[17].pairs = 2;
    const char *part[] = { "noise.varies", "noise.input", "noise.offset", "noise.high is below", "noise.input",
                           "noise.input", "noise.input", "noise.knot", "noise.slope", "noise.terms",
                           "noise.pair_input", "noise.pair_input", "noise.pair_input", "noise.pair_centre",
                           "noise.pair_centre", "noise.pair_slope", "noise.pair_slope", "noise.pair_input" };
    for (size_t i = 0; i < BAD; i++) {
        assert_ok(write_blocks(&bad[i], &ar, &keep, run), run);
        assert_status(load(&noise, &ar, &keep, run), UNA_E_INPUT, run);
        assert_says(una_run_message(run), part[i]);
    }
    una_arena_free(&keep);
    una_run_free(run);
}

static una_status learn_save_load(void *context, una_run *run)
{
    predicted *t = context;
    una_arena keep;
    una_noise *noise, *back;
    una_archive ar;
    una_arena_init(&keep, run);
    una_status status = una_noise_learn(&noise, &t->noise_rows, true, &keep, run);
    if (status == UNA_OK) status = save(noise, &ar, &keep, run);
    if (status == UNA_OK) status = load(&back, &ar, &keep, run);
    una_arena_free(&keep);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    static predicted t;
    invent_rows(&t, PRODUCT, 200, 3, 0, 11);
    assert_true(sweep_allocations(learn_save_load, &t) > 5);
}

/* Shapes without a part are shapes of their own, as good as the whole one; who does not ask has the whole one only. */
static void shapes_without_a_part(void **state)
{
    (void)state;
    static predicted t;
    una_run *run = quiet_run();
    una_arena keep;
    una_noise *noise;
    una_arena_init(&keep, run);
    invent_rows(&t, TENFOLD, 1000, 3, 0.01, 1);
    assert_ok(una_noise_learn(&noise, &t.noise_rows, true, &keep, run), run);
    assert_ptr_equal(una_noise_without(noise, 3), noise);

    t.noise_rows.shape_per_fold = true;
    assert_ok(una_noise_learn(&noise, &t.noise_rows, true, &keep, run), run);
    double whole = error_of(noise, &t);
    for (size_t part = 0; part < 5; part++) {
        const una_noise *without = una_noise_without(noise, part);
        assert_ptr_not_equal(without, noise);
        assert_ptr_not_equal(without, una_noise_without(noise, part + 1));
        double own = error_of(without, &t);
        assert_true(own != whole && own < whole + 0.1);
        assert_near(mean_log(&t, 1000), 0, 0, 1e-9);
    }
    una_arena_free(&keep);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_noise_stays_constant),
        cmocka_unit_test(noise_that_varies_is_found),
        cmocka_unit_test_setup_teardown(order_and_folds_change_nothing, begin_run, end_run),
        cmocka_unit_test_setup_teardown(between_no_and_yes_it_counts_in_part, begin_run, end_run),
        cmocka_unit_test_setup_teardown(groups_go_by_the_inputs, begin_run, end_run),
        cmocka_unit_test(the_geometric_mean_is_one),
        cmocka_unit_test(outside_it_stays_what_it_was),
        cmocka_unit_test(inputs_of_every_sort),
        cmocka_unit_test(a_few_wrong_rows_do_not_shape_the_noise),
        cmocka_unit_test(nothing_to_learn_from),
        cmocka_unit_test(a_file_gives_the_same_bits),
        cmocka_unit_test(an_impossible_file_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(shapes_without_a_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
