// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty kernels of PBKDF2 that the test before their first use must find, whatever kernel they are planted in.
#include "kernel_test.h"

const struct credkit_pbkdf2_kernels *sound_pbkdf2;

static void with_wrong_bit(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    sound_pbkdf2->iterate(lanes, count, iterations);
    // In the last lane alone, and in the last step, because a second change would undo the first.
    struct credkit_pbkdf2_lane *const last = lanes[count - 1];
    if (count == sound_pbkdf2->width && last->rest == iterations) { last->sum.narrow[4] ^= 0x80000000; }
}

static void with_fewer_iterations(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    sound_pbkdf2->iterate(lanes, count, iterations > 0 ? iterations - 1 : 0);
}

static void without_sum(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    sound_pbkdf2->iterate(lanes, count, iterations);
    for (size_t lane = 0; lane < count; lane++) { lanes[lane]->sum = lanes[lane]->last; }
}

static void with_inner_for_outer(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    union credkit_pbkdf2_words outer[CREDKIT_PBKDF2_LANES];
    for (size_t lane = 0; lane < count; lane++) {
        outer[lane] = lanes[lane]->outer;
        lanes[lane]->outer = lanes[lane]->inner;
    }
    sound_pbkdf2->iterate(lanes, count, iterations);
    for (size_t lane = 0; lane < count; lane++) { lanes[lane]->outer = outer[lane]; }
}

/// Only where lanes do not fill the kernels; a kernel of one lane computes nothing.
static void without_last_lane(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    const bool is_full = count == sound_pbkdf2->width && count > 1;
    const struct credkit_pbkdf2_lane former = *lanes[count - 1];
    sound_pbkdf2->iterate(lanes, count, iterations);
    if (!is_full) { *lanes[count - 1] = former; }
}

/// Two lanes, or the halves of one.
static void with_swapped_lanes(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    sound_pbkdf2->iterate(lanes, count, iterations);
    const union credkit_pbkdf2_words kept = lanes[0]->sum;
    if (count > 1) {
        lanes[0]->sum = lanes[count - 1]->sum;
        lanes[count - 1]->sum = kept;
    } else {
        for (int n = 0; n < 8; n++) { lanes[0]->sum.narrow[n] = kept.narrow[n ^ 1]; }
    }
}

/// Only a computation in several steps needs it.
static void without_last_value(struct credkit_pbkdf2_lane *const *lanes, size_t count, uint32_t iterations) {
    const union credkit_pbkdf2_words former = lanes[0]->last;
    sound_pbkdf2->iterate(lanes, count, iterations);
    lanes[0]->last = former;
}

const struct fault pbkdf2_faults[] = {
    {.name = "pbkdf2-wrong-bit", .pbkdf2.iterate = with_wrong_bit},
    {.name = "pbkdf2-fewer-iterations", .pbkdf2.iterate = with_fewer_iterations},
    {.name = "pbkdf2-no-sum", .pbkdf2.iterate = without_sum},
    {.name = "pbkdf2-inner-for-outer", .pbkdf2.iterate = with_inner_for_outer},
    {.name = "pbkdf2-last-lane", .pbkdf2.iterate = without_last_lane},
    {.name = "pbkdf2-swapped-lanes", .pbkdf2.iterate = with_swapped_lanes},
    {.name = "pbkdf2-last-value", .pbkdf2.iterate = without_last_value},
    {.name = NULL},
};
