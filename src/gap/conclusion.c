/* SPDX-License-Identifier: MIT
 *
 * From the numbers of a hole to its kind and its sentence. See conclusion.h, and docs/use/GAP.md for what the sentences
 * mean.
 */
#include "gap/conclusion.h"

#include "draw/figure.h"
#include "draw/number.h"
#include "score/score.h"

/* 1.1: repeated trainings on the same rows move the ignorance of a row by five to ten percent. */
const double UNA_GAP_CLEARLY = 1.1;
/* Noticed: most rows of the hole. Not noticed: below half. In between another seed could decide otherwise. */
static const double NOTICED = 0.6, NOT_NOTICED = 0.5;
/* An error that is not a quarter larger is nothing that a person would act on, and where a column has nothing to do
 * with the target chance makes it up to a fifth larger in 100 rows; and it must be larger by its interval, too. */
static const double MATTERS = 1.25;
/* 95 % bands that hold so few rows are too narrow, chance or not. */
static const double HOLDS = 0.8;

/* ---- numbers ------------------------------------------------------------------------------------------------- */

static double gap_mean(const double *value, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += value[i];
    return sum / (double)count;
}

static double mean_square(const double *value, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += value[i] * value[i];
    return sum / (double)count;
}

static double error_size(double error, const una_gap_pairs *p)
{
    return fabs(error) < p->least ? p->least : fabs(error);
}

/* Mean absolute errors, which a few rows that any model gets wrong do not decide; row by row, so that the noise of a
 * row, which both models have met, falls out. */
static void measure_error(una_gap_hole *hole, const una_gap_pairs *p)
{
    const double z95 = 1.959964;
    double n = (double)p->rows, with = 0, known = 0, square = 0, worse = 0;
    for (size_t i = 0; i < p->rows; i++) {
        with += error_size(p->error[i], p) / n;
        known += error_size(p->error_known[i], p) / n;
        worse += error_size(p->error[i], p) > error_size(p->error_known[i], p);
    }
    for (size_t i = 0; i < p->rows; i++) {
        double d = error_size(p->error[i], p) - error_size(p->error_known[i], p) - (with - known);
        square += d * d;
    }
    double sure = p->rows > 1 ? z95 * sqrt(square / (n - 1) / n) : INFINITY;
    hole->worse = worse / n;
    hole->rmse_inside = sqrt(mean_square(p->error, p->rows));
    hole->rmse_known = sqrt(mean_square(p->error_known, p->rows));
    hole->error = with / known;
    hole->error_low = fmax(with - sure, 0) / known;
    hole->error_high = (with + sure) / known;
}

una_status una_gap_measure(una_gap_hole *hole, const una_gap_pairs *p, una_run *run)
{
    UNA_NEW(&run->scratch, double, outside, p->others);
    UNA_NEW(&run->scratch, double, inside, p->rows);
    for (size_t i = 0; i < p->others; i++) outside[i] = p->with_outside[i] / p->known_outside[i];
    for (size_t i = 0; i < p->rows; i++) inside[i] = p->with[i] / p->known[i];
    double usual = fmax(una_quantile(outside, p->others, 0.5), 1);
    size_t wider = 0;
    for (size_t i = 0; i < p->rows; i++) wider += inside[i] > UNA_GAP_CLEARLY * usual;
    hole->wider = hole->wider_low = hole->wider_high = (double)wider / (double)p->rows;
    hole->spread = una_quantile(inside, p->rows, 0.5);
    hole->auroc = una_auroc(p->with, p->rows, p->with_outside, p->others);
    hole->increase = 100 * (gap_mean(p->with, p->rows) / gap_mean(p->with_outside, p->others) - 1);
    measure_error(hole, p);
    return UNA_OK;
}

/* ---- verdicts ------------------------------------------------------------------------------------------------ */

static int gap_is_noticed(const una_gap_hole *hole)
{
    if (hole->wider >= NOTICED) return 1;
    return hole->wider < NOT_NOTICED ? 0 : -1;
}

static int gap_error_differs(const una_gap_hole *hole)
{
    if (!isfinite(hole->error)) return -1;
    if (hole->error < MATTERS) return 0;
    return hole->error_low > 1 ? 1 : -1;
}

void una_gap_classify(una_gap_hole *hole)
{
    hole->noticed = hole->matters = -1;
    hole->kind = hole->why_not ? UNA_GAP_NO_HOLE : UNA_GAP_UNCLEAR;
    if (hole->why_not) return;
    hole->noticed = gap_is_noticed(hole);
    hole->matters = gap_error_differs(hole);
    if (hole->matters < 0) return;
    if (!hole->matters) hole->kind = hole->noticed == 1 ? UNA_GAP_TOO_CAREFUL : UNA_GAP_HARMLESS;
    else if (hole->noticed < 0) return;
    else if (!hole->noticed) hole->kind = UNA_GAP_UNNOTICED;
    else hole->kind = hole->coverage_inside < HOLDS ? UNA_GAP_TOO_LITTLE : UNA_GAP_RIGHTLY;
}

const char *una_gap_word(una_gap_kind kind)
{
    static const char *const words[] = {
        [UNA_GAP_NO_HOLE] = "no_hole", [UNA_GAP_RIGHTLY] = "rightly", [UNA_GAP_TOO_LITTLE] = "too_little",
        [UNA_GAP_TOO_CAREFUL] = "too_careful", [UNA_GAP_UNNOTICED] = "unnoticed", [UNA_GAP_HARMLESS] = "harmless",
        [UNA_GAP_UNCLEAR] = "unclear"
    };
    return (size_t)kind < sizeof words / sizeof *words ? words[kind] : NULL;
}

/* ---- sentences ----------------------------------------------------------------------------------------------- */

/* Shares as people count: never 0 or 100 where a row is otherwise. */
static int of_hundred(double share)
{
    int count = (int)floor(100 * share + 0.5);
    if (count == 0 && share > 0) return 1;
    return count == 100 && share < 1 ? 99 : count;
}

typedef struct clauses { const char *error, *wider, *coverage; } clauses;

/* Below a tenth it is chance. */
static const char *error_clause(double error, una_arena *arena)
{
    if (!isfinite(error)) return "the error cannot be compared";
    if (error >= 1.95 && error < 2.05) return "the error is twice as large";
    if (error >= MATTERS) return una_phrase(arena, "the error is %s times as large", UNA_BRIEF(error, 2));
    if (error < 1.1) return "the error is no larger than with rows there";
    return una_phrase(arena, "the error is only %d %% larger", (int)floor(100 * (error - 1) + 0.5));
}

static clauses clauses_of(const una_gap_hole *hole, una_arena *arena)
{
    const char *repeats = "";
    if (hole->wider_low < hole->wider_high)
        repeats = una_phrase(arena, ", %d to %d in the repeats", of_hundred(hole->wider_low), of_hundred(hole->wider_high));
    return (clauses){
        .error = error_clause(hole->error, arena),
        .wider = hole->wider == 0 ? una_phrase(arena, "no row there gets a wider band%s", repeats)
            : una_phrase(arena, "%s%d of 100 rows there get wider bands%s", hole->wider < NOT_NOTICED ? "only " : "",
                         of_hundred(hole->wider), repeats),
        .coverage = una_phrase(arena, "%d of 100 rows lie inside their 95 %% band", of_hundred(hole->coverage_inside))
    };
}

static void put_unclear(una_text *text, const una_gap_hole *hole, const clauses *c)
{
    const char *open = "it matters";
    if (hole->noticed < 0) open = "it would be noticed";
    if (hole->noticed < 0 && hole->matters < 0) open = "it would be noticed, nor whether it matters";
    una_text_add(text, ": it cannot be told whether %s: %s, %s", open, c->wider, c->error);
    if (hole->matters < 0 && isfinite(hole->error_low) && isfinite(hole->error_high))
        una_text_add(text, " (%s to %s times: too few rows to be sure)", UNA_BRIEF(hole->error_low, 2),
                     UNA_BRIEF(hole->error_high, 2));
}

void una_gap_sentence(una_text *text, const una_gap_hole *hole)
{
    static const char *const remarks[] = { [UNA_GAP_RIGHTLY] = "and rightly: ",
        [UNA_GAP_TOO_LITTLE] = "but not enough: ", [UNA_GAP_TOO_CAREFUL] = "although it hardly matters: " };
    if (hole->why_not) {
        una_text_add(text, "No hole was cut in %s: %s.", hole->name, hole->why_not);
        return;
    }
    const clauses c = clauses_of(hole, text->arena);
    una_text_add(text, "A hole in %s (%s)", hole->name, hole->where);
    if (hole->kind == UNA_GAP_UNCLEAR) put_unclear(text, hole, &c);
    else if (hole->kind == UNA_GAP_UNNOTICED)
        una_text_add(text, " would go UNNOTICED, and it matters: %s, and %s; %s%s", c.error, c.wider, c.coverage,
                     hole->coverage_inside >= HOLDS ? ", for they are wide anyhow" : "");
    else if (hole->kind == UNA_GAP_HARMLESS)
        una_text_add(text, " would %s be noticed, and need not be: %s (%s)", hole->noticed < 0 ? "hardly" : "not",
                     c.error, c.wider);
    else
        una_text_add(text, " would be noticed: %s (ignorance %s times as large); %s%s", c.wider,
                     UNA_BRIEF(hole->spread, 2), remarks[hole->kind], c.error);
    if (hole->kind == UNA_GAP_TOO_LITTLE) una_text_add(text, ", and only %s", c.coverage);
    una_text_add(text, ".");
}

/* ---- the answer ---------------------------------------------------------------------------------------------- */

static const struct { una_gap_kind kind; const char *one, *many; bool names; } groups[] = {
    { UNA_GAP_TOO_LITTLE, "in one the bands stay too narrow", "of them have bands that stay too narrow", true },
    { UNA_GAP_UNNOTICED, "one hole would go unnoticed and it matters", "holes would go unnoticed and matter", true },
    { UNA_GAP_HARMLESS, "one would go unnoticed and does no harm", "would go unnoticed and do no harm", false },
    { UNA_GAP_UNCLEAR, "of one it cannot be told", "cannot be told", true },
    { UNA_GAP_NO_HOLE, "in one no hole could be cut", "have no place for a hole", true }
};

static void put_group(una_text *text, const una_gap_hole *hole, size_t count, size_t group)
{
    size_t found = 0, listed = 0;
    for (size_t i = 0; i < count; i++) found += hole[i].kind == groups[group].kind;
    if (found == 0) return;
    if (found == 1) una_text_add(text, "; %s", groups[group].one);
    else una_text_add(text, "; %zu %s", found, groups[group].many);
    for (size_t i = 0; groups[group].names && i < count; i++)
        if (hole[i].kind == groups[group].kind) una_text_add(text, "%s%s", listed++ ? ", " : ": ", hole[i].name);
}

static void put_group_answer(una_text *text, const una_gap_hole *hole, size_t count, const char *what,
                             const char *whats)
{
    size_t noticed = 0;
    for (size_t i = 0; i < count; i++) noticed += hole[i].noticed == 1;
    if (count == 1) una_text_add(text, "A hole in the one %s would %sbe noticed", what, noticed ? "" : "not ");
    else if (noticed == 0) una_text_add(text, "Of %zu %s, a hole in none would be noticed", count, whats);
    else if (noticed == count) una_text_add(text, "Of %zu %s, a hole in each would be noticed", count, whats);
    else una_text_add(text, "Of %zu %s, a hole in %zu would be noticed", count, whats, noticed);
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) put_group(text, hole, count, g);
    una_text_add(text, ".");
}

void una_gap_answer(una_text *text, const una_gap_hole *hole, size_t columns, size_t pairs)
{
    put_group_answer(text, hole, columns, "column", "columns");
    if (pairs == 0) return;
    una_text_add(text, " ");
    put_group_answer(text, hole + columns, pairs, "pair of columns", "pairs of columns");
}
