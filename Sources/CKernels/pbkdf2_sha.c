// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 with the SHA instructions, two passwords at a time, because each instruction waits for the previous one of the
// same password.
#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CCredKitPBKDF2.h"
#include "sha256_constants.h"

#pragma clang attribute push(__attribute__((target("sha,sse4.1,ssse3"))), apply_to = function)

enum { AT_ONCE = 2 };

/// The words of a state in the order of the instructions: F, E, B, A and H, G, D, C, from the lowest.
struct state {
    __m128i abef, cdgh;
};

/// Four words of the message. `words` is a window of sixteen of them.
#define QUAD(n) words[lane][(n) % 4]

/// Replaces digests by those of messages that consist of the 64 bytes behind a state, and of the digests.
static inline __attribute__((always_inline)) void hash_digests(struct state digests[AT_ONCE],
                                                              const struct state starts[AT_ONCE]) {
    struct state states[AT_ONCE];
    __m128i words[AT_ONCE][4];
    for (int lane = 0; lane < AT_ONCE; lane++) {
        // A, B, C, D and E, F, G, H, from the lowest.
        const __m128i abef = _mm_shuffle_epi32(digests[lane].abef, 0x1B), cdgh = _mm_shuffle_epi32(digests[lane].cdgh, 0x1B);
        words[lane][0] = _mm_unpacklo_epi64(abef, cdgh);
        words[lane][1] = _mm_unpackhi_epi64(abef, cdgh);
        words[lane][2] = _mm_setr_epi32((int)0x80000000, 0, 0, 0);
        words[lane][3] = _mm_setr_epi32(0, 0, 0, (64 + 32) * 8);
        states[lane] = starts[lane];
    }
#pragma clang loop unroll(full)
    for (int n = 0; n < 16; n++) {
        const __m128i constants = _mm_loadu_si128((const __m128i *)&sha256_constants[4 * n]);
#pragma clang loop unroll(full)
        for (int lane = 0; lane < AT_ONCE; lane++) {
            if (n >= 4) {
                const __m128i seventh = _mm_alignr_epi8(QUAD(n + 3), QUAD(n + 2), 4);
                const __m128i sum = _mm_add_epi32(_mm_sha256msg1_epu32(QUAD(n), QUAD(n + 1)), seventh);
                QUAD(n) = _mm_sha256msg2_epu32(sum, QUAD(n + 3));
            }
            const __m128i sum = _mm_add_epi32(QUAD(n), constants);
            // Each performs two rounds, and exchanges the halves of the state.
            states[lane].cdgh = _mm_sha256rnds2_epu32(states[lane].cdgh, states[lane].abef, sum);
            states[lane].abef = _mm_sha256rnds2_epu32(states[lane].abef, states[lane].cdgh, _mm_shuffle_epi32(sum, 0x0E));
        }
    }
    for (int lane = 0; lane < AT_ONCE; lane++) {
        digests[lane].abef = _mm_add_epi32(states[lane].abef, starts[lane].abef);
        digests[lane].cdgh = _mm_add_epi32(states[lane].cdgh, starts[lane].cdgh);
    }
}

static inline void load(struct state *state, const struct credkit_pbkdf2_lanes *lanes, size_t lane) {
    const uint32_t(*const words)[CREDKIT_PBKDF2_LANES] = lanes->words;
    state->abef = _mm_setr_epi32((int)words[5][lane], (int)words[4][lane], (int)words[1][lane], (int)words[0][lane]);
    state->cdgh = _mm_setr_epi32((int)words[7][lane], (int)words[6][lane], (int)words[3][lane], (int)words[2][lane]);
}

static inline void store(const struct state *state, struct credkit_pbkdf2_lanes *lanes, size_t lane) {
    static const int places[8] = {5, 4, 1, 0, 7, 6, 3, 2};
    uint32_t words[8];
    memcpy(words, state, sizeof words);
    for (int n = 0; n < 8; n++) lanes->words[places[n]][lane] = words[n];
    explicit_bzero(words, sizeof words);
}

static void iterate(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count) {
    struct state inner[AT_ONCE], outer[AT_ONCE], last[AT_ONCE], sum[AT_ONCE];
    for (size_t first = 0; first < lanes; first += AT_ONCE) {
        for (int n = 0; n < AT_ONCE; n++) {
            load(&inner[n], &state->inner, first + n);
            load(&outer[n], &state->outer, first + n);
            load(&last[n], &state->last, first + n);
            load(&sum[n], &state->sum, first + n);
        }
        for (uint32_t iteration = 0; iteration < count; iteration++) {
            hash_digests(last, inner);
            hash_digests(last, outer);
            for (int n = 0; n < AT_ONCE; n++) {
                sum[n].abef = _mm_xor_si128(sum[n].abef, last[n].abef);
                sum[n].cdgh = _mm_xor_si128(sum[n].cdgh, last[n].cdgh);
            }
        }
        for (int n = 0; n < AT_ONCE; n++) {
            store(&last[n], &state->last, first + n);
            store(&sum[n], &state->sum, first + n);
        }
    }
    explicit_bzero(inner, sizeof inner);
    explicit_bzero(outer, sizeof outer);
    explicit_bzero(last, sizeof last);
    explicit_bzero(sum, sizeof sum);
}

const struct credkit_pbkdf2_kernels credkit_pbkdf2_sha = {"sha", 1, iterate};

#pragma clang attribute pop

int credkit_pbkdf2_has_sha(void) {
    // __builtin_cpu_supports does not know these instructions in every version of the compiler.
    unsigned a, b, c, d;
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3") &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0;
}
#endif
