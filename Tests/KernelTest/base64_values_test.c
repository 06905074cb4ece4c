// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 of every byte value, at each position of texts that reach every loop and every end of a kernel.
#include "kernel_test.h"

/// The longest input, in bytes.
#define MOST 768

static struct guarded source_memory, target_memory;

/// Checks that each path agrees with RFC 4648 about the text at `source`.
static void check_whole(const uint8_t *source, size_t length, size_t offset) {
    static const uint8_t canary = 0xA5;
    uint8_t bytes[MOST + 3];
    const size_t room = room_for_text(length);
    const ptrdiff_t count = oracle_decode_text(source, length, bytes, now.form);
    uint8_t *target = guarded_at(&target_memory, room, (struct place){AT_END, 0});
    for (size_t index = 0; index < tested_count; index++) {
        now.kernels = tested[index]->name;
        // No text has more padding than that.
        if (room >= 3) { memset(target + room - 3, canary, 3); }
        const ptrdiff_t decoded = tested[index]->base64_decode_text(source, length, target, now.form);
        CHECK(decoded == count, "the answer is %zd instead of %zd with 0x%02X at %zu", decoded, count, source[offset],
              offset);
        if (count < 0) { continue; }
        CHECK(memcmp(target, bytes, (size_t)count) == 0, "the bytes with 0x%02X at %zu are wrong", source[offset],
              offset);
        for (size_t rest = (size_t)count; rest < room; rest++) {
            CHECK(target[rest] == canary, "wrote behind the %zd bytes with 0x%02X at %zu", count, source[offset],
                  offset);
        }
    }
}

/// Checks that each path decodes the valid groups only; `bytes` is the decoded text except for one character.
static void check_groups(const uint8_t *source, size_t groups, uint8_t *bytes, size_t offset) {
    const size_t group = offset / 4;
    const size_t valid = values_of(now.form)[source[offset]] >= 0 ? groups : group;
    uint8_t *target = guarded_at(&target_memory, groups * 3, (struct place){AT_END, 0}), right[3];
    memcpy(right, bytes + 3 * group, 3);
    if (valid == groups) { oracle_decode_text(source + 4 * group, 4, bytes + 3 * group, now.form); }
    for (size_t index = 0; index < tested_count; index++) {
        now.kernels = tested[index]->name;
        const size_t decoded = tested[index]->base64_decode(source, groups, target, now.form);
        CHECK(decoded == valid, "decoded %zu groups of %zu with 0x%02X at %zu", decoded, groups, source[offset],
              offset);
        CHECK(memcmp(target, bytes, valid * 3) == 0, "the bytes of %zu groups with 0x%02X at %zu are wrong", groups,
              source[offset], offset);
    }
    memcpy(bytes + 3 * group, right, 3);
}

static void check_positions(size_t length) {
    uint8_t bytes[MOST], text[MOST * 2];
    random_fill(bytes, length);
    const size_t characters = oracle_encode(bytes, length, text, now.form);
    uint8_t *source = guarded_at(&source_memory, characters, (struct place){AT_END, 0});
    memcpy(source, text, characters);
    guarded_close(&source_memory, source, characters);
    now.length = characters;
    for (size_t offset = 0; offset < characters; offset++) {
        for (int byte = 0; byte < 256; byte++) {
            source[offset] = (uint8_t)byte;
            now.call = "decode_text";
            check_whole(source, characters, offset);
            now.call = "decode";
            if (length % 3 == 0) { check_groups(source, length / 3, bytes, offset); }
        }
        source[offset] = text[offset];
    }
    guarded_open(&source_memory);
}

void test_base64_values(void) {
    // Around one, two and more blocks of each kernel.
    static const size_t longer[] = {144, 147, 189, 191, 192, 193, 194, 195, 240, 383, 384, 385, MOST};
    now = (struct situation){.test = "each byte value at each position"};
    source_memory = guarded_make(MOST * 2);
    target_memory = guarded_make(MOST + 3);
    for (size_t length = 1; length <= 105; length += is_sparse && length > 6 ? 7 : 1) {
        for (now.form = 0; now.form < FORMS; now.form++) { check_positions(length); }
    }
    for (size_t each = 0; each < sizeof longer / sizeof longer[0] && !is_sparse; each++) {
        now.form = each % FORMS;
        check_positions(longer[each]);
    }
}

void test_base64_characters(void) {
    now = (struct situation){.test = "single characters", .kernels = "all", .call = "value"};
    for (now.form = 0; now.form < FORMS; now.form++) {
        for (int byte = 0; byte < 256; byte++) {
            const int value = credkit_base64_value((uint8_t)byte, now.form);
            CHECK(value == values_of(now.form)[byte], "the value of 0x%02X is %d", byte, value);
        }
    }
}
