/* SPDX-License-Identifier: MIT
 *
 * Tasks: their spaces, the MNIST data of two of them, and a cache of evaluations.
 */
#include "bayesopt/bayesopt_tasks.h"

#include "base/archive.h"
#include "bayesopt/softmax.h"
#include "bench/sum.h"
#include "bayesopt/svm.h"
#include "bo/functions.h"
#include "draw/number.h"
#include "read/idx.h"

#include <inttypes.h>
#include <pthread.h>
#include <unistd.h>

enum { FILES = 4, TRAIN_IMAGES = 0, TRAIN_LABELS, TEST_IMAGES, TEST_LABELS };
static const char *const file_names[FILES] = { "train-images-idx3-ubyte", "train-labels-idx1-ubyte",
                                               "t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte" };

enum { SUBSET_CLASSES = 4, TRAIN_EACH = 1000, OTHER_EACH = 250 };        /* rows of a class */
enum { SUBSET_TRAIN = SUBSET_CLASSES * TRAIN_EACH, SUBSET_OTHER = SUBSET_CLASSES * OTHER_EACH,
       SUBSET = SUBSET_TRAIN + 2 * SUBSET_OTHER };
static const unsigned char subset_digits[SUBSET_CLASSES] = { 1, 5, 8, 9 };
enum { VALID = 10000, EPOCHS = 100, DATA_SEED = 0, TASK_RESULTS = 1 };

#define REAL(name, low, high) "\"" name "\": {\"type\": \"real\", \"low\": " #low ", \"high\": " #high "}"
#define UNIT(name) REAL(name, 0, 1)
#define BATCH "\"batch\": {\"type\": \"integer\", \"low\": 20, \"high\": 2000}"
const una_task_kind una_task_kinds[] = {
    { "branin", "{" REAL("x1", -5, 10) ", " REAL("x2", 0, 15) "}", 50, 10, 0.39788735772973816, false },
    { "hartmann6", "{" UNIT("x1") ", " UNIT("x2") ", " UNIT("x3") ", " UNIT("x4") ", " UNIT("x5") ", " UNIT("x6") "}",
      200, 10, -3.3223680114155147, false },
    { "svm", "{" REAL("log_c", -10, 10) ", " REAL("log_gamma", -10, 10) "}", 30, 5, 0, true },
    { "logistic", "{" REAL("log10_rate", -6, 0) ", " REAL("l2", 0, 1) ", " BATCH ", " REAL("dropout", 0, 0.75) "}", 30,
      5, 0, true },
    { .name = NULL }
};

const una_task_kind *una_task_find(const char *name)
{
    size_t length = una_row_key_data(name);
    for (const una_task_kind *t = una_task_kinds; t->name; t++)
        if (strlen(t->name) == length && memcmp(t->name, name, length) == 0) return t;
    return NULL;
}

/* ---- data ---------------------------------------------------------------------------------------------------- */

typedef struct digits {                  /* the files, as one set of rows                                           */
    size_t               rows, train, columns;
    const unsigned char *bytes, *label;  /* [rows, columns], [rows]: those of the training file first               */
} digits;

struct una_material {
    una_run         *run;
    una_arena        keep;
    const char      *folder, *store_path;
    pthread_mutex_t  lock;               /* guards what follows until it is loaded; it never changes after that */
    una_store       *store;
    digits           digits;
    una_sparse_rows  sparse;
    una_svm_rows     subset;
};

una_status una_material_new(una_material **out, const char *data, const char *store, una_run *run)
{
    una_material *m = *out = una_allocate(run, sizeof *m);
    if (m) *m = (una_material){ .run = run, .folder = data, .store_path = store };
    if (m && pthread_mutex_init(&m->lock, NULL) == 0) {
        una_arena_init(&m->keep, run);
        return UNA_OK;
    }
    una_release(run, m);
    *out = NULL;
    UNA_FAIL(run, UNA_E_MEMORY, "there is no memory for the tasks of optimisation");
}

void una_material_free(void *material)
{
    una_material *m = material;
    if (!m) return;
    una_run *run = m->run;
    una_store_close(m->store);
    pthread_mutex_destroy(&m->lock);
    una_arena_free(&m->keep);
    una_release(run, m);
}

/* The path of the compressed file if it exists, else of the plain one. The arena's failure is sticky. */
static const char *file_path(const una_material *m, size_t file, una_arena *arena)
{
    const char *packed = una_phrase(arena, "%s/mnist/%s.gz", m->folder, file_names[file]);
    const char *plain = una_phrase(arena, "%s/mnist/%s", m->folder, file_names[file]);
    return access(packed, R_OK) == 0 || access(plain, R_OK) != 0 ? packed : plain;
}

static bool has_digits(const una_material *m, una_run *run)
{
    bool there = *m->folder != 0;
    for (size_t f = 0; f < FILES && there; f++) there = access(file_path(m, f, &run->scratch), R_OK) == 0;
    return there;
}

static una_status need_digits(una_material *m, una_run *run)
{
    if (m->digits.bytes) return UNA_OK;
    una_idx images[2], labels[2];
    const char *path[FILES];
    for (size_t f = 0; f < FILES; f++) {
        path[f] = file_path(m, f, &run->scratch);
        UNA_TRY(una_arena_check(&run->scratch));
    }
    for (size_t i = 0; i < 2; i++)
        UNA_TRY(una_idx_read_labelled(&images[i], &labels[i], path[2 * i], path[2 * i + 1], &run->scratch, run));
    if (images[0].each != images[1].each || images[0].each > 65536)
        UNA_FAIL(run, UNA_E_INPUT, "the images of %s and %s have not the same size, or more than 65536 pixels",
                 path[TRAIN_IMAGES], path[TEST_IMAGES]);

    size_t train = images[0].sizes[0], test = images[1].sizes[0], columns = images[0].each;
    UNA_NEW(&m->keep, unsigned char, bytes, (train + test) * columns);
    UNA_NEW(&m->keep, unsigned char, label, train + test);
    memcpy(bytes, images[0].bytes, train * columns);
    memcpy(bytes + train * columns, images[1].bytes, test * columns);
    memcpy(label, labels[0].bytes, train);
    memcpy(label + train, labels[1].bytes, test);
    for (size_t i = 0; i < train + test; i++)
        if (label[i] > 9)
            UNA_FAIL(run, UNA_E_INPUT, "%s has a label %d: digits are 0 to 9",
                     path[i < train ? TRAIN_LABELS : TEST_LABELS], label[i]);
    m->digits = (digits){ train + test, train, columns, bytes, label };
    return UNA_OK;
}

static una_status need_sparse(una_material *m, una_run *run)
{
    if (m->sparse.first) return UNA_OK;
    UNA_TRY(need_digits(m, run));
    const digits *d = &m->digits;
    if (d->train <= VALID)
        UNA_FAIL(run, UNA_E_INPUT, "the MNIST files in %s have %zu training rows; more than %d are needed, the last of "
                 "which validate", m->folder, d->train, VALID);
    return una_sparse_rows_of(&m->sparse, d->bytes, d->label, d->rows, d->columns, &m->keep);
}

/* Rows of the subset: in each part one class after the other, in an order given by the seed. */
static una_status choose_subset(size_t *row, const digits *d, una_run *run)
{
    static const size_t each[3] = { TRAIN_EACH, OTHER_EACH, OTHER_EACH };
    uint32_t *order;
    UNA_NEW(&run->scratch, size_t, member, d->train);
    UNA_TRY(una_order_new(&order, d->train, &run->scratch));
    for (size_t c = 0; c < SUBSET_CLASSES; c++) {
        una_rng rng = una_rng_at(DATA_SEED, UNA_FOR_SPLIT, c);
        size_t count = 0, taken = 0, begin = 0;
        for (size_t i = 0; i < d->train; i++)
            if (d->label[i] == subset_digits[c]) member[count++] = i;
        if (count < TRAIN_EACH + 2 * OTHER_EACH)
            UNA_FAIL(run, UNA_E_INPUT, "the MNIST files have %zu training rows of the digit %d; %d are needed", count,
                     subset_digits[c], TRAIN_EACH + 2 * OTHER_EACH);
        una_rng_permute(&rng, order, count);
        for (size_t p = 0; p < 3; begin += SUBSET_CLASSES * each[p++])
            for (size_t i = 0; i < each[p]; i++) row[begin + c * each[p] + i] = member[order[taken++]];
    }
    return UNA_OK;
}

static una_status need_subset(una_material *m, una_run *run)
{
    const digits *d = &m->digits;
    if (m->subset.distance) return UNA_OK;
    UNA_TRY(need_digits(m, run));
    UNA_NEW(&run->scratch, size_t, row, SUBSET);
    UNA_NEW(&run->scratch, unsigned char, bytes, SUBSET * d->columns);
    UNA_NEW(&m->keep, unsigned char, label, SUBSET);
    UNA_TRY(choose_subset(row, d, run));
    for (size_t i = 0; i < SUBSET; i++) {
        memcpy(bytes + i * d->columns, d->bytes + row[i] * d->columns, d->columns);
        label[i] = d->label[row[i]];
    }
    m->subset = (una_svm_rows){ .rows = SUBSET, .label = label, .classes = SUBSET_CLASSES };
    memcpy(m->subset.class_label, subset_digits, sizeof subset_digits);
    return una_svm_measure(&m->subset, bytes, d->columns, &m->keep, run);
}

/* It lives longer than the task that loads it first. */
static una_status need_store(una_material *m, una_run *run)
{
    (void)run;
    if (m->store) return UNA_OK;
    return una_store_open(&m->store, m->store_path, UNA_DATABASE_JOURNAL, m->run);
}

typedef una_status need(una_material *m, una_run *run);

static una_status with_lock(una_material *m, need *what, una_run *run)
{
    pthread_mutex_lock(&m->lock);
    una_status status = what(m, run);
    if (status != UNA_OK && !*run->message) memcpy(run->message, m->run->message, sizeof run->message);
    pthread_mutex_unlock(&m->lock);
    return status;
}

/* ---- names --------------------------------------------------------------------------------------------------- */

static una_status sum_files(uint32_t *sum, const una_material *m, una_run *run)
{
    una_sum whole = una_sum_begin();
    una_arena *arena = &run->scratch;
    for (size_t f = 0; f < FILES; f++) {
        unsigned char *bytes;
        size_t size;
        const char *path = file_path(m, f, arena);
        UNA_TRY(una_arena_check(arena));
        UNA_TRY(una_slurp(&bytes, &size, path, arena, run));
        size_t padded = (size + sizeof(uint64_t) + 31) / 32 * 32;
        UNA_NEW(arena, unsigned char, block, padded);
        memcpy(block, &(uint64_t){ size }, sizeof(uint64_t));
        memcpy(block + sizeof(uint64_t), bytes, size);
        una_sum_add(&whole, block, padded);
    }
    uint64_t folded = una_sum_end(&whole);
    *sum = (uint32_t)(folded ^ folded >> 32);
    return UNA_OK;
}

static una_status task_files_absent(const una_material *m, const char *task, una_run *run)
{
    if (!*m->folder)
        UNA_FAIL(run, UNA_E_INPUT, "the task %s needs MNIST, which does not come with una: fetch it with 'una data get "
                 "mnist', or name a folder that has the four files mnist/%s.gz ... with --data FOLDER", task,
                 file_names[0]);
    UNA_FAIL(run, UNA_E_INPUT, "the task %s needs MNIST, and the folder %s has not all of mnist/%s.gz, %s.gz, %s.gz "
             "and %s.gz; docs/results/BENCH.md says where they are published", task, m->folder, file_names[0],
             file_names[1], file_names[2], file_names[3]);
}

una_status una_task_data(const char **data, const una_task_kind *task, una_material *m, una_arena *arena, una_run *run)
{
    uint32_t sum = 0;
    *data = task->name;
    if (!task->is_digits) return UNA_OK;
    if (strcmp(task->name, "svm") == 0 && !una_svm_is_there)
        UNA_FAIL(run, UNA_E_INPUT, "the task svm needs LIBSVM, and this una was built without it: install libsvm-dev "
                 "(Debian) and build una again, or leave the task out");
    if (!has_digits(m, run)) return task_files_absent(m, task->name, run);

    UNA_SCOPED(run, sum_files(&sum, m, run));
    *data = una_phrase(arena, "%s#%08" PRIx32, task->name, sum);
    return una_arena_check(arena);
}

/* ---- values -------------------------------------------------------------------------------------------------- */

static una_status svm_value(double *value, una_material *m, const double *x, bool test, una_run *run)
{
    UNA_SCOPED(run, with_lock(m, need_subset, run));
    const una_svm_settings settings = { .train = test ? SUBSET_TRAIN + SUBSET_OTHER : SUBSET_TRAIN,
                                        .asked = SUBSET_OTHER, .c = exp(x[0]), .gamma = exp(x[1]) };
    return una_svm_error(value, &m->subset, &settings, run);
}

static una_status logistic_value(double *value, una_material *m, const double *x, bool test, una_run *run)
{
    UNA_SCOPED(run, with_lock(m, need_sparse, run));
    const digits *d = &m->digits;
    size_t train = test ? d->train : d->train - VALID, asked = test ? d->rows - d->train : VALID;
    una_softmax_settings settings = { .rate = pow(10, x[0]), .l2 = x[1], .batch = (size_t)x[2], .dropout = x[3],
                                      .epochs = EPOCHS, .seed = DATA_SEED };
    return una_softmax_error(value, &m->sparse, train, asked, &settings, run);
}

/* "svm(log_c=1.5, log_gamma=-3)": read back, the numbers are the same. */
static una_status write_point(una_text *text, const una_task_kind *kind, const double *x, una_run *run)
{
    una_space *space;
    UNA_TRY(una_space_parse(&space, kind->space, kind->name, &run->scratch, run));
    una_text_add(text, "%s(", kind->name);
    for (size_t i = 0; i < space->count; i++) {
        una_text_add(text, "%s%s=", i > 0 ? ", " : "", space->dimension[i].name);
        una_text_number(text, x[i]);
    }
    una_text_add(text, ")");
    return una_arena_check(text->arena);
}

/* Two threads that need the same point at the same time both train, and get the same value. */
static una_status digits_value(double *value, const una_task_asked *task, const double *x, bool test, una_run *run)
{
    static const char *const measure[] = { "error" };
    una_material *m = task->material;
    una_row row;
    bool found = false, is_svm = strcmp(task->kind->name, "svm") == 0;
    una_text spec = una_text_in(&run->scratch);
    UNA_SCOPED(run, with_lock(m, need_store, run));
    UNA_TRY(write_point(&spec, task->kind, x, run));
    una_row_key key = { .study = "bayesopt tasks", .data = task->data, .split = test, .spec = spec.at,
                        .seed = DATA_SEED, .results = TASK_RESULTS };
    UNA_TRY(una_store_find(&found, &row, m->store, &key, &run->scratch, run));
    if (found && row.count == 1) {
        *value = row.value[0];
        return UNA_OK;
    }
    double begun = una_clock();
    UNA_TRY((is_svm ? svm_value : logistic_value)(value, m, x, test, run));
    row = (una_row){ .key = key, .measure = measure, .value = value, .count = 1, .options = key.spec,
        .kernels = una_run_kernels(run), .commit = una_build_commit(), .seconds = una_clock() - begun };
    return una_store_put(m->store, &row, 1, false, NULL, run);
}

una_status una_task_value(double *value, const una_task_asked *task, const double *x, bool test, una_run *run)
{
    if (task->kind->is_digits) UNA_SCOPED(run, digits_value(value, task, x, test, run));
    else *value = strcmp(task->kind->name, "branin") == 0 ? una_branin(x) : una_hartmann6(x);
    return UNA_OK;
}
