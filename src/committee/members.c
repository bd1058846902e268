/* SPDX-License-Identifier: MIT
 *
 * The mixture of members. Sums over members take weights relative to the largest and are divided by their sum: so equal
 * weights are ones, a mean is the plain mean to the last bit, and the mixture of one member is the member. Parts of a
 * member that is a mixture itself stand in the whole mixture with the product of both weights.
 */
#include "committee/members.h"

/* Rows predicted at a time: as many as the answers of all members leave room for. Mixtures within mixtures. */
enum { LEAST_AT_ONCE = 1024, MOST_AT_ONCE = 8192, ANSWERS_AT_ONCE = 1 << 17, DEEPEST = 3 };

uint64_t una_member_seed(uint64_t seed, size_t member)
{
    if (member == 0) return seed;
    una_rng rng = una_rng_at(seed, UNA_FOR_SPLIT, member);
    uint64_t high = una_rng_u32(&rng);
    return high << 32 | una_rng_u32(&rng);
}

una_status una_scaled(una_view *scaled, una_view x, const double *scale, una_run *run)
{
    *scaled = x;
    if (!scale) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, at, x.rows * x.cols);
    for (size_t r = 0; r < x.rows; r++)
        for (size_t d = 0; d < x.cols; d++) at[r * x.cols + d] = x.at[r * x.stride + d] * scale[d];
    *scaled = (una_view){ at, x.rows, x.cols, x.cols };
    return UNA_OK;
}

una_status una_state_copy(void **copy, const una_kind *kind, void *state, size_t inputs, una_arena *arena,
                          una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_archive out = {0}, in = {0};
    una_status status = una_archive_save_begin(&out, "{}", &run->scratch, run);
    out.inputs = inputs;
    if (status == UNA_OK) status = kind->exchange(state, &out);
    if (status == UNA_OK) status = una_archive_save_end(&out);

    *copy = una_arena_get(arena, 1, kind->state_size);
    if (status == UNA_OK) status = una_arena_check(arena);
    if (status == UNA_OK) status = una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, arena, run);
    in.inputs = inputs;
    if (status == UNA_OK) status = kind->exchange(*copy, &in);
    if (status == UNA_OK) status = una_archive_load_end(&in);

    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- weights ---------------------------------------------------------------------------------------------- */

static double largest_weight(const una_members *all)
{
    double most = 0;
    for (size_t m = 0; m < all->count; m++) most = fmax(most, all->at[m].weight);
    return most;
}

typedef struct shares { double *of, sum; } shares;       /* [members] weights relative to the largest, and their sum */

static una_status take_shares(shares *s, const una_members *all, una_run *run)
{
    double most = largest_weight(all);
    s->of = UNA_GET(&run->scratch, double, all->count);
    s->sum = 0;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t m = 0; m < all->count; m++) s->sum += s->of[m] = all->at[m].weight / most;
    return UNA_OK;
}

/* ---- prediction ------------------------------------------------------------------------------------------- */

/* Parts of a member that is a mixture; 0: it is one Gaussian. */
static size_t inner_parts(const una_member *member)
{
    return member->kind->mixture ? member->kind->mixture(member->state) : 0;
}

size_t una_members_mixture(const void *members)
{
    const una_members *all = members;
    size_t parts = 0;
    if (all->count == 1) return inner_parts(&all->at[0]);
    for (size_t m = 0; m < all->count; m++) {
        size_t inner = inner_parts(&all->at[m]);
        parts += inner ? inner : 1;
    }
    return parts;
}

typedef struct answers {                 /* of all members for one block                                    */
    shares share;
    double *mean, *var, *noise;          /* [members, rows]                                                 */
    double *common;                      /* [rows] the noise that all share; NULL: each has its own         */
    double *part_mean, *part_var;        /* [rows, parts] of one member that is a mixture                   */
    double *part_weight;                 /* [parts]                                                         */
} answers;

static una_status take_answers(answers *a, const una_members *all, size_t rows, bool parts, una_run *run)
{
    size_t most = 0;
    for (size_t m = 0; parts && m < all->count; m++) {
        size_t inner = inner_parts(&all->at[m]);
        if (inner > most) most = inner;
    }

    *a = (answers){ .mean = UNA_GET(&run->scratch, double, all->count * rows),
                    .var = UNA_GET(&run->scratch, double, all->count * rows),
                    .noise = UNA_GET(&run->scratch, double, all->count * rows),
                    .common = all->noise_var > 0 ? UNA_GET(&run->scratch, double, rows) : NULL,
                    .part_mean = most ? UNA_GET(&run->scratch, double, most * rows) : NULL,
                    .part_var = most ? UNA_GET(&run->scratch, double, most * rows) : NULL,
                    .part_weight = most ? UNA_GET(&run->scratch, double, most) : NULL };
    UNA_TRY(una_arena_check(&run->scratch));
    return take_shares(&a->share, all, run);
}

static una_status predict_member(const answers *a, const una_members *all, size_t m, una_view x, size_t parts,
                                 bool mean_only, una_run *run)
{
    const una_member *member = &all->at[m];
    una_mark mark = una_arena_mark(&run->scratch);
    una_predictive out = { .mean = a->mean + m * x.rows, .var_model = a->var + m * x.rows,
                           .var_noise = a->noise + m * x.rows, .mean_only = mean_only, .parts = parts,
                           .part_mean = parts ? a->part_mean : NULL, .part_var = parts ? a->part_var : NULL,
                           .part_weight = parts ? a->part_weight : NULL };
    una_view scaled;
    for (size_t k = 0; k < parts; k++) a->part_weight[k] = 1 / (double)parts;
    una_status status = una_scaled(&scaled, x, member->scale, run);
    if (status == UNA_OK) status = member->kind->predict(member->state, scaled, &out, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

typedef struct moments { double mean, var, noise; } moments;     /* of a member at one row */

/* Puts the common noise in place of the member's own. Of its parts only the mean noise is known: subtracting it is
 * right on average, and right for each part if all have the same noise. Where a part would get a negative variance
 * (hmc, which samples its noise), all parts get the mean variance. */
static void exchange_noise(const answers *a, size_t parts, const moments *own, double common, const double *mean,
                           double *var)
{
    double least = HUGE_VAL, within = own->var;
    for (size_t k = 0; k < parts; k++) {
        least = fmin(least, var[k]);
        within -= a->part_weight[k] * (mean[k] - own->mean) * (mean[k] - own->mean);
    }
    for (size_t k = 0; k < parts; k++) var[k] = common + (least >= own->noise ? var[k] - own->noise : fmax(within, 0));
}

/* Member m becomes parts `first` and following of the mixture; inner: its own number of parts, 0 for one Gaussian. */
static void place_member_parts(const answers *a, size_t m, size_t inner, size_t first, size_t rows, size_t from,
                               una_predictive *out)
{
    for (size_t r = 0; r < rows; r++) {
        moments own = { a->mean[m * rows + r], a->var[m * rows + r], a->noise[m * rows + r] };
        double *mean = out->part_mean + (from + r) * out->parts + first;
        double *var = out->part_var + (from + r) * out->parts + first;
        if (!inner) {
            *mean = own.mean;
            *var = own.var + (a->common ? a->common[r] : own.noise);
            continue;
        }
        memcpy(mean, a->part_mean + r * inner, inner * sizeof *mean);
        memcpy(var, a->part_var + r * inner, inner * sizeof *var);
        if (a->common) exchange_noise(a, inner, &own, a->common[r], mean, var);
    }
}

static void weigh_parts(const answers *a, double weight, size_t inner, double *part_weight)
{
    if (!inner) *part_weight = weight;
    for (size_t k = 0; k < inner; k++) part_weight[k] = weight * a->part_weight[k];
}

static una_status predict_members(const answers *a, const una_members *all, una_view x, size_t from,
                                  una_predictive *out, una_run *run)
{
    for (size_t m = 0, first = 0; m < all->count; m++) {
        size_t inner = out->part_mean ? inner_parts(&all->at[m]) : 0;
        UNA_TRY(predict_member(a, all, m, x, inner, out->mean_only, run));
        if (!out->part_mean) continue;
        place_member_parts(a, m, inner, first, x.rows, from, out);
        if (out->part_weight) weigh_parts(a, all->at[m].weight, inner, out->part_weight + first);
        first += inner ? inner : 1;
    }
    return UNA_OK;
}

static void mix_members(const answers *a, const una_members *all, size_t rows, size_t from, una_predictive *out)
{
    const double *share = a->share.of, sum = a->share.sum;

    for (size_t r = 0; r < rows; r++) {
        double mean = 0, var = 0, noise = 0;
        for (size_t m = 0; m < all->count; m++) mean += share[m] * a->mean[m * rows + r];
        mean /= sum;
        for (size_t m = 0; m < all->count; m++) {
            double off = a->mean[m * rows + r] - mean;
            var += share[m] * (off * off + a->var[m * rows + r]);
            noise += share[m] * a->noise[m * rows + r];
        }

        out->mean[from + r] = mean;
        out->var_model[from + r] = var / sum;
        out->var_noise[from + r] = a->common ? a->common[r] : noise / sum;
    }
}

static void fill_common_noise(const answers *a, const una_members *all, una_view x)
{
    if (!a->common) return;
    for (size_t r = 0; r < x.rows; r++) a->common[r] = 1;
    if (all->noise) una_noise_shape(all->noise, x, a->common);
    for (size_t r = 0; r < x.rows; r++) a->common[r] *= all->noise_var;
}

static size_t rows_at_once(const una_members *all, size_t rows)
{
    size_t most = ANSWERS_AT_ONCE / all->count;
    if (most < LEAST_AT_ONCE) most = LEAST_AT_ONCE;
    if (most > MOST_AT_ONCE) most = MOST_AT_ONCE;
    return rows < most ? rows : most;
}

una_status una_members_predict(const void *members, una_view x, una_predictive *out, una_run *run)
{
    const una_members *all = members;
    if (all->count == 1 && !all->at[0].scale && !(all->noise_var > 0))   /* its predictions need no change */
        return all->at[0].kind->predict(all->at[0].state, x, out, run);

    una_mark mark = una_arena_mark(&run->scratch);
    answers a;
    size_t most = rows_at_once(all, x.rows), before = run->first_row;
    una_status status = take_answers(&a, all, most, out->part_mean != NULL, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += most) {
        size_t count = x.rows - from < most ? x.rows - from : most;
        una_view block = { x.at + from * x.stride, count, x.cols, x.stride };
        fill_common_noise(&a, all, block);
        run->first_row = before + from;
        status = predict_members(&a, all, block, from, out, run);
        if (status == UNA_OK) mix_members(&a, all, count, from, out);
    }
    run->first_row = before;
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- functions -------------------------------------------------------------------------------------------- */

static una_status means_of_all(const una_members *all, una_view x, double *f, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    answers a;
    una_status status = take_answers(&a, all, x.rows, false, run);
    for (size_t m = 0; status == UNA_OK && m < all->count; m++) status = predict_member(&a, all, m, x, 0, true, run);
    if (status == UNA_OK) memcpy(f, a.mean, all->count * x.rows * sizeof *f);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_members_functions(const void *members, una_view x, size_t *count, double *f, una_run *run)
{
    const una_members *all = members;
    const una_member *one = &all->at[0];
    if (all->count > 1 || !one->kind->functions) {
        *count = all->count;
        return f ? means_of_all(all, x, f, run) : UNA_OK;
    }

    una_mark mark = una_arena_mark(&run->scratch);
    una_view scaled = x;
    una_status status = f ? una_scaled(&scaled, x, one->scale, run) : UNA_OK;
    if (status == UNA_OK) status = one->kind->functions(one->state, scaled, count, f, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- draws ------------------------------------------------------------------------------------------------ */

/* Functions of one member at scaled inputs: drawn with its own random numbers; if it cannot draw, its mean. */
static una_status draw_member(const una_members *all, size_t m, una_view x, size_t draws, bool prior, double *f,
                              una_run *run)
{
    const una_member *member = &all->at[m];
    uint64_t seed = run->settings.seed;
    if (member->kind->draw) {
        run->settings.seed = una_member_seed(seed, m);
        una_status status = member->kind->draw(member->state, x, draws, prior, f, run);
        run->settings.seed = seed;
        return status;
    }

    una_predictive out = { .mean = f, .var_model = UNA_GET(&run->scratch, double, x.rows),
                           .var_noise = UNA_GET(&run->scratch, double, x.rows) };
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_SCOPED(run, member->kind->predict(member->state, x, &out, run));
    for (size_t k = 1; k < draws; k++) memcpy(f + k * x.rows, f, x.rows * sizeof *f);
    return UNA_OK;
}

/* Shares of several streams of random numbers; count 0: the member's own stream, once. */
typedef struct blend { const double *share; size_t count; } blend;

/* The member's mean, plus shares of the deviations of functions drawn from it: each share with its own random numbers,
 * the first with those of draw_member. */
static una_status draw_blend(const una_members *all, size_t m, una_view x, size_t draws, bool prior, blend b, double *f,
                             una_run *run)
{
    const una_member *member = &all->at[m];
    uint64_t seed = run->settings.seed;
    double *mean = UNA_GET(&run->scratch, double, x.rows), *drawn = UNA_GET(&run->scratch, double, draws * x.rows);
    una_predictive out = { .mean = mean, .mean_only = true, .var_model = UNA_GET(&run->scratch, double, x.rows),
                           .var_noise = UNA_GET(&run->scratch, double, x.rows) };
    UNA_TRY(una_arena_check(&run->scratch));
    if (!prior) UNA_SCOPED(run, member->kind->predict(member->state, x, &out, run));
    for (size_t i = 0; i < draws * x.rows; i++) f[i] = mean[i % x.rows];

    una_status status = UNA_OK;
    for (size_t k = 0; status == UNA_OK && k < b.count; k++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, UINT64_MAX - k);
        if (k) run->settings.seed = (uint64_t)una_rng_u32(&rng) << 32 | una_rng_u32(&rng);
        status = draw_member(all, m, x, draws, prior, drawn, run);
        run->settings.seed = seed;
        for (size_t i = 0; status == UNA_OK && i < draws * x.rows; i++)
            f[i] += b.share[k] * (drawn[i] - mean[i % x.rows]);
    }
    return status;
}

/* The draws of one member, put in their places. */
static una_status place_draws(const una_members *all, size_t m, const size_t *which, una_view x, size_t draws,
                              bool prior, blend b, double *f, una_run *run)
{
    size_t count = 0;
    for (size_t k = 0; k < draws; k++) count += which[k] == m;
    if (count == 0) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    double *own = count == draws ? f : UNA_GET(&run->scratch, double, count * x.rows);
    una_view scaled;
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_scaled(&scaled, x, all->at[m].scale, run);
    if (status == UNA_OK && b.count) status = draw_blend(all, m, scaled, count, prior, b, own, run);
    else if (status == UNA_OK) status = draw_member(all, m, scaled, count, prior, own, run);
    for (size_t k = 0, next = 0; status == UNA_OK && own != f && k < draws; k++)
        if (which[k] == m) memcpy(f + k * x.rows, own + next++ * x.rows, x.rows * sizeof *f);
    una_arena_release(&run->scratch, mark);
    return status;
}

static bool even_weights(const una_members *all)
{
    for (size_t m = 1; m < all->count; m++)
        if (all->at[m].weight != all->at[0].weight) return false;
    return true;
}

/* By its weight; even: all weights are equal. */
static size_t choose_member(const una_members *all, bool even, una_rng *rng)
{
    if (even) return una_rng_below(rng, all->count);
    double at = una_rng_uniform(rng), below = all->at[0].weight;
    size_t m = 0;
    while (at >= below && m + 1 < all->count) below += all->at[++m].weight;
    return m;
}

static void members_of_draws(size_t *which, size_t draws, const una_members *all, uint64_t seed)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, (uint64_t)3 << 40);
    bool even = even_weights(all);
    for (size_t k = 0; k < draws; k++) which[k] = choose_member(all, even, &rng);
}

static una_status draw_members(const una_members *all, una_view x, size_t draws, bool prior, blend b, double *f,
                               una_run *run)
{
    for (size_t m = 0; prior && m < all->count; m++)
        if (!all->at[m].kind->draw)
            UNA_FAIL(run, UNA_E_USAGE, "%s has no prior to draw functions from: draw from the posterior",
                     all->at[m].kind->name);

    una_mark mark = una_arena_mark(&run->scratch);
    size_t *which = UNA_GET(&run->scratch, size_t, draws);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) members_of_draws(which, draws, all, run->settings.seed);
    for (size_t m = 0; status == UNA_OK && m < all->count; m++)
        status = place_draws(all, m, which, x, draws, prior, b, f, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_members_draw(const void *members, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    return draw_members(members, x, draws, prior, (blend){0}, f, run);
}

una_status una_members_draw_shared(const void *members, una_view x, size_t draws, bool prior, const double *share,
                                   size_t count, double *f, una_run *run)
{
    return draw_members(members, x, draws, prior, (blend){ share, count }, f, run);
}

/* ---- slopes ----------------------------------------------------------------------------------------------- */

/* The slopes of a member at one point, with respect to inputs before they are scaled; `point` [inputs] is work. */
static una_status member_slope(const una_members *all, size_t m, const double *x, double *point, una_slope *at,
                               una_run *run)
{
    const una_member *member = &all->at[m];
    size_t inputs = all->inputs;
    for (size_t d = 0; d < inputs; d++) point[d] = member->scale ? x[d] * member->scale[d] : x[d];
    UNA_TRY(una_kind_slope(member->kind, member->state, point, inputs, at, run));

    for (size_t d = 0; member->scale && d < inputs; d++) {
        at->dmean[d] *= member->scale[d];
        at->dvar[d] *= member->scale[d];
    }
    return UNA_OK;
}

/* dvar = sum w dv_m + 2 sum w (mu_m - mean) dmu_m; the slope of the mean drops out of the sum. */
static void mix_slopes(const una_slope *of, const shares *share, size_t count, size_t inputs, una_slope *at)
{
    at->mean = at->var = 0;
    for (size_t m = 0; m < count; m++) at->mean += share->of[m] * of[m].mean / share->sum;
    for (size_t m = 0; m < count; m++) {
        double off = of[m].mean - at->mean;
        at->var += share->of[m] * (off * off + of[m].var) / share->sum;
    }

    for (size_t d = 0; d < inputs; d++) {
        at->dmean[d] = at->dvar[d] = 0;
        for (size_t m = 0; m < count; m++) {
            double rise = of[m].dmean[d];
            at->dmean[d] += share->of[m] * rise / share->sum;
            at->dvar[d] += share->of[m] * (of[m].dvar[d] + 2 * (of[m].mean - at->mean) * rise) / share->sum;
        }
    }
}

una_status una_members_slope(const void *members, const double *x, una_slope *at, una_run *run)
{
    const una_members *all = members;
    size_t inputs = all->inputs;
    una_mark mark = una_arena_mark(&run->scratch);
    double *point = UNA_GET(&run->scratch, double, inputs);
    double *d = UNA_GET(&run->scratch, double, 2 * all->count * inputs);
    una_slope *of = UNA_GET(&run->scratch, una_slope, all->count);
    shares share = {0};
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = take_shares(&share, all, run);

    for (size_t m = 0; status == UNA_OK && m < all->count; m++) {
        of[m] = (una_slope){ .dmean = d + 2 * m * inputs, .dvar = d + (2 * m + 1) * inputs };
        status = member_slope(all, m, x, point, &of[m], run);
    }
    if (status == UNA_OK) mix_slopes(of, &share, all->count, inputs, at);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- the function as a mixture ----------------------------------------------------------------------------- */

/* Whether a member's var_model is 0 everywhere; a mixture inside counts as sure if it has one such member. */
static bool is_sure(const una_member *member)
{
    if (member->kind->parts != una_members_parts) return member->kind->no_epistemic;
    const una_members *inner = member->state;
    return inner->count == 1 && is_sure(&inner->at[0]);
}

static bool all_sure(const una_members *all)
{
    for (size_t m = 0; m < all->count; m++)
        if (!is_sure(&all->at[m])) return false;
    return true;
}

size_t una_members_part_count(const void *members)
{
    const una_members *all = members;
    size_t parts = 0;
    if (all_sure(all)) return 1;
    for (size_t m = 0; m < all->count; m++) parts += una_kind_part_count(all->at[m].kind, all->at[m].state);
    return parts;
}

/* Slopes over the inputs before they are scaled. */
static void unscale_slopes(const double *scale, size_t rows, size_t count, size_t inputs, const una_gaussians *own)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < count * inputs; i++) {
            own->dmean[r * own->parts * inputs + i] *= scale[i % inputs];
            own->dvar[r * own->parts * inputs + i] *= scale[i % inputs];
        }
}

/* Member m becomes parts `first` and following of the mixture. */
static una_status place_parts(const una_members *all, size_t m, size_t first, size_t count, una_view x,
                              const una_gaussians *out, una_run *run)
{
    const una_member *member = &all->at[m];
    una_gaussians own = { out->parts, out->weight + first, out->mean + first, out->var + first,
                          out->dmean ? out->dmean + first * x.cols : NULL,
                          out->dvar ? out->dvar + first * x.cols : NULL };
    una_mark mark = una_arena_mark(&run->scratch);
    una_view scaled;
    una_status status = una_scaled(&scaled, x, member->scale, run);
    if (status == UNA_OK) status = una_kind_parts(member->kind, member->state, scaled, &own, run);
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);

    for (size_t k = 0; k < count; k++) own.weight[k] *= member->weight;
    if (own.dmean && member->scale) unscale_slopes(member->scale, x.rows, count, x.cols, &own);
    return UNA_OK;
}

/* The disagreement of members that have no variance of their own, as one Gaussian. */
static una_status as_one(const una_members *all, una_view x, const una_gaussians *out, una_run *run)
{
    static const una_kind whole = { .name = "members", .predict = una_members_predict, .slope = una_members_slope };
    return una_kind_one_part(&whole, all, x, out, run);
}

una_status una_members_parts(const void *members, una_view x, const una_gaussians *out, una_run *run)
{
    const una_members *all = members;
    if (all_sure(all)) return as_one(all, x, out, run);
    for (size_t m = 0, first = 0, count; m < all->count; m++, first += count) {
        count = una_kind_part_count(all->at[m].kind, all->at[m].state);
        UNA_TRY(place_parts(all, m, first, count, x, out, run));
    }
    return UNA_OK;
}

/* The noise stays that of the mixture. */
una_status una_members_sample(void *function, const void *members, una_rng *rng, una_arena *keep, una_run *run)
{
    const una_members *all = members;
    const una_member *member = &all->at[choose_member(all, even_weights(all), rng)];
    una_members *drawn = function;
    if (!member->kind->sample)
        UNA_FAIL(run, UNA_E_USAGE, "%s cannot give a function for all rows at once: una_model_draw gives it at rows "
                 "that are named beforehand", member->kind->name);

    *drawn = *all;
    drawn->count = 1;
    drawn->at = UNA_GET(keep, una_member, 1);
    void *state = una_arena_get(keep, 1, member->kind->state_size);
    UNA_TRY(una_arena_check(keep));
    drawn->at[0] = (una_member){ member->kind, state, member->scale, 1 };
    return member->kind->sample(state, member->state, rng, keep, run);
}

/* ---- down to the linear heads ------------------------------------------------------------------------------ */

una_status una_members_leaves(const void *members, una_view x, double weight, una_leaf_task *task, void *context,
                              una_run *run)
{
    const una_members *all = members;
    una_mark mark = una_arena_mark(&run->scratch);
    shares share = {0};
    una_status status = take_shares(&share, all, run);
    for (size_t m = 0; status == UNA_OK && m < all->count; m++) {
        const una_member *member = &all->at[m];
        una_mark own = una_arena_mark(&run->scratch);
        una_view scaled;
        status = una_scaled(&scaled, x, member->scale, run);
        if (status == UNA_OK)
            status = una_kind_leaves(member->kind, member->state, scaled, weight * share.of[m] / share.sum, task,
                                     context, run);
        una_arena_release(&run->scratch, own);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Rows that any member holds. */
una_status una_members_holds(const void *members, una_view x, const double *y, bool *held, una_run *run)
{
    const una_members *all = members;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = UNA_OK;
    for (size_t m = 0; status == UNA_OK && m < all->count; m++) {
        const una_member *member = &all->at[m];
        una_mark own = una_arena_mark(&run->scratch);
        una_view scaled;
        if (!member->kind->holds) continue;
        status = una_scaled(&scaled, x, member->scale, run);
        if (status == UNA_OK) status = member->kind->holds(member->state, scaled, y, held, run);
        una_arena_release(&run->scratch, own);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- more rows -------------------------------------------------------------------------------------------- */

/* Rows count by the shape of the noise. */
static una_status weigh_new_rows(una_problem *more, const una_members *all, una_run *run)
{
    if (!all->noise) return UNA_OK;
    UNA_NEW(&run->scratch, double, weight, more->x.rows);
    una_noise_shape(all->noise, more->x, weight);
    for (size_t r = 0; r < more->x.rows; r++) weight[r] = (more->weight ? more->weight[r] : 1) / weight[r];
    more->weight = weight;
    return UNA_OK;
}

static una_status observe_one(const una_member *member, const una_problem *more, una_fit_result *result,
                              una_arena *keep, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_problem own = *more;
    una_status status = una_scaled(&own.x, more->x, member->scale, run);
    if (status == UNA_OK) status = member->kind->observe(member->state, &own, result, keep, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* *done: how many members have the rows. */
static una_status observe_each(const una_members *all, const una_problem *more, size_t *done, una_fit_result *result,
                               una_arena *keep, una_run *run)
{
    shares share;
    double evidence = 0;
    UNA_TRY(take_shares(&share, all, run));
    for (; *done < all->count; ++*done) {
        una_fit_result own = { .log_evidence = NAN };
        UNA_TRY(observe_one(&all->at[*done], more, &own, keep, run));
        evidence += share.of[*done] * own.log_evidence / share.sum;
    }
    result->log_evidence = evidence;
    return UNA_OK;
}

/* All or none: copies are made first, and replace members that already have the rows if a later one fails. A member
 * that fails is unchanged, so the last one needs no copy. */
static una_status observe_all(una_members *all, const una_problem *more, una_fit_result *result, una_arena *keep,
                              una_run *run)
{
    una_arena copies;
    size_t copied = all->count - 1, done = 0;
    una_arena_init(&copies, run);
    void **copy = UNA_GET(&run->scratch, void *, copied);
    una_status status = una_arena_check(&run->scratch);
    for (size_t m = 0; status == UNA_OK && m < copied; m++)
        status = una_state_copy(&copy[m], all->at[m].kind, all->at[m].state, all->inputs, &copies, run);

    una_mark before = una_arena_mark(keep);
    if (status == UNA_OK) status = observe_each(all, more, &done, result, keep, run);
    if (status != UNA_OK && done > 0) {
        una_arena_release(keep, before);
        for (size_t m = 0; m < done; m++) all->at[m].state = copy[m];
        una_arena_join(keep, &copies);
    }
    una_arena_free(&copies);
    return status;
}

una_status una_members_observe(void *members, const una_problem *more, una_fit_result *result, una_arena *keep,
                               una_run *run)
{
    una_members *all = members;
    for (size_t m = 0; m < all->count; m++)
        if (!all->at[m].kind->observe)
            UNA_FAIL(run, UNA_E_USAGE, "%s has no exact update: fit it again on all rows (una update --with OLD.csv "
                     "does that)", all->at[m].kind->name);

    una_mark mark = una_arena_mark(&run->scratch);
    una_problem own = *more;
    una_status status = weigh_new_rows(&own, all, run);
    if (status == UNA_OK)
        status = all->count == 1 ? observe_one(&all->at[0], &own, result, keep, run)
                                 : observe_all(all, &own, result, keep, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static una_status exchange_member_kind(una_member *member, una_archive *ar)
{
    const char *name = ar->loading ? NULL : member->kind->name;
    UNA_TRY(una_archive_text(ar, "member.kind", &name));
    if (!ar->loading) return UNA_OK;
    member->kind = name ? una_kind_find(name) : NULL;
    return member->kind ? UNA_OK : una_archive_refuse(ar, "member.kind", "names a model that this una does not have");
}

static una_status exchange_member_scale(una_member *member, una_archive *ar)
{
    uint64_t scaled = member->scale != NULL;
    UNA_TRY(una_archive_u64(ar, "member.scaled", &scaled, 0, 1));
    if (!scaled) return UNA_OK;
    UNA_TRY(una_archive_f64s(ar, "member.scale", &member->scale, ar->inputs));
    for (size_t d = 0; d < ar->inputs; d++)
        if (!(member->scale[d] > 0)) return una_archive_refuse(ar, "member.scale", "holds one that is not positive");
    return UNA_OK;
}

static una_status exchange_member_state(una_member *member, una_archive *ar)
{
    if (ar->loading) {
        member->state = una_arena_get(ar->arena, 1, member->kind->state_size);
        UNA_TRY(una_arena_check(ar->arena));
    }
    return member->kind->exchange(member->state, ar);
}

static una_status take_members(una_members *members, size_t count, const una_kind *of, una_archive *ar)
{
    UNA_TRY(una_archive_expect(ar, "members", count, UNA_LEAST_MEMBER));
    *members = (una_members){ .count = count, .inputs = ar->inputs, .at = UNA_GET(ar->arena, una_member, count) };
    UNA_TRY(una_arena_check(ar->arena));
    for (size_t m = 0; m < count; m++) members->at[m].kind = of;
    return UNA_OK;
}

/* A file from before there were members: one state of `of`. */
static una_status load_one(una_members *members, const una_kind *of, una_archive *ar)
{
    UNA_TRY(take_members(members, 1, of, ar));
    members->at[0].weight = 1;
    return exchange_member_state(&members->at[0], ar);
}

static una_status exchange_members(una_members *members, const una_kind *of, una_archive *ar)
{
    uint64_t count = members->count;
    double sum = 0;
    UNA_TRY(una_archive_u64(ar, "members", &count, 1, UNA_MOST_MEMBERS));
    if (ar->loading) UNA_TRY(take_members(members, (size_t)count, of, ar));

    for (size_t m = 0; m < members->count; m++) {
        una_member *member = &members->at[m];
        if (!of) UNA_TRY(exchange_member_kind(member, ar));
        UNA_TRY(una_archive_f64(ar, "member.weight", &member->weight));
        if (!(member->weight > 0)) return una_archive_refuse(ar, "member.weight", "is not positive");
        UNA_TRY(exchange_member_scale(member, ar));
        UNA_TRY(exchange_member_state(member, ar));
        sum += member->weight;
    }

    return fabs(sum - 1) <= 1e-9 ? UNA_OK : una_archive_refuse(ar, "member.weight", "does not add up to 1");
}

static una_status exchange_noise_var(una_members *members, una_archive *ar)
{
    UNA_TRY(una_archive_f64(ar, "members.noise_var", &members->noise_var));
    if (!(members->noise_var >= 0)) return una_archive_refuse(ar, "members.noise_var", "is negative");
    UNA_TRY(una_noise_exchange(&members->noise, ar));
    if (members->noise && !(members->noise_var > 0))
        return una_archive_refuse(ar, "members.noise_var", "is 0, though the noise has a shape");
    return UNA_OK;
}

una_status una_members_exchange(una_members *members, const una_kind *of, una_archive *ar)
{
    if (ar->depth >= DEEPEST) return una_archive_refuse(ar, "members", "holds a mixture more than three deep");
    ar->depth++;
    una_status status;
    if (ar->loading && of && !una_archive_next_is(ar, "members")) status = load_one(members, of, ar);
    else {
        status = exchange_members(members, of, ar);
        if (status == UNA_OK) status = exchange_noise_var(members, ar);
    }
    ar->depth--;
    return status;
}
