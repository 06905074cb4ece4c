// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests the selection of kernels. Each selection needs a separate process, because it happens once per process.
#include "kernel_test.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/// Calls each placeholder kernel: the first call must choose kernels, and also do its work.
static void call(const struct credkit_kernels *kernels, int which) {
    uint8_t output[16], expected[16];
    const uint8_t block[64] = {0x5A}, *blocks[CREDKIT_MD5_LANES] = {block};
    const struct credkit_md5_message message = {block, 3};
    uint32_t states[4][CREDKIT_MD5_LANES] = {{1}, {2}, {3}, {4}}, state[4] = {1, 2, 3, 4};
    switch (which) {
    case 0:
        CHECK(kernels->base64_encode((const uint8_t *)"\xFB\xFF", 2, output, 4,
                                     CREDKIT_BASE64_PADDED | CREDKIT_BASE64_URL_SAFE) == 4 &&
                  memcmp(output, "-_8=", 4) == 0,
              "the text is wrong");
        CHECK(kernels->base64_encode(block, 3, output, 3, 0) == -1, "there is too little room");
        break;
    case 1:
        CHECK(kernels->base64_decode((const uint8_t *)"-_8-!", 1, output, CREDKIT_BASE64_URL_SAFE) == 1 &&
                  memcmp(output, "\xFB\xFF\x3E", 3) == 0,
              "the bytes are wrong");
        break;
    case 2:
        CHECK(kernels->base64_decode_text((const uint8_t *)"+/8=", 4, output, CREDKIT_BASE64_PADDED) == 2 &&
                  memcmp(output, "\xFB\xFF", 2) == 0,
              "the bytes are wrong");
        break;
    case 3:
        kernels->md5_blocks(states, blocks, 1, 1);
        oracle_md5_blocks(state, block, 1);
        for (int word = 0; word < 4; word++) { CHECK(states[word][0] == state[word], "the state is wrong"); }
        break;
    case 4:
        kernels->md5_short(md5_start, 64, &message, 1, output);
        oracle_md5(md5_start, 64, block, 3, expected);
        CHECK(memcmp(output, expected, 16) == 0, "the digest is wrong");
        break;
    default:
        memcpy(output, block, 16);
        kernels->md5_of_digests(md5_start, 64, output, 1);
        oracle_md5(md5_start, 64, block, 16, expected);
        CHECK(memcmp(output, expected, 16) == 0, "the digest of a digest is wrong");
    }
}

/// Checks the chosen kernels when CREDKIT_KERNELS is `value`, or is unset if `value` is NULL, for each call that may be
/// the first.
static void check_choice(const char *value, const char *expected) {
    now.kernels = value;
    for (int which = 0; which <= 5; which++) {
        pid_t child = fork();
        CHECK(child >= 0, "fork");
        if (child == 0) {
            if ((value == NULL ? unsetenv("CREDKIT_KERNELS") : setenv("CREDKIT_KERNELS", value, 1)) != 0) { _exit(70); }
            CHECK(credkit_kernels_get() == kernels_at_start, "kernels were chosen before the first call");
            call(credkit_kernels_get(), which);
            const struct credkit_kernels *chosen = credkit_kernels_get();
            CHECK(strcmp(chosen->name, expected) == 0, "%s was chosen instead of %s", chosen->name, expected);
            CHECK(chosen == credkit_chosen_kernels && chosen == credkit_kernels_choose(), "the choice is not kept");
            // A pointer obtained before the selection still works.
            call(kernels_at_start, which);
            _exit(0);
        }
        int status = 0;
        CHECK(waitpid(child, &status, 0) == child, "waitpid");
        if (status != 0) { _exit(1); }
    }
}

void test_selection(void) {
    now = (struct situation){.test = "selection", .call = "choose"};
    // Undoes an earlier selection of this process.
    const struct credkit_kernels *chosen = credkit_kernels_get();
    credkit_chosen_kernels = kernels_at_start;
    size_t count = 0;
    const struct credkit_kernels *const *supported = credkit_kernels_supported(&count);
    CHECK(count > 0 && strcmp(supported[count - 1]->name, "portable") == 0, "the portable kernels are not the last");
    const char *fastest = supported[0]->name;
    check_choice(NULL, fastest);
    static const char *const unknown[] = {"", "none", "avx", "AVX2", "avx2 ", "avx51", "portable,avx2"};
    for (size_t index = 0; index < sizeof unknown / sizeof unknown[0]; index++) {
        check_choice(unknown[index], fastest);
    }
    // Kernels that the processor does not support are treated like unknown ones.
    static const char *const names[] = {"avx512", "avx2", "ssse3", "portable"};
    for (size_t name = 0; name < sizeof names / sizeof names[0]; name++) {
        const char *expected = fastest;
        for (size_t index = 0; index < count; index++) {
            if (strcmp(supported[index]->name, names[name]) == 0) { expected = names[name]; }
        }
        check_choice(names[name], expected);
    }
    credkit_chosen_kernels = chosen;
}
