// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 in arithmetic on the eight byte lanes of a machine word: the portable kernels, and the ends of texts for
// all others. Additions never carry from one lane into the next; each use says why.
#ifndef CREDKIT_BASE64_WORDS_H
#define CREDKIT_BASE64_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "declassify.h"

static inline uint64_t all_lanes(uint8_t byte) { return byte * UINT64_C(0x0101010101010101); }

static inline uint64_t load_big_endian_64(const uint8_t *bytes) {
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    return __builtin_bswap64(word);
}

static inline void store_big_endian_64(uint8_t *bytes, uint64_t word) {
    word = __builtin_bswap64(word);
    memcpy(bytes, &word, sizeof word);
}

/// The characters for the values 62 and 63.
static inline uint8_t character_62(bool is_url_safe) { return is_url_safe ? '-' : '+'; }
static inline uint8_t character_63(bool is_url_safe) { return is_url_safe ? '_' : '/'; }

/// 1 in each lane whose value, at most 127, is at least `bound`; 0 in the others. The sum of two numbers up to 127
/// and 128 stays within the lane.
static inline uint64_t lanes_at_least(uint8_t bound, uint64_t lanes) {
    return ((lanes + all_lanes(128 - bound)) >> 7) & all_lanes(1);
}

/// The eight characters of six bytes, which stand in the low 48 bits with the first one highest.
static inline uint64_t encode_word(uint64_t word, bool is_url_safe) {
    // Spread 48 bits over eight lanes: halves of 24, of 12, of 6.
    uint64_t value = (word & UINT64_C(0xFFFFFF000000)) << 8 | (word & 0xFFFFFF);
    value = (value & UINT64_C(0x00FFF00000FFF000)) << 4 | (value & UINT64_C(0x00000FFF00000FFF));
    value = (value & UINT64_C(0x0FC00FC00FC00FC0)) << 2 | (value & UINT64_C(0x003F003F003F003F));

    // Start in A-Z and move on by the distance to the next range at each bound that is reached. At no step is a
    // lane below 0 or above 63 + 65 + 6 = 134. Carried on, the digits would have 62 and 63 at 58 and 59.
    const uint64_t from_62 = 58 - character_62(is_url_safe);
    const uint64_t from_63 = character_63(is_url_safe) + from_62 - 59;
    uint64_t characters = value + all_lanes(65);
    characters += lanes_at_least(26, value) * 6;
    characters -= lanes_at_least(52, value) * 75;
    characters -= lanes_at_least(62, value) * from_62;
    return characters + lanes_at_least(63, value) * from_63;
}

/// In the high bit of each lane whether its character, at most 127, is from `low` to `high`; the other bits mean
/// nothing. The sums are at most 127 + 128.
static inline uint64_t lanes_within(uint8_t low, uint8_t high, uint64_t characters) {
    // Where the upper bound is passed the lower one is too.
    return (characters + all_lanes(128 - low)) ^ (characters + all_lanes(127 - high));
}

/// 1 in the lanes whose high bit is set, 0 in the others.
static inline uint64_t high_bits(uint64_t lanes) { return (lanes >> 7) & all_lanes(1); }

/// Eight characters of value 0, to fill up a word that has fewer.
#define BASE64_ZEROS UINT64_C(0x4141414141414141)

/// The six bytes of eight characters, the first one highest, in the low 48 bits. `is_invalid` becomes 0 if all eight
/// are of the alphabet, something else if not; the bytes mean nothing then.
static inline uint64_t decode_word(uint64_t word, bool is_url_safe, uint64_t *is_invalid) {
    const uint8_t for_62 = character_62(is_url_safe), for_63 = character_63(is_url_safe);
    const uint64_t character = word & all_lanes(0x7F);

    // With bit 5 set both cases of a letter are in one range, and nothing else gets there. No lane is in two ranges.
    const uint64_t letters = lanes_within('a', 'z', character | all_lanes(0x20));
    const uint64_t digits = lanes_within('0', '9', character);
    const uint64_t is_62 = lanes_within(for_62, for_62, character);
    const uint64_t is_63 = lanes_within(for_63, for_63, character);
    *is_invalid = (~(letters | digits | is_62 | is_63) | word) & all_lanes(0x80);

    // From the low five bits it is one distance to the value for each range: modulo 64, -1 for uppercase letters,
    // 25 for lowercase ones, 36 for digits. The largest sum is 31 + 63 + 26.
    const uint64_t is_letter = high_bits(letters);
    uint64_t lanes = character & all_lanes(0x1F);
    lanes += is_letter * 63 + (is_letter & character >> 5) * 26;
    lanes += high_bits(digits) * 36 + high_bits(is_62) * ((62 - (for_62 & 31)) & 63);
    lanes += high_bits(is_63) * ((63 - (for_63 & 31)) & 63);
    lanes &= all_lanes(0x3F);

    // Close the lanes up: pairs of 6 bits, of 12, of 24.
    lanes = (lanes & UINT64_C(0x3F003F003F003F00)) >> 2 | (lanes & UINT64_C(0x003F003F003F003F));
    lanes = (lanes & UINT64_C(0x0FFF00000FFF0000)) >> 4 | (lanes & UINT64_C(0x00000FFF00000FFF));
    return (lanes & UINT64_C(0x00FFFFFF00000000)) >> 8 | (lanes & UINT64_C(0x0000000000FFFFFF));
}

/// Encodes bytes, the last incomplete group too.
static inline void encode_words(const uint8_t *source, size_t length, uint8_t *target, bool is_url_safe,
                                bool is_padded) {
    // Two groups a step, which loads eight bytes for the six that it uses.
    while (length >= 8) {
        store_big_endian_64(target, encode_word(load_big_endian_64(source) >> 16, is_url_safe));
        source += 6;
        target += 8;
        length -= 6;
    }
    while (length > 0) {
        const size_t used = length < 3 ? length : 3;
        uint64_t word = (uint64_t)source[0] << 40;
        if (used > 1) word |= (uint64_t)source[1] << 32;
        if (used > 2) word |= (uint64_t)source[2] << 24;
        const uint64_t characters = encode_word(word, is_url_safe);
        for (size_t index = 0; index <= used; index++) *target++ = (uint8_t)(characters >> (56 - 8 * index));
        if (is_padded) {
            for (size_t index = used; index < 3; index++) *target++ = '=';
        }
        source += used;
        length -= used;
    }
}

/// Decodes groups up to the first that is not valid, and returns how many were decoded.
static inline size_t decode_words(const uint8_t *source, size_t groups, uint8_t *target, bool is_url_safe) {
    uint64_t is_invalid;
    size_t group = 0;
    // Two groups a step.
    for (; group + 2 <= groups; group += 2) {
        const uint64_t bytes = decode_word(load_big_endian_64(source + 4 * group), is_url_safe, &is_invalid);
        CREDKIT_DECLASSIFY(is_invalid);
        if (is_invalid != 0) break;
        const uint32_t first = __builtin_bswap32((uint32_t)(bytes >> 16));
        const uint16_t second = __builtin_bswap16((uint16_t)bytes);
        memcpy(target + 3 * group, &first, sizeof first);
        memcpy(target + 3 * group + 4, &second, sizeof second);
    }
    // The last one, or the first of two of which one is not valid.
    for (; group < groups; group++) {
        uint32_t word;
        memcpy(&word, source + 4 * group, sizeof word);
        const uint64_t filled = (uint64_t)__builtin_bswap32(word) << 32 | BASE64_ZEROS >> 32;
        const uint64_t bytes = decode_word(filled, is_url_safe, &is_invalid);
        CREDKIT_DECLASSIFY(is_invalid);
        if (is_invalid != 0) break;
        for (size_t index = 0; index < 3; index++) {
            target[3 * group + index] = (uint8_t)(bytes >> (40 - 8 * index));
        }
    }
    return group;
}

#endif
