// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests the test that kernels of scrypt pass before their first use, and their selection.
#include "kernel_test.h"

#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

const struct credkit_scrypt_kernels *const *tested_scrypt;
size_t tested_scrypt_count;
const struct fault *planted_in_scrypt;

void test_scrypt_start(void) {
    now = (struct situation){.test = "scrypt start", .call = "passes_test"};
    size_t rejected = 0;
    for (size_t index = 0; index < tested_scrypt_count; index++) {
        now.kernels = tested_scrypt[index]->name;
        if (planted_in_scrypt == NULL) {
            CHECK(credkit_scrypt_passes_test(tested_scrypt[index]) == 1, "sound kernels are rejected");
            continue;
        }
        sound_scrypt = tested_scrypt[index];
        struct credkit_scrypt_kernels faulty = *sound_scrypt;
        faulty.name = planted_in_scrypt->name;
        if (planted_in_scrypt->scrypt.fill != NULL) { faulty.fill = planted_in_scrypt->scrypt.fill; }
        if (planted_in_scrypt->scrypt.mix != NULL) { faulty.mix = planted_in_scrypt->scrypt.mix; }
        rejected += credkit_scrypt_passes_test(&faulty) == 0;
    }
    if (planted_in_scrypt == NULL) { return; }
    now.kernels = planted_in_scrypt->name;
    // Accepted by any of them, the fault counts as not found.
    CHECK(rejected < tested_scrypt_count, "rejected in all %zu kernels", rejected);
}

static size_t index_of(const struct credkit_scrypt_kernels *kernels) {
    size_t index = 0;
    while (index < tested_scrypt_count && tested_scrypt[index] != kernels) { index++; }
    return index;
}

/// Checks that the kernels chosen when CREDKIT_KERNELS is `value` are none before `first`.
static void check_choice(const char *value, size_t first) {
    now.kernels = value;
    const pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) {
        if ((value == NULL ? unsetenv("CREDKIT_KERNELS") : setenv("CREDKIT_KERNELS", value, 1)) != 0) { _exit(70); }
        for (size_t lanes = 1; lanes <= CREDKIT_SCRYPT_LANES; lanes++) {
            const struct credkit_scrypt_kernels *chosen = credkit_scrypt_choose(lanes);
            CHECK(credkit_scrypt_choose(lanes) == chosen, "the choice is not kept");
            if (first == tested_scrypt_count) {
                CHECK(chosen == NULL && credkit_scrypt_best_lanes(lanes) == 0, "kernels are chosen");
                continue;
            }
            CHECK(chosen != NULL && index_of(chosen) >= first && index_of(chosen) < tested_scrypt_count,
                  "%s are chosen for %zu lanes", chosen == NULL ? "none" : chosen->name, lanes);
            const size_t best = credkit_scrypt_best_lanes(lanes);
            CHECK(best >= 1 && best <= lanes, "%zu lanes are the best of %zu", best, lanes);
            const uint64_t best_time = credkit_scrypt_time(best), time = credkit_scrypt_time(lanes);
            // Up to a twentieth is no reason for more lanes.
            CHECK(best_time * lanes <= time * best * 20 / 19 + lanes, "%zu lanes are slower than %zu", best, lanes);
        }
        CHECK(credkit_scrypt_rejected() == NULL, "sound kernels are rejected");
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    if (status != 0) { _exit(1); }
}

/// Checks that a lack of memory for the test of the kernels is no judgement on them.
static void check_choice_without_memory(void) {
    now.kernels = "no memory";
    const pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) {
        unsetenv("CREDKIT_KERNELS");
        struct rlimit limit;
        CHECK(getrlimit(RLIMIT_AS, &limit) == 0, "getrlimit");
        const struct rlimit none = {0, limit.rlim_max};
        CHECK(setrlimit(RLIMIT_AS, &none) == 0, "setrlimit");
        const int chosen = credkit_scrypt_choose(1) != NULL;
        CHECK(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit");
        CHECK(!chosen, "untested kernels are chosen");
        CHECK(credkit_scrypt_choose(1) != NULL, "with memory, no kernels are chosen");
        CHECK(credkit_scrypt_rejected() == NULL, "untested kernels are rejected");
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    if (status != 0) { _exit(1); }
}

void test_scrypt_selection(void) {
    now = (struct situation){.test = "scrypt selection", .call = "choose"};
    check_choice(NULL, 0);
    check_choice("", 0);
    check_choice("AVX2", 0);
    check_choice("reference", tested_scrypt_count);
    check_choice("ssse3", tested_scrypt_count - 2);
    check_choice_without_memory();
    for (size_t index = 0; index < tested_scrypt_count; index++) { check_choice(tested_scrypt[index]->name, index); }
}
