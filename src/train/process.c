/* SPDX-License-Identifier: MIT
 *
 * Gaussian processes as parts of kinds: what the model gp, the priors of tuna and the head of sngp share. See process.h;
 * equations in gp/gp.h.
 */
#include "train/process.h"

#include "gp/near.h"
#include "opt/lbfgs.h"

una_status una_gp_inputs(una_kernel_inputs *inputs, bool own_units, const una_columns *c, una_run *run)
{
    size_t count = c->input_count;
    UNA_NEW(&run->scratch, const char *, name, count);
    UNA_NEW(&run->scratch, double, centre, count);
    UNA_NEW(&run->scratch, double, scale, count);
    for (size_t d = 0; d < count; d++) {
        const una_input *input = una_columns_input(c, d);
        name[d] = una_input_name(c, input, &run->scratch);
        centre[d] = input->centre;
        scale[d] = input->scale;
    }
    *inputs = (una_kernel_inputs){ .name = name, .centre = own_units ? centre : NULL,
                                   .scale = own_units ? scale : NULL, .count = count };
    return una_arena_check(&run->scratch);
}

una_status una_gp_rows_pick(una_gp_rows *to, const una_problem *p, const uint32_t *order, size_t rows, una_run *run)
{
    size_t cols = p->x.cols;
    UNA_NEW(&run->scratch, double, x, rows * cols);
    UNA_NEW(&run->scratch, double, y, rows);
    UNA_NEW(&run->scratch, double, weight, p->weight ? rows : 0);
    for (size_t i = 0; i < rows; i++) {
        memcpy(x + i * cols, p->x.at + order[i] * p->x.stride, cols * sizeof *x);
        y[i] = p->y[order[i]];
        if (p->weight) weight[i] = p->weight[order[i]];
    }
    *to = (una_gp_rows){ { x, rows, cols, cols }, y, p->weight ? weight : NULL };
    return UNA_OK;
}

una_status una_gp_judge(const una_gp *gp, const una_gp_rows *of, double *log_lik, double *rmse, una_run *run)
{
    double square = 0;
    size_t rows = of->x.rows;
    UNA_NEW(&run->scratch, double, mean, rows);
    UNA_NEW(&run->scratch, double, var, rows);
    UNA_TRY(una_gp_predict(gp, of->x, mean, var, run));
    *log_lik = 0;
    for (size_t i = 0; i < rows; i++) {
        double away = of->y[i] - mean[i], total = var[i] + gp->noise_var / (of->weight ? of->weight[i] : 1);
        square += away * away;
        *log_lik -= (0.9189385332046727 + 0.5 * log(total) + 0.5 * away * away / total) / (double)rows;
    }
    *rmse = sqrt(square / (double)rows);
    return UNA_OK;
}

void una_gp_note_jitter(una_notes *notes, const una_gp *gp, double prior_var, bool sought)
{
    if (gp->jitter_var > 0)
        una_notes_add(notes, "A jitter of %.3g of the prior variance was added to the diagonal of the covariance%s.",
                      gp->jitter_var / prior_var, sought ? ", which had no Cholesky factor without it" : "");
}

una_status una_gp_exchange(void *state, una_archive *ar)
{
    una_gp *gp = state;
    size_t rows = gp->rows, inputs = gp->inputs, neighbours = ar->loading ? 0 : gp->neighbours;
    double *x = gp->x, *y = gp->y, *weight = gp->weight, evidence = ar->loading ? NAN : gp->log_evidence;

    UNA_TRY(una_archive_size(ar, "inputs", &inputs, ar->inputs, ar->inputs));
    UNA_TRY(una_archive_size(ar, "rows", &rows, 1, SIZE_MAX / 64 / (ar->inputs + 1)));
    UNA_TRY(una_archive_f64(ar, "noise_var", &gp->noise_var));
    UNA_TRY(una_archive_f64(ar, "jitter_var", &gp->jitter_var));
    UNA_TRY(una_kernel_exchange(&gp->kernel, ar));
    UNA_TRY(una_archive_f64s(ar, "x", &x, rows * inputs));
    UNA_TRY(una_archive_f64s(ar, "y", &y, rows));
    /* Stored only where rows have weights, and where the nearest answer, so that older files load too. */
    if (ar->loading) weight = NULL;
    if (weight || una_archive_next_is(ar, "gp.weight"))
        UNA_TRY(una_archive_f64s(ar, "gp.weight", &weight, rows));
    if (neighbours || una_archive_next_is(ar, "gp.neighbours")) {
        UNA_TRY(una_archive_size(ar, "gp.neighbours", &neighbours, 1, UNA_MOST_NEIGHBOURS));
        UNA_TRY(una_archive_f64(ar, "gp.evidence", &evidence));
    }

    if (!ar->loading) return UNA_OK;
    for (size_t i = 0; weight && i < rows; i++)
        if (!(weight[i] > 0)) return una_archive_refuse(ar, "gp.weight", "is not greater than 0");
    if (!(gp->noise_var > 0)) return una_archive_refuse(ar, "noise_var", "is not greater than 0");
    if (!(gp->jitter_var >= 0)) return una_archive_refuse(ar, "jitter_var", "is less than 0");

    *gp = (una_gp){ .kernel = gp->kernel, .noise_var = gp->noise_var, .jitter_var = gp->jitter_var, .rows = rows,
                    .inputs = inputs, .x = x, .y = y, .weight = weight, .neighbours = neighbours };
    if (!neighbours) return una_gp_defer(gp, ar->arena);
    UNA_TRY(una_near_defer(gp, ar->arena));
    gp->log_evidence = evidence;
    return UNA_OK;
}

una_status una_gp_draws(const void *gp, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const una_gp *g = gp;
    size_t draws = how->draws;
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, how->prior);
    if (!how->prior) return una_gp_draw(g, x, draws, &rng, f, run);
    UNA_NEW(&run->scratch, double, by_row, x.rows * draws);
    UNA_TRY(una_gp_prior_draws(g->kernel, x, draws, &rng, by_row, NULL, run));
    for (size_t s = 0; s < draws; s++)
        for (size_t r = 0; r < x.rows; r++) f[s * x.rows + r] = by_row[r * draws + s];
    return UNA_OK;
}

/* ---- lengths, variances and noise by maximum evidence ----------------------------------------------------------- */

/* Free numbers are logarithms, the gradient is exact.
 * Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapter 5. */

bool una_gp_set_lengths(una_kernel *k, double length)
{
    bool any = false;
    for (size_t o = 0; o < k->op_count; o++)
        for (size_t d = 0; k->op[o].code <= UNA_KERNEL_PERIODIC && d < k->op[o].count; d++) {
            k->parameter[k->op[o].parameter + 1 + d] = length;
            any = true;
        }
    return any;
}

static size_t count_free(const una_gp_search *f)
{
    return f->hyper.count + f->free_noise;
}

static void set_free_numbers(una_gp_search *f, const double *theta)
{
    una_hyper_put(&f->hyper, theta, f->gp->kernel);
    if (f->free_noise) f->gp->noise_var = exp(theta[f->hyper.count]);
}

/* Minus the log of a normal prior of one free number, up to a constant. */
static void add_prior(double *value, double *gradient, size_t h, double theta, double centre, double std)
{
    double away = (theta - centre) / std;
    *value += 0.5 * away * away;
    if (gradient) gradient[h] += away / std;
}

/* Minus the log evidence, and minus the log priors of lengths and noise. */
static una_status minus_log_evidence(void *context, const double *theta, double *value, double *gradient, una_run *run)
{
    una_gp_search *f = context;
    set_free_numbers(f, theta);
    UNA_TRY(una_tick(run, f->stage, (f->done + 1 - exp(-(double)++f->calls / 30)) / (f->starts + 0.1),
                     f->gp->log_evidence));
    UNA_TRY(una_gp_solve(f->gp, 0, run));
    *value = -f->gp->log_evidence;

    if (gradient) {
        UNA_NEW(&run->scratch, double, all, f->hyper.count + 1);
        UNA_TRY(una_gp_gradient(f->gp, &f->hyper, f->inverse, all, run));
        for (size_t h = 0; h < count_free(f); h++) gradient[h] = -all[h];
    }

    for (size_t h = 0; f->length_prior > 0 && h < f->hyper.count; h++)
        if (f->hyper.is_length[h]) add_prior(value, gradient, h, theta[h], f->hyper.origin[h], f->length_prior);
    size_t n = f->hyper.count;
    if (f->noise_prior > 0 && f->free_noise) add_prior(value, gradient, n, theta[n], f->noise_origin, f->noise_prior);
    return UNA_OK;
}

static void random_start(const una_gp_search *f, uint64_t seed, size_t start, double *theta)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_INIT, start);
    for (size_t h = 0; h < f->hyper.count; h++)
        theta[h] = f->hyper.origin[h] + log(10) * (2 * una_rng_uniform(&rng) - 1);
    if (f->free_noise) theta[f->hyper.count] = log(1e-3) + log(500) * una_rng_uniform(&rng);
}

/* With many inputs and the lengths of a single one, all rows are far apart, and evidence explains everything as
 * noise. */
static void longer_start(const una_gp_search *f, double *theta)
{
    for (size_t h = 0; h < f->hyper.count; h++)
        theta[h] = fmin(f->hyper.origin[h] + (f->hyper.is_length[h] ? log(f->longer) : 0), f->high[h]);
    if (f->free_noise) theta[f->hyper.count] = f->noise_origin;
}

/* Factor at the present values, with the given jitter or with as much as it needs. */
static una_status solve_with_jitter(una_gp_search *f, una_run *run)
{
    if (UNA_IS_AUTO(f->jitter)) return una_gp_solve_jittered(f->gp, run);
    f->gp->jitter_var = f->jitter * una_gp_prior_mean_var(f->gp);
    return una_gp_solve(f->gp, 0, run);
}

/* Bounds include the first values, even where they lie beyond the range. */
static void set_search_bounds(una_gp_search *f)
{
    for (size_t h = 0; h < count_free(f); h++) {
        f->low[h] = fmin(-log(f->range), f->theta[h]);
        f->high[h] = fmax(log(f->range), f->theta[h]);
    }
    if (f->free_noise) f->low[f->hyper.count] = fmin(una_gp_least_log_noise(f->range), f->theta[f->hyper.count]);
}

static una_status begin_search(una_gp_search *f, const una_hyper_plan *plan, una_run *run)
{
    UNA_TRY(una_hyper_init(&f->hyper, f->gp->kernel, plan, &run->scratch));
    size_t count = f->hyper.count + 1;
    UNA_NEW_AT(&run->scratch, f->theta, count);
    UNA_NEW_AT(&run->scratch, f->low, count);
    UNA_NEW_AT(&run->scratch, f->high, count);
    if (count_free(f)) UNA_NEW_AT(&run->scratch, f->inverse, una_gp_work(f->gp->rows));
    for (size_t h = 0; h < f->hyper.count; h++) f->theta[h] = f->hyper.origin[h];
    f->noise_origin = log(f->gp->noise_var);
    if (f->free_noise) f->theta[f->hyper.count] = f->noise_origin;
    if (f->from) {
        una_hyper_get(&f->hyper, f->from->kernel, f->theta);
        if (f->free_noise) f->theta[f->hyper.count] = log(f->from->noise_var);
        set_free_numbers(f, f->theta);
    }
    return solve_with_jitter(f, run);
}

una_status una_gp_search_run(una_gp_search *f, const una_hyper_plan *plan, size_t starts, uint64_t seed, una_run *run)
{
    UNA_TRY(begin_search(f, plan, run));
    size_t count = count_free(f), all = starts + (f->longer > 1);
    double best = HUGE_VAL;
    if (count == 0) return UNA_OK;
    set_search_bounds(f);

    UNA_NEW(&run->scratch, double, theta, count);
    for (size_t s = 0; s < all; s++, f->done++) {
        una_lbfgs_report report;
        una_lbfgs_settings settings = { .low = f->low, .high = f->high, .most_steps = f->most_steps,
                                        .gradient_tolerance = 1e-4, .value_tolerance = 5e-8,
                                        .least_drop = f->least_gain };
        if (s == 0) memcpy(theta, f->theta, count * sizeof *theta);
        else if (s == starts) longer_start(f, theta);
        else random_start(f, seed, s, theta);
        f->calls = 0;
        una_status status = una_lbfgs(theta, count, minus_log_evidence, f, &settings, &report, run);
        f->steps += report.calls;
        bool no_factor = status == UNA_E_NUMERIC && s > 0;       /* at some point */
        if (no_factor) una_clear_message(run);
        else UNA_TRY(status);
        if (no_factor || !(report.value < best)) continue;
        best = report.value;
        memcpy(f->theta, theta, count * sizeof *theta);
    }

    set_free_numbers(f, f->theta);
    return solve_with_jitter(f, run);
}
