/* SPDX-License-Identifier: MIT
 *
 * Everything a person reads: errors, warnings, wrapped text, colour, and the progress line. Colour and
 * progress appear on a terminal only, so that pipes and logs stay clean.
 */
#include "cli.h"

#include <ctype.h>
#include <stdarg.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

/* ---- the terminal ---------------------------------------------------------------------------------- */

static bool plain_terminal(void)
{
    const char *term = getenv("TERM");
    return !term || strcmp(term, "dumb") == 0;
}

static bool is_coloured(FILE *to)
{
    const char *no = getenv("NO_COLOR");
    return (!no || !*no) && !plain_terminal() && !cli_rank_started() && isatty(fileno(to));
}

const char *cli_style_on(FILE *to, cli_style style)
{
    static const char *const codes[] = { "", "\033[1m", "\033[2m", "\033[31m", "\033[33m" };
    return is_coloured(to) ? codes[style] : "";
}

const char *cli_style_off(FILE *to)
{
    return is_coloured(to) ? "\033[0m" : "";
}

size_t cli_width(FILE *to)
{
    struct winsize size = {0};
    if (isatty(fileno(to)) && ioctl(fileno(to), TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
        if (size.ws_col < 60) return 60;
        return size.ws_col > 120 ? 120 : size.ws_col;
    }
    return 100;
}

/* ---- names and sentences that may hold anything ---------------------------------------------------- */

/* Bytes of a letter in UTF-8 by its first one; 0: no letter begins so. */
static size_t utf8_length_by_first(unsigned char first)
{
    if (first < 0x80) return 1;
    if (first >= 0xC2 && first < 0xE0) return 2;
    if ((first & 0xF0) == 0xE0) return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

size_t cli_utf8_letter(const char *at, unsigned *code)
{
    const unsigned char *s = (const unsigned char *)at;
    size_t length = utf8_length_by_first(s[0]);
    unsigned value = length < 2 ? s[0] : s[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((s[i] & 0xC0) != 0x80) return 0;
        value = value << 6 | (s[i] & 0x3Fu);
    }
    if (length == 3 && (value < 0x800 || (value >= 0xD800 && value < 0xE000))) return 0;
    if (length == 4 && (value < 0x10000 || value > 0x10FFFF)) return 0;
    if (code) *code = value;
    return length;
}

size_t cli_letters(const char *text)
{
    size_t letters = 0;
    for (; *text; text++) letters += ((unsigned char)*text & 0xC0) != 0x80;
    return letters;
}

/* Control characters, also those from U+0080 on, and marks that change the direction of what follows. */
bool cli_is_control(unsigned code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || (code >= 0x200E && code <= 0x200F) ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

static const char *escape_for_terminal(const char *text, const char *allowed)
{
    enum { LONGEST = 6 };
    unsigned code = 0;
    size_t length;
    const char *at = text;
    if (!text) return "";
    for (; *at && (length = cli_utf8_letter(at, &code)) > 0; at += length)
        if (cli_is_control(code) && (code >= 0x80 || !strchr(allowed, (int)code))) break;
    if (!*at) return text;

    char *escaped = cli_alloc(LONGEST * strlen(text) + 1, 1), *to = escaped;
    for (at = text; *at; at += length ? length : 1) {
        length = cli_utf8_letter(at, &code);
        bool plain = length > 0 && (!cli_is_control(code) || (code < 0x80 && strchr(allowed, (int)code)));
        if (plain) memcpy(to, at, length), to += length;
        else if (length > 1) to += sprintf(to, "\\u%04x", code);
        else to += sprintf(to, "\\x%02x", (unsigned)(unsigned char)*at);
    }
    return escaped;
}

const char *cli_escaped(const char *text)
{
    return escape_for_terminal(text, "");
}

const char *cli_escaped_lines(const char *text)
{
    return escape_for_terminal(text, "\n\t");
}

/* ---- paragraphs and figures ------------------------------------------------------------------------ */

void cli_wrap(FILE *to, size_t column, size_t indent, const char *text)
{
    size_t width = cli_width(to);
    bool first = true;
    for (const char *at = cli_escaped_lines(text); *at;) {
        size_t blanks = strspn(at, " "), length = strcspn(at + blanks, " \n");
        const char *word = at + blanks;
        at = word + length;

        if (length > 0) {
            if (!first && column + 1 + length > width) {
                fprintf(to, "\n%*s", (int)indent, "");
                column = indent;
            } else if (!first) {
                fputc(' ', to);
                column++;
            }
            fwrite(word, 1, length, to);
            column += length;
            first = false;
        }

        if (*at == '\n') {
            fprintf(to, "\n%*s", (int)indent, "");
            column = indent;
            first = true;
            at++;
        }
    }
    fputc('\n', to);
}

char *cli_formatted(const char *format, ...)
{
    va_list values, again;
    va_start(values, format);
    va_copy(again, values);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = cli_alloc((size_t)length + 1, 1);
    vsnprintf(text, (size_t)length + 1, format, values);
    va_end(values);
    return text;
}

void cli_say_bold(const char *text)
{
    fputs(cli_style_on(stdout, CLI_BOLD), stdout);
    cli_wrap(stdout, 0, 0, text);
    fputs(cli_style_off(stdout), stdout);
}

void cli_say_titled(cli_style style, const char *title, const char *text)
{
    enum { TITLE = 18 };
    printf("  %s%-*s%s", cli_style_on(stdout, style), TITLE, title, cli_style_off(stdout));
    cli_wrap(stdout, TITLE + 2, TITLE + 2, text);
}

const char *cli_number_short(char buffer[32], double value)
{
    if (isnan(value)) snprintf(buffer, 32, "-");
    else snprintf(buffer, 32, "%.5g", value);
    return buffer;
}

/* Shortens numbers of more than SHOWN digits, outside of quotes, for people. True: there were any. */
bool cli_shorten(char *text)
{
    enum { SHOWN = 6 };
    bool any = false;
    char quote = 0, buffer[32], *to = text;
    for (const char *at = text; *at;) {
        char *end = NULL;
        size_t digits = strspn(at, "0123456789.");
        bool number = !quote && digits > SHOWN + 1 && (at == text || !isalnum((unsigned char)at[-1]));
        double value = number ? strtod(at, &end) : 0;
        if (number && end > at) {
            size_t room = (size_t)(end - at), length = (size_t)snprintf(buffer, sizeof buffer, "%.*g", SHOWN, value);
            const char *shown = length <= room ? buffer : at;
            length = length <= room ? length : room;
            memmove(to, shown, length);
            to += length;
            at = end;
            any = true;
            continue;
        }
        if (*at == '"' || *at == '\'') {
            if (quote == *at) quote = 0;
            else if (!quote) quote = *at;
        }
        size_t step = !quote && digits ? digits : 1;
        memmove(to, at, step);
        to += step, at += step;
    }
    *to = 0;
    return any;
}

const char *cli_number(char buffer[32], double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(buffer, 32, "%.*g", digits, value);
        if (strtod(buffer, NULL) == value) break;
    }
    return buffer;
}

/* ---- progress -------------------------------------------------------------------------------------- */

static struct {                  /* there is one stderr, so there is one line on it */
    double from, to;             /* the part of the whole the present call covers   */
    double begun, first, shown;  /* first: what was done when it began               */
    bool   visible;
} line = { 0, 1, 0, 0, 0, false };

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void cli_progress_span(double from, double to)
{
    line.from = from;
    line.to = to;
}

void cli_progress_clear(void)
{
    if (line.visible) fputs("\r\033[K", stderr);
    line.visible = false;
}

static void print_time(char *buffer, size_t size, double seconds)
{
    if (seconds < 90) snprintf(buffer, size, "%.0f s left", ceil(seconds));
    else if (seconds < 5400) snprintf(buffer, size, "%.0f min left", ceil(seconds / 60));
    else snprintf(buffer, size, "%.1f h left", seconds / 3600);
}

int cli_progress(void *context, const una_progress *progress)
{
    const cli *c = context;
    if (c->quiet || cli_rank() > 0 || !isatty(STDERR_FILENO) || plain_terminal()) return 0;

    double now = cli_seconds();
    double fraction = line.from + (line.to - line.from) * fmin(fmax(progress->fraction, 0), 1);
    if (line.begun <= 0) {
        line.begun = line.shown = now;
        line.first = fraction;           /* rows of a sweep that were there took no time */
    }
    if (now - line.shown < 0.1) return 0;
    line.shown = now;

    char left[64] = "", value[64] = "", whole[256];
    double spent = now - line.begun, gone = fraction - line.first;
    if (gone > 0.01 * (1 - line.first) && spent > 0.5) print_time(left, sizeof left, spent * (1 - fraction) / gone);
    if (isfinite(progress->value)) snprintf(value, sizeof value, "   loss %.4g", progress->value);
    snprintf(whole, sizeof whole, "%s  %3.0f %%  %s%s", cli_escaped(progress->stage), 100 * fraction, left, value);

    fprintf(stderr, "\r%.*s\033[K", (int)cli_width(stderr) - 1, whole);
    fflush(stderr);
    line.visible = true;
    return 0;
}

/* ---- sentences ------------------------------------------------------------------------------------- */

static void print_prefix(const cli *c)
{
    cli_progress_clear();
    fflush(stdout);
    fprintf(stderr, "%suna%s%s:%s ", cli_style_on(stderr, CLI_BOLD), c->verb ? " " : "", c->verb ? c->verb->name : "",
            cli_style_off(stderr));
}

static bool ends_sentence(const char *text)
{
    size_t length = strlen(text);
    return length > 0 && strchr(".!?\n", text[length - 1]);
}

static bool failure_told;

una_status cli_fail(const cli *c, una_status status, const char *format, ...)
{
    failure_told = true;
    char text[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (cli_rank() > 0) {
        cli_rank_keep_error(c, text);
        return status;
    }
    print_prefix(c);
    fprintf(stderr, "%s%s%s%s\n", cli_style_on(stderr, CLI_RED), cli_escaped_lines(text), ends_sentence(text) ? ""
            : ".", cli_style_off(stderr));
    return status;
}

una_status cli_failed(const cli *c, una_status status)
{
    const char *message = una_run_message(c->run);
    return cli_fail(c, status, "%s", message && *message ? message : una_status_text(status));
}

void cli_tell_failure(const cli *c, una_status status)
{
    if (status != UNA_OK && !failure_told) cli_failed(c, status);
}

void cli_warn_text(const cli *c, const char *text)
{
    if (c->quiet || cli_rank() > 0) return;
    print_prefix(c);
    fprintf(stderr, "%s%s%s\n", cli_style_on(stderr, CLI_YELLOW), cli_escaped_lines(text), cli_style_off(stderr));
}

static int compare_named_values(const void *a, const void *b)
{
    const cli_named *x = a, *y = b;
    if (x->value != y->value) return x->value > y->value ? -1 : 1;
    return strcmp(x->name, y->name);
}

const char *cli_shares(cli_named *list, size_t count)
{
    enum { SHOWN = 12 };
    double sum = 0;
    size_t shown = 0;
    const char *text = "";
    qsort(list, count, sizeof *list, compare_named_values);
    for (size_t i = 0; i < count; i++) sum += list[i].value * list[i].value;
    for (; shown < count && shown < SHOWN; shown++) {
        double share = 100 * list[shown].value * list[shown].value / sum;
        if (!(share >= 1)) break;
        text = cli_formatted("%s%s%s %.0f %%", text, *text ? ", " : "", list[shown].name, share);
    }
    if (shown == count) return text;
    return cli_formatted("%s%s%zu more %s", text, *text ? " and " : "", count - shown,
                         shown < SHOWN ? "below 1 %" : "with less");
}
