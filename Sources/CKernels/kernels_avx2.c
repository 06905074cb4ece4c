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

/// Hides a constant from the compiler, which otherwise replaces one multiplication by two shifts and a blend, and keeps
/// bytes zero that are overwritten later.
static inline __m256i hidden(__m256i constant) {
    __asm__("" : "+x"(constant));
    return constant;
}

static inline __m256i joined(__m128i low, __m128i high) {
    return _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
}

/// The order in which every three bytes become four, 1 0 2 1, so that each value lies within 16 bits. The twelve bytes
/// of a half begin at its start, or four bytes behind it.
#define FROM_0 1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10
#define FROM_4 5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11, 14, 13, 15, 14

/// The thirty-two characters of twelve bytes of each half.
static inline __m256i characters_of(__m256i bytes, __m256i order, __m256i to_character) {
    const __m256i spread = _mm256_shuffle_epi8(bytes, order);
    // Multiplications shift each value to its place.
    const __m256i even =
        _mm256_mulhi_epu16(_mm256_and_si256(spread, _mm256_set1_epi32(0x0FC0FC00)), _mm256_set1_epi32(0x04000040));
    const __m256i odd = _mm256_mullo_epi16(_mm256_and_si256(spread, _mm256_set1_epi32(0x003F03F0)),
                                           hidden(_mm256_set1_epi32(0x01000010)));
    const __m256i values = _mm256_or_si256(even, odd);
    const __m256i no_capital = _mm256_cmpgt_epi8(values, _mm256_set1_epi8(25));
    const __m256i range = _mm256_sub_epi8(_mm256_subs_epu8(values, _mm256_set1_epi8(51)), no_capital);
    return _mm256_add_epi8(values, _mm256_shuffle_epi8(to_character, range));
}

static inline uint32_t load_32(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

static inline void store_32(uint8_t *bytes, uint32_t word) { memcpy(bytes, &word, sizeof word); }

/// Encodes fewer than twelve bytes, including an incomplete last group, as `written` characters.
static inline void encode_few(const uint8_t *source, size_t length, uint8_t *target, size_t written,
                              __m256i to_character) {
    // Pieces overlap if they are longer than needed.
    __m128i bytes;
    if (length >= 8) {
        const uint64_t rest = (uint64_t)load_32(source + length - 4) >> 8 * (12 - length);
        bytes = _mm_insert_epi32(_mm_loadu_si64(source), (int)rest, 2);
    } else if (length >= 4) {
        const uint64_t rest = (uint64_t)load_32(source + length - 4) << 8 * (length - 4);
        bytes = _mm_cvtsi64_si128((long long)(load_32(source) | rest));
    } else {
        const size_t half = length / 2, last = length - 1;
        bytes = _mm_cvtsi32_si128(source[0] | source[half] << 8 * half | source[last] << 8 * last);
    }
    const __m256i order = _mm256_setr_epi8(FROM_0, FROM_0);
    const __m256i characters = characters_of(_mm256_castsi128_si256(bytes), order, to_character);
    static const uint8_t behind[32] = {[16 ... 31] = 0xFF};
    const __m128i padding = _mm_loadu_si128((const __m128i *)(behind + 16 - (length + (length + 2) / 3)));
    const __m128i text = _mm_blendv_epi8(_mm256_castsi256_si128(characters), _mm_set1_epi8('='), padding);
    const uint64_t low = (uint64_t)_mm_cvtsi128_si64(text);
    if (written >= 12) {
        _mm_storeu_si64(target, text);
        const uint64_t high = (uint64_t)_mm_extract_epi64(text, 1);
        store_32(target + 8, (uint32_t)high);
        store_32(target + written - 4, (uint32_t)(high >> 8 * (written - 12)));
    } else if (written >= 8) {
        _mm_storeu_si64(target, text);
        const uint64_t high = (uint64_t)_mm_extract_epi32(text, 2) << 32 | low >> 32;
        store_32(target + written - 4, (uint32_t)(high >> 8 * (written - 8)));
    } else if (written >= 4) {
        store_32(target, (uint32_t)low);
        store_32(target + written - 4, (uint32_t)(low >> 8 * (written - 4)));
    } else {
        const uint16_t two = (uint16_t)low;
        memcpy(target, &two, sizeof two);
        target[written - 1] = (uint8_t)(low >> 8 * (written - 1));
    }
}

/// Encodes twenty-four bytes.
static inline void encode_24(const uint8_t *source, uint8_t *target, __m256i to_character) {
    const __m256i bytes = _mm256_loadu2_m128i((const __m128i *)(source + 8), (const __m128i *)source);
    const __m256i order = _mm256_setr_epi8(FROM_0, FROM_4);
    _mm256_storeu_si256((__m256i *)target, characters_of(bytes, order, to_character));
}

static inline __m128i load_12(const uint8_t *source) {
    return _mm_insert_epi32(_mm_loadu_si64(source), (int)load_32(source + 8), 2);
}

/// Encodes the last groups: four from the twelve bytes of `first`, which are stored at `target`, and the last four, of
/// which the last one lacks `missing` bytes.
static inline void encode_last(__m128i first, uint8_t *target, const uint8_t *source_end, uint8_t *target_end,
                               size_t missing, unsigned form, __m256i to_character) {
    // Bytes of zero follow the twelve bytes before the end.
    static const uint8_t orders[3][32] = {
        {FROM_0, FROM_0},
        {FROM_0, 2, 1, 3, 2, 5, 4, 6, 5, 8, 7, 9, 8, 11, 10, 12, 11},
        {FROM_0, 3, 2, 4, 3, 6, 5, 7, 6, 9, 8, 10, 9, 12, 11, 13, 12},
    };
    // The last characters move to the end, or padding replaces them: a character 0 and padding give the padding.
    static const uint8_t places[2][3][16] = {
        {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
         {0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14},
         {0x80, 0x80, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}},
        {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0x80},
         {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 0x80, 0x80}},
    };
    static const uint8_t padding[3][16] = {{0}, {[15] = '='}, {[14] = '=', [15] = '='}};
    const int is_padded = (form & CREDKIT_BASE64_PADDED) != 0;
    const __m256i order = _mm256_loadu_si256((const __m256i *)orders[missing]);
    const __m256i text = characters_of(joined(first, load_12(source_end - 12)), order, to_character);
    __m128i last = _mm256_extracti128_si256(text, 1);
    last = _mm_shuffle_epi8(last, _mm_loadu_si128((const __m128i *)places[is_padded][missing]));
    last = _mm_or_si128(last, _mm_loadu_si128((const __m128i *)padding[is_padded ? missing : 0]));
    _mm_storeu_si128((__m128i *)(target_end - 16), last);
    // Last, because characters that have moved leave zeros before them.
    _mm_storeu_si128((__m128i *)target, _mm256_castsi256_si128(text));
}

static ptrdiff_t encode(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    const size_t written = encoded_length(length, form);
    if (written > room) return -1;
    if (length == 0) return 0;
    const __m256i to_character = table(tables_for(form)->to_character);
    if (length < 12) {
        encode_few(source, length, target, written, to_character);
        return (ptrdiff_t)written;
    }
    const size_t groups = (length + 2) / 3, missing = 3 * groups - length;
    const uint8_t *const source_end = source + length;
    uint8_t *const target_end = target + written;
    if (groups < 8) {
        encode_last(load_12(source), target, source_end, target_end, missing, form, to_character);
        return (ptrdiff_t)written;
    }
    const uint8_t *const last = source + 3 * (groups - 8);
    if (groups > 8) {
        encode_24(source, target, to_character);
        // The rest of a text in most arrays, whose memory is aligned to sixteen bytes, then is aligned to thirty-two.
        const size_t start = (uintptr_t)target % 32 == 16 ? 4 : 8;
        const uint8_t *from = source + 3 * start;
        uint8_t *to = target + 4 * start;
        const size_t steps = length < 3 * start + 4 ? 0 : (length - 3 * start - 4) / 24;
        const __m256i order = _mm256_setr_epi8(FROM_4, FROM_0);
#pragma clang loop unroll_count(4)
        for (size_t step = 0; step < steps; step++, from += 24, to += 32) {
            const __m256i bytes = _mm256_loadu_si256((const __m256i *)(from - 4));
            _mm256_storeu_si256((__m256i *)to, characters_of(bytes, order, to_character));
        }
        if (from < last) encode_24(from, to, to_character);
    }
    const __m128i first = _mm_loadu_si128((const __m128i *)last);
    encode_last(first, target + 4 * (groups - 8), source_end, target_end, missing, form, to_character);
    return (ptrdiff_t)written;
}

/// The tables for decoding.
struct decoding {
    __m256i special, to_value, to_fault;
};

/// Returns twenty-four bytes for thirty-two characters. The highest bits of `faults` are set for those that are not in
/// the alphabet.
static inline __m256i bytes_of(__m256i characters, const struct decoding *tables, int is_url_safe, __m256i *faults) {
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi32(characters, 4), _mm256_set1_epi8(0x0F));
    __m256i range;
    if (is_url_safe) {
        const __m256i special = _mm256_shuffle_epi8(tables->special, characters);
        range = _mm256_min_epu8(upper, _mm256_xor_si256(characters, special));
    } else {
        // One instruction less, because only '+' is special.
        range = _mm256_andnot_si256(_mm256_cmpeq_epi8(characters, _mm256_set1_epi8('+')), upper);
    }
    *faults = _mm256_add_epi8(characters, _mm256_shuffle_epi8(tables->to_fault, range));
    const __m256i values = _mm256_add_epi8(characters, _mm256_shuffle_epi8(tables->to_value, range));
    const __m256i pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x01400140));
    const __m256i close = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1));
    const __m256i numbers = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x00011000));
    const __m256i halves = _mm256_shuffle_epi8(numbers, hidden(close));
    // Joins the twelve bytes of each half.
    return _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
}

static inline int is_valid(__m256i faults) {
    int bits = _mm256_movemask_epi8(faults);
    CREDKIT_DECLASSIFY(bits);
    return bits == 0;
}

static inline void store_24(uint8_t *target, __m256i bytes) {
    _mm_storeu_si128((__m128i *)target, _mm256_castsi256_si128(bytes));
    _mm_storeu_si64(target + 16, _mm256_extracti128_si256(bytes, 1));
}

static inline __attribute__((always_inline)) size_t decode_by(const struct base64_tables *alphabet, int is_url_safe,
                                                              const uint8_t *source, size_t groups, uint8_t *target,
                                                              unsigned form) {
    const struct decoding tables = {table(alphabet->special), table(alphabet->to_value), table(alphabet->to_fault)};
    size_t group = 0;
    for (; group + 32 <= groups; group += 32, source += 128, target += 96) {
        __m256i bytes[4], faults[4];
        for (int index = 0; index < 4; index++) {
            const __m256i characters = _mm256_loadu_si256((const __m256i *)(source + 32 * index));
            bytes[index] = bytes_of(characters, &tables, is_url_safe, &faults[index]);
        }
        const __m256i first = _mm256_or_si256(faults[0], faults[1]), second = _mm256_or_si256(faults[2], faults[3]);
        if (!is_valid(_mm256_or_si256(first, second))) break;
        // Each store but the last is longer than its bytes, and the next one overwrites the rest.
        for (int index = 0; index < 3; index++) _mm256_storeu_si256((__m256i *)(target + 24 * index), bytes[index]);
        store_24(target + 72, bytes[3]);
    }
    for (; group + 8 <= groups; group += 8, source += 32, target += 24) {
        __m256i faults;
        const __m256i bytes = bytes_of(_mm256_loadu_si256((const __m256i *)source), &tables, is_url_safe, &faults);
        // decode_words finds the invalid group.
        if (!is_valid(faults)) break;
        store_24(target, bytes);
    }
    return group + decode_words(source, groups - group, target, form);
}

static size_t decode(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    return form & CREDKIT_BASE64_URL_SAFE ? decode_by(&base64_url_safe, 1, source, groups, target, form)
                                          : decode_by(&base64_standard, 0, source, groups, target, form);
}

static ptrdiff_t decode_text(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    return decode_text_by(decode, source, length, target, form);
}

const struct credkit_kernels credkit_kernels_avx2 = {"avx2",  encode,    decode,        decode_text,
                                                     md5_blocks, md5_short, md5_of_digests};

#pragma clang attribute pop
#endif
