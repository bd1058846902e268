/* SPDX-License-Identifier: MIT
 *
 * Files are written whole or not at all: the bytes go to a temporary file in the goal's folder, are flushed to the
 * disk, and then the file is renamed over the goal. Pipes and devices cannot be replaced and are written straight away,
 * and names such as /dev/stdout are written through the descriptor that they stand for. A goal that is a mount point of
 * its own can only be written over, which happens once the whole text lies beside it.
 * Also here: files into memory, and CRC-32 by zlib.
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "base/archive.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

uint32_t una_crc32(uint32_t crc, const void *bytes, size_t size)
{
    return size ? (uint32_t)crc32_z(crc, bytes, size) : crc;
}

/* ---- writing ----------------------------------------------------------------------------------------- */

/* strerror may share its text between threads. */
static const char *error_text(int number, char *text, size_t room)
{
    if (strerror_r(number, text, room) != 0) snprintf(text, room, "error %d", number);
    return text;
}

static una_status fail_io(una_run *run, const char *what, const char *path, int number)
{
    char why[128];
    if (number == EINTR && una_cancelled(run))
        UNA_FAIL(run, UNA_CANCELLED, "interrupted before %s was %s", path, *what == 'r' ? "read" : "written");
    UNA_FAIL(run, UNA_E_IO, "cannot %s %s: %s", what, path, error_text(number, why, sizeof why));
}

/* A pipe with a name may keep its openers waiting for the other side. */
int una_open(const char *path, int flags, const una_run *run)
{
    int handle = -1;
    errno = EINTR;
    while (handle < 0 && errno == EINTR && !una_cancelled(run)) handle = open(path, flags | O_CLOEXEC | O_NOCTTY);
    return handle;
}

typedef struct place {           /* where a path leads                                              */
    char name[PATH_MAX];         /* links are followed, also to a file that is not there yet        */
    int  stream;                 /* the descriptor of this process that the path names, or -1       */
    bool foreign;                /* below /proc: even a plain file there belongs to somebody else   */
} place;

/* The folder that holds `path`, resolved; false: there is none, and errno says why. */
static bool resolved_folder(char folder[PATH_MAX], const char *path)
{
    char given[PATH_MAX];
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    if (length >= sizeof given) return false;
    memcpy(given, path, length);
    given[length] = 0;
    return realpath(length ? given : ".", folder) != NULL;
}

/* Where such a name leads to a plain file, that file is a redirection: it is written where the descriptor stands,
 * after what is there and before what follows, and never replaced. */
static int named_stream(const char *folder, const char *name)
{
    static const char *const standard[] = { "stdin", "stdout", "stderr" };
    for (int i = 0; i < 3; i++)
        if (strcmp(folder, "/dev") == 0 && strcmp(name, standard[i]) == 0) return i;
    char own[PATH_MAX];
    if (strcmp(folder, "/dev/fd") != 0 && !(realpath("/proc/self/fd", own) && strcmp(folder, own) == 0)) return -1;
    char *end;
    long number = strtol(name, &end, 10);
    return *name && !*end && number >= 0 && number <= INT_MAX ? (int)number : -1;
}

/* 0, or the number of the error. A folder that is not there is no error here: opening the file says so. */
static int follow_links(place *p, const char *path)
{
    enum { MOST_LINKS = 40 };
    char folder[PATH_MAX], link[PATH_MAX];
    *p = (place){ .stream = -1 };
    if (strlen(path) >= sizeof p->name) return ENAMETOOLONG;
    memcpy(p->name, path, strlen(path) + 1);
    for (int i = 0; i < MOST_LINKS; i++) {
        if (!resolved_folder(folder, p->name)) return 0;
        const char *slash = strrchr(p->name, '/');
        p->stream = named_stream(folder, slash ? slash + 1 : p->name);
        p->foreign = strncmp(folder, "/proc/", 6) == 0;
        ssize_t length = p->stream >= 0 || p->foreign ? -1 : readlink(p->name, link, sizeof link - 1);
        if (length < 0) return 0;

        link[length] = 0;
        bool whole = *link == '/';
        int used = snprintf(p->name, sizeof p->name, "%s%s%s", whole ? "" : folder, whole ? "" : "/", link);
        if (used < 0 || (size_t)used >= sizeof p->name) return ENAMETOOLONG;
    }
    return ELOOP;
}

una_status una_file_destination(const char **destination, const char *path, una_arena *arena, una_run *run)
{
    place p;
    int number = follow_links(&p, path);
    if (number) return fail_io(run, "write", path, number);
    *destination = una_arena_text(arena, p.stream >= 0 ? path : p.name);
    return una_arena_check(arena);
}

/* The handle as a stream; where there is none, or no stream of it, the sentence about `what`. */
static una_status stream_of(FILE **stream, int handle, const char *mode, const char *path, una_run *run)
{
    *stream = handle < 0 ? NULL : fdopen(handle, mode);
    int number = errno;
    if (*stream) return UNA_OK;
    if (handle >= 0) close(handle);
    return fail_io(run, *mode == 'r' ? "read" : "write", path, number);
}

static una_status open_temporary(una_file *file, una_arena *arena, const struct stat *old, una_run *run)
{
    const char *slash = strrchr(file->destination, '/');
    size_t length = slash ? (size_t)(slash - file->destination) + 1 : 0;
    UNA_NEW(arena, char, folder, length + 1);
    UNA_NEW(arena, char, temporary, length + UNA_TEMPORARY_NAME);
    memcpy(folder, file->destination, length);
    int handle = una_temporary_open(temporary, folder, 0666);

    /* Who may read the old file may read the new one, and nobody else. A file system without modes is no failure. */
    int unheeded = old && handle >= 0 ? fchmod(handle, old->st_mode & 07777) : 0;
    (void)unheeded;

    file->temporary = handle >= 0 ? temporary : NULL;
    una_status status = stream_of(&file->stream, handle, "wb", file->destination, run);
    if (status != UNA_OK) una_file_abandon(file);
    return status;
}

una_status una_file_begin(una_file *file, const char *path, una_arena *arena, una_run *run)
{
    *file = (una_file){0};
    struct stat about;
    place p;
    if (!*path) UNA_FAIL(run, UNA_E_IO, "cannot write a file without a name; give one");
    int number = follow_links(&p, path);
    if (number) return fail_io(run, "write", path, number);
    bool exists = stat(p.name, &about) == 0;
    bool special = p.stream >= 0 || (exists && (p.foreign || !S_ISREG(about.st_mode)));
    if (exists && S_ISDIR(about.st_mode))
        UNA_FAIL(run, UNA_E_IO, "cannot write %s: it is a folder; give the name of a file", path);

    file->destination = una_arena_text(arena, special ? path : p.name);
    UNA_TRY(una_arena_check(arena));
    if (p.stream >= 0) return stream_of(&file->stream, fcntl(p.stream, F_DUPFD_CLOEXEC, 0), "wb", path, run);
    if (special) return stream_of(&file->stream, una_open(path, O_WRONLY | O_APPEND, run), "wb", path, run);
    if (exists && access(p.name, W_OK) != 0) return fail_io(run, "write", path, errno);
    return open_temporary(file, arena, exists ? &about : NULL, run);
}

una_status una_file_write(una_file *file, const void *bytes, size_t size, una_run *run)
{
    if (fwrite(bytes, 1, size, file->stream) == size) return UNA_OK;
    int number = errno;                          /* which commit would no longer know */
    una_file_abandon(file);
    return fail_io(run, "write", file->destination, number);
}

/* 0, or the number of the error. Not every file system can sync a folder; there only a loss of power can do harm. */
static int sync_handle(int handle)
{
    static const int unable[] = { EINVAL, ENOSYS, EROFS, ENOTSUP, EOPNOTSUPP };
    int result;
    do result = fsync(handle);
    while (result != 0 && errno == EINTR);
    int number = result == 0 ? 0 : errno;
    for (size_t i = 0; i < sizeof unable / sizeof *unable; i++)
        if (number == unable[i]) number = 0;

    int duplicate = number == 0 ? dup(handle) : -1;          /* some file systems speak up only when a file is closed */
    if (duplicate >= 0 && close(duplicate) != 0 && errno != EINTR) number = errno;
    return number;
}

void una_name_sync(const char *destination)
{
    char folder[PATH_MAX], name[PATH_MAX];
    size_t length = strlen(destination);
    while (length > 1 && destination[length - 1] == '/') length--;
    if (length >= sizeof name) return;
    memcpy(name, destination, length);
    name[length] = 0;
    int handle = resolved_folder(folder, name) ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (handle < 0) return;
    fsync(handle);
    close(handle);
}

/* 0: all is written. An earlier failure has left no number, so one more write asks for it: a full disk reports its
 * error again. */
static int flush_number(const una_file *file)
{
    errno = 0;
    if (fflush(file->stream) == 0 && !ferror(file->stream)) return 0;
    if (errno == 0 && file->temporary) {
        clearerr(file->stream);
        if (fputc('\n', file->stream) != EOF) fflush(file->stream);
    }
    return errno ? errno : EIO;
}

/* 0, or the number of the error. */
static int copy_bytes(int to, int from)
{
    char block[1 << 14];
    off_t size = 0;
    for (;;) {
        ssize_t got = pread(from, block, sizeof block, size);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno;
        if (got == 0) return ftruncate(to, size) == 0 ? 0 : errno;
        for (ssize_t done = 0; done < got;) {
            ssize_t put = pwrite(to, block + done, (size_t)(got - done), size + done);
            if (put < 0 && errno != EINTR) return errno;
            if (put > 0) done += put;
        }
        size += got;
    }
}

/* Takes the name GOAL.whole, or the first free one of GOAL.whole-2 and so on, with an empty file. 0, or the number of
 * the error. */
static int take_free_name(char kept[PATH_MAX], const char *destination)
{
    enum { MOST = 1000 };
    for (int i = 1; i <= MOST; i++) {
        int used = i == 1 ? snprintf(kept, PATH_MAX, "%s.whole", destination)
                          : snprintf(kept, PATH_MAX, "%s.whole-%d", destination, i);
        if (used < 0 || used >= PATH_MAX) return ENAMETOOLONG;
        int handle = open(kept, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (handle >= 0) close(handle);
        if (handle >= 0) return 0;
        if (errno != EEXIST && errno != EINTR) return errno;
    }
    return EEXIST;
}

/* Gives what was written a name that no clean-up removes. */
static int keep_whole(char kept[PATH_MAX], una_file *file)
{
    int number = take_free_name(kept, file->destination);
    if (number) return number;
    if (rename(file->temporary, kept) != 0) {
        number = errno;
        unlink(kept);
        return number;
    }
    file->temporary = NULL;
    una_name_sync(file->destination);
    return 0;
}

/* Writes over a goal that cannot be replaced. The copy beside it is removed last, so that one of the two is whole at
 * any moment. */
static una_status write_over(una_file *file, int why, una_run *run)
{
    char kept[PATH_MAX], reason[128];
    int number = keep_whole(kept, file);
    if (number) return fail_io(run, "write", file->destination, number);

    int to = open(file->destination, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (to < 0) number = errno;
    else number = copy_bytes(to, fileno(file->stream));
    if (number == 0) number = sync_handle(to);
    if (to >= 0) close(to);
    error_text(number ? number : why, reason, sizeof reason);
    if (number)
        UNA_FAIL(run, UNA_E_IO, "cannot write %s: %s; the whole of it is in %s, which nothing removes: copy it from "
                 "there", file->destination, reason, kept);
    unlink(kept);
    una_log(run, UNA_LOG_WARNING, "%s cannot be replaced (%s), as where it is mounted by itself, and was written over "
            "in place", file->destination, reason);
    return UNA_OK;
}

/* From here on a failure leaves what is at the goal as it was. */
static una_status put_in_place(una_file *file, una_run *run)
{
    int number = sync_handle(fileno(file->stream));
    if (number) return fail_io(run, "write", file->destination, number);
    if (rename(file->temporary, file->destination) == 0) file->temporary = NULL;
    else if (errno == EBUSY || errno == EXDEV) UNA_TRY(write_over(file, errno, run));
    else return fail_io(run, "write", file->destination, errno);
    una_name_sync(file->destination);
    return UNA_OK;
}

/* Closes the stream last, because that releases the lock on the temporary file. */
una_status una_file_commit(una_file *file, una_run *run)
{
    int number = flush_number(file);
    una_status status = number ? fail_io(run, "write", file->destination, number) : UNA_OK;
    if (status == UNA_OK && file->temporary) {
        status = put_in_place(file, run);
    } else if (status == UNA_OK) {
        if (fclose(file->stream) != 0) status = fail_io(run, "write", file->destination, errno);
        file->stream = NULL;
    }
    una_file_abandon(file);
    return status;
}

void una_file_abandon(una_file *file)
{
    if (file->temporary) unlink(file->temporary);
    if (file->stream) fclose(file->stream);
    file->stream = NULL;
    file->temporary = NULL;
}

/* ---- reading ----------------------------------------------------------------------------------------- */

una_status una_stream_open(una_stream *s, const char *path, una_arena *arena, una_run *run)
{
    struct stat about;
    *s = (una_stream){ .path = path, .arena = arena, .run = run };
    if (stat(path, &about) != 0) return fail_io(run, "read", path, errno);
    if (S_ISDIR(about.st_mode))
        UNA_FAIL(run, UNA_E_IO, "cannot read %s: it is a folder; give the name of a file", path);
    UNA_TRY(stream_of(&s->file, una_open(path, O_RDONLY, run), "rb", path, run));
    s->stamp = una_stamp_of(fileno(s->file));
    return UNA_OK;
}

una_stamp una_stamp_of(int handle)
{
    struct stat about;
    if (fstat(handle, &about) != 0 || !S_ISREG(about.st_mode)) return (una_stamp){ .plain = false };
    return (una_stamp){ true, (uint64_t)about.st_size, (int64_t)about.st_mtim.tv_sec, (int64_t)about.st_mtim.tv_nsec };
}

una_status una_stamp_check(const una_stamp *was, int handle, const char *path, una_run *run)
{
    una_stamp now = una_stamp_of(handle);
    bool same = now.size == was->size && now.seconds == was->seconds && now.nanoseconds == was->nanoseconds;
    if (!was->plain || same) return UNA_OK;
    UNA_FAIL(run, UNA_E_IO, "%s was changed while it was read; read it again once it stays as it is", path);
}

/* Like fread, but continues after a signal unless the work is cancelled. A failure stays in the stream and in errno. It
 * reads in pieces, since fread itself continues after a signal. */
static size_t read_some(void *to, size_t want, FILE *stream, const una_run *run)
{
    enum { PIECE = 4 << 20 };
    size_t got = 0;
    while (got < want && !feof(stream) && !una_cancelled(run)) {
        size_t piece = want - got < PIECE ? want - got : PIECE;
        errno = 0;
        size_t read = fread((unsigned char *)to + got, 1, piece, stream);
        got += read;
        if (read == piece || feof(stream)) continue;
        if (errno != EINTR || una_cancelled(run)) break;
        clearerr(stream);
    }
    return got;
}

una_status una_stream_take(una_stream *s, size_t most, size_t hint)
{
    enum { STEP = 64 << 10 };
    size_t got = s->size, room = hint > got ? hint : got + STEP;
    if (most == SIZE_MAX) most--;            /* the zero byte must fit as well */

    for (;;) {
        if (room > most) room = most;
        unsigned char *larger = una_arena_get(s->arena, room + 1, 1), next;
        if (!larger) UNA_FAIL(s->run, UNA_E_MEMORY, "%s is too large: %s", s->path, s->run->message);
        if (got) memcpy(larger, s->bytes, got);
        s->bytes = larger;
        got += read_some(larger + got, room - got, s->file, s->run);
        bool whole = got < room || room == most;
        /* A file as long as its hint needs no second round. */
        if (!whole && !ferror(s->file) && !una_cancelled(s->run)) whole = read_some(&next, 1, s->file, s->run) == 0;
        if (ferror(s->file) || una_cancelled(s->run))
            return fail_io(s->run, "read", s->path, ferror(s->file) ? errno : EINTR);
        if (whole) break;
        ungetc(next, s->file);
        room = room > SIZE_MAX / 4 ? SIZE_MAX : 2 * room;
    }

    s->bytes[s->size = got] = 0;
    return UNA_OK;
}

una_status una_stream_rest(unsigned char **bytes, size_t *size, una_stream *s, una_status status)
{
    if (status == UNA_OK) status = una_stream_take(s, SIZE_MAX, (size_t)s->stamp.size);
    if (status == UNA_OK) status = una_stamp_check(&s->stamp, fileno(s->file), s->path, s->run);
    fclose(s->file);
    *bytes = status == UNA_OK ? s->bytes : NULL;
    *size = status == UNA_OK ? s->size : 0;
    return status;
}

una_status una_slurp(unsigned char **bytes, size_t *size, const char *path, una_arena *arena, una_run *run)
{
    una_stream stream;
    *bytes = NULL;
    *size = 0;
    UNA_TRY(una_stream_open(&stream, path, arena, run));
    return una_stream_rest(bytes, size, &stream, UNA_OK);
}
