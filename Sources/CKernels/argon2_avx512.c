// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Argon2 in vectors of eight words, with rotations in one instruction.
#if defined(__x86_64__)
#include "argon2_reference.h"

#pragma clang attribute push(__attribute__((target("avx512f,avx512vl,avx512bw,avx2"))), apply_to = function)

#define VECTOR_BYTES 64
#include "argon2_segment.h"

const struct credkit_argon2_kernels credkit_argon2_avx512 = {"avx512", fill_segment, write_block, read_block};

#pragma clang attribute pop
#endif
