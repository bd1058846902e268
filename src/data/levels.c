/* SPDX-License-Identifier: MIT
 *
 * Columns of words: their levels, and what is said where words stand among numbers. Processes that learn together have
 * the levels of all their rows.
 */
#include "data/learner.h"

#include "base/hash.h"
#include "data/build.h"

static const char OTHER[] = "other", NEVER_SEEN[] = "never seen";

/* ---- levels ------------------------------------------------------------------------------------------------- */

static int by_level(const void *a, const void *b)
{
    return strcmp(((const una_level *)a)->word, ((const una_level *)b)->word);
}

/* Merges the levels of all processes into l->level, sorted. */
static una_status merge_levels(una_learner *l, size_t *count)
{
    una_arena *work = &l->run->scratch;
    una_text mine = una_text_in(work);
    unsigned char *all;
    size_t size, words = 0;
    for (size_t k = 0; k < *count; k++) {
        una_text_bytes(&mine, (const char *)&l->level[k].count, sizeof l->level[k].count);
        una_text_bytes(&mine, l->level[k].word, strlen(l->level[k].word) + 1);
    }
    UNA_TRY(una_arena_check(work));
    UNA_TRY(una_run_gather_bytes(&all, &size, mine.at, mine.length, work, l->run));

    UNA_NEW(work, una_level, found, size / (sizeof found->count + 1) + l->data->rows + 3);
    for (size_t at = 0; at < size; at += strlen(found[words++].word) + 1) {
        memcpy(&found[words].count, all + at, sizeof found->count);
        found[words].word = (const char *)all + (at += sizeof found->count);
    }
    if (words) qsort(found, words, sizeof *found, by_level);
    *count = 0;
    for (size_t k = 0; k < words; k++) {
        if (*count > 0 && strcmp(found[*count - 1].word, found[k].word) == 0) found[*count - 1].count += found[k].count;
        else found[(*count)++] = found[k];
    }
    l->level = found;
    return UNA_OK;
}

/* Words that equal the names of these levels always count as rare. */
static bool is_rare(const una_learner *l, const una_level *word)
{
    return word->count < l->from.other || strcmp(word->word, OTHER) == 0 || strcmp(word->word, NEVER_SEEN) == 0;
}

/* The words of the rows in use, in the order in which they come. */
static una_status count_words_of_rows(una_learner *l, const una_table_column *column, size_t *count)
{
    una_numbering words = una_numbering_in(&l->run->scratch);
    for (size_t i = 0; i < l->rows; i++) {
        const char *word = column->word[l->row[i]];
        size_t before = words.count, number = una_number_of(&words, word);
        if (i % 65536 == 0) UNA_TRY(una_check_cancelled(l->run, "looking for categories"));
        if (number == 0) continue;
        if (words.count > before) l->level[before] = (una_level){ word, 0 };
        l->level[number - 1].count++;
    }
    *count = words.count;
    return una_arena_check(&l->run->scratch);
}

una_status una_learner_words(size_t *count, una_learner *l, const una_table_column *column)
{
    size_t other = l->from.other;
    UNA_SCOPED(l->run, count_words_of_rows(l, column, count));
    if (*count && (*count <= UNA_MAX_LEVELS || other)) qsort(l->level, *count, sizeof *l->level, by_level);
    if (l->whole) return UNA_OK;

    /* There may be too many words to send: then only their number, or a lower bound of it, is known. */
    double most = una_run_max((double)*count, l->run);
    if (other || !(most > UNA_MAX_LEVELS)) return merge_levels(l, count);
    *count = (size_t)most;
    return UNA_OK;
}

/* Fills l->level with the sorted levels of the rows in use. With --other, the level "other" of rare words follows, then
 * "never seen", which no row has. Where no word is rare, "other" itself stands for words never seen. */
static una_status learn_levels(size_t *count, una_learner *l, const una_table_column *column)
{
    size_t kept = 0, shared = 0;
    UNA_TRY(una_learner_words(count, l, column));
    for (size_t i = 0; i < *count && l->from.other; i++) {
        if (!is_rare(l, &l->level[i])) l->level[kept++] = l->level[i];
        else shared += l->level[i].count;
    }
    if (l->from.other == 0) return UNA_OK;
    l->level[kept++] = (una_level){ OTHER, shared };
    if (shared) l->level[kept++] = (una_level){ NEVER_SEEN, 0 };
    *count = kept;
    return UNA_OK;
}

una_status una_learner_words_vary(bool *vary, una_learner *l, const una_table_column *column)
{
    size_t count, with_rows = 0;
    UNA_TRY(learn_levels(&count, l, column));
    for (size_t k = 0; k < count && l->from.other; k++) with_rows += l->level[k].count > 0;
    *vary = (l->from.other ? with_rows : count) > 1;
    return UNA_OK;
}

double una_word_fingerprint(const char *word)
{
    uint64_t sum = 14695981039346656037u;
    for (; *word; word++) sum = (sum ^ (unsigned char)*word) * 1099511628211u;
    return (double)((sum ^ sum >> 29) & (((uint64_t)1 << 52) - 1));
}

/* The words that share "other": a new row may have one of them, or one that was in no row. */
static una_status learn_rare(una_source *source, una_learner *l, const una_table_column *column)
{
    size_t count, kept = 0;
    UNA_TRY(una_learner_words(&count, l, column));
    UNA_NEW_AT(l->arena, source->rare, count);
    for (size_t k = 0; k < count; k++)
        if (is_rare(l, &l->level[k])) source->rare[source->rare_count++] = una_word_fingerprint(l->level[k].word);
    qsort(source->rare, source->rare_count, sizeof *source->rare, una_by_number);
    for (size_t k = 0; k < source->rare_count; k++)
        if (k == 0 || source->rare[k] > source->rare[kept - 1]) source->rare[kept++] = source->rare[k];
    source->rare_count = kept;
    return UNA_OK;
}

/* ---- words among numbers --------------------------------------------------------------------------------------- */

/* Share of the words in use that are numbers: a high one hints at a slip in one cell. */
static double number_share(const una_learner *l, const una_table_column *column)
{
    double words = 0, numbers = 0;
    for (size_t i = 0; i < l->rows; i++) {
        const char *word = column->word[l->row[i]];
        double value;
        words += word != NULL;
        numbers += word && una_parse_number(word, strlen(word), &value);
    }
    una_run_sum_f64(&words, 1, l->run);
    una_run_sum_f64(&numbers, 1, l->run);
    return words > 0 ? numbers / words : 0;
}

/* Whether --words names the column. */
static bool is_asked_for(const una_learner *l, const char *name)
{
    const una_read_settings *given = l->run->settings.reading;
    for (size_t i = 0; given && i < given->word_count; i++)
        if (strcmp(given->words[i], name) == 0) return true;
    return false;
}

/* The cell that made the column text; NULL where another process has it. */
static const char *odd_word(const una_learner *l, const una_table_column *column)
{
    const char *word = column->first_word < l->data->rows ? column->word[column->first_word] : NULL;
    double value;
    return !l->whole && word && una_parse_number(word, strlen(word), &value) ? NULL : word;
}

/* The row of the first cell of a column of words that does not have the format of most others, which are numbers or
 * dates; *like is one of these then, and *common their format, found from a sample. SIZE_MAX: there is none, or
 * Ctrl-C. */
static size_t odd_row_of(una_cell_format *common, const char **like, const una_table_column *column, size_t rows,
                         const una_run *run)
{
    enum { PICKED = 16 };
    size_t most = 0, cells = 0, step = rows / PICKED + 1, odd = 0;
    for (size_t i = 0; i < rows; i++) cells += column->word[i] != NULL;
    for (size_t i = 0; i < rows; i += step) {
        const char *word = column->word[i];
        una_cell_counts one = {0};
        una_cell_format form;
        if (una_cancelled(run)) return SIZE_MAX;
        if (!word) continue;
        una_cell_counts_add(&one, word, strlen(word));
        if (una_cell_format_decide(&form, &one, true) != UNA_ONE_FORMAT) continue;
        size_t count = 0;
        for (size_t k = 0; k < rows; k++)
            count += column->word[k] && una_cell_format_matches(&form, column->word[k], strlen(column->word[k]));
        if (count <= most) continue;
        most = count;
        *common = form;
        *like = word;
    }
    if (2 * most <= cells || most == cells) return SIZE_MAX;
    while (!column->word[odd] || una_cell_format_matches(common, column->word[odd], strlen(column->word[odd]))) odd++;
    return odd;
}

enum { REPEATED = 3 };                   /* rows for each word, where these may be groups */

static una_status too_many_levels(const una_learner *l, size_t c, size_t count)
{
    const una_table_column *column = &l->data->column[c];
    const char *word = odd_word(l, column), *like = NULL;
    una_cell_format form;
    bool on_purpose = is_asked_for(l, column->name);
    bool numbers = number_share(l, column) > 0.5 && word && !on_purpose;
    bool looked = !numbers && !on_purpose && l->whole;
    size_t odd = looked ? odd_row_of(&form, &like, column, l->data->rows, l->run) : SIZE_MAX;

    if (odd != SIZE_MAX)
        UNA_FAIL(l->run, UNA_E_INPUT,
                 "most cells of the column '%.60s' are written like '%.40s', but %s holds "
                 "'%.40s': correct the cell, or write NA for a missing value (as categories its %zu different words "
                 "are too many; at most %d are allowed)",
                 column->name, like, una_table_place_in(&l->run->scratch, l->data, odd, c), column->word[odd], count,
                 UNA_MAX_LEVELS);
    if (numbers)
        UNA_FAIL(
            l->run, UNA_E_INPUT,
            "column '%.60s' is mostly numbers, but %s holds '%.40s', which is none: correct the "
            "cell, or write NA for a missing value (as categories its %zu different words are too many; at most %d "
            "are allowed)",
            column->name, una_table_place_in(&l->run->scratch, l->data, column->first_word, c), word, count,
            UNA_MAX_LEVELS);

    una_text group = una_text_in(&l->run->scratch);
    if (REPEATED * count <= l->rows)
        una_text_add(&group, "; if they name what several rows belong to, such as subjects, use --group '%.60s'",
                     column->name);
    UNA_TRY(una_arena_check(&l->run->scratch));
    UNA_FAIL(l->run, UNA_E_INPUT,
             "column '%.60s' of %s holds %zu different words, and a category may have %d at most; take "
             "the column out with --drop '%.60s', group its words, or use --other N to let words in fewer than N rows "
             "share a level%s",
             column->name, l->data->origin, count, UNA_MAX_LEVELS, column->name, group.length ? group.at : "");
}

/* The other of two words that all cells of a column hold; NULL: there are more, or one. */
static const char *second_of_two(const una_table_column *column, size_t rows, const char *first)
{
    const char *second = NULL;
    for (size_t i = 0; i < rows; i++) {
        const char *word = column->word[i];
        if (!word || strcmp(word, first) == 0 || (second && strcmp(word, second) == 0)) continue;
        if (second) return NULL;
        second = word;
    }
    return second;
}

/* Refuses a target of words; where most of its cells are numbers, names the first that is not. */
static una_status refuse_target(const una_learner *l, size_t target)
{
    const una_table_column *column = &l->data->column[target];
    const char *first = column->first_word < l->data->rows ? column->word[column->first_word] : NULL;
    const char *second = first ? second_of_two(column, l->data->rows, first) : NULL;
    if (second)
        UNA_FAIL(l->run, UNA_E_INPUT, "the target must be a number, but the column '%.60s' of %s holds two words, "
                 "'%.40s' and '%.40s'; write them as 0 and 1 (answers are shares of 1 then), or choose another column "
                 "with --target", column->name, l->data->origin, first, second);
    const char *like = NULL;
    una_cell_format form;
    double value;
    size_t row = odd_row_of(&form, &like, column, l->data->rows, l->run);
    if (row == SIZE_MAX || form.kind != UNA_CELLS_NUMBER) row = column->first_word, like = NULL;
    const char *word = row < l->data->rows ? column->word[row] : NULL;
    bool show = like && !una_parse_number(like, strlen(like), &value);
    UNA_FAIL(l->run, UNA_E_INPUT,
             "the target must be a number, but %s holds '%.40s'%s%.40s%s; correct the cell, or "
             "choose another column with --target",
             una_table_place_in(&l->run->scratch, l->data, row, target), word ? word : "",
             show ? ", and most cells are written like '" : "", show ? like : "", show ? "'" : "");
}

una_status una_learner_check_target(const una_learner *l, size_t target)
{
    const una_table_column *column = &l->data->column[target];
    if (l->data->images && target == l->data->image_column)
        UNA_FAIL(l->run, UNA_E_INPUT, "the column '%.60s' of %s names the images and cannot be the target too; choose "
                 "another column with --target", column->name, l->data->origin);
    if (una_is_moment(column->form.kind))
        UNA_FAIL(l->run, UNA_E_INPUT, "the target must be a number, but the column '%.60s' of %s holds %s; choose "
                 "another column with --target", column->name, l->data->origin,
                 column->form.kind == UNA_CELLS_DATE ? "dates" : "times of day");
    if (!column->is_text) return UNA_OK;
    if (l->whole) return refuse_target(l, target);
    const char *word = odd_word(l, column);
    if (!word) {
        una_run_any(false, l->run);                         /* who has the cell says where it is */
        UNA_TRY(una_run_sums_check(l->run));
    }
    UNA_FAIL(l->run, UNA_E_INPUT,
             "the target must be a number, but %s holds '%.40s'; correct the cell, or choose "
             "another column with --target",
             una_table_place_in(&l->run->scratch, l->data, column->first_word, target), word ? word : "");
}

una_status una_learner_text(una_source *source, una_learner *l, size_t c)
{
    const una_table_column *column = &l->data->column[c];
    source->is_text = true;
    UNA_TRY(learn_levels(&source->level_count, l, column));
    source->has_other = source->has_untrained_level = l->from.other > 0;
    source->has_never_seen = l->from.other > 0 && l->level[source->level_count - 1].word == NEVER_SEEN;
    size_t words = una_source_words(source);
    if (words > UNA_MAX_LEVELS) return too_many_levels(l, c, words);

    UNA_NEW_AT(l->arena, source->levels, source->level_count);
    size_t most = 0;
    for (size_t k = 0; k < source->level_count; k++) {
        source->levels[k] = una_arena_text(l->arena, l->level[k].word);
        if (l->level[k].count > l->level[most].count) most = k;
    }
    source->mean = (double)most;
    if (source->has_never_seen) UNA_TRY(learn_rare(source, l, column));

    bool mostly = number_share(l, column) > 0.5 && !is_asked_for(l, column->name);
    if (mostly && !odd_word(l, column))
        una_notes_add(l->notes, "column '%s' is mostly numbers but was taken as %zu categories, because some cells are "
                      "not", column->name, source->level_count);
    else if (mostly)
        una_notes_add(l->notes, "column '%s' is mostly numbers but was taken as %zu categories, because %s holds '%s'",
                      column->name, source->level_count,
                      una_table_place_in(&l->run->scratch, l->data, column->first_word, c),
                      column->word[column->first_word]);
    return una_arena_check(l->arena);
}
