// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Eight byte lanes in one machine word. Additions never carry from one lane into the next; each use explains why.
#ifndef CREDKIT_WORD_LANES_H
#define CREDKIT_WORD_LANES_H

#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "The kernels are written for little-endian processors, which are all that Swift has on Linux."
#endif

static inline uint64_t all_lanes(uint8_t byte) { return byte * UINT64_C(0x0101010101010101); }

/// 1 in each lane whose value, at most 127, is at least `bound`; 0 in the others. The sum of two numbers up to 127
/// and 128 stays within the lane.
static inline uint64_t lanes_at_least(uint8_t bound, uint64_t lanes) {
    return ((lanes + all_lanes(128 - bound)) >> 7) & all_lanes(1);
}

/// Sets the high bit of each lane whose character, at most 127, is from `low` to `high`; the other bits are
/// meaningless. The sums are at most 127 + 128.
static inline uint64_t lanes_within(uint8_t low, uint8_t high, uint64_t characters) {
    // A character that exceeds the upper bound also exceeds the lower one.
    return (characters + all_lanes(128 - low)) ^ (characters + all_lanes(127 - high));
}

/// 1 in the lanes whose high bit is set, 0 in the others.
static inline uint64_t high_bits(uint64_t lanes) { return (lanes >> 7) & all_lanes(1); }

#endif
