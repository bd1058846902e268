/* SPDX-License-Identifier: MIT
 *
 * Status codes and their texts, from the one list in una.h.
 */
#include "base/base.h"

const char *una_status_text(una_status status)
{
    switch (status) {
#define UNA_STATUS_CASE(code, number, text) case code: return text;
    UNA_STATUS_LIST(UNA_STATUS_CASE)
#undef UNA_STATUS_CASE
    }
    return "unknown status";
}
