// Part of CredKit. SPDX-License-Identifier: Apache-2.0
#ifndef CREDKIT_SODIUM_SHIM_H
#define CREDKIT_SODIUM_SHIM_H

#include <sodium.h>

#endif
