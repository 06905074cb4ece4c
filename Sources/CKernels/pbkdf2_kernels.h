// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// What the files of PBKDF2 share: the kernels, and the beginning of a lane.
#ifndef CREDKIT_PBKDF2_KERNELS_H
#define CREDKIT_PBKDF2_KERNELS_H

#include "CCredKitPBKDF2.h"

/// The kernels of each hash function; `iterate` is NULL where an instruction set has none.
typedef const struct credkit_pbkdf2_kernels pbkdf2_kernels[CREDKIT_PBKDF2_FUNCTIONS];
extern pbkdf2_kernels credkit_pbkdf2_portable;
#if defined(__x86_64__)
extern pbkdf2_kernels credkit_pbkdf2_avx2, credkit_pbkdf2_sha, credkit_pbkdf2_avx512;
/// Returns whether the processor has the SHA instructions.
int credkit_pbkdf2_has_sha(void);
#endif

/// For each hash function: sets the states and the first value of a lane.
extern void (*const credkit_pbkdf2_begin[CREDKIT_PBKDF2_FUNCTIONS])(struct credkit_pbkdf2_lane *lane,
                                                                    const struct credkit_pbkdf2_input *input,
                                                                    uint32_t number);

#endif
