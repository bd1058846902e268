/* SPDX-License-Identifier: MIT
 *
 * una where the system fails. Each scene is a command of the program; its n-th call of the system fails, is cut short, or is its
 * last, for n from 1 until it ends by itself; and the power goes before any of its calls that change files, with all
 * that a disk may show then. Afterwards nothing is torn: what the command writes is as before or as it should be, and
 * the next start works on it. Nothing is lost: what was acknowledged is there. Nothing is left: after the next start
 * there are no files but those that should be. And whoever fails says so.
 *
 *   faults PROGRAM [COUNT [JOBS [SCENE...]]]   COUNT faults in all (0: each once); JOBS at once
 *
 * The last line is "N kills, N faults, N cuts: N torn, N lost, N left, N silent".
 */
#define _GNU_SOURCE

#include <stdio.h>

#if !defined(__linux__) || !defined(__x86_64__)
int main(void)
{
    puts("skip: faults are made through ptrace of Linux on x86-64");
    return 0;
}
#else

#include "disk.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATH = 512, WORDS = 24, COMMANDS = 4, MOST_FILES = 64, LINE = 65536 };

/* ---- scenes ---------------------------------------------------------------------------------------------------- */

/* Words are separated by blanks, and "una" is the program. A command that begins with "?" may fail. */
typedef struct scene {
    const char *name;
    const char *before[COMMANDS];        /* makes what is there at the beginning                             */
    const char *command;
    const char *goal;                    /* the file that it writes, old or new byte by byte; NULL: by proof  */
    const char *next[COMMANDS];          /* the next start, of which the last leaves the proof               */
    const char *proof;                   /* a table; columns of times and of the build do not count          */
    const char *again;                   /* what the next start says where the command had ended; NULL: nothing */
    bool        plain;                   /* written by una's own means: it gets by without fsync and over EBUSY */
} scene;

#define FIT "una fit train.csv --target y --model linear --threads 1 --quiet"
#define ANSWER "una predict m.una more.csv --out proof.csv --quiet"
#define NEW_STUDY "una study new s.db --space space.json --model linear --initial 2 --quiet"
#define EXPORT "una study export s.db csv --out proof.csv --quiet"

static const scene scenes[] = {
    { "fit", { "una fit more.csv --target y --model linear --out m.una --quiet" }, FIT " --out m.una", "m.una",
      { ANSWER }, "proof.csv", NULL, true },
    { "first fit", { NULL }, FIT " --out m.una", "m.una", { FIT " --out m.una", ANSWER }, "proof.csv", NULL, true },
    { "gp with a report", { FIT " --out m.una" },
      "una fit train.csv --target y --model gp(ard=no) --threads 2 --out m.una --report r.html --quiet", "m.una",
      { ANSWER }, "proof.csv", NULL, false },
    { "update", { FIT " --out m.una" }, "una update m.una more.csv", "m.una", { ANSWER }, "proof.csv", NULL,
      true },
    { "predict", { FIT " --out m.una", "una predict m.una train.csv --out a.csv --quiet" },
      "una predict m.una more.csv.gz --out a.csv --quiet", "a.csv", { ANSWER }, "proof.csv", NULL, true },
    { "compare", { NULL }, "una compare train.csv --target y --models linear --folds 2 --out out --threads 1", NULL,
      { "una compare train.csv --target y --models linear --folds 2 --out out --threads 1" }, "out/compare.csv",
      "0 fits made now", false },
    { "sweep", { NULL }, "una bench cubic --quick --models linear --seeds 2 --out out --threads 1", NULL,
      { "una bench cubic --quick --models linear --seeds 2 --out out --threads 1" }, "out/cubic.csv",
      "0 fits made now", false },
    { "study new", { NULL }, NEW_STUDY, NULL, { "?" NEW_STUDY, EXPORT }, "proof.csv", NULL, false },
    { "study ask", { NEW_STUDY }, "una study ask s.db", NULL, { EXPORT }, "proof.csv", NULL, false },
    { "study tell", { NEW_STUDY, "una study ask s.db" }, "una study tell s.db 1 0.25", NULL, { EXPORT }, "proof.csv",
      NULL, false },
    { "study export", { NEW_STUDY, "una study ask s.db", EXPORT }, "una study export s.db json --out proof.csv --quiet",
      "proof.csv", { EXPORT }, "proof.csv", NULL, true },
};
enum { SCENES = sizeof scenes / sizeof *scenes };

/* ---- files ----------------------------------------------------------------------------------------------------- */

typedef struct content { char *at; size_t size; bool there; } content;

static content read_file(const char *folder, const char *name)
{
    char path[2 * PATH];
    struct stat about;
    content c = {0};
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int handle = open(path, O_RDONLY | O_CLOEXEC);
    if (handle < 0 || fstat(handle, &about) != 0) return c;
    c = (content){ malloc((size_t)about.st_size + 1), (size_t)about.st_size, true };
    for (size_t got = 0; c.at && got < c.size;) {
        ssize_t now = read(handle, c.at + got, c.size - got);
        if (now <= 0) c.size = got;
        else got += (size_t)now;
    }
    c.at[c.size] = 0;
    close(handle);
    return c;
}

static bool same(const content *a, const content *b)
{
    return a->there == b->there && a->size == b->size && (!a->there || memcmp(a->at, b->at, a->size) == 0);
}

static void write_file(const char *folder, const char *name, const content *c)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wbe");
    if (!file || fwrite(c->at, 1, c->size, file) != c->size || fclose(file) != 0) {
        perror(path);
        exit(126);
    }
}

/* All files below a folder; folders themselves end in a slash and stand behind what is in them. */
typedef struct names { char at[MOST_FILES][PATH]; size_t count; } names;

static void list(names *n, const char *folder, const char *inside)
{
    char path[3 * PATH], below[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, inside);
    DIR *open_folder = opendir(path);
    for (const struct dirent *e; open_folder && (e = readdir(open_folder));) {
        struct stat about;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        snprintf(below, sizeof below, "%s%s", inside, e->d_name);
        snprintf(path, sizeof path, "%s/%s", folder, below);
        bool is_folder = lstat(path, &about) == 0 && S_ISDIR(about.st_mode);
        if (is_folder) strcat(below, "/");
        if (is_folder) list(n, folder, below);
        if (n->count < MOST_FILES) snprintf(n->at[n->count++], PATH, "%.*s", PATH - 1, below);
    }
    if (open_folder) closedir(open_folder);
}

static bool has(const names *n, const char *name)
{
    for (size_t i = 0; i < n->count; i++)
        if (strcmp(n->at[i], name) == 0) return true;
    return false;
}

static void drop(const char *folder, const char *name)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    size_t length = strlen(path);
    if (path[length - 1] == '/') rmdir(path);
    else unlink(path);
}

static void empty(const char *folder)
{
    names all = {0};
    list(&all, folder, "");
    for (size_t i = 0; i < all.count; i++) drop(folder, all.at[i]);
}

/* A table without what differs from run to run: times, the build, and the random number of an owner. */
static content compared(content table)
{
    static const char *const passing[] = { "seconds", "commit", "asked", "told", "attempts" };
    bool skipped[256] = { false };
    char *to = table.at;
    size_t column = 0, from = 0;
    bool quoted = false, header = true;
    for (size_t i = 0; i <= table.size && table.there; i++) {
        char c = i < table.size ? table.at[i] : '\n';
        if (c == '"') quoted = !quoted;
        if (quoted || (c != ',' && c != '\n')) continue;
        size_t length = i - from;
        for (size_t k = 0; header && k < sizeof passing / sizeof *passing && column < 256; k++)
            if (length == strlen(passing[k]) && memcmp(table.at + from, passing[k], length) == 0)
                skipped[column] = true;
        if (column >= 256 || !skipped[column]) {
            memmove(to, table.at + from, length);
            to += length;
        }
        if (i < table.size) *to++ = c;
        column = c == '\n' ? 0 : column + 1;
        header = header && c != '\n';
        from = i + 1;
    }
    if (table.there) table.size = (size_t)(to - table.at);
    return table;
}

/* ---- one scene, prepared --------------------------------------------------------------------------------------- */

typedef struct stage {
    const scene *scene;
    char    folder[PATH], out[PATH], err[PATH], spare[PATH];     /* spare: where disks are shown                 */
    names   begin, allowed;              /* files at the beginning; those that may be there after the next start */
    content first[MOST_FILES];           /* what is in them                                                      */
    content goal[2], proof[2], printed;     /* old and new                                                          */
    size_t  calls;
    short  *log;
} stage;

typedef struct tally { size_t kills, faults, cuts, torn, lost, left, silent; } tally;

static const char *program;

static int perform(const char *text, const char *folder, const stage *s, traced *t, const fault *faults, bool log,
                   watcher *watch, void *context)
{
    char copy[1024], *words[WORDS], *rest = copy;
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", text + (*text == '?'));
    for (char *word; count + 1 < WORDS && (word = strtok_r(rest, " ", &rest));)
        words[count++] = strcmp(word, "una") == 0 ? (char *)program : word;
    words[count] = NULL;
    const command c = { (const char *const *)words, folder, s->out, s->err };
    if (!t) return plain_run(&c);
    *t = trace(&c, faults, log, watch, context);
    return t->code;
}

static bool follow_up(const stage *s, const char *folder, bool all_again, content *proof, char why[256])
{
    for (size_t i = 0; i < COMMANDS && s->scene->next[i]; i++) {
        int code = perform(s->scene->next[i], folder, s, NULL, NULL, false, NULL, NULL);
        content printed = read_file("", s->out), complaint = read_file("", s->err);
        bool right = code == 0 || (s->scene->next[i][0] == '?' && code > 0 && code < 126);
        bool again = !all_again || !s->scene->again || strstr(printed.at, s->scene->again);
        if (!right) snprintf(why, 256, "the next start ends with %d: %.180s", code, complaint.at);
        else if (!again) snprintf(why, 256, "the next start does not say '%s'", s->scene->again);
        free(printed.at);
        free(complaint.at);
        if (!right || !again) return false;
    }
    *proof = compared(read_file(folder, s->scene->proof));
    return true;
}

static void reset(const stage *s)
{
    names now = {0};
    list(&now, s->folder, "");
    for (size_t i = 0; i < now.count; i++)
        if (!has(&s->begin, now.at[i])) drop(s->folder, now.at[i]);
    for (size_t i = 0; i < s->begin.count; i++) {
        if (s->begin.at[i][strlen(s->begin.at[i]) - 1] == '/') continue;
        content there = read_file(s->folder, s->begin.at[i]);
        if (!same(&there, &s->first[i])) write_file(s->folder, s->begin.at[i], &s->first[i]);  /* or it keeps its age */
        free(there.at);
    }
}

static void keep_names(names *all, const char *folder)
{
    names now = {0};
    list(&now, folder, "");
    for (size_t i = 0; i < now.count && all->count < MOST_FILES; i++)
        if (!has(all, now.at[i])) memcpy(all->at[all->count++], now.at[i], PATH);
}

static void must(bool good, const stage *s, const char *what)
{
    if (good) return;
    content complaint = read_file("", s->err);
    fprintf(stderr, "%s: %s, undisturbed: %s\n", s->scene->name, what, complaint.there ? complaint.at : "");
    exit(126);
}

/* Rows of x1, x2 and y, always the same. */
static void make_table(const char *folder, const char *name, size_t rows, uint64_t seed)
{
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "we");
    if (!file) exit(126);
    fputs("x1,x2,y\n", file);
    for (size_t i = 0; i < rows; i++) {
        double x[3];
        for (int k = 0; k < 3; k++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            x[k] = (double)(seed >> 11) / 9007199254740992.0;
        }
        fprintf(file, "%.6f,%.6f,%.6f\n", x[0], x[1], 2 * x[0] - x[1] + 0.1 * x[2]);
    }
    fclose(file);
}

static void make_data(const stage *s)
{
    content space = { (char *)"{\"x1\": {\"type\": \"real\", \"low\": 0, \"high\": 1}}\n", 0, true };
    space.size = strlen(space.at);
    make_table(s->folder, "train.csv", 30, 1);
    make_table(s->folder, "more.csv", 12, 2);
    if (strstr(s->scene->command, "study")) write_file(s->folder, "space.json", &space);
    if (!strstr(s->scene->command, ".gz")) return;
    char text[2 * PATH];
    snprintf(text, sizeof text, "gzip -k %s/more.csv", s->folder);
    if (system(text) != 0) exit(126);
}

static void learn_proof(stage *s, int which)
{
    char why[256] = "";
    if (s->scene->goal) s->goal[which] = read_file(s->folder, s->scene->goal);
    if (!follow_up(s, s->folder, which == 1, &s->proof[which], why)) must(which == 0 && s->scene->next[1], s, why);
    keep_names(&s->allowed, s->folder);
}

static void prepare(stage *s, const scene *of, const char *root)
{
    *s = (stage){ .scene = of };
    snprintf(s->folder, PATH, "%s/work", root);
    snprintf(s->spare, PATH, "%s/disk", root);
    snprintf(s->out, PATH, "%s/stdout", root);
    snprintf(s->err, PATH, "%s/stderr", root);
    mkdir(s->folder, 0777);
    mkdir(s->spare, 0777);
    make_data(s);
    for (size_t i = 0; i < COMMANDS && of->before[i]; i++)
        must(perform(of->before[i], s->folder, s, NULL, NULL, false, NULL, NULL) == 0, s, of->before[i]);
    list(&s->begin, s->folder, "");
    for (size_t i = 0; i < s->begin.count; i++) s->first[i] = read_file(s->folder, s->begin.at[i]);
    keep_names(&s->allowed, s->folder);

    learn_proof(s, 0);
    reset(s);
    traced t;
    must(perform(of->command, s->folder, s, &t, NULL, true, NULL, NULL) == 0, s, of->command);
    s->calls = t.calls;
    s->log = t.log;
    s->printed = read_file("", s->out);
    keep_names(&s->allowed, s->folder);
    learn_proof(s, 1);
    reset(s);
}

static void forget(stage *s)
{
    for (size_t i = 0; i < s->begin.count; i++) free(s->first[i].at);
    for (int i = 0; i < 2; i++) {
        free(s->goal[i].at);
        free(s->proof[i].at);
    }
    free(s->printed.at);
    free(s->log);
    empty(s->folder);
    empty(s->spare);
}

/* ---- judging --------------------------------------------------------------------------------------------------- */

static void complain(const stage *s, const char *how, const char *what)
{
    content complaint = read_file("", s->err);
    printf("FAIL %s, %s: %s; it said: %.300s\n", s->scene->name, how, what, complaint.there ? complaint.at : "");
    free(complaint.at);
    fflush(stdout);
}

/* ended: the command said that all went well. */
static void judge_files(const stage *s, const char *folder, bool ended, const char *how, tally *t)
{
    content goal = s->scene->goal ? read_file(folder, s->scene->goal) : (content){0}, proof = {0};
    char why[256] = "";
    bool new_goal = same(&goal, &s->goal[1]), old_goal = same(&goal, &s->goal[0]);
    if (!new_goal && !old_goal) {
        t->torn++;
        complain(s, how, "the file is neither the old one nor the new one");
    } else if (ended && !new_goal) {
        t->lost++;
        complain(s, how, "it ended well, and the file is the old one");
    } else if (!follow_up(s, folder, ended, &proof, why)) {
        if (ended) t->lost++;
        else t->torn++;
        complain(s, how, why);
    } else if (!same(&proof, &s->proof[1]) && (ended || !same(&proof, &s->proof[0]))) {
        if (ended) t->lost++;
        else t->torn++;
        complain(s, how, ended ? "what was acknowledged is not there" : "the next start finds neither old nor new");
    }

    names now = {0};
    list(&now, folder, "");
    bool left = false;
    for (size_t i = 0; i < now.count; i++) {
        if (has(&s->allowed, now.at[i])) continue;
        snprintf(why, sizeof why, "%.200s is left after the next start", now.at[i]);
        complain(s, how, why);
        left = true;
    }
    t->left += left;
    free(goal.at);
    free(proof.at);
}

/* Whether the command may not fail from this: a file system that lacks something, a call to be made again. */
static bool is_bearable(const stage *s, const fault *f, size_t count)
{
    if (!s->scene->plain || count != 1 || f->at > s->calls || f->blow != FAIL) return false;
    long struck = s->log[f->at];
    if (struck == SYS_fsync) return f->number != EIO && f->number != ENOSPC;
    if (struck == SYS_rename) return f->number == EBUSY || f->number == EXDEV;
    return struck == SYS_flock || struck == SYS_fchmod || struck == SYS_getdents64;
}

static void judge_run(const stage *s, const traced *r, const fault *faults, const char *how, tally *t)
{
    content printed = read_file("", s->out), complaint = read_file("", s->err);
    bool whole = printed.size == s->printed.size, ended = r->code == 0 && !r->killed;
    size_t count = faults[1].at ? 2 : 1;
    const char *why = NULL;
    if (r->late) why = "it does not end";
    else if (r->code < 0 && !r->killed) why = strsignal(-r->code);
    else if (!r->killed && r->code >= 126) why = "it could not be started";
    else if (!r->killed && r->code > 0 && complaint.size == 0 && !r->in_stderr) why = "it failed without a word";
    else if (ended && !whole) why = "it ended well, and did not say all";
    else if (!r->killed && !ended && is_bearable(s, faults, count)) why = "it failed, and need not have";
    if (why) {
        t->silent++;
        complain(s, how, why);
    }
    free(printed.at);
    free(complaint.at);
    judge_files(s, s->folder, ended, how, t);
}

/* ---- blows ----------------------------------------------------------------------------------------------------- */

static uint64_t dice(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static size_t errors_count(const stage *s, size_t at)
{
    size_t count = 0;
    for (const int *e = errors_of(s->log[at]); *e; e++) count++;
    return count;
}

/* All blows at single calls: where the files of a plain scene are written first, so that a few blows are the ones that
 * matter. */
typedef struct blows { fault *at; size_t count; } blows;

static bool is_vital(const stage *s, size_t at)
{
    static const long vital[] = { SYS_write, SYS_fsync, SYS_rename, SYS_flock, SYS_unlink };
    for (size_t i = 0; s->scene->plain && i < sizeof vital / sizeof *vital; i++)
        if (s->log[at] == vital[i]) return true;
    return false;
}

static fault with_error(const stage *s, size_t at, size_t index)
{
    int number = errors_of(s->log[at])[index];
    return (fault){ at, number < 0 ? SHORTEN : FAIL, number };
}

static blows all_blows(const stage *s, size_t *vital)
{
    enum { MOST_ERRORS = 6 };
    blows b = { malloc(s->calls * (1 + MOST_ERRORS) * sizeof *b.at), 0 };
    if (!b.at) exit(126);
    for (int later = 0; later < 2; later++) {
        for (size_t i = 1; i <= s->calls; i++) {
            if (is_vital(s, i) == later) continue;
            b.at[b.count++] = (fault){ i, KILL, 0 };
            for (size_t k = 0; k < errors_count(s, i); k++) b.at[b.count++] = with_error(s, i, k);
        }
        if (!later) *vital = b.count;
    }
    return b;
}

/* Which of `count` blows is the index-th of `wanted`: the vital ones all, or evenly where they are too many, and the
 * rest evenly. */
static size_t spread(size_t index, size_t wanted, size_t vital, size_t count)
{
    if (wanted >= count) return index;
    if (wanted <= vital) return index * vital / wanted;
    return index < vital ? index : vital + (index - vital) * (count - vital) / (wanted - vital);
}

/* The index-th of `wanted`; beyond all single ones two at random. */
static void choose(const stage *s, const blows *b, size_t vital, size_t index, size_t wanted, fault f[MOST_FAULTS])
{
    f[1] = (fault){0};
    index = spread(index, wanted, vital, b->count);
    if (index < b->count) {
        f[0] = b->at[index];
        return;
    }
    uint64_t state = index * 7919 + 12345;
    for (int i = 0; i < 5; i++) dice(&state);
    size_t first = 1 + dice(&state) % s->calls, second = 1 + dice(&state) % s->calls;
    f[0] = with_error(s, first, dice(&state) % errors_count(s, first));
    f[1] = with_error(s, second, dice(&state) % errors_count(s, second));
    if (dice(&state) % 2) f[1].blow = KILL;
    if (f[1].at == f[0].at) f[1].at++;
}

static void describe(char text[256], const stage *s, const fault f[MOST_FAULTS])
{
    size_t used = 0;
    for (int i = 0; i < MOST_FAULTS && f[i].at; i++) {
        const char *name = f[i].at <= s->calls ? name_of(s->log[f[i].at]) : "?";
        used += (size_t)snprintf(text + used, 256 - used, "%s%s of call %zu (%s)%s%s", i ? " and " : "",
                                 f[i].blow == KILL ? "kill" : f[i].blow == SHORTEN ? "half" : "failure", f[i].at, name,
                                 f[i].blow == FAIL ? ": " : "", f[i].blow == FAIL ? strerror(f[i].number) : "");
    }
}

static void strike(const stage *s, const fault f[MOST_FAULTS], tally *t)
{
    traced r;
    char how[256];
    describe(how, s, f);
    perform(s->scene->command, s->folder, s, &r, f, false, NULL, NULL);
    if (f[0].blow == KILL || (f[1].at && f[1].blow == KILL)) t->kills++;
    else t->faults++;
    judge_run(s, &r, f, how, t);
    reset(s);
}

/* ---- losses of power --------------------------------------------------------------------------------------------- */

/* States are kept, each in a folder, until the command has ended: with the power its locks and its process are gone. */
typedef struct shown { char folder[PATH + 32], how[256]; bool ended; } shown;
typedef struct cutting {
    const stage *s;
    disk   *d;
    size_t  seen, states, every, offset, count;
    shown  *at;
} cutting;

static void show_states(cutting *c, bool ended, bool all, const char *when)
{
    for (size_t i = 0; i < disk_states(c->d); i++) {
        if (c->states++ % c->every != c->offset && !all) continue;
        c->at = realloc(c->at, (c->count + 1) * sizeof *c->at);
        if (!c->at) exit(126);
        shown *one = &c->at[c->count];
        one->ended = ended;
        snprintf(one->folder, sizeof one->folder, "%s/%zu", c->s->spare, c->count++);
        snprintf(one->how, sizeof one->how, "power cut %s %zu, %.80s", when, c->seen, disk_state_name(c->d, i));
        mkdir(one->folder, 0777);
        disk_show(c->d, i, one->folder);
    }
}

static void judge_states(cutting *c, tally *t)
{
    for (size_t i = 0; i < c->count; i++) {
        judge_files(c->s, c->at[i].folder, c->at[i].ended, c->at[i].how, t);
        empty(c->at[i].folder);
        rmdir(c->at[i].folder);
        t->cuts++;
    }
    free(c->at);
}

static void on_change(void *context, const call *made, bool before)
{
    cutting *c = context;
    c->seen += before;
    disk_see(c->d, made, before);
    if (!before) return;
    content printed = read_file("", c->s->out);
    bool ended = c->s->printed.size > 0 && printed.size == c->s->printed.size;    /* it has said so already */
    free(printed.at);
    show_states(c, ended, false, "before change");
}

/* One state in `every`, each worker another one; the last ones in any case. Returns how many there are. */
static size_t cut(const stage *s, size_t every, size_t offset, tally *t)
{
    traced r;
    cutting c = { .s = s, .d = disk_of(s->folder), .every = every, .offset = offset };
    perform(s->scene->command, s->folder, s, &r, NULL, false, on_change, &c);
    disk_see(c.d, &(call){0}, true);
    show_states(&c, r.code == 0, offset == 0, "after change");
    disk_free(c.d);
    judge_states(&c, t);
    reset(s);
    return c.states;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

typedef struct asked { size_t count, jobs, scenes; char **only; } asked;

static bool is_asked(const asked *a, const scene *of)
{
    for (size_t i = 0; i < a->scenes; i++)
        if (strcmp(a->only[i], of->name) == 0) return true;
    return a->scenes == 0;
}

/* Worker `job` does its share of a scene. */
static void play(const scene *of, const asked *a, size_t job, const char *root, tally *t)
{
    stage *s = malloc(sizeof *s);
    if (!s) exit(126);
    prepare(s, of, root);
    size_t vital = 0, played = a->scenes ? a->scenes : SCENES;
    blows b = all_blows(s, &vital);
    size_t every = a->jobs, wanted = b.count;
    if (a->count) {                                      /* one in six is a loss of power */
        tally nothing = {0};
        size_t states = cut(s, SIZE_MAX, 1, &nothing), share = a->count / played / 6 + 1;
        if (states > share) every = a->jobs * (states / share);
        wanted = a->count / played - (states < share ? states : share);
    }
    for (size_t i = job; i < wanted; i += a->jobs) {
        fault f[MOST_FAULTS];
        choose(s, &b, vital, i, wanted, f);
        strike(s, f, t);
    }
    cut(s, every, job, t);
    free(b.at);
    forget(s);
    free(s);
}

static void work(const asked *a, size_t job, int to)
{
    char root[] = "/tmp/una-faults-XXXXXX";
    tally t = {0};
    if (!mkdtemp(root)) exit(126);
    for (size_t i = 0; i < SCENES; i++)
        if (is_asked(a, &scenes[i])) play(&scenes[i], a, job, root, &t);
    empty(root);
    rmdir(root);
    if (write(to, &t, sizeof t) != sizeof t) exit(126);
    exit(0);
}

static void set_environment(void)
{
    static const char *const gone[] = { "UNA_DATA", "UNA_PATH", "MAKEFLAGS", "HOME" };
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++) unsetenv(gone[i]);
    setenv("LC_ALL", "C", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0:exitcode=99", 1);     /* leaks are not looked for under a tracer */
}

int main(int count, char **words)
{
    asked a = { .count = count > 2 ? strtoul(words[2], NULL, 10) : 0,
                .jobs = count > 3 ? strtoul(words[3], NULL, 10) : 1,
                .scenes = count > 4 ? (size_t)count - 4 : 0, .only = words + 4 };
    char path[4096];
    if (count < 2 || a.jobs < 1 || a.jobs > 64 || !realpath(words[1], path)) {
        fprintf(stderr, "faults PROGRAM [COUNT [JOBS [SCENE...]]]\n");
        return 1;
    }
    program = path;
    set_environment();
    int ends[2];
    if (pipe(ends) != 0) return 126;
    fflush(NULL);
    for (size_t job = 0; job < a.jobs; job++)
        if (fork() == 0) work(&a, job, ends[1]);
    close(ends[1]);

    tally all = {0}, t;
    size_t heard = 0;
    for (; read(ends[0], &t, sizeof t) == sizeof t; heard++) {
        all.kills += t.kills, all.faults += t.faults, all.cuts += t.cuts;
        all.torn += t.torn, all.lost += t.lost, all.left += t.left, all.silent += t.silent;
    }
    while (wait(NULL) > 0) continue;
    printf("%zu kills, %zu faults, %zu cuts: %zu torn, %zu lost, %zu left, %zu silent\n", all.kills, all.faults,
           all.cuts, all.torn, all.lost, all.left, all.silent);
    return heard == a.jobs && all.torn + all.lost + all.left + all.silent == 0 ? 0 : 1;
}
#endif
