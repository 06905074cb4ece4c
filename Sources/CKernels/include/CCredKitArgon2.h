// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Argon2 (RFC 9106), all types, versions 0x13 and 0x10, in memory of the caller.
#ifndef CCREDKIT_ARGON2_H
#define CCREDKIT_ARGON2_H

#include <stddef.h>
#include <stdint.h>

#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wnullability-completeness"

/// The size of a block in bytes, and the number of slices of a pass.
enum { CREDKIT_ARGON2_BLOCK = 1024, CREDKIT_ARGON2_SLICES = 4 };

/// The types, by their numbers in RFC 9106.
enum { CREDKIT_ARGON2D = 0, CREDKIT_ARGON2I = 1, CREDKIT_ARGON2ID = 2 };

/// The results of a computation.
enum { CREDKIT_ARGON2_DONE = 0, CREDKIT_ARGON2_CANCELLED = 1 };

/// Bytes of an input. The pointer may be NULL if there are none.
struct credkit_argon2_bytes {
    const uint8_t *bytes;
    size_t length;
};

/// The inputs, within the bounds of RFC 9106, section 3.1: 1 to 2^24 - 1 lanes, at least 8 KiB of memory for each, at
/// least 1 pass; lengths below 2^32.
struct credkit_argon2_input {
    uint32_t type, version, lanes, memory_kib, passes;
    struct credkit_argon2_bytes password, salt, secret, data;
    /// The most threads that compute lanes at once, the caller's included; 0 means 1. It does not change the result.
    uint32_t threads;
};

/// The memory of a computation and what its segments depend on.
struct credkit_argon2_instance {
    /// `block_count` blocks, aligned to 64 bytes, lane after lane. Each kernel has its own order of words in a block.
    uint8_t *blocks;
    uint32_t type, version, lanes, passes, block_count, lane_length, segment_length;
    /// Not zero when the caller no longer needs the result.
    const int *is_cancelled;
};

/// The kernels for one instruction set. The results of all kernels are identical.
struct credkit_argon2_kernels {
    /// The name for the environment variable CREDKIT_KERNELS.
    const char *name;

    /// Computes the blocks of a segment (section 3.4). Returns CREDKIT_ARGON2_DONE, or CREDKIT_ARGON2_CANCELLED.
    int (*_Nonnull fill_segment)(const struct credkit_argon2_instance *instance, uint32_t pass, uint32_t lane,
                                 uint32_t slice);

    /// Converts a block between the order of the RFC and that of the kernel.
    void (*_Nonnull write_block)(uint8_t *block, const uint64_t words[128]);
    void (*_Nonnull read_block)(uint64_t words[128], const uint8_t *block);
};

extern const struct credkit_argon2_kernels credkit_argon2_portable;
#if defined(__x86_64__)
extern const struct credkit_argon2_kernels credkit_argon2_avx2;
extern const struct credkit_argon2_kernels credkit_argon2_avx512;
#endif

/// Returns the kernels that this processor can run, the fastest first, the portable ones last. `count` receives their
/// number.
const struct credkit_argon2_kernels *_Nonnull const *_Nonnull credkit_argon2_supported(size_t *count);

/// Returns the fastest kernels that this processor can run and that compute the known answers, at most those named by the
/// environment variable CREDKIT_KERNELS. Returns NULL if none do, if the variable is `reference`, or if there is no memory
/// for the test. The first call makes the choice.
const struct credkit_argon2_kernels *_Nullable credkit_argon2_choose(void);

/// Returns 1 if kernels compute the known answers, 0 if they do not, -1 without memory for the test, 1 MiB. The answers
/// cover every path of a kernel: all types, both versions, several lanes and passes, and segments with more than one block
/// of addresses.
int credkit_argon2_passes_test(const struct credkit_argon2_kernels *_Nonnull kernels);

/// Returns the name of the first kernels that failed the test; NULL if none did.
const char *_Nullable credkit_argon2_rejected(void);

/// Returns the size of the memory for an input, in bytes.
size_t credkit_argon2_memory_size(const struct credkit_argon2_input *_Nonnull input);

/// Computes a tag of at least 4 bytes. `memory` has the size of credkit_argon2_memory_size and is aligned to 64 bytes;
/// its contents do not matter, and it is not wiped. The stack of the computation is, if kernels are compiled with
/// optimization. `is_cancelled` is read at least every millisecond. Returns CREDKIT_ARGON2_DONE, or
/// CREDKIT_ARGON2_CANCELLED, after which there is no tag.
int credkit_argon2_derive(const struct credkit_argon2_kernels *_Nonnull kernels,
                          const struct credkit_argon2_input *_Nonnull input, uint8_t *_Nonnull memory,
                          uint8_t *_Nonnull tag, size_t tag_length, const int *_Nonnull is_cancelled);

/// Sets a flag that another thread reads during a computation, and returns whether it is set.
static inline void credkit_argon2_cancel(int *_Nonnull flag) { __atomic_store_n(flag, 1, __ATOMIC_RELEASE); }
static inline int credkit_argon2_is_cancelled(const int *_Nonnull flag) { return __atomic_load_n(flag, __ATOMIC_ACQUIRE); }

/// Maps memory for blocks, with huge pages for its whole multiples of 2 MiB if the system allows them. It is not
/// included in core dumps, and is zero in a child process. Returns NULL if there is not enough memory.
uint8_t *_Nullable credkit_arena_map(size_t size);

/// Keeps mapped memory from being swapped out, until it is unmapped. Returns 0 on success: it fails over RLIMIT_MEMLOCK.
int credkit_arena_lock(uint8_t *_Nonnull memory, size_t size);

/// Overwrites memory with zeros, in a way that the compiler cannot remove.
void credkit_arena_wipe(uint8_t *_Nonnull memory, size_t size);

/// Returns memory to the system.
void credkit_arena_unmap(uint8_t *_Nonnull memory, size_t size);

#pragma clang diagnostic pop

#endif
