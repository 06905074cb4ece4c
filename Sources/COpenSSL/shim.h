// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_OPENSSL_SHIM_H
#define CREDKIT_OPENSSL_SHIM_H

// The low-level digest functions keep their whole state in a plain struct: there is no algorithm fetch and no
// allocation per call, which take most of the time for short inputs. OpenSSL 3.0 marks them as deprecated in favor of
// EVP; they are documented, present and supported throughout 3.x.
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/md4.h>
#include <openssl/md5.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/sha.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#endif
