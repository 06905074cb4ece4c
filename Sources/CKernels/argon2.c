// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Argon2 (RFC 9106, section 3.2) without its segments.
#include <string.h>

#include "argon2_lanes.h"
#include "blake2b.h"

enum { BLOCK = CREDKIT_ARGON2_BLOCK, WORDS = BLOCK / 8, SLICES = CREDKIT_ARGON2_SLICES };

static uint32_t segment_length(const struct credkit_argon2_input *input) {
    return input->memory_kib / (SLICES * input->lanes);
}

size_t credkit_argon2_memory_size(const struct credkit_argon2_input *input) {
    return (size_t)segment_length(input) * SLICES * input->lanes * BLOCK;
}

static void add(struct blake2b *hash, struct credkit_argon2_bytes bytes) {
    credkit_blake2b_add_number(hash, (uint32_t)bytes.length);
    credkit_blake2b_add(hash, bytes.bytes, bytes.length);
}

/// H0, followed by eight bytes for the numbers of a block and of a lane.
static void begin(uint8_t seed[BLAKE2B_LONGEST + 8], const struct credkit_argon2_input *input, size_t tag_length) {
    struct blake2b hash;
    credkit_blake2b_begin(&hash, BLAKE2B_LONGEST);
    const uint32_t numbers[] = {input->lanes,  (uint32_t)tag_length, input->memory_kib,
                                input->passes, input->version,       input->type};
    credkit_blake2b_add(&hash, numbers, sizeof numbers);
    add(&hash, input->password);
    add(&hash, input->salt);
    add(&hash, input->secret);
    add(&hash, input->data);
    credkit_blake2b_end(&hash, seed);
}

/// The first two blocks of each lane.
static int make_first_blocks(const struct credkit_argon2_kernels *kernels,
                              const struct credkit_argon2_instance *instance, uint8_t seed[BLAKE2B_LONGEST + 8]) {
    uint64_t words[WORDS];
    for (uint32_t lane = 0; lane < instance->lanes; lane++) {
        // A hash can have as many lanes as blocks, nearly.
        if (__atomic_load_n(instance->is_cancelled, __ATOMIC_RELAXED)) break;
        for (uint32_t index = 0; index < 2; index++) {
            memcpy(seed + BLAKE2B_LONGEST, &index, 4);
            memcpy(seed + BLAKE2B_LONGEST + 4, &lane, 4);
            credkit_blake2b_long((uint8_t *)words, BLOCK, seed, BLAKE2B_LONGEST + 8);
            kernels->write_block(instance->blocks + ((size_t)lane * instance->lane_length + index) * BLOCK, words);
        }
    }
    explicit_bzero(words, sizeof words);
    return __atomic_load_n(instance->is_cancelled, __ATOMIC_RELAXED) ? CREDKIT_ARGON2_CANCELLED : CREDKIT_ARGON2_DONE;
}

/// H' of the xor of the last blocks of all lanes.
static void make_tag(const struct credkit_argon2_kernels *kernels, const struct credkit_argon2_instance *instance,
                     uint8_t *tag, size_t tag_length) {
    uint64_t sum[WORDS] = {0}, words[WORDS];
    for (uint32_t lane = 0; lane < instance->lanes; lane++) {
        const size_t last = (size_t)(lane + 1) * instance->lane_length - 1;
        kernels->read_block(words, instance->blocks + last * BLOCK);
        for (int n = 0; n < WORDS; n++) sum[n] ^= words[n];
    }
    credkit_blake2b_long(tag, tag_length, (const uint8_t *)sum, sizeof sum);
    explicit_bzero(sum, sizeof sum);
    explicit_bzero(words, sizeof words);
}

static __attribute__((noinline)) int derive(const struct credkit_argon2_kernels *kernels,
                                            const struct credkit_argon2_input *input, uint8_t *memory, uint8_t *tag,
                                            size_t tag_length, const int *is_cancelled) {
    const uint32_t length = segment_length(input);
    const struct credkit_argon2_instance instance = {
        .blocks = memory,
        .type = input->type,
        .version = input->version,
        .lanes = input->lanes,
        .passes = input->passes,
        .block_count = length * SLICES * input->lanes,
        .lane_length = length * SLICES,
        .segment_length = length,
        .is_cancelled = is_cancelled,
    };
    uint8_t seed[BLAKE2B_LONGEST + 8];
    begin(seed, input, tag_length);
    const int begun = make_first_blocks(kernels, &instance, seed);
    explicit_bzero(seed, sizeof seed);
    if (begun != CREDKIT_ARGON2_DONE) return begun;
    const int status = credkit_argon2_fill(kernels, &instance, input->threads);
    if (status != CREDKIT_ARGON2_DONE) return status;
    make_tag(kernels, &instance, tag, tag_length);
    return CREDKIT_ARGON2_DONE;
}

int credkit_argon2_derive(const struct credkit_argon2_kernels *kernels, const struct credkit_argon2_input *input,
                          uint8_t *memory, uint8_t *tag, size_t tag_length, const int *is_cancelled) {
    const int status = derive(kernels, input, memory, tag, tag_length, is_cancelled);
    credkit_argon2_wipe_stack();
    return status;
}
