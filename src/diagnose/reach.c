/* SPDX-License-Identifier: MIT
 *
 * How far from the answer 19 of 20 new values should lie: the .95 quantile of the absolute out-of-fold errors, as in
 * conformal prediction. Of n errors it is the ceil(.95 (n + 1))-th, or the largest where n is below 19: a new error,
 * which could have been any of the n + 1, is at most that with probability .95 or more. Rows with equal inputs are one
 * unit: each of k such rows has the weight 1/k, and n counts the units.
 */
#include "diagnose/answer.h"

enum { MOST_SORTED = 5000 };
static const double held = 0.95;

typedef struct miss { double size, weight; } miss;

static int by_size(const void *a, const void *b)
{
    const miss *x = a, *y = b;
    return (x->size > y->size) - (x->size < y->size);
}

/* Of the units, which `count` errors stand for. */
static double weighed_quantile(miss *list, size_t count, double units)
{
    double all = 0, sum = 0;
    if (count == 0) return NAN;
    qsort(list, count, sizeof *list, by_size);
    for (size_t i = 0; i < count; i++) all += list[i].weight;
    double wanted = all * fmin(1, held * (units + 1) / units) * (1 - 1e-12);     /* so that rounding adds no row */
    for (size_t i = 0; i < count; i++)
        if ((sum += list[i].weight) >= wanted) return list[i].size;
    return list[count - 1].size;
}

/* Of log y where that was learnt: the median answered lies in the middle of the band. */
static double miss_of_log(const una_held_out *h, size_t i)
{
    return fabs(log(h->y[i]) - (log(h->lower[i]) + log(h->upper[i])) / 2);
}

una_status una_case_reach(una_reach *reach, const una_case *c, const bool *aside, una_run *run)
{
    const una_held_out *h = c->held;
    bool logs = c->columns->log_target;
    size_t count = 0, step = (h->rows + MOST_SORTED - 1) / MOST_SORTED;
    double units = 0;
    UNA_NEW_ROWS(&run->scratch, double, size, c->teams);
    UNA_NEW(&run->scratch, miss, list, h->rows / step + 1);
    for (size_t i = 0; i < h->rows; i++)
        if (!aside || !aside[c->at[i]]) units += ++size[c->team[i]] == 1;
    for (int way = 0; way <= logs; way++) {
        count = 0;
        for (size_t i = 0; i < h->rows; i += step)
            if (!aside || !aside[c->at[i]])
                list[count++] = (miss){ way ? miss_of_log(h, i) : fabs(h->y[i] - h->mean[i]), 1 / size[c->team[i]] };
        double quantile = weighed_quantile(list, count, units);
        if (way) reach->factor = exp(quantile);
        else *reach = (una_reach){ .error = quantile };
    }
    return UNA_OK;
}
