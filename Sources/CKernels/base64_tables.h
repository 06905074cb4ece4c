// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The lookup tables of the kernels that look up sixteen bytes in a register. The method is that of Wojciech Muła and
// Daniel Lemire, "Faster Base64 Encoding and Decoding Using AVX2 Instructions" (2018), for both alphabets.
#ifndef CREDKIT_BASE64_TABLES_H
#define CREDKIT_BASE64_TABLES_H

#include <stdint.h>

#include "CCredKitKernels.h"

struct base64_tables {
    /// Added to a value to get its character. The ranges of values are numbered so that two instructions find the
    /// number: 1 to 10 are the digits, 11 and 12 the last two characters, 13 uppercase letters, 0 lowercase letters.
    int8_t to_character[16];
    /// The entries for the upper and lower half of a character have a bit in common if it is not in the alphabet.
    /// There is one bit for each set of lower halves that are valid with some upper half, and one for upper halves
    /// with which none is valid.
    uint8_t upper_halves[16], lower_halves[16];
    /// Added to a character to get its value, by the upper half.
    int8_t to_value[16];
    /// The one character for which to_value is wrong, and the correction that is added for it.
    char exception;
    int8_t exceptional;
};

static const struct base64_tables base64_standard = {
    {'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
     '+' - 62, '/' - 63, 'A', 0, 0},
    {1, 1, 2, 4, 8, 16, 8, 16, 1, 1, 1, 1, 1, 1, 1, 1},
    {0x0B, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0x07, 0x15, 0x17, 0x17, 0x17, 0x15},
    {0, 0, 62 - '+', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0},
    '/',
    (63 - '/') - (62 - '+'),
};

static const struct base64_tables base64_url_safe = {
    {'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
     '-' - 62, '_' - 63, 'A', 0, 0},
    {1, 1, 2, 4, 8, 16, 8, 32, 1, 1, 1, 1, 1, 1, 1, 1},
    {0x0B, 3, 3, 3, 3, 3, 3, 3, 3, 3, 0x07, 0x37, 0x37, 0x35, 0x37, 0x27},
    {0, 0, 62 - '-', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0},
    '_',
    (63 - '_') - -'A',
};

static inline const struct base64_tables *tables_for(unsigned form) {
    return form & CREDKIT_BASE64_URL_SAFE ? &base64_url_safe : &base64_standard;
}

#endif
