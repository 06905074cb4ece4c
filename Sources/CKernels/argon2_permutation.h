// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The permutation P of Argon2 (RFC 9106, section 3.6) on a whole block, in vectors of VECTOR_BYTES.
//
// A block is a matrix of 8 by 8 pairs of words. P mixes each row, and then each column, as a state of 4 by 4 words. The
// number of a word has seven bits: three of its row (r2 r1 r0), three of its column (c2 c1 c0) and one within its pair
// (b). r2 r1 and c2 c1 select the row of the 4 by 4 state, so that they also select the vector. The other three bits
// are divided between the vector and the lane in a way that makes the rotations of the state's rows cheap: a rotation
// within a vector is a shuffle, one between vectors is free.
#include <stdint.h>
#include <string.h>

#include "word_lanes.h"

typedef uint64_t vector __attribute__((vector_size(VECTOR_BYTES)));
#define VECTORS (1024 / VECTOR_BYTES)
#define INLINE static inline __attribute__((always_inline))

// ROW_WIDTH and COLUMN_WIDTH: the vectors of a row of the state. CELL: the vector of r2 r1, c2 c1 and the number that
// the rotated bits in vectors make. WORD: the number of a word in the RFC's order.
#if VECTOR_BYTES == 64
// Lanes are r0 c0 b.
#define ROW_WIDTH 1
#define COLUMN_WIDTH 1
#define ROW_CELL(q, p, n) (4 * (q) + (p))
#define COLUMN_CELL(q, p, n) (4 * (q) + (p))
#define WORD(v, lane) (32 * ((v) / 4) + 16 * ((lane) / 4) + 4 * ((v) % 4) + (lane) % 4)
#define ROWS 4
#elif VECTOR_BYTES == 32
// Lanes are r0 c0; b selects the vector.
#define ROW_WIDTH 2
#define COLUMN_WIDTH 2
#define ROW_CELL(q, p, n) (8 * (q) + 2 * (p) + (n))
#define COLUMN_CELL(q, p, n) (8 * (q) + 2 * (p) + (n))
#define WORD(v, lane) (32 * ((v) / 8) + 16 * ((lane) / 2) + 4 * ((v) / 2 % 4) + 2 * ((lane) % 2) + (v) % 2)
#define ROWS 4
#elif VECTOR_BYTES == 16
// Lanes are c0; r0 and b select the vector.
#define ROW_WIDTH 2
#define COLUMN_WIDTH 4
#define ROW_CELL(q, p, n) (8 * (q) + 2 * (p) + (n))
#define COLUMN_CELL(q, p, n) (16 * (q) + 8 * ((n) / 2) + 2 * (p) + (n) % 2)
#define WORD(v, lane) (16 * ((v) / 8) + 4 * ((v) / 2 % 4) + 2 * (lane) + (v) % 2)
#define ROWS 8
#endif

#if VECTOR_BYTES == 64
// Rotates the four words of each row, c0 b, by n; and of each column, r0 b.
INLINE void rotate_row(vector *v, int n) {
    *v = n == 1   ? __builtin_shufflevector(*v, *v, 1, 2, 3, 0, 5, 6, 7, 4)
         : n == 2 ? __builtin_shufflevector(*v, *v, 2, 3, 0, 1, 6, 7, 4, 5)
                  : __builtin_shufflevector(*v, *v, 3, 0, 1, 2, 7, 4, 5, 6);
}
INLINE void rotate_column(vector *v, int n) {
    *v = n == 1   ? __builtin_shufflevector(*v, *v, 1, 4, 3, 6, 5, 0, 7, 2)
         : n == 2 ? __builtin_shufflevector(*v, *v, 4, 5, 6, 7, 0, 1, 2, 3)
                  : __builtin_shufflevector(*v, *v, 5, 0, 7, 2, 1, 4, 3, 6);
}
#else
#if VECTOR_BYTES == 32
#define SWAPPED_COLUMNS(v) __builtin_shufflevector(v, v, 1, 0, 3, 2)
#define SWAPPED_ROWS(v) __builtin_shufflevector(v, v, 2, 3, 0, 1)
#else
#define SWAPPED_COLUMNS(v) __builtin_shufflevector(v, v, 1, 0)
#endif
// The first vector has the words 0 and 2, the second one 1 and 3.
#define ROTATE_PAIR(v, n, SWAPPED) \
    do { \
        const vector even = (v)[0], odd = (v)[1]; \
        (v)[0] = (n) == 1 ? odd : (n) == 2 ? SWAPPED(even) : SWAPPED(odd); \
        (v)[1] = (n) == 1 ? SWAPPED(even) : (n) == 2 ? SWAPPED(odd) : even; \
    } while (0)
INLINE void rotate_row(vector *v, int n) { ROTATE_PAIR(v, n, SWAPPED_COLUMNS); }
INLINE void rotate_column(vector *v, int n) {
#if VECTOR_BYTES == 32
    ROTATE_PAIR(v, n, SWAPPED_ROWS);
#else
    const vector old[4] = {v[0], v[1], v[2], v[3]};
    for (int i = 0; i < 4; i++) v[i] = old[(i + n) % 4];
#endif
}
#endif

/// Rotates the bits of each word to the right.
#define ROTATED(v, n) ((v) >> (n) | (v) << (64 - (n)))

/// a + b + 2 times the product of their lower halves.
INLINE vector product_sum(vector a, vector b) {
    const vector product = (a & 0xFFFFFFFF) * (b & 0xFFFFFFFF);
    return a + b + (product + product);
}

/// GB: the state's columns, `width` vectors of them at once.
INLINE void mix(vector *a, vector *b, vector *c, vector *d, int width) {
    for (int n = 0; n < width; n++) a[n] = product_sum(a[n], b[n]);
    for (int n = 0; n < width; n++) d[n] = ROTATED(d[n] ^ a[n], 32);
    for (int n = 0; n < width; n++) c[n] = product_sum(c[n], d[n]);
    for (int n = 0; n < width; n++) b[n] = ROTATED(b[n] ^ c[n], 24);
    for (int n = 0; n < width; n++) a[n] = product_sum(a[n], b[n]);
    for (int n = 0; n < width; n++) d[n] = ROTATED(d[n] ^ a[n], 16);
    for (int n = 0; n < width; n++) c[n] = product_sum(c[n], d[n]);
    for (int n = 0; n < width; n++) b[n] = ROTATED(b[n] ^ c[n], 63);
}

/// P: mixes the columns of a state, then its diagonals. The row that GB computes last, b, stays where it is, so that no
/// shuffle waits for it: the other rows move instead.
#define PERMUTE(a, b, c, d, width, rotate) \
    do { \
        mix(a, b, c, d, width); \
        rotate(a, 3), rotate(c, 1), rotate(d, 2); \
        mix(a, b, c, d, width); \
        rotate(a, 1), rotate(c, 3), rotate(d, 2); \
    } while (0)

INLINE void permute_row(vector v[VECTORS], int q) {
    vector a[ROW_WIDTH], b[ROW_WIDTH], c[ROW_WIDTH], d[ROW_WIDTH];
    for (int n = 0; n < ROW_WIDTH; n++) {
        a[n] = v[ROW_CELL(q, 0, n)], b[n] = v[ROW_CELL(q, 1, n)];
        c[n] = v[ROW_CELL(q, 2, n)], d[n] = v[ROW_CELL(q, 3, n)];
    }
    PERMUTE(a, b, c, d, ROW_WIDTH, rotate_row);
    for (int n = 0; n < ROW_WIDTH; n++) {
        v[ROW_CELL(q, 0, n)] = a[n], v[ROW_CELL(q, 1, n)] = b[n];
        v[ROW_CELL(q, 2, n)] = c[n], v[ROW_CELL(q, 3, n)] = d[n];
    }
}

INLINE void permute_column(vector v[VECTORS], int p) {
    vector a[COLUMN_WIDTH], b[COLUMN_WIDTH], c[COLUMN_WIDTH], d[COLUMN_WIDTH];
    for (int n = 0; n < COLUMN_WIDTH; n++) {
        a[n] = v[COLUMN_CELL(0, p, n)], b[n] = v[COLUMN_CELL(1, p, n)];
        c[n] = v[COLUMN_CELL(2, p, n)], d[n] = v[COLUMN_CELL(3, p, n)];
    }
    PERMUTE(a, b, c, d, COLUMN_WIDTH, rotate_column);
    for (int n = 0; n < COLUMN_WIDTH; n++) {
        v[COLUMN_CELL(0, p, n)] = a[n], v[COLUMN_CELL(1, p, n)] = b[n];
        v[COLUMN_CELL(2, p, n)] = c[n], v[COLUMN_CELL(3, p, n)] = d[n];
    }
}
