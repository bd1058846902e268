/* SPDX-License-Identifier: MIT
 *
 * Cells that are unlike all others of their column: slips of the pen, wrong units, codes for missing cells. A cell is
 * far if its distance from the median is beyond what the column's own tail suggests. With q80 and q95 quantiles of the
 * distances (without the few beyond 8 robust standard deviations, if they are few) and g(p) = -log(1 - p), the distance
 * that 3 in 100,000 exceed (a row is checked some fifteen times, and may be reported once in 1,000 rows) is
 *   light tails  q95 (g/g95)^theta,  theta = log(q95/q80) / log(g95/g80)     (Weibull; Gaussian: theta 0.68)
 *   heavy tails  q95 exp((g - g95) log(q95/q80) / (g95 - g80))               (Pareto)
 * A light one counts 1.5 times; from theta 0.8 (a t distribution of 5 degrees: 0.89) to 1 (of 3: 1.07) the limit moves
 * from the first to the second; it is at least 3 q95. Each column of numbers and the target are checked as they are,
 * and on the scale of logarithms where they are positive; so are the errors of held-out rows in units of their band,
 * for the target (where it is positive and skewed, also those of a regression of its logarithm). Codes such as 999 are
 * checked without the cells that equal them. A cell that is off by a factor of 10 from all others, and would be usual
 * with its decimal point moved by two or three places, is a slip however uncertain the tail is.
 */
#include "diagnose/answer.h"

enum { MOST_SORTED = 5000, LEAST_CELLS = 20, FEW_VALUES = 20, MOST_LOGGED = 20000, LISTED = 3 };
static const double one_in = 3e-5, most_share = 0.03, few_values_apart = 10, beyond = 8, alone_by = 10;

typedef struct scale {
    double median, std, limit;           /* robust; of the distance from the median                         */
    double reach, largest;               /* distance of the farthest cell, without and with those beyond    */
    bool   log;
} scale;

/* ---- the limit -------------------------------------------------------------------------------------------------- */

/* So many may be slips; more are a group of their own. */
static size_t most_slips(size_t rows)
{
    double most = most_share * (double)rows;
    return most > 4 ? (size_t)most : 4;
}

/* distance [count], sorted; zeros are left out if they are the majority. */
static double limit_of(const double *distance, size_t count)
{
    const double g = -log(one_in), g95 = -log(0.05), g80 = -log(0.2);
    size_t first = 0, different = 1;
    if (!(distance[count * 4 / 5] > 0))
        while (first < count && !(distance[first] > 0)) first++;
    if (count - first < LEAST_CELLS) return HUGE_VAL;
    const double *d = distance + first;
    size_t n = count - first;
    for (size_t i = 1; i < n && different <= FEW_VALUES; i++) different += d[i] != d[i - 1];

    double q80 = d[n * 4 / 5], q95 = d[n * 19 / 20], bend = log(q95 / q80);
    double theta = bend / log(g95 / g80);
    double light = 1.5 * q95 * pow(g / g95, theta), heavy = q95 * exp((g - g95) * bend / (g95 - g80));
    double weight = fmax(0, fmin(1, (theta - 0.8) / 0.2));
    double limit = exp((1 - weight) * log(light) + weight * log(heavy));
    return fmax(limit, (different <= FEW_VALUES ? few_values_apart : 3) * q95);
}

/* value [count], without NAN and `but`; false: there are too few. */
static bool measure_scale(scale *s, const double *value, size_t count, double but, bool logs, double *room)
{
    size_t step = (count + MOST_SORTED - 1) / MOST_SORTED, used = 0, seen = 0;
    for (size_t i = 0; i < count; i += step) {
        if (isnan(value[i]) || value[i] == but) continue;
        seen++;
        if (!logs || value[i] > 0) room[used++] = logs ? log(value[i]) : value[i];
    }
    if (used < LEAST_CELLS || (logs && (double)(seen - used) > 0.02 * (double)seen)) return false;
    una_robust middle = una_robust_of(room, used);
    size_t near = used;
    while (near > 0 && room[near - 1] > beyond * middle.std) near--;
    if (used - near > most_slips(used)) near = used;
    *s = (scale){ middle.median, middle.std, limit_of(room, near), room[near - 1], room[used - 1], logs };
    return s->std > 0 && isfinite(s->limit);
}

/* Distance in units of the limit; 0 where the scale is unknown. */
static double distance_in_limits(const scale *s, double value)
{
    if (s->log && !(value > 0)) return 0;
    return fabs((s->log ? log(value) : value) - s->median) / s->limit;
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

typedef struct slip { double factor; const char *how; } slip;

/* What makes of a cell the value that may have been intended: another place of the decimal point, or the other sign. */
static const slip *likely_slip(double cell, const scale *s)
{
    static const slip slips[] = {
        { -1, "with the other sign" }, { 0.01, "100 times less" }, { 100, "100 times more" },
        { 0.001, "1000 times less" }, { 1000, "1000 times more" }, { 0.1, "10 times less" }, { 10, "10 times more" },
    };
    double best = 3;                                     /* robust standard deviations */
    const slip *found = NULL;
    if (!s->log && fabs(s->median) < 2 * s->std) return NULL;    /* around 0 any number is usual with its point moved */
    for (size_t i = 0; i < sizeof slips / sizeof *slips; i++) {
        double other = cell * slips[i].factor;
        if (s->log && !(other > 0)) continue;
        double off = fabs((s->log ? log(other) : other) - s->median) / s->std;
        if (off >= best) continue;
        best = off;
        found = &slips[i];
    }
    return found;
}

/* By its logarithm; near 0 many usual cells are far on that scale, so the plain scale must find it unusual, too. */
static bool is_lone_cell(const scale *plain, const scale *logs, double cell)
{
    const double wonder = 3.5;
    double distance = cell > 0 ? fabs(log(cell) - logs->median) : 0;
    if (distance <= beyond * logs->std || distance <= logs->reach + log(alone_by)) return false;
    if (fabs(cell - plain->median) <= wonder * plain->std) return false;
    const slip *likely = likely_slip(cell, logs);
    return likely && fabs(log(likely->factor)) > log(50);
}

enum { LONGEST_WHY = 256 };

static void say_far(char why[LONGEST_WHY], const una_table_column *column, double cell, const scale *s)
{
    const slip *likely = likely_slip(cell, s);
    double off = fabs((s->log ? log(cell) : cell) - s->median) / s->std;
    int used = snprintf(why, LONGEST_WHY, "lies %s robust standard deviations from the column's median %s%s",
                        UNA_ROUNDED(off, 2), UNA_CELL_TEXT(column, s->log ? exp(s->median) : s->median, 3),
                        s->log ? ", by their logarithms" : "");
    if (likely)
        snprintf(why + used, (size_t)(LONGEST_WHY - used), "; %s, %s, would be usual",
                 UNA_CELL_TEXT(column, cell * likely->factor, 6), likely->how);
}

static una_status add_suspect(una_case *c, size_t row, const char *column, double value, const char *why)
{
    const una_dataset *data = c->data;
    const char *origin = data->source ? una_table_source_of(data, row).origin : NULL;
    if (c->listed[row]) return UNA_OK;
    c->listed[row] = true;
    c->suspects = una_arena_grow(c->keep, c->suspects, c->suspect_count, &c->suspect_room, sizeof *c->suspects);
    UNA_TRY(una_arena_check(c->keep));
    c->suspects[c->suspect_count++] = (una_suspect){
        row, una_table_line(data, row), una_arena_text(c->keep, column), value, una_arena_text(c->keep, why),
        una_table_number(data, row), origin ? una_arena_text(c->keep, origin) : NULL };
    return una_arena_check(c->keep);
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

typedef struct cells {                   /* of one column                                                   */
    const una_table_column *column;
    const char   *name;
    const double *at;                    /* [rows] of the case                                              */
    const bool   *predicted;             /* [rows] of the target; of other columns NULL                     */
    size_t        rows;
    double       *room;
    const scale  *plain, *logs;          /* NULL: there are too few cells for one                           */
} cells;

/* A negative number that would be usual if positive, in a column of positive numbers. */
static bool has_lost_sign(const cells *of, double cell)
{
    const double wonder = 4.5, usual = 2.5;
    return of->logs && cell < 0 && fabs(cell - of->plain->median) > wonder * of->plain->std &&
           fabs(-cell - of->plain->median) <= usual * of->plain->std;
}

/* The scale on which the cell is unusual; NULL: it is usual. */
static const scale *told_by(const cells *of, double cell)
{
    const scale *plain = of->plain, *logs = of->logs;
    if (plain && (distance_in_limits(plain, cell) > 1 || has_lost_sign(of, cell))) return plain;
    return logs && (distance_in_limits(logs, cell) > 1 || (plain && is_lone_cell(plain, logs, cell))) ? logs : NULL;
}

/* Far cells that lie close to each other, and that no slip explains, are a group of their own. */
static bool is_group(const cells *of, size_t count)
{
    enum { LEAST = 4 };
    double low = HUGE_VAL, high = -HUGE_VAL;
    if (count < LEAST || !of->plain) return false;
    for (size_t i = 0; i < of->rows; i++) {
        const scale *by = told_by(of, of->at[i]);
        if (!by) continue;
        if (likely_slip(of->at[i], by)) return false;
        low = fmin(low, of->at[i]), high = fmax(high, of->at[i]);
    }
    return high - low <= 2 * of->plain->std;
}

static una_status add_far(una_case *c, const cells *of)
{
    size_t count = 0;
    for (size_t i = 0; i < of->rows; i++) count += told_by(of, of->at[i]) != NULL;
    if (count == 0 || count > most_slips(of->rows) || is_group(of, count)) return UNA_OK;
    for (size_t i = 0; i < of->rows; i++) {
        char why[LONGEST_WHY];
        const scale *by = told_by(of, of->at[i]);
        if (!by || (of->predicted && of->predicted[i])) continue;
        say_far(why, of->column, of->at[i], by);
        UNA_TRY(add_suspect(c, c->kept[i], of->name, of->at[i], why));
    }
    return UNA_OK;
}

/* Codes such as 999, far from the rest: beyond the limit, or half as far again as all others. */
static una_status add_codes(una_case *c, const cells *of)
{
    static const double codes[] = { -99999, -9999, -999, -99, 99, 999, 9999, 99999, 999999 };
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
        size_t count = 0;
        scale s;
        for (size_t i = 0; i < of->rows; i++) count += of->at[i] == codes[k];
        if (count == 0 || 2 * count > of->rows ||
            !measure_scale(&s, of->at, of->rows, codes[k], false, of->room)) continue;
        if (distance_in_limits(&s, codes[k]) <= 1 && fabs(codes[k] - s.median) <= 1.5 * s.largest) continue;
        for (size_t i = 0; i < of->rows; i++)
            if (of->at[i] == codes[k])
                UNA_TRY(add_suspect(c, c->kept[i], of->name, codes[k],
                                    "is far from all others, and a usual code for a cell that is missing: leave it "
                                    "empty then"));
    }
    return UNA_OK;
}

static una_status check_column_cells(una_case *c, const char *name, const bool *predicted, una_run *run)
{
    size_t at = una_table_find(c->data, name);
    scale plain, logs;
    if (at == SIZE_MAX || c->data->column[at].is_text) return UNA_OK;
    UNA_NEW_ROWS(&run->scratch, double, value, c->rows);
    UNA_NEW_ROWS(&run->scratch, double, room, c->rows);
    cells of = { .column = &c->data->column[at], .name = name, .at = value, .predicted = predicted, .rows = c->rows, .room = room };
    for (size_t i = 0; i < c->rows; i++) value[i] = c->data->column[at].number[c->kept[i]];
    UNA_TRY(add_codes(c, &of));
    of.plain = measure_scale(&plain, value, c->rows, NAN, false, room) ? &plain : NULL;
    of.logs = measure_scale(&logs, value, c->rows, NAN, true, room) ? &logs : NULL;
    return add_far(c, &of);
}

/* ---- errors of held-out rows ------------------------------------------------------------------------------------ */

/* error [held rows]: in units of its expected size; said [held rows]: the answer, and half its band. */
static una_status add_errors(una_case *c, const double *error, const double *answer, const double *half, double *room)
{
    const una_held_out *h = c->held;
    const double least = 4;
    size_t count = 0;
    scale s;
    if (!measure_scale(&s, error, h->rows, NAN, false, room)) return UNA_OK;
    for (size_t i = 0; i < h->rows; i++) count += distance_in_limits(&s, error[i]) > 1;
    if (count > most_slips(h->rows)) return UNA_OK;
    for (size_t i = 0; i < h->rows; i++) {
        char why[160];
        if (!(distance_in_limits(&s, error[i]) > 1) || !(fabs(error[i] - s.median) > least * s.std)) continue;
        if (c->predicted[c->at[i]]) continue;
        if (half)
            snprintf(why, sizeof why, "is not what the row's other columns lead to: una expected %s \u00b1 %s",
                     UNA_ROUNDED(answer[i], 3), UNA_ROUNDED(half[i], 2));
        else
            snprintf(why, sizeof why, "is not what the row's other columns lead to: about %s was expected",
                     UNA_ROUNDED(answer[i], 2));
        UNA_TRY(add_suspect(c, h->row[i], c->columns->target, h->y[i], why));
    }
    return UNA_OK;
}

static una_status check_errors(una_case *c, una_run *run)
{
    const una_held_out *h = c->held;
    UNA_NEW_ROWS(&run->scratch, double, error, 3 * h->rows);
    double *half = error + h->rows, *room = half + h->rows;
    for (size_t i = 0; i < h->rows; i++) {
        double std = hypot(h->std_epistemic[i], h->std_noise[i]);
        error[i] = (h->y[i] - h->mean[i]) / std;
        half[i] = 1.96 * std;
    }
    return add_errors(c, error, h->mean, half, room);
}

/* A regression of the logarithm, where factors are what differs. */
static una_status check_log_errors(una_case *c, una_run *run)
{
    const una_held_out *h = c->held;
    const double *y = c->data->column[una_table_find(c->data, c->columns->target)].number;
    size_t n = h->rows;
    if (c->rows > MOST_LOGGED) return UNA_OK;
    double *log_y = UNA_GET_ROWS(&run->scratch, double, c->rows), *error = UNA_GET_ROWS(&run->scratch, double, 3 * n);
    double *answer = error + n, *room = answer + n, mean = 0;
    bool known;
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t i = 0; i < c->rows; i++) {
        if (!(y[c->kept[i]] > 0)) return UNA_OK;
        log_y[i] = log(y[c->kept[i]]);
        mean += log_y[i] / (double)c->rows;
    }
    for (size_t i = 0; i < c->rows; i++) log_y[i] -= mean;
    UNA_TRY(una_reference(answer, &known, c, log_y, run));
    if (!known) return UNA_OK;
    for (size_t i = 0; i < n; i++) {
        error[i] = log_y[c->at[i]] - answer[i];
        answer[i] = exp(mean + answer[i]);
    }
    return add_errors(c, error, answer, NULL, room);
}

/* ---- all findings ----------------------------------------------------------------------------------------------- */

static int by_row(const void *a, const void *b)
{
    const una_suspect *x = a, *y = b;
    if (x->row != y->row) return (x->row > y->row) - (x->row < y->row);
    return strcmp(x->column, y->column);
}

static bool has_two_values(const una_case *c)
{
    const double *y = c->y;
    double other = NAN;
    for (size_t i = 1; i < c->rows; i++) {
        if (y[i] == y[0] || y[i] == other) continue;
        if (!isnan(other)) return false;
        other = y[i];
    }
    return true;
}

/* Rows whose other columns lead to the target's cell, which may be rare but is right: it lies within the out-of-fold
 * band, and within a band that slips elsewhere have not widened. */
static una_status find_predicted_rows(una_case *c, una_run *run)
{
    const double within = 2, robust_within = 4;
    const una_held_out *h = c->held;
    size_t step = (h->rows + MOST_SORTED - 1) / MOST_SORTED, count = 0;
    UNA_NEW(&run->scratch, double, room, h->rows / step + 1);
    UNA_NEW_ROWS_AT(&run->scratch, c->predicted, c->rows);
    for (size_t i = 0; i < h->rows; i += step) room[count++] = h->y[i] - h->mean[i];
    double usual = una_robust_of(room, count).std;
    for (size_t i = 0; i < h->rows; i++) {
        double error = fabs(h->y[i] - h->mean[i]), std = hypot(h->std_epistemic[i], h->std_noise[i]);
        c->predicted[c->at[i]] = error <= within * std && error <= robust_within * usual;
    }
    return UNA_OK;
}

/* A finding in the target's column comes before findings in the row's other columns. */
static una_status check_target_cells(una_case *c, una_run *run)
{
    if (has_two_values(c)) return UNA_OK;                /* the rarer value is no slip */
    UNA_TRY(find_predicted_rows(c, run));
    UNA_TRY(check_column_cells(c, c->columns->target, c->predicted, run));
    if (!c->columns->log_target) UNA_TRY(check_errors(c, run));
    return check_log_errors(c, run);
}

void una_case_name_suspect(una_text *text, const una_case *c, const una_suspect *suspect)
{
    size_t column = una_table_find(c->data, suspect->column);
    una_table_row(text, c->data, suspect->row);
    una_text_add(text, ", %.60s = %s", suspect->column, UNA_CELL_TEXT(&c->data->column[column], suspect->value, 6));
}

/* "3 cells look wrong: line 18, strength = 4510; line 77 ..." */
static una_status warn_of_suspects(una_case *c, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    size_t n = c->suspect_count, rows = 0, shown = n > LISTED ? LISTED : n;
    for (size_t i = 0; i < n; i++) rows += i == 0 || c->suspects[i].row != c->suspects[i - 1].row;
    una_text_add(&text, rows == 1 ? "%zu row looks wrong: " : "%zu rows look wrong: ", rows);
    for (size_t i = 0; i < shown; i++) {
        if (i) una_text_add(&text, "; ");
        una_case_name_suspect(&text, c, &c->suspects[i]);
    }
    una_text_add(&text, n > shown ? " ... " : ". ");
    UNA_TRY(una_arena_check(&run->scratch));
    una_case_find(c, UNA_FOUND_SUSPECT_ROWS, c->suspects[0].column, "%sCorrect the cells or take the rows out, and fit "
                  "again; if they are right, let them stay.", text.at);
    return UNA_OK;
}

una_status una_find_suspects(una_case *c, una_run *run)
{
    UNA_NEW_ROWS_AT(&run->scratch, c->listed, c->data->rows);
    size_t sources = c->images ? 0 : c->columns->source_count;
    for (size_t s = 0; s <= sources; s++) {
        memset(c->listed, 0, c->data->rows * sizeof *c->listed);
        UNA_SCOPED(run, s < sources ? check_column_cells(c, c->columns->sources[s].name, NULL, run)
                                    : check_target_cells(c, run));
    }
    if (c->suspect_count == 0) return UNA_OK;
    qsort(c->suspects, c->suspect_count, sizeof *c->suspects, by_row);
    return warn_of_suspects(c, run);
}
