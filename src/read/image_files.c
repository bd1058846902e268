/* SPDX-License-Identifier: MIT
 *
 * Images of a file, and a table whose rows name them. See image_files.h.
 */
#include "read/image_files.h"

#include "read/csv.h"
#include "read/idx.h"
#include "read/npy.h"

#include <stdatomic.h>

static una_status refuse_images(const una_images *m, const char *why)
{
    UNA_FAIL(m->run, UNA_E_INPUT, "%s holds no readable images: %s", m->origin, why);
}

static una_status take_image_shape(una_images *m, const size_t *sizes, size_t count)
{
    if (count != 3 && count != 4)
        return refuse_images(m, "three sizes are needed (images, height, width), or four (channels last)");
    m->count = sizes[0];
    m->shape = (una_image_shape){ sizes[1], sizes[2], count == 4 ? sizes[3] : 1 };
    if (count == 4 && sizes[3] > UNA_MOST_CHANNELS && sizes[1] <= UNA_MOST_CHANNELS)
        return refuse_images(m, "its channels seem to come first; they must come last: save it with "
                             ".transpose(0, 2, 3, 1)");
    if (m->shape.channels > UNA_MOST_CHANNELS) return refuse_images(m, "its images have more than 16 channels");
    if (sizes[1] > UNA_MOST_PIXELS || sizes[2] > UNA_MOST_PIXELS || una_image_size(m->shape) > UNA_MOST_PIXELS)
        UNA_FAIL(m->run, UNA_E_INPUT, "%s: an image of %zu x %zu with %zu channels has more numbers than the %d that "
                 "are possible; make them smaller", m->origin, sizes[1], sizes[2], m->shape.channels, UNA_MOST_PIXELS);
    m->each = una_image_size(m->shape);
    return UNA_OK;
}

/* Numbers are read some images at a time; what is no finite number is refused with its place. */
static una_status copy_numbers(una_images *m, una_npy *npy, float *to)
{
    enum { AT_ONCE = 64 };
    UNA_NEW(&m->run->scratch, double, block, AT_ONCE * m->each);
    for (size_t from = 0; from < m->count; from += AT_ONCE) {
        size_t count = m->count - from < AT_ONCE ? m->count - from : AT_ONCE;
        UNA_SCOPED(m->run, una_npy_rows(npy, from, count, block));
        for (size_t i = 0; i < count * m->each; i++) {
            to[from * m->each + i] = (float)block[i];
            if (!isfinite(to[from * m->each + i]))
                UNA_FAIL(m->run, UNA_E_INPUT, "%s: image %zu (counted from 0) has a number that is not finite",
                         m->origin, from + i / m->each);
        }
    }
    return UNA_OK;
}

static una_status read_npy(una_images *m, bool *packed)
{
    una_npy *npy;
    UNA_TRY(una_npy_open(&npy, m->origin, &m->run->scratch));
    *packed = npy->packed->is_packed;
    UNA_TRY(take_image_shape(m, npy->sizes, npy->size_count));
    if (npy->by_column) return refuse_images(m, "it is in Fortran's order; save numpy.ascontiguousarray of it");
    UNA_NEW_ROWS(&m->arena, float, numbers, m->count * m->each);
    m->numbers = numbers;
    UNA_TRY(copy_numbers(m, npy, numbers));
    return una_npy_end(npy);
}

static una_status unpack_images(una_images *m, bool *packed)
{
    size_t length = strlen(m->origin);
    una_idx idx;
    if (una_path_ends(m->origin, length, ".npy") || una_path_ends(m->origin, length, ".npy.gz"))
        return read_npy(m, packed);
    UNA_TRY(una_idx_read(&idx, m->origin, &m->arena, m->run));
    m->bytes = idx.bytes;
    *packed = idx.is_packed;
    return take_image_shape(m, idx.sizes, idx.size_count);
}

static una_status read_image_file(una_images *m)
{
    UNA_TRY(una_arena_check(&m->arena));
    una_cache_key key = una_cache_map_images(m);
    bool packed = false;
    if (!m->mapping) UNA_SCOPED(m->run, unpack_images(m, &packed));
    if (packed) una_cache_write_images(m, &key);
    return UNA_OK;
}

una_status una_images_read(una_images **images, const char *path, una_run *run)
{
    *images = NULL;
    una_images *m = una_allocate(run, sizeof *m);
    if (!m) return UNA_E_MEMORY;
    *m = (una_images){ .run = run };
    atomic_init(&m->holders, 1);
    una_arena_init(&m->arena, run);
    m->origin = una_arena_text(&m->arena, path);
    una_status status = read_image_file(m);
    if (status == UNA_OK) *images = m;
    else una_images_let_go(m);
    return status;
}

/* The sentence for a cell that names no image; it may be the wrong column. words: the content of the cell. */
static una_status refuse_cell(const una_dataset *data, size_t row, size_t column, const char *words, una_run *run)
{
    UNA_FAIL(run, UNA_E_INPUT, "%s holds %s, and images are named by whole numbers, counted from 0; correct the cell, "
             "or name another column with --index", una_table_place_in(&run->scratch, data, row, column), words);
}

static una_status check_numbers(const una_dataset *data, size_t at, una_run *run)
{
    for (size_t row = 0, item; row < data->rows; row++) {
        double number = data->column[at].number[row];
        char words[32];
        if (isnan(number)) continue;
        if (number != floor(number)) return refuse_cell(data, row, at, una_number_text(words, number), run);
        UNA_TRY(una_table_image(&item, data, row, run));
    }
    return UNA_OK;
}

una_status una_dataset_add_images(una_dataset *data, const char *path, const char *name, una_run *run)
{
    size_t at;
    una_images *images;
    una_clear_message(run);
    UNA_TRY(una_table_need(&at, data, name, run));
    const una_table_column *column = &data->column[at];
    if (column->is_text) {
        const char *word = data->rows > 0 ? column->word[column->first_word] : NULL;
        char words[64];
        snprintf(words, sizeof words, "'%.40s'", word ? word : "");
        return refuse_cell(data, column->first_word, at, words, run);
    }
    UNA_TRY(una_images_read(&images, path, run));
    una_images_let_go(data->images);
    data->images = images;
    data->image_column = at;
    UNA_SCOPED(run, check_numbers(data, at, run));
    return UNA_OK;
}
