// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Compares CredKit's declarations of libpsl's functions with libpsl's own header. Only compiled, never run: each
// different type is a compiler error.
#include <libpsl.h>

#define credkit_psl_list psl_ctx_st
#include "CCredKitPSL.h"

#define COMPARE(result, name, parameters) result(*const compare_##name) parameters = name;
CREDKIT_PSL_FUNCTIONS(COMPARE)
