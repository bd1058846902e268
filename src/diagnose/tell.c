/* SPDX-License-Identifier: MIT
 *
 * An explanation in words, and as a table.
 */
#include "base/record.h"
#include "diagnose/concepts.h"

#define WORTH_NAMING 0.2         /* of a row's ignorance: the second reason is named from here on           */

/* ---- sentences -------------------------------------------------------------------------------------------- */

size_t una_explanation_largest(const una_explanation *e, size_t row)
{
    const double *part = e->part + row * e->parts;
    size_t best = SIZE_MAX;
    for (size_t p = 0; p < e->parts; p++)
        if (part[p] > (best == SIZE_MAX ? 0 : part[best])) best = p;
    return best;
}

/* The reason why a row is unsure. */
static const char *reason_of(const char *name)
{
    if (strcmp(name, UNA_PART_OTHER) == 0) return "what no concept here names";
    if (strcmp(name, UNA_PART_DISAGREEMENT) == 0) return "disagreement of the model's members";
    return "members without features to split by";
}

enum { LONGEST_REASON = 160 };

/* "because of 'old' (63 % of its ignorance)". */
static const char *name_reason(char to[LONGEST_REASON], const una_explanation *e, size_t part, double share,
                               const char *of)
{
    bool own = part < e->concepts;
    const char *quote = own ? "'" : "", *name = e->names[part];
    una_write_text(to, LONGEST_REASON, "because of %s%s%s (%.0f %%%s)", quote, own ? name : reason_of(name), quote,
                   100 * share, of);
    return to;
}

void una_explanation_sentence(const una_explanation *e, size_t row, char *text, size_t room)
{
    const double *part = e->part + row * e->parts;
    size_t best = una_explanation_largest(e, row), next = SIZE_MAX;
    char first[LONGEST_REASON], then[LONGEST_REASON];
    double sum = 0;
    for (size_t p = 0; p < e->parts; p++) sum += part[p];
    if (best == SIZE_MAX || !(sum > 0)) {
        snprintf(text, room, "Row %zu is sure: it has no ignorance.", e->number[row]);
        return;
    }
    for (size_t p = 0; p < e->parts; p++)
        if (p != best && part[p] >= WORTH_NAMING * sum && (next == SIZE_MAX || part[p] > part[next])) next = p;
    snprintf(text, room, "Row %zu is unsure %s %s%s%s.", e->number[row],
             part[best] >= 0.5 * sum ? "mostly" : "first of all",
             name_reason(first, e, best, part[best] / sum, " of its ignorance"), next == SIZE_MAX ? "" : ", then ",
             next == SIZE_MAX ? "" : name_reason(then, e, next, part[next] / sum, ""));
}

/* ---- CSV -------------------------------------------------------------------------------------------------- */

static void explanation_head(una_text *text, const una_explanation *e)
{
    static const char *const first[] = { "row", "mean", "std_epistemic" };
    una_record record = una_record_begin(text);
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) una_record_words(&record, first[i]);
    for (size_t p = 0; p < e->parts; p++) {
        una_text title = una_text_in(text->arena);
        una_text_add(&title, "part_%s", e->names[p]);
        una_record_words(&record, title.at);
    }
    una_record_end(&record);
}

static void explanation_row(una_text *text, const una_explanation *e, size_t row)
{
    una_record record = una_record_begin(text);
    una_record_count(&record, e->number[row]);
    una_record_number(&record, e->mean[row]);
    una_record_number(&record, e->std_epistemic[row]);
    for (size_t p = 0; p < e->parts; p++) una_record_number(&record, e->part[row * e->parts + p]);
    una_record_end(&record);
}

static una_status explanation_rows(una_file *file, const una_explanation *e, const char *path, una_run *run)
{
    una_text text = una_text_in(&run->scratch);
    UNA_TRY(una_file_begin(file, path, &run->scratch, run));
    explanation_head(&text, e);
    for (size_t r = 0; r < e->rows; r++) {
        explanation_row(&text, e, r);
        UNA_TRY(una_arena_check(&run->scratch));
        UNA_TRY(una_file_write(file, text.at, text.length, run));
        text.length = 0;
    }
    return una_file_commit(file, run);
}

una_status una_explanation_write(const una_explanation *explanation, const char *path, una_run *run)
{
    una_file file = {0};
    una_clear_message(run);
    una_status status;
    UNA_SCOPED_CALL(status, run, explanation_rows(&file, explanation, path, run));
    una_file_abandon(&file);
    return status;
}
