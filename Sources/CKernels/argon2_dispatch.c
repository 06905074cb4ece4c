// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Selects the kernels of Argon2. Kernels that fail the known answers are never used.
#include <stdlib.h>
#include <string.h>

#include "CCredKitArgon2.h"
#include "argon2_answers.h"
#include "vectors.h"

enum { ANSWERS = sizeof argon2_answers / sizeof argon2_answers[0] };

static const struct credkit_argon2_kernels *chosen;
static const char *rejected;
/// A bit for each of the supported kernels that has failed its test, and is not tested again.
static unsigned failed;

const struct credkit_argon2_kernels *const *credkit_argon2_supported(size_t *count) {
    static const struct credkit_argon2_kernels *const all[] = {
#if defined(__x86_64__)
        &credkit_argon2_avx512, &credkit_argon2_avx2,
#endif
        &credkit_argon2_portable,
    };
    const size_t first = unsupported_vectors();
    *count = sizeof all / sizeof all[0] - first;
    return all + first;
}

static size_t most_memory(void) {
    size_t most = 0;
    for (size_t index = 0; index < ANSWERS; index++) {
        const size_t size = (size_t)argon2_answers[index].memory_kib * 1024;
        if (size > most) most = size;
    }
    return most;
}

static int is_computed(const struct credkit_argon2_kernels *kernels, const struct argon2_answer *answer,
                       uint8_t *memory) {
    static const int is_cancelled = 0;
    uint8_t bytes[4][32], tag[sizeof answer->tag] = {0};
    for (int part = 0; part < 4; part++) memset(bytes[part], part + 1, sizeof bytes[part]);
    const struct credkit_argon2_input input = {
        .type = answer->type,
        .version = answer->version,
        .lanes = answer->lanes,
        .memory_kib = answer->memory_kib,
        .passes = answer->passes,
        .password = {bytes[0], 32},
        .salt = {bytes[1], 16},
        .secret = {bytes[2], 8},
        .data = {bytes[3], 12},
    };
    return credkit_argon2_derive(kernels, &input, memory, tag, sizeof tag, &is_cancelled) == CREDKIT_ARGON2_DONE &&
           memcmp(tag, answer->tag, sizeof tag) == 0;
}

int credkit_argon2_passes_test(const struct credkit_argon2_kernels *kernels) {
    const size_t size = most_memory();
    uint8_t *memory = credkit_arena_map(size);
    if (memory == NULL) return -1;
    int passes = 1;
    for (size_t index = 0; passes && index < ANSWERS; index++) {
        passes = is_computed(kernels, &argon2_answers[index], memory);
    }
    credkit_arena_unmap(memory, size);
    return passes;
}

/// Returns whether an environment variable's value allows kernels. The kernels of other functions that need SSSE3 have no
/// counterpart here.
static int is_allowed(const char *name, const struct credkit_argon2_kernels *const *supported, size_t count,
                      size_t index) {
    if (name == NULL) return 1;
    if (strcmp(name, "ssse3") == 0) name = "portable";
    size_t named = 0;
    while (named < count && strcmp(name, supported[named]->name) != 0) named++;
    return named == count || index >= named;
}

const struct credkit_argon2_kernels *credkit_argon2_choose(void) {
    const struct credkit_argon2_kernels *kernels = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
    if (kernels != NULL) return kernels;
    const char *name = secure_getenv("CREDKIT_KERNELS");
    if (name != NULL && strcmp(name, "reference") == 0) return NULL;
    size_t count;
    const struct credkit_argon2_kernels *const *supported = credkit_argon2_supported(&count);
    for (size_t index = 0; index < count; index++) {
        if (!is_allowed(name, supported, count, index)) continue;
        if (__atomic_load_n(&failed, __ATOMIC_ACQUIRE) & 1u << index) continue;
        const int passes = credkit_argon2_passes_test(supported[index]);
        // Without memory for the test there is no answer yet.
        if (passes < 0) return NULL;
        // Another thread may have seen these kernels fail.
        if (passes && !(__atomic_load_n(&failed, __ATOMIC_ACQUIRE) & 1u << index)) {
            const struct credkit_argon2_kernels *none = NULL;
            __atomic_compare_exchange_n(&chosen, &none, supported[index], 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
            return none == NULL ? supported[index] : none;
        }
        __atomic_fetch_or(&failed, 1u << index, __ATOMIC_ACQ_REL);
        if (__atomic_load_n(&rejected, __ATOMIC_RELAXED) == NULL) {
            __atomic_store_n(&rejected, supported[index]->name, __ATOMIC_RELEASE);
        }
    }
    return NULL;
}

const char *credkit_argon2_rejected(void) { return __atomic_load_n(&rejected, __ATOMIC_ACQUIRE); }
