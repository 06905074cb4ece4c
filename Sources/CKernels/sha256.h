// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-256 (FIPS 180-4) of one message, for the blocks of PBKDF2 that are not repeated.
#ifndef CREDKIT_SHA256_H
#define CREDKIT_SHA256_H

#include <stddef.h>
#include <stdint.h>

enum { SHA256_BLOCK = 64, SHA256_DIGEST = 32 };

/// The initial state.
extern const uint32_t credkit_sha256_start[8];

/// A message in progress.
struct sha256 {
    uint32_t state[8];
    uint64_t length;
    uint8_t block[SHA256_BLOCK];
};

/// Begins after `length` bytes, a multiple of 64, with the state after them.
void credkit_sha256_begin(struct sha256 *hash, const uint32_t state[8], uint64_t length);
void credkit_sha256_add(struct sha256 *hash, const uint8_t *bytes, size_t count);
/// Ends the message; its digest is the state. Wipes the block.
void credkit_sha256_end(struct sha256 *hash);
/// Writes the digest of a state.
void credkit_sha256_digest(const uint32_t state[8], uint8_t digest[SHA256_DIGEST]);

#endif
