// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// OpenSSL's libcrypto. It is loaded when one of its functions is first called: that takes a large part of the time of a
// short command, and many commands call none. Loading it also keeps it from freeing its memory when the process exits. Its
// handler for exits frees what it keeps for each thread, and so does each thread that ends, without a lock between them:
// a thread that ends at that moment, as that of a vault which is no longer used, would free the same memory again.
#ifndef CREDKIT_OPENSSL_H
#define CREDKIT_OPENSSL_H

#include <stddef.h>

#if !__has_include(<openssl/core_names.h>)
#error "The headers of OpenSSL 3.0 or later are missing; on Debian and Ubuntu: apt-get install libssl-dev"
#endif

// The headers declare each function of the list, but the linker knows it as credkit_…, which openssl_calls.S defines. A
// function that is not in the list cannot be linked.
#include "openssl_functions.h"
#define CREDKIT_PRAGMA(text) _Pragma(#text)
#define CREDKIT_RENAME(name) CREDKIT_PRAGMA(redefine_extname name credkit_##name)
CREDKIT_OPENSSL_FUNCTIONS(CREDKIT_RENAME)
#undef CREDKIT_RENAME
#undef CREDKIT_PRAGMA

// The low-level digest functions keep their whole state in a plain struct: there is no algorithm fetch and no
// allocation per call, which take most of the time for short inputs. OpenSSL 3.0 marks them as deprecated in favor of
// EVP; they are documented, present and supported throughout 3.x.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md4.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

/// Loads libcrypto unless it is loaded. If that fails, the process ends with a message and status 127, as it does when
/// the system cannot load a linked library. A library that calls libcrypto, such as libcurl and libpq, must be loaded
/// after it, so that what is said above and below holds.
void credkit_openssl_load(void);

/// Prevents this process from reading libcrypto's configuration file, which takes a millisecond. Must be called before
/// libcrypto is loaded; loads it at once if the environment has a variable for OpenSSL.
///
/// The file can name engines and providers to load, and its path comes from the environment (`OPENSSL_CONF`): that would
/// allow code injection into a program that handles passwords. The system's own file is read if other code calls libcrypto first.
void credkit_openssl_ignore_configuration(void);

/// Creates a key for ECDSA; NULL if the point is not on the curve.
EVP_PKEY *credkit_ec_public_key(const char *curve, const unsigned char *point, size_t count);

/// Creates a key for RSA from its modulus and its exponent, most significant byte first.
EVP_PKEY *credkit_rsa_public_key(const unsigned char *n, int n_count, const unsigned char *e, int e_count);

/// Computes the public key of a private one, which has 32 bytes, as an uncompressed point of 65 bytes. Returns 0 if the
/// bytes are not a private key: zero, or not below the order of the curve.
int credkit_p256_public_key(const unsigned char *key, unsigned char *point);

/// Signs a message with ECDSA and SHA-256: writes r and s, 32 bytes each, most significant byte first. Returns 0 if that
/// fails. `point` is the public key.
int credkit_p256_sign(
    const unsigned char *key, const unsigned char *point, const unsigned char *message, size_t count, unsigned char *signature);

#endif
