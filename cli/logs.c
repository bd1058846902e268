/* SPDX-License-Identifier: MIT
 *
 * Sentences that the library logs while it works. A file of a hundred thousand columns may log one for each: a tree
 * finds sentences that were logged before, and people are shown the first hundred of the rest.
 */
#define _XOPEN_SOURCE 700        /* tsearch */

#include "cli.h"

#include <search.h>

static int compare_log_words(const void *a, const void *b)
{
    return strcmp(a, b);
}

static const char *words_of_log(const char *log)
{
    return strstr(log, ": ") + 2;
}

static void keep_sentence(cli *c, char *text)
{
    tsearch(words_of_log(text), &c->log_words, compare_log_words); /* without memory for it, it may be said once more */
    c->logs = cli_more(c->logs, c->log_count, sizeof *c->logs);
    c->logs[c->log_count++] = text;
}

void cli_log(void *context, una_log_level level, const char *sentence)
{
    cli *c = context;
    const char *prefix = level == UNA_LOG_WARNING ? "warning: " : "note: ";
    if (!c->logs_at_once && tfind(sentence, &c->log_words, compare_log_words))
        return;    /* pieces of one file say the same */
    char *text = cli_formatted("%s%s", prefix, sentence);
    if (!c->logs_at_once) {
        keep_sentence(c, text);
    } else {
        cli_warn_text(c, text);
        cli_free(text);
    }
}

static void forget_log(cli *c, char *log)
{
    tdelete(words_of_log(log), &c->log_words, compare_log_words);
    cli_free(log);
}

void cli_logs_free(cli *c)
{
    for (size_t i = 0; i < c->log_count; i++) forget_log(c, c->logs[i]);
}

/* ---- sentences about columns that are left out ------------------------------------------------------ */

enum { LONGEST = 60 };           /* of a name in a sentence */

static const char *shortened_name(char to[LONGEST + 1], const char *name, size_t length)
{
    if (length > LONGEST) length = LONGEST;
    memcpy(to, name, length);
    to[length] = 0;
    return to;
}

/* "warning: column 'NAME' ..."; a name may hold quotes itself. */
static bool is_about_columns(const char *log, void *const *names)
{
    static const char begin[] = "warning: column '";
    char name[LONGEST + 1];
    if (strncmp(log, begin, sizeof begin - 1) != 0) return false;
    log += sizeof begin - 1;
    for (size_t i = 0; i <= LONGEST && log[i]; i++) {
        if (log[i] == '\'' && tfind(shortened_name(name, log, i), names, compare_log_words)) return true;
    }
    return false;
}

void cli_logs_forget(cli *c, const char *const *columns, size_t count)
{
    void *names = NULL;
    size_t kept = 0;
    char (*name)[LONGEST + 1] = cli_alloc(count + 1, sizeof *name);
    for (size_t i = 0; i < count; i++)
        tsearch(shortened_name(name[i], columns[i], strlen(columns[i])), &names, compare_log_words);
    for (size_t i = 0; i < c->log_count; i++) {
        if (is_about_columns(c->logs[i], &names)) forget_log(c, c->logs[i]);
        else c->logs[kept++] = c->logs[i];
    }
    c->log_count = kept;
    for (size_t i = 0; i < count; i++) tdelete(name[i], &names, compare_log_words);
    cli_free(name);
}

/* ---- showing them ------------------------------------------------------------------------------------ */

void cli_log_warnings(cli *c, const char *const *warnings, size_t count)
{
    for (size_t i = 0; !c->json && i < count; i++) cli_log(c, UNA_LOG_WARNING, warnings[i]);
}

void cli_show_logs(const cli *c)
{
    enum { SHOWN = 100 };
    void *elsewhere = NULL;
    size_t shown = 0, warnings = c->info ? c->info->warning_count : 0;
    size_t all = c->info ? warnings + c->info->note_count : 0;
    const char **sentence = cli_alloc(all, sizeof *sentence);
    for (size_t i = 0; i < all; i++) {
        sentence[i] = i < warnings ? c->info->warnings[i] : c->info->notes[i - warnings];
        tsearch(sentence[i], &elsewhere, compare_log_words);
    }
    for (size_t i = 0; i < c->log_count; i++) {
        if (!tfind(words_of_log(c->logs[i]), &elsewhere, compare_log_words) && ++shown <= SHOWN)
            cli_warn_text(c, c->logs[i]);
    }
    if (shown > SHOWN)
        cli_warn(c, "and %zu more sentence%s like these", shown - SHOWN, shown == SHOWN + 1 ? "" : "s");
    for (size_t i = 0; i < all; i++) tdelete(sentence[i], &elsewhere, compare_log_words);
}
