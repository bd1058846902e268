/* SPDX-License-Identifier: MIT
 *
 * IDX (LeCun, Cortes and Burges, The MNIST database): all numbers have their highest byte first
 *   0 0  u8 type (8: unsigned byte)  u8 how many sizes  u32 sizes ...  items
 * The sizes are not trusted: memory grows with what is really there.
 */
#include "read/idx.h"

#include "read/packed.h"

enum { UNSIGNED_BYTES = 8, FIRST_BLOCK = 1 << 18 };

static una_status refuse_idx(const una_packed *s, const char *why)
{
    UNA_FAIL(s->run, UNA_E_INPUT, "%s is not a readable IDX file: %s", s->path, why);
}

static una_status take_idx_bytes(const una_packed *s, unsigned char *to, size_t want)
{
    size_t got;
    UNA_TRY(una_packed_take(s, to, want, &got));
    return got == want ? UNA_OK : refuse_idx(s, "it ends within its header");
}

static una_status read_idx_header(una_idx *idx, const una_packed *s)
{
    unsigned char head[4], size[4];
    UNA_TRY(take_idx_bytes(s, head, sizeof head));
    if (memcmp(head, "\x93NUM", 4) == 0) return refuse_idx(s, "it is an NPY array; give it a name that ends with .npy");
    if (head[0] != 0 || head[1] != 0) return refuse_idx(s, "it does not begin with two zeros");
    if (head[2] != UNSIGNED_BYTES) return refuse_idx(s, "its items are not unsigned bytes (type 8)");
    if (head[3] < 1 || head[3] > UNA_MOST_IDX_SIZES) return refuse_idx(s, "it has no sizes, or more than 8");

    idx->size_count = head[3];
    idx->each = 1;
    for (size_t i = 0; i < idx->size_count; i++) {
        UNA_TRY(take_idx_bytes(s, size, sizeof size));
        idx->sizes[i] = (size_t)size[0] << 24 | (size_t)size[1] << 16 | (size_t)size[2] << 8 | size[3];
        if (idx->sizes[i] == 0) return refuse_idx(s, "one of its sizes is 0");
        if (idx->each > SIZE_MAX / 4 / idx->sizes[i]) return refuse_idx(s, "its sizes are beyond any file");
        if (i > 0) idx->each *= idx->sizes[i];
    }
    if (idx->each > SIZE_MAX / 4 / idx->sizes[0]) return refuse_idx(s, "its sizes are beyond any file");
    return UNA_OK;
}

static una_status wrong_size(const una_packed *s, size_t promised, const char *are)
{
    UNA_FAIL(s->run, UNA_E_INPUT, "%s promises %zu bytes of items in its header, and %s; copy it again", s->path,
             promised, are);
}

/* Blocks are doubled while there is more to read, so that a wrong size in the header asks for no memory. */
static una_status read_idx_items(una_idx *idx, const una_packed *s, una_arena *arena)
{
    size_t promised = idx->sizes[0] * idx->each, room = promised < FIRST_BLOCK ? promised : FIRST_BLOCK;
    size_t have = 0, got;
    unsigned char *bytes = NULL, extra;
    while (have < promised) {
        UNA_NEW_ROWS(arena, unsigned char, block, room);
        if (have > 0) memcpy(block, bytes, have);
        bytes = block;
        UNA_TRY(una_packed_take(s, bytes + have, room - have, &got));
        have += got;
        if (have < room) return wrong_size(s, promised, "there are fewer");
        room = room < promised / 2 ? 2 * room : promised;
    }
    UNA_TRY(una_packed_take(s, &extra, 1, &got));
    if (got > 0) return wrong_size(s, promised, "there are more");
    idx->bytes = bytes;
    return UNA_OK;
}

una_status una_idx_read(una_idx *idx, const char *path, una_arena *arena, una_run *run)
{
    una_packed *s;
    *idx = (una_idx){ .size_count = 0 };
    UNA_TRY(una_packed_open(&s, path, &run->scratch));
    idx->is_packed = s->is_packed;
    UNA_TRY(read_idx_header(idx, s));
    UNA_TRY(read_idx_items(idx, s, arena));
    return una_packed_check(s);
}

una_status una_idx_read_labelled(una_idx *images, una_idx *labels, const char *image_path, const char *label_path,
                                 una_arena *arena, una_run *run)
{
    UNA_TRY(una_idx_read(images, image_path, arena, run));
    UNA_TRY(una_idx_read(labels, label_path, arena, run));
    if (labels->size_count != 1)
        UNA_FAIL(run, UNA_E_INPUT, "%s holds no labels: they have one size, their count, and it has %zu", label_path,
                 labels->size_count);
    if (images->sizes[0] != labels->sizes[0])
        UNA_FAIL(run, UNA_E_INPUT, "%s has %zu items and %s has %zu labels; take files that belong together",
                 image_path, images->sizes[0], label_path, labels->sizes[0]);
    return UNA_OK;
}
