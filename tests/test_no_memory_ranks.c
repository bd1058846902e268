/* SPDX-License-Identifier: MIT
 *
 * Calls that several ranks make together, where one of them has no memory: its n-th request fails, n = 1, 2, 3 ...
 * Whoever waits for it hears of that: the call ends on every rank with a sentence, and nothing is left behind. Where
 * they add something up it is the same sentence everywhere; of sweeps others may hear only that the rank cannot be
 * reached.
 */
#include "no_memory.h"
#include "ranks_here.h"

#include "una_study.h"

enum { RANKS = 2, ROWS = 16 };

typedef struct part part;
struct part {
    una_status      (*call)(part *p, una_run *run);
    const char       *path;
    struct fail_after memory;
    long              number;            /* of the request that is refused, from 0; below 0: none               */
    long              asked;
    una_dataset      *data;              /* some rows of this rank's                                            */
    una_model        *model;
};

static una_status read_part(part *p, una_run *run)
{
    una_dataset *data = NULL;
    una_status status = una_dataset_read_part(&data, p->path, run);
    assert_true((data != NULL) == (status == UNA_OK));
    una_dataset_free(data);
    return status;
}

static una_status where_part(part *p, una_run *run)
{
    una_dataset *data = NULL;
    una_status status = una_dataset_where_part(&data, p->data, "x > -9 and not missing(colour)", run);
    assert_true((data != NULL) == (status == UNA_OK));
    una_dataset_free(data);
    return status;
}

static una_status fit(part *p, una_run *run)
{
    una_model *model = NULL;
    una_status status = una_fit(&model, "linear", p->data, NULL, run);
    assert_true((model != NULL) == (status == UNA_OK));
    una_model_free(model);
    return status;
}

static una_status relearn(part *p, una_run *run)
{
    una_model *model = NULL;
    una_status status = una_model_relearn(&model, p->model, p->data, NULL, 0, run);
    assert_true((model != NULL) == (status == UNA_OK));
    una_model_free(model);
    return status;
}

static una_status compare(part *p, una_run *run)
{
    static const char *const models[] = { "linear" };
    una_compared *compared = NULL;
    una_compare_settings settings = { .size = sizeof settings, .models = models, .model_count = 1, .folds = 2 };
    una_status status = una_compare(&compared, p->data, &settings, run);
    assert_true((compared != NULL) == (status == UNA_OK));
    una_compared_free(compared);
    return status;
}

static una_status tune(part *p, una_run *run)
{
    una_tuned *tuned = NULL;
    una_tune_settings settings = { .size = sizeof settings, .model = "linear", .over = "degree=1|2", .splits = 1 };
    una_status status = una_tune(&tuned, p->data, &settings, run);
    assert_true((tuned != NULL) == (status == UNA_OK));
    una_tuned_free(tuned);
    return status;
}

/* Rows and a model with all memory, alone; then the call. */
static una_status strike_one(void *context, una_run *run)
{
    part *p = context;
    una_run *calm = quiet_run();
    assert_ok(una_dataset_read(&p->data, p->path, calm), calm);
    assert_ok(una_fit(&p->model, "linear", p->data, NULL, calm), calm);
    long before = p->memory.taken;
    p->memory.left = p->number;
    una_status status = p->call(p, run);
    p->memory.left = -1;
    p->asked = p->memory.taken - before;
    una_model_free(p->model);
    una_dataset_free(p->data);
    una_run_free(calm);
    return status;
}

typedef struct common { const char *name; una_status (*call)(part *p, una_run *run); bool sweeps; } common;

static const common calls[] = {
    { "una_dataset_read_part", read_part, false }, { "una_dataset_where_part", where_part, false },
    { "una_fit", fit, false }, { "una_model_relearn", relearn, false },
    { "una_compare", compare, true }, { "una_tune", tune, true },
};

static void check_rank(const common *c, int r, una_status status, const char *message, long number, int struck)
{
    bool well = status == UNA_OK || status == UNA_E_MEMORY || (c->sweeps && r != struck && status == UNA_E_IO);
    if (!well || (number < 0 && status != UNA_OK))
        fail_msg("%s, request %ld of rank %d refused: rank %d has status %d, %s", c->name, number, struck, r,
                 (int)status, message);
    if (status != UNA_OK && !*message) fail_msg("%s, request %ld of rank %d: silently", c->name, number, struck);
}

/* Returns how many requests that rank made. */
static long on_all_ranks(const common *c, const char *path, long number, int struck)
{
    part parts[RANKS];
    rank_here me[RANKS] = { { .threads = 1 } };
    for (int r = 0; r < RANKS; r++) {
        parts[r] = (part){ .call = c->call, .path = path, .memory = { .left = -1 },
                           .number = r == struck ? number : -1 };
        me[r].memory = &parts[r].memory;
    }
    with_ranks_here(me, RANKS, strike_one, parts, sizeof *parts);
    for (int r = 0; r < RANKS; r++) {
        check_rank(c, r, me[r].status, me[r].message, number, struck);
        if ((me[r].status == UNA_OK) != (me[0].status == UNA_OK))
            fail_msg("%s, request %ld of rank %d refused: only one rank fails", c->name, number, struck);
        if (parts[r].memory.live) fail_msg("%s, request %ld: rank %d leaks", c->name, number, r);
    }
    return parts[struck].asked;
}

static void one_rank_has_no_memory(void **state)
{
    char text[2000] = "x,colour,y\n", path[4096];
    (void)state;
    for (int i = 0; i < ROWS; i++)
        snprintf(text + strlen(text), 60, "%g,%s,%g\n", sin(i), i % 3 ? "red" : "blue", cos(2 * i) + i % 3);
    snprintf(path, sizeof path, "%s", temp_text_file("rows.csv", text));
    for (size_t c = 0; c < sizeof calls / sizeof *calls; c++) {
        for (int struck = 0; struck < RANKS; struck++) {
            long each = calls[c].sweeps ? 10 : sanitized ? 20 : 150, asked = on_all_ranks(&calls[c], path, -1, struck);
            assert_true(asked > 5);
            for (long n = 0; n < asked; n = next_allocation(n, each)) on_all_ranks(&calls[c], path, n, struck);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_rank_has_no_memory) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
