// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Where secrets are marked as undefined memory to see that nothing branches on them, the one bit that everybody
// may know, whether a text is valid, has to be marked as known again.
#ifndef CREDKIT_DECLASSIFY_H
#define CREDKIT_DECLASSIFY_H

#include <stddef.h>

#ifdef CREDKIT_CONSTANT_TIME_CHECK
/// Comes with the program that checks. Without it a build that was told to check does nothing more than others.
extern void credkit_declassify(void *memory, size_t size) __attribute__((weak));
#define CREDKIT_DECLASSIFY(variable) \
    (credkit_declassify != NULL ? credkit_declassify(&(variable), sizeof(variable)) : (void)0)
#else
#define CREDKIT_DECLASSIFY(variable) ((void)0)
#endif

#endif
