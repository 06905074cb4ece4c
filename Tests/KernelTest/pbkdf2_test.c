// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares PBKDF2 with OpenSSL.
#include "kernel_test.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <time.h>

enum { LANES = CREDKIT_PBKDF2_LANES, LONGEST_PASSWORD = 300, LONGEST_SALT = 100, LONGEST_KEY = 100 };

static struct guarded passwords[LANES], salts[LANES], keys;

static const uint8_t *random_input(const struct guarded *memory, size_t length) {
    uint8_t *bytes = guarded_at(memory, length, random_place());
    random_fill(bytes, length);
    guarded_close(memory, bytes, length);
    // Without bytes no pointer is needed.
    return length == 0 && random_below(2) == 0 ? NULL : bytes;
}

/// Derives the keys of one batch with all kernels under test.
static void check_batch(size_t count, uint32_t iterations, size_t key_length) {
    static const int never = 0;
    static uint8_t expected[LANES * LONGEST_KEY];
    struct credkit_pbkdf2_input inputs[LANES];
    for (size_t lane = 0; lane < count; lane++) {
        guarded_open(&passwords[lane]);
        guarded_open(&salts[lane]);
        struct credkit_pbkdf2_input *input = &inputs[lane];
        // Most passwords fit into a block.
        input->password_length = random_below((random_below(2) == 0 ? 66 : LONGEST_PASSWORD) + 1);
        input->salt_length = random_below(LONGEST_SALT + 1);
        input->password = random_input(&passwords[lane], input->password_length);
        input->salt = random_input(&salts[lane], input->salt_length);
        CHECK(PKCS5_PBKDF2_HMAC(input->password == NULL ? "" : (const char *)input->password,
                                (int)input->password_length, input->salt, (int)input->salt_length, (int)iterations,
                                EVP_sha256(), (int)key_length, expected + lane * key_length) == 1,
              "OpenSSL failed");
    }
    const size_t length = count * key_length;
    for (size_t index = 0; index < tested_pbkdf2_count; index++) {
        now.kernels = tested_pbkdf2[index]->name;
        now.length = length;
        uint8_t *key = guarded_at(&keys, length, random_place());
        canary_put(&keys, key, length, 0xA5);
        guarded_close(&keys, key, length);
        const int status =
            credkit_pbkdf2_derive(tested_pbkdf2[index], inputs, count, iterations, key, key_length, &never);
        CHECK(status == CREDKIT_PBKDF2_DONE && memcmp(key, expected, length) == 0,
              "wrong keys: %zu passwords, %u iterations, %zu bytes", count, iterations, key_length);
        guarded_open(&keys);
        canary_check(&keys, key, length, length, 0xA5);
    }
}

void test_pbkdf2_random(size_t inputs) {
    now = (struct situation){.test = "pbkdf2", .call = "derive"};
    for (size_t lane = 0; lane < LANES; lane++) {
        passwords[lane] = guarded_make(LONGEST_PASSWORD + 1024);
        salts[lane] = guarded_make(LONGEST_SALT + 1024);
    }
    keys = guarded_make(LANES * LONGEST_KEY + 1024);
    while (inputs > 0) {
        size_t count = random_below(2) == 0 ? LANES : 1 + random_below(LANES);
        if (count > inputs) { count = inputs; }
        // Some are computed in more than one step.
        const size_t most = random_below(500) == 0 ? 2500 : 40;
        check_batch(count, (uint32_t)(1 + random_below(most)), random_below(2) == 0 ? 32 : 1 + random_below(LONGEST_KEY));
        inputs -= count;
    }
    now.kernels = NULL;
}

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_cancelled;
static double cancelled_at;

static void *cancel(void *unused) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    cancelled_at = seconds();
    __atomic_store_n(&is_cancelled, 1, __ATOMIC_RELEASE);
    return unused;
}

double test_pbkdf2_cancellation(void) {
    now = (struct situation){.test = "pbkdf2 cancellation", .call = "derive"};
    struct credkit_pbkdf2_input inputs[LANES] = {{NULL, 0, NULL, 0}};
    uint8_t key[LANES * 32];
    double longest = 0;
    for (size_t index = 0; index < tested_pbkdf2_count; index++) {
        now.kernels = tested_pbkdf2[index]->name;
        is_cancelled = 0;
        pthread_t thread;
        CHECK(pthread_create(&thread, NULL, cancel, NULL) == 0, "pthread_create");
        // Minutes.
        const int status = credkit_pbkdf2_derive(tested_pbkdf2[index], inputs, LANES, UINT32_MAX, key, 32, &is_cancelled);
        const double end = seconds();
        pthread_join(thread, NULL);
        CHECK(status == CREDKIT_PBKDF2_CANCELLED, "it was not cancelled");
        if (end - cancelled_at > longest) { longest = end - cancelled_at; }
    }
    return longest;
}
