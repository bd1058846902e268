/* SPDX-License-Identifier: MIT
 *
 * Sampling bias in faces: a residual network of convolutions learns ages from faces of one group of people and is asked
 * about another. Its error need not show that anything is wrong; does its ignorance? For each group: the mean absolute
 * error, the mean epistemic std, by how many percent that is above the training rows', how much larger it is for those
 * who were left out than for others like the trained ones (with a bootstrap interval over rows), and how well it tells
 * the two apart. Options were chosen by rows held out of training, never by those who were left out.
 */
#include "bias/bias.h"

#include "score/score.h"

#include <unistd.h>

typedef struct bias_options { const char *data, *study; double seeds; } bias_options;

static const una_option table[] = {
    UNA_DATA_OPTION(bias_options),
    UNA_STUDY_OPTION(bias_options),
    UNA_SEEDS_OPTION(bias_options),
    { .name = NULL }
};

#define BODY "body=resnet18, flips=yes, shifts=2, epochs=10, rate=0.001"
#define DIVERSE "heads=25, diversity=0.3, diversity_rows=0, probes=data, directions=2, perturbation_std=10, " \
                "train_noise_std=13"
#define QUICK "body=resnet(width=16, blocks=1-1-1), epochs=6, rate=0.003"
static const una_entry entries[] = {
    { "luna", "luna(" BODY ", " DIVERSE ")", "luna(" QUICK ", " DIVERSE ")" },
    { "nlm", "nlm(" BODY ")", "nlm(" QUICK ")" },
    { "nn", "nn(" BODY ")", "nn(" QUICK ")" },
    { "ensemble", "ensemble(members=5, of=nn(" BODY "))", "ensemble(members=2, of=nn(" QUICK "))" },
    { "mcd", "mcd(" BODY ")", "mcd(" QUICK ")" },
    { "sngp", "sngp(" BODY ")", "sngp(" QUICK ")" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = { UNA_BIAS_LIST(UNA_FIELDS) { .name = NULL } };

/* ---- data and plan ---------------------------------------------------------------------------------------------- */

static const char *const csv_name = "wiki-faces32.csv", *const images_name = "wiki-faces32-images-idx3-ubyte.gz";

static una_status bias_begin(void **shared, const una_asked *asked, una_run *run)
{
    const bias_options *o = asked->options;
    const char *csv = una_phrase(asked->keep, "%s/faces/%s", o->data, csv_name);
    const char *images = una_phrase(asked->keep, "%s/faces/%s", o->data, images_name);
    UNA_NEW(asked->keep, una_bias_data, data, 1);
    *shared = data;
    if (asked->kept && !*o->data) return UNA_OK;         /* existing rows need no faces */
    if (!*o->data || access(csv, R_OK) != 0)
        UNA_FAIL(run, UNA_E_INPUT, "the faces do not come with una, and have no public address: name a folder that has "
                 "faces/%s and faces/%s with --data FOLDER ('una data list' says more)", csv_name, images_name);
    UNA_TRY(una_dataset_read(&data->faces, csv, run));
    return una_dataset_add_images(data->faces, images, "index", run);
}

static void bias_end(void *shared)
{
    una_bias_data *data = shared;
    if (data) una_dataset_free(data->faces);
}

static una_status bias_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const bias_options *o = asked->options;
    size_t seeds = UNA_IS_AUTO(o->seeds) ? 1 : (size_t)o->seeds, length;
    const char *item = una_unknown_item(o->study, &length, (const char *const[]){ "sex", "age", NULL });
    if (item)
        UNA_FAIL(run, UNA_E_USAGE, "there is no study '%.*s' here; there are sex and age",
                 length < 40 ? (int)length : 40, item);
    for (size_t d = 0; d < 2; d++) {
        const char *data = una_bias_published[d].data;
        if (*o->study && !una_list_has(o->study, data)) continue;
        for (size_t s = 0; s < seeds; s++)
            una_plan_models(plan, asked, asked->quick ? "bias(quick=yes)" : "bias", data, asked->first + s);
    }
    return una_arena_check(asked->keep);
}

/* ---- one fit ---------------------------------------------------------------------------------------------------- */

typedef struct predictions {             /* of one group                                                    */
    size_t  rows;
    double *mean, *epistemic, *noise;    /* [rows]                                                          */
    const double *y, *item, *found;      /* labels; numbers of the images; 0: no face was found in it       */
} predictions;

static una_status bias_predict(predictions *s, const una_model *model, const una_dataset *rows, una_run *run)
{
    static const char *const names[] = { "age_thesis", "index", "face_score" };
    const double **column[] = { &s->y, &s->item, &s->found };
    s->rows = una_dataset_row_count(rows);
    UNA_NEW_AT(&run->scratch, s->mean, s->rows);
    UNA_NEW_AT(&run->scratch, s->epistemic, s->rows);
    UNA_NEW_AT(&run->scratch, s->noise, s->rows);
    for (size_t i = 0; i < 3; i++) {
        size_t at;
        UNA_TRY(una_dataset_find(&at, rows, names[i], run));
        *column[i] = una_dataset_numbers(rows, at);
    }
    una_prediction out = { .size = sizeof out, .mean = s->mean, .std_epistemic = s->epistemic, .std_noise = s->noise };
    return una_model_predict(model, rows, 0.95, &out, run);
}

static double error_of(const predictions *s)
{
    double sum = 0;
    for (size_t i = 0; i < s->rows; i++) sum += fabs(s->y[i] - s->mean[i]);
    return sum / (double)s->rows;
}

static double bias_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

/* UNA_BIAS_EXCESS to UNA_BIAS_AUROC_HIGH, and the same where a face was found, go to `value`. */
static una_status take_excess(double *value, const double *in, size_t ins, const double *out, size_t outs, una_run *run)
{
    una_bias_interval interval;
    UNA_TRY(una_bias_bootstrap(&interval, in, ins, out, outs, run));
    value[0] = 100 * (bias_mean(out, outs) / bias_mean(in, ins) - 1);
    value[1] = interval.excess_low;
    value[2] = interval.excess_high;
    value[3] = una_auroc(out, outs, in, ins);
    value[4] = interval.auroc_low;
    value[5] = interval.auroc_high;
    return UNA_OK;
}

/* Epistemic std of the images in which a face was found. */
static size_t with_face(double *std, const predictions *s)
{
    size_t count = 0;
    for (size_t i = 0; s->found && i < s->rows; i++)
        if (s->found[i] > 0) std[count++] = s->epistemic[i];
    return count;
}

/* A model that is unsure about pictures without a face is less sure about the group with more of them, whichever group
 * was left out. */
static una_status take_found(double *value, const predictions *in, const predictions *out, una_run *run)
{
    UNA_NEW(&run->scratch, double, std_in, in->rows);
    UNA_NEW(&run->scratch, double, std_out, out->rows);
    size_t ins = with_face(std_in, in), outs = with_face(std_out, out);
    value[UNA_BIAS_FOUND_IN] = (double)ins / (double)in->rows;
    value[UNA_BIAS_FOUND_OUT] = (double)outs / (double)out->rows;
    return ins && outs ? take_excess(value + UNA_BIAS_FOUND_EXCESS, std_in, ins, std_out, outs, run) : UNA_OK;
}

static una_status take_groups(double *value, const predictions *s, una_run *run)
{
    const predictions *in = &s[UNA_BIAS_IN], *out = &s[UNA_BIAS_OUT];
    for (size_t g = 0; g < UNA_BIAS_GROUPS; g++) {
        value[UNA_BIAS_ROWS + g] = (double)s[g].rows;
        value[UNA_BIAS_MAE + g] = error_of(&s[g]);
        value[UNA_BIAS_STD + g] = bias_mean(s[g].epistemic, s[g].rows);
    }
    double train = value[UNA_BIAS_STD + UNA_BIAS_TRAIN];
    if (!(train > 0)) return UNA_OK;                     /* a model without ignorance */
    value[UNA_BIAS_INCREASE_IN] = 100 * (value[UNA_BIAS_STD + UNA_BIAS_IN] / train - 1);
    value[UNA_BIAS_INCREASE_OUT] = 100 * (value[UNA_BIAS_STD + UNA_BIAS_OUT] / train - 1);
    UNA_TRY(take_excess(value + UNA_BIAS_EXCESS, in->epistemic, in->rows, out->epistemic, out->rows, run));
    return take_found(value, in, out, run);
}

typedef struct face { double std, off, item; } face;

static int by_doubt(const void *a, const void *b)
{
    const face *x = a, *y = b;
    if (x->std != y->std) return x->std < y->std ? -1 : 1;
    return (x->item > y->item) - (x->item < y->item);
}

/* Over all predicted rows: the error at the most certain ones, and which are the most and the least certain. */
static una_status take_faces(double *value, const predictions *s, una_run *run)
{
    size_t count = 0, all = s[UNA_BIAS_IN].rows + s[UNA_BIAS_OUT].rows, next = 1;
    UNA_NEW(&run->scratch, face, faces, all);
    for (size_t g = UNA_BIAS_IN; g <= UNA_BIAS_OUT; g++)
        for (size_t i = 0; i < s[g].rows; i++)
            faces[count++] = (face){ hypot(s[g].epistemic[i], s[g].noise[i]), fabs(s[g].y[i] - s[g].mean[i]),
                                     s[g].item[i] };
    qsort(faces, all, sizeof *faces, by_doubt);
    double sum = 0;
    for (size_t i = 0; i < all; i++) {
        sum += faces[i].off;
        for (; next <= 10 && i + 1 == next * all / 10; next++) value[UNA_BIAS_RISK + next - 1] = sum / (double)(i + 1);
    }
    for (size_t i = 0; i < UNA_BIAS_FACES && 2 * UNA_BIAS_FACES <= all; i++) {
        value[UNA_BIAS_SURE + i] = faces[i].item;
        value[UNA_BIAS_UNSURE + i] = faces[all - 1 - i].item;
    }
    return UNA_OK;
}

static una_status take_scores(double *value, const una_model *model, const una_bias_rows *rows, una_run *run)
{
    una_score in = UNA_INIT(una_score), out = UNA_INIT(una_score);
    UNA_TRY(una_model_score(&in, model, rows->group[UNA_BIAS_IN], run));
    UNA_TRY(una_model_score(&out, model, rows->group[UNA_BIAS_OUT], run));
    value[UNA_BIAS_LOG_LIK_IN] = in.log_lik;
    value[UNA_BIAS_LOG_LIK_OUT] = out.log_lik;
    value[UNA_BIAS_COVERAGE_IN] = in.coverage_95;
    value[UNA_BIAS_COVERAGE_OUT] = out.coverage_95;
    value[UNA_BIAS_NOISE] = una_model_info(model)->noise_std;
    value[UNA_BIAS_COS2] = una_model_info(model)->mean_cos2;
    return UNA_OK;
}

static una_status bias_take_measures(double *value, const una_model *model, const una_bias_rows *rows, una_run *run)
{
    predictions s[UNA_BIAS_GROUPS];
    for (size_t g = 0; g < UNA_BIAS_GROUPS; g++) UNA_TRY(bias_predict(&s[g], model, rows->group[g], run));
    UNA_TRY(take_groups(value, s, run));
    UNA_TRY(take_faces(value, s, run));
    UNA_TRY(una_bias_concept(value, model, rows->group[UNA_BIAS_IN], rows->group[UNA_BIAS_OUT], run));
    return take_scores(value, model, rows, run);
}

static una_status bias_measure(const una_measuring *m)
{
    const una_bias_data *data = m->asked->shared;
    una_bias_rows rows;
    una_model *model;
    una_fit_settings settings = { .size = sizeof settings, .target = "age_thesis" };
    UNA_TRY(una_bias_rows_make(&rows, data->faces, m->key->data, m->key->seed, m->asked->quick, m->run));
    UNA_TRY(una_held_fit(&model, m->key->spec, rows.group[UNA_BIAS_TRAIN], &settings, m->run));
    UNA_TRY(bias_take_measures(m->outcome->value, model, &rows, m->run));
    return una_outcome_take(m->outcome, model);
}

const una_experiment una_experiment_bias = {
    .name = "bias",
    .summary = "faces of one group train a network: does its ignorance show that another was left out?",
    .title = "Sampling bias: does a network know whom it has not seen?",
    .lead = "A residual network of convolutions learns ages from faces, of men alone (sex) or of people below 30 and "
            "above 40 (age), and is asked about others like them and about those who were left out. Its error need "
            "not tell that anything is wrong. Does its ignorance?",
    .caption = "Error in years and epistemic std, by group",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(bias_options),
    .measures = measures,
    .entries = entries,
    .begin = bias_begin,
    .end = bias_end,
    .plan = bias_plan_fits,
    .measure = bias_measure,
    .claims = una_bias_claims,
    .claims_caption = "Intervals are bootstrap intervals over the rows that are asked (1000 samples), of the first "
                      "seed: a claim holds where the whole interval speaks for it, does not where it speaks against "
                      "it, and cannot be told otherwise.",
    .page = una_bias_page,
};
