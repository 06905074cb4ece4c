// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// scrypt in vectors, each of which holds a diagonal of Salsa20's matrix (RFC 7914, section 3) of one, two or four lanes.
// Included by a kernel for each number of lanes, with the macros LANES, NAME and VECTOR_BYTES.
#include "scrypt_lanes.h"

#define WIDTH (VECTOR_BYTES / 16)
#define CHAINS (LANES / WIDTH)

typedef uint32_t NAME(vector) __attribute__((vector_size(VECTOR_BYTES)));
typedef uint32_t NAME(words) __attribute__((vector_size(16), may_alias));

struct NAME(part) {
    NAME(vector) rows[CHAINS][4];
};

/// Returns four words at an address of each lane of a vector.
static inline __attribute__((always_inline)) NAME(vector) NAME(gathered)(const uint8_t *const *blocks, size_t offset) {
#define WORDS_OF(lane) (*(const NAME(words) *)(blocks[lane] + offset))
#if VECTOR_BYTES == 16
    return WORDS_OF(0);
#elif VECTOR_BYTES == 32
    return __builtin_shufflevector(WORDS_OF(0), WORDS_OF(1), 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return __builtin_shufflevector(__builtin_shufflevector(WORDS_OF(0), WORDS_OF(1), 0, 1, 2, 3, 4, 5, 6, 7),
                                   __builtin_shufflevector(WORDS_OF(2), WORDS_OF(3), 0, 1, 2, 3, 4, 5, 6, 7), 0, 1, 2, 3, 4,
                                   5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
#undef WORDS_OF
}

static inline __attribute__((always_inline)) void NAME(load)(struct NAME(part) *x, const uint8_t *const *blocks,
                                                             size_t offset) {
    for (int chain = 0; chain < CHAINS; chain++) {
        for (size_t row = 0; row < 4; row++) x->rows[chain][row] = NAME(gathered)(blocks + chain * WIDTH, offset + 16 * row);
    }
}

static inline __attribute__((always_inline)) void NAME(add_in)(struct NAME(part) *x, const uint8_t *const *blocks,
                                                               size_t offset) {
    for (int chain = 0; chain < CHAINS; chain++) {
        for (size_t row = 0; row < 4; row++) {
            x->rows[chain][row] ^= NAME(gathered)(blocks + chain * WIDTH, offset + 16 * row);
        }
    }
}

static inline __attribute__((always_inline)) void NAME(store)(const struct NAME(part) *x, uint8_t *const *blocks,
                                                              size_t offset) {
    for (int chain = 0; chain < CHAINS; chain++) {
        for (size_t row = 0; row < 4; row++) {
            const NAME(vector) value = x->rows[chain][row];
#define STORE(lane, a, b, c, d) \
    (*(NAME(words) *)(blocks[chain * WIDTH + lane] + offset + 16 * row) = \
         __builtin_shufflevector(value, value, a, b, c, d))
            STORE(0, 0, 1, 2, 3);
#if VECTOR_BYTES >= 32
            STORE(1, 4, 5, 6, 7);
#endif
#if VECTOR_BYTES == 64
            STORE(2, 8, 9, 10, 11);
            STORE(3, 12, 13, 14, 15);
#endif
#undef STORE
        }
    }
}

/// Rotates the four words of each lane.
#if VECTOR_BYTES == 16
#define TURNED(v, a, b, c, d) __builtin_shufflevector(v, v, a, b, c, d)
#elif VECTOR_BYTES == 32
#define TURNED(v, a, b, c, d) __builtin_shufflevector(v, v, a, b, c, d, a + 4, b + 4, c + 4, d + 4)
#else
#define TURNED(v, a, b, c, d) \
    __builtin_shufflevector(v, v, a, b, c, d, a + 4, b + 4, c + 4, d + 4, a + 8, b + 8, c + 8, d + 8, a + 12, b + 12, c + 12, \
                            d + 12)
#endif
#define ROTATED(v, count) ((v) << (count) | (v) >> (32 - (count)))

/// Salsa20/8. The compiler interleaves the chains, which do not depend on each other.
static inline __attribute__((always_inline)) void NAME(salsa)(struct NAME(part) *x) {
    const struct NAME(part) start = *x;
#pragma clang loop unroll(full)
    for (int round = 0; round < 8; round += 2) {
#define EACH_CHAIN(statement) \
    _Pragma("clang loop unroll(full)") for (int chain = 0; chain < CHAINS; chain++) { \
        NAME(vector) *const row = x->rows[chain]; \
        statement; \
    }
        EACH_CHAIN(row[1] ^= ROTATED(row[0] + row[3], 7))
        EACH_CHAIN(row[2] ^= ROTATED(row[1] + row[0], 9))
        EACH_CHAIN(row[3] ^= ROTATED(row[2] + row[1], 13); row[1] = TURNED(row[1], 3, 0, 1, 2))
        EACH_CHAIN(row[0] ^= ROTATED(row[3] + row[2], 18); row[2] = TURNED(row[2], 2, 3, 0, 1);
                   row[3] = TURNED(row[3], 1, 2, 3, 0))
        EACH_CHAIN(row[3] ^= ROTATED(row[0] + row[1], 7))
        EACH_CHAIN(row[2] ^= ROTATED(row[3] + row[0], 9))
        EACH_CHAIN(row[1] ^= ROTATED(row[2] + row[3], 13); row[3] = TURNED(row[3], 3, 0, 1, 2))
        EACH_CHAIN(row[0] ^= ROTATED(row[1] + row[2], 18); row[2] = TURNED(row[2], 2, 3, 0, 1);
                   row[1] = TURNED(row[1], 1, 2, 3, 0))
#undef EACH_CHAIN
    }
    for (int chain = 0; chain < CHAINS; chain++) {
        for (int row = 0; row < 4; row++) x->rows[chain][row] += start.rows[chain][row];
    }
}

#include "scrypt_steps.h"

#undef WIDTH
#undef CHAINS
#undef TURNED
#undef ROTATED
#undef VECTOR_BYTES
