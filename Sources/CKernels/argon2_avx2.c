// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Argon2 in vectors of four words.
#if defined(__x86_64__)
#include "argon2_reference.h"

#pragma clang attribute push(__attribute__((target("avx2"))), apply_to = function)

#define VECTOR_BYTES 32
#include "argon2_segment.h"

const struct credkit_argon2_kernels credkit_argon2_avx2 = {"avx2", fill_segment, write_block, read_block};

#pragma clang attribute pop
#endif
