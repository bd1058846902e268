/* SPDX-License-Identifier: MIT
 *
 * One tree after another. The rows of a node stand together, in the order of the table; a node's sums are made for its
 * smaller child and taken off for the larger one. Small nodes have few of the codes: their sums know which.
 */
#include "tree/tree.h"

typedef struct code_sum { double sum; size_t rows; } code_sum;   /* of the rows with one code: of what is left, and how
                                                                    many */
typedef struct node_sums {
    code_sum *of;                        /* [first[columns]]                                                 */
    uint64_t *some;                      /* [columns, WORDS] a bit for each code that may have rows          */
} node_sums;

enum { WORDS = UNA_TREE_CODES / 64 };

typedef struct split {
    double gain;                         /* 0: none                                                          */
    size_t column;
    unsigned char last;
    bool   missing_left;
    uint64_t words[4];
} split;

typedef struct grower {
    const una_tree_settings *how;
    const una_tree_coding *coding;
    const una_tree_rows *of;
    uint32_t *row, *spare_row;           /* [rows] those of this tree, node by node                          */
    double   *rest, *spare_rest;         /* [rows] y - f of these                                            */
    size_t   *first;                     /* [columns + 1] where the codes of each column begin in `sums`     */
    bool     *asked;                     /* [columns] drawn for this tree                                    */
    node_sums *sums;                     /* [depth + 1] of a node on each level                              */
    double   *inverse;                   /* [rows + 1] 1 / (rows + penalty)                                  */
    double   *f;                         /* [rows] what all trees say of each row                            */
    una_tree_node *node;                 /* of this tree                                                     */
    size_t    nodes;
    double   *gain;                      /* [columns] of all trees                                           */
    una_arena *keep;
} grower;

typedef struct part { size_t node, from, count, depth; double sum; } part;   /* a node, and where its rows stand */

/* ---- sums --------------------------------------------------------------------------------------------------- */

/* The codes of a bit set, in order: for (size_t k; next_code(&set, &k);) */
typedef struct code_set { uint64_t word[WORDS]; size_t at; } code_set;

static code_set codes_of(const node_sums *sums, size_t column)
{
    code_set set = { .at = 0 };
    memcpy(set.word, sums->some + column * WORDS, sizeof set.word);
    return set;
}

static inline bool next_code(code_set *set, size_t *code)
{
    while (set->at < WORDS && !set->word[set->at]) set->at++;
    if (set->at == WORDS) return false;
    uint64_t word = set->word[set->at];
    *code = set->at * 64 + (size_t)__builtin_ctzll(word);
    set->word[set->at] = word & (word - 1);
    return true;
}

static void sum_column(code_sum *sums, uint64_t *some, const unsigned char *code, const uint32_t *row,
                       const double *rest, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        unsigned char k = code[row[i]];
        sums[k].sum += rest[i];
        sums[k].rows++;
        some[k / 64] |= (uint64_t)1 << k % 64;
    }
}

static void sum_rows(const grower *g, node_sums *sums, const part *p)
{
    for (size_t c = 0; c < g->coding->columns; c++) {
        code_set old = codes_of(sums, c);
        for (size_t k; next_code(&old, &k);) sums->of[g->first[c] + k] = (code_sum){ 0, 0 };
        memset(sums->some + c * WORDS, 0, WORDS * sizeof *sums->some);
        if (g->asked[c])
            sum_column(sums->of + g->first[c], sums->some + c * WORDS, g->of->code + c * g->of->rows, g->row + p->from,
                       g->rest + p->from, p->count);
    }
}

static void take_off(const grower *g, node_sums *sums, const node_sums *less)
{
    for (size_t c = 0; c < g->coding->columns; c++) {
        code_set set = codes_of(less, c);
        for (size_t k; next_code(&set, &k);) {
            code_sum *s = &sums->of[g->first[c] + k];
            s->sum -= less->of[g->first[c] + k].sum;
            s->rows -= less->of[g->first[c] + k].rows;
            if (s->rows == 0) sums->some[c * WORDS + k / 64] &= ~((uint64_t)1 << k % 64), s->sum = 0;
        }
    }
}

/* ---- the best split of a node --------------------------------------------------------------------------------- */

typedef struct search { const grower *g; const part *p; double without; split best; } search;

static inline bool is_better(const search *s, double sum, size_t rows, double *gain)
{
    size_t least = s->g->how->least_rows, others = s->p->count - rows;
    const double *inverse = s->g->inverse;
    double other = s->p->sum - sum;
    if (rows < least || others < least || rows == 0 || others == 0) return false;
    *gain = sum * sum * inverse[rows] + other * other * inverse[others] - s->without;
    return *gain > s->best.gain;
}

/* Codes in order, the missing ones on either side. */
static void search_numbers(search *s, size_t c, const node_sums *sums)
{
    const code_sum *of = sums->of + s->g->first[c];
    double gain;
    size_t codes = s->g->first[c + 1] - s->g->first[c];
    for (int left = of[0].rows > 0; left >= 0; left--) {
        double sum = left ? of[0].sum : 0;
        size_t rows = left ? of[0].rows : 0;
        code_set set = codes_of(sums, c);
        set.word[0] &= ~(uint64_t)1;
        for (size_t k; next_code(&set, &k) && k + 1 < codes;) {
            sum += of[k].sum;
            rows += of[k].rows;
            if (is_better(s, sum, rows, &gain))
                s->best = (split){ .gain = gain, .column = c, .last = (unsigned char)k, .missing_left = left };
        }
        if (of[0].rows > 0 && !left) {                   /* what is missing against all that is there */
            sum = s->p->sum - of[0].sum;
            if (is_better(s, sum, s->p->count - of[0].rows, &gain))
                s->best = (split){ .gain = gain, .column = c, .last = (unsigned char)(codes - 1) };
        }
    }
}

static double mean_of(const code_sum *s, double penalty)
{
    return s->sum / ((double)s->rows + penalty);
}

/* In the order of their means the best set is one of the first so many. */
static void search_words(search *s, size_t c, const node_sums *of)
{
    const code_sum *sums = of->of + s->g->first[c];
    unsigned char order[UNA_TREE_CODES];
    size_t count = 0, rows = 0;
    double sum = 0, gain, penalty = s->g->how->penalty;
    code_set set = codes_of(of, c);
    for (size_t k; next_code(&set, &k);) {
        size_t at = count++;
        for (; at > 0 && mean_of(&sums[order[at - 1]], penalty) > mean_of(&sums[k], penalty); at--)
            order[at] = order[at - 1];
        order[at] = (unsigned char)k;
    }

    uint64_t left[4] = {0};
    for (size_t i = 0; i + 1 < count; i++) {
        left[order[i] / 64] |= (uint64_t)1 << order[i] % 64;
        sum += sums[order[i]].sum;
        rows += sums[order[i]].rows;
        if (!is_better(s, sum, rows, &gain)) continue;
        s->best = (split){ .gain = gain, .column = c };
        memcpy(s->best.words, left, sizeof left);
        s->best.missing_left = sums[0].rows > 0 ? left[0] & 1 : rows > s->p->count - rows;
        if (s->best.missing_left) s->best.words[0] |= 1;
    }
}

static split best_split(const grower *g, const part *p, const node_sums *sums)
{
    const double floor = 1e-12 * (double)p->count;
    search s = { g, p, p->sum * p->sum * g->inverse[p->count], { .gain = floor } };
    for (size_t c = 0; c < g->coding->columns; c++)
        if (g->asked[c]) (g->coding->column[c].words ? search_words : search_numbers)(&s, c, sums);
    if (!(s.best.gain > floor)) s.best.gain = 0;
    return s.best;
}

/* ---- growing --------------------------------------------------------------------------------------------------- */

static bool goes_left(const una_tree_node *n, unsigned char code)
{
    if (n->words) return n->words[code / 64] >> code % 64 & 1;
    return code ? code <= n->last : n->missing_left;
}

/* The rows that go left stand before the others, both in their old order; returns how many. */
static size_t divide_rows(const grower *g, const una_tree_node *n, const part *p)
{
    const unsigned char *code = g->of->code + n->column * g->of->rows;
    size_t left = 0, right = 0;
    uint32_t *row = g->row + p->from;
    double *rest = g->rest + p->from;
    for (size_t i = 0; i < p->count; i++) {              /* to both sides, of which one moves on: no branch to guess */
        uint32_t r = row[i];
        double value = rest[i];
        size_t goes = goes_left(n, code[r]);
        row[left] = g->spare_row[right] = r;
        rest[left] = g->spare_rest[right] = value;
        left += goes;
        right += !goes;
    }
    memcpy(row + left, g->spare_row, right * sizeof *row);
    memcpy(rest + left, g->spare_rest, right * sizeof *rest);
    return left;
}

static double sum_of(const double *rest, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += rest[i];
    return sum;
}

static una_status set_split(grower *g, una_tree_node *n, const split *best)
{
    *n = (una_tree_node){ .left = (uint32_t)g->nodes, .column = (uint16_t)best->column, .last = best->last,
                          .missing_left = best->missing_left };
    n->words = NULL;
    if (g->coding->column[best->column].words) {
        UNA_NEW(g->keep, uint64_t, words, 4);
        memcpy(words, best->words, sizeof best->words);
        n->words = words;
    }
    g->nodes += 2;
    return UNA_OK;
}

/* Its rows stand together: no row of this tree looks for its leaf. */
static una_status end_in_leaf(const grower *g, const part *p)
{
    double value = g->node[p->node].value;
    for (size_t i = p->from; i < p->from + p->count; i++) g->f[g->row[i]] += value;
    return UNA_OK;
}

/* Of a node whose sums are g->sums[p->depth]: its children's are made in place of it and one level below. */
static una_status grow_node(grower *g, const part *p)
{
    const una_tree_settings *how = g->how;
    una_tree_node *n = &g->node[p->node];
    *n = (una_tree_node){ .value = how->rate * p->sum / ((double)p->count + how->penalty) };
    if (p->depth == how->depth || p->count < 2 * how->least_rows || p->count < 2) return end_in_leaf(g, p);
    split best = best_split(g, p, &g->sums[p->depth]);
    if (best.gain == 0) return end_in_leaf(g, p);

    UNA_TRY(set_split(g, n, &best));
    g->gain[best.column] += best.gain;
    size_t left = divide_rows(g, n, p), depth = p->depth + 1;
    part child[2] = { { n->left, p->from, left, depth, sum_of(g->rest + p->from, left) },
                      { n->left + 1, p->from + left, p->count - left, depth, 0 } };
    child[1].sum = sum_of(g->rest + child[1].from, child[1].count);

    size_t small = child[1].count < child[0].count;
    if (depth < how->depth) sum_rows(g, &g->sums[depth], &child[small]);
    if (depth < how->depth) take_off(g, &g->sums[p->depth], &g->sums[depth]);
    UNA_TRY(grow_node(g, &child[small]));
    node_sums others = g->sums[p->depth];                /* the level below has been used up */
    g->sums[p->depth] = g->sums[depth];
    g->sums[depth] = others;
    return grow_node(g, &child[!small]);
}

/* ---- boosting -------------------------------------------------------------------------------------------------- */

double una_tree_value(const una_tree *t, const unsigned char *code)
{
    const una_tree_node *n = t->node;
    while (n->left) n = t->node + n->left + !goes_left(n, code[n->column]);
    return n->value;
}

double una_trees_value(const una_trees *trees, const unsigned char *code)
{
    double sum = trees->base;
    for (size_t t = 0; t < trees->count; t++) sum += una_tree_value(&trees->tree[t], code);
    return sum;
}

/* As una_tree_value, for a row among codes by column. */
static double value_at(const una_tree *t, const una_tree_rows *rows, size_t row)
{
    const una_tree_node *n = t->node;
    while (n->left) n = t->node + n->left + !goes_left(n, rows->code[n->column * rows->rows + row]);
    return n->value;
}

typedef struct boosting {
    grower  g;
    una_trees *trees;
    const una_tree_rows *train, *judge;
    double *judge_f;                     /* [rows]                                                           */
    uint32_t *others;                    /* [rows - drawn] that the tree has not drawn                       */
    size_t  drawn;                       /* rows of each tree                                                */
    una_tree_node *work;                 /* room for one tree                                                */
} boosting;

static una_status begin(boosting *b, const una_tree_settings *how, una_run *run)
{
    const una_tree_coding *coding = &b->trees->coding;
    size_t rows = b->train->rows, columns = coding->columns, sums;
    una_arena *scratch = &run->scratch;
    b->g.how = how;
    b->g.coding = coding;
    b->g.of = b->train;
    UNA_NEW_ROWS_AT(scratch, b->g.row, rows);
    UNA_NEW_ROWS_AT(scratch, b->g.spare_row, rows);
    UNA_NEW_ROWS_AT(scratch, b->g.rest, rows);
    UNA_NEW_ROWS_AT(scratch, b->g.spare_rest, rows);
    UNA_NEW_ROWS_AT(scratch, b->g.f, rows);
    UNA_NEW_ROWS_AT(scratch, b->others, rows);
    UNA_NEW_ROWS_AT(scratch, b->judge_f, b->judge ? b->judge->rows : 0);
    UNA_NEW_AT(scratch, b->g.first, columns + 1);
    UNA_NEW_AT(scratch, b->g.asked, columns);
    for (size_t c = 0; c < columns; c++)
        b->g.first[c + 1] = b->g.first[c] + 1 + (coding->column[c].words ? coding->column[c].words
                                                                         : coding->column[c].edges + 1);
    sums = b->g.first[columns];
    UNA_NEW_AT(scratch, b->g.sums, how->depth + 1);
    for (size_t d = 0; d <= how->depth; d++) {
        UNA_NEW_AT(scratch, b->g.sums[d].of, sums);
        UNA_NEW_AT(scratch, b->g.sums[d].some, WORDS * columns);
    }
    UNA_NEW_AT(scratch, b->g.inverse, rows + 1);
    for (size_t i = 0; i <= rows; i++) b->g.inverse[i] = 1 / ((double)i + how->penalty);
    size_t most = 2 * rows < (size_t)2 << how->depth ? 2 * rows : (size_t)2 << how->depth;
    UNA_NEW_AT(scratch, b->work, most);
    b->drawn = (size_t)fmax(1, floor(how->row_share * (double)rows + 0.5));
    return UNA_OK;
}

/* Rows and columns of the next tree. */
static void draw_rows(boosting *b, size_t tree)
{
    grower *g = &b->g;
    size_t rows = b->train->rows, left = b->drawn, count = 0, others = 0;
    una_rng rng = una_rng_at(g->how->seed, UNA_FOR_BATCHES, g->how->stream + tree);
    for (size_t i = 0; i < rows; i++) {
        if (left == 0 || (left < rows - i && una_rng_below(&rng, rows - i) >= left)) {
            b->others[others++] = (uint32_t)i;
            continue;
        }
        g->row[count] = (uint32_t)i;
        g->rest[count++] = b->train->y[i] - g->f[i];
        left--;
    }
    size_t columns = g->coding->columns, wanted = (size_t)fmax(1, floor(g->how->column_share * (double)columns + 0.5));
    for (size_t c = 0; c < columns; c++) {
        g->asked[c] = wanted == columns - c || una_rng_below(&rng, columns - c) < wanted;
        wanted -= g->asked[c];
    }
}

static una_status add_tree(boosting *b, size_t index, una_arena *keep)
{
    grower *g = &b->g;
    una_tree *tree = &b->trees->tree[index];
    draw_rows(b, index);
    g->node = b->work;
    g->nodes = 1;
    g->keep = keep;
    part root = { 0, 0, b->drawn, 0, sum_of(g->rest, b->drawn) };
    sum_rows(g, &g->sums[0], &root);
    UNA_TRY(grow_node(g, &root));
    UNA_NEW_AT(keep, tree->node, g->nodes);
    memcpy(tree->node, g->node, g->nodes * sizeof *g->node);
    tree->nodes = g->nodes;
    for (size_t i = 0; i < b->train->rows - b->drawn; i++)
        g->f[b->others[i]] += value_at(tree, b->train, b->others[i]);
    return UNA_OK;
}

static double judge_tree(boosting *b, const una_tree *tree)
{
    double square = 0;
    size_t rows = b->judge->rows;
    for (size_t i = 0; i < rows; i++) {
        b->judge_f[i] += value_at(tree, b->judge, i);
        square += pow(b->judge->y[i] - b->judge_f[i], 2);
    }
    return square / (double)rows;
}

una_status una_trees_grow(una_trees *trees, const una_tree_rows *train, const una_tree_rows *judge,
                          const una_tree_settings *how, double *error, una_arena *keep, una_run *run)
{
    boosting b = { .trees = trees, .train = train, .judge = judge && judge->rows ? judge : NULL };
    double best = HUGE_VAL;
    UNA_TRY(begin(&b, how, run));
    UNA_NEW_AT(keep, trees->tree, how->most);
    UNA_NEW_AT(keep, trees->gain, trees->coding.columns);
    b.g.gain = trees->gain;
    trees->base = sum_of(train->y, train->rows) / (double)train->rows;
    for (size_t i = 0; i < train->rows; i++) b.g.f[i] = trees->base;
    for (size_t i = 0; b.judge && i < b.judge->rows; i++) b.judge_f[i] = trees->base;

    trees->count = b.judge ? 0 : how->most;
    for (size_t t = 0; t < how->most; t++) {
        UNA_TRY(add_tree(&b, t, keep));
        double now = b.judge ? judge_tree(&b, &trees->tree[t]) : NAN;
        UNA_TRY(una_tick(run, how->stage, (double)(t + 1) / (double)how->most, now));
        if (now < best) best = now, trees->count = t + 1;
        else if (b.judge && how->patience && t + 1 >= trees->count + how->patience) break;
    }
    *error = best;
    return UNA_OK;
}
