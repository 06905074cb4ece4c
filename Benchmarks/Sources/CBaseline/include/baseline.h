// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_H
#define CREDKIT_BASELINE_H

#include <stddef.h>
#include <stdint.h>

/// MD5 of one message, `iterations` times, through OpenSSL's low-level calls.
void baseline_md5(const uint8_t *message, size_t message_length, long iterations, uint8_t digest[16]);

/// HMAC-MD5 of one message, `iterations` times, from the two hash states behind the padded key: the two
/// compressions through OpenSSL's low-level calls and nothing else. Gives the last code.
void baseline_hmac_md5_prepared(const uint8_t *key, size_t key_length, const uint8_t *message,
                                size_t message_length, long iterations, uint8_t digest[16]);

/// The same through OpenSSL's one-shot `HMAC()`, which prepares the key each time.
void baseline_hmac_md5_oneshot(const uint8_t *key, size_t key_length, const uint8_t *message,
                               size_t message_length, long iterations, uint8_t digest[16]);

/// Base64 of some bytes, `iterations` times, through OpenSSL's `EVP_EncodeBlock`, which puts a NUL behind the text.
/// Returns a number that depends on all of them.
uint8_t baseline_base64_encode(const uint8_t *data, size_t length, long iterations, uint8_t *text);

/// The name of the kernels that CredKit chose in this process, or "unknown" if it has none. It is no public API,
/// and what is measured must be what the report says.
const char *baseline_kernels_name(void);

/// A new Argon2id hash with one lane through libsodium's `crypto_pwhash_str_alg`. Returns 0 if all went well.
int baseline_argon2id_sodium(uint32_t memory_kib, uint32_t passes);

/// The same through libargon2, the reference implementation.
int baseline_argon2id_reference(uint32_t memory_kib, uint32_t passes);

/// The same with memory that is fresh from the system, as malloc takes it for the first hash of a process and as
/// libsodium takes it for every one. In a loop malloc keeps up to 32 MiB from one hash to the next.
int baseline_argon2id_reference_fresh(uint32_t memory_kib, uint32_t passes);

/// Reads a file and decrypts all of it with AES-256-GCM, under any key: the work is the same. Returns 0 if all went well.
int baseline_decrypt_file(const char *path);

/// How a file is saved.
enum baseline_saving {
    /// Write a new file, wait until it is on the disk, rename it.
    BASELINE_FILE,
    /// The same, and wait until the folder is on the disk.
    BASELINE_FOLDER,
    /// The same with the bytes encrypted first (AES-256-GCM), and the old file kept as a backup by a link.
    BASELINE_VAULT,
};

/// Saves a file of so many bytes as `path`. Returns 0 if all went well.
int baseline_save_file(const char *path, size_t size, enum baseline_saving how);

/// Lets each line of standard output out when it ends, also into a pipe.
void baseline_print_by_line(void);

#endif
