// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 of secret passwords, with the kernels for many lanes, for few and for one.
#include <string.h>

#include "../../../../Sources/CKernels/include/CCredKitPBKDF2.h"
#include "CConstantTime.h"

enum { LANES = CREDKIT_PBKDF2_LANES, LONGEST = 200, LONGEST_KEY = 80 };

static const int never = 0;
static uint8_t passwords[LANES][LONGEST];

static bool derive(const struct credkit_pbkdf2_set *set, size_t count, uint8_t *keys, size_t key_length) {
    struct credkit_pbkdf2_input inputs[LANES];
    for (size_t n = 0; n < count; n++) {
        // Shorter and longer than a block. A single password is not empty.
        const size_t length = count == 1 ? 20 : n * 13;
        inputs[n] = (struct credkit_pbkdf2_input){passwords[n], length, (const uint8_t *)"saltsaltsaltsalt", 16};
    }
    return credkit_pbkdf2_derive(set, inputs, count, 3, keys, key_length, &never) == CREDKIT_PBKDF2_DONE;
}

/// Keys of a bit more than a digest take two lanes each, shorter ones take one.
static bool is_right_for(int function, size_t count, size_t key_length) {
    const struct credkit_pbkdf2_set *set = credkit_pbkdf2_choose(function);
    uint8_t expected[LANES * LONGEST_KEY], keys[LANES * LONGEST_KEY];
    if (set == NULL) return false;
    ct_random_fill(passwords[0], sizeof passwords);
    bool is_right = derive(set, count, expected, key_length);
    ct_make_secret(passwords, sizeof passwords);
    is_right = derive(set, count, keys, key_length) && is_right;
    // Otherwise the marks were lost, and silence would prove nothing. Of several passwords the first is empty.
    const size_t empty = count == 1 ? 0 : key_length, secret = count * key_length - empty;
    is_right = ct_secret_prefix(keys + empty, secret) == secret && is_right;
    ct_make_public(keys, sizeof keys);
    ct_make_public(passwords, sizeof passwords);
    return memcmp(keys, expected, count * key_length) == 0 && is_right;
}

bool ct_pbkdf2(void) {
    bool is_right = true;
    for (int function = 0; function < CREDKIT_PBKDF2_FUNCTIONS; function++) {
        const size_t digest = credkit_pbkdf2_digest_size(function);
        is_right = is_right_for(function, LANES, digest + 8) && is_right_for(function, 4, digest) &&
                   is_right_for(function, 1, digest) && is_right;
    }
    return is_right;
}
