/* SPDX-License-Identifier: MIT
 *
 * The folder that results go to.
 */
#pragma once

#include "base/base.h"

/* UNA_E_USAGE: the name is empty; UNA_E_IO: something else has this name. A folder that does not exist is fine. */
una_status una_folder_check(const char *folder, una_run *run);
/* The same, and makes the folder if it does not exist. */
una_status una_folder_make(const char *folder, una_run *run);
