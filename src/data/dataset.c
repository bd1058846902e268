/* SPDX-License-Identifier: MIT
 *
 * Tables in memory: from arrays, as rows of other tables, and as one table after another.
 */
#include "base/calendar.h"
#include "data/build.h"
#include "data/images.h"

/* ---- life -------------------------------------------------------------------------------------------- */

static una_status fill_names(una_dataset *data, const char *origin, const char *const *names, size_t columns)
{
    size_t size = 0;
    for (size_t i = 0; i < columns; i++) size += strlen(names[i]) + 1;
    data->origin = una_arena_text(&data->arena, origin);
    UNA_NEW_AT(&data->arena, data->column, columns);
    UNA_NEW(&data->arena, const char *, name, columns);
    UNA_NEW(&data->arena, char, text, size);
    for (size_t i = 0; i < columns; i++) {
        size_t length = strlen(names[i]) + 1;
        data->column[i].name = name[i] = memcpy(text, names[i], length);
        text += length;
    }
    data->columns = columns;
    return una_names_index(&data->names, name, columns, &data->arena);
}

una_status una_table_new(una_dataset **out, const char *origin, const char *const *names, size_t columns, una_run *run)
{
    una_dataset *data = *out = una_allocate(run, sizeof *data);
    if (!data) return UNA_E_MEMORY;
    *data = (una_dataset){ .run = run, .unit = "line", .row_step = 1 };
    una_arena_init(&data->arena, run);
    return una_table_give(out, fill_names(data, origin, names, columns));
}

una_status una_table_give(una_dataset **data, una_status status)
{
    if (status != UNA_OK) una_dataset_free(*data);
    if (status != UNA_OK) *data = NULL;
    return status;
}

una_status una_table_cells(una_dataset *data)
{
    if (data->rows > SIZE_MAX / 4 / sizeof(una_build_cell))
        UNA_FAIL(data->run, UNA_E_MEMORY, "%zu rows are beyond any memory", data->rows);
    size_t size = (data->rows + 7) / 8 * 8 * sizeof(una_build_cell);     /* of a column */
    unsigned char *at = una_arena_get_rows(&data->arena, data->columns, size);
    UNA_TRY(una_arena_check(&data->arena));
    for (size_t c = 0; c < data->columns; c++, at += size) {
        una_table_column *column = &data->column[c];
        if (column->is_text) column->word = (const char **)(void *)at;
        else column->number = (double *)(void *)at;
    }
    return UNA_OK;
}

void una_dataset_free(una_dataset *data)
{
    if (!data) return;
    una_run *run = data->run;
    una_images_let_go(data->images);
    una_arena_free(&data->arena);
    una_release(run, data);
}

/* ---- from arrays --------------------------------------------------------------------------------------- */

typedef struct array_column {    /* numbers, each `step` from the last, or words                    */
    const double      *number;
    size_t             step;
    const char *const *word;
} array_column;

/* "x1", "x2" ... and "y" where none are given. */
static una_status make_names(const char ***out, size_t inputs, size_t columns, const char *const *given, una_run *run)
{
    UNA_NEW(&run->scratch, const char *, names, columns);
    for (size_t i = 0; i < columns; i++) {
        if (given && !(given[i] && *given[i])) UNA_FAIL(run, UNA_E_USAGE, "column %zu of the array has no name", i + 1);
        una_text name = una_text_in(&run->scratch);
        if (given) una_text_add(&name, "%s", given[i]);
        else if (i < inputs) una_text_add(&name, "x%zu", i + 1);
        else una_text_add(&name, "y");
        names[i] = name.at;
    }
    UNA_TRY(una_arena_check(&run->scratch));

    size_t first, second;
    UNA_TRY(una_names_repeated(&first, &second, names, columns, run));
    if (second)
        UNA_FAIL(run, UNA_E_USAGE, "two columns of the array have the name '%.60s': %zu and %zu", names[first],
                 first + 1, second + 1);
    *out = names;
    return UNA_OK;
}

/* What to show where a number was expected: the first word that is no number, or else the first word. */
static size_t first_word(const una_table_column *column, size_t rows)
{
    size_t first = SIZE_MAX;
    for (size_t i = 0; i < rows; i++) {
        double value;
        if (!column->word[i]) continue;
        if (!una_parse_number(column->word[i], strlen(column->word[i]), &value)) return i;
        if (first == SIZE_MAX) first = i;
    }
    return first == SIZE_MAX ? 0 : first;
}

/* Each word once, however often it stands in the column. */
static una_status copy_array(una_dataset *data, size_t c, const array_column *from, una_words *words)
{
    una_table_column *to = &data->column[c];
    for (size_t i = 0; i < data->rows && to->is_text; i++) {
        const char *word = from->word[i];
        to->word[i] = word && *word ? una_words_get(words, word, strlen(word)) : NULL;
    }
    UNA_TRY(una_arena_check(words->keep));
    UNA_TRY(una_arena_check(words->work));
    if (to->is_text) to->first_word = first_word(to, data->rows);
    for (size_t i = 0; i < data->rows && !to->is_text; i++) {
        to->number[i] = from->number[i * from->step];
        if (isinf(to->number[i]))
            UNA_FAIL(data->run, UNA_E_INPUT, "array, row %zu, column '%.60s' is infinite; correct it, or give NaN for "
                     "a missing value", i + 1, to->name);
    }
    return UNA_OK;
}

/* What is taken from a caller's arrays: x [rows, inputs] and y [rows], or columns of numbers and of words. */
typedef struct arrays {
    const double *x, *y;
    const double *const *numbers;
    const char *const *const *words;
    size_t inputs, columns;
} arrays;

static array_column array_column_at(const arrays *a, size_t c)
{
    if (a->x && c < a->inputs) return (array_column){ a->x + c, a->inputs, NULL };
    if (a->y) return (array_column){ a->y, 1, NULL };
    bool number = a->numbers && a->numbers[c];
    return (array_column){ number ? a->numbers[c] : NULL, 1, number ? NULL : a->words[c] };
}

static una_status table_of(una_dataset **data, const arrays *a, size_t rows, const char *const *given, una_run *run)
{
    const char **names = NULL;
    UNA_TRY(make_names(&names, a->inputs, a->columns, given, run));
    UNA_TRY(una_table_new(data, "array", names, a->columns, run));
    una_words words = una_words_in(&(*data)->arena, &run->scratch);
    (*data)->rows = rows;
    (*data)->unit = "row";
    for (size_t c = 0; c < a->columns; c++) (*data)->column[c].is_text = !array_column_at(a, c).number;
    UNA_TRY(una_table_cells(*data));
    for (size_t c = 0; c < a->columns; c++) {
        array_column from = array_column_at(a, c);
        if (a->numbers || a->words) UNA_TRY(una_check_cancelled(run, "making a table"));
        UNA_TRY(copy_array(*data, c, &from, &words));
    }
    return UNA_OK;
}

una_status una_dataset_from_arrays(una_dataset **data, const double *x, const double *y, size_t rows, size_t inputs,
                                   const char *const *names, una_run *run)
{
    arrays a = { .x = x, .y = y, .inputs = inputs, .columns = inputs + (y ? 1 : 0) };
    *data = NULL;
    if (rows == 0) UNA_FAIL(run, UNA_E_INPUT, "the array has no rows");
    if (inputs == 0 && !y) UNA_FAIL(run, UNA_E_INPUT, "the array has no columns");
    if (inputs > 0 && !x) UNA_FAIL(run, UNA_E_USAGE, "x must not be NULL where there are inputs");
    UNA_SCOPED(run, una_table_give(data, table_of(data, &a, rows, names, run)));
    return UNA_OK;
}

una_status una_dataset_from_columns(una_dataset **data, const char *const *names, const double *const *numbers,
                                    const char *const *const *words, size_t columns, size_t rows, una_run *run)
{
    arrays a = { .numbers = numbers, .words = words, .inputs = columns, .columns = columns };
    *data = NULL;
    if (rows == 0) UNA_FAIL(run, UNA_E_INPUT, "the columns have no rows");
    if (columns == 0) UNA_FAIL(run, UNA_E_INPUT, "there are no columns");
    for (size_t c = 0; c < columns; c++)
        if (!(numbers && numbers[c]) && !(words && words[c]))
            UNA_FAIL(run, UNA_E_USAGE, "column %zu has neither numbers nor words", c + 1);
    UNA_SCOPED(run, una_table_give(data, table_of(data, &a, rows, names, run)));
    return UNA_OK;
}

/* ---- notes --------------------------------------------------------------------------------------------------- */

una_status una_table_add_note(una_dataset *data, una_table_notes *to, una_table_note note)
{
    note.text = una_arena_text(&data->arena, note.text);
    if ((to->count & (to->count - 1)) == 0) {
        UNA_NEW(&data->arena, una_table_note, larger, to->count ? 2 * to->count : 1);
        if (to->count) memcpy(larger, to->at, to->count * sizeof *larger);
        to->at = larger;
    }
    UNA_TRY(una_arena_check(&data->arena));
    to->at[to->count++] = note;
    return UNA_OK;
}

una_status una_table_add_sentence(una_dataset *data, size_t column, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    una_write_textv(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return una_table_add_note(data, &data->notes, (una_table_note){ column, 0, sentence });
}

/* The same note about the column of this name in another table; false: it has none. */
static bool column_in_other_table(una_table_note *note, const una_dataset *to, const una_dataset *from)
{
    if (note->column == SIZE_MAX) return true;
    const char *name = from->column[note->column].name;
    bool same = note->column < to->columns && strcmp(to->column[note->column].name, name) == 0;
    if (!same) note->column = una_table_find(to, name);
    return note->column != SIZE_MAX;
}

/* Copies notes that are not there yet: seen [to->columns + 1] has the first notes as bits 1 << way for each column and,
 * the last, for the file; ways of 0 are none. */
una_status una_table_copy_notes(una_dataset *to, const una_dataset *from)
{
    UNA_NEW(&to->run->scratch, uint32_t, seen, to->columns + 1);
    for (size_t i = 0; i < to->notes.count; i++) {
        const una_table_note *note = &to->notes.at[i];
        if (note->way) seen[note->column == SIZE_MAX ? to->columns : note->column] |= (uint32_t)1 << note->way;
    }
    for (size_t i = 0; i < from->notes.count; i++) {
        una_table_note note = from->notes.at[i];
        if (!column_in_other_table(&note, to, from)) continue;
        if (seen[note.column == SIZE_MAX ? to->columns : note.column] >> note.way & 1) continue;
        UNA_TRY(una_table_add_note(to, &to->notes, note));
    }
    for (size_t i = 0; i < from->doubts.count; i++) {
        una_table_note doubt = from->doubts.at[i];
        if (column_in_other_table(&doubt, to, from)) UNA_TRY(una_table_add_note(to, &to->doubts, doubt));
    }
    for (size_t c = 0; c < from->columns; c++) {
        size_t at = from->column[c].form.kind == UNA_CELLS_PLAIN ? SIZE_MAX : una_table_find(to, from->column[c].name);
        if (at != SIZE_MAX) to->column[at].form = from->column[c].form;
    }
    return UNA_OK;
}

/* ---- rows of another table ------------------------------------------------------------------------------ */

/* Cells [count] of rows index (NULL: the first ones) from cell `at` on. Where the types differ, a column without values
 * became one of the other type. */
static void copy_cells(una_table_column *to, size_t at, const una_table_column *from, const size_t *index, size_t count,
                       una_words *words)
{
    const char *last = NULL, *copy = NULL;
    for (size_t i = 0; i < count; i++) {
        size_t row = index ? index[i] : i;
        const char *word = from->is_text ? from->word[row] : NULL;
        if (!to->is_text) {
            to->number[at + i] = from->is_text ? NAN : from->number[row];
            continue;
        }
        if (word && word != last) copy = una_words_get(words, last = word, strlen(word));
        to->word[at + i] = word ? copy : NULL;
    }
}

/* The sources of a table; how many they are. */
static size_t copy_sources(una_table_source *to, const una_dataset *from, una_arena *arena)
{
    size_t count = from->source ? from->sources : 1;
    for (size_t s = 0; s < count; s++) {
        to[s] = from->source ? from->source[s] : una_table_source_of(from, 0);
        to[s].origin = una_arena_text(arena, to[s].origin);
    }
    return count;
}

/* The rows keep their places in the file or array. */
static una_status gather_places(una_dataset *to, const una_dataset *from, const size_t *index, size_t count)
{
    bool text = from->line && strcmp(from->unit, "line") == 0;
    to->unit = from->line ? from->unit : "row";
    to->all_rows = from->all_rows ? from->all_rows : from->rows;
    to->line = UNA_GET_ROWS(&to->arena, size_t, count);
    to->number = text || from->source ? UNA_GET_ROWS(&to->arena, size_t, count) : NULL;
    uint32_t *source = from->source ? UNA_GET_ROWS(&to->arena, uint32_t, count) : NULL;
    una_table_source *sources = from->source ? UNA_GET(&to->arena, una_table_source, from->sources) : NULL;
    UNA_TRY(una_arena_check(&to->arena));
    for (size_t i = 0; i < count; i++) {
        size_t number = una_table_number(from, index[i]);
        to->line[i] = from->line ? from->line[index[i]] : number;
        if (to->number) to->number[i] = number;
        if (source) source[i] = from->from[index[i]];
    }
    to->from = source;
    to->source = sources;
    if (sources) to->sources = copy_sources(sources, from, &to->arena);
    return una_arena_check(&to->arena);
}

/* An empty table with the columns and images of another. */
static una_status begin_like(una_dataset **out, const char *origin, const una_dataset *like, size_t rows, una_run *run)
{
    UNA_NEW(&run->scratch, const char *, names, like->columns);
    for (size_t c = 0; c < like->columns; c++) names[c] = like->column[c].name;
    UNA_TRY(una_table_new(out, origin, names, like->columns, run));
    (*out)->rows = rows;
    (*out)->images = una_images_hold(like->images);
    (*out)->image_column = like->image_column;
    return UNA_OK;
}

/* Rows of a table, index NULL: the first ones. */
typedef struct part { const una_dataset *from; const size_t *index; size_t rows; } part;

/* Fills the cells with those of the parts, one after another, and copies their notes. Names and their order are those
 * of the first part. */
static una_status fill_from_parts(una_dataset *to, const part *parts, size_t count, const char *stage, una_run *run)
{
    una_words words = una_words_in(&to->arena, &run->scratch);
    UNA_TRY(una_table_cells(to));
    for (size_t c = 0; c < to->columns; c++) {
        una_table_column *column = &to->column[c];
        UNA_TRY(una_check_cancelled(run, stage));
        for (size_t p = 0, at = 0; p < count; at += parts[p++].rows) {
            const una_dataset *from = parts[p].from;
            const una_table_column *own = &from->column[p ? una_table_find(from, column->name) : c];
            copy_cells(column, at, own, parts[p].index, parts[p].rows, &words);
        }
        UNA_TRY(una_arena_check(&to->arena));
        UNA_TRY(una_arena_check(&run->scratch));
        if (column->is_text) column->first_word = first_word(column, to->rows);
    }
    for (size_t p = count; p-- > 0;) UNA_TRY(una_table_copy_notes(to, parts[p].from));
    return UNA_OK;
}

static una_status gather_rows(una_dataset **subset, const una_dataset *from, const size_t *index, size_t count,
                              una_run *run)
{
    UNA_TRY(begin_like(subset, from->origin, from, count, run));
    UNA_TRY(gather_places(*subset, from, index, count));
    for (size_t c = 0; c < from->columns; c++) (*subset)->column[c].is_text = from->column[c].is_text;
    return fill_from_parts(*subset, &(part){ from, index, count }, 1, "choosing rows", run);
}

una_status una_dataset_rows(una_dataset **subset, const una_dataset *data, const size_t *index, size_t count,
                            una_run *run)
{
    *subset = NULL;
    for (size_t i = 0; i < count; i++)
        if (index[i] >= data->rows)
            UNA_FAIL(run, UNA_E_USAGE, "row %zu was asked for, and %s has %zu (counted from 0)", index[i], data->origin,
                     data->rows);
    UNA_SCOPED(run, una_table_give(subset, gather_rows(subset, data, index, count, run)));
    return UNA_OK;
}

/* ---- one table after another ---------------------------------------------------------------------------- */

/* A column without any value has no type: it takes that of its partner. */
static bool holds_values(const una_table_column *column, size_t rows)
{
    size_t row = 0;
    while (row < rows && una_table_is_missing(column, row)) row++;
    return row < rows;
}

static una_status check_types(const una_table_column *first, const una_dataset *a, const una_table_column *second,
                              const una_dataset *b, una_run *run)
{
    if (!holds_values(first, a->rows) || !holds_values(second, b->rows)) return UNA_OK;
    bool dates = first->form.kind == UNA_CELLS_DATE, times = first->form.kind == UNA_CELLS_TIME;
    if (dates != (second->form.kind == UNA_CELLS_DATE) || times != (second->form.kind == UNA_CELLS_TIME))
        UNA_FAIL(run, UNA_E_INPUT, "the column '%.60s' holds dates or times in one of %.200s and %.200s alone; write "
                 "it the same way in both", first->name, a->origin, b->origin);
    if (first->is_text == second->is_text) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "the column '%.60s' holds words in %.200s and numbers in %.200s; put the rows of both "
             "into one file", first->name, first->is_text ? a->origin : b->origin,
             first->is_text ? b->origin : a->origin);
}

/* Each row keeps the place that it has in its own file. */
static una_status join_places(una_dataset *to, const una_dataset *const joined[2])
{
    size_t at = 0;
    UNA_NEW(&to->arena, una_table_source, source, joined[0]->sources + joined[1]->sources + 2);
    UNA_NEW_ROWS(&to->arena, uint32_t, from, to->rows);
    UNA_NEW_ROWS_AT(&to->arena, to->line, to->rows);
    UNA_NEW_ROWS_AT(&to->arena, to->number, to->rows);
    for (int p = 0; p < 2; p++) {
        size_t first = to->sources;
        to->sources += copy_sources(source + first, joined[p], &to->arena);
        for (size_t i = 0; i < joined[p]->rows; i++, at++) {
            to->number[at] = una_table_number(joined[p], i);
            to->line[at] = joined[p]->line ? joined[p]->line[i] : to->number[at];
            from[at] = (uint32_t)(first + (joined[p]->source ? joined[p]->from[i] : 0));
        }
    }
    to->source = source;
    to->from = from;
    return una_arena_check(&to->arena);
}

static una_status join_tables(una_dataset **joined, const una_dataset *a, const una_dataset *b, una_run *run)
{
    una_text origin = una_text_in(&run->scratch);
    una_text_add(&origin, "%s and %s", a->origin, b->origin);
    UNA_TRY(begin_like(joined, origin.at, a, a->rows + b->rows, run));
    una_dataset *to = *joined;
    UNA_TRY(join_places(to, (const una_dataset *[]){ a, b }));
    if (!una_images_same(a->images, b->images))
        UNA_FAIL(run, UNA_E_USAGE, "the rows of %.200s and %.200s do not name images of one file", a->origin,
                 b->origin);
    for (size_t c = 0; c < a->columns; c++) {
        size_t partner;
        UNA_TRY(una_table_need(&partner, b, a->column[c].name, run));
        const una_table_column *first = &a->column[c], *second = &b->column[partner];
        UNA_TRY(check_types(first, a, second, b, run));
        to->column[c].is_text = (first->is_text && holds_values(first, a->rows)) ||
                                (second->is_text && holds_values(second, b->rows));
    }
    return fill_from_parts(to, (part[]){ { a, NULL, a->rows }, { b, NULL, b->rows } }, 2, "joining tables", run);
}

una_status una_dataset_join(una_dataset **joined, const una_dataset *a, const una_dataset *b, una_run *run)
{
    *joined = NULL;
    una_clear_message(run);
    UNA_SCOPED(run, una_table_give(joined, join_tables(joined, a, b, run)));
    return UNA_OK;
}

/* ---- looking --------------------------------------------------------------------------------------------- */

size_t una_dataset_row_count(const una_dataset *data)
{
    return data->rows;
}

size_t una_dataset_column_count(const una_dataset *data)
{
    return data->columns;
}

const char *una_dataset_column_name(const una_dataset *data, size_t column)
{
    return column < data->columns ? data->column[column].name : NULL;
}

const char *una_dataset_origin(const una_dataset *data)
{
    return data->origin;
}

una_status una_dataset_find(size_t *column, const una_dataset *data, const char *name, una_run *run)
{
    una_clear_message(run);
    return una_table_need(column, data, name, run);
}

const double *una_dataset_numbers(const una_dataset *data, size_t column)
{
    return column < data->columns ? data->column[column].number : NULL;
}

const char *una_dataset_date(char text[32], const una_dataset *data, size_t column, size_t row)
{
    if (column >= data->columns || row >= data->rows) return NULL;
    const una_table_column *c = &data->column[column];
    una_date_writer *date = c->is_text ? NULL : una_date_writer_of(c->form.kind);
    return date ? date(text, c->number[row]) : NULL;
}

const char *const *una_dataset_words(const una_dataset *data, size_t column)
{
    return column < data->columns ? data->column[column].word : NULL;
}

size_t una_table_find(const una_dataset *data, const char *name)
{
    return una_names_find(&data->names, name);
}

una_status una_table_need(size_t *column, const una_dataset *data, const char *name, una_run *run)
{
    return una_names_need(column, &data->names, data->origin, name, run);
}

una_status una_table_drop(una_dataset *own, const bool *out)
{
    size_t kept = 0, image = own->image_column;
    UNA_NEW(&own->arena, const char *, name, own->columns);
    for (size_t c = 0; c < own->columns; c++) {
        if (out[c]) continue;
        if (own->images && c == own->image_column) image = kept;
        name[kept] = own->column[c].name;
        own->column[kept++] = own->column[c];
    }
    own->image_column = image;
    own->columns = kept;
    return una_names_index(&own->names, name, kept, &own->arena);
}
