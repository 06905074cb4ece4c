// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Decides whether the kernels of bcrypt are used, and how many lanes are worth their time: that depends on the processor's
// latencies and on the size of its caches.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "CCredKitBcrypt.h"
#include "bcrypt_answers.h"

enum { LANES = CREDKIT_BCRYPT_LANES, TIMED_ROUNDS = 4, TIMED_RUNS = 3 };

static int is_usable, is_chosen;
static uint32_t picoseconds[LANES + 1];

int credkit_bcrypt_passes_test(const struct credkit_bcrypt_kernels *kernels) {
    struct credkit_bcrypt_lane lanes[LANES], *running[LANES];
    // Each lane joins three rounds after the one before, so that all numbers of lanes occur, at the start and at the end.
    for (size_t count = 1; count <= LANES; count++) {
        const struct bcrypt_answer *answer = &bcrypt_answers[count - 1];
        running[count - 1] = &lanes[count - 1];
        credkit_bcrypt_prepare(running[count - 1], 'b', (const uint8_t *)answer->password, strlen(answer->password),
                               answer->salt, BCRYPT_ANSWER_COST);
        credkit_bcrypt_advance(kernels, running, count, count == LANES ? UINT32_MAX : 3);
    }
    int passes = 1;
    for (size_t lane = 0; lane < LANES; lane++) {
        uint8_t digest[CREDKIT_BCRYPT_DIGEST];
        passes &= lanes[lane].rounds == 0;
        credkit_bcrypt_finish(&lanes[lane], digest);
        passes &= memcmp(digest, bcrypt_answers[lane].digest, sizeof digest) == 0;
    }
    return passes;
}

/// Returns the least time of a round in several runs: other work on the processor only lengthens a run.
static uint32_t measured(const struct credkit_bcrypt_kernels *kernels, size_t count) {
    struct credkit_bcrypt_lane lanes[LANES], *running[LANES];
    int64_t least = INT64_MAX;
    for (size_t lane = 0; lane < count; lane++) {
        running[lane] = &lanes[lane];
        credkit_bcrypt_prepare(running[lane], 'b', NULL, 0, bcrypt_answers[lane].salt, BCRYPT_ANSWER_COST);
    }
    for (int run = 0; run < TIMED_RUNS; run++) {
        struct timespec start, end;
        clock_gettime(CLOCK_MONOTONIC, &start);
        credkit_bcrypt_advance(kernels, running, count, TIMED_ROUNDS);
        clock_gettime(CLOCK_MONOTONIC, &end);
        const int64_t time = (end.tv_sec - start.tv_sec) * INT64_C(1000000000) + end.tv_nsec - start.tv_nsec;
        if (time < least) least = time;
    }
    const int64_t each = least * 1000 / TIMED_ROUNDS;
    return each < 1 ? 1 : each > UINT32_MAX ? UINT32_MAX : (uint32_t)each;
}

static void choose(void) {
    const char *name = secure_getenv("CREDKIT_KERNELS");
    if (name != NULL && strcmp(name, "reference") == 0) return;
    if (!credkit_bcrypt_passes_test(&credkit_bcrypt_portable)) return;
    for (size_t lanes = 1; lanes <= LANES; lanes++) picoseconds[lanes] = measured(&credkit_bcrypt_portable, lanes);
    is_usable = 1;
}

const struct credkit_bcrypt_kernels *credkit_bcrypt_choose(void) {
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    if (!__atomic_load_n(&is_chosen, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&mutex);
        if (!__atomic_load_n(&is_chosen, __ATOMIC_RELAXED)) {
            choose();
            __atomic_store_n(&is_chosen, 1, __ATOMIC_RELEASE);
        }
        pthread_mutex_unlock(&mutex);
    }
    return is_usable ? &credkit_bcrypt_portable : NULL;
}

uint32_t credkit_bcrypt_time(size_t lanes) { return credkit_bcrypt_choose() != NULL ? picoseconds[lanes] : 0; }

size_t credkit_bcrypt_best_lanes(size_t most) {
    if (most == 0 || credkit_bcrypt_choose() == NULL) return 0;
    size_t best = 1;
    for (size_t lanes = 2; lanes <= most && lanes <= LANES; lanes++) {
        const uint64_t time = picoseconds[lanes], best_time = picoseconds[best];
        // Less than a twentieth may be noise, and the first answer comes later.
        if (time * best * 20 < best_time * lanes * 19) best = lanes;
    }
    return best;
}
