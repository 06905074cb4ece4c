// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_CRYPT_SHIM_H
#define CREDKIT_CRYPT_SHIM_H

#include <crypt.h>

// Swift does not import `struct crypt_data`, because it contains large arrays, so these functions provide its size
// and the call.

// The size of the scratch memory of `credkit_crypt`, in bytes.
static inline int credkit_crypt_data_size(void) { return (int)sizeof(struct crypt_data); }

// Calls crypt_rn with scratch memory that the caller has zeroed. The result points into that memory. Returns NULL on
// failure, with errno.
static inline const char *credkit_crypt(const char *phrase, const char *setting, void *scratch) {
    return crypt_rn(phrase, setting, scratch, credkit_crypt_data_size());
}

#endif
