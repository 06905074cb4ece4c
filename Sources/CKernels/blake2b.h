// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// BLAKE2b (RFC 7693) without a key, and the hash function H' of Argon2 (RFC 9106, section 3.3).
#ifndef CREDKIT_BLAKE2B_H
#define CREDKIT_BLAKE2B_H

#include <stddef.h>
#include <stdint.h>

enum { BLAKE2B_BLOCK = 128, BLAKE2B_LONGEST = 64 };

struct blake2b {
    uint64_t state[8];
    /// The bytes of whole blocks so far. The RFC has 128 bits, of which no input here needs more than 64.
    uint64_t count;
    uint8_t block[BLAKE2B_BLOCK];
    size_t used, length;
};

/// Begins a digest of `length` bytes, from 1 to 64.
void credkit_blake2b_begin(struct blake2b *hash, size_t length);
void credkit_blake2b_add(struct blake2b *hash, const void *bytes, size_t length);
/// Adds a number as four bytes.
void credkit_blake2b_add_number(struct blake2b *hash, uint32_t number);
/// Writes the digest, and wipes the state.
void credkit_blake2b_end(struct blake2b *hash, uint8_t *digest);

/// H': the digest of a message of any length, `length` bytes, at least 1.
void credkit_blake2b_long(uint8_t *digest, size_t length, const uint8_t *message, size_t message_length);

#endif
