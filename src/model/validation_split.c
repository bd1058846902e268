/* SPDX-License-Identifier: MIT
 *
 * Folds, a held-out share, a table of validation rows; copies of rows. See validation_split.h.
 */
#include "model/validation_split.h"

enum { LEAST_HELD = 20, ONE_ROW_IN = 10 };      /* fewer copies are not mentioned */
static const double held_share = 0.15;

/* ---- groups of rows with equal inputs ------------------------------------------------------------------------ */

static bool can_keep_copies_in_one_part(const una_copies *copies, size_t rows)
{
    bool few_inputs = copies->groups < 2 * UNA_FOLDS && 2 * copies->groups < rows;
    return 2 * copies->largest <= rows && !few_inputs;
}

una_status una_split_copies(una_copies *copies, const una_problem *p, una_run *run)
{
    size_t rows = p->x.rows;
    UNA_TRY(p->team ? una_copies_of_labels(copies, p->team, rows, &run->scratch, run)
                    : una_copies_find(copies, p->x, &run->scratch, run));
    bool keeps = p->correlated ? copies->groups > 1 && 2 * copies->largest <= rows
                               : can_keep_copies_in_one_part(copies, rows);
    if (copies->copied == 0 || keeps) return UNA_OK;
    for (size_t i = 0; i < rows; i++) copies->next[i] = (uint32_t)i;
    copies->groups = rows;
    copies->largest = 1;
    return UNA_OK;
}

static size_t smallest_fold(const size_t *sizes, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        if (sizes[i] < sizes[best]) best = i;
    return best;
}

una_status una_fold_rows(unsigned char **fold, size_t *folds, const una_copies *copies, size_t rows, una_rng rng,
                         una_run *run)
{
    uint32_t *order;
    size_t sizes[UINT8_MAX + 1] = {0};
    *fold = UNA_GET_ROWS(&run->scratch, unsigned char, rows);
    una_mark mark = una_arena_mark(&run->scratch);
    bool *placed = UNA_GET_ROWS(&run->scratch, bool, rows);
    UNA_TRY(una_order_new(&order, rows, &run->scratch));

    una_rng_permute(&rng, order, rows);
    if (*folds > copies->groups) *folds = copies->groups;
    for (size_t i = 0; i < rows; i++) {
        if (placed[order[i]]) continue;
        size_t to = smallest_fold(sizes, *folds);
        for (size_t row = order[i]; !placed[row]; row = copies->next[row]) {
            placed[row] = true;
            (*fold)[row] = (unsigned char)to;
            sizes[to]++;
        }
    }
    una_arena_release(&run->scratch, mark);
    return UNA_OK;
}

typedef enum state { NO_SIDE, TRAINS, HELD } state;

static size_t group_size(const una_copies *copies, size_t row)
{
    size_t size = 1;
    for (size_t other = copies->next[row]; other != row; other = copies->next[other]) size++;
    return size;
}

static void set_group(unsigned char *side, const una_copies *copies, size_t row, state to)
{
    side[row] = (unsigned char)to;
    for (size_t other = copies->next[row]; other != row; other = copies->next[other]) side[other] = (unsigned char)to;
}

/* A group that is too large for what is left is passed over; if all are, the smallest is held out. */
static size_t choose_held(unsigned char *side, size_t wanted, const una_copies *copies, const uint32_t *order,
                          size_t rows)
{
    size_t held = 0, smallest = SIZE_MAX, its_row = 0;
    for (size_t i = 0; i < rows && held < wanted; i++) {
        if (side[order[i]] != NO_SIDE) continue;
        size_t size = group_size(copies, order[i]);
        bool fits = held + size <= wanted;
        set_group(side, copies, order[i], fits ? HELD : TRAINS);
        if (fits) held += size;
        if (size < smallest) smallest = size, its_row = order[i];
    }

    if (held > 0 || wanted == 0) return held;
    set_group(side, copies, its_row, HELD);
    return smallest;
}

una_status una_hold_rows(uint32_t **order, size_t *held, const una_copies *copies, size_t rows, una_rng rng,
                         una_run *run)
{
    uint32_t *mixed;
    size_t out = 0;
    unsigned char *side = UNA_GET_ROWS(&run->scratch, unsigned char, rows);
    UNA_TRY(una_order_new(&mixed, rows, &run->scratch));
    UNA_TRY(una_order_new(order, rows, &run->scratch));

    una_rng_permute(&rng, mixed, rows);
    *held = choose_held(side, *held, copies, mixed, rows);
    for (size_t i = 0, in = *held; i < rows; i++) (*order)[side[mixed[i]] == HELD ? out++ : in++] = mixed[i];
    return UNA_OK;
}

/* ---- the rows of a problem ----------------------------------------------------------------------------------- */

una_status una_problem_make_folds(una_problem *p, const una_copies *copies, una_run *run)
{
    unsigned char *fold;
    p->folds = UNA_FOLDS;
    UNA_TRY(una_fold_rows(&fold, &p->folds, copies, p->x.rows, una_rng_at(p->seed, UNA_FOR_FOLDS, 0), run));
    p->fold = fold;
    return UNA_OK;
}

/* Moves the rows that are `out` to the end of x, as valid_x; both sides keep the order of the file. In place: the
 * encoded rows belong to model.c, and there may be many. */
static una_status move_held_rows(una_problem *p, const bool *out, size_t held, una_run *run)
{
    size_t rows = p->x.rows, cols = p->x.cols, targets = p->outputs, train = 0, valid = 0;
    double *held_x = UNA_GET_ROWS(&run->scratch, double, held * cols);
    double *held_y = UNA_GET_ROWS(&run->scratch, double, held * targets);
    size_t *held_origin = p->origin ? UNA_GET_ROWS(&run->scratch, size_t, held) : NULL;
    uint32_t *held_team = p->team ? UNA_GET_ROWS(&run->scratch, uint32_t, held) : NULL;
    double *x = (double *)p->x.at, *y = (double *)p->y;
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t i = 0; i < rows; i++) {
        double *to = out[i] ? held_x + valid * cols : x + train * cols;
        double *answer = out[i] ? held_y + valid * targets : y + train * targets;
        if (to != x + i * cols) memcpy(to, x + i * cols, cols * sizeof *x);
        if (answer != y + i * targets) memcpy(answer, y + i * targets, targets * sizeof *y);
        if (p->origin) *(out[i] ? held_origin + valid : p->origin + train) = p->origin[i];
        if (p->team) *(out[i] ? held_team + valid : p->team + train) = p->team[i];
        if (out[i]) valid++;
        else train++;
    }

    memcpy(x + train * cols, held_x, held * cols * sizeof *x);
    memcpy(y + train * targets, held_y, held * targets * sizeof *y);
    if (p->origin) memcpy(p->origin + train, held_origin, held * sizeof *p->origin);
    if (p->team) memcpy(p->team + train, held_team, held * sizeof *p->team);
    p->x.rows = train;
    p->valid_x = (una_view){ x + train * cols, held, cols, cols };
    p->valid_y = y + train * targets;
    p->valid_joins = true;
    return UNA_OK;
}

static una_status hold_out_share(una_problem *p, const una_copies *copies, double fraction, una_run *run)
{
    size_t rows = p->x.rows, held = (size_t)floor(fraction * (double)rows + 0.5);
    uint32_t *order;
    if (held < 1) held = 1;
    if (held > rows - 2) held = rows - 2;

    UNA_TRY(una_hold_rows(&order, &held, copies, rows,
                          una_rng_at(p->seed, UNA_FOR_SPLIT, p->part), run));
    UNA_NEW_ROWS(&run->scratch, bool, out, rows);
    for (size_t i = 0; i < held; i++) out[order[i]] = true;
    return move_held_rows(p, out, held, run);
}

static una_status take_valid(una_problem *p, const una_dataset *valid, una_notes *warnings, una_run *run)
{
    double *x, *y;
    size_t rows, inputs = p->columns->input_count;
    una_encoding to = { &x, &y, NULL, &rows };
    UNA_NEW(&run->scratch, const una_columns *, columns, p->outputs);
    for (size_t t = 0; t < p->outputs; t++) columns[t] = &p->columns[t];
    UNA_TRY(una_columns_encode_several(columns, p->outputs, valid, &to, &run->scratch));
    if (rows == 0) UNA_FAIL(run, UNA_E_INPUT, "%s: there are no rows to validate on", valid->origin);
    p->valid_x = (una_view){ x, rows, inputs, inputs };
    p->valid_y = y;
    una_columns_warn_units(columns, p->outputs, valid, warnings);
    return UNA_OK;
}

/* ---- rows whose copies stand on the other side ---------------------------------------------------------------- */

/* All rows, held-out ones last; copied where they are not contiguous. */
static una_status all_rows(una_view *all, const una_problem *p, una_run *run)
{
    size_t rows = p->x.rows, valid = p->valid_x.rows, cols = p->x.cols;
    *all = p->x;
    all->rows += valid;
    if (valid == 0 || p->valid_x.at == p->x.at + rows * cols) return UNA_OK;

    UNA_NEW_ROWS(&run->scratch, double, copy, (rows + valid) * cols);
    memcpy(copy, p->x.at, rows * cols * sizeof *copy);
    memcpy(copy + rows * cols, p->valid_x.at, valid * cols * sizeof *copy);
    all->at = copy;
    return UNA_OK;
}

/* Held-out rows (with folds: rows of any fold) whose inputs also stand in another part, where they train. */
static una_status count_rows_across(size_t *across, const una_problem *p, una_run *run)
{
    una_copies copies;
    una_view all;
    UNA_TRY(all_rows(&all, p, run));
    UNA_TRY(una_copies_find(&copies, all, &run->scratch, run));
    UNA_NEW_ROWS(&run->scratch, bool, seen, all.rows);

    *across = 0;
    for (size_t i = 0; i < all.rows; i++) {
        size_t held = 0;
        bool parted = false;
        for (size_t row = i; !seen[row]; row = copies.next[row]) {
            seen[row] = true;
            parted = parted || (p->folds ? p->fold[row] != p->fold[i] : (row < p->x.rows) != (i < p->x.rows));
            held += p->folds || row >= p->x.rows;
        }
        if (parted) *across += held;
    }
    return UNA_OK;
}

static una_status warn_of_rows_across(const una_problem *p, una_fit_result *result, una_run *run)
{
    size_t across, rows = una_oof_x(p).rows;
    UNA_SCOPED(run, count_rows_across(&across, p, run));

    if (across * ONE_ROW_IN <= rows) return UNA_OK;
    una_notes_add(&result->warnings, p->folds ?
                  "%zu of the %zu rows have the same inputs as a row of another fold: the validation scores are too "
                  "kind if rows were copied." :
                  "%zu of the %zu held-out rows have the same inputs as a training row: the validation scores are too "
                  "kind if rows were copied.", across, rows);
    return UNA_OK;
}

static void note_copies(const una_problem *p, const una_copies *copies, una_fit_result *result)
{
    size_t rows = p->x.rows + p->valid_x.rows;
    if (copies->copied * ONE_ROW_IN <= rows) return;
    una_notes_add(&result->notes, p->folds ?
                  "%zu of the %zu rows have the same inputs as another row: copies share a fold, so that none is "
                  "predicted by a model that saw another." :
                  "%zu of the %zu rows have the same inputs as another row: copies are held out together, or none of "
                  "them is.", copies->copied, rows);
}

una_status una_problem_without_fold(una_problem *p, size_t fold, una_arena *arena)
{
    size_t rows = p->x.rows, cols = p->x.cols, outputs = p->outputs ? p->outputs : 1, out = 0, in = 0;
    UNA_NEW_ROWS(arena, double, x, rows * cols);
    UNA_NEW_ROWS(arena, double, y, rows * outputs);
    uint32_t *team = p->team ? UNA_GET_ROWS(arena, uint32_t, rows) : NULL;
    UNA_TRY(una_arena_check(arena));
    UNA_NEW_ROWS(arena, double, weight, p->weight ? rows : 0);
    for (size_t i = 0; i < rows; i++) out += p->fold[i] == fold;
    size_t valid = rows - out;
    for (size_t i = 0; i < rows; i++) {
        size_t to = p->fold[i] == fold ? valid++ : in++;
        memcpy(x + to * cols, p->x.at + i * p->x.stride, cols * sizeof *x);
        memcpy(y + to * outputs, p->y + i * outputs, outputs * sizeof *y);
        if (team) team[to] = p->team[i];
        if (p->weight) weight[to] = p->weight[i];
    }

    p->team = team;
    p->x = (una_view){ x, in, cols, cols };
    p->y = y;
    p->valid_x = (una_view){ x + in * cols, out, cols, cols };
    p->valid_y = y + in * outputs;
    if (p->weight) p->weight = weight;
    p->folds = 0;
    p->fold = NULL;
    p->shared = NULL;
    p->origin = NULL;
    return UNA_OK;
}

/* ---- the split ------------------------------------------------------------------------------------------------ */

const una_validation_rule una_validates = { UNA_FOLD_ROWS, UNA_KEPT_FOLD_ROWS };
const una_validation_rule una_validates_folds = { UNA_KEPT_FOLD_ROWS, UNA_KEPT_FOLD_ROWS };

/* Where the trainings without each fold are kept, folds cost nothing; else they come on top. */
static size_t fold_rows(const una_kind *kind, const void *options)
{
    const una_common_options *o = options;
    bool kept = kind->committee && o->members != 0 && o->members != 1;
    return kept ? kind->validation->folds_below_if_kept : kind->validation->folds_below;
}

/* All rows of the table are here. */
static bool is_whole(const una_problem *p)
{
    return una_table_rows(p) == p->x.rows;
}

static una_status split_own_rows(una_problem *p, double fraction, size_t folds_below, una_fit_result *result,
                                 una_run *run)
{
    una_copies copies;
    una_mark mark = una_arena_mark(&run->scratch);
    bool images = una_columns_image(p->columns).height > 0;       /* trainings are long, so there is only one */
    bool whole = is_whole(p), in_turn = fraction == 0 && p->x.rows < folds_below && whole && !images;
    if (fraction == 0) fraction = fmin(0.5, fmax(held_share, LEAST_HELD / (double)una_table_rows(p)));
    UNA_TRY(una_split_copies(&copies, p, run));
    UNA_TRY(in_turn ? una_problem_make_folds(p, &copies, run) : hold_out_share(p, &copies, fraction, run));

    bool keeps_copies = copies.groups < p->x.rows + p->valid_x.rows;
    if (!whole || p->team) copies.copied = 0;               /* copies among some of the rows say too little */
    if (keeps_copies && !p->team) note_copies(p, &copies, result);
    else if (copies.copied > 0) UNA_TRY(warn_of_rows_across(p, result, run));
    if (!in_turn) una_arena_release(&run->scratch, mark);
    return UNA_OK;
}

una_status una_problem_split(una_problem *problem, const una_kind *kind, void *options,
                             const una_fit_settings *settings, una_fit_result *result, una_run *run)
{
    if (!kind->validation) return UNA_OK;
    if (!settings->valid)
        return split_own_rows(problem, settings->valid_fraction, fold_rows(kind, options), result, run);
    UNA_TRY(take_valid(problem, settings->valid, &result->warnings, run));
    return is_whole(problem) ? warn_of_rows_across(problem, result, run) : UNA_OK;
}
