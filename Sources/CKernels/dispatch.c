// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Selects the kernels: finds those that this processor supports, and chooses one of them.

#include <stdlib.h>
#include <string.h>

#include "CCredKitKernels.h"

const struct credkit_kernels *const *credkit_kernels_supported(size_t *count) {
    static const struct credkit_kernels *const all[] = {
#if defined(__x86_64__)
        &credkit_kernels_avx512, &credkit_kernels_avx2, &credkit_kernels_ssse3,
#endif
        &credkit_kernels_portable,
    };
    size_t first = 0;
#if defined(__x86_64__)
    // A processor that supports one of these supports those after it. The runtime library queries the processor, and
    // whether the system saves the registers.
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("bmi2") &&
        __builtin_cpu_supports("avx2")) {
        first = 0;
    } else if (__builtin_cpu_supports("avx2")) {
        first = 1;
    } else if (__builtin_cpu_supports("ssse3")) {
        first = 2;
    } else {
        first = 3;
    }
#endif
    *count = sizeof all / sizeof all[0] - first;
    return all + first;
}

const struct credkit_kernels *credkit_kernels_choose(void) {
    size_t count;
    const struct credkit_kernels *const *supported = credkit_kernels_supported(&count);
    const struct credkit_kernels *chosen = supported[0];
    const char *name = secure_getenv("CREDKIT_KERNELS");
    for (size_t index = 0; name != NULL && index < count; index++) {
        if (strcmp(name, supported[index]->name) == 0) chosen = supported[index];
    }
    // Concurrent calls choose the same kernels.
    __atomic_store_n(&credkit_chosen_kernels, chosen, __ATOMIC_RELEASE);
    return chosen;
}

// Placeholders that choose the kernels on the first call, so that no later call needs to check whether they are
// chosen.
static ptrdiff_t encode(const uint8_t *source, size_t length, uint8_t *target, size_t room, unsigned form) {
    return credkit_kernels_choose()->base64_encode(source, length, target, room, form);
}

static size_t decode(const uint8_t *source, size_t groups, uint8_t *target, unsigned form) {
    return credkit_kernels_choose()->base64_decode(source, groups, target, form);
}

static ptrdiff_t decode_text(const uint8_t *source, size_t length, uint8_t *target, unsigned form) {
    return credkit_kernels_choose()->base64_decode_text(source, length, target, form);
}

static void md5_blocks(uint32_t states[4][CREDKIT_MD5_LANES], const uint8_t *const blocks[CREDKIT_MD5_LANES],
                       size_t lanes, size_t count) {
    credkit_kernels_choose()->md5_blocks(states, blocks, lanes, count);
}

static void md5_short(const uint32_t start[4], uint64_t start_length, const struct credkit_md5_message *messages,
                      size_t count, uint8_t *digests) {
    credkit_kernels_choose()->md5_short(start, start_length, messages, count, digests);
}

static void md5_of_digests(const uint32_t start[4], uint64_t start_length, uint8_t *digests, size_t count) {
    credkit_kernels_choose()->md5_of_digests(start, start_length, digests, count);
}

static const struct credkit_kernels choosing = {"choosing", encode,    decode,        decode_text,
                                                md5_blocks, md5_short, md5_of_digests};

const struct credkit_kernels *credkit_chosen_kernels = &choosing;
