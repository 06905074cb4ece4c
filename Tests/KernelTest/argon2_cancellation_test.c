// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Cancels Argon2 while it fills a certain block, and counts the blocks that it still fills. A time would depend on what else
// the machine does.
#include "kernel_test.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
    MEMORY_KIB = 16384,
    /// The blocks between two looks at the flag.
    LOOK = 512,
};

static size_t page;

/// Where the computation is cancelled: in a block of a segment.
static struct {
    const struct credkit_argon2_kernels *kernels;
    uint32_t pass, lane, slice, index;
    /// The segment, the first word of each of its blocks before it is filled, and its length.
    const uint8_t *segment;
    uint64_t *words;
    uint32_t length;
    /// The first block of a page, where the thread faults when it comes there.
    uint8_t *block;
    int is_cancelled;
    size_t segments_after;
} place;

static uint64_t word_of(uint32_t index) {
    uint64_t word;
    memcpy(&word, place.segment + (size_t)index * CREDKIT_ARGON2_BLOCK, sizeof word);
    return word;
}

static void cancel(int signal, siginfo_t *information, void *context) {
    (void)signal, (void)context;
    if ((uintptr_t)information->si_addr - (uintptr_t)place.block >= page) {
        fail("touched other memory at %p", information->si_addr);
    }
    __atomic_store_n(&place.is_cancelled, 1, __ATOMIC_RELEASE);
    CHECK(mprotect(place.block, page, PROT_READ | PROT_WRITE) == 0, "mprotect");
}

/// No block of a segment is read before it is filled, except the two that start a lane.
static int fill_segment(const struct credkit_argon2_instance *instance, uint32_t pass, uint32_t lane, uint32_t slice) {
    if (place.is_cancelled) place.segments_after++;
    if (pass == place.pass && lane == place.lane && slice == place.slice) {
        place.length = instance->segment_length;
        place.segment = instance->blocks + ((size_t)lane * instance->lane_length + (size_t)slice * place.length) *
                                               CREDKIT_ARGON2_BLOCK;
        place.words = calloc(place.length, sizeof *place.words);
        CHECK(place.words != NULL && place.index < place.length, "no such block");
        for (uint32_t index = 0; index < place.length; index++) place.words[index] = word_of(index);
        place.block = (uint8_t *)place.segment + (size_t)place.index * CREDKIT_ARGON2_BLOCK;
        CHECK((uintptr_t)place.block % page == 0 && mprotect(place.block, page, PROT_NONE) == 0, "mprotect");
    }
    const bool is_planted = planted_in_argon2 != NULL && planted_in_argon2->argon2.fill_segment != NULL;
    return (is_planted ? &planted_in_argon2->argon2 : place.kernels)->fill_segment(instance, pass, lane, slice);
}

/// Returns the number of blocks that were filled after the one in which the computation was cancelled.
static uint32_t cancel_there(const struct credkit_argon2_input *input) {
    struct credkit_argon2_kernels kernels = *place.kernels;
    kernels.fill_segment = fill_segment;
    uint8_t tag[32], *memory = credkit_arena_map((size_t)MEMORY_KIB << 10);
    CHECK(memory != NULL, "memory");
    const struct sigaction action = {.sa_sigaction = cancel, .sa_flags = SA_SIGINFO | SA_NODEFER};
    struct sigaction former;
    CHECK(sigaction(SIGSEGV, &action, &former) == 0, "sigaction");
    const int status = credkit_argon2_derive(&kernels, input, memory, tag, sizeof tag, &place.is_cancelled);
    CHECK(sigaction(SIGSEGV, &former, NULL) == 0, "sigaction");
    CHECK(place.is_cancelled && status == CREDKIT_ARGON2_CANCELLED, "it was not cancelled");
    CHECK(place.segments_after == 0, "%zu more segments were begun", place.segments_after);
    uint32_t last = place.length - 1;
    while (last > place.index && word_of(last) == place.words[last]) last--;
    free(place.words);
    credkit_arena_unmap(memory, (size_t)MEMORY_KIB << 10);
    return last - place.index;
}

void test_argon2_cancellation(void) {
    now = (struct situation){.test = "argon2 cancellation", .call = "derive"};
    page = (size_t)sysconf(_SC_PAGESIZE);
    const uint32_t step = (uint32_t)(page / CREDKIT_ARGON2_BLOCK);
    // In the first segment, in the data-dependent half, and in later passes.
    static const struct { uint32_t pass, slice; } segments[] = {{0, 0}, {0, 3}, {1, 1}, {2, 2}};
    for (size_t kernels = 0; kernels < tested_argon2_count; kernels++) {
        sound_argon2 = tested_argon2[kernels];
        now.kernels = planted_in_argon2 == NULL ? sound_argon2->name : planted_in_argon2->name;
        for (uint32_t lanes = 1; lanes <= 4; lanes += 3) {
            const struct credkit_argon2_input input = {
                CREDKIT_ARGON2ID, 0x13, lanes, MEMORY_KIB, 3, {(const uint8_t *)"password", 8},
                {(const uint8_t *)"saltsalt", 8}, {NULL, 0}, {NULL, 0}, 1,
            };
            const uint32_t length = MEMORY_KIB / CREDKIT_ARGON2_SLICES / lanes;
            for (size_t segment = 0; segment < sizeof segments / sizeof segments[0]; segment++) {
                // Soon after a look, at the end, and at random.
                const uint32_t indices[] = {step, length - step, step * (uint32_t)random_below(length / step)};
                for (size_t index = 0; index < 3; index++) {
                    memset(&place, 0, sizeof place);
                    place.kernels = tested_argon2[kernels];
                    place.pass = segments[segment].pass;
                    place.slice = segments[segment].slice;
                    place.lane = (uint32_t)segment % lanes;
                    place.index = indices[index];
                    const uint32_t after = cancel_there(&input);
                    CHECK(after < LOOK, "%u blocks were filled after a cancellation in pass %u, slice %u, block %u", after,
                          place.pass, place.slice, place.index);
                }
            }
        }
    }
    now.kernels = NULL;
}
