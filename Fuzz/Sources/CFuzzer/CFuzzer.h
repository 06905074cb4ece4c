// Part of CredKit. SPDX-License-Identifier: Apache-2.0
// The entry of libFuzzer, which is linked with -sanitize=fuzzer. No header of the toolchain declares it.
#ifndef CREDKIT_FUZZER_H
#define CREDKIT_FUZZER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *count, char ***arguments, int (*callback)(const uint8_t *data, size_t size));

#endif
