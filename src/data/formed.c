/* SPDX-License-Identifier: MIT
 *
 * Words that are numbers: each column's study says how its cells are written, words become values by that form, and one
 * sentence for each way of writing names the columns that have it.
 */
#include "data/formed.h"

#include "data/calendar.h"
#include "data/sniff.h"

#include <string.h>

/* ---- notes --------------------------------------------------------------------------------------------------- */

una_status una_table_note(una_dataset *data, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *sentence = UNA_GET(&data->arena, char, (size_t)(length < 0 ? 0 : length) + 1);
    const char **note = UNA_GET(&data->arena, const char *, data->notes + 1);
    if (sentence) vsnprintf(sentence, (size_t)length + 1, format, again);
    va_end(again);
    UNA_TRY(una_arena_check(&data->arena));

    if (data->notes) memcpy(note, data->note, data->notes * sizeof *note);
    note[data->notes++] = sentence;
    data->note = note;
    return UNA_OK;
}

una_status una_table_doubt(una_dataset *data, const char *sentence)
{
    const char **doubt = UNA_GET(&data->arena, const char *, data->doubts + 1);
    const char *copy = una_arena_text(&data->arena, sentence);
    UNA_TRY(una_arena_check(&data->arena));
    if (data->doubts) memcpy(doubt, data->doubt, data->doubts * sizeof *doubt);
    doubt[data->doubts++] = copy;
    data->doubt = doubt;
    return UNA_OK;
}

una_status una_table_remember(una_dataset *to, const una_dataset *from)
{
    for (size_t i = 0; i < from->notes; i++) UNA_TRY(una_table_note(to, "%s", from->note[i]));
    for (size_t i = 0; i < from->doubts; i++) UNA_TRY(una_table_doubt(to, from->doubt[i]));
    for (size_t c = 0; c < from->columns; c++) {
        size_t at = from->column[c].form.kind == UNA_FORM_PLAIN ? SIZE_MAX : una_table_find(to, from->column[c].name);
        if (at != SIZE_MAX) to->column[at].form = from->column[c].form;
    }
    return UNA_OK;
}

una_status una_formed_file(una_dataset *data, const una_csv *csv)
{
    if (csv->delimiter_found)
        UNA_TRY(una_table_note(data, "the cells have %s between them", una_delimiter_name(csv->delimiter)));
    if (csv->trailing)
        UNA_TRY(una_table_note(data, "the last column has neither a name nor cells and was left out"));
    if (csv->comments)
        UNA_TRY(una_table_note(data, csv->comments == 1 ? "%zu line that begins with # was passed over" :
                               "%zu lines that begin with # were passed over", csv->comments));
    if (csv->latin)
        UNA_TRY(una_table_note(data, "some characters are not in UTF-8 (perhaps Latin-1), and are taken as they are; "
                               "save the file as UTF-8 to see them right"));
    return UNA_OK;
}

/* ---- one sentence for all columns that are written alike ------------------------------------------------------- */

typedef enum way { PERCENT, UNITS, COMMAS, GROUPS, DATES, TIMES, MARKS, WAYS } way;

static bool is_written(const una_form *form, const una_form_study *s, way w)
{
    bool number = form->kind == UNA_FORM_NUMBER, unit = number && form->unit[0], percent = strcmp(form->unit, "%") == 0;
    switch (w) {
    case PERCENT: return unit && percent;
    case UNITS: return unit && !percent;
    case COMMAS: return number && form->decimal == ',' && s->comma + s->either_comma > 0;
    case GROUPS: return number && (form->decimal == ',' ? s->grouped > s->either_comma || s->either_point > 0
                                                        : s->grouped > 0);
    case DATES: return form->kind == UNA_FORM_DATE;
    case TIMES: return form->kind == UNA_FORM_TIME;
    default: return form->kind != UNA_FORM_PLAIN && s->missing > 0;
    }
}

/* "'3/1/2024' is 2024-03-01" */
static void add_example(una_text *text, const una_form *form, const char *seen)
{
    double value = NAN;
    char number[32];
    if (!seen[0] || strlen(seen) + 1 == UNA_SEEN_ROOM) return;
    if (una_form_value(&value, form, seen, strlen(seen)) != UNA_CELL_NUMBER) return;
    una_text_add(text, " ('%s' is %s", seen, una_number_text(number, value));
    if (form->kind == UNA_FORM_DATE && !(strlen(seen) > 4 && seen[4] == '-')) {
        int year, month, day;
        una_calendar_date(value, &year, &month, &day);
        una_text_add(text, ", %04d-%02d-%02d", year, month, day);
    }
    una_text_add(text, ")");
}

static void say(una_text *text, way w, const una_form *form, const una_form_study *s)
{
    switch (w) {
    case PERCENT: una_text_add(text, "percent signs were taken off"); break;
    case UNITS: una_text_add(text, "the unit '%s' was taken off", form->unit); break;
    case COMMAS: una_text_add(text, "commas are decimal marks"); break;
    case GROUPS: una_text_add(text, "thousands marks were taken off"); break;
    case DATES: una_text_add(text, "dates became days since 1970-01-01"); break;
    case TIMES: una_text_add(text, "times became parts of a day"); break;
    default:
        una_text_add(text, s->missing == 1 ? "%zu cell, '%s', counts as missing" :
                     "%zu cells such as '%s' count as missing", s->missing, s->mark);
        return;
    }
    add_example(text, form, w == GROUPS ? s->group : s->seen);
}

/* The first column that is written so begins a sentence, and those after it join. */
static una_status note_way(una_dataset *data, const una_form_study *study, way w, una_run *run)
{
    enum { SHOWN = 8 };
    una_text names = una_text_in(&run->scratch), what = una_text_in(&run->scratch);
    size_t count = 0, first = 0;
    bool alone = w == UNITS || w == MARKS;
    for (size_t c = 0; c < data->columns; c++) {
        if (data->column[c].form.kind == UNA_FORM_PLAIN || !is_written(&data->column[c].form, &study[c], w)) continue;
        if (alone) {
            una_text own = una_text_in(&run->scratch);
            say(&own, w, &data->column[c].form, &study[c]);
            UNA_TRY(una_arena_check(&run->scratch));
            UNA_TRY(una_table_note(data, "column '%s': %s", data->column[c].name, own.at));
            continue;
        }
        if (count == 0) first = c;
        if (count < SHOWN) una_text_add(&names, "%s'%s'", count ? ", " : "", data->column[c].name);
        count++;
    }
    if (count == 0) return UNA_OK;
    if (count > SHOWN) una_text_add(&names, " and %zu more", count - SHOWN);
    say(&what, w, &data->column[first].form, &study[first]);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_table_note(data, "column%s %s: %s", count == 1 ? "" : "s", names.at, what.at);
}

/* ---- doubts ----------------------------------------------------------------------------------------------------- */

static bool doubts_points(const una_form_study *s, const una_form *form)
{
    bool plain = form->kind == UNA_FORM_PLAIN || (form->kind == UNA_FORM_NUMBER && form->decimal == '.');
    return plain && s->against && s->either_point && !s->seen[0] && !s->point && !s->words && !s->decimal;
}

static bool doubts_order(const una_form_study *s, const una_form *form)
{
    return form->kind == UNA_FORM_DATE && s->either_first && !s->day_first && !s->month_first && !s->order &&
           !s->order_hint;
}

const char *una_formed_doubt(const una_form_study *s, const una_form *form, const char *name, una_arena *arena)
{
    una_text text = una_text_in(arena);
    if (doubts_points(s, form))
        una_text_add(&text, "column '%.60s': numbers such as '%s' were read with a decimal point, though other columns "
                     "have decimal commas; if the point marks thousands, say --decimal comma", name, s->group);
    if (doubts_order(s, form))
        una_text_add(&text, "column '%.60s': dates such as '%s' were read with the day first, for none has a day above "
                     "12 that would tell; if the month is first, say --dates mdy (and --dates dmy if not)", name,
                     s->seen);
    return text.length ? text.at : NULL;
}

static una_status warn(una_dataset *data, const char *sentence, una_run *run)
{
    una_log(run, UNA_LOG_WARNING, "%s", sentence);
    return una_table_doubt(data, sentence);
}

static una_status warn_mixed(una_dataset *data, size_t c, const una_form_study *s, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    una_text_add(&text, "column '%.60s' was taken as words, though many of its cells look like numbers or dates: ",
                 data->column[c].name);
    una_form_why(&text, s);
    una_text_add(&text, "; write all of them alike, or say --words if they are words");
    UNA_TRY(una_arena_check(&run->scratch));
    return warn(data, text.at, run);
}

/* ---- words become numbers ---------------------------------------------------------------------------------------- */

static una_status convert(una_dataset *data, size_t c, const una_form *form)
{
    una_table_column *column = &data->column[c];
    double *number = UNA_GET_ROWS(&data->arena, double, data->rows), value = NAN;
    UNA_TRY(una_arena_check(&data->arena));
    const char *last = NULL;
    for (size_t i = 0; i < data->rows; i++) {
        const char *word = column->word[i];
        if (word && word != last && una_form_value(&value, form, word, strlen(word)) != UNA_CELL_NUMBER) value = NAN;
        number[i] = word ? value : NAN;
        last = word;
    }
    *column = (una_table_column){ .name = column->name, .number = number, .form = *form };
    return UNA_OK;
}

static una_status warn_doubt(una_dataset *data, size_t c, const una_form_study *s, const una_form *form, una_run *run)
{
    const char *doubt = una_formed_doubt(s, form, data->column[c].name, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    return doubt ? warn(data, doubt, run) : UNA_OK;
}

static una_status take_column(una_dataset *data, size_t c, const una_form_study *s, una_run *run)
{
    una_form form;
    una_form_found found = una_form_decide(&form, s, true);
    if (found == UNA_MIXED_FORMS && s->seen[0]) return warn_mixed(data, c, s, run);
    if (found != UNA_ONE_FORM) return UNA_OK;
    UNA_TRY(warn_doubt(data, c, s, &form, run));
    return convert(data, c, &form);
}

una_status una_formed_take(una_dataset *data, const una_form_study *study, const bool *stays, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = UNA_OK;
    bool any = false;
    for (size_t c = 0; status == UNA_OK && c < data->columns; c++) {
        if (!data->column[c].is_text) status = warn_doubt(data, c, &study[c], &data->column[c].form, run);
        if (!data->column[c].is_text || stays[c]) continue;
        any = true;
        status = take_column(data, c, &study[c], run);
    }
    for (way w = 0; any && status == UNA_OK && w < WAYS; w++) status = note_way(data, study, w, run);
    una_arena_release(&run->scratch, mark);
    return status;
}
