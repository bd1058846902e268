/* SPDX-License-Identifier: MIT
 *
 * A table as a model sees it: x [rows, inputs] with numbers standardised and categories as 0 and 1. Columns are
 * matched by name; whatever cannot be encoded is refused with its place.
 */
#include "base/calendar.h"
#include "data/columns.h"
#include "data/images.h"

static const double PI = 3.14159265358979323846;
static const double TURN_SCALE = 0.70710678118654752;            /* of a sine over its circle */

/* ---- inputs --------------------------------------------------------------------------------------------------- */

double una_input_value(const una_input *input, double number)
{
    if (input->turn == 0) return number;
    double angle = 2 * PI * una_calendar_phase((una_calendar_part)((input->turn - 1) / 2), number);
    if (isnan(angle)) return 0;
    return input->turn % 2 ? sin(angle) : cos(angle);
}

double una_input_slope(const una_input *input, double number)
{
    static const double turns[] = { 1, 0, 1 / 365.2425 };        /* a day; weekdays are steps */
    if (input->turn == 0) return 1;
    una_calendar_part part = (una_calendar_part)((input->turn - 1) / 2);
    double angle = 2 * PI * una_calendar_phase(part, number);
    return 2 * PI * turns[part] * (input->turn % 2 ? cos(angle) : -sin(angle));
}

const char *una_input_name(const una_columns *columns, const una_input *input, una_arena *arena)
{
    const una_source *source = &columns->sources[input->source];
    una_text name = una_text_in(arena);
    if (input->turn)
        una_text_add(&name, "%s, %s (%s)", source->name,
                     una_calendar_part_name((una_calendar_part)((input->turn - 1) / 2)),
                     input->turn % 2 ? "sine" : "cosine");
    else if (input->level == UNA_LEVEL_MISSING) una_text_add(&name, "%s is missing", source->name);
    else if (input->level == SIZE_MAX) return source->name;
    else una_text_add(&name, "%s=%s", source->name, source->levels[input->level]);
    return name.at;
}

una_status una_columns_inputs(una_columns *columns, una_arena *arena)
{
    bool image = una_columns_image(columns).height > 0;
    UNA_NEW_AT(arena, columns->inputs, image ? 1 : columns->input_count);

    una_input *input = columns->inputs;
    for (size_t s = 0; s < columns->source_count; s++) {
        const una_source *source = &columns->sources[s];
        if (!source->is_text) *input++ = (una_input){ s, SIZE_MAX, source->mean, 1, 0 };
        for (unsigned turn = 1; turn <= 2 * UNA_PARTS && source->parts; turn++)
            if (source->parts >> (turn - 1) / 2 & 1) *input++ = (una_input){ s, SIZE_MAX, 0, TURN_SCALE, turn };
        if (source->has_missing_indicator) *input++ = (una_input){ s, UNA_LEVEL_MISSING, 0, 1, 0 };
        for (size_t k = 0; k < source->level_count; k++) *input++ = (una_input){ s, k, 0, 1, 0 };
    }
    return UNA_OK;
}

/* ---- rows ----------------------------------------------------------------------------------------------------- */

typedef struct coder {
    const una_columns *columns;  /* of the first target: the inputs are the same for all            */
    const una_columns *const *target;
    size_t     targets;          /* 0: they are not wanted                                          */
    const una_dataset *data;
    size_t    *at;               /* [source_count + targets] column of the table for each source, then of each target */
    size_t    *row;              /* [rows] rows of the table that are encoded                       */
    size_t     rows;
    double    *x;                /* [rows, input_count]                                             */
    una_run   *run;
} coder;

/* Refuses dates where the model knows numbers, numbers where it knows dates, and other units. Arrays and synthetic
 * tables have no formats; their numbers count as days. */
static una_status check_form(const coder *c, una_cell_format_kind wants, const char *own,
                             const una_table_column *column)
{
    static const char *const names[] = { [UNA_CELLS_PLAIN] = "numbers", [UNA_CELLS_DATE] = "dates",
                                         [UNA_CELLS_TIME] = "times of day" };
    una_cell_format_kind found = una_is_moment(column->form.kind) ? column->form.kind : UNA_CELLS_PLAIN;
    size_t row = 0;
    while (row < c->data->rows && una_table_is_missing(column, row)) row++;
    bool file = row < c->data->rows && !column->is_text && una_table_line(c->data, row) > 0;
    if ((file || found != UNA_CELLS_PLAIN) && found != wants)
        UNA_FAIL(c->run, UNA_E_INPUT, "%.200s: the column '%.60s' holds %s, and the model knows it as %s; write them "
                 "as they were in the table of the fit", c->data->origin, column->name, names[found], names[wants]);
    if (column->form.unit[0] && own && *own && strcmp(column->form.unit, own) != 0)
        UNA_FAIL(c->run, UNA_E_INPUT, "%.200s: the cells of the column '%.60s' have the unit '%s', and the model was "
                 "fitted to '%s'; convert them", c->data->origin, column->name, column->form.unit, own);
    return UNA_OK;
}

static una_status match_columns(coder *c)
{
    size_t sources = c->columns->source_count;
    for (size_t s = 0; s < sources + c->targets; s++) {
        const una_source *source = s < sources ? &c->columns->sources[s] : NULL;
        const una_columns *target = source ? NULL : c->target[s - sources];
        UNA_TRY(una_check_cancelled(c->run, "matching columns"));
        UNA_TRY(una_table_need(&c->at[s], c->data, source ? source->name : target->target, c->run));
        const una_table_column *column = &c->data->column[c->at[s]];
        if (source && source->is_text) continue;
        UNA_TRY(source ? check_form(c, source->form, source->unit, column)
                       : check_form(c, UNA_CELLS_PLAIN, target->target_unit, column));
        if (!column->is_text || c->data->rows == 0) continue;

        const char *word = column->word[column->first_word];
        UNA_FAIL(c->run, UNA_E_INPUT, "%s: '%.40s' is not a number, and the model knows this column as numbers; "
                 "correct the cell, or write NA for a missing value",
                 una_table_place_in(&c->run->scratch, c->data, column->first_word, c->at[s]), word ? word : "");
    }
    return UNA_OK;
}

static una_status refuse_missing_input(const coder *c, size_t row, size_t s)
{
    bool target = s >= c->columns->source_count;
    bool image = una_columns_image(c->columns).height > 0;
    const char *remedy = "fill the cell, or fit the model with --missing mean (or, for fitting and scoring, --missing "
                         "drop)";
    if (target) remedy = "it is the target; fill the cell or take the row out";
    else if (image) remedy = "it names the row's image; fill the cell, or take the row out";
    else if (c->columns->missing == UNA_MISSING_DROP)
        remedy = "every row must get an answer; fill the cell, or fit the model with --missing mean";
    UNA_FAIL(c->run, UNA_E_INPUT, "%s is missing: %s", una_table_place_in(&c->run->scratch, c->data, row, c->at[s]),
             remedy);
}

/* Rows to encode: all, or those without a missing cell where rows may be dropped. One of several targets is enough. */
static una_status choose_encoded_rows(coder *c)
{
    una_missing missing = c->columns->missing;
    bool several = c->columns->one_of_several && c->targets;
    size_t sources = c->columns->source_count, needed = sources + (several ? 0 : c->targets);

    for (size_t i = 0; i < c->data->rows; i++) {
        bool whole = !several;
        UNA_TRY(una_check_cancelled(c->run, "looking for missing cells"));
        for (size_t t = 0; !whole && t < c->targets; t++)
            whole = !una_table_is_missing(&c->data->column[c->at[sources + t]], i);
        for (size_t s = 0; whole && s < needed; s++) {
            if (!una_table_is_missing(&c->data->column[c->at[s]], i)) continue;
            if (missing == UNA_MISSING_MEAN && s < sources) continue;
            if (missing != UNA_MISSING_DROP || !c->targets) return refuse_missing_input(c, i, s);
            whole = false;
        }
        if (whole) c->row[c->rows++] = i;
    }
    return UNA_OK;
}

static una_status encode_number(const coder *c, const una_table_column *column, const una_input *input, double fill,
                                double *to, size_t step)
{
    for (size_t i = 0; i < c->rows; i++) {
        double value = column->number[c->row[i]];
        double standard = ((isnan(value) ? fill : value) - input->centre) / input->scale;
        if (!isfinite(standard) && !(isnan(value) && isnan(fill)))
            UNA_FAIL(c->run, UNA_E_INPUT,
                     "%s: the value is too far from those of the training rows to be computed "
                     "with",
                     una_table_place_in(&c->run->scratch, c->data, c->row[i], (size_t)(column - c->data->column)));
        to[i * step] = standard;
    }
    return UNA_OK;
}

/* The standardised target; log y for a target that is learnt by its logarithm, which must be above 0. */
static una_status encode_target(const coder *c, const una_columns *target, size_t at, double *to, size_t step)
{
    const una_table_column *column = &c->data->column[at];
    una_input scale = { .centre = target->target_centre, .scale = target->target_scale };
    if (!target->log_target) return encode_number(c, column, &scale, NAN, to, step);
    for (size_t i = 0; i < c->rows; i++) {
        double value = column->number[c->row[i]];
        if (value <= 0)
            UNA_FAIL(c->run, UNA_E_INPUT, "%s: the target is %g, and a model of its logarithm (--log) needs values "
                     "above 0; correct the cell, leave such rows out with --where, or fit without --log",
                     una_table_place_in(&c->run->scratch, c->data, c->row[i], at), value);
        to[i * step] = (log(value) - target->target_centre) / target->target_scale;
    }
    return UNA_OK;
}

/* The level for an unknown word: "other", or "never seen" where "other" is for the known rare words only; SIZE_MAX
 * where there is neither. */
static size_t level_of_others(const una_source *source, const char *word)
{
    size_t count = una_source_words(source);
    double sum = una_word_fingerprint(word);
    if (!source->has_other) return SIZE_MAX;
    bool rare = !source->has_never_seen || strcmp(word, source->levels[count]) == 0 ||
                bsearch(&sum, source->rare, source->rare_count, sizeof sum, una_by_number);
    return rare ? count : count + 1;
}

/* The level of this word, SIZE_MAX if it has none. The last levels stand for no word of their own. */
static size_t find_level(const una_source *source, const char *word)
{
    size_t low = 0, high = una_source_words(source);
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = strcmp(source->levels[middle], word);
        if (order == 0) return middle;
        if (order < 0) low = middle + 1;
        else high = middle;
    }
    return level_of_others(source, word);
}

/* Where the column holds only numbers in this table, levels are matched by value. */
static size_t find_number_level(const una_source *source, const una_cell_format *form, double value)
{
    char text[32];
    for (size_t k = 0; k < una_source_words(source); k++) {
        const char *word = source->levels[k];
        size_t length = strlen(word);
        double level;
        bool number = una_parse_number(word, length, &level);
        if (!number && form->kind != UNA_CELLS_PLAIN)
            number = una_cell_format_value(&level, form, word, length) == UNA_CELL_NUMBER;
        if (number && level == value) return k;
    }
    return level_of_others(source, una_number_text(text, value));
}

static una_status refuse_new_word(const coder *c, const una_source *source, const una_table_column *column, size_t row)
{
    char number[32];
    const char *word = column->is_text ? column->word[row] : una_number_text(number, column->number[row]);
    una_text known = una_text_in(&c->run->scratch);
    for (size_t k = 0; k < source->level_count && k < 12; k++)
        una_text_add(&known, "%s%.30s", k ? ", " : "", source->levels[k]);
    if (source->level_count > 12) una_text_add(&known, " and %zu more", source->level_count - 12);
    UNA_FAIL(c->run, UNA_E_INPUT,
             "%s: '%.40s' was not seen in training; known are: %s. Correct the cell, or fit the model "
             "with --other N, which makes rare words share a level and keeps one for new words",
             una_table_place_in(&c->run->scratch, c->data, row, (size_t)(column - c->data->column)), word, known.at);
}

static una_status encode_text(const coder *c, const una_source *source, const una_table_column *column, double *to)
{
    const char *last = NULL;
    size_t level = SIZE_MAX;

    for (size_t i = 0; i < c->rows; i++) {
        size_t row = c->row[i];
        if (una_table_is_missing(column, row)) {
            to[i * c->columns->input_count + (size_t)source->mean] = 1;
            continue;
        }

        if (!column->is_text) level = find_number_level(source, &column->form, column->number[row]);
        else if (column->word[row] != last) level = find_level(source, last = column->word[row]);
        if (level == SIZE_MAX) return refuse_new_word(c, source, column, row);
        to[i * c->columns->input_count + level] = 1;
    }
    return UNA_OK;
}

/* to: set to 1 where the cell is missing; NULL: the model has no indicator, so the person is told. */
static void encode_missing(const coder *c, const una_source *source, const una_table_column *column, double *to)
{
    bool any = false;
    for (size_t i = 0; i < c->rows && c->columns->missing == UNA_MISSING_MEAN; i++) {
        bool missing = una_table_is_missing(column, c->row[i]);
        if (missing && to) to[i * c->columns->input_count] = 1;
        any = any || missing;
    }
    if (any && !to)
        una_log(c->run, UNA_LOG_NOTE, "missing cells of the column '%.60s' count as its mean, %g: in training it had "
                "none, so the model's ignorance does not include them", source->name, source->mean);
}

static una_status encode_images(const coder *c)
{
    const una_input *input = c->columns->inputs;
    const una_images *images = c->data->images;
    una_image_shape own = una_columns_image(c->columns);
    if (!images)
        UNA_FAIL(c->run, UNA_E_USAGE, "the model was fitted to images that the column '%.60s' names, and %s comes "
                 "without any; name their file with --images ('una predict', score, update, explain and plot have it)",
                 c->columns->sources[0].name, c->data->origin);
    if (memcmp(&own, &images->shape, sizeof own) != 0)
        UNA_FAIL(c->run, UNA_E_INPUT, "%s has images of %zu x %zu x %zu (height, width, channels), and the model was "
                 "fitted to images of %zu x %zu x %zu; resize them", images->origin, images->shape.height,
                 images->shape.width, images->shape.channels, own.height, own.width, own.channels);
    for (size_t i = 0; i < c->rows; i++) {
        size_t item;
        UNA_TRY(una_table_image(&item, c->data, c->row[i], c->run));
        una_images_take(images, item, input->centre, input->scale, c->x + i * images->each);
    }
    return UNA_OK;
}

static una_status encode_inputs(const coder *c)
{
    const una_columns *columns = c->columns;
    size_t step = columns->input_count;
    if (una_columns_image(columns).height) return encode_images(c);
    for (size_t s = 0, i = 0; s < columns->source_count; i += una_source_inputs(&columns->sources[s++])) {
        const una_input *input = &columns->inputs[i];
        const una_source *source = &columns->sources[s];
        const una_table_column *column = &c->data->column[c->at[s]];
        double *to = c->x + i;

        UNA_TRY(una_check_cancelled(c->run, "encoding"));
        if (source->is_text) {
            UNA_TRY(encode_text(c, source, column, to));
            continue;
        }
        UNA_TRY(encode_number(c, column, input, source->mean, to, step));
        size_t first_missing = una_source_inputs(source) - source->has_missing_indicator;
        for (size_t k = 1; k < first_missing; k++)       /* calendar parts; 0 where the date is missing */
            for (size_t r = 0; r < c->rows; r++) {
                double number = column->number[c->row[r]];
                to[r * step + k] = isnan(number) ? 0 : una_input_value(&input[k], number) / input[k].scale;
            }
        encode_missing(c, source, column, source->has_missing_indicator ? to + first_missing : NULL);
    }
    return UNA_OK;
}

una_status una_columns_encode_several(const una_columns *const *target, size_t targets, const una_dataset *data,
                                      const una_encoding *to, una_arena *arena)
{
    una_run *run = arena->run;
    const una_columns *columns = target[0];
    coder c = { .columns = columns, .target = target, .targets = to->y ? targets : 0, .data = data, .run = run };
    UNA_NEW_AT(arena, c.at, columns->source_count + targets);
    UNA_NEW_ROWS_AT(arena, c.row, data->rows);
    UNA_TRY(match_columns(&c));
    UNA_TRY(choose_encoded_rows(&c));

    if (c.rows > 0 && columns->input_count > SIZE_MAX / 8 / c.rows)
        UNA_FAIL(run, UNA_E_MEMORY, "%zu rows of %zu inputs are beyond any memory", c.rows, columns->input_count);
    if (to->x) *to->x = c.x = UNA_GET_ROWS(arena, double, c.rows * columns->input_count);
    double *y = to->y ? UNA_GET_ROWS(arena, double, c.rows * targets) : NULL;
    UNA_TRY(una_arena_check(arena));
    if (to->x) UNA_TRY(encode_inputs(&c));
    for (size_t t = 0; t < c.targets; t++)
        UNA_TRY(encode_target(&c, target[t], c.at[columns->source_count + t], y + t, targets));

    if (to->y) *to->y = y;
    if (to->kept) *to->kept = c.row;
    *to->rows = c.rows;
    return UNA_OK;
}

una_status una_columns_encode(const una_columns *columns, const una_dataset *data, const una_encoding *to,
                              una_arena *arena)
{
    return una_columns_encode_several(&columns, 1, data, to, arena);
}

una_wanted *una_columns_wanted(const una_columns *const *target, size_t targets, una_arena *arena)
{
    const una_columns *columns = target[0];
    una_wanted *wanted = UNA_GET(arena, una_wanted, columns->source_count + targets);
    if (!wanted) return NULL;
    for (size_t s = 0; s < columns->source_count; s++)
        wanted[s] = (una_wanted){ .name = columns->sources[s].name, .is_text = columns->sources[s].is_text,
                                  .form = columns->sources[s].form,
                                  .unit = columns->sources[s].unit ? columns->sources[s].unit : "" };
    for (size_t t = 0; t < targets; t++)
        wanted[columns->source_count + t] =
            (una_wanted){ .name = target[t]->target, .unit = target[t]->target_unit ? target[t]->target_unit : "" };
    return wanted;
}

static void tell_unit(const char *name, const char *own, const una_dataset *data, una_notes *warnings)
{
    size_t at = una_table_find(data, name);
    const char *found = at == SIZE_MAX ? "" : data->column[at].form.unit;
    if (!*found || strcmp(found, "%") == 0 || (own && *own)) return;
    una_notes_add(warnings, "column '%.60s' of %.200s: the unit '%s' was taken off, and the model was fitted to "
                  "numbers without a unit", name, data->origin, found);
}

void una_columns_warn_units(const una_columns *const *target, size_t targets, const una_dataset *data,
                            una_notes *warnings)
{
    const una_columns *columns = target[0];
    for (size_t s = 0; s < columns->source_count; s++)
        if (!columns->sources[s].is_text) tell_unit(columns->sources[s].name, columns->sources[s].unit, data, warnings);
    for (size_t t = 0; t < targets; t++) tell_unit(target[t]->target, target[t]->target_unit, data, warnings);
}
