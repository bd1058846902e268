/* SPDX-License-Identifier: MIT
 *
 * Rows that come after the fit: 200 rows of one law, then more of the same or of another one, and fresh rows of the law
 * of these.
 */
#include "split/split.h"

enum { FIRST_ROWS = 200 };
static const double wider = 2, louder = 4;

/* The law of the new rows. */
static una_status change_law(una_split_law *law, const una_split_making *m)
{
    if (m->set->form == UNA_SPLIT_WIDER) law->reach *= wider;
    if (m->set->form == UNA_SPLIT_REVERSED) law->f.scale = -law->f.scale;
    if (m->set->form == UNA_SPLIT_NOISE4) law->noise *= louder;
    if (m->set->form != UNA_SPLIT_UNLIKE) return UNA_OK;
    una_split_law before = *law;
    UNA_TRY(una_split_law_draw(law, m->set->inputs, m->seed, UNA_SPLIT_OTHER, m->arena));
    law->normal = before.normal;
    law->noise = before.noise;
    return UNA_OK;
}

una_status una_split_make_update(una_split_rows *r, const una_split_making *m)
{
    una_split_law law;
    UNA_TRY(una_split_law_draw(&law, m->set->inputs, m->seed, UNA_SPLIT_FUNCTION, m->arena));
    UNA_TRY(una_split_law_rows(&r->train, &law, FIRST_ROWS, (una_split_place){ m->seed, UNA_SPLIT_TRAIN }, m->arena));
    UNA_TRY(change_law(&law, m));
    UNA_TRY(una_split_law_rows(&r->added, &law, m->set->rows, (una_split_place){ m->seed, UNA_SPLIT_ADDED }, m->arena));
    return una_split_law_rows(&r->fresh, &law, UNA_SPLIT_FRESH, (una_split_place){ m->seed, UNA_SPLIT_FRESH_ROWS },
                              m->arena);
}

/* ---- the update -------------------------------------------------------------------------------------------------- */

static bool has_text(const char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(texts[i], text) == 0) return true;
    return false;
}

una_status una_split_update_model(double *warned, una_model *model, const una_truth *rows, una_run *run)
{
    const una_fit_info *info = una_model_info(model);
    size_t count = info->warning_count;
    una_dataset *data;
    UNA_NEW(&run->scratch, const char *, before, count + 1);
    for (size_t i = 0; i < count; i++) before[i] = una_phrase(&run->scratch, "%s", info->warnings[i]);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_truth_table(&data, rows, run));
    UNA_TRY(una_model_update(model, data, run));
    info = una_model_info(model);
    *warned = 0;
    for (size_t i = 0; i < info->warning_count; i++)
        if (!has_text(before, count, info->warnings[i])) *warned = 1;
    return UNA_OK;
}
