/* SPDX-License-Identifier: MIT
 *
 * The tokeniser. Names are letters, digits, _ and . (UTF-8 beyond ASCII counts as letters); anything else is
 * quoted, with "..." or '...' (or `...`), where the quote itself is written twice.
 */
#include "base/lexer.h"

enum { MOST_BYTES = 64 << 10 };

static bool starts_name(char c)
{
    return UNA_IS_LETTER(c) || c == '_' || (unsigned char)c >= 0x80;
}

static bool in_name(char c)
{
    return starts_name(c) || UNA_IS_DIGIT(c) || c == '.';
}

/* "sex == >>>and age < ...": a few characters before and behind the place, on one line. */
static void show_place(char *to, size_t room, const char *text, size_t at)
{
    enum { AROUND = 24 };
    size_t from = at > AROUND ? at - AROUND : 0, end = at + strlen(text + at);
    bool cut = end - at > AROUND;
    if (cut) end = at + AROUND;
    while (from > 0 && ((unsigned char)text[from] & 0xC0) == 0x80) from--;
    while (cut && ((unsigned char)text[end] & 0xC0) == 0x80) end++;
    snprintf(to, room, "%s%.*s>>>%.*s%s", from ? "..." : "", (int)(at - from), text + from, (int)(end - at), text + at,
             cut ? "..." : "");
    for (char *c = to; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == 0x7F) *c = ' ';
}

una_status una_grammar_fail(const una_grammar *grammar, const char *text, size_t at, una_status status,
                            const char *sentence, una_run *run)
{
    char place[80];
    size_t characters = 1;
    for (size_t i = 0; i < at; i++) characters += ((unsigned char)text[i] & 0xC0) != 0x80;
    if (!grammar->shows) return una_fail(run, status, "%s, character %zu: %s", grammar->what, characters, sentence);
    show_place(place, sizeof place, text, at);
    return una_fail(run, status, "%s \"%s\", character %zu: %s", grammar->what, place, characters, sentence);
}

una_status una_lexer_fail(const una_lexer *lexer, size_t at, const char *format, ...)
{
    char sentence[800];
    va_list arguments;
    va_start(arguments, format);
    una_write_textv(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    return una_grammar_fail(lexer->grammar, lexer->text, at, UNA_E_USAGE, sentence, lexer->run);
}

/* A quote that stands twice is one of the text. */
static una_status take_quoted(una_lexer *lexer)
{
    const char *text = lexer->text;
    size_t from = lexer->token.at + 1, to = from, length = 0;
    char quote = text[lexer->token.at];
    while (text[to] && (text[to] != quote || text[to + 1] == quote)) to += text[to] == quote ? 2 : 1;
    if (!text[to]) return una_lexer_fail(lexer, lexer->token.at, "this quote is never closed");
    if (to == from) return una_lexer_fail(lexer, lexer->token.at, "%s", lexer->grammar->nothing);

    UNA_NEW(lexer->arena, char, name, to - from + 1);
    for (size_t i = from; i < to; i += text[i] == quote ? 2 : 1) name[length++] = text[i];
    lexer->token.kind = quote == '`' ? UNA_TOKEN_BACKQUOTED : UNA_TOKEN_QUOTED;
    lexer->token.name = name;
    lexer->next = to + 1;
    return UNA_OK;
}

static size_t digits_end(const char *text, size_t at)
{
    while (UNA_IS_DIGIT(text[at])) at++;
    return at;
}

static una_status lex_number(una_lexer *lexer)
{
    const char *text = lexer->text;
    size_t from = lexer->token.at, to = digits_end(text, from);
    if (text[to] == '.') to = digits_end(text, to + 1);
    if (text[to] == 'e' || text[to] == 'E') {
        size_t power = to + 1 + (text[to + 1] == '+' || text[to + 1] == '-');
        if (UNA_IS_DIGIT(text[power])) to = digits_end(text, power);
    }

    if (in_name(text[to])) {
        while (in_name(text[to])) to++;
        return una_lexer_fail(lexer, from,
                              "\"%.*s\" is not a number; a product is written with *, and a name that begins "
                              "with a digit %s",
                              (int)(to - from < 60 ? to - from : 60), text + from, lexer->grammar->quoting);
    }
    if (!una_parse_number(text + from, to - from, &lexer->token.number) || !isfinite(lexer->token.number))
        return una_lexer_fail(lexer, from, "\"%.*s\" is beyond the range of numbers",
                              (int)(to - from < 60 ? to - from : 60), text + from);

    lexer->token.kind = UNA_TOKEN_NUMBER;
    lexer->next = to;
    return UNA_OK;
}

static una_status lex_sign(una_lexer *lexer)
{
    const una_grammar *grammar = lexer->grammar;
    const char *at = lexer->text + lexer->token.at;
    char c = *at;
    if (!strchr(grammar->signs, c) && !(grammar->lines && c == '\n')) {
        if ((unsigned char)c < 0x20 || c == 0x7F)
            return una_lexer_fail(lexer, lexer->token.at, "a control character (code %d) has no meaning here", (int)c);
        const char *more = grammar->compares ? ", and conditions are joined by and, or and not" : "";
        return una_lexer_fail(lexer, lexer->token.at, "\"%c\" has no meaning here; a name that holds it %s%s", c,
                              grammar->quoting, more);
    }
    if (c == '(' || c == '[') lexer->open++;
    if ((c == ')' || c == ']') && lexer->open > 0) lexer->open--;
    lexer->token.kind = UNA_TOKEN_SIGN;
    lexer->token.sign = c;
    lexer->token.equal = grammar->compares && strchr("<>=!", c) && at[1] == '=';
    lexer->next = lexer->token.at + 1 + lexer->token.equal;
    return UNA_OK;
}

una_status una_lexer_next(una_lexer *lexer)
{
    const char *text = lexer->text;
    const char *blanks = lexer->grammar->lines && lexer->open == 0 ? " \t\r" : " \t\r\n";
    size_t at = lexer->next + strspn(text + lexer->next, blanks);
    lexer->token = (una_token){ .kind = UNA_TOKEN_END, .at = at };
    lexer->next = at;
    if (!text[at]) return UNA_OK;
    if (starts_name(text[at])) {
        size_t length = 1;
        while (in_name(text[at + length])) length++;
        UNA_NEW(lexer->arena, char, name, length + 1);
        lexer->token.kind = UNA_TOKEN_NAME;
        lexer->token.name = memcpy(name, text + at, length);
        lexer->next = at + length;
        return UNA_OK;
    }
    if (UNA_IS_DIGIT(text[at]) || (text[at] == '.' && UNA_IS_DIGIT(text[at + 1]))) return lex_number(lexer);
    if (text[at] == '"' || text[at] == '\'' || (text[at] == '`' && lexer->grammar->backquotes))
        return take_quoted(lexer);
    return lex_sign(lexer);
}

una_status una_lexer_begin(una_lexer *lexer, const char *text, const una_grammar *grammar, una_arena *arena,
                           una_run *run)
{
    *lexer = (una_lexer){ .text = text, .grammar = grammar, .arena = arena, .run = run };
    const char *what = grammar->what;
    size_t length = strlen(text);
    size_t most = grammar->most ? grammar->most : MOST_BYTES;
    if (length > most) UNA_FAIL(run, UNA_E_USAGE, "the %s has %zu bytes; at most %zu are read", what, length, most);
    if (text[strspn(text, " \t\r\n")] == 0) UNA_FAIL(run, UNA_E_USAGE, "the %s is empty", what);
    return una_lexer_next(lexer);
}

bool una_lexer_sees(const una_lexer *lexer, char sign)
{
    return lexer->token.kind == UNA_TOKEN_SIGN && lexer->token.sign == sign && !lexer->token.equal;
}

const char *una_token_words(const una_token *token, char buffer[64])
{
    char number[32];
    switch (token->kind) {
    case UNA_TOKEN_END: return "the end of the text";
    case UNA_TOKEN_NUMBER: snprintf(buffer, 64, "%s", una_number_text(number, token->number)); break;
    case UNA_TOKEN_SIGN:
        if (token->sign == '\n') return "the end of the line";
        snprintf(buffer, 64, "\"%c%s\"", token->sign, token->equal ? "=" : "");
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

const char *una_did_you_mean(char buffer[128], const char *wrong, const char *const *names, size_t count)
{
    const char *near = una_nearest(wrong, names, count);
    buffer[0] = 0;
    if (near) snprintf(buffer, 128, "; did you mean \"%.90s\"?", near);
    return buffer;
}
