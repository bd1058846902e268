/* SPDX-License-Identifier: MIT
 *
 * A main() for a fuzz target without libFuzzer: replays the files and folders that are named, in the order of their
 * names, and the empty input first. Ends at the first that goes wrong and names it; else says how many went well, in
 * the words in which cmocka says it, so that a target counts as one test.
 *   build-asan/fuzz/NAME FILE|FOLDER ...
 */
#include "fuzz.h"

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#pragma weak __sanitizer_set_death_callback
void __sanitizer_set_death_callback(void (*callback)(void));
#pragma weak LLVMFuzzerInitialize
int LLVMFuzzerInitialize(int *count, char ***arguments);

static const char *volatile now = "";

static void name_input(void)
{
    static const char before[] = "\nwhile replaying ";
    ssize_t reported = write(STDERR_FILENO, before, sizeof before - 1);
    reported += write(STDERR_FILENO, now, strlen(now));
    reported += write(STDERR_FILENO, "\n", 1);
    (void)reported;
}

static void aborted(int signal_number)
{
    name_input();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* libFuzzer has one that mutators build on; here it is only to be there. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room)
{
    if (size == 0 && room > 0) data[size++] = 0;
    if (size > 0) data[size / 2] ^= 1;
    return size;
}

static size_t replay_file(const char *path)
{
    now = path;
    size_t size;
    unsigned char *bytes = fuzz_slurp(path, &size);
    FUZZ_CHECK(bytes, "%s cannot be read", path);
    uint8_t *exact = malloc(size ? size : 1);    /* so that the byte behind it is the sanitizer's */
    FUZZ_CHECK(exact, "no memory for %s", path);
    memcpy(exact, bytes, size);
    free(bytes);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    return 1;
}

static size_t replay(const char *path);

static size_t replay_folder(const char *path)
{
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    FUZZ_CHECK(count >= 0, "%s cannot be read", path);
    size_t done = 0;
    for (int i = 0; i < count; i++) {
        char inner[4096];
        int length = snprintf(inner, sizeof inner, "%s/%s", path, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.' && length > 0 && (size_t)length < sizeof inner) done += replay(inner);
        free(entries[i]);
    }
    free(entries);
    return done;
}

static size_t replay(const char *path)
{
    struct stat about;
    FUZZ_CHECK(stat(path, &about) == 0, "%s is not there", path);
    return S_ISDIR(about.st_mode) ? replay_folder(path) : replay_file(path);
}

int main(int count, char **arguments)
{
    if (__sanitizer_set_death_callback) __sanitizer_set_death_callback(name_input);
    signal(SIGABRT, aborted);
    if (LLVMFuzzerInitialize) LLVMFuzzerInitialize(&count, &arguments);

    now = "the empty input";
    LLVMFuzzerTestOneInput((const uint8_t *)"", 0);
    size_t done = 0;
    for (int i = 1; i < count; i++) done += replay(arguments[i]);
    if (done == 0 && count > 1) {
        fprintf(stderr, "there is no input in what was named\n");
        return 1;
    }
    const char *name = strrchr(arguments[0], '/');
    printf("[  PASSED  ] 1 test(s): fuzz %s, %zu inputs.\n", name ? name + 1 : arguments[0], done);
    return 0;
}
