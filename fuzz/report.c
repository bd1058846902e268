/* SPDX-License-Identifier: MIT
 *
 * Pages and charts about a small model whose names, words, title and story are the input: bytes that say what is
 * written and which names stand where, then texts up to a NUL. Whatever they hold, pages and pictures are as page.h says.
 */
#include "page.h"
#include "table.h"

#include "una_report.h"
#include "una_study.h"

enum { TEXTS = FUZZ_MOST_COLUMNS + 3 };

/* ---- what is written --------------------------------------------------------------------------------------- */

static void write_pages(const una_model *model, const una_dataset *data, char *const *text, uint8_t how, fuzz_world *w)
{
    static const char *const what[] = { "bands", "effect", "observed", "calibration", "residuals", "ignorance",
                                        "importance", "nix" };
    const char *title = text[FUZZ_MOST_COLUMNS], *html = fuzz_path("page.html"), *svg = fuzz_path("chart.svg");
    una_plot_settings plot = { .size = sizeof plot, .what = what[how >> 3 & 7], .input = how & 64 ? text[0] : NULL };
    if ((how & 7) == 0 && FUZZ_EXPLAIN(una_report_write(html, &model, &title, 1, data, text[FUZZ_MOST_COLUMNS + 1],
                                                     text[FUZZ_MOST_COLUMNS + 2], w->run), w) == UNA_OK)
        fuzz_page(html, "the report");
    if ((how & 7) == 1 && FUZZ_EXPLAIN(una_chart_write(svg, &model, &title, 1, data, w->run), w) == UNA_OK)
        fuzz_page(svg, "the chart");
    if ((how & 7) > 1 && (how & 7) < 5 && FUZZ_EXPLAIN(una_plot_write(svg, model, data, &plot, w->run), w) == UNA_OK)
        fuzz_page(svg, "the plot");
}

static void write_explanation(const una_model *model, const una_dataset *data, char *const *text, fuzz_world *w)
{
    size_t rows[] = { 0 };
    una_concept concepts[] = { { .size = sizeof *concepts, .name = text[0], .rows = rows, .row_count = 1 },
                               { .size = sizeof *concepts, .name = text[1], .where = text[2] } };
    una_explain_settings settings = { .size = sizeof settings, .concepts = concepts, .concept_count = 2 };
    una_explanation *explanation = NULL;
    const char *html = fuzz_path("why.html"), *svg = fuzz_path("why.svg");
    if (FUZZ_EXPLAIN(una_explain(&explanation, model, data, &settings, w->run), w) == UNA_OK) {
        if (FUZZ_EXPLAIN(una_report_explanation(html, explanation, data, text[FUZZ_MOST_COLUMNS], 5, w->run), w) == UNA_OK)
            fuzz_page(html, "the explanation");
        if (FUZZ_EXPLAIN(una_chart_explanation(svg, explanation, 5, w->run), w) == UNA_OK) fuzz_page(svg, "its chart");
    }
    una_explanation_free(explanation);
}

/* The names stand in a space, and in notes of trials. */
static void write_study(char *const *text, fuzz_world *w)
{
    una_study *study = NULL;
    una_text space = una_text_in(&w->run->scratch);
    una_text_add(&space, "{");
    una_text_json(&space, text[0]);
    una_text_add(&space, ": {\"type\": \"real\", \"low\": 0, \"high\": 1}, ");
    una_text_json(&space, text[1]);
    una_text_add(&space, ": {\"type\": \"category\", \"levels\": [");
    una_text_json(&space, text[2]);
    una_text_add(&space, ", ");
    una_text_json(&space, text[3]);
    una_text_add(&space, "]}}");
    una_study_settings settings = { .size = sizeof settings, .space = space.at, .acquisition = "random",
                                    .initial = 100 };
    const char *html = fuzz_path("study.html"), *svg = fuzz_path("study.svg");
    if (una_arena_check(&w->run->scratch) == UNA_OK &&
        FUZZ_EXPLAIN(una_study_new(&study, NULL, &settings, w->run), w) == UNA_OK) {
        for (int i = 0; i < 3; i++)
            FUZZ_EXPLAIN(una_study_add(study, (double[]){ 0.3 * i, i % 2 }, i == 2 ? (double)NAN : i, text[4], w->run), w);
        if (FUZZ_EXPLAIN(una_study_page(study, html, w->run), w) == UNA_OK) fuzz_page(html, "the study");
        if (FUZZ_EXPLAIN(una_study_chart(study, svg, w->run), w) == UNA_OK) fuzz_page(svg, "its charts");
    }
    una_study_close(study);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes bytes = { data, size };
    fuzz_world world;
    uint8_t how = fuzz_first(&bytes), memory = fuzz_first(&bytes), shape = fuzz_first(&bytes);
    fuzz_limits limits = { .allocations = fuzz_allocations(memory), .ticks = 2000 };
    if (!fuzz_begin(&world, limits)) return 0;
    char *text[TEXTS];
    for (size_t i = 0; i < TEXTS; i++) text[i] = fuzz_text(&bytes);
    una_dataset *table = NULL;
    una_model *model = NULL, *loaded = NULL;
    una_fit_settings settings = { .size = sizeof settings, .missing = UNA_MISSING_MEAN, .hold_out = shape & 1 };
    uint8_t cells[] = { 11, shape, 3, 77, 150, 201, 18, 99, 240, 120, 60, 33, 5 };

    if ((how & 7) == 7) {
        write_study(text, &world);
    } else if (FUZZ_EXPLAIN(fuzz_table(&table, &(fuzz_bytes){ cells, sizeof cells }, (const char *const *)text, world.run),
                         &world) == UNA_OK &&
               FUZZ_EXPLAIN(una_fit(&model, "linear", table, &settings, world.run), &world) == UNA_OK) {
        void *saved = NULL;
        size_t length;
        if (how & 128 && FUZZ_EXPLAIN(una_model_save_memory(model, &saved, &length, world.run), &world) == UNA_OK)
            FUZZ_EXPLAIN(una_model_load_memory(&loaded, saved, length, world.run), &world);
        una_memory_free(saved, world.run);
        if ((how & 7) < 5) write_pages(loaded ? loaded : model, table, text, how, &world);
        else write_explanation(loaded ? loaded : model, table, text, &world);
    }
    una_model_free(loaded);
    una_model_free(model);
    una_dataset_free(table);
    for (size_t i = 0; i < TEXTS; i++) free(text[i]);
    fuzz_end(&world);
    return 0;
}
