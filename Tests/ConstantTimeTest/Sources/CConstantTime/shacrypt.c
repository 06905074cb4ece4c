// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-crypt of secret passwords, in lanes and alone. How often it hashes the salt is declassified: its specification takes that
// from a digest of the password.
#include <string.h>

#include "../../../../Sources/CKernels/include/CCredKitSHACrypt.h"
#include "CConstantTime.h"

enum { LANES = CREDKIT_SHACRYPT_LANES, LONGEST = CREDKIT_SHACRYPT_PASSWORD, ROUNDS = 45 };

static const int never = 0;
static uint8_t passwords[LANES][LONGEST];

static bool derive(const struct credkit_shacrypt_kernels *kernels, size_t count, uint8_t *digests) {
    struct credkit_shacrypt_input inputs[LANES];
    for (size_t n = 0; n < count; n++) {
        // Of one and several blocks.
        inputs[n] = (struct credkit_shacrypt_input){passwords[n], LONGEST - n * 8, (const uint8_t *)"saltsaltsaltsalt", 16, ROUNDS};
    }
    return credkit_shacrypt_derive(kernels, inputs, count, digests, &never) == CREDKIT_SHACRYPT_DONE;
}

static bool is_right_for(int variant, size_t count) {
    const struct credkit_shacrypt_kernels *kernels = credkit_shacrypt_choose(variant);
    const size_t size = count * (variant == CREDKIT_SHA512_CRYPT ? 64 : 32);
    uint8_t expected[LANES * CREDKIT_SHACRYPT_DIGEST], digests[LANES * CREDKIT_SHACRYPT_DIGEST];
    if (kernels == NULL) return false;
    ct_random_fill(passwords[0], sizeof passwords);
    bool is_right = derive(kernels, count, expected);
    ct_make_secret(passwords, sizeof passwords);
    is_right = derive(kernels, count, digests) && is_right;
    // Otherwise the marks were lost, and silence would prove nothing.
    is_right = ct_secret_prefix(digests, size) == size && is_right;
    ct_make_public(digests, sizeof digests);
    ct_make_public(passwords, sizeof passwords);
    return memcmp(digests, expected, size) == 0 && is_right;
}

bool ct_shacrypt(void) {
    bool is_right = true;
    for (int variant = CREDKIT_SHA256_CRYPT; variant <= CREDKIT_SHA512_CRYPT; variant++) {
        is_right = is_right_for(variant, LANES) && is_right_for(variant, 1) && is_right;
    }
    return is_right;
}
