// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 sixteen characters at a time. MD5 is the same as for all 64-bit processors.
#if defined(__x86_64__)
#include <immintrin.h>

#include "CCredKitKernels.h"
#include "base64_tables.h"
#include "base64_words.h"

#pragma clang attribute push(__attribute__((target("ssse3"))), apply_to = function)

#define VECTOR_BYTES 16
#define VECTORS_AT_ONCE 2
#include "md5_lanes.h"

static inline __m128i table(const void *bytes) { return _mm_loadu_si128((const __m128i *)bytes); }

/// The sixteen values of the first twelve bytes.
static inline __m128i values_of(__m128i bytes) {
    // Every three bytes become four, 1 0 2 1, so that each value lies within 16 bits. Multiplications then shift each
    // value to its place.
    const __m128i spread = _mm_shuffle_epi8(bytes, _mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
    const __m128i even = _mm_mulhi_epu16(_mm_and_si128(spread, _mm_set1_epi32(0x0FC0FC00)), _mm_set1_epi32(0x04000040));
    const __m128i odd = _mm_mullo_epi16(_mm_and_si128(spread, _mm_set1_epi32(0x003F03F0)), _mm_set1_epi32(0x01000010));
    return _mm_or_si128(even, odd);
}

static inline __m128i characters_of(__m128i values, __m128i to_character) {
    const __m128i no_capital = _mm_cmpgt_epi8(values, _mm_set1_epi8(25));
    const __m128i range = _mm_sub_epi8(_mm_subs_epu8(values, _mm_set1_epi8(51)), no_capital);
    return _mm_add_epi8(values, _mm_shuffle_epi8(to_character, range));
}

static ptrdiff_t encode(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    const size_t written = encoded_length(length, form);
    if (written > room) return -1;
    const struct base64_tables *tables = tables_for(form);
    const __m128i to_character = table(tables->to_character);
    for (; length >= 16; source += 12, target += 16, length -= 12) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)source);
        _mm_storeu_si128((__m128i *)target, characters_of(values_of(bytes), to_character));
    }
    encode_words(source, length, target, form);
    return (ptrdiff_t)written;
}

static size_t decode(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    const struct base64_tables *tables = tables_for(form);
    const __m128i specials = table(tables->special), to_value = table(tables->to_value);
    const __m128i to_fault = table(tables->to_fault);
    const __m128i close = _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1);
    size_t group = 0;
    for (; group + 4 <= groups; group += 4, source += 16, target += 12) {
        const __m128i characters = _mm_loadu_si128((const __m128i *)source);
        const __m128i upper = _mm_and_si128(_mm_srli_epi32(characters, 4), _mm_set1_epi8(0x0F));
        const __m128i special = _mm_xor_si128(characters, _mm_shuffle_epi8(specials, characters));
        const __m128i range = _mm_min_epu8(upper, special);
        int faults = _mm_movemask_epi8(_mm_add_epi8(characters, _mm_shuffle_epi8(to_fault, range)));
        CREDKIT_DECLASSIFY(faults);
        // decode_words finds the invalid group.
        if (faults != 0) break;
        const __m128i values = _mm_add_epi8(characters, _mm_shuffle_epi8(to_value, range));
        const __m128i pairs = _mm_maddubs_epi16(values, _mm_set1_epi32(0x01400140));
        const __m128i bytes = _mm_shuffle_epi8(_mm_madd_epi16(pairs, _mm_set1_epi32(0x00011000)), close);
        _mm_storel_epi64((__m128i *)target, bytes);
        const int last = _mm_cvtsi128_si32(_mm_srli_si128(bytes, 8));
        memcpy(target + 8, &last, sizeof last);
    }
    return group + decode_words(source, groups - group, target, form);
}

static ptrdiff_t decode_text(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    return decode_text_by(decode, source, length, target, form);
}

const struct credkit_kernels credkit_kernels_ssse3 = {"ssse3",  encode,    decode,        decode_text,
                                                     md5_blocks, md5_short, md5_of_digests};

#pragma clang attribute pop
#endif
