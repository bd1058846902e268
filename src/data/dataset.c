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
    *out = NULL;
    una_dataset *data = una_allocate(run, sizeof *data);
    if (!data) return UNA_E_MEMORY;
    *data = (una_dataset){ .run = run, .unit = "line", .row_step = 1 };
    una_arena_init(&data->arena, run);
    una_status status = fill_names(data, origin, names, columns);
    if (status == UNA_OK) *out = data;
    else una_dataset_free(data);
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

static una_status make_names(const char ***out, size_t inputs, bool target, const char *const *given, una_run *run)
{
    size_t columns = inputs + target;
    const char **names = UNA_GET(&run->scratch, const char *, columns);
    for (size_t i = 0; i < columns && !run->scratch.failed; i++) {
        if (given && !(given[i] && *given[i])) UNA_FAIL(run, UNA_E_USAGE, "column %zu of the array has no name", i + 1);
        una_text name = una_text_in(&run->scratch);
        if (given) una_text_add(&name, "%s", given[i]);
        else if (i < inputs) una_text_add(&name, "x%zu", i + 1);
        else una_text_add(&name, "y");
        names[i] = name.at;
    }
    UNA_TRY(una_arena_check(&run->scratch));

    bool repeated;
    size_t first = 0, second = 0;
    UNA_TRY(una_names_repeated(&repeated, &first, &second, names, columns, run));
    if (repeated)
        UNA_FAIL(run, UNA_E_USAGE, "two columns of the array have the name '%.60s': %zu and %zu", names[first],
                 first + 1, second + 1);

    *out = names;
    return UNA_OK;
}

static una_status copy_column(una_dataset *data, size_t c, const double *from, size_t step, size_t rows)
{
    double *number = data->column[c].number;
    for (size_t i = 0; i < rows; i++) {
        number[i] = from[i * step];
        if (isinf(number[i]))
            UNA_FAIL(data->run, UNA_E_INPUT,
                     "array, row %zu, column '%.60s' is infinite; correct it, or give NaN for a "
                     "missing value",
                     i + 1, data->column[c].name);
    }
    return UNA_OK;
}

static una_status copy_arrays(una_dataset *data, const double *x, const double *y, size_t rows, size_t inputs)
{
    data->rows = rows;
    data->unit = "row";
    UNA_TRY(una_table_cells(data));
    for (size_t c = 0; c < inputs; c++) UNA_TRY(copy_column(data, c, x + c, inputs, rows));
    return y ? copy_column(data, inputs, y, 1, rows) : UNA_OK;
}

una_status una_dataset_from_arrays(una_dataset **data, const double *x, const double *y, size_t rows, size_t inputs,
                                   const char *const *names, una_run *run)
{
    *data = NULL;
    if (rows == 0) UNA_FAIL(run, UNA_E_INPUT, "the array has no rows");
    if (inputs == 0 && !y) UNA_FAIL(run, UNA_E_INPUT, "the array has no columns");
    if (inputs > 0 && !x) UNA_FAIL(run, UNA_E_USAGE, "x must not be NULL where there are inputs");

    una_mark mark = una_arena_mark(&run->scratch);
    const char **all = NULL;
    una_status status = make_names(&all, inputs, y != NULL, names, run);
    if (status == UNA_OK) status = una_table_new(data, "array", all, inputs + (y ? 1 : 0), run);
    una_arena_release(&run->scratch, mark);
    if (status == UNA_OK) status = copy_arrays(*data, x, y, rows, inputs);

    if (status == UNA_OK) return UNA_OK;
    una_dataset_free(*data);
    *data = NULL;
    return status;
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
static una_status copy_words(una_table_column *to, const char *const *from, size_t rows, una_words *words)
{
    for (size_t i = 0; i < rows; i++)
        to->word[i] = from[i] && *from[i] ? una_words_get(words, from[i], strlen(from[i])) : NULL;
    UNA_TRY(una_arena_check(words->keep));
    UNA_TRY(una_arena_check(words->work));
    to->first_word = first_word(to, rows);
    return UNA_OK;
}

static una_status copy_columns(una_dataset *data, const double *const *numbers, const char *const *const *words,
                               una_arena *work)
{
    una_words known = una_words_in(&data->arena, work);
    data->unit = "row";
    for (size_t c = 0; c < data->columns; c++) data->column[c].is_text = !(numbers && numbers[c]);
    UNA_TRY(una_table_cells(data));
    for (size_t c = 0; c < data->columns; c++) {
        UNA_TRY(una_check_cancelled(data->run, "making a table"));
        if (data->column[c].is_text) UNA_TRY(copy_words(&data->column[c], words[c], data->rows, &known));
        else UNA_TRY(copy_column(data, c, numbers[c], 1, data->rows));
    }
    return UNA_OK;
}

una_status una_dataset_from_columns(una_dataset **data, const char *const *names, const double *const *numbers,
                                    const char *const *const *words, size_t columns, size_t rows, una_run *run)
{
    *data = NULL;
    if (rows == 0) UNA_FAIL(run, UNA_E_INPUT, "the columns have no rows");
    if (columns == 0) UNA_FAIL(run, UNA_E_INPUT, "there are no columns");
    for (size_t c = 0; c < columns; c++)
        if (!(numbers && numbers[c]) && !(words && words[c]))
            UNA_FAIL(run, UNA_E_USAGE, "column %zu has neither numbers nor words", c + 1);

    una_mark mark = una_arena_mark(&run->scratch);
    const char **all = NULL;
    una_status status = make_names(&all, columns, false, names, run);
    if (status == UNA_OK) status = una_table_new(data, "array", all, columns, run);
    if (status == UNA_OK) {
        (*data)->rows = rows;
        status = copy_columns(*data, numbers, words, &run->scratch);
    }
    una_arena_release(&run->scratch, mark);

    if (status == UNA_OK) return UNA_OK;
    una_dataset_free(*data);
    *data = NULL;
    return status;
}

/* ---- notes --------------------------------------------------------------------------------------------------- */

/* One more; its text is copied. The array is as large as the next power of two. */
static una_status add_to(una_dataset *data, una_table_note **list, size_t *count, una_table_note note)
{
    note.text = una_arena_text(&data->arena, note.text);
    if ((*count & (*count - 1)) == 0) {
        UNA_NEW(&data->arena, una_table_note, larger, *count ? 2 * *count : 1);
        if (*count) memcpy(larger, *list, *count * sizeof *larger);
        *list = larger;
    }
    UNA_TRY(una_arena_check(&data->arena));
    (*list)[(*count)++] = note;
    return UNA_OK;
}

una_status una_table_add_note(una_dataset *data, una_table_note note)
{
    return add_to(data, &data->note, &data->notes, note);
}

una_status una_table_add_doubt(una_dataset *data, una_table_note doubt)
{
    return add_to(data, &data->doubt, &data->doubts, doubt);
}

una_status una_table_add_sentence(una_dataset *data, size_t column, const char *format, ...)
{
    char sentence[1024];
    va_list arguments;
    va_start(arguments, format);
    una_write_textv(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return una_table_add_note(data, (una_table_note){ column, 0, sentence });
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

/* The first notes, as bits 1 << way for each column and, the last, for the file; ways of 0 are none. */
static una_status ways_known(uint32_t **known, const una_dataset *data, una_arena *work)
{
    *known = UNA_GET(work, uint32_t, data->columns + 1);
    UNA_TRY(una_arena_check(work));
    for (size_t i = 0; i < data->notes; i++) {
        const una_table_note *note = &data->note[i];
        size_t at = note->column == SIZE_MAX ? data->columns : note->column;
        if (note->way) (*known)[at] |= (uint32_t)1 << note->way;
    }
    return UNA_OK;
}

static una_status remember_notes(una_dataset *to, const una_dataset *from, una_arena *work)
{
    uint32_t *known;
    UNA_TRY(ways_known(&known, to, work));
    for (size_t i = 0; i < from->notes; i++) {
        una_table_note note = from->note[i];
        if (!column_in_other_table(&note, to, from)) continue;
        if (known[note.column == SIZE_MAX ? to->columns : note.column] >> note.way & 1) continue;
        UNA_TRY(una_table_add_note(to, note));
    }
    return UNA_OK;
}

una_status una_table_copy_notes(una_dataset *to, const una_dataset *from)
{
    una_arena *work = &to->run->scratch;
    una_mark mark = una_arena_mark(work);
    una_status status = remember_notes(to, from, work);
    una_arena_release(work, mark);
    UNA_TRY(status);
    for (size_t i = 0; i < from->doubts; i++) {
        una_table_note doubt = from->doubt[i];
        if (column_in_other_table(&doubt, to, from)) UNA_TRY(una_table_add_doubt(to, doubt));
    }
    for (size_t c = 0; c < from->columns; c++) {
        size_t at = from->column[c].form.kind == UNA_CELLS_PLAIN ? SIZE_MAX : una_table_find(to, from->column[c].name);
        if (at != SIZE_MAX) to->column[at].form = from->column[c].form;
    }
    return UNA_OK;
}

/* ---- rows of another table ------------------------------------------------------------------------------ */

static void gather_words(una_table_column *to, const una_table_column *from, const size_t *index, size_t count,
                         una_words *words)
{
    const char *last = NULL, *copy = NULL;
    for (size_t i = 0; i < count; i++) {
        const char *word = from->word[index[i]];
        if (word && word != last) {
            last = word;
            copy = una_words_get(words, word, strlen(word));
        }
        to->word[i] = word ? copy : NULL;
    }
}

static una_status copy_sources(una_dataset *to, const una_dataset *from)
{
    una_table_source *source = UNA_GET(&to->arena, una_table_source, from->sources);
    for (size_t s = 0; source && s < from->sources; s++) {
        source[s] = from->source[s];
        source[s].origin = una_arena_text(&to->arena, from->source[s].origin);
    }
    to->source = source;
    to->sources = from->sources;
    return una_arena_check(&to->arena);
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
    UNA_TRY(una_arena_check(&to->arena));
    for (size_t i = 0; i < count; i++) {
        size_t number = una_table_number(from, index[i]);
        to->line[i] = from->line ? from->line[index[i]] : number;
        if (to->number) to->number[i] = number;
    }
    for (size_t i = 0; source && i < count; i++) source[i] = from->from[index[i]];
    to->from = source;
    return source ? copy_sources(to, from) : UNA_OK;
}

static una_status gather_rows(una_dataset *to, const una_dataset *from, const size_t *index, size_t count,
                              una_arena *work)
{
    una_words words = una_words_in(&to->arena, work);
    to->rows = count;
    to->images = una_images_hold(from->images);
    to->image_column = from->image_column;
    UNA_TRY(gather_places(to, from, index, count));
    for (size_t c = 0; c < from->columns; c++) to->column[c].is_text = from->column[c].is_text;
    UNA_TRY(una_table_cells(to));

    for (size_t c = 0; c < from->columns; c++) {
        una_table_column *column = &to->column[c];
        const una_table_column *source = &from->column[c];
        UNA_TRY(una_check_cancelled(to->run, "choosing rows"));
        if (column->is_text) gather_words(column, source, index, count, &words);
        else for (size_t i = 0; i < count; i++) column->number[i] = source->number[index[i]];
        UNA_TRY(una_arena_check(&to->arena));
        UNA_TRY(una_arena_check(work));
        if (column->is_text) column->first_word = first_word(column, count);
    }
    UNA_TRY(una_table_copy_notes(to, from));
    return UNA_OK;
}

una_status una_dataset_rows(una_dataset **subset, const una_dataset *data, const size_t *index, size_t count,
                            una_run *run)
{
    *subset = NULL;
    for (size_t i = 0; i < count; i++)
        if (index[i] >= data->rows)
            UNA_FAIL(run, UNA_E_USAGE, "row %zu was asked for, and %s has %zu (counted from 0)", index[i], data->origin,
                     data->rows);

    una_mark mark = una_arena_mark(&run->scratch);
    const char **names = UNA_GET(&run->scratch, const char *, data->columns);
    una_status status = una_arena_check(&run->scratch);
    for (size_t c = 0; status == UNA_OK && c < data->columns; c++) names[c] = data->column[c].name;
    if (status == UNA_OK) status = una_table_new(subset, data->origin, names, data->columns, run);
    if (status == UNA_OK) status = gather_rows(*subset, data, index, count, &run->scratch);
    una_arena_release(&run->scratch, mark);

    if (status == UNA_OK) return UNA_OK;
    una_dataset_free(*subset);
    *subset = NULL;
    return status;
}

/* ---- one table after another ---------------------------------------------------------------------------- */

/* A column without any value has no type: it takes that of its partner. */
static bool holds_values(const una_table_column *column, size_t rows)
{
    bool any = false;
    for (size_t i = 0; i < rows && !any; i++)
        any = column->is_text ? column->word[i] != NULL : !isnan(column->number[i]);
    return any;
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

static void append_column(una_table_column *to, const una_table_column *from, size_t at, size_t rows, una_words *words)
{
    for (size_t i = 0; i < rows; i++) {
        if (!to->is_text) to->number[at + i] = from->is_text ? NAN : from->number[i];
        else if (from->is_text && from->word[i])
            to->word[at + i] = una_words_get(words, from->word[i], strlen(from->word[i]));
    }
}

static void append_sources(una_table_source *source, uint32_t *index, const una_dataset *from, size_t first,
                           una_arena *arena)
{
    size_t count = from->source ? from->sources : 1;
    for (size_t s = 0; s < count; s++) {
        source[first + s] = from->source ? from->source[s] : una_table_source_of(from, 0);
        source[first + s].origin = una_arena_text(arena, source[first + s].origin);
    }
    for (size_t i = 0; i < from->rows; i++) index[i] = (uint32_t)(first + (from->source ? from->from[i] : 0));
}

static void append_places(una_dataset *to, size_t at, const una_dataset *from)
{
    for (size_t i = 0; i < from->rows; i++) {
        to->number[at + i] = una_table_number(from, i);
        to->line[at + i] = from->line ? from->line[i] : to->number[at + i];
    }
}

/* Each row keeps the place that it has in its own file. */
static una_status join_places(una_dataset *to, const una_dataset *a, const una_dataset *b)
{
    size_t first = a->source ? a->sources : 1;
    to->sources = first + (b->source ? b->sources : 1);
    UNA_NEW(&to->arena, una_table_source, source, to->sources);
    UNA_NEW_ROWS(&to->arena, uint32_t, from, to->rows);
    UNA_NEW_ROWS_AT(&to->arena, to->line, to->rows);
    UNA_NEW_ROWS_AT(&to->arena, to->number, to->rows);
    append_sources(source, from, a, 0, &to->arena);
    append_sources(source, from + a->rows, b, first, &to->arena);
    append_places(to, 0, a);
    append_places(to, a->rows, b);
    to->source = source;
    to->from = from;
    return una_arena_check(&to->arena);
}

static una_status append_rows(una_dataset *to, const una_dataset *a, const una_dataset *b, una_arena *work)
{
    una_words words = una_words_in(&to->arena, work);
    to->rows = a->rows + b->rows;
    UNA_TRY(join_places(to, a, b));
    if (!una_images_same(a->images, b->images))
        UNA_FAIL(to->run, UNA_E_USAGE, "the rows of %.200s and %.200s do not name images of one file", a->origin,
                 b->origin);
    to->images = una_images_hold(a->images);
    to->image_column = a->image_column;

    for (size_t c = 0; c < a->columns; c++) {
        size_t partner;
        UNA_TRY(una_table_need(&partner, b, a->column[c].name, to->run));
        const una_table_column *first = &a->column[c], *second = &b->column[partner];
        UNA_TRY(check_types(first, a, second, b, to->run));
        to->column[c].is_text = (first->is_text && holds_values(first, a->rows)) ||
                                (second->is_text && holds_values(second, b->rows));
    }
    UNA_TRY(una_table_cells(to));

    for (size_t c = 0; c < a->columns; c++) {
        una_table_column *column = &to->column[c];
        UNA_TRY(una_check_cancelled(to->run, "joining tables"));
        append_column(column, &a->column[c], 0, a->rows, &words);
        append_column(column, &b->column[una_table_find(b, column->name)], a->rows, b->rows, &words);
        UNA_TRY(una_arena_check(&to->arena));
        UNA_TRY(una_arena_check(work));
        if (column->is_text) column->first_word = first_word(column, to->rows);
    }
    UNA_TRY(una_table_copy_notes(to, b));
    return una_table_copy_notes(to, a);
}

static una_status join_tables(una_dataset **joined, const una_dataset *a, const una_dataset *b, una_run *run)
{
    const char **names = UNA_GET(&run->scratch, const char *, a->columns);
    una_text origin = una_text_in(&run->scratch);
    una_text_add(&origin, "%s and %s", a->origin, b->origin);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t c = 0; c < a->columns; c++) names[c] = a->column[c].name;
    UNA_TRY(una_table_new(joined, origin.at, names, a->columns, run));
    return append_rows(*joined, a, b, &run->scratch);
}

una_status una_dataset_join(una_dataset **joined, const una_dataset *a, const una_dataset *b, una_run *run)
{
    *joined = NULL;
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = join_tables(joined, a, b, run);
    una_arena_release(&run->scratch, mark);
    if (status == UNA_OK) return UNA_OK;
    una_dataset_free(*joined);
    *joined = NULL;
    return status;
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
    if (c->is_text || (c->form.kind != UNA_CELLS_DATE && c->form.kind != UNA_CELLS_TIME)) return NULL;
    return una_calendar_text(text, c->number[row], c->form.kind == UNA_CELLS_TIME);
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
