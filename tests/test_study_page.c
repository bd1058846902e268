/* SPDX-License-Identifier: MIT
 *
 * Pages and charts of studies, from invented ones: what they say against the trials themselves, degenerate studies,
 * hostile names, size, memory; and from a study to its page, with a study that stands in for a real one.
 */
#include "draws.h"
#include "test_support.h"

#include "study/invented_study.h"
#include "draw/fit_report.h"
#include "draw/page_checks.h"

#include <ctype.h>

typedef struct world { una_run *run; una_arena arena; invented_study all; } world;

static world *open_world(void)
{
    world *w = test_calloc(1, sizeof *w);
    w->run = quiet_run();
    una_arena_init(&w->arena, w->run);
    return w;
}

static void close_world(world *w)
{
    una_arena_free(&w->arena);
    una_run_free(w->run);
    test_free(w);
}

static const char *const metals[] = { "steel", "copper", "brass", "aluminium alloy" };
static una_dimension mixed[] = {
    { .name = "rate", .type = UNA_DIMENSION_REAL, .low = 1e-5, .high = 0.1, .log = true },
    { .name = "dropout", .type = UNA_DIMENSION_REAL, .low = 0, .high = 0.5 },
    { .name = "layers", .type = UNA_DIMENSION_INTEGER, .low = 1, .high = 8 },
    { .name = "material", .type = UNA_DIMENSION_CATEGORY, .low = 0, .high = 3, .levels = metals, .level_count = 4 },
    { .name = "batch", .type = UNA_DIMENSION_FIXED, .low = 32, .high = 32 },
};
enum { MIXED = sizeof mixed / sizeof mixed[0] };

static void make_mixed(world *w, size_t trials)
{
    invented_make(&w->all, mixed, MIXED, trials, invented_bowl, 1, &w->arena);
    invented_slices(&w->all, &w->arena);
}

static const char *page_of(world *w)
{
    una_text page = una_text_in(&w->arena);
    assert_ok(una_study_view_page(&page, &w->all.view), w->run);
    return page.at;
}

static una_study_digest digest_of(world *w)
{
    una_study_digest d;
    assert_ok(una_study_digest_make(&d, &w->all.view, &w->arena), w->run);
    return d;
}

/* No number that is none, as a word of its own. */
static void assert_no_nan(const char *text)
{
    static const char *const words[] = { "nan", "NaN", "-nan", "inf", "Infinity" };
    for (size_t k = 0; k < 5; k++)
        for (const char *at = text; (at = strstr(at, words[k])); at++) {
            bool begins = at == text || !isalpha((unsigned char)at[-1]);
            if (begins && !isalpha((unsigned char)at[strlen(words[k])])) fail_msg("the page says '%.20s'", at);
        }
}

/* Every page and every chart of what `w` holds. */
static const char *check_all(world *w)
{
    const char *page = page_of(w);
    assert_well_formed(page);
    assert_ids(&w->arena, page);
    assert_self_contained(page);
    assert_no_nan(page);
    const int last = has_cairo() ? UNA_FORMAT_PNG : UNA_FORMAT_SVG;
    for (int format = UNA_FORMAT_SVG; format <= last; format++) {
        una_text bytes = una_text_in(&w->arena);
        assert_ok(una_study_view_chart(&bytes, &w->all.view, (una_format)format, w->run), w->run);
        assert_true(bytes.length > 500);
        if (format == UNA_FORMAT_SVG) assert_no_nan(bytes.at);
    }
    return page;
}

/* ---- what charts are made of ------------------------------------------------------------------------------------ */

static void best_come_first(void **state)
{
    (void)state;
    for (int maximize = 0; maximize < 2; maximize++) {
        world *w = open_world();
        w->all.view.maximize = maximize;
        make_mixed(w, 50);
        invented_fail(&w->all, 3, "why");
        w->all.trial[7].value = w->all.trial[5].value;           /* of the same value the earlier */
        w->all.trial[49].state = UNA_TRIAL_OPEN;
        una_study_digest d = digest_of(w);
        assert_int_equal(d.told, 48);
        assert_int_equal(d.failed, 1);
        assert_int_equal(d.open, 1);
        assert_int_equal(d.varied_count, MIXED - 1);
        for (size_t i = 1; i < d.told; i++) {
            double before = w->all.trial[d.order[i - 1]].value, here = w->all.trial[d.order[i]].value;
            assert_true(maximize ? before >= here : before <= here);
            if (before == here) assert_true(d.order[i - 1] < d.order[i]);
        }
        close_world(w);
    }
}

/* The line of the best so far, against the running minimum. */
static void progress_is_the_running_best(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 60);
    una_study_digest d = digest_of(w);
    una_figure figure = una_study_chart_progress(&w->all.view, &d, &w->arena);
    const una_series *line = NULL;
    for (size_t i = 0; i < figure.panels[0]->count; i++)
        if (figure.panels[0]->series[i].shape == UNA_SHAPE_LINE) line = &figure.panels[0]->series[i];
    assert_non_null(line);

    for (size_t t = 0; t < 60; t++) {
        double least = INFINITY, drawn = INFINITY;
        for (size_t i = 0; i <= t; i++) least = fmin(least, d.told_value[i]);
        for (size_t i = 0; i < line->count && line->x[i] <= (double)(t + 1); i++) drawn = line->y[i];
        assert_near(drawn, least, 0, 0);
    }
    assert_near(line->x[line->count - 1], 60, 0, 0);
    close_world(w);
}

/* A few enormous values do not decide the range, and one that is far better than all others is no reason to cut. */
static void enormous_values_are_cut(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 60);
    una_study_digest before = digest_of(w);
    assert_int_equal(before.beyond, 0);
    w->all.trial[3].value = 1e7;
    w->all.trial[30].value = 1e300;
    una_study_digest d = digest_of(w);
    assert_int_equal(d.beyond, 2);
    assert_true(d.value.high < 10);
    assert_near(d.value.low, w->all.view.best->value, 0, 0);
    for (size_t i = 0; i < d.told; i++) assert_true(d.told_value[i] <= d.value.high);
    assert_non_null(strstr(check_all(w), "2 values lie beyond the range shown"));

    w->all.trial[3].value = w->all.trial[30].value = 0.5;
    w->all.trial[40].value = -3;
    w->all.view.best = &w->all.trial[40];
    d = digest_of(w);
    assert_int_equal(d.beyond, 0);
    assert_near(d.value.low, -3, 0, 0);
    close_world(w);
}

static void sizes_that_differ_are_shown_by_logarithm(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 40);
    for (size_t i = 0; i < 40; i++) w->all.trial[i].value = pow(10, 3 - 0.2 * (double)i);
    w->all.view.best = &w->all.trial[39];
    una_study_digest d = digest_of(w);
    assert_true(d.value.log);
    assert_near(d.value.low, pow(10, 3 - 0.2 * 39), 0, 0);
    assert_near(d.value.high, 1000, 1e-12, 0);
    assert_int_equal(d.beyond, 0);
    assert_non_null(strstr(check_all(w), "The upright axis is logarithmic."));

    w->all.trial[5].value = 0;                           /* which has no logarithm */
    d = digest_of(w);
    assert_false(d.value.log);
    close_world(w);
}

static void slices_stand_at_their_levels(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 40);
    una_study_digest d = digest_of(w);
    una_figure figure = una_study_chart_slices(&w->all.view, &d, UNA_STUDY_SLICES, &w->arena);
    assert_int_equal(figure.panel_count, 4);
    const una_panel *material = figure.panels[3];
    assert_string_equal(material->title, "material");
    assert_ptr_equal(material->x.names, metals);
    const una_series *ranges = &material->series[0];
    assert_int_equal(ranges->shape, UNA_SHAPE_RANGES);
    const una_slice *slice = &w->all.view.slices[3];
    for (size_t i = 0; i < 4; i++) {
        assert_near(ranges->x[i], (double)(i + 1), 0, 0);
        assert_near(ranges->y2[i] - ranges->y[i], 2 * 1.959964 * slice->std[i], 1e-9, 0);
        assert_near(ranges->y2[i] + ranges->y[i], 2 * slice->mean[i], 1e-9, 1e-12);
    }
    assert_true(figure.panels[0]->x.log);
    assert_int_equal(figure.panels[0]->series[0].shape, UNA_SHAPE_BAND);
    close_world(w);
}

/* ---- what the page says ------------------------------------------------------------------------------------------ */

static void page_tells_the_best(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 45);
    for (size_t i = 0; i < 45; i++) w->all.trial[i].value = 1 + (double)i;
    w->all.trial[12].value = 0.125;
    w->all.trial[12].x = (const double[]){ 0.001, 0.25, 4, 2, 32 };
    w->all.view.best = &w->all.trial[12];
    invented_fail(&w->all, 20, "status 3");
    invented_fail(&w->all, 21, "status 3");
    invented_fail(&w->all, 22, "");
    w->all.trial[44].state = UNA_TRIAL_OPEN, w->all.trial[44].value = NAN;

    const char *page = check_all(w);
    const char *const expected[] = { "The least value over 4 inputs is looked for.",
        "45 trials so far: 41 told, 3 failed, 1 open.",
        "The best value is 0.125, from trial 13; 28 have been told since without beating it.",
        "<th scope=\"row\">rate</th><td class=\"n\">0.001</td>",
        "<td>10\xE2\x81\xBB\xE2\x81\xB5 to 0.1, by logarithm</td>",
        "<th scope=\"row\">material</th><td class=\"n\">brass</td>", "<td>1 to 8, whole</td>",
        "<th scope=\"row\">batch</th><td class=\"n\">32</td><td>fixed</td>", "2 trials: status 3",
        "1 trial: no reason was given", "The best trials.", "The latest trials.", "una study export",
        "Slices through the best trial.", "All inputs at once." };
    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++)
        assert_says(page, expected[i]);
    assert_int_equal(occurrences(page, "<tr><td class=\"n\">"), 2 * UNA_STUDY_ROWS);
    assert_null(strstr(page, "Warning"));
    close_world(w);
}

/* An expected value equal to the best with a standard deviation of 1 gains 1/sqrt(2 pi) on average. */
static void page_shows_predictions(void **state)
{
    (void)state;
    for (int maximize = 0; maximize < 2; maximize++) {
        world *w = open_world();
        w->all.view.maximize = maximize;
        make_mixed(w, 20);
        for (size_t i = 0; i < 20; i++) {
            una_trial *trial = &w->all.trial[i];
            trial->value = maximize ? 3 - (double)i : 3 + (double)i;
            trial->doubt = 1;
            trial->expected = trial->value + (i < 7 ? 1.9 : -2);
        }
        w->all.view.best = &w->all.trial[0];
        for (size_t i = 17; i < 20; i++) w->all.trial[i].state = UNA_TRIAL_OPEN, w->all.trial[i].value = NAN;
        w->all.trial[17].expected = maximize ? -50 : 50;
        w->all.trial[18].expected = 3;
        w->all.trial[19].expected = NAN;
        const char *page = check_all(w);
        assert_says(page, "hopes most of 19: it expects 3 \xC2\xB1 1 there (one standard deviation), a gain of 0.4 on");
        assert_says(page, "It predicted 17 values before they were known; 7 of them (41");
        close_world(w);
    }
}

static void page_warns_of_failures(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 12);
    char reasons[12][16];
    for (size_t i = 0; i < 12; i++) {
        snprintf(reasons[i], sizeof reasons[i], "reason %zu", i);
        invented_fail(&w->all, i, reasons[i]);
    }
    w->all.view.best = NULL, w->all.view.slices = NULL;
    const char *page = check_all(w);
    assert_says(page, "All 12 trials failed");
    assert_says(page, "12 trials so far, all failed.");
    assert_says(page, "6 more reasons");
    assert_null(strstr(page, "Progress."));
    assert_says(page, "All inputs at once.");

    w->all.trial[4].state = UNA_TRIAL_TOLD, w->all.trial[4].value = 2;
    w->all.view.best = &w->all.trial[4];
    assert_says(check_all(w), "11 of 12 trials failed.");
    close_world(w);
}

/* ---- studies of every kind --------------------------------------------------------------------------------------- */

static void few_trials(void **state)
{
    (void)state;
    for (size_t trials = 0; trials < 4; trials++) {
        world *w = open_world();
        make_mixed(w, trials);
        if (trials < 3) w->all.view.slices = NULL, w->all.view.no_slices = "the model needs three values";
        const char *page = check_all(w);
        if (trials == 0) assert_says(page, "No trial has been asked for yet.");
        if (trials == 1) assert_says(page, "1 trial so far, told.");
        assert_int_equal(strstr(page, "the model needs three values") != NULL, trials == 1 || trials == 2);
        assert_int_equal(strstr(page, "All trials.") != NULL, trials > 0);
        close_world(w);
    }
}

static void same_value_everywhere(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 30);
    for (size_t i = 0; i < 30; i++) w->all.trial[i].value = 0;
    w->all.view.best = &w->all.trial[0];
    check_all(w);
    for (size_t i = 0; i < 30; i++) w->all.trial[i].value = i % 2 ? 1.7e308 : -1.7e308;
    w->all.view.best = &w->all.trial[0];
    check_all(w);
    close_world(w);
}

static void one_input(void **state)
{
    (void)state;
    world *w = open_world();
    invented_make(&w->all, mixed, 1, 25, invented_bowl, 2, &w->arena);
    invented_slices(&w->all, &w->arena);
    assert_says(check_all(w), "The least value over 1 input is looked for.");
    close_world(w);
}

static void nothing_but_fixed_inputs(void **state)
{
    (void)state;
    static const char *const word[] = { "red" };
    una_dimension fixed[] = { mixed[4], { .name = "colour", .type = UNA_DIMENSION_FIXED, .levels = word,
        .level_count = 1 } };
    world *w = open_world();
    invented_make(&w->all, fixed, 2, 12, invented_bowl, 2, &w->arena);
    const char *page = check_all(w);
    assert_says(page, "<td class=\"n\">red</td><td>fixed</td>");
    assert_null(strstr(page, "All inputs at once."));
    close_world(w);
}

static void nothing_but_categories(void **state)
{
    (void)state;
    static const char *levels[26];
    static char words[26][16];
    for (size_t i = 0; i < 26; i++) {
        snprintf(words[i], sizeof words[i], "supplier %c", (char)('A' + i));
        levels[i] = words[i];
    }
    una_dimension inputs[] = { mixed[3], { .name = "supplier", .type = UNA_DIMENSION_CATEGORY, .high = 25,
        .levels = levels, .level_count = 26 } };
    world *w = open_world();
    invented_make(&w->all, inputs, 2, 40, invented_bowl, 3, &w->arena);
    invented_slices(&w->all, &w->arena);
    assert_says(check_all(w), "supplier F and 20 more");
    close_world(w);
}

static void forty_inputs(void **state)
{
    (void)state;
    static una_dimension inputs[40];
    static char names[40][8];
    for (size_t i = 0; i < 40; i++) {
        snprintf(names[i], sizeof names[i], "w%zu", i + 1);
        inputs[i] = (una_dimension){ .name = names[i], .type = UNA_DIMENSION_REAL, .low = 0, .high = 1 };
    }
    world *w = open_world();
    invented_make(&w->all, inputs, 40, 100, invented_bowl, 4, &w->arena);
    invented_slices(&w->all, &w->arena);
    const char *page = check_all(w);
    assert_says(page, "The inputs are spread over 4 rows.");
    assert_says(page, "16 more are left out.");
    assert_says(page, "The first 8 of 40 inputs are shown.");

    una_study_digest d = digest_of(w);                   /* the bowl is steepest along the first */
    una_figure figure = una_study_chart_slices(&w->all.view, &d, 3, &w->arena);
    assert_int_equal(figure.panel_count, 3);
    assert_string_equal(figure.panels[0]->title, "w1");
    close_world(w);
}

static void two_thousand_trials(void **state)
{
    skip_if_sanitized();
    (void)state;
    static una_dimension inputs[12];
    static char names[12][16];
    for (size_t i = 0; i < 12; i++) {
        snprintf(names[i], sizeof names[i], "input %zu", i + 1);
        inputs[i] = mixed[i % 4];
        inputs[i].name = names[i];
    }
    world *w = open_world();
    invented_make(&w->all, inputs, 12, 2000, invented_bowl, 5, &w->arena);
    invented_slices(&w->all, &w->arena);
    const char *page = check_all(w);
    assert_true(strlen(page) < 1000000);
    assert_says(page, "Of 1800 other trials, 400 are drawn, spread evenly over their values.");
    assert_int_equal(occurrences(page, "<tr><td class=\"n\">"), 2 * UNA_STUDY_ROWS);
    close_world(w);
}

static void hostile_words(void **state)
{
    (void)state;
    static const char bad[] = "<script>alert('x')</script> & \"\xFF\x01";
    static const char *const levels[] = { "<script>", "\xC3", "a" };
    una_dimension inputs[] = { mixed[0], { .name = "</td><script>", .type = UNA_DIMENSION_CATEGORY, .high = 2,
        .levels = levels, .level_count = 3 } };
    inputs[0].name = bad;
    world *w = open_world();
    invented_make(&w->all, inputs, 2, 30, invented_bowl, 6, &w->arena);
    invented_slices(&w->all, &w->arena);
    char *long_note = UNA_GET(&w->arena, char, 100001);
    memset(long_note, '<', 100000);
    invented_fail(&w->all, 27, bad);
    invented_fail(&w->all, 28, long_note);
    w->all.view.title = w->all.view.model = w->all.view.acquisition = w->all.view.space = w->all.view.seed = bad;
    w->all.view.best = &w->all.trial[0];
    const char *page = check_all(w);
    assert_true(strlen(page) < 400000);

    w->all.view.slices = NULL, w->all.view.no_slices = bad;
    check_all(w);
    close_world(w);
}

static void same_trials_same_page(void **state)
{
    (void)state;
    world *a = open_world(), *b = open_world();
    make_mixed(a, 40);
    make_mixed(b, 40);
    assert_string_equal(page_of(a), page_of(b));
    close_world(a);
    close_world(b);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

typedef struct attempt { const una_study_view *view; bool chart; } attempt;

static una_status make_once(void *context, una_run *run)
{
    const attempt *a = context;
    una_arena arena;
    una_arena_init(&arena, run);
    una_text bytes = una_text_in(&arena);
    una_status status = a->chart ? una_study_view_chart(&bytes, a->view, UNA_FORMAT_SVG, run)
        : una_study_view_page(&bytes, a->view);
    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 30);
    invented_fail(&w->all, 3, "why");
    attempt page = { .view = &w->all.view }, chart = { .view = &w->all.view, .chart = true };
    assert_true(sweep_allocations(make_once, &page) > 3);
    assert_true(sweep_allocations(make_once, &chart) > 3);
    close_world(w);
}

/* ---- from a study ------------------------------------------------------------------------------------------------ */

/* It stands in for a real one: the calls that the page makes are answered from an invented study. */
struct una_study {
    invented_study *all;
    const char     *where;
    una_status      slice_status;
    una_trials      trials, best;
};

una_status una_study_trials(una_trials **trials, una_study *study, una_run *run)
{
    (void)run;
    study->trials = (una_trials){ study->all->view.trials, study->all->view.trial_count };
    *trials = &study->trials;
    return UNA_OK;
}

una_status una_study_best(una_trials **best, una_study *study, una_run *run)
{
    (void)run;
    study->best = (una_trials){ study->all->view.best, study->all->view.best != NULL };
    *best = &study->best;
    return UNA_OK;
}

void una_trials_free(una_trials *trials)
{
    (void)trials;
}

const char *una_study_text(const una_study *study, const char *what)
{
    if (strcmp(what, "where") == 0) return study->where;
    if (strcmp(what, "goal") == 0) return "minimize";
    if (strcmp(what, "space") != 0) return what;
    return "{\"rate\": {\"type\": \"real\", \"low\": 1e-5, \"high\": 0.1, \"log\": true}, \"dropout\": {\"type\": "
           "\"real\", \"low\": 0, \"high\": 0.5}, \"layers\": {\"type\": \"integer\", \"low\": 1, \"high\": 8}, "
           "\"material\": {\"type\": \"category\", \"levels\": [\"steel\", \"copper\", \"brass\", \"aluminium "
           "alloy\"]}, \"batch\": {\"type\": \"fixed\", \"value\": 32}}";
}

una_status una_study_slice(una_study *study, size_t input, size_t count, double *at, double *mean, double *std,
                           una_run *run)
{
    const una_slice *slice = &study->all->view.slices[input];
    if (study->slice_status != UNA_OK) UNA_FAIL(run, study->slice_status, "the model has nothing to go by");
    assert_int_equal(count, slice->count);
    memcpy(at, slice->at, count * sizeof *at);
    memcpy(mean, slice->mean, count * sizeof *at);
    memcpy(std, slice->std, count * sizeof *at);
    return UNA_OK;
}

static const char *contents(world *w, const char *path)
{
    FILE *stream = fopen(path, "rb");
    if (!stream) return NULL;
    char *bytes = UNA_GET(&w->arena, char, 4000000);
    size_t length = fread(bytes, 1, 3999999, stream);
    bytes[length] = 0;
    fclose(stream);
    return bytes;
}

static void page_of_a_study(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 30);
    una_study study = { .all = &w->all, .where = "/somewhere/private/coffee.study" };
    const char *path = temp_path("page.html");
    assert_ok(una_study_page(&study, path, w->run), w->run);
    const char *page = contents(w, path);
    assert_says(page, "<h1>Study coffee</h1>");
    assert_null(strstr(page, "somewhere"));
    assert_says(page, "Slices through the best trial.");
    assert_says(page, "--model model --acquisition acquisition --goal minimize --seed seed");

    study.where = "postgresql://me:secret@host/db#tea";
    assert_ok(una_study_page(&study, path, w->run), w->run);
    page = contents(w, path);
    assert_says(page, "<h1>Study tea</h1>");
    assert_null(strstr(page, "secret"));
    study.where = "postgresql://me:secret@host/db";
    assert_ok(una_study_page(&study, path, w->run), w->run);
    assert_says(contents(w, path), "<h1>Study</h1>");
    study.where = NULL;
    assert_ok(una_study_page(&study, path, w->run), w->run);
    assert_says(contents(w, path), "<h1>Study</h1>");
    close_world(w);
}

/* A model that has nothing to say leaves its sentence; no memory, or being told to stop, ends the call. */
static void page_without_a_model(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 30);
    una_study study = { .all = &w->all, .where = "coffee", .slice_status = UNA_E_NUMERIC };
    const char *path = temp_path("none.html");
    assert_ok(una_study_page(&study, path, w->run), w->run);
    assert_string_equal(una_run_message(w->run), "");
    assert_says(contents(w, path), "There is nothing to show here: the model has nothing to go by");

    study.slice_status = UNA_E_MEMORY;
    assert_status(una_study_page(&study, temp_path("never.html"), w->run), UNA_E_MEMORY, w->run);
    study.slice_status = UNA_CANCELLED;
    assert_status(una_study_page(&study, temp_path("never.html"), w->run), UNA_CANCELLED, w->run);
    assert_null(contents(w, temp_path("never.html")));

    w->all.view.best = NULL, w->all.view.trial_count = 0;        /* the model is not even asked */
    assert_ok(una_study_page(&study, path, w->run), w->run);
    assert_says(contents(w, path), "No trial has been asked for yet.");
    close_world(w);
}

static void chart_of_a_study(void **state)
{
    (void)state;
    world *w = open_world();
    make_mixed(w, 30);
    una_study study = { .all = &w->all, .where = "coffee" };
    assert_ok(una_study_chart(&study, temp_path("c.svg"), w->run), w->run);
    assert_says(contents(w, temp_path("c.svg")), "<svg");
    if (has_cairo()) {
        assert_ok(una_study_chart(&study, temp_path("c.pdf"), w->run), w->run);
        assert_ok(una_study_chart(&study, temp_path("c.PNG"), w->run), w->run);
        assert_says(contents(w, temp_path("c.pdf")), "%PDF");
        assert_memory_equal(contents(w, temp_path("c.PNG")), "\x89PNG", 4);
    }
    assert_status(una_study_chart(&study, temp_path("c.gif"), w->run), UNA_E_USAGE, w->run);
    assert_says(una_run_message(w->run), ".svg, .pdf or .png");
    close_world(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(best_come_first), cmocka_unit_test(progress_is_the_running_best),
        cmocka_unit_test(enormous_values_are_cut), cmocka_unit_test(sizes_that_differ_are_shown_by_logarithm),
        cmocka_unit_test(slices_stand_at_their_levels), cmocka_unit_test(page_tells_the_best),
        cmocka_unit_test(page_shows_predictions), cmocka_unit_test(page_warns_of_failures),
        cmocka_unit_test(few_trials), cmocka_unit_test(same_value_everywhere), cmocka_unit_test(one_input),
        cmocka_unit_test(nothing_but_fixed_inputs), cmocka_unit_test(nothing_but_categories),
        cmocka_unit_test(forty_inputs), cmocka_unit_test(two_thousand_trials), cmocka_unit_test(hostile_words),
        cmocka_unit_test(same_trials_same_page), cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(page_of_a_study), cmocka_unit_test(page_without_a_model), cmocka_unit_test(chart_of_a_study),
    };

    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    forget_cairo();
    return failed;
}
