/* SPDX-License-Identifier: MIT
 *
 * NPY, versions 1 to 3 (NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays"):
 *   "\x93NUMPY"  u8 major  u8 minor  u16 or u32 header length  header  items
 * The header is a Python dictionary with exactly the keys descr, fortran_order and shape. It is read by a
 * small strict parser; nothing in it is trusted before the size of the file has confirmed it.
 */
#include "read/npy.h"

enum { LONGEST_HEADER = 1 << 16, STRIP_BYTES = 1 << 18, MOST_PACKED = 1032 };    /* bytes that deflate makes of one */

static una_status refuse_npy(const una_npy *npy, const char *why)
{
    UNA_FAIL(npy->run, UNA_E_INPUT, "%s is not a readable NPY array: %s", npy->path, why);
}

/* ---- the dictionary ------------------------------------------------------------------------------- */

typedef struct parser { const char *at, *end; } parser;

static char next_header_char(parser *p)                          /* behind blanks; 0: the end */
{
    while (p->at < p->end && strchr(" \n\t", *p->at) && *p->at) p->at++;
    return p->at < p->end ? *p->at : 0;
}

static bool take_header_word(parser *p, const char *word)
{
    next_header_char(p);
    size_t length = strlen(word);
    if ((size_t)(p->end - p->at) < length || memcmp(p->at, word, length) != 0) return false;
    p->at += length;
    return true;
}

/* A text in single or double quotes, without escapes. */
static bool take_header_text(parser *p, char *text, size_t room)
{
    char quote = next_header_char(p);
    size_t length = 0;
    if (quote != '\'' && quote != '"') return false;
    p->at++;
    for (; p->at < p->end && *p->at != quote; p->at++) {
        if (length + 1 >= room || *p->at == '\\') return false;
        text[length++] = *p->at;
    }
    text[length] = 0;
    return p->at < p->end && *p->at++ == quote;
}

static bool take_size(parser *p, size_t *value)
{
    next_header_char(p);
    const char *from = p->at;
    *value = 0;
    for (; p->at < p->end && *p->at >= '0' && *p->at <= '9'; p->at++) {
        if (*value > (SIZE_MAX / 2 - 9) / 10) return false;
        *value = 10 * *value + (size_t)(*p->at - '0');
    }
    if (p->at < p->end && *p->at == 'L') p->at++;                /* as Python 2 wrote */
    return p->at > from && *from != 'L';
}

static una_status take_type(una_npy *npy, parser *p)
{
    char type[16];
    if (!take_header_text(p, type, sizeof type)) return refuse_npy(npy, "its header names no simple type");

    static const char *const known[] = { "f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1" };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (!strchr("<>|", type[0]) || strcmp(type + 1, known[i]) != 0) continue;
        npy->big_endian = type[0] == '>';
        npy->type = type[1];
        npy->width = (size_t)(type[2] - '0');
        return UNA_OK;
    }

    UNA_FAIL(npy->run, UNA_E_INPUT,
             "%s holds items of type '%s'; types that can be read are f4, f8, i1 to i8, u1 to u8 "
             "and b1: save the array with .astype('float64')",
             npy->path, type);
}

static una_status take_npy_shape(una_npy *npy, parser *p)
{
    size_t count = 0;
    if (!take_header_word(p, "(")) return refuse_npy(npy, "its header has no shape");
    while (!take_header_word(p, ")")) {
        if (count == 4) return refuse_npy(npy, "it has more than four dimensions");
        if (!take_size(p, &npy->sizes[count++])) return refuse_npy(npy, "its shape is not a list of sizes");
        if (!take_header_word(p, ",") && !(p->at < p->end && *p->at == ')'))
            return refuse_npy(npy, "its shape is not a list of sizes");
    }
    if (count == 0) return refuse_npy(npy, "it is a single number, and rows and columns are needed");
    npy->rows = npy->sizes[0];
    npy->columns = 1;
    for (size_t i = 1; i < count; i++) {
        if (npy->sizes[i] > 0 && npy->columns > SIZE_MAX / 64 / npy->sizes[i])
            return refuse_npy(npy, "its shape is beyond any file");
        npy->columns *= npy->sizes[i];
    }
    npy->size_count = count;
    return UNA_OK;
}

/* The value of a key. */
static una_status parse_entry(una_npy *npy, size_t key, parser *p)
{
    if (key == 0) return take_type(npy, p);
    if (key == 2) return take_npy_shape(npy, p);
    npy->by_column = take_header_word(p, "True");
    if (npy->by_column || take_header_word(p, "False")) return UNA_OK;
    return refuse_npy(npy, "fortran_order is neither True nor False");
}

static una_status parse_dictionary(una_npy *npy, parser p)
{
    static const char *const keys[] = { "descr", "fortran_order", "shape" };
    static const char none[] = "its header is not a dictionary";
    bool seen[3] = { false, false, false };
    if (!take_header_word(&p, "{")) return refuse_npy(npy, none);

    while (!take_header_word(&p, "}")) {
        char key[16];
        size_t which = 0;
        if (!take_header_text(&p, key, sizeof key) || !take_header_word(&p, ":")) return refuse_npy(npy, none);
        while (which < 3 && strcmp(key, keys[which]) != 0) which++;
        if (which == 3 || seen[which]) return refuse_npy(npy, "its header has an unknown or repeated key");
        seen[which] = true;
        UNA_TRY(parse_entry(npy, which, &p));
        if (!take_header_word(&p, ",") && !(p.at < p.end && *p.at == '}')) return refuse_npy(npy, none);
    }

    next_header_char(&p);
    if (p.at != p.end) return refuse_npy(npy, "something stands behind the dictionary of its header");
    if (!seen[0] || !seen[1] || !seen[2]) return refuse_npy(npy, "its header lacks descr, fortran_order or shape");
    return UNA_OK;
}

/* ---- header and size --------------------------------------------------------------------------------- */

static una_status read_exactly(una_npy *npy, void *bytes, size_t size)
{
    size_t got;
    UNA_TRY(una_packed_take(npy->packed, bytes, size, &got));
    return got == size ? UNA_OK : refuse_npy(npy, "it ends too early");
}

static una_status read_npy_header(una_npy *npy, una_arena *arena)
{
    unsigned char head[12];
    UNA_TRY(read_exactly(npy, head, 8));
    if (memcmp(head, "\x93NUMPY", 6) != 0) return refuse_npy(npy, "it does not begin as one");
    if (head[6] < 1 || head[6] > 3) return refuse_npy(npy, "its format version is not 1, 2 or 3");

    size_t bytes = head[6] == 1 ? 2 : 4, length = 0;
    UNA_TRY(read_exactly(npy, head, bytes));
    for (size_t i = bytes; i > 0; i--) length = length << 8 | head[i - 1];
    if (length > LONGEST_HEADER) return refuse_npy(npy, "its header is too long");

    UNA_NEW(arena, char, text, length + 1);
    UNA_TRY(read_exactly(npy, text, length));
    npy->start = 8 + bytes + length;
    return parse_dictionary(npy, (parser){ text, text + length });
}

static una_status check_npy_size(una_npy *npy)
{
    if (npy->columns == 0) return refuse_npy(npy, "it has no columns");
    if (npy->rows == 0) return refuse_npy(npy, "it has no rows");
    size_t most = SIZE_MAX / 4 / npy->width / npy->columns;
    if (npy->rows > most) return refuse_npy(npy, "its shape is beyond any file");
    size_t promised = npy->start + npy->rows * npy->columns * npy->width;
    if (!npy->packed->is_packed && npy->packed->size != promised)
        UNA_FAIL(npy->run, UNA_E_INPUT, "%s has %llu bytes where its header promises %zu (%zu rows of %zu columns); "
                 "copy it again", npy->path, (unsigned long long)npy->packed->size, promised, npy->rows, npy->columns);
    if (npy->packed->is_packed && promised / MOST_PACKED > npy->packed->size)      /* before memory is taken for it */
        UNA_FAIL(npy->run, UNA_E_INPUT, "%s promises %zu rows of %zu columns in its header, more than its %llu "
                 "compressed bytes can hold; copy it again", npy->path, npy->rows, npy->columns,
                 (unsigned long long)npy->packed->size);
    return UNA_OK;
}

/* ---- items -------------------------------------------------------------------------------------------- */

static double item_value(const una_npy *npy, const unsigned char *bytes)
{
    uint64_t word = 0, sign = (uint64_t)1 << (8 * npy->width - 1);
    double value;
    float narrow;
    for (size_t i = 0; i < npy->width; i++) {
        size_t place = npy->big_endian ? npy->width - 1 - i : i;
        word |= (uint64_t)bytes[place] << (8 * i);
    }

    if (npy->type == 'f' && npy->width == 8) return memcpy(&value, &word, sizeof value), value;
    if (npy->type == 'f') return memcpy(&narrow, &(uint32_t){ (uint32_t)word }, sizeof narrow), (double)narrow;
    if (npy->type == 'b') return word != 0;
    return npy->type == 'i' && word & sign ? -(double)((~word & (sign - 1)) + 1) : (double)word;
}

/* count items from item `from` of the file to values[0], values[step], ... */
static una_status read_strip(una_npy *npy, size_t from, size_t count, double *values, size_t step, unsigned char *strip)
{
    UNA_TRY(una_packed_seek(npy->packed, npy->start + from * npy->width));
    for (size_t done = 0; done < count;) {
        size_t now = UNA_MIN(count - done, STRIP_BYTES / npy->width);
        UNA_TRY(read_exactly(npy, strip, now * npy->width));
        for (size_t i = 0; i < now; i++) values[(done + i) * step] = item_value(npy, strip + i * npy->width);
        done += now;
    }
    return UNA_OK;
}

una_status una_npy_rows(una_npy *npy, size_t first, size_t count, double *values)
{
    size_t at_once = npy->by_column ? count : count * npy->columns;
    UNA_NEW(&npy->run->scratch, unsigned char, strip, UNA_MIN(at_once, STRIP_BYTES / npy->width) * npy->width);
    if (!npy->by_column) return read_strip(npy, first * npy->columns, at_once, values, 1, strip);
    for (size_t c = 0; c < npy->columns; c++)
        UNA_TRY(read_strip(npy, c * npy->rows + first, count, values + c, npy->columns, strip));
    return UNA_OK;
}

una_status una_npy_end(una_npy *npy)
{
    unsigned char more;
    size_t got = 0;
    UNA_TRY(una_packed_seek(npy->packed, npy->start + npy->rows * npy->columns * npy->width));
    UNA_TRY(una_packed_take(npy->packed, &more, 1, &got));
    if (got > 0) return refuse_npy(npy, "it has more items than its header promises; copy it again");
    return una_packed_check(npy->packed);
}

una_status una_npy_open(una_npy **npy, const char *path, una_arena *arena)
{
    UNA_NEW_AT(arena, *npy, 1);
    **npy = (una_npy){ .run = arena->run, .path = una_arena_text(arena, path) };
    UNA_TRY(una_arena_check(arena));
    UNA_TRY(una_packed_open(&(*npy)->packed, (*npy)->path, arena));
    UNA_TRY(read_npy_header(*npy, arena));
    return check_npy_size(*npy);
}

