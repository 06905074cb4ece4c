// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_ARGON2_LANES_H
#define CREDKIT_ARGON2_LANES_H

#include "CCredKitArgon2.h"

/// Computes all segments of an instance, with at most `threads` threads, of which the caller's is one. Returns
/// CREDKIT_ARGON2_DONE, or CREDKIT_ARGON2_CANCELLED.
int credkit_argon2_fill(const struct credkit_argon2_kernels *kernels, const struct credkit_argon2_instance *instance,
                        uint32_t threads);

/// Overwrites the stack below the caller: compilers spill words of the last block there.
void credkit_argon2_wipe_stack(void);

#endif
