/* SPDX-License-Identifier: MIT
 *
 * Ensembles: M members of any kind, trained alike but for chance, as an equal-weight mixture
 *   p(y | x) = (1/M) sum_m N(y; mu_m(x), v_m(x) + s2),
 *   mean = (1/M) sum mu_m,  ignorance = (1/M) sum (mu_m - mean)^2 + (1/M) sum v_m,
 * v_m what member m itself does not know (0 for a plain network). Members differ by their random numbers (plain), also
 * by resampled rows (bootstrap), or by the anchors they are held at (anchored; see nn.c). The first member has the
 * random numbers that it would have alone. s2 maximises the mixture's likelihood on rows that no judging member has
 * seen.
 * Source: Lakshminarayanan et al. 2017 (plain); Breiman 1996, Osband et al. 2016 (bootstrap); Pearce et al. 2020
 * (anchored).
 */
#include "models/ensemble.h"

#include <string.h>

enum { ROWS_AT_ONCE = 1024 };

static const una_option ensemble_table[] = {
    { "style", UNA_WORD, offsetof(una_ensemble_options, style), "plain", 0, 0, false, "plain|bootstrap|anchored",
      "how members differ: first weights and batches; also resampled rows; or anchors drawn from the prior (of=nn "
      "only)" },
    { "members", UNA_COUNT, offsetof(una_ensemble_options, members), "auto", 1, UNA_MOST_MEMBERS, true, NULL,
      "members; auto = 20, or 5 if anchored" },
    { "of", UNA_TEXT, offsetof(una_ensemble_options, of), "nn", 0, 0, false, NULL,
      "what the members are: any model but an ensemble, with its options, such as nn(width=50)" },
    { "epochs", UNA_COUNT, offsetof(una_ensemble_options, epochs), "auto", 1, 1e7, true, NULL,
      "passes over the data of each member; auto = as its own options say" },
    { "noise_std", UNA_REAL, offsetof(una_ensemble_options, noise_std), "auto", 1e-300, 1e300, true, NULL,
      "noise std of the target; auto = best likelihood of the mixture on held-out rows" },
    { "anchor_noise_var", UNA_REAL, offsetof(una_ensemble_options, anchor_noise_var), "0.01", 1e-12, 1e6, false, NULL,
      "anchored: sigma_eps^2, how little the rows are trusted, on the standardised target" },
    { "anchor_prior_var", UNA_REAL, offsetof(una_ensemble_options, anchor_prior_var), "0.1", 1e-12, 1e6, false, NULL,
      "anchored: variance of weights and biases under the prior, from which the anchors are drawn" },
    { "anchor_init_var", UNA_REAL, offsetof(una_ensemble_options, anchor_init_var), "0.1", 1e-12, 1e6, false, NULL,
      "anchored: variance of the first weights and biases" },
    { "units", UNA_WORD, offsetof(una_ensemble_options, units), "own", 0, 0, false, "own|standardised",
      "how noise_std is given: in the target's own units, or standardised" },
    { .name = NULL }
};

una_status una_ensemble_copy(void **copy, const una_kind *kind, void *state, size_t inputs, una_arena *arena,
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

/* ---- the rest of the model interface ---------------------------------------------------------------------- */

static size_t ensemble_mixture(const void *state)
{
    return ((const una_ensemble_state *)state)->members;
}

typedef struct answers { double *mean, *var, *noise; } answers;      /* of all members for one block [members, rows] */

static una_status ask(answers *a, const una_ensemble_state *e, una_view x, bool mean_only, una_run *run)
{
    for (size_t m = 0; m < e->members; m++) {
        una_predictive out = { .mean = a->mean + m * x.rows, .var_model = a->var + m * x.rows, .var_noise = a->noise,
                               .mean_only = mean_only };
        UNA_TRY(e->kind->predict(e->member[m], x, &out, run));
    }
    return UNA_OK;
}

static una_status take_answers(answers *a, const una_ensemble_state *e, size_t rows, una_run *run)
{
    a->mean = UNA_GET(&run->scratch, double, e->members * rows);
    a->var = UNA_GET(&run->scratch, double, e->members * rows);
    a->noise = UNA_GET(&run->scratch, double, rows);
    return una_arena_check(&run->scratch);
}

static void mix(const answers *a, const una_ensemble_state *e, size_t rows, size_t from, una_predictive *out)
{
    size_t members = e->members;
    double n = (double)members;
    for (size_t r = 0; r < rows; r++) {
        double mean = 0, var = 0;
        for (size_t m = 0; m < members; m++) mean += a->mean[m * rows + r];
        mean /= n;
        for (size_t m = 0; m < members; m++) {
            double off = a->mean[m * rows + r] - mean;
            var += off * off + a->var[m * rows + r];
        }
        out->mean[from + r] = mean;
        out->var_model[from + r] = var / n;
        out->var_noise[from + r] = e->noise_var;
        for (size_t m = 0; out->part_mean && m < members; m++) {
            out->part_mean[(from + r) * members + m] = a->mean[m * rows + r];
            out->part_var[(from + r) * members + m] = a->var[m * rows + r] + e->noise_var;
        }
    }
}

static una_status ensemble_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_ensemble_state *e = state;
    una_mark mark = una_arena_mark(&run->scratch);
    answers a;
    una_status status = take_answers(&a, e, x.rows < ROWS_AT_ONCE ? x.rows : ROWS_AT_ONCE, run);
    for (size_t from = 0; status == UNA_OK && from < x.rows; from += ROWS_AT_ONCE) {
        size_t count = x.rows - from < ROWS_AT_ONCE ? x.rows - from : ROWS_AT_ONCE;
        status = ask(&a, e, (una_view){ x.at + from * x.stride, count, x.cols, x.stride }, out->mean_only, run);
        if (status == UNA_OK) mix(&a, e, count, from, out);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status ensemble_parts(const void *state, una_view x, size_t *count, double *f, una_run *run)
{
    const una_ensemble_state *e = state;
    *count = e->members;
    if (!f) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    answers a;
    una_status status = take_answers(&a, e, x.rows, run);
    if (status == UNA_OK) status = ask(&a, e, x, true, run);
    if (status == UNA_OK) memcpy(f, a.mean, e->members * x.rows * sizeof *f);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Functions of one member: drawn from it with random numbers of its own, or, where it cannot, its mean, which
 * is all it knows. */
static una_status draw_member(const una_ensemble_state *e, size_t member, una_view x, size_t draws, bool prior,
                              double *f, una_run *run)
{
    uint64_t seed = run->settings.seed;
    una_status status;
    if (e->kind->draw) {
        run->settings.seed = una_ensemble_seed(seed, member);
        status = e->kind->draw(e->member[member], x, draws, prior, f, run);
        run->settings.seed = seed;
        return status;
    }
    una_mark mark = una_arena_mark(&run->scratch);
    una_predictive out = { .mean = f, .var_model = UNA_GET(&run->scratch, double, x.rows),
                           .var_noise = UNA_GET(&run->scratch, double, x.rows) };
    status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = e->kind->predict(e->member[member], x, &out, run);
    for (size_t k = 1; status == UNA_OK && k < draws; k++) memcpy(f + k * x.rows, f, x.rows * sizeof *f);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* The draws that fall to one member, put where they belong. */
static una_status place_draws(const una_ensemble_state *e, size_t member, const size_t *which, una_view x,
                              size_t draws, bool prior, double *f, una_run *run)
{
    size_t count = 0;
    for (size_t k = 0; k < draws; k++) count += which[k] == member;
    if (count == 0) return UNA_OK;
    una_mark mark = una_arena_mark(&run->scratch);
    double *own = UNA_GET(&run->scratch, double, count * x.rows);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = draw_member(e, member, x, count, prior, own, run);
    for (size_t k = 0, next = 0; status == UNA_OK && k < draws; k++)
        if (which[k] == member) memcpy(f + k * x.rows, own + next++ * x.rows, x.rows * sizeof *f);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* A mixture's draw: a member at random, then a function of it. */
static una_status ensemble_draw(const void *state, una_view x, size_t draws, bool prior, double *f, una_run *run)
{
    const una_ensemble_state *e = state;
    if (prior && !e->kind->draw)
        UNA_FAIL(run, UNA_E_USAGE, "an ensemble of %s has no prior to draw functions from: draw from its posterior",
                 e->kind->name);
    una_mark mark = una_arena_mark(&run->scratch);
    size_t *which = UNA_GET(&run->scratch, size_t, draws);
    una_status status = una_arena_check(&run->scratch);
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, (uint64_t)3 << 40);
    for (size_t k = 0; status == UNA_OK && k < draws; k++) which[k] = una_rng_below(&rng, e->members);
    for (size_t m = 0; status == UNA_OK && m < e->members; m++)
        status = place_draws(e, m, which, x, draws, prior, f, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

/* A member's mean and variance at one point, and their slopes: its own, or central differences. */
static una_status member_slope(const una_ensemble_state *e, size_t member, double *x, double *mean, double *dmean,
                               double *dvar, una_run *run)
{
    const double step = 1e-5;
    double var, noise;
    const void *state = e->member[member];
    una_predictive out = { .mean = mean, .var_model = &var, .var_noise = &noise };
    UNA_TRY(e->kind->predict(state, (una_view){ x, 1, e->inputs, e->inputs }, &out, run));
    if (e->kind->slope) return e->kind->slope(state, x, dmean, dvar, run);
    for (size_t d = 0; d < e->inputs; d++) {
        double m[2] = {0}, v[2] = {0}, at = x[d];
        for (int side = 0; side < 2; side++) {
            una_predictive near = { .mean = &m[side], .var_model = &v[side], .var_noise = &noise };
            x[d] = side ? at + step : at - step;
            UNA_TRY(e->kind->predict(state, (una_view){ x, 1, e->inputs, e->inputs }, &near, run));
        }
        x[d] = at;
        dmean[d] = (m[1] - m[0]) / (2 * step);
        dvar[d] = (v[1] - v[0]) / (2 * step);
    }
    return UNA_OK;
}

/* dvar = (1/M) sum dv_m + (2/M) sum (mu_m - mean) dmu_m; the slope of the mean drops out of the sum. */
static una_status ensemble_slope(const void *state, const double *x, double *dmean, double *dvar, una_run *run)
{
    const una_ensemble_state *e = state;
    size_t inputs = e->inputs;
    una_mark mark = una_arena_mark(&run->scratch);
    double *point = UNA_GET(&run->scratch, double, inputs), *mu = UNA_GET(&run->scratch, double, e->members);
    double *dmu = UNA_GET(&run->scratch, double, e->members * inputs);
    double *dv = UNA_GET(&run->scratch, double, e->members * inputs);
    una_status status = una_arena_check(&run->scratch);
    double mean = 0, n = (double)e->members;
    if (status == UNA_OK) memcpy(point, x, inputs * sizeof *point);
    for (size_t m = 0; status == UNA_OK && m < e->members; m++) {
        status = member_slope(e, m, point, &mu[m], dmu + m * inputs, dv + m * inputs, run);
        mean += mu[m] / n;
    }
    for (size_t d = 0; status == UNA_OK && d < inputs; d++) {
        dmean[d] = dvar[d] = 0;
        for (size_t m = 0; m < e->members; m++) {
            dmean[d] += dmu[m * inputs + d] / n;
            dvar[d] += (dv[m * inputs + d] + 2 * (mu[m] - mean) * dmu[m * inputs + d]) / n;
        }
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status exchange_kind(una_ensemble_state *e, una_archive *ar)
{
    const char *name = ar->loading ? NULL : e->kind->name;
    UNA_TRY(una_archive_text(ar, "of", &name));
    if (!ar->loading) return UNA_OK;
    e->kind = name ? una_kind_find(name) : NULL;
    if (!e->kind) return una_archive_refuse(ar, "of", "names a model that this una does not have");
    if (e->kind == &una_ensemble) return una_archive_refuse(ar, "of", "is an ensemble in an ensemble");
    return UNA_OK;
}

static una_status ensemble_exchange(void *state, una_archive *ar)
{
    una_ensemble_state *e = state;
    uint64_t members = e->members;
    UNA_TRY(exchange_kind(e, ar));
    UNA_TRY(una_archive_u64(ar, "members", &members, 1, UNA_MOST_MEMBERS));
    UNA_TRY(una_archive_f64(ar, "ensemble.noise_var", &e->noise_var));
    if (!(e->noise_var > 0)) return una_archive_refuse(ar, "ensemble.noise_var", "is not positive");
    if (ar->loading) {
        e->members = (size_t)members;
        e->inputs = ar->inputs;
        e->member = UNA_GET(ar->arena, void *, e->members);
        UNA_TRY(una_arena_check(ar->arena));
    }
    for (size_t m = 0; m < e->members; m++) {
        if (ar->loading) e->member[m] = una_arena_get(ar->arena, 1, e->kind->state_size);
        UNA_TRY(una_arena_check(ar->arena));
        UNA_TRY(e->kind->exchange(e->member[m], ar));
    }
    return UNA_OK;
}

static una_status observe_all(una_ensemble_state *e, const una_problem *more, una_fit_result *result, una_arena *keep,
                              una_run *run)
{
    double evidence = 0;
    for (size_t m = 0; m < e->members; m++) {
        una_fit_result own = { .log_evidence = NAN };
        UNA_TRY(e->kind->observe(e->member[m], more, &own, keep, run));
        evidence += own.log_evidence / (double)e->members;
    }
    result->log_evidence = evidence;
    return UNA_OK;
}

static bool same_mark(una_mark a, una_mark b)
{
    return a.block == b.block && a.used == b.used;
}

/* All members or none: copies are made first and take the members' places if one of them fails. */
static una_status ensemble_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                                   una_run *run)
{
    una_ensemble_state *e = state;
    if (!e->kind->observe)
        UNA_FAIL(run, UNA_E_USAGE, "an ensemble of %s has no exact update: fit it again on all rows "
                 "(una update --with OLD.csv does that)", e->kind->name);
    una_mark before = una_arena_mark(keep);
    void **copy = UNA_GET(keep, void *, e->members);
    una_status status = una_arena_check(keep);
    for (size_t m = 0; status == UNA_OK && m < e->members; m++)
        status = una_ensemble_copy(&copy[m], e->kind, e->member[m], e->inputs, keep, run);
    if (status != UNA_OK) {
        una_arena_release(keep, before);
        return status;
    }
    una_mark copies = una_arena_mark(keep);
    status = observe_all(e, more, result, keep, run);
    if (status != UNA_OK) {
        una_arena_release(keep, copies);
        e->member = copy;
    } else if (same_mark(una_arena_mark(keep), copies)) una_arena_release(keep, before);
    return status;
}

const una_kind una_ensemble = {
    .name = "ensemble",
    .summary = "several models of one kind, trained apart: plain, bootstrap or anchored",
    .source = "Lakshminarayanan et al. 2017; Breiman 1996; Pearce, Leibfried and Brintrup 2020",
    .options = ensemble_table,
    .options_size = sizeof(una_ensemble_options),
    .state_size = sizeof(una_ensemble_state),
    .thesis = "style=plain, members=20, of=nn(width=50, depth=2, activation=relu, rate=0.001, rate_schedule=constant, "
              "epochs=20000, batch=32, penalty=0.1, train_noise_std=1, units=standardised), units=standardised",
    .least_rows = 10,
    .learns_features = true,
    .inner = "of",
    .fit = una_ensemble_fit,
    .predict = ensemble_predict,
    .exchange = ensemble_exchange,
    .mixture = ensemble_mixture,
    .observe = ensemble_observe,
    .draw = ensemble_draw,
    .parts = ensemble_parts,
    .slope = ensemble_slope,
};
