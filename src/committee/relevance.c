/* SPDX-License-Identifier: MIT
 *
 * See relevance.h. The process is k = v exp(-1/2 sum_d (x_d - x'_d)^2 / l_d^2), fitted by evidence (process.h): first
 * on few rows, from l_d = sqrt(D), where rows of D inputs are correlated, with a prior that keeps log l_d near, since a
 * length that has become very large has no gradient back; then in few steps on all sampled rows, without that prior.
 * Source: MacKay 1994; Neal 1996 (automatic relevance determination); Rasmussen and Williams 2006, section 5.1.
 */
#include "committee/relevance.h"

#include "train/process.h"

enum { FIRST_ROWS = 250, FIRST_STEPS = 20, LAST_STEPS = 15, STEPS_OF_FEW_ROWS = 60 };

static const double RANGE = 1e3;         /* lengths, variance and noise variance: 1/RANGE to RANGE              */
static const double LEAST = 0.01;        /* scale of an input that does not matter: little, but not nothing     */

typedef struct sample { double *x, *y; size_t rows, cols; } sample;

/* The place of row x in s, or s->rows if it is new. */
static size_t find_sampled_row(const sample *s, const double *x)
{
    for (size_t i = 0; i < s->rows; i++) {
        size_t d = 0;
        while (d < s->cols && s->x[i * s->cols + d] == x[d]) d++;
        if (d == s->cols) return i;
    }
    return s->rows;
}

/* A random sample of rows, each point of the inputs once, with the mean of its targets: a process would fit copies of
 * rows with short lengths, which says nothing about the inputs. */
static una_status sample_rows(sample *s, const una_problem *p, una_run *run)
{
    size_t most = p->x.rows < UNA_RELEVANCE_ROWS ? p->x.rows : UNA_RELEVANCE_ROWS;
    uint32_t *order;
    UNA_TRY(una_order_new(&order, p->x.rows, &run->scratch));
    *s = (sample){ UNA_GET(&run->scratch, double, most * p->x.cols), UNA_GET(&run->scratch, double, most), 0,
                   p->x.cols };
    UNA_NEW(&run->scratch, double, count, most);

    una_rng rng = una_rng_at(p->seed, UNA_FOR_SPLIT, 3);
    una_rng_permute(&rng, order, p->x.rows);
    for (size_t i = 0; i < most; i++) {
        const double *x = p->x.at + order[i] * p->x.stride;
        size_t at = find_sampled_row(s, x);
        if (at == s->rows) memcpy(s->x + s->rows++ * s->cols, x, s->cols * sizeof *x);
        s->y[at] += p->y[order[i] * p->outputs];
        count[at]++;
    }
    for (size_t i = 0; i < s->rows; i++) s->y[i] /= count[i];
    return UNA_OK;
}

/* Mean 0 and variance 1, which means of copies in a sample may lack; false: all targets are equal. */
static bool standardise_targets(double *y, size_t rows)
{
    double mean = 0, square = 0;
    for (size_t i = 0; i < rows; i++) mean += y[i] / (double)rows;
    for (size_t i = 0; i < rows; i++) square += (y[i] - mean) * (y[i] - mean) / (double)rows;
    if (!(square > 1e-20 * (1 + mean * mean)) || !isfinite(square)) return false;
    for (size_t i = 0; i < rows; i++) y[i] = (y[i] - mean) / sqrt(square);
    return true;
}

typedef struct stage {
    const sample *of;
    const una_hyper_plan *plan;
    size_t rows, steps;
    double length_prior, done;
} stage;

/* Moves the kernel's parameters and *noise_var to where the stage's rows are likeliest; *gain: how much likelier they
 * are than as noise alone, less one for each free parameter. */
static una_status search_lengths(una_kernel *kernel, double *noise_var, double *gain, const stage *now, una_run *run)
{
    const sample *s = now->of;
        double rows = (double)now->rows;
    una_gp gp = { .noise_var = *noise_var };
    una_gp_search f = { .gp = &gp, .stage = "finding relevance", .free_noise = true, .range = RANGE,
                        .jitter = UNA_AUTO, .starts = 2, .done = now->done, .most_steps = now->steps,
                        .length_prior = now->length_prior };
    UNA_TRY(una_gp_init(&gp, kernel, (una_gp_rows){ { s->x, now->rows, s->cols, s->cols }, s->y, NULL },
                        &run->scratch));
    UNA_TRY(una_gp_search_run(&f, now->plan, 1, 0, run));
    *noise_var = gp.noise_var;
    *gain = gp.log_evidence + rows * 1.4189385332046727 - (double)(f.hyper.count + 1);
    return UNA_OK;
}

/* At least LEAST of the mean square. */
void una_relevance_of_lengths(double *scale, const double *length, size_t inputs)
{
    double square = 0, again = 0;
    for (size_t d = 0; d < inputs; d++) square += 1 / (length[d] * length[d] * (double)inputs);
    for (size_t d = 0; d < inputs; d++) {
        scale[d] = fmax(LEAST, 1 / (length[d] * sqrt(square)));
        again += scale[d] * scale[d] / (double)inputs;
    }
    for (size_t d = 0; d < inputs; d++) scale[d] /= sqrt(again);
}

static una_status learn_lengths(double *scale, const una_problem *p, una_run *run)
{
    size_t inputs = p->x.cols;
    una_kernel_inputs names;
    una_kernel *kernel;
    sample s;
    UNA_NEW(&run->scratch, size_t, group, inputs);
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(una_gp_inputs(&names, false, p->columns, run));
    UNA_TRY(una_kernel_parse(&kernel, "rbf", &names, &run->scratch, run));
    UNA_TRY(sample_rows(&s, p, run));
    if (!standardise_targets(s.y, s.rows)) return UNA_OK;

    for (size_t d = 0; d < inputs; d++) group[d] = una_columns_input(p->columns, d)->source;
    una_hyper_plan plan = { .ard = true, .group = group };
    bool many = s.rows > FIRST_ROWS;
    stage first = { &s, &plan, many ? FIRST_ROWS : s.rows, FIRST_STEPS, 1, 0 },
          last = { &s, &plan, s.rows, many ? LAST_STEPS : STEPS_OF_FEW_ROWS, 0, 1 };
    double noise_var = 0.1, gain = 0;
    una_gp_set_lengths(kernel, sqrt((double)inputs));
    UNA_SCOPED(run, search_lengths(kernel, &noise_var, &gain, &first, run));
    UNA_SCOPED(run, search_lengths(kernel, &noise_var, &gain, &last, run));
    if (gain > 0) una_relevance_of_lengths(scale, kernel->parameter + kernel->op[0].parameter + 1, inputs);
    return UNA_OK;
}

una_status una_relevance_learn(double *scale, const una_problem *p, una_run *run)
{
    una_status status;
    for (size_t d = 0; d < p->x.cols; d++) scale[d] = 1;
    if (p->x.cols < 2 || p->x.rows < 2) return UNA_OK;
    UNA_SCOPED_CALL(status, run, learn_lengths(scale, p, run));
    if (status != UNA_E_NUMERIC) return status;
    una_clear_message(run);                              /* no process fits: no input is known to matter more */
    return UNA_OK;
}
