/* SPDX-License-Identifier: MIT
 *
 * Tensors of images, and which of them a row means. See images.h.
 */
#include "data/images.h"

#include <stdatomic.h>
#include <sys/mman.h>

una_images *una_images_hold(una_images *images)
{
    if (images) atomic_fetch_add(&images->holders, 1);
    return images;
}

void una_images_unmap(una_images *images)
{
    if (images->mapping) munmap(images->mapping, images->mapped);
    images->mapping = NULL;
}

void una_images_let_go(una_images *images)
{
    if (!images || atomic_fetch_sub(&images->holders, 1) > 1) return;
    una_run *run = images->run;
    una_images_unmap(images);
    una_arena_free(&images->arena);
    una_release(run, images);
}

bool una_images_same(const una_images *a, const una_images *b)
{
    if (!a || !b || a == b) return a == b;
    return strcmp(a->origin, b->origin) == 0 && a->count == b->count && a->shape.height == b->shape.height
        && a->shape.width == b->shape.width && a->shape.channels == b->shape.channels;
}

void una_images_take(const una_images *m, size_t item, double centre, double scale, double *to)
{
    size_t from = item * m->each;
    for (size_t i = 0; m->bytes && i < m->each; i++) to[i] = ((double)m->bytes[from + i] - centre) / scale;
    for (size_t i = 0; m->numbers && i < m->each; i++) to[i] = ((double)m->numbers[from + i] - centre) / scale;
}

/* ---- which ----------------------------------------------------------------------------------------------------- */

una_status una_table_image(size_t *item, const una_dataset *data, size_t row, una_run *run)
{
    const una_table_column *column = &data->column[data->image_column];
    double number = column->number[row];
    if (number >= 0 && number < (double)data->images->count && number == floor(number)) {
        *item = (size_t)number;
        return UNA_OK;
    }
    const char *place = una_table_place_in(&run->scratch, data, row, data->image_column);
    char text[32];
    if (isnan(number)) UNA_FAIL(run, UNA_E_INPUT, "%s is missing, and it names the row's image; fill the cell, or take "
                                "the row out", place);
    una_number_text(text, number);
    if (number != floor(number))
        UNA_FAIL(run, UNA_E_INPUT, "%s holds %s, and images are named by whole numbers, counted from 0; correct the "
                 "cell", place, text);
    UNA_FAIL(run, UNA_E_INPUT, "%s names image %s, and %s has %zu, counted from 0", place, text,
             data->images->origin, data->images->count);
}

static una_status take_image(double *numbers, const una_dataset *data, size_t row, una_run *run)
{
    size_t item;
    UNA_TRY(una_table_image(&item, data, row, run));
    una_images_take(data->images, item, 0, 1, numbers);
    return UNA_OK;
}

una_status una_dataset_image(size_t sizes[3], double *numbers, const una_dataset *data, size_t row, una_run *run)
{
    una_image_shape shape = data->images ? data->images->shape : (una_image_shape){ 0, 0, 0 };
    una_clear_message(run);
    sizes[0] = shape.height;
    sizes[1] = shape.width;
    sizes[2] = shape.channels;
    if (!numbers || !data->images) return UNA_OK;
    if (row >= data->rows)
        UNA_FAIL(run, UNA_E_USAGE, "%s has %zu rows, and the image of row %zu (counted from 0) is asked for",
                 data->origin, data->rows, row);
    UNA_SCOPED(run, take_image(numbers, data, row, run));
    return UNA_OK;
}
