/* SPDX-License-Identifier: MIT
 *
 * See json.h. What a value costs was measured with Jansson 2.14 and the allocator of glibc, whose blocks have 8 bytes
 * more than is asked for, rounded up to 16, 32 at least; tests/read/test_json.c measures it again.
 */
#include "read/json.h"

#include "base/archive.h"

/* ---- what it will take ----------------------------------------------------------------------------------------- */

/* Upper bounds. A text that is no JSON is read up to its first mistake only, and has fewer. */
uint64_t una_json_memory(const char *text, size_t size, uint64_t *parts)
{
    enum {
        FIRST = 4096,
        LETTER = 4,              /* its string, and the longest one as it is gathered: twice, once more as it grows */
        OBJECT = 224, LIST = 128,        /* with room for eight                                                     */
        VALUE = 32 + 24,         /* a number, and its place in a list that has just grown                           */
        NAME = 80 + 24,          /* an entry, and its place in a table that has just grown, less one in a list      */
        STRING = 64
    };
    uint64_t objects = 0, lists = 0, names = 0, strings = 0, values = 1;
    for (size_t at = 0; at < size; at++) {
        objects += text[at] == '{';
        lists += text[at] == '[';
        names += text[at] == ':';
        values += text[at] == '{' || text[at] == '[' || text[at] == ',';
        if (text[at] != '"') continue;
        strings++;
        for (at++; at < size && text[at] != '"'; at++) at += text[at] == '\\' && at + 1 < size;
    }
    *parts = objects + lists + names;
    return FIRST + LETTER * (uint64_t)size + OBJECT * objects + LIST * lists + VALUE * values + NAME * names +
           STRING * strings;
}

static una_status check_json_memory(uint64_t *memory, const una_json_text *text, una_run *run)
{
    if (text->size > text->most)
        UNA_FAIL(run, UNA_E_INPUT, "%s has %zu bytes of JSON, and at most %zu are read; make it shorter", text->origin,
                 text->size, text->most);
    uint64_t count;
    *memory = una_json_memory(text->at, text->size, &count);
    if (count > UNA_JSON_PARTS)
        UNA_FAIL(run, UNA_E_INPUT, "%s has %llu objects, lists and names in its JSON, and at most %d are read; make it "
                 "shorter", text->origin, (unsigned long long)count, UNA_JSON_PARTS);
    return UNA_OK;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

/* Texts up to this size are read even after Ctrl-C: it takes milliseconds, and work that is being finished may need
 * them. */
enum { AT_ONCE = 1 << 16 };

typedef struct feed { const char *at; size_t left; const una_run *run; bool at_once; } feed;

/* Jansson asks for about a kilobyte at a time; -1 makes it give up. */
static size_t next_bytes(void *to, size_t room, void *context)
{
    feed *f = context;
    size_t count = f->left < room ? f->left : room;
    if ((!f->at_once && una_cancelled(f->run))) return (size_t)-1;
    if (count) memcpy(to, f->at, count);
    f->at += count;
    f->left -= count;
    return count;
}

static una_status parse_with_jansson(json_t **root, const una_json_text *text, una_run *run)
{
    json_error_t error;
    feed f = { text->at, text->size, run, text->size <= AT_ONCE };
    *root = json_load_callback(next_bytes, &f, JSON_REJECT_DUPLICATES, &error);
    if ((!f.at_once && una_cancelled(run))) UNA_FAIL(run, UNA_CANCELLED, "interrupted while reading %s", text->origin);
    if (*root) return UNA_OK;
    if (json_error_code(&error) == json_error_out_of_memory)
        UNA_FAIL(run, UNA_E_MEMORY, "%s: there is no memory for its %.3g MB of JSON", text->origin,
                 (double)text->size / 1e6);
    UNA_FAIL(run, UNA_E_INPUT, "%s, line %d, column %d: this is not JSON (%.160s); every name stands "
             "once, in quotes", text->origin, error.line, error.column, error.text);
}

typedef struct counted { json_t *root; uint64_t memory; una_run *run; } counted;

static void end_json(void *what)
{
    counted *json = what;
    json_decref(json->root);
    una_memory_give(json->run, json->memory);
}

una_status una_json_read(json_t **root, const una_json_text *text, una_arena *arena)
{
    uint64_t held, limit, memory = 0;
    una_run *run = arena->run;
    *root = NULL;
    UNA_TRY(check_json_memory(&memory, text, run));
    una_run_limits(run, &limit, NULL);
    UNA_NEW(arena, counted, json, 1);
    if (!una_memory_take(run, memory, &held))
        UNA_FAIL(run, UNA_E_MEMORY, "%s: to read its %.3g MB of JSON may take %.3g MB of memory, %.3g MB with what is "
                 "held already, and only %.3g MB are allowed; make it shorter, or raise the limit", text->origin,
                 (double)text->size / 1e6, (double)memory / 1e6, (double)held / 1e6, (double)limit / 1e6);
    *json = (counted){ .memory = memory, .run = run };
    UNA_TRY(una_arena_at_end(arena, end_json, json));
    una_status status = parse_with_jansson(&json->root, text, run);
    if (status == UNA_OK) *root = json->root;
    return status;
}

una_status una_json_read_file(json_t **root, const char *path, una_arena *arena)
{
    unsigned char *bytes;
    size_t size;
    UNA_TRY(una_slurp(&bytes, &size, path, arena, arena->run));
    return una_json_read(root, &(una_json_text){ (const char *)bytes, size, UNA_JSON_LONG, path }, arena);
}
