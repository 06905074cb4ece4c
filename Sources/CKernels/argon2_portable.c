// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Argon2 on every processor. The compiler implements the vectors with SSE2 or NEON.
#define VECTOR_BYTES 16
#include "argon2_segment.h"

const struct credkit_argon2_kernels credkit_argon2_portable = {"portable", fill_segment, write_block, read_block};
