/* SPDX-License-Identifier: MIT
 *
 * Distances as a product of matrices, in doubles with whole numbers: exact. LIBSVM gets one problem of two classes
 * at a time, because its format for precomputed kernels takes sixteen bytes per pair of rows.
 */
#include "bayesopt/svm.h"

#include "kern/kern.h"

static const double byte_pairs_to_one = 1.0 / 65536;

/* ---- distances ----------------------------------------------------------------------------------------------- */

enum { STRIP = 64 };                     /* rows of the product at a time */

typedef struct measuring {
    size_t                 rows, columns, stride;
    const double          *x;            /* [rows, columns]                                                         */
    const double          *turned;       /* [columns, stride] its transpose                                         */
    const double          *square;       /* [rows] |x|^2                                                            */
    uint32_t              *distance;
    const una_kernels_f64 *kern;
} measuring;

static una_status measure_strip(void *context, size_t strip, una_run *run)
{
    const measuring *m = context;
    size_t from = strip * STRIP, count = m->rows - from < STRIP ? m->rows - from : STRIP;
    UNA_NEW(&run->scratch, double, dots, STRIP * m->stride);
    m->kern->product(count, m->stride, m->columns, UNA_ROWS(m->x + from * m->columns, m->columns),
                     UNA_ROWS(m->turned, m->stride), UNA_INTO(dots, m->stride));
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < m->rows; j++)
            m->distance[(from + i) * m->rows + j] =
                (uint32_t)(m->square[from + i] + m->square[j] - 2 * dots[i * m->stride + j]);
    return UNA_OK;
}

static una_status measure_all(measuring *m, const unsigned char *bytes, una_run *run)
{
    una_arena *arena = &run->scratch;
    double *x = UNA_GET(arena, double, m->rows * m->columns), *square = UNA_GET(arena, double, m->rows);
    UNA_NEW(arena, double, turned, m->columns * m->stride);
    for (size_t i = 0; i < m->rows * m->columns; i++) x[i] = bytes[i];
    for (size_t r = 0; r < m->rows; r++)
        for (size_t c = 0; c < m->columns; c++) {
            double value = x[r * m->columns + c];
            square[r] += value * value;
            turned[c * m->stride + r] = value;
        }
    m->x = x, m->turned = turned, m->square = square;
    return una_pool(run, (m->rows + STRIP - 1) / STRIP, measure_strip, m);
}

una_status una_svm_measure(una_svm_rows *rows, const unsigned char *bytes, size_t columns, una_arena *arena,
                           una_run *run)
{
    UNA_NEW(arena, uint32_t, distance, rows->rows * rows->rows);
    measuring m = { .rows = rows->rows, .columns = columns, .stride = UNA_PADDED(rows->rows), .distance = distance,
                    .kern = una_kernels_named_f64(run->settings.kernels) };
    UNA_SCOPED(run, measure_all(&m, bytes, run));
    rows->distance = distance;
    return UNA_OK;
}

/* ---- machines ------------------------------------------------------------------------------------------------ */

#ifdef UNA_HAS_libsvm

#include <libsvm/svm.h>

const bool una_svm_is_there = true;

typedef struct machine {                 /* of two classes                                                          */
    const una_svm_rows *rows;
    const una_svm_settings *how;
    size_t             *member, count;   /* rows that train it, those of the first class first                      */
    size_t              first_count;
    struct svm_node    *nodes, **row;    /* [count, count + 2] kernel, and where its rows begin                      */
    struct svm_node    *asked;           /* [count + 2] kernel between a row to classify and the members             */
    double             *y, *buffer;      /* [padded count]                                                          */
    const una_kernels_f64 *kern;
} machine;

static void keep_quiet(const char *words) { (void)words; }

static void choose_members(machine *m, unsigned char first, unsigned char second)
{
    size_t train = m->how->train;
    m->count = 0;
    for (size_t i = 0; i < train; i++)
        if (m->rows->label[i] == first) m->member[m->count++] = i;
    m->first_count = m->count;
    for (size_t i = 0; i < train; i++)
        if (m->rows->label[i] == second) m->member[m->count++] = i;
    for (size_t i = 0; i < m->count; i++) m->y[i] = i < m->first_count ? 1 : -1;
}

/* LIBSVM's form: number of the row (from 1), its kernel with rows 1, 2 ..., end. */
static void write_kernel(struct svm_node *nodes, const machine *m, size_t row, size_t number)
{
    const uint32_t *distance = m->rows->distance + row * m->rows->rows;
    for (size_t j = 0; j < m->count; j++) m->buffer[j] = distance[m->member[j]];
    m->kern->pairs->exp(UNA_PADDED(m->count), -m->how->gamma * byte_pairs_to_one, m->buffer, 1, m->buffer);
    nodes[0] = (struct svm_node){ 0, (double)number };
    for (size_t j = 0; j < m->count; j++) nodes[j + 1] = (struct svm_node){ (int)j + 1, m->buffer[j] };
    nodes[m->count + 1] = (struct svm_node){ -1, 0 };
}

static una_status train_machine(struct svm_model **model, machine *m, una_run *run)
{
    struct svm_problem problem = { .l = (int)m->count, .y = m->y, .x = m->row };
    struct svm_parameter how = { .svm_type = C_SVC, .kernel_type = PRECOMPUTED, .C = m->how->c, .cache_size = 100,
                                 .eps = 1e-3, .shrinking = 1 };
    for (size_t i = 0; i < m->count; i++) {
        m->row[i] = m->nodes + i * (m->count + 2);
        write_kernel(m->row[i], m, m->member[i], i + 1);
    }
    const char *wrong = svm_check_parameter(&problem, &how);
    if (wrong) UNA_FAIL(run, UNA_E_USAGE, "LIBSVM does not take these settings: %s", wrong);
    svm_set_print_string_function(keep_quiet);
    *model = svm_train(&problem, &how);
    if (!*model) UNA_FAIL(run, UNA_E_MEMORY, "LIBSVM found no memory for its machine");
    return UNA_OK;
}

static una_status svm_vote(unsigned *votes, machine *m, size_t first, size_t second, una_run *run)
{
    const una_svm_rows *rows = m->rows;
    struct svm_model *model = NULL;
    if (una_cancelled(run)) UNA_FAIL(run, UNA_CANCELLED, "interrupted in support vector machines");
    choose_members(m, rows->class_label[first], rows->class_label[second]);
    UNA_TRY(train_machine(&model, m, run));
    for (size_t i = 0; i < m->how->asked; i++) {
        double decision = 0;
        write_kernel(m->asked, m, m->how->train + i, 0);
        svm_predict_values(model, m->asked, &decision);
        votes[i * rows->classes + (decision > 0 ? first : second)]++;
    }
    svm_free_and_destroy_model(&model);
    return UNA_OK;
}

/* Rows in the two largest classes that train: an upper bound on the rows of a machine. */
static size_t most_members(const una_svm_rows *rows, size_t train)
{
    size_t count[256] = {0}, first = 0, second = 0;
    for (size_t i = 0; i < train; i++) count[rows->label[i]]++;
    for (size_t i = 0; i < 256; i++) {
        if (count[i] > first) second = first, first = count[i];
        else if (count[i] > second) second = count[i];
    }
    return first + second;
}

static una_status svm_make_room(machine *m, una_arena *arena)
{
    size_t most = most_members(m->rows, m->how->train);
    m->member = UNA_GET(arena, size_t, most);
    m->nodes = UNA_GET(arena, struct svm_node, most * (most + 2));
    m->row = UNA_GET(arena, struct svm_node *, most);
    m->asked = UNA_GET(arena, struct svm_node, most + 2);
    m->y = UNA_GET(arena, double, most);
    m->buffer = UNA_GET(arena, double, UNA_PADDED(most));
    return una_arena_check(arena);
}

una_status una_svm_predict(unsigned char *predicted, const una_svm_rows *rows, const una_svm_settings *settings,
                           una_run *run)
{
    machine m = { .rows = rows, .how = settings, .kern = una_kernels_named_f64(run->settings.kernels) };
    size_t classes = rows->classes;
    UNA_NEW(&run->scratch, unsigned, votes, settings->asked * classes);
    UNA_TRY(svm_make_room(&m, &run->scratch));
    for (size_t a = 0; a < classes; a++)
        for (size_t b = a + 1; b < classes; b++) UNA_TRY(svm_vote(votes, &m, a, b, run));
    for (size_t i = 0; i < settings->asked; i++) {
        size_t best = 0;
        for (size_t c = 1; c < classes; c++)
            if (votes[i * classes + c] > votes[i * classes + best]) best = c;
        predicted[i] = rows->class_label[best];
    }
    return UNA_OK;
}

#else

const bool una_svm_is_there = false;

una_status una_svm_predict(unsigned char *predicted, const una_svm_rows *rows, const una_svm_settings *settings,
                           una_run *run)
{
    (void)predicted, (void)rows, (void)settings;
    UNA_FAIL(run, UNA_E_INPUT, "this una was built without LIBSVM: install libsvm-dev and build it again");
}

#endif

una_status una_svm_error(double *percent, const una_svm_rows *rows, const una_svm_settings *settings, una_run *run)
{
    size_t wrong = 0;
    UNA_NEW(&run->scratch, unsigned char, predicted, settings->asked);
    UNA_TRY(una_svm_predict(predicted, rows, settings, run));
    for (size_t i = 0; i < settings->asked; i++) wrong += predicted[i] != rows->label[settings->train + i];
    *percent = 100 * (double)wrong / (double)settings->asked;
    return UNA_OK;
}
