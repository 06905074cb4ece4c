// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The kernels under test, and faulty ones that the tests must find.
#include "kernel_test.h"

const struct credkit_kernels *const *tested;
size_t tested_count;

/// The kernels that the faults are planted in.
static const struct credkit_kernels *sound;

/// Reads a byte that nobody uses, as a load that is too wide does.
static void read_byte(const uint8_t *byte) { (void)*(const volatile uint8_t *)byte; }

static void encode_reading_behind(const uint8_t *source, size_t length, uint8_t *target, bool is_url_safe,
                                  bool is_padded) {
    sound->base64_encode(source, length, target, is_url_safe, is_padded);
    if (length == 97) { read_byte(source + length); }
}

static void encode_reading_before(const uint8_t *source, size_t length, uint8_t *target, bool is_url_safe,
                                  bool is_padded) {
    if (length == 97) { read_byte(source - 1); }
    sound->base64_encode(source, length, target, is_url_safe, is_padded);
}

static size_t text_length(size_t length, bool is_padded) {
    return length / 3 * 4 + (length % 3 == 0 ? 0 : is_padded ? 4 : length % 3 + 1);
}

static void encode_writing_behind(const uint8_t *source, size_t length, uint8_t *target, bool is_url_safe,
                                  bool is_padded) {
    sound->base64_encode(source, length, target, is_url_safe, is_padded);
    if (length == 98) { target[text_length(length, is_padded)] = '='; }
}

static void encode_wrongly(const uint8_t *source, size_t length, uint8_t *target, bool is_url_safe, bool is_padded) {
    sound->base64_encode(source, length, target, is_url_safe, is_padded);
    if (length == 99) { target[131] ^= 1; }
}

static size_t decode_reading_behind(const uint8_t *source, size_t groups, uint8_t *target, bool is_url_safe) {
    if (groups == 33) { read_byte(source + 4 * groups); }
    return sound->base64_decode(source, groups, target, is_url_safe);
}

static size_t decode_writing_behind(const uint8_t *source, size_t groups, uint8_t *target, bool is_url_safe) {
    size_t decoded = sound->base64_decode(source, groups, target, is_url_safe);
    // As a store of a whole block does, whose last groups are not valid.
    if (decoded + 1 < groups) { target[3 * decoded] ^= 1; }
    return decoded;
}

static size_t decode_a_block_less(const uint8_t *source, size_t groups, uint8_t *target, bool is_url_safe) {
    size_t decoded = sound->base64_decode(source, groups, target, is_url_safe);
    return decoded < groups && groups > 64 ? decoded / 16 * 16 : decoded;
}

static size_t decode_taking_a_sign(const uint8_t *source, size_t groups, uint8_t *target, bool is_url_safe) {
    size_t decoded = sound->base64_decode(source, groups, target, is_url_safe);
    // One byte too many is taken for a character, in one column.
    if (decoded + 1 == groups && groups > 16 && source[4 * decoded + 2] == 0xC1) {
        target[3 * decoded] = target[3 * decoded + 1] = target[3 * decoded + 2] = 0;
        decoded += 1;
    }
    return decoded;
}

static void md5_reading_behind(uint32_t states[4][CREDKIT_MD5_LANES], const uint8_t *const blocks[CREDKIT_MD5_LANES],
                               size_t lanes, size_t count) {
    sound->md5_blocks(states, blocks, lanes, count);
    if (count > 0) { read_byte(blocks[lanes - 1] + 64 * count); }
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
        if (messages[index].length == 33) { read_byte(messages[index].bytes + 33); }
    }
}

static void md5_short_writing_behind(const uint32_t start[4], uint64_t start_length,
                                     const struct credkit_md5_message *messages, size_t count, uint8_t *digests) {
    sound->md5_short(start, start_length, messages, count, digests);
    // As a store of all lanes does.
    if (count % CREDKIT_MD5_LANES != 0) { digests[16 * count] ^= 1; }
}

static void md5_of_digests_wrongly(const uint32_t start[4], uint64_t start_length, uint8_t *digests, size_t count) {
    // The high word of the length is forgotten.
    sound->md5_of_digests(start, start_length & 0xFFFFFFF, digests, count);
}

static const struct {
    const char *name;
    struct credkit_kernels faulty;
} plants[] = {
    {"encode-reads-behind", {.base64_encode = encode_reading_behind}},
    {"encode-reads-before", {.base64_encode = encode_reading_before}},
    {"encode-writes-behind", {.base64_encode = encode_writing_behind}},
    {"encode-wrong", {.base64_encode = encode_wrongly}},
    {"decode-reads-behind", {.base64_decode = decode_reading_behind}},
    {"decode-writes-behind", {.base64_decode = decode_writing_behind}},
    {"decode-returns-less", {.base64_decode = decode_a_block_less}},
    {"decode-accepts-more", {.base64_decode = decode_taking_a_sign}},
    {"md5-reads-behind", {.md5_blocks = md5_reading_behind}},
    {"md5-wrong-lane", {.md5_blocks = md5_of_another_lane}},
    {"md5-short-reads-behind", {.md5_short = md5_short_reading_behind}},
    {"md5-short-writes-behind", {.md5_short = md5_short_writing_behind}},
    {"md5-of-digests-wrong", {.md5_of_digests = md5_of_digests_wrongly}},
};

enum { PLANTS = sizeof plants / sizeof plants[0] };

const char *planted_fault(size_t index) { return index < PLANTS ? plants[index].name : NULL; }

bool plant(const char *fault) {
    static struct credkit_kernels kernels;
    static const struct credkit_kernels *const list[1] = {&kernels};
    sound = tested[0];
    for (size_t index = 0; index < PLANTS; index++) {
        if (strcmp(plants[index].name, fault) != 0) { continue; }
        kernels = *sound;
        kernels.name = plants[index].name;
        const struct credkit_kernels *faulty = &plants[index].faulty;
        if (faulty->base64_encode != NULL) { kernels.base64_encode = faulty->base64_encode; }
        if (faulty->base64_decode != NULL) { kernels.base64_decode = faulty->base64_decode; }
        if (faulty->md5_blocks != NULL) { kernels.md5_blocks = faulty->md5_blocks; }
        if (faulty->md5_short != NULL) { kernels.md5_short = faulty->md5_short; }
        if (faulty->md5_of_digests != NULL) { kernels.md5_of_digests = faulty->md5_of_digests; }
        tested = list;
        tested_count = 1;
        return true;
    }
    return false;
}
