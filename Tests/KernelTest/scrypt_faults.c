// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty kernels of scrypt that the test before their first use must find, whatever kernel they are planted in.
#include "kernel_test.h"

const struct credkit_scrypt_kernels *sound_scrypt;

#define FILL uint8_t *const *memories, size_t lanes, size_t r, uint32_t first, uint32_t end
#define MIX uint8_t *const *memories, size_t lanes, size_t r, uint32_t n, uint32_t steps

static void fill_with_wrong_bit(FILL) {
    sound_scrypt->fill(memories, lanes, r, first, end);
    memories[0][end * 128 * r + 127] ^= 0x80;
}

static void fill_without_last_step(FILL) {
    sound_scrypt->fill(memories, lanes, r, first, end - 1);
    memcpy(memories[0] + end * 128 * r, memories[0] + (end - 1) * 128 * r, 128 * r);
}

static void mix_without_last_lane(MIX) { sound_scrypt->mix(memories, lanes > 1 ? lanes - 1 : 1, r, n, steps); }

static void mix_with_swapped_lanes(MIX) {
    sound_scrypt->mix(memories, lanes, r, n, steps);
    for (size_t byte = 0; lanes == 3 && byte < 128 * r; byte++) {
        uint8_t *one = memories[1] + n * 128 * r + byte, *other = memories[2] + n * 128 * r + byte;
        const uint8_t kept = *one;
        *one = *other, *other = kept;
    }
}

static void mix_with_few_blocks(MIX) {
    // The same result, if the upper half of V is never selected.
    uint8_t *moved[CREDKIT_SCRYPT_LANES];
    const size_t half = n / 2 * 128 * r;
    for (size_t lane = 0; lane < lanes; lane++) moved[lane] = memories[lane] + half;
    sound_scrypt->mix(moved, lanes, r, n / 2, steps);
}

static void mix_with_fewer_steps(MIX) { sound_scrypt->mix(memories, lanes, r, n, steps - 2); }

static void mix_with_wrong_odd_block(MIX) {
    sound_scrypt->mix(memories, lanes, r, n, steps);
    if (r % 2 == 1 && r > 1) memories[lanes - 1][n * 128 * r + 64 * r] ^= 1;
}

const struct fault scrypt_faults[] = {
    {.name = "scrypt-wrong-bit", .scrypt.fill = fill_with_wrong_bit},
    {.name = "scrypt-fewer-blocks", .scrypt.fill = fill_without_last_step},
    {.name = "scrypt-last-lane", .scrypt.mix = mix_without_last_lane},
    {.name = "scrypt-swapped-lanes", .scrypt.mix = mix_with_swapped_lanes},
    {.name = "scrypt-half-of-the-memory", .scrypt.mix = mix_with_few_blocks},
    {.name = "scrypt-fewer-steps", .scrypt.mix = mix_with_fewer_steps},
    {.name = "scrypt-odd-blocks", .scrypt.mix = mix_with_wrong_odd_block},
    {.name = NULL},
};
