// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// PBKDF2 on every processor. The compiler implements the vectors with SSE2 or NEON.
#define VECTOR_BYTES 16
#include "pbkdf2_lanes.h"

const struct credkit_pbkdf2_kernels credkit_pbkdf2_portable = {"portable", 4, iterate};
