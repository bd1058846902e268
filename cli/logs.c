/* SPDX-License-Identifier: MIT
 *
 * What the library says while it works. A file of a hundred thousand columns may have a sentence for each: what was
 * said before is found in a tree, and of what is left to be told people are shown the first hundred.
 */
#define _XOPEN_SOURCE 700        /* tsearch */

#include "cli.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

static int by_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

static const char *words_of(const char *log)
{
    return strstr(log, ": ") + 2;
}

/* The array is as large as the next power of two. */
static void keep(cli *c, char *text)
{
    if ((c->log_count & (c->log_count - 1)) == 0) {
        char **logs = cli_memory(c->log_count ? 2 * c->log_count : 1, sizeof *logs);
        if (c->log_count) memcpy(logs, c->logs, c->log_count * sizeof *logs);
        free(c->logs);
        c->logs = logs;
    }
    tsearch(words_of(text), &c->log_words, by_words);    /* without memory for it, it may be said once more */
    c->logs[c->log_count++] = text;
}

void cli_log(void *context, una_log_level level, const char *sentence)
{
    cli *c = context;
    const char *prefix = level == UNA_LOG_WARNING ? "warning: " : "note: ";
    if (!c->logs_at_once && tfind(sentence, &c->log_words, by_words)) return;    /* pieces of one file say the same */
    size_t size = strlen(prefix) + strlen(sentence) + 1;
    char *text = cli_memory(size, 1);
    snprintf(text, size, "%s%s", prefix, sentence);
    if (!c->logs_at_once) {
        keep(c, text);
    } else {
        cli_warn(c, text);
        free(text);
    }
}

static void forget(cli *c, char *log)
{
    tdelete(words_of(log), &c->log_words, by_words);
    free(log);
}

void cli_logs_free(cli *c)
{
    for (size_t i = 0; i < c->log_count; i++) forget(c, c->logs[i]);
    free(c->logs);
}

/* ---- sentences about columns that are left out ------------------------------------------------------ */

enum { LONGEST = 60 };           /* of a name in a sentence */

static const char *cut(char to[LONGEST + 1], const char *name, size_t length)
{
    if (length > LONGEST) length = LONGEST;
    memcpy(to, name, length);
    to[length] = 0;
    return to;
}

/* "warning: column 'NAME' ..."; a name may hold quotes itself. */
static bool is_about(const char *log, void *const *names)
{
    static const char begin[] = "warning: column '";
    char name[LONGEST + 1];
    if (strncmp(log, begin, sizeof begin - 1) != 0) return false;
    log += sizeof begin - 1;
    for (size_t i = 0; i <= LONGEST && log[i]; i++) {
        if (log[i] == '\'' && tfind(cut(name, log, i), names, by_words)) return true;
    }
    return false;
}

void cli_logs_forget(cli *c, const char *const *columns, size_t count)
{
    void *names = NULL;
    size_t kept = 0;
    char (*name)[LONGEST + 1] = cli_memory(count + 1, sizeof *name);
    for (size_t i = 0; i < count; i++) tsearch(cut(name[i], columns[i], strlen(columns[i])), &names, by_words);
    for (size_t i = 0; i < c->log_count; i++) {
        if (is_about(c->logs[i], &names)) forget(c, c->logs[i]);
        else c->logs[kept++] = c->logs[i];
    }
    c->log_count = kept;
    for (size_t i = 0; i < count; i++) tdelete(name[i], &names, by_words);
    free(name);
}

/* ---- showing them ------------------------------------------------------------------------------------ */

static void add_all(void **tree, const char *const *sentences, size_t count)
{
    for (size_t i = 0; i < count; i++) tsearch(sentences[i], tree, by_words);
}

static void remove_all(void **tree, const char *const *sentences, size_t count)
{
    for (size_t i = 0; i < count; i++) tdelete(sentences[i], tree, by_words);
}

void cli_show_logs(const cli *c, const char *const *warnings, size_t warning_count, const char *const *notes,
                   size_t note_count)
{
    enum { SHOWN = 100 };
    void *elsewhere = NULL;
    size_t told = 0;
    char more[64];
    add_all(&elsewhere, warnings, warning_count);
    add_all(&elsewhere, notes, note_count);
    for (size_t i = 0; i < c->log_count; i++) {
        if (!tfind(words_of(c->logs[i]), &elsewhere, by_words) && ++told <= SHOWN) cli_warn(c, c->logs[i]);
    }
    snprintf(more, sizeof more, "and %zu more sentence%s like these", told - SHOWN, told == SHOWN + 1 ? "" : "s");
    if (told > SHOWN) cli_warn(c, more);
    remove_all(&elsewhere, warnings, warning_count);
    remove_all(&elsewhere, notes, note_count);
}
