// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The rounds of SHA-crypt with SHA-256 without the SHA instructions, of one lane after the other. Each file for an
// instruction set includes this file once.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CCredKitSHACrypt.h"
#include "sha256_constants.h"
#include "sha2_round.h"
#include "shacrypt_rounds.h"

/// Four words of the message schedule, which is computed in vectors while the rounds use the other registers.
typedef uint32_t quad __attribute__((vector_size(16)));

#define ROTATED(word, bits) ((word) >> (bits) | (word) << (32 - (bits)))
#define EARLY(word) (ROTATED(word, 7) ^ ROTATED(word, 18) ^ (word) >> 3)
#define LATE(word) (ROTATED(word, 17) ^ ROTATED(word, 19) ^ (word) >> 10)
#define LOWER(e) (ROTATED(e, 6) ^ ROTATED(e, 11) ^ ROTATED(e, 25))
#define UPPER(a) (ROTATED(a, 2) ^ ROTATED(a, 13) ^ ROTATED(a, 22))

static inline void add_constants(uint32_t sums[4], quad words, const uint32_t constants[4]) {
    quad added;
    memcpy(&added, constants, sizeof added);
    added += words;
    memcpy(sums, &added, sizeof added);
}

/// Replaces four words of the schedule by those sixteen rounds later.
static inline __attribute__((always_inline)) void extend_256(quad words[4], int n) {
    const quad none = {0}, last = words[(n + 3) % 4];
    const quad early = __builtin_shufflevector(words[n], words[(n + 1) % 4], 1, 2, 3, 4);
    quad sum = words[n] + EARLY(early) + __builtin_shufflevector(words[(n + 2) % 4], last, 1, 2, 3, 4);
    // The last two words need the first two.
    const quad first = LATE(last);
    sum += __builtin_shufflevector(first, none, 2, 3, 4, 4);
    const quad second = LATE(sum);
    words[n] = sum + __builtin_shufflevector(second, none, 4, 4, 0, 1);
}

// The words of a state change their names from round to round instead of their places.
#define FOUR_ROUNDS(a, b, c, d, e, f, g, h, n, NEXT) \
    ROUND(a, b, c, d, e, f, g, h, sums[4 * (n)]); \
    ROUND(h, a, b, c, d, e, f, g, sums[4 * (n) + 1]); \
    ROUND(g, h, a, b, c, d, e, f, sums[4 * (n) + 2]); \
    ROUND(f, g, h, a, b, c, d, e, sums[4 * (n) + 3]); \
    NEXT(n)
#define SIXTEEN_ROUNDS_256(NEXT) \
    FOUR_ROUNDS(a, b, c, d, e, f, g, h, 0, NEXT); \
    FOUR_ROUNDS(e, f, g, h, a, b, c, d, 1, NEXT); \
    FOUR_ROUNDS(a, b, c, d, e, f, g, h, 2, NEXT); \
    FOUR_ROUNDS(e, f, g, h, a, b, c, d, 3, NEXT)
/// In memory, because there a sum is an operand of an addition.
#define EXTEND_256(n) \
    do { \
        extend_256(words, n); \
        add_constants(sums + 4 * (n), words[n], constants + 4 * (n)); \
        __asm__("" : "+m"(sums)); \
    } while (0)
#define NOTHING_256(n)

static inline __attribute__((always_inline)) void compress_256(uint32_t state[8], const uint8_t *block) {
    quad words[4];
    _Alignas(16) uint32_t sums[16];
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    uint32_t difference = b ^ c;
    const uint32_t *constants = sha256_constants;
    for (int n = 0; n < 4; n++) {
        uint32_t swapped[4];
        memcpy(swapped, block + 16 * n, sizeof swapped);
        for (int word = 0; word < 4; word++) swapped[word] = __builtin_bswap32(swapped[word]);
        memcpy(&words[n], swapped, sizeof words[n]);
        add_constants(sums + 4 * n, words[n], constants + 4 * n);
    }
    __asm__("" : "+m"(sums));
    for (constants += 16; constants < sha256_constants + 64; constants += 16) { SIXTEEN_ROUNDS_256(EXTEND_256); }
    SIXTEEN_ROUNDS_256(NOTHING_256);
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void compress_block_256(union credkit_shacrypt_state *state, const uint64_t *block) {
    compress_256(state->halves, (const uint8_t *)block);
}

static void advance_256(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    // Not wiped here: a variable whose address is given away would be in memory, not in registers. The caller wipes the stack.
    uint32_t state[8];
    for (size_t n = 0; n < count; n++) {
        struct credkit_shacrypt_lane *const lane = lanes[n];
        memcpy(state, lane->state.halves, sizeof state);
        for (size_t rest = blocks; rest > 0 && lane->round < lane->rounds; rest--) {
            compress_256(state, sha256_block(lane));
            if (shacrypt_begins_round(lane)) sha256_begin_round(lane, state);
        }
        memcpy(lane->state.halves, state, sizeof state);
    }
}

#undef ROTATED
#undef EARLY
#undef LATE
#undef LOWER
#undef UPPER
