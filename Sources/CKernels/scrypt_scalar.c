// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// scrypt in the general registers, one lane after the other. A chain of dependent additions, rotations and exclusive ors is
// bound by latency, and vectors have the longer one on some processors: on Zen 5, two cycles instead of one.
#include "scrypt_lanes.h"

#define LANES 1
#define NAME(name) name##_1

struct part_1 {
    uint32_t words[16];
};

/// A word that the compiler must not combine with its neighbours to a vector.
static inline uint32_t word_at(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    __asm__("" : "+r"(word));
    return word;
}

static inline __attribute__((always_inline)) void load_1(struct part_1 *x, const uint8_t *const *blocks, size_t offset) {
    for (size_t n = 0; n < 16; n++) x->words[n] = word_at(blocks[0] + offset + 4 * n);
}

static inline __attribute__((always_inline)) void add_in_1(struct part_1 *x, const uint8_t *const *blocks, size_t offset) {
    for (size_t n = 0; n < 16; n++) x->words[n] ^= word_at(blocks[0] + offset + 4 * n);
}

static inline __attribute__((always_inline)) void store_1(const struct part_1 *x, uint8_t *const *blocks, size_t offset) {
    memcpy(blocks[0] + offset, x->words, sizeof x->words);
}

#define ROTATED(word, count) ((word) << (count) | (word) >> (32 - (count)))
/// A quarter of a quarterround (RFC 7914, section 3).
#define STEP(a, b, c, count) x->words[a] ^= ROTATED(x->words[b] + x->words[c], count)

/// Salsa20/8.
static inline __attribute__((always_inline)) void salsa_1(struct part_1 *x) {
    const struct part_1 start = *x;
#pragma clang loop unroll(full)
    for (int round = 0; round < 8; round += 2) {
        STEP(4, 0, 12, 7), STEP(9, 5, 1, 7), STEP(14, 10, 6, 7), STEP(3, 15, 11, 7);
        STEP(8, 4, 0, 9), STEP(13, 9, 5, 9), STEP(2, 14, 10, 9), STEP(7, 3, 15, 9);
        STEP(12, 8, 4, 13), STEP(1, 13, 9, 13), STEP(6, 2, 14, 13), STEP(11, 7, 3, 13);
        STEP(0, 12, 8, 18), STEP(5, 1, 13, 18), STEP(10, 6, 2, 18), STEP(15, 11, 7, 18);
        STEP(1, 0, 3, 7), STEP(6, 5, 4, 7), STEP(11, 10, 9, 7), STEP(12, 15, 14, 7);
        STEP(2, 1, 0, 9), STEP(7, 6, 5, 9), STEP(8, 11, 10, 9), STEP(13, 12, 15, 9);
        STEP(3, 2, 1, 13), STEP(4, 7, 6, 13), STEP(9, 8, 11, 13), STEP(14, 13, 12, 13);
        STEP(0, 3, 2, 18), STEP(5, 4, 7, 18), STEP(10, 9, 8, 18), STEP(15, 14, 13, 18);
    }
    for (int n = 0; n < 16; n++) x->words[n] += start.words[n];
}

#include "scrypt_steps.h"

static void fill(uint8_t *const *memories, size_t lanes, size_t r, uint32_t first, uint32_t end) {
    for (size_t lane = 0; lane < lanes; lane++) fill_1(memories + lane, r, first, end);
}

static void mix(uint8_t *const *memories, size_t lanes, size_t r, uint32_t n, uint32_t steps) {
    for (size_t lane = 0; lane < lanes; lane++) mix_1(memories + lane, r, n, steps);
}

const struct credkit_scrypt_kernels credkit_scrypt_scalar = {"scalar", 0, fill, mix};
