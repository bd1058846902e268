/* SPDX-License-Identifier: MIT
 *
 * The training loop on a bowl, sum a_i (p_i - c_i)^2/2, whose descent is known: in closed form with momentum, by an
 * implementation of Adam written for this test; looks, patience, settling, divergence, cancelling, floating-point
 * modes, threads.
 */
#include "test_support.h"

#include "opt/descent.h"
#include "opt/schedule.h"

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

enum { COUNT = 9, MOST_CALLS = 1000 };

typedef struct bowl {
    double a[COUNT], c[COUNT];
    size_t calls, fail_at;               /* gradients given; which of them fails (SIZE_MAX: none)           */
    double sink;                         /* added to the loss                                               */
    double flushed;                      /* half of the smallest normal number, as a step sees it           */
    char   order[MOST_CALLS];            /* g gradient, s settle, l look, e settled at the end              */
    size_t refused;
    double seen[COUNT];                  /* parameters at the last settle                                   */
    const double *score;                 /* of looks                                                        */
    size_t validations;
} bowl;

static bowl make_bowl(void)
{
    bowl b = { .fail_at = SIZE_MAX };
    for (size_t i = 0; i < COUNT; i++) {
        b.a[i] = 0.5 + 0.25 * (double)i;
        b.c[i] = (double)i - 3.5;
    }
    return b;
}

static void tell(bowl *b, char what)
{
    if (b->refused < MOST_CALLS) b->order[b->refused++] = what;
}

static una_status gradient(void *context, size_t step, const double *p, double *g, una_losses *losses, una_run *run)
{
    bowl *b = context;
    volatile double smallest = 2.2250738585072014e-308;
    assert_int_equal(step, b->calls);
    if (step > 0) assert_true(losses->fit > 0);                          /* those of the step before */
    if (b->calls++ == b->fail_at) return una_fail(run, UNA_E_INPUT, "no gradient here");

    tell(b, 'g');
    losses->fit = 1;
    losses->total = b->sink;
    losses->mean_cos2 = (double)b->calls;
    for (size_t i = 0; i < COUNT; i++) {
        g[i] = b->a[i] * (p[i] - b->c[i]);
        losses->total += b->a[i] * pow(p[i] - b->c[i], 2) / 2;
    }

    b->flushed = smallest / 2;
    return UNA_OK;
}

static void after_step(void *context, double *p, bool last)
{
    bowl *b = context;
    tell(b, last ? 'e' : 's');
    memcpy(b->seen, p, sizeof b->seen);
}

static una_status score_now(void *context, const double *p, double *score, una_run *run)
{
    bowl *b = context;
    tell(b, 'l');
    assert_memory_equal(p, b->seen, sizeof b->seen);                     /* settled before it is looked at */
    if (!isfinite(b->score[b->validations])) return una_fail(run, UNA_E_NUMERIC, "the judge gave up");
    *score = b->score[b->validations++];
    return UNA_OK;
}

static una_trainable_f64 trainable(bowl *b)
{
    return (una_trainable_f64){ .parameters = COUNT, .context = b, .gradient = gradient };
}

/* From zero; the curve goes with the arena. */
static una_status descend(bowl *b, const una_trainable_f64 *what, const una_descent *how, double *p,
                          una_trained *trained, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    memset(p, 0, COUNT * sizeof *p);
    b->calls = b->refused = b->validations = 0;
    una_status status = una_descend_f64(what, p, how, trained, &arena, run);
    una_arena_free(&arena);
    return status;
}

/* ---- the way down -------------------------------------------------------------------------------------------- */

/* With momentum m and rate r the error obeys e_(k+1) = (1 + m - r a) e_k - m e_(k-1), e_1 = (1 - r a) e_0: a sum of
 * powers of the two roots of x^2 - (1 + m - r a) x + m, complex where the way down swings. */
static double error_after(double a, double rate, double momentum, double first, size_t steps)
{
    double half = (1 + momentum - rate * a) / 2, square = half * half - momentum, k = (double)steps;
    double slope = 1 - rate * a - half;                                  /* e_1 - half e_0, of e_0 = 1 */
    if (square > 0) {
        double root = sqrt(square), low = half - root, high = half + root;
        return first * ((pow(high, k) + pow(low, k)) / 2 + slope * (pow(high, k) - pow(low, k)) / (2 * root));
    }
    double angle = atan2(sqrt(-square), half), size = pow(momentum, k / 2);
    return first * size * (cos(k * angle) + slope * sin(k * angle) / sqrt(-square));
}

static void momentum_goes_the_known_way(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    static const double momentum[] = { 0, 0.3, 0.9 };

    for (size_t m = 0; m < 3; m++)
        for (int optimiser = UNA_SGD; optimiser <= UNA_GD; optimiser++)
            for (size_t steps = 1; steps <= 60; steps += 7) {
                bowl b = make_bowl();
                double p[COUNT];
                una_trained trained;
                una_trainable_f64 what = trainable(&b);
                una_descent how = { .steps = steps, .optimiser = optimiser, .rate = 0.1, .momentum = momentum[m],
                                    .validate_every = 1, .stage = "descending" };

                assert_ok(descend(&b, &what, &how, p, &trained, run), run);
                assert_int_equal(trained.steps, steps);
                assert_int_equal(b.calls, steps);
                for (size_t i = 0; i < COUNT; i++)
                    assert_near(p[i] - b.c[i], error_after(b.a[i], 0.1, momentum[m], -b.c[i], steps), 1e-9, 1e-12);
            }
    una_run_free(run);
}

/* Kingma and Ba, algorithm 1, one number at a time. */
static void adam_by_the_book(const bowl *b, double rate, int schedule, size_t steps, size_t stop, double *p)
{
    for (size_t i = 0; i < COUNT; i++) {
        double m = 0, v = 0, at = 0;
        for (size_t t = 1; t <= stop; t++) {
            double g = b->a[i] * (at - b->c[i]);
            m = 0.9 * m + 0.1 * g;
            v = 0.999 * v + 0.001 * g * g;
            double m_hat = m / (1 - pow(0.9, (double)t)), v_hat = v / (1 - pow(0.999, (double)t));
            double share = una_rate_schedule(schedule, (double)t / (double)steps);
            at -= rate * share * m_hat / (sqrt(v_hat) + 1e-8);
        }
        p[i] = at;
    }
}

static void adam_goes_by_the_book(void **state)
{
    (void)state;
    static const char *const sets[] = { "generic", NULL };
    for (size_t set = 0; set < 2; set++)
        for (int schedule = 0; schedule <= 2; schedule++) {
            una_run *run = NULL;
            assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .kernels = sets[set])), UNA_OK);
            bowl b = make_bowl();
            double p[COUNT], book[COUNT];
            una_trained trained;
            una_trainable_f64 what = trainable(&b);
            una_descent how = { .steps = 150, .rate = 0.05, .rate_schedule = schedule, .validate_every = 1,
                                .stage = "descending" };

            assert_ok(descend(&b, &what, &how, p, &trained, run), run);
            adam_by_the_book(&b, 0.05, schedule, 150, 150, book);
            assert_arrays_near(p, book, COUNT, 1e-10, 1e-10);

            how.stop = 60;                               /* on the same way: the schedule is that of 150 */
            assert_ok(descend(&b, &what, &how, p, &trained, run), run);
            adam_by_the_book(&b, 0.05, schedule, 150, 60, book);
            assert_int_equal(trained.steps, 60);
            assert_arrays_near(p, book, COUNT, 1e-10, 1e-10);
            una_run_free(run);
        }
}

static una_status narrow_gradient(void *context, size_t step, const float *p, float *g, una_losses *losses,
                                  una_run *run)
{
    bowl *b = context;
    (void)step;
    (void)run;
    for (size_t i = 0; i < COUNT; i++) g[i] = (float)(b->a[i] * ((double)p[i] - b->c[i]));
    losses->total = 1;
    return UNA_OK;
}

static void float_follows_double(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    for (int optimiser = UNA_ADAM; optimiser <= UNA_GD; optimiser++) {
        bowl b = make_bowl();
        double p[COUNT];
        float narrow[COUNT] = {0};
        una_trained trained;
        una_trainable_f64 what = trainable(&b);
        una_trainable_f32 same = { .parameters = COUNT, .context = &b, .gradient = narrow_gradient };
        una_descent how = { .steps = 50, .optimiser = optimiser, .rate = 0.05, .momentum = 0.5, .validate_every = 50,
                            .stage = "descending" };

        assert_ok(descend(&b, &what, &how, p, &trained, run), run);
        assert_ok(una_descend_f32(&same, narrow, &how, &trained, &arena, run), run);
        for (size_t i = 0; i < COUNT; i++) assert_near((double)narrow[i], p[i], 1e-5, 1e-6);
    }
    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- looks --------------------------------------------------------------------------------------------------- */

static void the_best_validation_is_kept(void **state)
{
    (void)state;
    static const double score[] = { 9, 1, 2, 5, 4, 3, 4, 2, 7 };        /* the first comes too early to count */
    una_run *run = quiet_run();
    bowl b = make_bowl();
    double p[COUNT], at_20[COUNT];
    una_trained trained;
    una_descent how = { .steps = 20, .optimiser = UNA_GD, .rate = 0.1, .validate_every = 5, .stage = "descending" };
    una_trainable_f64 what = trainable(&b);
    what.after_step = after_step;
    assert_ok(descend(&b, &what, &how, at_20, &trained, run), run);
    assert_true(isnan(trained.best_validation));
    assert_int_equal(trained.best_step, 0);

    how.steps = 40;
    how.validate_from = 0.2;
    b.score = score;
    what.validator = (una_validator_f64){ &b, score_now };
    assert_ok(descend(&b, &what, &how, p, &trained, run), run);
    assert_int_equal(trained.validations, 8);
    assert_int_equal(trained.steps, 40);
    assert_int_equal(trained.best_step, 20);
    assert_near(trained.best_validation, 5, 0, 0);
    assert_memory_equal(p, at_20, sizeof p);
    assert_memory_equal(b.seen, at_20, sizeof p);                        /* settled once more, on what is kept */

    how.patience = 2;                                                    /* 4 and 3 are not better than 5 */
    assert_ok(descend(&b, &what, &how, p, &trained, run), run);
    assert_int_equal(trained.steps, 30);
    assert_int_equal(trained.best_step, 20);
    assert_memory_equal(p, at_20, sizeof p);

    how.validate_from = 0;                                                   /* the first counts: nothing beats it */
    assert_ok(descend(&b, &what, &how, p, &trained, run), run);
    assert_int_equal(trained.steps, 15);
    assert_int_equal(trained.best_step, 5);

    how.validate_from = 2;                                               /* beyond the end: the last one counts still */
    assert_ok(descend(&b, &what, &how, p, &trained, run), run);
    assert_int_equal(trained.best_step, 40);
    una_run_free(run);
}

/* Steps that no look falls on end with one all the same; a step is gradient, optimiser, settle, look. */
static void things_come_in_order(void **state)
{
    (void)state;
    static const double score[] = { 1, 2, 3, 4 };
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);

    bowl b = make_bowl();
    b.score = score;
    double p[COUNT] = {0};
    una_trained trained;
    una_trainable_f64 what = trainable(&b);
    what.after_step = after_step;
    what.validator = (una_validator_f64){ &b, score_now };
    una_descent how = { .steps = 7, .rate = 0.1, .validate_every = 3, .stage = "descending" };

    assert_ok(una_descend_f64(&what, p, &how, &trained, &arena, run), run);
    b.order[b.refused] = 0;
    assert_string_equal(b.order, "gsgsgslgsgsgslgsle");

    static const double step[] = { 3, 6, 7 }, cos2[] = { 2, 5, 7 };      /* means since the look before */
    assert_int_equal(trained.validations, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_near(trained.step[i], step[i], 0, 0);
        assert_near(trained.cos2[i], cos2[i], 1e-15, 0);
        assert_near(trained.validation[i], score[i], 0, 0);
    }
    assert_near(trained.mean_cos2, 7, 1e-15, 0);
    assert_true(trained.loss[0] > trained.loss[1] && trained.loss[1] > trained.loss[2]);

    una_arena_free(&arena);
    una_run_free(run);
}

/* ---- the end of a training ----------------------------------------------------------------------------------- */

static void divergence_has_a_sentence(void **state)
{
    (void)state;
    una_run *run = quiet_run();
    bowl b = make_bowl();
    double p[COUNT];
    una_trained trained;
    una_trainable_f64 what = trainable(&b);
    what.after_step = after_step;
    una_descent how = { .steps = 2000, .optimiser = UNA_GD, .rate = 10, .validate_every = 1, .stage = "descending" };
    assert_status(descend(&b, &what, &how, p, &trained, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "training diverged at step");
    assert_says(una_run_message(run), "(fit 1, penalty 0, diversity 0); use a smaller rate (now 10)");
    assert_null(memchr(b.order, 'e', b.refused));                           /* nothing is kept, so nothing is settled */

    how.rate = 0.1;
    b.sink = NAN;
    assert_status(descend(&b, &what, &how, p, &trained, run), UNA_E_NUMERIC, run);
    assert_says(una_run_message(run), "training diverged at step 1:");
    una_run_free(run);
}

static void failures_are_handed_on(void **state)
{
    (void)state;
    static const double score[] = { 1, 2, NAN };
    una_run *run = quiet_run();
    bowl b = make_bowl();
    double p[COUNT];
    una_trained trained;
    una_trainable_f64 what = trainable(&b);
    una_descent how = { .steps = 10, .rate = 0.1, .validate_every = 2, .stage = "descending" };
    b.fail_at = 4;
    assert_status(descend(&b, &what, &how, p, &trained, run), UNA_E_INPUT, run);
    assert_string_equal(una_run_message(run), "no gradient here");
    assert_int_equal(trained.steps, 4);

    b.fail_at = SIZE_MAX;
    b.score = score;
    what.after_step = after_step;
    what.validator = (una_validator_f64){ &b, score_now };
    assert_status(descend(&b, &what, &how, p, &trained, run), UNA_E_NUMERIC, run);
    assert_string_equal(una_run_message(run), "the judge gave up");
    assert_int_equal(trained.steps, 6);
    una_run_free(run);
}

static int stop_now(void *context, const una_progress *progress)
{
    (void)context;
    assert_string_equal(progress->stage, "descending");
    return progress->fraction > 0.5;
}

static void cancelled_in_the_middle(void **state)
{
    (void)state;
    una_run *run = NULL;
    assert_int_equal(una_run_new(&run, &SIZED(una_run_settings, .threads = 1, .progress = stop_now)), UNA_OK);
    bowl b = make_bowl();
    double p[COUNT];
    una_trained trained;
    una_trainable_f64 what = trainable(&b);
    una_descent how = { .steps = 1000, .rate = 0.1, .validate_every = 10, .stage = "descending" };
    assert_status(descend(&b, &what, &how, p, &trained, run), UNA_CANCELLED, run);
    assert_says(una_run_message(run), "interrupted while descending");
    assert_true(trained.steps > 500 && trained.steps < 520);
    una_run_free(run);
}

/* Flushed while it runs, and as the caller had it afterwards, whatever came of it. */
static void denormals_are_flushed_and_come_back(void **state)
{
    (void)state;
#if defined(__SSE__)
    una_run *run = quiet_run();
    bowl b = make_bowl();
    double p[COUNT];
    una_trained trained;
    una_trainable_f64 what = trainable(&b);
    una_descent how = { .steps = 3, .rate = 0.1, .validate_every = 1, .stage = "descending" };
    unsigned modes = _mm_getcsr() & ~0x3fu;                              /* without the flags of what has happened */
    assert_int_equal(modes & 0x8040u, 0);
    b.flushed = 1;
    assert_ok(descend(&b, &what, &how, p, &trained, run), run);
    assert_true(b.flushed == 0);
    assert_int_equal(_mm_getcsr() & ~0x3fu, modes);

    b.fail_at = 1;
    assert_status(descend(&b, &what, &how, p, &trained, run), UNA_E_INPUT, run);
    assert_int_equal(_mm_getcsr() & ~0x3fu, modes);
    una_run_free(run);
#else
    skip();
#endif
}

/* ---- threads, memory ----------------------------------------------------------------------------------------- */

enum { MANY = 1003 };                    /* no multiple of a line of the cache */

typedef struct spread { double slope[MANY]; } spread;

static una_status spread_gradient(void *context, size_t step, const double *p, double *g, una_losses *losses,
                                  una_run *run)
{
    const spread *s = context;
    (void)step;
    (void)run;
    losses->total = 1;
    for (size_t i = 0; i < MANY; i++) g[i] = s->slope[i] + 0.1 * p[i];
    return UNA_OK;
}

static void descend_together(const spread *s, int optimiser, size_t pieces, int members, double *p)
{
    una_run *run = quiet_run();
    una_arena arena;
    una_arena_init(&arena, run);
    una_crew *crew = NULL;
    if (members > 1) assert_ok(una_crew_new(&crew, members, &arena), run);

    una_trainable_f64 what = { .parameters = MANY, .context = (void *)s, .gradient = spread_gradient, .pieces = pieces,
                               .crew = crew };
    una_descent how = { .steps = 20, .optimiser = optimiser, .rate = 0.01, .momentum = 0.9, .validate_every = 5,
                        .stage = "descending" };
    una_trained trained;

    memset(p, 0, MANY * sizeof *p);
    assert_ok(una_descend_f64(&what, p, &how, &trained, &arena, run), run);
    una_crew_free(crew);
    una_arena_free(&arena);
    una_run_free(run);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static spread s;
    static double one[MANY], many[MANY];
    una_rng rng = una_rng_at(1, UNA_FOR_TEST, 0);
    for (size_t i = 0; i < MANY; i++) s.slope[i] = una_rng_normal(&rng);

    for (int optimiser = UNA_ADAM; optimiser <= UNA_GD; optimiser++) {
        descend_together(&s, optimiser, 0, 1, one);
        for (size_t i = 0; i < MANY; i++) assert_true(one[i] != 0);      /* every parameter was stepped */
        for (size_t pieces = 1; pieces <= 4; pieces++)
            for (int members = 1; members <= 3; members++) {
                descend_together(&s, optimiser, pieces, members, many);
                if (memcmp(one, many, sizeof one) != 0) fail_msg("%zu pieces, %d threads", pieces, members);
            }
    }
}

static una_status job_descend(void *context, una_run *run)
{
    static const double score[] = { 1, 2 };
    bowl *b = context;
    double p[COUNT];
    una_trained trained;
    una_trainable_f64 what = trainable(b);
    b->score = score;
    what.after_step = after_step;
    what.validator = (una_validator_f64){ b, score_now };
    una_descent how = { .steps = 2, .rate = 0.1, .validate_every = 1, .stage = "descending" };
    return descend(b, &what, &how, p, &trained, run);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bowl b = make_bowl();
    assert_true(sweep_allocations(job_descend, &b) > 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_goes_the_known_way),
        cmocka_unit_test(adam_goes_by_the_book),
        cmocka_unit_test(float_follows_double),
        cmocka_unit_test(the_best_validation_is_kept),
        cmocka_unit_test(things_come_in_order),
        cmocka_unit_test(divergence_has_a_sentence),
        cmocka_unit_test(failures_are_handed_on),
        cmocka_unit_test(cancelled_in_the_middle),
        cmocka_unit_test(denormals_are_flushed_and_come_back),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(every_allocation_may_fail),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
