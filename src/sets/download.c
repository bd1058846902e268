/* SPDX-License-Identifier: MIT
 *
 * One transfer at a time, watched from outside libcurl: ten times a second it is asked whether to go on, so that Ctrl-C
 * and a server that falls silent are noticed at once.
 */
#include "sets/download.h"

#ifdef UNA_HAS_libcurl

#include <curl/curl.h>

enum { MOST_REDIRECTS = 5, LOOKS_A_SECOND = 10, LEAST_BYTES = 1000 };        /* within the patience           */

typedef struct body {                    /* what has come so far */
    unsigned char *at;
    size_t         size, most;
    bool           overflow;
} body;

struct una_server {
    CURLM *multi;
    CURL  *easy;
    double patience;
    body   body;
    char   why[CURL_ERROR_SIZE];
};

/* ---- a server -------------------------------------------------------------------------------------------- */

static size_t append_download(char *bytes, size_t size, size_t count, void *context)
{
    body *b = context;
    size_t all = size * count;
    b->overflow = all > b->most - b->size;
    if (b->overflow) return 0;           /* ends the transfer */
    if (all) memcpy(b->at + b->size, bytes, all);
    b->size += all;
    return all;
}

static bool set_protocols(CURL *easy)
{
#if LIBCURL_VERSION_NUM >= 0x075500
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https,http,file") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "https,http") == CURLE_OK;
#else
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTPS | CURLPROTO_HTTP | CURLPROTO_FILE)) ==
               CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS, (long)(CURLPROTO_HTTPS | CURLPROTO_HTTP)) == CURLE_OK;
#endif
}

static bool curl_set_up(una_server *s)
{
    CURL *easy = s->easy;
    long connect = (long)(1000 * s->patience);
    return set_protocols(easy) && curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_MAXREDIRS, (long)MOST_REDIRECTS) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_FAILONERROR, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, connect > 0 ? connect : 1L) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_USERAGENT, "una/" UNA_VERSION) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, s->why) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, append_download) == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_WRITEDATA, &s->body) == CURLE_OK;
}

una_status una_server_open(una_server **server, double patience, una_arena *arena, una_run *run)
{
    una_server *s = *server = UNA_GET(arena, una_server, 1);
    UNA_TRY(una_arena_check(arena));
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {     /* counted: each has its cleanup */
        *server = NULL;
        UNA_FAIL(run, UNA_E_IO, "libcurl cannot start");
    }
    s->patience = patience;
    s->multi = curl_multi_init();
    s->easy = curl_easy_init();
    if (!s->multi || !s->easy || !curl_set_up(s)) UNA_FAIL(run, UNA_E_MEMORY, "libcurl has no memory to start with");
    return UNA_OK;
}

void una_server_close(una_server *server)
{
    if (!server) return;
    curl_easy_cleanup(server->easy);
    curl_multi_cleanup(server->multi);
    curl_global_cleanup();
}

/* ---- one file -------------------------------------------------------------------------------------------- */

typedef struct outcome { CURLcode code; bool stalled; una_status status; } outcome;

/* Until the transfer is done, too slow or cancelled. */
static outcome watch_transfer(una_server *s, const una_download_request *w, una_run *run)
{
    outcome end = { CURLE_OK, false, UNA_OK };
    double since = una_clock();
    size_t had = 0;
    int running = 1, left;
    while (running) {
        if (curl_multi_perform(s->multi, &running) != CURLM_OK) end.code = CURLE_OUT_OF_MEMORY;
        double share = w->expected ? (double)s->body.size / (double)w->expected : 0;
        end.status = una_tick(run, w->stage, share < 1 ? share : 1, NAN);
        if (s->body.size - had >= LEAST_BYTES) {
            had = s->body.size;
            since = una_clock();
        }
        end.stalled = running && una_clock() - since > s->patience;
        if (end.status != UNA_OK || end.stalled || end.code != CURLE_OK) return end;
        if (running) curl_multi_poll(s->multi, NULL, 0, 1000 / LOOKS_A_SECOND, NULL);
    }
    for (CURLMsg *reported; (reported = curl_multi_info_read(s->multi, &left));)
        if (reported->msg == CURLMSG_DONE) end.code = reported->data.result;
    return end;
}

static una_status explain_outcome(const una_server *s, const una_download_request *w, const outcome *end, una_run *run)
{
    long answer = 0;
    const body *b = &s->body;
    const char *why = *s->why ? s->why : curl_easy_strerror(end->code);
    curl_easy_getinfo(s->easy, CURLINFO_RESPONSE_CODE, &answer);
    if (end->status != UNA_OK) return end->status;
    if (b->overflow || end->code == CURLE_FILESIZE_EXCEEDED)
        UNA_FAIL(run, UNA_E_INPUT, "%s sends more than the %zu bytes that are awaited, and was stopped; nothing was "
                 "written; this is not the published file, so try another place with --from URL", w->address, w->most);
    if (end->stalled)
        UNA_FAIL(run, UNA_E_IO, "%s has sent next to nothing for %g seconds (%zu bytes in all) and was given up; "
                 "nothing was written; try again later, or with a larger --patience", w->address, s->patience, b->size);
    if (end->code == CURLE_HTTP_RETURNED_ERROR)
        UNA_FAIL(run, UNA_E_IO, "there is no %s: the server answers %ld; try another place with --from URL", w->address,
                 answer);
    if (end->code == CURLE_TOO_MANY_REDIRECTS)
        UNA_FAIL(run, UNA_E_IO, "%s sends us on from place to place, more than %d times, and was given up; try another "
                 "place with --from URL", w->address, MOST_REDIRECTS);
    if (b->size > 0 || end->code == CURLE_PARTIAL_FILE)
        UNA_FAIL(run, UNA_E_IO, "%s broke off after %zu bytes: %s; nothing was written; try again", w->address, b->size,
                 why);
    UNA_FAIL(run, UNA_E_IO, "cannot fetch %s: %s; look at the network, or try another place with --from URL",
             w->address, why);
}

una_status una_download(unsigned char **bytes, size_t *size, una_server *server, const una_download_request *wanted,
                        una_arena *arena, una_run *run)
{
    *size = 0;
    *bytes = UNA_GET(arena, unsigned char, wanted->most + 1);
    UNA_TRY(una_arena_check(arena));
    server->body = (body){ *bytes, 0, wanted->most, false };
    *server->why = 0;

    outcome end = { CURLE_OUT_OF_MEMORY, false, UNA_OK };
    bool ready = curl_easy_setopt(server->easy, CURLOPT_URL, wanted->address) == CURLE_OK &&
                 curl_easy_setopt(server->easy, CURLOPT_MAXFILESIZE_LARGE, (curl_off_t)wanted->most) == CURLE_OK &&
                 curl_multi_add_handle(server->multi, server->easy) == CURLM_OK;
    if (ready) {
        end = watch_transfer(server, wanted, run);
        curl_multi_remove_handle(server->multi, server->easy);
    }
    if (end.code != CURLE_OK || end.stalled || end.status != UNA_OK) return explain_outcome(server, wanted, &end, run);
    *size = server->body.size;
    return UNA_OK;
}

#else

una_status una_server_open(una_server **server, double patience, una_arena *arena, una_run *run)
{
    (void)patience;
    (void)arena;
    *server = NULL;
    UNA_FAIL(run, UNA_E_USAGE, "this una was built without libcurl and cannot download; fetch the files by hand into a "
             "folder with uci/NAME.csv and uci/splits/NAME.json and give it to 'una data import', or build una anew "
             "with libcurl (Debian: libcurl4-openssl-dev)");
}

void una_server_close(una_server *server)
{
    (void)server;
}

una_status una_download(unsigned char **bytes, size_t *size, una_server *server, const una_download_request *wanted,
                        una_arena *arena, una_run *run)
{
    (void)server;
    (void)arena;
    *bytes = NULL;
    *size = 0;
    UNA_FAIL(run, UNA_E_USAGE, "this una was built without libcurl and cannot fetch %s", wanted->address);
}

#endif
