/* SPDX-License-Identifier: MIT
 *
 * Gaussian processes as parts of kinds: what the model gp, the priors of tuna and the head of sngp share; and the
 * process on features of a network. See process.h; equations in gp/gp.h.
 */
#include "train/process.h"

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

una_status una_gp_judge(const una_gp *gp, const double *x, const double *y, const double *weight, size_t rows,
                        double *log_lik, double *rmse, una_run *run)
{
    double square = 0;
    UNA_NEW(&run->scratch, double, mean, rows);
    UNA_NEW(&run->scratch, double, var, rows);
    UNA_TRY(una_gp_predict(gp, x, rows, gp->inputs, mean, var, run));
    *log_lik = 0;
    for (size_t i = 0; i < rows; i++) {
        double away = y[i] - mean[i], total = var[i] + gp->noise_var / (weight ? weight[i] : 1);
        square += away * away;
        *log_lik -= (0.9189385332046727 + 0.5 * log(total) + 0.5 * away * away / total) / (double)rows;
    }
    *rmse = sqrt(square / (double)rows);
    return UNA_OK;
}

una_status una_gp_exchange(void *state, una_archive *ar)
{
    una_gp *gp = state;
    uint64_t rows = gp->rows, inputs = gp->inputs;
    double *x = gp->x, *y = gp->y, *weight = gp->weight;

    UNA_TRY(una_archive_u64(ar, "inputs", &inputs, ar->inputs, ar->inputs));
    UNA_TRY(una_archive_u64(ar, "rows", &rows, 1, SIZE_MAX / 64 / (ar->inputs + 1)));
    UNA_TRY(una_archive_f64(ar, "noise_var", &gp->noise_var));
    UNA_TRY(una_archive_f64(ar, "jitter_var", &gp->jitter_var));
    UNA_TRY(una_kernel_exchange(&gp->kernel, ar));
    UNA_TRY(una_archive_f64s(ar, "x", &x, (size_t)rows * (size_t)inputs));
    UNA_TRY(una_archive_f64s(ar, "y", &y, (size_t)rows));
    /* Stored only where rows have weights, so that older files load too. */
    if (ar->loading) weight = NULL;
    if (weight || una_archive_next_is(ar, "gp.weight"))
        UNA_TRY(una_archive_f64s(ar, "gp.weight", &weight, (size_t)rows));

    if (!ar->loading) return UNA_OK;
    for (size_t i = 0; weight && i < rows; i++)
        if (!(weight[i] > 0)) return una_archive_refuse(ar, "gp.weight", "is not greater than 0");
    if (!(gp->noise_var > 0)) return una_archive_refuse(ar, "noise_var", "is not greater than 0");
    if (!(gp->jitter_var >= 0)) return una_archive_refuse(ar, "jitter_var", "is less than 0");

    return una_gp_defer(gp, gp->kernel, x, y, weight, (size_t)rows, (size_t)inputs, ar->arena);
}

una_status una_gp_draws(const void *gp, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const una_gp *g = gp;
    size_t draws = how->draws;
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, how->prior);
    if (!how->prior) return una_gp_draw(g, x.at, x.rows, x.stride, draws, &rng, f, run);
    UNA_NEW(&run->scratch, double, by_row, x.rows * draws);
    UNA_TRY(una_gp_prior_draws(g->kernel, x.at, x.rows, x.stride, draws, &rng, by_row, NULL, run));
    for (size_t s = 0; s < draws; s++)
        for (size_t r = 0; r < x.rows; r++) f[s * x.rows + r] = by_row[r * draws + s];
    return UNA_OK;
}

/* ---- a process on features ------------------------------------------------------------------------------------ */

una_status una_process_solve(una_gp *gp, const una_process *of, una_arena *keep, una_run *run)
{
    una_kernel *kernel;
    UNA_NEW(&run->scratch, const char *, name, of->width);
    for (size_t d = 0; d < of->width; d++) name[d] = "";
    const una_kernel_inputs inputs = { .name = name, .count = of->width };
    UNA_TRY(una_kernel_parse(&kernel, "rbf", &inputs, keep, run));
    kernel->parameter[0] = of->prior_var;
    una_gp_set_lengths(kernel, of->lengthscale);
    UNA_TRY(una_gp_init(gp, kernel, of->h, of->width, of->y, of->rows, of->width, keep));
    UNA_TRY(una_gp_weigh(gp, of->weight, keep));
    gp->noise_var = of->noise_var;
    return una_gp_solve_jittered(gp, run);
}

static una_status features_at(const una_feature_map *map, una_view x, una_view *h, una_run *run)
{
    UNA_NEW(&run->scratch, double, at, x.rows * map->features);
    *h = (una_view){ at, x.rows, map->features, map->features };
    return una_map_phi(map, x, at, run);
}

una_status una_process_predict(const una_feature_map *map, una_view x, una_predictive *out, una_run *run)
{
    una_view h;
    UNA_TRY(features_at(map, x, &h, run));
    for (size_t r = 0; r < x.rows; r++) out->var_noise[r] = map->gp->noise_var;
    return una_gp_predict(map->gp, h.at, h.rows, h.stride, out->mean, out->mean_only ? NULL : out->var_model, run);
}

una_status una_process_observe(const una_feature_map *map, una_gp *gp, const una_problem *more, una_fit_result *result,
                               una_arena *keep, una_run *run)
{
    una_view h;
    UNA_TRY(features_at(map, more->x, &h, run));
    UNA_TRY(una_gp_append(gp, h.at, h.stride, more->y, more->weight, h.rows, keep, run));
    result->log_evidence = gp->log_evidence;
    return UNA_OK;
}
