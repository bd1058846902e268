/* SPDX-License-Identifier: MIT
 *
 * NPY and IDX arrays. The input is the file but for its last two bytes: the last says how it is read (as a table, as
 * images, as IDX; as it is or compressed here; or not at all: a folder stands there, or nothing), the one before bounds
 * memory. A table of doubles has the bits of the file; nothing is infinite; memory is bounded by the bytes that are
 * there.
 */
#include "read/idx.h"
#include "read/image_files.h"
#include "read/npy.h"
#include "fuzz.h"

#include <sys/stat.h>
#include <zlib.h>

/* gzip, of which a fuzzer would find little by itself */
static const char *packed_file(const char *name, fuzz_bytes bytes, size_t *size)
{
    uLong room = compressBound((uLong)bytes.left) + 64;
    unsigned char *out = malloc(room);
    z_stream z = { .next_in = (unsigned char *)(uintptr_t)bytes.at, .avail_in = (uInt)bytes.left, .next_out = out,
                   .avail_out = (uInt)room };
    FUZZ_CHECK(out && deflateInit2(&z, 1, Z_DEFLATED, 31, 1, Z_DEFAULT_STRATEGY) == Z_OK, "no memory");
    FUZZ_CHECK(deflate(&z, Z_FINISH) == Z_STREAM_END, "zlib does not compress");
    *size = z.total_out;
    deflateEnd(&z);
    const char *path = fuzz_file(name, out, *size);
    free(out);
    return path;
}

/* Where the header says that items are doubles in the order of rows, they are the last bytes of the file. */
static void check_bits(const una_dataset *data, const una_npy *npy, fuzz_bytes file)
{
    size_t columns = una_dataset_column_count(data), rows = una_dataset_row_count(data);
    if (npy->type != 'f' || npy->width != 8 || npy->big_endian || npy->by_column) return;
    for (size_t c = 0; c < columns; c++) {
        const double *numbers = una_dataset_numbers(data, c);
        for (size_t r = 0; numbers && r < rows; r++) {
            double written;
            memcpy(&written, file.at + npy->start + (r * columns + c) * sizeof written, sizeof written);
            if (!isnan(written)) fuzz_same(&numbers[r], &written, 1, "an item");
        }
    }
}

static void read_table(const char *path, fuzz_bytes file, size_t size, bool packed, fuzz_world *w)
{
    una_dataset *data = NULL;
    una_npy *npy = NULL;
    una_arena arena;
    una_arena_init(&arena, w->run);
    fuzz_memory_from(w);
    una_status status = FUZZ_EXPLAIN(una_dataset_read(&data, path, w->run), w);
    if (!packed) fuzz_memory_times(w, 512, size, "an array as a table");
    una_status opened = FUZZ_EXPLAIN(una_npy_open(&npy, path, &arena), w);
    FUZZ_CHECK(status != UNA_OK || opened == UNA_OK || w->starved, "it was read, and cannot be opened");
    if (status == UNA_OK && opened == UNA_OK) {
        FUZZ_CHECK(una_dataset_row_count(data) == npy->rows && una_dataset_column_count(data) == npy->columns, "shape");
        for (size_t c = 0; c < npy->columns; c++) {
            const double *numbers = una_dataset_numbers(data, c);
            FUZZ_CHECK(numbers && *una_dataset_column_name(data, c), "a column without numbers or a name");
            for (size_t r = 0; r < npy->rows; r++) FUZZ_CHECK(!isinf(numbers[r]), "an infinite number is read");
        }
        if (!packed) check_bits(data, npy, file);
    }
    una_arena_free(&arena);
    una_dataset_free(data);
}

static void read_images(const char *path, size_t size, bool packed, fuzz_world *w)
{
    una_dataset *data = NULL;
    static const double numbers[] = { 0, 0, 1, 2 };
    size_t sizes[3];
    if (FUZZ_EXPLAIN(una_dataset_from_arrays(&data, numbers, NULL, 4, 1, NULL, w->run), w)) return;
    fuzz_memory_from(w);
    una_status status = FUZZ_EXPLAIN(una_dataset_add_images(data, path, "x1", w->run), w);
    if (!packed) fuzz_memory(w, size, "images");
    if (status == UNA_OK && FUZZ_EXPLAIN(una_dataset_image(sizes, NULL, data, 0, w->run), w) == UNA_OK) {
        size_t each = sizes[0] * sizes[1] * sizes[2];
        FUZZ_CHECK(each > 0 && each <= UNA_MOST_PIXELS, "an image of %zu numbers", each);
        double *image = malloc(each * sizeof *image);
        FUZZ_CHECK(image, "no memory");
        for (size_t row = 0; row < 4; row++)
            if (FUZZ_EXPLAIN(una_dataset_image(sizes, image, data, row, w->run), w) == UNA_OK)
                fuzz_finite(image, each, "an image");
        FUZZ_CHECK(FUZZ_EXPLAIN(una_dataset_image(sizes, image, data, 4, w->run), w) != UNA_OK, "row 4 of 0 to 3");
        free(image);
    }
    una_dataset_free(data);
}

static void read_labels(const char *path, size_t size, bool packed, fuzz_world *w)
{
    una_idx images, labels;
    fuzz_memory_from(w);
    una_status status = FUZZ_EXPLAIN(una_idx_read_labelled(&images, &labels, path, path, &w->run->scratch, w->run), w);
    if (!packed) fuzz_memory(w, size, "labels");
    if (status != UNA_OK) return;
    size_t all = images.sizes[0] * images.each;
    FUZZ_CHECK(all > 0 && images.size_count == 1 && labels.sizes[0] == images.sizes[0], "labels of another shape");
    FUZZ_CHECK(memcmp(images.bytes, labels.bytes, all) == 0, "the same file, and other bytes");
}

static const char *odd_path(bool folder)
{
    const char *path = fuzz_path(folder ? "folder.npy" : "nothing.npy");
    if (folder) mkdir(path, 0700);
    return path;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_bytes file = { data, size };
    fuzz_world world;
    uint8_t how = fuzz_last(&file);
    if (!fuzz_begin(&world, (fuzz_limits){ .allocations = fuzz_allocations(fuzz_last(&file)) })) return 0;
    bool gz = file.left > 2 && file.at[0] == 0x1F && file.at[1] == 0x8B, pack = how & 4;
    const char *name = (how & 3) < 2 ? "a.npy" : "a.idx";
    size_t written = file.left;
    const char *path = pack ? packed_file(name, file, &written) : fuzz_file(name, file.at, file.left);
    if (how & 8) path = odd_path(how & 16);

    if ((how & 3) == 0) read_table(path, file, written, pack || gz, &world);
    else if ((how & 3) == 3) read_labels(path, written, pack || gz, &world);
    else read_images(path, written, pack || gz, &world);
    fuzz_end(&world);
    return 0;
}
