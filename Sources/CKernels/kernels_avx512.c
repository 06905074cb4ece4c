// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 sixty-four characters at a time, and MD5 in sixteen lanes. With VBMI a whole alphabet is looked up in one
// register, and masks make an end of a text of any length one step more.
#if defined(__x86_64__)
#include <immintrin.h>

#include "CCredKitKernels.h"
#include "base64_words.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx2,bmi,bmi2"))), apply_to = function)

/// The first `count` of 64, at most all.
static inline __mmask64 first(size_t count) { return _cvtu64_mask64(_bzhi_u64(~UINT64_C(0), (unsigned)count)); }

/// Sixteen bytes of a message and the bit that ends it, from `offset` on; zeros behind that.
#define PADDED_PART(message, offset) padded_part((message)->bytes, (message)->length, offset)
static inline __m128i padded_part(const uint8_t *bytes, size_t length, size_t offset) {
    const size_t rest = length > offset ? length - offset : 0;
    const __mmask16 used = _cvtu32_mask16(_bzhi_u32(0xFFFF, (unsigned)rest));
    const __mmask16 end = _cvtu32_mask16(length >= offset ? 1u << (rest < 31 ? rest : 31) : 0);
    return _mm_mask_set1_epi8(_mm_maskz_loadu_epi8(used, bytes + offset), end, (char)0x80);
}

#define VECTOR_BYTES 64
#define VECTORS_AT_ONCE 1
#include "md5_lanes.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
static const char alphabets[2][65] = {LETTERS "+/", LETTERS "-_"};

static inline __m512i characters_of(__m512i bytes, __m512i alphabet) {
    // Each three bytes become four, 1 0 2 1. The values begin at these bits of the 32.
    const __m512i order = _mm512_set_epi32(0x2E2F2D2E, 0x2B2C2A2B, 0x28292728, 0x25262425, 0x22232122, 0x1F201E1F,
                                           0x1C1D1B1C, 0x191A1819, 0x16171516, 0x13141213, 0x10110F10, 0x0D0E0C0D,
                                           0x0A0B090A, 0x07080607, 0x04050304, 0x01020001);
    const __m512i places = _mm512_set1_epi64(0x3036242A1016040A);
    const __m512i values = _mm512_multishift_epi64_epi8(places, _mm512_permutexvar_epi8(order, bytes));
    // Of each byte the lookup takes the low six bits.
    return _mm512_permutexvar_epi8(values, alphabet);
}

static void encode(const uint8_t *source, size_t length, uint8_t *target, bool is_url_safe, bool is_padded) {
    const __m512i alphabet = _mm512_loadu_si512(alphabets[is_url_safe]);
    for (; length >= 64; source += 48, target += 64, length -= 48) {
        _mm512_storeu_si512(target, characters_of(_mm512_loadu_si512(source), alphabet));
    }
    while (length > 0) {
        const size_t used = length < 48 ? length : 48;
        const size_t characters = (used * 4 + 2) / 3;
        const size_t written = is_padded ? (used + 2) / 3 * 4 : characters;
        const __m512i text = characters_of(_mm512_maskz_loadu_epi8(first(used), source), alphabet);
        _mm512_mask_storeu_epi8(target, first(written),
                                _mm512_mask_blend_epi8(first(characters), _mm512_set1_epi8('='), text));
        source += used, target += written, length -= used;
    }
}

/// What a character's value is, and 0x80 where there is none.
struct values {
    __m512i low, high;
};

static inline struct values values_for(bool is_url_safe) {
    enum { X = 0x80 };
    // Of the characters 0x00 to 0x3F and 0x40 to 0x7F.
    static const uint8_t low[2][64] = {
        {X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
         X, X, X, X, X, X, X, X, X, X, X, 62, X, X, X, 63, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, X, X, X, X, X, X},
        {X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
         X, X, X, X, X, X, X, X, X, X, X, X, X, 62, X, X, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, X, X, X, X, X, X},
    };
    static const uint8_t high[2][64] = {
        {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, X, X, X, X, X,
         X, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, X, X, X, X, X},
        {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, X, X, X, X, 63,
         X, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51, X, X, X, X, X},
    };
    return (struct values){_mm512_loadu_si512(low[is_url_safe]), _mm512_loadu_si512(high[is_url_safe])};
}

/// The 48 bytes of 64 values.
static inline __m512i bytes_of(__m512i values) {
    const __m512i pairs = _mm512_maddubs_epi16(values, _mm512_set1_epi32(0x01400140));
    const __m512i groups = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x00011000));
    const __m512i order = _mm512_set_epi32(0, 0, 0, 0, 0x3C3D3E38, 0x393A3435, 0x36303132, 0x2C2D2E28, 0x292A2425,
                                           0x26202122, 0x1C1D1E18, 0x191A1415, 0x16101112, 0x0C0D0E08, 0x090A0405,
                                           0x06000102);
    return _mm512_permutexvar_epi8(order, groups);
}

static size_t decode(const uint8_t *source, size_t groups, uint8_t *target, bool is_url_safe) {
    const struct values values = values_for(is_url_safe);
    size_t group = 0;
    for (; group + 16 <= groups; group += 16) {
        const __m512i characters = _mm512_loadu_si512(source + 4 * group);
        const __m512i decoded = _mm512_permutex2var_epi8(values.low, characters, values.high);
        // The lookup takes seven bits of a character: the eighth must not be set.
        uint64_t faults = _cvtmask64_u64(_mm512_movepi8_mask(_mm512_or_si512(decoded, characters)));
        CREDKIT_DECLASSIFY(faults);
        if (faults != 0) break;
        const __m512i bytes = bytes_of(decoded);
        _mm256_storeu_si256((__m256i *)(target + 3 * group), _mm512_castsi512_si256(bytes));
        _mm_storeu_si128((__m128i *)(target + 3 * group + 32), _mm512_extracti32x4_epi32(bytes, 2));
    }
    // What is left, or the block that has a fault, up to the group with the fault.
    if (group < groups) {
        size_t left = groups - group < 16 ? groups - group : 16;
        const __m512i characters = _mm512_maskz_loadu_epi8(first(4 * left), source + 4 * group);
        const __m512i decoded = _mm512_permutex2var_epi8(values.low, characters, values.high);
        uint64_t faults = _cvtmask64_u64(_mm512_movepi8_mask(_mm512_or_si512(decoded, characters)));
        faults &= _cvtmask64_u64(first(4 * left));
        CREDKIT_DECLASSIFY(faults);
        if (faults != 0) left = (size_t)__builtin_ctzll(faults) / 4;
        _mm512_mask_storeu_epi8(target + 3 * group, first(3 * left), bytes_of(decoded));
        group += left;
    }
    return group;
}

const struct credkit_kernels credkit_kernels_avx512 = {"avx512", encode, decode, md5_blocks, md5_short, md5_of_digests};

#pragma clang attribute pop
#endif
