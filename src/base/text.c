/* SPDX-License-Identifier: MIT
 *
 * Growing text in an arena, JSON strings and numbers, strict number parsing.
 */
#include "base/base.h"

#include <stdlib.h>
#include <string.h>

una_text una_text_in(una_arena *arena)
{
    static char empty[1];
    return (una_text){ .arena = arena, .at = empty };
}

static bool make_room(una_text *text, size_t more)
{
    if (text->length + more + 1 <= text->room) return true;
    size_t room = 2 * (text->length + more + 64);
    char *at = una_arena_get(text->arena, room, 1);
    if (!at) return false;
    memcpy(at, text->at, text->length);
    text->at = at;
    text->room = room;
    return true;
}

void una_text_bytes(una_text *text, const char *bytes, size_t length)
{
    if (!make_room(text, length)) return;
    memcpy(text->at + text->length, bytes, length);
    text->length += length;
    text->at[text->length] = 0;
}

void una_text_add(una_text *text, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0 && make_room(text, (size_t)length)) {
        vsnprintf(text->at + text->length, (size_t)length + 1, format, again);
        text->length += (size_t)length;
    }
    va_end(again);
}

/* Length of the valid UTF-8 sequence at s, 0 if it is not one. */
static size_t utf8_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    size_t length = s[0] >= 0xC2 && s[0] < 0xE0 ? 2 : (s[0] & 0xF0) == 0xE0 ? 3 : s[0] >= 0xF0 && s[0] < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < length; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (length == 3 && ((s[0] == 0xE0 && s[1] < 0xA0) || (s[0] == 0xED && s[1] > 0x9F))) return 0;
    if (length == 4 && ((s[0] == 0xF0 && s[1] < 0x90) || (s[0] == 0xF4 && s[1] > 0x8F))) return 0;
    return length;
}

void una_text_json(una_text *text, const char *string)
{
    una_text_bytes(text, "\"", 1);
    for (const unsigned char *s = (const unsigned char *)string; *s;) {
        size_t length = utf8_length(s);
        if (length == 0) {
            una_text_bytes(text, "\\ufffd", 6);
            s++;
        } else {
            if (*s == '"' || *s == '\\') una_text_add(text, "\\%c", *s);
            else if (*s < 0x20) una_text_add(text, "\\u%04x", (unsigned)*s);
            else una_text_bytes(text, (const char *)s, length);
            s += length;
        }
    }
    una_text_bytes(text, "\"", 1);
}

const char *una_number_text(char buffer[32], double value)
{
    if (isnan(value)) return strcpy(buffer, "nan");
    if (isinf(value)) return strcpy(buffer, value > 0 ? "inf" : "-inf");
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) break;
    }
    return buffer;
}

void una_text_number(una_text *text, double value)
{
    char buffer[32];
    una_text_add(text, "%s", isfinite(value) ? una_number_text(buffer, value) : "null");
}
