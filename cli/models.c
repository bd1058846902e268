/* SPDX-License-Identifier: MIT
 *
 * una models: the registry. Every word printed here comes from the models themselves.
 */
#include "cli.h"

static una_status kind_json(const cli *c, size_t kind)
{
    cli_json_put(", {'name': %s, 'summary': %s, 'source': %s, 'updates': %d, 'thesis': %s, 'options': [",
                 una_kind_name(kind), una_kind_summary(kind), una_kind_source(kind), una_kind_updates(kind) != 0,
                 una_kind_preset(kind));
    for (size_t i = 0; i < una_kind_option_count(kind); i++) {
        una_option_info option = UNA_INIT(una_option_info);
        CLI_TRY(una_kind_option(&option, kind, i, c->run));
        cli_json_put(", {'name': %s, 'type': %s, 'default': %s, 'range': %s, 'help': %s}", option.name, option.type,
                     option.initial, option.range, option.help);
    }
    cli_json_put("]}");
    return UNA_OK;
}

static una_status all_json(const cli *c)
{
    cli_json_put("{'models': [");
    for (size_t kind = 0; kind < una_kind_count(); kind++) CLI_TRY(kind_json(c, kind));
    cli_json_put("]}\n");
    return UNA_OK;
}

static void all_table(void)
{
    size_t widest = 0;
    for (size_t kind = 0; kind < una_kind_count(); kind++) {
        size_t length = strlen(una_kind_name(kind));
        if (length > widest) widest = length;
    }
    for (size_t kind = 0; kind < una_kind_count(); kind++) {
        printf("%s%-*s%s  ", cli_style_on(stdout, CLI_BOLD), (int)widest, una_kind_name(kind), cli_style_off(stdout));
        cli_wrap(stdout, widest + 2, widest + 2, una_kind_summary(kind));
    }
    printf("\n'una models NAME' shows a model's options, with defaults and ranges.\n");
}

static void option_text(const una_option_info *option)
{
    printf("  %s%s%s = %s", cli_style_on(stdout, CLI_BOLD), option->name, cli_style_off(stdout),
           option->initial && *option->initial ? option->initial : "\"\"");
    printf("   %s%s%s%s%s\n      ", cli_style_on(stdout, CLI_DIM), option->type ? option->type : "",
           option->range && *option->range ? ", " : "", option->range ? option->range : "", cli_style_off(stdout));
    cli_wrap(stdout, 6, 6, option->help ? option->help : "");
}

static una_status kind_text(const cli *c, size_t kind)
{
    const char *preset = una_kind_preset(kind);
    printf("%s%s%s  ", cli_style_on(stdout, CLI_BOLD), una_kind_name(kind), cli_style_off(stdout));
    cli_wrap(stdout, strlen(una_kind_name(kind)) + 2, 0, una_kind_summary(kind));
    printf("Source: ");
    cli_wrap(stdout, 8, 8, una_kind_source(kind));
    printf("More rows: %s\n\nOptions and their defaults (change with --set NAME=VALUE):\n",
           una_kind_updates(kind) ? "'una update' adds them exactly, without retraining"
                                  : "only by fitting again ('una update --with OLD.csv')");

    for (size_t i = 0; i < una_kind_option_count(kind); i++) {
        una_option_info option = UNA_INIT(una_option_info);
        CLI_TRY(una_kind_option(&option, kind, i, c->run));
        option_text(&option);
    }

    printf("\nWith --preset thesis: ");
    cli_wrap(stdout, 22, 4, preset && *preset ? preset : "there is none for this model");
    return UNA_OK;
}

static una_status unknown_kind(const cli *c, const char *name)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t count = 0;
    for (; count < una_kind_count() && count < MOST; count++) names[count] = una_kind_name(count);
    return cli_unknown(c, "model", name, names, count, "una models");
}

static una_status run_models(cli *c)
{
    if (c->operand_count == 0) {
        if (c->json) return all_json(c);
        all_table();
        return UNA_OK;
    }
    size_t kind = cli_kind_find(c->operand[0]);
    if (kind == SIZE_MAX) return unknown_kind(c, c->operand[0]);
    CLI_TRY(c->json ? kind_json(c, kind) : kind_text(c, kind));
    if (c->json) cli_json_put("\n");
    return UNA_OK;
}

const cli_verb cli_models = {
    "models", "the models there are, and their options",
    "Lists every model; with a name, everything about one: what it is, where it was published, every option with its "
    "default and range, and the settings of --preset thesis.",
    { { "[NAME]", CLI_MODEL, "a model; left out, all of them are listed" } },
    NULL, CLI_WITH_JSON,
    "una models\n"
    "una models luna\n"
    "una models --json",
    .run = run_models
};
