// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-crypt with SHA-256 with the SHA instructions, of one lane or of two at a time.
#if defined(__x86_64__)
#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma clang attribute push(__attribute__((target("sha,sse4.1,ssse3"))), apply_to = function)

#include "CCredKitSHACrypt.h"
#include "sha256_sha_ni.h"
#include "shacrypt_rounds.h"

enum { AT_ONCE = 2 };

/// The order of the bytes of four words in a message.
static inline __m128i swapped(__m128i words) {
    return _mm_shuffle_epi8(words, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}

static inline void load_block(__m128i words[4], const uint8_t *block) {
    for (int n = 0; n < 4; n++) words[n] = swapped(_mm_loadu_si128((const __m128i *)(block + 16 * n)));
}

static void compress(union credkit_shacrypt_state *state, const uint64_t *block) {
    __m128i words[1][4];
    struct sha_ni_state states[1] = {sha_ni_load(state->halves)};
    load_block(words[0], (const uint8_t *)block);
    sha_ni_compress(states, words, 1);
    sha_ni_store(&states[0], state->halves);
}

/// Hashes blocks of `count` lanes, which is a constant; all of them have as many left.
static inline __attribute__((always_inline)) void advance_together(struct credkit_shacrypt_lane *const *lanes,
                                                                  const int count, size_t blocks) {
    struct sha_ni_state states[AT_ONCE];
    __m128i words[AT_ONCE][4];
    for (int n = 0; n < count; n++) states[n] = sha_ni_load(lanes[n]->state.halves);
    for (; blocks > 0; blocks--) {
        for (int n = 0; n < count; n++) load_block(words[n], sha256_block(lanes[n]));
        sha_ni_compress(states, words, count);
        for (int n = 0; n < count; n++) {
            struct credkit_shacrypt_lane *const lane = lanes[n];
            if (!shacrypt_begins_round(lane)) continue;
            uint8_t *const place = lane->messages.bytes[lane->message] + lane->places[lane->message];
            sha_ni_store(&states[n], lane->state.halves);
            for (int half = 0; half < 2; half++) {
                const __m128i digest = _mm_loadu_si128((const __m128i *)&lane->state.halves[4 * half]);
                _mm_storeu_si128((__m128i *)(place + 16 * half), swapped(digest));
            }
            states[n] = sha_ni_load(sha256_start);
        }
    }
    for (int n = 0; n < count; n++) sha_ni_store(&states[n], lanes[n]->state.halves);
    explicit_bzero(states, sizeof states);
    explicit_bzero(words, sizeof words);
}

static __attribute__((noinline)) void advance_one(struct credkit_shacrypt_lane *lane, size_t blocks) {
    // Each round has at least one block.
    while (blocks > 0 && lane->round < lane->rounds) {
        const size_t rounds = lane->rounds - lane->round, count = rounds < blocks ? rounds : blocks;
        advance_together(&lane, 1, count);
        blocks -= count;
    }
}

static __attribute__((noinline)) void advance_lanes(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    (void)count;
    advance_together(lanes, AT_ONCE, blocks);
}

static void advance(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    shacrypt_advance_groups(lanes, count, blocks, AT_ONCE, AT_ONCE, advance_one, advance_lanes);
}

const struct credkit_shacrypt_kernels credkit_sha256_crypt_sha = {
    "sha", CREDKIT_SHA256_CRYPT, AT_ONCE, AT_ONCE, compress, advance,
};

#pragma clang attribute pop
#endif
