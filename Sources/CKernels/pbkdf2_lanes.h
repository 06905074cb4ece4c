// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The iterations of PBKDF2 with a lane in each lane of vectors of VECTOR_BYTES, for the hash function FUNCTION: 1 for SHA-1,
// 256 or 512. Each file for an instruction set includes this file once for each of them.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pbkdf2_kernels.h"
#include "sha256_constants.h"
#include "sha512_constants.h"

#define JOINED_(name, function) name##_##function
#define JOINED(name, function) JOINED_(name, function)
#define NAME(name) JOINED(name, FUNCTION)

#if FUNCTION == 512
typedef uint64_t NAME(word);
#define WORDS wide
#else
typedef uint32_t NAME(word);
#define WORDS narrow
#endif
typedef NAME(word) NAME(vector) __attribute__((vector_size(VECTOR_BYTES)));
#define VECTOR NAME(vector)
enum {
    NAME(WORD_BITS) = 8 * sizeof(NAME(word)),
    NAME(VECTOR_LANES) = VECTOR_BYTES / sizeof(NAME(word)),
    NAME(STATE_WORDS) = FUNCTION == 1 ? 5 : 8,
};

/// The words of a digest, or of a state.
struct NAME(digest) {
    VECTOR words[NAME(STATE_WORDS)];
};

// Macros, which become one instruction each with AVX-512.
#define ROTATED(word, bits) ((word) >> (bits) | (word) << (NAME(WORD_BITS) - (bits)))
#define CHOICE(e, f, g) ((((f) ^ (g)) & (e)) ^ (g))
#define MAJORITY(a, b, c) (((a) & (b)) | (((a) | (b)) & (c)))

#if FUNCTION == 1

/// Performs the rounds of a compression; the words of the state end in their places.
static inline __attribute__((always_inline)) void NAME(rounds)(VECTOR s[5], VECTOR words[16]) {
#pragma clang loop unroll(full)
    for (int n = 0; n < 80; n++) {
        // The words of a state change their names from round to round instead of their places.
        VECTOR *const a = &s[(80 - n) % 5], *const b = &s[(81 - n) % 5], *const c = &s[(82 - n) % 5];
        VECTOR *const d = &s[(83 - n) % 5], *const e = &s[(84 - n) % 5], *const word = &words[n % 16];
        if (n >= 16) {
            *word ^= words[(n + 2) % 16] ^ words[(n + 8) % 16] ^ words[(n + 13) % 16];
            *word = ROTATED(*word, 31);
        }
        const VECTOR mixed = n < 20              ? CHOICE(*b, *c, *d)
                             : n < 40 || n >= 60 ? *b ^ *c ^ *d
                                                 : MAJORITY(*b, *c, *d);
        const uint32_t constant = n < 20 ? 0x5a827999 : n < 40 ? 0x6ed9eba1 : n < 60 ? 0x8f1bbcdc : 0xca62c1d6;
        *e += (*word + constant) + mixed + ROTATED(*a, 27);
        *b = ROTATED(*b, 2);
    }
}

#else

#if FUNCTION == 512
enum { ROUNDS_512 = 80 };
#define CONSTANTS sha512_constants
#define LARGE_0(word) (ROTATED(word, 28) ^ ROTATED(word, 34) ^ ROTATED(word, 39))
#define LARGE_1(word) (ROTATED(word, 14) ^ ROTATED(word, 18) ^ ROTATED(word, 41))
#define SMALL_0(word) (ROTATED(word, 1) ^ ROTATED(word, 8) ^ (word) >> 7)
#define SMALL_1(word) (ROTATED(word, 19) ^ ROTATED(word, 61) ^ (word) >> 6)
#else
enum { ROUNDS_256 = 64 };
#define CONSTANTS sha256_constants
#define LARGE_0(word) (ROTATED(word, 2) ^ ROTATED(word, 13) ^ ROTATED(word, 22))
#define LARGE_1(word) (ROTATED(word, 6) ^ ROTATED(word, 11) ^ ROTATED(word, 25))
#define SMALL_0(word) (ROTATED(word, 7) ^ ROTATED(word, 18) ^ (word) >> 3)
#define SMALL_1(word) (ROTATED(word, 17) ^ ROTATED(word, 19) ^ (word) >> 10)
#endif

static inline __attribute__((always_inline)) void NAME(rounds)(VECTOR s[8], VECTOR words[16]) {
    VECTOR difference = s[1] ^ s[2];
#pragma clang loop unroll(full)
    for (int n = 0; n < NAME(ROUNDS); n++) {
        VECTOR *const a = &s[(80 - n) % 8], *const b = &s[(81 - n) % 8], *const c = &s[(82 - n) % 8];
        VECTOR *const d = &s[(83 - n) % 8], *const e = &s[(84 - n) % 8], *const f = &s[(85 - n) % 8];
        VECTOR *const g = &s[(86 - n) % 8], *const h = &s[(87 - n) % 8], *const word = &words[n % 16];
        const VECTOR sum = *h + (*word + CONSTANTS[n]) + CHOICE(*e, *f, *g) + LARGE_1(*e);
        *d += sum;
        // The majority is a where b and c differ, otherwise b. The difference of a and b is that of b and c in the next round.
        // AVX-512 has one instruction for three words.
        const VECTOR other = *a ^ *b;
        *h = sum + LARGE_0(*a) + (VECTOR_BYTES == 64 ? MAJORITY(*a, *b, *c) : (other & difference) ^ *b);
        difference = other;
        if (n >= NAME(ROUNDS) - 16) continue;
        // The word for the round sixteen later.
        *word += words[(n + 9) % 16] + SMALL_0(words[(n + 1) % 16]) + SMALL_1(words[(n + 14) % 16]);
    }
}

#undef CONSTANTS
#undef LARGE_0
#undef LARGE_1
#undef SMALL_0
#undef SMALL_1
#endif

/// Replaces digests by those of messages that consist of the block behind a state, and of the digests.
static __attribute__((noinline)) void NAME(hash_digest)(struct NAME(digest) *digest, const struct NAME(digest) *start) {
    VECTOR words[16], s[NAME(STATE_WORDS)];
    for (int n = 0; n < NAME(STATE_WORDS); n++) words[n] = digest->words[n], s[n] = start->words[n];
    // The padding is constant, so the compiler computes a part of the message schedule.
    for (int n = NAME(STATE_WORDS); n < 16; n++) words[n] = (VECTOR){};
    words[NAME(STATE_WORDS)] += (NAME(word))1 << (NAME(WORD_BITS) - 1);
    words[15] += 8 * (16 + NAME(STATE_WORDS)) * sizeof(NAME(word));
    NAME(rounds)(s, words);
    for (int n = 0; n < NAME(STATE_WORDS); n++) digest->words[n] = start->words[n] + s[n];
}

/// Copies the words of all lanes to or from one of the four states.
#define COPY(state, target, source) \
    do { \
        for (int word = 0; word < NAME(STATE_WORDS); word++) { \
            for (size_t lane = 0; lane < count; lane++) { \
                uint8_t *const in_vector = (uint8_t *)&state.words[word] + lane * sizeof(NAME(word)); \
                NAME(word) *const in_lane = &lanes[lane]->state.WORDS[word]; \
                memcpy(target, source, sizeof(NAME(word))); \
            } \
        } \
    } while (0)
#define LOAD(state) COPY(state, in_vector, in_lane)
#define STORE(state) COPY(state, in_lane, in_vector)

static void NAME(iterate)(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    // Lanes that are not used compute with zeros.
    struct NAME(digest) inner = {0}, outer = {0}, last = {0}, sum = {0};
    LOAD(inner);
    LOAD(outer);
    LOAD(last);
    LOAD(sum);
    for (uint32_t n = 0; n < iterations; n++) {
        NAME(hash_digest)(&last, &inner);
        NAME(hash_digest)(&last, &outer);
        for (int word = 0; word < NAME(STATE_WORDS); word++) sum.words[word] ^= last.words[word];
    }
    STORE(last);
    STORE(sum);
    explicit_bzero(&inner, sizeof inner);
    explicit_bzero(&outer, sizeof outer);
    explicit_bzero(&last, sizeof last);
    explicit_bzero(&sum, sizeof sum);
}

#undef JOINED_
#undef JOINED
#undef NAME
#undef VECTOR
#undef WORDS
#undef ROTATED
#undef CHOICE
#undef MAJORITY
#undef COPY
#undef LOAD
#undef STORE
#undef FUNCTION
