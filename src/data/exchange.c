/* SPDX-License-Identifier: MIT
 *
 * Columns in a model file. Inputs are not written but made again from the sources, so that no index of theirs can
 * be wrong; everything else that a file says is checked.
 */
#include "base/calendar.h"
#include "data/columns.h"
#include "data/images.h"

/* Sources of a file: more than any table has. Least bytes of one, of a level and of a number in it. */
enum { MOST_SOURCES = 1 << 24, LEAST_SOURCE = 100, LEAST_LEVEL = 31, LEAST_RARE = 8 };

/* Whether a block is there, or is due, that older files do not have. */
static bool has_block(const una_archive *ar, const char *block, bool due)
{
    return ar->loading ? una_archive_next_is(ar, block) : due;
}

static una_status check_loaded_levels(una_archive *ar, const una_source *source)
{
    size_t sorted = una_source_words(source);
    for (size_t k = 1; k < sorted; k++)
        if (strcmp(source->levels[k - 1], source->levels[k]) >= 0)
            return una_archive_refuse(ar, "columns.level", "is not in order");
    if (!source->has_other) return UNA_OK;
    bool last = strcmp(source->levels[sorted], "other") == 0;
    for (size_t k = 0; k < sorted; k++) last = last && strcmp(source->levels[k], "other") != 0;
    if (source->has_never_seen) last = last && strcmp(source->levels[sorted + 1], "never seen") == 0;
    return last ? UNA_OK : una_archive_refuse(ar, "columns.level", "does not end with the one level 'other'");
}

/* Words that were rare. Without this block, in older files, "other" may be the level of training rows and of words
 * never seen alike. */
static una_status exchange_rare(una_source *source, una_archive *ar)
{
    const char *name = "columns.rare";
    if (!has_block(ar, name, source->has_untrained_level)) return UNA_OK;
    UNA_TRY(una_archive_size(ar, name, &source->rare_count, 0, SIZE_MAX / 8));
    UNA_TRY(una_archive_expect(ar, name, source->rare_count, LEAST_RARE));
    if (source->rare_count) UNA_TRY(una_archive_f64s(ar, name, &source->rare, source->rare_count));
    if (!ar->loading) return UNA_OK;
    source->has_untrained_level = true;
    source->has_never_seen = source->rare_count > 0;
    for (size_t k = 1; k < source->rare_count; k++)
        if (!(source->rare[k - 1] < source->rare[k])) return una_archive_refuse(ar, name, "is not in order");
    if (source->has_other && source->level_count > (size_t)1 + source->has_never_seen) return UNA_OK;
    return una_archive_refuse(ar, name, "is there without a level 'other'");
}

static una_status exchange_levels(una_source *source, una_archive *ar)
{
    UNA_TRY(una_archive_size(ar, "columns.levels", &source->level_count, 2, UNA_MAX_LEVELS + 2));
    UNA_TRY(una_archive_flag(ar, "columns.has_other", &source->has_other));
    size_t count = source->level_count;
    bool too_many = ar->loading && count > UNA_MAX_LEVELS && !source->has_other;
    if (too_many) return una_archive_refuse(ar, "columns.levels", "is larger than a category may be");
    UNA_TRY(una_archive_expect(ar, "columns.levels", count, LEAST_LEVEL));
    if (ar->loading) UNA_NEW_AT(ar->arena, source->levels, count);

    for (size_t k = 0; k < count; k++) {
        UNA_TRY(una_archive_text(ar, "columns.level", &source->levels[k]));
        if (ar->loading && !source->levels[k]) return una_archive_refuse(ar, "columns.level", "is missing");
    }

    UNA_TRY(una_archive_f64(ar, "columns.most_frequent", &source->mean));
    UNA_TRY(exchange_rare(source, ar));
    if (!ar->loading) return UNA_OK;
    if (!(source->mean >= 0 && source->mean < (double)count && source->mean == floor(source->mean)))
        return una_archive_refuse(ar, "columns.most_frequent", "is not the number of a level");
    if (una_source_words(source) > UNA_MAX_LEVELS)
        return una_archive_refuse(ar, "columns.levels", "is larger than a category may be");
    return check_loaded_levels(ar, source);
}

static una_status exchange_image(una_image_shape *shape, una_archive *ar)
{
    UNA_TRY(una_archive_size(ar, "columns.height", &shape->height, 1, UNA_MOST_PIXELS));
    UNA_TRY(una_archive_size(ar, "columns.width", &shape->width, 1, UNA_MOST_PIXELS));
    UNA_TRY(una_archive_size(ar, "columns.channels", &shape->channels, 1, UNA_MOST_CHANNELS));
    return una_image_size(*shape) <= UNA_MOST_PIXELS ? UNA_OK
           : una_archive_refuse(ar, "columns.height", "makes images larger than they can be");
}

/* A number that is remembered with how it was written: dates and their parts, a unit. */
static una_status exchange_form(una_source *source, una_archive *ar)
{
    size_t form = source->form, parts = source->parts;
    const char *unit = source->unit ? source->unit : "";
    UNA_TRY(una_archive_size(ar, "columns.form", &form, UNA_CELLS_PLAIN, UNA_CELLS_TIME));
    UNA_TRY(una_archive_size(ar, "columns.parts", &parts, 0, (1 << UNA_PARTS) - 1));
    UNA_TRY(una_archive_text(ar, "columns.unit", &unit));
    if (!ar->loading) return UNA_OK;
    if (unit && strlen(unit) >= UNA_UNIT_ROOM) return una_archive_refuse(ar, "columns.unit", "is too long");
    source->form = (una_cell_format_kind)form;
    source->parts = (unsigned)parts;
    source->unit = unit && *unit ? unit : NULL;
    if (form == UNA_CELLS_NUMBER) return una_archive_refuse(ar, "columns.form", "is none that is written");
    if (form != UNA_CELLS_PLAIN || !parts) return UNA_OK;
    return una_archive_refuse(ar, "columns.parts", "has calendar parts of a column without dates");
}

/* What a source adds to the file; *centre and *scale are those of its input where it is a number. */
static una_status exchange_source(una_source *source, double *centre, double *scale, una_archive *ar)
{
    enum { PLAIN, WORDS, IMAGE, WRITTEN };
    const char *indicator = "columns.tells_missing";
    bool written = source->form != UNA_CELLS_PLAIN || source->parts || (source->unit && source->unit[0]);
    size_t sort = written ? WRITTEN : PLAIN;
    if (source->image.height) sort = IMAGE;
    else if (source->is_text) sort = WORDS;
    UNA_TRY(una_archive_name(ar, "columns.name", &source->name));
    UNA_TRY(una_archive_size(ar, "columns.is_text", &sort, PLAIN, WRITTEN));
    source->is_text = sort == WORDS;
    if (source->is_text) return exchange_levels(source, ar);
    if (sort == IMAGE) UNA_TRY(exchange_image(&source->image, ar));
    if (sort == WRITTEN) UNA_TRY(exchange_form(source, ar));
    UNA_TRY(una_archive_f64(ar, "columns.mean", &source->mean));
    UNA_TRY(una_archive_f64(ar, "columns.centre", centre));
    UNA_TRY(una_archive_f64(ar, "columns.scale", scale));
    /* Written only where it is set: older files, and files of tables without missing cells, have no such block. */
    if (sort != IMAGE && has_block(ar, indicator, source->has_missing_indicator)) {
        UNA_TRY(una_archive_flag(ar, indicator, &source->has_missing_indicator));
        if (!source->has_missing_indicator) return una_archive_refuse(ar, indicator, "is there and says no");
    }
    return !ar->loading || *scale > 0 ? UNA_OK : una_archive_refuse(ar, "columns.scale", "is not positive");
}

static una_status save_sources(una_columns *columns, una_archive *ar)
{
    una_input *input = columns->inputs;
    for (size_t s = 0; s < columns->source_count; s++) {
        una_source *source = &columns->sources[s];
        UNA_TRY(exchange_source(source, &input->centre, &input->scale, ar));
        input += una_source_inputs(source);
    }
    return UNA_OK;
}

static una_status load_sources(una_columns *columns, una_archive *ar)
{
    UNA_NEW_AT(ar->arena, columns->sources, columns->source_count);
    UNA_NEW(ar->arena, double, centre, columns->source_count);
    UNA_NEW(ar->arena, double, scale, columns->source_count);

    for (size_t s = 0; s < columns->source_count; s++) {
        UNA_TRY(exchange_source(&columns->sources[s], &centre[s], &scale[s], ar));
        if (columns->sources[s].image.height && columns->source_count > 1)
            return una_archive_refuse(ar, "columns.is_text", "has an image beside other columns");
        columns->input_count += una_source_inputs(&columns->sources[s]);
    }

    UNA_TRY(una_columns_inputs(columns, ar->arena));
    una_input *input = columns->inputs;
    for (size_t s = 0; s < columns->source_count; s++) {
        if (!columns->sources[s].is_text) input->centre = centre[s], input->scale = scale[s];
        input += una_source_inputs(&columns->sources[s]);
    }
    return UNA_OK;
}

static una_status check_loaded_names(una_columns *const *target, size_t targets, una_archive *ar)
{
    size_t first, second, count = target[0]->source_count;
    UNA_NEW(&ar->run->scratch, const char *, names, count + targets);
    for (size_t s = 0; s < count; s++) names[s] = target[0]->sources[s].name;
    for (size_t t = 0; t < targets; t++) names[count + t] = target[t]->target;
    UNA_TRY(una_names_repeated(&first, &second, names, count + targets, ar->run));
    return second ? una_archive_refuse(ar, "columns.name", "stands twice") : UNA_OK;
}

/* Unit and logarithm are written only where there are such: older files have no such blocks. */
static una_status exchange_target(una_columns *columns, una_archive *ar)
{
    const char *block = "columns.target_unit", *unit = columns->target_unit;
    UNA_TRY(una_archive_name(ar, "columns.target", &columns->target));
    UNA_TRY(una_archive_f64(ar, "columns.target_centre", &columns->target_centre));
    UNA_TRY(una_archive_f64(ar, "columns.target_scale", &columns->target_scale));
    if (ar->loading && !(columns->target_scale > 0))
        return una_archive_refuse(ar, "columns.target_scale", "is not positive");

    if (has_block(ar, block, unit && *unit)) {
        UNA_TRY(una_archive_name(ar, block, &unit));
        if (strlen(unit) >= UNA_UNIT_ROOM) return una_archive_refuse(ar, block, "is too long");
        columns->target_unit = unit;
    }
    if (!has_block(ar, "columns.log", columns->log_target)) return UNA_OK;
    return una_archive_flag(ar, "columns.log", &columns->log_target);
}

una_status una_columns_exchange(una_columns *const *target, size_t targets, una_archive *ar)
{
    una_columns *columns = target[0];
    for (size_t t = 0; t < targets; t++) {
        if (ar->loading) *target[t] = (una_columns){ .one_of_several = targets > 1 };
        UNA_TRY(exchange_target(target[t], ar));
        if (target[t]->log_target != columns->log_target)
            return una_archive_refuse(ar, "columns.log", "is there for some targets and not for others");
    }

    size_t missing = columns->missing;
    UNA_TRY(una_archive_size(ar, "columns.missing", &missing, UNA_MISSING_ERROR, UNA_MISSING_MEAN));
    UNA_TRY(una_archive_size(ar, "columns.sources", &columns->source_count, 1, MOST_SOURCES));
    UNA_TRY(una_archive_expect(ar, "columns.sources", columns->source_count, LEAST_SOURCE));
    columns->missing = (una_missing)missing;
    UNA_TRY(ar->loading ? load_sources(columns, ar) : save_sources(columns, ar));
    UNA_TRY(una_selection_exchange(&columns->selection, ar));
    if (!ar->loading) return UNA_OK;

    for (size_t t = 1; t < targets; t++) {
        una_columns *other = target[t], own = *other;
        *other = *columns;
        other->target = own.target;
        other->target_unit = own.target_unit;
        other->target_centre = own.target_centre;
        other->target_scale = own.target_scale;
    }
    UNA_SCOPED(ar->run, check_loaded_names(target, targets, ar));
    return UNA_OK;
}

/* Checks by saving them, so that the sentence is the same as after a fit. */
una_status una_columns_saveable(una_columns *const *columns, size_t targets, una_run *run)
{
    una_archive ar;
    una_text names = una_text_in(&run->scratch);
    for (size_t s = 0; s < columns[0]->source_count; s++) una_text_json(&names, columns[0]->sources[s].name);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_archive_save_begin(&ar, names.at, &run->scratch, run));
    return una_columns_exchange(columns, targets, &ar);
}
