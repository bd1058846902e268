/* SPDX-License-Identifier: MIT
 *
 * Files, whole or not at all: what is written goes to a temporary file in the goal's folder, is flushed to the disk
 * and then renamed over the goal. Pipes and devices cannot be renamed over and are written straight away, and names
 * such as /dev/stdout are written through the descriptor that they stand for. A goal that is mounted by itself can only
 * be written over, which is done once the whole lies beside it.
 * Also: files into memory, and CRC-32 (polynomial 0x04C11DB7, bits reversed).
 */
#define _XOPEN_SOURCE 700        /* realpath */

#include "base/archive.h"
#include "base/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

/* ---- CRC --------------------------------------------------------------------------------------------- */

static const uint32_t crc_table[256] = {
    0x00000000, 0x77073096, 0xee0e612c, 0x990951ba, 0x076dc419, 0x706af48f, 0xe963a535, 0x9e6495a3,
    0x0edb8832, 0x79dcb8a4, 0xe0d5e91e, 0x97d2d988, 0x09b64c2b, 0x7eb17cbd, 0xe7b82d07, 0x90bf1d91,
    0x1db71064, 0x6ab020f2, 0xf3b97148, 0x84be41de, 0x1adad47d, 0x6ddde4eb, 0xf4d4b551, 0x83d385c7,
    0x136c9856, 0x646ba8c0, 0xfd62f97a, 0x8a65c9ec, 0x14015c4f, 0x63066cd9, 0xfa0f3d63, 0x8d080df5,
    0x3b6e20c8, 0x4c69105e, 0xd56041e4, 0xa2677172, 0x3c03e4d1, 0x4b04d447, 0xd20d85fd, 0xa50ab56b,
    0x35b5a8fa, 0x42b2986c, 0xdbbbc9d6, 0xacbcf940, 0x32d86ce3, 0x45df5c75, 0xdcd60dcf, 0xabd13d59,
    0x26d930ac, 0x51de003a, 0xc8d75180, 0xbfd06116, 0x21b4f4b5, 0x56b3c423, 0xcfba9599, 0xb8bda50f,
    0x2802b89e, 0x5f058808, 0xc60cd9b2, 0xb10be924, 0x2f6f7c87, 0x58684c11, 0xc1611dab, 0xb6662d3d,
    0x76dc4190, 0x01db7106, 0x98d220bc, 0xefd5102a, 0x71b18589, 0x06b6b51f, 0x9fbfe4a5, 0xe8b8d433,
    0x7807c9a2, 0x0f00f934, 0x9609a88e, 0xe10e9818, 0x7f6a0dbb, 0x086d3d2d, 0x91646c97, 0xe6635c01,
    0x6b6b51f4, 0x1c6c6162, 0x856530d8, 0xf262004e, 0x6c0695ed, 0x1b01a57b, 0x8208f4c1, 0xf50fc457,
    0x65b0d9c6, 0x12b7e950, 0x8bbeb8ea, 0xfcb9887c, 0x62dd1ddf, 0x15da2d49, 0x8cd37cf3, 0xfbd44c65,
    0x4db26158, 0x3ab551ce, 0xa3bc0074, 0xd4bb30e2, 0x4adfa541, 0x3dd895d7, 0xa4d1c46d, 0xd3d6f4fb,
    0x4369e96a, 0x346ed9fc, 0xad678846, 0xda60b8d0, 0x44042d73, 0x33031de5, 0xaa0a4c5f, 0xdd0d7cc9,
    0x5005713c, 0x270241aa, 0xbe0b1010, 0xc90c2086, 0x5768b525, 0x206f85b3, 0xb966d409, 0xce61e49f,
    0x5edef90e, 0x29d9c998, 0xb0d09822, 0xc7d7a8b4, 0x59b33d17, 0x2eb40d81, 0xb7bd5c3b, 0xc0ba6cad,
    0xedb88320, 0x9abfb3b6, 0x03b6e20c, 0x74b1d29a, 0xead54739, 0x9dd277af, 0x04db2615, 0x73dc1683,
    0xe3630b12, 0x94643b84, 0x0d6d6a3e, 0x7a6a5aa8, 0xe40ecf0b, 0x9309ff9d, 0x0a00ae27, 0x7d079eb1,
    0xf00f9344, 0x8708a3d2, 0x1e01f268, 0x6906c2fe, 0xf762575d, 0x806567cb, 0x196c3671, 0x6e6b06e7,
    0xfed41b76, 0x89d32be0, 0x10da7a5a, 0x67dd4acc, 0xf9b9df6f, 0x8ebeeff9, 0x17b7be43, 0x60b08ed5,
    0xd6d6a3e8, 0xa1d1937e, 0x38d8c2c4, 0x4fdff252, 0xd1bb67f1, 0xa6bc5767, 0x3fb506dd, 0x48b2364b,
    0xd80d2bda, 0xaf0a1b4c, 0x36034af6, 0x41047a60, 0xdf60efc3, 0xa867df55, 0x316e8eef, 0x4669be79,
    0xcb61b38c, 0xbc66831a, 0x256fd2a0, 0x5268e236, 0xcc0c7795, 0xbb0b4703, 0x220216b9, 0x5505262f,
    0xc5ba3bbe, 0xb2bd0b28, 0x2bb45a92, 0x5cb36a04, 0xc2d7ffa7, 0xb5d0cf31, 0x2cd99e8b, 0x5bdeae1d,
    0x9b64c2b0, 0xec63f226, 0x756aa39c, 0x026d930a, 0x9c0906a9, 0xeb0e363f, 0x72076785, 0x05005713,
    0x95bf4a82, 0xe2b87a14, 0x7bb12bae, 0x0cb61b38, 0x92d28e9b, 0xe5d5be0d, 0x7cdcefb7, 0x0bdbdf21,
    0x86d3d2d4, 0xf1d4e242, 0x68ddb3f8, 0x1fda836e, 0x81be16cd, 0xf6b9265b, 0x6fb077e1, 0x18b74777,
    0x88085ae6, 0xff0f6a70, 0x66063bca, 0x11010b5c, 0x8f659eff, 0xf862ae69, 0x616bffd3, 0x166ccf45,
    0xa00ae278, 0xd70dd2ee, 0x4e048354, 0x3903b3c2, 0xa7672661, 0xd06016f7, 0x4969474d, 0x3e6e77db,
    0xaed16a4a, 0xd9d65adc, 0x40df0b66, 0x37d83bf0, 0xa9bcae53, 0xdebb9ec5, 0x47b2cf7f, 0x30b5ffe9,
    0xbdbdf21c, 0xcabac28a, 0x53b39330, 0x24b4a3a6, 0xbad03605, 0xcdd70693, 0x54de5729, 0x23d967bf,
    0xb3667a2e, 0xc4614ab8, 0x5d681b02, 0x2a6f2b94, 0xb40bbe37, 0xc30c8ea1, 0x5a05df1b, 0x2d02ef8d,
};

uint32_t una_crc32(uint32_t crc, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    crc = ~crc;
    for (size_t i = 0; i < size; i++) crc = crc_table[(crc ^ at[i]) & 0xff] ^ (crc >> 8);
    return ~crc;
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
static bool folder_of(char folder[PATH_MAX], const char *path)
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
static int follow(place *p, const char *path)
{
    enum { MOST_LINKS = 40 };
    char folder[PATH_MAX], link[PATH_MAX];
    *p = (place){ .stream = -1 };
    if (strlen(path) >= sizeof p->name) return ENAMETOOLONG;
    memcpy(p->name, path, strlen(path) + 1);
    for (int i = 0; i < MOST_LINKS; i++) {
        if (!folder_of(folder, p->name)) return 0;
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

una_status una_file_goal(const char **goal, const char *path, una_arena *arena, una_run *run)
{
    place p;
    int number = follow(&p, path);
    if (number) return fail_io(run, "write", path, number);
    *goal = una_arena_text(arena, p.stream >= 0 ? path : p.name);
    return una_arena_check(arena);
}

/* A stream on a descriptor that is this file's own; handle -1: opening it failed. */
static una_status open_straight(una_file *file, int handle, const char *path, una_run *run)
{
    if (handle < 0) return fail_io(run, "write", path, errno);
    file->stream = fdopen(handle, "wb");
    if (file->stream) return UNA_OK;
    int number = errno;
    close(handle);
    return fail_io(run, "write", path, number);
}

static una_status open_temporary(una_file *file, una_arena *arena, const struct stat *old, una_run *run)
{
    const char *slash = strrchr(file->goal, '/');
    size_t length = slash ? (size_t)(slash - file->goal) + 1 : 0;
    char *folder = UNA_GET(arena, char, length + 1), *temporary = UNA_GET(arena, char, length + UNA_TEMPORARY_NAME);
    UNA_TRY(una_arena_check(arena));
    memcpy(folder, file->goal, length);
    int handle = una_temporary_open(temporary, folder, 0666);
    if (handle < 0) return fail_io(run, "write", file->goal, errno);
    file->temporary = temporary;

    /* Who may read the old file may read the new one, and nobody else. A file system without modes is no failure. */
    int unheeded = old ? fchmod(handle, old->st_mode & 07777) : 0;
    (void)unheeded;

    file->stream = fdopen(handle, "wb");
    if (file->stream) return UNA_OK;
    int number = errno;
    una_file_abandon(file);
    close(handle);
    return fail_io(run, "write", file->goal, number);
}

una_status una_file_begin(una_file *file, const char *path, una_arena *arena, una_run *run)
{
    *file = (una_file){0};
    struct stat about;
    place p;
    if (!*path) UNA_FAIL(run, UNA_E_IO, "cannot write a file without a name; give one");
    int number = follow(&p, path);
    if (number) return fail_io(run, "write", path, number);
    bool exists = stat(p.name, &about) == 0;
    bool special = p.stream >= 0 || (exists && (p.foreign || !S_ISREG(about.st_mode)));
    if (exists && S_ISDIR(about.st_mode))
        UNA_FAIL(run, UNA_E_IO, "cannot write %s: it is a folder; give the name of a file", path);

    file->goal = una_arena_text(arena, special ? path : p.name);
    UNA_TRY(una_arena_check(arena));
    if (p.stream >= 0) return open_straight(file, fcntl(p.stream, F_DUPFD_CLOEXEC, 0), path, run);
    if (special)
        return open_straight(file, una_open(path, O_WRONLY | O_APPEND, run), path, run);
    if (exists && access(p.name, W_OK) != 0) return fail_io(run, "write", path, errno);
    return open_temporary(file, arena, exists ? &about : NULL, run);
}

una_status una_file_write(una_file *file, const void *bytes, size_t size, una_run *run)
{
    if (fwrite(bytes, 1, size, file->stream) == size) return UNA_OK;
    int number = errno;                          /* which commit would no longer know */
    una_file_abandon(file);
    return fail_io(run, "write", file->goal, number);
}

/* Not every file system can; then nothing is lost but what a loss of power takes. 0, or the number of the error. */
static int sync_handle(int handle)
{
    static const int unable[] = { EINVAL, ENOSYS, EROFS, ENOTSUP, EOPNOTSUPP };
    int result;
    do result = fsync(handle);
    while (result != 0 && errno == EINTR);
    int number = result == 0 ? 0 : errno;
    for (size_t i = 0; i < sizeof unable / sizeof *unable; i++)
        if (number == unable[i]) number = 0;

    int twin = number == 0 ? dup(handle) : -1;           /* some file systems speak up only when a file is closed */
    if (twin >= 0 && close(twin) != 0 && errno != EINTR) number = errno;
    return number;
}

void una_name_sync(const char *goal)
{
    char folder[PATH_MAX], name[PATH_MAX];
    size_t length = strlen(goal);
    while (length > 1 && goal[length - 1] == '/') length--;
    if (length >= sizeof name) return;
    memcpy(name, goal, length);
    name[length] = 0;
    int handle = folder_of(folder, name) ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (handle < 0) return;
    fsync(handle);
    close(handle);
}

/* 0: all is written. A failure before this has left no number: what is to be thrown away is written to once more, and
 * a full disk says so again. */
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

/* GOAL.whole, or the first of GOAL.whole-2 and so on that is free, and from here on taken by an empty file. 0, or the
 * number of the error. */
static int take_name(char kept[PATH_MAX], const char *goal)
{
    enum { MOST = 1000 };
    for (int i = 1; i <= MOST; i++) {
        int used = i == 1 ? snprintf(kept, PATH_MAX, "%s.whole", goal)
                          : snprintf(kept, PATH_MAX, "%s.whole-%d", goal, i);
        if (used < 0 || used >= PATH_MAX) return ENAMETOOLONG;
        int handle = open(kept, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (handle >= 0) close(handle);
        if (handle >= 0) return 0;
        if (errno != EEXIST && errno != EINTR) return errno;
    }
    return EEXIST;
}

/* What was written gets that name, which nobody sweeps. */
static int keep_whole(char kept[PATH_MAX], una_file *file)
{
    int number = take_name(kept, file->goal);
    if (number) return number;
    if (rename(file->temporary, kept) != 0) {
        number = errno;
        unlink(kept);
        return number;
    }
    file->temporary = NULL;
    una_name_sync(file->goal);
    return 0;
}

/* Where the goal can only be written over: what lies beside it goes last, so that at any moment one of the two is
 * whole. */
static una_status write_over(una_file *file, int why, una_run *run)
{
    char kept[PATH_MAX], reason[128];
    int number = keep_whole(kept, file);
    if (number) return fail_io(run, "write", file->goal, number);

    int to = open(file->goal, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (to < 0) number = errno;
    else number = copy_bytes(to, fileno(file->stream));
    if (number == 0) number = sync_handle(to);
    if (to >= 0) close(to);
    error_text(number ? number : why, reason, sizeof reason);
    if (number)
        UNA_FAIL(run, UNA_E_IO, "cannot write %s: %s; the whole of it is in %s, which nothing removes: copy it from "
                 "there", file->goal, reason, kept);
    unlink(kept);
    una_log(run, UNA_LOG_WARNING, "%s cannot be replaced (%s), as where it is mounted by itself, and was written over "
            "in place", file->goal, reason);
    return UNA_OK;
}

/* From here on a failure leaves what is at the goal as it was. */
static una_status put_in_place(una_file *file, una_run *run)
{
    int number = sync_handle(fileno(file->stream));
    if (number) return fail_io(run, "write", file->goal, number);
    if (rename(file->temporary, file->goal) == 0) file->temporary = NULL;
    else if (errno == EBUSY || errno == EXDEV) UNA_TRY(write_over(file, errno, run));
    else return fail_io(run, "write", file->goal, errno);
    una_name_sync(file->goal);
    return UNA_OK;
}

/* The stream is closed last: with it goes the lock on the temporary. */
una_status una_file_commit(una_file *file, una_run *run)
{
    int number = flush_number(file);
    una_status status = number ? fail_io(run, "write", file->goal, number) : UNA_OK;
    if (status == UNA_OK && file->temporary) {
        status = put_in_place(file, run);
    } else if (status == UNA_OK) {
        if (fclose(file->stream) != 0) status = fail_io(run, "write", file->goal, errno);
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

una_status una_open_read(FILE **stream, const char *path, una_run *run)
{
    struct stat about;
    *stream = NULL;
    if (stat(path, &about) != 0) return fail_io(run, "read", path, errno);
    if (S_ISDIR(about.st_mode))
        UNA_FAIL(run, UNA_E_IO, "cannot read %s: it is a folder; give the name of a file", path);
    int handle = una_open(path, O_RDONLY, run);
    if (handle < 0) return fail_io(run, "read", path, errno);
    *stream = fdopen(handle, "rb");
    if (*stream) return UNA_OK;
    int number = errno;
    close(handle);
    return fail_io(run, "read", path, number);
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

/* As fread, and on after a signal that does not end the work; a failure is left in the stream, and in errno. In pieces,
 * since fread itself goes on after a signal. */
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

una_status una_stream_more(unsigned char **bytes, size_t *size, FILE *stream, size_t most, size_t hint,
                           const char *path, una_arena *arena, una_run *run)
{
    enum { STEP = 64 << 10 };
    size_t got = *size, room = hint > got ? hint : got + STEP;
    unsigned char *at = *bytes;
    *bytes = NULL;
    *size = 0;
    if (most == SIZE_MAX) most--;            /* the zero byte must fit as well */

    for (;;) {
        if (room > most) room = most;
        unsigned char *larger = una_arena_get(arena, room + 1, 1);
        if (!larger) UNA_FAIL(run, UNA_E_MEMORY, "%s is too large: %s", path, run->message);
        if (got) memcpy(larger, at, got);
        at = larger;
        unsigned char next;
        got += read_some(at + got, room - got, stream, run);
        if (ferror(stream) || una_cancelled(run)) return fail_io(run, "read", path, ferror(stream) ? errno : EINTR);
        if (got < room || room == most) break;
        if (read_some(&next, 1, stream, run) == 0) {     /* a file as long as its hint needs no second round */
            if (ferror(stream)) return fail_io(run, "read", path, errno);
            break;
        }
        ungetc(next, stream);
        room = room > SIZE_MAX / 4 ? SIZE_MAX : 2 * room;
    }

    at[got] = 0;
    *bytes = at;
    *size = got;
    return UNA_OK;
}

una_status una_stream_read(unsigned char **bytes, size_t *size, FILE *stream, size_t most, size_t hint,
                           const char *path, una_arena *arena, una_run *run)
{
    *bytes = NULL;
    *size = 0;
    return una_stream_more(bytes, size, stream, most, hint, path, arena, run);
}

una_status una_slurp(unsigned char **bytes, size_t *size, const char *path, una_arena *arena, una_run *run)
{
    FILE *stream;
    *bytes = NULL;
    *size = 0;
    UNA_TRY(una_open_read(&stream, path, run));
    una_stamp stamp = una_stamp_of(fileno(stream));
    una_status status = una_stream_read(bytes, size, stream, SIZE_MAX, (size_t)stamp.size, path, arena, run);
    if (status == UNA_OK) status = una_stamp_check(&stamp, fileno(stream), path, run);
    fclose(stream);
    return status;
}
