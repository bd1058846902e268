/* SPDX-License-Identifier: MIT
 *
 * Names of columns on the command line: --target, --drop, --only; and those in the header of a file, for the shells'
 * completions.
 */
#include "cli.h"

/* ---- lists of names --------------------------------------------------------------------------------- */

static char *trimmed_name(const char *from, size_t length)
{
    while (length > 0 && *from == ' ') from++, length--;
    while (length > 0 && from[length - 1] == ' ') length--;
    char *text = cli_alloc(length + 1, 1);
    memcpy(text, from, length);
    return text;
}

typedef struct column_names {           /* names, sorted: a table may have a hundred thousand              */
    const char **name;
    size_t       count, longest;
} column_names;

static int compare_column_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static column_names sorted_names(const char *const *given, size_t count)
{
    column_names names = { .name = cli_alloc(count + 1, sizeof *names.name), .count = count };
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(given[i]);
        names.name[i] = given[i];
        if (length > names.longest) names.longest = length;
    }
    if (count) qsort(names.name, count, sizeof *names.name, compare_column_names);
    return names;
}

static column_names names_of_columns(const una_dataset *data)
{
    size_t count = una_dataset_column_count(data);
    const char **name = cli_alloc(count + 1, sizeof *name);
    for (size_t i = 0; i < count; i++) name[i] = una_dataset_column_name(data, i);
    return sorted_names(name, count);
}

static bool is_column_name(const column_names *names, const char *name)
{
    return names->count && bsearch(&name, names->name, names->count, sizeof *names->name, compare_column_names);
}

/* The longest piece that ends at a comma and is a column; else up to the first comma. Blanks around it do not count. */
static const char *next_name(const column_names *columns, const char **at)
{
    const char *begin = *at, *first = begin + strcspn(begin, ","), *from = begin + strspn(begin, " ");
    const char *end = from + strnlen(from, columns->longest);
    end += *end == ' ' ? strspn(end, " ") : 0;
    for (; end > first; end--) {
        if (*end && *end != ',') continue;
        char *name = trimmed_name(begin, (size_t)(end - begin));
        if (is_column_name(columns, name)) {
            *at = *end ? end + 1 : end;
            return name;
        }
    }
    *at = *first ? first + 1 : first;
    return trimmed_name(begin, (size_t)(first - begin));
}

static void add_column_names(column_names *to, const char *at, const column_names *columns)
{
    bool whole = is_column_name(columns, at) || !strchr(at, ',');      /* as it is, blanks and all */
    do {
        to->name = cli_more(to->name, to->count, sizeof *to->name);
        to->name[to->count++] = whole ? at : next_name(columns, &at);
    } while (!whole && *at);
}

/* Names of --FLAG "a, b"; a column whose own name has the comma comes first. Of a flag that may be repeated all are
 * taken, else the last one. */
static const char *const *columns_of(const cli *c, const char *flag, const una_dataset *data, size_t *count)
{
    const char **given = cli_alloc(c->given_count + 1, sizeof *given);
    size_t texts = cli_texts(c, flag, given);
    column_names names = {0}, columns = texts ? names_of_columns(data) : names;
    for (size_t i = texts && strcmp(flag, "target") == 0 ? texts - 1 : 0; i < texts; i++)
        add_column_names(&names, given[i], &columns);
    *count = names.count;
    return names.name;
}

const char *const *cli_targets(const cli *c, const una_dataset *data, size_t *count)
{
    return columns_of(c, "target", data, count);
}

/* A column whose own name has the comma is one target. */
una_status cli_need_one_target(const cli *c, const una_dataset *data, const char *what, const char *remedy)
{
    size_t count;
    cli_targets(c, data, &count);
    if (count < 2) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "%s one target, and --target %s names %zu: %s", what, cli_text(c, "target"), count,
                    remedy);
}

/* A condition may use columns that are no inputs. */
static void forget_others(cli *c, const una_dataset *data, const una_fit_settings *s)
{
    column_names drop = sorted_names(s->drop, s->drop_count), only = sorted_names(s->only, s->only_count);
    size_t columns = una_dataset_column_count(data), count = 0;
    const char **gone = cli_alloc(columns + 1, sizeof *gone);
    for (size_t i = 0; i < columns && !cli_has(c, "where"); i++) {
        const char *name = una_dataset_column_name(data, i);
        if (is_column_name(&drop, name) || (only.count && !is_column_name(&only, name))) gone[count++] = name;
    }
    cli_logs_forget(c, gone, count);
}

una_fit_settings cli_fit_settings(cli *c, const una_dataset *data)
{
    const char **set = cli_alloc(c->given_count + 1, sizeof *set);
    una_fit_settings s = { .size = sizeof s, .target = cli_text(c, "target"), .preset = cli_text(c, "preset"),
                           .set = set, .set_count = cli_texts(c, "set", set), .missing = cli_missing(c),
                           .other = (size_t)cli_count(c, "other", 0), .log_target = cli_has(c, "log"),
                           .group = cli_text(c, "group") };
    s.drop = columns_of(c, "drop", data, &s.drop_count);
    s.only = columns_of(c, "only", data, &s.only_count);
    if (c->log_count && (s.drop_count || s.only_count)) forget_others(c, data, &s);
    return s;
}

/* ---- the header of a file --------------------------------------------------------------------------- */

enum { HEADER = 1 << 16 };

/* The delimiter: the mark that stands most often outside of quotes. */
static char find_delimiter(const char *line)
{
    static const char marks[] = ",;\t|";
    size_t count[sizeof marks] = {0}, best = 0;
    bool quoted = false;
    for (; *line; line++) {
        if (*line == '"') quoted = !quoted;
        const char *mark = quoted ? NULL : strchr(marks, *line);
        if (mark) count[mark - marks]++;
    }
    for (size_t i = 1; i < sizeof marks - 1; i++) {
        if (count[i] > count[best]) best = i;
    }
    return marks[best];
}

/* Prints one name per line, without names that contain a line end or a control character. */
static void print_header(const char *line)
{
    char delimiter = find_delimiter(line), *name = cli_alloc(strlen(line) + 1, 1);
    for (const char *at = line; at; at = *at ? at + 1 : NULL) {
        size_t length = 0;
        bool quoted = false;
        at += strspn(at, " ");
        for (; *at && (quoted || *at != delimiter); at++) {
            if (*at != '"') name[length++] = *at;
            else if (quoted && at[1] == '"') name[length++] = *++at;
            else quoted = !quoted;
        }
        while (length > 0 && name[length - 1] == ' ') length--;
        name[length] = 0;
        if (length > 0 && cli_escaped(name) == name) printf("%s\n", name);
    }
}

/* For text files only; a file that cannot be read gives no names, because an error in the middle of a word helps
 * nobody. */
una_status cli_dump_columns(const char *path)
{
    char *bytes = cli_alloc(HEADER + 1, 1), *line = bytes;
    FILE *file = fopen(path, "rbe");
    size_t length = file ? fread(bytes, 1, HEADER, file) : 0;
    if (file) fclose(file);

    if (strlen(bytes) == length) {                       /* else it is no text */
        if (strncmp(line, "\xEF\xBB\xBF", 3) == 0) line += 3;
        while (*line == '#' || *line == '\n' || *line == '\r') {
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
        line[strcspn(line, "\r\n")] = 0;
        if (*line && (unsigned char)*line != 0x1F) print_header(line);
    }
    return UNA_OK;
}
