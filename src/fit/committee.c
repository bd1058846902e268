/* SPDX-License-Identifier: MIT
 *
 * Several trainings of a kind as one mixture: who leaves out what, what they say of it, what follows. See committee.h.
 */
#include "fit/committee.h"

#include "fit/basis.h"
#include "fit/held.h"
#include "fit/regions.h"
#include "fit/relevance.h"
#include "fit/said.h"
#include "model/split.h"

#include <string.h>

/* ---- options ---------------------------------------------------------------------------------------------------- */

static una_committee_options *own(const una_kind *one, void *options)
{
    return (una_committee_options *)(void *)((unsigned char *)options + one->committee);
}

static double *number(const una_kind *one, void *options, const char *name)
{
    return una_option_number(options, one->options, name);
}

static bool is_given(const una_kind *one, void *options, const char *name)
{
    const double *at = number(one, options, name);
    return at && !UNA_IS_AUTO(*at);
}

static void set_number(const una_kind *one, void *options, const char *name, double value)
{
    double *at = number(one, options, name);
    if (at) *at = value;
}

/* What the table has no row for is not the user's to choose. */
static una_committee_options *completed(const una_kind *one, void *options)
{
    una_committee_options *o = own(one, options);
    if (!number(one, options, "members")) o->members = 1;
    if (!una_option_word(options, one->options, "relevance")) o->relevance = UNA_RELEVANCE_OFF;
    if (!una_option_word(options, one->options, "noise")) o->noise = UNA_NOISE_CONSTANT;
    return o;
}

/* How many standard deviations of the target one unit of noise_std is. */
static double unit_of(const una_kind *one, void *options, const una_problem *p)
{
    const int *units = una_option_word(options, one->options, "units");
    return una_unit(units ? *units : 0, p);
}

/* ---- the rule for members ------------------------------------------------------------------------------------- */

enum { FEW_ROWS = 2000, ROUNDS_OF_FEW = 4, ROUNDS_OF_FOLDS = 2, MEMBERS_HELD_OUT = 4 };

/* Few rows: trainings are cheap, and chance is most of what they differ by. */
static size_t members_rule(const una_problem *p)
{
    if (p->folds) return p->folds * (una_table_rows(p) < FEW_ROWS ? ROUNDS_OF_FEW : ROUNDS_OF_FOLDS);
    return p->valid_x.rows == 0 ? 1 : MEMBERS_HELD_OUT;
}

/* Lengths of a process on some rows say too little of many: scaled inputs were worse there. */
static bool scales(const una_committee_options *o, const una_problem *p, bool alone)
{
    if (o->relevance == UNA_RELEVANCE_AUTO) return !alone && una_table_rows(p) < FEW_ROWS;
    return o->relevance == UNA_RELEVANCE_ON;
}

/* ---- the problem as it is, and with scaled inputs ------------------------------------------------------------- */

typedef struct sides {
    una_problem plain, scaled;
    double     *scale;                   /* NULL: there is no other side                                    */
    una_held    plain_rows, scaled_rows; /* in float, where trainings share them                            */
} sides;

static const una_problem *side_of(const sides *s, bool scaled)
{
    return scaled ? &s->scaled : &s->plain;
}

static bool tells_apart(const double *scale, size_t inputs)
{
    for (size_t d = 0; d < inputs; d++)
        if (fabs(scale[d] - 1) > 1e-9) return true;
    return false;
}

/* Held-out rows that join stand behind the others, in one block, as model.c has them: all_rows goes by it. */
static una_status scale_rows(sides *s, una_run *run)
{
    const una_problem *p = &s->plain;
    if (!p->valid_joins) {
        UNA_TRY(una_scaled(&s->scaled.x, p->x, s->scale, run));
        return p->valid_x.rows ? una_scaled(&s->scaled.valid_x, p->valid_x, s->scale, run) : UNA_OK;
    }

    una_view all = p->x;
    all.rows += p->valid_x.rows;
    UNA_TRY(una_scaled(&all, all, s->scale, run));
    s->scaled.x = (una_view){ all.at, p->x.rows, all.cols, all.stride };
    s->scaled.valid_x = (una_view){ all.at + p->x.rows * all.stride, p->valid_x.rows, all.cols, all.stride };
    return UNA_OK;
}

static una_status take_sides(sides *s, const una_problem *p, bool relevance, una_fit_result *result, una_arena *keep,
                             una_run *run)
{
    *s = (sides){ .plain = *p, .scaled = *p };
    if (!relevance) return UNA_OK;
    double *scale = UNA_GET(keep, double, p->x.cols);
    UNA_TRY(una_arena_check(keep));
    UNA_TRY(una_relevance_learn(scale, p, run));
    result->relevance = scale;
    if (!tells_apart(scale, p->x.cols)) return UNA_OK;
    s->scale = scale;
    s->scaled.shared = NULL;                             /* those are not scaled */
    return scale_rows(s, run);
}

/* Rows in float that all trainings of a side share: without folds they all have the same. */
static una_status share_rows(sides *s, bool plain, bool scaled, una_run *run)
{
    if (s->plain.folds || s->plain.valid_x.rows == 0) return UNA_OK;
    if (plain) UNA_TRY(una_held_split(&s->plain_rows, &s->plain, SIZE_MAX, &run->scratch));
    if (scaled) UNA_TRY(una_held_split(&s->scaled_rows, &s->scaled, SIZE_MAX, &run->scratch));
    if (plain) s->plain.shared = &s->plain_rows;
    if (scaled) s->scaled.shared = &s->scaled_rows;
    return UNA_OK;
}

/* ---- seats: trainings, and what they say of rows they have not seen ------------------------------------------- */

typedef struct seat {
    una_arena arena;
    void     *state, *options;
    una_fit_result result;
    size_t    round, number;             /* number: of its random numbers                                   */
    bool      scaled;
    const unsigned char *part;           /* [rows] the rows with `leaves` are left out; NULL: the held-out ones */
    unsigned char leaves;
    size_t    block;                     /* of rows that it speaks of: regions are told apart               */
    size_t    held;
    double   *mean, *var;                /* [held]                                                          */
} seat;

typedef struct committee {
    const una_kind *one;
    const void     *options;             /* as they were given                                              */
    const sides    *sides;
    seat           *seat;
    size_t          count;
    double          steps_share;         /* of the steps that the options say                               */
    double          noise_var, prior_var;        /* for judging again                                       */
    const una_noise *noise;
} committee;

/* The rows of a seat: those that train are x, those that it leaves out are valid_x. */
static una_status rows_of(una_problem *p, const committee *c, const seat *s, una_arena *arena)
{
    *p = *side_of(c->sides, s->scaled);
    p->seed = una_member_seed(p->seed, s->number);
    p->valid_joins = false;
    if (!s->part) return UNA_OK;
    p->fold = s->part;
    return una_held_fold(p, s->leaves, arena);
}

static una_status foretell(seat *s, const una_kind *one, const void *state, const una_problem *p, una_run *run)
{
    s->held = p->valid_x.rows;
    if (s->held == 0) return UNA_OK;
    if (!s->mean) s->mean = UNA_GET(&s->arena, double, s->held), s->var = UNA_GET(&s->arena, double, s->held);
    double *noise = UNA_GET(&run->scratch, double, s->held);
    UNA_TRY(una_arena_check(&s->arena));
    UNA_TRY(una_arena_check(&run->scratch));
    una_predictive out = { .mean = s->mean, .var_model = s->var, .var_noise = noise };
    return one->predict(state, p->valid_x, &out, run);
}

/* A training's options: those of all, and what its round varies. Noise and prior variance are chosen later, for all,
 * and must not move the training: passed back, they give the same. */
static una_status seat_options(seat *s, const committee *c)
{
    const una_kind *one = c->one;
    s->options = una_arena_get(&s->arena, 1, one->options_size);
    UNA_TRY(una_arena_check(&s->arena));
    memcpy(s->options, c->options, one->options_size);

    if (one->vary) one->vary(s->options, s->round);
    if (!is_given(one, s->options, "restarts")) set_number(one, s->options, "restarts", 1);
    set_number(one, s->options, "noise_std", UNA_AUTO);
    set_number(one, s->options, "prior_var", 1);
    return UNA_OK;
}

static una_status train_seat(void *context, size_t index, una_run *run)
{
    const committee *c = context;
    seat *s = &c->seat[index];
    una_problem p;
    UNA_TRY(seat_options(s, c));
    double *steps = number(c->one, s->options, "steps");
    if (c->steps_share < 1 && steps && !UNA_IS_AUTO(*steps)) *steps = fmax(1, floor(*steps * c->steps_share));

    s->state = una_arena_get(&s->arena, 1, c->one->state_size);
    UNA_TRY(una_arena_check(&s->arena));
    s->result = una_fit_result_in(&s->arena);
    UNA_TRY(rows_of(&p, c, s, &run->scratch));
    UNA_TRY(c->one->fit(s->state, s->options, &p, &s->result, &s->arena, run));
    UNA_TRY(una_arena_check(&s->arena));
    return foretell(s, c->one, s->state, &p, run);
}

/* Of a shallow copy: relearning writes to the state alone, not to what it points at. */
static una_status relearnt(void **state, const committee *c, const seat *s, double noise_var, double prior_var,
                           const una_problem *p, una_run *run)
{
    const una_kind *one = c->one;
    void *options = una_arena_get(&run->scratch, 1, one->options_size);
    *state = una_arena_get(&run->scratch, 1, one->state_size);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(*state, s->state, one->state_size);
    memcpy(options, s->options, one->options_size);

    set_number(one, options, "noise_std", sqrt(noise_var) / unit_of(one, options, p));
    if (!UNA_IS_AUTO(prior_var)) set_number(one, options, "prior_var", prior_var);
    una_fit_result result = una_fit_result_in(&run->scratch);
    return one->relearn(*state, options, p, &result, &run->scratch, run);
}

/* The same rows, by a posterior with the committee's noise and prior variance. */
static una_status foretell_again(void *context, size_t index, una_run *run)
{
    const committee *c = context;
    seat *s = &c->seat[index];
    una_problem p;
    void *state;
    UNA_TRY(rows_of(&p, c, s, &run->scratch));
    UNA_TRY(relearnt(&state, c, s, c->noise_var, c->prior_var, &p, run));
    return foretell(s, c->one, state, &p, run);
}

/* ---- the scale of ignorance, by regions left out ---------------------------------------------------------------- */

enum { PRIORS = 13, REGIONS = 3, REGIONS_OF_LINE = 6, SCOUTS = 2, MOST_REGION_ROWS = 20000, LEAST_REGION_ROWS = 30 };
static const double SCOUT_STEPS = 0.5;   /* of a member's                                                   */
static const double LEAST_GAIN = 0.01;   /* of log-likelihood per row in the regions: more ignorance must pay   */
static const double MOST_LOSS = 0.03;    /* of log-likelihood per row where there is data                   */

static double prior_at(size_t index)
{
    return pow(10, -2 + 0.25 * (double)index);
}

static void gather(una_said *said, const committee *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const seat *s = &c->seat[i];
        size_t rows = s->part ? c->sides->plain.x.rows : c->sides->plain.valid_x.rows;
        double *mean = said->mean + s->round * said->rows + s->block * rows;
        double *var = said->var + s->round * said->rows + s->block * rows;
        for (size_t row = 0, next = 0; next < s->held; row++) {
            if (s->part && s->part[row] != s->leaves) continue;
            mean[row] = s->mean[next];
            var[row] = s->var[next++];
        }
    }
}

static una_status say_again(una_said *said, committee *c, double prior_var, una_run *run)
{
    c->prior_var = prior_var;
    UNA_TRY(una_jobs_again(run, c->seat, sizeof *c->seat, c->count, foretell_again, c));
    gather(said, c);
    return UNA_OK;
}

/* Trainings without each region, two of each that differ as rounds do, shorter than a member's. */
static una_status send_scouts(committee *scouts, const committee *members, const unsigned char *inside, size_t regions,
                              una_run *run)
{
    size_t rows = members->sides->plain.x.rows;
    *scouts = *members;
    scouts->options = members->seat[0].options;          /* with its steps filled in */
    scouts->count = 0;
    scouts->seat = UNA_GET(&run->scratch, seat, SCOUTS * regions);
    scouts->steps_share = SCOUT_STEPS;
    UNA_TRY(una_arena_check(&run->scratch));
    scouts->count = SCOUTS * regions;

    for (size_t k = 0; k < scouts->count; k++) {
        size_t region = k / SCOUTS, round = k % SCOUTS;
        const seat *like = &members->seat[round ? members->count - 1 : 0];
        scouts->seat[k] = (seat){ .round = round, .number = members->count + k, .part = inside + region * rows,
                                  .leaves = 1, .block = region, .scaled = like->scaled };
    }
    return una_jobs_run(run, scouts->seat, sizeof *scouts->seat, scouts->count, train_seat, scouts);
}

/* The prior variance under which rows of left-out regions are most likely, of those that cost little where there is
 * data. */
static una_status weigh_priors(double *prior_var, committee *scouts, una_said *beside, committee *members,
                               una_said *within, una_fit_result *result, una_run *run)
{
    double there[PRIORS], z2[PRIORS], here[PRIORS], most = -HUGE_VAL;
    size_t best = SIZE_MAX;
    for (size_t g = 0; g < PRIORS; g++) {
        UNA_TRY(say_again(beside, scouts, prior_at(g), run));
        UNA_TRY(say_again(within, members, prior_at(g), run));
        there[g] = una_said_fit(beside, members->noise_var, &z2[g]);
        here[g] = una_said_fit(within, members->noise_var, NULL);
        most = fmax(most, here[g]);
    }
    for (size_t g = 0; g < PRIORS; g++)
        if (here[g] > most - MOST_LOSS && (best == SIZE_MAX || there[g] > there[best] + LEAST_GAIN)) best = g;
    *prior_var = prior_at(best);
    una_notes_add(&result->notes, "Ignorance was checked on %zu left-out regions: mean z^2 %.2f there (1 is right).",
                  scouts->count / SCOUTS, z2[best]);
    return UNA_OK;
}

static una_status choose_prior(double *prior_var, committee *members, una_said *within, una_fit_result *result,
                               una_run *run)
{
    const una_problem *p = &members->sides->plain;
    size_t rows = p->x.rows, regions;
    unsigned char *inside;
    committee scouts;
    una_said beside;
    *prior_var = 1;
    UNA_TRY(una_regions_cut(&inside, &regions, p->x.cols == 1 ? REGIONS_OF_LINE : REGIONS, p->x, p->columns,
                            members->sides->scale, p->seed, &run->scratch, run));
    if (regions == 0) return UNA_OK;
    double *y = UNA_GET_ROWS(&run->scratch, double, regions * rows);
    UNA_TRY(una_arena_check(&run->scratch));
    for (size_t k = 0; k < regions; k++) memcpy(y + k * rows, p->y, rows * sizeof *y);
    UNA_TRY(una_said_init(&beside, SCOUTS, regions * rows, y, &run->scratch));
    beside.samples = true;
    beside.sorts = 1;
    for (size_t r = 0; r < SCOUTS; r++) beside.sort[r] = 0;

    una_status status = send_scouts(&scouts, members, inside, regions, run);
    una_progress_part(run, 1, 1);                        /* of what follows nothing takes long */
    if (status == UNA_OK) status = weigh_priors(prior_var, &scouts, &beside, members, within, result, run);
    for (size_t k = 0; k < scouts.count; k++) result->steps += scouts.seat[k].result.steps;
    una_jobs_free(scouts.seat, sizeof *scouts.seat, scouts.count);
    return status;
}

/* The scale of ignorance is to be found, and there are rows for it. */
static bool wants_prior(const una_kind *one, void *options, const una_problem *p)
{
    return number(one, options, "prior_var") && !is_given(one, options, "prior_var") && one->relearn &&
           p->x.rows <= MOST_REGION_ROWS && p->x.rows >= LEAST_REGION_ROWS;
}

/* ---- what follows from what was foretold ------------------------------------------------------------------------- */

static una_status learn_shape(una_noise **noise, una_said *said, const una_problem *p, bool must, una_arena *keep,
                              una_run *run)
{
    enum { PARTS = 5 };
    una_view x = p->folds ? p->x : p->valid_x;
    size_t rows = 0, cols = x.cols;
    double *at = UNA_GET_ROWS(&run->scratch, double, x.rows * cols), *y = UNA_GET_ROWS(&run->scratch, double, x.rows);
    double *mean = UNA_GET_ROWS(&run->scratch, double, x.rows), *var = UNA_GET_ROWS(&run->scratch, double, x.rows);
    unsigned char *part = UNA_GET_ROWS(&run->scratch, unsigned char, x.rows);
    UNA_TRY(una_arena_check(&run->scratch));

    for (size_t i = 0; i < x.rows; i++) {
        if (!una_said_middle(said, i, &mean[rows], &var[rows])) continue;
        memcpy(at + rows * cols, x.at + i * x.stride, cols * sizeof *at);
        y[rows] = said->y[i];
        part[rows] = p->folds ? p->fold[i] : (unsigned char)(rows % PARTS);
        rows++;
    }
    una_foretold told = { { at, rows, cols, cols }, y, mean, var, part, p->folds ? p->folds : PARTS };
    UNA_TRY(una_noise_learn(noise, &told, must, keep, run));
    if (!*noise) return UNA_OK;

    said->shape = UNA_GET_ROWS(&run->scratch, double, x.rows);
    UNA_TRY(una_arena_check(&run->scratch));
    una_noise_shape(*noise, x, said->shape);
    return UNA_OK;
}

static void score(const una_said *said, double noise_var, una_fit_result *result)
{
    double square = 0, log_lik = 0, mean, var;
    size_t rows = 0;
    for (size_t i = 0; i < said->rows; i++) {
        if (!una_said_middle(said, i, &mean, &var)) continue;
        double own = una_said_log_lik(said, i, noise_var);
        if (result->foretold) result->foretold[i] = own;
        square += (said->y[i] - mean) * (said->y[i] - mean);
        log_lik += own;
        rows++;
    }
    result->valid_rows = rows;
    result->valid_rmse = sqrt(square / (double)rows);
    result->valid_log_lik = log_lik / (double)rows;
}

typedef struct chosen { double noise_var, prior_var; una_noise *noise; } chosen;

static una_status choose(chosen *out, una_said *said, committee *c, void *options, una_fit_result *result,
                         una_arena *keep, una_run *run)
{
    const una_kind *one = c->one;
    const una_committee_options *o = own(one, options);
    const una_problem *p = &c->sides->plain;
    bool noise_given = is_given(one, options, "noise_std");

    gather(said, c);
    double noise_var = una_said_noise(said);
    if (o->weights == UNA_WEIGHTS_STACKED) {
        UNA_TRY(una_said_weigh(said, noise_var, run));
        noise_var = una_said_noise(said);
    }

    /* The scale of ignorance: all that a prior variance decides away from the data. */
    out->prior_var = 1;
    if (is_given(one, options, "prior_var")) out->prior_var = *number(one, options, "prior_var");
    else if (wants_prior(one, options, p)) {
        c->noise_var = noise_var;
        UNA_TRY(choose_prior(&out->prior_var, c, said, result, run));
    }
    una_progress_part(run, 1, 1);                        /* nothing takes long any more */
    c->noise_var = noise_var;
    if (one->relearn) UNA_TRY(say_again(said, c, out->prior_var, run));

    if (o->noise == UNA_NOISE_VARYING || (o->noise == UNA_NOISE_AUTO && !noise_given))
        UNA_TRY(learn_shape(&out->noise, said, p, o->noise == UNA_NOISE_VARYING, keep, run));
    out->noise_var = noise_given ? pow(*number(one, options, "noise_std") * unit_of(one, options, p), 2)
                                 : una_said_noise(said);
    score(said, out->noise_var, result);
    return UNA_OK;
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

/* All rows of a side: those held out, which stand behind the others, too if they join. */
static void all_rows(una_problem *p, const una_problem *side)
{
    *p = *side;
    if (side->valid_joins) p->x.rows += side->valid_x.rows;
    p->valid_x.rows = p->folds = 0;
    p->fold = NULL;
    p->shared = NULL;
}

/* Posteriors of all rows. A kind that cannot relearn takes the rows that it left out in, or does without them. */
static una_status settle(una_members *m, size_t index, const seat *s, const committee *c, const chosen *by,
                         void *options, const double *weight, una_fit_result *result, una_arena *keep, una_run *run)
{
    const una_kind *one = c->one;
    una_member *member = &m->at[index];
    una_problem p;
    void *own_options = una_arena_get(&run->scratch, 1, one->options_size);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_state_copy(&member->state, one, s->state, m->inputs, keep, run));
    (void)options;

    all_rows(&p, side_of(c->sides, s->scaled));
    if (one->relearn) {
        memcpy(own_options, s->options, one->options_size);
        set_number(one, own_options, "noise_std", sqrt(by->noise_var) / unit_of(one, own_options, &p));
        set_number(one, own_options, "prior_var", by->prior_var);
        p.weight = weight;
        return one->relearn(member->state, own_options, &p, result, keep, run);
    }

    if (!one->observe || (!s->part && !c->sides->plain.valid_joins)) return UNA_OK;
    UNA_TRY(rows_of(&p, c, s, &run->scratch));
    p.x = p.valid_x;
    p.y = p.valid_y;
    return one->observe(member->state, &p, result, keep, run);
}

static una_status weights_of(const double **weight, const una_noise *noise, const sides *s, una_run *run)
{
    una_problem p;
    *weight = NULL;
    if (!noise) return UNA_OK;
    all_rows(&p, &s->plain);
    double *w = UNA_GET_ROWS(&run->scratch, double, p.x.rows);
    UNA_TRY(una_arena_check(&run->scratch));
    una_noise_shape(noise, p.x, w);
    for (size_t i = 0; i < p.x.rows; i++) w[i] = 1 / w[i];
    *weight = w;
    return UNA_OK;
}

/* Sentences that differ in their numbers, or after a colon, in the remedy, are one: every training has its own. */
static bool alike(const char *a, const char *b)
{
    const char *digits = "0123456789.";
    for (; a += strspn(a, digits), b += strspn(b, digits), *a && *a != ':' && *a == *b; a++) b++;
    return *a == *b;
}

static bool is_new(const una_notes *notes, const char *text)
{
    for (size_t i = 0; i < notes->count; i++)
        if (alike(notes->text[i], text)) return false;
    return true;
}

static void pass_on(una_notes *to, const una_notes *from)
{
    for (size_t i = 0; i < from->count; i++)
        if (is_new(to, from->text[i])) una_notes_add(to, "%s", from->text[i]);
}

static una_status keep_seats(una_members *m, const committee *c, const una_said *said, const chosen *by, void *options,
                             una_fit_result *result, una_arena *keep, una_run *run)
{
    const double *weight;
    double evidence = 0, total = 0;
    UNA_TRY(weights_of(&weight, by->noise, c->sides, run));

    for (size_t i = 0; i < c->count; i++) {
        const seat *s = &c->seat[i];
        m->at[i] = (una_member){ .kind = c->one, .scale = s->scaled ? c->sides->scale : NULL,
                                 .weight = said->weight[s->round] };
        total += m->at[i].weight;
    }
    for (size_t i = 0; i < c->count; i++) {
        una_mark mark = una_arena_mark(&run->scratch);
        una_fit_result own_result = una_fit_result_in(&run->scratch);
        own_result.log_evidence = c->seat[i].result.log_evidence;
        m->at[i].weight /= total;
        UNA_TRY(settle(m, i, &c->seat[i], c, by, options, weight, &own_result, keep, run));
        evidence += m->at[i].weight * own_result.log_evidence;
        if (is_given(c->one, options, "noise_std")) pass_on(&result->warnings, &own_result.warnings);
        pass_on(&result->notes, &own_result.notes);
        una_arena_release(&run->scratch, mark);
    }

    m->noise_var = result->noise_var = by->noise_var;
    m->noise = by->noise;
    result->prior_var = number(c->one, options, "prior_var") ? by->prior_var : c->seat[0].result.prior_var;
    result->log_evidence = evidence;
    return UNA_OK;
}

/* ---- what a person is told --------------------------------------------------------------------------------------- */

/* Automatic numbers on which all trainings agree: those by which the fit can be repeated. */
static void fill_in(void *options, const committee *c)
{
    for (const una_option *row = c->one->options; row->name; row++) {
        double *at = una_option_number(options, c->one->options, row->name);
        bool agree = at && UNA_IS_AUTO(*at);
        for (size_t i = 0; agree && i < c->count; i++)
            agree = *una_option_number(c->seat[i].options, c->one->options, row->name) ==
                    *una_option_number(c->seat[0].options, c->one->options, row->name);
        if (agree) *at = *una_option_number(c->seat[0].options, c->one->options, row->name);
    }
}

static una_status report(void *options, const committee *c, const una_members *m, una_fit_result *result,
                         una_arena *keep)
{
    const una_curve *curve = &c->seat[0].result.curve;
    size_t n = curve->count;
    double cos2 = 0;
    for (size_t i = 0; i < c->count; i++) {
        const una_fit_result *own_result = &c->seat[i].result;
        result->steps += own_result->steps;
        cos2 += own_result->mean_cos2 / (double)c->count;
        pass_on(&result->warnings, &own_result->warnings);
        if (i == 0) pass_on(&result->notes, &own_result->notes);
    }
    result->mean_cos2 = cos2;
    result->curve = (una_curve){ n, una_held_copy(curve->step, n, keep), una_held_copy(curve->loss, n, keep),
                                 una_held_copy(curve->valid_log_lik, n, keep),
                                 una_held_copy(curve->mean_cos2, n, keep) };
    fill_in(options, c);
    set_number(c->one, options, "noise_std", sqrt(m->noise_var) / unit_of(c->one, options, &c->sides->plain));
    set_number(c->one, options, "prior_var", result->prior_var);
    own(c->one, options)->noise = m->noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    return una_arena_check(keep);
}

/* ---- the whole fit ----------------------------------------------------------------------------------------------- */

static una_status take_members(una_members *m, const una_kind *one, size_t count, const una_problem *p, una_arena *keep)
{
    *m = (una_members){ .count = count, .inputs = p->x.cols, .at = UNA_GET(keep, una_member, count) };
    UNA_TRY(una_arena_check(keep));
    for (size_t i = 0; i < count; i++) m->at[i] = (una_member){ .kind = one, .weight = 1 / (double)count };
    return UNA_OK;
}

/* One training with the cross-fitting of its kind: nothing is foretold. */
static una_status fit_alone(una_members *m, const una_kind *one, void *options, const una_anchor *anchor,
                            const sides *s, bool scaled, una_fit_result *result, una_arena *keep, una_run *run)
{
    UNA_TRY(take_members(m, one, 1, &s->plain, keep));
    m->at[0].scale = scaled ? s->scale : NULL;
    m->at[0].state = una_arena_get(keep, 1, one->state_size);
    UNA_TRY(una_arena_check(keep));
    if (one->vary) one->vary(options, 0);
    if (anchor) return one->fit_anchored(m->at[0].state, options, anchor, side_of(s, scaled), result, keep, run);
    return one->fit(m->at[0].state, options, side_of(s, scaled), result, keep, run);
}

/* Rounds with scaled inputs, and rounds without. */
static void sort_rounds(una_said *said, const committee *c)
{
    bool any[2] = { false, false };
    for (size_t i = 0; i < c->count; i++) any[c->seat[i].scaled] = true;
    for (size_t i = 0; i < c->count; i++) said->sort[c->seat[i].round] = any[0] && c->seat[i].scaled;
    said->sorts = any[0] && any[1] ? 2 : 1;
}

static una_status fit_seats(una_members *m, committee *c, void *options, una_fit_result *result, una_arena *keep,
                            una_run *run)
{
    const una_problem *p = &c->sides->plain;
    una_said said;
    chosen by = {0};
    size_t rounds = c->seat[c->count - 1].round + 1;
    double share = wants_prior(c->one, options, p) ? 0.8 : 1;
    una_span before = una_progress_part(run, 0, share);
    una_status status = una_jobs_run(run, c->seat, sizeof *c->seat, c->count, train_seat, c);
    una_progress_back(run, before);
    UNA_TRY(status);
    una_progress_part(run, share, 1);                    /* una_committee_fit takes it back */
    UNA_TRY(una_said_init(&said, rounds, p->folds ? p->x.rows : p->valid_x.rows, p->folds ? p->y : p->valid_y,
                          &run->scratch));
    said.samples = p->folds > 0;
    if (said.samples) sort_rounds(&said, c);
    UNA_TRY(choose(&by, &said, c, options, result, keep, run));
    UNA_TRY(take_members(m, c->one, c->count, p, keep));
    UNA_TRY(keep_seats(m, c, &said, &by, options, result, keep, run));
    return report(options, c, m, result, keep);
}

/* One training, by which no row is foretold in the end: after folds it trains on all rows, and so does a sampler after
 * rows were held out, which it could not take in otherwise. */
static bool is_alone(const una_kind *one, void *options, const una_problem *p)
{
    const una_committee_options *o = own(one, options);
    bool given = is_given(one, options, "noise_std");
    bool constant = o->noise == UNA_NOISE_CONSTANT || (o->noise == UNA_NOISE_AUTO && given);
    bool trains_again = p->folds > 0 || (one->mixture && o->noise != UNA_NOISE_VARYING);
    return o->members <= 1 && (constant || trains_again || p->valid_x.rows == 0);
}

static const double RELEVANCE_SHARE = 0.05;      /* of the progress */

static una_status fit_trained(una_members *m, const una_kind *one, void *options, const una_problem *p,
                              una_fit_result *result, una_arena *keep, una_run *run)
{
    una_committee_options *o = own(one, options);
    bool left_out = p->folds > 0 || p->valid_x.rows > 0;         /* rows by which members could be told apart */
    if (UNA_IS_AUTO(o->members) || !left_out) o->members = (double)members_rule(p);
    size_t count = (size_t)o->members;
    bool alone = is_alone(one, options, p);
    if (alone && o->noise == UNA_NOISE_VARYING)
        UNA_FAIL(run, UNA_E_USAGE, "%s: noise=varying is learnt from rows that a training has not seen, and with "
                 "members=1 and so few rows (%zu) there are none in the end; use members=5 or more", one->name,
                 p->x.rows);
    bool relevance = scales(o, p, alone);
    sides s;
    una_span before = una_progress_part(run, 0, RELEVANCE_SHARE);
    una_status status = take_sides(&s, p, relevance, result, keep, run);
    una_progress_back(run, before);
    UNA_TRY(status);
    una_progress_part(run, relevance ? RELEVANCE_SHARE : 0, 1);
    if (alone) {
        o->noise = UNA_NOISE_CONSTANT;
        return fit_alone(m, one, options, NULL, &s, s.scale != NULL, result, keep, run);
    }

    committee c = { .one = one, .options = options, .sides = &s, .count = count, .steps_share = 1,
                    .seat = UNA_GET(&run->scratch, seat, count) };
    UNA_TRY(una_arena_check(&run->scratch));
    bool plain = false, scaled = false;
    for (size_t i = 0; i < count; i++) {
        seat *at = &c.seat[i];
        *at = (seat){ .round = p->folds ? i / p->folds : i, .number = i, .part = p->folds ? p->fold : NULL,
                      .leaves = (unsigned char)(p->folds ? i % p->folds : 0) };
        at->scaled = s.scale && (o->relevance == UNA_RELEVANCE_ON || at->round / 2 % 2 == 0);
        *(at->scaled ? &scaled : &plain) = true;
    }
    UNA_TRY(share_rows(&s, plain, scaled, run));

    status = fit_seats(m, &c, options, result, keep, run);
    una_jobs_free(c.seat, sizeof *c.seat, count);
    return status;
}

/* ---- kinds whose features have not seen the target --------------------------------------------------------------- */

/* Folds that the problem has, or of its own: rows with equal inputs share one. */
static una_status need_folds(una_problem *p, una_run *run)
{
    una_copies copies;
    unsigned char *fold;
    if (p->folds || p->valid_x.rows) return UNA_OK;
    p->folds = UNA_FOLDS;
    UNA_TRY(una_split_copies(&copies, p->x, run));
    UNA_TRY(una_fold_rows(&fold, &p->folds, &copies, p->x.rows, una_rng_at(p->seed, UNA_FOR_FOLDS, 0), run));
    p->fold = fold;
    return UNA_OK;
}

/* Foretelling goes by a rounded noise: a spec passed back finds it again to some digits only, and must foretell the
 * same to the bit. */
static double rounded(double noise_var)
{
    const double digits = 8;
    return exp(floor(digits * log(noise_var) + 0.5) / digits);
}

/* What the posterior says of each fold without its rows, or of the rows held out. */
static una_status foretell_whole(una_said *said, committee *c, void *state, const una_fit_result *result, una_run *run)
{
    const una_problem *p = &c->sides->plain;
    for (size_t i = 0; i < c->count; i++)
        c->seat[i] = (seat){ .state = state, .options = (void *)c->options, .part = p->folds ? p->fold : NULL,
                             .leaves = (unsigned char)i };
    c->noise_var = rounded(result->noise_var);
    c->prior_var = result->prior_var;
    UNA_TRY(una_said_init(said, 1, p->folds ? p->x.rows : p->valid_x.rows, p->folds ? p->y : p->valid_y,
                          &run->scratch));
    una_status status = una_jobs_run(run, c->seat, sizeof *c->seat, c->count, foretell_again, c);
    if (status == UNA_OK) gather(said, c);
    una_jobs_free(c->seat, sizeof *c->seat, c->count);
    return status;
}

static una_status take_in(una_members *m, const sides *s, void *options, bool free_noise, una_fit_result *result,
                          una_arena *keep, una_run *run)
{
    const una_kind *one = m->at[0].kind;
    una_problem p;
    all_rows(&p, &s->plain);
    UNA_TRY(weights_of(&p.weight, m->noise, s, run));
    if (free_noise) set_number(one, options, "noise_std", UNA_AUTO);
    UNA_TRY(one->relearn(m->at[0].state, options, &p, result, keep, run));
    m->noise_var = m->noise ? result->noise_var : 0;
    return UNA_OK;
}

/* The shape of the noise, and what the posterior says of rows that it leaves out. */
static una_status look_at_noise(una_members *m, sides *s, void *options, bool shape, una_said *said,
                                const una_fit_result *result, una_arena *keep, una_run *run)
{
    const una_kind *one = m->at[0].kind;
    una_committee_options *o = own(one, options);
    UNA_TRY(need_folds(&s->plain, run));
    committee c = { .one = one, .options = options, .sides = s, .count = s->plain.folds ? s->plain.folds : 1 };
    c.seat = UNA_GET(&run->scratch, seat, c.count);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(foretell_whole(said, &c, m->at[0].state, result, run));
    if (shape) UNA_TRY(learn_shape(&m->noise, said, &s->plain, o->noise == UNA_NOISE_VARYING, keep, run));
    o->noise = m->noise ? UNA_NOISE_VARYING : UNA_NOISE_CONSTANT;
    return UNA_OK;
}

/* All rows teach the posterior; where its own answers for rows left out show it, with a noise that varies. A given
 * noise_std that varies is the last to be used: the shape is learnt as if it were not given. */
static una_status fit_whole(una_members *m, const una_kind *one, void *options, const una_problem *p,
                            una_fit_result *result, una_arena *keep, una_run *run)
{
    una_committee_options *o = own(one, options);
    bool noise_given = is_given(one, options, "noise_std"), varying = o->noise == UNA_NOISE_VARYING;
    bool shape = varying || (o->noise == UNA_NOISE_AUTO && !noise_given);
    double noise_std = *number(one, options, "noise_std");
    sides s = { .plain = *p };
    if (varying) set_number(one, options, "noise_std", UNA_AUTO);
    UNA_TRY(fit_alone(m, one, options, NULL, &s, false, result, keep, run));

    bool again = p->valid_x.rows && p->valid_joins;
    una_said said;
    una_status status = UNA_OK;
    una_progress_part(run, 1, 1);                        /* una_committee_fit takes it back */
    if (shape || result->foretold) status = look_at_noise(m, &s, options, shape, &said, result, keep, run);
    else o->noise = UNA_NOISE_CONSTANT;
    if (varying && noise_given) set_number(one, options, "noise_std", noise_std);
    again = again || m->noise || (varying && noise_given);
    if (status == UNA_OK && again) status = take_in(m, &s, options, m->noise && !noise_given, result, keep, run);
    if (status == UNA_OK && (shape || result->foretold)) score(&said, result->noise_var, result);
    return status;
}

una_status una_committee_fit(una_members *m, const una_kind *one, void *options, const una_problem *p,
                             una_fit_result *result, una_arena *keep, una_run *run)
{
    completed(one, options);
    una_span before = una_progress_part(run, 0, 1);
    una_status status = one->learns_features ? fit_trained(m, one, options, p, result, keep, run)
                                             : fit_whole(m, one, options, p, result, keep, run);
    una_progress_back(run, before);
    return status;
}

una_status una_committee_fit_anchored(una_members *m, const una_kind *one, void *options, const una_anchor *anchor,
                                      const una_problem *p, una_fit_result *result, una_arena *keep, una_run *run)
{
    const una_committee_options *o = completed(one, options);
    sides s;
    if (!UNA_IS_AUTO(o->members) && o->members > 1)
        UNA_FAIL(run, UNA_E_USAGE, "%s: members=%g is not possible in an anchored ensemble, where every member has its "
                 "own anchor; leave members out, and give the ensemble more of them", one->name, o->members);
    UNA_TRY(take_sides(&s, p, o->relevance == UNA_RELEVANCE_ON, result, keep, run));
    return fit_alone(m, one, options, anchor, &s, s.scale != NULL, result, keep, run);
}

una_status una_committee_relearn(void *state, void *options, const una_problem *p, una_fit_result *result,
                                 una_arena *keep, una_run *run)
{
    una_members *m = state;
    const una_kind *one = m->at[0].kind;
    double noise = 0, prior = 0, evidence = 0;
    bool noise_given = is_given(one, options, "noise_std"), prior_given = is_given(one, options, "prior_var");
    bool same = noise_given && (prior_given || !number(one, options, "prior_var"));

    for (int turn = same ? 1 : 0; turn < 2; turn++) {            /* each by its own evidence; then all by the mean */
        noise = prior = evidence = 0;
        for (size_t i = 0; i < m->count; i++) {
            una_member *member = &m->at[i];
            una_problem own_rows = *p;
            void *own_options = una_arena_get(&run->scratch, 1, one->options_size);
            UNA_TRY(una_arena_check(&run->scratch));
            memcpy(own_options, options, one->options_size);
            UNA_TRY(una_scaled(&own_rows.x, p->x, member->scale, run));
            una_fit_result found = una_fit_result_in(keep);
            UNA_TRY(one->relearn(member->state, own_options, &own_rows, &found, keep, run));
            noise += member->weight * found.noise_var;
            prior += member->weight * found.prior_var;
            evidence += member->weight * found.log_evidence;
            if (turn == 1) pass_on(&result->warnings, &found.warnings);
        }
        if (!noise_given) set_number(one, options, "noise_std", sqrt(noise) / unit_of(one, options, p));
        if (!prior_given) set_number(one, options, "prior_var", prior);
    }

    own(one, options)->noise = UNA_NOISE_CONSTANT;
    if (m->noise)
        una_notes_add(&result->notes, "The noise is constant now: how it varied was learnt from the rows of the fit.");
    m->noise = NULL;
    if (m->noise_var > 0) m->noise_var = noise;
    result->noise_var = noise;
    result->prior_var = prior;
    result->log_evidence = evidence;
    return UNA_OK;
}
