/* SPDX-License-Identifier: MIT
 *
 * Tables of the thesis beside ours: what is printed there, claims and detection on made-up findings, and what the pages
 * of uci and gap show of both protocols, of models and sets that the thesis has not, and of what was not run.
 */
#include "draws.h"
#include "test_support.h"

#include "base/archive.h"
#include "published/published_page.h"
#include "model/kind.h"

#include <sys/stat.h>

const una_kind *const una_kinds[] = { NULL };                    /* nothing is fitted here */

/* ---- findings out of the air ------------------------------------------------------------------------------------ */

enum { SPLITS = 5, MOST_GROUPS = 80, MEASURES = UNA_PUBLISHED_ACROSS + UNA_PUBLISHED_BINS + 1 };

typedef struct air {
    una_row      fits[MOST_GROUPS * SPLITS];
    double       value[MOST_GROUPS * SPLITS * MEASURES], mean[MOST_GROUPS * MEASURES], sd[MOST_GROUPS * MEASURES];
    una_group    groups[MOST_GROUPS];
    una_findings f;
} air;

static void clear(air *a)
{
    memset(a, 0, sizeof *a);
    a->f = (una_findings){ .fits = a->fits, .value = a->value, .measures = MEASURES, .groups = a->groups,
                           .mean = a->mean, .sd = a->sd };
}

/* A group of five splits, without numbers. */
static void add(air *a, const char *kind, const char *spec, const char *data, const char *study)
{
    una_findings *f = &a->f;
    assert_true(f->group_count < MOST_GROUPS);
    a->groups[f->group_count] = (una_group){ kind, f->count, SPLITS, f };
    for (size_t m = 0; m < MEASURES; m++) a->mean[f->group_count * MEASURES + m] = NAN;
    for (size_t m = 0; m < MEASURES; m++) a->sd[f->group_count * MEASURES + m] = NAN;
    for (size_t s = 0; s < SPLITS; s++) {
        a->fits[f->count] = (una_row){ .key = { study, data, s, spec, s, 1 } };
        for (size_t m = 0; m < MEASURES; m++) a->value[f->count * MEASURES + m] = NAN;
        f->count++;
    }
    f->group_count++;
}

/* Of the last group: base + wobble (-1, -1/2, 0, 1/2, 1), whose sd is wobble sqrt(5/8). */
static void put(air *a, size_t measure, double base, double wobble)
{
    una_findings *f = &a->f;
    for (size_t s = 0; s < SPLITS; s++)
        a->value[(f->count - SPLITS + s) * MEASURES + measure] = base + wobble * ((double)s - 2) / 2;
    a->mean[(f->group_count - 1) * MEASURES + measure] = base;
    a->sd[(f->group_count - 1) * MEASURES + measure] = wobble * sqrt(5.0 / 8);
}

static int claim_result(const air *a, const una_claim *claims, const char *words, const char **numbers, una_run *run)
{
    for (const una_claim *claim = claims; claim->sentence; claim++) {
        una_text text = una_text_in(&run->scratch);
        int holds = -9;
        if (!strstr(claim->sentence, words)) continue;
        assert_ok(una_claim_judge(&holds, &text, claim, &a->f, run), run);
        if (numbers) *numbers = text.at;
        return holds;
    }
    fail_msg("no claim %s", words);
    return -9;
}

static const char *const thesis = "gap(preset=thesis)";

/* ---- what the thesis prints ------------------------------------------------------------------------------------- */

static void cell_is(una_thesis_table table, size_t method, const char *title, size_t part, double mean, double sd)
{
    const una_thesis_column *columns = table <= UNA_THESIS_LOG_LIK ? una_thesis_sets : una_thesis_gaps;
    for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++) {
        if (strcmp(columns[c].title, title) != 0) continue;
        una_printed cell = una_thesis_printed(table, method, c, part);
        assert_true(cell.mean == mean && cell.sd == sd);
        return;
    }
    fail_msg("no column %s", title);
}

static void printed_numbers_are_those_of_the_thesis(void **state)
{
    size_t cells = 0;
    (void)state;
    cell_is(UNA_THESIS_RMSE, UNA_METHOD_LUNA, "Yacht", 0, 0.51, 0.20);
    cell_is(UNA_THESIS_RMSE, UNA_METHOD_BBVI, "Concrete", 0, 16.45, 0.62);
    cell_is(UNA_THESIS_LOG_LIK, UNA_METHOD_NLM, "kin8nm", 0, 1.03, 0.03);
    cell_is(UNA_THESIS_LOG_LIK, UNA_METHOD_LUNA, "Wine", 0, -1.05, 0.06);
    cell_is(UNA_THESIS_GAP_RMSE, UNA_METHOD_MCD, "FROUDE", 1, 6.78, 0.37);
    cell_is(UNA_THESIS_GAP_LOG_LIK, UNA_METHOD_BBVI, "SUPER", 1, -27.14, 3.45);
    cell_is(UNA_THESIS_GAP_INCREASE, UNA_METHOD_LUNA, "PTRATIO", 0, 60.60, 45.32);
    cell_is(UNA_THESIS_GAP_EPISTEMIC, UNA_METHOD_GP, "LSTAT", 1, 1.71, 0.06);

    for (int t = 0; t < UNA_THESIS_TABLES; t++)
        for (size_t m = 0; m < UNA_METHODS; m++)
            for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++)
                for (size_t part = 0; part < 2; part++) {
                    una_printed cell = una_thesis_printed((una_thesis_table)t, m, c, part);
                    if (isnan(cell.mean)) continue;
                    assert_true(cell.sd >= 0);
                    bool wrong = t == UNA_THESIS_GAP_INCREASE && m == UNA_METHOD_BOOTSTRAP && c == 0;
                    assert_true(cell.mean != 0 || wrong);
                    cells++;
                }
    /* 9 methods in four tables, 6 of them with likelihoods in two; three tables have two numbers in a cell. */
    assert_int_equal(cells, 6 * (9 + 6 + 2 * 9 + 2 * 6 + 9 + 2 * 9));
    assert_true(isnan(una_thesis_printed(UNA_THESIS_LOG_LIK, UNA_METHOD_ENSEMBLE, 0, 0).mean));
    assert_true(isnan(una_thesis_printed(UNA_THESIS_GAP_INCREASE, UNA_METHOD_LUNA, 0, 1).mean));
    assert_true(isnan(una_thesis_printed(UNA_THESIS_RMSE, UNA_METHODS, 0, 0).mean));
    assert_true(isnan(una_thesis_printed(UNA_THESIS_RMSE, 0, UNA_THESIS_COLUMNS, 0).mean));
}

/* Two tables check each other: the increase is that of the raw values, up to their rounding; one cell is wrong in the
 * thesis itself. */
static void increases_are_those_of_the_deviations(void **state)
{
    (void)state;
    for (size_t m = 0; m < UNA_METHODS; m++)
        for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++) {
            double outside = una_thesis_printed(UNA_THESIS_GAP_EPISTEMIC, m, c, 0).mean;
            double inside = una_thesis_printed(UNA_THESIS_GAP_EPISTEMIC, m, c, 1).mean;
            double increase = una_thesis_printed(UNA_THESIS_GAP_INCREASE, m, c, 0).mean;
            bool wrong = m == UNA_METHOD_BOOTSTRAP && c == 0;
            assert_int_equal(fabs(inside / outside / (1 + increase / 100) - 1) < 0.04, !wrong);
        }
}

static void the_thesis_detects_what_it_says(void **state)
{
    static const size_t found[UNA_METHODS] = { 2, 5, 3, 1, 4, 2, 0, 1, 5 };
    (void)state;
    for (size_t m = 0; m < UNA_METHODS; m++) {
        size_t count = 0;
        for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++) {
            bool noticed = una_thesis_detects(una_thesis_printed(UNA_THESIS_GAP_INCREASE, m, c, 0)) == UNA_HOLDS;
            assert_false(noticed && strcmp(una_thesis_gaps[c].title, "RM") == 0);
            count += noticed;
        }
        assert_int_equal(count, found[m]);
    }
}

/* ---- claims ----------------------------------------------------------------------------------------------------- */

/* LUNA and NLM on concrete Cement by the thesis's protocol: errors that differ by `less`, more or less. */
static void near_air(air *a, double less, double noise)
{
    clear(a);
    add(a, "nlm", "nlm", "concrete Cement#00000000", thesis);
    put(a, UNA_PUBLISHED_RMSE, 5, 1);
    add(a, "luna", "luna", "concrete Cement#00000000", thesis);
    put(a, UNA_PUBLISHED_RMSE, 5 + less, 1 + noise);
}

static void within_error_bars(void **state)
{
    static air a;
    const char *claim = "outside the gap LUNA's error is within one sd of NLM's (concrete Cement)", *numbers;
    una_run *run = quiet_run();
    (void)state;
    near_air(&a, 0.1, 0.01);             /* the bar is sqrt(5/8) = 0.79 */
    assert_int_equal(claim_result(&a, una_gaps_claims, claim, &numbers, run), UNA_HOLDS);
    assert_says(numbers, "LUNA less NLM: 0.1 (");
    assert_says(numbers, "sd of NLM 0.79, 0.13 of it");
    assert_says(numbers, "published: 5.50 against 5.31 \xC2\xB1 0.97");
    near_air(&a, -2, 0.01);              /* better counts as beyond, and the sign says so */
    assert_int_equal(claim_result(&a, una_gaps_claims, claim, &numbers, run), UNA_DOES_NOT_HOLD);
    assert_says(numbers, "\xE2\x88\x92" "2.5 of it");
    near_air(&a, 0.7, 1);
    assert_int_equal(claim_result(&a, una_gaps_claims, claim, NULL, run), UNA_CANNOT_TELL);
    assert_int_equal(claim_result(&a, una_gaps_claims, "NLM's (boston RM)", &numbers, run), UNA_CANNOT_TELL);
    assert_says(numbers, "needs luna and nlm on boston RM");
    assert_int_equal(claim_result(&a, una_gaps_claims, "Automatic (ours): LUNA notices the gap in RM", NULL, run),
                     UNA_NOT_ASKED);
    una_run_free(run);
}

static void uci_has_three_ways_of_noise(void **state)
{
    static air a;
    una_run *run = quiet_run();
    (void)state;
    clear(&a);
    for (size_t i = 0; i < 2; i++) {
        add(&a, i ? "luna" : "nlm", i ? "luna" : "nlm", "wine-quality-red#00000000", "uci(preset=thesis)");
        put(&a, UNA_PUBLISHED_HAND_RMSE, 0.6, 0.1);
        put(&a, UNA_PUBLISHED_HAND_LOG_LIK, i ? 3 : -1, 0.1);
        put(&a, UNA_PUBLISHED_LOG_LIK, -1, 0.1);
    }
    static const char error[] = "protocol: LUNA's error is within error bars of NLM's on Wine";
    static const char hand[] = "protocol: LUNA's log-likelihood is within error bars of NLM's on Wine";
    static const char tuned[] = "tuned: LUNA's log-likelihood is within error bars of NLM's on Wine";
    assert_int_equal(claim_result(&a, una_uci_claims, error, NULL, run), UNA_HOLDS);
    assert_int_equal(claim_result(&a, una_uci_claims, hand, NULL, run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&a, una_uci_claims, tuned, NULL, run), UNA_HOLDS);
    assert_int_equal(claim_result(&a, una_uci_claims, "Automatic", NULL, run), UNA_NOT_ASKED);
    una_run_free(run);
}

/* All nine on all six columns: LUNA and the plain ensemble notice all but RM, NLM the first, the others nothing. */
static void six_columns(air *a, const char *study)
{
    for (size_t m = 0; m < UNA_METHODS; m++)
        for (size_t c = 0; c < UNA_THESIS_COLUMNS; c++) {
            static const char *const specs[UNA_METHODS] = { "ensemble(style=bootstrap)", "ensemble",
                "ensemble(style=anchored)", "nlm", "gp", "mcd", "sngp", "bbvi", "luna" };
            bool noticed = c != 3 && (m == UNA_METHOD_LUNA || m == UNA_METHOD_ENSEMBLE ||
                                      (m == UNA_METHOD_NLM && c == 0));
            add(a, una_methods[m].kind, specs[m], una_thesis_gaps[c].data, study);
            put(a, UNA_PUBLISHED_GAP_INCREASE, noticed ? 50 : -5, 20);
            put(a, UNA_PUBLISHED_GAP_AUROC, noticed ? 0.8 : 0.5, 0.02);
            put(a, UNA_PUBLISHED_EPISTEMIC, m == UNA_METHOD_GP ? 4 : m == UNA_METHOD_BBVI ? 1 : 2, 0);
            put(a, UNA_PUBLISHED_GAP_EPISTEMIC, m == UNA_METHOD_GP ? 4 : m == UNA_METHOD_BBVI ? 1 : 2, 0);
            put(a, UNA_PUBLISHED_GAP_LOG_LIK, m == UNA_METHOD_GP ? -3 : m == UNA_METHOD_BBVI ? -5 : -2, 0.1);
        }
}

static void who_notices_follows_the_thesis_rule(void **state)
{
    static air a;
    const char *numbers;
    una_run *run = quiet_run();
    (void)state;
    clear(&a);
    six_columns(&a, thesis);
    assert_int_equal(claim_result(&a, una_gaps_claims, "nobody notices the gap in RM", &numbers, run), UNA_HOLDS);
    assert_says(numbers, "9 of 9 methods were asked, none notices");
    assert_int_equal(claim_result(&a, una_gaps_claims, "LUNA notices the gap in cement", &numbers, run), UNA_HOLDS);
    assert_says(numbers, "increase 50 \xC2\xB1 16 %");
    assert_says(numbers, "published 56 \xC2\xB1 29 %");
    assert_int_equal(claim_result(&a, una_gaps_claims, "ensemble notices the gap in PTRATIO", NULL, run), UNA_HOLDS);
    assert_int_equal(claim_result(&a, una_gaps_claims, "NLM notices the gap in the Froude number and no other", NULL,
                                  run), UNA_HOLDS);
    assert_int_equal(claim_result(&a, una_gaps_claims, "epistemic values than the GP", NULL, run), UNA_DOES_NOT_HOLD);
    assert_int_equal(claim_result(&a, una_gaps_claims, "epistemic values than BBVI", &numbers, run), UNA_HOLDS);
    assert_says(numbers, "over that of BBVI, over the columns: 1 (");

    /* RM is the fourth column of the ninth method: one who notices it is enough against the claim. */
    a.mean[(8 * 6 + 3) * MEASURES + UNA_PUBLISHED_GAP_INCREASE] = 17;
    assert_int_equal(claim_result(&a, una_gaps_claims, "nobody notices the gap in RM", &numbers, run),
                     UNA_DOES_NOT_HOLD);
    assert_says(numbers, "noticed by LUNA 17");
    /* NLM at cement */
    a.mean[(3 * 6 + 1) * MEASURES + UNA_PUBLISHED_GAP_INCREASE] = 17;
    assert_int_equal(claim_result(&a, una_gaps_claims, "NLM notices the gap in the Froude number and no other", NULL,
                                  run), UNA_DOES_NOT_HOLD);
    a.groups[8 * 6 + 1].count = 1;       /* one split has no deviation: LUNA at cement */
    assert_int_equal(claim_result(&a, una_gaps_claims, "LUNA notices the gap in cement", NULL, run), UNA_CANNOT_TELL);
    a.f.group_count = 6;                 /* the bootstrap ensemble alone */
    a.f.count = 6 * SPLITS;
    assert_int_equal(claim_result(&a, una_gaps_claims, "nobody notices the gap in RM", NULL, run), UNA_CANNOT_TELL);
    assert_int_equal(claim_result(&a, una_gaps_claims, "LUNA notices the gap in cement", &numbers, run),
                     UNA_CANNOT_TELL);
    assert_says(numbers, "needs luna on concrete Cement");
    una_run_free(run);
}

/* ---- pages ------------------------------------------------------------------------------------------------------ */

typedef una_status page_of(una_page *page);

/* Writes the page of the findings into a folder of that name, and says what is in one of its files. */
static const char *folder_of(page_of *of, const air *a, const char *name, una_run *run)
{
    static char folder[4096];
    una_arena arena;
    una_arena_init(&arena, run);
    snprintf(folder, sizeof folder, "%s", temp_path(name));
    mkdir(folder, 0777);
    una_page page = { .html = una_html_begin(&arena, name), .words = una_text_in(&arena), .folder = folder,
                      .experiment = "x", .findings = &a->f, .arena = &arena, .run = run };
    assert_ok(of(&page), run);
    una_arena_free(&arena);
    return folder;
}

static const char *file_of(const char *folder, const char *name, una_run *run)
{
    char path[4200];
    unsigned char *bytes;
    size_t size;
    snprintf(path, sizeof path, "%s/x%s", folder, name);
    assert_ok(una_slurp(&bytes, &size, path, &run->scratch, run), run);
    char *text = UNA_GET(&run->scratch, char, size + 1);
    memcpy(text, bytes, size);
    return text;
}

static const char *part_of(const char *folder, const char *part, una_run *run)
{
    char name[200];
    snprintf(name, sizeof name, "-%s.csv", part);
    return file_of(folder, name, run);
}

static bool is_there(const char *folder, const char *file)
{
    char path[4200];
    struct stat about;
    snprintf(path, sizeof path, "%s/x-%s", folder, file);
    return stat(path, &about) == 0;
}

static void the_page_of_gap_says_who_notices(void **state)
{
    static air a;
    una_run *run = quiet_run();
    (void)state;
    clear(&a);
    six_columns(&a, "gap");
    add(&a, "auto", "auto", "energy X1#00000000", "gap");
    put(&a, UNA_PUBLISHED_GAP_AUROC, 0.9, 0);
    put(&a, UNA_PUBLISHED_GAP_INCREASE, 30, 0);
    put(&a, UNA_PUBLISHED_GAP_LOG_LIK, -1, 0);
    add(&a, "gp", "gp", "energy X1#00000000", "gap");
    put(&a, UNA_PUBLISHED_GAP_AUROC, 0.55, 0);
    put(&a, UNA_PUBLISHED_GAP_INCREASE, 3, 0);
    put(&a, UNA_PUBLISHED_GAP_LOG_LIK, -1.5, 0);
    for (size_t g = a.f.group_count - 2; g < a.f.group_count; g++) a.groups[g].count = 1;        /* of energy */
    const char *folder = folder_of(una_gaps_page, &a, "gap-page", run);

    const char *found = part_of(folder, "detection", run);
    assert_says(found, "\"the thesis, as published\",LUNA,\"5 of 6: FROUDE, CEMENT, SUPER, LSTAT, PTRATIO\"");
    assert_says(found, "automatic,LUNA,\"5 of 6: FROUDE, CEMENT, SUPER, LSTAT, PTRATIO\",\"5 of 6: FROUDE, CEMENT, "
                "SUPER, LSTAT, PTRATIO\",\"6 of 6: FROUDE, CEMENT, SUPER, RM, LSTAT, PTRATIO\"");
    assert_says(found, "automatic,NLM,1 of 6: FROUDE,1 of 6: FROUDE,\"6 of 6");
    assert_says(found, "automatic,BBVI,0 of 6,0 of 6,0 of 6");           /* less likely than the GP inside */
    assert_says(found, "automatic,GP,0 of 6,0 of 6,\xE2\x80\x93");
    assert_null(strstr(found, "auto,"));                                 /* not run on these columns */
    assert_says(part_of(folder, "increase", run), "LUNA,published,59.17,36.87,55.93,28.83,");
    assert_says(part_of(folder, "increase", run), "LUNA,\"ours, auto\",50,");
    assert_null(strstr(part_of(folder, "increase", run), "ours, thesis"));
    assert_says(part_of(folder, "columns", run), "energy,X1,3,30,0.55,0.9,0.5\n");
    assert_says(part_of(folder, "columns-summary", run), "auto,1,1,1,1,0.5");
    assert_true(is_there(folder, "risk-automatic.svg") && !is_there(folder, "risk-thesis.svg"));
    assert_says(file_of(folder, "-increase.md", run), "Splits: 5.");      /* of the six */
    assert_says(file_of(folder, "-columns.md", run), "Splits: 1 to 5.");
    una_run_free(run);
}

static void the_page_of_uci_has_both_protocols(void **state)
{
    static air a;
    una_run *run = quiet_run();
    (void)state;
    clear(&a);
    add(&a, "linear", "linear", "naval-propulsion#00000000", "uci");
    put(&a, UNA_PUBLISHED_RMSE, 0.5, 0.1);
    put(&a, UNA_PUBLISHED_LOG_LIK, 2, 0.1);
    add(&a, "linear", "linear", "yacht#00000000", "uci(preset=thesis)");     /* which has no noise set by hand */
    put(&a, UNA_PUBLISHED_RMSE, 8, 0.1);
    put(&a, UNA_PUBLISHED_HAND_RMSE, NAN, NAN);
    put(&a, UNA_PUBLISHED_HAND_LOG_LIK, NAN, NAN);
    for (size_t i = 0; i < 4; i++) {
        const char *kind = i % 2 ? "luna" : "nlm";
        add(&a, kind, i == 3 ? "luna(width=9)" : kind, "yacht#00000000", i < 2 ? "uci(preset=thesis)" : "uci");
        put(&a, UNA_PUBLISHED_RMSE, i % 2 ? 0.75 : 1.25, 0.125);
        put(&a, UNA_PUBLISHED_HAND_RMSE, 2.5, 0.125);
        put(&a, UNA_PUBLISHED_HAND_LOG_LIK, -2.5, 0.125);
        put(&a, UNA_PUBLISHED_LOG_LIK, i % 2 ? -0.5 : -1, 0.125);
    }
    const char *folder = folder_of(una_uci_page, &a, "uci-page", run);

    const char *rmse = part_of(folder, "rmse", run);
    assert_says(rmse, "group,whose,Yacht,Yacht sd,naval-propulsion,naval-propulsion sd\n");
    assert_says(rmse, "NLM,published,0.55,0.3,,\nNLM,\"ours, by hand\",2.5,");
    assert_says(rmse, "LUNA,\"ours, tuned\",0.75,");
    assert_says(rmse, "LUNA,\"ours, auto\",0.75,");                      /* one spec of its own in each protocol */
    assert_true(strstr(rmse, "NLM,published") < strstr(rmse, "LUNA,published"));
    assert_true(strstr(rmse, "LUNA,published") < strstr(rmse, "linear,\"ours, auto\",,,0.5,"));
    assert_says(part_of(folder, "log-lik", run), "published by others,best published,-0.16,,,\n");
    assert_says(part_of(folder, "log-lik-by-hand", run), "LUNA,published,-2.31,0.01,,\nLUNA,\"ours, by hand\",-2.5,");
    assert_null(strstr(part_of(folder, "log-lik-by-hand", run), "linear"));
    assert_says(rmse, "linear,\"ours, tuned\",8,");
    assert_null(strstr(rmse, "linear,\"ours, by hand\""));
    assert_says(part_of(folder, "sources", run), "best published,Yacht,-0.16,\"WGBoost");
    assert_says(part_of(folder, "paired-automatic", run), "RMSE (below 0: LUNA is better),NLM,\"\xE2\x88\x92" "0.5 (");
    assert_null(strstr(part_of(folder, "paired-automatic", run), "linear"));    /* on another set */
    /* 0.5 less; the sd is 0.125 sqrt(5/8) */
    assert_says(part_of(folder, "near", run), "automatic,RMSE,\"\xE2\x88\x92" "0.5, \xE2\x88\x92" "5.1 sd: beyond\",");
    assert_true(is_there(folder, "paired-thesis.csv") && is_there(folder, "risk-thesis.png") == has_cairo());
    una_run_free(run);
}

/* Without the automatic GP there is nothing to hold the likelihood inside against. */
static void the_page_of_gap_without_the_gp(void **state)
{
    static air a;
    una_run *run = quiet_run();
    (void)state;
    clear(&a);
    six_columns(&a, thesis);
    const char *folder = folder_of(una_gaps_page, &a, "thesis-page", run);
    assert_says(part_of(folder, "detection", run), "protocol,NLM,1 of 6: FROUDE,1 of 6: FROUDE,\xE2\x80\x93\n");
    assert_true(is_there(folder, "auroc.csv") && !is_there(folder, "inside.csv") && !is_there(folder, "columns.csv"));
    una_run_free(run);
}

static una_status small_page(void *context, una_run *run)
{
    una_arena arena;
    una_arena_init(&arena, run);
    una_page page = { .html = una_html_begin(&arena, "small"), .words = una_text_in(&arena), .folder = temp_folder(),
                      .experiment = "small", .findings = &((const air *)context)->f, .arena = &arena, .run = run };
    una_status status = una_gaps_page(&page);
    if (status == UNA_OK) status = una_arena_check(&arena);
    una_arena_free(&arena);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    static air a;
    (void)state;
    skip_if_sanitized();
    clear(&a);
    for (size_t i = 0; i < 3; i++) {
        static const char *const kinds[] = { "gp", "nlm", "luna" };
        add(&a, kinds[i], kinds[i], "boston RM", "gap");
        put(&a, UNA_PUBLISHED_GAP_AUROC, 0.6, 0.1);
        put(&a, UNA_PUBLISHED_GAP_LOG_LIK, -1, 0.1);
        add(&a, kinds[i], kinds[i], "boston AGE", "gap");
    }
    assert_true(sweep_allocations(small_page, &a) > 3);
}

static size_t times_in(const char *text, const char *words)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, words)); at++) count++;
    return count;
}

/* The page says it once, however many tables it has; each table's file by itself. */
static void what_is_less_than_in_the_thesis_stands_once(void **state)
{
    static air a;
    una_run *run = quiet_run();
    una_arena arena;
    (void)state;
    una_arena_init(&arena, run);
    clear(&a);
    six_columns(&a, "gap(preset=thesis, steps=200)");
    char folder[4096], file[4200];
    unsigned char *bytes;
    size_t size;
    snprintf(folder, sizeof folder, "%s", temp_path("less"));
    mkdir(folder, 0777);
    una_page page = { .html = una_html_begin(&arena, "less"), .words = una_text_in(&arena), .folder = folder,
                      .experiment = "x", .findings = &a.f, .arena = &arena, .run = run };
    assert_ok(una_gaps_page(&page), run);
    assert_int_equal(times_in(page.words.at, "no training has more than 200 steps"), 1);
    assert_int_equal(times_in(page.html.text.at, "no training has more than 200 steps"), 1);
    assert_true(times_in(page.words.at, "stands at the top") > 4);

    snprintf(file, sizeof file, "%s/x-near.md", folder);
    assert_ok(una_slurp(&bytes, &size, file, &run->scratch, run), run);
    char *text = UNA_GET(&run->scratch, char, size + 1);
    memcpy(text, bytes, size);
    assert_says(text, "no training has more than 200 steps");
    assert_null(strstr(text, "stands at the top"));
    una_arena_free(&arena);
    una_run_free(run);
}

/* Two specs of a method in one protocol are told apart by their specs, both where the method stands. */
static void two_specs_of_a_method(void **state)
{
    static air a;
    una_show show;
    una_run *run = quiet_run();
    (void)state;
    clear(&a);
    add(&a, "tuna", "tuna", "yacht#00000000", "uci");
    add(&a, "luna", "luna", "yacht#00000000", "uci");
    add(&a, "nlm", "nlm(width=9)", "yacht#00000000", "uci");
    add(&a, "nlm", "nlm", "yacht#00000000", "uci");
    una_page page = { .findings = &a.f, .arena = &run->scratch, .run = run };
    assert_ok(una_show_of(&show, &page, una_thesis_sets), run);
    assert_int_equal(show.who_count, 4);
    assert_string_equal(show.who[0], "nlm(width=9)");
    assert_string_equal(show.who[1], "nlm");
    assert_string_equal(show.who[2], "LUNA");
    assert_string_equal(show.who[3], "tuna");
    assert_ptr_equal(una_show_group(&show, 1, 0, UNA_PRESET_AUTOMATIC), &a.groups[3]);
    assert_null(una_show_group(&show, 1, 0, UNA_PRESET_THESIS));
    una_run_free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(printed_numbers_are_those_of_the_thesis),
        cmocka_unit_test(increases_are_those_of_the_deviations),
        cmocka_unit_test(the_thesis_detects_what_it_says),
        cmocka_unit_test(within_error_bars),
        cmocka_unit_test(uci_has_three_ways_of_noise),
        cmocka_unit_test(who_notices_follows_the_thesis_rule),
        cmocka_unit_test(the_page_of_gap_says_who_notices),
        cmocka_unit_test(the_page_of_gap_without_the_gp),
        cmocka_unit_test(the_page_of_uci_has_both_protocols),
        cmocka_unit_test(what_is_less_than_in_the_thesis_stands_once),
        cmocka_unit_test(two_specs_of_a_method),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
