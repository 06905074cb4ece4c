// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Records the address and size of every access to memory in the first half of Argon2id, and compares the records of 1,000
// passwords: for kernels that valgrind cannot run. The kernels are compiled with the calls that AddressSanitizer makes
// before each access; here are other functions of these names. The second half must show a difference, since its
// addresses depend on the password.
//
// usage: argon2-addresses NAME
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CCredKitArgon2.h"

enum { LANE_LENGTH = 1200, LANES = 2, PASSWORDS = 1000, BLOCK = CREDKIT_ARGON2_BLOCK };

static uint64_t record, accesses;

static void note(uintptr_t address, uintptr_t size) {
    // FNV-1a, a word at a time.
    record = (record ^ address) * 0x100000001B3;
    record = (record ^ size) * 0x100000001B3;
    accesses++;
}

#define ACCESS(size) \
    void __asan_load##size(uintptr_t address) { note(address, size); } \
    void __asan_store##size(uintptr_t address) { note(address, size + 1000); }
ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
void __asan_loadN(uintptr_t address, uintptr_t size) { note(address, size); }
void __asan_storeN(uintptr_t address, uintptr_t size) { note(address, size + 1000); }
void *__asan_memcpy(void *target, const void *source, size_t size) {
    note((uintptr_t)target, size), note((uintptr_t)source, size);
    return memcpy(target, source, size);
}
void *__asan_memset(void *target, int byte, size_t size) {
    note((uintptr_t)target, size);
    return memset(target, byte, size);
}
void *__asan_memmove(void *target, const void *source, size_t size) {
    note((uintptr_t)target, size), note((uintptr_t)source, size);
    return memmove(target, source, size);
}
void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}
void __asan_handle_no_return(void) {}

/// Computes slices of the first pass over memory whose first blocks depend on a password.
static uint64_t recorded(const struct credkit_argon2_kernels *kernels, uint8_t *memory, unsigned password,
                         uint32_t first_slice, uint32_t end_slice) {
    static const int never = 0;
    const struct credkit_argon2_instance instance = {
        .blocks = memory,
        .type = CREDKIT_ARGON2ID,
        .version = 0x13,
        .lanes = LANES,
        .passes = 1,
        .block_count = LANES * LANE_LENGTH,
        .lane_length = LANE_LENGTH,
        .segment_length = LANE_LENGTH / CREDKIT_ARGON2_SLICES,
        .is_cancelled = &never,
    };
    // The seeds 0 and 1 are the same.
    srandom(password + 1);
    uint64_t words[BLOCK / 8];
    for (size_t block = 0; block < LANES * LANE_LENGTH; block++) {
        for (int word = 0; word < BLOCK / 8; word++) words[word] = (uint64_t)random() << 33 ^ (uint64_t)random();
        kernels->write_block(memory + block * BLOCK, words);
    }
    record = 0xCBF29CE484222325, accesses = 0;
    for (uint32_t slice = first_slice; slice < end_slice; slice++) {
        for (uint32_t lane = 0; lane < LANES; lane++) kernels->fill_segment(&instance, 0, lane, slice);
    }
    return record;
}

int main(int count, char **arguments) {
    const char *name = count > 1 ? arguments[1] : "";
    const struct credkit_argon2_kernels *kernels = NULL;
    size_t supported;
    const struct credkit_argon2_kernels *const *all = credkit_argon2_supported(&supported);
    for (size_t index = 0; index < supported; index++) {
        if (strcmp(all[index]->name, name) == 0) kernels = all[index];
    }
    uint8_t *memory = aligned_alloc(4096, (size_t)LANES * LANE_LENGTH * BLOCK);
    if (kernels == NULL || memory == NULL) {
        fprintf(stderr, "argon2-addresses: there are no kernels %s here\n", name);
        return 69;
    }
    const uint64_t half = recorded(kernels, memory, 0, 0, 2), counted = accesses;
    if (counted < LANES * LANE_LENGTH / 2) {
        fprintf(stderr, "argon2-addresses: only %llu accesses were recorded\n", (unsigned long long)counted);
        return 1;
    }
    const uint64_t rest = recorded(kernels, memory, 0, 2, 4);
    for (unsigned password = 1; password < PASSWORDS; password++) {
        if (recorded(kernels, memory, password, 0, 2) != half || accesses != counted) {
            fprintf(stderr, "argon2-addresses: %s: the first half depends on the password\n", name);
            return 1;
        }
    }
    // The second half is the leak that must be found.
    if (recorded(kernels, memory, 1, 2, 4) == rest) {
        fprintf(stderr, "argon2-addresses: %s: the addresses of the second half were not seen to differ\n", name);
        return 1;
    }
    printf("argon2-addresses: %s: %llu accesses of the first half are the same for %d passwords\n", name,
           (unsigned long long)counted, PASSWORDS);
    return 0;
}
