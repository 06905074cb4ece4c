// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Included before all other code of a kernel, whose prefetches then call a function that records them.
#ifndef CREDKIT_PREFETCH_H
#define CREDKIT_PREFETCH_H

#include <stdint.h>

void note_prefetch(uintptr_t address);
#define __builtin_prefetch(address) note_prefetch((uintptr_t)(address))

#endif
