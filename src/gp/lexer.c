/* SPDX-License-Identifier: MIT
 *
 * The tokeniser of kernels and formulas. Names are letters, digits, _ and . (UTF-8 beyond ASCII counts as letters);
 * anything else is quoted, with "..." or '...'.
 */
#include "gp/lexer.h"

#include <string.h>

enum { MOST_BYTES = 64 << 10 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool starts_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool in_name(char c)
{
    return starts_name(c) || is_digit(c) || c == '.';
}

una_status una_lexer_fail(const una_lexer *lexer, size_t at, const char *format, ...)
{
    char sentence[800];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    size_t characters = 1;
    for (size_t i = 0; i < at; i++) characters += ((unsigned char)lexer->text[i] & 0xC0) != 0x80;
    return una_fail(lexer->run, UNA_E_USAGE, "%s, character %zu: %s", lexer->what, characters, sentence);
}

static una_status keep_name(una_lexer *lexer, size_t from, size_t to)
{
    char *name = una_arena_get(lexer->arena, to - from + 1, 1);
    if (!name) return UNA_E_MEMORY;
    memcpy(name, lexer->text + from, to - from);
    lexer->token.name = name;
    return UNA_OK;
}

static una_status take_name(una_lexer *lexer)
{
    size_t to = lexer->next;
    while (in_name(lexer->text[to])) to++;
    lexer->token.kind = UNA_TOKEN_NAME;
    lexer->next = to;
    return keep_name(lexer, lexer->token.at, to);
}

static una_status take_quoted(una_lexer *lexer)
{
    size_t from = lexer->token.at + 1;
    const char *end = strchr(lexer->text + from, lexer->text[lexer->token.at]);
    if (!end) return una_lexer_fail(lexer, lexer->token.at, "this quote is never closed");
    size_t to = (size_t)(end - lexer->text);
    if (to == from) return una_lexer_fail(lexer, lexer->token.at, "there is no name between the quotes");
    lexer->token.kind = UNA_TOKEN_QUOTED;
    lexer->next = to + 1;
    return keep_name(lexer, from, to);
}

static size_t digits_end(const char *text, size_t at)
{
    while (is_digit(text[at])) at++;
    return at;
}

static una_status take_number(una_lexer *lexer)
{
    const char *text = lexer->text;
    size_t from = lexer->token.at, to = digits_end(text, from);
    if (text[to] == '.') to = digits_end(text, to + 1);
    if (text[to] == 'e' || text[to] == 'E') {
        size_t power = to + 1 + (text[to + 1] == '+' || text[to + 1] == '-');
        if (is_digit(text[power])) to = digits_end(text, power);
    }

    if (in_name(text[to])) {
        while (in_name(text[to])) to++;
        return una_lexer_fail(lexer, from,
                              "\"%.*s\" is not a number; a product is written with *, and a name that begins "
                              "with a digit is quoted",
                              (int)(to - from < 60 ? to - from : 60), text + from);
    }
    if (!una_parse_number(text + from, to - from, &lexer->token.number) || !isfinite(lexer->token.number))
        return una_lexer_fail(lexer, from, "\"%.*s\" is beyond the range of numbers",
                              (int)(to - from < 60 ? to - from : 60), text + from);

    lexer->token.kind = UNA_TOKEN_NUMBER;
    lexer->next = to;
    return UNA_OK;
}

static una_status take_sign(una_lexer *lexer)
{
    char c = lexer->text[lexer->token.at];
    if (!strchr("+-*/^()[],;=~\n", c)) {
        if ((unsigned char)c < 0x20 || c == 0x7F)
            return una_lexer_fail(lexer, lexer->token.at, "a control character (code %d) has no meaning here", (int)c);
        return una_lexer_fail(lexer, lexer->token.at, "\"%c\" has no meaning here; a name that holds it is quoted", c);
    }
    if (c == '(' || c == '[') lexer->open++;
    if ((c == ')' || c == ']') && lexer->open > 0) lexer->open--;
    lexer->token.kind = UNA_TOKEN_SIGN;
    lexer->token.sign = c;
    lexer->next = lexer->token.at + 1;
    return UNA_OK;
}

una_status una_lexer_next(una_lexer *lexer)
{
    const char *text = lexer->text;
    const char *blanks = lexer->lines && lexer->open == 0 ? " \t\r" : " \t\r\n";
    size_t at = lexer->next + strspn(text + lexer->next, blanks);
    lexer->token = (una_token){ .kind = UNA_TOKEN_END, .at = at };
    lexer->next = at;
    if (!text[at]) return UNA_OK;
    if (starts_name(text[at])) return take_name(lexer);
    if (is_digit(text[at]) || (text[at] == '.' && is_digit(text[at + 1]))) return take_number(lexer);
    if (text[at] == '"' || text[at] == '\'') return take_quoted(lexer);
    return take_sign(lexer);
}

una_status una_lexer_begin(una_lexer *lexer, const char *text, const char *what, bool lines, una_arena *arena,
                           una_run *run)
{
    *lexer = (una_lexer){ .text = text, .what = what, .lines = lines, .arena = arena, .run = run };
    size_t length = strlen(text);
    if (length > MOST_BYTES)
        UNA_FAIL(run, UNA_E_USAGE, "the %s has %zu bytes; at most %d are read", what, length, (int)MOST_BYTES);
    if (text[strspn(text, " \t\r\n")] == 0) UNA_FAIL(run, UNA_E_USAGE, "the %s is empty", what);
    return una_lexer_next(lexer);
}

bool una_lexer_sees(const una_lexer *lexer, char sign)
{
    return lexer->token.kind == UNA_TOKEN_SIGN && lexer->token.sign == sign;
}

const char *una_token_words(const una_token *token, char buffer[64])
{
    char number[32];
    switch (token->kind) {
    case UNA_TOKEN_END: return "the end of the text";
    case UNA_TOKEN_NUMBER: snprintf(buffer, 64, "%s", una_number_text(number, token->number)); break;
    case UNA_TOKEN_SIGN:
        if (token->sign == '\n') return "the end of the line";
        snprintf(buffer, 64, "\"%c\"", token->sign);
        break;
    default: snprintf(buffer, 64, "\"%.50s\"", token->name); break;
    }
    return buffer;
}

una_status una_lexer_expect(una_lexer *lexer, char sign, const char *after)
{
    char words[64];
    if (una_lexer_sees(lexer, sign)) return una_lexer_next(lexer);
    return una_lexer_fail(lexer, lexer->token.at, "expected \"%c\" %s but found %s", sign, after,
                          una_token_words(&lexer->token, words));
}

una_status una_lexer_number(una_lexer *lexer, double *value, const char *what_for)
{
    char words[64];
    double sign = 1;
    if (una_lexer_sees(lexer, '-')) {
        sign = -1;
        UNA_TRY(una_lexer_next(lexer));
    }
    if (lexer->token.kind != UNA_TOKEN_NUMBER)
        return una_lexer_fail(lexer, lexer->token.at, "expected a number %s but found %s", what_for,
                              una_token_words(&lexer->token, words));
    *value = sign * lexer->token.number;
    return una_lexer_next(lexer);
}

const char *una_near_words(char buffer[128], const char *wrong, const char *const *names, size_t count)
{
    const char *near = una_nearest(wrong, names, count);
    buffer[0] = 0;
    if (near) snprintf(buffer, 128, "; did you mean \"%.90s\"?", near);
    return buffer;
}
