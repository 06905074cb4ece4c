// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 of whole inputs: random ones, and every length at every alignment.
#include "kernel_test.h"

/// The longest text of the random tests, with room for OpenSSL's NUL.
#define LONGEST_TEXT (LONGEST / 3 * 4 + 8)

static struct guarded source_memory, target_memory;

static void prepare(void) {
    if (source_memory.memory == NULL) {
        source_memory = guarded_make(LONGEST_TEXT + 1024);
        target_memory = guarded_make(LONGEST_TEXT + 1024);
    }
}

static void check_encoding(const struct credkit_kernels *kernels, const uint8_t *bytes, size_t length,
                           const uint8_t *text, size_t characters, struct place from, struct place to) {
    uint8_t *source = guarded_at(&source_memory, length, from);
    uint8_t *target = guarded_at(&target_memory, characters, to);
    now.kernels = kernels->name;
    now.call = "encode";
    now.length = length;
    now.alignment = (uintptr_t)source % 64;
    now.target_alignment = (uintptr_t)target % 64;
    uint8_t canary = (uint8_t)random_word();
    memcpy(source, bytes, length);
    canary_put(&target_memory, target, characters, canary);
    guarded_close(&source_memory, source, length);
    guarded_close(&target_memory, target, characters);
    kernels->base64_encode(source, length, target, now.is_url_safe, now.is_padded);
    guarded_open(&source_memory);
    guarded_open(&target_memory);
    CHECK(memcmp(target, text, characters) == 0, "the text is wrong");
    canary_check(&target_memory, target, characters, characters, canary);
}

/// `valid` is the number of groups before the first one that is not valid.
static void check_decoding(const struct credkit_kernels *kernels, const uint8_t *text, size_t groups, size_t valid,
                           const uint8_t *bytes, struct place from, struct place to) {
    uint8_t *source = guarded_at(&source_memory, groups * 4, from);
    uint8_t *target = guarded_at(&target_memory, groups * 3, to);
    now.kernels = kernels->name;
    now.call = "decode";
    now.length = groups * 4;
    now.alignment = (uintptr_t)source % 64;
    now.target_alignment = (uintptr_t)target % 64;
    uint8_t canary = (uint8_t)random_word();
    memcpy(source, text, groups * 4);
    canary_put(&target_memory, target, groups * 3, canary);
    guarded_close(&source_memory, source, groups * 4);
    guarded_close(&target_memory, target, groups * 3);
    size_t decoded = kernels->base64_decode(source, groups, target, now.is_url_safe);
    guarded_open(&source_memory);
    guarded_open(&target_memory);
    CHECK(decoded == valid, "decoded %zu groups of %zu, of which the first %zu are valid", decoded, groups, valid);
    CHECK(memcmp(target, bytes, valid * 3) == 0, "the bytes are wrong");
    canary_check(&target_memory, target, groups * 3, valid * 3, canary);
}

/// A byte that is not of the alphabet, those that are often mistaken for one more often than others.
static uint8_t invalid_character(bool is_url_safe) {
    static const uint8_t near[2][12] = {
        {'=', '-', '_', '@', '[', '`', '{', ',', '.', ':', 0xAB, 0xC1},
        {'=', '+', '/', '@', '[', '`', '{', ',', '^', ':', 0xAD, 0xDF},
    };
    for (;;) {
        uint8_t byte = random_below(2) == 0 ? near[is_url_safe][random_below(12)] : (uint8_t)random_word();
        if (character_values[is_url_safe][byte] < 0) { return byte; }
    }
}

/// Puts one to three errors into a text and returns the number of groups before the first.
static size_t put_errors(uint8_t *text, size_t groups, bool is_url_safe) {
    size_t valid = groups;
    for (size_t errors = 1 + random_below(3); errors > 0 && groups > 0; errors--) {
        size_t offset = random_below(groups * 4);
        text[offset] = invalid_character(is_url_safe);
        if (offset / 4 < valid) { valid = offset / 4; }
    }
    return valid;
}

void test_base64_random(size_t inputs) {
    static uint8_t bytes[LONGEST], text[LONGEST_TEXT], decoded[LONGEST + 8];
    now = (struct situation){.test = "random inputs"};
    prepare();
    for (size_t input = 0; input < inputs; input++) {
        size_t length = random_below(LONGEST + 1), flavour = random_below(4);
        now.is_url_safe = flavour & 1;
        now.is_padded = flavour & 2;
        random_fill(bytes, length);
        size_t characters = oracle_encode(bytes, length, text, now.is_url_safe, now.is_padded);
        for (size_t index = 0; index < tested_count; index++) {
            check_encoding(tested[index], bytes, length, text, characters, random_place(), random_place());
        }
        size_t groups = length / 3;
        oracle_decode(text, groups, decoded, now.is_url_safe);
        for (size_t index = 0; index < tested_count; index++) {
            check_decoding(tested[index], text, groups, groups, decoded, random_place(), random_place());
        }
        size_t valid = put_errors(text, groups, now.is_url_safe);
        for (size_t index = 0; index < tested_count; index++) {
            check_decoding(tested[index], text, groups, valid, bytes, random_place(), random_place());
        }
    }
}

/// One input at one place of the source, at one of the target.
static void check_both(const uint8_t *bytes, size_t length, const uint8_t *text, size_t characters,
                       struct place from, struct place to) {
    for (size_t index = 0; index < tested_count; index++) {
        check_encoding(tested[index], bytes, length, text, characters, from, to);
        // Whole groups; those of the unpadded text are the same.
        if (now.is_padded) { check_decoding(tested[index], text, length / 3, length / 3, bytes, from, to); }
    }
}

void test_base64_lengths(void) {
    static uint8_t bytes[1024], text[LONGEST_TEXT];
    const struct place at_start = {AT_START, 0}, at_end = {AT_END, 0};
    now = (struct situation){.test = "all lengths and alignments"};
    prepare();
    for (size_t length = 0; length <= 1024; length++) {
        for (int flavour = 0; flavour < 4; flavour++) {
            now.is_url_safe = flavour & 1;
            now.is_padded = flavour & 2;
            random_fill(bytes, length);
            size_t characters = oracle_encode(bytes, length, text, now.is_url_safe, now.is_padded);
            check_both(bytes, length, text, characters, at_start, at_start);
            check_both(bytes, length, text, characters, at_start, at_end);
            check_both(bytes, length, text, characters, at_end, at_start);
            check_both(bytes, length, text, characters, at_end, at_end);
            for (size_t alignment = 0; alignment < 64; alignment++) {
                // 13 is odd: the target takes every alignment, too.
                struct place from = {ALIGNED, alignment}, to = {ALIGNED, (alignment * 13 + length) % 64};
                check_both(bytes, length, text, characters, from, to);
            }
        }
    }
    // Nothing may stand nowhere.
    for (size_t index = 0; index < tested_count; index++) {
        now.kernels = tested[index]->name;
        now.call = "nothing at NULL";
        tested[index]->base64_encode(NULL, 0, NULL, false, true);
        CHECK(tested[index]->base64_decode(NULL, 0, NULL, false) == 0, "decoded groups of nothing");
    }
}

void test_base64_errors(void) {
    static uint8_t bytes[1026], text[LONGEST_TEXT];
    const struct place at_start = {AT_START, 0}, at_end = {AT_END, 0};
    now = (struct situation){.test = "an error in each group", .is_padded = true};
    prepare();
    for (size_t groups = 1; groups <= 342; groups++) {
        now.is_url_safe = groups % 2;
        random_fill(bytes, groups * 3);
        oracle_encode(bytes, groups * 3, text, now.is_url_safe, true);
        for (size_t wrong = 0; wrong < groups; wrong++) {
            size_t offset = wrong * 4 + random_below(4);
            uint8_t right = text[offset];
            text[offset] = invalid_character(now.is_url_safe);
            for (size_t index = 0; index < tested_count; index++) {
                check_decoding(tested[index], text, groups, wrong, bytes, at_end, at_end);
                check_decoding(tested[index], text, groups, wrong, bytes, at_start, at_start);
            }
            text[offset] = right;
        }
    }
}
