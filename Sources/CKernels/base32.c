// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base32, one character at a time: seeds are short.
#include "CCredKitKernels.h"
#include "declassify.h"

/// All ones if a character, at most 255, is from `low` to `high`, otherwise 0.
static inline uint32_t within(uint32_t low, uint32_t high, uint32_t character) {
    // Exactly then neither difference is below zero.
    return (((character - low) | (high - character)) >> 31) - 1;
}

static inline uint8_t character_of(uint32_t value) {
    // "2" follows "Z" in the alphabet.
    return (uint8_t)(value + 'A' - (within(26, 31, value) & ('A' + 26 - '2')));
}

size_t credkit_base32_encode(const uint8_t *source, size_t length, uint8_t *target) {
    uint32_t pending = 0;
    unsigned bits = 0;
    size_t count = 0;
    for (size_t index = 0; index < length; index++) {
        pending = pending << 8 | source[index];
        for (bits += 8; bits >= 5; bits -= 5) target[count++] = character_of(pending >> (bits - 5) & 31);
    }
    if (bits > 0) target[count++] = character_of(pending << (5 - bits) & 31);
    return count;
}

size_t credkit_base32_decode(const uint8_t *source, size_t length, enum credkit_base32_leniency leniency,
                             uint8_t *target, struct credkit_base32_text *text) {
    const uint32_t lenient = leniency == CREDKIT_BASE32_STRICT ? 0 : UINT32_MAX;
    const uint32_t seed = leniency == CREDKIT_BASE32_SEED ? UINT32_MAX : 0;
    struct credkit_base32_text found = {0};
    uint32_t pending = 0;
    unsigned bits = 0;
    size_t count = 0, index = 0;
    for (; index < length; index++) {
        const uint32_t character = source[index];
        const uint32_t upper = within('A', 'Z', character);
        const uint32_t lower = within('a', 'z', character) & lenient;
        const uint32_t digit = within('2', '7', character);
        // What kind of character stands where is no secret, except for the case of letters.
        uint32_t is_value = upper | lower | digit;
        CREDKIT_DECLASSIFY(is_value);
        if (is_value == 0) {
            const uint32_t is_separator =
                within('-', '-', character) | within('\t', '\n', character) | within('\r', '\r', character);
            uint32_t is_space = (within(' ', ' ', character) & lenient) | (is_separator & seed);
            uint32_t is_padding = within('=', '=', character);
            CREDKIT_DECLASSIFY(is_space);
            CREDKIT_DECLASSIFY(is_padding);
            if (is_padding != 0) found.padding++;
            else if (is_space == 0) break;
            continue;
        }
        if (found.padding > 0) break;
        found.digits++;
        found.last = index;
        const uint32_t value =
            ((character - 'A') & upper) | ((character - 'a') & lower) | ((character - '2' + 26) & digit);
        pending = pending << 5 | value;
        bits += 5;
        if (bits >= 8) {
            bits -= 8;
            target[count++] = (uint8_t)(pending >> bits);
        }
    }
    found.trailing = pending & ((1u << bits) - 1);
    CREDKIT_DECLASSIFY(found.trailing);
    *text = found;
    return index;
}
