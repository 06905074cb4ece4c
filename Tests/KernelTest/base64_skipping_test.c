// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares Base64 decoding that skips other characters with a table-based decoder; and tests Base64 in lines.
#include "kernel_test.h"

/// The longest text, in characters.
#define MOST 200

static struct guarded source_memory, target_memory;

static void prepare(const char *test, const char *call) {
    now = (struct situation){.test = test, .kernels = "all", .call = call};
    if (source_memory.memory != NULL) { return; }
    source_memory = guarded_make(MOST + 1024);
    target_memory = guarded_make(MOST + 1024);
}

static bool is_skipped(uint8_t character, unsigned form) {
    return ((form & CREDKIT_BASE64_SKIPS_LINE_FEEDS) && character == '\n') ||
           ((form & CREDKIT_BASE64_SKIPS_BLANKS) && character != 0 && strchr(" \t\r", character) != NULL) ||
           ((form & CREDKIT_BASE64_SKIPS_GARBAGE) && character != '=' && values_of(form)[character] < 0);
}

/// Decodes the group that begins at `*index`, and moves the index past it. Returns 0 if it is invalid or incomplete.
static size_t expect_group(const uint8_t *text, size_t length, size_t *index, uint8_t bytes[3], unsigned form) {
    uint32_t bits = 0;
    size_t characters = 0, padding = 0;
    for (; *index < length && characters < 4; ++*index) {
        const uint8_t character = text[*index];
        if (is_skipped(character, form)) { continue; }
        if (character == '=' && (form & CREDKIT_BASE64_GOES_ON) && characters >= 2) {
            padding++;
        } else if (values_of(form)[character] < 0 || padding > 0) {
            return 0;
        }
        bits = bits << 6 | (character == '=' ? 0 : (uint32_t)values_of(form)[character]);
        characters++;
    }
    if (characters < 4) { return 0; }
    for (int byte = 0; byte < 3; byte++) { bytes[byte] = (uint8_t)(bits >> (16 - 8 * byte)); }
    return 3 - padding;
}

static struct credkit_base64_progress expect(const uint8_t *text, size_t length, uint8_t *bytes, size_t room,
                                             unsigned form) {
    struct credkit_base64_progress done = {0, 0};
    while (true) {
        // Skipped characters at the end count as read.
        size_t behind = done.read;
        while (behind < length && is_skipped(text[behind], form)) { behind++; }
        if (behind == length) { return (struct credkit_base64_progress){length, done.written}; }
        size_t index = done.read;
        uint8_t group[3];
        const size_t count = expect_group(text, length, &index, group, form);
        if (count == 0 || room - done.written < count) { return done; }
        memcpy(bytes + done.written, group, count);
        done = (struct credkit_base64_progress){index, done.written + count};
    }
}

/// Runs a call between guards, and compares the number of bytes read and written.
static void check(const uint8_t *text, size_t length, size_t room, struct credkit_base64_progress expected,
                  const uint8_t *bytes, size_t line, unsigned form) {
    const uint8_t canary = (uint8_t)random_word();
    uint8_t *source = guarded_at(&source_memory, length, random_place());
    uint8_t *target = guarded_at(&target_memory, room, random_place());
    now.length = length;
    now.alignment = (uintptr_t)source % 64;
    now.target_alignment = (uintptr_t)target % 64;
    now.form = form;
    memcpy(source, text, length);
    canary_put(&target_memory, target, room, canary);
    guarded_close(&source_memory, source, length);
    guarded_close(&target_memory, target, room);
    const struct credkit_base64_progress done = line > 0 ? tested_lines(source, length, line, target, form)
                                                         : tested_skipping(source, length, target, room, form);
    guarded_open(&source_memory);
    guarded_open(&target_memory);
    CHECK(done.read == expected.read && done.written == expected.written,
          "read %zu and wrote %zu, not %zu and %zu, of %zu", done.read, done.written, expected.read, expected.written,
          room);
    CHECK(memcmp(target, bytes, expected.written) == 0, "wrong bytes");
    // After the bytes of an interrupted line, its kernel may have written within the room.
    canary_check(&target_memory, target, room, line > 0 ? room : expected.written, canary);
}

static uint8_t random_character(unsigned form) {
    uint8_t character;
    do { character = (uint8_t)random_word(); } while (values_of(form)[character] < 0);
    return character;
}

void test_base64_skipping(size_t inputs) {
    prepare("Base64 with characters that are passed over", "base64_decode_skipping");
    uint8_t text[MOST], bytes[MOST];
    for (size_t input = 0; input < inputs; input++) {
        const unsigned skips = CREDKIT_BASE64_SKIPS_LINE_FEEDS | CREDKIT_BASE64_SKIPS_BLANKS |
                               CREDKIT_BASE64_SKIPS_GARBAGE | CREDKIT_BASE64_GOES_ON;
        // coreutils' line format has a separate path.
        const unsigned form = random_below(3) == 0 ? CREDKIT_BASE64_SKIPS_LINE_FEEDS | CREDKIT_BASE64_GOES_ON |
                                                         CREDKIT_BASE64_PADDED
                                                   : (unsigned)random_below(FORMS) | ((unsigned)random_word() & skips);
        const size_t length = random_below(random_below(4) == 0 ? MOST + 1 : 24), rarity = 1 + random_below(12);
        for (size_t index = 0; index < length; index++) {
            const uint8_t others[] = {'\n', '\n', ' ', '\t', '\r', '=', '=', (uint8_t)random_word()};
            text[index] = random_below(rarity) > 0 ? random_character(form) : others[random_below(sizeof others)];
        }
        const size_t room = random_below(4) == 0 ? random_below(length + 1) : length / 4 * 3;
        check(text, length, room, expect(text, length, bytes, room, form), bytes, 0, form);
    }
    CHECK(tested_skipping(NULL, 0, NULL, 0, 0).read == 0, "read something of nothing");
}

void test_base64_lines(size_t inputs) {
    prepare("Base64 in lines", "base64_decode_lines");
    uint8_t text[MOST], bytes[MOST];
    for (size_t input = 0; input < inputs; input++) {
        const unsigned form = (unsigned)random_below(FORMS);
        const size_t line = 4 * (1 + random_below(20)), length = random_below(MOST + 1);
        for (size_t index = 0; index < length; index++) {
            text[index] = index % (line + 1) == line ? '\n' : random_character(form);
        }
        // One invalid character in some texts; it may be a line feed.
        if (length > 0 && random_below(2) == 0) { text[random_below(length)] = (uint8_t)random_word(); }
        struct credkit_base64_progress expected = {0, 0};
        while (length - expected.read > line && text[expected.read + line] == '\n') {
            size_t groups = 0;
            for (; groups < line / 4; groups++) {
                size_t index = expected.read;
                const size_t count = expect_group(text, expected.read + 4, &index, bytes + expected.written, form);
                if (count == 0) { break; }
                expected.read += 4;
                expected.written += count;
            }
            if (groups < line / 4) { break; }
            expected.read++;
        }
        check(text, length, length / 4 * 3, expected, bytes, line, form);
    }
}
