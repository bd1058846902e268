/* SPDX-License-Identifier: MIT
 *
 * The library's step in one precision, for test_luna_ways.c. Included once with `real` float and once with double: no
 * guard on purpose.
 */

/* Piece k of a trial's batch: rows, and as many probes; x is laid out anew where probes are rows of their own. */
static REAL(una_batch) REAL(piece_of)(const trial *t, size_t k, size_t pieces, una_run *run)
{
    REAL(una_batch) piece = t->REAL(batch);
    size_t rows = piece.rows, inputs = t->net.size[0], from = k * rows / pieces, count = (k + 1) * rows / pieces - from;
    real *x = UNA_GET(&run->scratch, real, 2 * count * inputs);
    assert_non_null(x);
    memcpy(x, piece.x + from * inputs, count * inputs * sizeof *x);
    if (piece.own_probes)
        memcpy(x + count * inputs, piece.x + (rows + from) * inputs, count * inputs * sizeof *x);
    piece.rows = piece.probes = count;
    piece.x = x;
    piece.target += from;
    piece.delta += from * piece.directions;
    return piece;
}

/* The gradient as doubles, in scratch memory. */
static const double *REAL(gradient)(const trial *t, luna_weights how, const char *set, una_path path, size_t pieces,
                                    una_losses *losses, una_slope_method *way, una_run *run)
{
    const REAL(una_batch) *whole = &t->REAL(batch);
    double n = (double)whole->rows, M = (double)t->net.heads;
    REAL(una_objective) objective = { .fit_weight = 1 / (2 * how.sigma2 * M), .penalty = how.gamma,
                                      .diversity = how.lambda * 2 * n / (M * (M - 1)) };
    size_t most = (whole->rows + pieces - 1) / pieces, count = t->net.parameters;
    una_work_size size = { .rows = most, .probes = most, .directions = whole->directions, .pieces = pieces,
                           .own_probes = whole->own_probes, .path = path };
    REAL(una_work) *work;
    REAL(una_batch) batch[UNA_MOST_PIECES];
    real *gradient = UNA_GET(&run->scratch, real, count);
    double *out = UNA_GET(&run->scratch, double, count);
    assert_ok(una_arena_check(&run->scratch), run);
    assert_ok(REAL(una_work_new)(&work, &t->net, &size, REAL(una_kernels_named)(set), &run->scratch), run);
    *way = REAL(una_work_slope_method)(work);

    for (size_t k = 0; k < pieces; k++) batch[k] = REAL(piece_of)(t, k, pieces, run);
    REAL(una_net_gradient_in_pieces)(work, t->REAL(Psi), batch, &objective, gradient, losses, NULL);
    for (size_t i = 0; i < count; i++) out[i] = (double)gradient[i];
    return out;
}
