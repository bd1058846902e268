/* SPDX-License-Identifier: MIT
 *
 * How often verdicts are right, on made-up tables whose truth is known: nothing to learn, something to learn, a column
 * that gives the target away, honest functions without noise, slips of the pen, a cell that drowns all others, targets
 * with piles, clean tables of many shapes.
 *   build/perf/verdicts [--model linear,gp,auto] [--seeds 20] [--first 1] [--only noise,leak]
 * Seeds from --first on; docs/methods/VERDICT.md has the counts of seeds by which nothing was chosen.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_ROWS = 1000, INPUTS = 5, COLUMNS = INPUTS + 1, MOST_SLIPS = 8 };

typedef struct table {
    size_t rows;
    double cell[COLUMNS][MOST_ROWS];             /* the target is the last                                  */
    size_t slip_row[MOST_SLIPS], slip_column, slips;
} table;

static const char *const names[COLUMNS] = { "x1", "x2", "x3", "x4", "x5", "y" };

/* ---- tables ----------------------------------------------------------------------------------------------------- */

static double gamma_of(una_rng *rng, int shape)          /* a sum of exponentials */
{
    double sum = 0;
    for (int i = 0; i < shape; i++) sum -= log(1 - una_rng_uniform(rng));
    return sum;
}

static double poisson(una_rng *rng, double mean)
{
    double limit = exp(-mean), product = 1, count = -1;
    do { product *= una_rng_uniform(rng); count++; } while (product > limit);
    return count;
}

static double student(una_rng *rng, int freedom)
{
    double sum = 0;
    for (int i = 0; i < freedom; i++) sum += pow(una_rng_normal(rng), 2);
    return una_rng_normal(rng) / sqrt(sum / freedom);
}

typedef enum shape { NORMAL, AWAY, LOGNORMAL, WIDE, T3, T5, POISSON2, POISSON20, CLUMPED, EXPONENTIAL, UNIFORM,
                     SHAPES } shape;
static const char *const shape_names[SHAPES] = {
    "normal", "normal 50 +- 10", "lognormal 0.5", "lognormal 1", "t3", "t5", "poisson 2", "poisson 20",
    "clumped counts", "exponential", "uniform"
};

static double draw(una_rng *rng, shape s)
{
    switch (s) {
    case NORMAL: return una_rng_normal(rng);
    case AWAY: return 50 + 10 * una_rng_normal(rng);
    case LOGNORMAL: return exp(1 + 0.5 * una_rng_normal(rng));
    case WIDE: return exp(una_rng_normal(rng));
    case T3: return student(rng, 3);
    case T5: return student(rng, 5);
    case POISSON2: return poisson(rng, 2);
    case POISSON20: return poisson(rng, 20);
    case CLUMPED: return poisson(rng, 2 * gamma_of(rng, 1));
    case EXPONENTIAL: return gamma_of(rng, 1);
    default: return una_rng_uniform(rng);
    }
}

static void inputs(table *t, size_t rows, una_rng *rng, shape s)
{
    t->rows = rows;
    t->slips = 0;
    for (size_t i = 0; i < rows; i++)
        for (size_t d = 0; d < INPUTS; d++) t->cell[d][i] = draw(rng, s);
}

static void scaled(double *f, size_t rows)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < rows; i++) mean += f[i] / (double)rows;
    for (size_t i = 0; i < rows; i++) square += (f[i] - mean) * (f[i] - mean) / (double)rows;
    for (size_t i = 0; i < rows; i++) f[i] = (f[i] - mean) / sqrt(square);
}

/* Of variance 1: `way` 0 is linear, 1 is not. */
static void signal(double *f, const table *t, int way)
{
    for (size_t i = 0; i < t->rows; i++) {
        double a = t->cell[0][i], b = t->cell[1][i], c = t->cell[2][i];
        f[i] = way ? sin(2 * a) + 0.5 * b * c + 0.5 * b : a + 0.7 * b - 0.5 * c;
    }
    scaled(f, t->rows);
}

static void target(table *t, una_rng *rng, int way, double share)
{
    double *y = t->cell[INPUTS];
    signal(y, t, way);
    for (size_t i = 0; i < t->rows; i++) y[i] = sqrt(share) * y[i] + sqrt(1 - share) * una_rng_normal(rng);
}

/* ---- one verdict ------------------------------------------------------------------------------------------------ */

typedef struct verdict_of { bool nothing, leak_named, leak_wrong, aside, piled, share; size_t found,
                            false_rows; double explained, rest; } verdict_of;

static bool planted(const table *t, size_t row, const char *column)
{
    for (size_t k = 0; k < t->slips; k++)
        if (t->slip_row[k] == row && strcmp(names[t->slip_column], column) == 0) return true;
    return false;
}

static void count_suspects(verdict_of *out, const table *t, const una_verdict *v)
{
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < v->suspect_count; i++) {
        const una_suspect *s = &v->suspects[i];
        bool slip = false;
        for (size_t k = 0; k < t->slips; k++) slip = slip || t->slip_row[k] == s->row;
        out->found += planted(t, s->row, s->column);
        if (!slip && s->row != last) out->false_rows++;
        last = s->row;
    }
}

static verdict_of judge(const table *t, const char *model_spec, uint64_t seed, const char *leak)
{
    verdict_of out = {0};
    una_run *run = NULL;
    una_dataset *data = NULL;
    una_model *model = NULL;
    una_verdict *v = NULL;
    una_run_settings how = { .size = sizeof how, .seed = seed };
    una_fit_settings settings = { .size = sizeof settings, .hold_out = 1 };
    const double *columns[COLUMNS];
    for (size_t c = 0; c < COLUMNS; c++) columns[c] = t->cell[c];
    una_status status = una_run_new(&run, &how);
    if (status == UNA_OK) status = una_dataset_from_columns(&data, names, columns, NULL, COLUMNS, t->rows, run);
    if (status == UNA_OK) status = una_fit(&model, model_spec, data, &settings, run);
    if (status == UNA_OK) status = una_judge(&v, model, data, run);
    if (status != UNA_OK) {
        fprintf(stderr, "%s\n", una_run_message(run));
        exit(1);
    }
    for (size_t i = 0; i < v->finding_count; i++) {
        const una_finding *f = &v->findings[i];
        out.nothing = out.nothing || f->kind == UNA_FOUND_NOTHING_LEARNT;
        out.piled = out.piled || f->kind == UNA_FOUND_PILED_TARGET;
        out.share = out.share || f->kind == UNA_FOUND_SHARE_TARGET;
        if (f->kind != UNA_FOUND_TOO_GOOD) continue;
        bool right = leak && strcmp(f->column, leak) == 0;
        out.leak_named = out.leak_named || right;
        out.leak_wrong = out.leak_wrong || !right;
    }
    out.explained = v->explained;
    out.aside = v->rows_aside > 0;
    out.rest = fmax(v->explained_aside, v->linear_aside);
    count_suspects(&out, t, v);
    una_verdict_free(v);
    una_model_free(model);
    una_dataset_free(data);
    una_run_free(run);
    return out;
}

/* ---- what is counted -------------------------------------------------------------------------------------------- */

typedef struct ask { const char *model; size_t seeds; uint64_t first; const char *only; } ask;

static bool wanted(const ask *a, const char *name)
{
    return !a->only || strstr(a->only, name);
}

static void line(const ask *a, const char *name, const char *what, size_t good, size_t all)
{
    printf("%-7s %-46s %-34s %4zu of %zu\n", a->model, name, what, good, all);
    fflush(stdout);
}

static void count_noise(const ask *a, table *t)
{
    for (size_t rows = 200; rows <= 400; rows += 200) {
        size_t sentence = 0;
        char name[64];
        for (size_t s = 0; s < a->seeds; s++) {
            una_rng rng = una_rng_at(a->first + s, UNA_FOR_TEST, 1000 + rows);
            inputs(t, rows, &rng, NORMAL);
            for (size_t i = 0; i < rows; i++) t->cell[INPUTS][i] = una_rng_normal(&rng);
            sentence += judge(t, a->model, a->first + s, NULL).nothing;
        }
        snprintf(name, sizeof name, "pure noise, %zu rows", rows);
        line(a, name, "nothing learnt (19 of 20 wanted)", sentence, a->seeds);
    }
}

static void count_signal(const ask *a, table *t)
{
    for (int way = 0; way < 2; way++) {
        size_t sentence = 0;
        for (size_t s = 0; s < a->seeds; s++) {
            una_rng rng = una_rng_at(a->first + s, UNA_FOR_TEST, 2000 + (uint64_t)way);
            inputs(t, 200, &rng, NORMAL);
            target(t, &rng, way, 0.3);
            sentence += judge(t, a->model, a->first + s, NULL).nothing;
        }
        line(a, way ? "R^2 = 0.3, curved, 200 rows" : "R^2 = 0.3, linear, 200 rows", "nothing learnt (1 of 20 allowed)",
             sentence, a->seeds);
    }
}

static void count_leaks(const ask *a, table *t)
{
    static const char *const ways[] = { "a copy", "a copy with 1 % noise", "other units", "exponential", "cube root" };
    for (size_t way = 0; way < 5; way++) {
        size_t named = 0, wrong = 0;
        char name[64];
        for (size_t s = 0; s < a->seeds; s++) {
            una_rng rng = una_rng_at(a->first + s, UNA_FOR_TEST, 3000 + way);
            inputs(t, s % 2 ? 400 : 200, &rng, NORMAL);
            target(t, &rng, s % 2, 0.5);
            for (size_t i = 0; i < t->rows; i++) {
                double y = t->cell[INPUTS][i] = 20 + 5 * t->cell[INPUTS][i], noise = una_rng_normal(&rng);
                t->cell[3][i] = way == 0 ? y : way == 1 ? y + 0.05 * noise : way == 2 ? 2.54 * y - 7 :
                                way == 3 ? exp(y / 10) : cbrt(y - 20);
            }
            verdict_of sentence = judge(t, a->model, a->first + s, "x4");
            named += sentence.leak_named;
            wrong += sentence.leak_wrong;
        }
        snprintf(name, sizeof name, "leak: %s", ways[way]);
        line(a, name, "named (all wanted)", named, a->seeds);
        if (wrong) line(a, name, "another column named", wrong, a->seeds);
    }
}

static void count_honest(const ask *a, table *t)
{
    size_t named = 0, all = 0;
    for (size_t way = 0; way < 4; way++)
        for (size_t s = 0; s < a->seeds; s++, all++) {
            una_rng rng = una_rng_at(a->first + s, UNA_FOR_TEST, 4000 + way);
            inputs(t, 200, &rng, s % 2 ? NORMAL : UNIFORM);
            for (size_t i = 0; i < t->rows; i++) {
                double p = t->cell[0][i], q = t->cell[1][i], r = t->cell[2][i];
                t->cell[INPUTS][i] = way == 0 ? p + q + r : way == 1 ? p * q + r : way == 2 ? 5 * p + q :
                                     exp(0.3 * p) + sin(q);
            }
            named += judge(t, a->model, a->first + s, NULL).leak_wrong;
        }
    line(a, "functions of several inputs, without noise", "a column named (none wanted)", named, all);
}

static const char *const slip_names[] = { "100 times too large", "100 times too small", "the wrong sign", "999",
                                          "-999" };

static void plant(table *t, una_rng *rng, size_t slips, size_t column, size_t way)
{
    t->slips = slips;
    t->slip_column = column;
    for (size_t k = 0; k < slips; k++) {
        size_t row = una_rng_below(rng, t->rows);
        bool again = false;
        for (size_t j = 0; j < k; j++) again = again || t->slip_row[j] == row;
        if (again) { k--; continue; }
        double *cell = &t->cell[column][row];
        t->slip_row[k] = row;
        *cell = way == 0 ? 100 * *cell : way == 1 ? *cell / 100 : way == 2 ? -*cell : way == 3 ? 999 : -999;
    }
}

static void count_slips(const ask *a, table *t)
{
    static const struct { size_t slips, rows; } of[] = { { 3, 400 }, { 4, 300 }, { 8, 400 } };
    for (size_t way = 0; way < 5; way++)
        for (size_t side = 0; side < 2; side++)
            for (size_t k = 0; k < 3; k++) {
                size_t whole = 0, cells = 0, false_rows = 0;
                char name[80];
                for (size_t s = 0; s < a->seeds; s++) {
                    una_rng rng = una_rng_at(a->first + s, UNA_FOR_TEST, 5000 + 100 * way + 10 * side + k);
                    inputs(t, of[k].rows, &rng, AWAY);
                    target(t, &rng, s % 2, 0.7);
                    for (size_t i = 0; i < t->rows; i++) t->cell[INPUTS][i] = 40 + 8 * t->cell[INPUTS][i];
                    plant(t, &rng, of[k].slips, side ? 2 : INPUTS, way);
                    verdict_of sentence = judge(t, a->model, a->first + s, NULL);
                    whole += sentence.found == t->slips;
                    cells += sentence.found;
                    false_rows += sentence.false_rows;
                }
                snprintf(name, sizeof name, "%zu of %zu %s: %s", of[k].slips, of[k].rows, side ? "inputs" : "targets",
                         slip_names[way]);
                line(a, name, "all found (all wanted)", whole, a->seeds);
                if (cells < of[k].slips * a->seeds) line(a, name, "cells found", cells, of[k].slips * a->seeds);
                if (false_rows) line(a, name, "false alarms, rows", false_rows, of[k].rows * a->seeds);
            }
}

/* One cell drowns the others; without it the inputs explain .7. */
static void count_bad(const ask *a, table *t)
{
    static const double times[] = { 10, 100, 1000 };
    for (size_t way = 0; way < 6; way++) {
        size_t nothing = 0, right = 0, column = way < 3 ? INPUTS : 0;
        char name[64];
        for (size_t s = 0; s < a->seeds; s++) {
            una_rng rng = una_rng_at(a->first + s, UNA_FOR_TEST, 7000 + way);
            inputs(t, 300, &rng, AWAY);
            target(t, &rng, 0, 0.7);
            for (size_t i = 0; i < t->rows; i++) t->cell[INPUTS][i] = 40 + 8 * t->cell[INPUTS][i];
            t->cell[column][una_rng_below(&rng, t->rows)] *= times[way % 3];
            verdict_of v = judge(t, a->model, a->first + s, NULL);
            nothing += v.nothing;
            right += fmax(v.explained, v.aside ? v.rest : 0) > 0.6;
        }
        snprintf(name, sizeof name, "one of 300 %s times %g", column ? "targets" : "inputs", times[way % 3]);
        line(a, name, "nothing learnt (none wanted)", nothing, a->seeds);
        line(a, name, "the rest explained (all wanted)", right, a->seeds);
    }
}

/* Half of the rows at 0, a tenth at a cap, or shares. */
static void count_ends(const ask *a, table *t)
{
    static const char *const ways[] = { "half zeros", "a tenth at a cap", "shares" };
    for (size_t way = 0; way < 3; way++) {
        size_t named = 0;
        for (size_t s = 0; s < a->seeds; s++) {
            una_rng rng = una_rng_at(a->first + s, UNA_FOR_TEST, 8000 + way);
            inputs(t, 300, &rng, NORMAL);
            target(t, &rng, (int)(s % 2), 0.6);
            for (size_t i = 0; i < t->rows; i++) {
                double *y = &t->cell[INPUTS][i];
                *y = way == 0 ? fmax(0, *y) : way == 1 ? fmin(1.28, *y) : 1 / (1 + exp(-2 * *y));
            }
            verdict_of v = judge(t, a->model, a->first + s, NULL);
            named += way == 2 ? v.share : v.piled;
        }
        line(a, ways[way], "named (all wanted)", named, a->seeds);
    }
}

static void count_clean(const ask *a, table *t)
{
    size_t all_false = 0, all_rows = 0, aside = 0, piled = 0;
    for (shape x = 0; x < SHAPES; x++) {
        size_t false_rows = 0, rows = 0;
        char name[64];
        for (size_t s = 0; s < a->seeds; s++) {
            una_rng rng = una_rng_at(a->first + s, UNA_FOR_TEST, 6000 + (uint64_t)x);
            inputs(t, s % 2 ? 400 : 200, &rng, x);
            if (s % 4 < 2) target(t, &rng, (int)(s % 2), 0.6);
            for (size_t i = 0; s % 4 >= 2 && i < t->rows; i++) t->cell[INPUTS][i] = draw(&rng, x);
            verdict_of v = judge(t, a->model, a->first + s, NULL);
            false_rows += v.false_rows;
            aside += v.aside;
            piled += v.piled;
            rows += t->rows;
        }
        snprintf(name, sizeof name, "clean, %s", shape_names[x]);
        line(a, name, "false alarms (1 of 1000 allowed)", false_rows, rows);
        all_false += false_rows;
        all_rows += rows;
    }
    line(a, "clean, all of them", "false alarms (1 of 1000 allowed)", all_false, all_rows);
    line(a, "clean, all of them", "rows set aside (none wanted)", aside, SHAPES * a->seeds);
    line(a, "clean, all of them", "piles (none wanted)", piled, SHAPES * a->seeds);
}

int main(int count, char **word)
{
    static table t;
    const char *models = "linear,gp", *model;
    ask a = { .seeds = 20, .first = 1 };
    setvbuf(stdout, NULL, _IOLBF, 0);            /* counts that are made stay, however it ends */
    for (int i = 1; i + 1 < count; i += 2) {
        if (strcmp(word[i], "--model") == 0) models = word[i + 1];
        else if (strcmp(word[i], "--seeds") == 0) a.seeds = strtoul(word[i + 1], NULL, 10);
        else if (strcmp(word[i], "--first") == 0) a.first = strtoul(word[i + 1], NULL, 10);
        else if (strcmp(word[i], "--only") == 0) a.only = word[i + 1];
    }
    char *list = strdup(models), *rest = list;
    while ((model = strtok_r(rest, ",", &rest))) {
        a.model = model;
        if (wanted(&a, "noise")) count_noise(&a, &t);
        if (wanted(&a, "signal")) count_signal(&a, &t);
        if (wanted(&a, "leak")) count_leaks(&a, &t);
        if (wanted(&a, "honest")) count_honest(&a, &t);
        if (wanted(&a, "slips")) count_slips(&a, &t);
        if (wanted(&a, "bad")) count_bad(&a, &t);
        if (wanted(&a, "ends")) count_ends(&a, &t);
        if (wanted(&a, "clean")) count_clean(&a, &t);
    }
    free(list);
    return 0;
}
