/* SPDX-License-Identifier: MIT
 *
 * Ranks that make one call together, each with rows of its own: what they add up, and failures, which all of them meet.
 * Between una_company_enter and una_company_leave every rank asks for the same sums, in the same order. A rank that
 * fails goes to una_company_leave, wherever the others are, and takes its sentence there: what they ask for next fails
 * with that sentence, and so does everything after it. So nobody waits for a rank that has given up, and a failure may
 * be looked at late (una_company_check).
 * Alone, or outside of such a call, nothing is sent and every sum is what it was.
 */
#ifndef UNA_COMPANY_H
#define UNA_COMPANY_H

#include "base/ranks.h"

typedef struct una_company {
    una_status status;           /* sticky: of the first failure, and its sentence                  */
    char       message[sizeof((una_run *)0)->message];
} una_company;

/* From here on the run has company, if its settings have ranks. A call inside of such a call is part of it. */
void       una_company_enter(una_company *company, una_run *run);
/* The call is over, with `status` here: gives the status of all, with its sentence. */
una_status una_company_leave(una_company *company, una_status status, una_run *run);

size_t     una_company_count(const una_run *run);        /* ranks that make this call; 1: alone     */
size_t     una_company_rank(const una_run *run);
una_status una_company_check(una_run *run);              /* of everything that was asked for so far */
/* A failure here, after which this rank goes on for a while: the others meet it where they are, and nothing is added up
 * any more. Gives the status of all; UNA_OK tells nothing. */
una_status una_company_tell(una_status mine, una_run *run);

/* In place, over all ranks, with the same bits everywhere (base/ranks.h). After a failure values are of no use. */
una_status una_company_sum_f64(double *values, size_t count, una_run *run);
una_status una_company_sum_f32(float *values, size_t count, una_run *run);
size_t     una_company_sum_size(size_t value, una_run *run);
bool       una_company_any(bool value, una_run *run);
double     una_company_most(double value, una_run *run);
/* all [count of ranks]: what each has. */
una_status una_company_each(size_t *all, size_t mine, una_run *run);
/* Bytes of all ranks, one rank's behind the other's. */
una_status una_company_gather(unsigned char **all, size_t *size, const void *mine, size_t mine_size, una_arena *arena,
                              una_run *run);

#endif
