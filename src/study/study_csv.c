/* SPDX-License-Identifier: MIT
 *
 * Trials to CSV and JSON, and from CSV. Columns that are not inputs get a "_" behind their name where an input has it.
 */
#include "study/study.h"

#include "base/record.h"
#include "draw/fit_report.h"
#include "data/cell_format.h"
#include "read/reader.h"

#include <inttypes.h>
#include <sys/stat.h>

static size_t find_input(const una_study *s, const char *name)
{
    size_t i = 0;
    while (i < s->space->count && strcmp(s->space->dimension[i].name, name) != 0) i++;
    return i;
}

/* "value", or "value_" where an input is called so. */
static const char *study_column_name(const una_study *s, const char *name, una_arena *arena)
{
    una_text text = una_text_in(arena);
    una_text_add(&text, "%s", name);
    while (text.at && find_input(s, text.at) < s->space->count) una_text_add(&text, "_");
    return text.at;
}

/* ---- out ----------------------------------------------------------------------------------------------------- */

static void study_put_header(una_text *text, const una_study *s, una_arena *arena)
{
    static const char *const behind[] = { "value", "note", "attempts", "asked", "told", "expected", "doubt" };
    una_record record = una_record_begin(text);
    una_record_words(&record, study_column_name(s, "id", arena));
    una_record_words(&record, study_column_name(s, "state", arena));
    for (size_t i = 0; i < s->space->count; i++) una_record_words(&record, s->space->dimension[i].name);
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++)
        una_record_words(&record, study_column_name(s, behind[i], arena));
    una_record_end(&record);
}

static void put_time(una_record *record, int64_t seconds)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%" PRId64, seconds);
    una_record_bytes(record, digits, (size_t)length);
}

static void put_trial(una_text *text, const una_study *s, const una_trial *t, una_arena *arena)
{
    una_record record = una_record_begin(text);
    una_record_count(&record, t->id);
    una_record_words(&record, una_trial_state_words[t->state]);
    for (size_t i = 0; i < s->space->count; i++) {
        una_text word = una_text_in(arena);
        una_dimension_write(&word, &s->space->dimension[i], t->x[i]);
        una_record_words(&record, word.at);
    }
    una_record_number(&record, t->value);
    una_record_words(&record, t->note);
    una_record_count(&record, t->attempts);
    put_time(&record, t->asked);
    put_time(&record, t->told);
    una_record_number(&record, t->expected);
    una_record_number(&record, t->doubt);
    una_record_end(&record);
}

static void json_trial(una_text *text, const una_study *s, const una_trial *t)
{
    una_text_add(text, "{\"id\": %" PRIu64 ", \"state\": \"%s\", \"x\": ", t->id,
                 una_trial_state_words[t->state]);
    una_space_write(text, s->space, t->x);
    una_text_add(text, ", \"value\": ");
    una_text_number(text, t->value);
    una_text_add(text, ", \"note\": ");
    una_text_json(text, t->note);
    una_text_add(text, ", \"attempts\": %u, \"asked\": %" PRId64 ", \"told\": %" PRId64 ", \"expected\": ", t->attempts,
                 t->asked, t->told);
    una_text_number(text, t->expected);
    una_text_add(text, ", \"doubt\": ");
    una_text_number(text, t->doubt);
    una_text_add(text, "}");
}

static una_status put_json(una_text *text, const una_study *s, const una_trials *trials, una_run *run)
{
    const una_trial_store_facts *f = &s->store->facts;
    una_text_add(text, "{\"space\": %s,\n \"model\": ", f->space);
    una_text_json(text, f->model);
    una_text_add(text, ", \"acquisition\": ");
    una_text_json(text, f->acquisition);
    una_text_add(text, ", \"goal\": \"%s\", \"seed\": %" PRIu64 ", \"initial\": %zu, \"lease\": ",
                 f->maximize ? "maximize" : "minimize", f->seed, f->initial);
    una_text_number(text, f->lease);
    una_text_add(text, ",\n \"trials\": [");
    for (size_t i = 0; i < trials->count; i++) {
        UNA_TRY(una_check_cancelled(run, "writing trials"));
        una_text_add(text, i ? ",\n  " : "\n  ");
        json_trial(text, s, &trials->at[i]);
    }
    una_text_add(text, "]}\n");
    return UNA_OK;
}

static una_status put_csv(una_text *text, const una_study *s, const una_trials *trials, una_run *run)
{
    study_put_header(text, s, &run->scratch);
    for (size_t i = 0; i < trials->count; i++) {
        UNA_TRY(una_check_cancelled(run, "writing trials"));
        put_trial(text, s, &trials->at[i], &run->scratch);
    }
    return UNA_OK;
}

static una_status write_trials(una_study *s, const una_trials *trials, const char *path, bool json, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    UNA_TRY(json ? put_json(&text, s, trials, run) : put_csv(&text, s, trials, run));
    UNA_TRY(una_arena_check(&run->scratch));
    return una_report_save(path, &text, run);
}

static una_status export_to(size_t *rows, una_study *s, const char *path, bool json, una_run *run)
{
    una_trials *trials;
    if (rows) *rows = 0;
    UNA_TRY(una_study_trials(&trials, s, run));
    una_status status;
    UNA_SCOPED_CALL(status, run, write_trials(s, trials, path, json, run));
    if (rows && status == UNA_OK) *rows = trials->count;
    una_trials_free(trials);
    return status;
}

una_status una_study_export_csv(size_t *rows, una_study *s, const char *path, una_run *run)
{
    return export_to(rows, s, path, false, run);
}

una_status una_study_export_json(size_t *rows, una_study *s, const char *path, una_run *run)
{
    return export_to(rows, s, path, true, run);
}

/* ---- in ------------------------------------------------------------------------------------------------------ */

typedef struct importing {
    una_study         *study;
    const una_dataset *data;
    const char        *path;
    size_t            *input;            /* [inputs] columns                                                */
    size_t             value, state, note;               /* columns; SIZE_MAX: not there                    */
    const char        *value_name;
    una_stored_trials  rows;
} importing;

static size_t column_at(const una_dataset *data, const char *name)
{
    for (size_t c = 0; c < una_dataset_column_count(data); c++)
        if (strcmp(una_dataset_column_name(data, c), name) == 0) return c;
    return SIZE_MAX;
}

static una_status study_find_columns(importing *m, const char *value, una_run *run)
{
    const una_study *s = m->study;
    UNA_NEW_AT(&run->scratch, m->input, s->space->count);
    for (size_t i = 0; i < s->space->count; i++) {
        const una_dimension *d = &s->space->dimension[i];
        m->input[i] = column_at(m->data, d->name);
        if (m->input[i] == SIZE_MAX && d->type != UNA_DIMENSION_FIXED)
            UNA_TRY(una_dataset_find(&m->input[i], m->data, d->name, run));      /* which says so */
    }

    m->value_name = value ? value : study_column_name(s, "value", &run->scratch);
    const char *state = study_column_name(s, "state", &run->scratch);
    const char *note = study_column_name(s, "note", &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_dataset_find(&m->value, m->data, m->value_name, run));
    m->state = column_at(m->data, state);
    m->note = column_at(m->data, note);
    return UNA_OK;
}

/* column NULL: the row as a whole. */
static una_status wrong_cell(const importing *m, size_t row, const char *column, const char *why, una_run *run)
{
    una_text place = una_text_in(&run->scratch);
    una_table_row(&place, m->data, row);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_FAIL(run, UNA_E_INPUT, "%s, %s%s%s: %.511s", m->path, place.at, column ? ", column " : "",
             column ? column : "", why);
}

static double level_value(const una_dimension *d, size_t level)
{
    return d->type == UNA_DIMENSION_FIXED ? d->low : (double)level;
}

/* A level that is a number may be written in another way: 1.0 for 1. */
static bool level_of_number(double *value, const una_dimension *d, const char *word)
{
    double number, level;
    if (!d->levels || !una_parse_number(word, strlen(word), &number)) return false;
    for (size_t i = 0; i < d->level_count; i++) {
        if (!una_parse_number(d->levels[i], strlen(d->levels[i]), &level) || level != number) continue;
        *value = level_value(d, i);
        return true;
    }
    return false;
}

/* A table takes words such as ? and none for missing cells; here one of them may be a level. */
static bool level_of_nothing(double *value, const una_dimension *d)
{
    size_t found = 0;
    for (size_t i = 0; d->levels && i < d->level_count; i++) {
        if (!una_cell_is_missing_mark(d->levels[i], strlen(d->levels[i]))) continue;
        *value = level_value(d, i);
        found++;
    }
    return found == 1;
}

static una_status read_input(double *x, const importing *m, size_t row, size_t input, una_run *run)
{
    const una_dimension *d = &m->study->space->dimension[input];
    size_t column = m->input[input];
    *x = d->low;                                 /* a fixed input need not be there */
    if (column == SIZE_MAX) return UNA_OK;
    const double *numbers = una_dataset_numbers(m->data, column);
    const char *const *words = una_dataset_words(m->data, column);
    bool missing = numbers ? isnan(numbers[row]) : !words[row];
    if (missing && level_of_nothing(x, d)) return UNA_OK;
    if (missing) return wrong_cell(m, row, d->name, "the cell is empty", run);
    char buffer[32];
    const char *word = numbers ? una_number_text(buffer, numbers[row]) : words[row];
    if (numbers && !d->levels) *x = numbers[row];
    else if (una_dimension_read(x, d, word, run) != UNA_OK && !level_of_number(x, d, word))
        return wrong_cell(m, row, d->name, una_run_message(run), run);
    return UNA_OK;
}

static const char *words_at(const importing *m, size_t column, size_t row)
{
    const char *const *words = column == SIZE_MAX ? NULL : una_dataset_words(m->data, column);
    return words && words[row] ? words[row] : "";
}

/* Told with a value, or failed without; open ones, of an exported study, are passed over. */
static una_status read_result(una_stored_trial *trial, const importing *m, size_t row, una_run *run)
{
    const char *state = words_at(m, m->state, row), *word = words_at(m, m->value, row);
    const double *numbers = una_dataset_numbers(m->data, m->value);
    trial->value = numbers ? numbers[row] : NAN;
    trial->note = words_at(m, m->note, row);
    if (!*trial->note) trial->note = "imported";
    size_t known = una_find_text(state, una_trial_state_words, UNA_TRIAL_STATES);
    if (*state && known == UNA_TRIAL_STATES) return wrong_cell(m, row, "state", "it is told, failed or open", run);

    trial->state = *state ? (una_trial_state)known : UNA_TRIAL_TOLD;
    if (trial->state != UNA_TRIAL_TOLD) return UNA_OK;
    if (*word && !una_parse_number(word, strlen(word), &trial->value))
        return wrong_cell(m, row, m->value_name, "it is not a number", run);
    if (isfinite(trial->value)) return UNA_OK;
    return wrong_cell(m, row, m->value_name, "there is no value; a trial that failed has 'failed' in a column state",
                      run);
}

static una_status read_row(importing *m, size_t row, double *x, una_run *run)
{
    una_stored_trial *trial = &m->rows.at[m->rows.count];
    const una_space *space = m->study->space;
    UNA_TRY(read_result(trial, m, row, run));
    if (trial->state == UNA_TRIAL_OPEN) return UNA_OK;
    for (size_t i = 0; i < space->count; i++) UNA_TRY(read_input(&x[i], m, row, i, run));
    if (una_space_check(space, x, run) != UNA_OK) return wrong_cell(m, row, NULL, una_run_message(run), run);

    una_text text = una_text_in(&run->scratch);
    una_space_write(&text, space, x);
    trial->x = text.at;
    m->rows.count++;
    return una_arena_check(&run->scratch);
}

static una_status import_rows(size_t *added, importing *m, const char *value, una_run *run)
{
    size_t rows = una_dataset_row_count(m->data);
    UNA_TRY(study_find_columns(m, value, run));
    UNA_NEW_AT(&run->scratch, m->rows.at, rows);
    UNA_NEW(&run->scratch, double, x, m->study->space->count);
    for (size_t row = 0; row < rows; row++) {
        UNA_TRY(una_check_cancelled(run, "reading trials"));
        UNA_TRY(read_row(m, row, x, run));
    }
    return una_trial_store_add(added, m->study->store, &m->rows, true, run);
}

/* Columns of the file that have levels go behind names [*count]; of what cannot be read twice none is known. */
static una_status level_columns(const char **names, size_t *count, const una_space *space, const char *path,
                                una_run *run)
{
    struct stat about;
    una_reader *reader;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode)) return UNA_OK;
    UNA_TRY(una_reader_begin(&reader, path, NULL, 0, 0, run));
    for (size_t i = 0; i < space->count; i++)
        for (size_t c = 0; space->dimension[i].levels && c < una_reader_columns(reader); c++)
            if (strcmp(una_reader_name(reader, c), space->dimension[i].name) == 0)
                names[(*count)++] = space->dimension[i].name;
    una_reader_close(reader);
    return UNA_OK;
}

/* Levels stay the words that they are, also such as 5% and 2024-01-01. */
static una_status study_read_table(una_dataset **data, const una_study *s, const char *path, una_run *run)
{
    const una_read_settings *before = run->settings.reading;
    una_read_settings reading = *before;
    UNA_NEW(&run->scratch, const char *, words, reading.word_count + s->space->count);
    for (size_t i = 0; i < before->word_count; i++) words[i] = before->words[i];
    reading.words = words;
    UNA_TRY(level_columns(words, &reading.word_count, s->space, path, run));

    run->settings.reading = &reading;
    una_status status = una_dataset_read(data, path, run);
    run->settings.reading = before;
    return status;
}

static una_status import_table(size_t *rows, size_t *added, importing *m, const char *value, una_run *run)
{
    una_dataset *data = NULL;
    UNA_TRY(una_study_enter(run));
    una_status status = study_read_table(&data, m->study, m->path, run);
    m->data = data;
    if (status == UNA_OK) status = import_rows(added, m, value, run);
    *rows = status == UNA_OK ? una_dataset_row_count(data) : 0;
    una_dataset_free(data);
    return status;
}

una_status una_study_import_csv(size_t *rows, size_t *added, una_study *s, const char *path, const char *value,
                                una_run *run)
{
    importing m = { .study = s, .path = path };
    size_t all = 0, more = 0;
    una_status status;
    UNA_SCOPED_CALL(status, run, import_table(&all, &more, &m, value, run));
    if (rows) *rows = all;
    if (added) *added = more;
    return status;
}
