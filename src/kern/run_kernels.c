/* SPDX-License-Identifier: MIT
 *
 * The kernel set that a run uses.
 */
#include "kern/kern.h"

const char *una_run_kernels(const una_run *run)
{
    const una_kernels_f32 *kernels = una_kernels_named_f32(run->settings.kernels);
    return kernels ? kernels->name : "none";
}

una_status una_kernels_need(una_run *run)
{
    if (una_kernels_named_f32(run->settings.kernels)) return UNA_OK;
    UNA_FAIL(run, UNA_E_USAGE, "this machine has no kernel set '%s'; use auto, generic, avx2 or avx512",
             run->settings.kernels);
}
