// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 of secret passwords, with the kernels for large and for small batches.
#include <string.h>

#include "../../../../Sources/CKernels/include/CCredKitPBKDF2.h"
#include "CConstantTime.h"

enum { LANES = CREDKIT_PBKDF2_LANES, LONGEST = 200, KEY = 40 };

static const int never = 0;
static uint8_t passwords[LANES][LONGEST];

static bool derive(const struct credkit_pbkdf2_kernels *kernels, size_t count, uint8_t keys[LANES][KEY]) {
    struct credkit_pbkdf2_input inputs[LANES];
    for (size_t n = 0; n < count; n++) {
        // Shorter and longer than a block.
        inputs[n] = (struct credkit_pbkdf2_input){passwords[n], n * 13, (const uint8_t *)"saltsaltsaltsalt", 16};
    }
    return credkit_pbkdf2_derive(kernels, inputs, count, 3, keys[0], KEY, &never) == CREDKIT_PBKDF2_DONE;
}

static bool is_right_for(size_t count) {
    const struct credkit_pbkdf2_kernels *kernels = credkit_pbkdf2_choose(count);
    uint8_t expected[LANES][KEY], keys[LANES][KEY];
    if (kernels == NULL) return false;
    ct_random_fill(passwords[0], sizeof passwords);
    bool is_right = derive(kernels, count, expected);
    ct_make_secret(passwords, sizeof passwords);
    is_right = derive(kernels, count, keys) && is_right;
    // Otherwise the marks were lost, and silence would prove nothing. The first password is empty.
    is_right = ct_secret_prefix(keys[1], (count - 1) * KEY) == (count - 1) * KEY && is_right;
    ct_make_public(keys, sizeof keys);
    ct_make_public(passwords, sizeof passwords);
    return memcmp(keys, expected, count * KEY) == 0 && is_right;
}

bool ct_pbkdf2(void) { return is_right_for(LANES) && is_right_for(4); }
