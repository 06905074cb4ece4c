// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_PBKDF2_H
#define CREDKIT_BASELINE_PBKDF2_H

/// PBKDF2-HMAC-SHA256 of a password-equivalent with `count` salts, 32 bytes each, through OpenSSL on several threads, at
/// most 64. Returns 0 on success.
int baseline_pbkdf2(int count, int iterations, int thread_count);

/// PBKDF2 of one password through OpenSSL, whose digest has this name, with a key as long as the digest. Returns 0 on
/// success.
int baseline_pbkdf2_single(const char *digest, int iterations);

#endif
