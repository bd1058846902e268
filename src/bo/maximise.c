/* SPDX-License-Identifier: MIT
 *
 * Candidates, ascents, moves. Every number depends on the task alone, not on the threads.
 */
#include "bo/maximise.h"

#include "opt/lbfgs.h"

enum { SPREAD = 768, AROUND = 512, BLOCK = 128, STARTS = 8, ASCENT_STEPS = 60, TRIES = 20000, PASSES = 3,
       MOST_LEVELS_TRIED = 24 };
static const double SAME = 1e-7;         /* points nearer than this in every column are the same                     */
static const double APART = 0.03;        /* least distance between two starts                                        */

typedef struct climber {                 /* working memory of one thread                                             */
    const una_maximise_task *task;
    size_t          parts;               /* of all models                                                            */
    double         *weight, *mean, *std, *dmean, *dstd;
    double         *at, *value;          /* [columns] how far an ascent has come; its value there                    */
    bool            moved;               /* it has come further                                                      */
    double         *base;                /* [columns] the whole point, while some columns move                       */
    size_t         *moves;               /* [move_count] columns that gradients move                                 */
    size_t          move_count;
    double         *slope;               /* [columns]                                                                */
    double         *point;               /* [space->count]                                                           */
} climber;

/* ---- asking the acquisition ------------------------------------------------------------------------------------ */

static una_status climber_in(climber *c, const una_maximise_task *task, size_t rows, bool slopes, una_arena *arena)
{
    size_t columns = task->space->columns;
    *c = (climber){ .task = task };
    for (size_t k = 0; k < task->models; k++) c->parts += una_model_part_count(task->model[k]);
    size_t moved = slopes ? rows * c->parts * columns : 0;
    UNA_NEW_AT(arena, c->weight, c->parts);
    UNA_NEW_AT(arena, c->mean, rows * c->parts);
    UNA_NEW_AT(arena, c->std, rows * c->parts);
    UNA_NEW_AT(arena, c->dmean, moved);
    UNA_NEW_AT(arena, c->dstd, moved);
    UNA_NEW_AT(arena, c->base, columns);
    UNA_NEW_AT(arena, c->moves, columns);
    UNA_NEW_AT(arena, c->slope, columns);
    UNA_NEW_AT(arena, c->point, task->space->count);
    return UNA_OK;
}

/* Parts of all models at points u [rows, columns], measured from each model's best value: model by model. */
static una_status ask_models(climber *c, const double *u, size_t rows, bool slopes, una_run *run)
{
    const una_maximise_task *task = c->task;
    const una_points points = { task->space->columns, rows, u };
    for (size_t k = 0, done = 0; k < task->models; k++) {
        size_t parts = una_model_part_count(task->model[k]);
        una_parts p = { .size = sizeof p, .weight = c->weight + done, .mean = c->mean + rows * done,
                        .std = c->std + rows * done };
        if (slopes) p.dmean = c->dmean + rows * done * points.columns, p.dstd = c->dstd + rows * done * points.columns;
        UNA_TRY(una_points_parts(&points, task->model[k], &p, run));
        for (size_t m = 0; m < parts; m++) p.weight[m] /= (double)task->models;
        for (size_t i = 0; i < rows * parts; i++) p.mean[i] -= task->best[k];
        done += parts;
    }
    return UNA_OK;
}

static double mixed_value(const climber *c, const double *mean, const double *std, double *slope)
{
    una_mixture_point at = { .count = c->parts, .inputs = c->task->space->columns, .weight = c->weight, .mean = mean,
                             .std = std, .dmean = c->dmean, .dstd = c->dstd };
    return una_acquisition_mixture(c->task->acquisition, c->task->options, &at, 0, slope);
}

static una_status value_at(climber *c, const double *u, double *value, double *slope, una_run *run)
{
    UNA_SCOPED(run, ask_models(c, u, 1, slope != NULL, run));
    *value = mixed_value(c, c->mean, c->std, slope);
    return UNA_OK;
}

/* ---- candidates ------------------------------------------------------------------------------------------------ */

typedef struct candidates {
    const una_maximise_task *task;
    double         *u, *value;           /* [count, columns] [count]                                                 */
    size_t          count;
    size_t          start[STARTS], starts;       /* the best that are not near each other, best first                */
} candidates;

static double point_distance(const double *a, const double *b, size_t columns)
{
    double most = 0;
    for (size_t d = 0; d < columns; d++) most = fmax(most, fabs(a[d] - b[d]));
    return most;
}

/* Tried or open points, or points that the search must avoid now. */
static bool is_known(const una_maximise_task *task, const double *u)
{
    size_t columns = task->space->columns;
    if (task->leave && point_distance(task->leave, u, columns) <= task->radius) return true;
    for (size_t i = 0; i < task->known_count; i++)
        if (point_distance(task->known + i * columns, u, columns) < SAME) return true;
    return false;
}

/* The nearest valid point; false: it breaks a constraint. */
static bool snap_to_valid_point(const una_space *space, double *u, double *point)
{
    una_space_decode(space, u, point);
    una_space_encode(space, point, u);
    return una_space_allows(space, point);
}

static void place_at(const una_maximise_task *task, bool quasi, uint64_t index, double *u, double *unit, double *point)
{
    size_t count = task->space->count;
    una_rng rng = una_rng_at(task->seed, UNA_FOR_SEARCH, (1ull << 40) + index);
    if (quasi) una_quasi(unit, count, index, task->seed);
    for (size_t d = 0; !quasi && d < count; d++) unit[d] = una_rng_uniform(&rng);
    una_space_place(task->space, unit, point);
    una_space_encode(task->space, point, u);
}

una_status una_design_point(double *u, const una_maximise_task *task, bool quasi, una_run *run)
{
    bool any = false;
    UNA_NEW(&run->scratch, double, unit, task->space->count);
    UNA_NEW(&run->scratch, double, point, task->space->count);
    for (uint64_t t = 0; t < TRIES; t++) {
        /* Refused points do not shift those of later trials: each has its own sequence from the second */
        uint64_t index = t == 0 ? task->index : (task->index + 1) * 1000003 + t;
        place_at(task, quasi, index, u, unit, point);
        if (!una_space_allows(task->space, point)) continue;
        any = true;
        if (!is_known(task, u)) return UNA_OK;
    }
    if (!any && task->space->constraint_count)
        UNA_FAIL(run, UNA_E_INPUT, "no point of the space was found that keeps its constraints, in %d tries; are they "
                 "too narrow?", (int)TRIES);
    UNA_FAIL(run, UNA_E_INPUT, "every point of the space has been tried");
}

/* A step from one of the best points: some inputs move, by a random length. */
static void step_from(const una_maximise_task *task, size_t index, double *u)
{
    const una_space *s = task->space;
    una_rng rng = una_rng_at(task->seed, UNA_FOR_SEARCH, (2ull << 40) + task->index * 4096 + index);
    double length = pow(10, -0.5 - 3 * una_rng_uniform(&rng)), share = fmax(0.3, 1.5 / (double)s->count);
    memcpy(u, task->near + (index % task->near_count) * s->columns, s->columns * sizeof *u);
    for (size_t i = 0; i < s->count; i++) {
        const una_dimension *d = &s->dimension[i];
        bool move = una_rng_uniform(&rng) < share || s->count == 1;
        double normal = una_rng_normal(&rng);
        size_t level = d->type == UNA_DIMENSION_CATEGORY ? una_rng_below(&rng, d->columns) : 0;
        if (!move || d->columns == 0) continue;
        if (d->type == UNA_DIMENSION_CATEGORY) {
            for (size_t l = 0; l < d->columns; l++) u[d->first + l] = l == level;
        } else {
            double whole = d->type == UNA_DIMENSION_INTEGER && !d->log ? 1 / (d->high - d->low) : 0;
            u[d->first] = fmin(1, fmax(0, u[d->first] + fmax(length, whole) * normal));
        }
    }
}

static una_status gather_candidates(candidates *c, const una_maximise_task *task, una_arena *arena)
{
    size_t columns = task->space->columns, around = task->near_count ? AROUND : 0;
    *c = (candidates){ .task = task };
    UNA_NEW(arena, double, unit, task->space->count);
    UNA_NEW(arena, double, point, task->space->count);
    UNA_NEW_AT(arena, c->u, (SPREAD + AROUND) * columns);
    UNA_NEW_AT(arena, c->value, SPREAD + AROUND);
    for (size_t t = 0; t < TRIES && c->count < SPREAD; t++) {
        double *u = c->u + c->count * columns;
        place_at(task, true, task->index * SPREAD + t, u, unit, point);
        if (una_space_allows(task->space, point) && !is_known(task, u)) c->count++;
    }
    for (size_t t = 0; t < around; t++) {
        double *u = c->u + c->count * columns;
        step_from(task, t, u);
        if (snap_to_valid_point(task->space, u, point) && !is_known(task, u)) c->count++;
    }
    return UNA_OK;
}

static una_status evaluate_block(void *context, size_t index, una_run *run)
{
    candidates *c = context;
    size_t from = index * BLOCK, rows = c->count - from < BLOCK ? c->count - from : BLOCK;
    climber own;
    UNA_TRY(climber_in(&own, c->task, rows, false, &run->scratch));
    UNA_NEW(&run->scratch, double, mean, own.parts);
    UNA_NEW(&run->scratch, double, std, own.parts);
    UNA_TRY(ask_models(&own, c->u + from * c->task->space->columns, rows, false, run));
    for (size_t r = 0; r < rows; r++) {
        for (size_t k = 0, done = 0; k < c->task->models; k++) {
            size_t parts = una_model_part_count(c->task->model[k]);
            memcpy(mean + done, own.mean + rows * done + r * parts, parts * sizeof *mean);
            memcpy(std + done, own.std + rows * done + r * parts, parts * sizeof *std);
            done += parts;
        }
        c->value[from + r] = mixed_value(&own, mean, std, NULL);
    }
    return UNA_OK;
}

/* The values of one function drawn jointly over all candidates, for models that allow no other draw. */
static una_status draw_at_candidates(candidates *c, una_run *run)
{
    una_dataset *data;
    una_rng rng = una_rng_at(c->task->seed, UNA_FOR_SEARCH, (3ull << 40) + c->task->index);
    const una_points points = { c->task->space->columns, c->count, c->u };
    UNA_TRY(una_points_table(&data, &points, c->task->model[0], NULL, run));
    UNA_SEEDED(run, una_rng_u32(&rng), una_model_draw(c->task->model[0], data, 1, 0, c->value, run));
    for (size_t r = 0; r < c->count; r++) c->value[r] = -c->value[r];
    return UNA_OK;
}

/* ---- ascents --------------------------------------------------------------------------------------------------- */

static una_status negative_acquisition(void *context, const double *x, double *value, double *gradient, una_run *run)
{
    climber *c = context;
    for (size_t i = 0; i < c->move_count; i++) c->base[c->moves[i]] = x[i];
    if (c->task->space->constraint_count) {
        una_space_decode(c->task->space, c->base, c->point);
        if (!una_space_allows(c->task->space, c->point)) UNA_FAIL(run, UNA_E_NUMERIC, "not allowed");
    }
    UNA_TRY(value_at(c, c->base, value, gradient ? c->slope : NULL, run));
    *value = -*value;
    for (size_t i = 0; gradient && i < c->move_count; i++) gradient[i] = -c->slope[c->moves[i]];
    return UNA_OK;
}

/* The ascent goes to the valid point nearest to u, if that is better. */
static una_status try_move(climber *c, double *u, una_run *run)
{
    double value;
    if (!snap_to_valid_point(c->task->space, u, c->point) || is_known(c->task, u)) return UNA_OK;
    UNA_TRY(value_at(c, u, &value, NULL, run));
    if (!(value > *c->value)) return UNA_OK;
    memcpy(c->at, u, c->task->space->columns * sizeof *u);
    *c->value = value;
    c->moved = true;
    return UNA_OK;
}

/* Reals, and whole numbers of which there are many; columns that do not move stay. */
static una_status climb(climber *c, una_run *run)
{
    enum { MANY = 10 };
    const una_space *s = c->task->space;
    size_t columns = s->columns;
    una_lbfgs_report report;
    c->move_count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const una_dimension *d = &s->dimension[i];
        bool many = d->type == UNA_DIMENSION_INTEGER && d->high - d->low >= MANY;
        if (d->type == UNA_DIMENSION_REAL || many) c->moves[c->move_count++] = d->first;
    }
    if (c->move_count == 0) return UNA_OK;
    UNA_NEW(&run->scratch, double, x, 4 * columns);
    double *low = x + columns, *high = low + columns, *u = high + columns;
    una_lbfgs_settings settings = { .low = low, .high = high, .most_steps = ASCENT_STEPS, .gradient_tolerance = 1e-7,
                                    .value_tolerance = 1e-7 };
    memcpy(c->base, c->at, columns * sizeof *c->base);
    memcpy(u, c->at, columns * sizeof *u);
    for (size_t i = 0; i < c->move_count; i++) x[i] = u[c->moves[i]], high[i] = 1;

    una_status status = una_lbfgs(x, c->move_count, negative_acquisition, c, &settings, &report, run);
    if (status == UNA_E_NUMERIC) {
        una_clear_message(run);
        return UNA_OK;
    }
    UNA_TRY(status);
    for (size_t i = 0; i < c->move_count; i++) u[c->moves[i]] = x[i];
    return try_move(c, u, run);
}

/* Whole numbers one up and down, other levels. */
static una_status move_steps(climber *c, una_run *run)
{
    const una_space *s = c->task->space;
    UNA_NEW(&run->scratch, double, u, s->columns);
    UNA_NEW(&run->scratch, double, point, s->count);
    for (size_t i = 0; i < s->count; i++) {
        const una_dimension *d = &s->dimension[i];
        bool whole = d->type == UNA_DIMENSION_INTEGER;
        size_t tries = whole ? 2 : d->level_count * (d->type == UNA_DIMENSION_CATEGORY);
        for (size_t t = 0; t < tries && t < MOST_LEVELS_TRIED; t++) {
            una_space_decode(s, c->at, point);
            double step = t ? 1 : -1;
            point[i] = whole ? fmin(d->high, fmax(d->low, point[i] + step)) : (double)t;
            una_space_encode(s, point, u);
            UNA_TRY(try_move(c, u, run));
        }
    }
    return UNA_OK;
}

static una_status climb_from_start(void *context, size_t index, una_run *run)
{
    candidates *all = context;
    size_t start = all->start[index];
    climber c;
    UNA_TRY(climber_in(&c, all->task, 1, true, &run->scratch));
    c.at = all->u + start * all->task->space->columns;
    c.value = &all->value[start];
    c.moved = true;
    for (int pass = 0; c.moved && pass < PASSES; pass++) {
        UNA_TRY(climb(&c, run));
        c.moved = false;
        UNA_TRY(move_steps(&c, run));
    }
    return UNA_OK;
}

static bool is_apart(const candidates *c, size_t one)
{
    size_t columns = c->task->space->columns;
    for (size_t i = 0; i < c->starts; i++)
        if (point_distance(c->u + one * columns, c->u + c->start[i] * columns, columns) < APART) return false;
    return true;
}

static void choose_starts(candidates *c)
{
    for (size_t best = 0; c->starts < STARTS && best != SIZE_MAX;) {
        best = SIZE_MAX;
        for (size_t i = 0; i < c->count; i++)
            if (!isnan(c->value[i]) && (best == SIZE_MAX || c->value[i] > c->value[best]) && is_apart(c, i)) best = i;
        if (best != SIZE_MAX) c->start[c->starts++] = best;
    }
}

una_status una_maximise(double *u, double *value, const una_maximise_task *task, una_run *run)
{
    candidates c;
    UNA_TRY(gather_candidates(&c, task, &run->scratch));
    if (c.count == 0) return una_design_point(u, task, true, run);
    if (task->joint) UNA_TRY(draw_at_candidates(&c, run));
    else UNA_TRY(una_pool(run, (c.count + BLOCK - 1) / BLOCK, evaluate_block, &c));
    choose_starts(&c);
    if (c.starts == 0) UNA_FAIL(run, UNA_E_NUMERIC, "the acquisition has no value anywhere");
    if (!task->joint) UNA_TRY(una_pool(run, c.starts, climb_from_start, &c));
    size_t best = c.start[0];
    for (size_t i = 1; i < c.starts; i++)
        if (c.value[c.start[i]] > c.value[best]) best = c.start[i];
    memcpy(u, c.u + best * task->space->columns, task->space->columns * sizeof *u);
    *value = c.value[best];
    return UNA_OK;
}

una_status una_maximise_values(double *value, const una_maximise_task *task, double *u, size_t rows, una_run *run)
{
    candidates c = { .task = task, .u = u, .value = value, .count = rows };
    return una_pool(run, (rows + BLOCK - 1) / BLOCK, evaluate_block, &c);
}
