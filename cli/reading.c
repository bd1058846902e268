/* SPDX-License-Identifier: MIT
 *
 * How the files of a command are written, for the verbs that read tables: --delimiter, --decimal, --dates, --words.
 */
#include "cli.h"

/* A word or the character itself; 0: neither. */
static char delimiter_named(const char *text)
{
    static const struct { const char *word; char is; } known[] = {
        { "comma", ',' }, { "semicolon", ';' }, { "tab", '\t' }, { "bar", '|' }, { "pipe", '|' }, { "\\t", '\t' }
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(text, known[i].word) == 0) return known[i].is;
    }
    return strlen(text) == 1 && strchr(",;\t|", *text) ? *text : 0;
}

una_status cli_reading_begin(cli *c)
{
    const char *delimiter = cli_text(c, "delimiter"), *decimal = cli_text(c, "decimal"), *words = cli_text(c, "words");
    c->reading = (una_read_settings)UNA_INIT(una_read_settings);
    if (delimiter && !(c->reading.delimiter = delimiter_named(delimiter)))
        return cli_fail(c, UNA_E_USAGE, "--delimiter '%s': only commas, semicolons, tabs and bars can stand between "
                        "cells; give comma, semicolon, tab or bar", delimiter);
    if (decimal) c->reading.decimal = strcmp(decimal, "comma") == 0 ? ',' : '.';
    c->reading.dates = cli_text(c, "dates");
    if (c->reading.delimiter == ',' && c->reading.decimal == ',')
        cli_warn(c, "with commas between the cells, numbers with decimal commas are read only where they are quoted");
    if (!words) return UNA_OK;
    c->reading.words = cli_split(words, &c->reading.word_count);
    return UNA_OK;
}
