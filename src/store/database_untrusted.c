/* SPDX-License-Identifier: MIT
 *
 * See database_guard.h.
 */
#include "store/database_guard.h"

#include <strings.h>

/* A tenth of the limit of memory: SQLite, the reader and the answer have a copy of each text, and there are others. */
enum { LEAST_LONGEST = 1000000, MOST_LONGEST = 64000000, SHARE = 10 };

int una_untrusted_longest_text(una_run *run)
{
    uint64_t share = una_run_root(run)->settings.memory_limit / SHARE;
    if (share < LEAST_LONGEST) return LEAST_LONGEST;
    return share > MOST_LONGEST ? MOST_LONGEST : (int)share;
}

/* What is added to a file while it is open does not run either. */
void una_untrusted_limit(sqlite3 *db, una_run *run)
{
    static const struct { int what, on; } settings[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 }, { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 }, { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 },
        { SQLITE_DBCONFIG_ENABLE_VIEW, 0 }, { SQLITE_DBCONFIG_ENABLE_FKEY, 0 }
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        sqlite3_db_config(db, settings[i].what, settings[i].on, NULL);
    sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
    sqlite3_limit(db, SQLITE_LIMIT_LENGTH, una_untrusted_longest_text(run));
}

/* ---- schemas ------------------------------------------------------------------------------------------------- */

/* As SQLite has it: whatever it takes for a part of a word. */
static bool in_word(char c)
{
    return (unsigned char)c >= 128 || c == '_' || c == '$' || UNA_IS_DIGIT(c) || UNA_IS_LETTER(c);
}

static bool has_word(const char *sql, const char *word)
{
    size_t wanted = strlen(word), length;
    for (; *sql; sql += length ? length : 1) {
        for (length = 0; in_word(sql[length]);) length++;
        if (length == wanted && strncasecmp(sql, word, wanted) == 0) return true;
    }
    return false;
}

/* The word of a table's own that makes it compute; NULL: it holds values and nothing else. In a comment it counts too,
 * and una writes none. */
static const char *computing_word(const char *sql)
{
    static const char *const words[] = { "AS", "GENERATED", "CHECK", "DEFAULT" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (has_word(sql, words[i])) return words[i];
    return NULL;
}

static una_status refuse_schema_entry(const char *path, const char *type, const char *name, const char *why,
                                      una_run *run)
{
    UNA_FAIL(run, UNA_E_INPUT, "%s was not written by una, or was changed since: it has the %.20s '%.60s' %s; take a "
             "copy that is as una wrote it, or another file", path, type, name, why);
}

una_status una_untrusted_check(void *context, const una_sql_value *cells, size_t count, una_run *run)
{
    static const char table[] = "CREATE TABLE ";
    const char *type = cells[0].text ? cells[0].text : "thing", *name = cells[1].text ? cells[1].text : "";
    const char *sql = cells[2].text;
    (void)count;
    if (strcmp(type, "index") == 0 && !sql) return UNA_OK;               /* of a key: SQLite made it */
    if (strcmp(type, "table") != 0)
        return refuse_schema_entry(context, type, name, "and una's files have tables alone", run);
    if (!sql || strncmp(sql, table, strlen(table)) != 0)
        return refuse_schema_entry(context, type, name, "which is no ordinary table", run);

    char why[64];
    const char *word = computing_word(sql);
    if (!word) return UNA_OK;
    snprintf(why, sizeof why, "with %s, and una's tables compute nothing", word);
    return refuse_schema_entry(context, type, name, why, run);
}
