/* SPDX-License-Identifier: MIT
 *
 * See page.h.
 */
#include "page.h"

#include "fuzz.h"

enum { DEEPEST = 64 };

typedef struct page { const char *at, *end, *what; size_t depth; char open[DEEPEST][16]; } page;

static bool is_one_of(const char *name, const char *words)
{
    size_t length = strlen(name);
    for (const char *at = words; (at = strstr(at, name)); at++)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == 0)) return true;
    return false;
}

/* Elements that una writes (src/report); one that is not among them came in with a name. */
static const char known[] = "html head meta title style body main footer h1 h2 p ul li div strong bdi table thead tr th td "
    "figure figcaption img svg desc g path rect circle text clipPath";
static const char alone[] = "meta img";

static bool name_char(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == ':' ||
           c == '_';
}

static void take_name(page *p, char name[16])
{
    size_t length = 0;
    for (; p->at < p->end && name_char(*p->at); p->at++)
        if (length < 15) name[length++] = *p->at;
    name[length] = 0;
}

static bool begins_with(const char *value, size_t length, const char *begin)
{
    return length >= strlen(begin) && memcmp(value, begin, strlen(begin)) == 0;
}

/* A page leads nowhere: links stay within it, pictures are in the page itself. */
static void check_address(const page *p, const char *name, const char *value, size_t length)
{
    if (is_one_of(name, "href xlink:href"))
        FUZZ_CHECK(begins_with(value, length, "#"), "%s: %s leads to %.*s", p->what, name, (int)length, value);
    if (is_one_of(name, "src srcset"))
        FUZZ_CHECK(begins_with(value, length, "data:image/png;base64,"), "%s: %s is %.*s", p->what, name, (int)length,
                   value);
}

/* name="value" ... up to the > ; true: it ends itself. */
static bool take_attributes(page *p, const char *element)
{
    for (;;) {
        while (p->at < p->end && strchr(" \t\r\n", *p->at)) p->at++;
        FUZZ_CHECK(p->at < p->end, "%s: <%s has no end", p->what, element);
        if (*p->at == '>') return p->at++, false;
        if (*p->at == '/' && p->at + 1 < p->end && p->at[1] == '>') return p->at += 2, true;
        char name[16];
        take_name(p, name);
        FUZZ_CHECK(*name, "%s: <%s has an attribute that begins with '%c'", p->what, element, *p->at);
        FUZZ_CHECK(strncmp(name, "on", 2) != 0, "%s: <%s has %s=", p->what, element, name);
        if (*p->at != '=') continue;
        char quote = *++p->at;
        FUZZ_CHECK(quote == '"' || quote == '\'', "%s: %s of <%s is not quoted", p->what, name, element);
        const char *close = memchr(p->at + 1, quote, (size_t)(p->end - p->at - 1));
        FUZZ_CHECK(close, "%s: %s of <%s has no closing quote", p->what, name, element);
        FUZZ_CHECK(!memchr(p->at, '<', (size_t)(close - p->at)), "%s: %s of <%s holds a <", p->what, name, element);
        check_address(p, name, p->at + 1, (size_t)(close - p->at - 1));
        p->at = close + 1;
    }
}

/* Of style: up to its end. */
static void skip_raw(page *p, const char *element)
{
    char closing[20];
    int length = snprintf(closing, sizeof closing, "</%s>", element);
    while (p->end - p->at >= length && memcmp(p->at, closing, (size_t)length) != 0) p->at++;
    FUZZ_CHECK(p->end - p->at >= length, "%s: <%s> is never closed", p->what, element);
}

static void take_tag(page *p)
{
    char name[16];
    if (p->at < p->end && (*p->at == '!' || *p->at == '?')) {
        const char *close = memchr(p->at, '>', (size_t)(p->end - p->at));
        FUZZ_CHECK(close, "%s: <%c has no end", p->what, *p->at);
        p->at = close + 1;
        return;
    }
    bool closing = p->at < p->end && *p->at == '/';
    p->at += closing;
    take_name(p, name);
    FUZZ_CHECK(*name && is_one_of(name, known), "%s: <%s%.20s is no element of ours", p->what, closing ? "/" : "",
               p->at);
    if (closing) {
        FUZZ_CHECK(p->at < p->end && *p->at++ == '>', "%s: </%s", p->what, name);
        FUZZ_CHECK(p->depth > 0 && strcmp(p->open[p->depth - 1], name) == 0, "%s: </%s> closes <%s>", p->what, name,
                   p->depth ? p->open[p->depth - 1] : "");
        p->depth--;
        return;
    }
    bool ended = take_attributes(p, name);
    if (ended || is_one_of(name, alone)) return;
    FUZZ_CHECK(p->depth < DEEPEST, "%s is nested too deep", p->what);
    memcpy(p->open[p->depth++], name, sizeof name);
    if (strcmp(name, "style") == 0) skip_raw(p, name);
}

void fuzz_page(const char *path, const char *what)
{
    size_t size;
    unsigned char *bytes = fuzz_slurp(path, &size);
    FUZZ_CHECK(bytes && size > 0, "%s: nothing is written", what);
    fuzz_utf8((const char *)bytes, size, what);
    page p = { .at = (const char *)bytes, .end = (const char *)bytes + size, .what = what };
    while (p.at < p.end && (p.at = memchr(p.at, '<', (size_t)(p.end - p.at)))) {
        p.at++;
        take_tag(&p);
    }
    FUZZ_CHECK(p.depth == 0, "%s: <%s> is never closed", what, p.depth ? p.open[p.depth - 1] : "");
    free(bytes);
    remove(path);
}
