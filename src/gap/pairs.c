/* SPDX-License-Identifier: MIT
 *
 * Along which two columns at once holes are cut: those that matter most to the fits that know all regions.
 */
#include "gap/gap.h"

typedef struct couple { size_t a, b; double weight; } couple;  /* two columns; or one, and b 0 */

static int by_weight(const void *a, const void *b)
{
    const couple *x = a, *y = b;
    if (x->weight != y->weight) return x->weight > y->weight ? -1 : 1;
    if (x->a != y->a) return x->a < y->a ? -1 : 1;
    return (x->b > y->b) - (x->b < y->b);
}

/* How much an input has to do with the target, for models that do not say: the size of their correlation. */
static double input_correlation(const double *x, const double *y, size_t rows)
{
    double n = 0, mx = 0, my = 0, xx = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < rows; i++)
        if (!isnan(x[i])) n++, mx += x[i], my += y[i];
    mx /= n, my /= n;
    for (size_t i = 0; i < rows; i++) {
        if (isnan(x[i])) continue;
        xx += (x[i] - mx) * (x[i] - mx);
        xy += (x[i] - mx) * (y[i] - my);
        yy += (y[i] - my) * (y[i] - my);
    }
    return xx > 0 && yy > 0 ? fabs(xy) / sqrt(xx * yy) : 0;
}

/* list [*count], the heaviest first: numbers along which there is a hole, by their mean relevance in the fits that know
 * all regions. */
static void weigh_columns(couple *list, size_t *count, const una_gap_work *t)
{
    *count = 0;
    for (size_t i = 0; i < t->columns; i++) {
        size_t c = t->result->view[i].hole.column[0], fits = 0;
        double sum = 0;
        if (t->result->hole[i].why_not || t->table->column[c].is_text) continue;
        for (size_t k = 0; k < t->job_count; k++) {
            if (t->jobs[k].hole != SIZE_MAX || !t->jobs[k].relevance) continue;
            sum += t->jobs[k].relevance[c];
            fits++;
        }
        double weight = fits ? sum / (double)fits : input_correlation(t->table->column[c].number, t->y, t->table->rows);
        list[(*count)++] = (couple){ .a = c, .weight = weight };
    }
    qsort(list, *count, sizeof *list, by_weight);
}

/* A pair without a place for a box is passed over. The `most` heaviest pairs are among the most + 1 heaviest columns;
 * twice as many leave room for those that are passed over. Of equal pairs those of heavier columns come first. */
una_status una_gap_cut_pairs(una_gap_work *t, una_run *run)
{
    size_t columns, count = 0, most = t->asked.pairs > 0 ? (size_t)t->asked.pairs : 0;
    UNA_NEW(&run->scratch, couple, column, t->columns);
    weigh_columns(column, &columns, t);
    if (columns > 2 * (most + 1)) columns = 2 * (most + 1);
    UNA_NEW(&run->scratch, couple, list, columns * columns / 2 + 1);
    for (size_t a = 0; a < columns; a++)
        for (size_t b = a + 1; b < columns; b++) list[count++] = (couple){ a, b, column[a].weight * column[b].weight };
    qsort(list, count, sizeof *list, by_weight);

    for (size_t i = 0; i < count && t->pairs < most; i++) {
        size_t at = t->columns + t->pairs;
        UNA_TRY(una_gap_cut(t, at, column[list[i].a].a, column[list[i].b].a, run));
        if (!t->result->hole[at].why_not) t->pairs++;
    }
    return UNA_OK;
}
