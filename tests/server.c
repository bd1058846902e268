/* SPDX-License-Identifier: MIT
 *
 * A server on this machine alone that behaves as badly as asked, for tests of downloads:
 *   server FOLDER    prints its port, then serves files of the folder until it is ended, two minutes at most
 * The first part of a path says how /WAY/FILE is served:
 *   good      as it is                          part      half of it, then the connection ends
 *   wrong     with one letter changed           endless   it, and then letters without end
 *   huge      as a file of a terabyte           drip      a letter now and then
 *   silent    nothing is ever said              away      sent on to /good/FILE
 *   round     sent on to itself                 local     sent on to a file of the machine
 * Anything else, and files that are not there: 404.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { LIFE = 120 };

typedef struct file { char *at; size_t size; } file;

static file read_file(const char *folder, const char *name)
{
    char path[4096];
    file all = { NULL, 0 };
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *stream = strstr(name, "..") ? NULL : fopen(path, "rb");
    if (!stream || fseek(stream, 0, SEEK_END) != 0) return all;
    long size = ftell(stream);
    rewind(stream);
    all.at = malloc((size_t)size + 1);
    if (all.at) all.size = fread(all.at, 1, (size_t)size, stream);
    fclose(stream);
    return all;
}

static int send_all(int to, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t sent = send(to, bytes, size, MSG_NOSIGNAL);
        if (sent <= 0) return 0;
        bytes += sent;
        size -= (size_t)sent;
    }
    return 1;
}

static void send_head(int to, const char *status, const char *more, long long size)
{
    char head[4500], length[64] = "";
    if (size >= 0) snprintf(length, sizeof length, "Content-Length: %lld\r\n", size);
    snprintf(head, sizeof head, "HTTP/1.1 %s\r\n%s%sConnection: close\r\n\r\n", status, more, length);
    send_all(to, head, strlen(head));
}

static void send_on(int to, const char *goal)
{
    char where[4400];
    snprintf(where, sizeof where, "Location: %s\r\n", goal);
    send_head(to, "302 Found", where, 0);
}

static void drip(int to, const file *f)
{
    struct timespec rest = { 0, 20000000 };
    for (size_t i = 0; i < f->size && send_all(to, f->at + i, 1); i++) nanosleep(&rest, NULL);
}

static void serve_file(int to, const char *way, file *f)
{
    if (strcmp(way, "wrong") == 0) f->at[f->size / 2] ^= 1;
    if (strcmp(way, "endless") == 0) {
        char letters[4096];
        memset(letters, 'x', sizeof letters);
        send_head(to, "200 OK", "", -1);
        send_all(to, f->at, f->size);
        while (send_all(to, letters, sizeof letters)) continue;
        return;
    }
    send_head(to, "200 OK", "", strcmp(way, "huge") == 0 ? 1LL << 40 : (long long)f->size);
    if (strcmp(way, "drip") == 0) drip(to, f);
    else send_all(to, f->at, strcmp(way, "part") == 0 ? f->size / 2 : f->size);
}

static void serve(int to, const char *folder)
{
    static const char *const ways[] = { "good", "part", "wrong", "endless", "huge", "drip" };
    char request[4096] = "", way[32] = "", name[2048] = "", goal[2200];
    size_t used = 0;
    while (used + 1 < sizeof request && !strstr(request, "\r\n\r\n")) {
        ssize_t got = recv(to, request + used, sizeof request - 1 - used, 0);
        if (got <= 0) return;
        used += (size_t)got;
    }
    if (sscanf(request, "GET /%31[^/ ]/%2047[^ ]", way, name) != 2) *way = 0;
    if (strcmp(way, "silent") == 0) sleep(LIFE);
    snprintf(goal, sizeof goal, "/%s/%s", strcmp(way, "away") == 0 ? "good" : "round", name);
    if (strcmp(way, "away") == 0 || strcmp(way, "round") == 0) send_on(to, goal);
    if (strcmp(way, "local") == 0) send_on(to, "file:///etc/hostname");

    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        if (strcmp(way, ways[i]) != 0) continue;
        file f = read_file(folder, name);
        if (!f.at) break;
        serve_file(to, way, &f);
        free(f.at);
        return;
    }
    send_head(to, "404 Not Found", "", 0);
}

int main(int count, char **arguments)
{
    struct sockaddr_in place = { .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t size = sizeof place;
    int door = socket(AF_INET, SOCK_STREAM, 0);
    if (count != 2 || door < 0 || bind(door, (struct sockaddr *)&place, sizeof place) != 0 || listen(door, 64) != 0 ||
        getsockname(door, (struct sockaddr *)&place, &size) != 0) {
        fprintf(stderr, "server: give a folder; it needs a port of this machine\n");
        return 1;
    }
    signal(SIGCHLD, SIG_IGN);
    alarm(LIFE);
    printf("%d\n", ntohs(place.sin_port));
    fclose(stdout);
    for (;;) {
        int guest = accept(door, NULL, NULL);
        if (guest < 0) continue;
        if (fork() == 0) {
            alarm(LIFE);
            close(door);
            serve(guest, arguments[1]);
            shutdown(guest, SHUT_RDWR);
            _exit(0);
        }
        close(guest);
    }
}
