/* SPDX-License-Identifier: MIT
 *
 * The engine of all experiments: settings and options, the plan, the sweep over a store, then findings, claims, the
 * CSV file and the page. It knows experiments by their struct and models by their specs.
 */
#include "bench/claims.h"

#include "base/option.h"
#include "base/ranks.h"
#include "store/database.h"
#include "select/kept.h"
#include "store/folder.h"

#include <dirent.h>
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

static const una_bench_measure seconds_measure = { "seconds", "seconds", "s", "of the fit", -1 };

typedef struct bench {
    una_bench_result      result;        /* what the caller gets; first, so its address is that of the struct */
    una_kept_rows         kept;          /* its measures without seconds                                   */
    const una_experiment *experiment;
    una_asked             asked;
    una_plan              plan;
    const char           *server;        /* address of the store; NULL: the store is in the folder */
    una_findings          findings;
    size_t                prepared;      /* rows made that the plan depends on (its preparation) */
} bench;

/* ---- calls about the registry -------------------------------------------------------------------------------- */

static const una_experiment *experiment_at(size_t at)
{
    return at < una_bench_count() ? una_experiments[at] : NULL;
}

size_t una_bench_count(void)
{
    size_t count = 0;
    while (una_experiments[count]) count++;
    return count;
}

const char *una_bench_name(size_t at) { return experiment_at(at) ? experiment_at(at)->name : NULL; }
const char *una_bench_summary(size_t at) { return experiment_at(at) ? experiment_at(at)->summary : NULL; }
const char *una_bench_caption(size_t at) { return experiment_at(at) ? experiment_at(at)->caption : NULL; }
const char *una_bench_over(size_t at) { return experiment_at(at) ? experiment_at(at)->over : NULL; }

size_t una_bench_option_count(size_t at)
{
    const una_experiment *e = experiment_at(at);
    size_t count = 0;
    while (e && e->options && e->options[count].name) count++;
    return count;
}

una_status una_bench_option(una_option_info *info, size_t at, size_t option, una_run *run)
{
    una_option_info found;
    UNA_TRY(una_version_check("libuna_bench", run));
    UNA_TRY(UNA_CHECK_SIZE(info, una_option_info, run));
    if (option >= una_bench_option_count(at))
        UNA_FAIL(run, UNA_E_USAGE, "there is no option %zu of experiment %zu", option, at);

    una_mark mark = una_arena_mark(&run->texts);
    una_option_describe(&found, &experiment_at(at)->options[option], &run->texts);
    una_struct_give(info, &found, sizeof found);
    una_status status = una_arena_check(&run->texts);
    if (status != UNA_OK) una_arena_release(&run->texts, mark);
    return status;
}

static size_t measures_of(const una_experiment *e)
{
    size_t count = 0;
    while (e->measures[count].name) count++;
    return count;
}

size_t una_bench_measure_count(size_t at)
{
    return experiment_at(at) ? measures_of(experiment_at(at)) + 1 : 0;
}

const una_bench_measure *una_bench_measure_at(size_t at, size_t measure)
{
    size_t count = una_bench_measure_count(at);
    if (measure >= count) return NULL;
    return measure + 1 == count ? &seconds_measure : &experiment_at(at)->measures[measure];
}

static una_status find_experiment(const una_experiment **experiment, const char *name, una_run *run)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (; count < MOST && una_experiments[count]; count++) {
        *experiment = una_experiments[count];
        if (strcmp((*experiment)->name, name) == 0) return UNA_OK;
        names[count] = (*experiment)->name;
    }
    const char *near = una_nearest(name, names, count);
    if (near) UNA_FAIL(run, UNA_E_USAGE, "there is no experiment '%s'; did you mean '%s'?", name, near);
    UNA_FAIL(run, UNA_E_USAGE, "there is no experiment '%s'; 'una bench' lists them all", name);
}

/* ---- for experiments ----------------------------------------------------------------------------------------- */

una_row_key una_model_row_key(const una_bench_model *model, const char *study, const char *data, uint64_t split,
                              uint64_t seed)
{
    return (una_row_key){ study, data, split, model->spec, seed, model->results };
}

void una_plan_models(una_plan *plan, const una_asked *asked, const char *study, const char *data, uint64_t seed)
{
    for (size_t m = 0; m < asked->model_count; m++)
        una_plan_add(plan, una_model_row_key(&asked->models[m], study, data, 0, seed));
}

una_status una_plan_spec(una_plan *plan, const una_asked *asked, const char *spec, una_row_key like, size_t count,
                         una_run *run)
{
    UNA_TRY(una_row_key_spec(&like.spec, NULL, &like.results, spec, asked->keep, run));
    like.results += asked->experiment->results;
    for (size_t split = 0; split < count; split++) {
        like.split = split;
        una_plan_add(plan, like);
    }
    return UNA_OK;
}

una_text *una_study_option(una_text *study, const char *name)
{
    una_text_add(study, "%s%s=", study->at && strchr(study->at, '(') ? ", " : "(", name);
    return study;
}

const char *una_study_end(una_text *study)
{
    if (study->at && strchr(study->at, '(')) una_text_add(study, ")");
    return study->at;
}

size_t una_seed_count(double given, size_t usual, size_t quick, const una_asked *asked)
{
    if (!UNA_IS_AUTO(given)) return (size_t)given;
    return asked->quick ? quick : usual;
}

/* ---- settings and options ------------------------------------------------------------------------------------ */

static una_status check_key(const una_experiment *e, const char *key, una_run *run)
{
    for (const una_option *o = e->options; o && o->name; o++)
        if (strcmp(o->name, key) == 0) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "the experiment %s has no option '%.80s'; 'una bench --help' lists the options of all",
             e->name, key);
}

static una_status take_options(bench *b, const una_bench_settings *settings)
{
    const una_experiment *e = b->experiment;
    void *options = una_arena_get(b->kept.keep, 1, e->options_size);
    UNA_TRY(una_arena_check(b->kept.keep));
    if (e->options) UNA_TRY(una_options_default(options, e->options, b->kept.run));

    for (size_t i = 0; i < settings->set_count; i++) {
        una_spec items;
        UNA_TRY(una_spec_parse_items(&items, settings->set[i], b->kept.keep, b->kept.run));
        for (size_t k = 0; k < items.count; k++) {
            UNA_TRY(check_key(e, items.items[k].key, b->kept.run));
            UNA_TRY(una_option_set(options, e->options, e->name, items.items[k].key, items.items[k].value, b->kept.keep,
                                   b->kept.run));
        }
    }
    b->asked.options = options;
    return UNA_OK;
}

static una_status bench_take_request(bench *b, const una_bench_settings *settings)
{
    b->asked = (una_asked){ .experiment = b->experiment,
                            .quick = settings->quick != 0,
                            .keep = b->kept.keep,
                            .first = b->kept.run->settings.seed,
                            .out = una_arena_text(b->kept.keep, settings->out ? settings->out : "una-bench"),
                            .worker_only = !una_sweep_writes(b->kept.ranks),
                            .kept = settings->kept != 0 };
    UNA_TRY(una_arena_check(b->kept.keep));
    if (b->asked.first > (uint64_t)1 << 52)
        UNA_FAIL(b->kept.run, UNA_E_USAGE,
                 "seeds of an experiment go up to 2^52, so that every reader of its table can "
                 "hold them");
    if (settings->store && !una_database_is_server(settings->store))
        UNA_FAIL(b->kept.run, UNA_E_USAGE, "rows are kept in the folder, or on a server: '%.100s' is no address like "
                 "postgresql://user@host/database", settings->store);
    b->server = settings->store;
    UNA_TRY(take_options(b, settings));
    return una_models_asked(&b->asked, settings->models, settings->model_count, b->kept.run);
}

/* ---- the folder ---------------------------------------------------------------------------------------------- */

/* If the store has rows, the CSV file beside it is not needed: it is written from the store. */
static una_status explain_table(bench *b, una_status status, bool had_store)
{
    char why[sizeof b->kept.run->message];
    if (status != UNA_E_INPUT || !had_store) return status;
    memcpy(why, b->kept.run->message, sizeof why);
    return una_fail(b->kept.run, status, "%.700s. Or move %.250s away: it is written again from the store", why,
                    b->result.table);
}

/* Experiments share a store. A store of something else, such as that of una tune, is refused. */
static una_status check_store(bench *b)
{
    size_t count = una_bench_count();
    const char *foreign, **names = UNA_GET(b->kept.keep, const char *, count + 2);
    UNA_TRY(una_arena_check(b->kept.keep));
    for (size_t e = 0; e < count; e++) names[e] = una_experiments[e]->name;
    names[count] = b->experiment->name;
    names[count + 1] = "search";                         /* the preparation of an experiment */
    UNA_TRY(una_store_foreign_study(&foreign, b->kept.store, names, count + 2, b->kept.keep, b->kept.run));
    if (!foreign) return UNA_OK;
    UNA_FAIL(b->kept.run, UNA_E_INPUT,
             "%s has results of '%.80s', and of no experiment of this una; choose another folder, "
             "or move it away",
             una_store_path(b->kept.store), foreign);
}

/* The files of the folder, and the measures that stand in them. */
static una_status name_files(bench *b, const char *folder)
{
    b->result.out = una_arena_text(b->kept.keep, folder);
    b->result.table = una_phrase(b->kept.keep, "%s/%s.csv", folder, b->experiment->name);
    b->result.page = una_phrase(b->kept.keep, "%s/%s.html", folder, b->experiment->name);
    b->kept.measure_count = measures_of(b->experiment);
    UNA_NEW(b->kept.keep, const char *, names, b->kept.measure_count);
    for (size_t m = 0; m < b->kept.measure_count; m++) names[m] = b->experiment->measures[m].name;
    b->kept.measures = names;
    return UNA_OK;
}

/* Opens the store and adds the rows that only the CSV file has: a repository has only the file. For reading, a copy
 * of the store. */
static una_status open_folder(bench *b, const char *folder, bool for_reading)
{
    size_t count, added;
    const char *store = b->server ? b->server : una_phrase(b->kept.keep, "%s/bench.sqlite", folder);
    UNA_TRY(name_files(b, folder));
    if (!b->server) UNA_TRY(una_store_check_csv(store, b->kept.run));
    UNA_TRY(una_store_check_csv(b->result.table, b->kept.run));
    UNA_TRY(una_store_check_csv(b->result.page, b->kept.run));

    bool had_store = b->server || access(store, F_OK) == 0, has_table = access(b->result.table, F_OK) == 0;
    if (for_reading && !had_store && !has_table)
        UNA_FAIL(b->kept.run, UNA_E_INPUT, "the folder %s has no results of %s", folder, b->experiment->name);
    UNA_TRY(una_store_open(&b->kept.store, store, for_reading ? UNA_DATABASE_COPY : UNA_DATABASE_JOURNAL, b->kept.run));
    UNA_TRY(check_store(b));
    b->kept.table = b->result.table;
    if (!has_table) return UNA_OK;
    una_row_table table = una_kept_table(&b->kept, b->kept.table);
    una_status status = una_store_import(b->kept.store, &table, &count, &added, b->kept.run);
    return explain_table(b, status, had_store);
}

/* Rank 0 has the folder, the others a store in memory. */
static una_status open_results(bench *b)
{
    if (!b->asked.worker_only) {
        UNA_TRY(una_folder_make(b->asked.out, b->kept.run));
        return open_folder(b, b->asked.out, false);
    }
    UNA_TRY(name_files(b, b->asked.out));
    return una_sweep_store(&b->kept.store, NULL, b->kept.ranks, b->kept.run);
}

/* ---- the sweep ----------------------------------------------------------------------------------------------- */

static una_status make_row(void *context, const una_row_key *key, una_outcome *outcome, una_run *run)
{
    const bench *b = context;
    UNA_SCOPED(run, b->experiment->measure(&(una_measuring){ outcome, key, &b->asked, run }));
    return UNA_OK;
}

/* Logs how well the work was shared. */
static void log_ranks(const bench *b, const una_sweep *sweep)
{
    if (!b->kept.ranks || b->kept.ranks->count == 1 || b->asked.worker_only || sweep->made == 0) return;
    char share[32];
    double percent = 100 * sweep->waited / (sweep->worked + sweep->waited);
    una_number_text(share, round(1000 * percent) / 1000);
    una_log(b->kept.run, UNA_LOG_NOTE, "%d ranks made %zu fits, and waited %s %% of their time for the next one",
            b->kept.ranks->count, sweep->made, share);
}

static una_status sweep_rows(bench *b, const una_kept_rows *kept, const una_plan *plan, size_t *made)
{
    una_sweep sweep = una_kept_sweep(kept, plan, make_row, b);
    una_status status = una_sweep_run(&sweep, b->kept.run);
    *made += sweep.made;
    log_ranks(b, &sweep);
    return status == UNA_OK ? status : una_kept_stopped(&b->kept, status);
}

/* The keys of the plan that have no row yet. */
static una_status list_wanted(una_plan *wanted, bench *b)
{
    una_sweep sweep = una_kept_sweep(&b->kept, &b->plan, NULL, NULL);
    size_t count, *missing = UNA_GET(b->kept.keep, size_t, b->plan.count);
    UNA_TRY(una_arena_check(b->kept.keep));
    UNA_TRY(una_sweep_missing(missing, &count, &sweep, b->kept.run));
    for (size_t i = 0; i < count; i++) una_plan_add(wanted, b->plan.keys[missing[i]]);
    return una_arena_check(b->kept.keep);
}

/* Makes the rows that the plan depends on, step by step. */
static una_status bench_prepare(bench *b)
{
    const una_experiment *e = b->experiment;
    una_plan wanted = { .arena = b->kept.keep };
    una_kept_rows prepared = b->kept;
    b->asked.store = b->kept.store;
    if (!e->prepare) return UNA_OK;
    prepared.measures = e->prepared;
    for (prepared.measure_count = 0; e->prepared[prepared.measure_count];) prepared.measure_count++;
    UNA_TRY(una_sweep_share(b->kept.store, "search", b->kept.ranks, b->kept.run));
    UNA_TRY(list_wanted(&wanted, b));
    for (size_t number = 0;; number++) {
        una_plan more = { .arena = b->kept.keep };
        UNA_TRY(e->prepare(&more, number, &wanted, &b->asked, b->kept.run));
        UNA_TRY(una_arena_check(b->kept.keep));
        if (more.count == 0) return UNA_OK;
        UNA_TRY(sweep_rows(b, &prepared, &more, &b->prepared));
    }
}

/* The plan without keys that have no row. */
static una_status keep_found(bench *b)
{
    una_plan missing = { .arena = b->kept.keep }, found = { .arena = b->kept.keep };
    UNA_TRY(list_wanted(&missing, b));
    for (size_t i = 0; i < b->plan.count; i++)
        if (una_plan_find(&missing, &b->plan.keys[i]) == SIZE_MAX) una_plan_add(&found, b->plan.keys[i]);
    UNA_TRY(una_arena_check(b->kept.keep));
    b->asked.absent = missing.count;
    b->plan = found;
    if (found.count > 0) return UNA_OK;
    UNA_FAIL(b->kept.run, UNA_E_INPUT,
             "the folder %s has none of the fits that were asked for (%zu in all), and kept makes "
             "none; leave it out",
             b->asked.out, missing.count);
}

/* ---- results ------------------------------------------------------------------------------------------------- */

static const char *measure_name(const bench *b, size_t m)
{
    return m < b->kept.measure_count ? b->kept.measures[m] : seconds_measure.name;
}

static una_status bench_list_rows(bench *b)
{
    const una_findings *f = &b->findings;
    UNA_NEW(b->kept.keep, una_bench_key, keys, f->count);
    UNA_NEW(b->kept.keep, una_bench_row, rows, f->count * f->measures);
    UNA_NEW(b->kept.keep, una_bench_mean, means, f->group_count * f->measures);

    for (size_t g = 0; g < f->group_count; g++) {
        const una_group *group = &f->groups[g];
        const char *whole = una_group_key(group)->data;       /* names have no checksum, keys do */
        const char *data = una_phrase(b->kept.keep, "%.*s", (int)una_row_key_data(whole), whole);
        UNA_TRY(una_arena_check(b->kept.keep));
        for (size_t i = group->from; i < group->from + group->count; i++) {
            const una_row *fit = &f->fits[i];
            keys[i] = (una_bench_key){ fit->key.study, data, fit->key.split, group->model, fit->key.spec,
                                       fit->key.seed, fit->key.results, fit->options, fit->kernels, fit->commit };
            for (size_t m = 0; m < f->measures; m++)
                rows[i * f->measures + m] = (una_bench_row){ &keys[i], measure_name(b, m),
                                                             una_findings_value(f, i, m) };
        }
        for (size_t m = 0, at = g * f->measures; m < f->measures; m++, at++)
            means[at] = (una_bench_mean){ &keys[group->from], measure_name(b, m), group->count, f->mean[at],
                                          f->sd[at] };
    }

    b->result.rows = rows;
    b->result.row_count = f->count * f->measures;
    b->result.means = means;
    b->result.mean_count = f->group_count * f->measures;
    return UNA_OK;
}

static una_status evaluate_claims(bench *b)
{
    size_t most = 0, count = 0;
    const una_claim *list = b->experiment->claims;
    if (b->experiment->list_claims) UNA_TRY(b->experiment->list_claims(&list, &b->asked, b->kept.run));
    while (list && list[most].sentence) most++;
    UNA_NEW(b->kept.keep, una_bench_claim, claims, most);

    for (size_t i = 0; i < most; i++) {
        const una_claim *claim = &list[i];
        una_text numbers = una_text_in(b->kept.keep);
        claims[count].sentence = claim->sentence;
        UNA_SCOPED(b->kept.run, una_claim_judge(&claims[count].holds, &numbers, claim, &b->findings, b->kept.run));
        claims[count].numbers = numbers.at;
        count += claims[count].holds != UNA_NOT_ASKED;
    }
    b->result.claims = claims;
    b->result.claim_count = count;
    return una_arena_check(b->kept.keep);
}

static una_status get_ready(bench *b, const una_bench_settings *given)
{
    una_bench_settings settings;
    UNA_TRY(UNA_TAKE(&settings, given, una_bench_settings, b->kept.run));
    UNA_TRY(una_texts_check(settings.models, settings.model_count, "models", b->kept.run));
    UNA_TRY(una_texts_check(settings.set, settings.set_count, "set", b->kept.run));
    UNA_TRY(bench_take_request(b, &settings));
    b->plan.arena = b->kept.keep;
    if (b->experiment->begin) UNA_TRY(b->experiment->begin(&b->asked.shared, &b->asked, b->kept.run));
    UNA_TRY(b->experiment->plan(&b->plan, &b->asked, b->kept.run));
    UNA_TRY(una_arena_check(b->kept.keep));
    return open_results(b);
}

static una_status bench_present(bench *b)
{
    if (b->asked.worker_only) return UNA_OK;
    UNA_TRY(una_findings_gather(&b->findings, &b->plan, &b->asked, b->kept.store, b->kept.keep, b->kept.run));
    UNA_TRY(bench_list_rows(b));
    UNA_TRY(evaluate_claims(b));
    UNA_TRY(una_kept_write_table(&b->kept));
    return una_experiment_page(&b->findings, b->result.claims, b->result.claim_count, &b->asked, b->kept.run);
}

static una_status bench_perform(bench *b, const una_bench_settings *given)
{
    UNA_TRY(una_sweep_agree(get_ready(b, given), b->kept.ranks, b->kept.run));
    if (b->asked.kept) UNA_TRY(keep_found(b));
    else UNA_TRY(bench_prepare(b));
    b->result.fits = b->plan.count;
    UNA_TRY(sweep_rows(b, &b->kept, &b->plan, &b->result.fitted));
    return una_sweep_agree(bench_present(b), b->kept.ranks, b->kept.run);
}

/* ---- the public calls ---------------------------------------------------------------------------------------- */

static una_status new_bench(bench **out, const una_experiment *experiment, una_run *run)
{
    una_arena *keep;
    bench *b = *out = una_result_new(&keep, sizeof *b, run);
    if (!b) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for an experiment");
    una_kept_begin(&b->kept, experiment->name, NULL, 0, keep);
    b->experiment = experiment;
    return UNA_OK;
}

una_status una_experiment_run(una_bench_result **result, const una_experiment *experiment,
                              const una_bench_settings *settings, una_run *run)
{
    bench *b;
    *result = NULL;
    una_status status = new_bench(&b, experiment, run);
    if (!b) return una_ranks_agree(status, run);
    UNA_SCOPED_CALL(status, run, bench_perform(b, settings));
    if (experiment->end) experiment->end(b->asked.shared);
    una_kept_close(&b->kept);
    if (status == UNA_OK) *result = &b->result;
    else una_bench_free(&b->result);
    return status;
}

una_status una_bench_run(una_bench_result **result, const char *name, const una_bench_settings *settings, una_run *run)
{
    const una_experiment *experiment;
    *result = NULL;
    UNA_TRY(una_version_check("libuna_bench", run));
    una_clear_message(run);
    UNA_TRY(find_experiment(&experiment, name, run));
    return una_experiment_run(result, experiment, settings, run);
}

void una_bench_free(una_bench_result *result)
{
    una_result_free(result);
}

/* What a file of this name is in the folder; NULL: nothing of the folder, or the table of this experiment, which may
 * be replaced. */
static const char *part_of_folder(const bench *b, const char *name)
{
    char own[256];
    snprintf(own, sizeof own, "%s.csv", b->experiment->name);
    if (strncmp(name, "bench.sqlite", strlen("bench.sqlite")) == 0) return "the store of the results";
    if (strlen(name) > 4 && strcmp(name + strlen(name) - 4, ".una") == 0) return "a model that was kept";
    for (size_t e = 0; una_experiments[e]; e++) {
        size_t length = strlen(una_experiments[e]->name);
        if (strncmp(name, una_experiments[e]->name, length) != 0) continue;
        if (strcmp(name + length, ".html") == 0 || strcmp(name + length, ".md") == 0)
            return "the page of an experiment";
        if (name[length] == '-') return "a figure or table of an experiment";
        if (strcmp(name + length, ".csv") == 0 && strcmp(name, own) != 0) return "the table of another experiment";
    }
    return NULL;
}

static una_status refuse_goal(const char *path, const char *what, una_run *run)
{
    UNA_FAIL(run, UNA_E_USAGE, "%s is %s in this folder, and rows would overwrite it; give the rows another name", path,
             what);
}

/* A file that exists is compared by inode, whatever its name; one that does not exist, by its folder and name. */
static una_status check_goal(const bench *b, const char *folder, const char *given)
{
    struct stat goal, about, home;
    const char *path;
    UNA_TRY(una_file_destination(&path, given, &b->kept.run->scratch, b->kept.run));
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    const char *parent =
        una_phrase(&b->kept.run->scratch, "%.*s", slash ? (int)(slash - path) + 1 : 1, slash ? path : ".");
    UNA_TRY(una_arena_check(&b->kept.run->scratch));
    if (stat(parent, &about) == 0 && stat(folder, &home) == 0 && about.st_dev == home.st_dev &&
        about.st_ino == home.st_ino && part_of_folder(b, base))
        return refuse_goal(given, part_of_folder(b, base), b->kept.run);
    if (stat(path, &goal) != 0) return UNA_OK;

    const char *what = NULL;
    DIR *open = opendir(folder);
    for (struct dirent *file; open && !what && (file = readdir(open));) {
        const char *part = part_of_folder(b, file->d_name);
        if (part && fstatat(dirfd(open), file->d_name, &about, 0) == 0 && about.st_dev == goal.st_dev &&
            about.st_ino == goal.st_ino)
            what = part;
    }
    if (open) closedir(open);
    return what ? refuse_goal(given, what, b->kept.run) : UNA_OK;
}

static una_status count_row(void *context, const una_row *row, una_run *run)
{
    (void)row;
    (void)run;
    ++*(size_t *)context;
    return UNA_OK;
}

/* added NULL: rows go out to the file; else they come in. */
static una_status exchange_rows(bench *b, const char *out, const char *path, size_t *rows, size_t *added)
{
    size_t count = 0;
    if (!added) UNA_TRY(check_goal(b, out, path));
    UNA_TRY(open_folder(b, out, !added));
    una_row_table table = una_kept_table(&b->kept, path);
    if (added) return una_store_import(b->kept.store, &table, rows, added, b->kept.run);
    UNA_TRY(una_store_each(b->kept.store, b->experiment->name, count_row, &count, b->kept.run));
    if (count == 0)
        UNA_FAIL(b->kept.run, UNA_E_INPUT, "there are no results of %s in %s", b->experiment->name,
                 una_store_path(b->kept.store));
    return una_store_export(b->kept.store, &table, rows, b->kept.run);
}

static una_status in_folder(const char *name, const char *out, const char *path, size_t *rows, size_t *added,
                            una_run *run)
{
    const una_experiment *experiment;
    bench *b;
    una_clear_message(run);
    UNA_TRY(find_experiment(&experiment, name, run));
    UNA_TRY(new_bench(&b, experiment, run));
    una_status status;
    UNA_SCOPED_CALL(status, run, exchange_rows(b, out, path, rows, added));
    una_kept_close(&b->kept);
    una_bench_free(&b->result);
    return status;
}

una_status una_bench_export(size_t *rows, const char *name, const char *out, const char *path, una_run *run)
{
    const char *folder = out ? out : "una-bench";
    *rows = 0;
    UNA_TRY(una_version_check("libuna_bench", run));
    UNA_TRY(una_folder_check(folder, run));
    if (access(folder, F_OK) != 0) UNA_FAIL(run, UNA_E_IO, "there is no folder of results %s", folder);
    return in_folder(name, folder, path, rows, NULL, run);
}

una_status una_bench_import(size_t *rows, size_t *added, const char *name, const char *out, const char *path,
                            una_run *run)
{
    const char *folder = out ? out : "una-bench";
    *rows = *added = 0;
    UNA_TRY(una_version_check("libuna_bench", run));
    if (access(path, R_OK) != 0) UNA_FAIL(run, UNA_E_IO, "cannot read %s: %s", path, strerror(errno));
    UNA_TRY(una_store_check_csv(path, run));
    UNA_TRY(una_folder_make(folder, run));
    return in_folder(name, folder, path, rows, added, run);
}
