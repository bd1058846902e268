/* SPDX-License-Identifier: MIT
 *
 * The verdict on a fit, as people and programs read it.
 */
#include "cli.h"

#include <math.h>
#include <stdlib.h>

enum { TITLE = 18, MOST_SHOWN = 10 };

/* ---- asking -------------------------------------------------------------------------------------- */

bool cli_wants_verdict(const cli *c)
{
    return !cli_has(c, "no-verdict") && !c->ranks && !cli_has(c, "images");
}

/* [targets]; one is NULL where no rows were held out. */
una_status cli_compute_verdicts(cli *c, una_verdict ***verdicts, const una_model *model, const una_dataset *data)
{
    size_t targets = una_model_target_count(model);
    *verdicts = cli_alloc(targets, sizeof **verdicts);
    for (size_t t = 0; t < targets; t++) {
        const una_model *part = una_model_target(model, t);
        if (!una_model_held_out(part)) continue;
        una_status status = una_judge(&(*verdicts)[t], part, data, c->run);
        if (status != UNA_OK) return status;
    }
    return UNA_OK;
}

void cli_verdicts_free(una_verdict **verdicts, size_t targets)
{
    for (size_t t = 0; verdicts && t < targets; t++) una_verdict_free(verdicts[t]);
    free(verdicts);
}

/* ---- telling ------------------------------------------------------------------------------------- */

static void print_verdict_row(cli_style style, const char *title, const char *text)
{
    printf("  %s%-*s%s", cli_style_on(stdout, style), TITLE, title, cli_style_off(stdout));
    cli_wrap(stdout, TITLE + 2, TITLE + 2, text);
}

static const char *title_of_finding(const una_finding *f)
{
    switch (f->kind) {
    case UNA_FOUND_NOTHING_LEARNT: return "nothing learnt";
    case UNA_FOUND_TOO_GOOD: return "too good";
    case UNA_FOUND_SUSPECT_ROWS: return "suspicious rows";
    case UNA_FOUND_FEW_ROWS: return "few rows";
    case UNA_FOUND_WORSE_THAN_LINEAR: return "too complicated";
    case UNA_FOUND_COPIED_ROWS: return "copied rows";
    default: return "target";
    }
}

static void print_suspects(const una_verdict *v)
{
    char text[768], value[32];
    for (size_t i = 0; i < v->suspect_count && i < MOST_SHOWN; i++) {
        const una_suspect *s = &v->suspects[i];
        snprintf(text, sizeof text, "%s %zu: %.200s = %s %s", s->line ? "line" : "row", s->line ? s->line : s->number,
                 s->column, cli_number_short(value, s->value), s->why);
        print_verdict_row(CLI_PLAIN, "", text);
    }
    if (v->suspect_count <= MOST_SHOWN) return;
    snprintf(text, sizeof text, "and %zu more (--json lists them all)", v->suspect_count - MOST_SHOWN);
    print_verdict_row(CLI_PLAIN, "", text);
}

void cli_verdict_print(const una_verdict *v, bool wanted)
{
    if (!v && wanted)
        cli_wrap(stdout, 0, 0, "There is no verdict on this model: with fewer rows it could not be fitted, for want of "
                 "rows or of memory.\n");
    if (!v) return;
    printf("%s", cli_style_on(stdout, CLI_BOLD));
    cli_wrap(stdout, 0, 0, v->sentence);
    printf("%s", cli_style_off(stdout));
    for (size_t i = 0; i < v->finding_count; i++) {
        print_verdict_row(CLI_YELLOW, title_of_finding(&v->findings[i]), v->findings[i].sentence);
        if (v->findings[i].kind == UNA_FOUND_SUSPECT_ROWS) print_suspects(v);
    }
    printf("\n");
}

static void json_findings(const una_verdict *v)
{
    printf(", \"findings\": [");
    for (size_t i = 0; i < v->finding_count; i++) {
        printf(i ? ", {\"kind\": " : "{\"kind\": ");
        cli_json_text(stdout, v->findings[i].name);
        cli_json_text_of(stdout, "column", v->findings[i].column);
        cli_json_text_of(stdout, "sentence", v->findings[i].sentence);
        printf("}");
    }
    printf("], \"suspects\": [");
    for (size_t i = 0; i < v->suspect_count; i++) {
        const una_suspect *s = &v->suspects[i];
        printf(i ? ", {\"row\": %zu" : "{\"row\": %zu", s->number);
        cli_json_number_of(stdout, "line", s->line ? (double)s->line : NAN);
        cli_json_text_of(stdout, "column", s->column);
        cli_json_number_of(stdout, "value", s->value);
        cli_json_text_of(stdout, "why", s->why);
        printf("}");
    }
    printf("]");
}

void cli_verdict_json(const una_verdict *v)
{
    if (!v) return;
    printf(", \"verdict\": {\"sentence\": ");
    cli_json_text(stdout, v->sentence);
    printf(", \"rows\": %zu", v->rows);
    cli_json_number_of(stdout, "explained", v->explained);
    cli_json_number_of(stdout, "explained_low", v->explained_low);
    cli_json_number_of(stdout, "explained_high", v->explained_high);
    cli_json_number_of(stdout, "explained_linear", v->explained_linear);
    cli_json_number_of(stdout, "rmse", v->rmse);
    cli_json_number_of(stdout, "rmse_mean", v->rmse_mean);
    cli_json_number_of(stdout, "rmse_linear", v->rmse_linear);
    cli_json_number_of(stdout, "band", v->band);
    if (v->band_factor > 0) cli_json_number_of(stdout, "band_factor", v->band_factor);
    cli_json_number_of(stdout, "coverage_95", v->coverage_95);
    json_findings(v);
    printf("}");
}
