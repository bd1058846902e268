/* SPDX-License-Identifier: MIT
 *
 * Rows inside an option's text. See inline_rows.h.
 */
#include "train/inline_rows.h"

typedef struct piece { const char *at; size_t length; } piece;

/* The text up to `end`, without the blanks around it; *rest points behind that end, or is NULL after the last piece. */
static piece cut_piece(const char **rest, char end)
{
    const char *from = *rest, *stop = strchr(from, end);
    *rest = stop ? stop + 1 : NULL;
    if (!stop) stop = from + strlen(from);
    while (from < stop && (*from == ' ' || *from == '\n' || *from == '\t')) from++;
    while (stop > from && (stop[-1] == ' ' || stop[-1] == '\n' || stop[-1] == '\t')) stop--;
    return (piece){ from, (size_t)(stop - from) };
}

/* The same as a text. */
static una_status cut_text(const char **text, const char **rest, char end, una_run *run)
{
    piece p = cut_piece(rest, end);
    UNA_NEW(&run->scratch, char, copy, p.length + 1);
    *text = memcpy(copy, p.at, p.length);
    return UNA_OK;
}

/* ---- grids --------------------------------------------------------------------------------------------------- */

typedef struct side { double low, high; size_t count; } side;    /* of one input; count 0: it is not named */

static una_status read_side(side *s, const char *range, const char *item, const char *owner, una_run *run)
{
    double number[3] = {0};
    size_t count = 0;
    bool read = true;
    for (const char *rest = range; rest && read; count++) {
        piece p = cut_piece(&rest, ':');
        read = count < 3 && una_parse_number(p.at, p.length, &number[count]);
    }
    bool whole = number[2] >= 1 && number[2] <= UNA_MOST_INLINE_ROWS && number[2] == floor(number[2]);
    if (!read || count != 3 || !isfinite(number[0]) || !isfinite(number[1]) || !whole)
        UNA_FAIL(run, UNA_E_USAGE, "%s: '%.80s' cannot be read; an input is written as NAME=LOW:HIGH:COUNT, with 1 to "
                 "%d values, as in x1=-4:4:17", owner, item, (int)UNA_MOST_INLINE_ROWS);
    if (!(number[0] <= number[1]))
        UNA_FAIL(run, UNA_E_USAGE, "%s: '%.80s' begins above its end; write the lower value first", owner, item);
    *s = (side){ number[0], number[1], (size_t)number[2] };
    return UNA_OK;
}

/* The input that a name means; only numbers have grids. */
static una_status find_grid_input(size_t *input, const char *name, const una_columns *c, const char *owner,
                                  una_run *run)
{
    UNA_NEW(&run->scratch, const char *, names, c->input_count);
    for (size_t d = 0; d < c->input_count; d++) names[d] = una_input_name(c, &c->inputs[d], &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    for (*input = 0; *input < c->input_count; ++*input)
        if (c->inputs[*input].level == SIZE_MAX && strcmp(names[*input], name) == 0) return UNA_OK;
    const char *near = una_nearest(name, names, c->input_count);
    UNA_FAIL(run, UNA_E_USAGE, "%s: there is no numeric input '%.80s'%s%s%s", owner, name,
             near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
}

static una_status read_inline_grid(side *sides, size_t *rows, const char *text, const una_columns *c, const char *owner,
                                   una_run *run)
{
    *rows = 1;
    for (const char *rest = text; rest;) {
        const char *item, *range, *name;
        size_t input;
        UNA_TRY(cut_text(&item, &rest, ',', run));
        range = item;
        UNA_TRY(cut_text(&name, &range, '=', run));
        if (!range)
            UNA_FAIL(run, UNA_E_USAGE, "%s: '%.80s' cannot be read; an input is written as NAME=LOW:HIGH:COUNT, with "
                     "1 to %d values, as in x1=-4:4:17", owner, item, (int)UNA_MOST_INLINE_ROWS);
        UNA_TRY(find_grid_input(&input, name, c, owner, run));
        if (sides[input].count) UNA_FAIL(run, UNA_E_USAGE, "%s: '%.80s' is named twice", owner, name);
        UNA_TRY(read_side(&sides[input], range, item, owner, run));
        if (*rows <= UNA_MOST_INLINE_ROWS) *rows *= sides[input].count;
    }
    if (*rows > UNA_MOST_INLINE_ROWS)
        UNA_FAIL(run, UNA_E_USAGE, "%s: a grid of more than %d points; name fewer values", owner,
                 (int)UNA_MOST_INLINE_ROWS);
    return UNA_OK;
}

una_status una_inline_grid(double **x, size_t *rows, const char *text, const una_columns *c, const char *owner,
                           una_run *run)
{
    UNA_NEW(&run->scratch, side, sides, c->input_count);
    for (size_t d = 0; d < c->input_count; d++)
        if (c->inputs[d].level != SIZE_MAX)
            UNA_FAIL(run, UNA_E_USAGE, "%s: %s holds words, which have no grid; give the points as a file", owner,
                     c->sources[c->inputs[d].source].name);
    UNA_TRY(read_inline_grid(sides, rows, text, c, owner, run));
    UNA_NEW_AT(&run->scratch, *x, *rows * c->input_count);
    for (size_t i = 0; i < *rows; i++) {
        size_t left = i;                                 /* the last input moves fastest */
        for (size_t d = c->input_count; d-- > 0;) {
            const side *s = &sides[d];
            if (s->count == 0) continue;
            double share = s->count > 1 ? (double)(left % s->count) / (double)(s->count - 1) : 0;
            double value = s->low + (s->high - s->low) * share;
            left /= s->count;
            (*x)[i * c->input_count + d] = (value - c->inputs[d].centre) / c->inputs[d].scale;
        }
    }
    return UNA_OK;
}

/* ---- tables -------------------------------------------------------------------------------------------------- */

static size_t count_pieces(const char *text, char end)
{
    size_t count = 1;
    for (; (text = strchr(text, end)); text++) count++;
    return count;
}

/* number [columns, rows] from the lines after the names. */
static una_status read_inline_rows(double *const *number, size_t columns, size_t rows, const char *rest,
                                   const char *owner, una_run *run)
{
    for (size_t i = 0; i < rows; i++) {
        const char *line, *cells;
        UNA_TRY(cut_text(&line, &rest, ';', run));
        cells = line;
        for (size_t j = 0; j < columns; j++) {
            piece cell = cells ? cut_piece(&cells, ',') : (piece){ "", 0 };
            if (!una_parse_number(cell.at, cell.length, &number[j][i]) || !isfinite(number[j][i]) ||
                (j + 1 == columns && cells))
                UNA_FAIL(run, UNA_E_USAGE, "%s: row %zu, '%.80s', must hold %zu numbers with commas between", owner,
                         i + 1, line, columns);
        }
    }
    return UNA_OK;
}

una_status una_inline_table(una_dataset **data, const char *text, const char *owner, una_run *run)
{
    size_t length = strlen(text);
    while (length > 0 && strchr(" ;\n\t", text[length - 1])) length--;       /* no row follows */
    UNA_NEW(&run->scratch, char, whole, length + 1);
    const char *rest = memcpy(whole, text, length), *head;
    size_t rows = count_pieces(rest, ';') - 1;
    UNA_TRY(cut_text(&head, &rest, ';', run));
    size_t columns = count_pieces(head, ',');
    if (rows < 1 || rows > UNA_MOST_INLINE_ROWS)
        UNA_FAIL(run, UNA_E_USAGE, "%s: write the names of the columns, then 1 to %d rows, with ; between: "
                 "\"x,low,high; -1,-20,20; 1,-20,20\"", owner, (int)UNA_MOST_INLINE_ROWS);

    UNA_NEW(&run->scratch, const char *, names, columns);
    UNA_NEW(&run->scratch, double *, number, columns);
    for (size_t j = 0; j < columns; j++) {
        UNA_TRY(cut_text(&names[j], &head, ',', run));
        UNA_NEW_AT(&run->scratch, number[j], rows);
    }
    UNA_TRY(read_inline_rows(number, columns, rows, rest, owner, run));
    return una_dataset_from_columns(data, names, (const double *const *)number, NULL, columns, rows, run);
}
