/* SPDX-License-Identifier: MIT
 *
 * JSON of strangers. Jansson takes up to some eighty times the bytes of a text, with an allocator of the whole program
 * that knows no limit; so an upper bound of what it will take is computed first and counted against the limit of the
 * run. No other file calls the readers of Jansson (tools/check_arrows.sh).
 */
#pragma once

#include "base/base.h"

#include <jansson.h>

#define UNA_JSON_SHORT 1000000           /* bytes at most: a point, a space                                     */
#define UNA_JSON_LONG 64000000           /* lists of rows: concepts, splits                                     */
#define UNA_JSON_PARTS 1000000           /* objects, lists and names at most, of either: they are what takes time */

typedef struct una_json_text { const char *at; size_t size, most; const char *origin; } una_json_text;

/* Upper bound of the bytes that Jansson takes, by one pass over the text; and how many objects, lists and names. */
uint64_t una_json_memory(const char *text, size_t size, uint64_t *parts);
/* In the arena, with whose memory it goes. No name may stand twice in an object. Texts longer than 64 KB can be
 * interrupted. After a failure there is no root. */
una_status una_json_read(json_t **root, const una_json_text *text, una_arena *arena);
/* The same for a file of at most UNA_JSON_LONG bytes. */
una_status una_json_read_file(json_t **root, const char *path, una_arena *arena);
