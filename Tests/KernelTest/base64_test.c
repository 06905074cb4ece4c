// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 of complete inputs: random ones, and every length at every alignment.
#include "kernel_test.h"

/// Returns a byte outside the alphabet, preferably one that is often mistaken for a character of it.
static uint8_t invalid_character(void) {
    static const uint8_t near[2][12] = {
        {'=', '-', '_', '@', '[', '`', '{', ',', '.', ':', 0xAB, 0xC1},
        {'=', '+', '/', '@', '[', '`', '{', ',', '^', ':', 0xAD, 0xDF},
    };
    const int alphabet = (now.form & CREDKIT_BASE64_URL_SAFE) != 0;
    for (;;) {
        uint8_t byte = random_below(2) == 0 ? near[alphabet][random_below(12)] : (uint8_t)random_word();
        if (character_values[alphabet][byte] < 0) { return byte; }
    }
}

/// A character of the alphabet.
static uint8_t valid_character(void) {
    for (;;) {
        uint8_t byte = (uint8_t)random_below(128);
        if (values_of(now.form)[byte] >= 0) { return byte; }
    }
}

/// Puts one to three errors into a text and returns the number of groups before the first error.
static size_t put_errors(uint8_t *text, size_t groups) {
    size_t valid = groups;
    for (size_t errors = 1 + random_below(3); errors > 0 && groups > 0; errors--) {
        size_t offset = random_below(groups * 4);
        text[offset] = invalid_character();
        if (offset / 4 < valid) { valid = offset / 4; }
    }
    return valid;
}

/// Changes a text to a typical invalid or still valid variant, and returns its new length.
static size_t mangle(uint8_t *text, size_t length) {
    size_t characters = length, few = 1 + random_below(3);
    while (characters > 0 && text[characters - 1] == '=') { characters--; }
    switch (random_below(6)) {
    case 0:
        if (length > 0) { text[random_below(length)] = invalid_character(); }
        return length;
    case 1:
        // Also in the middle.
        for (; few > 0 && length > 0; few--) { text[random_below(length)] = '='; }
        return length;
    case 2:
        for (; few > 0; few--) { text[length++] = '='; }
        return length;
    case 3: return length < few ? 0 : length - few;
    case 4:
        // Unused bits.
        if (characters > 0) { text[characters - 1] = valid_character(); }
        return length;
    default:
        for (; few > 0; few--) { text[length++] = valid_character(); }
        return length;
    }
}

/// Mostly short, because most paths handle short inputs.
static size_t random_length(void) { return random_below(random_below(4) == 0 ? LONGEST + 1 : 512); }

void test_base64_random(size_t inputs) {
    static uint8_t bytes[LONGEST], text[LONGEST_TEXT], decoded[LONGEST + 16];
    now = (struct situation){.test = "random inputs"};
    for (size_t input = 0; input < inputs; input++) {
        size_t length = random_length(), extra = random_below(2) == 0 ? 0 : random_below(300);
        now.form = (unsigned)random_below(FORMS);
        random_fill(bytes, length);
        size_t characters = oracle_encode(bytes, length, text, now.form), groups = length / 3;
        oracle_decode(text, groups, decoded, now.form);
        for (size_t index = 0; index < tested_count; index++) {
            const struct credkit_kernels *kernels = tested[index];
            check_encoding(kernels, bytes, length, text, characters, extra, random_place(), random_place());
            check_decoding(kernels, text, groups, groups, decoded, random_place(), random_place());
            check_text(kernels, text, characters, (ptrdiff_t)length, bytes, random_place(), random_place());
        }
        size_t mangled = mangle(text, characters);
        ptrdiff_t count = oracle_decode_text(text, mangled, decoded, now.form);
        for (size_t index = 0; index < tested_count; index++) {
            check_text(tested[index], text, mangled, count, decoded, random_place(), random_place());
        }
        oracle_encode(bytes, length, text, now.form);
        size_t valid = put_errors(text, groups);
        for (size_t index = 0; index < tested_count; index++) {
            check_decoding(tested[index], text, groups, valid, bytes, random_place(), random_place());
        }
    }
}

static const struct place at_start = {AT_START, 0}, at_end = {AT_END, 0};

/// Tests one input at one position of the source and one of the target.
static void check_all(const uint8_t *bytes, size_t length, const uint8_t *text, size_t characters, struct place from,
                      struct place to) {
    for (size_t index = 0; index < tested_count; index++) {
        // At the guard page the room is exact; elsewhere it has some spare characters.
        const size_t extra = to.kind == ALIGNED ? to.alignment : 0;
        check_encoding(tested[index], bytes, length, text, characters, extra, from, to);
        check_text(tested[index], text, characters, (ptrdiff_t)length, bytes, from, to);
        // Complete groups; those of the unpadded text are the same.
        if (now.form & CREDKIT_BASE64_PADDED) {
            check_decoding(tested[index], text, length / 3, length / 3, bytes, from, to);
        }
    }
}

void test_base64_lengths(void) {
    static uint8_t bytes[1024], text[LONGEST_TEXT];
    now = (struct situation){.test = "all lengths and alignments"};
    for (size_t length = 0; length <= 1024; length += is_sparse && length >= 200 ? 17 : 1) {
        for (now.form = 0; now.form < FORMS; now.form++) {
            random_fill(bytes, length);
            size_t characters = oracle_encode(bytes, length, text, now.form);
            check_all(bytes, length, text, characters, at_start, at_start);
            check_all(bytes, length, text, characters, at_start, at_end);
            check_all(bytes, length, text, characters, at_end, at_start);
            check_all(bytes, length, text, characters, at_end, at_end);
            for (size_t alignment = 0; alignment < 64; alignment++) {
                // 13 is odd, so the target also takes every alignment.
                struct place from = {ALIGNED, alignment}, to = {ALIGNED, (alignment * 13 + length) % 64};
                check_all(bytes, length, text, characters, from, to);
            }
        }
    }
    // An empty input may have a null pointer.
    for (size_t index = 0; index < tested_count; index++) {
        now.kernels = tested[index]->name;
        now.call = "nothing at NULL";
        for (now.form = 0; now.form < FORMS; now.form++) {
            CHECK(tested[index]->base64_encode(NULL, 0, NULL, 0, now.form) == 0, "characters of nothing");
            CHECK(tested[index]->base64_decode(NULL, 0, NULL, now.form) == 0, "decoded groups of nothing");
            CHECK(tested[index]->base64_decode_text(NULL, 0, NULL, now.form) == 0, "decoded bytes of nothing");
        }
    }
}

void test_base64_errors(void) {
    static uint8_t bytes[1026], text[LONGEST_TEXT];
    now = (struct situation){.test = "an error in each group"};
    for (size_t groups = 1; groups <= 342; groups += is_sparse && groups >= 40 ? 17 : 1) {
        now.form = groups % FORMS;
        random_fill(bytes, groups * 3);
        oracle_encode(bytes, groups * 3, text, now.form);
        for (size_t wrong = 0; wrong < groups; wrong++) {
            size_t offset = wrong * 4 + random_below(4);
            uint8_t right = text[offset];
            text[offset] = invalid_character();
            // The rest may be padding.
            if (text[offset] == '=' && offset + 2 >= groups * 4) { text[offset] = '@'; }
            for (size_t index = 0; index < tested_count; index++) {
                check_decoding(tested[index], text, groups, wrong, bytes, at_end, at_end);
                check_decoding(tested[index], text, groups, wrong, bytes, at_start, at_start);
                check_text(tested[index], text, groups * 4, -1, bytes, at_end, at_end);
                check_text(tested[index], text, groups * 4, -1, bytes, at_start, at_start);
            }
            text[offset] = right;
        }
    }
}
