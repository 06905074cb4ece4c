// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_H
#define CREDKIT_BASELINE_H

#include <stddef.h>
#include <stdint.h>

/// MD5 of one message, `iterations` times, through OpenSSL's low-level calls.
void baseline_md5(const uint8_t *message, size_t message_length, long iterations, uint8_t digest[16]);

/// HMAC-MD5 of one message, `iterations` times, from the two hash states after the padded key: only the two
/// compressions, through OpenSSL's low-level calls. Returns the last code.
void baseline_hmac_md5_prepared(const uint8_t *key, size_t key_length, const uint8_t *message,
                                size_t message_length, long iterations, uint8_t digest[16]);

/// The same through OpenSSL's one-shot `HMAC()`, which prepares the key for each message.
void baseline_hmac_md5_oneshot(const uint8_t *key, size_t key_length, const uint8_t *message,
                               size_t message_length, long iterations, uint8_t digest[16]);

/// Base64 of some bytes, `iterations` times, through OpenSSL's `EVP_EncodeBlock`, which appends a NUL to the text.
/// Returns a number that depends on all results.
uint8_t baseline_base64_encode(const uint8_t *data, size_t length, long iterations, uint8_t *text);

/// The name of the kernels that CredKit chose in this process, or "unknown" if it has none. There is no public API for
/// this, and the report must name the measured kernels.
const char *baseline_kernels_name(void);

/// Computes a new Argon2id hash with one lane through libsodium's `crypto_pwhash_str_alg`. Returns 0 on success.
int baseline_argon2id_sodium(uint32_t memory_kib, uint32_t passes);

/// The same through libargon2, the reference implementation.
int baseline_argon2id_reference(uint32_t memory_kib, uint32_t passes);

/// The same with new memory from the system, as for the first hash of a process, and as libsodium does for every hash.
/// In a loop, malloc keeps up to 32 MiB from one hash to the next.
int baseline_argon2id_reference_fresh(uint32_t memory_kib, uint32_t passes);

/// Verifies a hash of crypt(3) with libxcrypt, on one thread at a time. Returns 0 if the password matches.
int baseline_crypt_hash(const char *password, const char *hash);

/// Reads a file and decrypts it with AES-256-GCM under any key, because the work is the same. Returns 0 on success.
int baseline_decrypt_file(const char *path);

/// The ways to save a file.
enum baseline_saving {
    /// Write a new file, wait until it is on disk, and rename it.
    BASELINE_FILE,
    /// The same, and wait until the folder is on disk.
    BASELINE_FOLDER,
    /// The same, but encrypt the bytes first (AES-256-GCM), and keep the old file as a backup by a hard link.
    BASELINE_VAULT,
};

/// Saves a file of a given size as `path`. Returns 0 on success.
int baseline_save_file(const char *path, size_t size, enum baseline_saving how);

/// Flushes standard output after each line, also to a pipe.
void baseline_print_by_line(void);

#endif
