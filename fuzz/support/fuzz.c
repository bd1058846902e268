/* SPDX-License-Identifier: MIT
 *
 * See fuzz.h.
 */
#include "fuzz.h"

#include "read/json.h"

#include <dirent.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

void fuzz_wrong(const char *file, int line, const char *holds, const char *format, ...)
{
    fprintf(stderr, "%s:%d: not so: %s: ", file, line, holds);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fprintf(stderr, "\n");
    abort();
}

/* ---- a bounded run -------------------------------------------------------------------------------- */

static void *counted_allocate(void *context, size_t size)
{
    fuzz_world *world = context;
    if (world->left == 0) {
        world->starved = true;
        return NULL;
    }
    if (world->left > 0) world->left--;

    void *block = malloc(size);
    FUZZ_CHECK(block, "malloc has no %zu bytes, which the limit allows", size);
    world->live++;
    world->held += malloc_usable_size(block);
    if (world->held > world->peak) world->peak = world->held;
    return block;
}

static void counted_release(void *context, void *block)
{
    fuzz_world *world = context;
    if (!block) return;
    world->live--;
    world->held -= malloc_usable_size(block);
    free(block);
}

static int tick(void *context, const una_progress *progress)
{
    fuzz_world *world = context;
    FUZZ_CHECK(progress->stage && *progress->stage, "a stage without a name");
    FUZZ_CHECK(progress->fraction >= -1e-9 && progress->fraction <= 1 + 1e-9, "%s: %g of the whole", progress->stage,
               progress->fraction);
    if (world->ticks < 0 || world->ticks-- > 0) return 0;
    world->ticks = 0;
    world->cancelled = true;
    return 1;
}

static void logged(void *context, una_log_level level, const char *sentence)
{
    (void)context;
    (void)level;
    FUZZ_CHECK(*sentence, "an empty sentence is logged");
}

bool fuzz_begin(fuzz_world *world, fuzz_limits limits)
{
    enum { BLOCK = 16 << 10, PIECE = 64 };       /* of an arena */
    *world = (fuzz_world){ .left = limits.allocations > 0 ? limits.allocations : -1,
                           .ticks = limits.ticks > 0 ? limits.ticks : -1 };
    una_run_settings settings = {
        .size = sizeof settings, .seed = limits.seed, .threads = 1, .no_cache = 1, .no_scratch = 1,
        .memory_limit = limits.memory ? limits.memory : 256000000, .allocate = counted_allocate,
        .release = counted_release, .allocator = world, .progress = tick, .log = logged, .callbacks = world,
        .reading = limits.reading
    };
    una_status status = una_run_new(&world->run, &settings);
    if (status == UNA_OK && limits.allocations < 0) {
        size_t left = (size_t)-limits.allocations * PIECE;
        una_arena_get(&world->run->scratch, BLOCK - (left < BLOCK ? left : BLOCK), 1);
        world->left = 0;
    }
    if (status == UNA_OK) return true;
    FUZZ_CHECK(status == UNA_E_MEMORY && world->starved, "no run: status %d", (int)status);
    FUZZ_CHECK(world->live == 0, "%ld blocks leak where no run could be made", world->live);
    return false;
}

void fuzz_end(fuzz_world *world)
{
    una_run_free(world->run);
    FUZZ_CHECK(world->live == 0 && world->held == 0, "%ld blocks leak, %zu bytes", world->live, world->held);
}

long fuzz_allocations(uint8_t byte)
{
    long n = byte % 64 + 1, few = n <= 32 ? n : 32;
    if (byte < 128) return 0;
    return byte < 192 ? few + (n - few) * (n - few) : -(few + 7 * (n - few));
}

/* ---- oracles -------------------------------------------------------------------------------------- */

una_status fuzz_explain(una_status status, const fuzz_world *world, const char *call)
{
    static const char *tell;
    if (!tell) tell = getenv("UNA_FUZZ_TELL") ? getenv("UNA_FUZZ_TELL") : "";
    if (*tell) fprintf(stderr, "%.60s: %d %s\n", call, (int)status, status ? una_run_message(world->run) : "");
    if (status == UNA_OK) return status;
    const char *message = una_run_message(world->run);
    FUZZ_CHECK(strcmp(una_status_text(status), "unknown status") != 0, "%s: status %d", call, (int)status);
    FUZZ_CHECK(*message, "%s: status %d without a sentence", call, (int)status);
    FUZZ_CHECK(status != UNA_CANCELLED || world->cancelled, "%s: cancelled by nobody: %s", call, message);
    return status;
}

void fuzz_finite(const double *values, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++) FUZZ_CHECK(isfinite(values[i]), "%s: number %zu is %g", what, i, values[i]);
}

void fuzz_same(const double *a, const double *b, size_t count, const char *what)
{
    for (size_t i = 0; i < count; i++)
        FUZZ_CHECK(memcmp(&a[i], &b[i], sizeof *a) == 0, "%s: number %zu is %.17g and %.17g", what, i, a[i], b[i]);
}

/* Bytes of the character at `at`, 0 if it is none: too long a form, a surrogate, beyond U+10FFFF, cut off. */
static size_t utf8_length(const unsigned char *at, size_t left)
{
    if (at[0] < 0x80) return 1;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > left) return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80) return 0;
    if (at[0] == 0xe0 && at[1] < 0xa0) return 0;
    if (at[0] == 0xed && at[1] > 0x9f) return 0;
    if (at[0] == 0xf0 && at[1] < 0x90) return 0;
    return at[0] == 0xf4 && at[1] > 0x8f ? 0 : length;
}

void fuzz_utf8(const char *text, size_t size, const char *what)
{
    for (size_t i = 0, length; i < size; i += length) {
        length = utf8_length((const unsigned char *)text + i, size - i);
        FUZZ_CHECK(length, "%s: no UTF-8 from byte %zu", what, i);
    }
}

/* Seeds have 64 bits without a sign: JSON, but more than an integer of Jansson's. */
void fuzz_json(const char *text, size_t size, const char *what)
{
    json_error_t error;
    size_t how = JSON_DECODE_ANY | JSON_ALLOW_NUL | JSON_DECODE_INT_AS_REAL;     /* a seed may be beyond 2^63 */
    json_t *json = json_loadb(text, size, how, &error);
    FUZZ_CHECK(json, "%s: no JSON: %s at byte %d of %.*s", what, error.text, error.position, (int)size, text);
    json_decref(json);
}

void fuzz_memory_from(fuzz_world *world)
{
    world->peak = world->held;
}

static void memory_most(const fuzz_world *world, size_t most, size_t bytes, const char *what)
{
    FUZZ_CHECK(world->peak <= most, "%s: %zu bytes of memory for %zu bytes", what, world->peak, bytes);
}

void fuzz_memory_times(const fuzz_world *world, size_t times, size_t bytes, const char *what)
{
    memory_most(world, times * bytes + 1000000, bytes, what);
}

void fuzz_memory_text(const fuzz_world *world, size_t bytes, const char *what)
{
    memory_most(world, 512 * bytes + 4000000, bytes, what);
}

void fuzz_memory(const fuzz_world *world, size_t bytes, const char *what)
{
    fuzz_memory_times(world, 64, bytes, what);
}

/* ---- Jansson's memory ------------------------------------------------------------------------------- */

static struct { size_t held, peak; } jansson;

/* Blocks of glibc, also where the sanitizer has others. The size stands before. */
static size_t block_size(size_t size)
{
    size_t block = (size + 8 + 15) / 16 * 16;
    return block < 32 ? 32 : block;
}

static void *jansson_take(size_t size)
{
    max_align_t *block = malloc(size + sizeof *block);
    FUZZ_CHECK(block, "malloc has no %zu bytes", size);
    *(size_t *)block = size;
    jansson.held += block_size(size);
    if (jansson.held > jansson.peak) jansson.peak = jansson.held;
    return block + 1;
}

static void jansson_give(void *at)
{
    if (!at) return;
    max_align_t *block = (max_align_t *)at - 1;
    jansson.held -= block_size(*(size_t *)block);
    free(block);
}

void fuzz_jansson_from(void)
{
    jansson.held = jansson.peak = 0;
    json_set_alloc_funcs(jansson_take, jansson_give);
}

void fuzz_jansson(const void *text, size_t size, const char *what)
{
    uint64_t parts, estimate = una_json_memory(text, size, &parts);
    json_set_alloc_funcs(malloc, free);
    FUZZ_CHECK(jansson.held == 0, "%s: Jansson still holds %zu bytes", what, jansson.held);
    FUZZ_CHECK(jansson.peak <= estimate, "%s: Jansson takes %zu bytes, not %zu", what, jansson.peak, (size_t)estimate);
}

/* ---- the input ------------------------------------------------------------------------------------ */

uint8_t fuzz_first(fuzz_bytes *bytes)
{
    if (bytes->left == 0) return 0;
    bytes->left--;
    return *bytes->at++;
}

uint8_t fuzz_last(fuzz_bytes *bytes)
{
    return bytes->left ? bytes->at[--bytes->left] : 0;
}

uint64_t fuzz_word(fuzz_bytes *bytes)
{
    uint64_t word = 0;
    for (int i = 0; i < 8; i++) word |= (uint64_t)fuzz_first(bytes) << 8 * i;
    return word;
}

double fuzz_double(fuzz_bytes *bytes)
{
    uint64_t word = fuzz_word(bytes);
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

char *fuzz_text(fuzz_bytes *bytes)
{
    size_t length = 0;
    while (length < bytes->left && bytes->at[length]) length++;
    char *text = malloc(length + 1);         /* of its own, so that a byte too far is seen */
    if (!text) return NULL;
    if (length) memcpy(text, bytes->at, length);
    text[length] = 0;
    size_t taken = length < bytes->left ? length + 1 : length;
    if (taken) bytes->at += taken;
    bytes->left -= taken;
    return text;
}

/* ---- files ---------------------------------------------------------------------------------------- */

static char folder[4096];

static void empty(const char *path)
{
    DIR *open = opendir(path);
    for (struct dirent *entry; open && (entry = readdir(open));) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) continue;
        char inner[8192];
        int length = snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (length < 0 || (size_t)length >= sizeof inner) continue;
        struct stat about;
        if (lstat(inner, &about) == 0 && S_ISDIR(about.st_mode)) empty(inner);
        remove(inner);
    }
    if (open) closedir(open);
}

static void remove_folder(void)
{
    empty(folder);
    rmdir(folder);
}

static const char *folder_made(void)
{
    if (*folder) return folder;
    const char *under[] = { getenv("UNA_FUZZ_TMP"), "/dev/shm", getenv("TMPDIR"), "/tmp" };
    for (size_t i = 0; i < sizeof under / sizeof *under; i++) {
        if (!under[i] || !*under[i]) continue;
        snprintf(folder, sizeof folder, "%s/una-fuzz-XXXXXX", under[i]);
        if (!mkdtemp(folder)) continue;
        atexit(remove_folder);
        return folder;
    }
    *folder = 0;
    FUZZ_CHECK(*folder, "no temporary folder could be made");
    return NULL;
}

const char *fuzz_path(const char *name)
{
    static char paths[4][8192];
    static unsigned next;
    char *path = paths[next++ % 4];
    int length = snprintf(path, sizeof paths[0], "%s/%s", folder_made(), name);
    FUZZ_CHECK(length > 0 && (size_t)length < sizeof paths[0], "the name %s is too long", name);
    return path;
}

const char *fuzz_file(const char *name, const void *bytes, size_t size)
{
    const char *path = fuzz_path(name);
    FILE *stream = fopen(path, "wbe");
    bool written = stream && (size == 0 || fwrite(bytes, 1, size, stream) == size);
    written = stream && fclose(stream) == 0 && written;
    FUZZ_CHECK(written, "cannot write %s", path);
    return path;
}

unsigned char *fuzz_slurp(const char *path, size_t *size)
{
    *size = 0;
    FILE *stream = fopen(path, "rbe");
    struct stat about;
    if (!stream || fstat(fileno(stream), &about) != 0) {
        if (stream) fclose(stream);
        return NULL;
    }
    unsigned char *bytes = malloc((size_t)about.st_size + 1);
    if (bytes) *size = fread(bytes, 1, (size_t)about.st_size, stream);
    if (bytes) bytes[*size] = 0;
    fclose(stream);
    return bytes;
}
