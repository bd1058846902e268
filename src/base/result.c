/* SPDX-License-Identifier: MIT
 *
 * Structs for callers; their arena lies before them.
 */
#include "base/base.h"

typedef struct head { una_arena keep; una_run *run; } head;

void *una_result_new(una_arena **keep, size_t size, una_run *run)
{
    head *h = una_allocate(run, sizeof *h + size);
    if (!h) return NULL;
    memset(h, 0, sizeof *h + size);
    h->run = run;
    una_arena_init(&h->keep, run);
    *keep = &h->keep;
    return h + 1;
}

void una_result_free(void *result)
{
    if (!result) return;
    head *h = (head *)result - 1;
    una_run *run = h->run;
    una_arena_free(&h->keep);
    una_release(run, h);
}

void *una_result_if(una_status status, void *result)
{
    if (status == UNA_OK) return result;
    una_result_free(result);
    return NULL;
}
