// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-crypt with SHA-512 in vectors of four lanes, and of one lane with rotations into another register.
#if defined(__x86_64__)
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)

#define VECTOR_BYTES 32
#define LEAST_LANES 3
#include "shacrypt_512.h"

const struct credkit_shacrypt_kernels credkit_sha512_crypt_avx2 = {
    "avx2", CREDKIT_SHA512_CRYPT, VECTOR_LANES, LEAST_LANES, compress, advance,
};

#pragma clang attribute pop
#endif
