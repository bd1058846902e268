/* SPDX-License-Identifier: MIT
 *
 * How the libraries above libuna learn which libuna they have met, and say so. Shared, they carry copies of lower rooms
 * but never of this one: these two calls go to libuna itself, whatever the shape of its structs.
 */
#include "base/base.h"

const char *una_version(void)
{
    return UNA_VERSION;
}

una_status una_run_fail(una_run *run, una_status status, const char *sentence)
{
    return una_fail(run, status, "%s", sentence);
}
