// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty kernels of Argon2 that the test before their first use must find, whatever kernel they are planted in.
#include "kernel_test.h"

const struct credkit_argon2_kernels *sound_argon2;

#define PARAMETERS const struct credkit_argon2_instance *instance, uint32_t pass, uint32_t lane, uint32_t slice

static uint8_t *block_of(PARAMETERS, uint32_t index) {
    (void)pass;
    return instance->blocks + ((size_t)lane * instance->lane_length + (size_t)slice * instance->segment_length + index) *
                                  CREDKIT_ARGON2_BLOCK;
}

static int fill_with_wrong_bit(PARAMETERS) {
    const int status = sound_argon2->fill_segment(instance, pass, lane, slice);
    block_of(instance, pass, lane, slice, instance->segment_length - 1)[1023] ^= 0x80;
    return status;
}

static int fill_without_former_contents(PARAMETERS) {
    struct credkit_argon2_instance changed = *instance;
    changed.version = 0x10;
    return sound_argon2->fill_segment(&changed, pass, lane, slice);
}

static int fill_with_public_addresses(PARAMETERS) {
    struct credkit_argon2_instance changed = *instance;
    if (pass == 0 && changed.type == CREDKIT_ARGON2ID) changed.type = CREDKIT_ARGON2I;
    return sound_argon2->fill_segment(&changed, pass, lane, slice);
}

static int fill_with_secret_addresses(PARAMETERS) {
    struct credkit_argon2_instance changed = *instance;
    if (changed.type == CREDKIT_ARGON2ID) changed.type = CREDKIT_ARGON2D;
    return sound_argon2->fill_segment(&changed, pass, lane, slice);
}

static int fill_without_other_lanes(PARAMETERS) {
    struct credkit_argon2_instance changed = *instance;
    changed.blocks += (size_t)lane * instance->lane_length * CREDKIT_ARGON2_BLOCK;
    changed.lanes = 1;
    return sound_argon2->fill_segment(&changed, pass, 0, slice);
}

static int fill_with_long_segment_wrong(PARAMETERS) {
    const int status = sound_argon2->fill_segment(instance, pass, lane, slice);
    // Behind the second block of addresses.
    if (instance->segment_length > 256) block_of(instance, pass, lane, slice, 256)[0] ^= 1;
    return status;
}

/// Computes all slices of a lane at once, as if no thread waited for the others.
static int fill_without_waiting(PARAMETERS) {
    int status = CREDKIT_ARGON2_DONE;
    if (slice > 0) return status;
    for (; status == CREDKIT_ARGON2_DONE && slice < CREDKIT_ARGON2_SLICES; slice++) {
        status = sound_argon2->fill_segment(instance, pass, lane, slice);
    }
    return status;
}

/// Looks at no cancellation within a segment.
static int fill_to_the_end(PARAMETERS) {
    static const int never = 0;
    struct credkit_argon2_instance changed = *instance;
    changed.is_cancelled = &never;
    return sound_argon2->fill_segment(&changed, pass, lane, slice);
}

static void write_in_wrong_order(uint8_t *block, const uint64_t words[128]) {
    uint64_t changed[128];
    memcpy(changed, words, sizeof changed);
    changed[126] = words[127], changed[127] = words[126];
    sound_argon2->write_block(block, changed);
}

const struct fault argon2_faults[] = {
    {.name = "argon2-wrong-bit", .argon2.fill_segment = fill_with_wrong_bit},
    {.name = "argon2-ignores-former-contents", .argon2.fill_segment = fill_without_former_contents},
    {.name = "argon2-public-addresses", .argon2.fill_segment = fill_with_public_addresses},
    {.name = "argon2-secret-addresses", .argon2.fill_segment = fill_with_secret_addresses},
    {.name = "argon2-one-lane", .argon2.fill_segment = fill_without_other_lanes},
    {.name = "argon2-long-segment", .argon2.fill_segment = fill_with_long_segment_wrong},
    {.name = "argon2-no-barrier", .argon2.fill_segment = fill_without_waiting},
    {.name = "argon2-deaf", .argon2.fill_segment = fill_to_the_end},
    {.name = "argon2-wrong-order", .argon2.write_block = write_in_wrong_order},
    {.name = NULL},
};
