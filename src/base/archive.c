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

static void put_f64(unsigned char *at, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_little_endian(at, bits, 8);
}

static double get_f64(const unsigned char *at)
{
    uint64_t bits = get_little_endian(at, 8);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void put_f32(unsigned char *at, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_little_endian(at, bits, 4);
}

static float get_f32(const unsigned char *at)
{
    uint32_t bits = (uint32_t)get_little_endian(at, 4);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint64_t item_size(char type)
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
        size_t room = need < SIZE_MAX / 4 ? need + need / 2 + 4096 : SIZE_MAX;
        unsigned char *bytes = UNA_GET(ar->arena, unsigned char, room);
        if (!bytes) {
            ar->status = UNA_E_MEMORY;
            return NULL;
        }
        if (ar->size) memcpy(bytes, ar->bytes, ar->size);
        ar->bytes = bytes;
        ar->room = room;
    }

    unsigned char *at = ar->bytes + ar->size;
    ar->size += more;
    return at;
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
    size_t length = strlen(name), fixed = 4 + 1 + length + 1 + 8, size = (size_t)item_size(type);
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

static una_status refuse_end(una_archive *ar)
{
    return refuse_file(ar, "the model file ends too early");
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

static una_status loading_interrupted(una_archive *ar)
{
    return ar->status = una_fail(ar->run, UNA_CANCELLED, "interrupted while loading");
}

/* Also false if it was interrupted, which is then the status. */
static bool crc_agrees(una_archive *ar, size_t from, size_t end)
{
    enum { PIECE = 4 << 20 };
    uint32_t crc = 0;
    for (size_t at = from, piece; at < end; at += piece) {
        piece = end - at < PIECE ? end - at : PIECE;
        crc = una_crc32(crc, ar->bytes + at, piece);
        if (piece < PIECE || !una_cancelled(ar->run)) continue;
        loading_interrupted(ar);
        return false;
    }
    return crc == get_little_endian(ar->bytes + end, CRC);
}

/* Checks the first FRONT bytes; *length becomes that of the header. */
static una_status check_front(una_archive *ar, size_t *length)
{
    if (ar->size < FRONT || memcmp(ar->bytes, magic, MAGIC) != 0) {
        bool begun = ar->size >= MAGIC && memcmp(ar->bytes, magic, MAGIC) == 0;
        if (begun) return refuse_end(ar);
        return ar->status = una_fail(ar->run, UNA_E_INPUT, "%s is not a una model file; make one with `una fit`",
                                     ar->origin);
    }

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
    if (ar->size - FRONT < length + CRC) return refuse_end(ar);
    if (!crc_agrees(ar, 0, FRONT + length)) return refuse_file(ar, "the model file's header is damaged");
    if (memchr(ar->bytes + FRONT, 0, length)) return refuse_file(ar, "the model file's header holds a zero byte");
    ar->at = FRONT + length + CRC;
    if (!header) return UNA_OK;
    char *text = UNA_GET(ar->arena, char, length + 1);
    if (!text) return ar->status = UNA_E_MEMORY;
    *header = memcpy(text, ar->bytes + FRONT, length);
    return UNA_OK;
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

static una_status read_front_of(una_archive *ar, FILE *stream, size_t *length)
{
    UNA_TRY(una_stream_read(&ar->bytes, &ar->size, stream, FRONT, FRONT, ar->origin, ar->arena, ar->run));
    return check_front(ar, length);
}

static una_status read_to_header(una_archive *ar, FILE *stream, const char **json)
{
    size_t length;
    UNA_TRY(read_front_of(ar, stream, &length));
    UNA_TRY(una_stream_more(&ar->bytes, &ar->size, stream, FRONT + length + CRC, 0, ar->origin, ar->arena, ar->run));
    return read_archive_header(ar, length, json);
}

una_status una_archive_header(const char **json, const char *path, una_arena *arena, una_run *run)
{
    FILE *stream;
    *json = NULL;
    UNA_TRY(una_open_read(&stream, path, run));
    una_archive ar = { .loading = true, .arena = arena, .run = run, .origin = path };
    una_status status = read_to_header(&ar, stream, json);
    fclose(stream);
    return status;
}

una_status una_archive_slurp(unsigned char **bytes, size_t *size, const char *path, una_arena *arena, una_run *run)
{
    FILE *stream;
    size_t length;
    *bytes = NULL;
    *size = 0;
    UNA_TRY(una_open_read(&stream, path, run));
    una_stamp stamp = una_stamp_of(fileno(stream));
    una_archive ar = { .loading = true, .arena = arena, .run = run, .origin = path };
    una_status status = read_front_of(&ar, stream, &length);
    if (status == UNA_OK)
        status = una_stream_more(&ar.bytes, &ar.size, stream, SIZE_MAX, (size_t)stamp.size, path, arena, run);
    if (status == UNA_OK) status = una_stamp_check(&stamp, fileno(stream), path, run);
    fclose(stream);
    *bytes = ar.bytes;
    *size = ar.size;
    return status;
}

una_status una_archive_load_end(una_archive *ar)
{
    if (ar->status != UNA_OK) return ar->status;
    size_t left = ar->size - ar->at;
    const unsigned char *at = ar->bytes + ar->at;
    if (left >= 4 && memcmp(at, "BLK1", 4) == 0)
        return refuse_file(ar, "the model file holds more blocks than this model has");
    if (left < END + CRC) return refuse_end(ar);
    if (memcmp(at, "END.", 4) != 0 || !crc_agrees(ar, ar->at, ar->at + END) ||
        get_little_endian(at + 4, 8) != ar->blocks)
        return refuse_file(ar, "the end of the model file is damaged");
    if (left > END + CRC) return refuse_file(ar, "something follows the end of the model file");
    ar->at += END + CRC;
    return UNA_OK;
}

/* The next block must have this name and one of these types. Gives type, count and payload, all checked against
 * what is there; `most` and `least` bound the count. */
static una_status next_archive_block(una_archive *ar, const char *name, const char *types, uint64_t least,
                                     uint64_t most, char *type, size_t *count, const unsigned char **payload)
{
    const unsigned char *at = ar->bytes + ar->at;
    size_t left = ar->size - ar->at, length = strlen(name), fixed = 4 + 1 + length + 1 + 8;

    if (una_cancelled(ar->run)) return loading_interrupted(ar);
    if (left < 5) return refuse_end(ar);
    if (memcmp(at, "END.", 4) == 0) return una_archive_refuse(ar, name, "is missing");
    if (memcmp(at, "BLK1", 4) != 0) return una_archive_refuse(ar, name, "is damaged where it begins");
    if (left - 5 < at[4]) return refuse_end(ar);
    if (at[4] != length || memcmp(at + 5, name, length) != 0)
        return una_archive_refuse(ar, name, "is missing, another one stands in its place");
    if (left < fixed) return refuse_end(ar);

    *type = (char)at[5 + length];
    if (*type == 0 || !strchr(types, *type)) return una_archive_refuse(ar, name, "is of another type than expected");
    uint64_t items = get_little_endian(at + 6 + length, 8), size = item_size(*type);
    if (items > (left - fixed) / size || left - fixed - items * size < CRC) return refuse_end(ar);
    if (!crc_agrees(ar, ar->at, ar->at + fixed + (size_t)(items * size)))
        return una_archive_refuse(ar, name, "is damaged (its checksum differs)");
    if (items < least || items > most) return una_archive_refuse(ar, name, "has a wrong number of items");

    *count = (size_t)items;
    *payload = at + fixed;
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

una_status una_archive_u64(una_archive *ar, const char *name, uint64_t *value, uint64_t low, uint64_t high)
{
    size_t from, count;
    char type;
    const unsigned char *payload;
    UNA_TRY(ready_for_block(ar, name));

    uint64_t number = *value;
    if (ar->loading) {
        UNA_TRY(next_archive_block(ar, name, "u", 1, 1, &type, &count, &payload));
        number = get_little_endian(payload, 8);
    }
    if (number < low || number > high) return una_archive_refuse(ar, name, "holds a number out of range");
    *value = number;
    if (ar->loading) return UNA_OK;

    unsigned char *at = put_block(ar, name, 'u', 1, &from);
    if (!at) return ar->status;
    put_little_endian(at, number, 8);
    return put_crc(ar, from);
}

static const char not_finite[] = "holds a number that is not finite";

una_status una_archive_f64(una_archive *ar, const char *name, double *value)
{
    size_t from, count;
    char type;
    const unsigned char *payload;
    UNA_TRY(ready_for_block(ar, name));

    double number = *value;
    if (ar->loading) {
        UNA_TRY(next_archive_block(ar, name, "d", 1, 1, &type, &count, &payload));
        number = get_f64(payload);
    }
    if (!isfinite(number)) return una_archive_refuse(ar, name, not_finite);
    *value = number;
    if (ar->loading) return UNA_OK;

    unsigned char *at = put_block(ar, name, 'd', 1, &from);
    if (!at) return ar->status;
    put_f64(at, number);
    return put_crc(ar, from);
}

static una_status load_text(una_archive *ar, const char *name, const char **text)
{
    size_t count;
    char type;
    const unsigned char *payload;
    *text = NULL;
    UNA_TRY(next_archive_block(ar, name, "tn", 0, UNA_LONGEST_TEXT, &type, &count, &payload));
    if (type == 'n') return count ? una_archive_refuse(ar, name, "should be empty") : UNA_OK;
    if (memchr(payload, 0, count)) return una_archive_refuse(ar, name, "holds a zero byte inside a text");
    char *copy = UNA_GET(ar->arena, char, count + 1);
    if (!copy) return ar->status = UNA_E_MEMORY;
    *text = memcpy(copy, payload, count);
    return UNA_OK;
}

una_status una_archive_text(una_archive *ar, const char *name, const char **text)
{
    UNA_TRY(ready_for_block(ar, name));
    if (ar->loading) return load_text(ar, name, text);
    size_t length = *text ? strlen(*text) : 0, from;
    if (length > UNA_LONGEST_TEXT)
        return ar->status = una_fail(ar->run, UNA_E_INPUT, "%s cannot be saved: the block %s holds a text longer than "
                                     "1 MiB, which begins with '%.40s'; shorten it, or leave the column out (--drop)",
                                     ar->origin, name, *text);
    unsigned char *at = put_block(ar, name, *text ? 't' : 'n', length, &from);
    if (!at) return ar->status;
    if (length) memcpy(at, *text, length);
    return put_crc(ar, from);
}

una_status una_archive_f64s(una_archive *ar, const char *name, double **values, size_t count)
{
    size_t from;
    char type;
    const unsigned char *payload;
    UNA_TRY(ready_for_block(ar, name));

    if (ar->loading) {
        *values = NULL;
        UNA_TRY(next_archive_block(ar, name, "D", count, count, &type, &count, &payload));
        double *to = UNA_GET(ar->arena, double, count);
        if (!to) return ar->status = UNA_E_MEMORY;
        for (size_t i = 0; i < count; i++) {
            to[i] = get_f64(payload + 8 * i);
            if (!isfinite(to[i])) return una_archive_refuse(ar, name, not_finite);
        }
        *values = to;
        return UNA_OK;
    }

    for (size_t i = 0; i < count; i++)
        if (!isfinite((*values)[i])) return una_archive_refuse(ar, name, not_finite);
    unsigned char *at = put_block(ar, name, 'D', count, &from);
    if (!at) return ar->status;
    for (size_t i = 0; i < count; i++) put_f64(at + 8 * i, (*values)[i]);
    return put_crc(ar, from);
}

una_status una_archive_f32s(una_archive *ar, const char *name, float **values, size_t count)
{
    size_t from;
    char type;
    const unsigned char *payload;
    UNA_TRY(ready_for_block(ar, name));

    if (ar->loading) {
        *values = NULL;
        UNA_TRY(next_archive_block(ar, name, "F", count, count, &type, &count, &payload));
        float *to = UNA_GET(ar->arena, float, count);
        if (!to) return ar->status = UNA_E_MEMORY;
        for (size_t i = 0; i < count; i++) {
            to[i] = get_f32(payload + 4 * i);
            if (!isfinite(to[i])) return una_archive_refuse(ar, name, not_finite);
        }
        *values = to;
        return UNA_OK;
    }

    for (size_t i = 0; i < count; i++)
        if (!isfinite((*values)[i])) return una_archive_refuse(ar, name, not_finite);
    unsigned char *at = put_block(ar, name, 'F', count, &from);
    if (!at) return ar->status;
    for (size_t i = 0; i < count; i++) put_f32(at + 4 * i, (*values)[i]);
    return put_crc(ar, from);
}
