/* SPDX-License-Identifier: MIT
 *
 * Detects the dialect of a CSV file. A file that can be read the usual way is read so; other delimiters are tried only
 * where its first lines have no common number of cells, or one cell each. Lines that begin with # are comments, unless
 * they have as many cells as the others.
 */
#include "read/csv_dialect.h"

#include "data/cell_format.h"

#include <strings.h>

enum { LINES = 200 };                    /* that are compared */
static const char DELIMITERS[] = ",;\t|";

/* ---- other files ------------------------------------------------------------------------------------------- */

const char *una_describe_binary(const char *bytes, size_t size)
{
    static const struct { const char *magic; size_t size; const char *holds, *what;
    } known[] = { { "PK\3\4", 4, "opendocument.spreadsheet",
                    "an OpenDocument spreadsheet (.ods); save it as CSV in the spreadsheet "
                    "program" },
                  { "PK\3\4", 4, "xl/", "an Excel workbook (.xlsx); save it as CSV in the spreadsheet program" },
                  { "PK\3\4", 4, "[Content_Types].xml",
                    "an Excel workbook (.xlsx); save it as CSV in the spreadsheet program" },
                  { "PK\3\4", 4, "", "a zip archive; unpack it first, and name the table that is in it" },
                  { "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1", 8, "",
                    "an old Excel workbook (.xls); save it as CSV in the "
                    "spreadsheet program" },
                  { "PAR1", 4, "", "a Parquet file; write it as CSV first, for instance with pandas or duckdb" },
                  { "%PDF-", 5, "", "a PDF document; copy its table into a spreadsheet and save that as CSV" },
                  { "SQLite format 3", 15, "", "an SQLite database; write a table of it as CSV first" },
                  { "\x89HDF\r\n\x1A\n", 8, "", "an HDF5 file; write a table of it as CSV first" },
                  { "ARROW1", 6, "", "an Arrow file; write it as CSV first" },
                  { "BZh9", 4, "", "compressed with bzip2; unpack it first, or compress it with gzip" },
                  { "\xFD"
                    "7zXZ",
                    5, "", "compressed with xz; unpack it first, or compress it with gzip" },
                  { "\x28\xB5\x2F\xFD", 4, "", "compressed with zstd; unpack it first, or compress it with gzip" },
                  { "\x93NUMPY", 6, "", "a NumPy array; give its name the ending .npy" },
                  { "\x89PNG", 4, "", "a picture (PNG), not a table" },
                  { "\xFF\xFE", 2, "", "text in UTF-16; save it as UTF-8 (in a spreadsheet program: CSV UTF-8)" },
                  { "\xFE\xFF", 2, "", "text in UTF-16; save it as UTF-8 (in a spreadsheet program: CSV UTF-8)" } };
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if (size < known[k].size || memcmp(bytes, known[k].magic, known[k].size) != 0) continue;
        size_t n = strlen(known[k].holds);
        for (size_t i = 0; i + n <= size && i < 4096; i++)
            if (memcmp(bytes + i, known[k].holds, n) == 0) return known[k].what;
    }
    return NULL;
}

const char *una_delimiter_name(char delimiter)
{
    static const char *const names[] = { "commas", "semicolons", "tabs", "bars" };
    const char *at = delimiter ? strchr(DELIMITERS, delimiter) : NULL;
    return names[at ? at - DELIMITERS : 0];
}

static bool is_utf8(const char *bytes, size_t size)
{
    for (size_t i = 0; i < size;) {
        unsigned char c = (unsigned char)bytes[i];
        size_t more = (size_t)(c >= 0x80) + (c >= 0xE0) + (c >= 0xF0);
        if (c >= 0x80 && (c < 0xC2 || c > 0xF4)) return false;
        if (i + more >= size) return true;                       /* cut */
        for (size_t k = 1; k <= more; k++)
            if (((unsigned char)bytes[i + k] & 0xC0) != 0x80) return false;
        i += more + 1;
    }
    return true;
}

/* ---- lines and cells ---------------------------------------------------------------------------------------- */

typedef struct sample { const char *bytes; size_t size; bool whole; } sample;
typedef struct cut { const char *at, *end; bool quoted; } cut;   /* a cell */

/* Takes the cell at *at and steps over it; true: another one follows on the line. *at NULL: the sample ends within the
 * cell. */
static bool next_sample_cell(const sample *s, const char **at, char delimiter, cut *cell)
{
    const char *p = *at, *end = s->bytes + s->size;
    *cell = (cut){ p, p, false };
    if (p < end && *p == '"') {
        for (p++; p < end; p++) {
            if (*p != '"') continue;
            if (p + 1 < end && p[1] == '"') p++;
            else break;
        }
        *cell = (cut){ *at + 1, p, true };
    }
    while (p < end && *p != delimiter && *p != '\n') p++;
    if (!cell->quoted) cell->end = p;
    if (p == end && !s->whole) {
        *at = NULL;
        return false;
    }
    bool more = p < end && *p == delimiter;
    *at = p < end ? p + 1 : p;
    return more;
}

/* Cells of the line at *at, 0 for one that is empty; *at goes to the next, or is NULL where the sample ends. */
static size_t count_cells(const sample *s, const char **at, char delimiter)
{
    const char *from = *at;
    size_t count = 1;
    cut cell;
    while (next_sample_cell(s, at, delimiter, &cell)) count++;
    if (!*at || count > 1) return count;
    for (const char *p = from; p < *at; p++)
        if (!strchr(" \t\r\n", *p)) return 1;
    return 0;
}

/* A comment: quotes mean nothing in it. */
static void skip_line(const sample *s, const char **at)
{
    const char *end = s->bytes + s->size, *feed = memchr(*at, '\n', (size_t)(end - *at));
    *at = s->whole ? end : NULL;
    if (feed) *at = feed + 1;
}

/* The common number of cells of all lines with this delimiter; 0: they differ. comments: lines with # are none. */
static size_t common_count(const sample *s, size_t from, char delimiter, bool comments)
{
    const char *at = s->bytes + from, *end = s->bytes + s->size;
    size_t common = 0;
    for (size_t line = 0; line < LINES && at && at < end; line++) {
        if (comments && *at == '#') {
            skip_line(s, &at);
            continue;
        }
        size_t count = count_cells(s, &at, delimiter);
        if (!at || count == 0) continue;
        if (common == 0) common = count;
        if (count != common) return 0;
    }
    return common;
}

static size_t first_count(const sample *s, size_t from, char delimiter)
{
    const char *at = s->bytes + from, *end = s->bytes + s->size;
    while (at && at < end && *at == '#') skip_line(s, &at);
    return at && at < end ? count_cells(s, &at, delimiter) : 0;
}

/* ---- delimiter ---------------------------------------------------------------------------------------------- */

static char likely_delimiter(const sample *s, size_t from, char usual)
{
    if (common_count(s, from, usual, false) >= 2) return usual;
    size_t most = common_count(s, from, usual, true);
    char best = usual;
    for (const char *d = DELIMITERS; *d; d++) {
        size_t count = *d == usual ? 0 : common_count(s, from, *d, true);
        if (count >= 2 && count > most) {
            most = count;
            best = *d;
        }
    }
    if (most >= 2) return best;

    /* Some line is wrong: the header has the say, if the usual one does not occur in it. */
    most = first_count(s, from, usual);
    for (const char *d = DELIMITERS; most <= 1 && *d; d++)
        if (first_count(s, from, *d) > 1) return *d;
    return usual;
}

/* sep=; as the first line, which spreadsheets write and read. */
static size_t sep_line(const sample *s, char *delimiter)
{
    size_t n = 5;
    if (s->size < n || strncasecmp(s->bytes, "sep=", 4) != 0) return 0;
    if (!s->bytes[4] || !strchr(DELIMITERS, s->bytes[4])) return 0;
    n += n < s->size && s->bytes[n] == '\r';
    if (n >= s->size || s->bytes[n] != '\n') return 0;
    *delimiter = s->bytes[4];
    return n + 1;
}

/* Comments before the header. A first line with as many cells as the others is the header itself, as ever. */
static void skip_comments(una_csv_dialect *f, const sample *s)
{
    const char *at = s->bytes + f->skip, *end = s->bytes + s->size;
    if (at == end || *at != '#') return;
    size_t others = first_count(s, f->skip, f->delimiter);
    const char *behind = at;
    if (others < 2 || count_cells(s, &behind, f->delimiter) == others) return;

    while (at && at < end && *at == '#') {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (!next) break;
        at = next + 1;
        f->lines++;
        f->comments++;
    }
    f->skip = (size_t)(at - s->bytes);
}

/* ---- decimals ----------------------------------------------------------------------------------------------- */

static char likely_decimal(const una_csv_dialect *f, const sample *s)
{
    const char *at = s->bytes + f->skip, *end = s->bytes + s->size;
    size_t commas = 0, points = 0;
    if (f->delimiter == ',') return 0;                           /* there it is a matter of each column */
    for (size_t line = 0; line < LINES / 4 && at && at < end; line++) {
        bool passed = line == 0 || *at == '#', more = true;
        while (more) {
            cut cell;
            more = next_sample_cell(s, &at, f->delimiter, &cell);
            if (!at) break;
            size_t length = (size_t)(cell.end - cell.at);
            if (length > 0 && cell.end[-1] == '\r') length--;
            if (passed || length > 64 || !(memchr(cell.at, ',', length) || memchr(cell.at, '.', length))) continue;
            int sense = una_cell_decimal_mark(cell.at, length);
            commas += sense > 0;
            points += sense < 0;
        }
    }
    if (!commas == !points) return 0;
    return commas ? ',' : '.';
}

una_csv_dialect una_csv_dialect_detect(const char *bytes, size_t size, bool whole, char usual, bool fixed, char given)
{
    sample s = { bytes, size, whole };
    una_csv_dialect f = { .delimiter = usual };
    char asked = 0;
    f.skip = sep_line(&s, &asked);
    f.lines = f.skip > 0;
    if (given) f.delimiter = given;
    else if (asked) f.delimiter = asked;
    else if (!fixed) f.delimiter = likely_delimiter(&s, f.skip, usual);
    f.found = !given && f.delimiter != usual;
    skip_comments(&f, &s);
    f.decimal = likely_decimal(&f, &s);
    f.latin = !is_utf8(bytes, size);
    return f;
}
