/* SPDX-License-Identifier: MIT
 *
 * The cubic gap of the thesis: y = x^3 + N(0, 9), 50 rows in [-4, -2] and 50 in [2, 4]. Every model is fitted for
 * every seed s (data and fit both seeded by s) and asked for its epistemic std on 61 points of [-1.5, 1.5] and at its
 * training rows. Results are written after every fit and not computed twice; the models of the first seed are kept as
 * files, because the page draws them.
 */
#include "bench/bench.h"

#include "base/above.h"
#include "base/option.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ROWS = 100, POINTS = 61, SEEDS = 10, QUICK_SEEDS = 2, MOST_PANELS = 64 };
static const double gap_from = -1.5, gap_to = 1.5;

/* In the order of the page. NLM's prior is fixed, so that only the penalty moves. */
static const struct { const char *kind, *spec, *quick; } own[] = {
    { "gp", "gp(kernel=matern32, ard=no)", "gp(kernel=matern32, ard=no)" },
    { "hmc", "hmc", "hmc(width=20, chains=2, warmup=100, samples=50)" },
    { "luna", "luna", "luna(steps=500)" },
    { "tuna", "tuna", "tuna" },
    { "nlm", "nlm(penalty=0.1, prior_var=1)", "nlm(penalty=0.1, prior_var=1, steps=500)" },
    { "nlm", "nlm(penalty=1, prior_var=1)", "nlm(penalty=1, prior_var=1, steps=500)" },
    { "nlm", "nlm(penalty=10, prior_var=1)", "nlm(penalty=10, prior_var=1, steps=500)" },
    { "mcd", "mcd", "mcd(steps=500)" },
    { "bbvi", "bbvi", "bbvi(steps=500)" },
    { "ensemble", "ensemble", "ensemble(members=3, of=nn(steps=500))" },
    { "sngp", "sngp", "sngp(steps=200)" },
    { "nn", "nn", "nn(steps=500)" },
    { "linear", "linear", "linear" },
};
enum { OWN = sizeof own / sizeof *own };

typedef struct entry { const char *kind, *spec; } entry;

typedef struct bench {
    una_bench_result result;             /* what the caller gets: first, so that a pointer to it is one to all */
    una_arena   keep;
    una_run    *run;
    const char *out;
    bool        quick;
    entry       entries[MOST_PANELS];
    size_t      entry_count, seeds;
    uint64_t    first;
    una_bench_rows all, asked;           /* of the file; of this run                                           */
} bench;

/* ---- which models ----------------------------------------------------------------------------------------- */

static una_status add_entry(bench *b, const char *kind, const char *spec)
{
    for (size_t i = 0; i < b->entry_count; i++)
        if (strcmp(b->entries[i].spec, spec) == 0) return UNA_OK;
    if (b->entry_count == MOST_PANELS) UNA_FAIL(b->run, UNA_E_USAGE, "at most %d models fit on one page", MOST_PANELS);
    b->entries[b->entry_count++] = (entry){ kind, una_arena_text(&b->keep, spec) };
    return una_arena_check(&b->keep);
}

static una_status add_kind(bench *b, const char *kind)
{
    bool known = false;
    for (size_t i = 0; i < OWN; i++) {
        if (strcmp(own[i].kind, kind) != 0) continue;
        UNA_TRY(add_entry(b, kind, b->quick ? own[i].quick : own[i].spec));
        known = true;
    }
    return known ? UNA_OK : add_entry(b, kind, kind);
}

static bool is_kind(const char *name)
{
    for (size_t k = 0; k < una_kind_count(); k++)
        if (strcmp(una_kind_name(k), name) == 0) return true;
    return false;
}

static una_status add_every_kind(bench *b)
{
    for (size_t i = 0; i < OWN; i++)
        if (is_kind(own[i].kind)) UNA_TRY(add_kind(b, own[i].kind));
    for (size_t k = 0; k < una_kind_count(); k++) UNA_TRY(add_kind(b, una_kind_name(k)));
    return UNA_OK;
}

/* A mistake in the last of the specs is found before hours are spent on the first. */
static una_status add_asked(bench *b, const char *text)
{
    una_spec spec;
    UNA_TRY(una_spec_check(text, b->run));
    UNA_TRY(una_spec_parse(&spec, text, &b->keep, b->run));
    return spec.count == 0 ? add_kind(b, spec.name) : add_entry(b, spec.name, text);
}

/* ---- one fit ------------------------------------------------------------------------------------------------ */

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return sum / (double)count;
}

static una_status measure(una_bench_row *row, const una_model *model, const una_dataset *data, una_run *run)
{
    double x[POINTS], mean[ROWS] = {0}, std[ROWS] = {0}, error = 0;
    const double *y = una_dataset_numbers(data, 1);
    una_prediction out = { .size = sizeof out, .mean = mean, .std_epistemic = std };
    for (size_t i = 0; i < POINTS; i++) x[i] = gap_from + (gap_to - gap_from) * (double)i / (POINTS - 1);
    UNA_TRY(una_model_predict_rows(model, x, POINTS, 0.95, &out, run));
    row->gap_std = mean_of(std, POINTS);
    row->centre_std = std[POINTS / 2];
    row->ripple = una_bench_ripple(std, POINTS);
    UNA_TRY(una_model_predict(model, data, 0.95, &out, run));
    row->data_std = mean_of(std, ROWS);
    for (size_t i = 0; i < ROWS; i++) error += (mean[i] - y[i]) * (mean[i] - y[i]);
    row->rmse = sqrt(error / ROWS);
    row->seconds = una_model_info(model)->seconds;
    return UNA_OK;
}

/* OUT/cubic-nlm-1a2b3c4d-0.una: the checksum tells specs of one kind apart. */
static const char *model_path(bench *b, const entry *e)
{
    una_text path = una_text_in(&b->keep);
    una_text_add(&path, "%s/cubic-%s-%08lx-%llu.una", b->out, e->kind,
                 (unsigned long)una_crc32(0, e->spec, strlen(e->spec)), (unsigned long long)b->first);
    return path.at;
}

static una_status record(bench *b, const una_bench_row *row, const una_model *model, const entry *e)
{
    if (row->seed == b->first) {
        const char *path = model_path(b, e);
        UNA_TRY(una_arena_check(&b->keep));
        UNA_TRY(una_model_save(model, path, b->run));
    }
    b->result.fitted++;
    if (una_bench_rows_find(&b->all, row->spec, row->seed)) return UNA_OK;
    una_bench_rows_add(&b->all, *row);
    UNA_TRY(una_arena_check(&b->keep));
    return una_bench_rows_write(&b->all, b->result.table, b->run);
}

static una_status fit_one(bench *b, const entry *e, const una_dataset *data, uint64_t seed)
{
    una_model *model = NULL;
    una_fit_settings settings = { .size = sizeof settings, .target = "y" };
    una_bench_row row = { .model = e->kind, .spec = e->spec, .seed = seed };
    uint64_t before = b->run->settings.seed;
    b->run->settings.seed = seed;
    una_status status = una_fit(&model, e->spec, data, &settings, b->run);
    b->run->settings.seed = before;
    if (status == UNA_OK) status = measure(&row, model, data, b->run);
    if (status == UNA_OK) status = record(b, &row, model, e);
    una_model_free(model);
    return status;
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

static bool is_done(bench *b, const entry *e, uint64_t seed)
{
    if (!una_bench_rows_find(&b->all, e->spec, seed)) return false;
    return seed != b->first || access(model_path(b, e), R_OK) == 0;
}

static una_status explain(bench *b, const entry *e, uint64_t seed, una_status status)
{
    char why[sizeof b->run->message];
    memcpy(why, b->run->message, sizeof why);
    if (status == UNA_CANCELLED)
        UNA_FAIL(b->run, status, "interrupted; what was fitted is in %s, and the same call goes on from there",
                 b->result.table);
    return una_fail(b->run, status, "%s, seed %llu: %.800s", e->kind, (unsigned long long)seed, why);
}

static una_status fit_seed(bench *b, size_t index)
{
    una_dataset *data = NULL;
    uint64_t seed = b->first + index;
    UNA_TRY(una_dataset_synthetic(&data, "cubic", ROWS, 1, seed, b->run));
    una_status status = UNA_OK;
    double all = (double)(b->seeds * b->entry_count), from = b->run->progress_from, to = b->run->progress_to;
    for (size_t e = 0; e < b->entry_count && status == UNA_OK; e++) {
        double done = (double)(index * b->entry_count + e);
        b->run->progress_from = from + (to - from) * done / all;
        b->run->progress_to = from + (to - from) * (done + 1) / all;
        bool skip = is_done(b, &b->entries[e], seed);
        status = una_tick(b->run, b->entries[e].kind, 0, NAN);
        if (status == UNA_OK && !skip) status = fit_one(b, &b->entries[e], data, seed);
        if (status != UNA_OK) status = explain(b, &b->entries[e], seed, status);
    }
    b->run->progress_from = from;
    b->run->progress_to = to;
    una_dataset_free(data);
    return status;
}

/* Rows of this run only, spec by spec. */
static una_status gather(bench *b)
{
    for (size_t e = 0; e < b->entry_count; e++)
        for (size_t s = 0; s < b->seeds; s++)
            una_bench_rows_add(&b->asked, *una_bench_rows_find(&b->all, b->entries[e].spec, b->first + s));
    UNA_TRY(una_arena_check(&b->keep));
    b->result.rows = b->asked.at;
    b->result.row_count = b->asked.count;
    return una_bench_judge(&b->result, &b->keep, b->run);
}

static una_status draw(bench *b)
{
    una_model *models[MOST_PANELS] = { NULL };
    una_dataset *data = NULL;
    una_status status = una_dataset_synthetic(&data, "cubic", ROWS, 1, b->first, b->run);
    for (size_t e = 0; e < b->entry_count && status == UNA_OK; e++)
        status = una_model_load(&models[e], model_path(b, &b->entries[e]), b->run);
    if (status == UNA_OK)
        status = una_bench_cubic_page(b->result.page, &b->result, (const una_model *const *)models, data, b->first,
                                      b->quick, b->run);
    for (size_t e = 0; e < b->entry_count; e++) una_model_free(models[e]);
    una_dataset_free(data);
    return status;
}

static const char *path_in(bench *b, const char *name)
{
    una_text path = una_text_in(&b->keep);
    una_text_add(&path, "%s/%s", b->out, name);
    return path.at;
}

static una_status prepare(bench *b, const una_bench_settings *settings)
{
    b->quick = settings->quick != 0;
    b->seeds = settings->seeds ? settings->seeds : b->quick ? QUICK_SEEDS : SEEDS;
    b->first = b->run->settings.seed;
    if (b->first > (uint64_t)1 << 52)
        UNA_FAIL(b->run, UNA_E_USAGE, "seeds of an experiment go up to 2^52, so that its table can hold them");
    b->out = una_arena_text(&b->keep, settings->out ? settings->out : "una-bench");
    UNA_TRY(una_arena_check(&b->keep));
    b->result.table = path_in(b, "cubic.csv");
    b->result.page = path_in(b, "cubic.html");
    UNA_TRY(una_arena_check(&b->keep));
    if (settings->model_count == 0) UNA_TRY(add_every_kind(b));
    for (size_t i = 0; i < settings->model_count; i++) UNA_TRY(add_asked(b, settings->models[i]));
    if (mkdir(b->out, 0777) != 0 && errno != EEXIST)
        UNA_FAIL(b->run, UNA_E_IO, "cannot make the folder %s: %s; choose another one for the results", b->out,
                 strerror(errno));
    return una_bench_rows_read(&b->all, b->result.table, b->run);
}

static una_status work(bench *b, const una_bench_settings *settings)
{
    UNA_TRY(prepare(b, settings));
    for (size_t s = 0; s < b->seeds; s++) UNA_TRY(fit_seed(b, s));
    UNA_TRY(gather(b));
    return draw(b);
}

una_status una_bench_cubic(una_bench_result **result, const una_bench_settings *settings, una_run *run)
{
    static const una_bench_settings usual;
    *result = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    bench *b = una_allocate(run, sizeof *b);
    if (!b) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for an experiment");
    memset(b, 0, sizeof *b);
    una_arena_init(&b->keep, run);
    b->run = run;
    b->all.arena = b->asked.arena = &b->keep;
    una_status status = work(b, settings ? settings : &usual);
    if (status == UNA_OK) *result = &b->result;
    else una_bench_free(&b->result);
    return status;
}

void una_bench_free(una_bench_result *result)
{
    if (!result) return;
    bench *b = (bench *)result;
    una_run *run = b->run;
    una_arena_free(&b->keep);
    una_release(run, b);
}
