// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The segments of Argon2 (RFC 9106, section 3.4), lane after lane or by several threads. The segments of one slice are
// independent of each other, and each slice needs all segments of the slice before.
#include "argon2_lanes.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

/// The most threads of one computation.
enum { MOST_THREADS = 64 };

/// What the threads of a computation share. `lock` protects all that changes.
struct team {
    const struct credkit_argon2_kernels *kernels;
    const struct credkit_argon2_instance *instance;
    pthread_mutex_t lock;
    /// Signalled when a slice is complete, and when the computation ends early.
    pthread_cond_t changed;
    /// The number of the slice, from the first pass on; the next lane that no thread computes yet, and the number of lanes
    /// that are not complete.
    uint64_t slice;
    uint32_t next_lane, unfinished;
    int status;
};

// In a frame of its own, so that it is where the segments were.
__attribute__((noinline)) void credkit_argon2_wipe_stack(void) {
    // More than the functions of an optimized build use: script/test-kernels compares the stacks of several passwords.
    uint8_t stack[24 << 10];
    explicit_bzero(stack, sizeof stack);
}

static int fill(const struct credkit_argon2_kernels *kernels, const struct credkit_argon2_instance *instance,
                uint64_t slice, uint32_t lane) {
    if (__atomic_load_n(instance->is_cancelled, __ATOMIC_RELAXED)) return CREDKIT_ARGON2_CANCELLED;
    return kernels->fill_segment(instance, (uint32_t)(slice / CREDKIT_ARGON2_SLICES), lane,
                                 slice % CREDKIT_ARGON2_SLICES);
}

static uint64_t slice_count(const struct credkit_argon2_instance *instance) {
    return (uint64_t)instance->passes * CREDKIT_ARGON2_SLICES;
}

/// Computes segments until none is left. A thread that has no processor holds up the others only if it is within a segment.
static void work(struct team *team) {
    const uint64_t slices = slice_count(team->instance);
    pthread_mutex_lock(&team->lock);
    while (team->status == CREDKIT_ARGON2_DONE && team->slice < slices) {
        if (team->next_lane == team->instance->lanes) {
            pthread_cond_wait(&team->changed, &team->lock);
            continue;
        }
        const uint64_t slice = team->slice;
        const uint32_t lane = team->next_lane++;
        pthread_mutex_unlock(&team->lock);
        const int status = fill(team->kernels, team->instance, slice, lane);
        pthread_mutex_lock(&team->lock);
        if (status != CREDKIT_ARGON2_DONE) team->status = status;
        if (--team->unfinished == 0) {
            team->slice++;
            team->next_lane = 0;
            team->unfinished = team->instance->lanes;
        } else if (status == CREDKIT_ARGON2_DONE) {
            continue;
        }
        pthread_cond_broadcast(&team->changed);
    }
    pthread_mutex_unlock(&team->lock);
}

static void *help(void *team) {
    work(team);
    credkit_argon2_wipe_stack();
    return NULL;
}

/// Starts a thread that receives no signals: handlers of the program must not run on its small stack.
static int start(pthread_t *thread, struct team *team) {
    pthread_attr_t attributes;
    if (pthread_attr_init(&attributes) != 0) return -1;
    sigset_t all, former;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &former);
    int status = pthread_attr_setstacksize(&attributes, (size_t)256 << 10);
    if (status == 0) status = pthread_create(thread, &attributes, help, team);
    pthread_sigmask(SIG_SETMASK, &former, NULL);
    pthread_attr_destroy(&attributes);
    return status;
}

static int fill_by_threads(const struct credkit_argon2_kernels *kernels,
                           const struct credkit_argon2_instance *instance, uint32_t threads) {
    struct team team = {
        .kernels = kernels,
        .instance = instance,
        .lock = PTHREAD_MUTEX_INITIALIZER,
        .changed = PTHREAD_COND_INITIALIZER,
        .unfinished = instance->lanes,
    };
    pthread_t helpers[MOST_THREADS];
    uint32_t started = 0;
    // Fewer threads compute the same: this one alone, if there are no more.
    while (started + 1 < threads && start(&helpers[started], &team) == 0) started++;
    work(&team);
    for (uint32_t index = 0; index < started; index++) pthread_join(helpers[index], NULL);
    pthread_cond_destroy(&team.changed);
    pthread_mutex_destroy(&team.lock);
    return team.status;
}

int credkit_argon2_fill(const struct credkit_argon2_kernels *kernels, const struct credkit_argon2_instance *instance,
                        uint32_t threads) {
    if (threads > instance->lanes) threads = instance->lanes;
    if (threads > MOST_THREADS) threads = MOST_THREADS;
    if (threads > 1) return fill_by_threads(kernels, instance, threads);
    for (uint64_t slice = 0; slice < slice_count(instance); slice++) {
        for (uint32_t lane = 0; lane < instance->lanes; lane++) {
            const int status = fill(kernels, instance, slice, lane);
            if (status != CREDKIT_ARGON2_DONE) return status;
        }
    }
    return CREDKIT_ARGON2_DONE;
}
