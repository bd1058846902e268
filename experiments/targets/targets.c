/* SPDX-License-Identifier: MIT
 *
 * Two targets of one input, fitted jointly and separately: what does one learn from the other? 100 rows of x in
 * [-4, 4], noise 0.5. Three laws:
 *   related       b = 3 sin(1.5 x), a = 2 b + x^2/4 - x; the cells of a are missing for |x| < 1.5, those of b are not.
 *                 The features of a joint fit have seen b in the gap of a: is a less unsure there, and rightly so?
 *   independent   a as above, b = 4 tanh(x) + x^2/4, all cells there: a joint fit must not be worse for it
 *   noise         a as above, b = 5 cos(1.3 x) + x/2, their noise with a correlation of 0.8: a joint head has a
 *                 covariance of the noise, worth -log(1 - 0.8^2)/2 = 0.51 nats a row where all else is known. (LUNA has
 *                 one head for both only where it trusts both alike, so the two are alike in their roughness.)
 * Every key is one fit of both targets, together or apart, by its seed; differences are taken between the two of a
 * seed. Models of several targets are the thesis's future work: the claims are ours.
 */
#include "targets/targets.h"

#include "bench/claims.h"
#include "bench/lines.h"
#include "draw/number.h"

enum { SEEDS = 10, QUICK_SEEDS = 4 };

typedef struct targets_options { double seeds; const char *sets; } targets_options;

static const una_option table[] = {
    UNA_SEEDS_OPTION(targets_options),
    UNA_SETS_OPTION(targets_options),
    { .name = NULL }
};

static const una_entry entries[] = {
    { "luna", "luna", "luna(members=5)" },
    { "luna", "luna(target_cosine=jacobian)", "luna(target_cosine=jacobian, members=5)" },
    { "nlm", "nlm", "nlm(members=5)" },
    { "linear", "linear(degree=5)", "" },
    { "gp", "gp", "" },
    { "nn", "nn", "nn(steps=500)" },
    { NULL, NULL, NULL }
};

#define POINTS(X) UNA_TEN(X, 0) UNA_TEN(X, 1) UNA_TEN(X, 2) UNA_TEN(X, 3) X(40)
#define MEAN_AT(n) { "mean_" #n, NULL, "y", "related: mean of a along 41 points of [-4, 4]", 0 },
#define STD_AT(n) { "std_" #n, NULL, "y", "related: epistemic std of a along the same points", 0 },

static const una_bench_measure measures[] = {
    UNA_TARGETS_LIST(UNA_FIELDS)
    POINTS(MEAN_AT) POINTS(STD_AT)
    { .name = NULL }
};

/* ---- plan and measures --------------------------------------------------------------------------------------- */

/* A spec that differs from another of its kind only in options for several targets is not fitted separately. */
static una_status targets_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const targets_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked), length;
    const char *data[UNA_TARGETS_LAWS][2];
    const char *item = una_unknown_item(o->sets, &length, una_targets_laws);
    if (item)
        UNA_FAIL(run, UNA_E_USAGE, "targets has no data set '%.*s'; there are related, independent and noise",
                 (int)(length < 60 ? length : 60), item);
    for (size_t law = 0; law < UNA_TARGETS_LAWS; law++)
        for (size_t apart = 0; apart < 2; apart++)
            data[law][apart] = una_phrase(asked->keep, "%s, %s", una_targets_laws[law], apart ? "apart" : "together");
    UNA_TRY(una_arena_check(asked->keep));

    for (size_t s = 0; s < seeds; s++)
        for (size_t m = 0; m < asked->model_count; m++)
            for (size_t law = 0; law < UNA_TARGETS_LAWS; law++) {
                const una_bench_model *model = &asked->models[m];
                bool wanted = !*o->sets || una_list_has(o->sets, una_targets_laws[law]);
                for (size_t apart = 0; wanted && apart < (strstr(model->spec, "target_cosine=") ? 1 : 2); apart++)
                    una_plan_add(plan, una_model_row_key(model, "targets", data[law][apart], 0, asked->first + s));
            }
    return UNA_OK;
}

static una_status take_curve(double *value, const una_model *model, una_run *run)
{
    double x[UNA_TARGETS_POINTS];
    una_prediction out = { .size = sizeof out, .mean = value + UNA_TARGETS_CURVE_MEAN,
                           .std_epistemic = value + UNA_TARGETS_CURVE_STD };
    for (size_t i = 0; i < UNA_TARGETS_POINTS; i++) x[i] = una_targets_point(i);
    return una_model_predict_rows(model, x, UNA_TARGETS_POINTS, 0.95, &out, run);
}

static una_status targets_measure(const una_measuring *m)
{
    una_targets_law law = una_targets_law_of(m->key->data);
    una_outcome *outcome = m->outcome;
    una_targets_rows rows;
    una_targets_fit fit;
    UNA_TRY(una_targets_rows_make(&rows, law, m->key->seed, m->run));
    UNA_TRY(una_targets_fit_make(&fit, m->key, &rows, m->run));
    UNA_TRY(una_targets_measure(outcome->value, &fit, law, &rows, m->run));
    if (law == UNA_RELATED) UNA_TRY(take_curve(outcome->value, fit.part[0], m->run));
    UNA_TRY(una_outcome_take(outcome, fit.whole ? fit.whole : fit.part[0]));
    if (!fit.whole) outcome->seconds += una_model_info(fit.part[1])->seconds;    /* the time of both fits */
    return UNA_OK;
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

/* A claim's model is a kind, represented by its first spec, or LUNA with whole Jacobians, where the fits apart are those
 * of LUNA. */
#define JACOBIAN "luna(target_cosine=jacobian) and luna"

/* "together" or "apart": the claim's model on the data of its law, fitted so. */
static una_status targets_find(const una_group **group, una_judging *j, const char *name)
{
    const una_findings *f = j->findings;
    bool jacobian = strcmp(j->claim->model, JACOBIAN) == 0, whole = jacobian && strcmp(name, "together") == 0;
    char data[32];
    snprintf(data, sizeof data, "%s, %s", j->claim->data, name);
    *group = NULL;
    for (size_t g = 0; g < f->group_count && !*group; g++) {
        const una_row_key *key = una_group_key(&f->groups[g]);
        if (strcmp(key->data, data) == 0 && strcmp(f->groups[g].model, jacobian ? "luna" : j->claim->model) == 0 &&
            (strstr(key->spec, "=jacobian") != NULL) == whole)
            *group = &f->groups[g];
    }
    return UNA_OK;
}

#define TOGETHER(measure) \
    .says = "{together:" measure ", plain 3} together, {apart:" measure ", plain 3} apart: difference {margin}"
static const una_rule is_same = { TOGETHER("joint_log_lik") "; within 0.05 asked",
                                  .ask = { { "together:joint_log_lik", "apart:joint_log_lik", .is = UNA_WITHIN,
                                             .than = 0.05 } } },
                      is_likelier = { TOGETHER("joint_log_lik"),
                                      .ask = { { "together:joint_log_lik", "apart:joint_log_lik" } } },
                      is_likelier_in_gap = { TOGETHER("gap_log_lik_a"),
                                             .ask = { { "together:gap_log_lik_a", "apart:gap_log_lik_a" } } },
                      is_surer = { TOGETHER("gap_std_a"),
                                   .ask = { { "together:gap_std_a", "apart:gap_std_a", .is = UNA_AT_MOST } } };

static const una_claim claims[] = {
    { "Independent targets: LUNA\xE2\x80\x99s joint log-likelihood is within 0.05 of two single fits", &is_same,
      "luna", "independent" },
    { "Independent targets: the same with slopes compared over whole Jacobians", &is_same, JACOBIAN,
      "independent" },
    { "Independent targets: NLM\xE2\x80\x99s joint log-likelihood is within 0.05 of two single fits", &is_same, "nlm",
      "independent" },
    { "Independent targets: the GP\xE2\x80\x99s is within 0.05 of two single fits", &is_same, "gp", "independent" },
    { "Correlated noise: LUNA together is likelier than apart", &is_likelier, "luna", "noise" },
    { "Correlated noise: with whole Jacobians it is likelier than apart", &is_likelier, JACOBIAN, "noise" },
    { "Correlated noise: NLM together is likelier than apart", &is_likelier, "nlm", "noise" },
    { "Where only b is seen, LUNA is surer of a together than apart", &is_surer, "luna", "related" },
    { "Where only b is seen, LUNA with whole Jacobians is surer of a together than apart", &is_surer, JACOBIAN,
      "related" },
    { "Where only b is seen, NLM is surer of a together than apart", &is_surer, "nlm", "related" },
    { "Where only b is seen, a is likelier under LUNA together than apart", &is_likelier_in_gap, "luna", "related" },
    { "Where only b is seen, a is likelier under LUNA with whole Jacobians together than apart", &is_likelier_in_gap,
      JACOBIAN, "related" },
    { "Where only b is seen, a is likelier under NLM together than apart", &is_likelier_in_gap, "nlm", "related" },
    { .sentence = NULL }
};

/* ---- the page: target a of the first seed, alone and with b; then the tables ------------------------------------ */

enum { MOST_SHOWN = 8 };
static const double panel_width = 232, panel_height = 200;

typedef struct drawing {
    const una_findings *findings;
    const una_asked    *asked;
    una_arena          *arena;
    double             *x, *truth;       /* [UNA_TARGETS_POINTS]                                            */
    una_targets_rows    rows;            /* of the first seed                                               */
} drawing;

/* ---- pictures ------------------------------------------------------------------------------------------------ */

/* The first seed of a group. */
static una_status targets_add_panel(una_figure *figure, const drawing *d, const una_group *group, const char *how)
{
    const una_findings *f = d->findings;
    const double *value = f->value + group->from * f->measures;
    una_panel *panel = una_figure_panel(figure, una_phrase(d->arena, "%s, %s", group->model, how), "x", "a");
    UNA_TRY(una_arena_check(d->arena));
    panel->y.low = -16, panel->y.high = 16;
    const una_known_curve known = { d->x, value + UNA_TARGETS_CURVE_MEAN, value + UNA_TARGETS_CURVE_STD, d->truth,
                              UNA_TARGETS_POINTS, d->rows.train };
    return una_known_curve_draw(panel, &known, d->arena);
}

/* Of models that fit the targets at once; of the others both pictures would be the same. */
static una_status add_panels(una_figure *figure, const drawing *d)
{
    const una_findings *f = d->findings;
    for (size_t m = 0, shown = 0; m < d->asked->model_count && shown < MOST_SHOWN; m++) {
        const una_bench_model *model = &d->asked->models[m];
        const una_group *joint = una_findings_on(f, model->spec, "related, together");
        const una_group *apart = una_findings_on(f, model->spec, "related, apart");
        if (!una_list_has("luna,nlm", model->kind) || !joint) continue;
        shown++;
        if (apart) UNA_TRY(targets_add_panel(figure, d, apart, "apart"));
        UNA_TRY(targets_add_panel(figure, d, joint, strstr(model->spec, "=jacobian") ? "Jacobians" : "together"));
    }
    return UNA_OK;
}

static una_status draw_gap(una_page *page, drawing *d)
{
    una_figure figure = una_figure_in(d->arena, 3, panel_width, panel_height);
    una_known_curve_keys(&figure, "mean of a", "true a", "rows of a");
    UNA_TRY(add_panels(&figure, d));
    if (figure.panel_count == 0) return UNA_OK;
    una_page_heading(page, 2, "A gap that the other target does not have");
    return una_page_figure(page, "gap", &figure, "Target a, alone and with b.", "The first seed. b is seen everywhere, "
            "a = 2b + x\u00B2/4 \u2212 x is not seen between \u22121.5 and 1.5. Apart: a model of a alone; together: "
            "one model of both, whose features have seen b in there; Jacobians: likewise, heads told apart by their "
            "slopes for both targets at once. Bands may leave the frame.");
}

static una_status gap_figure(una_page *page, drawing *d)
{
    const una_findings *f = d->findings;
    UNA_NEW_AT(d->arena, d->x, UNA_TARGETS_POINTS);
    UNA_NEW_AT(d->arena, d->truth, UNA_TARGETS_POINTS);
    for (size_t i = 0; i < UNA_TARGETS_POINTS; i++) {
        double b;
        d->x[i] = una_targets_point(i);
        una_targets_functions(&d->truth[i], &b, UNA_RELATED, d->x[i]);
    }
    UNA_TRY(una_targets_rows_make(&d->rows, UNA_RELATED, f->fits[0].key.seed, page->run));
    return draw_gap(page, d);
}

/* ---- tables -------------------------------------------------------------------------------------------------- */

#define FITTED { "model", UNA_SHEET_WORDS, 0, 0 }, { "fitted", UNA_SHEET_WORDS, 0, 0 }
#define SPREAD(measure, head, decimals) { head, UNA_SHEET_SPREAD, UNA_TARGETS_##measure, decimals }
#define BOTH_TARGETS { FITTED, SPREAD(LOG_LIK_A, "log-lik a", 3), SPREAD(LOG_LIK_B, "log-lik b", 3), \
    SPREAD(JOINT, "joint", 3), SPREAD(CORRELATION, "noise correlation", 2), { .title = NULL } }

typedef struct law_table {
    una_targets_law law;
    const char *name, *heading, *lead, *caption;
    una_column columns[7];
} law_table;

static const law_table tables[] = {
    { UNA_RELATED, "related", NULL, "Where only b is seen.", "Of target a at fresh rows of its gap: log-likelihood, "
            "mean epistemic standard deviation, error, and the share of rows whose true a is in the 95 % band of "
            "ignorance: mean and sd over the seeds.",
      { FITTED, SPREAD(GAP_LOG_LIK_A, "log-lik a", 2), SPREAD(GAP_STD_A, "std a", 2), SPREAD(GAP_RMSE_A, "error a", 2),
        SPREAD(GAP_INSIDE_A, "inside a", 2), { .title = NULL } } },
    { UNA_INDEPENDENT, "independent", "Two that have nothing in common", "Independent targets.",
            "Log-likelihood of fresh rows, of each target and of both at once (apart: the sum).", BOTH_TARGETS },
    { UNA_CORRELATED, "noise", "Noise that hits both", "Correlated noise.", "Two other functions, with noise of "
            "correlation 0.8. Who knows the functions and the covariance of the noise gains 0.51 in the joint "
            "log-likelihood over who knows its variances only.", BOTH_TARGETS },
};

/* A law that was not run has no table. */
static una_status law_sheet(una_page *page, const law_table *t)
{
    const una_findings *f = page->findings;
    una_sheet sheet = una_page_table(page, t->name, t->lead, t->caption, t->columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        const una_row_key *key = una_group_key(g);
        if (una_targets_law_of(key->data) != t->law) continue;
        una_page_line(&sheet, g, key->spec, t->columns);
        una_sheet_words(&sheet, una_targets_is_joint(key->data) ? "together" : "apart");
        una_page_cells(&sheet, g, t->columns);
    }
    if (sheet.lines == 0) return una_arena_check(sheet.arena);
    if (t->heading) una_page_heading(page, 2, t->heading);
    return una_page_sheet(page, &sheet);
}

static una_status targets_page(una_page *page)
{
    const una_findings *findings = page->findings;
    drawing d = { .findings = findings, .asked = page->asked, .arena = page->arena };
    if (findings->count > 0) UNA_TRY(gap_figure(page, &d));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) UNA_TRY(law_sheet(page, &tables[i]));
    return una_arena_check(d.arena);
}

const una_experiment una_experiment_targets = {
    .name = "targets",
    .summary = "two targets at once, one of them with a gap: what does one learn from the other?",
    .title = "Two targets: what does one learn from the other?",
    .lead = "Two functions of one input, fitted at once by one model, or each by a model of its own. Related: a is "
            "twice b and something smooth, but a was never measured between \xE2\x88\x92" "1.5 and 1.5, where b was. "
            "Independent: both measured everywhere, and nothing in common. Noise: likewise, but what disturbs one "
            "disturbs the other.",
    .caption = "Log-likelihood of fresh rows, of each target and of both at once, and what is known of a in its gap: "
               "mean and sd over the seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(targets_options),
    .measures = measures,
    .entries = entries,
    .plan = targets_plan_fits,
    .measure = targets_measure,
    .claims = claims,
    .find = targets_find,
    .claims_lead = "What is asked of a joint fit.",
    .claims_caption = "Ours: several targets are the thesis\xE2\x80\x99s future work. Differences between the joint "
                      "fit and the single fits of a seed; a claim holds where the whole 95 % interval of their mean "
                      "speaks for it, does not where the whole interval speaks against it, and cannot be told "
                      "otherwise.",
    .page = targets_page,
};
