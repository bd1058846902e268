/* SPDX-License-Identifier: MIT
 *
 * Paths and other small services.
 */
#include "cli.h"
#include "una_report.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void *cli_alloc(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size ? size : 1);
    if (block) return block;
    fputs("una: out of memory.\n", stderr);
    exit(UNA_E_MEMORY);
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

    size_t size = length + strlen(ending) + 1;
    char *path = cli_alloc(size, 1);
    snprintf(path, size, "%.*s%s", (int)length, name, ending);
    return path;
}

char *cli_join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = cli_alloc(size, 1);
    bool slash = *folder && folder[strlen(folder) - 1] != '/';
    snprintf(path, size, "%s%s%s", folder, slash ? "/" : "", name);
    return path;
}

una_status cli_check_chart(const cli *c, const char *path)
{
    static const char *const endings[] = { ".svg", ".pdf", ".png" };
    size_t length = path ? strlen(path) : 0;
    for (size_t i = 0; path && i < 3; i++) {
        if (length < 5 || strcmp(path + length - 4, endings[i]) != 0) continue;
        una_status status = una_chart_check(path, c->run);
        return status == UNA_OK ? UNA_OK : cli_failed(c, status);
    }
    if (!path) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "--chart %s: the ending says which format; use .svg, .pdf or .png", path);
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

char *cli_replaced(const cli *c, const char *path)
{
    char *json = NULL, *kind = NULL;
    struct stat about;
    if (stat(path, &about) != 0 || !S_ISREG(about.st_mode) || strncmp(path, "/dev/", 5) == 0) return NULL;

    cli_json walk;
    cli_json_item item;
    bool more = una_file_info(&json, path, c->run) == UNA_OK && cli_json_open(&walk, json);
    for (; more && cli_json_next(&walk, &item); cli_json_done(&item)) {
        if (item.key && strcmp(item.key, "kind") == 0 && !kind) kind = cli_join("", item.value);
    }
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

una_status cli_read_valid(const cli *c, una_dataset **rows, una_fit_settings *settings)
{
    const char *valid = cli_text(c, "valid");
    if (!valid) return UNA_OK;
    if (cli_is_number(valid, &settings->valid_fraction)) {
        if (settings->valid_fraction > 0 && settings->valid_fraction < 1) return UNA_OK;
        return cli_fail(c, UNA_E_USAGE, "--valid %s: give a share of the rows above 0 and below 1, or a file", valid);
    }
    una_status status = una_dataset_read_part(rows, valid, c->run);
    if (status == UNA_OK) status = cli_keep_part(c, rows);
    settings->valid = *rows;
    return status == UNA_OK ? status : cli_failed(c, status);
}

typedef una_status keep_call(una_dataset **subset, const una_dataset *data, const char *condition, una_run *run);

/* Keeps the rows of --where. Rows that are left out need not name an image. */
static una_status keep_matching_rows(const cli *c, una_dataset **data, keep_call *call, const char *usual)
{
    const char *condition = cli_text(c, "where"), *images = cli_text(c, "images"), *index = cli_text(c, "index");
    if (condition) {
        una_dataset *matching = NULL;
        una_status status = call(&matching, *data, condition, c->run);
        if (status != UNA_OK) return status;
        una_dataset_free(*data);
        *data = matching;
    }
    if (index && !images)
        return una_run_fail(c->run, UNA_E_USAGE, "--index names the column of images, and no images are given; name "
                            "their file with --images");
    return images ? una_dataset_add_images(*data, images, index ? index : usual, c->run) : UNA_OK;
}

una_status cli_keep_rows(const cli *c, una_dataset **data)
{
    return keep_matching_rows(c, data, una_dataset_where, "index");
}

una_status cli_keep_asked(const cli *c, una_dataset **data, const una_model *model)
{
    return keep_matching_rows(c, data, una_dataset_where, una_model_input_name(model, 0));
}

una_status cli_keep_part(const cli *c, una_dataset **data)
{
    return keep_matching_rows(c, data, una_dataset_where_part, "index");
}

size_t cli_split(const char *list, char **copy, const char ***pieces)
{
    size_t length = strlen(list), count = 0, depth = 0;
    bool quoted = false;
    *copy = cli_alloc(length + 1, 1);
    *pieces = cli_alloc(length + 1, sizeof **pieces);
    memcpy(*copy, list, length + 1);

    char *from = *copy;
    for (size_t i = 0; i <= length; i++) {
        char c = list[i];
        if (c == '"') quoted = !quoted;
        if (!quoted && (c == '(' || c == '[')) depth++;
        if (!quoted && (c == ')' || c == ']') && depth > 0) depth--;
        if (c && (c != ',' || depth > 0 || quoted)) continue;

        (*copy)[i] = 0;
        from += strspn(from, " ");
        for (char *end = *copy + i; end > from && end[-1] == ' ';) *--end = 0;
        if (*from) (*pieces)[count++] = from;
        from = *copy + i + 1;
    }
    return count;
}

una_missing cli_missing(const cli *c)
{
    const char *rule = cli_text(c, "missing");
    if (!rule) return UNA_MISSING_ERROR;
    return strcmp(rule, "drop") == 0 ? UNA_MISSING_DROP : UNA_MISSING_MEAN;
}
