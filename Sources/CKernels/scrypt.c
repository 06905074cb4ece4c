// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// scryptROMix (RFC 7914, section 5) without its steps, which the kernels compute.
#include <string.h>

#include "CCredKitScrypt.h"

enum {
    SUB_BLOCK = 64,
    WORDS = SUB_BLOCK / 4,
    /// The number of sub-blocks between two looks at the flags: half a millisecond for one lane, at most two for four
    /// lanes.
    SUB_BLOCKS_AT_ONCE = 8192,
};

size_t credkit_scrypt_memory_size(uint32_t log_n, size_t r) { return 2 * SUB_BLOCK * r * (((size_t)1 << log_n) + 2); }

/// Copies a block to or from a lane's memory. The diagonals of Salsa20's matrix are every fifth word.
static void copy_block(const struct credkit_scrypt_kernels *kernels, uint8_t *memory, uint8_t *block, size_t r,
                       int is_result) {
    for (size_t offset = 0; offset < 2 * SUB_BLOCK * r; offset += SUB_BLOCK) {
        for (size_t word = 0; word < WORDS; word++) {
            uint8_t *inner = memory + offset + 4 * word;
            uint8_t *outer = block + offset + 4 * (kernels->is_diagonal ? word * 5 % WORDS : word);
            memcpy(is_result ? outer : inner, is_result ? inner : outer, 4);
        }
    }
}

/// Overwrites the stack below the caller, where kernels have left what did not fit into registers: 1 KiB at most in a
/// release, 8 KiB without optimization.
static __attribute__((noinline)) void wipe_stack(void) {
    uint8_t bytes[12288];
    explicit_bzero(bytes, sizeof bytes);
}

static __attribute__((noinline)) void run(const struct credkit_scrypt_kernels *kernels, struct credkit_scrypt_lane *lanes,
                                          size_t count, uint32_t log_n, size_t r) {
    const uint32_t n = (uint32_t)1 << log_n;
    uint32_t at_once = (uint32_t)(SUB_BLOCKS_AT_ONCE / (2 * r)) & ~1u;
    if (at_once < 2) at_once = 2;
    struct credkit_scrypt_lane *running[CREDKIT_SCRYPT_LANES];
    uint8_t *memories[CREDKIT_SCRYPT_LANES];
    for (size_t lane = 0; lane < count; lane++) {
        running[lane] = &lanes[lane];
        running[lane]->status = CREDKIT_SCRYPT_DONE;
        copy_block(kernels, lanes[lane].memory, lanes[lane].block, r, 0);
    }
    // Both loops have n steps.
    for (uint64_t step = 0; step < 2 * (uint64_t)n; ) {
        size_t left = 0;
        for (size_t lane = 0; lane < count; lane++) {
            if (__atomic_load_n(running[lane]->is_cancelled, __ATOMIC_RELAXED)) {
                running[lane]->status = CREDKIT_SCRYPT_CANCELLED;
            } else {
                running[left] = running[lane];
                memories[left++] = running[lane]->memory;
            }
        }
        count = left;
        if (count == 0) return;
        const uint32_t first = (uint32_t)step & (n - 1), steps = n - first < at_once ? n - first : at_once;
        if (step < n) {
            kernels->fill(memories, count, r, first, first + steps);
        } else {
            kernels->mix(memories, count, r, n, steps);
        }
        step += steps;
    }
    for (size_t lane = 0; lane < count; lane++) {
        copy_block(kernels, running[lane]->memory + 2 * SUB_BLOCK * r * n, running[lane]->block, r, 1);
    }
}

void credkit_scrypt_run(const struct credkit_scrypt_kernels *kernels, struct credkit_scrypt_lane *lanes, size_t count,
                        uint32_t log_n, size_t r) {
    run(kernels, lanes, count, log_n, r);
    wipe_stack();
}
