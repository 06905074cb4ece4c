// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#define OPENSSL_SUPPRESS_DEPRECATED
#include "baseline.h"

#include <argon2.h>
#include <fcntl.h>
#include <libgen.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/md5.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

void baseline_hmac_md5_prepared(const uint8_t *key, size_t key_length, const uint8_t *message,
                                size_t message_length, long iterations, uint8_t digest[16]) {
    unsigned char pad[64];
    MD5_CTX inner, outer;
    for (int which = 0; which < 2; which++) {
        MD5_CTX *context = which ? &outer : &inner;
        memset(pad, 0, sizeof pad);
        memcpy(pad, key, key_length < sizeof pad ? key_length : sizeof pad);
        for (size_t i = 0; i < sizeof pad; i++) pad[i] ^= which ? 0x5C : 0x36;
        MD5_Init(context);
        MD5_Update(context, pad, sizeof pad);
    }
    for (long i = 0; i < iterations; i++) {
        MD5_CTX context = inner;
        MD5_Update(&context, message, message_length);
        MD5_Final(digest, &context);
        context = outer;
        MD5_Update(&context, digest, MD5_DIGEST_LENGTH);
        MD5_Final(digest, &context);
    }
}

void baseline_hmac_md5_oneshot(const uint8_t *key, size_t key_length, const uint8_t *message,
                               size_t message_length, long iterations, uint8_t digest[16]) {
    unsigned int length;
    for (long i = 0; i < iterations; i++) {
        HMAC(EVP_md5(), key, (int)key_length, message, message_length, digest, &length);
    }
}

void baseline_md5(const uint8_t *message, size_t message_length, long iterations, uint8_t digest[16]) {
    for (long i = 0; i < iterations; i++) {
        MD5_CTX context;
        MD5_Init(&context);
        MD5_Update(&context, message, message_length);
        MD5_Final(digest, &context);
    }
}

uint8_t baseline_base64_encode(const uint8_t *data, size_t length, long iterations, uint8_t *text) {
    uint8_t sum = 0;
    for (long i = 0; i < iterations; i++) {
        EVP_EncodeBlock(text, data, (int)length);
        sum ^= text[i & 15];
    }
    return sum;
}

void baseline_print_by_line(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

// Only the name of CredKit's kernels is read.
struct credkit_kernels {
    const char *name;
};
extern const struct credkit_kernels *credkit_kernels_choose(void) __attribute__((weak));

const char *baseline_kernels_name(void) {
    return credkit_kernels_choose != NULL ? credkit_kernels_choose()->name : "unknown";
}

int baseline_argon2id_sodium(uint32_t memory_kib, uint32_t passes) {
    static const char password[] = "correct horse battery staple";
    char text[crypto_pwhash_STRBYTES];
    if (sodium_init() < 0) return -1;
    return crypto_pwhash_str_alg(text, password, sizeof password - 1, passes, (size_t)memory_kib * 1024,
                                 crypto_pwhash_ALG_ARGON2ID13);
}

int baseline_argon2id_reference(uint32_t memory_kib, uint32_t passes) {
    static const char password[] = "correct horse battery staple";
    char text[256];
    return argon2id_hash_encoded(passes, memory_kib, 1, password, sizeof password - 1, "sixteen bytes!!!", 16, 32, text,
                                 sizeof text);
}

static int fresh_memory(uint8_t **memory, size_t size) {
    void *mapped = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    *memory = mapped == MAP_FAILED ? NULL : mapped;
    return *memory ? 0 : -1;
}

static void return_memory(uint8_t *memory, size_t size) { munmap(memory, size); }

int baseline_argon2id_reference_fresh(uint32_t memory_kib, uint32_t passes) {
    static char password[] = "correct horse battery staple";
    static uint8_t salt[] = "sixteen bytes!!!";
    uint8_t digest[32];
    argon2_context context = {
        .out = digest, .outlen = sizeof digest,
        .pwd = (uint8_t *)password, .pwdlen = sizeof password - 1,
        .salt = salt, .saltlen = 16,
        .t_cost = passes, .m_cost = memory_kib, .lanes = 1, .threads = 1,
        .version = ARGON2_VERSION_13,
        .allocate_cbk = fresh_memory, .free_cbk = return_memory,
    };
    return argon2id_ctx(&context);
}

int baseline_decrypt_file(const char *path) {
    static const uint8_t key[32], nonce[12];
    int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0 || fstat(file, &status) != 0) return -1;
    size_t size = (size_t)status.st_size;
    uint8_t *input = malloc(size), *output = malloc(size);
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int count = 0;
    int result = input != NULL && output != NULL && cipher != NULL && read(file, input, size) == status.st_size &&
                         EVP_DecryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
                         EVP_DecryptUpdate(cipher, output, &count, input, (int)size) == 1
                     ? 0
                     : -1;
    EVP_CIPHER_CTX_free(cipher);
    free(input);
    free(output);
    close(file);
    return result;
}

static int encrypt(uint8_t *output, const uint8_t *input, size_t size) {
    static const uint8_t key[32], nonce[12];
    EVP_CIPHER_CTX *cipher = EVP_CIPHER_CTX_new();
    int count = 0;
    int result = cipher != NULL && EVP_EncryptInit_ex(cipher, EVP_aes_256_gcm(), NULL, key, nonce) == 1 &&
                         EVP_EncryptUpdate(cipher, output, &count, input, (int)size) == 1 &&
                         EVP_EncryptFinal_ex(cipher, output, &count) == 1
                     ? 0
                     : -1;
    EVP_CIPHER_CTX_free(cipher);
    return result;
}

static int keep_backup(const char *path) {
    char name[4096], backup[4096];
    snprintf(name, sizeof name, "%s.bak.new", path);
    snprintf(backup, sizeof backup, "%s.bak", path);
    // On the first save there is no backup to make.
    if (access(path, F_OK) != 0) return 0;
    return link(path, name) == 0 ? rename(name, backup) : -1;
}

int baseline_save_file(const char *path, size_t size, enum baseline_saving how) {
    char name[4096], folder[4096];
    snprintf(name, sizeof name, "%s.new", path);
    snprintf(folder, sizeof folder, "%s", path);
    uint8_t *input = calloc(size, 1), *bytes = calloc(size, 1);
    int result = input != NULL && bytes != NULL ? 0 : -1;
    if (result == 0 && how == BASELINE_VAULT) result = encrypt(bytes, input, size);
    int file = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    if (result == 0) result = file >= 0 && write(file, bytes, size) == (ssize_t)size && fsync(file) == 0 ? 0 : -1;
    if (file >= 0) close(file);
    free(input);
    free(bytes);
    if (result == 0 && how == BASELINE_VAULT) result = keep_backup(path);
    if (result == 0) result = rename(name, path);
    if (result == 0 && how != BASELINE_FILE) {
        int directory = open(dirname(folder), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        result = directory >= 0 ? fsync(directory) : -1;
        if (directory >= 0) close(directory);
    }
    return result;
}
