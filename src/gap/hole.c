/* SPDX-License-Identifier: MIT
 *
 * Holes in a table. See hole.h.
 */
#include "gap/hole.h"

#include "draw/number.h"

/* A box grows around the medians by these steps of its half width, in parts of the rows, until it has BOX_SHARE. */
static const double BOX_SHARE = 0.15, BOX_STEP = 0.01, BOX_MOST = 0.4;

static size_t least_rows(size_t rows)
{
    size_t part = rows / UNA_HOLE_LEAST_PART;
    return part > UNA_HOLE_LEAST_ROWS ? part : UNA_HOLE_LEAST_ROWS;
}

static una_status no_hole(una_hole *hole, const char *why)
{
    hole->why_not = why;
    return una_arena_check(hole->keep);
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

typedef struct ranked { double *at; size_t count; } ranked;      /* the cells that are there, in order */

static una_status sort_cells(ranked *sorted, const una_dataset *data, size_t column, una_run *run)
{
    const double *cell = data->column[column].number;
    sorted->count = 0;
    UNA_NEW_AT(&run->scratch, sorted->at, data->rows);
    for (size_t i = 0; i < data->rows; i++)
        if (!isnan(cell[i])) sorted->at[sorted->count++] = cell[i];
    qsort(sorted->at, sorted->count, sizeof *sorted->at, una_by_number);
    return UNA_OK;
}

/* The first edge that is not below `rank`; count if there is none. */
static size_t edge_from(const size_t *edge, size_t count, size_t rank)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (edge[middle] < rank) low = middle + 1;
        else high = middle;
    }
    return low;
}

static size_t index_distance(size_t a, size_t b)
{
    return a > b ? a - b : b - a;
}

/* The two edges nearest to a third and two thirds of the rows between which a hole has neither too few rows nor too
 * many. False: there are none. */
static bool choose_edges(size_t *from, size_t *to, const size_t *edge, size_t count, size_t rows)
{
    size_t least = least_rows(rows), most = rows / UNA_HOLE_MOST_PART;
    size_t third = (rows + 1) / 3, two_thirds = (2 * rows + 1) / 3, best = SIZE_MAX;
    for (size_t a = 0; a < count; a++) {
        size_t low = edge[a] + least, high = edge[a] + most;
        size_t wish = two_thirds > high ? high : two_thirds;
        if (two_thirds < low) wish = low;
        size_t at = edge_from(edge, count, wish);
        for (size_t b = at > 0 ? at - 1 : 0; b <= at && b < count; b++) {
            if (edge[b] < low || edge[b] > high) continue;
            size_t off = index_distance(edge[a], third) + index_distance(edge[b], two_thirds);
            if (off >= best) continue;
            best = off;
            *from = edge[a];
            *to = edge[b];
        }
    }
    return best != SIZE_MAX;
}

static void mark_inside(una_hole *hole, const una_dataset *data)
{
    hole->count = 0;
    for (size_t i = 0; i < data->rows; i++) {
        bool inside = true;
        for (size_t c = 0; c < hole->columns; c++) {
            double cell = data->column[hole->column[c]].number[i];
            inside = inside && cell >= hole->low[c] && cell <= hole->high[c];
        }
        hole->inside[i] = inside;
        hole->count += inside;
    }
}

static una_status hole_in_numbers(una_hole *hole, const una_dataset *data, una_run *run)
{
    ranked sorted;
    size_t edges = 0, from, to;
    UNA_TRY(sort_cells(&sorted, data, hole->column[0], run));
    UNA_NEW(&run->scratch, size_t, edge, sorted.count);  /* ranks at which the value changes; rows are on both sides */
    for (size_t i = 1; i < sorted.count; i++)
        if (sorted.at[i] != sorted.at[i - 1]) edge[edges++] = i;
    if (edges == 0) return no_hole(hole, "it has one value only");
    if (edges == 1)
        return no_hole(hole, "it has two values only: without the rows of one of them it would be no column");
    if (!choose_edges(&from, &to, edge, edges, sorted.count))
        return no_hole(hole, una_phrase(hole->keep, "most of its rows have the same few values: no stretch between the "
            "lowest and the highest has %zu to %zu rows", least_rows(sorted.count), sorted.count / UNA_HOLE_MOST_PART));
    hole->low[0] = sorted.at[from];
    hole->high[0] = sorted.at[to - 1];
    mark_inside(hole, data);
    return UNA_OK;
}

/* ---- words --------------------------------------------------------------------------------------------------- */

static int by_word(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The word whose rows are nearest to a third; of equals the first by the alphabet. */
static una_status choose_level(una_hole *hole, const char **word, size_t rows)
{
    size_t least = least_rows(rows), most = rows / UNA_HOLE_MOST_PART, levels = 0, best = SIZE_MAX;
    const char *level = NULL;
    for (size_t i = 0, end; i < rows; i = end) {
        for (end = i + 1; end < rows && strcmp(word[end], word[i]) == 0;) end++;
        levels++;
        size_t off = index_distance(end - i, (rows + 1) / 3);
        if (end - i < least || end - i > most || off >= best) continue;
        best = off;
        level = word[i];
    }
    if (levels == 1) return no_hole(hole, "it has one word only");
    if (levels == 2)
        return no_hole(hole, "it has two words only: without the rows of one of them it would be no column");
    if (!level) return no_hole(hole, una_phrase(hole->keep, "none of its words has %zu to %zu rows", least, most));
    hole->level = level;
    return UNA_OK;
}

static una_status hole_in_words(una_hole *hole, const una_dataset *data, una_run *run)
{
    const char **cell = data->column[hole->column[0]].word;
    size_t rows = 0;
    UNA_NEW(&run->scratch, const char *, word, data->rows);
    for (size_t i = 0; i < data->rows; i++)
        if (cell[i]) word[rows++] = cell[i];
    qsort(word, rows, sizeof *word, by_word);
    hole->low[0] = hole->high[0] = NAN;
    UNA_TRY(choose_level(hole, word, rows));
    for (size_t i = 0; hole->level && i < data->rows; i++) {
        hole->inside[i] = cell[i] && strcmp(cell[i], hole->level) == 0;
        hole->count += hole->inside[i];
    }
    return UNA_OK;
}

/* ---- the calls ----------------------------------------------------------------------------------------------- */

/* Cuts the box of those rows that go `half` of a column to either side of its median. */
static void mark_box(una_hole *hole, const una_dataset *data, const ranked sorted[2], double half)
{
    for (size_t c = 0; c < 2; c++) {
        double n = (double)sorted[c].count, from = floor((0.5 - half) * n), to = ceil((0.5 + half) * n) - 1;
        hole->low[c] = sorted[c].at[(size_t)fmax(from, 0)];
        hole->high[c] = sorted[c].at[(size_t)fmin(fmax(to, 0), n - 1)];
    }
    mark_inside(hole, data);
}

static una_status grow_box(una_hole *hole, const una_dataset *data, una_run *run)
{
    ranked sorted[2];
    double wish = BOX_SHARE * (double)data->rows, best = INFINITY, best_half = 0;
    for (size_t c = 0; c < 2; c++) UNA_TRY(sort_cells(&sorted[c], data, hole->column[c], run));
    size_t least = least_rows(data->rows), most = data->rows / UNA_HOLE_MOST_PART;

    for (double half = BOX_STEP; sorted[0].count && sorted[1].count && half <= BOX_MOST; half += BOX_STEP) {
        mark_box(hole, data, sorted, half);
        double off = fabs((double)hole->count - wish);
        if (hole->count > most) break;
        if (hole->count < least || off >= best) continue;
        best = off;
        best_half = half;
    }
    if (best_half == 0) return no_hole(hole, una_phrase(hole->keep, "no box around both medians has %zu to %zu rows", least, most));
    mark_box(hole, data, sorted, best_half);
    return UNA_OK;
}

una_status una_hole_cut(una_hole *hole, const una_dataset *data, size_t a, size_t b, una_arena *keep, una_run *run)
{
    bool pair = b != SIZE_MAX;
    *hole = (una_hole){ .column = { a, pair ? b : 0 }, .columns = pair ? 2 : 1, .keep = keep,
                        .form = { data->column[a].form.kind, data->column[pair ? b : a].form.kind } };
    UNA_NEW_AT(keep, hole->inside, data->rows);
    if (pair) return grow_box(hole, data, run);
    return data->column[a].is_text ? hole_in_words(hole, data, run) : hole_in_numbers(hole, data, run);
}

void una_hole_where(una_text *text, const una_hole *hole)
{
    if (hole->level) {
        una_text_add(text, "%s", hole->level);
        return;
    }
    for (size_t c = 0; c < hole->columns; c++) {
        una_date_writer *date = una_date_writer_of(hole->form[c]);
        const char *from = UNA_DATED(date, hole->low[c], 4), *to = UNA_DATED(date, hole->high[c], 4);
        if (strcmp(from, to) == 0) una_text_add(text, "%s%s", c ? " and " : "", from);
        else una_text_add(text, "%sfrom %s to %s", c ? " and " : "", from, to);
    }
}
