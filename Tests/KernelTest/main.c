// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Tests that the kernels of every instruction set of this processor return the same bytes as OpenSSL, and access only
// their input and output.
//
// usage: kernel-test [--inputs COUNT] [--seed NUMBER] [--plant FAULT] [--sparse yes] [openssl|selection|base64|skipping|hex|md5|argon2|pbkdf2|shacrypt|scrypt|bcrypt …]
//        kernel-test --list-plants
#include "kernel_test.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct situation now;
bool is_sparse;
static uint64_t seed;

void fail(const char *format, ...) {
    fprintf(stderr,
            "kernel-test: %s: %s by %s (length %zu, source at %zu and target at %zu modulo 64, %s alphabet, %spadded, "
            "seed %llu): ",
            now.test, now.call, now.kernels != NULL ? now.kernels : "no kernels", now.length, now.alignment,
            now.target_alignment, now.form & CREDKIT_BASE64_URL_SAFE ? "URL-safe" : "standard",
            now.form & CREDKIT_BASE64_PADDED ? "" : "not ",
            (unsigned long long)seed);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    // Not exit(), because this may run in a signal handler.
    _exit(1);
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

#define RUN(call, ...) \
    do { \
        double started = seconds(); \
        call; \
        printf("kernel-test: %s: " __VA_ARGS__); \
        printf(" (%.1f s)\n", seconds() - started); \
        fflush(stdout); \
    } while (0)

static void run(const char *name, size_t inputs) {
    double longest;
    if (strcmp(name, "openssl") == 0) {
        RUN(test_openssl_calls(), "from %d threads", now.test, 4);
    } else if (strcmp(name, "selection") == 0) {
        RUN(test_selection(), "by CREDKIT_KERNELS", now.test);
    } else if (strcmp(name, "base64") == 0) {
        RUN(test_base64_random(inputs), "%zu of 0 to %d bytes, each valid and with errors", now.test, inputs, LONGEST);
        RUN(test_base64_lengths(), "0 to 1024 bytes at 0 to 63, and at guard pages", now.test);
        RUN(test_base64_errors(), "texts of 1 to 342 groups", now.test);
        RUN(test_base64_values(), "texts of up to 1024 characters", now.test);
        RUN(test_base64_characters(), "all of them", now.test);
        RUN(test_base64_ends(), "two and three characters", now.test);
        RUN(test_base64_padding(), "texts of 0 to 140 characters", now.test);
    } else if (strcmp(name, "skipping") == 0) {
        RUN(test_base64_skipping(inputs), "%zu texts of 0 to 200 characters", now.test, inputs);
        RUN(test_base64_lines(inputs / 4), "%zu texts of 0 to 200 characters", now.test, inputs / 4);
    } else if (strcmp(name, "hex") == 0) {
        RUN(test_hex_encoding(), "0 to 200 bytes at 0 to 63, and at guard pages", now.test);
        RUN(test_hex_decoding(), "0 to 401 digits at 0 to 63, and at guard pages", now.test);
        RUN(test_hex_values(), "texts of up to 200 digits", now.test);
    } else if (strcmp(name, "md5") == 0) {
        RUN(test_md5_padding(), "0 to 63 bytes", now.test);
        RUN(test_md5_pieces(inputs / 10), "%zu messages", now.test, inputs / 10);
        RUN(test_md5_blocks(inputs / 10), "1 to 16 lanes, %zu messages", now.test, inputs / 10);
        RUN(test_md5_short(inputs), "%zu messages of 0 to 55 bytes", now.test, inputs);
        RUN(test_md5_of_digests(inputs / 4), "%zu digests", now.test, inputs / 4);
        RUN(test_md5_batches(inputs), "%zu messages of 0 to %d bytes", now.test, inputs, LONGEST);
        RUN(test_hmac_batches(inputs / 4), "%zu messages of 0 to %d bytes", now.test, inputs / 4, LONGEST);
    } else if (strcmp(name, "argon2") == 0) {
        RUN(test_argon2_start(), "the known answers of %zu kernels", now.test, tested_argon2_count);
        RUN(test_argon2_selection(), "by CREDKIT_KERNELS", now.test);
        RUN(test_arena(), "aligned and wiped", now.test);
        RUN(test_arena_lock(), "on request, within the limit", now.test);
        RUN(test_argon2_stack(), "equal for all passwords", now.test);
        RUN(test_argon2_stack_of_threads(), "equal for all passwords", now.test);
        RUN(test_argon2_cancellation(), "within 512 blocks", now.test);
        run("lanes", inputs);
    } else if (strcmp(name, "lanes") == 0) {
        RUN(test_argon2_threads(), "the same tags, also without more threads and with cancellations", now.test);
        RUN(test_argon2_random(inputs), "%zu inputs of 8 KiB to 8 MiB, on 1 to 9 threads", now.test, inputs);
    } else if (strcmp(name, "pbkdf2") == 0) {
        RUN(test_pbkdf2_start(), "the known answers of %zu kernels", now.test, tested_pbkdf2_count);
        RUN(test_pbkdf2_selection(), "by CREDKIT_KERNELS", now.test);
        RUN(test_pbkdf2_random(inputs), "%zu passwords of 0 to 300 bytes", now.test, inputs);
        RUN(longest = test_pbkdf2_cancellation(), "at most %.2f ms of processor time", now.test, longest * 1e3);
    } else if (strcmp(name, "shacrypt") == 0) {
        RUN(test_shacrypt_start(), "the known answers of all kernels", now.test);
        RUN(test_shacrypt_selection(), "by CREDKIT_KERNELS", now.test);
        RUN(test_shacrypt_vectors(), "of the specification", now.test);
        RUN(test_shacrypt_stack(), "equal for all passwords", now.test);
        RUN(test_shacrypt_random(inputs), "%zu passwords of 0 to 63 bytes", now.test, inputs);
        RUN(longest = test_shacrypt_cancellation(), "at most %.2f ms", now.test, longest * 1e3);
    } else if (strcmp(name, "scrypt") == 0) {
        RUN(test_scrypt_start(), "the known answers of %zu kernels", now.test, tested_scrypt_count);
        RUN(test_scrypt_selection(), "by CREDKIT_KERNELS", now.test);
        RUN(test_scrypt_random(inputs), "%zu passwords, 2 to 256 blocks", now.test, inputs);
        RUN(test_scrypt_other_lanes(), "unchanged by cancelled ones", now.test);
        RUN(test_scrypt_stack(), "equal for all passwords", now.test);
        RUN(test_scrypt_cancellation(), "within 8,192 sub-blocks, or two steps", now.test);
    } else if (strcmp(name, "bcrypt") == 0) {
        RUN(test_bcrypt_start(), "the known answers", now.test);
        RUN(test_bcrypt_selection(), "by CREDKIT_KERNELS", now.test);
        RUN(test_bcrypt_random(inputs), "%zu passwords of 0 to 90 bytes", now.test, inputs);
        RUN(test_bcrypt_stack(), "equal for all passwords", now.test);
    } else {
        fprintf(stderr, "kernel-test: there is no test %s\n", name);
        exit(64);
    }
}

int main(int count, char **arguments) {
    size_t inputs = 1000000;
    const char *fault = NULL;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    seed = (uint64_t)time.tv_nsec * 1000003 ^ (uint64_t)time.tv_sec;
    int first = 1;
    for (; first < count && strncmp(arguments[first], "--", 2) == 0; first += 2) {
        if (strcmp(arguments[first], "--list-plants") == 0) {
            for (size_t index = 0; planted_fault(index) != NULL; index++) { puts(planted_fault(index)->name); }
            return 0;
        }
        const char *value = first + 1 < count ? arguments[first + 1] : "";
        if (strcmp(arguments[first], "--inputs") == 0) {
            inputs = strtoull(value, NULL, 10);
        } else if (strcmp(arguments[first], "--seed") == 0) {
            seed = strtoull(value, NULL, 10);
        } else if (strcmp(arguments[first], "--plant") == 0) {
            fault = value;
        } else if (strcmp(arguments[first], "--sparse") == 0) {
            is_sparse = strcmp(value, "yes") == 0;
        } else {
            fprintf(stderr, "kernel-test: there is no option %s\n", arguments[first]);
            return 64;
        }
    }
    random_seed(seed);
    oracle_prepare();
    guarded_watch();
    kernels_at_start = credkit_kernels_get();
    tested = credkit_kernels_supported(&tested_count);
    tested_argon2 = credkit_argon2_supported(&tested_argon2_count);
    tested_pbkdf2 = credkit_pbkdf2_supported(&tested_pbkdf2_count);
    tested_scrypt = credkit_scrypt_supported(&tested_scrypt_count);
    if (fault != NULL && !plant(fault)) {
        fprintf(stderr, "kernel-test: there is no fault %s\n", fault);
        return 64;
    }
    printf("kernel-test: seed %llu, kernels", (unsigned long long)seed);
    for (size_t index = 0; index < tested_count; index++) { printf(" %s", tested[index]->name); }
    putchar('\n');
    if (first == count) {
        run("openssl", inputs);
        run("selection", inputs);
        run("base64", inputs);
        run("skipping", inputs);
        run("hex", inputs);
        run("md5", inputs);
        run("argon2", inputs / 50);
        run("pbkdf2", inputs / 50);
        run("shacrypt", inputs / 200);
        run("scrypt", inputs / 200);
        run("bcrypt", inputs / 1000);
    }
    for (; first < count; first++) { run(arguments[first], inputs); }
    return 0;
}
