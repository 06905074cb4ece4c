// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The padding of MD5 (RFC 1321 §3.1 and §3.2): a bit, zeros, and the length in bits.
#ifndef CREDKIT_MD5_PADDING_H
#define CREDKIT_MD5_PADDING_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/// The maximum size in bytes of a message's last part for which the padding fits into the same block.
enum { MD5_MOST_IN_LAST_BLOCK = 55 };

static inline void wipe(void *memory, size_t size) {
    memset(memory, 0, size);
    // Prevents the compiler from removing the memset because nothing reads the memory afterwards.
    __asm__ volatile("" : : "r"(memory) : "memory");
}

/// Copies fewer than 64 bytes, without the function call of a copy of unknown length.
static inline void copy_short(uint8_t *target, const uint8_t *source, size_t count) {
    // Copies two pieces, which overlap if they are longer than needed.
    if (count >= 32) {
        memcpy(target, source, 32);
        memcpy(target + count - 32, source + count - 32, 32);
    } else if (count >= 16) {
        memcpy(target, source, 16);
        memcpy(target + count - 16, source + count - 16, 16);
    } else if (count >= 8) {
        memcpy(target, source, 8);
        memcpy(target + count - 8, source + count - 8, 8);
    } else if (count >= 4) {
        memcpy(target, source, 4);
        memcpy(target + count - 4, source + count - 4, 4);
    } else {
        for (size_t index = 0; index < count; index++) target[index] = source[index];
    }
}

/// Ends a message. `tail` begins with its last `used` bytes, fewer than 64, followed by zeros.
static inline size_t end_tail(uint8_t *tail, size_t used, uint64_t length) {
    const size_t blocks = used <= MD5_MOST_IN_LAST_BLOCK ? 1 : 2;
    const uint64_t bits = length * 8;
    tail[used] = 0x80;
    memcpy(tail + blocks * 64 - sizeof bits, &bits, sizeof bits);
    return blocks;
}

#endif
