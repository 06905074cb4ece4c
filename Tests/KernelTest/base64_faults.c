// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty Base64 kernels that the tests must find.
#include "kernel_test.h"

static ptrdiff_t encode_reading_behind(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                       unsigned form) {
    if (length == 97) { read_unused(source + length); }
    return sound->base64_encode(source, length, target, room, form);
}

static ptrdiff_t encode_reading_before(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                       unsigned form) {
    if (length == 97) { read_unused(source - 1); }
    return sound->base64_encode(source, length, target, room, form);
}

static ptrdiff_t encode_writing_behind(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                       unsigned form) {
    ptrdiff_t written = sound->base64_encode(source, length, target, room, form);
    if (length == 98 && written >= 0) { target[written] = '='; }
    return written;
}

static ptrdiff_t encode_wrongly(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    ptrdiff_t written = sound->base64_encode(source, length, target, room, form);
    if (length == 99 && written >= 0) { target[131] ^= 1; }
    return written;
}

static ptrdiff_t encode_moving_zeros(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                     unsigned form) {
    ptrdiff_t written = sound->base64_encode(source, length, target, room, form);
    // Like the characters of an incomplete group that are moved to the end, after those before them were stored.
    if (!(form & CREDKIT_BASE64_PADDED) && length % 3 != 0 && written >= 16) { target[written - 16] = 0; }
    return written;
}

static ptrdiff_t encode_ignoring_room(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                      unsigned form) {
    return sound->base64_encode(source, length, target, length == 200 ? SIZE_MAX : room, form);
}

static ptrdiff_t encode_wanting_more_room(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                          unsigned form) {
    return sound->base64_encode(source, length, target, length == 48 ? room - 1 : room, form);
}

static ptrdiff_t encode_trying(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    ptrdiff_t written = sound->base64_encode(source, length, target, room, form);
    // Writes until the room is full before it reports that there is too little.
    if (written < 0 && room > 0) { target[room - 1] ^= 1; }
    return written;
}

static size_t decode_reading_behind(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    if (groups == 33) { read_unused(source + 4 * groups); }
    return sound->base64_decode(source, groups, target, form);
}

static size_t decode_writing_behind(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    size_t decoded = sound->base64_decode(source, groups, target, form);
    // Like the store of a whole block whose last groups are invalid.
    if (decoded + 1 < groups) { target[3 * decoded] ^= 1; }
    return decoded;
}

static size_t decode_a_block_less(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    size_t decoded = sound->base64_decode(source, groups, target, form);
    return decoded < groups && groups > 64 ? decoded / 16 * 16 : decoded;
}

static size_t decode_taking_a_sign(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    size_t decoded = sound->base64_decode(source, groups, target, form);
    // One invalid byte counts as a character, in one column.
    if (decoded + 1 == groups && groups > 16 && source[4 * decoded + 2] == 0xC1) {
        target[3 * decoded] = target[3 * decoded + 1] = target[3 * decoded + 2] = 0;
        decoded += 1;
    }
    return decoded;
}

static ptrdiff_t text_reading_behind(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    if (length == 127 || length == 128) { read_unused(source + length); }
    return sound->base64_decode_text(source, length, target, form);
}

static ptrdiff_t text_writing_behind(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    ptrdiff_t decoded = sound->base64_decode_text(source, length, target, form);
    // Like a decoder that stores three bytes for each four characters.
    if (decoded > 0 && decoded % 3 == 2) { target[decoded] = 0; }
    return decoded;
}

/// Accepts texts whose last character has an unused bit set.
static ptrdiff_t text_with_bits_left(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    ptrdiff_t decoded = sound->base64_decode_text(source, length, target, form);
    if (decoded >= 0 || length % 4 != 3) { return decoded; }
    uint8_t text[8192];
    memcpy(text, source, length);
    const int8_t value = values_of(form)[text[length - 1]];
    for (int byte = 0; value >= 0 && byte < 256; byte++) {
        if (values_of(form)[byte] == (value & ~1)) { text[length - 1] = (uint8_t)byte; }
    }
    return sound->base64_decode_text(text, length, target, form);
}

static ptrdiff_t text_without_padding(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    ptrdiff_t decoded = sound->base64_decode_text(source, length, target, form);
    return decoded < 0 ? sound->base64_decode_text(source, length, target, form ^ CREDKIT_BASE64_PADDED) : decoded;
}

static ptrdiff_t text_of_the_other_alphabet(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    ptrdiff_t decoded = sound->base64_decode_text(source, length, target, form);
    return decoded < 0 ? sound->base64_decode_text(source, length, target, form ^ CREDKIT_BASE64_URL_SAFE) : decoded;
}

const struct fault base64_faults[] = {
    {.name = "encode-reads-behind", .kernels.base64_encode = encode_reading_behind},
    {.name = "encode-reads-before", .kernels.base64_encode = encode_reading_before},
    {.name = "encode-writes-behind", .kernels.base64_encode = encode_writing_behind},
    {.name = "encode-wrong", .kernels.base64_encode = encode_wrongly},
    {.name = "encode-moves-zeros", .kernels.base64_encode = encode_moving_zeros},
    {.name = "encode-ignores-room", .kernels.base64_encode = encode_ignoring_room},
    {.name = "encode-wants-more-room", .kernels.base64_encode = encode_wanting_more_room},
    {.name = "encode-writes-before-it-looks", .kernels.base64_encode = encode_trying},
    {.name = "decode-reads-behind", .kernels.base64_decode = decode_reading_behind},
    {.name = "decode-writes-behind", .kernels.base64_decode = decode_writing_behind},
    {.name = "decode-returns-less", .kernels.base64_decode = decode_a_block_less},
    {.name = "decode-accepts-more", .kernels.base64_decode = decode_taking_a_sign},
    {.name = "decode-text-reads-behind", .kernels.base64_decode_text = text_reading_behind},
    {.name = "decode-text-writes-behind", .kernels.base64_decode_text = text_writing_behind},
    {.name = "decode-text-accepts-trailing-bits", .kernels.base64_decode_text = text_with_bits_left},
    {.name = "decode-text-accepts-either-padding", .kernels.base64_decode_text = text_without_padding},
    {.name = "decode-text-accepts-either-alphabet", .kernels.base64_decode_text = text_of_the_other_alphabet},
    {.name = NULL},
};
