/* SPDX-License-Identifier: MIT
 *
 * The model file: magic, header, named blocks, end; every part with its CRC. See archive.h for the layout.
 * A file may come from a stranger: every length is compared with the bytes that are there before it is used, and
 * the CRC of a block is checked before memory is taken for it.
 */
#include "base/archive.h"

enum {
    MAGIC = 8,                   /* bytes of "UNAMODEL"                  */
    FRONT = MAGIC + 4 + 4,       /* magic, version, length of the header */
    CRC = 4,
    END = 4 + 8,                 /* tag, number of blocks                */
    LONGEST_HEADER = 16 << 20
};

static const char magic[] = "UNAMODEL";
static const char damaged[] = "copy it again from where it came from, or fit the model again";
static const char too_early[] = "the model file ends too early", not_finite[] = "holds a number that is not finite";

/* ---- bytes, little end first --------------------------------------------------------------------------- */

static void put_little_endian(unsigned char *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get_little_endian(const unsigned char *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++) value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static size_t item_size(char type)
{
    if (type == 't' || type == 'n') return 1;
    return type == 'F' ? 4 : 8;
}

/* ---- saving -------------------------------------------------------------------------------------------- */

/* A place for `more` bytes at the end; NULL after any failure. */
static unsigned char *extend_bytes(una_archive *ar, size_t more)
{
    if (ar->room - ar->size < more) {
        size_t need = more <= SIZE_MAX - ar->size ? ar->size + more : SIZE_MAX;
        ar->room = need < SIZE_MAX / 4 ? need + need / 2 + 4096 : SIZE_MAX;
        unsigned char *bytes = UNA_GET(ar->arena, unsigned char, ar->room);
        if (!bytes) ar->status = UNA_E_MEMORY;
        if (!bytes) return NULL;
        if (ar->size) memcpy(bytes, ar->bytes, ar->size);
        ar->bytes = bytes;
    }
    ar->size += more;
    return ar->bytes + ar->size - more;
}

/* Closes what began at `from` with its CRC. */
static una_status put_crc(una_archive *ar, size_t from)
{
    unsigned char *at = extend_bytes(ar, CRC);
    if (at) put_little_endian(at, una_crc32(0, ar->bytes + from, ar->size - CRC - from), CRC);
    return ar->status;
}

una_status una_archive_save_begin(una_archive *ar, const char *header_json, una_arena *arena, una_run *run)
{
    *ar = (una_archive){ .arena = arena, .run = run, .origin = "the model" };
    size_t length = strlen(header_json);
    if (length > LONGEST_HEADER)
        return ar->status = una_fail(run, UNA_E_USAGE, "the model cannot be saved: its description has %zu bytes, and "
                                     "a model file takes 16 MiB at most", length);
    unsigned char *at = extend_bytes(ar, FRONT + length);
    if (!at) return ar->status;
    memcpy(at, magic, MAGIC);
    put_little_endian(at + MAGIC, UNA_ARCHIVE_VERSION, 4);
    put_little_endian(at + MAGIC + 4, length, 4);
    memcpy(at + FRONT, header_json, length);
    return put_crc(ar, 0);
}

/* Tag to payload of a block; the payload's place, NULL after any failure. put_crc(ar, *from) must follow. */
static unsigned char *put_block(una_archive *ar, const char *name, char type, size_t count, size_t *from)
{
    size_t length = strlen(name), fixed = 4 + 1 + length + 1 + 8, size = item_size(type);
    *from = ar->size;
    if (count > (SIZE_MAX / 2 - fixed) / size) {
        ar->status = una_fail(ar->run, UNA_E_MEMORY, "the block %s with %zu items is beyond any memory", name, count);
        return NULL;
    }

    unsigned char *at = extend_bytes(ar, fixed + count * size);
    if (!at) return NULL;

    memcpy(at, "BLK1", 4);
    at[4] = (unsigned char)length;
    memcpy(at + 5, name, length);
    at[5 + length] = (unsigned char)type;
    put_little_endian(at + 6 + length, count, 8);
    ar->blocks++;
    return at + fixed;
}

una_status una_archive_save_end(una_archive *ar)
{
    if (ar->status != UNA_OK) return ar->status;
    size_t from = ar->size;
    unsigned char *at = extend_bytes(ar, END);
    if (!at) return ar->status;
    memcpy(at, "END.", 4);
    put_little_endian(at + 4, ar->blocks, 8);
    return put_crc(ar, from);
}

/* ---- loading ------------------------------------------------------------------------------------------- */

static una_status refuse_file(una_archive *ar, const char *why)
{
    if (ar->status != UNA_OK) return ar->status;
    return ar->status = una_fail(ar->run, UNA_E_INPUT, "%s: %s; %s", ar->origin, why, damaged);
}

una_status una_archive_refuse(una_archive *ar, const char *name, const char *why)
{
    if (ar->status != UNA_OK) return ar->status;
    if (ar->loading)
        return ar->status = una_fail(ar->run, UNA_E_INPUT, "%s: the block %s %s; %s", ar->origin, name, why, damaged);
    return ar->status = una_fail(ar->run, UNA_E_NUMERIC, "%s cannot be saved: the block %s %s", ar->origin, name, why);
}

una_status una_archive_expect(una_archive *ar, const char *name, uint64_t count, size_t bytes)
{
    if (ar->status != UNA_OK || !ar->loading || count <= (ar->size - ar->at) / bytes) return ar->status;
    return una_archive_refuse(ar, name, "counts more than the file holds");
}

/* Also false if it was interrupted, which is then the status. */
static bool crc_agrees(una_archive *ar, size_t from, size_t end)
{
    enum { PIECE = 4 << 20 };
    uint32_t crc = 0;
    for (size_t at = from, piece; at < end && ar->status == UNA_OK; at += piece) {
        piece = end - at < PIECE ? end - at : PIECE;
        crc = una_crc32(crc, ar->bytes + at, piece);
        if (piece == PIECE) ar->status = una_check_cancelled(ar->run, "loading");
    }
    return ar->status == UNA_OK && crc == get_little_endian(ar->bytes + end, CRC);
}

static una_status copy_text(una_archive *ar, const char **text, const unsigned char *bytes, size_t length)
{
    char *copy = UNA_GET(ar->arena, char, length + 1);
    if (!copy) return ar->status = UNA_E_MEMORY;
    *text = memcpy(copy, bytes, length);
    return UNA_OK;
}

/* Checks the first FRONT bytes; *length becomes that of the header. */
static una_status check_front(una_archive *ar, size_t *length)
{
    if (ar->size < MAGIC || memcmp(ar->bytes, magic, MAGIC) != 0)
        return ar->status = una_fail(ar->run, UNA_E_INPUT, "%s is not a una model file; make one with `una fit`",
                                     ar->origin);
    if (ar->size < FRONT) return refuse_file(ar, too_early);

    uint64_t version = get_little_endian(ar->bytes + MAGIC, 4);
    if (version > UNA_ARCHIVE_VERSION)
        return ar->status = una_fail(ar->run, UNA_E_INPUT, "%s was made by a newer una (file version %u, this una "
                                     "reads up to %u); install a newer una", ar->origin, (unsigned)version,
                                     UNA_ARCHIVE_VERSION);
    if (version == 0) return refuse_file(ar, "the model file has version 0, which no una has written");

    *length = (size_t)get_little_endian(ar->bytes + MAGIC + 4, 4);
    if (*length > LONGEST_HEADER) return refuse_file(ar, "the model file's header is longer than 16 MiB");
    return UNA_OK;
}

/* The header, once check_front agreed and `size` counts what is there. */
static una_status read_archive_header(una_archive *ar, size_t length, const char **header)
{
    if (ar->size - FRONT < length + CRC) return refuse_file(ar, too_early);
    if (!crc_agrees(ar, 0, FRONT + length)) return refuse_file(ar, "the model file's header is damaged");
    if (memchr(ar->bytes + FRONT, 0, length)) return refuse_file(ar, "the model file's header holds a zero byte");
    ar->at = FRONT + length + CRC;
    return header ? copy_text(ar, header, ar->bytes + FRONT, length) : UNA_OK;
}

una_status una_archive_load_begin(una_archive *ar, const void *bytes, size_t size, const char *origin,
                                  const char **header, una_arena *arena, una_run *run)
{
    *ar = (una_archive){ .loading = true, .arena = arena, .run = run, .origin = origin ? origin : "the model in memory",
                         .bytes = (unsigned char *)bytes, .size = size };
    size_t length;
    if (header) *header = NULL;
    UNA_TRY(check_front(ar, &length));
    return read_archive_header(ar, length, header);
}

static una_status read_front_of(una_archive *ar, una_stream *stream, size_t *length)
{
    UNA_TRY(una_stream_take(stream, FRONT, FRONT));
    ar->bytes = stream->bytes;
    ar->size = stream->size;
    return check_front(ar, length);
}

static una_status read_to_header(una_archive *ar, una_stream *stream, const char **json)
{
    size_t length;
    UNA_TRY(read_front_of(ar, stream, &length));
    UNA_TRY(una_stream_take(stream, FRONT + length + CRC, 0));
    ar->bytes = stream->bytes;
    ar->size = stream->size;
    return read_archive_header(ar, length, json);
}

una_status una_archive_header(const char **json, const char *path, una_arena *arena, una_run *run)
{
    una_stream stream;
    *json = NULL;
    UNA_TRY(una_stream_open(&stream, path, arena, run));
    una_archive ar = { .loading = true, .arena = arena, .run = run, .origin = path };
    una_status status = read_to_header(&ar, &stream, json);
    fclose(stream.file);
    return status;
}

una_status una_archive_slurp(unsigned char **bytes, size_t *size, const char *path, una_arena *arena, una_run *run)
{
    una_stream stream;
    size_t length;
    UNA_TRY(una_stream_open(&stream, path, arena, run));
    una_archive ar = { .loading = true, .arena = arena, .run = run, .origin = path };
    return una_stream_rest(bytes, size, &stream, read_front_of(&ar, &stream, &length));
}

una_status una_archive_load_end(una_archive *ar)
{
    if (ar->status != UNA_OK) return ar->status;
    size_t left = ar->size - ar->at;
    const unsigned char *at = ar->bytes + ar->at;
    if (left >= 4 && memcmp(at, "BLK1", 4) == 0)
        return refuse_file(ar, "the model file holds more blocks than this model has");
    if (left < END + CRC) return refuse_file(ar, too_early);
    if (memcmp(at, "END.", 4) != 0 || !crc_agrees(ar, ar->at, ar->at + END) ||
        get_little_endian(at + 4, 8) != ar->blocks)
        return refuse_file(ar, "the end of the model file is damaged");
    if (left > END + CRC) return refuse_file(ar, "something follows the end of the model file");
    ar->at += END + CRC;
    return UNA_OK;
}

typedef struct block { char type; size_t count; const unsigned char *payload; } block;

/* The next block must have this name and one of these types. All of it is checked against what is there; `most` and
 * `least` bound the count. */
static una_status next_archive_block(block *b, una_archive *ar, const char *name, const char *types, uint64_t least,
                                     uint64_t most)
{
    const unsigned char *at = ar->bytes + ar->at;
    size_t left = ar->size - ar->at, length = strlen(name), fixed = 4 + 1 + length + 1 + 8;

    if ((ar->status = una_check_cancelled(ar->run, "loading")) != UNA_OK) return ar->status;
    if (left < 5) return refuse_file(ar, too_early);
    if (memcmp(at, "END.", 4) == 0) return una_archive_refuse(ar, name, "is missing");
    if (memcmp(at, "BLK1", 4) != 0) return una_archive_refuse(ar, name, "is damaged where it begins");
    if (left - 5 < at[4]) return refuse_file(ar, too_early);
    if (at[4] != length || memcmp(at + 5, name, length) != 0)
        return una_archive_refuse(ar, name, "is missing, another one stands in its place");
    if (left < fixed) return refuse_file(ar, too_early);

    *b = (block){ (char)at[5 + length], 0, at + fixed };
    if (b->type == 0 || !strchr(types, b->type))
        return una_archive_refuse(ar, name, "is of another type than expected");
    uint64_t items = get_little_endian(at + 6 + length, 8), size = item_size(b->type);
    if (items > (left - fixed) / size || left - fixed - items * size < CRC) return refuse_file(ar, too_early);
    if (!crc_agrees(ar, ar->at, ar->at + fixed + (size_t)(items * size)))
        return una_archive_refuse(ar, name, "is damaged (its checksum differs)");
    if (items < least || items > most) return una_archive_refuse(ar, name, "has a wrong number of items");

    b->count = (size_t)items;
    ar->at += fixed + (size_t)(items * size) + CRC;
    ar->blocks++;
    return UNA_OK;
}

bool una_archive_next_is(const una_archive *ar, const char *name)
{
    const unsigned char *at = ar->bytes + ar->at;
    size_t left = ar->size - ar->at, length = strlen(name);
    return ar->loading && ar->status == UNA_OK && left >= 5 + length && memcmp(at, "BLK1", 4) == 0 &&
           at[4] == length && memcmp(at + 5, name, length) == 0;
}

/* ---- exchange ------------------------------------------------------------------------------------------ */

/* Before every block: not after a failure, and only names that fit into a byte. */
static una_status ready_for_block(una_archive *ar, const char *name)
{
    size_t length = strlen(name);
    if (ar->status != UNA_OK) return ar->status;
    return length >= 1 && length <= 255 ? UNA_OK : una_archive_refuse(ar, name, "has no name of 1 to 255 bytes");
}

/* Whole numbers are all fit, reals if they are finite. */
static bool item_fits(uint64_t bits, char type)
{
    if (type == 'F') return (bits >> 23 & 255) != 255;
    return type == 'u' || (bits >> 52 & 2047) != 2047;
}

static una_status put_numbers(una_archive *ar, const char *name, char type, const void *values, size_t count)
{
    size_t from, size = item_size(type);
    unsigned char *at = put_block(ar, name, type, count, &from);
    for (size_t i = 0; at && i < count; i++, at += size) {
        uint64_t bits;
        uint32_t few;
        memcpy(&few, (const unsigned char *)values + i * size, sizeof few);
        if (size == 8) memcpy(&bits, (const unsigned char *)values + i * size, sizeof bits);
        else bits = few;
        if (!item_fits(bits, type)) return una_archive_refuse(ar, name, not_finite);
        if (size == 8) put_little_endian(at, bits, 8);
        else put_little_endian(at, bits, 4);
    }
    return at ? put_crc(ar, from) : ar->status;
}

static una_status get_numbers(una_archive *ar, const char *name, const block *b, void *values)
{
    for (size_t i = 0; i < b->count; i++) {
        bool few = b->type == 'F';
        uint64_t bits = few ? get_little_endian(b->payload + 4 * i, 4) : get_little_endian(b->payload + 8 * i, 8);
        if (!item_fits(bits, b->type)) return una_archive_refuse(ar, name, not_finite);
        if (few) memcpy((unsigned char *)values + 4 * i, &(uint32_t){ (uint32_t)bits }, 4);
        else memcpy((unsigned char *)values + 8 * i, &bits, 8);
    }
    return UNA_OK;
}

/* One number that is written from, or read into, its place. */
static una_status exchange_number(una_archive *ar, const char *name, const char *type, void *value)
{
    block b;
    if (!ar->loading) return put_numbers(ar, name, *type, value, 1);
    UNA_TRY(next_archive_block(&b, ar, name, type, 1, 1));
    return get_numbers(ar, name, &b, value);
}

/* The list [count] that a pointer at `place` leads to, which is written, or read into memory that is taken for it. */
static una_status exchange_list(una_archive *ar, const char *name, const char *type, void *place, size_t count)
{
    block b;
    void *list;
    memcpy(&list, place, sizeof list);
    UNA_TRY(ready_for_block(ar, name));
    if (!ar->loading) return put_numbers(ar, name, *type, list, count);
    memset(place, 0, sizeof list);
    UNA_TRY(next_archive_block(&b, ar, name, type, count, count));
    void *to = una_arena_get(ar->arena, count, item_size(*type));
    if (!to) return ar->status = UNA_E_MEMORY;
    UNA_TRY(get_numbers(ar, name, &b, to));
    memcpy(place, &to, sizeof to);
    return UNA_OK;
}

una_status una_archive_u64(una_archive *ar, const char *name, uint64_t *value, uint64_t low, uint64_t high)
{
    uint64_t number = *value;
    UNA_TRY(ready_for_block(ar, name));
    if (ar->loading) UNA_TRY(exchange_number(ar, name, "u", &number));
    if (number < low || number > high) return una_archive_refuse(ar, name, "holds a number out of range");
    *value = number;
    return ar->loading ? UNA_OK : exchange_number(ar, name, "u", value);
}

una_status una_archive_size(una_archive *ar, const char *name, size_t *value, uint64_t low, uint64_t high)
{
    uint64_t number = *value;
    UNA_TRY(una_archive_u64(ar, name, &number, low, high));
    if (ar->loading) *value = (size_t)number;
    return UNA_OK;
}

una_status una_archive_flag(una_archive *ar, const char *name, bool *value)
{
    size_t number = *value;
    UNA_TRY(una_archive_size(ar, name, &number, 0, 1));
    if (ar->loading) *value = number == 1;
    return UNA_OK;
}

una_status una_archive_word(una_archive *ar, const char *name, int *value, int count)
{
    size_t number = (size_t)*value;
    UNA_TRY(una_archive_size(ar, name, &number, 0, (uint64_t)count - 1));
    if (ar->loading) *value = (int)number;
    return UNA_OK;
}

una_status una_archive_f64(una_archive *ar, const char *name, double *value)
{
    UNA_TRY(ready_for_block(ar, name));
    return exchange_number(ar, name, "d", value);
}

una_status una_archive_text(una_archive *ar, const char *name, const char **text)
{
    block b;
    size_t length = !ar->loading && *text ? strlen(*text) : 0, from;
    UNA_TRY(ready_for_block(ar, name));
    if (ar->loading) {
        *text = NULL;
        UNA_TRY(next_archive_block(&b, ar, name, "tn", 0, UNA_LONGEST_TEXT));
        if (b.type == 'n') return b.count ? una_archive_refuse(ar, name, "should be empty") : UNA_OK;
        if (memchr(b.payload, 0, b.count)) return una_archive_refuse(ar, name, "holds a zero byte inside a text");
        return copy_text(ar, text, b.payload, b.count);
    }
    if (length > UNA_LONGEST_TEXT)
        return ar->status = una_fail(ar->run, UNA_E_INPUT, "%s cannot be saved: the block %s holds a text longer than "
                                     "1 MiB, which begins with '%.40s'; shorten it, or leave the column out (--drop)",
                                     ar->origin, name, *text);
    unsigned char *at = put_block(ar, name, *text ? 't' : 'n', length, &from);
    if (!at) return ar->status;
    if (length) memcpy(at, *text, length);
    return put_crc(ar, from);
}

una_status una_archive_name(una_archive *ar, const char *name, const char **text)
{
    UNA_TRY(una_archive_text(ar, name, text));
    bool empty = ar->loading && !(*text && **text);
    return empty ? una_archive_refuse(ar, name, "is empty where a name is needed") : UNA_OK;
}

una_status una_archive_f64s(una_archive *ar, const char *name, double **values, size_t count)
{
    return exchange_list(ar, name, "D", values, count);
}

una_status una_archive_f32s(una_archive *ar, const char *name, float **values, size_t count)
{
    return exchange_list(ar, name, "F", values, count);
}
