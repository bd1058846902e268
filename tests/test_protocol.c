/* SPDX-License-Identifier: MIT
 *
 * The thesis's protocol against the models there are: its grids have as many trainings as the appendix says, all of
 * them specs that can be read; and against made-up rows of a search: noise and choices follow from them and from
 * nothing else.
 */
#include "test_support.h"

#include "published/protocol.h"

static const char *const specs[UNA_METHODS] = {
    [UNA_METHOD_BOOTSTRAP] = "ensemble(style=bootstrap)", [UNA_METHOD_ENSEMBLE] = "ensemble",
    [UNA_METHOD_ANCHORED] = "ensemble(style=anchored)", [UNA_METHOD_NLM] = "nlm", [UNA_METHOD_GP] = "gp",
    [UNA_METHOD_MCD] = "mcd", [UNA_METHOD_SNGP] = "sngp", [UNA_METHOD_BBVI] = "bbvi", [UNA_METHOD_LUNA] = "luna",
};

static void methods_are_told_by_kind_and_style(void **state)
{
    (void)state;
    for (size_t m = 0; m < UNA_METHODS; m++) assert_int_equal(una_method_of(specs[m]), m);
    assert_int_equal(una_method_of("ensemble(style=plain, members=3)"), UNA_METHOD_ENSEMBLE);
    assert_int_equal(una_method_of("ensemble(members=3, of=nn(steps=500))"), UNA_METHOD_ENSEMBLE);
    assert_int_equal(una_method_of("luna(width=20)"), UNA_METHOD_LUNA);
    assert_int_equal(una_method_of("gp(search_rows=2000)"), UNA_METHOD_GP);
    assert_int_equal(una_method_of("auto"), UNA_METHODS);
    assert_int_equal(una_method_of("nn"), UNA_METHODS);
}

/* NOTES of the appendix: LUNA 120 runs with three prior variances in uci, 60 in gap; the others by their lists. In uci
 * SNGP and BBVI have two thirds of theirs and LUNA a quarter, and the captions say so. */
static void grids_are_those_of_the_appendix(void **state)
{
    static const size_t uci[] = { 5, 5, 27, 5, 4, 4, 6, 6, 10 }, gap[] = { 5, 5, 27, 5, 9, 4, 10, 9, 20 };
    static const size_t uci_priors[] = { 0, 0, 0, 5, 0, 0, 5, 0, 3 }, gap_priors[] = { 0, 0, 0, 3, 0, 0, 3, 0, 3 };
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    for (size_t m = 0; m < UNA_METHODS; m++)
        for (int of_gap = 0; of_gap < 2; of_gap++) {
            const una_protocol *p = una_protocol_of(specs[m], of_gap ? UNA_GROUP_GAP : UNA_GROUP_STANDARD);
            size_t priors = 0;
            una_plan searches = { .arena = &arena };
            una_row_key key = { "gap(preset=thesis)", "boston RM#85e7adda", 2, specs[m], 2, 1 };
            assert_ok(una_protocol_searches(&searches, &key, p, run), run);
            assert_int_equal(searches.count, of_gap ? gap[m] : uci[m]);
            while (priors < UNA_PROTOCOL_PRIORS && p->prior[priors]) priors++;
            assert_int_equal(priors, of_gap ? gap_priors[m] : uci_priors[m]);

            const char *last = "";
            for (size_t i = 0; i < searches.count; last = searches.keys[i++].spec) {
                assert_int_equal(una_method_of(searches.keys[i].spec), m);
                assert_string_not_equal(searches.keys[i].spec, last);
                assert_string_equal(searches.keys[i].study, "search(of=gap, preset=thesis)");
                assert_int_equal(searches.keys[i].split, 2);
            }
        }
    assert_null(una_protocol_of("linear", UNA_GROUP_GAP));
    una_arena_free(&arena);
    una_run_free(run);
}

static void noise_set_by_hand(void **state)
{
    (void)state;
    assert_near(una_protocol_hand_noise("concrete#dd349451"), 82, 0, 0);
    assert_near(una_protocol_hand_noise("kin8nm"), 0.11, 0, 0);
    assert_true(isnan(una_protocol_hand_noise("power-plant#34aadf24")));
    assert_true(isnan(una_protocol_hand_noise("concrete Cement#dd349451")));
}

/* ---- made-up rows of a search ---------------------------------------------------------------------------------- */

typedef struct made { una_run *run; una_arena arena; una_store *store; una_row_key key; } made;

static made begin(const char *spec)
{
    made m = { .run = quiet_run() };
    una_arena_init(&m.arena, m.run);
    assert_ok(una_store_open(&m.store, NULL, UNA_DATABASE_COPY, m.run), m.run);
    m.key = (una_row_key){ "gap(preset=thesis)", "boston RM#85e7adda", 2, spec, 2, 1 };
    return m;
}

static void end(made *m)
{
    una_store_close(m->store);
    una_arena_free(&m->arena);
    una_run_free(m->run);
}

static void put(made *m, const una_row_key *key, const double *value)
{
    una_row row = { .key = *key, .measure = una_protocol_prepared, .value = value, .count = UNA_SEARCH_MEASURES,
                    .options = key->spec, .kernels = "k", .commit = "abc", .seconds = 1 };
    assert_ok(una_store_put(m->store, &row, 1, false, NULL, m->run), m->run);
}

static una_row_key search_key(made *m, const una_protocol *p, size_t index)
{
    una_plan searches = { .arena = &m->arena };
    assert_ok(una_protocol_searches(&searches, &m->key, p, m->run), m->run);
    assert_true(index < searches.count);
    return searches.keys[index];
}

/* cos2 may be NULL. */
static void put_search(made *m, const una_protocol *p, size_t index, double rmse, const double *cos2,
                       const double *log_lik, size_t priors)
{
    una_row_key key = search_key(m, p, index);
    double value[UNA_SEARCH_MEASURES];
    for (size_t i = 0; i < UNA_SEARCH_MEASURES; i++) value[i] = NAN;
    value[UNA_SEARCH_RMSE] = rmse;
    if (cos2) value[UNA_SEARCH_COS2] = *cos2;
    for (size_t k = 0; k < priors; k++) value[UNA_SEARCH_LOG_LIK + k] = log_lik[k];
    assert_string_equal(key.study, "search(of=gap, preset=thesis)");
    put(m, &key, value);
}

static void the_highest_likelihood_of_all_priors(void **state)
{
    made m = begin("nlm");
    const una_protocol *p = una_protocol_of("nlm", UNA_GROUP_GAP);
    una_protocol_choice choice;
    (void)state;
    assert_int_equal(una_protocol_choose(&choice, &m.key, p, m.store, &m.arena, m.run), UNA_E_IO);   /* no rows */
    for (size_t i = 0; i < 5; i++)
        put_search(&m, p, i, 1, NULL, (double[]){ -3, i == 3 ? -1 : -4, i == 1 ? NAN : -2 }, 3);
    assert_ok(una_protocol_choose(&choice, &m.key, p, m.store, &m.arena, m.run), m.run);
    assert_non_null(strstr(choice.spec, "penalty=0.01"));
    assert_string_equal(choice.prior, "1");
    end(&m);
}

/* Of 60 the six with the highest likelihood, and of these the lowest cos^2, whose training has two of them. */
static void the_two_stages_of_luna(void **state)
{
    made m = begin("luna");
    const una_protocol *p = una_protocol_of("luna", UNA_GROUP_GAP);
    una_protocol_choice choice;
    (void)state;
    for (size_t i = 0; i < 20; i++) {
        double high = i < 5 ? -1 + 0.01 * (double)i : -9, cos2 = i == 2 ? 0.1 : i >= 5 ? 0.01 : 0.5;
        put_search(&m, p, i, 1, &cos2, (double[]){ -8, high, i == 2 ? -0.9 : -8 }, 3);
    }
    assert_ok(una_protocol_choose(&choice, &m.key, p, m.store, &m.arena, m.run), m.run);
    assert_string_equal(choice.spec, search_key(&m, p, 2).spec);
    end(&m);
}

static void ensembles_by_error_and_grids_without_numbers(void **state)
{
    made m = begin("ensemble");
    const una_protocol *p = una_protocol_of("ensemble", UNA_GROUP_GAP);
    una_protocol_choice choice;
    (void)state;
    for (size_t i = 0; i < 5; i++) put_search(&m, p, i, 5 - (double)i, NULL, (double[]){ -(double)i }, 1);
    assert_ok(una_protocol_choose(&choice, &m.key, p, m.store, &m.arena, m.run), m.run);
    assert_non_null(strstr(choice.spec, "penalty=0.1"));
    assert_null(choice.prior);
    end(&m);

    m = begin("mcd");
    p = una_protocol_of("mcd", UNA_GROUP_GAP);
    for (size_t i = 0; i < 4; i++) put_search(&m, p, i, NAN, NULL, (double[]){ NAN }, 1);
    assert_ok(una_protocol_choose(&choice, &m.key, p, m.store, &m.arena, m.run), m.run);
    assert_null(choice.spec);
    end(&m);
}

/* The row of a search asks for the same noise as the row that it is for. */
static void one_noise_for_all_methods(void **state)
{
    made m = begin("luna");
    double noise, value[UNA_SEARCH_MEASURES] = { [UNA_SEARCH_NOISE] = 2.5 };
    una_row_key key, again, search;
    (void)state;
    assert_ok(una_protocol_noise_key(&key, &m.key, &m.arena, m.run), m.run);
    assert_string_equal(key.study, "search(of=gap, for=noise, preset=thesis)");
    assert_true(una_protocol_is_noise(&key) && una_protocol_is_search(&key) && !una_protocol_is_search(&m.key));
    put(&m, &key, value);
    search = search_key(&m, una_protocol_of("luna", UNA_GROUP_GAP), 7);
    assert_ok(una_protocol_noise_key(&again, &search, &m.arena, m.run), m.run);
    assert_true(una_row_key_same(&key, &again));
    assert_ok(una_protocol_noise(&noise, &search, UNA_GROUP_GAP, m.store, m.run), m.run);
    assert_near(noise, 2.5, 0, 0);

    search.data = "boston#85e7adda";
    assert_ok(una_protocol_noise(&noise, &search, UNA_GROUP_STANDARD, m.store, m.run), m.run);
    assert_near(noise, 15.3, 0, 0);
    end(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_told_by_kind_and_style),
        cmocka_unit_test(grids_are_those_of_the_appendix),
        cmocka_unit_test(noise_set_by_hand),
        cmocka_unit_test(the_highest_likelihood_of_all_priors),
        cmocka_unit_test(the_two_stages_of_luna),
        cmocka_unit_test(ensembles_by_error_and_grids_without_numbers),
        cmocka_unit_test(one_noise_for_all_methods),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
