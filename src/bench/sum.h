/* SPDX-License-Identifier: MIT
 *
 * A 64-bit sum of bytes, by which keys of results know the files of their data: results/ holds such keys, so it stays
 * as it is. It notices accidents, and is no defence against somebody who wants two files with one sum.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef struct una_sum { uint64_t lane[4]; } una_sum;

una_sum  una_sum_begin(void);
/* size is a multiple of 8, and of 32 in all calls but the last. */
void     una_sum_add(una_sum *sum, const void *bytes, size_t size);
uint64_t una_sum_end(const una_sum *sum);
