/* SPDX-License-Identifier: MIT
 *
 * Unpacked images kept on disk: head, absolute path with zeroes behind it, numbers as they are in memory. A file is
 * mapped and not read: several programs share its pages, and a set may be larger than memory. A file of the cache is
 * only ever replaced, never written to, so that a mapping stays as it is. Both parts have a checksum, and both are
 * checked; no count is believed before it sizes_fit_file the size of the file.
 */
#include "read/image_files.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 22 };                /* bytes between two looks at whether to go on                     */

/* Zeroes behind the path let the numbers begin where any of them may. */
static size_t path_room(const char *path)
{
    return (sizeof(una_cache_head) + strlen(path) + 1 + 63) / 64 * 64 - sizeof(una_cache_head);
}

static uint32_t sum_numbers(const unsigned char *at, size_t size, const una_run *run)
{
    uint32_t sum = 0;
    for (size_t from = 0; from < size && !una_cancelled(run); from += CHUNK)
        sum = una_crc32(sum, at + from, size - from < CHUNK ? size - from : CHUNK);
    return sum;
}

/* ---- reading ------------------------------------------------------------------------------------------- */

/* The head of a file that is mapped at `at`, if all of it is sound and about this very data file: sizes of images, and
 * exactly as many bytes as they need. Each is bounded before it is multiplied. */
static bool is_sound(const unsigned char *at, uint64_t size, una_cache_head *h, const una_cache_place *p,
                     const una_cache_key *key, una_run *run)
{
    memcpy(h, at, sizeof *h);
    if (memcmp(&h->kind, &una_cache_images, sizeof h->kind) != 0) return false;
    if (memcmp(&h->key, key, sizeof *key) != 0) return false;
    if (h->height == 0 || h->height > UNA_MOST_PIXELS || h->width == 0 || h->width > UNA_MOST_PIXELS) return false;
    if (h->channels == 0 || h->channels > UNA_MOST_CHANNELS || (h->item != 1 && h->item != 4)) return false;
    uint64_t each = h->height * h->width * h->channels;
    if (each > UNA_MOST_PIXELS || h->count == 0 || h->count > size / each || h->path_size > size) return false;
    if (sizeof *h + h->path_size + h->count * each * h->item != size) return false;
    if (h->path_size != path_room(p->path) || strcmp((const char *)at + sizeof *h, p->path) != 0) return false;

    size_t before = sizeof *h + h->path_size;
    unsigned char *copy = UNA_GET(&run->scratch, unsigned char, before);
    if (!copy) return false;
    memcpy(copy, at, before);
    memset(copy + offsetof(una_cache_head, sum), 0, sizeof h->sum);
    if (una_crc32(0, copy, before) != h->sum) return false;
    return sum_numbers(at + before, size - before, run) == h->numbers_sum && !una_cancelled(run);
}

static void map_images(una_images *m, int handle, const una_cache_place *p, const una_cache_key *key)
{
    struct stat about;
    una_cache_head h;
    una_run *run = m->run;
    if (fstat(handle, &about) != 0 || !S_ISREG(about.st_mode) || about.st_size < (off_t)sizeof h) return;
    size_t size = (size_t)about.st_size;
    void *at = mmap(NULL, size, PROT_READ, MAP_PRIVATE, handle, 0);
    if (at == MAP_FAILED) return;

    una_mark mark = una_arena_mark(&run->scratch);
    bool good = is_sound(at, size, &h, p, key, run);
    una_arena_release(&run->scratch, mark);
    if (!good) {
        munmap(at, size);
        return;
    }
    const unsigned char *numbers = (const unsigned char *)at + sizeof h + h.path_size;
    m->mapping = at;
    m->mapped = size;
    m->count = h.count;
    m->shape = (una_image_shape){ h.height, h.width, h.channels };
    m->each = una_image_size(m->shape);
    if (h.item == 1) m->bytes = numbers;
    else m->numbers = (const float *)(const void *)numbers;
    una_cache_used(handle);
}

una_cache_key una_cache_map_images(una_images *m)
{
    una_cache_place p;
    una_cache_key key = una_cache_key_of(m->origin, m->run);
    bool wanted = key.size > 0 && !m->run->settings.verify_cache;
    int handle = wanted && una_cache_find(&p, m->origin) ? una_cache_open(&p, m->run) : -1;
    if (handle < 0) return key;
    map_images(m, handle, &p, &key);
    close(handle);
    if (!m->mapping) una_clear_message(m->run);                  /* of memory that was not there */
    return key;
}

/* ---- writing ------------------------------------------------------------------------------------------- */

void una_cache_write_images(const una_images *m, const una_cache_key *key)
{
    una_cache_writer w;
    una_cache_head h = { .kind = una_cache_images, .key = *key, .count = m->count, .height = m->shape.height,
                         .width = m->shape.width, .channels = m->shape.channels,
                         .item = m->bytes ? 1 : sizeof(float) };
    if (!una_cache_begin(&w, m->origin, key, (double)m->count * (double)m->each * (double)h.item)) return;
    const unsigned char *numbers = m->bytes ? m->bytes : (const unsigned char *)m->numbers;
    h.path_size = path_room(w.place.path);
    size_t before = sizeof h + h.path_size, size = m->count * m->each * h.item;
    una_mark mark = una_arena_mark(&m->run->scratch);
    unsigned char *bytes = UNA_GET(&m->run->scratch, unsigned char, before);
    if (bytes) {
        h.numbers_sum = sum_numbers(numbers, size, m->run);
        memcpy(bytes, &h, sizeof h);
        memcpy(bytes + sizeof h, w.place.path, strlen(w.place.path));
        h.sum = una_crc32(0, bytes, before);
        memcpy(bytes, &h, sizeof h);
    }
    bool good = bytes && una_cache_put(w.handle, bytes, before, m->run) &&
                una_cache_put(w.handle, numbers, size, m->run);
    una_arena_release(&m->run->scratch, mark);
    una_cache_end(&w, good, m->run);
}
