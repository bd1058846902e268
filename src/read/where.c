/* SPDX-License-Identifier: MIT
 *
 * Conditions on tables: columns are found and their types looked at once, then the program runs row by row on a small
 * stack. Truths are 1 and 0 there; what is missing is NAN.
 */
#include "read/where.h"

/* ---- columns ------------------------------------------------------------------------------------------------ */

/* The row of the first cell that is there, or `rows`. */
static size_t first_cell(const una_table_column *column, size_t rows)
{
    size_t i = 0;
    while (i < rows && (column->is_text ? !column->word[i] : isnan(column->number[i]))) i++;
    return i;
}

/* Puts the place in the condition before the sentence of the run. */
static una_status refuse_again(const una_where *where, size_t column, una_run *run)
{
    char sentence[sizeof run->message];
    memcpy(sentence, run->message, sizeof sentence);
    return una_where_refuse(where, where->column[column].at, sentence, run);
}

static una_status refuse_type(const una_where *where, const una_where_column *c, const una_dataset *data,
                              const una_table_column *found, size_t row, una_run *run)
{
    char number[32];
    una_text text = una_text_in(&run->scratch);
    una_table_place(&text, data, row, (size_t)(found - data->column));
    if (found->is_text)
        una_text_add(&text, " holds the word '%.60s', and the column is taken for numbers here; put the word that you "
                     "look for into quotes, as in `%.60s` == '%.60s'", found->word[row], c->name, found->word[row]);
    else
        una_text_add(&text, " holds the number %s, and the column is compared with a word here; write the number that "
                     "you look for without quotes", una_number_text(number, found->number[row]));
    UNA_TRY(una_arena_check(&run->scratch));
    return una_where_refuse(where, c->at, text.at, run);
}

/* found [columns of the condition] */
static una_status find_condition_columns(const una_table_column **found, const una_where *where,
                                         const una_dataset *data, una_run *run)
{
    for (size_t i = 0; i < where->columns; i++) {
        const una_where_column *c = &where->column[i];
        size_t column;
        una_status status = una_table_need(&column, data, c->name, run);
        if (status == UNA_E_INPUT) return refuse_again(where, i, run);
        UNA_TRY(status);

        found[i] = &data->column[column];
        if (c->holds == UNA_HOLDS_ANY || found[i]->is_text == (c->holds == UNA_HOLDS_WORDS)) continue;
        size_t row = first_cell(found[i], data->rows);
        if (row < data->rows) return refuse_type(where, c, data, found[i], row, run);
    }
    return UNA_OK;
}

una_status una_where_need(const una_where *where, const char *const *names, size_t count, const char *origin,
                          una_run *run)
{
    una_names all;
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = una_names_index(&all, names, count, &run->scratch);
    for (size_t i = 0; status == UNA_OK && i < where->columns; i++) {
        size_t position;
        status = una_names_need(&position, &all, origin, where->column[i].name, run);
        if (status == UNA_E_INPUT) status = refuse_again(where, i, run);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

una_wanted *una_where_wanted(const una_where *where, const una_wanted *wanted, size_t *count, bool can_hold_words,
                             una_arena *arena)
{
    una_wanted *all = UNA_GET(arena, una_wanted, *count + where->columns);
    if (!all) return NULL;
    if (*count) memcpy(all, wanted, *count * sizeof *all);
    for (size_t i = 0; i < where->columns; i++) {
        const una_where_column *c = &where->column[i];
        size_t k = 0;
        while (k < *count && strcmp(all[k].name, c->name) != 0) k++;
        if (k < *count) continue;
        all[(*count)++] = (una_wanted){ .name = c->name,
                                          .is_text = can_hold_words && c->holds != UNA_HOLDS_NUMBERS,
                                          .any_format = true };
    }
    return all;
}

/* ---- rows ------------------------------------------------------------------------------------------------------ */

/* A column without any cell may be of either type. */
static const char *word_at(const una_table_column *column, size_t row)
{
    return column->is_text ? column->word[row] : NULL;
}

static double number_of_cell(const una_table_column *column, size_t row)
{
    return column->is_text ? NAN : column->number[row];
}

static bool is_missing_at(const una_table_column *column, size_t row)
{
    return column->is_text ? !column->word[row] : isnan(column->number[row]);
}

static bool is_word_of(const una_where *where, const una_where_op *op, const char *word)
{
    for (size_t i = 0; i < op->count; i++)
        if (strcmp(where->word[op->first + i], word) == 0) return true;
    return false;
}

static bool is_number_of(const una_where *where, const una_where_op *op, double value)
{
    for (size_t i = 0; i < op->count; i++)
        if (where->number[op->first + i] == value) return true;
    return false;
}

static double apply_operator(una_where_code code, double a, double b)
{
    if (code >= UNA_WHERE_EQUAL && code <= UNA_WHERE_AT_LEAST && !(isfinite(a) && isfinite(b))) return 0;
    switch (code) {
    case UNA_WHERE_ADD: return a + b;
    case UNA_WHERE_SUBTRACT: return a - b;
    case UNA_WHERE_MULTIPLY: return a * b;
    case UNA_WHERE_DIVIDE: return a / b;
    case UNA_WHERE_EQUAL: return a == b;
    case UNA_WHERE_UNEQUAL: return a != b;
    case UNA_WHERE_BELOW: return a < b;
    case UNA_WHERE_AT_MOST: return a <= b;
    case UNA_WHERE_ABOVE: return a > b;
    case UNA_WHERE_AT_LEAST: return a >= b;
    case UNA_WHERE_AND: return a != 0 && b != 0;
    default: return a != 0 || b != 0;
    }
}

static bool condition_holds(const una_where *where, const una_table_column *const *found, size_t row)
{
    double stack[UNA_WHERE_STACK];
    size_t top = 0;
    for (size_t i = 0; i < where->op_count; i++) {
        const una_where_op *op = &where->op[i];
        const una_table_column *column = found[op->column];
        const char *word;
        switch (op->code) {
        case UNA_WHERE_NUMBER: stack[top++] = op->number; break;
        case UNA_WHERE_COLUMN: stack[top++] = number_of_cell(column, row); break;
        case UNA_WHERE_MISSING: stack[top++] = is_missing_at(column, row); break;
        case UNA_WHERE_WORDS:
        case UNA_WHERE_OTHER_WORD:
            word = word_at(column, row);
            stack[top++] = word && is_word_of(where, op, word) == (op->code == UNA_WHERE_WORDS);
            break;
        case UNA_WHERE_NEGATE: stack[top - 1] = -stack[top - 1]; break;
        case UNA_WHERE_NOT: stack[top - 1] = stack[top - 1] == 0; break;
        case UNA_WHERE_NUMBERS: stack[top - 1] = is_number_of(where, op, stack[top - 1]); break;
        default:
            top--;
            stack[top - 1] = apply_operator(op->code, stack[top - 1], stack[top]);
            break;
        }
    }
    return stack[0] != 0;
}

una_status una_where_match(bool *match, const una_where *where, const una_dataset *data, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    const una_table_column **found = UNA_GET(&run->scratch, const una_table_column *, where->columns + 1);
    una_status status = una_arena_check(&run->scratch);
    if (status == UNA_OK) status = find_condition_columns(found, where, data, run);
    for (size_t i = 0; status == UNA_OK && i < data->rows; i++) {
        if (i % 65536 == 0) status = una_check_cancelled(run, "choosing rows");
        match[i] = condition_holds(where, found, i);
    }
    una_arena_release(&run->scratch, mark);
    return status;
}

/* ---- the public calls ------------------------------------------------------------------------------------------ */

una_status una_where_none(const una_where *where, size_t rows, const char *origin, una_run *run)
{
    UNA_FAIL(run, UNA_E_INPUT, "the condition %.200s holds for none of the %zu row%s of %.200s; loosen it (a "
             "comparison with a missing cell is false, and words are compared letter by letter)", where->text, rows,
             rows == 1 ? "" : "s", origin);
}

void una_where_log(const una_where *where, size_t left, size_t rows, const char *origin, una_run *run)
{
    una_log(run, UNA_LOG_NOTE, "%zu of %zu rows of %.200s match the condition %.200s", left, rows, origin, where->text);
}

/* Positions of the rows that match, in the scratch memory. */
static una_status find_rows(size_t **index, size_t *count, const una_where *where, const una_dataset *data,
                            una_run *run)
{
    *count = 0;
    *index = UNA_GET_ROWS(&run->scratch, size_t, data->rows);
    UNA_NEW_ROWS(&run->scratch, bool, match, data->rows);
    UNA_TRY(una_where_match(match, where, data, run));
    for (size_t i = 0; i < data->rows; i++)
        if (match[i]) (*index)[(*count)++] = i;
    return UNA_OK;
}

una_status una_dataset_match(size_t *index, size_t *count, const una_dataset *data, const char *condition,
                             una_run *run)
{
    *count = 0;
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_where *where;
    size_t *found, found_count = 0;
    una_status status = una_where_parse(&where, condition, &run->scratch, run);
    if (status == UNA_OK) status = find_rows(&found, &found_count, where, data, run);
    if (status == UNA_OK && found_count) memcpy(index, found, found_count * sizeof *index);
    if (status == UNA_OK) *count = found_count;
    una_arena_release(&run->scratch, mark);
    return status;
}

/* Every rank must keep some rows: those of other ranks do not help a rank without any. */
static una_status subset_where(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run)
{
    una_where *where;
    size_t *index, count;
    UNA_TRY(una_where_parse(&where, condition, &run->scratch, run));
    UNA_TRY(find_rows(&index, &count, where, data, run));
    size_t rows = una_run_sum_size(data->rows, run), left = una_run_sum_size(count, run);
    UNA_TRY(una_run_sums_check(run));
    if (left == 0) return una_where_none(where, rows, data->origin, run);
    if (count == 0)
        UNA_FAIL(run, UNA_E_INPUT, "the condition %.200s holds for %zu of the %zu rows of %.200s, but for none of the "
                 "%zu that this rank has; use fewer ranks", where->text, left, rows, data->origin, data->rows);
    UNA_TRY(una_dataset_rows(subset, data, index, count, run));
    una_where_log(where, left, rows, data->origin, run);
    return UNA_OK;
}

una_status una_dataset_where(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run)
{
    *subset = NULL;
    una_clear_message(run);
    una_mark mark = una_arena_mark(&run->scratch);
    una_status status = subset_where(subset, data, condition, run);
    una_arena_release(&run->scratch, mark);
    return status;
}

una_status una_dataset_where_part(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run)
{
    una_status status;
    UNA_SHARED_CALL(status, run, una_dataset_where(subset, data, condition, run));
    if (status == UNA_OK) return UNA_OK;
    una_dataset_free(*subset);
    *subset = NULL;
    return status;
}
