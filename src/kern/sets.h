/* SPDX-License-Identifier: MIT
 *
 * The kernel sets that were compiled; choose_real.c chooses among them at run time. For files that are compiled once per
 * set (*_fast.c, *_loops.c, and kern_real.c for the generic one): which one this is, in which precision.
 */
#pragma once

#include "kern/kern.h"

#include "kern/real.h"

extern const REAL(una_kernels) REAL(una_kernels_generic), REAL(una_kernels_avx2), REAL(una_kernels_avx512);

#if defined(UNA_ISA_avx512)
#define SET(name) REAL(name##_avx512)
#define SET_NAME "avx512"
#define SET_IS_FAST 1
#elif defined(UNA_ISA_avx2)
#define SET(name) REAL(name##_avx2)
#define SET_NAME "avx2"
#define SET_IS_FAST 1
#else
#define SET(name) REAL(name##_generic)
#define SET_NAME "generic"
#define SET_IS_FAST 0
#endif

#define UNA_SET_TABLE(family) extern const REAL(una_##family##_kernels) SET(una_##family##_kernels);
UNA_KERNEL_FAMILIES(UNA_SET_TABLE)

/* How una_kernels of this set begins. */
#define UNA_SET_HEAD(family) .family = &SET(una_##family##_kernels),
#define SET_HEAD .name = SET_NAME, UNA_KERNEL_FAMILIES(UNA_SET_HEAD)
