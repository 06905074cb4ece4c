// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares hexadecimal digits with those of printf.
#include "kernel_test.h"

#include <stdio.h>

/// The longest input, in bytes.
#define MOST 200

static struct guarded source_memory, target_memory;
/// The digits of each byte.
static char digits[256][3];
/// The value of each digit; -1 for other characters.
static int values[256];

static const struct place at_start = {AT_START, 0}, at_end = {AT_END, 0};

static void prepare(const char *test, const char *call) {
    now = (struct situation){.test = test, .kernels = "all", .call = call};
    if (source_memory.memory != NULL) { return; }
    source_memory = guarded_make(2 * MOST + 1024);
    target_memory = guarded_make(2 * MOST + 1024);
    memset(values, -1, sizeof values);
    for (int byte = 0; byte < 256; byte++) {
        snprintf(digits[byte], 3, "%02x", (unsigned)byte);
        char upper[3];
        snprintf(upper, 3, "%02X", (unsigned)byte);
        if (byte < 16) { values[(uint8_t)digits[byte][1]] = values[(uint8_t)upper[1]] = byte; }
    }
}

/// Copies the input and protects all memory except it and the room for the output.
static uint8_t *begin(const uint8_t *input, size_t length, size_t room, uint8_t canary, struct place from,
                      struct place to, uint8_t **target) {
    uint8_t *source = guarded_at(&source_memory, length, from);
    *target = guarded_at(&target_memory, room, to);
    now.length = length;
    now.alignment = (uintptr_t)source % 64;
    now.target_alignment = (uintptr_t)*target % 64;
    memcpy(source, input, length);
    canary_put(&target_memory, *target, room, canary);
    guarded_close(&source_memory, source, length);
    guarded_close(&target_memory, *target, room);
    return source;
}

static void end(const uint8_t *target, size_t room, size_t written, uint8_t canary) {
    guarded_open(&source_memory);
    guarded_open(&target_memory);
    canary_check(&target_memory, target, room, written, canary);
}

static void check_digits(const uint8_t *bytes, size_t length, struct place from, struct place to) {
    const uint8_t canary = (uint8_t)random_word();
    uint8_t *target, *source = begin(bytes, length, 2 * length, canary, from, to, &target);
    tested_hex_encode(source, length, target);
    end(target, 2 * length, 2 * length, canary);
    for (size_t index = 0; index < length; index++) {
        CHECK(memcmp(target + 2 * index, digits[bytes[index]], 2) == 0, "the digits of 0x%02X at %zu are wrong",
              bytes[index], index);
    }
}

static void check_bytes(const uint8_t *text, size_t length, struct place from, struct place to) {
    const uint8_t canary = (uint8_t)random_word();
    size_t valid = 0;
    while (valid < length && values[text[valid]] >= 0) { valid++; }
    uint8_t *target, *source = begin(text, length, length / 2, canary, from, to, &target);
    const size_t decoded = tested_hex_decode(source, length, target);
    end(target, length / 2, length / 2, canary);
    CHECK(decoded == valid, "the first that is no digit is said to be at %zu, not at %zu", decoded, valid);
    for (size_t index = 0; valid == length && index < length / 2; index++) {
        CHECK(target[index] == values[text[2 * index]] * 16 + values[text[2 * index + 1]], "byte %zu is wrong", index);
    }
}

/// Digits of both cases.
static void random_digits(uint8_t *text, size_t length) {
    static const char all[] = "0123456789abcdefABCDEF";
    for (size_t index = 0; index < length; index++) { text[index] = (uint8_t)all[random_below(sizeof all - 1)]; }
}

typedef void check_place(const uint8_t *input, size_t length, struct place from, struct place to);

static void check_places(check_place *check, const uint8_t *input, size_t length) {
    check(input, length, at_start, at_start);
    check(input, length, at_start, at_end);
    check(input, length, at_end, at_start);
    check(input, length, at_end, at_end);
    for (size_t alignment = 0; alignment < 64; alignment++) {
        check(input, length, (struct place){ALIGNED, alignment},
              (struct place){ALIGNED, (alignment * 13 + length) % 64});
    }
}

void test_hex_encoding(void) {
    uint8_t bytes[MOST];
    prepare("hexadecimal digits of bytes", "hex_encode");
    for (size_t length = 0; length <= MOST; length++) {
        random_fill(bytes, length);
        check_places(check_digits, bytes, length);
    }
    tested_hex_encode(NULL, 0, NULL);
}

void test_hex_decoding(void) {
    uint8_t text[2 * MOST + 1];
    prepare("bytes of hexadecimal digits", "hex_decode");
    for (size_t length = 0; length <= 2 * MOST + 1; length++) {
        random_digits(text, length);
        check_places(check_bytes, text, length);
        // Two invalid digits, of which the first must be reported.
        for (size_t each = 0; each < length; each++) {
            const uint8_t first = text[each];
            text[each] = "g/:@G`"[random_below(6)];
            const size_t other = each + random_below(length - each);
            const uint8_t second = text[other];
            text[other] |= 0x80;
            check_bytes(text, length, at_start, at_start);
            check_bytes(text, length, at_end, at_end);
            text[other] = second;
            text[each] = first;
        }
    }
    CHECK(tested_hex_decode(NULL, 0, NULL) == 0, "decoded digits of nothing");
}

void test_hex_values(void) {
    uint8_t input[MOST];
    prepare("each byte value at each position", "hex_encode");
    for (size_t length = 1; length <= 33; length++) {
        random_fill(input, length);
        for (size_t offset = 0; offset < length; offset++) {
            for (int byte = 0; byte < 256; byte++) {
                input[offset] = (uint8_t)byte;
                check_digits(input, length, at_end, at_end);
            }
        }
    }
    now.call = "hex_decode";
    for (size_t length = 1; length <= MOST; length += is_sparse && length > 33 ? 33 : 1) {
        random_digits(input, length);
        for (size_t offset = 0; offset < length; offset++) {
            const uint8_t right = input[offset];
            for (int byte = 0; byte < 256; byte++) {
                input[offset] = (uint8_t)byte;
                check_bytes(input, length, at_end, at_end);
            }
            input[offset] = right;
        }
    }
}
