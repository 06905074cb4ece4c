// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The kernels that every processor can run. The compiler implements the vectors of MD5 with SSE2 or NEON.
#include "CCredKitKernels.h"
#include "base64_words.h"

#define VECTOR_BYTES 16
#define VECTORS_AT_ONCE 2
#include "md5_lanes.h"

static ptrdiff_t encode(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    const size_t written = encoded_length(length, form);
    if (written > room) return -1;
    // With a constant the compiler makes one loop for each alphabet.
    if (form & CREDKIT_BASE64_URL_SAFE) {
        encode_words(source, length, target, (form & CREDKIT_BASE64_PADDED) | CREDKIT_BASE64_URL_SAFE);
    } else {
        encode_words(source, length, target, form & CREDKIT_BASE64_PADDED);
    }
    return (ptrdiff_t)written;
}

static size_t decode(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    return form & CREDKIT_BASE64_URL_SAFE ? decode_words(source, groups, target, CREDKIT_BASE64_URL_SAFE)
                                          : decode_words(source, groups, target, 0);
}

static ptrdiff_t decode_text(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    return decode_text_by(decode, source, length, target, form);
}

const struct credkit_kernels credkit_kernels_portable = {"portable",  encode,    decode,        decode_text,
                                                         md5_blocks, md5_short, md5_of_digests};

int credkit_base64_value(uint8_t character, unsigned form) {
    uint64_t is_invalid;
    const uint64_t bytes = decode_word((uint64_t)character << 56 | BASE64_ZEROS >> 8, form, &is_invalid);
    CREDKIT_DECLASSIFY(is_invalid);
    return is_invalid != 0 ? -1 : (int)(bytes >> 42);
}
