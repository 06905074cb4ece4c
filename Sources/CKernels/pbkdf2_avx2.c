// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 in vectors of eight passwords.
#if defined(__x86_64__)
#include "CCredKitPBKDF2.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define VECTOR_BYTES 32
#include "pbkdf2_lanes.h"

const struct credkit_pbkdf2_kernels credkit_pbkdf2_avx2 = {"avx2", 4, iterate};

#pragma clang attribute pop
#endif
