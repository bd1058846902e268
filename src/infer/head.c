/* SPDX-License-Identifier: MIT
 *
 * The Bayesian linear head: posterior, evidence, predictions and draws from sufficient statistics.
 *
 *   y = Phi w + e,  w ~ N(0, alpha I),  e ~ N(0, s2 I),  V = (I/alpha + Phi'Phi/s2)^-1,  m = V Phi'y/s2
 *   log p(y) = -n/2 log(2 pi s2) - |y - Phi m|^2/(2 s2) - K/2 log alpha - |m|^2/(2 alpha) + 1/2 log|V|
 *
 * The sign of 1/2 log|V| is plus: only then is this the density N(y; 0, s2 I + alpha Phi Phi'). The system that is
 * factored is B = I + (alpha/s2) Phi'Phi, whose eigenvalues are at least 1: dead or equal features do no harm.
 * Then V = alpha B^-1 and -K/2 log alpha + 1/2 log|V| = -1/2 log|B|.
 */
#include "infer/head.h"

#include <stdatomic.h>

enum { BLOCK = 64, PANEL = 32, MOST_FEATURES = 1 << 20 };

/* Memory for products, factor, its inverse, and the eigenvectors by which variances are chosen. */
una_status una_head_memory(const char *kind, size_t features, una_run *run)
{
    const double matrices = 4;
    const una_run *root = una_run_root(run);
    double k = (double)features, need = matrices * 8 * k * k + (double)atomic_load(&root->used);
    if (need <= (double)root->settings.memory_limit) return UNA_OK;
    UNA_FAIL(run, UNA_E_MEMORY, "%s: the products of %zu features by pairs need %.3g MB of memory, and only %.3g MB are "
             "allowed; use fewer columns (--only, --drop), another model (nn, ensemble), or raise the limit", kind,
             features, need / 1e6, (double)root->settings.memory_limit / 1e6);
}

/* Room for what solve finds, no sums. */
static una_status alloc_head(una_head *head, size_t features, una_arena *arena)
{
    head->chol = una_arena_get(arena, features, features * sizeof(double));
    head->mean = UNA_GET(arena, double, features);
    head->whiten = una_arena_get(arena, features, UNA_PADDED(features + 1) * sizeof(double));
    return una_arena_check(arena);
}

una_status una_head_init(una_head *head, size_t features, una_arena *arena)
{
    *head = (una_head){0};
    una_stats_init(&head->stats, features, arena);
    return alloc_head(head, features, arena);
}

/* |y - Phi m|^2. At the posterior mean an error in m enters |y - Phi m|^2/s2 + |m|^2/alpha squared only. */
static double residual_square(const una_stats *stats, const double *m)
{
    size_t k = stats->features;
    double sum = stats->square;
    for (size_t i = 0; i < k; i++) sum += m[i] * (una_dot(stats->gram + i * k, m, k) - 2 * stats->moment[i]);
    return sum > 0 ? sum : 0;
}

static bool is_positive(double value)
{
    return value > 0 && isfinite(value);
}

static una_status check_variances(const una_head *head, una_run *run)
{
    double noise = head->noise_var, prior = head->prior_var, ratio = prior / noise;
    if (!is_positive(noise))
        UNA_FAIL(run, UNA_E_NUMERIC, "the noise variance is %g; it must be positive, finite", noise);
    if (!is_positive(prior))
        UNA_FAIL(run, UNA_E_NUMERIC, "the prior variance is %g; it must be positive, finite", prior);
    if (!is_positive(ratio))
        UNA_FAIL(run, UNA_E_NUMERIC, "the noise variance %g and the prior variance %g are too far apart", noise, prior);
    return UNA_OK;
}

/* L^-1 and m side by side, so that variances and means of many rows are one product. Column p of L^-1 solves L x = e_p:
 * an explicit inverse of a triangle is as accurate as solving (Higham 2002, 14.2). */
static una_status fill_whiten(una_head *head, una_run *run)
{
    size_t k = head->stats.features, wide = UNA_PADDED(k + 1);
    for (size_t p = 0; p < k; p++) {
        UNA_TRY(una_check_cancelled(run, "solving for weights"));
        double *x = head->whiten + p * wide;
        for (size_t j = p; j < k; j++) {
            const double *row = head->chol + j * k;
            x[j] = ((j == p ? 1 : 0) - una_dot(row + p, x + p, j - p)) / row[j];
        }
        x[k] = head->mean[p];
    }
    return UNA_OK;
}

una_status una_head_solve(una_head *head, una_run *run)
{
    const una_stats *stats = &head->stats;
    size_t k = stats->features;
    double *l = head->chol, *m = head->mean, s2 = head->noise_var, alpha = head->prior_var;
    UNA_TRY(una_stats_check(stats, run));
    UNA_TRY(check_variances(head, run));

    for (size_t i = 0; i < k * k; i++) l[i] = alpha / s2 * stats->gram[i];
    for (size_t i = 0; i < k; i++) l[i * k + i] += 1;
    UNA_TRY(una_chol(l, k, "the precision of the linear head (raise the noise or lower the prior variance)", run));
    for (size_t i = 0; i < k; i++) m[i] = alpha / s2 * stats->moment[i];
    una_chol_solve(l, k, m, 1);

    head->log_evidence = -0.5 * (stats->rows * (UNA_LOG_TWO_PI + log(s2)) + residual_square(stats, m) / s2
                                 + una_dot(m, m, k) / alpha + una_chol_logdet(l, k) - stats->log_count);
    for (size_t i = 0; i < k * k; i++) l[i] /= sqrt(alpha);
    UNA_TRY(fill_whiten(head, run));

    if (!isfinite(head->log_evidence))
        UNA_FAIL(run, UNA_E_NUMERIC, "the evidence of the linear head is not finite; scale the data");
    return UNA_OK;
}

/* white [rows, wide] = phi [L^-T, m]: squares of the first K columns sum to the variance, column K is the mean. L^-T is
 * zero below its diagonal, so a panel of columns needs no more rows of it than its last column has. Without variances
 * only the last columns are made. Every number is a sum in the same order whatever the block: the same bits. */
static void whiten_block(const una_head *head, const double *phi, size_t rows, bool with_var, double *white,
                         const una_kernels_f64 *kern)
{
    size_t k = head->stats.features, wide = UNA_PADDED(k + 1);
    for (size_t from = with_var ? 0 : wide - UNA_PAD; from < wide; from += PANEL) {
        size_t count = wide - from < PANEL ? wide - from : PANEL, terms = from + count < k ? from + count : k;
        kern->product(rows, count, terms, UNA_ROWS(phi, k), UNA_ROWS(head->whiten + from, wide),
                      UNA_INTO(white + from, wide));
    }
}

static una_status refuse_row(size_t row, una_run *run)
{
    char place[UNA_ROW_NAME_ROOM];
    UNA_FAIL(run, UNA_E_NUMERIC, "the prediction of %s is not finite: the features are not finite or too large",
             una_row_name(place, row, run));
}

/* u (NULL: not asked for, or of one row) = V phi = L^-T (L^-1 phi): what the variance is made of, once more from the
 * left. */
static una_status predict_rows(const una_head *head, const double *phi, size_t rows, double *mean, double *var, double *u,
                               una_run *run)
{
    size_t k = head->stats.features, wide = UNA_PADDED(k + 1), most = rows < BLOCK ? rows : BLOCK;
    const una_kernels_f64 *kern = una_kernels_named_f64(run->settings.kernels);
    double *white = una_arena_get(&run->scratch, wide, most * sizeof *white);
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t from = 0; from < rows; from += BLOCK) {
        size_t count = rows - from < BLOCK ? rows - from : BLOCK;
        UNA_TRY(una_check_cancelled(run, "predicting"));
        whiten_block(head, phi + from * k, count, var != NULL, white, kern);
        for (size_t r = 0; r < count; r++) {
            const double *row = white + r * wide;
            double row_var = var ? una_dot(row, row, k) : 0;
            if (!isfinite(row[k]) || !isfinite(row_var)) return refuse_row(from + r, run);
            if (mean) mean[from + r] = row[k];
            if (var) var[from + r] = head->sure ? 0 : row_var;
        }
    }
    for (size_t i = 0; u && i < k; i++)
        u[i] = head->sure ? 0 : una_dot(head->whiten + i * wide + i, white + i, k - i);
    return UNA_OK;
}

una_status una_head_predict(const una_head *head, const double *phi, size_t rows, double *mean, double *var_model,
                            una_run *run)
{
    UNA_TRY(una_kernels_need(run));
    UNA_SCOPED(run, predict_rows(head, phi, rows, mean, var_model, NULL, run));
    return UNA_OK;
}

una_status una_head_at(const una_head *head, const double *phi, double *mean, double *var, double *u, una_run *run)
{
    UNA_TRY(una_kernels_need(run));
    UNA_SCOPED(run, predict_rows(head, phi, 1, mean, var, u, run));
    return UNA_OK;
}

una_status una_head_sample(una_head *function, const una_head *head, una_rng *rng, una_arena *keep, una_run *run)
{
    size_t k = head->stats.features, wide = UNA_PADDED(k + 1);
    *function = *head;
    function->sure = true;
    UNA_NEW_AT(keep, function->mean, k);
    UNA_NEW_AT(keep, function->whiten, k * wide);

    memcpy(function->whiten, head->whiten, k * wide * sizeof(double));
    UNA_TRY(una_head_draw(head, 1, false, rng, function->mean, run));
    una_head_set_mean(function, function->mean);
    return UNA_OK;
}

/* w = m + L^-T z has covariance (L L')^-1 = V. */
una_status una_head_draw(const una_head *head, size_t draws, bool prior, una_rng *rng, double *w, una_run *run)
{
    size_t k = head->stats.features;
    for (size_t draw = 0; draw < draws; draw++, w += k) {
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
        for (size_t i = 0; i < k; i++) w[i] = head->sure && !prior ? 0 : una_rng_normal(rng);
        if (!prior) una_chol_upper_solve(head->chol, k, w, 1);
        for (size_t i = 0; i < k; i++) w[i] = prior ? sqrt(head->prior_var) * w[i] : head->mean[i] + w[i];
    }
    return UNA_OK;
}

una_status una_head_score(const una_head *head, una_held_rows *held, una_run *run)
{
    if (held->rows == 0) UNA_FAIL(run, UNA_E_INPUT, "there are no rows to score");
    double mean[BLOCK], var[BLOCK], sum = 0, square = 0, n = (double)held->rows;

    for (size_t from = 0; from < held->rows; from += BLOCK) {
        size_t count = held->rows - from < BLOCK ? held->rows - from : BLOCK;
        UNA_TRY(una_head_predict(head, held->phi + from * head->stats.features, count, mean, var, run));
        for (size_t r = 0; r < count; r++) {
            double error = held->y[from + r] - mean[r], whole = var[r] + head->noise_var;
            sum -= 0.5 * (UNA_LOG_TWO_PI + log(whole) + error * error / whole);
            square += error * error;
        }
    }

    if (!isfinite(sum) || !isfinite(square)) UNA_FAIL(run, UNA_E_NUMERIC, "the targets to score are not finite");
    held->log_lik = sum / n;
    held->rmse = sqrt(square / n);
    return UNA_OK;
}

/* What any sums of products satisfy; rounding is allowed for. NULL if nothing is wrong, else why. */
static const char *gram_fault(const una_stats *s)
{
    size_t k = s->features;
    for (size_t i = 0; i < k; i++) {
        double own = s->gram[i * k + i];
        if (!(own >= 0)) return "has a negative diagonal";
        for (size_t j = 0; j < i; j++) {
            double entry = s->gram[i * k + j], most = sqrt(own) * sqrt(s->gram[j * k + j]);
            if (entry != s->gram[j * k + i]) return "is not symmetric";
            if (fabs(entry) > (1 + 1e-9) * most) return "is not a sum of squares";
        }
    }
    return NULL;
}

static una_status check_loaded_head(const una_head *head, una_archive *ar)
{
    const una_stats *s = &head->stats;
    if (!(s->rows >= 0) || s->rows != floor(s->rows)) return una_archive_refuse(ar, "head.rows", "is not a row count");
    if (!(s->square >= 0)) return una_archive_refuse(ar, "head.square", "is negative");
    if (!is_positive(head->noise_var)) return una_archive_refuse(ar, "head.noise_var", "is not positive");
    if (!is_positive(head->prior_var)) return una_archive_refuse(ar, "head.prior_var", "is not positive");

    const char *fault = gram_fault(s);
    if (fault) return una_archive_refuse(ar, "head.gram", fault);

    for (size_t i = 0; i < s->features; i++) {
        double most = sqrt(s->gram[i * s->features + i]) * sqrt(s->square);
        if (fabs(s->moment[i]) <= (1 + 1e-9) * most) continue;
        return una_archive_refuse(ar, "head.moment", "does not fit the other sums");
    }
    return UNA_OK;
}

una_status una_head_exchange(una_head *head, una_archive *ar)
{
    una_stats *stats = &head->stats;
    uint64_t features = ar->loading ? 0 : stats->features;
    UNA_TRY(una_archive_u64(ar, "head.features", &features, 1, MOST_FEATURES));
    size_t k = (size_t)features;

    UNA_TRY(una_archive_f64s(ar, "head.gram", &stats->gram, k * k));
    UNA_TRY(una_archive_f64s(ar, "head.moment", &stats->moment, k));
    UNA_TRY(una_archive_f64(ar, "head.square", &stats->square));
    UNA_TRY(una_archive_f64(ar, "head.rows", &stats->rows));
    UNA_TRY(una_archive_f64(ar, "head.noise_var", &head->noise_var));
    UNA_TRY(una_archive_f64(ar, "head.prior_var", &head->prior_var));
    /* Only where rows count more or less than once: files of before there were such rows do without it. */
    if (ar->loading ? una_archive_next_is(ar, "head.log_count") : stats->log_count != 0)
        UNA_TRY(una_archive_f64(ar, "head.log_count", &stats->log_count));

    double *drawn = ar->loading ? NULL : head->mean;     /* only of a function that was drawn */
    head->sure = ar->loading ? una_archive_next_is(ar, "head.drawn") : head->sure;
    if (head->sure) UNA_TRY(una_archive_f64s(ar, "head.drawn", &drawn, k));

    if (!ar->loading) return UNA_OK;
    stats->features = k;
    UNA_TRY(check_loaded_head(head, ar));
    UNA_TRY(alloc_head(head, k, ar->arena));
    una_status status = una_head_solve(head, ar->run);
    if (status == UNA_E_NUMERIC) return una_archive_refuse(ar, "head.gram", "gives no posterior");
    if (status != UNA_OK) return ar->status = status;
    if (head->sure) una_head_set_mean(head, drawn);
    return UNA_OK;
}

void una_head_set_mean(una_head *head, const double *mean)
{
    size_t k = head->stats.features, wide = UNA_PADDED(k + 1);
    for (size_t i = 0; i < k; i++) head->mean[i] = head->whiten[i * wide + k] = mean[i];
}

/* ---- the gradient of the evidence with respect to the features ---------------------------------------------- */

/* For training by marginal likelihood:
 *   -log p(y) = N/2 log(2 pi s2) + |y - Phi m|^2/(2 s2) + K/2 log alpha + |m|^2/(2 alpha) - 1/2 log|V|
 * (thesis and Ober & Rasmussen print + 1/2 log|V| here, which is wrong). m maximises the posterior, so only the
 * explicit dependence on Phi counts:  d/dPhi = (Phi V - (y - Phi m) m') / s2. */
void una_head_phi_gradient(const una_head *head, const double *phi, const double *y, size_t rows, double *dphi)
{
    size_t k = head->stats.features;
    for (size_t r = 0; r < rows; r++) {
        const double *row = phi + r * k;
        double *out = dphi + r * k;
        double residual = y[r] - una_dot(row, head->mean, k);
        memcpy(out, row, k * sizeof *out);
        una_chol_solve(head->chol, k, out, 1);
        for (size_t j = 0; j < k; j++) out[j] = (out[j] - residual * head->mean[j]) / head->noise_var;
    }
}

/* ---- more rows --------------------------------------------------------------------------------------------- */

/* An update may fail (sums beyond a double, a precision that cannot be factored): the new posterior is made beside the
 * old one and copied over it at the end. */

/* What solving changes, in the memory that `to` has. */
static void copy_head(una_head *to, const una_head *from)
{
    const una_head place = *to;
    size_t k = from->stats.features;
    *to = *from;
    to->stats.gram = memcpy(place.stats.gram, from->stats.gram, k * k * sizeof(double));
    to->stats.moment = memcpy(place.stats.moment, from->stats.moment, k * sizeof(double));
    to->chol = memcpy(place.chol, from->chol, k * k * sizeof(double));
    to->whiten = memcpy(place.whiten, from->whiten, k * UNA_PADDED(k + 1) * sizeof(double));
    to->mean = memcpy(place.mean, from->mean, k * sizeof(double));
}

/* more NULL: no more rows. */
static una_status solve_with(una_head *head, const una_stats *more, double factor, una_run *run)
{
    una_head next;
    UNA_TRY(una_head_init(&next, head->stats.features, &run->scratch));
    copy_head(&next, head);
    next.noise_var *= factor;
    if (more) una_stats_merge(&next.stats, more);
    UNA_TRY(una_head_solve(&next, run));
    copy_head(head, &next);
    return UNA_OK;
}

static una_status solve_again(una_head *head, const una_stats *more, double factor, una_run *run)
{
    if (head->sure)
        UNA_FAIL(run, UNA_E_USAGE, "this model is one function drawn from a posterior, and rows cannot change it: "
                 "update the model that it was drawn from");
    UNA_SCOPED(run, solve_with(head, more, factor, run));
    return UNA_OK;
}

una_status una_head_observe(una_head *head, const una_stats *more, una_run *run)
{
    return solve_again(head, more, 1, run);
}

una_status una_head_rescale(una_head *head, double factor, una_run *run)
{
    return solve_again(head, NULL, factor, run);
}
