/* SPDX-License-Identifier: MIT
 *
 * Spaces and studies. The first byte says which:
 *   0  a space (JSON up to a NUL), then numbers: what was read is written and read again to the same, points go through
 *      their encoding and their text and come back
 *   1  a study in memory: space, model, acquisition (texts up to a NUL), then a CSV file of trials: taken in or
 *      refused; asked, told, failed; what it exports another study takes in, with the same bits; its JSON is some
 *   2  SQL by which a stranger changed a study's file, and behind a NUL what lies beside it: refused, or read to its
 *      end, and no other file is touched
 *   3  the file itself
 * The second bounds memory.
 */
#include "bo/space.h"
#include "fuzz.h"
#include "sqlite.h"
#include "una_study.h"

/* ---- spaces ----------------------------------------------------------------------------------------------- */

static void check_point(const una_space *s, const double *unit, fuzz_world *w)
{
    una_arena *arena = &w->run->scratch;
    double *point = UNA_GET(arena, double, s->count), *back = UNA_GET(arena, double, s->count);
    double *u = UNA_GET(arena, double, s->columns);
    una_text text = una_text_in(arena);
    if (una_arena_check(arena) != UNA_OK) return;
    una_space_place(s, unit, point);
    fuzz_finite(point, s->count, "a point");
    una_status status = FUZZ_EXPLAIN(una_space_check(s, point, w->run), w);
    FUZZ_CHECK((status == UNA_OK) == una_space_allows(s, point), "a point is outside: %s", una_run_message(w->run));

    una_space_encode(s, point, u);
    for (size_t i = 0; i < s->columns; i++) FUZZ_CHECK(u[i] >= 0 && u[i] <= 1, "it is encoded as %g", u[i]);
    una_space_decode(s, u, back);
    for (size_t i = 0; i < s->count; i++) {
        const una_dimension *d = &s->dimension[i];
        bool exact = d->type == UNA_DIMENSION_CATEGORY || d->type == UNA_DIMENSION_FIXED;
        FUZZ_CHECK(back[i] >= d->low && back[i] <= d->high, "%s comes back as %g", d->name, back[i]);
        FUZZ_CHECK(!exact || back[i] == point[i], "%s was %g and comes back as %g", d->name, point[i], back[i]);
    }

    una_space_write(&text, s, point);
    if (una_arena_check(arena) != UNA_OK) return;
    fuzz_json(text.at, text.length, "a point");
    una_status read = FUZZ_EXPLAIN(una_space_read(back, s, text.at, w->run), w);
    FUZZ_CHECK(read == status || w->starved, "%s is written, and refused: %s", text.at, una_run_message(w->run));
    if (read == UNA_OK) fuzz_same(point, back, s->count, text.at);
    for (size_t i = 0; i < s->count; i++) {
        una_text word = una_text_in(arena);
        una_dimension_write(&word, &s->dimension[i], point[i]);
        if (una_arena_check(arena) != UNA_OK) return;
        read = FUZZ_EXPLAIN(una_dimension_read(&back[i], &s->dimension[i], word.at, w->run), w);
        FUZZ_CHECK(read == UNA_OK, "'%s' is written, and refused: %s", word.at, una_run_message(w->run));
        fuzz_same(&point[i], &back[i], 1, word.at);
    }
}

static void check_space(fuzz_bytes bytes, fuzz_world *w)
{
    char *json = fuzz_text(&bytes);
    una_arena *arena = &w->run->scratch;
    una_space *space = NULL, *again = NULL;
    fuzz_jansson_from();
    una_status parsed = FUZZ_EXPLAIN(una_space_parse(&space, json, NULL, arena, w->run), w);
    fuzz_jansson(json, strlen(json), "a space");
    if (parsed == UNA_OK) {
        fuzz_json(space->json, strlen(space->json), "a space");
        una_status status = FUZZ_EXPLAIN(una_space_parse(&again, space->json, NULL, arena, w->run), w);
        FUZZ_CHECK(status == UNA_OK || w->starved, "%s is written, and refused: %s", space->json,
                   una_run_message(w->run));
        if (status == UNA_OK)
            FUZZ_CHECK(strcmp(space->json, again->json) == 0, "%s becomes %s", space->json, again->json);

        double *unit = UNA_GET(arena, double, space->count);
        for (uint64_t i = 0; i < 4 && una_arena_check(arena) == UNA_OK; i++) {
            una_quasi(unit, space->count, i, 1);
            if (i == 3)
                for (size_t d = 0; d < space->count; d++) unit[d] = fuzz_first(&bytes) / 255.5;
            check_point(space, unit, w);
        }
        double *point = unit ? UNA_GET(arena, double, space->count) : NULL;
        char *text = fuzz_text(&bytes);
        if (point && FUZZ_EXPLAIN(una_space_read(point, space, text, w->run), w) == UNA_OK)
            fuzz_finite(point, space->count, "a point that was read");
        free(text);
    }
    free(json);
}

/* ---- studies ---------------------------------------------------------------------------------------------- */

static void check_trials(const una_trials *trials, const una_study *study, fuzz_world *w)
{
    size_t inputs = una_study_input_count(study);
    for (size_t i = 0; i < trials->count; i++) {
        const una_trial *t = &trials->at[i];
        fuzz_finite(t->x, inputs, "a trial");
        FUZZ_CHECK(t->note && t->state >= UNA_TRIAL_OPEN && t->state <= UNA_TRIAL_FAILED, "trial %zu", i);
        FUZZ_CHECK(t->state != UNA_TRIAL_TOLD || isfinite(t->value), "a trial is told %g", t->value);
        for (size_t d = 0; d < inputs; d++) {
            const char *text = una_study_input_text(study, d, t->x[d], w->run);
            FUZZ_CHECK(text || w->starved, "no text of input %zu", d);
        }
    }
}

static bool has_trial(const una_trials *all, const una_trial *wanted, size_t inputs)
{
    for (size_t i = 0; i < all->count; i++) {
        const una_trial *t = &all->at[i];
        bool same = t->state == wanted->state && (t->value == wanted->value || t->state == UNA_TRIAL_FAILED);
        for (size_t d = 0; same && d < inputs; d++) same = t->x[d] == wanted->x[d];
        if (same) return true;
    }
    return false;
}

/* What a study exports, another of the same space takes in. */
static void check_exported(una_study *study, const una_study_settings *settings, bool trusted, fuzz_world *w)
{
    una_study *second = NULL;
    una_trials *here = NULL, *there = NULL;
    size_t rows = 0, read = 0, added = 0, size;
    const char *csv = fuzz_path("out.csv"), *json = fuzz_path("out.json");
    if (FUZZ_EXPLAIN(una_study_export_json(&rows, study, json, w->run), w) == UNA_OK) {
        unsigned char *bytes = fuzz_slurp(json, &size);
        FUZZ_CHECK(bytes, "no file is written");
        fuzz_json((const char *)bytes, size, "trials");
        free(bytes);
    }
    if (FUZZ_EXPLAIN(una_study_export_csv(&rows, study, csv, w->run), w) != UNA_OK || rows == 0 || !trusted) return;
    if (FUZZ_EXPLAIN(una_study_trials(&here, study, w->run), w) == UNA_OK &&
        FUZZ_EXPLAIN(una_study_new(&second, NULL, settings, w->run), w) == UNA_OK) {
        una_status status = FUZZ_EXPLAIN(una_study_import_csv(&read, &added, second, csv, NULL, w->run), w);
        FUZZ_CHECK(status == UNA_OK || w->starved, "trials are exported, and refused: %s", una_run_message(w->run));
        if (status == UNA_OK && FUZZ_EXPLAIN(una_study_trials(&there, second, w->run), w) == UNA_OK)
            for (size_t i = 0; i < here->count; i++)
                FUZZ_CHECK(here->at[i].state == UNA_TRIAL_OPEN ||
                           has_trial(there, &here->at[i], una_study_input_count(study)), "trial %zu is lost", i);
    }
    una_trials_free(there);
    una_trials_free(here);
    una_study_close(second);
}

static void read_study(una_study *study, fuzz_world *w)
{
    static const char *const texts[] = { "space", "model", "acquisition", "goal", "seed", "lease", "where" };
    una_trials *trials = NULL, *best = NULL;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) (void)una_study_text(study, texts[i]);
    for (size_t i = 0; i < una_study_input_count(study); i++)
        FUZZ_CHECK(*una_study_input_name(study, i), "an input without a name");
    if (FUZZ_EXPLAIN(una_study_trials(&trials, study, w->run), w) == UNA_OK) check_trials(trials, study, w);
    if (FUZZ_EXPLAIN(una_study_best(&best, study, w->run), w) == UNA_OK) {
        FUZZ_CHECK(best->count <= 1, "%zu are best", best->count);
        check_trials(best, study, w);
    }
    una_trials_free(best);
    una_trials_free(trials);
}

/* Two trials: one told, one failed or dropped. */
static void ask(una_study *study, uint8_t how, fuzz_world *w)
{
    una_trials *trials = NULL;
    if (FUZZ_EXPLAIN(una_study_ask(&trials, study, 2, w->run), w) != UNA_OK) return;
    FUZZ_CHECK(trials->count >= 1 && trials->count <= 2, "%zu trials", trials->count);
    check_trials(trials, study, w);
    uint64_t first = trials->at[0].id, last = trials->at[trials->count - 1].id;
    FUZZ_EXPLAIN(una_study_renew(study, &first, 1, w->run), w);
    if (FUZZ_EXPLAIN(una_study_tell(study, first, how / 7.0, w->run), w) == UNA_OK) {
        FUZZ_EXPLAIN(una_study_tell(study, first, how / 7.0, w->run), w);
        FUZZ_CHECK(FUZZ_EXPLAIN(una_study_tell(study, first, how / 7.0 + 1, w->run), w) != UNA_OK, "told twice");
    }
    FUZZ_CHECK(FUZZ_EXPLAIN(una_study_tell(study, last, NAN, w->run), w) != UNA_OK, "told NAN");
    FUZZ_CHECK(FUZZ_EXPLAIN(una_study_tell(study, 999999, 1, w->run), w) != UNA_OK, "there is no such trial");
    if (how & 1 && last != first) FUZZ_EXPLAIN(una_study_fail(study, last, "it broke, \"badly\"", w->run), w);
    else if (last != first) FUZZ_EXPLAIN(una_study_drop(study, last, w->run), w);
    una_trials_free(trials);
}

static void run_study(fuzz_bytes bytes, fuzz_world *w)
{
    uint8_t how = fuzz_first(&bytes);
    char *space = fuzz_text(&bytes), *model = fuzz_text(&bytes), *acquisition = fuzz_text(&bytes);
    una_study_settings settings = { .size = sizeof settings, .space = space, .model = *model ? model : NULL,
                                    .acquisition = *acquisition ? acquisition : NULL, .maximize = how & 2,
                                    .initial = 1000, .lease = how & 4 ? 0 : how };
    una_study *study = NULL;
    size_t rows, added;
    if (FUZZ_EXPLAIN(una_study_new(&study, NULL, &settings, w->run), w) == UNA_OK) {
        const char *path = fuzz_file("in.csv", bytes.at, bytes.left);
        if (how & 8) ask(study, how, w);
        if (FUZZ_EXPLAIN(una_study_import_csv(&rows, &added, study, path, how & 16 ? "v" : NULL, w->run), w) == UNA_OK)
            FUZZ_CHECK(added <= rows, "%zu rows of %zu", added, rows);
        if (!(how & 8)) ask(study, how, w);
        read_study(study, w);
        check_exported(study, &settings, true, w);
    }
    una_study_close(study);
    free(acquisition);
    free(model);
    free(space);
}

/* ---- studies of strangers ------------------------------------------------------------------------------------- */

static const unsigned char *template_bytes(size_t *size)
{
    static unsigned char *bytes;
    static size_t length;
    if (!bytes) {
        fuzz_world w;
        una_study *study = NULL;
        una_trials *trials = NULL;
        una_study_settings settings = { .size = sizeof settings, .space = "{\"x\": {\"type\": \"real\", \"low\": 0, "
            "\"high\": 1}, \"k\": {\"type\": \"category\", \"levels\": [\"a\", \"b\"]}}", .acquisition = "random" };
        const char *path = fuzz_path("template.study");
        FUZZ_CHECK(fuzz_begin(&w, (fuzz_limits){0}), "no run");
        FUZZ_CHECK(una_study_new(&study, path, &settings, w.run) == UNA_OK, "%s", una_run_message(w.run));
        FUZZ_CHECK(una_study_ask(&trials, study, 2, w.run) == UNA_OK, "%s", una_run_message(w.run));
        FUZZ_CHECK(una_study_tell(study, trials->at[0].id, 0.5, w.run) == UNA_OK, "%s", una_run_message(w.run));
        una_trials_free(trials);
        una_study_close(study);
        fuzz_end(&w);
        bytes = fuzz_slurp(path, &length);
        FUZZ_CHECK(bytes, "no template");
    }
    *size = length;
    return bytes;
}

static void open_file(const char *path, fuzz_world *w)
{
    una_study *study = NULL;
    if (FUZZ_EXPLAIN(una_study_open(&study, path, w->run), w) == UNA_OK) {
        read_study(study, w);
        ask(study, 1, w);
        check_exported(study, NULL, false, w);
    }
    una_study_close(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t how = fuzz_first(&bytes), memory = fuzz_first(&bytes);
    size_t length = 0;
    const unsigned char *made_by_una = how % 4 == 2 ? template_bytes(&length) : NULL;
    if (!fuzz_begin(&world, (fuzz_limits){ .allocations = fuzz_allocations(memory), .ticks = 1000 })) return 0;
    if (how % 4 == 0) check_space(bytes, &world);
    else if (how % 4 == 1) run_study(bytes, &world);
    else if (how % 4 == 2) {
        char *sql = fuzz_text(&bytes);
        open_file(fuzz_database("a.study", made_by_una, length, sql, bytes), &world);
        free(sql);
        fuzz_database_kept();
    } else {
        open_file(fuzz_database("a.study", bytes.at, bytes.left, NULL, (fuzz_bytes){ NULL, 0 }), &world);
    }
    fuzz_end(&world);
    return 0;
}
