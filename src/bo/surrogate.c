/* SPDX-License-Identifier: MIT
 *
 * Training on a schedule, with exact updates in between. The trained model is kept as the bytes of its file and
 * updates take one row at a time, so that the same told trials give the same bits, however often a search was stopped
 * on the way.
 */
#include "bo/surrogate.h"

#include "draw/figure.h"
#include "model/above.h"

/* ---- values ---------------------------------------------------------------------------------------------------- */

una_warp una_warp_of(const double *y, size_t count, una_arena *scratch)
{
    una_warp warp = { 0, 1 };
    double *sorted = UNA_GET(scratch, double, count);
    if (!sorted || count == 0) return warp;
    memcpy(sorted, y, count * sizeof *y);
    warp.middle = una_quantile(sorted, count, 0.5);
    warp.spread = fmax(warp.middle - sorted[0], 0.5 * (una_quantile(sorted, count, 0.9) - warp.middle));
    if (!(warp.spread > 0)) warp.spread = sorted[count - 1] - warp.middle;
    if (!(warp.spread > 0)) warp.spread = 1;
    return warp;
}

double una_warp_value(const una_warp *warp, double y)
{
    double z = (y - warp->middle) / warp->spread;
    return z > 0 ? log1p(z) : z;
}

double una_warp_back(const una_warp *warp, double value)
{
    return warp->middle + warp->spread * (value > 0 ? expm1(value) : value);
}

/* ---- which rows ------------------------------------------------------------------------------------------------ */

/* At first with every told trial, then whenever a sixteenth has been added; always for a model without an exact
 * update. */
size_t una_surrogate_rows(size_t told, bool updates)
{
    size_t rows = 1;
    if (!updates) return told;
    for (size_t next = rows; next <= told; next = rows + 1 + rows / 16) rows = next;
    return rows;
}

static uint64_t surrogate_data_sum(const una_surrogate_data *known, size_t rows)
{
    uint64_t sum = 1469598103934665603u;
    for (size_t part = 0; part < 2; part++) {
        const unsigned char *at = (const unsigned char *)(part ? known->y : known->u);
        size_t size = rows * (part ? 1 : known->columns) * sizeof(double);
        for (size_t i = 0; i < size; i++) sum = (sum ^ at[i]) * 1099511628211u;
    }
    return sum;
}

/* ---- life ------------------------------------------------------------------------------------------------------ */

una_surrogate una_surrogate_of(const char *spec, uint64_t seed, una_run *run)
{
    una_surrogate s = { .run = run, .spec = spec, .seed = seed };
    for (size_t k = 0, name = strcspn(spec, "( "); k < una_kind_count(); k++) {
        const char *kind = una_kind_name(k);
        if (strlen(kind) == name && strncmp(kind, spec, name) == 0) s.updates = una_kind_updates(k);
    }
    return s;
}

static void forget_open(una_surrogate *s)
{
    una_model_free(s->open);
    s->open = NULL;
}

static void forget_told(una_surrogate *s)
{
    forget_open(s);
    una_model_free(s->told);
    s->told = NULL;
    s->told_rows = 0;
}

void una_surrogate_free(una_surrogate *s)
{
    forget_told(s);
    una_memory_free(s->trained, s->run);
    s->trained = NULL;
    s->trained_rows = 0;
}

/* ---- encoded points -------------------------------------------------------------------------------------------- */

/* Names of inputs are x1, x2 ... of the columns. */
static size_t column_of(const una_model *model, size_t input)
{
    return strtoul(una_model_input_name(model, input) + 1, NULL, 10) - 1;
}

static void gather_inputs(double *x, const una_points *p, const una_model *model)
{
    for (size_t i = 0, inputs = una_model_input_count(model); i < inputs; i++) {
        const double *from = p->u + column_of(model, i);
        for (size_t r = 0; r < p->rows; r++) x[r * inputs + i] = from[r * p->columns];
    }
}

una_status una_points_table(una_dataset **data, const una_points *p, const una_model *model, const double *y,
                            una_run *run)
{
    size_t inputs = una_model_input_count(model);
    UNA_NEW(&run->scratch, const char *, names, inputs + 1);
    UNA_NEW(&run->scratch, double, x, p->rows * inputs);
    for (size_t i = 0; i < inputs; i++) names[i] = una_model_input_name(model, i);
    names[inputs] = "y";
    gather_inputs(x, p, model);
    UNA_TRY(una_dataset_from_arrays(data, x, y, p->rows, inputs, names, run));
    return una_keep_dataset(&run->scratch, *data);
}

/* from [count, inputs], to [count, columns]: 0 where the model has no such input. */
static void spread_slopes(double *to, const double *from, size_t count, size_t columns, const una_model *model)
{
    memset(to, 0, count * columns * sizeof *to);
    for (size_t i = 0, inputs = una_model_input_count(model); i < inputs; i++)
        for (size_t r = 0, c = column_of(model, i); r < count; r++) to[r * columns + c] = from[r * inputs + i];
}

una_status una_points_parts(const una_points *p, const una_model *model, const una_parts *out, una_run *run)
{
    size_t inputs = una_model_input_count(model), parts = una_model_part_count(model);
    size_t slopes = out->dmean ? p->rows * parts * inputs : 0;
    una_parts own = *out;
    UNA_NEW(&run->scratch, double, x, p->rows * inputs);
    UNA_NEW(&run->scratch, double, dmean, slopes);
    UNA_NEW(&run->scratch, double, dstd, slopes);
    if (out->dmean) own.dmean = dmean, own.dstd = dstd;
    gather_inputs(x, p, model);
    UNA_TRY(una_model_parts(model, x, p->rows, &own, run));
    if (!out->dmean) return UNA_OK;
    spread_slopes(out->dmean, dmean, p->rows * parts, p->columns, model);
    spread_slopes(out->dstd, dstd, p->rows * parts, p->columns, model);
    return UNA_OK;
}

una_status una_points_moments(const una_points *points, const una_model *model, double *mean, double *std, una_run *run)
{
    size_t parts = una_model_part_count(model);
    una_parts p = { .size = sizeof p };
    UNA_NEW_AT(&run->scratch, p.weight, parts);
    UNA_NEW_AT(&run->scratch, p.mean, points->rows * parts);
    UNA_NEW_AT(&run->scratch, p.std, points->rows * parts);
    UNA_TRY(una_points_parts(points, model, &p, run));
    for (size_t r = 0; r < points->rows; r++) {
        double square = 0;
        mean[r] = 0;
        for (size_t m = 0; m < parts; m++) mean[r] += p.weight[m] * p.mean[r * parts + m];
        for (size_t m = 0; m < parts; m++) {
            double away = p.mean[r * parts + m] - mean[r], own = p.std[r * parts + m];
            square += p.weight[m] * (own * own + away * away);
        }
        std[r] = sqrt(square);
    }
    return UNA_OK;
}

/* ---- learning -------------------------------------------------------------------------------------------------- */

static una_status table_of(una_dataset **data, const una_surrogate_data *known, size_t rows, const una_warp *warp,
                           una_run *run)
{
    UNA_NEW(&run->scratch, const char *, names, known->columns + 1);
    UNA_NEW(&run->scratch, double, y, rows);
    for (size_t c = 0; c <= known->columns; c++) {
        una_text name = una_text_in(&run->scratch);
        una_text_add(&name, c < known->columns ? "x%zu" : "y", c + 1);
        names[c] = name.at;
    }
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < rows; i++) y[i] = una_warp_value(warp, known->y[i]);
    return una_dataset_from_arrays(data, known->u, y, rows, known->columns, names, run);
}

/* With its own seed for every size, independent of the run's other work. No files: a study may come from an untrusted
 * one. */
static una_status fit_rows(una_model **model, una_surrogate *s, const una_surrogate_data *known, size_t rows,
                           una_run *run)
{
    una_dataset *data;
    una_fit_settings settings = { .size = sizeof settings, .no_files = 1 };
    una_rng rng = una_rng_at(s->seed, UNA_FOR_SEARCH, rows);
    *model = NULL;
    s->warp = una_warp_of(known->y, rows, &run->scratch);
    UNA_TRY(table_of(&data, known, rows, &s->warp, run));
    UNA_TRY(una_keep_dataset(&run->scratch, data));
    UNA_SEEDED(run, una_rng_u32(&rng), una_fit(model, s->spec, data, &settings, run));
    return UNA_OK;
}

static una_status add_row(una_model *model, size_t columns, const double *u, double value, una_run *run)
{
    UNA_NEW(&run->scratch, double, x, columns);
    gather_inputs(x, &(una_points){ columns, 1, u }, model);
    return una_model_update_rows(model, x, &value, 1, run);
}

/* Whether a model of this kind has an exact update: found at the first training, so that the answer does not depend on
 * when it is first needed. UNA_E_USAGE: it has none. */
static una_status try_update(una_surrogate *s, const una_surrogate_data *known, una_run *run)
{
    una_model *copy;
    if (!s->updates || s->tried) return UNA_OK;
    UNA_TRY(una_model_load_memory(&copy, s->trained, s->trained_size, run));
    una_status status = add_row(copy, known->columns, known->u, una_warp_value(&s->warp, known->y[0]), run);
    una_model_free(copy);
    s->tried = status == UNA_OK;
    return status;
}

static una_status surrogate_train(una_surrogate *s, const una_surrogate_data *known, size_t rows, una_run *run)
{
    una_model *model;
    una_surrogate_free(s);
    UNA_TRY(fit_rows(&model, s, known, rows, run));
    UNA_TRY(una_keep_model(&run->scratch, model));
    UNA_TRY(una_model_save_memory(model, &s->trained, &s->trained_size, run));
    s->trained_rows = rows;
    s->trained_sum = surrogate_data_sum(known, rows);
    return try_update(s, known, run);
}

static una_status tell_next_row(una_surrogate *s, const una_surrogate_data *known, una_run *run)
{
    size_t i = s->told_rows++;
    una_status status = add_row(s->told, known->columns, known->u + i * known->columns,
                                una_warp_value(&s->warp, known->y[i]), run);
    if (status != UNA_OK) forget_told(s);
    return status;
}

/* Goes on from the current model if it has these rows' beginning, else from the trained model. */
static una_status update_with_told(una_surrogate *s, const una_surrogate_data *known, una_run *run)
{
    bool goes_on = s->told && s->told_rows <= known->told && s->told_sum == surrogate_data_sum(known, s->told_rows);
    if (!goes_on) {
        forget_told(s);
        UNA_TRY(una_model_load_memory(&s->told, s->trained, s->trained_size, run));
        s->told_rows = s->trained_rows;
    }
    while (s->told_rows < known->told) UNA_SCOPED(run, tell_next_row(s, known, run));
    s->told_sum = surrogate_data_sum(known, s->told_rows);
    return UNA_OK;
}

static una_status believe_row(una_model *model, const una_surrogate_data *known, size_t row, una_run *run)
{
    double mean, std;
    const double *u = known->open + row * known->columns;
    UNA_TRY(una_points_moments(&(una_points){ known->columns, 1, u }, model, &mean, &std, run));
    return add_row(model, known->columns, u, mean, run);
}

/* A copy that is updated with its own mean at each open point, so that its ignorance there goes away. */
static una_status believe_open(una_surrogate *s, const una_surrogate_data *known, una_run *run)
{
    void *bytes;
    size_t size;
    UNA_TRY(una_model_save_memory(s->told, &bytes, &size, run));
    una_status status = una_model_load_memory(&s->open, bytes, size, run);
    una_memory_free(bytes, run);
    UNA_TRY(status);
    for (size_t i = 0; i < known->open_count; i++) UNA_SCOPED(run, believe_row(s->open, known, i, run));
    return UNA_OK;
}

/* For a model without an exact update: trained once more, with the open points. Its warp is that of all of them. */
static una_status train_open(una_surrogate *s, const una_surrogate_data *known, una_run *run)
{
    size_t all = known->told + known->open_count, columns = known->columns;
    una_surrogate_data more = { .columns = columns, .told = all };
    una_warp warp = s->warp;
    una_model *open;
    UNA_NEW_AT(&run->scratch, more.u, all * columns);
    UNA_NEW_AT(&run->scratch, more.y, all);
    UNA_NEW(&run->scratch, double, std, known->open_count);
    memcpy(more.u, known->u, known->told * columns * sizeof *more.u);
    memcpy(more.u + known->told * columns, known->open, known->open_count * columns * sizeof *more.u);
    memcpy(more.y, known->y, known->told * sizeof *more.y);
    const una_points points = { columns, known->open_count, known->open };
    UNA_TRY(una_points_moments(&points, s->told, more.y + known->told, std, run));
    for (size_t i = known->told; i < all; i++) more.y[i] = una_warp_back(&warp, more.y[i]);
    una_status status = fit_rows(&open, s, &more, all, run);
    una_surrogate_free(s);
    s->open = open;
    return status;
}

static una_status surrogate_learn(const una_model **model, una_surrogate *s, const una_surrogate_data *known,
                                  una_run *run)
{
    size_t rows = una_surrogate_rows(known->told, s->updates);
    s->fresh = !s->trained || s->trained_rows != rows || s->trained_sum != surrogate_data_sum(known, rows);
    forget_open(s);
    if (s->fresh) UNA_SCOPED(run, surrogate_train(s, known, rows, run));
    UNA_TRY(update_with_told(s, known, run));
    if (known->open_count > 0) UNA_TRY(s->updates ? believe_open(s, known, run) : train_open(s, known, run));
    *model = s->open ? s->open : s->told;
    return UNA_OK;
}

/* A kind may have an exact update although this model of it has none: an ensemble of networks. */
una_status una_surrogate_learn(const una_model **model, una_surrogate *s, const una_surrogate_data *known,
                               una_run *run)
{
    una_status status = surrogate_learn(model, s, known, run);
    if (status != UNA_E_USAGE || !s->updates) return status;
    una_clear_message(run);
    s->updates = false;
    return surrogate_learn(model, s, known, run);
}
