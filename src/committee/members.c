/* SPDX-License-Identifier: MIT
 *
 * The mixture of members. Sums over members take weights relative to the largest and are divided by their sum: so equal
 * weights are ones, a mean is the plain mean to the last bit, and the mixture of one member is the member. Parts of a
 * member that is a mixture itself stand in the whole mixture with the product of both weights.
 */
#include "committee/members.h"

/* Rows predicted at a time: as many as the answers of all members leave room for. */
enum { LEAST_AT_ONCE = 1024, MOST_AT_ONCE = 8192, ANSWERS_AT_ONCE = 1 << 17 };

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

/* ---- weights ---------------------------------------------------------------------------------------------- */

static double largest_weight(const una_members *all)
{
    double most = 0;
    for (size_t m = 0; m < all->count; m++) most = fmax(most, all->at[m].weight);
    return most;
}

una_status una_members_shares(una_shares *s, const una_members *all, una_run *run)
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

/* Parts of the whole mixture that a member with so many parts of its own becomes. */
static size_t mixed_parts(const una_members *all, size_t inner)
{
    return (inner ? inner : 1) * (all->tails ? all->tails->parts : 1);
}

size_t una_members_mixture(const void *members)
{
    const una_members *all = members;
    size_t parts = 0;
    if (all->count == 1 && !all->tails) return inner_parts(&all->at[0]);
    for (size_t m = 0; m < all->count; m++) parts += mixed_parts(all, inner_parts(&all->at[m]));
    return parts;
}

typedef struct answers {                 /* of all members for one block                                    */
    una_shares share;
    double *mean, *var, *noise;          /* [members, rows]                                                 */
    double *common;                      /* [rows] the noise that all share; NULL: each has its own         */
    const una_tails *tails;              /* of that noise; NULL: Gaussian                                   */
    double *part_mean, *part_var;        /* [rows, parts] of one member that is a mixture                   */
    double *part_weight;                 /* [parts]                                                         */
    size_t  from;                        /* row of the whole that the block begins with                     */
    bool    mean_only;
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
                    .tails = all->tails,
                    .part_mean = most ? UNA_GET(&run->scratch, double, most * rows) : NULL,
                    .part_var = most ? UNA_GET(&run->scratch, double, most * rows) : NULL,
                    .part_weight = most ? UNA_GET(&run->scratch, double, most) : NULL };
    UNA_TRY(una_arena_check(&run->scratch));
    return una_members_shares(&a->share, all, run);
}

static una_status predict_member(const answers *a, const una_members *all, size_t m, una_view x, size_t parts,
                                 una_run *run)
{
    const una_member *member = &all->at[m];
    una_predictive out = { .mean = a->mean + m * x.rows, .var_model = a->var + m * x.rows,
                           .var_noise = a->noise + m * x.rows, .mean_only = a->mean_only, .parts = parts,
                           .part_mean = parts ? a->part_mean : NULL, .part_var = parts ? a->part_var : NULL,
                           .part_weight = parts ? a->part_weight : NULL };
    una_view scaled;
    for (size_t k = 0; k < parts; k++) a->part_weight[k] = 1 / (double)parts;
    UNA_TRY(una_scaled(&scaled, x, member->scale, run));
    return member->calls->predict(member->state, scaled, &out, run);
}

typedef struct moments { double mean, var, noise; } moments;     /* of a member at one row */

/* Takes the member's own noise away. Of its parts only the mean noise is known: subtracting it is right on average, and
 * right for each part if all have the same noise. Where a part would get a negative variance (hmc, which samples its
 * noise), all parts get the mean variance. */
static void take_noise_away(const answers *a, size_t parts, const moments *own, const double *mean, double *var)
{
    double least = HUGE_VAL, within = own->var;
    for (size_t k = 0; k < parts; k++) {
        least = fmin(least, var[k]);
        within -= a->part_weight[k] * (mean[k] - own->mean) * (mean[k] - own->mean);
    }
    for (size_t k = 0; k < parts; k++) var[k] = least >= own->noise ? var[k] - own->noise : fmax(within, 0);
}

/* Adds the common noise to each of the parts, which becomes as many as the noise has. */
static void add_noise(const una_tails *tails, double common, size_t parts, double *mean, double *var)
{
    size_t each = tails ? tails->parts : 1;
    for (size_t i = parts; i-- > 0;) {
        double centre = mean[i], spread = var[i];
        for (size_t k = each; k-- > 0;) {
            mean[i * each + k] = centre;
            var[i * each + k] = spread + common * (tails ? tails->var[k] : 1);
        }
    }
}

/* Member m becomes parts `first` and following of the mixture; inner: its own number of parts, 0 for one Gaussian. */
static void place_member_parts(const answers *a, size_t m, size_t inner, size_t first, size_t rows, una_predictive *out)
{
    for (size_t r = 0; r < rows; r++) {
        moments own = { a->mean[m * rows + r], a->var[m * rows + r], a->noise[m * rows + r] };
        double *mean = out->part_mean + (a->from + r) * out->parts + first;
        double *var = out->part_var + (a->from + r) * out->parts + first;
        if (!inner) {
            *mean = own.mean;
            *var = a->common ? own.var : own.var + own.noise;
        } else {
            memcpy(mean, a->part_mean + r * inner, inner * sizeof *mean);
            memcpy(var, a->part_var + r * inner, inner * sizeof *var);
            if (a->common) take_noise_away(a, inner, &own, mean, var);
        }
        if (a->common) add_noise(a->tails, a->common[r], inner ? inner : 1, mean, var);
    }
}

static void weigh_parts(const answers *a, double weight, size_t inner, double *part_weight)
{
    size_t each = a->tails ? a->tails->parts : 1, count = (inner ? inner : 1) * each;
    for (size_t i = 0; i < count; i++) {
        double own = inner ? weight * a->part_weight[i / each] : weight;
        part_weight[i] = a->tails ? own * a->tails->weight[i % each] : own;
    }
}

static una_status predict_members(const answers *a, const una_members *all, una_view x, una_predictive *out,
                                  una_run *run)
{
    for (size_t m = 0, first = 0; m < all->count; m++) {
        size_t inner = out->part_mean ? inner_parts(&all->at[m]) : 0;
        UNA_SCOPED(run, predict_member(a, all, m, x, inner, run));
        if (!out->part_mean) continue;
        place_member_parts(a, m, inner, first, x.rows, out);
        if (out->part_weight) weigh_parts(a, all->at[m].weight, inner, out->part_weight + first);
        first += mixed_parts(all, inner);
    }
    return UNA_OK;
}

static void mix_members(const answers *a, const una_members *all, size_t rows, una_predictive *out)
{
    size_t from = a->from;
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
    a.mean_only = out->mean_only;
    for (size_t from = 0; from < x.rows; from += most) {
        size_t count = x.rows - from < most ? x.rows - from : most;
        una_view block = { x.at + from * x.stride, count, x.cols, x.stride };
        fill_common_noise(&a, all, block);
        run->first_row = before + (a.from = from);
        UNA_TRY(predict_members(&a, all, block, out, run));
        mix_members(&a, all, count, out);
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
    a.mean_only = true;
    for (size_t m = 0; m < all->count; m++) UNA_SCOPED(run, predict_member(&a, all, m, x, 0, run));
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

/* The mean of a member that cannot draw. */
static una_status draw_mean(const una_member *member, una_view x, size_t draws, double *f, una_run *run)
{
    una_predictive out = { .mean = f };
    UNA_NEW_AT(&run->scratch, out.var_model, x.rows);
    UNA_NEW_AT(&run->scratch, out.var_noise, x.rows);
    UNA_TRY(member->calls->predict(member->state, x, &out, run));
    for (size_t k = 1; k < draws; k++) memcpy(f + k * x.rows, f, x.rows * sizeof *f);
    return UNA_OK;
}

static una_status draw_or_mean(const una_member *member, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const una_drawing own = { .draws = how->draws, .prior = how->prior };
    UNA_SCOPED(run, member->kind->draw ? member->calls->draw(member->state, x, &own, f, run)
                                       : draw_mean(member, x, how->draws, f, run));
    return UNA_OK;
}

/* Functions of one member at scaled inputs, drawn with its own random numbers. */
static una_status draw_member(const una_members *all, size_t m, una_view x, const una_drawing *how, double *f,
                              una_run *run)
{
    uint64_t seed = run->settings.seed;
    run->settings.seed = una_member_seed(seed, m);
    una_status status = draw_or_mean(&all->at[m], x, how, f, run);
    run->settings.seed = seed;
    return status;
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

typedef struct share_out { const una_drawing *how; const size_t *which; } share_out;     /* [draws] whose each is */

/* The draws of one member, put in their places. */
static una_status place_draws(const una_members *all, size_t m, const share_out *of, una_view x, double *f,
                              una_run *run)
{
    size_t draws = of->how->draws;
    una_drawing own = *of->how;
    una_view scaled;
    own.draws = 0;
    for (size_t k = 0; k < draws; k++) own.draws += of->which[k] == m;
    if (own.draws == 0) return UNA_OK;
    double *to = own.draws == draws ? f : UNA_GET(&run->scratch, double, own.draws * x.rows);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_scaled(&scaled, x, all->at[m].scale, run));
    UNA_TRY((own.shares ? draw_blend : draw_member)(all, m, scaled, &own, to, run));
    for (size_t k = 0, next = 0; to != f && k < draws; k++)
        if (of->which[k] == m) memcpy(f + k * x.rows, to + next++ * x.rows, x.rows * sizeof *f);
    return UNA_OK;
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
    const share_out of = { how, which };
    for (size_t m = 0; m < all->count; m++) UNA_SCOPED(run, place_draws(all, m, &of, x, f, run));
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
static void mix_slopes(const una_slope *of, const una_shares *share, size_t count, size_t inputs, una_slope *at)
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
    una_shares share;
    UNA_NEW(&run->scratch, double, point, inputs);
    if (!all->at[0].calls->slope) {
        memcpy(point, x, inputs * sizeof *point);
        return una_kind_slope(&whole, all, point, inputs, at, run);
    }

    UNA_NEW(&run->scratch, double, d, 2 * all->count * inputs);
    UNA_NEW(&run->scratch, una_slope, of, all->count);
    UNA_TRY(una_members_shares(&share, all, run));
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
    if (member->calls->parts != una_members_parts) return member->kind->function;
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

/* A member becomes `count` parts of the mixture: those that `own` points to. */
static una_status place_parts(const una_member *member, size_t count, una_view x, const una_gaussians *own,
                              una_run *run)
{
    una_view scaled;
    UNA_TRY(una_scaled(&scaled, x, member->scale, run));
    UNA_TRY(una_kind_parts(member->calls, member->state, scaled, own, run));
    for (size_t k = 0; k < count; k++) own->weight[k] *= member->weight;
    if (own->dmean && member->scale) unscale_slopes(member->scale, x.rows, count, x.cols, own);
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
        const una_gaussians own = { out->parts, out->weight + first, out->mean + first, out->var + first,
                                    out->dmean ? out->dmean + first * x.cols : NULL,
                                    out->dvar ? out->dvar + first * x.cols : NULL };
        UNA_SCOPED(run, place_parts(&all->at[m], count, x, &own, run));
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
    UNA_NEW_BYTES(keep, void, state, member->calls->state_size);
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
    una_shares share;
    UNA_TRY(una_members_shares(&share, all, run));
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
