/* SPDX-License-Identifier: MIT
 *
 * una update: more rows into the posterior with the features kept, which is exact and needs no old rows.
 * With --with OLD the model is fitted anew, with the same options, on the old rows and the new ones: the
 * way for models without an exact update, and for new rows so different that the features should change.
 */
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const cli_flag flags[] = {
    CLI_FLAG("out", CLI_FILE_OUT, "MODEL", "where the updated model goes (default: over MODEL)"),
    CLI_FLAG("with", CLI_FILE, "OLD", "do not update but fit again on OLD and DATA together, with the options of "
             "MODEL; for models that cannot be updated exactly"),
    CLI_FLAG_SWITCH("adapt", "the noise gets the size that the new rows show, and auto its weights, by what MODEL predicts of "
                    "them before it takes them in; with --with: the fit finds the noise and the kernel's lengths again, "
                    "which it would keep otherwise"),
    CLI_FLAG_CHOICE("missing", "HOW", "drop|mean", "with --with: what to do with missing cells, drop the row, or fill "
                    "in the mean (default: as MODEL was fitted)"),
    CLI_FLAG_WHERE,
    CLI_FLAG_IMAGES,
    CLI_FLAG_INDEX,
    CLI_FLAG_END
};

typedef struct update {
    const char *out;
    const char *replaced;                /* kind of the model that stood where this one goes        */
    const char *added;                   /* kind of its stack that the model had not; NULL: none    */
    una_model  *model;
    size_t      rows_added;
} update;

/* ---- fitting again ----------------------------------------------------------------------------------- */

static uint64_t sum_bytes(uint64_t sum, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    while (count-- > 0) sum = (sum ^ *at++) * 1099511628211u;
    return sum;
}

/* A sum of the inputs and targets of a row; rows with the same cells have the same sum. 0: a column is missing. */
static uint64_t sum_row(const una_model *model, const una_dataset *data, size_t row, una_run *run)
{
    uint64_t sum = 14695981039346656037u;
    size_t inputs = una_model_input_count(model), targets = una_model_target_count(model), column;
    for (size_t i = 0; i < inputs + targets; i++) {
        const char *name = i < inputs ? una_model_input_name(model, i)
                                      : una_model_info(una_model_target(model, i - inputs))->target;
        if (una_dataset_find(&column, data, name, run) != UNA_OK) return 0;
        const double *number = una_dataset_numbers(data, column);
        const char *const *words = una_dataset_words(data, column), *word = words ? words[row] : NULL;
        if (number) sum = sum_bytes(sum, &number[row], sizeof *number);
        else sum = sum_bytes(sum, word ? word : "", word ? strlen(word) + 1 : 0);
    }
    return sum ? sum : 1;
}

static int by_sum(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Warns of new rows that are among the old ones already. */
static void warn_of_repeats(const cli *c, const una_model *model, const una_dataset *old, const una_dataset *more)
{
    size_t count = una_dataset_row_count(old), again = 0, first = 0;
    uint64_t *sums = cli_alloc(count, sizeof *sums);
    for (size_t i = 0; i < count; i++) sums[i] = sum_row(model, old, i, c->run);
    qsort(sums, count, sizeof *sums, by_sum);
    for (size_t i = 0; i < una_dataset_row_count(more); i++) {
        uint64_t sum = sum_row(model, more, i, c->run);
        if (sum && count && bsearch(&sum, sums, count, sizeof *sums, by_sum) && again++ == 0)
            first = una_dataset_row_number(more, i);
    }
    cli_free(sums);

    if (again)
        cli_warn(c, "warning: %zu of %zu rows of %.200s have the same inputs and target as rows of the old table (the "
                 "first is row %zu); if they are the same observations, they count twice now", again,
                 una_dataset_row_count(more), c->operand[1], first);
}

static bool option_begins(const una_model *model, const char *option, const char *value)
{
    char text[64];
    snprintf(text, sizeof text, "\"%s\":\"%s", option, value);
    return strstr(una_model_options_json(una_model_target(model, 0)), text) != NULL;
}

/* What a model of an older una did not know of, and a fit with its options takes in. */
static const char *kind_added(const una_model *old, const una_model *fresh)
{
    bool stack = strcmp(una_model_info(fresh)->kind, "auto") == 0;
    return stack && !option_begins(old, "trees", "") && !option_begins(fresh, "trees", "none") ? "trees" : NULL;
}

/* A failure of the fit; where its remedy is a flag of una fit that this verb does not have, says so. */
static una_status fit_refused(const cli *c, una_status status)
{
    static const char *const foreign[] = { "--drop", "--group", "--other", "--target" };
    bool found = false;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        found = found || strstr(una_run_message(c->run), foreign[i]);
    if (!found) return status;
    return cli_fail(c, status, "%s. An update makes the choices that %s was fitted with; for others, put the rows of "
                    "both tables into one and give it to 'una fit'", una_run_message(c->run),
                    cli_escaped(c->operand[0]));
}

/* A fitted spec with noise and lengths left to the fit again; everything else stays. */
static char *spec_to_adapt(const char *spec)
{
    static const char *const again[][2] = { { "noise_std=", "auto" }, { "noise=", "auto" }, { "optimise=", "yes" } };
    enum { OPTIONS = sizeof again / sizeof *again, LONGEST_VALUE = 4 };
    char *text = cli_alloc(strlen(spec) * (1 + LONGEST_VALUE) + 1, 1), *to = text;
    for (const char *at = spec; *at;) {
        size_t k = 0, name;
        while (k < OPTIONS && strncmp(at, again[k][0], strlen(again[k][0])) != 0) k++;
        bool begins = at > spec && (at[-1] == ' ' || at[-1] == '(');
        if (k == OPTIONS || !begins) {
            *to++ = *at++;
            continue;
        }
        name = strlen(again[k][0]);
        to += sprintf(to, "%s%s", again[k][0], again[k][1]);
        at += name + strcspn(at + name, ",)");
    }
    *to = 0;
    return text;
}

static una_status fit_joined(const cli *c, update *u, const char *old_path)
{
    const una_fit_info *info = una_model_info(u->model);
    size_t targets = una_model_target_count(u->model);
    const char **names = cli_alloc(targets, sizeof *names);
    for (size_t t = 0; t < targets; t++) names[t] = una_model_info(una_model_target(u->model, t))->target;
    const char **drop = cli_alloc(info->drop_count + 1, sizeof *drop);
    una_fit_settings settings = { .size = sizeof settings, .targets = names, .target_count = targets,
                                  .missing = cli_has(c, "missing") ? cli_missing(c) : info->missing,
                                  .other = info->other, .drop = drop, .only = info->only,
                                  .only_count = info->only_count, .log_target = info->log_target, .no_files = 1,
                                  .group = info->group };
    static const char *const weigh_again[] = { "weights=auto" };     /* unless a person gave them */
    una_dataset *old, *more, *joined;
    settings.set = weigh_again;
    settings.set_count = option_begins(u->model, "weights", "auto[");

    CLI_TRY(cli_read(c, &old, old_path, u->model));
    CLI_TRY(cli_read(c, &more, c->operand[1], u->model));
    CLI_TRY(una_dataset_join(&joined, old, more, c->run));
    cli_own_table(joined);
    for (size_t i = 0, column; i < info->drop_count; i++) {  /* it may be gone already */
        if (una_dataset_find(&column, joined, info->drop[i], c->run) == UNA_OK)
            drop[settings.drop_count++] = info->drop[i];
    }
    u->rows_added = una_dataset_row_count(more);
    una_model *fresh;
    char *adapted = cli_has(c, "adapt") ? spec_to_adapt(info->spec) : NULL;
    una_status status = una_fit(&fresh, adapted ? adapted : info->spec, joined, &settings, c->run);
    cli_free(adapted);
    CLI_TRY(status);
    cli_own_model(fresh);
    warn_of_repeats(c, u->model, old, more);
    u->added = kind_added(u->model, fresh);
    u->model = fresh;
    return UNA_OK;
}

/* ---- one after the other --------------------------------------------------------------------------------- */

/* Of two updates of one file the second must read what the first has written: so the file is locked from before it is
 * read until it is replaced. A process that waited for a file that was replaced meanwhile locks the new one. Files on a
 * system without locks are updated without. */
static bool is_free(int handle)
{
    return flock(handle, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

static bool is_same(int handle, const char *path)
{
    struct stat held, named;
    return fstat(handle, &held) == 0 && stat(path, &named) == 0 && held.st_dev == named.st_dev
           && held.st_ino == named.st_ino;
}

static una_status wait_for_update(const cli *c, int handle, const char *path, double since, bool *warned)
{
    struct timespec step = { .tv_nsec = 10000000 };
    while (!is_free(handle)) {
        if (!*warned && cli_seconds() - since > 1) {
            cli_warn(c, "another process is updating %.400s; waiting for it", path);
            *warned = true;
        }
        nanosleep(&step, NULL);
        CLI_TRY(cli_check_interrupt(c));
    }
    return UNA_OK;
}

/* *handle: close it when the file is replaced; -1: there is nothing to lock. On file systems whose files never keep
 * their identity there is no waiting. */
static una_status lock_model_file(const cli *c, int *handle, const char *path)
{
    enum { TRIES = 10000 };
    double since = cli_seconds();
    bool warned = false;
    for (int i = 0; i < TRIES; i++) {
        *handle = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (*handle < 0) *handle = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
        if (*handle < 0) return UNA_OK;                  /* reading it says why */
        una_status status = wait_for_update(c, *handle, path, since, &warned);
        if (status == UNA_OK && is_same(*handle, path)) return UNA_OK;
        close(*handle);
        *handle = -1;
        CLI_TRY(status);
    }
    return UNA_OK;
}

static bool is_renewed(const char *path, const char *out)
{
    struct stat old, goal;
    return stat(path, &old) == 0 && stat(out, &goal) == 0 && S_ISREG(old.st_mode) && old.st_dev == goal.st_dev
           && old.st_ino == goal.st_ino;
}

/* ---- the verb ------------------------------------------------------------------------------------------ */

static una_status update_model(const cli *c, update *u)
{
    const char *old_path = cli_text(c, "with"), *kind = una_model_info(u->model)->kind;
    size_t index = cli_kind_find(kind);
    if (old_path) {
        una_status status = fit_joined(c, u, old_path);
        return status == UNA_OK ? status : fit_refused(c, status);
    }
    if (cli_has(c, "missing"))
        return cli_fail(c, UNA_E_USAGE, "--missing goes with --with OLD: without it the model keeps the rule that it "
                        "was fitted with");
    if (index != SIZE_MAX && !una_kind_updates(index))
        return cli_fail(c, UNA_E_USAGE, "a %s model cannot take rows in exactly; give the rows it was trained on with "
                        "--with OLD.csv, and it will be fitted again", kind);
    const una_file_settings rows = { .size = sizeof rows, .where = cli_text(c, "where"),
                                     .images = cli_text(c, "images"), .adapt = cli_has(c, "adapt") };
    return una_update_file_with(u->model, c->operand[1], &rows, &u->rows_added, c->run);
}

static una_status update_file(const cli *c, update *u)
{
    u->replaced = cli_replaced(c, u->out);
    CLI_TRY(cli_load(c, &u->model, c->operand[0]));
    CLI_TRY(update_model(c, u));
    CLI_TRY(cli_check_interrupt(c));
    return una_model_save(u->model, u->out, c->run);
}

static una_status run_update(cli *c)
{
    update *u = cli_alloc(1, sizeof *u);
    int handle = -1;
    c->found = u;
    u->out = cli_has(c, "out") ? cli_text(c, "out") : c->operand[0];
    CLI_TRY(cli_check_files(c, "out", u->out));
    if (is_renewed(c->operand[0], u->out)) CLI_TRY(lock_model_file(c, &handle, c->operand[0]));
    una_status status = update_file(c, u);
    if (handle >= 0) close(handle);
    return status;
}

/* ---- telling ------------------------------------------------------------------------------------------- */

/* Of one target. */
static void json_found(const una_fit_info *info)
{
    cli_json_put(", 'noise_std': %g, 'log_evidence': %g", info->noise_std, info->log_evidence);
    if (info->updates)
        cli_json_put(", 'updates': {'count': %zu, 'rows_added': %zu, 'mean_z2': %g, 'log_lik': %g}", info->updates,
                     info->rows_added, info->added_z2, info->added_log_lik);
    cli_json_texts("warnings", info->warnings, info->warning_count);
}

static void print_update_json(cli *c)
{
    const update *u = c->found;
    const una_fit_info *info = una_model_info(u->model);
    size_t targets = una_model_target_count(u->model);
    cli_json_put("{'rows_added': %zu, 'rows': %zu, 'kind': %s, 'refitted': %d", u->rows_added, info->rows, info->kind,
                 cli_has(c, "with"));
    if (targets == 1) json_found(info);
    else cli_json_put(", 'targets': [");
    for (size_t t = 0; targets > 1 && t < targets; t++) {
        const una_fit_info *part = una_model_info(una_model_target(u->model, t));
        cli_json_put(", {'target': %s, 'rows': %zu", part->target, part->rows);
        json_found(part);
        cli_json_put("}");
    }
    if (targets > 1) cli_json_put("]");
    cli_json_put(", 'added': %s, 'model': %s, 'replaced': %s}\n", u->added, u->out, u->replaced);
}

static void print_update(cli *c)
{
    const update *u = c->found;
    const una_fit_info *info = una_model_info(u->model);
    printf("%zu row%s added%s: the %s model now rests on %zu rows and is in %s\n", u->rows_added,
           u->rows_added == 1 ? "" : "s", cli_has(c, "with") ? " and the model fitted again" : "",
           cli_escaped(info->kind), info->rows, cli_escaped(u->out));
    if (u->added)
        printf("%s were added to the stack, which the model from an older una was fitted without; to leave them out, "
               "use una fit with --set %s=none\n", u->added, u->added);
    if (u->replaced && strcmp(u->out, c->operand[0]) != 0)
        printf("%s\n", cli_escaped(cli_replaced_words(u->replaced)));
}

const cli_verb cli_update = {
    "update", "add rows to a model, exactly and without retraining",
    "Adds the rows of DATA to a model's posterior and keeps its features: the answers are then those of a posterior "
    "fitted on all rows, old and new. The old rows are not needed. Adding rows one at a time, in pieces or all at "
    "once gives the same result. MODEL predicts the rows before it takes them in: where they contradict it, a warning "
    "says how, and 'una info' keeps a record. --adapt gives the noise the size that they show.",
    { { "MODEL", CLI_FILE_UPDATED, "a model file made by 'una fit'" },
      { "DATA", CLI_FILE, "a table with the model's inputs and its target, or all its targets" } },
    flags, CLI_WITH_SEED | CLI_WITH_RUN | CLI_WITH_READING | CLI_WITH_JSON | CLI_WITH_QUIET | CLI_IS_SUMMARY,
    "una update measurements.una today.csv\n"
    "una update measurements.una today.csv --out measurements-2.una\n"
    "una update measurements.una today.csv --adapt\n"
    "# features and all, from the old rows and the new ones\n"
    "una update measurements.una today.csv --with measurements.csv",
    .run = run_update, .json = print_update_json, .text = print_update
};
