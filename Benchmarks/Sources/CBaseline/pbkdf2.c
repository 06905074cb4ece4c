// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "pbkdf2.h"

#include <openssl/evp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

struct work {
    atomic_int left;
    atomic_int failures;
    int iterations;
};

static void *derive(void *argument) {
    struct work *work = argument;
    unsigned char salt[16] = {0}, key[32];
    static const char password[] = "97070e99c2efa11e14a1b6f5407b4209";
    int number;
    while ((number = atomic_fetch_sub(&work->left, 1)) > 0) {
        memcpy(salt, &number, sizeof number);
        if (PKCS5_PBKDF2_HMAC(password, sizeof password - 1, salt, sizeof salt, work->iterations, EVP_sha256(),
                              sizeof key, key) != 1) {
            atomic_fetch_add(&work->failures, 1);
        }
    }
    return NULL;
}

int baseline_pbkdf2(int count, int iterations, int thread_count) {
    struct work work = {.left = count, .failures = 0, .iterations = iterations};
    pthread_t threads[64];
    int started = 0;
    if (thread_count > 64) thread_count = 64;
    while (started < thread_count - 1 && pthread_create(&threads[started], NULL, derive, &work) == 0) started++;
    derive(&work);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return started == thread_count - 1 ? atomic_load(&work.failures) : -1;
}

int baseline_pbkdf2_single(const char *digest, int iterations) {
    static const char password[] = "correct horse";
    static const unsigned char salt[] = "saltsaltsaltsalt";
    unsigned char key[EVP_MAX_MD_SIZE];
    const EVP_MD *function = EVP_get_digestbyname(digest);
    if (function == NULL) return -1;
    return PKCS5_PBKDF2_HMAC(password, sizeof password - 1, salt, sizeof salt - 1, iterations, function,
                             EVP_MD_get_size(function), key) == 1
               ? 0
               : -1;
}
