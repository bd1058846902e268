/* SPDX-License-Identifier: MIT
 *
 * What a fit is worth, by out-of-fold predictions:
 *   explained = 1 - sum (y - f)^2 / sum (y - m)^2,   m: the mean of all rows,
 * with an interval by the jackknife of the logarithm of the ratio; and in words. Rows with equal inputs carry no new
 * information: they stay in one fold, leave together in the jackknife, and count as one below.
 *
 * Nothing was learnt where f and y are correlated no more than by chance. If y does not depend on the inputs, Fisher's
 * z = atanh(r) sqrt(n - 3) of rows that were held out once is normal. With K folds it is not: the other folds have
 * learnt the chance pattern of a fold and predict its opposite. For least squares with D inputs, u the normal
 * deviations of their slopes and u_k those of fold k,
 *   z = (u'u - sum_k u_k'u_k) / ((1 - 1/K) |u|)  ~  (Q - D) / ((1 - 1/K) sqrt(Q)),   Q ~ chi^2 with D degrees,
 * and models that shrink stay below it. The limit is the one that chance exceeds once in 100 tables.
 */
#include "diagnose/answer.h"

#include "la/la.h"
#include "model/teams.h"
#include "model/validation_split.h"

static const char *const names[] = { "nothing_learnt", "too_good", "suspect_rows", "binary_target", "count_target",
                                     "positive_target", "few_rows", "worse_than_linear", "copied_rows", "piled_target",
                                     "share_target", "grouped_rows" };

void una_case_find(una_case *c, una_finding_kind kind, const char *column, const char *format, ...)
{
    char line[4096];
    va_list list;
    va_start(list, format);
    una_write_textv(line, sizeof line, format, list);
    va_end(list);
    una_finding *found = una_arena_grow(c->keep, c->findings, c->finding_count, &c->finding_room, sizeof *found);
    if (!found) return;                                  /* the arena keeps the failure */
    c->findings = found;
    found[c->finding_count++] = (una_finding){ kind, names[kind], una_arena_text(c->keep, line),
                                                     una_arena_text(c->keep, column) };
}

const char *una_short(char buffer[32], double value, int digits)
{
    if (value == 0 || !isfinite(value)) return una_number_text(buffer, value);
    int places = digits - 1 - (int)floor(log10(fabs(value)));
    double rounded = value;
    if (places > 0 && places < 300) rounded = floor(value * pow(10, places) + 0.5) / pow(10, places);
    if (places <= 0) rounded = floor(value / pow(10, -places) + 0.5) * pow(10, -places);
    return una_number_text(buffer, rounded);
}

const char *una_cell_text(char buffer[32], const una_table_column *column, double value, int digits)
{
    una_date_writer *date = column ? una_date_writer_of(column->form.kind) : NULL;
    const char *text = date ? date(buffer, value) : NULL;
    return text ? text : una_short(buffer, value, digits);
}

const char *una_percent(char buffer[32], double share)
{
    double value = 100 * share;
    if (!(value > 99)) return una_number_text(buffer, floor(value + 0.5));
    double digits = value > 99.9 ? 100 : 10;
    return una_number_text(buffer, floor(value * digits) / digits);
}

/* ---- the case --------------------------------------------------------------------------------------------------- */

static una_status check_case(const una_model *model, const una_dataset *data, una_run *run)
{
    const una_held_out *h = model->held_out;
    if (model->targets)
        UNA_FAIL(run, UNA_E_USAGE, "this model predicts %zu targets: judge a part of it, which una_model_target gives",
                 model->targets);
    if (!h)
        UNA_FAIL(run, UNA_E_USAGE, "there is nothing to judge the model by: fit it with hold_out set, in one process");
    size_t target = una_table_find(data, model->columns.target);
    bool same = target != SIZE_MAX && !data->column[target].is_text;
    for (size_t i = 0; same && i < h->rows; i++)
        same = h->row[i] < data->rows && data->column[target].number[h->row[i]] == h->y[i];
    if (!same) UNA_FAIL(run, UNA_E_USAGE, "%s is not the table that the model was fitted to", data->origin);
    return UNA_OK;
}

/* Teams, and the number of rows that are copies of another, target included. */
static una_status take_teams(una_case *c, const una_copies *copies, una_run *run)
{
    enum { MOST_COMPARED = 100 };
    size_t none = SIZE_MAX, *of = UNA_GET_ROWS(&run->scratch, size_t, c->rows);
    UNA_NEW_ROWS_AT(&run->scratch, c->team, c->held->rows);
    for (size_t i = 0; i < c->rows; i++) of[i] = none;
    for (size_t h = 0; h < c->held->rows; h++) {
        size_t first = c->at[h];
        if (of[first] == none) {
            for (size_t row = first; of[row] == none; row = copies ? copies->next[row] : row) of[row] = c->teams;
            c->teams++;
        }
        c->team[h] = of[first];
    }
    for (size_t i = 0; copies && i < c->rows; i++) {
        bool twice = false;
        size_t row = copies->next[i];
        for (size_t compared = 0; row != i && !twice && compared < MOST_COMPARED; row = copies->next[row], compared++)
            twice = row < i && c->y[row] == c->y[i];
        c->copies += twice;
    }
    return UNA_OK;
}

/* Rows that stay together: those with equal inputs, or of a group. */
static una_status case_copies(una_copies *copies, const una_case *c, una_run *run)
{
    size_t inputs = c->columns->input_count;
    una_problem p = { .x = { c->x, c->rows, inputs, inputs }, .y = c->y, .columns = c->columns, .data = c->data,
                      .origin = c->kept };
    UNA_TRY(una_teams_label(&p, run));
    return una_split_copies(copies, &p, run);
}

/* The folds of the reference, in which rows with equal inputs stay together as they do in those of fits. */
static una_status case_folds(una_case *c, una_run *run)
{
    una_copies copies;
    if (!c->images) UNA_TRY(case_copies(&copies, c, run));
    UNA_TRY(take_teams(c, c->images ? NULL : &copies, run));
    c->folds = c->held->folds ? 5 : 1;
    if (c->folds > 1 && !c->images)
        return una_fold_rows(&c->fold, &c->folds, &copies, c->rows,
                             una_rng_at(run->settings.seed, UNA_FOR_FOLDS, 0), run);
    UNA_NEW_ROWS_AT(&run->scratch, c->fold, c->rows);
    c->folds = 1;
    memset(c->fold, 1, c->rows);
    for (size_t h = 0; h < c->held->rows; h++) c->fold[c->at[h]] = 0;
    return UNA_OK;
}

/* What is evaluated is the answer, so the target itself; the model may have learnt its logarithm. */
static void take_units(una_case *c)
{
    c->centre = c->columns->target_centre;
    c->scale = c->columns->target_scale;
    if (!c->columns->log_target) return;

    double n = (double)c->rows, mean = 0, square = 0;
    for (size_t i = 0; i < c->rows; i++) mean += (c->y[i] = una_target_value(c->columns, c->y[i])) / n;
    for (size_t i = 0; i < c->rows; i++) square += (c->y[i] - mean) * (c->y[i] - mean) / n;
    c->centre = mean;
    c->scale = square > 0 ? sqrt(square) : 1;
    for (size_t i = 0; i < c->rows; i++) c->y[i] = (c->y[i] - c->centre) / c->scale;
}

static una_status case_rows(una_case *c, una_run *run)
{
    una_encoding to = { &c->x, &c->y, &c->kept, &c->rows };
    UNA_TRY(una_columns_encode(c->columns, c->data, &to, &run->scratch));
    take_units(c);
    UNA_NEW_ROWS_AT(&run->scratch, c->at, c->held->rows);
    size_t h = 0;
    for (size_t i = 0; i < c->rows && h < c->held->rows; i++)
        if (c->kept[i] == c->held->row[h]) c->at[h++] = i;
    if (h < c->held->rows)
        UNA_FAIL(run, UNA_E_USAGE, "%s is not the table that the model was fitted to", c->data->origin);
    return case_folds(c, run);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/* Scores of always answering the mean. */
static double mean_of_all(const una_case *c)
{
    double sum = 0;
    for (size_t i = 0; i < c->rows; i++) sum += c->y[i];
    return c->centre + c->scale * sum / (double)c->rows;
}

/* step 0: of one value f. */
static double square_sum(const double *y, const double *f, size_t step, size_t rows)
{
    double sum = 0;
    for (size_t i = 0; i < rows; i++) sum += (y[i] - f[i * step]) * (y[i] - f[i * step]);
    return sum;
}

/* Sums over the rows of each team, [teams] in scratch. */
static una_status sum_teams(double **sum, const una_case *c, const double *value, una_run *run)
{
    UNA_NEW_ROWS_AT(&run->scratch, *sum, c->teams);
    for (size_t i = 0; i < c->held->rows; i++) (*sum)[c->team[i]] += value[i];
    return UNA_OK;
}

/* 95 %: the ratio's logarithm moves by (A_i/A - B_i/B) when team i goes. */
static una_status ratio_interval(una_verdict *v, const una_case *c, double m, double a, double b, una_run *run)
{
    const una_held_out *h = c->held;
    double sum = 0, n = (double)c->teams, *team;
    UNA_NEW_ROWS(&run->scratch, double, own, h->rows);
    for (size_t i = 0; a > 0 && i < h->rows; i++)
        own[i] = pow(h->y[i] - h->mean[i], 2) / a - pow(h->y[i] - m, 2) / b;
    UNA_TRY(sum_teams(&team, c, own, run));
    for (size_t i = 0; i < c->teams; i++) sum += team[i] * team[i];
    double std = sqrt(sum * n / fmax(1, n - 1));
    v->explained_low = 1 - a / b * exp(1.96 * std);
    v->explained_high = 1 - a / b * exp(-1.96 * std);
    return UNA_OK;
}

static una_status measure_bands(una_verdict *v, const una_held_out *h, bool factors, una_run *run)
{
    enum { MOST_SORTED = 5000 };
    size_t inside = 0, count = 0, step = (h->rows + MOST_SORTED - 1) / MOST_SORTED;
    UNA_NEW(&run->scratch, double, width, h->rows / step + 1);
    for (size_t i = 0; i < h->rows; i++) {
        if (i % step == 0) width[count++] = h->upper[i] - h->lower[i];
        inside += h->below[i] >= 0.025 && h->below[i] <= 0.975;
    }
    qsort(width, count, sizeof *width, una_by_number);
    v->band = width[count / 2];
    for (size_t i = 0; i < count; i++) width[i] = sqrt(h->upper[i * step] / h->lower[i * step]);
    if (factors) qsort(width, count, sizeof *width, una_by_number);
    v->band_factor = factors ? width[count / 2] : 0;
    v->coverage_95 = (double)inside / (double)h->rows;
    return UNA_OK;
}

static una_status measure_verdict(una_case *c, una_run *run)
{
    const una_held_out *h = c->held;
    una_verdict *v = c->verdict;
    size_t n = h->rows;
    double m = mean_of_all(c);
    bool known;
    UNA_NEW_ROWS(&run->scratch, double, line, n);
    UNA_SCOPED(run, una_reference(line, &known, c, c->y, run));
    for (size_t i = 0; i < n; i++) line[i] = c->centre + c->scale * line[i];

    double model = square_sum(h->y, h->mean, 1, n), mean = square_sum(h->y, &m, 0, n);
    double linear = known ? square_sum(h->y, line, 1, n) : NAN;
    v->rows = n;
    v->explained = 1 - model / mean;
    v->explained_linear = 1 - linear / mean;
    v->rmse = sqrt(model / (double)n);
    v->rmse_mean = sqrt(mean / (double)n);
    v->rmse_linear = sqrt(linear / (double)n);
    c->line = known ? line : NULL;
    una_reach reach;
    UNA_TRY(una_case_reach(&reach, c, NULL, run));
    v->error_95 = reach.error;
    v->error_factor_95 = reach.factor;
    UNA_TRY(ratio_interval(v, c, m, model, mean, run));
    return measure_bands(v, h, c->columns->log_target, run);
}

/* ---- was anything learnt ---------------------------------------------------------------------------------------- */

/* Fisher's z of the correlation of predictions and target, of the teams' means; 0 where it is undefined. Rows that are
 * set aside are left out. */
static una_status fisher_z(double *z, const una_case *c, const double *mean, una_run *run)
{
    const una_held_out *h = c->held;
    double n = 0, y = 0, f = 0, yy = 0, ff = 0, yf = 0;
    UNA_NEW_ROWS(&run->scratch, double, ones, c->teams);
    UNA_NEW_ROWS(&run->scratch, double, ys, c->teams);
    UNA_NEW_ROWS(&run->scratch, double, fs, c->teams);
    for (size_t i = 0; i < h->rows; i++) {
        if (c->aside && c->aside[c->at[i]]) continue;
        size_t team = c->team[i];
        ones[team]++, ys[team] += h->y[i], fs[team] += mean[i];
    }
    for (size_t i = 0; i < c->teams; i++) {
        if (ones[i] == 0) continue;
        ys[i] /= ones[i], fs[i] /= ones[i];
        n++, y += ys[i], f += fs[i];
    }
    y /= n, f /= n;
    for (size_t i = 0; i < c->teams; i++) {
        if (ones[i] == 0) continue;
        yy += (ys[i] - y) * (ys[i] - y);
        ff += (fs[i] - f) * (fs[i] - f);
        yf += (ys[i] - y) * (fs[i] - f);
    }
    double r = yf / sqrt(yy * ff);
    *z = n > 4 && isfinite(r) ? atanh(fmax(-1 + 1e-12, fmin(1 - 1e-12, r))) * sqrt(n - 3) : 0;
    return UNA_OK;
}

static double limit_of_chance(const una_case *c, double folds)
{
    double d = (double)c->columns->input_count, z = una_normal_quantile(0.99);
    if (folds < 2) return z;
    double q = d * pow(1 - 2 / (9 * d) + z * sqrt(2 / (9 * d)), 3);      /* of chi^2: Wilson and Hilferty */
    return (q - d) / ((1 - 1 / folds) * sqrt(q));
}

typedef enum learnt { NOTHING, LINE_ALONE, SOMETHING } learnt;   /* LINE_ALONE: by linear regression, not the model */

/* Without the rows that are set aside, if there are such. */
typedef struct told { double explained, linear, error, factor; const double *line; } told;

static told what_is_told(const una_case *c)
{
    const una_verdict *v = c->verdict;
    if (!c->aside) return (told){ v->explained, v->explained_linear, v->error_95, v->error_factor_95, c->line };
    return (told){ v->explained_aside, v->linear_aside, v->error_95_aside, v->error_factor_95_aside, c->line_aside };
}

static una_status what_was_learnt(learnt *what, const una_case *c, una_run *run)
{
    const told t = what_is_told(c);
    double z, line_z = 0;
    UNA_TRY(fisher_z(&z, c, c->held->mean, run));
    if (t.line) UNA_TRY(fisher_z(&line_z, c, t.line, run));
    bool line = t.linear > 0 && line_z > limit_of_chance(c, c->folds > 1 ? (double)c->folds : 0);
    bool own = t.explained > 0 && z > limit_of_chance(c, (double)c->held->folds);
    *what = line ? LINE_ALONE : NOTHING;
    if (own) *what = SOMETHING;
    return UNA_OK;
}

static bool is_linear(const una_case *c)
{
    return c->model->kind == una_kind_find("linear");
}

/* Squared errors of the line are smaller, by a paired test that chance passes once in 100 tables, and by enough to
 * matter. For the kind linear only logarithms could make a difference. */
static una_status line_is_better(bool *better, const una_case *c, una_run *run)
{
    const una_held_out *h = c->held;
    double sum = 0, square = 0, *team;
    *better = false;
    if (!c->line || c->verdict->explained_linear < c->verdict->explained + 0.01) return UNA_OK;
    if (is_linear(c) && !c->columns->log_target) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, own, h->rows);
    for (size_t i = 0; i < h->rows; i++) own[i] = pow(h->y[i] - h->mean[i], 2) - pow(h->y[i] - c->line[i], 2);
    UNA_TRY(sum_teams(&team, c, own, run));
    for (size_t i = 0; i < c->teams; i++) sum += team[i], square += team[i] * team[i];
    *better = sum > una_normal_quantile(0.99) * sqrt(fmax(0, square - sum * sum / (double)c->teams));
    return UNA_OK;
}

/* ---- in words --------------------------------------------------------------------------------------------------- */

/* Its bands hold too few rows or too many, by more than chance and by enough to matter. */
static bool bands_are_off(const una_case *c)
{
    const double fewest = 0.92, most = 0.985;
    double held = c->verdict->coverage_95, spare = 3 * sqrt(0.05 * 0.95 / (double)c->teams);
    return !c->aside && ((held < fewest && held < 0.95 - spare) || (held > most && held > 0.95 + spare));
}

static void say_bands(una_text *text, const una_case *c)
{
    const una_verdict *v = c->verdict;
    const told t = what_is_told(c);
    bool factor = t.factor > 0;
    const char *reach = UNA_ROUNDED(factor ? t.factor : t.error, factor && t.factor < 10 ? 3 : 2);
    una_text_add(text, "19 of 20 new values should lie within %s%s of %s.", factor ? "a factor of " : "\u00b1", reach,
                 factor ? "the median it answers" : "its answer");
    if (bands_are_off(c))
        una_text_add(text, " The bands it gives with its answers are too %s: they held %s %% of those rows instead of "
                     "95 %%.", v->coverage_95 < 0.95 ? "narrow" : "wide", UNA_PERCENT(v->coverage_95));
}

/* "una explains 97 % of the spread of y on rows it had not seen (linear regression: 90 %)" */
static void say_explained(una_text *text, const una_case *c)
{
    const told t = what_is_told(c);
    una_text_add(text, "una explains %s %% of the spread of %s on rows it had not seen", UNA_PERCENT(t.explained),
                 c->target);
    if (is_linear(c) || !isfinite(t.linear)) return;
    if (t.linear > 0) una_text_add(text, " (linear regression: %s %%)", UNA_PERCENT(t.linear));
    else una_text_add(text, " (linear regression: nothing)");
}

/* A model may be spoilt by rows that look wrong: then only a fit without them can tell. */
static bool is_spoilt(const una_case *c, learnt what)
{
    const told t = what_is_told(c);
    return c->aside && (what != SOMETHING || t.linear > t.explained + 0.05);
}

static void say_without(una_text *text, const una_case *c, learnt what)
{
    const una_verdict *v = c->verdict;
    const char *them = c->rows_aside == 1 ? "it" : "them";
    una_case_say_aside(text, c);
    una_text_add(text, "Without %s ", them);
    if (!is_spoilt(c, what)) {
        say_explained(text, c);
        if (v->explained > 0) una_text_add(text, ", with %s %s %%; ", them, UNA_PERCENT(v->explained));
        else una_text_add(text, ", with %s nothing; ", them);
        return;
    }
    if (what == LINE_ALONE || what == SOMETHING)
        una_text_add(text, "linear regression explains %s %% of the spread of %s on rows it had not seen; una, which "
                     "was fitted with %s, explains %s%s. ", UNA_PERCENT(v->linear_aside), c->target, them,
                     what == SOMETHING ? UNA_PERCENT(v->explained_aside) : "nothing", what == SOMETHING ? " %" : "");
    else una_text_add(text, "una may learn more than it did with %s. ", them);
    una_text_add(text, "Correct the cell%s or take the row%s out, and fit again; until then ",
                 c->rows_aside == 1 ? "" : "s", c->rows_aside == 1 ? "" : "s");
}

static una_status say_all(una_case *c, learnt what, una_run *run)
{
    una_verdict *v = c->verdict;
    una_text text = una_text_in(&run->scratch);
    if (c->aside) {
        say_without(&text, c, what);
    } else if (what == NOTHING) {
        una_text_add(&text, "una found nothing in these columns that predicts %s beyond chance: on rows it had not "
                     "seen, always answering the mean, %s, does about as well; ", c->target,
                     UNA_ROUNDED(c->centre, 3));
    } else if (what == LINE_ALONE) {
        una_text_add(&text, "una's %s predicts %s %s than its mean on rows it had not seen, while linear "
                     "regression explains %s %% of the spread; ", c->model->kind->name, c->target,
                     v->explained < -0.1 ? "worse" : "no better", UNA_PERCENT(v->explained_linear));
    } else {
        say_explained(&text, c);
        una_text_add(&text, "; ");
    }
    say_bands(&text, c);
    UNA_TRY(una_arena_check(&run->scratch));
    v->sentence = una_arena_text(c->keep, text.at);
    return una_arena_check(c->keep);
}

static void say_nothing_learnt(una_case *c)
{
    const una_verdict *v = c->verdict;
    const char *then = "Do not use its answers: look for other columns, or more rows.";
    if (is_linear(c))
        then = "Do not use its answers: try other models (linear knows straight lines only), other columns, or more "
               "rows.";
    if (c->suspect_count)
        then = "Look at the suspicious rows first; then at whether the columns have to do with the target at all.";
    if (v->explained > 0.01)
        una_case_find(c, UNA_FOUND_NOTHING_LEARNT, NULL, "Predictions and true values are correlated no more than "
                      "they may be by chance: with %zu rows, a share explained of %s %% proves nothing. %s", c->teams,
                      UNA_PERCENT(v->explained), then);
    else
        una_case_find(c, UNA_FOUND_NOTHING_LEARNT, NULL, "Predictions and true values are correlated no more than by "
                      "chance. %s", then);
}

static void say_line_is_better(una_case *c)
{
    const una_verdict *v = c->verdict;
    const char *remedy = "use --model linear, or auto";
    if (c->model->kind == una_kinds[0]) remedy = "use --model linear";
    if (c->columns->log_target) remedy = "leave --log out";
    const char *own = UNA_PERCENT(v->explained);
    una_case_find(c, UNA_FOUND_WORSE_THAN_LINEAR, NULL, "Linear regression explains more of the rows not seen than %s "
                  "does (%s %% and %s%s): %s.", c->model->kind->name, UNA_PERCENT(v->explained_linear),
                  v->explained > 0 ? own : "nothing", v->explained > 0 ? " %" : "", remedy);
}

static void say_copies(una_case *c)
{
    enum { LEAST = 3, ONE_IN = 20 };
    if (c->copies < LEAST || c->copies * ONE_IN < c->rows) return;
    una_case_find(c, UNA_FOUND_COPIED_ROWS, NULL, "%zu of the %zu rows are copies of others, target and all. If they "
                  "are the same observations, take them out and fit again: they count twice, and noise seems smaller "
                  "than it is.", c->copies, c->rows);
}

/* The most important first. */
static void sort_findings(una_case *c)
{
    for (size_t i = 1; i < c->finding_count; i++)
        for (size_t k = i; k > 0 && c->findings[k].kind < c->findings[k - 1].kind; k--) {
            una_finding other = c->findings[k];
            c->findings[k] = c->findings[k - 1];
            c->findings[k - 1] = other;
        }
}

static una_status judge_model(una_case *c, una_run *run)
{
    UNA_TRY(case_rows(c, run));
    UNA_TRY(measure_verdict(c, run));
    UNA_SCOPED(run, una_find_suspects(c, run));
    UNA_TRY(una_case_set_aside(c, run));
    UNA_SCOPED(run, una_find_leaks(c, run));
    UNA_TRY(una_find_target(c, run));
    learnt what;
    bool line = false;
    UNA_TRY(what_was_learnt(&what, c, run));
    if (what == SOMETHING && !c->aside) UNA_TRY(line_is_better(&line, c, run));
    if (what == NOTHING && !c->aside) say_nothing_learnt(c);
    else if ((what == LINE_ALONE && !c->aside) || line) say_line_is_better(c);
    say_copies(c);
    UNA_SCOPED(run, una_find_groups(c, run));
    UNA_TRY(say_all(c, what, run));
    if (what == SOMETHING) UNA_TRY(una_case_importance(c, run));
    UNA_TRY(una_arena_check(c->keep));
    sort_findings(c);
    c->verdict->findings = c->findings;
    c->verdict->finding_count = c->finding_count;
    c->verdict->suspects = c->suspects;
    c->verdict->suspect_count = c->suspect_count;
    return UNA_OK;
}

una_status una_judge(una_verdict **verdict, const una_model *model, const una_dataset *data, una_run *run)
{
    *verdict = NULL;
    una_clear_message(run);
    UNA_TRY(check_case(model, data, run));
    una_arena *keep;
    una_verdict *out = una_result_new(&keep, sizeof *out, run);
    if (!out) return UNA_E_MEMORY;

    una_case c = { .model = model, .data = data, .held = model->held_out, .columns = &model->columns,
                   .images = una_columns_image(&model->columns).height > 0, .verdict = out, .keep = keep };
    snprintf(c.target, sizeof c.target, "%s", model->columns.target);
    una_status status;
    UNA_SCOPED_CALL(status, run, judge_model(&c, run));
    *verdict = una_result_if(status, out);
    return status;
}

void una_verdict_free(una_verdict *verdict)
{
    una_result_free(verdict);
}
