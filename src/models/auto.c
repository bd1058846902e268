/* SPDX-License-Identifier: MIT
 *
 * A stack of a few kinds that can all update exactly, weighted by their out-of-fold likelihood (stacking):
 *   p(y | x) = sum_k w_k p_k(y | x),   w = argmax sum_i log sum_k w_k p_k(y_i | x_i, rows without i's fold)
 * and a share of the same of rows in regions that were left out whole: what a kind says where there are no rows counts
 * too. Kinds of small weight are left out; where every input is a word, nlm replaces luna.
 * Source: Yao, Vehtari, Simpson and Gelman 2018.
 */
#include "committee/adapt.h"
#include "committee/committee.h"
#include "la/la.h"
#include "committee/oof.h"
#include "committee/regions.h"
#include "gp/gp.h"
#include "model/beyond.h"

typedef struct auto_options {
    const char *luna, *gp, *trees, *weights;
    double gp_rows, least_weight, spread, growth_below, growth_above;
    int    effort;
} auto_options;

#define AUTO_GROWTH(field) \
    { #field, UNA_REAL, offsetof(auto_options, field), "auto", 0, 1e9, true, NULL, UNA_GROWTH_HELP }
static const una_option auto_table[] = {
    { "luna", UNA_TEXT, offsetof(auto_options, luna), "auto", 0, 0, false, NULL,
      "the network of the stack, with its options; auto = luna, as the effort says; none = without" },
    { "gp", UNA_TEXT, offsetof(auto_options, gp), "auto", 0, 0, false, NULL,
      "the Gaussian process of the stack, with its options; auto = gp(kernel=matern52, search_rows=800), more or fewer "
      "rows with another effort; none = without" },
    { "trees", UNA_TEXT, offsetof(auto_options, trees), "auto", 0, 0, false, NULL,
      "the boosted trees of the stack, with their options; auto = trees, as the effort says; none = without" },
    { "weights", UNA_TEXT, offsetof(auto_options, weights), "auto", 0, 0, false, NULL,
      "of luna, gp and trees, as far as they are in the stack, e.g. [0.5, 0.3, 0.2]; auto = by out-of-fold rows and "
      "left-out regions; auto[0.5, 0.3, 0.2] = found so: kept, but by una update --with" },
    { "gp_rows", UNA_COUNT, offsetof(auto_options, gp_rows), "1000000", 0, 1e9, false, NULL,
      "the Gaussian process is used up to this number of rows; beyond 2000 it answers by the nearest ones" },
    { "least_weight", UNA_REAL, offsetof(auto_options, least_weight), "0.04", 0, 0.5, false, NULL,
      "a kind with a smaller weight is left out" },
    { "spread", UNA_REAL, offsetof(auto_options, spread), "auto", 0.01, 100, true, NULL,
      "factor on the ignorance of the stack; auto = by how far its kinds disagree about rows out of fold" },
    UNA_GROWTH_ROWS(AUTO_GROWTH),
    { "effort", UNA_WORD, offsetof(auto_options, effort), "normal", 0, 0, false, "normal|fast|best",
      "how much time the kinds take that are left to auto: fast less than half, best about five times as much" },
    { .name = NULL }
};

enum { KINDS = 3 };
static const double REGION_SHARE = 0.1;  /* of the rows: so much do rows of left-out regions count in all   */

static const char *const by_effort[][KINDS] = {
    { "luna", "gp(kernel=matern52, search_rows=800)", "trees" },
    { "luna(members=5, steps=2000)", "gp(kernel=matern52, search_rows=300)", "trees(members=5)" },
    { "luna(members=20, steps=15000)", "gp(kernel=matern52, search_rows=2000)", "trees(members=40, rate=0.05)" },
};
static const char *const for_words[] = { "nlm", "nlm(members=5, steps=2000)", "nlm(members=20, steps=15000)" };

typedef struct stacked_kind {            /* a kind of the stack                                             */
    const una_kind *kind;
    const char    **spec;                /* its spec among the options                                      */
    void           *options, *state;
    una_fit_result  result;
    una_oof_predictions      oof;
    una_region_predictions   regions;    /* the same regions in all                                         */
    double          weight;
} stacked_kind;

static bool stacks(const una_kind *kind)
{
    return kind->observe && kind->committee;
}

static una_status read_spec(stacked_kind *h, una_arena *keep, una_run *run)
{
    una_spec spec;
    UNA_TRY(una_spec_parse(&spec, *h->spec, keep, run));
    UNA_TRY(una_kind_need(&h->kind, spec.name, run));
    if (!stacks(h->kind))
        UNA_FAIL(run, UNA_E_USAGE, "auto: %s cannot be in a stack, whose kinds update exactly and give out-of-fold "
                 "predictions; these can: %s", h->kind->name, una_kinds_that(stacks, run));
    UNA_NEW_BYTES_AT(keep, h->options, h->kind->options_size);
    UNA_TRY(una_options_default(h->options, h->kind->options, run));
    return una_options_apply(h->options, h->kind->options, h->kind->name, &spec, keep, run);
}

/* luna's heads differ by their slopes along numbers. */
static bool has_numeric_inputs(const una_columns *columns)
{
    for (size_t d = 0; d < columns->input_count; d++)
        if (columns->inputs[d].level == SIZE_MAX) return true;
    return una_columns_image(columns).height > 0;
}

static const double FIRST_SHARE = 0.9;   /* of the progress, for the network where there are others         */
enum { GP_COLUMNS = 40000 };             /* a file could not hold more lengths than that (una_kernel_text_fits) */

/* Without enough memory there is no process; a note says why. */
static bool has_room(const una_kind *kind, size_t rows, una_notes *notes, una_run *run)
{
    if (kind->check_rows(rows, run) == UNA_OK) return true;
    una_notes_add(notes, "The stack has no %s. %s.", kind->name, una_run_message(run));
    una_clear_message(run);
    return false;
}

/* The kinds that are asked for and not too slow for so many rows; returns how many. */
static una_status take_stack(stacked_kind *stack, size_t *count, auto_options *o, const una_problem *p,
                             una_notes *notes, una_arena *keep, una_run *run)
{
    const char **spec[KINDS] = { &o->luna, &o->gp, &o->trees };
    double rows = (double)(p->x.rows + p->valid_x.rows);
    *count = 0;
    bool usual = strcmp(o->luna, "auto") == 0 || strcmp(o->luna, "luna") == 0;
    if (usual && !has_numeric_inputs(p->columns)) o->luna = for_words[o->effort];
    for (size_t k = 0; k < KINDS; k++) {
        if (strcmp(*spec[k], "auto") == 0) *spec[k] = by_effort[o->effort][k];
        if (strcmp(*spec[k], "none") == 0) continue;
        stacked_kind *h = &stack[*count];
        *h = (stacked_kind){ .spec = spec[k] };
        UNA_TRY(read_spec(h, keep, run));
        bool many = rows > o->gp_rows || p->x.cols > GP_COLUMNS, unable = rows < (double)h->kind->least_rows;
        if (h->kind->check_rows) unable = unable || many || !has_room(h->kind, (size_t)rows, notes, run);
        if (unable) *h->spec = "none";
        else ++*count;
    }
    if (*count == 0) UNA_FAIL(run, UNA_E_USAGE, "auto: nothing is left of the stack; give luna, gp or trees");
    return UNA_OK;
}

/* Arrays for a kind's out-of-fold predictions. */
static una_status ask_oof(una_oof_predictions *oof, size_t rows, una_run *run)
{
    for (size_t i = 0; i < rows; i++) oof->log_lik[i] = NAN;
    return una_oof_predictions_new(oof, rows, &run->scratch);
}

static una_status fit_stacked(stacked_kind *h, const una_fitting *f, double *log_lik,
                              una_region_predictions *regions)
{
    const una_kind *calls = una_calls(h->kind);
    UNA_NEW_BYTES_AT(f->keep, h->state, calls->state_size);
    h->oof = (una_oof_predictions){ .log_lik = log_lik };
    UNA_TRY(ask_oof(&h->oof, una_oof_x(f->problem).rows, f->run));
    h->result = una_fit_result_in(f->keep);
    h->result.oof = &h->oof;
    if (regions) h->regions = (una_region_predictions){ .at = regions->at }, h->result.regions = &h->regions;
    una_fit_target target = { h->state, h->options, &h->result };
    una_fitting own = { .kind = h->kind, .problem = f->problem, .target = &target, .keep = f->keep, .run = f->run };
    UNA_TRY(calls->fit(&own));
    if (regions) *regions = h->regions;
    return UNA_OK;
}

/* Moves rows that all kinds predict to the front; returns how many. */
static size_t pack_complete_rows(double *log_lik, size_t stack, size_t rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++) {
        bool all = true;
        for (size_t k = 0; k < stack; k++) all = all && isfinite(log_lik[k * rows + i]);
        for (size_t k = 0; all && k < stack; k++) log_lik[k * rows + count] = log_lik[k * rows + i];
        count += all;
    }
    for (size_t k = 1; k < stack; k++) memmove(log_lik + k * count, log_lik + k * rows, count * sizeof *log_lik);
    return count;
}

/* Rows of left-out regions that all kinds predict, [count, *rows]; none where a kind predicts no regions. */
static una_status take_region_rows(double **log_lik, size_t *rows, const stacked_kind *stack, size_t count,
                                   const una_fitting *f)
{
    size_t all = stack[0].regions.at.count * f->problem->x.rows;
    *rows = 0;
    for (size_t k = 0; k < count; k++)
        if (!stack[k].regions.log_lik) return UNA_OK;
    UNA_NEW_ROWS_AT(&f->run->scratch, *log_lik, count * all);
    for (size_t k = 0; k < count; k++) memcpy(*log_lik + k * all, stack[k].regions.log_lik, all * sizeof **log_lik);
    *rows = pack_complete_rows(*log_lik, count, all);
    return UNA_OK;
}

/* Rows out of fold, oof_log_lik [count, rows], and after them those of left-out regions, which count REGION_SHARE of
 * these in all: rows of a region lie together, and say less than as many rows by themselves. */
static una_status rows_that_weigh(una_stack_rows *of, const stacked_kind *stack, size_t count,
                                  const double *oof_log_lik, size_t rows, const una_fitting *f)
{
    size_t region_rows;
    double *inside = NULL;
    UNA_TRY(take_region_rows(&inside, &region_rows, stack, count, f));
    size_t all = rows + region_rows;
    UNA_NEW_ROWS(&f->run->scratch, double, log_lik, count * all);
    UNA_NEW_ROWS(&f->run->scratch, double, times, all);
    for (size_t k = 0; k < count; k++) {
        memcpy(log_lik + k * all, oof_log_lik + k * rows, rows * sizeof *log_lik);
        if (region_rows) memcpy(log_lik + k * all + rows, inside + k * region_rows, region_rows * sizeof *log_lik);
    }
    for (size_t i = 0; i < all; i++) times[i] = i < rows ? 1 : REGION_SHARE * (double)rows / (double)region_rows;
    *of = (una_stack_rows){ log_lik, times, all };
    return UNA_OK;
}

/* As if so many more rows favoured equal weights: more where there are more inputs, whose rows say less of how the kinds
 * do between them. */
static double equal_rows(size_t inputs)
{
    return fmin(1 + 1.5 * (double)inputs, 20);
}

/* Weights by oof_log_lik [count, rows] of rows that all kinds predict, and by regions that were left out whole. */
static una_status weigh_stack(stacked_kind *stack, size_t count, const double *oof_log_lik, size_t rows,
                              const una_fitting *f)
{
    double sum = 0, least = ((const auto_options *)f->target->options)->least_weight;
    una_stack_rows of;
    UNA_NEW(&f->run->scratch, double, weight, count);
    UNA_TRY(rows_that_weigh(&of, stack, count, oof_log_lik, rows, f));
    una_stack(weight, count, &of, equal_rows(f->problem->x.cols));
    for (size_t k = 0; k < count; k++) {
        stack[k].weight = weight[k] >= least ? weight[k] : 0;
        sum += stack[k].weight;
    }
    for (size_t k = 0; k < count; k++) stack[k].weight /= sum;
    return UNA_OK;
}

/* How fast ignorance grows beyond the rows, by what the stack says of those at the ends. */
static una_status learn_growth(double growth[2], const stacked_kind *stack, size_t count, const una_fitting *f)
{
    size_t rows = f->problem->x.rows;
    const una_regions *regions = &stack[0].regions.at;
    growth[0] = growth[1] = 0;
    for (size_t k = 0; k < count; k++)
        if (stack[k].weight > 0 && !stack[k].regions.ends_mean) return UNA_OK;
    UNA_NEW_ROWS(&f->run->scratch, double, mean, 2 * rows);
    double *noise = mean + rows;
    for (size_t k = 0; k < count; k++) {
        const una_region_predictions *own = &stack[k].regions;
        for (size_t i = 0; stack[k].weight > 0 && i < rows; i++) {
            mean[i] += stack[k].weight * own->ends_mean[i];
            noise[i] += stack[k].weight * own->ends_noise[i];
        }
    }
    const una_ends ends = { regions->ends, regions->ends_input, mean, noise };
    una_beyond_rates(&growth[0], &growth[1], &ends, f->problem, f->target->result->relevance);
    return UNA_OK;
}

/* "[0.5, 0.3, 0.2]", one positive number for each kind of the stack; after "auto" where a fit has found them. */
static una_status take_given_weights(stacked_kind *stack, size_t count, const char *text, una_run *run)
{
    const char *list = strncmp(text, "auto", 4) == 0 ? text + 4 : text, *at = list[0] == '[' ? list + 1 : list;
    double sum = 0;
    size_t k = 0;
    for (; k < count; k++) {
        size_t length = strcspn(at, ",]");
        if (!una_parse_number(at, length, &stack[k].weight) || !(stack[k].weight > 0 && stack[k].weight <= 1e9)) break;
        sum += stack[k].weight;
        at += length;
        if (*at != (k + 1 < count ? ',' : ']')) break;
        at++;
    }
    if (list[0] != '[' || k < count || *at)
        UNA_FAIL(run, UNA_E_USAGE, "auto: weights=%.200s: give one number above 0 for each of the %zu kinds of the stack, "
                 "in the order luna, gp, trees, as in weights=[0.5, 0.3, 0.2]; or auto", text, count);
    for (k = 0; k < count; k++) stack[k].weight /= sum;
    return UNA_OK;
}

static double stack_log_lik(const stacked_kind *stack, size_t count, const double *oof_log_lik, size_t rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++) {
        double most = -HUGE_VAL, part = 0;
        for (size_t k = 0; k < count; k++) most = fmax(most, oof_log_lik[k * rows + i]);
        for (size_t k = 0; k < count; k++) part += stack[k].weight * exp(oof_log_lik[k * rows + i] - most);
        sum += most + log(part);
    }
    return sum / (double)rows;
}

/* The stack's mean errs less than its kinds do, by their disagreement A:  (f - mean)^2 = sum w_k (f - mean_k)^2 - A.
 * So where each kind is right about its variance, that of the stack is V - A, V = sum w_k var_k, and not V + A, as the
 * mixture has it. Kinds are rather too sure, so V is taken: the factor that makes up for this over the rows out of
 * fold. */
static double spread_of(const stacked_kind *stack, size_t count, size_t rows)
{
    double all = 0, apart = 0;
    for (size_t i = 0; i < rows; i++) {
        double mean = 0, own = 0, disagreement = 0;
        for (size_t k = 0; k < count; k++)
            if (stack[k].weight > 0) mean += stack[k].weight * stack[k].oof.mean[i];
        for (size_t k = 0; k < count; k++) {
            if (!(stack[k].weight > 0)) continue;
            own += stack[k].weight * stack[k].oof.var_model[i];
            disagreement += stack[k].weight * pow(stack[k].oof.mean[i] - mean, 2);
        }
        if (isnan(own) || isnan(disagreement)) continue;
        all += own + disagreement;
        apart += disagreement;
    }
    return all > apart ? sqrt(1 - apart / all) : 1;
}

static double gaussian_reach(const una_oof_predictions *u, size_t row)
{
    return una_normal_quantile(0.975) * sqrt(u->var_model[row] + u->var_noise[row]);
}

/* Out-of-fold predictions of the stack where all its kinds have them, mixed as by una_members_predict. */
static void mix_oof(una_oof_predictions *out, const stacked_kind *stack, size_t count, size_t rows, double spread)
{
    out->folds = SIZE_MAX;
    for (size_t k = 0; k < count; k++)
        if (stack[k].weight > 0 && stack[k].oof.folds < out->folds) out->folds = stack[k].oof.folds;
    out->rows = 0;
    for (size_t i = 0; i < rows; i++) {
        double mean = 0, var = 0, noise = 0, below = 0, wider = 0;      /* wider: than the band of a Gaussian */
        for (size_t k = 0; k < count; k++)
            if (stack[k].weight > 0) mean += stack[k].weight * stack[k].oof.mean[i];
        if (isnan(mean)) continue;
        for (size_t k = 0; k < count; k++) {
            const una_oof_predictions *own = &stack[k].oof;
            double weight = stack[k].weight, off = own->mean[i] - mean;
            if (!(weight > 0)) continue;
            var += weight * (own->var_model[i] + off * off);
            noise += weight * own->var_noise[i];
            below += weight * own->below[i];
            if (!isnan(own->reach[i])) wider += weight * (own->reach[i] / gaussian_reach(own, i) - 1);
        }
        out->mean[i] = mean;
        out->var_model[i] = spread * spread * var;
        out->var_noise[i] = noise;
        out->below[i] = below;
        if (wider != 0) out->reach[i] = (1 + wider) * gaussian_reach(out, i);
        out->rows++;
    }
}

/* The stack's result: weighted means, and notes on how much each kind contributes. */
static void report_stack(una_fit_result *result, const stacked_kind *stack, size_t count)
{
    double noise = 0, scale = 0, evidence = 0, square = 0;
    for (size_t k = 0; k < count; k++) {
        const stacked_kind *h = &stack[k];
        noise += h->weight * h->result.noise_var;
        scale += h->weight * (isinf(h->result.freedom) ? h->result.noise_var : h->result.scale_var);
        square += h->weight * h->result.valid_rmse * h->result.valid_rmse;
        result->steps += h->result.steps;
        if (h->weight == 0) continue;
        evidence += h->weight * h->result.log_evidence;
        if (h->result.relevance) result->relevance = h->result.relevance;
        if (isfinite(h->result.mean_cos2)) result->mean_cos2 = h->result.mean_cos2;
        if (h->result.curve.count) result->curve = h->result.curve;
        for (size_t i = 0; i < h->result.warnings.count; i++)
            una_notes_add(&result->warnings, "%s: %s", h->kind->name, h->result.warnings.text[i]);
        for (size_t i = 0; i < h->result.notes.count; i++)
            una_notes_add(&result->notes, "%s: %s", h->kind->name, h->result.notes.text[i]);
    }
    for (size_t k = 0; k < count; k++)
        una_notes_add(&result->notes, "%s carries %.0f %% of the answer (held-out log-likelihood of the standardised "
                      "target %.3f).", stack[k].kind->name, 100 * stack[k].weight, stack[k].result.valid_log_lik);
    result->noise_var = noise;
    result->scale_var = scale;
    result->freedom = una_freedom_of_square_scale(scale / noise);
    result->log_evidence = evidence;
    result->valid_rmse = sqrt(square);                   /* an upper bound of the stack's, whose mean is theirs */
}

/* The fitted kinds that weigh anything; the options get their specs. */
static una_status keep_stack(una_members *m, stacked_kind *stack, size_t count, const una_fitting *f)
{
    size_t kept = 0;
    auto_options *o = f->target->options;
    una_text weights = una_text_in(f->keep);
    if (strncmp(o->weights, "auto", 4) == 0) una_text_add(&weights, "auto");
    *m = (una_members){ .inputs = f->problem->x.cols };
    UNA_NEW_AT(f->keep, m->at, count);
    for (size_t k = 0; k < count; k++) {
        stacked_kind *h = &stack[k];
        una_text spec = una_text_in(f->keep);
        *h->spec = "none";
        if (!(h->weight > 0)) continue;
        una_options_text(&spec, h->options, h->kind->options, h->kind->name);
        *h->spec = spec.at;
        una_text_add(&weights, kept ? ", " : "[");
        una_text_number(&weights, h->weight);
        m->at[kept++] = (una_member){ .kind = h->kind, .calls = una_calls(h->kind), .state = h->state,
                                      .weight = h->weight };
    }
    m->count = kept;
    una_text_add(&weights, "]");
    o->weights = weights.at;
    return una_arena_check(f->keep);
}

static bool grows_by_itself(const auto_options *o)
{
    return UNA_IS_AUTO(o->growth_below) || UNA_IS_AUTO(o->growth_above);
}

/* As given, or as the rows at the ends show it. */
static una_status settle_beyond(const stacked_kind *stack, size_t count, const una_fitting *f)
{
    double growth[2];
    auto_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    if (grows_by_itself(o)) UNA_TRY(learn_growth(growth, stack, count, f));
    if (UNA_IS_AUTO(o->growth_below)) o->growth_below = growth[0];
    if (UNA_IS_AUTO(o->growth_above)) o->growth_above = growth[1];
    result->beyond = (una_beyond){ .below = o->growth_below, .above = o->growth_above };
    UNA_TRY(una_regions_input_of_ends(&result->beyond.input, f->problem, result->relevance, f->run));
    return una_beyond_set(&result->beyond, f->problem, result->relevance, f->keep);
}

static una_status auto_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    auto_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    una_run *run = f->run;
    stacked_kind stack[KINDS];
    size_t count, rows = una_oof_x(p).rows, complete_rows;
    UNA_TRY(take_stack(stack, &count, o, p, &result->notes, f->keep, run));
    UNA_NEW_ROWS(&run->scratch, double, log_lik, count * rows);
    una_region_predictions regions = {0};
    bool asks = count > 1 && (strcmp(o->weights, "auto") == 0 || grows_by_itself(o));    /* of regions, if all can */
    for (size_t k = 0; k < count; k++) {
        double from = k == 0 ? 0 : FIRST_SHARE + (1 - FIRST_SHARE) * (double)(k - 1) / (double)(count - 1);
        double to = count == 1 ? 1 : FIRST_SHARE + (1 - FIRST_SHARE) * (double)k / (double)(count - 1);
        UNA_STAGE(run, from, to, fit_stacked(&stack[k], f, log_lik + k * rows, asks ? &regions : NULL));
        asks = asks && stack[k].regions.log_lik;
    }
    complete_rows = pack_complete_rows(log_lik, count, rows);
    UNA_TRY(weigh_stack(stack, count, log_lik, complete_rows, f));
    if (strcmp(o->weights, "auto") != 0) UNA_TRY(take_given_weights(stack, count, o->weights, run));
    if (UNA_IS_AUTO(o->spread)) o->spread = spread_of(stack, count, rows);
    result->spread = o->spread;
    if (una_oof_wanted(result)) mix_oof(result->oof, stack, count, rows, o->spread);
    report_stack(result, stack, count);
    UNA_TRY(settle_beyond(stack, count, f));
    result->valid_rows = complete_rows;
    result->valid_log_lik = stack_log_lik(stack, count, log_lik, complete_rows);
    return keep_stack(f->target->state, stack, count, f);
}

const una_kind una_kind_auto = {
    .name = "auto",
    .summary = "a stack of luna, boosted trees and gp, weighted by their out-of-fold predictions",
    .source = "Yao, Vehtari, Simpson and Gelman, Using stacking to average Bayesian predictive distributions, 2018",
    .options = auto_table,
    .options_size = sizeof(auto_options),
    .thesis = "",
    .results = 3,
    .least_rows = 5,
    .validation = &una_validates_folds,
    .spec_options = "luna|gp|trees",
    .fit = auto_fit,
    .exchange = una_members_exchange,
    .holds = una_members_holds,
    .adapt = una_stack_adapt,
    UNA_MEMBERS_CALLS,
};
