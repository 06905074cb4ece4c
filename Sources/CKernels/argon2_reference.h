// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Which block another block is computed from (RFC 9106, sections 3.4.1.3 and 3.4.2).
#ifndef CREDKIT_ARGON2_REFERENCE_H
#define CREDKIT_ARGON2_REFERENCE_H

#include "CCredKitArgon2.h"

/// How many blocks ahead a reference block is prefetched where its address is known.
#define ARGON2_AHEAD 4

/// A segment.
struct argon2_place {
    uint32_t pass, lane, slice;
};

/// Returns whether the addresses of a segment depend on no secret: in Argon2i, and in the first half of the first pass
/// of Argon2id.
static inline int argon2_is_independent(const struct credkit_argon2_instance *instance, struct argon2_place place) {
    return instance->type == CREDKIT_ARGON2I ||
           (instance->type == CREDKIT_ARGON2ID && place.pass == 0 && place.slice < CREDKIT_ARGON2_SLICES / 2);
}

/// Returns the block that the block `index` of a segment refers to. `random` is J2 and J1.
static inline const uint8_t *argon2_reference(const struct credkit_argon2_instance *instance, struct argon2_place place,
                                              uint32_t index, uint64_t random) {
    const int is_first = place.pass == 0;
    // There is nothing in other lanes yet.
    uint32_t lane = place.lane;
    if (instance->lanes > 1 && !(is_first && place.slice == 0)) lane = (uint32_t)(random >> 32) % instance->lanes;
    // The blocks that are complete: whole segments, and in the same lane the blocks of this segment but the last one.
    const uint32_t segments = is_first ? place.slice : CREDKIT_ARGON2_SLICES - 1;
    uint32_t count = segments * instance->segment_length;
    if (lane == place.lane) {
        count += index - 1;
    } else if (index == 0) {
        count -= 1;
    }
    // Later blocks are likelier.
    const uint64_t j1 = (uint32_t)random, x = j1 * j1 >> 32, y = count * x >> 32;
    const uint32_t relative = count - 1 - (uint32_t)y;
    // After the first pass the oldest segment is the next one.
    const uint32_t start =
        is_first || place.slice == CREDKIT_ARGON2_SLICES - 1 ? 0 : (place.slice + 1) * instance->segment_length;
    // In 64 bits: the sum can exceed 32 from 2.7 TiB a lane on.
    uint64_t position = (uint64_t)start + relative;
    if (position >= instance->lane_length) position -= instance->lane_length;
    return instance->blocks + ((size_t)lane * instance->lane_length + position) * CREDKIT_ARGON2_BLOCK;
}

#endif
