/* SPDX-License-Identifier: MIT
 *
 * Help, from the flag tables.
 */
#include "cli.h"

enum { TITLE_WIDTH = 24 };

const char *cli_flag_title(const cli_flag *flag)
{
    return cli_formatted("--%s%s%s", flag->name, flag->metavar ? " " : "", flag->metavar ? flag->metavar : "");
}

const char *cli_synopsis(const cli_verb *verb)
{
    const char *text = cli_formatted("una %s", verb->name);
    for (size_t i = 0; i < 3 && verb->operands[i].name; i++)
        text = cli_formatted("%s %s", text, verb->operands[i].name);
    return cli_formatted("%s [flags]%s", text, verb->common & CLI_WITH_COMMAND ? " -- COMMAND ..." : "");
}

static void print_heading(FILE *to, const char *text)
{
    fprintf(to, "\n%s%s%s\n", cli_style_on(to, CLI_BOLD), text, cli_style_off(to));
}

static void print_entry(FILE *to, const char *title, const char *text)
{
    fprintf(to, "  %-*s", TITLE_WIDTH, title);
    if (strlen(title) >= TITLE_WIDTH) fprintf(to, "\n  %*s", TITLE_WIDTH, "");
    cli_wrap(to, TITLE_WIDTH + 2, TITLE_WIDTH + 2, text);
}

void cli_help(void)
{
    printf("una: regression that knows what it does not know\n");
    print_heading(stdout, "Usage");
    printf("  una VERB ...\n");

    print_heading(stdout, "Verbs");
    for (const cli_verb *verb = NULL; (verb = cli_next_word(verb));)
        print_entry(stdout, cli_first_word(verb), verb->family ? verb->family->summary : verb->summary);
    print_heading(stdout, "Also");
    print_entry(stdout, "una help VERB", "what a verb does, its flags and examples; the same as 'una VERB --help'");
    print_entry(stdout, "una --version", "version, libraries and kernel sets built in");

    print_heading(stdout, "To begin with");
    printf("  una demo\n"
           "  una fit measurements.csv --target strength --report report.html\n"
           "  una predict measurements.una new.csv --out answers.csv\n");

    print_heading(stdout, "Exit status");
#define CLI_STATUS_LINE(code, number, text) printf("  %-3d %s\n", number, text);
    UNA_STATUS_LIST(CLI_STATUS_LINE)
#undef CLI_STATUS_LINE
}

static void print_examples(FILE *to, const char *examples)
{
    for (const char *at = examples; *at;) {
        size_t length = strcspn(at, "\n");
        fprintf(to, "  %s%.*s%s\n", *at == '#' ? cli_style_on(to, CLI_DIM) : "", (int)length, at,
                *at == '#' ? cli_style_off(to) : "");
        at += length + (at[length] == '\n');
    }
}

void cli_help_verb(const cli_verb *verb, FILE *to)
{
    fprintf(to, "%s%s%s\n\n", cli_style_on(to, CLI_BOLD), cli_synopsis(verb), cli_style_off(to));
    cli_wrap(to, 0, 0, verb->about);

    if (verb->operands[0].name) print_heading(to, "Arguments");
    for (size_t i = 0; i < 3 && verb->operands[i].name; i++) {
        print_entry(to, verb->operands[i].name, verb->operands[i].help);
    }

    print_heading(to, "Flags");
    for (const cli_flag *flag = NULL; (flag = cli_next_flag(verb, flag));)
        print_entry(to, cli_flag_title(flag), flag->help);

    print_heading(to, "Examples");
    print_examples(to, verb->examples);
}

void cli_help_family(const cli_family *family)
{
    printf("%suna %s VERB ...%s\n\n", cli_style_on(stdout, CLI_BOLD), family->name, cli_style_off(stdout));
    cli_wrap(stdout, 0, 0, family->about);

    print_heading(stdout, "Verbs");
    for (const cli_verb *verb = NULL; (verb = cli_next_member(family, verb));)
        print_entry(stdout, verb->name, verb->summary);
    printf("\n  'una %s VERB --help' shows the flags of one, with examples.\n", family->name);

    print_heading(stdout, "Examples");
    print_examples(stdout, family->examples);
}
