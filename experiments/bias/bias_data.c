/* SPDX-License-Identifier: MIT
 *
 * Which rows train, which are like them, and which were left out.
 *   sex   colour crops with known sex; 26,375 of the 37,293 men train, 10,918 are asked, and so are all 10,918 women
 *   age   0 < age < 100; three quarters of those below 30 and above 40 train, the rest of them are asked, and so are
 *         all from 30 to 40
 * The thesis does not say which men went where: they are drawn by the seed. Its labels (year of the photo less year of
 * birth) have slips in the sex study, from -40 to 1995, since it filters no age there: they are cut to 0 and 100 here.
 */
#include "bias/bias.h"

#include "data/table.h"
#include "score/score.h"

enum { TRAINED_MEN = 26375, MEN = 37293, QUICK_TRAIN = 3000, QUICK_ASKED = 800, SAMPLES = 1000 };

const una_bias_thesis una_bias_published[2] = {
    { "sex", { 9.52, 10.22, 11.78 }, 14, 168, { 26375, 10918, 10918 } },
    { "age", { NAN, NAN, NAN }, 2.02, 27, { 28271, 9424, 10376 } },
};

/* ---- rows ------------------------------------------------------------------------------------------------------- */

typedef struct lists { size_t *like, *out, like_count, out_count; } lists;    /* to train and test; left out */

static una_status bias_list_faces(lists *l, const una_dataset *faces, bool by_sex, una_run *run)
{
    size_t sex, age, rows = una_dataset_row_count(faces);
    UNA_TRY(una_dataset_find(&sex, faces, "sex", run));
    UNA_TRY(una_dataset_find(&age, faces, "age_thesis", run));
    const double *s = una_dataset_numbers(faces, sex), *a = una_dataset_numbers(faces, age);
    *l = (lists){ .like = UNA_GET(&run->scratch, size_t, rows), .out = UNA_GET(&run->scratch, size_t, rows) };
    UNA_TRY(una_arena_check(&run->scratch));
    if (!s || !a) UNA_FAIL(run, UNA_E_INPUT, "%s: sex and age_thesis must be numbers", una_dataset_origin(faces));
    for (size_t i = 0; i < rows; i++) {
        bool like = by_sex ? s[i] == 1 : a[i] > 0 && a[i] < 100 && !(a[i] >= 30 && a[i] <= 40);
        bool out = by_sex ? s[i] == 0 : a[i] >= 30 && a[i] <= 40;
        if (like) l->like[l->like_count++] = i;
        if (out) l->out[l->out_count++] = i;
    }
    return UNA_OK;
}

static void shuffle(size_t *list, size_t count, una_rng *rng)
{
    for (size_t i = count; i > 1; i--) {
        size_t k = una_rng_below(rng, i), kept = list[i - 1];
        list[i - 1] = list[k];
        list[k] = kept;
    }
}

/* Rows of a list, their labels within 0 and 100. */
static una_status bias_take_faces(una_dataset **rows, const una_dataset *faces, const size_t *list, size_t count,
                                  una_run *run)
{
    size_t age;
    UNA_TRY(una_held_part(rows, faces, list, count, run));
    UNA_TRY(una_dataset_find(&age, *rows, "age_thesis", run));
    double *label = (*rows)->column[age].number;         /* may be written: the table was made here */
    for (size_t i = 0; i < count; i++) label[i] = fmin(fmax(label[i], 0), 100);
    return UNA_OK;
}

static size_t smaller_size(size_t a, size_t b) { return a < b ? a : b; }

una_status una_bias_rows_make(una_bias_rows *rows, const una_dataset *faces, const char *data, uint64_t seed,
                              bool quick, una_run *run)
{
    bool by_sex = strcmp(data, "sex") == 0;
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, by_sex ? 21 : 22);
    lists l;
    UNA_TRY(bias_list_faces(&l, faces, by_sex, run));
    shuffle(l.like, l.like_count, &rng);
    shuffle(l.out, l.out_count, &rng);

    size_t train = by_sex ? smaller_size(TRAINED_MEN, l.like_count * TRAINED_MEN / MEN) : l.like_count * 3 / 4;
    size_t in = l.like_count - train, out = l.out_count;
    const size_t *others = l.like + train;
    if (quick) {
        train = smaller_size(train, QUICK_TRAIN);
        in = smaller_size(in, QUICK_ASKED);
        out = smaller_size(out, QUICK_ASKED);
    }
    if (train < 100 || in < 10 || out < 10)
        UNA_FAIL(run, UNA_E_INPUT, "%s has too few rows for the study '%s': %zu to train, %zu like them and %zu left "
                 "out", una_dataset_origin(faces), data, train, in, out);
    UNA_TRY(bias_take_faces(&rows->group[UNA_BIAS_TRAIN], faces, l.like, train, run));
    UNA_TRY(bias_take_faces(&rows->group[UNA_BIAS_IN], faces, others, in, run));
    return bias_take_faces(&rows->group[UNA_BIAS_OUT], faces, l.out, out, run);
}

/* ---- the concept "was left out" ------------------------------------------------------------------------------ */

/* Axes that follow it are found on half of the rows and scored on the other half: on rows from which axes were found, a
 * concept always has a larger share than elsewhere. */

/* Rows first, first + 2 ... of `in`, then those of `out`; *split: where the latter begin. */
static una_status every_second(una_dataset **rows, size_t *split, const una_dataset *in, const una_dataset *out,
                               size_t first, una_run *run)
{
    const una_dataset *group[] = { in, out };
    una_dataset *half[2];
    UNA_NEW(&run->scratch, size_t, index, una_dataset_row_count(in) + una_dataset_row_count(out));
    for (size_t g = 0; g < 2; g++) {
        size_t count = 0;
        for (size_t i = first; i < una_dataset_row_count(group[g]); i += 2) index[count++] = i;
        if (g == 0) *split = count;
        UNA_TRY(una_held_part(&half[g], group[g], index, count, run));
    }
    UNA_TRY(una_dataset_join(rows, half[0], half[1], run));
    return una_keep_dataset(&run->scratch, *rows);
}

static una_status concept_measure(double *value, const una_explanation *e, size_t split, una_run *run)
{
    double own[2] = { 0, 0 }, all[2] = { 0, 0 };
    UNA_NEW(&run->scratch, double, part, e->rows);
    for (size_t r = 0; r < e->rows; r++) {
        part[r] = e->part[r * e->parts];
        own[r >= split] += part[r];
        all[r >= split] += e->std_epistemic[r] * e->std_epistemic[r];
    }
    value[UNA_BIAS_CONCEPT_IN] = own[0] / all[0];
    value[UNA_BIAS_CONCEPT_OUT] = own[1] / all[1];
    value[UNA_BIAS_CONCEPT_AUROC] = una_auroc(part + split, e->rows - split, part, split);
    una_bias_interval interval;
    UNA_TRY(una_bias_bootstrap(&interval, part, split, part + split, e->rows - split, run));
    value[UNA_BIAS_CONCEPT_LOW] = interval.auroc_low;
    value[UNA_BIAS_CONCEPT_HIGH] = interval.auroc_high;
    return UNA_OK;
}

static una_status concept_evaluate(double *value, const una_model *model, una_dataset *half[2],
                                   const size_t split[2], una_run *run)
{
    size_t shown = una_dataset_row_count(half[0]);
    UNA_NEW(&run->scratch, size_t, left_out, shown);
    for (size_t i = split[0]; i < shown; i++) left_out[i - split[0]] = i;
    const una_concept named = { .size = sizeof named, .name = "left out", .rows = left_out,
                                .row_count = shown - split[0] };
    const una_explain_settings settings = { .size = sizeof settings, .concepts = &named, .concept_count = 1,
                                            .shown = half[0] };
    una_explanation *e = NULL;
    UNA_TRY(una_explain(&e, model, half[1], &settings, run));
    una_status status = concept_measure(value, e, split[1], run);
    una_explanation_free(e);
    return status;
}

una_status una_bias_concept(double *value, const una_model *model, const una_dataset *in, const una_dataset *out,
                            una_run *run)
{
    una_dataset *half[2];
    size_t split[2];
    for (size_t i = 0; i < 2; i++) UNA_TRY(every_second(&half[i], &split[i], in, out, i, run));
    una_status status = concept_evaluate(value, model, half, split, run);
    return status == UNA_E_USAGE ? UNA_OK : status;      /* it has no linear head */
}

/* ---- intervals -------------------------------------------------------------------------------------------------- */

typedef struct item { double value; bool is_b; size_t times; } item;     /* value first; times: in the current sample */

/* Rows drawn with replacement within each group; `of` has the places of its items. */
static void draw_sample(item *items, const size_t *of, size_t count, una_rng *rng)
{
    for (size_t i = 0; i < count; i++) items[of[i]].times = 0;
    for (size_t i = 0; i < count; i++) items[of[una_rng_below(rng, count)]].times++;
}

/* Of sorted items: how often one of b is above one of a, and the means. */
static void bias_sample_error(const item *items, size_t count, double a_count, double b_count, double *excess,
                              double *auroc)
{
    double sum_a = 0, sum_b = 0, below = 0, above = 0;
    for (size_t from = 0, to; from < count; from = to) {
        double ties_a = 0, ties_b = 0;
        for (to = from; to < count && items[to].value == items[from].value; to++)
            *(items[to].is_b ? &ties_b : &ties_a) += (double)items[to].times;
        above += ties_b * (below + ties_a / 2);
        below += ties_a;
        sum_a += ties_a * items[from].value;
        sum_b += ties_b * items[from].value;
    }
    *auroc = above / (a_count * b_count);
    *excess = 100 * (sum_b / b_count / (sum_a / a_count) - 1);
}

una_status una_bias_bootstrap(una_bias_interval *interval, const double *in, size_t a_count, const double *out,
                              size_t b_count, una_run *run)
{
    size_t count = a_count + b_count, a_at = 0, b_at = 0, low = SAMPLES / 40, high = SAMPLES - 1 - SAMPLES / 40;
    double excess[SAMPLES], auroc[SAMPLES];
    una_rng rng = una_rng_at(1, UNA_FOR_DATA, 23);
    UNA_NEW(&run->scratch, item, items, count);
    UNA_NEW(&run->scratch, size_t, a, a_count);
    UNA_NEW(&run->scratch, size_t, b, b_count);
    for (size_t i = 0; i < count; i++) items[i] = (item){ i < a_count ? in[i] : out[i - a_count], i >= a_count, 0 };
    qsort(items, count, sizeof *items, una_by_number);
    for (size_t i = 0; i < count; i++)
        if (items[i].is_b) b[b_at++] = i;
        else a[a_at++] = i;

    for (size_t s = 0; s < SAMPLES; s++) {
        draw_sample(items, a, a_count, &rng);
        draw_sample(items, b, b_count, &rng);
        bias_sample_error(items, count, (double)a_count, (double)b_count, &excess[s], &auroc[s]);
    }
    qsort(excess, SAMPLES, sizeof *excess, una_by_number);
    qsort(auroc, SAMPLES, sizeof *auroc, una_by_number);
    *interval = (una_bias_interval){ excess[low], excess[high], auroc[low], auroc[high] };
    return UNA_OK;
}
