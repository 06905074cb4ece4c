// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-256 with the SHA instructions, of several messages at a time, because each instruction waits for the previous one of
// the same message. The including file chooses the instruction set.
#ifndef CREDKIT_SHA256_SHA_NI_H
#define CREDKIT_SHA256_SHA_NI_H

#include <immintrin.h>
#include <stdint.h>

#include "sha256_constants.h"

/// The words of a state in the order of the instructions: F, E, B, A and H, G, D, C, from the lowest.
struct sha_ni_state {
    __m128i abef, cdgh;
};

/// Four words of the message. `words` is a window of sixteen of them.
#define QUAD(n) words[message][(n) % 4]

/// Hashes a block of each of `count` messages, given as words. `count` is a constant.
static inline __attribute__((always_inline)) void sha_ni_compress(struct sha_ni_state *states, __m128i (*words)[4],
                                                                 const int count) {
    struct sha_ni_state starts[4];
    for (int message = 0; message < count; message++) starts[message] = states[message];
#pragma clang loop unroll(full)
    for (int n = 0; n < 16; n++) {
        const __m128i constants = _mm_loadu_si128((const __m128i *)&sha256_constants[4 * n]);
#pragma clang loop unroll(full)
        for (int message = 0; message < count; message++) {
            if (n >= 4) {
                const __m128i seventh = _mm_alignr_epi8(QUAD(n + 3), QUAD(n + 2), 4);
                const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(QUAD(n), QUAD(n + 1)), seventh);
                QUAD(n) = _mm_sha256msg2_epu32(sum, QUAD(n + 3));
            }
            const __m128i sum = _mm_add_epi32(QUAD(n), constants);
            struct sha_ni_state *const state = &states[message];
            // Each performs two rounds, and exchanges the halves of the state.
            state->cdgh = _mm_sha256rnds2_epu32(state->cdgh, state->abef, sum);
            state->abef = _mm_sha256rnds2_epu32(state->abef, state->cdgh, _mm_shuffle_epi32(sum, 0x0E));
        }
    }
    for (int message = 0; message < count; message++) {
        states[message].abef = _mm_add_epi32(states[message].abef, starts[message].abef);
        states[message].cdgh = _mm_add_epi32(states[message].cdgh, starts[message].cdgh);
    }
}

#undef QUAD

/// Converts between the eight words of a state in memory and the order of the instructions.
static inline __attribute__((always_inline)) struct sha_ni_state sha_ni_load(const uint32_t words[8]) {
    const __m128i abcd = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)words), 0x1B);
    const __m128i efgh = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(words + 4)), 0x1B);
    return (struct sha_ni_state){_mm_unpackhi_epi64(efgh, abcd), _mm_unpacklo_epi64(efgh, abcd)};
}
static inline __attribute__((always_inline)) void sha_ni_store(const struct sha_ni_state *state, uint32_t words[8]) {
    // A, B, E, F and C, D, G, H, from the lowest.
    const __m128i abef = _mm_shuffle_epi32(state->abef, 0x1B), cdgh = _mm_shuffle_epi32(state->cdgh, 0x1B);
    _mm_storeu_si128((__m128i *)words, _mm_unpacklo_epi64(abef, cdgh));
    _mm_storeu_si128((__m128i *)(words + 4), _mm_unpackhi_epi64(abef, cdgh));
}

#endif
