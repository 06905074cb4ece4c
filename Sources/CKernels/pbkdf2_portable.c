// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 on every processor, with the compression functions of OpenSSL, one lane after the other, and the beginning of every
// lane. Unlike PKCS5_PBKDF2_HMAC it copies no contexts in an iteration.
#include <string.h>

#include "CCredKitOpenSSL.h"
#include "pbkdf2_kernels.h"

#define NAME(name) name##_sha1
#define CONTEXT SHA_CTX
#define INIT SHA1_Init
#define UPDATE SHA1_Update
#define FINAL SHA1_Final
#define TRANSFORM SHA1_Transform
#define BLOCK 64
#define DIGEST 20
#define WORDS narrow
#define SWAPPED __builtin_bswap32
#include "pbkdf2_openssl.h"

#define NAME(name) name##_sha256
#define CONTEXT SHA256_CTX
#define INIT SHA256_Init
#define UPDATE SHA256_Update
#define FINAL SHA256_Final
#define TRANSFORM SHA256_Transform
#define BLOCK 64
#define DIGEST 32
#define WORDS narrow
#define SWAPPED __builtin_bswap32
#include "pbkdf2_openssl.h"

#define NAME(name) name##_sha512
#define CONTEXT SHA512_CTX
#define INIT SHA512_Init
#define UPDATE SHA512_Update
#define FINAL SHA512_Final
#define TRANSFORM SHA512_Transform
#define BLOCK 128
#define DIGEST 64
#define WORDS wide
#define SWAPPED __builtin_bswap64
#include "pbkdf2_openssl.h"

void (*const credkit_pbkdf2_begin[CREDKIT_PBKDF2_FUNCTIONS])(struct credkit_pbkdf2_lane *,
                                                             const struct credkit_pbkdf2_input *, uint32_t) = {
    begin_sha1, begin_sha256, begin_sha512,
};

pbkdf2_kernels credkit_pbkdf2_portable = {
    {"portable", CREDKIT_PBKDF2_SHA1, 1, 1, iterate_sha1},
    {"portable", CREDKIT_PBKDF2_SHA256, 1, 1, iterate_sha256},
    {"portable", CREDKIT_PBKDF2_SHA512, 1, 1, iterate_sha512},
};
