// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The order of the messages of SHA-crypt, and the digest of a round in the message of the next one.
#ifndef CREDKIT_SHACRYPT_ROUNDS_H
#define CREDKIT_SHACRYPT_ROUNDS_H

#include <string.h>

#include "CCredKitSHACrypt.h"

/// The bits of a message's index: rounds with odd numbers begin with the password instead of the digest; rounds whose numbers
/// are no multiples of 3 hash the salt; and those whose numbers are no multiples of 7 hash the password once more.
enum { SHACRYPT_ODD = 4, SHACRYPT_SALTED = 2, SHACRYPT_TWICE = 1 };

static const uint32_t sha256_start[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};
static const uint64_t sha512_start[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179,
};

/// Chooses the message of the current round.
static inline void shacrypt_choose_message(struct credkit_shacrypt_lane *lane) {
    const uint32_t round = lane->round;
    lane->message = (uint8_t)((round % 2) * SHACRYPT_ODD + (round % 3 != 0) * SHACRYPT_SALTED + (round % 7 != 0) * SHACRYPT_TWICE);
}

/// Counts a block that was hashed. Returns whether the next one begins the message of another round, into which the digest
/// must then be copied.
static inline int shacrypt_begins_round(struct credkit_shacrypt_lane *lane) {
    if (++lane->block < lane->block_counts[lane->message]) return 0;
    lane->block = 0;
    if (++lane->round == lane->rounds) return 0;
    shacrypt_choose_message(lane);
    return 1;
}

/// The next block of a lane.
static inline const uint64_t *sha512_block(const struct credkit_shacrypt_lane *lane) {
    return lane->messages.words[lane->message] + 16 * lane->block;
}
static inline const uint8_t *sha256_block(const struct credkit_shacrypt_lane *lane) {
    return lane->messages.bytes[lane->message] + 64 * lane->block;
}

/// Copies a digest into the message of the current round, and begins that message.
static inline void sha512_begin_round(struct credkit_shacrypt_lane *lane, uint64_t state[8]) {
    const unsigned place = lane->places[lane->message], shift = place % 8 * 8;
    uint64_t *words = lane->messages.words[lane->message] + place / 8;
    if (shift == 0) {
        memcpy(words, state, 64);
    } else {
        // Whole words, because the hash function reads words: the processor would wait until it could join parts of them.
        const uint64_t others = UINT64_MAX >> shift;
        words[0] = (words[0] & ~others) | state[0] >> shift;
        for (int n = 1; n < 8; n++) words[n] = state[n - 1] << (64 - shift) | state[n] >> shift;
        words[8] = (words[8] & others) | state[7] << (64 - shift);
    }
    memcpy(state, sha512_start, sizeof sha512_start);
}
static inline void sha256_begin_round(struct credkit_shacrypt_lane *lane, uint32_t state[8]) {
    uint8_t *bytes = lane->messages.bytes[lane->message] + lane->places[lane->message];
    for (int n = 0; n < 8; n++) {
        const uint32_t word = __builtin_bswap32(state[n]);
        memcpy(bytes + 4 * n, &word, 4);
    }
    memcpy(state, sha256_start, sizeof sha256_start);
}

/// Advances lanes in groups of at most `width`; alone those that would be fewer than `least`.
static inline void shacrypt_advance_groups(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks,
                                           size_t width, size_t least,
                                           void (*advance_one)(struct credkit_shacrypt_lane *lane, size_t blocks),
                                           void (*advance_lanes)(struct credkit_shacrypt_lane *const *lanes, size_t count,
                                                                 size_t blocks)) {
    struct credkit_shacrypt_lane *group[CREDKIT_SHACRYPT_LANES];
    for (size_t first = 0; first < count; first += width) {
        for (size_t rest = blocks; rest > 0;) {
            size_t used = 0, common = rest;
            for (size_t n = first; n < count && n < first + width; n++) {
                // Each round has at least one block.
                const size_t rounds = lanes[n]->rounds - lanes[n]->round;
                if (rounds == 0) continue;
                group[used++] = lanes[n];
                if (rounds < common) common = rounds;
            }
            if (used < least) {
                for (size_t n = 0; n < used; n++) advance_one(group[n], rest);
                break;
            }
            advance_lanes(group, used, common);
            rest -= common;
        }
    }
}

#endif
