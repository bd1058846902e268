/* SPDX-License-Identifier: MIT
 *
 * The UCI sets under automatic rules: which splits there are, which rows train and test, one fit and its scores.
 */
#include "bench/published.h"

#include "base/archive.h"
#include "bench/truth.h"
#include "data/columns.h"
#include "data/copies.h"
#include "data/sum.h"
#include "data/table.h"
#include "score/score.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct set { const char *name, *gaps[4]; size_t splits; } set;

static const set sets[] = {
    { "boston", { "RM", "LSTAT", "PTRATIO" }, 20 },
    { "concrete", { "Cement", "Superplasticizer" }, 20 },
    { "energy", { NULL }, 20 },
    { "kin8nm", { NULL }, 20 },
    { "naval-propulsion", { NULL }, 20 },
    { "power-plant", { NULL }, 20 },
    { "protein-structure", { NULL }, 5 },
    { "wine-quality-red", { NULL }, 20 },
    { "yacht", { "Froude number" }, 20 },
};
enum { SETS = sizeof sets / sizeof *sets, GAP_SPLITS = 10, INNER_SEED = 1000 };
static const double inner_share = 0.1;

const una_entry una_published_entries[] = {
    { "nlm", "nlm", "nlm(steps=500)" },
    { "auto", "auto", "auto(luna=luna(steps=500))" },
    { "luna", "luna", "luna(steps=500)" },
    { NULL, NULL, NULL }
};

/* ---- which data sets ----------------------------------------------------------------------------------------- */

static const char *path_of(const una_published *o, const char *folder, const char *name, const char *ending,
                           una_arena *arena)
{
    una_text path = una_text_in(arena);
    una_text_add(&path, "%s/%s/%s%s", o->data, folder, name, ending);
    return path.at;
}

typedef struct place { const char *rows, *splits; } place;       /* paths of a set's files */

static place place_of(const una_published *o, const char *name, una_arena *arena)
{
    return (place){ path_of(o, "uci", name, ".csv", arena), path_of(o, "uci/splits", name, ".json", arena) };
}

static una_status is_there(bool *there, const una_published *o, const set *s, una_run *run)
{
    una_mark mark = una_arena_mark(&run->scratch);
    place at = place_of(o, s->name, &run->scratch);
    una_status status = una_arena_check(&run->scratch);
    *there = status == UNA_OK && access(at.rows, R_OK) == 0 && access(at.splits, R_OK) == 0;
    una_arena_release(&run->scratch, mark);
    return status;
}

static una_status absent(const una_published *o, const char *name, una_run *run)
{
    if (!*o->data)
        UNA_FAIL(run, UNA_E_INPUT, "the data of this experiment does not come with una: name a folder that has "
                 "uci/NAME.csv and uci/splits/NAME.json with --data FOLDER; docs/BENCH.md says what they hold and "
                 "where they are published");
    UNA_FAIL(run, UNA_E_INPUT, "the folder %s has no uci/%s.csv with uci/splits/%s.json%s; docs/BENCH.md says what "
             "they hold and where they are published", o->data, name ? name : "NAME", name ? name : "NAME",
             name ? "" : " for any data set of this experiment");
}

/* Whether the list, names with commas between, has the set; an empty one has all. */
static bool is_listed(const char *list, const char *name)
{
    size_t length = strlen(name);
    if (!*list) return true;
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " ");
        size_t part = strcspn(at, ",");
        while (part > 0 && at[part - 1] == ' ') part--;
        if (part == length && memcmp(at, name, length) == 0) return true;
    }
    return false;
}

static una_status check_list(const char *list, una_rows_group group, una_run *run)
{
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',') {
        char name[64];
        bool known = false;
        at += strspn(at, " ");
        int part = (int)strcspn(at, ",");
        while (part > 0 && at[part - 1] == ' ') part--;
        snprintf(name, sizeof name, "%.*s", part, at);
        for (size_t s = 0; s < SETS && !known; s++)
            known = strcmp(sets[s].name, name) == 0 && (group != UNA_GROUP_GAP || sets[s].gaps[0]);
        if (known) continue;

        una_text all = una_text_in(&run->scratch);
        for (size_t s = 0; s < SETS; s++) {
            if (group == UNA_GROUP_GAP && !sets[s].gaps[0]) continue;
            una_text_add(&all, "%s%s", all.length ? ", " : "", sets[s].name);
        }
        UNA_FAIL(run, UNA_E_USAGE, "there is no data set '%s' in this experiment; its sets are %s", name,
                 all.at ? all.at : "");
    }
    return UNA_OK;
}

/* ---- which splits -------------------------------------------------------------------------------------------- */

static una_status read_splits(size_t *from, size_t *to, const una_asked *asked, una_run *run)
{
    const una_published *o = asked->options;
    char *end;
    *from = 0;
    *to = asked->quick ? 1 : 4;
    if (strcmp(o->splits, "auto") == 0) return UNA_OK;

    bool good = *o->splits >= '0' && *o->splits <= '9';
    if (good) *from = *to = (size_t)strtoul(o->splits, &end, 10);
    if (good && *end == '-') {
        good = end[1] >= '0' && end[1] <= '9';
        if (good) *to = (size_t)strtoul(end + 1, &end, 10);
    }
    if (good && !*end && *from <= *to) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "splits=%.40s cannot be read: give one number or two, for instance 3 or 10-19",
             o->splits);
}

/* The experiment with those of its options that change numbers. */
static const char *study_of(const una_asked *asked, una_rows_group group)
{
    const una_published *o = asked->options;
    una_text study = una_text_in(asked->keep);
    una_text_add(&study, "%s", asked->experiment->name);
    if (group == UNA_GROUP_VALID) una_text_add(&study, "(group=valid");
    if (!UNA_IS_AUTO(o->held)) {
        una_text_add(&study, group == UNA_GROUP_VALID ? ", held=" : "(held=");
        una_text_number(&study, o->held);
    }
    if (group == UNA_GROUP_VALID || !UNA_IS_AUTO(o->held)) una_text_add(&study, ")");
    return study.at;
}

/* Of the bytes of both files: rows and splits that were replaced make other keys. */
static una_status sum_files(uint32_t *sum, const place *at, una_run *run)
{
    una_arena *arena = &run->scratch;
    unsigned char *rows, *splits;
    size_t row_size, split_size;
    UNA_TRY(una_slurp(&rows, &row_size, at->rows, arena, run));
    UNA_TRY(una_slurp(&splits, &split_size, at->splits, arena, run));

    uint64_t sizes[] = { row_size, split_size };
    size_t size = (sizeof sizes + row_size + split_size + 7) / 8 * 8;
    unsigned char *all = UNA_GET(arena, unsigned char, size);
    UNA_TRY(una_arena_check(arena));
    memcpy(all, sizes, sizeof sizes);
    memcpy(all + sizeof sizes, rows, row_size);
    memcpy(all + sizeof sizes + row_size, splits, split_size);

    una_sum whole = una_sum_begin();
    una_sum_add(&whole, all, size);
    uint64_t folded = una_sum_end(&whole);
    *sum = (uint32_t)(folded ^ folded >> 32);
    return UNA_OK;
}

/* gap NULL: the standard split of that number; else the gap along that column. */
static una_status read_split(una_split *split, const una_dataset *all, const place *at, const char *gap, size_t number,
                             una_run *run)
{
    size_t index = number;
    if (gap) UNA_TRY(una_table_need(&index, all, gap, run));
    return una_split_read(split, at->splits, gap ? "gap" : "standard", index, una_dataset_row_count(all), run);
}

/* A split that is not there, or cannot be used, is found before the first fit. */
static una_status check_split(const una_dataset *all, const place *at, const char *gap, size_t number, una_run *run)
{
    una_split split = { .size = sizeof split };
    char why[sizeof run->message];
    una_status status = read_split(&split, all, at, gap, number, run);
    una_split_free(&split, run);
    if (status != UNA_E_USAGE) return status;
    memcpy(why, run->message, sizeof why);
    UNA_FAIL(run, UNA_E_INPUT, "%.900s; say with --splits which ones to take", why);
}

typedef struct listing {                 /* of one set                                                       */
    una_plan        *plan;
    const una_asked *asked;
    const set       *set;
    const char      *study;
    size_t           from, to;           /* splits                                                           */
    place            at;
    uint32_t         sum;
    una_dataset     *all;
} listing;

/* "boston#1a2b3c4d", or "boston RM#1a2b3c4d" with a gap. */
static const char *data_of(const listing *l, const char *gap)
{
    una_text data = una_text_in(l->asked->keep);
    una_text_add(&data, "%s%s%s#%08" PRIx32, l->set->name, gap ? " " : "", gap ? gap : "", l->sum);
    return data.at;
}

static una_status list_splits(const listing *l, const char *gap, una_run *run)
{
    const char *data = data_of(l, gap);
    size_t splits = gap ? GAP_SPLITS : l->set->splits;
    for (size_t k = l->from; data && k <= l->to && k < splits; k++) {
        if (!gap || k == l->from) UNA_TRY(check_split(l->all, &l->at, gap, k, run));
        for (size_t m = 0; m < l->asked->model_count; m++)
            una_plan_add(l->plan, una_model_row_key(&l->asked->models[m], l->study, data, k, l->asked->first + k));
    }
    return UNA_OK;
}

static una_status list_set(listing *l, una_rows_group group, una_run *run)
{
    l->at = place_of(l->asked->options, l->set->name, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(sum_files(&l->sum, &l->at, run));
    UNA_TRY(una_dataset_read(&l->all, l->at.rows, run));
    if (group != UNA_GROUP_GAP) return list_splits(l, NULL, run);
    for (size_t g = 0; g < 4 && l->set->gaps[g]; g++) UNA_TRY(list_splits(l, l->set->gaps[g], run));
    return UNA_OK;
}

una_status una_published_plan(una_plan *plan, const una_asked *asked, una_rows_group group, una_run *run)
{
    const una_published *o = asked->options;
    const char *study = study_of(asked, group);
    size_t from, to;
    bool there, any = false;
    UNA_TRY(una_arena_check(asked->keep));
    UNA_TRY(check_list(o->sets, group, run));
    UNA_TRY(read_splits(&from, &to, asked, run));

    for (size_t s = 0; s < SETS; s++) {
        if (!is_listed(o->sets, sets[s].name) || (group == UNA_GROUP_GAP && !sets[s].gaps[0])) continue;
        UNA_TRY(is_there(&there, o, &sets[s], run));
        if (!there && *o->sets) return absent(o, sets[s].name, run);
        if (!there) continue;
        any = true;
        listing l = { .plan = plan, .asked = asked, .set = &sets[s], .study = study, .from = from, .to = to };
        una_mark mark = una_arena_mark(&run->scratch);
        una_status status = list_set(&l, group, run);
        una_dataset_free(l.all);
        una_arena_release(&run->scratch, mark);
        UNA_TRY(status);
    }
    UNA_TRY(una_arena_check(asked->keep));
    if (plan->count == 0 && any)
        UNA_FAIL(run, UNA_E_USAGE, "splits=%s: no data set here has so many", o->splits);
    return plan->count ? UNA_OK : absent(o, NULL, run);
}

/* ---- one fit ------------------------------------------------------------------------------------------------- */

enum { TRAIN, TEST, GAP, PARTS };

typedef struct material { una_dataset *all, *part[PARTS]; } material;

static void free_material(material *m)
{
    for (size_t i = 0; i < PARTS; i++) una_dataset_free(m->part[i]);
    una_dataset_free(m->all);
}

/* Training rows of the published split, a tenth of them taken away by the split's number. */
static una_status split_again(una_split *inner, const una_split *split, uint64_t number, una_run *run)
{
    UNA_TRY(una_split_random(inner, split->train_count, inner_share, INNER_SEED + number, run));
    for (size_t i = 0; i < inner->train_count; i++) inner->train[i] = split->train[inner->train[i]];
    for (size_t i = 0; i < inner->test_count; i++) inner->test[i] = split->train[inner->test[i]];
    return UNA_OK;
}

static una_status take_rows(material *m, const una_split *split, una_rows_group group, uint64_t number, una_run *run)
{
    una_split inner = { .size = sizeof inner };
    const una_split *used = split;
    una_status status = UNA_OK;
    if (group != UNA_GROUP_STANDARD) {
        status = split_again(&inner, split, number, run);
        used = &inner;
    }

    if (status == UNA_OK) status = una_dataset_rows(&m->part[TRAIN], m->all, used->train, used->train_count, run);
    if (status == UNA_OK) status = una_dataset_rows(&m->part[TEST], m->all, used->test, used->test_count, run);
    if (status == UNA_OK && group == UNA_GROUP_GAP)
        status = una_dataset_rows(&m->part[GAP], m->all, split->test, split->test_count, run);
    una_split_free(&inner, run);
    return status;
}

static una_status read_material(material *m, const una_row_key *key, const una_published *o, una_rows_group group,
                                una_run *run)
{
    char name[128], *gap;
    una_split split = { .size = sizeof split };
    snprintf(name, sizeof name, "%.*s", (int)una_row_key_data(key->data), key->data);
    gap = strchr(name, ' ');
    if (gap) *gap++ = 0;
    place at = place_of(o, name, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    UNA_TRY(una_dataset_read(&m->all, at.rows, run));
    UNA_TRY(read_split(&split, m->all, &at, gap, (size_t)key->split, run));
    una_status status = take_rows(m, &split, group, key->split, run);
    una_split_free(&split, run);
    return status;
}

static una_status score_part(una_score *score, double **spread, const una_model *model, const una_dataset *part,
                             una_run *run)
{
    *spread = UNA_GET(&run->scratch, double, una_dataset_row_count(part));
    UNA_TRY(una_arena_check(&run->scratch));
    una_prediction p = { .size = sizeof p, .std_epistemic = *spread };
    UNA_TRY(una_model_score(score, model, part, run));
    return una_model_predict(model, part, 0.95, &p, run);
}

static void take_scores(double *value, const una_score *score, const una_fit_info *info)
{
    value[UNA_PUBLISHED_ROWS] = (double)score->rows;
    value[UNA_PUBLISHED_RMSE] = score->rmse;
    value[UNA_PUBLISHED_LOG_LIK] = score->log_lik;
    value[UNA_PUBLISHED_CRPS] = score->crps;
    value[UNA_PUBLISHED_COVERAGE_50] = score->coverage_50;
    value[UNA_PUBLISHED_COVERAGE_90] = score->coverage_90;
    value[UNA_PUBLISHED_COVERAGE_95] = score->coverage_95;
    value[UNA_PUBLISHED_CALIBRATION] = score->calibration_error;
    value[UNA_PUBLISHED_EPISTEMIC] = score->mean_std_epistemic;
    value[UNA_PUBLISHED_NOISE] = info->noise_std;
    value[UNA_PUBLISHED_COS2] = info->mean_cos2;
    value[UNA_PUBLISHED_WARNINGS] = (double)info->warning_count;
}

/* x [train rows, then test rows; *cols]: encoded as a fit to the training rows sees them. */
static una_status encode_both(double **x, size_t *cols, const una_dataset *train, const una_dataset *test,
                              una_run *run)
{
    una_columns columns;
    const una_dataset *part[] = { train, test };
    double *of[2];
    size_t rows[2];
    UNA_TRY(una_columns_learn(&columns, train, NULL, UNA_MISSING_ERROR, 0, NULL, &run->scratch, run));
    for (size_t i = 0; i < 2; i++)
        UNA_TRY(una_columns_encode(&columns, part[i], &of[i], NULL, NULL, &rows[i], &run->scratch, run));

    *cols = columns.input_count;
    *x = UNA_GET(&run->scratch, double, (rows[0] + rows[1]) * *cols);
    UNA_TRY(una_arena_check(&run->scratch));
    memcpy(*x, of[0], rows[0] * *cols * sizeof **x);
    memcpy(*x + rows[0] * *cols, of[1], rows[1] * *cols * sizeof **x);
    return UNA_OK;
}

/* index [count]: the test rows whose inputs no training row has. */
static una_status find_new(size_t **index, size_t *count, const material *m, una_run *run)
{
    size_t train = una_dataset_row_count(m->part[TRAIN]), test = una_dataset_row_count(m->part[TEST]), cols;
    double *x;
    una_copies copies;
    UNA_TRY(encode_both(&x, &cols, m->part[TRAIN], m->part[TEST], run));
    UNA_TRY(una_copies_find(&copies, x, train + test, cols, cols, &run->scratch, run));
    *index = UNA_GET(&run->scratch, size_t, test);
    UNA_TRY(una_arena_check(&run->scratch));

    *count = 0;
    for (size_t i = 0; i < test; i++) {
        bool seen = false;
        size_t self = train + i;
        for (size_t row = copies.next[self]; row != self && !seen; row = copies.next[row]) seen = row < train;
        if (!seen) (*index)[(*count)++] = i;
    }
    return UNA_OK;
}

/* A model that remembers its rows does well at copies of them: these scores go without. */
static una_status score_new(double *value, const una_model *model, const material *m, una_run *run)
{
    size_t *index, count;
    una_dataset *part = NULL;
    una_score score = UNA_INIT(una_score);
    UNA_TRY(find_new(&index, &count, m, run));
    una_status status = count ? una_dataset_rows(&part, m->part[TEST], index, count, run) : UNA_OK;
    if (status == UNA_OK && count) status = una_model_score(&score, model, part, run);
    value[UNA_PUBLISHED_ROWS_NEW] = (double)count;
    value[UNA_PUBLISHED_RMSE_NEW] = count ? score.rmse : NAN;
    value[UNA_PUBLISHED_LOG_LIK_NEW] = count ? score.log_lik : NAN;
    una_dataset_free(part);
    return status;
}

static una_status take_measures(double *value, const una_model *model, const material *m, una_run *run)
{
    una_score score = UNA_INIT(una_score), gap = UNA_INIT(una_score);
    double *outside, *inside;
    UNA_TRY(score_part(&score, &outside, model, m->part[TEST], run));
    take_scores(value, &score, una_model_info(model));
    if (!m->part[GAP]) return score_new(value, model, m, run);

    UNA_TRY(score_part(&gap, &inside, model, m->part[GAP], run));
    value[UNA_PUBLISHED_GAP_EPISTEMIC] = gap.mean_std_epistemic;
    value[UNA_PUBLISHED_GAP_LOG_LIK] = gap.log_lik;
    value[UNA_PUBLISHED_GAP_AUROC] = una_auroc(inside, gap.rows, outside, score.rows);
    value[UNA_PUBLISHED_GAP_INCREASE] = 100 * (gap.mean_std_epistemic / score.mean_std_epistemic - 1);
    return UNA_OK;
}

una_status una_published_measure(una_outcome *outcome, const una_row_key *key, const una_asked *asked,
                                 una_rows_group group, una_run *run)
{
    const una_published *o = asked->options;
    una_fit_settings settings = { .size = sizeof settings, .valid_fraction = UNA_IS_AUTO(o->held) ? 0 : o->held };
    material m = {0};
    una_model *model = NULL;
    una_mark mark = una_arena_mark(&run->scratch);

    una_status status = read_material(&m, key, o, group, run);
    if (status == UNA_OK) status = una_fit(&model, key->spec, m.part[TRAIN], &settings, run);
    if (status == UNA_OK) status = take_measures(outcome->value, model, &m, run);
    if (status == UNA_OK) status = una_outcome_take(outcome, model);

    una_model_free(model);
    free_material(&m);
    una_arena_release(&run->scratch, mark);
    return status;
}
