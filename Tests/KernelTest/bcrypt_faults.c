// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty kernels of bcrypt that the test before their first use must find.
#include "kernel_test.h"

const struct credkit_bcrypt_kernels *sound_bcrypt;

#define PARAMETERS struct credkit_bcrypt_lane *const *lanes, size_t count, uint32_t rounds

static void advance_with_wrong_bit(PARAMETERS) {
    sound_bcrypt->advance(lanes, count, rounds);
    if (count == 3) { lanes[2]->state.s[3][255] ^= 1; }
}

static void advance_without_last_lane(PARAMETERS) { sound_bcrypt->advance(lanes, count > 1 ? count - 1 : 1, rounds); }

static void advance_by_fewer_rounds(PARAMETERS) { sound_bcrypt->advance(lanes, count, rounds - 1); }

static void advance_with_key_of_first_lane(PARAMETERS) {
    uint32_t key[18];
    struct credkit_bcrypt_lane *last = lanes[count - 1];
    memcpy(key, last->key, sizeof key);
    memcpy(last->key, lanes[0]->key, sizeof key);
    sound_bcrypt->advance(lanes, count, rounds);
    memcpy(last->key, key, sizeof key);
}

static void advance_with_swapped_lanes(PARAMETERS) {
    sound_bcrypt->advance(lanes, count, rounds);
    if (count != 2) { return; }
    const struct credkit_bcrypt_state kept = lanes[0]->state;
    lanes[0]->state = lanes[1]->state;
    lanes[1]->state = kept;
}

static void advance_without_salt(PARAMETERS) {
    uint32_t salt[18];
    memcpy(salt, lanes[0]->salt, sizeof salt);
    memset(lanes[0]->salt, 0, sizeof salt);
    sound_bcrypt->advance(lanes, count, rounds);
    memcpy(lanes[0]->salt, salt, sizeof salt);
}

const struct fault bcrypt_faults[] = {
    {.name = "bcrypt-wrong-bit", .bcrypt.advance = advance_with_wrong_bit},
    {.name = "bcrypt-last-lane", .bcrypt.advance = advance_without_last_lane},
    {.name = "bcrypt-fewer-rounds", .bcrypt.advance = advance_by_fewer_rounds},
    {.name = "bcrypt-first-key", .bcrypt.advance = advance_with_key_of_first_lane},
    {.name = "bcrypt-swapped-lanes", .bcrypt.advance = advance_with_swapped_lanes},
    {.name = "bcrypt-no-salt", .bcrypt.advance = advance_without_salt},
    {.name = NULL},
};
