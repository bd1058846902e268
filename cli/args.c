/* SPDX-License-Identifier: MIT
 *
 * The command line against a verb's flag table. `--flag value` and `--flag=value` are the same; `--` ends
 * the flags; the last of a flag given twice counts, except where a flag may be repeated.
 */
#include "cli.h"

#include <errno.h>

const cli_common_flag cli_common[] = {
    { CLI_FLAG("delimiter", CLI_TEXT, "MARK", "what stands between the cells of the tables: comma, semicolon, tab, "
               "bar, or the character (default: found from the file)"), CLI_WITH_READING },
    { CLI_FLAG_CHOICE("decimal", "MARK", "comma|point", "the decimal mark of the tables, comma or point; the other one "
                      "then marks thousands (default: found from the file)"), CLI_WITH_READING },
    { CLI_FLAG_CHOICE("dates", "ORDER", "dmy|mdy", "whether 3/1/2024 is 3 January (dmy) or March 1 (mdy) (default: "
                      "found from days above 12, else dmy)"), CLI_WITH_READING },
    { CLI_FLAG("words", CLI_TEXT, "COLUMN,...", "columns to read as words, even if they look like numbers or dates"),
      CLI_WITH_READING },
    { CLI_FLAG_COUNT("seed", "N", 0, UINT64_MAX,
                     "seed of everything random; the same seed gives the same bits (default 0)"), CLI_WITH_SEED },
    { CLI_FLAG_COUNT("threads", "N", 1, 4096, "number of threads; never changes a result (default: one per core, under "
                     "mpirun shared among the ranks of a machine)"),
      CLI_WITH_RUN },
    { CLI_FLAG_CHOICE("kernels", "SET", "auto|generic|avx2|avx512",
                      "instruction set of the inner loops: auto, generic, avx2 or avx512 (default auto)"),
      CLI_WITH_RUN },
    { CLI_FLAG("memory", CLI_SIZE, "SIZE",
               "refuse to use more memory than this, for instance 500M or 4G (default: four fifths of what the machine "
               "has, or what a cgroup allows)"), CLI_WITH_RUN },
    { CLI_FLAG("scratch", CLI_SIZE, "SIZE", "refuse to write more to scratch files at a time (default: four times "
               "--memory)"), CLI_WITH_RUN },
    { CLI_FLAG_SWITCH("no-cache", "with --images: unpack them again and keep nothing in the cache, ~/.cache/una; no "
                                  "effect without images"),
      CLI_WITH_RUN | CLI_BY_PIECES },
    { CLI_FLAG_SWITCH("verify-cache", "with --images: unpack them again and replace their copy in the cache, "
                                      "~/.cache/una; no effect without images"), CLI_WITH_RUN | CLI_BY_PIECES },
    { CLI_FLAG_SWITCH("no-scratch", "hold all rows in memory, none in scratch files under $TMPDIR or /var/tmp"),
      CLI_WITH_RUN | CLI_BY_PIECES },
    { CLI_FLAG_SWITCH("json", "print one JSON object on stdout and nothing else"), CLI_WITH_JSON },
    { CLI_FLAG_SWITCH("quiet", "no progress, no warnings, no summary: only results and errors"), CLI_WITH_QUIET },
    { CLI_FLAG_SWITCH("help", "show this help"), 0 },
    { CLI_FLAG_END, 0 }
};

/* Bits of the flag for verbs that have it, and one for verbs that do not. */
static bool has_flag(const cli_verb *verb, const cli_common_flag *common)
{
    if (common->with & verb->common & CLI_BY_PIECES) return false;
    return !common->with || (common->with & verb->common & ~(unsigned)CLI_BY_PIECES);
}

const cli_flag *cli_next_flag(const cli_verb *verb, const cli_flag *before)
{
    static const cli_flag none = CLI_FLAG_END;
    const cli_flag *own = verb->flags ? verb->flags : &none;
    while (before && own->name && own != before) own++;
    if (before && own->name) own++, before = NULL;       /* it is one of the verb's own */
    if (own->name) return own;
    const cli_common_flag *next = before ? (const cli_common_flag *)(const void *)before + 1 : cli_common;
    while (next->flag.name && !has_flag(verb, next)) next++;
    return next->flag.name ? &next->flag : NULL;
}

/* ---- suggestions ------------------------------------------------------------------------------------- */

static size_t smaller_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Edits (insert, delete, replace, swap of neighbours) from a to b. */
static size_t flag_distance(const char *a, const char *b)
{
    enum { MOST = 64 };
    size_t rows[3][MOST + 1], la = strlen(a), lb = strlen(b);
    if (la > MOST || lb > MOST) return SIZE_MAX;

    for (size_t j = 0; j <= lb; j++) rows[0][j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *two = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            now[j] = smaller_size(smaller_size(before[j] + 1, now[j - 1] + 1), before[j - 1] + (a[i - 1] != b[j - 1]));
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) now[j] = smaller_size(now[j], two[j - 2] + 1);
        }
    }
    return rows[la % 3][lb];
}

const char *cli_nearest(const char *wrong, const char *const *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX, length = strlen(wrong);
    for (size_t i = 0; i < count; i++) {
        size_t far = flag_distance(wrong, names[i]);
        if (length >= 3 && strncmp(wrong, names[i], length) == 0) far = smaller_size(far, 1);
        if (far < best_distance) {
            best_distance = far;
            best = names[i];
        }
    }
    return best_distance <= 1 + length / 3 ? best : NULL;
}

una_status cli_unknown(const cli *c, const char *what, const char *wrong, const char *const *names, size_t count,
                       const char *lister)
{
    const char *near = cli_nearest(wrong, names, count);
    if (near) return cli_fail(c, UNA_E_USAGE, "there is no %s '%s'; did you mean '%s'?", what, wrong, near);
    return cli_fail(c, UNA_E_USAGE, "there is no %s '%s'; '%s' lists them all", what, wrong, lister);
}

/* ---- values ------------------------------------------------------------------------------------------ */

bool cli_is_number(const char *text, double *value)
{
    char *end;
    if (!*text || !strchr("+-.0123456789", *text) || strpbrk(text, "xXnN")) return false;
    *value = strtod(text, &end);
    return end != text && !*end && isfinite(*value);
}

static bool parse_count(const char *text, uint64_t *value)
{
    char *end;
    if (!*text || strspn(text, "0123456789") != strlen(text)) return false;
    errno = 0;
    *value = strtoull(text, &end, 10);
    return errno == 0;
}

static bool is_size(const char *text, uint64_t *value)
{
    static const char endings[] = "KMGT";
    char digits[32];
    size_t length = strlen(text);
    if (length == 0 || length >= sizeof digits) return false;

    memcpy(digits, text, length + 1);
    const char *ending = strchr(endings, digits[length - 1] & ~0x20);
    unsigned shift = 0;
    if (strspn(digits + length - 1, "0123456789") == 0) {
        if (!ending || !*ending) return false;
        shift = 10 * ((unsigned)(ending - endings) + 1);
        digits[length - 1] = 0;
    }

    if (!parse_count(digits, value) || *value == 0 || *value > UINT64_MAX >> shift) return false;
    *value <<= shift;
    return true;
}

static bool is_choice(const char *choices, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL) {
        if (length > 0 && strcspn(at, "|") == length && strncmp(at, word, length) == 0) return true;
    }
    return false;
}

static una_status check_flag_value(const cli *c, const cli_flag *flag, const char *value)
{
    static const char *const wanted[] = {
        [CLI_SHARE] = "a number above 0 and below 1, for instance 0.95", [CLI_NUMBER] = "a number",
        [CLI_SIZE] = "a number of bytes, or one ending in K, M, G or T such as 4G"
    };
    uint64_t count = 0;
    double number = 0;
    cli_type type = flag->type;
    bool good = true;
    if (type == CLI_COUNT) good = parse_count(value, &count) && count >= flag->low && count <= flag->high;
    else if (type == CLI_NUMBER) good = cli_is_number(value, &number);
    else if (type == CLI_SHARE) good = cli_is_number(value, &number) && number > 0 && number < 1;
    else if (type == CLI_SIZE) good = is_size(value, &count);
    else if (type == CLI_CHOICE) good = is_choice(flag->choices, value);
    if (good) return UNA_OK;
    if (type == CLI_COUNT)
        return cli_fail(c, UNA_E_USAGE, "--%s %s: give a whole number from %llu to %llu", flag->name, value,
                        (unsigned long long)flag->low, (unsigned long long)flag->high);
    if (type == CLI_CHOICE)
        return cli_fail(c, UNA_E_USAGE, "--%s %s: give one of %s", flag->name, value, flag->choices);
    return cli_fail(c, UNA_E_USAGE, "--%s %s: give %s", flag->name, value, wanted[type]);
}

/* ---- parsing ----------------------------------------------------------------------------------------- */

static una_status unknown_flag(const cli *c, const char *name, size_t length)
{
    char wrong[64];
    const char *names[64];
    size_t count = 0;
    snprintf(wrong, sizeof wrong, "%.*s", (int)length, name);
    for (const cli_flag *flag = NULL; (flag = cli_next_flag(c->verb, flag)) && count < 64;)
        names[count++] = flag->name;
    const char *near = cli_nearest(wrong, names, count);
    if (near) return cli_fail(c, UNA_E_USAGE, "there is no flag --%s; did you mean --%s?", wrong, near);
    return cli_fail(c, UNA_E_USAGE, "there is no flag --%s; 'una %s --help' lists them all", wrong, c->verb->name);
}

static una_status take_flag(cli *c, char *const *arguments, int count, int *at)
{
    const char *name = arguments[*at] + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    const cli_flag *flag = NULL;
    while ((flag = cli_next_flag(c->verb, flag)))
        if (strlen(flag->name) == length && strncmp(flag->name, name, length) == 0) break;
    if (!flag) return unknown_flag(c, name, length);

    const char *value = equals ? equals + 1 : NULL;
    if (flag->type == CLI_SWITCH && value) {
        return cli_fail(c, UNA_E_USAGE, "--%s takes no value", flag->name);
    }
    if (flag->type != CLI_SWITCH && !value) {
        if (*at + 1 >= count) {
            return cli_fail(c, UNA_E_USAGE, "--%s needs a value: --%s %s", flag->name, flag->name, flag->metavar);
        }
        value = arguments[++*at];
    }

    if (value) CLI_TRY(check_flag_value(c, flag, value));
    c->given[c->given_count++] = (cli_given){ flag, value };
    return UNA_OK;
}

bool cli_repeats(const cli_operand *operand)
{
    size_t length = strlen(operand->name);
    return length > 3 && strcmp(operand->name + length - 3, "...") == 0;
}

const cli_operand *cli_operand_at(const cli_verb *verb, size_t index)
{
    size_t most = 0;
    while (most < 3 && verb->operands[most].name) most++;
    if (most > 0 && index >= most && cli_repeats(&verb->operands[most - 1])) index = most - 1;
    return index < most ? &verb->operands[index] : NULL;
}

static una_status check_operands(const cli *c)
{
    for (size_t i = c->operand_count; i < 3 && cli_operand_at(c->verb, i); i++) {
        const cli_operand *o = cli_operand_at(c->verb, i);
        if (o->name[0] == '[' || (i > 0 && cli_repeats(o))) continue;
        return cli_fail(c, UNA_E_USAGE, "%.*s is missing: %s; 'una %s --help' shows examples",
                        (int)strcspn(o->name, "."), o->name, o->help, c->verb->name);
    }
    return UNA_OK;
}

/* "-" means the standard input, which can be read once, where a table is read, and the standard output where a file is
 * written. */
static una_status check_streams(cli *c)
{
    size_t read = 0;
    for (size_t i = 0; i < c->given_count; i++) {
        cli_given *given = &c->given[i];
        if (!given->value || strcmp(given->value, "-") != 0) continue;
        if (given->flag->type == CLI_FILE_OUT) given->value = "/dev/stdout";
        read += given->flag->type == CLI_FILE;
    }
    for (size_t i = 0; i < c->operand_count; i++) {
        const cli_operand *o = cli_operand_at(c->verb, i);
        if (!cli_is_path(o->type) || strcmp(c->operand[i], "-") != 0) continue;
        if (strncmp(o->name, "DATA", 4) != 0)
            return cli_fail(c, UNA_E_USAGE, "'-' is the standard input, from which tables are read; %s must be the "
                            "name of a file", o->name);
        read++;
    }
    if (read < 2) return UNA_OK;
    return cli_fail(c, UNA_E_USAGE, "'-' stands for the standard input, which can be read only once, and %zu tables "
                    "are asked from it; name files for the others", read);
}

/* An argument such as -0.5 in the place of a number is no flag; the verb checks whether it is a number. */
static bool is_operand(const cli *c, const char *word)
{
    const cli_operand *due = cli_operand_at(c->verb, c->operand_count);
    return due && due->type == CLI_NUMBER && word[0] == '-' && word[1] && word[1] != '-' && strcmp(word, "-h") != 0;
}

una_status cli_parse(cli *c, int count, char *const *arguments)
{
    bool flags_ended = false;
    c->given = cli_alloc((size_t)count + 1, sizeof *c->given);
    c->operand = cli_alloc((size_t)count + 3, sizeof *c->operand);      /* those that may be left out are NULL */

    for (int i = 0; i < count; i++) {
        const char *word = arguments[i];
        bool flag = !flags_ended && word[0] == '-' && word[1] && !is_operand(c, word), end = strcmp(word, "--") == 0;
        if (flag && end && (c->verb->common & CLI_WITH_COMMAND)) {
            c->command = arguments + i + 1;
            c->command_count = (size_t)(count - i - 1);
            break;
        }
        if (!flag && !cli_operand_at(c->verb, c->operand_count))
            return cli_fail(c, UNA_E_USAGE, "'%s' is one argument too many; 'una %s --help' shows the usage", word,
                            c->verb->name);
        if (flag && word[1] != '-' && strcmp(word, "-h") != 0)
            return cli_fail(c, UNA_E_USAGE, "there is no flag %s; flags begin with two dashes", word);
        if (!flag) c->operand[c->operand_count++] = word;
        else if (end) flags_ended = true;
        else if (word[1] != '-') c->help = true;
        else CLI_TRY(take_flag(c, arguments, count, &i));
    }

    c->json = cli_has(c, "json");
    c->quiet = cli_has(c, "quiet");
    c->help = c->help || cli_has(c, "help");
    if (c->help) return UNA_OK;
    CLI_TRY(check_operands(c));
    return check_streams(c);
}

/* ---- asking ------------------------------------------------------------------------------------------ */

size_t cli_texts(const cli *c, const char *flag, const char **texts)
{
    size_t count = 0;
    for (size_t i = 0; i < c->given_count; i++) {
        if (strcmp(c->given[i].flag->name, flag) != 0) continue;
        if (texts) texts[count] = c->given[i].value;
        count++;
    }
    return count;
}

bool cli_has(const cli *c, const char *flag)
{
    return cli_texts(c, flag, NULL) > 0;
}

const char *cli_text(const cli *c, const char *flag)
{
    const char *text = NULL;
    for (size_t i = 0; i < c->given_count; i++) {
        if (strcmp(c->given[i].flag->name, flag) == 0) text = c->given[i].value;
    }
    return text;
}

uint64_t cli_count(const cli *c, const char *flag, uint64_t initial)
{
    const char *text = cli_text(c, flag);
    uint64_t value = initial;
    if (text && !parse_count(text, &value)) is_size(text, &value);
    return value;
}

double cli_share(const cli *c, const char *flag, double initial)
{
    const char *text = cli_text(c, flag);
    double value = initial;
    if (text) cli_is_number(text, &value);
    return value;
}
