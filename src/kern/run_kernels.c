/* SPDX-License-Identifier: MIT
 *
 * The kernel set that a run uses, and the path that its training steps take.
 */
#include "kern/kern.h"

const char *una_run_kernels(const una_run *run)
{
    const una_kernels_f32 *kernels = una_kernels_named_f32(run->settings.kernels);
    return kernels ? kernels->name : "none";
}

una_path una_path_of(const una_run *run)
{
    return run->settings.path && strcmp(run->settings.path, "plain") == 0 ? UNA_PATH_PLAIN : UNA_PATH_AUTO;
}

una_status una_kernels_need(una_run *run)
{
    const char *path = run->settings.path;
    if (!una_kernels_named_f32(run->settings.kernels))
        UNA_FAIL(run, UNA_E_USAGE, "this machine has no kernel set '%s'; use auto, generic, avx2 or avx512",
                 run->settings.kernels);
    if (path && strcmp(path, "auto") != 0 && strcmp(path, "plain") != 0)
        UNA_FAIL(run, UNA_E_USAGE, "there is no path '%s'; use auto or plain", path);
    return UNA_OK;
}
