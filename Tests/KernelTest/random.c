// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Reproducible random numbers: xoshiro256++ by Blackman and Vigna, seeded with splitmix64.
#include "kernel_test.h"

static uint64_t state[4];

static uint64_t rotated(uint64_t word, int count) { return word << count | word >> (64 - count); }

void random_seed(uint64_t seed) {
    for (int index = 0; index < 4; index++) {
        uint64_t word = seed += 0x9E3779B97F4A7C15;
        word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
        word = (word ^ word >> 27) * 0x94D049BB133111EB;
        state[index] = word ^ word >> 31;
    }
}

uint64_t random_word(void) {
    uint64_t result = rotated(state[0] + state[3], 23) + state[0];
    uint64_t shifted = state[1] << 17;
    state[2] ^= state[0];
    state[3] ^= state[1];
    state[1] ^= state[2];
    state[0] ^= state[3];
    state[2] ^= shifted;
    state[3] = rotated(state[3], 45);
    return result;
}

size_t random_below(size_t bound) { return (size_t)(((random_word() >> 32) * bound) >> 32); }

void random_fill(uint8_t *bytes, size_t length) {
    while (length >= 8) {
        uint64_t word = random_word();
        memcpy(bytes, &word, 8);
        bytes += 8;
        length -= 8;
    }
    uint64_t word = random_word();
    memcpy(bytes, &word, length);
}
