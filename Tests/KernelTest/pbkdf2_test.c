// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares PBKDF2 with OpenSSL.
#include "kernel_test.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <time.h>

enum { LANES = CREDKIT_PBKDF2_LANES, LONGEST_PASSWORD = 300, LONGEST_SALT = 300, LONGEST_KEY = 200 };

static struct guarded passwords[LANES], salts[LANES], keys;

static const uint8_t *random_input(const struct guarded *memory, size_t length) {
    uint8_t *bytes = guarded_at(memory, length, random_place());
    random_fill(bytes, length);
    guarded_close(memory, bytes, length);
    // Without bytes no pointer is needed.
    return length == 0 && random_below(2) == 0 ? NULL : bytes;
}

/// Lengths from 0 to `longest`, many of them around the sizes of blocks and of their padding.
static size_t random_length(size_t longest) {
    static const size_t edges[] = {0, 55, 64, 111, 128, 192, 256};
    const size_t edge = edges[random_below(sizeof edges / sizeof edges[0])] + random_below(4);
    return random_below(2) == 0 && edge > 0 && edge - 1 <= longest ? edge - 1 : random_below(longest + 1);
}

static const EVP_MD *digest_of(int function) {
    return function == CREDKIT_PBKDF2_SHA1 ? EVP_sha1() : function == CREDKIT_PBKDF2_SHA256 ? EVP_sha256() : EVP_sha512();
}

static void expect(const struct credkit_pbkdf2_input *input, int function, uint32_t iterations, uint8_t *key,
                   size_t key_length) {
    CHECK(PKCS5_PBKDF2_HMAC(input->password == NULL ? "" : (const char *)input->password, (int)input->password_length,
                            input->salt, (int)input->salt_length, (int)iterations, digest_of(function),
                            (int)key_length, key) == 1,
          "OpenSSL failed");
}

static void make_inputs(struct credkit_pbkdf2_input *inputs, size_t count) {
    for (size_t lane = 0; lane < count; lane++) {
        guarded_open(&passwords[lane]);
        guarded_open(&salts[lane]);
        struct credkit_pbkdf2_input *input = &inputs[lane];
        input->password_length = random_length(LONGEST_PASSWORD);
        input->salt_length = random_length(LONGEST_SALT);
        input->password = random_input(&passwords[lane], input->password_length);
        input->salt = random_input(&salts[lane], input->salt_length);
    }
}

/// Derives the keys of one batch with a set of kernels.
static void check_batch(const struct credkit_pbkdf2_set *set, const char *name, const struct credkit_pbkdf2_input *inputs,
                        size_t count, uint32_t iterations, const uint8_t *expected, size_t key_length) {
    static const int never = 0;
    const size_t length = count * key_length;
    now.kernels = name;
    now.length = length;
    uint8_t *key = guarded_at(&keys, length, random_place());
    canary_put(&keys, key, length, 0xA5);
    guarded_close(&keys, key, length);
    const int status = credkit_pbkdf2_derive(set, inputs, count, iterations, key, key_length, &never);
    CHECK(status == CREDKIT_PBKDF2_DONE && memcmp(key, expected, length) == 0,
          "wrong keys: function %d, %zu passwords, %u iterations, %zu bytes", set->kernels[0]->function, count, iterations,
          key_length);
    guarded_open(&keys);
    canary_check(&keys, key, length, length, 0xA5);
}

/// Advances lanes that begin and end at different times, in steps of different sizes.
static void check_lanes(const struct credkit_pbkdf2_set *set, const char *name, const struct credkit_pbkdf2_input *inputs,
                        size_t count) {
    struct credkit_pbkdf2_lane lanes[LANES], *running[LANES];
    uint32_t iterations[LANES];
    const struct credkit_pbkdf2_lane zeros = {.rest = 0};
    const int function = set->kernels[0]->function;
    const size_t size = credkit_pbkdf2_digest_size(function);
    size_t begun = 0, running_count = 0;
    now.kernels = name;
    while (begun < count || running_count > 0) {
        for (size_t more = random_below(4); more > 0 && begun < count; more--, begun++) {
            iterations[begun] = (uint32_t)(1 + random_below(60));
            credkit_pbkdf2_prepare(&lanes[begun], function, &inputs[begun], 2, iterations[begun]);
            running[running_count++] = &lanes[begun];
        }
        credkit_pbkdf2_advance(set, running, running_count, (uint32_t)random_below(20));
        for (size_t n = 0; n < running_count;) {
            if (running[n]->rest > 0) {
                n++;
                continue;
            }
            uint8_t expected[2 * CREDKIT_PBKDF2_DIGEST], digest[CREDKIT_PBKDF2_DIGEST];
            const size_t lane = (size_t)(running[n] - lanes);
            expect(&inputs[lane], function, iterations[lane], expected, 2 * size);
            credkit_pbkdf2_finish(running[n], digest);
            CHECK(memcmp(digest, expected + size, size) == 0, "wrong block of lane %zu of %zu", lane, count);
            CHECK(memcmp(running[n], &zeros, sizeof zeros) == 0, "a lane was not wiped");
            running[n] = running[--running_count];
        }
    }
}

/// Computes one batch with each of the kernels of a hash function, and with all of them.
static void check_function(int function, const struct credkit_pbkdf2_input *inputs, size_t count, uint32_t iterations,
                           size_t key_length) {
    static uint8_t expected[LANES * LONGEST_KEY];
    struct credkit_pbkdf2_set all = {0, {NULL}};
    for (size_t lane = 0; lane < count; lane++) {
        expect(&inputs[lane], function, iterations, expected + lane * key_length, key_length);
    }
    for (size_t index = 0; index < tested_pbkdf2_count; index++) {
        if (tested_pbkdf2[index]->function != function) { continue; }
        const struct credkit_pbkdf2_set one = {1, {tested_pbkdf2[index]}};
        all.kernels[all.count++] = tested_pbkdf2[index];
        check_batch(&one, one.kernels[0]->name, inputs, count, iterations, expected, key_length);
        check_lanes(&one, one.kernels[0]->name, inputs, count);
    }
    check_batch(&all, "all", inputs, count, iterations, expected, key_length);
    check_lanes(&all, "all", inputs, count);
}

void test_pbkdf2_random(size_t inputs) {
    now = (struct situation){.test = "pbkdf2", .call = "derive"};
    struct credkit_pbkdf2_input batch[LANES];
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
        const uint32_t iterations = (uint32_t)(1 + random_below(most));
        make_inputs(batch, count);
        check_function((int)random_below(CREDKIT_PBKDF2_FUNCTIONS), batch, count, iterations,
                       random_below(2) == 0 ? 32 : 1 + random_below(LONGEST_KEY));
        inputs -= count;
    }
    now.kernels = NULL;
}

static pthread_t deriving;

/// The processor time of the thread that derives keys.
static double processor_seconds(void) {
    clockid_t clock;
    struct timespec time;
    CHECK(pthread_getcpuclockid(deriving, &clock) == 0 && clock_gettime(clock, &time) == 0, "no processor time");
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int is_cancelled;
static double cancelled_at;

static void *cancel(void *unused) {
    const struct timespec time = {0, 20000000};
    nanosleep(&time, NULL);
    cancelled_at = processor_seconds();
    __atomic_store_n(&is_cancelled, 1, __ATOMIC_RELEASE);
    return unused;
}

double test_pbkdf2_cancellation(void) {
    now = (struct situation){.test = "pbkdf2 cancellation", .call = "derive"};
    struct credkit_pbkdf2_input inputs[LANES] = {{NULL, 0, NULL, 0}};
    uint8_t key[LANES * 20];
    double longest = 0;
    deriving = pthread_self();
    for (size_t index = 0; index < tested_pbkdf2_count; index++) {
        now.kernels = tested_pbkdf2[index]->name;
        for (size_t count = 1; count <= LANES; count += LANES - 1) {
            is_cancelled = 0;
            pthread_t thread;
            CHECK(pthread_create(&thread, NULL, cancel, NULL) == 0, "pthread_create");
            // Minutes.
            const struct credkit_pbkdf2_set set = {1, {tested_pbkdf2[index]}};
            const int status = credkit_pbkdf2_derive(&set, inputs, count, UINT32_MAX, key, 20, &is_cancelled);
            const double end = processor_seconds();
            pthread_join(thread, NULL);
            CHECK(status == CREDKIT_PBKDF2_CANCELLED, "it was not cancelled");
            if (end - cancelled_at > longest) { longest = end - cancelled_at; }
        }
    }
    return longest;
}
