// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA-1, HMAC-SHA-256 and HMAC-SHA-512, for one password or several at once.
//
// No function allocates memory. No function branches on passwords or keys or uses them as an index into memory; only
// their lengths matter.
#ifndef CCREDKIT_PBKDF2_H
#define CCREDKIT_PBKDF2_H

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

/// The hash functions.
enum { CREDKIT_PBKDF2_SHA1 = 0, CREDKIT_PBKDF2_SHA256 = 1, CREDKIT_PBKDF2_SHA512 = 2, CREDKIT_PBKDF2_FUNCTIONS = 3 };

/// The size of the longest digest in bytes, and the maximum number of lanes that are advanced at once.
enum { CREDKIT_PBKDF2_DIGEST = 64, CREDKIT_PBKDF2_LANES = 16 };

/// The results of a computation.
enum { CREDKIT_PBKDF2_DONE = 0, CREDKIT_PBKDF2_CANCELLED = 1 };

/// A password and its salt. Pointers may be NULL if there are no bytes.
struct credkit_pbkdf2_input {
    const uint8_t *password;
    size_t password_length;
    const uint8_t *salt;
    size_t salt_length;
};

/// The words of a digest: the first five of 32 bits for SHA-1, eight of them for SHA-256, those of 64 for SHA-512.
union credkit_pbkdf2_words {
    uint32_t narrow[8];
    uint64_t wide[8];
};

/// The computation of one block of a key, a block being as long as a digest. It holds no pointer and can be copied.
struct credkit_pbkdf2_lane {
    /// The hash function after the block of HMAC's inner key, and after that of its outer key.
    union credkit_pbkdf2_words inner, outer;
    /// The last value of HMAC, U, and the exclusive or of all of them, T.
    union credkit_pbkdf2_words last, sum;
    /// The number of iterations that are left.
    uint32_t rest;
    /// The hash function.
    int32_t function;
};

/// The kernels of a hash function in one instruction set. The results of all kernels are identical.
struct credkit_pbkdf2_kernels {
    /// The name for the environment variable CREDKIT_KERNELS.
    const char *name;

    /// The hash function.
    int function;

    /// The number of lanes that are computed at once.
    size_t width;

    /// The least number of lanes for which no kernels below them in the list are faster.
    size_t least_count;

    /// Performs `iterations` iterations for 1 to `width` lanes, which have at least as many left, and leaves their `rest`.
    void (*_Nonnull iterate)(struct credkit_pbkdf2_lane *const *_Nonnull lanes, size_t count, uint32_t iterations);
};

/// Kernels of one hash function, the fastest for many lanes first.
struct credkit_pbkdf2_set {
    size_t count;
    const struct credkit_pbkdf2_kernels *kernels[4];
};

/// Returns the size of the digest of a hash function in bytes.
size_t credkit_pbkdf2_digest_size(int function);

/// Begins a lane: computes the states of HMAC and the first iteration of the block `number`, from 1. There is at least 1
/// iteration.
void credkit_pbkdf2_prepare(struct credkit_pbkdf2_lane *_Nonnull lane, int function,
                            const struct credkit_pbkdf2_input *_Nonnull input, uint32_t number, uint32_t iterations);

/// Advances up to CREDKIT_PBKDF2_LANES lanes of the set's hash function by `iterations` iterations, or to their ends, which may
/// differ. Between two calls lanes may be added and left out.
void credkit_pbkdf2_advance(const struct credkit_pbkdf2_set *_Nonnull set,
                            struct credkit_pbkdf2_lane *_Nonnull const *_Nonnull lanes, size_t count,
                            uint32_t iterations);

/// Writes the block of a lane that has no iterations left, and wipes the lane.
void credkit_pbkdf2_finish(struct credkit_pbkdf2_lane *_Nonnull lane, uint8_t *_Nonnull digest);

/// Wipes a lane.
void credkit_pbkdf2_wipe(struct credkit_pbkdf2_lane *_Nonnull lane);

/// Derives a key of `key_length` bytes for each of `count` inputs, all of their blocks in lanes. The keys follow each other in
/// `keys`. There is at least 1 iteration. `is_cancelled` is read at least every five milliseconds. Returns
/// CREDKIT_PBKDF2_DONE, or CREDKIT_PBKDF2_CANCELLED, after which the contents of `keys` are meaningless.
int credkit_pbkdf2_derive(const struct credkit_pbkdf2_set *_Nonnull set,
                          const struct credkit_pbkdf2_input *_Nonnull inputs, size_t count, uint32_t iterations,
                          uint8_t *_Nonnull keys, size_t key_length, const int *_Nonnull is_cancelled);

/// Returns the kernels of a hash function that this processor can run and that compute the known answer, at most those named
/// by the environment variable CREDKIT_KERNELS. Returns NULL if none compute it, or if the variable is `reference`. The first
/// call reads the variable.
const struct credkit_pbkdf2_set *_Nullable credkit_pbkdf2_choose(int function);

/// Returns the kernels of a set that compute the next of `count` lanes, at least 1; `taken` receives how many of them.
const struct credkit_pbkdf2_kernels *_Nonnull credkit_pbkdf2_next(const struct credkit_pbkdf2_set *_Nonnull set,
                                                                  size_t count, size_t *_Nonnull taken);

/// Returns all kernels that this processor can run, each hash function's in the order of a set. `count` receives their
/// number.
const struct credkit_pbkdf2_kernels *_Nonnull const *_Nonnull credkit_pbkdf2_supported(size_t *_Nonnull count);

/// Returns whether kernels compute the known answer, which covers every number of lanes that they compute at once, passwords
/// and salts of no, one and several blocks, and keys of several digests.
int credkit_pbkdf2_passes_test(const struct credkit_pbkdf2_kernels *_Nonnull kernels);

/// Returns the name of the first kernels that failed the test; NULL if none did.
const char *_Nullable credkit_pbkdf2_rejected(void);

#pragma clang diagnostic pop

#endif
