/* SPDX-License-Identifier: MIT
 *
 * The UCI sets on published splits: which sets, columns and splits there are, and one fit under automatic rules. The
 * rows are in published_rows.c, the thesis's protocol in protocol.c.
 */
#include "published/published.h"

#include "base/archive.h"
#include "published/protocol.h"
#include "bench/sum.h"
#include "sets/catalogue.h"

#include <inttypes.h>
#include <unistd.h>

/* What experiments add to what the catalogue knows of a set. Those of the thesis come first. */
typedef struct set {
    const char *name, *gaps[4];          /* columns of the thesis's gaps                                    */
    uint32_t    sum;                     /* of the public files: what keys of their rows have               */
    const char *constant;                /* inputs of the public file that do not vary                      */
} set;

static const set sets[] = {
    { "boston", { "RM", "LSTAT", "PTRATIO" }, 0x85e7adda, "" },
    { "concrete", { "Cement", "Superplasticizer" }, 0xdd349451, "" },
    { "yacht", { "Froude number" }, 0x7b037a2f, "" },
    { "kin8nm", { NULL }, 0x085f5f0c, "" },
    { "energy", { NULL }, 0xdb4d6385, "" },
    { "wine-quality-red", { NULL }, 0xe8a00a82, "" },
    { "power-plant", { NULL }, 0x34aadf24, "" },
    { "naval-propulsion", { NULL }, 0x66ed3702, "T1,P1" },
    { "protein-structure", { NULL }, 0x89a89e9f, "" },
};
enum { SETS = sizeof sets / sizeof *sets, GAP_SPLITS = 10, QUICK_STEPS = 200 };

const una_method una_methods[UNA_METHODS] = { UNA_METHOD_LIST(UNA_FIELDS) };

/* A spec in canonical form: it has a style, or the style is plain. */
size_t una_method_of(const char *spec)
{
    size_t length = strcspn(spec, "(");
    const char *style = strstr(spec, "style=");
    style = style && style < spec + length + 2 ? style + strlen("style=") : "plain";
    for (size_t m = 0; m < UNA_METHODS; m++) {
        const una_method *method = &una_methods[m];
        if (strlen(method->kind) != length || strncmp(spec, method->kind, length) != 0) continue;
        if (!method->style || strncmp(style, method->style, strlen(method->style)) == 0) return m;
    }
    return UNA_METHODS;
}

/* Models with their defaults, except that 2000 rows are enough for the lengths of the GP; the quick run has
 * those that it always had. */
const una_entry una_published_entries[] = {
    { "nlm", "nlm", "nlm(steps=500)" },
    { "auto", "auto", "auto(luna=luna(steps=500))" },
    { "luna", "luna", "luna(steps=500)" },
    { "gp", "gp(search_rows=2000)", NULL },
    { "ensemble", "ensemble", NULL },
    { "ensemble", "ensemble(style=bootstrap)", NULL },
    { "ensemble", "ensemble(style=anchored)", NULL },
    { "mcd", "mcd", NULL },
    { "sngp", "sngp", NULL },
    { "bbvi", "bbvi", NULL },
    { NULL, NULL, NULL }
};

/* ---- which data sets ----------------------------------------------------------------------------------------- */

static una_status published_split_exists(bool *there, const una_published *o, const char *name, una_run *run)
{
    una_place at = una_place_of(o, name, &run->scratch);
    UNA_TRY(una_arena_check(&run->scratch));
    *there = access(at.rows, R_OK) == 0 && access(at.splits, R_OK) == 0;
    return UNA_OK;
}

static una_status published_files_absent(const una_published *o, const char *name, una_run *run)
{
    if (!*o->data)
        UNA_FAIL(run, UNA_E_INPUT, "the data of this experiment does not come with una: 'una data get NAME' fetches "
                 "it, or name a folder that has uci/NAME.csv and uci/splits/NAME.json with --data FOLDER; "
                 "docs/results/BENCH.md says what they hold");
    UNA_FAIL(run, UNA_E_INPUT, "the folder %s has no uci/%s.csv with uci/splits/%s.json%s; 'una data get' fetches "
             "them, and docs/results/BENCH.md says what they hold", o->data, name ? name : "NAME", name ? name : "NAME",
             name ? "" : " for any data set of this experiment");
}

/* Whether an experiment uses gaps of the set, or the whole set. */
static bool takes_part(const set *s, const una_asked *asked)
{
    const una_published *o = asked->options;
    return una_published_group(asked) != UNA_GROUP_GAP || s->gaps[0] || o->columns != UNA_COLUMNS_THESIS;
}

static una_status published_check_list(const char *list, const una_asked *asked, una_run *run)
{
    size_t length;
    if (*list && !una_next_item(list, &length)) UNA_FAIL(run, UNA_E_USAGE, "sets=%s names no data set", list);
    for (const char *item = list; (item = una_next_item(item, &length)); item += length) {
        bool known = false;
        for (size_t s = 0; s < SETS && !known; s++)
            known = una_is_item(item, length, sets[s].name) && takes_part(&sets[s], asked);
        if (known) continue;

        una_text all = una_text_in(&run->scratch);
        for (size_t s = 0; s < SETS; s++) {
            if (!takes_part(&sets[s], asked)) continue;
            una_text_add(&all, "%s%s", all.length ? ", " : "", sets[s].name);
        }
        UNA_FAIL(run, UNA_E_USAGE, "there is no data set '%.*s' in this experiment; its sets are %s",
                 length < 60 ? (int)length : 60, item, all.at ? all.at : "");
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

double una_published_steps(const una_asked *asked)
{
    const una_published *o = asked->options;
    if (!UNA_IS_AUTO(o->steps)) return o->steps;
    return asked->quick ? QUICK_STEPS : UNA_PROTOCOL_STEPS;
}

/* The experiment with those of its options that change numbers. */
static const char *published_study(const una_asked *asked, bool thesis)
{
    const una_published *o = asked->options;
    una_text study = una_text_in(asked->keep);
    una_text_add(&study, "%s", asked->experiment->name);
    if (thesis) una_text_add(una_study_option(&study, "preset"), "thesis");
    if (una_published_group(asked) == UNA_GROUP_VALID) una_text_add(una_study_option(&study, "group"), "valid");
    if (!thesis && !UNA_IS_AUTO(o->held)) una_text_number(una_study_option(&study, "held"), o->held);
    if (thesis && una_published_steps(asked) != UNA_PROTOCOL_STEPS)
        una_text_number(una_study_option(&study, "steps"), una_published_steps(asked));
    return una_study_end(&study);
}

/* Of the bytes of both files: rows and splits that were replaced make other keys. */
static una_status sum_files(uint32_t *sum, const una_place *at, una_run *run)
{
    una_arena *arena = &run->scratch;
    unsigned char *rows, *splits;
    size_t row_size, split_size;
    UNA_TRY(una_slurp(&rows, &row_size, at->rows, arena, run));
    UNA_TRY(una_slurp(&splits, &split_size, at->splits, arena, run));

    uint64_t sizes[] = { row_size, split_size };
    size_t size = (sizeof sizes + row_size + split_size + 7) / 8 * 8;
    UNA_NEW(arena, unsigned char, all, size);
    memcpy(all, sizes, sizeof sizes);
    memcpy(all + sizeof sizes, rows, row_size);
    memcpy(all + sizeof sizes + row_size, splits, split_size);

    una_sum whole = una_sum_begin();
    una_sum_add(&whole, all, size);
    uint64_t folded = una_sum_end(&whole);
    *sum = (uint32_t)(folded ^ folded >> 32);
    return UNA_OK;
}

bool una_published_is_thesis(const una_row_key *key)
{
    return strstr(key->study, "preset=thesis") != NULL;
}

/* Finds a missing or unusable split before the first fit. */
static una_status check_split(const una_dataset *all, const una_place *at, const char *gap, size_t number, una_run *run)
{
    una_split split = { .size = sizeof split };
    char why[sizeof run->message];
    una_status status = una_published_split(&split, all, at, gap, number, run);
    una_split_free(&split, run);
    if (status != UNA_E_USAGE) return status;
    memcpy(why, run->message, sizeof why);
    UNA_FAIL(run, UNA_E_INPUT, "%.900s; say with --splits which ones to take", why);
}

typedef struct listing {                 /* of one set                                                       */
    una_plan        *plan;
    const una_asked *asked;
    const set       *set;
    const una_known_set *known;          /* what the catalogue has of it                                     */
    const char      *study[2];           /* one or two of them                                               */
    size_t           from, to;           /* splits                                                           */
    una_place        at;
    uint32_t         sum;
    una_dataset     *all;                /* NULL: there is no data, only rows that were made from it */
} listing;

/* One split after the other. The kind `auto` has no protocol in the thesis. beyond: a column that the thesis does not
 * have, for the table of all columns, however much was asked of the thesis's: its three models by automatic rules, one
 * split. */
static una_status list_splits(const listing *l, const char *gap, bool beyond, una_run *run)
{
    const char *data = una_phrase(l->asked->keep, "%s%s%s#%08" PRIx32, l->set->name, gap ? " " : "", gap ? gap : "",
                                  l->sum);       /* "boston#1a2b3c4d", or "boston RM#1a2b3c4d" with a gap */
    size_t splits = gap ? GAP_SPLITS : l->known->set.splits, last = beyond ? l->from : l->to;
    for (size_t k = l->from; data && k <= last && (beyond || k < splits); k++) {
        if (l->all && (!gap || k == l->from)) UNA_TRY(check_split(l->all, &l->at, gap, k, run));
        for (size_t s = 0; s < 2 && l->study[s]; s++)
            for (size_t m = 0; m < l->asked->model_count; m++) {
                const una_bench_model *model = &l->asked->models[m];
                una_row_key key = una_model_row_key(model, l->study[s], data, k, l->asked->first + k);
                bool thesis = una_published_is_thesis(&key);
                if (thesis && (beyond || strcmp(model->kind, "auto") == 0)) continue;
                if (!beyond || una_list_has("auto,gp,nlm", model->kind)) una_plan_add(l->plan, key);
            }
    }
    return UNA_OK;
}

static una_status list_column(const listing *l, const char *column, una_run *run)
{
    const una_published *o = l->asked->options;
    bool beyond = o->columns == UNA_COLUMNS_MORE;
    for (size_t g = 0; g < 4 && l->set->gaps[g]; g++) beyond = beyond && strcmp(l->set->gaps[g], column) != 0;
    return list_splits(l, column, beyond, run);
}

static bool column_varies(const una_dataset *all, size_t column)
{
    const double *x = una_dataset_numbers(all, column);
    for (size_t r = 1; x && r < una_dataset_row_count(all); r++)
        if (x[r] != x[0]) return true;
    return false;
}

/* Every input of the table, or where that is not there, of the public one; one that is constant has no middle third. */
static una_status list_columns(const listing *l, una_run *run)
{
    for (size_t c = 0; l->all && c + 1 < una_dataset_column_count(l->all); c++)
        if (column_varies(l->all, c)) UNA_TRY(list_column(l, una_dataset_column_name(l->all, c), run));

    const char *at = l->known->recipe.head;
    size_t length;
    for (size_t c = 0; !l->all && c < l->known->set.inputs && (at = una_next_item(at, &length)); c++, at += length) {
        const char *name = una_phrase(l->asked->keep, "%.*s", (int)length, at);
        UNA_TRY(una_arena_check(l->asked->keep));
        if (!una_list_has(l->set->constant, name)) UNA_TRY(list_column(l, name, run));
    }
    return UNA_OK;
}

static una_status list_set(listing *l, bool there, una_run *run)
{
    const una_published *o = l->asked->options;
    l->at = una_place_of(o, l->set->name, &run->scratch);
    l->sum = l->set->sum;
    UNA_TRY(una_arena_check(&run->scratch));
    if (there) {
        UNA_TRY(sum_files(&l->sum, &l->at, run));
        UNA_TRY(una_dataset_read(&l->all, l->at.rows, run));
        UNA_TRY(una_keep_dataset(&run->scratch, l->all));
        if (l->sum != l->set->sum)
            una_log(run, UNA_LOG_WARNING, "%s and %s are not those that are published, byte for byte ('una data list' "
                    "says which is not): what they give is kept apart", l->at.rows, l->at.splits);
    }
    if (una_published_group(l->asked) != UNA_GROUP_GAP) return list_splits(l, NULL, false, run);
    if (o->columns != UNA_COLUMNS_THESIS) return list_columns(l, run);
    for (size_t g = 0; g < 4 && l->set->gaps[g]; g++) UNA_TRY(list_splits(l, l->set->gaps[g], false, run));
    return UNA_OK;
}

static bool all_automatic(const una_asked *asked)
{
    for (size_t m = 0; m < asked->model_count; m++)
        if (strcmp(asked->models[m].kind, "auto") != 0) return false;
    return true;
}

static una_status check_options(const una_asked *asked, una_run *run)
{
    const una_published *o = asked->options;
    UNA_TRY(published_check_list(o->sets, asked, run));
    if (o->preset == UNA_PRESET_THESIS && all_automatic(asked))
        UNA_FAIL(run, UNA_E_USAGE, "the thesis has no protocol for auto, which chooses for itself: name other models, "
                 "or take preset=automatic");
    if (o->preset != UNA_PRESET_AUTOMATIC && una_published_group(asked) == UNA_GROUP_VALID)
        UNA_FAIL(run, UNA_E_USAGE, "preset=thesis holds rows out by itself: leave group=valid out, or take "
                 "preset=automatic");
    return UNA_OK;
}

/* uci has an option for it, gap has one group. */
una_rows_group una_published_group(const una_asked *asked)
{
    const una_published *o = asked->options;
    return strcmp(asked->experiment->name, "gap") == 0 ? UNA_GROUP_GAP : (una_rows_group)o->group;
}

una_status una_published_plan(una_plan *plan, const una_asked *asked, una_run *run)
{
    const una_published *o = asked->options;
    const char *automatic = o->preset != UNA_PRESET_THESIS ? published_study(asked, false) : NULL;
    const char *thesis = o->preset != UNA_PRESET_AUTOMATIC ? published_study(asked, true) : NULL;
    size_t from, to;
    bool there, any = false;
    const char *table = una_phrase(asked->keep, "%s/%s.csv", asked->out, asked->experiment->name);
    UNA_TRY(una_arena_check(asked->keep));
    bool has_rows = access(table, R_OK) == 0;    /* made from the published files, they are shown without the data */
    UNA_TRY(check_options(asked, run));
    UNA_TRY(read_splits(&from, &to, asked, run));

    for (size_t s = 0; s < SETS; s++) {
        if ((*o->sets && !una_list_has(o->sets, sets[s].name)) || !takes_part(&sets[s], asked)) continue;
        UNA_TRY(published_split_exists(&there, o, sets[s].name, run));
        if (!there && *o->sets && !has_rows) return published_files_absent(o, sets[s].name, run);
        if (!there && !*o->sets) continue;
        any = true;
        listing l = { .plan = plan, .asked = asked, .set = &sets[s], .from = from, .to = to,
                      .known = una_known_set_named(sets[s].name),
                      .study = { automatic ? automatic : thesis, automatic ? thesis : NULL } };
        UNA_SCOPED(run, list_set(&l, there, run));
    }
    UNA_TRY(una_arena_check(asked->keep));
    if (plan->count == 0 && any && una_published_group(asked) == UNA_GROUP_GAP && from < GAP_SPLITS)
        UNA_FAIL(run, UNA_E_INPUT, "no gap can be cut: every input of the data is constant or holds words");
    if (plan->count == 0 && any)
        UNA_FAIL(run, UNA_E_USAGE, "splits=%s: no data set here has so many", o->splits);
    return plan->count ? UNA_OK : published_files_absent(o, NULL, run);
}

/* ---- one fit ------------------------------------------------------------------------------------------------- */

static una_status measure_automatic(const una_measuring *m, const una_portions *rows)
{
    const una_published *o = m->asked->options;
    una_fit_settings settings = { .size = sizeof settings, .valid_fraction = UNA_IS_AUTO(o->held) ? 0 : o->held };
    una_model *model;
    UNA_TRY(una_held_fit(&model, m->key->spec, rows->part[UNA_PART_TRAIN], &settings, m->run));
    UNA_TRY(una_portions_measure(m->outcome->value, model, rows, m->run));
    return una_outcome_take(m->outcome, model);
}

una_status una_published_measure(const una_measuring *m)
{
    una_portions rows = {0};
    bool there;
    const char *data = m->key->data, *name = una_phrase(&m->run->scratch, "%.*s", (int)strcspn(data, " #"), data);
    UNA_TRY(published_split_exists(&there, m->asked->options, name, m->run));
    if (!there) return published_files_absent(m->asked->options, name, m->run);
    UNA_TRY(una_portions_read(&rows, m->key, m->asked, m->run));
    return una_published_is_thesis(m->key) ? una_protocol_measure(m, &rows) : measure_automatic(m, &rows);
}
