// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The memory-hard part of scrypt (RFC 7914): scryptROMix of section 5, for one to four blocks at once, in memory of the
// caller. PBKDF2 before and after it is the caller's.
//
// No function allocates memory, except the choice of kernels. By the design of scrypt, the second half reads memory at
// addresses that depend on the password.
#ifndef CCREDKIT_SCRYPT_H
#define CCREDKIT_SCRYPT_H

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

enum {
    /// The maximum number of lanes of a run.
    CREDKIT_SCRYPT_LANES = 4,
    /// The maximum r, in units of 128 bytes. With more, one step would take longer than a cancellation may.
    CREDKIT_SCRYPT_LARGEST_BLOCK = 2048,
};

/// The results of a lane.
enum { CREDKIT_SCRYPT_DONE = 0, CREDKIT_SCRYPT_CANCELLED = 1 };

/// One block to be mixed.
struct credkit_scrypt_lane {
    /// The block of 128 · r bytes. The result replaces it.
    uint8_t *block;
    /// Memory of the size of credkit_scrypt_memory_size, aligned to 64 bytes. Its contents do not matter, and it is not
    /// wiped.
    uint8_t *memory;
    /// Not zero when the caller no longer needs this lane. The others continue.
    const int *is_cancelled;
    /// Receives CREDKIT_SCRYPT_DONE, or CREDKIT_SCRYPT_CANCELLED, after which the block is unchanged.
    int status;
};

/// The kernels for one instruction set. The results of all kernels are identical.
struct credkit_scrypt_kernels {
    /// The name for the environment variable CREDKIT_KERNELS.
    const char *name;

    /// Whether the words of a lane's memory are in the order of the diagonals of Salsa20's matrix.
    int is_diagonal;

    /// Performs steps `first` to `end` of the loop that fills the memories of 1 to CREDKIT_SCRYPT_LANES lanes.
    void (*_Nonnull fill)(uint8_t *const *memories, size_t lanes, size_t r, uint32_t first, uint32_t end);

    /// Performs an even number of steps of the loop that mixes in n blocks at random.
    void (*_Nonnull mix)(uint8_t *const *memories, size_t lanes, size_t r, uint32_t n, uint32_t steps);
};

extern const struct credkit_scrypt_kernels credkit_scrypt_portable, credkit_scrypt_scalar;
#if defined(__x86_64__)
extern const struct credkit_scrypt_kernels credkit_scrypt_avx2, credkit_scrypt_avx512;
#endif

/// Returns the kernels that this processor can run, those with the widest vectors first, the scalar ones last. `count`
/// receives their number.
const struct credkit_scrypt_kernels *_Nonnull const *_Nonnull credkit_scrypt_supported(size_t *count);

/// Returns the fastest kernels for 1 to CREDKIT_SCRYPT_LANES lanes of those that compute the known answers, at most those
/// named by the environment variable CREDKIT_KERNELS. Returns NULL if none compute them, if the variable is `reference`, or
/// if there is no memory for the test. The first call tests and times the kernels, which takes 2 ms.
const struct credkit_scrypt_kernels *_Nullable credkit_scrypt_choose(size_t lanes);

/// Returns the time that a run of this many lanes takes, relative to that of other numbers of lanes. 0 if there are no
/// kernels.
uint32_t credkit_scrypt_time(size_t lanes);

/// Returns the number of lanes, at most `most`, of which a run takes the least time for each lane, as was measured; 0 if
/// there are no kernels.
size_t credkit_scrypt_best_lanes(size_t most);

/// Returns 1 if kernels compute the known answers, 0 if they do not, -1 without memory for the test. The answers cover every
/// number of lanes, even and odd r, and blocks that several steps mix in.
int credkit_scrypt_passes_test(const struct credkit_scrypt_kernels *_Nonnull kernels);

/// Returns the name of the first kernels that failed the test; NULL if none did.
const char *_Nullable credkit_scrypt_rejected(void);

/// Returns the size of the memory of a lane, in bytes: 128 · r · (N + 2).
size_t credkit_scrypt_memory_size(uint32_t log_n, size_t r);

/// Mixes the blocks of 1 to CREDKIT_SCRYPT_LANES lanes with N = 2^log_n, 1 to 31, and r of at most
/// CREDKIT_SCRYPT_LARGEST_BLOCK. The flags are read about once a millisecond. The stack of the computation is wiped.
void credkit_scrypt_run(const struct credkit_scrypt_kernels *_Nonnull kernels, struct credkit_scrypt_lane *_Nonnull lanes,
                        size_t count, uint32_t log_n, size_t r);

#pragma clang diagnostic pop

#endif
