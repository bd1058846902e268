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
#include "model/above.h"

enum { NEAR = 5, GATHERED = 2, BLIND = 4 };
static const double AROUND = 0.2;        /* of the range of every input */

struct una_search {
    una_run             *run;
    una_search_settings  settings;
    const una_acquisition  *acquisition;
    una_acquisition_options options;
    una_surrogate        surrogate;
};

/* One call: what is known, and the models that the acquisition is averaged over. All in scratch memory. */
typedef struct question {
    una_search          *search;
    const una_history   *history;
    una_surrogate_data   known;
    una_maximise_task    task;
    const una_model     *model;          /* with all trials in it                                                    */
    const una_model    **models;         /* what task.model is                                                       */
    double              *best;           /* what task.best is                                                        */
    una_run             *run;
} question;

una_status una_search_new(una_search **out, const una_search_settings *settings, una_run *run)
{
    una_search *s = una_allocate(run, sizeof *s);
    *out = NULL;
    if (!s) return una_fail(run, UNA_E_MEMORY, "there is no memory for a search");
    *s = (una_search){ .run = run, .settings = *settings,
                       .surrogate = una_surrogate_of(settings->model, settings->seed, run) };
    una_status status = una_acquisition_need_named(&s->acquisition, &s->options, settings->acquisition, run);
    if (status == UNA_OK) *out = s;
    else una_search_free(s);
    return status;
}

void una_search_free(una_search *s)
{
    if (!s) return;
    una_surrogate_free(&s->surrogate);
    una_release(s->run, s);
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

static double sign_of(const una_search *s)
{
    return s->settings.maximize ? -1 : 1;
}

static una_status encode_points(double **u, const una_space *space, const double *point, size_t rows, una_run *run)
{
    UNA_NEW_AT(&run->scratch, *u, rows * space->columns);
    for (size_t i = 0; i < rows; i++) una_space_encode(space, point + i * space->count, *u + i * space->columns);
    return UNA_OK;
}

/* all [trials, columns] */
static una_status known_of(una_surrogate_data *known, const una_search *s, const una_history *h, const double *all,
                           una_arena *arena)
{
    size_t columns = s->settings.space->columns;
    double worst = -HUGE_VAL;
    *known = (una_surrogate_data){ .columns = columns };
    UNA_NEW_AT(arena, known->u, h->count * columns);
    UNA_NEW_AT(arena, known->y, h->count);
    UNA_NEW_AT(arena, known->open, h->count * columns);
    for (size_t i = 0; i < h->count; i++)
        if (h->state[i] == UNA_TRIAL_TOLD) worst = fmax(worst, sign_of(s) * h->value[i]);

    for (size_t i = 0; i < h->count; i++) {
        bool open = h->state[i] == UNA_TRIAL_OPEN;
        double *u = open ? known->open + known->open_count++ * columns : known->u + known->told * columns;
        memcpy(u, all + i * columns, columns * sizeof *u);
        if (!open) known->y[known->told++] = h->state[i] == UNA_TRIAL_TOLD ? sign_of(s) * h->value[i] : worst;
    }
    if (worst == -HUGE_VAL) known->told = 0;             /* nothing but failures tells nothing */
    return UNA_OK;
}

/* The points of the least values, best first. */
static una_status nearest_of(una_maximise_task *task, const una_surrogate_data *known, una_arena *arena)
{
    size_t columns = known->columns;
    UNA_NEW(arena, double, near, NEAR * columns);
    UNA_NEW(arena, bool, taken, known->told);
    for (; task->near_count < NEAR && task->near_count < known->told; task->near_count++) {
        size_t best = SIZE_MAX;
        for (size_t i = 0; i < known->told; i++)
            if (!taken[i] && (best == SIZE_MAX || known->y[i] < known->y[best])) best = i;
        taken[best] = true;
        memcpy(near + task->near_count * columns, known->u + best * columns, columns * sizeof *near);
    }
    task->near = near;
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

/* What is known, and what is to be maximised. */
static una_status pose(question *q, una_search *s, const una_history *h, una_run *run)
{
    double *all;
    *q = (question){ .search = s, .history = h, .run = run };
    UNA_TRY(encode_points(&all, s->settings.space, h->point, h->count, run));
    UNA_TRY(known_of(&q->known, s, h, all, &run->scratch));
    q->task = (una_maximise_task){ .space = s->settings.space, .acquisition = s->acquisition, .options = &s->options,
                                   .known = all, .known_count = h->count, .seed = s->settings.seed,
                                   .index = h->count };
    UNA_TRY(nearest_of(&q->task, &q->known, &run->scratch));
    if (has_gathered(&q->task)) q->task.leave = q->task.near, q->task.radius = AROUND;
    return UNA_OK;
}

/* ---- the models that the acquisition sees ---------------------------------------------------------------------- */

/* The next one, which lasts as long as the scratch memory, and the best value that it knows. */
static una_status add_model(question *q, una_model *model, double best)
{
    UNA_TRY(una_keep_model(&q->run->scratch, model));
    q->models[q->task.models] = model;
    q->best[q->task.models++] = best;
    return UNA_OK;
}

static una_status least_known(double *best, const question *q)
{
    const una_surrogate_data *known = &q->known;
    UNA_NEW(&q->run->scratch, double, mean, known->told);
    UNA_NEW(&q->run->scratch, double, std, known->told);
    const una_points told = { known->columns, known->told, known->u };
    UNA_TRY(una_points_moments(&told, q->model, mean, std, q->run));
    double noise = 2 * una_model_info(q->model)->noise_std;
    *best = HUGE_VAL;
    for (size_t i = 0; i < known->told; i++) {
        double value = una_warp_value(&q->search->surrogate.warp, known->y[i]);
        *best = fmin(*best, mean[i] - value > noise ? value : mean[i]);
    }
    return UNA_OK;
}

/* The model updated with a function drawn from it, without noise, at the told points. */
static una_status condition_on_draw(una_model **own, const question *q, const double *f)
{
    const char *const set[] = { "noise_std=1e-4" };
    una_dataset *data;
    const una_points told = { q->known.columns, q->known.told, q->known.u };
    UNA_TRY(una_points_table(&data, &told, q->model, f, q->run));
    return una_model_relearn(own, q->model, data, set, 1, q->run);
}

static una_status dream_all(question *q)
{
    una_run *run = q->run;
    size_t draws = (size_t)q->search->options.draws, told = q->known.told;
    una_dataset *data;
    una_rng rng = una_rng_at(q->search->settings.seed, UNA_FOR_SEARCH, (4ull << 40) + q->task.index);
    UNA_NEW(&run->scratch, double, f, draws * told);
    UNA_TRY(una_points_table(&data, &(una_points){ q->known.columns, told, q->known.u }, q->model, NULL, run));
    UNA_SEEDED(run, una_rng_u32(&rng), una_model_draw(q->model, data, draws, 0, f, run));
    for (size_t k = 0; k < draws; k++, f += told) {
        una_model *own = NULL;
        double best = HUGE_VAL;
        UNA_SCOPED(run, condition_on_draw(&own, q, f));
        for (size_t i = 0; i < told; i++) best = fmin(best, f[i]);
        UNA_TRY(add_model(q, own, best));
    }
    return UNA_OK;
}

/* One drawn function. */
static una_status draw_function(question *q, double best)
{
    una_model *own = NULL;
    UNA_SEEDED(q->run, q->search->settings.seed, una_model_sample(&own, q->model, q->task.index, q->run));
    return add_model(q, own, best);
}

/* Those that the acquisition needs. UNA_E_USAGE of a model that gives no functions: then the joint values at all
 * candidates stand for one, and the model itself for those that its noise was taken from. */
static una_status choose_models(question *q)
{
    una_acquisition_need need = q->search->acquisition->need;
    size_t room = need == UNA_NEEDS_FANTASIES ? (size_t)q->search->options.draws : 1;
    double best;
    una_status status = UNA_OK;
    UNA_NEW_AT(&q->run->scratch, q->models, room);
    UNA_NEW_AT(&q->run->scratch, q->best, room);
    q->task.model = q->models;
    q->task.best = q->best;
    UNA_TRY(least_known(&best, q));
    if (need == UNA_NEEDS_DRAW) status = draw_function(q, best);
    if (need == UNA_NEEDS_FANTASIES) status = dream_all(q);
    if (status != UNA_OK && status != UNA_E_USAGE) return status;
    q->task.joint = need == UNA_NEEDS_DRAW && status == UNA_E_USAGE;
    if (status == UNA_E_USAGE) una_clear_message(q->run);
    if (status == UNA_OK && q->task.models > 0) return UNA_OK;
    q->models[0] = q->model;
    q->best[0] = best;
    q->task.models = 1;
    return UNA_OK;
}

/* ---- the calls ------------------------------------------------------------------------------------------------- */

/* In the user's units; where values are compressed, half the distance between one std above and one below. */
static una_status predict_points(const question *q, const double *u, size_t rows, double *mean, double *std)
{
    const una_warp *warp = &q->search->surrogate.warp;
    UNA_TRY(una_points_moments(&(una_points){ q->known.columns, rows, u }, q->model, mean, std, q->run));
    for (size_t i = 0; i < rows; i++) {
        double high = una_warp_back(warp, mean[i] + std[i]), low = una_warp_back(warp, mean[i] - std[i]);
        mean[i] = sign_of(q->search) * una_warp_back(warp, mean[i]);
        std[i] = 0.5 * (high - low);
    }
    return UNA_OK;
}

static una_status search_propose(question *q, double *u, una_proposal *proposal)
{
    una_surrogate *surrogate = &q->search->surrogate;
    una_status status = una_surrogate_learn(&q->model, surrogate, &q->known, q->run);
    proposal->trained = surrogate->fresh;
    if (status == UNA_E_INPUT || status == UNA_E_NUMERIC) {      /* too few rows, or all the same: look around */
        una_clear_message(q->run);
        return una_design_point(u, &q->task, true, q->run);
    }
    UNA_TRY(status);
    if (!surrogate->updates && q->task.index % BLIND == 0) return una_design_point(u, &q->task, true, q->run);
    UNA_TRY(choose_models(q));
    UNA_TRY(una_maximise(u, &proposal->gain, &q->task, q->run));
    return predict_points(q, u, 1, &proposal->expected, &proposal->doubt);
}

static una_status next_point(una_search *s, const una_history *h, double *point, una_proposal *proposal, una_run *run)
{
    question q;
    bool blind = s->acquisition->need == UNA_NEEDS_NOTHING;
    UNA_NEW(&run->scratch, double, u, s->settings.space->columns);
    UNA_TRY(pose(&q, s, h, run));
    if (blind || h->count < s->settings.initial || q.known.told < 2)
        UNA_TRY(una_design_point(u, &q.task, !blind || s->acquisition->quasi, run));
    else UNA_TRY(search_propose(&q, u, proposal));
    una_space_decode(s->settings.space, u, point);
    return UNA_OK;
}

una_status una_search_next(una_search *s, const una_history *h, double *point, una_proposal *proposal, una_run *run)
{
    una_proposal own;
    if (!proposal) proposal = &own;
    *proposal = (una_proposal){ .expected = NAN, .doubt = NAN, .gain = NAN };
    UNA_SCOPED(run, next_point(s, h, point, proposal, run));
    return UNA_OK;
}

/* Points [rows, space->count], and what is wanted of the model there; the others are NULL. */
typedef struct wanted { const double *point; size_t rows; double *mean, *std, *gain; } wanted;

static una_status ask_at_points(una_search *s, const una_history *h, const wanted *w, una_run *run)
{
    question q;
    double *u;
    UNA_TRY(encode_points(&u, s->settings.space, w->point, w->rows, run));
    UNA_TRY(pose(&q, s, h, run));
    if (q.known.told < 2) UNA_FAIL(run, UNA_E_INPUT, "a model needs at least two trials with values");
    if (!w->gain) q.known.open_count = 0;
    UNA_TRY(una_surrogate_learn(&q.model, &s->surrogate, &q.known, run));
    if (!w->gain) return predict_points(&q, u, w->rows, w->mean, w->std);
    UNA_TRY(choose_models(&q));
    return una_maximise_values(w->gain, &q.task, u, w->rows, run);
}

una_status una_search_predict(una_search *s, const una_history *h, const double *point, size_t rows, double *mean,
                              double *std, una_run *run)
{
    UNA_SCOPED(run, ask_at_points(s, h, &(wanted){ point, rows, mean, std, NULL }, run));
    return UNA_OK;
}

una_status una_search_gain(una_search *s, const una_history *h, const double *point, size_t rows, double *gain,
                           una_run *run)
{
    if (s->acquisition->need == UNA_NEEDS_NOTHING || s->acquisition->need == UNA_NEEDS_DRAW)
        UNA_FAIL(run, UNA_E_USAGE, "%s has no value of its own at a point", s->acquisition->name);
    UNA_SCOPED(run, ask_at_points(s, h, &(wanted){ point, rows, NULL, NULL, gain }, run));
    return UNA_OK;
}
