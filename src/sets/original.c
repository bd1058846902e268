/* SPDX-License-Identifier: MIT
 *
 * Numbers are read correctly rounded and written in their shortest decimal form without an exponent, so it does not
 * matter how an original writes them. Standard splits are not fetched: all nine sets have those that NumPy draws with
 * seed 1, one permutation after the other, nine tenths of it to train (J. M. Hernandez-Lobato, R. P. Adams,
 * Probabilistic backpropagation, 2015; the script is public beside Y. Gal's copy). The generator is MT19937 (M.
 * Matsumoto, T. Nishimura, 1998), and a permutation is Fisher and Yates' with draws below a power of two, those that
 * are too large thrown away.
 */
#include "sets/original.h"

/* ---- tables of numbers ----------------------------------------------------------------------------------- */

typedef struct cells { const char *at, *end; } cells;    /* what is left of a line */

static bool next_cell(const char **cell, size_t *length, cells *line)
{
    static const char between[] = { ' ', '\t', ',', ';', '\r' };
    while (line->at < line->end && memchr(between, *line->at, sizeof between)) line->at++;
    *cell = line->at;
    while (line->at < line->end && !memchr(between, *line->at, sizeof between)) line->at++;
    *length = (size_t)(line->at - *cell);
    return *length > 0;
}

/* The next line of the text. */
static cells next_line(cells *text)
{
    const char *end = memchr(text->at, '\n', (size_t)(text->end - text->at));
    cells line = { text->at, end ? end : text->end };
    text->at = end ? end + 1 : text->end;
    return line;
}

typedef struct reading { const una_known_set *known; const char *from; size_t number; una_run *run; } reading;

static una_status wrong_cell(const reading *r, const char *cell, size_t length)
{
    UNA_FAIL(r->run, UNA_E_INPUT, "%s, line %zu: '%.*s' is not a number, so this is not the original of %s", r->from,
             r->number, (int)(length < 40 ? length : 40), cell, r->known->set.name);
}

/* The cells of one line into row [inputs + 1]. */
static una_status read_line(double *row, const reading *r, cells line)
{
    const una_recipe *recipe = &r->known->recipe;
    size_t columns = r->known->set.inputs + 1, to = recipe->form == UNA_LINE_TARGET_FIRST ? columns - 1 : 0, count = 0;
    const char *cell;
    size_t length;
    for (; next_cell(&cell, &length, &line); count++) {
        double value = NAN;
        if (count == 0 && recipe->form == UNA_LINE_SEX_FIRST) {          /* three columns */
            const char *letter = length == 1 ? memchr("MFI", *cell, 3) : NULL;
            if (!letter) return wrong_cell(r, cell, length);
            for (; to < 3; to++) row[to] = *letter == "MFI"[to];
            continue;
        }
        if (!una_parse_number(cell, length, &value) || !isfinite(value)) return wrong_cell(r, cell, length);
        if (to < columns) row[to++] = value;
        if (count == 0 && recipe->form == UNA_LINE_TARGET_FIRST) to = 0;
    }
    if (count == recipe->width) return UNA_OK;
    UNA_FAIL(r->run, UNA_E_INPUT, "%s, line %zu has %zu cells, and the original of %s has %zu; it is cut off, or "
             "another file", r->from, r->number, count, r->known->set.name, recipe->width);
}

una_status una_original_read(double **values, const una_known_set *known, const char *text, size_t size,
                             const char *from, una_arena *arena, una_run *run)
{
    const una_data_set *set = &known->set;
    size_t columns = set->inputs + 1, rows = 0, length;
    const char *cell;
    cells all = { text, text + size };
    reading r = { known, from, 0, run };
    UNA_NEW_AT(arena, *values, set->rows * columns);
    while (all.at < all.end) {
        cells line = next_line(&all), peek = line;
        double value;
        r.number++;
        if (!next_cell(&cell, &length, &peek)) continue;
        /* A head: its first cell is neither a number nor, where there is one, a letter of a row. */
        bool letter = known->recipe.form == UNA_LINE_SEX_FIRST && length == 1;
        if (r.number == 1 && !una_parse_number(cell, length, &value) && !letter) continue;
        if (rows == set->rows)
            UNA_FAIL(run, UNA_E_INPUT, "%s has more than the %zu rows of %s: it is another file", from, rows,
                     set->name);
        UNA_TRY(read_line(*values + rows++ * columns, &r, line));
    }
    if (rows == set->rows) return UNA_OK;
    UNA_FAIL(run, UNA_E_INPUT, "%s has %zu rows, and %s has %zu; it is cut off, or another file", from, rows, set->name,
             set->rows);
}

una_status una_original_reread(double **values, const una_known_set *known, const char *csv, size_t size,
                               una_arena *arena, una_run *run)
{
    una_known_set plain = *known;
    plain.recipe.form = UNA_LINE_PLAIN;
    plain.recipe.width = known->set.inputs + 1;
    return una_original_read(values, &plain, csv, size, known->set.files[0].path, arena, run);
}

/* Without an exponent: 1.25e-05 is written as 0.0000125. */
static void add_decimal(una_text *text, double value)
{
    char word[32];
    const char *exponent = strchr(una_number_text(word, value), 'e'), *from = word;
    if (!exponent) {
        una_text_bytes(text, word, strlen(word));
        return;
    }
    int before = atoi(exponent + 1) + 1;         /* digits before the point */
    if (*from == '-') una_text_bytes(text, from++, 1);
    if (before <= 0) una_text_add(text, "0.%.*s", -before, "0000000000000000000000000000000000000000");
    for (; from < exponent; from++) {
        if (*from == '.') continue;
        una_text_bytes(text, from, 1);
        if (--before == 0 && from + 1 < exponent) una_text_bytes(text, ".", 1);
    }
    for (; before > 0; before--) una_text_bytes(text, "0", 1);
}

una_status una_original_rows(una_text *csv, const una_known_set *known, const double *values)
{
    size_t columns = known->set.inputs + 1;
    una_text_add(csv, "%s\n", known->recipe.head);
    for (size_t i = 0; i < known->set.rows * columns; i++) {
        add_decimal(csv, values[i]);
        una_text_bytes(csv, (i + 1) % columns ? "," : "\n", 1);
    }
    return una_arena_check(csv->arena);
}

/* ---- standard splits ------------------------------------------------------------------------------------- */

enum { WORDS = 624, AHEAD = 397 };

typedef struct twister { uint32_t word[WORDS]; int used; } twister;

static uint32_t twister_next(twister *t)
{
    for (int i = 0; i < WORDS && t->used == WORDS; i++) {
        uint32_t y = (t->word[i] & 0x80000000u) | (t->word[(i + 1) % WORDS] & 0x7fffffffu);
        t->word[i] = t->word[(i + AHEAD) % WORDS] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
    }
    if (t->used == WORDS) t->used = 0;
    uint32_t y = t->word[t->used++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

static uint32_t twister_to(twister *t, uint32_t most)    /* 0 ... most */
{
    uint32_t mask = most, value;
    for (int shift = 1; shift < 32; shift *= 2) mask |= mask >> shift;
    do value = twister_next(t) & mask;
    while (value > most);
    return value;
}

static void twister_permute(uint32_t *order, uint32_t rows, twister *t)
{
    for (uint32_t i = 0; i < rows; i++) order[i] = i;
    for (uint32_t i = rows - 1; i > 0; i--) {
        uint32_t j = twister_to(t, i), other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

static void add_list(una_text *json, const uint32_t *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) una_text_add(json, "%s%u", i ? "," : "[", (unsigned)rows[i]);
    una_text_add(json, "]");
}

static una_status add_standard_splits(una_text *json, const una_known_set *known, una_run *run)
{
    size_t rows = known->set.rows, train = (9 * rows + 5) / 10;
    UNA_NEW(&run->scratch, uint32_t, order, rows);
    twister t = { .word = { 1 }, .used = WORDS };                /* the seed is 1 */
    for (uint32_t i = 1; i < WORDS; i++)
        t.word[i] = 1812433253u * (t.word[i - 1] ^ t.word[i - 1] >> 30) + i;
    for (size_t s = 0; s < known->set.splits; s++) {
        twister_permute(order, (uint32_t)rows, &t);
        una_text_add(json, "%s{\"train\":", s ? "," : "");
        add_list(json, order, train);
        una_text_add(json, ",\"test\":");
        add_list(json, order + train, rows - train);
        una_text_add(json, "}");
    }
    return UNA_OK;
}

una_status una_original_splits_begin(una_text *json, const una_known_set *known, una_run *run)
{
    una_text_add(json, "{\"dataset\":\"%s\",\"rows\":%zu,\"standard\":[", known->set.name, known->set.rows);
    UNA_SCOPED(run, add_standard_splits(json, known, run));
    una_text_add(json, "],\"gap\":[");
    return una_arena_check(json->arena);
}

/* ---- gap splits ------------------------------------------------------------------------------------------ */

/* Whole numbers below `most`, one a line, each at most once. */
static una_status read_list(uint32_t *rows, size_t *count, size_t most, const una_gap_texts *texts, int part,
                            una_run *run)
{
    cells all = { texts->text[part], texts->text[part] + texts->size[part] };
    const char *from = texts->from[part], *cell;
    size_t length;
    double value;
    *count = 0;
    while (all.at < all.end) {
        cells line = next_line(&all);
        if (!next_cell(&cell, &length, &line)) continue;
        if (!una_parse_number(cell, length, &value) || value != floor(value) || value < 0 || value >= (double)most)
            UNA_FAIL(run, UNA_E_INPUT, "%s names row '%.*s', and rows go from 0 to %zu", from,
                     (int)(length < 40 ? length : 40), cell, most - 1);
        if (*count == most)
            UNA_FAIL(run, UNA_E_INPUT, "%s names more rows than there are, %zu", from, most);
        rows[(*count)++] = (uint32_t)value;
    }
    if (*count == 0) UNA_FAIL(run, UNA_E_INPUT, "%s names no row", from);
    return UNA_OK;
}

/* Training rows whose value lies among those of the gap: where values are equal, the gap has no sharp edge. */
static size_t count_tied(const double *values, size_t stride, uint32_t *const rows[2], const size_t count[2])
{
    double low = INFINITY, high = -INFINITY;
    size_t tied = 0;
    for (size_t i = 0; i < count[1]; i++) {
        low = fmin(low, values[rows[1][i] * stride]);
        high = fmax(high, values[rows[1][i] * stride]);
    }
    for (size_t i = 0; i < count[0]; i++)
        tied += values[rows[0][i] * stride] >= low && values[rows[0][i] * stride] <= high;
    return tied;
}

static una_status add_gap(una_text *json, const una_known_set *known, const double *values, size_t input,
                          const una_gap_texts *texts, una_run *run)
{
    size_t all = known->set.rows, count[2];
    uint32_t *rows[2];
    const char *head = known->recipe.head;
    una_text name = una_text_in(&run->scratch);
    for (int part = 0; part < 2; part++) {
        UNA_NEW_AT(&run->scratch, rows[part], all);
        UNA_TRY(read_list(rows[part], &count[part], all, texts, part, run));
    }

    for (size_t i = input; i > 0; i--) head += strcspn(head, ",") + 1;
    una_text_bytes(&name, head, strcspn(head, ","));
    una_text_add(json, "%s{\"column\":%zu,\"name\":", input ? "," : "", input);
    una_text_json(json, name.at);
    una_text_add(json, ",\"train_rows_tied_inside\":%zu",
                 count_tied(values + input, known->set.inputs + 1, rows, count));
    for (int part = 0; part < 2; part++) {
        una_text_add(json, ",\"%s\":", part ? "test" : "train");
        add_list(json, rows[part], count[part]);
    }
    una_text_add(json, "}");
    return una_arena_check(json->arena);
}

una_status una_original_gap(una_text *json, const una_known_set *known, const double *values, size_t input,
                            const una_gap_texts *texts, una_run *run)
{
    UNA_SCOPED(run, add_gap(json, known, values, input, texts, run));
    return UNA_OK;
}

void una_original_splits_end(una_text *json)
{
    una_text_add(json, "]}");
}
