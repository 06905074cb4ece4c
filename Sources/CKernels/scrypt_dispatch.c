// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Selects the kernels of scrypt. Kernels that fail the known answers are never used. Which of the others is the fastest
// depends on the processor's latencies and not on the width of its vectors, so they are timed.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CCredKitArgon2.h"
#include "CCredKitScrypt.h"
#include "scrypt_answers.h"
#include "vectors.h"

enum {
    LANES = CREDKIT_SCRYPT_LANES,
    /// The costs of the computation that is timed: 512 sub-blocks a lane.
    TIMED_LOG_N = 4,
    TIMED_R = 8,
    TIMED_ROUNDS = 3,
    LARGEST_BLOCK = 128 * TIMED_R,
    LARGEST_LOG_N = 5,
};

/// What the first call of this process has chosen for each number of lanes.
static struct {
    const struct credkit_scrypt_kernels *kernels[LANES + 1];
    uint32_t nanoseconds[LANES + 1];
    const char *rejected;
} chosen;
static int is_chosen;

/// Memory and blocks for the test.
struct lanes {
    uint8_t *memory;
    uint8_t blocks[LANES][LARGEST_BLOCK];
};

static size_t largest_memory(void) { return credkit_scrypt_memory_size(LARGEST_LOG_N, TIMED_R); }

const struct credkit_scrypt_kernels *const *credkit_scrypt_supported(size_t *count) {
    static const struct credkit_scrypt_kernels *const all[] = {
#if defined(__x86_64__)
        &credkit_scrypt_avx512, &credkit_scrypt_avx2,
#endif
        &credkit_scrypt_portable, &credkit_scrypt_scalar,
    };
    const size_t first = unsupported_vectors();
    *count = sizeof all / sizeof all[0] - first;
    return all + first;
}

static void compute(const struct credkit_scrypt_kernels *kernels, struct lanes *lanes, size_t count, uint32_t log_n,
                    size_t r) {
    static const int is_cancelled = 0;
    struct credkit_scrypt_lane run[LANES];
    for (size_t lane = 0; lane < count; lane++) {
        uint8_t *memory = lanes->memory + lane * largest_memory();
        run[lane] = (struct credkit_scrypt_lane){lanes->blocks[lane], memory, &is_cancelled, 0};
    }
    credkit_scrypt_run(kernels, run, count, log_n, r);
}

static uint64_t fnv(const uint8_t *bytes, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t n = 0; n < length; n++) hash = (hash ^ bytes[n]) * UINT64_C(0x100000001b3);
    return hash;
}

static int is_computed(const struct credkit_scrypt_kernels *kernels, struct lanes *lanes, size_t count,
                       const struct scrypt_answer *answer) {
    const size_t size = (size_t)128 * answer->r;
    for (size_t lane = 0; lane < count; lane++) {
        for (size_t n = 0; n < size; n++) lanes->blocks[lane][n] = (uint8_t)(37 * lane + 11 * n + n / 256);
    }
    compute(kernels, lanes, count, answer->log_n, answer->r);
    for (size_t lane = 0; lane < count; lane++) {
        if (fnv(lanes->blocks[lane], size) != answer->results[lane]) return 0;
    }
    return 1;
}

static int passes(const struct credkit_scrypt_kernels *kernels, struct lanes *lanes) {
    for (size_t count = 1; count <= LANES; count++) {
        for (size_t lane = 0; lane < count; lane++) memcpy(lanes->blocks[lane], scrypt_example, sizeof scrypt_example);
        compute(kernels, lanes, count, 4, 1);
        for (size_t lane = 0; lane < count; lane++) {
            if (memcmp(lanes->blocks[lane], scrypt_example_result, sizeof scrypt_example_result) != 0) return 0;
        }
        for (size_t n = 0; n < sizeof scrypt_answers / sizeof scrypt_answers[0]; n++) {
            if (!is_computed(kernels, lanes, count, &scrypt_answers[n])) return 0;
        }
    }
    return 1;
}

int credkit_scrypt_passes_test(const struct credkit_scrypt_kernels *kernels) {
    struct lanes lanes = {.memory = credkit_arena_map(LANES * largest_memory())};
    if (lanes.memory == NULL) return -1;
    const int result = passes(kernels, &lanes);
    credkit_arena_unmap(lanes.memory, LANES * largest_memory());
    return result;
}

/// Returns the least time of several runs: other work on the processor only lengthens a run.
static uint32_t nanoseconds(const struct credkit_scrypt_kernels *kernels, struct lanes *lanes, size_t count) {
    uint32_t least = UINT32_MAX;
    for (int round = 0; round < TIMED_ROUNDS; round++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        compute(kernels, lanes, count, TIMED_LOG_N, TIMED_R);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const int64_t time = (end.tv_sec - start.tv_sec) * INT64_C(1000000000) + end.tv_nsec - start.tv_nsec;
        if (time < least) least = time < 1 ? 1 : (uint32_t)time;
    }
    return least;
}

/// Returns the index of the first kernels that the environment variable allows; the count if it allows none. The kernels of
/// other functions that need SSSE3 have no counterpart here.
static size_t first_allowed(const struct credkit_scrypt_kernels *const *supported, size_t count) {
    const char *name = secure_getenv("CREDKIT_KERNELS");
    if (name == NULL) return 0;
    if (strcmp(name, "reference") == 0) return count;
    if (strcmp(name, "ssse3") == 0) name = "portable";
    size_t named = 0;
    while (named < count && strcmp(name, supported[named]->name) != 0) named++;
    return named == count ? 0 : named;
}

/// Makes the choice. Returns 0 without memory for the test.
static int choose_all(void) {
    struct lanes lanes = {.memory = credkit_arena_map(LANES * largest_memory())};
    if (lanes.memory == NULL) return 0;
    size_t count;
    const struct credkit_scrypt_kernels *const *supported = credkit_scrypt_supported(&count);
    for (size_t index = first_allowed(supported, count); index < count; index++) {
        if (!passes(supported[index], &lanes)) {
            if (chosen.rejected == NULL) chosen.rejected = supported[index]->name;
            continue;
        }
        for (size_t number = 1; number <= LANES; number++) {
            const uint32_t time = nanoseconds(supported[index], &lanes, number);
            if (chosen.kernels[number] != NULL && time >= chosen.nanoseconds[number]) continue;
            chosen.kernels[number] = supported[index];
            chosen.nanoseconds[number] = time;
        }
    }
    credkit_arena_unmap(lanes.memory, LANES * largest_memory());
    return 1;
}

/// Returns whether the choice is made.
static int prepare(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    if (__atomic_load_n(&is_chosen, __ATOMIC_ACQUIRE)) return 1;
    pthread_mutex_lock(&mutex);
    if (!__atomic_load_n(&is_chosen, __ATOMIC_RELAXED)) __atomic_store_n(&is_chosen, choose_all(), __ATOMIC_RELEASE);
    pthread_mutex_unlock(&mutex);
    return __atomic_load_n(&is_chosen, __ATOMIC_ACQUIRE);
}

const struct credkit_scrypt_kernels *credkit_scrypt_choose(size_t lanes) { return prepare() ? chosen.kernels[lanes] : NULL; }

uint32_t credkit_scrypt_time(size_t lanes) { return prepare() ? chosen.nanoseconds[lanes] : 0; }

size_t credkit_scrypt_best_lanes(size_t most) {
    if (most == 0 || credkit_scrypt_choose(1) == NULL) return 0;
    size_t best = 1;
    for (size_t lanes = 2; lanes <= most && lanes <= LANES; lanes++) {
        const uint64_t time = chosen.nanoseconds[lanes], best_time = chosen.nanoseconds[best];
        // Less than a twentieth may be noise, and more lanes take more memory.
        if (time * best * 20 < best_time * lanes * 19) best = lanes;
    }
    return best;
}

const char *credkit_scrypt_rejected(void) { return prepare() ? chosen.rejected : NULL; }
