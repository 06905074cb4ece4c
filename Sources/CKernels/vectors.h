// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_VECTORS_H
#define CREDKIT_VECTORS_H

#include <stddef.h>

/// Returns how many of the first two in a list of kernels, for AVX-512 and for AVX2, this processor cannot run.
static inline size_t unsupported_vectors(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (!__builtin_cpu_supports("avx2")) return 2;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") ? 0 : 1;
#else
    return 0;
#endif
}

#endif
