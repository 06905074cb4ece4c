// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Memory that detects reads and writes outside its bounds.
#include "kernel_test.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define HAS_ADDRESS_SANITIZER 1
#endif
#endif

/// The width of the canaries around an output.
#define MARGIN 192

struct guarded guarded_make(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size = (size + page - 1) / page * page;
    uint8_t *memory = mmap(NULL, size + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED || mprotect(memory + page, size, PROT_READ | PROT_WRITE) != 0) {
        perror("kernel-test: no memory with guard pages");
        exit(70);
    }
    return (struct guarded){memory + page, size};
}

const uint8_t *untouchable(void) {
    static const uint8_t *page;
    if (page == NULL) { page = guarded_make(1).memory - 1; }
    return page;
}

uint8_t *guarded_at(const struct guarded *guarded, size_t length, struct place place) {
    switch (place.kind) {
    case AT_START: return guarded->memory;
    case AT_END: return guarded->memory + guarded->size - length;
    default: return guarded->memory + MARGIN + place.alignment;
    }
}

struct place random_place(void) {
    size_t choice = random_below(128);
    if (choice < 32) { return (struct place){AT_START, 0}; }
    if (choice < 64) { return (struct place){AT_END, 0}; }
    return (struct place){ALIGNED, choice - 64};
}

void guarded_close(const struct guarded *guarded, const uint8_t *bytes, size_t length) {
#ifdef HAS_ADDRESS_SANITIZER
    __asan_poison_memory_region(guarded->memory, guarded->size);
    __asan_unpoison_memory_region(bytes, length);
#else
    (void)guarded, (void)bytes, (void)length;
#endif
}

void guarded_open(const struct guarded *guarded) {
#ifdef HAS_ADDRESS_SANITIZER
    __asan_unpoison_memory_region(guarded->memory, guarded->size);
#else
    (void)guarded;
#endif
}

/// The first canary byte, and the end of the canaries.
static const uint8_t *canary_start(const struct guarded *guarded, const uint8_t *output) {
    size_t before = (size_t)(output - guarded->memory);
    return output - (before < MARGIN ? before : MARGIN);
}

static const uint8_t *canary_end(const struct guarded *guarded, const uint8_t *output, size_t length) {
    size_t behind = (size_t)(guarded->memory + guarded->size - output) - length;
    return output + length + (behind < MARGIN ? behind : MARGIN);
}

void canary_put(const struct guarded *guarded, const uint8_t *output, size_t length, uint8_t canary) {
    const uint8_t *start = canary_start(guarded, output);
    memset((uint8_t *)start, canary, (size_t)(canary_end(guarded, output, length) - start));
}

static bool all_are(const uint8_t *bytes, size_t length, uint8_t value) {
    return length == 0 || (bytes[0] == value && memcmp(bytes, bytes + 1, length - 1) == 0);
}

void canary_check(const struct guarded *guarded, const uint8_t *output, size_t length, size_t written,
                  uint8_t canary) {
    const uint8_t *start = canary_start(guarded, output);
    CHECK(all_are(start, (size_t)(output - start), canary), "wrote before the output");
    const uint8_t *rest = output + written;
    CHECK(all_are(rest, (size_t)(canary_end(guarded, output, length) - rest), canary),
          "wrote behind the %zu bytes that it may write", written);
}

static void touched(int signal, siginfo_t *information, void *context) {
    (void)signal, (void)context;
    fail("touched a guard page at %p", information->si_addr);
}

void guarded_watch(void) {
    struct sigaction action = {.sa_sigaction = touched, .sa_flags = SA_SIGINFO | SA_NODEFER};
    if (sigaction(SIGSEGV, &action, NULL) != 0 || sigaction(SIGBUS, &action, NULL) != 0) {
        perror("kernel-test: sigaction");
        exit(70);
    }
}
