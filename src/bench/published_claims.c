/* SPDX-License-Identifier: MIT
 *
 * Judges that claims of uci and gap share.
 */
#include "bench/published_page.h"

#include "report/number.h"

bool una_judge_asked(int *holds, const una_findings *f, una_preset preset)
{
    for (size_t i = 0; i < f->count; i++)
        if (una_published_is_thesis(&f->fits[i].key) == (preset == UNA_PRESET_THESIS)) return true;
    *holds = UNA_NOT_ASKED;
    return false;
}

/* " (published: 3.18 against 3.11 ± 0.93)" */
static void say_printed(una_text *text, una_thesis_table table, const char *data)
{
    const una_thesis_column *columns = table <= UNA_THESIS_LOG_LIK ? una_thesis_sets : una_thesis_gaps;
    size_t column = una_thesis_find(columns, data);
    if (table == UNA_THESIS_TABLES || column == UNA_THESIS_COLUMNS) return;
    char a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM], c[UNA_NUMBER_ROOM];
    una_printed luna = una_thesis_printed(table, UNA_METHOD_LUNA, column, 0);
    una_printed nlm = una_thesis_printed(table, UNA_METHOD_NLM, column, 0);
    una_text_add(text, " (published: %s against %s \xC2\xB1 %s)", una_number_plain(a, luna.mean, 2),
                 una_number_plain(b, nlm.mean, 2), una_number_plain(c, nlm.sd, 2));
}

una_status una_judge_near(int *holds, una_text *numbers, const una_claim *claim, const una_findings *f,
                          una_preset preset, size_t measure, una_thesis_table printed, una_run *run)
{
    char a[UNA_NUMBER_ROOM], b[UNA_NUMBER_ROOM];
    const una_group *luna = una_method_group(f, UNA_METHOD_LUNA, claim->data, preset);
    const una_group *nlm = una_method_group(f, UNA_METHOD_NLM, claim->data, preset);
    una_paired paired;
    if (!una_judge_asked(holds, f, preset)) return UNA_OK;
    *holds = UNA_CANNOT_TELL;
    if (!luna || !nlm) {
        una_text_add(numbers, "needs luna and nlm on %s, %s", claim->data, una_preset_titles[preset]);
        return UNA_OK;
    }

    double bar = f->sd[(size_t)(nlm - f->groups) * f->measures + measure];
    UNA_TRY(una_paired_groups(&paired, f, luna, nlm, measure, run));
    una_text_add(numbers, "LUNA less NLM: ");
    una_paired_say(numbers, &paired);
    una_text_add(numbers, "; sd of NLM %s", una_number_brief(a, bar, 2));
    if (paired.count && bar > 0) una_text_add(numbers, ", %s of it", una_number_brief(b, paired.mean / bar, 2));
    say_printed(numbers, printed, claim->data);
    *holds = una_paired_within(&paired, bar);
    return UNA_OK;
}
