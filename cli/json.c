/* SPDX-License-Identifier: MIT
 *
 * JSON as the program needs it: numbers and texts out, and a walker over what the library hands back as
 * JSON (a model's options, the header of a model file). The walker trusts the grammar but not the length.
 */
#include "cli.h"

#include <stdarg.h>

/* One letter of a text, which may be on a terminal's screen; the next begins at what is returned. Bytes that are no
 * UTF-8 become U+FFFD, as in the library's own JSON. */
static const char *put_letter(FILE *to, const char *at)
{
    unsigned code = 0;
    size_t length = cli_utf8_letter(at, &code);
    if (length == 0) fputs("\\ufffd", to);
    else if (cli_is_control(code)) fprintf(to, "\\u%04x", code);
    else fwrite(at, 1, length, to);
    return at + (length ? length : 1);
}

static struct { FILE *to; char last; } writer = { .last = '[' };   /* last: of the format that was written last */

static FILE *json_out(void)
{
    return writer.to ? writer.to : stdout;
}

void cli_json_to(FILE *to)
{
    writer.to = to;
}

static void put_text(FILE *to, const char *text)
{
    if (!text) {
        fputs("null", to);
        return;
    }

    fputc('"', to);
    while (*text) {
        static const char signs[] = "\"\\\n\t", letters[] = "\"\\nt";
        const char *quoted = strchr(signs, *text);
        if (quoted) fprintf(to, "\\%c", letters[quoted - signs]);
        text = quoted ? text + 1 : put_letter(to, text);
    }
    fputc('"', to);
}

static void put_truth(FILE *to, int value)
{
    const char *truth = value ? "true" : "false";
    fputs(value < 0 ? "null" : truth, to);
}

void cli_json_put(const char *format, ...)
{
    FILE *to = json_out();
    char number[32];
    va_list values;
    va_start(values, format);
    const char *at = *format == ',' && (writer.last == '[' || writer.last == '{') ? format + 2 : format;
    for (; *at; at++) {
        if (*at != '%') {
            fputc(*at == '\'' ? '"' : *at, to);
            continue;
        }
        at += at[1] == 'l' ? 3 : 1 + (at[1] == 'z');
        double value = *at == 'g' ? va_arg(values, double) : 0;
        if (*at == 'g') fputs(isfinite(value) ? cli_number(number, value) : "null", to);
        else if (*at == 's') put_text(to, va_arg(values, const char *));
        else if (at[-1] == 'l') fprintf(to, *at == 'u' ? "%llu" : "%lld", va_arg(values, unsigned long long));
        else if (at[-1] == 'z') fprintf(to, "%zu", va_arg(values, size_t));
        else if (*at == 'u') fprintf(to, "%u", va_arg(values, unsigned));
        else put_truth(to, va_arg(values, int));
    }
    va_end(values);
    writer.last = at[-1];
}

/* Controls below the blank are line ends and tabs between values here: no string of JSON holds one. */
void cli_json_pass(const char *json)
{
    FILE *to = json_out();
    writer.last = 0;
    while (*json) {
        size_t plain = 0;
        while (json[plain] && (unsigned char)json[plain] < 0x7F) plain++;
        fwrite(json, 1, plain, to);
        json += plain;
        if (*json) json = put_letter(to, json);
    }
}

void cli_json_texts(const char *key, const char *const *texts, size_t count)
{
    cli_json_put(", %s: [", key);
    for (size_t i = 0; i < count; i++) cli_json_put(", %s", texts[i]);
    cli_json_put("]");
}

void cli_json_path(const char *key, const char *path)
{
    if (path) cli_json_put(", %s: %s", key, path);
}

void cli_json_end(const cli *c)
{
    static const char *const flags[] = { "out", "report", "chart" };
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) cli_json_path(flags[i], cli_text(c, flags[i]));
    cli_json_put("}\n");
}

/* ---- walking ------------------------------------------------------------------------------------- */

static const char *skip_json_blanks(const char *at)
{
    while (*at && strchr(" \t\r\n", *at)) at++;
    return at;
}

static const char *skip_string(const char *at)   /* at the opening quote; returns after the closing one */
{
    for (at++; *at && *at != '"'; at++) {
        if (*at == '\\' && at[1]) at++;
    }
    return *at ? at + 1 : at;
}

static const char *skip_value(const char *at)
{
    size_t depth = 0;
    do {
        if (*at == '"') {
            at = skip_string(at);
            continue;
        }
        if (*at == '{' || *at == '[') depth++;
        else if (*at == '}' || *at == ']') depth--;
        else if (depth == 0) return at + strcspn(at, ",]} \t\r\n");
        if (*at) at++;
    } while (*at && depth > 0);
    return at;
}

static void put_utf8(char **to, unsigned code)
{
    static const unsigned char first[] = { 0, 0xC0, 0xE0, 0xF0 };
    int more = (code >= 0x80) + (code >= 0x800) + (code >= 0x10000);
    *(*to)++ = (char)(first[more] | code >> 6 * more);
    while (more-- > 0) *(*to)++ = (char)(0x80 | (code >> 6 * more & 0x3F));
}

static unsigned four_hex_digits(const char *at)
{
    char digits[5] = {0};
    for (size_t i = 0; i < 4 && at[i]; i++) digits[i] = at[i];
    return (unsigned)strtoul(digits, NULL, 16);
}

static const char *unescape_unit(const char *at, const char *end, char **to)   /* at the u of \uXXXX */
{
    if (end - at < 5) return end;
    unsigned code = four_hex_digits(at + 1);
    at += 5;
    if (code >= 0xD800 && code < 0xDC00 && end - at >= 6 && at[0] == '\\' && at[1] == 'u') {
        code = 0x10000 + ((code - 0xD800) << 10) + ((four_hex_digits(at + 2) - 0xDC00) & 0x3FF);
        at += 6;
    }
    put_utf8(to, code);
    return at;
}

static char *unescaped_text(const char *from, const char *end)   /* between the quotes */
{
    char *text = cli_alloc((size_t)(end - from) + 1, 1), *to = text;
    while (from < end) {
        if (*from != '\\' || from + 1 >= end) {
            *to++ = *from++;
            continue;
        }

        from++;
        static const char codes[] = "nrtbf", meant[] = "\n\r\t\b\f";
        const char *code = strchr(codes, *from);
        if (*from == 'u') {
            from = unescape_unit(from, end, &to);
            continue;
        }
        *to++ = code && *from ? meant[code - codes] : *from;
        from++;
    }
    return text;
}

static char *text_between(const char *from, const char *end)
{
    if (*from == '"' && end > from + 1) return unescaped_text(from + 1, end - 1);
    char *text = cli_alloc((size_t)(end - from) + 1, 1);
    memcpy(text, from, (size_t)(end - from));
    return text;
}

cli_json cli_json_open(const char *json)
{
    const char *at = skip_json_blanks(json);
    return (cli_json){ .at = *at == '{' || *at == '[' ? at + 1 : "", .in_object = *at == '{' };
}

bool cli_json_next(cli_json *walk)
{
    cli_free(walk->key);
    cli_free(walk->value);
    walk->key = walk->value = NULL;
    const char *at = skip_json_blanks(walk->at);
    if (walk->begun && *at == ',') at = skip_json_blanks(at + 1);
    walk->begun = true;
    if (!*at || *at == '}' || *at == ']') return false;

    if (walk->in_object) {
        const char *end = skip_string(at);
        walk->key = text_between(at, end);
        at = skip_json_blanks(end);
        if (*at == ':') at = skip_json_blanks(at + 1);
    }

    const char *end = skip_value(at);
    walk->type = (char)(strchr("{[\"", *at) ? *at : 0);
    walk->value = text_between(at, end);
    walk->at = end;
    return end > at;
}
