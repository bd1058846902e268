/* SPDX-License-Identifier: MIT
 *
 * The concept "was left out". Axes that follow it are found on half of the rows and scored on the other half: on rows
 * from which axes were found, a concept always has a larger share than elsewhere.
 */
#include "bias/bias.h"
#include "score/score.h"

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
        UNA_TRY(una_dataset_rows(&half[g], group[g], index, count, run));
        UNA_TRY(una_keep_dataset(&run->scratch, half[g]));
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
