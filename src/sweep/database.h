/* SPDX-License-Identifier: MIT
 *
 * A database, whichever it is: a file of SQLite or a server of PostgreSQL. Statements are written once, in the SQL that
 * both understand, with $1, $2 ... for what is given. Whoever uses it never hears that it is locked: it waits for its
 * turn, until the run is cancelled; and never of a connection that was lost and found again. It belongs to the process
 * that opened it: after a fork the child's copy says so at every call (UNA_E_USAGE), and leaves what it shares with its
 * parent alone.
 *
 * One driver is one file (database_sqlite.c, database_postgres.c) that ends in a const una_driver.
 */
#ifndef UNA_DATABASE_H
#define UNA_DATABASE_H

#include "base/base.h"

typedef struct una_database una_database;

enum { UNA_MOST_CELLS = 64 };            /* given to one statement, and of one row that it finds                 */

typedef enum una_cell_type {
    UNA_CELL_NULL, UNA_CELL_WHOLE, UNA_CELL_REAL, UNA_CELL_TEXT,
    UNA_CELL_BYTES                       /* found, never given: una writes none                                  */
} una_cell_type;
typedef struct una_cell {                /* one value, given or found; a REAL that is NAN is stored as NULL, and -0.0
                                            comes back from SQLite as 0                                             */
    una_cell_type type;
    int64_t       whole;
    double        real;                  /* of a WHOLE too                                                          */
    const char   *text;                  /* of a TEXT, and never NULL there; else NULL                              */
} una_cell;

static inline una_cell una_whole(int64_t value) { return (una_cell){ .type = UNA_CELL_WHOLE, .whole = value }; }
static inline una_cell una_real(double value)
{
    una_cell cell = { .type = isnan(value) ? UNA_CELL_NULL : UNA_CELL_REAL, .real = value };
    return cell;
}
static inline una_cell una_words(const char *text)
{
    return (una_cell){ .type = UNA_CELL_TEXT, .text = text ? text : "" };
}

typedef enum una_database_mode {
    UNA_DATABASE_JOURNAL,                /* a file at rest is one file, also on network file systems; made if need be */
    UNA_DATABASE_LOG,                    /* the same with a write-ahead log: many writers, small changes            */
    UNA_DATABASE_PRESENT,                /* as LOG, but it must be there                                            */
    UNA_DATABASE_COPY                    /* a copy in memory, which may be changed and leaves the file alone; empty
                                            where there is none. Files only                                         */
} una_database_mode;

/* where: a path, "postgresql://..." or "postgres://...", or NULL: in memory. UNA_E_INPUT: not a database. */
una_status  una_database_open(una_database **db, const char *where, una_database_mode mode, una_run *run);
void        una_database_close(una_database *db);                        /* NULL is harmless                        */
const char *una_database_name(const una_database *db);   /* the path, or the address without its password           */
bool        una_database_is_server(const char *where);
const char *una_database_address(char *address);         /* of a server, to be shown: its password and #NAME cut out */

/* One statement without results. *changed (may be NULL): rows that it touched. */
una_status  una_database_do(size_t *changed, una_database *db, const char *sql, const una_cell *given, size_t count,
                            una_run *run);
/* The same where exactly `rows` rows are meant. Else UNA_E_IO: a trigger, a rule, a policy or a constraint of the
 * database's own stands between. In a transaction, so that nothing is kept of it then. */
una_status  una_database_write(una_database *db, size_t rows, const char *sql, const una_cell *given, size_t count,
                               una_run *run);
/* The same where all rows are meant for which the condition holds. *changed (may be NULL): how many there were. */
typedef struct una_change {
    const char *table, *set;             /* "value = $1"; NULL: the rows are deleted                             */
    const char *condition;
} una_change;
una_status  una_database_change(size_t *changed, una_database *db, const una_change *change, const una_cell *given,
                                size_t count, una_run *run);
/* One with results: the task gets every row, whose cells last for the call; it leaves the database alone. */
typedef una_status una_record_task(void *context, const una_cell *cells, size_t count, una_run *run);
una_status  una_database_each(una_database *db, const char *sql, const una_cell *given, size_t count,
                              una_record_task *task, void *context, una_run *run);
/* Several statements, separated by semicolons, nothing given: a schema. Types in it: INTEGER is 64 bits, REAL a double,
 * TEXT is sorted by its bytes; all else in the words of both, but PRAGMA and WITHOUT ROWID are for SQLite alone. */
una_status  una_database_script(una_database *db, const char *sql, una_run *run);
/* One cell of the first row; type NULL where there is none. Texts live in `arena`. */
una_status  una_database_ask(una_cell *cell, una_database *db, const char *sql, const una_cell *given, size_t count,
                             una_arena *arena, una_run *run);

/* What the cells of a row are to be: a database may hold anything under una's names. */
typedef struct una_record_form {
    const char *columns;                 /* as in the statement: "id, state, value"                              */
    const char *types;                   /* a letter each: t text, w whole number, n number; capital: or nothing */
    const char *row;                     /* what a row is called: "trial"                                        */
} una_record_form;
/* UNA_E_INPUT names the first cell that is something else, and its row: `id`, where that is greater than 0. */
una_status  una_database_check(const una_database *db, const una_record_form *form, const una_cell *cells, int64_t id,
                               una_run *run);
/* Seconds since 1970: of the server, so that all who work with it agree; of this machine, where there is none. */
una_status  una_database_now(double *seconds, una_database *db, una_run *run);

/* All of the body or nothing of it, one writer at a time over all processes and machines, on the disk when it returns
 * UNA_OK. The body runs again from its beginning where the server was lost in the middle: it must not mind, and must
 * not mind either if what it wrote the first time is there. Threads take turns. */
typedef una_status una_transaction(una_database *db, void *context, una_run *run);
una_status  una_database_transact(una_database *db, una_transaction *body, void *context, una_run *run);

/* What kind of thing this database holds and in which format: written when it is made, compared when it is opened, and
 * so are the tables of `schema`: one that is defined in another way may lose what is written. In a transaction.
 * `kind` is a noun that sentences are made with ("study"). An empty database is made by `schema`, but not if it was
 * opened as PRESENT; UNA_E_INPUT where it is another program's, another kind of una's, or of a newer una.
 * Several kinds may live in one server, each with tables of its own names. */
una_status  una_database_expect(una_database *db, const char *kind, int format, const char *schema, una_run *run);

/* ---- drivers --------------------------------------------------------------------------------------------------- */

typedef struct una_driver {
    const char *name;
    una_status (*open)(void **link, const char *where, una_database_mode mode, una_run *run);
    void       (*close)(void *link);
    una_status (*each)(void *link, size_t *changed, const char *sql, const una_cell *given, size_t count,
                       una_record_task *task, void *context, una_run *run);      /* task NULL: no results wanted    */
    una_status (*script)(void *link, const char *sql, una_run *run);
    una_status (*begin)(void *link, una_run *run);                               /* waits for its turn              */
    una_status (*commit)(void *link, una_run *run);
    void       (*undo)(void *link);
    bool       (*lost)(void *link);      /* the last failure was that of the connection: it can be made anew         */
    una_status (*again)(void *link, una_run *run);                               /* makes it anew                   */
    const char *tables;                  /* SQL: how many tables of the name $1 there are; of '': how many in all    */
    const char *version, *sound;         /* SQL: the format in a file without una_kind; 'ok', or what is damaged     */
    const char *definition;              /* SQL: how the table $1 is defined, one text                              */
    void       (*define)(una_text *to, const char *statement);   /* what it says of one made by this; NULL: the same */
    const char *now;                     /* SQL: the time in seconds since 1970; NULL: that of this machine         */
} una_driver;

extern const una_driver una_driver_sqlite, una_driver_postgres;

#endif
