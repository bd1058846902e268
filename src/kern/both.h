/* SPDX-License-Identifier: MIT
 *
 * Includes the header named by UNA_IN_BOTH twice, with `real` float and REAL(name) name_f32, then double and name_f64.
 * What that header declares is there in both precisions. No guard on purpose.
 */
#define real float
#define REAL(name) name##_f32
#include UNA_IN_BOTH
#undef real
#undef REAL
#define real double
#define REAL(name) name##_f64
#include UNA_IN_BOTH
#undef real
#undef REAL
#undef UNA_IN_BOTH
