/* SPDX-License-Identifier: MIT
 *
 * See hash.h.
 */
#include "base/hash.h"

#include <fcntl.h>
#include <unistd.h>

/* Where there is no source of randomness (no /dev in a jail), uses what a stranger is least likely to know. */
una_hash_key una_hash_key_new(void)
{
    una_hash_key key = { { 0, 0 } };
    struct timespec now = { 0 };
    int handle = open("/dev/urandom", O_RDONLY | O_CLOEXEC | O_NOCTTY);
    ssize_t got = handle >= 0 ? read(handle, &key, sizeof key) : 0;
    if (handle >= 0) close(handle);
    if (got == (ssize_t)sizeof key) return key;
    clock_gettime(CLOCK_REALTIME, &now);
    key.word[0] ^= (uint64_t)now.tv_sec << 32 ^ (uint64_t)now.tv_nsec ^ (uint64_t)getpid() << 48;
    key.word[1] ^= (uint64_t)(uintptr_t)&now;
    return key;
}

una_hash_key una_hash_key_of(const una_run *run)
{
    while (run->parent) run = run->parent;
    return run->hash_key;
}

una_hash una_hash_begin(una_hash_key key)
{
    return (una_hash){ { key.word[0] ^ UINT64_C(0x736f6d6570736575), key.word[1] ^ UINT64_C(0x646f72616e646f6d),
                         key.word[0] ^ UINT64_C(0x6c7967656e657261), key.word[1] ^ UINT64_C(0x7465646279746573) } };
}

uint64_t una_hash_end(una_hash h)
{
    h.v[2] ^= 0xff;
    for (int i = 0; i < 3; i++) una_hash_round(&h);
    return h.v[0] ^ h.v[1] ^ h.v[2] ^ h.v[3];
}

/* Bytes as a word, the first one lowest, whatever the byte order of the machine. */
static uint64_t word_of_bytes(const unsigned char *at, size_t count)
{
    uint64_t word = 0;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t low, high;
    if (count == sizeof word) {
        memcpy(&word, at, sizeof word);
        return word;
    }
    if (count >= sizeof low) {                           /* two halves, which may share bytes */
        memcpy(&low, at, sizeof low);
        memcpy(&high, at + count - sizeof high, sizeof high);
        return low | (uint64_t)high << 8 * (count - sizeof high);
    }
#endif
    for (size_t i = 0; i < count; i++) word |= (uint64_t)at[i] << 8 * i;
    return word;
}

uint64_t una_hash_bytes(una_hash_key key, const void *bytes, size_t size)
{
    const unsigned char *at = bytes, *last = at + size / 8 * 8;
    una_hash h = una_hash_begin(key);
    for (; at < last; at += 8) una_hash_add(&h, word_of_bytes(at, 8));
    una_hash_add(&h, word_of_bytes(at, size % 8) | (uint64_t)size << 56);
    return una_hash_end(h);
}

uint64_t una_hash_text(una_hash_key key, const char *text)
{
    return una_hash_bytes(key, text, strlen(text));
}
