/* SPDX-License-Identifier: MIT
 *
 * Cells that drown all others: a slip of the pen such as y = 1e6 among numbers near 1 takes the whole scale of its
 * column, and every other row then looks the same to a model. A column is called out when a few cells lie farther from
 * its median than 50 robust standard deviations, 1.4826 times the median of the distances, and hold more than half of
 * its sum of squares. Heavy tails alone are no slip: of a lognormal column of sigma 1 the cells that far out hold 4 %.
 */
#include "data/columns.h"

enum { FAR = 50, MOST_SENTENCES = 4 };
static const double most_share = 0.5;

typedef struct outliers { size_t count, worst; double distance, share; } outliers;     /* distance: of the worst */

/* At most so many cells may be slips; more are a heavy tail. */
static size_t few_of(size_t rows)
{
    return rows > 300 ? rows / 100 : 3;
}

una_robust una_robust_of(double *numbers, size_t count)
{
    size_t equal = 0;
    qsort(numbers, count, sizeof *numbers, una_by_number);
    double median = numbers[count / 2];
    for (size_t i = 0; i < count; i++) numbers[i] = fabs(numbers[i] - median);
    qsort(numbers, count, sizeof *numbers, una_by_number);
    /* Where more than half of the cells are equal, as in counts that are mostly 0, the others decide. */
    while (!(numbers[count / 2] > 0) && equal < count && !(numbers[equal] > 0)) equal++;
    return (una_robust){ median, equal < count ? 1.4826 * numbers[(equal + count) / 2] : 0 };
}

/* Whether a few cells of a standardised column (mean 0, std 1) could hold half of the squares. Not if `few` times the farthest one does not: so most columns
 * need no sorting. The median is at most one standard deviation from the mean. */
static bool may_dominate(una_view c)
{
    double most = 0, n = (double)c.rows;
    for (size_t i = 0; i < c.rows; i++) most = fmax(most, fabs(c.at[i * c.stride]));
    return (most + 1) * (most + 1) * (double)few_of(c.rows) >= most_share * n;
}

static outliers find_outliers(una_view c, double *room)
{
    outliers v = {0};
    for (size_t i = 0; i < c.rows; i++) room[i] = c.at[i * c.stride];
    una_robust middle = una_robust_of(room, c.rows);
    double median = middle.median, limit = middle.std * FAR, largest = 0, all = 0, far = 0;
    if (!(limit > 0)) return v;

    for (size_t i = 0; i < c.rows; i++) {
        double distance = fabs(c.at[i * c.stride] - median);
        all += distance * distance;
        if (distance <= limit) continue;
        far += distance * distance;
        v.count++;
        if (distance > largest) largest = distance, v.worst = i;
    }

    v.distance = largest / limit * FAR;
    v.share = far / all;
    return v;
}

/* worst: as a row of the table. */
static void add_outlier_warning(const outliers *v, const una_dataset *data, const char *name, bool target,
                                una_notes *warnings, una_run *run)
{
    size_t column = una_table_find(data, name);
    una_text place = una_text_in(&run->scratch);
    char more[64] = "";
    una_table_row(&place, data, v->worst);
    if (v->count > 1) snprintf(more, sizeof more, " (%zu cells are like that)", v->count);
    una_notes_add(warnings, "%s, column '%.60s': the %s %g lies %.3g robust standard deviations from the median%s, "
                  "and %.0f %% of the column's variance is there, so that all other rows look alike. Look at it: "
                  "correct the cell, take the row out, or transform the column (its logarithm, for instance).",
                  place.at, name, target ? "target" : "value", data->column[column].number[v->worst], v->distance,
                  more, 100 * v->share);
}

static una_status warn_outliers(const una_columns *columns, const una_dataset *data, const una_encoded *e,
                                una_notes *warnings, una_run *run)
{
    size_t inputs = columns->input_count, reported = 0, untold = 0;
    double *room = NULL;

    for (size_t d = e->y ? 0 : 1; d <= (e->x ? inputs : 0); d++) {     /* the target first */
        const una_input *input = d ? &columns->inputs[d - 1] : NULL;
        una_view c = input ? (una_view){ e->x + d - 1, e->rows, 1, inputs } : (una_view){ e->y, e->rows, 1, 1 };
        if ((input && input->level != SIZE_MAX) || !may_dominate(c)) continue;
        if (!room) room = UNA_GET_ROWS(&run->scratch, double, e->rows);
        UNA_TRY(una_arena_check(&run->scratch));
        UNA_TRY(una_check_cancelled(run, "looking for outliers"));

        outliers v = find_outliers(c, room);
        if (v.count == 0 || v.count > few_of(e->rows) || v.share <= most_share) continue;
        const char *name = input ? columns->sources[input->source].name : columns->target;
        if (e->kept) v.worst = e->kept[v.worst];
        if (reported++ < MOST_SENTENCES) add_outlier_warning(&v, data, name, !input, warnings, run);
        else untold++;
    }

    if (untold) una_notes_add(warnings, "%zu more column%s like that.", untold, untold == 1 ? "" : "s");
    return una_arena_check(&run->scratch);
}

una_status una_columns_warn_outliers(const una_columns *columns, const una_dataset *data, const una_encoded *rows,
                                     una_notes *warnings, una_run *run)
{
    UNA_SCOPED(run, warn_outliers(columns, data, rows, warnings, run));
    return una_arena_check(warnings->arena);
}
