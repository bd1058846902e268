/* SPDX-License-Identifier: MIT
 *
 * Published splits: which rows of a set train, validate and test under a key, and the measures of a model on them.
 */
#include "published/published.h"

#include "bench/truth.h"
#include "data/columns.h"
#include "data/copies.h"
#include "data/table.h"

enum { INNER_SEED = 1000 };
static const double inner_share = 0.1;

/* ---- which rows ------------------------------------------------------------------------------------------------ */

una_place una_place_of(const una_published *o, const char *name, una_arena *arena)
{
    return (una_place){ una_phrase(arena, "%s/uci/%s.csv", o->data, name),
                        una_phrase(arena, "%s/uci/splits/%s.json", o->data, name) };
}

una_status una_published_split(una_split *split, const una_dataset *all, const una_place *at, const char *gap,
                               size_t number, una_run *run)
{
    size_t index = number;
    if (gap) UNA_TRY(una_table_need(&index, all, gap, run));
    return una_split_read(split, at->splits, gap ? "gap" : "standard", index, una_dataset_row_count(all), run);
}

/* Training rows of the published split, a tenth of them taken away by the split's number. */
static una_status split_again(una_split *inner, const una_split *split, uint64_t number, una_run *run)
{
    UNA_TRY(una_split_random(inner, split->train_count, inner_share, INNER_SEED + number, run));
    for (size_t i = 0; i < inner->train_count; i++) inner->train[i] = split->train[inner->train[i]];
    for (size_t i = 0; i < inner->test_count; i++) inner->test[i] = split->train[inner->test[i]];
    return UNA_OK;
}

/* The validation rows are the last of the training rows: a ninth of nine tenths, or a fifth. */
static una_status portion_take_rows(una_portions *m, const una_split *used, bool gap, bool thesis, una_run *run)
{
    size_t train = used->train_count, valid = thesis ? train / (gap ? 9 : 5) : 0;
    if (thesis && valid == 0)
        UNA_FAIL(run, UNA_E_INPUT, "%zu training rows are too few to choose by a part of them", train);
    UNA_TRY(una_held_part(&m->part[UNA_PART_TRAIN], m->all, used->train, train - valid, run));
    if (valid) UNA_TRY(una_held_part(&m->part[UNA_PART_VALID], m->all, used->train + train - valid, valid, run));
    return una_held_part(&m->part[UNA_PART_TEST], m->all, used->test, used->test_count, run);
}

una_status una_portions_read(una_portions *m, const una_row_key *key, const una_asked *asked, una_run *run)
{
    una_rows_group group = una_published_group(asked);
    una_split split = { .size = sizeof split }, inner = { .size = sizeof inner };
    char *name = una_arena_text(&run->scratch, key->data);
    UNA_TRY(una_arena_check(&run->scratch));
    name[una_row_key_data(name)] = 0;
    char *gap = strchr(name, ' ');
    if (gap) *gap++ = 0;
    m->gap = gap;
    m->across = gap && strcmp(gap, "Cement") == 0 ? "Water" : NULL;      /* the thesis shows both */

    una_place at = una_place_of(asked->options, name, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_dataset_read(&m->all, at.rows, run));
    UNA_TRY(una_keep_dataset(&run->scratch, m->all));
    UNA_TRY(una_published_split(&split, m->all, &at, gap, (size_t)key->split, run));
    bool again = group != UNA_GROUP_STANDARD;
    una_status status = again ? split_again(&inner, &split, key->split, run) : UNA_OK;
    if (status == UNA_OK)
        status = portion_take_rows(m, again ? &inner : &split, gap, una_published_is_thesis(key), run);
    if (status == UNA_OK && gap)
        status = una_held_part(&m->part[UNA_PART_GAP], m->all, split.test, split.test_count, run);
    una_split_free(&inner, run);
    una_split_free(&split, run);
    return status;
}

/* ---- what a model says of some of them ------------------------------------------------------------------------- */

typedef struct predictions { size_t rows; double *mean, *epistemic, *noise; const double *y; una_score score;
    } predictions;

/* Arrays in scratch. */
static una_status published_predict(predictions *s, const una_model *model, const una_dataset *part, una_run *run)
{
    s->rows = una_dataset_row_count(part);
    UNA_NEW_AT(&run->scratch, s->mean, 3 * s->rows);
    s->epistemic = s->mean + s->rows;
    s->noise = s->epistemic + s->rows;
    s->y = una_dataset_numbers(part, una_dataset_column_count(part) - 1);
    una_prediction p = { .size = sizeof p, .mean = s->mean, .std_epistemic = s->epistemic, .std_noise = s->noise };
    return una_model_predict(model, part, 0.95, &p, run);
}

static una_status ask_and_score(predictions *s, const una_model *model, const una_dataset *part, una_run *run)
{
    s->score = (una_score)UNA_INIT(una_score);
    UNA_TRY(una_model_score(&s->score, model, part, run));
    return published_predict(s, model, part, run);
}

static void take_scores(double *value, const una_score *score, const una_fit_info *info)
{
    value[UNA_PUBLISHED_ROWS] = (double)score->rows;
    value[UNA_PUBLISHED_RMSE] = score->rmse;
    value[UNA_PUBLISHED_LOG_LIK] = score->log_lik;
    value[UNA_PUBLISHED_CRPS] = score->crps;
    value[UNA_PUBLISHED_COVERAGE_50] = score->coverage_50;
    value[UNA_PUBLISHED_COVERAGE_90] = score->coverage_90;
    value[UNA_PUBLISHED_COVERAGE_95] = score->coverage_95;
    value[UNA_PUBLISHED_CALIBRATION] = score->calibration_error;
    value[UNA_PUBLISHED_EPISTEMIC] = score->mean_std_epistemic;
    value[UNA_PUBLISHED_NOISE] = info->noise_std;
    value[UNA_PUBLISHED_COS2] = info->mean_cos2;
    value[UNA_PUBLISHED_WARNINGS] = (double)info->warning_count;
}

static void take_gap_scores(double *value, const una_score *gap)
{
    value[UNA_PUBLISHED_GAP_ROWS] = (double)gap->rows;
    value[UNA_PUBLISHED_GAP_EPISTEMIC] = gap->mean_std_epistemic;
    value[UNA_PUBLISHED_GAP_LOG_LIK] = gap->log_lik;
    value[UNA_PUBLISHED_GAP_RMSE] = gap->rmse;
    value[UNA_PUBLISHED_GAP_CRPS] = gap->crps;
    value[UNA_PUBLISHED_GAP_COVERAGE_90] = gap->coverage_90;
    value[UNA_PUBLISHED_GAP_COVERAGE_95] = gap->coverage_95;
    value[UNA_PUBLISHED_GAP_CALIBRATION] = gap->calibration_error;
}

/* ---- the most certain rows ------------------------------------------------------------------------------------- */

static void add_doubts(double *std, double *square, const predictions *s)
{
    for (size_t r = 0; r < s->rows; r++) {
        double off = s->y[r] - s->mean[r];
        std[r] = hypot(s->epistemic[r], s->noise[r]);
        square[r] = off * off;
    }
}

/* The error that remains if an expert handles the least certain rows. gap may be NULL. */
static una_status take_risks(double *value, const predictions *test, const predictions *gap, una_run *run)
{
    size_t rows = test->rows + (gap ? gap->rows : 0), at = 0;
    double sum = 0;
    UNA_NEW(&run->scratch, double, std, rows);
    UNA_NEW(&run->scratch, double, square, rows);
    add_doubts(std, square, test);
    if (gap) add_doubts(std + test->rows, square + test->rows, gap);
    const size_t *order = una_order_of(std, rows, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < UNA_PUBLISHED_RISKS; i++) {
        size_t kept = (rows * (i + 1) + 9) / 10;
        for (; at < kept; at++) sum += square[order[at]];
        value[UNA_PUBLISHED_RISK + i] = sqrt(sum / (double)kept);
    }
    return UNA_OK;
}

/* ---- along a column -------------------------------------------------------------------------------------------- */

/* x [rows] of a column, NULL where it holds words, and its range. */
static una_status column_range(const double **x, double *low, double *high, const una_dataset *data,
                               const char *column, una_run *run)
{
    size_t at;
    UNA_TRY(una_table_need(&at, data, column, run));
    *x = una_dataset_numbers(data, at);
    *low = INFINITY;
    *high = -INFINITY;
    if (*x) una_range_add(low, high, *x, una_dataset_row_count(data));
    return UNA_OK;
}

/* mean [bins], ends [2] of the column: of the epistemic std of all rows, by where they lie in the column. */
static una_status take_profile(double *mean, double *ends, const predictions *all, const una_dataset *data,
                               const char *column, una_run *run)
{
    size_t count[UNA_PUBLISHED_BINS] = {0};
    const double *x;
    double *low = &ends[0], *high = &ends[1];
    UNA_TRY(column_range(&x, low, high, data, column, run));
    for (size_t b = 0; b < UNA_PUBLISHED_BINS; b++) mean[b] = 0;
    for (size_t r = 0; x && r < all->rows; r++) {
        double share = *high > *low ? (x[r] - *low) / (*high - *low) : 0;
        size_t bin = (size_t)fmin(share * UNA_PUBLISHED_BINS, UNA_PUBLISHED_BINS - 1);
        mean[bin] += all->epistemic[r];
        count[bin]++;
    }
    for (size_t b = 0; b < UNA_PUBLISHED_BINS; b++) mean[b] = count[b] ? mean[b] / (double)count[b] : NAN;
    return UNA_OK;
}

/* ---- rows without a copy --------------------------------------------------------------------------------------- */

/* x [train rows, then test rows; *cols]: encoded as a fit to the training rows sees them. */
static una_status encode_both(double **x, size_t *cols, const una_dataset *train, const una_dataset *test,
                              una_run *run)
{
    una_columns columns;
    const una_dataset *part[] = { train, test };
    double *of[2];
    size_t rows[2];
    UNA_TRY(una_columns_learn((una_columns *[]){ &columns }, &(una_learning){ .data = train }, &run->scratch, run));
    for (size_t i = 0; i < 2; i++)
        UNA_TRY(una_columns_encode(&columns, part[i], &(una_encoding){ &of[i], NULL, NULL, &rows[i] }, &run->scratch));

    *cols = columns.input_count;
    UNA_NEW_AT(&run->scratch, *x, (rows[0] + rows[1]) * *cols);
    memcpy(*x, of[0], rows[0] * *cols * sizeof **x);
    memcpy(*x + rows[0] * *cols, of[1], rows[1] * *cols * sizeof **x);
    return UNA_OK;
}

/* index [count]: the test rows whose inputs no training row has. */
static una_status find_new(size_t **index, size_t *count, const una_portions *m, una_run *run)
{
    size_t train = una_dataset_row_count(m->part[UNA_PART_TRAIN]), cols;
    size_t test = una_dataset_row_count(m->part[UNA_PART_TEST]);
    double *x;
    una_copies copies;
    UNA_TRY(encode_both(&x, &cols, m->part[UNA_PART_TRAIN], m->part[UNA_PART_TEST], run));
    UNA_TRY(una_copies_find(&copies, (una_view){ x, train + test, cols, cols }, &run->scratch, run));
    UNA_NEW_AT(&run->scratch, *index, test);

    *count = 0;
    for (size_t i = 0; i < test; i++) {
        bool seen = false;
        size_t self = train + i;
        for (size_t row = copies.next[self]; row != self && !seen; row = copies.next[row]) seen = row < train;
        if (!seen) (*index)[(*count)++] = i;
    }
    return UNA_OK;
}

/* A model that memorises its rows does well on copies of them: these scores leave copies out. */
static una_status score_new(double *value, const una_model *model, const una_portions *m, una_run *run)
{
    size_t *index, count;
    una_dataset *part;
    una_score score = UNA_INIT(una_score);
    UNA_TRY(find_new(&index, &count, m, run));
    value[UNA_PUBLISHED_ROWS_NEW] = (double)count;
    value[UNA_PUBLISHED_RMSE_NEW] = value[UNA_PUBLISHED_LOG_LIK_NEW] = NAN;
    if (count == 0) return UNA_OK;
    UNA_TRY(una_held_part(&part, m->part[UNA_PART_TEST], index, count, run));
    UNA_TRY(una_model_score(&score, model, part, run));
    value[UNA_PUBLISHED_RMSE_NEW] = score.rmse;
    value[UNA_PUBLISHED_LOG_LIK_NEW] = score.log_lik;
    return UNA_OK;
}

/* ---- all of it ------------------------------------------------------------------------------------------------- */

static una_status measure_gap(double *value, const una_model *model, const una_portions *m, const predictions *test,
                              una_run *run)
{
    predictions gap, all;
    const double *x;
    UNA_TRY(ask_and_score(&gap, model, m->part[UNA_PART_GAP], run));
    UNA_TRY(take_risks(value, test, &gap, run));
    take_gap_scores(value, &gap.score);
    value[UNA_PUBLISHED_GAP_AUROC] = una_auroc(gap.epistemic, gap.rows, test->epistemic, test->rows);
    value[UNA_PUBLISHED_GAP_INCREASE] = 100 * (gap.score.mean_std_epistemic / test->score.mean_std_epistemic - 1);

    UNA_TRY(column_range(&x, &value[UNA_PUBLISHED_GAP_LOW], &value[UNA_PUBLISHED_GAP_HIGH], m->part[UNA_PART_GAP],
                         m->gap, run));
    UNA_TRY(published_predict(&all, model, m->all, run));
    UNA_TRY(take_profile(value + UNA_PUBLISHED_ALONG, value + UNA_PUBLISHED_ALONG_LOW, &all, m->all, m->gap, run));
    if (!m->across) return UNA_OK;
    return take_profile(value + UNA_PUBLISHED_ACROSS, value + UNA_PUBLISHED_ACROSS_LOW, &all, m->all, m->across, run);
}

una_status una_portions_measure(double *value, const una_model *model, const una_portions *m, una_run *run)
{
    predictions test;
    UNA_TRY(ask_and_score(&test, model, m->part[UNA_PART_TEST], run));
    take_scores(value, &test.score, una_model_info(model));
    if (m->part[UNA_PART_GAP]) return measure_gap(value, model, m, &test, run);
    UNA_TRY(take_risks(value, &test, NULL, run));
    return score_new(value, model, m, run);
}
