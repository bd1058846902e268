/* SPDX-License-Identifier: MIT
 *
 * The UCI sets under automatic rules: fits a spec on published splits, scores the test rows, appends one row per fit.
 * Rows that are already in the file are skipped, so an interrupted run goes on where it stopped.
 *
 *   uci DATA_FOLDER ROWS.csv SPEC [--sets a,b] [--splits 0-4] [--group standard|gap|valid] [--threads N] [--held SHARE]
 *
 * group standard: train and test rows of the standard splits. valid: the training rows of a standard split, a tenth of
 * them held out by the split's number (for choosing rules; test rows are never touched). gap: the six gap sets of the
 * thesis, ten random 80-10-10 splits of the rows outside the gap; test rows are the last tenth, then the gap. A share
 * of rows to hold out, where it is given, stands in the rows behind the spec.
 */
#include "una.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct set { const char *name, *gaps[4]; size_t gap_index[4]; size_t splits; } set;
static const set sets[] = {
    { "boston", { "RM", "LSTAT", "PTRATIO" }, { 5, 12, 10 }, 20 },
    { "concrete", { "Cement", "Superplasticizer" }, { 0, 4 }, 20 },
    { "energy", { NULL }, { 0 }, 20 },
    { "kin8nm", { NULL }, { 0 }, 20 },
    { "naval-propulsion", { NULL }, { 0 }, 20 },
    { "power-plant", { NULL }, { 0 }, 20 },
    { "protein-structure", { NULL }, { 0 }, 5 },
    { "wine-quality-red", { NULL }, { 0 }, 20 },
    { "yacht", { "Froude number" }, { 5 }, 20 },
};
enum { SETS = sizeof sets / sizeof *sets };

typedef struct job { const set *set; size_t split; size_t gap; } job;
typedef struct work {
    const char *folder, *rows, *spec, *group, *held;
    job    *jobs;
    size_t  count, next, threads;
    char   *done;                        /* the file as it was: keys of finished rows */
    pthread_mutex_t lock;
    int     failed;
} work;

static void key_of(char *key, size_t size, const work *w, const job *j)
{
    const char *gap = strcmp(w->group, "gap") == 0 ? j->set->gaps[j->gap] : "";
    snprintf(key, size, "%s,%s,%s,%zu,\"%s%s%s\",", w->group, j->set->name, gap, j->split, w->spec,
             w->held ? " --held " : "", w->held ? w->held : "");
}

static int rows_of(const una_dataset *all, const work *w, const job *j, size_t rows, una_dataset *part[3], una_run *run)
{
    char path[4096];
    una_split split = UNA_INIT(una_split), inner = UNA_INIT(una_split);
    snprintf(path, sizeof path, "%s/uci/splits/%s.json", w->folder, j->set->name);
    int gap = strcmp(w->group, "gap") == 0, valid = strcmp(w->group, "valid") == 0;
    if (una_split_read(&split, path, gap ? "gap" : "standard", gap ? j->set->gap_index[j->gap] : j->split, rows, run))
        return 1;
    size_t *train = split.train, count = split.train_count, *test = split.test, test_count = split.test_count;
    if (gap || valid) {
        if (una_split_random(&inner, split.train_count, 0.1, 1000 + j->split, run)) return 1;
        for (size_t i = 0; i < inner.train_count; i++) inner.train[i] = split.train[inner.train[i]];
        for (size_t i = 0; i < inner.test_count; i++) inner.test[i] = split.train[inner.test[i]];
        train = inner.train;
        count = inner.train_count;
        test = inner.test;
        test_count = inner.test_count;
    }
    int bad = una_dataset_rows(&part[0], all, train, count, run) ||
              una_dataset_rows(&part[1], all, test, test_count, run)
           || (gap && una_dataset_rows(&part[2], all, split.test, split.test_count, run));
    una_split_free(&split, run);
    una_split_free(&inner, run);
    return bad;
}

static int score_part(una_score *score, double *spread, const una_model *model, const una_dataset *part, una_run *run)
{
    una_prediction p = { .size = sizeof p, .std_epistemic = spread };
    return una_model_score(score, model, part, run) || (spread && una_model_predict(model, part, 0.95, &p, run));
}

/* How often a gap row has a larger epistemic std than a row outside the gap. */
static double auroc(const double *inside, size_t a, const double *outside, size_t b)
{
    double above = 0;
    for (size_t i = 0; i < a; i++)
        for (size_t j = 0; j < b; j++) above += inside[i] > outside[j] ? 1 : inside[i] == outside[j] ? 0.5 : 0;
    return above / ((double)a * (double)b);
}

static int one(const work *w, const job *j, char *line, size_t room, una_run *run)
{
    char path[4096];
    una_dataset *all = NULL, *part[3] = { NULL, NULL, NULL };
    una_model *model = NULL;
    una_score score = UNA_INIT(una_score), gap = UNA_INIT(una_score);
    una_fit_settings settings = { .size = sizeof settings, .valid_fraction = w->held ? atof(w->held) : 0 };
    snprintf(path, sizeof path, "%s/uci/%s.csv", w->folder, j->set->name);
    int bad = una_dataset_read(&all, path, run) || rows_of(all, w, j, una_dataset_row_count(all), part, run)
           || una_fit(&model, w->spec, part[0], &settings, run);
    double *out = NULL, *in = NULL, area = NAN;
    if (!bad) {
        out = malloc(una_dataset_row_count(part[1]) * sizeof *out);
        bad = score_part(&score, out, model, part[1], run);
    }
    if (!bad && part[2]) {
        in = malloc(una_dataset_row_count(part[2]) * sizeof *in);
        bad = score_part(&gap, in, model, part[2], run);
        if (!bad) area = auroc(in, gap.rows, out, score.rows);
    }
    if (!bad) {
        const una_fit_info *info = una_model_info(model);
        snprintf(line, room, "%zu,%.6g,%.6g,%.6g,%.4f,%.4f,%.4f,%.6g,%.6g,%.6g,%.4g,%.4g,%.4g,%.4g,%.2f,%zu\n",
                 score.rows, score.rmse, score.log_lik, score.crps, score.coverage_50, score.coverage_90,
                 score.coverage_95, score.calibration_error, score.mean_std_epistemic, info->noise_std,
                 info->mean_cos2, part[2] ? gap.mean_std_epistemic : NAN, part[2] ? gap.log_lik : NAN, area,
                 info->seconds, info->warning_count);
    } else snprintf(line, room, "error: %s\n", una_run_message(run));
    free(out);
    free(in);
    una_model_free(model);
    for (int i = 0; i < 3; i++) una_dataset_free(part[i]);
    una_dataset_free(all);
    return bad;
}

static void *worker(void *context)
{
    work *w = context;
    for (;;) {
        pthread_mutex_lock(&w->lock);
        size_t at = w->next++;
        pthread_mutex_unlock(&w->lock);
        if (at >= w->count) return NULL;
        char key[512], line[1024];
        key_of(key, sizeof key, w, &w->jobs[at]);
        if (w->done && strstr(w->done, key)) continue;
        una_run_settings settings = { .size = sizeof settings, .threads = 1, .seed = w->jobs[at].split };
        una_run *run;
        if (una_run_new(&run, &settings)) return NULL;
        int bad = one(w, &w->jobs[at], line, sizeof line, run);
        una_run_free(run);
        pthread_mutex_lock(&w->lock);
        FILE *file = fopen(w->rows, "a");
        if (!bad && file) fprintf(file, "%s%s", key, line);
        else fprintf(stderr, "%s %s", key, line);
        if (file) fclose(file);
        w->failed |= bad || !file;
        pthread_mutex_unlock(&w->lock);
    }
}

static char *slurp(const char *path)
{
    FILE *file = fopen(path, "r");
    if (!file) return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) text[0] = 0;
    fclose(file);
    return text;
}

static void plan(work *w, const char *wanted, size_t from, size_t to)
{
    w->jobs = calloc(SETS * 100, sizeof *w->jobs);
    for (size_t s = 0; w->jobs && s < SETS; s++) {
        if (wanted && !strstr(wanted, sets[s].name)) continue;
        int gap = strcmp(w->group, "gap") == 0;
        for (size_t g = 0; g < (gap ? 4u : 1u); g++) {
            if (gap && !sets[s].gaps[g]) break;
            for (size_t k = from; k <= to && k < (gap ? 10 : sets[s].splits); k++)
                w->jobs[w->count++] = (job){ &sets[s], k, g };
        }
    }
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: uci DATA_FOLDER ROWS.csv SPEC [--sets a,b] [--splits 0-4] [--group standard|gap|valid] "
                "[--threads N] [--held SHARE]\n");
        return 1;
    }
    work w = { .folder = argv[1], .rows = argv[2], .spec = argv[3], .group = "standard", .threads = 2 };
    const char *wanted = NULL;
    size_t from = 0, to = 4;
    for (int i = 4; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--sets") == 0) wanted = argv[i + 1];
        if (strcmp(argv[i], "--held") == 0) w.held = argv[i + 1];
        if (strcmp(argv[i], "--group") == 0) w.group = argv[i + 1];
        if (strcmp(argv[i], "--threads") == 0) w.threads = (size_t)atoi(argv[i + 1]);
        if (strcmp(argv[i], "--splits") == 0 && sscanf(argv[i + 1], "%zu-%zu", &from, &to) == 1) to = from;
    }
    plan(&w, wanted, from, to);
    w.done = slurp(w.rows);
    if (!w.done) {
        FILE *file = fopen(w.rows, "w");
        if (!file) return 5;
        fprintf(file, "group,set,gap,split,spec,rows,rmse,log_lik,crps,coverage_50,coverage_90,coverage_95,"
                      "calibration_error,mean_std_epistemic,noise_std,mean_cos2,gap_std_epistemic,gap_log_lik,"
                      "gap_auroc,seconds,warnings\n");
        fclose(file);
    }
    pthread_mutex_init(&w.lock, NULL);
    pthread_t thread[64];
    if (w.threads > 64) w.threads = 64;
    for (size_t i = 0; i < w.threads; i++) pthread_create(&thread[i], NULL, worker, &w);
    for (size_t i = 0; i < w.threads; i++) pthread_join(thread[i], NULL);
    free(w.jobs);
    free(w.done);
    return w.failed;
}
