/* SPDX-License-Identifier: MIT
 *
 * The page of two targets: the gap of one that the other does not have, in pictures; and what together and apart are
 * worth, law by law.
 */
#include "targets/targets.h"

#include "bench/lines.h"
#include "draw/number.h"

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

/* Models that fit the targets at once; of the others both pictures would be the same. */
static bool has_joint_fit(const char *kind)
{
    return strcmp(kind, "luna") == 0 || strcmp(kind, "nlm") == 0;
}

static una_status add_panels(una_figure *figure, const drawing *d)
{
    const una_findings *f = d->findings;
    for (size_t m = 0, shown = 0; m < d->asked->model_count && shown < MOST_SHOWN; m++) {
        const una_bench_model *model = &d->asked->models[m];
        const una_group *joint = una_findings_on(f, model->spec, "related, together");
        const una_group *apart = una_findings_on(f, model->spec, "related, apart");
        if (!has_joint_fit(model->kind) || !joint) continue;
        shown++;
        if (apart) UNA_TRY(targets_add_panel(figure, d, apart, "apart"));
        UNA_TRY(targets_add_panel(figure, d, joint, strstr(model->spec, "=jacobian") ? "Jacobians" : "together"));
    }
    return UNA_OK;
}

static una_status draw_gap(una_page *page, drawing *d, una_run *run)
{
    una_figure figure = una_figure_in(d->arena, 3, panel_width, panel_height);
    una_known_curve_keys(&figure, "mean of a", "true a", "rows of a");
    UNA_TRY(add_panels(&figure, d));
    if (figure.panel_count == 0) return UNA_OK;
    una_page_heading(page, 2, "A gap that the other target does not have");
    return una_page_figure(page, "gap", &figure, "Target a, alone and with b.", "The first seed. b is seen everywhere, "
            "a = 2b + x\u00B2/4 \u2212 x is not seen between \u22121.5 and 1.5. Apart: a model of a alone; together: "
            "one model of both, whose features have seen b in there; Jacobians: likewise, heads told apart by their "
            "slopes for both targets at once. Bands may leave the frame.", run);
}

static una_status gap_figure(una_page *page, drawing *d, una_run *run)
{
    const una_findings *f = d->findings;
    UNA_NEW_AT(d->arena, d->x, UNA_TARGETS_POINTS);
    UNA_NEW_AT(d->arena, d->truth, UNA_TARGETS_POINTS);
    for (size_t i = 0; i < UNA_TARGETS_POINTS; i++) {
        double b;
        d->x[i] = una_targets_point(i);
        una_targets_functions(&d->truth[i], &b, UNA_RELATED, d->x[i]);
    }
    UNA_TRY(una_targets_rows_make(&d->rows, UNA_RELATED, f->fits[0].key.seed, run));
    return draw_gap(page, d, run);
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
static una_status law_sheet(una_page *page, const una_findings *f, const law_table *table, una_run *run)
{
    una_sheet sheet = una_page_table(page, table->name, table->lead, table->caption, table->columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        const una_row_key *key = una_group_key(f, g);
        if (una_targets_law_of(key->data) != table->law) continue;
        una_page_line(&sheet, f, g, key->spec, table->columns);
        una_sheet_words(&sheet, una_targets_is_joint(key->data) ? "together" : "apart");
        una_page_cells(&sheet, f, g, table->columns);
    }
    if (sheet.lines == 0) return una_arena_check(sheet.arena);
    if (table->heading) una_page_heading(page, 2, table->heading);
    return una_page_sheet(page, &sheet, run);
}

una_status una_targets_page(una_page *page, const una_findings *findings, const una_asked *asked, una_run *run)
{
    drawing d = { .findings = findings, .asked = asked, .arena = page->words.arena };
    if (findings->count > 0) UNA_TRY(gap_figure(page, &d, run));
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) UNA_TRY(law_sheet(page, findings, &tables[i], run));
    return una_arena_check(d.arena);
}
