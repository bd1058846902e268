/* SPDX-License-Identifier: MIT
 *
 * See cairo_canvas.h. Types and numbers below are those of Cairo's interface, version 1.16 and later, as its manual has
 * them (https://www.cairographics.org/manual/); they have kept their meaning since 1.0. The PDF gets a fixed date: same
 * figure, same bytes.
 */
#include "draw/cairo_canvas.h"

#include "base/library.h"
#include "draw/number.h"
#include "draw/png.h"

static const double png_scale = 2.5, px_to_pt = 0.75;

/* ---- the library ----------------------------------------------------------------------------------- */

typedef struct cairo cairo_t;
typedef struct cairo_surface cairo_surface_t;
typedef struct cairo_font_options cairo_font_options_t;
typedef struct cairo_scaled_font cairo_scaled_font_t;
typedef struct { double x_bearing, y_bearing, width, height, x_advance, y_advance; } cairo_text_extents_t;
typedef struct { unsigned long index; double x, y; } cairo_glyph_t;
typedef int cairo_write(void *closure, const unsigned char *bytes, unsigned length);     /* one of the first two */

enum { CAIRO_SUCCESS = 0, CAIRO_NO_MEMORY = 1, CAIRO_FORMAT_RGB24 = 1, CAIRO_PDF_CREATE_DATE = 5,
       CAIRO_ANTIALIAS_GRAY = 2, CAIRO_HINT_STYLE_NONE = 1, CAIRO_HINT_METRICS_OFF = 1, CAIRO_BUTT = 0, CAIRO_ROUND = 1,
       CAIRO_SLANT_NORMAL = 0, CAIRO_WEIGHT_NORMAL = 0, CAIRO_WEIGHT_BOLD = 1 };

/* result, name, arguments */
#define CAIRO_CALLS(X)                                                                                          \
    X(cairo_surface_t *, cairo_pdf_surface_create_for_stream, (cairo_write *, void *, double, double))          \
    X(void, cairo_pdf_surface_set_metadata, (cairo_surface_t *, int, const char *))                             \
    X(cairo_surface_t *, cairo_image_surface_create, (int, int, int))                                           \
    X(unsigned char *, cairo_image_surface_get_data, (cairo_surface_t *))                                       \
    X(int, cairo_image_surface_get_width, (cairo_surface_t *))                                                  \
    X(int, cairo_image_surface_get_height, (cairo_surface_t *))                                                 \
    X(int, cairo_image_surface_get_stride, (cairo_surface_t *))                                                 \
    X(void, cairo_surface_flush, (cairo_surface_t *))                                                           \
    X(void, cairo_surface_finish, (cairo_surface_t *))                                                          \
    X(int, cairo_surface_status, (cairo_surface_t *))                                                           \
    X(void, cairo_surface_destroy, (cairo_surface_t *))                                                         \
    X(cairo_t *, cairo_create, (cairo_surface_t *))                                                             \
    X(void, cairo_destroy, (cairo_t *))                                                                         \
    X(int, cairo_status, (cairo_t *))                                                                           \
    X(const char *, cairo_status_to_string, (int))                                                              \
    X(void, cairo_save, (cairo_t *))                                                                            \
    X(void, cairo_restore, (cairo_t *))                                                                         \
    X(void, cairo_scale, (cairo_t *, double, double))                                                           \
    X(void, cairo_translate, (cairo_t *, double, double))                                                       \
    X(void, cairo_rotate, (cairo_t *, double))                                                                  \
    X(void, cairo_move_to, (cairo_t *, double, double))                                                         \
    X(void, cairo_line_to, (cairo_t *, double, double))                                                         \
    X(void, cairo_close_path, (cairo_t *))                                                                      \
    X(void, cairo_rectangle, (cairo_t *, double, double, double, double))                                       \
    X(void, cairo_new_path, (cairo_t *))                                                                        \
    X(void, cairo_clip, (cairo_t *))                                                                            \
    X(void, cairo_stroke, (cairo_t *))                                                                          \
    X(void, cairo_fill, (cairo_t *))                                                                            \
    X(void, cairo_paint, (cairo_t *))                                                                           \
    X(void, cairo_set_source_rgba, (cairo_t *, double, double, double, double))                                 \
    X(void, cairo_set_line_width, (cairo_t *, double))                                                          \
    X(void, cairo_set_line_cap, (cairo_t *, int))                                                               \
    X(void, cairo_set_line_join, (cairo_t *, int))                                                              \
    X(void, cairo_set_dash, (cairo_t *, const double *, int, double))                                           \
    X(cairo_font_options_t *, cairo_font_options_create, (void))                                                \
    X(void, cairo_font_options_destroy, (cairo_font_options_t *))                                               \
    X(void, cairo_font_options_set_hint_style, (cairo_font_options_t *, int))                                   \
    X(void, cairo_font_options_set_hint_metrics, (cairo_font_options_t *, int))                                 \
    X(void, cairo_font_options_set_antialias, (cairo_font_options_t *, int))                                    \
    X(void, cairo_set_font_options, (cairo_t *, const cairo_font_options_t *))                                  \
    X(void, cairo_select_font_face, (cairo_t *, const char *, int, int))                                        \
    X(void, cairo_set_font_size, (cairo_t *, double))                                                           \
    X(void, cairo_text_extents, (cairo_t *, const char *, cairo_text_extents_t *))                              \
    X(void, cairo_show_text, (cairo_t *, const char *))                                                         \
    X(cairo_scaled_font_t *, cairo_get_scaled_font, (cairo_t *))                                                \
    X(int, cairo_scaled_font_text_to_glyphs, (cairo_scaled_font_t *, double, double, const char *, int,         \
                                              cairo_glyph_t **, int *, void **, int *, int *))                  \
    X(void, cairo_glyph_free, (cairo_glyph_t *))

typedef struct calls {
#define CAIRO_POINTER(result, name, arguments) result (*name) arguments;
    CAIRO_CALLS(CAIRO_POINTER)
#undef CAIRO_POINTER
} calls;

static una_status load(calls *to, una_run *run)
{
    static const una_symbol symbols[] = {
#define CAIRO_SYMBOL(result, name, arguments) UNA_SYMBOL(calls, name),
        CAIRO_CALLS(CAIRO_SYMBOL)
#undef CAIRO_SYMBOL
    };
    static const una_library library = { "libcairo.so.2", "charts as .pdf and .png, unlike those as .svg,", "libcairo2",
                                         symbols, UNA_COUNT_OF(symbols) };
    return una_library_load(to, &library, run);
}

una_status una_cairo_check(una_run *run)
{
    calls unused;
    return load(&unused, run);
}

/* ---- drawing --------------------------------------------------------------------------------------- */

struct una_cairo {
    una_canvas        canvas;     /* first: its calls get a pointer to it                           */
    calls            c;
    cairo_t         *cr;
    cairo_surface_t *surface;
    una_text        *out;
    una_format       format;
    const char      *family;     /* of all text                                                    */
    bool             thin_space; /* the family has U+202F                                          */
    bool             raised;     /* and all raised digits                                          */
};

static una_cairo *cairo_of(una_canvas *canvas)
{
    return (una_cairo *)(void *)canvas;
}

static void move(una_canvas *canvas, double x, double y)
{
    una_cairo *p = cairo_of(canvas);
    p->c.cairo_move_to(p->cr, x, y);
}

static void line(una_canvas *canvas, double x, double y)
{
    una_cairo *p = cairo_of(canvas);
    p->c.cairo_line_to(p->cr, x, y);
}

static void close_piece(una_canvas *canvas)
{
    una_cairo *p = cairo_of(canvas);
    p->c.cairo_close_path(p->cr);
}

static void use(una_cairo *p, una_rgb rgb, double opacity)
{
    p->c.cairo_set_source_rgba(p->cr, rgb.red, rgb.green, rgb.blue, opacity);
}

static void stroke(una_canvas *canvas, const una_pen *pen)
{
    static const double dashes[] = { 4, 3 };
    una_cairo *p = cairo_of(canvas);
    use(p, pen->rgb, pen->opacity);
    p->c.cairo_set_line_width(p->cr, pen->width);
    p->c.cairo_set_line_cap(p->cr, pen->round ? CAIRO_ROUND : CAIRO_BUTT);
    p->c.cairo_set_dash(p->cr, dashes, pen->dashed ? 2 : 0, 0);
    p->c.cairo_stroke(p->cr);
}

static void fill(una_canvas *canvas, const una_pen *pen)
{
    una_cairo *p = cairo_of(canvas);
    use(p, pen->rgb, pen->opacity);
    p->c.cairo_fill(p->cr);
}

static void clip(una_canvas *canvas, double left, double top, double width, double height)
{
    una_cairo *p = cairo_of(canvas);
    p->c.cairo_save(p->cr);
    p->c.cairo_rectangle(p->cr, left, top, width, height);
    p->c.cairo_clip(p->cr);
}

static void unclip(una_canvas *canvas)
{
    una_cairo *p = cairo_of(canvas);
    p->c.cairo_restore(p->cr);
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void use_font(una_cairo *p, double size, bool bold)
{
    p->c.cairo_select_font_face(p->cr, p->family, CAIRO_SLANT_NORMAL, bold ? CAIRO_WEIGHT_BOLD : CAIRO_WEIGHT_NORMAL);
    p->c.cairo_set_font_size(p->cr, size);
}

static double width_of(una_cairo *p, const char *text)
{
    cairo_text_extents_t extents = {0};
    p->c.cairo_text_extents(p->cr, text, &extents);
    return extents.x_advance;
}

static bool has_glyph(una_cairo *p, const char *text)
{
    cairo_glyph_t *glyphs = NULL;
    int count = 0, status = p->c.cairo_scaled_font_text_to_glyphs(p->c.cairo_get_scaled_font(p->cr), 0, 0, text, -1,
                                                                  &glyphs, &count, NULL, NULL, NULL);
    bool found = status == CAIRO_SUCCESS && count > 0 && glyphs[0].index != 0;
    if (status == CAIRO_SUCCESS) p->c.cairo_glyph_free(glyphs);
    return found;
}

/* What the family has no signs for is written with others. */
static const char *writable(const una_cairo *p, char buffer[UNA_TEXT_ROOM], const char *text)
{
    una_utf8_clean(buffer, UNA_TEXT_ROOM, text);
    for (char *s = buffer; !p->thin_space && (s = strstr(s, UNA_THIN_SPACE));) {
        *s = ' ';
        memmove(s + 1, s + 3, strlen(s + 3) + 1);
    }
    if (!p->raised) una_powers_lower(buffer);
    return buffer;
}

static void write_text(una_canvas *canvas, const una_letters *letters, double x, double y, const char *text)
{
    una_cairo *p = cairo_of(canvas);
    char buffer[UNA_TEXT_ROOM];
    writable(p, buffer, text);
    use(p, letters->rgb, 1);
    use_font(p, letters->size, letters->bold);
    p->c.cairo_save(p->cr);
    p->c.cairo_translate(p->cr, x, y);
    p->c.cairo_rotate(p->cr, letters->turn);
    p->c.cairo_move_to(p->cr, -letters->share * width_of(p, buffer), 0);
    p->c.cairo_show_text(p->cr, buffer);
    p->c.cairo_restore(p->cr);
    p->c.cairo_new_path(p->cr);                          /* which stands behind the text */
}

static void set_font_options(una_cairo *p)
{
    cairo_font_options_t *options = p->c.cairo_font_options_create();
    p->c.cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
    p->c.cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
    p->c.cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
    p->c.cairo_set_font_options(p->cr, options);
    p->c.cairo_font_options_destroy(options);
}

/* Helvetica or what the machine has in its place. Where that is the wide DejaVu Sans, its condensed cut suits
 * small charts better; metrics tell, since Cairo does not say which file it took. */
static void choose_family(una_cairo *p)
{
    static const char sample[] = "Hamburgefonstiv 0123456789";
    p->family = "Helvetica";
    use_font(p, 100, false);
    double usual = width_of(p, sample);
    p->family = "DejaVu Sans";
    use_font(p, 100, false);
    bool wide = fabs(width_of(p, sample) - usual) < 1e-6;
    p->family = wide ? "DejaVu Sans Condensed" : "Helvetica";
    use_font(p, 100, false);
    p->thin_space = has_glyph(p, UNA_THIN_SPACE);
    p->raised = has_glyph(p, "\xE2\x81\xBB") && has_glyph(p, "\xE2\x81\xB4");
}

/* ---- beginning and end ----------------------------------------------------------------------------- */

static int add_bytes(void *closure, const unsigned char *bytes, unsigned length)
{
    una_text *text = closure;
    una_text_bytes(text, (const char *)bytes, length);
    return text->arena->failed ? CAIRO_NO_MEMORY : CAIRO_SUCCESS;
}

static cairo_surface_t *open_surface(const una_cairo *p, double width, double height)
{
    if (p->format == UNA_FORMAT_PNG)
        return p->c.cairo_image_surface_create(CAIRO_FORMAT_RGB24, (int)(width * png_scale), (int)(height * png_scale));
    cairo_surface_t *surface = p->c.cairo_pdf_surface_create_for_stream(add_bytes, p->out, width * px_to_pt,
                                                                        height * px_to_pt);
    p->c.cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_CREATE_DATE, "2000-01-01T00:00:00Z");
    return surface;
}

una_status una_cairo_on(una_canvas **canvas, una_text *out, double width, double height, una_format format, una_run *run)
{
    UNA_NEW(out->arena, una_cairo, p, 1);
    UNA_TRY(load(&p->c, run));
    p->canvas = (una_canvas){ .move = move, .line = line, .close = close_piece, .stroke = stroke, .fill = fill,
                             .text = write_text, .clip = clip, .unclip = unclip };
    p->out = out;
    p->format = format;
    p->surface = open_surface(p, width, height);
    p->cr = p->c.cairo_create(p->surface);

    double scale = format == UNA_FORMAT_PNG ? png_scale : px_to_pt;
    if (format == UNA_FORMAT_PNG) {
        use(p, (una_rgb){ 1, 1, 1 }, 1);
        p->c.cairo_paint(p->cr);
    }
    p->c.cairo_scale(p->cr, scale, scale);
    p->c.cairo_set_line_join(p->cr, CAIRO_ROUND);
    set_font_options(p);
    choose_family(p);
    *canvas = &p->canvas;
    return UNA_OK;
}

/* Cairo's are words of four bytes. */
static void surface_row(unsigned char *to, const void *from, size_t y)
{
    const una_cairo *p = from;
    const unsigned char *at = p->c.cairo_image_surface_get_data(p->surface)
        + y * (size_t)p->c.cairo_image_surface_get_stride(p->surface);
    for (int x = 0, width = p->c.cairo_image_surface_get_width(p->surface); x < width; x++) {
        uint32_t word;
        memcpy(&word, at + 4 * x, sizeof word);
        to[3 * x] = (unsigned char)(word >> 16), to[3 * x + 1] = (unsigned char)(word >> 8);
        to[3 * x + 2] = (unsigned char)word;
    }
}

static una_status add_png(una_cairo *p, una_run *run)
{
    const una_png png = { .height = (size_t)p->c.cairo_image_surface_get_height(p->surface),
                          .width = (size_t)p->c.cairo_image_surface_get_width(p->surface), .channels = 3,
                          .row = surface_row, .from = p };
    return una_png_add(p->out, &png, run);
}

/* What Cairo says about context and surface, as ours. */
static una_status verdict(const una_cairo *p, una_run *run)
{
    int status = p->c.cairo_status(p->cr);
    if (status == CAIRO_SUCCESS) status = p->c.cairo_surface_status(p->surface);
    UNA_TRY(una_arena_check(p->out->arena));
    if (status == CAIRO_SUCCESS) return UNA_OK;
    UNA_FAIL(run, status == CAIRO_NO_MEMORY ? UNA_E_MEMORY : UNA_E_NUMERIC,
             "a chart could not be drawn: Cairo says '%s'", p->c.cairo_status_to_string(status));
}

una_status una_cairo_end(una_canvas *canvas, una_run *run)
{
    una_cairo *p = cairo_of(canvas);
    p->c.cairo_surface_flush(p->surface);
    if (p->format == UNA_FORMAT_PDF) p->c.cairo_surface_finish(p->surface);
    una_status status = verdict(p, run);
    if (status == UNA_OK && p->format == UNA_FORMAT_PNG) status = add_png(p, run);
    p->c.cairo_destroy(p->cr);
    p->c.cairo_surface_destroy(p->surface);
    return status;
}
