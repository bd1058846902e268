/* SPDX-License-Identifier: MIT
 *
 * What the folds of a comparison say together. Of each model the mean over the J folds, and of each but the best the
 * mean of the differences to the best, fold by fold, so that what makes a fold easy or hard for all falls out.
 *
 * Folds share training rows, so their numbers are not independent and sd / sqrt(J) is too small. With the correction of
 * Nadeau and Bengio (Inference for the generalization error, Machine Learning 52, 2003)
 *
 *   error = sd sqrt(1 / J + tested / trained),   interval = mean +- t error,   t of Student with J - 1 degrees
 *
 * which Bouckaert and Frank (2004) advise for repeated folds, too. Where rows train for those that come after them, it
 * is taken over with the mean of tested / trained.
 */
#include "select/compare.h"

#include "base/option.h"
#include "draw/number.h"
#include "la/la.h"

enum { MOST_NAMED = 4, FAILED = 2 };
static const double sure = 0.95;

const una_compared_number *una_compared_number_of(const una_compared_model *model, size_t measure)
{
    const una_compared_number *const all[] = { &model->log_lik, &model->rmse, &model->crps, &model->coverage_95 };
    return all[measure];
}

static size_t chosen_by(const una_comparison *c)
{
    return (size_t)una_choice("log_lik|rmse|crps", c->asked.select);
}

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

typedef struct spread { double mean, error, low, high; } spread;

/* Of value [count], or of value - than. */
static spread spread_of(const double *value, const double *than, size_t count, double share)
{
    double mean = 0, square = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) mean += (value[i] - (than ? than[i] : 0)) / n;
    for (size_t i = 0; i < count; i++) {
        double off = value[i] - (than ? than[i] : 0) - mean;
        square += off * off;
    }
    if (isnan(mean)) return (spread){ NAN, NAN, NAN, NAN };
    if (count < 2) return (spread){ mean, NAN, -INFINITY, INFINITY };
    double error = sqrt(square / (n - 1) * (1 / n + share)), half = una_student_within(count - 1, sure) * error;
    return (spread){ mean, error, mean - half, mean + half };
}

typedef struct place { double worth; size_t model; } place;

static int by_worth(const void *a, const void *b)
{
    const place *x = a, *y = b;
    if (isnan(x->worth) != isnan(y->worth)) return isnan(x->worth) ? 1 : -1;
    if (!isnan(x->worth) && x->worth != y->worth) return x->worth > y->worth ? -1 : 1;
    return (x->model > y->model) - (x->model < y->model);
}

static void fill_model(una_compared_model *to, const una_comparison *c, const double *value, const double *best,
                       size_t folds)
{
    una_compared_number *const number[] = { &to->log_lik, &to->rmse, &to->crps, &to->coverage_95 };
    size_t by = chosen_by(c);
    for (size_t i = 0; i < UNA_COMPARED_COUNT; i++) {
        const double *of = value + i * folds;
        spread own = spread_of(of, NULL, folds, c->share);
        spread off = spread_of(of, best + i * folds, folds, c->share);
        if (value == best) off = (spread){ NAN, NAN, NAN, NAN };
        *number[i] = (una_compared_number){ own.mean, own.error, off.mean, off.low, off.high, of };
    }
    double sign = by == UNA_COMPARED_LOG_LIK ? -1 : 1;
    double least = sign > 0 ? number[by]->low : -number[by]->high;       /* by how much it is worse, at least */
    to->worse = value == best ? -1 : isnan(number[by]->mean) || least > 0;
    to->seconds = spread_of(value + UNA_COMPARED_COUNT * folds, NULL, folds, 0).mean;
}

/* ---- the sentence ----------------------------------------------------------------------------------------------- */

/* Number i of a list. */
static void add_name(una_text *text, const una_compared_model *model, size_t i, size_t count)
{
    bool mean = strcmp(model->spec, "mean") == 0;
    una_text_add(text, "%s%s", i ? una_list_separator(i, count) : "; ",
                 mean ? "the mean of the training rows" : model->spec);
}

/* Those that are worse, cannot be told from the best (0), or gave no number somewhere (FAILED). */
static size_t list_of(const una_compared_model **list, const una_compared *all, int worse, size_t by)
{
    size_t count = 0;
    for (size_t i = 1; i < all->count; i++) {
        bool failed = isnan(una_compared_number_of(&all->model[i], by)->mean);
        if ((failed ? FAILED : all->model[i].worse) == worse) list[count++] = &all->model[i];
    }
    return count;
}

/* "nlm (-0.03, interval -0.1 to 0.04)" of those that cannot be told from the best. */
static void add_near(una_text *text, const una_compared_model **near, size_t count, size_t by)
{
    static const char *const what[] = { "log-likelihood", "error (rmse)", "CRPS" };
    size_t named = count < MOST_NAMED ? count : MOST_NAMED;
    for (size_t i = 0; i < named; i++) {
        const una_compared_number *n = una_compared_number_of(near[i], by);
        add_name(text, near[i], i, count);
        if (count == 1) una_text_add(text, " cannot be told from it");
        una_text_add(text, " (%s%s%s%s", i == 0 ? "difference of " : "", i == 0 ? what[by] : "", i == 0 ? " " : "",
                     UNA_BRIEF(n->difference, 2));
        if (isfinite(n->low))
            una_text_add(text, ", 95 %% interval %s to %s", UNA_BRIEF(n->low, 2),
                         UNA_BRIEF(n->high, 2));
        una_text_add(text, ")");
    }
    if (count > named) una_text_add(text, " and %zu more", count - named);
    if (count > 1) una_text_add(text, " cannot be told from it");
}

static void add_others(una_text *text, const una_compared_model **worse, size_t count, const char *one,
                       const char *several)
{
    size_t named = count < MOST_NAMED ? count : MOST_NAMED;
    for (size_t i = 0; i < named; i++) add_name(text, worse[i], i, count);
    if (count > named) una_text_add(text, " and %zu more", count - named);
    if (count) una_text_add(text, "%s", count == 1 ? one : several);
}

static una_status add_sentence(una_comparison *c, size_t by)
{
    const una_compared *all = &c->compared;
    const una_compared_model *best = &all->model[0];
    una_text text = una_text_in(c->kept.keep);
    UNA_NEW(c->kept.keep, const una_compared_model *, list, all->count);
    if (isnan(una_compared_number_of(best, by)->mean)) {
        una_text_add(&text, "No model gave a number on every fold.");
    } else {
        if (strcmp(best->spec, "mean") != 0) una_text_add(&text, "%s is best", best->spec);
        else una_text_add(&text, "No model is better than the mean of the training rows");
        add_near(&text, list, list_of(list, all, 0, by), by);
        add_others(&text, list, list_of(list, all, 1, by), " is worse", " are worse");
        add_others(&text, list, list_of(list, all, FAILED, by), " failed on a fold", " failed on a fold each");
        una_text_add(&text, ".");
    }
    c->compared.sentence = text.at;
    return una_arena_check(c->kept.keep);
}

/* ---- all of it -------------------------------------------------------------------------------------------------- */

una_status una_compare_sum_up(una_comparison *c, const double *value)
{
    size_t folds = una_folds_count(&c->folds), each = (UNA_COMPARED_COUNT + 1) * folds, by = chosen_by(c);
    UNA_NEW(c->kept.keep, una_compared_model, model, c->count);
    UNA_NEW(c->kept.keep, place, order, c->count);
    for (size_t m = 0; m < c->count; m++) {
        double mean = spread_of(value + m * each + by * folds, NULL, folds, 0).mean;
        order[m] = (place){ by == UNA_COMPARED_LOG_LIK ? mean : -mean, m };
    }
    qsort(order, c->count, sizeof *order, by_worth);
    for (size_t i = 0; i < c->count; i++) {
        model[i].spec = c->spec[order[i].model];
        fill_model(&model[i], c, value + order[i].model * each, value + order[0].model * each, folds);
    }

    c->compared.count = c->count;
    c->compared.model = model;
    c->compared.target = una_arena_text(c->kept.keep, c->fit.target);
    c->compared.select = una_compared_measures[by];
    c->compared.rows = c->folds.rows;
    c->compared.folds = folds;
    c->compared.repeats = c->folds.repeats;
    c->compared.groups = c->folds.groups;
    UNA_TRY(una_arena_check(c->kept.keep));
    return add_sentence(c, by);
}
