// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 in vectors of eight lanes, or four with SHA-512.
#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define VECTOR_BYTES 32
#define FUNCTION 1
#include "pbkdf2_lanes.h"
#define FUNCTION 256
#include "pbkdf2_lanes.h"
#define FUNCTION 512
#include "pbkdf2_lanes.h"

pbkdf2_kernels credkit_pbkdf2_avx2 = {
    {"avx2", CREDKIT_PBKDF2_SHA1, VECTOR_LANES_1, 4, iterate_1},
    {"avx2", CREDKIT_PBKDF2_SHA256, VECTOR_LANES_256, 3, iterate_256},
    {"avx2", CREDKIT_PBKDF2_SHA512, VECTOR_LANES_512, 3, iterate_512},
};

#pragma clang attribute pop
#endif
