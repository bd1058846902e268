/* SPDX-License-Identifier: MIT
 *
 * Paths and other small services.
 */
#include "cli.h"
#include "una_report.h"

#include <sys/stat.h>

/* ---- memory, and what else belongs to the verb ------------------------------------------------------- */

typedef struct owned {                   /* something to be ended, or the head of a block of memory         */
    struct owned *before, *after;
    void        (*end)(void *what);
    void         *what;
} owned;

static owned *latest;

void *cli_alloc(size_t count, size_t size)
{
    size_t most = SIZE_MAX - sizeof(owned);
    owned *o = size && count > most / size ? NULL : calloc(1, sizeof *o + count * size);
    if (!o) {
        fputs("una: out of memory.\n", stderr);
        exit(UNA_E_MEMORY);
    }
    o->before = latest;
    if (latest) latest->after = o;
    latest = o;
    return o + 1;
}

void cli_free(void *block)
{
    owned *o = block ? (owned *)block - 1 : NULL;
    if (!o) return;
    if (o->before) o->before->after = o->after;
    if (o->after) o->after->before = o->before;
    else latest = o->before;
    free(o);
}

void *cli_more(void *list, size_t count, size_t size)
{
    if (count & (count - 1)) return list;                /* its room is the next power of two */
    void *more = cli_alloc(count ? 2 * count : 1, size);
    if (count) memcpy(more, list, count * size);
    cli_free(list);
    return more;
}

void cli_own(void (*end)(void *what), void *what)
{
    owned *o = (owned *)cli_alloc(0, 1) - 1;
    o->end = end;
    o->what = what;
}

void cli_end_owned(void)
{
    while (latest) {
        if (latest->end && latest->what) latest->end(latest->what);
        cli_free(latest + 1);
    }
}

CLI_END(una_model)
CLI_END(una_dataset)

void cli_own_model(una_model *model)
{
    cli_own(end_una_model, model);
}

void cli_own_table(una_dataset *data)
{
    cli_own(end_una_dataset, data);
}

const char *cli_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *cli_default_out(const char *data, const char *ending)
{
    const char *name = cli_base_name(data);
    size_t length = strlen(name);
    if (length > 3 && strcmp(name + length - 3, ".gz") == 0) length -= 3;
    for (size_t i = length; i-- > 1;) {
        if (name[i] == '.') {
            length = i;
            break;
        }
    }

    return cli_formatted("%.*s%s", (int)length, name, ending);
}

char *cli_join(const char *folder, const char *name)
{
    bool slash = *folder && folder[strlen(folder) - 1] != '/';
    return cli_formatted("%s%s%s", folder, slash ? "/" : "", name);
}

una_status cli_check_chart(const cli *c, const char *flag, const char *path)
{
    static const char *const endings[] = { ".svg", ".pdf", ".png" };
    size_t length = path ? strlen(path) : 0;
    if (!path) return UNA_OK;
    for (size_t i = 0; i < 3; i++)
        if (length > 4 && strcmp(path + length - 4, endings[i]) == 0) return una_chart_check(path, c->run);
    return cli_fail(c, UNA_E_USAGE, "--%s %s: the ending says which format; use .svg, .pdf or .png", flag, path);
}

/* Refuses a report without the ending of a page; a stream needs none. */
una_status cli_check_report(const cli *c, const char *path)
{
    const char *ending = path ? strrchr(cli_base_name(path), '.') : NULL;
    if (!path || !*path || strncmp(path, "/dev/", 5) == 0 || strncmp(path, "/proc/", 6) == 0) return UNA_OK;
    if (ending && (strcmp(ending, ".html") == 0 || strcmp(ending, ".htm") == 0)) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "--report %s: a report is a page for the browser, so use the ending .html; --chart "
                    "writes .svg, .pdf and .png", path);
}

una_status cli_check_pictures(const cli *c)
{
    CLI_TRY(cli_check_chart(c, "chart", cli_text(c, "chart")));
    return cli_check_report(c, cli_text(c, "report"));
}

void cli_print_pictures(const cli *c)
{
    static const char *const flags[] = { "report", "chart" };
    for (size_t i = 0; i < 2; i++)
        if (cli_has(c, flags[i])) printf("%s: %s\n", flags[i], cli_escaped(cli_text(c, flags[i])));
}

const char *cli_replaced_words(const char *kind)
{
    return strcmp(kind, "file") == 0 ? "(replaced a file that was no model)"
                                     : cli_formatted("(replaced: a model of kind %s was there)", kind);
}

const char *cli_replaced(const cli *c, const char *path)
{
    char *json = NULL, *kind = NULL;
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || strncmp(path, "/dev/", 5) == 0) return NULL;

    cli_json item = cli_json_open(una_file_info(&json, path, c->run) == UNA_OK ? json : "");
    while (cli_json_next(&item))
        if (item.key && strcmp(item.key, "kind") == 0 && !kind) kind = cli_join("", item.value);
    una_memory_free(json, c->run);
    return kind ? kind : cli_join("", "file");
}

size_t cli_kind_find(const char *name)
{
    for (size_t kind = 0; kind < una_kind_count(); kind++) {
        if (strcmp(una_kind_name(kind), name) == 0) return kind;
    }
    return SIZE_MAX;
}

/* ---- models and tables ------------------------------------------------------------------------------- */

una_status cli_load(const cli *c, una_model **model, const char *path)
{
    CLI_TRY(una_model_load(model, path, c->run));
    cli_own_model(*model);
    return UNA_OK;
}

/* Rows that are left out need not name an image. */
static una_status read_matching_rows(const cli *c, una_dataset **data, const char *path, bool part, const char *usual)
{
    const char *condition = cli_text(c, "where"), *images = cli_text(c, "images"), *index = cli_text(c, "index");
    CLI_TRY((part ? una_dataset_read_part : una_dataset_read)(data, path, c->run));
    if (condition) {
        una_dataset *all = *data;
        *data = NULL;
        una_status status = (part ? una_dataset_where_part : una_dataset_where)(data, all, condition, c->run);
        una_dataset_free(all);
        CLI_TRY(status);
    }
    cli_own_table(*data);
    if (index && !images)
        return una_run_fail(c->run, UNA_E_USAGE, "--index names the column of images, and no images are given; name "
                            "their file with --images");
    return images ? una_dataset_add_images(*data, images, index ? index : usual, c->run) : UNA_OK;
}

una_status cli_read(const cli *c, una_dataset **data, const char *path, const una_model *model)
{
    return read_matching_rows(c, data, path, false, model ? una_model_input_name(model, 0) : "index");
}

una_status cli_read_part(const cli *c, una_dataset **data, const char *path)
{
    return read_matching_rows(c, data, path, true, "index");
}

una_status cli_read_valid(const cli *c, una_fit_settings *settings)
{
    const char *valid = cli_text(c, "valid");
    una_dataset *rows;
    if (!valid) return UNA_OK;
    if (!cli_is_number(valid, &settings->valid_fraction)) {
        CLI_TRY(cli_read_part(c, &rows, valid));
        settings->valid = rows;
        return UNA_OK;
    }
    if (settings->valid_fraction > 0 && settings->valid_fraction < 1) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "--valid %s: give a share of the rows above 0 and below 1, or a file", valid);
}

/* ---- lists ------------------------------------------------------------------------------------------- */

const char **cli_split(const char *list, size_t *count)
{
    size_t depth = 0, length = strlen(list);
    bool quoted = false;
    char *copy = cli_join("", list), *from = copy;
    const char **pieces = cli_alloc(length + 1, sizeof *pieces);
    *count = 0;
    for (size_t i = 0; i <= length; i++) {
        char c = list[i];
        if (c == '"') quoted = !quoted;
        if (!quoted && (c == '(' || c == '[')) depth++;
        if (!quoted && (c == ')' || c == ']') && depth > 0) depth--;
        if (c && (c != ',' || depth > 0 || quoted)) continue;

        copy[i] = 0;
        from += strspn(from, " ");
        for (char *end = copy + i; end > from && end[-1] == ' ';) *--end = 0;
        if (*from) pieces[(*count)++] = from;
        from = copy + i + 1;
    }
    return pieces;
}

una_status cli_names(const cli *c, const char *flag, const char *const **names, size_t *count)
{
    if (!cli_has(c, flag)) return UNA_OK;
    *names = cli_split(cli_text(c, flag), count);
    return *count ? UNA_OK : cli_fail(c, UNA_E_USAGE, "--%s needs at least one name", flag);
}

una_missing cli_missing(const cli *c)
{
    const char *rule = cli_text(c, "missing");
    if (!rule) return UNA_MISSING_ERROR;
    return strcmp(rule, "drop") == 0 ? UNA_MISSING_DROP : UNA_MISSING_MEAN;
}
