/* SPDX-License-Identifier: MIT
 *
 * See libpq.h.
 */
#include "store/libpq.h"

#define SYMBOL(result, name, ...) UNA_SYMBOL(una_libpq, name),

static const una_symbol symbols[] = { UNA_LIBPQ_CALLS(SYMBOL) };

const una_library una_libpq_library = { "libpq.so.5", "databases on a server of PostgreSQL", "libpq5", symbols,
                                        UNA_COUNT_OF(symbols) };
