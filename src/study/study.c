/* SPDX-License-Identifier: MIT
 *
 * Studies: the public calls, over the trial store (trial_store.h), the space and the search.
 */
#include "study/study.h"

#include "model/above.h"

#include <inttypes.h>

enum { DAY = 86400, LEAST_INITIAL = 4, MOST_INITIAL = 20 };

una_status una_study_enter(una_run *run)
{
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    return UNA_OK;
}

/* ---- making and opening -------------------------------------------------------------------------------------- */

static size_t usual_initial(const una_space *space)
{
    size_t twice = 0;
    for (size_t i = 0; i < space->count; i++) twice += space->dimension[i].type != UNA_DIMENSION_FIXED ? 2 : 0;
    if (twice < LEAST_INITIAL) return LEAST_INITIAL;
    return twice > MOST_INITIAL ? MOST_INITIAL : twice;
}

/* Checks all settings before anything is made. */
static una_status study_check_settings(una_study *s, una_trial_store_facts *facts, const una_study_settings *given,
                                       una_run *run)
{
    const una_acquisition *acquisition;
    una_acquisition_options options;
    if (!given->space) UNA_FAIL(run, UNA_E_USAGE, "a study needs a space: JSON that says which inputs there are");
    if (!(given->lease >= 0) || isinf(given->lease))
        UNA_FAIL(run, UNA_E_USAGE, "the lease of a trial is a number of seconds, at least 0");
    UNA_SCOPED(run, una_space_parse(&s->space, given->space, given->origin ? given->origin : "the space", &s->keep,
                                    run));

    *facts = (una_trial_store_facts){ .space = s->space->json, .maximize = given->maximize != 0, .seed = given->seed,
        .acquisition = given->acquisition ? given->acquisition : "log_ei",
        .initial = given->initial ? given->initial : usual_initial(s->space),
        .lease = given->lease > 0 ? given->lease : DAY };
    run->no_files = true;                        /* as when it will be fitted */
    una_status known = una_search_model(&facts->model, given->model, &s->keep, run);
    run->no_files = false;
    UNA_TRY(known);
    return una_acquisition_need_named(&acquisition, &options, facts->acquisition, run);
}

static una_status write_texts(una_study *s, const una_trial_store_facts *facts)
{
    char number[32];
    una_text seed = una_text_in(&s->keep);
    una_text_add(&seed, "%" PRIu64, facts->seed);
    s->seed = seed.at;
    s->lease = una_arena_text(&s->keep, una_number_text(number, facts->lease));
    return una_arena_check(&s->keep);
}

/* given NULL: the study is there. What is made, stays: it comes last. */
static una_status fill_study(una_study *s, const char *where, const una_study_settings *given, una_run *run)
{
    una_trial_store_facts facts;
    if (given) {
        UNA_TRY(study_check_settings(s, &facts, given, run));
        UNA_TRY(write_texts(s, &facts));
        return una_trial_store_open(&s->store, where, &facts, run);
    }
    UNA_TRY(una_trial_store_open(&s->store, where, NULL, run));
    facts = s->store->facts;
    UNA_SCOPED(run, una_space_parse(&s->space, facts.space, s->store->name, &s->keep, run));
    return write_texts(s, &facts);
}

static una_status new_study(una_study **out, const char *where, const una_study_settings *given, una_run *run)
{
    una_study *s = una_allocate(run, sizeof *s);
    if (!s) return UNA_E_MEMORY;
    memset(s, 0, sizeof *s);
    s->run = run;
    una_arena_init(&s->keep, run);
    una_status status;
    UNA_SCOPED_CALL(status, run, fill_study(s, where, given, run));
    if (status == UNA_OK) *out = s;
    else una_study_close(s);
    return status;
}

una_status una_study_new(una_study **out, const char *where, const una_study_settings *settings, una_run *run)
{
    una_study_settings given;
    *out = NULL;
    UNA_TRY(una_study_enter(run));
    UNA_TRY(UNA_TAKE(&given, settings, una_study_settings, run));
    if (where && !*where) UNA_FAIL(run, UNA_E_USAGE, "the file of the study has no name");
    return new_study(out, where, &given, run);
}

una_status una_study_open(una_study **out, const char *where, una_run *run)
{
    *out = NULL;
    UNA_TRY(una_study_enter(run));
    if (!where || !*where) UNA_FAIL(run, UNA_E_USAGE, "which study? Give its file, or the address of its server");
    return new_study(out, where, NULL, run);
}

void una_study_close(una_study *study)
{
    if (!study) return;
    una_search_free(study->search);
    una_trial_store_close(study->store);
    una_arena_free(&study->keep);
    una_release(study->run, study);
}

/* ---- what it is ---------------------------------------------------------------------------------------------- */

size_t una_study_input_count(const una_study *study)
{
    return study->space->count;
}

const char *una_study_input_name(const una_study *study, size_t input)
{
    return input < study->space->count ? study->space->dimension[input].name : NULL;
}

const char *una_study_input_text(const una_study *study, size_t input, double x, una_run *run)
{
    if (input >= study->space->count) return NULL;
    una_mark mark = una_arena_mark(&run->texts);
    una_text text = una_text_in(&run->texts);
    una_dimension_write(&text, &study->space->dimension[input], x);
    if (una_arena_check(&run->texts) == UNA_OK) return text.at;
    una_arena_release(&run->texts, mark);
    return NULL;
}

const char *una_study_text(const una_study *study, const char *what)
{
    const una_trial_store_facts *facts = &study->store->facts;
    const char *const names[] = { "space", "model", "acquisition", "goal", "seed", "lease", "where" };
    const char *const texts[] = { facts->space, facts->model, facts->acquisition,
                                  facts->maximize ? "maximize" : "minimize", study->seed, study->lease,
                                  study->store->name };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], what) == 0) return texts[i];
    return NULL;
}

/* ---- trials for the caller ----------------------------------------------------------------------------------- */

void una_trials_free(una_trials *trials)
{
    una_result_free(trials);
}

static una_status take_trials(una_trials *given, una_arena *arena, const una_study *s, const una_stored_trials *all,
                              una_run *run)
{
    UNA_NEW(arena, una_trial, trials, all->count);
    UNA_NEW(arena, double, x, all->count * s->space->count);
    for (size_t i = 0; i < all->count; i++, x += s->space->count) {
        const una_stored_trial *from = &all->at[i];
        if (i % 256 == 255) UNA_TRY(una_check_cancelled(run, "reading trials"));
        UNA_SCOPED(run, una_space_read(x, s->space, from->x, run));
        trials[i] = (una_trial){ .id = from->id, .state = from->state, .x = x, .value = from->value,
            .attempts = from->attempts, .note = una_arena_text(arena, from->note), .asked = from->asked,
            .told = from->told, .expected = from->expected, .doubt = from->doubt };
        UNA_TRY(una_arena_check(arena));
    }
    *given = (una_trials){ trials, all->count };
    return UNA_OK;
}

static una_status give_trials(una_trials **out, const una_study *s, const una_stored_trials *all, una_run *run)
{
    una_arena *arena;
    una_trials *given = una_result_new(&arena, sizeof *given, run);
    if (!given) return UNA_E_MEMORY;
    una_status status = take_trials(given, arena, s, all, run);
    if (status == UNA_OK) *out = given;
    else una_trials_free(given);
    return status;
}

static una_status read_trials(una_trials **trials, una_study *s, una_run *run)
{
    una_stored_trials all;
    UNA_TRY(una_trial_store_read(&all, s->store, &run->scratch, run));
    return give_trials(trials, s, &all, run);
}

una_status una_study_trials(una_trials **trials, una_study *s, una_run *run)
{
    *trials = NULL;
    UNA_TRY(una_study_enter(run));
    UNA_SCOPED(run, read_trials(trials, s, run));
    return UNA_OK;
}

/* Is this trial told, and better than the best before (NAN: there is none)? */
static bool beats(const una_study *s, una_trial_state state, double value, double best)
{
    double sign = s->store->facts.maximize ? -1 : 1;
    return state == UNA_TRIAL_TOLD && (isnan(best) || sign * value < sign * best);
}

/* The first of the told trials with the best value. */
una_status una_study_best(una_trials **out, una_study *s, una_run *run)
{
    const una_trial *best = NULL;
    UNA_TRY(una_study_trials(out, s, run));
    for (size_t i = 0; i < (*out)->count; i++) {
        const una_trial *trial = &(*out)->at[i];
        if (beats(s, trial->state, trial->value, best ? best->value : NAN)) best = trial;
    }
    **out = (una_trials){ best ? best : (*out)->at, best != NULL };
    return UNA_OK;
}

/* ---- asking -------------------------------------------------------------------------------------------------- */

/* All trials; arrays in run->scratch, with room for `more` at the end. */
static una_status make_history(una_history *history, const una_study *s, const una_stored_trials *all, size_t more,
                               una_run *run)
{
    size_t inputs = s->space->count, room = all->count + more;
    double *point = UNA_GET(&run->scratch, double, room * inputs), *value = UNA_GET(&run->scratch, double, room);
    UNA_NEW(&run->scratch, una_trial_state, state, room);
    for (size_t i = 0; i < all->count; i++) {
        if (i % 256 == 255) UNA_TRY(una_check_cancelled(run, "reading trials"));
        UNA_SCOPED(run, una_space_read(point + i * inputs, s->space, all->at[i].x, run));
        value[i] = all->at[i].value;
        state[i] = all->at[i].state;
    }
    for (size_t i = all->count; i < room; i++) value[i] = NAN;       /* and open */
    *history = (una_history){ all->count, point, value, state };
    return UNA_OK;
}

static una_status need_search(una_study *s, una_run *run)
{
    const una_trial_store_facts *f = &s->store->facts;
    una_search_settings settings = { .space = s->space, .model = f->model, .acquisition = f->acquisition,
        .maximize = f->maximize, .seed = f->seed, .initial = f->initial };
    return s->search ? UNA_OK : una_search_new(&s->search, &settings, run);
}

/* One after the other; each point is open for those after it. */
static una_status study_choose_points(void *context, const una_stored_trials *all, una_stored_trial *found,
                                      size_t count, size_t *chosen, una_run *run)
{
    una_study *s = context;
    una_history history;
    UNA_TRY(need_search(s, run));
    UNA_TRY(make_history(&history, s, all, count, run));
    double *next = (double *)history.point + history.count * s->space->count;
    for (; *chosen < count; (*chosen)++, history.count++, next += s->space->count) {
        una_proposal proposal;
        una_text x = una_text_in(&run->scratch);
        UNA_TRY(una_search_next(s->search, &history, next, &proposal, run));
        una_space_write(&x, s->space, next);
        found[*chosen] = (una_stored_trial){ .x = x.at, .expected = proposal.expected, .doubt = proposal.doubt };
        UNA_TRY(una_arena_check(&run->scratch));
    }
    return UNA_OK;
}

static una_status ask_store(una_trials **trials, una_study *s, const una_trial_request *request, una_run *run)
{
    una_stored_trials given;
    UNA_TRY(una_trial_store_ask(&given, s->store, request, run));
    una_status status = give_trials(trials, s, &given, run);
    return status == UNA_OK ? status : una_trial_store_give_up(s->store, status, run); /* the caller knows of none */
}

static una_status study_ask_trials(una_trials **trials, una_study *s, size_t count, bool by_process, una_run *run)
{
    const una_trial_request request = { count, by_process, study_choose_points, s };
    *trials = NULL;
    UNA_TRY(una_study_enter(run));
    if (count < 1 || count > 10000) UNA_FAIL(run, UNA_E_USAGE, "ask for 1 to 10000 trials, not %zu", count);
    UNA_SCOPED(run, ask_store(trials, s, &request, run));
    return UNA_OK;
}

una_status una_study_ask(una_trials **trials, una_study *s, size_t count, una_run *run)
{
    return study_ask_trials(trials, s, count, false, run);
}

una_status una_study_hold(una_trials **trials, una_study *s, size_t count, una_run *run)
{
    return study_ask_trials(trials, s, count, true, run);
}

/* ---- telling ------------------------------------------------------------------------------------------------- */

una_status una_study_tell(una_study *s, uint64_t id, double value, una_run *run)
{
    UNA_TRY(una_study_enter(run));
    if (!isfinite(value))
        UNA_FAIL(run, UNA_E_INPUT, "the value of trial %" PRIu64 " is not a finite number; tell it as failed if it "
                 "gave none", id);
    UNA_SCOPED(run, una_trial_store_tell(s->store, id, UNA_TRIAL_TOLD, value, "", run));
    return UNA_OK;
}

una_status una_study_fail(una_study *s, uint64_t id, const char *why, una_run *run)
{
    UNA_TRY(una_study_enter(run));
    UNA_SCOPED(run, una_trial_store_tell(s->store, id, UNA_TRIAL_FAILED, NAN, why ? why : "", run));
    return UNA_OK;
}

una_status una_study_drop(una_study *s, uint64_t id, una_run *run)
{
    UNA_TRY(una_study_enter(run));
    UNA_SCOPED(run, una_trial_store_drop(s->store, id, false, run));
    return UNA_OK;
}

una_status una_study_renew(una_study *s, const uint64_t *id, size_t count, una_run *run)
{
    UNA_TRY(una_study_enter(run));
    UNA_SCOPED(run, una_trial_store_renew(s->store, id, count, run));
    return UNA_OK;
}

static una_status add_one(una_study *s, const double *x, double value, const char *note, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    una_space_write(&text, s->space, x);
    UNA_TRY(una_arena_check(&run->scratch));
    una_stored_trial trial = { .state = isnan(value) ? UNA_TRIAL_FAILED : UNA_TRIAL_TOLD, .x = text.at, .value = value,
                               .note = note ? note : "" };
    return una_trial_store_add(NULL, s->store, &(una_stored_trials){ &trial, 1 }, false, run);
}

una_status una_study_add(una_study *s, const double *x, double value, const char *note, una_run *run)
{
    UNA_TRY(una_study_enter(run));
    if (isinf(value)) UNA_FAIL(run, UNA_E_INPUT, "the value of a trial is a finite number, or NAN for one that failed");
    UNA_TRY(una_space_check(s->space, x, run));
    UNA_SCOPED(run, add_one(s, x, value, note, run));
    return UNA_OK;
}

/* ---- what the model says ------------------------------------------------------------------------------------- */

/* The i-th of `count` values of an input: from end to end, whole numbers and levels in equal parts. */
static double value_along(const una_dimension *d, size_t i, size_t count)
{
    double part = count > 1 ? (double)i / (double)(count - 1) : 0.5, steps = d->high - d->low + 1;
    if (d->type == UNA_DIMENSION_FIXED) return d->low;
    if (d->type != UNA_DIMENSION_REAL && steps <= (double)count)
        return d->low + floor((double)i * steps / (double)count);
    double value = d->log ? exp(log(d->low) + part * (log(d->high) - log(d->low))) : d->low + part * (d->high - d->low);
    if (d->type != UNA_DIMENSION_REAL) value = round(value);
    return fmin(fmax(value, d->low), d->high);
}

static una_status study_make_slice(una_study *s, size_t input, size_t count, double *at, double *mean, double *std,
                                   una_run *run)
{
    una_stored_trials all;
    una_history history;
    size_t inputs = s->space->count, best = SIZE_MAX;
    UNA_TRY(una_trial_store_read(&all, s->store, &run->scratch, run));
    UNA_TRY(make_history(&history, s, &all, 0, run));
    for (size_t i = 0; i < history.count; i++)
        if (beats(s, history.state[i], history.value[i], best == SIZE_MAX ? NAN : history.value[best])) best = i;
    if (best == SIZE_MAX) UNA_FAIL(run, UNA_E_INPUT, "no trial of %s was told yet", s->store->name);

    UNA_NEW(&run->scratch, double, points, count * inputs);
    for (size_t i = 0; i < count; i++) {
        memcpy(points + i * inputs, history.point + best * inputs, inputs * sizeof *points);
        at[i] = points[i * inputs + input] = value_along(&s->space->dimension[input], i, count);
    }
    UNA_TRY(need_search(s, run));
    return una_search_predict(s->search, &history, points, count, mean, std, run);
}

una_status una_study_slice(una_study *s, size_t input, size_t count, double *at, double *mean, double *std,
                           una_run *run)
{
    UNA_TRY(una_study_enter(run));
    if (input >= s->space->count) UNA_FAIL(run, UNA_E_USAGE, "the study has no input %zu", input);
    UNA_SCOPED(run, study_make_slice(s, input, count, at, mean, std, run));
    return UNA_OK;
}
