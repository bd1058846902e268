/* SPDX-License-Identifier: MIT
 *
 * Commands as experiments: K at a time, each in a process group of its own, its output read through a pipe. One loop
 * starts them, reads, notices ends and timeouts, and gives signs of life for the trials under way. A value that cannot
 * be written down is never passed over: it is in the sentence of the failure.
 */
#include "study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TAIL = 65536, SHOWN = 80, MOST_WORKERS = 1024, POLL_MS = 50, SOON_MS = 2, QUOTED = 512 };
static const double grace = 2;           /* seconds between asking a command to end and ending it           */

extern char **environ;

typedef enum stage { IDLE, RUNNING, UNRECORDED } stage; /* unrecorded: it has ended, but its result could not be
                                                           written */

typedef struct job {
    stage       stage;
    una_trials *trials;                  /* one                                                             */
    pid_t       process;
    int         pipe;                    /* -1: at its end                                                  */
    char       *tail;                    /* [2 TAIL] what it printed last                                   */
    size_t      length;
    unsigned    tries;
    double      begun, asked_to_end;     /* 0: not asked                                                    */
    bool        killed, late;
    una_trial   result;
    char        note[QUOTED];
} job;

typedef struct job_pool {
    una_study               *study;
    const una_study_command *command;
    una_run                 *run;
    job                     *jobs;
    size_t                   workers, done;
    una_status               failed;     /* the first failure: nothing more is started                      */
    bool                     over;       /* nothing is left to try                                          */
    char                     message[1024], why[400];    /* why: something could not be written              */
    double                   heartbeat;  /* of the last renewal                                             */
} job_pool;

static void keep_first_failure(job_pool *s, una_status status)
{
    if (s->failed != UNA_OK) return;
    s->failed = status;
    snprintf(s->message, sizeof s->message, "%s", una_run_message(s->run));
}

/* ---- the words of a command ---------------------------------------------------------------------------------- */

/* The input that {name} stands for; `inputs`: the number of the trial; more: not a placeholder. Names come from the
 * study, which may be untrusted: text that looks like a program, such as {print $1}, is never one. */
static size_t named_input(const una_study *study, const char *name, size_t length)
{
    const una_space *space = study->space;
    if (strcspn(name, "$;\"'`\\") < length) return SIZE_MAX;
    for (size_t i = 0; i < space->count; i++) {
        const char *input = space->dimension[i].name;
        if (strlen(input) == length && strncmp(input, name, length) == 0) return i;
    }
    return length == 2 && strncmp(name, "id", 2) == 0 ? space->count : SIZE_MAX;
}

/* The part of a word that begins at `at`: a placeholder, or one letter that stays (SIZE_MAX). ${HOME} is the command's
 * own business. */
static size_t part_at(const una_study *study, const char *word, const char *at, size_t *length)
{
    size_t inside = *at == '{' && (at == word || at[-1] != '$') ? strcspn(at + 1, "{}") : 0;
    size_t input = inside > 0 && at[1 + inside] == '}' ? named_input(study, at + 1, inside) : SIZE_MAX;
    *length = input == SIZE_MAX ? 1 : inside + 2;
    return input;
}

static const char *fill_command_word(const job_pool *s, const char *word, const una_trial *trial, una_arena *arena)
{
    una_text text = una_text_in(arena);
    size_t length;
    for (const char *at = word; *at; at += length) {
        size_t input = part_at(s->study, word, at, &length);
        if (input == SIZE_MAX) una_text_bytes(&text, at, 1);
        else if (input == s->study->space->count) una_text_add(&text, "%" PRIu64, trial->id);
        else una_dimension_write(&text, &s->study->space->dimension[input], trial->x[input]);
    }
    return text.at ? text.at : una_arena_text(arena, "");
}

/* Whoever reads a word in which it stands (a shell, say) takes it for a part of a name and for nothing else. Numbers
 * are written with these letters alone. */
static bool is_harmless(const char *level)
{
    size_t length = strlen(level);
    return strspn(level, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.+-") == length &&
           strspn(level, ".") < length;
}

static una_status check_levels(const una_dimension *d, bool alone, bool program, una_run *run)
{
    if (program && alone && d->levels)
        UNA_FAIL(run, UNA_E_USAGE, "the program itself would be a word of the study: {%.60s} is the first word of the "
                 "command; give a program of your own there, and {%.60s} as an argument", d->name, d->name);
    for (size_t l = 0; !alone && d->levels && l < d->level_count; l++)
        if (!is_harmless(d->levels[l]))
            UNA_FAIL(run, UNA_E_USAGE, "{%.60s} is a part of a word of the command, and its level '%.100s' has other "
                     "letters than A-Z a-z 0-9 _ . + - or none but dots: a shell could take it for a command. Give "
                     "{%.60s} as a word of its own; in a shell: sh -c '... \"$1\"' _ {%.60s}", d->name, d->levels[l],
                     d->name, d->name);
    return UNA_OK;
}

/* A word that is a placeholder and nothing else reaches the program as it is, whatever is in it. */
static una_status check_values(const una_study *study, const char *word, bool program, una_run *run)
{
    size_t length;
    for (const char *at = word; *at; at += length) {
        size_t input = part_at(study, word, at, &length);
        if (input < study->space->count)
            UNA_TRY(check_levels(&study->space->dimension[input], length == strlen(word), program, run));
    }
    return UNA_OK;
}

/* {wdith} where there is an input width is a slip; ${HOME} and {print $1} are the command's own business. */
static una_status check_word(const una_study *study, const char *word, bool *named, una_run *run)
{
    const una_space *space = study->space;
    UNA_NEW(&run->scratch, const char *, names, space->count);
    for (size_t i = 0; i < space->count; i++) names[i] = space->dimension[i].name;
    for (const char *at = strchr(word, '{'); at; at = strchr(at + 1, '{')) {
        size_t length = strcspn(at + 1, "{}");
        if (length == 0 || at[1 + length] != '}' || (at > word && at[-1] == '$')) continue;
        size_t input = named_input(study, at + 1, length);
        *named = *named || input < space->count;
        if (input != SIZE_MAX || strcspn(at + 1, " \t$;") < length) continue;

        una_text wrong = una_text_in(&run->scratch);
        una_text_bytes(&wrong, at + 1, length);
        const char *near = wrong.at ? una_nearest(wrong.at, names, space->count) : NULL;
        if (near) UNA_FAIL(run, UNA_E_USAGE, "the study has no input '%s'; did you mean {%s}?", wrong.at, near);
    }
    return una_arena_check(&run->scratch);
}

static una_status check_command(const una_study *study, const una_study_command *c, una_run *run)
{
    bool named = false;
    if (c->count == 0 || !c->words || !c->words[0] || !*c->words[0])
        UNA_FAIL(run, UNA_E_USAGE, "there is no command to run");
    if (c->workers > MOST_WORKERS) UNA_FAIL(run, UNA_E_USAGE, "at most %d commands run at a time", MOST_WORKERS);
    if (!(c->timeout >= 0) || isinf(c->timeout))
        UNA_FAIL(run, UNA_E_USAGE, "the timeout is a number of seconds, at least 0");
    for (size_t i = 0; i < c->count; i++) {
        UNA_TRY(check_word(study, c->words[i], &named, run));
        UNA_TRY(check_values(study, c->words[i], i == 0, run));
    }
    if (!named) una_log(run, UNA_LOG_WARNING, "the command names none of the study's inputs, as {%s} would",
                        study->space->dimension[0].name);
    return UNA_OK;
}

/* ---- starting ------------------------------------------------------------------------------------------------ */

static una_status open_pipe(int ends[2], una_run *run)
{
    if (pipe(ends) != 0) UNA_FAIL(run, UNA_E_IO, "cannot make a pipe: %s", strerror(errno));
    for (int i = 0; i < 2; i++) fcntl(ends[i], F_SETFD, FD_CLOEXEC);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    return UNA_OK;
}

/* Signals that the caller ignores or blocks are none of the command's business. Its input is empty: it runs in the
 * background, where reading from the terminal would stop it. */
static int spawn_command(pid_t *process, char *const *words, int output)
{
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    static const int signals[] = { SIGINT, SIGTERM, SIGPIPE };
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) sigaddset(&usual, signals[i]);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &usual);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    int why = posix_spawnp(process, words[0], &actions, &attributes, words, environ);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return why;
}

static una_status job_start(job_pool *s, job *j)
{
    const una_study_command *c = s->command;
    int ends[2];
    UNA_NEW(&s->run->scratch, char *, words, c->count + 1);
    for (size_t i = 0; i < c->count; i++)
        words[i] = (char *)fill_command_word(s, c->words[i], &j->trials->at[0], &s->run->scratch);
    UNA_TRY(una_arena_check(&s->run->scratch));
    UNA_TRY(open_pipe(ends, s->run));
    int why = spawn_command(&j->process, words, ends[1]);
    close(ends[1]);
    if (why != 0) {
        close(ends[0]);
        UNA_FAIL(s->run, UNA_E_USAGE, "cannot run '%s': %s", c->words[0], strerror(why));
    }

    j->stage = RUNNING;
    j->pipe = ends[0];
    j->length = 0;
    j->tries++;
    j->begun = una_clock();
    j->asked_to_end = 0;
    j->killed = j->late = false;
    return UNA_OK;
}

static void make_idle(job *j)
{
    una_trials_free(j->trials);
    j->trials = NULL;
    j->stage = IDLE;
}

static void give_back(job_pool *s, job *j)
{
    una_trial_store_drop(s->study->store, j->trials->at[0].id, true, s->run); /* or else when this process ends */
    make_idle(j);
}

/* An exhausted finite space ends the run; that is no failure if something was done. */
static una_status no_trial(job_pool *s, una_status status, size_t under_way)
{
    if (status == UNA_E_INPUT && s->done + under_way > 0) {
        una_log(s->run, UNA_LOG_NOTE, "%s", una_run_message(s->run));
        una_clear_message(s->run);
        s->over = true;
        return UNA_OK;
    }
    keep_first_failure(s, status);
    return status;
}

static una_status begin_job(job_pool *s, job *j, size_t under_way)
{
    una_status status = una_study_hold(&j->trials, s->study, 1, s->run);
    if (status != UNA_OK) return no_trial(s, status, under_way);
    s->heartbeat = una_clock();
    j->tries = 0;
    status = job_start(s, j);
    if (status == UNA_OK) return status;
    keep_first_failure(s, status);
    give_back(s, j);
    return status;
}

static void begin_jobs(job_pool *s)
{
    size_t under_way = 0;
    for (size_t i = 0; i < s->workers; i++) under_way += s->jobs[i].stage != IDLE;
    for (size_t i = 0; i < s->workers && s->failed == UNA_OK && !s->over; i++) {
        if (s->jobs[i].stage != IDLE) continue;
        if (s->command->trials > 0 && s->done + under_way >= s->command->trials) return;
        if (begin_job(s, &s->jobs[i], under_way) == UNA_OK) under_way++;
    }
}

/* ---- what came out ------------------------------------------------------------------------------------------- */

/* False: nothing more will come. */
static bool read_output(job *j)
{
    for (;;) {
        if (j->length > TAIL) {
            memmove(j->tail, j->tail + j->length - TAIL, TAIL);
            j->length = TAIL;
        }
        ssize_t got = read(j->pipe, j->tail + j->length, 2 * TAIL - j->length);
        if (got > 0) j->length += (size_t)got;
        else if (got == 0) return false;
        else if (errno != EINTR) return errno == EAGAIN || errno == EWOULDBLOCK;
    }
}

static void close_pipe(job *j)
{
    if (j->pipe >= 0) close(j->pipe);
    j->pipe = -1;
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* What a command printed, without the blanks behind it. */
static size_t printed_length(const job *j)
{
    size_t end = j->length;
    while (end > 0 && is_space(j->tail[end - 1])) end--;
    return end;
}

/* The last word of the last line that is not empty. */
static bool job_read_value(const job *j, double *value)
{
    size_t end = printed_length(j), from = end;
    while (from > 0 && !is_space(j->tail[from - 1])) from--;
    return una_parse_number(j->tail + from, end - from, value) && isfinite(*value);
}

static void note_garbage(job *j)
{
    size_t end = printed_length(j), from = end, length = 0;
    char shown[SHOWN + 1];
    while (from > 0 && j->tail[from - 1] != '\n') from--;
    if (from == end) {
        snprintf(j->note, sizeof j->note, "printed nothing");
        return;
    }
    for (; from < end && length < SHOWN; from++) {       /* bytes of other alphabets are not for a note */
        unsigned char c = (unsigned char)j->tail[from];
        shown[length++] = (char)(c >= 0x20 && c < 0x7f ? c : '?');
    }
    shown[length] = 0;
    snprintf(j->note, sizeof j->note, "printed no number: '%s'%s", shown, from < end ? " ..." : "");
}

/* True: the command gave a value. */
static bool job_read_result(const job_pool *s, job *j, int status)
{
    char number[32];
    double value = NAN;
    j->note[0] = 0;
    una_number_text(number, s->command->timeout);
    if (j->late) snprintf(j->note, sizeof j->note, "took longer than %s s", number);
    else if (WIFSIGNALED(status)) snprintf(j->note, sizeof j->note, "was killed by signal %d", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0) snprintf(j->note, sizeof j->note, "ended with status %d", WEXITSTATUS(status));
    else if (!job_read_value(j, &value)) note_garbage(j);

    j->result = j->trials->at[0];
    j->result.state = *j->note ? UNA_TRIAL_FAILED : UNA_TRIAL_TOLD;
    j->result.value = *j->note ? NAN : value;
    j->result.note = j->note;
    return !*j->note;
}

static void job_report(const job_pool *s, const job *j, const char *sentence)
{
    if (s->command->report) s->command->report(s->command->context, &j->result, sentence);
}

static void end_job(job_pool *s, job *j, const char *sentence)
{
    s->done++;
    job_report(s, j, sentence);
    make_idle(j);
}

/* Writes the result. If the trial was already told, the earlier result counts. */
static void job_record(job_pool *s, job *j)
{
    char sentence[2 * QUOTED], number[32];
    const una_trial *r = &j->result;
    bool told = r->state == UNA_TRIAL_TOLD;
    const char *result = told ? una_number_text(number, r->value) : j->note;
    una_status status = una_trial_store_tell(s->study->store, r->id, r->state, r->value, r->note, s->run);
    if (status == UNA_OK) {
        snprintf(sentence, sizeof sentence, "%s%s", told ? "" : "failed: ", result);
        end_job(s, j, sentence);
    } else if (status == UNA_E_INPUT) {
        snprintf(sentence, sizeof sentence, "%.400s; what came out here (%s) was not taken", una_run_message(s->run),
                 result);
        end_job(s, j, sentence);
    } else {
        j->stage = UNRECORDED;
        snprintf(s->why, sizeof s->why, "%.399s", una_run_message(s->run));
        keep_first_failure(s, status);
    }
}

static void job_finish(job_pool *s, job *j, int status)
{
    if (j->pipe >= 0) read_output(j);
    close_pipe(j);
    if (j->asked_to_end > 0) kill(-j->process, SIGKILL);        /* what it left behind */
    if (s->failed == UNA_CANCELLED && j->asked_to_end > 0) {
        give_back(s, j);
        return;
    }

    if (!job_read_result(s, j, status) && j->tries <= s->command->retries && s->failed == UNA_OK) {
        una_status again = job_start(s, j);
        if (again == UNA_OK) return;
        keep_first_failure(s, again);
    }
    if (j->result.state == UNA_TRIAL_FAILED && j->tries > 1) {
        size_t used = strlen(j->note);
        snprintf(j->note + used, sizeof j->note - used, " (the last of %u tries)", j->tries);
    }
    job_record(s, j);
}

/* ---- watching ------------------------------------------------------------------------------------------------ */

static void ask_to_end(job *j)
{
    if (j->asked_to_end > 0) return;
    j->asked_to_end = una_clock();
    kill(-j->process, SIGTERM);
    kill(-j->process, SIGCONT);
}

static void check_time(const job_pool *s, job *j)
{
    double time = una_clock();
    if (s->command->timeout > 0 && time - j->begun > s->command->timeout && j->asked_to_end <= 0) {
        j->late = true;
        ask_to_end(j);
    }
    if (j->asked_to_end > 0 && !j->killed && time - j->asked_to_end > grace) {
        j->killed = true;
        kill(-j->process, SIGKILL);
    }
}

static void check_job(job_pool *s, job *j)
{
    int status = 0;
    if (j->pipe >= 0 && !read_output(j)) close_pipe(j);
    pid_t ended = waitpid(j->process, &status, WNOHANG);
    if (ended == j->process) job_finish(s, j, status);
    else if (ended < 0 && errno == ECHILD) job_finish(s, j, 0);  /* the caller has let the system clear up */
    else check_time(s, j);
}

static size_t wait_for_output(job_pool *s, struct pollfd *polls)
{
    size_t running = 0, open = 0;
    bool soon = false;
    for (size_t i = 0; i < s->workers; i++) {
        const job *j = &s->jobs[i];
        if (j->stage != RUNNING) continue;
        running++;
        if (j->pipe >= 0) polls[open++] = (struct pollfd){ .fd = j->pipe, .events = POLLIN };
        else soon = true;
    }
    if (running > 0) poll(polls, (nfds_t)open, soon ? SOON_MS : POLL_MS);
    return running;
}

static void give_sign_of_life(job_pool *s)
{
    double time = una_clock();
    if (time - s->heartbeat < UNA_TRIAL_STORE_HEARTBEAT) return;
    s->heartbeat = time;
    una_trial_store_heartbeat(s->study->store, s->run);  /* a failure shows when something has to be written */
}

static void check_cancelled(job_pool *s)
{
    double fraction = s->command->trials ? (double)s->done / (double)s->command->trials : 0;
    if (s->failed == UNA_CANCELLED || una_tick(s->run, "running", fraction, NAN) != UNA_CANCELLED) return;
    if (s->failed == UNA_OK)
        snprintf(s->message, sizeof s->message, "interrupted; trials that were under way were given back");
    s->failed = UNA_CANCELLED;
    for (size_t i = 0; i < s->workers; i++)
        if (s->jobs[i].stage == RUNNING) ask_to_end(&s->jobs[i]);
}

/* False: nothing runs any more. */
static bool serve_once(job_pool *s, struct pollfd *polls)
{
    if (s->failed == UNA_OK) begin_jobs(s);
    check_cancelled(s);
    if (wait_for_output(s, polls) == 0) return false;
    for (size_t i = 0; i < s->workers; i++)
        if (s->jobs[i].stage == RUNNING) check_job(s, &s->jobs[i]);
    give_sign_of_life(s);
    return true;
}

/* ---- the end ------------------------------------------------------------------------------------------------- */

static void describe_untold(const job_pool *s, const job *j, una_text *text)
{
    char number[32];
    const char *why = s->why;
    const char *where = s->study->store->name;
    uint64_t id = j->result.id;
    if (j->result.state == UNA_TRIAL_TOLD) {
        una_number_text(number, j->result.value);
        una_text_add(text, "the value %s of trial %" PRIu64 " could not be written: %s; tell it with 'una study tell "
                     "%s %" PRIu64 " %s'", number, id, why, where, id, number);
    } else {
        una_text_add(text, "that trial %" PRIu64 " failed (%s) could not be written: %s; tell it with 'una study tell "
                     "%s %" PRIu64 " --failed'", id, j->note, why, where, id);
    }
}

/* Tries once more; results that still cannot be written are reported to the caller, each in its own sentence. */
static una_status settle_rest(job_pool *s)
{
    una_text all = una_text_in(&s->run->scratch);
    for (size_t i = 0; i < s->workers; i++) {
        job *j = &s->jobs[i];
        if (j->stage != UNRECORDED) continue;
        job_record(s, j);
        if (j->stage != UNRECORDED) continue;
        una_text one = una_text_in(&s->run->scratch);
        describe_untold(s, j, &one);
        if (one.at) job_report(s, j, one.at);
        una_text_add(&all, "%s%s", all.length ? ". And " : "", one.at ? one.at : "");
        make_idle(j);
    }
    if (all.length > 0) snprintf(s->message, sizeof s->message, "%.1000s", all.at);
    if (s->failed != UNA_OK) una_run_fail(s->run, s->failed, s->message);
    return s->failed;
}

static una_status run_jobs(job_pool *s)
{
    una_arena *arena = &s->run->scratch;
    UNA_TRY(check_command(s->study, s->command, s->run));
    UNA_NEW_AT(arena, s->jobs, s->workers);
    UNA_NEW(arena, struct pollfd, polls, s->workers);
    for (size_t i = 0; i < s->workers; i++) UNA_NEW_AT(arena, s->jobs[i].tail, 2 * TAIL);
    for (bool more = true; more;) {
        una_mark mark = una_arena_mark(arena);
        more = serve_once(s, polls);
        una_arena_release(arena, mark);
    }
    return settle_rest(s);
}

una_status una_study_run(size_t *done, una_study *study, const una_study_command *command, una_run *run)
{
    una_study_command given;
    if (done) *done = 0;
    UNA_TRY(una_study_enter(run));
    UNA_TRY(UNA_TAKE(&given, command, una_study_command, run));
    job_pool s = { .study = study, .command = &given, .run = run, .workers = given.workers ? given.workers : 1 };
    una_status status;
    UNA_SCOPED_CALL(status, run, run_jobs(&s));
    if (done) *done = s.done;
    return status;
}
