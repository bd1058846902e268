/* SPDX-License-Identifier: MIT
 *
 * Why is a row unsure? Its ignorance is split by concepts: every linear head of the model is rotated towards them
 * (axes.h), the members' own variance is split with their weights, and their disagreement is a part of its own. Which
 * rows show a concept, and against which: g_j(i), the least-squares weights with which sums over rows i give what
 * concept j adds where it holds, with the other concepts fixed; so concepts that often hold together are not confused.
 * Where no regression can tell the rows of concepts apart, a little ridge shares between them.
 */
#include "data/columns.h"
#include "diagnose/axes.h"
#include "diagnose/concepts.h"
#include "model/kind.h"
#include "model/several.h"
#include "model/widen.h"

#define RIDGE 1e-6               /* of the rows                                                             */
#define MUCH 0.2                 /* of all ignorance                                                        */
enum { USUAL_AXES = 4, FEW_ROWS = 20, BLOCK = 240 };

typedef struct work {
    const una_model *model;
    una_explain_settings settings;
    size_t    concepts, axes;            /* axes: of each, as asked for                                     */
    bool     *holds;                     /* [concepts, shown rows]                                          */
    double   *g;                         /* [concepts, shown rows]                                          */
    size_t    shown_rows, rows;
    una_view  x;                         /* of the rows that show the concepts                              */
    una_arena axes_in;                   /* what the leaves keep lies here                                  */
    una_axes *leaf;                      /* [leaves], not set for one without a linear head                 */
    size_t    leaves, leaf_room, at;     /* at: the present leaf                                            */
    size_t    heads;                     /* leaves with a linear head                                       */
    double   *mean, *weight;             /* [leaves, rows, concepts + 2]: parts of each leaf's answer: concepts, the
                                            rest, what cannot be split; [leaves] */
    double   *part;                      /* [rows, concepts + 3]: other, disagreement, not split            */
    una_explanation *e;
    una_arena *keep;                     /* of it                                                           */
} work;

/* ---- which rows show what --------------------------------------------------------------------------------- */

/* (C'C + ridge)^-1 [m, m], C [rows, m] with ones behind the concepts. */
static una_status invert_design(double *inverse, const work *w, una_run *run)
{
    size_t k = w->concepts, m = k + 1, n = w->shown_rows;
    UNA_NEW(&run->scratch, double, gram, m * m);
    for (size_t a = 0; a < m; a++)
        for (size_t b = 0; b <= a; b++) {
            size_t both = 0;
            for (size_t i = 0; i < n; i++)
                both += (a == k || w->holds[a * n + i]) && (b == k || w->holds[b * n + i]);
            gram[a * m + b] = gram[b * m + a] = (double)both + (a == b ? RIDGE * (double)n : 0);
        }
    for (size_t a = 0; a < m; a++) inverse[a * m + a] = 1;
    UNA_TRY(una_chol(gram, m, "the concepts", run));
    una_chol_solve(gram, m, inverse, m);
    return UNA_OK;
}

static una_status weigh_members(work *w, una_run *run)
{
    size_t k = w->concepts, m = k + 1, n = w->shown_rows;
    UNA_NEW(&run->scratch, double, inverse, m * m);
    UNA_NEW_ROWS_AT(&run->scratch, w->g, k * n);
    UNA_TRY(invert_design(inverse, w, run));
    for (size_t c = 0; c < k; c++)
        for (size_t i = 0; i < n; i++) {
            double g = inverse[c * m + k];
            for (size_t b = 0; b < k; b++) g += w->holds[b * n + i] ? inverse[c * m + b] : 0;
            w->g[c * n + i] = g;
        }
    return UNA_OK;
}

/* ---- rotating every linear head --------------------------------------------------------------------------- */

/* c [K, K] += sum of |g| (p - centre)(p - centre)' over the rows whose g has that sign. */
static una_status add_moments(double *c, const double *phi, const double *g, double sign, size_t rows,
                              const una_white *white, double *block, una_run *run)
{
    size_t k = white->columns, filled = 0;
    for (size_t i = 0; i < rows; i++) {
        if (sign * g[i] > 0) {
            double root = sqrt(sign * g[i]);
            for (size_t d = 0; d < k; d++) block[filled * k + d] = root * (phi[i * k + d] - white->centre[d]);
            filled++;
        }
        if (filled == BLOCK || (i + 1 == rows && filled)) {
            UNA_TRY(una_gram_add(c, block, filled, k, run));
            filled = 0;
        }
    }
    return UNA_OK;
}

static una_status concept_excesses(double **excess, const work *w, const una_leaf *leaf, const una_white *white,
                                   una_run *run)
{
    size_t k = white->columns, n = w->shown_rows;
    UNA_NEW(&run->scratch, double, all, w->concepts * k * k);
    UNA_NEW(&run->scratch, double, less, k * k);
    UNA_NEW(&run->scratch, double, block, BLOCK * k);
    *excess = all;
    for (size_t c = 0; c < w->concepts; c++) {
        memset(less, 0, k * k * sizeof *less);
        UNA_TRY(add_moments(all + c * k * k, leaf->phi, w->g + c * n, 1, n, white, block, run));
        UNA_TRY(add_moments(less, leaf->phi, w->g + c * n, -1, n, white, block, run));
        for (size_t i = 0; i < k * k; i++) all[c * k * k + i] -= less[i];
    }
    return UNA_OK;
}

/* At least half of the coordinates stay unrotated, if each concept can still have one. */
static una_status axes_for(size_t *each, const work *w, size_t coordinates, una_run *run)
{
    if (coordinates < w->concepts)
        UNA_FAIL(run, UNA_E_INPUT, "there are %zu concepts, and %s has only %zu features in which rows differ: each "
                 "concept needs one of its own; name fewer concepts", w->concepts, w->model->kind->name, coordinates);
    size_t most = coordinates / (2 * w->concepts);
    if (most == 0) most = 1;
    *each = w->axes < most ? w->axes : most;
    una_explanation *e = w->e;
    if (e->members == 0 || coordinates < e->features) e->features = coordinates;
    if (e->members == 0 || *each < e->axes) e->axes = *each;
    e->members++;
    return UNA_OK;
}

static una_status turn_leaf(void *context, const una_leaf *leaf, una_run *run)
{
    work *w = context;
    w->leaf = una_arena_grow(&w->axes_in, w->leaf, w->leaves, &w->leaf_room, sizeof *w->leaf);
    UNA_TRY(una_arena_check(&w->axes_in));
    una_axes *axes = &w->leaf[w->leaves++];
    if (!leaf->head) return UNA_OK;
    w->heads++;
    UNA_TRY(una_tick(run, "looking for concepts", (double)w->leaves / (double)(w->leaves + 1), NAN));

    una_white white;
    double *excess;
    size_t each = 0;
    UNA_TRY(una_white_of(&white, leaf->head, w->settings.whitening, &run->scratch, run));
    UNA_TRY(axes_for(&each, w, white.axes, run));
    UNA_TRY(concept_excesses(&excess, w, leaf, &white, run));
    return una_axes_of(axes, &white, excess, w->concepts, each, &w->axes_in, run);
}

/* ---- splitting every row ---------------------------------------------------------------------------------- */

static una_status split_leaf(void *context, const una_leaf *leaf, una_run *run)
{
    work *w = context;
    size_t at = w->at++, stride = w->concepts + 3;
    const una_axes *axes = &w->leaf[at];
    w->weight[at] = leaf->weight;
    UNA_TRY(una_tick(run, "splitting ignorance", (double)at / (double)w->leaves, NAN));
    for (size_t r = 0; r < w->rows; r++) {
        double *part = w->part + r * stride, *mean = w->mean + (at * w->rows + r) * (w->concepts + 2);
        if (leaf->head) {
            UNA_SCOPED(run, una_axes_split(axes, leaf->head, leaf->phi + r * axes->columns, leaf->weight, part, mean,
                                           run));
            continue;
        }
        mean[w->concepts + 1] = leaf->mean[r];
        part[w->concepts + 2] += leaf->weight * leaf->var[r];
    }
    return UNA_OK;
}

/* sum_m w_m (f_m - f)^2: one part; or, f_m being a sum over parts g_mj, sum_m w_m (g_mj - g_j)(f_m - f) for each, which
 * add up to it. */
static una_status add_disagreement(const work *w, una_run *run)
{
    size_t parts = w->concepts + 2, stride = w->concepts + 3;
    bool split = w->settings.disagreement == UNA_DISAGREEMENT_SPLIT;
    UNA_NEW(&run->scratch, double, middle, parts);
    UNA_NEW(&run->scratch, double, off, parts);
    for (size_t r = 0; r < w->rows; r++) {
        double *to = w->part + r * stride;
        memset(middle, 0, parts * sizeof *middle);
        for (size_t m = 0; m < w->leaves; m++)
            for (size_t p = 0; p < parts; p++) middle[p] += w->weight[m] * w->mean[(m * w->rows + r) * parts + p];
        for (size_t m = 0; m < w->leaves; m++) {
            double whole = 0;
            for (size_t p = 0; p < parts; p++) whole += off[p] = w->mean[(m * w->rows + r) * parts + p] - middle[p];
            for (size_t p = 0; p < parts; p++) {
                size_t at = p <= w->concepts ? p : p + 1;
                if (!split) at = w->concepts + 1;
                to[at] += w->weight[m] * off[p] * whole;
            }
        }
    }
    return UNA_OK;
}

/* ---- warnings and notes ----------------------------------------------------------------------------------- */

/* Those of the largest ignorance first. */
static una_status rank_explained_rows(const work *w, una_run *run)
{
    UNA_NEW(w->keep, size_t, order, w->rows);
    UNA_NEW(&run->scratch, double, down, w->rows);
    for (size_t r = 0; r < w->rows; r++) down[r] = -w->e->std_epistemic[r];
    const size_t *sorted = una_order_of(down, w->rows, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    w->e->order = memcpy(order, sorted, w->rows * sizeof *order);
    return UNA_OK;
}

static bool has_disagreement(const work *w)
{
    return w->leaves > 1 && w->settings.disagreement == UNA_DISAGREEMENT_APART;
}

static una_status take_names(const work *w)
{
    const char *const own[] = { UNA_PART_OTHER, UNA_PART_DISAGREEMENT, UNA_PART_WHOLE };
    const bool there[] = { true, has_disagreement(w), w->leaves > w->heads };
    UNA_NEW(w->keep, const char *, names, w->concepts + 3);
    w->e->names = names;
    w->e->parts = w->concepts;
    for (size_t c = 0; c < w->concepts; c++) names[c] = una_arena_text(w->keep, w->settings.concepts[c].name);
    for (size_t i = 0; i < 3; i++)
        if (there[i]) names[w->e->parts++] = own[i];
    return una_arena_check(w->keep);
}

/* Parts of the variance in the user's units. */
static una_status take_parts(const work *w)
{
    size_t parts = w->e->parts, stride = w->concepts + 3, whole = w->concepts + 2;
    double unit = w->model->columns.target_scale, sum = 0;
    UNA_NEW_ROWS(w->keep, double, part, w->rows * parts);
    UNA_NEW(w->keep, double, share, parts);
    for (size_t r = 0; r < w->rows; r++) {
        double *to = part + r * parts;
        for (size_t p = 0, next = 0; p < stride; p++) {
            if ((p == w->concepts + 1 && !has_disagreement(w)) || (p == whole && w->leaves == w->heads)) continue;
            to[next++] = unit * unit * w->part[r * stride + p];
        }
        for (size_t p = 0; p < parts; p++) {
            share[p] += to[p];
            sum += to[p];
        }
    }
    for (size_t p = 0; p < parts; p++) share[p] /= sum > 0 ? sum : 1;
    w->e->part = part;
    w->e->share = share;
    return UNA_OK;
}

static void warn_of_parts(const work *w)
{
    const una_columns *columns = &w->model->columns;
    una_explanation *e = w->e;
    una_notes notes = { .arena = w->keep };
    if (columns->log_target)
        una_notes_add(&notes, "The model learnt the logarithm of '%s': mean and std_epistemic are those of log "
                      "%s, and it is their square that is split.", columns->target, columns->target);
    for (size_t c = 0; c < w->concepts; c++)
        if (e->shown[c] < FEW_ROWS)
            una_notes_add(&notes, "Concept '%s' is shown by %zu row%s only: its axes follow these very rows, and "
                          "its share of their ignorance means little; give more rows that show it.", e->names[c],
                          e->shown[c], e->shown[c] == 1 ? "" : "s");
    if (w->leaves > w->heads && e->share[e->parts - 1] > MUCH)
        una_notes_add(&notes, "%.0f %% of the ignorance is that of members without features under a linear head "
                      "(a Gaussian process, say) and cannot be split; fit luna by itself, and all of it can be.",
                      100 * e->share[e->parts - 1]);
    e->warning_count = notes.count;
    e->warnings = notes.text;
}

static una_status take_result(const work *w, una_run *run)
{
    UNA_TRY(take_names(w));
    UNA_TRY(take_parts(w));
    UNA_TRY(rank_explained_rows(w, run));
    UNA_NEW(w->keep, size_t, shown, w->concepts);
    for (size_t i = 0; i < w->concepts * w->shown_rows; i++) shown[i / w->shown_rows] += w->holds[i];
    w->e->shown = shown;
    w->e->concepts = w->concepts;
    w->e->target = una_arena_text(w->keep, w->model->columns.target);
    warn_of_parts(w);
    return una_arena_check(w->keep);
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

static una_status encode_explained(una_view *x, const una_model *model, const una_dataset *data, una_run *run)
{
    double *at;
    size_t rows, inputs = model->columns.input_count;
    UNA_TRY(una_columns_encode(&model->columns, data, &(una_encoding){ &at, NULL, NULL, &rows }, &run->scratch));
    *x = (una_view){ at, rows, inputs, inputs };
    return UNA_OK;
}

static una_status turn_all(work *w, const una_dataset *shown, una_run *run)
{
    const una_kind *kind = w->model->kind;
    w->shown_rows = shown->rows;
    UNA_NEW_ROWS_AT(&run->scratch, w->holds, w->concepts * shown->rows);
    UNA_TRY(una_concepts_holds(w->holds, w->settings.concepts, w->concepts, shown, run));
    UNA_TRY(weigh_members(w, run));
    UNA_TRY(encode_explained(&w->x, w->model, shown, run));
    UNA_SCOPED(run, una_kind_leaves(una_calls(kind), w->model->state, w->x, 1, turn_leaf, w, run));
    if (w->heads == 0)
        UNA_FAIL(run, UNA_E_USAGE, "%s has no features under a linear head, which is what concepts are looked for in; "
                 "luna, nlm, tuna, linear and sngp have, and mixtures of them (auto, ensemble(of=nlm))", kind->name);
    return UNA_OK;
}

/* What a model makes of it (model/widen.h); the variance added for new words, and beyond the rows, belongs to no
 * concept. */
static una_status add_widening(work *w, una_view x, una_run *run)
{
    double share = w->model->spread * w->model->spread;
    for (size_t i = 0; i < x.rows * (w->concepts + 3); i++) w->part[i] *= share;
    if (!una_widens(w->model)) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, extra, x.rows);
    UNA_TRY(una_widen_extra(extra, w->model, x, run));
    for (size_t r = 0; r < x.rows; r++) w->part[r * (w->concepts + 3) + w->concepts] += extra[r];
    return UNA_OK;
}

static una_status split_all(work *w, const una_dataset *data, una_run *run)
{
    una_explanation *e = w->e;
    una_view x = w->x;
    if (w->settings.shown) UNA_TRY(encode_explained(&x, w->model, data, run));
    w->rows = e->rows = x.rows;
    UNA_NEW_ROWS_AT(&run->scratch, w->part, x.rows * (w->concepts + 3));
    UNA_NEW_ROWS_AT(&run->scratch, w->mean, w->leaves * x.rows * (w->concepts + 2));
    UNA_NEW_AT(&run->scratch, w->weight, w->leaves);
    UNA_NEW(w->keep, double, mean, x.rows);
    UNA_NEW(w->keep, double, std, x.rows);
    UNA_NEW(w->keep, size_t, number, x.rows);
    for (size_t r = 0; r < x.rows; r++) number[r] = una_table_number(data, r);
    e->mean = mean;
    e->std_epistemic = std;
    e->number = number;

    const una_bands asked = { .level = 0.95, .out = { .mean = mean, .std_epistemic = std } };
    una_model by_logs = *w->model;               /* of a logarithm, the ignorance of the logarithm is split */
    by_logs.columns.log_target = false;
    UNA_TRY(una_model_answer_encoded(&by_logs, x.at, x.rows, &asked, run));
    UNA_TRY(una_kind_leaves(una_calls(w->model->kind), w->model->state, x, 1, split_leaf, w, run));
    UNA_TRY(add_disagreement(w, run));
    return add_widening(w, x, run);
}

/* In this version's layout: the caller's structs may be longer or shorter; the first gives the size of all. */
static una_status take_concepts(work *w, una_run *run)
{
    size_t count = w->concepts, step;
    const unsigned char *at = (const void *)w->settings.concepts;
    UNA_NEW(&run->scratch, una_concept, own, count);
    for (size_t c = 0; c < count; c++, at += step) {
        UNA_TRY(UNA_TAKE(&own[c], at, una_concept, run));
        memcpy(&step, w->settings.concepts, sizeof step);
    }
    w->settings.concepts = own;
    return UNA_OK;
}

static una_status explain_model(work *w, const una_dataset *data, una_run *run)
{
    const una_explain_settings *s = &w->settings;
    UNA_TRY(una_model_need_one(w->model, run));
    if (!s->concepts || s->concept_count == 0)
        UNA_FAIL(run, UNA_E_USAGE, "no concept is named; ignorance is split by at least one");
    if (s->concept_count > UNA_MOST_CONCEPTS)
        UNA_FAIL(run, UNA_E_USAGE, "there are %zu concepts; at most %d can be told apart", s->concept_count,
                 UNA_MOST_CONCEPTS);
    w->concepts = s->concept_count;
    w->axes = s->axes ? s->axes : USUAL_AXES;
    UNA_TRY(take_concepts(w, run));
    UNA_TRY(turn_all(w, s->shown ? s->shown : data, run));
    UNA_TRY(split_all(w, data, run));
    return take_result(w, run);
}

static una_status check_explain_settings(const una_explain_settings *s, una_run *run)
{
    if (s->whitening != UNA_WHITE_POSTERIOR && s->whitening != UNA_WHITE_ROWS)
        UNA_FAIL(run, UNA_E_USAGE, "the whitening is %d, which means nothing: UNA_WHITE_POSTERIOR (0) and "
                 "UNA_WHITE_ROWS (1) do", s->whitening);
    if (s->disagreement != UNA_DISAGREEMENT_APART && s->disagreement != UNA_DISAGREEMENT_SPLIT)
        UNA_FAIL(run, UNA_E_USAGE, "what to do about disagreement is %d, which means nothing: UNA_DISAGREEMENT_APART "
                 "(0) and UNA_DISAGREEMENT_SPLIT (1) do", s->disagreement);
    if (s->concept_count && !s->concepts)
        UNA_FAIL(run, UNA_E_USAGE, "%zu concepts were announced, and none is there", s->concept_count);
    return UNA_OK;
}

una_status una_explain(una_explanation **explanation, const una_model *model, const una_dataset *data,
                       const una_explain_settings *settings, una_run *run)
{
    *explanation = NULL;
    una_clear_message(run);
    work w = { .model = model };
    UNA_TRY(UNA_TAKE(&w.settings, settings, una_explain_settings, run));
    UNA_TRY(check_explain_settings(&w.settings, run));
    w.e = una_result_new(&w.keep, sizeof *w.e, run);
    if (!w.e) return UNA_E_MEMORY;

    una_arena_init(&w.axes_in, run);
    una_status status;
    UNA_SCOPED_CALL(status, run, explain_model(&w, data, run));
    una_arena_free(&w.axes_in);
    *explanation = una_result_if(status, w.e);
    return status;
}

void una_explanation_free(una_explanation *explanation)
{
    una_result_free(explanation);
}
