// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The rounds of SHA-crypt with SHA-256 without the SHA instructions, of one lane after the other. Each file for an
// instruction set includes this file once.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CCredKitSHACrypt.h"
#include "sha256_constants.h"
#include "shacrypt_rounds.h"

#define ROTATED(word, bits) ((word) >> (bits) | (word) << (32 - (bits)))

static inline __attribute__((always_inline)) void compress_256(uint32_t state[8], const uint8_t *block) {
    uint32_t words[16], s[8];
    for (int n = 0; n < 16; n++) {
        memcpy(&words[n], block + 4 * n, 4);
        words[n] = __builtin_bswap32(words[n]);
    }
    for (int n = 0; n < 8; n++) s[n] = state[n];
#pragma clang loop unroll(disable)
    for (int first = 0; first < 64; first += 16) {
#pragma clang loop unroll(full)
        for (int n = 0; n < 16; n++) {
            // The words of a state change their names from round to round instead of their places.
            uint32_t *const a = &s[(64 - n) % 8], *const b = &s[(65 - n) % 8], *const c = &s[(66 - n) % 8];
            uint32_t *const d = &s[(67 - n) % 8], *const e = &s[(68 - n) % 8], *const f = &s[(69 - n) % 8];
            uint32_t *const g = &s[(70 - n) % 8], *const h = &s[(71 - n) % 8], *const word = &words[n];
            const uint32_t sum = *h + (*word + sha256_constants[first + n]) + (((*f ^ *g) & *e) ^ *g) +
                                 (ROTATED(*e, 6) ^ ROTATED(*e, 11) ^ ROTATED(*e, 25));
            *d += sum;
            *h = sum + ((*a & *b) | ((*a | *b) & *c)) + (ROTATED(*a, 2) ^ ROTATED(*a, 13) ^ ROTATED(*a, 22));
            // The word for the round sixteen later; after the last rounds none is needed.
            const uint32_t early = words[(n + 1) % 16], late = words[(n + 14) % 16];
            *word += words[(n + 9) % 16] + (ROTATED(early, 7) ^ ROTATED(early, 18) ^ early >> 3) +
                     (ROTATED(late, 17) ^ ROTATED(late, 19) ^ late >> 10);
        }
    }
    for (int n = 0; n < 8; n++) state[n] += s[n];
}

static void compress_block_256(union credkit_shacrypt_state *state, const uint64_t *block) {
    compress_256(state->halves, (const uint8_t *)block);
}

static void advance_256(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
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
    explicit_bzero(state, sizeof state);
}

#undef ROTATED
