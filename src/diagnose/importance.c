/* SPDX-License-Identifier: MIT
 *
 * Which inputs matter: how much worse a row's prediction becomes when one column is shuffled among rows on which the
 * model was not trained (permutation importance).
 *   d_is = (y_i - f(x_i with column s of another row))^2 - (y_i - f(x_i))^2,   averaged over a few shuffles,
 *   rise_s = mean_i d_is / var(y),   95 % interval: rise_s +- 1.96 sd_i(d_is) / (sqrt(n) var(y)).
 * The models used here are refits without the rows on which they are evaluated. Kinds whose features do not learn from
 * the target (gp, linear) get a new posterior without each of five folds in turn (or, with many rows, without the rows
 * to evaluate), with their hyper-parameters as they are. Others are refitted on 70 % of the rows, twice if rows are
 * few, with every option as in the model but at most two members: most rows have trained some member of a committee,
 * and on rows that trained it a network also misses inputs that are of no use elsewhere.
 * Source: Breiman 2001; Fisher, Rudin and Dominici 2019.
 */
#include "data/columns.h"
#include "model/held_out.h"
#include "model/several.h"
#include "model/teams.h"
#include "model/validation_split.h"

enum { FOLDS = 5, MOST_EVALUATED = 1000, MOST_REPEATS = 5, BUDGET = 40000, LEAST_EVALUATED = 100, LEAST_ROWS = 10,
       FEW_MEMBERS = 2 };
static const double evaluated_share = 0.3, wide = 1.959964;

typedef struct work {
    const una_model *model;
    const una_dataset *data;
    una_problem all;                     /* rows that have all inputs and the target, those to evaluate first */
    double  *own, var;                   /* the target in its own units, and its variance                   */
    size_t   evaluated, folds, repeats;
    double  *error, *rise;               /* [evaluated] squared; [evaluated, inputs] d_is                         */
} work;

/* ---- refits ----------------------------------------------------------------------------------------------- */

static bool keeps_features(const una_kind *kind)
{
    return kind->relearn && !kind->validation;
}

/* Rows from .. to are left out. */
static una_status without_rows(una_problem *p, const work *w, size_t from, size_t to, una_run *run)
{
    UNA_NEW(&run->scratch, unsigned char, left_out, w->all.x.rows);
    memset(left_out + from, 1, to - from);
    *p = w->all;
    p->fold = left_out;
    return una_problem_without_fold(p, 1, &run->scratch);
}

static una_status posterior_without_rows(una_model *refit, const work *w, const una_problem *others, una_arena *keep,
                                         una_run *run)
{
    const una_model *model = w->model;
    una_problem p = *others;
    const una_learnt old = una_model_learnt(model);
    void *options;
    UNA_TRY(una_kind_options(&options, model->kind, model->info.spec, &run->scratch, run));
    if (model->options) memcpy(options, model->options, model->kind->options_size);      /* else it was loaded */
    *refit = *model;
    UNA_TRY(una_state_copy(&refit->state, &old, keep, run));
    una_fit_result found = una_fit_result_in(&run->scratch);
    refit->options = options;
    p.valid_x.rows = 0;
    p.table_rows = p.x.rows;
    return una_model_learn(una_calls(model->kind)->relearn, refit, &p, &found, &run->scratch, run);
}

/* The spec with at most two members, wherever it names a number of them; *cut: it was changed. */
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

/* Rows are encoded as for the model. */
static una_status importance_refit(una_model *refit, const work *w, const una_problem *others, una_arena *keep,
                                   una_run *run)
{
    const una_fit_settings plain = UNA_INIT(una_fit_settings);
    bool cut;
    if (run->settings.ranks)
        UNA_FAIL(run, UNA_E_USAGE, "%s would have to be fitted again to say which inputs matter, which one of several "
                 "ranks cannot do", w->model->kind->name);
    const char *spec = few_members(w->model->info.spec, &cut, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_model_begin_again(refit, w->model, spec, keep, run));
    return una_model_refit(refit, others, &plain, keep, run);
}

/* ---- the cost of shuffling -------------------------------------------------------------------------------- */

typedef struct panel {                   /* rows that one refit evaluates                                   */
    const una_model *refit;
    size_t  rows, inputs, sources;
    const double *x, *y;
    double *shuffled, *mean;
    double *error, *rise;                /* [rows], [rows, sources]: what the work has of them              */
} panel;

/* d_is of one source, a share of it added to what stands there. */
static una_status shuffle_source(panel *p, size_t source, una_rng rng, double share, una_run *run)
{
    const una_columns *columns = &p->refit->columns;
    uint32_t *other = NULL;
    const una_bands asked = { .level = 0.95, .out = { .mean = p->mean } };
    UNA_TRY(una_order_new(&other, p->rows, &run->scratch));
    una_rng_permute(&rng, other, p->rows);
    memcpy(p->shuffled, p->x, p->rows * p->inputs * sizeof *p->x);
    for (size_t d = 0; d < p->inputs; d++) {
        if (columns->inputs[d].source != source) continue;
        for (size_t i = 0; i < p->rows; i++) p->shuffled[i * p->inputs + d] = p->x[other[i] * p->inputs + d];
    }
    UNA_TRY(una_model_answer_encoded(p->refit, p->shuffled, p->rows, &asked, run));
    for (size_t i = 0; i < p->rows; i++)
        p->rise[i * p->sources + source] +=
            share * ((p->y[i] - p->mean[i]) * (p->y[i] - p->mean[i]) - p->error[i]);
    return UNA_OK;
}

static una_status score_panel(panel *p, const work *w, size_t from, una_run *run)
{
    const una_bands asked = { .level = 0.95, .out = { .mean = p->mean } };
    UNA_TRY(una_model_answer_encoded(p->refit, p->x, p->rows, &asked, run));
    for (size_t i = 0; i < p->rows; i++) p->error[i] = (p->y[i] - p->mean[i]) * (p->y[i] - p->mean[i]);

    for (size_t s = 0; s < p->sources; s++) {
        for (size_t r = 0; r < w->repeats; r++) {
            uint64_t key = 1 + ((uint64_t)from * p->sources + s) * MOST_REPEATS + r;
            una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_REPORT, key);
            UNA_SCOPED(run, shuffle_source(p, s, rng, 1 / (double)w->repeats, run));
        }
        double done = (double)from + (double)p->rows * (double)(s + 1) / (double)p->sources;
        UNA_TRY(una_tick(run, "asking which inputs matter", done / (double)w->evaluated, NAN));
    }
    return UNA_OK;
}

static una_status score_fold(work *w, size_t from, size_t to, una_run *run)
{
    una_model refit;
    una_problem others;
    una_arena keep;
    size_t inputs = w->model->columns.input_count, sources = w->model->columns.source_count;
    panel p = { .refit = &refit, .rows = to - from, .inputs = inputs, .sources = sources, .x = w->all.x.at + from * inputs,
                .y = w->own + from, .error = w->error + from, .rise = w->rise + from * sources };
    UNA_NEW_AT(&run->scratch, p.shuffled, p.rows * inputs);
    UNA_NEW_AT(&run->scratch, p.mean, p.rows);
    UNA_TRY(without_rows(&others, w, from, to, run));
    una_arena_init(&keep, run);
    una_status status = keeps_features(w->model->kind) ? posterior_without_rows(&refit, w, &others, &keep, run)
                                                       : importance_refit(&refit, w, &others, &keep, run);
    if (status == UNA_OK) status = score_panel(&p, w, from, run);
    una_arena_free(&keep);
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

static size_t smaller_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

static una_status choose_sizes(work *w, una_run *run)
{
    size_t inputs = w->model->columns.source_count;
    bool cut, kept = keeps_features(w->model->kind), few = w->all.x.rows <= MOST_EVALUATED;
    few_members(w->model->info.spec, &cut, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    w->folds = 1;
    if (few && cut) w->folds = 2;
    if (few && kept) w->folds = FOLDS;
    double share = (double)w->folds * evaluated_share;
    w->evaluated = kept && few ? w->all.x.rows : smaller_of(MOST_EVALUATED, (size_t)(share * (double)w->all.x.rows));
    size_t affordable = BUDGET / inputs > LEAST_EVALUATED ? BUDGET / inputs : LEAST_EVALUATED;
    w->evaluated = smaller_of(w->evaluated, affordable);
    w->repeats = BUDGET / (w->evaluated * inputs);
    if (w->repeats > MOST_REPEATS) w->repeats = MOST_REPEATS;
    if (w->repeats < 1) w->repeats = 1;
    return UNA_OK;
}

static double strided_mean(const double *at, size_t count, size_t step)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += at[i * step];
    return sum / (double)count;
}

/* Near copies go; rows of a group stay together, where the table has the column and enough of them. */
static una_status find_teams(work *w, una_run *run)
{
    const char *group = w->model->columns.selection.group;
    if (group && una_table_find(w->data, group) == SIZE_MAX) return UNA_OK;
    una_status status = una_teams_find(&w->all, NULL, run);
    if (status != UNA_E_INPUT) return status;
    una_clear_message(run);
    return UNA_OK;
}

/* Rows of a team follow the first of them. */
static una_status keep_teams_together(uint32_t *order, const una_problem *p, una_run *run)
{
    size_t rows = p->x.rows, to = 0;
    una_copies teams;
    if (!p->team) return UNA_OK;
    UNA_TRY(una_copies_of_labels(&teams, p->team, rows, &run->scratch, run));
    UNA_NEW_ROWS(&run->scratch, bool, placed, rows);
    UNA_COPY_BYTES(&run->scratch, uint32_t, mixed, order, rows * sizeof *order);
    for (size_t i = 0; i < rows; i++)
        for (size_t row = mixed[i]; !placed[row]; row = teams.next[row]) {
            placed[row] = true;
            order[to++] = (uint32_t)row;
        }
    return UNA_OK;
}

/* Encoded rows in a random order: those to evaluate come first. */
static una_status shuffle_rows(work *w, const double *own, una_run *run)
{
    una_problem *p = &w->all;
    size_t rows = p->x.rows, inputs = p->x.cols;
    uint32_t *order;
    UNA_NEW_ROWS(&run->scratch, double, x, rows * inputs);
    UNA_NEW_ROWS(&run->scratch, double, y, rows);
    UNA_NEW_ROWS_AT(&run->scratch, w->own, rows);
    uint32_t *team = p->team ? UNA_GET_ROWS(&run->scratch, uint32_t, rows) : NULL;
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_order_new(&order, rows, &run->scratch));
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_REPORT, 0);
    una_rng_permute(&rng, order, rows);
    UNA_TRY(keep_teams_together(order, p, run));
    for (size_t k = 0; k < rows; k++) {
        if (team) team[k] = p->team[order[k]];
        memcpy(x + k * inputs, p->x.at + order[k] * inputs, inputs * sizeof *x);
        y[k] = p->y[order[k]];
        w->own[k] = own[order[k]];
    }
    p->x.at = x;
    p->y = y;
    p->team = team;
    return UNA_OK;
}

static una_status importance_begin(work *w, una_run *run)
{
    const una_columns *columns = &w->model->columns;
    size_t target;
    if (columns->sources[0].image.height)
        UNA_FAIL(run, UNA_E_USAGE, "a model of images has no columns of which one could matter more than another");
    UNA_TRY(una_table_need(&target, w->data, columns->target, run));
    UNA_TRY(una_problem_encode(&w->all, w->model, w->data, run));
    UNA_TRY(find_teams(w, run));
    size_t rows = w->all.x.rows;
    if (rows < LEAST_ROWS)
        UNA_FAIL(run, UNA_E_INPUT, "%s: %zu rows are too few to say which inputs matter; %d are needed",
                 w->data->origin, rows, LEAST_ROWS);

    UNA_TRY(choose_sizes(w, run));
    UNA_NEW(&run->scratch, double, own, rows);
    UNA_NEW_AT(&run->scratch, w->error, w->evaluated);
    UNA_NEW_AT(&run->scratch, w->rise, w->evaluated * columns->source_count);
    for (size_t i = 0; i < rows; i++) own[i] = w->data->column[target].number[w->all.origin[i]];
    double centre = strided_mean(own, rows, 1);
    for (size_t i = 0; i < rows; i++) w->var += (own[i] - centre) * (own[i] - centre) / (double)rows;
    return shuffle_rows(w, own, run);
}

static una_status summarise_columns(una_importance *out, una_arena *keep, const work *w, una_run *run)
{
    size_t inputs = w->model->columns.source_count, n = w->evaluated;
    UNA_NEW(keep, double, rise, inputs);
    UNA_NEW(keep, double, low, inputs);
    UNA_NEW(keep, double, high, inputs);
    UNA_NEW(keep, const char *, names, inputs);
    UNA_NEW(&run->scratch, double, down, inputs);

    double var = w->var;
    for (size_t s = 0; s < inputs; s++) {
        double mean = strided_mean(w->rise + s, n, inputs), square = 0;
        for (size_t i = 0; i < n; i++) square += pow(w->rise[i * inputs + s] - mean, 2);
        double half = wide * sqrt(square / (double)(n - 1) / (double)n);
        rise[s] = mean / var, low[s] = (mean - half) / var, high[s] = (mean + half) / var;
        names[s] = una_arena_text(keep, w->model->columns.sources[s].name);
        down[s] = -rise[s];
    }
    *out = (una_importance){ .target = una_arena_text(keep, w->model->columns.target), .inputs = inputs,
        .rows = n, .repeats = w->repeats, .names = names, .rise = rise, .low = low, .high = high,
        .order = una_order_of(down, inputs, keep), .error = strided_mean(w->error, n, 1) / var };
    return una_arena_check(keep);
}

static una_status score_all_folds(una_importance *out, una_arena *keep, work *w, una_run *run)
{
    UNA_TRY(una_model_need_one(w->model, run));
    UNA_TRY(importance_begin(w, run));
    for (size_t f = 0; f < w->folds; f++)
        UNA_SCOPED(run, score_fold(w, f * w->evaluated / w->folds, (f + 1) * w->evaluated / w->folds, run));
    return summarise_columns(out, keep, w, run);
}

una_status una_importance_of(una_importance **importance, const una_model *model, const una_dataset *data, una_run *run)
{
    *importance = NULL;
    una_clear_message(run);
    una_arena *keep;
    una_importance *out = una_result_new(&keep, sizeof *out, run);
    if (!out) return UNA_E_MEMORY;

    work w = { .model = model, .data = data };
    void (*log)(void *, una_log_level, const char *) = run->settings.log;
    run->settings.log = NULL;                            /* notes of refits are of no use */
    una_status status;
    UNA_SCOPED_CALL(status, run, score_all_folds(out, keep, &w, run));
    run->settings.log = log;
    *importance = una_result_if(status, out);
    return status;
}

void una_importance_free(una_importance *importance)
{
    una_result_free(importance);
}
