/* SPDX-License-Identifier: MIT
 *
 * Which rows stay together. See teams.h.
 */
#include "model/teams.h"

#include "data/codes.h"
#include "data/near_copies.h"
#include "model/validation_split.h"

enum { LEAST_GROUPS = 5 };

/* ---- near copies ----------------------------------------------------------------------------------------------- */

/* The rows that are their own label go to the front. */
static void keep_first_rows(una_problem *p, const uint32_t *label)
{
    size_t cols = p->x.cols, outputs = una_problem_outputs(p), kept = 0;
    double *x = (double *)p->x.at, *y = (double *)p->y;  /* the encoded rows belong to the fit */
    for (size_t i = 0; i < p->x.rows; i++) {
        if (label[i] != i) continue;
        if (kept != i) memcpy(x + kept * cols, x + i * cols, cols * sizeof *x);
        if (kept != i) memcpy(y + kept * outputs, y + i * outputs, outputs * sizeof *y);
        p->origin[kept++] = p->origin[i];
    }
    p->x.rows = p->table_rows = kept;
}

static una_status take_near_copies_out(una_problem *p, una_notes *warnings, una_run *run)
{
    size_t rows = p->x.rows;
    una_near_copies found;
    UNA_NEW_ROWS(&run->scratch, uint32_t, label, rows);
    const una_near_rows of = { p->x, p->y, una_problem_outputs(p) };
    UNA_TRY(una_near_copies_find(&found, label, &of, run));
    if (found.copied == 0) return UNA_OK;
    keep_first_rows(p, label);
    if (warnings)
        una_notes_add(warnings, "%zu of the %zu rows nearly agree with another row in every input and in the target: "
                      "near copies, such as rows that were repeated with small changes. Each group of them counts as "
                      "one row, so that %zu rows are left: copies say nothing new, and would make the noise seem "
                      "smaller than it is.", found.copied, rows, p->x.rows);
    return UNA_OK;
}

/* Teams of rows that nearly agree in their inputs; equal ones among them. */
static una_status join_near_inputs(una_problem *p, una_notes *warnings, una_run *run)
{
    una_near_copies found;
    una_copies equal;
    const una_near_rows of = { .x = p->x };
    UNA_NEW_ROWS(&run->scratch, uint32_t, label, p->x.rows);
    UNA_SCOPED(run, una_near_copies_find(&found, label, &of, run));
    if (found.copied == 0) return UNA_OK;
    UNA_TRY(una_copies_find(&equal, p->x, &run->scratch, run));
    for (size_t i = 0; i < p->x.rows; i++) una_unite_roots(label, (uint32_t)i, equal.next[i]);
    for (size_t i = 0; i < p->x.rows; i++) label[i] = una_root_of(label, (uint32_t)i);
    p->team = label;
    p->correlated = true;
    if (warnings)
        una_notes_add(warnings, "%zu of the %zu rows nearly agree with another row in every input: they form %zu "
                      "groups whose rows share a fold and are left out together, and the noise is that of rows whose "
                      "group was left out.", found.copied, p->x.rows, found.groups);
    return UNA_OK;
}

/* ---- groups ---------------------------------------------------------------------------------------------------- */

static una_status check_groups(const una_copies *groups, const char *name, const una_problem *p, una_run *run)
{
    size_t rows = p->x.rows, count = groups->groups;
    if (count == 1)
        UNA_FAIL(run, UNA_E_INPUT, "%s: all rows have the same '%s', so there is no other group to test on; name "
                 "another column with --group, or leave --group out", p->data->origin, name);
    if (count < LEAST_GROUPS)
        UNA_FAIL(run, UNA_E_INPUT, "%s: the column '%s' makes %zu groups, and at least %d are needed to learn what a "
                 "new one is like; collect more, or leave --group out", p->data->origin, name, count, (int)LEAST_GROUPS);
    if (2 * groups->largest > rows)
        UNA_FAIL(run, UNA_E_INPUT, "%s: one group of '%s' has %zu of the %zu rows, so too few are left when it is left "
                 "out; name another column with --group, or leave --group out", p->data->origin, name, groups->largest,
                 rows);
    return UNA_OK;
}

/* Groups, and rows with equal inputs of several groups, unless that makes chains through the table. */
static una_status join_groups(una_problem *p, const char *name, una_run *run)
{
    size_t column, values, rows = p->x.rows;
    una_copies equal, groups;
    UNA_TRY(una_table_need(&column, p->data, name, run));
    UNA_NEW_ROWS(&run->scratch, uint32_t, label, rows);
    UNA_NEW_ROWS(&run->scratch, uint32_t, code, p->data->rows);
    UNA_NEW_ROWS(&run->scratch, uint32_t, joined, p->data->rows + 1);
    bool drops = p->columns->missing == UNA_MISSING_DROP;
    UNA_TRY(drops ? una_column_codes(code, &values, p->data, column, run)
                  : una_column_need_codes(code, &values, "group", p->data, column, run));
    for (size_t i = 0; i < rows; i++) label[i] = UNA_MIN(code[p->origin[i]], (uint32_t)values);
    UNA_TRY(una_copies_of_labels(&groups, label, rows, &run->scratch, run));
    UNA_TRY(check_groups(&groups, name, p, run));
    p->team = label;
    p->correlated = true;

    for (size_t i = 0; i <= values; i++) joined[i] = (uint32_t)i;
    UNA_TRY(una_copies_find(&equal, p->x, &run->scratch, run));
    for (size_t i = 0; i < rows; i++) una_unite_roots(joined, label[i], label[equal.next[i]]);
    for (size_t i = 0; i < rows; i++) code[i] = una_root_of(joined, label[i]);
    UNA_TRY(una_copies_of_labels(&groups, code, rows, &run->scratch, run));
    if (groups.groups < 2 * LEAST_GROUPS || 4 * groups.largest > rows) return UNA_OK;
    memcpy(label, code, rows * sizeof *label);
    return UNA_OK;
}

static una_status join_rows(una_problem *p, una_notes *warnings, una_run *run)
{
    const char *group = p->columns->selection.group;
    if (group) return join_groups(p, group, run);
    return una_columns_image(p->columns).height ? UNA_OK : join_near_inputs(p, warnings, run);
}

/* Rows without a group go where rows with missing cells go. */
static una_status drop_groupless(una_problem *p, const char *name, una_notes *warnings, una_run *run)
{
    size_t column, rows = p->x.rows;
    UNA_TRY(una_table_need(&column, p->data, name, run));
    const una_table_column *group = &p->data->column[column];
    if (p->columns->missing != UNA_MISSING_DROP) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, uint32_t, label, rows);
    for (size_t i = 0; i < rows; i++) {
        size_t row = p->origin[i];
        bool missing = group->is_text ? !group->word[row] : isnan(group->number[row]);
        label[i] = missing ? UNA_NO_CODE : (uint32_t)i;
    }
    keep_first_rows(p, label);
    if (warnings && p->x.rows < rows)
        una_notes_add(warnings, "%zu rows have no '%s' and were left out.", rows - p->x.rows, name);
    return UNA_OK;
}

una_status una_teams_find(una_problem *p, una_notes *warnings, una_run *run)
{
    const char *group = p->columns->selection.group;
    bool images = una_columns_image(p->columns).height > 0;
    if (group) UNA_SCOPED(run, drop_groupless(p, group, warnings, run));
    if (!images) UNA_SCOPED(run, take_near_copies_out(p, warnings, run));
    return join_rows(p, warnings, run);
}

una_status una_teams_label(una_problem *p, una_run *run)
{
    una_near_copies found = { .copied = 0 };
    const una_near_rows of = { p->x, p->y, una_problem_outputs(p) };
    UNA_TRY(join_rows(p, NULL, run));
    if (p->team || una_columns_image(p->columns).height) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, uint32_t, label, p->x.rows);
    UNA_SCOPED(run, una_near_copies_find(&found, label, &of, run));
    if (found.copied) p->team = label;
    return UNA_OK;
}
