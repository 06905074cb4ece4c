// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// scrypt with rotations in one instruction: one, two and four lanes in one chain of vectors.
#if defined(__x86_64__)
#include "scrypt_lanes.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx2"))), apply_to = function)

#define LANES 1
#define NAME(name) name##_1
#define VECTOR_BYTES 16
#include "scrypt_vectors.h"

#define LANES 2
#define NAME(name) name##_2
#define VECTOR_BYTES 32
#include "scrypt_vectors.h"

#define LANES 4
#define NAME(name) name##_4
#define VECTOR_BYTES 64
#include "scrypt_vectors.h"

#include "scrypt_counts.h"

const struct credkit_scrypt_kernels credkit_scrypt_avx512 = {"avx512", 1, fill, mix};

#pragma clang attribute pop
#endif
