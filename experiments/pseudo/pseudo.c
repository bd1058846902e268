/* SPDX-License-Identifier: MIT
 *
 * Uncertainty by hand: TUNA's pseudo-data on the cubic gap, y = x^3 + N(0, 9), 50 rows in [-4, -2] and 50 in [2, 4].
 * Two heads fit the rows and seven pseudo points of the gap, x = -1.5 to 1.5, one with the target s/2 there, the other
 * with -s/2. Equal targets (s = 0) mean that the gap has no surprise, spread targets that it may have one. So the
 * epistemic std in the gap must rise with s, from below that of the same network without pseudo-data to above it. Noise
 * and prior variance are fixed (the true 3, and 1), so that only the features change.
 * A key has the spread in its data, because pseudo points are data; specs name the model alone.
 */
#include "bench/claims.h"
#include "cubic/cubic.h"
#include "bench/lines.h"
#include "draw/number.h"

enum { UNA_PSEUDO_ROWS = 100, UNA_PSEUDO_POINTS = 7, UNA_PSEUDO_MOST = 16 };     /* MOST: spreads */
/* Measures: their places in rows and tables. */
#define UNA_PSEUDO_LIST(X)                                                                                           \
    X(UNA_PSEUDO_SPREAD, "spread", NULL, "y", "distance between the heads' targets; nan: no pseudo-data", 0)         \
    X(UNA_PSEUDO_GAP_STD, "gap_std", "gap std", "y", "mean epistemic std on 61 points of [-1.5, 1.5]", 0)            \
    X(UNA_PSEUDO_CENTRE_STD, "centre_std", "centre std", "y", "epistemic std at x = 0", 0)                           \
    X(UNA_PSEUDO_DATA_STD, "data_std", "data std", "y", "mean epistemic std at the training rows", 0)                \
    X(UNA_PSEUDO_RMSE, "rmse", "RMSE", "y", "error at the training rows", -1)
enum { UNA_PSEUDO_LIST(UNA_PLACE) UNA_PSEUDO_MEASURES };            /* seconds come behind */

enum { SEEDS = 10, QUICK_SEEDS = 5 };
static const double gap_from = -1.5, gap_to = 1.5;
static const char with_spread[] = "cubic spread ";

typedef struct pseudo_options { double seeds; const char *spreads; } pseudo_options;

static const una_option table[] = {
    UNA_SEEDS_OPTION(pseudo_options),
    { "spreads", UNA_TEXT, offsetof(pseudo_options, spreads), "0,5,10,20,40,80", 0, 0, false, NULL,
      "distances between the two heads' targets at the pseudo points, in the units of y, with commas between" },
    { .name = NULL }
};

/* The NLM is the network of TUNA without pseudo-data: its objective weighs squares by 1/0.18 more, so its penalty is
 * the same one. */
static const una_entry entries[] = {
    { "tuna", "tuna(penalty=0.03, rate=0.01, steps=20000, noise_std=3, prior_var=1)", "" },
    { "nlm", "nlm(members=1, penalty=0.1667, noise_std=3, prior_var=1)", "" },
    { "gp", "gp(kernel=matern32, ard=no)", "" },
    { NULL, NULL, NULL }
};

static const una_bench_measure measures[] = { UNA_PSEUDO_LIST(UNA_FIELDS) { .name = NULL } };

/* ---- plan ---------------------------------------------------------------------------------------------------- */

static double pseudo_point(size_t i)
{
    return gap_from + (gap_to - gap_from) * (double)i / (UNA_PSEUDO_POINTS - 1);
}

/* "0,5,10" in order; none twice. */
static una_status read_spreads(double *spread, size_t *count, const char *text, una_run *run)
{
    *count = 0;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        double value = NAN;
        bool read = una_parse_number(at, strcspn(at, ","), &value);
        if (!read || !(value >= 0 && value <= 1e6) || *count == UNA_PSEUDO_MOST)
            UNA_FAIL(run, UNA_E_USAGE, "spreads=%.80s: give 1 to %d numbers from 0 to a million with commas between, "
                     "as in 0,5,10", text, (int)UNA_PSEUDO_MOST);
        spread[(*count)++] = value;
    }
    qsort(spread, *count, sizeof *spread, una_by_number);
    for (size_t i = 1; i < *count; i++)
        if (spread[i] == spread[i - 1]) UNA_FAIL(run, UNA_E_USAGE, "spreads=%.80s: a spread stands there twice", text);
    return UNA_OK;
}

static una_status pseudo_plan_fits(una_plan *plan, const una_asked *asked, una_run *run)
{
    const pseudo_options *o = asked->options;
    size_t seeds = una_seed_count(o->seeds, SEEDS, QUICK_SEEDS, asked), count = 0;
    double spread[UNA_PSEUDO_MOST];
    const char *data[UNA_PSEUDO_MOST];
    UNA_TRY(read_spreads(spread, &count, o->spreads, run));
    for (size_t i = 0; i < count; i++) {
        una_text name = una_text_in(asked->keep);
        una_text_add(&name, "%s", with_spread);
        una_text_number(&name, spread[i]);
        data[i] = name.at;
    }
    UNA_TRY(una_arena_check(asked->keep));

    for (size_t s = 0; s < seeds; s++)
        for (size_t m = 0; m < asked->model_count; m++) {
            const una_bench_model *model = &asked->models[m];
            bool pseudo = strcmp(model->kind, "tuna") == 0;
            for (size_t i = 0; i < (pseudo ? count : 1); i++)
                una_plan_add(plan, una_model_row_key(model, "pseudo", pseudo ? data[i] : "cubic", 0, asked->first + s));
        }
    return UNA_OK;
}

/* ---- one fit ------------------------------------------------------------------------------------------------- */

/* The distance between the two heads' targets that a key's data names; NAN: there is no pseudo-data. */
static double pseudo_spread(const una_row_key *key)
{
    double spread = NAN;
    const char *number = key->data + strlen(with_spread);
    if (strncmp(key->data, with_spread, strlen(with_spread)) == 0) una_parse_number(number, strlen(number), &spread);
    return spread;
}

/* Fits a key to its rows; scratch holds both. */
static una_status pseudo_fit(una_model **model, una_dataset **data, const una_row_key *key, una_run *run)
{
    double spread = pseudo_spread(key);
    una_text rows = una_text_in(&run->scratch);
    una_text_add(&rows, "pseudo_rows=\"x,high,low");
    for (size_t i = 0; i < UNA_PSEUDO_POINTS; i++) {
        double cell[] = { pseudo_point(i), spread / 2, 0 - spread / 2 };
        for (size_t j = 0; j < 3; j++) {
            una_text_add(&rows, "%s", j ? "," : "; ");
            una_text_number(&rows, cell[j]);
        }
    }
    una_text_add(&rows, "\"");

    const char *set[] = { rows.at };
    una_fit_settings settings = { .size = sizeof settings, .target = "y", .set = set,
                                  .set_count = isnan(spread) ? 0u : 1u };
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_dataset_synthetic(data, "cubic", UNA_PSEUDO_ROWS, 1, key->seed, run));
    UNA_TRY(una_keep_dataset(&run->scratch, *data));
    return una_held_fit(model, key->spec, *data, &settings, run);
}

static una_status pseudo_measure(const una_measuring *m)
{
    una_model *model;
    una_dataset *data;
    double cubic[UNA_CUBIC_MEASURES], *value = m->outcome->value;
    value[UNA_PSEUDO_SPREAD] = pseudo_spread(m->key);
    UNA_TRY(pseudo_fit(&model, &data, m->key, m->run));
    UNA_TRY(una_cubic_measure_gap(cubic, model, data, m->run));
    value[UNA_PSEUDO_GAP_STD] = cubic[UNA_CUBIC_GAP_STD];
    value[UNA_PSEUDO_CENTRE_STD] = cubic[UNA_CUBIC_CENTRE_STD];
    value[UNA_PSEUDO_DATA_STD] = cubic[UNA_CUBIC_DATA_STD];
    value[UNA_PSEUDO_RMSE] = cubic[UNA_CUBIC_RMSE];
    return una_outcome_take(m->outcome, model);
}

/* ---- claims -------------------------------------------------------------------------------------------------- */

typedef struct pseudo_list {         /* groups of the first tuna that was asked for, spreads rising     */
    size_t           count;
    double           spread[UNA_PSEUDO_MOST];
    const una_group *group[UNA_PSEUDO_MOST];
} pseudo_list;

static void pseudo_groups(pseudo_list *list, const una_findings *f)
{
    const char *spec = NULL;
    list->count = 0;
    for (size_t g = 0; g < f->group_count && list->count < UNA_PSEUDO_MOST; g++) {
        const una_row_key *key = una_group_key(&f->groups[g]);
        double spread = pseudo_spread(key);
        if (isnan(spread) || (spec && strcmp(spec, key->spec) != 0)) continue;
        spec = key->spec;
        list->spread[list->count] = spread;              /* in the order of the plan, which is theirs */
        list->group[list->count++] = &f->groups[g];
    }
}

static bool rises(const una_findings *f, const pseudo_list *list, const una_row_key *key)
{
    double before = -HUGE_VAL;
    for (size_t i = 0; i < list->count; i++) {
        size_t fit = una_group_fit(list->group[i], key);
        double std = fit == SIZE_MAX ? NAN : una_findings_value(f, fit, UNA_PSEUDO_GAP_STD);
        if (!(std > before)) return false;
        before = std;
    }
    return true;
}

static una_status judge_rise(una_judging *j)
{
    const una_findings *f = j->findings;
    pseudo_list list;
    size_t hits = 0;
    pseudo_groups(&list, f);
    if (list.count < 2) return una_judging_needs(j, "tuna with two spreads or more");

    const una_group *first = list.group[0];
    for (size_t i = first->from; i < first->from + first->count; i++) hits += rises(f, &list, &f->fits[i].key);
    una_share share = una_share_of(hits, first->count);
    j->holds = una_share_least(&share, 1);
    una_text_add(j->numbers, "rises all the way in ");
    una_share_put(j->numbers, &share);
    una_text_add(j->numbers, "; mean gap std ");
    for (size_t i = 0; i < list.count; i++) {
        if (i) una_text_add(j->numbers, ", ");
        una_judging_put(j, una_group_mean(list.group[i], UNA_PSEUDO_GAP_STD), 2, " at ");
        una_text_add(j->numbers, "%s", UNA_BRIEF(list.spread[i], 6));
    }
    return UNA_OK;
}

/* Pseudo-data with "equal" targets or the most "spread" ones; any other name is a model without pseudo-data. */
static una_status pseudo_find(const una_group **group, una_judging *j, const char *name)
{
    pseudo_list list;
    pseudo_groups(&list, j->findings);
    size_t last = list.count ? list.count - 1 : 0;
    bool equal = strcmp(name, "equal") == 0, spread = strcmp(name, "spread") == 0;
    *group = NULL;
    if (!equal && !spread) *group = una_findings_group(j->findings, name, "cubic");
    else if (list.count && equal == !(list.spread[equal ? 0 : last] > 0)) *group = list.group[equal ? 0 : last];
    return UNA_OK;
}

/* Against the network without pseudo-data. */
#define AGAINST(its, asked, more)                                                                                    \
    .needs = "{name}, and tuna with " asked,                                                                         \
    .says = "gap std {" its ":gap_std} at spread {" its ":spread, brief 6}, {gap_std} without pseudo-data; " more    \
            " by {margin}"
static const una_rule rise = { .judge = judge_rise },
                      shrinks = { AGAINST("equal", "spread 0", "less"), .ask = { { "gap_std", "equal:gap_std" } } },
                      widens = { AGAINST("spread", "a spread above 0", "more"),
                                 .ask = { { "spread:gap_std", "gap_std" } } };

static const una_claim claims[] = {
    { "The epistemic std in the gap rises with the spread of the pseudo-data", &rise, "tuna", NULL },
    { "Equal targets shrink the gap's uncertainty", &shrinks, "nlm", NULL },
    { "Spread targets widen the gap's uncertainty", &widens, "nlm", NULL },
    { .sentence = NULL }
};

/* ---- the page: charts of the first seed, fitted again, for a fit takes less than a second ----------------------- */

static const double from = -5, to = 5, panel_width = 172, panel_height = 190, most_y = 90;

typedef struct drawing {
    const una_findings *findings;
    const una_row_key  *key[UNA_PSEUDO_MOST + 1];        /* without pseudo-data, then by spread             */
    una_trace            line[UNA_PSEUDO_MOST + 1];
    size_t              count;
    una_lines           lines;
    pseudo_list     list;
} drawing;

static una_status pseudo_add_panel(drawing *d, const una_group *group, const char *title, una_arena *arena)
{
    d->key[d->count] = una_group_key(group);
    return una_trace_new(&d->line[d->count++], title, arena);
}

static una_status name_panels(drawing *d, una_arena *arena)
{
    const una_group *plain = una_findings_group(d->findings, "nlm", "cubic");
    if (plain) UNA_TRY(pseudo_add_panel(d, plain, "no pseudo-data", arena));
    for (size_t i = 0; i < d->list.count; i++) {
        const char *title = una_phrase(arena, "spread %s", UNA_BRIEF(d->list.spread[i], 6));
        UNA_TRY(pseudo_add_panel(d, d->list.group[i], title, arena));
    }
    return una_arena_check(arena);
}

static una_status fill_panel(void *context, size_t panel, una_run *run)
{
    drawing *d = context;
    una_model *model;
    una_dataset *data;
    run->settings.seed = d->key[panel]->seed;
    UNA_TRY(pseudo_fit(&model, &data, d->key[panel], run));
    return una_trace_fill(&d->line[panel], &d->lines, model, run);
}

/* The heads' targets, on the panel of a spread. */
static void pseudo_add_targets(una_panel *panel, double spread, una_arena *arena)
{
    static const una_look look = { UNA_SHAPE_POINTS, UNA_INK_SECOND, 4.5, 0 };
    enum { COUNT = UNA_PSEUDO_POINTS };
    double *x = UNA_GET(arena, double, COUNT), *y = UNA_GET(arena, double, 2 * COUNT);
    if (arena->failed || isnan(spread)) return;
    for (size_t i = 0; i < COUNT; i++) x[i] = pseudo_point(i), y[i] = spread / 2, y[COUNT + i] = -spread / 2;
    una_panel_plot(panel, look, x, y, COUNT);
    una_panel_plot(panel, look, x, y + COUNT, COUNT);
}

static una_status draw_panels(una_page *page, drawing *d)
{
    una_figure figure;
    UNA_TRY(una_pool(page->run, d->count, fill_panel, d));
    UNA_TRY(una_lines_draw(&figure, &d->lines, d->line, d->count, page->arena));
    figure.columns = 4;
    figure.panel_width = panel_width;
    figure.panel_height = panel_height;
    una_figure_key(&figure, UNA_SHAPE_POINTS, UNA_INK_SECOND, "pseudo-data");
    for (size_t i = 0; i < figure.panel_count; i++) {
        pseudo_add_targets(figure.panels[i], pseudo_spread(d->key[i]), page->arena);
        figure.panels[i]->y.low = -most_y, figure.panels[i]->y.high = most_y;
    }
    return una_page_figure(
        page, "functions", &figure, "What the heads were told.",
        una_phrase(page->arena,
                   "The same rows (seed %llu) and the same network, without pseudo-data and with targets that "
                   "are ever farther apart. All panels share their axes; bands may leave the frame.",
                   (unsigned long long)d->key[0]->seed));
}

static una_status draw_functions(una_page *page, drawing *d)
{
    una_dataset *data = NULL;
    UNA_TRY(una_dataset_synthetic(&data, "cubic", UNA_PSEUDO_ROWS, 1, d->key[0]->seed, page->run));
    d->lines = (una_lines){ "x", "y", from, to, una_dataset_numbers(data, 0), una_dataset_numbers(data, 1),
                            UNA_PSEUDO_ROWS };
    una_status status = draw_panels(page, d);
    una_dataset_free(data);
    return status;
}

/* A line per seed, and the mean. */
static una_status draw_rise(una_page *page, const pseudo_list *list)
{
    const una_findings *f = page->findings;
    size_t seeds = list->group[0]->count, n = list->count;
    double *x = UNA_GET(page->arena, double, n), *y = UNA_GET(page->arena, double, (seeds + 1) * n);
    UNA_NEW(page->arena, double, flat, n);
    una_figure figure = una_figure_in(page->arena, 1, 520, 300);
    una_panel *panel = una_figure_panel(&figure, NULL, "spread of the targets (units of y)",
                                        "epistemic std in the gap (units of y)");
    const una_group *plain = una_findings_group(f, "nlm", "cubic");

    for (size_t i = 0; i < n; i++) {
        x[i] = list->spread[i];
        y[seeds * n + i] = una_group_mean(list->group[i], UNA_PSEUDO_GAP_STD);
        flat[i] = plain ? una_group_mean(plain, UNA_PSEUDO_GAP_STD) : NAN;
        for (size_t s = 0; s < seeds; s++)
            y[s * n + i] = s < list->group[i]->count
                         ? una_findings_value(f, list->group[i]->from + s, UNA_PSEUDO_GAP_STD) : NAN;
    }

    for (size_t s = 0; s < seeds; s++)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_PART, 0.8, 0 }, x, y + s * n, n);
    una_panel_plot(panel, (una_look){ UNA_SHAPE_LINE, UNA_INK_MODEL, 2, 0 }, x, y + seeds * n, n);
    if (plain)
        una_panel_plot(panel, (una_look){ UNA_SHAPE_DASHES, UNA_INK_SECOND, 0, 0 }, x, flat, n);
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_MODEL, "mean of the seeds");
    una_figure_key(&figure, UNA_SHAPE_LINE, UNA_INK_PART, "each seed");
    if (plain) una_figure_key(&figure, UNA_SHAPE_DASHES, UNA_INK_SECOND, "no pseudo-data");
    return una_page_figure(page, "rise", &figure, "Uncertainty by the spread.", "Mean epistemic standard deviation on "
            "[\u22121.5, 1.5] against the distance between the two heads' targets there.");
}

static una_status pseudo_put_table(una_page *page)
{
    const una_findings *f = page->findings;
    static const una_column columns[] = {
        { "Model", UNA_SHEET_WORDS, 0, 0 }, { "Spread", UNA_SHEET_NUMBER, UNA_OWN, 0 },
        { "Seeds", UNA_SHEET_NUMBER, UNA_FITS, 0 }, { "Gap std", UNA_SHEET_SPREAD, UNA_PSEUDO_GAP_STD, 2 },
        { "Centre std", UNA_SHEET_SPREAD, UNA_PSEUDO_CENTRE_STD, 2 },
        { "Data std", UNA_SHEET_SPREAD, UNA_PSEUDO_DATA_STD, 2 }, { "RMSE", UNA_SHEET_SPREAD, UNA_PSEUDO_RMSE, 2 },
        { .title = NULL } };
    una_sheet sheet = una_page_table(page, "means", "Over the seeds.", "Epistemic standard deviation, mean over 61 "
            "points of [\u22121.5, 1.5] (gap), at x = 0 (centre) and over the training rows (data), and the error at "
            "the training rows: mean \u00B1 standard deviation over the seeds, in the units of y.", columns);
    for (const una_group *g = NULL; (g = una_findings_next(f, g, NULL));) {
        double spread = pseudo_spread(una_group_key(g));
        una_page_line(&sheet, g, g->model, columns);
        una_sheet_number(&sheet, spread, spread == floor(spread) ? 0 : 2);
        una_page_cells(&sheet, g, columns);
    }
    return una_page_sheet(page, &sheet);
}

static una_status pseudo_page(una_page *page)
{
    const una_findings *findings = page->findings;
    drawing d = { .findings = findings };
    pseudo_groups(&d.list, findings);
    UNA_TRY(name_panels(&d, page->arena));
    if (d.count > 0) UNA_TRY(draw_functions(page, &d));
    if (d.list.count > 1) UNA_TRY(draw_rise(page, &d.list));
    return pseudo_put_table(page);
}

const una_experiment una_experiment_pseudo = {
    .name = "pseudo",
    .summary = "uncertainty by hand: do pseudo-data shrink and widen what a model does not know in a gap?",
    .title = "Uncertainty by hand",
    .lead = "100 rows of y = x\xC2\xB3 with noise of standard deviation 3, none of them between \xE2\x88\x92" "2 and "
            "2. Two heads of TUNA also fit seven pseudo points in the gap, with targets that are equal or spread "
            "apart: a person's way to say how much may happen there.",
    .caption = "Epistemic standard deviation in the gap, in its middle and at the rows, and the error at the rows: "
               "mean and sd over the seeds",
    .over = "seeds",
    .options = table,
    .options_size = sizeof(pseudo_options),
    .measures = measures,
    .entries = entries,
    .plan = pseudo_plan_fits,
    .measure = pseudo_measure,
    .claims = claims,
    .find = pseudo_find,
    .claims_caption = "Without pseudo-data: the same network trained on the rows alone (nlm), with the same noise and "
                      "prior variance. Rising: strictly, from every spread to the next, in every seed. The other two "
                      "are paired over the seeds: smallest spread (0) and largest against none.",
    .page = pseudo_page,
};
