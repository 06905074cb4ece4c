// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Which kernels are chosen. Each choice is made by a process of its own, since it is made once.
#include "kernel_test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/// Checks what is chosen when CREDKIT_KERNELS is `value`, or is not set if that is NULL.
static void check_choice(const char *value, const char *expected) {
    now.kernels = value;
    pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) {
        if ((value == NULL ? unsetenv("CREDKIT_KERNELS") : setenv("CREDKIT_KERNELS", value, 1)) != 0) { _exit(70); }
        credkit_chosen_kernels = NULL;
        const struct credkit_kernels *chosen = credkit_kernels_get();
        CHECK(strcmp(chosen->name, expected) == 0, "%s was chosen instead of %s", chosen->name, expected);
        CHECK(chosen == credkit_chosen_kernels && chosen == credkit_kernels_get(), "the choice is not kept");
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    if (status != 0) { _exit(1); }
}

void test_selection(void) {
    now = (struct situation){.test = "selection", .call = "choose"};
    size_t count = 0;
    const struct credkit_kernels *const *supported = credkit_kernels_supported(&count);
    CHECK(count > 0 && strcmp(supported[count - 1]->name, "portable") == 0, "the portable kernels are not the last");
    const char *fastest = supported[0]->name;
    check_choice(NULL, fastest);
    static const char *const unknown[] = {"", "none", "avx", "AVX2", "avx2 ", "avx51", "portable,avx2"};
    for (size_t index = 0; index < sizeof unknown / sizeof unknown[0]; index++) {
        check_choice(unknown[index], fastest);
    }
    // One that the processor does not have is as good as unknown.
    static const char *const names[] = {"avx512", "avx2", "ssse3", "portable"};
    for (size_t name = 0; name < sizeof names / sizeof names[0]; name++) {
        const char *expected = fastest;
        for (size_t index = 0; index < count; index++) {
            if (strcmp(supported[index]->name, names[name]) == 0) { expected = names[name]; }
        }
        check_choice(names[name], expected);
    }
}
