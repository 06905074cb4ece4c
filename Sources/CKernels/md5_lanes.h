// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// MD5 (RFC 1321) over sixteen messages at once, one in each lane of vectors of VECTOR_BYTES. VECTORS_AT_ONCE of them
// are processed in parallel, so that the processor is not idle while one step waits for the previous one. Each file
// for an instruction set includes this file once.
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "CCredKitKernels.h"
#include "md5_padding.h"
#include "md5_steps.h"
#include "word_lanes.h"

#define VECTOR_LANES (VECTOR_BYTES / 4)
typedef uint32_t vector __attribute__((vector_size(VECTOR_BYTES)));

// JOIN: concatenates vectors of 16 bytes. WEAVE: interleaves the halves of two vectors within each 16 bytes.
#if VECTOR_LANES == 4
#define JOIN(p) (p[0])
#define WEAVE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l)
#define SECOND(i) ((i) + 4)
#elif VECTOR_LANES == 8
#define JOIN(p) __builtin_shufflevector(p[0], p[1], 0, 1, 2, 3, 4, 5, 6, 7)
#define WEAVE(a, b, i, j, k, l) __builtin_shufflevector(a, b, i, j, k, l, i + 4, j + 4, k + 4, l + 4)
#define SECOND(i) ((i) + 8)
#endif

#define INLINE static inline __attribute__((always_inline))

/// Sixteen bytes of one message: in the form in which they are computed, and as four words.
typedef uint64_t part __attribute__((vector_size(16)));
typedef uint32_t quad_words __attribute__((vector_size(16)));

/// Converts four rows, where row r holds four words of lanes r, r + 4, r + 8 …, into one vector per word; and back.
INLINE void weave_rows(vector words[4], const vector rows[4]) {
    const vector low01 = WEAVE(rows[0], rows[1], 0, SECOND(0), 1, SECOND(1));
    const vector low23 = WEAVE(rows[2], rows[3], 0, SECOND(0), 1, SECOND(1));
    const vector high01 = WEAVE(rows[0], rows[1], 2, SECOND(2), 3, SECOND(3));
    const vector high23 = WEAVE(rows[2], rows[3], 2, SECOND(2), 3, SECOND(3));
    words[0] = WEAVE(low01, low23, 0, 1, SECOND(0), SECOND(1));
    words[1] = WEAVE(low01, low23, 2, 3, SECOND(2), SECOND(3));
    words[2] = WEAVE(high01, high23, 0, 1, SECOND(0), SECOND(1));
    words[3] = WEAVE(high01, high23, 2, 3, SECOND(2), SECOND(3));
}

/// The four words at an offset of each message, as one vector per word.
INLINE void load_words(vector words[4], const uint8_t *const *blocks, size_t offset) {
    // Joined in registers: memory would have to be wiped, and loading a vector stalls if its pieces were just stored.
    vector rows[4];
#pragma clang loop unroll(full)
    for (int row = 0; row < 4; row++) {
        quad_words pieces[VECTOR_LANES / 4];
#pragma clang loop unroll(full)
        for (int n = 0; n < VECTOR_LANES / 4; n++) memcpy(&pieces[n], blocks[4 * n + row] + offset, 16);
        rows[row] = JOIN(pieces);
    }
    weave_rows(words, rows);
}

#define F(b, c, d) (((c ^ d) & b) ^ d)
#define G(b, c, d) (((b ^ c) & d) ^ c)
#define H(b, c, d) (b ^ c ^ d)
#define I(b, c, d) (c ^ (b | ~d))

// A step waits for the b of the previous step. All terms that do not need it are added first, and the compiler is
// prevented from reordering the sum.
#if defined(__x86_64__)
#define SETTLE(sum) __asm__("" : "+v"(sum))
#elif defined(__aarch64__) || defined(__arm__)
#define SETTLE(sum) __asm__("" : "+w"(sum))
#else
#define SETTLE(sum) ((void)0)
#endif
// Without this the compiler would gather the lengths of messages into vectors, which is slower than reading them.
#define KEEP_SCALAR(number) __asm__("" : "+r"(number))
#define STEP(f, a, b, c, d, word, shift, constant)                  \
    for (int n = 0; n < vectors; n++) {                             \
        vector sum = a[n] + block->of[n][word] + (uint32_t)constant; \
        SETTLE(sum);                                                \
        sum += f(b[n], c[n], d[n]);                                 \
        a[n] = b[n] + (sum << shift | sum >> (32 - shift));         \
    }

enum { LANES_AT_ONCE = VECTORS_AT_ONCE * VECTOR_LANES };

/// The sixteen words of one block per lane.
struct words {
    vector of[VECTORS_AT_ONCE][16];
};

/// The states of the lanes.
struct state {
    vector of[VECTORS_AT_ONCE][4];
};

/// Loads words 4 * quad to 4 * quad + 3 of the lanes.
INLINE void load_quad(struct words *words, const uint8_t *const *blocks, size_t offset, int quad, int vectors) {
    for (int n = 0; n < vectors; n++) {
        load_words(&words->of[n][4 * quad], &blocks[n * VECTOR_LANES], offset + 16 * quad);
    }
}

/// Processes one block per lane. Meanwhile it loads the words of the next block, which would otherwise wait for the
/// last step, unless `next` is NULL.
INLINE void md5_step(struct state *state, const struct words *block, struct words *next, const uint8_t *const *blocks,
                     size_t offset, int vectors) {
    vector a[VECTORS_AT_ONCE], b[VECTORS_AT_ONCE], c[VECTORS_AT_ONCE], d[VECTORS_AT_ONCE];
    for (int n = 0; n < vectors; n++) {
        a[n] = state->of[n][0], b[n] = state->of[n][1], c[n] = state->of[n][2], d[n] = state->of[n][3];
    }
    MD5_STEPS_F(STEP)
    if (next != NULL) load_quad(next, blocks, offset, 0, vectors);
    MD5_STEPS_G(STEP)
    if (next != NULL) load_quad(next, blocks, offset, 1, vectors);
    MD5_STEPS_H(STEP)
    if (next != NULL) load_quad(next, blocks, offset, 2, vectors);
    MD5_STEPS_I(STEP)
    if (next != NULL) load_quad(next, blocks, offset, 3, vectors);
    for (int n = 0; n < vectors; n++) {
        state->of[n][0] += a[n], state->of[n][1] += b[n], state->of[n][2] += c[n], state->of[n][3] += d[n];
    }
}

static void md5_blocks(uint32_t states[4][CREDKIT_MD5_LANES], const uint8_t *const blocks[CREDKIT_MD5_LANES],
                       size_t lanes, size_t count) {
    struct words words[2];
    for (size_t lane = 0; lane < lanes && count > 0; lane += LANES_AT_ONCE) {
        // An unused lane reads the data of the first one.
        const uint8_t *sources[LANES_AT_ONCE];
#pragma clang loop vectorize(disable)
        for (size_t n = 0; n < LANES_AT_ONCE; n++) sources[n] = blocks[lane + n < lanes ? lane + n : 0];

        struct state state;
        for (int n = 0; n < VECTORS_AT_ONCE; n++) {
            for (int word = 0; word < 4; word++) {
                memcpy(&state.of[n][word], &states[word][lane + n * VECTOR_LANES], sizeof(vector));
            }
        }
#pragma clang loop unroll(full)
        for (int quad = 0; quad < 4; quad++) load_quad(&words[0], sources, 0, quad, VECTORS_AT_ONCE);
        size_t block = 0;
        for (; block + 1 < count; block++) {
            md5_step(&state, &words[block % 2], &words[1 - block % 2], sources, 64 * (block + 1), VECTORS_AT_ONCE);
        }
        md5_step(&state, &words[block % 2], NULL, sources, 0, VECTORS_AT_ONCE);
        for (int n = 0; n < VECTORS_AT_ONCE; n++) {
            for (int word = 0; word < 4; word++) {
                memcpy(&states[word][lane + n * VECTOR_LANES], &state.of[n][word], sizeof(vector));
            }
        }
    }
    // The messages may be secret.
    wipe(words, sizeof words);
}

/// Stores the digests of the lanes from `lane` on, as far as there are any.
INLINE void store_digests(const struct state *state, uint8_t *digests, size_t lane, size_t count, int vectors) {
    for (int n = 0; n < vectors; n++) {
        vector rows[4];
        weave_rows(rows, state->of[n]);
        for (int row = 0; row < 4; row++) {
            for (int group = 0; group < VECTOR_LANES / 4; group++) {
                const size_t index = lane + n * VECTOR_LANES + 4 * group + row;
                if (index < count) memcpy(digests + 16 * index, (const uint8_t *)&rows[row] + 16 * group, 16);
            }
        }
    }
}

INLINE void start_lanes(struct state *state, const uint32_t start[4], int vectors) {
    for (int n = 0; n < vectors; n++) {
        for (int word = 0; word < 4; word++) state->of[n][word] = (vector){} + start[word];
    }
}

#ifndef PADDED_PART
/// Sixteen bytes of a message from `offset` on, followed by the bit that ends it and zeros. Made in registers,
/// because loading a vector stalls if its pieces were just stored.
INLINE part padded_part(const struct credkit_md5_message *message, size_t offset) {
    // As a number, because a pointer behind a message's end, or behind NULL for an empty message, is undefined.
    const uint8_t *bytes = (const uint8_t *)((uintptr_t)message->bytes + offset);
    const size_t rest = message->length > offset ? message->length - offset : 0;
    uint64_t low = 0, high = 0;
    if (rest >= 16) {
        memcpy(&low, bytes, 8);
        memcpy(&high, bytes + 8, 8);
    } else if (rest >= 8) {
        memcpy(&low, bytes, 8);
        memcpy(&high, bytes + rest - 8, 8);
        // In two steps, because shifting by all bits of a number is undefined.
        high = high >> (8 * (15 - rest)) >> 8 | UINT64_C(0x80) << (8 * (rest - 8));
    } else {
        for (size_t index = 0; index < rest; index++) low |= (uint64_t)bytes[index] << (8 * index);
        if (message->length >= offset) low |= UINT64_C(0x80) << (8 * rest);
    }
    return (part){low, high};
}
#define PADDED_PART padded_part
#endif

/// Words 4 * quad to 4 * quad + 3 of short messages, padded except for the length.
INLINE void load_short_quad(vector words[4], const struct credkit_md5_message *messages, int quad) {
    vector rows[4];
#pragma clang loop unroll(full)
    for (int row = 0; row < 4; row++) {
        quad_words pieces[VECTOR_LANES / 4];
#pragma clang loop unroll(full)
        for (int n = 0; n < VECTOR_LANES / 4; n++) {
            pieces[n] = (quad_words)PADDED_PART(&messages[4 * n + row], 16 * quad);
        }
        rows[row] = JOIN(pieces);
    }
    weave_rows(words, rows);
}

/// Hashes as many short messages as there are lanes in some vectors.
INLINE void hash_short(struct state *state, const uint32_t start[4], uint64_t start_length, struct words *words,
                       const struct credkit_md5_message messages[LANES_AT_ONCE], int vectors) {
    uint32_t bits[LANES_AT_ONCE];
    size_t longest = 0;
    for (size_t n = 0; n < (size_t)vectors * VECTOR_LANES; n++) {
        size_t length = messages[n].length;
        KEEP_SCALAR(length);
        // The data before is whole blocks, so this does not overflow into the upper word.
        bits[n] = (uint32_t)(start_length * 8) + (uint32_t)length * 8;
        longest = length > longest ? length : longest;
    }
    for (int n = 0; n < vectors; n++) {
#pragma clang loop unroll(full)
        for (int quad = 0; quad < 4; quad++) {
            vector *of_quad = &words->of[n][4 * quad];
            // Behind the longest message there are only zeros.
            if (longest >= 16 * (size_t)quad) {
                load_short_quad(of_quad, &messages[n * VECTOR_LANES], quad);
            } else {
                for (int word = 0; word < 4; word++) of_quad[word] = (vector){};
            }
        }
        memcpy(&words->of[n][14], &bits[n * VECTOR_LANES], sizeof(vector));
        words->of[n][15] = (vector){} + (uint32_t)(start_length >> 29);
    }
    start_lanes(state, start, vectors);
    md5_step(state, words, NULL, NULL, 0, vectors);
}

/// Hashes fewer short messages than there are lanes in some vectors.
INLINE void hash_few_short(struct words *words, const uint32_t start[4], uint64_t start_length,
                           const struct credkit_md5_message *messages, size_t count, uint8_t *digests, int vectors) {
    // Unused lanes hash the first message again.
    struct credkit_md5_message filled[LANES_AT_ONCE];
    for (size_t n = 0; n < (size_t)vectors * VECTOR_LANES; n++) filled[n] = messages[n < count ? n : 0];
    struct state state;
    hash_short(&state, start, start_length, words, filled, vectors);
    store_digests(&state, digests, 0, count, vectors);
}

static void md5_short(const uint32_t start[4], uint64_t start_length, const struct credkit_md5_message *messages,
                      size_t count, uint8_t *digests) {
    struct words words;
    struct state state;
    for (; count >= LANES_AT_ONCE; messages += LANES_AT_ONCE, digests += 16 * LANES_AT_ONCE, count -= LANES_AT_ONCE) {
        hash_short(&state, start, start_length, &words, messages, VECTORS_AT_ONCE);
        store_digests(&state, digests, 0, LANES_AT_ONCE, VECTORS_AT_ONCE);
    }
    // A vector alone takes less time than several, most of whose lanes are unused.
    if (count > VECTOR_LANES) {
        hash_few_short(&words, start, start_length, messages, count, digests, VECTORS_AT_ONCE);
    } else if (count > 0) {
        hash_few_short(&words, start, start_length, messages, count, digests, 1);
    }
    wipe(&words, sizeof words);
}

INLINE void hash_digests(struct words *words, const uint32_t start[4], uint64_t start_length, uint8_t *digests,
                         size_t lane, size_t count, int vectors) {
    const uint8_t *sources[LANES_AT_ONCE];
    for (size_t n = 0; n < (size_t)vectors * VECTOR_LANES; n++) {
        sources[n] = digests + 16 * (lane + n < count ? lane + n : lane);
    }
    load_quad(words, sources, 0, 0, vectors);
    const uint64_t bits = (start_length + 16) * 8;
    for (int n = 0; n < vectors; n++) {
        for (int word = 4; word < 14; word++) words->of[n][word] = (vector){} + (word == 4 ? 0x80u : 0u);
        words->of[n][14] = (vector){} + (uint32_t)bits;
        words->of[n][15] = (vector){} + (uint32_t)(bits >> 32);
    }
    struct state state;
    start_lanes(&state, start, vectors);
    md5_step(&state, words, NULL, NULL, 0, vectors);
    store_digests(&state, digests, lane, count, vectors);
}

static void md5_of_digests(const uint32_t start[4], uint64_t start_length, uint8_t *digests, size_t count) {
    struct words words;
    size_t lane = 0;
    for (; lane + VECTOR_LANES < count; lane += LANES_AT_ONCE) {
        hash_digests(&words, start, start_length, digests, lane, count, VECTORS_AT_ONCE);
    }
    if (lane < count) hash_digests(&words, start, start_length, digests, lane, count, 1);
    wipe(&words, sizeof words);
}

#undef JOIN
#undef WEAVE
#undef SECOND
#undef SETTLE
#undef KEEP_SCALAR
#undef STEP
#undef F
#undef G
#undef H
#undef I
#undef INLINE
#undef VECTOR_LANES
#undef VECTOR_BYTES
#undef VECTORS_AT_ONCE
