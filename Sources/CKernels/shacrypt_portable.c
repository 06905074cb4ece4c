// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// SHA-crypt on every processor. The compiler implements the vectors with SSE2 or NEON.
#include "shacrypt_256.h"
#include "shacrypt_512.h"

const struct credkit_shacrypt_kernels credkit_sha256_crypt_portable = {
    "portable", CREDKIT_SHA256_CRYPT, 1, 1, compress_block_256, advance_256,
};
const struct credkit_shacrypt_kernels credkit_sha512_crypt_portable = {
    "portable", CREDKIT_SHA512_CRYPT, 1, 1, compress, advance,
};
