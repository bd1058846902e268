/* SPDX-License-Identifier: MIT
 *
 * The tables of the experiment: functions that are known, published sets, files; which of their rows train and test;
 * and the sizes that are taken of them.
 *
 *   dD         f(x) = sum over i = 1 ... D of sin(2 x_i + i) / i  + x_1 x_2 / 2,   x uniform in [-2, 2]^D,
 *              y = f(x) + N(0, 0.3^2); d1 has no product. Smooth, additive but for one interaction, and later inputs
 *              matter less. 2,000 rows test
 *   published  the rows of a published split; FILE: a share of the rows, by the number of the split
 */
#include "scale/scale.h"

#include "bench/sum.h"
#include "data/splits.h"
#include "data/table.h"
#include "sets/catalogue.h"

#include <inttypes.h>
#include <unistd.h>

enum { KNOWN_TEST = 2000, MOST_INPUTS = 100, LEAST_ROWS = 10, TEST_SEED = 2000, VALID_SEED = 1000 };
static const double known_noise = 0.3, valid_share = 0.1;

typedef struct making {                  /* of one table                                                    */
    una_scale_table         *table;
    const una_scale_options *options;
    una_arena               *arena;
    una_run                 *run;
} making;

/* ---- which rows -------------------------------------------------------------------------------------------------- */

/* A tenth of the rows that would train, the same as in uci, tests; the published test rows rest. */
static una_status take_valid(una_split *split, double number, una_run *run)
{
    una_split inner = UNA_INIT(una_split);
    size_t *train = split->train, *test = split->test;
    UNA_TRY(una_split_random(&inner, split->train_count, valid_share, VALID_SEED + (uint64_t)number, run));
    for (size_t i = 0; i < inner.train_count; i++) inner.train[i] = train[inner.train[i]];
    for (size_t i = 0; i < inner.test_count; i++) inner.test[i] = train[inner.test[i]];
    split->train = inner.train, split->train_count = inner.train_count;
    split->test = inner.test, split->test_count = inner.test_count;
    inner.train = train, inner.test = test;
    una_split_free(&inner, run);
    return UNA_OK;
}

static una_status copy_split(const making *m, const una_split *split)
{
    una_scale_table *t = m->table;
    UNA_NEW_AT(m->arena, t->train, split->train_count);
    UNA_NEW_AT(m->arena, t->test, split->test_count);
    memcpy(t->train, split->train, split->train_count * sizeof *t->train);
    memcpy(t->test, split->test, split->test_count * sizeof *t->test);
    t->train_count = split->train_count;
    t->test_count = split->test_count;
    if (t->test_count >= UNA_SCALE_PARTS && t->train_count >= LEAST_ROWS) return UNA_OK;
    UNA_FAIL(m->run, UNA_E_INPUT, "%s has %zu rows to train on and %zu to test on, and at least %d and %d are needed; "
             "give a table with more rows, or another share of test rows with --test", t->name, t->train_count,
             t->test_count, LEAST_ROWS, UNA_SCALE_PARTS);
}

/* Of rows and their parts in it: another split, share or table makes other keys. The cells of known functions are left
 * out, for the last digit of a sine may differ between machines. */
static una_status sum_table(const making *m)
{
    una_scale_table *t = m->table;
    size_t count = t->train_count + t->test_count;
    UNA_NEW(&m->run->scratch, uint64_t, rows, count + 1);
    rows[0] = t->train_count;
    for (size_t i = 0; i < count; i++)
        rows[i + 1] = i < t->train_count ? t->train[i] : t->test[i - t->train_count];
    una_sum sum = una_sum_begin();
    una_sum_add(&sum, rows, (count + 1) * sizeof *rows);
    uint64_t whole = una_sum_end(&sum) ^ (t->known.rows ? 0 : una_table_sum(t->all));
    t->sum = una_phrase(m->arena, "#%08" PRIx32, (uint32_t)(whole ^ whole >> 32));
    return una_arena_check(m->arena);
}

/* Takes over the split, also after a failure. */
static una_status finish_table(const making *m, una_split *split)
{
    una_status status = m->options->valid ? take_valid(split, m->options->split, m->run) : UNA_OK;
    if (status == UNA_OK) status = copy_split(m, split);
    una_split_free(split, m->run);
    if (status == UNA_OK) UNA_SCOPED_CALL(status, m->run, sum_table(m));
    return status;
}

/* ---- known functions --------------------------------------------------------------------------------------------- */

/* "d20": 20; 0: it is no such name. */
static size_t known_inputs(const char *name)
{
    char *end;
    if (name[0] != 'd' || name[1] < '1' || name[1] > '9') return 0;
    unsigned long inputs = strtoul(name + 1, &end, 10);
    return *end || inputs > MOST_INPUTS ? 0 : (size_t)inputs;
}

static double known_function(const double *x, size_t inputs)
{
    double f = inputs > 1 ? x[0] * x[1] / 2 : 0;
    for (size_t i = 1; i <= inputs; i++) f += sin(2 * x[i - 1] + (double)i) / (double)i;
    return f;
}

/* The test rows come first, so that they stay the same when more rows are asked for. */
static una_status make_known(const making *m, size_t inputs)
{
    static const char *const names[] = { "x", "y" };             /* of one input, as una_truth_table has them */
    una_scale_table *t = m->table;
    size_t train = (size_t)m->options->rows;
    una_split split = UNA_INIT(una_split);
    uint64_t number = (uint64_t)m->options->split;
    una_rng place = una_rng_at(inputs, UNA_FOR_DATA, 2 * number), noise = una_rng_at(inputs, UNA_FOR_DATA, 2 * number + 1);
    UNA_TRY(una_truth_new(&t->known, KNOWN_TEST + train, inputs, m->arena));
    for (size_t r = 0; r < t->known.rows; r++) {
        double *x = t->known.x + r * inputs;
        for (size_t i = 0; i < inputs; i++) x[i] = 4 * una_rng_uniform(&place) - 2;
        t->known.f[r] = known_function(x, inputs);
        t->known.noise[r] = known_noise;
    }
    una_truth_add_noise(&t->known, &noise);
    UNA_TRY(una_dataset_from_arrays(&t->all, t->known.x, t->known.y, t->known.rows, inputs,
                                    inputs == 1 ? names : NULL, m->run));
    UNA_TRY(una_keep_dataset(m->arena, t->all));

    UNA_TRY(una_split_lists(&split, train, KNOWN_TEST, m->run));
    for (size_t i = 0; i < KNOWN_TEST; i++) split.test[i] = i;
    for (size_t i = 0; i < train; i++) split.train[i] = KNOWN_TEST + i;
    return finish_table(m, &split);
}

/* ---- published sets and files ------------------------------------------------------------------------------------ */

typedef struct paths { const char *rows, *splits; } paths;

static paths paths_of(const making *m, const char *name)
{
    const char *data = m->options->data;
    return (paths){ una_phrase(m->arena, "%s/uci/%s.csv", data, name),
                    una_phrase(m->arena, "%s/uci/splits/%s.json", data, name) };
}

static bool is_published(const char *name)
{
    const una_known_set *known = una_known_set_named(name);
    return known && known->set.splits > 0;
}

static bool is_there(const making *m, const char *name)
{
    paths at = paths_of(m, name);
    return at.rows && at.splits && access(at.rows, R_OK) == 0 && access(at.splits, R_OK) == 0;
}

static una_status make_published(const making *m)
{
    una_scale_table *t = m->table;
    una_split split = UNA_INIT(una_split);
    paths at = paths_of(m, t->name);
    UNA_TRY(una_arena_check(m->arena));
    if (!is_there(m, t->name))
        UNA_FAIL(m->run, UNA_E_INPUT, "there is no %s with %s; 'una data get %s' fetches them, and --data FOLDER names "
                 "the folder that they are in", at.rows, at.splits, t->name);
    UNA_TRY(una_dataset_read(&t->all, at.rows, m->run));
    UNA_TRY(una_keep_dataset(m->arena, t->all));
    UNA_TRY(una_split_read(&split, at.splits, "standard", (size_t)m->options->split, una_dataset_row_count(t->all),
                           m->run));
    return finish_table(m, &split);
}

/* A row without its target can neither train nor test. */
static una_status check_target(const making *m, size_t column)
{
    const una_dataset *all = m->table->all;
    const double *y = una_dataset_numbers(all, column);
    const char *name = una_dataset_column_name(all, column), *origin = una_dataset_origin(all);
    if (!y)
        UNA_FAIL(m->run, UNA_E_INPUT, "%s: the column %s holds words, and numbers are learnt; name another one with "
                 "--target", origin, name);
    for (size_t r = 0; r < una_dataset_row_count(all); r++)
        if (isnan(y[r]))
            UNA_FAIL(m->run, UNA_E_INPUT, "%s: row %zu has no %s; give a file of the rows that have one", origin,
                     una_dataset_row_number(all, r), name);
    return UNA_OK;
}

static una_status make_file(const making *m)
{
    una_scale_table *t = m->table;
    const char *path = t->name, *target = *m->options->target ? m->options->target : NULL, *name;
    una_split split = UNA_INIT(una_split);
    UNA_TRY(una_dataset_read(&t->all, path, m->run));
    UNA_TRY(una_keep_dataset(m->arena, t->all));
    size_t column = una_dataset_column_count(t->all) - 1;
    if (target) UNA_TRY(una_table_need(&column, t->all, target, m->run));
    UNA_TRY(check_target(m, column));
    UNA_TRY(una_row_key_table(&name, t->all, target, m->arena, m->run));
    t->target = target;
    t->name = una_phrase(m->arena, "%.*s", (int)una_row_key_data(name), name);
    UNA_TRY(una_arena_check(m->arena));
    UNA_TRY(una_split_random(&split, una_dataset_row_count(t->all), m->options->test,
                             TEST_SEED + (uint64_t)m->options->split, m->run));
    return finish_table(m, &split);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static una_status make_table(const making *m)
{
    const char *name = m->table->name;
    if (known_inputs(name)) return make_known(m, known_inputs(name));
    if (is_published(name)) return make_published(m);
    if (access(name, R_OK) == 0) return make_file(m);
    UNA_FAIL(m->run, UNA_E_USAGE, "there is no data set and no file '%.200s': made-up functions are d1, d5, d20 or "
             "another number of inputs, published sets are those of 'una data list' with splits, and a file of your "
             "own is named by its path", name);
}

/* A table that is there already is not kept again. */
static una_status add_table(una_scale_tables *tables, making *m, const char *item, size_t length)
{
    if (tables->count == UNA_SCALE_MOST_TABLES)
        UNA_FAIL(m->run, UNA_E_USAGE, "at most %d data sets fit into one run; name fewer with --sets",
                 UNA_SCALE_MOST_TABLES);
    una_scale_table *t = m->table = &tables->table[tables->count];
    *t = (una_scale_table){ .name = una_phrase(m->arena, "%.*s", (int)length, item) };
    UNA_TRY(una_arena_check(m->arena));
    UNA_SCOPED(m->run, make_table(m));
    for (size_t i = 0; i < tables->count; i++)
        if (strcmp(tables->table[i].name, t->name) == 0 && strcmp(tables->table[i].sum, t->sum) == 0) return UNA_OK;
    tables->count++;
    return UNA_OK;
}

static una_status add_usual(una_scale_tables *tables, making *m, bool quick)
{
    static const char *const known[] = { "d1", "d5", "d20" };
    static const char *const published[] = { "kin8nm", "power-plant", "naval-propulsion", "protein-structure" };
    for (size_t i = 0; i < (quick ? 2 : 3); i++) UNA_TRY(add_table(tables, m, known[i], strlen(known[i])));
    for (size_t i = 0; i < 4 && !quick; i++)
        if (is_there(m, published[i])) UNA_TRY(add_table(tables, m, published[i], strlen(published[i])));
    return UNA_OK;
}

una_status una_scale_tables_new(una_scale_tables **tables, const una_asked *asked, una_run *run)
{
    const una_scale_options *o = asked->options;
    making m = { .options = o, .run = run };
    size_t length;
    *tables = una_result_new(&m.arena, sizeof **tables, run);
    if (!*tables) UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for the data sets of an experiment");
    if (!una_next_item(o->sets, &length)) return add_usual(*tables, &m, asked->quick);
    for (const char *item = o->sets; (item = una_next_item(item, &length)); item += length)
        UNA_TRY(add_table(*tables, &m, item, length));
    return UNA_OK;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static una_status bad_sizes(const char *text, una_run *run)
{
    UNA_FAIL(run, UNA_E_USAGE, "sizes=%.80s cannot be read: with commas between, give numbers of rows from %d on such as "
             "500, doublings such as 250-8000 or 250- for as far as the table goes, or all", text, LEAST_ROWS);
}

static una_status add_size(una_scale_sizes *sizes, size_t rows, una_run *run)
{
    size_t at = sizes->count;
    for (size_t i = 0; i < sizes->count; i++)
        if (sizes->rows[i] == rows) return UNA_OK;
    if (sizes->count == UNA_SCALE_MOST_SIZES)
        UNA_FAIL(run, UNA_E_USAGE, "at most %d sizes fit into one run; give fewer of them", UNA_SCALE_MOST_SIZES);
    for (; at > 0 && sizes->rows[at - 1] > rows; at--) sizes->rows[at] = sizes->rows[at - 1];
    sizes->rows[at] = rows;
    sizes->count++;
    return UNA_OK;
}

/* Digits up to `end`; false: there are none, or too many. */
static bool read_rows(size_t *rows, const char **at, const char *end)
{
    const char *from = *at;
    for (*rows = 0; *at < end && **at >= '0' && **at <= '9' && *at - from < 9; ++*at)
        *rows = 10 * *rows + (size_t)(**at - '0');
    return *at > from && *rows >= LEAST_ROWS;
}

/* "500", "250-8000", "250-" */
static una_status add_sizes(una_scale_sizes *sizes, const char *item, size_t length, size_t most, una_run *run)
{
    const char *at = item, *end = item + length;
    size_t from, to;
    if (!read_rows(&from, &at, end)) return bad_sizes(item, run);
    to = from;
    if (at < end && *at == '-') {
        at++;
        to = most;
        if (at < end && !read_rows(&to, &at, end)) return bad_sizes(item, run);
    }
    if (at < end) return bad_sizes(item, run);
    for (size_t rows = from; rows <= UNA_MIN(to, most); rows *= 2) UNA_TRY(add_size(sizes, rows, run));
    return UNA_OK;
}

una_status una_scale_sizes_of(una_scale_sizes *sizes, const char *text, size_t most, una_run *run)
{
    size_t length;
    sizes->count = 0;
    if (!una_next_item(text, &length)) return bad_sizes(text, run);
    for (const char *item = text; (item = una_next_item(item, &length)); item += length)
        UNA_TRY(una_is_item(item, length, "all") ? add_size(sizes, most, run)
                                                 : add_sizes(sizes, item, length, most, run));
    return UNA_OK;
}

/* ---- names and rows of keys -------------------------------------------------------------------------------------- */

const char *una_scale_data(const una_scale_table *table, size_t rows, una_arena *arena)
{
    return una_phrase(arena, "%s %zu%s", table->name, rows, table->sum);
}

const una_scale_table *una_scale_table_of(size_t *rows, const una_scale_tables *tables, const char *data)
{
    size_t name = una_scale_name(data);
    char *sum;
    for (const una_scale_table *t = tables->table; t < tables->table + tables->count; t++) {
        if (strlen(t->name) != name || strncmp(t->name, data, name) != 0) continue;
        *rows = strtoul(data + name, &sum, 10);
        if (strcmp(sum, t->sum) == 0 && *rows <= t->train_count) return t;
    }
    return NULL;
}

una_status una_scale_subset(size_t **subset, const una_scale_table *t, size_t rows, uint64_t seed, una_run *run)
{
    uint32_t *order;
    una_rng rng = una_rng_at(seed, UNA_FOR_DATA, 0);
    UNA_TRY(una_order_new(&order, t->train_count, &run->scratch));
    una_rng_permute(&rng, order, t->train_count);
    UNA_NEW_AT(&run->scratch, *subset, rows);
    for (size_t i = 0; i < rows; i++) (*subset)[i] = t->train[order[i]];
    return UNA_OK;
}

una_status una_scale_truth(una_truth *truth, const una_scale_table *t, una_run *run)
{
    const una_truth *all = &t->known;
    size_t inputs = all->inputs;
    UNA_TRY(una_truth_new(truth, t->test_count, inputs, &run->scratch));
    for (size_t i = 0; i < t->test_count; i++) {
        size_t row = t->test[i];
        memcpy(truth->x + i * inputs, all->x + row * inputs, inputs * sizeof *truth->x);
        truth->f[i] = all->f[row];
        truth->noise[i] = all->noise[row];
        truth->y[i] = all->y[row];
    }
    return UNA_OK;
}
