/* SPDX-License-Identifier: MIT
 *
 * kill -9 while eight writers ask and tell: of writers at random, of whoever has the turn, and of the server. Then
 * every value that was acknowledged is there, no trial was in two hands at once, nobody heard of a lock or had to wait
 * for somebody dead, and the next points are those of a fresh study with the same history.
 *
 * This program is also the writer: test_crash WHERE FOLDER WRITER.
 */
#include "test_support.h"

#include "study/study.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <time.h>

enum { WRITERS = 8, ROOM = 4096 };
static const double lease = 1, bound = 60;               /* seconds; within `bound` all must have ended      */
static const char space[] = "{\"x\": {\"type\": \"real\", \"low\": 0, \"high\": 1}, \"k\": {\"type\": \"category\", "
                            "\"levels\": [\"a\", \"b\", \"c\"]}, \"n\": {\"type\": \"integer\", \"low\": 1, "
                            "\"high\": 50}}";
extern char **environ;

/* To be ended after a failure too. */
static pid_t writers[WRITERS];
static char server_folder[64];

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void pause_ms(double ms)
{
    struct timespec time = { .tv_sec = (time_t)(ms / 1000), .tv_nsec = (long)(fmod(ms, 1000) * 1e6) };
    nanosleep(&time, NULL);
}

static double value_of(const double *x)
{
    return (x[0] - 0.3) * (x[0] - 0.3) + 0.1 * x[1] + 0.01 * fabs(x[2] - 20);
}

static bool fails(uint64_t id)
{
    return id % 10 == 0;
}

/* ---- a writer -------------------------------------------------------------------------------------------- */

typedef struct writer { const char *folder; int events; unsigned number; una_study *study; una_run *run; } writer;

static void note(const writer *w, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (write(w->events, line, (size_t)length) != length) _exit(3);
}

static bool is_over(const writer *w)
{
    char path[ROOM];
    snprintf(path, sizeof path, "%s/stop", w->folder);
    return access(path, F_OK) == 0;
}

/* G: given; B: begins to tell; T: told and acknowledged. Writers with even numbers hold trials by process. */
static una_status one_trial(const writer *w)
{
    una_trials *trials;
    bool by_process = w->number % 2 == 0;
    double began = seconds();
    UNA_TRY(by_process ? una_study_hold(&trials, w->study, 1, w->run) : una_study_ask(&trials, w->study, 1, w->run));
    uint64_t id = trials->at[0].id;
    double value = value_of(trials->at[0].x);
    una_trials_free(trials);
    note(w, "G %ld %d %" PRIu64 " %.9f %.9f\n", (long)getpid(), by_process, id, seconds(),
         by_process ? 0 : began + lease);

    pause_ms((double)(id * 7 % 5));
    note(w, "B %ld 0 %" PRIu64 " %.9f 0\n", (long)getpid(), id, seconds());
    UNA_TRY(fails(id) ? una_study_fail(w->study, id, "so it goes", w->run)
                      : una_study_tell(w->study, id, value, w->run));
    note(w, "T %ld %d %" PRIu64 " %.17g 0\n", (long)getpid(), fails(id), id, value);
    fsync(w->events);
    return UNA_OK;
}

static int write_until_over(const char *where, const char *folder, unsigned number)
{
    char path[ROOM];
    writer w = { .folder = folder, .number = number };
    snprintf(path, sizeof path, "%s/events-%u", folder, number);
    w.events = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (w.events < 0 || una_run_new(&w.run, &SIZED(una_run_settings, .threads = 1)) != UNA_OK) return 3;
    una_status status = una_study_open(&w.study, where, w.run);
    double until = seconds() + bound / 2;
    while (status == UNA_E_IO && strchr(where, '#') && seconds() < until) {      /* whoever comes while there is none */
        pause_ms(100);
        status = una_study_open(&w.study, where, w.run);
    }
    while (status == UNA_OK && !is_over(&w)) status = one_trial(&w);
    if (status != UNA_OK) fprintf(stderr, "%s\n", una_run_message(w.run));
    una_study_close(w.study);
    una_run_free(w.run);
    return (int)status;
}

/* ---- the storm ------------------------------------------------------------------------------------------- */

typedef struct storm {
    char        folder[ROOM], where[ROOM];
    const char *server;                          /* its folder; NULL: there is none                          */
    const char *acquisition, *model;
    una_run    *run;
    una_rng     rng;
    int         kills_of_holders, kills_of_servers;
} storm;

static void start_writer(storm *s, unsigned number)
{
    char word[16], errors[ROOM + 16];
    snprintf(word, sizeof word, "%u", number);
    snprintf(errors, sizeof errors, "%s/errors", s->folder);
    char *words[] = { "test_crash", s->where, s->folder, word, NULL };
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, errors, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (posix_spawn(&writers[number], "/proc/self/exe", &actions, NULL, words, environ) != 0) fail_msg("no writer");
    posix_spawn_file_actions_destroy(&actions);
}

static void complain(const storm *s, unsigned number, int status)
{
    char path[ROOM + 32], line[1024] = "";
    snprintf(path, sizeof path, "%s/errors", s->folder);
    FILE *errors = fopen(path, "r");
    if (errors && !fgets(line, sizeof line, errors)) *line = 0;
    if (errors) fclose(errors);
    fail_msg("writer %u ended with status %d: %s", number, status, line);
}

static void kill_writer(storm *s, unsigned number)
{
    char path[ROOM + 32], line[128];
    int status = 0;
    snprintf(path, sizeof path, "%s/kills", s->folder);
    int kills = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    int length = snprintf(line, sizeof line, "K %ld 0 0 %.9f 0\n", (long)writers[number], seconds());
    assert_int_equal(write(kills, line, (size_t)length), length);
    close(kills);
    kill(writers[number], SIGKILL);
    waitpid(writers[number], &status, 0);
    writers[number] = 0;
    if (!WIFSIGNALED(status)) complain(s, number, status);
    start_writer(s, number);
}

static una_status note_process(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    (void)count;
    (void)run;
    *(int64_t *)context = cells[0].whole;
    return UNA_OK;
}

/* Who has the turn; WRITERS: nobody just now. */
static unsigned holder(storm *s)
{
    char address[ROOM];
    una_database *db;
    int64_t process = 0;
    snprintf(address, sizeof address, "%s", s->where);
    if (strchr(address, '#')) *strchr(address, '#') = 0;
    for (int i = 0; i < 20 && process == 0; i++) {
        if (una_database_open(&db, address, UNA_DATABASE_PRESENT, s->run) != UNA_OK) return WRITERS;
        una_database_each(db, una_sql_plain("SELECT process FROM study_turn"), NULL, note_process, &process, s->run);
        una_database_close(db);
    }
    unsigned number = 0;
    while (number < WRITERS && writers[number] != process) number++;
    return number;
}

static int call(const char *what, const char *folder, char *answer, size_t size)
{
    char command[2 * ROOM];
    snprintf(command, sizeof command, "tools/postgres.sh %s '%s' 2>/dev/null", what, folder);
    FILE *pipe = popen(command, "r");
    if (!pipe) return -1;
    if (!fgets(answer, (int)size, pipe)) *answer = 0;
    answer[strcspn(answer, "\n")] = 0;
    return pclose(pipe);
}

static void kill_server(storm *s)
{
    char address[ROOM];
    call("kill", s->server, address, sizeof address);
    pause_ms(50);
    if (call("start", s->server, address, sizeof address) != 0) fail_msg("the server does not come back");
    s->kills_of_servers++;
}

static void rage(storm *s, int kills)
{
    for (unsigned i = 0; i < WRITERS; i++) start_writer(s, i);
    pause_ms(100);
    for (int i = 0; i < kills; i++) {
        pause_ms(20 * una_rng_uniform(&s->rng));
        unsigned number = (unsigned)una_rng_below(&s->rng, WRITERS);
        if (s->server && i % 10 == 9) {
            kill_server(s);
            continue;
        }
        if (i % 2 == 0) {
            unsigned found = holder(s);
            if (found < WRITERS) number = found;
            s->kills_of_holders += found < WRITERS;
        }
        kill_writer(s, number);
    }
}

static void calm_down(storm *s)
{
    char path[ROOM + 32];
    snprintf(path, sizeof path, "%s/stop", s->folder);
    pause_ms(300);                               /* some peace, in which those that live get on */
    close(open(path, O_WRONLY | O_CREAT, 0644));
    double until = seconds() + bound;
    for (unsigned i = 0; i < WRITERS; i++) {
        int status = 0;
        pid_t ended;
        while ((ended = waitpid(writers[i], &status, WNOHANG)) == 0 && seconds() < until) pause_ms(5);
        if (ended == 0) fail_msg("writer %u has not ended within %g s", i, bound);
        writers[i] = 0;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) complain(s, i, status);
    }
}

/* ---- afterwards ------------------------------------------------------------------------------------------ */

typedef struct event { char kind; long process; int flag; uint64_t id; double time, number; } event;
typedef struct events { event *at; size_t count; } events;

static void read_events(events *all, const char *path)
{
    FILE *file = fopen(path, "r");
    event e;
    while (file && fscanf(file, " %c %ld %d %" SCNu64 " %lf %lf", &e.kind, &e.process, &e.flag, &e.id, &e.time,
                          &e.number) == 6) {
        if ((all->count & (all->count - 1)) == 0) all->at = realloc(all->at, (2 * all->count + 1) * sizeof e);
        all->at[all->count++] = e;
    }
    if (file) fclose(file);
}

static int by_process_and_time(const void *a, const void *b)
{
    const event *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->time < y->time ? -1 : x->time > y->time;
}

/* Until when this one surely had the trial in hand: to tell it, to the end of the lease, to his death. */
static double surely_until(const events *all, const event *given)
{
    double until = given->flag ? HUGE_VAL : given->number;
    for (size_t i = 0; i < all->count; i++) {
        const event *e = &all->at[i];
        if (e->process != given->process) continue;
        bool ends = (e->kind == 'B' && e->id == given->id && e->time > given->time) || (e->kind == 'K' && given->flag);
        if (ends && e->time < until) until = e->time;
    }
    return until;
}

static void nobody_had_the_same(const events *all)
{
    events given = { calloc(all->count + 1, sizeof *given.at), 0 };
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].kind == 'G') given.at[given.count++] = all->at[i];
    qsort(given.at, given.count, sizeof *given.at, by_process_and_time);
    for (size_t i = 0; i + 1 < given.count; i++) {
        const event *a = &given.at[i], *b = a + 1;
        if (a->id == b->id && surely_until(all, a) > b->time)
            fail_msg("trial %" PRIu64 " was in the hands of %ld and %ld", a->id, a->process, b->process);
    }
    free(given.at);
}

static size_t all_acknowledged_is_there(const events *all, const una_trials *trials)
{
    size_t count = 0;
    for (size_t i = 0; i < all->count; i++) {
        const event *e = &all->at[i];
        if (e->kind != 'T') continue;
        if (e->id < 1 || e->id > trials->count) fail_msg("trial %" PRIu64 " is lost", e->id);
        const una_trial *t = &trials->at[e->id - 1];
        bool right = e->flag ? t->state == UNA_TRIAL_FAILED : t->state == UNA_TRIAL_TOLD && t->value == e->time;
        if (!right) fail_msg("trial %" PRIu64 " was told %g, and is %d with %g", e->id, e->time, t->state, t->value);
        count++;
    }
    return count;
}

static int by_point(const void *a, const void *b)
{
    const double *x = (*(const una_trial *const *)a)->x, *y = (*(const una_trial *const *)b)->x;
    for (int i = 0; i < 3; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

/* Two who ask at once would choose the same. */
static void no_point_is_there_twice(const una_trials *trials)
{
    const una_trial **order = calloc(trials->count + 1, sizeof *order);
    for (size_t i = 0; i < trials->count; i++) order[i] = &trials->at[i];
    qsort(order, trials->count, sizeof *order, by_point);
    for (size_t i = 0; i + 1 < trials->count; i++)
        if (by_point(&order[i], &order[i + 1]) == 0)
            fail_msg("trials %" PRIu64 " and %" PRIu64 " have one point", order[i]->id, order[i + 1]->id);
    free(order);
}

static void nobody_heard_of_locks(const storm *s)
{
    char path[ROOM + 32], line[512];
    snprintf(path, sizeof path, "%s/errors", s->folder);
    FILE *errors = fopen(path, "r");
    if (errors && fgets(line, sizeof line, errors)) fail_msg("a writer said: %s", line);
    if (errors) fclose(errors);
}

typedef struct copying { una_database *to; una_run *run; } copying;

static una_status copy_row(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    const copying *c = context;
    return una_database_do(NULL, c->to,
                           (una_sql){
                               "INSERT INTO study_trial (study, id, state, x, value, attempts, note, asked, "
                               "told, expected, doubt, host, process, start, handle, since, lease_until, token) VALUES "
                               "('study', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, '')",
                               cells, count },
                           run);
}

/* The same trials, each with its point, state and holder, in a study that nobody disturbed. */
static void copy_trials(storm *s, const char *path)
{
    char address[ROOM];
    copying c = { .run = s->run };
    una_database *from;
    snprintf(address, sizeof address, "%s", s->where);
    if (strchr(address, '#')) *strchr(address, '#') = 0;
    assert_ok(una_database_open(&from, address, UNA_DATABASE_PRESENT, s->run), s->run);
    assert_ok(una_database_open(&c.to, path, UNA_DATABASE_PRESENT, s->run), s->run);
    assert_ok(una_database_each(from,
                                una_sql_plain(
                                    "SELECT id, state, x, value, attempts, note, asked, told, expected, doubt, host, "
                                    "process, start, handle, since, lease_until FROM study_trial ORDER BY id"),
                                NULL, copy_row, &c, s->run),
              s->run);
    una_database_close(from);
    una_database_close(c.to);
}

static una_study_settings settings_of(const storm *s)
{
    return SIZED(una_study_settings, .space = space, .acquisition = s->acquisition, .model = s->model, .seed = 5,
                 .initial = 4, .lease = lease);
}

static void the_next_points_are_the_same(storm *s, size_t open_trials)
{
    char path[ROOM + 32];
    una_study *stormy, *calm;
    una_trials *a, *b;
    una_study_settings settings = settings_of(s);
    snprintf(path, sizeof path, "%s/calm.study", s->folder);
    assert_ok(una_study_new(&calm, path, &settings, s->run), s->run);
    copy_trials(s, path);
    assert_ok(una_study_open(&stormy, s->where, s->run), s->run);
    assert_ok(una_study_ask(&a, stormy, open_trials + 2, s->run), s->run);
    assert_ok(una_study_ask(&b, calm, open_trials + 2, s->run), s->run);

    assert_int_equal(a->count, open_trials + 2);
    assert_int_equal(b->count, a->count);
    for (size_t i = 0; i < a->count; i++) {
        assert_int_equal(a->at[i].id, b->at[i].id);
        assert_memory_equal(a->at[i].x, b->at[i].x, una_study_input_count(calm) * sizeof(double));
    }
    una_trials_free(a);
    una_trials_free(b);
    una_study_close(stormy);
    una_study_close(calm);
}

static void look_around(storm *s)
{
    events all = {0};
    una_study *study;
    una_trials *trials;
    char path[ROOM + 32];
    size_t open_trials = 0;
    for (unsigned i = 0; i < WRITERS; i++) {
        snprintf(path, sizeof path, "%s/events-%u", s->folder, i);
        read_events(&all, path);
    }
    snprintf(path, sizeof path, "%s/kills", s->folder);
    read_events(&all, path);

    nobody_heard_of_locks(s);
    assert_ok(una_study_open(&study, s->where, s->run), s->run);
    assert_ok(una_study_trials(&trials, study, s->run), s->run);
    for (size_t i = 0; i < trials->count; i++) {
        assert_int_equal(trials->at[i].id, i + 1);
        open_trials += trials->at[i].state == UNA_TRIAL_OPEN;
    }
    size_t told = all_acknowledged_is_there(&all, trials);
    nobody_had_the_same(&all);
    no_point_is_there_twice(trials);
    print_message("%zu trials, %zu values acknowledged, %zu open; %d kills hit who had the turn, %d the server\n",
                  trials->count, told, open_trials, s->kills_of_holders, s->kills_of_servers);
    assert_true(told > WRITERS);
    una_trials_free(trials);
    una_study_close(study);
    free(all.at);

    pause_ms(1000 * lease + 200);                /* no lease is left */
    the_next_points_are_the_same(s, open_trials);
}

static void begin_storm(storm *s, const char *name, const char *acquisition, const char *model)
{
    *s = (storm){ .acquisition = acquisition, .model = model, .run = quiet_run(),
                  .rng = una_rng_at(17, UNA_FOR_TEST, (uint64_t)name[0]) };
    snprintf(s->folder, sizeof s->folder, "%s", temp_path(name));
    assert_int_equal(mkdir(s->folder, 0755), 0);
}

static void make_study(storm *s, const char *where)
{
    una_study *study;
    una_study_settings settings = settings_of(s);
    snprintf(s->where, sizeof s->where, "%s", where);
    assert_ok(una_study_new(&study, where, &settings, s->run), s->run);
    una_study_close(study);
}

static void end_storm(storm *s, int kills)
{
    rage(s, kills);
    calm_down(s);
    look_around(s);
    una_run_free(s->run);
}

static int kills_of(int usual, int many)
{
    return getenv("UNA_TEST_LONG") ? many : usual;
}

static void a_file_survives(void **state)
{
    storm s;
    (void)state;
    begin_storm(&s, "file", "quasi", NULL);
    make_study(&s, temp_path("file/storm.study"));
    end_storm(&s, kills_of(25, 1000));
}

static void a_file_survives_with_a_model(void **state)
{
    storm s;
    (void)state;
    begin_storm(&s, "model", "log_ei", "gp");
    make_study(&s, temp_path("model/storm.study"));
    end_storm(&s, kills_of(8, 60));
}

static void a_server_survives(void **state)
{
    storm s;
    char address[ROOM];
    (void)state;
    begin_storm(&s, "server", "quasi", NULL);
    snprintf(server_folder, sizeof server_folder, "/tmp/una-postgres-XXXXXX");   /* short, and open to its user */
    s.server = mkdtemp(server_folder);
    if (!s.server || chmod(s.server, 0755) != 0 || call("start", s.server, address, sizeof address - 16) != 0) {
        una_run_free(s.run);
        print_message("skipped: no server of PostgreSQL can be started here\n");
        skip();
    }
    strcat(address, "#storm");
    make_study(&s, address);
    end_storm(&s, kills_of(25, 1000));
}

static int end_writers(void **state)
{
    (void)state;
    for (unsigned i = 0; i < WRITERS; i++) {
        if (writers[i] <= 0) continue;
        kill(writers[i], SIGKILL);
        waitpid(writers[i], NULL, 0);
        writers[i] = 0;
    }
    return 0;
}

static int stop_server(void **state)
{
    char answer[ROOM];
    end_writers(state);
    call("stop", server_folder, answer, sizeof answer);
    temp_folder_empty(server_folder);
    rmdir(server_folder);
    return 0;
}

/* With a word, only the tests whose names hold it. */
int main(int count, char **words)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_file_survives, end_writers),
        cmocka_unit_test_teardown(a_file_survives_with_a_model, end_writers),
        cmocka_unit_test_teardown(a_server_survives, stop_server)
    };
    if (count == 4) return write_until_over(words[1], words[2], (unsigned)atoi(words[3]));
    if (count == 2) cmocka_set_test_filter(words[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
