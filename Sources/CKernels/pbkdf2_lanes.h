// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The iterations of PBKDF2 with HMAC-SHA-256, with one password in each lane of vectors of VECTOR_BYTES. Each file for an
// instruction set includes this file once.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CCredKitPBKDF2.h"
#include "sha256_constants.h"

typedef uint32_t vector __attribute__((vector_size(VECTOR_BYTES)));
enum { VECTOR_LANES = VECTOR_BYTES / 4 };

/// The words of a digest, or of a state.
struct digest {
    vector words[8];
};

// Macros, which become one instruction each with AVX-512.
#define ROTATED(word, bits) ((word) >> (bits) | (word) << (32 - (bits)))
#define CHOICE(e, f, g) ((((f) ^ (g)) & (e)) ^ (g))
#define MAJORITY(a, b, c) (((a) & (b)) | (((a) | (b)) & (c)))

/// Replaces digests by those of messages that consist of the 64 bytes behind a state, and of the digests.
static __attribute__((noinline)) void hash_digest(struct digest *digest, const struct digest *start) {
    vector words[16];
    for (int n = 0; n < 8; n++) words[n] = digest->words[n];
    // The padding is constant, so the compiler computes a part of the message schedule.
    for (int n = 8; n < 16; n++) words[n] = (vector){};
    words[8] += 0x80000000u;
    words[15] += (64 + 32) * 8u;
    vector s[8];
    for (int n = 0; n < 8; n++) s[n] = start->words[n];
#pragma clang loop unroll(full)
    for (int n = 0; n < 64; n++) {
        // The words of a state change their names from round to round instead of their places.
        vector *const a = &s[(64 - n) % 8], *const b = &s[(65 - n) % 8], *const c = &s[(66 - n) % 8];
        vector *const d = &s[(67 - n) % 8], *const e = &s[(68 - n) % 8], *const f = &s[(69 - n) % 8];
        vector *const g = &s[(70 - n) % 8], *const h = &s[(71 - n) % 8], *const word = &words[n % 16];
        const vector sum = *h + (*word + sha256_constants[n]) + CHOICE(*e, *f, *g) +
                           (ROTATED(*e, 6) ^ ROTATED(*e, 11) ^ ROTATED(*e, 25));
        *d += sum;
        *h = sum + (ROTATED(*a, 2) ^ ROTATED(*a, 13) ^ ROTATED(*a, 22)) + MAJORITY(*a, *b, *c);
        if (n >= 48) continue;
        // The word for the round sixteen later.
        const vector early = words[(n + 1) % 16], late = words[(n + 14) % 16];
        *word += words[(n + 9) % 16] + (ROTATED(early, 7) ^ ROTATED(early, 18) ^ early >> 3) +
                 (ROTATED(late, 17) ^ ROTATED(late, 19) ^ late >> 10);
    }
    for (int n = 0; n < 8; n++) digest->words[n] = start->words[n] + s[n];
}

static inline void load(struct digest *digest, const struct credkit_pbkdf2_lanes *lanes, size_t lane) {
    for (int word = 0; word < 8; word++) memcpy(&digest->words[word], &lanes->words[word][lane], VECTOR_BYTES);
}

static inline void store(const struct digest *digest, struct credkit_pbkdf2_lanes *lanes, size_t lane) {
    for (int word = 0; word < 8; word++) memcpy(&lanes->words[word][lane], &digest->words[word], VECTOR_BYTES);
}

static void iterate(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count) {
    struct digest inner, outer, last, sum;
    for (size_t lane = 0; lane < lanes; lane += VECTOR_LANES) {
        load(&inner, &state->inner, lane);
        load(&outer, &state->outer, lane);
        load(&last, &state->last, lane);
        load(&sum, &state->sum, lane);
        for (uint32_t n = 0; n < count; n++) {
            hash_digest(&last, &inner);
            hash_digest(&last, &outer);
            for (int word = 0; word < 8; word++) sum.words[word] ^= last.words[word];
        }
        store(&last, &state->last, lane);
        store(&sum, &state->sum, lane);
    }
    explicit_bzero(&inner, sizeof inner);
    explicit_bzero(&outer, sizeof outer);
    explicit_bzero(&last, sizeof last);
    explicit_bzero(&sum, sizeof sum);
}

#undef ROTATED
#undef CHOICE
#undef MAJORITY
