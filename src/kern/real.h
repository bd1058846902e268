/* SPDX-License-Identifier: MIT
 *
 * For files that are compiled in both precisions (*_real.c, *_fast.c): which one this is. Include it last, after the
 * headers that declare both.
 */
#pragma once

#if defined(UNA_REAL_f32)
#define real float
#define REAL(name) name##_f32
#define REAL_IS_FLOAT 1
#elif defined(UNA_REAL_f64)
#define real double
#define REAL(name) name##_f64
#define REAL_IS_FLOAT 0
#else
#error "compile with UNA_REAL_f32 or UNA_REAL_f64"
#endif
