// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Selects the kernels of PBKDF2. Kernels that fail the known answer are never used.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "CCredKitOpenSSL.h"
#include "pbkdf2_answers.h"
#include "pbkdf2_kernels.h"

enum {
    LANES = CREDKIT_PBKDF2_LANES,
    FUNCTIONS = CREDKIT_PBKDF2_FUNCTIONS,
    LONGEST_KEY = CREDKIT_PBKDF2_DIGEST + PBKDF2_ANSWER_EXTRA,
    INSTRUCTION_SETS = 4,
};

/// The kernels of each instruction set that this processor has, the fastest for many lanes first.
static size_t find_instruction_sets(pbkdf2_kernels *found[INSTRUCTION_SETS]) {
    size_t count = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx2")) {
        found[count++] = &credkit_pbkdf2_avx512;
    }
    if (credkit_pbkdf2_has_sha()) found[count++] = &credkit_pbkdf2_sha;
    if (__builtin_cpu_supports("avx2")) found[count++] = &credkit_pbkdf2_avx2;
#endif
    found[count++] = &credkit_pbkdf2_portable;
    return count;
}

/// The supported kernels, and the sets of those that may be used.
static const struct credkit_pbkdf2_kernels *supported[FUNCTIONS * INSTRUCTION_SETS];
static size_t supported_count;
static struct credkit_pbkdf2_set sets[FUNCTIONS];
static const char *rejected;

static void find_supported(void) {
    pbkdf2_kernels *found[INSTRUCTION_SETS];
    const size_t count = find_instruction_sets(found);
    for (int function = 0; function < FUNCTIONS; function++) {
        for (size_t n = 0; n < count; n++) {
            const struct credkit_pbkdf2_kernels *kernels = &(*found[n])[function];
            if (kernels->iterate != NULL) supported[supported_count++] = kernels;
        }
    }
}

const struct credkit_pbkdf2_kernels *const *credkit_pbkdf2_supported(size_t *count) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_supported);
    *count = supported_count;
    return supported;
}

/// Tests every number of lanes at once, against the keys of single lanes that `keys` holds.
static int computes_all_counts(const struct credkit_pbkdf2_set *set, const struct credkit_pbkdf2_input inputs[LANES],
                               const uint8_t *keys, size_t key_length) {
    struct credkit_pbkdf2_lane lanes[LANES], *pointers[LANES];
    uint8_t digest[CREDKIT_PBKDF2_DIGEST];
    const int function = set->kernels[0]->function;
    for (size_t count = 1; count <= set->kernels[0]->width; count++) {
        for (size_t n = 0; n < count; n++) {
            pointers[n] = &lanes[n];
            credkit_pbkdf2_prepare(&lanes[n], function, &inputs[n], 1, PBKDF2_ANSWER_ITERATIONS);
        }
        // In more than one step.
        credkit_pbkdf2_advance(set, pointers, count, 1);
        credkit_pbkdf2_advance(set, pointers, count, PBKDF2_ANSWER_ITERATIONS);
        for (size_t n = 0; n < count; n++) {
            credkit_pbkdf2_finish(&lanes[n], digest);
            if (memcmp(digest, keys + n * key_length, credkit_pbkdf2_digest_size(function)) != 0) return 0;
        }
    }
    return 1;
}

int credkit_pbkdf2_passes_test(const struct credkit_pbkdf2_kernels *kernels) {
    static const int is_cancelled = 0;
    const struct credkit_pbkdf2_set set = {1, {kernels}};
    uint8_t passwords[LANES][300], salts[LANES][9 * LANES], keys[LANES * LONGEST_KEY], digest[32];
    struct credkit_pbkdf2_input inputs[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        for (size_t n = 0; n < sizeof passwords[0]; n++) passwords[lane][n] = (uint8_t)(lane + n);
        for (size_t n = 0; n < sizeof salts[0]; n++) salts[lane][n] = (uint8_t)(7 * lane + n);
        inputs[lane] = (struct credkit_pbkdf2_input){passwords[lane], pbkdf2_answer_lengths[lane], salts[lane], 9 * lane};
    }
    const size_t key_length = credkit_pbkdf2_digest_size(kernels->function) + PBKDF2_ANSWER_EXTRA;
    credkit_pbkdf2_derive(&set, inputs, LANES, PBKDF2_ANSWER_ITERATIONS, keys, key_length, &is_cancelled);
    SHA256(keys, LANES * key_length, digest);
    return memcmp(digest, pbkdf2_answers[kernels->function], sizeof digest) == 0 &&
           computes_all_counts(&set, inputs, keys, key_length);
}

/// Returns the index of the fastest instruction set that the environment variable allows; the count if it allows none. The
/// kernels of other functions that need SSSE3 have no counterpart here.
static size_t find_first_allowed(pbkdf2_kernels *const *found, size_t count) {
    const char *name = secure_getenv("CREDKIT_KERNELS");
    if (name == NULL) return 0;
    if (strcmp(name, "reference") == 0) return count;
    if (strcmp(name, "ssse3") == 0) name = "portable";
    size_t named = 0;
    while (named < count && strcmp(name, (*found[named])[CREDKIT_PBKDF2_SHA1].name) != 0) named++;
    return named == count ? 0 : named;
}

static void fill_set(int function) {
    pbkdf2_kernels *found[INSTRUCTION_SETS];
    const size_t count = find_instruction_sets(found);
    struct credkit_pbkdf2_set *const set = &sets[function];
    for (size_t n = find_first_allowed(found, count); n < count; n++) {
        const struct credkit_pbkdf2_kernels *kernels = &(*found[n])[function];
        if (kernels->iterate == NULL) continue;
        if (credkit_pbkdf2_passes_test(kernels)) {
            set->kernels[set->count++] = kernels;
        } else {
            const char *none = NULL;
            __atomic_compare_exchange_n(&rejected, &none, kernels->name, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        }
    }
}

static void fill_sha1(void) { fill_set(CREDKIT_PBKDF2_SHA1); }
static void fill_sha256(void) { fill_set(CREDKIT_PBKDF2_SHA256); }
static void fill_sha512(void) { fill_set(CREDKIT_PBKDF2_SHA512); }

const struct credkit_pbkdf2_set *credkit_pbkdf2_choose(int function) {
    static pthread_once_t onces[FUNCTIONS] = {PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT, PTHREAD_ONCE_INIT};
    static void (*const fill[FUNCTIONS])(void) = {fill_sha1, fill_sha256, fill_sha512};
    pthread_once(&onces[function], fill[function]);
    return sets[function].count > 0 ? &sets[function] : NULL;
}

const char *credkit_pbkdf2_rejected(void) { return __atomic_load_n(&rejected, __ATOMIC_ACQUIRE); }
