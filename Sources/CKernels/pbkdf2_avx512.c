// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 in vectors of sixteen lanes, or eight with SHA-512, with rotations in one instruction.
#if defined(__x86_64__)
#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx2"))), apply_to = function)

#define VECTOR_BYTES 64
#define FUNCTION 1
#include "pbkdf2_lanes.h"
#define FUNCTION 256
#include "pbkdf2_lanes.h"
#define FUNCTION 512
#include "pbkdf2_lanes.h"

pbkdf2_kernels credkit_pbkdf2_avx512 = {
    {"avx512", CREDKIT_PBKDF2_SHA1, VECTOR_LANES_1, 8, iterate_1},
    {"avx512", CREDKIT_PBKDF2_SHA256, VECTOR_LANES_256, 10, iterate_256},
    {"avx512", CREDKIT_PBKDF2_SHA512, VECTOR_LANES_512, 2, iterate_512},
};

#pragma clang attribute pop
#endif
