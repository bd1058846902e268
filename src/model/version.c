/* SPDX-License-Identifier: MIT
 *
 * How the libraries above libuna check which libuna they are linked with. As shared libraries they carry copies of
 * lower rooms but never of this one: these two calls go to libuna itself, whatever the layout of its structs.
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
