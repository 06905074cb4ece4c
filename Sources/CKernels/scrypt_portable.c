// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// scrypt in vectors on every processor, which the compiler implements with SSE2 or NEON: a chain for each lane.

#define LANES 1
#define NAME(name) name##_1
#define VECTOR_BYTES 16
#include "scrypt_vectors.h"

#define LANES 2
#define NAME(name) name##_2
#define VECTOR_BYTES 16
#include "scrypt_vectors.h"

#define LANES 4
#define NAME(name) name##_4
#define VECTOR_BYTES 16
#include "scrypt_vectors.h"

#include "scrypt_counts.h"

const struct credkit_scrypt_kernels credkit_scrypt_portable = {"portable", 1, fill, mix};
