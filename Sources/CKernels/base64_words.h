// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 in arithmetic on the lanes of a machine word: the portable kernels, and the ends of texts for all other
// kernels.
#ifndef CREDKIT_BASE64_WORDS_H
#define CREDKIT_BASE64_WORDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CCredKitKernels.h"
#include "declassify.h"
#include "word_lanes.h"

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
static inline uint8_t character_62(unsigned form) { return form & CREDKIT_BASE64_URL_SAFE ? '-' : '+'; }
static inline uint8_t character_63(unsigned form) { return form & CREDKIT_BASE64_URL_SAFE ? '_' : '/'; }

/// Encodes six bytes as eight characters. The bytes are in the low 48 bits, the first one highest.
static inline uint64_t encode_word(uint64_t word, unsigned form) {
    // Spread 48 bits over eight lanes: first halves of 24 bits, then of 12, then of 6.
    uint64_t value = (word & UINT64_C(0xFFFFFF000000)) << 8 | (word & 0xFFFFFF);
    value = (value & UINT64_C(0x00FFF00000FFF000)) << 4 | (value & UINT64_C(0x00000FFF00000FFF));
    value = (value & UINT64_C(0x0FC00FC00FC00FC0)) << 2 | (value & UINT64_C(0x003F003F003F003F));

    // Start in A-Z, and add the distance to the next range at each bound that is reached. At no step is a lane below
    // 0 or above 63 + 65 + 6 = 134. If the range of the digits continued, 62 and 63 would be the characters 58 and
    // 59.
    const uint64_t from_62 = 58 - character_62(form);
    const uint64_t from_63 = character_63(form) + from_62 - 59;
    uint64_t characters = value + all_lanes(65);
    characters += lanes_at_least(26, value) * 6;
    characters -= lanes_at_least(52, value) * 75;
    characters -= lanes_at_least(62, value) * from_62;
    return characters + lanes_at_least(63, value) * from_63;
}

/// Eight characters of value 0, to fill up a word with fewer characters.
#define BASE64_ZEROS UINT64_C(0x4141414141414141)

/// Decodes eight characters, the first one highest, to six bytes in the low 48 bits. `is_invalid` becomes 0 if all
/// eight are in the alphabet, otherwise nonzero; then the bytes are meaningless.
static inline uint64_t decode_word(uint64_t word, unsigned form, uint64_t *is_invalid) {
    const uint8_t for_62 = character_62(form), for_63 = character_63(form);
    const uint64_t character = word & all_lanes(0x7F);

    // With bit 5 set, both cases of a letter are in one range, which no other character reaches. No lane is in two
    // ranges.
    const uint64_t letters = lanes_within('a', 'z', character | all_lanes(0x20));
    const uint64_t digits = lanes_within('0', '9', character);
    const uint64_t is_62 = lanes_within(for_62, for_62, character);
    const uint64_t is_63 = lanes_within(for_63, for_63, character);
    *is_invalid = (~(letters | digits | is_62 | is_63) | word) & all_lanes(0x80);

    // For each range, the low five bits differ from the value by a constant, modulo 64: -1 for uppercase letters, 25
    // for lowercase ones, 36 for digits. The largest sum is 31 + 63 + 26.
    const uint64_t is_letter = high_bits(letters);
    uint64_t lanes = character & all_lanes(0x1F);
    lanes += is_letter * 63 + (is_letter & character >> 5) * 26;
    lanes += high_bits(digits) * 36 + high_bits(is_62) * ((62 - (for_62 & 31)) & 63);
    lanes += high_bits(is_63) * ((63 - (for_63 & 31)) & 63);
    lanes &= all_lanes(0x3F);

    // Close the gaps between lanes: pairs of 6 bits, then of 12, then of 24.
    lanes = (lanes & UINT64_C(0x3F003F003F003F00)) >> 2 | (lanes & UINT64_C(0x003F003F003F003F));
    lanes = (lanes & UINT64_C(0x0FFF00000FFF0000)) >> 4 | (lanes & UINT64_C(0x00000FFF00000FFF));
    return (lanes & UINT64_C(0x00FFFFFF00000000)) >> 8 | (lanes & UINT64_C(0x0000000000FFFFFF));
}

/// The number of characters for a number of bytes.
static inline size_t encoded_length(size_t length, unsigned form) {
    const size_t groups = (length + 2) / 3;
    return form & CREDKIT_BASE64_PADDED ? 4 * groups : length + groups;
}

/// Encodes bytes, including an incomplete last group.
static inline void encode_words(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    // Two groups per step, which loads eight bytes and uses six.
    while (length >= 8) {
        store_big_endian_64(target, encode_word(load_big_endian_64(source) >> 16, form));
        source += 6;
        target += 8;
        length -= 6;
    }
    while (length > 0) {
        const size_t used = length < 3 ? length : 3;
        uint64_t word = (uint64_t)source[0] << 40;
        if (used > 1) word |= (uint64_t)source[1] << 32;
        if (used > 2) word |= (uint64_t)source[2] << 24;
        const uint64_t characters = encode_word(word, form);
        for (size_t index = 0; index <= used; index++) *target++ = (uint8_t)(characters >> (56 - 8 * index));
        if (form & CREDKIT_BASE64_PADDED) {
            for (size_t index = used; index < 3; index++) *target++ = '=';
        }
        source += used;
        length -= used;
    }
}

/// Decodes groups up to the first invalid one, and returns the number of decoded groups.
static inline size_t decode_words(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    uint64_t is_invalid;
    size_t group = 0;
    // Two groups per step.
    for (; group + 2 <= groups; group += 2) {
        const uint64_t bytes = decode_word(load_big_endian_64(source + 4 * group), form, &is_invalid);
        CREDKIT_DECLASSIFY(is_invalid);
        if (is_invalid != 0) break;
        const uint32_t first = __builtin_bswap32((uint32_t)(bytes >> 16));
        const uint16_t second = __builtin_bswap16((uint16_t)bytes);
        memcpy(target + 3 * group, &first, sizeof first);
        memcpy(target + 3 * group + 4, &second, sizeof second);
    }
    // The last group, or the valid groups before an invalid one in the last step.
    for (; group < groups; group++) {
        uint32_t word;
        memcpy(&word, source + 4 * group, sizeof word);
        const uint64_t filled = (uint64_t)__builtin_bswap32(word) << 32 | BASE64_ZEROS >> 32;
        const uint64_t bytes = decode_word(filled, form, &is_invalid);
        CREDKIT_DECLASSIFY(is_invalid);
        if (is_invalid != 0) break;
        for (size_t index = 0; index < 3; index++) {
            target[3 * group + index] = (uint8_t)(bytes >> (40 - 8 * index));
        }
    }
    return group;
}

/// The number of `=` at the end of a text of whole groups, at most 2. It reveals the length of the data, which is not
/// secret.
static inline size_t padding_of(const uint8_t *source, size_t length) {
    if (length < 4) return 0;
    int is_last = source[length - 1] == '=', is_second = source[length - 2] == '=';
    CREDKIT_DECLASSIFY(is_last);
    CREDKIT_DECLASSIFY(is_second);
    return is_last ? 1 + is_second : 0;
}

/// Decodes the last 2 or 3 characters of a text to 1 or 2 bytes. Returns 0 and writes nothing if one of them is not
/// in the alphabet, or bits that belong to no byte are set.
static inline int decode_end(const uint8_t *source, size_t characters, uint8_t *target, unsigned form) {
    uint64_t word = 0, is_invalid;
    for (size_t index = 0; index < 8; index++) word = word << 8 | (index < characters ? source[index] : 'A');
    const uint64_t bytes = decode_word(word, form, &is_invalid);
    // 2 characters have 4 unused bits, 3 characters have 2.
    is_invalid |= bytes & (characters == 2 ? UINT64_C(0xF) << 36 : UINT64_C(0x3) << 30);
    CREDKIT_DECLASSIFY(is_invalid);
    if (is_invalid != 0) return 0;
    for (size_t index = 0; index + 1 < characters; index++) target[index] = (uint8_t)(bytes >> (40 - 8 * index));
    return 1;
}

/// Decodes a whole text, using `decode` for its groups.
static inline __attribute__((always_inline)) ptrdiff_t decode_text_by(
    size_t (*decode)(const uint8_t *, size_t, uint8_t *, unsigned), const uint8_t *source, size_t length,
    uint8_t *target, unsigned form) {
    const int is_padded = form & CREDKIT_BASE64_PADDED;
    if (is_padded && length % 4 != 0) return -1;
    const size_t characters = is_padded ? length - padding_of(source, length) : length;
    const size_t groups = characters / 4, end = characters % 4;
    if (end == 1 || decode(source, groups, target, form) != groups) return -1;
    if (end != 0 && !decode_end(source + 4 * groups, end, target + 3 * groups, form)) return -1;
    return (ptrdiff_t)(3 * groups + (end != 0 ? end - 1 : 0));
}

#endif
