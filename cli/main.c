/* SPDX-License-Identifier: MIT
 *
 * The program: finds the verb, reads its flags, makes the run, and turns the status into the exit code.
 *
 * Signals: the first Ctrl-C (or SIGTERM) asks the work to stop where nothing is half-written, and the
 * program ends with 130; the second one ends it at once. Calls of the system that wait, for a pipe that gives nothing
 * or for somebody to open its other end, are interrupted by it; an output that nobody takes is given up a second later.
 * SIGPIPE keeps its usual meaning; SIGXFSZ does not: a write to a file above its size limit fails and is
 * reported.
 */
#include "cli.h"
#include "una_report.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

const cli_verb *const cli_verbs[] = {
    &cli_demo, &cli_fit, &cli_predict, &cli_update, &cli_score,
#ifdef UNA_HAS_bench
    &cli_gap,
#endif
    &cli_explain,
#ifdef UNA_HAS_study
    &cli_suggest, &cli_tune, &cli_compare,
#endif
    &cli_plot,
#ifdef UNA_HAS_study
    &cli_study_new, &cli_study_ask, &cli_study_tell, &cli_study_drop, &cli_study_run, &cli_study_best, &cli_study_show,
    &cli_study_export, &cli_study_import,
#endif
#ifdef UNA_HAS_bench
    &cli_bench, &cli_data_list, &cli_data_import, &cli_data_get,
#endif
    &cli_models, &cli_info, NULL
};

/* Verbs of libraries that this program was built without, and the option of the build that brings them. */
static const struct { const char *verb, *option; } left_out[] = {
#ifndef UNA_HAS_study
    { "suggest", "UNA_STUDY" }, { "tune", "UNA_STUDY" }, { "compare", "UNA_STUDY" }, { "study", "UNA_STUDY" },
#endif
#ifndef UNA_HAS_bench
    { "gap", "UNA_BENCH" }, { "bench", "UNA_BENCH" }, { "data", "UNA_BENCH" },
#endif
    { NULL, NULL }
};

static const cli_family *find_family(const char *name)
{
    const cli_verb *word = NULL;
    while ((word = cli_next_word(word)) && (!word->family || strcmp(word->family->name, name) != 0)) {}
    return word ? word->family : NULL;
}

const char *cli_second_word(const cli_verb *verb)
{
    const char *blank = strchr(verb->name, ' ');
    return blank ? blank + 1 : "";
}

const cli_verb *cli_next_member(const cli_family *family, const cli_verb *before)
{
    size_t i = 0;
    while (before && cli_verbs[i++] != before) {}
    while (cli_verbs[i] && cli_verbs[i]->family != family) i++;
    return cli_verbs[i];
}

const cli_verb *cli_next_word(const cli_verb *before)
{
    size_t i = 0;
    while (before && cli_verbs[i++] != before) {}
    while (before && before->family && cli_verbs[i] && cli_verbs[i]->family == before->family) i++;
    return cli_verbs[i];
}

const char *cli_first_word(const cli_verb *verb)
{
    return verb->family ? verb->family->name : verb->name;
}

static const cli_verb *find_verb(const char *name)
{
    for (size_t i = 0; cli_verbs[i]; i++) {
        if (strcmp(cli_verbs[i]->name, name) == 0) return cli_verbs[i];
    }
    return NULL;
}

/* ---- signals ------------------------------------------------------------------------------------- */

static volatile int interrupted;                 /* the run looks at it */
static pthread_t main_thread;

/* Passes the signal on to the main thread, which is the one that waits: another library may have a thread that got
 * it. */
static bool signal_in_other_thread(int number)
{
    if (pthread_equal(pthread_self(), main_thread)) return false;
    pthread_kill(main_thread, number);
    return true;
}

/* Gives up a pipe that nobody empties: from now on writes to it fail at once, like those to a /dev/null that is open
 * for reading. */
static void give_up_if_full(int stream)
{
    struct pollfd place = { .fd = stream, .events = POLLOUT };
    int nowhere = poll(&place, 1, 0) == 0 ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    if (nowhere < 0) return;
    dup2(nowhere, stream);
    close(nowhere);
}

/* Interrupts once more a thread that checked for the signal just before it and waits just after it. */
static void on_alarm(int number)
{
    int before = errno;
    if (signal_in_other_thread(number)) return;
    give_up_if_full(STDOUT_FILENO);
    give_up_if_full(STDERR_FILENO);
    alarm(1);
    errno = before;
}

static void on_signal(int number)
{
    if (signal_in_other_thread(number)) return;
    if (interrupted) {
        signal(number, SIG_DFL);
        raise(number);
    }
    interrupted = 1;
    alarm(1);
}

/* Without SA_RESTART: waiting calls return. */
static void catch_signal(int number, void (*handler)(int))
{
    struct sigaction old, action = {0};
    action.sa_handler = handler;
    sigemptyset(&action.sa_mask);
    /* A job started with the signal ignored (nohup) keeps it so; a non-interactive shell starts background
     * jobs that way with SIGINT, and then SIGTERM remains. */
    if (sigaction(number, NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(number, &action, NULL);
}

bool cli_interrupted(void)
{
    return interrupted;
}

una_status cli_check_interrupt(const cli *c)
{
    return interrupted ? cli_fail(c, UNA_CANCELLED, "interrupted; nothing was written") : UNA_OK;
}

/* ---- one verb ------------------------------------------------------------------------------------ */

una_status cli_run_new(cli *c, una_run **run, uint64_t seed)
{
    una_run_settings settings = {
        .size = sizeof settings,
        .seed = seed,
        .threads = (int)cli_count(c, "threads", (uint64_t)cli_rank_threads()),
        .memory_limit = cli_count(c, "memory", 0),
        .kernels = cli_text(c, "kernels"),
        .log = cli_log,
        .progress = cli_progress,
        .callbacks = c,
        .cancel = &interrupted,
        .no_cache = cli_has(c, "no-cache"),
        .verify_cache = cli_has(c, "verify-cache"),
        .no_scratch = cli_has(c, "no-scratch"),
        .scratch_limit = cli_count(c, "scratch", 0),
        .path = getenv("UNA_PATH"),                      /* for looking into a fit: not a matter of the model */
        .ranks = c->ranks,
        .reading = c->reading.size ? &c->reading : NULL
    };

    una_status status = una_run_new(run, &settings);
    if (status != UNA_OK && settings.kernels) {
        return cli_fail(c, status, "cannot start with --kernels %s: %s; try --kernels auto", settings.kernels,
                        una_status_text(status));
    }
    return status == UNA_OK ? status : cli_fail(c, status, "cannot start: %s", una_status_text(status));
}

/* Flags of older versions, which kept parsed tables. */
static void tell_old_flags(const cli *c)
{
    static const char *const flags[] = { "no-cache", "verify-cache" };
    for (size_t i = 0; i < sizeof flags / sizeof *flags && !cli_text(c, "images"); i++)
        if (cli_has(c, flags[i])) cli_warn(c, "note: --%s has no effect any more: tables are not cached", flags[i]);
}

/* With --json one object is printed and nothing else. */
static void tell_found(cli *c)
{
    cli_show_logs(c);
    if (c->json) c->verb->json(c);
    else if (!c->stdout_taken && !(c->quiet && (c->verb->common & CLI_IS_SUMMARY))) c->verb->text(c);
}

static una_status with_run(cli *c)
{
    tell_old_flags(c);
    if (cli_rank() == 0) CLI_TRY(cli_check_files(c, NULL, NULL));                /* rank 0 writes */
    CLI_TRY(cli_reading_begin(c));
    CLI_TRY(cli_run_new(c, &c->run, cli_count(c, "seed", 0)));
    una_status status = c->verb->run(c);
    cli_progress_clear();
    cli_tell_failure(c, status);
    if (status == UNA_OK && c->verb->json) tell_found(c);
    cli_logs_free(c);
    cli_end_owned();
    una_run_free(c->run);
    return status;
}

static una_status run_verb(const cli_verb *verb, int count, char *const *arguments)
{
    cli c = { .verb = verb };
    CLI_TRY(cli_parse(&c, count, arguments));
    if (!c.help) return cli_with_ranks(&c, with_run);
    cli_help_verb(verb, stdout);
    return UNA_OK;
}

/* Verbs under the names that other programs give them. */
static const char *verb_elsewhere(const char *word)
{
    static const struct { const char *word, *verb; } known[] = {
        { "train", "fit" }, { "learn", "fit" }, { "build", "fit" }, { "regress", "fit" }, { "apply", "predict" },
        { "infer", "predict" }, { "forecast", "predict" }, { "answer", "predict" }, { "test", "score" },
        { "evaluate", "score" }, { "eval", "score" }, { "validate", "score" }, { "cv", "compare" },
        { "crossval", "compare" }, { "cross-validate", "compare" }, { "search", "tune" }, { "optimise", "tune" },
        { "optimize", "tune" }, { "describe", "info" }, { "show", "info" }, { "inspect", "info" },
        { "summary", "info" }, { "list", "models" }, { "append", "update" }, { "add", "update" },
        { "retrain", "update" }, { "why", "explain" }, { "benchmark", "bench" }, { "run", "demo" }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].word, word) == 0) return find_verb(known[i].verb) ? known[i].verb : "tune";
    }
    return NULL;
}

static una_status unknown_verb(const char *word)
{
    cli nobody = {0};
    for (size_t i = 0; left_out[i].verb; i++)
        if (strcmp(word, left_out[i].verb) == 0)
            return cli_fail(&nobody, UNA_E_USAGE, "this una was built without '%s'; build it with -D%s=ON", word,
                            left_out[i].option);
    const char *own = verb_elsewhere(word);
    if (own) return cli_fail(&nobody, UNA_E_USAGE, "una has no '%s'; did you mean 'una %s'?", word, own);
    const char *names[sizeof cli_verbs / sizeof *cli_verbs];
    size_t count = 0;
    for (const cli_verb *verb = NULL; (verb = cli_next_word(verb));) names[count++] = cli_first_word(verb);
    const char *near = cli_nearest(word[0] == '-' ? word + strspn(word, "-") : word, names, count);
    if (near) return cli_fail(&nobody, UNA_E_USAGE, "there is no verb '%s'; did you mean 'una %s'?", word, near);
    return cli_fail(&nobody, UNA_E_USAGE, "there is no verb '%s'; 'una --help' lists them all", word);
}

static const cli_verb *find_member(const cli_family *family, const char *word)
{
    for (const cli_verb *verb = NULL; (verb = cli_next_member(family, verb));)
        if (strcmp(cli_second_word(verb), word) == 0) return verb;
    return NULL;
}

static una_status unknown_member(const cli_family *family, const char *word)
{
    cli nobody = {0};
    const char *names[sizeof cli_verbs / sizeof *cli_verbs];
    size_t count = 0;
    for (const cli_verb *verb = NULL; (verb = cli_next_member(family, verb));) names[count++] = cli_second_word(verb);
    const char *near = cli_nearest(word, names, count), *name = family->name;
    if (near) {
        return cli_fail(&nobody, UNA_E_USAGE, "there is no verb '%s %s'; did you mean 'una %s %s'?", name, word, name,
                        near);
    }
    return cli_fail(&nobody, UNA_E_USAGE, "there is no verb '%s %s'; 'una %s --help' lists them all", name, word, name);
}

static bool asks_for_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

/* `una fit ...` or `una study ask ...`; or what `una help` says of them. */
static una_status run_words(int count, char *const *words, bool help)
{
    const cli_family *family = find_family(words[0]);
    if (family && (count < 2 || (!help && asks_for_help(words[1])))) {
        cli_help_family(family);
        return help || count > 1 ? UNA_OK : UNA_E_USAGE;
    }
    const cli_verb *verb = help || !strchr(words[0], ' ') ? find_verb(words[0]) : NULL;
    int used = family ? 2 : 1;
    if (family) verb = find_member(family, words[1]);
    if (!verb) return family ? unknown_member(family, words[1]) : unknown_verb(words[0]);
    if (!help) return run_verb(verb, count - used, words + used);
    cli_help_verb(verb, stdout);
    return UNA_OK;
}

static una_status print_version(void)
{
    printf("una %s\n%s%s", una_version(), una_build_info(), una_report_build_info());
#ifdef UNA_HAS_study
    printf("%s", una_study_build_info());
#endif
#ifdef UNA_HAS_bench
    printf("%s", una_bench_build_info());
#endif
    printf("%s", cli_rank_info());
    una_run *run = NULL;
    uint64_t memory, scratch;
    if (una_run_new(&run, NULL) != UNA_OK) return UNA_OK;
    una_run_limits(run, &memory, &scratch);
    printf("limits   %.1f GB of memory (--memory), %.1f GB of scratch files (--scratch)\n", (double)memory / 1e9,
           (double)scratch / 1e9);
    una_run_free(run);
    return UNA_OK;
}

static una_status dispatch_verb(int count, char *const *arguments)
{
    const char *word = count > 0 ? arguments[0] : "help";
    bool help = asks_for_help(word) || strcmp(word, "help") == 0;
    if (help && count < 2) {
        cli_help();
        return count < 1 ? UNA_E_USAGE : UNA_OK;
    }
    if (help) return run_words(count - 1, arguments + 1, true);
    if (strcmp(word, "--version") == 0) return print_version();
    if (strcmp(word, "--dump-man") == 0) return cli_dump_man();
    if (strcmp(word, "--dump-files") == 0) return cli_dump_files();
    if (strcmp(word, "--dump-columns") == 0) return count > 1 ? cli_dump_columns(arguments[1]) : UNA_OK;
    if (strcmp(word, "--dump-completion") == 0) return cli_dump_completion(count > 1 ? arguments[1] : "");
    return run_words(count, arguments, false);
}

/* ---- the way in and out --------------------------------------------------------------------------- */

/* With stdin, stdout or stderr closed, the next file that is opened would take its place and be written to by accident.
 * A /dev/null that is open the wrong way round keeps the place and still fails when it is used. */
static void hold_standard_streams(void)
{
    for (int stream = 0; stream <= 2; stream++) {
        if (fcntl(stream, F_GETFD) == -1 && open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) == -1) {
            exit(UNA_E_IO);
        }
    }
}

static una_status closed_well(una_status status)
{
    cli nobody = {0};
    bool bad = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) != 0) bad = true;
    if (interrupted && (bad || status == UNA_E_IO)) return UNA_CANCELLED;       /* whatever it was that waited */
    if (!bad || status != UNA_OK) return status;
    return cli_fail(&nobody, UNA_E_IO, "cannot write to the standard output: %s",
                    errno ? strerror(errno) : "an earlier write failed");
}

int main(int count, char **arguments)
{
    hold_standard_streams();
    main_thread = pthread_self();
    catch_signal(SIGALRM, on_alarm);
    catch_signal(SIGINT, on_signal);
    catch_signal(SIGTERM, on_signal);
    signal(SIGXFSZ, SIG_IGN);
    cli_ranks_detect();
#ifdef UNA_HAS_bench
    cli_bench_flags();
#endif
    return (int)cli_rank_status(closed_well(dispatch_verb(count - 1, arguments + 1)));
}
