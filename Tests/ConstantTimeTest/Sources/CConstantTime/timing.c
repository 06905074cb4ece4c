// Part of CredKit. SPDX-License-Identifier: Apache-2.0
//
// Timings of two classes of inputs, and Welch's t-test over them, after "Dude, is my code constant time?" by Reparaz,
// Balasch and Verbauwhede (https://eprint.iacr.org/2016/1123).
#define _GNU_SOURCE
#include "CConstantTime.h"

#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

/// The inputs that are made at once, so that making them does not stand between two timings.
#define PREPARED 1000
/// The longest input.
#define LONGEST 4096
/// The crops: what is slower than a percentile is left out. The percentiles come ever closer to the slowest.
#define CROPS 100
/// A crop with fewer timings tells nothing.
#define ENOUGH 10000
/// Twice the first-level cache of data, which walking over this empties before each timing: a table is then read
/// from the second level, and which of its lines are read shows.
#define EVICTED (64 * 1024)

void ct_pin(void) {
    cpu_set_t allowed, one;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) { return; }
    // The last core: the first ones serve interrupts.
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

/// The clock, with nothing of before it still under way and nothing of behind it begun.
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

static uint8_t evicted[EVICTED] __attribute__((aligned(4096)));
static uint8_t input[LONGEST] __attribute__((aligned(4096)));
static uint8_t prepared[PREPARED][LONGEST];

static void evict(void) {
    for (size_t offset = 0; offset < EVICTED; offset += 64) { (void)*(volatile uint8_t *)(evicted + offset); }
}

/// Fills `times`; the class of each stands in `classes`.
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
            // Every input stands in the same memory and is in the same caches.
            memcpy(input, prepared[index], length);
            evict();
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

static void take_larger(struct ct_result *result, const struct statistics *of) {
    double t = welch(of);
    if (of->count[0] + of->count[1] < ENOUGH || t <= result->t) { return; }
    *result = (struct ct_result){t, (size_t)(of->count[0] + of->count[1]), {of->mean[0], of->mean[1]}};
}

static int by_size(const void *left, const void *right) {
    uint32_t first = *(const uint32_t *)left, second = *(const uint32_t *)right;
    return (first > second) - (first < second);
}

struct ct_result ct_measure(const struct ct_contender *contender, size_t count, bool are_classes_same) {
    // The first timings are thrown away, but for the percentiles.
    size_t first = count / 10 < ENOUGH ? ENOUGH : count / 10;
    size_t larger = first > count ? first : count;
    uint32_t *times = malloc(larger * sizeof *times);
    bool *classes = malloc(larger * sizeof *classes);
    if (times == NULL || classes == NULL) {
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
    take_larger(&result, &all);
    // Whether one class scatters more than the other.
    for (size_t index = 0; index < count; index++) {
        double difference = times[index] - all.mean[classes[index]];
        add(&second_order, classes[index], difference * difference);
    }
    take_larger(&result, &second_order);
    for (int crop = 0; crop < CROPS; crop++) {
        struct statistics cropped = {0};
        for (size_t index = 0; index < count; index++) {
            if (times[index] < crops[crop]) { add(&cropped, classes[index], times[index]); }
        }
        take_larger(&result, &cropped);
    }
    free(times);
    free(classes);
    return result;
}
