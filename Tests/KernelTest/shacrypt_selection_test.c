// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests the test that kernels of SHA-crypt pass before their first use, and their selection.
#include "kernel_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

const struct fault *planted_in_shacrypt;

static const int variants[2] = {CREDKIT_SHA256_CRYPT, CREDKIT_SHA512_CRYPT};

static bool is_rejected_with_fault(const struct credkit_shacrypt_kernels *kernels) {
    sound_shacrypt = kernels;
    struct credkit_shacrypt_kernels faulty = *kernels;
    faulty.name = planted_in_shacrypt->name;
    if (planted_in_shacrypt->shacrypt.advance != NULL) { faulty.advance = planted_in_shacrypt->shacrypt.advance; }
    if (planted_in_shacrypt->shacrypt.compress != NULL) { faulty.compress = planted_in_shacrypt->shacrypt.compress; }
    return !credkit_shacrypt_passes_test(&faulty);
}

void test_shacrypt_start(void) {
    now = (struct situation){.test = "shacrypt start", .call = "passes_test"};
    size_t accepted = 0;
    for (int variant = 0; variant < 2; variant++) {
        size_t count;
        const struct credkit_shacrypt_kernels *const *kernels = credkit_shacrypt_supported(variants[variant], &count);
        for (size_t index = 0; index < count; index++) {
            now.kernels = kernels[index]->name;
            if (planted_in_shacrypt != NULL) {
                accepted += !is_rejected_with_fault(kernels[index]);
            } else {
                CHECK(credkit_shacrypt_passes_test(kernels[index]), "sound kernels of variant %d are rejected", variants[variant]);
            }
        }
    }
    if (planted_in_shacrypt == NULL) { return; }
    now.kernels = planted_in_shacrypt->name;
    // Accepted by any of them, the fault counts as not found.
    CHECK(accepted > 0, "rejected in all kernels");
}

static const char *name_of(const struct credkit_shacrypt_kernels *kernels) { return kernels != NULL ? kernels->name : "none"; }

/// Prints the kernels that a process with an environment variable chooses.
static void print_choices(const char *value, int output) {
    if ((value == NULL ? unsetenv("CREDKIT_KERNELS") : setenv("CREDKIT_KERNELS", value, 1)) != 0) { _exit(70); }
    for (int n = 0; n < 2; n++) { dprintf(output, "%s ", name_of(credkit_shacrypt_choose(variants[n]))); }
    _exit(credkit_shacrypt_rejected() == NULL ? 0 : 1);
}

/// The first supported kernels with one of the last `allowed` names.
static const char *expected_choice(int variant, size_t allowed) {
    static const char *const names[] = {"portable", "avx2", "sha", "avx512"};
    size_t count;
    const struct credkit_shacrypt_kernels *const *kernels = credkit_shacrypt_supported(variant, &count);
    for (size_t index = 0; index < count; index++) {
        for (size_t name = 0; name < allowed; name++) {
            if (strcmp(kernels[index]->name, names[name]) == 0) { return kernels[index]->name; }
        }
    }
    return "none";
}

static void check_choices(const char *value, size_t allowed) {
    now.kernels = value;
    char expected[100], actual[100] = "";
    snprintf(expected, sizeof expected, "%s %s ", expected_choice(variants[0], allowed), expected_choice(variants[1], allowed));
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

void test_shacrypt_selection(void) {
    now = (struct situation){.test = "shacrypt selection", .call = "choose"};
    check_choices(NULL, 4);
    check_choices("", 4);
    check_choices("AVX2", 4);
    check_choices("avx512", 4);
    check_choices("sha", 3);
    check_choices("avx2", 2);
    check_choices("ssse3", 1);
    check_choices("portable", 1);
    check_choices("reference", 0);
}
