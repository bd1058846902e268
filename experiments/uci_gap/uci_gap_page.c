/* SPDX-License-Identifier: MIT
 *
 * The page of gap: the thesis's four tables with ours beside them, rows outside the gap and inside; who notices which
 * gap, three ways; what ignorance looks like along the columns; bands and paired tests; and every column of every set
 * where those were run.
 */
#include "published/published_page.h"

#include "draw/number.h"

#define SOURCES(outside, inside) { \
    { "ours, thesis", UNA_PRESET_THESIS, outside, inside }, { "ours, auto", UNA_PRESET_AUTOMATIC, outside, inside }, \
    { .label = NULL } }

/* ---- the thesis's tables ---------------------------------------------------------------------------------------- */

static const una_result_line of_rmse[] = SOURCES(UNA_PUBLISHED_RMSE, UNA_PUBLISHED_GAP_RMSE);
static const una_result_line of_log_lik[] = SOURCES(UNA_PUBLISHED_LOG_LIK, UNA_PUBLISHED_GAP_LOG_LIK);
static const una_result_line of_epistemic[] = SOURCES(UNA_PUBLISHED_EPISTEMIC, UNA_PUBLISHED_GAP_EPISTEMIC);
static const una_result_line of_increase[] = SOURCES(UNA_PUBLISHED_GAP_INCREASE, UNA_ALONE);

#define WHOSE "Published: in the thesis. Ours, thesis: by its protocol; auto: by automatic rules. "
#define CELLS "Mean and standard deviation over the splits, at test rows outside the gap / at the rows of the gap."

static const una_thesis_comparison tables[] = {
    { "rmse", "Error (RMSE, units of the target): not gap / gap.", WHOSE CELLS " Lower is better.", UNA_THESIS_GAP_RMSE,
      of_rmse, 2, false },
    { "log-lik", "Average log-likelihood (nats per row): not gap / gap.",
      WHOSE CELLS " Higher is better. Under the "
                  "thesis\u2019s protocol all methods have the noise that suits the validation rows of an NLM best; it "
                  "prints none of ensembles.",
      UNA_THESIS_GAP_LOG_LIK, of_log_lik, 2, false },
    { "epistemic", "Epistemic standard deviation (units of the target): not gap / gap.", WHOSE CELLS,
      UNA_THESIS_GAP_EPISTEMIC, of_epistemic, 2, false },
    { "increase", "Increase of the epistemic standard deviation in the gap (percent).",
      WHOSE "Of its mean over the "
            "rows of the gap, over that at test rows outside: mean and standard deviation over the splits. Bold: "
            "noticed by the thesis\u2019s rule, which asks for a mean above its standard deviation.",
      UNA_THESIS_GAP_INCREASE, of_increase, 1, true },
};

/* ---- bands and pairs -------------------------------------------------------------------------------------------- */

static const una_block bands[] = {
    { "coverage of the 90 % band", UNA_PUBLISHED_COVERAGE_90, UNA_PUBLISHED_GAP_COVERAGE_90, 2 },
    { "coverage of the 95 % band", UNA_PUBLISHED_COVERAGE_95, UNA_PUBLISHED_GAP_COVERAGE_95, 2 },
    { "calibration error", UNA_PUBLISHED_CALIBRATION, UNA_PUBLISHED_GAP_CALIBRATION, 2 },
    { "CRPS, units of the target", UNA_PUBLISHED_CRPS, UNA_PUBLISHED_GAP_CRPS, 2 },
    { .title = NULL }
};
static const una_block compared[] = {
    { "RMSE outside the gap (below 0: LUNA is better)", UNA_PUBLISHED_RMSE, UNA_ALONE, 0 },
    { "log-likelihood outside the gap (above 0: LUNA is better)", UNA_PUBLISHED_LOG_LIK, UNA_ALONE, 0 },
    { "RMSE in the gap (below 0: LUNA is better)", UNA_PUBLISHED_GAP_RMSE, UNA_ALONE, 0 },
    { "log-likelihood in the gap (above 0: LUNA is better)", UNA_PUBLISHED_GAP_LOG_LIK, UNA_ALONE, 0 },
    { .title = NULL }
};

static una_status by_protocol(const una_show *show, una_preset preset)
{
    static const una_blocks all = { "bands", "Bands: not gap / gap.", CELLS, bands };
    una_page_heading(show->page, 2, una_phrase(show->arena, "Bands and pairs: %s", una_preset_titles[preset]));
    UNA_TRY(una_show_blocks(show, &all, preset));
    UNA_TRY(una_show_paired(show, compared, preset));
    return una_show_risk(show, preset);
}

static const una_block near[] = {
    { "RMSE outside", UNA_PUBLISHED_RMSE, UNA_ALONE, 0 }, { "log-lik outside", UNA_PUBLISHED_LOG_LIK, UNA_ALONE, 0 },
    { .title = NULL }
};

/* ---- the page --------------------------------------------------------------------------------------------------- */

/* Whether a protocol was run on columns of the thesis. */
static bool has_known(const una_show *show, una_preset preset)
{
    for (size_t who = 0; who < show->who_count; who++)
        if (una_show_ran(show, who, preset)) return true;
    return false;
}

static una_status columns_of_thesis(const una_show *show)
{
    una_page_heading(show->page, 2, "The six gaps of the thesis");
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        una_sheet sheet = una_show_comparison(show, &tables[t]);
        UNA_TRY(una_show_put(show, &sheet, UNA_PRESET_BOTH));
    }
    UNA_TRY(una_show_near(show, near));
    una_page_heading(show->page, 2, "Who notices which gap");
    UNA_TRY(una_gaps_detection(show));

    una_page_heading(show->page, 2, "Ignorance along the columns");
    UNA_TRY(una_show_seen(show));
    for (int p = UNA_PRESET_THESIS; p >= UNA_PRESET_AUTOMATIC; p--)
        if (has_known(show, (una_preset)p)) UNA_TRY(una_show_along(show, (una_preset)p));
    for (int p = UNA_PRESET_THESIS; p >= UNA_PRESET_AUTOMATIC; p--)
        if (has_known(show, (una_preset)p)) UNA_TRY(by_protocol(show, (una_preset)p));
    return UNA_OK;
}

una_status una_gaps_page(una_page *page)
{
    una_show show;
    UNA_TRY(una_show_of(&show, page, una_thesis_gaps));
    una_show_reduced(&show);
    if (show.known) UNA_TRY(columns_of_thesis(&show));
    show.shown = show.where_count;
    return show.where_count > show.known ? una_gaps_extended(&show) : UNA_OK;
}
