/* SPDX-License-Identifier: MIT
 *
 * Row blocks that are gathered once: every cell is written twice and no array is ever copied to grow, so the
 * memory needed is at most twice that of the table. Once there are many blocks, their memory is taken many at a time,
 * so that it need not stay in memory (UNA_GET_ROWS).
 */
#include "data/build.h"

#include "base/hash.h"

enum { MOST_ROWS = 4096, BLOCK_CELLS = 1 << 16, FIRST_SLOTS = 256, SLAB = 1 << 14, MANY_CELLS = 1 << 21 };

/* ---- words ------------------------------------------------------------------------------------------ */

una_words una_words_in(una_arena *keep, una_arena *work)
{
    return (una_words){ .keep = keep, .work = work, .key = una_hash_key_of(keep->run) };
}

static const char **slot_for(const una_words *words, const char **slot, size_t slots, const char *at, size_t length)
{
    size_t i = (size_t)una_hash_bytes(words->key, at, length) & (slots - 1);
    while (slot[i] && (strncmp(slot[i], at, length) != 0 || slot[i][length] != 0)) i = (i + 1) & (slots - 1);
    return &slot[i];
}

static bool enlarge_word_table(una_words *words)
{
    size_t slots = words->slots ? 2 * words->slots : FIRST_SLOTS;
    const char **slot = UNA_GET(words->work, const char *, slots);
    if (!slot) return false;
    for (size_t i = 0; i < words->slots; i++)
        if (words->slot[i]) *slot_for(words, slot, slots, words->slot[i], strlen(words->slot[i])) = words->slot[i];
    words->slot = slot;
    words->slots = slots;
    return true;
}

static char *room_for(una_words *words, size_t size)
{
    if (size > SLAB / 4) return UNA_GET(words->keep, char, size);
    if (size > words->slab_left) {
        words->slab = UNA_GET(words->keep, char, SLAB);
        words->slab_left = words->slab ? SLAB : 0;
    }
    if (size > words->slab_left) return NULL;
    char *room = words->slab;
    words->slab += size;
    words->slab_left -= size;
    return room;
}

const char *una_words_get(una_words *words, const char *at, size_t length)
{
    if (2 * words->count >= words->slots && !enlarge_word_table(words)) return NULL;
    const char **slot = slot_for(words, words->slot, words->slots, at, length), *known = *slot;
    if (known) return known;
    char *word = room_for(words, length + 1);
    if (!word) return NULL;
    memcpy(word, at, length);
    word[length] = 0;
    words->count++;
    *slot = word;
    return word;
}

/* ---- numbers of words ------------------------------------------------------------------------------ */

enum { FIRST_BITS = 8 };

una_numbering una_numbering_in(una_arena *work)
{
    uint64_t odd = una_hash_key_of(work->run).word[0] | 1;
    return (una_numbering){ .work = work, .factor = odd, .shift = 64 - FIRST_BITS + 1 };
}

/* Multiplicative hashing (Dietzfelbinger 1997): times an odd number that nobody knows, two pointers seldom share their
 * upper bits. */
static size_t slot_of_word(const una_numbering *n, const char *word)
{
    size_t i = (size_t)((uint64_t)(uintptr_t)word * n->factor >> n->shift);
    while (n->slot[i] && n->slot[i] != word) i = (i + 1) & (n->slots - 1);
    return i;
}

/* Without memory nothing has changed. */
static bool widen_numbering(una_numbering *n)
{
    una_numbering wide = *n;
    wide.shift--;
    wide.slots = (size_t)1 << (64 - wide.shift);
    wide.slot = UNA_GET(n->work, const char *, wide.slots);
    wide.number = UNA_GET(n->work, uint32_t, wide.slots);
    if (!wide.slot || !wide.number) return false;
    for (size_t i = 0; i < n->slots; i++) {
        if (!n->slot[i]) continue;
        size_t to = slot_of_word(&wide, n->slot[i]);
        wide.slot[to] = n->slot[i];
        wide.number[to] = n->number[i];
    }
    *n = wide;
    return true;
}

uint32_t una_number_of(una_numbering *n, const char *word)
{
    if (!word || (2 * n->count >= n->slots && !widen_numbering(n))) return 0;
    size_t i = slot_of_word(n, word);
    if (!n->slot[i]) {
        n->slot[i] = word;
        n->number[i] = (uint32_t)++n->count;
    }
    return n->number[i];
}

/* ---- rows ------------------------------------------------------------------------------------------- */

struct una_build_block {
    una_build_block *next;
    size_t           rows;
    una_build_cell  *cell;       /* [columns, block_rows], then the lines [block_rows]              */
};

una_build una_build_begin(una_dataset *data, size_t most_rows, una_arena *work)
{
    size_t fitting = UNA_MAX(BLOCK_CELLS / (data->columns + 1), 16), rows = UNA_MIN(UNA_MIN(fitting, MOST_ROWS), most_rows);
    return (una_build){ .data = data, .work = work, .words = una_words_in(&data->arena, work), .block_rows = rows };
}

una_status una_build_row(una_build *build, size_t line)
{
    if (!build->last || build->last->rows == build->block_rows) {
        size_t each = build->block_rows * (build->data->columns + 1), many = 1 + MANY_CELLS / each;
        UNA_NEW(build->work, una_build_block, block, 1);
        if (build->spares == 0) {
            build->spares = build->blocks < many ? 1 : many;
            UNA_NEW_ROWS_AT(build->work, build->spare, build->spares * each);
        }
        *block = (una_build_block){ .cell = build->spare };
        build->spare += each;
        build->spares--;
        build->blocks++;
        if (build->last) build->last->next = block;
        else build->first = block;
        build->last = block;
    }

    build->row = build->last->rows++;
    build->last->cell[build->data->columns * build->block_rows + build->row].line = line;
    build->data->rows++;
    return UNA_OK;
}

void una_build_number(una_build *build, size_t column, double value)
{
    build->last->cell[column * build->block_rows + build->row].number = value;
}

una_status una_build_numbers(una_build *build, size_t line, const double *values, const size_t *from)
{
    UNA_TRY(una_build_row(build, line));
    size_t columns = build->data->columns, step = build->block_rows;
    una_build_cell *cell = build->last->cell + build->row;
    for (size_t c = 0; c < columns; c++) cell[c * step].number = values[from[c]];
    return UNA_OK;
}

void una_build_word(una_build *build, size_t column, const char *at, size_t length)
{
    build->last->cell[column * build->block_rows + build->row].word =
        at ? una_words_get(&build->words, at, length) : NULL;
}

una_status una_build_end(una_build *build, bool with_lines)
{
    una_dataset *data = build->data;
    UNA_TRY(una_arena_check(build->work));                       /* the words' table may have failed */
    UNA_TRY(una_table_cells(data));
    if (with_lines) UNA_NEW_ROWS_AT(&data->arena, data->line, data->rows);
    for (size_t c = 0; c < data->columns + with_lines; c++) {    /* the lines behind the last column */
        UNA_TRY(una_check_cancelled(data->run, "reading"));
        const una_table_column *column = c < data->columns ? &data->column[c] : NULL;
        size_t row = 0;
        for (una_build_block *block = build->first; block; row += block->rows, block = block->next) {
            const una_build_cell *cell = block->cell + c * build->block_rows;
            if (!column)
                for (size_t i = 0; i < block->rows; i++) data->line[row + i] = cell[i].line;
            else if (column->is_text)
                for (size_t i = 0; i < block->rows; i++) column->word[row + i] = cell[i].word;
            else
                for (size_t i = 0; i < block->rows; i++) column->number[row + i] = cell[i].number;
        }
    }
    return UNA_OK;
}
