// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Argon2's kernels over secrets: all of Argon2i, and the first half of the first pass of Argon2id.
#include <stdlib.h>
#include <string.h>

#include "../../../../Sources/CKernels/include/CCredKitArgon2.h"
#include "CConstantTime.h"

enum { LANES = 2, LANE_LENGTH = 1200, BLOCK = CREDKIT_ARGON2_BLOCK, SIZE = LANES * LANE_LENGTH * BLOCK };

static const int never = 0;

const char *ct_argon2_kernels(void) {
    const struct credkit_argon2_kernels *kernels = credkit_argon2_choose();
    return kernels != NULL ? kernels->name : NULL;
}

static int derive(uint8_t *password, uint8_t *memory, uint8_t tag[32]) {
    const struct credkit_argon2_input input = {
        .type = CREDKIT_ARGON2I,
        .version = 0x13,
        .lanes = LANES,
        .memory_kib = 1200,
        .passes = 2,
        .password = {password, 16},
        .salt = {(const uint8_t *)"saltsaltsaltsalt", 16},
    };
    return credkit_argon2_derive(credkit_argon2_choose(), &input, memory, tag, 32, &never);
}

bool ct_argon2i(void) {
    uint8_t *memory = aligned_alloc(64, SIZE), password[16], expected[32], tag[32];
    if (memory == NULL) return false;
    ct_random_fill(password, sizeof password);
    bool is_right = derive(password, memory, expected) == CREDKIT_ARGON2_DONE;
    ct_make_secret(password, sizeof password);
    is_right = derive(password, memory, tag) == CREDKIT_ARGON2_DONE && is_right;
    // Otherwise the marks were lost, and silence would prove nothing.
    is_right = ct_secret_prefix(tag, sizeof tag) == sizeof tag && is_right;
    ct_make_public(tag, sizeof tag);
    is_right = memcmp(tag, expected, sizeof tag) == 0 && is_right;
    free(memory);
    return is_right;
}

bool ct_argon2_slices(bool is_id, unsigned first, unsigned end) {
    uint8_t *memory = aligned_alloc(64, SIZE);
    const struct credkit_argon2_kernels *kernels = credkit_argon2_choose();
    if (memory == NULL || kernels == NULL) return false;
    const struct credkit_argon2_instance instance = {
        .blocks = memory,
        .type = is_id ? CREDKIT_ARGON2ID : CREDKIT_ARGON2D,
        .version = 0x13,
        .lanes = LANES,
        .passes = 1,
        .block_count = LANES * LANE_LENGTH,
        .lane_length = LANE_LENGTH,
        .segment_length = LANE_LENGTH / CREDKIT_ARGON2_SLICES,
        .is_cancelled = &never,
    };
    ct_random_fill(memory, SIZE);
    ct_make_secret(memory, SIZE);
    for (unsigned slice = first; slice < end; slice++) {
        for (unsigned lane = 0; lane < LANES; lane++) kernels->fill_segment(&instance, 0, lane, slice);
    }
    const bool is_secret = ct_secret_prefix(memory, SIZE) == SIZE;
    free(memory);
    return is_secret;
}
