// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_PASSKEYS_H
#define CREDKIT_BASELINE_PASSKEYS_H

#include <stddef.h>
#include <stdint.h>

enum { BASELINE_PART_SIZE = 256 };

/// The key pair of an authenticator.
typedef struct baseline_authenticator baseline_authenticator;

/// Creates a key pair for an algorithm by its number of COSE: -7 for ES256, -8 for Ed25519, -257 for RS256 with 2,048 bits. Returns
/// NULL on failure.
baseline_authenticator *baseline_authenticator_open(int algorithm);

void baseline_authenticator_close(baseline_authenticator *authenticator);

/// Copies a part of the public key: x or y of ES256, x of Ed25519, n or e of RS256. Returns its length, 0 if there is none.
size_t baseline_authenticator_part(const baseline_authenticator *authenticator, int number, uint8_t part[BASELINE_PART_SIZE]);

/// Signs a message. Returns the length of the signature, which is DER for ES256; 0 on failure.
size_t baseline_authenticator_sign(const baseline_authenticator *authenticator, const uint8_t *message, size_t length,
                                   uint8_t signature[BASELINE_PART_SIZE]);

/// Imports the public key from its parts and verifies a signature with it, `iterations` times, through OpenSSL's EVP functions.
/// Returns 0 if the signature is valid each time.
int baseline_passkey_verify(const baseline_authenticator *authenticator, const uint8_t *message, size_t length,
                            const uint8_t *signature, size_t signature_length, long iterations);

/// Computes a SHA-256.
void baseline_sha256(const uint8_t *data, size_t length, uint8_t digest[32]);

#endif
