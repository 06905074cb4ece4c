// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-crypt in vectors of four lanes, and of one lane with rotations into another register.
#if defined(__x86_64__)
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#pragma clang attribute push(__attribute__((target("avx2,bmi,bmi2"))), apply_to = function)

#define VECTOR_BYTES 32
#define LEAST_LANES 3
#include "shacrypt_256.h"
#include "shacrypt_512.h"

const struct credkit_shacrypt_kernels credkit_sha256_crypt_avx2 = {
    "avx2", CREDKIT_SHA256_CRYPT, 1, 1, compress_block_256, advance_256,
};
const struct credkit_shacrypt_kernels credkit_sha512_crypt_avx2 = {
    "avx2", CREDKIT_SHA512_CRYPT, VECTOR_LANES, LEAST_LANES, compress, advance,
};

#pragma clang attribute pop
#endif
