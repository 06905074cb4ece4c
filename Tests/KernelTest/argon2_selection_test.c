// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests the test that kernels of Argon2 pass before their first use, and their selection.
#include "kernel_test.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const struct credkit_argon2_kernels *const *tested_argon2;
size_t tested_argon2_count;
const struct fault *planted_in_argon2;

void test_argon2_start(void) {
    now = (struct situation){.test = "argon2 start", .call = "passes_test"};
    size_t rejected = 0;
    for (size_t index = 0; index < tested_argon2_count; index++) {
        now.kernels = tested_argon2[index]->name;
        if (planted_in_argon2 == NULL) {
            CHECK(credkit_argon2_passes_test(tested_argon2[index]) == 1, "sound kernels are rejected");
            continue;
        }
        sound_argon2 = tested_argon2[index];
        struct credkit_argon2_kernels faulty = *sound_argon2;
        faulty.name = planted_in_argon2->name;
        if (planted_in_argon2->argon2.fill_segment != NULL) {
            faulty.fill_segment = planted_in_argon2->argon2.fill_segment;
        }
        if (planted_in_argon2->argon2.write_block != NULL) { faulty.write_block = planted_in_argon2->argon2.write_block; }
        rejected += credkit_argon2_passes_test(&faulty) == 0;
    }
    if (planted_in_argon2 == NULL) { return; }
    now.kernels = planted_in_argon2->name;
    // Accepted by any of them, the fault counts as not found.
    CHECK(rejected < tested_argon2_count, "rejected in all %zu kernels", rejected);
}

/// Checks the kernels that are chosen when CREDKIT_KERNELS is `value`, or is unset if `value` is NULL.
static void check_choice(const char *value, const char *expected) {
    now.kernels = value;
    pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) {
        if ((value == NULL ? unsetenv("CREDKIT_KERNELS") : setenv("CREDKIT_KERNELS", value, 1)) != 0) { _exit(70); }
        const struct credkit_argon2_kernels *chosen = credkit_argon2_choose();
        const char *name = chosen == NULL ? "none" : chosen->name;
        CHECK(strcmp(name, expected) == 0, "%s were chosen instead of %s", name, expected);
        CHECK(credkit_argon2_choose() == chosen, "the choice is not kept");
        CHECK(credkit_argon2_rejected() == NULL, "sound kernels are rejected");
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    if (status != 0) { _exit(1); }
}

/// Checks that a lack of memory for the test of the kernels is no judgement on them.
static void check_choice_without_memory(const char *expected) {
    now.kernels = "no memory";
    pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) {
        unsetenv("CREDKIT_KERNELS");
        struct rlimit limit;
        CHECK(getrlimit(RLIMIT_AS, &limit) == 0, "getrlimit");
        const struct rlimit none = {0, limit.rlim_max};
        CHECK(setrlimit(RLIMIT_AS, &none) == 0, "setrlimit");
        const int chosen = credkit_argon2_choose() != NULL;
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
        CHECK(!chosen, "untested kernels are chosen");
        CHECK(credkit_argon2_rejected() == NULL, "untested kernels are rejected");
        const struct credkit_argon2_kernels *later = credkit_argon2_choose();
        CHECK(later != NULL && strcmp(later->name, expected) == 0, "with memory, %s are not chosen", expected);
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    if (status != 0) { _exit(1); }
}

void test_argon2_selection(void) {
    now = (struct situation){.test = "argon2 selection", .call = "choose"};
    const char *fastest = tested_argon2[0]->name;
    check_choice(NULL, fastest);
    check_choice("", fastest);
    check_choice("AVX2", fastest);
    check_choice("reference", "none");
    check_choice("ssse3", "portable");
    check_choice_without_memory(fastest);
    for (size_t index = 0; index < tested_argon2_count; index++) {
        check_choice(tested_argon2[index]->name, tested_argon2[index]->name);
    }
}
