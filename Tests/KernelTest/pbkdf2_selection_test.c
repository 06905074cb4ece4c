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

/// Writes the kernels that compute each number of lanes of each hash function, and how many lanes they take at once.
static void write_choices(const struct credkit_pbkdf2_set *const sets[CREDKIT_PBKDF2_FUNCTIONS], char *text, size_t room) {
    size_t length = 0;
    for (int function = 0; function < CREDKIT_PBKDF2_FUNCTIONS; function++) {
        const struct credkit_pbkdf2_set *set = sets[function];
        for (size_t count = 1; count <= CREDKIT_PBKDF2_LANES; count++) {
            size_t taken = 0;
            const char *name =
                set == NULL || set->count == 0 ? "none" : credkit_pbkdf2_next(set, count, &taken)->name;
            CHECK(taken <= count && (taken > 0 || set == NULL || set->count == 0), "%zu of %zu lanes", taken, count);
            length += (size_t)snprintf(text + length, room - length, "%s*%zu ", name, taken);
        }
    }
}

/// Writes the choices of a process with an environment variable.
static void print_choices(const char *value, int output) {
    if ((value == NULL ? unsetenv("CREDKIT_KERNELS") : setenv("CREDKIT_KERNELS", value, 1)) != 0) { _exit(70); }
    const struct credkit_pbkdf2_set *sets[CREDKIT_PBKDF2_FUNCTIONS];
    char text[2048] = "";
    for (int function = 0; function < CREDKIT_PBKDF2_FUNCTIONS; function++) {
        sets[function] = credkit_pbkdf2_choose(function);
    }
    write_choices(sets, text, sizeof text);
    dprintf(output, "%s", text);
    _exit(credkit_pbkdf2_rejected() == NULL ? 0 : 1);
}

/// The order of the instruction sets.
static int rank(const char *name) {
    static const char *const names[] = {"avx512", "sha", "avx2", "portable"};
    int found = 0;
    while (strcmp(names[found], name) != 0) { found++; }
    return found;
}

/// Checks the choices if only the kernels from `first` on are allowed, or none.
static void check_choices(const char *value, const char *first) {
    now.kernels = value;
    struct credkit_pbkdf2_set expected_sets[CREDKIT_PBKDF2_FUNCTIONS] = {{0, {NULL}}};
    for (size_t index = 0; index < tested_pbkdf2_count && first != NULL; index++) {
        const struct credkit_pbkdf2_kernels *kernels = tested_pbkdf2[index];
        struct credkit_pbkdf2_set *set = &expected_sets[kernels->function];
        if (rank(kernels->name) >= rank(first)) { set->kernels[set->count++] = kernels; }
    }
    char expected[2048] = "", actual[2048] = "";
    const struct credkit_pbkdf2_set *sets[] = {&expected_sets[0], &expected_sets[1], &expected_sets[2]};
    write_choices(sets, expected, sizeof expected);
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
    const char *fastest = tested_pbkdf2[0]->name;
    check_choices(NULL, fastest);
    check_choices("", fastest);
    check_choices("AVX2", fastest);
    check_choices("reference", NULL);
    check_choices("ssse3", "portable");
    for (size_t index = 0; index < tested_pbkdf2_count; index++) {
        check_choices(tested_pbkdf2[index]->name, tested_pbkdf2[index]->name);
    }
}
