/* SPDX-License-Identifier: MIT
 *
 * Lists of names with commas between, as options of experiments have them.
 */
#include "bench/experiment.h"

const char *una_next_item(const char *list, size_t *length)
{
    list += strspn(list, ", ");
    *length = strcspn(list, ",");
    while (*length > 0 && list[*length - 1] == ' ') (*length)--;
    return *list ? list : NULL;
}

bool una_is_item(const char *item, size_t length, const char *name)
{
    return strlen(name) == length && memcmp(item, name, length) == 0;
}

bool una_list_has(const char *list, const char *name)
{
    size_t length;
    for (const char *item = list; (item = una_next_item(item, &length)); item += length)
        if (una_is_item(item, length, name)) return true;
    return false;
}

const char *una_unknown_item(const char *list, size_t *length, const char *const *names)
{
    for (const char *item = list; (item = una_next_item(item, length)); item += *length) {
        size_t n = 0;
        while (names[n] && !una_is_item(item, *length, names[n])) n++;
        if (!names[n]) return item;
    }
    return NULL;
}
