// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// What all kernels of scrypt share.
#ifndef CREDKIT_SCRYPT_LANES_H
#define CREDKIT_SCRYPT_LANES_H

#include <string.h>

#include "CCredKitScrypt.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The kernels are written for little-endian processors, which are all that Swift has on Linux."
#endif

enum {
    SCRYPT_SUB_BLOCK = 64,
    /// The number of cache lines of a block that are requested at once. The processor requests those after them by itself.
    SCRYPT_REQUESTED = 32,
};

/// Returns the block of V that Integerify of a block selects, and requests it from memory. The first word is at the same
/// place in both orders; n has at most 32 bits.
static inline const uint8_t *scrypt_other_block(const uint8_t *memory, const uint8_t *block, size_t r, uint32_t n) {
    uint32_t word;
    memcpy(&word, block + (2 * r - 1) * SCRYPT_SUB_BLOCK, sizeof word);
    const uint8_t *other = memory + (size_t)(word & (n - 1)) * (2 * SCRYPT_SUB_BLOCK * r);
    // The last sub-block is needed first.
    __builtin_prefetch(other + (2 * r - 1) * SCRYPT_SUB_BLOCK);
    for (size_t line = 0; line < 2 * r - 1 && line < SCRYPT_REQUESTED; line++) {
        __builtin_prefetch(other + line * SCRYPT_SUB_BLOCK);
    }
    return other;
}

#endif
