/* SPDX-License-Identifier: MIT
 *
 * The kernel sets that were compiled, each in both precisions; choose_real.c chooses among them at run time. For files
 * that are compiled once per set (*_fast.c, *_loops.c, and kern_real.c for the generic one): which one this is.
 */
#ifndef UNA_SETS_H
#define UNA_SETS_H

#include "kern/kern.h"

#define UNA_SET_TABLES(set, real)                                          \
    extern const una_kernels_##real una_kernels_##set##_##real;            \
    extern const una_slopes_kernels_##real una_slopes_kernels_##set##_##real; \
    extern const una_fans_kernels_##real una_fans_kernels_##set##_##real;  \
    extern const una_line_kernels_##real una_line_kernels_##set##_##real;  \
    extern const una_pairs_kernels_##real una_pairs_kernels_##set##_##real; \
    extern const una_density_kernels_##real una_density_kernels_##set##_##real; \
    extern const una_sparse_kernels_##real una_sparse_kernels_##set##_##real; \
    extern const una_channels_kernels_##real una_channels_kernels_##set##_##real;

UNA_SET_TABLES(generic, f32)
UNA_SET_TABLES(generic, f64)
#ifdef UNA_HAS_avx2
UNA_SET_TABLES(avx2, f32)
UNA_SET_TABLES(avx2, f64)
#endif
#ifdef UNA_HAS_avx512
UNA_SET_TABLES(avx512, f32)
UNA_SET_TABLES(avx512, f64)
#endif

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

/* How una_kernels of this set begins. */
#define SET_HEAD                                                                                                      \
    .name = SET_NAME, .slopes = &SET(una_slopes_kernels), .fans = &SET(una_fans_kernels),                             \
    .line = &SET(una_line_kernels), .pairs = &SET(una_pairs_kernels), .density = &SET(una_density_kernels),             \
    .sparse = &SET(una_sparse_kernels), .channels = &SET(una_channels_kernels)

#endif
