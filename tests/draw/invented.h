/* SPDX-License-Identifier: MIT
 *
 * Invented reports: closed-form "models" whose ignorance is known, so that reports can be tested without models.
 */
#ifndef UNA_TEST_INVENTED_H
#define UNA_TEST_INVENTED_H

#include "draw/fit_report.h"

/* Curves of training with holes where nothing was measured. */
static inline una_curve invented_curve(una_arena *arena, size_t count)
{
    una_curve curve = { .count = count, .step = UNA_GET(arena, double, count), .loss = UNA_GET(arena, double, count),
                        .valid_log_lik = UNA_GET(arena, double, count), .mean_cos2 = UNA_GET(arena, double, count) };
    if (arena->failed) return (una_curve){0};
    for (size_t i = 0; i < count; i++) {
        double t = (double)i / (double)count;
        curve.step[i] = 20 * (double)i;
        curve.loss[i] = 0.4 + 60 * exp(-60 * t) + 0.5 * exp(-4 * t) + 0.01 * sin(50 * t);
        curve.valid_log_lik[i] = i % 5 ? NAN : -0.2 - exp(-5 * t);
        curve.mean_cos2[i] = i == 3 ? NAN : 0.12 + 0.8 * exp(-8 * t);
    }
    return curve;
}

static inline una_fit_info *invented_info(una_arena *arena, const char *kind, size_t rows, size_t inputs,
                                          const char *target)
{
    una_fit_info *info = UNA_GET(arena, una_fit_info, 1);
    if (!info) return NULL;
    *info = (una_fit_info){ .kind = kind, .target = target, .rows = rows, .inputs = inputs, .noise_std = 0.3,
        .prior_var = 1,
        .log_evidence = -123.456, .mean_cos2 = 0.12, .valid_rows = rows / 6, .valid_rmse = 0.3412,
        .valid_log_lik = -0.352,
        .steps = 4000, .spec = "luna(width=50, depth=1, activation=relu, heads=20, probes=2, diversity=100, "
        "penalty=0.1, "
        "prior_var=1, noise_std=0.3, epochs=2000, rate=0.001, restarts=3)" };
    info->curve = invented_curve(arena, 200);
    return info;
}

typedef struct invented { una_report report; una_report_model model[3]; una_report_column column[16];
    una_report_effect effect[16]; una_report_predictions predictions[3]; } invented;

/* y = f(x) + noise with f the sum of sines; ignorance is `open` times the squared distance from the nearer cluster. */
static inline void invented_predict(const double *x, size_t n, double open, double *mean, double *ignorance)
{
    for (size_t i = 0; i < n; i++) {
        double gap = fmax(0, 1 - fabs(x[i]) / 2), out = fmax(0, fabs(x[i]) - 4);
        mean[i] = 0.12 * x[i] * x[i] * x[i];
        ignorance[i] = 0.15 + 0.002 * fabs(x[i]) + open * (3.0 * gap + 2.5 * out);
    }
}

static inline void invented_band(const double *mean, const double *ignorance, size_t n, double *std, double *low,
                                 double *high)
{
    for (size_t i = 0; i < n; i++) {
        std[i] = sqrt(ignorance[i] * ignorance[i] + 0.09);
        low[i] = mean[i] - 1.959964 * std[i];
        high[i] = mean[i] + 1.959964 * std[i];
    }
}

/* Fills one model's arrays for column 0 of the report; NULL arrays where there is no memory. */
static inline void invented_model(una_report_model *model, const una_report *report, const char *title, double open,
                                  size_t parts,
                                  una_arena *arena)
{
    size_t rows = report->rows, grid = report->grid, places = 0;
    for (size_t e = 0; e < report->effect_count && e < UNA_MOST_EFFECTS; e++) places += report->effects[e].count;
    double *mean = UNA_GET(arena, double, rows), *ignorance = UNA_GET(arena, double, rows),
        *std = UNA_GET(arena, double, rows);
    double *low = UNA_GET(arena, double, rows), *high = UNA_GET(arena, double, rows);
    double *effect = UNA_GET(arena, double, places), *along = UNA_GET(arena, double, places);
    double *line = UNA_GET(arena, double, 5 * grid), *heads = UNA_GET(arena, double, parts * grid);
    una_fit_info *info = invented_info(arena, "luna", rows, report->column_count, report->target);
    if (arena->failed) return;

    invented_predict(report->columns[0].number, rows, open, mean, ignorance);
    invented_band(mean, ignorance, rows, std, low, high);
    for (size_t e = 0; e < report->effect_count && e < UNA_MOST_EFFECTS; e++)
        invented_predict(report->effects[e].at, report->effects[e].count, open / (1 + (double)((e * 7) % 13)),
                         effect + report->effects[e].first, along + report->effects[e].first);
    if (grid) invented_predict(report->sweep_at, grid, open, line, line + 4 * grid);
    invented_band(line, line + 4 * grid, grid, line + grid, line + 2 * grid, line + 3 * grid);

    for (size_t k = 0; k < parts; k++)
        for (size_t i = 0; i < grid; i++) {
            double x = report->sweep_at[i], gap = fmax(0, 4 - x * x);
            heads[k * grid + i] = line[i] + open * gap * sin((double)k * 1.7) + 0.6 * sin((double)k);
        }

    *model = (una_report_model){ .title = title, .info = info,
        .given = { .rows = rows, .y = report->y, .mean = mean, .std = std, .std_epistemic = ignorance, .lower = low,
                   .upper = high },
        .effect_mean = effect, .effect_std = along };
    if (grid) model->line_mean = line, model->line_lower = line + 2 * grid, model->line_upper = line + 3 * grid,
        model->sweep_std = line + 4 * grid, model->parts = heads, model->part_count = parts;
}

/* All rows as if their predictions were out-of-fold. */
static inline void invented_held_out(invented *all, size_t model)
{
    una_report_model *m = &all->model[model];
    all->predictions[model] = m->given;
    all->predictions[model].folds = 5;
    m->held_out = &all->predictions[model];
}

/* A table with a gap in every numeric column. texts: the last columns that hold words. */
static inline bool invented_table(invented *all, size_t rows, size_t columns, size_t texts, const char *const *names,
                                  una_arena *arena)
{
    static const char *const words[] = { "oak", "pine & fir", "<b>birch</b>" };
    static const double levels[] = { 1, 2, 3 };
    una_report *report = &all->report;
    size_t grid = columns == 1 && texts == 0 ? 241 : 0, places = grid ? grid : 33, first = 0;
    double *y = UNA_GET(arena, double, rows), *at = UNA_GET(arena, double, places);
    size_t *level_rows = UNA_GET(arena, size_t, 3);
    size_t *number = UNA_GET(arena, size_t, rows);
    *report = (una_report){ .target = "y", .rows = rows, .y = y, .row_number = number, .columns = all->column,
        .column_count = columns, .grid = grid, .sweep_at = at, .models = all->model, .effects = all->effect,
        .effect_count = grid ? 0 : columns, .effect_rows = 60 };

    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    for (size_t c = 0; c < columns; c++) {
        double *values = UNA_GET(arena, double, rows);
        const char **cells = UNA_GET(arena, const char *, rows);
        if (arena->failed) return false;
        for (size_t i = 0; i < rows; i++) {
            values[i] = (i % 2 ? 1 : -1) * (2 + 2 * una_rng_uniform(&rng));
            cells[i] = i % 7 == 6 ? NULL : words[i % 3];
        }

        bool text = c >= columns - texts;
        all->column[c] = (una_report_column){ names[c], text ? NULL : values, text ? cells : NULL, NULL };
        all->effect[c] = (una_report_effect){ .column = c, .count = text ? 3 : places, .first = first,
            .at = text ? levels : at, .level = text ? words : NULL, .level_rows = level_rows };
        first += text ? 3 : places;
    }
    if (arena->failed) return false;
    for (size_t i = 0; i < places; i++) at[i] = -4.8 + 9.6 * (double)i / (double)(places - 1);

    for (size_t i = 0; i < rows; i++) {
        double x = all->column[0].number[i];
        y[i] = 0.12 * x * x * x + 0.3 * una_rng_normal(&rng);
        number[i] = i + 1;
    }
    return true;
}

#endif
