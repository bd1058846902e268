/* SPDX-License-Identifier: MIT
 *
 * What fans_loops.c needs, in plain loops.
 */
static bool copy_fan(size_t lanes, const real *step, real z, const real *u, real *s)
{
    bool crosses = false;
    for (size_t l = 0; l < lanes; l++) {
        s[l] = u[l];
        crosses |= (z + step[l] * u[l] > 0) != (z > 0);
    }
    return crosses;
}

static void fan_product(size_t lanes, const uint16_t *in, const real *a, const real *m, size_t in_step, size_t out_step,
                        const uint16_t *out, real *c)
{
    for (size_t j = 0; j < out[0]; j++, c += lanes) {
        const real *mj = m + UNA_LISTED(out)[j] * out_step;
        for (size_t l = 0; l < lanes; l++) c[l] = 0;
        for (size_t k = 0; k < in[0]; k++) {
            real by = mj[UNA_LISTED(in)[k] * in_step];
            for (size_t l = 0; l < lanes; l++) c[l] += by * a[k * lanes + l];
        }
    }
}

/* Fans of listed units into the columns of a table [directions, n] that is zero elsewhere. */
static void spread_fans(size_t directions, size_t lanes, const uint16_t *list, const real *fans, size_t n, real *flat)
{
    for (size_t i = 0; i < list[0]; i++) {
        real *column = flat + UNA_LISTED(list)[i];
        for (size_t d = 0; d < directions; d++) column[d * n] = fans[i * lanes + d];
    }
}

static void fan_outer(size_t directions, size_t lanes, const uint16_t *rows, const real *a, const uint16_t *columns,
                      const real *b, size_t n, bool lower, real *flat, real *c, size_t c_stride)
{
    (void)lower;
    spread_fans(directions, lanes, columns, b, n, flat += lanes);
    for (size_t i = 0; i < rows[0]; i++) {
        real *ci = c + UNA_LISTED(rows)[i] * c_stride;
        for (size_t d = 0; d < directions; d++) {
            const real by = a[i * lanes + d], *row = flat + d * n;
            for (size_t j = 0; j < n; j++) ci[j] += by * row[j];
        }
    }
    for (size_t i = 0; i < directions * n; i++) flat[i] = 0;
}
