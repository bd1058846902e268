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

static void fan_product(size_t lanes, REAL(una_fans) in, REAL(una_factor) m, const uint16_t *out, real *c)
{
    for (size_t j = 0; j < out[0]; j++, c += lanes) {
        const real *mj = m.at + UNA_LISTED(out)[j] * m.col;
        for (size_t l = 0; l < lanes; l++) c[l] = 0;
        for (size_t k = 0; k < in.list[0]; k++) {
            real by = mj[UNA_LISTED(in.list)[k] * m.row];
            for (size_t l = 0; l < lanes; l++) c[l] += by * in.at[k * lanes + l];
        }
    }
}

/* Fans of listed units into the columns of a table [directions, n] that is zero elsewhere. */
static void spread_fans(size_t directions, REAL(una_fans) fans, size_t n, real *flat)
{
    for (size_t i = 0; i < fans.list[0]; i++) {
        real *column = flat + UNA_LISTED(fans.list)[i];
        for (size_t d = 0; d < directions; d++) column[d * n] = fans.at[i * UNA_PADDED(directions) + d];
    }
}

static void fan_outer(size_t directions, REAL(una_fans) rows, REAL(una_fans) columns, size_t n, bool lower, real *flat,
                      real *c)
{
    const size_t lanes = UNA_PADDED(directions);
    (void)lower;
    spread_fans(directions, columns, n, flat += lanes);
    for (size_t i = 0; i < rows.list[0]; i++) {
        real *ci = c + UNA_LISTED(rows.list)[i] * n;
        for (size_t d = 0; d < directions; d++) {
            const real by = rows.at[i * lanes + d], *row = flat + d * n;
            for (size_t j = 0; j < n; j++) ci[j] += by * row[j];
        }
    }
    for (size_t i = 0; i < directions * n; i++) flat[i] = 0;
}
