// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_CRYPT_SHIM_H
#define CREDKIT_CRYPT_SHIM_H

#include <crypt.h>

// `struct crypt_data` holds arrays that Swift does not import, so its size and the call over it stand here.

// The size of the scratch memory of `credkit_crypt`, in bytes.
static inline int credkit_crypt_data_size(void) { return (int)sizeof(struct crypt_data); }

// crypt_rn over scratch memory that the caller has zeroed; the answer points into it. Null on failure, with errno.
static inline const char *credkit_crypt(const char *phrase, const char *setting, void *scratch) {
    return crypt_rn(phrase, setting, scratch, credkit_crypt_data_size());
}

#endif
