/* SPDX-License-Identifier: MIT
 *
 * CSV as in RFC 4180 with a header: quotes may hold delimiters, line ends and doubled quotes; lines end with
 * LF or CRLF; a UTF-8 byte order mark is skipped. The file is read in large blocks and cut up in place. A
 * record that is not wholly in the buffer is scanned again after more has been read, so the buffer grows with
 * the longest record: to an eighth of the run's memory and 256 MB at most, for a quote that is never closed makes one
 * record of all that follows.
 */
#include "read/csv.h"

#include <errno.h>
#include <strings.h>
#include <unistd.h>
#include <zlib.h>

enum { SMALL_BLOCK = 1 << 16, BLOCK = 1 << 20, LARGEST_READ = 1 << 22, LONGEST = 256000000 };

bool una_path_ends(const char *path, size_t length, const char *ending)
{
    size_t n = strlen(ending);
    return length >= n && strncasecmp(path + length - n, ending, n) == 0;
}

const char *una_path_shown(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* ---- what a cell means ---------------------------------------------------------------------------- */

static una_cell stripped_cell(una_cell cell)
{
    for (; cell.length && (*cell.at == ' ' || *cell.at == '\t'); cell.at++) cell.length--;
    while (cell.length && (cell.at[cell.length - 1] == ' ' || cell.at[cell.length - 1] == '\t')) cell.length--;
    return cell;
}

una_cell una_cell_trimmed(const una_cell *cell)
{
    return cell->quoted ? *cell : stripped_cell(*cell);
}

static bool cell_is_one_of(const una_cell *cell, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(words[i]) == cell->length && strncasecmp(cell->at, words[i], cell->length) == 0) return true;
    return false;
}

una_cell_kind una_cell_read(const una_cell *given, double *value)
{
    const char *at = given->at;
    if (una_number_at(&at, value) && at == given->at + given->length) return UNA_CELL_NUMBER;
    static const char *const missing[] = { "", "na", "nan", "null", "?" };
    static const char *const infinite[] = { "inf", "+inf", "-inf", "infinity", "+infinity", "-infinity" };
    una_cell cell = stripped_cell(*given);
    if (cell.length > 0 && una_parse_number(cell.at, cell.length, value))
        return isfinite(*value) ? UNA_CELL_NUMBER : UNA_CELL_INFINITE;
    if (cell_is_one_of(&cell, missing, sizeof missing / sizeof *missing)) return UNA_CELL_MISSING;
    if (cell_is_one_of(&cell, infinite, sizeof infinite / sizeof *infinite)) return UNA_CELL_INFINITE;
    return UNA_CELL_WORD;
}

/* ---- bytes ------------------------------------------------------------------------------------------ */

/* Replaces the buffer by one of this size and keeps the unread bytes. */
static una_status make_buffer_room(una_csv *csv, size_t room)
{
    char *buffer = una_allocate(csv->run, room + UNA_CSV_SLACK);
    if (!buffer) return UNA_E_MEMORY;
    if (csv->buffer) memcpy(buffer, csv->buffer + csv->start, csv->end - csv->start);
    una_release(csv->run, csv->buffer);
    csv->buffer = buffer;
    csv->room = room;
    return UNA_OK;
}

static una_status read_failed(const una_csv *csv, const char *text, int code)
{
    const char *path = csv->path;
    una_run *run = csv->run;
    if (code == Z_BUF_ERROR)
        UNA_FAIL(run, UNA_E_INPUT, "%s ends in the middle of its compressed data; copy or download it again", path);
    if (code == Z_MEM_ERROR) UNA_FAIL(run, UNA_E_MEMORY, "out of memory while %s was unpacked", path);
    if (code == Z_ERRNO && errno == EINTR && una_cancelled(run))
        UNA_FAIL(run, UNA_CANCELLED, "interrupted while reading %s", path);
    if (code == Z_ERRNO) UNA_FAIL(run, UNA_E_IO, "cannot read %s: %s", path, strerror(errno));
    UNA_FAIL(run, UNA_E_INPUT, "the compressed data of %s is damaged (%s); copy or download it again", path, text);
}

/* One piece, unpacked where the file is packed; fewer bytes only at the end. */
static una_status take_piece(una_csv *csv, char *to, size_t want, size_t *got)
{
    int code = Z_OK;
    ssize_t count = 1;
    if (csv->file) {
        if (!csv->stamp.plain) UNA_TRY(una_bytes_wait(csv->handle, csv->path, csv->run));
        count = gzread(csv->file, to, (unsigned)want);
        const char *text = count < (ssize_t)want ? gzerror(csv->file, &code) : "";
        if (count < 0 || (code != Z_OK && code != Z_STREAM_END)) return read_failed(csv, text, code);
        *got = (size_t)count;
        return UNA_OK;
    }
    while (*got < want && count > 0) {
        do count = read(csv->handle, to + *got, want - *got);
        while (count < 0 && errno == EINTR);
        if (count < 0) return read_failed(csv, "", Z_ERRNO);
        *got += (size_t)count;
    }
    return UNA_OK;
}

/* As many bytes as there are, at most `want`; fewer only at the end. */
static una_status take_bytes(una_csv *csv, size_t want, size_t *got)
{
    char *to = csv->buffer + csv->end;
    *got = 0;
    while (*got < want) {
        size_t now = want - *got < LARGEST_READ ? want - *got : LARGEST_READ, piece = 0;
        if (una_cancelled(csv->run)) UNA_FAIL(csv->run, UNA_CANCELLED, "interrupted while reading %s", csv->path);
        UNA_TRY(take_piece(csv, to + *got, now, &piece));
        *got += piece;
        if (piece < now) break;
    }
    csv->taken += *got;
    return UNA_OK;
}

static una_status refill_buffer(una_csv *csv)
{
    size_t held = csv->end - csv->start, got;
    if (held > csv->longest)
        UNA_FAIL(csv->run, UNA_E_INPUT, "%s, line %zu goes on for %.4g MB without an end, and a line may have %.4g MB "
                 "(an eighth of --memory, at most 256 MB); is there a quote that is never closed, or is this not a "
                 "table?", csv->path, csv->line, (double)held / 1e6, (double)csv->longest / 1e6);
    if (held > csv->room - csv->room / 4) UNA_TRY(make_buffer_room(csv, 2 * csv->room));
    else memmove(csv->buffer, csv->buffer + csv->start, held);
    csv->start = 0;
    csv->end = held;

    size_t want = csv->room - held;
    UNA_TRY(take_bytes(csv, want, &got));
    csv->finished = got < want;
    csv->end += got;
    memset(csv->buffer + csv->end, '\n', UNA_CSV_SLACK);
    return csv->finished ? una_stamp_check(&csv->stamp, csv->handle, csv->path, csv->run) : UNA_OK;
}

/* ---- records ---------------------------------------------------------------------------------------- */

typedef struct scan {
    size_t at;                   /* next byte                                                       */
    size_t count;                /* cells seen; the first cell_room of them are stored              */
    size_t lines;                /* line feeds inside quotes                                        */
    bool   short_of_bytes;       /* the record may go on beyond the buffer                          */
} scan;

static una_status bad_byte(una_csv *csv, size_t line)
{
    UNA_FAIL(csv->run, UNA_E_INPUT, "%s, line %zu: there is a zero byte, so this is not text in UTF-8 "
             "(perhaps UTF-16 or a binary file); save it as UTF-8 text", csv->path, line);
}

static void store_cell(una_csv *csv, scan *s, size_t from, size_t to, bool quoted, bool doubled)
{
    if (s->count < csv->cell_room)
        csv->cells[s->count] = (una_cell){ csv->buffer + from, to - from, quoted, doubled };
    s->count++;
}

/* From behind the opening quote to behind the closing one. */
static una_status scan_quoted(una_csv *csv, scan *s)
{
    size_t from = s->at + 1, at = from;
    bool doubled = false;

    for (;; at++) {
        const char *quote = memchr(csv->buffer + at, '"', csv->end - at);
        if (!quote) break;
        at = (size_t)(quote - csv->buffer);
        if (at + 1 < csv->end && csv->buffer[at + 1] == '"') {
            doubled = true;
            at++;
        } else {
            s->short_of_bytes = at + 1 == csv->end && !csv->finished;
            for (const char *feed = csv->buffer + from; (feed = memchr(feed, '\n', (size_t)(quote - feed))); feed++)
                s->lines++;
            if (memchr(csv->buffer + from, 0, at - from)) return bad_byte(csv, csv->line);
            store_cell(csv, s, from, at, true, doubled);
            s->at = at + 1;
            return UNA_OK;
        }
    }

    s->short_of_bytes = !csv->finished;
    if (csv->finished)
        UNA_FAIL(csv->run, UNA_E_INPUT, "%s: a quote that opens in the record of line %zu (cell %zu) is never closed",
                 csv->path, csv->line, s->count + 1);
    return UNA_OK;
}

/* Steps over what follows a cell. *last: the record ends here. */
static una_status scan_break(una_csv *csv, scan *s, bool *last)
{
    *last = true;
    if (s->at == csv->end) {
        s->short_of_bytes = !csv->finished;
        return UNA_OK;
    }

    char c = csv->buffer[s->at];
    size_t line = csv->line + s->lines;
    if (c == csv->dialect.delimiter) *last = false;
    if (c == csv->dialect.delimiter || c == '\n') {
        s->at++;
        return UNA_OK;
    }

    if (c == 0) return bad_byte(csv, line);
    if (c == '\r') {
        if (s->at + 1 == csv->end && !csv->finished) s->short_of_bytes = true;
        else if (s->at + 1 < csv->end && csv->buffer[s->at + 1] != '\n')
            UNA_FAIL(csv->run, UNA_E_INPUT, "%s, line %zu: a carriage return stands alone; save the file with ordinary "
                     "line ends (LF or CRLF)", csv->path, line);
        s->at += s->at + 1 < csv->end ? 2 : 1;
        return UNA_OK;
    }

    UNA_FAIL(csv->run, UNA_E_INPUT, "%s, line %zu: cell %zu goes on after its closing quote; a quote inside quotes is "
             "written twice", csv->path, line, s->count);
}

static una_status scan_record(una_csv *csv, scan *s)
{
    const char delimiter = csv->dialect.delimiter;
    *s = (scan){ .at = csv->start };
    for (bool last = false; !last;) {
        if (s->at < csv->end && csv->buffer[s->at] == '"') {
            UNA_TRY(scan_quoted(csv, s));
        } else {
            const char *p = csv->buffer + s->at;
            /* The line feed behind the last byte stops the loop. */
            while (*p != delimiter && *p != '\n' && *p != '\r' && *p != 0) p++;
            store_cell(csv, s, s->at, (size_t)(p - csv->buffer), false, false);
            s->at = (size_t)(p - csv->buffer);
        }
        if (!s->short_of_bytes) UNA_TRY(scan_break(csv, s, &last));
        if (s->short_of_bytes) return UNA_OK;
    }
    return UNA_OK;
}

/* A comment: a line below the header that begins with # and has another number of cells. Quotes mean nothing in it. */
static bool is_comment(const una_csv *csv, scan *s)
{
    if (csv->start == csv->end || csv->buffer[csv->start] != '#' || csv->cell_room < 2 || !csv->names) return false;
    const char *from = csv->buffer + csv->start, *feed = memchr(from, '\n', csv->end - csv->start);
    s->short_of_bytes = !feed && !csv->finished;
    if (!feed) feed = csv->buffer + csv->end;
    size_t cells = 1;
    for (const char *p = from; p < feed; p++) cells += *p == csv->dialect.delimiter;
    if (s->short_of_bytes || cells == csv->columns || cells == csv->cell_room) return false;
    s->at = (size_t)(feed - csv->buffer) + (feed < csv->buffer + csv->end);
    return true;
}

/* The next record into cells, or *more false. Lines without a cell are passed over only at the end. */
static una_status next_record(una_csv *csv, bool *more)
{
    size_t empty_line = 0;
    for (;;) {
        scan s = { .short_of_bytes = !csv->finished && csv->start == csv->end };
        if (!s.short_of_bytes && is_comment(csv, &s)) {
            csv->start = s.at;
            csv->line++;
            csv->comments++;
            continue;
        }
        if (!s.short_of_bytes && csv->start < csv->end) UNA_TRY(scan_record(csv, &s));
        if (s.short_of_bytes) {
            UNA_TRY(refill_buffer(csv));
            continue;
        }
        *more = csv->start < csv->end;
        if (!*more) return UNA_OK;

        una_cell only = { csv->buffer + csv->start, s.at - csv->start, false, false };
        while (only.length && (only.at[only.length - 1] == '\n' || only.at[only.length - 1] == '\r')) only.length--;
        bool empty = s.count == 1 && stripped_cell(only).length == 0;
        if (empty && !empty_line) empty_line = csv->line;
        csv->record_line = csv->line;
        if (!empty && empty_line)
            UNA_FAIL(csv->run, UNA_E_INPUT,
                     "%s, line %zu is empty but other lines follow; take it out, or write NA for "
                     "a missing value",
                     csv->path, empty_line);

        csv->cell_count = s.count;
        if (!empty && csv->cell_room == 0) return UNA_OK;   /* the header, to be sized */
        csv->start = s.at;
        csv->line += 1 + s.lines;
        if (!empty) break;
    }

    for (size_t i = 0; i < csv->cell_count && i < csv->cell_room; i++) {
        una_cell *cell = &csv->cells[i];
        size_t to = 0;
        for (size_t from = 0; cell->doubled && from < cell->length; from++) {
            cell->at[to++] = cell->at[from];
            if (cell->at[from] == '"') from++;
        }
        if (cell->doubled) cell->length = to;
    }
    return UNA_OK;
}

/* Delimiters behind the last cell of every line, or behind the last of this one. */
static una_status take_trailing(una_csv *csv)
{
    size_t count = csv->cell_count;
    if (count <= csv->columns || count > csv->columns + csv->trailing) return UNA_OK;
    csv->cell_count = csv->columns;
    size_t c = csv->columns;
    while (c < count && stripped_cell(csv->cells[c]).length == 0) c++;
    if (c == count) return UNA_OK;
    UNA_FAIL(csv->run, UNA_E_INPUT, "%s, line %zu has a cell behind the column '%.60s', which is the last with a name; "
             "give the next one a name in the header too", csv->path, csv->record_line, csv->names[csv->columns - 1]);
}

una_status una_csv_next(una_csv *csv, bool *more)
{
    UNA_TRY(next_record(csv, more));
    if (*more) UNA_TRY(take_trailing(csv));
    if (*more && csv->cell_count != csv->columns)
        UNA_FAIL(csv->run, UNA_E_INPUT, "%s, line %zu has %zu cell%s where the header has %zu", csv->path,
                 csv->record_line, csv->cell_count, csv->cell_count == 1 ? "" : "s", csv->columns);
    return UNA_OK;
}

/* ---- header ------------------------------------------------------------------------------------------ */

/* Numbers only, and not the running numbers 0, 1, 2 ... or 1, 2, 3 ... that some programs write as names. */
static bool looks_like_data(const una_csv *csv)
{
    bool running = true;
    double value = 0, first = 0;
    size_t from = csv->unnamed ? 1 : 0;
    for (size_t i = from; i < csv->columns; i++) {
        if (una_cell_read(&csv->cells[i], &value) != UNA_CELL_NUMBER) return false;
        if (i == from) first = value;
        running = running && (first == 0 || first == 1) && value == first + (double)(i - from);
    }
    return !running;
}

static una_status check_header(una_csv *csv)
{
    if (looks_like_data(csv))
        UNA_FAIL(csv->run, UNA_E_INPUT, "the first line of %s holds numbers only, so the header is missing; put a line "
                 "with the names of the columns at the top", csv->path);

    for (size_t i = 0; i < csv->columns; i++)
        if (!csv->names[i][0])
            UNA_FAIL(csv->run, UNA_E_INPUT, "%s, line %zu: column %zu of %zu has no name in the header; give it one",
                     csv->path, csv->record_line, i + 1, csv->columns + csv->trailing);

    const una_read_settings *given = csv->run->settings.reading;
    bool reported = given && given->delimiter;
    bool single = csv->columns == 1 && csv->dialect.delimiter == ',' && !csv->cells[0].quoted;
    if (single && !reported && strchr(csv->names[0], ';'))
        UNA_FAIL(csv->run, UNA_E_INPUT, "the header of %s has semicolons and no comma; read it with --delimiter "
                 "semicolon", csv->path);

    size_t first, second;
    UNA_SCOPED(csv->run, una_names_repeated(&first, &second, csv->names, csv->columns, csv->run));
    if (second)
        UNA_FAIL(csv->run, UNA_E_INPUT, "%s, line %zu: the name '%.60s' stands twice in the header, in columns %zu and "
                 "%zu; rename one", csv->path, csv->record_line, csv->names[first], first + 1, second + 1);
    return UNA_OK;
}

/* The first column may have no name: programs that number or name the rows write it so. */
static una_status name_first(una_csv *csv)
{
    una_names others;
    UNA_TRY(una_names_index(&others, csv->names, csv->columns, csv->arena));
    una_text name = una_text_in(csv->arena);
    una_text_add(&name, "row");
    for (size_t i = 2; !csv->arena->failed && una_names_find(&others, name.at) != SIZE_MAX; i++) {
        name = una_text_in(csv->arena);
        una_text_add(&name, "row %zu", i);
    }
    csv->names[0] = name.at;
    return una_arena_check(csv->arena);
}

static una_status read_csv_header(una_csv *csv)
{
    bool more;
    size_t size = 0;
    UNA_TRY(next_record(csv, &more));                            /* counts the cells */
    if (!more) UNA_FAIL(csv->run, UNA_E_INPUT, "%s is empty; a header and rows are needed", csv->path);

    csv->columns = csv->cell_room = csv->cell_count;
    UNA_NEW_AT(csv->arena, csv->cells, csv->columns);
    UNA_TRY(next_record(csv, &more));

    /* All names in one piece of memory, because a piece for each would take 64 bytes; the arena gives zeroes. */
    for (size_t i = 0; i < csv->columns; i++) size += csv->cells[i].length + 1;
    UNA_NEW_AT(csv->arena, csv->names, csv->columns);
    UNA_NEW(csv->arena, char, name, size);
    for (size_t i = 0; i < csv->columns; i++) {
        una_cell cell = una_cell_trimmed(&csv->cells[i]);
        csv->names[i] = memcpy(name, cell.at, cell.length);
        name += cell.length + 1;
    }
    for (; csv->columns > 1 && !csv->names[csv->columns - 1][0]; csv->columns--) csv->trailing++;
    csv->unnamed = csv->columns > 1 && !csv->names[0][0];
    if (csv->unnamed) UNA_TRY(name_first(csv));
    return check_header(csv);
}

/* The usual delimiter by the name of the file, or else the one that stands more often in the first line. */
static char usual_delimiter(const una_csv *csv, bool *fixed)
{
    size_t length = strlen(csv->path);
    if (una_path_ends(csv->path, length, ".gz")) length -= 3;
    *fixed = una_path_ends(csv->path, length, ".tsv");
    if (una_path_ends(csv->path, length, ".csv")) return ',';
    if (*fixed) return '\t';
    size_t commas = 0, tabs = 0;
    bool inside = false;
    for (size_t i = csv->start; i < csv->end && (inside || csv->buffer[i] != '\n'); i++) {
        if (csv->buffer[i] == '"') inside = !inside;
        if (!inside && csv->buffer[i] == ',') commas++;
        if (!inside && csv->buffer[i] == '\t') tabs++;
    }
    return tabs > commas ? '\t' : ',';
}

/* Detects how the file is written from its beginning, which is in the buffer. */
static una_status detect_dialect(una_csv *csv)
{
    const char *bytes = csv->buffer + csv->start, *what;
    size_t size = csv->end - csv->start;
    bool fixed, whole = csv->finished && size <= UNA_DIALECT_SAMPLE;
    if ((what = una_describe_binary(bytes, size)))
        UNA_FAIL(csv->run, UNA_E_INPUT, "%s is %s", csv->path, what);

    const una_read_settings *given = csv->run->settings.reading;
    char usual = usual_delimiter(csv, &fixed);
    csv->dialect = una_csv_dialect_detect(bytes, UNA_MIN(size, UNA_DIALECT_SAMPLE), whole, usual, fixed,
                                          given ? given->delimiter : 0);
    if (given && given->decimal) csv->dialect.decimal = given->decimal;
    csv->comments = csv->dialect.comments;
    csv->first = csv->start + csv->dialect.skip;
    csv->first_line = 1 + csv->dialect.lines;
    csv->start = csv->first;
    csv->line = csv->first_line;
    return UNA_OK;
}

/* ---- opening and closing ------------------------------------------------------------------------------ */

static una_status begin_csv(una_csv *csv)
{
    csv->line = 1;
    csv->start = csv->end = csv->taken = 0;
    csv->finished = false;
    UNA_TRY(refill_buffer(csv));
    if (csv->end >= 3 && memcmp(csv->buffer, "\xEF\xBB\xBF", 3) == 0) csv->start = 3;
    return UNA_OK;
}

/* Copies all of the standard input into a file without a name: it can be read once only, and a table may be read
 * twice. */
static una_status spool_input(una_csv *csv, int to)
{
    UNA_NEW(csv->arena, char, block, SMALL_BLOCK);
    una_stamp stamp = una_stamp_of(STDIN_FILENO);
    for (ssize_t got = 1; got > 0;) {
        UNA_TRY(una_bytes_wait(STDIN_FILENO, csv->path, csv->run));
        do got = read(STDIN_FILENO, block, SMALL_BLOCK);
        while (got < 0 && errno == EINTR && !una_cancelled(csv->run));
        if (got < 0) return read_failed(csv, "", Z_ERRNO);

        uint64_t allowed;
        una_run_limits(una_run_root(csv->run), NULL, &allowed);
        if (!una_scratch_take(csv->run, (size_t)got))
            UNA_FAIL(csv->run, UNA_E_MEMORY, "%s: %.3g MB came so far, and a scratch file of no more than %.3g MB is "
                     "allowed; raise the limit (--scratch), or give the name of a file", csv->path,
                     (double)(csv->spooled + (size_t)got) / 1e6, (double)allowed / 1e6);
        csv->spooled += (size_t)got;
        for (ssize_t done = 0, now; done < got; done += now > 0 ? now : 0)
            if ((now = write(to, block + done, (size_t)(got - done))) == 0 || (now < 0 && errno != EINTR))
                UNA_FAIL(csv->run, UNA_E_IO, "cannot keep a copy of %s in a scratch file: %s; point TMPDIR to a folder "
                         "with more room", csv->path, strerror(errno));
    }
    if (lseek(to, 0, SEEK_SET) != 0) return read_failed(csv, "", Z_ERRNO);
    return una_stamp_check(&stamp, STDIN_FILENO, csv->path, csv->run);
}

/* Opens compressed files and pipes with zlib, which passes on what is not compressed. */
static una_status open_csv_stream(una_csv *csv, const char *path)
{
    unsigned char magic[2];
    errno = 0;
    if (strcmp(path, "-") != 0) UNA_TRY(una_bytes_open(&csv->handle, path, csv->run));
    else if ((csv->handle = una_scratch_open()) < 0)
        UNA_FAIL(csv->run, UNA_E_IO, "cannot make a scratch file for %s: %s; point TMPDIR to a folder that can be "
                 "written to", csv->path, strerror(errno));
    else UNA_TRY(spool_input(csv, csv->handle));
    csv->stamp = una_stamp_of(csv->handle);
    csv->size = (size_t)csv->stamp.size;
    bool packed = pread(csv->handle, magic, 2, 0) == 2 && magic[0] == 0x1f && magic[1] == 0x8b;
    if (csv->stamp.plain && !packed) return UNA_OK;

    csv->file = gzdopen(csv->handle, "rb");
    if (csv->file) gzbuffer(csv->file, 1 << 17);
    if (!csv->file) UNA_FAIL(csv->run, UNA_E_IO, "cannot open %s: no memory for it", path);
    return UNA_OK;
}

static void close_csv(void *context)
{
    una_csv *csv = context;
    if (csv->file) gzclose(csv->file);
    else if (csv->handle >= 0) close(csv->handle);
    una_scratch_give(csv->run, csv->spooled);
    una_release(csv->run, csv->buffer);
}

una_status una_csv_open(una_csv **out, const char *path, una_arena *arena)
{
    UNA_NEW(arena, una_csv, csv, 1);
    const char *shown = una_arena_text(arena, una_path_shown(path));
    *csv = (una_csv){ .run = arena->run, .arena = arena, .handle = -1, .path = shown };
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_arena_at_end(arena, close_csv, csv));
    UNA_TRY(open_csv_stream(csv, path));
    uint64_t most = csv->run->settings.memory_limit / 8;
    csv->longest = most > LONGEST ? LONGEST : (size_t)most;
    if (most < BLOCK) csv->longest = BLOCK;
    UNA_TRY(make_buffer_room(csv, csv->size > 0 && csv->size < SMALL_BLOCK ? SMALL_BLOCK : BLOCK));
    UNA_TRY(begin_csv(csv));
    if (csv->end > 0 && una_path_ends(path, strlen(path), ".gz") && (!csv->file || gzdirect(csv->file)))
        UNA_FAIL(csv->run, UNA_E_INPUT, "%s is named .gz but is not compressed with gzip; rename or copy it again",
                 path);
    UNA_TRY(detect_dialect(csv));
    UNA_TRY(read_csv_header(csv));
    *out = csv;
    return UNA_OK;
}

una_status una_csv_rewind(una_csv *csv)
{
    if (csv->file ? gzrewind(csv->file) != 0 : lseek(csv->handle, 0, SEEK_SET) != 0)
        UNA_FAIL(csv->run, UNA_E_IO, "%s holds text below its first row and must be read twice, which is not possible "
                 "here; give it as - (the standard input), or write it to a file first", csv->path);
    UNA_TRY(begin_csv(csv));
    bool more = csv->first <= csv->end;
    csv->start = more ? csv->first : csv->end;
    csv->line = csv->first_line;
    csv->comments = csv->dialect.comments;
    UNA_TRY(next_record(csv, &more));
    if (!more) UNA_FAIL(csv->run, UNA_E_IO, "%s changed while it was being read", csv->path);
    return UNA_OK;
}

/* Whether the bytes may hold a decimal comma: a comma, which stands between quotes where commas separate cells, or a
 * second thousands mark, a point four bytes behind another. */
una_status una_csv_glance(una_csv *csv, bool *may_have_commas)
{
    char sign = csv->dialect.delimiter == ',' ? '"' : ',';
    for (;;) {
        const char *from = csv->buffer + csv->start, *end = csv->buffer + csv->end;
        *may_have_commas = memchr(from, sign, (size_t)(end - from));
        /* Up to the first point that cannot be decided yet, or to the end. */
        for (; !*may_have_commas && from < end; from++) {
            const char *point = memchr(from, '.', (size_t)(end - from));
            from = point ? point : end;
            if (end - from <= 4) break;
            *may_have_commas = from[4] == '.';
        }
        csv->start = (size_t)(from - csv->buffer);
        if (*may_have_commas || csv->finished) return UNA_OK;
        UNA_TRY(refill_buffer(csv));
    }
}

double una_csv_fraction(const una_csv *csv)
{
    if (csv->finished) return 1;
    double done = csv->file ? (double)gzoffset(csv->file) : (double)csv->taken, all = (double)csv->size;
    return all > 0 && done >= 0 && done < all ? done / all : 0;
}

