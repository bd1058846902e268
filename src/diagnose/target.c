/* SPDX-License-Identifier: MIT
 *
 * What sort of target it is, where Gaussian bands do not suit it; and whether there are enough rows.
 */
#include "diagnose/answer.h"

enum { LEAST_HELD_OUT = 20, SMALL_COUNT = 10, MOST_SORTED = 5000, LEAST_PILED = 10, LEAST_VALUES = 20 };
static const double least_pile = 0.03, mode_times = 2, mode_times_of_counts = 5;

typedef struct values {                  /* of the target                                                   */
    double *sorted;                      /* some of them                                                    */
    size_t  count;
    double  least, most;
    bool    whole, two;                  /* all are whole numbers; there are only two values                */
    size_t  at_least, at_most;           /* rows that have the least value, and the most                    */
    size_t  different;                   /* values, of those in `sorted`                                    */
    double  mode;                        /* the largest share of rows that any value between them has       */
} values;

/* Runs of equal values. */
static void count_runs(values *v)
{
    for (size_t i = 0, next; i < v->count; i = next) {
        for (next = i + 1; next < v->count && v->sorted[next] == v->sorted[i];) next++;
        bool end = v->sorted[i] == v->least || v->sorted[i] == v->most;
        v->different++;
        if (!end) v->mode = fmax(v->mode, (double)(next - i) / (double)v->count);
    }
}

static una_status count_values(values *v, const una_case *c, una_run *run)
{
    const double *y = c->data->column[una_table_find(c->data, c->columns->target)].number;
    size_t step = (c->rows + MOST_SORTED - 1) / MOST_SORTED;
    *v = (values){ .least = HUGE_VAL, .most = -HUGE_VAL, .whole = true, .two = true };
    UNA_NEW_AT(&run->scratch, v->sorted, c->rows / step + 1);
    for (size_t i = 0; i < c->rows; i++) {
        double value = y[c->kept[i]];
        if (i % step == 0) v->sorted[v->count++] = value;
        v->least = fmin(v->least, value);
        v->most = fmax(v->most, value);
        v->whole = v->whole && value == floor(value);
    }
    for (size_t i = 0; v->two && i < c->rows; i++) v->two = y[c->kept[i]] == v->least || y[c->kept[i]] == v->most;
    for (size_t i = 0; i < c->rows; i++) {
        v->at_least += y[c->kept[i]] == v->least;
        v->at_most += y[c->kept[i]] == v->most;
    }
    qsort(v->sorted, v->count, sizeof *v->sorted, una_by_number);
    count_runs(v);
    return UNA_OK;
}

typedef struct below { size_t means, bounds; } below;    /* held-out answers below 0 */

static below count_below_zero(const una_case *c)
{
    below b = {0};
    const una_held_out *h = c->held;
    for (size_t i = 0; i < h->rows; i++) {
        b.means += h->mean[i] < 0;
        b.bounds += h->lower[i] < 0;
    }
    return b;
}

/* The upper tail is twice as long as the lower one, and closer to it on the scale of logarithms. */
static bool is_skewed(const values *v)
{
    size_t n = v->count;
    double low = v->sorted[n / 10], middle = v->sorted[n / 2], high = v->sorted[n - 1 - n / 10];
    if (!(low > 0) || !(middle > low)) return false;
    double plain = (high - middle) / (middle - low), logs = log(high / middle) / log(middle / low);
    return plain > 2 && fabs(log(logs)) < log(plain);
}

static void say_below(una_text *text, const una_case *c, const below *b)
{
    if (b->bounds == 0) return;
    una_text_add(text, ", and of %zu rows not seen %zu lower bound%s", c->held->rows, b->bounds,
                 b->bounds == 1 ? "" : "s");
    if (b->means) una_text_add(text, " and %zu mean%s", b->means, b->means == 1 ? "" : "s");
    una_text_add(text, b->bounds + b->means == 1 ? " lies below 0" : " lie below 0");
}

static void say_count(una_case *c, const values *v, const below *b, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    bool zeros = v->least == 0;
    una_text_add(&text, "%s is a count (whole numbers from %s to %s): %sthe bands are Gaussian", c->target,
                 UNA_ROUNDED(v->least, 6), UNA_ROUNDED(v->most, 6),
                 b->bounds ? "" : "answers are means, which need not be whole, and ");
    say_below(&text, c, b);
    if (b->bounds)
        una_text_add(&text, zeros ? ". Read them as starting at 0, or add a column log(1 + %s) to the table and fit "
                     "that" : ". With --log una fits log %s, and no bound is below 0", c->target);
    una_case_find(c, UNA_FOUND_COUNT_TARGET, c->columns->target, "%s.", text.at);
}

static void say_positive(una_case *c, const below *b, bool skewed, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    una_text_add(&text, "%s is never below 0%s: the bands are Gaussian", c->target,
                 skewed ? " and has a long upper tail" : "");
    say_below(&text, c, b);
    una_case_find(c, UNA_FOUND_POSITIVE_TARGET, c->columns->target, "%s. With --log una fits log %s and answers in its "
                  "own units, and no bound is below 0.", text.at, c->target);
}

/* ---- piles and shares ------------------------------------------------------------------------------------------- */

/* So many rows have the same extreme value that a distribution without a jump does not explain it. */
static bool is_pile(const values *v, size_t rows, size_t all)
{
    double share = (double)rows / (double)all, times = v->whole ? mode_times_of_counts : mode_times;
    return rows >= LEAST_PILED && v->different >= LEAST_VALUES && share >= least_pile && share >= times * v->mode;
}

/* "of the lower bounds of rows not seen 87 % lie below it, and 81 % of the other rows lie within their bands" */
static void say_bands_at(una_text *text, const una_case *c, double value, bool low)
{
    const una_held_out *h = c->held;
    size_t beyond = 0, others = 0, inside = 0;
    for (size_t i = 0; i < h->rows; i++) {
        beyond += low ? h->lower[i] < value : h->upper[i] > value;
        if (h->y[i] == value) continue;
        others++;
        inside += h->below[i] >= 0.025 && h->below[i] <= 0.975;
    }
    una_text_add(text, "of rows not seen, %s %% of the %s bounds lie %s it",
                 UNA_PERCENT((double)beyond / (double)h->rows), low ? "lower" : "upper", low ? "below" : "above");
    if (others)
        una_text_add(text, ", and bands hold %s %% of those with other values",
                     UNA_PERCENT((double)inside / (double)others));
}

static void say_pile(una_case *c, double value, size_t rows, bool low, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    const char *at = UNA_ROUNDED(value, 6), *target = c->columns->target;
    una_text_add(&text, "%s %% of %s are exactly %s, its %s value, which bands do not know: ",
                 UNA_PERCENT((double)rows / (double)c->rows), c->target, at, low ? "smallest" : "largest");
    say_bands_at(&text, c, value, low);
    bool plain = target[strcspn(target, " -+*/()`'\"<>=!,.")] == 0;
    const char *quote = plain ? "" : "`";
    if (low && value == 0)
        una_text_add(&text, ". If 0 means none, fit two models: one of whether there is any (a column of 0 and 1), one "
                     "of how much, with --log and --where '%s%s%s > 0'", quote, c->target, quote);
    else
        una_text_add(&text, ". If %s values were cut off there, read %s as '%s or %s'", low ? "smaller" : "larger", at,
                     at, low ? "less" : "more");
    una_case_find(c, UNA_FOUND_PILED_TARGET, target, "%s; else cut bands at %s.", text.at, at);
}

/* From 0 to 1, or to 100 where the cells have percent signs. */
static double whole_of_share(const una_case *c, const values *v)
{
    const una_table_column *column = &c->data->column[una_table_find(c->data, c->columns->target)];
    double whole = strcmp(column->form.unit, "%") == 0 ? 100 : 1;
    return v->least >= 0 && v->most <= whole && v->most > whole / 2 ? whole : 0;
}

static bool say_share(una_case *c, const values *v, una_run *run)
{
    double whole = whole_of_share(c, v);
    const una_held_out *h = c->held;
    size_t beyond = 0;
    for (size_t i = 0; i < h->rows; i++) beyond += h->lower[i] < 0 || h->upper[i] > whole;
    if (!(whole > 0) || 40 * beyond <= h->rows) return false;
    una_text text = una_text_in(&run->scratch);
    const char *most = whole > 1 ? "100" : "1";
    una_text_add(&text, "%s lies between 0 and %s, as shares do: the bands are Gaussian, and of %zu rows not seen %zu "
                 "%s beyond. Cut bands at 0 and %s", c->target, most, h->rows, beyond,
                 beyond == 1 ? "has a band that reaches" : "have bands that reach", most);
    if (v->least > 0 && v->most < whole)
        una_text_add(&text, ", or add a column log(%s / (%s - %s)) to the table and fit that", c->target, most,
                     c->target);
    una_case_find(c, UNA_FOUND_SHARE_TARGET, c->columns->target, "%s.", text.at);
    return true;
}

static void check_target_values(una_case *c, const values *v, una_run *run)
{
    double least = v->least;
    below b = count_below_zero(c);
    if (v->two) {
        bool plain = least == 0 && v->most == 1;         /* else the mean lies between the two as the share does */
        const char *low = UNA_ROUNDED(least, 6), *high = UNA_ROUNDED(v->most, 6);
        una_case_find(c, UNA_FOUND_BINARY_TARGET, c->columns->target, "%s has only two values, %s and %s: its mean can "
                      "be read as the share of %s%s, but the bands are Gaussian and reach beyond both.", c->target, low,
                      high, high, plain ? "" : " once they are written as 0 and 1");
        return;
    }
    bool low = is_pile(v, v->at_least, c->rows), high = is_pile(v, v->at_most, c->rows);
    if (low) say_pile(c, least, v->at_least, true, run);
    if (high) say_pile(c, v->most, v->at_most, false, run);
    if (say_share(c, v, run)) return;
    if (v->whole && !low && least >= 0 && least <= SMALL_COUNT) {
        say_count(c, v, &b, run);
        return;
    }
    bool skewed = is_skewed(v), often = 20 * b.bounds > c->held->rows;  /* than values lie beside a band */
    if (least > 0 && (skewed || often)) say_positive(c, &b, skewed, run);
}

una_status una_find_target(una_case *c, una_run *run)
{
    values v;
    size_t inputs = c->columns->input_count;
    UNA_TRY(count_values(&v, c, run));
    if (!c->columns->log_target && !c->aside) check_target_values(c, &v, run);
    if (!c->images && c->rows <= inputs)
        una_case_find(c, UNA_FOUND_FEW_ROWS, NULL, "There are no more rows (%zu) than inputs (%zu), so that chance "
                      "alone can look like a rule: leave out columns that cannot matter, or find more rows.",
                      c->rows, inputs);
    else if (c->held->rows < LEAST_HELD_OUT)
        una_case_find(c, UNA_FOUND_FEW_ROWS, NULL, "%zu rows that were not seen are too few to judge a model by: "
                      "others may tell quite another story.", c->held->rows);
    return una_arena_check(&run->scratch);
}
