// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Faulty Base64 decoders that skip other characters, which the tests must find.
#include "kernel_test.h"

typedef struct credkit_base64_progress progress;

static progress skipping_reading_behind(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                        unsigned form) {
    if (length % 8 == 5) { read_unused(source + length); }
    return credkit_base64_decode_skipping(source, length, target, room, form);
}

static progress skipping_writing_behind(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                        unsigned form) {
    progress done = credkit_base64_decode_skipping(source, length, target, room, form);
    if (length > 0 && done.written == room) { target[room] = 0; }
    return done;
}

static progress skipping_taking_any_padding(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                            unsigned form) {
    return credkit_base64_decode_skipping(source, length, target, room, form | CREDKIT_BASE64_GOES_ON);
}

static progress skipping_reading_too_far(const uint8_t *source, size_t length, uint8_t *target, size_t room,
                                         unsigned form) {
    progress done = credkit_base64_decode_skipping(source, length, target, room, form);
    done.read += credkit_base64_skipped(source + done.read, length - done.read, form);
    return done;
}

static progress lines_without_their_last(const uint8_t *source, size_t length, size_t line, uint8_t *target,
                                         unsigned form) {
    return credkit_base64_decode_lines(source, length > 0 ? length - 1 : 0, line, target, form);
}

static progress lines_writing_behind(const uint8_t *source, size_t length, size_t line, uint8_t *target,
                                     unsigned form) {
    progress done = credkit_base64_decode_lines(source, length, line, target, form);
    target[length / 4 * 3] = 0;
    return done;
}

const struct fault base64_skipping_faults[] = {
    {.name = "skipping-reads-behind", .skipping = skipping_reading_behind},
    {.name = "skipping-writes-behind", .skipping = skipping_writing_behind},
    {.name = "skipping-any-padding", .skipping = skipping_taking_any_padding},
    {.name = "skipping-reads-too-far", .skipping = skipping_reading_too_far},
    {.name = "lines-last-missing", .lines = lines_without_their_last},
    {.name = "lines-write-behind", .lines = lines_writing_behind},
    {.name = NULL},
};
