/* SPDX-License-Identifier: MIT
 *
 * Rows of drawn functions: plain cells, noise with outliers, heavy tails or growth, rows that belong together, and
 * targets of a kind of their own.
 */
#include "split/split.h"

#include "la/la.h"

enum { COPIES = 5, GROUP = 10, LEAST_SMALL = 30, MOST_SMALL = 200, SMALL_INPUTS = 10, GRID = 61 };
static const double fixed_noise = 0.25, odd_share = 0.02, odd_std = 5, apart = 1e-3, effect = 0.5;

/* The law of a set's seed, its rows and fresh ones. */
static una_status make_law(una_split_rows *r, una_split_law *law, const una_split_making *m)
{
    const una_split_set *set = m->set;
    UNA_TRY(una_split_law_rows(&r->train, law, set->rows, (una_split_place){ m->seed, UNA_SPLIT_TRAIN }, m->arena));
    return una_split_law_rows(&r->fresh, law, UNA_SPLIT_FRESH, (una_split_place){ m->seed, UNA_SPLIT_FRESH_ROWS },
                              m->arena);
}

/* ---- cells and outliers ------------------------------------------------------------------------------------------ */

static una_status add_outliers(una_truth *t, una_rng *rng, una_arena *arena)
{
    UNA_NEW_AT(arena, t->odd, t->rows);
    for (size_t i = 0; i < t->rows; i++) {
        t->odd[i] = (double)i < odd_share * (double)t->rows;
        if (t->odd[i]) t->y[i] += odd_std * una_rng_normal(rng);
    }
    return UNA_OK;
}

una_status una_split_make_cell(una_split_rows *r, const una_split_making *m)
{
    una_split_law law;
    una_rng odd = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_ODD);
    UNA_TRY(una_split_law_draw(&law, m->set->inputs, m->seed, UNA_SPLIT_FUNCTION, m->arena));
    if (m->set->form != UNA_SPLIT_ANY) law.noise = fixed_noise;
    if (m->set->form == UNA_SPLIT_PURE) law.noise = 1, law.f.scale = HUGE_VAL;
    UNA_TRY(make_law(r, &law, m));
    if (m->set->form != UNA_SPLIT_OUTLIERS) return UNA_OK;
    UNA_TRY(add_outliers(&r->train, &odd, m->arena));
    return add_outliers(&r->fresh, &odd, m->arena);
}

una_status una_split_make_small(una_split_rows *r, const una_split_making *m)
{
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_OTHER);
    una_split_set set = *m->set;
    una_split_making own = *m;
    set.inputs = 1 + una_rng_below(&rng, SMALL_INPUTS);
    set.rows = (size_t)(LEAST_SMALL * pow((double)MOST_SMALL / LEAST_SMALL, una_rng_uniform(&rng)));
    own.set = &set;
    return una_split_make_cell(r, &own);
}

/* ---- noise ------------------------------------------------------------------------------------------------------- */

/* Student's t with `freedom`, of that std (above 2 degrees); its scale is smaller. */
static una_status make_heavy(una_truth *t, size_t freedom, una_rng *rng, una_arena *arena)
{
    UNA_NEW_AT(arena, t->scale, t->rows);
    for (size_t i = 0; i < t->rows; i++) {
        t->scale[i] = t->noise[i] * sqrt(1 - 2 / (double)freedom);
        t->y[i] = t->f[i] + t->scale[i] * una_split_student(rng, freedom);
    }
    return UNA_OK;
}

una_status una_split_make_heavy(una_split_rows *r, const una_split_making *m)
{
    una_split_law law;
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_ODD);
    UNA_TRY(una_split_law_draw(&law, m->set->inputs, m->seed, UNA_SPLIT_FUNCTION, m->arena));
    law.noise = 2 * fixed_noise;
    UNA_TRY(make_law(r, &law, m));
    UNA_TRY(make_heavy(&r->train, (size_t)m->set->form, &rng, m->arena));
    return make_heavy(&r->fresh, (size_t)m->set->form, &rng, m->arena);
}

/* Noise of the std 0.25 exp(x1 x2). */
static void make_product_noise(una_truth *t, una_rng *rng)
{
    for (size_t i = 0; i < t->rows; i++)
        t->noise[i] = fixed_noise * exp(t->x[i * t->inputs] * t->x[i * t->inputs + 1]);
    una_truth_add_noise(t, rng);
}

una_status una_split_make_product_noise(una_split_rows *r, const una_split_making *m)
{
    una_split_law law;
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_ODD);
    UNA_TRY(una_split_law_draw(&law, m->set->inputs, m->seed, UNA_SPLIT_FUNCTION, m->arena));
    law.normal = false;
    UNA_TRY(make_law(r, &law, m));
    make_product_noise(&r->train, &rng);
    make_product_noise(&r->fresh, &rng);
    return UNA_OK;
}

/* ---- rows that belong together ----------------------------------------------------------------------------------- */

/* Five rows for each subject: equal inputs and noise of their own, or nearly equal inputs and nearly equal targets. */
una_status una_split_make_copies(una_split_rows *r, const una_split_making *m)
{
    una_split_law law;
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_ODD);
    bool near = m->set->form == UNA_SPLIT_NEAR;
    UNA_TRY(una_split_law_draw(&law, m->set->inputs, m->seed, UNA_SPLIT_FUNCTION, m->arena));
    law.noise = fixed_noise;
    UNA_TRY(make_law(r, &law, m));
    una_truth *t = &r->train;
    for (size_t i = 0; i < t->rows; i++) {
        size_t first = i - i % COPIES;
        double *x = t->x + i * t->inputs;
        if (i > first) memcpy(x, t->x + first * t->inputs, t->inputs * sizeof *x);
        for (size_t d = 0; near && i > first && d < t->inputs; d++) x[d] += apart * una_rng_normal(&rng);
        t->f[i] = una_split_value(&law.f, x);
        double noise = law.noise * una_rng_normal(&rng);
        if (near) noise = i > first ? t->y[first] - t->f[first] + apart * noise / law.noise : noise;
        t->y[i] = t->f[i] + noise;
    }
    return UNA_OK;
}

/* The last input is the subject's number, and the first two are the subject's too. The target has an effect of the
 * subject, which is noise to those who do not know it. */
static void join_groups(una_truth *t, const una_split_law *law, const uint32_t *number, una_rng *rng)
{
    double of_subject = 0;
    for (size_t i = 0; i < t->rows; i++) {
        double *x = t->x + i * t->inputs;
        if (i % GROUP == 0) of_subject = effect * una_rng_normal(rng);
        else memcpy(x, x - t->inputs, 2 * sizeof *x);
        x[t->inputs - 1] = 1000 + number[i / GROUP];
        t->f[i] = una_split_value(&law->f, x);
        t->noise[i] = hypot(effect, law->noise);
        t->y[i] = t->f[i] + of_subject + law->noise * una_rng_normal(rng);
    }
}

una_status una_split_make_groups(una_split_rows *r, const una_split_making *m)
{
    static const char *const names[] = { "x1", "x2", "x3", "x4", "x5", "subject", "y" };
    una_split_law law;
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_ODD);
    size_t groups = m->set->rows / GROUP, all = groups + UNA_SPLIT_FRESH / GROUP;
    UNA_NEW(m->arena, uint32_t, number, all);
    una_rng_permute(&rng, number, all);
    UNA_TRY(una_split_law_draw(&law, m->set->inputs - 1, m->seed, UNA_SPLIT_FUNCTION, m->arena));
    law.noise = fixed_noise;
    law.f.inputs = m->set->inputs;                       /* the last one has no effect */
    UNA_TRY(make_law(r, &law, m));
    join_groups(&r->train, &law, number, &rng);
    join_groups(&r->fresh, &law, number + groups, &rng);
    r->train.names = r->fresh.names = names;
    if (strcmp(m->set->name, UNA_SPLIT_KNOWN_GROUPS) == 0) r->train.group = "subject";
    return UNA_OK;
}

/* ---- targets ----------------------------------------------------------------------------------------------------- */

/* Makes a target of the function and a normal number; f and noise become its mean and std. */
typedef double target_of(double f, double z, double u);

static double share_of(double f, double z, double u)
{
    (void)u;
    return 1 / (1 + exp(-1.5 * f - 0.7 * z));
}

/* 0 where u is above a share that grows with f, else positive and skewed. */
static double zero_or_more(double f, double z, double u)
{
    return u < una_normal_cdf(f) ? exp(0.5 * f + 0.5 * z) : 0;
}

/* By a grid of z, and of the u that decide. */
static void moments_of(double *mean, double *std, double f, target_of *of)
{
    double sum = 0, square = 0, weights = 0, sure = of(f, 0, 1) > 0 ? 1 : una_normal_cdf(f);
    for (size_t i = 0; i < GRID; i++) {
        double z = 12 * ((double)i / (GRID - 1) - 0.5), weight = una_normal_pdf(z), y = of(f, z, 0);
        weights += weight;
        sum += weight * y;
        square += weight * y * y;
    }
    *mean = sure * sum / weights;
    *std = sqrt(sure * square / weights - *mean * *mean);
}

static una_status make_target(una_truth *t, target_of *of, una_rng *rng, una_arena *arena)
{
    UNA_NEW_AT(arena, t->odd, t->rows);
    for (size_t i = 0; i < t->rows; i++) {
        double f = t->f[i], z = una_rng_normal(rng);
        t->y[i] = of(f, z, una_rng_uniform(rng));
        t->odd[i] = t->y[i] == 0;
        moments_of(&t->f[i], &t->noise[i], f, of);
    }
    return UNA_OK;
}

static una_status make_targets(una_split_rows *r, const una_split_making *m, target_of *of)
{
    una_split_law law;
    una_rng rng = una_rng_at(m->seed, UNA_FOR_DATA, UNA_SPLIT_ODD);
    UNA_TRY(una_split_law_draw(&law, m->set->inputs, m->seed, UNA_SPLIT_FUNCTION, m->arena));
    UNA_TRY(make_law(r, &law, m));
    UNA_TRY(make_target(&r->train, of, &rng, m->arena));
    return make_target(&r->fresh, of, &rng, m->arena);
}

una_status una_split_make_zeros(una_split_rows *r, const una_split_making *m)
{
    return make_targets(r, m, zero_or_more);
}

una_status una_split_make_shares(una_split_rows *r, const una_split_making *m)
{
    return make_targets(r, m, share_of);
}
