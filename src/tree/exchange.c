/* SPDX-License-Identifier: MIT
 *
 * Trees in files: whole numbers as doubles, which hold them exactly. A child stands behind its parent, so no file can
 * make a walk through a tree endless.
 */
#include "tree/tree.h"

enum { PER_COLUMN = 4, PER_NODE = 3, PER_SET = 8 };
static const double HALF = 4294967296.0;                 /* 2^32: sets of words are saved 32 bits at a time  */

static bool is_whole_below(double value, double end)
{
    return value >= 0 && value < end && floor(value) == value;
}

/* ---- columns ---------------------------------------------------------------------------------------------------- */

static bool column_is_sound(const double *at, size_t inputs)
{
    double input = at[0], words = at[1], missing = at[2], edges = at[3], all = (double)inputs;
    return is_whole_below(input, all) && is_whole_below(words, UNA_TREE_CODES) && input + words <= all &&
           is_whole_below(missing, all + 1) && is_whole_below(edges, UNA_TREE_CODES - 2) && (words == 0 || edges == 0);
}

static una_status exchange_edges(una_tree_coding *coding, una_archive *ar)
{
    size_t count = 0, next = 0;
    double *edge = NULL;
    for (size_t c = 0; c < coding->columns; c++) count += coding->column[c].edges;
    if (!ar->loading) UNA_NEW_AT(&ar->run->scratch, edge, count);
    for (size_t c = 0; !ar->loading && c < coding->columns; c++)
        for (size_t e = 0; e < coding->column[c].edges; e++) edge[next++] = coding->column[c].edge[e];
    UNA_TRY(una_archive_f64s(ar, "trees.edge", &edge, count));
    for (size_t c = 0; ar->loading && c < coding->columns; c++) {
        una_tree_column *column = &coding->column[c];
        column->edge = edge + next;
        next += column->edges;
        for (size_t e = 1; e < column->edges; e++)
            if (!(column->edge[e] > column->edge[e - 1])) return una_archive_refuse(ar, "trees.edge", "is not ascending");
    }
    return UNA_OK;
}

static una_status exchange_coding(una_tree_coding *coding, una_archive *ar)
{
    double *number = NULL;
    UNA_TRY(una_archive_size(ar, "trees.columns", &coding->columns, 1, UINT16_MAX));
    UNA_TRY(una_archive_expect(ar, "trees.columns", coding->columns, PER_COLUMN * sizeof *number));
    if (!ar->loading) UNA_NEW_AT(&ar->run->scratch, number, PER_COLUMN * coding->columns);
    for (size_t c = 0; !ar->loading && c < coding->columns; c++) {
        const una_tree_column *from = &coding->column[c];
        double missing = from->missing == SIZE_MAX ? 0 : (double)from->missing + 1, *to = number + PER_COLUMN * c;
        to[0] = (double)from->input, to[1] = (double)from->words, to[2] = missing, to[3] = (double)from->edges;
    }
    UNA_TRY(una_archive_f64s(ar, "trees.column", &number, PER_COLUMN * coding->columns));
    if (ar->loading) UNA_NEW_AT(ar->arena, coding->column, coding->columns);
    for (size_t c = 0; ar->loading && c < coding->columns; c++) {
        const double *at = number + PER_COLUMN * c;
        if (!column_is_sound(at, ar->inputs)) return una_archive_refuse(ar, "trees.column", "does not fit the inputs");
        coding->column[c] = (una_tree_column){ (size_t)at[0], (size_t)at[1], at[2] > 0 ? (size_t)at[2] - 1 : SIZE_MAX,
                                               (size_t)at[3], NULL };
    }
    return exchange_edges(coding, ar);
}

/* ---- nodes -------------------------------------------------------------------------------------------------------- */

typedef struct flat {                    /* all trees in a row                                               */
    double *nodes, *node, *set;          /* [trees]; [PER_NODE] each; [PER_SET] each                         */
    size_t  node_count, set_count;
} flat;

static void flatten_node(flat *all, const una_tree_node *n, double *to)
{
    bool asks_words = n->left && n->words;
    to[0] = n->left;
    to[1] = n->column * 1024.0 + n->last * 4.0 + n->missing_left * 2.0 + asks_words;
    to[2] = n->left ? 0 : n->value;
    if (!asks_words) return;
    to[2] = (double)all->set_count;
    for (size_t k = 0; k < 4; k++) {
        all->set[PER_SET * all->set_count + 2 * k] = (double)(n->words[k] & UINT32_MAX);
        all->set[PER_SET * all->set_count + 2 * k + 1] = (double)(n->words[k] >> 32);
    }
    all->set_count++;
}

static una_status flatten(flat *all, const una_trees *trees, una_arena *scratch)
{
    size_t sets = 0, next = 0;
    for (size_t t = 0; t < trees->count; t++) {
        all->node_count += trees->tree[t].nodes;
        for (size_t i = 0; i < trees->tree[t].nodes; i++)
            sets += trees->tree[t].node[i].left && trees->tree[t].node[i].words;
    }
    UNA_NEW_AT(scratch, all->nodes, trees->count);
    UNA_NEW_AT(scratch, all->node, PER_NODE * all->node_count);
    UNA_NEW_AT(scratch, all->set, PER_SET * sets);
    for (size_t t = 0; t < trees->count; t++) {
        all->nodes[t] = (double)trees->tree[t].nodes;
        for (size_t i = 0; i < trees->tree[t].nodes; i++)
            flatten_node(all, &trees->tree[t].node[i], all->node + PER_NODE * next++);
    }
    return UNA_OK;
}

static una_status read_node(una_tree_node *n, size_t index, size_t nodes, const double *from, const flat *all,
                            const uint64_t *words, const una_tree_coding *coding, una_archive *ar)
{
    double left = from[0], asks = from[1];
    if (!is_whole_below(left, (double)nodes) || !is_whole_below(asks, 65536.0 * 1024))
        return una_archive_refuse(ar, "trees.node", "holds no node");
    *n = (una_tree_node){ .left = (uint32_t)left, .column = (uint16_t)(asks / 1024),
                          .last = (unsigned char)((uint32_t)asks / 4 % 256), .missing_left = (uint32_t)asks / 2 % 2 };
    n->value = from[2];
    if (!n->left) return UNA_OK;
    bool asks_words = (uint32_t)asks % 2;
    if (n->left <= index || n->left + (size_t)1 >= nodes || n->column >= coding->columns ||
        asks_words != (coding->column[n->column].words > 0))
        return una_archive_refuse(ar, "trees.node", "points outside of its tree or columns");
    n->words = NULL;
    if (!asks_words) return UNA_OK;
    if (!is_whole_below(from[2], (double)all->set_count))
        return una_archive_refuse(ar, "trees.node", "points to a set that is not there");
    n->words = words + 4 * (size_t)from[2];
    return UNA_OK;
}

static una_status read_trees(una_trees *trees, const flat *all, una_archive *ar)
{
    size_t next = 0;
    UNA_NEW_AT(ar->arena, trees->tree, trees->count);
    UNA_NEW(ar->arena, una_tree_node, node, all->node_count);
    UNA_NEW(ar->arena, uint64_t, words, 4 * all->set_count);
    for (size_t k = 0; k < 4 * all->set_count; k++) {
        const double *half = all->set + 2 * k;
        if (!is_whole_below(half[0], HALF) || !is_whole_below(half[1], HALF))
            return una_archive_refuse(ar, "trees.set", "holds no set");
        words[k] = (uint64_t)half[0] | (uint64_t)half[1] << 32;
    }
    for (size_t t = 0; t < trees->count; t++) {
        if (!is_whole_below(all->nodes[t] - 1, (double)(all->node_count - next)))
            return una_archive_refuse(ar, "trees.nodes", "does not fit the nodes");
        una_tree *tree = &trees->tree[t];
        *tree = (una_tree){ node + next, (size_t)all->nodes[t] };
        for (size_t i = 0; i < tree->nodes; i++, next++)
            UNA_TRY(read_node(&tree->node[i], i, tree->nodes, all->node + PER_NODE * next, all, words, &trees->coding,
                              ar));
    }
    return next == all->node_count ? UNA_OK : una_archive_refuse(ar, "trees.nodes", "does not fit the nodes");
}

una_status una_trees_exchange(una_trees *trees, una_archive *ar)
{
    flat all = {0};
    UNA_TRY(exchange_coding(&trees->coding, ar));
    if (!ar->loading) UNA_TRY(flatten(&all, trees, &ar->run->scratch));
    UNA_TRY(una_archive_f64(ar, "trees.base", &trees->base));
    UNA_TRY(una_archive_size(ar, "trees.count", &trees->count, 0, UINT32_MAX));
    UNA_TRY(una_archive_size(ar, "trees.node_count", &all.node_count, 0, UINT32_MAX));
    UNA_TRY(una_archive_size(ar, "trees.set_count", &all.set_count, 0, UINT32_MAX));
    UNA_TRY(una_archive_f64s(ar, "trees.nodes", &all.nodes, trees->count));
    UNA_TRY(una_archive_f64s(ar, "trees.node", &all.node, PER_NODE * all.node_count));
    UNA_TRY(una_archive_f64s(ar, "trees.set", &all.set, PER_SET * all.set_count));
    return ar->loading ? read_trees(trees, &all, ar) : UNA_OK;
}
