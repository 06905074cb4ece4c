// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The calls of libcrypto through Sources/COpenSSL.
#include "kernel_test.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "CCredKitOpenSSL.h"

enum { THREADS = 4 };

extern void *credkit_openssl_addresses[], *credkit_openssl_addresses_end[];

/// Calls a function with six arguments in registers and two on the stack, and one that returns a struct.
static void *call(void *at_once) {
    // RFC 7914, section 11.
    static const uint8_t expected[16] = {
        0x55, 0xac, 0x04, 0x6e, 0x56, 0xe3, 0x08, 0x9f, 0xec, 0x16, 0x91, 0xc2, 0x25, 0x44, 0xb6, 0x05,
    };
    uint8_t key[64];
    const EVP_MD *const sha256 = oracle_sha256();
    pthread_barrier_wait(at_once);
    CHECK(PKCS5_PBKDF2_HMAC("passwd", 6, (const uint8_t *)"salt", 4, 1, sha256, sizeof key, key) == 1, "the call fails");
    CHECK(memcmp(key, expected, sizeof expected) == 0, "the result is wrong");
    const OSSL_PARAM parameter = OSSL_PARAM_construct_octet_string("name", key, sizeof key);
    CHECK(parameter.data == key && parameter.data_size == sizeof key && strcmp(parameter.key, "name") == 0,
          "the struct is wrong");
    return NULL;
}

/// Whether the memory of the addresses can be read only.
static bool is_protected(void) {
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL, "the map of the memory cannot be read");
    uintptr_t start, end;
    char access[5], line[4096];
    bool result = false;
    while (fgets(line, sizeof line, maps) != NULL) {
        if (sscanf(line, "%lx-%lx %4s", &start, &end, access) == 3 && (uintptr_t)credkit_openssl_addresses >= start &&
            (uintptr_t)credkit_openssl_addresses_end <= end) {
            result = strcmp(access, "r--p") == 0;
        }
    }
    fclose(maps);
    return result;
}

void test_openssl_calls(void) {
    now = (struct situation){.test = "calls of libcrypto", .kernels = "none", .call = "the first ones"};
    // In a child: the library must not be loaded yet.
    const pid_t child = fork();
    CHECK(child >= 0, "no process can be created");
    if (child == 0) {
        CHECK(credkit_openssl_addresses[0] == NULL, "it is loaded already");
        pthread_barrier_t at_once;
        pthread_t threads[THREADS];
        pthread_barrier_init(&at_once, NULL, THREADS);
        for (int n = 0; n < THREADS; n++) { CHECK(pthread_create(&threads[n], NULL, call, &at_once) == 0, "no thread"); }
        for (int n = 0; n < THREADS; n++) { pthread_join(threads[n], NULL); }
        CHECK(is_protected(), "the addresses can be written");
        _exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && status == 0, "the child process fails");
}
