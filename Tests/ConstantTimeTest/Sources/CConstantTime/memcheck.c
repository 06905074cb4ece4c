// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The program's requests to valgrind.
#include "CConstantTime.h"

#include <valgrind/memcheck.h>

bool ct_runs_under_valgrind(void) { return RUNNING_ON_VALGRIND != 0; }

void ct_make_secret(void *memory, size_t size) { (void)VALGRIND_MAKE_MEM_UNDEFINED(memory, size); }

void ct_make_public(void *memory, size_t size) { (void)VALGRIND_MAKE_MEM_DEFINED(memory, size); }

/// CredKit's kernels call this to declassify the only public bit: whether a text is valid.
void credkit_declassify(void *memory, size_t size) { ct_make_public(memory, size); }

size_t ct_secret_prefix(const void *memory, size_t size) {
    for (size_t index = 0; index < size; index++) {
        uint8_t undefined = 0;
        (void)VALGRIND_GET_VBITS((const uint8_t *)memory + index, &undefined, 1);
        if (undefined == 0) { return index; }
    }
    return size;
}

unsigned ct_report_count(void) { return (unsigned)VALGRIND_COUNT_ERRORS; }

extern const struct {
    const char *name;
} *credkit_chosen_kernels __attribute__((weak));

const char *ct_kernels(void) {
    return &credkit_chosen_kernels != NULL && credkit_chosen_kernels != NULL ? credkit_chosen_kernels->name : NULL;
}
