/* SPDX-License-Identifier: MIT
 *
 * Conditions on tables: columns are found and their types looked at once, then the program runs row by row on a small
 * stack. Truths are 1 and 0 there; what is missing is NAN.
 */
#include "data/build.h"
#include "read/where.h"

/* ---- columns ------------------------------------------------------------------------------------------------ */

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
        size_t column, row = 0;
        una_status status = una_table_need(&column, data, c->name, run);
        if (status == UNA_E_INPUT) return refuse_again(where, i, run);
        UNA_TRY(status);

        found[i] = &data->column[column];
        if (c->holds == UNA_HOLDS_ANY || found[i]->is_text == (c->holds == UNA_HOLDS_WORDS)) continue;
        while (row < data->rows && una_table_is_missing(found[i], row)) row++;
        if (row < data->rows) return refuse_type(where, c, data, found[i], row, run);
    }
    return UNA_OK;
}

una_status una_where_need(const una_where *where, const char *const *names, size_t count, const char *origin,
                          una_run *run)
{
    una_names all;
    UNA_TRY(una_names_index(&all, names, count, &run->scratch));
    for (size_t i = 0, position; i < where->columns; i++) {
        una_status status = una_names_need(&position, &all, origin, where->column[i].name, run);
        if (status == UNA_E_INPUT) return refuse_again(where, i, run);
        UNA_TRY(status);
    }
    return UNA_OK;
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

/* Whether the list of an operation has the word, or else the number. */
static bool is_in_list(const una_where *where, const una_where_op *op, const char *word, double number)
{
    bool found = false;
    for (size_t i = op->first; i < op->first + op->count && !found; i++)
        found = word ? strcmp(where->word[i], word) == 0 : where->number[i] == number;
    return found;
}

/* A column without any cell may be of either type. */
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
        case UNA_WHERE_COLUMN: stack[top++] = column->is_text ? NAN : column->number[row]; break;
        case UNA_WHERE_MISSING: stack[top++] = una_table_is_missing(column, row); break;
        case UNA_WHERE_WORDS:
        case UNA_WHERE_OTHER_WORD:
            word = column->is_text ? column->word[row] : NULL;
            stack[top++] = word && is_in_list(where, op, word, 0) == (op->code == UNA_WHERE_WORDS);
            break;
        case UNA_WHERE_NEGATE: stack[top - 1] = -stack[top - 1]; break;
        case UNA_WHERE_NOT: stack[top - 1] = stack[top - 1] == 0; break;
        case UNA_WHERE_NUMBERS: stack[top - 1] = is_in_list(where, op, NULL, stack[top - 1]); break;
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
    UNA_NEW(&run->scratch, const una_table_column *, found, where->columns + 1);
    UNA_TRY(find_condition_columns(found, where, data, run));
    for (size_t i = 0; i < data->rows; i++) {
        if (i % 65536 == 0) UNA_TRY(una_check_cancelled(run, "choosing rows"));
        match[i] = condition_holds(where, found, i);
    }
    return UNA_OK;
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

/* Positions of the rows that match; where is in the scratch memory. */
static una_status find_rows(una_where **where, size_t *index, size_t *count, const una_dataset *data,
                            const char *condition, una_run *run)
{
    *count = 0;
    UNA_TRY(una_where_parse(where, condition, &run->scratch, run));
    UNA_NEW_ROWS(&run->scratch, bool, match, data->rows);
    UNA_TRY(una_where_match(match, *where, data, run));
    for (size_t i = 0; i < data->rows; i++)
        if (match[i]) index[(*count)++] = i;
    return UNA_OK;
}

una_status una_dataset_match(size_t *index, size_t *count, const una_dataset *data, const char *condition,
                             una_run *run)
{
    *count = 0;
    una_clear_message(run);
    una_where *where;
    UNA_SCOPED(run, find_rows(&where, index, count, data, condition, run));
    return UNA_OK;
}

/* Every rank must keep some rows: those of other ranks do not help a rank without any. */
static una_status subset_where(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run)
{
    una_where *where;
    size_t count;
    UNA_NEW_ROWS(&run->scratch, size_t, index, data->rows);
    UNA_TRY(find_rows(&where, index, &count, data, condition, run));
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
    UNA_SCOPED(run, subset_where(subset, data, condition, run));
    return UNA_OK;
}

una_status una_dataset_where_part(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run)
{
    una_status status;
    UNA_SHARED_CALL(status, run, una_dataset_where(subset, data, condition, run));
    return una_table_give(subset, status);
}
