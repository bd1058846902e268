/* SPDX-License-Identifier: MIT
 *
 * Large data on one core: parsing, the memory and linear cost of a fit, prediction and scoring of files.
 * Files are made in $TMPDIR (or here) and removed. Times are processor time, the least of several; every job has a
 * process of its own, so that peaks of memory do not mix.
 *
 *   data [--quick] [JOB ...]        --quick: a tenth of the rows; jobs: csv fit epoch rows files
 */
#include "una.h"

#include <dirent.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char folder[2048];
static double share = 1;                 /* of the rows */
static int no_scratch;                   /* of the next runs */

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Of a process, now: what only it has in memory and nobody can take back ("RssAnon:"), pages of files ("RssFile:"). */
static double resident_mb(pid_t process, const char *which)
{
    char path[64], text[256];
    double kb = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)process);
    FILE *from = fopen(path, "r");
    while (from && fgets(text, sizeof text, from))
        if (strncmp(text, which, strlen(which)) == 0) kb = strtod(text + strlen(which), NULL);
    if (from) fclose(from);
    return kb * 1.024e-3;
}

static double peak_mb(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)use.ru_maxrss / 1e3;
}

static void line(const char *what, double value, const char *unit, double goal, int at_most)
{
    int good = at_most ? value <= goal : value >= goal;
    printf("| %-58s | %10.4g %-8s | %s %-7.4g | %5.2f | %s |\n", what, value, unit, at_most ? "<=" : ">=", goal,
           value / goal, good ? "met" : "MISSED");
    fflush(stdout);
}

/* ---- files ---------------------------------------------------------------------------------------------- */

static const char *in_folder(const char *name)
{
    static char path[4][2200];
    static unsigned next;
    char *at = path[next++ % 4];
    snprintf(at, sizeof path[0], "%s/%s", folder, name);
    return at;
}

static double next_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return 6 * (double)(*state >> 11) * 0x1p-53 - 3;
}

/* inputs and y, a sum of sines with noise; bytes written. */
static double write_csv(const char *path, size_t rows, int inputs, const char *format)
{
    FILE *to = fopen(path, "wb");
    if (!to) return 0;
    uint64_t state = 88172645463325252u;

    for (int i = 0; i < inputs; i++) fprintf(to, "x%d,", i + 1);
    fprintf(to, "y\n");
    for (size_t r = 0; r < rows; r++) {
        double y = 0.05 * next_number(&state);
        for (int i = 0; i < inputs; i++) {
            double x = next_number(&state);
            y += sin(x) * (i + 1) / inputs;
            fprintf(to, format, x);
            fputc(',', to);
        }
        fprintf(to, format, y);
        fputc('\n', to);
    }

    double size = (double)ftell(to);
    return fclose(to) == 0 ? size : 0;
}

/* ---- jobs: each returns 0 when done ---------------------------------------------------------------------- */

static una_run *run_with(una_run_settings settings)
{
    una_run *run = NULL;
    settings.size = sizeof settings;
    settings.threads = 1;
    settings.no_scratch = no_scratch;
    if (una_run_new(&run, &settings)) exit(4);
    return run;
}

static int complain(const una_run *run)
{
    fprintf(stderr, "data: %s\n", una_run_message(run));
    return 1;
}

/* Least seconds of a read. */
static double read_time(const char *path, int times, una_run *run)
{
    double least = HUGE_VAL;
    for (int i = 0; i < times; i++) {
        una_dataset *data;
        double start = now();
        if (una_dataset_read(&data, path, run)) exit(complain(run));
        least = fmin(least, now() - start);
        una_dataset_free(data);
    }
    return least;
}

static int parse_csv(void)
{
    una_run *run = run_with((una_run_settings){0});
    double size = write_csv(in_folder("a.csv"), (size_t)(share * 1e6), 19, "%.6g");
    line("csv, 20 columns, 6 digits", size / read_time(in_folder("a.csv"), 4, run) * 1e-6, "MB/s", 200, 0);
    size = write_csv(in_folder("a.csv"), (size_t)(share * 1e6), 19, "%.17g");
    line("csv, 20 columns, 17 digits", size / read_time(in_folder("a.csv"), 4, run) * 1e-6, "MB/s", 200, 0);
    return 0;
}

static int fit_with(const char *spec, double rows, int inputs, double *seconds)
{
    una_run *run = run_with((una_run_settings){0});
    una_dataset *data = NULL;
    una_model *model = NULL;
    write_csv(in_folder("a.csv"), (size_t)rows, inputs, "%.6g");
    if (una_dataset_read(&data, in_folder("a.csv"), run)) return complain(run);
    double start = now();
    if (una_fit(&model, spec, data, NULL, run)) return complain(run);
    *seconds = now() - start;
    if (una_model_save(model, in_folder("model.una"), run)) return complain(run);
    return 0;
}

/* The most of either that a fit has, looked at every 5 ms; the fit has a process of its own. */
static int fit_peaks(const char *spec, double *private, double *file)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        double seconds;
        sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){ 0 });      /* under chrt nobody could look else */
        exit(fit_with(spec, share * 1e6, 19, &seconds));
    }

    *private = *file = 0;
    while (child > 0 && waitpid(child, &status, WNOHANG) == 0) {
        *private = fmax(*private, resident_mb(child, "RssAnon:"));
        *file = fmax(*file, resident_mb(child, "RssFile:"));
        nanosleep(&(struct timespec){ .tv_nsec = 5000000 }, NULL);
    }
    return child < 0 || status != 0;
}

static int fit_memory(const char *spec)
{
    char text[128];
    double private, file, whole, rest;
    if (fit_peaks(spec, &private, &file)) return 1;
    no_scratch = 1;
    if (fit_peaks(spec, &whole, &rest)) return 1;
    snprintf(text, sizeof text, "private memory of a fit, %s, 1e6 x 20", spec);
    line(text, private, "MB", 100, 1);
    line("  pages of its scratch files, which can be taken back", file, "MB", 4000, 1);
    line("  its private memory with no_scratch", whole, "MB", 4000, 1);
    return 0;
}

static int fit_luna(void)
{
    return fit_memory("luna(steps=2000)");
}

static int fit_nlm(void)
{
    return fit_memory("nlm(steps=2000)");
}

/* Seconds of an epoch over `rows` rows: what more epochs add. */
static double epoch_time(const char *kind, double rows, int few, int many)
{
    char spec[64];
    double a = NAN, b = NAN;
    snprintf(spec, sizeof spec, "%s(epochs=%d,train_noise_std=0.3)", kind, few);
    fit_with(spec, rows, 19, &a);
    snprintf(spec, sizeof spec, "%s(epochs=%d,train_noise_std=0.3)", kind, many);
    fit_with(spec, rows, 19, &b);
    return (b - a) / (many - few);
}

static int epoch(void)
{
    double small = epoch_time("nlm", share * 1e5, 1, 41) / 1e5, large = epoch_time("nlm", share * 1e6, 1, 5) / 1e6;
    line("nlm, time per row and epoch: 1e6 rows over 1e5", large / small, "", 1.2, 1);
    small = epoch_time("luna", share * 1e5, 1, 5) / 1e5;
    large = epoch_time("luna", share * 1e6, 1, 2) / 1e6;
    line("luna, time per row and epoch: 1e6 rows over 1e5", large / small, "", 1.2, 1);
    return 0;
}

static int predict_rows(void)
{
    enum { ROWS = 200000, INPUTS = 8, AGAIN = 7 };
    double seconds, least = HUGE_VAL;
    una_run *run = run_with((una_run_settings){0});
    una_model *model = NULL;
    if (fit_with("nlm(steps=200)", 2000, INPUTS, &seconds)) return 1;
    if (una_model_load(&model, in_folder("model.una"), run)) return complain(run);

    double *x = malloc(ROWS * INPUTS * sizeof *x), *out = malloc(6 * ROWS * sizeof *out);
    uint64_t state = 1234567;
    for (size_t i = 0; i < ROWS * INPUTS; i++) x[i] = next_number(&state);
    una_prediction p = { sizeof p, out, out + ROWS, out + 2 * ROWS, out + 3 * ROWS, out + 4 * ROWS, out + 5 * ROWS };

    for (int i = 0; i < AGAIN; i++) {
        double start = now();
        if (una_model_predict_rows(model, x, ROWS, 0.95, &p, run)) return complain(run);
        least = fmin(least, now() - start);
    }

    line("predict_rows with bands, 8 inputs, 50-50 network", ROWS / least * 1e-6, "M rows/s", 1, 0);
    return 0;
}

static int make_large(void)
{
    double seconds;
    if (fit_with("nlm(steps=200)", 2000, 8, &seconds)) return 1;
    return write_csv(in_folder("large.csv"), (size_t)(share * 1e7), 8, "%.6g") > 0 ? 0 : 1;
}

static int predict_large(void)
{
    una_run *run = run_with((una_run_settings){0});
    una_model *model = NULL;
    size_t rows = 0;
    if (una_model_load(&model, in_folder("model.una"), run)) return complain(run);
    double start = now();
    if (una_predict_file(model, in_folder("large.csv"), NULL, in_folder("out.csv"), &rows, run))
        return complain(run);
    double took = now() - start;
    line("predict file to file, 1e7 rows of 8 inputs", (double)rows / took * 1e-6, "M rows/s", 0.3, 0);
    line("  its peak memory", peak_mb(), "MB", 200, 1);
    return 0;
}

static int score_large(void)
{
    una_run *run = run_with((una_run_settings){0});
    una_model *model = NULL;
    una_score score = UNA_INIT(una_score);
    if (una_model_load(&model, in_folder("model.una"), run)) return complain(run);
    double start = now();
    if (una_score_file(&score, model, in_folder("large.csv"), run)) return complain(run);
    double took = now() - start;
    line("score a file, 1e7 rows of 8 inputs", (double)score.rows / took * 1e-6, "M rows/s", 0.3, 0);
    line("  its peak memory", peak_mb(), "MB", 200, 1);
    return 0;
}

/* ---- one after the other ---------------------------------------------------------------------------------- */

typedef struct job { const char *name; int (*work)(void); } job;
static const job jobs[] = {
    { "csv", parse_csv }, { "fit", fit_luna }, { "fit", fit_nlm }, { "epoch", epoch },
    { "rows", predict_rows }, { "files", make_large }, { "files", predict_large }, { "files", score_large },
};

static int apart(int (*work)(void))
{
    int status = 0;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) exit(work());
    return child < 0 || waitpid(child, &status, 0) != child || status != 0;
}

static int wanted(const char *name, int count, char **names)
{
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0) return 1;
    return count == 0;
}

/* All files in it, then itself. */
static void empty(const char *place)
{
    char path[4096];
    DIR *open = opendir(place);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "%s/%s", place, entry->d_name);
        remove(path);
    }
    if (open) closedir(open);
    remove(place);
}

int main(int argc, char **argv)
{
    int bad = 0, first = 1;
    if (argc > 1 && strcmp(argv[1], "--quick") == 0) {
        share = 0.1;
        first = 2;
    }

    snprintf(folder, sizeof folder, "%s/una-perf-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : ".");
    if (!mkdtemp(folder)) return fprintf(stderr, "data: no folder for the files\n"), 5;

    printf("| %-58s | %-19s | %-10s | %-5s | |\n|---|---|---|---|---|\n", "large data, one core", "measured", "goal",
           "ratio");
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++)
        if (wanted(jobs[i].name, argc - first, argv + first)) bad |= apart(jobs[i].work);

    empty(folder);
    return bad;
}
