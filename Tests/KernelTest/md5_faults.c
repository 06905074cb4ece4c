// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty MD5 kernels that the tests must find.
#include "kernel_test.h"

static void md5_reading_behind(uint32_t states[4][CREDKIT_MD5_LANES], const uint8_t *const blocks[CREDKIT_MD5_LANES],
                               size_t lanes, size_t count) {
    sound->md5_blocks(states, blocks, lanes, count);
    if (count > 0) { read_unused(blocks[lanes - 1] + 64 * count); }
}

static void md5_of_another_lane(uint32_t states[4][CREDKIT_MD5_LANES],
                                const uint8_t *const blocks[CREDKIT_MD5_LANES], size_t lanes, size_t count) {
    sound->md5_blocks(states, blocks, lanes, count);
    if (lanes == 13) { states[3][12] = states[3][11]; }
}

static void md5_short_reading_behind(const uint32_t start[4], uint64_t start_length,
                                     const struct credkit_md5_message *messages, size_t count, uint8_t *digests) {
    sound->md5_short(start, start_length, messages, count, digests);
    for (size_t index = 0; index < count; index++) {
        if (messages[index].length == 33) { read_unused(messages[index].bytes + 33); }
    }
}

static void md5_short_writing_behind(const uint32_t start[4], uint64_t start_length,
                                     const struct credkit_md5_message *messages, size_t count, uint8_t *digests) {
    sound->md5_short(start, start_length, messages, count, digests);
    // Like a store of all lanes.
    if (count % CREDKIT_MD5_LANES != 0) { digests[16 * count] ^= 1; }
}

static void md5_of_digests_wrongly(const uint32_t start[4], uint64_t start_length, uint8_t *digests, size_t count) {
    // The high word of the length is missing.
    sound->md5_of_digests(start, start_length & 0xFFFFFFF, digests, count);
}

const struct fault md5_faults[] = {
    {.name = "md5-reads-behind", .kernels.md5_blocks = md5_reading_behind},
    {.name = "md5-wrong-lane", .kernels.md5_blocks = md5_of_another_lane},
    {.name = "md5-short-reads-behind", .kernels.md5_short = md5_short_reading_behind},
    {.name = "md5-short-writes-behind", .kernels.md5_short = md5_short_writing_behind},
    {.name = "md5-of-digests-wrong", .kernels.md5_of_digests = md5_of_digests_wrongly},
    {.name = NULL},
};
