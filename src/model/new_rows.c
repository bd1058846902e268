/* SPDX-License-Identifier: MIT
 *
 * New rows against the model that takes them in. See new_rows.h.
 */
#include "model/new_rows.h"

#include "la/la.h"
#include "la/mixture.h"
#include "model/several.h"

/* Rows that are predicted: of the first rows of an update so many, of each later piece fewer, evenly spread. Fewer rows
 * of different inputs than LEAST say nothing. Neighbours are looked for among MOST_PAIRS, or fewer of many inputs. */
enum { MOST_FIRST = 4096, MOST_LATER = 512, LEAST = 5, MOST_PAIRS = 1000, MOST_DIFFERENCES = 20000000 };

static const double NOISE_OFF = 1.15 * 1.15, IGNORANCE_OFF = 4, TOGETHER = 3, ERRORS = 3.3, PAIR_ERRORS = 1.42 * 3.3;
static const double ALIKE = 0.25, REVERSED = -0.5;

typedef struct sight {                   /* rows of one target, as the model predicts them                  */
    size_t  rows;
    double  old_rows;                    /* that the noise rests on                                         */
    double *x, *y;                       /* [rows, inputs], [rows]                                          */
    double *mean, *var, *noise;          /* [rows]                                                          */
    double *log_lik, *below;
} sight;

typedef struct finding {                 /* of rows that contradict                                         */
    bool    early, late;                 /* before the model took them in; afterwards                       */
    size_t  rows;
    double  z2, inside, log_lik;         /* means, before                                                   */
    double  z2_after;
    double  alike, turned;               /* correlations of an error with that of the nearest row, and with the
                                            prediction                                                      */
    double  alike_after;
} finding;

typedef struct of_target {
    double  fit_rows;                    /* that the noise rests on                                         */
    size_t  all, rows;                   /* of the update; of these predicted                               */
    double  z2, inside, log_lik;         /* sums over them                                                  */
    sight   now;                         /* of the piece at hand                                            */
    finding found, next;                 /* the first that contradicts; of the piece at hand                */
} of_target;

struct una_new_rows {
    size_t     targets;
    bool       adapts;
    of_target *of;
};

/* Rows of the fit, less two for each input and two: so many numbers the fit may have learnt besides the noise. */
static double rows_for_noise(const una_model *model)
{
    const una_fit_info *info = &model->info;
    double rows = fmax(1, (double)info->rows - (double)info->rows_added), inputs = (double)model->columns.input_count;
    return fmax(rows - 2 * (inputs + 1), rows / 3);
}

una_status una_new_rows_begin(una_new_rows **news, const una_model *model, bool adapts, una_arena *arena)
{
    UNA_NEW_AT(arena, *news, 1);
    (*news)->adapts = adapts;
    (*news)->targets = una_model_target_count(model);
    UNA_NEW_AT(arena, (*news)->of, (*news)->targets);
    for (size_t t = 0; t < (*news)->targets; t++) (*news)->of[t].fit_rows = rows_for_noise(una_model_target(model, t));
    return UNA_OK;
}

bool una_new_rows_say(size_t rows)
{
    return rows >= LEAST;
}

/* ---- predicting them -------------------------------------------------------------------------------------------- */

static una_status see_block(void *context, una_predictive *p, size_t from, size_t rows, una_run *run)
{
    sight *s = context;
    (void)run;
    for (size_t r = 0, i = from; r < rows; r++, i++) {
        const double *mean = p->part_mean + r * p->parts, *var = p->part_var + r * p->parts;
        double whole = p->var_model[r] + p->var_noise[r], error = s->y[i] - p->mean[r];
        s->mean[i] = p->mean[r];
        s->var[i] = p->var_model[r];
        s->noise[i] = p->var_noise[r];
        s->log_lik[i] = p->parts ? una_mixture_log_pdf(s->y[i], mean, var, p->part_weight, p->parts)
                                 : -0.5 * (UNA_LOG_TWO_PI + log(whole) + error * error / whole);
        s->below[i] = p->parts ? una_mixture_cdf(s->y[i], mean, var, p->part_weight, p->parts)
                               : una_normal_cdf(error / sqrt(whole));
    }
    return UNA_OK;
}

static una_status see(sight *s, const una_model *model, una_run *run)
{
    return una_model_each_block(model, s->x, s->rows, UNA_PARTS, see_block, s, run);
}

/* Those of the rows that have target t, or as many of them as are predicted, evenly spread. */
static una_status pick_sight(of_target *own, const una_problem *p, size_t t, una_run *run)
{
    size_t outputs = una_problem_outputs(p), inputs = p->x.cols, count = una_target_cells(p->y, p->x.rows, outputs, t);
    size_t most = own->all ? MOST_LATER : MOST_FIRST, rows = count < most ? count : most;
    UNA_NEW_ROWS(&run->scratch, double, numbers, rows * (inputs + 6));
    double *at = numbers + rows * inputs;
    own->now = (sight){ rows, own->fit_rows, numbers, at, at + rows, at + 2 * rows, at + 3 * rows, at + 4 * rows,
                        at + 5 * rows };
    for (size_t i = 0, seen = 0, to = 0; to < rows; i++) {
        double cell = p->y[i * outputs + t];
        if (isnan(cell) || seen++ != to * count / rows) continue;
        memcpy(numbers + to * inputs, p->x.at + i * p->x.stride, inputs * sizeof *numbers);
        own->now.y[to++] = cell;
    }
    own->all += count;
    return UNA_OK;
}

/* ---- judging them ----------------------------------------------------------------------------------------------- */

typedef struct distinct {                /* rows of different inputs; those of equal inputs count as one    */
    size_t  count;
    size_t *row;                         /* [count] the first of each                                       */
    double *error;                       /* [count] mean of e/sqrt(A s + 4 v)                               */
    double *square;                      /* [count] mean of its square                                      */
} distinct;

static double doubt(const sight *s, size_t row)
{
    return NOISE_OFF * s->noise[row] + IGNORANCE_OFF * s->var[row];
}

/* Rows of equal inputs have equal sums, and others hardly ever. */
static double sum_of_inputs(const double *x, size_t inputs)
{
    double sum = 0;
    for (size_t d = 0; d < inputs; d++) sum += x[d] * cos(1 + 1.7 * (double)d);
    return sum;
}

static una_status tell_apart(distinct *to, const sight *s, size_t inputs, una_run *run)
{
    UNA_NEW(&run->scratch, double, sum, s->rows);
    for (size_t i = 0; i < s->rows; i++) sum[i] = sum_of_inputs(s->x + i * inputs, inputs);
    const size_t *order = una_order_of(sum, s->rows, &run->scratch);
    *to = (distinct){ 0, UNA_GET(&run->scratch, size_t, s->rows), UNA_GET(&run->scratch, double, s->rows),
                      UNA_GET(&run->scratch, double, s->rows) };
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t i = 0, next; i < s->rows; i = next) {
        size_t at = to->count++;
        for (next = i; next < s->rows && sum[order[next]] == sum[order[i]]; next++) {
            double error = (s->y[order[next]] - s->mean[order[next]]) / sqrt(doubt(s, order[next]));
            to->error[at] += error;
            to->square[at] += error * error;
        }
        to->row[at] = order[i];
        to->error[at] /= (double)(next - i);
        to->square[at] /= (double)(next - i);
    }
    return UNA_OK;
}

/* Whether the mean of squares is larger than `most` by more than chance: they vary at least as those of normal numbers,
 * and so did those of the old rows, from which the noise was learnt. */
static bool are_larger(const double *square, size_t count, double most, double errors, double old_rows)
{
    double mean = 0, var = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) mean += square[i] / n;
    for (size_t i = 0; i < count; i++) var += (square[i] - mean) * (square[i] - mean) / (n - 1);
    double now = errors * errors * fmax(var, 2) / n;
    double then = ERRORS * ERRORS * fmax(var / (mean * mean), 2) / old_rows;
    return mean > most + sqrt(now + then);
}

/* Whether squares are larger than doubt that is roughly right can explain. */
static bool squares_are_large(const distinct *d, const sight *s)
{
    double together = 0;
    for (size_t i = 0; i < d->count; i++)
        together += IGNORANCE_OFF * s->var[d->row[i]] / doubt(s, d->row[i]) / (double)d->count;
    return are_larger(d->square, d->count, 1 + TOGETHER * together, ERRORS, s->old_rows);
}

/* How fast the target changes with each input scales the distances, where the model knows it. */
static double distance(const una_model *model, const double *a, const double *b)
{
    const una_columns *c = &model->columns;
    double sum = 0;
    for (size_t d = 0; d < c->input_count; d++) {
        double scale = model->info.relevance ? model->info.relevance[una_columns_input(c, d)->source] : 1;
        sum += scale * scale * (a[d] - b[d]) * (a[d] - b[d]);
    }
    return sum;
}

/* Row i of d, among every step-th. */
static size_t nearest(const distinct *d, size_t i, size_t step, const sight *s, const una_model *model)
{
    size_t inputs = model->columns.input_count, found = i;
    double least = HUGE_VAL;
    for (size_t j = 0; j < d->count; j += step) {
        double far = j == i ? HUGE_VAL : distance(model, s->x + d->row[i] * inputs, s->x + d->row[j] * inputs);
        if (far < least) least = far, found = j;
    }
    return found;
}

/* *alike: correlation of a row's error with that of its nearest neighbour among the new rows. Half the square of their
 * difference has the noise, and little of the function's error; whether it is too large is the answer. */
static una_status compare_neighbours(bool *apart, double *alike, const distinct *d, const sight *s,
                                     const una_model *model, una_run *run)
{
    double inputs = (double)model->columns.input_count, own = 0, both = 0;
    size_t most = (size_t)fmin(MOST_PAIRS, fmax(LEAST, sqrt(MOST_DIFFERENCES / inputs)));
    size_t step = 1 + (d->count - 1) / most, pairs = 0;
    UNA_NEW(&run->scratch, double, half, d->count);
    for (size_t i = 0; i < d->count; i += step) {
        double one = d->error[i], other = d->error[nearest(d, i, step, s, model)];
        half[pairs++] = (one - other) * (one - other) / 2;
        own += one * one;
        both += one * other;
    }
    *alike = own > 0 ? both / own : 0;
    *apart = pairs >= LEAST && are_larger(half, pairs, 1, PAIR_ERRORS, s->old_rows);
    return UNA_OK;
}

static una_status judge(bool *contradicts, double *alike, const sight *s, const una_model *model, una_run *run)
{
    distinct d;
    bool apart = false;
    UNA_TRY(tell_apart(&d, s, model->columns.input_count, run));
    *contradicts = false;
    if (d.count < LEAST) return UNA_OK;
    UNA_TRY(compare_neighbours(&apart, alike, &d, s, model, run));
    *contradicts = apart || squares_are_large(&d, s);
    return UNA_OK;
}

/* Correlation of the error with the prediction. */
static double turned(const sight *s)
{
    double mean[2] = {0}, square[2] = {0}, both = 0, n = (double)s->rows;
    for (size_t i = 0; i < s->rows; i++) {
        mean[0] += s->mean[i] / n;
        mean[1] += (s->y[i] - s->mean[i]) / n;
    }
    for (size_t i = 0; i < s->rows; i++) {
        double a = s->mean[i] - mean[0], b = s->y[i] - s->mean[i] - mean[1];
        square[0] += a * a;
        square[1] += b * b;
        both += a * b;
    }
    return square[0] * square[1] > 0 ? both / sqrt(square[0] * square[1]) : 0;
}

static double mean_z2(const sight *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->rows; i++) {
        double error = s->y[i] - s->mean[i];
        sum += error * error / (s->var[i] + s->noise[i]);
    }
    return sum / (double)s->rows;
}

static una_status judge_before(of_target *own, const una_model *model, una_run *run)
{
    const sight *s = &own->now;
    const una_columns *c = &model->columns;
    finding *f = &own->next;
    *f = (finding){ .rows = s->rows, .z2 = mean_z2(s), .turned = turned(s) };
    for (size_t i = 0; i < s->rows; i++) {
        double log_y = c->log_target ? c->target_centre + c->target_scale * s->y[i] : 0;
        f->inside += (s->below[i] > 0.025 && s->below[i] < 0.975) / (double)s->rows;
        f->log_lik += (s->log_lik[i] - log(c->target_scale) - log_y) / (double)s->rows;
    }
    own->rows += s->rows;
    own->z2 += f->z2 * (double)s->rows;
    own->inside += f->inside * (double)s->rows;
    own->log_lik += f->log_lik * (double)s->rows;

    return judge(&f->early, &f->alike, s, model, run);
}

static una_status judge_after(of_target *own, const una_model *model, una_run *run)
{
    UNA_TRY(see(&own->now, model, run));
    own->next.z2_after = mean_z2(&own->now);
    return judge(&own->next.late, &own->next.alike_after, &own->now, model, run);
}

una_status una_new_rows_before(una_new_rows *news, const una_model *model, const double *x, const double *y,
                               size_t rows, una_run *run)
{
    size_t inputs = una_model_target(model, 0)->columns.input_count;
    const una_problem more = { .x = { x, rows, inputs, inputs }, .y = y, .outputs = news->targets };
    for (size_t t = 0; t < news->targets; t++) {
        of_target *own = &news->of[t];
        const una_model *part = una_model_target(model, t);
        UNA_TRY(pick_sight(own, &more, t, run));
        if (own->now.rows == 0) continue;
        UNA_SCOPED(run, see(&own->now, part, run));
        UNA_SCOPED(run, judge_before(own, part, run));
    }
    return UNA_OK;
}

/* Few rows say nothing, so that nothing can fail. */
una_status una_new_rows_after(una_new_rows *news, const una_model *model, una_run *run)
{
    for (size_t t = 0; t < news->targets; t++) {
        of_target *own = &news->of[t];
        if (own->now.rows >= LEAST) UNA_SCOPED(run, judge_after(own, una_model_target(model, t), run));
        bool first = !own->found.early && !own->found.late && (own->next.early || own->next.late);
        if (own->now.rows && first) own->found = own->next;
    }
    return UNA_OK;
}

/* ---- telling ---------------------------------------------------------------------------------------------------- */

static const char BEGIN[] = "the new rows contradict the model: ";

/* Whether errors have a pattern: then not the noise has changed, but the function. */
static bool has_pattern(const finding *f)
{
    double error = 3 / sqrt((double)(f->rows < MOST_PAIRS ? f->rows : MOST_PAIRS));
    if (!f->early) return f->alike_after > ALIKE + error;
    return f->alike > ALIKE + error || f->turned < REVERSED - error;
}

static void add_advice(una_text *text, const finding *f)
{
    if (!has_pattern(f)) {
        una_text_add(text, "Errors have no pattern (correlation with that of the nearest row %.2f): the noise is "
                     "larger than the model knows. Update the old model with --adapt, which takes over its size, or "
                     "fit again on both (una update --with OLD.csv --adapt)", f->early ? f->alike : f->alike_after);
    } else if (f->early) {
        una_text_add(text, "Errors have a pattern (correlation with that of the nearest row %.2f, with the prediction "
                     "%.2f): the old rows and the new ones do not follow one function, or the model was too sure where "
                     "it had no rows. Fit again on both (una update --with OLD.csv --adapt), or, if what is measured "
                     "has changed, on the new rows alone", f->alike, f->turned);
    } else {
        una_text_add(text, "With the rows taken in, mean z^2 is still %.3g: the features, which were learnt from other "
                     "rows, cannot follow. Fit again on both (una update --with OLD.csv --adapt)", f->z2_after);
    }
}

static const char *warning_of(const of_target *own, const una_model *part, una_arena *arena)
{
    const finding *f = &own->found;
    una_text text = una_text_in(arena);
    una_text_add(&text, "%s", BEGIN);
    if (part->columns.one_of_several) una_text_add(&text, "of the target '%.60s', ", part->columns.target);
    una_text_add(&text, "over %zu rows mean z^2 is %.3g (1 expected), %.0f %% lie inside their 95 %% band, and the "
                 "log-likelihood is %.3g a row", f->rows, f->z2, 100 * f->inside, f->log_lik);
    if (part->info.valid_rows && isfinite(part->info.valid_log_lik))
        una_text_add(&text, ", where the fit claimed %.3g", part->info.valid_log_lik);
    una_text_add(&text, ". ");
    add_advice(&text, f);
    return text.at;
}

/* The list with a sentence at its end, without those that begin as it does. */
static una_status put_sentence(const char *const **list, size_t *count, const char *sentence, size_t begin,
                               una_arena *arena)
{
    size_t kept = 0;
    UNA_NEW(arena, const char *, longer, *count + 1);
    for (size_t i = 0; i < *count; i++)
        if (strncmp((*list)[i], sentence, begin) != 0) longer[kept++] = (*list)[i];
    longer[kept++] = sentence;
    *list = longer;
    *count = kept;
    return UNA_OK;
}

una_status una_new_rows_note(una_model *model, const char *format, double now, double before)
{
    una_text text = una_text_in(&model->keep);
    una_text_add(&text, format, now, before);
    UNA_TRY(una_arena_check(&model->keep));
    return put_sentence(&model->info.notes, &model->info.note_count, text.at, strcspn(text.at, ":"), &model->keep);
}

static una_status warn(const of_target *own, una_model *part, una_run *run)
{
    const char *warning = warning_of(own, part, &part->keep);
    UNA_TRY(una_arena_check(&part->keep));
    UNA_TRY(put_sentence(&part->info.warnings, &part->info.warning_count, warning, sizeof BEGIN - 1, &part->keep));
    una_log(run, UNA_LOG_WARNING, "%s", warning);
    return UNA_OK;
}

static void record(una_fit_info *info, const of_target *own)
{
    double before = (double)info->added_scored, all = before + (double)own->rows;
    info->updates++;
    info->rows_added += own->all;
    info->added_scored += own->rows;
    if (own->rows == 0) return;
    info->added_z2 = (before * info->added_z2 + own->z2) / all;
    info->added_log_lik = (before * info->added_log_lik + own->log_lik) / all;
}

una_status una_new_rows_tell(const una_new_rows *news, una_model *model, size_t rows, una_run *run)
{
    for (size_t t = 0; t < news->targets; t++) {
        const of_target *own = &news->of[t];
        una_model *part = model->targets ? model->target[t] : model;
        bool wrong = own->found.late || (own->found.early && (!news->adapts || has_pattern(&own->found)));
        if (wrong) UNA_TRY(warn(own, part, run));
        if (own->all) record(&part->info, own);
    }
    if (model->targets) model->info.updates++, model->info.rows_added += rows;
    return UNA_OK;
}
