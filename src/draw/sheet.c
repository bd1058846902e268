/* SPDX-License-Identifier: MIT
 *
 * The table. Its three ways for readers show a cell by the same words; each then escapes what its own language would
 * take for a sign. LaTeX gets the house's minus, plus-minus and raised digits as mathematics, so that any engine sets
 * them.
 */
#include "draw/sheet.h"

#include "base/record.h"

#include "draw/number.h"

#include <ctype.h>

una_sheet una_sheet_in(una_arena *arena, const char *name, const char *lead, const char *caption)
{
    return (una_sheet){ .arena = arena, .name = una_arena_text(arena, name), .lead = una_arena_text(arena, lead),
                        .caption = una_arena_text(arena, caption) };
}

/* ---- filling ------------------------------------------------------------------------------------------------- */

void una_sheet_column(una_sheet *sheet, const char *title, una_sheet_kind kind)
{
    if (sheet->lines > 0) return;                /* lines have their cells already */
    sheet->column = una_arena_grow(sheet->arena, sheet->column, sheet->columns, &sheet->column_room,
                                   sizeof *sheet->column);
    if (!sheet->column) return;
    sheet->column[sheet->columns++] = (una_sheet_head){ una_arena_text(sheet->arena, title), kind };
}

void una_sheet_columns(una_sheet *sheet, const una_sheet_head *columns)
{
    for (; columns->title; columns++) una_sheet_column(sheet, columns->title, columns->kind);
}

static void append_sheet_row(una_sheet *sheet, una_sheet_row line)
{
    sheet->line = una_arena_grow(sheet->arena, sheet->line, sheet->lines, &sheet->line_room, sizeof *sheet->line);
    if (!sheet->line) return;
    sheet->line[sheet->lines++] = line;
    sheet->at = 0;
}

void una_sheet_group(una_sheet *sheet, const char *words)
{
    append_sheet_row(sheet, (una_sheet_row){ .group = una_arena_text(sheet->arena, words) });
}

void una_sheet_line(una_sheet *sheet)
{
    append_sheet_row(sheet, (una_sheet_row){ .cell = UNA_GET(sheet->arena, una_sheet_cell, sheet->columns) });
}

/* Those of the last line; NULL: it has none, or there is no line. */
static una_sheet_cell *last_cells(const una_sheet *sheet)
{
    return sheet->line && sheet->lines > 0 ? sheet->line[sheet->lines - 1].cell : NULL;
}

static void append_sheet_cell(una_sheet *sheet, una_sheet_cell cell)
{
    una_sheet_cell *cells = last_cells(sheet);
    if (cells && sheet->at < sheet->columns) cells[sheet->at++] = cell;
}

void una_sheet_words(una_sheet *sheet, const char *words)
{
    append_sheet_cell(sheet, (una_sheet_cell){ .kind = words ? UNA_SHEET_WORDS : UNA_SHEET_EMPTY,
                                               .words = una_arena_text(sheet->arena, words) });
}

void una_sheet_begin(una_sheet *sheet, const char *words)
{
    una_sheet_line(sheet);
    una_sheet_words(sheet, words);
}

void una_sheet_number(una_sheet *sheet, double value, int decimals)
{
    append_sheet_cell(sheet, (una_sheet_cell){ .kind = UNA_SHEET_NUMBER, .value = value, .decimals = decimals });
}

void una_sheet_spread(una_sheet *sheet, double mean, double sd, int decimals)
{
    append_sheet_cell(sheet,
                      (una_sheet_cell){ .kind = UNA_SHEET_SPREAD, .value = mean, .sd = sd, .decimals = decimals });
}

void una_sheet_strong(una_sheet *sheet)
{
    una_sheet_cell *cells = last_cells(sheet);
    if (cells && sheet->at > 0) cells[sheet->at - 1].strong = true;
}

/* ---- what a reader sees -------------------------------------------------------------------------------------- */

/* A spread's second number has one digit less where digits are counted. */
static const char *cell_as_shown(const una_sheet_cell *cell, una_arena *arena)
{
    int less = cell->decimals < -1 ? cell->decimals + 1 : cell->decimals;
    if (cell->kind == UNA_SHEET_EMPTY) return "";
    if (cell->kind == UNA_SHEET_WORDS) return cell->words;
    const char *number = UNA_IN_PLACES(cell->value, cell->decimals);
    bool spread = cell->kind == UNA_SHEET_SPREAD && isfinite(cell->value) && isfinite(cell->sd);
    if (!spread) return una_phrase(arena, "%s", number);
    return una_phrase(arena, "%s \xC2\xB1 %s", number, UNA_IN_PLACES(cell->sd, less));
}

static bool is_words(const una_sheet *sheet, size_t column)
{
    return sheet->column[column].kind != UNA_SHEET_NUMBER && sheet->column[column].kind != UNA_SHEET_SPREAD;
}

static const char *sheet_column_title(const una_sheet *sheet, size_t column, una_arena *arena)
{
    const char *given = sheet->column[column].title;
    if (!given || !*given) return "";
    return sheet->named ? given : una_phrase(arena, "%c%s", toupper((unsigned char)given[0]), given + 1);
}

/* ---- on a page ----------------------------------------------------------------------------------------------- */

/* open: "<td" or "<th" and its attributes. */
static void html_cell(una_text *text, const char *open, const char *words)
{
    una_text_add(text, "%s>", open);
    una_html_words(text, words);
    una_text_add(text, "</%.2s>", open + 1);
}

static void html_line(una_text *text, const una_sheet *sheet, const una_sheet_row *line)
{
    for (size_t c = 0; c < sheet->columns; c++) {
        const una_sheet_cell *cell = &line->cell[c];
        una_sheet_kind kind = sheet->column[c].kind;
        const char *open = cell->strong ? "<td class=\"s\"" : "<td";
        if (!is_words(sheet, c)) open = cell->strong ? "<td class=\"n s\"" : "<td class=\"n\"";
        else if (c == 0 || kind == UNA_SHEET_NAME) open = "<th scope=\"row\"";
        else if (kind == UNA_SHEET_SENTENCE) open = "<td class=\"w\"";
        html_cell(text, open, cell_as_shown(cell, text->arena));
    }
}

void una_sheet_html(una_html *html, const una_sheet *sheet)
{
    una_text *text = &html->text;
    if (sheet->arena->failed) return;
    una_text_add(text, "<figure>\n<figcaption class=\"above\" id=\"t%zu\">", ++html->tables);
    una_html_caption(html, "Table", html->tables, sheet->lead, sheet->caption);
    una_text_add(text, "</figcaption>\n<div class=\"scroll\"><table aria-labelledby=\"t%zu\">\n<thead><tr>",
                 html->tables);
    for (size_t c = 0; c < sheet->columns; c++)
        html_cell(text, is_words(sheet, c) ? "<th scope=\"col\"" : "<th scope=\"col\" class=\"n\"",
                  sheet_column_title(sheet, c, text->arena));
    una_text_add(text, "</tr></thead>\n");
    for (size_t i = 0; i < sheet->lines; i++) {
        const char *group = sheet->line[i].group;
        una_text_add(text, "<tr");
        if (group) una_text_add(text, " class=\"g\"><th scope=\"rowgroup\" colspan=\"%zu\"", sheet->columns);
        una_text_add(text, ">");
        if (group) una_html_escape(text, group);
        else html_line(text, sheet, &sheet->line[i]);
        una_text_add(text, group ? "</th></tr>\n" : "</tr>\n");
    }
    una_text_add(text, "</table></div>\n</figure>\n");
}

/* ---- CSV ----------------------------------------------------------------------------------------------------- */

static bool has_groups(const una_sheet *sheet)
{
    for (size_t i = 0; i < sheet->lines; i++)
        if (sheet->line[i].group) return true;
    return false;
}

static void csv_head(una_text *text, const una_sheet *sheet)
{
    una_record record = una_record_begin(text);
    if (has_groups(sheet)) una_record_words(&record, "group");
    for (size_t c = 0; c < sheet->columns; c++) {
        const char *title = sheet->column[c].title ? sheet->column[c].title : "";
        una_text spread = una_text_in(text->arena);
        una_record_words(&record, title);
        if (sheet->column[c].kind != UNA_SHEET_SPREAD) continue;
        una_text_add(&spread, "%s sd", title);
        una_record_words(&record, spread.at);
    }
    una_record_end(&record);
}

static void csv_cell(una_record *record, const una_sheet_cell *cell, una_sheet_kind column)
{
    bool number = cell->kind == UNA_SHEET_NUMBER || cell->kind == UNA_SHEET_SPREAD;
    if (number) una_record_number(record, cell->value);
    else una_record_words(record, cell->words);
    if (column == UNA_SHEET_SPREAD) una_record_number(record, cell->kind == UNA_SHEET_SPREAD ? cell->sd : NAN);
}

void una_sheet_csv(una_text *text, const una_sheet *sheet)
{
    if (sheet->arena->failed) return;
    const char *group = "";
    bool groups = has_groups(sheet);
    csv_head(text, sheet);
    for (size_t i = 0; i < sheet->lines; i++) {
        const una_sheet_row *line = &sheet->line[i];
        if (line->group) {
            group = line->group;
            continue;
        }
        una_record record = una_record_begin(text);
        if (groups) una_record_words(&record, group);
        for (size_t c = 0; c < sheet->columns; c++) csv_cell(&record, &line->cell[c], sheet->column[c].kind);
        una_record_end(&record);
    }
}

/* ---- Markdown ------------------------------------------------------------------------------------------------ */

void una_markdown_escape(una_text *text, const char *words)
{
    for (const char *s = words; *s; s++) {
        if (*s == '\n' || *s == '\r') una_text_add(text, " ");
        else if (strchr("\\|*`<[]", *s)) una_text_add(text, "\\%c", *s);
        else una_text_bytes(text, s, 1);
    }
}

void una_markdown_caption(una_text *text, const char *lead, const char *caption)
{
    if (lead && *lead) {
        una_text_add(text, "**");
        una_markdown_escape(text, lead);
        una_text_add(text, "**%s", caption && *caption ? " " : "");
    }
    if (caption) una_markdown_escape(text, caption);
    una_text_add(text, "\n\n");
}

static void markdown_cell(una_text *text, const char *words, bool strong)
{
    const char *mark = strong && *words ? "**" : "";
    una_text_add(text, " %s", mark);
    una_markdown_escape(text, words);
    una_text_add(text, "%s |", mark);
}

static void markdown_line(una_text *text, const una_sheet *sheet, const una_sheet_row *line)
{
    una_text_add(text, "|");
    for (size_t c = 0; c < sheet->columns; c++) {
        if (line->cell) markdown_cell(text, cell_as_shown(&line->cell[c], text->arena), line->cell[c].strong);
        else markdown_cell(text, c == 0 ? line->group : "", c == 0);
    }
    una_text_add(text, "\n");
}

void una_sheet_markdown(una_text *text, const una_sheet *sheet)
{
    if (sheet->arena->failed) return;
    una_markdown_caption(text, sheet->lead, sheet->caption);
    una_text_add(text, "|");
    for (size_t c = 0; c < sheet->columns; c++) markdown_cell(text, sheet_column_title(sheet, c, text->arena), false);
    una_text_add(text, "\n|");
    for (size_t c = 0; c < sheet->columns; c++) una_text_add(text, is_words(sheet, c) ? "---|" : "---:|");
    una_text_add(text, "\n");
    for (size_t i = 0; i < sheet->lines; i++) markdown_line(text, sheet, &sheet->line[i]);
    una_text_add(text, "\n");
}

/* ---- LaTeX --------------------------------------------------------------------------------------------------- */

typedef struct sign { const char *utf8, *latex; } sign;

static const sign signs[] = {
    { "\xE2\x88\x92", "$-$" }, { "\xC2\xB1", "$\\pm$" }, { "\xC3\x97", "$\\times$" }, { "\xE2\x80\x93", "--" },
    { UNA_THIN_SPACE, "\\," }, { "\\", "\\textbackslash{}" }, { "~", "\\textasciitilde{}" },
    { "^", "\\textasciicircum{}" }, { "&", "\\&" }, { "%", "\\%" }, { "$", "\\$" }, { "#", "\\#" }, { "_", "\\_" },
    { "{", "\\{" }, { "}", "\\}" }, { "<", "$<$" }, { ">", "$>$" }, { "|", "$|$" }, { "\xE2\x89\xA4", "$\\le$" },
    { "\xE2\x89\xA5", "$\\ge$" }, { "\n", " " }, { "\r", " " }
};
static const sign *latex_sign_at(const char *at)
{
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(at, signs[i].utf8, strlen(signs[i].utf8)) == 0) return &signs[i];
    return NULL;
}

static void latex_escape(una_text *text, const char *words)
{
    size_t length;
    for (const char *s = words; *s;) {
        const sign *plain = latex_sign_at(s);
        char digit = una_lowered_digit(s, &length);
        if (plain) {
            una_text_add(text, "%s", plain->latex);
            s += strlen(plain->utf8);
        } else if (digit) {
            una_text_add(text, "$^{");
            for (; digit; digit = una_lowered_digit(s += length, &length)) una_text_bytes(text, &digit, 1);
            una_text_add(text, "}$");
        } else {
            una_text_bytes(text, s++, 1);
        }
    }
}

static void latex_cell(una_text *text, const char *words, bool strong, bool last)
{
    una_text_add(text, strong ? "\\textbf{" : "");
    latex_escape(text, words);
    una_text_add(text, "%s%s", strong ? "}" : "", last ? " \\\\\n" : " & ");
}

static void latex_line(una_text *text, const una_sheet *sheet, const una_sheet_row *line)
{
    if (line->group) {
        una_text_add(text, "\\multicolumn{%zu}{l}{\\textit{", sheet->columns);
        latex_escape(text, line->group);
        una_text_add(text, "}} \\\\\n");
        return;
    }
    const char *first = sheet->columns > 0 ? cell_as_shown(&line->cell[0], text->arena) : NULL;
    if (first && (*first == '[' || *first == '*')) una_text_add(text, "{}");     /* else an option of the \\ before */
    for (size_t c = 0; c < sheet->columns; c++)
        latex_cell(text, cell_as_shown(&line->cell[c], text->arena), line->cell[c].strong, c + 1 == sheet->columns);
}

/* The letters of a column's longest cell; signs of several bytes count a little more than they are wide. */
static size_t longest_cell(const una_sheet *sheet, size_t column, una_arena *arena)
{
    size_t length = strlen(sheet_column_title(sheet, column, arena));
    for (size_t i = 0; i < sheet->lines; i++) {
        const char *words = sheet->line[i].cell ? cell_as_shown(&sheet->line[i].cell[column], arena) : NULL;
        if (words && strlen(words) > length) length = strlen(words);
    }
    return length;
}

/* Columns of words that are sentences are broken into lines, and share what the others leave of the page's width by
 * how much they have to say; about 90 letters fill a line. */
static void latex_columns(una_text *text, const una_sheet *sheet)
{
    enum { SENTENCE = 36, MOST = 90 };
    static const double letter = 1.0 / 90, least = 0.4;
    double taken = 0, wanted = 0;
    for (size_t c = 0; c < sheet->columns; c++) {
        size_t length = longest_cell(sheet, c, text->arena);
        if (is_words(sheet, c) && length > SENTENCE) wanted += fmin((double)length, MOST);
        else taken += letter * (double)(length + 2);
    }
    for (size_t c = 0; c < sheet->columns; c++) {
        size_t length = longest_cell(sheet, c, text->arena);
        if (is_words(sheet, c) && length > SENTENCE)
            una_text_add(text, "p{%.2f\\linewidth}", fmax(0.95 - taken, least) * fmin((double)length, MOST) / wanted);
        else una_text_add(text, is_words(sheet, c) ? "l" : "r");
    }
}

void una_sheet_latex(una_text *text, const una_sheet *sheet)
{
    if (sheet->arena->failed) return;
    una_text_add(text, "%% ");
    latex_escape(text, sheet->lead ? sheet->lead : "");
    una_text_add(text, " ");
    latex_escape(text, sheet->caption ? sheet->caption : "");
    una_text_add(text, "\n\\begin{tabular}{");
    latex_columns(text, sheet);
    una_text_add(text, "}\n\\toprule\n");
    for (size_t c = 0; c < sheet->columns; c++)
        latex_cell(text, sheet_column_title(sheet, c, text->arena), false, c + 1 == sheet->columns);
    una_text_add(text, "\\midrule\n");
    for (size_t i = 0; i < sheet->lines; i++) latex_line(text, sheet, &sheet->line[i]);
    una_text_add(text, "\\bottomrule\n\\end{tabular}\n");
}
