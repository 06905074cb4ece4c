// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Base64 with skipped characters in between, one group at a time. The positions of skipped characters and of `=`, and
// the validity of a group, are not secret; no other branch depends on the text.
#include "base64_words.h"

/// Whether one character is in the alphabet.
static inline int is_of_alphabet(uint8_t character, unsigned form) {
    uint64_t is_invalid;
    (void)decode_word((uint64_t)character << 56 | BASE64_ZEROS >> 8, form, &is_invalid);
    return is_invalid == 0;
}

static inline int is_skipped(uint8_t character, unsigned form) {
    int answer = 0;
    if (form & CREDKIT_BASE64_SKIPS_LINE_FEEDS) answer |= character == '\n';
    if (form & CREDKIT_BASE64_SKIPS_BLANKS) {
        answer |= (character == ' ') | (character == '\t') | (character == '\r');
    }
    if (form & CREDKIT_BASE64_SKIPS_GARBAGE) answer |= (character != '=') & !is_of_alphabet(character, form);
    CREDKIT_DECLASSIFY(answer);
    return answer;
}

static inline int is_padding(uint8_t character) {
    int answer = character == '=';
    CREDKIT_DECLASSIFY(answer);
    return answer;
}

/// Inlined for each `form` that is known at compile time.
static inline __attribute__((always_inline)) struct credkit_base64_progress decode_groups(
    const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    struct credkit_base64_progress done = {0, 0};
    uint32_t group = 0;
    size_t characters = 0, padding = 0;
    for (size_t index = 0; index < length; index++) {
        const uint8_t character = source[index];
        if (is_skipped(character, form)) continue;
        if (is_padding(character)) {
            if (!(form & CREDKIT_BASE64_GOES_ON) || characters < 2) return done;
            group = group << 8 | 'A';
            padding++;
        } else {
            if (padding > 0) return done;
            group = group << 8 | character;
        }
        if (++characters < 4) continue;

        uint64_t is_invalid;
        const uint64_t bytes = decode_word((uint64_t)group << 32 | BASE64_ZEROS >> 32, form, &is_invalid);
        CREDKIT_DECLASSIFY(is_invalid);
        if (is_invalid != 0 || room - done.written < 3 - padding) return done;
        for (size_t byte = 0; byte < 3 - padding; byte++) target[done.written++] = (uint8_t)(bytes >> (40 - 8 * byte));
        done.read = index + 1;
        characters = padding = 0;
    }
    if (characters == 0) done.read = length;
    return done;
}

struct credkit_base64_progress credkit_base64_decode_skipping(const uint8_t *source, size_t length, uint8_t *target,
                                                              size_t room, unsigned form) {
    // One copy for the form of coreutils' decoder, one for all others.
    const unsigned lax = CREDKIT_BASE64_SKIPS_LINE_FEEDS | CREDKIT_BASE64_GOES_ON | CREDKIT_BASE64_PADDED;
    if (form == lax) return decode_groups(source, length, target, room, lax);
    return decode_groups(source, length, target, room, form);
}

size_t credkit_base64_skipped(const uint8_t *source, size_t length, unsigned form) {
    size_t index = 0;
    while (index < length && is_skipped(source[index], form)) index++;
    return index;
}

size_t credkit_base64_line(const uint8_t *source, size_t length) {
#ifdef CREDKIT_CONSTANT_TIME_CHECK
    // The positions of line feeds are not secret; the checker would report memchr(), which cannot be annotated.
    size_t index = 0;
    for (; index < length; index++) {
        int is_line_feed = source[index] == '\n';
        CREDKIT_DECLASSIFY(is_line_feed);
        if (is_line_feed) break;
    }
    return index;
#else
    const uint8_t *found = length > 0 ? memchr(source, '\n', length) : NULL;
    return found != NULL ? (size_t)(found - source) : length;
#endif
}

struct credkit_base64_progress credkit_base64_decode_lines(const uint8_t *source, size_t length, size_t line,
                                                           uint8_t *target, unsigned form) {
    struct credkit_base64_progress done = {0, 0};
    while (length - done.read > line) {
        int is_line_feed = source[done.read + line] == '\n';
        CREDKIT_DECLASSIFY(is_line_feed);
        if (!is_line_feed) break;
        const size_t groups =
            credkit_kernels_get()->base64_decode(source + done.read, line / 4, target + done.written, form);
        done.written += groups * 3;
        // The line contains another character, perhaps a line feed.
        if (groups != line / 4) {
            done.read += groups * 4;
            break;
        }
        done.read += line + 1;
    }
    return done;
}

int credkit_base64_has_unused_bits(uint32_t values, size_t count) {
    int answer = (values & (count == 2 ? 0xF : 0x3)) != 0;
    CREDKIT_DECLASSIFY(answer);
    return answer;
}
