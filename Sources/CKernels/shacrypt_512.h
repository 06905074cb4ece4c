// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The rounds of SHA-crypt with SHA-512: of one lane, and, if VECTOR_BYTES is defined, with one lane in each word of vectors of
// this size. Each file for an instruction set includes this file once.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CCredKitSHACrypt.h"
#include "sha2_round.h"
#include "sha512_constants.h"
#include "shacrypt_rounds.h"

/// Four words of the message schedule, which is computed in vectors while the rounds use the other registers, and half of them.
typedef uint64_t four __attribute__((vector_size(32)));
typedef uint64_t pair __attribute__((vector_size(16)));

// Macros, which become one instruction each with AVX-512.
#define ROTATED(word, bits) ((word) >> (bits) | (word) << (64 - (bits)))
#define EARLY(word) (ROTATED(word, 1) ^ ROTATED(word, 8) ^ (word) >> 7)
#define LATE(word) (ROTATED(word, 19) ^ ROTATED(word, 61) ^ (word) >> 6)
#define LOWER(e) (ROTATED(e, 14) ^ ROTATED(e, 18) ^ ROTATED(e, 41))
#define UPPER(a) (ROTATED(a, 28) ^ ROTATED(a, 34) ^ ROTATED(a, 39))

#define LOW(words) __builtin_shufflevector(words, words, 0, 1)
#define HIGH(words) __builtin_shufflevector(words, words, 2, 3)
/// The four words from the second of some on.
#define FROM_SECOND(words, next) __builtin_shufflevector(words, next, 1, 2, 3, 4)

/// Replaces four words of the schedule by those sixteen rounds later, and adds the constants.
#define EXTEND(n) \
    do { \
        const four early = FROM_SECOND(words[n], words[((n) + 1) % 4]), last = words[((n) + 3) % 4]; \
        const four sum = words[n] + EARLY(early) + FROM_SECOND(words[((n) + 2) % 4], last); \
        const pair late = HIGH(last), first = LOW(sum) + LATE(late); \
        /* The last two words need the first two. */ \
        const pair second = HIGH(sum) + LATE(first); \
        four added; \
        memcpy(&added, constants + 4 * (n), sizeof added); \
        words[n] = __builtin_shufflevector(first, second, 0, 1, 2, 3); \
        sums.fours[n] = added + words[n]; \
        /* In memory, because there it is an operand of an addition. */ \
        __asm__("" : "+m"(sums)); \
    } while (0)
#define NOTHING(n)
// The words of a state change their names from round to round instead of their places.
#define FOUR_ROUNDS_512(a, b, c, d, e, f, g, h, n, SUM, NEXT) \
    ROUND(a, b, c, d, e, f, g, h, SUM(4 * (n))); \
    ROUND(h, a, b, c, d, e, f, g, SUM(4 * (n) + 1)); \
    ROUND(g, h, a, b, c, d, e, f, SUM(4 * (n) + 2)); \
    ROUND(f, g, h, a, b, c, d, e, SUM(4 * (n) + 3)); \
    NEXT(n)
#define SIXTEEN_ROUNDS(SUM, NEXT) \
    FOUR_ROUNDS_512(a, b, c, d, e, f, g, h, 0, SUM, NEXT); \
    FOUR_ROUNDS_512(e, f, g, h, a, b, c, d, 1, SUM, NEXT); \
    FOUR_ROUNDS_512(a, b, c, d, e, f, g, h, 2, SUM, NEXT); \
    FOUR_ROUNDS_512(e, f, g, h, a, b, c, d, 3, SUM, NEXT)
// The first rounds read single words: the processor would wait until it could join those that were just written.
#define FIRST_SUM(n) (block[n] + sha512_constants[n])
#define SUM(n) sums.words[n]

static inline __attribute__((always_inline)) void compress_one(uint64_t state[8], const uint64_t block[16]) {
    four words[4];
    union {
        four fours[4];
        uint64_t words[16];
    } sums;
    uint64_t a = state[0], b = state[1], c = state[2], d = state[3], e = state[4], f = state[5], g = state[6], h = state[7];
    uint64_t difference = b ^ c;
    const uint64_t *constants = sha512_constants + 16;
    for (int n = 0; n < 4; n++) memcpy(&words[n], block + 4 * n, sizeof(four));
    SIXTEEN_ROUNDS(FIRST_SUM, EXTEND);
    for (constants += 16; constants < sha512_constants + 80; constants += 16) { SIXTEEN_ROUNDS(SUM, EXTEND); }
    SIXTEEN_ROUNDS(SUM, NOTHING);
    state[0] += a, state[1] += b, state[2] += c, state[3] += d, state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void compress(union credkit_shacrypt_state *state, const uint64_t *block) { compress_one(state->words, block); }

static __attribute__((noinline)) void advance_one(struct credkit_shacrypt_lane *lane, size_t blocks) {
    uint64_t state[8];
    memcpy(state, lane->state.words, sizeof state);
    for (; blocks > 0 && lane->round < lane->rounds; blocks--) {
        compress_one(state, sha512_block(lane));
        if (shacrypt_begins_round(lane)) sha512_begin_round(lane, state);
    }
    memcpy(lane->state.words, state, sizeof state);
    // Nothing is wiped here: a variable whose address is given away would be in memory, not in registers. The caller wipes the
    // stack.
}

#if defined(VECTOR_BYTES)
typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES)));
enum { VECTOR_LANES = VECTOR_BYTES / 8 };

/// The same word of each lane.
static inline __attribute__((always_inline)) vector gathered(const uint64_t *const words[VECTOR_LANES], int n) {
#if VECTOR_BYTES == 64
    return (vector){words[0][n], words[1][n], words[2][n], words[3][n], words[4][n], words[5][n], words[6][n], words[7][n]};
#else
    return (vector){words[0][n], words[1][n], words[2][n], words[3][n]};
#endif
}

/// Hashes a block of each lane. Lanes may be the same.
static __attribute__((noinline)) void compress_lanes(vector result[8], const uint64_t *const states[VECTOR_LANES],
                                                     const uint64_t *const blocks[VECTOR_LANES]) {
    vector words[16], s[8];
    for (int n = 0; n < 16; n++) words[n] = gathered(blocks, n);
    for (int n = 0; n < 8; n++) result[n] = s[n] = gathered(states, n);
#pragma clang loop unroll(disable)
    for (int first = 0; first < 80; first += 16) {
#pragma clang loop unroll(full)
        for (int n = 0; n < 16; n++) {
            vector *const a = &s[(64 - n) % 8], *const b = &s[(65 - n) % 8], *const c = &s[(66 - n) % 8];
            vector *const d = &s[(67 - n) % 8], *const e = &s[(68 - n) % 8], *const f = &s[(69 - n) % 8];
            vector *const g = &s[(70 - n) % 8], *const h = &s[(71 - n) % 8], *const word = &words[n];
            const vector sum = *h + (*word + sha512_constants[first + n]) + CHOICE(*e, *f, *g) + LOWER(*e);
            *d += sum;
            *h = sum + UPPER(*a) + ((*a & *b) | ((*a | *b) & *c));
            // The word for the round sixteen later; after the last rounds none is needed.
            *word += EARLY(words[(n + 1) % 16]) + words[(n + 9) % 16] + LATE(words[(n + 14) % 16]);
        }
    }
    for (int n = 0; n < 8; n++) result[n] += s[n];
}

/// Hashes blocks of each of at least one lane, all of which have as many left.
static void advance_lanes(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks_left) {
    const uint64_t *states[VECTOR_LANES], *blocks[VECTOR_LANES];
    vector result[8];
    for (; blocks_left > 0; blocks_left--) {
        for (size_t n = 0; n < VECTOR_LANES; n++) {
            // Words without a lane compute with the first one.
            const struct credkit_shacrypt_lane *lane = lanes[n < count ? n : 0];
            states[n] = lane->state.words;
            blocks[n] = sha512_block(lane);
        }
        compress_lanes(result, states, blocks);
        for (size_t n = 0; n < count; n++) {
            uint64_t *state = lanes[n]->state.words;
            for (int word = 0; word < 8; word++) state[word] = result[word][n];
            if (shacrypt_begins_round(lanes[n])) sha512_begin_round(lanes[n], state);
        }
    }
    explicit_bzero(result, sizeof result);
}

static void advance(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    shacrypt_advance_groups(lanes, count, blocks, VECTOR_LANES, LEAST_LANES, advance_one, advance_lanes);
}
#else
static void advance(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    for (size_t n = 0; n < count; n++) advance_one(lanes[n], blocks);
}
#endif

#undef ROTATED
#undef EARLY
#undef LATE
#undef LOWER
#undef UPPER
#undef LOW
#undef HIGH
#undef FROM_SECOND
