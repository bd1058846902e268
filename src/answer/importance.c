/* SPDX-License-Identifier: MIT
 *
 * Which inputs matter: how much worse a row's prediction becomes when one column is shuffled among rows that the
 * judging model has not seen (permutation importance).
 *   d_is = (y_i - f(x_i with column s of another row))^2 - (y_i - f(x_i))^2,   averaged over a few shuffles,
 *   rise_s = mean_i d_is / var(y),   95 % interval: rise_s +- 1.96 sd_i(d_is) / (sqrt(n) var(y)).
 * Judging models have not been taught by the rows that judge. Kinds whose features do not learn from the target (gp,
 * linear) get their posterior anew without each of five folds in turn (or, of many rows, without those that judge),
 * with their hyper-parameters as they are. Others are fitted again to 70 % of the rows, of few rows twice, with every
 * option as the model has it but no more than two members: a committee's features have all been taught by most of the
 * rows, and on rows that taught it a network misses also inputs that are of no use to it elsewhere.
 * Source: Breiman 2001; Fisher, Rudin and Dominici 2019.
 */
#include "data/columns.h"
#include "model/held_out.h"
#include "model/several.h"
#include "model/split.h"

#include <stdlib.h>
#include <string.h>

enum { FOLDS = 5, MOST_JUDGED = 1000, MOST_REPEATS = 5, BUDGET = 40000, LEAST_JUDGED = 100, LEAST_ROWS = 10,
       FEW_MEMBERS = 2 };
static const double judged_share = 0.3, wide = 1.959964;

typedef struct result {
    una_importance face;                 /* first, so that a pointer to it is one to all                    */
    una_arena keep;
    una_run  *run;
} result;

typedef struct work {
    const una_model *model;
    const una_dataset *data;
    size_t   rows, *kept;                /* rows that have what is needed, and which of the table they are  */
    double  *x, *y, *own;                /* encoded; and the target in its own units                        */
    uint32_t *order;                     /* of the rows, shuffled: judged ones are taken from its beginning */
    size_t   judged, folds, repeats;
    double  *error, *rise;               /* [judged] squared; [judged, inputs] d_is                         */
} work;

/* ---- who judges ------------------------------------------------------------------------------------------- */

static bool keeps_features(const una_kind *kind)
{
    return kind->relearn && !kind->learns_features;
}

/* Rows order[0..judged) from `from` on up to `to` judge, all others teach. */
static una_status take_teachers(una_problem *p, const work *w, size_t from, size_t to, una_run *run)
{
    const una_model *model = w->model;
    size_t inputs = model->columns.input_count, count = 0;
    double *x = UNA_GET_ROWS(&run->scratch, double, w->rows * inputs), *y = UNA_GET(&run->scratch, double, w->rows);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t k = 0; k < w->rows; k++) {
        size_t row = w->order[k];
        if (k >= from && k < to) continue;
        memcpy(x + count * inputs, w->x + row * inputs, inputs * sizeof *x);
        y[count++] = w->y[row];
    }
    *p = (una_problem){ .x = { x, count, inputs, inputs }, .y = y, .outputs = 1, .columns = &model->columns,
                        .data = w->data, .seed = run->settings.seed, .table_rows = count };
    return UNA_OK;
}

static una_status teach_posterior(una_model *judge, const work *w, const una_problem *p, una_run *run)
{
    const una_model *model = w->model;
    una_archive bytes;
    void *options;
    UNA_TRY(una_model_options(&options, model, &run->scratch, run));
    if (model->options) memcpy(options, model->options, model->kind->options_size);      /* else it was loaded */
    *judge = *model;
    UNA_TRY(una_model_snapshot(&bytes, model, &run->scratch, run));
    UNA_TRY(una_model_revive(&judge->state, model, &bytes, &run->scratch, run));
    una_fit_result told = una_fit_result_in(&run->scratch);
    UNA_TRY(model->kind->relearn(judge->state, options, p, &told, &run->scratch, run));
    judge->options = options;
    return una_arena_check(&run->scratch);
}

/* The spec with no more than two members, wherever it speaks of some; *cut: it did. */
static const char *few_members(const char *spec, bool *cut, una_arena *arena)
{
    static const char key[] = "members=";
    una_text text = una_text_in(arena);
    const char *from = spec;
    *cut = false;
    for (const char *at = spec; (at = strstr(at, key));) {
        const char *number = at + sizeof key - 1;
        size_t digits = strspn(number, "0123456789");
        bool whole = at > spec && strchr("( ,", at[-1]) && (digits > 1 || (digits == 1 && *number > '2'));
        at = number + digits;
        if (!whole) continue;
        una_text_bytes(&text, from, (size_t)(number - from));
        una_text_add(&text, "%d", FEW_MEMBERS);
        from = at;
        *cut = true;
    }
    una_text_add(&text, "%s", from);
    return text.at;
}

/* Rows are seen as the model sees them. */
static una_status fit_again(una_model *judge, const work *w, una_problem *p, una_arena *keep, una_run *run)
{
    const una_fit_settings plain = UNA_INIT(una_fit_settings);
    una_fit_result told = una_fit_result_in(keep);       /* scratch goes back while the fit goes on */
    bool cut;
    if (run->settings.ranks)
        UNA_FAIL(run, UNA_E_USAGE, "%s would have to be fitted again to say which inputs matter, which one of several "
                 "ranks cannot do", w->model->kind->name);
    const char *spec = few_members(w->model->info.spec, &cut, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_model_begin_again(judge, w->model, spec, keep, run));
    UNA_TRY(una_problem_split(p, judge->kind, judge->options, &plain, &told, run));
    UNA_TRY(judge->kind->fit(judge->state, judge->options, p, &told, keep, run));
    return una_arena_check(keep);
}

/* ---- what shuffling costs --------------------------------------------------------------------------------- */

typedef struct panel {                   /* rows that one judge judges                                      */
    const una_model *judge;
    size_t  rows, inputs;
    double *x, *shuffled, *mean;
    const double *y;
} panel;

/* d_is of one source, added to rise[, step]. */
static una_status shuffle_source(panel *p, const double *error, size_t source, double *rise, size_t step, una_rng rng,
                                 double share, una_run *run)
{
    const una_columns *columns = &p->judge->columns;
    una_mark mark = una_arena_mark(&run->scratch);
    uint32_t *other = NULL;
    una_prediction out = { .size = sizeof out, .mean = p->mean };
    UNA_TRY(una_order_new(&other, p->rows, &run->scratch));
    una_rng_permute(&rng, other, p->rows);
    memcpy(p->shuffled, p->x, p->rows * p->inputs * sizeof *p->x);
    for (size_t d = 0; d < p->inputs; d++) {
        if (columns->inputs[d].source != source) continue;
        for (size_t i = 0; i < p->rows; i++) p->shuffled[i * p->inputs + d] = p->x[other[i] * p->inputs + d];
    }
    UNA_TRY(una_model_predict_encoded(p->judge, p->shuffled, p->rows, 0.95, &out, run));
    for (size_t i = 0; i < p->rows; i++)
        rise[i * step] += share * ((p->y[i] - p->mean[i]) * (p->y[i] - p->mean[i]) - error[i]);
    una_arena_release(&run->scratch, mark);
    return UNA_OK;
}

static una_status judge_panel(panel *p, work *w, size_t from, una_run *run)
{
    const una_columns *mine = &w->model->columns;
    double *error = w->error + from, *rise = w->rise + from * mine->source_count;
    una_prediction out = { .size = sizeof out, .mean = p->mean };
    UNA_TRY(una_model_predict_encoded(p->judge, p->x, p->rows, 0.95, &out, run));
    for (size_t i = 0; i < p->rows; i++) error[i] = (p->y[i] - p->mean[i]) * (p->y[i] - p->mean[i]);

    for (size_t s = 0; s < mine->source_count; s++) {
        for (size_t r = 0; r < w->repeats; r++) {
            uint64_t key = 1 + ((uint64_t)from * mine->source_count + s) * MOST_REPEATS + r;
            una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_REPORT, key);
            UNA_TRY(shuffle_source(p, error, s, rise + s, mine->source_count, rng, 1 / (double)w->repeats, run));
        }
        double done = (double)from + (double)p->rows * (double)(s + 1) / (double)mine->source_count;
        UNA_TRY(una_tick(run, "asking which inputs matter", done / (double)w->judged, NAN));
    }
    return UNA_OK;
}

static una_status seat_panel(panel *p, const work *w, const una_model *judge, size_t from, size_t to, una_run *run)
{
    size_t rows = to - from, inputs = judge->columns.input_count;
    double *y = UNA_GET(&run->scratch, double, rows);
    *p = (panel){ .judge = judge, .rows = rows, .inputs = inputs, .y = y,
                  .x = UNA_GET(&run->scratch, double, rows * inputs),
                  .shuffled = UNA_GET(&run->scratch, double, rows * inputs),
                  .mean = UNA_GET(&run->scratch, double, rows) };
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < rows; i++) {
        size_t row = w->order[from + i];
        y[i] = w->own[row];
        memcpy(p->x + i * inputs, w->x + row * inputs, inputs * sizeof *p->x);
    }
    return UNA_OK;
}

static una_status judge_fold(work *w, size_t from, size_t to, una_run *run)
{
    una_model judge;
    una_problem others;
    una_arena keep;
    panel p;
    bool kept = keeps_features(w->model->kind);
    UNA_TRY(take_teachers(&others, w, from, to, run));
    una_arena_init(&keep, run);
    una_status status = kept ? teach_posterior(&judge, w, &others, run) : fit_again(&judge, w, &others, &keep, run);
    if (status == UNA_OK) status = seat_panel(&p, w, &judge, from, to, run);
    if (status == UNA_OK) status = judge_panel(&p, w, from, run);
    una_arena_free(&keep);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static una_status choose_sizes(work *w, una_run *run)
{
    size_t inputs = w->model->columns.source_count;
    bool cut, kept = keeps_features(w->model->kind), few = w->rows <= MOST_JUDGED;
    few_members(w->model->info.spec, &cut, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    w->folds = kept && few ? FOLDS : cut && few ? 2 : 1;
    double share = (double)w->folds * judged_share;
    w->judged = kept && few ? w->rows : least_of(MOST_JUDGED, (size_t)(share * (double)w->rows));
    size_t affordable = BUDGET / inputs > LEAST_JUDGED ? BUDGET / inputs : LEAST_JUDGED;
    w->judged = least_of(w->judged, affordable);
    w->repeats = BUDGET / (w->judged * inputs);
    if (w->repeats > MOST_REPEATS) w->repeats = MOST_REPEATS;
    if (w->repeats < 1) w->repeats = 1;
    return UNA_OK;
}

static una_status prepare(work *w, una_run *run)
{
    const una_columns *columns = &w->model->columns;
    size_t target;
    if (columns->sources[0].image.height)
        UNA_FAIL(run, UNA_E_USAGE, "a model of images has no columns of which one could matter more than another");
    UNA_TRY(una_table_need(&target, w->data, columns->target, run));
    UNA_TRY(una_columns_encode(columns, w->data, &w->x, &w->y, &w->kept, &w->rows, &run->scratch, run));
    if (w->rows < LEAST_ROWS)
        UNA_FAIL(run, UNA_E_INPUT, "%s: %zu rows are too few to say which inputs matter; %d are needed",
                 w->data->origin, w->rows, LEAST_ROWS);

    UNA_TRY(choose_sizes(w, run));
    w->own = UNA_GET(&run->scratch, double, w->rows);
    w->error = UNA_GET(&run->scratch, double, w->judged);
    w->rise = UNA_GET(&run->scratch, double, w->judged * columns->source_count);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < w->rows; i++) w->own[i] = w->data->column[target].number[w->kept[i]];
    UNA_TRY(una_order_new(&w->order, w->rows, &run->scratch));
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_REPORT, 0);
    una_rng_permute(&rng, w->order, w->rows);
    return UNA_OK;
}

typedef struct ranked { double rise; size_t input; } ranked;

static int by_rise(const void *a, const void *b)
{
    const ranked *p = a, *q = b;
    if (p->rise != q->rise) return p->rise > q->rise ? -1 : 1;
    return (p->input > q->input) - (p->input < q->input);
}

static double mean_of(const double *at, size_t count, size_t step)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += at[i * step];
    return sum / (double)count;
}

static una_status summarise(result *out, const work *w, una_run *run)
{
    size_t inputs = w->model->columns.source_count, n = w->judged;
    double *rise = UNA_GET(&out->keep, double, inputs), *low = UNA_GET(&out->keep, double, inputs);
    double *high = UNA_GET(&out->keep, double, inputs);
    const char **names = UNA_GET(&out->keep, const char *, inputs);
    size_t *order = UNA_GET(&out->keep, size_t, inputs);
    ranked *list = UNA_GET(&run->scratch, ranked, inputs);
    UNA_TRY(una_arena_check(&out->keep));
    UNA_TRY(una_arena_check(&run->scratch));

    double centre = mean_of(w->own, w->rows, 1), var = 0;
    for (size_t i = 0; i < w->rows; i++) var += (w->own[i] - centre) * (w->own[i] - centre) / (double)w->rows;
    for (size_t s = 0; s < inputs; s++) {
        double mean = mean_of(w->rise + s, n, inputs), square = 0;
        for (size_t i = 0; i < n; i++) square += pow(w->rise[i * inputs + s] - mean, 2);
        double half = wide * sqrt(square / (double)(n - 1) / (double)n);
        rise[s] = mean / var, low[s] = (mean - half) / var, high[s] = (mean + half) / var;
        names[s] = una_arena_text(&out->keep, w->model->columns.sources[s].name);
        list[s] = (ranked){ rise[s], s };
    }
    qsort(list, inputs, sizeof *list, by_rise);
    for (size_t s = 0; s < inputs; s++) order[s] = list[s].input;
    out->face = (una_importance){ .target = una_arena_text(&out->keep, w->model->columns.target), .inputs = inputs,
        .rows = n, .repeats = w->repeats, .names = names, .rise = rise, .low = low, .high = high, .order = order,
        .error = mean_of(w->error, n, 1) / var };
    return una_arena_check(&out->keep);
}

static una_status judge_all(result *out, work *w, una_run *run)
{
    UNA_TRY(una_model_need_one(w->model, run));
    UNA_TRY(prepare(w, run));
    for (size_t f = 0; f < w->folds; f++) {
        una_mark mark = una_arena_mark(&run->scratch);
        UNA_TRY(judge_fold(w, f * w->judged / w->folds, (f + 1) * w->judged / w->folds, run));
        una_arena_release(&run->scratch, mark);
    }
    return summarise(out, w, run);
}

una_status una_importance_of(una_importance **importance, const una_model *model, const una_dataset *data, una_run *run)
{
    *importance = NULL;
    una_clear_message(run);
    result *out = una_allocate(run, sizeof *out);
    if (!out) return UNA_E_MEMORY;
    *out = (result){ .run = run };
    una_arena_init(&out->keep, run);

    work w = { .model = model, .data = data };
    una_mark mark = una_arena_mark(&run->scratch);
    void (*log)(void *, una_log_level, const char *) = run->settings.log;
    run->settings.log = NULL;                            /* what judges note is of no use to anybody */
    una_status status = judge_all(out, &w, run);
    run->settings.log = log;
    una_arena_release(&run->scratch, mark);
    if (status == UNA_OK) *importance = &out->face;
    else una_importance_free(&out->face);
    return status;
}

void una_importance_free(una_importance *importance)
{
    if (!importance) return;
    result *out = (result *)(void *)importance;
    una_run *run = out->run;
    una_arena_free(&out->keep);
    una_release(run, out);
}
