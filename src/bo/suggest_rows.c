/* SPDX-License-Identifier: MIT
 *
 * Tables for una_suggest: rows of a pool, of the region, points inside ranges; and the first screening of many rows by
 * functions drawn from the posterior.
 */
#include "bo/suggest.h"

#include "bo/space.h"
#include "model/above.h"

#define STAGE "weighing where to measure"

enum { DRAWS = 128, DRAWN_ROWS = 512, DRAWN_REGION = 256 };
enum { STREAM_REGION = 5 << 20, STREAM_ROWS };   /* of UNA_FOR_SEARCH */

/* ---- the inputs of a model ----------------------------------------------------------------------------------- */

/* In a table where the column holds nothing but numbers, a level is met by its value. */
static const char *level_of(const una_source *source, double value)
{
    for (size_t k = 0; k < source->level_count; k++) {
        double level;
        if (una_parse_number(source->levels[k], strlen(source->levels[k]), &level) && level == value)
            return source->levels[k];
    }
    return isnan(value) ? NULL : source->levels[source->level_count - 1];        /* "other" */
}

typedef struct cells {                   /* of a table of the model's inputs, by column                              */
    const char  **names;
    double      **number;                /* NULL: the column holds words                                             */
    const char ***word;
} cells;

static una_status new_cells(cells *c, const una_columns *columns, size_t rows, una_arena *arena)
{
    UNA_NEW_AT(arena, c->names, columns->source_count);
    UNA_NEW_AT(arena, c->number, columns->source_count);
    UNA_NEW_AT(arena, c->word, columns->source_count);
    for (size_t s = 0; s < columns->source_count; s++) {
        c->names[s] = columns->sources[s].name;
        if (columns->sources[s].is_text) UNA_NEW_AT(arena, c->word[s], rows);
        else UNA_NEW_AT(arena, c->number[s], rows);
    }
    return UNA_OK;
}

static una_status table_of_cells(una_dataset **table, const cells *c, const una_survey *s, size_t rows)
{
    UNA_TRY(una_dataset_from_columns(table, c->names, (const double *const *)c->number,
                                     (const char *const *const *)c->word, s->model->columns.source_count, rows,
                                     s->run));
    return una_keep_dataset(&s->run->scratch, *table);
}

una_status una_suggest_inputs(una_dataset **table, const una_survey *s, const una_dataset *from, const size_t *row,
                              size_t count)
{
    const una_columns *columns = &s->model->columns;
    cells c;
    UNA_TRY(new_cells(&c, columns, count, &s->run->scratch));
    for (size_t k = 0; k < columns->source_count; k++) {
        size_t column;
        UNA_TRY(una_check_cancelled(s->run, STAGE));
        UNA_TRY(una_dataset_find(&column, from, c.names[k], s->run));
        const double *number = una_dataset_numbers(from, column);
        const char *const *word = una_dataset_words(from, column);
        if (!number && c.number[k])
            UNA_FAIL(s->run, UNA_E_INPUT, "%s: the column '%.60s' holds words, and the model knows it as numbers",
                     una_dataset_origin(from), c.names[k]);
        for (size_t i = 0; i < count; i++) {
            size_t at = row ? row[i] : i;
            if (c.number[k]) c.number[k][i] = number[at];
            else c.word[k][i] = word ? word[at] : level_of(&columns->sources[k], number[at]);
        }
    }
    return table_of_cells(table, &c, s, count);
}

/* In random order also where all are taken: the first ones stand for all in a first look. */
una_status una_suggest_region(una_survey *s, const una_dataset *from, size_t most)
{
    size_t rows = una_dataset_row_count(from), count = rows < most ? rows : most;
    uint32_t *order;
    una_rng rng = una_rng_at(s->run->settings.seed, UNA_FOR_SEARCH, STREAM_REGION);
    UNA_NEW(&s->run->scratch, size_t, row, count);
    UNA_TRY(una_order_new(&order, rows, &s->run->scratch));
    una_rng_permute(&rng, order, rows);
    for (size_t i = 0; i < count; i++) row[i] = order[i];
    return una_suggest_inputs(&s->region, s, from, row, count);
}

/* ---- points inside ranges ------------------------------------------------------------------------------------ */

typedef struct range { double low, high, step; } range;

/* What is written down and set on a dial: three digits of the range. */
static double handy_step(double low, double high)
{
    return high > low ? pow(10, floor(log10((high - low) / 1000) + 1e-9)) : 0;
}

static range range_of_rows(const double *number, size_t rows)
{
    range r = { HUGE_VAL, -HUGE_VAL, 0 };
    bool whole = true;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(number[i])) continue;
        r.low = fmin(r.low, number[i]);
        r.high = fmax(r.high, number[i]);
        whole = whole && number[i] == floor(number[i]);
    }
    r.step = whole ? 1 : handy_step(r.low, r.high);
    return r;
}

static una_status find_range(range *r, const una_source *source, const una_input *input, const una_dataset *data,
                             una_run *run)
{
    size_t column;
    if (data) {
        UNA_TRY(una_dataset_find(&column, data, source->name, run));
        const double *number = una_dataset_numbers(data, column);
        if (number) *r = range_of_rows(number, una_dataset_row_count(data));
        if (number && r->low <= r->high) return UNA_OK;
        UNA_FAIL(run, UNA_E_INPUT, "%s: the column '%.60s' holds no number, so there is no range to look in",
                 una_dataset_origin(data), source->name);
    }

    r->low = input->centre - 2 * input->scale;
    r->high = input->centre + 2 * input->scale;
    if (source->form == UNA_CELLS_TIME) {        /* a day has no other times */
        r->low = fmax(r->low, 0);
        r->high = fmin(r->high, 86399 / 86400.0);
    }
    r->step = handy_step(r->low, r->high);
    return UNA_OK;
}

static double place_in(const range *r, double unit)
{
    double x = r->low + (r->high - r->low) * unit;
    if (r->step > 0) x = r->step * round(x / r->step);
    return fmin(fmax(x, r->low), r->high);
}

una_status una_suggest_points(una_survey *survey, const una_dataset *data, size_t count)
{
    const una_columns *columns = &survey->model->columns;
    const una_input *input = columns->inputs;    /* the first of each source */
    size_t inputs = columns->source_count;
    una_run *run = survey->run;
    cells c;
    UNA_TRY(new_cells(&c, columns, count, &run->scratch));
    UNA_NEW(&run->scratch, range, ranges, inputs);
    UNA_NEW(&run->scratch, double, unit, inputs);
    for (size_t s = 0; s < inputs; input += una_source_inputs(&columns->sources[s++]))
        if (c.number[s]) UNA_TRY(find_range(&ranges[s], &columns->sources[s], input, data, run));
    for (size_t i = 0; i < count; i++) {
        UNA_TRY(una_check_cancelled(run, STAGE));
        una_quasi(unit, inputs, i, run->settings.seed);
        for (size_t s = 0; s < inputs; s++) {
            const una_source *source = &columns->sources[s];
            size_t levels = una_source_words(source);    /* of "other" nobody knows what it is */
            if (c.number[s]) c.number[s][i] = place_in(&ranges[s], unit[s]);
            else c.word[s][i] = source->levels[levels ? (size_t)(unit[s] * (double)levels) : 0];
        }
    }
    UNA_TRY(table_of_cells(&survey->points, &c, survey, count));
    for (size_t s = 0; s < inputs; s++)
        survey->points->column[s].form.kind = columns->sources[s].form;  /* so that days are written as dates */
    return UNA_OK;
}

/* ---- a first look at many rows ------------------------------------------------------------------------------- */

/* Rows as often as they have variance: position (k + u)/most of the sum of variances. Each once, in order. */
static size_t by_variance(size_t *row, size_t most, const double *std, size_t rows, una_run *run)
{
    double sum = 0, passed = 0;
    size_t count = 0, k = 0;
    if (rows <= most) {
        for (; count < rows; count++) row[count] = count;
        return count;
    }
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_SEARCH, STREAM_ROWS);
    double shift = una_rng_uniform(&rng);
    for (size_t i = 0; i < rows; i++) sum += std[i] * std[i];
    for (size_t i = 0; i < rows && k < most; i++) {
        size_t before = k;
        passed += std[i] * std[i];
        while (k < most && ((double)k + shift) * sum < passed * (double)most) k++;
        if (k > before) row[count++] = i;
    }
    return count;
}

typedef struct drawn {                   /* rows that may be measured, then rows of the region                       */
    size_t  rows, all;
    double *cov;                         /* [all, all] of the functions drawn                                        */
    double *noise;                       /* [rows] variances                                                         */
    bool   *taken;                       /* [rows]                                                                   */
} drawn;

static una_status sample_covariances(double *cov, double *f, size_t draws, size_t all, una_run *run)
{
    for (size_t r = 0; r < all; r++) {
        double mean = 0;
        for (size_t k = 0; k < draws; k++) mean += f[k * all + r] / (double)draws;
        for (size_t k = 0; k < draws; k++) f[k * all + r] -= mean;
    }
    for (size_t k = 0; k < draws; k++) {
        UNA_TRY(una_check_cancelled(run, STAGE));
        for (size_t r = 0; r < all; r++) {
            const double *g = f + k * all;
            double share = g[r] / (double)(draws - 1);
            for (size_t q = 0; q < all; q++) cov[r * all + q] += share * g[q];
        }
    }
    return UNA_OK;
}

/* The row that takes most from the region; SIZE_MAX: none is left. */
static size_t most_promising(const drawn *d)
{
    size_t best = SIZE_MAX;
    double most = -1;
    for (size_t c = 0; c < d->rows; c++) {
        if (d->taken[c]) continue;
        const double *with = d->cov + c * d->all;
        double gain = 0;
        for (size_t j = d->rows; j < d->all; j++) gain += with[j] * with[j];
        gain /= fmax(with[c], 0) + d->noise[c];
        if (gain > most) most = gain, best = c;
    }
    return best;
}

static void condition_draws_on(drawn *d, size_t c, double *with)
{
    double var = fmax(d->cov[c * d->all + c], 0) + d->noise[c];
    memcpy(with, d->cov + c * d->all, d->all * sizeof *with);
    for (size_t r = 0; r < d->all; r++)
        for (size_t q = 0; q < d->all; q++) d->cov[r * d->all + q] -= with[r] * with[q] / var;
    d->taken[c] = true;
}

static una_status draw_both(drawn *d, const una_survey *s, const una_dataset *rows, const una_dataset *region)
{
    una_dataset *both;
    UNA_NEW(&s->run->scratch, double, f, DRAWS * d->all);
    UNA_TRY(una_dataset_join(&both, rows, region, s->run));
    UNA_TRY(una_keep_dataset(&s->run->scratch, both));
    UNA_TRY(una_model_draw(s->model, both, DRAWS, 0, f, s->run));
    return sample_covariances(d->cov, f, DRAWS, d->all, s->run);
}

una_status una_suggest_screen(una_survey *s, size_t *count)
{
    size_t rows = una_dataset_row_count(s->pool), wanted = *count, most = wanted > DRAWN_ROWS ? wanted : DRAWN_ROWS;
    size_t some = una_dataset_row_count(s->region) < DRAWN_REGION ? una_dataset_row_count(s->region) : DRAWN_REGION;
    una_run *run = s->run;
    una_arena *scratch = &run->scratch;
    una_prediction out = { .size = sizeof out };
    una_dataset *drawn_rows, *drawn_region;
    drawn d = {0};
    UNA_NEW_AT(scratch, out.std_epistemic, rows);
    UNA_NEW_AT(scratch, out.std_noise, rows);
    UNA_NEW(scratch, size_t, drawn_row, most);
    UNA_TRY(una_model_predict(s->model, s->pool, 0.95, &out, run));
    d.rows = by_variance(drawn_row, most, out.std_epistemic, rows, run);
    d.all = d.rows + some;
    UNA_NEW_AT(scratch, d.noise, d.rows);
    UNA_NEW_AT(scratch, d.cov, d.all * d.all);
    UNA_NEW_AT(scratch, d.taken, d.rows);
    UNA_NEW(scratch, double, with, d.all);
    for (size_t c = 0; c < d.rows; c++) d.noise[c] = out.std_noise[drawn_row[c]] * out.std_noise[drawn_row[c]];
    UNA_TRY(una_suggest_inputs(&drawn_rows, s, s->pool, drawn_row, d.rows));
    UNA_TRY(una_suggest_inputs(&drawn_region, s, s->region, NULL, some));
    UNA_SCOPED(run, draw_both(&d, s, drawn_rows, drawn_region));

    for (*count = 0; *count < wanted; ++*count) {
        UNA_TRY(una_check_cancelled(run, STAGE));
        size_t c = most_promising(&d);
        if (c == SIZE_MAX) break;
        condition_draws_on(&d, c, with);
        s->row[*count] = drawn_row[c];
    }
    return UNA_OK;
}
