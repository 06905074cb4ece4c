// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests the memory of Argon2: that of its blocks, and the stack.
#include "kernel_test.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

void test_arena(void) {
    now = (struct situation){.test = "arena", .call = "wipe"};
    const size_t size = ((size_t)5 << 20) + 4096;
    uint8_t *arena = credkit_arena_map(size);
    CHECK(arena != NULL && (uintptr_t)arena % ((size_t)2 << 20) == 0, "the memory is not aligned");
    arena[0] = arena[size - 1] = 1;
    const pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) { _exit(arena[0] | arena[size - 1]); }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "a child process sees the memory");
    CHECK(arena[0] == 1 && arena[size - 1] == 1, "a fork wipes the memory of the parent");
    credkit_arena_unmap(arena, size);
    CHECK(credkit_arena_map((size_t)1 << 62) == NULL, "more memory than there are addresses");
    // A second mapping shows what the first one held when it was unmapped.
    const int file = memfd_create("arena", MFD_CLOEXEC);
    CHECK(file >= 0 && ftruncate(file, (off_t)size) == 0, "memfd_create");
    uint8_t *first = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    uint8_t *second = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    CHECK(first != MAP_FAILED && second != MAP_FAILED, "mmap");
    random_fill(first, size);
    credkit_arena_wipe(first, size);
    munmap(first, size);
    for (size_t index = 0; index < size; index++) { CHECK(second[index] == 0, "byte %zu is not wiped", index); }
    munmap(second, size);
    close(file);
}

/// Returns how much memory of this process is locked, in KiB.
static long locked_kib(void) {
    FILE *file = fopen("/proc/self/status", "r");
    CHECK(file != NULL, "/proc/self/status");
    long kib = -1;
    for (char line[256]; fgets(line, sizeof line, file) != NULL;) {
        if (sscanf(line, "VmLck: %ld", &kib) == 1) { break; }
    }
    fclose(file);
    return kib;
}

void test_arena_lock(void) {
    now = (struct situation){.test = "arena lock", .call = "lock"};
    const size_t size = (size_t)64 << 10;
    uint8_t *arena = credkit_arena_map(size);
    CHECK(arena != NULL, "memory");
    const pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) {
        const long before = locked_kib();
        if (credkit_arena_lock(arena, size) == 0) {
            CHECK(locked_kib() == before + 64, "%ld KiB are locked", locked_kib() - before);
            arena[size - 1] = 1;
            uint8_t *other = credkit_arena_map(size);
            CHECK(other != NULL && locked_kib() == before + 64, "memory is locked without a request");
            credkit_arena_unmap(arena, size);
            CHECK(locked_kib() == before, "memory is locked after its end");
            arena = other;
        }
        // Without the rights of root, the limit applies.
        const struct rlimit none = {0, 0};
        CHECK(setrlimit(RLIMIT_MEMLOCK, &none) == 0, "setrlimit");
        CHECK(geteuid() != 0 || setresuid(65534, 65534, 65534) == 0, "setresuid");
        CHECK(credkit_arena_lock(arena, size) != 0, "memory is locked over the limit");
        arena[0] = 1;
        _exit(0);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    if (status != 0) { _exit(1); }
    credkit_arena_unmap(arena, size);
}

/// A computation on a stack of its own.
struct on_stack {
    const struct credkit_argon2_kernels *kernels;
    struct credkit_argon2_input input;
    uint8_t *memory, tag[32];
    /// The stack, and what it holds below this thread's first function afterwards.
    const uint8_t *stack;
    uint8_t *left;
    size_t count;
};

static void *derive_on_stack(void *argument) {
    static const int never = 0;
    struct on_stack *run = argument;
    credkit_argon2_derive(run->kernels, &run->input, run->memory, run->tag, sizeof run->tag, &never);
    // Above it is the thread's own data, such as its number.
    run->count = (size_t)((const uint8_t *)__builtin_frame_address(0) - run->stack);
    memcpy(run->left, run->stack, run->count);
    return NULL;
}

void test_argon2_stack(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    // Their frames are larger, and are not those of a release.
    return;
#endif
    enum { STACK = 256 << 10, MEMORY_KIB = 64, PASSWORDS = 8 };
    now = (struct situation){.test = "argon2 stack", .call = "derive"};
    uint8_t *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *first = malloc(STACK), *left = malloc(STACK), password[32];
    struct on_stack run = {.memory = credkit_arena_map(MEMORY_KIB << 10), .stack = stack, .left = left};
    CHECK(stack != MAP_FAILED && first != NULL && left != NULL && run.memory != NULL, "memory");
    for (size_t index = 0; index < tested_argon2_count; index++) {
        run.kernels = tested_argon2[index];
        now.kernels = run.kernels->name;
        for (uint32_t type = CREDKIT_ARGON2D; type <= CREDKIT_ARGON2ID; type++) {
            run.input = (struct credkit_argon2_input){
                type, 0x13, 2, MEMORY_KIB, 2, {password, sizeof password}, {(const uint8_t *)"saltsalt", 8}, {NULL, 0}, {NULL, 0},
                1,
            };
            // The first thread leaves more: its calls are bound.
            for (int round = 0; round <= PASSWORDS; round++) {
                random_fill(password, sizeof password);
                memset(stack, 0, STACK);
                pthread_attr_t attributes;
                pthread_t thread;
                CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK) == 0 &&
                          pthread_create(&thread, &attributes, derive_on_stack, &run) == 0 &&
                          pthread_join(thread, NULL) == 0,
                      "pthread_create");
                pthread_attr_destroy(&attributes);
                if (round == 1) { memcpy(first, left, run.count); }
                // Any difference was made of the password.
                for (size_t byte = 0; round > 1 && byte < run.count; byte++) {
                    CHECK(left[byte] == first[byte], "type %u: the stack depends on the password, at depth %zu", type,
                          run.count - byte);
                }
            }
        }
    }
    credkit_arena_unmap(run.memory, MEMORY_KIB << 10);
    free(first);
    free(left);
    munmap(stack, STACK);
}
