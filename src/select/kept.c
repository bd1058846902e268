/* SPDX-License-Identifier: MIT
 *
 * Rows of a search or comparison, and the folder that they are kept in. See kept.h.
 */
#include "select/kept.h"

#include "base/option.h"
#include "base/ranks.h"
#include "draw/number.h"
#include "store/folder.h"

#include <inttypes.h>

void una_kept_begin(una_kept_rows *k, const char *name, const char *const *measures, size_t measure_count,
                    una_arena *keep)
{
    *k = (una_kept_rows){ .name = name, .measures = measures, .measure_count = measure_count, .run = keep->run,
                          .ranks = una_ranks_hide(keep->run), .keep = keep };
}

void una_kept_close(una_kept_rows *k)
{
    una_ranks_show(k->run, k->ranks);
    una_store_close(k->store);
    k->store = NULL;
}

/* ---- the folder ------------------------------------------------------------------------------------------------ */

una_status una_kept_open(una_kept_rows *k, const char *out)
{
    if (!out || !una_sweep_writes(k->ranks)) return una_sweep_store(&k->store, NULL, k->ranks, k->run);
    const char *store = una_phrase(k->keep, "%s/%s.sqlite", out, k->name);
    k->table = una_phrase(k->keep, "%s/%s.csv", out, k->name);
    UNA_TRY(una_arena_check(k->keep));
    UNA_TRY(una_folder_make(out, k->run));
    UNA_TRY(una_store_check_csv(store, k->run));
    UNA_TRY(una_store_check_csv(k->table, k->run));
    return una_store_open(&k->store, store, UNA_DATABASE_JOURNAL, k->run);
}

una_row_table una_kept_table(const una_kept_rows *k, const char *path)
{
    return (una_row_table){ k->name, k->measures, k->measure_count, path };
}

una_status una_kept_write_table(const una_kept_rows *k)
{
    const una_row_table table = una_kept_table(k, k->table);
    return k->table ? una_store_export(k->store, &table, NULL, k->run) : UNA_OK;
}

una_status una_kept_write(const una_kept_rows *k, una_status status)
{
    if (status == UNA_OK) status = una_kept_write_table(k);
    return una_sweep_agree(status, k->ranks, k->run);
}

una_status una_kept_stopped(const una_kept_rows *k, una_status status)
{
    char why[sizeof k->run->message];
    if (!k->table) return status;
    memcpy(why, k->run->message, sizeof why);
    una_status written = una_kept_write_table(k);
    if (status == UNA_CANCELLED && written == UNA_OK)
        UNA_FAIL(k->run, status, "interrupted; what was fitted is in %s, and the same call goes on from there",
                 k->table);
    memcpy(k->run->message, why, sizeof why);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

una_sweep una_kept_sweep(const una_kept_rows *k, const una_plan *plan, una_make_row *make, void *context)
{
    return (una_sweep){ .store = k->store, .plan = plan, .measures = k->measures, .measure_count = k->measure_count,
                        .make = make, .context = context, .ranks = k->ranks };
}

una_status una_kept_make(size_t *made, const una_kept_rows *k, const una_plan *plan, una_make_row *make, void *context)
{
    una_sweep sweep = una_kept_sweep(k, plan, make, context);
    una_status status = plan->count > 0 ? una_sweep_run(&sweep, k->run) : UNA_OK;
    *made += sweep.made + sweep.extra;
    return status;
}

static una_status find_row(bool *found, una_row *row, const una_kept_rows *k, const una_row_key *key, una_run *run)
{
    UNA_TRY(una_store_find(found, row, k->store, key, &run->scratch, run));
    for (size_t m = 0; *found && m < k->measure_count; m++) *found = una_row_find(row, k->measures[m]) != SIZE_MAX;
    return UNA_OK;
}

una_status una_kept_has(bool *there, const una_kept_rows *k, const una_row_key *key, una_run *run)
{
    una_row row;
    UNA_SCOPED(run, find_row(there, &row, k, key, run));
    return UNA_OK;
}

una_status una_kept_read(double *value, size_t stride, const una_kept_rows *k, const una_row_key *key)
{
    bool found;
    una_row row;
    UNA_TRY(find_row(&found, &row, k, key, k->run));
    if (!found)
        UNA_FAIL(k->run, UNA_E_IO, "%s: the results of %s were there and are gone", una_store_path(k->store),
                 key->spec);
    for (size_t m = 0; m < k->measure_count; m++) value[m * stride] = row.value[una_row_find(&row, k->measures[m])];
    value[k->measure_count * stride] = row.seconds;
    return UNA_OK;
}

/* ---- what was asked for ---------------------------------------------------------------------------------------- */

una_status una_kept_take_fit(una_fit_settings *fit, const una_fit_settings *given, const char *const *models,
                             size_t model_count, una_run *run)
{
    const una_fit_settings plain = UNA_INIT(una_fit_settings);
    UNA_TRY(UNA_TAKE(fit, given->size ? given : &plain, una_fit_settings, run));
    UNA_TRY(una_fit_settings_check(fit, run));
    fit->size = sizeof *fit;
    return una_texts_check(models, model_count, "models", run);
}

una_status una_kept_check_seeds(const char *what, uint64_t count, una_run *run)
{
    const uint64_t last = (uint64_t)1 << 52;
    if (run->settings.seed <= last && count <= last - run->settings.seed) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "seeds of %s go up to 2^52, so that every reader of its table can hold them", what);
}

static void add_names(una_text *study, const char *key, const char *const *names, size_t count)
{
    una_text list = una_text_in(study->arena);
    for (size_t i = 0; i < count; i++) una_text_add(&list, "%s%s", i ? ", " : "", names[i]);
    if (count > 0 && list.at) una_spec_add(study, key, list.at);
}

void una_kept_add_settings(una_text *study, const una_fit_settings *fit, const char *valid)
{
    static const char *const missing[] = { "error", "drop", "mean" };
    char number[32];
    if (fit->missing) una_spec_add(study, "missing", missing[fit->missing]);
    if (fit->other) una_spec_add(study, "other", una_number_text(number, (double)fit->other));
    if (fit->log_target) una_spec_add(study, "log", "on");
    if (valid) una_spec_add(study, "valid", valid);
    if (fit->preset) una_spec_add(study, "preset", fit->preset);
    add_names(study, "drop", fit->drop, fit->drop_count);
    add_names(study, "only", fit->only, fit->only_count);
    if (fit->group) una_spec_add(study, "group", fit->group);
}
