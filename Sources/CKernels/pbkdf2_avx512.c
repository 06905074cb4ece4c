// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 in vectors of sixteen passwords, with rotations in one instruction.
#if defined(__x86_64__)
#include "CCredKitPBKDF2.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx2"))), apply_to = function)

#define VECTOR_BYTES 64
#include "pbkdf2_lanes.h"

const struct credkit_pbkdf2_kernels credkit_pbkdf2_avx512 = {"avx512", 14, iterate};

#pragma clang attribute pop
#endif
