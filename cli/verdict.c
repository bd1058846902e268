/* SPDX-License-Identifier: MIT
 *
 * The verdict on a fit, as people and programs read it.
 */
#include "cli.h"

enum { MOST_SHOWN = 10 };

/* ---- asking -------------------------------------------------------------------------------------- */

bool cli_wants_verdict(const cli *c)
{
    return !cli_has(c, "no-verdict") && !c->ranks && !cli_has(c, "images");
}

CLI_END(una_verdict)

/* [targets]; one is NULL where no rows were held out. */
una_status cli_compute_verdicts(cli *c, una_verdict ***verdicts, const una_model *model, const una_dataset *data)
{
    size_t targets = una_model_target_count(model);
    *verdicts = cli_alloc(targets, sizeof **verdicts);
    for (size_t t = 0; t < targets; t++) {
        const una_model *part = una_model_target(model, t);
        if (!una_model_held_out(part)) continue;
        CLI_TRY(una_judge(&(*verdicts)[t], part, data, c->run));
        cli_own(end_una_verdict, (*verdicts)[t]);
    }
    return UNA_OK;
}

/* ---- telling ------------------------------------------------------------------------------------- */

static const char *title_of_finding(const una_finding *f)
{
    static const char *const titles[] = {
        [UNA_FOUND_NOTHING_LEARNT] = "nothing learnt", [UNA_FOUND_TOO_GOOD] = "too good",
        [UNA_FOUND_SUSPECT_ROWS] = "suspicious rows", [UNA_FOUND_FEW_ROWS] = "few rows",
        [UNA_FOUND_WORSE_THAN_LINEAR] = "too complicated", [UNA_FOUND_COPIED_ROWS] = "copied rows",
        [UNA_FOUND_GROUPED_ROWS] = "rows in groups"
    };
    return (size_t)f->kind < sizeof titles / sizeof *titles && titles[f->kind] ? titles[f->kind] : "target";
}

/* The cell as it is, of dates as a date. */
static const char *cell_of_suspect(char text[32], const una_suspect *s, const una_dataset *data)
{
    size_t column = 0;
    while (strcmp(una_dataset_column_name(data, column), s->column) != 0) column++;
    const char *date = una_dataset_date(text, data, column, s->row);
    return date ? date : cli_number_short(text, s->value);
}

static void print_suspects(const una_verdict *v, const una_dataset *data)
{
    char value[32];
    for (size_t i = 0; i < v->suspect_count && i < MOST_SHOWN; i++) {
        const una_suspect *s = &v->suspects[i];
        cli_say_row(CLI_PLAIN, "", "%s %zu: %.200s = %s %s", s->line ? "line" : "row", s->line ? s->line : s->number,
                    s->column, cell_of_suspect(value, s, data), s->why);
    }
    if (v->suspect_count > MOST_SHOWN)
        cli_say_row(CLI_PLAIN, "", "and %zu more (--json lists them all)", v->suspect_count - MOST_SHOWN);
}

void cli_verdict_print(const una_verdict *v, const una_dataset *data, bool wanted)
{
    if (!v && wanted)
        cli_say(0, "There is no verdict on this model: with fewer rows it could not be fitted, for want of rows or of "
                "memory.\n");
    if (!v) return;
    cli_say_bold(v->sentence);
    for (size_t i = 0; i < v->finding_count; i++) {
        cli_say_row(CLI_YELLOW, title_of_finding(&v->findings[i]), "%s", v->findings[i].sentence);
        if (v->findings[i].kind == UNA_FOUND_SUSPECT_ROWS) print_suspects(v, data);
    }
    printf("\n");
}

/* The figures without suspicious rows that hold most of them. */
static void json_aside(const una_verdict *v)
{
    if (v->rows_aside == 0) return;
    cli_json_put(", 'aside': {'rows': %zu, 'explained': %g, 'explained_linear': %g, 'error_95': %g", v->rows_aside,
                 v->explained_aside, v->linear_aside, v->error_95_aside);
    if (v->error_factor_95_aside > 0) cli_json_put(", 'error_factor_95': %g", v->error_factor_95_aside);
    cli_json_put("}");
}

static void json_importance(const una_verdict *v)
{
    if (v->inputs == 0) return;
    cli_json_put(", 'importance': {");
    for (size_t i = 0; i < v->inputs; i++) cli_json_put(", %s: %g", v->input_names[i], v->importance[i]);
    cli_json_put("}");
}

void cli_verdict_json(const una_verdict *v)
{
    if (!v) return;
    cli_json_put(", 'verdict': {'sentence': %s, 'rows': %zu, 'explained': %g, 'explained_low': %g, "
                 "'explained_high': %g, 'explained_linear': %g, 'rmse': %g, 'rmse_mean': %g, 'rmse_linear': %g, "
                 "'band': %g", v->sentence, v->rows, v->explained, v->explained_low, v->explained_high,
                 v->explained_linear, v->rmse, v->rmse_mean, v->rmse_linear, v->band);
    if (v->band_factor > 0) cli_json_put(", 'band_factor': %g", v->band_factor);
    cli_json_put(", 'coverage_95': %g, 'error_95': %g", v->coverage_95, v->error_95);
    if (v->error_factor_95 > 0) cli_json_put(", 'error_factor_95': %g", v->error_factor_95);
    json_aside(v);
    json_importance(v);
    cli_json_put(", 'findings': [");
    for (size_t i = 0; i < v->finding_count; i++)
        cli_json_put(", {'kind': %s, 'column': %s, 'sentence': %s}", v->findings[i].name, v->findings[i].column,
                     v->findings[i].sentence);
    cli_json_put("], 'suspects': [");
    for (size_t i = 0; i < v->suspect_count; i++) {
        const una_suspect *s = &v->suspects[i];
        cli_json_put(", {'row': %zu, 'line': %g, 'column': %s, 'value': %g, 'why': %s}", s->number,
                     s->line ? (double)s->line : NAN, s->column, s->value, s->why);
    }
    cli_json_put("]}");
}
