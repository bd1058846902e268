/* SPDX-License-Identifier: MIT
 *
 * What a table teaches before any model sees it: which columns to use, their centre and scale, their levels.
 *   centre = 1/n sum x,   scale^2 = 1/n sum (x - centre)^2       (over the training cells that are there)
 * computed in two passes on values scaled by a power of two, so that neither large offsets nor large values hurt.
 * Processes that learn together each have some of the rows (`whole` is false), and learn the columns of all.
 */
#include "data/learner.h"

#include "base/hash.h"
#include "data/build.h"
#include "data/calendar_parts.h"
#include "data/images.h"

enum { MOST_NOTES = 9000 };              /* a file holds 10,000: some are added later */

void una_notes_add(una_notes *notes, const char *format, ...)
{
    if (!notes || notes->count > MOST_NOTES) return;
    if (notes->count == MOST_NOTES) format = "More notes were left out.";

    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = una_write_textv(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > UNA_LONGEST_TEXT) length = UNA_LONGEST_TEXT;    /* names may be long, and files hold no longer one */
    char *sentence = UNA_GET(notes->arena, char, (size_t)(length < 0 ? 0 : length) + 1);
    if (sentence) una_write_textv(sentence, (size_t)length + 1, format, again);
    va_end(again);
    for (size_t i = notes->count > 20 ? notes->count - 20 : 0; sentence && i < notes->count; i++)
        if (strcmp(notes->text[i], sentence) == 0) return;       /* once is enough */

    const char **text = sentence ? una_arena_grow(notes->arena, notes->text, notes->count, &notes->room, sizeof *text)
                                 : NULL;
    if (!text) return;
    notes->text = text;
    notes->text[notes->count++] = sentence;
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

typedef struct moments { size_t count; double mean, std; bool constant; } moments;

static moments moments_of(const una_learner *l, const double *number)
{
    moments m = { .constant = true };
    double largest = 0;
    for (size_t i = 0; i < l->rows; i++) {
        double size = fabs(number[l->row[i]]);
        if (isnan(size)) continue;
        m.count++;
        if (size > largest) largest = size;
    }
    m.count = una_run_sum_size(m.count, l->run);
    largest = una_run_max(largest, l->run);
    if (m.count == 0 || largest == 0) return m;

    int exponent;
    frexp(largest, &exponent);
    /* Two factors, for 2^-exponent may overflow where the product does not. */
    double half = ldexp(1, -exponent / 2), rest = ldexp(1, -exponent + exponent / 2), n = (double)m.count;

    double sum = 0, slack = 0, square = 0;
    for (size_t i = 0; i < l->rows; i++)
        if (!isnan(number[l->row[i]])) sum += number[l->row[i]] * half * rest;
    una_run_sum_f64(&sum, 1, l->run);
    double mean = sum / n;
    for (size_t i = 0; i < l->rows; i++)
        if (!isnan(number[l->row[i]])) slack += number[l->row[i]] * half * rest - mean;
    una_run_sum_f64(&slack, 1, l->run);
    mean += slack / n;
    for (size_t i = 0; i < l->rows; i++) {
        double off = number[l->row[i]] * half * rest - mean;
        if (!isnan(off)) square += off * off;
    }

    una_run_sum_f64(&square, 1, l->run);
    double std = sqrt(square / n);
    m.constant = std <= UNA_ROUNDING * fabs(mean);
    m.mean = mean / half / rest;
    m.std = std / half / rest;
    m.constant = m.constant || !(m.std > 0);
    return m;
}

/* ---- which rows and columns ----------------------------------------------------------------------------- */

/* Checks that all processes know the same columns: each may have read its own file. */
static una_status check_alike(const una_learner *l)
{
    una_arena *work = &l->run->scratch;
    una_text mine = una_text_in(work);
    unsigned char *all;
    size_t size;
    if (l->whole) return UNA_OK;
    for (size_t c = 0; c < l->data->columns; c++) {
        una_text_bytes(&mine, l->data->column[c].is_text ? "words" : "numbers", 1);
        una_text_bytes(&mine, l->data->column[c].name, strlen(l->data->column[c].name) + 1);
    }
    una_text_bytes(&mine, "", 1);
    UNA_TRY(una_arena_check(work));
    UNA_TRY(una_run_gather_bytes(&all, &size, mine.at, mine.length, work, l->run));

    const char *first = (const char *)all, *own = mine.at;       /* rank 0's are the first */
    size_t c = 1;
    for (; *first && strcmp(first, own) == 0; c++) first += strlen(first) + 1, own += strlen(own) + 1;
    if (strcmp(first, own) == 0) return UNA_OK;
    if (!*first || !*own)
        UNA_FAIL(l->run, UNA_E_INPUT, "%s has %s columns than the table of rank 0; all parts must have the same",
                 l->data->origin, *own ? "more" : "fewer");
    UNA_FAIL(l->run, UNA_E_INPUT, "%s: column %zu is '%.60s' and holds %s, and in the table of rank 0 it is '%.60s' "
             "and holds %s; all parts must have the same columns", l->data->origin, c, own + 1,
             *own == 'w' ? "words" : "numbers", first + 1, *first == 'w' ? "words" : "numbers");
}

static una_status first_checks(una_learner *l)
{
    const una_dataset *data = l->data;
    size_t targets = l->from.targets, *at = l->target;
    size_t rows = una_run_sum_size(data->rows, l->run);
    l->whole = !una_run_any(rows > data->rows, l->run);
    UNA_TRY(una_run_sums_check(l->run));
    UNA_TRY(check_alike(l));
    for (size_t t = 0; t < targets; t++) {
        const char *name = l->from.target ? l->from.target[t] : NULL;
        if (name) UNA_TRY(una_table_need(&at[t], data, name, l->run));
        else at[t] = data->columns - 1;
        for (size_t b = 0; b < t; b++)
            if (at[b] == at[t])
                UNA_FAIL(l->run, UNA_E_USAGE, "the target '%.60s' is named twice; name each target once", name);
    }

    if (data->columns < 2)
        UNA_FAIL(l->run, UNA_E_INPUT, "%s has only one column, '%.60s'; a target and at least one input are needed",
                 data->origin, data->column[0].name);
    if (data->columns <= targets)
        UNA_FAIL(l->run, UNA_E_INPUT, "every column of %s is a target; at least one must be left as an input",
                 data->origin);
    if (rows < 2)
        UNA_FAIL(l->run, UNA_E_INPUT, "%s has %s; at least two are needed to learn from", data->origin,
                 rows ? "only one row" : "no rows");
    for (size_t t = 0; t < targets; t++) UNA_TRY(una_learner_check_target(l, at[t]));
    return UNA_OK;
}

/* Refuses what the rule for missing cells does not allow. */
static una_status refuse_missing_cells(const una_learner *l)
{
    const una_dataset *data = l->data;
    for (size_t i = 0; i < data->rows; i++)
        for (size_t c = 0; c < data->columns; c++) {
            if (l->out[c] || !una_table_is_missing(&data->column[c], i)) continue;
            bool target = l->asked[c];
            if (!target && data->images && c != data->image_column) continue;
            if (target ? l->from.targets > 1 : l->from.missing == UNA_MISSING_MEAN) continue;

            const char *place = una_table_place_in(&l->run->scratch, data, i, c);
            if (target || data->images)
                UNA_FAIL(l->run, UNA_E_INPUT, "%s is missing, and it %s; fill the cell, or use --missing drop to leave "
                         "such rows out", place, target ? "is the target" : "names the row's image");
            UNA_FAIL(l->run, UNA_E_INPUT, "%s is missing; fill the cell, or use --missing drop (leave such rows out) "
                     "or --missing mean (fill with the column's mean)", place);
        }
    return UNA_OK;
}

/* Whether the row has a target; of several targets one is enough. */
static bool row_has_target(const una_learner *l, size_t row)
{
    for (size_t t = 0; t < l->from.targets; t++)
        if (!una_table_is_missing(&l->data->column[l->target[t]], row)) return true;
    return false;
}

/* Chooses rows without a missing cell; with_inputs false checks the targets only. */
static void choose_training_rows(una_learner *l, bool with_inputs)
{
    const una_dataset *data = l->data;
    l->rows = 0;
    for (size_t i = 0; i < data->rows; i++) {
        bool whole = row_has_target(l, i);
        for (size_t c = 0; with_inputs && whole && c < data->columns; c++)
            whole = !l->used[c] || !una_table_is_missing(&data->column[c], i);
        if (whole) l->row[l->rows++] = i;
    }
}

/* A column of one level is left out with a sentence, even if all its words are rare. */
static una_status note_constant(una_learner *l, const una_table_column *column, bool present)
{
    size_t words = 0, other = l->from.other;
    if (present && column->is_text && other) UNA_TRY(una_learner_words(&words, l, column));
    if (words > 1)
        una_notes_add(l->notes, "column '%s' was left out: each of its %zu different words stands in fewer than %zu "
                      "rows (--other %zu), so all of them would be one level. Lower N, group the words, or take the "
                      "column out with --drop '%s'", column->name, words, other, other, column->name);
    else
        una_notes_add(l->notes, present ? "column '%s' is constant and was left out" :
                      "column '%s' has no values and was left out", column->name);
    return UNA_OK;
}

/* Takes out columns without variation and says so. */
static una_status drop_constants(bool *dropped, una_learner *l)
{
    *dropped = false;
    for (size_t c = 0; c < l->data->columns; c++) {
        const una_table_column *column = &l->data->column[c];
        if (!l->used[c]) continue;
        UNA_TRY(una_check_cancelled(l->run, "looking at columns"));
        bool present = false, varies;
        for (size_t i = 0; i < l->rows && !present; i++) present = !una_table_is_missing(column, l->row[i]);
        present = una_run_any(present, l->run);
        if (column->is_text) UNA_TRY(una_learner_words_vary(&varies, l, column));
        else varies = !moments_of(l, column->number).constant;
        if (varies) continue;

        l->used[c] = false;
        *dropped = true;
        UNA_TRY(note_constant(l, column, present));
    }
    return UNA_OK;
}

static void note_rows(const una_learner *l)
{
    size_t without = 0, rest = una_run_sum_size(l->data->rows - l->rows, l->run);
    for (size_t i = 0; rest > 0 && l->from.targets > 1 && i < l->data->rows; i++)
        without += !row_has_target(l, i);
    without = una_run_sum_size(without, l->run);
    rest -= without;
    if (without)
        una_notes_add(l->notes, without == 1 ? "%zu row without any target was left out" :
                      "%zu rows without any target were left out", without);
    if (rest)
        una_notes_add(l->notes, rest == 1 ? "%zu row with missing cells was left out" :
                      "%zu rows with missing cells were left out", rest);
}

/* Leaves out a column that only counts the rows, unless a person names it or there is no other input. */
static void drop_count(una_learner *l)
{
    const una_table_column *first = &l->data->column[0];
    size_t inputs = 0;
    for (size_t c = 0; c < l->data->columns; c++) inputs += l->used[c];
    bool named = l->data->images || (l->from.selection && l->from.selection->only_count);
    if (!l->used[0] || inputs < 2 || named) return;
    if (una_run_any(first->form.kind != UNA_CELLS_COUNT, l->run)) return;
    l->used[0] = false;
    una_notes_add(l->notes, "column '%s' counts the rows and was left out", first->name);
}

static una_status choose_columns(una_learner *l)
{
    const una_dataset *data = l->data;
    bool dropped, any = false;
    for (size_t c = 0; c < data->columns; c++)
        l->used[c] = !l->asked[c] && !l->out[c] && (!data->images || c == data->image_column);
    drop_count(l);
    if (l->from.missing != UNA_MISSING_DROP) UNA_TRY(refuse_missing_cells(l));
    choose_training_rows(l, false);
    UNA_TRY(drop_constants(&dropped, l));

    /* A column may become constant when rows go; rows come back when such a column goes. */
    for (dropped = l->from.missing == UNA_MISSING_DROP; dropped;) {
        choose_training_rows(l, true);
        size_t rows = una_run_sum_size(l->rows, l->run), all = una_run_sum_size(data->rows, l->run);
        UNA_TRY(una_run_sums_check(l->run));
        if (rows < 2)
            UNA_FAIL(l->run, UNA_E_INPUT, "only %zu of the %zu rows of %s have no missing cell; use --missing mean, or "
                     "take out the column with the most missing cells", rows, all, data->origin);
        UNA_TRY(drop_constants(&dropped, l));
    }

    note_rows(l);
    UNA_TRY(una_run_sums_check(l->run));
    for (size_t c = 0; c < data->columns; c++) any = any || l->used[c];
    if (any) return UNA_OK;
    UNA_FAIL(l->run, UNA_E_INPUT, "every input column of %s is constant%s, so there is nothing to learn from",
             data->origin, l->from.other ? " (words in fewer rows than --other says are one level)" : "");
}

/* ---- twins ------------------------------------------------------------------------------------------------ */

static bool equal_columns(const una_learner *l, const una_table_column *a, const una_table_column *b)
{
    if (a->is_text != b->is_text) return false;
    for (size_t i = 0; i < l->rows; i++) {
        size_t row = l->row[i];
        if (a->is_text ? a->word[row] != b->word[row]
                       : a->number[row] != b->number[row] && !(isnan(a->number[row]) && isnan(b->number[row])))
            return false;
    }
    return true;
}

/* slot [slots]: 1 + the first of the columns that are equal, by the sum of their fingerprints over all rows. */
static void note_equal_column(const una_learner *l, size_t c, const size_t *print, size_t *slot, size_t slots)
{
    const una_table_column *column = l->data->column;
    size_t i = print[c] & (slots - 1);
    for (; slot[i]; i = (i + 1) & (slots - 1)) {
        size_t b = slot[i] - 1;
        if (print[b] != print[c] || una_run_any(!equal_columns(l, &column[b], &column[c]), l->run)) continue;
        const char *one = column[b].name, *other = column[c].name;
        if (l->asked[b] && l->asked[c]) una_notes_add(l->notes, "targets '%s' and '%s' are identical", one, other);
        else if (l->asked[b] || l->asked[c])
            una_notes_add(l->notes, "column '%s' equals the target in every row; leave it out if it will not be known "
                          "beforehand", l->asked[b] ? other : one);
        else una_notes_add(l->notes, "columns '%s' and '%s' are identical; both were kept", one, other);
        return;
    }
    slot[i] = c + 1;
}

static una_status note_equal_columns(const una_learner *l)
{
    const una_dataset *data = l->data;
    una_hash_key key = una_hash_key_of(l->run);
    size_t slots = 16;
    while (slots < 2 * data->columns) slots *= 2;
    UNA_NEW(&l->run->scratch, size_t, print, data->columns);
    UNA_NEW(&l->run->scratch, size_t, slot, slots);
    for (size_t c = 0; c < data->columns; c++) {
        if (!l->used[c] && !l->asked[c]) continue;
        una_hash h = una_hash_begin(key);
        for (size_t i = 0; i < l->rows; i++) {
            if (!data->column[c].is_text) una_hash_add_number(&h, data->column[c].number[l->row[i]]);
            else una_hash_add(&h, (uint64_t)(uintptr_t)data->column[c].word[l->row[i]]);
        }
        print[c] = una_run_sum_size((size_t)(una_hash_end(h) >> 24), l->run);
        note_equal_column(l, c, print, slot, slots);
        UNA_TRY(una_check_cancelled(l->run, "comparing columns"));
    }
    return una_run_sums_check(l->run);
}

/* ---- results ----------------------------------------------------------------------------------------------- */

/* The unit of a column, NULL where none matters: 30% and 30 are the same. */
static const char *learn_unit(const una_learner *l, size_t c)
{
    const char *unit = l->data->column[c].form.unit;
    return unit[0] && strcmp(unit, "%") != 0 ? una_arena_text(l->arena, unit) : NULL;
}

/* How a new file must be written to be read the same way (a percent sign and a decimal mark do not matter), and which
 * parts of the calendar help with the first target. */
static una_status learn_parts(una_source *source, una_learner *l, size_t c)
{
    const una_dataset *data = l->data;
    una_cell_format_kind kind = data->column[c].form.kind;
    source->unit = learn_unit(l, c);
    UNA_TRY(una_arena_check(l->arena));
    if (!una_is_moment(kind)) return UNA_OK;
    source->form = kind;
    const double *x[UNA_CALENDAR_PARTS_COLUMNS];
    una_calendar_parts_question q = { .days = data->column[c].number, .y = data->column[l->target[0]].number, .x = x,
                                      .row = l->row, .rows = l->rows, .time_only = kind == UNA_CELLS_TIME };
    for (size_t k = 0; k < data->columns && q.columns < UNA_CALENDAR_PARTS_COLUMNS; k++)
        if (k != c && l->used[k] && !data->column[k].is_text) x[q.columns++] = data->column[k].number;
    double gain;
    UNA_SCOPED(l->run, una_calendar_parts_choose(&source->parts, &gain, &q, l->run));
    if (!source->parts) return UNA_OK;

    una_text list = una_text_in(&l->run->scratch);
    for (unsigned p = 0; p < UNA_PARTS; p++)
        if (source->parts >> p & 1)
            una_text_add(&list, "%s%s", list.length ? " and " : "", una_calendar_part_name((una_calendar_part)p));
    UNA_TRY(una_arena_check(&l->run->scratch));
    una_notes_add(l->notes, "of the dates in '%s' the %s became inputs too: by them the squared error of a linear "
                  "trial on held-out rows fell by %.0f %%", source->name, list.at, 100 * gain);
    return UNA_OK;
}

static una_status learn_sources(una_columns *columns, una_learner *l)
{
    const una_dataset *data = l->data;
    UNA_NEW_AT(l->arena, columns->sources, data->columns);
    for (size_t c = 0; c < data->columns; c++) {
        if (!l->used[c]) continue;
        UNA_TRY(una_check_cancelled(l->run, "learning about columns"));
        l->at[columns->source_count] = c;
        una_source *source = &columns->sources[columns->source_count++];
        source->name = una_arena_text(l->arena, data->column[c].name);
        if (data->column[c].is_text) UNA_TRY(una_learner_text(source, l, c));
        else source->mean = moments_of(l, data->column[c].number).mean;
        if (!source->is_text && !data->images) UNA_TRY(learn_parts(source, l, c));
        if (data->images) source->image = data->images->shape;
        else if (!source->is_text && l->from.missing == UNA_MISSING_MEAN) {
            bool some = false;
            for (size_t i = 0; i < l->rows && !some; i++) some = isnan(data->column[c].number[l->row[i]]);
            source->has_missing_indicator = una_run_any(some, l->run);
        }
        columns->input_count += una_source_inputs(source);
    }
    return una_arena_check(l->arena);
}

static una_status learn_target_scale(una_columns *columns, const una_learner *l, size_t target)
{
    const una_table_column *column = &l->data->column[target];
    moments m = moments_of(l, column->number);
    if (l->from.targets > 1 && m.count < 2)
        UNA_FAIL(l->run, UNA_E_INPUT, "the target '%.60s' has %s in %s; at least two are needed", column->name,
                 m.count ? "only one value" : "no values", l->data->origin);
    if (m.constant)
        UNA_FAIL(l->run, UNA_E_INPUT,
                 "the target '%.60s' has the same value in every row of %s, so there is nothing to "
                 "learn; choose another column with --target",
                 column->name, l->data->origin);

    columns->target = una_arena_text(l->arena, column->name);
    columns->target_unit = learn_unit(l, target);
    columns->target_centre = m.mean;
    columns->target_scale = m.std;
    columns->one_of_several = l->from.targets > 1;
    return una_arena_check(l->arena);
}

/* One centre and scale for all numbers of all images that rows in use name. */
static una_status learn_image_scale(una_columns *columns, const una_learner *l)
{
    const una_images *images = l->data->images;
    double sum[3] = { 0, 0, 0 };
    UNA_NEW(&l->run->scratch, double, numbers, images->each);
    for (size_t i = 0; i < l->rows; i++) {
        size_t item;
        UNA_TRY(una_table_image(&item, l->data, l->row[i], l->run));
        una_images_take(images, item, 0, 1, numbers);
        double own = 0, square = 0;
        for (size_t k = 0; k < images->each; k++) {
            own += numbers[k];
            square += numbers[k] * numbers[k];
        }
        sum[0] += own;
        sum[1] += square;
        sum[2] += (double)images->each;
    }
    UNA_TRY(una_run_sum_f64(sum, 3, l->run));
    double mean = sum[0] / sum[2], var = sum[1] / sum[2] - mean * mean;
    if (!(var > UNA_ROUNDING * mean * mean))
        UNA_FAIL(l->run, UNA_E_INPUT, "all images of %s that rows of %s name are of one shade, so there is nothing to "
                 "learn from", images->origin, l->data->origin);
    columns->inputs->centre = mean;
    columns->inputs->scale = sqrt(var);
    return UNA_OK;
}

static una_status learn_source_scales(una_columns *columns, const una_learner *l)
{
    UNA_TRY(una_columns_inputs(columns, l->arena));
    if (l->data->images) return learn_image_scale(columns, l);
    for (size_t i = 0; i < columns->input_count; i++) {
        una_input *input = &columns->inputs[i];
        if (input->level != SIZE_MAX || input->turn) continue;
        input->scale = moments_of(l, l->data->column[l->at[input->source]].number).std;
    }
    return una_arena_check(l->arena);
}

/* ---- how the file was written ------------------------------------------------------------------------------ */

static bool is_spoken_of(const una_learner *l, const una_table_note *note)
{
    return note->column == SIZE_MAX || !l->out[note->column];
}

/* Lists the columns with a note of this kind, from note `first` on, and what is noted of the first one. */
static void tell_way(const una_learner *l, size_t first)
{
    enum { SHOWN = 8 };
    const una_table_note *begin = &l->data->notes.at[first];
    una_text names = una_text_in(&l->run->scratch);
    size_t count = 0;
    for (size_t i = first; i < l->data->notes.count; i++) {
        const una_table_note *note = &l->data->notes.at[i];
        if (note->way != begin->way || !is_spoken_of(l, note) || count++ >= SHOWN) continue;
        una_text_add(&names, "%s'%s'", count > 1 ? ", " : "", l->data->column[note->column].name);
    }
    if (count > SHOWN) una_text_add(&names, " and %zu more", count - SHOWN);
    if (!l->run->scratch.failed)
        una_notes_add(l->notes, "column%s %s: %s", count == 1 ? "" : "s", names.at, begin->text);
}

/* Notes on columns that were left out by request are dropped. */
static una_status tell_reading(const una_learner *l)
{
    uint32_t noted = 0;                                           /* bits 1 << way */
    for (size_t i = 0; i < l->data->notes.count; i++) {
        const una_table_note *note = &l->data->notes.at[i];
        if (!is_spoken_of(l, note)) continue;
        if (note->way == 0) una_notes_add(l->notes, "%s", note->text);
        else if (!(noted >> note->way & 1)) tell_way(l, i);
        noted |= (uint32_t)1 << note->way;
    }
    return una_arena_check(&l->run->scratch);
}

static una_status learn_all_columns(una_columns *const *columns, una_learner *l)
{
    una_arena *work = &l->run->scratch;
    size_t targets = l->from.targets;
    UNA_NEW_AT(work, l->target, targets);
    UNA_TRY(first_checks(l));
    UNA_NEW_AT(work, l->used, l->data->columns);
    UNA_NEW_AT(work, l->out, l->data->columns);
    UNA_NEW_AT(work, l->asked, l->data->columns);
    UNA_NEW_AT(work, l->at, l->data->columns);
    UNA_NEW_ROWS_AT(work, l->row, l->data->rows);
    UNA_NEW_ROWS_AT(work, l->level, l->data->rows + 2);
    for (size_t t = 0; t < targets; t++) l->asked[l->target[t]] = true;
    UNA_TRY(una_selection_apply(l->out, l->from.selection, l->data, l->target, targets, l->run));
    UNA_TRY(tell_reading(l));
    columns[0]->file_notes = l->notes ? l->notes->count : 0;
    UNA_TRY(choose_columns(l));
    UNA_TRY(una_selection_copy(&columns[0]->selection, l->from.selection, l->arena));
    una_text left = una_text_in(work);
    una_selection_describe(&left, &columns[0]->selection);
    UNA_TRY(una_arena_check(work));
    if (left.length) una_notes_add(l->notes, "%s", left.at);
    UNA_TRY(learn_sources(columns[0], l));
    UNA_TRY(learn_target_scale(columns[0], l, l->target[0]));
    UNA_TRY(learn_source_scales(columns[0], l));
    for (size_t t = 1; t < targets; t++) {
        *columns[t] = *columns[0];
        UNA_TRY(learn_target_scale(columns[t], l, l->target[t]));
    }
    UNA_TRY(note_equal_columns(l));
    UNA_SCOPED(l->run, una_columns_saveable(columns, targets, l->run));
    return l->notes ? una_arena_check(l->notes->arena) : UNA_OK;
}

void una_columns_warn_misread(una_columns *columns, const una_selection *selection, const una_dataset *data,
                              una_notes *warnings, const una_run *run)
{
    columns->file_warnings = 0;
    for (size_t i = 0; i < data->doubts.count; i++) {
        const una_table_note *doubt = &data->doubts.at[i];
        if (!una_selection_allows(selection, data->column[doubt->column].name)) continue;
        columns->file_warnings++;
        if (una_run_counts(run)) una_notes_add(warnings, "%s", doubt->text);
    }
}

una_status una_columns_learn(una_columns *const *columns, const una_learning *from, una_arena *arena, una_run *run)
{
    una_learner l = { .from = *from, .data = from->data, .notes = from->notes, .arena = arena, .run = run };
    if (l.from.targets == 0) l.from.targets = 1;
    for (size_t t = 0; t < l.from.targets; t++) *columns[t] = (una_columns){ .missing = from->missing };
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = learn_all_columns(columns, &l);
    bool results_in_scratch = arena == &run->scratch || (l.notes && l.notes->arena == &run->scratch);
    if (!results_in_scratch) una_arena_release(&run->scratch, mark);
    return status;
}

