/* SPDX-License-Identifier: MIT
 *
 * The folder that results go to.
 */
#include "store/folder.h"

#include <errno.h>
#include <sys/stat.h>

/* What stands in the place of a folder, in words; NULL: nothing, or the folder. */
static const char *obstacle(const char *folder)
{
    struct stat about;
    if (stat(folder, &about) == 0) return S_ISDIR(about.st_mode) ? NULL : "it is not a folder but a file";
    if (errno == ENOTDIR) return "a part of its name is not a folder but a file";
    if (lstat(folder, &about) == 0) return "it is a link that leads nowhere";
    return NULL;
}

una_status una_folder_check(const char *folder, una_run *run)
{
    if (!*folder) UNA_FAIL(run, UNA_E_USAGE, "the folder of the results has no name; give one, or leave it out");
    const char *why = obstacle(folder);
    if (why)
        UNA_FAIL(run, UNA_E_IO, "%s cannot be the folder of the results: %s; choose another one", folder, why);
    return UNA_OK;
}

una_status una_folder_make(const char *folder, una_run *run)
{
    UNA_TRY(una_folder_check(folder, run));
    if (mkdir(folder, 0777) == 0) {
        una_name_sync(folder);           /* or all that is acknowledged in it would go with it */
        return UNA_OK;
    }
    if (errno == EEXIST) return UNA_OK;
    if (errno == ENOENT)
        UNA_FAIL(run, UNA_E_IO, "cannot make the folder %s: the folder that it would be in is not there; make that one "
                 "first, or choose another one for the results", folder);
    UNA_FAIL(run, UNA_E_IO, "cannot make the folder %s: %s; choose another one for the results", folder,
             strerror(errno));
}
