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

static una_status exchange_member_state(const una_member *member, void *state, una_archive *ar)
{
    return member->calls == member->kind && member->kind->committee ? member->kind->exchange(state, ar)
                                                                    : una_kind_exchange(member->kind, state, ar);
}

static una_status copy_state(void **copy, const una_member *member, size_t inputs, una_arena *arena, una_run *run)
{
    una_archive out = {0}, in = {0};
    UNA_TRY(una_archive_save_begin(&out, "{}", &run->scratch, run));
    out.inputs = inputs;
    UNA_TRY(exchange_member_state(member, member->state, &out));
    UNA_TRY(una_archive_save_end(&out));

    *copy = una_arena_get(arena, 1, member->calls->state_size);
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_archive_load_begin(&in, out.bytes, out.size, "memory", NULL, arena, run));
    in.inputs = inputs;
    UNA_TRY(exchange_member_state(member, *copy, &in));
    return una_archive_load_end(&in);
}

una_status una_state_copy(void **copy, const una_member *member, size_t inputs, una_arena *arena, una_run *run)
{
    UNA_SCOPED(run, copy_state(copy, member, inputs, arena, run));
    return UNA_OK;
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
    return member->calls->mixture ? member->calls->mixture(member->state) : 0;
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
    una_predictive out = { .mean = a->mean + m * x.rows, .var_model = a->var + m * x.rows,
                           .var_noise = a->noise + m * x.rows, .mean_only = mean_only, .parts = parts,
                           .part_mean = parts ? a->part_mean : NULL, .part_var = parts ? a->part_var : NULL,
                           .part_weight = parts ? a->part_weight : NULL };
    una_view scaled;
    for (size_t k = 0; k < parts; k++) a->part_weight[k] = 1 / (double)parts;
    UNA_TRY(una_scaled(&scaled, x, member->scale, run));
    return member->calls->predict(member->state, scaled, &out, run);
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
        UNA_SCOPED(run, predict_member(a, all, m, x, inner, out->mean_only, run));
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

static una_status predict_blocks(const una_members *all, una_view x, una_predictive *out, una_run *run)
{
    answers a;
    size_t most = rows_at_once(all, x.rows), before = run->first_row;
    UNA_TRY(take_answers(&a, all, most, out->part_mean != NULL, run));
    for (size_t from = 0; from < x.rows; from += most) {
        size_t count = x.rows - from < most ? x.rows - from : most;
        una_view block = { x.at + from * x.stride, count, x.cols, x.stride };
        fill_common_noise(&a, all, block);
        run->first_row = before + from;
        UNA_TRY(predict_members(&a, all, block, from, out, run));
        mix_members(&a, all, count, from, out);
    }
    return UNA_OK;
}

una_status una_members_predict(const void *members, una_view x, una_predictive *out, una_run *run)
{
    const una_members *all = members;
    const una_member *one = &all->at[0];
    size_t before = run->first_row;
    bool as_it_is = all->count == 1 && !one->scale && !(all->noise_var > 0);
    if (as_it_is) return one->calls->predict(one->state, x, out, run);
    una_status status = predict_blocks(all, x, out, run);
    run->first_row = before;
    return status;
}

/* ---- functions -------------------------------------------------------------------------------------------- */

static una_status means_of_all(const una_members *all, una_view x, double *f, una_run *run)
{
    answers a;
    UNA_TRY(take_answers(&a, all, x.rows, false, run));
    for (size_t m = 0; m < all->count; m++) UNA_SCOPED(run, predict_member(&a, all, m, x, 0, true, run));
    memcpy(f, a.mean, all->count * x.rows * sizeof *f);
    return UNA_OK;
}

una_status una_members_functions(const void *members, una_view x, size_t *count, double *f, una_run *run)
{
    const una_members *all = members;
    const una_member *one = &all->at[0];
    una_view scaled = x;
    if (all->count > 1 || !one->calls->functions) {
        *count = all->count;
        return f ? means_of_all(all, x, f, run) : UNA_OK;
    }
    if (f) UNA_TRY(una_scaled(&scaled, x, one->scale, run));
    return one->calls->functions(one->state, scaled, count, f, run);
}

/* ---- draws ------------------------------------------------------------------------------------------------ */

/* Functions of one member at scaled inputs: drawn with its own random numbers; if it cannot draw, its mean. */
static una_status draw_member(const una_members *all, size_t m, una_view x, const una_drawing *how, double *f,
                              una_run *run)
{
    const una_member *member = &all->at[m];
    uint64_t seed = run->settings.seed;
    if (member->kind->draw) {
        const una_drawing own = { .draws = how->draws, .prior = how->prior };
        run->settings.seed = una_member_seed(seed, m);
        una_status status = member->calls->draw(member->state, x, &own, f, run);
        run->settings.seed = seed;
        return status;
    }

    una_predictive out = { .mean = f, .var_model = UNA_GET(&run->scratch, double, x.rows),
                           .var_noise = UNA_GET(&run->scratch, double, x.rows) };
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_SCOPED(run, member->calls->predict(member->state, x, &out, run));
    for (size_t k = 1; k < how->draws; k++) memcpy(f + k * x.rows, f, x.rows * sizeof *f);
    return UNA_OK;
}

/* The member's mean, plus shares of the deviations of functions drawn from it: each share with its own random numbers,
 * the first with those of draw_member. */
static una_status draw_blend(const una_members *all, size_t m, una_view x, const una_drawing *how, double *f,
                             una_run *run)
{
    const una_member *member = &all->at[m];
    uint64_t seed = run->settings.seed;
    size_t count = how->draws * x.rows;
    UNA_NEW(&run->scratch, double, mean, x.rows);
    UNA_NEW(&run->scratch, double, drawn, count);
    una_predictive out = { .mean = mean, .mean_only = true, .var_model = UNA_GET(&run->scratch, double, x.rows),
                           .var_noise = UNA_GET(&run->scratch, double, x.rows) };
    UNA_TRY(una_arena_check(&run->scratch));
    if (!how->prior) UNA_SCOPED(run, member->calls->predict(member->state, x, &out, run));
    for (size_t i = 0; i < count; i++) f[i] = mean[i % x.rows];

    for (size_t k = 0; k < how->shares; k++) {
        una_rng rng = una_rng_at(seed, UNA_FOR_DRAWS, UINT64_MAX - k);
        if (k) run->settings.seed = (uint64_t)una_rng_u32(&rng) << 32 | una_rng_u32(&rng);
        una_status status = draw_member(all, m, x, how, drawn, run);
        run->settings.seed = seed;
        UNA_TRY(status);
        for (size_t i = 0; i < count; i++) f[i] += how->share[k] * (drawn[i] - mean[i % x.rows]);
    }
    return UNA_OK;
}

/* The draws of one member, put in their places. */
static una_status place_draws(const una_members *all, size_t m, const size_t *which, una_view x,
                              const una_drawing *how, double *f, una_run *run)
{
    una_drawing own = *how;
    una_view scaled;
    own.draws = 0;
    for (size_t k = 0; k < how->draws; k++) own.draws += which[k] == m;
    if (own.draws == 0) return UNA_OK;
    double *to = own.draws == how->draws ? f : UNA_GET(&run->scratch, double, own.draws * x.rows);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_scaled(&scaled, x, all->at[m].scale, run));
    UNA_TRY(own.shares ? draw_blend(all, m, scaled, &own, to, run) : draw_member(all, m, scaled, &own, to, run));
    for (size_t k = 0, next = 0; to != f && k < how->draws; k++)
        if (which[k] == m) memcpy(f + k * x.rows, to + next++ * x.rows, x.rows * sizeof *f);
    return UNA_OK;
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

una_status una_members_draw(const void *members, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const una_members *all = members;
    for (size_t m = 0; how->prior && m < all->count; m++)
        if (!all->at[m].kind->draw)
            UNA_FAIL(run, UNA_E_USAGE, "%s has no prior to draw functions from: draw from the posterior",
                     all->at[m].kind->name);

    UNA_NEW(&run->scratch, size_t, which, how->draws);
    members_of_draws(which, how->draws, all, run->settings.seed);
    for (size_t m = 0; m < all->count; m++) UNA_SCOPED(run, place_draws(all, m, which, x, how, f, run));
    return UNA_OK;
}

/* ---- slopes ----------------------------------------------------------------------------------------------- */

/* The slopes of a member at one point, with respect to inputs before they are scaled; `point` [inputs] is work. */
static una_status member_slope(const una_members *all, size_t m, const double *x, double *point, una_slope *at,
                               una_run *run)
{
    const una_member *member = &all->at[m];
    size_t inputs = all->inputs;
    for (size_t d = 0; d < inputs; d++) point[d] = member->scale ? x[d] * member->scale[d] : x[d];
    UNA_TRY(una_kind_slope(member->calls, member->state, point, inputs, at, run));

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

/* Where single trainings give no slopes, they are taken of the whole. */
una_status una_members_slope(const void *members, const double *x, una_slope *at, una_run *run)
{
    static const una_kind whole = { .predict = una_members_predict };
    const una_members *all = members;
    size_t inputs = all->inputs;
    shares share;
    UNA_NEW(&run->scratch, double, point, inputs);
    if (!all->at[0].calls->slope) {
        memcpy(point, x, inputs * sizeof *point);
        return una_kind_slope(&whole, all, point, inputs, at, run);
    }

    UNA_NEW(&run->scratch, double, d, 2 * all->count * inputs);
    UNA_NEW(&run->scratch, una_slope, of, all->count);
    UNA_TRY(take_shares(&share, all, run));
    for (size_t m = 0; m < all->count; m++) {
        of[m] = (una_slope){ .dmean = d + 2 * m * inputs, .dvar = d + (2 * m + 1) * inputs };
        UNA_SCOPED(run, member_slope(all, m, x, point, &of[m], run));
    }
    mix_slopes(of, &share, all->count, inputs, at);
    return UNA_OK;
}

/* ---- the function as a mixture ----------------------------------------------------------------------------- */

/* Whether a member's var_model is 0 everywhere; a mixture inside counts as sure if it has one such member. */
static bool is_sure(const una_member *member)
{
    if (member->calls->parts != una_members_parts) return member->kind->no_epistemic;
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
    for (size_t m = 0; m < all->count; m++) parts += una_kind_part_count(all->at[m].calls, all->at[m].state);
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
    una_view scaled;
    UNA_TRY(una_scaled(&scaled, x, member->scale, run));
    UNA_TRY(una_kind_parts(member->calls, member->state, scaled, &own, run));

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
        count = una_kind_part_count(all->at[m].calls, all->at[m].state);
        UNA_SCOPED(run, place_parts(all, m, first, count, x, out, run));
    }
    return UNA_OK;
}

/* The noise stays that of the mixture. */
una_status una_members_sample(void *function, const void *members, una_rng *rng, una_arena *keep, una_run *run)
{
    const una_members *all = members;
    const una_member *member = &all->at[choose_member(all, even_weights(all), rng)];
    una_members *drawn = function;
    if (!member->calls->sample)
        UNA_FAIL(run, UNA_E_USAGE, "%s cannot give a function for all rows at once: una_model_draw gives it at rows "
                 "that are named beforehand", member->kind->name);

    *drawn = *all;
    drawn->count = 1;
    UNA_NEW_AT(keep, drawn->at, 1);
    void *state = una_arena_get(keep, 1, member->calls->state_size);
    UNA_TRY(una_arena_check(keep));
    drawn->at[0] = (una_member){ member->kind, member->calls, state, member->scale, 1 };
    return member->calls->sample(state, member->state, rng, keep, run);
}

/* ---- down to the linear heads ------------------------------------------------------------------------------ */

typedef struct turning { double weight; una_leaf_task *task; void *context; } turning;

static una_status turn_member(const una_member *member, una_view x, const turning *t, una_run *run)
{
    una_view scaled;
    UNA_TRY(una_scaled(&scaled, x, member->scale, run));
    return una_kind_leaves(member->calls, member->state, scaled, t->weight, t->task, t->context, run);
}

una_status una_members_leaves(const void *members, una_view x, double weight, una_leaf_task *task, void *context,
                              una_run *run)
{
    const una_members *all = members;
    shares share;
    UNA_TRY(take_shares(&share, all, run));
    for (size_t m = 0; m < all->count; m++) {
        const turning t = { weight * share.of[m] / share.sum, task, context };
        UNA_SCOPED(run, turn_member(&all->at[m], x, &t, run));
    }
    return UNA_OK;
}

static una_status member_holds(const una_member *member, una_view x, const double *y, bool *held, una_run *run)
{
    una_view scaled;
    UNA_TRY(una_scaled(&scaled, x, member->scale, run));
    return member->calls->holds(member->state, scaled, y, held, run);
}

/* Rows that any member holds. */
una_status una_members_holds(const void *members, una_view x, const double *y, bool *held, una_run *run)
{
    const una_members *all = members;
    for (size_t m = 0; m < all->count; m++)
        if (all->at[m].kind->holds) UNA_SCOPED(run, member_holds(&all->at[m], x, y, held, run));
    return UNA_OK;
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
    una_problem own = *more;
    UNA_TRY(una_scaled(&own.x, more->x, member->scale, run));
    return member->calls->observe(member->state, &own, result, keep, run);
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
        UNA_SCOPED(run, observe_one(&all->at[*done], more, &own, keep, run));
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
        status = una_state_copy(&copy[m], &all->at[m], all->inputs, &copies, run);

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
    una_problem own = *more;
    for (size_t m = 0; m < all->count; m++)
        if (!all->at[m].kind->observe)
            UNA_FAIL(run, UNA_E_USAGE, "%s has no exact update: fit it again on all rows (una update --with OLD.csv "
                     "does that)", all->at[m].kind->name);

    UNA_TRY(weigh_new_rows(&own, all, run));
    return all->count == 1 ? observe_one(&all->at[0], &own, result, keep, run)
                           : observe_all(all, &own, result, keep, run);
}

/* ---- files ------------------------------------------------------------------------------------------------ */

static una_status exchange_member_kind(una_member *member, una_archive *ar)
{
    const char *name = ar->loading ? NULL : member->kind->name;
    UNA_TRY(una_archive_text(ar, "member.kind", &name));
    if (!ar->loading) return UNA_OK;
    member->kind = name ? una_kind_find(name) : NULL;
    if (member->kind) member->calls = una_calls(member->kind);
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

static una_status exchange_state(una_member *member, una_archive *ar)
{
    if (ar->loading) {
        member->state = una_arena_get(ar->arena, 1, member->calls->state_size);
        UNA_TRY(una_arena_check(ar->arena));
    }
    return exchange_member_state(member, member->state, ar);
}

static una_status take_members(una_members *members, size_t count, una_archive *ar)
{
    UNA_TRY(una_archive_expect(ar, "members", count, UNA_LEAST_MEMBER));
    *members = (una_members){ .count = count, .inputs = ar->inputs };
    UNA_NEW_AT(ar->arena, members->at, count);
    for (size_t m = 0; m < count; m++) members->at[m].kind = members->at[m].calls = ar->kind;
    return UNA_OK;
}

/* A file from before there were members: one state. */
static una_status load_one(una_members *members, una_archive *ar)
{
    UNA_TRY(take_members(members, 1, ar));
    members->at[0].weight = 1;
    return exchange_state(&members->at[0], ar);
}

static una_status exchange_members(una_members *members, una_archive *ar)
{
    uint64_t count = members->count;
    double sum = 0;
    UNA_TRY(una_archive_u64(ar, "members", &count, 1, UNA_MOST_MEMBERS));
    if (ar->loading) UNA_TRY(take_members(members, (size_t)count, ar));

    for (size_t m = 0; m < members->count; m++) {
        una_member *member = &members->at[m];
        if (!ar->kind) UNA_TRY(exchange_member_kind(member, ar));
        UNA_TRY(una_archive_f64(ar, "member.weight", &member->weight));
        if (!(member->weight > 0)) return una_archive_refuse(ar, "member.weight", "is not positive");
        UNA_TRY(exchange_member_scale(member, ar));
        UNA_TRY(exchange_state(member, ar));
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

una_status una_members_exchange(void *state, una_archive *ar)
{
    una_members *members = state;
    if (ar->depth >= DEEPEST) return una_archive_refuse(ar, "members", "holds a mixture more than three deep");
    ar->depth++;
    bool old = ar->loading && ar->kind && !una_archive_next_is(ar, "members");
    una_status status = old ? load_one(members, ar) : exchange_members(members, ar);
    if (status == UNA_OK && !old) status = exchange_noise_var(members, ar);
    ar->depth--;
    return status;
}
