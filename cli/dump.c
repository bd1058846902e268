/* SPDX-License-Identifier: MIT
 *
 * The man page and the shell completions, made at build time from the same tables as the help:
 * `una --dump-man`, `una --dump-completion bash|zsh|fish`.
 */
#include "cli.h"

/* ---- man page ---------------------------------------------------------------------------------------- */

static void put_roff(const char *text)                /* a text in which roff sees nothing of its own */
{
    for (const char *at = text; *at; at++) {
        bool line_start = at == text || at[-1] == '\n';
        if (line_start && (*at == '.' || *at == '\'')) fputs("\\&", stdout);
        if (*at == '\\') fputs("\\e", stdout);
        else if (*at == '-') fputs("\\-", stdout);
        else putchar(*at);
    }
}

static void roff_line(const char *before, const char *text)
{
    fputs(before, stdout);
    put_roff(text);
    putchar('\n');
}

static void roff_item(const char *title, const char *text)
{
    roff_line(".TP\n.B ", title);
    roff_line("", text);
}

static void man_verb(const cli_verb *verb)
{
    roff_line(".SS ", cli_synopsis(verb));
    roff_line("", verb->about);

    for (size_t i = 0; i < 3 && verb->operands[i].name; i++) roff_item(verb->operands[i].name, verb->operands[i].help);
    for (const cli_flag *flag = verb->flags; flag && flag->name; flag++) roff_item(cli_flag_title(flag), flag->help);

    roff_line(".PP\nExamples:\n.PP\n.nf\n.RS\n", verb->examples);
    fputs(".RE\n.fi\n", stdout);
}

una_status cli_dump_man(void)
{
    printf(".TH UNA 1 \"\" \"una %s\" \"User commands\"\n.SH NAME\nuna \\- ", una_version());
    printf("regression that knows what it does not know\n.SH SYNOPSIS\n.nf\n");
    for (size_t i = 0; cli_verbs[i]; i++) roff_line("", cli_synopsis(cli_verbs[i]));

    printf(".fi\n.SH DESCRIPTION\n"
           "una fits regression models to tables and says, for every answer, how sure it is, how much of the doubt is\n"
           "noise (more data of the same kind will not help) and how much is ignorance (data in this region would).\n"
           ".SH VERBS\n");
    for (size_t i = 0; cli_verbs[i]; i++) man_verb(cli_verbs[i]);

    printf(".SH COMMON FLAGS\nEach verb takes those of the following that make sense for it.\n");
    for (const cli_common_flag *common = cli_common; common->flag.name; common++)
        roff_item(cli_flag_title(&common->flag), common->flag.help);

    printf(".SH EXIT STATUS\n");
#define CLI_STATUS_ITEM(code, number, text) roff_item(#number, text);
    UNA_STATUS_LIST(CLI_STATUS_ITEM)
#undef CLI_STATUS_ITEM

    printf(".SH ENVIRONMENT\n");
    roff_item("NO_COLOR", "If set and not empty, no colour is used. Colour appears on a terminal only in any case.");
    roff_item("UNA_PATH", "plain: training steps of luna and tuna take the one way that serves every shape instead of "
              "the fastest for theirs. For comparison: numbers agree but for rounding. auto: as without it.");
    return UNA_OK;
}

/* ---- completions -------------------------------------------------------------------------------------- */

static void print_first_words(void)
{
    for (const cli_verb *verb = NULL; (verb = cli_next_word(verb));) printf("%s ", cli_first_word(verb));
}

/* The words that a value may be, with blanks between them; NULL: it may be others. */
static const char *words_of(cli_type type, const char *choices)
{
    if (type != CLI_CHOICE && type != CLI_MODEL) return NULL;
    char *words = cli_join("", type == CLI_CHOICE ? choices : una_kind_name(0));
    for (size_t kind = 1; type == CLI_MODEL && kind < una_kind_count(); kind++)
        words = cli_formatted("%s %s", words, una_kind_name(kind));
    for (char *at = words; (at = strchr(at, '|'));) *at = ' ';
    return words;
}

static void print_quoted(const char *text, const char *special)   /* inside single quotes */
{
    for (; *text; text++) {
        if (*text == '\'') fputs("'\\''", stdout);
        else if (strchr(special, *text)) printf("\\%c", *text);
        else putchar(*text);
    }
}

static void bash_words(const char *words)
{
    printf("COMPREPLY=($(compgen -W \"%s\" -- \"$word\"))", words);
}

static void bash_values(const cli_flag *flag)
{
    const char *words = words_of(flag->type, flag->choices);
    printf("        *:--%s) ", flag->name);
    if (words) bash_words(words);
    else if (flag->type == CLI_COLUMN) printf("_una_columns \"$word\"");
    else if (flag->type == CLI_FOLDER) printf("COMPREPLY=($(compgen -d -- \"$word\"))");
    else if (cli_is_path(flag->type)) printf("COMPREPLY=($(compgen -f -- \"$word\"))");
    else printf("COMPREPLY=()");
    printf("; return ;;\n");
}

static bool flag_seen_before(const cli_verb *verb, const cli_flag *flag)   /* a flag of that name in an earlier verb */
{
    for (size_t i = 0; cli_verbs[i] && cli_verbs[i] != verb; i++) {
        for (const cli_flag *other = NULL; (other = cli_next_flag(cli_verbs[i], other));)
            if (strcmp(other->name, flag->name) == 0 && other->type == flag->type) return true;
    }
    return false;
}

/* A verb of a family is the first two words. */
static void bash_families(void)
{
    printf("    case \"$verb\" in\n");
    for (const cli_verb *word = NULL; (word = cli_next_word(word));) {
        if (!word->family) continue;
        printf("        %s)\n            if [ \"$COMP_CWORD\" -eq 2 ]; then\n"
               "                COMPREPLY=($(compgen -W \"", cli_first_word(word));
        for (const cli_verb *verb = NULL; (verb = cli_next_member(word->family, verb));)
            printf("%s ", cli_second_word(verb));
        printf("--help\" -- \"$word\"))\n                return\n            fi\n"
               "            verb=\"$verb ${COMP_WORDS[2]}\" ;;\n");
    }
    printf("    esac\n");
}

/* Names in the header of the first file of the command line that begin with what was typed behind the last comma. They
 * are compared and never expanded: a header may come from a stranger. */
static const char bash_columns[] =
    "_una_columns() {\n"
    "    local file name last=\"${1##*,}\" first=\"\"\n"
    "    [[ \"$1\" == *,* ]] && first=\"${1%,*},\"\n"
    "    COMPREPLY=()\n"
    "    for file in \"${COMP_WORDS[@]:2}\"; do\n"
    "        [ -f \"$file\" ] || continue\n"
    "        while IFS= read -r name; do\n"
    "            [[ \"$name\" == \"$last\"* ]] && COMPREPLY+=(\"$first$name\")\n"
    "        done < <(\"${COMP_WORDS[0]}\" --dump-columns \"$file\" 2>/dev/null)\n"
    "        return\n"
    "    done\n"
    "}\n";

static const char zsh_columns[] =
    "_una_columns() {\n"
    "    local file\n"
    "    local -a names\n"
    "    for file in $words[2,-1]; do\n"
    "        [[ -f $file ]] || continue\n"
    "        names=(\"${(@f)$(una --dump-columns $file 2>/dev/null)}\")\n"
    "        compset -P '*,'\n"
    "        compadd -a names\n"
    "        return\n"
    "    done\n"
    "}\n";

static const char fish_columns[] =
    "function __una_columns\n"
    "    set -l first (string match -r '^.*,' -- (commandline -ct))\n"
    "    for file in (commandline -opc)[3..-1]\n"
    "        test -f $file; or continue\n"
    "        for name in (una --dump-columns $file 2>/dev/null)\n"
    "            printf '%s\\n' \"$first$name\"\n"
    "        end\n"
    "        return\n"
    "    end\n"
    "end\n";

static void dump_bash(void)
{
    printf("# bash completion for una; made by 'una --dump-completion bash'\n%s"
           "_una() {\n"
           "    local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" "
           "verb=\"${COMP_WORDS[1]}\"\n    if [ \"$COMP_CWORD\" -eq 1 ]; then\n"
           "        COMPREPLY=($(compgen -W \"", bash_columns);
    print_first_words();
    printf("help --help --version\" -- \"$word\"))\n        return\n    fi\n");
    bash_families();
    printf("    case \"$verb:$before\" in\n");

    for (size_t i = 0; cli_verbs[i]; i++) {
        for (const cli_flag *flag = NULL; (flag = cli_next_flag(cli_verbs[i], flag));)
            if (flag->type != CLI_SWITCH && !flag_seen_before(cli_verbs[i], flag)) bash_values(flag);
    }

    printf("    esac\n    if [[ \"$word\" == -* ]]; then\n        case \"$verb\" in\n");
    for (size_t i = 0; cli_verbs[i]; i++) {
        printf("        \"%s\") COMPREPLY=($(compgen -W \"", cli_verbs[i]->name);
        for (const cli_flag *flag = NULL; (flag = cli_next_flag(cli_verbs[i], flag));) printf("--%s ", flag->name);
        printf("\" -- \"$word\")) ;;\n");
    }

    printf("        esac\n        return\n    fi\n    case \"$verb\" in\n        help) COMPREPLY=($(compgen -W \"");
    print_first_words();
    printf("\" -- \"$word\")) ;;\n        models) ");
    bash_words(words_of(CLI_MODEL, NULL));
    printf(" ;;\n        *) COMPREPLY=($(compgen -f -- \"$word\")) ;;\n    esac\n}\n"
           "complete -o filenames -F _una una\n");
}

static void zsh_action(cli_type type, const char *choices)
{
    const char *words = words_of(type, choices);
    if (words) printf("(%s)", words);
    else if (type == CLI_COLUMN) printf("_una_columns");
    else if (cli_is_path(type)) printf("_files");
    else if (type == CLI_FOLDER) printf("_files -/");
}

static void zsh_verb(const char *name, const char *summary)
{
    printf("        '%s:", name);
    print_quoted(summary, ":");
    printf("'\n");
}

static void zsh_families(void)
{
    for (const cli_verb *word = NULL; (word = cli_next_word(word));) {
        if (!word->family) continue;
        printf("    if [[ $verb == %s ]]; then\n        verbs=(\n", cli_first_word(word));
        for (const cli_verb *verb = NULL; (verb = cli_next_member(word->family, verb));)
            zsh_verb(cli_second_word(verb), verb->summary);
        printf("        )\n        if (( CURRENT == 2 )); then\n            _describe verb verbs\n"
               "            return\n        fi\n        verb=\"$verb $words[2]\"\n        shift words\n"
               "        (( CURRENT-- ))\n    fi\n");
    }
}

static void zsh_arguments(const cli_verb *verb)
{
    printf("    '%s')\n        _arguments", verb->name);
    for (const cli_flag *flag = NULL; (flag = cli_next_flag(verb, flag));) {
        printf(" \\\n            '%s--%s%s[", flag->many ? "*" : "", flag->name, flag->type == CLI_SWITCH ? "" : "=");
        print_quoted(flag->help, "[]:");
        printf("]");
        if (flag->type != CLI_SWITCH) printf(":%s:", flag->metavar);
        zsh_action(flag->type, flag->choices);
        printf("'");
    }
    for (size_t k = 0; k < 3 && verb->operands[k].name; k++) {
        const cli_operand *operand = &verb->operands[k];
        bool repeats = cli_repeats(operand), optional = operand->name[0] == '[';
        const char *name = operand->name + optional;
        printf(" \\\n            '");
        if (repeats) printf("*");
        else printf("%zu:", k + 1);
        printf("%s%.*s:", optional || repeats ? ":" : "", (int)strcspn(name, ".]"), name);
        zsh_action(operand->type, NULL);
        printf("'");
    }
    printf(" ;;\n");
}

static void dump_zsh(void)
{
    printf("#compdef una\n# made by 'una --dump-completion zsh'\n%s_una() {\n    local -a verbs\n    verbs=(\n",
           zsh_columns);
    for (const cli_verb *verb = NULL; (verb = cli_next_word(verb));)
        zsh_verb(cli_first_word(verb), verb->family ? verb->family->summary : verb->summary);
    printf("    )\n    if (( CURRENT == 2 )); then\n        _describe verb verbs\n        return\n    fi\n"
           "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n");
    zsh_families();
    printf("    case $verb in\n");
    for (size_t i = 0; cli_verbs[i]; i++) zsh_arguments(cli_verbs[i]);
    printf("    esac\n}\n_una \"$@\"\n");
}

static void fish_word(const char *when, const char *word, const char *summary)
{
    printf("complete -c una -n '%s' -f -a %s -d '", when, word);
    print_quoted(summary, "");
    printf("'\n");
}

/* Whether the verb stands on the command line: "study ask" are two words. */
static const char *fish_condition(const cli_verb *verb)
{
    const cli_family *family = verb->family;
    const char *seen = "__fish_seen_subcommand_from";
    if (!family) return cli_formatted("%s %s", seen, verb->name);
    return cli_formatted("%s %s; and %s %s", seen, family->name, seen, cli_second_word(verb));
}

static void fish_families(void)
{
    for (const cli_verb *word = NULL; (word = cli_next_word(word));) {
        const cli_family *family = word->family;
        if (!family) continue;
        const char *when = cli_formatted("__fish_seen_subcommand_from %s; and not __fish_seen_subcommand_from",
                                         family->name);
        for (const cli_verb *verb = NULL; (verb = cli_next_member(family, verb));)
            when = cli_formatted("%s %s", when, cli_second_word(verb));
        fish_word("__fish_use_subcommand", family->name, family->summary);
        for (const cli_verb *verb = NULL; (verb = cli_next_member(family, verb));)
            fish_word(when, cli_second_word(verb), verb->summary);
    }
}

static void fish_flag(const char *condition, const cli_flag *flag)
{
    const char *words = flag->type == CLI_COLUMN ? "(__una_columns)" : words_of(flag->type, flag->choices);
    printf("complete -c una -n '%s' -l %s", condition, flag->name);
    if (cli_is_path(flag->type) || flag->type == CLI_FOLDER) printf(" -r");
    else if (flag->type != CLI_SWITCH) printf(" -x");
    if (words) printf(" -a '%s'", words);
    printf(" -d '");
    print_quoted(flag->help, "");
    printf("'\n");
}

static void dump_fish(void)
{
    printf("# fish completion for una; made by 'una --dump-completion fish'\n%s", fish_columns);
    fish_families();
    for (size_t i = 0; cli_verbs[i]; i++) {
        const cli_verb *verb = cli_verbs[i];
        const char *condition = fish_condition(verb);
        if (!verb->family) fish_word("__fish_use_subcommand", verb->name, verb->summary);
        for (const cli_flag *flag = NULL; (flag = cli_next_flag(verb, flag));) fish_flag(condition, flag);
        if (verb->operands[0].type == CLI_MODEL)
            printf("complete -c una -n '__fish_seen_subcommand_from %s' -f -a '%s'\n", verb->name,
                   words_of(CLI_MODEL, NULL));
    }
}

/* ---- what verbs read and write, for tests ------------------------------------------------------------- */

static void dump_file(const cli_verb *verb, const char *dashes, const char *name, cli_type type)
{
    if (!cli_is_path(type) && *dashes) return;
    const char *use = "read";
    if (!cli_is_path(type)) use = "word";
    else if (type == CLI_FILE_OUT) use = "written";
    else if (type == CLI_FILE_UPDATED) use = "renewed";
    printf("%s\t%s%s\t%s\n", verb->name, dashes, name, use);
}

una_status cli_dump_files(void)
{
    for (size_t i = 0; cli_verbs[i]; i++) {
        const cli_operand *operands = cli_verbs[i]->operands;
        for (size_t k = 0; k < sizeof cli_verbs[i]->operands / sizeof *operands && operands[k].name; k++)
            dump_file(cli_verbs[i], "", operands[k].name, operands[k].type);
        for (const cli_flag *flag = NULL; (flag = cli_next_flag(cli_verbs[i], flag));)
            dump_file(cli_verbs[i], "--", flag->name, flag->type);
    }
    return UNA_OK;
}

una_status cli_dump_completion(const char *shell)
{
    cli nobody = {0};
    if (strcmp(shell, "bash") == 0) dump_bash();
    else if (strcmp(shell, "zsh") == 0) dump_zsh();
    else if (strcmp(shell, "fish") == 0) dump_fish();
    else return cli_fail(&nobody, UNA_E_USAGE, "--dump-completion needs one of bash, zsh, fish");
    return UNA_OK;
}
