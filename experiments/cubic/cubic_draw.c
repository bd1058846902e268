/* SPDX-License-Identifier: MIT
 *
 * Charts of functions on the cubic gap: mean, ignorance and noise of models, one small panel each, all with the same
 * axes. The models were kept as files when they were fitted; one that is missing is fitted again.
 */
#include "cubic/cubic.h"

#include "bench/lines.h"
#include "draw/number.h"

#include <unistd.h>

static const double from = -6, to = 6, panel_width = 232, panel_height = 200;

/* ---- models -------------------------------------------------------------------------------------------------- */

typedef struct drawing {
    const una_cubic_panel *panels;       /* [count]                                                         */
    size_t                 count;
    const char           **paths;        /* [count]                                                         */
    una_model            **models;       /* [count]                                                         */
    una_dataset           *data;
} drawing;

static const char *path_of(const una_row_key *key, const una_asked *asked, una_arena *arena)
{
    return una_phrase(arena, "%s/%.*s-%.*s-%016llx.una", asked->out, (int)strcspn(key->study, "("), key->study,
                      (int)strcspn(key->spec, "("), key->spec, (unsigned long long)una_row_key_hash(key));
}

una_status una_cubic_keep(const una_model *model, const una_measuring *m)
{
    if (m->asked->worker_only) return UNA_OK;    /* it is fitted again for the chart */
    const char *path = path_of(m->key, m->asked, &m->run->scratch);
    UNA_TRY(una_arena_check(&m->run->scratch));
    return una_model_save(model, path, m->run);
}

/* Whether the file has the model of the row; false if it cannot be loaded. */
static una_status is_kept(bool *kept, const char *path, const una_row *fit, una_run *run)
{
    una_model *model = NULL;
    *kept = false;
    if (access(path, R_OK) != 0) return UNA_OK;
    una_status status = una_model_load(&model, path, run);
    if (status == UNA_OK) *kept = strcmp(una_model_info(model)->spec, fit->options) == 0;
    una_model_free(model);
    if (status == UNA_E_MEMORY || status == UNA_CANCELLED) return status;
    una_clear_message(run);
    return UNA_OK;
}

static una_status make_model(void *context, size_t panel, una_run *run)
{
    const drawing *d = context;
    const una_row *fit = d->panels[panel].fit;
    una_model *model;
    una_dataset *data;
    bool kept;
    UNA_TRY(is_kept(&kept, d->paths[panel], fit, run));
    if (kept) return UNA_OK;
    run->settings.seed = fit->key.seed;
    UNA_TRY(una_cubic_fit(&model, &data, &fit->key, run));
    return una_model_save(model, d->paths[panel], run);
}

static una_status load_models(drawing *d, una_run *run)
{
    UNA_TRY(una_pool(run, d->count, make_model, d));
    for (size_t i = 0; i < d->count; i++) UNA_TRY(una_model_load(&d->models[i], d->paths[i], run));
    return una_dataset_synthetic(&d->data, "cubic", UNA_CUBIC_ROWS, 1, d->panels[0].fit->key.seed, run);
}

/* ---- pictures ------------------------------------------------------------------------------------------------ */

static una_status cubic_draw_figure(una_figure *figure, const drawing *d, una_arena *arena, una_run *run)
{
    una_trace *trace = UNA_GET(arena, una_trace, d->count);
    una_lines lines = { "x", "y", from, to, una_dataset_numbers(d->data, 0), una_dataset_numbers(d->data, 1),
                        una_dataset_row_count(d->data) };
    UNA_TRY(una_arena_check(arena));
    for (size_t m = 0; m < d->count; m++) {
        UNA_TRY(una_trace_new(&trace[m], d->panels[m].title, arena));
        UNA_TRY(una_trace_fill(&trace[m], &lines, d->models[m], run));
        if (d->panels[m].heads) UNA_TRY(una_trace_heads(&trace[m], &lines, d->models[m], arena, run));
    }
    UNA_TRY(una_lines_draw(figure, &lines, trace, d->count, arena));
    figure->columns = 3;
    figure->panel_width = panel_width;
    figure->panel_height = panel_height;
    return UNA_OK;
}

una_status una_cubic_functions(una_page *page, const char *name, const una_cubic_panel *panels, size_t count,
                               const char *caption)
{
    una_arena *arena = page->arena;
    una_figure figure;
    if (count == 0) return UNA_OK;
    drawing d = { .panels = panels, .count = count, .paths = UNA_GET(arena, const char *, count),
                  .models = UNA_GET(arena, una_model *, count) };
    UNA_TRY(una_arena_check(arena));
    for (size_t i = 0; i < count; i++) d.paths[i] = path_of(&panels[i].fit->key, page->asked, arena);
    UNA_TRY(una_arena_check(arena));

    una_status status = load_models(&d, page->run);
    if (status == UNA_OK) status = cubic_draw_figure(&figure, &d, arena, page->run);
    if (status == UNA_OK) status = una_page_figure(page, name, &figure, "The functions.", caption);
    for (size_t i = 0; i < count; i++) una_model_free(d.models[i]);
    una_dataset_free(d.data);
    return status;
}
