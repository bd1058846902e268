/* SPDX-License-Identifier: MIT
 *
 * Gaussian process regression (the equations are in gp/gp.h). Lengths, variances and noise are free numbers on a log
 * scale; the evidence of all rows chooses them, with its exact gradient, by L-BFGS from the written values, with twenty
 * inputs D or more also from lengths sqrt(D) times as long, and, with restarts, from random ones. Cost n^3, memory two
 * matrices of n^2. Beyond 2,000 rows the evidence is that of a sample, and an answer rests on the nearest rows
 * (gp/near.h), as many as held-out rows ask for: cost and memory grow with n.
 * Source: Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, chapters 2, 4 and 5.
 */
#include "committee/committee.h"
#include "train/process.h"
#include "committee/relevance.h"

#include "gp/near_search.h"
#include "kern/kern.h"
#include "model/validation_split.h"

typedef struct gp_options {
    una_common_options common;                   /* first; of it, only the noise                             */
    const char *kernel, *grid;
    double amplitude, restarts, search_rows, neighbours, range, length_prior, noise_prior, jitter;
    int    ard, optimise, grid_rule;
} gp_options;

enum { YES, NO, GRID };
enum { MOST_GRID = 64, LEAST_HELD = 5 };
/* Rows: up to the first all answer; a sample for the evidence; kept at most; held out to choose the neighbours;
 * predicted without their fold at most. */
enum { EXACT_ROWS = 2000, SAMPLE_ROWS = 1000, MOST_KEPT = 100000, HELD_ROWS = 500,
       OOF_ROWS = 20000 };

#define ROW(field, kind, initial, low, high, may, choices, help) \
    { #field, kind, offsetof(gp_options, field), initial, low, high, may, choices, help }
static const una_option gp_table[] = {
    ROW(kernel, UNA_TEXT, "rbf", 0, 0, false, NULL,
        "covariance function, e.g. rbf, matern52(length=2), periodic(period=12, on=month) + linear; its numbers are "
        "starting values"),
    ROW(ard, UNA_FLAG, "yes", 0, 0, false, NULL,
        "a length for each input (text columns: one per column); no = the lengths of a kernel move together"),
    ROW(amplitude, UNA_REAL, "auto", 1e-6, 1e6, true, NULL,
        "auto = the kernel's variances are chosen by evidence; a number = they stay as written, times the square of "
        "this number"),
    UNA_ROW_NOISE("noise std of the target; auto = maximum evidence"),
    ROW(optimise, UNA_WORD, "yes", 0, 0, false, "yes|no|grid",
        "lengths and variances: yes = by evidence, starting at the written values; no = as written; grid = lengths "
        "from the grid"),
    ROW(grid, UNA_TEXT, "[0.001, 0.01, 0.1, 1, 5, 10]", 0, 0, false, NULL,
        "lengths tried by optimise=grid, in standard deviations of each input"),
    ROW(grid_rule, UNA_WORD, "evidence", 0, 0, false, "evidence|validation",
        "how lengths of the grid are scored: evidence of all rows, or likelihood of a held-out fifth"),
    ROW(restarts, UNA_COUNT, "1", 1, 1000, false, NULL,
        "starts of the search, all but the first at random; the best evidence is kept"),
    ROW(search_rows, UNA_COUNT, "auto", 0, 1e9, true, NULL,
        "rows, chosen at random, whose evidence chooses lengths, variances and noise; a step costs their cube; 0 = all, "
        "until evidence rises no more; auto = up to 1000, until it rises little"),
    ROW(neighbours, UNA_COUNT, "auto", 0, UNA_MOST_NEIGHBOURS, true, NULL,
        "an answer rests on so many rows, the nearest in inputs over lengths; 0 = on all, exactly; auto = on all of up "
        "to 2000 rows, else on 32 to 256, chosen by held-out rows"),
    ROW(range, UNA_REAL, "100000", 10, 1e10, false, NULL,
        "lengths, variances and noise variance are searched from 1/range (the noise from its square) to range, on "
        "standardised inputs and target"),
    ROW(length_prior, UNA_REAL, "0", 0, 100, false, NULL,
        "std of a normal prior on log lengths around the written ones; 0 = none"),
    ROW(noise_prior, UNA_REAL, "0", 0, 100, false, NULL,
        "std of a normal prior on the log of the noise variance around 1e-4 of the target's; 0 = none"),
    ROW(jitter, UNA_REAL, "auto", 0, 1, true, NULL,
        "share of the prior variance added to the diagonal; auto = none, or the least that the factor needs (which is "
        "then reported)"),
    UNA_ROW_UNITS("how noise and lengths are given: in the data's own units, or standardised (the thesis)"),
    UNA_ROW_NOISE_SHAPE,
    UNA_ROW_TAILS,
    { .name = NULL }
};

/* ---- the kernel of the options ----------------------------------------------------------------------------------- */

static una_status read_kernel(una_kernel **kernel, const gp_options *o, const una_kernel_inputs *inputs,
                              una_arena *keep, una_run *run)
{
    UNA_TRY(una_kernel_parse(kernel, o->kernel, inputs, keep, run));
    if (UNA_IS_AUTO(o->amplitude) || o->amplitude == 1) return UNA_OK;
    una_text text = una_text_in(&run->scratch);
    una_text_number(&text, o->amplitude * o->amplitude);
    una_text_add(&text, "*(%s)", o->kernel);
    UNA_TRY(una_arena_check(&run->scratch));
    return una_kernel_parse(kernel, text.at, inputs, keep, run);
}

/* "[0.1, 1, 10]" */
static una_status gp_read_grid(double grid[MOST_GRID], size_t *count, const char *text, una_run *run)
{
    size_t length = strlen(text);
    const char *at = text, *end = text + length;
    if (length >= 2 && text[0] == '[' && text[length - 1] == ']') at++, end--;

    for (*count = 0; *count < MOST_GRID && at < end; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at)), *stop = comma ? comma : end;
        if (!una_parse_number(at, (size_t)(stop - at), &grid[*count]) ||
            !(grid[*count] > 1e-100 && grid[*count] < 1e100))
            UNA_FAIL(run, UNA_E_USAGE, "gp: grid=%.200s: every length must be a number greater than 0, as in "
                     "grid=[0.1, 1, 10]", text);
        ++*count;
        at = stop;
    }

    if (*count > 0 && at >= end) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "gp: grid=%.200s: give 1 to %d lengths, as in grid=[0.1, 1, 10]", text, (int)MOST_GRID);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

enum { MANY_INPUTS = 20, STEPS_ON = 8 };
static const double LEAST_GAIN = 5e-5;   /* nats for each row: where two steps in turn gain less, the search is over */

typedef struct gp_search {               /* what a fit works with                                           */
    const una_fitting *f;
    const gp_options *o;
    una_gp *gp;
    const una_gp *from;                  /* where the one start begins; NULL: at gp's own values            */
    una_kernel_inputs inputs;
    una_hyper_plan plan;
    double unit, noise_var;              /* of noise_std; the noise to start from                           */
    bool   near;                         /* answers rest on the nearest rows                                */
    size_t sample;                       /* rows whose evidence counts; 0: all                              */
    una_gp_search search;
} gp_search;

/* search_rows=0 asks for the largest evidence, not for one that is nearly as large. */
static bool is_thorough(const gp_options *o)
{
    return o->search_rows == 0;
}

static size_t starts_of(const gp_search *fit)
{
    return fit->from ? 1 : (size_t)fit->o->restarts;
}

/* Of a search on some rows or all, with as many starts as the options ask for if it does not go on from another. */
static una_gp_search search_of(una_gp *gp, const gp_search *fit)
{
    const gp_options *o = fit->o;
    bool many = o->optimise == YES && gp->inputs >= MANY_INPUTS && !fit->from;
    return (una_gp_search){ .gp = gp, .stage = "fitting gp", .free_noise = UNA_IS_AUTO(o->common.noise_std),
                            .length_prior = o->length_prior, .noise_prior = o->noise_prior,
                            .range = o->range, .jitter = o->jitter, .starts = (double)starts_of(fit) + many,
                            .longer = many ? sqrt((double)gp->inputs) : 0, .from = fit->from,
                            .most_steps = fit->from ? STEPS_ON : 0,
                            .least_gain = is_thorough(o) ? 0 : LEAST_GAIN * (double)gp->rows };
}

/* ---- fit --------------------------------------------------------------------------------------------------------- */

static void say_bounds(const una_gp_search *f, const una_kernel_inputs *inputs, una_fit_result *result)
{
    const una_kernel *k = f->gp->kernel;
    const double near = 1e-3, high = log(f->range);
    for (size_t o = 0; o < k->op_count; o++)
        for (size_t d = 0; k->op[o].code < UNA_KERNEL_PERIODIC && d < k->op[o].count; d++) {
            size_t h = f->hyper.of[k->op[o].parameter + 1 + d];
            if (h != SIZE_MAX && f->theta[h] > high - near)
                una_notes_add(&result->notes, "The length of %s is at its upper bound: it hardly matters.",
                              inputs->name[k->input[k->op[o].input + d]]);
        }
    if (f->free_noise && f->theta[f->hyper.count] < una_gp_least_log_noise(f->range) + near)
        una_notes_add(&result->warnings, "The noise is at its lower bound: the kernel explains every row. Give "
                      "noise_std if the noise is known, or raise range.");
}

/* The lengths of a kernel with one leaf and a length for each input give their relevance. */
static una_status say_relevance(const una_gp *gp, una_fit_result *result, una_arena *keep)
{
    const una_kernel_op *op = gp->kernel->op;
    if (gp->kernel->op_count != 1 || op->code >= UNA_KERNEL_PERIODIC || op->count != gp->inputs) return UNA_OK;
    const double *length = gp->kernel->parameter + op->parameter + 1;
    size_t same = 1;
    while (same < gp->inputs && length[same] == length[0]) same++;
    if (same == gp->inputs) return UNA_OK;               /* one length for all says nothing */

    UNA_NEW_AT(keep, result->relevance, gp->inputs);
    for (size_t d = 0; d < gp->inputs; d++)              /* the leaf may name its inputs in another order */
        result->relevance[gp->kernel->input[op->input + d]] = length[d];
    una_relevance_of_lengths(result->relevance, result->relevance, gp->inputs);
    return UNA_OK;
}

/* Whether all rows answer, and how many choose the numbers. */
static una_status choose_form(gp_search *fit)
{
    const gp_options *o = fit->o;
    const una_problem *p = fit->f->problem;
    bool many = una_table_rows(p) > EXACT_ROWS && o->optimise != GRID;
    fit->near = UNA_IS_AUTO(o->neighbours) ? many : o->neighbours > 0;
    fit->sample = SAMPLE_ROWS;
    if (!UNA_IS_AUTO(o->search_rows)) fit->sample = (size_t)o->search_rows;
    if (fit->near && o->optimise == GRID)
        UNA_FAIL(fit->f->run, UNA_E_USAGE, "gp: optimise=grid is for the process of all rows; use neighbours=0, or "
                 "optimise=yes");
    double matrices = o->optimise == GRID && o->grid_rule == 1 ? 3.5 : 2;
    size_t most = fit->near && fit->sample > 0 ? UNA_MIN(fit->sample, p->x.rows) : p->x.rows;
    return una_gp_memory(most, matrices, fit->f->run);
}

/* gp's kernel as the options give it, and the rows. */
static una_status gp_begin(gp_search *fit, una_arena *keep)
{
    const gp_options *o = fit->o;
    const una_problem *p = fit->f->problem;
    una_run *run = fit->f->run;
    double start = o->noise_prior > 0 ? 1e-4 : 0.1;
    una_kernel *kernel;
    UNA_NEW(&run->scratch, size_t, group, p->columns->input_count);
    UNA_TRY(una_kernels_need(run));
    UNA_TRY(choose_form(fit));
    fit->unit = o->common.units == 0 ? p->columns->target_scale : 1;
    fit->noise_var = UNA_IS_AUTO(o->common.noise_std) ? start : pow(o->common.noise_std / fit->unit, 2);
    UNA_TRY(una_gp_inputs(&fit->inputs, o->common.units == 0, p->columns, run));
    for (size_t d = 0; d < fit->inputs.count; d++) group[d] = p->columns->inputs[d].source;
    fit->plan = (una_hyper_plan){ .ard = o->ard != 0, .fix_variances = o->optimise == NO || !UNA_IS_AUTO(o->amplitude),
                                  .fix_lengths = o->optimise != YES, .group = group };
    UNA_TRY(read_kernel(&kernel, o, &fit->inputs, keep, run));
    UNA_TRY(una_kernel_text_fits(kernel, &fit->inputs, "gp", run));
    fit->gp->kernel = kernel;
    if (fit->near) return UNA_OK;
    return una_gp_init(fit->gp, kernel, (una_gp_rows){ p->x, p->y, p->weight }, keep);
}

/* ---- the grid of lengths ----------------------------------------------------------------------------------------- */

/* So many rows at random go to `out`, the others to `in`; copies of a row go together. */
static una_status hold_out_rows(const una_problem *p, size_t held, una_rng rng, una_gp_rows *in, una_gp_rows *out,
                                una_run *run)
{
    uint32_t *order;
    una_copies copies;
    UNA_TRY(una_split_copies(&copies, p, run));
    UNA_TRY(una_hold_rows(&order, &held, &copies, p->x.rows, rng, run));
    UNA_TRY(una_gp_rows_pick(out, p, order, held, run));
    return una_gp_rows_pick(in, p, order + held, p->x.rows - held, run);
}

static una_status hold_out_fifth(const una_problem *p, una_gp_rows *in, una_gp_rows *out, una_run *run)
{
    size_t rows = p->x.rows;
    if (rows < LEAST_HELD)
        UNA_FAIL(run, UNA_E_INPUT, "gp: grid_rule=validation needs at least %d rows, and there are only %zu; use "
                 "evidence", (int)LEAST_HELD, rows);
    return hold_out_rows(p, rows / 5, una_rng_at(p->seed, UNA_FOR_SPLIT, 2), in, out, run);
}

typedef struct grid_search {
    const gp_search *fit;
    una_gp *gp;                          /* of all rows, to be judged by the evidence, or of those but `out` */
    const una_gp_rows *out;              /* rows that judge it; NULL: none                                  */
    double length[MOST_GRID], best, chosen;
    size_t count;
} grid_search;

static una_status try_length(grid_search *grid, size_t at, una_run *run)
{
    const una_gp_rows *out = grid->out;
    una_gp *gp = grid->gp;
    una_fit_result *result = grid->fit->f->target->result;
    double log_lik = 0, rmse = 0;
    una_gp_search f = search_of(gp, grid->fit);
    una_gp_set_lengths(gp->kernel, grid->length[at]);
    gp->noise_var = grid->fit->noise_var;
    f.done = (double)at;
    f.starts = (double)grid->count + 1;
    UNA_TRY(una_gp_search_run(&f, &grid->fit->plan, 1, 0, run));
    result->steps += f.steps;
    if (out) UNA_TRY(una_gp_judge(gp, out, &log_lik, &rmse, run));
    double score = out ? log_lik : gp->log_evidence;
    if (score > grid->best) {
        grid->best = score;
        grid->chosen = grid->length[at];
        if (out) result->valid_rows = out->x.rows, result->valid_log_lik = log_lik, result->valid_rmse = rmse;
    }
    for (size_t p = 0; f.hyper.start && p < gp->kernel->parameter_count; p++)
        gp->kernel->parameter[p] = f.hyper.start[p];
    return UNA_OK;
}

/* The grid's best length. */
static una_status choose_from_grid(const gp_search *fit)
{
    una_run *run = fit->f->run;
    una_gp part = *fit->gp;
    una_gp_rows in, out;
    grid_search grid = { .fit = fit, .gp = fit->gp, .best = -HUGE_VAL, .chosen = 1 };
    UNA_TRY(gp_read_grid(grid.length, &grid.count, fit->o->grid, run));
    if (!una_gp_set_lengths(fit->gp->kernel, 1))
        UNA_FAIL(run, UNA_E_USAGE, "gp: optimise=grid needs a kernel with lengths, and %.200s has none; use "
                 "optimise=yes", fit->o->kernel);
    if (fit->o->grid_rule == 1) {
        UNA_TRY(hold_out_fifth(fit->f->problem, &in, &out, run));
        UNA_TRY(una_gp_init(&part, fit->gp->kernel, in, &run->scratch));
        grid.gp = &part;
        grid.out = &out;
    }
    for (size_t g = 0; g < grid.count; g++) UNA_SCOPED(run, try_length(&grid, g, run));
    una_gp_set_lengths(fit->gp->kernel, grid.chosen);
    return UNA_OK;
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

/* Rows at random, always the same. */
static una_status pick_sample(una_gp_rows *some, const gp_search *fit, una_run *run)
{
    const una_problem *p = fit->f->problem;
    uint32_t *order;
    UNA_TRY(una_order_new(&order, p->x.rows, &run->scratch));
    una_rng rng = una_rng_at(p->seed, UNA_FOR_SPLIT, 3);
    una_rng_permute(&rng, order, p->x.rows);
    return una_gp_rows_pick(some, p, order, fit->sample, run);
}

/* The process of some of the rows, always the same ones. */
static una_status sample_process(una_gp *part, gp_search *fit, una_run *run)
{
    una_gp_rows some;
    *part = *fit->gp;
    UNA_TRY(pick_sample(&some, fit, run));
    return una_gp_init(part, fit->gp->kernel, some, &run->scratch);
}

/* Chooses the kernel's parameters and the noise by some of the rows. */
static una_status search_some(gp_search *fit, una_run *run)
{
    una_gp part;
    UNA_TRY(sample_process(&part, fit, run));
    una_gp_search f = search_of(&part, fit);
    UNA_TRY(una_gp_search_run(&f, &fit->plan, starts_of(fit), fit->f->problem->seed, run));
    say_bounds(&f, &fit->inputs, fit->f->target->result);
    fit->gp->noise_var = part.noise_var;
    fit->gp->jitter_var = part.jitter_var;
    fit->gp->log_evidence = part.log_evidence;
    fit->f->target->result->steps += f.steps;
    return UNA_OK;
}

/* By the evidence of all rows, or of a sample: the search on all then has nothing to do. */
static una_status choose_by_all(gp_search *fit)
{
    const gp_options *o = fit->o;
    const una_problem *p = fit->f->problem;
    una_fit_result *result = fit->f->target->result;
    una_run *run = fit->f->run;
    bool searched = o->optimise == YES || (o->optimise == NO && UNA_IS_AUTO(o->common.noise_std));
    bool some = searched && fit->sample > 0 && p->x.rows > fit->sample;
    if (o->optimise == GRID) UNA_TRY(choose_from_grid(fit));
    fit->gp->noise_var = fit->noise_var;
    if (some) UNA_SCOPED(run, search_some(fit, run));
    if (some) fit->plan.fix_variances = fit->plan.fix_lengths = true;

    una_gp_search *f = &fit->search;
    *f = search_of(fit->gp, fit);
    f->free_noise = f->free_noise && !some;
    if (some) f->from = NULL;
    if (o->optimise == GRID) f->done = 10, f->starts = 11;
    UNA_TRY(una_gp_search_run(f, &fit->plan, starts_of(fit), p->seed, run));
    UNA_TRY(una_tick(run, "fitting gp", 1, fit->gp->log_evidence));
    result->steps += f->steps;
    say_bounds(f, &fit->inputs, result);
    return UNA_OK;
}

/* ---- the nearest rows -------------------------------------------------------------------------------------------- */

/* The rows that are kept: all of the problem, or as many as a model may keep. */
static una_status rows_to_keep(una_problem *kept, const gp_search *fit, una_run *run)
{
    const una_metric metric = una_kernel_metric(fit->gp->kernel, fit->f->problem->x.cols);
    uint32_t *order;
    una_gp_rows some;
    *kept = *fit->f->problem;
    if (kept->x.rows <= MOST_KEPT) return UNA_OK;
    UNA_TRY(una_spread_rows(&order, MOST_KEPT, &metric, kept->x, run));
    UNA_TRY(una_gp_rows_pick(&some, kept, order, MOST_KEPT, run));
    if (kept->team) {
        UNA_NEW_ROWS_AT(&run->scratch, kept->team, MOST_KEPT);
        for (size_t i = 0; i < MOST_KEPT; i++) kept->team[i] = fit->f->problem->team[order[i]];
    }
    kept->x = some.x;
    kept->y = some.y;
    kept->weight = some.weight;
    return UNA_OK;
}

/* The fewest with which held-out rows are nearly as likely as with the best. */
static una_status choose_neighbours(size_t *chosen, const gp_search *fit, const una_problem *p, una_run *run)
{
    enum { CHOICES = 4 };
    static const size_t choice[CHOICES] = { 32, 64, 128, 256 };
    const double enough = 0.003;
    double log_lik[CHOICES], rmse, best = -HUGE_VAL;
    una_gp part = *fit->gp;
    una_gp_rows in, out;
    size_t held = UNA_MIN(HELD_ROWS, p->x.rows / 5);
    UNA_TRY(hold_out_rows(p, held, una_rng_at(p->seed, UNA_FOR_SPLIT, 5), &in, &out, run));
    UNA_TRY(una_gp_init_near(&part, fit->gp->kernel, in, choice[CHOICES - 1], &run->scratch));
    for (size_t c = 0; c < CHOICES; c++) {
        part.neighbours = choice[c];
        UNA_SCOPED(run, una_gp_judge(&part, &out, &log_lik[c], &rmse, run));
        best = fmax(best, log_lik[c]);
    }
    size_t c = 0;
    while (c + 1 < CHOICES && log_lik[c] < best - enough) c++;
    *chosen = choice[c];
    return UNA_OK;
}

/* The same sample once more, for the evidence and the jitter of the numbers that were found. */
static una_status judge_by_sample(gp_search *fit, una_run *run)
{
    una_gp part;
    UNA_TRY(sample_process(&part, fit, run));
    una_gp_search f = search_of(&part, fit);
    f.free_noise = false;
    const una_hyper_plan none = { .fix_variances = true, .fix_lengths = true };
    UNA_TRY(una_gp_search_run(&f, &none, 1, 0, run));
    fit->gp->jitter_var = part.jitter_var;
    fit->gp->log_evidence = part.log_evidence;
    return UNA_OK;
}

/* Lengths, variances and noise once more, by how likely rows are given their neighbours among all. */
static una_status search_near(gp_search *fit, const una_hyper_plan *plan, una_run *run)
{
    const gp_options *o = fit->o;
    const una_problem *p = fit->f->problem;
    una_near_search near = { .gp = fit->gp, .plan = plan, .free_noise = UNA_IS_AUTO(o->common.noise_std),
                             .range = o->range, .seed = p->seed };
    if (p->x.rows <= fit->sample || o->length_prior > 0 || o->noise_prior > 0) return UNA_OK;
    UNA_TRY(una_near_search_run(&near, run));
    fit->f->target->result->steps += near.calls;
    if (near.calls > 0) UNA_SCOPED(run, judge_by_sample(fit, run));
    return UNA_OK;
}

/* By the evidence of a sample, then by neighbours; an answer then rests on the nearest rows. */
static una_status choose_by_sample(gp_search *fit, una_arena *keep)
{
    una_run *run = fit->f->run;
    size_t rows = fit->f->problem->x.rows, neighbours = 0;
    const una_hyper_plan plan = fit->plan;
    una_problem kept;
    if (fit->sample == 0 || fit->sample > rows) fit->sample = rows;
    if (fit->from) neighbours = fit->from->neighbours;
    else if (!UNA_IS_AUTO(fit->o->neighbours)) neighbours = (size_t)fit->o->neighbours;
    fit->gp->noise_var = fit->noise_var;
    UNA_SCOPED(run, search_some(fit, run));

    double evidence = fit->gp->log_evidence;             /* keep may be the scratch memory itself from here on */
    UNA_TRY(rows_to_keep(&kept, fit, run));
    UNA_TRY(una_gp_init_near(fit->gp, fit->gp->kernel, (una_gp_rows){ kept.x, kept.y, kept.weight }, neighbours, keep));
    fit->gp->log_evidence = evidence;
    UNA_TRY(search_near(fit, &plan, run));
    if (!fit->from && UNA_IS_AUTO(fit->o->neighbours))
        UNA_SCOPED(run, choose_neighbours(&fit->gp->neighbours, fit, &kept, run));
    return una_tick(run, "fitting gp", 1, fit->gp->log_evidence);
}

static void say_nearest(const gp_search *fit, una_fit_result *result)
{
    size_t rows = fit->f->problem->x.rows, kept = fit->gp->rows;
    if (!fit->near) return;
    una_notes_add(&result->notes, "Each answer rests on the %zu nearest rows.", fit->gp->neighbours);
    if (kept < rows)
        una_notes_add(&result->notes, "%zu of the %zu rows are kept, spread over the inputs; they are in the model and "
                      "its file.", kept, rows);
    else una_notes_add(&result->notes, "All %zu rows are kept in the model and its file.", rows);
}

static una_status choose_numbers(gp_search *fit, una_arena *keep)
{
    return fit->near ? choose_by_sample(fit, keep) : choose_by_all(fit);
}

/* The values that were chosen, as options that repeat the fit. */
static una_status fill_options(gp_options *o, const gp_search *fit)
{
    const una_gp *gp = fit->gp;
    una_text text = una_text_in(fit->f->keep);
    una_kernel_text(&text, gp->kernel, &fit->inputs);
    UNA_TRY(una_arena_check(fit->f->keep));
    o->kernel = text.at;
    o->amplitude = 1;
    o->optimise = NO;
    o->common.noise_std = sqrt(gp->noise_var) * fit->unit;
    o->jitter = fmin(1, gp->jitter_var / una_gp_prior_mean_var(gp));
    o->neighbours = (double)gp->neighbours;
    if (UNA_IS_AUTO(o->search_rows)) o->search_rows = (double)fit->sample;
    return UNA_OK;
}

/* noted: with sentences on what answers. */
static una_status fit_process(una_fitting *f, bool noted)
{
    una_gp *gp = f->target->state;
    gp_options *o = f->target->options;
    una_fit_result *result = f->target->result;
    gp_search fit = { .f = f, .o = o, .gp = gp };
    UNA_TRY(gp_begin(&fit, f->keep));
    UNA_TRY(choose_numbers(&fit, f->keep));
    result->noise_var = gp->noise_var;
    result->prior_var = una_gp_prior_mean_var(gp);
    result->log_evidence = gp->log_evidence;
    UNA_TRY(say_relevance(gp, result, f->keep));
    una_gp_note_jitter(&result->notes, gp, result->prior_var, UNA_IS_AUTO(o->jitter));
    if (noted) say_nearest(&fit, result);
    return fill_options(o, &fit);
}

static una_status gp_fit(una_fitting *f)
{
    return fit_process(f, true);
}

/* ---- the rest ---------------------------------------------------------------------------------------------------- */

static una_status gp_predict(const void *state, una_view x, una_predictive *out, una_run *run)
{
    const una_gp *gp = state;
    UNA_TRY(una_gp_predict(gp, x, out->mean, out->mean_only ? NULL : out->var_model, run));
    for (size_t r = 0; r < x.rows; r++) out->var_noise[r] = gp->noise_var;
    return UNA_OK;
}

static una_status gp_observe(void *state, const una_problem *more, una_fit_result *result, una_arena *keep,
                             una_run *run)
{
    una_gp *gp = state;
    una_status status = una_gp_append(gp, (una_gp_rows){ more->x, more->y, more->weight }, keep, run);
    result->log_evidence = gp->log_evidence;
    return status;
}

static una_status gp_rescale(void *state, double factor, una_fit_result *result, una_arena *keep, una_run *run)
{
    una_gp *gp = state;
    (void)keep;
    UNA_TRY(una_gp_rescale(gp, factor, run));
    result->noise_var = gp->noise_var;
    result->log_evidence = gp->log_evidence;
    return UNA_OK;
}

static bool same_inputs(const una_gp *gp, size_t row, const double *x)
{
    size_t d = 0;
    while (d < gp->inputs && gp->x[row * gp->inputs + d] == x[d]) d++;
    return d == gp->inputs;
}

/* order [rows]: by their targets. */
static bool gp_has(const una_gp *gp, const size_t *order, const double *x, double y)
{
    size_t low = 0, high = gp->rows;
    while (low < high) {                                 /* the first whose target is not less */
        size_t middle = low + (high - low) / 2;
        if (gp->y[order[middle]] < y) low = middle + 1;
        else high = middle;
    }
    for (; low < gp->rows && gp->y[order[low]] == y; low++)
        if (same_inputs(gp, order[low], x)) return true;
    return false;
}

static una_status gp_holds(const void *state, una_view x, const double *y, bool *kept, una_run *run)
{
    const una_gp *gp = state;
    const size_t *order = una_order_of(gp->y, gp->rows, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t r = 0; r < x.rows; r++) kept[r] = kept[r] || gp_has(gp, order, x.at + r * x.stride, y[r]);
    return UNA_OK;
}

static una_status gp_slope(const void *state, const double *x, una_slope *at, una_run *run)
{
    return una_gp_slope(state, x, &at->mean, &at->var, at->dmean, at->dvar, run);
}

/* Keeps the kernel and the form; noise_std=auto: by evidence. The spec of an older model does not say the form. */
static una_status gp_relearn(una_fitting *f)
{
    gp_options *o = f->target->options;
    const una_gp *before = f->target->state;
    int optimise = o->optimise;
    if (UNA_IS_AUTO(o->neighbours)) o->neighbours = (double)before->neighbours;
    o->optimise = NO;
    una_status status = fit_process(f, false);
    o->optimise = optimise;
    return status;
}

static una_status search_from_state(una_fitting *f)
{
    una_gp part = {0};
    gp_search fit = { .f = f, .o = f->target->options, .gp = &part, .from = f->target->state };
    UNA_TRY(gp_begin(&fit, &f->run->scratch));
    UNA_TRY(choose_numbers(&fit, &f->run->scratch));
    say_nearest(&fit, f->target->result);
    return fill_options(f->target->options, &fit);
}

/* Searches lengths, variances and noise again, from the state's values. */
static una_status gp_choose_again(una_fitting *f)
{
    if (((gp_options *)f->target->options)->optimise != NO) UNA_SCOPED(f->run, search_from_state(f));
    return UNA_OK;
}

static una_status gp_check_rows(size_t rows, una_run *run)
{
    return rows > EXACT_ROWS ? UNA_OK : una_gp_memory(rows, 2, run);
}

const una_kind una_kind_gp = {
    .name = "gp",
    .summary = "Gaussian process, beyond 2000 rows of the nearest ones; lengths, variances and noise by maximum evidence",
    .source = "Rasmussen and Williams, Gaussian processes for machine learning, 2006",
    .options = gp_table,
    .options_size = sizeof(gp_options),
    .state_size = sizeof(una_gp),
    .thesis = "kernel=rbf, ard=no, optimise=grid, grid=[0.001, 0.01, 0.1, 1, 5, 10], grid_rule=validation, "
              "amplitude=1, units=standardised, noise=constant, neighbours=0",
    .results = 5,
    .least_rows = 2,
    .oof_rows = OOF_ROWS,
    .committee = &una_committee_calls,
    .fit = gp_fit,
    .predict = gp_predict,
    .exchange = una_gp_exchange,
    .observe = gp_observe,
    .rescale = gp_rescale,
    .relearn = gp_relearn,
    .search = gp_choose_again,
    .check_rows = gp_check_rows,
    .draw = una_gp_draws,
    .slope = gp_slope,
    .holds = gp_holds,
};
