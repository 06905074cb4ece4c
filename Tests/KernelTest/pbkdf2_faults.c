// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty kernels of PBKDF2 that the test before their first use must find, whatever kernel they are planted in.
#include "kernel_test.h"

const struct credkit_pbkdf2_kernels *sound_pbkdf2;

static void with_wrong_bit(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count) {
    sound_pbkdf2->iterate(state, lanes, count);
    state->sum.words[7][CREDKIT_PBKDF2_LANES - 1] ^= 0x80000000;
}

static void with_fewer_iterations(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count) {
    sound_pbkdf2->iterate(state, lanes, count > 0 ? count - 1 : 0);
}

static void without_sum(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count) {
    sound_pbkdf2->iterate(state, lanes, count);
    state->sum = state->last;
}

static void with_inner_for_outer(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count) {
    struct credkit_pbkdf2_state changed = *state;
    changed.outer = state->inner;
    sound_pbkdf2->iterate(&changed, lanes, count);
    state->last = changed.last, state->sum = changed.sum;
}

static void without_last_lane(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count) {
    const size_t last = lanes - 1;
    struct credkit_pbkdf2_state former = *state;
    sound_pbkdf2->iterate(state, lanes, count);
    // Only where a batch does not fill the vectors.
    if (lanes % 4 == 0) { return; }
    for (int word = 0; word < 8; word++) { state->sum.words[word][last] = former.sum.words[word][last]; }
}

static void with_swapped_lanes(struct credkit_pbkdf2_state *state, size_t lanes, uint32_t count) {
    sound_pbkdf2->iterate(state, lanes, count);
    for (int word = 0; word < 8; word++) {
        const uint32_t kept = state->sum.words[word][0];
        state->sum.words[word][0] = state->sum.words[word][8];
        state->sum.words[word][8] = kept;
    }
}

const struct fault pbkdf2_faults[] = {
    {.name = "pbkdf2-wrong-bit", .pbkdf2.iterate = with_wrong_bit},
    {.name = "pbkdf2-fewer-iterations", .pbkdf2.iterate = with_fewer_iterations},
    {.name = "pbkdf2-no-sum", .pbkdf2.iterate = without_sum},
    {.name = "pbkdf2-inner-for-outer", .pbkdf2.iterate = with_inner_for_outer},
    {.name = "pbkdf2-last-lane", .pbkdf2.iterate = without_last_lane},
    {.name = "pbkdf2-swapped-lanes", .pbkdf2.iterate = with_swapped_lanes},
    {.name = NULL},
};
