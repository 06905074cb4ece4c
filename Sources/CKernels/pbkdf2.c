// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The lanes of PBKDF2: from passwords and salts to keys. The kernels compute the iterations.
#include <string.h>

#include "CCredKitPBKDF2.h"
#include "pbkdf2_kernels.h"

enum {
    LANES = CREDKIT_PBKDF2_LANES,
    DIGEST = CREDKIT_PBKDF2_DIGEST,
    /// The number of iterations, of all lanes together, between two looks at the flag. The slowest kernels take less than 5 ms
    /// for them.
    ITERATIONS_AT_ONCE = 4096,
};

size_t credkit_pbkdf2_digest_size(int function) {
    return function == CREDKIT_PBKDF2_SHA1 ? 20 : function == CREDKIT_PBKDF2_SHA256 ? 32 : 64;
}

/// Overwrites the stack below the caller, where kernels and OpenSSL have left what did not fit into registers: 4 KiB at most
/// in a release, 14 KiB without optimization.
static __attribute__((noinline)) void wipe_stack(void) {
    uint8_t bytes[16384];
    explicit_bzero(bytes, sizeof bytes);
}

void credkit_pbkdf2_prepare(struct credkit_pbkdf2_lane *lane, int function, const struct credkit_pbkdf2_input *input,
                            uint32_t number, uint32_t iterations) {
    *lane = (struct credkit_pbkdf2_lane){.rest = iterations - 1, .function = function};
    credkit_pbkdf2_begin[function](lane, input, number);
    wipe_stack();
}

const struct credkit_pbkdf2_kernels *credkit_pbkdf2_next(const struct credkit_pbkdf2_set *set, size_t count,
                                                         size_t *taken) {
    size_t index = 0;
    while (index + 1 < set->count && count < set->kernels[index]->least_count) index++;
    const struct credkit_pbkdf2_kernels *kernels = set->kernels[index];
    // Four lanes by kernels for three are two and two. Wide kernels are filled; others may compute the rest.
    const size_t width = kernels->width, groups = (count + width - 1) / width;
    *taken = kernels->least_count == 1 ? (count + groups - 1) / groups : count < width ? count : width;
    return kernels;
}

void credkit_pbkdf2_advance(const struct credkit_pbkdf2_set *set, struct credkit_pbkdf2_lane *const *lanes,
                            size_t count, uint32_t iterations) {
    struct credkit_pbkdf2_lane *unfinished[LANES];
    while (iterations > 0) {
        size_t left = 0, taken;
        uint32_t step = iterations;
        for (size_t n = 0; n < count && left < LANES; n++) {
            if (lanes[n]->rest == 0) continue;
            unfinished[left++] = lanes[n];
            if (lanes[n]->rest < step) step = lanes[n]->rest;
        }
        if (left == 0) break;
        for (struct credkit_pbkdf2_lane **next = unfinished; left > 0; next += taken, left -= taken) {
            credkit_pbkdf2_next(set, left, &taken)->iterate(next, taken, step);
            for (size_t n = 0; n < taken; n++) next[n]->rest -= step;
        }
        iterations -= step;
    }
    wipe_stack();
}

void credkit_pbkdf2_finish(struct credkit_pbkdf2_lane *lane, uint8_t *digest) {
    if (lane->function == CREDKIT_PBKDF2_SHA512) {
        for (int n = 0; n < 8; n++) lane->sum.wide[n] = __builtin_bswap64(lane->sum.wide[n]);
    } else {
        for (int n = 0; n < 8; n++) lane->sum.narrow[n] = __builtin_bswap32(lane->sum.narrow[n]);
    }
    memcpy(digest, &lane->sum, credkit_pbkdf2_digest_size(lane->function));
    credkit_pbkdf2_wipe(lane);
}

void credkit_pbkdf2_wipe(struct credkit_pbkdf2_lane *lane) { explicit_bzero(lane, sizeof *lane); }

/// Blocks of keys, numbered through all keys.
struct blocks {
    size_t next, count, of_key, digest_size;
};

/// Derives up to LANES blocks from `next` on.
static int derive_blocks(const struct credkit_pbkdf2_set *set, const struct blocks *blocks,
                         const struct credkit_pbkdf2_input *inputs, uint32_t iterations, uint8_t *keys,
                         size_t key_length, const int *is_cancelled) {
    struct credkit_pbkdf2_lane lanes[LANES], *pointers[LANES];
    uint8_t digest[DIGEST];
    const size_t left = blocks->count - blocks->next, count = left < LANES ? left : LANES;
    for (size_t n = 0; n < count; n++) {
        const size_t block = blocks->next + n;
        pointers[n] = &lanes[n];
        credkit_pbkdf2_prepare(&lanes[n], set->kernels[0]->function, &inputs[block / blocks->of_key],
                               (uint32_t)(block % blocks->of_key) + 1, iterations);
    }
    int status = CREDKIT_PBKDF2_DONE;
    while (lanes[0].rest > 0 && status == CREDKIT_PBKDF2_DONE) {
        if (__atomic_load_n(is_cancelled, __ATOMIC_RELAXED)) {
            status = CREDKIT_PBKDF2_CANCELLED;
        } else {
            credkit_pbkdf2_advance(set, pointers, count, ITERATIONS_AT_ONCE / (uint32_t)count);
        }
    }
    for (size_t n = 0; n < count; n++) {
        const size_t block = blocks->next + n, offset = block % blocks->of_key * blocks->digest_size;
        const size_t rest = key_length - offset;
        credkit_pbkdf2_finish(&lanes[n], digest);
        memcpy(keys + block / blocks->of_key * key_length + offset, digest,
               rest < blocks->digest_size ? rest : blocks->digest_size);
    }
    explicit_bzero(digest, sizeof digest);
    return status;
}

int credkit_pbkdf2_derive(const struct credkit_pbkdf2_set *set, const struct credkit_pbkdf2_input *inputs,
                          size_t count, uint32_t iterations, uint8_t *keys, size_t key_length,
                          const int *is_cancelled) {
    struct blocks blocks = {.digest_size = credkit_pbkdf2_digest_size(set->kernels[0]->function)};
    blocks.of_key = (key_length + blocks.digest_size - 1) / blocks.digest_size;
    blocks.count = count * blocks.of_key;
    int status = CREDKIT_PBKDF2_DONE;
    for (; blocks.next < blocks.count && status == CREDKIT_PBKDF2_DONE; blocks.next += LANES) {
        status = derive_blocks(set, &blocks, inputs, iterations, keys, key_length, is_cancelled);
    }
    return status;
}
