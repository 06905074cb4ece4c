// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 of every byte value: at each position of texts that reach every loop of a kernel, and at the end.
#include "kernel_test.h"

/// The longest text, in groups.
#define GROUPS 256

static void check_text(const struct credkit_kernels *kernels, size_t groups, const uint8_t *bytes) {
    uint8_t text[GROUPS * 4 + 8], target[GROUPS * 3], changed[GROUPS * 3];
    oracle_encode(bytes, groups * 3, text, now.is_url_safe, true);
    for (size_t offset = 0; offset < groups * 4; offset++) {
        uint8_t right = text[offset];
        size_t group = offset / 4;
        for (int byte = 0; byte < 256; byte++) {
            text[offset] = (uint8_t)byte;
            bool is_valid = character_values[now.is_url_safe][byte] >= 0;
            size_t decoded = kernels->base64_decode(text, groups, target, now.is_url_safe);
            CHECK(decoded == (is_valid ? groups : group), "decoded %zu groups of %zu with 0x%02X at %zu", decoded,
                  groups, byte, offset);
            memcpy(changed, bytes, groups * 3);
            if (is_valid) { oracle_decode(text + group * 4, 1, changed + group * 3, now.is_url_safe); }
            CHECK(memcmp(target, changed, decoded * 3) == 0, "the bytes of %zu groups with 0x%02X at %zu are wrong",
                  groups, byte, offset);
        }
        text[offset] = right;
    }
}

void test_base64_values(void) {
    static const size_t longer[] = {63, 64, 65, 71, 80, 96, 97, 127, 128, 129, GROUPS};
    uint8_t bytes[GROUPS * 3];
    now = (struct situation){.test = "each byte value at each position", .call = "decode"};
    random_fill(bytes, sizeof bytes);
    for (size_t index = 0; index < tested_count; index++) {
        now.kernels = tested[index]->name;
        for (int alphabet = 0; alphabet < 2; alphabet++) {
            now.is_url_safe = alphabet;
            for (size_t groups = 1; groups <= 49; groups++) { check_text(tested[index], groups, bytes); }
            for (size_t each = 0; each < sizeof longer / sizeof longer[0]; each++) {
                check_text(tested[index], longer[each], bytes);
            }
        }
    }
}

/// One end of a text: two characters are one byte and four bits of zero, three are two bytes and two bits of zero.
static void check_end(const uint8_t *text, size_t characters, bool is_url_safe) {
    const int8_t *values = character_values[is_url_safe];
    uint32_t bits = 0;
    bool is_valid = true;
    for (size_t index = 0; index < characters; index++) {
        is_valid = is_valid && values[text[index]] >= 0;
        bits = bits << 6 | (uint8_t)values[text[index]];
    }
    is_valid = is_valid && (bits & (characters == 2 ? 15 : 3)) == 0;
    uint8_t target[3] = {0x5A, 0x5A, 0x5A}, expected[3] = {0x5A, 0x5A, 0x5A};
    if (is_valid) {
        bits <<= characters == 2 ? 12 : 6;
        expected[0] = (uint8_t)(bits >> 16);
        if (characters == 3) { expected[1] = (uint8_t)(bits >> 8); }
    }
    CHECK(credkit_base64_decode_end(text, characters, target, is_url_safe) == is_valid,
          "the end %02X %02X %02X is %staken", text[0], text[1], characters == 3 ? text[2] : 0,
          is_valid ? "not " : "");
    CHECK(memcmp(target, expected, 3) == 0, "the bytes of the end %02X %02X %02X are wrong", text[0], text[1],
          characters == 3 ? text[2] : 0);
}

void test_base64_ends(void) {
    now = (struct situation){.test = "ends and single characters", .kernels = "all", .call = "decode_end"};
    struct guarded memory = guarded_make(1);
    const struct place at_end = {AT_END, 0};
    for (int alphabet = 0; alphabet < 2; alphabet++) {
        now.is_url_safe = alphabet;
        for (int byte = 0; byte < 256; byte++) {
            CHECK(credkit_base64_value((uint8_t)byte, alphabet) == character_values[alphabet][byte],
                  "the value of 0x%02X is wrong", byte);
        }
        for (uint32_t end = 0; end < 1 << 24; end++) {
            uint8_t text[3] = {(uint8_t)(end >> 16), (uint8_t)(end >> 8), (uint8_t)end};
            check_end(text, 3, alphabet);
            if (text[2] == 0) {
                uint8_t *source = guarded_at(&memory, 2, at_end);
                memcpy(source, text, 2);
                check_end(source, 2, alphabet);
            }
        }
    }
}

void test_base64_padding(void) {
    now = (struct situation){.test = "padding of Base64", .kernels = "all", .call = "padding"};
    struct guarded memory = guarded_make(1);
    for (size_t length = 0; length <= 70; length++) {
        now.length = length;
        for (uint32_t end = 0; end < 1 << 16; end++) {
            uint8_t *text = guarded_at(&memory, length, (struct place){length % 2 == 0 ? AT_END : AT_START, 0});
            uint8_t last[2] = {(uint8_t)(end >> 8), (uint8_t)end};
            memset(text, end % 2 == 0 ? '=' : 'A', length);
            if (length >= 2) { memcpy(text + length - 2, last, 2); }
            size_t expected = length < 2 || last[1] != '=' ? 0 : last[0] != '=' ? 1 : 2;
            CHECK(credkit_base64_padding(text, length) == expected, "the padding of … %02X %02X is not %zu", last[0],
                  last[1], expected);
        }
    }
}
