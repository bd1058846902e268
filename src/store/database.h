/* SPDX-License-Identifier: MIT
 *
 * A database: a file of SQLite or a server of PostgreSQL. Statements are written once, in the SQL that both
 * understand, with $1, $2 ... for parameters. A call on a locked database waits for its turn, until the run is
 * cancelled; a lost connection is made again. A handle belongs to the process that opened it: after a fork, every call
 * of the child's copy fails with UNA_E_USAGE and leaves alone what it shares with its parent.
 *
 * Each driver is one file (database_sqlite.c, database_postgres.c) that ends in a const una_driver.
 */
#pragma once

#include "base/base.h"

typedef struct una_database una_database;

enum { UNA_MOST_SQL_VALUES = 64 };       /* parameters of a statement, and columns of a result row               */

typedef enum una_sql_type {
    UNA_SQL_NULL, UNA_SQL_INTEGER, UNA_SQL_REAL, UNA_SQL_TEXT,
    UNA_SQL_BYTES                        /* only in results: una writes none                                     */
} una_sql_type;
typedef struct una_sql_value {                /* a parameter or a result; a REAL that is NAN is stored as NULL, and
                                                 SQLite returns -0.0 as 0 */
    una_sql_type type;
    int64_t       whole;
    double        real;                  /* of an INTEGER too                                                       */
    const char   *text;                  /* of a TEXT, where it is never NULL; else NULL                            */
} una_sql_value;

static inline una_sql_value una_sql_integer(int64_t value)
{
    return (una_sql_value){ .type = UNA_SQL_INTEGER, .whole = value };
}
static inline una_sql_value una_sql_real(double value)
{
    return (una_sql_value){ .type = isnan(value) ? UNA_SQL_NULL : UNA_SQL_REAL, .real = value };
}
static inline una_sql_value una_sql_text(const char *text)
{
    return (una_sql_value){ .type = UNA_SQL_TEXT, .text = text ? text : "" };
}
/* Of a result; NAN where there is nothing. */
static inline double una_sql_number(const una_sql_value *cell) { return cell->type == UNA_SQL_NULL ? NAN : cell->real; }

/* A statement and the values of $1, $2 ...: UNA_SQL("SELECT number FROM counter WHERE id = $1", una_sql_integer(id)) */
typedef struct una_sql { const char *text; const una_sql_value *given; size_t count; } una_sql;

#define UNA_SQL(text, ...) \
    ((una_sql){ text, (una_sql_value[]){ __VA_ARGS__ }, sizeof (una_sql_value[]){ __VA_ARGS__ } / sizeof(una_sql_value) })
static inline una_sql una_sql_plain(const char *text) { return (una_sql){ text, NULL, 0 }; }

typedef enum una_database_mode {
    UNA_DATABASE_JOURNAL,                /* at rest a single file, also on network file systems; created if missing   */
    UNA_DATABASE_LOG,                    /* the same with a write-ahead log: many writers, small changes            */
    UNA_DATABASE_PRESENT,                /* as LOG, but it must exist                                               */
    UNA_DATABASE_COPY                    /* a copy in memory; changes do not reach the file. Empty if there is no
                                            file. Files only */
} una_database_mode;

/* where: a path, "postgresql://..." or "postgres://...", or NULL: in memory. UNA_E_INPUT: not a database. */
una_status  una_database_open(una_database **db, const char *where, una_database_mode mode, una_run *run);
void        una_database_close(una_database *db);                        /* NULL is harmless                        */
const char *una_database_name(const una_database *db);   /* the path, or the address without its password           */
bool        una_database_is_server(const char *where);
const char *una_database_address(char *address);         /* of a server, for messages: without its password and #NAME */

/* A statement without results. *changed (may be NULL): the number of changed rows. */
una_status una_database_do(size_t *changed, una_database *db, una_sql sql, una_run *run);
/* The same where exactly one row must change. Otherwise UNA_E_IO: a trigger, rule, policy or constraint of the database
 * interferes. To be called in a transaction, so that nothing is kept then. */
una_status una_database_write(una_database *db, una_sql sql, una_run *run);
/* The same for all rows of a table for which a condition holds, with its values. set: "value = $1"; NULL: the rows are
 * deleted. *changed (may be NULL): their number. Takes no memory of the run. */
una_status una_database_change(size_t *changed, una_database *db, const char *table, const char *set, una_sql where,
                               una_run *run);

/* What the values of a row must be: a database may hold anything under una's names. */
typedef struct una_sql_row_form {
    const char *columns;                 /* as in the statement: "id, state, value"; an id names the row             */
    const char *types;                   /* a letter each: t text, w whole number, n number; capital: or nothing */
    const char *row;                     /* what a row is called: "trial"                                        */
} una_sql_row_form;

/* A statement with results: the task is called for every row, whose values last for the call; the task does not use the
 * database. form: of the rows, NULL: any. UNA_E_INPUT names the first value of a wrong type and its row. */
typedef una_status una_sql_row_task(void *context, const una_sql_value *cells, size_t count, una_run *run);
una_status una_database_each(una_database *db, una_sql sql, const una_sql_row_form *form, una_sql_row_task *task,
                             void *context, una_run *run);
/* The first row: a cell for each type of the form, or one without a form. All are of type NULL where there is no row.
 * Texts live in run->scratch; nothing else takes memory of the run. */
una_status una_database_ask(una_sql_value *cells, una_database *db, una_sql sql, const una_sql_row_form *form,
                            una_run *run);
/* Several statements without parameters, separated by semicolons: a schema. Its types: INTEGER has 64 bits, REAL is a
 * double, TEXT is sorted by its bytes; otherwise SQL that both understand, except that PRAGMA and WITHOUT ROWID are for
 * SQLite only. */
una_status una_database_script(una_database *db, const char *sql, una_run *run);
/* Seconds since 1970: the clock of the server, so that all its clients agree; for files, of this machine. */
una_status una_database_now(double *seconds, una_database *db, una_run *run);

/* Runs the body in a transaction: all of it or nothing, one writer at a time over all processes and machines, on the
 * disk when it returns UNA_OK. If the server is lost in the middle, the body runs again from its beginning: it must
 * allow for that, and for finding what it wrote the first time. Threads take turns. */
typedef una_status una_transaction(una_database *db, void *context, una_run *run);
una_status una_database_transact(una_database *db, una_transaction *body, void *context, una_run *run);

/* The kind of thing that this database holds and its format: written when it is made, checked when it is opened,
 * together with the definitions of the tables of `schema`, because a table with another definition may lose rows. To be
 * called in a transaction. `kind` is a noun for messages ("study"). An empty database is made by `schema`, unless it
 * was opened as PRESENT. UNA_E_INPUT: it belongs to another program, to another kind, or to a newer version of una. A
 * server may hold several kinds, in tables of different names. */
una_status una_database_expect(una_database *db, const char *kind, int format, const char *schema, una_run *run);

/* ---- drivers --------------------------------------------------------------------------------------------------- */

#define UNA_SQL_NAME_LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

typedef struct una_link {                /* a connection; the struct of each driver begins with one              */
    una_run    *run;                     /* allocator                                                            */
    const char *name, *where;            /* to be shown; as it was given, or NULL: in memory                     */
} una_link;

typedef struct una_driver {
    size_t size;                         /* of its struct, which is zeroed before _open                          */
    una_status (*open)(void *link, una_database_mode mode, una_run *run);
    void       (*close)(void *link);     /* also after a failed _open                                            */
    una_status (*each)(void *link, size_t *changed, const una_sql *sql, una_sql_row_task *task, void *context,
                       una_run *run);    /* task NULL: no results wanted                                         */
    una_status (*execute)(void *link, const char *sql, una_run *run);    /* statements without parameters        */
    void       (*undo)(void *link);
    bool       (*lost)(void *link);      /* the last failure was that of the connection: connecting again may help;
                                            NULL: it cannot be lost                                              */
    una_status (*again)(void *link, una_run *run);                       /* connects again                       */
    const char *begin, *commit;          /* SQL; begin waits for its turn                                        */
    const char *tables;                  /* SQL: the number of tables named $1; of '': of all tables             */
    const char *version, *sound;         /* SQL: the format in a file without una_kind; 'ok', or what is damaged */
    const char *definition;              /* SQL: how the table $1 is defined, one text                           */
    void       (*translate)(una_text *to, const char *sql);              /* a schema; NULL: it stays as it is    */
    void       (*define)(una_text *to, const char *statement);   /* the `definition` of a table made by this
                                                                    statement; NULL: the same */
    const char *now;                     /* SQL: the time in seconds since 1970; NULL: that of this machine      */
} una_driver;

extern const una_driver una_driver_sqlite, una_driver_postgres;
