// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 with HMAC-SHA-256 without its iterations, which the kernels compute.
#include <string.h>

#include "CCredKitPBKDF2.h"
#include "sha256.h"

enum {
    LANES = CREDKIT_PBKDF2_LANES,
    BLOCK = SHA256_BLOCK,
    DIGEST = SHA256_DIGEST,
    /// The number of iterations between two looks at the flag. The slowest kernels take 5 ms for them.
    ITERATIONS_AT_ONCE = 1000,
};

static void set_lane(struct credkit_pbkdf2_lanes *lanes, size_t lane, const uint32_t state[8]) {
    for (int word = 0; word < 8; word++) lanes->words[word][lane] = state[word];
}

static void get_lane(uint32_t state[8], const struct credkit_pbkdf2_lanes *lanes, size_t lane) {
    for (int word = 0; word < 8; word++) state[word] = lanes->words[word][lane];
}

/// Sets one state of HMAC (RFC 2104, section 2).
static void set_key(struct credkit_pbkdf2_lanes *lanes, size_t lane, const uint8_t key[BLOCK], uint8_t mask) {
    uint8_t block[BLOCK];
    for (int n = 0; n < BLOCK; n++) block[n] = key[n] ^ mask;
    struct sha256 hash;
    credkit_sha256_begin(&hash, credkit_sha256_start, 0);
    credkit_sha256_add(&hash, block, BLOCK);
    set_lane(lanes, lane, hash.state);
    explicit_bzero(block, sizeof block);
    explicit_bzero(&hash, sizeof hash);
}

static void set_keys(struct credkit_pbkdf2_state *state, size_t lane, const struct credkit_pbkdf2_input *input) {
    uint8_t key[BLOCK] = {0};
    if (input->password_length > BLOCK) {
        struct sha256 hash;
        credkit_sha256_begin(&hash, credkit_sha256_start, 0);
        credkit_sha256_add(&hash, input->password, input->password_length);
        credkit_sha256_end(&hash);
        credkit_sha256_digest(hash.state, key);
        explicit_bzero(&hash, sizeof hash);
    } else if (input->password_length > 0) {
        memcpy(key, input->password, input->password_length);
    }
    set_key(&state->inner, lane, key, 0x36);
    set_key(&state->outer, lane, key, 0x5c);
    explicit_bzero(key, sizeof key);
}

/// The first iteration: HMAC of the salt and the number of a digest of the key.
static void begin(struct credkit_pbkdf2_state *state, size_t lane, const struct credkit_pbkdf2_input *input,
                  uint32_t number) {
    struct sha256 hash;
    uint32_t start[8];
    uint8_t digest[DIGEST];
    get_lane(start, &state->inner, lane);
    credkit_sha256_begin(&hash, start, BLOCK);
    credkit_sha256_add(&hash, input->salt, input->salt_length);
    const uint32_t swapped = __builtin_bswap32(number);
    credkit_sha256_add(&hash, (const uint8_t *)&swapped, sizeof swapped);
    credkit_sha256_end(&hash);
    credkit_sha256_digest(hash.state, digest);
    get_lane(start, &state->outer, lane);
    credkit_sha256_begin(&hash, start, BLOCK);
    credkit_sha256_add(&hash, digest, DIGEST);
    credkit_sha256_end(&hash);
    set_lane(&state->last, lane, hash.state);
    set_lane(&state->sum, lane, hash.state);
    explicit_bzero(&hash, sizeof hash);
    explicit_bzero(start, sizeof start);
    explicit_bzero(digest, sizeof digest);
}

/// Overwrites the stack below the caller, where kernels have left what did not fit into registers: 3 KiB at most in a
/// release, 5 KiB without optimization.
static __attribute__((noinline)) void wipe_stack(void) {
    uint8_t bytes[8192];
    explicit_bzero(bytes, sizeof bytes);
}

static int iterate(const struct credkit_pbkdf2_kernels *kernels, struct credkit_pbkdf2_state *state, size_t lanes,
                   uint32_t iterations, const int *is_cancelled) {
    while (iterations > 0) {
        if (__atomic_load_n(is_cancelled, __ATOMIC_RELAXED)) return CREDKIT_PBKDF2_CANCELLED;
        const uint32_t count = iterations < ITERATIONS_AT_ONCE ? iterations : ITERATIONS_AT_ONCE;
        kernels->iterate(state, lanes, count);
        iterations -= count;
    }
    return CREDKIT_PBKDF2_DONE;
}

int credkit_pbkdf2_derive(const struct credkit_pbkdf2_kernels *kernels, const struct credkit_pbkdf2_input *inputs,
                          size_t count, uint32_t iterations, uint8_t *keys, size_t key_length,
                          const int *is_cancelled) {
    // Unused lanes compute with zeros.
    struct credkit_pbkdf2_state state = {0};
    uint8_t digest[DIGEST];
    uint32_t words[8];
    int status = CREDKIT_PBKDF2_DONE;
    for (size_t lane = 0; lane < count; lane++) set_keys(&state, lane, &inputs[lane]);
    for (size_t offset = 0; offset < key_length && status == CREDKIT_PBKDF2_DONE; offset += DIGEST) {
        for (size_t lane = 0; lane < count; lane++) begin(&state, lane, &inputs[lane], (uint32_t)(offset / DIGEST) + 1);
        status = iterate(kernels, &state, count, iterations - 1, is_cancelled);
        const size_t rest = key_length - offset;
        for (size_t lane = 0; lane < count; lane++) {
            get_lane(words, &state.sum, lane);
            credkit_sha256_digest(words, digest);
            memcpy(keys + lane * key_length + offset, digest, rest < DIGEST ? rest : DIGEST);
        }
    }
    explicit_bzero(&state, sizeof state);
    explicit_bzero(digest, sizeof digest);
    explicit_bzero(words, sizeof words);
    wipe_stack();
    return status;
}
