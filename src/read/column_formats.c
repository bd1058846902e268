/* SPDX-License-Identifier: MIT
 *
 * Turns columns of words into numbers: the counts of a column decide the format of its cells, and one note for each way
 * of writing names all columns that have it.
 */
#include "read/column_formats.h"

#include "base/calendar.h"
una_status una_column_formats_note_file(una_dataset *data, const una_csv *csv)
{
    const size_t file = SIZE_MAX;
    if (csv->dialect.found)
        UNA_TRY(una_table_add_sentence(data, file, "the cells have %s between them",
                                       una_delimiter_name(csv->dialect.delimiter)));
    if (csv->trailing)
        UNA_TRY(una_table_add_sentence(data, file, csv->trailing == 1 ?
                                       "the last column has neither a name nor cells and was left out" :
                                       "the last %zu columns have neither names nor cells and were left out",
                                       csv->trailing));
    if (csv->comments)
        UNA_TRY(una_table_add_sentence(data, file, csv->comments == 1 ? "%zu line that begins with # was passed over" :
                                       "%zu lines that begin with # were passed over", csv->comments));
    if (csv->dialect.latin)
        UNA_TRY(una_table_add_sentence(data, file,
                                       "some characters are not in UTF-8 (perhaps Latin-1), and are taken as "
                                       "they are; save the file as UTF-8 to see them right"));
    return UNA_OK;
}

/* ---- one sentence for all columns that are written alike ------------------------------------------------------- */

typedef enum way { PERCENT, UNITS, COMMAS, GROUPS, SIGNS, WRAPS, DATES, TIMES, MARKS, WAYS } way;

/* "'3/1/2024' is 2024-03-01" */
static void add_example(una_text *text, const una_cell_format *form, const char *seen)
{
    double value = NAN;
    char number[32];
    if (!seen[0] || strlen(seen) + 1 == UNA_SEEN_ROOM) return;
    if (una_cell_format_value(&value, form, seen, strlen(seen)) != UNA_CELL_NUMBER) return;
    una_text_add(text, " ('%s' is %s", seen, una_number_text(number, value));
    if (form->kind == UNA_CELLS_DATE && !(strlen(seen) > 4 && seen[4] == '-')) {
        int year, month, day;
        una_calendar_date(value, &year, &month, &day);
        una_text_add(text, ", %04d-%02d-%02d", year, month, day);
    }
    una_text_add(text, ")");
}

/* Whether cells are written this way; then the sentence says so, with such a cell. */
static bool describe_way(una_text *text, way w, const una_cell_format *form, const una_cell_counts *s)
{
    bool number = form->kind == UNA_CELLS_NUMBER, percent = strcmp(form->unit, "%") == 0, comma = form->decimal == ',';
    const struct { bool here; const char *example, *sentence; } ways[] = {
        [PERCENT] = { number && percent, s->seen, "percent signs were taken off" },
        [UNITS] = { number && form->unit[0] && !percent, s->seen, NULL },
        [COMMAS] = { number && comma, s->with_comma, "commas are decimal marks" },
        [GROUPS] = { number, comma ? s->comma_group : s->point_group, "thousands marks were taken off" },
        [SIGNS] = { number, s->sign, "minus signs were read as accounts and word processors write them" },
        [WRAPS] = { number, s->wrapped, "the marks =\"\" around the cells were taken off" },
        [DATES] = { form->kind == UNA_CELLS_DATE, s->seen, "dates became days since 1970-01-01" },
        [TIMES] = { form->kind == UNA_CELLS_TIME, s->seen, "times became parts of a day" },
        [MARKS] = { s->missing > 0, s->mark, NULL }
    };
    bool shown = w >= COMMAS && w <= WRAPS;                      /* only where there is such a cell */
    if (!ways[w].here || (shown && !ways[w].example[0])) return false;
    if (w == MARKS)
        una_text_add(text, s->missing == 1 ? "%zu cell, '%s', counts as missing" :
                     "%zu cells such as '%s' count as missing", s->missing, s->mark);
    else if (w == UNITS) una_text_add(text, "the unit '%s' was taken off", form->unit);
    else una_text_add(text, "%s", ways[w].sentence);
    if (w != MARKS) add_example(text, form, ways[w].example);
    return true;
}

/* Notes on units and marks for missing cells are given for each column, all others in one sentence for all columns. */
static una_status note_way(una_dataset *data, const una_cell_counts *study, size_t c, way w, una_run *run)
{
    const una_cell_format *form = &data->column[c].form;
    bool alone = w == UNITS || w == MARKS;
    if (form->kind == UNA_CELLS_PLAIN) return UNA_OK;
    UNA_TRY(una_check_cancelled(run, "reading"));
    una_text own = una_text_in(&run->scratch);
    if (alone) una_text_add(&own, "column '%s': ", data->column[c].name);
    if (!describe_way(&own, w, form, &study[c])) return UNA_OK;
    UNA_TRY(una_arena_check(&run->scratch));
    return una_table_add_note(data, &data->notes, (una_table_note){ c, alone ? 0 : 1 + (unsigned)w, own.at });
}

/* ---- doubts ----------------------------------------------------------------------------------------------------- */

const char *una_column_formats_doubt(const una_cell_counts *s, const una_cell_format *form, const char *name,
                                     una_arena *arena)
{
    una_text text = una_text_in(arena);
    bool point = form->kind == UNA_CELLS_PLAIN || (form->kind == UNA_CELLS_NUMBER && form->decimal == '.');
    if (point && s->against && s->either_point && !s->seen[0] && !s->point && !s->words && !s->decimal)
        una_text_add(&text, "column '%.60s': numbers such as '%s' were read with a decimal point, though other columns "
                     "have decimal commas; if the point marks thousands, say --decimal comma", name, s->comma_group);
    bool told = s->day_first || s->month_first || s->order || s->order_hint;
    if (form->kind == UNA_CELLS_DATE && s->either_first && !told)
        una_text_add(&text, "column '%.60s': dates such as '%s' were read with the day first, for none has a day above "
                     "12 that would tell; if the month is first, say --dates mdy (and --dates dmy if not)", name,
                     s->seen);
    return text.length ? text.at : NULL;
}

static una_status warn_in_log(una_dataset *data, size_t c, const char *sentence, una_run *run)
{
    una_log(run, UNA_LOG_WARNING, "%s", sentence);
    return una_table_add_note(data, &data->doubts, (una_table_note){ c, 0, sentence });
}

void una_cell_format_conflict(una_text *text, const una_cell_counts *s)
{
    const char *date_or_time = s->dates ? "a date" : "a time";
    if (s->words)
        una_text_add(text, "'%s' looks like %s, and '%s' does not", s->seen[0] ? s->seen : "1",
                     s->numbers ? "a number" : date_or_time, s->word);
    else if (s->numbers && s->dates + s->times)
        una_text_add(text, "some cells are numbers and others are dates or times ('%s')", s->seen);
    else if (s->dates && s->times) una_text_add(text, "some cells are dates and others times of day");
    else if (s->dates) una_text_add(text, "some dates have the day first and others the month ('%s')", s->seen);
    else if (s->units_differ) una_text_add(text, "not all have the same unit ('%s')", s->other);
    else una_text_add(text, "some have decimal commas and others decimal points ('%s')", s->seen);
}

static una_status warn_mixed(una_dataset *data, size_t c, const una_cell_counts *s, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    una_text_add(&text, "column '%.60s' was taken as words, though many of its cells look like numbers or dates: ",
                 data->column[c].name);
    una_cell_format_conflict(&text, s);
    una_text_add(&text, "; write all of them alike, or say --words if they are words");
    UNA_TRY(una_arena_check(&run->scratch));
    return warn_in_log(data, c, text.at, run);
}

/* Adds a note on a column of words in which half of the cells begin like numbers or dates. Where most are plain
 * numbers, the fit names the cell that is not one. */
static una_status note_near(una_dataset *data, size_t c, const una_cell_counts *s)
{
    size_t like = s->numbers + s->dates + s->times, all = like + s->words;
    const char *seen = s->near_word[0] ? s->near_word : s->seen, *name = data->column[c].name;
    if (2 * (like + s->near_words) < all || all == 0 || (2 * like > all && !s->seen[0])) return UNA_OK;
    return una_table_add_sentence(data, c, "column '%.60s' was taken as words, though its cells look like numbers or "
                                  "dates%s%s%s; write them as plain numbers or ISO dates if they are, or say --words "
                                  "'%.60s' if they are words", name, seen[0] ? " ('" : "", seen, seen[0] ? "')" : "",
                                      name);
}

/* ---- words become numbers ---------------------------------------------------------------------------------------- */

static una_status convert_column(una_dataset *data, size_t c, const una_cell_format *form)
{
    una_table_column *column = &data->column[c];
    UNA_NEW_ROWS(&data->arena, double, number, data->rows);
    double value = NAN;
    const char *last = NULL;
    for (size_t i = 0; i < data->rows; i++) {
        const char *word = column->word[i];
        if (i % 65536 == 0) UNA_TRY(una_check_cancelled(data->run, "reading"));
        una_cell_kind kind = word && word != last ? una_cell_format_value(&value, form, word, strlen(word))
                             : UNA_CELL_NUMBER;
        if (kind == UNA_CELL_INFINITE) {
            const char *place = una_table_place_in(&data->run->scratch, data, i, c);
            UNA_FAIL(data->run, UNA_E_INPUT, "%s: '%.40s' is infinite or too large for a number; correct it, or write "
                     "NA for a missing value", place, word);
        }
        if (kind != UNA_CELL_NUMBER) value = NAN;
        number[i] = word ? value : NAN;
        last = word;
    }
    *column = (una_table_column){ .name = column->name, .number = number, .form = *form };
    return UNA_OK;
}

static una_status warn_doubt(una_dataset *data, size_t c, const una_cell_counts *s, const una_cell_format *form,
                             una_run *run)
{
    UNA_TRY(una_check_cancelled(run, "reading"));
    const char *doubt = una_column_formats_doubt(s, form, data->column[c].name, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    return doubt ? warn_in_log(data, c, doubt, run) : UNA_OK;
}

static una_status take_column(una_dataset *data, size_t c, const una_cell_counts *s, una_run *run)
{
    una_cell_format form;
    UNA_TRY(una_check_cancelled(run, "reading"));
    una_format_decision found = una_cell_format_decide(&form, s, true);
    if (found == UNA_MIXED_FORMATS && s->seen[0]) return warn_mixed(data, c, s, run);
    if (found != UNA_ONE_FORMAT) return note_near(data, c, s);
    UNA_TRY(warn_doubt(data, c, s, &form, run));
    return convert_column(data, c, &form);
}

una_status una_column_formats_apply(una_dataset *data, const una_cell_counts *study, const bool *stays, una_run *run)
{
    bool any = false;
    for (size_t c = 0; c < data->columns; c++) {
        if (!data->column[c].is_text) UNA_TRY(warn_doubt(data, c, &study[c], &data->column[c].form, run));
        if (!data->column[c].is_text || stays[c]) continue;
        any = true;
        UNA_TRY(take_column(data, c, &study[c], run));
    }
    for (way w = 0; any && w < WAYS; w++)
        for (size_t c = 0; c < data->columns; c++) UNA_SCOPED(run, note_way(data, study, c, w, run));
    return UNA_OK;
}
