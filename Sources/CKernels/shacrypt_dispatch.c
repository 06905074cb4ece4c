// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Selects the kernels of SHA-crypt. Kernels that fail the known answer are never used.
#include <stdlib.h>
#include <string.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "CCredKitSHACrypt.h"
#include "shacrypt_answers.h"
#include "shacrypt_hash.h"

enum { LANES = CREDKIT_SHACRYPT_LANES, DIGEST = CREDKIT_SHACRYPT_DIGEST, MOST_KERNELS = 3 };

/// The kernels of a variant.
struct list {
    const struct credkit_shacrypt_kernels *all[MOST_KERNELS];
    unsigned count;
    /// A bit for each of them that has passed its test, or has failed it. Failures are not tested again.
    unsigned passed, failed;
};
static struct list lists[2];
static const char *rejected;
/// The place in `names` of the fastest kernels that the environment variable allows, plus 1; 0 before the first call.
static unsigned first_allowed;

/// The names of all kernels, the fastest first; the last one stands for none.
static const char *const names[] = {"avx512", "sha", "avx2", "portable", "reference"};
enum { NAMES = sizeof names / sizeof names[0] };

static unsigned place_of(const char *name) {
    unsigned place = 0;
    while (place < NAMES && strcmp(name, names[place]) != 0) place++;
    return place;
}

#if defined(__x86_64__)
static int has_sha(void) {
    // __builtin_cpu_supports does not know these instructions in every version of the compiler.
    unsigned a, b, c, d;
    return __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("ssse3") &&
           __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA) != 0;
}
#endif

static struct list *list_of(int variant) {
    struct list *list = &lists[variant == CREDKIT_SHA512_CRYPT];
    unsigned found = __atomic_load_n(&list->count, __ATOMIC_ACQUIRE);
    // Concurrent calls write the same list.
    if (found > 0) return list;
    const struct credkit_shacrypt_kernels *kernels[MOST_KERNELS];
    const int is_512 = variant == CREDKIT_SHA512_CRYPT;
#if defined(__x86_64__)
    __builtin_cpu_init();
    const int has_avx2 =
        __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    if (is_512 && has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl")) {
        kernels[found++] = &credkit_sha512_crypt_avx512;
    }
    // With AVX2, SHA-256 of one lane is no faster than the portable kernels.
    if (is_512 && has_avx2) kernels[found++] = &credkit_sha512_crypt_avx2;
    if (!is_512 && has_sha()) kernels[found++] = &credkit_sha256_crypt_sha;
#endif
    kernels[found++] = is_512 ? &credkit_sha512_crypt_portable : &credkit_sha256_crypt_portable;
    for (unsigned n = 0; n < found; n++) __atomic_store_n(&list->all[n], kernels[n], __ATOMIC_RELAXED);
    __atomic_store_n(&list->count, found, __ATOMIC_RELEASE);
    return list;
}

const struct credkit_shacrypt_kernels *const *credkit_shacrypt_supported(int variant, size_t *count) {
    struct list *list = list_of(variant);
    *count = __atomic_load_n(&list->count, __ATOMIC_ACQUIRE);
    return list->all;
}

/// Computes the digests of the first `count` inputs of the answer in slices of a few blocks.
static void compute(const struct credkit_shacrypt_kernels *kernels, size_t count, uint8_t *digests) {
    uint8_t password[256], salt[256];
    struct credkit_shacrypt_lane lanes[LANES], *pointers[LANES];
    for (size_t lane = 0; lane < count; lane++) {
        for (size_t n = 0; n < sizeof password; n++) password[n] = (uint8_t)(lane + n), salt[n] = (uint8_t)(7 * lane + n);
        const struct credkit_shacrypt_input input = {
            password, shacrypt_answer_passwords[lane], salt, shacrypt_answer_salts[lane], shacrypt_answer_rounds(lane),
        };
        credkit_shacrypt_prepare(kernels, &lanes[lane], &input);
        pointers[lane] = &lanes[lane];
    }
    // The last lane has the most rounds, each of at most four blocks.
    for (uint32_t n = 0; n <= shacrypt_answer_rounds(count - 1) * 4 / 7; n++) {
        credkit_shacrypt_advance(kernels, pointers, count, 7);
    }
    for (size_t lane = 0; lane < count; lane++) {
        credkit_shacrypt_finish(kernels, &lanes[lane], digests + lane * shacrypt_digest_size(kernels));
    }
}

int credkit_shacrypt_passes_test(const struct credkit_shacrypt_kernels *kernels) {
    uint8_t digests[LANES * DIGEST], fewer[LANES * DIGEST], digest[DIGEST];
    const size_t size = shacrypt_digest_size(kernels);
    struct shacrypt_hash hash;
    compute(kernels, LANES, digests);
    shacrypt_hash_begin(&hash, kernels);
    shacrypt_hash_add(&hash, digests, LANES * size);
    shacrypt_hash_end(&hash, digest);
    const uint8_t *answer = kernels->variant == CREDKIT_SHA512_CRYPT ? shacrypt_answer_512 : shacrypt_answer_256;
    if (memcmp(digest, answer, size) != 0) return 0;
    for (size_t count = 1; count < LANES; count++) {
        compute(kernels, count, fewer);
        if (memcmp(fewer, digests, count * size) != 0) return 0;
    }
    return 1;
}

/// Returns the place of the fastest kernels that the environment variable allows. The kernels of other functions that need
/// SSSE3 have no counterpart here.
static unsigned find_first_allowed(void) {
    const char *name = secure_getenv("CREDKIT_KERNELS");
    if (name == NULL) return 0;
    const unsigned place = place_of(strcmp(name, "ssse3") == 0 ? "portable" : name);
    return place == NAMES ? 0 : place;
}

static int is_usable(struct list *list, unsigned index) {
    const unsigned bit = 1u << index;
    if (__atomic_load_n(&list->failed, __ATOMIC_ACQUIRE) & bit) return 0;
    if (__atomic_load_n(&list->passed, __ATOMIC_ACQUIRE) & bit) return 1;
    if (credkit_shacrypt_passes_test(list->all[index])) {
        __atomic_fetch_or(&list->passed, bit, __ATOMIC_ACQ_REL);
        // Another thread may have seen these kernels fail.
        return !(__atomic_load_n(&list->failed, __ATOMIC_ACQUIRE) & bit);
    }
    __atomic_fetch_or(&list->failed, bit, __ATOMIC_ACQ_REL);
    const char *none = NULL;
    __atomic_compare_exchange_n(&rejected, &none, list->all[index]->name, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
    return 0;
}

const struct credkit_shacrypt_kernels *credkit_shacrypt_choose(int variant) {
    struct list *list = list_of(variant);
    unsigned first = __atomic_load_n(&first_allowed, __ATOMIC_ACQUIRE);
    if (first == 0) {
        first = find_first_allowed() + 1;
        __atomic_store_n(&first_allowed, first, __ATOMIC_RELEASE);
    }
    for (unsigned index = 0; index < list->count; index++) {
        if (place_of(list->all[index]->name) >= first - 1 && is_usable(list, index)) return list->all[index];
    }
    return NULL;
}

const char *credkit_shacrypt_rejected(void) { return __atomic_load_n(&rejected, __ATOMIC_ACQUIRE); }
