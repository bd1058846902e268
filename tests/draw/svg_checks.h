/* SPDX-License-Identifier: MIT
 *
 * What every SVG must be: one element of XML 1.0, every rule of it kept; and where its paths go. Include after cmocka.
 */
#ifndef UNA_SVG_CHECKS_H
#define UNA_SVG_CHECKS_H

#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- XML ------------------------------------------------------------------------------------------------------ */

#define BAD_XML(at, why) fail_msg("XML: %s at '%.60s'", (why), (at))

/* A character or a reference; returns what comes after it. */
static inline const char *xml_character(const char *at)
{
    static const char *const names[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&#39;" };
    size_t length = una_utf8_length(at);
    if (length == 0) BAD_XML(at, "no UTF-8");
    if ((unsigned char)*at < 0x20 && *at != '\n' && *at != '\t') BAD_XML(at, "a control character");
    if (length == 3 && !memcmp(at, "\xEF\xBF", 2) && (unsigned char)at[2] >= 0xBE) BAD_XML(at, "no character");
    if (*at != '&') return at + length;
    for (size_t i = 0; i < 5; i++)
        if (!strncmp(at, names[i], strlen(names[i]))) return at + strlen(names[i]);
    BAD_XML(at, "an unknown reference");
    return NULL;
}

static inline size_t xml_name(const char *at)
{
    size_t length = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:_");
    if (length == 0 || strchr("0123456789-", *at)) BAD_XML(at, "a name that is none");
    return length;
}

/* name="value" ... ; each name once. Returns where the tag ends. */
static inline const char *xml_attributes(const char *at)
{
    const char *names[32];
    size_t lengths[32], count = 0;
    while (*at == ' ') {
        const char *name = ++at;
        size_t length = xml_name(name);
        for (size_t i = 0; i < count; i++)
            if (lengths[i] == length && !memcmp(names[i], name, length)) BAD_XML(name, "an attribute twice");
        assert_true(count < 32);
        names[count] = name, lengths[count++] = length;
        at += length;
        if (strncmp(at, "=\"", 2) != 0) BAD_XML(at, "no value");
        for (at += 2; *at != '"'; at = xml_character(at))
            if (*at == '<' || *at == 0) BAD_XML(at, "a value that does not end");
        at++;
    }
    return at;
}

/* One element with all that is in it, and nothing behind it but blanks. */
static inline void assert_xml(const char *at)
{
    const char *open[64];
    size_t depth = 0;
    if (!strncmp(at, "<?xml ", 6)) at = strstr(at, "?>\n") + 3;
    if (*at != '<') BAD_XML(at, "no element");
    do {
        if (*at == 0) BAD_XML(open[depth - 1], "an element that does not end");
        if (*at != '<') {
            if (!strncmp(at, "]]>", 3)) BAD_XML(at, "a lone end of CDATA");
            at = xml_character(at);
            continue;
        }
        bool closes = at[1] == '/';
        const char *name = at + 1 + closes;
        size_t length = xml_name(name);
        at = name + length;
        if (closes) {
            if (depth == 0 || strncmp(open[depth - 1], name, length) != 0 || xml_name(open[depth - 1]) != length)
                BAD_XML(name, "another element is to be closed");
            depth--;
        } else {
            at = xml_attributes(at);
            assert_true(depth < 64);
            if (*at == '/') at++;
            else open[depth++] = name;
        }
        if (*at++ != '>') BAD_XML(name, "a tag that does not end");
    } while (depth > 0);
    if (at[strspn(at, "\n")] != 0) BAD_XML(at, "something behind the end");
}

/* ---- paths ---------------------------------------------------------------------------------------------------- */

typedef struct path_walk { double at[2], begun[2]; size_t count, pieces; } path_walk;

/* The corners of the path data at `d`, up to the quote, as places on the canvas. */
static inline void walk_path(path_walk *walk, const char *d, double (*corner)[2], size_t room)
{
    char command = 0;
    while (*d != '"') {
        if (strchr("MmlhvzLHVZ", *d)) command = *d++;
        assert_true(command && strchr("Mmlhvz", command));
        bool moves = command == 'M' || command == 'm';
        double by[2] = { 0, 0 };
        for (int axis = 0; axis < 2; axis++) {
            if (command == 'z' || (command == 'h' && axis == 1) || (command == 'v' && axis == 0)) continue;
            char *end;
            by[axis] = strtod(d, &end);
            assert_true(end > d && isfinite(by[axis]));
            d = end + (*end == ' ');
        }
        for (int axis = 0; axis < 2; axis++) {
            walk->at[axis] = command == 'z' ? walk->begun[axis] : (command == 'M' ? 0 : walk->at[axis]) + by[axis];
            if (moves) walk->begun[axis] = walk->at[axis];
        }
        walk->pieces += moves;
        if (command == 'z') continue;
        if (walk->count < room) memcpy(corner[walk->count], walk->at, sizeof walk->at);
        walk->count++;
    }
}

/* Of all paths that are stroked in a colour, "#008a73". */
static inline path_walk corners_of(const char *svg, const char *rgb, double (*corner)[2], size_t room)
{
    char stroke[32];
    path_walk walk = {0};
    snprintf(stroke, sizeof stroke, "stroke=\"%s\"", rgb);
    for (const char *at = svg; (at = strstr(at, "<path d=\"")); at++) {
        const char *end = strchr(at, '>'), *found = strstr(at, stroke);
        if (found && found < end) walk_path(&walk, at + 9, corner, room);
    }
    return walk;
}

#endif
