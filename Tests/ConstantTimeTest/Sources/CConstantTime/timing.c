// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Timings of two classes of inputs, and Welch's t-test over them, after "Dude, is my code constant time?" by Reparaz,
// Balasch and Verbauwhede (https://eprint.iacr.org/2016/1123).
#define _GNU_SOURCE
#include "CConstantTime.h"

#include <link.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// Inputs are created in batches, so that no input is created between two timings.
#define PREPARED 1000
/// The longest input.
#define LONGEST 4096
/// The crops: each leaves out timings above a percentile. The percentiles come ever closer to the slowest timing.
#define CROPS 100
/// A crop with fewer timings is meaningless.
#define ENOUGH 10000
/// Twice the first-level data cache; walking over this memory empties it before each timing.
#define EVICTED (64 * 1024)

void ct_pin(void) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) { return; }
    // The last core, because the first ones handle interrupts.
    for (int core = CPU_SETSIZE - 1; core >= 0; core--) {
        if (!CPU_ISSET(core, &allowed)) { continue; }
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        (void)sched_setaffinity(0, sizeof one, &one);
        return;
    }
}

uint64_t ct_random(void) {
    // splitmix64
    static uint64_t state;
    if (state == 0) { state = (uint64_t)(uintptr_t)&state ^ __builtin_readcyclecounter(); }
    uint64_t word = state += 0x9E3779B97F4A7C15;
    word = (word ^ word >> 30) * 0xBF58476D1CE4E5B9;
    word = (word ^ word >> 27) * 0x94D049BB133111EB;
    return word ^ word >> 31;
}

void ct_random_fill(uint8_t *bytes, size_t length) {
    for (size_t index = 0; index < length; index += 8) {
        uint64_t word = ct_random();
        memcpy(bytes + index, &word, length - index < 8 ? length - index : 8);
    }
}

/// Reads the clock after all earlier instructions have completed and before any later one starts.
static inline uint64_t clock_start(void) {
#if defined(__x86_64__)
    _mm_mfence();
    _mm_lfence();
    uint64_t time = __rdtsc();
    _mm_lfence();
    return time;
#else
    return __builtin_readcyclecounter();
#endif
}

static inline uint64_t clock_end(void) {
#if defined(__x86_64__)
    unsigned core;
    uint64_t time = __rdtscp(&core);
    _mm_lfence();
    return time;
#else
    return __builtin_readcyclecounter();
#endif
}

/// Not part of the program's data, which is evicted from the caches.
static uint8_t *evicted, *input, (*prepared)[LONGEST];

/// The program's data without code: tables and variables.
static struct { uint8_t *start, *end; } data[16];
static size_t data_count;

static int find_data(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size, (void)unused;
    for (size_t index = 0; index < object->dlpi_phnum; index++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[index];
        if (segment->p_type != PT_LOAD || (segment->p_flags & PF_X) != 0) { continue; }
        if (data_count == sizeof data / sizeof data[0]) { break; }
        data[data_count].start = (uint8_t *)object->dlpi_addr + segment->p_vaddr;
        data[data_count].end = data[data_count].start + segment->p_memsz;
        data_count += 1;
    }
    // The program is the first object; no other one is needed.
    return 1;
}

/// Puts the caches into the same state before each timing: the first-level cache is evicted to the second level.
///
/// If the program's data is cold, no possible table is in any cache, so that each cache line that is read costs a
/// visible memory access. These accesses are noisy; small differences are more visible without them.
static void evict(bool is_cold) {
    for (size_t offset = 0; offset < EVICTED; offset += 64) { (void)*(volatile uint8_t *)(evicted + offset); }
    if (!is_cold) { return; }
#if defined(__x86_64__)
    for (size_t index = 0; index < data_count; index++) {
        for (uint8_t *line = data[index].start; line < data[index].end; line += 64) { _mm_clflush(line); }
    }
#endif
}

/// Fills `times`; `classes` has the class of each timing.
static void measure(const struct ct_contender *contender, uint32_t *times, bool *classes, size_t count,
                    bool are_classes_same) {
    size_t length = contender->length;
    for (size_t done = 0; done < count;) {
        size_t batch = count - done < PREPARED ? count - done : PREPARED;
        for (size_t index = 0; index < batch; index++) {
            classes[done + index] = ct_random() >> 63;
            contender->prepare(prepared[index], length, classes[done + index] || are_classes_same);
        }
        for (size_t index = 0; index < batch; index++) {
            // Every input is at the same address and in the same caches.
            memcpy(input, prepared[index], length);
            evict(contender->is_cold);
            uint64_t start = clock_start();
            contender->run(input, length);
            uint64_t time = clock_end() - start;
            times[done + index] = time < UINT32_MAX ? (uint32_t)time : UINT32_MAX;
        }
        done += batch;
    }
}

/// Mean and variance of each class, one value at a time (Welford).
struct statistics {
    double count[2], mean[2], squares[2];
};

static void add(struct statistics *statistics, bool class, double value) {
    statistics->count[class] += 1;
    double difference = value - statistics->mean[class];
    statistics->mean[class] += difference / statistics->count[class];
    statistics->squares[class] += difference * (value - statistics->mean[class]);
}

static double welch(const struct statistics *of) {
    double error = 0;
    for (int class = 0; class < 2; class++) {
        if (of->count[class] < 2) { return 0; }
        error += of->squares[class] / (of->count[class] - 1) / of->count[class];
    }
    double difference = of->mean[0] - of->mean[1];
    if (error == 0) { return difference == 0 ? 0 : INFINITY; }
    return fabs(difference) / sqrt(error);
}

static void take_larger(struct ct_result *result, const struct statistics *of, bool is_second_order) {
    double t = welch(of);
    if (of->count[0] + of->count[1] < ENOUGH || t <= result->t) { return; }
    *result = (struct ct_result){
        .t = t,
        .count = (size_t)(of->count[0] + of->count[1]),
        .is_second_order = is_second_order,
        .means = {of->mean[0], of->mean[1]},
    };
}

static int by_size(const void *left, const void *right) {
    uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
    return (first > second) - (first < second);
}

struct ct_result ct_measure(const struct ct_contender *contender, size_t count, bool are_classes_same) {
    // The first timings only determine the percentiles.
    size_t first = count / 10 < ENOUGH ? ENOUGH : count / 10;
    size_t larger = first > count ? first : count;
    if (data_count == 0) { dl_iterate_phdr(find_data, NULL); }
    if (input == NULL) {
        evicted = aligned_alloc(4096, EVICTED);
        input = aligned_alloc(4096, LONGEST);
        prepared = calloc(PREPARED, LONGEST);
    }
    uint32_t *times = malloc(larger * sizeof *times);
    bool *classes = malloc(larger * sizeof *classes);
    if (times == NULL || classes == NULL || evicted == NULL || input == NULL || prepared == NULL) {
        perror("constant-time");
        exit(70);
    }
    measure(contender, times, classes, first, are_classes_same);
    qsort(times, first, sizeof *times, by_size);
    uint32_t crops[CROPS];
    for (int crop = 0; crop < CROPS; crop++) {
        crops[crop] = times[(size_t)((1 - pow(0.5, 10.0 * (crop + 1) / CROPS)) * (double)first)];
    }
    measure(contender, times, classes, count, are_classes_same);

    struct ct_result result = {0};
    struct statistics all = {0}, second_order = {0};
    for (size_t index = 0; index < count; index++) { add(&all, classes[index], times[index]); }
    take_larger(&result, &all, false);
    // Whether one class has a larger variance than the other.
    for (size_t index = 0; index < count; index++) {
        double difference = times[index] - all.mean[classes[index]];
        add(&second_order, classes[index], difference * difference);
    }
    take_larger(&result, &second_order, true);
    for (int crop = 0; crop < CROPS; crop++) {
        struct statistics cropped = {0};
        for (size_t index = 0; index < count; index++) {
            if (times[index] < crops[crop]) { add(&cropped, classes[index], times[index]); }
        }
        take_larger(&result, &cropped, false);
    }
    free(times);
    free(classes);
    return result;
}
