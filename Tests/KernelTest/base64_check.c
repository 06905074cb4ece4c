// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// One call of a Base64 kernel with guard pages and canaries around its input and its output.
#include "kernel_test.h"

/// The most spare room of an encoder's output, and the most memory around it.
#define EXTRA 1024

static struct guarded source_memory, target_memory;

/// A copy of a call's input, and memory for its output.
struct call {
    uint8_t *source, *target;
    size_t length, room;
    uint8_t canary;
};

static struct call begin(const struct credkit_kernels *kernels, const char *name, const uint8_t *input, size_t length,
                         size_t room, struct place from, struct place to) {
    if (source_memory.memory == NULL) {
        source_memory = guarded_make(LONGEST_TEXT + EXTRA);
        target_memory = guarded_make(LONGEST_TEXT + EXTRA);
    }
    struct call call = {
        .source = guarded_at(&source_memory, length, from),
        .target = guarded_at(&target_memory, room, to),
        .length = length,
        .room = room,
        .canary = (uint8_t)random_word(),
    };
    now.kernels = kernels->name;
    now.call = name;
    now.length = length;
    now.alignment = (uintptr_t)call.source % 64;
    now.target_alignment = (uintptr_t)call.target % 64;
    if (length > 0) { memcpy(call.source, input, length); }
    canary_put(&target_memory, call.target, room, call.canary);
    guarded_close(&source_memory, call.source, length);
    guarded_close(&target_memory, call.target, room);
    return call;
}

/// Checks the canaries after the first `written` bytes of the output.
static void end(const struct call *call, size_t written) {
    guarded_open(&source_memory);
    guarded_open(&target_memory);
    canary_check(&target_memory, call->target, call->room, written, call->canary);
}

void check_encoding(const struct credkit_kernels *kernels, const uint8_t *bytes, size_t length, const uint8_t *text,
                    size_t characters, size_t extra, struct place from, struct place to) {
    if (characters > 0) {
        const size_t too_little = random_below(8) == 0 ? random_below(characters) : characters - 1;
        const struct call call = begin(kernels, "encode", bytes, length, too_little, from, to);
        const ptrdiff_t written = kernels->base64_encode(call.source, length, call.target, too_little, now.form);
        end(&call, 0);
        CHECK(written == -1, "%zd characters were written where there is room for %zu of %zu", written, too_little,
              characters);
    }
    const struct call call = begin(kernels, "encode", bytes, length, characters + extra, from, to);
    const ptrdiff_t written = kernels->base64_encode(call.source, length, call.target, call.room, now.form);
    end(&call, characters);
    CHECK(written == (ptrdiff_t)characters, "%zd characters were written, not %zu, where there is room for %zu",
          written, characters, call.room);
    CHECK(memcmp(call.target, text, characters) == 0, "the text is wrong");
}

void check_decoding(const struct credkit_kernels *kernels, const uint8_t *text, size_t groups, size_t valid,
                    const uint8_t *bytes, struct place from, struct place to) {
    const struct call call = begin(kernels, "decode", text, groups * 4, groups * 3, from, to);
    const size_t decoded = kernels->base64_decode(call.source, groups, call.target, now.form);
    end(&call, valid * 3);
    CHECK(decoded == valid, "decoded %zu groups of %zu, of which the first %zu are valid", decoded, groups, valid);
    CHECK(memcmp(call.target, bytes, valid * 3) == 0, "the bytes are wrong");
}

size_t room_for_text(size_t length) { return length / 4 * 3 + (length % 4 >= 2 ? length % 4 - 1 : 0); }

void check_text(const struct credkit_kernels *kernels, const uint8_t *text, size_t length, ptrdiff_t count,
                const uint8_t *bytes, struct place from, struct place to) {
    const struct call call = begin(kernels, "decode_text", text, length, room_for_text(length), from, to);
    const ptrdiff_t decoded = kernels->base64_decode_text(call.source, length, call.target, now.form);
    // Invalid input may leave bytes, but only within the room of a text's bytes.
    end(&call, count < 0 ? call.room : (size_t)count);
    CHECK(decoded == count, "the answer is %zd instead of %zd", decoded, count);
    CHECK(count <= 0 || memcmp(call.target, bytes, (size_t)count) == 0, "the bytes are wrong");
}
