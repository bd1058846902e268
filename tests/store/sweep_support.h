/* SPDX-License-Identifier: MIT
 *
 * Made-up kinds in place of the registry, and made-up rows.
 */
#ifndef UNA_SWEEP_SUPPORT_H
#define UNA_SWEEP_SUPPORT_H

#include "test_support.h"

#include "model/kind.h"
#include "store/worker.h"

typedef struct plain_options { double height; const char *of, *kernel; } plain_options;

static const una_option plain_table[] = {
    { "height", UNA_REAL, offsetof(plain_options, height), "1", -1e9, 1e9, false, NULL, "of nothing" },
    { "of", UNA_TEXT, offsetof(plain_options, of), "old", 0, 0, false, NULL, "inside" },
    { "kernel", UNA_TEXT, offsetof(plain_options, kernel), "", 0, 0, false, NULL, "a text" },
    { .name = NULL }
};

/* Kinds are not fitted here: only their names, options and numbers of results count. */
#define PLAIN(its_name, changes, within) { .name = its_name, .summary = "", .source = "", .options = plain_table, \
    .options_size = sizeof(plain_options), .thesis = "", .results = changes, .spec_options = within }
static const una_kind new_kind = PLAIN("new", 0, NULL), old_kind = PLAIN("old", 2, NULL);
static const una_kind group_kind = PLAIN("group", 1, "of");
const una_kind *const una_kinds[] = { &new_kind, &old_kind, &group_kind, NULL };

static const char *const two_names[] = { "a", "b" };

/* value [2] */
static inline una_row row_of(const char *study, const char *spec, uint64_t seed, const double *value)
{
    return (una_row){ .key = { study, "data", 3, spec, seed, 1 }, .measure = two_names, .value = value, .count = 2,
                      .options = "new(height=1)", .kernels = "k", .commit = "abc", .seconds = 0.5 };
}

/* added and result may be NULL. */
static inline una_status put_rows(una_store *store, const una_row *rows, size_t count, bool replace, size_t *added,
                                  una_put_result *result, una_run *run)
{
    una_put_result put;
    una_status status = una_store_put(store, rows, count, replace, &put, run);
    if (added) *added = put.added;
    if (result) *result = put;
    return status;
}

#endif
