// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 thirty-two characters at a time, and MD5 in two vectors of eight lanes.
#if defined(__x86_64__)
#include <immintrin.h>

#include "CCredKitKernels.h"
#include "base64_tables.h"
#include "base64_words.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define VECTOR_BYTES 32
#define VECTORS_AT_ONCE 2
#include "md5_lanes.h"

/// The sixteen bytes of a table, in both halves.
static inline __m256i table(const void *bytes) {
    return _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)bytes));
}

/// The thirty-two values of the first twelve bytes of each half.
static inline __m256i values_of(__m256i bytes) {
    // Every three bytes become four, 1 0 2 1, so that each value lies within 16 bits. Multiplications then shift each
    // value to its place.
    const __m256i order = _mm256_broadcastsi128_si256(_mm_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10));
    const __m256i spread = _mm256_shuffle_epi8(bytes, order);
    const __m256i even =
        _mm256_mulhi_epu16(_mm256_and_si256(spread, _mm256_set1_epi32(0x0FC0FC00)), _mm256_set1_epi32(0x04000040));
    const __m256i odd =
        _mm256_mullo_epi16(_mm256_and_si256(spread, _mm256_set1_epi32(0x003F03F0)), _mm256_set1_epi32(0x01000010));
    return _mm256_or_si256(even, odd);
}

static inline __m256i characters_of(__m256i values, __m256i to_character) {
    const __m256i above = _mm256_subs_epu8(values, _mm256_set1_epi8(51));
    const __m256i capital = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), values);
    const __m256i range = _mm256_or_si256(above, _mm256_and_si256(capital, _mm256_set1_epi8(13)));
    return _mm256_add_epi8(values, _mm256_shuffle_epi8(to_character, range));
}

static ptrdiff_t encode(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    const size_t written = encoded_length(length, form);
    if (written > room) return -1;
    const struct base64_tables *tables = tables_for(form);
    const __m256i to_character = table(tables->to_character);
    // Two loads of sixteen bytes, of which twelve are used.
    for (; length >= 28; source += 24, target += 32, length -= 24) {
        const __m256i bytes = _mm256_loadu2_m128i((const __m128i *)(source + 12), (const __m128i *)source);
        _mm256_storeu_si256((__m256i *)target, characters_of(values_of(bytes), to_character));
    }
    if (length >= 16) {
        const __m256i bytes = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i *)source));
        const __m256i characters = characters_of(values_of(bytes), to_character);
        _mm_storeu_si128((__m128i *)target, _mm256_castsi256_si128(characters));
        source += 12, target += 16, length -= 12;
    }
    encode_words(source, length, target, form);
    return (ptrdiff_t)written;
}

static size_t decode(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    const struct base64_tables *tables = tables_for(form);
    const __m256i upper_halves = table(tables->upper_halves), lower_halves = table(tables->lower_halves);
    const __m256i to_value = table(tables->to_value), half = _mm256_set1_epi8(0x0F);
    const __m256i exception = _mm256_set1_epi8(tables->exception);
    const __m256i exceptional = _mm256_set1_epi8(tables->exceptional);
    const __m256i close = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    size_t group = 0;
    for (; group + 8 <= groups; group += 8, source += 32, target += 24) {
        const __m256i characters = _mm256_loadu_si256((const __m256i *)source);
        const __m256i upper = _mm256_and_si256(_mm256_srli_epi32(characters, 4), half);
        const __m256i lower = _mm256_and_si256(characters, half);
        const __m256i upper_bits = _mm256_shuffle_epi8(upper_halves, upper);
        const __m256i lower_bits = _mm256_shuffle_epi8(lower_halves, lower);
        int is_valid = _mm256_testz_si256(upper_bits, lower_bits);
        CREDKIT_DECLASSIFY(is_valid);
        // decode_words finds the invalid group.
        if (!is_valid) break;
        const __m256i more = _mm256_and_si256(_mm256_cmpeq_epi8(characters, exception), exceptional);
        const __m256i values =
            _mm256_add_epi8(_mm256_add_epi8(characters, _mm256_shuffle_epi8(to_value, upper)), more);
        const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
        const __m256i halves = _mm256_shuffle_epi8(_mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000)), close);
        // Joins the twelve bytes of each half.
        const __m256i bytes = _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
        _mm_storeu_si128((__m128i *)target, _mm256_castsi256_si128(bytes));
        _mm_storel_epi64((__m128i *)(target + 16), _mm256_extracti128_si256(bytes, 1));
    }
    return group + decode_words(source, groups - group, target, form);
}

static ptrdiff_t decode_text(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    return decode_text_by(decode, source, length, target, form);
}

const struct credkit_kernels credkit_kernels_avx2 = {"avx2",  encode,    decode,        decode_text,
                                                     md5_blocks, md5_short, md5_of_digests};

#pragma clang attribute pop
#endif
