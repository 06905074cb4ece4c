// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The lookup tables of the kernels that look up sixteen bytes in a register. The method of encoding is that of Wojciech
// Muła and Daniel Lemire, "Faster Base64 Encoding and Decoding Using AVX2 Instructions" (2018), for both alphabets.
#ifndef CREDKIT_BASE64_TABLES_H
#define CREDKIT_BASE64_TABLES_H

#include <stdint.h>

#include "CCredKitKernels.h"

struct base64_tables {
    /// Added to a value to get its character. The ranges of values are numbered so that three instructions find the
    /// number: 0 uppercase letters, 1 lowercase letters, 2 to 11 the digits, 12 and 13 the last two characters.
    int8_t to_character[16];
    /// Its exclusive or with a character, by the lower half, is 0 for the first and 1 for the second of the last two
    /// characters of the alphabet, and at least 16 for all others. They are the ranges 0 and 1; the range of any other
    /// character is its upper half. Then each range has at most one bound between characters that are in the alphabet
    /// and those that are not.
    uint8_t special[16];
    /// Added to a character to get its value, by the range.
    int8_t to_value[16];
    /// Added to a character, gives a number whose highest bit is set if it is not in the alphabet, by the range.
    int8_t to_fault[16];
};

static const struct base64_tables base64_standard = {
    {'A', 'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
     '+' - 62, '/' - 63, 0, 0},
    {0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, '+', 0xF0, 0xF0, 0xF0, '/' ^ 1},
    // The upper half of '/' has no character but '+' below it, so that '/' can also have its upper half as the range.
    {62 - '+', 63 - '/', 63 - '/', 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0},
    {-0x10, -0x20, -'/', 127 - '9', -'A', 127 - 'Z', -'a', 127 - 'z', 0, 0, 0, 0, 0, 0, 0, 0},
};

static const struct base64_tables base64_url_safe = {
    {'A', 'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
     '-' - 62, '_' - 63, 0, 0},
    {0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, 0xF0, '-', 0xF0, '_' ^ 1},
    {62 - '-', 63 - '_', 0, 52 - '0', -'A', -'A', 26 - 'a', 26 - 'a', 0, 0, 0, 0, 0, 0, 0, 0},
    {-0x10, -0x20, -0x30, 127 - '9', -'A', 127 - 'Z', -'a', 127 - 'z', 0, 0, 0, 0, 0, 0, 0, 0},
};

static inline const struct base64_tables *tables_for(unsigned form) {
    return form & CREDKIT_BASE64_URL_SAFE ? &base64_url_safe : &base64_standard;
}

#endif
