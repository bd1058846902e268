/* SPDX-License-Identifier: MIT
 *
 * The kernel sets that were compiled; choose_real.c chooses among them at run time.
 */
#ifndef UNA_SETS_H
#define UNA_SETS_H

#include "kern/kern.h"

extern const una_kernels_f32 una_kernels_generic_f32;
extern const una_kernels_f64 una_kernels_generic_f64;
#ifdef UNA_HAS_avx2
extern const una_kernels_f32 una_kernels_avx2_f32;
extern const una_kernels_f64 una_kernels_avx2_f64;
#endif
#ifdef UNA_HAS_avx512
extern const una_kernels_f32 una_kernels_avx512_f32;
extern const una_kernels_f64 una_kernels_avx512_f64;
#endif

#endif
