// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Hexadecimal digits, eight at a time in the lanes of a machine word.
#include <string.h>

#include "CCredKitKernels.h"
#include "declassify.h"
#include "word_lanes.h"

/// The digits of four bytes. The first byte and the first digit are the lowest, as in memory.
static inline uint64_t digits_of(uint32_t bytes) {
    uint64_t values = bytes;
    values = (values | values << 16) & UINT64_C(0x0000FFFF0000FFFF);
    values = (values | values << 8) & UINT64_C(0x00FF00FF00FF00FF);
    // The upper half of each byte is the first digit.
    values = (values >> 4 | values << 8) & all_lanes(0x0F);
    // "a" is 39 behind the character that follows "9". No lane exceeds 48 + 15 + 39.
    return values + all_lanes('0') + lanes_at_least(10, values) * 39;
}

void credkit_hex_encode(const uint8_t *source, size_t length, uint8_t *target) {
    uint32_t bytes = 0;
    for (; length >= 4; source += 4, target += 8, length -= 4) {
        memcpy(&bytes, source, 4);
        const uint64_t digits = digits_of(bytes);
        memcpy(target, &digits, 8);
    }
    for (; length > 0; source += 1, target += 2, length -= 1) {
        const uint16_t digits = (uint16_t)digits_of(*source);
        memcpy(target, &digits, 2);
    }
}

/// The four bytes of eight digits. `is_invalid` becomes 0 if all of them are valid digits.
static inline uint32_t bytes_of(uint64_t characters, uint64_t *is_invalid) {
    const uint64_t character = characters & all_lanes(0x7F);
    const uint64_t decimals = lanes_within('0', '9', character);
    const uint64_t letters = lanes_within('a', 'f', character | all_lanes(0x20));
    *is_invalid = (~(decimals | letters) | characters) & all_lanes(0x80);
    // The low four bits of a decimal digit are its value, those of a letter are 9 less than its value.
    uint64_t values = (character & all_lanes(0x0F)) + high_bits(letters) * 9;
    values = (values << 4 | values >> 8) & UINT64_C(0x00FF00FF00FF00FF);
    values = (values | values >> 8) & UINT64_C(0x0000FFFF0000FFFF);
    return (uint32_t)(values | values >> 16);
}

size_t credkit_hex_decode(const uint8_t *source, size_t length, uint8_t *target) {
    uint64_t characters, is_invalid;
    size_t index = 0;
    for (; index + 8 <= length; index += 8) {
        memcpy(&characters, source + index, 8);
        const uint32_t bytes = bytes_of(characters, &is_invalid);
        CREDKIT_DECLASSIFY(is_invalid);
        if (is_invalid != 0) break;
        memcpy(target + index / 2, &bytes, 4);
    }
    // One by one to the end, or to the first invalid character.
    for (; index < length; index++) {
        const uint64_t zeros = all_lanes('0') << 8;
        const uint32_t value = bytes_of(zeros | source[index], &is_invalid);
        CREDKIT_DECLASSIFY(is_invalid);
        if (is_invalid != 0) return index;
        // The first digit of a pair is the upper half.
        if (index % 2 == 0) {
            if (index + 1 < length) target[index / 2] = (uint8_t)value;
        } else {
            target[index / 2] |= (uint8_t)(value >> 4);
        }
    }
    return length;
}
