/* SPDX-License-Identifier: MIT
 *
 * The folder that results go to.
 */
#ifndef UNA_FOLDER_H
#define UNA_FOLDER_H

#include "base/base.h"

/* UNA_E_USAGE: it has no name; UNA_E_IO: something else is in its place. One that is not there is right. */
una_status una_folder_check(const char *folder, una_run *run);
/* The same, and makes it where it is not there. */
una_status una_folder_make(const char *folder, una_run *run);

#endif
