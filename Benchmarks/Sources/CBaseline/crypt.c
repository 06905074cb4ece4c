// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#include "baseline.h"

#include <crypt.h>
#include <string.h>

int baseline_crypt_hash(const char *password, const char *hash) {
    static struct crypt_data data;
    const char *result = crypt_r(password, hash, &data);
    return result != NULL && strcmp(result, hash) == 0 ? 0 : -1;
}
