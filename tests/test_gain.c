/* SPDX-License-Identifier: MIT
 *
 * What the search climbs, as it is shown in pictures: nowhere on a fine grid higher than at the point that it proposes,
 * and there the value that it tells. And a surrogate whose kind has an exact update which it has not itself.
 */
#include "test_support.h"

#include "bo/search.h"

enum { BEGIN = 5, GRID = 401, MOST = 16 };

typedef struct line {
    una_search     *search;
    double          x[MOST], f[MOST];
    una_trial_state state[MOST];
    size_t          count;
} line;

static double value_at(double x) { return (6 * x - 2) * (6 * x - 2) * sin(12 * x - 4); }

static void open_line(line *l, const char *model, const char *acquisition, una_run *run)
{
    una_space *space;
    const char *spec;
    *l = (line){ .count = 0 };
    assert_ok(una_space_parse(&space, "{\"x\": {\"type\": \"real\", \"low\": 0, \"high\": 1}}", "a line", &run->scratch,
                              run), run);
    assert_ok(una_search_model(&spec, model, &run->scratch, run), run);
    una_search_settings settings = { .space = space, .model = spec, .acquisition = acquisition, .initial = BEGIN };
    assert_ok(una_search_new(&l->search, &settings, run), run);
    for (; l->count < BEGIN; l->count++) {
        l->x[l->count] = 0.03 + 0.23 * (double)l->count;
        l->f[l->count] = value_at(l->x[l->count]);
    }
    for (size_t i = 0; i < MOST; i++) l->state[i] = UNA_TRIAL_TOLD;
}

static void step(line *l, una_proposal *proposal, una_run *run)
{
    una_history history = { l->count, l->x, l->f, l->state };
    assert_ok(una_search_next(l->search, &history, &l->x[l->count], proposal, run), run);
    l->f[l->count] = value_at(l->x[l->count]);
}

static void nothing_is_higher(void **state)
{
    (void)state;
    static const char *const acquisitions[] = { "log_ei", "ei", "ucb(beta=2)" };
    for (size_t a = 0; a < 3; a++) {
        una_run *run = quiet_run();
        double grid[GRID], gain[GRID], here;
        line l;
        open_line(&l, "gp", acquisitions[a], run);
        for (size_t i = 0; i < GRID; i++) grid[i] = (double)i / (GRID - 1);
        for (; l.count < 8; l.count++) {         /* later it may have gathered, and looks elsewhere */
            una_proposal proposal;
            step(&l, &proposal, run);
            una_history history = { l.count, l.x, l.f, l.state };
            assert_ok(una_search_gain(l.search, &history, grid, GRID, gain, run), run);
            assert_ok(una_search_gain(l.search, &history, &l.x[l.count], 1, &here, run), run);
            assert_near(here, proposal.gain, 1e-6, 1e-9);
            for (size_t i = 0; i < GRID; i++) assert_true(gain[i] <= here + 1e-6 * (1 + fabs(here)));
        }
        una_search_free(l.search);
        una_run_free(run);
    }
}

/* Two trials around the best one, then one that is not. */
static void who_has_gathered_looks_elsewhere(void **state)
{
    (void)state;
    static const double x[] = { 0.05, 0.2, 0.4, 0.6, 0.95, 0.75, 0.76, 0.77 };
    una_run *run = quiet_run();
    line l;
    una_proposal proposal;
    open_line(&l, "gp", "log_ei", run);
    for (l.count = 0; l.count < 8; l.count++) {
        l.x[l.count] = x[l.count];
        l.f[l.count] = value_at(x[l.count]);
    }
    size_t best = 0;
    for (size_t i = 1; i < 8; i++)
        if (l.f[i] < l.f[best]) best = i;
    assert_true(fabs(x[6] - x[best]) < 0.2 && fabs(x[7] - x[best]) < 0.2);
    step(&l, &proposal, run);
    assert_true(fabs(l.x[8] - x[best]) > 0.2);

    l.x[7] = 0.3;                                        /* not gathered: back to the best */
    l.f[7] = value_at(0.3);
    step(&l, &proposal, run);
    assert_true(fabs(l.x[8] - x[best]) < 0.2);
    una_search_free(l.search);
    una_run_free(run);
}

/* A model without an exact posterior has every fourth point taken from it. */
static void samples_are_not_trusted_with_all(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    line l;
    una_proposal proposal;
    open_line(&l, "ensemble(members=3, of=nn(steps=20))", "log_ei", run);
    for (l.count = 0; l.count < 11; l.count++) {
        l.x[l.count] = 0.09 * (double)l.count;
        l.f[l.count] = value_at(l.x[l.count]);
    }
    for (; l.count < 14; l.count++) {
        step(&l, &proposal, run);
        assert_true(isnan(proposal.expected) == (l.count % 4 == 0));
    }
    una_search_free(l.search);
    una_run_free(run);
}

static void some_have_no_value(void **state)
{
    (void)state;
    static const char *const acquisitions[] = { "random", "quasi", "thompson" };
    for (size_t a = 0; a < 3; a++) {
        una_run *run = quiet_run();
        double gain;
        line l;
        open_line(&l, "gp", acquisitions[a], run);
        una_history history = { l.count, l.x, l.f, l.state };
        assert_status(una_search_gain(l.search, &history, l.x, 1, &gain, run), UNA_E_USAGE, run);
        assert_says(una_run_message(run), acquisitions[a]);
        una_search_free(l.search);
        una_run_free(run);
    }
}

/* With points open as well; the same again from the beginning gives the same points. */
static void no_update_of_its_own(void **state)
{
    (void)state;
    double first[MOST];
    for (size_t round = 0; round < 2; round++) {
        una_run *run = quiet_run();
        line l;
        una_proposal proposal;
        open_line(&l, "ensemble(members=2, of=nn(steps=30))", "log_ei", run);
        for (; l.count < MOST; l.count++) {
            l.state[l.count - 1] = l.count % 5 == 0 ? UNA_TRIAL_OPEN : UNA_TRIAL_TOLD;
            step(&l, &proposal, run);
            l.state[l.count - 1] = UNA_TRIAL_TOLD;
            if (round == 0) first[l.count] = l.x[l.count];
            else assert_true(first[l.count] == l.x[l.count]);
        }
        una_search_free(l.search);
        una_run_free(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_higher), cmocka_unit_test(some_have_no_value),
        cmocka_unit_test(who_has_gathered_looks_elsewhere),
        cmocka_unit_test(samples_are_not_trusted_with_all),
        cmocka_unit_test(no_update_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
