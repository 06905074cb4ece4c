// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Selects the kernels of PBKDF2. Kernels that fail the known answer are never used.
#include <stdlib.h>
#include <string.h>

#include "CCredKitPBKDF2.h"
#include "pbkdf2_answers.h"
#include "sha256.h"

enum { LANES = CREDKIT_PBKDF2_LANES, KEY = PBKDF2_ANSWER_KEY };

/// A bit for each of the supported kernels that has passed its test, or has failed it. Failures are not tested again.
static unsigned passed, failed;
/// The index of the first supported kernels that the environment variable allows, plus 1; 0 before the first call.
static unsigned first_allowed;
static const char *rejected;

const struct credkit_pbkdf2_kernels *const *credkit_pbkdf2_supported(size_t *count) {
    static const struct credkit_pbkdf2_kernels *all[4];
    static unsigned all_count;
    unsigned found = __atomic_load_n(&all_count, __ATOMIC_ACQUIRE);
    // Concurrent calls write the same list.
    if (found == 0) {
#if defined(__x86_64__)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2")) {
            __atomic_store_n(&all[found++], &credkit_pbkdf2_avx512, __ATOMIC_RELAXED);
        }
        if (credkit_pbkdf2_has_sha()) __atomic_store_n(&all[found++], &credkit_pbkdf2_sha, __ATOMIC_RELAXED);
        if (__builtin_cpu_supports("avx2")) __atomic_store_n(&all[found++], &credkit_pbkdf2_avx2, __ATOMIC_RELAXED);
#endif
        __atomic_store_n(&all[found++], &credkit_pbkdf2_portable, __ATOMIC_RELAXED);
        __atomic_store_n(&all_count, found, __ATOMIC_RELEASE);
    }
    *count = found;
    return all;
}

int credkit_pbkdf2_passes_test(const struct credkit_pbkdf2_kernels *kernels) {
    static const int is_cancelled = 0;
    uint8_t passwords[LANES][300], salts[LANES][9 * LANES], keys[LANES][KEY], fewer[LANES / 2][KEY];
    struct credkit_pbkdf2_input inputs[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        for (size_t n = 0; n < sizeof passwords[0]; n++) passwords[lane][n] = (uint8_t)(lane + n);
        for (size_t n = 0; n < sizeof salts[0]; n++) salts[lane][n] = (uint8_t)(7 * lane + n);
        inputs[lane] = (struct credkit_pbkdf2_input){passwords[lane], pbkdf2_answer_lengths[lane], salts[lane], 9 * lane};
    }
    credkit_pbkdf2_derive(kernels, inputs, LANES, PBKDF2_ANSWER_ITERATIONS, keys[0], KEY, &is_cancelled);
    struct sha256 hash;
    uint8_t digest[SHA256_DIGEST];
    credkit_sha256_begin(&hash, credkit_sha256_start, 0);
    credkit_sha256_add(&hash, keys[0], sizeof keys);
    credkit_sha256_end(&hash);
    credkit_sha256_digest(hash.state, digest);
    if (memcmp(digest, pbkdf2_answer, sizeof digest) != 0) return 0;
    for (size_t count = 1; count <= LANES / 2; count++) {
        credkit_pbkdf2_derive(kernels, inputs, count, PBKDF2_ANSWER_ITERATIONS, fewer[0], KEY, &is_cancelled);
        if (memcmp(fewer, keys, count * KEY) != 0) return 0;
    }
    return 1;
}

/// Returns the index of the fastest kernels that the environment variable allows; the count if it allows none. The kernels
/// of other functions that need SSSE3 have no counterpart here.
static size_t find_first_allowed(const struct credkit_pbkdf2_kernels *const *supported, size_t count) {
    const char *name = secure_getenv("CREDKIT_KERNELS");
    if (name == NULL) return 0;
    if (strcmp(name, "reference") == 0) return count;
    if (strcmp(name, "ssse3") == 0) name = "portable";
    size_t named = 0;
    while (named < count && strcmp(name, supported[named]->name) != 0) named++;
    return named == count ? 0 : named;
}

static int is_usable(const struct credkit_pbkdf2_kernels *const *supported, size_t index) {
    const unsigned bit = 1u << index;
    if (__atomic_load_n(&failed, __ATOMIC_ACQUIRE) & bit) return 0;
    if (__atomic_load_n(&passed, __ATOMIC_ACQUIRE) & bit) return 1;
    if (credkit_pbkdf2_passes_test(supported[index])) {
        __atomic_fetch_or(&passed, bit, __ATOMIC_ACQ_REL);
        // Another thread may have seen these kernels fail.
        return !(__atomic_load_n(&failed, __ATOMIC_ACQUIRE) & bit);
    }
    __atomic_fetch_or(&failed, bit, __ATOMIC_ACQ_REL);
    const char *none = NULL;
    __atomic_compare_exchange_n(&rejected, &none, supported[index]->name, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return 0;
}

const struct credkit_pbkdf2_kernels *credkit_pbkdf2_choose(size_t count) {
    size_t supported_count;
    const struct credkit_pbkdf2_kernels *const *supported = credkit_pbkdf2_supported(&supported_count);
    unsigned first = __atomic_load_n(&first_allowed, __ATOMIC_ACQUIRE);
    if (first == 0) {
        first = (unsigned)find_first_allowed(supported, supported_count) + 1;
        __atomic_store_n(&first_allowed, first, __ATOMIC_RELEASE);
    }
    for (size_t index = first - 1; index < supported_count; index++) {
        if (count >= supported[index]->least_count && is_usable(supported, index)) return supported[index];
    }
    return NULL;
}

const char *credkit_pbkdf2_rejected(void) { return __atomic_load_n(&rejected, __ATOMIC_ACQUIRE); }
