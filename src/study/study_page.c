/* SPDX-License-Identifier: MIT
 *
 * From a study to its page, through una_study.h like any other caller: its trials, its best, and the model's
 * predictions along each input. Where the model cannot predict yet (few trials, all failed), the page has a sentence
 * in place of these slices.
 */
#include "study/study_view.h"

#include "draw/fit_report.h"

enum { SLICE = 61 };                     /* points of one input that is not counted out */

/* The file's name, or the name after # in a database: folders and passwords are nobody's business. */
static const char *study_title(const char *where, una_arena *arena)
{
    una_text title = una_text_in(arena);
    if (!where) where = "";
    bool server = strstr(where, "://") != NULL;
    const char *last = strrchr(where, server ? '#' : '/'), *name = server ? "" : where;
    if (last && last[1]) name = last + 1;
    size_t length = strlen(name), ending = strlen(".study");
    if (length > ending && strcmp(name + length - ending, ".study") == 0) length -= ending;
    una_text_add(&title, "Study%s", length ? " " : "");
    una_text_bytes(&title, name, length);
    return title.at;
}

static size_t slice_points(const una_dimension *input)
{
    if (input->type == UNA_DIMENSION_CATEGORY) return input->level_count;
    if (input->type == UNA_DIMENSION_INTEGER && input->high - input->low < SLICE)
        return (size_t)(input->high - input->low) + 1;
    return SLICE;
}

static una_status take_slices(una_study_view *view, una_study *study, una_arena *arena, una_run *run)
{
    UNA_NEW(arena, una_slice, slices, view->input_count);
    view->slices = slices;
    for (size_t i = 0; view->best && i < view->input_count; i++) {
        if (view->inputs[i].type == UNA_DIMENSION_FIXED) continue;
        size_t count = slice_points(&view->inputs[i]);
        double *at = UNA_GET(arena, double, count), *mean = UNA_GET(arena, double, count);
        UNA_NEW(arena, double, std, count);
        una_status status = una_study_slice(study, i, count, at, mean, std, run);
        /* What is too little to go by for the model is no failure of the page. */
        if (status == UNA_E_MEMORY || status == UNA_CANCELLED || status == UNA_E_IO) return status;
        if (status != UNA_OK) {
            view->no_slices = una_arena_text(arena, una_run_message(run));
            una_clear_message(run);
            return una_arena_check(arena);
        }
        slices[i] = (una_slice){ .count = count, .at = at, .mean = mean, .std = std };
    }
    return UNA_OK;
}

static void end_trials(void *trials)
{
    una_trials_free(trials);
}

/* All, and which is the best. */
static una_status view_trials(una_study_view *view, una_study *study, una_run *run)
{
    una_trials *trials, *best;
    UNA_TRY(una_study_trials(&trials, study, run));
    UNA_TRY(una_arena_at_end(&run->scratch, end_trials, trials));
    UNA_TRY(una_study_best(&best, study, run));
    UNA_TRY(una_arena_at_end(&run->scratch, end_trials, best));
    view->trials = trials->at, view->trial_count = trials->count;
    for (size_t i = 0; best->count > 0 && i < view->trial_count; i++)
        if (view->trials[i].id == best->at[0].id) view->best = &view->trials[i];
    return UNA_OK;
}

/* format NULL: the whole page. */
static una_status view_and_save(una_study *study, const char *path, const una_format *format, una_run *run)
{
    una_arena *arena = &run->scratch;
    una_space *space = NULL;
    const char *json = una_study_text(study, "space"), *goal = una_study_text(study, "goal");
    UNA_TRY(una_space_parse(&space, json, "the space of the study", arena, run));

    una_study_view view = {
        .title = study_title(una_study_text(study, "where"), arena), .space = json,
        .model = una_study_text(study, "model"), .acquisition = una_study_text(study, "acquisition"),
        .seed = una_study_text(study, "seed"), .maximize = goal && strcmp(goal, "maximize") == 0,
        .inputs = space->dimension, .input_count = space->count
    };
    UNA_TRY(view_trials(&view, study, run));
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(take_slices(&view, study, arena, run));

    una_text bytes = una_text_in(arena);
    if (format) UNA_TRY(una_study_view_chart(&bytes, &view, *format, run));
    else UNA_TRY(una_study_view_page(&bytes, &view));
    return una_report_save(path, &bytes, run);
}

una_status una_study_page(una_study *study, const char *path, una_run *run)
{
    UNA_SCOPED(run, view_and_save(study, path, NULL, run));
    return UNA_OK;
}

una_status una_study_chart(una_study *study, const char *path, una_run *run)
{
    una_format format;
    UNA_TRY(una_format_of(&format, path, run));
    UNA_SCOPED(run, view_and_save(study, path, &format, run));
    return UNA_OK;
}
