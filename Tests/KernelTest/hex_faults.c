// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty functions for hexadecimal digits that the tests must find.
#include "kernel_test.h"

static void hex_encode_in_capitals(const uint8_t *source, size_t length, uint8_t *target) {
    credkit_hex_encode(source, length, target);
    if (length % 4 == 3 && target[2 * length - 1] == 'f') { target[2 * length - 1] = 'F'; }
}

static void hex_encode_writing_behind(const uint8_t *source, size_t length, uint8_t *target) {
    credkit_hex_encode(source, length, target);
    if (length == 23) { target[2 * length] = 0; }
}

static size_t hex_decode_missing_the_place(const uint8_t *source, size_t length, uint8_t *target) {
    size_t valid = credkit_hex_decode(source, length, target);
    return valid == length ? valid : valid / 2 * 2;
}

static size_t hex_decode_taking_a_sign(const uint8_t *source, size_t length, uint8_t *target) {
    size_t valid = credkit_hex_decode(source, length, target);
    return valid + 1 == length && source[valid] == 'G' ? length : valid;
}

static size_t hex_decode_writing_behind(const uint8_t *source, size_t length, uint8_t *target) {
    size_t valid = credkit_hex_decode(source, length, target);
    // Half a byte for the remaining digit.
    if (length % 2 == 1) { target[length / 2] = 0; }
    return valid;
}

static size_t hex_decode_reading_behind(const uint8_t *source, size_t length, uint8_t *target) {
    if (length % 2 == 1) { read_unused(source + length); }
    return credkit_hex_decode(source, length, target);
}

const struct fault hex_faults[] = {
    {.name = "hex-encode-capitals", .hex_encode = hex_encode_in_capitals},
    {.name = "hex-encode-writes-behind", .hex_encode = hex_encode_writing_behind},
    {.name = "hex-decode-wrong-place", .hex_decode = hex_decode_missing_the_place},
    {.name = "hex-decode-accepts-more", .hex_decode = hex_decode_taking_a_sign},
    {.name = "hex-decode-writes-behind", .hex_decode = hex_decode_writing_behind},
    {.name = "hex-decode-reads-behind", .hex_decode = hex_decode_reading_behind},
    {.name = NULL},
};
