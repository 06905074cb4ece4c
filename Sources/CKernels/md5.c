// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// MD5 (RFC 1321) of one message.
#include <stddef.h>
#include <string.h>

#include "CCredKitKernels.h"
#include "md5_padding.h"
#include "md5_steps.h"

// A step waits for the b of the previous step. What does not need it is added first, and the compiler is prevented from
// reordering the sum. The two terms of G have no bit in common, so their sum is their OR.
#define EARLY_F(c, d) 0
#define EARLY_G(c, d) (c & ~d)
#define EARLY_H(c, d) 0
#define EARLY_I(c, d) 0
#define LATE_F(b, c, d) (((c ^ d) & b) ^ d)
#define LATE_G(b, c, d) (b & d)
#define LATE_H(b, c, d) (b ^ c ^ d)
#define LATE_I(b, c, d) (c ^ (b | ~d))
#define STEP(f, a, b, c, d, word, shift, constant)                                        \
    {                                                                                     \
        uint32_t sum = a + load(bytes + 4 * word) + UINT32_C(constant) + EARLY_##f(c, d); \
        __asm__("" : "+r"(sum));                                                          \
        sum += LATE_##f(b, c, d);                                                         \
        a = b + (sum << shift | sum >> (32 - shift));                                     \
    }

// Without this all words would be read at once, and copied to the stack, where they would stay.
#define READ_AGAIN __asm__("" : "+r"(bytes));

_Static_assert(offsetof(struct credkit_md5, words) == 0, "HMACs and batches begin with these words");

static inline uint32_t load(const uint8_t *bytes) {
    uint32_t word;
    memcpy(&word, bytes, sizeof word);
    return word;
}

void credkit_md5_blocks(uint32_t words[4], const uint8_t *bytes, size_t count) {
    uint32_t a = words[0], b = words[1], c = words[2], d = words[3];
    for (; count > 0; count--, bytes += 64) {
        const uint32_t before[4] = {a, b, c, d};
        MD5_STEPS_F(STEP)
        READ_AGAIN
        MD5_STEPS_G(STEP)
        READ_AGAIN
        MD5_STEPS_H(STEP)
        READ_AGAIN
        MD5_STEPS_I(STEP)
        a += before[0], b += before[1], c += before[2], d += before[3];
    }
    words[0] = a, words[1] = b, words[2] = c, words[3] = d;
}

void credkit_md5_update(struct credkit_md5 *state, const uint8_t *bytes, size_t count) {
    // `bytes` may be NULL then, and nothing may be added to NULL.
    if (count == 0) return;
    const size_t used = state->length % sizeof state->rest;
    state->length += count;
    if (used > 0) {
        const size_t room = sizeof state->rest - used;
        const size_t added = count < room ? count : room;
        memcpy(state->rest + used, bytes, added);
        if (added < room) return;
        credkit_md5_blocks(state->words, state->rest, 1);
        bytes += added, count -= added;
    }
    credkit_md5_blocks(state->words, bytes, count / 64);
    if (count % 64 > 0) memcpy(state->rest, bytes + (count - count % 64), count % 64);
}

void credkit_md5_end(struct credkit_md5 *state, uint8_t digest[16]) {
    uint8_t tail[128] = {0};
    const size_t used = state->length % sizeof state->rest;
    memcpy(tail, state->rest, used);
    credkit_md5_blocks(state->words, tail, end_tail(tail, used, state->length));
    memcpy(digest, state->words, 16);
    wipe(tail, sizeof tail);
}
