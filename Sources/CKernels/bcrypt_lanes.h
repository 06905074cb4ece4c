// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The key schedule of Blowfish for LANES lanes at once, whose states follow each other in memory, so that one register
// addresses all of them. Included once for each number of lanes, with the macros LANES and NAME.

/// Encrypts L and R of each lane with its state.
static inline __attribute__((always_inline)) void NAME(encrypt)(const struct credkit_bcrypt_state *states, uint32_t *left,
                                                                uint32_t *right) {
#pragma clang loop unroll(full)
    for (int lane = 0; lane < LANES; lane++) left[lane] ^= states[lane].p[0];
#pragma clang loop unroll(full)
    for (int round = 1; round <= 16; round += 2) {
#pragma clang loop unroll(full)
        for (int lane = 0; lane < LANES; lane++) right[lane] = bcrypt_step(&states[lane], left[lane], right[lane], round);
#pragma clang loop unroll(full)
        for (int lane = 0; lane < LANES; lane++) left[lane] = bcrypt_step(&states[lane], right[lane], left[lane], round + 1);
    }
#pragma clang loop unroll(full)
    for (int lane = 0; lane < LANES; lane++) {
        const uint32_t last = right[lane] ^ states[lane].p[17];
        right[lane] = left[lane];
        left[lane] = last;
    }
}

/// Mixes words into P, and replaces the state by what it encrypts.
static __attribute__((noinline)) void NAME(expand)(struct credkit_bcrypt_state *states,
                                                   const uint32_t (*words)[18]) {
    uint32_t left[LANES] = {0}, right[LANES] = {0};
    for (int lane = 0; lane < LANES; lane++) {
        for (int n = 0; n < 18; n++) states[lane].p[n] ^= words[lane][n];
    }
    for (int n = 0; n < 18; n += 2) {
        NAME(encrypt)(states, left, right);
        for (int lane = 0; lane < LANES; lane++) states[lane].p[n] = left[lane], states[lane].p[n + 1] = right[lane];
    }
    for (int n = 0; n < 1024; n += 2) {
        NAME(encrypt)(states, left, right);
        for (int lane = 0; lane < LANES; lane++) {
            uint32_t *const s = states[lane].s[0];
            s[n] = left[lane], s[n + 1] = right[lane];
        }
    }
}

static __attribute__((noinline)) void NAME(advance)(struct credkit_bcrypt_lane *const *lanes, uint32_t rounds) {
    struct credkit_bcrypt_state states[LANES];
    uint32_t keys[LANES][18], salts[LANES][18];
    for (int lane = 0; lane < LANES; lane++) {
        states[lane] = lanes[lane]->state;
        memcpy(keys[lane], lanes[lane]->key, sizeof keys[lane]);
        memcpy(salts[lane], lanes[lane]->salt, sizeof salts[lane]);
    }
    for (uint32_t round = 0; round < rounds; round++) {
        NAME(expand)(states, (const uint32_t(*)[18])keys);
        NAME(expand)(states, (const uint32_t(*)[18])salts);
    }
    for (int lane = 0; lane < LANES; lane++) lanes[lane]->state = states[lane];
}

#undef LANES
#undef NAME
