// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares bcrypt with libxcrypt, and tests the test that its kernels pass before their first use.
#include "kernel_test.h"

#include <crypt.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LANES = CREDKIT_BCRYPT_LANES, LONGEST_PASSWORD = 90, SALT_TEXT = 22, DIGEST_TEXT = 31 };

const struct fault *planted_in_bcrypt;

void test_bcrypt_start(void) {
    now = (struct situation){.test = "bcrypt start", .call = "passes_test", .kernels = credkit_bcrypt_portable.name};
    CHECK(credkit_bcrypt_passes_test(&credkit_bcrypt_portable), "sound kernels are rejected");
    if (planted_in_bcrypt == NULL) { return; }
    sound_bcrypt = &credkit_bcrypt_portable;
    const struct credkit_bcrypt_kernels faulty = {planted_in_bcrypt->name, planted_in_bcrypt->bcrypt.advance};
    now.kernels = faulty.name;
    // Accepted, the fault counts as not found.
    CHECK(credkit_bcrypt_passes_test(&faulty), "rejected");
}

/// Checks whether kernels are chosen when CREDKIT_KERNELS is `value`, or is unset if `value` is NULL.
static void check_choice(const char *value, bool is_chosen) {
    now.kernels = value;
    const pid_t child = fork();
    CHECK(child >= 0, "fork");
    if (child == 0) {
        if ((value == NULL ? unsetenv("CREDKIT_KERNELS") : setenv("CREDKIT_KERNELS", value, 1)) != 0) { _exit(70); }
        CHECK((credkit_bcrypt_choose() != NULL) == is_chosen, "they are%s chosen", is_chosen ? " not" : "");
        for (size_t lanes = 1; lanes <= LANES; lanes++) {
            const size_t best = credkit_bcrypt_best_lanes(lanes);
            CHECK(is_chosen ? best >= 1 && best <= lanes : best == 0, "%zu lanes are the best of %zu", best, lanes);
            CHECK((credkit_bcrypt_time(lanes) > 0) == is_chosen, "there is%s time", is_chosen ? " no" : " a");
        }
        _exit(0);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child, "waitpid");
    if (status != 0) { _exit(1); }
}

void test_bcrypt_selection(void) {
    now = (struct situation){.test = "bcrypt selection", .call = "choose"};
    check_choice(NULL, true);
    check_choice("portable", true);
    check_choice("avx512", true);
    check_choice("reference", false);
}

/// Encodes bytes as bcrypt's texts do; returns the end.
static char *encode(char *text, const uint8_t *bytes, size_t length) {
    static const char alphabet[] = "./ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    uint32_t bits = 0, bit_count = 0;
    for (size_t n = 0; n < length; n++) {
        bits = bits << 8 | bytes[n];
        for (bit_count += 8; bit_count >= 6; bit_count -= 6) { *text++ = alphabet[bits >> (bit_count - 6) & 63]; }
    }
    if (bit_count > 0) { *text++ = alphabet[bits << (6 - bit_count) & 63]; }
    *text = 0;
    return text;
}

/// A lane in progress, and the text that libxcrypt makes of its password.
struct bcrypt_case {
    struct credkit_bcrypt_lane *lane;
    char setting[64], expected[CRYPT_OUTPUT_SIZE];
};

static struct crypt_data crypt_memory;

static void begin(struct bcrypt_case *made, const struct guarded *memory) {
    uint8_t password[LONGEST_PASSWORD + 1] = {0}, salt[CREDKIT_BCRYPT_SALT];
    // Around the 72 bytes that count as often as shorter ones.
    const size_t length = random_below(2) == 0 ? random_below(20) : 64 + random_below(LONGEST_PASSWORD - 63);
    // Bytes of 0xFF hide what the variants do differently with others beyond ASCII.
    const bool has_extremes = random_below(2) == 0;
    for (size_t n = 0; n < length; n++) {
        password[n] = has_extremes && random_below(8) > 0 ? 0xFF : (uint8_t)(1 + random_below(255));
    }
    random_fill(salt, sizeof salt);
    const char variant = "abxy"[random_below(4)];
    const unsigned cost = 4 + (random_below(8) == 0);
    char *end = made->setting + snprintf(made->setting, sizeof made->setting, "$2%c$%02u$", variant, cost);
    encode(end, salt, sizeof salt);
    const char *text = crypt_rn((const char *)password, made->setting, &crypt_memory, sizeof crypt_memory);
    CHECK(text != NULL, "libxcrypt failed");
    strcpy(made->expected, text);
    // A byte behind the length does not count, and neither does one behind a NUL.
    const size_t given = length < LONGEST_PASSWORD - 8 && random_below(4) == 0 ? length + 5 : length;
    if (given > length) { random_fill(password + length + 1, 4); }
    uint8_t *bytes = guarded_at(memory, given, (struct place){AT_END, 0});
    memcpy(bytes, password, given);
    guarded_close(memory, bytes, given);
    credkit_bcrypt_prepare(made->lane, (uint8_t)variant, given == 0 ? NULL : bytes, given, salt, cost);
    guarded_open(memory);
}

static void end(const struct bcrypt_case *made) {
    uint8_t digest[CREDKIT_BCRYPT_DIGEST];
    char text[128];
    credkit_bcrypt_finish(made->lane, digest);
    strcpy(text, made->setting);
    encode(text + strlen(text), digest, sizeof digest);
    CHECK(strcmp(text, made->expected) == 0, "%s instead of %s", text, made->expected);
    const uint8_t *bytes = (const uint8_t *)made->lane;
    for (size_t n = 0; n < sizeof *made->lane; n++) { CHECK(bytes[n] == 0, "byte %zu of the lane is not wiped", n); }
}

void test_bcrypt_random(size_t inputs) {
    now = (struct situation){.test = "bcrypt", .call = "advance", .kernels = credkit_bcrypt_portable.name};
    const struct guarded passwords = guarded_make(LONGEST_PASSWORD);
    struct bcrypt_case cases[LANES];
    bool is_running[LANES] = {false};
    for (size_t lane = 0; lane < LANES; lane++) {
        const struct guarded memory = guarded_make(sizeof *cases[lane].lane);
        cases[lane].lane = (void *)guarded_at(&memory, sizeof *cases[lane].lane, (struct place){AT_END, 0});
    }
    for (;;) {
        struct credkit_bcrypt_lane *lanes[LANES];
        size_t count = 0;
        for (size_t lane = 0; lane < LANES; lane++) {
            // They join at any time, so that their number varies.
            if (!is_running[lane] && inputs > 0 && random_below(3) > 0) {
                begin(&cases[lane], &passwords);
                is_running[lane] = true;
                inputs--;
            }
            if (is_running[lane]) { lanes[count++] = cases[lane].lane; }
        }
        if (count == 0 && inputs == 0) { break; }
        if (count == 0) { continue; }
        credkit_bcrypt_advance(&credkit_bcrypt_portable, lanes, count, (uint32_t)(1 + random_below(20)));
        for (size_t lane = 0; lane < LANES; lane++) {
            if (!is_running[lane]) { continue; }
            if (cases[lane].lane->rounds == 0) {
                end(&cases[lane]);
                is_running[lane] = false;
            } else if (random_below(50) == 0) {
                // Given up.
                credkit_bcrypt_wipe(cases[lane].lane);
                is_running[lane] = false;
            }
        }
    }
}

/// A computation on a stack of its own.
struct on_stack {
    struct credkit_bcrypt_lane lanes[LANES];
    size_t lane_count;
    const uint8_t *password, *stack;
    uint8_t *left;
    size_t count;
};

static void *run_on_stack(void *argument) {
    struct on_stack *run = argument;
    struct credkit_bcrypt_lane *lanes[LANES];
    uint8_t digest[CREDKIT_BCRYPT_DIGEST];
    for (size_t lane = 0; lane < run->lane_count; lane++) {
        lanes[lane] = &run->lanes[lane];
        credkit_bcrypt_prepare(lanes[lane], 'b', run->password, 32, (const uint8_t *)"sixteen bytes...", 4);
    }
    credkit_bcrypt_advance(&credkit_bcrypt_portable, lanes, run->lane_count, UINT32_MAX);
    for (size_t lane = 0; lane < run->lane_count; lane++) { credkit_bcrypt_finish(lanes[lane], digest); }
    explicit_bzero(digest, sizeof digest);
    // Above it is the thread's own data, such as its number.
    run->count = (size_t)((const uint8_t *)__builtin_frame_address(0) - run->stack) - 512;
    memcpy(run->left, run->stack, run->count);
    return NULL;
}

void test_bcrypt_stack(void) {
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    // Their frames are larger, and are not those of a release.
    return;
#endif
    enum { STACK = 256 << 10, PASSWORDS = 8 };
    now = (struct situation){.test = "bcrypt stack", .call = "advance", .kernels = credkit_bcrypt_portable.name};
    uint8_t *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint8_t *first = malloc(STACK), *left = malloc(STACK), password[32];
    static struct on_stack run;
    CHECK(stack != MAP_FAILED && first != NULL && left != NULL, "memory");
    run.stack = stack, run.left = left, run.password = password;
    for (run.lane_count = 1; run.lane_count <= LANES; run.lane_count++) {
        // The first thread leaves more: its calls are bound.
        for (int round = 0; round <= PASSWORDS; round++) {
            random_fill(password, sizeof password);
            memset(stack, 0, STACK);
            pthread_attr_t attributes;
            pthread_t thread;
            CHECK(pthread_attr_init(&attributes) == 0 && pthread_attr_setstack(&attributes, stack, STACK) == 0 &&
                      pthread_create(&thread, &attributes, run_on_stack, &run) == 0 && pthread_join(thread, NULL) == 0,
                  "pthread_create");
            pthread_attr_destroy(&attributes);
            if (round == 1) { memcpy(first, left, run.count); }
            // Any difference was made of the password.
            for (size_t byte = 0; round > 1 && byte < run.count; byte++) {
                CHECK(left[byte] == first[byte], "%zu lanes: the stack depends on the password, at depth %zu",
                      run.lane_count, run.count - byte);
            }
        }
    }
    free(first);
    free(left);
    munmap(stack, STACK);
}
