// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests lanes of Argon2 on several threads: which threads compute, what they inherit, and what they leave on their stacks.
#include "kernel_test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { LANES = 4, PASSES = 2, MEMORY_KIB = 256, SEGMENTS = LANES * PASSES * CREDKIT_ARGON2_SLICES };

/// The threads that can still be created, or a negative number for any number; and the stack of the next one, if not NULL.
static int creatable = -1;
static uint8_t *stack_of_thread;
enum { STACK = 256 << 10 };

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);

/// The linker replaces pthread_create in this program, kernels included (`--wrap`).
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (creatable == 0) { return EAGAIN; }
    if (creatable > 0) { creatable--; }
    if (stack_of_thread == NULL) { return __real_pthread_create(thread, attributes, body, argument); }
    pthread_attr_t own;
    CHECK(pthread_attr_init(&own) == 0 && pthread_attr_setstack(&own, stack_of_thread, STACK) == 0, "stack");
    const int status = __real_pthread_create(thread, &own, body, argument);
    pthread_attr_destroy(&own);
    return status;
}

/// What is seen of a computation's segments.
static struct {
    const struct credkit_argon2_kernels *kernels;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t caller;
    /// Whether the caller's thread waits in its first segment until another thread computes one.
    bool awaits_helper;
    size_t by_caller, by_helpers;
    /// The segment that sets the flag, from 1 on, or 0 for none; and how many segments had begun then.
    size_t cancelled_by, at_cancellation;
    int is_cancelled;
    /// The deepest frame above the kernel's own in another thread.
    const uint8_t *frame;
} seen = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static int fill_seen(const struct credkit_argon2_instance *instance, uint32_t pass, uint32_t lane, uint32_t slice) {
    pthread_mutex_lock(&seen.lock);
    const bool is_caller = pthread_equal(pthread_self(), seen.caller);
    *(is_caller ? &seen.by_caller : &seen.by_helpers) += 1;
    const size_t number = seen.by_caller + seen.by_helpers;
    if (is_caller) {
        while (seen.awaits_helper && seen.by_helpers == 0) { pthread_cond_wait(&seen.changed, &seen.lock); }
    } else {
        seen.frame = __builtin_frame_address(0);
        pthread_cond_broadcast(&seen.changed);
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, NULL, &blocked);
        for (int number = 1; number < SIGRTMAX; number++) {
            // The last two cannot be blocked, and the C library keeps those before SIGRTMIN for itself.
            if (number == SIGKILL || number == SIGSTOP || (number >= 32 && number < SIGRTMIN)) { continue; }
            CHECK(sigismember(&blocked, number), "signal %d can arrive at another thread", number);
        }
    }
    if (number == seen.cancelled_by) {
        credkit_argon2_cancel(&seen.is_cancelled);
        seen.at_cancellation = seen.by_caller + seen.by_helpers;
    }
    pthread_mutex_unlock(&seen.lock);
    return seen.kernels->fill_segment(instance, pass, lane, slice);
}

static int derive_seen(const struct credkit_argon2_input *input, uint8_t *memory, uint8_t tag[32], bool awaits_helper,
                       size_t cancelled_by) {
    struct credkit_argon2_kernels kernels = *seen.kernels;
    kernels.fill_segment = fill_seen;
    seen.caller = pthread_self();
    seen.awaits_helper = awaits_helper;
    seen.by_caller = seen.by_helpers = 0;
    seen.cancelled_by = cancelled_by;
    seen.is_cancelled = 0;
    return credkit_argon2_derive(&kernels, input, memory, tag, 32, &seen.is_cancelled);
}

static void check_cancellation(const struct credkit_argon2_input *input, uint8_t *memory) {
    uint8_t tag[32];
    for (size_t segment = 1; segment <= SEGMENTS; segment++) {
        const int status = derive_seen(input, memory, tag, true, segment);
        CHECK(status == CREDKIT_ARGON2_CANCELLED, "segment %zu does not end the computation", segment);
        // The other threads may have looked at the flag just before.
        const size_t later = seen.by_caller + seen.by_helpers - seen.at_cancellation;
        CHECK(later < input->threads, "%zu segments begin after the end of the computation", later);
    }
}

void test_argon2_threads(void) {
    now = (struct situation){.test = "argon2 threads", .call = "derive"};
    uint8_t password[32], expected[32], tag[32], *memory = credkit_arena_map(MEMORY_KIB << 10);
    CHECK(memory != NULL, "memory");
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    // The portable kernels first: ThreadSanitizer does not see accesses to large vectors.
    for (size_t index = tested_argon2_count; index-- > 0;) {
        seen.kernels = tested_argon2[index];
        now.kernels = seen.kernels->name;
        struct credkit_argon2_input input = {
            CREDKIT_ARGON2ID, 0x13, LANES, MEMORY_KIB, PASSES, {password, sizeof password}, {(const uint8_t *)"saltsalt", 8},
            {NULL, 0}, {NULL, 0}, 1,
        };
        random_fill(password, sizeof password);
        CHECK(derive_seen(&input, memory, expected, false, 0) == CREDKIT_ARGON2_DONE && seen.by_helpers == 0,
              "one thread is more than the caller's");
        for (input.threads = 2; input.threads <= LANES + 1; input.threads++) {
            CHECK(derive_seen(&input, memory, tag, true, 0) == CREDKIT_ARGON2_DONE &&
                      memcmp(tag, expected, sizeof tag) == 0 && seen.by_caller + seen.by_helpers == SEGMENTS,
                  "%u threads compute another tag", input.threads);
            // At most one thread a lane.
            creatable = LANES - 1;
            CHECK(derive_seen(&input, memory, tag, true, 0) == CREDKIT_ARGON2_DONE &&
                      creatable == LANES - (int)(input.threads < LANES ? input.threads : LANES),
                  "%d threads were created", LANES - 1 - creatable);
            for (int created = 0; created < 2; created++) {
                creatable = created;
                CHECK(derive_seen(&input, memory, tag, created > 0, 0) == CREDKIT_ARGON2_DONE &&
                          memcmp(tag, expected, sizeof tag) == 0 && creatable == 0 &&
                          seen.by_caller + seen.by_helpers == SEGMENTS && (seen.by_helpers > 0) == (created > 0),
                      "with %d more threads the tag is another one", created);
            }
            creatable = -1;
            check_cancellation(&input, memory);
        }
    }
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    for (int number = 1; number < SIGRTMAX; number++) {
        CHECK(sigismember(&before, number) == sigismember(&after, number), "signal %d of the caller's thread", number);
    }
    credkit_arena_unmap(memory, MEMORY_KIB << 10);
}

void test_argon2_stack_of_threads(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    // Their frames are larger, and are not those of a release.
    return;
#endif
    now = (struct situation){.test = "argon2 stack of threads", .call = "derive"};
    uint8_t password[32], tag[32], *first = malloc(STACK), *memory = credkit_arena_map(MEMORY_KIB << 10);
    uint8_t *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(first != NULL && memory != NULL && stack != MAP_FAILED, "memory");
    for (size_t index = 0; index < tested_argon2_count; index++) {
        seen.kernels = tested_argon2[index];
        now.kernels = seen.kernels->name;
        const struct credkit_argon2_input input = {
            CREDKIT_ARGON2ID, 0x13, LANES, MEMORY_KIB, PASSES, {password, sizeof password}, {(const uint8_t *)"saltsalt", 8},
            {NULL, 0}, {NULL, 0}, 2,
        };
        // The first thread leaves more: its calls are bound.
        for (int round = 0; round <= 8; round++) {
            random_fill(password, sizeof password);
            memset(stack, 0, STACK);
            stack_of_thread = stack;
            CHECK(derive_seen(&input, memory, tag, true, 0) == CREDKIT_ARGON2_DONE && seen.by_helpers > 0, "derive");
            stack_of_thread = NULL;
            // Below the kernel's caller. Above are the thread's own data, such as its number.
            const size_t count = (size_t)(seen.frame - stack);
            CHECK(count < STACK, "the thread has another stack");
            if (round == 1) { memcpy(first, stack, count); }
            for (size_t byte = 0; round > 1 && byte < count; byte++) {
                CHECK(stack[byte] == first[byte], "the stack depends on the password, at depth %zu", count - byte);
            }
        }
    }
    munmap(stack, STACK);
    credkit_arena_unmap(memory, MEMORY_KIB << 10);
    free(first);
}
