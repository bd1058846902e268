/* SPDX-License-Identifier: MIT
 *
 * Is a text JSON (RFC 8259)? For texts of strangers that are passed on: they are looked through, and nothing is made of
 * them, so that no memory is needed.
 */
#include "base/base.h"

#include <string.h>

enum { DEEPEST = 64 };

typedef struct look { const char *at; unsigned depth; } look;

static void skip_blanks(look *l)
{
    l->at += strspn(l->at, " \t\r\n");
}

static bool take(look *l, char sign)
{
    if (*l->at != sign) return false;
    l->at++;
    return true;
}

static bool take_escape(look *l)
{
    if (*l->at != 'u') return *l->at && strchr("\"\\/bfnrt", *l->at++);
    l->at++;
    if (strspn(l->at, "0123456789abcdefABCDEF") < 4) return false;
    l->at += 4;
    return true;
}

static bool take_string(look *l)
{
    if (!take(l, '"')) return false;
    while (*l->at != '"') {
        size_t length = una_utf8_length(l->at);
        if ((unsigned char)*l->at < 0x20 || length == 0) return false;       /* 0 ends the text */
        bool escaped = *l->at == '\\';
        l->at += length;
        if (escaped && !take_escape(l)) return false;
    }
    l->at++;
    return true;
}

static bool take_digits(look *l)
{
    size_t count = strspn(l->at, "0123456789");
    l->at += count;
    return count > 0;
}

static bool take_number(look *l)
{
    take(l, '-');
    if (!take(l, '0') && !take_digits(l)) return false;
    if (take(l, '.') && !take_digits(l)) return false;
    if (*l->at != 'e' && *l->at != 'E') return true;
    l->at++;
    if (!take(l, '-')) take(l, '+');
    return take_digits(l);
}

static bool take_word(look *l, const char *word)
{
    if (strncmp(l->at, word, strlen(word)) != 0) return false;
    l->at += strlen(word);
    return true;
}

static bool take_value(look *l);

static bool take_items(look *l, bool object, char end)
{
    if (++l->depth > DEEPEST) return false;
    skip_blanks(l);
    if (!take(l, end)) {
        do {
            skip_blanks(l);
            if (object && !take_string(l)) return false;
            skip_blanks(l);
            if ((object && !take(l, ':')) || !take_value(l)) return false;
            skip_blanks(l);
        } while (take(l, ','));
        if (!take(l, end)) return false;
    }
    l->depth--;
    return true;
}

static bool take_value(look *l)
{
    skip_blanks(l);
    switch (*l->at) {
    case '{': return l->at++, take_items(l, true, '}');
    case '[': return l->at++, take_items(l, false, ']');
    case '"': return take_string(l);
    case 't': return take_word(l, "true");
    case 'f': return take_word(l, "false");
    case 'n': return take_word(l, "null");
    default: return take_number(l);
    }
}

bool una_json_is_object(const char *text)
{
    look l = { text, 0 };
    skip_blanks(&l);
    if (*l.at != '{' || !take_value(&l)) return false;
    skip_blanks(&l);
    return *l.at == 0;
}
