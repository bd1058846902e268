/* SPDX-License-Identifier: MIT
 *
 * tanh of eight doubles, to 4 ulp, in half the time of the plain loop: with m = exp(2x) - 1 it is m/(2 + m), and
 *   exp 2x = 2^e 2^(k/16) exp r,  |r| <= ln 2 / 32,
 * where 2^(k/16) stands in two registers, from which a permutation takes it, so that a short series is enough. m is
 * kept apart from 1 so that nothing cancels: m = p (exp r - 1) + (p - 1) with p = 2^e 2^(k/16). Included by
 * elementwise.h.
 */
#include <immintrin.h>

static const double power_of_two[16] = {         /* 2^(k/16) */
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0 };
static const double power_rest[16] = {           /* what its rounding took away, as a share of it */
    0x0.0p+0,              0x1.79aa65d837b6cp-54, -0x1.01b15eaa59348p-55, 0x1.68efde3a8a893p-54,
    0x1.34d754db0abb6p-55, 0x1.59f48a72a4c6cp-55, 0x1.690cebb7aafb0p-56,  0x1.063e1e21c5409p-54,
    -0x1.3b3efbf5e2229p-54, -0x1.b32dcb94da51dp-56, 0x1.db72fc1f0eab4p-55, 0x1.1affc2b91ce27p-56,
    0x1.c1a7792cb3386p-55, 0x1.36eae30af0cb3p-56, 0x1.4a385a63d07a7p-56,  -0x1.ff7128fd391f1p-55 };

static inline __m512d tanh_eight(__m512d x)
{
    const __m512d one = _mm512_set1_pd(1), most = _mm512_set1_pd(42), shift = _mm512_set1_pd(0x1.8p52);
    __m512d c = _mm512_max_pd(_mm512_set1_pd(-42), _mm512_min_pd(most, _mm512_add_pd(x, x)));    /* NAN stays */
    __m512d shifted = _mm512_fmadd_pd(c, _mm512_set1_pd(23.0831206542234145177), shift);
    __m512d n = _mm512_sub_pd(shifted, shift);
    __m512d r = _mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.62e42fefp-5), c);
    r = _mm512_fnmadd_pd(n, _mm512_set1_pd(0x1.473de6af278edp-38), r);

    __m512i low = _mm512_castpd_si512(shifted);          /* its last four bits are k, those above them e */
    __m512d part = _mm512_permutex2var_pd(_mm512_loadu_pd(power_of_two), low, _mm512_loadu_pd(power_of_two + 8));
    __m512d rest = _mm512_permutex2var_pd(_mm512_loadu_pd(power_rest), low, _mm512_loadu_pd(power_rest + 8));
    __m512i e = _mm512_slli_epi64(_mm512_srli_epi64(low, 4), 52);
    __m512d power = _mm512_castsi512_pd(_mm512_add_epi64(_mm512_castpd_si512(part), e));

    __m512d series = _mm512_set1_pd(1 / 5040.0);
    series = _mm512_fmadd_pd(series, r, _mm512_set1_pd(1 / 720.0));
    series = _mm512_fmadd_pd(series, r, _mm512_set1_pd(1 / 120.0));
    series = _mm512_fmadd_pd(series, r, _mm512_set1_pd(1 / 24.0));
    series = _mm512_fmadd_pd(series, r, _mm512_set1_pd(1 / 6.0));
    series = _mm512_fmadd_pd(series, r, _mm512_set1_pd(0.5));
    series = _mm512_fmadd_pd(_mm512_mul_pd(series, r), r, _mm512_add_pd(r, rest));

    __m512d m = _mm512_fmadd_pd(power, series, _mm512_sub_pd(power, one));
    return _mm512_div_pd(m, _mm512_add_pd(m, _mm512_set1_pd(2)));
}
