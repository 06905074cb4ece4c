// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The ends of Base64 texts: the last two or three characters, and the padding.
#include "kernel_test.h"

/// The longest text.
#define MOST 160

static void check(const uint8_t *text, size_t length, struct place place) {
    uint8_t bytes[MOST];
    const ptrdiff_t count = oracle_decode_text(text, length, bytes, now.form);
    for (size_t index = 0; index < tested_count; index++) {
        check_text(tested[index], text, length, count, bytes, place, place);
    }
}

static const struct place at_start = {AT_START, 0}, at_end = {AT_END, 0};

/// An end after some groups, with its padding.
static void check_end(size_t groups, size_t characters, uint8_t first, uint8_t second, uint8_t third) {
    uint8_t text[MOST];
    memset(text, 'w', groups * 4);
    memcpy(text + groups * 4, (uint8_t[]){first, second, characters == 3 ? third : '=', '='}, 4);
    check(text, groups * 4 + (now.form & CREDKIT_BASE64_PADDED ? 4 : characters), at_end);
}

static uint8_t character(size_t value) {
    static uint8_t characters[2][64];
    const int alphabet = (now.form & CREDKIT_BASE64_URL_SAFE) != 0;
    for (int byte = 0; characters[alphabet][63] == 0 && byte < 256; byte++) {
        if (character_values[alphabet][byte] >= 0) {
            characters[alphabet][character_values[alphabet][byte]] = (uint8_t)byte;
        }
    }
    return characters[alphabet][value];
}

void test_base64_ends(void) {
    now = (struct situation){.test = "ends"};
    for (now.form = 0; now.form < FORMS; now.form++) {
        for (size_t end = 0; end < 1 << 16; end += is_sparse ? 7 : 1) {
            check_end(end % 2 * 16, 2, (uint8_t)(end >> 8), (uint8_t)end, 0);
        }
        // Three characters of the alphabet; the first one affects neither the last byte nor the unused bits.
        for (size_t end = 0; end < 1 << 12; end++) {
            for (size_t each = 0; each < (is_sparse ? 1 : 4); each++) {
                check_end(each, 3, character(random_below(64)), character(end >> 6), character(end % 64));
            }
        }
        // Any byte at each place, next to any character.
        for (size_t end = 0; end < 1 << 14; end += is_sparse ? 7 : 1) {
            const uint8_t byte = (uint8_t)(end >> 6), other = character(end % 64), any = character(random_below(64));
            check_end(end % 3, 3, byte, any, other);
            check_end(end % 3, 3, any, byte, other);
            check_end(end % 3, 3, any, other, byte);
        }
    }
}

void test_base64_padding(void) {
    now = (struct situation){.test = "padding"};
    uint8_t text[MOST];
    for (now.form = 0; now.form < FORMS; now.form++) {
        // As many characters and as much padding as possible; with and without unused bits set.
        for (size_t characters = 0; characters <= 140; characters++) {
            for (size_t padding = 0; padding <= 9; padding++) {
                for (size_t last = 0; last < 64; last = last * 2 + 1) {
                    for (size_t index = 0; index < characters; index++) {
                        text[index] = character(index + 1 == characters ? last : random_below(64));
                    }
                    memset(text + characters, '=', padding);
                    check(text, characters + padding, at_start);
                    check(text, characters + padding, at_end);
                    if (last == 63) { break; }
                }
            }
        }
        // Only padding.
        memset(text, '=', MOST);
        for (size_t length = 0; length <= MOST; length++) { check(text, length, at_end); }
        // Two invalid bytes anywhere.
        for (size_t length = 1; length <= 72; length += length < 24 ? 1 : 12) {
            for (size_t first = 0; first < length; first++) {
                for (size_t second = first; second < length; second++) {
                    memset(text, 'A', length);
                    text[first] = text[second] = '=';
                    check(text, length, at_end);
                }
            }
        }
    }
}
