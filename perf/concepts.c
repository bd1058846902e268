/* SPDX-License-Identifier: MIT
 *
 * How much of a model's ignorance the right concept carries, where it is known what is to blame: of two inputs the
 * first has a hole in training ("hole": -1 < x1 < 1, "beyond": x1 > 1), and the concepts are that hole and x2 > 0.
 *   build/perf/concepts SPEC hole|beyond FIRST_SEED LAST_SEED [AXES [split|rows]]
 * Prints means over the seeds of the shares in rows inside the hole.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

enum { TRAIN = 300, ASKED = 600, PARTS = 5 };

typedef struct sums { double part[PARTS], least, outside, ratio, error; size_t members; } sums;

static bool inside(bool beyond, double x1)
{
    return beyond ? x1 > 1 : fabs(x1) < 1;
}

static void draw(double *x, una_rng *rng)
{
    x[0] = -3 + 6 * una_rng_uniform(rng);
    x[1] = -3 + 6 * una_rng_uniform(rng);
}

static una_status make(una_dataset **train, una_dataset **asked, double *x, bool beyond, uint64_t seed, una_run *run)
{
    static double at[2 * TRAIN], y[TRAIN];
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < TRAIN; i++) {
        double *p = at + 2 * i;
        do draw(p, &rng);
        while (inside(beyond, p[0]));
        y[i] = sin(p[0]) + 0.5 * p[1] * p[1] / 3 + 0.3 * p[1] + 0.1 * una_rng_normal(&rng);
    }
    for (size_t i = 0; i < ASKED; i++) draw(x + 2 * i, &rng);
    UNA_TRY(una_dataset_from_arrays(train, at, y, TRAIN, 2, NULL, run));
    return una_dataset_from_arrays(asked, x, NULL, ASKED, 2, NULL, run);
}

static void add(sums *s, const una_explanation *e, const double *x, bool beyond)
{
    double part[PARTS] = {0}, in = 0, out = 0, own_out = 0, count = 0;
    for (size_t r = 0; r < e->rows; r++) {
        const double *p = e->part + r * e->parts;
        double var = pow(e->std_epistemic[r], 2), sum = 0;
        bool hole = inside(beyond, x[2 * r]);
        for (size_t k = 0; k < e->parts; k++) {
            sum += p[k];
            if (hole) part[k] += p[k];
        }
        s->error = fmax(s->error, fabs(sum - var) / var);
        if (hole) in += var, count++;
        else out += var, own_out += p[0];
    }
    for (size_t k = 0; k < e->parts; k++) s->part[k] += part[k] / in;
    s->least = fmin(s->least, part[0] / in);
    s->outside += own_out / out;
    s->ratio += sqrt(in / count / (out / ((double)e->rows - count)));
    s->members = e->members;
}

static una_status one(sums *s, const char *spec, bool beyond, una_explain_settings *settings, una_run *run)
{
    static double x[2 * ASKED];
    una_dataset *train = NULL, *asked = NULL;
    una_model *model = NULL;
    una_explanation *e = NULL;
    una_status status = make(&train, &asked, x, beyond, run->settings.seed, run);
    if (status == UNA_OK) status = una_fit(&model, spec, train, NULL, run);
    if (status == UNA_OK) status = una_explain(&e, model, asked, settings, run);
    if (status == UNA_OK) add(s, e, x, beyond);
    una_explanation_free(e);
    una_model_free(model);
    una_dataset_free(asked);
    una_dataset_free(train);
    return status;
}

int main(int count, char **word)
{
    if (count < 5) return 1;
    bool beyond = strcmp(word[2], "beyond") == 0;
    uint64_t first = strtoull(word[3], NULL, 10), last = strtoull(word[4], NULL, 10);
    double seeds = (double)(last - first + 1);
    const una_concept concepts[] = {
        { .size = sizeof *concepts, .name = "in", .where = beyond ? "x1 > 1" : "x1 > -1 and x1 < 1" },
        { .size = sizeof *concepts, .name = "right", .where = "x2 > 0" } };
    una_explain_settings settings = { .size = sizeof settings, .concepts = concepts, .concept_count = 2,
                                      .axes = count > 5 ? strtoul(word[5], NULL, 10) : 0,
                                      .disagreement = count > 6 && strcmp(word[6], "split") == 0,
                                      .whitening = count > 6 && strcmp(word[6], "rows") == 0 };
    sums s = { .least = 1 };
    una_run *run = NULL;
    una_status status = una_run_new(&run, NULL);
    for (uint64_t seed = first; status == UNA_OK && seed <= last; seed++) {
        run->settings.seed = seed;
        status = one(&s, word[1], beyond, &settings, run);
    }
    if (status == UNA_OK)
        printf("%s, %s, %.0f seeds: the concept %.3f (least %.3f; outside %.3f), x2 > 0 %.3f, others %.3f %.3f; "
               "ignorance inside %.1f times as large; sums within %.0e\n", word[1], word[2], seeds, s.part[0] / seeds,
               s.least, s.outside / seeds, s.part[1] / seeds, s.part[2] / seeds, s.part[3] / seeds, s.ratio / seeds, s.error);
    else fprintf(stderr, "%s\n", una_run_message(run));
    una_run_free(run);
    return (int)status;
}
