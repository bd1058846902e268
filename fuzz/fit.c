/* SPDX-License-Identifier: MIT
 *
 * una_fit of any spec on a small table, cancelled after some reports of progress. Bytes for memory, ticks and settings,
 * then the spec, an option that is set over it, and the name of a preset (texts up to a NUL), then the table. Either a
 * model, which answers with finite numbers, tells a spec that is one, can be updated, drawn from and scored, and saved
 * is the same; or a sentence.
 */
#include "table.h"

static void check_info(const una_model *model, fuzz_world *w)
{
    const una_fit_info *info = una_model_info(model);
    const char *json = una_model_options_json(model);
    FUZZ_CHECK(info->kind && info->spec && info->target, "it does not know what it is");
    FUZZ_CHECK(isfinite(info->noise_std) || isnan(info->noise_std), "noise %g", info->noise_std);
    FUZZ_CHECK(isfinite(info->valid_rmse) || isnan(info->valid_rmse), "rmse %g", info->valid_rmse);
    for (size_t i = 0; i < info->warning_count; i++) FUZZ_CHECK(*info->warnings[i], "an empty warning");
    for (size_t i = 0; i < info->note_count; i++) FUZZ_CHECK(*info->notes[i], "an empty note");
    una_status status = FUZZ_EXPLAIN(una_spec_check(info->spec, NULL, w->run), w);
    FUZZ_CHECK(status == UNA_OK || w->starved, "its spec is none: %s: %s", info->spec, una_run_message(w->run));
    if (json) fuzz_json(json, strlen(json), "options");
}

/* What can be asked besides predictions; every answer is finite. */
static void ask(una_model *model, const una_dataset *data, fuzz_world *w)
{
    enum { DRAWS = 2, LEVELS = 3 };
    static const double levels[LEVELS] = { 0.1, 0.5, 0.9 };
    size_t rows = una_dataset_row_count(data);
    double *f = calloc(DRAWS * rows + LEVELS * rows, sizeof *f), *q = f + DRAWS * rows;
    una_score score = UNA_INIT(una_score);
    FUZZ_CHECK(f, "no memory");
    if (FUZZ_EXPLAIN(una_model_draw(model, data, DRAWS, 0, f, w->run), w) == UNA_OK) fuzz_finite(f, DRAWS * rows, "draws");
    if (FUZZ_EXPLAIN(una_model_draw(model, data, DRAWS, 1, f, w->run), w) == UNA_OK)
        fuzz_finite(f, DRAWS * rows, "draws of the prior");
    if (FUZZ_EXPLAIN(una_model_quantiles(model, data, levels, LEVELS, q, w->run), w) == UNA_OK) {
        fuzz_finite(q, LEVELS * rows, "quantiles");
        for (size_t i = 0; i < LEVELS * rows; i++)
            FUZZ_CHECK(i % LEVELS == 0 || q[i - 1] <= q[i], "quantiles %g and %g", q[i - 1], q[i]);
    }
    if (FUZZ_EXPLAIN(una_model_score(&score, model, data, w->run), w) == UNA_OK)
        FUZZ_CHECK(isfinite(score.rmse) && isfinite(score.log_lik) && isfinite(score.crps),
                   "rmse %g, log_lik %g, crps %g", score.rmse, score.log_lik, score.crps);
    if (FUZZ_EXPLAIN(una_model_update(model, data, w->run), w) == UNA_OK) {
        double *after = fuzz_predictions(model, data, w);
        free(after);
    }
    free(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t memory = fuzz_first(&bytes), ticks = fuzz_first(&bytes), how = fuzz_first(&bytes);
    fuzz_limits limits = { .memory = 24000000, .allocations = fuzz_allocations(memory), .ticks = 1 + ticks,
                           .seed = how };
    if (!fuzz_begin(&world, limits)) return 0;
    char *spec = fuzz_text(&bytes), *set = fuzz_text(&bytes), *preset = fuzz_text(&bytes);
    const char *sets[] = { set };
    una_fit_settings settings = { .size = sizeof settings, .set = sets, .set_count = *set != 0,
        .preset = *preset ? preset : NULL, .missing = (una_missing)(how & 3), .other = how >> 2 & 3,
        .log_target = how >> 4 & 1, .hold_out = how >> 5 & 1, .valid_fraction = how & 64 ? 0.3 : 0 };
    una_dataset *table = NULL;
    una_model *model = NULL;

    if (FUZZ_EXPLAIN(fuzz_table(&table, &bytes, NULL, world.run), &world) == UNA_OK &&
        FUZZ_EXPLAIN(una_fit(&model, spec, table, &settings, world.run), &world) == UNA_OK) {
        check_info(model, &world);
        fuzz_saved(model, table, &world);
        ask(model, table, &world);
    }
    una_model_free(model);
    una_dataset_free(table);
    free(preset);
    free(set);
    free(spec);
    fuzz_end(&world);
    return 0;
}
