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

enum { AT_ONCE = 2, /* The largest distance of a place from a block before it or behind it. */ FARTHEST = 256 };

// For each byte of a digest, its place in one half of a state; for those of the other half, and around the digest, zero.
// Read from any byte on, so that a shuffle moves the digest by any number of bytes. A digest that went through memory would
// be read before all of it was written, for which the processor waits.
#define NONE4 0x80, 0x80, 0x80, 0x80
#define NONE16 NONE4, NONE4, NONE4, NONE4
#define NONE64 NONE16, NONE16, NONE16, NONE16
#define NONE256 NONE64, NONE64, NONE64, NONE64
static const uint8_t places_abef[FARTHEST + 32 + FARTHEST] = {
    NONE256, 15, 14, 13, 12, 11, 10, 9, 8, NONE4, NONE4, 7, 6, 5, 4, 3, 2, 1, 0, NONE4, NONE4, NONE256,
};
static const uint8_t places_cdgh[FARTHEST + 32 + FARTHEST] = {
    NONE256, NONE4, NONE4, 15, 14, 13, 12, 11, 10, 9, 8, NONE4, NONE4, 7, 6, 5, 4, 3, 2, 1, 0, NONE256,
};
// The largest message begins, or ends, that far from the digest.
_Static_assert(CREDKIT_SHACRYPT_MESSAGE <= FARTHEST, "");

/// The order of the bytes of four words in a message.
static inline __m128i swapped(__m128i words) {
    return _mm_shuffle_epi8(words, _mm_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12));
}

static void compress(union credkit_shacrypt_state *state, const uint64_t *block) {
    __m128i words[1][4];
    struct sha_ni_state states[1] = {sha_ni_load(state->halves)};
    for (int n = 0; n < 4; n++) words[0][n] = swapped(_mm_loadu_si128((const __m128i *)block + n));
    sha_ni_compress(states, words, 1);
    sha_ni_store(&states[0], state->halves);
}

/// Loads the next block of a lane, with the digest in its place, where the message has zeros.
static inline __attribute__((always_inline)) void load_block(__m128i words[4], const struct credkit_shacrypt_lane *lane,
                                                            const struct sha_ni_state *digest) {
    const uint8_t *const block = sha256_block(lane);
    const ptrdiff_t first = FARTHEST + 64 * lane->block - lane->places[lane->message];
    for (int n = 0; n < 4; n++) {
        const __m128i abef = _mm_loadu_si128((const __m128i *)(places_abef + first + 16 * n));
        const __m128i cdgh = _mm_loadu_si128((const __m128i *)(places_cdgh + first + 16 * n));
        const __m128i moved = _mm_or_si128(_mm_shuffle_epi8(digest->abef, abef), _mm_shuffle_epi8(digest->cdgh, cdgh));
        words[n] = swapped(_mm_or_si128(moved, _mm_loadu_si128((const __m128i *)(block + 16 * n))));
    }
}

static inline uint8_t *place_of_digest(struct credkit_shacrypt_lane *lane) {
    return lane->messages.bytes[lane->message] + lane->places[lane->message];
}

/// Takes the digest out of the message of the current round.
static inline struct sha_ni_state take_digest(struct credkit_shacrypt_lane *lane) {
    __m128i words[2];
    __m128i *const place = (__m128i *)place_of_digest(lane);
    for (int n = 0; n < 2; n++) {
        words[n] = swapped(_mm_loadu_si128(place + n));
        _mm_storeu_si128(place + n, _mm_setzero_si128());
    }
    const struct sha_ni_state digest = sha_ni_load((const uint32_t *)words);
    explicit_bzero(words, sizeof words);
    return digest;
}

/// Puts the digest back.
static inline void put_digest(struct credkit_shacrypt_lane *lane, const struct sha_ni_state *digest) {
    __m128i words[2];
    __m128i *const place = (__m128i *)place_of_digest(lane);
    sha_ni_store(digest, (uint32_t *)words);
    for (int n = 0; n < 2; n++) _mm_storeu_si128(place + n, swapped(words[n]));
    explicit_bzero(words, sizeof words);
}

/// Hashes blocks of `count` lanes, which is a constant; all of them have as many left.
static inline __attribute__((always_inline)) void advance_together(struct credkit_shacrypt_lane *const *lanes,
                                                                  const int count, size_t blocks) {
    struct sha_ni_state states[AT_ONCE], given[AT_ONCE];
    __m128i words[AT_ONCE][4];
    for (int n = 0; n < count; n++) {
        states[n] = sha_ni_load(lanes[n]->state.halves);
        given[n] = take_digest(lanes[n]);
    }
    for (; blocks > 0; blocks--) {
        for (int n = 0; n < count; n++) load_block(words[n], lanes[n], &given[n]);
        sha_ni_compress(states, words, count);
        for (int n = 0; n < count; n++) {
            if (!shacrypt_begins_round(lanes[n])) continue;
            given[n] = states[n];
            states[n] = sha_ni_load(sha256_start);
        }
    }
    for (int n = 0; n < count; n++) {
        sha_ni_store(&states[n], lanes[n]->state.halves);
        if (!credkit_shacrypt_is_done(lanes[n])) put_digest(lanes[n], &given[n]);
    }
    // Nothing is wiped here: a variable whose address is given away would be in memory, not in registers. The caller wipes the
    // stack.
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
