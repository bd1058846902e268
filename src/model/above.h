/* SPDX-License-Identifier: MIT
 *
 * For the libraries above libuna (libuna_report, libuna_study, libuna_bench). They know the inside of its structs, so
 * they work with the version that they were built with and with no other.
 */
#pragma once

#include "base/base.h"

/* First in every public call of such a library: touches nothing of `run` unless the versions agree. */
static inline una_status una_version_check(const char *library, una_run *run)
{
    char sentence[256];
    if (strcmp(una_version(), UNA_VERSION) == 0) return UNA_OK;

    snprintf(sentence, sizeof sentence, "%s was built with libuna " UNA_VERSION " and has met libuna %.20s; install the"
             " two from one build", library, una_version());
    return una_run_fail(run, UNA_E_USAGE, sentence);
}

/* What a call makes on its way lasts as long as the memory of the arena; also after a failure. */
static inline void una_end_model(void *model) { una_model_free(model); }
static inline void una_end_dataset(void *data) { una_dataset_free(data); }
static inline una_status una_keep_model(una_arena *arena, una_model *model)
{
    return una_arena_at_end(arena, una_end_model, model);
}
static inline una_status una_keep_dataset(una_arena *arena, una_dataset *data)
{
    return una_arena_at_end(arena, una_end_dataset, data);
}
