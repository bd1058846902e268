/* SPDX-License-Identifier: MIT
 *
 * What the thesis says of the UCI sets: LUNA is as good as NLM. The mean of the paired differences over the splits must
 * be within one standard deviation of NLM's, for sure: its 95 % interval decides. Under the thesis's protocol with its
 * noise set by hand, which is its claim, and with tuned noise, which says more; and of automatic models, which is ours.
 */
#include "published/published_page.h"

#define JUDGE(name, preset, measure, printed)                                                                        \
    static una_status name(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f, una_run *run) \
    {                                                                                                                \
        return una_claim_near(holds, numbers, claim, f, preset, measure, printed, run);                              \
    }
JUDGE(hand_rmse, UNA_PRESET_THESIS, UNA_PUBLISHED_HAND_RMSE, UNA_THESIS_RMSE)
JUDGE(hand_log_lik, UNA_PRESET_THESIS, UNA_PUBLISHED_HAND_LOG_LIK, UNA_THESIS_LOG_LIK)
JUDGE(tuned_log_lik, UNA_PRESET_THESIS, UNA_PUBLISHED_LOG_LIK, UNA_THESIS_TABLES)
JUDGE(own_rmse, UNA_PRESET_AUTOMATIC, UNA_PUBLISHED_RMSE, UNA_THESIS_TABLES)
JUDGE(own_log_lik, UNA_PRESET_AUTOMATIC, UNA_PUBLISHED_LOG_LIK, UNA_THESIS_TABLES)
#undef JUDGE

#define ON_ALL(begins, decide)                                                                                       \
    { begins "Boston", decide, "luna", "boston" }, { begins "Concrete", decide, "luna", "concrete" },                \
    { begins "Yacht", decide, "luna", "yacht" }, { begins "kin8nm", decide, "luna", "kin8nm" },                      \
    { begins "Energy", decide, "luna", "energy" }, { begins "Wine", decide, "luna", "wine-quality-red" }

const una_claim una_uci_claims[] = {
    ON_ALL("Thesis's protocol: LUNA's error is within error bars of NLM's on ", hand_rmse),
    ON_ALL("Thesis's protocol: LUNA's log-likelihood is within error bars of NLM's on ", hand_log_lik),
    ON_ALL("Thesis's protocol, noise tuned: LUNA's log-likelihood is within error bars of NLM's on ", tuned_log_lik),
    ON_ALL("Automatic (ours): LUNA's error is within error bars of NLM's on ", own_rmse),
    ON_ALL("Automatic (ours): LUNA's log-likelihood is within error bars of NLM's on ", own_log_lik),
    { .sentence = NULL }
};
