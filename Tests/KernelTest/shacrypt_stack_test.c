// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests that SHA-crypt leaves nothing on the stack that was made of a password.
#include "kernel_test.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { STACK = 256 << 10, LANES = CREDKIT_SHACRYPT_LANES, PASSWORDS = 8 };

struct on_stack {
    const struct credkit_shacrypt_kernels *kernels;
    struct credkit_shacrypt_input inputs[LANES];
    size_t lanes;
    uint8_t digests[LANES * CREDKIT_SHACRYPT_DIGEST];
    const uint8_t *stack;
    uint8_t *left;
    size_t count;
};

static void *derive_on_stack(void *argument) {
    static const int never = 0;
    struct on_stack *run = argument;
    credkit_shacrypt_derive(run->kernels, run->inputs, run->lanes, run->digests, &never);
    // Above it is the thread's own data, such as its number.
    run->count = (size_t)((const uint8_t *)__builtin_frame_address(0) - run->stack);
    memcpy(run->left, run->stack, run->count);
    return NULL;
}

static void run_on(uint8_t *stack, struct on_stack *run) {
    pthread_attr_t attributes;
    pthread_t thread;
    memset(stack, 0, STACK);
    CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK) == 0 &&
              pthread_create(&thread, &attributes, derive_on_stack, run) == 0 && pthread_join(thread, NULL) == 0,
          "pthread_create");
    pthread_attr_destroy(&attributes);
}

void test_shacrypt_stack(void) {
    now = (struct situation){.test = "shacrypt stack", .call = "derive"};
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    // Their frames are larger, and are not those of a release.
    return;
#endif
    uint8_t *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *first = malloc(STACK), *left = malloc(STACK), passwords[LANES][CREDKIT_SHACRYPT_PASSWORD];
    struct on_stack run = {.stack = stack, .left = left};
    CHECK(stack != MAP_FAILED && first != NULL && left != NULL, "memory");
    for (size_t n = 0; n < LANES; n++) {
        run.inputs[n] = (struct credkit_shacrypt_input){passwords[n], 7 * (n + 1), (const uint8_t *)"saltsalt", 8, 20};
    }
    for (int variant = CREDKIT_SHA256_CRYPT; variant <= CREDKIT_SHA512_CRYPT; variant++) {
        size_t count;
        const struct credkit_shacrypt_kernels *const *kernels = credkit_shacrypt_supported(variant, &count);
        for (size_t index = 0; index < count; index++) {
            run.kernels = kernels[index];
            now.kernels = run.kernels->name;
            for (run.lanes = 1; run.lanes <= LANES; run.lanes++) {
                // The first thread leaves more: its calls are bound.
                for (int round = 0; round <= PASSWORDS; round++) {
                    random_fill(passwords[0], sizeof passwords);
                    run_on(stack, &run);
                    if (round == 1) { memcpy(first, left, run.count); }
                    // Any difference was made of the passwords.
                    for (size_t byte = 0; round > 1 && byte < run.count; byte++) {
                        CHECK(left[byte] == first[byte], "variant %d, %zu lanes: the stack depends on the password, at depth %zu",
                              variant, run.lanes, run.count - byte);
                    }
                }
            }
        }
    }
    free(first);
    free(left);
    munmap(stack, STACK);
}
