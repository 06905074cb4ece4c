// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// bcrypt (Provos and Mazières, "A Future-Adaptable Password Scheme", 1999) without its rounds, which the kernels compute.
#include <string.h>

#include "CCredKitBcrypt.h"
#include "bcrypt_pi.h"

enum { P_WORDS = 18, SALT = CREDKIT_BCRYPT_SALT, DIGEST = CREDKIT_BCRYPT_DIGEST };

static uint32_t word_of(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

static void encrypt(const struct credkit_bcrypt_state *state, uint32_t pair[2]) {
    uint32_t left = pair[0] ^ state->p[0], right = pair[1];
    for (int round = 1; round <= 16; round++) {
        const uint32_t next = right ^ state->p[round] ^
                              (((state->s[0][left >> 24] + state->s[1][left >> 16 & 255]) ^ state->s[2][left >> 8 & 255]) +
                               state->s[3][left & 255]);
        right = left;
        left = next;
    }
    pair[0] = right ^ state->p[17];
    pair[1] = left;
}

/// The key schedule that mixes in the salt as well.
static void expand(struct credkit_bcrypt_lane *lane) {
    struct credkit_bcrypt_state *state = &lane->state;
    uint32_t pair[2] = {0, 0};
    for (int n = 0; n < P_WORDS; n++) state->p[n] ^= lane->key[n];
    for (int n = 0; n < P_WORDS + 1024; n += 2) {
        // Two halves of the salt in turn.
        pair[0] ^= lane->salt[n % 4], pair[1] ^= lane->salt[n % 4 + 1];
        encrypt(state, pair);
        memcpy(n < P_WORDS ? &state->p[n] : &state->s[0][0] + (n - P_WORDS), pair, sizeof pair);
    }
    explicit_bzero(pair, sizeof pair);
}

/// Overwrites the stack below the caller, where the states of the lanes were.
static __attribute__((noinline)) void wipe_stack(void) {
    uint8_t bytes[20480];
    explicit_bzero(bytes, sizeof bytes);
}

/// Makes the key as old versions of crypt_blowfish did, whose characters were signed: one beyond ASCII covers those before it in
/// its word. Returns the bit by which 2a begins with another state, for the passwords with such a character whose keys are
/// nevertheless equal: otherwise they would be as weak.
static uint32_t make_signed_key(const uint8_t *bytes, const uint32_t *key, uint32_t *signed_key) {
    uint32_t difference = 0, sign = 0;
    for (int n = 0; n < P_WORDS; n++) {
        uint32_t word = 0;
        for (int byte = 0; byte < 4; byte++) {
            word = word << 8 | (uint32_t)(int32_t)(int8_t)bytes[4 * n + byte];
            if (byte > 0) sign |= word & 0x80;
        }
        difference |= word ^ key[n];
        signed_key[n] = word;
    }
    // Whether there is a difference, without a branch.
    const uint32_t is_different = (difference | (0 - difference)) >> 31;
    return sign << 9 & (is_different - 1);
}

void credkit_bcrypt_prepare(struct credkit_bcrypt_lane *lane, uint8_t variant, const uint8_t *password, size_t length,
                            const uint8_t *salt, unsigned cost) {
    // The password as a C string, NUL included, again and again.
    uint8_t bytes[4 * P_WORDS];
    size_t position = 0;
    for (size_t n = 0; n < sizeof bytes; n++) {
        bytes[n] = position < length ? password[position] : 0;
        position = bytes[n] == 0 ? 0 : position + 1;
    }
    for (int n = 0; n < P_WORDS; n++) {
        lane->key[n] = word_of(bytes + 4 * n);
        lane->salt[n] = word_of(salt + 4 * n % SALT);
    }
    uint32_t signed_key[P_WORDS];
    const uint32_t sign = make_signed_key(bytes, lane->key, signed_key);
    if (variant == 'x') memcpy(lane->key, signed_key, sizeof lane->key);
    memcpy(lane->state.p, bcrypt_pi, sizeof lane->state.p);
    if (variant == 'a') lane->state.p[0] ^= sign;
    memcpy(lane->state.s, bcrypt_pi + P_WORDS, sizeof lane->state.s);
    lane->rounds = (uint32_t)1 << cost;
    expand(lane);
    explicit_bzero(bytes, sizeof bytes);
    explicit_bzero(signed_key, sizeof signed_key);
    wipe_stack();
}

void credkit_bcrypt_advance(const struct credkit_bcrypt_kernels *kernels, struct credkit_bcrypt_lane *const *lanes,
                            size_t count, uint32_t rounds) {
    uint32_t done = 0;
    while (done < rounds) {
        struct credkit_bcrypt_lane *running[CREDKIT_BCRYPT_LANES];
        size_t left = 0;
        uint32_t common = rounds - done;
        for (size_t lane = 0; lane < count; lane++) {
            if (lanes[lane]->rounds == 0) continue;
            running[left++] = lanes[lane];
            if (lanes[lane]->rounds < common) common = lanes[lane]->rounds;
        }
        if (left == 0) break;
        kernels->advance(running, left, common);
        for (size_t lane = 0; lane < left; lane++) running[lane]->rounds -= common;
        done += common;
    }
    wipe_stack();
}

void credkit_bcrypt_finish(struct credkit_bcrypt_lane *lane, uint8_t *digest) {
    static const uint8_t text[] = "OrpheanBeholderScryDoubt";
    for (size_t n = 0; n < 6; n += 2) {
        uint32_t pair[2] = {word_of(text + 4 * n), word_of(text + 4 * n + 4)};
        for (int round = 0; round < 64; round++) encrypt(&lane->state, pair);
        // The last byte is left out.
        for (size_t byte = 0; byte < 8 && 4 * n + byte < DIGEST; byte++) {
            digest[4 * n + byte] = (uint8_t)(pair[byte / 4] >> (24 - byte % 4 * 8));
        }
    }
    credkit_bcrypt_wipe(lane);
    wipe_stack();
}

void credkit_bcrypt_wipe(struct credkit_bcrypt_lane *lane) { explicit_bzero(lane, sizeof *lane); }
