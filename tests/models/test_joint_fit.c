/* SPDX-License-Identifier: MIT
 *
 * Several targets at once (una_kind.fit_to.targets) of luna and nlm: against fits of each target alone, against the joint
 * posterior written out (Kronecker), with noise that goes together, with cells that are missing.
 */
#include "models/quick.h"

#include "la/mixture.h"
#include "train/basis.h"
#include "train/joint_targets.h"

enum { ROWS = 150, INPUTS = 2, MOST = 3, PROBES = 9, FRESH = 400 };

typedef struct table {
    double x[ROWS * INPUTS], y[ROWS * MOST];
    double new_x[FRESH * INPUTS], new_y[FRESH * MOST];
    unsigned char fold[ROWS];
    una_source source[INPUTS];
    una_input input[INPUTS];
    una_columns columns[MOST];
    una_problem p;
} table;

static double truth(size_t target, const double *x)
{
    return target == 0 ? sin(x[0]) + 0.5 * x[1] : target == 1 ? cos(x[0] - x[1]) - 0.3 : 0.4 * x[0] * x[1];
}

/* Noise of std 0.3, correlated by `share`; of standardised size already. */
static void fill(double *x, double *y, size_t rows, size_t targets, double share, una_rng *rng)
{
    for (size_t i = 0; i < rows; i++) {
        double common = una_rng_normal(rng);
        for (size_t d = 0; d < INPUTS; d++) x[i * INPUTS + d] = una_rng_normal(rng);
        for (size_t t = 0; t < targets; t++)
            y[i * targets + t] = truth(t, x + i * INPUTS) +
                                 0.3 * (sqrt(share) * common + sqrt(1 - share) * una_rng_normal(rng));
    }
}

static void make_table(table *t, size_t targets, double share, uint64_t seed)
{
    una_rng rng = una_rng_at(seed, UNA_FOR_TEST, 0);
    fill(t->x, t->y, ROWS, targets, share, &rng);
    fill(t->new_x, t->new_y, FRESH, targets, share, &rng);
    for (size_t i = 0; i < ROWS; i++) t->fold[i] = (unsigned char)(i % 5);
    for (size_t d = 0; d < INPUTS; d++) {
        t->source[d] = (una_source){ .name = d ? "b" : "a" };
        t->input[d] = (una_input){ .source = d, .level = SIZE_MAX, .scale = 1 };
    }
    for (size_t k = 0; k < MOST; k++)
        t->columns[k] = (una_columns){ .sources = t->source, .source_count = INPUTS, .inputs = t->input,
                                       .input_count = INPUTS, .target = "y", .target_scale = 1 };
    t->p = (una_problem){ .x = { t->x, ROWS, INPUTS, INPUTS }, .y = t->y, .outputs = targets, .columns = t->columns,
                          .folds = 5, .fold = t->fold, .seed = seed, .table_rows = ROWS };
}

/* The last rows held out instead of folds; they stand behind the others. */
static void hold_out(table *t, size_t held)
{
    t->p.folds = 0;
    t->p.fold = NULL;
    t->p.x.rows = ROWS - held;
    t->p.valid_x = (una_view){ t->x + (ROWS - held) * INPUTS, held, INPUTS, INPUTS };
    t->p.valid_y = t->y + (ROWS - held) * t->p.outputs;
    t->p.valid_joins = true;
}

typedef struct fits {                            /* of all targets, or of one */
    const una_kind *kind;
    una_arena keep;
    void *state[MOST], *options[MOST];
    una_fit_result result[MOST];
    una_fit_target target[MOST];
    double noise[MOST * MOST];
    una_target_coupling coupling;
} fits;

static una_status fit_all(fits *f, const char *text, const una_problem *p, una_run *run)
{
    una_spec spec;
    memset(f, 0, sizeof *f);
    una_arena_init(&f->keep, run);
    UNA_TRY(una_spec_parse(&spec, text, &f->keep, run));
    f->kind = una_kind_find(spec.name);
    for (size_t t = 0; t < p->outputs; t++) {
        f->options[t] = una_arena_get(&f->keep, 1, f->kind->options_size);
        f->state[t] = una_arena_get(&f->keep, 1, una_calls(f->kind)->state_size);
        UNA_TRY(una_arena_check(&f->keep));
        UNA_TRY(una_options_default(f->options[t], f->kind->options, run));
        UNA_TRY(una_options_apply(f->options[t], f->kind->options, spec.name, &spec, &f->keep, run));
        f->result[t] = una_fit_result_in(&f->keep);
        f->target[t] = (una_fit_target){ f->state[t], f->options[t], &f->result[t] };
    }
    f->coupling = (una_target_coupling){ .outputs = p->outputs, .noise = f->noise };
    una_mark mark = una_arena_mark(&run->scratch);
    una_fitting fitting = { .kind = f->kind, .problem = p, .target = f->target, .keep = &f->keep, .run = run,
                            .coupling = &f->coupling };
    una_status status = una_calls(f->kind)->fit(&fitting);
    una_arena_release(&run->scratch, mark);
    if (status == UNA_OK) status = una_arena_check(&f->keep);
    return status;
}

static fits fitted_all(const char *text, const una_problem *p, una_run *run)
{
    fits f;
    assert_ok(fit_all(&f, text, p, run), run);
    return f;
}

/* mean, variance of the function, noise [3, rows] of one target. */
static void says(const fits *f, size_t target, una_view x, double *out, una_run *run)
{
    una_predictive p = { .mean = out, .var_model = out + x.rows, .var_noise = out + 2 * x.rows };
    assert_ok(una_calls(f->kind)->predict(f->state[target], x, &p, run), run);
    for (size_t i = 0; i < 3 * x.rows; i++) assert_true(isfinite(out[i]));
}

static una_view probes(void)
{
    static double x[PROBES * INPUTS];
    for (size_t i = 0; i < PROBES; i++) x[2 * i] = (double)i / 2 - 2, x[2 * i + 1] = sin((double)i);
    return (una_view){ x, PROBES, INPUTS, INPUTS };
}

static const char *const specs[] = {
    "luna(width=8, heads=4, steps=25, members=5, relevance=off, tails=inf)",
    "luna(width=8, heads=4, steps=25, members=10, relevance=on, target_cosine=jacobian)",
    "luna(width=8, heads=4, steps=25, members=1)",
    "nlm(width=8, steps=25, members=5, relevance=off)",
    "nlm(width=8, steps=25, members=1)",
    "nlm(width=8, steps=30, members=1, training=marginal)",
};
enum { SPECS = sizeof specs / sizeof *specs };

/* Two copies of a target, with a third one between them, are one and the same to the last bit. */
static void copies_are_one(void **state)
{
    skip_if_sanitized();
    (void)state;
    static table t;
    una_run *run = quiet_run();
    double a[3 * PROBES], b[3 * PROBES];
    for (size_t s = 0; s < SPECS; s++)
        for (int held = 0; held < 2; held++) {
            make_table(&t, 3, 0, 4);
            for (size_t i = 0; i < ROWS; i++) t.y[3 * i + 2] = t.y[3 * i];
            if (held) hold_out(&t, 30);
            fits f = fitted_all(specs[s], &t.p, run);
            says(&f, 0, probes(), a, run);
            says(&f, 2, probes(), b, run);
            assert_memory_equal(a, b, sizeof a);
            says(&f, 1, probes(), b, run);
            assert_memory_not_equal(a, b, sizeof a);
            assert_near(f.noise[2], f.noise[0], 0.04, 0);        /* but for the row without correlation */
            assert_near(f.noise[0], f.result[0].noise_var, 1e-12, 0);
            assert_near(f.noise[3], f.noise[1], 0, 0);
            una_arena_free(&f.keep);
        }
    una_run_free(run);
}

/* One target through the door for several. */
static void one_is_as_ever(void **state)
{
    (void)state;
    static table t;
    una_run *run = quiet_run();
    double a[3 * PROBES], b[3 * PROBES];
    make_table(&t, 1, 0, 5);
    for (size_t s = 0; s < SPECS; s++) {
        fits f = fitted_all(specs[s], &t.p, run), g = f;
        una_spec spec;
        assert_ok(una_spec_parse(&spec, specs[s], &f.keep, run), run);
        g.options[0] = una_arena_get(&f.keep, 1, f.kind->options_size);
        g.state[0] = una_arena_get(&f.keep, 1, una_calls(f.kind)->state_size);
        assert_ok(una_options_default(g.options[0], f.kind->options, run), run);
        assert_ok(una_options_apply(g.options[0], f.kind->options, spec.name, &spec, &f.keep, run), run);
        una_fit_result result = una_fit_result_in(&f.keep);
        una_fit_target target = { g.state[0], g.options[0], &result };
        una_fitting fitting = { .kind = f.kind, .problem = &t.p, .target = &target, .keep = &f.keep, .run = run };
        assert_ok(una_calls(f.kind)->fit(&fitting), run);
        says(&f, 0, probes(), a, run);
        says(&g, 0, probes(), b, run);
        assert_memory_equal(a, b, sizeof a);
        assert_near(f.noise[0], result.noise_var, 0, 0);
        una_arena_free(&f.keep);
    }
    una_run_free(run);
}

/* Of fresh rows under the mixture, whose noise may have tails. */
static double log_lik(const fits *f, size_t target, const table *t, size_t column, size_t columns, una_run *run)
{
    double sum = 0;
    una_mark mark = una_arena_mark(&run->scratch);
    una_predictive p = { .parts = una_members_mixture(f->state[target]) };
    assert_ok(una_predictive_new(&p, FRESH, &run->scratch), run);
    assert_ok(una_members_predict(f->state[target], (una_view){ t->new_x, FRESH, INPUTS, INPUTS }, &p, run), run);
    for (size_t i = 0; i < FRESH; i++)
        sum += una_mixture_log_pdf(t->new_y[i * columns + column], p.part_mean + i * p.parts, p.part_var + i * p.parts,
                                   p.part_weight, p.parts) / FRESH;
    una_arena_release(&run->scratch, mark);
    return sum;
}

/* Targets that have nothing to do with each other: fitted together they are predicted about as well as each alone. */
static void strangers_do_no_harm(void **state)
{
    (void)state;
    static const char *const longer[] = { "luna(width=20, heads=8, steps=250, members=5, relevance=off)",
                                          "nlm(width=20, steps=250, members=5, relevance=off)" };
    static table t, alone;
    skip_if_sanitized();
    una_run *run = quiet_run();
    make_table(&t, 2, 0, 6);
    for (size_t s = 0; s < 2; s++) {
        fits both = fitted_all(longer[s], &t.p, run);
        for (size_t k = 0; k < 2; k++) {
            make_table(&alone, 1, 0, 6);
            memcpy(alone.x, t.x, sizeof t.x);
            for (size_t i = 0; i < ROWS; i++) alone.y[i] = t.y[2 * i + k];
            fits one = fitted_all(longer[s], &alone.p, run);
            double coupling = log_lik(&both, k, &t, k, 2, run), by_itself = log_lik(&one, 0, &t, k, 2, run);
            print_message("%.4s, target %zu: %.3f together, %.3f alone\n", longer[s], k, coupling, by_itself);
            assert_true(coupling > by_itself - 0.05);
            una_arena_free(&one.keep);
        }
        una_arena_free(&both.keep);
    }
    una_run_free(run);
}

/* Straight lines, so that errors are noise: the correlation found is that of the noise, but for what rows left out do
 * not tell; and the targets share a head. Regions may choose prior variances that are far apart, which then need two heads:
 * here it is given. */
static void noise_goes_together(void **state)
{
    skip_if_sanitized();
    (void)state;
    static const char *const longer[] = { "luna(width=10, heads=4, steps=200, members=5, relevance=off, prior_var=1)",
                                          "nlm(width=10, steps=200, members=1)" };
    static table t;
    una_run *run = quiet_run();
    for (size_t s = 0; s < 2; s++)
        for (int apart = 0; apart < 2; apart++) {
            double noise[MOST * ROWS], product = 0, first = 0, second = 0;
            make_table(&t, 2, apart ? 0 : 0.8, 7);
            for (size_t i = 0; i < 2 * ROWS; i++) {
                noise[i] = t.y[i] - truth(i % 2, t.x + i / 2 * INPUTS);
                t.y[i] = 2 * noise[i] + t.x[i / 2 * INPUTS] - (double)(i % 2) * t.x[i / 2 * INPUTS + 1];
            }
            for (size_t i = 0; i < ROWS; i++) {
                product += noise[2 * i] * noise[2 * i + 1];
                first += noise[2 * i] * noise[2 * i];
                second += noise[2 * i + 1] * noise[2 * i + 1];
            }
            fits f = fitted_all(longer[s], &t.p, run);
            double found = f.noise[1] / sqrt(f.noise[0] * f.noise[3]), is = product / sqrt(first * second);
            print_message("%.4s: correlation %.2f, of the noise %.2f\n", longer[s], found, is);
            assert_near(found, is, 0, 3 * (1 - is * is) / sqrt(ROWS) + 0.02);
            double error = sqrt((first * second + product * product) / ROWS) / ROWS;
            assert_near(f.noise[1], 4 * product / ROWS, 0, 4 * error);
            assert_true(f.coupling.joint);
            una_arena_free(&f.keep);
        }
    una_run_free(run);
}

static size_t take_cells_away(table *t, size_t target, double share)
{
    una_rng rng = una_rng_at(3, UNA_FOR_TEST, 1);
    size_t left = 0, n = t->p.outputs;
    for (size_t i = 0; i < ROWS; i++) {
        if (una_rng_uniform(&rng) < share) t->y[i * n + target] = NAN;
        else left++;
    }
    return left;
}

/* A target of which cells are missing learns from the rows that have it, and from no other; the others from all. */
static void cells_may_be_missing(void **state)
{
    (void)state;
    static table t;
    una_run *run = quiet_run();
    double out[3 * PROBES];
    for (size_t s = 0; s < SPECS; s++)
        for (int held = 0; held < 2; held++) {
            make_table(&t, 3, 0, 8);
            size_t left = take_cells_away(&t, 1, 0.3);
            if (held) hold_out(&t, 30);
            fits f = fitted_all(specs[s], &t.p, run);
            assert_false(f.coupling.joint);
            for (size_t k = 0; k < 3; k++) {
                const una_members *m = f.state[k];
                says(&f, k, probes(), out, run);
                for (size_t i = 0; i < m->count; i++)
                    assert_near(((const una_basis *)m->at[i].state)->head.stats.rows, (double)(k == 1 ? left : ROWS),
                                0, 0);
                assert_true(f.result[k].valid_rows <= (k == 1 ? left : ROWS) && f.result[k].valid_rows > 0);
                assert_true(isfinite(f.result[k].valid_log_lik) && isfinite(f.result[k].log_evidence));
            }
            for (size_t i = 0; i < 9; i++) assert_true(isfinite(f.noise[i]));
            una_arena_free(&f.keep);
        }
    una_run_free(run);
}

/* Targets that no row has both of: nothing is known of how their noises go together. */
static void no_row_in_common(void **state)
{
    (void)state;
    static table t;
    una_run *run = quiet_run();
    make_table(&t, 2, 0, 9);
    for (size_t i = 0; i < ROWS; i++) t.y[2 * i + i / 5 % 2] = NAN;
    fits f = fitted_all(specs[0], &t.p, run);
    assert_true(isnan(f.noise[1]) && isnan(f.noise[2]) && f.noise[0] > 0 && f.noise[3] > 0);
    una_arena_free(&f.keep);

    for (size_t i = 3; i < ROWS; i++) t.y[2 * i + 1] = NAN;
    assert_status(fit_all(&f, specs[0], &t.p, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "leave that target out");
    una_arena_free(&f.keep);

    make_table(&t, 2, 0, 9);
    hold_out(&t, 20);
    for (size_t i = ROWS - 20; i < ROWS; i++) t.y[2 * i] = NAN;
    assert_status(fit_all(&f, specs[0], &t.p, run), UNA_E_INPUT, run);
    assert_says(una_run_message(run), "none of the rows held out has the target");
    una_arena_free(&f.keep);
    una_run_free(run);
}

/* The posterior of all weights at once, [targets K], with prior ratio S x I and noise S x I, by a dense solve; what it
 * says of two targets at a point is what the heads say, with S times the common variance beside the diagonal. */
static void heads_are_matrix_normal(void **state)
{
    (void)state;
    enum { T = 2, K = 5, N = T * K };
    static table t;
    una_run *run = quiet_run();
    make_table(&t, T, 0.6, 10);
    fits f = fitted_all("nlm(width=6, features=4, steps=80, members=1, activation=tanh)", &t.p, run);
    assert_true(f.coupling.joint);
    const una_basis *basis[T];
    double s[4], det, inverse[4], precision[N * N] = {0}, right[N] = {0}, at[3 * PROBES];
    una_view phi;
    for (size_t k = 0; k < T; k++) basis[k] = ((const una_members *)f.state[k])->at[0].state;
    memcpy(s, f.noise, sizeof s);
    det = s[0] * s[3] - s[1] * s[2];
    inverse[0] = s[3] / det, inverse[1] = -s[1] / det, inverse[2] = -s[2] / det, inverse[3] = s[0] / det;
    double ratio = basis[0]->head.prior_var / basis[0]->head.noise_var;
    assert_near(basis[1]->head.prior_var / basis[1]->head.noise_var, ratio, 1e-12, 0);

    assert_ok(una_basis_phi(basis[0], t.p.x, &phi, run), run);
    for (size_t a = 0; a < T; a++)
        for (size_t b = 0; b < T; b++)
            for (size_t i = 0; i < K; i++) {
                precision[(a * K + i) * N + b * K + i] += inverse[a * T + b] / ratio;
                for (size_t r = 0; r < ROWS; r++) {
                    right[a * K + i] += inverse[a * T + b] * phi.at[r * K + i] * t.y[r * T + b];
                    for (size_t j = 0; j < K; j++)
                        precision[(a * K + i) * N + b * K + j] += inverse[a * T + b] * phi.at[r * K + i] * phi.at[r * K + j];
                }
            }
    assert_ok(una_chol(precision, N, "test", run), run);
    una_chol_solve(precision, N, right, 1);

    assert_ok(una_basis_phi(basis[0], probes(), &phi, run), run);
    for (size_t a = 0; a < T; a++) {
        says(&f, a, probes(), at, run);
        for (size_t i = 0; i < PROBES; i++) {
            double mean = una_dot(phi.at + i * K, right + a * K, K), common = at[PROBES + i] / s[a * T + a];
            assert_near(at[i], mean, 1e-6, 1e-8);
            for (size_t b = 0; b < T; b++) {
                double column[N] = {0};
                memcpy(column + b * K, phi.at + i * K, K * sizeof *column);
                una_chol_solve(precision, N, column, 1);
                assert_near(s[a * T + b] * common, una_dot(phi.at + i * K, column + a * K, K), 1e-6, 1e-12);
            }
        }
    }
    una_arena_free(&f.keep);
    una_run_free(run);
}

/* Members of all targets are the same networks with the same weights, and further rows leave one head one head. */
static void rows_may_follow(void **state)
{
    (void)state;
    static table t;
    una_run *run = quiet_run();
    make_table(&t, 2, 0.5, 11);
    fits f = fitted_all(specs[0], &t.p, run);
    assert_true(f.coupling.joint);
    const una_members *a = f.state[0], *b = f.state[1];
    assert_int_equal(a->count, b->count);
    for (size_t k = 0; k < 2; k++) {
        static double y[FRESH];
        for (size_t i = 0; i < FRESH; i++) y[i] = t.new_y[2 * i + k];
        una_problem more = { .x = { t.new_x, FRESH, INPUTS, INPUTS }, .y = y, .outputs = 1, .columns = &t.columns[k] };
        una_fit_result result = una_fit_result_in(&f.keep);
        assert_ok(una_calls(f.kind)->observe(f.state[k], &more, &result, &f.keep, run), run);
    }
    for (size_t i = 0; i < a->count; i++) {
        const una_basis *p = a->at[i].state, *q = b->at[i].state;
        assert_near(a->at[i].weight, b->at[i].weight, 0, 0);
        assert_memory_equal(p->parameters, q->parameters, p->net.body->size(p->net.shape).head * sizeof *p->parameters);
        assert_memory_equal(p->head.stats.gram, q->head.stats.gram,
                            p->head.stats.features * p->head.stats.features * sizeof(double));
        assert_near(p->head.prior_var / p->head.noise_var, q->head.prior_var / q->head.noise_var, 1e-12, 0);
        assert_near(p->head.stats.rows, ROWS + FRESH, 0, 0);
    }
    una_arena_free(&f.keep);
    una_run_free(run);
}

static void bits_for_any_threads(void **state)
{
    skip_if_sanitized();
    (void)state;
    static table t;
    double first[3][3 * PROBES], out[3 * PROBES];
    for (size_t s = 0; s < SPECS; s++)
        for (int threads = 1; threads <= 4; threads += 3) {
            una_run *run = quiet_run_threads(threads);
            make_table(&t, 3, 0.4, 12);
            take_cells_away(&t, 2, s % 2 ? 0.2 : 0);
            fits f = fitted_all(specs[s], &t.p, run);
            for (size_t k = 0; k < 3; k++) {
                says(&f, k, probes(), threads == 1 ? first[k] : out, run);
                if (threads > 1) assert_memory_equal(out, first[k], sizeof out);
            }
            una_arena_free(&f.keep);
            una_run_free(run);
        }
}

/* The two ways of counting similarity are two. */
static void jacobians_are_another_way(void **state)
{
    (void)state;
    static table t;
    una_run *run = quiet_run();
    double a[3 * PROBES], b[3 * PROBES];
    make_table(&t, 2, 0, 13);
    fits f = fitted_all("luna(width=8, heads=4, steps=25, members=1)", &t.p, run);
    fits g = fitted_all("luna(width=8, heads=4, steps=25, members=1, target_cosine=jacobian)", &t.p, run);
    says(&f, 0, probes(), a, run);
    says(&g, 0, probes(), b, run);
    assert_memory_not_equal(a, b, sizeof a);
    assert_true(f.result[0].mean_cos2 < 1 && g.result[0].mean_cos2 < 1);
    una_arena_free(&f.keep);
    una_arena_free(&g.keep);
    una_run_free(run);
}

/* Targets of very different noise train by different scales; their heads speak in their own, as the posterior does. */
static void heads_speak_of_their_target(void **state)
{
    skip_if_sanitized();
    (void)state;
    static table t;
    static double heads[MOST * 8 * ROWS], out[3 * ROWS];
    una_run *run = quiet_run();
    make_table(&t, 2, 0, 15);
    for (size_t i = 0; i < ROWS; i++) {
        t.y[2 * i] = t.x[2 * i] + 0.05 * (t.y[2 * i] - truth(0, t.x + 2 * i));
        t.y[2 * i + 1] = t.x[2 * i + 1] + 3 * (t.y[2 * i + 1] - truth(1, t.x + 2 * i));
    }
    fits f = fitted_all("luna(width=20, heads=4, steps=500, members=1, penalty=0.01)", &t.p, run);
    assert_false(f.coupling.joint);                      /* one ratio would not do for both */
    for (size_t k = 0; k < 2; k++) {
        size_t count;
        double product = 0, square = 0;
        assert_ok(una_calls(f.kind)->functions(f.state[k], t.p.x, &count, heads, run), run);
        assert_int_equal(count, 4);
        says(&f, k, t.p.x, out, run);
        for (size_t i = 0; i < ROWS; i++) {
            double mean = 0;
            for (size_t m = 0; m < 4; m++) mean += heads[m * ROWS + i] / 4;
            product += mean * out[i];
            square += out[i] * out[i];
        }
        print_message("target %zu: heads are %.2f times the posterior's mean\n", k, product / square);
        assert_near(product / square, 1, 0, 0.3);
    }
    una_arena_free(&f.keep);
    una_run_free(run);
}

/* Inputs are scaled by what they matter to all targets: the quadratic mean. */
static void relevance_is_that_of_all(void **state)
{
    (void)state;
    static table t;
    una_run *run = quiet_run();
    make_table(&t, 2, 0, 16);
    for (size_t i = 0; i < ROWS; i++) t.y[2 * i] = 2 * sin(2 * t.x[2 * i]);
    fits f = fitted_all("nlm(width=4, steps=3, members=5, relevance=on)", &t.p, run);
    const una_members *m = f.state[1];
    assert_non_null(m->at[0].scale);
    for (size_t d = 0; d < INPUTS; d++) {
        double a = f.result[0].relevance[d], b = f.result[1].relevance[d];
        assert_near(m->at[0].scale[d], sqrt((a * a + b * b) / 2), 1e-12, 0);
    }
    assert_true(f.result[0].relevance[0] > 1.2 * f.result[1].relevance[0]);
    una_arena_free(&f.keep);
    una_run_free(run);
}

static una_status fit_job(void *context, una_run *run)
{
    static table t;
    fits f;
    make_table(&t, 2, 0, 14);
    take_cells_away(&t, 1, 0.3);
    una_status status = fit_all(&f, context, &t.p, run);
    una_arena_free(&f.keep);
    return status;
}

static void allocations_may_fail(void **state)
{
    (void)state;
    assert_true(sweep_allocations(fit_job, "luna(width=2, heads=2, steps=1, members=2, relevance=off, prior_var=1)")
                > 20);
    assert_true(sweep_allocations(fit_job, "nlm(width=2, steps=1, members=1)") > 10);
}

/* ---- errors of several targets ---------------------------------------------------------------------------------- */

static void covariance_of_errors(void **state)
{
    (void)state;
    enum { N = 3 };
    una_run *run = quiet_run();
    una_errors e;
    double noise[N * N], noise_var[N] = { 0.5, 2, 1 };
    assert_ok(una_errors_take(&e, N, &run->scratch), run);
    const double rows[][N] = { { 1, 1, NAN }, { -2, -1, NAN }, { NAN, 1, 1 }, { NAN, -1, -1 }, { 1, NAN, -1 },
                               { -1, NAN, 1 } };
    for (size_t i = 0; i < 2; i++) una_errors_add(&e, rows[i]);
    assert_ok(una_errors_noise(noise, &e, noise_var, run), run);
    assert_near(noise[1], 3 / sqrt(5 * 2) * 2 / 3 * 1, 1e-12, 0);        /* correlation, two rows of three, stds */
    assert_near(noise[1], noise[3], 0, 0);
    assert_near(noise[4], 2, 0, 0);
    assert_true(isnan(noise[2]) && isnan(noise[5]));

    /* by rows that differ from pair to pair, correlations that no covariance has: made smaller until one has them */
    for (size_t again = 0; again < 100; again++)
        for (size_t i = 0; i < 6; i++) una_errors_add(&e, rows[i]);
    assert_ok(una_errors_noise(noise, &e, noise_var, run), run);
    assert_true(noise[1] > 0 && noise[5] > 0 && noise[2] < 0);
    assert_ok(una_chol(noise, N, "noise", run), run);

    double prior[N] = { 1, 1, 1 }, kept[N] = { 1, 1, 1 };
    assert_true(una_one_ratio(prior, noise_var, N));
    for (size_t i = 0; i < N; i++) assert_near(prior[i] / noise_var[i], 1, 1e-12, 0);    /* of 2, 1/2 and 1 */
    noise_var[0] = 1e-3;
    assert_false(una_one_ratio(kept, noise_var, N));
    assert_near(kept[0], 1, 0, 0);
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_are_one),
        cmocka_unit_test(one_is_as_ever),
        cmocka_unit_test(strangers_do_no_harm),
        cmocka_unit_test(noise_goes_together),
        cmocka_unit_test(cells_may_be_missing),
        cmocka_unit_test(no_row_in_common),
        cmocka_unit_test(heads_are_matrix_normal),
        cmocka_unit_test(rows_may_follow),
        cmocka_unit_test(bits_for_any_threads),
        cmocka_unit_test(jacobians_are_another_way),
        cmocka_unit_test(heads_speak_of_their_target),
        cmocka_unit_test(relevance_is_that_of_all),
        cmocka_unit_test(allocations_may_fail),
        cmocka_unit_test(covariance_of_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
