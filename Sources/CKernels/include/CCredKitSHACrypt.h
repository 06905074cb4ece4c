// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-crypt, `$5$` and `$6$` of crypt(3) (https://www.akkadia.org/drepper/SHA-crypt.txt), of one password, and of several
// at once.
//
// A computation is a lane: a plain struct, which any thread can advance by a few blocks, alone or together with other lanes,
// also if their lengths and rounds differ. So a scheduler can add a lane and take one out between any two calls.
//
// No function allocates memory. No function branches on passwords or digests or uses them as an index into memory, but for
// their lengths, and one byte: SHA-crypt hashes the salt as many times as the first byte of a digest of the password says.
#ifndef CCREDKIT_SHACRYPT_H
#define CCREDKIT_SHACRYPT_H

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

/// The variants, by their numbers in hashes: with SHA-256, and with SHA-512.
enum { CREDKIT_SHA256_CRYPT = 5, CREDKIT_SHA512_CRYPT = 6 };

/// The maximum number of lanes that advance together, and the maximum lengths of a password and of a salt in bytes.
enum { CREDKIT_SHACRYPT_LANES = 8, CREDKIT_SHACRYPT_PASSWORD = 63, CREDKIT_SHACRYPT_SALT = 16 };

/// The results of a computation.
enum { CREDKIT_SHACRYPT_DONE = 0, CREDKIT_SHACRYPT_CANCELLED = 1 };

/// The size of the largest digest, and of the largest message of a round with its padding, in bytes.
enum { CREDKIT_SHACRYPT_DIGEST = 64, CREDKIT_SHACRYPT_MESSAGE = 256 };

/// A password, its salt and the number of rounds, at least 1. Pointers may be NULL if there are no bytes.
struct credkit_shacrypt_input {
    const uint8_t *password;
    size_t password_length;
    const uint8_t *salt;
    size_t salt_length;
    uint32_t rounds;
};

/// The words of a state, or of a digest.
union credkit_shacrypt_state {
    uint64_t words[8];
    /// With SHA-256.
    uint32_t halves[8];
};

/// A computation. It contains the password until it is finished or wiped.
struct credkit_shacrypt_lane {
    /// The messages of the eight kinds of rounds, padded: as words with SHA-512, as bytes with SHA-256. Each has a place for
    /// the digest of the round before, which the message of the current round already contains.
    union {
        _Alignas(64) uint64_t words[8][CREDKIT_SHACRYPT_MESSAGE / 8];
        uint8_t bytes[8][CREDKIT_SHACRYPT_MESSAGE];
    } messages;
    /// The state after the blocks of the current message that were hashed; after the last round, its digest.
    union credkit_shacrypt_state state;
    /// The number of blocks of each message, and the place of the digest in bytes.
    uint8_t block_counts[8], places[8];
    /// The current round, the number of rounds, the message of the current round, and its next block.
    uint32_t round, rounds;
    uint8_t message, block;
};

/// The kernels for one instruction set and one variant. The results of all kernels of a variant are identical.
struct credkit_shacrypt_kernels {
    /// The name for the environment variable CREDKIT_KERNELS.
    const char *name;

    int variant;

    /// The number of lanes that are computed at once, and the least number that takes less time so than one after the other.
    size_t lanes, least_lanes;

    /// Hashes one block, in the form of the messages.
    void (*_Nonnull compress)(union credkit_shacrypt_state *state, const uint64_t *block);

    /// See credkit_shacrypt_advance.
    void (*_Nonnull advance)(struct credkit_shacrypt_lane *_Nonnull const *_Nonnull lanes, size_t count, size_t blocks);
};

extern const struct credkit_shacrypt_kernels credkit_sha256_crypt_portable, credkit_sha512_crypt_portable;
#if defined(__x86_64__)
extern const struct credkit_shacrypt_kernels credkit_sha256_crypt_sha;
extern const struct credkit_shacrypt_kernels credkit_sha512_crypt_avx512, credkit_sha512_crypt_avx2;
#endif

/// Returns the kernels of a variant that this processor can run, the fastest first, the portable ones last. `count` receives
/// their number.
const struct credkit_shacrypt_kernels *_Nonnull const *_Nonnull credkit_shacrypt_supported(int variant, size_t *count);

/// Returns the fastest kernels of a variant that this processor can run and that compute the known answer, at most those
/// named by the environment variable CREDKIT_KERNELS. Returns NULL if none compute it, or if the variable is `reference`. The
/// first call reads the variable.
const struct credkit_shacrypt_kernels *_Nullable credkit_shacrypt_choose(int variant);

/// Returns whether kernels compute the known answer, which covers every number of lanes, passwords and salts from the
/// shortest to the longest, rounds of one and several blocks, and lanes that end at different times.
int credkit_shacrypt_passes_test(const struct credkit_shacrypt_kernels *_Nonnull kernels);

/// Returns the name of the first kernels that failed the test; NULL if none did.
const char *_Nullable credkit_shacrypt_rejected(void);

/// Begins a computation: hashes everything before the rounds, at most 150 blocks. The input is not used later.
void credkit_shacrypt_prepare(const struct credkit_shacrypt_kernels *_Nonnull kernels,
                              struct credkit_shacrypt_lane *_Nonnull lane,
                              const struct credkit_shacrypt_input *_Nonnull input);

/// Hashes the next blocks of 1 to CREDKIT_SHACRYPT_LANES different lanes of the kernels' variant: `blocks` of each lane, or
/// fewer, up to the end of its rounds. A block takes 50 to 300 ns, up to as many times as there are lanes.
void credkit_shacrypt_advance(const struct credkit_shacrypt_kernels *_Nonnull kernels,
                              struct credkit_shacrypt_lane *_Nonnull const *_Nonnull lanes, size_t count, size_t blocks);

/// Returns whether all rounds of a lane are done.
static inline int credkit_shacrypt_is_done(const struct credkit_shacrypt_lane *_Nonnull lane) {
    return lane->round == lane->rounds;
}

/// Writes the digest of a lane whose rounds are done, 32 or 64 bytes in the order in which the text of a hash encodes them,
/// and wipes the lane.
void credkit_shacrypt_finish(const struct credkit_shacrypt_kernels *_Nonnull kernels,
                             struct credkit_shacrypt_lane *_Nonnull lane, uint8_t *_Nonnull digest);

/// Wipes a lane, at any time.
void credkit_shacrypt_wipe(struct credkit_shacrypt_lane *_Nonnull lane);

/// Computes 1 to CREDKIT_SHACRYPT_LANES digests, each of which credkit_shacrypt_finish describes. They follow each other in
/// `digests`. `is_cancelled` is read at least every five milliseconds. Returns CREDKIT_SHACRYPT_DONE, or
/// CREDKIT_SHACRYPT_CANCELLED, after which the contents of `digests` are meaningless.
int credkit_shacrypt_derive(const struct credkit_shacrypt_kernels *_Nonnull kernels,
                            const struct credkit_shacrypt_input *_Nonnull inputs, size_t count,
                            uint8_t *_Nonnull digests, const int *_Nonnull is_cancelled);

#pragma clang diagnostic pop

#endif
