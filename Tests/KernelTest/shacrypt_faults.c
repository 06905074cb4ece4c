// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty kernels of SHA-crypt that the test before their first use must find, whatever kernel they are planted in.
#include "kernel_test.h"

const struct credkit_shacrypt_kernels *sound_shacrypt;

static void with_wrong_bit(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    struct credkit_shacrypt_lane *last = lanes[count - 1];
    const bool was_done = credkit_shacrypt_is_done(last);
    sound_shacrypt->advance(lanes, count, blocks);
    // In the highest bit of the last digest alone.
    if (!was_done && credkit_shacrypt_is_done(last)) {
        if (sound_shacrypt->variant == CREDKIT_SHA512_CRYPT) {
            last->state.words[7] ^= (uint64_t)1 << 63;
        } else {
            last->state.halves[7] ^= (uint32_t)1 << 31;
        }
    }
}

static void with_fewer_rounds(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    sound_shacrypt->advance(lanes, count, blocks);
    // A slice that ends with the last round but one.
    if (lanes[0]->round + 1 == lanes[0]->rounds) { lanes[0]->rounds--; }
}

static void without_last_lane(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    // Only where a batch does not fill the vectors.
    if (count % 2 == 0 || count == 1) { return sound_shacrypt->advance(lanes, count, blocks); }
    sound_shacrypt->advance(lanes, count - 1, blocks);
}

static void with_swapped_lanes(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    sound_shacrypt->advance(lanes, count, blocks);
    if (count < 2 || !credkit_shacrypt_is_done(lanes[0]) || !credkit_shacrypt_is_done(lanes[1])) { return; }
    const union credkit_shacrypt_state kept = lanes[0]->state;
    lanes[0]->state = lanes[1]->state;
    lanes[1]->state = kept;
}

/// Hashes the salt in the message of rounds that are a multiple of three.
static void with_wrong_message(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    for (size_t n = 0; n < count; n++) {
        memcpy(lanes[n]->messages.words[1], lanes[n]->messages.words[3], sizeof lanes[n]->messages.words[1]);
        lanes[n]->block_counts[1] = lanes[n]->block_counts[3];
    }
    sound_shacrypt->advance(lanes, count, blocks);
}

/// Places the digest a byte too early in the messages that begin with the password.
static void with_wrong_place(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    for (size_t n = 0; n < count; n++) {
        if (lanes[n]->round == 0 && lanes[n]->places[7] > 0) { lanes[n]->places[7]--; }
    }
    sound_shacrypt->advance(lanes, count, blocks);
}

/// Forgets that a lane was in the middle of a message.
static void with_lost_blocks(struct credkit_shacrypt_lane *const *lanes, size_t count, size_t blocks) {
    sound_shacrypt->advance(lanes, count, blocks);
    for (size_t n = 0; n < count; n++) { lanes[n]->block = 0; }
}

static void with_wrong_compression(union credkit_shacrypt_state *state, const uint64_t *block) {
    sound_shacrypt->compress(state, block);
    state->words[0] ^= 1;
}

const struct fault shacrypt_faults[] = {
    {.name = "shacrypt-wrong-bit", .shacrypt.advance = with_wrong_bit},
    {.name = "shacrypt-fewer-rounds", .shacrypt.advance = with_fewer_rounds},
    {.name = "shacrypt-last-lane", .shacrypt.advance = without_last_lane},
    {.name = "shacrypt-swapped-lanes", .shacrypt.advance = with_swapped_lanes},
    {.name = "shacrypt-wrong-message", .shacrypt.advance = with_wrong_message},
    {.name = "shacrypt-wrong-place", .shacrypt.advance = with_wrong_place},
    {.name = "shacrypt-lost-blocks", .shacrypt.advance = with_lost_blocks},
    {.name = "shacrypt-wrong-compression", .shacrypt.compress = with_wrong_compression},
    {.name = NULL},
};
