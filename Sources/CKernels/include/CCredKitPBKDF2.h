// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 (RFC 8018, section 5.2) with HMAC-SHA-256 for up to sixteen passwords at once.
//
// No function allocates memory. No function branches on passwords or keys or uses them as an index into memory; only
// their lengths matter.
#ifndef CCREDKIT_PBKDF2_H
#define CCREDKIT_PBKDF2_H

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

/// The maximum number of passwords of a batch, each of which is one lane of a kernel's vectors.
enum { CREDKIT_PBKDF2_LANES = 16 };

/// The results of a computation.
enum { CREDKIT_PBKDF2_DONE = 0, CREDKIT_PBKDF2_CANCELLED = 1 };

/// A password and its salt. Pointers may be NULL if there are no bytes.
struct credkit_pbkdf2_input {
    const uint8_t *password;
    size_t password_length;
    const uint8_t *salt;
    size_t salt_length;
};

/// The words of all lanes, as words[word][lane].
struct credkit_pbkdf2_lanes {
    _Alignas(64) uint32_t words[8][CREDKIT_PBKDF2_LANES];
};

/// The states of a batch.
struct credkit_pbkdf2_state {
    /// SHA-256 after the block of HMAC's inner key, and after that of its outer key.
    struct credkit_pbkdf2_lanes inner, outer;
    /// The last value of HMAC, U, and the exclusive or of all of them, T.
    struct credkit_pbkdf2_lanes last, sum;
};

/// The kernels for one instruction set. The results of all kernels are identical.
struct credkit_pbkdf2_kernels {
    /// The name for the environment variable CREDKIT_KERNELS.
    const char *name;

    /// The size of the smallest batch for which no kernels below them in the list, and not OpenSSL, are faster.
    size_t least_count;

    /// Performs `count` iterations for at least the first `lanes` lanes.
    void (*_Nonnull iterate)(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count);
};

extern const struct credkit_pbkdf2_kernels credkit_pbkdf2_portable;
#if defined(__x86_64__)
extern const struct credkit_pbkdf2_kernels credkit_pbkdf2_avx2;
extern const struct credkit_pbkdf2_kernels credkit_pbkdf2_sha;
extern const struct credkit_pbkdf2_kernels credkit_pbkdf2_avx512;
/// Returns whether the processor has the SHA instructions.
int credkit_pbkdf2_has_sha(void);
#endif

/// Returns the kernels that this processor can run, the fastest first, the portable ones last. `count` receives their
/// number.
const struct credkit_pbkdf2_kernels *_Nonnull const *_Nonnull credkit_pbkdf2_supported(size_t *count);

/// Returns the fastest kernels for a batch of `count` passwords that this processor can run and that compute the known
/// answer, at most those named by the environment variable CREDKIT_KERNELS. Returns NULL if OpenSSL is faster, if none
/// compute it, or if the variable is `reference`, in which case it does so for each count. The first call reads the variable.
const struct credkit_pbkdf2_kernels *_Nullable credkit_pbkdf2_choose(size_t count);

/// Returns whether kernels compute the known answer, which covers every lane, batches that do not fill the lanes,
/// passwords and salts of no, one and several blocks, and keys of several digests.
int credkit_pbkdf2_passes_test(const struct credkit_pbkdf2_kernels *_Nonnull kernels);

/// Returns the name of the first kernels that failed the test; NULL if none did.
const char *_Nullable credkit_pbkdf2_rejected(void);

/// Derives a key of `key_length` bytes for each of 1 to CREDKIT_PBKDF2_LANES inputs. The keys follow each other in
/// `keys`. There is at least 1 iteration. `is_cancelled` is read at least every five milliseconds. Returns
/// CREDKIT_PBKDF2_DONE, or CREDKIT_PBKDF2_CANCELLED, after which the contents of `keys` are meaningless.
int credkit_pbkdf2_derive(const struct credkit_pbkdf2_kernels *_Nonnull kernels,
                          const struct credkit_pbkdf2_input *_Nonnull inputs, size_t count, uint32_t iterations,
                          uint8_t *_Nonnull keys, size_t key_length, const int *_Nonnull is_cancelled);

#pragma clang diagnostic pop

#endif
