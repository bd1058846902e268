/* SPDX-License-Identifier: MIT
 *
 * Unpacked images kept on disk: head, absolute path, numbers as they are in memory, the last two ended by zeroes. It is
 * mapped and not read: several programs share its pages, and a set may be larger than memory. A file of the cache is
 * only ever replaced, never written to, so that a mapping stays as it is. Both parts have a sum, and both are checked.
 */
#include "data/cache_layout.h"
#include "data/images.h"

#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 22 };                /* bytes between two looks at whether to go on                     */

static size_t up_to(size_t size, size_t step)
{
    return (size + step - 1) / step * step;
}

/* Zeroes behind the path let the numbers begin where any of them may. */
static size_t path_room(const char *path)
{
    return up_to(sizeof(una_cache_tensor) + strlen(path) + 1, 64) - sizeof(una_cache_tensor);
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* Sizes of images, and exactly as many bytes as they need. Each is bounded before it is multiplied. */
static bool fits(const una_cache_tensor *h, uint64_t size)
{
    if (h->height == 0 || h->height > UNA_MOST_PIXELS || h->width == 0 || h->width > UNA_MOST_PIXELS) return false;
    if (h->channels == 0 || h->channels > UNA_MOST_CHANNELS || (h->item != 1 && h->item != 4)) return false;
    uint64_t each = h->height * h->width * h->channels;
    if (each > UNA_MOST_PIXELS || h->count == 0 || h->count > size / each) return false;
    return h->path_size <= size && sizeof *h + h->path_size + up_to(h->count * each * h->item, 32) == size;
}

/* The head of a file that is mapped at `at`, if all of it is sound and about this very data file. */
static bool is_sound(const unsigned char *at, uint64_t size, una_cache_tensor *h, const una_cache_place *p,
                     const una_cache_key *key, una_run *run)
{
    memcpy(h, at, sizeof *h);
    if (memcmp(&h->kind, &una_cache_tensors, sizeof h->kind) != 0) return false;
    if (memcmp(&h->key, key, sizeof *key) != 0 || !fits(h, size)) return false;
    if (h->path_size != path_room(p->path) || strcmp((const char *)at + sizeof *h, p->path) != 0) return false;

    size_t before = sizeof *h + h->path_size;
    unsigned char *copy = UNA_GET(&run->scratch, unsigned char, before);
    if (!copy) return false;
    memcpy(copy, at, before);
    memset(copy + offsetof(una_cache_tensor, sum), 0, sizeof h->sum);
    una_sum first = una_sum_begin(), numbers = una_sum_begin();
    una_sum_add(&first, copy, before);
    for (size_t from = before; from < size && !una_cancelled(run); from += CHUNK)
        una_sum_add(&numbers, at + from, size - from < CHUNK ? size - from : CHUNK);
    return una_sum_end(&first) == h->sum && una_sum_end(&numbers) == h->numbers_sum;
}

static void take_mapping(una_images *m, void *at, size_t size, const una_cache_tensor *h)
{
    const unsigned char *numbers = (const unsigned char *)at + sizeof *h + h->path_size;
    m->mapping = at;
    m->mapped = size;
    m->count = h->count;
    m->shape = (una_image_shape){ h->height, h->width, h->channels };
    m->each = una_image_size(m->shape);
    if (h->item == 1) m->bytes = numbers;
    else m->numbers = (const float *)(const void *)numbers;
}

static void map_images(una_images *m, int handle, const una_cache_place *p, const una_cache_key *key)
{
    struct stat about;
    una_cache_tensor h;
    una_run *run = m->run;
    if (fstat(handle, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < (off_t)sizeof h) return;
    size_t size = (size_t)about.st_size;
    void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, handle, 0);
    if (at == MAP_FAILED) return;

    una_mark mark = una_arena_mark(&run->scratch);
    bool good = is_sound(at, size, &h, p, key, run);
    una_arena_release(&run->scratch, mark);
    if (good && run->settings.verify_cache) good = una_cache_verified(key, h.content, m->origin, run);
    if (good) {
        take_mapping(m, at, size, &h);
        una_cache_used(handle);
    } else {
        munmap(at, size);
    }
}

una_cache_key una_cache_map_images(una_images *m)
{
    una_cache_place p;
    una_cache_key key = una_cache_key_of(m->origin, m->run);
    int handle = key.size > 0 && una_cache_find(&p, m->origin, &una_cache_tensors) ? una_cache_open(&p, m->run) : -1;
    if (handle < 0) return key;
    map_images(m, handle, &p, &key);
    close(handle);
    if (!m->mapping) una_clear_message(m->run);                  /* of memory that was not there */
    return key;
}

void una_cache_unmap_images(una_images *m)
{
    if (m->mapping) munmap(m->mapping, m->mapped);
    m->mapping = NULL;
}

bool una_cache_agrees_on_images(const una_images *kept, const una_images *unpacked)
{
    size_t size = unpacked->count * unpacked->each;
    bool same = kept->count == unpacked->count && kept->shape.height == unpacked->shape.height &&
                kept->shape.width == unpacked->shape.width && kept->shape.channels == unpacked->shape.channels &&
                !kept->bytes == !unpacked->bytes;
    if (same && kept->bytes) same = memcmp(kept->bytes, unpacked->bytes, size) == 0;
    else if (same) same = memcmp(kept->numbers, unpacked->numbers, size * sizeof *kept->numbers) == 0;
    if (!same) una_cache_denied(kept->origin, kept->run);
    return same;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

/* Numbers, with zeroes to a multiple of what is summed up at once. */
static bool put_numbers(int handle, const una_images *m, una_cache_tensor *h, una_run *run)
{
    unsigned char last[32] = {0};
    const unsigned char *from = m->bytes ? m->bytes : (const unsigned char *)m->numbers;
    size_t size = m->count * m->each * h->item, whole = size / sizeof last * sizeof last;
    una_sum s = una_sum_begin();
    memcpy(last, from + whole, size - whole);
    bool good = una_cache_put_summed(handle, from, whole, &s, run)
                && una_cache_put_summed(handle, last, size > whole ? sizeof last : 0, &s, run);
    h->numbers_sum = una_sum_end(&s);
    return good;
}

static bool put_images(int handle, const una_images *m, una_cache_tensor h, const char *path, una_run *run)
{
    size_t before = sizeof h + h.path_size;
    unsigned char *bytes = UNA_GET(&run->scratch, unsigned char, before);
    if (!bytes || lseek(handle, (off_t)before, SEEK_SET) < 0 || !put_numbers(handle, m, &h, run)) return false;
    memcpy(bytes, &h, sizeof h);
    memcpy(bytes + sizeof h, path, strlen(path));
    una_sum s = una_sum_begin();
    una_sum_add(&s, bytes, before);
    h.sum = una_sum_end(&s);
    memcpy(bytes, &h, sizeof h);
    return lseek(handle, 0, SEEK_SET) == 0 && una_cache_put(handle, bytes, before, run);
}

void una_cache_write_images(const una_images *m, const una_cache_key *key)
{
    una_cache_writer w;
    una_run *run = m->run;
    una_cache_tensor h = { .kind = una_cache_tensors, .key = *key, .count = m->count,
               .height = m->shape.height, .width = m->shape.width, .channels = m->shape.channels,
               .item = m->bytes ? 1 : sizeof(float) };
    double size = (double)h.count * (double)m->each * (double)h.item;
    if (!una_cache_begin(&w, m->origin, &una_cache_tensors, key, size, run)) return;
    h.content = w.content;
    h.path_size = path_room(w.place.path);
    una_mark mark = una_arena_mark(&run->scratch);
    bool good = put_images(w.handle, m, h, w.place.path, run);
    una_arena_release(&run->scratch, mark);
    una_cache_end(&w, good, run);
}
