/* SPDX-License-Identifier: MIT
 *
 * The page. Charts are separate <svg> elements in a wrapping grid, so that a phone stacks what a desk shows side by
 * side and the lettering keeps its size.
 */
#include "draw/html.h"

#include "draw/number.h"
#include "draw/canvas.h"

static const char style[] =
    ":root{color-scheme:light}"
    "*{box-sizing:border-box}"
    "body{margin:0;background:#fff;color:#1f2023;font:1.0625rem/1.6 Charter,'Bitstream Charter','Iowan Old Style',"
    "'Palatino Linotype',Palatino,Georgia,'Noto Serif','DejaVu Serif Condensed',serif;"
    "-webkit-text-size-adjust:100%;text-size-adjust:100%}"
    "main{max-width:46rem;margin:0 auto;padding:3rem 1rem 4rem}"
    "h1,h2,th,td,figcaption,.keys,.box,.verdict,footer,.note,ul{font-family:'Helvetica Neue',Helvetica,Arial,"
    "'Liberation Sans','Noto Sans','DejaVu Sans Condensed',sans-serif}"
    "h1{font-size:1.9rem;line-height:1.2;margin:0 0 1rem;letter-spacing:-.01em;overflow-wrap:anywhere}"
    "h2{font-size:1.15rem;line-height:1.3;margin:2.8rem 0 .6rem;overflow-wrap:anywhere}"
    "p{margin:0 0 1rem;overflow-wrap:anywhere}"
    ".verdict{font-size:1.3rem;line-height:1.45;color:#144484;font-weight:600}"
    ".lead{font-size:1.15rem;color:#3d3f45}"
    ".note,ul{font-size:.875rem;line-height:1.5;color:#55585f}"
    "ul{margin:0 0 1rem;padding-left:1.2rem;overflow-wrap:anywhere}"
    ".code{font:.8125rem/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace;"
    "background:#f4f5f7;border-radius:4px;padding:.6rem .8rem;color:#33363c}"
    ".box{border-left:4px solid #d55e00;background:#fdf3ea;padding:.8rem 1rem;margin:0 0 1.2rem;font-size:.9375rem}"
    ".box p{margin:.25rem 0 0}"
    "figure{margin:1.6rem 0 2.2rem}"
    ".charts{display:grid;gap:.75rem 1rem;justify-items:start}"
    ".charts.c2{grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr))}"
    ".charts.c3{grid-template-columns:repeat(auto-fill,minmax(min(100%,13.5rem),1fr))}"
    ".charts.wide{overflow-x:auto}"
    ".charts.wide svg{min-width:36rem}"
    ".pair{display:grid;gap:0 1.5rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,19rem),1fr))}"
    "svg{display:block;width:100%;height:auto}"
    ".tips circle{fill:transparent}.tips circle:hover{fill:#d55e00;fill-opacity:.55}"
    ".pictures{display:grid;gap:.9rem .8rem;grid-template-columns:repeat(auto-fill,minmax(6.4rem,1fr));"
    "font-family:'Helvetica Neue',Helvetica,Arial,'Liberation Sans','Noto Sans','DejaVu Sans Condensed',sans-serif;"
    "font-size:.75rem;line-height:1.35;color:#3d3f45;white-space:pre-line;overflow-wrap:anywhere}"
    ".pictures div{break-inside:avoid}"
    ".pictures img{display:block;width:6.4rem;height:auto;margin:0 0 .3rem;image-rendering:pixelated}"
    ".keys{display:flex;flex-wrap:wrap;gap:.2rem 1.2rem;margin:0 0 .6rem;padding:0;list-style:none;font-size:.8125rem;"
    "color:#33363c}"
    ".keys li{display:flex;align-items:center;gap:.45rem}"
    ".keys svg{width:22px;height:12px;flex:none}"
    "figcaption{font-size:.8125rem;line-height:1.5;color:#3d3f45;text-align:left;overflow-wrap:anywhere}"
    "figcaption{margin-top:.7rem}"
    "figcaption.above{margin:0 0 .6rem}"
    ".scroll{overflow-x:auto}"
    "table{border-collapse:collapse;font-size:.875rem;line-height:1.4;border-top:1.5px solid #1f2023;"
    "border-bottom:1.5px solid #1f2023;font-variant-numeric:tabular-nums lining-nums}"
    "th,td{padding:.22rem .9rem .22rem 0;text-align:left;vertical-align:top;font-weight:400;max-width:16rem;"
    "overflow-wrap:break-word}"
    "thead th{font-weight:600;border-bottom:1px solid #9a9ca2;vertical-align:bottom}"
    "td.n,th.n{text-align:right;white-space:nowrap;padding-left:.7rem;padding-right:.2rem}"
    "thead th.n{white-space:normal;max-width:9rem}"
    "td+td,th+th,th+td{padding-left:.7rem}"
    "td.s{font-weight:600}"
    "td.w{min-width:11rem;max-width:24rem}th[scope=row]{max-width:24rem}"
    "td:last-child{max-width:22rem}"
    "tr.g th{font-weight:600;padding-top:.9rem;color:#3d3f45;max-width:none}"
    "footer{margin-top:3.5rem;padding-top:.8rem;border-top:1px solid #d5d7db;font-size:.8125rem;color:#6a6d74}"
    "@page{size:A4;margin:18mm 20mm}"
    "@media print{body{font-size:10pt}main{max-width:none;padding:0}figure,.box,tr{break-inside:avoid}"
    ".charts.wide svg{min-width:0}.charts.c3{grid-template-columns:repeat(3,1fr)}svg{break-inside:avoid}"
    "h1,h2{break-after:avoid}.scroll{overflow:visible}table{font-size:7.5pt}"
    "td,th{padding-right:.3rem}td+td,th+th,th+td,td.n,th.n{padding-left:.3rem}td:last-child{max-width:none}"
    "td.w{min-width:9rem}"
    "figcaption.above{break-after:avoid}table{break-inside:auto}"
    ".box{print-color-adjust:exact;-webkit-print-color-adjust:exact}}";

static const double widest_shrunk = 600;        /* wider panels keep their size on a phone, and are moved sideways */

/* U+202A to U+202E embed or override whatever comes after them. */
static bool turns_all(const char *at, size_t length)
{
    return length == 3 && memcmp(at, "\xE2\x80\xAA", 3) >= 0 && memcmp(at, "\xE2\x80\xAE", 3) <= 0;
}

void una_html_escape(una_text *text, const char *words)
{
    for (const char *s = words ? words : ""; *s;) {
        size_t length = una_utf8_length(s);
        switch (*s) {
        case '&':  una_text_add(text, "&amp;"); break;
        case '<':  una_text_add(text, "&lt;"); break;
        case '>':  una_text_add(text, "&gt;"); break;
        case '"':  una_text_add(text, "&quot;"); break;
        case '\'': una_text_add(text, "&#39;"); break;
        default:
            if (length == 0) una_text_add(text, "\xEF\xBF\xBD");
            else if (turns_all(s, length)) una_text_add(text, "\xEF\xBF\xBD");
            else if (((unsigned char)*s < 0x20 && *s != '\n' && *s != '\t') || *s == 0x7F) una_text_add(text, " ");
            else una_text_bytes(text, s, length);
        }
        s += length ? length : 1;
    }
}

void una_html_words(una_text *text, const char *words)
{
    bool turned = words && una_utf8_is_right_to_left(words);
    una_text_add(text, turned ? "<bdi>" : "");
    una_html_escape(text, words);
    una_text_add(text, turned ? "</bdi>" : "");
}

una_html una_html_begin(una_arena *arena, const char *title)
{
    una_html html = { .text = una_text_in(arena) };
    una_text_add(&html.text, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                 "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
                 "<meta name=\"color-scheme\" content=\"light\">\n<title>");
    una_html_escape(&html.text, title);
    una_text_add(&html.text, "</title>\n<style>%s</style>\n</head>\n<body>\n<main>\n", style);
    return html;
}

una_status una_html_end(una_html *html, const char *foot)
{
    una_text_add(&html->text, "<footer>");
    una_html_escape(&html->text, foot ? foot : "Made by una " UNA_VERSION ". This page is complete in itself: it "
                    "fetches nothing and sends nothing.");
    una_text_add(&html->text, "</footer>\n</main>\n</body>\n</html>\n");
    return una_arena_check(html->text.arena);
}

void una_html_heading(una_html *html, int level, const char *words)
{
    una_text_add(&html->text, "<h%d>", level);
    una_html_words(&html->text, words);
    una_text_add(&html->text, "</h%d>\n", level);
}

void una_html_paragraph(una_html *html, const char *kind, const char *words)
{
    if (kind) una_text_add(&html->text, "<p class=\"%s\">", kind);
    else una_text_add(&html->text, "<p>");
    una_html_escape(&html->text, words);
    una_text_add(&html->text, "</p>\n");
}

void una_html_list(una_html *html, const char *const *sentences, size_t count)
{
    if (count == 0) return;
    una_text_add(&html->text, "<ul>\n");
    for (size_t i = 0; i < count; i++) {
        una_text_add(&html->text, "<li>");
        una_html_escape(&html->text, sentences[i]);
        una_text_add(&html->text, "</li>\n");
    }
    una_text_add(&html->text, "</ul>\n");
}

void una_html_box(una_html *html, const char *title, const char *const *sentences, size_t count)
{
    if (count == 0) return;
    una_text_add(&html->text, "<div class=\"box\" role=\"note\"><strong>");
    una_html_escape(&html->text, title);
    una_text_add(&html->text, "</strong>\n");
    for (size_t i = 0; i < count; i++) una_html_paragraph(html, NULL, sentences[i]);
    una_text_add(&html->text, "</div>\n");
}

void una_html_caption(una_html *html, const char *what, size_t number, const char *lead, const char *caption)
{
    una_text_add(&html->text, "<strong>%s %zu | ", what, number);
    una_html_escape(&html->text, lead);
    una_text_add(&html->text, "</strong> ");
    una_html_escape(&html->text, caption);
}

/* ---- figures --------------------------------------------------------------------------------------- */

static void add_swatch(una_text *text, const una_key *key)
{
    char ink[8];
    una_rgb_name(ink, una_ink_rgb(key->ink));
    una_text_add(text, "<svg viewBox=\"0 0 22 12\" aria-hidden=\"true\">");

    switch (key->shape) {
    case UNA_SHAPE_BAND:
    case UNA_SHAPE_BARS:
        una_text_add(text, "<rect y=\"1\" width=\"22\" height=\"10\" fill=\"%s\" opacity=\"%.2f\"/>", ink,
                     una_shape_opacity(key->shape));
        break;
    case UNA_SHAPE_POINTS:
        una_text_add(text, "<circle cx=\"11\" cy=\"6\" r=\"2.4\" fill=\"%s\" opacity=\"%.2f\"/>", ink,
                     una_shape_opacity(key->shape));
        break;
    case UNA_SHAPE_RANGES:
    case UNA_SHAPE_RUG:
        una_text_add(text, "<path d=\"M11 0V12\" stroke=\"%s\" stroke-width=\"2\" opacity=\".8\"/>", ink);
        break;
    default:
        una_text_add(text, "<path d=\"M0 6H22\" stroke=\"%s\" stroke-width=\"%s\"%s/>", ink,
                     key->shape == UNA_SHAPE_DIAGONAL ? "1" : "2",
                     key->shape == UNA_SHAPE_DASHES ? " stroke-dasharray=\"5 3\"" : "");
    }

    una_text_add(text, "</svg>");
}

static void add_figure_keys(una_html *html, const una_figure *figure)
{
    if (figure->key_count == 0) return;
    una_text_add(&html->text, "<ul class=\"keys\">");
    for (size_t i = 0; i < figure->key_count; i++) {
        una_text_add(&html->text, "<li>");
        add_swatch(&html->text, &figure->keys[i]);
        una_html_words(&html->text, figure->keys[i].label);
        una_text_add(&html->text, "</li>");
    }
    una_text_add(&html->text, "</ul>\n");
}

void una_html_pair(una_html *html)
{
    una_text_add(&html->text, "<div class=\"pair\">\n");
}

void una_html_pair_end(una_html *html)
{
    una_text_add(&html->text, "</div>\n");
}

void una_html_figure_end(una_html *html, const char *lead, const char *caption)
{
    una_text_add(&html->text, "<figcaption>");
    una_html_caption(html, "Figure", ++html->figures, lead, caption);
    una_text_add(&html->text, "</figcaption>\n</figure>\n");
}

void una_html_figure(una_html *html, const una_figure *figure, const char *lead, const char *caption)
{
    size_t columns = figure->columns > 3 ? 3 : figure->columns;
    bool wide = figure->panel_width > widest_shrunk;
    html->text.arena->failed |= figure->arena->failed;           /* a page without its figure is none */
    una_text_add(&html->text, "<figure>\n");
    add_figure_keys(html, figure);
    una_text_add(&html->text, "<div class=\"charts c%zu%s\">\n", columns, wide ? " wide" : "");
    for (size_t i = 0; i < figure->panel_count; i++) {
        char id[32];
        snprintf(id, sizeof id, "c%zu-", ++html->charts);
        const char *panel = figure->panels[i]->title;
        char name[UNA_TEXT_ROOM];                        /* a name may be of any length */
        const char *title = una_phrase(html->text.arena, "%s%s%s", lead, panel ? " " : "",
                                       panel ? una_utf8_clean(name, sizeof name, panel) : "");
        una_figure_inline(&html->text, figure, i, id, title, caption);
    }
    una_text_add(&html->text, "</div>\n");
    una_html_figure_end(html, lead, caption);
}

void una_html_section(una_html *html, const char *heading, const una_figure *figure, const char *lead,
                      const char *caption)
{
    if (figure->panel_count == 0) return;
    if (heading) una_html_heading(html, 2, heading);
    una_html_figure(html, figure, lead, caption);
}
