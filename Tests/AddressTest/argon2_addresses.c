// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Records the address and size of every access to memory in the first half of Argon2id and in two passes of Argon2i, and
// compares the records of different passwords: for kernels that valgrind cannot run. The kernels are compiled with the calls
// that AddressSanitizer makes before each access, and with prefetch.h; here are other functions of these names. The second
// half of Argon2id must show a difference, since its addresses depend on the password.
//
// usage: argon2-addresses NAME
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CCredKitArgon2.h"
#include "prefetch.h"

enum { LANE_LENGTH = 1200, LANES = 2, BLOCK = CREDKIT_ARGON2_BLOCK };

static uint64_t record, accesses, prefetches;

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
void note_prefetch(uintptr_t address) {
    note(address, 2000);
    prefetches++;
}
void __asan_init(void) {}
void __asan_version_mismatch_check_v8(void) {}
void __asan_handle_no_return(void) {}

/// Computes slices, counted over all passes, in memory that depends on a password.
static uint64_t recorded(const struct credkit_argon2_kernels *kernels, uint8_t *memory, unsigned password, uint32_t type,
                         uint32_t first_slice, uint32_t end_slice) {
    static const int never = 0;
    const struct credkit_argon2_instance instance = {
        .blocks = memory,
        .type = type,
        .version = 0x13,
        .lanes = LANES,
        .passes = 2,
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
    record = 0xCBF29CE484222325, accesses = 0, prefetches = 0;
    for (uint32_t slice = first_slice; slice < end_slice; slice++) {
        for (uint32_t lane = 0; lane < LANES; lane++) {
            kernels->fill_segment(&instance, slice / CREDKIT_ARGON2_SLICES, lane, slice % CREDKIT_ARGON2_SLICES);
        }
    }
    return record;
}

/// Returns whether all passwords have the same record.
static int is_independent(const struct credkit_argon2_kernels *kernels, uint8_t *memory, uint32_t type, uint32_t end_slice,
                          unsigned passwords, const char *what) {
    const uint64_t expected = recorded(kernels, memory, 0, type, 0, end_slice), counted = accesses;
    if (prefetches < LANES * LANE_LENGTH / 2 || counted < 2 * prefetches) {
        fprintf(stderr, "argon2-addresses: %s: only %llu accesses and %llu prefetches were recorded\n", kernels->name,
                (unsigned long long)counted, (unsigned long long)prefetches);
        return 0;
    }
    for (unsigned password = 1; password < passwords; password++) {
        if (recorded(kernels, memory, password, type, 0, end_slice) != expected || accesses != counted) {
            fprintf(stderr, "argon2-addresses: %s: %s depends on the password\n", kernels->name, what);
            return 0;
        }
    }
    printf("argon2-addresses: %s: %llu accesses of %s are the same for %u passwords\n", kernels->name,
           (unsigned long long)counted, what, passwords);
    return 1;
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
    if (!is_independent(kernels, memory, CREDKIT_ARGON2ID, 2, 1000, "the first half of Argon2id") ||
        !is_independent(kernels, memory, CREDKIT_ARGON2I, 2 * CREDKIT_ARGON2_SLICES, 200, "Argon2i")) {
        return 1;
    }
    // The second half is the leak that must be found.
    const uint64_t rest = recorded(kernels, memory, 0, CREDKIT_ARGON2ID, 2, 4);
    if (recorded(kernels, memory, 1, CREDKIT_ARGON2ID, 2, 4) == rest) {
        fprintf(stderr, "argon2-addresses: %s: the addresses of the second half were not seen to differ\n", name);
        return 1;
    }
    return 0;
}
