/* SPDX-License-Identifier: MIT
 *
 * Training on a schedule, with exact updates in between. The trained model is kept as the bytes of its file and
 * updates take one row at a time, so that the same told trials give the same bits, however often a search was stopped
 * on the way.
 */
#include "bo/surrogate.h"

#include "draw/figure.h"

struct una_surrogate {
    una_run    *run;
    const char *spec;                    /* behind the struct                                                        */
    size_t      columns;
    uint64_t    seed;
    bool        updates;                 /* it takes more rows in exactly                                            */
    bool        tried;                   /* that is known of the model, not of its kind alone                        */
    void       *trained;                 /* bytes of the model as it was trained                                     */
    size_t      trained_size, trained_rows;
    uint64_t    trained_sum;             /* for the rows that trained it                                             */
    una_warp    warp;
    una_model  *told;                    /* with all rows told at the last call                                      */
    size_t      told_rows;
    uint64_t    told_sum;
    una_model  *open;                    /* and with the open points; NULL: there were none                          */
};

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

const una_warp *una_surrogate_warp(const una_surrogate *surrogate)
{
    return &surrogate->warp;
}

bool una_surrogate_updates(const una_surrogate *surrogate)
{
    return surrogate->updates;
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

una_status una_surrogate_new(una_surrogate **out, const char *spec, size_t columns, uint64_t seed, una_run *run)
{
    size_t length = strlen(spec) + 1, name = strcspn(spec, "( ");
    una_surrogate *s = una_allocate(run, sizeof *s + length);
    *out = s;
    if (!s) return una_fail(run, UNA_E_MEMORY, "there is no memory for the model of a study");
    memset(s, 0, sizeof *s);
    s->run = run;
    s->spec = memcpy(s + 1, spec, length);
    s->columns = columns;
    s->seed = seed;
    for (size_t k = 0; k < una_kind_count(); k++) {
        const char *kind = una_kind_name(k);
        if (strlen(kind) == name && strncmp(kind, spec, name) == 0) s->updates = una_kind_updates(k);
    }
    return UNA_OK;
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

static void forget_trained(una_surrogate *s)
{
    forget_told(s);
    una_memory_free(s->trained, s->run);
    s->trained = NULL;
    s->trained_rows = 0;
}

void una_surrogate_free(una_surrogate *s)
{
    if (!s) return;
    forget_trained(s);
    una_release(s->run, s);
}

/* ---- learning -------------------------------------------------------------------------------------------------- */

static una_status surrogate_column_names(const char ***names, size_t columns, una_arena *arena)
{
    *names = UNA_GET(arena, const char *, columns + 1);
    UNA_TRY(una_arena_check(arena));
    for (size_t c = 0; c <= columns; c++) {
        una_text name = una_text_in(arena);
        una_text_add(&name, c < columns ? "x%zu" : "y", c + 1);
        (*names)[c] = name.at;
    }
    return una_arena_check(arena);
}

static una_status table_of(una_dataset **data, const una_surrogate_data *known, size_t rows, const una_warp *warp,
                           una_run *run)
{
    const char **names;
    UNA_NEW(&run->scratch, double, y, rows);
    UNA_TRY(surrogate_column_names(&names, known->columns, &run->scratch));
    for (size_t i = 0; i < rows; i++) y[i] = una_warp_value(warp, known->y[i]);
    return una_dataset_from_arrays(data, known->u, y, rows, known->columns, names, run);
}

/* With its own seed for every size, independent of the run's other work. */
static una_status fit_rows(una_model **model, una_surrogate *s, const una_surrogate_data *known, size_t rows,
                           una_run *run)
{
    una_dataset *data = NULL;
    uint64_t seed = run->settings.seed;
    una_mark mark = una_arena_mark(&run->scratch);
    *model = NULL;
    s->warp = una_warp_of(known->y, rows, &run->scratch);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = table_of(&data, known, rows, &s->warp, run);
    una_rng rng = una_rng_at(s->seed, UNA_FOR_SEARCH, rows);
    run->settings.seed = una_rng_u32(&rng);
    una_fit_settings settings = { .size = sizeof settings, .no_files = 1 };      /* a study may come from an
                                                                                    untrusted file */
    if (status == UNA_OK) status = una_fit(model, s->spec, data, &settings, run);
    run->settings.seed = seed;
    una_dataset_free(data);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status add_row(una_model *model, size_t columns, const double *u, double value, una_run *run)
{
    una_input_map map;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_input_map_of(&map, model, columns, &run->scratch);
    double *x = UNA_GET(&run->scratch, double, columns);
    if (status == UNA_OK) status = una_arena_check(&run->scratch);
    for (size_t i = 0; status == UNA_OK && i < map.inputs; i++) x[i] = u[map.column[i]];
    if (status == UNA_OK) status = una_model_update_rows(model, x, &value, 1, run);
    una_arena_release(&run->scratch, mark);
    return status;
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
    forget_trained(s);
    UNA_TRY(fit_rows(&model, s, known, rows, run));
    una_status status = una_model_save_memory(model, &s->trained, &s->trained_size, run);
    una_model_free(model);
    UNA_TRY(status);
    s->trained_rows = rows;
    s->trained_sum = surrogate_data_sum(known, rows);
    return try_update(s, known, run);
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
    while (s->told_rows < known->told) {
        size_t i = s->told_rows;
        una_status status = add_row(s->told, known->columns, known->u + i * known->columns,
                                    una_warp_value(&s->warp, known->y[i]), run);
        if (status != UNA_OK) forget_told(s);
        UNA_TRY(status);
        s->told_rows++;
    }
    s->told_sum = surrogate_data_sum(known, s->told_rows);
    return UNA_OK;
}

static una_status believe_row(una_model *model, const una_surrogate_data *known, size_t row, una_run *run)
{
    una_input_map map;
    double mean, std;
    const double *u = known->open + row * known->columns;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_input_map_of(&map, model, known->columns, &run->scratch);
    if (status == UNA_OK) status = una_input_map_moments(&map, model, u, 1, &mean, &std, run);
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);
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
    for (size_t i = 0; status == UNA_OK && i < known->open_count; i++) status = believe_row(s->open, known, i, run);
    return status;
}

/* For a model without an exact update: trained once more, with the open points. */
static una_status train_open(una_surrogate *s, const una_surrogate_data *known, una_run *run)
{
    size_t all = known->told + known->open_count, columns = known->columns;
    una_mark mark = una_arena_mark(&run->scratch);
    una_surrogate_data more = { .columns = columns, .told = all, .u = UNA_GET(&run->scratch, double, all * columns),
                       .y = UNA_GET(&run->scratch, double, all) };
    double *mean = UNA_GET(&run->scratch, double, known->open_count), *std = UNA_GET(&run->scratch, double,
                                                                                    known->open_count);
    una_input_map map;
    una_warp warp = s->warp;
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_input_map_of(&map, s->told, columns, &run->scratch);
    if (status == UNA_OK) status = una_input_map_moments(&map, s->told, known->open, known->open_count, mean, std, run);

    if (status == UNA_OK) {
        memcpy(more.u, known->u, known->told * columns * sizeof *more.u);
        memcpy(more.u + known->told * columns, known->open, known->open_count * columns * sizeof *more.u);
        memcpy(more.y, known->y, known->told * sizeof *more.y);
        for (size_t i = 0; i < known->open_count; i++) more.y[known->told + i] = una_warp_back(&warp, mean[i]);
        status = fit_rows(&s->open, s, &more, all, run);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status surrogate_learn(const una_model **model, bool *trained, una_surrogate *s,
                                  const una_surrogate_data *known, una_run *run)
{
    size_t rows = una_surrogate_rows(known->told, s->updates);
    *trained = !s->trained || s->trained_rows != rows || s->trained_sum != surrogate_data_sum(known, rows);
    forget_open(s);
    if (*trained) UNA_TRY(surrogate_train(s, known, rows, run));
    UNA_TRY(update_with_told(s, known, run));
    *model = s->told;
    if (known->open_count == 0) return UNA_OK;

    una_status status = s->updates ? believe_open(s, known, run) : train_open(s, known, run);
    if (!s->updates) {                           /* its warp is that of the other */
        una_model *open = s->open;
        s->open = NULL;
        forget_trained(s);
        s->open = open;
    }
    *model = s->open;
    return status;
}

/* A kind may have an exact update although this model of it has none: an ensemble of networks. */
una_status una_surrogate_learn(const una_model **model, bool *trained, una_surrogate *s,
                               const una_surrogate_data *known, una_run *run)
{
    una_status status = surrogate_learn(model, trained, s, known, run);
    if (status != UNA_E_USAGE || !s->updates) return status;
    una_clear_message(run);
    s->updates = false;
    return surrogate_learn(model, trained, s, known, run);
}

/* ---- lens ------------------------------------------------------------------------------------------------------ */

/* Names are x1, x2 ... of the columns. */
una_status una_input_map_of(una_input_map *map, const una_model *model, size_t columns, una_arena *arena)
{
    size_t inputs = una_model_input_count(model);
    *map = (una_input_map){ .columns = columns, .inputs = inputs, .parts = una_model_part_count(model),
                        .column = UNA_GET(arena, size_t, inputs) };
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < inputs; i++) {
        size_t number = 0;
        for (const char *at = una_model_input_name(model, i) + 1; *at; at++) number = 10 * number + (size_t)(*at - '0');
        map->column[i] = number - 1;
    }
    return UNA_OK;
}

static void gather_inputs(const una_input_map *map, const double *u, size_t rows, double *x)
{
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < map->inputs; i++) x[r * map->inputs + i] = u[r * map->columns + map->column[i]];
}

una_status una_input_map_table(una_dataset **data, const una_input_map *map, const una_model *model, const double *u,
                               const double *y, size_t rows, una_run *run)
{
    UNA_NEW(&run->scratch, const char *, names, map->inputs + 1);
    UNA_NEW(&run->scratch, double, x, rows * map->inputs);
    for (size_t i = 0; i < map->inputs; i++) names[i] = una_model_input_name(model, i);
    names[map->inputs] = "y";
    gather_inputs(map, u, rows, x);
    return una_dataset_from_arrays(data, x, y, rows, map->inputs, names, run);
}

static void spread_slopes(const una_input_map *map, const double *from, double *to, size_t count)
{
    memset(to, 0, count * map->columns * sizeof *to);
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < map->inputs; i++) to[r * map->columns + map->column[i]] = from[r * map->inputs + i];
}

una_status una_input_map_parts(const una_input_map *map, const una_model *model, const double *u, size_t rows,
                               const una_parts *out, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    size_t slopes = out->dmean ? rows * map->parts * map->inputs : 0;
    double *x = UNA_GET(&run->scratch, double, rows * map->inputs);
    double *dmean = UNA_GET(&run->scratch, double, slopes), *dstd = UNA_GET(&run->scratch, double, slopes);
    una_status status = una_arena_check(&run->scratch);
    una_parts own = *out;
    if (out->dmean) own.dmean = dmean, own.dstd = dstd;

    if (status == UNA_OK) gather_inputs(map, u, rows, x);
    if (status == UNA_OK) status = una_model_parts(model, x, rows, &own, run);
    if (status == UNA_OK && out->dmean) {
        spread_slopes(map, dmean, out->dmean, rows * map->parts);
        spread_slopes(map, dstd, out->dstd, rows * map->parts);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_input_map_moments(const una_input_map *map, const una_model *model, const double *u, size_t rows,
                                 double *mean, double *std, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_parts p = { .size = sizeof p, .weight = UNA_GET(&run->scratch, double, map->parts),
                    .mean = UNA_GET(&run->scratch, double, rows * map->parts),
                    .std = UNA_GET(&run->scratch, double, rows * map->parts) };
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_input_map_parts(map, model, u, rows, &p, run);
    for (size_t r = 0; status == UNA_OK && r < rows; r++) {
        double middle = 0, square = 0;
        for (size_t m = 0; m < map->parts; m++) middle += p.weight[m] * p.mean[r * map->parts + m];
        for (size_t m = 0; m < map->parts; m++) {
            double away = p.mean[r * map->parts + m] - middle, own = p.std[r * map->parts + m];
            square += p.weight[m] * (own * own + away * away);
        }
        mean[r] = middle;
        std[r] = sqrt(square);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}
