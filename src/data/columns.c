/* SPDX-License-Identifier: MIT
 *
 * What a table teaches before any model sees it: which columns to use, their centre and scale, their levels.
 *   centre = 1/n sum x,   scale^2 = 1/n sum (x - centre)^2       (over the training cells that are there)
 * computed in two passes on values scaled by a power of two, so that neither large offsets nor large values hurt.
 * Processes that learn together each have some of the rows (`whole` is false), and learn the columns of all.
 */
#include "data/columns.h"

#include "base/hash.h"
#include "data/build.h"
#include "data/calendar_parts.h"
#include "data/images.h"

static const double PI = 3.14159265358979323846;

typedef struct level { const char *word; size_t count; } level;

typedef struct learner {
    const una_dataset *data;
    const size_t *target;        /* [targets] their columns                                         */
    size_t      targets, other;
    una_missing missing;
    const una_selection *selection;
    bool       *out;             /* [data->columns] left out by request                             */
    bool       *used;            /* [data->columns] inputs so far; false for targets                */
    bool       *asked;           /* [data->columns] targets                                         */
    size_t     *at;              /* [sources] columns of the table                                  */
    size_t     *row;             /* [rows] rows in use                                              */
    size_t      rows;
    bool        whole;           /* all rows of the table are here                                  */
    level      *level;           /* [data->rows + 2] working room, or more: levels of all rows      */
    una_notes  *notes;
    una_arena  *arena;
    una_run    *run;
    una_status  status;          /* of work that has none to return; looked at once it is done      */
} learner;

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

    if (sentence && notes->count == notes->room) {
        size_t room = notes->room ? 2 * notes->room : 8;
        const char **text = UNA_GET(notes->arena, const char *, room);
        if (!text) return;
        if (notes->count) memcpy(text, notes->text, notes->count * sizeof *text);
        notes->text = text;
        notes->room = room;
    }
    if (sentence) notes->text[notes->count++] = sentence;
}

static bool is_missing_cell(const una_table_column *column, size_t row)
{
    return column->is_text ? column->word[row] == NULL : isnan(column->number[row]);
}

static const char *place_of_cell(const una_dataset *data, size_t row, size_t column, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    una_table_place(&text, data, row, column);
    return text.at;
}

/* ---- numbers ------------------------------------------------------------------------------------------ */

typedef struct moments { size_t count; double mean, std; bool constant; } moments;

static moments moments_of(const learner *l, const double *number)
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

/* ---- words -------------------------------------------------------------------------------------------- */

static int by_level(const void *a, const void *b)
{
    return strcmp(((const level *)a)->word, ((const level *)b)->word);
}

/* Merges the levels of all processes into l->level, sorted. */
static una_status merge_levels(learner *l, size_t *count)
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

    UNA_NEW(work, level, found, size / (sizeof found->count + 1) + l->data->rows + 3);
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

/* Keeps the first failure. Processes whose levels differ would ask for different sums. */
static void give_up(learner *l, una_status status)
{
    if (l->status == UNA_OK) l->status = una_run_give_up(status, l->run);
}

/* The same where there may be too many words to send: then only their number, or a lower bound of it, is known. */
static size_t levels_of_all(learner *l, size_t count)
{
    if (l->whole) return count;
    double most = una_run_max((double)count, l->run);
    if (l->other == 0 && most > UNA_MAX_LEVELS) return (size_t)most;
    give_up(l, merge_levels(l, &count));
    return l->status == UNA_OK ? count : 0;
}

static const char OTHER[] = "other", NEVER_SEEN[] = "never seen";

/* Words that equal the names of these levels always count as rare. */
static bool is_rare(const learner *l, const level *word)
{
    return word->count < l->other || strcmp(word->word, OTHER) == 0 || strcmp(word->word, NEVER_SEEN) == 0;
}

/* The words of the rows in use, in the order in which they come. */
static una_status count_words_of_rows(learner *l, const una_table_column *column, size_t *count)
{
    una_numbering words = una_numbering_in(&l->run->scratch);
    for (size_t i = 0; i < l->rows; i++) {
        const char *word = column->word[l->row[i]];
        size_t before = words.count, number = una_number_of(&words, word);
        if (i % 65536 == 0) UNA_TRY(una_check_cancelled(l->run, "looking for categories"));
        if (number == 0) continue;
        if (words.count > before) l->level[before] = (level){ word, 0 };
        l->level[number - 1].count++;
    }
    *count = words.count;
    return una_arena_check(&l->run->scratch);
}

/* Fills l->level with the sorted words of the rows in use. Of too many words only their number matters. */
static size_t sorted_words_of(learner *l, const una_table_column *column)
{
    size_t count = 0;
    una_mark mark = una_arena_mark(&l->run->scratch);
    una_status status = count_words_of_rows(l, column, &count);
    una_arena_release(&l->run->scratch, mark);
    give_up(l, status);
    if (count && (count <= UNA_MAX_LEVELS || l->other)) qsort(l->level, count, sizeof *l->level, by_level);
    return levels_of_all(l, count);
}

/* Fills l->level with the sorted levels of the rows in use. With l->other, the level "other" of rare words follows,
 * then "never seen", which no row has. Where no word is rare, "other" itself stands for words never seen. */
static size_t sorted_levels_of(learner *l, const una_table_column *column)
{
    size_t count = sorted_words_of(l, column);
    if (l->other == 0 || l->status != UNA_OK) return count;

    size_t kept = 0, shared = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_rare(l, &l->level[i])) l->level[kept++] = l->level[i];
        else shared += l->level[i].count;
    }
    l->level[kept++] = (level){ OTHER, shared };
    if (shared) l->level[kept++] = (level){ NEVER_SEEN, 0 };
    return kept;
}

static bool words_vary(learner *l, const una_table_column *column)
{
    size_t count = sorted_levels_of(l, column), with_rows = 0;
    if (l->other == 0) return count > 1;
    for (size_t k = 0; k < count; k++) with_rows += l->level[k].count > 0;
    return with_rows > 1;
}

double una_word_fingerprint(const char *word)
{
    uint64_t sum = 14695981039346656037u;
    for (; *word; word++) sum = (sum ^ (unsigned char)*word) * 1099511628211u;
    return (double)((sum ^ sum >> 29) & (((uint64_t)1 << 52) - 1));
}

/* The words that share "other": a new row may have one of them, or one that was in no row. */
static una_status learn_rare(una_source *source, learner *l, const una_table_column *column)
{
    size_t count = sorted_words_of(l, column), kept = 0;
    UNA_TRY(l->status);
    UNA_NEW_AT(l->arena, source->rare, count);
    for (size_t k = 0; k < count; k++)
        if (is_rare(l, &l->level[k])) source->rare[source->rare_count++] = una_word_fingerprint(l->level[k].word);
    qsort(source->rare, source->rare_count, sizeof *source->rare, una_by_number);
    for (size_t k = 0; k < source->rare_count; k++)
        if (k == 0 || source->rare[k] > source->rare[kept - 1]) source->rare[kept++] = source->rare[k];
    source->rare_count = kept;
    return UNA_OK;
}

/* Share of the words in use that are numbers: a high one hints at a slip in one cell. */
static double number_share(const learner *l, const una_table_column *column)
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
static bool is_asked_for(const learner *l, const char *name)
{
    const una_read_settings *given = l->run->settings.reading;
    for (size_t i = 0; given && i < given->word_count; i++)
        if (strcmp(given->words[i], name) == 0) return true;
    return false;
}

/* The cell that made the column text; NULL where another process has it. */
static const char *odd_word(const learner *l, const una_table_column *column)
{
    const char *word = column->first_word < l->data->rows ? column->word[column->first_word] : NULL;
    double value;
    return !l->whole && word && una_parse_number(word, strlen(word), &value) ? NULL : word;
}

/* ---- the cell that is unlike the others ------------------------------------------------------------------------ */

static size_t count_alike(const una_table_column *column, size_t rows, const una_cell_format *form)
{
    size_t count = 0;
    for (size_t i = 0; i < rows; i++)
        count += column->word[i] && una_cell_format_matches(form, column->word[i], strlen(column->word[i]));
    return count;
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
        size_t count = count_alike(column, rows, &form);
        if (count <= most) continue;
        most = count;
        *common = form;
        *like = word;
    }
    if (2 * most <= cells || most == cells) return SIZE_MAX;
    while (!column->word[odd] || una_cell_format_matches(common, column->word[odd], strlen(column->word[odd]))) odd++;
    return odd;
}

static una_status too_many_levels(const learner *l, size_t c, size_t count)
{
    const una_table_column *column = &l->data->column[c];
    const char *word = odd_word(l, column), *like = NULL;
    una_cell_format form;
    bool on_purpose = is_asked_for(l, column->name);
    bool numbers = number_share(l, column) > 0.5 && word && !on_purpose;
    bool looked = !numbers && !on_purpose && l->whole;
    size_t odd = looked ? odd_row_of(&form, &like, column, l->data->rows, l->run) : SIZE_MAX;

    if (odd != SIZE_MAX)
        UNA_FAIL(l->run, UNA_E_INPUT, "most cells of the column '%.60s' are written like '%.40s', but %s holds "
                 "'%.40s': correct the cell, or write NA for a missing value (as categories its %zu different words "
                 "are too many; at most %d are allowed)", column->name, like, place_of_cell(l->data, odd, c, l->run),
                 column->word[odd], count, UNA_MAX_LEVELS);
    if (numbers)
        UNA_FAIL(
            l->run, UNA_E_INPUT,
            "column '%.60s' is mostly numbers, but %s holds '%.40s', which is none: correct the "
            "cell, or write NA for a missing value (as categories its %zu different words are too many; at most %d "
            "are allowed)",
            column->name, place_of_cell(l->data, column->first_word, c, l->run), word, count, UNA_MAX_LEVELS);

    UNA_FAIL(l->run, UNA_E_INPUT,
             "column '%.60s' of %s holds %zu different words, and a category may have %d at most; take "
             "the column out with --drop '%.60s', group its words, or use --other N to let words in fewer than N rows "
             "share a level",
             column->name, l->data->origin, count, UNA_MAX_LEVELS, column->name);
}

/* ---- which rows and columns ----------------------------------------------------------------------------- */

static una_status find_targets(size_t *at, const learner *l, const char *const *target)
{
    for (size_t t = 0; t < l->targets; t++) {
        if (target && target[t]) UNA_TRY(una_table_need(&at[t], l->data, target[t], l->run));
        else at[t] = l->data->columns - 1;
        for (size_t b = 0; b < t; b++)
            if (at[b] == at[t])
                UNA_FAIL(l->run, UNA_E_USAGE, "the target '%.60s' is named twice; name each target once", target[t]);
    }
    return UNA_OK;
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
static una_status refuse_target(const learner *l, size_t target)
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
    UNA_FAIL(l->run, UNA_E_INPUT, "the target must be a number, but %s holds '%.40s'%s%.40s%s; correct the cell, or "
             "choose another column with --target", place_of_cell(l->data, row, target, l->run), word ? word : "",
             show ? ", and most cells are written like '" : "", show ? like : "", show ? "'" : "");
}

static una_status check_target_column(const learner *l, size_t target)
{
    const una_table_column *column = &l->data->column[target];
    if (l->data->images && target == l->data->image_column)
        UNA_FAIL(l->run, UNA_E_INPUT, "the column '%.60s' of %s names the images and cannot be the target too; choose "
                 "another column with --target", column->name, l->data->origin);
    if (column->form.kind == UNA_CELLS_DATE || column->form.kind == UNA_CELLS_TIME)
        UNA_FAIL(l->run, UNA_E_INPUT, "the target must be a number, but the column '%.60s' of %s holds %s; choose "
                 "another column with --target", column->name, l->data->origin,
                 column->form.kind == UNA_CELLS_DATE ? "dates" : "times of day");
    if (!column->is_text) return UNA_OK;
    if (l->whole) return refuse_target(l, target);
    const char *word = odd_word(l, column);
    if (!word) {
        una_run_any(false, l->run);                  /* who has the cell says where it is */
        UNA_TRY(una_run_sums_check(l->run));
    }
    UNA_FAIL(l->run, UNA_E_INPUT, "the target must be a number, but %s holds '%.40s'; correct the cell, or choose "
             "another column with --target", place_of_cell(l->data, column->first_word, target, l->run), word ? word
                 : "");
}

/* Checks that all processes know the same columns: each may have read its own file. */
static una_status check_alike(const learner *l)
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

static una_status first_checks(learner *l, const char *const *target)
{
    const una_dataset *data = l->data;
    size_t rows = una_run_sum_size(data->rows, l->run);
    l->whole = !una_run_any(rows > data->rows, l->run);
    UNA_TRY(una_run_sums_check(l->run));
    UNA_TRY(check_alike(l));
    UNA_NEW(&l->run->scratch, size_t, at, l->targets);
    UNA_TRY(find_targets(at, l, target));
    l->target = at;

    if (data->columns < 2)
        UNA_FAIL(l->run, UNA_E_INPUT, "%s has only one column, '%.60s'; a target and at least one input are needed",
                 data->origin, data->column[0].name);
    if (data->columns <= l->targets)
        UNA_FAIL(l->run, UNA_E_INPUT, "every column of %s is a target; at least one must be left as an input",
                 data->origin);
    if (rows < 2)
        UNA_FAIL(l->run, UNA_E_INPUT, "%s has %s; at least two are needed to learn from", data->origin,
                 rows ? "only one row" : "no rows");
    for (size_t t = 0; t < l->targets; t++) UNA_TRY(check_target_column(l, at[t]));
    return UNA_OK;
}

/* Refuses what the rule for missing cells does not allow. */
static una_status refuse_missing_cells(const learner *l)
{
    const una_dataset *data = l->data;
    for (size_t i = 0; i < data->rows; i++)
        for (size_t c = 0; c < data->columns; c++) {
            if (l->out[c] || !is_missing_cell(&data->column[c], i)) continue;
            bool target = l->asked[c];
            if (!target && data->images && c != data->image_column) continue;
            if (target ? l->targets > 1 : l->missing == UNA_MISSING_MEAN) continue;

            if (target)
                UNA_FAIL(l->run, UNA_E_INPUT,
                         "%s is missing, and it is the target; fill the cell, or use --missing drop to "
                         "leave such rows out",
                         place_of_cell(data, i, c, l->run));
            if (data->images)
                UNA_FAIL(l->run, UNA_E_INPUT, "%s is missing, and it names the row's image; fill the cell, or use "
                         "--missing drop to leave such rows out", place_of_cell(data, i, c, l->run));
            UNA_FAIL(l->run, UNA_E_INPUT,
                     "%s is missing; fill the cell, or use --missing drop (leave such rows out) or "
                     "--missing mean (fill with the column's mean)",
                     place_of_cell(data, i, c, l->run));
        }
    return UNA_OK;
}

/* Whether the row has a target; of several targets one is enough. */
static bool row_has_target(const learner *l, size_t row)
{
    for (size_t t = 0; t < l->targets; t++)
        if (!is_missing_cell(&l->data->column[l->target[t]], row)) return true;
    return false;
}

/* Chooses rows without a missing cell; with_inputs false checks the targets only. */
static void choose_training_rows(learner *l, bool with_inputs)
{
    const una_dataset *data = l->data;
    l->rows = 0;
    for (size_t i = 0; i < data->rows; i++) {
        bool whole = row_has_target(l, i);
        for (size_t c = 0; with_inputs && whole && c < data->columns; c++)
            whole = !l->used[c] || !is_missing_cell(&data->column[c], i);
        if (whole) l->row[l->rows++] = i;
    }
}

/* A column of one level is left out with a sentence, even if all its words are rare. */
static void note_constant(learner *l, const una_table_column *column, bool present)
{
    size_t words = present && column->is_text && l->other ? sorted_words_of(l, column) : 0;
    if (words > 1)
        una_notes_add(l->notes, "column '%s' was left out: each of its %zu different words stands in fewer than %zu "
                      "rows (--other %zu), so all of them would be one level. Lower N, group the words, or take the "
                      "column out with --drop '%s'", column->name, words, l->other, l->other, column->name);
    else
        una_notes_add(l->notes, present ? "column '%s' is constant and was left out" :
                      "column '%s' has no values and was left out", column->name);
}

/* Takes out columns without variation and says so; true if there were any. */
static bool drop_constants(learner *l)
{
    bool dropped = false;
    for (size_t c = 0; c < l->data->columns; c++) {
        const una_table_column *column = &l->data->column[c];
        if (!l->used[c]) continue;
        give_up(l, una_check_cancelled(l->run, "looking at columns"));
        if (l->status != UNA_OK) break;
        size_t present = 0;
        for (size_t i = 0; i < l->rows && !present; i++) present = !is_missing_cell(column, l->row[i]);
        present = una_run_any(present, l->run);
        bool varies = column->is_text ? words_vary(l, column) : !moments_of(l, column->number).constant;
        if (varies) continue;

        l->used[c] = false;
        dropped = true;
        note_constant(l, column, present);
    }
    return dropped;
}

static void note_rows(const learner *l)
{
    size_t without = 0, rest = una_run_sum_size(l->data->rows - l->rows, l->run);
    for (size_t i = 0; rest > 0 && l->targets > 1 && i < l->data->rows; i++)
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
static void drop_count(learner *l)
{
    const una_table_column *first = &l->data->column[0];
    size_t inputs = 0;
    for (size_t c = 0; c < l->data->columns; c++) inputs += l->used[c];
    bool named = l->data->images || (l->selection && l->selection->only_count);
    if (!l->used[0] || inputs < 2 || named) return;
    if (una_run_any(first->form.kind != UNA_CELLS_COUNT, l->run)) return;
    l->used[0] = false;
    una_notes_add(l->notes, "column '%s' counts the rows and was left out", first->name);
}

static una_status choose_columns(learner *l)
{
    const una_dataset *data = l->data;
    for (size_t c = 0; c < data->columns; c++)
        l->used[c] = !l->asked[c] && !l->out[c] && (!data->images || c == data->image_column);
    drop_count(l);
    if (l->missing != UNA_MISSING_DROP) UNA_TRY(refuse_missing_cells(l));
    choose_training_rows(l, false);
    drop_constants(l);

    /* A column may become constant when rows go; rows come back when such a column goes. */
    while (l->missing == UNA_MISSING_DROP) {
        choose_training_rows(l, true);
        size_t rows = una_run_sum_size(l->rows, l->run), all = una_run_sum_size(data->rows, l->run);
        UNA_TRY(una_run_sums_check(l->run));
        if (rows < 2)
            UNA_FAIL(l->run, UNA_E_INPUT, "only %zu of the %zu rows of %s have no missing cell; use --missing mean, or "
                     "take out the column with the most missing cells", rows, all, data->origin);
        if (!drop_constants(l)) break;
    }

    note_rows(l);
    UNA_TRY(una_run_sums_check(l->run));
    UNA_TRY(l->status);
    for (size_t c = 0; c < data->columns; c++)
        if (l->used[c]) return UNA_OK;
    UNA_FAIL(l->run, UNA_E_INPUT, "every input column of %s is constant%s, so there is nothing to learn from",
             data->origin, l->other ? " (words in fewer rows than --other says are one level)" : "");
}

/* ---- twins ------------------------------------------------------------------------------------------------ */

static uint64_t column_fingerprint(const learner *l, const una_table_column *column, una_hash_key key)
{
    una_hash h = una_hash_begin(key);
    for (size_t i = 0; i < l->rows; i++) {
        size_t row = l->row[i];
        if (column->is_text) una_hash_add(&h, (uint64_t)(uintptr_t)column->word[row]);
        else una_hash_add_number(&h, column->number[row]);
    }
    return una_hash_end(h);
}

static bool equal_columns(const learner *l, const una_table_column *a, const una_table_column *b)
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

static void note_equal_column(const learner *l, size_t b, size_t c)
{
    bool first = l->asked[b], second = l->asked[c];
    const char *one = l->data->column[b].name, *other = l->data->column[c].name;
    if (first && second)
        una_notes_add(l->notes, "targets '%s' and '%s' are identical", one, other);
    else if (first || second)
        una_notes_add(l->notes,
                      "column '%s' equals the target in every row; leave it out if it will not be known "
                      "beforehand", first ? other : one);
    else
        una_notes_add(l->notes, "columns '%s' and '%s' are identical; both were kept", one, other);
}

/* slot [slots]: 1 + the first of the columns that are equal, by the sum of their fingerprints over all rows. */
static void find_equal_column(learner *l, size_t c, size_t *print, size_t *slot, size_t slots)
{
    size_t i = print[c] & (slots - 1);
    for (; slot[i]; i = (i + 1) & (slots - 1)) {
        size_t b = slot[i] - 1;
        if (print[b] != print[c]) continue;
        if (una_run_any(!equal_columns(l, &l->data->column[b], &l->data->column[c]), l->run)) continue;
        note_equal_column(l, b, c);
        return;
    }
    slot[i] = c + 1;
}

static una_status note_equal_columns(learner *l)
{
    const una_dataset *data = l->data;
    una_hash_key key = una_hash_key_of(l->run);
    size_t slots = 16;
    while (slots < 2 * data->columns) slots *= 2;
    size_t *print = UNA_GET(&l->run->scratch, size_t, data->columns), *slot = UNA_GET(&l->run->scratch, size_t, slots);
    UNA_TRY(una_arena_check(&l->run->scratch));
    for (size_t c = 0; c < data->columns; c++) {
        if (!l->used[c] && !l->asked[c]) continue;
        print[c] = una_run_sum_size((size_t)(column_fingerprint(l, &data->column[c], key) >> 24), l->run);
        find_equal_column(l, c, print, slot, slots);
        UNA_TRY(una_check_cancelled(l->run, "comparing columns"));
    }
    return una_run_sums_check(l->run);
}

/* ---- results ----------------------------------------------------------------------------------------------- */

static una_status learn_text(una_source *source, learner *l, size_t c)
{
    const una_table_column *column = &l->data->column[c];
    source->is_text = true;
    source->level_count = sorted_levels_of(l, column);
    source->has_other = l->other > 0;
    UNA_TRY(l->status);
    source->has_untrained_level = l->other > 0;
    source->has_never_seen = l->other > 0 && l->level[source->level_count - 1].word == NEVER_SEEN;
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
                      column->name, source->level_count, place_of_cell(l->data, column->first_word, c, l->run),
                      column->word[column->first_word]);
    return una_arena_check(l->arena);
}

/* Rows in use have such cells where they are filled. */
static bool some_missing(const learner *l, const una_table_column *column)
{
    bool some = false;
    if (l->missing != UNA_MISSING_MEAN) return false;
    for (size_t i = 0; i < l->rows && !some; i++) some = is_missing_cell(column, l->row[i]);
    return una_run_any(some, l->run);
}

/* Parts of the calendar that help with the first target. */
static una_status learn_parts(una_source *source, learner *l, size_t c)
{
    const una_dataset *data = l->data;
    const double *x[UNA_CALENDAR_PARTS_COLUMNS];
    una_calendar_parts_question q = { .days = data->column[c].number, .y = data->column[l->target[0]].number, .x = x,
                                      .row = l->row, .rows = l->rows, .time_only = source->form == UNA_CELLS_TIME };
    for (size_t k = 0; k < data->columns && q.columns < UNA_CALENDAR_PARTS_COLUMNS; k++)
        if (k != c && l->used[k] && !data->column[k].is_text) x[q.columns++] = data->column[k].number;
    double gain;
    UNA_TRY(una_calendar_parts_choose(&source->parts, &gain, &q, l->run));
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

/* The unit of a column, NULL where none matters: 30% and 30 are the same. */
static const char *learn_unit(const learner *l, size_t c)
{
    const char *unit = l->data->column[c].form.unit;
    return unit[0] && strcmp(unit, "%") != 0 ? una_arena_text(l->arena, unit) : NULL;
}

/* Notes how a new file must be written to be read the same way. A percent sign and a decimal mark do not matter. */
static una_status learn_form(una_source *source, learner *l, size_t c)
{
    const una_cell_format *form = &l->data->column[c].form;
    source->unit = learn_unit(l, c);
    if (form->kind != UNA_CELLS_DATE && form->kind != UNA_CELLS_TIME) return una_arena_check(l->arena);
    source->form = form->kind;
    return learn_parts(source, l, c);
}

static una_status learn_sources(una_columns *columns, learner *l)
{
    const una_dataset *data = l->data;
    UNA_NEW_AT(l->arena, columns->sources, data->columns);
    for (size_t c = 0; c < data->columns; c++) {
        if (!l->used[c]) continue;
        UNA_TRY(una_check_cancelled(l->run, "learning about columns"));
        l->at[columns->source_count] = c;
        una_source *source = &columns->sources[columns->source_count++];
        source->name = una_arena_text(l->arena, data->column[c].name);
        if (data->column[c].is_text) UNA_TRY(learn_text(source, l, c));
        else source->mean = moments_of(l, data->column[c].number).mean;
        if (!source->is_text && !data->images) UNA_TRY(learn_form(source, l, c));
        if (data->images) source->image = data->images->shape;
        else if (!source->is_text) source->has_missing_indicator = some_missing(l, &data->column[c]);
        columns->input_count += una_source_inputs(source);
    }
    return una_arena_check(l->arena);
}

static const double TURN_SCALE = 0.70710678118654752;            /* of a sine over its circle */

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

static una_status learn_target_scale(una_columns *columns, const learner *l, size_t target)
{
    const una_table_column *column = &l->data->column[target];
    moments m = moments_of(l, column->number);
    if (l->targets > 1 && m.count < 2)
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
    columns->one_of_several = l->targets > 1;
    return una_arena_check(l->arena);
}

/* One centre and scale for all numbers of all images that rows in use name. */
static una_status learn_image_scale(una_columns *columns, const learner *l)
{
    const una_images *images = l->data->images;
    double *numbers = UNA_GET(&l->run->scratch, double, images->each), sum[3] = { 0, 0, 0 };
    UNA_TRY(una_arena_check(&l->run->scratch));
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

static una_status learn_source_scales(una_columns *columns, const learner *l)
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

static bool is_spoken_of(const learner *l, const una_table_note *note)
{
    return note->column == SIZE_MAX || !l->out[note->column];
}

/* Lists the columns with a note of this kind, from note `first` on, and what is noted of the first one. */
static void tell_way(const learner *l, size_t first)
{
    enum { SHOWN = 8 };
    const una_dataset *data = l->data;
    const una_table_note *begin = &data->note[first];
    una_text names = una_text_in(&l->run->scratch);
    size_t count = 0;
    for (size_t i = first; i < data->notes; i++) {
        const una_table_note *note = &data->note[i];
        if (note->way != begin->way || !is_spoken_of(l, note)) continue;
        if (count < SHOWN) una_text_add(&names, "%s'%s'", count ? ", " : "", data->column[note->column].name);
        count++;
    }
    if (count > SHOWN) una_text_add(&names, " and %zu more", count - SHOWN);
    if (!l->run->scratch.failed)
        una_notes_add(l->notes, "column%s %s: %s", count == 1 ? "" : "s", names.at, begin->text);
}

/* Notes on columns that were left out by request are dropped. */
static una_status tell_reading(const learner *l)
{
    uint32_t noted = 0;                                           /* bits 1 << way */
    for (size_t i = 0; i < l->data->notes; i++) {
        const una_table_note *note = &l->data->note[i];
        if (!is_spoken_of(l, note)) continue;
        if (note->way == 0) una_notes_add(l->notes, "%s", note->text);
        else if (!(noted >> note->way & 1)) tell_way(l, i);
        noted |= (uint32_t)1 << note->way;
    }
    return una_arena_check(&l->run->scratch);
}

static una_status learn_all_columns(una_columns *const *columns, learner *l, const char *const *target)
{
    UNA_TRY(first_checks(l, target));
    una_arena *work = &l->run->scratch;
    UNA_NEW_AT(work, l->used, l->data->columns);
    UNA_NEW_AT(work, l->out, l->data->columns);
    UNA_NEW_AT(work, l->asked, l->data->columns);
    UNA_NEW_AT(work, l->at, l->data->columns);
    UNA_NEW_ROWS_AT(work, l->row, l->data->rows);
    UNA_NEW_ROWS_AT(work, l->level, l->data->rows + 2);
    for (size_t t = 0; t < l->targets; t++) l->asked[l->target[t]] = true;
    UNA_TRY(una_selection_apply(l->out, l->selection, l->data, l->target, l->targets, l->run));
    UNA_TRY(tell_reading(l));
    columns[0]->file_notes = l->notes ? l->notes->count : 0;
    UNA_TRY(choose_columns(l));
    UNA_TRY(una_selection_copy(&columns[0]->selection, l->selection, l->arena));
    una_text left = una_text_in(&l->run->scratch);
    una_selection_describe(&left, &columns[0]->selection);
    UNA_TRY(una_arena_check(&l->run->scratch));
    if (left.length) una_notes_add(l->notes, "%s", left.at);
    UNA_TRY(learn_sources(columns[0], l));
    UNA_TRY(learn_target_scale(columns[0], l, l->target[0]));
    UNA_TRY(learn_source_scales(columns[0], l));
    for (size_t t = 1; t < l->targets; t++) {
        *columns[t] = *columns[0];
        UNA_TRY(learn_target_scale(columns[t], l, l->target[t]));
    }
    UNA_TRY(note_equal_columns(l));
    UNA_TRY(una_columns_saveable(columns, l->targets, l->run));
    return l->notes ? una_arena_check(l->notes->arena) : UNA_OK;
}

void una_columns_warn_misread(una_columns *columns, const una_selection *selection, const una_dataset *data,
                              una_notes *warnings, const una_run *run)
{
    columns->file_warnings = 0;
    for (size_t i = 0; i < data->doubts; i++) {
        const una_table_note *doubt = &data->doubt[i];
        if (!una_selection_allows(selection, data->column[doubt->column].name)) continue;
        columns->file_warnings++;
        if (una_run_counts(run)) una_notes_add(warnings, "%s", doubt->text);
    }
}

una_status una_columns_learn_chosen(una_columns *const *columns, const una_dataset *data, const char *const *target,
                                    size_t targets, const una_selection *selection, una_missing missing, size_t other,
                                    una_notes *notes, una_arena *arena, una_run *run)
{
    for (size_t t = 0; t < targets; t++) *columns[t] = (una_columns){ .missing = missing };
    learner l = { .data = data, .targets = targets, .selection = selection, .missing = missing, .other = other,
                  .notes = notes, .arena = arena, .run = run };
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = learn_all_columns(columns, &l, target);
    bool results_in_scratch = arena == &run->scratch || (notes && notes->arena == &run->scratch);
    if (!results_in_scratch) una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_columns_learn_several(una_columns *const *columns, const una_dataset *data, const char *const *target,
                                     size_t targets, una_missing missing, size_t other, una_notes *notes,
                                     una_arena *arena, una_run *run)
{
    return una_columns_learn_chosen(columns, data, target, targets, NULL, missing, other, notes, arena, run);
}

una_status una_columns_learn(una_columns *columns, const una_dataset *data, const char *target, una_missing missing,
                             size_t other, una_notes *notes, una_arena *arena, una_run *run)
{
    return una_columns_learn_several(&columns, data, &target, 1, missing, other, notes, arena, run);
}
