/* SPDX-License-Identifier: MIT
 *
 * The rows that teach the shape of the noise, its terms as columns, groups of rows to leave out, and the products of
 * two inputs that rows ask for.
 */
#include "committee/noise_inside.h"

#include "infer/head.h"

enum {
    MOST_ROWS = 4000, FEWEST_ROWS = 40, KNOTS = 5, MOST_HINGED = 40, MOST_INPUTS = 200, CELLS = 64, UNITS_PER_GROUP = 4
};

static const double LEAST_SCORE = 12;    /* of a pair: chi squared of one degree of freedom                         */

static una_status check_noise_rows(const una_noise_rows *f, una_run *run)
{
    for (size_t r = 0; r < f->x.rows; r++) {
        if (isfinite(f->y[r]) && isfinite(f->mean[r]) && isfinite(f->var[r]) && f->var[r] >= 0) continue;
        UNA_FAIL(run, UNA_E_NUMERIC, "the noise cannot be learnt: predictions of some rows are not finite; "
                 "scale the data, or set noise=constant");
    }
    return UNA_OK;
}

static una_status gather_rows(una_noise_data *s, const una_noise_rows *f, una_run *run)
{
    size_t all = f->x.rows, inputs = s->inputs = f->x.cols, n = s->rows = all < MOST_ROWS ? all : MOST_ROWS;
    UNA_NEW_AT(&run->scratch, s->x, n * inputs);
    UNA_NEW_AT(&run->scratch, s->square, n);
    UNA_NEW_AT(&run->scratch, s->var, n);
    UNA_NEW_AT(&run->scratch, s->part, n);
    if (f->team) UNA_NEW_AT(&run->scratch, s->team, n);
    for (size_t i = 0; i < n; i++) {
        size_t row = (size_t)((uint64_t)i * all / n);
        memcpy(s->x + i * inputs, f->x.at + row * f->x.stride, inputs * sizeof(double));
        s->square[i] = pow(f->y[row] - f->mean[row], 2);
        s->var[i] = f->var[row];
        s->part[i] = f->part ? f->part[row] : 0;
        if (f->team) s->team[i] = f->team[row];
    }
    return UNA_OK;
}

/* ---- terms ------------------------------------------------------------------------------------------------------- */

/* Of very many inputs, those most correlated with the mean: choosing by the errors would use the rows that validate. */
static una_status choose_inputs(bool *used, const una_noise_rows *f, una_run *run)
{
    size_t inputs = f->x.cols, rows = f->x.rows;
    double *tie = UNA_GET(&run->scratch, double, 2 * inputs), *sorted = tie + inputs, centre = 0;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t d = 0; d < inputs; d++) used[d] = true;
    if (inputs <= MOST_INPUTS) return UNA_OK;

    for (size_t r = 0; r < rows; r++) centre += f->mean[r] / (double)rows;
    for (size_t r = 0; r < rows; r++)
        for (size_t d = 0; d < inputs; d++) tie[d] += (f->mean[r] - centre) * f->x.at[r * f->x.stride + d];
    for (size_t d = 0; d < inputs; d++) sorted[d] = tie[d] = fabs(tie[d]);
    qsort(sorted, inputs, sizeof *sorted, una_by_number);

    double least = sorted[inputs - MOST_INPUTS];
    for (size_t d = 0, count = 0; d < inputs; d++) count += used[d] = tie[d] >= least && count < MOST_INPUTS;
    return UNA_OK;
}

static void add_term(una_noise *noise, size_t input, double knot)
{
    noise->input[noise->terms] = (double)input;
    noise->knot[noise->terms++] = knot;
}

/* An input of one value has no term, one of two values only the linear one. */
static void add_terms(una_noise *noise, size_t d, const double *sorted, size_t rows, bool hinges)
{
    double low = noise->low[d] = sorted[0], high = noise->high[d] = sorted[rows - 1], last = low;
    if (!(high > low) || !isfinite(high - low)) return;
    add_term(noise, d, low);

    bool two = true;
    for (size_t r = 0; r < rows && two; r++) two = sorted[r] == low || sorted[r] == high;
    for (size_t k = 0; hinges && !two && k < KNOTS; k++) {
        double knot = sorted[(size_t)((0.1 + 0.8 * (double)k / (KNOTS - 1)) * (double)(rows - 1))];
        if (knot > last && knot < high) add_term(noise, d, last = knot);
    }
}

static una_status make_terms(una_noise *noise, const una_noise_data *s, const una_noise_rows *f, una_arena *keep,
                             una_run *run)
{
    size_t inputs = noise->inputs, used_inputs = inputs < MOST_INPUTS ? inputs : MOST_INPUTS;
    size_t most = used_inputs * (inputs <= MOST_HINGED ? KNOTS + 1 : 1);
    bool *used = UNA_GET(&run->scratch, bool, inputs);
    double *sorted = UNA_GET(&run->scratch, double, s->rows);
    UNA_NEW_AT(keep, noise->low, inputs);
    UNA_NEW_AT(keep, noise->high, inputs);
    UNA_NEW_AT(keep, noise->input, most);
    UNA_NEW_AT(keep, noise->knot, most);
    UNA_NEW_AT(keep, noise->slope, most);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(choose_inputs(used, f, run));

    for (size_t d = 0; d < inputs; d++) {
        for (size_t r = 0; r < s->rows; r++) sorted[r] = s->x[r * inputs + d];
        qsort(sorted, s->rows, sizeof *sorted, una_by_number);
        if (used[d] && s->rows > 0) add_terms(noise, d, sorted, s->rows, inputs <= MOST_HINGED);
    }
    return UNA_OK;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Column j gets mean 0 and variance 1. */
static void standardise_column(una_noise_data *s, size_t j)
{
    size_t n = s->rows, k = s->columns;
    double sum = 0, square = 0;
    for (size_t r = 0; r < n; r++) sum += s->phi[r * k + j];
    s->centre[j] = sum / (double)n;
    for (size_t r = 0; r < n; r++) square += pow(s->phi[r * k + j] - s->centre[j], 2);
    s->scale[j] = square > 0 ? sqrt(square / (double)n) : 1;
    for (size_t r = 0; r < n; r++) s->phi[r * k + j] = (s->phi[r * k + j] - s->centre[j]) / s->scale[j];
}

/* Bundles: the linear term of an input is one, its hinges are another, and each pair is one. */
static void name_bundles(una_noise_data *s, const una_noise *noise)
{
    for (size_t t = 1; t < s->terms; t++) {
        bool begins = una_noise_is_linear(noise, t) || una_noise_is_linear(noise, t - 1);
        s->bundle[t] = s->bundle[t - 1] + begins;
    }
    for (size_t j = s->terms; j < s->terms + s->pairs; j++) s->bundle[j] = s->bundle[j - 1] + 1;
}

static una_status make_columns(una_noise_data *s, const una_noise *noise, una_run *run)
{
    size_t n = s->rows, k;
    s->terms = noise->terms;
    k = s->columns = s->terms + s->pairs + 1;
    s->phi = una_phi_with_one(n, k, &run->scratch);
    UNA_NEW_AT(&run->scratch, s->centre, k);
    UNA_NEW_AT(&run->scratch, s->scale, k);
    UNA_NEW_AT(&run->scratch, s->bundle, k);
    UNA_NEW_AT(&run->scratch, s->gram, k * k);
    UNA_NEW_AT(&run->scratch, s->share, n);
    name_bundles(s, noise);
    for (size_t t = 0; t < s->terms; t++) {
        for (size_t r = 0; r < n; r++) s->phi[r * k + t] = una_noise_term(noise, t, s->x + r * noise->inputs);
        standardise_column(s, t);
    }
    return UNA_OK;
}

/* Row j of the information and, as it is symmetric, column j. */
static void inform_column(una_noise_data *s, size_t j)
{
    size_t n = s->rows, k = s->columns;
    double *row = s->gram + j * k;
    memset(row, 0, k * sizeof *row);
    for (size_t r = 0; r < n; r++) {
        double weight = 0.5 * s->share[r] * s->share[r] * s->phi[r * k + j];
        for (size_t i = 0; i < k; i++) row[i] += weight * s->phi[r * k + i];
    }
    for (size_t i = 0; i < k; i++) s->gram[i * k + j] = row[i];
}

/* Information 1/2 sum r^2 phi phi', r the share of the noise in the variance at the constant noise. It hardly depends
 * on the shape, nor on which rows are left out, so all trainings use the same, times their share of the rows. */
static una_status make_information(una_noise_data *s, una_run *run)
{
    enum { BLOCK = 64 };
    size_t k = s->columns;
    UNA_NEW(&run->scratch, double, part, BLOCK * k);
    for (size_t r = 0; r < s->rows; r++) s->share[r] = 1 / (1 + s->var[r] * exp(-s->constant));
    for (size_t from = 0; from < s->rows; from += BLOCK) {
        size_t count = s->rows - from < BLOCK ? s->rows - from : BLOCK;
        for (size_t r = 0; r < count; r++)
            for (size_t j = 0; j < k; j++)
                part[r * k + j] = sqrt(0.5) * s->share[from + r] * s->phi[(from + r) * k + j];
        UNA_TRY(una_gram_add(s->gram, part, count, k, run));
    }
    return UNA_OK;
}

/* ---- pairs of inputs --------------------------------------------------------------------------------------------- */

static bool has_term(const una_noise *noise, size_t input)
{
    for (size_t t = 0; t < noise->terms; t++)
        if (noise->input[t] == (double)input) return true;
    return false;
}

static void standardise_input(una_noise_data *s, size_t d)
{
    size_t n = s->rows, D = s->inputs;
    double *at = s->standard + d, sum = 0, square = 0;
    for (size_t r = 0; r < n; r++) sum += s->x[r * D + d];
    double mean = s->input_mean[d] = sum / (double)n;
    for (size_t r = 0; r < n; r++) square += pow(s->x[r * D + d] - mean, 2);
    double std = s->input_std[d] = square > 0 ? sqrt(square / (double)n) : 1;
    for (size_t r = 0; r < n; r++) at[r * D] = (s->x[r * D + d] - mean) / std;
}

/* How much each pair varies: none of its errors. */
static una_status make_pairs(una_noise_data *s, const una_noise *noise, una_run *run)
{
    size_t D = s->inputs, moving = 0;
    for (size_t d = 0; d < D; d++) moving += has_term(noise, d);
    if (moving < 2 || D > MOST_HINGED) return UNA_OK;
    size_t most = moving * (moving - 1) / 2;
    s->pairs = most < UNA_NOISE_PAIRS ? most : UNA_NOISE_PAIRS;
    UNA_NEW_AT(&run->scratch, s->standard, s->rows * D);
    UNA_NEW_AT(&run->scratch, s->input_mean, D);
    UNA_NEW_AT(&run->scratch, s->input_std, D);
    UNA_NEW_AT(&run->scratch, s->pair_mean, D * D);
    UNA_NEW_AT(&run->scratch, s->pair_std, D * D);
    UNA_NEW_AT(&run->scratch, s->pair_score, D * D);
    for (size_t d = 0; d < D; d++)
        if (has_term(noise, d)) standardise_input(s, d);

    double *mean = s->pair_mean, *square = s->pair_std;
    for (size_t r = 0; r < s->rows; r++) {
        const double *z = s->standard + r * D;
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < i; j++) mean[i * D + j] += z[i] * z[j], square[i * D + j] += pow(z[i] * z[j], 2);
    }
    for (size_t i = 0; i < D * D; i++) {
        mean[i] /= (double)s->rows;
        square[i] = sqrt(fmax(square[i] / (double)s->rows - mean[i] * mean[i], 0));
    }
    return UNA_OK;
}

/* pair_score: squared slope of the likelihood along each product, over its variance; -1: it does not vary. */
static void score_pairs(una_noise_data *s, const double *pull)
{
    size_t D = s->inputs;
    double *score = s->pair_score, all = 0, square = 0;
    memset(score, 0, D * D * sizeof *score);
    for (size_t r = 0; r < s->rows; r++) {
        const double *z = s->standard + r * D;
        all += pull[r];
        square += pull[r] * pull[r];
        for (size_t i = 0; pull[r] != 0 && i < D; i++) {
            double along = pull[r] * z[i];
            for (size_t j = 0; j < i; j++) score[i * D + j] += along * z[j];
        }
    }
    for (size_t i = 0; i < D * D; i++) {
        double std = s->pair_std[i] * sqrt(square);
        score[i] = s->pair_std[i] > 1e-6 && std > 0 ? pow((score[i] - all * s->pair_mean[i]) / std, 2) : -1;
    }
}

/* Zeros where the rows do not ask for it. */
static void set_pair(una_noise_data *s, size_t p, size_t first, size_t second)
{
    size_t j = s->terms + p, k = s->columns, D = s->inputs;
    bool asked = s->pair_score[first * D + second] > LEAST_SCORE;
    s->pair[2 * p] = first;
    s->pair[2 * p + 1] = second;
    for (size_t r = 0; r < s->rows; r++) {
        const double *z = s->standard + r * D;
        s->phi[r * k + j] = asked ? z[first] * z[second] : 0;
    }
    standardise_column(s, j);
}

una_status una_noise_screen(una_noise_data *s, const double *pull, una_run *run)
{
    size_t D = s->inputs;
    if (s->pairs == 0) return UNA_OK;
    UNA_TRY(una_check_cancelled(run, "learning the noise"));
    score_pairs(s, pull);
    for (size_t p = 0; p < s->pairs; p++) {
        size_t best = D;                                 /* input 1 with input 0 */
        for (size_t i = 0; i < D; i++)
            for (size_t j = 0; j < i; j++)
                if (s->pair_score[i * D + j] > s->pair_score[best]) best = i * D + j;
        set_pair(s, p, best / D, best % D);
        s->pair_score[best] = -2;
    }
    for (size_t p = 0; p < s->pairs; p++) inform_column(s, s->terms + p);
    return UNA_OK;
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

typedef struct dealt_row { double key; size_t row; } dealt_row;

static int by_key(const void *a, const void *b)
{
    const dealt_row *x = a, *y = b;
    return x->key != y->key ? (x->key > y->key) - (x->key < y->key) : (x->row > y->row) - (x->row < y->row);
}

/* The place of a row in a fine grid over the range, as a number by chance. */
static uint64_t cell_of(const una_noise *noise, const double *x)
{
    uint64_t key = 0;
    for (size_t d = 0; d < noise->inputs; d++) {
        double width = noise->high[d] - noise->low[d];
        double place = width > 0 && isfinite(width) ? floor((x[d] - noise->low[d]) / width * CELLS) : 0;
        una_rng rng = una_rng_at(key, UNA_FOR_FOLDS, (uint64_t)fmin(fmax(place, 0), CELLS - 1));
        key = (uint64_t)una_rng_u32(&rng) << 32 | una_rng_u32(&rng);
    }
    return key;
}

static size_t units_of(const dealt_row *order, size_t rows)
{
    size_t units = rows > 0;
    for (size_t i = 1; i < rows; i++) units += order[i].key != order[i - 1].key;
    return units;
}

una_status una_noise_deal(unsigned char *group, const una_noise_data *s, const una_noise *noise, uint64_t partition,
                          size_t groups, una_run *run)
{
    size_t n = s->rows, begin = 0;
    UNA_NEW(&run->scratch, dealt_row, order, n);
    for (int alone = 0; alone < 2; alone++) {            /* with few cells, each row by itself */
        for (size_t r = 0; r < n; r++) {
            uint64_t unit = alone ? r : cell_of(noise, s->x + r * s->inputs);
            if (s->team) unit = s->team[r];
            una_rng rng = una_rng_at(unit, UNA_FOR_FOLDS, partition);
            order[r] = (dealt_row){ una_rng_uniform(&rng), r };
        }
        qsort(order, n, sizeof *order, by_key);
        if (s->team || units_of(order, n) >= UNITS_PER_GROUP * groups) break;
    }
    for (size_t i = 0; i < n; i++) {
        if (order[i].key != order[begin].key) begin = i;
        group[order[i].row] = (unsigned char)(begin * groups / n);
    }
    return UNA_OK;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Bounds of log s2: the median gives the size of most errors, whatever the others are. Without errors, or with squares
 * beyond a double, there is nothing to learn. */
static una_status find_bounds(una_noise_data *s, bool *known, una_run *run)
{
    size_t n = s->rows;
    UNA_NEW(&run->scratch, double, sorted, n);
    memcpy(sorted, s->square, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, una_by_number);
    double most = sorted[n - 1], middle = sorted[n / 2];
    *known = most > 0 && isfinite(most);
    if (!*known) return UNA_OK;
    s->low = log(middle > 0 ? middle : most) - 25;
    s->high = log(most) + 5;
    return UNA_OK;
}

una_status una_noise_gather(una_noise_data *s, una_noise *noise, bool *known, const una_noise_rows *rows,
                            una_arena *keep, una_run *run)
{
    *known = false;
    UNA_TRY(check_noise_rows(rows, run));
    UNA_TRY(gather_rows(s, rows, run));
    UNA_TRY(make_terms(noise, s, rows, keep, run));
    if (s->rows >= FEWEST_ROWS && noise->terms > 0) UNA_TRY(find_bounds(s, known, run));
    if (!*known) {
        noise->terms = 0;                        /* nothing to learn: g = 1 */
        return UNA_OK;
    }
    una_noise_scoring all = { .s = s, .out = UNA_NOISE_NO_GROUP };
    s->constant = una_noise_constant(&all, true);
    UNA_TRY(make_pairs(s, noise, run));
    UNA_TRY(make_columns(s, noise, run));
    return make_information(s, run);
}
