// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_BASELINE_PASSWORD_SCHEMES_H
#define CREDKIT_BASELINE_PASSWORD_SCHEMES_H

#include <stdint.h>

// Each function returns 0 on success.

/// Computes scrypt with N = 2^log_n through libsodium's `crypto_pwhash_scryptsalsa208sha256_ll`.
int baseline_scrypt_sodium(uint32_t log_n, uint32_t r, uint32_t p);

/// The same through OpenSSL's `EVP_PBE_scrypt`.
int baseline_scrypt_openssl(uint32_t log_n, uint32_t r, uint32_t p);

/// Computes a hash through libxcrypt's `crypt_rn`.
int baseline_crypt(const char *setting);

/// Returns how many lanes CredKit's kernels of scrypt, or of bcrypt, compute at once if many wait; 0 without kernels.
uint32_t baseline_scrypt_best_lanes(void);
uint32_t baseline_bcrypt_best_lanes(void);

/// Mixes the blocks of that many scrypts with r = 8 at once through CredKit's kernels, in memory of former calls. There is no
/// public API for this.
int baseline_scrypt_lanes(uint32_t lanes, uint32_t log_n);

/// Computes that many bcrypts at once through CredKit's kernels, in slices of 16 rounds.
int baseline_bcrypt_lanes(uint32_t lanes, uint32_t cost);

#endif
