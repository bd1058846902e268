/* SPDX-License-Identifier: MIT
 *
 * una info: the header of a file that una wrote, without loading what follows it. The header describes itself, so this
 * view needs no list of its keys; only the relevance of the inputs is shown as shares. A study is a database and is
 * queried.
 */
#include "cli.h"

#include <sys/stat.h>

enum { TITLE = 20, DEEPEST = 8, LONGEST = 1 << 20 /* of one part: what una writes is far shorter */ };

static void key_in_words(const char *key, char *buffer, size_t size)   /* log_evidence -> "log evidence" */
{
    snprintf(buffer, size, "%s", key);
    for (char *at = buffer; *at; at++) {
        if (*at == '_') *at = ' ';
    }
}

static bool is_flat(const char *json)                             /* no objects or arrays inside */
{
    bool flat = true;
    for (cli_json item = cli_json_open(json); cli_json_next(&item);)
        flat = flat && item.type != '{' && item.type != '[';
    return flat;
}

static void print_flat(const char *json, size_t column, size_t indent)   /* "a, b, c" or "k=v, k=v" on one paragraph */
{
    size_t room = strlen(json) * 4 + 32, used = 0;
    char *text = cli_alloc(room, 1);
    for (cli_json item = cli_json_open(json); cli_json_next(&item);) {
        char figure[32];
        double value;
        bool broken = !item.type && strpbrk(item.value, ".eE") && cli_is_number(item.value, &value);
        used += (size_t)snprintf(text + used, room - used, "%s%s%s%s", used ? ", " : "", item.key ? item.key : "",
                                 item.key ? "=" : "", broken ? cli_number_short(figure, value) : item.value);
    }
    cli_wrap(stdout, column, indent, used ? text : "none");
    cli_free(text);
}

static void print_info_relevance(const char *json, size_t column, size_t indent)
{
    size_t count = 0;
    cli_named *list = cli_alloc(strlen(json) / 2 + 1, sizeof *list);       /* each has a letter and a sign */
    for (cli_json item = cli_json_open(json); cli_json_next(&item); count++) {
        list[count].name = cli_join("", item.key ? item.key : "");
        if (!cli_is_number(item.value, &list[count].value)) list[count].value = 0;
    }
    cli_wrap(stdout, column, indent, cli_shares(list, count));
}

static void print_length(const char *text)                        /* of a part too long for eyes */
{
    printf("%.1f MB, which --json prints\n", (double)strlen(text) / 1e6);
}

static una_status print_object(const cli *c, const char *json, size_t indent, unsigned depth);

static una_status print_value(const cli *c, const cli_json *item, size_t column, size_t indent, unsigned depth)
{
    char figure[32];
    double value;
    bool nested = item->type == '{' || item->type == '[';
    if (depth == 0 && item->type == '{' && item->key && strcmp(item->key, "relevance") == 0) {
        print_info_relevance(item->value, column, indent + TITLE);
    } else if (strlen(item->value) > LONGEST) {
        print_length(item->value);
    } else if (nested && (is_flat(item->value) || depth >= DEEPEST)) {
        print_flat(item->value, column, indent + TITLE);
    } else if (nested) {
        printf("\n");
        return print_object(c, item->value, indent + 2, depth + 1);
    } else if (!item->type && cli_is_number(item->value, &value) && strpbrk(item->value, ".eE")) {
        printf("%s\n", cli_number_short(figure, value));
    } else {
        cli_wrap(stdout, column, indent + TITLE, item->value);
    }
    return UNA_OK;
}

/* A header of a stranger may hold millions of items: each of them can be interrupted. */
static una_status print_object(const cli *c, const char *json, size_t indent, unsigned depth)
{
    size_t number = 0;
    bool printed = false;           /* the spec, in which all options are */

    for (cli_json item = cli_json_open(json); cli_json_next(&item);) {
        char title[64];
        if (item.key && printed && strcmp(item.key, "options") == 0) continue;
        printed = printed || (item.key && strcmp(item.key, "spec") == 0);
        if (item.key) key_in_words(item.key, title, sizeof title);
        else snprintf(title, sizeof title, "%zu", ++number);
        size_t width = strlen(title) < TITLE ? TITLE : strlen(title) + 1;
        CLI_TRY(cli_check_interrupt(c));
        printf("%*s%s%-*s%s", (int)indent, "", cli_style_on(stdout, CLI_BOLD), (int)width, cli_escaped(title),
               cli_style_off(stdout));
        CLI_TRY(print_value(c, &item, indent + width, indent, depth));
    }
    return UNA_OK;
}

static una_status print_all(const cli *c, const char *json)
{
    if (!c->json) {
        printf("%-*s%s\n", TITLE, "file", cli_escaped(c->operand[0]));
        return print_object(c, json, 0, 0);
    }
    cli_json_pass(json);
    if (!*json || json[strlen(json) - 1] != '\n') printf("\n");
    return UNA_OK;
}

/* A server, or a file of SQLite. */
static bool is_study_database(const char *path)
{
    struct stat about;
    if (strncmp(path, "postgresql://", 13) == 0 || strncmp(path, "postgres://", 11) == 0) return true;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) && cli_is_sqlite_file(path);   /* of a pipe every byte is
                                                                                              needed */
}

static una_status run_info(cli *c)
{
    char *json = NULL;
    if (is_study_database(c->operand[0])) {
#ifdef UNA_HAS_study
        CLI_TRY(cli_study_info(c, &json));
        return print_all(c, json);
#else
        return cli_fail(c, UNA_E_USAGE, "%s is a study, and this una was built without these; build it with "
                        "-DUNA_STUDY=ON", c->operand[0]);
#endif
    }
    CLI_TRY(una_file_info(&json, c->operand[0], c->run));
    una_status status = print_all(c, json);
    una_memory_free(json, c->run);
    return status;
}

const cli_verb cli_info = {
    "info", "what is in a model or study file",
    "Shows what a model file says about itself: the kind of model, its columns, every option, the noise, the scores on "
    "the rows held out, warnings. The model is not loaded, so this is quick and safe for any file. Of a study it shows "
    "the settings, how many trials there are, and the best one.",
    { { "FILE", CLI_FILE, "a file written by una" } },
    NULL, CLI_WITH_JSON,
    "una info measurements.una\n"
    "una info measurements.una --json",
    .run = run_info
};
