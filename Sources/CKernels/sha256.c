// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "sha256.h"

#include <string.h>

#include "sha256_constants.h"

const uint32_t credkit_sha256_start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

static inline uint32_t rotated(uint32_t word, int bits) { return word >> bits | word << (32 - bits); }

static void compress(uint32_t state[8], const uint8_t block[SHA256_BLOCK]) {
    uint32_t words[64], s[8];
    for (int n = 0; n < 16; n++) {
        memcpy(&words[n], block + 4 * n, 4);
        words[n] = __builtin_bswap32(words[n]);
    }
    for (int n = 16; n < 64; n++) {
        const uint32_t early = words[n - 15], late = words[n - 2];
        words[n] = words[n - 16] + words[n - 7] + (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3) +
                   (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
    }
    memcpy(s, state, sizeof s);
    for (int n = 0; n < 64; n++) {
        const uint32_t first = s[7] + (rotated(s[4], 6) ^ rotated(s[4], 11) ^ rotated(s[4], 25)) +
                               (((s[5] ^ s[6]) & s[4]) ^ s[6]) + sha256_constants[n] + words[n];
        const uint32_t second = (rotated(s[0], 2) ^ rotated(s[0], 13) ^ rotated(s[0], 22)) +
                                ((s[0] & s[1]) | ((s[0] | s[1]) & s[2]));
        memmove(s + 1, s, 7 * sizeof s[0]);
        s[4] += first;
        s[0] = first + second;
    }
    for (int n = 0; n < 8; n++) state[n] += s[n];
    explicit_bzero(words, sizeof words);
    explicit_bzero(s, sizeof s);
}

void credkit_sha256_begin(struct sha256 *hash, const uint32_t state[8], uint64_t length) {
    memcpy(hash->state, state, sizeof hash->state);
    hash->length = length;
}

void credkit_sha256_add(struct sha256 *hash, const uint8_t *bytes, size_t count) {
    while (count > 0) {
        const size_t used = hash->length % SHA256_BLOCK, room = SHA256_BLOCK - used;
        const size_t added = count < room ? count : room;
        memcpy(hash->block + used, bytes, added);
        hash->length += added;
        bytes += added;
        count -= added;
        if (added == room) compress(hash->state, hash->block);
    }
}

void credkit_sha256_end(struct sha256 *hash) {
    const uint64_t bits = __builtin_bswap64(hash->length * 8);
    static const uint8_t padding[SHA256_BLOCK] = {0x80};
    const size_t used = hash->length % SHA256_BLOCK;
    // The padding ends eight bytes before the end of a block.
    credkit_sha256_add(hash, padding, used < 56 ? 56 - used : SHA256_BLOCK + 56 - used);
    credkit_sha256_add(hash, (const uint8_t *)&bits, sizeof bits);
    explicit_bzero(hash->block, sizeof hash->block);
}

void credkit_sha256_digest(const uint32_t state[8], uint8_t digest[SHA256_DIGEST]) {
    for (int n = 0; n < 8; n++) {
        const uint32_t word = __builtin_bswap32(state[n]);
        memcpy(digest + 4 * n, &word, sizeof word);
    }
}
