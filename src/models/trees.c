/* SPDX-License-Identifier: MIT
 *
 * Boosted trees that know what they do not know. One training grows trees f on its rows (tree/tree.h), as many as an
 * inner split of these rows finds best, and puts a Bayesian linear head around them:
 *   y = f(x) + sum_b w_b phi_b(x) + w_0 + s g(x) + e,   w ~ N(0, h I),  e ~ N(0, sigma^2),
 * phi_b the sum of the b-th of at most 50 stretches of consecutive trees. Only rows that the trees have not seen teach
 * the head: what they fitted says nothing about their error. First these are the rows of the inner split, seen by the
 * trees that were tried on it. Trees are constant away from the rows, and have no doubt
 * there; so g is a random function of variance u(x) in [0, 1], 0 among the rows, 1 far from them, in inputs scaled by how
 * much the trees ask for them. s^2, the prior variance, is chosen by regions that are left out whole
 * (committee/prior_scale.c). Members of a committee leave out other rows, and differ: that is ignorance too.
 * Source: Friedman 2001; Chen and Guestrin 2016; the head as in Snoek et al. 2015; g drawn by Rahimi and Recht 2007.
 */
#include "committee/committee.h"
#include "infer/head.h"
#include "model/validation_split.h"
#include "train/basis.h"
#include "tree/tree.h"

typedef struct trees_options {
    una_common_options common;           /* first                                                           */
    double trees, depth, rate, leaf_rows, penalty, patience, row_share, column_share, head_var;
} trees_options;

#define ROW(field, kind, initial, low, high, help) \
    { #field, kind, offsetof(trees_options, field), initial, low, high, false, NULL, help }
static const una_option trees_table[] = {
    ROW(trees, UNA_COUNT, "1000", 1, 100000, "trees at most; an inner split of the rows stops earlier"),
    ROW(depth, UNA_COUNT, "6", 1, 16, "questions from the root of a tree to its leaves"),
    ROW(rate, UNA_REAL, "0.1", 1e-4, 1, "share of what is left that each tree takes"),
    ROW(leaf_rows, UNA_COUNT, "5", 1, 1e9, "least rows of a leaf"),
    ROW(penalty, UNA_REAL, "1", 0, 1e9, "rows of value 0 that each leaf has besides its own"),
    ROW(patience, UNA_COUNT, "30", 1, 100000, "trees without a better prediction of the inner split before it stops"),
    ROW(row_share, UNA_REAL, "0.8", 0.01, 1, "share of the rows drawn for each tree"),
    ROW(column_share, UNA_REAL, "1", 0.01, 1, "share of the columns drawn for each tree"),
    ROW(head_var, UNA_REAL, "0.1", 1e-9, 1e3, "h: prior variance of the head's weights"),
    UNA_ROW_NOISE("noise std of the target; auto = chosen from the data"),
    UNA_ROW_PRIOR("auto", "s^2: variance of the function far from all rows, on the standardised target; auto = chosen by "
                  "regions left out whole, or 1"),
    UNA_ROWS_GROWTH,
    UNA_ROW_UNITS(UNA_NOISE_UNITS),
    UNA_COMMITTEE_TABLE("auto", "off"),
    UNA_ROW_TAILS,
    { .name = NULL }
};

static const double WAVE_LENGTH = 2, PI = 3.14159265358979323846;     /* the first in reaches              */
static const double JUDGES = 0.15;       /* share of the rows that decide how many trees                    */
enum { BLOCKS = 50, ANCHORS = 400, WAVES = 64, LEAST_JUDGES = 4 };

typedef struct trees_model {
    una_trees trees;
    size_t    inputs, blocks;
    una_head  head;                      /* on [phi, 1], of what the trees leave                            */
    una_stats trial;                     /* the same of the inner split, by the trees that were tried on it */
    double    far_var;                   /* s^2                                                             */
    double   *scale, reach;              /* [inputs] of the distance to the anchors; within reach it counts as none */
    double   *anchor;                    /* [anchors, inputs] some of the rows, scaled                      */
    size_t    anchors;
    uint32_t *seen;                      /* [seen_words] a bit or two for each row that trained (was_seen)  */
    size_t    seen_words;
    double   *wave;                      /* of a drawn function: [WAVES, inputs + 1]; NULL: not drawn       */
} trees_model;

/* ---- rows that trained ------------------------------------------------------------------------------------------ */

/* Two places among the bits, by the bits of the row and its target. */
static void places_of(const trees_model *m, const double *x, double y, uint64_t place[2])
{
    uint64_t h = 0x9e3779b97f4a7c15u;
    for (size_t d = 0; d <= m->inputs; d++) {
        uint64_t bits;
        double value = (d < m->inputs ? x[d] : y) + 0.0;         /* -0 is 0 */
        memcpy(&bits, &value, sizeof bits);
        h = (h ^ bits) * 0xff51afd7ed558ccdu;
        h ^= h >> 32;
    }
    place[0] = h % (32 * m->seen_words);
    place[1] = (h * 0xc4ceb9fe1a85ec53u >> 7) % (32 * m->seen_words);
}

/* A row that did not train is taken for one that did once in a thousand times, which wastes it and no more. */
static bool was_seen(const trees_model *m, const double *x, double y)
{
    uint64_t place[2];
    places_of(m, x, y, place);
    return m->seen[place[0] / 32] >> place[0] % 32 & m->seen[place[1] / 32] >> place[1] % 32 & 1;
}

static una_status remember_rows(trees_model *m, const una_problem *p, una_arena *keep)
{
    m->seen_words = p->x.rows * 2 + 1;
    UNA_NEW_AT(keep, m->seen, m->seen_words);
    for (size_t i = 0; i < p->x.rows; i++) {
        uint64_t place[2];
        places_of(m, p->x.at + i * p->x.stride, p->y[i], place);
        for (size_t k = 0; k < 2; k++) m->seen[place[k] / 32] |= (uint32_t)1 << place[k] % 32;
    }
    return UNA_OK;
}

/* ---- distance --------------------------------------------------------------------------------------------------- */

static double square_to(const trees_model *m, const double *x, const double *anchor, double most)
{
    double sum = 0;
    for (size_t d = 0; d < m->inputs && sum < most; d++) {
        double away = x[d] * m->scale[d] - anchor[d];
        sum += away * away;
    }
    return sum;
}

/* To the nearest anchor, the first of them. */
static double distance_of(const trees_model *m, const double *x, const double **nearest)
{
    double least = HUGE_VAL;
    for (size_t a = 0; a < m->anchors; a++) {
        const double *anchor = m->anchor + a * m->inputs;
        double square = square_to(m, x, anchor, least);
        if (square >= least) continue;
        least = square;
        *nearest = anchor;
    }
    return sqrt(least);
}

/* u = 1 - exp(-b^2/8), b how many reaches x lies beyond half of one; du (NULL: not wanted) [inputs]: its slopes. */
static double farness(const trees_model *m, const double *x, double *du)
{
    const double *nearest = m->anchor;
    double distance = distance_of(m, x, &nearest), beyond = distance / m->reach - 0.5;
    double u = beyond > 0 ? 1 - exp(-beyond * beyond / 8) : 0;
    for (size_t d = 0; du && d < m->inputs; d++)
        du[d] = beyond > 0 ? (1 - u) * beyond / 4 * (x[d] * m->scale[d] - nearest[d]) * m->scale[d] /
                             (distance * m->reach) : 0;
    return u;
}

/* What the splits of a column have gained counts for each of its inputs. */
static void count_gains(double *scale, const una_trees *trees)
{
    for (size_t c = 0; c < trees->coding.columns; c++) {
        const una_tree_column *column = &trees->coding.column[c];
        for (size_t k = 0; k < (column->words ? column->words : 1); k++) scale[column->input + k] += trees->gain[c];
    }
}

/* Anchors are rows drawn at random; the reach is as far as nearly all other rows are from them. */
static una_status learn_distance(trees_model *m, const una_problem *p, una_arena *keep, una_run *run)
{
    size_t rows = p->x.rows, inputs = m->inputs, others = 0;
    uint32_t *order;
    double most = 0;
    const double *nearest;
    UNA_NEW_AT(keep, m->scale, inputs);
    count_gains(m->scale, &m->trees);
    for (size_t d = 0; d < inputs; d++) most = fmax(most, m->scale[d]);
    for (size_t d = 0; d < inputs; d++) m->scale[d] = most > 0 ? sqrt(m->scale[d] / most) : 1;

    m->anchors = rows / 2 < ANCHORS ? rows / 2 + 1 : ANCHORS;
    UNA_TRY(una_order_new(&order, rows, &run->scratch));
    una_rng rng = una_rng_at(p->seed, UNA_FOR_SPLIT, 5);
    una_rng_permute(&rng, order, rows);
    UNA_NEW_AT(keep, m->anchor, m->anchors * inputs);
    for (size_t a = 0; a < m->anchors; a++)
        for (size_t d = 0; d < inputs; d++)
            m->anchor[a * inputs + d] = p->x.at[order[a] * p->x.stride + d] * m->scale[d];
    UNA_NEW(&run->scratch, double, distance, ANCHORS);
    for (size_t i = m->anchors; i < rows && others < ANCHORS; i++)
        distance[others++] = distance_of(m, p->x.at + order[i] * p->x.stride, &nearest);
    qsort(distance, others, sizeof *distance, una_by_number);
    m->reach = others ? fmax(distance[(size_t)(0.95 * (double)others)], 1e-9) : 1;
    return UNA_OK;
}

/* ---- features ---------------------------------------------------------------------------------------------------- */

/* f, and phi [blocks + 1] at one row; code: room for the columns. */
static double trees_phi(const una_trees *trees, size_t blocks, const double *x, unsigned char *code, double *phi)
{
    double f = trees->base;
    size_t count = trees->count;
    una_tree_code(&trees->coding, x, code);
    for (size_t b = 0; b < blocks; b++) {
        phi[b] = 0;
        for (size_t t = b * count / blocks; t < (b + 1) * count / blocks; t++)
            phi[b] += una_tree_value(&trees->tree[t], code);
        f += phi[b];
    }
    phi[blocks] = 1;
    return f;
}

enum { AT_ONCE = 256 };

/* Adds the rows to the head's sums, but for those that have trained (m NULL: none have). */
static una_status absorb(const trees_model *m, const una_trees *trees, const una_problem *p, una_stats *stats,
                         una_run *run)
{
    size_t k = stats->features, filled = 0;
    UNA_NEW(&run->scratch, double, phi, AT_ONCE * k);
    UNA_NEW(&run->scratch, double, rest, AT_ONCE);
    UNA_NEW(&run->scratch, double, weight, AT_ONCE);
    UNA_NEW(&run->scratch, unsigned char, code, trees->coding.columns);
    for (size_t i = 0; i < p->x.rows; i++) {
        const double *x = p->x.at + i * p->x.stride;
        if (!m || !was_seen(m, x, p->y[i])) {
            rest[filled] = p->y[i] - trees_phi(trees, k - 1, x, code, phi + filled * k);
            weight[filled++] = p->weight ? p->weight[i] : 1;
        }
        if (filled < AT_ONCE && i + 1 < p->x.rows) continue;
        UNA_TRY(una_stats_add_counted(stats, phi, rest, p->weight ? weight : NULL, filled, run));
        filled = 0;
    }
    return UNA_OK;
}

/* ---- fit --------------------------------------------------------------------------------------------------------- */

static una_tree_settings settings_of(const trees_options *o, uint64_t seed)
{
    return (una_tree_settings){ .most = (size_t)o->trees, .patience = (size_t)o->patience, .depth = (size_t)o->depth,
                                .least_rows = (size_t)o->leaf_rows, .rate = o->rate, .penalty = o->penalty,
                                .row_share = o->row_share, .column_share = o->column_share, .seed = seed,
                                .stage = "growing trees" };
}

static una_status pick_rows(una_view *x, double **y, const una_problem *p, const uint32_t *order, size_t count,
                            una_run *run)
{
    size_t cols = p->x.cols;
    UNA_NEW_ROWS(&run->scratch, double, at, count * cols);
    UNA_NEW_ROWS_AT(&run->scratch, *y, count);
    for (size_t i = 0; i < count; i++) {
        memcpy(at + i * cols, p->x.at + order[i] * p->x.stride, cols * sizeof *at);
        (*y)[i] = p->y[order[i]];
    }
    *x = (una_view){ at, count, cols, cols };
    return UNA_OK;
}

/* With so many rows a seventh more changes little, and growing is most of the time: the trees of the inner split stay. */
static bool grows_again(const una_problem *p)
{
    enum { MANY_ROWS = 100000 };
    return p->x.rows < MANY_ROWS;
}

/* Sets how->most to the number of trees that predicts best what an inner split of the rows leaves out, with the mean
 * squared error of these `*judges` rows, which teach the head first. Trees that do not grow again have not seen them. */
static una_status choose_count(una_tree_settings *how, double *error, size_t *judges, trees_model *m,
                               const una_fitting *f, una_run *run)
{
    const una_problem *p = f->problem;
    size_t rows = p->x.rows;
    una_problem held = {0};
    uint32_t *order;
    una_copies copies;
    una_view x;
    double *y;
    una_tree_rows train, judge;
    bool again = grows_again(p);
    una_trees trial = { .coding = m->trees.coding }, *grown = again ? &trial : &m->trees;
    *judges = (size_t)(JUDGES * (double)rows) < LEAST_JUDGES ? LEAST_JUDGES : (size_t)(JUDGES * (double)rows);
    UNA_TRY(una_split_copies(&copies, p, run));
    UNA_TRY(una_hold_rows(&order, judges, &copies, rows, una_rng_at(p->seed, UNA_FOR_SPLIT, 4), run));
    UNA_TRY(pick_rows(&held.x, &y, p, order, *judges, run));
    UNA_TRY(una_tree_rows_take(&judge, &m->trees.coding, held.x, y, &run->scratch, run));
    held.y = y;
    UNA_TRY(pick_rows(&x, &y, p, order + *judges, rows - *judges, run));
    UNA_TRY(una_tree_rows_take(&train, &m->trees.coding, x, y, &run->scratch, run));
    UNA_TRY(una_trees_grow(grown, &train, &judge, how, error, again ? &run->scratch : f->keep, run));
    how->most = grown->count;
    m->blocks = grown->count < BLOCKS ? grown->count : BLOCKS;
    una_stats_init(&m->trial, m->blocks + 1, f->keep);
    UNA_TRY(una_arena_check(f->keep));
    return again ? absorb(NULL, grown, &held, &m->trial, run)
                 : remember_rows(m, &(una_problem){ .x = x, .y = y }, f->keep);
}

/* So many trees on all rows, which the head must not learn from then. */
static una_status grow_all(trees_model *m, const una_tree_settings *how, const una_problem *p, una_arena *keep,
                           una_run *run)
{
    una_tree_rows train;
    double none;
    UNA_TRY(una_tree_rows_take(&train, &m->trees.coding, p->x, p->y, &run->scratch, run));
    UNA_TRY(una_trees_grow(&m->trees, &train, NULL, how, &none, keep, run));
    return remember_rows(m, p, keep);
}

static una_status grow(trees_model *m, double *error, size_t *judges, const una_fitting *f)
{
    const una_problem *p = f->problem;
    una_run *run = f->run;
    una_tree_settings how = settings_of(f->target->options, p->seed);
    m->inputs = p->x.cols;
    UNA_TRY(una_tree_coding_learn(&m->trees.coding, p->columns, p->x, f->keep, run));
    double half = grows_again(p) ? 0.5 : 1;
    una_span all = una_progress_part(run, 0, half);
    UNA_SCOPED(run, choose_count(&how, error, judges, m, f, run));
    una_progress_back(run, all);
    all = una_progress_part(run, half, 1);
    if (grows_again(p)) UNA_SCOPED(run, grow_all(m, &how, p, f->keep, run));
    UNA_SCOPED(run, learn_distance(m, p, f->keep, run));
    una_progress_back(run, all);
    f->target->result->steps += (grows_again(p) ? 2 : 1) * m->trees.count;
    return UNA_OK;
}

static una_status solve_head(trees_model *m, const una_problem *p, const una_problem *more, una_fit_result *result,
                             const una_fitting *f)
{
    double noise_var = m->head.noise_var, prior_var = m->head.prior_var;
    UNA_TRY(una_head_init(&m->head, m->blocks + 1, f->keep));
    m->head.noise_var = result->noise_var = noise_var;
    m->head.prior_var = prior_var;
    result->prior_var = m->far_var;
    una_stats_merge(&m->head.stats, &m->trial);
    UNA_SCOPED(f->run, absorb(m, &m->trees, p, &m->head.stats, f->run));
    if (more) UNA_SCOPED(f->run, absorb(m, &m->trees, more, &m->head.stats, f->run));
    UNA_TRY(una_head_solve(&m->head, f->run));
    result->log_evidence = m->head.log_evidence;
    return UNA_OK;
}

static una_status trees_fit(una_fitting *f)
{
    const una_problem *p = f->problem;
    trees_model *m = f->target->state;
    trees_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    double unit = una_unit(o->common.units, p), error;
    size_t judges;
    UNA_TRY(una_kernels_need(f->run));
    UNA_TRY(grow(m, &error, &judges, f));
    m->head.noise_var = UNA_IS_AUTO(o->common.noise_std) ? fmax(error, 1e-8) : pow(o->common.noise_std * unit, 2);
    m->head.prior_var = o->head_var;
    m->far_var = UNA_IS_AUTO(o->common.prior_var) ? 1 : o->common.prior_var;
    result->valid_rows = judges;
    result->valid_rmse = sqrt(error);
    result->valid_log_lik = -0.5 * (UNA_LOG_TWO_PI + log(m->head.noise_var) + error / m->head.noise_var);

    una_problem held = { .x = p->valid_x, .y = p->valid_y };
    UNA_TRY(solve_head(m, p, p->valid_joins ? &held : NULL, result, f));
    o->common.noise_std = sqrt(m->head.noise_var) / unit;
    o->common.prior_var = m->far_var;
    return UNA_OK;
}

/* The trees stay; all rows that they have not seen teach the head. */
static una_status trees_relearn(una_fitting *f)
{
    const una_problem *p = f->problem;
    trees_model *m = f->target->state;
    trees_options *o = f->target->options;
    double unit = una_unit(o->common.units, p);
    if (!UNA_IS_AUTO(o->common.noise_std)) m->head.noise_var = pow(o->common.noise_std * unit, 2);
    if (!UNA_IS_AUTO(o->common.prior_var)) m->far_var = o->common.prior_var;
    UNA_TRY(solve_head(m, p, NULL, f->target->result, f));
    o->common.noise_std = sqrt(m->head.noise_var) / unit;
    o->common.prior_var = m->far_var;
    return UNA_OK;
}

/* What trees have fitted is of one target. */
static una_status trees_check_relearn(const void *options, una_run *run)
{
    (void)options;
    UNA_FAIL(run, UNA_E_USAGE, "trees have no posterior apart from what they fitted: fit them again on these rows (una "
             "update --with OLD.csv does that)");
}

/* ---- the rest of the model interface ----------------------------------------------------------------------------- */

/* A random function of variance 1 in the scaled inputs: WAVES cosines, each of frequencies, phase and height. */
static void draw_waves(const trees_model *m, una_rng *rng, double *wave)
{
    double length = WAVE_LENGTH * m->reach;
    for (size_t k = 0; k < WAVES; k++, wave += m->inputs + 2) {
        for (size_t d = 0; d < m->inputs; d++) wave[d] = m->scale[d] * una_rng_normal(rng) / length;
        wave[m->inputs] = 2 * PI * una_rng_uniform(rng);
        wave[m->inputs + 1] = sqrt(2.0 / WAVES) * una_rng_normal(rng);
    }
}

/* slope (NULL: not wanted) [inputs]. */
static double wave_at(const trees_model *m, const double *wave, const double *x, double *slope)
{
    double sum = 0;
    for (size_t d = 0; slope && d < m->inputs; d++) slope[d] = 0;
    for (size_t k = 0; k < WAVES; k++, wave += m->inputs + 2) {
        double angle = una_dot(wave, x, m->inputs) + wave[m->inputs], height = wave[m->inputs + 1];
        sum += height * cos(angle);
        for (size_t d = 0; slope && d < m->inputs; d++) slope[d] -= height * sin(angle) * wave[d];
    }
    return sum;
}

/* f, phi and, where they are asked for, the variances s^2 u of some rows. */
typedef struct block { double *f, *phi, *far; unsigned char *code; } block;

static una_status block_new(block *b, const trees_model *m, size_t rows, una_run *run)
{
    UNA_NEW_AT(&run->scratch, b->f, rows);
    UNA_NEW_AT(&run->scratch, b->far, rows);
    UNA_NEW_ROWS_AT(&run->scratch, b->phi, rows * (m->blocks + 1));
    UNA_NEW_AT(&run->scratch, b->code, m->trees.coding.columns);
    return UNA_OK;
}

static void fill_block(block *b, const trees_model *m, una_view x, bool far)
{
    for (size_t r = 0; r < x.rows; r++) {
        const double *row = x.at + r * x.stride;
        b->f[r] = trees_phi(&m->trees, m->blocks, row, b->code, b->phi + r * (m->blocks + 1));
        if (far) b->far[r] = m->far_var * farness(m, row, NULL);
    }
}

static una_status predict_block(block *b, const trees_model *m, una_view x, double *mean, double *var, una_run *run)
{
    fill_block(b, m, x, var || m->wave);
    UNA_SCOPED(run, una_head_predict(&m->head, b->phi, x.rows, mean, var, run));
    for (size_t r = 0; r < x.rows; r++) {
        mean[r] += b->f[r];
        if (m->wave) mean[r] += sqrt(b->far[r]) * wave_at(m, m->wave, x.at + r * x.stride, NULL);
        else if (var) var[r] += b->far[r];
    }
    return una_check_cancelled(run, "predicting");
}

static una_status trees_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const trees_model *m = state;
    block b;
    UNA_TRY(block_new(&b, m, AT_ONCE, run));
    for (size_t from = 0; from < x.rows; from += AT_ONCE) {
        size_t rows = x.rows - from < AT_ONCE ? x.rows - from : AT_ONCE;
        una_view part = { x.at + from * x.stride, rows, x.cols, x.stride };
        UNA_TRY(predict_block(&b, m, part, out->mean + from, out->mean_only ? NULL : out->var_model + from, run));
        for (size_t r = 0; r < rows; r++) out->var_noise[from + r] = m->head.noise_var;
    }
    return UNA_OK;
}

/* Rows that the trees have seen are passed over. */
static una_status trees_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                                una_run *run)
{
    trees_model *m = state;
    una_stats sums;
    (void)keep;
    una_stats_init(&sums, m->head.stats.features, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(absorb(m, &m->trees, more, &sums, run));
    UNA_TRY(una_head_observe(&m->head, &sums, run));
    result->log_evidence = m->head.log_evidence;
    return UNA_OK;
}

static una_status trees_rescale(void *state, double factor, una_fit_result *result, una_arena *keep, una_run *run)
{
    trees_model *m = state;
    (void)keep;
    return una_rescale_head(&m->head, factor, result, run);
}

static una_status trees_draw(const void *state, una_view x, const una_drawing *how, double *f, una_run *run)
{
    const trees_model *m = state;
    size_t k = m->blocks + 1;
    block b;
    una_rng rng = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, how->prior);
    una_rng waves = una_rng_at(run->settings.seed, UNA_FOR_DRAWS, 2 + how->prior);
    UNA_NEW(&run->scratch, double, w, how->draws * k);
    UNA_NEW(&run->scratch, double, wave, WAVES * (m->inputs + 2));
    UNA_TRY(una_head_draw(&m->head, how->draws, how->prior, &rng, w, run));
    UNA_TRY(block_new(&b, m, x.rows, run));
    fill_block(&b, m, x, true);
    for (size_t s = 0; s < how->draws; s++) {
        if (m->wave) memcpy(wave, m->wave, WAVES * (m->inputs + 2) * sizeof *wave);
        else draw_waves(m, &waves, wave);
        for (size_t r = 0; r < x.rows; r++)
            f[s * x.rows + r] = b.f[r] + una_dot(b.phi + r * k, w + s * k, k) +
                                sqrt(b.far[r]) * wave_at(m, wave, x.at + r * x.stride, NULL);
        UNA_TRY(una_check_cancelled(run, "drawing functions"));
    }
    return UNA_OK;
}

/* Trees are flat but for their steps, so the mean has slope 0; the doubt grows with the distance. */
static una_status trees_slope(const void *state, const double *x, una_slope *at, una_run *run)
{
    const trees_model *m = state;
    block b;
    UNA_TRY(block_new(&b, m, 1, run));
    UNA_TRY(predict_block(&b, m, (una_view){ x, 1, m->inputs, m->inputs }, &at->mean, &at->var, run));
    double u = farness(m, x, at->dvar), wave = m->wave ? wave_at(m, m->wave, x, at->dmean) : 0;
    for (size_t d = 0; d < m->inputs; d++) {             /* of sqrt(s^2 u) g, if g is drawn */
        double root = sqrt(m->far_var * u), slope = m->wave ? root * at->dmean[d] : 0;
        at->dmean[d] = m->wave && u > 0 ? slope + wave * root * at->dvar[d] / (2 * u) : 0;
        at->dvar[d] *= m->wave ? 0 : m->far_var;
    }
    return UNA_OK;
}

static una_status trees_sample(void *function, const void *state, una_rng *rng, una_arena *keep, una_run *run)
{
    const trees_model *m = state;
    trees_model *drawn = function;
    *drawn = *m;
    if (!m->wave) {                                      /* a drawn function is its only one */
        UNA_NEW_AT(keep, drawn->wave, WAVES * (m->inputs + 2));
        draw_waves(m, rng, drawn->wave);
    }
    return una_head_sample(&drawn->head, &m->head, rng, keep, run);
}

static una_status exchange_seen(trees_model *m, una_archive *ar)
{
    double *word = NULL;
    UNA_TRY(una_archive_size(ar, "trees.seen_words", &m->seen_words, 1, UINT32_MAX));
    UNA_TRY(una_archive_expect(ar, "trees.seen_words", m->seen_words, sizeof *word));
    if (!ar->loading) UNA_NEW_AT(&ar->run->scratch, word, m->seen_words);
    for (size_t i = 0; !ar->loading && i < m->seen_words; i++) word[i] = m->seen[i];
    UNA_TRY(una_archive_f64s(ar, "trees.seen", &word, m->seen_words));
    if (!ar->loading) return UNA_OK;
    UNA_NEW_AT(ar->arena, m->seen, m->seen_words);
    for (size_t i = 0; i < m->seen_words; i++) {
        if (!(word[i] >= 0 && word[i] <= UINT32_MAX)) return una_archive_refuse(ar, "trees.seen", "holds no bits");
        m->seen[i] = (uint32_t)word[i];
    }
    return UNA_OK;
}

static una_status exchange_trial(trees_model *m, una_archive *ar)
{
    size_t k = m->trial.features = m->blocks + 1;
    UNA_TRY(una_archive_f64s(ar, "trees.trial_gram", &m->trial.gram, k * k));
    UNA_TRY(una_archive_f64s(ar, "trees.trial_moment", &m->trial.moment, k));
    UNA_TRY(una_archive_f64(ar, "trees.trial_square", &m->trial.square));
    UNA_TRY(una_archive_f64(ar, "trees.trial_rows", &m->trial.rows));
    return m->trial.rows >= 0 ? UNA_OK : una_archive_refuse(ar, "trees.trial_rows", "is less than 0");
}

static una_status trees_exchange(void *state, una_archive *ar)
{
    trees_model *m = state;
    bool drawn = m->wave != NULL;
    UNA_TRY(una_archive_size(ar, "inputs", &m->inputs, ar->inputs, ar->inputs));
    UNA_TRY(una_trees_exchange(&m->trees, ar));
    UNA_TRY(una_archive_size(ar, "trees.blocks", &m->blocks, 0, BLOCKS));
    if (m->blocks > m->trees.count) return una_archive_refuse(ar, "trees.blocks", "is more than there are trees");
    UNA_TRY(una_head_exchange(&m->head, ar));
    if (m->head.stats.features != m->blocks + 1) return una_archive_refuse(ar, "features", "does not fit the trees");
    UNA_TRY(exchange_trial(m, ar));
    UNA_TRY(una_archive_f64(ar, "trees.far_var", &m->far_var));
    UNA_TRY(una_archive_f64(ar, "trees.reach", &m->reach));
    UNA_TRY(una_archive_size(ar, "trees.anchors", &m->anchors, 1, ANCHORS + 1));
    UNA_TRY(una_archive_f64s(ar, "trees.scale", &m->scale, m->inputs));
    UNA_TRY(una_archive_f64s(ar, "trees.anchor", &m->anchor, m->anchors * m->inputs));
    UNA_TRY(exchange_seen(m, ar));
    UNA_TRY(una_archive_flag(ar, "trees.drawn", &drawn));
    if (drawn) UNA_TRY(una_archive_f64s(ar, "trees.wave", &m->wave, WAVES * (m->inputs + 2)));
    if (!(m->far_var >= 0)) return una_archive_refuse(ar, "trees.far_var", "is less than 0");
    return m->reach > 0 ? UNA_OK : una_archive_refuse(ar, "trees.reach", "is not greater than 0");
}

const una_kind una_kind_trees = {
    .name = "trees",
    .summary = "boosted trees under a Bayesian head that rows teach which the trees have not seen",
    .source = "Friedman 2001; Chen and Guestrin 2016",
    .options = trees_table,
    .options_size = sizeof(trees_options),
    .state_size = sizeof(trees_model),
    .thesis = "",
    .results = 4,
    .least_rows = 10,
    .prior_is_linear = true,
    .committee = &una_committee_calls,
    .validation = &una_validates,
    .fit = trees_fit,
    .relearn = trees_relearn,
    .check_relearn = trees_check_relearn,
    .predict = trees_predict,
    .exchange = trees_exchange,
    .observe = trees_observe,
    .rescale = trees_rescale,
    .draw = trees_draw,
    .slope = trees_slope,
    .sample = trees_sample,
};
