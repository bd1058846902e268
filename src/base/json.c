/* SPDX-License-Identifier: MIT
 *
 * Checks whether a text is JSON (RFC 8259), for texts of strangers that are passed on. The text is only scanned and not
 * parsed into anything, so no memory is needed.
 */
#include "base/base.h"

enum { DEEPEST = 64 };

typedef struct json_cursor { const char *at; unsigned depth; } json_cursor;

static void skip_json_space(json_cursor *l)
{
    l->at += strspn(l->at, " \t\r\n");
}

static bool take_json_sign(json_cursor *l, char sign)
{
    if (*l->at != sign) return false;
    l->at++;
    return true;
}

static bool take_string(json_cursor *l)
{
    if (!take_json_sign(l, '"')) return false;
    while (*l->at != '"') {
        size_t length = una_utf8_length(l->at);
        if ((unsigned char)*l->at < 0x20 || length == 0) return false;       /* 0 ends the text */
        bool escaped = *l->at == '\\';
        l->at += length;
        if (!escaped) continue;
        if (!*l->at || !strchr("\"\\/bfnrtu", *l->at)) return false;
        bool coded = *l->at++ == 'u';
        if (coded && strspn(l->at, "0123456789abcdefABCDEF") < 4) return false;
        l->at += coded ? 4 : 0;
    }
    l->at++;
    return true;
}

static bool take_json_digits(json_cursor *l)
{
    size_t count = strspn(l->at, "0123456789");
    l->at += count;
    return count > 0;
}

static bool take_json_number(json_cursor *l)
{
    take_json_sign(l, '-');
    if (!take_json_sign(l, '0') && !take_json_digits(l)) return false;
    if (take_json_sign(l, '.') && !take_json_digits(l)) return false;
    if (*l->at != 'e' && *l->at != 'E') return true;
    l->at++;
    if (!take_json_sign(l, '-')) take_json_sign(l, '+');
    return take_json_digits(l);
}

static bool take_json_word(json_cursor *l, const char *word)
{
    if (strncmp(l->at, word, strlen(word)) != 0) return false;
    l->at += strlen(word);
    return true;
}

static bool take_json_value(json_cursor *l);

static bool take_items(json_cursor *l, bool object, char end)
{
    if (++l->depth > DEEPEST) return false;
    skip_json_space(l);
    for (bool more = *l->at != end; more; more = take_json_sign(l, ',')) {
        skip_json_space(l);
        if (object && !take_string(l)) return false;
        skip_json_space(l);
        if ((object && !take_json_sign(l, ':')) || !take_json_value(l)) return false;
        skip_json_space(l);
    }
    l->depth--;
    return take_json_sign(l, end);
}

static bool take_json_value(json_cursor *l)
{
    skip_json_space(l);
    switch (*l->at) {
    case '{': return l->at++, take_items(l, true, '}');
    case '[': return l->at++, take_items(l, false, ']');
    case '"': return take_string(l);
    case 't': return take_json_word(l, "true");
    case 'f': return take_json_word(l, "false");
    case 'n': return take_json_word(l, "null");
    default: return take_json_number(l);
    }
}

bool una_json_is_object(const char *text)
{
    json_cursor l = { text, 0 };
    skip_json_space(&l);
    if (*l.at != '{' || !take_json_value(&l)) return false;
    skip_json_space(&l);
    return *l.at == 0;
}
