// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// A check marks secrets as undefined memory to detect branches that depend on them. A bit that is derived from a
// secret but may be revealed, such as whether a text is valid, must be marked as defined again (declassified).
#ifndef CREDKIT_DECLASSIFY_H
#define CREDKIT_DECLASSIFY_H

#include <stddef.h>

#ifdef CREDKIT_CONSTANT_TIME_CHECK
/// Defined by the program that runs the check. Without that program, a check build behaves like any other build.
extern void credkit_declassify(void *memory, size_t size) __attribute__((weak));
#define CREDKIT_DECLASSIFY(variable) \
    (credkit_declassify != NULL ? credkit_declassify(&(variable), sizeof(variable)) : (void)0)
#else
#define CREDKIT_DECLASSIFY(variable) ((void)0)
#endif

#endif
