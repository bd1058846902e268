/* SPDX-License-Identifier: MIT
 *
 * See selection.h.
 */
#include "data/selection.h"

/* Columns by their names, each marked. */
static una_status mark_columns(bool *marked, const char *const *names, size_t count, const char *flag,
                               const una_dataset *data, una_run *run)
{
    if (count && !names) UNA_FAIL(run, UNA_E_USAGE, "%zu names are due for --%s, and there are none", count, flag);
    for (size_t i = 0; i < count; i++) {
        size_t column;
        if (!names[i]) UNA_FAIL(run, UNA_E_USAGE, "name %zu of --%s is missing", i + 1, flag);
        UNA_TRY(una_table_need(&column, data, names[i], run));
        marked[column] = true;
    }
    return UNA_OK;
}

/* The column of the groups is no input, whatever else names it. */
static una_status leave_group_out(bool *out, const char *group, const una_dataset *data, const size_t *target,
                                  size_t targets, una_run *run)
{
    size_t column;
    if (!group) return UNA_OK;
    UNA_TRY(una_table_need(&column, data, group, run));
    for (size_t t = 0; t < targets; t++)
        if (target[t] == column)
            UNA_FAIL(run, UNA_E_USAGE, "the column '%.60s' is the target, and what is to be predicted cannot say which "
                     "rows belong together; name another column with --group", group);
    if (data->images && column == data->image_column)
        UNA_FAIL(run, UNA_E_USAGE, "the column '%.60s' names the images; name another column with --group", group);
    out[column] = true;
    return UNA_OK;
}

static una_status check_column(size_t c, const bool *drop, const bool *only, bool target, const una_dataset *data,
                               una_run *run)
{
    const char *name = data->column[c].name;
    if (drop[c] && only[c])
        UNA_FAIL(run, UNA_E_USAGE, "the column '%.60s' is named by --drop and by --only; name it in one of the two",
                 name);
    if (drop[c] && target)
        UNA_FAIL(run, UNA_E_USAGE, "the column '%.60s' is the target and cannot be dropped; choose another column with "
                 "--target", name);
    if (data->images && c == data->image_column && drop[c])
        UNA_FAIL(run, UNA_E_USAGE, "the column '%.60s' names the images and cannot be dropped", name);
    return UNA_OK;
}

una_status una_selection_apply(bool *out, const una_selection *selection, const una_dataset *data, const size_t *target,
                               size_t targets, una_run *run)
{
    size_t left = 0;
    memset(out, 0, data->columns * sizeof *out);
    if (!selection || (!selection->drop_count && !selection->only_count && !selection->group)) return UNA_OK;
    UNA_NEW(&run->scratch, bool, drop, data->columns);
    UNA_NEW(&run->scratch, bool, only, data->columns);
    UNA_TRY(mark_columns(drop, selection->drop, selection->drop_count, "drop", data, run));
    UNA_TRY(mark_columns(only, selection->only, selection->only_count, "only", data, run));
    for (size_t c = 0; c < data->columns; c++) {
        bool is_target = false, names_images = data->images && c == data->image_column;
        for (size_t t = 0; t < targets; t++) is_target = is_target || target[t] == c;
        UNA_TRY(check_column(c, drop, only, is_target, data, run));
        out[c] = drop[c] || (selection->only_count && !only[c] && !is_target && !names_images);
    }
    UNA_TRY(leave_group_out(out, selection->group, data, target, targets, run));
    for (size_t c = 0; c < data->columns; c++) left += !out[c];
    const char *flag = selection->drop_count ? "drop" : "group";
    if (left <= targets)
        UNA_FAIL(run, UNA_E_USAGE, "no input of %s is left by --%s; at least one is needed beside the target",
                 data->origin, selection->only_count ? "only" : flag);
    return UNA_OK;
}

static bool is_named(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

bool una_selection_allows(const una_selection *selection, const char *name)
{
    if (is_named(selection->drop, selection->drop_count, name)) return false;
    if (selection->group && strcmp(selection->group, name) == 0) return false;
    return !selection->only_count || is_named(selection->only, selection->only_count, name);
}

static const char *const *copy_selected_names(const char *const *names, size_t count, una_arena *arena)
{
    const char **copy = count ? UNA_GET(arena, const char *, count) : NULL;
    for (size_t i = 0; copy && i < count; i++) copy[i] = una_arena_text(arena, names[i]);
    return copy;
}

una_status una_selection_copy(una_selection *to, const una_selection *from, una_arena *arena)
{
    *to = from ? *from : (una_selection){0};
    to->drop = copy_selected_names(to->drop, to->drop_count, arena);
    to->only = copy_selected_names(to->only, to->only_count, arena);
    if (to->group) to->group = una_arena_text(arena, to->group);
    return una_arena_check(arena);
}

/* "column 'a' was left out, by request" */
static void describe_list(una_text *sentence, const char *head, const char *const *names, size_t count,
                          const char *what)
{
    if (!count) return;
    una_text_add(sentence, "%scolumn%s ", head, count > 1 ? "s" : "");
    for (size_t i = 0; i < count; i++) una_text_add(sentence, "%s'%s'", una_list_separator(i, count), names[i]);
    una_text_add(sentence, " %s %s, by request", count > 1 ? "were" : "was", what);
}

void una_selection_describe(una_text *sentence, const una_selection *selection)
{
    describe_list(sentence, "only ", selection->only, selection->only_count, "used");
    describe_list(sentence, sentence->length ? "; " : "", selection->drop, selection->drop_count, "left out");
    if (selection->group)
        una_text_add(sentence, "%srows with the same '%s' stay together, by request: what is reported holds for new "
                     "ones", sentence->length ? "; " : "", selection->group);
}

static una_status exchange_names(const char *const **names, size_t *count, const char *block, una_archive *ar)
{
    enum { MOST_NAMES = 1 << 24, LEAST_NAME = 32 };
    if (ar->loading ? !una_archive_next_is(ar, block) : !*count) return UNA_OK;
    UNA_TRY(una_archive_size(ar, block, count, 1, MOST_NAMES));
    UNA_TRY(una_archive_expect(ar, block, *count, LEAST_NAME));
    UNA_NEW(ar->arena, const char *, list, *count);
    for (size_t i = 0; i < *count; i++) {
        if (!ar->loading) list[i] = (*names)[i];
        UNA_TRY(una_archive_name(ar, "columns.left_name", &list[i]));
    }
    if (ar->loading) *names = list;
    return UNA_OK;
}

una_status una_selection_exchange(una_selection *selection, una_archive *ar)
{
    UNA_TRY(exchange_names(&selection->drop, &selection->drop_count, "columns.drop", ar));
    UNA_TRY(exchange_names(&selection->only, &selection->only_count, "columns.only", ar));
    if (ar->loading ? !una_archive_next_is(ar, "columns.group") : !selection->group) return UNA_OK;
    return una_archive_name(ar, "columns.group", &selection->group);
}
