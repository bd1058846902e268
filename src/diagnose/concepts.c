/* SPDX-License-Identifier: MIT
 *
 * Files of concepts, and the rows that show them. A file is a list of lines
 *   name: condition            old: days > 28
 *   name: rows LIST            odd ones: rows 3, 17, 20-25
 * with empty lines and # comments, or a JSON object: { "old": "days > 28", "odd ones": [3, 17, 20] }. Rows are counted
 * from 1, as everywhere in una.
 */
#include "diagnose/concepts.h"

#include "base/archive.h"
#include "read/json.h"
#include "read/where.h"

#include <ctype.h>

enum { LONGEST_NAME = 100 };

typedef struct reading {
    una_concepts *out;
    una_concept  *at;                    /* what out shows                                                  */
    una_arena    *keep;                  /* of both                                                         */
    const char   *path;
    size_t        line;                  /* the present one, for messages                                   */
    una_run      *run;
} reading;

/* ---- one concept ------------------------------------------------------------------------------------------ */

static bool is_reserved_name(const char *name)
{
    return strcmp(name, UNA_PART_OTHER) == 0 || strcmp(name, UNA_PART_DISAGREEMENT) == 0 ||
           strcmp(name, UNA_PART_WHOLE) == 0;
}

static una_status check_concept_names(const una_concept *concept, size_t concepts, una_run *run)
{
    for (size_t c = 0; c < concepts; c++) {
        const char *name = concept[c].name;
        if (!name || !*name) UNA_FAIL(run, UNA_E_USAGE, "concept %zu has no name", c + 1);
        if (strlen(name) > LONGEST_NAME)
            UNA_FAIL(run, UNA_E_USAGE, "the name of concept %zu, '%.40s...', is longer than %d letters", c + 1, name,
                     LONGEST_NAME);
        if (is_reserved_name(name))
            UNA_FAIL(run, UNA_E_USAGE, "no concept can be called '%s': parts of ignorance that are no concept's are "
                     "called so; choose another name", name);
        for (size_t other = 0; other < c; other++)
            if (strcmp(concept[other].name, name) == 0)
                UNA_FAIL(run, UNA_E_USAGE, "two concepts are called '%s'; names must differ", name);
    }
    return UNA_OK;
}

/* Puts the place before the message of the run. */
static una_status at_line(const reading *r, una_status status)
{
    char why[sizeof r->run->message];
    memcpy(why, r->run->message, sizeof why);
    if (r->line) return una_fail(r->run, status, "%s, line %zu: %s", r->path, r->line, why);
    return una_fail(r->run, status, "%s: %s", r->path, why);
}

static una_status add_concept(const reading *r, una_concept concept)
{
    if (r->out->count == UNA_MOST_CONCEPTS)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s has more than %d concepts", r->path, UNA_MOST_CONCEPTS);
    if (concept.where) {
        una_where *where;
        una_status status = una_where_parse(&where, concept.where, &r->run->scratch, r->run);
        if (status != UNA_OK) return at_line(r, status == UNA_E_USAGE ? UNA_E_INPUT : status);
    }

    concept.size = sizeof concept;
    r->at[r->out->count++] = concept;
    una_status status = check_concept_names(r->at, r->out->count, r->run);
    return status == UNA_OK ? status : at_line(r, UNA_E_INPUT);
}

/* ---- lines ------------------------------------------------------------------------------------------------ */

static const char *after_blanks(const char *at)
{
    while (*at == ' ' || *at == '\t') at++;
    return at;
}

/* A copy without blanks at its ends. */
static const char *trimmed_copy(const char *from, size_t length, una_arena *arena)
{
    while (length && isspace((unsigned char)*from)) from++, length--;
    while (length && isspace((unsigned char)from[length - 1])) length--;
    char *text = UNA_GET(arena, char, length + 1);
    if (text) memcpy(text, from, length);
    return text;
}

/* A whole number at *at, which moves behind it; 0: there is none. */
static size_t whole_number(const char **at)
{
    size_t number = 0;
    for (; isdigit((unsigned char)**at) && number < (size_t)1 << 48; ++*at) number = 10 * number + (size_t)(**at - '0');
    *at = after_blanks(*at);
    return number;
}

/* "3, 17, 20-25". With row NULL it only counts them; *count SIZE_MAX: the text is no such list. */
static void read_row_list(const char *at, size_t *row, size_t *count)
{
    *count = 0;
    for (at = after_blanks(at);; at = after_blanks(at + 1)) {
        size_t first = whole_number(&at), last = first;
        if (*at == '-') {
            at = after_blanks(at + 1);
            last = whole_number(&at);
        }
        if (first == 0 || last < first || last - first > 100000000) break;
        for (size_t i = first; row && i <= last; i++) row[*count + i - first] = i - 1;
        *count += last - first + 1;              /* added as one number: a long list fails for lack of memory, not of
                                                    time */
        if (!*at) return;
        if (*at != ',') break;
    }
    *count = SIZE_MAX;
}

/* The text after "rows", if this is such a list; a condition has an operator there. */
static const char *row_list(const char *text)
{
    if (strncmp(text, "rows", 4) != 0 || !(text[4] == ' ' || text[4] == '\t')) return NULL;
    text = after_blanks(text + 4);
    return isdigit((unsigned char)*text) ? text : NULL;
}

static una_status read_concept_line(const reading *r, const char *line, size_t length)
{
    una_arena *keep = r->keep;
    const char *colon = memchr(line, ':', length);
    if (!colon)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s, line %zu: there is no colon; a line is a name, a colon and a condition, "
                 "such as 'old: days > 28'", r->path, r->line);
    una_concept concept = { .name = trimmed_copy(line, (size_t)(colon - line), keep),
                            .where = trimmed_copy(colon + 1, length - (size_t)(colon + 1 - line), keep) };
    UNA_TRY(una_arena_check(keep));
    if (!*concept.where)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s, line %zu: nothing stands behind the colon; give a condition such as 'days > "
                 "28', or 'rows 3, 17'", r->path, r->line);

    const char *rows = row_list(concept.where);
    if (!rows) return add_concept(r, concept);
    read_row_list(rows, NULL, &concept.row_count);
    if (concept.row_count == SIZE_MAX)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s, line %zu: '%.60s' is no list of rows; it looks like 'rows 3, 17, 20-25', "
                 "counted from 1", r->path, r->line, concept.where);
    UNA_NEW(keep, size_t, row, concept.row_count);
    read_row_list(rows, row, &concept.row_count);
    concept.rows = row;
    concept.numbered = 1;
    concept.where = NULL;
    return add_concept(r, concept);
}

static una_status read_concept_lines(reading *r, const char *text)
{
    for (const char *line = text; *line; r->line++) {
        size_t length = strcspn(line, "\n");
        const char *first = line + strspn(line, " \t\r");
        if (first < line + length && *first != '#') UNA_TRY(read_concept_line(r, line, length));
        line += length + (line[length] == '\n');
    }
    return UNA_OK;
}

/* ---- JSON ------------------------------------------------------------------------------------------------- */

static una_status read_json_rows(const reading *r, una_concept *concept, const json_t *list_of)
{
    UNA_NEW(r->keep, size_t, row, json_array_size(list_of));
    for (size_t i = 0; i < json_array_size(list_of); i++) {
        const json_t *item = json_array_get(list_of, i);
        if (!json_is_integer(item) || json_integer_value(item) < 1)
            UNA_FAIL(r->run, UNA_E_INPUT, "%s: concept '%.100s': item %zu of its list is no number of a row, which are "
                     "counted from 1", r->path, concept->name, i + 1);
        row[i] = (size_t)json_integer_value(item) - 1;
    }
    concept->rows = row;
    concept->numbered = 1;
    concept->row_count = json_array_size(list_of);
    return UNA_OK;
}

static una_status read_object(const reading *r, json_t *root)
{
    una_arena *keep = r->keep;
    const char *key;
    json_t *value;
    json_object_foreach(root, key, value) {
        una_concept concept = { .name = una_arena_text(keep, key) };
        UNA_TRY(una_arena_check(keep));
        if (json_is_array(value)) UNA_TRY(read_json_rows(r, &concept, value));
        else if (!json_is_string(value))
            UNA_FAIL(r->run, UNA_E_INPUT, "%s: concept '%.100s' is neither a condition such as \"days > 28\" nor a "
                     "list of rows such as [3, 17]", r->path, key);
        else concept.where = una_arena_text(keep, json_string_value(value));
        UNA_TRY(una_arena_check(keep));
        UNA_TRY(add_concept(r, concept));
    }
    return UNA_OK;
}

static una_status read_json(const reading *r, const char *text, size_t size)
{
    json_t *root;
    UNA_TRY(una_json_read(&root, &(una_json_text){ text, size, UNA_JSON_LONG, r->path }, &r->run->scratch));
    return read_object(r, root);
}

/* ---- the file --------------------------------------------------------------------------------------------- */

static una_status read_concept_file(reading *r)
{
    unsigned char *bytes;
    size_t size;
    UNA_TRY(una_slurp(&bytes, &size, r->path, &r->run->scratch, r->run));
    const char *text = (const char *)bytes;
    if (strlen(text) != size)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s is no text: it holds a zero byte; a file of concepts has lines such as 'old: "
                 "days > 28'", r->path);
    UNA_NEW_AT(r->keep, r->at, UNA_MOST_CONCEPTS);
    r->out->at = r->at;

    bool json = text[strspn(text, " \t\r\n")] == '{';
    r->line = json ? 0 : 1;
    UNA_TRY(json ? read_json(r, text, size) : read_concept_lines(r, text));
    if (r->out->count == 0)
        UNA_FAIL(r->run, UNA_E_INPUT, "%s names no concept; its lines are a name, a colon and a condition, such as "
                 "'old: days > 28'", r->path);
    return UNA_OK;
}

una_status una_concepts_read(una_concepts **concepts, const char *path, una_run *run)
{
    *concepts = NULL;
    una_clear_message(run);
    reading r = { .path = path, .run = run };
    r.out = una_result_new(&r.keep, sizeof *r.out, run);
    if (!r.out) return UNA_E_MEMORY;
    una_status status;
    UNA_SCOPED_CALL(status, run, read_concept_file(&r));
    *concepts = una_result_if(status, r.out);
    return status;
}

void una_concepts_free(una_concepts *concepts)
{
    una_result_free(concepts);
}

/* ---- the rows that show them ------------------------------------------------------------------------------ */

/* Rows of the file; some may have been left out of the table. */
static una_status holds_numbered(bool *holds, const una_concept *concept, const una_dataset *data, size_t most,
                                 una_run *run)
{
    UNA_NEW_ROWS(&run->scratch, bool, named, most);
    for (size_t i = 0; i < concept->row_count; i++) named[concept->rows[i]] = true;
    for (size_t r = 0; r < data->rows; r++) {
        size_t number = una_table_number(data, r);
        holds[r] = number <= most && named[number - 1];
    }
    return UNA_OK;
}

static una_status holds_listed(bool *holds, const una_concept *concept, const una_dataset *data, una_run *run)
{
    size_t most = concept->numbered && data->all_rows ? data->all_rows : data->rows;
    for (size_t i = 0; i < concept->row_count; i++)
        if (concept->rows[i] >= most)
            UNA_FAIL(run, UNA_E_INPUT, "concept '%s' names row %zu, and %s has only %zu rows", concept->name,
                     concept->rows[i] + 1, data->origin, most);
    if (concept->numbered) return holds_numbered(holds, concept, data, most, run);
    for (size_t i = 0; i < concept->row_count; i++) holds[concept->rows[i]] = true;
    return UNA_OK;
}

static una_status holds_where(bool *holds, const una_concept *concept, const una_dataset *data, una_run *run)
{
    una_where *where;
    una_status status = una_where_parse(&where, concept->where, &run->scratch, run);
    if (status == UNA_OK) status = una_where_match(holds, where, data, run);
    if (status != UNA_E_INPUT && status != UNA_E_USAGE) return status;

    char why[sizeof run->message];
    memcpy(why, run->message, sizeof why);
    UNA_FAIL(run, status, "concept '%s': %s", concept->name, why);
}

una_status una_concepts_holds(bool *holds, const una_concept *concept, size_t concepts, const una_dataset *data,
                              una_run *run)
{
    UNA_TRY(check_concept_names(concept, concepts, run));
    for (size_t c = 0; c < concepts; c++) {
        bool *own = holds + c * data->rows;
        UNA_SCOPED(run, concept[c].where ? holds_where(own, &concept[c], data, run)
                                         : holds_listed(own, &concept[c], data, run));
        if (!memchr(own, true, data->rows * sizeof *own))
            UNA_FAIL(run, UNA_E_INPUT, "concept '%s' holds in no row of %s; at least one row must show it",
                     concept[c].name, data->origin);
        for (size_t other = 0; other < c; other++)
            if (memcmp(holds + other * data->rows, own, data->rows * sizeof *own) == 0)
                UNA_FAIL(run, UNA_E_INPUT, "concepts '%s' and '%s' hold in the same rows of %s, so nothing tells them "
                         "apart; leave one of them out", concept[other].name, concept[c].name, data->origin);
    }
    return UNA_OK;
}
