/* SPDX-License-Identifier: MIT
 *
 * What every page must be: well formed, with unique ids, complete in itself. Include after cmocka.
 */
#ifndef UNA_PAGE_CHECKS_H
#define UNA_PAGE_CHECKS_H

#include "base/base.h"

#include <stdlib.h>
#include <string.h>

static inline size_t occurrences(const char *text, const char *what)
{
    size_t count = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) count++;
    return count;
}

/* Elements are closed in the order in which they were opened. */
static inline void assert_well_formed(const char *html)
{
    static const char *const alone[] = { "meta", "!DOCTYPE" };
    char stack[64][16];
    size_t depth = 0;

    for (const char *at = html; (at = strchr(at, '<')); at++) {
        char name[16] = "";
        bool closes = at[1] == '/';
        sscanf(at + 1 + closes, "%15[A-Za-z0-9!]", name);
        const char *end = strchr(at, '>');
        assert_non_null(end);
        if (!strcmp(name, alone[0]) || !strcmp(name, alone[1]) || end[-1] == '/') continue;

        if (closes) {
            assert_true(depth > 0);
            assert_string_equal(stack[--depth], name);
        } else {
            assert_true(depth < 64);
            strcpy(stack[depth++], name);
        }
    }
    assert_int_equal(depth, 0);
}

static inline int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Ids are unique and every reference has its id. */
static inline void assert_ids(una_arena *arena, const char *html)
{
    size_t count = 0, room = occurrences(html, " id=\"");
    char **ids = UNA_GET(arena, char *, room);
    for (const char *at = html; (at = strstr(at, " id=\"")); at++) {
        size_t length = strcspn(at + 5, "\"");
        ids[count] = UNA_GET(arena, char, length + 1);
        memcpy(ids[count++], at + 5, length);
    }
    qsort(ids, count, sizeof *ids, by_text);
    for (size_t i = 1; i < count; i++) assert_string_not_equal(ids[i - 1], ids[i]);

    for (const char *at = html; (at = strstr(at, "href=\"#")); at++) {
        char goal[64] = "", *key = goal;
        sscanf(at + 7, "%63[^\"]", goal);
        assert_non_null(bsearch(&key, ids, count, sizeof *ids, by_text));
    }
    for (const char *at = html; (at = strstr(at, "url(#")); at++) {
        char goal[64] = "", *key = goal;
        sscanf(at + 5, "%63[^)]", goal);
        assert_non_null(bsearch(&key, ids, count, sizeof *ids, by_text));
    }
}

static inline void assert_self_contained(const char *html)
{
    assert_null(strstr(html, "<script"));
    assert_null(strstr(html, "<link"));
    assert_null(strstr(html, "@import"));
    assert_int_equal(occurrences(html, "src="), occurrences(html, "src=\"data:image/png;base64,"));
    assert_int_equal(occurrences(html, "http"), occurrences(html, "http://www.w3.org/"));
}

#endif
