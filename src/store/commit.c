/* SPDX-License-Identifier: MIT
 *
 * What this una was built from; the build writes it in (cmake/Rooms.cmake).
 */
#include "store/key.h"

const char *una_build_commit(void)
{
    return UNA_COMMIT;
}
