// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// What every processor can run. The compiler makes the vectors of MD5 from what it has: SSE2 or NEON.
#include "CCredKitKernels.h"
#include "base64_words.h"

#define VECTOR_BYTES 16
#define VECTORS_AT_ONCE 2
#include "md5_lanes.h"

static void encode(const uint8_t *source, size_t length, uint8_t *target, bool is_url_safe, bool is_padded) {
    // With a constant the compiler has one loop for each alphabet.
    if (is_url_safe) {
        encode_words(source, length, target, true, is_padded);
    } else {
        encode_words(source, length, target, false, is_padded);
    }
}

static size_t decode(const uint8_t *source, size_t groups, uint8_t *target, bool is_url_safe) {
    return is_url_safe ? decode_words(source, groups, target, true) : decode_words(source, groups, target, false);
}

const struct credkit_kernels credkit_kernels_portable = {"portable", encode, decode, md5_blocks, md5_short, md5_of_digests};

size_t credkit_base64_padding(const uint8_t *source, size_t length) {
    if (length < 2) return 0;
    bool is_last = source[length - 1] == '=';
    CREDKIT_DECLASSIFY(is_last);
    if (!is_last) return 0;
    bool is_second = source[length - 2] == '=';
    CREDKIT_DECLASSIFY(is_second);
    return is_second ? 2 : 1;
}

bool credkit_base64_decode_end(const uint8_t *source, size_t characters, uint8_t *target, bool is_url_safe) {
    uint64_t word = BASE64_ZEROS, is_invalid;
    for (size_t index = 0; index < characters; index++) word = word << 8 | source[index];
    // The characters come first, zeros fill up.
    word = word << (8 * (8 - characters)) | BASE64_ZEROS >> (8 * characters);
    const uint64_t bytes = decode_word(word, is_url_safe, &is_invalid);
    // Of 2 characters 4 bits are over, of 3 characters 2.
    is_invalid |= bytes & (characters == 2 ? UINT64_C(0xF) << 36 : UINT64_C(0x3) << 30);
    CREDKIT_DECLASSIFY(is_invalid);
    if (is_invalid != 0) return false;
    for (size_t index = 0; index + 1 < characters; index++) target[index] = (uint8_t)(bytes >> (40 - 8 * index));
    return true;
}

int credkit_base64_value(uint8_t character, bool is_url_safe) {
    uint64_t is_invalid;
    const uint64_t bytes = decode_word((uint64_t)character << 56 | BASE64_ZEROS >> 8, is_url_safe, &is_invalid);
    CREDKIT_DECLASSIFY(is_invalid);
    return is_invalid != 0 ? -1 : (int)(bytes >> 42);
}
