/* SPDX-License-Identifier: MIT
 *
 * The next point: history to rows, rows to a model, model to a hill, the hill's top.
 *
 * Best value so far: the least mean that the model has at a told point, so that one lucky noisy value does not stop
 * the search; where a value lies further below the mean than noise explains, the model is wrong there, and the value
 * counts. When the last trials lie around the best one, the next looks elsewhere, once: what the model is sure of may
 * be one of several basins.
 * A model that knows its ignorance from samples alone (no exact posterior) is not trusted with every point: each fourth
 * is spread. Failed trials count as the worst value told: the search keeps away without ruling their neighbourhood out.
 */
#include "bo/search.h"

#include "bo/maximise.h"

enum { NEAR = 5, GATHERED = 2, BLIND = 4 };
static const double AROUND = 0.2;        /* of the range of every input */

struct una_search {
    una_run             *run;
    una_search_settings  settings;
    const una_acquisition  *acquisition;
    una_acquisition_options options;
    una_surrogate       *surrogate;
};

una_status una_search_new(una_search **out, const una_search_settings *settings, una_run *run)
{
    una_search *s = una_allocate(run, sizeof *s);
    *out = NULL;
    if (!s) return una_fail(run, UNA_E_MEMORY, "there is no memory for a search");
    memset(s, 0, sizeof *s);
    s->run = run;
    s->settings = *settings;
    una_status status = una_acquisition_need_named(&s->acquisition, &s->options, settings->acquisition, run);
    if (status == UNA_OK)
        status = una_surrogate_new(&s->surrogate, settings->model, settings->space->columns, settings->seed, run);
    if (status == UNA_OK) *out = s;
    else una_search_free(s);
    return status;
}

void una_search_free(una_search *s)
{
    if (!s) return;
    una_surrogate_free(s->surrogate);
    una_release(s->run, s);
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static double sign_of(const una_search *s)
{
    return s->settings.maximize ? -1 : 1;
}

static una_status known_of(una_surrogate_data *known, const una_search *s, const una_history *h, una_arena *arena)
{
    const una_space *space = s->settings.space;
    double worst = -HUGE_VAL;
    *known = (una_surrogate_data){ .columns = space->columns, .u = UNA_GET(arena, double, h->count * space->columns),
                          .y = UNA_GET(arena, double, h->count),
                          .open = UNA_GET(arena, double, h->count * space->columns) };
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < h->count; i++)
        if (h->state[i] == UNA_TRIAL_TOLD) worst = fmax(worst, sign_of(s) * h->value[i]);

    for (size_t i = 0; i < h->count; i++) {
        bool open = h->state[i] == UNA_TRIAL_OPEN;
        double *u = open ? known->open + known->open_count++ * space->columns : known->u + known->told * space->columns;
        una_space_encode(space, h->point + i * space->count, u);
        if (!open) known->y[known->told++] = h->state[i] == UNA_TRIAL_TOLD ? sign_of(s) * h->value[i] : worst;
    }
    if (worst == -HUGE_VAL) known->told = 0;             /* nothing but failures tells nothing */
    return UNA_OK;
}

/* The points of the least values, best first. */
static una_status nearest_of(una_maximise_task *task, const una_surrogate_data *known, una_arena *arena)
{
    size_t count = known->told < NEAR ? known->told : NEAR, columns = known->columns;
    UNA_NEW(arena, double, near, NEAR * columns);
    UNA_NEW(arena, bool, taken, known->told);
    for (size_t k = 0; k < count; k++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < known->told; i++)
            if (!taken[i] && (best == SIZE_MAX || known->y[i] < known->y[best])) best = i;
        taken[best] = true;
        memcpy(near + k * columns, known->u + best * columns, columns * sizeof *near);
    }
    task->near = near;
    task->near_count = count;
    return UNA_OK;
}

static bool has_gathered(const una_maximise_task *task)
{
    size_t columns = task->space->columns, count = task->known_count;
    if (count < 4 * GATHERED || task->near_count == 0) return false;
    for (size_t i = count - GATHERED; i < count; i++)
        for (size_t d = 0; d < columns; d++)
            if (fabs(task->known[i * columns + d] - task->near[d]) > AROUND) return false;
    return true;
}

static una_status hill_of(una_maximise_task *task, const una_search *s, const una_history *h,
                          const una_surrogate_data *known, una_arena *arena)
{
    const una_space *space = s->settings.space;
    UNA_NEW(arena, double, all, h->count * space->columns);
    for (size_t i = 0; i < h->count; i++)
        una_space_encode(space, h->point + i * space->count, all + i * space->columns);
    *task = (una_maximise_task){ .space = space, .acquisition = s->acquisition, .options = &s->options, .known = all,
                        .known_count = h->count, .seed = s->settings.seed, .index = h->count };
    UNA_TRY(nearest_of(task, known, arena));
    if (has_gathered(task)) task->leave = task->near, task->radius = AROUND;
    return UNA_OK;
}

/* ---- models of a hill ------------------------------------------------------------------------------------------ */

typedef struct climbed {                 /* what the acquisition sees                                                */
    una_model **own;                     /* made here, to be freed                                                   */
    size_t      own_count;
    const una_model **model;
    double     *best;
} climbed;

static una_status least_known(double *best, const una_warp *warp, const una_model *model,
                              const una_surrogate_data *known, una_run *run)
{
    una_input_map map;
    una_mark mark = una_arena_mark(&run->scratch);
    double *mean = UNA_GET(&run->scratch, double, known->told), *std = UNA_GET(&run->scratch, double, known->told);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = una_input_map_of(&map, model, known->columns, &run->scratch);
    if (status == UNA_OK) status = una_input_map_moments(&map, model, known->u, known->told, mean, std, run);
    *best = HUGE_VAL;
    double noise = 2 * una_model_info(model)->noise_std;
    for (size_t i = 0; status == UNA_OK && i < known->told; i++) {
        double value = una_warp_value(warp, known->y[i]);
        *best = fmin(*best, mean[i] - value > noise ? value : mean[i]);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status rows_for(una_dataset **data, const una_model *model, const una_surrogate_data *known, const double *y,
                           una_run *run)
{
    una_input_map map;
    UNA_TRY(una_input_map_of(&map, model, known->columns, &run->scratch));
    return una_input_map_table(data, &map, model, known->u, y, known->told, run);
}

/* The model updated with a function drawn from it, without noise, at the told points. */
static una_status condition_on_draw(climbed *c, const una_model *model, const una_surrogate_data *known,
                                    const double *f, una_run *run)
{
    const char *const set[] = { "noise_std=1e-4" };
    una_dataset *data = NULL;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = rows_for(&data, model, known, f, run);
    if (status == UNA_OK) status = una_model_relearn(&c->own[c->own_count], model, data, set, 1, run);
    una_dataset_free(data);
    una_arena_release(&run->scratch, mark);
    UNA_TRY(status);
    c->model[c->own_count] = c->own[c->own_count];
    c->best[c->own_count] = HUGE_VAL;
    for (size_t i = 0; i < known->told; i++) c->best[c->own_count] = fmin(c->best[c->own_count], f[i]);
    c->own_count++;
    return UNA_OK;
}

static una_status dream_all(climbed *c, const una_search *s, const una_model *model, const una_surrogate_data *known,
                            uint64_t index, una_run *run)
{
    size_t draws = (size_t)s->options.draws;
    una_dataset *data = NULL;
    UNA_NEW(&run->scratch, double, f, draws * known->told);
    UNA_TRY(rows_for(&data, model, known, NULL, run));
    uint64_t seed = run->settings.seed;
    una_rng rng = una_rng_at(s->settings.seed, UNA_FOR_SEARCH, (4ull << 40) + index);
    run->settings.seed = una_rng_u32(&rng);
    una_status status = una_model_draw(model, data, draws, 0, f, run);
    run->settings.seed = seed;
    una_dataset_free(data);
    for (size_t k = 0; status == UNA_OK && k < draws; k++)
        status = condition_on_draw(c, model, known, f + k * known->told, run);
    return status;
}

/* One drawn function, or its values at all candidates where a model has no functions. */
static una_status draw_function(climbed *c, una_maximise_task *task, const una_search *s, const una_model *model,
                                una_run *run)
{
    uint64_t seed = run->settings.seed;
    run->settings.seed = s->settings.seed;
    una_status status = una_model_sample(&c->own[0], model, task->index, run);
    run->settings.seed = seed;
    if (status == UNA_E_USAGE) {
        una_clear_message(run);
        task->joint = true;
        return UNA_OK;
    }
    UNA_TRY(status);
    c->own_count = 1;
    c->model[0] = c->own[0];
    return UNA_OK;
}

static una_status choose_models(climbed *c, una_maximise_task *task, const una_search *s, const una_model *model,
                                const una_surrogate_data *known, una_run *run)
{
    size_t room = s->acquisition->need == UNA_NEEDS_FANTASIES ? (size_t)s->options.draws : 1;
    una_status status = UNA_OK;
    *c = (climbed){ .own = UNA_GET(&run->scratch, una_model *, room),
                    .model = UNA_GET(&run->scratch, const una_model *, room),
                    .best = UNA_GET(&run->scratch, double, room) };
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(least_known(&c->best[0], una_surrogate_warp(s->surrogate), model, known, run));
    c->model[0] = model;
    task->models = 1;

    if (s->acquisition->need == UNA_NEEDS_DRAW) status = draw_function(c, task, s, model, run);
    if (s->acquisition->need == UNA_NEEDS_FANTASIES) {
        status = dream_all(c, s, model, known, task->index, run);
        if (status == UNA_OK) task->models = c->own_count;
        if (status == UNA_E_USAGE) {                     /* no draw and no refit of the posterior: use the mean     */
            una_clear_message(run);
            status = least_known(&c->best[0], una_surrogate_warp(s->surrogate), model, known, run);
            c->model[0] = model;
        }
    }
    task->model = c->model;
    task->best = c->best;
    return status;
}

/* ---- the next point -------------------------------------------------------------------------------------------- */

/* In the user's units; where values are compressed, half the distance between one std above and one below. */
static una_status predict_points(const una_search *s, const una_model *model, const double *u, size_t rows,
                                 double *mean, double *std, una_run *run)
{
    una_input_map map;
    const una_warp *warp = una_surrogate_warp(s->surrogate);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_input_map_of(&map, model, s->settings.space->columns, &run->scratch);
    if (status == UNA_OK) status = una_input_map_moments(&map, model, u, rows, mean, std, run);
    for (size_t i = 0; status == UNA_OK && i < rows; i++) {
        double high = una_warp_back(warp, mean[i] + std[i]), low = una_warp_back(warp, mean[i] - std[i]);
        mean[i] = sign_of(s) * una_warp_back(warp, mean[i]);
        std[i] = 0.5 * (high - low);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status search_propose(una_search *s, una_maximise_task *task, const una_surrogate_data *known, double *u,
                                 una_proposal *proposal, una_run *run)
{
    const una_model *model;
    climbed c = {0};
    una_status status = una_surrogate_learn(&model, &proposal->trained, s->surrogate, known, run);
    if (status == UNA_E_INPUT || status == UNA_E_NUMERIC) {      /* too few rows, or all the same: look around */
        una_clear_message(run);
        return una_design_point(u, task, true, run);
    }
    UNA_TRY(status);
    if (!una_surrogate_updates(s->surrogate) && task->index % BLIND == 0) return una_design_point(u, task, true, run);
    status = choose_models(&c, task, s, model, known, run);
    if (status == UNA_OK) status = una_maximise(u, &proposal->gain, task, run);
    for (size_t i = 0; i < c.own_count; i++) una_model_free(c.own[i]);
    UNA_TRY(status);
    return predict_points(s, model, u, 1, &proposal->expected, &proposal->doubt, run);
}

static una_status next_point(una_search *s, const una_history *h, double *point, una_proposal *proposal, una_run *run)
{
    una_surrogate_data known;
    una_maximise_task task;
    UNA_NEW(&run->scratch, double, u, s->settings.space->columns);
    UNA_TRY(known_of(&known, s, h, &run->scratch));
    UNA_TRY(hill_of(&task, s, h, &known, &run->scratch));

    bool blind = s->acquisition->need == UNA_NEEDS_NOTHING;
    if (blind) UNA_TRY(una_design_point(u, &task, s->acquisition->quasi, run));
    else if (h->count < s->settings.initial || known.told < 2) UNA_TRY(una_design_point(u, &task, true, run));
    else UNA_TRY(search_propose(s, &task, &known, u, proposal, run));
    una_space_decode(s->settings.space, u, point);
    return UNA_OK;
}

una_status una_search_next(una_search *s, const una_history *h, double *point, una_proposal *proposal, una_run *run)
{
    una_proposal own;
    una_mark mark = una_arena_mark(&run->scratch);
    if (!proposal) proposal = &own;
    *proposal = (una_proposal){ .expected = NAN, .doubt = NAN, .gain = NAN };
    una_status status = next_point(s, h, point, proposal, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status predict_history_points(una_search *s, const una_history *h, const double *point, size_t rows,
                                         double *mean, double *std, una_run *run)
{
    const una_space *space = s->settings.space;
    una_surrogate_data known;
    const una_model *model;
    bool trained;
    UNA_NEW(&run->scratch, double, u, rows * space->columns);
    UNA_TRY(known_of(&known, s, h, &run->scratch));
    known.open_count = 0;
    if (known.told < 2) UNA_FAIL(run, UNA_E_INPUT, "a model needs at least two trials with values");
    UNA_TRY(una_surrogate_learn(&model, &trained, s->surrogate, &known, run));
    for (size_t i = 0; i < rows; i++) una_space_encode(space, point + i * space->count, u + i * space->columns);
    return predict_points(s, model, u, rows, mean, std, run);
}

una_status una_search_predict(una_search *s, const una_history *h, const double *point, size_t rows, double *mean,
                              double *std, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = predict_history_points(s, h, point, rows, mean, std, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status gain_points(una_search *s, const una_history *h, const double *point, size_t rows, double *gain,
                              una_run *run)
{
    const una_space *space = s->settings.space;
    una_surrogate_data known;
    una_maximise_task task;
    climbed c = {0};
    const una_model *model;
    bool trained;
    UNA_NEW(&run->scratch, double, u, rows * space->columns);
    UNA_TRY(known_of(&known, s, h, &run->scratch));
    if (known.told < 2) UNA_FAIL(run, UNA_E_INPUT, "a model needs at least two trials with values");
    UNA_TRY(hill_of(&task, s, h, &known, &run->scratch));
    UNA_TRY(una_surrogate_learn(&model, &trained, s->surrogate, &known, run));
    for (size_t i = 0; i < rows; i++) una_space_encode(space, point + i * space->count, u + i * space->columns);
    una_status status = choose_models(&c, &task, s, model, &known, run);
    if (status == UNA_OK) status = una_maximise_values(gain, &task, u, rows, run);
    for (size_t i = 0; i < c.own_count; i++) una_model_free(c.own[i]);
    return status;
}

una_status una_search_gain(una_search *s, const una_history *h, const double *point, size_t rows, double *gain,
                           una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    if (s->acquisition->need == UNA_NEEDS_NOTHING || s->acquisition->need == UNA_NEEDS_DRAW)
        UNA_FAIL(run, UNA_E_USAGE, "%s has no value of its own at a point", s->acquisition->name);
    una_status status = gain_points(s, h, point, rows, gain, run);
    una_arena_release(&run->scratch, mark);
    return status;
}
