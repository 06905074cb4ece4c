// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The compression function G and the segments of Argon2 (RFC 9106, sections 3.4 and 3.5). Each file for an instruction
// set includes this file once.
#include "CCredKitArgon2.h"
#include "argon2_permutation.h"
#include "argon2_reference.h"

static void write_block(uint8_t *block, const uint64_t words[128]) {
    for (int n = 0; n < 128; n++) {
        memcpy(block + 8 * n, &words[WORD(n / (VECTOR_BYTES / 8), n % (VECTOR_BYTES / 8))], 8);
    }
}

static void read_block(uint64_t words[128], const uint8_t *block) {
    for (int n = 0; n < 128; n++) {
        memcpy(&words[WORD(n / (VECTOR_BYTES / 8), n % (VECTOR_BYTES / 8))], block + 8 * n, 8);
    }
}

INLINE void prefetch_block(const uint8_t *block) {
    for (int line = 0; line < CREDKIT_ARGON2_BLOCK / 64; line++) __builtin_prefetch(block + 64 * line);
}

/// The next block of a segment, whose reference block depends on this one.
struct next {
    const struct credkit_argon2_instance *instance;
    struct argon2_place place;
    uint32_t index;
};

/// Writes G of two blocks to a third, xored with its former contents if `is_over`. If there is a next block, fetches its
/// reference block as soon as the first word is known.
INLINE void compress(const uint8_t *restrict previous, const uint8_t *restrict reference, uint8_t *restrict target,
                     int is_over, const struct next *next) {
    const vector *left = (const vector *)previous, *right = (const vector *)reference;
    vector v[VECTORS], *sum = (vector *)target;
#pragma clang loop unroll(full)
    for (int n = 0; n < VECTORS; n++) {
        v[n] = left[n] ^ right[n];
        // Not on the stack, which would have to be wiped.
        sum[n] = is_over ? sum[n] ^ v[n] : v[n];
    }
#pragma clang loop unroll(full)
    for (int q = 0; q < ROWS; q++) permute_row(v, q);
#pragma clang loop unroll(full)
    for (int p = 0; p < 4; p++) {
        permute_column(v, p);
#pragma clang loop unroll(full)
        for (int q = 0; q < 4; q++) {
#pragma clang loop unroll(full)
            for (int n = 0; n < COLUMN_WIDTH; n++) sum[COLUMN_CELL(q, p, n)] ^= v[COLUMN_CELL(q, p, n)];
        }
        // The first word is in the first column.
        if (p == 0 && next != NULL) {
            prefetch_block(argon2_reference(next->instance, next->place, next->index, sum[0][0]));
        }
    }
}

static __attribute__((noinline)) void compress_new(const uint8_t *previous, const uint8_t *reference, uint8_t *target,
                                                   const struct next *next) {
    compress(previous, reference, target, 0, next);
}

static __attribute__((noinline)) void compress_over(const uint8_t *previous, const uint8_t *reference, uint8_t *target,
                                                    const struct next *next) {
    compress(previous, reference, target, 1, next);
}

/// The addresses of data-independent segments, 128 at a time (section 3.4.1.2). They depend on no secret.
struct addresses {
    uint64_t input[128], words[128];
    uint8_t block[3][CREDKIT_ARGON2_BLOCK] __attribute__((aligned(64)));
};

static void next_addresses(struct addresses *addresses) {
    addresses->input[6]++;
    memset(addresses->block[0], 0, CREDKIT_ARGON2_BLOCK);
    write_block(addresses->block[1], addresses->input);
    compress_new(addresses->block[0], addresses->block[1], addresses->block[2], NULL);
    compress_new(addresses->block[0], addresses->block[2], addresses->block[1], NULL);
    read_block(addresses->words, addresses->block[1]);
}

static int fill_segment(const struct credkit_argon2_instance *instance, uint32_t pass, uint32_t lane, uint32_t slice) {
    const struct argon2_place place = {pass, lane, slice};
    const int is_independent = argon2_is_independent(instance, place);
    const int is_over = pass > 0 && instance->version != 0x10;
    struct addresses addresses;
    if (is_independent) {
        memset(addresses.input, 0, sizeof addresses.input);
        const uint64_t input[6] = {pass, lane, slice, instance->block_count, instance->passes, instance->type};
        memcpy(addresses.input, input, sizeof input);
    }
    // The first two blocks of a lane are made by H'.
    const uint32_t first = pass == 0 && slice == 0 ? 2 : 0;
    if (is_independent && first > 0) next_addresses(&addresses);
    uint8_t *const start = instance->blocks + (size_t)lane * instance->lane_length * CREDKIT_ARGON2_BLOCK;
    const uint32_t offset = slice * instance->segment_length;
    const uint8_t *previous =
        start + (size_t)(offset + first > 0 ? offset + first - 1 : instance->lane_length - 1) * CREDKIT_ARGON2_BLOCK;
    uint8_t *target = start + (size_t)(offset + first) * CREDKIT_ARGON2_BLOCK;
    for (uint32_t index = first; index < instance->segment_length; index++, target += CREDKIT_ARGON2_BLOCK) {
        // At most a millisecond apart, on the slowest processor and with the coldest memory.
        if (index % 512 == 0 && __atomic_load_n(instance->is_cancelled, __ATOMIC_RELAXED)) {
            return CREDKIT_ARGON2_CANCELLED;
        }
        uint64_t random;
        if (is_independent) {
            if (index % 128 == 0) next_addresses(&addresses);
            random = addresses.words[index % 128];
            // Only addresses that are already known.
            const uint32_t ahead = index + ARGON2_AHEAD;
            if (ahead % 128 >= ARGON2_AHEAD && ahead < instance->segment_length) {
                prefetch_block(argon2_reference(instance, place, ahead, addresses.words[ahead % 128]));
            }
        } else {
            memcpy(&random, previous, sizeof random);
        }
        const uint8_t *reference = argon2_reference(instance, place, index, random);
        const struct next next = {instance, place, index + 1};
        const struct next *known_late = !is_independent && index + 1 < instance->segment_length ? &next : NULL;
        if (is_over) {
            compress_over(previous, reference, target, known_late);
        } else {
            compress_new(previous, reference, target, known_late);
        }
        previous = target;
    }
    return CREDKIT_ARGON2_DONE;
}
