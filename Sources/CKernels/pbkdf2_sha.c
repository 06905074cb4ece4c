// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 with the SHA instructions, up to three lanes at a time, because each instruction waits for the previous one of the
// same lane.
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "pbkdf2_kernels.h"
#include "sha256_constants.h"

#pragma clang attribute push(__attribute__((target("sha,sse4.1,ssse3"))), apply_to = function)

enum { WIDTH = 3 };
#define INLINE static inline __attribute__((always_inline))

/// The words of a state in the order of the instructions. SHA-256: F, E, B, A and H, G, D, C, from the lowest. SHA-1: D, C, B,
/// A and 0, 0, 0, E.
struct state {
    __m128i low, high;
};

/// The computation of a lane.
struct computation {
    /// The states before the inner and the outer hash.
    struct state starts[2];
    /// What is added to the rounds of the hash before, in place of its start and of constants, for the first rounds.
    struct state first[2];
    /// The rounds of the last hash, to which its start is not added.
    struct state state;
    struct state sum;
    /// A window of sixteen words of the message.
    __m128i words[4];
};

/// Four words of the message.
#define QUAD(n) lanes[lane].words[(n) % 4]

/// From the highest to the lowest.
INLINE __m128i turned(__m128i words) { return _mm_shuffle_epi32(words, 0x1B); }

INLINE void prepare_sha256(struct computation *lane) {
    const uint32_t *const k = sha256_constants;
    const __m128i low = _mm_setr_epi32((int)k[0], (int)k[1], (int)k[4], (int)k[5]);
    const __m128i high = _mm_setr_epi32((int)k[2], (int)k[3], (int)k[6], (int)k[7]);
    for (int hash = 0; hash < 2; hash++) {
        lane->first[hash].low = _mm_add_epi32(turned(lane->starts[1 - hash].low), low);
        lane->first[hash].high = _mm_add_epi32(turned(lane->starts[1 - hash].high), high);
    }
    // The last hash was an outer one.
    lane->state.low = _mm_sub_epi32(lane->state.low, lane->starts[1].low);
    lane->state.high = _mm_sub_epi32(lane->state.high, lane->starts[1].high);
}

INLINE struct state digest_sha256(const struct computation *lane, const int hash) {
    return (struct state){_mm_add_epi32(lane->state.low, lane->starts[hash].low),
                          _mm_add_epi32(lane->state.high, lane->starts[hash].high)};
}

/// Hashes messages that consist of the 64 bytes behind a state, and of digests.
INLINE void hash_sha256(struct computation *lanes, const int count, const int hash) {
    struct state first[WIDTH];
    for (int lane = 0; lane < count; lane++) {
        // A, B, E, F and C, D, G, H, from the lowest: two rounds take two of them. Everything waits for these four
        // instructions.
        first[lane].low = _mm_add_epi32(turned(lanes[lane].state.low), lanes[lane].first[hash].low);
        first[lane].high = _mm_add_epi32(turned(lanes[lane].state.high), lanes[lane].first[hash].high);
        const struct state digest = digest_sha256(&lanes[lane], 1 - hash);
        QUAD(0) = _mm_unpacklo_epi64(turned(digest.low), turned(digest.high));
        QUAD(1) = _mm_unpackhi_epi64(turned(digest.low), turned(digest.high));
        QUAD(2) = _mm_setr_epi32((int)0x80000000, 0, 0, 0);
        QUAD(3) = _mm_setr_epi32(0, 0, 0, (64 + 32) * 8);
        lanes[lane].state = lanes[lane].starts[hash];
    }
#pragma clang loop unroll(full)
    for (int n = 0; n < 16; n++) {
        const __m128i constants = _mm_loadu_si128((const __m128i *)&sha256_constants[4 * n]);
#pragma clang loop unroll(full)
        for (int lane = 0; lane < count; lane++) {
            struct state *const state = &lanes[lane].state;
            // Alone, a lane would wait for its words: the one that the last word needs of the quad before is added at the end.
            const int is_late = count == 1;
            if (n >= 4) {
                const __m128i seventh = is_late ? _mm_srli_si128(QUAD(n + 2), 4) : _mm_alignr_epi8(QUAD(n + 3), QUAD(n + 2), 4);
                const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(QUAD(n), QUAD(n + 1)), seventh);
                const __m128i words = _mm_sha256msg2_epu32(sum, QUAD(n + 3));
                QUAD(n) = is_late ? _mm_add_epi32(words, _mm_slli_si128(QUAD(n + 3), 12)) : words;
            }
            const __m128i sum = _mm_add_epi32(QUAD(n), constants);
            const __m128i low = n == 0 ? first[lane].low : n == 1 ? _mm_shuffle_epi32(first[lane].low, 0x0E) : sum;
            const __m128i high = n == 0   ? first[lane].high
                                 : n == 1 ? _mm_shuffle_epi32(first[lane].high, 0x0E)
                                          : _mm_shuffle_epi32(sum, 0x0E);
            // Each performs two rounds, and exchanges the halves of the state.
            state->high = _mm_sha256rnds2_epu32(state->high, state->low, low);
            state->low = _mm_sha256rnds2_epu32(state->low, state->high, high);
        }
    }
}

INLINE void prepare_sha1(struct computation *lane) {
    for (int hash = 0; hash < 2; hash++) {
        lane->first[hash].low = _mm_add_epi32(lane->starts[1 - hash].low, lane->starts[hash].high);
    }
    lane->state.low = _mm_sub_epi32(lane->state.low, lane->starts[1].low);
    // The rotation of the next digest is undone.
    const __m128i e = _mm_sub_epi32(lane->state.high, lane->starts[1].high);
    lane->state.high = _mm_or_si128(_mm_slli_epi32(e, 2), _mm_srli_epi32(e, 30));
}

INLINE struct state digest_sha1(const struct computation *lane, const int hash) {
    return (struct state){_mm_add_epi32(lane->state.low, lane->starts[hash].low),
                          _mm_sha1nexte_epu32(lane->state.high, lane->starts[hash].high)};
}

INLINE void hash_sha1(struct computation *lanes, const int count, const int hash) {
    __m128i first[WIDTH];
    for (int lane = 0; lane < count; lane++) {
        first[lane] = _mm_add_epi32(lanes[lane].state.low, lanes[lane].first[hash].low);
        const struct state digest = digest_sha1(&lanes[lane], 1 - hash);
        // The words of the message, too, stand from the highest.
        QUAD(0) = digest.low;
        QUAD(1) = _mm_or_si128(digest.high, _mm_setr_epi32(0, 0, (int)0x80000000, 0));
        QUAD(2) = _mm_setzero_si128();
        QUAD(3) = _mm_setr_epi32((64 + 20) * 8, 0, 0, 0);
        lanes[lane].state = lanes[lane].starts[hash];
    }
#pragma clang loop unroll(full)
    for (int n = 0; n < 20; n++) {
#pragma clang loop unroll(full)
        for (int lane = 0; lane < count; lane++) {
            struct state *const state = &lanes[lane].state;
            if (n >= 4) {
                const __m128i sum = _mm_xor_si128(_mm_sha1msg1_epu32(QUAD(n), QUAD(n + 1)), QUAD(n + 2));
                QUAD(n) = _mm_sha1msg2_epu32(sum, QUAD(n + 3));
            }
            // E is A of four rounds ago, rotated, but at the start. Each performs four rounds.
            const __m128i sum = n == 0 ? first[lane] : _mm_sha1nexte_epu32(state->high, QUAD(n));
            state->high = state->low;
            state->low = n < 5    ? _mm_sha1rnds4_epu32(state->low, sum, 0)
                         : n < 10 ? _mm_sha1rnds4_epu32(state->low, sum, 1)
                         : n < 15 ? _mm_sha1rnds4_epu32(state->low, sum, 2)
                                  : _mm_sha1rnds4_epu32(state->low, sum, 3);
        }
    }
}

/// The place of each word in a state.
static const int places_sha256[8] = {3, 2, 7, 6, 1, 0, 5, 4}, places_sha1[5] = {3, 2, 1, 0, 7};

INLINE void load(struct state *state, const union credkit_pbkdf2_words *words, const int is_sha1) {
    uint32_t placed[8] = {0};
    if (is_sha1) {
        for (int n = 0; n < 5; n++) placed[places_sha1[n]] = words->narrow[n];
    } else {
        for (int n = 0; n < 8; n++) placed[places_sha256[n]] = words->narrow[n];
    }
    memcpy(state, placed, sizeof placed);
    explicit_bzero(placed, sizeof placed);
}

INLINE void store(const struct state *state, union credkit_pbkdf2_words *words, const int is_sha1) {
    uint32_t placed[8];
    memcpy(placed, state, sizeof placed);
    if (is_sha1) {
        for (int n = 0; n < 5; n++) words->narrow[n] = placed[places_sha1[n]];
    } else {
        for (int n = 0; n < 8; n++) words->narrow[n] = placed[places_sha256[n]];
    }
    explicit_bzero(placed, sizeof placed);
}

/// `count` is a constant in each call, so that the states stay in registers.
INLINE void iterate(struct credkit_pbkdf2_lane *const *lanes, const int count, uint32_t iterations, const int is_sha1) {
    struct computation computations[WIDTH];
    struct state last;
    for (int n = 0; n < count; n++) {
        load(&computations[n].starts[0], &lanes[n]->inner, is_sha1);
        load(&computations[n].starts[1], &lanes[n]->outer, is_sha1);
        load(&computations[n].state, &lanes[n]->last, is_sha1);
        load(&computations[n].sum, &lanes[n]->sum, is_sha1);
        is_sha1 ? prepare_sha1(&computations[n]) : prepare_sha256(&computations[n]);
    }
    for (uint32_t iteration = 0; iteration < iterations; iteration++) {
        for (int hash = 0; hash < 2; hash++) {
            is_sha1 ? hash_sha1(computations, count, hash) : hash_sha256(computations, count, hash);
        }
        for (int n = 0; n < count; n++) {
            struct computation *const each = &computations[n];
            last = is_sha1 ? digest_sha1(each, 1) : digest_sha256(each, 1);
            each->sum.low = _mm_xor_si128(each->sum.low, last.low);
            each->sum.high = _mm_xor_si128(each->sum.high, last.high);
        }
    }
    for (int n = 0; n < count; n++) {
        last = is_sha1 ? digest_sha1(&computations[n], 1) : digest_sha256(&computations[n], 1);
        store(&last, &lanes[n]->last, is_sha1);
        store(&computations[n].sum, &lanes[n]->sum, is_sha1);
    }
    explicit_bzero(computations, sizeof computations);
    explicit_bzero(&last, sizeof last);
}

#define ITERATE(name, is_sha1) \
    static void name(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) { \
        switch (count) { \
        case 1: iterate(lanes, 1, iterations, is_sha1); break; \
        case 2: iterate(lanes, 2, iterations, is_sha1); break; \
        default: iterate(lanes, 3, iterations, is_sha1); break; \
        } \
    }
ITERATE(iterate_sha1, 1)
ITERATE(iterate_sha256, 0)

pbkdf2_kernels credkit_pbkdf2_sha = {
    {"sha", CREDKIT_PBKDF2_SHA1, WIDTH, 1, iterate_sha1},
    {"sha", CREDKIT_PBKDF2_SHA256, WIDTH, 1, iterate_sha256},
};

#pragma clang attribute pop

int credkit_pbkdf2_has_sha(void) {
    // __builtin_cpu_supports does not know these instructions in every version of the compiler.
    unsigned a, b, c, d;
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3") &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0;
}
#endif
