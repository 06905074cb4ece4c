// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 sixty-four characters at a time, and MD5 in sixteen lanes. With VBMI, one register holds a whole alphabet as
// a lookup table, and masks handle an end of a text of any length in one more step.
#if defined(__x86_64__)
#include <immintrin.h>

#include "CCredKitKernels.h"
#include "base64_words.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx2,bmi2"))), \
                             apply_to = function)

/// A mask of the first `count` of 64 lanes, at most all.
static inline __mmask64 first(size_t count) { return _cvtu64_mask64(_bzhi_u64(~UINT64_C(0), (unsigned)count)); }

/// Sixteen bytes of a message from `offset` on, followed by the bit that ends it and zeros.
#define PADDED_PART(message, offset) padded_part((message)->bytes, (message)->length, offset)
static inline __m128i padded_part(const uint8_t *bytes, size_t length, size_t offset) {
    const size_t rest = length > offset ? length - offset : 0;
    // As a number, because a pointer behind a message's end, or behind NULL for an empty message, is undefined.
    const uint8_t *part = (const uint8_t *)((uintptr_t)bytes + offset);
    const __mmask16 used = _cvtu32_mask16(_bzhi_u32(0xFFFF, (unsigned)rest));
    const __mmask16 end = _cvtu32_mask16(length >= offset ? 1u << (rest < 31 ? rest : 31) : 0);
    return _mm_mask_set1_epi8(_mm_maskz_loadu_epi8(used, part), end, (char)0x80);
}

// Not vectors of 64 bytes: each step of MD5 waits for the previous one, and two chains of steps use the processor
// better than one.
#define VECTOR_BYTES 32
#define VECTORS_AT_ONCE 2
#include "md5_lanes.h"

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
// Without a terminating zero.
static const char alphabets[2][64] __attribute__((aligned(64), nonstring)) = {LETTERS "+/", LETTERS "-_"};

static inline int is_url_safe(unsigned form) { return (form & CREDKIT_BASE64_URL_SAFE) != 0; }

/// The 64 values of the first 48 bytes, each in the low six bits of a byte.
static inline __m512i values_of(__m512i bytes) {
    // Every three bytes become four, 1 0 2 1. `places` lists the bits at which the values begin.
    const __m512i order = _mm512_set_epi32(0x2E2F2D2E, 0x2B2C2A2B, 0x28292728, 0x25262425, 0x22232122, 0x1F201E1F,
                                           0x1C1D1B1C, 0x191A1819, 0x16171516, 0x13141213, 0x10110F10, 0x0D0E0C0D,
                                           0x0A0B090A, 0x07080607, 0x04050304, 0x01020001);
    const __m512i places = _mm512_set1_epi64(0x3036242A1016040A);
    return _mm512_multishift_epi64_epi8(places, _mm512_permutexvar_epi8(order, bytes));
}

/// Encodes at most 48 bytes, including an incomplete last group. Masks make it one step for any length.
static inline void encode_end(const uint8_t *source, size_t length, uint8_t *target, size_t characters,
                              size_t written, __m512i alphabet) {
    const __m512i values = values_of(_mm512_maskz_loadu_epi8(first(length), source));
    const __m512i padding = _mm512_set1_epi8('=');
    const __m512i text = _mm512_mask_permutexvar_epi8(padding, first(characters), values, alphabet);
    _mm512_mask_storeu_epi8(target, first(written), text);
}

static ptrdiff_t encode(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    const __m512i alphabet = _mm512_loadu_si512(alphabets[is_url_safe(form)]);
    if (length <= 48) {
        const size_t groups = (uint32_t)(length + 2) * 171 >> 9;
        const size_t characters = length + groups;
        const size_t written = form & CREDKIT_BASE64_PADDED ? 4 * groups : characters;
        if (written > room) return -1;
        if (length > 0) encode_end(source, length, target, characters, written, alphabet);
        return (ptrdiff_t)written;
    }
    const size_t written = encoded_length(length, form);
    if (written > room) return -1;
    size_t left = written;
    // Each step except the last makes 64 characters.
    for (; length >= 64; source += 48, target += 64, length -= 48, left -= 64) {
        const __m512i values = values_of(_mm512_loadu_si512(source));
        _mm512_storeu_si512(target, _mm512_permutexvar_epi8(values, alphabet));
    }
    if (length > 48) {
        encode_end(source, 48, target, 64, 64, alphabet);
        source += 48, target += 64, length -= 48, left -= 64;
    }
    if (length > 0) encode_end(source, length, target, encoded_length(length, 0), left, alphabet);
    return (ptrdiff_t)written;
}

/// The values of the characters; 0x80 for characters that have none.
struct values {
    __m512i low, high;
};

static inline struct values values_for(unsigned form) {
    enum { X = 0x80 };
    // For the characters 0x00 to 0x3F and 0x40 to 0x7F.
    static const uint8_t low[2][64] = {
        {X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
         X, X, X, X, X, X, X, X, X, X, X, 62, X, X, X, 63, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, X, X, X, X, X, X},
        {X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
         X, X, X, X, X, X, X, X, X, X, X, X, X, 62, X, X, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, X, X, X, X, X, X},
    };
    static const uint8_t high[2][64] = {
        {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, X, X, X, X, X,
         X, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
         X, X, X, X, X},
        {X, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, X, X, X, X, 63,
         X, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45, 46, 47, 48, 49, 50, 51,
         X, X, X, X, X},
    };
    return (struct values){_mm512_loadu_si512(low[is_url_safe(form)]),
                           _mm512_loadu_si512(high[is_url_safe(form)])};
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

/// A bit for each character that is not in the alphabet.
static inline uint64_t faults_of(__m512i characters, __m512i decoded) {
    // The lookup uses seven bits of a character: the eighth must not be set.
    return _cvtmask64_u64(_mm512_movepi8_mask(_mm512_or_si512(decoded, characters)));
}

/// Decodes blocks of sixteen groups up to the first invalid block, and returns the number of decoded groups.
static inline size_t decode_blocks(const uint8_t *source, size_t groups, uint8_t *target, struct values values) {
    size_t group = 0;
    for (; group + 16 <= groups; group += 16) {
        const __m512i characters = _mm512_loadu_si512(source + 4 * group);
        const __m512i decoded = _mm512_permutex2var_epi8(values.low, characters, values.high);
        uint64_t faults = faults_of(characters, decoded);
        CREDKIT_DECLASSIFY(faults);
        if (faults != 0) break;
        const __m512i bytes = bytes_of(decoded);
        _mm256_storeu_si256((__m256i *)(target + 3 * group), _mm512_castsi512_si256(bytes));
        _mm_storeu_si128((__m128i *)(target + 3 * group + 32), _mm512_extracti32x4_epi32(bytes, 2));
    }
    return group;
}

static size_t decode(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    const struct values values = values_for(form);
    const size_t group = decode_blocks(source, groups, target, values);
    // The remaining groups, or those of an invalid block up to the first invalid group. Empty masks are avoided: they
    // are slow on memory that has not been touched yet.
    size_t left = groups - group < 16 ? groups - group : 16;
    if (left == 0) return group;
    const __mmask64 used = first(4 * left);
    const __m512i characters = _mm512_maskz_loadu_epi8(used, source + 4 * group);
    const __m512i decoded = _mm512_permutex2var_epi8(values.low, characters, values.high);
    uint64_t faults = faults_of(characters, decoded) & _cvtmask64_u64(used);
    CREDKIT_DECLASSIFY(faults);
    if (faults != 0) left = (size_t)__builtin_ctzll(faults) / 4;
    if (left == 0) return group;
    _mm512_mask_storeu_epi8(target + 3 * group, first(3 * left), bytes_of(decoded));
    return group + left;
}

static ptrdiff_t decode_text(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    size_t characters = length;
    if (form & CREDKIT_BASE64_PADDED) {
        if (length % 4 != 0) return -1;
        characters -= padding_of(source, length);
    }
    const struct values values = values_for(form);
    const size_t groups = decode_blocks(source, characters / 4, target, values);
    const size_t left = characters - 4 * groups;
    // 64 or more are left only after an error; and a single character is never valid.
    if (left >= 64 || left % 4 == 1) return -1;
    if (left == 0) return (ptrdiff_t)(3 * groups);
    const __mmask64 used = first(left);
    const __m512i text = _mm512_mask_loadu_epi8(_mm512_set1_epi8('A'), used, source + 4 * groups);
    const __m512i decoded = _mm512_permutex2var_epi8(values.low, text, values.high);
    const __m512i bytes = bytes_of(decoded);
    const size_t count = left * 3 / 4;
    // The unused bits of the last character are the start of the next byte, which must be 0.
    const __mmask64 next = _kandn_mask64(first(count), first(count + 1));
    uint64_t faults = faults_of(text, decoded) | _cvtmask64_u64(_mm512_mask_test_epi8_mask(next, bytes, bytes));
    CREDKIT_DECLASSIFY(faults);
    if (faults != 0) return -1;
    _mm512_mask_storeu_epi8(target + 3 * groups, first(count), bytes);
    return (ptrdiff_t)(3 * groups + count);
}

const struct credkit_kernels credkit_kernels_avx512 = {"avx512",  encode,    decode,        decode_text,
                                                       md5_blocks, md5_short, md5_of_digests};

#pragma clang attribute pop
#endif
