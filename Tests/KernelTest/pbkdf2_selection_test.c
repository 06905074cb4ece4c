// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests the test that kernels of PBKDF2 pass before their first use, and their selection.
#include "kernel_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const struct credkit_pbkdf2_kernels *const *tested_pbkdf2;
size_t tested_pbkdf2_count;
const struct fault *planted_in_pbkdf2;

static bool is_rejected_with_fault(const struct credkit_pbkdf2_kernels *kernels) {
    sound_pbkdf2 = kernels;
    struct credkit_pbkdf2_kernels faulty = *kernels;
    faulty.name = planted_in_pbkdf2->name;
    faulty.iterate = planted_in_pbkdf2->pbkdf2.iterate;
    return !credkit_pbkdf2_passes_test(&faulty);
}

void test_pbkdf2_start(void) {
    now = (struct situation){.test = "pbkdf2 start", .call = "passes_test"};
    size_t accepted = 0;
    for (size_t index = 0; index < tested_pbkdf2_count; index++) {
        now.kernels = tested_pbkdf2[index]->name;
        if (planted_in_pbkdf2 != NULL) {
            accepted += !is_rejected_with_fault(tested_pbkdf2[index]);
        } else {
            CHECK(credkit_pbkdf2_passes_test(tested_pbkdf2[index]), "sound kernels are rejected");
        }
    }
    if (planted_in_pbkdf2 == NULL) { return; }
    now.kernels = planted_in_pbkdf2->name;
    // Accepted by any of them, the fault counts as not found.
    CHECK(accepted > 0, "rejected in all kernels");
}

/// Prints the kernels that a process with an environment variable chooses for each size of a batch.
static void print_choices(const char *value, int output) {
    if ((value == NULL ? unsetenv("CREDKIT_KERNELS") : setenv("CREDKIT_KERNELS", value, 1)) != 0) { _exit(70); }
    for (size_t count = 1; count <= CREDKIT_PBKDF2_LANES; count++) {
        const struct credkit_pbkdf2_kernels *chosen = credkit_pbkdf2_choose(count);
        dprintf(output, "%s ", chosen == NULL ? "none" : chosen->name);
    }
    _exit(credkit_pbkdf2_rejected() == NULL ? 0 : 1);
}

/// Checks the choices if only the kernels from `first` on are allowed.
static void check_choices(const char *value, size_t first) {
    now.kernels = value;
    char expected[1024] = "", actual[1024] = "";
    for (size_t count = 1; count <= CREDKIT_PBKDF2_LANES; count++) {
        size_t index = first;
        while (index < tested_pbkdf2_count && tested_pbkdf2[index]->least_count > count) { index++; }
        strcat(strcat(expected, index < tested_pbkdf2_count ? tested_pbkdf2[index]->name : "none"), " ");
    }
    int ends[2], status = 0;
    CHECK(pipe(ends) == 0, "pipe");
    const pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) { print_choices(value, ends[1]); }
    close(ends[1]);
    CHECK(waitpid(child, &status, 0) == child && status == 0, "sound kernels are rejected");
    CHECK(read(ends[0], actual, sizeof actual - 1) >= 0, "read");
    close(ends[0]);
    CHECK(strcmp(expected, actual) == 0, "%swere chosen instead of %s", actual, expected);
}

void test_pbkdf2_selection(void) {
    now = (struct situation){.test = "pbkdf2 selection", .call = "choose"};
    check_choices(NULL, 0);
    check_choices("", 0);
    check_choices("AVX2", 0);
    check_choices("reference", tested_pbkdf2_count);
    check_choices("ssse3", tested_pbkdf2_count - 1);
    for (size_t index = 0; index < tested_pbkdf2_count; index++) { check_choices(tested_pbkdf2[index]->name, index); }
}
