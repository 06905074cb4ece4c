// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The loops of scryptROMix (RFC 7914, section 5). A lane's memory has the n blocks V, then X, then a block to which every
// second step writes. Included by a kernel once for each of its numbers of lanes, with these macros:
//   LANES               the number of lanes
//   struct NAME(part)   the registers of all lanes' sub-blocks
//   NAME(load), NAME(add_in), NAME(salsa), NAME(store)
#include "scrypt_lanes.h"

/// Computes scryptBlockMix (section 4) of the exclusive or of two blocks, the second of which may be missing.
static inline __attribute__((always_inline)) void NAME(block_mix)(uint8_t *const target[LANES],
                                                                  const uint8_t *const source[LANES],
                                                                  const uint8_t *const *other, size_t r) {
    struct NAME(part) x;
    NAME(load)(&x, source, (2 * r - 1) * SCRYPT_SUB_BLOCK);
    if (other != NULL) NAME(add_in)(&x, other, (2 * r - 1) * SCRYPT_SUB_BLOCK);
    for (size_t index = 0; index < r; index++) {
        // The even ones precede the odd ones in the result.
        for (size_t odd = 0; odd < 2; odd++) {
            const size_t offset = (2 * index + odd) * SCRYPT_SUB_BLOCK;
            NAME(add_in)(&x, source, offset);
            if (other != NULL) NAME(add_in)(&x, other, offset);
            NAME(salsa)(&x);
            NAME(store)(&x, target, (index + odd * r) * SCRYPT_SUB_BLOCK);
        }
    }
}

static void NAME(fill)(uint8_t *const *memories, size_t r, uint32_t first, uint32_t end) {
    const size_t size = 2 * SCRYPT_SUB_BLOCK * r;
    const uint8_t *source[LANES];
    uint8_t *target[LANES];
    for (uint32_t step = first; step < end; step++) {
        for (int lane = 0; lane < LANES; lane++) {
            source[lane] = memories[lane] + step * size;
            target[lane] = memories[lane] + (step + (size_t)1) * size;
        }
        NAME(block_mix)(target, source, NULL, r);
    }
}

static void NAME(mix)(uint8_t *const *memories, size_t r, uint32_t n, uint32_t steps) {
    const size_t size = 2 * SCRYPT_SUB_BLOCK * r;
    uint8_t *x[LANES], *y[LANES];
    const uint8_t *other[LANES];
    for (int lane = 0; lane < LANES; lane++) {
        x[lane] = memories[lane] + n * size;
        y[lane] = x[lane] + size;
    }
    for (uint32_t step = 0; step < steps; step += 2) {
        for (int lane = 0; lane < LANES; lane++) other[lane] = scrypt_other_block(memories[lane], x[lane], r, n);
        NAME(block_mix)(y, (const uint8_t *const *)x, other, r);
        for (int lane = 0; lane < LANES; lane++) other[lane] = scrypt_other_block(memories[lane], y[lane], r, n);
        NAME(block_mix)(x, (const uint8_t *const *)y, other, r);
    }
}

#undef LANES
#undef NAME
