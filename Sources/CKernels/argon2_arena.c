// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// The memory of Argon2's blocks.
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "CCredKitArgon2.h"

/// The size of a huge page on x86-64, and on arm64 with pages of 4 KiB.
#define HUGE_PAGE ((size_t)2 << 20)

static size_t rounded_up(size_t size, size_t unit) { return (size + unit - 1) & ~(unit - 1); }

static size_t in_pages(size_t size) { return rounded_up(size, (size_t)sysconf(_SC_PAGESIZE)); }

uint8_t *credkit_arena_map(size_t size) {
    // Addresses cost nothing: those before the first and after the last byte are returned at once.
    if (size == 0 || size > PTRDIFF_MAX - HUGE_PAGE) return NULL;
    const size_t length = in_pages(size);
    uint8_t *mapped = mmap(NULL, length + HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (mapped == MAP_FAILED) return NULL;
    uint8_t *start = (uint8_t *)rounded_up((uintptr_t)mapped, HUGE_PAGE);
    if (start > mapped) munmap(mapped, (size_t)(start - mapped));
    munmap(start + length, (size_t)(mapped + HUGE_PAGE - start));
    // Both are requests that older systems, and those without huge pages, may refuse. A part of a huge page at the end
    // would take more memory than was asked for.
    if (length >= HUGE_PAGE) madvise(start, length & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
    madvise(start, length, MADV_DONTDUMP);
    // A child process sees zeros instead of another thread's blocks, and the system copies none of them.
    madvise(start, length, MADV_WIPEONFORK);
    return start;
}

int credkit_arena_lock(uint8_t *memory, size_t size) {
    // Each page when it is first written: to provide all of them now would take longer than a cancellation may.
    return mlock2(memory, in_pages(size), MLOCK_ONFAULT);
}

void credkit_arena_wipe(uint8_t *memory, size_t size) {
    memset(memory, 0, size);
    // The memory is an input of this statement, so that its contents matter.
    __asm__ volatile("" : : "r"(memory) : "memory");
}

void credkit_arena_unmap(uint8_t *memory, size_t size) { munmap(memory, in_pages(size)); }
