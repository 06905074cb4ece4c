// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "blake2b.h"

#include <string.h>

#include "word_lanes.h"

/// RFC 7693, section 2.6.
static const uint64_t start[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

/// Section 2.7. The rounds after these ten begin with the first again.
static const uint8_t schedule[10][16] = {
    {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15}, {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
    {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4}, {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
    {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13}, {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
    {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11}, {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
    {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5}, {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0},
};

static inline uint64_t rotated(uint64_t word, int count) { return word >> count | word << (64 - count); }

/// G, section 3.1.
static inline void mix(uint64_t v[16], int a, int b, int c, int d, uint64_t x, uint64_t y) {
    v[a] += v[b] + x;
    v[d] = rotated(v[d] ^ v[a], 32);
    v[c] += v[d];
    v[b] = rotated(v[b] ^ v[c], 24);
    v[a] += v[b] + y;
    v[d] = rotated(v[d] ^ v[a], 16);
    v[c] += v[d];
    v[b] = rotated(v[b] ^ v[c], 63);
}

/// F, section 3.2.
static void compress(struct blake2b *hash, const uint8_t block[BLAKE2B_BLOCK], uint64_t count, int is_last) {
    uint64_t words[16], v[16];
    memcpy(words, block, sizeof words);
    memcpy(v, hash->state, sizeof hash->state);
    memcpy(v + 8, start, sizeof start);
    v[12] ^= count;
    if (is_last) v[14] = ~v[14];
    for (int round = 0; round < 12; round++) {
        const uint8_t *s = schedule[round % 10];
        for (int n = 0; n < 4; n++) mix(v, n, n + 4, n + 8, n + 12, words[s[2 * n]], words[s[2 * n + 1]]);
        for (int n = 0; n < 4; n++) {
            mix(v, n, (n + 1) % 4 + 4, (n + 2) % 4 + 8, (n + 3) % 4 + 12, words[s[2 * n + 8]], words[s[2 * n + 9]]);
        }
    }
    for (int n = 0; n < 8; n++) hash->state[n] ^= v[n] ^ v[n + 8];
    explicit_bzero(words, sizeof words);
    explicit_bzero(v, sizeof v);
}

void credkit_blake2b_begin(struct blake2b *hash, size_t length) {
    memcpy(hash->state, start, sizeof start);
    hash->state[0] ^= 0x01010000 ^ length;
    hash->count = 0;
    hash->used = 0;
    hash->length = length;
}

void credkit_blake2b_add(struct blake2b *hash, const void *bytes, size_t length) {
    const uint8_t *next = bytes;
    while (length > 0) {
        // The last block is compressed at the end, even if it is full.
        if (hash->used == BLAKE2B_BLOCK) {
            hash->count += BLAKE2B_BLOCK;
            compress(hash, hash->block, hash->count, 0);
            hash->used = 0;
        }
        const size_t room = BLAKE2B_BLOCK - hash->used, part = length < room ? length : room;
        memcpy(hash->block + hash->used, next, part);
        hash->used += part, next += part, length -= part;
    }
}

void credkit_blake2b_add_number(struct blake2b *hash, uint32_t number) {
    credkit_blake2b_add(hash, &number, sizeof number);
}

void credkit_blake2b_end(struct blake2b *hash, uint8_t *digest) {
    memset(hash->block + hash->used, 0, BLAKE2B_BLOCK - hash->used);
    compress(hash, hash->block, hash->count + hash->used, 1);
    memcpy(digest, hash->state, hash->length);
    explicit_bzero(hash, sizeof *hash);
}

void credkit_blake2b_long(uint8_t *digest, size_t length, const uint8_t *message, size_t message_length) {
    struct blake2b hash;
    credkit_blake2b_begin(&hash, length < BLAKE2B_LONGEST ? length : BLAKE2B_LONGEST);
    credkit_blake2b_add_number(&hash, (uint32_t)length);
    credkit_blake2b_add(&hash, message, message_length);
    if (length <= BLAKE2B_LONGEST) {
        credkit_blake2b_end(&hash, digest);
        return;
    }
    // Half of each digest V1, V2 … is output, and all of the last one.
    uint8_t part[BLAKE2B_LONGEST];
    credkit_blake2b_end(&hash, part);
    for (;;) {
        memcpy(digest, part, BLAKE2B_LONGEST / 2);
        digest += BLAKE2B_LONGEST / 2, length -= BLAKE2B_LONGEST / 2;
        const size_t next = length < BLAKE2B_LONGEST ? length : BLAKE2B_LONGEST;
        credkit_blake2b_begin(&hash, next);
        credkit_blake2b_add(&hash, part, BLAKE2B_LONGEST);
        credkit_blake2b_end(&hash, length <= BLAKE2B_LONGEST ? digest : part);
        if (length <= BLAKE2B_LONGEST) break;
    }
    explicit_bzero(part, sizeof part);
}
